"""Whether the steady state of a run of two flows is one: change, convergence, drops.

Flow 1's share may move all through a run: two flows of one variant take minutes to converge at the
longest RTTs, and a starved flow may change places with the other. A mean over the steady state then
measures when that happened.
"""

from __future__ import annotations

import polars as pl
from evenflow.statistics.steady import is_unsteady
from evenflow.statistics.surfaces import dropped


def steadiness(run: pl.DataFrame, run_metric: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, drift, flow_change, unsteady, convergence_s, drops (null: not counted).

    Args:
        run, run_metric: tables of a data set.
    """
    known = run_metric.select(
        "run_id", "drift", "flow_change", "convergence_s", unsteady=is_unsteady()
    )
    return (
        run.select("run_id", dropped().alias("drops"))
        .join(known, on="run_id", how="left")
        .select("run_id", "drift", "flow_change", "unsteady", "convergence_s", "drops")
    )


def cell_steadiness(pairs: pl.DataFrame, cell: list[str]) -> pl.DataFrame:
    """Return for each cell: utilisation (mean), n_unsteady, n_converged, convergence_s.

    Args:
        pairs: the table `pair_metric`.
        cell: columns that name a cell.
    """
    time = pl.col("convergence_s")
    return pairs.group_by(cell, maintain_order=True).agg(
        pl.col("utilisation").mean(),
        n_unsteady=pl.col("unsteady").sum().cast(pl.Int64),
        n_converged=time.count().cast(pl.Int64),
        convergence_s=time.mean(),  # of the runs that converged
    )
