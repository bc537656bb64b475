"""Draw the fairness ratio of each variant, a figure a queue (synchronisation, Figures 8 and 9)."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import variants_chart

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        _, scenarios = read_points(dict(snakemake.input.items()))
        for aqm, output in snakemake.output.items():
            save_chart(variants_chart(scenarios, aqm), output)
