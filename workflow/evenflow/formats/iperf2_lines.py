"""What single lines of iperf 2 say of services, options and connections; see iperf2.py.

Thousands of logs have the same few lines, so each is read once.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from .options import IPERF2, read_options
from .zones import in_utc

SERVICE = re.compile(r"\b(?P<kind>TCP|UDP) ports? (?P<port>\d{1,5})\b(?:-(?P<last>\d{1,5})\b)?")
CONNECTED = re.compile(
    r"\[ *(?P<star>\*?)(?P<label>\d{1,9})\] local (?P<local>\S+) port (?P<local_port>\d+) "
    r"connected (?:with|to) (?P<peer>\S+) port (?P<peer_port>\d+)(?P<rest>.*)"
)
MSS = re.compile(r"\(MSS=(\d{1,9})\)|\bicwnd/mss/irtt=\d+/(\d{1,9})/")
MSS_OF = re.compile(r"\[ *\*?(\d{1,9})\] MSS size (\d{1,9}) bytes")
CCA = re.compile(r"\(([a-z][\w-]*)\)")  # if Linux has one of this name
DATE = re.compile(
    r"\bon (\d{4}-\d\d-\d\d) (?:at )?(\d\d:\d\d:\d\d(?:\.\d+)?)(?: \(([-+:\w]{1,12})\))?"
)


class Connected(NamedTuple):
    """A line that announces a connection.

    local, peer: address:port; cca: where it names one; start_epoch_s, zone: as of `in_utc`;
    reverse, full_duplex: whether it says so.
    """

    star: bool
    label: int
    local: str
    local_port: str
    peer: str
    peer_port: str
    mss_bytes: int | None
    cca: str | None
    start_epoch_s: float | None
    zone: str | None
    reverse: bool
    full_duplex: bool


@lru_cache(4096)
def read_connected(line: bytes) -> Connected | None:
    """Read the line that announces a connection."""
    match = CONNECTED.match(as_text(line))
    if match is None:
        return None
    star, label, local, local_port, peer, peer_port, rest = match.groups()
    return Connected(
        star == "*",
        int(label),
        f"{local.partition('%')[0]}:{local_port}",
        local_port,
        f"{peer.partition('%')[0]}:{peer_port}",
        peer_port,
        _mss(rest),
        _named_control(rest),
        *read_date(rest),
        "(reverse)" in rest,
        "(full-duplex)" in rest,
    )


@lru_cache
def read_service(line: bytes) -> tuple[str, str, frozenset[tuple[str, str]]] | None:
    """Return the protocol of a service, which end it is, and its ports with that end."""
    text = as_text(line)
    match = SERVICE.search(text)
    if match is None:
        return None
    end = "connects" if text.startswith("Client") else "listens"
    first, last = int(match["port"]), int(match["last"] or match["port"])
    return match["kind"].lower(), end, frozenset((end, str(n)) for n in range(first, last + 1))


@lru_cache
def read_option(line: bytes) -> dict[str, str]:
    """Return the options that a line says."""
    return read_options(as_text(line), IPERF2)


@lru_cache
def read_mss(line: bytes) -> tuple[int, int] | None:
    """Return label and segment size (bytes) of '[  3] MSS size 1448 bytes (MTU 1500 bytes)'."""
    match = MSS_OF.match(as_text(line))
    return (int(match[1]), int(match[2])) if match else None


def read_control(line: bytes) -> str:
    """Return the congestion control of 'TCP congestion control set to cubic'."""
    return as_text(line).rpartition(" ")[2]


def as_text(line: bytes) -> str:
    """Return a line as text; bytes that are not UTF-8 show as backslash and two digits."""
    return line.decode("utf-8", "backslashreplace")


def _mss(text: str) -> int | None:
    match = MSS.search(text)
    return int(match[1] or match[2]) if match and (match[1] or match[2]) != "0" else None


def _named_control(text: str) -> str | None:
    """Return the congestion control that a connection names: '(cubic)'."""
    words = CCA.findall(text)
    if not words:
        return None
    from ..congestion_controls import LINUX_NAMES  # here: it loads a table, and few logs name one

    return next((word for word in words if word in LINUX_NAMES), None)


def read_date(text: str) -> tuple[float | None, str | None]:
    """Return the seconds since 1970 of 'on 2000-01-01 00:00:05 (UTC)', and the zone (`in_utc`)."""
    match = DATE.search(text) if "on " in text else None
    if not match:
        return None, None
    try:
        clock = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC)
    except ValueError:  # not a date, a damaged line
        return None, None
    return in_utc(clock.timestamp(), match[3])
