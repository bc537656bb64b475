"""Compare Jain's index of ns-2 and of a testbed cell by cell, with each start of steady state."""

import polars as pl
from evenflow.roles import check_common_cells
from evenflow.scripting import reporting_errors
from evenflow.statistics.repeats import difference_surface
from evenflow.statistics.surfaces import CELL, SURFACE, index_on_the_grid, verdict_sensitivity
from evenflow.tables import read_table, write_table

SIDES = ("simulation", "testbed")
CASE = ["parameter", "value"]
OF_WINDOW = ["warmup_s", "warmup_mser5"]


def cases(sensitivity: str) -> dict[tuple, pl.DataFrame]:
    """Return the run metrics of every start of the steady state: {(parameter, value): table}."""
    table = read_table(sensitivity).filter(pl.col("parameter").is_in(OF_WINDOW))
    return table.partition_by(CASE, as_dict=True)


def main(inputs: dict[str, str], names: list[str], statistics: dict, outputs: dict) -> None:
    """Read run, run_metric and sensitivity of both sides (data sets `names`); write difference, and
    verdict_sensitivity: the same for each start of the steady state.
    """
    settings = {"margin": statistics["equivalence_margin_jfi"]}
    settings |= {key: statistics[key] for key in ("confidence", "fdr")}
    runs = [read_table(inputs[f"{side}_run"]) for side in SIDES]
    metrics = [read_table(inputs[f"{side}_metric"]) for side in SIDES]
    indices = list(map(index_on_the_grid, runs, metrics))
    check_common_cells(*indices, names)
    moved = [cases(inputs[f"{side}_sensitivity"]) for side in SIDES]
    tables = {
        case: [index_on_the_grid(run, of[case]) for run, of in zip(runs, moved, strict=True)]
        for case in sorted(moved[0].keys() & moved[1].keys(), key=str)
    }
    difference = difference_surface(*indices, surface=SURFACE, cell=CELL, **settings)
    write_table(difference, outputs["difference"])
    write_table(verdict_sensitivity(tables, settings), outputs["verdict_sensitivity"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, outputs = snakemake.params, dict(snakemake.output.items())
        main(snakemake.input, params.names, params.statistics, outputs)
