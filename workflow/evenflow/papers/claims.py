"""Claims: sentences of an original, how each is tested, and what our data say of it.

A paper lists its `Claim`s, tests them with `judge` in a function under @paper.metric named `claim`,
and so has data/derived/papers/<paper>/claim.parquet: a row a claim and subject. Scorecards and the
index read that table; no verdict is read back out of a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

REPRODUCED, IN_PART = "reproduced", "in part"
NOT_REPRODUCED, NOT_TESTABLE = "not reproduced", "not testable"
OUTCOMES = (REPRODUCED, IN_PART, NOT_REPRODUCED, NOT_TESTABLE)
COLUMNS = ("paper", "claim", "subject", "sentence", "place", "criterion", "figure")
SCHEMA = dict.fromkeys((*COLUMNS, "outcome", "evidence"), pl.String)


class Found(NamedTuple):
    """One of OUTCOMES, and the numbers or the reason in words (markdown)."""

    outcome: str
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of an original and how it is tested.

    key: its name, unique in the paper. place: where the original says it. criterion: how we read
    it. figure: the label of the figure that shows it, '' for none. test: from a subject (a data
    set's cells, a link, whatever the paper tests on) to what is found; None: the sentence is not
    about that subject.
    """

    key: str
    sentence: str
    place: str
    criterion: str
    figure: str
    test: Callable[..., Found | None]


def judge(paper: str, claims: Iterable[Claim], subjects: Mapping[str, object]) -> pl.DataFrame:
    """Return the table `claim`: a row for each claim and subject that it is about.

    Args:
        subjects: name -> what the tests take.
    """
    rows = []
    for claim in claims:
        for subject, tested in subjects.items():
            found = claim.test(tested)
            if found is None:
                continue
            if found.outcome not in OUTCOMES:
                raise ValueError(f"{paper}: {claim.key}: {found.outcome!r} is none of {OUTCOMES}")
            said = (claim.sentence, claim.place, claim.criterion, claim.figure)
            rows.append((paper, claim.key, subject, *said, *found))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def count_outcomes(claim: pl.DataFrame) -> dict[str, int]:
    """Return {outcome: rows of the table `claim` that have it}, every outcome named."""
    return {outcome: (claim["outcome"] == outcome).sum() for outcome in OUTCOMES}
