"""Draw how the utilisation of hstcp-buffers moves with the start of the steady state."""

from evenflow.buffer_charts import warmup_chart
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        table = read_table(snakemake.input.buffer_sensitivity)
        save_chart(warmup_chart(table), snakemake.output[0])
