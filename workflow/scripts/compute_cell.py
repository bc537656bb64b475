"""Compute the table `cell`: mean and interval over the repeats of every scenario and metric."""

import polars as pl
from evenflow.metrics import cell_table
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(inputs: dict[str, str], confidence: float, output: str) -> None:
    """Read flow_metric, run_metric and run; write cell."""
    tables = (pl.read_parquet(inputs[name]) for name in ("flow_metric", "run_metric", "run"))
    write_table(cell_table(*tables, confidence), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.confidence, snakemake.output[0])
