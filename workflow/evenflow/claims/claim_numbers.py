"""The numbers of claims in a paper's text: a branch of its _variables.yml."""

from __future__ import annotations

import polars as pl

from ..evidence.say import Said, count, nothing, say
from ..markdown import word
from ..statistics.outcomes import OUTCOMES, REPRODUCED
from .judge import NULL_MOVES, count_outcomes, of_original

PREFIXES = {"value": "", "null": "null_", "contrast": "contrast_", "steady": "steady_"}


def estimate(row: pl.DataFrame, prefix: str = "", unit: bool = True) -> Said:
    """Return the estimate of a row of the table `claim`: '2.05 dB (2.03 to 2.07)'; or a dash.

    Args:
        row: one row, or none.
        prefix: '' for the claim's own, 'null_', 'contrast_', or 'steady_' for that of steady cells.
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
        of: {subject: {claim: outcome}}; value, null, contrast, steady: {subject: {claim: {case:
        estimate with interval and unit}}}, 'all' for a claim of one case; holds: the same with in
        how many of its parts a case holds, '5 of 7'; count: {subject: {outcome: n}} of
        claims of the original; n: these claims; n_rows: cases, of findings of our own too;
        n_judged: of them; n_with_null: cases with a control; n_null_matters: of them those whose
        control is not within what matters of nothing; n_null_moves: those that it leaves
        undecided; n_provisional: verdicts on fewer runs than planned, or on borrowed variance;
        least_n: runs of a cell of what is reproduced. Names with underscores.
    """
    of: dict = {}
    for key, subject in claim.select("claim", "subject").unique(maintain_order=True).rows():
        rows = claim.filter(claim=key, subject=subject)
        of.setdefault(subject, {})[_name(key)] = say(rows, "folded")
    trees: dict[str, dict] = {name: {} for name in (*PREFIXES, "holds")}
    for i, row in enumerate(claim.rows(named=True)):
        case = _name(row["case"].lower()) or "all"
        for name, tree in trees.items():
            holds = nothing() if row["of"] is None else say(claim[i], "{holds} of {of}")
            said = holds if name == "holds" else estimate(claim[i], PREFIXES[name])
            of_subject = tree.setdefault(row["subject"], {})
            of_subject.setdefault(_name(row["claim"]), {})[case] = said
    original = of_original(claim)
    with_null = claim.drop_nulls("null_estimate")
    reproduced = claim.filter(pl.col("outcome") == REPRODUCED)
    return {
        "of": of,
        **trees,
        "count": {
            subject: outcome_numbers(original.filter(subject=subject))
            for subject in claim["subject"].unique(maintain_order=True)
        },
        "n": say(
            original, pl.col("claim").n_unique(), words="sentences of the original that are tested"
        ),
        "n_rows": count(claim, words="cases of all sentences and findings"),
        "n_judged": say(claim, pl.col("p_value").count(), words="cases that are judged"),
        "n_with_null": count(with_null, words="cases that have a control"),
        "n_null_matters": count(
            with_null, pl.col("null_matters"), words="cases whose control is not nothing"
        ),
        "n_null_moves": count(
            with_null,
            pl.col("why") == NULL_MOVES,
            words="cases that their control leaves undecided",
        ),
        "n_provisional": count(
            claim, pl.col("provisional"), words="verdicts on fewer runs than planned"
        ),
        "least_n": say(reproduced, pl.col("n").min(), words="fewest runs of a cell")
        if len(reproduced)
        else nothing(),
    }


def outcome_counts(claim: pl.DataFrame) -> str:
    """Return how many claims of the original have which outcome: '3 reproduced, 1 opposite'."""
    counts = count_outcomes(claim)
    return ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])


def _name(text: str) -> str:
    return word(text.replace(" – ", "-")).replace(" ", "_")
