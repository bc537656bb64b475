"""Whether the steady state of a run of two flows is one: drift, convergence, drops.

Flow 1's share may move all through a run: two flows of one variant take minutes to converge at the
longest RTTs, and a starved flow may change places with the other. A mean over the steady state then
measures when that happened.
"""

from __future__ import annotations

import polars as pl
from evenflow.metrics.windows import in_window, steady_state
from evenflow.statistics.surfaces import drops_at_bottleneck


def share_drift(steady: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Return how much flow 1's share moves between the halves of the steady state.

    Args:
        steady: samples of the steady state: run_id, flow_id, t_start_s, bytes.
        windows: run_id, warmup_s, end_s (null: the last sample's end).

    Returns:
        run_id, drift: flow 1's share in the second half less that in the first, -1 to 1; null where
        a half carried nothing.
    """
    last = steady.group_by("run_id").agg(last_s=pl.col("t_end_s").max())
    middle = windows.join(last, on="run_id").select(
        "run_id", middle_s=(pl.col("warmup_s") + pl.coalesce("end_s", "last_s")) / 2
    )
    carried = pl.col("bytes")
    halves = (
        steady.join(middle, on="run_id")
        .group_by("run_id", second=pl.col("t_start_s") >= pl.col("middle_s"))
        .agg(carried.filter(pl.col("flow_id") == 1).sum().alias("own"), carried.sum().alias("all"))
        .with_columns(share=pl.when(pl.col("all") > 0).then(pl.col("own") / pl.col("all")))
    )
    first, second = (halves.filter(second=half).select("run_id", "share") for half in (False, True))
    both = first.join(second, on="run_id", suffix="_second")
    return both.select("run_id", drift=pl.col("share_second") - pl.col("share")).sort("run_id")


def steadiness(
    run: pl.DataFrame, run_metric: pl.DataFrame, sample: pl.DataFrame, window: pl.DataFrame
) -> pl.DataFrame:
    """Return run_id, drift, convergence_s and drops at the bottleneck (null: not counted).

    Args:
        run, run_metric, sample, window: tables of a data set.
    """
    drift = share_drift(steady_state(sample, in_window(run, window)), window)
    drops = run.select(
        "run_id",
        drops=pl.col("observed").map_elements(
            drops_at_bottleneck, return_dtype=pl.Int64, skip_nulls=False
        ),
    )
    converged = run_metric.select("run_id", "convergence_s")
    return (
        run.select("run_id")
        .join(drift, on="run_id", how="left")
        .join(converged, on="run_id", how="left")
        .join(drops, on="run_id", how="left")
    )


def cell_steadiness(pairs: pl.DataFrame, cell: list[str], drift_share: float) -> pl.DataFrame:
    """Return for each cell: utilisation (mean), n_drifting, n_converged, convergence_s.

    Args:
        pairs: the table `pair_metric`.
        cell: columns that name a cell.
        drift_share: of both flows' throughput; a run whose share moves by more is drifting.
    """
    time = pl.col("convergence_s")
    return pairs.group_by(cell).agg(
        pl.col("utilisation").mean(),
        n_drifting=(pl.col("drift").abs() > drift_share).sum().cast(pl.Int64),
        n_converged=time.count().cast(pl.Int64),
        convergence_s=time.mean(),  # of the runs that converged
    )
