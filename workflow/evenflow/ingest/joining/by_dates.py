"""Tests that dates join: beside the longest of a run for half of the shorter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from .by_names import excluded
from .clocks import HALF, Clocks
from .joined import AT_ONCE, BY_DATES, ONE_SERVER, TWO_NETWORKS, Doubt, Run, Runs, doubt_of
from .units import Unit, names_differ, network_of, span_s

APART = (AT_ONCE, ONE_SERVER)  # what parts tests that ran beside each other


def join_by_dates(runs: Runs, clocks: Clocks, doubts: list[Doubt]) -> None:
    """Join runs of which the tests of one ran beside the longest of another."""
    dated = [run for run in runs.all() if any(t.start_s is not None for t in run.tests)]
    rank = {
        id(run): n
        for n, run in enumerate(sorted(dated, key=lambda r: -max(t.length_s for t in r.tests)))
    }
    pairs = set()
    # of a test those beside it that names part, or their server
    otherwise: dict[str, dict[Unit, list[Unit]]] = {k: defaultdict(list) for k in APART}
    named: set[str] = set()  # their paths
    for a, b in _near_in_time(dated, clocks):
        if runs.same(a, b) or not _comparable(a, b):
            continue
        if not excluded(a, b):
            ids = (id(runs.of[id(a)]), id(runs.of[id(b)]))
            pairs.add(tuple(sorted(ids, key=rank.__getitem__)))
        elif a.path in named and b.path in named:
            continue
        elif a.path != b.path and (clocks.common(a, b) or 0.0) >= HALF:
            otherwise[AT_ONCE if names_differ(a, b) else ONE_SERVER][a].append(b)
            named |= {a.path, b.path}
    first = {id(run): run.tests[0] for run in dated}
    in_rank = sorted(pairs, key=lambda pair: (rank[pair[0]], rank[pair[1]]))
    for one, other in in_rank:
        mine, its = runs.of[id(first[one])], runs.of[id(first[other])]
        if mine is its:
            continue
        if not _may_be_joined(mine.tests, its.tests, clocks):
            continue
        if not all(any(_near(a, b) for a in mine.tests) for b in its.tests):
            doubts.append(doubt_of(TWO_NETWORKS, [mine.tests[0], its.tests[0]]))
            continue
        runs.unite((mine.tests[0], its.tests[0]), BY_DATES)
    for kind in APART:
        doubts += (doubt_of(kind, tests) for tests in _runs_at_once(otherwise[kind], runs, clocks))


def _runs_at_once(
    otherwise: dict[Unit, list[Unit]], runs: Runs, clocks: Clocks
) -> Iterator[list[Unit]]:
    """Yield the tests of runs of which each ran beside each other, though names part them.

    Args:
        otherwise: of a test those that ran beside it.
        runs: as found.
        clocks: of the hosts.
    """
    for first, others in otherwise.items():
        at_once = [first]
        for other in others:
            if all((clocks.common(test, other) or 0.0) >= HALF for test in at_once):
                at_once.append(other)
        found = {id(run): run for run in (runs.of[id(test)] for test in at_once)}
        if len(found) > 1:
            yield [test for run in found.values() for test in run.tests]


def _near_in_time(runs: list[Run], clocks: Clocks) -> Iterator[tuple[Unit, Unit]]:
    """Yield the pairs of dated tests of different runs that may overlap, clocks allowed for."""
    tests = [t for run in runs for t in run.tests if t.start_s is not None]
    tests.sort(key=lambda t: (t.zone or "", t.start_s, t.path, t.episode))
    active: list[Unit] = []
    zone, most_s = None, clocks.most_s
    for test in tests:
        if test.zone != zone:
            zone, active = test.zone, []
        active = [a for a in active if span_s(a)[1] + most_s >= span_s(test)[0]]
        yield from ((other, test) for other in active)
        active.append(test)


def _may_be_joined(mine: list[Unit], its: list[Unit], clocks: Clocks) -> bool:
    """Return whether dates and names allow that the tests of two runs are one run.

    All that have dates ran beside the longest, by the clock of a host that dates both connections
    where their ends' clocks differ. Of a pair that dates do not tell (a client's log has some, and
    its server's none) one log came to its run by other evidence: it need not lie by all.
    """

    def by_one_clock(a: Unit, b: Unit) -> bool:
        if a.host == b.host or excluded(a, b) or _same_connection(a, b):
            return False
        ends = product(_with_other_ends(a, mine), _with_other_ends(b, its))
        return any(c.host == d.host and _beside(c, d, clocks) for c, d in ends)

    longest = _longest([t for t in mine if t.start_s is not None])
    dated = [(a, b) for a in longest for b in its if clocks.common(a, b) is not None]
    others = [(a, b) for a in mine for b in its if clocks.common(a, b) is None]
    return (
        bool(dated)
        and all(_beside(a, b, clocks) or by_one_clock(a, b) for a, b in dated)
        and not any(excluded(a, b) or _same_connection(a, b) for a, b in others)
        and all(any(_comparable(a, b) for a in mine) for b in its)
    )


def _with_other_ends(test: Unit, tests: list[Unit]) -> list[Unit]:
    """Return a test, and those that log its connections at their other end."""
    mirrored = {pair[::-1] for pair in test.ends if all(pair)}
    return [test, *(t for t in tests if t.host and not mirrored.isdisjoint(t.ends))]


def _longest(tests: list[Unit]) -> list[Unit]:
    most = max(t.length_s for t in tests)
    return [t for t in tests if t.length_s >= HALF * most]


def _beside(one: Unit, other: Unit, clocks: Clocks) -> bool:
    """Return whether two tests ran beside each other, and may be of one run."""
    common = clocks.common(one, other)
    beside = common is not None and common >= HALF
    return beside and not excluded(one, other) and not _same_connection(one, other)


def _same_connection(one: Unit, other: Unit) -> bool:
    """Return whether two logs of one end name a connection: at another time or in a copy.

    TCP and UDP may have the same addresses and ports.
    """
    alike = (one.end, one.protocol) == (other.end, other.protocol)
    return alike and any(pair in other.ends for pair in one.ends if any(pair))


def _comparable(one: Unit, other: Unit) -> bool:
    """Return whether dates may join two tests: alike in names, or one lies by the other.

    Of names of one shape all that differs is a weak label, else they are `excluded`.
    """
    if one.key[:1] == other.key[:1]:
        return True
    outer, inner = one.folder, other.folder
    if len(outer) > len(inner):
        outer, inner = inner, outer
    return outer == inner or inner.startswith(f"{outer}/" if outer else "")


def _near(one: Unit, other: Unit) -> bool:
    """Return whether tests are of one folder, or of hosts or a network in common.

    In one folder a dumbbell may have a network for every host.
    """
    if one.folder == other.folder or not one.hosts or not other.hosts:
        return True
    networks = (set(map(network_of, t.hosts)) for t in (one, other))
    return bool(one.hosts & other.hosts) or not set.isdisjoint(*networks)
