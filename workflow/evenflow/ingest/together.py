"""Which tests of which logs ran together, by the evidence for it, the strongest first.

1. Addresses and ports: two logs that name the same two ends are the two ends of one connection
   (`mirrored`).
2. Dates: connections that overlap in time (`overlapping`). Those of zones whose offset is not known
   say nothing of other zones.
3. The order of tests, where logs of one run hold equally many and no dates (`in_order`).
4. Folder and names: the undated logs of the numbered hosts of one folder (`hosts_together`).
   This is weak: somebody may have measured from one host after the other.

What nothing joins stands by itself. docs/explanation/pooling.md has the same as a table.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, pairwise
from operator import attrgetter
from typing import NamedTuple

from ..formats import FORMATS
from .dataset import ENDS, FLOW_KEYS, NUMBERS, WORDS
from .entities import Entry, Stream
from .names import DATE

OVERLAP = 0.5  # of the shorter of two tests: so much must be common to be one run
STAGGERED = 0.1  # of the shorter: enough for logs of one family that begin one after the other
CLOCKS_S = 3.0  # but longer than this: dates are whole seconds, and clocks of hosts differ
ALIKE = 0.2  # of the longer of two tests: lengths that differ less are the same
# what names the hosts of an experiment by number: h1, node2, recv_3
HOSTS = re.compile(
    r"(?<![A-Za-z])(?:h|hosts?|nodes?|pc|vm|machine|clients?|servers?|senders?|receivers?|recv|snd"
    r"|rcv|src|dst|sta|ue|peer)[_-]?\{(\w+)\}",
    re.IGNORECASE,
)


class Unit(NamedTuple):
    """The connections of a log that ran at the same time: a test."""

    entry: Entry
    episode: int
    streams: list[Stream]
    start_s: float | None  # since 1970
    length_s: float
    zone: str | None = None  # of the clock of start_s, where its offset is not known


Tests = list[Unit]  # that are known to have run together


def units_of(
    entry: Entry, streams: list[Stream], length_s: dict[tuple[int, int], float]
) -> list[Unit]:
    """Return the tests of a log. `length_s`: by (file_id, stream), of those that have intervals."""
    episodes: dict[int, list[Stream]] = defaultdict(list)
    for stream in streams:
        if (stream.file_id, stream.stream) in length_s:  # else refused, or busy
            episodes[stream.episode].append(stream)
    found = []
    for episode, of_episode in episodes.items():
        starts = [s.start_epoch_s for s in of_episode]
        start = None if None in starts else min(starts)
        length = max(
            length_s.get((s.file_id, s.stream), 0.0) + (s.start_s or 0.0) for s in of_episode
        )
        zone = next((s.zone for s in of_episode if s.zone is not None), None)
        found.append(Unit(entry, episode, of_episode, start, length, zone))
    return found


def together(units: Iterable[Unit], joined: Iterable[tuple[Unit, Unit]]) -> list[Tests]:
    """Return the tests in groups of those that pairs join, directly or by way of others."""
    group = {key(u): [u] for u in units}
    for one, other in joined:
        mine, its = group[key(one)], group[key(other)]
        if mine is not its:
            mine += its
            group |= {key(u): mine for u in its}
    return list({id(tests): tests for tests in group.values()}.values())


def key(unit: Unit) -> tuple[int, int]:
    return unit.entry.file_id, unit.episode


# ---- addresses and ports ------------------------------------------------------------------------


def mirrored(units: list[Unit]) -> list[tuple[Unit, Unit]]:
    """Return the pairs of tests in which two logs report one connection, each from its own end.

    One log's own address and port are the other's peer, and the other way round. Fixed ports are
    the same in every repeat: of several logs that could be the other end the one of the same labels
    counts, then the one in the same folder; where that leaves several, none.
    """
    of_ends: dict[tuple, list[Unit]] = defaultdict(list)
    for unit in units:
        for ends in _ends(unit):
            of_ends[ends].append(unit)
    other_end: dict[tuple, Unit | None] = {}
    for ends, here in of_ends.items():
        for unit in here:
            other_end[key(unit), ends] = _nearest(unit, of_ends.get(ends[::-1], []))
    pairs = {}
    for (one, ends), other in other_end.items():
        back = other_end.get((key(other), ends[::-1])) if other else None
        if back and key(back) == one:
            pairs[frozenset((one, key(other)))] = (back, other)
    return list(pairs.values())


def _ends(unit: Unit) -> set[tuple[str, str]]:
    return {(s.local, s.peer) for s in unit.streams if s.local and s.peer}


def _nearest(unit: Unit, others: list[Unit]) -> Unit | None:
    """Return the test that must be the other end of a connection of `unit`, if one must."""
    left = [o for o in others if o.entry is not unit.entry and _may_be_one(unit, o)]
    for alike in (_names_of_run, attrgetter("folder")):
        if len(left) > 1:
            near = [o for o in left if alike(o.entry) == alike(unit.entry)]
            left = near or left
    return left[0] if len(left) == 1 else None


def _may_be_one(one: Unit, other: Unit) -> bool:
    """Return whether names and dates allow that two tests are the ends of one connection."""
    mine, its = one.entry.values, other.entry.values
    said = (k for k in mine if k in its and not ENDS.fullmatch(k) and _tells_runs_apart(k))
    if any(mine[k] != its[k] for k in said):
        return False
    return not _comparable(one, other) or _common_s(one, other) >= OVERLAP * min(
        one.length_s, other.length_s
    )


def _comparable(one: Unit, other: Unit) -> bool:
    """Return whether two tests have dates that can be compared: of UTC, or of zones named alike."""
    return None not in (one.start_s, other.start_s) and one.zone == other.zone


def _tells_runs_apart(name: str) -> bool:
    return name != "flow" and (name in NUMBERS or name.rstrip("0123456789") in WORDS)


def _names_of_run(entry: Entry) -> dict[str, str]:
    return {k: v for k, v in entry.values.items() if not ENDS.fullmatch(k)}


# ---- dates --------------------------------------------------------------------------------------


def overlapping(groups: list[Tests]) -> list[Tests]:
    """Join groups of tests with dates: those of which each ran beside each of the other's.

    Logs of one family (`family`) may also begin one after the other: there it is enough that each
    overlaps with the next.
    """
    runs: list[Tests] = []
    for tests in sorted(groups, key=_place):
        match = next((run for run in reversed(runs) if _ran_beside(run, tests)), None)
        if match:
            match += tests
        else:
            runs.append(list(tests))
    staggered: list[Tests] = []
    for tests in runs:
        match = next((run for run in reversed(staggered) if _staggered(run, tests)), None)
        if match:
            match += tests
        else:
            staggered.append(tests)
    return staggered


def kept_apart(runs: list[Tests]) -> int:
    """Count the runs that ran beside another one, of which names say that it is another repeat.

    Of runs with dates; only those that follow each other in time are compared.
    """
    found = set()
    for (i, one), (k, other) in pairwise(enumerate(sorted(runs, key=_place))):
        differ = {labels(u.entry) for u in one}.isdisjoint(labels(u.entry) for u in other)
        same = any(_reports(u) & _reports(o) for u in one for o in other)  # a copy of the log
        if differ and not same and _at_the_same_time(_date_pairs(one, other)):
            found |= {i, k}
    return len(found)


def _place(tests: Tests) -> tuple:
    dated = _dated(tests)
    return (
        min(u.zone or "" for u in dated),
        min(u.start_s for u in dated),
        min(u.entry.path for u in tests),
    )


def _dated(tests: Tests) -> Tests:
    return [u for u in tests if u.start_s is not None]


def _date_pairs(run: Tests, tests: Tests) -> list[tuple[Unit, Unit]]:
    """Return the pairs of a test of each whose dates can be compared."""
    return [(one, other) for one in run for other in tests if _comparable(one, other)]


def _common_s(one: Unit, other: Unit) -> float:
    """Return for how long two tests with dates ran at the same time, seconds."""
    begin = max(one.start_s, other.start_s)
    return min(one.start_s + one.length_s, other.start_s + other.length_s) - begin


def _ran_beside(run: Tests, tests: Tests) -> bool:
    """Return whether tests ran beside all of a run's, in other logs, under the same labels."""
    if not _may_be_one_run(run, tests):
        return False
    return _at_the_same_time(_date_pairs(run, tests))


def _at_the_same_time(pairs: list[tuple[Unit, Unit]]) -> bool:
    return bool(pairs) and all(
        _common_s(one, other) >= OVERLAP * min(one.length_s, other.length_s) for one, other in pairs
    )


def _staggered(run: Tests, tests: Tests) -> bool:
    """Return whether tests of one family, all as long, follow a run so that they overlap."""
    if not _may_be_one_run(run, tests) or len({family(u.entry) for u in (*run, *tests)}) > 1:
        return False
    if not _alike([*run, *tests]):
        return False  # a long test beside many short ones, which did not run together
    return any(
        _common_s(one, other) > max(CLOCKS_S, STAGGERED * min(one.length_s, other.length_s))
        for one, other in _date_pairs(run, tests)
    )


def _may_be_one_run(run: Tests, tests: Tests) -> bool:
    """Return whether logs, labels and connections allow that tests belong to a run."""
    if {u.entry.path for u in run} & {u.entry.path for u in tests}:
        return False  # a log's tests ran one after the other
    if any(_reports(u) & _reports(o) for u in run for o in tests):
        return False  # the same connection: a copy of the log
    return {labels(u.entry) for u in run} >= {labels(u.entry) for u in tests}


def _reports(unit: Unit) -> set[tuple]:
    return {(s.side, s.local, s.peer) for s in unit.streams if s.local}


def labels(entry: Entry) -> tuple:
    """Return what a name says of its run; a bare number ('out_0012') may count logs instead."""
    values = entry.values
    date = re.fullmatch(DATE, values.get("run", "")[:40], re.IGNORECASE)
    return values.get("repeat"), date[0] if date and len(date[0]) > len("20240315") else None


def apart(units: list[Unit]) -> bool:
    """Return whether dates say that tests did not run together."""
    of_zone: dict[str | None, list[Unit]] = defaultdict(list)
    for unit in sorted(_dated(units), key=lambda u: u.start_s):
        of_zone[unit.zone].append(unit)
    return any(
        later.start_s > max(u.start_s + u.length_s for u in dated[:i]) + 1
        for dated in of_zone.values()
        for i, later in enumerate(dated)
        if i
    )


# ---- the order of tests -------------------------------------------------------------------------


def in_order(units: list[Unit]) -> tuple[list[Tests], list[Unit]]:
    """Pair the tests of undated logs of different hosts or flows, where they are equally many.

    Returns:
        The pairs, and the tests that have none.
    """
    of_run: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        path = unit.entry.path
        ended = any(ENDS.fullmatch(name) for name in unit.entry.values)
        of_run[unit.entry.pattern_run if ended else path][path].append(unit)
    pairs, alone = [], []
    for of_file in of_run.values():
        files = list(of_file.values())
        several = len(files) > 1 and len({len(f) for f in files}) == 1 and len(files[0]) > 1
        if several and all(_alike(tests) for tests in zip(*files, strict=True)):
            pairs += [list(tests) for tests in zip(*files, strict=True)]
        else:
            alone += [u for f in files for u in f]
    return pairs, alone


def _alike(tests: Iterable[Unit]) -> bool:
    lengths = [u.length_s for u in tests]
    return max(lengths) - min(lengths) <= ALIKE * max(lengths)


# ---- folder and names ---------------------------------------------------------------------------


def hosts_of(entry: Entry) -> list[str]:
    """Return the placeholders of a log's template that number its hosts: of 'h{host}.log' host."""
    found = HOSTS.findall(entry.template)
    numbered = [name for name in found if entry.values.get(name, "").isdigit()]
    return [name for name in numbered if name not in (*NUMBERS, *WORDS, "run", "side")]


def family(entry: Entry) -> tuple:
    """Return what logs of one experiment have in common in their names: all but host and flow.

    The congestion control, the start and the round-trip time may be those of the flow.
    """
    hosts = hosts_of(entry)
    said = {
        name: value
        for name, value in entry.values.items()
        if not ENDS.fullmatch(name) and name not in (*hosts, *FLOW_KEYS, "run")
    }
    template = re.sub(r"\{run\}", "*", entry.template)
    return template, tuple(sorted(said.items())), labels(entry)


def hosts_together(groups: list[Tests], n_tests: dict[str, int]) -> tuple[list[Tests], list[Tests]]:
    """Join undated tests whose logs' names differ in nothing but the number of the host.

    Each log holds one test, and none is less than half as long as another. A server of iperf3
    serves one test at a time, so that two tests of one server did not run together.

    Args:
        groups: undated tests, in groups of those that addresses join.
        n_tests: of each log, by its path.

    Returns:
        The groups that were joined, and those that nothing joins.
    """
    of_family: dict[tuple, list[Tests]] = defaultdict(list)
    alone = []
    for tests in groups:
        one_test = all(n_tests[u.entry.path] == 1 and hosts_of(u.entry) for u in tests)
        if one_test:
            runs = {u.entry.values.get("run") for u in tests}
            of_family[frozenset(family(u.entry) for u in tests), *sorted(map(str, runs))].append(
                tests
            )
        else:
            alone.append(tests)
    joined = []
    for members in of_family.values():
        if len(members) > 1 and _hosts_differ(members) and not _exclude_each_other(members):
            joined.append([u for tests in members for u in tests])
        else:
            alone += members
    return joined, alone


def _hosts_differ(members: list[Tests]) -> bool:
    """Return whether every log is of a host of its own, and the tests are about as long."""
    units = [u for tests in members for u in tests]
    hosts = [(tuple(u.entry.values[n] for n in hosts_of(u.entry)), _side(u)) for u in units]
    lengths = [u.length_s for u in units]
    copied = any(_reports(u) & _reports(o) for u, o in combinations(units, 2))
    long_enough = min(lengths) >= OVERLAP * max(lengths)
    return len(set(hosts)) == len(units) and long_enough and not copied


def _side(unit: Unit) -> str | None:
    return unit.streams[0].side


def _exclude_each_other(members: list[Tests]) -> bool:
    """Return whether two tests had one server of iperf3, which serves one at a time."""
    servers = [
        {_server(s) for u in tests for s in u.streams if _is_iperf3(u)} - {None}
        for tests in members
    ]
    return any(one & other for one, other in combinations(servers, 2))


def _is_iperf3(unit: Unit) -> bool:
    return FORMATS[unit.entry.format].TOOL == "iperf3"


def _server(stream: Stream) -> str | None:
    """Return the end of a connection with the lower port: a client's is above 32767."""
    ends = [end for end in (stream.local, stream.peer) if end]
    ports = [int(p) for p in (end.rpartition(":")[2] for end in ends) if p.isdigit()]
    return ends[ports.index(min(ports))] if len(ports) == 2 else None
