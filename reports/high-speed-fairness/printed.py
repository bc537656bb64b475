"""What the paper's text prints, case by case of published.csv, and what our cells say of it."""

from __future__ import annotations

import math

import polars as pl
from evenflow.evidence.cells import made_of
from evenflow.markdown import NOTHING, number

from .metrics import HIGH_SPEED


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
