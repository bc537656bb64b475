"""Parts of sentences that name every pairing of a surface, whichever a data set has.

A report's text would otherwise name the pairings that it was written about, and be wrong of others.
"""

from __future__ import annotations

import polars as pl

from .congestion_controls import in_order, pairing_name, variant_name
from .markdown import NOTHING, PRINTED, number

NO_RUNS = "no runs"
IN_CAPTIONS = {"min": "min", "mean": "mean", "max": "max", "stddev": "standard deviation"}


def short_name(ccas: str) -> str:
    """Return a pairing's name where flow 1 goes without saying: 'newreno-bic' is 'BIC'."""
    first, *others = ccas.split("-")
    plain = first == "newreno" or set(others) == {first}
    return variant_name(others[-1]) if others and plain else pairing_name(ccas)


def surface_phrases(
    summary: pl.DataFrame, published: pl.DataFrame, metrics: dict[str, str]
) -> dict:
    """Return what captions and sentences say of the surfaces of each part of a paper.

    Args:
        summary: result of `surfaces.surface_summary`.
        published: result of `published.printed_and_measured`.
        metrics: metric to the role of the runs that it is reported of.

    Returns:
        {part: {metric: {caption, means}}}. caption: 'NewReno: min 0.94, mean 1.00, max 1.00,
        standard deviation 0.01 (15 cells of 3 runs); BIC: ...'. means: '1.00 for NewReno (printed
        0.94), 0.66 for BIC'.
    """
    tree: dict = {}
    for part in summary["part"].unique(maintain_order=True):
        for metric, role in metrics.items():
            rows = {
                row["ccas"]: row
                for row in summary.filter(
                    pl.col("part") == part, pl.col("metric") == metric, pl.col("role") == role
                ).rows(named=True)
            }
            order = in_order(list(rows))
            tree.setdefault(part, {})[metric] = {
                "caption": "; ".join(_caption(rows[ccas], metric) for ccas in order) or NO_RUNS,
                "means": ", ".join(_mean(rows[ccas], metric, role, published) for ccas in order)
                or NO_RUNS,
            }
    return tree


def runs_a_cell(row: dict) -> str:
    """Return the cells of a surface and the runs in each: '40 cells of 1 to 3 runs'."""
    low, high = row["n_runs"], row["n_runs_max"]
    runs = f"{low}" if low == high else f"{low} to {high}"
    cells = "cell" if row["n_cells"] == 1 else "cells"
    return f"{row['n_cells']} {cells} of {runs} {'run' if high == 1 else 'runs'}"


def _caption(row: dict, metric: str) -> str:
    values = ", ".join(
        f"{name} {_printed(row[statistic], metric)}" for statistic, name in IN_CAPTIONS.items()
    )
    return f"{short_name(row['ccas'])}: {values} ({runs_a_cell(row)})"


def _mean(row: dict, metric: str, role: str, published: pl.DataFrame) -> str:
    text = f"{_printed(row['mean'], metric)} for {short_name(row['ccas'])}"
    printed = published.filter(
        pl.col("part") == row["part"],
        pl.col("metric") == metric,
        pl.col("role") == role,
        pl.col("ccas") == row["ccas"],
        pl.col("statistic") == "mean",
    )["value"]
    return f"{text} (printed {number(printed[0], PRINTED[metric][1])})" if len(printed) else text


def _printed(value: float | None, metric: str) -> str:
    unit, digits = PRINTED[metric]
    return NOTHING if value is None else number(value / unit, digits)
