"""When tests ran beside each other, and how far the clocks of hosts are apart.

Dates of zones whose offset is not known say nothing of other zones. An offset of a host's clock is
learnt, never assumed: from connections of which both ends were logged and whose ports came once,
three of them, or any that are whole quarters of an hour apart; or from runs that names tell, but
then whole quarters of an hour only, to some seconds and in three runs, since hosts that measured
one after the other are a constant time apart as well: nothing is learnt where one began soon after
the other had measured all. A short test that begins some seconds after a long one is a whole hour
and these seconds apart from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from statistics import median
from typing import NamedTuple, TypeVar

from .units import Unit, span_s

CLOCKS_S = 3.0  # dates are whole seconds, and clocks that are set by the network differ a little
HALF = 0.5  # of the shorter of two tests: so much must be common
HOUR_S, QUARTER_S = 3600, 900  # zones of time are apart by whole quarters of an hour
SCATTER_S = 33.0  # of the starts of runs that names tell, beyond which nothing is learnt
RUNS = 3  # that an offset must be seen in

Key = TypeVar("Key", bound=Hashable)


class Apart(NamedTuple):
    """Two tests of one group on two hosts: by how much their dates are apart, seconds.

    gap_s: how much later the other one began; room_s: by how much later it may have begun and still
    have run while the one did: below 0 where the other is the longer, and 0 where neither is twice
    as long. one, other: begin and end of each.
    """

    gap_s: float
    room_s: float
    one: tuple[float, float]
    other: tuple[float, float]


class Clocks:
    """How far the clocks of hosts are apart, as far as it was learnt."""

    def __init__(
        self,
        named: Iterable[Iterable[list[Unit]]],
        connections: Iterable[tuple[Unit, Unit]],
    ):
        """Learn it.

        Args:
            named: tests that names suggest ran together; of a pair of hosts the first that tell.
            connections: pairs of tests that are the two ends of a connection whose ports came once.
        """
        self.known: dict[tuple[str, str], float] = {}
        self.told: dict[tuple[str, str], tuple[int, bool]] = {}  # by how many pairs, by both ends?
        seen: dict[tuple[str, str], list[Apart]] = {}
        for groups in named:
            seen = _apart(groups) | seen
        for pair, apart in seen.items():
            near_by = _whole_zones(apart)
            if near_by and not _in_turn(apart):
                self.known[pair] = near_by
                self.told[pair] = (len(apart), False)
        for pair, found in _apart(map(list, connections)).items():
            gaps = [of_pair.gap_s for of_pair in found]
            middle = median(gaps)
            steady = max(gaps) - min(gaps) <= 2 * CLOCKS_S
            zones = abs(middle - QUARTER_S * round(middle / QUARTER_S)) <= CLOCKS_S
            if (zones or len(gaps) >= RUNS) and steady and abs(middle) > CLOCKS_S:
                self.known[pair] = middle
                self.told[pair] = (len(gaps), True)

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
        starts = {id(t): span_s(t)[0] - self.gap_s(first, t) for t in tests}
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


def on_one_clock(spans: Mapping[Key, tuple[float, float]]) -> dict[Key, float]:
    """Return when the flows of one run began, of which some dates may be whole zones of time off.

    Flows of one run whose dates leave them no common time with its longest one, nor with others in
    between, are moved by whole hours, or quarters of one to some seconds, if they then run beside
    it: that they are one run was found, or said, before.

    Args:
        spans: of every flow when it began, by the dates, and how long it was, seconds.
    """
    began = {key: begin_s for key, (begin_s, _) in spans.items()}
    clusters: list[list[Key]] = []
    end_s = float("-inf")
    for key in sorted(spans, key=lambda key: (began[key], -spans[key][1])):
        if began[key] > end_s + CLOCKS_S:
            clusters.append([])
        clusters[-1].append(key)
        end_s = max(end_s, began[key] + spans[key][1])
    if len(clusters) < 2:
        return began

    def extent(cluster: list[Key]) -> tuple[float, float]:
        return (
            min(began[key] for key in cluster),
            max(began[key] + spans[key][1] for key in cluster),
        )

    main = max(clusters, key=lambda c: max(spans[key][1] for key in c))
    begin_s, end_s = extent(main)
    for cluster in clusters:
        if cluster is main:
            continue
        at_s, until_s = extent(cluster)
        for zone_s, slack_s in ((HOUR_S, end_s - begin_s), (QUARTER_S, CLOCKS_S)):
            off_s = zone_s * round((at_s - begin_s) / zone_s)
            both_s = min(end_s, until_s - off_s) - max(begin_s, at_s - off_s)
            beside = both_s >= HALF * min(end_s - begin_s, until_s - at_s)
            if off_s and beside and abs(at_s - off_s - begin_s) <= slack_s:
                began |= {key: began[key] - off_s for key in cluster}
                break
    return began


def _in_turn(apart: list[Apart]) -> bool:
    """Return whether one host began when the other had measured all, after less than half as long.

    A campaign of half an hour that is made again on the next host is half an hour apart, test by
    test, and so is one on a host whose clock is half an hour off: dates do not tell these two.
    """
    spans = ([pair.one for pair in apart], [pair.other for pair in apart])
    first, then = sorted((min(b for b, _ in of), max(e for _, e in of)) for of in spans)
    return 0 <= then[0] - first[1] < HALF * (first[1] - first[0])


def _whole_zones(apart: list[Apart]) -> float:
    """Return by how many whole quarters of an hour tests that began apart are; 0 where by none.

    By whole hours also where the shorter test has room for its later start beside the longer one.

    Args:
        apart: what `_apart` gives of a pair of hosts.
    """
    gaps = [pair.gap_s for pair in apart]
    middle = median(gaps)
    if max(abs(gap - middle) for gap in gaps) > SCATTER_S:
        return 0.0
    quarters = QUARTER_S * round(middle / QUARTER_S)
    if quarters and sum(abs(gap - quarters) <= CLOCKS_S for gap in gaps) >= RUNS:
        return quarters
    hours = HOUR_S * round(middle / HOUR_S)
    steady = max(gaps) - min(gaps) <= 2 * CLOCKS_S
    inside = [
        min(0.0, room_s) - CLOCKS_S <= gap_s - hours <= max(0.0, room_s) + CLOCKS_S
        for gap_s, room_s, *_ in apart
    ]
    return hours if hours and steady and len(gaps) >= RUNS and all(inside) else 0.0


def _apart(groups: Iterable[list[Unit]]) -> dict[tuple[str, str], list[Apart]]:
    """Return by how much tests of one group began apart, by the pair of their hosts."""
    found: dict[tuple[str, str], list[Apart]] = defaultdict(list)
    for group in groups:
        dated = [t for t in group if t.start_s is not None]
        for a, b in combinations(dated, 2):
            one, other = sorted((a, b), key=lambda t: t.host)
            if one.host != other.host:
                shorter, longer = sorted((one.length_s, other.length_s))
                room_s = one.length_s - other.length_s if shorter <= HALF * longer else 0.0
                apart = Apart(span_s(other)[0] - span_s(one)[0], room_s, span_s(one), span_s(other))
                found[one.host, other.host].append(apart)
    return found
