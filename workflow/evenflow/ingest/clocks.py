"""When tests ran beside each other, and how far the clocks of hosts are apart.

Dates of zones whose offset is not known say nothing of other zones. An offset of a host's clock is
learnt, never assumed: from connections of which both ends were logged and whose ports came once; or
from runs that names tell, but then whole quarters of an hour only, to some seconds and in three
runs, since hosts that measured one after the other are a constant time apart as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from statistics import median

from .units import Unit

CLOCKS_S = 3.0  # dates are whole seconds, and clocks that are set by the network differ a little
HALF = 0.5  # of the shorter of two tests: so much must be common
QUARTER_S = 900  # zones of time are apart by whole quarters of an hour
SCATTER_S = 33.0  # of the starts of runs that names tell, beyond which nothing is learnt
RUNS = 3  # that an offset must be seen in


class Clocks:
    """How far the clocks of hosts are apart, as far as it was learnt."""

    def __init__(self, named: Iterable[list[Unit]], connections: Iterable[tuple[Unit, Unit]]):
        """Learn it.

        Args:
            named: tests that names suggest ran together.
            connections: pairs of tests that are the two ends of a connection whose ports came once.
        """
        self.known: dict[tuple[str, str], float] = {}
        for pair, apart in _apart(named).items():
            near_by = QUARTER_S * round(median(apart) / QUARTER_S)
            close = [gap for gap in apart if abs(gap - near_by) <= CLOCKS_S]
            scatter = max(abs(gap - median(apart)) for gap in apart)
            if near_by and len(close) >= RUNS and scatter <= SCATTER_S:
                self.known[pair] = near_by
        for pair, apart in _apart(map(list, connections)).items():
            steady = max(apart) - min(apart) <= 2 * CLOCKS_S
            if len(apart) >= RUNS and steady and abs(median(apart)) > CLOCKS_S:
                self.known[pair] = median(apart)

    @property
    def most_s(self) -> float:
        """The largest offset that was learnt, seconds."""
        return max(map(abs, self.known.values()), default=0.0)

    def gap_s(self, one: Unit, other: Unit) -> float:
        """Return by how many seconds the clock of the other's host is ahead of the one's."""
        if not self.known:
            return 0.0
        a, b = one.host, other.host
        return self.known.get((a, b), -self.known.get((b, a), 0.0))

    def later_s(self, one: Unit, other: Unit) -> float | None:
        """Return how much later the other began; None where their dates cannot be compared."""
        if one.start_s is None or other.start_s is None or one.zone != other.zone:
            return None
        return other.start_s - self.gap_s(one, other) - one.start_s

    def common(self, one: Unit, other: Unit) -> float | None:
        """Return the share of the shorter test that both ran; None where dates do not tell."""
        later_s = self.later_s(one, other)
        if later_s is None:
            return None
        both_s = min(one.length_s, later_s + other.length_s) - max(0.0, later_s)
        return both_s / max(min(one.length_s, other.length_s), 1e-9)

    def parted(self, tests: list[Unit]) -> list[list[Unit]]:
        """Part dated tests into those that ran together, each beside some other one."""
        first, clusters = tests[0], []
        starts = {id(t): t.start_s - self.gap_s(first, t) for t in tests}
        active: list[list[Unit]] = []
        for test in sorted(tests, key=lambda t: (starts[id(t)], t.path)):
            since = starts[id(test)] - self.most_s
            active = [c for c in active if max(starts[id(t)] + t.length_s for t in c) >= since]
            for cluster in active:
                if any(self._beside(other, test) for other in cluster):
                    cluster.append(test)
                    break
            else:
                clusters.append([test])
                active.append(clusters[-1])
        return clusters

    def _beside(self, one: Unit, other: Unit) -> bool:
        both_s = (self.common(one, other) or 0.0) * min(one.length_s, other.length_s)
        return both_s > min(CLOCKS_S, HALF * min(one.length_s, other.length_s))


def _apart(groups: Iterable[list[Unit]]) -> dict[tuple[str, str], list[float]]:
    """Return by how much tests of one group began apart, by the pair of their hosts."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for group in groups:
        dated = [t for t in group if t.start_s is not None]
        for a, b in combinations(dated, 2):
            one, other = sorted((a, b), key=lambda t: t.host)
            if one.host != other.host:
                found[one.host, other.host].append(other.start_s - one.start_s)
    return found
