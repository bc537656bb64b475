"""The one estimator of claims: a function of cells' means, with a stratified jackknife over runs.

Cells (scenarios) are fixed strata: run r of one cell has nothing to do with run r of another. The
variance of a statistic of the cells' means is the sum over cells of the delete-one jackknife's
(Efron and Tibshirani 1993, section 11.5; Jones 1974 for strata), its degrees of freedom are
Satterthwaite's (1946). For a statistic that is linear in the means this is exactly
sum a_c^2 s_c^2 / n_c. Nothing depends on how runs are numbered, and cells may have unequal n.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy  # loads scipy.special when it is first used

from .steady import UNSTEADY_CELL

# A cell of one run has no variance of its own. It may take that of its pool, cells that are like
# it, within these limits: taking one of three runs as alone, a pool of one pairing covers 91 to
# 95 %, a pool of all pairings 74 % in the wildest group (docs/explanation/statistics.md).
LEAST_DONORS, LEAST_DONOR_DF, MOST_BORROWED = 5, 8, 1 / 3
TWOFOLD = float(np.log(2))
LEAST_OF_TWO_STATES = 10  # runs; with three an interval over two states covers 40 %
MOST_NEEDED = 30  # runs of a cell; what needs more lies at the border
NEGLIGIBLE = 1e-9  # share of a statistic's size: what a cell that cancels moves it by

Key = Hashable


@dataclass(frozen=True)
class Quantity:
    """What is measured of a run, on the scale that means are taken on.

    scale: 'linear', 'log' (natural) or 'dB' (10 log10). resolution: the least difference that a
    measurement can show, in the quantity's own unit: one segment a second, 0.001 of an index.
    least, most: ends of its range, on the scale. of_flow: whether it is one flow's, not what two
    flows have in common.
    """

    name: str
    scale: str = "linear"
    resolution: float = 0.0
    least: float | None = None
    most: float | None = None
    of_flow: bool = False

    def least_sd(self, mean: float) -> float:
        """Return the resolution on the scale, at a mean on the scale."""
        if self.scale == "log":
            return self.resolution / float(np.exp(mean))
        if self.scale == "dB":
            return 10 / float(np.log(10)) * self.resolution / 10 ** (mean / 10)
        return self.resolution

    def is_at_bound(self, mean: float) -> bool:
        """Return whether a mean lies within the resolution of an end of the range."""
        ends = [end for end in (self.least, self.most) if end is not None]
        return any(abs(mean - end) <= self.least_sd(mean) for end in ends)


@dataclass(frozen=True)
class Cell:
    """The runs of a cell.

    values: shape (n, quantities), on their scales. pool: name of the group of like cells (the same
    pairing and metrics) whose variance it may borrow; None: it may not. seeds: of the runs, where
    runs of the same seed are pairs. ahead: log of one flow's throughput over the other's in each
    run, shape (n,), where there are two. planned: runs that the plan asks for; None: there is none.
    unsteady: whether half of the runs are (`statistics.steady`); None: nothing tells. runs: which
    they are, 'part/run_id' (`evidence.runs`), those too that are equal to another.
    """

    values: np.ndarray
    pool: Key | None = None
    seeds: tuple = ()
    ahead: np.ndarray | None = None
    planned: int | None = None
    unsteady: bool | None = None
    runs: tuple[str, ...] = ()

    @cached_property
    def mean(self) -> np.ndarray:
        return self.values.mean(axis=0)

    @cached_property
    def has_two_states(self) -> bool:
        """Return whether runs disagree by more than a factor of 2 either way on who is ahead."""
        if self.ahead is None:
            return False
        return bool(np.max(self.ahead) > TWOFOLD and np.min(self.ahead) < -TWOFOLD)


def cell(rows: Sequence[Sequence[float]], measured: Sequence | None = None, **more) -> Cell:
    """Return a cell of its runs' values; runs that are equal in all that was measured are one run.

    Args:
        rows: a row a run.
        measured: of each run, what tells it from others: all that was measured of it, of which a
            claim asks for a part. A flow that starves in every run is the same in all of them, and
            they are several runs all the same.
        more: pool, seeds, ahead, planned, runs of `Cell`; unsteady of each run, None where nothing
            tells.
    """
    values = np.asarray(rows, dtype=float)
    whole = np.asarray(values if measured is None else measured, dtype=float).reshape(len(rows), -1)
    whole = np.where(np.isnan(whole), np.nan, whole + 0.0)  # one way to write nothing, and zero
    kept = sorted({row.tobytes(): i for i, row in reversed([*enumerate(whole)])}.values())
    ahead, seeds = more.pop("ahead", None), more.pop("seeds", ())
    unsteady = more.pop("unsteady", None) or [None] * len(rows)
    known = [unsteady[i] for i in kept if unsteady[i] is not None]
    return Cell(
        values[kept],
        seeds=tuple(seeds[i] for i in kept) if seeds else (),
        ahead=None if ahead is None else np.asarray(ahead, dtype=float)[kept],
        unsteady=sum(known) >= UNSTEADY_CELL * len(known) if known else None,
        **more,
    )


@dataclass(frozen=True)
class Estimate:
    """A statistic of cells' means, on its scale, with its interval and what that rests on.

    low, high, error, df: null where there is no interval; problem says why. n, n_most: runs of the
    cell that has fewest and most. cells: that it asks for. runs: of these cells, and of those that
    lend their variance, 'part/run_id'. moving: of the cells, whose runs move it.
    borrowed: cells that borrow their variance. lacking, two_state: cells that have no run, two
    states. problem: '', or one of LACKING, ALONE, AT_BOUND, STATES, CONSTANT, NO_VALUE, NO_PAIRS.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    df: float | None = None
    n: int = 0
    n_most: int = 0
    cells: tuple[Key, ...] = ()
    runs: tuple[str, ...] = ()
    moving: tuple[Key, ...] = ()
    borrowed: tuple[Key, ...] = ()
    lacking: tuple[Key, ...] = ()
    two_state: tuple[Key, ...] = ()
    problem: str = ""

    def at(self, confidence: float) -> Estimate:
        """Return the same estimate with the interval of another confidence."""
        if self.value is None or self.error is None or self.df is None:
            return self
        half = quantile(self.df, confidence) * self.error
        return replace(self, low=self.value - half, high=self.value + half)


LACKING, ALONE, AT_BOUND = "cells without a run", "cells of one run", "single runs at a bound"
STATES, CONSTANT, NO_VALUE = "two states", "no variance", "no value"
NO_PAIRS = "no seed in common"
Statistic = Callable[[Mapping[Key, np.ndarray]], float | None]


def quantile(df: float, confidence: float) -> float:
    """Return Student's t quantile of a two-sided interval."""
    return float(scipy.special.stdtrit(df, (1 + confidence) / 2))


class _Asked(Mapping):
    """Means of cells that remember which a statistic asked for, and which of them have no run."""

    def __init__(self, cells: Mapping[Key, Cell]):
        self.cells = cells
        self.keys_asked: dict[Key, None] = {}
        self.absent: dict[Key, None] = {}

    def __getitem__(self, key: Key) -> np.ndarray:
        if key in self.cells:
            self.keys_asked[key] = None
            return self.cells[key].mean
        self.absent[key] = None
        # so that the statistic goes on to ask for the others
        return next(iter(self.cells.values())).mean

    def __iter__(self) -> Iterator:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def asked_of(cells: Mapping[Key, Cell], statistic: Statistic) -> tuple[list[Key], list[Key]]:
    """Return the cells that a statistic asks for: those that there are, those without a run.

    Args:
        cells: one at least.
    """
    asked = _Asked(cells)
    statistic(asked)
    return list(asked.keys_asked), list(asked.absent)


def estimate(
    cells: Mapping[Key, Cell],
    statistic: Statistic,
    quantities: Sequence[Quantity],
    *,
    confidence: float = 0.95,
    paired: bool = False,
) -> Estimate:
    """Return a statistic of the cells' means with its interval.

    Args:
        cells: all cells that there are; those of a pool lend their variance even where the
            statistic does not ask for them.
        statistic: from the means of cells, each of shape (quantities,), to a number on the scale
            on which it is judged; None where it has none.
        quantities: the columns of `Cell.values`.
        confidence: of the two-sided interval.
        paired: take runs of the same seed in all cells for pairs; the others are left out.

    """
    if not cells:
        return Estimate(None, problem=LACKING)
    if paired:
        cells = _common_seeds(cells, statistic)
        if not cells:
            return Estimate(None, problem=NO_PAIRS)
    asked = _Asked(cells)
    value = statistic(asked)
    keys, lacking = tuple(asked.keys_asked), tuple(asked.absent)
    runs = [len(cells[key].values) for key in keys]
    found = Estimate(None, cells=keys, lacking=lacking, n=min(runs, default=0))
    found = replace(found, n_most=max(runs, default=0), runs=_runs(cells[key] for key in keys))
    if lacking:
        return replace(found, n=0, problem=LACKING)
    if value is None or not np.isfinite(value):
        return replace(found, problem=NO_VALUE)
    found = replace(found, value=float(value))
    means = {key: cells[key].mean for key in keys}
    jack = _Jackknife(cells, means, statistic, quantities)
    alone = tuple(key for key in keys if len(cells[key].values) == 1 and jack.moves(key))
    own = {key: jack.own(key) for key in keys if len(cells[key].values) > 1}
    own = {key: part for key, part in own.items() if part[0] > 0}
    moving = [key for key in keys if key in own or key in alone]
    two = tuple(key for key in moving if cells[key].has_two_states and jack.follows_a_flow(key))
    counted = [len(cells[key].values) for key in moving or keys]
    found = replace(found, two_state=two, borrowed=alone, n=min(counted), n_most=max(counted))
    found = replace(found, moving=tuple(moving))
    if any(len(cells[key].values) < LEAST_OF_TWO_STATES for key in two):
        return replace(found, problem=STATES)
    if paired:
        parts = jack.paired(moving)
    else:
        problem = _cannot_borrow(cells, means, alone, len(moving), quantities)
        if problem:
            return replace(found, problem=problem)
        parts = [*own.values(), *jack.borrowed(alone)]
        lent = [of for key in alone for of in _donors(cells, cells[key].pool)]
        found = replace(found, runs=_runs([*(cells[key] for key in keys), *lent]))
    variance = sum(v for v, _ in parts)
    if variance <= 0:
        return replace(found, problem=ALONE if found.n < 2 else CONSTANT)
    df = variance**2 / sum(v**2 / f for v, f in parts)
    return replace(found, error=float(np.sqrt(variance)), df=float(df)).at(confidence)


def _common_seeds(cells: Mapping[Key, Cell], statistic: Statistic) -> dict[Key, Cell]:
    """Return the cells with their runs of the seeds that all asked for have, in one order.

    Nothing where there is no such seed; a cell without a run is left to be found lacking.
    """
    asked, _ = asked_of(cells, statistic)
    common = set.intersection(*(set(cells[key].seeds) for key in asked)) if asked else set()
    if not common:
        return {}
    found = dict(cells)
    for key in asked:
        of = cells[key]
        rows = [of.seeds.index(seed) for seed in sorted(common)]
        ahead = None if of.ahead is None else of.ahead[rows]
        seeds = tuple(sorted(common))
        runs = tuple(of.runs[row] for row in rows) if of.runs else ()
        found[key] = replace(of, values=of.values[rows], seeds=seeds, ahead=ahead, runs=runs)
    return found


def _runs(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return the runs of cells, each once."""
    return tuple(dict.fromkeys(run for of in cells for run in of.runs))


def _donors(cells: Mapping[Key, Cell], pool: Key | None) -> list[Cell]:
    if pool is None:
        return []
    return [of for of in cells.values() if of.pool == pool and len(of.values) > 1]


def _cannot_borrow(
    cells: Mapping[Key, Cell],
    means: Mapping[Key, np.ndarray],
    alone: Sequence[Key],
    n_cells: int,
    quantities: Sequence[Quantity],
) -> str:
    """Return why cells of one run may not take the variance of their pool, '' where they may."""
    if not alone:
        return ""
    if len(alone) > MOST_BORROWED * n_cells:
        return ALONE
    for pool in {cells[key].pool for key in alone}:
        donors = _donors(cells, pool)
        freedom = sum(len(of.values) - 1 for of in donors)
        if len(donors) < LEAST_DONORS or freedom < LEAST_DONOR_DF:
            return ALONE
    at_bound = (
        q.is_at_bound(m) for key in alone for q, m in zip(quantities, means[key], strict=True)
    )
    return AT_BOUND if any(at_bound) else ""


class _Jackknife:
    """Variances of a statistic that come of single cells."""

    def __init__(self, cells, means, statistic, quantities):
        self.cells, self.means, self.statistic = cells, means, statistic
        self.quantities = quantities
        self.slopes: dict[tuple[Key, int], float] = {}

    def _with(self, moved: Mapping[Key, np.ndarray]) -> float:
        """Return the statistic with the means of some cells moved."""
        kept = {key: self.means[key] for key in moved}
        self.means.update(moved)
        value = self.statistic(self.means)
        self.means.update(kept)
        return np.nan if value is None else float(value)

    def slope(self, key: Key, j: int) -> float:
        """Return the statistic's slope in the j-th quantity of a cell's mean."""
        if (key, j) not in self.slopes:
            mean = self.means[key]
            step = max(self.quantities[j].least_sd(mean[j]), 1e-6 * max(1.0, abs(mean[j])))
            ends = []
            for side in (step, -step):
                moved = mean.copy()
                moved[j] += side
                ends.append(self._with({key: moved}))
            slope = (ends[0] - ends[1]) / (2 * step)
            self.slopes[key, j] = slope if np.isfinite(slope) else 0.0
        return self.slopes[key, j]

    def moves(self, key: Key) -> bool:
        """Return whether the statistic depends on a cell: weights may cancel."""
        sizes = np.maximum(1.0, np.abs(self.means[key]))
        return any(abs(self.slope(key, j)) * size > NEGLIGIBLE for j, size in enumerate(sizes))

    def follows_a_flow(self, key: Key) -> bool:
        """Return whether the statistic depends on which of two flows has more."""
        of_flow = [j for j, quantity in enumerate(self.quantities) if quantity.of_flow]
        return any(abs(self.slope(key, j)) > NEGLIGIBLE for j in of_flow)

    def own(self, key: Key) -> tuple[float, int]:
        """Return a cell's part of the variance and its degrees of freedom.

        A quantity whose runs agree to less than its resolution makes at least what that does:
        0 comes of a cell that the statistic does not depend on, and of no other that has one.
        """
        x, mean, n = self.cells[key].values, self.means[key], len(self.cells[key].values)
        left = np.array([self._with({key: (n * mean - row) / (n - 1)}) for row in x])
        variance = (n - 1) / n * float(np.sum((left - left.mean()) ** 2))
        size = max(1.0, float(np.max(np.abs(left))))
        if not np.isfinite(variance) or variance < (NEGLIGIBLE * size) ** 2:
            variance = 0.0
        for j, sd in enumerate(x.std(axis=0, ddof=1)):
            least = self.quantities[j].least_sd(mean[j])
            if sd < least:
                variance = max(variance, (self.slope(key, j) * least) ** 2 / n)
        return variance, n - 1

    def borrowed(self, alone: Sequence[Key]) -> list[tuple[float, int]]:
        """Return the part of cells of one run: all that borrow from one pool are one component."""
        parts = []
        for pool in dict.fromkeys(self.cells[key].pool for key in alone):
            donors = _donors(self.cells, pool)
            residuals = np.concatenate([of.values - of.values.mean(axis=0) for of in donors])
            freedom = sum(len(of.values) - 1 for of in donors)
            mine = [key for key in alone if self.cells[key].pool == pool]
            slopes = [[self.slope(k, j) for j in range(residuals.shape[1])] for k in mine]
            moved = np.nan_to_num(residuals) @ np.array(slopes).T
            variance = float(np.sum(moved**2)) / freedom
            parts.append((variance, freedom))
        return parts

    def paired(self, keys: Sequence[Key]) -> list[tuple[float, int]]:
        """Return the variance where the k-th runs of all cells are one replicate."""
        n = len(self.cells[keys[0]].values) if keys else 0
        if n < 2:
            return []
        left = np.array([
            self._with({
                key: (n * self.means[key] - self.cells[key].values[k]) / (n - 1) for key in keys
            })
            for k in range(n)
        ])  # fmt: skip
        return [((n - 1) / n * float(np.sum((left - left.mean()) ** 2)), n - 1)]


def runs_needed(found: Estimate, decides: Callable[[Estimate], bool], confidence: float):
    """Return how many runs a cell would decide at today's estimate and spread, up to MOST_NEEDED.

    Error and degrees of freedom are those of the cell with the fewest runs, scaled. None where the
    estimate has no interval, is decided, or needs more.
    """
    if found.error is None or found.df is None or decides(found):
        return None
    now = max(found.n, 2)
    for n in range(now + 1, MOST_NEEDED + 1):
        error, df = found.error * np.sqrt(now / n), found.df * (n - 1) / (now - 1)
        if decides(replace(found, error=error, df=df).at(confidence)):
            return n
    return None
