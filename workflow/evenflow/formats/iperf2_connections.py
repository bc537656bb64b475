"""The connections that logs of iperf 2 announce, with what the logs say of each; see iperf2.py."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .iperf2_lines import (
    Connected,
    read_connected,
    read_control,
    read_mss,
    read_option,
    read_service,
)
from .ledger import Line
from .options import as_text


class Direction(NamedTuple):
    """A connection, or one of its directions: a row of `iperf2.CONNECTION`."""

    row: int
    file_id: int
    line: int
    label: float
    side: str | None
    protocol: str | None
    local: str
    peer: str
    cca: str | None
    mss_bytes: int | None
    start_epoch_s: float | None
    zone: str | None
    options: str | None


@dataclass(slots=True)
class _Log:
    """What a log has said so far; by end: 'listens', 'connects', None before it says which."""

    protocol: str | None = None
    end: str | None = None
    ports: frozenset[tuple[str, str]] = frozenset()  # of services, with their ends
    ccas: dict[str | None, str] = field(default_factory=dict)
    options: dict[str | None, dict[str, str]] = field(default_factory=dict)
    latest: dict[int, _Connection] = field(default_factory=dict)  # by label


@dataclass(slots=True)
class _Connection:
    """A connection, with what its log had said before."""

    row: int
    file_id: int
    line: int
    said: Connected
    log: _Log
    protocol: str | None
    ccas: dict[str | None, str]
    mss_bytes: int | None


def read_connections(
    lines: Iterable[Line], starred: set[tuple[int, float]]
) -> tuple[list[Direction], list[int]]:
    """Read the lines that announce connections.

    Args:
        lines: of several logs.
        starred: file and label (and a half) of connections with reports '[ *1]'.

    Returns:
        The connections, and the rows of announcements of connections that were never made.
    """
    logs: dict[int, _Log] = {}
    found: list[_Connection] = []
    failed = []
    for row, file_id, line, kind, text in lines:
        log = logs.get(file_id)
        if log is None:
            log = logs[file_id] = _Log()
        if kind == "service":
            if service := read_service(text):
                log.protocol, log.end, ports = service
                log.ports |= ports
                log.options[log.end] = {}
        elif kind == "option":
            if options := read_option(text):
                log.options[log.end] = log.options.get(log.end, {}) | options
        elif kind == "cca":
            log.ccas[log.end] = read_control(text)
        elif kind == "mss":
            if (mss := read_mss(text)) and (connection := log.latest.get(mss[0])):
                connection.mss_bytes = mss[1]
        elif kind == "connected" and (said := read_connected(text)):
            if said.local_port == "0":
                failed.append(row)
                continue
            before = (log, log.protocol, dict(log.ccas), said.mss_bytes)
            connection = log.latest[said.label] = _Connection(row, file_id, line, said, *before)
            found.append(connection)
    return [row for connection in found for row in _directions(connection, starred)], failed


def _directions(connection: _Connection, starred: set) -> list[Direction]:
    """Return a row for each direction of a connection that has reports, one if none has."""
    said, log, file_id = connection.said, connection.log, connection.file_id
    end = _end(said.local_port, said.peer_port, log.ports)
    swapped = said.reverse and not said.star
    cca = connection.ccas.get(end) or log.ccas.get(end)
    side = _side(end, swapped)
    row = Direction(
        connection.row,
        file_id,
        connection.line,
        said.label + said.star / 2,
        side,
        connection.protocol or log.protocol,
        said.local,
        said.peer,
        said.cca or (cca if side == "sender" else None),
        connection.mss_bytes,
        said.start_epoch_s,
        said.zone,
        as_text(log.options.get(end) or {}),
    )
    if said.star or (file_id, said.label + 0.5) not in starred:
        return [row]
    if swapped and end == "connects":
        return [row._replace(label=said.label + 0.5)]
    if not said.full_duplex:
        return [row]
    side = _side(end, True)
    cca = said.cca or (cca if side == "sender" else None)
    return [row, row._replace(label=said.label + 0.5, side=side, cca=cca)]


def _end(local_port: str, peer_port: str, ports: frozenset) -> str | None:
    """Return whether the log's own end of a connection listens or connects."""
    if ("listens", local_port) in ports:
        return "listens"
    if ("connects", peer_port) in ports:
        return "connects"
    if ports or (local_port == "5001") == (peer_port == "5001"):
        return None
    return "listens" if local_port == "5001" else "connects"  # no banner: iperf's usual port


def _side(end: str | None, swapped: bool) -> str | None:
    if end is None:
        return None
    return "receiver" if (end == "listens") != swapped else "sender"
