"""Ratios in print; and what the paper's text prints, case by case, and what our cells say of it."""

from __future__ import annotations

import math

import polars as pl
from evenflow.evidence.cells import made_of
from evenflow.markdown import NOTHING, number, scientific

from .metrics import HIGH_SPEED

SMALL, LARGE = 0.01, 99.95  # ratios below are printed as powers of ten, above without decimals
INFINITE = "flow 2 starved"


def ratio_text(ratio: float | None) -> str:
    """Return a throughput ratio in print: three digits; of a starved flow, which one it is."""
    if ratio is None:
        return INFINITE
    if ratio == 0:
        return "flow 1 starved"
    if ratio < SMALL:
        return scientific(ratio, 1)
    return f"{ratio:,.0f}" if ratio >= LARGE else f"{ratio:#.3g}"


def ratio_with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a ratio in print with its interval, where there is one; a dash without a ratio."""
    if value is None:
        return NOTHING
    said = ratio_text(value)
    return said if low is None else f"{said} ({ratio_text(low)} to {ratio_text(high)})"


def _majority(cells: pl.DataFrame, limit: float) -> str:
    """Return in how many cells Jain's index of two alike high-speed flows is above `limit`."""
    chosen = cells.filter(pl.col("cca1").is_in(HIGH_SPEED), view="intra").drop_nulls("jfi")
    if chosen.is_empty():
        return f"{NOTHING} (0 cells)"
    n = (chosen["jfi"] > limit).sum()
    said = f"{n} of {len(chosen)} cells; median {number(chosen['jfi'].median(), 2)}"
    return made_of(chosen, said)[0]


def _times(cells: pl.DataFrame, limit: float) -> str:
    """Return the largest ratio of Scalable to a competitor, and in how many cells it is `limit`."""
    chosen = cells.filter(view="inter", cca2="scalable")
    if chosen.is_empty():  # Scalable is flow 2 of all its pairs
        return f"{NOTHING} (0 cells)"
    times = 1 / chosen["ratio"].fill_null(math.inf)
    starved = (times == math.inf).sum()
    largest = "competitor starved" if starved else number(times.max(), 1)
    said = f"{(times >= limit).sum()} of {len(chosen)} cells; largest {largest}"
    return made_of(chosen, said)[0]


# case of published.csv -> words, and what our cells say of it
PRINTED_CASES = {
    "intra-protocol-majority": (
        "Jain's index of two flows of one variant, 'in the majority of cases'",
        _majority,
    ),
    "scalable-vs-others": ("Scalable's throughput over its competitor's, 'at times'", _times),
}
