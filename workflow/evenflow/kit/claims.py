"""Claims on the scenarios of a data set: the mean of a metric over some of them.

    @paper.claim
    def unfair(said):
        return mean_of(said, "jfi")

    @paper.metric(runs=True)
    def claim(run, run_metric, claims, readings, parts, confidence, fdr, paper_name):
        rule = {"confidence": confidence, "fdr": fdr}
        return judged(paper_name, parts, run, run_metric, claims, readings, globals(), **rule)

`cells` of such a claim is `all`, or a condition on columns of the table `run`:
`base_rtt_s > 0.05 and ccas = 'newreno-bic'`. Papers on grids, variants or models have measures of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from polars.exceptions import ColumnNotFoundError, SQLInterfaceError, SQLSyntaxError

from ..claims.cases import Case, Measured, Part, measurements
from ..claims.judge import judge
from ..claims.sentences import Sentence, claims_of
from ..errors import did_you_mean
from ..metrics.catalogue import METRICS
from ..places import page
from ..schema import Document
from ..statistics.steady import FLOWS, USE, is_unsteady
from ..statistics.stratified import Cell, Key, Quantity, cell

SHOWN = 3  # scenarios that a note names
OF_USE = ("utilisation",)  # metrics of what all flows carry; the others are of each flow


class Runs(NamedTuple):
    """The runs of a data set: the columns of `run` and `run_metric`; the paper's name for it."""

    table: pl.DataFrame
    part: str


def mean_of(said: Sentence, metric: str) -> Callable[[Runs], Measured]:
    """Return the measure: the mean of a metric of runs over the scenarios of a claim.

    Each scenario counts once, whatever the number of its runs. Where one has no value, as one in
    which nothing was carried, the claim is not judged: of the others alone it would say more than
    was measured. Of roles without any value, as calibrations of an NRU, nothing is asked.

    Raises:
        DataError: there is no such metric, or it is a ratio: it has no mean where a flow starves.
    """
    known = METRICS.get(metric)
    if known is None or known.grain != "run":
        names = [name for name, of in METRICS.items() if of.grain == "run"]
        raise said.wrong(f"{metric!r} is not a metric of runs", did_you_mean(metric, names))
    if known.scale == "log":
        remedy = f"write a function of your own ({page('guides/writing-a-paper.md')})"
        raise said.wrong(f"{metric!r} is a ratio, which has no mean where a flow starves", remedy)
    least = known.least if isinstance(known.least, float) else None
    resolution = known.factor * 10.0**-known.digits
    quantity = Quantity(metric, resolution=resolution, least=least, most=known.most)

    def measure(subject: Runs) -> Measured:
        runs = _asked(said, subject.table)
        known = runs.drop_nulls(metric)
        if known.is_empty():
            return "no run of the data set has it in these cells"
        runs = runs.join(known, on="role", how="semi", nulls_equal=True, maintain_order="left")
        without = runs.join(known, on="scenario_id", how="anti", maintain_order="left")
        if not without.is_empty():
            return {"": Case(note=_without_a_value(metric, runs, without))}
        cells = _cells(known, metric, subject.part)
        note = ""
        if n := len(runs) - len(known):
            note = f"{metric} has no value in {n} of {len(runs)} runs"

        def mean(means: Mapping) -> float:
            return float(np.mean([means[key][0] for key in cells]))

        return {"": Case({"": Part(mean)}, cells, [quantity], said.quantifier, note=note)}

    return measure


def _without_a_value(metric: str, runs: pl.DataFrame, without: pl.DataFrame) -> str:
    """Return which scenarios of some runs have no value: those of the runs `without`."""
    n = runs["scenario_id"].n_unique()
    names = without["scenario_id"].unique().sort().to_list()
    listed = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    return f"{metric} has no value in {len(names)} of {n} scenarios: {listed}"


def _asked(said: Sentence, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs that the `cells` of a claim are of."""
    if said.cells == "all":
        return runs
    try:
        return runs.filter(pl.sql_expr(said.cells))
    except (ColumnNotFoundError, SQLInterfaceError, SQLSyntaxError) as error:
        remedy = f"write `all`, or a condition on columns of `run`: {', '.join(runs.columns)}"
        raise said.wrong(f"{said.cells!r}: {error}", remedy) from error


def _cells(known: pl.DataFrame, metric: str, part: str) -> dict[Key, Cell]:
    unsteady = is_unsteady(USE if metric in OF_USE else FLOWS).alias("unsteady")
    known = known.with_columns(unsteady).sort("scenario_id", "run_id")
    return {
        mine["scenario_id"][0]: cell(
            mine.select(metric).rows(),
            measurements(mine.select(*METRICS.keys() & set(mine.columns))),
            runs=tuple(f"{part}/{run}" for run in mine["run_id"]),
            unsteady=mine["unsteady"].to_list(),
        )
        for mine in known.partition_by("scenario_id", maintain_order=True)
    }


def judged(
    paper: str,
    parts: Mapping[str, str],
    run: pl.DataFrame | Mapping[str, pl.DataFrame],
    run_metric: pl.DataFrame | Mapping[str, pl.DataFrame],
    claims: Document,
    readings: Mapping,
    functions: Mapping[str, object],
    *,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Return the table `claim`: what each data set of a paper says of the claims of claims.yml.

    Args:
        parts, run, run_metric, claims, readings, confidence, fdr: as a paper's functions have them.
        functions: of the module with the functions under @paper.claim: its `globals()`.
    """
    subjects = {}
    for part in parts:
        runs, metrics = (
            of if isinstance(of, pl.DataFrame) else of[part] for of in (run, run_metric)
        )
        table = runs.join(metrics, on="run_id", how="left", maintain_order="left")
        subjects[part] = Runs(table, part)
    found = claims_of(claims, readings, functions)
    return judge(paper, found, subjects, confidence=confidence, fdr=fdr)
