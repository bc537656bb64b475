"""Draw the coefficient of variation of arrivals against the width of the bins."""

from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_charts import cov_chart
from evenflow.tables import read_table

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        by_run, _ = read_points(inputs)
        save_chart(cov_chart(read_table(inputs["arrival_cov"]), by_run), snakemake.output[0])
