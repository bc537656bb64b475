"""iperf 2 reports as comma-separated values (`-y C`), client and server, TCP and UDP.

Time stamp, two ends, transfer id, interval (s), bytes, bit/s, and, for UDP, jitter (ms), lost
datagrams, datagrams, lost in per cent, out of order:

    20261120223528,10.77.0.2,5001,10.77.0.1,33028,4,0.0-1.0,2376168,19009344
    20261120223529,10.77.0.2,5001,10.77.0.1,33028,4,1.0-2.0,2428296,19426368
    20261120223530,10.77.0.2,5001,10.77.0.1,33028,4,0.0-3.3,7995392,19165024

Generations, as logs of eight versions show them (tests/fixtures/formats/iperf2-csv):

* to 2.0.13: the log's own end comes first; the one whose own port is the service's (5001, else the
  smaller) receives. Transfer ids are socket numbers, from 3. A client's UDP log ends with its
  server's report, ends swapped. The time stamp is when the interval ended, or later.
* from 2.0.14a: the sender's end comes first, whoever writes the log, so a plain TCP log does not
  say which end wrote it: `side` is null where nothing else does (columns of `-e`; the count of
  datagrams, -1 in a UDP sender's final report; both directions of `--full-duplex`; the socket
  numbers of 2.0.14a). Time stamps run one interval ahead of the interval's end, and are 1970 in
  logs without intervals. Ids are from 1 since 2.1.
* `-e`: milliseconds, since 2.1.9 more columns (writes, retries, window in KiB, round-trip time in
  us; or reads), since 2.2 a header line that names them, and the interval as two columns.

-1 and 4294967295 stand for what the tool did not know. A report from 0 that follows others of its
connection sums up the connection, as does one that stands alone; those of id -1 sum up connections.
Intervals have one decimal: one shorter than 0.05 s has no length and is skipped.
"""

from __future__ import annotations

import polars as pl

from .shapes import Shape, read_lines, tally
from .streams import STREAM, mark

NAME = "iperf2-csv"
TOOL = "iperf"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^([-+]\d{4}:)?\d{14}(\.\d+)?,[^,\n]*,\d+,[^,\n]*,\d+,-?\d+,\d+\.\d+[-,]\d+\.\d+,-?\d+,-?\d"
    r"|^time,srcaddress,srcport,dstaddr,dstport,transferid,"
)
BESIDE = ("iperf2",)  # text that iperf writes into such a log all the same
SHAPES = (
    Shape(
        "sample",
        r"([-+]0:)?0,[^,]*,0,[^,]*,0,-?0,0[-,]0,-?0,-?0(,-?(0|nan|inf))*",
        kind="row",
        text=True,
    ),
    Shape("header", r"time,srcaddress,.*", kind="names", text=True),
    Shape("header", r"-+|(Client connecting to|Server listening on) .*|TCP window size: .*|"),
    Shape("header", r"UDP buffer size: .*|(Sending|Receiving) 0 byte datagrams.*"),
    Shape("skipped", r"\[( ?0|SUM.*)\] .*", reason="text next to the values"),
    Shape("skipped", r".*(failed|WARNING|WARN|not supported|refused).*", reason="a warning"),
)
UNKNOWN_LINE = "not a line of iperf's comma-separated values: truncated or mixed with other output"
WHOLE = "a sum over the streams"
TOO_SHORT = "an interval shorter than the log's resolution"
MISSING = (-1, 4294967295)

BASE = "time source source_port destination destination_port label t_start_s t_end_s bytes rate"
N_BASE = len(BASE.split())
NEEDED = ["time", "source_port", "destination_port", "label", "t_start_s", "t_end_s"]
LAYOUTS = {  # columns after the base, where no header names them; by their number
    0: "",
    5: "jitter,errors,datagrams,errpercent,outoforder",
    6: "writecnt,writeerr,tcpretry,tcpcwnd,tcprtt,tcprttvar",
    7: "writecnt,writeerr,tcpretry,tcpcwnd,tcppcwnd,tcprtt,tcprttvar",
    8: "jitter,errors,datagrams,errpercent,outoforder,count,err,pps",
    9: "readcnt,bin0,bin1,bin2,bin3,bin4,bin5,bin6,bin7",
}
UDP_LAYOUT = "jitter,errors,datagrams,errpercent,outoforder,count,err,err2,pps"  # 9 too
VALUES = {  # the tool's name: ours
    "jitter": "jitter_ms",
    "errors": "lost_packets",
    "datagrams": "packets",
    "tcpretry": "retransmits",
    "tcpcwnd": "cwnd_kbytes",
    "tcppcwnd": "cwnd_packets",
    "tcprtt": "rtt_us",
}
KEY = ["file_id", "source", "source_port", "destination", "destination_port", "label"]
ENDS = ["destination", "destination_port", "source", "source_port"]


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE).with_row_index("row")
    rows = read_rows(lines)
    unreadable = rows.filter(pl.any_horizontal(pl.col(NEEDED).is_null()))["row"]
    lines = mark(lines, unreadable, "rejected", "an impossible time stamp or number")
    sums = rows.filter(pl.col("label") < 0)["row"]
    lines = mark(lines, sums, "summary", WHOLE)
    replies = rows.filter(pl.col("layout").str.starts_with("bbcnt"))["row"]
    lines = mark(lines, replies, "skipped", "request and reply (--bounceback): no flow")
    rows = rows.filter(~pl.col("row").is_in(pl.concat([unreadable, sums, replies]).implode()))
    rows = tell_streams(rows)
    streams = settle_sides(rows)
    rows = rows.join(streams.select(*STREAM, own_side="side"), on=STREAM)
    lines = mark(lines, rows.filter("whole")["row"], "summary", None)
    parts = rows.filter(~pl.col("whole"))
    short = pl.col("t_end_s") == pl.col("t_start_s")
    lines = mark(lines, parts.filter(short)["row"], "skipped", TOO_SHORT)
    backwards = pl.col("t_end_s") < pl.col("t_start_s")
    problem = "the interval ends before it begins"
    lines = mark(lines, parts.filter(backwards)["row"], "rejected", problem)
    interval = parts.filter(pl.col("t_end_s") > pl.col("t_start_s"))
    summary = rows.filter("whole").with_columns(
        side=pl.when("others").then(pl.lit("receiver")).otherwise("own_side")
    )
    return {"stream": streams, "interval": interval, "summary": summary, **tally(lines, logs)}


def read_rows(lines: pl.DataFrame) -> pl.DataFrame:
    """Read the rows of all logs: base columns, those of VALUES, `layout`; null what is missing."""
    split = r"^((?:[^,]*,){6}[0-9.]+(?:[eE][-+]?[0-9]+)?)-"  # a number may have an exponent
    known = lines.filter(pl.col("kind").is_in(["row", "names"])).select(
        "row", "file_id", "line", "kind", pl.col("text").str.replace(split, "${1},").str.split(",")
    )
    names = pl.when(pl.col("kind") == "names").then("text").list.slice(N_BASE)
    rows = known.with_columns(names=names.forward_fill().over("file_id"))
    rows = rows.filter(pl.col("kind") == "row")
    n_more = pl.col("text").list.len().cast(pl.Int64) - N_BASE
    layout = n_more.replace_strict(LAYOUTS, default="", return_dtype=pl.String)
    decimal = pl.col("text").list.get(N_BASE, null_on_oob=True).str.contains(".", literal=True)
    rows = rows.with_columns(
        layout=pl.when(pl.col("names").list.len() == n_more)
        .then(pl.col("names").list.join(","))
        .when((n_more == 9) & decimal)
        .then(pl.lit(UDP_LAYOUT))
        .otherwise(layout)
    )
    base = [pl.col("text").list.get(i).alias(name) for i, name in enumerate(BASE.split())]
    rows = rows.with_columns(base).with_columns(
        pl.col("time", "t_start_s", "t_end_s").cast(pl.String),
        pl.col("source_port", "destination_port", "label", "bytes").cast(pl.Int64, strict=False),
        throughput_bps=pl.col("rate").cast(pl.Float64, strict=False),
    )
    values = [_value(rows, theirs).alias(ours) for theirs, ours in VALUES.items()]
    known_bytes = pl.col("bytes").is_in(MISSING).not_() & (pl.col("bytes") >= 0)
    duration = pl.col("t_end_s") - pl.col("t_start_s")
    return (
        rows.with_columns(values)
        .with_columns(
            pl.col("t_start_s", "t_end_s").cast(pl.Float64, strict=False),
            cwnd_bytes=pl.col("cwnd_kbytes") * 1024,
            rtt_s=pl.when(pl.col("rtt_us") > 0).then(pl.col("rtt_us") / 1e6),
            jitter_s=pl.col("jitter_ms") / 1e3,
            final_packets=pl.col("packets"),
            time=_epoch(pl.col("time")),
            dated=_epoch(pl.col("time")) >= 365 * 86400,
            zone=pl.when(~pl.col("time").str.contains(r"^[-+]")).then(pl.lit("")),
            to_the_second=~pl.col("time").str.contains(".", literal=True),
        )
        .with_columns(
            pl.when(pl.col(name) >= 0).then(pl.col(name)).alias(name)
            for name in ("packets", "lost_packets", "retransmits", "cwnd_bytes", "cwnd_packets")
        )
        .with_columns(
            bytes=pl.when(known_bytes).then("bytes"),
            throughput_bps=pl.when(pl.col("throughput_bps").is_between(0, 1e15))
            .then("throughput_bps")
            .otherwise(pl.when(known_bytes & (duration > 0)).then(pl.col("bytes") * 8 / duration)),
        )
        .drop("text", "names", "kind")
    )


def _value(rows: pl.DataFrame, name: str) -> pl.Expr:
    """Return the column that has this name in the layout of each row, as a number."""
    found = pl.lit(None, pl.Float64)
    for layout in rows["layout"].unique(maintain_order=True).to_list():
        if name in layout.split(","):
            place = N_BASE + layout.split(",").index(name)
            number = pl.col("text").list.get(place, null_on_oob=True).cast(pl.Float64, strict=False)
            found = pl.when(pl.col("layout") == layout).then(number).otherwise(found)
    missing = found.is_nan() | (found == MISSING[1]) if name != "datagrams" else found.is_nan()
    return pl.when(missing).then(None).otherwise(found)


def _epoch(text: pl.Expr) -> pl.Expr:
    """Return seconds since 1970 of +0200:20261120223528.294; without a zone the log's own."""
    part = text.str.extract
    moment = part(r"(\d{14})").str.to_datetime("%Y%m%d%H%M%S", strict=False)
    minutes = part(r"^[-+](\d\d)\d\d:").cast(pl.Int64) * 60
    minutes = minutes + part(r"^[-+]\d\d(\d\d):").cast(pl.Int64)
    zone = pl.when(text.str.starts_with("-")).then(-60 * minutes).otherwise(60 * minutes)
    fraction = part(r"(\.\d+)$").cast(pl.Float64).fill_null(0.0)
    return moment.dt.epoch("s") - zone.fill_null(0) + fraction


def tell_streams(rows: pl.DataFrame) -> pl.DataFrame:
    """Number the streams of each log, and find the rows that sum up a `whole` connection.

    The same ends and id begin another stream when a whole one is over, or at 0 again before the
    time that was reached (a killed client's address used again). `others` are reports of the other
    end in a client's UDP log.
    """
    before = [
        pl.col(name).shift(1).over(KEY).alias(f"{name}_before") for name in ("row", "t_end_s")
    ]
    alone = (pl.len() == 1).over(KEY)
    rows = rows.sort("row").with_columns(before).with_columns(alone=alone)
    first, whole = [], set()
    from_zero = rows.filter((pl.col("t_start_s") == 0) | pl.col("row_before").is_null())
    for row, end, row_before, end_before in from_zero.select(
        "row", "t_end_s", "row_before", "t_end_s_before"
    ).iter_rows():
        if row_before is None or row_before in whole or end < end_before:
            first.append(row)
        else:
            whole.add(row)
    rows = rows.with_columns(
        whole=pl.col("row").is_in(pl.Series(sorted(whole), dtype=pl.UInt32).implode()),
        begins=pl.col("row").is_in(pl.Series(first, dtype=pl.UInt32).implode()),
    )
    rows = rows.with_columns(test=pl.col("begins").cum_sum().over(KEY))
    alone = (pl.len() == 1).over([*KEY, "test"])
    rows = rows.with_columns(whole=pl.col("whole") | (alone & (pl.col("t_start_s") == 0)))
    rows = _reports_of_other_end(rows)
    numbers = rows.group_by([*KEY, "test"]).agg(pl.min("row")).sort("row")
    numbers = numbers.with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id")
    )
    return rows.join(numbers.drop("row"), on=[*KEY, "test"]).sort("row")


def _reports_of_other_end(rows: pl.DataFrame) -> pl.DataFrame:
    """Give the report of its server in a UDP client's log to the client's stream."""
    other = (pl.col("layout") == LAYOUTS[5]) & pl.col("whole") & (pl.col("t_start_s") == 0)
    plain = rows.filter(pl.col("layout") == "").select(*KEY, "test", "row").sort("row")
    plain = plain.rename(dict(zip(ENDS, [*ENDS[2:], *ENDS[:2]], strict=True)))
    reports = rows.filter(other & ((pl.len() == 1).over([*KEY, "test"])))
    found = reports.select("row", *KEY).join_asof(
        plain.rename({"test": "test_of"}), on="row", by=KEY, check_sortedness=False
    )
    found = found.filter(pl.col("test_of").is_not_null()).select("row", "test_of")
    rows = rows.join(found, on="row", how="left").with_columns(
        others=pl.col("test_of").is_not_null()
    )
    swapped = [
        pl.when("others").then(theirs).otherwise(mine).alias(mine)
        for mine, theirs in zip(ENDS, [*ENDS[2:], *ENDS[:2]], strict=True)
    ]
    return rows.with_columns(*swapped, test=pl.coalesce("test_of", "test")).drop("test_of")


def settle_sides(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the streams: whose report each is, when it began, which ran at the same time."""
    own = rows.filter(~pl.col("others"))
    streams = (
        own.sort("row")
        .group_by(STREAM, maintain_order=True)
        .agg(
            pl.first(*KEY[1:], "line", "row", "layout", "time", "zone", "dated", "to_the_second"),
            sent_only=(pl.col("final_packets").filter("whole") == -1).any(),
            counted=(pl.col("final_packets").filter("whole") >= 0).any(),
            first_start=pl.first("t_start_s"),
            first_end=pl.first("t_end_s"),
            first_whole=pl.first("whole"),
            last_end=pl.max("t_end_s"),
            earliest=(pl.col("time") - pl.col("t_end_s")).filter(~pl.col("whole")).min(),
            partial=_ends_with_partial(),
            complete=pl.col("whole").any(),
        )
        .join(rows.group_by(STREAM).agg(udp=pl.col("others").any()), on=STREAM)
    )
    streams = streams.with_columns(service_first=_service_first()).with_columns(
        sender_first=_sender_first()
    )
    streams = _other_direction(_with_missing_end(streams))
    side = (
        pl.when(~pl.col("sender_first"))
        .then(pl.when("service_first").then(pl.lit("receiver")).otherwise(pl.lit("sender")))
        .when(pl.col("layout").str.contains("writecnt") | pl.col("sent_only"))
        .then(pl.lit("sender"))
        .when(pl.col("layout").str.contains("readcnt") | pl.col("counted"))
        .then(pl.lit("receiver"))
        .when("no_destination")
        .then(pl.lit("receiver"))
        .when("sends_too")
        .then(pl.lit("sender"))
        .when("both_ways")
        .then(pl.when("service_first").then(pl.lit("sender")).otherwise(pl.lit("receiver")))
        .when("sockets")
        .then(
            pl.when(pl.col("by_client") != pl.col("service_first"))
            .then(pl.lit("sender"))
            .otherwise(pl.lit("receiver"))
        )
    )
    streams = streams.with_columns(side=side)
    source = pl.format("{}:{}", "source", "source_port")
    destination = pl.format("{}:{}", "destination", "destination_port")
    destination = pl.when(pl.col("destination_port") > 0).then(destination)
    swap = pl.col("sender_first") & (pl.col("side") == "receiver").fill_null(False)
    ahead = pl.when("first_whole").then(0.0).otherwise(pl.col("first_end") - pl.col("first_start"))
    by_first = pl.col("time") - pl.col("first_end")
    start = (
        pl.when("sender_first").then(by_first - ahead).otherwise(pl.coalesce("earliest", by_first))
    )
    streams = streams.with_columns(
        label=pl.col("label").cast(pl.String),
        protocol=pl.when(pl.col("layout").str.contains("jitter") | pl.col("udp"))
        .then(pl.lit("udp"))
        .when(pl.col("sender_first") | (pl.col("side") == "receiver"))
        .then(pl.lit("tcp")),  # else either: an old client counts datagrams like bytes
        local=pl.when(swap).then(destination).otherwise(source),
        peer=pl.when(swap).then(source).otherwise(destination),
        start_epoch_s=pl.when("dated").then(start.round(6)),
    )
    return _episodes(streams)


def _ends_with_partial() -> pl.Expr:
    """Say whether a stream's last interval is shorter than its first: not before 2.0.14a."""
    length = (pl.col("t_end_s") - pl.col("t_start_s")).filter(~pl.col("whole"))
    return (length.last() < length.first() - 0.05).fill_null(False)


def _service_first() -> pl.Expr:
    first, second = pl.col("source_port"), pl.col("destination_port")
    by_size = (first < second) & (first > 0)
    return pl.when((first == 5001) ^ (second == 5001)).then(first == 5001).otherwise(by_size)


def _sender_first() -> pl.Expr:
    """Say whether a log is of 2.0.14a or later, which write the sender's end first."""
    udp = pl.col("layout") == LAYOUTS[5]
    evidence = (
        ~pl.col("layout").is_in(["", LAYOUTS[5]])
        | (pl.col("label") < 3)
        | (udp & ~pl.col("service_first"))
        | ~pl.col("dated")
        | pl.col("partial")
        | (pl.col("destination_port") == 0)
    )
    return evidence.any().over("file_id")


def _with_missing_end(streams: pl.DataFrame) -> pl.DataFrame:
    """Find the receiving end that a full-duplex client leaves out: its own, by the transfer id."""
    missing = (pl.col("destination_port") == 0) & pl.col("sender_first")
    own = streams.filter(~missing).select(
        "file_id",
        "label",
        "row",
        source="destination",
        source_port="destination_port",
        own="source",
        own_port="source_port",
    )
    keys = ["file_id", "label", "source", "source_port"]
    lost = streams.filter(missing).select("row", *keys)
    found = lost.sort("row").join_asof(
        own.sort("row"), on="row", by=keys, strategy="nearest", check_sortedness=False
    )
    streams = streams.join(found.select("row", "own", "own_port"), on="row", how="left")
    return streams.with_columns(
        no_destination=missing,
        destination=pl.coalesce("own", "destination"),
        destination_port=pl.coalesce("own_port", "destination_port"),
    ).drop("own", "own_port")


def _other_direction(streams: pl.DataFrame) -> pl.DataFrame:
    """Mark what tells the ends of a log of 2.0.14a or later without more columns."""
    key = ["file_id", "label"]
    forth = [pl.col(name) for name in KEY[1:5]]
    back = streams.select(
        *key, **dict(zip(ENDS, forth, strict=True)), back=~pl.col("no_destination")
    )
    back = back.group_by(KEY, maintain_order=True).agg(pl.col("back").any())
    streams = streams.join(back, on=KEY, how="left")
    return streams.with_columns(
        sends_too=~pl.col("back").fill_null(True),
        both_ways=pl.col("back").fill_null(False),
        sockets=(pl.col("label") >= 3).all().over("file_id"),
        by_client=(pl.col("label").min() == 3).over("file_id"),
    )


def _episodes(streams: pl.DataFrame) -> pl.DataFrame:
    """Say which streams ran at the same time, by the log's clock; a second is its resolution."""
    end = pl.col("start_epoch_s") + pl.col("last_end")
    slack = pl.when("to_the_second").then(1.0).otherwise(0.1)
    streams = streams.sort("file_id", "start_epoch_s", "row", nulls_last=True)
    reached = end.cum_max().shift(1).over("file_id")
    new = (pl.col("start_epoch_s") > reached - slack).fill_null(False)
    new = new & (pl.col("row") > pl.col("row").shift(1).over("file_id"))
    streams = streams.with_columns(episode=1 + new.cum_sum().over("file_id").cast(pl.Int32))
    start = pl.col("start_epoch_s") - pl.col("start_epoch_s").min().over("file_id", "episode")
    return streams.with_columns(start_s=start.round(6)).sort("file_id", "stream")
