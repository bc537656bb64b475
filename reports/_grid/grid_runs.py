"""Runs of two flows on a grid of RTT and buffer, with what claims are computed of.

A cell in which no run lost a packet at the bottleneck is *uncontested*: there is nothing to be fair
about, and statements on fairness leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import polars as pl
from evenflow.statistics.steady import is_unsteady
from evenflow.statistics.surfaces import PLACE, dropped, is_contested, on_the_grid

RTT, BUFFER = "base_rtt_s", "buffer_bdp"


def grid_runs(
    run: pl.DataFrame, run_metric: pl.DataFrame, flow_metric: pl.DataFrame
) -> pl.DataFrame:
    """Return the runs of two flows on the grid with what each measured.

    The NRU of a flow is its level less that of the calibration: both are cells of a claim, so that
    the uncertainty of the weights is in that of the claim.

    Args:
        run, run_metric, flow_metric: tables of a data set.

    Returns:
        PLACE, repeat, run_id, dropped and contested (`surfaces.is_contested`), jfi, utilisation,
        unsteady (`steady.is_unsteady`), and of each flow mean_throughput_bps_flow1 (bit/s) and
        level_db_flow1 (mean over the samples of 10 log10 of the throughput, dB of 1 bit/s; null
        where the flow has no NRU); sorted.
    """
    level = pl.col("flow_nru_db") + 10 * pl.col("expected_bps").log10()
    flows = [
        flow_metric.filter(flow_id=flow).select(
            "run_id",
            pl.col("mean_throughput_bps").alias(f"mean_throughput_bps_flow{flow}"),
            level.alias(f"level_db_flow{flow}"),
        )
        for flow in (1, 2)
    ]
    runs = on_the_grid(run).with_columns(pl.col(RTT, BUFFER).round(6))
    return (
        runs.select(*PLACE, "repeat", "run_id", dropped(), is_contested(runs, PLACE))
        .join(
            run_metric.select("run_id", "jfi", "utilisation", unsteady=is_unsteady()), on="run_id"
        )
        .join(flows[0], on="run_id")
        .join(flows[1], on="run_id")
        .sort(*PLACE, "repeat", "run_id")
    )


def uncontested(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the uncontested cells of `grid_runs`, PLACE."""
    return runs.filter(~pl.col("contested")).select(PLACE).unique(maintain_order=True)


def grid_of(grid: Mapping[str, Sequence[float]]) -> pl.DataFrame:
    """Return the cells of a grid: base_rtt_s, buffer_bdp.

    Args:
        grid: rtt_ms, buffer_pct: their values.
    """
    cells = product(grid["rtt_ms"], grid["buffer_pct"])
    rows = [(round(rtt / 1000, 6), round(buffer / 100, 6)) for rtt, buffer in cells]
    return pl.DataFrame(rows, schema={RTT: pl.Float64, BUFFER: pl.Float64}, orient="row")


def rise(axis: np.ndarray, across: np.ndarray, values: np.ndarray) -> float | None:
    """Return how much values rise from the lowest to the highest place of an axis.

    By least squares on the logarithm of the axis, with a level for each place across it: cells that
    are missing at one end bias nothing, as they would a difference of means.

    Args:
        axis, across: where each cell lies, RTT and buffer or the other way round, shape (n,).
        values: shape (n,).

    Returns:
        In the unit of the values; None where no place across has two cells.
    """
    x = _within(np.log2(axis), across)
    spread = float((x**2).sum())
    if spread < 1e-9:
        return None
    slope = float((x * _within(values, across)).sum()) / spread
    return slope * float(np.log2(axis.max() / axis.min()))


def curve(axis: np.ndarray, across: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values along an axis, in its order, each less the level of its place across.

    Args:
        axis, across, values: as of `rise`.
    """
    own = _within(values, across)
    return np.array([own[axis == place].mean() for place in np.unique(axis)])


def _within(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return values less the mean of their group."""
    _, at = np.unique(groups, return_inverse=True)
    return values - (np.bincount(at, values) / np.bincount(at))[at]
