"""ns-3's FlowMonitor (`SerializeToXmlFile`): totals of every flow, not its course.

A flow's counts are in FlowStats, its ends in Ipv4FlowClassifier or Ipv6FlowClassifier (ns-3.37 and
3.43; one element a line):

    <Flow flowId="1" timeFirstTxPacket="+1e+09ns" timeFirstRxPacket="+1.01232e+09ns" ...
          rxBytes="498144" txPackets="392" rxPackets="345" lostPackets="43" ...>
    <Flow flowId="1" sourceAddress="10.1.1.1" destinationAddress="10.1.2.2" protocol="6" ...>

Every flow is a stream with one sample, from its first received packet to its last; of a flow of
which nothing arrived, 0 bytes while it sent. Bytes are those of received IP packets, headers and
retransmissions included, so more than an application got; they are counted where a flow arrives, so
`side` is receiver, and `local` the destination. lost_packets are those that the monitor had given
up (10 s) when it was written. Flows that only acknowledge another (TCP, small packets, fewer bytes
than the other way) are skipped, and so are histograms and probes. ns-3 numbers flows by their first
packets, which come in another order with another seed: the label keeps that number, and flow_id is
not filled in.

A document type is refused: nothing in such a file needs one, and entities could expand without end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from xml.parsers import expat

import polars as pl

from .shapes import Log, count_lines, shown_line

NAME = "ns3-flowmonitor"
TOOL = "ns-3"
PLATFORM = "ns3"
CLOCK = "run"
SIGNATURE = r"\A(\xef\xbb\xbf)?\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)?<FlowMonitor\b"

ACK_BYTES = 120  # of the largest packet without payload: IPv6 and TCP headers with all options
PROTOCOLS = {"6": "tcp", "17": "udp"}
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15}
TIMES = {
    "timeFirstTxPacket": "first_tx_s",
    "timeFirstRxPacket": "first_rx_s",
    "timeLastTxPacket": "last_tx_s",
    "timeLastRxPacket": "last_rx_s",
}
COUNTS = {
    "txBytes": "tx_bytes",
    "rxBytes": "rx_bytes",
    "txPackets": "tx_packets",
    "rxPackets": "rx_packets",
    "lostPackets": "lost_packets",
}
STATS = ["FlowMonitor", "FlowStats", "Flow"]
CLASSIFIERS = (["FlowMonitor", "Ipv4FlowClassifier"], ["FlowMonitor", "Ipv6FlowClassifier"])
FRAME = ("FlowMonitor", "FlowStats", "Ipv4FlowClassifier", "Ipv6FlowClassifier", "FlowProbes")

HEADER = ("header", None)
DETAIL = ("skipped", "reasons of drops, histograms, probes: no table needs them")
SAMPLE = ("sample", None)
NO_ENDS = ("skipped", "no classifier names the flow's ends: the file is cut")
NO_TIME = ("skipped", "a flow of one instant: no throughput")
RANK = ["sample", "rejected", "skipped", "header"]  # where a line holds elements of several fates

STREAM = {
    "file_id": pl.UInt32,
    "stream": pl.Int32,
    "line": pl.UInt32,
    "label": pl.String,
    "episode": pl.Int32,
    "side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "start_s": pl.Float64,
}
INTERVAL = {
    "file_id": pl.UInt32,
    "line": pl.UInt32,
    "stream": pl.Int32,
    "t_start_s": pl.Float64,
    "t_end_s": pl.Float64,
    "bytes": pl.Int64,
    "throughput_bps": pl.Float64,
    "packets": pl.Int64,
    "lost_packets": pl.Int64,
}
FATE = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
FATE |= {"lines": pl.Int64, "bytes": pl.Int64}
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}


def parse(logs):
    """Read the tables `stream`, `interval`, `fate` and `rejected`."""
    rows: dict[str, list] = {"stream": [], "interval": [], "fate": [], "rejected": []}
    for log in logs:
        for name, of_log in _parse_log(log).items():
            rows[name] += of_log
    schemas: dict[str, Mapping[str, type[pl.DataType]]]
    schemas = {"stream": STREAM, "interval": INTERVAL, "fate": FATE, "rejected": REJECTED}
    return {
        name: pl.DataFrame(rows[name], schema=schema, orient="row")
        for name, schema in schemas.items()
    }


def _parse_log(log: Log) -> dict[str, list[tuple]]:
    flows, ends, fates, problem = _read(log.whole)
    if problem:
        flows = {number: flow for number, flow in flows.items() if flow["line"] < problem[0]}
    by_ends = {(end["source"], end["destination"], end["protocol"]): n for n, end in ends.items()}
    streams, intervals = [], []
    measured = {}
    for number, flow in sorted(flows.items()):
        measured[number] = _fate(number, flows, ends, by_ends)
        fates.append((flow["line"], *measured[number]))
    data = [number for number in sorted(flows) if measured[number] == SAMPLE]
    for rank, number in enumerate(data, start=1):
        flow, end = flows[number], ends[number]
        start_s = flow["first_tx_s"]  # on the run's clock, which begins at 0
        protocol = PROTOCOLS.get(end["protocol"])
        named = ("receiver", protocol, end["destination"], end["source"])
        streams.append((log.file_id, rank, flow["line"], str(number), 1, *named, start_s))
        t_start_s, t_end_s = _span(flow)
        rate = flow["rx_bytes"] * 8 / (t_end_s - t_start_s)
        counts = (flow["rx_bytes"], rate, flow["rx_packets"], flow["lost_packets"])
        intervals.append((log.file_id, flow["line"], rank, t_start_s, t_end_s, *counts))
    fate, rejected = _account(log, fates, problem)
    return {"stream": streams, "interval": intervals, "fate": fate, "rejected": rejected}


def _read(content: bytes) -> tuple[dict, dict, list[tuple], tuple[int, str] | None]:
    """Return flows and ends by id, (line, fate, reason) of elements, and where reading ended."""
    flows: dict[int, dict] = {}
    ends: dict[int, dict] = {}
    fates: list[tuple] = []
    path: list[str] = []
    parser = expat.ParserCreate("UTF-8")

    def start(name: str, attributes: dict) -> None:
        line = parser.CurrentLineNumber
        path.append(name)
        known = name == "Flow" and (path == STATS or path[:-1] in CLASSIFIERS)
        if not known:
            fates.append((line, *(HEADER if name in FRAME else DETAIL)))
            return
        into, read = (flows, _flow) if path == STATS else (ends, _ends)
        try:
            number = int(attributes["flowId"])
            if not 0 < number < 2**31 or number in into:
                raise ValueError("its flowId is out of range or there twice")
            into[number] = {"line": line, **read(attributes)}
        except (KeyError, ValueError) as error:
            fates.append((line, "rejected", f"not the element Flow of FlowMonitor ({error})"))
        else:
            if into is ends:
                fates.append((line, *HEADER))

    def end(name: str) -> None:
        path.pop()

    def doctype(*_: object) -> None:
        raise ValueError("a document type: FlowMonitor writes none, and it is not read")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        return flows, ends, fates, (error.lineno, f"no XML from here on ({_said(error)})")
    except ValueError as error:
        return flows, ends, fates, (parser.CurrentLineNumber, str(error))
    return flows, ends, fates, None


def _said(error: expat.ExpatError) -> str:
    return expat.errors.messages.get(error.code, "damaged")


def _flow(attributes: dict) -> dict:
    times = {ours: _seconds(attributes[theirs]) for theirs, ours in TIMES.items()}
    counts = {ours: int(attributes[theirs]) for theirs, ours in COUNTS.items()}
    if not all(0 <= count < 2**62 for count in counts.values()):
        raise ValueError("an impossible count")
    return times | counts


def _ends(attributes: dict) -> dict:
    source = f"{attributes['sourceAddress']}:{int(attributes['sourcePort'])}"
    destination = f"{attributes['destinationAddress']}:{int(attributes['destinationPort'])}"
    return {"source": source, "destination": destination, "protocol": attributes["protocol"]}


def _seconds(text: str) -> float:
    """Return the seconds of '+1.01232e+09ns'."""
    match = re.fullmatch(r"(?P<number>[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)(?P<unit>[munpf]?s)", text)
    if not match or not math.isfinite(float(match["number"])):
        raise ValueError(f"'{text[:40]}' is not a time")
    # six significant digits: what dividing adds beyond is noise
    return float(f"{float(match['number']) * UNITS[match['unit']]:.12g}")


def _fate(number: int, flows: dict, ends: dict, by_ends: dict) -> tuple[str, str | None]:
    flow = flows[number]
    if number not in ends:
        return NO_ENDS
    own = ends[number]
    back = flows.get(by_ends.get((own["destination"], own["source"], "6")))
    small = flow["tx_bytes"] <= ACK_BYTES * flow["tx_packets"]
    if own["protocol"] == "6" and back and small and flow["tx_bytes"] < back["tx_bytes"]:
        return "skipped", "only acknowledges another flow"
    start_s, end_s = _span(flow)
    return SAMPLE if end_s > start_s else NO_TIME


def _span(flow: dict) -> tuple[float, float]:
    """Return when a flow was received; when it was sent, where nothing arrived."""
    if flow["rx_packets"] == 0:
        return flow["first_tx_s"], flow["last_tx_s"]
    if flow["last_rx_s"] > flow["first_rx_s"]:
        return flow["first_rx_s"], flow["last_rx_s"]
    return flow["first_tx_s"], flow["last_rx_s"]


def _account(
    log: Log, fates: list[tuple], problem: tuple[int, str] | None
) -> tuple[list[tuple], list[tuple]]:
    """Return rows of `fate` and `rejected`; a line without elements has a header's fate."""
    n_lines = count_lines(log.whole)
    of_line: dict[int, tuple] = {}
    for line, fate, reason in fates:
        held = of_line.get(line)
        if held is None or RANK.index(fate) < RANK.index(held[0]):
            of_line[line] = (fate, reason)
    lost = min(problem[0], n_lines) if problem else n_lines + 1
    totals: dict[tuple, list[int]] = {}
    rejected = []
    for line, text in enumerate(log.whole.split(b"\n")[:n_lines], start=1):
        if problem and line >= lost:
            of_line[line] = ("rejected", problem[1])
        fate = of_line.get(line, HEADER)
        if fate[0] == "rejected":
            shown = shown_line(text)
            rejected.append((log.file_id, line, fate[1], shown))
        n_bytes = len(text) + (line < n_lines or log.whole.endswith(b"\n"))
        total = totals.setdefault(fate, [0, 0])
        total[0] += 1
        total[1] += n_bytes
    return [(log.file_id, *fate, *total) for fate, total in totals.items()], rejected
