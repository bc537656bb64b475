"""Tests that names join: logs whose paths are alike but for members of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from .clocks import CLOCKS_S, HALF, Clocks
from .joined import (
    CLAIMS,
    COUNTS_WHAT,
    FAILED_AMONG,
    ONE_AT_A_TIME,
    PARTED_BY_DATES,
    UNLIKE_LENGTHS,
    Doubt,
    doubt_of,
)
from .roles import BARE, END, FLOW, HOST, MEMBER, OWN, PLACE, PORT, REPEAT
from .units import SERVER, Unit, names_differ

ALIKE = 0.2  # of the longer of two tests: lengths that differ less are the same


def alike_by_name(tests: list[Unit]) -> list[list[Unit]]:
    named: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        named[test.key].append(test)
    return [found for found in named.values() if len({t.path for t in found}) > 1]


def told(candidates, series, tests: list[Unit]) -> list[list[list[Unit]]]:
    """Return tests that ran together, for their clocks: as names or the order of tests suggest.

    Behind them those of one repeat's folder, which may hold several runs.
    """
    folders: dict[str, list[Unit]] = defaultdict(list)
    for test in tests:
        last = test.path.rfind("/")
        if any(role.role == REPEAT and role.end <= last for role in test.roles.values()):
            folders[test.folder].append(test)
    named, in_folders = (
        [found for found in groups if all(t.n_tests == 1 for t in found)]
        for groups in (candidates, folders.values())
    )
    return [[*named, *series], in_folders]


def in_order(tests: list[Unit], doubts: list[Doubt], dated: bool = False) -> list[list[Unit]]:
    """Pair the tests of logs that hold several, where they hold equally many.

    Tests that failed count where they stand at other places in the logs.

    Args:
        tests: of some logs.
        doubts: what is asked; added to.
        dated: whether also tests of which all have dates, which otherwise dates part. Their lengths
            may be unlike.
    """
    like = _fail_alike(tests)
    n_tests = {t.n_tests for t in tests}
    of_all = {t.n_tests + (t.n_failed or 0) for t in tests}
    if n_tests == {1} and (like or len(of_all) > 1):  # what failed was tried again
        return [tests]
    all_dated = all(t.start_s is not None for t in tests)
    if all_dated and not dated:
        return [tests]
    known = all(t.n_failed is not None for t in tests)
    if not like and not (known and len(of_all) == 1):
        doubts.append(doubt_of(FAILED_AMONG, tests))
        return []
    if like and len(n_tests) > 1:
        return []
    found: dict[int, list[Unit]] = defaultdict(list)
    for test in tests:
        found[test.order + (0 if like else test.n_failed_before)].append(test)
    lengths = [[t.length_s for t in part] for part in found.values()]
    alike = all(max(of_part) - min(of_part) <= ALIKE * max(of_part) for of_part in lengths)
    return list(found.values()) if alike or all_dated else []


def _fail_alike(tests: list[Unit]) -> bool:
    """Return whether tests failed at the same places in all logs of an end, as far as is known.

    A server does not log those that did not reach it.
    """
    failed: dict[str, dict[str, set[tuple]]] = defaultdict(lambda: defaultdict(set))
    for test in tests:
        if test.n_failed is None:
            return False
        failed[test.end][test.path].add((test.order, test.n_failed, test.n_failed_before))
    if not any(test.n_failed for test in tests):
        return True
    return all(
        len({frozenset(of_log) for of_log in of_end.values()}) == 1 for of_end in failed.values()
    )


def series_of(tests: list[Unit], doubts: list[Doubt]) -> Iterator[list[Unit]]:
    """Yield the tests of one number in logs of one folder that hold equally many."""
    of_shape: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        places = {i for i, role in test.roles.items() if role.role == PLACE}
        if test.n_tests > 1 and places and test.end:
            rest = tuple("*" if i in places else text for i, text in enumerate(test.key[1]))
            of_shape[test.folder, test.end, test.key[0], rest].append(test)
    for found in of_shape.values():
        if len({t.path for t in found}) > 1:
            yield from in_order(found, doubts, dated=True)


def may_follow(one: Unit, other: Unit, clocks: Clocks) -> bool:
    common = clocks.common(one, other)
    return not excluded(one, other) and (common is None or common >= HALF)


def parted_by_dates(tests: list[Unit], clocks: Clocks, doubts: list[Doubt]) -> list[list[Unit]]:
    """Part tests that names join by their dates; undated ones must be about as long."""
    if any(t.start_s is None for t in tests) or len({t.zone for t in tests}) > 1:
        whole = [t.length_s for t in tests if t.whole]
        said = bool(kinds_of(tests[0]) & {FLOW, END})
        if whole and min(whole) < HALF * max(whole) and not said:  # else a client was killed
            doubts.append(doubt_of(UNLIKE_LENGTHS, tests))
            return []
        return [tests]
    clusters = clocks.parted(tests)
    if len(clusters) > 1 and all(t.n_tests == 1 for t in tests):
        doubts.append(doubt_of(PARTED_BY_DATES, tests))
    return clusters


def vetoed(tests: list[Unit], doubts: list[Doubt]) -> bool:
    """Return whether tests that names join cannot be one run, or need not."""
    if len(tests) < 2:
        return True
    claims = {(t.claim, t.end) for t in tests}
    if len(claims) < len(tests):
        doubts.append(doubt_of(CLAIMS, tests))
        return True
    said = bool(
        kinds_of(tests[0]) & {FLOW, END}
    )  # then two servers may have one address, as in NAT
    if not said and any(a.claim != b.claim and excluded(a, b) for a, b in combinations(tests, 2)):
        doubts.append(doubt_of(ONE_AT_A_TIME, tests))
        return True
    kinds = kinds_of(tests[0])
    if OWN in kinds and BARE in kinds:
        doubts.append(doubt_of(COUNTS_WHAT, tests))
    return False


def kinds_of(test: Unit) -> set[str]:
    return {role.role for role in test.roles.values()}


def is_weak(tests: list[Unit]) -> bool:
    """Return whether nothing but numbers of hosts or ports says that undated tests are one run."""
    undated = any(t.start_s is None for t in tests)
    return undated and set.union(*map(kinds_of, tests)) & MEMBER in ({HOST}, {PORT}, {HOST, PORT})


def excluded(one: Unit, other: Unit) -> bool:
    """Return whether two tests cannot be of one run, by their logs, servers or names."""
    if one.path == other.path or names_differ(one, other):
        return True  # tests of one log follow each other
    if not one.end or one.end != other.end or one.servers.isdisjoint(other.servers):
        return False
    one_at_a_time = one.tool == "iperf3" or one.end == SERVER
    return one_at_a_time and not _at_once_by_one_clock(one, other)


def _at_once_by_one_clock(one: Unit, other: Unit) -> bool:
    """Return whether one host dates two tests in one folder to the same time.

    Then its server, which serves one test at a time, was several (in containers, behind NAT).
    """
    if one.start_s is None or other.start_s is None or one.zone != other.zone:
        return False
    if one.folder != other.folder or not one.host or one.host != other.host:
        return False
    shorter_s = min(one.length_s, other.length_s)
    later_s = abs(one.start_s - other.start_s)
    ends_s = min(one.start_s + one.length_s, other.start_s + other.length_s)
    both_s = ends_s - max(one.start_s, other.start_s)
    return later_s <= CLOCKS_S and both_s >= HALF * shorter_s
