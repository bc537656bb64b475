"""The runs of a data set and what is known of their flows, which `numbering` makes of streams.

A log with several tests one after another (a server that was left running) gives a run for each:
`<run>#1`, `<run>#2`, ...
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ..congestion_controls import cca_name, usual_name
from ..errors import DataError
from ..formats import FORMATS, RUN_RECORD
from .assumptions import TCP
from .contents import content_of
from .described.known_settings import (
    FLOW_KEYS,
    FLOW_ONLY,
    MEANT,
    OF_ENDS,
    REPETITIONS,
    split_numbered,
    typed,
)
from .entities import (
    BY_HOSTS,
    BY_LOG,
    BY_NODES,
    BY_NUMBER,
    BY_PORTS,
    BY_START,
    BY_TURN,
    Description,
    Entry,
    Flow,
    Group,
    Pairing,
    Row,
    Run,
    RunRecord,
    Stream,
)
from .episodes import count_tests, fail_apart, split_tests
from .joining.units import host_of, node_and_port
from .naming.vocabulary import guessed_settings
from .numbering import given_ports, in_order, number_flows, protocol_of
from .pooling import FILES, part_scenarios, refuse_unknown_factors, tells_repeats, traits_of
from .refusals import (
    exclude_run,
    leave_out,
    leave_out_run,
    refuse_logs_of_nothing,
    refuse_missing_flows,
    refuse_shared_ids,
    refuse_two_buffers,
)
from .starts import after_first_s, began, begun_s, counting_stream, logged_start, said_by
from .ways import flows_against, flows_of_doubtful_way, listed_in_order, settle_pair

SETTLED_BY_YML = "dataset.yml"
OPPOSITE = "direction"  # why a flow is taken as cross traffic: it goes the other way
MAYBE_OPPOSITE = "doubtful direction"  # why it may be: nothing says which way it goes
SETTLED = {
    "file_id": pl.UInt32,
    "stream": pl.Int32,
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "counts": pl.Boolean,  # the report that the flow's samples come from
}


def group_by_path(
    folder: Path, dataset: Description, entries: list[Entry], of_file: dict[int, list[Stream]]
) -> dict[str, Group]:
    """Group logs to the runs that their paths or runs.csv name.

    Under `on_error: quarantine` a run that has an unreadable file is left out whole, and so is one
    whose logs hold different numbers of tests.
    """
    by_run: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.run_id is not None:
            by_run[entry.run_id].append(entry)
    groups = {}
    for base, files in sorted(by_run.items()):
        if base in dataset.exclude:
            exclude_run(base, files, dataset)
            continue
        broken = next((e for e in files if not e.readable), None)
        if broken:
            leave_out(files, f"{broken.path}: {broken.problem}")
            continue
        try:
            tests = _episodes(folder, base, files, of_file)
        except DataError as error:
            if dataset.on_error != "quarantine":
                raise
            leave_out(files, error.problem)
            continue
        scenario = files[0].scenario_id
        for run_id, streams in tests.items():
            groups[run_id] = Group(files, streams, scenario if run_id == base else None)
    return groups


def flows_of_runs(
    folder: Path,
    dataset: Description,
    groups: dict[str, Group],
    table: dict[str, list[Row]],
    is_described: bool = True,
    nothing: Mapping[int, tuple[int | None, str]] | None = None,
) -> tuple[list[Run], list[Flow], pl.DataFrame]:
    """Make flows of the streams of every run, and merge what all sources say of these.

    Each run by itself; `settle_scenarios` looks at all of them. Under `on_error: quarantine` a run
    with a contradiction is left out, and its files are marked so.

    Args:
        folder: the data set.
        dataset: what `read_dataset` returned.
        groups: the runs.
        table: the rows of runs.csv, by run.
        is_described: whether dataset.yml or runs.csv say which files are which.
        nothing: a line, and why, of logs that hold no flow at all, by file_id.

    Returns:
        The runs and the flows, sorted, and the settled streams (SETTLED).

    Raises:
        DataError: sources that contradict each other, a flow without a log, two logs of the same
            side of a flow.
    """
    runs, flows, settled = [], [], []
    numbered, lost = _numbered(folder, groups, is_described)
    for run_id, group in sorted(groups.items()):
        rows = table.get(run_id, table.get(run_id.partition("#")[0], []))
        if run_id in dataset.exclude:
            exclude_run(run_id, group.files, dataset)
            continue
        try:
            members = numbered[run_id]
            if isinstance(members, DataError):
                raise members
            refuse_logs_of_nothing(folder, group.files, members, nothing or {}, is_described)
            run, its_flows, its_streams = _one_run(
                folder, dataset, run_id, group, members, rows, is_described, run_id in lost
            )
        except DataError as error:
            if dataset.on_error != "quarantine":
                raise
            leave_out_run(run_id, group.files, error.problem)
            continue
        runs.append(run)
        flows += its_flows
        settled += its_streams
    return runs, flows, pl.DataFrame(settled, schema=SETTLED, orient="row")


def _numbered(
    folder: Path, groups: dict[str, Group], is_described: bool
) -> tuple[dict[str, dict[int, list[Stream]] | DataError], set[str]]:
    """Return the flows of every run, or what is wrong with them, and the runs that lost a log.

    Those have fewer flows than most runs of the same patterns, or, where names do not number the
    flows, fewer logs.
    """
    numbered: dict[str, dict[int, list[Stream]] | DataError] = {}
    n_flows: dict[frozenset, Counter[int]] = defaultdict(Counter)
    n_logs: dict[frozenset, Counter[int]] = defaultdict(Counter)
    patterns = {name: frozenset(e.template for e in of.files) for name, of in groups.items()}
    for run_id, group in groups.items():
        try:
            known = (group.files, group.streams, is_described)
            numbered[run_id] = its_flows = number_flows(folder, *known)
        except DataError as error:
            numbered[run_id] = error
            continue
        n_flows[patterns[run_id]][len(its_flows)] += 1
        n_logs[patterns[run_id]][_n_logs(group)] += 1
    lost = set()
    for run_id, members in numbered.items():
        if isinstance(members, DataError):
            continue
        files, pattern = groups[run_id].files, patterns[run_id]
        fewer = _n_logs(groups[run_id]) < _most(n_logs[pattern])
        fewer &= any(e.flow_id is None for e in files)
        if fewer or len(members) < _most(n_flows[pattern]):
            lost.add(run_id)
    return numbered, lost


def _n_logs(group: Group) -> int:
    """Return how many logs of a run measure a flow: traces beside them are no matter."""
    return len({s.file_id for s in group.streams if s.measures})


def _most(count: Counter[int]) -> int:
    """Return the number that most have; of two as usual the larger one."""
    return max(count, key=lambda n: (count[n], n))


def settle_scenarios(
    dataset: Description, runs: list[Run], files: Mapping[str, list[Entry]]
) -> None:
    """Say which runs are repeats of one scenario, and number them.

    Changes the runs, and `found` of their `files` (by run).

    Args:
        dataset: as for `flows_of_runs`.
        runs: all runs of the data set, sorted.
        files: the logs of each run, as many as a table of files has to name.

    Raises:
        DataError: `pool_over` names what is no factor.
    """
    over = dataset.pool_over
    refuse_unknown_factors(dataset, runs)
    for run in runs:
        run.settings = {k: v for k, v in run.settings.items() if k not in over}
    found = part_scenarios(runs)
    for run in runs:  # so that a table of files can say it
        for entry in files.get(run.run_id, []):
            entry.found = {key: run.settings[key] for key in found if key in run.settings}
    _number_repeats(runs)


def _number_repeats(runs: list[Run]) -> None:
    """Number the runs of a scenario in the order of their names where nothing says the repeat.

    Or where two of them have the same one, as run1 of one date and run1 of another.
    """
    scenarios: dict[str, list[Run]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: in_order(run.run_id)):
        scenarios[run.scenario_id].append(run)
    for scenario in scenarios.values():
        numbers = [run.settings.get("repeat", rank) for rank, run in enumerate(scenario, start=1)]
        if len(set(numbers)) < len(numbers):
            numbers = list(range(1, len(numbers) + 1))
        for run, number in zip(scenario, numbers, strict=True):
            run.settings["repeat"] = number


def _episodes(
    folder: Path, base: str, files: list[Entry], of_file: dict[int, list[Stream]]
) -> dict[str, list[Stream]]:
    """Split the streams of a run's logs into its tests, in the order of the logs."""
    streams = [stream for entry in files for stream in of_file.get(entry.file_id, [])]
    tests = split_tests(base, streams)
    if tests is None:
        path = {e.file_id: e.path for e in files}
        several = ", ".join(f"{path[i]} {n}" for i, n in count_tests(streams).items())
        problem = f"its logs hold different numbers of tests one after another ({several})"
        remedy = "cut the logs into one a test, or give each log a run of its own in runs.csv"
        raise DataError(problem, path=folder / base, remedy=remedy)
    if len(tests) > 1 and fail_apart({e.file_id: e.failed_at for e in files}, streams):
        problem = "its logs hold several tests, of which others failed in each: nothing says which "
        problem += "of those that are left ran together"
        remedy = "cut the logs into one a test, or give each log a run of its own in runs.csv"
        raise DataError(problem, path=folder / base, remedy=remedy)
    return tests


class Said(NamedTuple):
    """What all sources but the flows' own logs say of a run."""

    settings: dict[str, Any]  # of the run
    flows: dict[int, dict[str, Any]]  # of its flows, by number
    by_files: set[int]  # flows that names of logs or a record tell something of
    record: RunRecord
    paired: Pairing | None


def _one_run(
    folder: Path,
    dataset: Description,
    run_id: str,
    group: Group,
    members: dict[int, list[Stream]],
    rows: list[Row],
    is_described: bool,
    lost: bool,
) -> tuple[Run, list[Flow], list[tuple]]:
    """Return one run, its flows, and its settled streams (rows of SETTLED)."""
    where, files = folder / run_id, group.files
    epochs = began(members)
    said = _said(folder, dataset, run_id, group, members, rows, lost, epochs)
    platform = {"platform": dataset.platform} if dataset.platform else {}
    settings = _tools(files, group.streams) | platform | dataset.defaults | said.settings
    refuse_two_buffers(where, settings, {s.mss_bytes for s in group.streams})
    # logs that number their flows themselves (ns-3's from 0 in names, from 1 here) need no names
    own_numbers = any(s.flow_id is not None for s in group.streams)
    named = set() if own_numbers else {e.flow_id for e in files if e.flow_id is not None}
    by_row = {
        part.flow: f", which line {part.line} of {dataset.runs} names"
        for part in rows
        if part.flow is not None
    }
    declared = {*dataset.flows, *by_row}
    if is_described:  # else names alone say that there are others
        declared |= said.by_files | named
    refuse_missing_flows(where, dataset, declared, set(members), by_row)
    refuse_shared_ids(where, group.streams, {*said.flows, *dataset.flows})
    of_all_flows = {key: settings.pop(key) for key in FLOW_ONLY if key in settings}
    inherited = {key: settings.get(key) for key in ("rtt_ms", "mss_bytes")} | of_all_flows
    flows = _flows_of(run_id, dataset, files, members, rows, said.flows, inherited, epochs)
    counting = {flow: counting_stream(members[flow]) for flow in sorted(members)}
    settled = [
        (stream.file_id, stream.stream, run_id, flow, stream is counts)
        for flow, counts in counting.items()
        for stream in members[flow]
    ]

    ccas = "-".join(flow.cca or "unknown" for flow in flows)
    # runs of which nobody says what ran, nor that they are repeats, are not taken as such
    of_tcp = [flow for flow in flows if flow.protocol in TCP]
    unknown = not of_tcp or any(flow.cca is None for flow in of_tcp)
    untold = unknown and not {*REPETITIONS} & {*settings} and not tells_repeats(files)
    over = dataset.pool_over
    by_path = None if FILES in over else group.scenario_id
    scenario = run_id if untold else by_path or _scenario(settings, ccas, over)
    counted = {flow: [counts, *members[flow]] for flow, counts in counting.items()}
    traits = traits_of(settings, ccas, files, flows, counted, over)
    made_by = json.dumps(said.record.made_by, sort_keys=True)
    observed = json.dumps(said.record.observed, sort_keys=True)
    guessed = "" if is_described else _guessed(files, {*dataset.defaults})
    told = (made_by, observed, guessed, said.paired)
    run = Run(run_id, scenario, settings, traits, not untold, *told)
    if not named and not own_numbers:
        run.misnumbered = _numbered_otherwise(members)
    return run, flows, settled


def _said(
    folder: Path,
    dataset: Description,
    run_id: str,
    group: Group,
    members: dict[int, list[Stream]],
    rows: list[Row],
    lost: bool,
    epochs: Mapping[int, float | None],
) -> Said:
    """Merge what names of logs, runs.csv and records say of a run and of its flows.

    Raises:
        DataError: two of them contradict each other.
    """
    where, files = folder / run_id, group.files
    places = _labels_of_places([entry.settings for entry in files])
    places |= _labels_of_places([row.settings for row in rows if row.flow is None])
    settings, flow_settings, listed = _said_by_names(folder, where, files, members, places)
    of_tcp = [flow for flow, of_flow in members.items() if protocol_of(of_flow) in TCP]
    said_of_flows = [
        *dataset.flows.items(),
        *flow_settings.items(),
        *((row.flow, row.settings) for row in rows),
    ]
    beside = {flow for flow, keys in said_of_flows if flow and keys.get("cross_traffic")}
    of_names = listed_in_order(listed, members, of_tcp, beside)
    of_flows = {s.file_id for of_flow in members.values() for s in of_flow if s.measures}
    measuring = [entry for entry in files if entry.file_id in of_flows]
    numbered = bool(measuring) and all(
        entry.flow_id is not None and entry.flow_counts is None for entry in measuring
    )
    settings |= settle_pair(of_names, flow_settings, of_tcp, lost, beside, numbered)
    by_files = {*flow_settings} | {flow for flow, keys in of_names.items() if "cca" in keys}
    paired: Pairing | None = None
    if _only_order_pairs(of_names, members, files, of_names != listed):
        stated = {flow: dict(dataset.flows.get(flow, {})) for flow in members}
        for part in rows:
            if part.flow in stated:
                stated[part.flow] |= part.settings
        _refuse_unlisted(folder, of_names, dataset.flows)
        of_names, all_said = _as_stated(of_names, stated)
        paired = None if all_said else _pairing(of_names, members, files, epochs)
    for flow, keys in of_names.items():
        _merge(flow_settings.setdefault(flow, {}), keys, where)
    for part in rows:
        of = settings if part.flow is None else flow_settings.setdefault(part.flow, {})
        _merge(of, _without(part.settings, places), where, f"line {part.line} of {dataset.runs}")
    record = RunRecord({}, {}, {}, {})
    for entry in files:
        if entry.format == RUN_RECORD:
            record = read_record(folder / entry.path, content_of(entry))
            _merge(settings, record.run, where)
            by_files |= record.flows.keys()
            for flow, keys in record.flows.items():
                _merge(flow_settings.setdefault(flow, {}), keys, where)
    return Said(settings, flow_settings, by_files, record, paired)


def _said_by_names(
    folder: Path,
    where: Path,
    files: list[Entry],
    members: dict[int, list[Stream]],
    places: set[str],
) -> tuple[dict[str, Any], dict[int, dict], dict[int, dict]]:
    """Return what names of logs say: of the run, of the flows they are of, of flows 1, 2, ....

    The last are those that a name lists: 'a_vs_b'.
    """
    settings: dict[str, Any] = {}
    flow_settings: dict[int, dict] = {}
    listed: dict[int, dict] = {}
    of_flow_keys = {*FLOW_ONLY} | {
        key for key in FLOW_KEYS if len({e.settings[key] for e in files if key in e.settings}) > 1
    }
    for entry in files:
        numbered, plain = split_numbered(entry.settings, folder / entry.path)
        plain = _without(plain, places)
        own = {
            flow
            for flow, streams in members.items()
            if any(stream.file_id == entry.file_id for stream in streams)
        }
        if not own and entry.flow_id is not None:
            own = {entry.flow_id}
        if len(own) == 1 or own < members.keys():  # what a log of all flows says is of the run
            per_flow = {k: plain.pop(k) for k in of_flow_keys if k in plain}
            for flow in own if per_flow else ():
                _merge(flow_settings.setdefault(flow, {}), per_flow, where)
        _merge(settings, plain, where)
        for flow, keys in numbered.items():
            _merge(listed.setdefault(flow, {}), keys, where)
    return settings, flow_settings, listed


def _flows_of(
    run_id: str,
    dataset: Description,
    files: list[Entry],
    members: dict[int, list[Stream]],
    rows: list[Row],
    said: Mapping[int, dict[str, Any]],
    inherited: Mapping[str, Any],
    epochs: Mapping[int, float | None],
) -> list[Flow]:
    """Return the flows of a run: what is said of each, and else what its log has.

    Args:
        run_id, dataset, files, members, rows: as for `_one_run`.
        said: what names, runs.csv and records say of each flow.
        inherited: what is said of all of them.
        epochs: when each began, seconds since 1970.
    """
    protocols = {flow: protocol_of(of_flow) for flow, of_flow in members.items()}
    has_tcp = any(protocol in TCP for protocol in protocols.values())
    comparable = [flow for flow in members if not has_tcp or protocols[flow] in TCP]
    counting_of = {flow: counting_stream(members[flow]) for flow in comparable}
    back, doubtful = flows_against(counting_of), flows_of_doubtful_way(counting_of)
    flows = []
    for flow in sorted(members):
        of_flow, protocol = members[flow], protocols[flow]
        row = dict(inherited) | dataset.flows.get(flow, {}) | said.get(flow, {})
        row["start_from"] = "given" if row.get("start_s") is not None else "assumed"
        if row["start_from"] == "assumed":
            row |= logged_start(flow, of_flow, epochs, members)
        if protocol not in TCP:  # what paths and defaults name is that of the TCPs
            of_flow_alone = {} if _names_ccas(files) else dict(said.get(flow, {}))
            for part in rows:
                of_flow_alone |= part.settings if part.flow == flow else {}
            row["cca"] = (dataset.flows.get(flow, {}) | of_flow_alone).get("cca")
        row["cross_from"] = "assumed" if row.get("cross_traffic") is None else "given"
        if row["cross_from"] == "assumed":
            row["cross_traffic"] = has_tcp and protocol not in TCP
            if flow in back and not row["cross_traffic"]:
                row["cross_from"], row["cross_traffic"] = OPPOSITE, True
            elif flow in doubtful and not row["cross_traffic"]:
                row["cross_from"] = MAYBE_OPPOSITE
        row |= _logged(of_flow, row, dataset.cca_from)
        row["label"] = _name_of(counting_stream(of_flow), files)
        # all but `opposite`, which follows from all flows of the run
        known: dict[str, Any] = {key: row.get(key) for key in Flow._fields[3:-1]}
        flows.append(Flow(run_id, flow, protocol, **known))
    other_way = _other_way(flows, comparable, back, doubtful)
    return [f._replace(opposite=f.cross_traffic and f.flow_id in other_way) for f in flows]


def _logged(of_flow: list[Stream], row: Mapping[str, Any], settled: str | None) -> dict[str, Any]:
    """Return the congestion control of a flow and its segments' size, with what its logs say.

    Args:
        of_flow: its streams.
        row: what is said of it elsewhere.
        settled: `cca_from` of dataset.yml.
    """
    by_side = sorted(of_flow, key=lambda stream: stream.side == "receiver")
    logged = {key: said_by(by_side, key) for key in ("cca", "mss_bytes")}
    cca, cca_from = row.get("cca"), _who_says(row.get("cca"), logged["cca"], settled)
    if cca is None or (cca_from == SETTLED_BY_YML and settled == "logs"):
        cca = logged["cca"]
    mss_bytes = row.get("mss_bytes")
    return {
        "cca": cca_name(cca) if cca else None,
        "cca_from": cca_from,
        "mss_bytes": logged["mss_bytes"] if mss_bytes is None else mss_bytes,
    }


def _other_way(
    flows: list[Flow], comparable: Collection[int], back: set[int], doubtful: set[int]
) -> set[int]:
    """Return the flows of a run that go against those that are compared.

    A flow that may go the other way is asked about, and to declare it as cross traffic says that it
    does. dataset.yml may also say that those are compared which go against most.

    Args:
        flows: of the run, settled.
        comparable: the numbers of those whose direction counts.
        back, doubtful: `ways.flows_against` and `ways.flows_of_doubtful_way`.
    """
    compared = {flow.flow_id for flow in flows if not flow.cross_traffic}
    if compared and compared <= back:
        return {*comparable} - back - doubtful
    return back | doubtful


def _name_of(stream: Stream, files: list[Entry]) -> str | None:
    """Return the name that the log of a flow has for it, where it is none of a socket."""
    of_log = next(e.format for e in files if e.file_id == stream.file_id)
    return stream.label if getattr(FORMATS.get(of_log), "NAMES_FLOWS", False) else None


def _numbered_otherwise(members: dict[int, list[Stream]]) -> list[tuple[str, int, int]]:
    """Return the logs of a run with their flow and the number in their name, if these differ.

    Where what tells the names of the logs of each flow apart is a number, from 1 to that of the
    flows. Empty where the numbers agree, or names have no such numbers.
    """
    flows_of: dict[str, set[int]] = defaultdict(set)
    for flow, streams in members.items():
        for stream in streams:
            flows_of[stream.path].add(flow)
    logs = {path: min(flows) for path, flows in flows_of.items() if len(flows) == 1}
    texts = {path: re.findall("[0-9]+", path) for path in logs}
    if {*logs.values()} != {*members} or len({len(text) for text in texts.values()}) > 1:
        return []
    for numbers in zip(*texts.values(), strict=True):
        pairs = {*zip(logs.values(), map(int, numbers), strict=True)}
        if len(pairs) == len(members) and {n for _, n in pairs} == {*range(1, len(members) + 1)}:
            rows = zip(logs.items(), map(int, numbers), strict=True)
            otherwise = any(flow != n for flow, n in pairs)
            return sorted((path, flow, n) for (path, flow), n in rows) if otherwise else []
    return []


def _only_order_pairs(
    of_names: dict[int, dict],
    members: dict[int, list[Stream]],
    files: list[Entry],
    by_number: bool,
) -> bool:
    """Return whether only the order of flows says which of the settings that a name lists it has.

    Not where a name or a log numbers the flows from 1, and where all have the same settings.

    Args:
        of_names: the settings of flows 1, 2, ... that names list.
        members: the streams of every flow of the run.
        files: the logs of the run.
        by_number: whether the flows have other numbers than 1, 2, ... (`listed_in_order`).
    """
    listed = [of_names.get(flow, {}) for flow in sorted(members)]
    if all(keys == listed[0] for keys in listed):
        return False
    return by_number or not _has_numbers(members, files)


def _has_numbers(members: dict[int, list[Stream]], files: list[Entry]) -> bool:
    """Return whether names or logs number flows of a run."""
    named = {e.file_id for e in files if e.flow_id is not None}
    streams = [s for of_flow in members.values() for s in of_flow]
    return any(s.flow_id is not None or s.file_id in named for s in streams)


def _refuse_unlisted(
    folder: Path, of_names: dict[int, dict], stated: Mapping[int, Mapping[str, Any]]
) -> None:
    """Refuse what `flows:` of dataset.yml says of a flow where the name lists other values only."""
    for flow, said in sorted(stated.items()):
        for key in sorted(said.keys() & of_names.get(flow, {}).keys()):
            listed = [keys[key] for keys in of_names.values() if key in keys]
            if said[key] not in listed:
                problem = f"{key} of flow {flow} is {said[key]} by 'flows', and names list "
                problem += ", ".join(map(str, listed))
                remedy = "correct 'flows', or the names, or say in runs.csv which run it is of"
                raise DataError(problem, path=folder / "dataset.yml", remedy=remedy)


def _as_stated(
    of_names: dict[int, dict], stated: Mapping[int, Mapping[str, Any]]
) -> tuple[dict[int, dict], bool]:
    """Pair flows with what a name lists as somebody states it: an order is a guess.

    Where a statement is of nothing that the name lists, it contradicts the name: nothing changes.

    Args:
        of_names: the settings of flows 1, 2, ... that names list, which only their order pairs.
        stated: what dataset.yml and runs.csv say of each flow.

    Returns:
        The settings of each flow, and whether that is all stated.
    """
    said = {
        flow: {key: stated[flow][key] for key in keys if key in stated.get(flow, {})}
        for flow, keys in of_names.items()
    }
    stated_of = [flow for flow in sorted(said) if said[flow]]
    left = {**of_names}
    paired: dict[int, dict] = {}
    for flow in stated_of:
        places = [place for place in left if said[flow].items() <= left[place].items()]
        if not places:
            return of_names, False
        place = flow if flow in places else min(places)
        paired[flow] = left.pop(place)
    rest = sorted({*of_names} - paired.keys())
    all_said = bool(stated_of) and all(keys == left[min(left)] for keys in left.values())
    others = dict(zip(rest, (left[place] for place in sorted(left)), strict=True))
    return paired | others, all_said


def _pairing(
    of_names: dict[int, dict],
    members: dict[int, list[Stream]],
    files: list[Entry],
    epochs: Mapping[int, float | None],
) -> Pairing | None:
    """Return what pairs flows with the settings that a name lists where only their order does.

    None where a log says the congestion control of one.

    Args:
        of_names: the settings of flows 1, 2, ... that names list.
        members: the streams of every flow of the run.
        files: the logs of the run.
        epochs: when each flow began, seconds since 1970.
    """
    if any(s.cca for of_flow in members.values() for s in of_flow):
        return None
    keys = ", ".join(sorted({key for flow in members for key in of_names.get(flow, {})}))
    if _has_numbers(members, files):
        return Pairing(keys, BY_NUMBER)
    counting = [counting_stream(members[flow]) for flow in sorted(members)]
    ends = [(s.local, s.peer) if s.side == "sender" else (s.peer, s.local) for s in counting]
    pairs = [(sender or "", receiver or "") for sender, receiver in ends]
    if all(s.clock == "run" and all(pair) for s, pair in zip(counting, pairs, strict=True)):
        by, whose = _order_of_nodes(pairs)
    else:
        after_s = after_first_s(epochs)
        begun = {begun_s(members[n][0], after_s[n]) for n in sorted(members)}
        whose = _distinct([tuple(map(host_of, pair)) for pair in pairs])
        by = BY_START if len(begun) > 1 else BY_HOSTS if len(set(whose)) > 1 else BY_LOG
    places = [(s.file_id, s.stream) for s in counting]
    in_one_log = len({file_id for file_id, _ in places}) == 1
    return Pairing(keys, by, tuple(whose), in_one_log and places[0] != min(places))


def _order_of_nodes(pairs: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    """Return what flows of a simulation are in the order of, and what flow 1, 2, ... has of it.

    Args:
        pairs: of flow 1, 2, ... the ends of its sender and its receiver.
    """
    nodes = [tuple(_named_node(end) for end in pair) for pair in pairs]
    ports = [tuple(f"port {port}" for port in given_ports(*pair)) for pair in pairs]
    if len(set(nodes)) > 1:
        return BY_NODES, _distinct(nodes)
    return (BY_PORTS, _distinct(ports)) if len(set(ports)) > 1 else (BY_TURN, [])


def _named_node(end: str) -> str:
    node = node_and_port(end)[0]
    return node if ":" in end else f"node {node}"


def _distinct(pairs: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the first of two names of each flow, or the second one where only that differs."""
    first, second = ([*names] for names in zip(*pairs, strict=True))
    return first if len(set(first)) > 1 else second


def _labels_of_places(said: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the labels of places in which the logs of a run differ: they are those of its hosts.

    Names alone are no evidence that logs of two places are one run; runs.csv may say that they are.

    Args:
        said: the settings of each log, or of each row of runs.csv.
    """
    keys = {key for settings in said for key in settings if OF_ENDS.fullmatch(key)}
    return {key for key in keys if len({settings.get(key) for settings in said}) > 1}


def _without(settings: dict[str, Any], places: set[str]) -> dict[str, Any]:
    """Return the settings of a log or a row that are not of its end of the network."""
    return {key: value for key, value in settings.items() if key not in {"side", *places}}


def _guessed(files: list[Entry], given: set[str]) -> str:
    """Return the settings that the names of a run's logs give without a word that says so."""
    keys = {key for entry in files for key in guessed_settings(entry.template, entry.values)}
    return ", ".join(sorted(keys - given))


def _who_says(said: str | None, logged: str | None, settled: str | None) -> str | None:
    """Return what the congestion control of a flow comes from (`Flow.cca_from`).

    Args:
        said: by names, dataset.yml, runs.csv or a record.
        logged: by its log.
        settled: which of them dataset.yml lets count where they differ.
    """
    if settled and said and logged and usual_name(said) != usual_name(logged):
        return SETTLED_BY_YML
    return "said" if said else "log" if logged else None


def _names_ccas(files: list[Entry]) -> bool:
    """Return whether the paths of a run's logs name congestion controls, of some flow or other."""
    return any(re.fullmatch("cca[0-9]*", key) for e in files for key in e.values)


def _tools(files: list[Entry], streams: list[Stream]) -> dict[str, str | None]:
    """Return what wrote the logs of a run's flows (or its traces), as far as they say it."""
    measuring = [s for s in streams if s.measures]  # not ss or tcp_probe, which only watch
    writers = {s.file_id for s in measuring or streams} or {e.file_id for e in files}
    modules = [FORMATS[e.format] for e in files if e.file_id in writers]
    tools = {module.TOOL: module.PLATFORM for module in modules}
    versions = {s.tool_version for s in streams} - {None}
    version = versions.pop() if len(versions) == 1 else None
    tool, platform = tools.popitem() if len(tools) == 1 else (None, None)
    return {"platform": platform, "tool": tool, "tool_version": version}


def _scenario(settings: dict, ccas: str, over: Sequence[str]) -> str:
    """Name a scenario by its settings, where no path does."""
    hidden = ("repeat", "seed", "platform", "tool", "tool_version", *over)
    shown = {k: v for k, v in sorted(settings.items()) if k not in hidden and v is not None}
    words = [f"{k} {v:g}" if isinstance(v, float) else f"{k} {v}" for k, v in shown.items()]
    return ", ".join([ccas, *words])


def _merge(into: dict, more: dict, where: object, source: str = "another") -> None:
    for key, value in more.items():
        if into.setdefault(key, value) != value:
            problem = f"{key} is {into[key]} by one source and {value} by {source}"
            remedy = "correct the file name, runs.csv or the run record: they must agree"
            if not MEANT.fullmatch(key):
                remedy += f"; if {{{key}}} tells the logs of one run apart, write {{host}} or "
                remedy += "{variable} in its place in the pattern"
            raise DataError(problem, path=where, remedy=remedy)


def read_record(path: Path, content: bytes) -> RunRecord:
    """Read the record of a run.

    Raises:
        DataError: it is none.
    """
    try:
        record = json.loads(content)
        run = {key: typed(key, value, path) for key, value in record["run"].items()}
        flows = {
            int(flow): {key: typed(key, value, path) for key, value in keys.items()}
            for flow, keys in record["flows"].items()
        }
        made_by, observed = (record.get(key, {}) for key in ("made_by", "observed"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        line = getattr(error, "lineno", None)
        remedy = "delete the run so that it is made again, or restore the file"
        problem = f"not a run record of evenflow ({type(error).__name__}: {error})"
        raise DataError(problem, path=path, line=line, remedy=remedy) from error
    return RunRecord(run, flows, made_by, observed)
