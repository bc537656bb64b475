"""Checks of runs that are taken as repeats: whether they may be of several settings."""

from __future__ import annotations

import polars as pl

from .finding import apart, findings

UNLIKE = 2.0  # the largest sum of the flows over the smallest one, of repeats of one scenario
GROWN, STEPS = (
    1.5,
    4,
)  # the same of at least so many repeats that grow, or shrink, with their number


def unlike_repeats(run: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find scenarios whose repeats carry far more or less than others, or more with every number.

    What all flows of a run carry together hardly changes from repeat to repeat, whoever gets how
    much of it; a setting that counts (a row of a table of buffers, say) changes it. Flows without a
    mean in any of them (short ones that ended before the steady state) are left aside.
    """
    mean = pl.col("mean_throughput_bps")
    rows = (
        flow_metric.join(run.select("run_id", "scenario_id", "repeat"), on="run_id")
        .filter(mean.is_not_null().any().over("scenario_id", "flow_id"))
        .group_by("scenario_id", "repeat", "run_id")
        .agg(mean.sum().alias("total_bps"), mean.is_not_null().all().alias("known"))
        .filter("known")
        .sort("scenario_id", "repeat", "run_id")
        .group_by("scenario_id", maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("total_bps").min().alias("least"),
            pl.col("total_bps").max().alias("most"),
            (pl.col("total_bps").diff().drop_nulls() > 0).all().alias("grows"),
            (pl.col("total_bps").diff().drop_nulls() < 0).all().alias("shrinks"),
        )
        .filter(pl.col("n") > 1, pl.col("most") > 0)
    )
    steady = (pl.col("grows") | pl.col("shrinks")) & (pl.col("n") >= STEPS)
    unlike = pl.col("most") > UNLIKE * pl.col("least")
    rows = rows.filter(unlike | (steady & (pl.col("most") > GROWN * pl.col("least"))))
    message = pl.format(
        "doubtful repeats: the {} runs of scenario {} carry {} to {} Mb/s together{}",
        "n",
        "scenario_id",
        *apart(pl.col("least") / 1e6, pl.col("most") / 1e6, 2),
        pl.when(pl.col("grows") & (pl.col("n") >= STEPS))
        .then(pl.lit(", more with every number"))
        .when(pl.col("shrinks") & (pl.col("n") >= STEPS))
        .then(pl.lit(", less with every number"))
        .otherwise(pl.lit("")),
    )
    remedy = (
        "say what distinguishes them (a placeholder in `files:`, or a column of runs.csv); "
        "nothing to do if they are repeats of one setting"
    )
    return findings(rows, "unlike repeats", "warning", message, remedy)
