"""Draw how BPDD and P move with the gap between drop events."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import gap_chart
from evenflow.synchronisation_report import gap_means
from evenflow.tables import read_table

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        by_run, _ = read_points(inputs)
        sensitivity = read_table(inputs["burst_sensitivity"])
        save_chart(gap_chart(gap_means(sensitivity, by_run)), snakemake.output[0])
