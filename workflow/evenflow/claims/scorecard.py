"""The scorecard of a paper: what the original says, and what our data say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import polars as pl

from ..markdown import NOTHING, markdown_table
from ..statistics.outcomes import NOT_JUDGED, NOT_TESTABLE, REPRODUCED
from .judge import folded, of_original, outcomes
from .words import evidence, qualities, region_in_words

BAR = re.compile(r"(?<!\\)\|")  # would end a cell of a table


def scorecard(
    claim: pl.DataFrame,
    names: Mapping[str, str],
    figures: Mapping[str, str] | None = None,
    evidence_of: Callable[[pl.DataFrame], str] | None = None,
) -> str:
    """Return the scorecard: a row a claim, a column a subject; a dash where it is not about it.

    Args:
        claim: the table `claim` of the paper; findings of our own are left out.
        names: subject -> its name in print, in the order of the columns.
        figures: label of a figure -> the references to print for it, if not the figure alone.
        evidence_of: gives the words behind an outcome, if not `evidence`: of a claim with many
            cases, their range.
    """
    of_claims = {(key, subject): said for _, key, subject, _, said in outcomes(claim).rows()}
    rows = []
    for (key,), of_claim in of_original(claim).group_by("claim", maintain_order=True):
        row = of_claim.row(0, named=True)
        shown = (figures or {}).get(row["figure"], f"@{row['figure']}" if row["figure"] else "")
        said = {
            subject: f"**{of_claims[key, subject]}**{(evidence_of or evidence)(of_subject)}"
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
    """Return in how many of several cases a claim holds: ': reproduced in 2 of 4'.

    For papers that have a table of their own with the estimates; what is not testable has its
    reason. Arguments as those of `evidence`.
    """
    outcome = folded(of_subject)
    if outcome in (NOT_TESTABLE, NOT_JUDGED):
        return evidence(of_subject, 1)
    n = len(of_subject)
    counted = (of_subject["outcome"] == REPRODUCED).sum()
    said = [f"reproduced in {counted} of {n}"] if n > 1 else []
    text = ", ".join([*said, *qualities(of_subject)])
    return f": {text}" if text else ""


__all__ = ["evidence", "in_how_many", "region_in_words", "scorecard"]
