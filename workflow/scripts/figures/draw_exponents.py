"""Draw the exponent of the RTT ratio that the fairness ratio is, for every scenario."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import exponents_chart

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        _, scenarios = read_points(dict(snakemake.input.items()))
        save_chart(exponents_chart(scenarios), snakemake.output[0])
