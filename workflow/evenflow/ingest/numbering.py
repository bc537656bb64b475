"""Which streams of a run are one flow, and the numbers of flows.

A stream is a connection as one log reports it. Streams become flows in this order: by the flow that
the log's path or its row in runs.csv names; by the number that the log itself gives (ns-2's flow
id); by the addresses and ports of the connection, which two ends share; else each stream is a flow.
Where both ends report a flow the receiver's report counts. A flow has the state of one connection
at a time: logs of `ss` may hold others that had its ends before or after it, or the same one twice.
"""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

from ..errors import DataError
from .assumptions import TCP
from .entities import Entry, Stream
from .joining.units import host_of, node_and_port
from .starts import after_first_s, began, begun_s, counting_stream, said_by
from .traces import OF_CONNECTIONS, during
from .ways import join_translated

# ports from here on are those that systems choose for clients, and ns-3 in the order of connections
CHOSEN = 49152
SERVICE = re.compile("(?i)[a-z0-9-]*[a-z][a-z0-9-]*")  # RFC 6335: what a port may be called


def in_order(text: str) -> list[tuple]:
    """Return a key that sorts names as one counts: 'run_2' before 'run_10'."""
    parts = re.split("([0-9]+)", text)
    return [(len(n := part.lstrip("0")), n) if part.isdigit() else (0, part) for part in parts]


def given_ports(sender: str, receiver: str) -> tuple[int, int]:
    """Return the ports of receiver and sender in a simulation, 0 for those that nobody gave."""
    ports = (node_and_port(end)[1] for end in (receiver, sender))
    numbers = (int(port) if port.isdecimal() else 0 for port in ports)
    to, by = (number if number < CHOSEN else 0 for number in numbers)
    return to, by


def protocol_of(streams: list[Stream]) -> str | None:
    """Return the protocol of a flow, as far as its logs name it."""
    return said_by([counting_stream(streams), *streams], "protocol")


def number_flows(
    folder: Path, files: list[Entry], streams: list[Stream], is_described: bool = False
) -> dict[int, list[Stream]]:
    """Group the streams of one run by flow: {flow number: its streams}.

    Of a folder that is described logs are the two ends of a flow whose paths differ only in what
    {side} stands for.

    Of several connections in a log with a number the first has it. The others come behind the
    numbers of all logs, so that no log's number is that of another log's flow. But a log whose name
    is that of others without their number is the first of them, if none of them is.

    Raises:
        DataError: two logs claim the same side of a flow.
    """
    entry = {e.file_id: e for e in files}
    # however the logs of the run were found, its flows have the same numbers
    streams = sorted(streams, key=lambda s: (s.file_id, s.stream))
    quoted = _quoted([s for s in streams if s.measures] or streams)
    streams = [replace(s, quoted=True) if s in quoted else s for s in streams]
    measuring = [s for s in streams if s.measures] or streams
    groups: dict[tuple, list[Stream]] = defaultdict(list)
    for stream, key in _flow_keys(entry, measuring):
        if stream.measures and not stream.quoted:
            _refuse_double_claim(folder, entry, groups[key], stream)
        groups[key].append(stream)
    join_translated(groups, _names_but_for_side(files) if is_described else {})
    flows = {key[1]: of_flow for key, of_flow in groups.items() if key[0] == "number"}
    if len(flows) < len(groups):
        after_s = after_first_s(began(groups))
        ordered = sorted(groups, key=lambda key: _rank(key, groups[key], entry, after_s[key]))
        tells = len({key[1] for key in groups}) > 1  # of one log alone a number tells nothing
        given = {key[1] for key in groups if tells and key[1] is not None} | flows.keys()
        further = 1 + max(given, default=0)
        for key in (key for key in ordered if key[0] != "number"):
            number = key[1] if tells else None
            if number is None and 1 not in given and _comes_first(groups[key], entry):
                number = 1
            if number is None or number in flows:
                while further in flows:
                    further += 1
                number, further = further, further + 1
            flows[number] = groups[key]
    connections: dict[int, set] = defaultdict(set)
    for stream in streams:
        if ends := _ends(stream):
            connections[stream.file_id].add(frozenset(ends))
    states: dict[int, list[Stream]] = defaultdict(list)
    for stream in streams:  # those of a sender's variables only
        if not any(stream is other for of_flow in flows.values() for other in of_flow):
            alone = len(connections[stream.file_id]) < 2
            flow = _flow_of_state(stream, entry[stream.file_id].flow_id, flows, alone=alone)
            if flow is not None:
                states[flow].append(stream)
    for flow, of_flow in states.items():
        flows[flow] += _one_at_a_time(entry, of_flow, flows[flow])
    return flows


def _one_at_a_time(
    entry: dict[int, Entry], states: list[Stream], measuring: list[Stream]
) -> list[Stream]:
    """Return those states of a flow that are of its connection, each time of it once.

    Of several that logs of `ss` or tcp_probe hold with its ends those that were there when it was,
    as dates say. Where none was, and one log holds several, nothing says which is of the flow. What
    two logs hold at the same time, or without dates, is that of the log beside the flow's own, else
    of the first.
    """
    kept = [s for s in states if entry[s.file_id].format not in OF_CONNECTIONS]
    folders = {entry[s.file_id].folder for s in measuring}
    for tool in OF_CONNECTIONS:
        of_tool = [s for s in states if entry[s.file_id].format == tool]
        then = [s for s in of_tool if any(during(s, other) for other in measuring)]
        n_of_file = Counter(s.file_id for s in of_tool)
        left = then or [s for s in of_tool if n_of_file[s.file_id] == 1]
        of_connection: list[Stream] = []
        for state in sorted(left, key=lambda s: entry[s.file_id].folder not in folders):
            if not any(_at_once(state, other) for other in of_connection):
                of_connection.append(state)
        kept += of_connection
    return [s for s in states if s in kept]


def _at_once(one: Stream, other: Stream) -> bool:
    """Return whether two logs may hold the state of the same time."""
    if one.start_epoch_s is None or other.start_epoch_s is None or one.zone != other.zone:
        return True
    first, second = sorted((one, other), key=lambda s: s.start_epoch_s or 0.0)
    return (second.start_epoch_s or 0.0) < (first.start_epoch_s or 0.0) + first.watched_s


def _names_but_for_side(files: list[Entry]) -> dict[int, tuple]:
    """Return what paths with a {side} say otherwise, by file_id."""
    return {
        e.file_id: (e.template, *sorted((k, v) for k, v in e.values.items() if k != "side"))
        for e in files
        if "side" in e.values
    }


def _comes_first(streams: list[Stream], entry: dict[int, Entry]) -> bool:
    """Return whether the name of a flow's log is that of numbered ones without their number.

    'server.log' beside 'server2.log' or 'server_2.log'.
    """
    paths = {entry[s.file_id].path for s in streams if entry[s.file_id].flow_id is None}
    for numbered in (e for e in entry.values() if e.flow_id is not None and paths):
        for number in re.finditer(
            rf"[-_. ]?(?<![0-9])0*{numbered.flow_id}(?![0-9])", numbered.path
        ):
            if numbered.path[: number.start()] + numbered.path[number.end() :] in paths:
                return True
    return False


def _flow_keys(entry: dict[int, Entry], streams: list[Stream]) -> list[tuple[Stream, tuple]]:
    """Return for every stream of a run what tells its flow from others: streams of one key are one.

    A connection has one key, whichever of its ends a name numbers. TCP and UDP may have the same
    addresses and ports.
    """
    seen: dict[tuple, int] = {}
    directions = [_direction(stream, seen) for stream in streams]
    # both ends of a connection, of which a log may quote the other's, are one
    connections: dict[int, set] = defaultdict(set)
    protocols: dict[tuple[str, str] | None, set[bool]] = defaultdict(set)
    for stream, ends in zip(streams, directions, strict=True):
        connections[stream.file_id].add(ends or stream.stream)
        if stream.protocol is not None:  # one end may not say it
            protocols[ends].add(stream.protocol == "udp")
    found: list[tuple[Stream, tuple, tuple[str, str, bool] | None]] = []
    of_ends: dict[tuple[str, str, bool], tuple] = {}
    watched: set[tuple[str, str]] = set()  # ends of which `ss` or the like has shown a connection
    key: tuple
    for stream, ends in zip(streams, directions, strict=True):
        named, number = entry[stream.file_id].flow_id, stream.flow_id
        if ends and not stream.measures and entry[stream.file_id].format in OF_CONNECTIONS:
            if ends in watched:  # another one with them, or another log of it
                found.append((stream, ("stream", None, stream.file_id, stream.stream), None))
                continue
            watched.add(ends)
        if number is None and len(connections[stream.file_id]) == 1:
            number = named
        is_other = len(protocols[ends]) > 1 and stream.protocol == "udp"
        if number is not None:
            key = ("number", number)
        elif ends:
            key = ("ends", named, *ends, is_other)
        else:
            key = ("stream", named, stream.file_id, stream.stream)
        of_one = (*ends, is_other) if ends else None
        if of_one and of_ends.get(of_one, ("ends", None))[1] is None:
            of_ends[of_one] = key
        found.append((stream, key, of_one))
    return [
        (stream, of_ends[of_one] if of_one and key[0] == "ends" else key)
        for stream, key, of_one in found
    ]


def _quoted(streams: list[Stream]) -> set[Stream]:
    """Return the reports that a log quotes of the other end, where that has a log of its own here.

    With `iperf3 --get-server-output` the client's log holds both ends of its connections.
    """
    ends = [(s.side, s.local, s.peer) for s in streams]
    of_file: dict[int, set] = defaultdict(set)
    for stream, end in zip(streams, ends, strict=True):
        of_file[stream.file_id].add(end)
    files_of = Counter(end for found in of_file.values() for end in found)
    other: dict[str | None, str] = {"sender": "receiver", "receiver": "sender"}
    found = set()
    for stream, (side, local, peer) in zip(streams, ends, strict=True):
        has_both = (other.get(side), peer, local) in of_file[stream.file_id]
        known = local is not None and files_of[side, local, peer] > 1
        if has_both and known:
            found.add(stream)
    return found


def _direction(stream: Stream, seen: dict[tuple, int]) -> tuple[str, str] | None:
    """Return sender and receiver of a connection; None where its log does not name both.

    A log that does not say its side is taken as the sender's, unless another log has that already.
    """
    if not (stream.local and stream.peer):
        return None
    ends = (stream.local, stream.peer)
    mirrored = seen.get(ends[::-1], stream.file_id) != stream.file_id
    if stream.side == "receiver" or (stream.side is None and mirrored):
        ends = ends[::-1]
    seen.setdefault(ends, stream.file_id)
    return ends


def _flow_of_state(
    stream: Stream, named: int | None, flows: dict[int, list[Stream]], *, alone: bool
) -> int | None:
    """Return the flow whose sender's variables a log holds: by ends, by number or as the only one.

    A log of `ss` or tcp_probe holds other connections of its host too, as iperf3's for control,
    whatever flow its name says. One of other ends than a flow's is taken for it only where it is
    alone in its log: then the two logs may see different addresses.

    Args:
        stream: the connection.
        named: the flow that the log's name says.
        flows: the streams of each flow.
        alone: whether the log holds no other connection.
    """
    if stream.flow_id in flows:
        return stream.flow_id
    ends = _ends(stream)
    if ends:
        for is_same in (operator.eq, _is_named_alike):
            found = [n for n, of_flow in flows.items() if _meets(ends, of_flow, is_same)]
            if found and (len(found) == 1 or is_same is operator.eq):
                return found[0]
        if not alone:
            return None
    if named in flows:
        return named
    if len(flows) != 1:
        return None
    (only,) = flows
    others = [other for other in flows[only] if other.measures and other.local]
    return None if others and ends else only


def _ends(stream: Stream) -> tuple[str, str] | None:
    return (stream.local, stream.peer) if stream.local and stream.peer else None


def _meets(ends: tuple[str, str], of_flow: list[Stream], is_same: Callable) -> bool:
    """Return whether a log's connection is that of a flow, seen from either end."""
    ways = [way for its in map(_ends, of_flow) if its for way in (its, its[::-1])]
    return any(all(map(is_same, ends, way)) for way in ways)


def _is_named_alike(one: str, other: str) -> bool:
    """Return whether two ends are the same if a port that has a name is the other's number.

    `ss` without -n names ports ('10.0.0.1:http'). Nodes of ns-2 ('0.0') and addresses of IPv6
    without a port have no such name behind their last colon.
    """
    if one == other:
        return True
    (host, _, port), (other_host, _, other_port) = one.rpartition(":"), other.rpartition(":")
    if host != other_host or not _is_host(host):
        return False
    name, number = (other_port, port) if port.isdecimal() else (port, other_port)
    return number.isdecimal() and SERVICE.fullmatch(name) is not None


def _is_host(text: str) -> bool:
    """Return whether a text is an address or a name, not the begin of an address of IPv6."""
    address = text.strip("[]").partition("%")[0]
    if ":" not in address:
        return bool(address)
    try:
        ip_address(address)
    except ValueError:
        return False
    return True


def _rank(key: tuple, streams: list[Stream], entry: dict[int, Entry], after_s: float) -> tuple:
    """Order flows by the number they have, TCP first, by when they began, by hosts, by logs.

    Those of a simulation by their nodes and ports before: repeats with other starts have these.
    """
    number = key[1] if key[1] is not None else 0
    ends = key[2:4] if key[0] == "ends" else ()
    first = streams[0]
    begun = begun_s(first, after_s)
    order: tuple
    if first.clock == "run":
        nodes = tuple(in_order(node_and_port(end)[0]) for end in ends)
        order = (nodes, given_ports(*ends) if ends else (), begun)
    else:
        order = (begun, tuple(in_order(host_of(end)) for end in ends))
    return (
        number,
        protocol_of(streams) not in TCP,
        first.clock == "run",
        order,
        entry[first.file_id].path,
        first.stream,
    )


def _refuse_double_claim(
    folder: Path, entry: dict[int, Entry], others: list[Stream], stream: Stream
) -> None:
    for other in others:
        if other.side == stream.side is not None and not other.quoted:
            mine, its = entry[stream.file_id], entry[other.file_id]
            flow = "of the same connection" if mine.flow_id is None else mine.flow_id
            problem = f"claims run '{mine.run_id}', flow {flow} ({stream.side}), as "
            problem += f"{its.path} does"
            remedy = "give each flow of a run its own id in the file name, or correct the pattern"
            raise DataError(problem, path=folder / mine.path, remedy=remedy)
