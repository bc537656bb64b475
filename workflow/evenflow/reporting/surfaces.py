"""Surfaces in numbers and in words: what captions and sentences say of every pairing.

A report's text names variables; pairings that a data set lacks have dashes.
"""

from __future__ import annotations

import polars as pl

from ..congestion_controls import in_order, pairing_name, variant_name
from ..markdown import NOTHING, PRINTED, number, word
from ..statistics.surfaces import matched_ends
from .printed import EQUATION

STATISTICS = ("min", "mean", "max", "stddev")
NO_RUNS = "no runs"
IN_CAPTIONS = {"min": "min", "mean": "mean", "max": "max", "stddev": "standard deviation"}


def summary_variables(summary: pl.DataFrame, printed: pl.DataFrame) -> dict:
    """Return {part: {role: {metric: {pairing: {min, mean, max, stddev, n_cells, n_runs}}}}}.

    Every pairing that the paper printed or that any part has is there for every part and metric,
    with dashes where no run gives it: the text of a report reads on a partly filled grid too.
    """
    measurable = printed.filter(pl.col("part") != EQUATION)
    pairings = pl.concat([t.select("role", "ccas") for t in (summary, measurable)]).unique(
        maintain_order=True
    )
    known = {
        (row["part"], row["role"], row["metric"], row["ccas"]): row
        for row in summary.rows(named=True)
    }
    tree: dict = {}
    for part in summary["part"].unique(maintain_order=True):
        for role, ccas in pairings.sort("role", "ccas").rows():
            for metric, (unit, digits) in PRINTED.items():
                row = known.get((part, role, metric, ccas), {})
                leaf = {
                    s: number(None if row.get(s) is None else row[s] / unit, digits)
                    for s in STATISTICS
                }
                leaf |= {key: str(row.get(key, 0)) for key in ("n_cells", "n_runs")}
                metrics = tree.setdefault(part, {}).setdefault(role, {})
                metrics.setdefault(metric, {})[word(ccas)] = leaf
    return tree


def edge_variables(surface: pl.DataFrame, summary: dict) -> dict:
    """Return the means over the cells at the edges of each surface; see `surfaces.matched_ends`.

    Args:
        surface: the paper's surfaces, with the column part.
        summary: result of `summary_variables`: the surfaces that a report may name.

    Returns:
        {part: {role: {metric: {pairing: {min_rtt, max_rtt, min_buffer, max_buffer}}}}}, strings.
    """
    keys = ["part", "role", "metric", "ccas"]
    surfaces = surface.partition_by(keys, as_dict=True)
    tree: dict = {}
    for part, roles in summary.items():
        for role, metrics in roles.items():
            for metric, pairings in metrics.items():
                unit, digits = PRINTED[metric]
                for name in pairings:
                    cells = surfaces.get((part, role, metric, name.replace("_", "-")))
                    leaf = {}
                    for axis, column in (("rtt", "base_rtt_s"), ("buffer", "buffer_bdp")):
                        ends = None if cells is None else matched_ends(cells, column)
                        for end, value in zip(("min", "max"), ends or (None, None), strict=True):
                            printed = None if value is None else value / unit
                            leaf[f"{end}_{axis}"] = number(printed, digits)
                    of_metric = tree.setdefault(part, {}).setdefault(role, {})
                    of_metric.setdefault(metric, {})[name] = leaf
    return tree


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
    """Return the cells of a surface: '80 cells of 3 runs, 34 of them uncontested'."""
    low, high = row["n_runs"], row["n_runs_max"]
    runs = f"{low}" if low == high else f"{low} to {high}"
    cells = "cell" if row["n_cells"] == 1 else "cells"
    kinds = {"uncontested": row["n_uncontested"], "unsteady": row.get("n_unsteady")}
    said = " and ".join(f"{n} {kind}" for kind, n in kinds.items() if n)
    of_them = f", {said.replace(' ', ' of them ', 1)}" if said else ""
    return f"{row['n_cells']} {cells} of {runs} {'run' if high == 1 else 'runs'}{of_them}"


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


def place_in_words(row: dict) -> str:
    """Return a cell in words: '25 ms, 20 %'."""
    return f"{row['base_rtt_s'] * 1000:g} ms, {row['buffer_bdp'] * 100:g} %"
