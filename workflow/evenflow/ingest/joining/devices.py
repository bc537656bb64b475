"""Traces of single devices of one simulation: 'dumbbell-2-1.tr' is of device 1 of node 2.

ns-3 names the files of `EnableAscii` and `EnableAsciiAll` so, by one prefix for a simulation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from ..entities import Entry, Stream
from .units import Unit

FORMAT = "ns3-ascii"
NAME = re.compile(r"(?P<prefix>.*)-(?P<host>[0-9]+)-(?P<variable>[0-9]+)(?=\.tr(\.\w+)?$)")
PLACES = re.compile(r"-(\{(\w+)\}|[0-9]+)-(\{(\w+)\}|[0-9]+)(?=\.tr(\.\w+)?$)")  # of a pattern


def of_devices(tests: Iterable[Unit]) -> list[list[Unit]]:
    """Return the tests of each simulation that are in files of a device each.

    Not where two of them receive one flow: then they are of two simulations.
    """
    of_prefix: dict[str, list[Unit]] = defaultdict(list)
    for test in tests:
        named = NAME.match(test.path)
        if named and test.entry.format == FORMAT and not any(s.hops for s in test.streams):
            of_prefix[named["prefix"]].append(test)
    found = []
    for group in of_prefix.values():
        ends = [pair for test in group for pair in test.ends]
        if len(group) > 1 and len(set(ends)) == len(ends):
            found.append(group)
    return found


def name_devices(logs: Sequence[Entry], runs: Iterable[list[Stream]]) -> None:
    """Name node and device in the patterns of files of a device each: they tell no runs apart.

    Also of devices that receive no flow, beside those of the same simulation. Changes the entries.

    Args:
        logs: placed by their names.
        runs: the streams of each run.
    """
    names = {e.file_id: NAME.match(e.path) for e in logs if e.format == FORMAT}
    count = Counter(name["prefix"] for name in names.values() if name)
    n_runs: Counter[str] = Counter()
    for streams in runs:
        of_run = [names.get(s.file_id) for s in streams if not s.hops]
        found = {name["prefix"] for name in of_run if name}
        if all(of_run) and len(found) == 1:
            n_runs.update(found)
    prefixes = {prefix for prefix, n in n_runs.items() if n == 1 and count[prefix] > 1}
    for entry in logs:
        named, places = NAME.match(entry.path), PLACES.search(entry.template)
        if entry.format != FORMAT or not (named and places) or named["prefix"] not in prefixes:
            continue
        before = entry.template[: places.start()]
        if "{host}" in before or "{variable}" in before:
            continue
        entry.template = f"{before}-{{host}}-{{variable}}{entry.template[places.end() :]}"
        for name in (places[2], places[4]):
            if name and f"{{{name}}}" not in before:
                entry.values.pop(name, None)
                entry.settings.pop(name, None)
                if name == "flow":
                    entry.flow_id = None
        entry.values |= {name: named[name] for name in ("host", "variable")}
