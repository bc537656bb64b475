"""What is steady: one notion for the pages of data sets and for papers.

A mean over the steady state describes a lasting state only if what it is a mean of does not change.
A run is *unsteady* for a statistic that reads flows (shares, ratios, an index, NRU) if a flow's
throughput changes between the halves of the steady state by more than FACTOR, or its share by more
than POINTS; for one that reads what all carry (the link's use) if the sum changes by more than
FACTOR. A starved flow cannot hide behind points of share: with 3 % it never moves by ten.
"""

from __future__ import annotations

import polars as pl

FACTOR = 1.5
POINTS = 0.1  # of what the flows carry together
FLOWS, USE = "flows", "use"  # what a statistic reads
UNSTEADY_CELL = 0.5  # share of a cell's runs


def is_unsteady(reads: str = FLOWS) -> pl.Expr:
    """Return whether a run is unsteady, of its row of `run_metric`; null where nothing tells.

    Args:
        reads: what the statistic is of, FLOWS or USE.
    """
    if reads == USE:
        return pl.col("use_change") > FACTOR
    by_points = (pl.col("drift") > POINTS).fill_null(False)  # a single flow has no share
    return (pl.col("flow_change") > FACTOR) | by_points


def of_cell() -> pl.Expr:
    """Return whether a cell is unsteady, of `unsteady` of its runs: half of them are.

    Runs that nothing is known of do not count; a cell of none but these is null.
    """
    return pl.col("unsteady").mean() >= UNSTEADY_CELL
