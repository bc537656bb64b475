"""Cells that two data sets share, by verdict: numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..congestion_controls import in_order, pairing_name
from ..evidence.cells import made_of
from ..evidence.say import tags_of
from ..markdown import code, markdown_table, number
from ..scalars import scalar
from .sensitivity import by_parameter

TESTED = ("different", "both", "equivalent", "inconclusive")  # verdicts of cells with repeats


def _difference_counts(part: pl.DataFrame) -> dict:
    verdicts = part["verdict"].to_list()
    return {
        "n_cells": str(len(part)),
        "n_significant_printed": str(int(part["significant_printed"].sum())),
        "n_different": str(verdicts.count("different")),
        "n_both": str(verdicts.count("both")),
        "n_equivalent": str(verdicts.count("equivalent")),
        "n_inconclusive": str(verdicts.count("inconclusive")),
        "n_untestable": str(verdicts.count("no variance")),
        "n_single": str(verdicts.count("one run")),
        "n_repeated": str(part["significant_printed"].count()),
        "n_simulation_fairer": str(int((part["d"] > 0).sum())),
        "mean_abs_d": number(scalar(part["d"].abs().mean()), 2),
        "max_abs_d": number(scalar(part["d"].abs().max()), 2),
        "mean_d": number(scalar(part["d"].mean()), 2),
    }


def difference_table(differences: Mapping[str, pl.DataFrame], against: str = "Testbed") -> str:
    """Return the count of verdicts, a row a data set compared with and pairing."""
    rows = []
    for name, table in differences.items():
        for ccas in in_order(table["ccas"].unique(maintain_order=True).to_list()):
            cells = table.filter(pl.col("ccas") == ccas)
            c = _difference_counts(cells)
            keys = ["n_cells", "n_significant_printed", "n_different", "n_both", "n_equivalent"]
            keys += ["n_inconclusive", "n_untestable", "n_single", "mean_abs_d", "max_abs_d"]
            rows.append(
                [code(name), pairing_name(ccas), *made_of(cells, *(c[key] for key in keys))]
            )
    header = [against, "Pairing", "Cells", "W ≥ 0", "Different", "Both", "Equivalent"]
    header += ["Inconclusive", "No variance", "One run", "Mean \\|D\\|", "Max \\|D\\|"]
    return markdown_table(header, rows, numeric_from=2)


def verdict_sensitivity_table(
    parts: Mapping[str, tuple[pl.DataFrame, pl.DataFrame]], against: str = "Testbed"
) -> str:
    """Return how the verdicts on data sets move with the steady state's start.

    Args:
        parts: by the name of the data set compared with, the difference table and the same for
            other starts, with parameter and value.
    """
    rows = []
    cell = ["ccas", "bottleneck_bps", "base_rtt_s", "buffer_bdp"]
    for name, (default, moved) in parts.items():
        known = default.select(
            *cell, *tags_of(default), was="verdict", was_printed="significant_printed"
        )
        both = moved.join(known, on=cell).with_columns(
            (pl.col("verdict") != pl.col("was")).alias("changed"),
            (pl.col("significant_printed") != pl.col("was_printed")).alias("changed_printed"),
        )
        counts = both.group_by("parameter", "value", maintain_order=True).agg(
            pl.len().alias("n"),
            pl.col("significant_printed", "changed_printed", "changed").sum(),
            *((pl.col("verdict") == v).sum().alias(v) for v in TESTED),
        )
        of = dict(both.group_by("parameter", "value", maintain_order=True))
        columns = ["n", "significant_printed", "changed_printed", *TESTED, "changed"]
        rows += [
            [
                code(name),
                f"{row['value']} s" if row["value"] else "MSER-5",
                *made_of(
                    of[row["parameter"], row["value"]], *(str(row[column]) for column in columns)
                ),
            ]
            for row in by_parameter(counts)
        ]
    header = [against, "From", "Cells", "W ≥ 0", "W ≥ 0 changes"]
    header += [verdict.capitalize() for verdict in TESTED] + ["Verdict changes"]
    return markdown_table(header, rows, numeric_from=2)
