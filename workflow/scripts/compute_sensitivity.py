"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

import polars as pl
from evenflow.metrics import sensitivity_table
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(inputs: dict[str, str], steady_state: dict, nru: dict, output: str) -> None:
    """Read sample, flow and run; write sensitivity."""
    tables = (pl.read_parquet(inputs[name]) for name in ("sample", "flow", "run"))
    write_table(sensitivity_table(*tables, steady_state, nru), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.steady_state, params.nru, snakemake.output[0])
