"""What the page says of the evidence for runs, and what it asks where there is none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

from ..markdown import first_of
from .described.known_settings import FLOW_KEYS, OF_ENDS
from .entities import DEFAULT, GUESS, JOINED, LOGS_SAY, NAMES_SAY, Assumption, Entry
from .joining import by_ends, by_names, joined
from .joining.both_ends import end_in_name
from .joining.clocks import Clocks
from .joining.roles import HOST
from .joining.units import CLIENT, SERVER, Ends
from .offered import csv_line

BY_DATES = "connections that overlap in time are one run"
BY_NAMES = "by the files' names"
BY_DEVICES = "the traces of single devices with one prefix are of one simulation"
BY_ENDS = "client's and server's logs joined by the addresses and ports of their connections"
BY_COOKIES = "client's and server's logs joined by iperf3's name of their test (cookie)"
BY_BOTH_PORTS = "client's and server's logs joined by their ports, though their addresses differ"
ONE_COOKIE = "both ends log the same one"
TRANSLATED = (
    "as behind NAT or in a container: ports, bytes, and dates or names agree; if they are of two "
    "flows, 'format: ignore' for one of them, in the lines of `files`"
)
BY_ORDER = "the tests of the logs are paired in their order"
BY_HOSTS = "the logs of the numbered hosts of a folder are one run"
BY_PORTS = "the logs of one server's ports are one run"
BOTH_ENDS = "each of two logs names both ends of the same connection"
EQUALLY_MANY = "no dates separate the logs, and they have equally many tests of like lengths"
MANY_DATED = "no dates separate the logs, and they have equally many tests"
ALL_DATED = "the logs give the date of each connection"
SOME_DATED = "the logs give the dates of some connections"
NOTHING_TELLS = "no name and no date tells what ran together"
NOTHING_BESIDE = "neither its name nor its date connects it with another log"
BY_ITSELF = "each log, or test in it, by itself"
DOUBTED = f"{BY_ITSELF}, with a doubt"
NOT_ENOUGH = "it may have run together with another log: another row here says what is not known"
# evidence: how the page says it, why, and how sure that is
SAID = {
    joined.BY_NAMES: (BY_NAMES, "they distinguish the flows", NAMES_SAY),
    joined.BY_DEVICES: (BY_DEVICES, "ns-3 names them so: node and device", NAMES_SAY),
    joined.BY_ORDER: (BY_ORDER, EQUALLY_MANY, GUESS),
    joined.BY_COOKIES: (BY_COOKIES, ONE_COOKIE, LOGS_SAY),
    joined.BY_ENDS: (BY_ENDS, BOTH_ENDS, LOGS_SAY),
    joined.BY_PORTS: (BY_BOTH_PORTS, TRANSLATED, GUESS),
    joined.BY_DATES: (BY_DATES, ALL_DATED, LOGS_SAY),
}
SURER = (LOGS_SAY, NAMES_SAY, DEFAULT, GUESS)  # the surest first

ANSWERS = {  # kinds of doubts: how it is taken, and when that is wrong
    joined.ONE_OR_TWO: ("they are not taken as one run", "if they ran at once"),
    joined.AT_ONCE: ("they are not one run", "if they are"),
    joined.ONE_SERVER: (
        "they are not taken as one run: a clock is off, or an address is that of several servers",
        "if they are one run",
    ),
    joined.TWO_NETWORKS: ("they are not taken as one run", "if they are one"),
    joined.IN_ONE_LOG: ("each test is taken as a run of its own", "if they are flows of one run"),
    joined.BY_PATTERNS: ("the patterns count: they are not one run", "if they are one"),
    joined.COUNTS_WHAT: (
        "it is taken as a setting, not as the number of a flow: logs of one number are one run",
        "if it counts flows: {flow} in its place, in the lines of `files`",
    ),
    joined.PORTS_AGAIN: ("they are not joined", "to join them"),
    joined.OTHER_ENDS: (
        "they are not joined",
        "to leave one side out: 'format: ignore' for it, in the lines of `files`; to join them",
    ),
    joined.TWO_ENDS: (
        "they count as two flows",
        "if they are one: {side} in the place of what names the end, in the lines of `files`; or",
    ),
    joined.END_UNSAID: (
        "they are the two ends of a flow, and the report of the first counts",
        "to count the other: 'format: ignore' for the first, in the lines of `files`; to join them",
    ),
    joined.CLAIMS: ("they are not joined by their names", "to join them"),
    joined.ONE_AT_A_TIME: (
        "they are not joined by their names",
        "if they are one run all the same",
    ),
    joined.FAILED_AMONG: ("they are not paired in their order", "to pair them"),
    joined.UNLIKE_LENGTHS: ("they are not joined by their names", "if they are one run"),
    joined.PARTED_BY_DATES: (
        "the dates in their logs say that they did not run together, and count",
        "if a clock was wrong (with the true start_s, seconds after the first)",
    ),
}
# a table of some logs alone would leave open what the others are
WITH = "with the lines of `files` and this table (if they have one, in its rows)"
CUT = "cut them into logs of a flow each, and name their run in a table runs.csv (path, run, flow)"
OF_ONE_FLOW = (joined.PORTS_AGAIN, joined.OTHER_ENDS, joined.END_UNSAID)  # two logs are its ends
LISTED = 8  # logs in the lines of a doubt, of a case
MOST_ROWS = 50  # of the table of all of its cases
NOT_TAKEN = (joined.CLAIMS, joined.ONE_AT_A_TIME, joined.UNLIKE_LENGTHS, joined.PARTED_BY_DATES)


def list_runs(runs: list[joined.Run], doubts: Iterable[joined.Doubt] = ()) -> list[Assumption]:
    """Return rows on how runs were found: how many by which evidence.

    `doubts`: what was found on the way. Of a log with a doubt no row says that nothing connects it.
    """
    doubtful = {path for doubt in doubts for path in doubt.paths}
    count: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        said = _said_of(run)
        if said[1] == NOTHING_BESIDE and run.tests[0].path in doubtful:
            said = (DOUBTED, NOT_ENOUGH, DEFAULT)
        count[said] += 1
    return [
        Assumption("runs", f"{n}, {how}", because, "", certainty, JOINED)
        for (how, because, certainty), n in sorted(count.items())
    ]


def _said_of(run: joined.Run) -> tuple[str, str, str]:
    if len(run.tests) == 1:
        if len(run.tests[0].streams) > 1:
            ends = [frozenset(pair) for pair in run.tests[0].ends]
            of_one = len(set(ends)) == 1 and all(ends[0])
            because = "it holds both ends of its flow" if of_one else "it holds several flows"
            return "each log, or test in it, is one", because, LOGS_SAY
        because = NOTHING_TELLS if run.tests[0].start_s is None else NOTHING_BESIDE
        return BY_ITSELF, because, DEFAULT
    if is_weak(run):
        members = {role.role for test in run.tests for role in test.roles.values()}
        hosts = HOST in members
        port = "a number only, which goes with the server's port"
        how, what = (BY_HOSTS, "the host only") if hosts else (BY_PORTS, port)
        undated = all(test.start_s is None for test in run.tests)
        without = "they have no dates" if undated else "not all of them have dates"
        because = (
            f"their names differ in {what}, and {without}: weak evidence, below are the lines that "
            "say the opposite"
        )
        return how, because, GUESS
    parts = [SAID[which] for which in SAID if which in run.evidence]
    how = "; ".join(part[0] for part in parts)
    dated = {test.start_s is not None for test in run.tests}
    # lengths are compared of undated tests, and those without a date come by other evidence
    otherwise = {EQUALLY_MANY: MANY_DATED} if dated == {True} else {ALL_DATED: SOME_DATED}
    because = "; ".join(otherwise.get(part[1], part[1]) for part in parts)
    return how, because, max((part[2] for part in parts), key=SURER.index)


def is_weak(run: joined.Run) -> bool:
    """Return whether nothing but numbers of hosts or ports in names says that logs are one run."""
    return run.evidence == {joined.BY_NAMES} and by_names.is_weak(run.tests)


def list_doubts(
    doubts: Iterable[joined.Doubt],
    runs: Iterable[joined.Run] = (),
    beside: Iterable[Entry] = (),
) -> list[Assumption]:
    """Return what is asked of a folder: a row a kind of doubt, with its count and an example.

    Not what came to be one run by other evidence.

    Args:
        doubts: what was found on the way.
        runs: what came of it; none of a folder that dataset.yml describes.
        beside: logs of such a folder, as far as they are known.
    """
    runs = [*runs]
    runs_of: dict[str, set[int]] = defaultdict(set)
    n_flows: Counter[str] = Counter()
    ends: dict[str, Ends] = {}
    settings: dict[str, Mapping[str, Any]] = {e.path: e.settings for e in beside}
    for number, run in enumerate(runs):
        for test in run.tests:
            runs_of[test.path].add(number)
            n_flows[test.path] += len(test.streams)
            settings[test.path] = test.entry.settings
            if test.ends and all(test.ends[0]):
                ends[test.path] = test.ends[0]
    found = (d for d in doubts if d.kind not in NOT_TAKEN or not _is_one(d, runs_of))
    of_kind: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for doubt in found:
        of_kind[doubt.kind].add(doubt.paths)
    rows = []
    for kind, examples in sorted(of_kind.items()):
        taken, otherwise = ANSWERS[kind]
        first, n = min(examples), len(examples)
        shown = first_of(first, 2, " and ")
        value = f"{n} {'case' if n == 1 else 'cases'} of doubt: {kind}"
        if kind in NOT_TAKEN:
            value = f"{n} that names suggest {'is' if n == 1 else 'are'} not taken as such: {kind}"
        elif kind == joined.AT_ONCE:
            n_logs = len(set().union(*examples))
            value = f"{n_logs} logs ran at the same time as another and are not one run with it: "
            value += kind
        elif kind in (joined.TWO_NETWORKS, joined.ONE_SERVER):
            value = f"{n} {'case' if n == 1 else 'cases'} of doubt: logs {kind}"
        lines = [f"# {shown}: {kind}", f"#   as it is: {taken}"]
        table: list[dict[str, Any]] = []
        n_shown = 0
        for example in sorted(examples) if kind != joined.COUNTS_WHAT else ():
            some = example[:LISTED]
            if kind not in OF_ONE_FLOW:  # the logs of other ends and flows of their runs, too
                parts = set().union(*(runs_of[path] for path in some))
                of_runs = {test.path for number in parts for test in runs[number].tests}
                some = tuple(sorted({*some, *of_runs}))
            of_one_flow = all(n_flows[path] <= 1 for path in some)
            # whether a further log is of a flow of its own only its addresses say
            numbered = of_one_flow and all(path in ends for path in {*some} - {*example})
            sure = of_one_flow or (kind == joined.AT_ONCE and all(path in ends for path in some))
            known = {row["path"] for row in table}
            if sure and not known & {*some} and (not table or len(table) + len(some) <= MOST_ROWS):
                alike = _alike([settings.get(path, {}) for path in some])
                table += _one_run(kind, some, ends, examples, alike, numbered)
                n_shown += 1
        if kind == joined.COUNTS_WHAT:
            lines.append(f"#   {otherwise}")
        elif not table:
            lines.append(f"#   {otherwise}: {CUT}")
        else:
            part = f"; here {n_shown} of {n} cases" if n_shown < n else ""
            lines += [f"#   {otherwise}, {WITH}{part}:", *_table(table)]
        because = f"{shown}; {taken}"
        rows.append(Assumption("runs", value, because, "\n".join(lines), GUESS, JOINED))
    return rows


def _is_one(doubt: joined.Doubt, runs_of: Mapping[str, set[int]]) -> bool:
    return len(set().union(*(runs_of[path] for path in doubt.paths))) == 1


def _alike(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one value of each setting in which names of logs differ that are one run after all.

    Not of those of a flow, nor of labels of places (`flows`).
    """
    keys = {key for said in settings for key in said} - {*FLOW_KEYS}
    of_run = (k for k in keys if not re.fullmatch("cca[0-9]*", k) and not OF_ENDS.fullmatch(k))
    values = {key: [said[key] for said in settings if key in said] for key in sorted(of_run)}
    return {
        key: "+".join(sorted({*of})) if isinstance(of[0], str) else min(of)
        for key, of in values.items()
        if len({*of}) > 1
    }


def _one_run(
    kind: str,
    paths: Sequence[str],
    ends: Mapping[str, Ends],
    examples: Collection[tuple[str, ...]] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
    numbered: bool = True,
) -> list[dict[str, Any]]:
    """Return the rows of runs.csv that say that logs are one run.

    Args:
        kind: of doubt.
        paths: of the logs.
        ends: of their connections, where known.
        examples: of the doubt: of TWO_ENDS pairs of logs.
        settings: that all are to have.
        numbered: whether each is of one flow, and its row says of which. Else their ends do.
    """
    flows: dict[str, int] = {}
    for path in paths:
        of_one = (
            flows[o]
            for o in flows
            if kind in OF_ONE_FLOW
            or _of_one_flow(o, path, ends)
            or (kind == joined.TWO_ENDS and tuple(sorted((o, path))) in examples)
        )
        flows[path] = next(of_one, max(flows.values(), default=0) + 1)
    # with other dates these would part them still
    start = {"start_s": 0} if kind == joined.PARTED_BY_DATES else {}
    return [
        {"path": path, "run": paths[0], "flow": n if numbered else "", **start, **settings}
        for path, n in flows.items()
    ]


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return lines, as comments, of a table runs.csv."""
    columns = [*dict.fromkeys(key for row in rows for key in row)]
    values = [columns, *([row.get(key, "") for key in columns] for row in rows)]
    return ["# runs: runs.csv", "# runs.csv:", *(f"#     {csv_line(row)}" for row in values)]


def _of_one_flow(one: str, other: str, ends: Mapping[str, Ends]) -> bool:
    """Return whether two logs are the two ends of a connection, by its addresses and their names.

    Where both name the same local end (`both_ends`) their names must say which is which.
    """
    if one not in ends or other not in ends:
        return False
    named = {end_in_name(one), end_in_name(other)} == {CLIENT, SERVER}
    return ends[one] == ends[other][::-1] or (ends[one] == ends[other] and named)


def list_dates_apart(runs: Iterable[joined.Run], clocks: Clocks) -> list[Assumption]:
    """Return the row on connections whose two logs have other dates, by clocks that are not known.

    Args:
        runs: of the folder.
        clocks: what was learnt.
    """
    apart = [s for s in (by_ends.began_apart(run.tests, clocks) for run in runs) if s]
    if not apart:
        return []
    n = f"{len(apart)} run{'s' * (len(apart) > 1)}"
    value = f"the two ends of a connection are dated up to {max(apart):.0f} s apart in {n}"
    because = (
        "their addresses and ports are the same and come once, and their bytes agree: it is one "
        "connection, and a clock is off"
    )
    return [Assumption("clocks", value, because, "", LOGS_SAY, JOINED)]


def list_clocks(clocks: Clocks, runs: Iterable[joined.Run]) -> list[Assumption]:
    """Return rows on the clocks that were taken to be off, where runs rest on it.

    Args:
        clocks: what was learnt.
        runs: of the folder.
    """
    rest_on: set[tuple[str, str]] = set()
    for run in runs:
        hosts = sorted({t.host for t in run.tests if t.start_s is not None})
        rest_on |= {pair for pair in combinations(hosts, 2) if pair in clocks.known}
    rows = []
    for sure in (True, False):
        pairs = sorted(pair for pair in rest_on if clocks.told[pair][1] is sure)
        if not pairs:
            continue
        (one, other), ahead_s = pairs[0], clocks.known[pairs[0]]
        if ahead_s < 0:
            one, other, ahead_s = other, one, -ahead_s
        more = f", and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        value = f"that of {other} is ahead of that of {one} by {ahead_s:.0f} s{more}"
        n = clocks.told[pairs[0]][0]
        if sure:
            connections = "a connection" if n == 1 else f"{n} connections"
            because = f"both ends of {connections} are logged, and begin so far apart"
            rows.append(Assumption("clocks", value, because, "", LOGS_SAY, JOINED))
            continue
        pairs_begin = (
            "a pair of logs that names join begins"
            if n == 1
            else (f"{n} pairs of logs that names join begin")
        )
        because = (
            f"{pairs_begin} so far apart, in whole zones of time; hosts "
            "that measured one after the other may be so, too"
        )
        line = (
            "# if they measured one after the other: a run each in a table runs.csv (path, run), "
            "beside the lines of `files`"
        )
        rows.append(Assumption("clocks", value, because, line, GUESS, JOINED))
    return rows
