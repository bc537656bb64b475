"""Replicates of the experiment: the k-th run of every cell that a statement is about.

A statement is a statistic of one replicate. Which cells it is about is what it asks for: a
replicate that lacks one of them is none. Runs of a cell have seeds of their own, so that it does
not matter which of one cell is set against which of another; where the testbed has refused a run
(docs/explanation/testbed.md, 'Limits'), the further repeat counts that took its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl
from evenflow.papers.claims import Measured, Replicates
from evenflow.statistics.outcomes import LEAST_REPLICATES

from .metrics import FLOW_1_RTT_MS, QUEUES, STANDARD, VARIANTS

Key = tuple[str, str, str, str, float]  # a cell: view, queue, cca1, cca2, RTT of flow 2 in ms
KEY = ["view", "queue", "cca1", "cca2", "rtt2_ms"]


class Run(NamedTuple):
    """What a run measured: both flows' mean throughput (bit/s), Jain's index."""

    first_bps: float
    second_bps: float
    jfi: float


class Pair(NamedTuple):
    """A run as seen from one of its flows: its throughput over the other's, its share, the JFI."""

    ratio: float
    share: float
    jfi: float


@dataclass(frozen=True)
class Replicate:
    """One run of every cell of a queue.

    take: from the key of a cell to its run. rtts_ms: RTTs that there are. readings: of paper.yml.
    null: instead of a variant against another take it against itself, in the same flow's place; of
    NewReno beside a variant that is NewReno against NewReno. Instead of two flows of unlike RTTs
    take two of flow 2's.
    """

    take: Callable[[Key], Run]
    queue: str
    rtts_ms: Sequence[float]
    readings: Mapping
    null: bool = False

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
        return self._pair(self.take((view, self.queue, first, second, rtt_ms)), is_first)

    def alone(self, cca: str, rtt_ms: float) -> Pair:
        """Return what flow 1 gets against flow 2, both of one variant and RTT."""
        return self.beside(cca, cca, rtt_ms)

    def unlike(self, cca: str, rtt2_ms: float) -> Pair:
        """Return what flow 1, of 162 ms, gets against flow 2 of another RTT, or of the same."""
        view = "intra" if self.null or rtt2_ms == FLOW_1_RTT_MS else "rtt"
        return self._pair(self.take((view, self.queue, cca, cca, rtt2_ms)), True)

    def _pair(self, run: Run, is_first: bool) -> Pair:
        mine, others = run[:2] if is_first else run[1::-1]
        floor = self.readings["floor_bps"]
        own, other = max(mine, floor), max(others, floor)
        return Pair(own / other, own / (own + other), run.jfi)

    @property
    def low(self) -> list[float]:
        """Return the RTTs that the original calls low."""
        return [rtt for rtt in self.rtts_ms if rtt in self.readings["low_rtt_ms"]]

    @property
    def high(self) -> list[float]:
        """Return the RTTs that the original calls high."""
        return [rtt for rtt in self.rtts_ms if rtt in self.readings["high_rtt_ms"]]


Statistic = Callable[[Replicate], float]


class Subject:
    """What claims are measured on: the runs of a platform, by cell."""

    def __init__(self, runs: pl.DataFrame, rtts_ms: Sequence[Sequence[float]], readings: Mapping):
        """Sort runs by cell.

        Args:
            runs: `pair_metric` of a platform. A cell in which no run lost a packet is uncontested:
                there is nothing to be fair about, and it has no place in a replicate. A run that
                is the same as another of its cell counts once.
            rtts_ms, readings: of paper.yml.
        """
        self.readings, self.rtts_ms = readings, rtts_ms
        if "drops" in runs.columns:
            contested = (pl.col("drops") != 0).fill_null(True).any().over(KEY)
            runs = runs.filter(contested)
        self.runs: dict[Key, list[Run]] = {}
        columns = ("throughput1_bps", "throughput2_bps", "jfi")
        order = [name for name in ("repeat", "run_id") if name in runs.columns]
        known = runs.drop_nulls(columns).sort(*KEY, *order).select(*KEY, *columns)
        for row in known.unique(maintain_order=True).rows():
            self.runs.setdefault(row[: len(KEY)], []).append(Run(*row[len(KEY) :]))

    def measured(
        self, statistic: Statistic, queue: str, *, null: bool = False, needs: Iterable[float] = ()
    ) -> Replicates:
        """Return a statistic of every complete replicate of a queue.

        Of the lists of RTTs that have all that it `needs` the first is taken of which there are
        LEAST_REPLICATES, else the one that has most.

        Args:
            null: measure it on a variant against itself, too.
        """
        best, best_rtts, cells = [], None, []
        for rtts in self.rtts_ms:
            if not set(needs) <= set(rtts):
                continue
            values, asked = self._values(statistic, queue, rtts)
            if best_rtts is None or len(best) < min(len(values), LEAST_REPLICATES):
                best, best_rtts, cells = values, rtts, asked
        nothing = self._values(statistic, queue, best_rtts, null=True)[0] if null else []
        return Replicates(best, nothing, note=self._in_words(cells, best_rtts, len(best)))

    def _values(
        self, statistic: Statistic, queue: str, rtts_ms: Sequence[float], *, null: bool = False
    ) -> tuple[list[float], list[Key]]:
        """Return the statistic of each complete replicate, and the cells that it is about."""
        cells = asked_for(statistic, queue, rtts_ms, self.readings, null=null)
        n = min((len(self.runs.get(key, ())) for key in cells), default=0)

        def value(k: int) -> float:
            take = lambda key: self.runs[key][k]  # noqa: E731
            return statistic(Replicate(take, queue, rtts_ms, self.readings, null))

        return [value(k) for k in range(n)], cells

    def _in_words(self, cells: list[Key], rtts_ms: Sequence[float], n: int) -> str:
        """Return what a replicate is of, and what lacks: '10 cells a replicate, 3 without a run'.

        Where it is of fewer RTTs than the whole design, these are named.
        """
        said = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'} a replicate"
        if len(rtts_ms) < len(self.rtts_ms[0]):
            said += f" (RTTs {', '.join(f'{rtt:g}' for rtt in rtts_ms)} ms)"
        without = sum(key not in self.runs for key in cells)
        few = sum(len(self.runs.get(key, ())) <= n for key in cells)
        if without:
            return f"{said}, {without} without a run"
        if n < LEAST_REPLICATES:
            return f"{said}, {few} with no more than {n} {'run' if n == 1 else 'runs'}"
        return said


def asked_for(
    statistic: Statistic,
    queue: str,
    rtts_ms: Sequence[float],
    readings: Mapping,
    *,
    null: bool = False,
) -> list[Key]:
    """Return the cells that a statistic is about: those that it asks for."""
    cells: dict[Key, None] = {}

    def take(key: Key) -> Run:
        cells[key] = None
        return Run(1e6 * key[-1], 1e6 * FLOW_1_RTT_MS, 1.0)  # in proportion to the RTTs, as good

    statistic(Replicate(take, queue, rtts_ms, readings, null))
    return list(cells)


@dataclass(frozen=True)
class Cases:
    """The measure of a claim: a statistic of each of its cases, on each queue by itself.

    of: name of a case, '' for a claim that has one -> its statistic. null, needs: as in
    `Subject.measured`.
    """

    of: Mapping[str, Statistic]
    null: bool = False
    needs: Sequence[float] = ()

    def __call__(self, subject: Subject) -> Measured:
        """Return {case: replicates}."""
        return {
            ", ".join(filter(None, (name, said))): subject.measured(
                statistic, queue, null=self.null, needs=self.needs
            )
            for name, statistic in self.of.items()
            for queue, said in QUEUES.items()
        }
