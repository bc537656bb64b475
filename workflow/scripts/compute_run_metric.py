"""Compute the table `run_metric`: every run's Jain index, throughput ratio and system-NRU."""

import polars as pl
from evenflow.fairness import run_metrics
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(flow_metric: str, run: str, output: str) -> None:
    """Read flow_metric and run; write run_metric."""
    write_table(run_metrics(pl.read_parquet(flow_metric), pl.read_parquet(run)), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.flow_metric, snakemake.input.run, snakemake.output[0])
