"""Numbers of flows in names that turn out to count runs: 'cubic1', 'cubic2' of tests in turn.

What the number behind a congestion control or an end is of shows once it is known what ran
together. Where no run holds two of the numbers, but several runs one each, it is the repetition:
then the flow has the number that it would have without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .described.known_settings import NUMBERS, typed
from .described.of_flows import cca_of_flow
from .described.patterns import renamed, run_of_path, scenario_of_path
from .entities import Entry, Group, Stream
from .joining.units import host_of
from .pooling import FILES
from .traces import is_trace

Runs = Mapping[str, Group]  # by name


def tell_runs_by_numbers(
    runs: Runs,
    entries: Iterable[Entry],
    of_file: Mapping[int, list[Stream]],
    over: Sequence[str] = (),
    cca_said: bool = False,
) -> None:
    """Make the number of a flow that of a repetition, where it tells runs apart and no flows.

    Changes the entries: {flow} is {repeat} in the templates of which that holds throughout. Where
    it holds in some folders only, the logs there forget their flow, and the template stays.

    Args:
        runs: what ran together.
        entries: all logs, placed.
        of_file: the parsed streams by file_id.
        over: factors that tell repeats apart, as dataset.yml says (`pool_over`).
        cca_said: whether dataset.yml or runs.csv say congestion controls.
    """
    entries = [e for e in entries if "flow" in e.values]
    numbers: dict[str, set[str]] = {}  # of the logs of each run
    runs_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    logs: dict[str, dict[int, Entry]] = defaultdict(dict)
    for name, run in runs.items():
        numbered = [e for e in run.files if "flow" in e.values and not is_trace(e)]
        numbers[name] = {e.values["flow"] for e in numbered}
        for entry in numbered:
            runs_of[entry.template, entry.pattern_run].add(name)
            logs[entry.template][entry.file_id] = entry
    apart: dict[str, set[str]] = defaultdict(set)  # template: patterns of which each run has one
    of_flows = set()
    for (template, pattern), names in runs_of.items():
        found = [numbers[name] for name in names]
        if any(len(of_run) > 1 for of_run in found):
            of_flows.add(template)
        elif len(set.union(*found)) > 1:
            apart[template].add(pattern)
    apart = {
        template: patterns
        for template, patterns in apart.items()
        if _may_count_runs([*logs[template].values()], of_file, over, cca_said)
    }
    changed = []
    for entry in entries:
        if entry.template not in apart:
            continue
        if entry.template not in of_flows:
            changed.append(entry)
        elif entry.pattern_run in apart[entry.template]:
            entry.flow_id = None
    for entry in changed:
        _rename(entry)
    of_flow = cca_of_flow([(e.template, e.values) for e in changed])
    for entry in changed:
        is_of_flow = entry.template in of_flow and not is_trace(entry)
        path = (entry.template, entry.values, ("cca",) * is_of_flow)
        entry.pattern_run = run_of_path(*path)
        entry.scenario_id = scenario_of_path(*path, over)


def _rename(entry: Entry) -> None:
    """Call the number in a name {repeat}; where that is another one's name {run}."""
    free = ("repeat", *(f"run{i or ''}" for i in (0, *range(2, 99))))
    name = next(name for name in free if name not in entry.values)
    names = {"flow": name}
    entry.template = renamed(entry.template, names)
    entry.values = {names.get(key, key): value for key, value in entry.values.items()}
    entry.flow_id = None
    if name in NUMBERS:
        entry.settings[name] = typed(name, entry.values[name], entry.path)
    if entry.otherwise == {}:  # the logs of its pattern may have run together
        entry.otherwise = {name: "flow"}


def _may_count_runs(
    logs: list[Entry], of_file: Mapping[int, list[Stream]], over: Sequence[str], cca_said: bool
) -> bool:
    """Return whether numbers that tell runs apart may count repeats, of logs of one template.

    Behind an end ('client3') they may name hosts: not where addresses say that these are the same,
    and the congestion controls, of which each might have its client, are known.
    """
    if FILES in over or all(e.flow_counts == "cca" for e in logs):
        return True
    if any(e.flow_counts is None for e in logs):
        return False
    hosts: dict[str, set[str]] = defaultdict(set)
    for entry in logs:
        for stream in of_file.get(entry.file_id, []):
            said = cca_said or stream.cca or any(k.startswith("cca") for k in entry.settings)
            if not (said and stream.local and stream.peer):
                return False
            hosts[entry.values["flow"]].add(host_of(stream.local))
    return len({frozenset(of) for of in hosts.values()}) < len(hosts)
