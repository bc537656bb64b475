"""Compute how the two flows of every cell share, in the data sets of modern and exchanged flows."""

import polars as pl
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table
from evenflow.why import run_values, share_table


def main(inputs: list[list[str]], parts: list[str], output: str) -> None:
    """Read run, run_metric and flow_metric of the data set in each part; write their shares."""
    tables = []
    for paths, part in zip(inputs, parts, strict=True):
        runs = run_values(*map(read_table, paths)).filter(role="comparison")
        tables.append(share_table(runs).select(pl.lit(part).alias("part"), pl.all()))
    write_table(pl.concat(tables), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        parts = snakemake.params.parts
        inputs = [snakemake.input[part] for part in parts]
        main(inputs, parts, snakemake.output[0])
