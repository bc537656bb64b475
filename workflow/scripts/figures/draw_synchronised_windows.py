"""Draw the windows of two flows whose losses are synchronised (synchronisation, Figure 3).

From the closed form; no measurement enters.
"""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import synchronised_windows
from evenflow.synchronisation_charts import windows_chart

RTTS_S = [0.045, 0.09]  # of flows 1 and 2, without queue
PERIOD_S = 10.0  # between losses; the shape does not depend on it
PERIODS = 4

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        windows = synchronised_windows(RTTS_S, PERIOD_S, PERIODS)
        save_chart(windows_chart(windows), snakemake.output[0])
