"""ns-2's wired trace: packets received at their flow's own sink, per second, and packets dropped.

Twelve columns (ns manual, 'Trace and monitoring support'): event ('+' enqueued, '-' dequeued, 'r'
received at the next node, 'd' dropped, 'e' dropped early by RED), time (s), from node, to node,
type, size (bytes, headers included), flags, flow id, source and destination address (node.port),
sequence number (packets), packet id; columns of TCP headers may follow:

    r 63.251409 3 5 tcp 1500 ------- 2 1.0 5.0 1877 31554

A packet is received when 'to' is the node of its destination, not at every hop; acknowledgements
and messages of routing protocols are not counted. Hierarchical addresses (1.0.2.0) do not name a
node: there the node that hands a flow's packets to no other one is its sink. A retransmitted packet
that arrives twice counts twice: throughput, not goodput.
A flow is in no table if its packets are met on the way, but none at its sink: a trace of one queue
ends before it. It is said.
A connection is a pair of addresses; where each has a flow id of its own, that is the flow's number.
What its packets are called says what it is: `tcp`, or a source of datagrams (`cbr`, `exp`, ...).
Seconds without a packet, between a flow's first and the end of the trace, are samples of 0 bytes,
but for those behind the end of a TCP flow, which has ended if a second or more before the end its
last packets are acknowledged and none is outstanding. In a trace without acknowledgements it has
if none of its packets was met on the way that is not at the sink, or lost shortly before. With a
packet lost or outstanding, silence is starvation.
An acknowledgement that is dropped is no loss of its flow's data.
FullTcp sends data both ways, and calls `ack` what goes back: it is not counted, but said.
On a LAN (`newLan`: there are lines 'h') each station but the receiver writes a 'd' for every frame:
a drop on a hop where the trace never has anything received is none.

Traces are gigabytes: blocks are scanned in C (ns2_trace.c) on all cores, and of most lines
(enqueue, dequeue) only the first byte and the end are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from ..markdown import first_of
from .logs import CARRYING, GAP, NOT_RECEIVED, Log, dropped_on
from .ns2_trace_scan import (
    ACKNOWLEDGED,
    ACKNOWLEDGES,
    DISCARDED,
    DROPPED,
    DROPPED_COLUMNS,
    ELSEWHERE,
    FATES,
    KEY,
    NAME_BYTES,
    ON_LAN,
    ON_THE_WAY,
    RECEIVED,
    RECEIVED_COLUMNS,
    Trace,
    readers,
    scan_batch,
)

NAME = "ns2-trace"
TOOL = "ns-2"
PLATFORM = "ns2"
CLOCK = "run"
NUMBER = r"\d+(?:\.\d+)?(?:e[-+]\d+)?"
SIGNATURE = rf"^[-+rde] {NUMBER} \d+ \d+ \S+ \d+ \S+ \d+ [\d.]+ [\d.]+ -?\d+ \d+( |$)"
MAY_BE_EMPTY = True  # a trace of drops of a run without any
READS_BLOCKS = True

LAST_BIN_S = 0.99  # a last second of which this much is in the trace is whole
OVER_S = 1.0  # without a packet before the end of the trace: less may lie between two packets


MOST_NAMED = 4  # flows that are not received
MOST_OPTIONS = 40  # bytes of a TCP header: a larger acknowledgement carries data
REPAIRED_S = 3.0  # a packet lost longer before the flow's end was sent again: a usual RTO, in s
# names of packets (ns-2's packet.h) by the protocol that carries them; others say nothing of it
PROTOCOLS = {
    "tcp": ("tcp", "telnet", "ftp", "live_tcp", "xcp"),
    "udp": (
        *("udp", "cbr", "exp", "pareto", "poisson", "audio", "video", "realaudio", "rtp", "rtcp"),
        *("message", "ping"),
    ),
    "sctp": ("sctp", "sctp_app1"),
    "tfrc": ("tcpFriend",),
    "rap": ("rap_data",),
}
RECEIVED_AT = re.compile(rb"^r [\d.e+-]+ (\d+) (\d+) ", re.MULTILINE)  # from node, to node


def parse(logs):
    """Read the tables `stream`, `interval`, `drop`, `fate` and `rejected`."""
    return tables([scan_batch(logs)])


def tables(batches: Sequence[Sequence[Trace]]) -> dict[str, pl.DataFrame]:
    """Return the tables of `parse`, of logs that were scanned together or apart."""
    parts = [_tables_of(trace) for batch in batches for trace in batch]
    names = {name for part in parts for name in part}
    return {name: pl.concat([part[name] for part in parts]) for name in names}


def _tables_of(trace: Trace) -> dict[str, pl.DataFrame]:
    log, rejected, lines, sizes, received, dropped, last_s = trace
    lost = _table(dropped, DROPPED_COLUMNS)
    if lines[ON_LAN]:
        lost, passed_over = _without_discarded(lost, _hops_received(log))
        for code, sign in ((DROPPED, -1), (DISCARDED, 1)):
            lines[code] += sign * len(passed_over)
            sizes[code] += sign * passed_over["length"].sum()
    table = _table(received, RECEIVED_COLUMNS)
    marks = table.filter(pl.col("hop") <= ON_THE_WAY)
    arrived, passed = _at_sinks(table.filter(pl.col("hop") > ON_THE_WAY))
    for code, sign in ((RECEIVED, -1), (ELSEWHERE, 1)):
        lines[code] += sign * passed["packets"].sum()
        sizes[code] += sign * passed["length"].sum()
    fate: list[tuple] = []
    carrying = _carrying_data(marks.filter(pl.col("hop") == ACKNOWLEDGED))
    if n := int(carrying["packets"].sum()):
        lines[ACKNOWLEDGES] -= n
        sizes[ACKNOWLEDGES] -= (of_lines := int(carrying["length"].sum()))
        reason = (
            f"{n:,} {CARRYING}, {int(carrying['payload'].sum()) / 1e6:.3g} MB: they are not counted"
        )
        fate.append((log.file_id, "skipped", reason, n, of_lines))
    if len(hidden := _not_received(arrived, marks, last_s)):
        lines[ELSEWHERE] -= (n := int(hidden["packets"].sum()))
        sizes[ELSEWHERE] -= (of_lines := int(hidden["length"].sum()))
        reason = f"{NOT_RECEIVED} {_named_flows(hidden)}"
        fate.append((log.file_id, "skipped", reason, n, of_lines))
    becomes = FATES | {DROPPED: ("sample", dropped_on(_by_link(lost)))}
    fate += [
        (log.file_id, *becomes[code], int(lines[code]), int(sizes[code]))
        for code in FATES
        if lines[code]
    ]
    ways = _without_guesses(_ways(table, bool(lines[ON_LAN])), log)
    stream, interval = _flows(arrived, last_s, _ended(arrived, marks, lost), ways)
    drop = _of_connections(lost, stream)
    file_id = pl.lit(log.file_id, pl.UInt32).alias("file_id")
    lines_of = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}
    counts = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
    counts |= {"lines": pl.Int64, "bytes": pl.Int64}
    fates = pl.DataFrame(fate, schema=counts, orient="row")
    return {
        "stream": stream.with_columns(file_id),
        "interval": interval.with_columns(file_id),
        "drop": drop.with_columns(file_id),
        "fate": fates.group_by("file_id", "fate", "reason", maintain_order=True).agg(
            pl.sum("lines", "bytes")
        ),
        "rejected": pl.DataFrame(rejected, schema=lines_of, orient="row"),
    }


def _carrying_data(acks: pl.DataFrame) -> pl.DataFrame:
    """Return the acknowledgements, by size, that carry data, and how many bytes (`payload`)."""
    size = pl.col("second")
    more = size - size.min().over(KEY)  # than the smallest, which carries none
    carrying = acks.with_columns(more=more).filter(pl.col("more") > MOST_OPTIONS)
    return carrying.with_columns(payload=pl.col("more") * pl.col("packets"))


def _not_received(arrived: pl.DataFrame, marks: pl.DataFrame, last_s: float) -> pl.DataFrame:
    """Return the flows of which packets are met on the way, but none at the sink; in order.

    Without those whose first packets may still be under way when the trace ends.
    """
    met = marks.filter(pl.col("hop") == ON_THE_WAY).join(arrived, on=KEY, how="anti")
    flows = met.group_by(KEY, maintain_order=True).agg(
        pl.sum("packets", "length"), pl.min("first_us")
    )
    return flows.filter(last_s - pl.col("first_us") / 1e6 >= OVER_S).sort(KEY)


def _named_flows(flows: pl.DataFrame) -> str:
    """Return flows in words, 'flow 2 (1.0 to 5.0)'; of many the first ones."""
    named = flows.select(
        pl.format("flow {} ({} to {})", "flow_id", _address("source"), _address("destination"))
    )
    return first_of(named.to_series().to_list(), MOST_NAMED)


def _by_link(lost: pl.DataFrame) -> dict[str, int]:
    """Return how many packets were dropped, by link: '2-3', from node 2 to 3."""
    link = pl.format("{}-{}", pl.col("hop") // 2**20, pl.col("hop") % 2**20)
    return dict(lost.group_by("hop", maintain_order=True).agg(n=pl.len()).select(link, "n").rows())


def _hops_received(log: Log) -> list[int]:
    """Return the hops at whose end something is received, from node x 2^20 + to node."""
    found = {match for read in readers(log) for match in RECEIVED_AT.findall(read())}
    return [int(start) * 2**20 + int(end) for start, end in found]


def _without_discarded(lost: pl.DataFrame, hops: list[int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split drops on a LAN into those on hops where things are received, and the others."""
    on_a_hop = pl.col("hop").is_in(hops)
    return lost.filter(on_a_hop), lost.filter(~on_a_hop)


def _table(parts: list[np.ndarray], names: Sequence[str]) -> pl.DataFrame:
    """Put the rows of blocks together; all columns but the time are integers."""
    rows = np.concatenate([*parts, np.empty((0, len(names)), parts[0].dtype if parts else float)])
    kind = {name: pl.Float64 if name == "t_s" else pl.Int64 for name in names}
    return pl.DataFrame({n: pl.Series(rows[:, i]).cast(kind[n]) for i, n in enumerate(names)})


def _at_sinks(received: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split what hierarchical addresses leave open: received at the sink, and on the way to it."""
    onward = (
        received.filter(pl.col("hop") >= 0)
        .select(*KEY, node=pl.col("hop") // 2**20)
        .unique(maintain_order=True)
    )
    received = received.with_columns(node=pl.col("hop") % 2**20)
    keys = [*KEY, "node"]
    on_the_way = received.filter(pl.col("hop") >= 0).join(onward, on=keys, how="semi")
    at_sink = received.join(onward, on=keys, how="anti") if len(onward) else received
    at_sink = pl.concat([received.filter(pl.col("hop") < 0), at_sink.filter(pl.col("hop") >= 0)])
    return at_sink, on_the_way


def _ended(received: pl.DataFrame, marks: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Return the flows (KEY) of TCP that ended before the trace did; see the head of the module."""
    flows = received.group_by(KEY, maintain_order=True).agg(
        pl.max("sequence", "last_us"), pl.col("kind").sort_by("line").first()
    )
    met = (
        marks.filter(pl.col("hop") == ON_THE_WAY)
        .group_by(KEY, maintain_order=True)
        .agg(met=pl.max("sequence"))
    )
    back = {"source": "destination", "destination": "source"}
    acked = marks.filter(pl.col("hop") == ACKNOWLEDGED).rename(back)
    acked = acked.group_by(KEY, maintain_order=True).agg(acked=pl.max("sequence"))
    losses = lost.group_by(KEY, maintain_order=True).agg(pl.max("t_s"), dropped=pl.max("sequence"))
    for more in (met, acked, losses):
        flows = flows.join(more, on=KEY, how="left")
    most = pl.max_horizontal("sequence", "met", "dropped")
    unrepaired = (pl.col("t_s") > pl.col("last_us") / 1e6 - REPAIRED_S).fill_null(False)
    return flows.filter(
        _named("kind", PROTOCOL_OF_KIND) == "tcp",
        pl.when(pl.col("acked").is_not_null())
        .then(pl.col("acked") >= most)
        .otherwise((pl.col("sequence") >= most) & ~unrepaired),
    ).select(*KEY, over_s=pl.col("last_us") / 1e6)


def _ways(received: pl.DataFrame, on_lan: bool) -> pl.DataFrame:
    """Return the hops that packets of each flow (KEY) take, '0-3 3-4 4-5'.

    Of flat addresses the last one is from where no other leads on, as of a packet at its sink the
    scanner counts no hop. GAP stands behind them where one begins at a node that none leads to, but
    the source's: then others are missing. Also on a LAN, whose hops are one medium.
    """
    hop = pl.when(pl.col("hop") == ON_THE_WAY).then("second").otherwise("hop")
    hops = received.filter((pl.col("hop") == ON_THE_WAY) | (pl.col("hop") >= 0)).select(
        *KEY, start=hop // 2**20, end=hop % 2**20
    )
    last = (
        hops.join(hops, left_on=[*KEY, "end"], right_on=[*KEY, "start"], how="anti")
        .filter(pl.col("destination") >= 0)
        .select(*KEY, start="end", end=pl.col("destination") // 2**20)
    )
    hops = pl.concat([hops, last]).unique(maintain_order=True).sort(*KEY, "start", "end")
    of_source = pl.when(pl.col("source") >= 0).then(pl.col("source") // 2**20)
    first = hops.select(*KEY, node="start", of_source=of_source).unique(maintain_order=True)
    first = first.join(hops, left_on=[*KEY, "node"], right_on=[*KEY, "end"], how="anti")
    is_source = (pl.col("node") == pl.col("of_source")).fill_null(True)  # nested: not known
    firsts = first.group_by(KEY, maintain_order=True).agg(known=is_source.all() & (pl.len() == 1))
    named = pl.format("{}-{}", "start", "end").str.join(" ")
    ways = hops.group_by(KEY, maintain_order=True).agg(hops=named)
    ways = ways.join(firsts, on=KEY, how="left", maintain_order="left")
    whole = pl.col("known").fill_null(True) & (not on_lan)
    shown = pl.when(whole).then("hops").otherwise(pl.format(f"{{}} {GAP}", "hops"))
    return ways.select(*KEY, hops=shown)


def _without_guesses(ways: pl.DataFrame, log: Log) -> pl.DataFrame:
    """Mark hops of flows that have none in common with GAP where the trace never has their last.

    Then the trace lacks more of them. Else the last one matters little: it is not looked for.
    """
    hops = [set(text.split()) for text in ways["hops"].drop_nulls()]
    if len(hops) < 2 or set.intersection(*hops):
        return ways
    known = {f"{hop // 2**20}-{hop % 2**20}" for hop in _hops_received(log)}
    marked = [
        text if text is None or {*text.split()} <= {GAP, *known} else f"{text} {GAP}"
        for text in ways["hops"]
    ]
    return ways.with_columns(hops=pl.Series(marked, dtype=pl.String))


def _flows(
    received: pl.DataFrame, last_s: float, ended: pl.DataFrame, ways: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the streams, and every second of each from its first packet to its end.

    That is the end of the trace, but of flows that `ended` their last second with a packet.
    """
    received = received.group_by(*KEY, "second", maintain_order=True).agg(
        pl.sum("bytes", "packets"), pl.col("kind").sort_by("line").first(), pl.min("line")
    )
    stream = received.group_by(KEY, maintain_order=True).agg(
        pl.col("kind").sort_by("line").first(), pl.min("line", "second")
    )
    stream = stream.join(ended, on=KEY, how="left").join(ways, on=KEY, how="left").sort("line")
    own = stream["flow_id"].n_unique() == len(stream)
    stream = stream.with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32),
        label=pl.col("flow_id").cast(pl.String),
    )
    before = last_s - pl.col("over_s") >= OVER_S
    stream = stream.with_columns(over_s=pl.when(before).then("over_s").otherwise(last_s))
    stream = stream.with_columns(last=pl.col("over_s").floor().cast(pl.Int64))
    seconds = stream.select(
        *KEY,
        "stream",
        "over_s",
        "last",
        second=pl.int_ranges("second", pl.max_horizontal("last", 0) + 1),
    ).explode("second")
    interval = seconds.join(received, on=[*KEY, "second"], how="left").sort("stream", "second")
    whole = (pl.col("second") < pl.col("last")) | (pl.col("over_s") - pl.col("last") >= LAST_BIN_S)
    interval = interval.select(
        "stream",
        pl.col("line"),
        t_start_s=pl.col("second").cast(pl.Float64),
        t_end_s=pl.when(whole).then(pl.col("second") + 1.0).otherwise("over_s"),
        bytes=pl.col("bytes").fill_null(0),
        packets=pl.col("packets").fill_null(0),
    ).filter(pl.col("t_end_s") > pl.col("t_start_s"))
    rate = pl.col("bytes") * 8 / (pl.col("t_end_s") - pl.col("t_start_s"))
    stream = stream.select(
        "stream",
        "line",
        "label",
        episode=pl.lit(1),
        side=pl.lit("receiver"),
        protocol=_named("kind", PROTOCOL_OF_KIND),
        traffic=_named("kind", SOURCE_OF_KIND),
        local=_address("destination"),
        peer=_address("source"),
        flow_id=pl.col("flow_id") if own else pl.lit(None, pl.Int64),
        hops="hops",
    )
    return stream, interval.with_columns(throughput_bps=rate)


def _kind(name: str) -> int:
    """Return a packet's name as the scanner does."""
    return int.from_bytes(name[:NAME_BYTES].encode(), "big")


PROTOCOL_OF_KIND = {_kind(n): protocol for protocol, names in PROTOCOLS.items() for n in names}
SOURCE_OF_KIND = {_kind(n): n for names in PROTOCOLS.values() for n in names if n not in PROTOCOLS}


def _named(kind: str, names: dict[int, str]) -> pl.Expr:
    return pl.col(kind).replace_strict(names, default=None, return_dtype=pl.String)


def _of_connections(drop: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Say which stream each drop is of, and how many connections share its flow id."""
    own_number = stream["flow_id"].is_not_null().all()
    keys = {"peer": _address("source"), "local": _address("destination")}
    ends = pl.struct("peer", "local")
    return (
        drop.with_columns(label=pl.col("flow_id").cast(pl.String), **keys)
        .with_columns(connections=ends.n_unique().over("flow_id"))
        .join(stream.select("label", *keys, "stream"), on=["label", *keys], how="left")
        .with_columns(flow_id=pl.col("flow_id") if own_number else pl.lit(None, pl.Int64))
    )


def _address(name: str) -> pl.Expr:
    """Return an address as text: node x 2^20 + port, of a hierarchical one -1 - as much, where node
    has 11 bits for each part but the first (2047: there is none)."""
    flat = pl.format("{}.{}", pl.col(name) // 2**20, pl.col(name) % 2**20)
    node, port = (-1 - pl.col(name)) // 2**20, (-1 - pl.col(name)) % 2**20
    parts = [node // 2**22, node // 2**11 % 2**11, node % 2**11]
    three = pl.when(parts[2] < 2047).then(pl.format("{}.{}.{}.{}", *parts, port))
    nested = three.otherwise(pl.format("{}.{}.{}", *parts[:2], port))
    return pl.when(pl.col(name) >= 0).then(flat).otherwise(nested)
