"""What a folder without dataset.yml is: settings from names (`names`), runs from names and logs.

Logs whose names tell run and flow are grouped by them, unless the addresses or the dates in the
logs say otherwise. The others are grouped by their content (`together`); what is left is a run of
its own. A wrong grouping is worse than none. Traces of queues and of senders' variables belong to
the run of their folder, or are a run of their own (`traces`).

Every guess is an assumption: it is listed in the report with the lines for dataset.yml that say
the same, so that it can be corrected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from ..formats import FORMATS, RUN_RECORD, UNREADABLE
from .dataset import NUMBERS, WORDS, cca_of_flow, run_of_path, scenario_of_path, split_tests
from .entities import Assumption, Entry, Group, Stream
from .flows import leave_out
from .names import DIFFERENT, SIDES, place
from .together import (
    Tests,
    Unit,
    apart,
    hosts_of,
    hosts_together,
    in_order,
    kept_apart,
    labels,
    mirrored,
    overlapping,
    together,
    units_of,
)
from .traces import Runs, attach_traces, group_of, is_trace, read_trace_names


def infer_runs(
    entries: list[Entry],
    of_file: dict[int, list[Stream]],
    interval: pl.DataFrame,
    over: Sequence[str] = (),
) -> tuple[dict[str, Group], list[Assumption]]:
    """Group the logs of a data set that nobody described to runs.

    Args:
        entries: what `inventory` returned; settings, flows and runs are filled in.
        of_file: the parsed streams by file_id.
        interval: the parsed intervals.
        over: placeholders that tell repeats apart, as dataset.yml says (`pool_over`).

    Returns:
        The runs, and how they were found.
    """
    ends = interval.group_by("file_id", "stream", maintain_order=True).agg(pl.max("t_end_s")).rows()
    length_s = {(file_id, stream): end for file_id, stream, end in ends}
    logs = [e for e in entries if e.readable and e.format in FORMATS]
    broken = [e for e in entries if e.format == UNREADABLE]
    place([*logs, *broken], {i: _host(streams) for i, streams in of_file.items() if streams})
    of_flow = cca_of_flow([(e.template, e.values) for e in logs])
    for e in (*logs, *broken):
        _place_by_pattern(e, of_flow, over)
    records = [e for e in logs if e.format == RUN_RECORD]
    runs, assumptions = find_runs([e for e in logs if e not in records], of_file, length_s, over)
    for record in records:  # of the run in its folder
        for run in runs.values():
            if any(e.folder == record.folder for e in run.files):
                run.files.append(record)
    _drop_flow_labels(runs)
    runs = _named_as_patterns(runs, logs, of_file)
    in_runs: dict[str, list[str]] = defaultdict(list)
    for name, run in runs.items():
        for entry in run.files:
            in_runs[entry.path].append(name)
    for entry in entries:
        of_entry = in_runs.get(entry.path, [])
        entry.run_id = of_entry[0] if len(of_entry) == 1 else None
    for entry in broken:
        _place_broken(entry, runs)
    groups = {
        name: run._replace(scenario_id=_scenario(name, run.files)) for name, run in runs.items()
    }
    return groups, assumptions


def _place_by_pattern(entry: Entry, of_flow: set[str], over: Sequence[str]) -> None:
    """Fill in run and scenario of a log as its template would name them in dataset.yml."""
    path = (entry.template, entry.values, entry.template in of_flow)
    entry.pattern_run, entry.scenario_id = run_of_path(*path), scenario_of_path(*path, over)


def _scenario(run_id: str, files: list[Entry]) -> str | None:
    """Return the scenario that the names of a run's logs say, where it is the names' run."""
    by_names = all(e.pattern_run == run_id for e in files if e.format != RUN_RECORD)
    return files[0].scenario_id if by_names else None


def _host(streams: list[Stream]) -> str | None:
    """Return the address of the host that wrote a log, where all its connections have one."""
    hosts = {(s.local or "").rpartition(":")[0] for s in streams}
    return hosts.pop() or None if len(hosts) == 1 else None


def _place_broken(entry: Entry, runs: Runs) -> None:
    """Leave the run of an unreadable log out, unless another log has its flow."""
    run_id, flow = entry.pattern_run, entry.flow_id
    if run_id not in runs or flow is None:
        return
    files = runs[run_id].files
    if not any(e.flow_id == flow for e in files):
        leave_out(files, f"{entry.path}: {entry.problem}")
        del runs[run_id]


def _drop_flow_labels(runs: Runs) -> None:
    """Take from the settings what differs among the logs of one run: it names hosts or flows.

    Of logs that name their flow only text that is no known setting ('server1.txt' next to
    'client1.json'): known settings that contradict each other are an error.
    """
    keep = ("cca", "start_s", "rtt_ms")
    labels = set()
    for files, *_ in runs.values():
        for key in {key for e in files for key in e.settings} - set(keep):
            known = key in (*NUMBERS, *WORDS)
            said = [e.settings.get(key) for e in files if e.flow_id is None or not known]
            if len(set(said)) > 1:
                labels |= {(e.template, key) for e in files}
    for files, *_ in runs.values():
        for entry in files:
            for key in [k for k in entry.settings if (entry.template, k) in labels]:
                del entry.settings[key]


Named = dict[str, list[Entry]]  # the logs of each run
Found = list[tuple[list[Tests], str, str]]  # runs, how they were found, and why


def find_runs(
    entries: list[Entry],
    of_file: dict[int, list[Stream]],
    length_s: dict[tuple[int, int], float],
    over: Sequence[str],
) -> tuple[Runs, list[Assumption]]:
    """Group placed logs to runs: the runs, and the assumptions made."""
    units = {e.file_id: units_of(e, of_file.get(e.file_id, []), length_s) for e in entries}
    every = [u for e in entries for u in units[e.file_id]]
    named, found = _by_names(entries, units)
    pairs = mirrored(every)
    in_run = {e.file_id: name for name, files in named.items() for e in files}
    runs: Runs = {name: group_of(files, of_file) for name, files in named.items()}
    groups, n_joined = [], 0
    for tests in together(every, [*_neighbours(named, units), *pairs]):
        names = {in_run[u.entry.file_id] for u in tests if u.entry.file_id in in_run}
        beyond = [u for u in tests if u.entry.file_id not in in_run]
        if not names:
            groups.append(tests)
        elif len(names) > 1 or beyond:  # addresses join what names do not
            _join_named(runs, sorted(names), beyond)
            n_joined += 1
    if n_joined:
        found.append(Assumption("runs", f"{n_joined}, {BY_ADDRESS}, and by names", BOTH_ENDS))
    _forget_flows_that_ends_contradict(pairs)
    taken = {e.file_id for run in runs.values() for e in run.files}
    others = [e for e in entries if e.file_id not in taken]
    tests_of = {e.path: max((u.episode for u in units[e.file_id]), default=1) for e in others}
    joined = _joined(groups, tests_of, over)
    n_apart = kept_apart(joined[0][0])
    if n_apart:
        because = "their names give them different numbers of a repetition; a runs.csv joins them"
        found.append(
            Assumption("runs", f"{n_apart} that ran at the same time are not one", because)
        )
    for of_evidence, how, because in joined:
        for tests in of_evidence:
            files = list({u.entry.path: u.entry for u in tests}.values())
            name = _run_name(tests, tests_of)
            if name in runs:
                name = " + ".join(e.path for e in files) + f"#{tests[0].episode}"
            runs[name] = Group(files, [s for u in tests for s in u.streams])
            if len(files) == 1 and "host" in files[0].values and _is_shared(files[0], entries):
                files[0].settings["host"] = files[0].values["host"]  # no repeats of others
            _drop_flows_claimed_twice(files)
            if because == NOTHING_TELLS and _is_shared(files[0], entries):
                # its pattern would put it beside others
                files[0].otherwise = files[0].otherwise or {}
        if of_evidence:
            found.append(Assumption("runs", f"{len(of_evidence)}, {how}", because))
    without = [e for e in others if not units[e.file_id]]
    for e in without:
        if not is_trace(e):
            leave_out([e], "the log holds no report of an interval (iperf -i 1 writes them)")
    traces = [e for e in without if is_trace(e)]
    read_trace_names(traces, over)
    n_traced = attach_traces(traces, runs, of_file)
    if n_traced:
        because = "no log with samples lies in their folder or above it that could be theirs"
        found.append(Assumption("runs", f"{n_traced}, of which only traces are there", because))
    return runs, found


NOTHING_TELLS = "no name and no date tells what ran together"
BY_ADDRESS = "client's and server's logs joined by the addresses and ports of their connections"
BOTH_ENDS = "what one log calls its own address and port the other calls its peer's"


def _neighbours(named: Named, units: dict[int, list[Unit]]) -> list[tuple[Unit, Unit]]:
    """Return pairs that join the tests of each run that names tell."""
    runs = [[u for e in files for u in units[e.file_id]] for files in named.values()]
    return [pair for tests in runs for pair in pairwise(tests)]


def _join_named(runs: Runs, names: list[str], beyond: list[Unit]) -> None:
    """Make one run of those that names tell, and of tests that addresses join to them."""
    parts = [runs.pop(name) for name in names]
    files = [e for run in parts for e in run.files]
    files += {u.entry.path: u.entry for u in beyond}.values()
    streams = [s for run in parts for s in run.streams]
    streams += [s for u in beyond for s in u.streams]
    name = names[0] if len(names) == 1 else _paths_name(sorted(e.path for e in files))
    runs[name] = Group(files, streams)


def _forget_flows_that_ends_contradict(pairs: list[tuple[Unit, Unit]]) -> None:
    """Forget the flows that names give the two ends of a connection, where these differ."""
    for one, other in pairs:
        flows = {one.entry.flow_id, other.entry.flow_id} - {None}
        if len(flows) > 1:
            one.entry.flow_id = other.entry.flow_id = None


def _by_names(entries: list[Entry], units: dict[int, list[Unit]]) -> tuple[Named, list[Assumption]]:
    """Group the logs of one test whose names tell run and flow, where no date contradicts."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for e in entries:
        values, tests = set(e.values), [u.episode for u in units[e.file_id]]
        labelled = bool(values & {"run", "repeat", *DIFFERENT})
        ended = "side" in values if "host" not in values else labelled
        if max(tests, default=1) == 1 and (e.flow_id is not None or ended):
            groups[e.pattern_run].append(e)
    named, n_apart = {}, 0
    for name, files in [part for group in groups.items() for part in _of_one_name(*group)]:
        its_units = [u for e in files for u in units[e.file_id]]
        if not its_units and all(map(is_trace, files)):
            continue  # they belong to the run of their folder, or are one (`traces`)
        flows = {e.flow_id for e in files}
        dated = bool(its_units) and all(u.start_s is not None for u in its_units)
        if dated and (len(flows) == 1 or name not in groups):
            continue  # another flow may have run beside it
        if apart(its_units):
            n_apart += 1
        else:
            named[name] = files
    found = []
    if named:
        found.append(
            Assumption("runs", f"{len(named)}, by the files' names", "they tell flows apart")
        )
    if n_apart:
        because = "the dates in their logs say that they did not run together"
        found.append(
            Assumption("runs", f"{n_apart} that names suggest are not taken as such", because)
        )
    return named, found


def _of_one_name(name: str, files: list[Entry]) -> list[tuple[str, list[Entry]]]:
    """Split logs that share the label of a run, but whose names are those of different tests.

    In a folder 3f2a9c1d the logs foo_server.log and bar_client.log share the hash of a commit, no
    more. In a folder run1, which is a repetition by name, they may differ in other words; not where
    two of them claim the same end of the same flow.
    """
    by_words: dict[tuple, list[Entry]] = defaultdict(list)
    for e in files:
        by_words[_words(e.template)].append(e)
    if len(by_words) == 1:
        return [(name, files)]
    claims = [
        {(e.flow_id, e.values.get("side"), *map(e.values.get, hosts_of(e))) for e in part}
        for part in by_words.values()
    ]
    several = len(set.union(*claims)) < sum(map(len, claims))
    if not several and any(label is not None for label in labels(files[0])):
        return [(name, files)]
    return [(_paths_name(sorted(e.path for e in part)), part) for part in by_words.values()]


def _words(template: str) -> tuple[str, ...]:
    """Return what the text of a template says, without words for flows, ends and tools."""
    text = re.sub(r"\{\w+\}", " ", template.rpartition("/")[2].partition(".")[0])
    return tuple(w for w in re.findall(r"[a-z]+", text.lower()) if not NO_TEST.fullmatch(w))


NO_TEST = re.compile(
    rf"{'|'.join(SIDES.values())}|flows?|streams?|conn(ection)?|hosts?|h|f|iperf|log|out|output"
)


def _is_shared(entry: Entry, entries: list[Entry]) -> bool:
    """Return whether the pattern of a log would put it into one run with others."""
    return sum(e.pattern_run == entry.pattern_run for e in entries) > 1


def _drop_flows_claimed_twice(files: list[Entry]) -> None:
    """Forget the flows that names give where logs that ran together have the same one."""
    flows = [(e.flow_id, e.values.get("side")) for e in files]
    if len(set(flows)) < len(flows):
        for e in files:
            e.flow_id = None


def _joined(groups: list[Tests], n_tests: dict[str, int], over: Sequence[str]) -> Found:
    """Join tests, in the groups that addresses make, to runs by the next best evidence."""
    dated = [tests for tests in groups if any(u.start_s is not None for u in tests)]
    undated = [tests for tests in groups if all(u.start_s is None for u in tests)]
    pairs, alone = in_order([u for tests in undated if len(tests) == 1 for u in tests])
    several = [tests for tests in undated if len(tests) > 1]
    beside, left = hosts_together([*several, *([u] for u in alone)], n_tests)
    for tests in beside:
        _name_hosts([u.entry for u in tests], over)
    both_ends = [tests for tests in left if len(tests) > 1]
    single = [tests for tests in left if len(tests) == 1]
    return [
        (
            overlapping(dated),  # the first: `kept_apart` reads it
            "connections that overlap in time are one run",
            "the logs give the date of each connection",
        ),
        (both_ends, BY_ADDRESS, BOTH_ENDS),
        (
            pairs,
            "the tests of the logs are paired in their order",
            "the logs have no dates, and equally many tests of equal length",
        ),
        (
            beside,
            "the logs of the numbered hosts of a folder are one run",
            "their names differ in the host only, and they have no dates: weak evidence, below are "
            "the lines that say the opposite",
        ),
        (
            [tests for tests in single if len(tests[0].streams) > 1],
            "each log, or test in it, is one",
            "it holds several flows",
        ),
        (
            [tests for tests in single if len(tests[0].streams) == 1],
            "each log, or test in it, by itself",
            NOTHING_TELLS,
        ),
    ]


def _name_hosts(files: list[Entry], over: Sequence[str]) -> None:
    """Call what numbers the hosts of a run {host}, so that the template is a pattern of the run.

    The opposite, that each host was measured for itself, is the template with {run} instead.
    """
    for entry in files:
        (*_, label) = hosts_of(entry)
        name = next(
            n
            for n in ("host", *(f"host{i}" for i in range(2, 99)))
            if n == label or n not in entry.values
        )
        template = entry.template.replace(f"{{{label}}}", f"{{{name}}}")
        values = {name if k == label else k: v for k, v in entry.values.items()}
        entry.template, entry.values = template, values
        entry.settings.pop(label, None)
        entry.otherwise = {name: "run"}
    of_flow = cca_of_flow([(e.template, e.values) for e in files])
    for e in files:
        _place_by_pattern(e, of_flow, over)


def _named_as_patterns(runs: Runs, entries: list[Entry], of_file: dict[int, list[Stream]]) -> Runs:
    """Give runs the ids that they have with the templates as patterns in dataset.yml."""
    by_run: dict[str, list[Stream]] = defaultdict(list)
    for e in entries:
        by_run[e.pattern_run] += of_file.get(e.file_id, [])
    patterns = {}
    for base, streams in by_run.items():
        for run_id, of_run in (split_tests(base, streams) or {}).items():
            patterns[_streams(of_run)] = run_id
    wanted = {run_id: patterns.get(_streams(run.streams), run_id) for run_id, run in runs.items()}
    taken = list(wanted.values())
    return {
        wanted[run_id] if taken.count(wanted[run_id]) == 1 else run_id: run
        for run_id, run in runs.items()
    }


def _streams(streams: list[Stream]) -> frozenset:
    return frozenset((s.file_id, s.stream) for s in streams)


def _run_name(tests: Tests, n_tests: dict[str, int]) -> str:
    """Name a run by its logs; of logs with several tests, with the number of the test."""
    paths = sorted({u.entry.path for u in tests})
    first = min(tests, key=lambda u: u.entry.path)
    if n_tests[first.entry.path] == 1:
        return _paths_name(paths)
    head = _common(paths)
    tail = _common([path[len(head) :][::-1] for path in paths])[::-1]
    return f"{head}*{tail}#{first.episode}" if len(paths) > 1 else f"{head}#{first.episode}"


def _paths_name(paths: list[str]) -> str:
    return " + ".join(paths[:2]) + (f" + {len(paths) - 2} more" if len(paths) > 2 else "")


def _common(texts: list[str]) -> str:
    shortest = min(texts, key=len)
    for i, char in enumerate(shortest):
        if any(text[i] != char for text in texts):
            return shortest[:i]
    return shortest
