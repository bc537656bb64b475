"""Draw windows and queue of two flows, under- and over-buffered: hstcp-buffers, Figures 5 and 6."""

import polars as pl
from evenflow.buffer_charts import two_flow_chart
from evenflow.buffers import two_flow_examples
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict[str, str], output: str) -> None:
    """Read link_metric, flow, sample and queue_sample; draw the first repeat of each buffer."""
    names = ("link_metric", "flow", "sample", "queue_sample")
    link, flow, sample, queue = (read_table(inputs[name]) for name in names)
    runs = two_flow_examples(link, flow)
    window = sample.join(runs.select("run_id"), on="run_id").join(
        flow.select("run_id", "flow_id", "mss_bytes"), on=["run_id", "flow_id"]
    )
    packets = (pl.col("cwnd_bytes") / pl.col("mss_bytes")).alias("cwnd_packets")
    state = window.select("run_id", "flow_id", "t_end_s", packets)
    save_chart(two_flow_chart(state, queue, runs), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
