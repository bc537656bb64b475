"""Difference surfaces: the simulation against each testbed, with each start of the steady state."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from evenflow.evidence.runs import gathered, run_ref, together
from evenflow.papers import paper
from evenflow.statistics.comparison import index_difference
from evenflow.statistics.comparison import verdict_sensitivity as moved_verdicts
from evenflow.statistics.surfaces import CELL, SURFACE, index_on_the_grid

from .design import SIMULATION, TESTBEDS


def against_testbeds(compare: Callable, **tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return a comparison of the simulation with every testbed, with the column part.

    Args:
        compare: from the tables of the simulation and of a testbed, by name.
        tables: {part: table} by name.
    """
    of = {name: parts[SIMULATION] for name, parts in tables.items()}
    found = []
    for part in TESTBEDS:
        table = compare(of, {name: parts[part] for name, parts in tables.items()})
        found.append(table.select(pl.lit(part).alias("part"), pl.all()))
    return pl.concat(found)


@paper.metric(runs=True)
def difference(run, run_metric, equivalence_margin_jfi, confidence, fdr) -> pl.DataFrame:
    settings = {"margin": equivalence_margin_jfi, "confidence": confidence, "fdr": fdr}
    found = against_testbeds(
        lambda of, against: index_difference(of, against, settings), run=run, run_metric=run_metric
    )
    return with_runs(found, run, run_metric)


def with_runs(found: pl.DataFrame, run: dict, indices: dict) -> pl.DataFrame:
    """Return a comparison of cells with the runs of each, of both sides and together.

    Args:
        found: with part, SURFACE and CELL.
        run, indices: {part: the table `run`; run_id, jfi}.
    """
    place = ["part", *SURFACE, *CELL]
    for side, parts in (("simulation", [SIMULATION] * len(TESTBEDS)), ("testbed", TESTBEDS)):
        runs = pl.concat(
            index_on_the_grid(run[name], indices[name])
            .with_columns(pl.lit(testbed).alias("part"), run=run_ref(name))
            .group_by(place, maintain_order=True)
            .agg(gathered().alias(f"runs_{side}"))
            for testbed, name in zip(TESTBEDS, parts, strict=True)
        )
        found = found.join(runs, on=place, how="left", maintain_order="left")
    return found.with_columns(runs=together("runs_simulation", "runs_testbed"))


@paper.metric(runs=True)
def verdict_sensitivity(run, sensitivity, equivalence_margin_jfi, confidence, fdr) -> pl.DataFrame:
    settings = {"margin": equivalence_margin_jfi, "confidence": confidence, "fdr": fdr}
    found = against_testbeds(
        lambda of, against: moved_verdicts(of, against, settings), run=run, sensitivity=sensitivity
    )
    # each start of the steady state is of the same runs
    indices = {part: of.unique("run_id", maintain_order=True) for part, of in sensitivity.items()}
    return with_runs(found, run, indices)
