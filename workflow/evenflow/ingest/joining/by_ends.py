"""Tests that the two ends of one connection join, each from its own log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from .clocks import CLOCKS_S, Clocks
from .joined import PORTS_AGAIN, Doubt, Runs, doubt_of
from .units import CARRIED_ALIKE, SIMULATORS, Ends, Unit, began_later_s, may_be_ends


def _by_ends(tests: list[Unit]) -> dict[Ends, list[Unit]]:
    of_ends: dict[Ends, list[Unit]] = defaultdict(list)
    for test in tests:
        if test.tool in SIMULATORS:
            continue
        for ends in set(test.ends):
            if all(ends):
                of_ends[ends].append(test)
    return of_ends


def once(tests: list[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield the two ends of connections whose ports came once, and which began with their tests.

    So that the dates of the tests are as far apart as the clocks.
    """
    of_ends = _by_ends(tests)
    for ends, here in of_ends.items():
        there = of_ends.get(ends[::-1], []) if ends < ends[::-1] else []
        if len(here) == 1 == len(there) and may_be_ends(here[0], there[0], ends):
            later_s = began_later_s(here[0], there[0], ends)
            yield from [(here[0], there[0])] * (abs(later_s) <= CLOCKS_S)


def _began_together(one: Unit, other: Unit, ends: Ends, clocks: Clocks) -> bool:
    """Return whether a connection began at one time by both of its logs, if they have dates."""
    later_s = clocks.later_s(one, other)
    return later_s is None or abs(later_s + began_later_s(one, other, ends)) <= 2 * CLOCKS_S


def began_apart(tests: Iterable[Unit], clocks: Clocks) -> float:
    """Return how far the dates of the two ends of one connection are apart at most, seconds.

    0 where they are as one clock, or two that are known, would have them.
    """
    found = [0.0]
    of_ends = _by_ends([*tests])
    for ends, here in of_ends.items():
        for one, other in product(here, of_ends.get(ends[::-1], [])):
            if one.protocol == other.protocol and not _began_together(one, other, ends, clocks):
                found.append(abs(clocks.later_s(one, other) or 0.0))
    return max(found)


def _carried_alike(one: Unit, other: Unit, ends: Ends) -> bool:
    """Return whether the two logs of a connection count about the same bytes."""
    amounts = one.carried[one.ends.index(ends)], other.carried[other.ends.index(ends[::-1])]
    n = min(map(len, amounts))
    fewer, more = sorted(sum(of[:n]) for of in amounts)
    return fewer >= CARRIED_ALIKE * more > 0


def closest(test: Unit, others: list[Unit], runs: Runs) -> list[Unit]:
    """Return those of several tests that have the name, the run or the folder of one."""
    for alike in (
        lambda o: o.key == test.key,
        lambda o: runs.same(o, test),
        lambda o: o.folder == test.folder,
    ):
        if len(others) > 1:
            others = [o for o in others if alike(o)] or others
    return others


def mirrored(
    tests: list[Unit], clocks: Clocks, runs: Runs, doubts: list[Doubt]
) -> Iterator[tuple[Unit, Unit]]:
    """Yield the pairs of tests that name the same two ends, each from its own log."""
    of_ends = _by_ends(tests)
    choice: dict[tuple, Unit | None] = {}
    for ends, here in of_ends.items():
        for test in here:
            fitting = [o for o in of_ends.get(ends[::-1], []) if may_be_ends(test, o, ends)]
            left = [o for o in fitting if _began_together(test, o, ends, clocks)]
            once = len(here) == 1 == len(of_ends.get(ends[::-1], []))
            if not left and once:  # whatever the dates say
                left = [o for o in fitting if _carried_alike(test, o, ends)]
            left = closest(test, left, runs)
            choice[id(test), ends] = left[0] if len(left) == 1 else None
            if len(left) > 1:
                doubts.append(doubt_of(PORTS_AGAIN, [test, *left]))
    partners: dict[tuple, list[bool]] = defaultdict(list)
    for (_, ends), other in choice.items():
        if len(of_ends[ends]) > 1:  # fixed ports: by chance some dates of other runs fit
            partners[ends].append(other is not None)
    for (one, ends), other in choice.items():
        mostly_none = 2 * sum(partners[ends]) < len(partners[ends])
        back = choice.get((id(other), ends[::-1])) if other else None
        if back and other and id(back) == one and not mostly_none:
            yield back, other
