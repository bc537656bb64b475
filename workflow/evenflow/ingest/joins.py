"""Which tests of which logs ran together: evidence in a fixed order, each able to veto the next.

0. Copies go first: one connection logged twice at one end, with the same numbers, is one.
1. Names (`roles`): logs whose paths are alike but for members of a run (flow, end, host, port) are
   one. Vetoes: two logs claim one place; one server serves one test at a time, and lengths are
   unlike, unless names say the flow; dates that do not meet (but for a clock, `clocks`).
2. The order of tests in undated logs of one folder that hold equally many of equal length.
3. Both ends of a connection, each from its own log. Vetoes: a log that holds both; the protocol;
   lengths of whole connections; another repeat or setting in names; starts more than 6 s apart,
   unless ports come once and the bytes agree (then a clock is off); several that fit. Ports that
   come again and mostly find no partner are no evidence.
4. Dates: a test beside the longest of a run for half of the shorter. In one folder; of two folders
   only with a host or network in common. Not where names say another repeat or setting.

What is left stands alone, and is asked about where only a weak label differs: undated logs of other
variants or places. docs/explanation/pooling.md has the same as a table.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from math import log2
from typing import NamedTuple

from .both_ends import tell_ends
from .clocks import CLOCKS_S, HALF, Clocks
from .roles import (
    BARE,
    END,
    FLOW,
    HOST,
    MEMBER,
    OTHER,
    OWN,
    PLACE,
    PORT,
    REPEAT,
    SIDE,
    WEAK,
    parts_of,
    shape_of,
)
from .units import (
    CLIENT,
    SERVER,
    SIMULATORS,
    Ends,
    Unit,
    began_later_s,
    may_be_ends,
    names_differ,
    network_of,
    span_s,
)

CARRIED_ALIKE = 0.9  # share of bytes: what both ends of a connection count differs less
ALIKE = 0.2  # of the longer of two tests: lengths that differ less are the same
NEAR = 40  # runs next to one, by date and name, that are looked at for what to ask
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

BY_NAMES, BY_ORDER, BY_ENDS, BY_DATES, ALONE = "names", "order", "ends", "dates", "alone"


class Doubt(NamedTuple):
    """What cannot be known of some logs, and is asked."""

    kind: str
    paths: tuple[str, ...]  # an example


# kinds of doubts
CLAIMS = "names give several logs one place of one run"
ONE_AT_A_TIME = "names join tests that one server of iperf3 served, which serves one at a time"
UNLIKE_LENGTHS = "names join undated logs of unlike length"
PARTED_BY_DATES = "names join logs that dates separate"
PORTS_AGAIN = "several tests used the same ports, so it is unclear which logs belong together"
OTHER_ENDS = "logs of clients and of their server, which nothing pairs: the same tests twice?"
END_UNSAID = "two logs of one connection, and neither says which is the server's"
COUNTS_WHAT = "a number behind the variant of a flow may count flows, or be a setting"
ONE_OR_TWO = (
    "two logs, whose names differ only in a variant, a place or a number, may have run together, "
    "or one after the other"
)
AT_ONCE = "names give them other repeats or settings"
BY_PATTERNS = "ran at the same time by their dates, but patterns under files: separate them"
TWO_NETWORKS = "ran at the same time in folders that share no network"
IN_ONE_LOG = "tests of one log ran at the same time by their dates"


@dataclass(slots=True, eq=False)
class Run:
    """Tests that ran together, and the evidence for it, the weakest that was needed."""

    tests: list[Unit]
    evidence: set[str] = field(default_factory=set)


class Joined(NamedTuple):
    """What `join` found."""

    runs: list[Run]
    copies: list[tuple[Unit, Unit]]  # and what they are copies of
    doubts: list[Doubt]
    beside: dict[str, tuple[tuple, tuple]]  # of `roles.read_roles`
    clocks: Clocks


def join(tests: list[Unit], read_names: Callable[[list[Unit]], dict]) -> Joined:
    """Join the tests of a folder to runs.

    Args:
        tests: of all logs.
        read_names: `roles.read_roles`; called once copies are gone.
    """
    doubts = [_doubt(END_UNSAID, pair) for pair in tell_ends(tests)]
    tests, copies = without_copies(tests)
    beside = read_names(tests)
    runs = _Runs(tests)
    candidates = _alike_by_name(tests)
    series = list(_series(tests))
    clocks = Clocks(_told(candidates, series, tests), _once(tests))
    weak = []  # numbered hosts or ports alone, without dates
    for found in candidates:
        for part in in_order(found):
            for cluster in _at_once(part, clocks, doubts):
                if _vetoed(cluster, doubts):
                    continue
                if is_weak(cluster):
                    weak.append(cluster)
                else:
                    runs.unite(cluster, BY_NAMES)
    for part in series:
        fitting = [part[0], *(t for t in part[1:] if _may_follow(part[0], t, clocks))]
        runs.unite(fitting, BY_ORDER)
    for pair in _mirrored(tests, clocks, runs, doubts):
        runs.unite(pair, BY_ENDS)
    for cluster in weak:
        beside_them = [t for test in cluster for t in runs.of[id(test)].tests]
        if all(
            {HOST, PORT} & _kinds(t) for t in beside_them
        ):  # not where others have names of places
            runs.unite(cluster, BY_NAMES)
    _join_by_dates(runs, clocks, doubts)
    joined = runs.all()
    of_networks = {d.paths for d in doubts if d.kind == TWO_NETWORKS}
    doubts += (d for d in _asked(joined, clocks) if d.paths not in of_networks)
    doubts += _at_once_in_one_log(tests)
    doubts += _unpaired(
        joined, clocks, {p for d in doubts if d.kind == PORTS_AGAIN for p in d.paths}
    )
    return Joined(joined, copies, doubts, beside, clocks)


class _Runs:
    """Tests in groups that grow."""

    def __init__(self, tests: list[Unit]):
        self.of = {id(test): Run([test]) for test in tests}

    def unite(self, tests: Iterable[Unit], evidence: str) -> None:
        first, *others = tests
        run = self.of[id(first)]
        for other in others:
            its = self.of[id(other)]
            if its is run:
                continue
            if len(its.tests) > len(run.tests):
                run, its = its, run
            run.tests += its.tests
            run.evidence |= its.evidence | {evidence}
            for test in its.tests:
                self.of[id(test)] = run

    def same(self, one: Unit, other: Unit) -> bool:
        return self.of[id(one)] is self.of[id(other)]

    def all(self) -> list[Run]:
        return list({id(run): run for run in self.of.values()}.values())


# ---- copies --------------------------------------------------------------------------------------


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
        elif again := _logged_again(test, kept_of[_connections(test)], logged):
            copies.append((test, again))
        elif bare := _without_its_ends(test, kept_amounts.get(test.carried)):
            copies.append((test, bare))
        else:
            kept_of[_connections(test)].append(test)
            kept_amounts.setdefault(test.carried, test)
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
    return test.entry.format, test.end, test.ends, *times, test.carried


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
    pairs = [*zip(amounts, others, strict=False)]
    return len(pairs) >= FEW and all(abs(a - b) <= PRINTED * max(a, b) for a, b in pairs)


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


# ---- names ---------------------------------------------------------------------------------------


def _alike_by_name(tests: list[Unit]) -> list[list[Unit]]:
    named: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        named[test.key].append(test)
    return [found for found in named.values() if len({t.path for t in found}) > 1]


def _told(candidates, series, tests: list[Unit]) -> list[list[list[Unit]]]:
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


def in_order(tests: list[Unit], dated: bool = False) -> list[list[Unit]]:
    """Pair the tests of logs that hold several, where they hold equally many.

    Args:
        tests: of some logs.
        dated: whether also tests of which all have dates, which otherwise dates part. Their lengths
            may be unlike.
    """
    if all(t.n_tests == 1 for t in tests):
        return [tests]
    all_dated = all(t.start_s is not None for t in tests)
    if all_dated and not dated:
        return [tests]
    if len({t.n_tests for t in tests}) > 1:
        return []
    found: dict[int, list[Unit]] = defaultdict(list)
    for test in tests:
        found[test.order].append(test)
    lengths = [[t.length_s for t in part] for part in found.values()]
    alike = all(max(of_part) - min(of_part) <= ALIKE * max(of_part) for of_part in lengths)
    return list(found.values()) if alike or all_dated else []


def _series(tests: list[Unit]) -> Iterator[list[Unit]]:
    """Yield the tests of one number in logs of one folder that hold equally many."""
    of_shape: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        places = {i for i, role in test.roles.items() if role.role == PLACE}
        if test.n_tests > 1 and places and test.end:
            rest = tuple("*" if i in places else text for i, text in enumerate(test.key[1]))
            of_shape[test.folder, test.end, test.key[0], rest].append(test)
    for found in of_shape.values():
        if len({t.path for t in found}) > 1:
            yield from in_order(found, dated=True)


def _may_follow(one: Unit, other: Unit, clocks: Clocks) -> bool:
    common = clocks.common(one, other)
    return not excluded(one, other) and (common is None or common >= HALF)


def _at_once(tests: list[Unit], clocks: Clocks, doubts: list[Doubt]) -> list[list[Unit]]:
    """Part tests that names join by their dates; undated ones must be about as long."""
    if any(t.start_s is None for t in tests) or len({t.zone for t in tests}) > 1:
        whole = [t.length_s for t in tests if t.whole]
        said = bool(_kinds(tests[0]) & {FLOW, END})
        if whole and min(whole) < HALF * max(whole) and not said:  # else a client was killed
            doubts.append(_doubt(UNLIKE_LENGTHS, tests))
            return []
        return [tests]
    clusters = clocks.parted(tests)
    if len(clusters) > 1 and all(t.n_tests == 1 for t in tests):
        doubts.append(_doubt(PARTED_BY_DATES, tests))
    return clusters


def _vetoed(tests: list[Unit], doubts: list[Doubt]) -> bool:
    """Return whether tests that names join cannot be one run, or need not."""
    if len(tests) < 2:
        return True
    claims = {(t.claim, t.end) for t in tests}
    if len(claims) < len(tests):
        doubts.append(_doubt(CLAIMS, tests))
        return True
    said = bool(_kinds(tests[0]) & {FLOW, END})  # then two servers may have one address, as in NAT
    if not said and any(a.claim != b.claim and excluded(a, b) for a, b in combinations(tests, 2)):
        doubts.append(_doubt(ONE_AT_A_TIME, tests))
        return True
    kinds = _kinds(tests[0])
    if OWN in kinds and BARE in kinds:
        doubts.append(_doubt(COUNTS_WHAT, tests))
    return False


def _kinds(test: Unit) -> set[str]:
    return {role.role for role in test.roles.values()}


def is_weak(tests: list[Unit]) -> bool:
    """Return whether nothing but numbers of hosts or ports says that undated tests are one run."""
    undated = any(t.start_s is None for t in tests)
    return undated and set.union(*map(_kinds, tests)) & MEMBER in ({HOST}, {PORT}, {HOST, PORT})


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


# ---- ends ----------------------------------------------------------------------------------------


def _by_ends(tests: list[Unit]) -> dict[Ends, list[Unit]]:
    of_ends: dict[Ends, list[Unit]] = defaultdict(list)
    for test in tests:
        if test.tool in SIMULATORS:
            continue
        for ends in set(test.ends):
            if all(ends):
                of_ends[ends].append(test)
    return of_ends


def _once(tests: list[Unit]) -> Iterator[tuple[Unit, Unit]]:
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
            if not _began_together(one, other, ends, clocks):
                found.append(abs(clocks.later_s(one, other) or 0.0))
    return max(found)


def _carried_alike(one: Unit, other: Unit, ends: Ends) -> bool:
    """Return whether the two logs of a connection count about the same bytes."""
    amounts = one.carried[one.ends.index(ends)], other.carried[other.ends.index(ends[::-1])]
    n = min(map(len, amounts))
    fewer, more = sorted(sum(of[:n]) for of in amounts)
    return fewer >= CARRIED_ALIKE * more > 0


def _mirrored(
    tests: list[Unit], clocks: Clocks, runs: _Runs, doubts: list[Doubt]
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
            for alike in (
                lambda o, t=test: o.key == t.key,
                lambda o, t=test: runs.same(o, t),
                lambda o, t=test: o.folder == t.folder,
            ):
                if len(left) > 1:
                    left = [o for o in left if alike(o)] or left
            choice[id(test), ends] = left[0] if len(left) == 1 else None
            if len(left) > 1:
                doubts.append(_doubt(PORTS_AGAIN, [test, *left]))
    partners: dict[tuple, list[bool]] = defaultdict(list)
    for (_, ends), other in choice.items():
        if len(of_ends[ends]) > 1:  # fixed ports: by chance some dates of other runs fit
            partners[ends].append(other is not None)
    for (one, ends), other in choice.items():
        mostly_none = 2 * sum(partners[ends]) < len(partners[ends])
        back = choice.get((id(other), ends[::-1])) if other else None
        if back and other and id(back) == one and not mostly_none:
            yield back, other


# ---- dates ---------------------------------------------------------------------------------------


def _join_by_dates(runs: _Runs, clocks: Clocks, doubts: list[Doubt]) -> None:
    """Join runs of which the tests of one ran beside the longest of another."""
    dated = [run for run in runs.all() if any(t.start_s is not None for t in run.tests)]
    rank = {
        id(run): n
        for n, run in enumerate(sorted(dated, key=lambda r: -max(t.length_s for t in r.tests)))
    }
    pairs = set()
    otherwise: dict[Unit, list[Unit]] = defaultdict(list)  # of a test those beside it
    named: set[str] = set()  # their paths
    for a, b in _near_in_time(dated, clocks):
        if runs.same(a, b) or not _comparable(a, b):
            continue
        if not excluded(a, b):
            ids = (id(runs.of[id(a)]), id(runs.of[id(b)]))
            pairs.add(tuple(sorted(ids, key=rank.__getitem__)))
        elif a.path in named and b.path in named:
            continue
        elif a.path != b.path and names_differ(a, b) and (clocks.common(a, b) or 0.0) >= HALF:
            otherwise[a].append(b)
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
            doubts.append(_doubt(TWO_NETWORKS, [mine.tests[0], its.tests[0]]))
            continue
        runs.unite((mine.tests[0], its.tests[0]), BY_DATES)
    doubts += (_doubt(AT_ONCE, tests) for tests in _runs_at_once(otherwise, runs, clocks))


def _runs_at_once(
    otherwise: dict[Unit, list[Unit]], runs: _Runs, clocks: Clocks
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
    """Return whether two logs of one end name a connection: at another time or in a copy."""
    return one.end == other.end and any(pair in other.ends for pair in one.ends if any(pair))


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


# ---- what is asked -------------------------------------------------------------------------------


def _doubt(kind: str, tests: Iterable[Unit]) -> Doubt:
    return Doubt(kind, tuple(sorted({t.path for t in tests})))


def _asked(runs: list[Run], clocks: Clocks) -> Iterator[Doubt]:
    """Yield runs whose names differ in nothing but a weak label, where dates do not tell."""
    of_rest: dict[tuple, list[Run]] = defaultdict(list)
    for run in runs:
        test = run.tests[0]
        weak = {i for i, role in test.roles.items() if role.role in WEAK | {SIDE}}
        if weak:
            rest = tuple("*" if i in weak else text for i, text in enumerate(test.key[1]))
            of_rest[test.key[0], rest].append(run)
    for alike in of_rest.values():
        tests = sorted((run.tests[0] for run in alike), key=lambda t: (t.start_s or 0.0, t.path))
        for i, test in enumerate(tests):
            near = tests[i + 1 : i + 1 + NEAR]
            other = next((o for o in near if _may_be_one(test, o, clocks)), None)
            if other is not None:
                yield _doubt(ONE_OR_TWO, (test, other))


def _at_once_in_one_log(tests: list[Unit]) -> Iterator[Doubt]:
    """Yield logs that clients of one run may have shared: two of their tests overlap by dates."""
    dated: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        if test.n_tests > 1 and test.start_s is not None:
            dated[test.path, test.zone].append(test)
    for of_log in dated.values():
        of_log.sort(key=span_s)
        for one, other in pairwise(of_log):
            common_s = min(span_s(one)[1], span_s(other)[1]) - span_s(other)[0]
            if common_s >= max(HALF * min(one.length_s, other.length_s), CLOCKS_S):
                yield _doubt(IN_ONE_LOG, of_log)
                break


def _unpaired(runs: list[Run], clocks: Clocks, asked: set[str]) -> Iterator[Doubt]:
    """Yield undated tests of clients beside such of their server, of which no run has both.

    Ports do not tell, as with translated addresses; a test that both ends logged counts twice then.

    Args:
        runs, clocks: as found.
        asked: paths of logs whose ends are asked about already.
    """
    alone: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for run in runs:
        ends = {test.end for test in run.tests}
        for test in run.tests if len(ends) == 1 else ():
            if not test.both_ends and test.path not in asked:
                for server in test.servers:
                    alone[server, test.end].append(test)
    for (server, end), tests in alone.items():
        others = alone.get((server, SERVER), [])[:NEAR] if end == CLIENT else []
        for test in tests if others else ():
            fitting = (o for o in others if _may_hold_it(o, test))
            other = next((o for o in fitting if clocks.common(test, o) is None), None)
            if other is not None:
                yield _doubt(OTHER_ENDS, (test, other))


def _may_hold_it(server: Unit, client: Unit) -> bool:
    """Return whether a connection in a server's log may be the client's, whatever its ports."""
    return any(may_be_ends(client, server, pair) for pair in server.ends or (None,))


def _may_be_one(one: Unit, other: Unit, clocks: Clocks) -> bool:
    common = clocks.common(one, other)
    differ = {r.role for i, r in one.roles.items() if other.roles[i].text != r.text}
    return (common is None or common >= HALF) and bool(differ & WEAK) and not excluded(one, other)
