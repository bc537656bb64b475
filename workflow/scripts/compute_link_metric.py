"""Compute what every run of hstcp-buffers made of its bottleneck, with its place."""

import polars as pl
from evenflow.buffers import link_metrics, placed_runs
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], output: str) -> None:
    """Read run, flow, window, queue_sample, sample and run_metric; write link_metric."""
    names = ("run", "flow", "window", "queue_sample", "sample", "run_metric")
    run, flow, window, queue, sample, run_metric = (read_table(inputs[n]) for n in names)
    runs, placed = in_window(run, window), placed_runs(run, flow)
    shares = run_metric.select("run_id", "jfi", pl.col("utilisation").alias("goodput_share"))
    table = (
        placed.join(link_metrics(queue, sample, runs, placed), on="run_id")
        .join(shares, on="run_id", how="left")
        .join(runs.select("run_id", "warmup_s"), on="run_id")
    )
    write_table(table.sort("run_id"), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
