"""Compare Jain's index of ns-2 and of a testbed cell by cell."""

import polars as pl
from evenflow.roles import check_common_cells
from evenflow.scripting import reporting_errors
from evenflow.statistics import difference_surface
from evenflow.surfaces import CELL, SURFACE, index_on_the_grid
from evenflow.tables import write_table


def main(inputs: dict[str, str], names: list[str], statistics: dict, output: str) -> None:
    """Read run and run_metric of both sides (data sets `names`); write the difference table."""
    simulation, testbed = (
        index_on_the_grid(
            pl.read_parquet(inputs[f"{side}_run"]), pl.read_parquet(inputs[f"{side}_metric"])
        )
        for side in ("simulation", "testbed")
    )
    check_common_cells(simulation, testbed, names)
    table = difference_surface(
        simulation,
        testbed,
        surface=SURFACE,
        cell=CELL,
        margin=statistics["equivalence_margin_jfi"],
        confidence=statistics["confidence"],
        fdr=statistics["fdr"],
    )
    write_table(table, output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.names, params.statistics, snakemake.output[0])
