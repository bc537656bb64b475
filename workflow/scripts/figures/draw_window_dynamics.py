"""Draw the window of HighSpeed TCP between losses: hstcp-buffers, Figure 1. No measurement."""

from evenflow.buffer_charts import window_dynamics
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        example = snakemake.params.example
        chart = window_dynamics(example["loss_rate"], example["rtt_ms"] / 1000)
        save_chart(chart, snakemake.output[0])
