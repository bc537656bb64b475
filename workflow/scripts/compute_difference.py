"""Compare Jain's index of ns-2 and of a testbed cell by cell."""

import polars as pl
from evenflow.roles import check_common_cells
from evenflow.scripting import reporting_errors
from evenflow.statistics import difference_surface
from evenflow.surfaces import on_the_grid
from evenflow.tables import write_table


def values(run: str, run_metric: str) -> pl.DataFrame:
    """Return Jain's index of every comparison run with its place on the grid."""
    place = on_the_grid(pl.read_parquet(run)).filter(pl.col("role") == "comparison")
    place = place.select(
        "run_id",
        "ccas",
        pl.col("bottleneck_bps").round(0),
        # the same place is the same number, though one was given in bytes and the other in %
        pl.col("base_rtt_s").round(6),
        pl.col("buffer_bdp").round(3),
    )
    return place.join(
        pl.read_parquet(run_metric).select("run_id", pl.col("jfi").alias("value")), on="run_id"
    )


def main(inputs: dict[str, str], names: list[str], statistics: dict, output: str) -> None:
    """Read run and run_metric of both sides (data sets `names`); write the difference table."""
    simulation = values(inputs["simulation_run"], inputs["simulation_metric"])
    testbed = values(inputs["testbed_run"], inputs["testbed_metric"])
    check_common_cells(simulation, testbed, names)
    table = difference_surface(
        simulation,
        testbed,
        surface=["ccas"],
        cell=["bottleneck_bps", "base_rtt_s", "buffer_bdp"],
        margin=statistics["equivalence_margin_jfi"],
        confidence=statistics["confidence"],
        fdr=statistics["fdr"],
    )
    write_table(table, output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.names, params.statistics, snakemake.output[0])
