"""Compute the table `window`: which part of each run is the steady state."""

import polars as pl
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table
from evenflow.windows import window_table


def main(inputs: dict[str, str], warmup_s: float, output: str) -> None:
    """Read sample, flow and run; write window."""
    tables = (pl.read_parquet(inputs[name]) for name in ("sample", "flow", "run"))
    write_table(window_table(*tables, warmup_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.warmup_s, snakemake.output[0])
