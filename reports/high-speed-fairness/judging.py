"""The table `claim`: what each platform says of the original's sentences and of our findings."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.claims.cases import with_plan
from evenflow.claims.judge import judge
from evenflow.claims.sentences import claims_of
from evenflow.papers import paper
from evenflow.schema import Document

from . import claims as functions
from .cells import Subject


def judged(
    runs: pl.DataFrame,
    parts: list[str],
    rtts_ms: list[list[float]],
    claims: Document,
    readings: Mapping,
    *,
    planned: pl.DataFrame,
    name: str,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Judge all sentences and findings on all platforms, at once: multiplicity is over all.

    Args:
        runs: `pair_metric`, or the same over other parts of the runs.
        parts: platforms.
        rtts_ms, readings: of paper.yml. claims: claims.yml.
        planned: results/planned.csv.
        name: of the paper, in the table's first column.
        confidence, fdr: as for `evenflow.claims.judge.judge`.
    """
    runs = with_plan(runs, planned)
    subjects = {part: Subject(runs.filter(part=part), rtts_ms, readings) for part in parts}
    found = claims_of(claims, readings, vars(functions))
    return judge(name, found, subjects, confidence=confidence, fdr=fdr)


def of_our_own(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of our findings; those of the original's sentences are `of_original`."""
    return claim.filter(place="")


@paper.metric(runs=True)
def claim(
    pair_metric, parts, rtts_of_claims_ms, claims, readings, planned, confidence, fdr, paper_name
) -> pl.DataFrame:
    """Return what each data set says of each claim."""
    rule = {"name": paper_name, "confidence": confidence, "fdr": fdr, "planned": planned}
    return judged(pair_metric, list(parts), rtts_of_claims_ms, claims, readings, **rule)
