"""Small logs of iperf, written here in the tools' own shape, for tests on names and pooling."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

_ports = itertools.count(40001)


def iperf2(
    *,
    side: str = "server",
    server: str = "10.0.0.2",
    client: str = "10.0.0.1",
    seconds: int = 3,
    mbps: float = 8.0,
    streams: int = 1,
    minute: int | None = None,
    window: str = "128 KByte (default)",
    cca: str | None = None,
    udp: str | None = None,
    tos: str | None = None,
    whole: bool = True,
) -> bytes:
    """Return a log of iperf 2.1; with `minute` one of -e, which has dates.

    Args:
        side: whose log, server or client.
        server, client: addresses.
        seconds: length, with a report each.
        mbps: of each stream, Mb/s.
        streams: parallel ones (-P).
        minute: after 12 o'clock, when the connection began.
        window: as printed.
        cca: as `-Z` makes a client print it.
        udp: time between packets, as a UDP client prints it; a log of UDP.
        tos: as `-S` makes it print it.
        whole: whether the final report is there.
    """
    kind = "UDP" if udp else "TCP"
    if side == "server":
        lines = [f"Server listening on {kind} port 5001"]
    else:
        lines = [f"Client connecting to {server}, {kind} port 5001"]
    if udp and side == "client":
        lines.append(f"Sending 1470 byte datagrams, IPG target: {udp} us (kalman adjust)")
    lines.append(f"{kind} window size: {window}".replace("UDP window", "UDP buffer"))
    lines += [f"TOS set to {tos} (Nagle on)"] * (tos is not None)
    lines += [f"TCP congestion control set to {cca}"] * (cca is not None)
    own, other = (server, client) if side == "server" else (client, server)
    labels = range(1, streams + 1)
    for label in labels:
        ports = (5001, next(_ports)) if side == "server" else (next(_ports), 5001)
        date = "" if minute is None else f" on 2024-03-15 12:{minute:02d}:00 (UTC)"
        connected = f"[{label:3d}] local {own} port {ports[0]} connected with {other} port"
        lines.append(f"{connected} {ports[1]}{date}")
    lines.append("[ ID] Interval       Transfer     Bandwidth")
    n_bytes = mbps * 1e6 / 8
    spans = [(s, s + 1, 1) for s in range(seconds)] + [(0, seconds, seconds)] * whole
    for begin, end, n in spans:
        for label in labels:
            load = f"{n * n_bytes:.0f} Bytes  {mbps * 1e6:.0f} bits/sec"
            lines.append(f"[{label:3d}] {begin:.4f}-{end:.4f} sec  {load}")
    return ("\n".join(lines) + "\n").encode()


def iperf3(
    *,
    seconds: int = 3,
    mbps: float = 8.0,
    omitted: int = 0,
    stamp: str | None = None,
    after_s: int = 0,
) -> bytes:
    """Return the text of an iperf3 client.

    Args:
        seconds: length, with a report each.
        mbps: its throughput, Mb/s.
        omitted: seconds before, which -O leaves out.
        stamp: the date before each line, by strftime's directives.
        after_s: when it connects, seconds after 12:00 on Nov 20, 2026.
    """
    megabytes = mbps / 8 * 1e6 / 2**20
    port = next(_ports)
    head = f"[  5] local 10.0.0.1 port {port} connected to 10.0.0.2 port 5201"
    lines = [(0, "Connecting to host 10.0.0.2, port 5201"), (0, head)]
    lines.append((1, "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd"))

    def report(since: int, until: int, end: str) -> str:
        load = f"{megabytes * (until - since):.2f} MBytes  {mbps:.2f} Mbits/sec    0"
        return f"[  5]  {since:.2f}-{until:.2f}  sec  {load}   {end}"

    for second in range(1, omitted + 1):
        lines.append((second, report(second - 1, second, "14.1 KBytes       (omitted)")))
    for second in range(1, seconds + 1):
        lines.append((omitted + second, report(second - 1, second, "14.1 KBytes")))
    ends = [report(0, seconds, end) for end in ("          sender", "          receiver")]
    lines += [(omitted + seconds, text) for text in ("- - - - -", *ends, "", "iperf Done.")]
    if stamp is None:
        return "".join(f"{text}\n" for _, text in lines).encode()
    begun = datetime(2026, 11, 20, 12) + timedelta(seconds=after_s)
    dated = [(begun + timedelta(seconds=second), text) for second, text in lines]
    return "".join(f"{at:{stamp}}{text}\n" for at, text in dated).encode()


def iperf3_json(
    *,
    server: str = "10.0.0.2",
    client: str = "10.0.0.1",
    seconds: int = 3,
    mbps: float = 8.0,
    minute: int = 0,
    cca: str | None = None,
    **test: object,
) -> bytes:
    """Return a document of an iperf3 client; `test` are keys of its test_start."""
    port = next(_ports)
    settings = {"protocol": "TCP", "num_streams": 1, "blksize": 131072, "omit": 0, "reverse": 0}
    settings |= {"duration": seconds, "tos": 0, "target_bitrate": 0, "bidir": 0, **test}
    ends = {"local_host": client, "local_port": port, "remote_host": server, "remote_port": 5201}
    rate = {"bytes": round(mbps * 1e6 / 8), "bits_per_second": mbps * 1e6, "retransmits": 0}
    sender = {"socket": 5, "omitted": False, "sender": not settings["reverse"]}
    intervals = [
        {"streams": [{**sender, "start": s, "end": s + 1, "seconds": 1, **rate}]}
        for s in range(seconds)
    ]
    whole = {**sender, "start": 0, "end": seconds, "seconds": seconds, **rate}
    whole["bytes"] *= seconds
    end = {"streams": [{"sender": whole, "receiver": whole}]}
    end |= {"sender_tcp_congestion": cca} if cca else {}
    start = {
        "connected": [{"socket": 5, **ends}],
        "version": "iperf 3.12",
        "timestamp": {"timesecs": 1710504000 + 60 * minute},
        "sock_bufsize": settings.pop("sock_bufsize", 0),
        "test_start": settings,
    }
    return json.dumps({"start": start, "intervals": intervals, "end": end}, indent=1).encode()


def expanded(pattern: str) -> Iterator[str]:
    """Yield the paths that a pattern stands for, as in a shell: 'r{1..3}', '{a,b}'."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        yield pattern
        return
    span = re.fullmatch(r"(\d+)\.\.(\d+)", match[1])
    if span:
        width = len(span[1]) if span[1].startswith("0") and len(span[1]) > 1 else 1
        choices = [f"{n:0{width}d}" for n in range(int(span[1]), int(span[2]) + 1)]
    else:
        choices = match[1].split(",")
    for choice in choices:
        yield from expanded(pattern[: match.start()] + choice + pattern[match.end() :])
