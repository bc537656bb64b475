"""Outcomes alone: a table of some claims, and how many of them have which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.claims.claim_numbers import outcome_numbers
from evenflow.claims.judge import folded, of_original
from evenflow.claims.scorecard import cases_that_hold
from evenflow.evidence.cells import made_of
from evenflow.evidence.say import say
from evenflow.markdown import NOTHING, edited, markdown_table
from evenflow.statistics.outcomes import DECIDED, MIXED, REPRODUCED


def outcome_table(claim: pl.DataFrame, names: dict[str, str]) -> str:
    """Return outcomes alone, as the scorecard has them: a row a claim, a column a subject.

    Of several cases it says in how many the sentence is reproduced.

    Args:
        claim: rows of the claims that the table is about.
        names: subject -> its name in print, in the order of the columns.
    """
    rows = []
    for (_,), of in claim.group_by("claim", maintain_order=True):
        row = of.row(0, named=True)
        cells = [
            made_of(mine, _outcome(mine))[0]
            for mine in (of.filter(subject=subject) for subject in names)
        ]
        rows.append([f"{row['sentence']} ({row['place']})", *cells])
    return _table(["The original says", *names.values()], rows)


def _table(header: list[str], rows: list[list[str]]) -> str:
    rows = [[edited(cell, cell.replace("|", r"\|")) for cell in row] for row in rows]
    return markdown_table(header, rows, numeric_from=len(header))


def _outcome(of_subject: pl.DataFrame) -> str:
    if of_subject.is_empty():
        return NOTHING
    outcome = folded(of_subject)
    counted = cases_that_hold(outcome, of_subject)
    return outcome + (f" ({counted})" if counted else "")


def shape_counts(
    claim: pl.DataFrame, keys: Sequence[str], subjects: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return {subject: {n, and of each outcome how many of the claims `keys` have it}}.

    otherwise: those that are decided and not reproduced.
    """
    tree = {}
    for subject in subjects:
        mine = of_original(claim.filter(pl.col("claim").is_in(keys), subject=subject))
        counts = outcome_numbers(mine)
        other = pl.col("folded").is_in((*DECIDED, MIXED)) & (pl.col("folded") != REPRODUCED)
        tree[subject] = {
            "n": say(mine, pl.col("claim").n_unique(), words="sentences on the shape of surfaces"),
            **counts,
            "otherwise": say(
                mine,
                pl.col("claim").filter(other).n_unique(),
                words="sentences that are decided and not reproduced, all cases of one together",
            ),
        }
    return tree
