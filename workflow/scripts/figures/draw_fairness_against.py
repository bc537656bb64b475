"""Draw the fairness ratio against a measure of burstiness (synchronisation, Figures 5, 6, 7)."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import against_fairness

# name of the figure -> metric, and the kinds of background that the paper's figure has
MEASURES = {"bpdd": ("bpdd", None), "p": ("p", None), "cov": ("cov_background", ["ftp"])}

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        _, scenarios = read_points(dict(snakemake.input.items()))
        for name, output in snakemake.output.items():
            save_chart(against_fairness(scenarios, *MEASURES[name]), output)
