"""Whether the steady state of a run of two flows is one: drift, convergence, drops.

Flow 1's share may move all through a run: two flows of one variant take minutes to converge at the
longest RTTs, and a starved flow may change places with the other. A mean over the steady state then
measures when that happened.
"""

from __future__ import annotations

import polars as pl
from evenflow.statistics.surfaces import dropped


def steadiness(run: pl.DataFrame, run_metric: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, drift, convergence_s and drops at the bottleneck (null: not counted).

    Args:
        run, run_metric: tables of a data set.
    """
    known = run_metric.select("run_id", "drift", "convergence_s")
    return (
        run.select("run_id", dropped().alias("drops"))
        .join(known, on="run_id", how="left")
        .select("run_id", "drift", "convergence_s", "drops")
    )


def cell_steadiness(pairs: pl.DataFrame, cell: list[str], drift_share: float) -> pl.DataFrame:
    """Return for each cell: utilisation (mean), n_drifting, n_converged, convergence_s.

    Args:
        pairs: the table `pair_metric`.
        cell: columns that name a cell.
        drift_share: of both flows' throughput; a run whose share moves by more is drifting.
    """
    time = pl.col("convergence_s")
    return pairs.group_by(cell, maintain_order=True).agg(
        pl.col("utilisation").mean(),
        n_drifting=(pl.col("drift") > drift_share).sum().cast(pl.Int64),
        n_converged=time.count().cast(pl.Int64),
        convergence_s=time.mean(),  # of the runs that converged
    )
