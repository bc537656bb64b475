"""Repeats in high-speed-fairness: how runs of a cell differ."""

from __future__ import annotations

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.markdown import number, span_of


def repeat_words(pairs: pl.DataFrame) -> dict[str, str]:
    """Return {part: how the runs of a cell differ, in words}.

    Args:
        pairs: the table `pair_metric`.
    """
    return {part: _repeat_words(pairs.filter(part=part)) for part in PLATFORMS}


def _repeat_words(pairs: pl.DataFrame) -> str:
    cells = pairs.group_by("scenario_id", maintain_order=True).agg(
        pl.len().alias("n"),
        (pl.max("share1") - pl.min("share1")).alias("span"),
        pl.struct("throughput1_bps", "throughput2_bps").n_unique().alias("n_unlike"),
    )
    several = cells.filter(pl.col("n") > 1)
    if several.is_empty():
        return "no cell has more than one run yet"
    median, most = (number(100 * v, 1) for v in (several["span"].median(), several["span"].max()))
    twice = len(several.filter(pl.col("n_unlike") < pl.col("n")))
    same = f"; in {twice} of them a run is another's double" if twice else ""
    return (
        f"in {len(several)} of {len(cells)} cells runs are repeated, {span_of(several['n'])} each; "
        f"the share of flow 1 differs by {median} points between them in the median and {most} at "
        f"most{same}"
    )
