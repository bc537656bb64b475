"""Compute the surfaces of a paper, their summaries, and what the paper printed beside these."""

import polars as pl
from evenflow.published import printed_and_computed, printed_and_measured, read_published
from evenflow.roles import check_role, check_surface
from evenflow.scripting import reporting_errors
from evenflow.statistics.surfaces import on_the_grid, surface_summary, surface_table
from evenflow.tables import read_table, write_table


def main(inputs: dict, paper: str, roles: list[str], outputs: dict[str, str]) -> None:
    """Read cell and run of the data set in each role, check that it can play it; write surface,
    summary (min, mean, max, standard deviation) and published.
    """
    parts = []
    for cell, run, role in zip(inputs["cell"], inputs["run"], roles, strict=True):
        runs = read_table(run)
        placed = on_the_grid(runs)
        check_role(paper, role, runs, placed)
        table = surface_table(read_table(cell), placed)
        dataset_id = runs["dataset_id"][0]
        check_surface(paper, role, dataset_id, table)
        names = pl.lit(role).alias("part"), pl.lit(dataset_id).alias("dataset_id")
        parts.append(table.select(*names, pl.all()))
    surfaces = pl.concat(parts)
    summary = surface_summary(surfaces, ["part", "dataset_id"])
    printed = inputs["published"]
    measured = printed_and_measured(read_published(printed), summary)
    write_table(surfaces, outputs["surface"])
    write_table(summary, outputs["summary"])
    write_table(pl.concat([measured, printed_and_computed(printed)]), outputs["published"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        outputs = dict(snakemake.output.items())
        main(snakemake.input, snakemake.wildcards.paper, snakemake.params.roles, outputs)
