"""Headlines of figures: what a figure shows, said only as long as the paper's claims carry it.

They are data, `parameters: headlines:` of paper.yml: of each figure the sentences that may stand
above it, each with the claim that carries it, the outcome that it was written for and, where it is
not of all of them, the data set (`subject`) and the case. A sentence whose claim has another
outcome today is left out; a figure that has none left bears a sentence made of what it draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ..errors import DataError, did_you_mean
from ..statistics.outcomes import OUTCOMES
from .judge import folded
from .words import TRANSIENT, says_transient

FORM = "{says: ..., claim: ..., is: ..., subject: ..., case: ...}, the last two where needed"
NEEDED, KEYS = {"says", "claim", "is"}, ("says", "claim", "is", "subject", "case")


def headline(
    claim: pl.DataFrame,
    headlines: Mapping[str, Sequence[Mapping[str, str]]],
    figure: str,
    otherwise: str,
) -> str:
    """Return the sentences above a figure that its claims carry today, or what is said otherwise.

    Args:
        claim: the table `claim`.
        headlines: of the paper's figures.
        figure: name of the function that draws it.
        otherwise: a sentence that holds whatever the outcomes are.

    Raises:
        DataError: a sentence is not of FORM, of no outcome, or of several data sets.
    """
    said = [sentence for each in headlines.get(figure, ()) if (sentence := carried(claim, each))]
    together = "; ".join(said) or otherwise
    return together[:1].upper() + together[1:]


def carried(claim: pl.DataFrame, sentence: Mapping[str, str]) -> str:
    """Return a sentence if its claim has the outcome that it was written for; else ''.

    What is of a transient is said to be. A claim, data set or case of which there is no run yet
    carries nothing.
    """
    rows = rows_of(claim, sentence)
    if rows.is_empty() or folded(rows) != sentence["is"]:
        return ""
    of_transient = bool(rows["transient"].any()) and not says_transient(sentence["says"])
    return sentence["says"] + (f" (a {TRANSIENT})" if of_transient else "")


def rows_of(claim: pl.DataFrame, sentence: Mapping[str, str]) -> pl.DataFrame:
    """Return the rows of the table `claim` that a sentence rests on, of one data set."""
    if not set(sentence) >= NEEDED or not set(sentence) <= set(KEYS):
        raise DataError(f"paper.yml, headlines: {dict(sentence)}", remedy=f"write {FORM}")
    if sentence["is"] not in OUTCOMES:
        raise DataError(
            f"paper.yml, headlines: no claim can be {sentence['is']!r}",
            remedy=did_you_mean(sentence["is"], OUTCOMES),
        )
    rows = claim
    for key in ("claim", "subject", "case"):
        if key in sentence:
            rows = rows.filter(pl.col(key) == sentence[key])
    if rows["subject"].n_unique() > 1:
        raise DataError(
            f"paper.yml, headlines: {sentence['says']!r} is of several data sets",
            remedy=f"say of which: subject: {rows['subject'].unique().sort().to_list()}",
        )
    return rows
