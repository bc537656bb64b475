"""What a folder without dataset.yml is: settings from names (`names`), runs from names and logs.

Which tests of which logs are one run is found by `joins`; what the parts of names are for is learnt
on the way (`roles`). What nothing joins is a run of its own: a wrong grouping is worse than none.
Logs of nothing (empty, refused, cut before the first report) leave the run out that names put them
in, unless another log has their place in it: half of the flows of a run is worse than none. Traces
of queues and of senders' variables belong to the run of their folder, or are a run of their own
(`traces`). A number that names give a flow may turn out to count the runs (`numbered_runs`).

Every guess is an assumption: it is listed in the report with the lines for dataset.yml that say
the same, so that it can be corrected.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import polars as pl

from ..formats import COPY, FORMATS, LEFT_OUT, RUN_RECORD, UNREADABLE
from .described.known_settings import NUMBERS, WORDS
from .described.of_flows import cca_of_flow
from .described.patterns import run_of_path, scenario_of_path
from .entities import GUESS, JOINED, Assumption, Entry, Group, Stream
from .episodes import split_tests
from .evidence import is_weak, list_clocks, list_dates_apart, list_doubts, list_runs
from .joining.devices import name_devices
from .joining.joined import Joined, Run
from .joining.joins import join
from .joining.outputs import TOTALS, second_outputs
from .joining.roles import CONTROL, FLOW, MEMBER, read_roles
from .joining.units import Role, Unit, units_of
from .naming.placing import place
from .numbered_runs import tell_runs_by_numbers
from .recognition import NO_INTERVAL
from .refusals import leave_out
from .traces import Runs, attach_traces, is_trace, read_trace_names

FIRST = 64  # intervals of a connection that tell whether it is a copy of another


def infer_runs(
    entries: list[Entry],
    of_file: dict[int, list[Stream]],
    interval: pl.DataFrame,
    silence: Mapping[int, str],
    over: Sequence[str] = (),
    cca_said: bool = False,
) -> tuple[dict[str, Group], list[Assumption]]:
    """Group the logs of a data set that nobody described to runs.

    Args:
        entries: what `inventory` returned; settings, flows and runs are filled in.
        of_file: the parsed streams by file_id; what is a copy is taken out.
        interval: the parsed intervals.
        silence: why logs of tests hold no interval, by file_id.
        over: placeholders that tell repeats apart, as dataset.yml says (`pool_over`).
        cca_said: whether dataset.yml or runs.csv say congestion controls.

    Returns:
        The runs, and how they were found.
    """
    logs = [e for e in entries if e.readable and e.format in FORMATS]
    broken = [e for e in entries if e.format == UNREADABLE]
    hosts = {i: _host(streams) for i, streams in of_file.items() if streams}
    records = [e for e in logs if e.format == RUN_RECORD]
    logs = [e for e in logs if e.format != RUN_RECORD]
    units = _units(logs, of_file, interval)
    measuring = {id(u.entry) for u in units}
    twice = second_outputs(units, _amounts(interval))
    silent = [e for e in logs if id(e) not in measuring and not is_trace(e)]
    again = {id(total) for total, _ in twice}
    tests = [unit for unit in units if id(unit) not in again]
    joined = join(tests, lambda kept: read_roles(kept, [*silent, *broken]))
    _set_copies_aside([*joined.copies, *twice], units, of_file)
    logs = [e for e in logs if e.format in FORMATS]
    place([*logs, *records, *broken], hosts, _members_of(joined.runs))
    name_devices(logs, ([s for test in run.tests for s in test.streams] for run in joined.runs))
    of_flow = cca_of_flow([(e.template, e.values) for e in logs])
    for e in (*logs, *records, *broken):
        path = (e.template, e.values, ("cca",) * (e.template in of_flow))
        e.pattern_run, e.scenario_id = run_of_path(*path), scenario_of_path(*path, over)
    runs = _named(joined.runs)
    silent = _without_final_reports(silent, joined, runs, of_file)
    assumptions = list_runs(joined.runs, joined.doubts)
    assumptions += list_doubts(joined.doubts, joined.runs)
    assumptions += list_clocks(joined.clocks, joined.runs)
    assumptions += list_dates_apart(joined.runs, joined.clocks)
    _offer_the_opposite(joined.runs, logs)
    traces = [e for e in logs if id(e) not in measuring and is_trace(e)]
    read_trace_names(traces, over)
    n_traced = attach_traces(traces, runs, of_file)
    if n_traced:
        because = "no folder, name or connection says which run with samples they belong to"
        value = f"{n_traced}, by traces alone"
        assumptions.append(Assumption("runs", value, because, "", GUESS, JOINED))
    for record in records:  # of the run in its folder
        for run in runs.values():
            if any(e.folder == record.folder for e in run.files):
                run.files.append(record)
    tell_runs_by_numbers(runs, [*logs, *records, *broken], of_file, over, cca_said)
    _drop_labels(runs)
    runs = _named_as_patterns(runs, [*logs, *records], of_file)
    _leave_out_halves([*silent, *broken], joined, runs, silence)
    in_runs: dict[str, list[str]] = defaultdict(list)
    for name, run in runs.items():
        for entry in run.files:
            in_runs[entry.path].append(name)
    for entry in entries:
        of_entry = in_runs.get(entry.path, [])
        entry.run_id = of_entry[0] if len(of_entry) == 1 else None
    groups = {name: run._replace(scenario_id=_scenario(run.files)) for name, run in runs.items()}
    return groups, assumptions


def _amounts(interval: pl.DataFrame) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the bytes and packets that connections carried by (file_id, stream)."""
    sums = interval.group_by("file_id", "stream", maintain_order=True).agg(
        pl.col("bytes", "packets").sum()
    )
    return {(file_id, stream): (b, p) for file_id, stream, b, p in sums.rows()}


def _units(
    logs: list[Entry], of_file: dict[int, list[Stream]], interval: pl.DataFrame
) -> list[Unit]:
    """Return the tests of all logs."""
    of_stream = interval.group_by("file_id", "stream", maintain_order=True).agg(
        pl.max("t_end_s"), pl.col("bytes").head(FIRST)
    )
    length_s, carried = {}, {}
    for file_id, stream, end_s, amounts in of_stream.rows():
        length_s[file_id, stream], carried[file_id, stream] = end_s, tuple(amounts)
    return [
        unit for e in logs for unit in units_of(e, of_file.get(e.file_id, []), length_s, carried)
    ]


def _host(streams: list[Stream]) -> str | None:
    """Return the address of the host that wrote a log, where all its connections have one."""
    hosts = {(s.local or "").rpartition(":")[0] for s in streams}
    return hosts.pop() or None if len(hosts) == 1 else None


# ---- copies --------------------------------------------------------------------------------------


def _set_copies_aside(
    copies: list[tuple[Unit, Unit]], units: list[Unit], of_file: dict[int, list[Stream]]
) -> None:
    """Say of logs of nothing but copies that they are, and take the streams of copies out."""
    of_copies: dict[str, list[tuple[Unit, Unit]]] = defaultdict(list)
    for copy, original in copies:
        of_copies[copy.path].append((copy, original))
    n_tests: dict[str, int] = defaultdict(int)
    for unit in units:
        n_tests[unit.path] += 1
    for path, found in of_copies.items():
        entry = found[0][0].entry
        gone = {id(s) for copy, _ in found for s in copy.streams}
        of_file[entry.file_id] = [s for s in of_file[entry.file_id] if id(s) not in gone]
        if len(found) == n_tests[path]:
            entry_format, first_log = entry.format, found[0][1].entry
            entry.format = COPY
            first, *others = sorted({original.path for _, original in found})
            entry.problem = f"identical with {first}: a copy of it, not read"
            if any(o.entry.content_sha256 != entry.content_sha256 for _, o in found):
                entry.problem = f"its flows carry in every interval what those of {first} do, "
                entry.problem += "though the files differ: not read"
                if any(copy.carried != o.carried for copy, o in found):
                    entry.problem = f"it logs the connections of {first} again, with the same "
                    entry.problem += "numbers as far as it prints them: not read"
            if entry_format == TOTALS and first_log.format != TOTALS:
                entry.problem = f"totals of the simulation that {first} is of: the same flows, "
                entry.problem += "which carry as much; it would count twice"
            if others:
                entry.problem = f"its {len(found)} tests are identical with those of {first} and "
                entry.problem += f"{len(others)} more: copies of them, not read"
        else:
            stand = "tests is" if len(found) == 1 else "tests are"
            entry.problem = f"{len(found)} of its {stand} in it twice, or in another log: "
            entry.problem += "identical, so that each is read once"


# ---- names of runs -------------------------------------------------------------------------------


def _members_of(runs: list[Run]) -> dict[str, list[tuple[int, int]]]:
    """Return the parts of paths that tell the logs of one run apart, by path.

    Those whose role it is (but not flows and ends, which names say themselves), and others that
    differ within runs, if runs have the same ones: 'mouse_1', 'mouse_2' in every run. Numbers that
    go on from run to run count logs.
    """
    apart: dict[tuple, dict[int, list[set[str]]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        of_shape: dict[tuple, list[Unit]] = defaultdict(list)
        for unit in run.tests:
            of_shape[unit.key[0]].append(unit)
        for shape, units in of_shape.items():
            for i in units[0].roles:
                texts = {u.roles[i].text for u in units}
                if len(texts) > 1:
                    apart[shape][i].append(texts)
    found: dict[str, list[tuple[int, int]]] = {}
    for unit in (u for run in runs for u in run.tests):
        shape = unit.key[0]
        found[unit.path] = [
            (role.start, role.end)
            for i, role in unit.roles.items()
            if i in apart[shape] and shape[i] != CONTROL and _is_member(role, apart[shape][i])
        ]
    return found


def _is_member(role: Role, texts: list[set[str]]) -> bool:
    if role.role in MEMBER:
        return role.role != FLOW
    count = Counter(text for of_run in texts for text in of_run)
    return max(count.values()) > 1


def _named(found: list[Run]) -> Runs:
    """Return the runs by name: by their logs, and the number of the test of those with several."""
    runs: Runs = {}
    for run in found:
        tests = sorted(run.tests, key=lambda u: (u.path, u.episode))
        files = list({u.path: u.entry for u in tests}.values())
        name = _run_name(tests)
        if name in runs:
            name = " + ".join(e.path for e in files) + f"#{tests[0].episode}"
        runs[name] = Group(files, [s for u in tests for s in u.streams])
        _drop_flows_claimed_twice(files)
    return runs


def _run_name(tests: list[Unit]) -> str:
    paths = sorted({u.path for u in tests})
    first = tests[0]
    if first.n_tests == 1:
        return _paths_name(paths)
    head = _common(paths)
    tail = _common([path[len(head) :][::-1] for path in paths])[::-1]
    return f"{head}*{tail}#{first.order}" if len(paths) > 1 else f"{head}#{first.order}"


def _paths_name(paths: list[str]) -> str:
    return " + ".join(paths[:2]) + (f" + {len(paths) - 2} more" if len(paths) > 2 else "")


def _common(texts: list[str]) -> str:
    shortest = min(texts, key=len)
    for i, char in enumerate(shortest):
        if any(text[i] != char for text in texts):
            return shortest[:i]
    return shortest


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
    taken = Counter(wanted.values())
    return {
        wanted[run_id] if taken[wanted[run_id]] == 1 else run_id: run
        for run_id, run in runs.items()
    }


def _streams(streams: list[Stream]) -> frozenset:
    return frozenset((s.file_id, s.stream) for s in streams)


def _scenario(files: list[Entry]) -> str | None:
    """Return the scenario that the names of a run's logs say, where they say one."""
    said = {e.scenario_id for e in files if e.format != RUN_RECORD}
    return said.pop() if len(said) == 1 else None


# ---- what names say of flows and settings --------------------------------------------------------


def _drop_flows_claimed_twice(files: list[Entry]) -> None:
    """Forget the flows that names give where logs that ran together have the same one."""
    flows = [(e.flow_id, e.values.get("side")) for e in files]
    if len(set(flows)) < len(flows):
        for e in files:
            e.flow_id = None
            e.settings.pop("start_s", None)


def _drop_labels(runs: Runs) -> None:
    """Take from the settings what differs among the logs of one run: it names hosts or flows.

    Of logs that name their flow only text that is no known setting ('server1.txt' next to
    'client1.json'): known settings that contradict each other are an error. A log that says nothing
    contradicts no known setting; one of many runs, as of a server that was left running, says none.
    """
    keep = ("cca", "start_s", "rtt_ms")
    labels = set()
    n_runs = Counter(id(e) for run in runs.values() for e in run.files)
    for files, *_ in runs.values():
        telling = [e for e in files if n_runs[id(e)] == 1] or files
        for key in {key for e in files for key in e.settings} - set(keep):
            known = key in (*NUMBERS, *WORDS) or bool(re.fullmatch("cca[0-9]+", key))
            said = {e.settings.get(key) for e in telling if e.flow_id is None or not known}
            if len(said - {None} if known else said) > 1:
                labels |= {(e.template, key) for e in files}
    for files, *_ in runs.values():
        for entry in files:
            for key in [k for k in entry.settings if (entry.template, k) in labels]:
                del entry.settings[key]


# ---- logs of final reports -----------------------------------------------------------------------


def _without_final_reports(
    silent: list[Entry], joined: Joined, runs: Runs, of_file: dict[int, list[Stream]]
) -> list[Entry]:
    """Put logs of final reports alone to the run that holds the other end of their connections.

    Changes `runs`.

    Returns:
        The logs that are of none. Where ports come again names must agree, too.
    """
    of_ends: dict[tuple, set[str]] = defaultdict(set)
    of_key: dict[tuple, set[str]] = defaultdict(set)
    run_of = {id(s): name for name, run in runs.items() for s in run.streams}
    for run in joined.runs:
        for unit in run.tests:
            name = run_of[id(unit.streams[0])]
            of_key[unit.key].add(name)
            for ends in unit.ends:
                of_ends[ends].add(name)
    left = []
    for entry in silent:
        streams = of_file.get(entry.file_id, [])
        pairs = [(s.peer, s.local) for s in streams if s.measures and s.peer and s.local]
        found = [of_ends.get(pair, set()) for pair in pairs]
        fitting = set.intersection(*found) if found else set()
        if len(fitting) > 1:
            fitting &= of_key.get(joined.beside.get(entry.path, ((), ()))[0], set())
        if len(fitting) != 1:
            left.append(entry)
            continue
        group = runs[fitting.pop()]
        group.files.append(entry)
        group.streams.extend(streams)
    return left


# ---- logs of nothing -----------------------------------------------------------------------------


def _leave_out_halves(
    without: list[Entry],
    joined: Joined,
    runs: Runs,
    silence: Mapping[int, str],
) -> None:
    """Leave out runs of which a log holds nothing, unless another log has its place.

    Changes `runs`; logs of nothing that are of no run are left out themselves.
    """
    n_runs = Counter(id(e) for run in runs.values() for e in run.files)
    run_of = {(s.file_id, s.stream): name for name, run in runs.items() for s in run.streams}
    of_key: dict[tuple, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for run in joined.runs:
        for unit in run.tests:
            name = run_of.get((unit.streams[0].file_id, unit.streams[0].stream))
            if name is not None:
                of_key[unit.key][name].append(unit)
    apart = {key[0] for key, found in of_key.items() if len(found) > 1}
    together = {
        key[0]
        for key, found in of_key.items()
        for units in found.values()
        if len({u.claim for u in units}) > 1
    }
    for entry in without:
        key, claim = joined.beside.get(entry.path, ((), ()))
        if key and key[0] in apart - together:
            key = ()  # of such names no two are one run
        of_names = of_key.get(key, {})
        halves = [n for n, of in of_names.items() if not any(u.claim == claim for u in of)]
        for name in halves if of_names else _beside_as_elsewhere(entry, runs):
            if name in runs:
                why = f"{entry.path}: {entry.problem or silence.get(entry.file_id, NO_INTERVAL)}"
                files = runs.pop(name).files
                n_runs.subtract(id(e) for e in files)
                leave_out([e for e in files if not n_runs[id(e)]], why)
                for of_several in [e for e in files if n_runs[id(e)]]:
                    of_several.left_out_runs[name] = why  # a server's log holds other runs, too
        if entry.readable:
            # of no run: nothing else is left out with it
            entry.format, entry.problem = LEFT_OUT, silence.get(entry.file_id, NO_INTERVAL)


def _beside_as_elsewhere(entry: Entry, runs: Runs) -> list[str]:
    """Return the run of a log's folder, if in another folder a log of its name is of such a run.

    However the runs were found: 'mouse_1.log' is empty here, and is of the elephant's run there.
    """
    own = entry.folder
    here = [name for name, run in runs.items() if all(e.folder == own for e in run.files)]
    if len(here) != 1:
        return []
    wanted = {_name_of(e) for e in (*runs[here[0]].files, entry)}
    for run in runs.values():
        elsewhere = len(run.files) >= len(wanted) and any(e.folder != own for e in run.files)
        if elsewhere and wanted <= {_name_of(e) for e in run.files}:
            return here
    return []


def _name_of(entry: Entry) -> str:
    return entry.path.rpartition("/")[2]


# ---- the opposite --------------------------------------------------------------------------------


def _offer_the_opposite(found: list[Run], logs: list[Entry]) -> None:
    """Note of logs that weak evidence joined, or left alone, what their placeholders are if not.

    Numbered hosts without dates may have measured one after another: then {host} is {run}. Logs
    that stand alone, and whose pattern would put them beside others, may have run together.
    """
    beside: dict[str, int] = defaultdict(int)
    for e in logs:
        beside[e.pattern_run] += 1
    for run in found:
        entries = {id(u.entry): u.entry for u in run.tests}.values()
        if is_weak(run):
            for entry in entries:
                entry.otherwise = {"host": "run"} if "host" in entry.values else None
        elif len(run.tests) == 1 and run.tests[0].start_s is None and run.tests[0].n_tests == 1:
            (entry,) = entries
            if "place" in entry.values:
                entry.otherwise = {"place": "host"}
            elif beside[entry.pattern_run] > 1:  # its pattern would put it beside others
                entry.otherwise = {}
