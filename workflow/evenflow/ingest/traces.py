"""Which run the traces are of that hold no sample of throughput: queues, senders' variables, drops.

A trace belongs to the run whose logs have its name but for the variable, else to the run of its
folder, else of the nearest folder above that holds runs; of several the one whose names say the
same. A log of connections belongs to the runs that have these, and each run has its own of it; but
to none whose names or folder contradict its own. Traces that belong to none are runs of their own,
of which only state is known: they have no metrics of throughput.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain, count

from ..formats import FORMATS, LEFT_OUT, RUN_RECORD, UNREADABLE, host_state, ss, tcp_probe
from .described.known_settings import ENDS, FLOW_KEYS, NUMBERS, WORDS
from .described.patterns import renamed, run_of_path, scenario_of_path
from .entities import Entry, Group, Stream
from .joining.units import SIMULATORS

# what a trace may be called by: the variable, with the number of its flow (cwnd1.tr, tcp_2.tr)
VARIABLE = re.compile(
    r"queues?|q|qlen|qsize|qmon|cwnd|cwin|win|windows?|ssthresh|s?rtt|rto|tcp|agent|sender|src|source"
    r"|drops?|loss(es)?|state|vars?",
    re.IGNORECASE,
)

# of a link, with the packets of many flows, whose numbers its lines have: that of its name is none
OF_CONNECTIONS = (ss.NAME, tcp_probe.NAME)  # all that a host has
OF_LINKS = ("ns2-queue", "ns2-trace", "ns3-ascii")
BEFORE_S = 2.0  # dates are whole seconds: a log may seem to begin before what it watches
Runs = dict[str, Group]  # by name


def is_trace(entry: Entry) -> bool:
    """Return whether a log without intervals is a trace, not of a test that measured nothing."""
    module = FORMATS.get(entry.format)
    return module is not None and not getattr(module, "TESTS", False)


def read_trace_names(entries: list[Entry], over: Sequence[str]) -> None:
    """Read what names of traces say besides: the variable, and behind it the number of the flow.

    The number of a trace of a link counts links: it is a part of the variable. Changes the entries,
    so that their template is a pattern that says so: of cwnd1.tr and cwnd2.tr cwnd{flow}.tr, of
    queue.tr and cwnd.tr {variable}.tr, of queue1.tr and queue2.tr queue{variable}.tr.
    """
    for entry in entries:
        names = {}
        for name, value in entry.values.items():
            if _is_setting(name):
                continue
            if VARIABLE.fullmatch(value) and "variable" not in entry.values:
                names[name] = "variable"
            elif (
                VARIABLE.fullmatch(name.rstrip("0123456789"))
                and value.isdigit()
                and f"{{{name}}}" in entry.template.rpartition("/")[2]  # a folder's is a setting's
            ):
                if entry.format not in OF_LINKS:
                    names[name] = "flow" if entry.flow_id is None else name
                elif "variable" not in (*entry.values, *names.values()):
                    names[name] = "variable"
        if names and len(set(names.values())) == len(names):
            _rename(entry, names, over)


def _is_setting(name: str) -> bool:
    base = name.rstrip("0123456789")
    return bool(ENDS.fullmatch(name)) or name in NUMBERS or base in (*WORDS, "run")


def _rename(entry: Entry, names: dict[str, str], over: Sequence[str]) -> None:
    values = {names.get(k, k): value for k, value in entry.values.items()}
    template = renamed(entry.template, names)
    entry.template, entry.values = template, values
    if "flow" in names.values():
        entry.flow_id = int(values["flow"])
    for name in names:
        entry.settings.pop(name, None)
    entry.pattern_run = run_of_path(template, values, ())
    entry.scenario_id = scenario_of_path(template, values, (), over)


def attach_by_labels(
    entries: Sequence[Entry], of_file: dict[int, list[Stream]], named: Collection[str]
) -> None:
    """Put traces that a pattern of their own places to the run whose names say the same.

    Of the logs in their folder, where the labels of a trace are those of one run: `{cca}` of flow 2
    is also what `{cca2}` says. Changes the run and the scenario of the entries.

    Args:
        entries: the inventory, placed by patterns.
        of_file: the parsed streams by file_id.
        named: runs that runs.csv or `exclude` name, which stay as they are.
    """
    by_run: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.run_id is not None and entry.template:
            by_run[entry.run_id].append(entry)
    measuring: dict[str, list[Entry]] = defaultdict(list)  # logs by pattern
    traces = []
    for run_id, files in by_run.items():
        logs = [e for e in files if any(s.measures for s in of_file.get(e.file_id, []))]
        for log in logs:
            measuring[log.template].append(log)
        if not logs and run_id not in named and all(e.readable and is_trace(e) for e in files):
            traces += [e for e in files if e.format != host_state.NAME]
    runs_of: dict[tuple, dict[tuple, dict[str, Entry]]] = {}  # by what traces of a pattern say
    homes: list[tuple[Entry, Entry]] = []
    for trace in traces:
        found: dict[str, Entry] = {}
        for template, logs in measuring.items():
            keys = _keys_in(template, trace)
            if not keys or template == trace.template:
                continue
            if (template, keys) not in runs_of:
                runs_of[template, keys] = _by_labels(logs, keys)
            said = (trace.folder, *_labels(trace).values())
            of_template = runs_of[template, keys].get(said, {})
            found |= {run: log for run, log in of_template.items() if _of_its_tool(trace, log)}
        if len(found) == 1:
            homes.append((trace, next(iter(found.values()))))
    for trace, log in homes:
        trace.run_id, trace.scenario_id = log.run_id, log.scenario_id


def _keys_in(template: str, trace: Entry) -> tuple[str, ...]:
    """Return the placeholders of a pattern of logs that say what the labels of a trace say.

    In the order of the labels; empty where one of them has none.
    """
    flow, found = trace.values.get("flow"), []
    for label in _labels(trace):
        names = [label, f"{label}{flow}"] if flow and label in FLOW_KEYS else [label]
        key = next((name for name in names if f"{{{name}}}" in template), None)
        if key is None:
            return ()
        found.append(key)
    return tuple(found)


def _by_labels(logs: list[Entry], keys: tuple[str, ...]) -> dict[tuple, dict[str, Entry]]:
    """Return {(folder, values): {run: a log}} of logs of one pattern."""
    found: dict[tuple, dict[str, Entry]] = defaultdict(dict)
    for log in logs:
        values = (log.folder, *(log.values[key] for key in keys))
        found[values].setdefault(log.run_id or "", log)
    return dict(found)


def _of_its_tool(trace: Entry, log: Entry) -> bool:
    """Return whether a trace of a simulator is beside logs of it."""
    tool = _tool(trace)
    return tool not in SIMULATORS or tool == _tool(log)


def attach_traces(traces: list[Entry], runs: Runs, of_file: dict[int, list[Stream]]) -> int:
    """Put traces to the runs that they belong to, or make runs of them.

    Changes `runs`.

    Args:
        traces: placed entries of the inventory.
        runs: those of the logs with samples.
        of_file: the parsed streams by file_id.

    Returns:
        How many runs of nothing but traces there are.
    """
    watched = _by_ends(runs)
    places = _Places(runs)
    home: dict[int, dict[str, list[Stream]]] = {}
    for entry in traces:
        streams = of_file.get(entry.file_id, [])
        its_run = None
        if len(by_run := _watched(entry, streams, watched, places)) == 1:
            (its_run,) = by_run
        elif not by_run:
            its_run = _run_of(entry, places)
        home[entry.file_id] = by_run if its_run is None else {its_run: streams}
    for entry in traces:
        for name, its_streams in home[entry.file_id].items():
            _add(runs, name, entry, its_streams)
    left = [e for e in traces if not home[e.file_id] and e.format != host_state.NAME]
    labelled: dict[str, list[Entry]] = defaultdict(list)
    for entry in left:
        if _labels(entry):
            labelled[entry.pattern_run].append(entry)
    for name, files in labelled.items():
        runs[_free(name, runs)] = group_of(files, of_file)
    of_folder: dict[str, list[Entry]] = defaultdict(list)
    own = {name: runs[name] for name in runs if only_traces(runs[name])}
    n_named, own_places = len(own), _Places(own)
    for entry in (e for e in left if not _labels(e)):
        its_run = _run_of(entry, own_places)
        if its_run is None:
            of_folder[entry.folder].append(entry)
        else:
            _add(runs, its_run, entry, of_file.get(entry.file_id, []))
    for folder, files in of_folder.items():
        patterns = {e.pattern_run for e in files}
        name = patterns.pop() if len(patterns) == 1 else folder
        runs[_free(name, runs)] = group_of(files, of_file)
    return n_named + len(of_folder)


Ends = dict[frozenset, list[tuple[str, Stream]]]


def _by_ends(runs: Runs) -> Ends:
    """Return the connections of runs, with the run of each, by their two ends."""
    found: Ends = defaultdict(list)
    for name, run in runs.items():
        for stream in run.streams:
            if stream.measures and stream.local and stream.peer:
                found[frozenset((stream.local, stream.peer))].append((name, stream))
    return found


def _watched(
    entry: Entry, streams: list[Stream], watched: Ends, places: _Places
) -> dict[str, list[Stream]]:
    """Return the connections of runs that a log of `ss` or the like holds, by run.

    A log that goes on over several runs holds connections of each. Ports come again: of several
    runs with the same ends it is none that names contradict, one in the folders above or below the
    log's before others, and then the one during which the log first shows them.
    """
    by_run: dict[str, list[Stream]] = defaultdict(list)
    for stream in streams:
        found = watched.get(frozenset((stream.local, stream.peer)), []) if stream.local else []
        names = list(dict.fromkeys(name for name, _ in found))
        names = [name for name in names if _may_be_of(entry, places.files[name])]
        if len(names) > 1:
            names = [name for name in names if _is_near(entry, places.files[name])] or names
        if len(names) > 1:
            at_once = {name for name, other in found if during(stream, other)}
            names = [name for name in names if name in at_once]
        if len(names) == 1:
            by_run[names[0]].append(stream)
    return dict(by_run)


def _is_near(trace: Entry, files: list[Entry]) -> bool:
    """Return whether a trace lies in the folder of a log, or in one above or below it."""
    here = _and_above(trace.folder)
    return any(e.folder in here or trace.folder in _and_above(e.folder) for e in files)


def during(stream: Stream, other: Stream) -> bool:
    """Return whether a trace's connection began while another log measured, as both date it.

    A log may begin earlier by the seconds that its test omitted (iperf3 -O).
    """
    here_s, there_s = stream.start_epoch_s, other.start_epoch_s
    if here_s is None or there_s is None or stream.zone != other.zone:
        return False
    omitted_s = float(json.loads(other.options or "{}").get("omit_s") or 0.0)
    return -BEFORE_S - omitted_s <= here_s - there_s <= (other.end_s or 0.0)


def only_traces(run: Group) -> bool:
    """Return whether a run is known by traces alone: no log of it measures throughput.

    A run of ours, which has a record, is never meant to be: it lacks its logs.
    """
    formats = {e.format for e in run.files}
    if formats & {RUN_RECORD, LEFT_OUT, UNREADABLE} or any(s.measures for s in run.streams):
        return False
    return any(is_trace(e) and e.format != host_state.NAME for e in run.files) and all(
        is_trace(e) for e in run.files
    )


def group_of(files: list[Entry], of_file: dict[int, list[Stream]]) -> Group:
    """Return the run that logs are, with all their streams."""
    return Group(files, [s for e in files for s in of_file.get(e.file_id, [])])


def _add(runs: Runs, name: str, entry: Entry, its_streams: list[Stream]) -> None:
    run = runs[name]
    runs[name] = Group([*run.files, entry], [*run.streams, *its_streams])


class _Places:
    """Where the logs of runs lie, and what they are called."""

    def __init__(self, runs: Runs):
        self.files = {name: run.files for name, run in runs.items()}
        # names of runs, in their order
        self.of_pattern: dict[str, list[str]] = defaultdict(list)
        self.of_folder: dict[str, list[str]] = defaultdict(list)
        self.below: dict[str, list[str]] = defaultdict(list)  # a folder, however deep
        for name, files in self.files.items():
            for pattern in _patterns(files):
                self.of_pattern[pattern].append(name)
            folders = {e.folder for e in files}
            for folder in folders:
                self.of_folder[folder].append(name)
            for above in {above for folder in folders for above in _and_above(folder)}:
                self.below[above].append(name)


def _and_above(folder: str) -> list[str]:
    """Return a folder and those that it is in, the data set's own last."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found


def _run_of(trace: Entry, places: _Places) -> str | None:
    """Return the run that a trace belongs to, if it is unambiguous."""

    def possible(names: list[str]) -> list[str]:
        return [n for n in names if _may_be_of(trace, places.files[n])]

    named = possible(places.of_pattern.get(trace.pattern_run, []))
    if len(named) == 1:
        return named[0]
    here = possible(places.of_folder.get(trace.folder, []))
    for folder in _and_above(trace.folder):
        here = here or possible(places.below.get(folder, []))
    if len(here) > 1:
        here = [n for n in here if _says_the_same(trace, places.files[n])]
    return here[0] if len(here) == 1 else None


def _may_be_of(trace: Entry, files: list[Entry]) -> bool:
    """Return whether a trace is of the simulator that wrote a run's logs, under no other label."""
    tool, tools = FORMATS[trace.format].TOOL, {_tool(e) for e in files}
    if tool in SIMULATORS and tool not in tools:
        return False
    return all(
        trace.values[k] == e.values[k]
        for e in files
        for k in e.values.keys() & trace.values.keys()
        if not ENDS.fullmatch(k) and (_is_setting(k) or (_of_folder(k, e) and _of_folder(k, trace)))
    )


def _of_folder(name: str, entry: Entry) -> bool:
    """Return whether a number stands in the folders of a path: it is that of all in them."""
    in_folders = f"{{{name}}}" in entry.template.rpartition("/")[0]
    return in_folders and entry.values[name].isdigit()


def _tool(entry: Entry) -> str | None:
    return FORMATS[entry.format].TOOL if entry.format in FORMATS else None


def _says_the_same(trace: Entry, files: list[Entry]) -> bool:
    """Return whether a log has all that the name of a trace says, and it says something."""
    mine = _labels(trace)
    return bool(mine) and any(mine.items() <= _labels(e).items() for e in files)


def _labels(entry: Entry) -> dict[str, str]:
    return {k: v for k, v in entry.values.items() if not ENDS.fullmatch(k)}


def _patterns(files: list[Entry]) -> set[str]:
    return {e.pattern_run for e in files if e.pattern_run}


def _free(name: str, runs: Runs) -> str:
    names = chain([name], (f"{name} ({i})" for i in count(2)))
    return next(n for n in names if n not in runs)
