"""The scorecard of a paper: what the original says, and what our data say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import polars as pl

from ..markdown import NOTHING, markdown_table, number
from ..statistics.outcomes import NOT_TESTABLE, fold
from .claims import outcomes

BAR = re.compile(r"(?<!\\)\|")  # would end a cell of a table


def scorecard(
    claim: pl.DataFrame,
    names: Mapping[str, str],
    figures: Mapping[str, str] | None = None,
    evidence_of: Callable[[pl.DataFrame], str] | None = None,
) -> str:
    """Return the scorecard: a row a claim, a column a subject; a dash where it is not about it.

    Args:
        claim: the table `claim` of the paper.
        names: subject -> its name in print, in the order of the columns.
        figures: label of a figure -> the references to print for it, if not the figure alone.
        evidence_of: gives the words behind an outcome, if not `evidence`: of a claim with many
            cases, their range.
    """
    folded = {(key, subject): said for _, key, subject, _, said in outcomes(claim).rows()}
    rows = []
    for (key,), of_claim in claim.group_by("claim", maintain_order=True):
        row = of_claim.row(0, named=True)
        shown = (figures or {}).get(row["figure"], f"@{row['figure']}" if row["figure"] else "")
        said = {
            subject: f"**{folded[key, subject]}**{(evidence_of or evidence)(of_subject)}"
            for (subject,), of_subject in of_claim.group_by("subject", maintain_order=True)
        }
        asserted = f"{row['statistic']}: {region_in_words(row)}"
        rows.append(
            [
                f"{row['sentence']} ({row['place']})",
                f"{asserted} ({shown})" if shown else asserted,
                *(said.get(subject, NOTHING) for subject in names),
            ]
        )
    rows = [[BAR.sub(r"\\|", cell) for cell in row] for row in rows]
    header = ["The original says", "It asserts", *names.values()]
    return markdown_table(header, rows, numeric_from=len(header))


def in_how_many(of_subject: pl.DataFrame) -> str:
    """Return in how many of several cases a claim has its outcome: ' in 2 of 4'.

    For papers that have a table of their own with the estimates; what is not testable has its
    reason. Arguments as those of `evidence`.
    """
    outcome = fold(of_subject["outcome"].to_list())
    if outcome == NOT_TESTABLE:
        return evidence(of_subject)
    n = len(of_subject)
    return f" in {(of_subject['outcome'] == outcome).sum()} of {n}" if n > 1 else ""


def region_in_words(row: Mapping) -> str:
    """Return the region that a claim asserts: 'at least 0.50 dB', '0.90 to 1.10'."""
    low, high = (_printed(row, row[f"region_{end}"]) for end in ("low", "high"))
    unit = f" {row['unit']}" if row["unit"] else ""
    if low and high:
        return f"{low} to {high}{unit}"
    return f"at least {low}{unit}" if low else f"at most {high}{unit}"


def evidence(of_subject: pl.DataFrame) -> str:
    """Return the estimates of a claim's cases with intervals, outcomes where they differ, reasons.

    Args:
        of_subject: rows of the table `claim` of one claim and subject.
    """
    rows = of_subject.rows(named=True)
    alike = of_subject["outcome"].n_unique() == 1
    said = [_estimate_in_words(row, alike) for row in rows if row["estimate"] is not None]
    reasons = list(dict.fromkeys(row["reason"] for row in rows if row["reason"]))
    nulls = {_null_in_words(row) for row in rows if row["null_estimate"] is not None}
    text = "; ".join([*said, *sorted(nulls)])
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
