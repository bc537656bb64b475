"""What the rows of a table `claim` say, in words: estimates, intervals, regions, reasons."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from .markdown import number


def region_in_words(row: Mapping) -> str:
    """Return the region that a claim asserts: 'at least 0.50 dB', '0.90 to 1.10'."""
    low, high = (_printed(row, row[f"region_{end}"]) for end in ("low", "high"))
    unit = f" {row['unit']}" if row["unit"] else ""
    if low and high:
        return f"{low} to {high}{unit}"
    return f"at least {low}{unit}" if low else f"at most {high}{unit}"


def evidence(of_subject: pl.DataFrame, most: int | None = None) -> str:
    """Return the estimates of a claim's cases with intervals, outcomes where they differ, reasons.

    Args:
        of_subject: rows of the table `claim` of one claim and subject.
        most: estimates to name; None for all.
    """
    rows = of_subject.rows(named=True)
    alike = of_subject["outcome"].n_unique() == 1
    said = [_estimate_in_words(row, alike) for row in rows if row["estimate"] is not None]
    if most is not None and len(said) > most:
        said = [*said[:most], f"and {len(said) - most} more"]
    reasons = list(dict.fromkeys(row["reason"] for row in rows if row["reason"]))[:most]
    nulls = {_null_in_words(row) for row in rows if row["null_estimate"] is not None}
    text = "; ".join([*said, *sorted(nulls)[:most]])
    sentences = [f". {reason[0].upper()}{reason[1:]}" for reason in reasons]
    return "".join([f": {text}" if text else "", *sentences])


def _estimate_in_words(row: Mapping, alike: bool) -> str:
    unit = f" {row['unit']}" if row["unit"] else ""
    said = f"{_printed(row, row['estimate'])}{unit}"
    if row["low"] is not None:
        said += f" ({_printed(row, row['low'])} to {_printed(row, row['high'])})"
    said += f", n = {row['n']}"
    if row["n_needed"] is not None:
        said += f" ({row['n_needed']} would decide)"
    if not alike:
        said += f": {row['outcome']}"
    return f"{row['case']} {said}".strip()


def _null_in_words(row: Mapping) -> str:
    return f"null {_printed(row, row['null_estimate'])}"


def _printed(row: Mapping, value: float | None) -> str:
    return "" if value is None else number(value / row["factor"], row["digits"])
