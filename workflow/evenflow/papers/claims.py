"""Claims: sentences of an original, what they assert in numbers, and what our data say of it.

So are findings of our own: sentences of a report, which its text is bound to.

A paper lists its `Claim`s and judges them with `judge` in a function under @paper.metric named
`claim`, and so has data/derived/papers/<paper>/claim.parquet: a row a claim, subject and case.
Scorecards and the index read that table; no outcome is read back out of a text. The rule is in
`evenflow.statistics.outcomes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from ..statistics.outcomes import (
    CONTRADICTED,
    NOT_TESTABLE,
    OUTCOMES,
    REPRODUCED,
    Estimate,
    Region,
    estimate,
    fold,
    outcome,
)
from ..statistics.repeats import adjusted

SAID = ("paper", "claim", "subject", "case", "sentence", "place", "statistic", "figure")
NUMBERS = ("estimate", "low", "high", "region_low", "region_high", "factor")
NULL = ("null_estimate", "null_low", "null_high")
SCHEMA = (
    dict.fromkeys((*SAID, "scale", "unit"), pl.String)
    | {"digits": pl.Int64, "n": pl.Int64}
    | dict.fromkeys(NUMBERS, pl.Float64)
    | {"null_n": pl.Int64}
    | dict.fromkeys((*NULL, "p_value", "p_value_bh"), pl.Float64)
    | {"n_needed": pl.Int64, "outcome": pl.String, "reason": pl.String}
)


@dataclass(frozen=True)
class Replicates:
    """What one case of a claim was measured to be.

    values: the statistic of each replicate. null: the same where nothing can be there, () for a
    claim that has no such place. exact: computed, as by a model, and so without an interval. note:
    which cells the replicates are of, or what is missing.
    """

    values: Sequence[float]
    null: Sequence[float] = ()
    exact: bool = False
    note: str = ""


Measured = Mapping[str, Replicates] | str | None


@dataclass(frozen=True)
class Claim:
    """A sentence of an original and what it asserts in numbers.

    key: its name, unique in the paper. place: where the original says it; '' for a finding of our
    own, which is judged like the others and counted apart from them. figure: the label of the
    figure that shows it, '' for none. statistic: what of a replicate is computed, in words. region:
    where it lies if the sentence is true; a bound that is no sign is the smallest difference that
    matters. measure: from a subject (a data set, a platform, whatever the paper tests on) to the
    replicates of each case; why none can be had, in words; or None where the sentence is not about
    that subject. scale: one of `outcomes.SCALES`. unit: in print, in which 1 is `factor` of the
    statistic's. digits: in print.
    """

    key: str
    sentence: str
    place: str
    figure: str
    statistic: str
    region: Region
    measure: Callable[..., Measured]
    scale: str = "linear"
    unit: str = ""
    digits: int = 2
    factor: float = 1.0


def judge(
    paper: str,
    claims: Iterable[Claim],
    subjects: Mapping[str, object],
    *,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Return the table `claim`: a row for each claim, subject that it is about, and case.

    Args:
        subjects: name -> what the claims measure.
        confidence: of the intervals.
        fdr: share of wrong findings among all, over all rows of the paper (Benjamini and Hochberg
            1995).

    Raises:
        ValueError: a replicate that has no place on its claim's scale.
    """
    rows, found = [], []
    for claim in claims:
        for subject, of in subjects.items():
            measured = claim.measure(of)
            if measured is None:
                continue
            if isinstance(measured, str):
                measured = {"": Replicates((), note=measured)}
            for case, replicates in measured.items():
                rows.append(_said(paper, claim, subject, case))
                found.append((claim, replicates, *_estimates(claim, replicates, confidence)))
    p_bh = adjusted(pl.Series("p_value", [each[2].p_value for each in found], pl.Float64))
    for row, p, each in zip(rows, p_bh, found, strict=True):
        row |= _judged(*each, p, fdr)
    return pl.DataFrame(rows, schema=SCHEMA)


def _said(paper: str, claim: Claim, subject: str, case: str) -> dict:
    return {
        "paper": paper,
        "claim": claim.key,
        "subject": subject,
        "case": case,
        "sentence": claim.sentence,
        "place": claim.place,
        "statistic": claim.statistic,
        "figure": claim.figure,
        "scale": claim.scale,
        "unit": claim.unit,
        "digits": claim.digits,
        "factor": claim.factor,
        "region_low": claim.region.low,
        "region_high": claim.region.high,
    }


def _estimates(
    claim: Claim, replicates: Replicates, confidence: float
) -> tuple[Estimate, Estimate]:
    if replicates.exact:
        (value,) = replicates.values
        return Estimate(1, float(value)), Estimate(0)
    return tuple(
        estimate(values, claim.scale, claim.region, confidence)
        for values in (replicates.values, replicates.null)
    )


def _judged(
    claim: Claim,
    replicates: Replicates,
    found: Estimate,
    null: Estimate,
    p_bh: float | None,
    fdr: float,
) -> dict:
    if replicates.exact:
        inside = claim.region.holds(found.estimate)
        said = (REPRODUCED if inside else CONTRADICTED), "computed, not measured: no interval"
    else:
        said = outcome(found, null, claim.region, p_bh is not None and p_bh <= fdr)
    reason = "; ".join(filter(None, (said[1], replicates.note)))
    if found.n == 0 and replicates.note:
        reason = replicates.note
    numbers = asdict(found) | {f"null_{k}": v for k, v in asdict(null).items()}
    kept = {name: value for name, value in numbers.items() if name in SCHEMA}
    return kept | {"p_value_bh": p_bh, "outcome": said[0], "reason": reason}


def outcomes(claim: pl.DataFrame) -> pl.DataFrame:
    """Return one outcome for each claim and subject: paper, claim, subject, sentence, outcome.

    Args:
        claim: the table of `judge`; its order is kept. For several cases see `outcomes.fold`.
    """
    return (
        claim.group_by("paper", "claim", "subject", maintain_order=True)
        .agg(pl.col("sentence").first(), pl.col("outcome"))
        .with_columns(pl.col("outcome").map_elements(fold, return_dtype=pl.String))
    )


def of_original(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the table `claim` that are of sentences of an original."""
    return claim.filter(pl.col("place") != "")


def count_outcomes(claim: pl.DataFrame) -> dict[str, int]:
    """Return {outcome: claims of the original and subjects that have it}, every outcome named."""
    folded = outcomes(of_original(claim))["outcome"]
    return {name: (folded == name).sum() for name in OUTCOMES}


def never(reason: str) -> Callable[..., str]:
    """Return the measure of a sentence that no data of the paper can tell about."""
    return lambda subject: reason


__all__ = [
    "NOT_TESTABLE",
    "Claim",
    "Region",
    "Replicates",
    "count_outcomes",
    "judge",
    "never",
    "of_original",
    "outcomes",
]
