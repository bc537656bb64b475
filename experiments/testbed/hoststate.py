"""Reads router.log: what the hosts and the router said before, during and after a run."""

from __future__ import annotations

import re
import statistics

SECTION = re.compile(r"^## (\S+)(?: (.*))?$")
PING = re.compile(r"^ping (\S+) seq (\d+) rtt ([\d.]+) ms$")
PEAK = re.compile(
    r"^peak (?P<device>\S+) (?P<kind>\S+) (?P<handle>\S+): bytes (?P<bytes>\d+) "
    r"packets (?P<packets>\d+) dropped (?P<dropped>\d+) sent_bytes (?P<sent_bytes>\d+) "
    r"sent_packets (?P<sent_packets>\d+) seed (?P<seed>\d+)$"
)
# a managed queue has no `peak` line; what tc says of it, over two lines of the text
MANAGED = re.compile(
    r"^qdisc (?:fq_codel|cake|pie) \S+ dev bott parent .*\n Sent \d+ bytes \d+ pkt "
    r"\(dropped (\d+),",
    re.MULTILINE,
)
CLOCK = re.compile(r"^(flow \d start|flows end) ([\d.]+)$")
REORDERING = ("TCPSACKReorder", "TCPRenoReorder", "TCPTSReorder")


class HostStateError(ValueError):
    """router.log does not hold what a run must leave there."""


def split_sections(text: str) -> dict[tuple[str, str], list[str]]:
    """(section, what it is about) -> its lines."""
    sections: dict[tuple[str, str], list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if match := SECTION.match(line):
            lines = sections.setdefault((match[1], match[2] or ""), [])
        else:
            lines.append(line)
    return sections


def parse_counters(lines: list[str]) -> dict[str, int]:
    """/proc/net/snmp and /proc/net/netstat (a line of names, a line of values) as name -> count.

    Names are as nstat's: the group's name before the counter's ("TcpRetransSegs"), except that
    "TcpExt" is left out.
    """
    counters = {}
    proc = [line for line in lines if re.match(r"^[A-Za-z]+: ", line)]
    for names, values in zip(proc[::2], proc[1::2], strict=True):
        group, names = names.split(":", 1)
        prefix = "" if group == "TcpExt" else group
        pairs = zip(names.split(), values.split(":", 1)[1].split(), strict=True)
        counters |= {prefix + name: int(value) for name, value in pairs}
    return counters


def overtaken_segments(counters: dict[str, int]) -> int:
    """Segments that a host saw overtaken on the path, of its counters since boot.

    Linux also counts a reordering where the receiver answers with a D-SACK to the copy of a
    segment that a tail loss probe (RFC 8985) sent again before its ACK was back. Nothing was
    overtaken then (docs/explanation/testbed.md, "Limits"), so the probes so answered are taken off.
    """
    probes_answered = min(counters["TCPDSACKOfoRecv"], counters["TCPLossProbes"])
    return max(sum(counters[name] for name in REORDERING) - probes_answered, 0)


def parse_ss(lines: list[str]) -> dict[str, object]:
    """The test connection's line pair of `ss -tinH`: {"cca": ..., "mss_bytes": ...}.

    Raises HostStateError where there is not exactly one connection to port 5001.
    """
    text = "\n".join(lines)
    found = re.findall(r"^.*:5001 *\n\s+(\S+) (.*)$", text, re.MULTILINE)
    if len(found) != 1:
        raise HostStateError(f"{len(found)} live sockets to port 5001 instead of one: {text!r}")
    cca, details = found[0]
    mss = re.search(r"\bmss:(\d+)", details)
    return {"cca": cca, "mss_bytes": int(mss[1]) if mss else None}


def observe(text: str, flows: tuple[int, ...]) -> dict[str, object]:
    """What a run measured about itself (run.json's `observed`), from router.log's text.

    Times in ms or s, queue in bytes (frames with their Ethernet header) and packets. Raises
    HostStateError naming the section that is missing or cannot be read.
    """
    sections = split_sections(text)

    def section(name: str, about: str) -> list[str]:
        try:
            return sections[name, about]
        except KeyError:
            raise HostStateError(f"router.log has no section '## {name} {about}'") from None

    rtt_ms = {}
    for flow, receiver in ((1, "10.0.3.1"), (2, "10.0.4.1")):
        pings = [PING.match(line) for line in section("ping", f"s{flow} {receiver}")]
        times = [float(ping[3]) for ping in pings if ping]
        if not times:
            raise HostStateError(f"no ping to {receiver} was answered")
        rtt_ms[str(flow)] = round(statistics.median(times), 4)

    clock = {m[1]: float(m[2]) for m in map(CLOCK.match, section("clock", "")) if m}
    zero = clock["flow 1 start"]

    def peaks(namespace: str) -> list[re.Match[str]]:
        return [m for m in map(PEAK.match, section("state", namespace)) if m]

    bottleneck = [peak for peak in peaks("rt") if peak["device"] == "bott"]
    managed = MANAGED.findall("\n".join(section("state", "rt")))
    if len(bottleneck) + len(managed) != 1:
        found = len(bottleneck) + len(managed)
        raise HostStateError(f"{found} queues measured at the bottleneck, not one")
    queue = (
        {"drops": int(managed[0])}
        if managed
        else {
            "queue_max_bytes": int(bottleneck[0]["bytes"]),
            "queue_max_packets": int(bottleneck[0]["packets"]),
            "drops": int(bottleneck[0]["dropped"]),
        }
    )
    cubic = {}
    if ("cubic", "") in sections:
        cubic = {"cubic": {name: int(v) for name, v in map(str.split, section("cubic", ""))}}
    hosts = {name: parse_counters(section("state", name)) for name in ("s1", "s2", "d1", "d2")}
    other_drops = sum(
        int(peak["dropped"])
        for namespace in ("s1", "s2", "x1", "x2", "rt", "db", "d1", "d2")
        for peak in peaks(namespace)
        if peak["device"] != "bott"
    )

    def of_senders(counter: str) -> dict[str, int]:
        return {str(flow): hosts[f"s{flow}"][counter] for flow in flows}

    return {
        "rtt_ms": rtt_ms,
        "cca": {str(flow): parse_ss(section("socket", f"s{flow}"))["cca"] for flow in flows},
        "mss_bytes": {
            str(flow): parse_ss(section("socket", f"s{flow}"))["mss_bytes"] for flow in flows
        },
        "start_s": {str(flow): round(clock[f"flow {flow} start"] - zero, 3) for flow in flows},
        "end_s": round(clock["flows end"] - zero, 3),
        **queue,
        "drops_elsewhere": other_drops,
        "retransmits": of_senders("TcpRetransSegs"),
        "timeouts": of_senders("TCPTimeouts"),
        "reordering": sum(overtaken_segments(hosts[name]) for name in hosts),
        "receiver_out_of_order": {str(flow): hosts[f"d{flow}"]["TCPOFOQueue"] for flow in flows},
        "receiver_pruned": {
            str(flow): sum(
                hosts[f"d{flow}"][key]
                for key in ("PruneCalled", "RcvPruned", "OfoPruned", "TCPRcvQDrop")
            )
            for flow in flows
        },
        **cubic,
    }
