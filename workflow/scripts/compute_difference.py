"""Compare Jain's index of ns-2 and of a testbed cell by cell."""

import polars as pl
from evenflow.scripting import reporting_errors
from evenflow.statistics import difference_surface
from evenflow.tables import write_table


def values(run: str, run_metric: str) -> pl.DataFrame:
    """Return Jain's index of every comparison run with its place on the grid."""
    place = pl.read_parquet(run).filter(pl.col("role") == "comparison")
    place = place.select("run_id", "ccas", "bottleneck_bps", "base_rtt_s", "buffer_bdp")
    return place.join(
        pl.read_parquet(run_metric).select("run_id", pl.col("jfi").alias("value")), on="run_id"
    )


def main(inputs: dict[str, str], statistics: dict, output: str) -> None:
    """Read run and run_metric of both sides; write the difference table."""
    table = difference_surface(
        values(inputs["simulation_run"], inputs["simulation_metric"]),
        values(inputs["testbed_run"], inputs["testbed_metric"]),
        surface=["ccas"],
        cell=["bottleneck_bps", "base_rtt_s", "buffer_bdp"],
        margin=statistics["equivalence_margin_jfi"],
        confidence=statistics["confidence"],
        fdr=statistics["fdr"],
    )
    write_table(table, output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.statistics, snakemake.output[0])
