"""Logs that repeat another log: one connection logged twice at one end, with the same numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log2

from .clocks import CLOCKS_S
from .roles import OTHER, parts_of, shape_of
from .units import SIMULATORS, Unit, unlike_cookies

# intervals that an undated test must have to be a copy: the counts of a few are alike by chance
FEW = 6
_COPY = re.compile(
    r"cop(?:y|ie)|kopie|backup|(?<![a-z])(?:bak|old|orig(?:inal)?)(?![a-z])|\([0-9]\)",
    re.IGNORECASE,
)
PRINTED = 0.01  # share of bytes: what logs print of them, three digits or more, is as good as that
MANY = 40  # tests of one end on the same ports, of which not every pair is looked at
BY_TURNS = 3  # values that the counts of a slow sender take by turns: whole writes
BITS = 48.0  # that undated tests on ports that come again must have in common to be copies
BITS_OF_ALL = 24.0  # the same of a log whose head is gone, with all reports of one that has its own


def without_copies(tests: list[Unit]) -> tuple[list[Unit], list[tuple[Unit, Unit]]]:
    """Return the tests without those that repeat another one, and these with what they repeat.

    A file is kept before a link to it, a log of one test before one that several were copied into,
    of a simulator the larger one (a trace next to what was filtered out of it: it has the drops
    too), one with addresses, dates and all reports before one without, one in a place that other
    logs lead one to expect (`_fits`), one that is not called a copy, then the shorter path. Tests
    of the logs are numbered anew.
    """
    kept: dict[tuple, Unit] = {}
    copies = []
    of_ends: dict[tuple, set] = defaultdict(set)
    for test in tests:
        of_ends[test.ends].add((test.start_s, test.carried))
    kept_of: dict[tuple, list[Unit]] = defaultdict(list)  # of one end of connections
    kept_amounts: dict[tuple, Unit] = {}
    kept_cookies: dict[tuple[frozenset[str], str], Unit] = {}
    logged: dict[tuple, list[Unit]] = defaultdict(list)  # of one end of connections, in a format
    for test in tests:
        logged[test.entry.format, *_connections(test)].append(test)
    collected = _collected(tests)
    fits = _fits(tests)

    def rank(test: Unit) -> tuple:
        is_link = test.entry.file is not None and test.entry.file.is_symlink()
        n_bytes = (test.entry.content_bytes or 0) if test.tool in SIMULATORS else 0
        called = bool(_COPY.search(test.path))
        named = -fits.get(test.path, 0), called, len(test.path), test.path, test.episode
        said = not all(map(all, test.ends)), test.start_s is None, -test.length_s
        return is_link, test.path in collected, -n_bytes, *said, *named

    for test in sorted(tests, key=rank):
        said = _said(test)
        # undated tests on fixed ports may be alike by chance: not to the byte
        whole = test.entry.content_sha256 if test.start_s is None else None
        in_full = (*said, whole, test.episode) if whole else said
        ports_again = len(of_ends[test.ends]) > 1 or not all(map(all, test.ends))
        same, alike = kept.get(in_full), kept.get(said)
        if same and (_is_called_copy(test, same) or _tells(test, ports_again)):
            copies.append((test, same))
        elif alike and _tells_much(test):
            copies.append((test, alike))
        elif named := _of_one_cookie(test, kept_cookies.get((test.cookies, test.end))):
            copies.append((test, named))
        elif again := _logged_again(test, kept_of[_connections(test)], logged):
            copies.append((test, again))
        elif bare := _without_its_ends(test, kept_amounts.get(test.carried)):
            copies.append((test, bare))
        else:
            kept_of[_connections(test)].append(test)
            kept_amounts.setdefault(test.carried, test)
            kept_cookies.setdefault((test.cookies, test.end), test)
            kept.setdefault(in_full, test)
            kept.setdefault(said, test)
    if not copies:
        return tests, copies
    gone = {id(copy) for copy, _ in copies}
    left = [test for test in tests if id(test) not in gone]
    of_log: dict[str, list[Unit]] = defaultdict(list)
    for test in left:
        of_log[test.path].append(test)
    for of_one in of_log.values():
        for number, test in enumerate(sorted(of_one, key=lambda t: t.episode), start=1):
            test.order, test.n_tests = number, len(of_one)
    return left, copies


def _fits(tests: list[Unit]) -> dict[str, int]:
    """Return how well the places of logs that are alike fit those of other logs.

    That is the number of parts of the path in which a log differs from another one that is not
    alike: run2/flow1 has run1/flow1 and run2/flow2 beside it, and a copy in figures/ has none. Logs
    of one folder and like names have the best of theirs, so that of a copied run one side is kept.
    """
    of_log: dict[str, set[tuple]] = defaultdict(set)
    for test in tests:
        of_log[test.path].add(_said(test))
    alike: dict[frozenset, set[str]] = defaultdict(set)
    for path, said in of_log.items():
        alike[frozenset(said)].add(path)
    twins = {path: paths for paths in alike.values() if len(paths) > 1 for path in paths}
    if not twins:
        return {}
    gaps = {path: _gaps(path) for path in of_log}
    asked = {gap for path in twins for gap in gaps[path]}
    filled: dict[tuple, set[str]] = defaultdict(set)
    for path, of_path in gaps.items():
        for gap in asked.intersection(of_path):
            filled[gap].add(path)
    best: dict[tuple, int] = defaultdict(int)
    places = {path: _folder_and_shape(path) for path in twins}
    for path, place in places.items():
        found = sum(not filled[gap] <= twins[path] for gap in gaps[path])
        best[place] = max(best[place], found)
    return {path: best[place] for path, place in places.items()}


def _gaps(path: str) -> list[tuple]:
    """Return a path with each of its parts left out in turn."""
    parts = parts_of(path)
    texts = tuple(part.text for part in parts)
    shape = shape_of(parts)
    return [
        (shape, i, *texts[:i], *texts[i + 1 :])
        for i, part in enumerate(parts)
        if part.kind != OTHER
    ]


def _folder_and_shape(path: str) -> tuple[str, tuple[str, ...]]:
    folder, _, name = path.rpartition("/")
    return folder, shape_of(parts_of(name))


def _said(test: Unit) -> tuple:
    """Return what a test says of itself, whatever else its log holds."""
    times = (test.start_s, test.date_s, test.length_s)
    return test.entry.format, test.end, test.ends, test.cookies, *times, test.carried


def _connections(test: Unit) -> tuple:
    return test.protocol, test.end, test.ends


def _logged_again(test: Unit, kept: list[Unit], logged: Mapping[tuple, list[Unit]]) -> Unit | None:
    """Return the only test that logs the same connections at the same end with the same numbers.

    As text and as JSON, or cut off. On ports that come again in logs of one format, or where one
    has fewer reports, the numbers must vary so that they cannot agree by chance; but for a log that
    broke off (`_broke_off`).

    Args:
        test: the test.
        kept: those of its connections that are no copies.
        logged: all tests by format, protocol, end and connections.
    """
    if test.tool in SIMULATORS or len(kept) > MANY or not all(map(all, test.ends)):
        return None
    found = []
    for other in kept:
        if other.path == test.path or other.tool != test.tool or not _of_one_date(test, other):
            continue
        if unlike_cookies(test, other):
            continue
        once = test.entry.format != other.entry.format and all(
            len(logged[one.entry.format, *_connections(one)]) == 1 for one in (test, other)
        )
        pairs = [*zip(test.carried, other.carried, strict=True)]
        whole = once and all(abs(len(a) - len(b)) <= 1 for a, b in pairs)
        beside = logged[test.entry.format, *_connections(test)]
        if _broke_off(test, other, beside) or all(
            _print_the_same(a, b) and (whole or _varies(a, len(b))) for a, b in pairs
        ):
            found.append(other)
    return found[0] if len(found) == 1 else None


def _of_one_cookie(test: Unit, other: Unit | None) -> Unit | None:
    """Return the test that iperf3 gave the same name at the same end, if its numbers agree.

    As far as both have them, and print them. One report will do: a name comes once.
    """
    if other is None or not test.cookies or not _of_one_date(test, other):
        return None
    if len(test.carried) != len(other.carried):
        return None
    pairs = [*zip(test.carried, other.carried, strict=True)]
    alike = all(a and b and _agree(a, b) for a, b in pairs)
    return other if alike else None


def _broke_off(test: Unit, other: Unit, beside: list[Unit]) -> bool:
    """Return whether the reports of a log without its end are the first ones of another log.

    If both have one date, one report that is the same will do: a port has one connection at a time.
    Else as many as tell something, which all logs of these connections begin with.

    Args:
        test, other: of the same connections, of like dates.
        beside: all logs of these in the format of the first.
    """
    if test.whole or test.entry.format != other.entry.format:
        return False
    firsts = [len(amounts) for amounts in test.carried]
    if test.start_s is not None and (test.start_s, test.zone) == (other.start_s, other.zone):
        return min(firsts) > 0 and _begin_alike(test, other)
    varied = all(len(set(amounts)) > BY_TURNS for amounts in test.carried)
    return varied and min(firsts) >= FEW and all(_begin_alike(one, other) for one in beside)


def _begin_alike(one: Unit, other: Unit) -> bool:
    """Return whether the reports that both logs have are equal."""
    pairs = zip(one.carried, other.carried, strict=True)
    return all(a == b for of_both in pairs for a, b in zip(*of_both, strict=False))


def _of_one_date(one: Unit, other: Unit) -> bool:
    """Return whether two logs may be of one time: of two formats one may not say it."""
    if one.date_s is None or other.date_s is None or one.zone != other.zone:
        return one.date_s == other.date_s or one.entry.format != other.entry.format
    return abs(one.date_s - other.date_s) <= 2 * CLOCKS_S


def _print_the_same(amounts: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether the bytes of the intervals that both logs have agree as far as they print."""
    return min(len(amounts), len(others)) >= FEW and _agree(amounts, others)


def _agree(amounts: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether the intervals that both logs have count the same, as far as they print it."""
    pairs = zip(amounts, others, strict=False)
    return all(abs(a - b) <= PRINTED * max(a, b) for a, b in pairs)


def _varies(amounts: Sequence[int], n: int) -> bool:
    """Return whether the first n amounts, rounded, cannot be those of another test by chance."""
    rounded = [round(log2(max(amount, 1)) / (2 * PRINTED)) for amount in amounts[:n]]
    return len({*rounded}) > BY_TURNS and _bits(rounded) >= BITS


def _without_its_ends(test: Unit, other: Unit | None) -> Unit | None:
    """Return the test whose numbers a log without addresses has: its head was cut off."""
    if other is None or any(map(all, test.ends)) or test.path == other.path:
        return None
    if test.tool in SIMULATORS or test.tool != other.tool or test.length_s != other.length_s:
        return None
    if unlike_cookies(test, other):
        return None
    alike = test.end in ("", other.end) and test.protocol == other.protocol
    dated = test.start_s is None or other.start_s is None
    bits = BITS_OF_ALL if all(map(all, other.ends)) else BITS
    return other if alike and dated and _tells_much(test, bits) else None


def _collected(tests: list[Unit]) -> set[str]:
    """Return logs of several tests that are all in other logs of fewer: put together of those."""
    fewest: dict[tuple, int] = {}
    for test in tests:
        said = _said(test)
        fewest[said] = min(fewest.get(said, test.n_tests), test.n_tests)
    logs = {test.path for test in tests}
    return logs - {test.path for test in tests if fewest[_said(test)] == test.n_tests}


def _is_called_copy(test: Unit, other: Unit) -> bool:
    """Return whether the path of one of two logs, and not of both, says that it is a copy."""
    return bool(_COPY.search(test.path)) != bool(_COPY.search(other.path))


def _tells(test: Unit, ports_again: bool) -> bool:
    """Return whether what a test says of itself cannot be that of another one by chance.

    Of a simulation it never is by chance: one of the same seed is the same one. Undated tests on
    ports that come again are alike where the counts are whole writes of a slow sender: two or
    three values by turns.
    """
    if test.start_s is not None or test.tool in SIMULATORS:
        return True
    enough = max(map(len, test.carried)) >= FEW
    return enough and (not ports_again or sum(map(_bits, test.carried)) >= BITS)


def _tells_much(test: Unit, bits: float = BITS) -> bool:
    """Return whether an undated test cannot be alike by chance, though its log is another one.

    Several logs were put together, line ends changed, or the head was cut off.
    """
    varied = max(len(set(amounts)) for amounts in test.carried) > BY_TURNS
    return varied and sum(map(_bits, test.carried)) >= bits


def _bits(amounts: Sequence[int]) -> float:
    """Return the information in the counts of intervals, if each were drawn by itself."""
    n = len(amounts)
    return sum(-k * log2(k / n) for k in Counter(amounts).values())
