"""Draw how long the queue is nearly full in each drop event."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import time_above_chart
from evenflow.tables import read_table

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        events = read_table(inputs["drop_event"])
        save_chart(time_above_chart(events, *read_points(inputs)), snakemake.output[0])
