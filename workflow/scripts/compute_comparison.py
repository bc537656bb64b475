"""Compare Jain's index of two data sets cell by cell, with each start of the steady state."""

from evenflow.runs.scripting import reporting_errors
from evenflow.statistics.comparison import cell_match, index_difference, verdict_sensitivity
from evenflow.statistics.surfaces import index_on_the_grid
from evenflow.tables import read_table, write_table

TABLES = ("run", "run_metric", "sensitivity")


def main(of: list[str], against: list[str], statistics: dict, outputs: dict[str, str]) -> None:
    """Read TABLES of both data sets; write which cells they have, and how these differ."""
    sides = [dict(zip(TABLES, map(read_table, paths), strict=True)) for paths in (of, against)]
    settings = {"margin": statistics["equivalence_margin_jfi"]}
    settings |= {key: statistics[key] for key in ("confidence", "fdr")}
    indices = [index_on_the_grid(side["run"], side["run_metric"]) for side in sides]
    write_table(cell_match(*indices), outputs["cell_match"])
    write_table(index_difference(*sides, settings), outputs["difference"])
    write_table(verdict_sensitivity(*sides, settings), outputs["verdict_sensitivity"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, outputs = snakemake.input, dict(snakemake.output.items())
        main(inputs.of, inputs.against, snakemake.params.statistics, outputs)
