"""Tests of the paper's sentences on several surfaces, and on differences of simulation and testbed.

The thresholds are readings of words such as 'fair', not fits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import polars as pl
import scipy  # loads scipy.stats, which takes a second, when it is first used
from evenflow.congestion_controls import in_order, variant_name
from evenflow.markdown import number
from evenflow.papers.surface_tests import (
    BUFFER,
    NO_RUNS,
    RTT,
    TOO_FEW,
    Tested,
    Tests,
    cells_of,
    most,
)

SIGNIFICANT = 0.05  # level of the tests below


def outside_and_inside(where: pl.Expr) -> Callable:
    """Return the summary (mean over the other cells, mean over the cells `where`)."""

    def summary(cells: pl.DataFrame) -> tuple[float, float] | None:
        sides = cells.filter(~where)["mean"].mean(), cells.filter(where)["mean"].mean()
        return None if None in sides else sides

    return summary


def similar_shapes(metric: str, role: str, variants: tuple[str, ...], at_least: float) -> Callable:
    """Test whether the surfaces of every two variants are correlated (Pearson's r over cells)."""

    def test(table: pl.DataFrame) -> Tests:
        found = []
        for one, other in combinations(variants, 2):
            both = cells_of(table, metric, role, one).join(
                cells_of(table, metric, role, other), on=["base_rtt_s", "buffer_bdp"], suffix="_2"
            )
            r = both.select(pl.corr("mean", "mean_2")).item() if len(both) > 2 else None
            if r is not None and r == r:
                name = f"{variant_name(one)} and {variant_name(other)}"
                found.append(Tested(name, f"r = {number(r, 2)}", r >= at_least))
        return found or NO_RUNS

    return test


def flow_2_ahead(variants: tuple[str, ...]) -> Callable:
    """Test whether flow 2 has the higher mean throughput in most cells."""

    def test(table: pl.DataFrame) -> Tests:
        found = []
        for cca in variants:
            first, second = (
                cells_of(table, f"mean_throughput_bps_flow{i}", "comparison", cca) for i in (1, 2)
            )
            both = first.join(second, on=["base_rtt_s", "buffer_bdp"], suffix="_2")
            if len(both):
                pair = len(both.filter(pl.col("mean_2") > pl.col("mean"))), len(both)
                found.append(Tested(variant_name(cca), f"{pair[0]} of {pair[1]}", most(pair)))
        return found or NO_RUNS

    return test


def buffer_moves_both_ways(metric: str, variants: tuple[str, ...]) -> Callable:
    """Test whether, at some RTTs, the largest buffer has the higher value, at others the lower.

    Welch's test of the smallest against the largest buffer at each RTT; p-values are adjusted over
    the RTTs (Benjamini and Hochberg).
    """

    def test(table: pl.DataFrame) -> Tests:
        found = []
        for cca in variants:
            cells = cells_of(table, metric, "comparison", cca)
            if cells.is_empty():
                continue
            ends = [
                cells.filter(pl.col("buffer_bdp") == getattr(cells["buffer_bdp"], end)())
                for end in ("min", "max")
            ]
            both = ends[0].join(ends[1], on="base_rtt_s", suffix="_2")
            both = both.filter(
                pl.col("buffer_bdp") != pl.col("buffer_bdp_2"),
                pl.min_horizontal("n", "n_2") > 1,
                pl.max_horizontal("sd", "sd_2") > 0,
            )
            if both.is_empty():
                continue
            columns = ("mean_2", "sd_2", "n_2", "mean", "sd", "n")
            p = scipy.stats.ttest_ind_from_stats(
                *(both[name].to_numpy() for name in columns), equal_var=False
            ).pvalue
            sure = both.filter(pl.Series(scipy.stats.false_discovery_control(p) <= SIGNIFICANT))
            up = len(sure.filter(pl.col("mean_2") > pl.col("mean")))
            down = len(sure) - up
            words = f"{up} up, {down} down of {len(both)} RTTs"
            found.append(Tested(variant_name(cca), words, up > 0 and down > 0))
        return found or "needs two buffers with repeats"

    return test


# ---- tests on the difference between simulation and testbed -------------------------------------


def share_significant(ccas: str | None = None) -> Callable:
    """Test whether W >= 0 in most cells with repeats, of one pairing or of all."""

    def test(table: pl.DataFrame) -> Tests:
        known = table.drop_nulls("significant_printed")
        if ccas is not None:
            known = known.filter(pl.col("ccas") == ccas)
        pair = int(known["significant_printed"].sum()), len(known)
        return [Tested("", f"{pair[0]} of {pair[1]} cells", most(pair))] if len(known) else TOO_FEW

    return test


def agree_better(where: pl.Expr) -> Callable:
    """Test whether the mean of |D| over the cells `where` is smaller than over the others."""

    def test(table: pl.DataFrame) -> Tests:
        inside = table.filter(where)["d"].abs().mean()
        outside = table.filter(~where)["d"].abs().mean()
        if inside is None or outside is None:
            return TOO_FEW
        words = f"{number(inside, 2)} there, {number(outside, 2)} elsewhere"
        return [Tested("", words, inside < outside)]

    return test


def poor_at_low_corner(table: pl.DataFrame) -> Tests:
    """Test whether |D| in the cells of lowest RTT and buffer is above the average."""
    corner = (RTT.min() == RTT) & (BUFFER.min() == BUFFER)
    inside, average = table.filter(corner)["d"].abs().mean(), table["d"].abs().mean()
    if inside is None or len(table.filter(~corner)) == 0:
        return TOO_FEW
    words = f"{number(inside, 2)} there, {number(average, 2)} on average"
    return [Tested("", words, inside > average)]


def regions_depend_on_variant(table: pl.DataFrame) -> Tests:
    """Test whether pairings agree on which cells differ significantly in most cells, not in all."""
    known = table.drop_nulls("significant_printed")
    pairings = known["ccas"].n_unique()
    cells = (
        known.group_by("base_rtt_s", "buffer_bdp")
        .agg(pl.len().alias("n"), pl.col("significant_printed").sum().alias("yes"))
        .filter(pl.col("n") == pairings)
    )
    if pairings < 2 or cells.is_empty():
        return TOO_FEW
    alike = len(cells.filter((pl.col("yes") == 0) | (pl.col("yes") == pl.col("n"))))
    names = ", ".join(variant_name(c.split("-")[1]) for c in in_order(known["ccas"].unique()))
    words = f"alike in {alike} of {len(cells)} cells ({names})"
    return [Tested("", words, most((alike, len(cells))) and alike < len(cells))]
