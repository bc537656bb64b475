"""The scorecard of a paper: what it says, how that is tested, and what our data say of it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..markdown import NOTHING, markdown_table


def scorecard(
    claim: pl.DataFrame, names: Mapping[str, str], figures: Mapping[str, str] | None = None
) -> str:
    """Return the scorecard: a row a claim, a column a subject; a dash where it is not about it.

    Args:
        claim: the table `claim` of the paper.
        names: subject -> its name in print, in the order of the columns.
        figures: label of a figure -> the references to print for it, if not the figure alone.
    """
    rows = []
    for (_,), of_claim in claim.group_by("claim", maintain_order=True):
        row = of_claim.row(0, named=True)
        shown = (figures or {}).get(row["figure"], f"@{row['figure']}")
        said = {r["subject"]: in_words(r) for r in of_claim.rows(named=True)}
        rows.append(
            [
                f"{row['sentence']} ({row['place']})",
                f"{row['criterion']} ({shown})",
                *(said.get(subject, NOTHING) for subject in names),
            ]
        )
    header = ["The original says", "Criterion", *names.values()]
    return markdown_table(header, rows, numeric_from=len(header))


def in_words(row: Mapping[str, str]) -> str:
    """Return the outcome of a claim with its evidence."""
    return f"**{row['outcome']}**: {row['evidence']}"
