"""The table `claim`: what each platform says of the original's sentences and of our findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl
from evenflow.charts.theme import PLATFORM_NAMES, PLATFORMS
from evenflow.claims.cases import with_plan
from evenflow.claims.judge import judge, of_original, outcomes
from evenflow.claims.sentences import claims_of
from evenflow.kit.tables import groups, in_order, named, printed
from evenflow.markdown import NOTHING
from evenflow.papers import paper
from evenflow.schema import Document
from evenflow.statistics.outcomes import OUTCOMES

from . import claims as functions
from .cells import Subject
from .sensitivity import STEADY, WINDOWS

FURTHER = ("swapped", "long")  # data sets of the simulation with views of their own


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
        runs: `pair_metric`, or the same over other parts of the runs; with `late_metric` and
            `long_metric`, whose platform is the simulation.
        parts: platforms.
        rtts_ms, readings: of paper.yml. claims: claims.yml.
        planned: results/planned.csv.
        name: of the paper, in the table's first column.
        confidence, fdr: as for `evenflow.claims.judge.judge`.
    """
    runs = with_plan(runs, planned)
    of = {part: [part, *(FURTHER if part == "simulation" else [])] for part in parts}
    subjects = {
        part: Subject(runs.filter(pl.col("part").is_in(own)), rtts_ms, readings, part)
        for part, own in of.items()
    }
    found = claims_of(claims, readings, vars(functions))
    return judge(name, found, subjects, confidence=confidence, fdr=fdr)


@paper.metric(runs=True)
def claim(
    pair_metric,
    late_metric,
    long_metric,
    parts,
    rtts_of_claims_ms,
    claims,
    readings,
    planned,
    confidence,
    fdr,
    paper_name,
) -> pl.DataFrame:
    """Return what each data set says of each claim."""
    rule = {"name": paper_name, "confidence": confidence, "fdr": fdr, "planned": planned}
    runs = pl.concat([pair_metric, late_metric, long_metric])
    return judged(runs, list(parts), rtts_of_claims_ms, claims, readings, **rule)


# of a run, whatever part of it is averaged: is it another run again, contested, steady?
OF_RUN = ["drops", "drift", "flow_change", "unsteady", "convergence_s"]


def window_outcomes(
    sensitivity: pl.DataFrame,
    metric: pl.DataFrame,
    rtts_ms: list[list[float]],
    claims: Document,
    readings: dict,
    *,
    planned: pl.DataFrame,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Return the outcomes of the original's sentences by platform and part of a run.

    Args:
        sensitivity, metric: the tables `pair_sensitivity` and `pair_metric`.
        rtts_ms, claims, readings, planned, confidence, fdr: as for the table `claim`.

    Returns:
        part, window, claim, sentence, outcome.
    """
    of_run = metric.select("part", "run_id", *OF_RUN)
    sensitivity = sensitivity.join(of_run, on=["part", "run_id"], how="left", maintain_order="left")
    found = []
    for (window,), runs in sensitivity.group_by("window", maintain_order=True):
        rule = {"name": window, "planned": planned, "confidence": confidence, "fdr": fdr}
        table = judged(runs, list(PLATFORMS), rtts_ms, claims, readings, **rule)
        columns = {"part": "subject", "window": "paper"}
        kept = {name: name for name in ("claim", "sentence", "outcome")}
        found.append(outcomes(of_original(table)).select(**columns, **kept))
    return pl.concat(found)


def outcome_table(found: pl.DataFrame, parts: list[str]) -> str:
    """Return how the outcomes of the claims move with the part of a run that is averaged.

    Statements whose outcome moves are named by their number in the scorecard.

    Args:
        found: result of `window_outcomes`.
    """
    number = {key: n for n, key in enumerate(found["claim"].unique(maintain_order=True), 1)}
    default = found.filter(window=STEADY).select("part", "claim", was="outcome")
    both = found.join(default, on=["part", "claim"], maintain_order="left")

    def counts(rows: pl.DataFrame) -> str:
        n = Counter(rows["outcome"].to_list())
        return ", ".join(f"{n[name]} {name}" for name in OUTCOMES if n[name])

    def moved(rows: pl.DataFrame) -> str:
        other = rows.filter(pl.col("outcome") != pl.col("was"))
        said = {name: other.filter(outcome=name)["claim"].to_list() for name in OUTCOMES}
        named = [
            f"{name}: {', '.join(str(number[k]) for k in of)}" for name, of in said.items() if of
        ]
        return "; ".join(named) or NOTHING

    return printed(
        groups(in_order(both, part=parts, window=WINDOWS), "part", "window"),
        {"Platform": named("part", PLATFORM_NAMES)}
        | {"Means over": named("window", WINDOWS)}
        | {"Outcomes": counts, "Statements with a different outcome": moved},
        {},
    )
