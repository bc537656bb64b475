"""Logs of iperf 2.1.8 for layouts of folders: lines as in tests/fixtures/formats/iperf2/2.1.8.

Hosts are the last byte of an address of 10.0.0.0/24. A log with a date (`-e`) says it in the line
of the connection.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

BEGIN = datetime(2026, 11, 20, 19, 44, 46, tzinfo=UTC)
RULE = "-" * 60


def server(
    host: int, clients: list[int], seconds: int = 10, *, at: int | None = None, **more
) -> bytes:
    """Return the log of `iperf -s -i 1` of one test.

    Args:
        host: that ran it.
        clients: a connection from each of these hosts.
        seconds: how long it lasted.
        at: when it began, seconds after BEGIN; None where the log says no date.
        more: see `connections`; udp: whether it is one of datagrams.
    """
    udp = more.pop("udp", False)
    return (
        _banner(host, udp) + connections(host, clients, seconds, at=at, udp=udp, **more)
    ).encode()


def client(
    host: int, server: int, seconds: int = 10, *, at: int | None = None, udp: bool = False, **more
) -> bytes:
    """Return the log of `iperf -c` of one test, the other end of `server`'s."""
    head = f"{RULE}\nClient connecting to 10.0.0.{server}, {_kind(udp)} port 5001\n"
    head += f"TCP window size: 16.0 KByte (default)\n{RULE}\n"
    return (head + connections(host, [server], seconds, at=at, is_client=True, **more)).encode()


def left_running(host: int, tests: list[list[int]], seconds: int = 10, **more) -> bytes:
    """Return the log of a server that was left running: a test after another."""
    parts = [
        connections(host, clients, seconds, port=40000 + 100 * i, **more)
        for i, clients in enumerate(tests)
    ]
    return (_banner(host, udp=False) + "".join(parts)).encode()


def csv(
    host: int, server: int, seconds: int = 10, *, at: int = 0, port: int = 40000, mbps: float = 9.44
) -> bytes:
    """Return the log of `iperf -y C -i 1` of one test; that of the other end has the same columns.

    Args:
        host: of the client, which sends.
        server, seconds, at, port, mbps: see `connections`.
    """
    ends = f"10.0.0.{host},{port + 10 * host},10.0.0.{server},5001,1"
    lines = []
    for begin, end in [*((t, t + 1) for t in range(seconds)), (0, seconds)]:
        n_bytes = round(mbps * 1e6 / 8) * (end - begin)
        date = BEGIN + timedelta(seconds=at + min(begin + 1, end))
        rate = 8 * n_bytes // (end - begin)
        lines.append(f"{date:%Y%m%d%H%M%S},{ends},{begin}.0-{end}.0,{n_bytes},{rate}\n")
    return "".join(lines).encode()


def connections(
    host: int,
    peers: list[int],
    seconds: int,
    *,
    at: int | None = None,
    port: int = 40000,
    is_client: bool = False,
    udp: bool = False,
    streams: int = 1,
    mbps: float = 9.44,
) -> str:
    """Return the lines of connections that begin together.

    Args:
        host: that wrote them.
        peers: the other ends; port: of the clients, which count up from it, host by host.
        seconds, at: see `server`.
        is_client: whether `host` is the client.
        udp: whether reports have jitter and datagrams.
        streams: connections from each peer.
        mbps: of each connection.
    """
    lines, labels = [], []
    for peer in peers:
        for stream in range(streams):
            labels.append(len(labels) + 1)
            theirs = port + 10 * (host if is_client else peer) + stream
            mine, other = (theirs, 5001) if is_client else (5001, theirs)
            date = ""
            if at is not None:
                begun = BEGIN + timedelta(seconds=at)
                date = f" (peer 2.1.8) on {begun:%Y-%m-%d %H:%M:%S} (UTC)"
            lines.append(
                f"[{labels[-1]:3}] local 10.0.0.{host} port {mine} connected with 10.0.0.{peer} "
                f"port {other}{date}"
            )
    lines.append("[ ID] Interval       Transfer     Bandwidth" + "        Jitter" * udp)
    spans = [*((t, t + 1.0) for t in range(seconds)), (0, seconds + 0.001)]
    for begin, end in spans:
        for label in labels:
            megabytes = mbps * (end - begin) * 1e6 / 8 / 2**20
            datagrams = round(megabytes * 2**20 / 1470)
            tail = f"   0.001 ms 0/{datagrams} (0%)" if udp else ""
            lines.append(
                f"[{label:3}] {begin:.4f}-{end:.4f} sec  {megabytes:.3g} MBytes  {mbps:.3g} "
                f"Mbits/sec{tail}"
            )
    return "\n".join(lines) + "\n"


def _banner(host: int, udp: bool) -> str:
    head = f"{RULE}\nServer listening on {_kind(udp)} port 5001\n"
    return f"{head}TCP window size:  128 KByte (default)\n{RULE}\n"


def _kind(udp: bool) -> str:
    return "UDP" if udp else "TCP"
