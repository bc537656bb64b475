"""What a statement of the paper is about: cells of two flows, by the means of their runs.

A statement is a statistic of the means of cells; which cells it is about is what it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import polars as pl
from evenflow.claims.cases import Case, Measured, Part, measurements
from evenflow.congestion_controls import variant_name
from evenflow.evidence.runs import run_ref
from evenflow.statistics.outcomes import ALL
from evenflow.statistics.stratified import Cell, Quantity, cell

from .metrics import FLOW_1_RTT_MS, QUEUES, STANDARD, VARIANTS

Key = tuple[str, str, str, str, float]  # a cell: view, queue, cca1, cca2, RTT of flow 2 in ms
KEY = ["view", "queue", "cca1", "cca2", "rtt2_ms"]
INDEX = 0.001  # the resolution of an index
LATE_COMER = "late-comer"  # the view RTT fairness with flow 2 first
LONG = "long "  # before a view: the same runs, four times as long


class Run(NamedTuple):
    """What runs of a cell measured: geometric means of both flows' throughput (bit/s), means of
    Jain's index and of flow 1's share."""

    first_bps: float
    second_bps: float
    jfi: float
    share1: float


class Pair(NamedTuple):
    """A cell as seen from one of its flows: its throughput over the other's, its share, the JFI."""

    ratio: float
    share: float
    jfi: float


@dataclass(frozen=True)
class Means:
    """The means of all cells of a queue.

    take: from the key of a cell to its run. rtts_ms: RTTs that there are. readings: of paper.yml.
    null: instead of a variant against another take it against itself, in the same flow's place; of
    NewReno beside a variant that is NewReno against NewReno. Instead of two flows of unlike RTTs
    take two of flow 2's. is_long: of the runs that last four times as long.
    """

    take: Callable[[Key], Run]
    queue: str
    rtts_ms: Sequence[float]
    readings: Mapping
    null: bool = False
    is_long: bool = False

    def long(self) -> Means:
        """Return the means of the runs that last four times as long."""
        return replace(self, is_long=True)

    def beside(self, named: str, other: str, rtt_ms: float) -> Pair:
        """Return what `named` gets beside `other`, both at the same RTT."""
        first, second = sorted((named, other), key=VARIANTS.index)
        is_first = named == first
        if self.null:
            first = second = named
        view = "inter"
        if STANDARD in (first, second):
            view = "friendliness"
        if first == second:
            view = "intra"
        return self._pair(self.of(view, first, second, rtt_ms), is_first)

    def alone(self, cca: str, rtt_ms: float) -> Pair:
        """Return what flow 1 gets against flow 2, both of one variant and RTT."""
        return self.beside(cca, cca, rtt_ms)

    def unlike(self, cca: str, rtt2_ms: float, *, late: bool = False) -> Pair:
        """Return what flow 1, of 162 ms, gets against flow 2 of another RTT, or of the same.

        late: it starts after flow 2.
        """
        view = "intra" if self.null or rtt2_ms == FLOW_1_RTT_MS else "rtt"
        view = LATE_COMER if late else view
        return self._pair(self.of(view, cca, cca, rtt2_ms), True)

    def of(self, view: str, cca1: str, cca2: str, rtt2_ms: float) -> Run:
        """Return the means of a cell."""
        return self.take((LONG * self.is_long + view, self.queue, cca1, cca2, rtt2_ms))

    def _pair(self, run: Run, is_first: bool) -> Pair:
        mine, others = run[:2] if is_first else run[1::-1]
        share = run.share1 if is_first else 1 - run.share1
        return Pair(mine / others, share, run.jfi)

    @property
    def low(self) -> list[float]:
        """Return the RTTs that the original calls low."""
        return [rtt for rtt in self.rtts_ms if rtt in self.readings["low_rtt_ms"]]

    @property
    def high(self) -> list[float]:
        """Return the RTTs that the original calls high."""
        return [rtt for rtt in self.rtts_ms if rtt in self.readings["high_rtt_ms"]]


Statistic = Callable[[Means], float]


def quantities(floor_bps: float) -> tuple[Quantity, ...]:
    """Return the columns of a cell: logarithms of both throughputs, Jain's index, flow 1's share.

    Args:
        floor_bps: one segment a second, what a flow below it counts as.
    """
    return (
        Quantity("first_bps", "log", floor_bps, of_flow=True),
        Quantity("second_bps", "log", floor_bps, of_flow=True),
        Quantity("jfi", resolution=INDEX, least=0.5, most=1.0),
        Quantity("share1", resolution=INDEX, least=0.0, most=1.0, of_flow=True),
    )


class Subject:
    """What claims are measured on: the runs of a platform, by cell."""

    def __init__(
        self,
        runs: pl.DataFrame,
        rtts_ms: Sequence[Sequence[float]],
        readings: Mapping,
        name: str = "",
    ):
        """Sort runs by cell.

        Args:
            runs: `pair_metric` of a platform. A cell in which no run lost a packet is uncontested:
                there is nothing to be fair about, and it has no place in a statement.
            rtts_ms, readings: of paper.yml.
            name: of the platform.
        """
        self.readings, self.rtts_ms, self.name = readings, rtts_ms, name
        if "drops" in runs.columns:
            contested = (pl.col("drops") != 0).fill_null(True).any().over(KEY)
            runs = runs.filter(contested)
        order = [name for name in ("repeat", "run_id") if name in runs.columns]
        columns = ("throughput1_bps", "throughput2_bps", "jfi")
        rows: dict[Key, list] = {}
        runs = runs.drop_nulls(columns).sort(*KEY, *order)
        ref = runs.select(run_ref()).to_series() if "part" in runs.columns else [None] * len(runs)
        plan = runs["n_planned"] if "n_planned" in runs.columns else [None] * len(runs)
        steady = runs["unsteady"] if "unsteady" in runs.columns else [None] * len(runs)
        of_runs = zip(
            runs.select(*KEY, *columns).rows(), measurements(runs), steady, ref, plan, strict=True
        )
        for (*key, first, second, jfi), whole, unsteady, run, n_planned in of_runs:
            own, other = (max(bps, readings["floor_bps"]) for bps in (first, second))
            values = (np.log(own), np.log(other), jfi, own / (own + other))
            rows.setdefault(tuple(key), []).append((values, whole, unsteady, run, n_planned))
        self.cells: dict[Key, Cell] = {}
        for key, of in rows.items():
            values, whole, unsteady, names, (n_planned, *_) = zip(*of, strict=True)
            ahead = [first - second for first, second, *_ in values]
            of_cell = {"pool": key[:4], "ahead": ahead, "planned": n_planned}
            of_cell["runs"] = tuple(filter(None, names))
            self.cells[key] = cell(values, whole, unsteady=unsteady, **of_cell)

    def rtts_for(self, needs: Sequence[float]) -> Sequence[float]:
        """Return the RTTs of a statement: the first list of paper.yml that has all it needs."""
        for rtts in self.rtts_ms:
            if set(needs) <= set(rtts):
                return rtts
        raise ValueError(f"no list of rtts_of_claims_ms in paper.yml has all of {needs}")

    def on(self, statistic: Statistic, queue: str, rtts_ms: Sequence[float], *, null: bool = False):
        """Return a statistic as one of the means of cells."""

        def of_means(means: Mapping[Key, np.ndarray]) -> float:
            def take(key: Key) -> Run:
                first, second, jfi, share1 = means[key]
                return Run(float(np.exp(first)), float(np.exp(second)), float(jfi), float(share1))

            return statistic(Means(take, queue, rtts_ms, self.readings, null))

        return of_means


def name_of(key: Key) -> str:
    """Return a cell in print: 'BIC – CUBIC at 16 ms'."""
    _, _, cca1, cca2, rtt = key
    return f"{variant_name(cca1)} – {variant_name(cca2)} at {rtt:g} ms"


@dataclass(frozen=True)
class Cases:
    """The measure of a claim: statistics of each of its cases, on each queue by itself.

    of: name of a case, '' for a claim that has one -> its statistic, or what gives several by name
    for the RTTs that there are; these are folded by the quantifier. null: measure it on a variant
    against itself, too. needs: RTTs that the statement is about. points: of a correlation, whether
    it is one over the RTTs. misfits: by name of a case, the lack of fit of its exponent. queues:
    those that were run, with their names in print. only: the platform that it is about, if not any.
    """

    of: Mapping[str, Statistic | Callable[[Means], Mapping[str, Statistic]]]
    null: bool = False
    needs: Sequence[float] = ()
    quantifier: str = ALL
    several: bool = False
    points: bool = False
    misfits: Mapping[str, Statistic] = field(default_factory=dict)
    queues: Mapping[str, str] = field(default_factory=lambda: QUEUES)
    only: str = ""

    def __call__(self, subject: Subject) -> Measured:
        """Return {case: what was measured of it}; None of a platform that it is not about."""
        if self.only not in ("", subject.name):
            return None
        return {
            ", ".join(filter(None, (name, said))): self._case(
                subject, statistic, queue, self.misfits.get(name)
            )
            for name, statistic in self.of.items()
            for queue, said in self.queues.items()
        }

    def _case(
        self, subject: Subject, statistic, queue: str, misfit: Statistic | None = None
    ) -> Case:
        rtts = subject.rtts_for(self.needs)
        if not subject.cells:
            return Case(note="no run of the platform")
        named = {"": statistic}
        if self.several:
            named = statistic(Means(lambda key: None, queue, rtts, subject.readings))
        parts = {
            name: Part(
                subject.on(each, queue, rtts),
                subject.on(each, queue, rtts, null=True) if self.null else None,
                points=len(rtts) if self.points else None,
                misfit=misfit and subject.on(misfit, queue, rtts),
                control_is="each variant against itself" if self.null else "",
            )
            for name, each in named.items()
        }
        return Case(
            parts,
            subject.cells,
            quantities(subject.readings["floor_bps"]),
            self.quantifier,
            name=name_of,
        )
