"""The table `claim`: a row for each claim, subject and case, with its outcome and all reasons.

A paper judges its claims with `judge` in a function under @paper.metric named `claim`, and so has
data/derived/papers/<paper>/claim.parquet. Scorecards, titles, findings and the index read that
table; no outcome and no reason is read back out of a text. The rule is in
docs/explanation/statistics.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from ..errors import DataError, did_you_mean
from ..evidence.runs import LIST, once
from ..statistics.outcomes import (
    CHANGE,
    DECIDED,
    EFFECT,
    INCONCLUSIVE,
    NOT_JUDGED,
    NOT_TESTABLE,
    OUTCOMES,
    REPRODUCED,
    SCALES,
    SOME,
    Assertion,
    Verdict,
    fold,
    folded_p,
    level_of_fold,
    outcome_between,
    verdict,
)
from ..statistics.repeats import adjusted
from ..statistics.stratified import Estimate, Statistic, estimate, runs_needed
from .cases import Case, Claim, Curve, Part, without_unsteady

LEAST_PLANNED = 3
LEAST_POINTS = 5  # of a correlation: of three points it is near 1 for any steep curve

# why an outcome is what it is: the column `why`; '' where the interval says it all
BORDER, NULL_MOVES = "the bound lies within the interval", "the null control shows an effect too"
MULTIPLICITY = "not significant among all claims"
NOT_MONOTONE, FEW_POINTS = "the curve is not monotone", "fewer than five points"
COMPUTED, CASES_DIFFER = "computed, not measured", "its parts are not all decided"

SAID = ("paper", "claim", "subject", "case", "sentence", "place", "statistic", "cells", "figure")
ENDS = ("estimate", "low", "high")
CONTROL = tuple(f"{of}_{end}" for of in ("null", "contrast") for end in ENDS)
STEADY = tuple(f"steady_{end}" for end in ENDS)
SCHEMA = (
    dict.fromkeys((*SAID, "scale", "unit"), pl.String)
    | {"digits": pl.Int64, "factor": pl.Float64}
    | {"kind": pl.String, "quantifier": pl.String, "sign": pl.Int64}
    | dict.fromkeys(("delta", "at_least", "at_most"), pl.Float64)
    | dict.fromkeys(("n", "n_most", "planned", "n_cells", "n_borrowed"), pl.Int64)
    | dict.fromkeys((*ENDS, "df", *CONTROL, "p_value", "p_value_bh"), pl.Float64)
    | {"n_needed": pl.Int64, "sure": pl.String, "misfit": pl.Float64}
    | {"part": pl.String, "holds": pl.Int64, "of": pl.Int64}
    | dict.fromkeys(("lacking", "two_state", "note"), pl.String)
    | dict.fromkeys(("provisional", "exploratory", "null_matters", "transient"), pl.Boolean)
    | dict.fromkeys(("n_unsteady", "n_places"), pl.Int64)
    | dict.fromkeys(STEADY, pl.Float64)
    | dict.fromkeys(("steady_range", "steady_outcome"), pl.String)
    | {"outcome": pl.String, "why": pl.String, "null_is": pl.String}
    | {"folded": pl.String}
)
# lists of runs (`evidence.runs`): of the part that a row shows, of its control, of both, without
# what is not steady; and of all parts, which the outcome is folded of
OF_ALL_PARTS = "runs_folded,outcome,p_value,holds,of,why,n_unsteady,n_places,provisional,transient"
RUNS = dict.fromkeys(("runs", "runs_null", "runs_contrast", "runs_steady", OF_ALL_PARTS), LIST)


@dataclass(frozen=True)
class _Found:
    """One part of a case, judged."""

    name: str
    raw: Estimate
    null: Estimate | None
    contrast: Estimate | None
    said: Verdict
    why: str = ""
    needed: int | None = None
    misfit: float | None = None
    null_matters: bool | None = None
    null_is: str = ""


def judge(
    paper: str,
    claims: Iterable[Claim],
    subjects: Mapping[str, object],
    *,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Return the table `claim`: a row for each claim, subject that it is about, and case.

    Its last columns are lists of the runs that a row was computed from.

    Args:
        subjects: name -> what the claims measure.
        confidence: of the intervals.
        fdr: share of wrong findings among all that are judged (Benjamini and Hochberg 1995); the
            original's sentences and findings of our own are two families.

    Raises:
        DataError: a claim names a subject that is not there; with the nearest name.
    """
    rows = []
    claims = list(claims)
    named = dict.fromkeys(subject for claim in claims for subject in claim.subjects)
    for unknown in (subject for subject in named if subject not in subjects):
        problem = f"there is no subject {unknown!r} for a claim to be judged on"
        raise DataError(problem, path=f"{paper}/claims.yml", remedy=did_you_mean(unknown, subjects))
    for claim in claims:
        for subject in claim.subjects or (each for each in subjects if each not in named):
            measured = claim.measure(subjects[subject])
            if measured is None:
                continue
            if isinstance(measured, str):
                row = _said(paper, claim, subject, "") | {"note": measured}
                rows.append(row | {"outcome": NOT_TESTABLE, "n": 0})
                continue
            for case, of_case in measured.items():
                level = level_of_fold(confidence, len(measured), claim.quantifier)
                row = _said(paper, claim, subject, case)
                rows.append(row | _row(claim, of_case, level) | _without(claim, of_case, level))
    table = pl.DataFrame(rows, schema={**SCHEMA, **RUNS})
    return _among_all(table, fdr)


def _said(paper: str, claim: Claim, subject: str, case: str) -> dict:
    asserted = claim.asserts
    bounds = {"at_least": asserted.low, "at_most": asserted.high}
    if asserted.kind == EFFECT:
        nothing = 1.0 if claim.scale == "log" else 0.0
        end = asserted.size if asserted.sign > 0 else None
        other = None
        if asserted.sign < 0:
            other = 1 / asserted.size if nothing else -asserted.size
        bounds = {"at_least": end, "at_most": other}
    return {
        "paper": paper,
        "claim": claim.key,
        "subject": subject,
        "case": case,
        "sentence": claim.sentence,
        "place": claim.place,
        "statistic": claim.statistic,
        "cells": claim.cells,
        "figure": claim.figure,
        "scale": claim.scale,
        "unit": claim.unit,
        "digits": claim.digits,
        "factor": claim.factor,
        "kind": asserted.kind,
        "quantifier": claim.quantifier,
        "sign": asserted.sign,
        "delta": asserted.delta,
        **bounds,
        "part": "",
        "lacking": "",
        "two_state": "",
        "note": "",
        "why": "",
        "sure": "",
        "exploratory": not (claim.place or claim.before_runs),
        "provisional": False,
        "transient": False,
        "steady_range": "",
        "steady_outcome": "",
        "null_is": "",
    }


def _row(claim: Claim, case: Case, confidence: float) -> dict:
    """Return what was found of a case, in the statistic's unit, before multiplicity."""
    if case.value is not None:
        value = float(SCALES[claim.scale][0](case.value))
        return {
            "outcome": outcome_between(value, value, claim.asserts.on(claim.scale)),
            "why": COMPUTED,
            "estimate": float(case.value),
            "n": 1,
            "note": case.note,
        }
    if not case.parts:
        return {"outcome": NOT_JUDGED, "n": 0, "note": case.note}
    level = level_of_fold(confidence, len(case.parts), case.quantifier)
    found = [_judged(name, part, claim, case, level) for name, part in case.parts.items()]
    outcome = fold([each.said.outcome for each in found], case.quantifier)
    shown = _shown(found, outcome, case.quantifier)
    return _in_columns(shown, claim, case) | {
        "outcome": outcome,
        "why": shown.why if shown.said.outcome == outcome else CASES_DIFFER,
        "p_value": folded_p([each.said.p for each in found], case.quantifier)
        if outcome != NOT_JUDGED
        else None,
        "part": shown.name,
        OF_ALL_PARTS: once(run for each in found for run in _runs_of(each.raw, each.contrast)),
        "holds": sum(each.said.outcome == REPRODUCED for each in found),
        "of": len(found),
    }


def _without(claim: Claim, case: Case, confidence: float) -> dict:
    """Return what was found of a case without what is not steady, beside what was with it."""
    steady = case.steady or without_unsteady(case)
    if steady is None:
        return {}
    found = {
        "n_unsteady": steady.n_out,
        "n_places": steady.of,
        "transient": steady.is_of_transient,
    }
    if not steady.n_out:
        return found
    left = _row(claim, steady.case, confidence)
    ends = {name: left.get(end) for name, end in zip(STEADY, ENDS, strict=True)}
    more = {"runs_steady": left.get(OF_ALL_PARTS)}
    return found | ends | {"steady_range": steady.span, "steady_outcome": left["outcome"]} | more


def _judged(name: str, part: Part, claim: Claim, case: Case, confidence: float) -> _Found:
    """Judge one statistic, raw and less its control: the outcome is what both say."""
    to = SCALES[claim.scale][0]

    def on_scale(statistic):
        def scaled(means):
            value = statistic(means)
            with np.errstate(all="ignore"):
                return None if value is None else float(to(value))

        return scaled

    asserted = claim.asserts.on(claim.scale)
    raw_statistic = on_scale(part.statistic)

    def estimated(statistic: Statistic) -> Estimate:
        return estimate(
            case.cells, statistic, case.quantities, confidence=confidence, paired=case.paired
        )

    raw = estimated(raw_statistic)
    null = contrast = None
    if part.control is not None and asserted.kind in (EFFECT, CHANGE):
        nothing = on_scale(part.control)
        null = estimated(nothing)

        def less_nothing(means):
            values = raw_statistic(means), nothing(means)
            return None if None in values else values[0] - values[1]

        contrast = estimated(less_nothing)
    said, why = _verdict(raw, contrast, asserted)
    if not raw.problem:
        if part.points is not None and part.points < LEAST_POINTS:
            said, why = Verdict(NOT_JUDGED), FEW_POINTS
        elif part.curve and asserted.delta and not _is_monotone(part.curve, case, asserted):
            said, why = Verdict(NOT_JUDGED), NOT_MONOTONE
    needed = None
    if why in (BORDER, NULL_MOVES):
        of = raw if contrast is None or why == BORDER else contrast
        needed = runs_needed(of, lambda e: verdict(e, asserted).outcome in DECIDED, confidence)
    matters = None
    if null is not None and null.value is not None:
        matters = not (-asserted.size < (null.low if null.low is not None else null.value))
        matters |= not ((null.high if null.high is not None else null.value) < asserted.size)
    misfit = None
    if part.misfit is not None and raw.value is not None:
        misfit = part.misfit({key: of.mean for key, of in case.cells.items()})
        misfit = None if misfit is None else float(misfit)
    is_ = part.control_is if null is not None else ""
    return _Found(name, raw, null, contrast, said, why, needed, misfit, matters, is_)


def _is_monotone(curve: Curve, case: Case, asserted: Assertion) -> bool:
    """Return whether a curve goes one way, but for steps back that are smaller than what matters.

    Steps are of any two places in order, not of neighbours alone.
    """
    y = np.asarray(curve({key: of.mean for key, of in case.cells.items()}))
    way = 1.0 if y[-1] >= y[0] else -1.0
    back = np.maximum.accumulate(way * y) - way * y
    return bool(np.max(back) <= asserted.size)


def _verdict(raw: Estimate, contrast: Estimate | None, asserted: Assertion) -> tuple[Verdict, str]:
    if raw.problem:
        return Verdict(NOT_JUDGED), raw.problem
    if contrast is not None and contrast.problem:
        return Verdict(NOT_JUDGED), contrast.problem
    said = verdict(raw, asserted)
    if contrast is None:
        return said, BORDER if said.outcome == INCONCLUSIVE else ""
    less_null = verdict(contrast, asserted)
    p = max((p for p in (said.p, less_null.p) if p is not None), default=None)
    if said.outcome == less_null.outcome:
        return Verdict(said.outcome, p, said.sure), BORDER if said.outcome == INCONCLUSIVE else ""
    why = NULL_MOVES if said.outcome in DECIDED else BORDER
    return Verdict(INCONCLUSIVE, p, said.sure), why


def _shown(found: list[_Found], outcome: str, quantifier: str) -> _Found:
    """Return the part that the row shows: of those with its outcome, the one nearest to another.

    Of a sentence on all that does not hold: the one that is surest not to; of one on some the
    surest.
    """
    of_outcome = [each for each in found if each.said.outcome == outcome]
    if not of_outcome:
        decided = [e for e in found if e.said.outcome in DECIDED and e.said.outcome != REPRODUCED]
        of_outcome = decided or [e for e in found if e.said.outcome == INCONCLUSIVE] or found
        return min(of_outcome, key=lambda each: 1.0 if each.said.p is None else each.said.p)
    pick = min if quantifier == SOME or outcome != REPRODUCED else max
    return pick(of_outcome, key=lambda each: 1.0 if each.said.p is None else each.said.p)


def _in_columns(shown: _Found, claim: Claim, case: Case) -> dict:
    back = SCALES[claim.scale][1]

    def ends(of: Estimate | None, prefix: str) -> dict:
        values = (None, None, None) if of is None else (of.value, of.low, of.high)
        return {
            f"{prefix}{name}": None if value is None else float(back(value))
            for name, value in zip(ENDS, values, strict=True)
        }

    raw = shown.raw
    both = [of for of in (raw, shown.contrast) if of is not None]
    borrowed = {key for of in both for key in of.borrowed} if raw.error is not None else set()
    lacking = dict.fromkeys(key for of in both for key in of.lacking)
    two = dict.fromkeys(key for of in both for key in of.two_state)
    planned, unplanned = _planned(raw, case)
    note = f"no plan of {len(unplanned)} cells" if unplanned else ""
    return {
        **ends(raw, ""),
        **ends(shown.null, "null_"),
        **ends(shown.contrast, "contrast_"),
        "n": raw.n,
        "n_most": raw.n_most,
        "planned": planned,
        "n_cells": len(raw.cells),
        "n_borrowed": len(borrowed),
        "df": raw.df,
        "n_needed": shown.needed,
        "sure": shown.said.sure,
        "misfit": shown.misfit,
        "lacking": "; ".join(map(case.name, lacking)),
        "two_state": "; ".join(map(case.name, two)),
        "note": "; ".join(filter(None, (case.note, note))),
        "provisional": raw.error is not None and (_falls_short(raw, case) or bool(borrowed)),
        "null_matters": shown.null_matters,
        "null_is": shown.null_is,
        "runs": _runs_of(raw),
        "runs_null": _runs_of(shown.null),
        "runs_contrast": _runs_of(shown.contrast),
    }


def _runs_of(*estimates: Estimate | None) -> list[str]:
    return once(run for of in estimates if of is not None for run in of.runs)


def _planned(found: Estimate, case: Case) -> tuple[int, list]:
    """Return how many runs of a cell were planned at least, and the cells without a plan.

    Cells of which some have a plan: runs that nobody plans are judged by LEAST_PLANNED.
    """
    plans = {key: case.cells[key].planned for key in found.moving or found.cells}
    known = [n for n in plans.values() if n is not None]
    unplanned = [key for key, n in plans.items() if n is None] if known else []
    return min(known, default=LEAST_PLANNED), unplanned


def _falls_short(found: Estimate, case: Case) -> bool:
    """Return whether a cell that moves an estimate has fewer runs than planned, or than three."""
    cells = [case.cells[key] for key in found.moving]
    least = [max(LEAST_PLANNED, of.planned or LEAST_PLANNED) for of in cells]
    return any(len(of.values) < n for of, n in zip(cells, least, strict=True))


def _among_all(table: pl.DataFrame, fdr: float) -> pl.DataFrame:
    """Return the table with p-values adjusted over what can be judged, in two families.

    What is decided and does not pass is inconclusive.
    """
    bh = pl.Series("p_value_bh", [None] * len(table), pl.Float64)
    for own in (True, False):
        mine = (table["place"] == "") == own
        p = table.select(pl.when(mine).then("p_value")).to_series()
        bh = pl.select(pl.coalesce(bh, adjusted(p)).alias("p_value_bh")).to_series()
    decided = pl.col("outcome").is_in(DECIDED)
    fails = decided & (pl.col("p_value_bh") > fdr)
    table = table.with_columns(bh).with_columns(
        outcome=pl.when(fails).then(pl.lit(INCONCLUSIVE)).otherwise("outcome"),
        why=pl.when(fails).then(pl.lit(MULTIPLICITY)).otherwise("why"),
    )
    of_all = outcomes(table).select("claim", "subject", of_all="outcome")
    table = table.join(of_all, on=["claim", "subject"], how="left", maintain_order="left")
    return table.with_columns(folded="of_all").drop("of_all")


def outcomes(claim: pl.DataFrame) -> pl.DataFrame:
    """Return one outcome for each claim and subject: paper, claim, subject, sentence, outcome.

    Args:
        claim: the table of `judge`; its order is kept. For several cases see `outcomes.fold`.
    """
    return (
        claim.group_by("paper", "claim", "subject", maintain_order=True)
        .agg(pl.col("sentence", "quantifier").first(), pl.col("outcome"))
        .with_columns(
            pl.struct("outcome", "quantifier")
            .map_elements(lambda of: fold(of["outcome"], of["quantifier"]), return_dtype=pl.String)
            .alias("outcome")
        )
        .drop("quantifier")
    )


def folded(rows: pl.DataFrame) -> str:
    """Return the one outcome of rows of one claim and subject, or of some of its cases."""
    return fold(rows["outcome"].to_list(), rows["quantifier"][0])


def of_original(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the table `claim` that are of sentences of an original."""
    return claim.filter(pl.col("place") != "")


def count_outcomes(claim: pl.DataFrame) -> dict[str, int]:
    """Return {outcome: claims of the original and subjects that have it}, every outcome named."""
    found = outcomes(of_original(claim))["outcome"]
    return {name: int((found == name).sum()) for name in OUTCOMES}
