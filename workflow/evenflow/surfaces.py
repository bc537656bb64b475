"""Surfaces: a metric over the grid of round-trip times and buffers, as the papers plot them."""

from __future__ import annotations

import polars as pl

SCENARIO = ["scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp", "bottleneck_bps"]


def surface_table(cells: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Put the cells of a data set on the grid.

    Args:
        cells: the table `cell`.
        runs: the table `run`.

    Returns:
        The columns of `cell` and of the scenario: role, ccas ('newreno-bic': flow 1, flow 2),
        base_rtt_s, buffer_bdp, bottleneck_bps. Scenarios without an RTT or a buffer have no place.
    """
    scenarios = runs.select(SCENARIO).unique().drop_nulls(["base_rtt_s", "buffer_bdp"])
    return cells.join(scenarios, on="scenario_id").sort(
        "metric", "role", "ccas", "buffer_bdp", "base_rtt_s", "scenario_id"
    )


def surface_summary(surface: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return min, mean, max and standard deviation of the cells' means over each surface.

    These are the four numbers in the captions of on-path-buffering, Figures 3 to 5, and
    ns2-vs-testbed, Figure 4.

    Args:
        surface: result of `surface_table`, several concatenated.
        by: the columns that tell surfaces apart, besides metric, role and ccas.

    Returns:
        by, metric, role, ccas, min, mean, max, stddev (n-1, over cells), n_cells, n_runs (the
        smallest number of repeats in a cell).
    """
    keys = [*by, "metric", "role", "ccas"]
    value = pl.col("mean")
    return (
        surface.sort(*keys, "scenario_id")
        .group_by(keys, maintain_order=True)
        .agg(
            value.min().alias("min"),
            value.mean().alias("mean"),
            value.max().alias("max"),
            value.std().alias("stddev"),
            pl.len().cast(pl.Int64).alias("n_cells"),
            pl.col("n").min().alias("n_runs"),
        )
        .sort(keys)
    )
