"""The tests that logs hold: what each says of itself, whatever it is called and belongs to.

A log of a server that was left running holds several, one after another. A test is told from others
by its ends, its dates, its length and what it carried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from ...formats import FORMATS
from ..entities import Entry, Stream

CLIENT, SERVER = "client", "server"  # the end that wrote a log
# seconds since 1970, of 2001: hosts that date earlier have a clock that nobody set, which begins
# anew at every start, so that tests of other days have the same dates
SET_S = 1e9
CHOSEN = 10000  # ports from here on are mostly those that systems choose for clients
OF_ONE_TEST = 0.8  # lengths of the two ends of one connection are alike to this share and a second
CARRIED_ALIKE = 0.9  # share of bytes: what both ends of a connection count differs less
BUFFERED = 4 * 2**20  # bytes that a sender may count beside: in buffers, on the way
LOST = 0.9  # share of datagrams that a receiver may lack
SIDES_OF = {"sender": CLIENT, "receiver": SERVER}  # where ports do not tell
# their node numbers are no addresses, and their traces belong to runs of the same one
SIMULATORS = ("ns-2", "ns-3")

Ends = tuple[str, str]  # local and peer, address:port; '' where unknown


class Role(NamedTuple):
    """What a part of a path is for (`roles`), its text, and where it stands."""

    role: str
    text: str
    start: int
    end: int


class Span(NamedTuple):
    """When a connection began after its test, how long its reports go on, and whether that is all.

    Seconds; and the bytes that these reports count.
    """

    after_s: float
    length_s: float
    whole: bool
    n_bytes: int = 0


@dataclass(slots=True, eq=False)
class Unit:
    """The connections of a log that ran at the same time: a test."""

    entry: Entry
    episode: int  # 1, 2, ... in the log
    streams: list[Stream]
    start_s: float | None  # since 1970
    length_s: float
    zone: str | None  # of the clock of start_s, where its offset is not known
    carried: tuple[tuple[int, ...], ...]  # bytes of the first intervals, by stream
    date_s: float | None = None  # as start_s, of a clock that nobody set too
    n_tests: int = 1  # of the log, copies left out
    order: int = 1  # among these
    # of tests that failed how many its log holds, and how many before it; None: not known
    n_failed: int | None = 0
    n_failed_before: int = 0
    end: str = ""  # which wrote the log: CLIENT, SERVER, or '' where nothing tells
    ends: tuple[Ends, ...] = ()
    spans: tuple[Span, ...] = ()  # of the connections, as `ends`
    hosts: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()  # address:port
    cookies: frozenset[str] = frozenset()  # iperf3's names of the test
    # what the name says (`roles`)
    key: tuple = ()  # of the run: what the names of all its logs share
    claim: tuple = ()  # the place in the run that the name takes
    tells: tuple[str, ...] = ()  # the repeat and the settings in the name
    roles: dict[int, Role] = field(default_factory=dict)  # of the parts that vary
    # asked for each pair of tests, so that they are kept
    path: str = field(init=False)
    folder: str = field(init=False)
    host: str = field(init=False)  # that wrote the log, '' where it does not say
    protocol: str = field(init=False)
    whole: bool = field(init=False)  # its length is that of the test, as far as is known

    def __post_init__(self) -> None:
        self.path, self.folder = self.entry.path, self.entry.folder
        self.protocol = self.streams[0].protocol or "tcp"
        self.whole = all(s.complete is not False for s in self.streams)
        self._find_host()

    def _find_host(self) -> None:
        self.host = min((host_of(local) for local, _ in self.ends if local), default="")

    def turn(self) -> None:
        """Take the log for that of the other end."""
        self.end = CLIENT if self.end == SERVER else SERVER
        self.ends = tuple((peer, local) for local, peer in self.ends)
        self._find_host()

    @property
    def tool(self) -> str | None:
        return FORMATS[self.entry.format].TOOL

    @property
    def both_ends(self) -> bool:
        """Whether the log reports both ends of a connection itself."""
        return any(pair[::-1] in self.ends for pair in self.ends if all(pair))


def span_s(test: Unit) -> tuple[float, float]:
    """Return when a dated test began and ended, s since 1970."""
    assert test.start_s is not None, test.path
    return test.start_s, test.start_s + test.length_s


def one_cookie(one: Unit, other: Unit) -> bool:
    """Return whether two logs name their test alike: they are of one test of iperf3."""
    return not one.cookies.isdisjoint(other.cookies)


def unlike_cookies(one: Unit, other: Unit) -> bool:
    """Return whether two logs give their tests other names: they are of two tests of iperf3."""
    return bool(one.cookies and other.cookies) and not one_cookie(one, other)


def span_of(test: Unit, ends: Ends | None) -> Span:
    """Return the span of a connection, named from either side; of none of the test's its own."""
    if ends is not None:
        for pair, span in zip(test.ends, test.spans, strict=False):
            if ends in (pair, pair[::-1]):
                return span
    return Span(0.0, test.length_s, test.whole)


def carry_alike(protocol: str, counts: Iterable[tuple[int, float]]) -> bool:
    """Return whether two ends count as much as both of a connection do.

    The receiver lacks what is in buffers and on the way, and of datagrams what was lost.

    Args:
        protocol: of both.
        counts: of each its bytes, and in how many seconds.
    """
    known = [*counts]
    shorter_s = min(length_s for _, length_s in known)
    if shorter_s <= 0:
        return False
    fewer, more = sorted(n_bytes / length_s * shorter_s for n_bytes, length_s in known)
    if protocol == "udp":
        return fewer >= (1 - LOST) * more
    return fewer >= CARRIED_ALIKE * more - BUFFERED


def names_differ(one: Unit, other: Unit) -> bool:
    """Return whether names say that two tests are of another repeat or setting."""
    return one.tells != other.tells and one.key[:1] == other.key[:1]


def may_be_ends(
    one: Unit, other: Unit, ends: Ends | None = None, others: Ends | None = None
) -> bool:
    """Return whether two tests may hold the two ends of one connection.

    Args:
        one, other: the tests; one of a server may hold other connections, which lasted longer.
        ends: of the connection, where both name it.
        others: the same as the other one names them, where addresses were translated on the way.
    """
    if one.path == other.path or one.protocol != other.protocol or unlike_cookies(one, other):
        return False
    if one.both_ends and other.both_ends:
        return False  # neither needs another log
    spans = span_of(one, ends), span_of(other, others or ends)
    shorter, longer = sorted(span.length_s for span in spans)
    if all(span.whole for span in spans) and shorter < OF_ONE_TEST * longer - 1:
        return False
    return not names_differ(one, other)


def began_later_s(one: Unit, other: Unit, ends: Ends, others: Ends | None = None) -> float:
    """Return how much later a connection began in the other's test than in the one's, seconds."""
    return span_of(other, others or ends).after_s - span_of(one, ends).after_s


def host_of(end: str) -> str:
    """Return the address of an end."""
    return end.rpartition(":")[0]


def node_and_port(end: str) -> tuple[str, str]:
    """Return host and port of an end in a simulation; of ns-2 the node and its port ('3.0')."""
    host, _, port = end.rpartition(":" if ":" in end else ".")
    return host, port


@cache
def network_of(host: str) -> str:
    """Return the network that a host is taken to be in: /24, of IPv6 /64, or the domain of a name.

    Link-local addresses and names without a domain tell of none but the host's own.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host.partition(".")[2] or host
    if address.is_link_local:
        return host
    return str(ip_network((address, 24 if address.version == 4 else 64), strict=False))


def port_of(end: str) -> int:
    """Return the port of an end, 0 where there is none."""
    tail = end.rpartition(":")[2]
    return int(tail) if tail.isdigit() else 0


def units_of(
    entry: Entry,
    streams: list[Stream],
    length_s: Mapping[tuple[int, int], float],
    carried: Mapping[tuple[int, int], tuple[int, ...]],
) -> list[Unit]:
    """Return the tests of a log.

    Args:
        entry: the log.
        streams: its connections.
        length_s: when the reports of a connection end, by (file_id, stream), of those that have
            reports of intervals.
        carried: the bytes of their first intervals.
    """
    episodes: dict[int, list[Stream]] = defaultdict(list)
    for stream in streams:
        if (stream.file_id, stream.stream) in length_s:  # else refused, or busy
            episodes[stream.episode].append(stream)
    return [
        _unit(entry, episode, of_episode, len(episodes), order, length_s, carried)
        for order, (episode, of_episode) in enumerate(episodes.items(), start=1)
    ]


def _unit(entry, episode, streams, n_tests, order, length_s, carried) -> Unit:
    starts = [s.start_epoch_s for s in streams]
    unit = Unit(
        entry,
        episode,
        streams,
        start_s=None if None in starts or min(starts) < SET_S else min(starts),
        length_s=max(length_s[s.file_id, s.stream] + (s.start_s or 0.0) for s in streams),
        zone=next((s.zone for s in streams if s.zone is not None), None),
        date_s=None if None in starts else min(starts),
        carried=tuple(carried.get((s.file_id, s.stream), ()) for s in streams),
        n_tests=n_tests,
        order=order,
        n_failed=None if entry.failed_at is None else len(entry.failed_at),
        n_failed_before=sum(line < min(s.line for s in streams) for line in entry.failed_at or ()),
        ends=tuple((s.local or "", s.peer or "") for s in streams),
        spans=tuple(
            Span(
                s.start_s or 0.0,
                length_s[s.file_id, s.stream],
                s.complete is not False,
                s.n_bytes or 0,
            )
            for s in streams
        ),
        cookies=frozenset(s.cookie for s in streams if s.cookie),
    )
    if unit.tool not in SIMULATORS:
        unit.end = _end_of(unit)
        unit.hosts = frozenset(host_of(end) for pair in unit.ends for end in pair if end)
        unit.servers = frozenset(_server_of(pair, unit.end) for pair in unit.ends) - {""}
    return unit


def _end_of(unit: Unit) -> str:
    """Return which end wrote a log: of a client the system chose the port, of a server somebody.

    Where ports do not tell, as with NAT or in CSV without them, the side whose count it is; where
    that is not said, the client's is the higher one.
    """
    ends = {end_by_ports(*pair) for pair in unit.ends}
    sides = {SIDES_OF.get(s.side or "") for s in unit.streams}
    ports = {(port_of(local), port_of(peer)) for local, peer in unit.ends}
    if len(ends) == 1 and ends != {""}:
        return ends.pop()
    if len(sides) == 1 and (side := sides.pop()):
        return side
    if all(local > peer > 0 for local, peer in ports):
        return CLIENT
    return SERVER if all(0 < local < peer for local, peer in ports) else ""


def end_by_ports(local: str, peer: str) -> str:
    """Return which end is the local one, by a port that systems choose; '' where none tells."""
    here, there = port_of(local), port_of(peer)
    if not (here and there) or (here >= CHOSEN) == (there >= CHOSEN):
        return ""
    return CLIENT if here >= CHOSEN else SERVER


def _server_of(pair: Ends, end: str) -> str:
    if end:
        return pair[end == CLIENT]
    return min(pair, key=port_of) if all(pair) else ""
