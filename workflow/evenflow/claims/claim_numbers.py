"""The numbers of claims in a paper's text: a branch of its _variables.yml."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..markdown import NOTHING, word
from ..papers.say import Said, nothing, say
from ..statistics.outcomes import OUTCOMES, REPRODUCED
from .judge import NULL_MOVES, count_outcomes, of_original, outcomes
from .words import estimate_in_words

PREFIXES = {"value": "", "null": "null_", "contrast": "contrast_"}


def estimate(row: pl.DataFrame, prefix: str = "", unit: bool = True) -> Said:
    """Return the estimate of a row of the table `claim`: '2.05 dB (2.03 to 2.07)'; or a dash.

    Args:
        row: one row, or none.
        prefix: '' for the claim's own, 'null_' or 'contrast_'.
        unit: whether it is named.
    """
    of = row.row(0, named=True) if len(row) else {}
    if of.get(f"{prefix}estimate") is None:
        return nothing()
    text = f"{{{prefix}estimate}}" + (" {unit}" if unit and of["unit"] else "")
    if of[f"{prefix}low"] is not None:
        text += f" ({{{prefix}low}} to {{{prefix}high}})"
    return say(row, text, digits=of["digits"], unit=of["factor"])


def outcome_numbers(claim: pl.DataFrame) -> dict[str, Said]:
    """Return how many claims and subjects have each outcome, all cases of one together.

    Args:
        claim: rows of the table `claim`.

    Returns:
        {outcome: n}, every outcome named, with underscores.
    """
    pair = pl.struct("claim", "subject")
    return {
        _name(outcome): say(
            claim,
            pair.filter(pl.col("folded") == outcome).n_unique(),
            words=f"sentences that are {outcome}, all cases of one together",
        )
        for outcome in OUTCOMES
    }


def claim_variables(claim: pl.DataFrame) -> dict:
    """Return what the text says of the claims.

    Args:
        claim: result of `judge.judge`.

    Returns:
        of: {subject: {claim: outcome}}; value, null, contrast: {subject: {claim: {case: estimate
        with interval and unit}}}, 'all' for a claim of one case; holds: the same with in how many
        of its parts a case holds, '5 of 7'; count: {subject: {outcome: n}} of
        claims of the original; n: these claims; n_rows: cases, of findings of our own too;
        n_judged: of them; n_with_null: cases with a control; n_null_matters: of them those whose
        control is not within what matters of nothing; n_null_moves: those that it leaves
        undecided; n_provisional: verdicts on fewer runs than planned, or on borrowed variance;
        least_n: runs of a cell of what is reproduced. Strings, names with underscores.
    """
    of: dict = {}
    for row in outcomes(claim).rows(named=True):
        of.setdefault(row["subject"], {})[_name(row["claim"])] = row["outcome"]
    trees: dict[str, dict] = {"value": {}, "null": {}, "contrast": {}, "holds": {}}
    for row in claim.rows(named=True):
        case = _name(row["case"].lower()) or "all"
        for name, tree in trees.items():
            of_subject = tree.setdefault(row["subject"], {})
            said = _holds(row) if name == "holds" else _printed(row, PREFIXES[name])
            of_subject.setdefault(_name(row["claim"]), {})[case] = said
    with_null = claim.drop_nulls("null_estimate")
    return {
        "of": of,
        **trees,
        "count": {
            subject: {_name(o): str(n) for o, n in count_outcomes(rows).items()}
            for (subject,), rows in claim.group_by("subject", maintain_order=True)
        },
        "n": str(of_original(claim)["claim"].n_unique()),
        "n_rows": str(len(claim)),
        "n_judged": str(claim["p_value"].count()),
        "n_with_null": str(len(with_null)),
        "n_null_matters": str(with_null["null_matters"].sum()),
        "n_null_moves": str((with_null["why"] == NULL_MOVES).sum()),
        "n_provisional": str(claim["provisional"].sum()),
        "least_n": str(claim.filter(pl.col("outcome") == REPRODUCED)["n"].min() or NOTHING),
    }


def outcome_counts(claim: pl.DataFrame) -> str:
    """Return how many claims of the original have which outcome: '3 reproduced, 1 opposite'."""
    counts = count_outcomes(claim)
    return ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])


def _holds(row: Mapping) -> str:
    return NOTHING if row["of"] is None else f"{row['holds']} of {row['of']}"


def _name(text: str) -> str:
    return word(text).replace(" ", "_")


def _printed(row: Mapping, prefix: str) -> str:
    return NOTHING if row[f"{prefix}estimate"] is None else estimate_in_words(row, prefix)
