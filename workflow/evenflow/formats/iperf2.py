"""iperf 2 text reports, client and server, plain and enhanced (-e), TCP and UDP.

Shape (iperf 2.1.8, `iperf -s -i 1 -e -f b`), times from the start of the flow's own connection:

    [  1] local 10.0.3.1%e0 port 5001 connected with 10.0.1.1 port 40001 (sock=4) (peer 2.1.8)
    [ ID] Interval            Transfer    Bandwidth       Reads=Dist
    [  1] 0.0000-1.0000 sec  11272252 Bytes  90178016 bits/sec  88=2:0:0:0:0:0:0:86
    [  1] 0.0000-3.0064 sec  33947708 Bytes  90335619 bits/sec  261=2:0:0:0:0:0:0:259

A report that starts at 0 although the stream has earlier ones, or is the stream's only one, sums up
the whole connection. Units: bits count in 10^3, bytes in 2^10 (iperf's stdio.c). Every line that
says 'connected' begins a stream, whose number later lines carry; a number is used again by later
connections of the same server. Which end a stream reports: the one whose own port is the service's
receives, unless the line says '(reverse)'.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import polars as pl

from .shapes import Shape, read_lines, tally
from .streams import STREAM, assign_streams, find_episodes, mark

NAME = "iperf2"
TOOL = "iperf"
CLOCK = "flow"
SIGNATURE = (
    r"^(Server listening on|Client connecting to) .*\bport \d+"
    r"|^\[ *\*?\d+\] +\d+\.\d+- *\d+\.\d+ sec +[\d.]+ [KMGT]?Bytes +[\d.]+ [KMGT]?(bits|Bytes)/sec"
)

SPAN = r"\[ ?\*?0\] 0- ?0 sec "
SUM_SPAN = r"\[(SUM|FD|SUM-0|FD0|SUM-cnt)\] ?0- ?0 sec "
LOAD = r"0 (?P<amount>[KMGT]?)Bytes 0 (?P<rate>[KMGT]?)(?P<of>bits|Bytes)/sec"
REPORT = "label t_start_s t_end_s amount rate"
SHAPES = (
    Shape("summary", SUM_SPAN + ".*", kind="sum", reason="sum over the streams"),
    Shape(  # enhanced client: Write/Err Rtry Cwnd/RTT
        "sample",
        SPAN + LOAD + r" 0/0 0 (?P<cwnd>0K)/0(\(0\))? us.*",
        REPORT + " _ _ retransmits cwnd_kbytes rtt_us",
        kind="report",
    ),
    Shape(  # UDP at its receiver: jitter, lost/total datagrams
        "sample",
        SPAN + LOAD + r" 0 ms 0/ ?0 .*",
        REPORT + " jitter_ms lost_packets packets",
        kind="report",
    ),
    Shape("sample", SPAN + LOAD + "( .*)?", REPORT, kind="report"),
    Shape(
        "rejected",
        r"\[[^]]*\] ?0(,0)?- ?0,0 sec .*|.*sec 0,0 [KMGT]?Bytes.*",
        reason="decimal commas: run iperf with LC_ALL=C, or replace them by points",
    ),
    Shape("header", r"\[ ?\*?0\] local .* connected .*", kind="connected", text=True),
    Shape("header", r"(Server listening on|Client connecting to) .*", kind="service", text=True),
    Shape("header", r"(\[ ?\*?0\] )?TCP congestion control .*", kind="cca", text=True),
    Shape("header", r"\[ ?\*?0\] Server Report:", kind="server-report", columns="label"),
    Shape("header", r"-+|\[ ID\] Interval .*|TCP window size: .*|(Read|Write) buffer size: .*|"),
    Shape("header", r"UDP buffer size: .*|Sending 0 byte datagrams.*|Receiving 0 byte datagrams.*"),
    Shape("header", r"Binding to local .*|TOS set to .*|\[ ?\*?0\] Sent 0 datagrams"),
    Shape("skipped", r"(WARNING|WARN|Waiting for server|\[ ?\*?0\] WARN).*", reason="a warning"),
)
UNKNOWN_LINE = "not a line that iperf 2 writes: cut or mixed with another output"
FACTOR = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
BIT_FACTOR = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


CONNECTED = re.compile(
    r"\[ *(?P<star>\*?)(?P<label>\d+)\] local (?P<local>\S+) port (?P<local_port>\d+) connected "
    r"(?:with|to) (?P<peer>\S+) port (?P<peer_port>\d+)(?P<rest>.*)"
)
SERVICE = re.compile(r"\b(?P<kind>TCP|UDP) port (?P<port>\d+)")
CONNECTION = {
    "row": pl.UInt32,
    "file_id": pl.UInt32,
    "line": pl.UInt32,
    "label": pl.Float64,
    "side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "cca": pl.String,
    "start_epoch_s": pl.Float64,
}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE, units, UNITS).with_row_index("row")
    reports = lines.filter(pl.col("kind") == "report").with_columns(
        label=pl.col("label") + pl.col("star") / 2,
        bytes=(pl.col("amount") * pl.col("byte_factor")).round(),
        throughput_bps=pl.col("rate") * pl.col("bit_factor"),
    )
    streams, reports = assign_streams(reports, read_connections(lines))
    extent = reports.group_by(STREAM).agg(first=pl.min("row"), n=pl.len())
    from_start = reports.filter(pl.col("t_start_s") == 0).join(extent, on=STREAM)
    whole = from_start.filter((pl.col("row") > pl.col("first")) | (pl.col("n") == 1))["row"]
    backwards = reports.filter(pl.col("t_end_s") <= pl.col("t_start_s"))["row"]
    lines = mark(lines, whole, "summary", None)
    lines = mark(lines, backwards, "rejected", "the interval ends before it begins")
    summary = reports.filter(pl.col("row").is_in(whole.implode()))
    others = pl.concat([whole, backwards])
    interval = reports.filter(~pl.col("row").is_in(others.implode()))
    complete = summary.select(*STREAM, complete=True).unique()
    streams = find_episodes(streams, reports).join(complete, on=STREAM, how="left")
    summary = summary.join(streams.select(*STREAM, own_side="side"), on=STREAM).with_columns(
        # a UDP server's report comes back to its client
        side=pl.when(pl.col("packets").is_null()).then("own_side").otherwise(pl.lit("receiver"))
    )
    return {
        "stream": streams.with_columns(pl.col("complete").fill_null(False)),
        "interval": interval.with_columns(
            cwnd_bytes=pl.col("cwnd_kbytes") * 1024,
            rtt_s=pl.col("rtt_us") / 1e6,
            jitter_s=pl.col("jitter_ms") / 1e3,
        ),
        "summary": summary,
        **tally(lines, logs),
    }


def read_connections(lines: pl.DataFrame) -> pl.DataFrame:
    """Read the lines that announce connections, with what the log says of all of them."""
    said = lines.filter(pl.col("text").is_not_null())
    service: dict[int, dict] = {}
    rows = []
    for row, file_id, line, kind, text in said.select(
        "row", "file_id", "line", "kind", "text"
    ).iter_rows():
        of_file = service.setdefault(file_id, {"protocol": None, "cca": None, "ports": set()})
        if kind == "service" and (match := SERVICE.search(text)):
            of_file["protocol"] = match["kind"].lower()
            of_file["ports"].add(match["port"])
        elif kind == "cca":
            of_file["cca"] = text.rpartition(" ")[2]
        elif kind == "connected" and (match := CONNECTED.match(text)):
            receives = match["local_port"] in of_file["ports"]
            if "(reverse)" in match["rest"]:
                receives = not receives
            rows.append(
                {
                    "row": row,
                    "file_id": file_id,
                    "line": line,
                    "label": int(match["label"]) + len(match["star"]) / 2,
                    "side": "receiver" if receives else "sender",
                    "protocol": of_file["protocol"],
                    "local": f"{match['local'].partition('%')[0]}:{match['local_port']}",
                    "peer": f"{match['peer']}:{match['peer_port']}",
                    "cca": of_file["cca"],
                    "start_epoch_s": read_date(match["rest"]),
                }
            )
    return pl.DataFrame(rows, schema=CONNECTION, orient="row")


def read_date(text: str) -> float | None:
    """Return the seconds since 1970 of 'on 2000-01-01 00:00:05 (UTC)'; the zone is not read."""
    match = re.search(r"\bon (\d{4}-\d\d-\d\d) (?:at )?(\d\d:\d\d:\d\d(?:\.\d+)?)", text)
    if not match:
        return None
    return datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC).timestamp()


UNITS = ("byte_factor", "bit_factor", "star")


def units(match: re.Match) -> dict[str, float]:
    """Return the factors of a report's amount (to bytes) and rate (to bits per second)."""
    found = match.groupdict()
    if "amount" not in found:
        return {}
    rate = BIT_FACTOR[found["rate"]] if found["of"] == "bits" else 8 * FACTOR[found["rate"]]
    star = 1.0 if "*" in match[0][:4] else 0.0
    return {"byte_factor": FACTOR[found["amount"]], "bit_factor": rate, "star": star}
