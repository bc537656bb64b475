"""What a claim is, and what is measured of it: cases, each a statistic of cells' means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
import polars.selectors as cs

from ..statistics.outcomes import ALL, Assertion
from ..statistics.stratified import Cell, Key, Quantity, Statistic, asked_of

# from means of cells to the values along an axis, in its order: a trend is judged where it is
# monotone
Curve = Callable[[Mapping[Key, np.ndarray]], Sequence[float]]


@dataclass(frozen=True)
class Part:
    """One statistic of a case, in the statistic's unit.

    control: the same where nothing can be there, of the same cells otherwise; None where the
    sentence has no such place. control_is: what it is of, in words. curve: of a trend, what it is
    the trend of. points: of a correlation, how many it has. misfit: of a fit of ratios, the largest
    factor by which a place lies off it.
    """

    statistic: Statistic
    control: Statistic | None = None
    curve: Curve | None = None
    points: int | None = None
    misfit: Statistic | None = None
    control_is: str = ""


@dataclass(frozen=True)
class Steady:
    """What a case is without what is not steady (`statistics.steady`).

    case: of what is left. n_out, of: places that are left out, of how many that it has. span: what
    is left of its range, in words. loses_end: whether an end of the range is left out.
    """

    case: Case
    n_out: int
    of: int
    span: str = ""
    loses_end: bool = False

    @property
    def is_of_transient(self) -> bool:
        """Return whether the claim is of a transient: a third of it, or an end, is not steady."""
        return self.loses_end or (self.n_out > 0 and 3 * self.n_out >= self.of)


@dataclass(frozen=True)
class Case:
    """What one case of a claim was measured to be.

    parts: by name, the statistics of the case; several are judged each by itself and folded by the
    quantifier: *in every*, *the least*, *both* are no statistics. cells: all that may be asked for.
    quantities: the columns of their values. paired: runs of the same seed are pairs. note: what
    else is to be said, in words: cells that are left out. value: computed, as by a model, instead
    of measured. name: of a cell, in print. steady: the same without the places that are not steady;
    None: parts of unsteady cells are left out (`without_unsteady`).
    """

    parts: Mapping[str, Part] = field(default_factory=dict)
    cells: Mapping[Key, Cell] = field(default_factory=dict)
    quantities: Sequence[Quantity] = ()
    quantifier: str = ALL
    paired: bool = False
    note: str = ""
    value: float | None = None
    name: Callable[..., str] = str
    steady: Steady | None = None


Measured = Mapping[str, Case] | str | None


@dataclass(frozen=True)
class Claim:
    """A sentence of an original and what it asserts in numbers.

    key: its name, unique in the paper. place: where the original says it; '' for a finding of our
    own, which is judged like the others and counted apart from them. figure: the label of the
    figure that shows it, '' for none. statistic: what is computed of the cells' means, in words.
    asserts: what the sentence says of it. measure: from a subject (a data set, a platform,
    whatever the paper tests on) to its cases; why none can be had, in words; or None where the
    sentence is not about that subject. scale: one of `outcomes.SCALES`. unit: in print, in which 1
    is `factor` of the statistic's. digits: in print. quantifier: of the cases that the sentence
    must hold for. cells: that it is of, in words. subjects: that it is about, by name; () for all
    that no claim names. before_runs: whether a finding of our own was written before any
    result of its runs was looked at.
    """

    key: str
    sentence: str
    place: str
    figure: str
    statistic: str
    asserts: Assertion
    measure: Callable[..., Measured]
    scale: str = "linear"
    unit: str = ""
    digits: int = 2
    factor: float = 1.0
    quantifier: str = ALL
    cells: str = ""
    subjects: tuple[str, ...] = ()
    before_runs: bool = False


def asked(case: Case, part: Part) -> list[Key]:
    """Return the cells that a part asks for, its control's too."""
    functions = [part.statistic, *([part.control] if part.control else [])]
    return list(dict.fromkeys(k for each in functions for k in asked_of(case.cells, each)[0]))


def without_unsteady(case: Case) -> Steady | None:
    """Return a case without the parts that ask for a cell that is not steady.

    None where nothing tells what is steady: no cell, none whose runs say it, a computed value.
    """
    if not case.parts or not case.cells:
        return None
    cells_of = {name: asked(case, part) for name, part in case.parts.items()}
    every = set().union(*cells_of.values())
    if all(case.cells[key].unsteady is None for key in every):
        return None
    out = {key for key in every if case.cells[key].unsteady}
    kept = {name: case.parts[name] for name, keys in cells_of.items() if not out & set(keys)}
    return Steady(replace(case, parts=kept), len(out), len(every))


def never(reason: str) -> Callable[..., str]:
    """Return the measure of a sentence that no data of the paper can tell about."""
    return lambda subject: reason


def measurements(runs: pl.DataFrame) -> list[tuple]:
    """Return all numbers of each run: what tells runs of a cell from each other (`cell`).

    Args:
        runs: a row a run. Its number among the repeats and its seed say nothing of what it did.
    """
    return runs.select(cs.numeric().exclude("repeat", "seed").cast(pl.Float64)).rows()


def with_plan(runs: pl.DataFrame, planned: pl.DataFrame) -> pl.DataFrame:
    """Return runs with n_planned: how many of their scenario the plan asks for, null for none.

    Args:
        runs: with dataset_id and scenario_id.
        planned: results/planned.csv: dataset_id, scenario, n_planned.
    """
    asked = planned.select(
        "dataset_id", pl.col("scenario").alias("scenario_id"), pl.col("n_planned").cast(pl.Int64)
    )
    return runs.join(asked, on=["dataset_id", "scenario_id"], how="left", maintain_order="left")
