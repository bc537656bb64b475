"""Totals of a simulation beside a trace of it: one measurement, written twice.

ns-3's FlowMonitor and a trace of the packets, or of what senders and sinks count, are two outputs
of one simulation. As two runs they would count twice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from .devices import NAME, of_devices
from .units import Ends, Unit

TOTALS = "ns3-flowmonitor"
TOOL = "ns-3"
HEADERS = (40, 60)  # bytes of IP and TCP, with options or without
ALIKE = 0.03  # share by which totals may differ: what is under way at the end, or arrives twice
# what the name of an output says of it alone
END = re.compile(
    r"((-flow[0-9]+)?-next-rx)?(\.(tr|data|xml|flowmon(itor)?|txt|gz|xz|zst|bz2))+$", re.IGNORECASE
)

Amounts = Mapping[tuple[int, int], tuple[int, int]]  # bytes and packets by (file_id, stream)


def second_outputs(tests: Sequence[Unit], amounts: Amounts) -> list[tuple[Unit, Unit]]:
    """Return the totals of simulations of which there is a trace as well, each with a log of it.

    Both have the same path, except for its end or for one folder (traces/run1.tr, totals/run1.xml),
    or are in a folder where nothing else is. Their flows have the same addresses and ports (or are
    as many, where the traces name none), and carried as much.

    Args:
        tests: of all logs.
        amounts: what each connection carried.
    """
    totals = [t for t in tests if t.entry.format == TOTALS]
    outputs = _outputs([t for t in tests if t.tool == TOOL and t.entry.format != TOTALS])
    n_totals = Counter(total.folder for total in totals)
    beside, named, elsewhere = defaultdict(list), defaultdict(list), defaultdict(list)
    for output in outputs if totals else []:
        for folder in {test.folder for test in output}:
            beside[folder].append(output)
        stems = {_stem(test.path) for test in output}
        if len(stems) == 1:
            (stem,) = stems
            named[stem].append(output)
            for key in _but_for_a_folder(stem):
                elsewhere[key].append(output)
    found = []
    for total in totals:
        stem, there = _stem(total.path), beside[total.folder]
        alone = there if n_totals[total.folder] == len(there) == 1 else []
        others = (output for key in _but_for_a_folder(stem) for output in elsewhere[key])
        meant = named[stem] or alone or list(others)
        same = [output for output in meant if _carries_as_much(total, output, amounts)]
        if len(same) == 1:
            found.append((total, same[0][0]))
    return found


def _outputs(tests: list[Unit]) -> list[list[Unit]]:
    """Return the traces of each simulation, as far as names tell: those of each flow together."""
    found = of_devices(tests)
    grouped = {id(test) for group in found for test in group}
    found += [[t] for t in tests if id(t) not in grouped and all(map(all, t.ends))]
    of_flows: dict[str, list[Unit]] = defaultdict(list)
    for test in tests:
        if not all(map(all, test.ends)):
            of_flows[_stem(test.path)].append(test)
    return [*found, *of_flows.values()]


def _stem(path: str) -> str:
    """Return the path of an output without what it is of."""
    named = NAME.match(path)
    return named["prefix"] if named else END.sub("", path)


def _but_for_a_folder(stem: str) -> list[tuple[str, ...]]:
    """Return a path without its end, once without each of its folders."""
    *folders, name = stem.split("/")
    return [(*folders[:i], "", *folders[i + 1 :], name) for i in range(len(folders))]


def _carries_as_much(total: Unit, output: list[Unit], amounts: Amounts) -> bool:
    """Return whether the flows of both are the same ones, as far as they say it, and carried so."""
    known = all(all(pair) for test in output for pair in test.ends)
    one, other = _flows([total], amounts, known), _flows(output, amounts, known)
    if [ends for ends, _ in one] != [ends for ends, _ in other]:
        return False
    return all(
        (1 - ALIKE) * (n_bytes - HEADERS[1] * n_packets)
        <= payload
        <= (1 + ALIKE) * (n_bytes - HEADERS[0] * n_packets)
        for (_, (n_bytes, n_packets)), (_, (payload, _)) in zip(one, other, strict=True)
    )


def _flows(
    tests: list[Unit], amounts: Amounts, by_ends: bool
) -> list[tuple[Ends | None, tuple[int, int]]]:
    """Return the ends of flows, if they are to count, and their amounts, in order."""
    return sorted(
        (pair if by_ends else None, amounts[stream.file_id, stream.stream])
        for test in tests
        for pair, stream in zip(test.ends, test.streams, strict=True)
    )
