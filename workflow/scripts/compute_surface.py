"""Compute the surfaces of a paper and their summaries (min, mean, max, standard deviation)."""

import polars as pl
from evenflow.scripting import reporting_errors
from evenflow.surfaces import surface_summary, surface_table
from evenflow.tables import write_table


def main(cells: list[str], runs: list[str], roles: list[str], surface: str, summary: str) -> None:
    """Read cell and run of the data set in each role; write surface and summary."""
    parts = []
    for cell, run, role in zip(cells, runs, roles, strict=True):
        run = pl.read_parquet(run)
        table = surface_table(pl.read_parquet(cell), run)
        dataset_id = pl.lit(run["dataset_id"][0]).alias("dataset_id")
        parts.append(table.select(pl.lit(role).alias("part"), dataset_id, pl.all()))
    surfaces = pl.concat(parts)
    write_table(surfaces, surface)
    write_table(surface_summary(surfaces, ["part", "dataset_id"]), summary)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        tables, output = snakemake.input, snakemake.output
        main(tables.cell, tables.run, snakemake.params.roles, output.surface, output.summary)
