"""What the rows of a table `claim` say, in words: estimates, intervals, bounds, reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from ..markdown import first_of, number
from ..statistics.outcomes import CHANGE
from ..statistics.stratified import ALONE, AT_BOUND, LACKING, STATES
from .judge import BORDER, CASES_DIFFER, COMPUTED, NULL_MOVES

TRANSIENT = "transient"  # what a claim is of that rests on what is not steady
# in how many words a sentence may say so
NOT_CONVERGED = re.compile(
    r"transients?\b|\bunsteady\b"
    r"|\b(?:not|never|yet to|still to) (?:yet )?converged?\b|\bstill converging\b"
    r"|\b(?:before|until)\b[^.;]{0,40}\bconverged?\b",
    re.IGNORECASE,
)


def says_transient(sentence: str) -> bool:
    """Return whether a sentence says that it is of flows that have not converged."""
    return bool(NOT_CONVERGED.search(sentence))


def region_in_words(row: Mapping) -> str:
    """Return what a claim asserts: 'at least 0.50 dB', '0.90 to 1.10', '0.50 dB either way'."""
    unit = f" {row['unit']}" if row["unit"] else ""
    if row["kind"] == CHANGE:
        return f"{printed(row, row['delta'])}{unit} or more either way"
    low, high = (printed(row, row[end]) for end in ("at_least", "at_most"))
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
    reasons = list(dict.fromkeys(filter(None, map(reason_in_words, rows))))[:most]
    text = "; ".join([*said, *qualities(of_subject)])
    sentences = [f". {reason[0].upper()}{reason[1:]}" for reason in reasons]
    return "".join([f": {text}" if text else "", *sentences])


def qualities(rows: pl.DataFrame) -> list[str]:
    """Return what holds of the verdicts of some rows: transient, provisional, exploratory."""
    decided = rows.drop_nulls("low")
    said = [TRANSIENT] if decided["transient"].any() else []
    if decided["provisional"].any():
        said.append("provisional")
    if decided["exploratory"].any():
        said.append("exploratory")
    return said


def reason_in_words(row: Mapping) -> str:
    """Return why a row has its outcome and what it rests on; '' where the interval says it all."""
    why = row["why"]
    said = [why if why not in (BORDER, COMPUTED, CASES_DIFFER, LACKING, ALONE, STATES) else ""]
    if why == COMPUTED:
        said = ["computed, not measured: no interval"]
    if why == LACKING:
        said = [f"no run yet of {_few(row['lacking'])}"]
    if why == ALONE:
        said = ["too many cells have a single run, and no similar cells to borrow a variance from"]
    if why == AT_BOUND:
        said = ["a cell with a single run is at the end of the range that its metric can have"]
    if why == STATES:
        said = [f"two states: repeats disagree on which flow gets more ({_few(row['two_state'])})"]
    if why == NULL_MOVES:
        said = [NULL_MOVES]
    if row["n_borrowed"]:
        n = row["n_borrowed"]
        said.append(f"{n} {'cell borrows its' if n == 1 else 'cells borrow their'} variance")
    return "; ".join(filter(None, [*said, row["note"]]))


def _few(names: str) -> str:
    """Return the first of the names that a column lists."""
    return first_of(names.split("; "), 3, "; ")


def _estimate_in_words(row: Mapping, alike: bool) -> str:
    said = estimate_in_words(row)
    if of_how_many(row):
        said += f" ({of_how_many(row)})"
    if row["n"] and row["n_cells"]:
        said += f", n = {span_of_runs(row)}"
    if row["misfit"] is not None:
        said += f", {misfit_in_words(row)}"
    if row["n_needed"] is not None:
        said += f" ({row['n_needed']} runs per cell would decide)"
    if row["null_estimate"] is not None and row["contrast_low"] is not None:
        said += f"; minus the null control {_interval(row, 'contrast_')}"
    if row["n_unsteady"]:
        said += f"; {without_unsteady(row)}"
    if not alike:
        said += f": {row['outcome']}"
    return f"{row['case']} {said}".strip()


def without_unsteady(row: Mapping) -> str:
    """Return what a row is without what is not steady: 'without 5 of 15 unsteady cells, ...'."""
    n, of = row["n_unsteady"], row["n_places"]
    if row["steady_estimate"] is None:
        return f"{n} of {of} cells unsteady"
    left = f" ({row['steady_range']} left)" if row["steady_range"] else ""
    ends = _interval(row, "steady_")
    return f"without {n} of {of} unsteady cells{left} {ends}: {row['steady_outcome']}"


def misfit_in_words(row: Mapping) -> str:
    """Return the lack of fit of an exponent: 'up to a factor of 1.6 off the fit'; or ''."""
    if row["misfit"] is None:
        return ""
    return f"up to a factor of {number(row['misfit'], 1)} off the fit"


def of_how_many(row: Mapping) -> str:
    """Return which part of a case an estimate is of, and in how many of them the claim holds."""
    if row["of"] is None or row["of"] < 2:
        return ""
    return f"{row['part']}; holds in {row['holds']} of {row['of']}"


def span_of_runs(row: Mapping) -> str:
    """Return how many runs the cells of a row have: '3', '2 to 5'."""
    n, most = row["n"], row["n_most"]
    return str(n) if n == most or most is None else f"{n} to {most}"


def estimate_in_words(row: Mapping, prefix: str = "") -> str:
    """Return an estimate with its unit and interval: '2.05 dB (2.03 to 2.07)'.

    Args:
        prefix: '' for the claim's own, 'null_' or 'contrast_'.
    """
    return _interval(row, prefix, row["unit"])


def _interval(row: Mapping, prefix: str, unit: str = "") -> str:
    said = printed(row, row[f"{prefix}estimate"]) + (f" {unit}" if unit else "")
    if row[f"{prefix}low"] is not None:
        ends = (printed(row, row[f"{prefix}{end}"]) for end in ("low", "high"))
        said += f" ({' to '.join(ends)})"
    return said


def printed(row: Mapping, value: float | None) -> str:
    """Return a value of a row in its unit, '' for none."""
    return "" if value is None else number(value / row["factor"], row["digits"])
