"""ns-3's ASCII traces (AsciiTraceHelper, EnableAscii): payload received a second, packets dropped.

A line an event of a device: '+' enqueued, '-' dequeued, 'r' received, 'd' dropped; time (s); the
place, which files of a single device leave out; the packet's headers (ns-3.44; one line):

    r 0.0230208 /NodeList/3/DeviceList/1/$ns3::PointToPointNetDevice/MacRx ns3::PppHeader (...)
      ns3::Ipv4Header (tos 0x0 ... ttl 63 id 2 protocol 6 ... length: 1500 10.1.1.1 > 10.1.3.2)
      ns3::TcpHeader (49153 > 5000 [ACK] Seq=1 Ack=1 Win=32768 ns3::TcpOptionTS(23;11) ...)
      Payload (size=512) Payload Fragment [0:424]

A flow is a pair of addresses and ports in the direction of its payload. It is received at its last
node: one that does not send the flow on, that does not pass on packets of the other direction,
whose time to live is 64 only where they begin, that receives no packets of both directions, and
behind which no node receives the flow with a smaller time to live. A trace without lines '+' may
end before a flow's sink: it does not where the other direction is received with the same time to
live at its own end. Else that is said. Its hops are between the nodes that send and receive its
packets with the same time to live; without lines '+' a node sends what it receives with one less.
In a file of a single device the node is that device's. A retransmitted packet that arrives twice
counts twice. Seconds without a packet, from a flow's first to the end of the trace, are samples of
0 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ..scalars import scalar
from .logs import GAP, MAYBE_RELAYED, dropped_on
from .shapes import Log, tally
from .texts import give, text_lines, without_fate

NAME = "ns3-ascii"
TOOL = "ns-3"
PLATFORM = "ns3"
CLOCK = "run"
NUMBER = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
SIGNATURE = rf"^[-+rdt] {NUMBER} (?:/NodeList/\d+/DeviceList/\d+/\S* )?ns3::\w+ \("
LINE = rf"^([-+rdt]) ({NUMBER}) (?:/NodeList/(\d+)/DeviceList/(\d+)/(\S*) )?ns3::\w+ \("
IP = r"ns3::Ipv4Header \(.*? ttl (\d+) .*?length: (\d+) ([\d.]+) > ([\d.]+)\)"
PORTS = r"ns3::(Tcp|Udp)Header \((?:length: \d+ )?(\d+) > (\d+)"
SEQUENCE = r"ns3::TcpHeader \(\d+ > \d+ .*?Seq=(\d+)"
WHOLE_PAYLOAD = r"Payload \(size=(\d+)\)"
PART_PAYLOAD = r"Payload Fragment \[(\d+):(\d+)\]"
FIRST_TTL = 64  # ns-3's default: packets of a smaller one have passed a router
NO_NODE = -1  # of a file of a single device
MAX_S = 1e6  # a later time is a damaged line: 11 days, a row a second
LAST_BIN_S = 0.99  # a last second of which this much is in the trace is whole
BLOCK_LINES = 100_000  # looked at at once: bounds the memory
FLOW = ["source", "sink"]
COUNTED = ["received", "doubtful"]  # of `what`
AT = [*FLOW, "node"]
SENT = ["+", "-", "t"]  # events of a node that sends
UNKNOWN_LINE = "not a line of an ASCII trace: truncated?"
FATES = {  # of dropped packets `dropped_on` says the reason
    "queued": ("skipped", "enqueued, dequeued or sent: no table needs it"),
    "other": ("skipped", "a packet without TCP's or UDP's ports"),
    "empty": ("skipped", "a packet without payload received: an acknowledgement, a handshake"),
    "relayed": ("skipped", "received at a node on the way"),
    "wireless": ("skipped", "received over a wireless channel, where others hear it too: not read"),
    "received": ("sample", None),
    "doubtful": ("sample", MAYBE_RELAYED),
    "backwards": ("rejected", "time goes backwards: two traces in one file?"),
    "cut": ("rejected", UNKNOWN_LINE),
    "blank": ("header", None),
}


def parse(logs):
    """Read the tables `stream`, `interval`, `drop`, `fate` and `rejected`; a stream is a flow."""
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in ("stream", "interval", "drop")}
    lines = []
    for log in logs:
        packets = pl.concat(list(_packets(log)))
        packets = _classified(packets)
        stream, interval = _flows(packets)
        tables["stream"].append(stream)
        tables["interval"].append(interval)
        tables["drop"].append(_drops(packets, stream))
        of_links = pl.lit(dropped_on(_by_device(packets)), pl.String)
        lines.append(packets.select("file_id", "line", "n_bytes", "what", dropped_on=of_links))
    if not lines:
        return {}
    joined = without_fate(pl.concat(lines))
    dropped = pl.col("what") == "dropped"
    joined = joined.with_columns(
        fate=pl.when(dropped).then(pl.lit("sample")), reason=pl.when(dropped).then("dropped_on")
    )
    for what, (fate, reason) in FATES.items():
        joined = give(joined, pl.col("what") == what, fate, reason)
    found = {name: pl.concat(parts, how="diagonal_relaxed") for name, parts in tables.items()}
    return {**found, **tally(joined, logs)}


def _packets(log: Log) -> Iterator[pl.DataFrame]:
    """Yield a row a line: event, time, node, the packet's flow, its size, payload and sequence."""
    lines = text_lines([log])
    for block in lines.iter_slices(BLOCK_LINES) if len(lines) else [lines]:
        text = pl.col("text")
        line, ip, ports = (text.str.extract_groups(pattern) for pattern in (LINE, IP, PORTS))
        rows = block.select(
            "file_id",
            "line",
            "n_bytes",
            blank=text.str.contains(r"^\s*(#.*)?$"),
            event=line.struct.field("1"),
            t_s=_number(line.struct.field("2"), pl.Float64),
            node=_number(line.struct.field("3")).fill_null(NO_NODE),
            device=_number(line.struct.field("4")),
            wireless=line.struct.field("5").str.contains("/Phy/").fill_null(False),
            on_bus=line.struct.field("5").str.contains("Csma").fill_null(False),
            ttl=_number(ip.struct.field("1")),
            packet_bytes=_number(ip.struct.field("2")),
            protocol=ports.struct.field("1").str.to_lowercase(),
            source=pl.format("{}:{}", ip.struct.field("3"), ports.struct.field("2")),
            sink=pl.format("{}:{}", ip.struct.field("4"), ports.struct.field("3")),
            sequence=_number(text.str.extract(SEQUENCE)),
            payload=_payload(text),
        )
        yield rows


def _number(text: pl.Expr, kind: type[pl.DataType] = pl.Int64) -> pl.Expr:
    return text.cast(kind, strict=False)


def _payload(text: pl.Expr) -> pl.Expr:
    """Return the bytes of the parts of a packet's payload."""
    whole = text.str.extract_all(WHOLE_PAYLOAD).list.eval(
        _number(pl.element().str.extract(WHOLE_PAYLOAD))
    )
    parts = text.str.extract_all(PART_PAYLOAD).list.eval(
        _number(pl.element().str.extract(PART_PAYLOAD, 2))
        - _number(pl.element().str.extract(PART_PAYLOAD, 1))
    )
    return whole.list.sum() + parts.list.sum()


def _classified(packets: pl.DataFrame) -> pl.DataFrame:
    """Say what each line is: a key of FATES."""
    event, known = pl.col("event"), pl.col("source").is_not_null()
    packets = packets.with_columns(
        late=pl.col("t_s") < pl.col("t_s").cum_max().shift(1).forward_fill()
    )
    packets = packets.join(_on_the_way(packets), on=AT, how="left", maintain_order="left")
    packets = packets.join(_ends_known(packets), on=AT, how="left", maintain_order="left")
    good = event.is_not_null() & (pl.col("t_s") <= MAX_S)
    what = (
        pl.when("blank")
        .then(pl.lit("blank"))
        .when(~good.fill_null(False))
        .then(pl.lit("cut"))
        .when(pl.col("late").fill_null(False))
        .then(pl.lit("backwards"))
        .when(event.is_in(["+", "-", "t"]))
        .then(pl.lit("queued"))
        .when(~known)
        .then(pl.lit("other"))
        .when(event == "d")
        .then(pl.lit("dropped"))
        .when(pl.col("payload") == 0)
        .then(pl.lit("empty"))
        .when("wireless")
        .then(pl.lit("wireless"))
        .when(pl.col("relays").is_not_null())
        .then(pl.lit("relayed"))
        .when(pl.col("ends").is_null())
        .then(pl.lit("doubtful"))
        .otherwise(pl.lit("received"))
    )
    return packets.with_columns(what=what)


def _other_way(packets: pl.DataFrame) -> pl.DataFrame:
    return packets.rename({"source": "sink", "sink": "source"})


def _on_the_way(packets: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes (AT) that are no sink of a flow, though they receive it: `relays`."""
    event = pl.col("event")
    sent = packets.filter(event.is_in(SENT), pl.col("source").is_not_null())
    passing = _other_way(sent.filter(pl.col("ttl") != FIRST_TTL))
    received = packets.filter(event == "r", ~pl.col("wireless")).drop_nulls([*AT, "ttl"])
    least = received.group_by(AT, maintain_order=True).agg(pl.min("ttl"))
    before = least.filter(pl.col("ttl") > pl.col("ttl").min().over(FLOW))
    both = received.join(_other_way(received.select(AT)), on=AT, how="semi")
    nodes = pl.concat([part.select(AT) for part in (sent, passing, before, both)])
    return nodes.unique(maintain_order=True).with_columns(relays=pl.lit(True))


def _ends_known(packets: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes (AT) that are the sink of a flow if they are not on the way: `ends`.

    Of a trace that has the sent packets of the flow, as it has those that leave a router, or of the
    node's own; else where both directions are received at nodes as far from their senders.
    """
    event, ttl = pl.col("event"), pl.col("ttl")
    known = packets.filter(~pl.col("wireless")).drop_nulls([*AT, "ttl"])
    received = known.filter(event == "r")
    sent = known.filter(event.is_in(SENT))
    hosts = (
        sent.group_by("node", maintain_order=True)
        .agg(is_host=(ttl == FIRST_TTL).all())
        .filter((pl.col("node") != NO_NODE) | pl.col("is_host"))
    )
    of_nodes = received.join(hosts, on="node", how="semi", maintain_order="left")
    of_flows = received.join(
        sent.filter(pl.col("node") != NO_NODE), on=FLOW, how="semi", maintain_order="left"
    )
    least = received.group_by(FLOW, maintain_order=True).agg(ttl.min())
    alike = least.join(_other_way(least), on=[*FLOW, "ttl"], how="semi")
    both_ends = received.filter(pl.col("node") != NO_NODE).join(
        alike, on=FLOW, how="semi", maintain_order="left"
    )
    nodes = pl.concat([part.select(AT) for part in (of_nodes, of_flows, both_ends)])
    return nodes.unique(maintain_order=True).with_columns(ends=pl.lit(True))


def _by_device(packets: pl.DataFrame) -> dict[str, int]:
    """Return how many packets each device dropped, which is one end of a link."""
    dropped = packets.filter(pl.col("what") == "dropped")
    at = dropped.group_by("node", "device", maintain_order=True).agg(n=pl.len())
    return dict(at.select(pl.format("node {} device {}", "node", "device"), "n").rows())


def _flows(packets: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the streams, and every second of each from its first packet to the trace's end."""
    received = packets.filter(pl.col("what").is_in(COUNTED)).with_columns(
        second=pl.col("t_s").floor().cast(pl.Int64)
    )
    timed = packets.filter(~pl.col("what").is_in(["cut", "blank", "backwards"]))
    last_s = scalar(timed["t_s"].max()) or 0
    last = int(last_s)
    stream = (
        received.group_by("file_id", *FLOW, "protocol", maintain_order=True)
        .agg(pl.first("line", "second"), first_s=pl.first("t_s"))
        .with_columns(
            stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32),
            label=pl.format("{}>{}", *FLOW),
            episode=pl.lit(1),
            side=pl.lit("receiver"),
            local="sink",
            peer="source",
        )
        .join(_ways(packets), on=[*FLOW, "protocol"], how="left", maintain_order="left")
    )
    known = received.group_by(*FLOW, "protocol", "second", maintain_order=True).agg(
        pl.sum("payload").alias("bytes"), pl.first("line")
    )
    seconds = stream.select(
        "file_id", "stream", *FLOW, "protocol", second=pl.int_ranges("second", last + 1)
    ).explode("second")
    whole = (pl.col("second") < last) | (last_s - last >= LAST_BIN_S)
    interval = (
        seconds.join(known, on=[*FLOW, "protocol", "second"], how="left")
        .with_columns(
            t_start_s=pl.col("second").cast(pl.Float64),
            t_end_s=pl.when(whole).then(pl.col("second") + 1.0).otherwise(last_s),
            bytes=pl.col("bytes").fill_null(0),
        )
        .filter(pl.col("t_end_s") > pl.col("t_start_s"))
        .with_columns(
            throughput_bps=pl.col("bytes") * 8 / (pl.col("t_end_s") - pl.col("t_start_s"))
        )
        .sort("stream", "second")
    )
    return stream, interval


def _ways(packets: pl.DataFrame) -> pl.DataFrame:
    """Return the hops that packets of each flow take, '0-2 2-3', between nodes.

    The time to live is the same where a packet is sent and where it is received next. Where no line
    says who sent a packet it is the node that received it with one more, and at first the source,
    by its address. None where several nodes send packets of a flow with the same time to live:
    which sends to which is not known then. GAP stands behind the hops where some are missing, or
    where they are on a bus (Csma), whose hops are one medium.
    """
    flow = [*FLOW, "protocol"]
    key, ttl = [*flow, "ttl"], pl.col("ttl")
    seen = packets.filter(
        ~pl.col("what").is_in(["cut", "blank", "backwards"]),
        pl.col("node") != NO_NODE,
        ~pl.col("wireless"),
    ).drop_nulls(key)
    sent = seen.filter(pl.col("event").is_in(["+", "t"]))
    received = seen.filter(pl.col("event") == "r")
    passed = received.with_columns(ttl=ttl - 1)
    starts = pl.concat([sent, passed.join(sent, on=key, how="anti", maintain_order="left")])
    starts, ends = (
        some.group_by(key, maintain_order=True)
        .agg(pl.col("node").unique(maintain_order=True).alias("nodes"))
        .filter(pl.col("nodes").list.len() == 1)
        .select(*key, pl.col("nodes").list.first().cast(pl.String).alias(name))
        for some, name in ((starts, "start"), (received, "end"))
    )
    first = ends.filter(ttl == FIRST_TTL).join(sent, on=key, how="anti", maintain_order="left")
    first = first.select(*key, start=pl.col("source").str.extract(r"^(.*):"))
    hops = (
        pl.concat([starts, first])
        .join(ends, on=key, maintain_order="left")
        .filter(pl.col("start") != pl.col("end"))
        .sort(*key, descending=[False, False, False, True])
    )
    n_hops = seen.group_by(flow, maintain_order=True).agg(
        pl.any("on_bus"), n=FIRST_TTL + 1 - ttl.min()
    )
    named = pl.format("{}-{}", "start", "end").str.join(" ")
    ways = hops.group_by(flow, maintain_order=True).agg(hops=named, known=pl.len())
    whole = (pl.col("known") == pl.col("n")) & ~pl.col("on_bus")
    shown = pl.when(whole).then("hops").otherwise(pl.format(f"{{}} {GAP}", "hops"))
    return ways.join(n_hops, on=flow, maintain_order="left").select(*flow, hops=shown)


def _drops(packets: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Return the dropped packets, of either direction, with the stream of their flow."""
    both = pl.concat(
        [
            stream.select(*FLOW, "protocol", "stream"),
            stream.select("protocol", "stream", source="sink", sink="source"),
        ],
        how="diagonal",
    ).unique([*FLOW, "protocol"], keep="first", maintain_order=True)
    return (
        packets.filter(pl.col("what") == "dropped")
        .join(both, on=[*FLOW, "protocol"], how="left", maintain_order="left")
        .select("file_id", "line", "t_s", "stream", "packet_bytes", "sequence")
    )
