"""Draw the figures of a data set's page; an empty file for one that has nothing to show."""

from pathlib import Path

from evenflow.charts.dataset import flow_means, metric_chart, runs_over_time, save_figure
from evenflow.scripting import reporting_errors
from evenflow.statistics.surfaces import is_contested
from evenflow.tables import read_table, scan_table

import polars as pl

TABLES = ("cell", "run", "flow", "window")


def main(inputs: dict[str, str], runs: str, means: str, metrics: list[str]) -> None:
    """Draw some runs over time, the mean throughput of every flow, and a figure a metric."""
    cell, run, flow, window = (read_table(inputs[name]) for name in TABLES)
    sample = pl.concat(map(scan_table, inputs["sample"]))  # of every part
    save_figure(runs_over_time(sample, flow, run, window), runs)
    save_figure(flow_means(cell, run, flow), means)
    contested = is_contested(run, "scenario_id")
    for output in metrics:
        save_figure(metric_chart(Path(output).stem, cell, run, flow, contested), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        outputs = snakemake.output
        main(snakemake.input, outputs.runs, outputs.flow_means, list(outputs.metrics))
