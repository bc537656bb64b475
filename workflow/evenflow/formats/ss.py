r"""`ss -tin` polled: the state of every TCP connection of a host, a block each time.

    1795443914.060015175
    State Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
    ESTAB 28     269328 10.77.0.1:55830     10.77.0.2:5001
         cubic wscale:10,10 rto:224 rtt:23.426/2.542 ato:40 mss:1448 cwnd:51 ssthresh:44
         bytes_acked:2413077 bytes_received:28 ... lastrcv:1008 ... retrans:0/4 ...

A connection has two lines, with -O one (iproute2 6.1). rtt is Linux's smoothed round-trip time and
its mean deviation in milliseconds; retrans is the segments in flight that were sent again, and all
that were; cwnd and ssthresh are in segments, and there is no ssthresh before the first loss.

The time of a block is in a line before it: `date +%s.%N`, `date +%s%N`, `date`, `date -Iseconds`
and other dates, or 'Time: 1795443914.06' as in Flent's script. Dates without a zone are taken as
UTC; others count as `zones` says. Times of the day go on after midnight. Without such lines the
time between two blocks is what `lastrcv` (ms since a packet with data came) grew by in connections
that received nothing in between; where there is none it is taken as 1 s.

A connection's clock begins with the first block that holds it. Ports come again: where the kernel's
counters of bytes start again, or blocks in between lack the connection for a while, another one has
begun. The receiving end of a connection (more bytes received than acknowledged) says nothing of the
flow's congestion window.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import polars as pl

from .shapes import tally
from .texts import give, text_lines, without_fate
from .zones import in_utc

NAME = "ss"
TOOL = "ss"
PLATFORM = "testbed"
CLOCK = "flow"
STATES = (
    "ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|"
    "CLOSING|UNKNOWN|CLOSED"
)
ENDS = r"(\S+:\S+)\s+(\S+:\S+)"
CONNECTION = rf"^\s*(?:tcp\s+)?(?:(?:{STATES})\s+)?\d+\s+\d+\s+{ENDS}(?:\s|$)"
DETAIL = r"(?:^|\s)(?:cwnd:\d|rto:\d+(?:\.\d+)?\s)"
TITLE = r"^\s*(Netid\s+)?(State\s+)?Recv-Q\s+Send-Q\s+Local Address:Port"
SIGNATURE = (
    rf"^\s*(?:Netid\s+)?(?:State\s+)?Recv-Q\s+Send-Q\s+Local Address:Port"
    rf"|^\s*(?:tcp\s+)?(?:{STATES})\s+\d+\s+\d+\s+\S+:\S+\s+\S+:\S+.*\n?.*\b(?:cwnd|rto):\d"
)
EPOCH = r"^\s*(?:Time:\s*)?(\d{9,10}(?:[.,]\d+)?)\s*$"
WHOLE = r"^\s*(?:Time:\s*)?(\d{10})(\d{3}|\d{6}|\d{9})\s*$"  # milli-, micro- or nanoseconds
ZONE = r"[A-Z]+|[-+]\d\d(?::?\d\d)?"
ISO = (
    r"^\D{0,20}?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s*"
    rf"({ZONE})?\s*$"
)
CLOCK_ONLY = r"^\D{0,20}?(\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s*$"
DATE = (  # of `date`: 'Mon Nov 23 14:25:26 UTC 2026' and 'Mon 23 Nov 2026 02:25:26 PM UTC'
    rf"^\w{{3}} (?P<month>\w{{3}}) +(?P<day>\d+) (?P<clock>[\d:]{{8}}) (?P<zone>{ZONE}) "
    r"(?P<year>\d{4})\s*$",
    r"^\w{3} +(?P<day>\d+) (?P<month>\w{3}) (?P<year>\d{4}) (?P<clock>[\d:]{8}) "
    rf"(?:(?P<half>AM|PM) )?(?P<zone>{ZONE})\s*$",
)
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
VALUES = {  # ours: its pattern, and the factor to our unit
    "cwnd_packets": (r"\bcwnd:(\d+)", 1.0),
    "ssthresh_packets": (r"\bssthresh:(\d+)", 1.0),
    "srtt_s": (r"(?:^|\s)rtt:(\d+(?:\.\d+)?)/", 1e-3),
    "rttvar_s": (r"(?:^|\s)rtt:\d+(?:\.\d+)?/(\d+(?:\.\d+)?)", 1e-3),
    "retransmits": (r"\bretrans:\d+/(\d+)", 1.0),
}
COUNTERS = {
    "acked": r"\bbytes_acked:(\d+)",
    "received": r"\bbytes_received:(\d+)",
    "lastrcv": r"\blastrcv:(\d+)",
    "mss": r"(?:^|\s)mss:(\d+)",
}
# the congestion control stands before the first 'key:value', after flags such as 'ts sack ecn'
CCA = r"^(?:.*\s)?([a-z][a-z0-9_]*)\s+(?:wscale:\S+\s+)?rto:"
FLAGS = ("ts", "sack", "ecn", "ecnseen", "fastopen")
UNKNOWN_LINE = "not a line of `ss -tin`: truncated or mixed with other output"
CUT = "the log ends within this line: its last number may lack digits"
LOST = "no line of its connection comes before it"
NO_TIME = (
    "the blocks have no time stamps: the time between them is taken from the kernel's `lastrcv`, "
    "else as 1 s; record with `date +%s.%N; ss -tin`"
)
RECEIVES = "the receiving end of a connection: its window says nothing of the flow"
IDLE = "a socket whose state is not printed: listening, or `ss` without -i"
EPOCH_S = 1e8  # an earlier time is one of the day
DAY_S = 86400
DATED_S = 1.0  # between blocks of which nothing says it
ABSENT_S = 5.0  # that blocks lack a connection for: the next one with its ends is another
ENDS_OF_PART = ["file_id", "local", "peer", "part"]  # what tells a connection from others


def parse(logs):
    """Read the tables `stream`, `state`, `fate` and `rejected`; a stream is a connection."""
    lines = _kinds(text_lines(logs)).with_columns(cut=_cut(logs))
    lines = _blocks(lines)
    polls = _polls(lines)
    times, undated = _times(lines, polls)
    polls = polls.join(times, on=["file_id", "block"], how="left", maintain_order="left")
    polls = _parted(polls, lines)
    last = polls.group_by(ENDS_OF_PART, maintain_order=True).agg(
        receives=(pl.col("received").max() > pl.col("acked").max()).fill_null(False)
    )
    polls = polls.join(last, on=ENDS_OF_PART, how="left", maintain_order="left")
    useful = polls.filter(~pl.col("receives"), pl.any_horizontal(pl.col(*VALUES).is_not_null()))
    useful = useful.join(lines.filter(pl.col("cut")), on=["file_id", "line"], how="anti")
    useful, stream = _streams(useful)
    state = (
        useful.unpivot(
            list(VALUES), index=["file_id", "line", "stream", "t_s"], variable_name="variable"
        )
        .drop_nulls("value")
        .sort("file_id", "line", "variable")
    )
    lines = _fates(lines, polls, useful, undated)
    return {"stream": stream, "state": state, **tally(lines, logs)}


def _cut(logs) -> pl.Expr:
    """Return whether a line is the last one of a log that ends without a line end."""
    cut = [log.file_id for log in logs if not log.content.endswith(b"\n")]
    last = pl.col("line") == pl.col("line").max().over("file_id")
    return last & pl.col("file_id").is_in(cut) & (pl.col("kind").is_in(["connection", "detail"]))


def _kinds(lines: pl.DataFrame) -> pl.DataFrame:
    """Say what each line is: a time, a title, a connection, its detail, a rule between blocks."""
    text = pl.col("text")
    kind = (
        pl.when(text.str.contains(TITLE))
        .then(pl.lit("title"))
        .when(text.str.contains(CONNECTION))
        .then(pl.lit("connection"))
        .when(text.str.contains(DETAIL))
        .then(pl.lit("detail"))
        .when(text.str.contains(r"^\s*(-{2,}|={2,}|#.*)?\s*$"))
        .then(pl.lit("rule"))
        .otherwise(pl.lit(None, pl.String))
    )
    lines = lines.with_columns(kind=kind)
    unknown = lines.filter(pl.col("kind").is_null())["text"].unique(maintain_order=True)
    times = {line: moment for line in unknown if (moment := _moment(line)) is not None}
    said = {
        "time_s": pl.Series([time_s for time_s, _ in times.values()], dtype=pl.Float64),
        "zone": pl.Series([zone for _, zone in times.values()], dtype=pl.String),
    }
    known = pl.DataFrame({"text": pl.Series(list(times), dtype=pl.String), **said})
    lines = _over_midnight(lines.join(known, on="text", how="left", maintain_order="left"))
    is_time = pl.col("kind").is_null() & pl.col("time_s").is_not_null()
    return lines.with_columns(kind=pl.when(is_time).then(pl.lit("time")).otherwise("kind"))


def _moment(line: str) -> tuple[float, str | None] | None:
    """Return the time that a line says, seconds since 1970 (or since midnight), and its zone
    (`zones`); None for other lines."""
    if match := re.match(EPOCH, line):
        return float(match[1].replace(",", ".")), None
    if match := re.match(WHOLE, line):
        return int(match[1]) + float(f"0.{match[2]}"), None
    try:
        if match := re.match(ISO, line):
            moment = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC)
            return in_utc(moment.timestamp() + float(f"0.{match[3] or 0}"), match[4] or "UTC")
        for pattern in DATE:
            if match := re.match(pattern, line):
                found = match.groupdict()
                hour, minute, second = map(int, found["clock"].split(":"))
                if found.get("half"):
                    hour = hour % 12 + 12 * (found["half"] == "PM")
                month = MONTHS.index(found["month"]) + 1
                clock = (int(found["year"]), month, int(found["day"]), hour, minute, second)
                return in_utc(datetime(*clock, tzinfo=UTC).timestamp(), found["zone"])
        if match := re.match(CLOCK_ONLY, line):
            hour, minute, second = map(int, match[1].split(":"))
            return hour * 3600 + minute * 60 + second + float(f"0.{match[2] or 0}"), None
    except ValueError:
        return None
    return None


def _over_midnight(lines: pl.DataFrame) -> pl.DataFrame:
    """Let times of the day go on after midnight: one more than half a day before the last one is of
    the next day."""
    of_day = pl.when(pl.col("time_s") < EPOCH_S).then("time_s")
    before = of_day.forward_fill().shift(1).over("file_id")
    midnight = (of_day - before < -DAY_S / 2).fill_null(False)
    days = midnight.cum_sum().over("file_id")
    return lines.with_columns(
        time_s=pl.when(of_day.is_null()).then("time_s").otherwise(of_day + DAY_S * days)
    )


def _blocks(lines: pl.DataFrame) -> pl.DataFrame:
    """Number the blocks of each file from 1, by times and titles; where there are none by repeats.

    A connection that a block already holds begins the next one too.
    """
    marks = lines.filter(pl.col("kind").is_in(["time", "title", "connection"])).with_columns(
        before=pl.col("kind").shift(1).over("file_id")
    )
    opens = (pl.col("kind") == "time") | (
        (pl.col("kind") == "title") & (pl.col("before").fill_null("") != "time")
    )
    marks = marks.select("file_id", "line", opens=opens)
    lines = lines.join(marks, on=["file_id", "line"], how="left", maintain_order="left")
    lines = lines.with_columns(
        block=pl.col("opens").fill_null(False).cum_sum().over("file_id").cast(pl.Int64)
    )
    ends = pl.col("text").str.extract_groups(CONNECTION)
    names = ends.struct.rename_fields(["local", "peer"])
    lines = lines.with_columns(ends=pl.when(pl.col("kind") == "connection").then(names)).unnest(
        "ends"
    )
    key = ["file_id", "block", "local", "peer"]
    before = pl.when(pl.col("local").is_not_null()).then(pl.col("line").cum_count().over(key) - 1)
    again = before.fill_null(0).cum_max().over("file_id", "block")
    place = pl.struct("block", again.alias("again"))
    return lines.with_columns(block=place.rank("dense").over("file_id").cast(pl.Int64))


def _polls(lines: pl.DataFrame) -> pl.DataFrame:
    """Return a row a connection and block: its ends, its lines, and what they say."""
    shown = lines.filter(pl.col("kind").is_in(["connection", "detail"]))
    shown = shown.with_columns(
        poll=(pl.col("kind") == "connection").cum_sum().over("file_id"),
        nth=pl.int_range(pl.len()).over("file_id", (pl.col("kind") == "connection").cum_sum()),
    )
    shown = shown.filter(pl.col("poll") > 0, pl.col("nth") < 2)
    polls = shown.group_by("file_id", "poll", maintain_order=True).agg(
        pl.first("block", "local", "peer"),
        pl.last("line"),
        first=pl.first("line"),
        text=pl.col("text").str.join(" "),
    )
    patterns = {**{name: pattern for name, (pattern, _) in VALUES.items()}, **COUNTERS}
    found = [
        pl.col("text").str.extract(pattern).cast(pl.Float64, strict=False).alias(name)
        for name, pattern in patterns.items()
    ]
    factors = [pl.col(name) * factor for name, (_, factor) in VALUES.items()]
    return polls.with_columns(*found, cca=_cca()).with_columns(
        *factors, local=_address(pl.col("local")), peer=_address(pl.col("peer"))
    )


def _cca() -> pl.Expr:
    word = pl.col("text").str.extract(CCA)
    return pl.when(~word.is_in(FLAGS)).then(word)


def _address(end: pl.Expr) -> pl.Expr:
    """Return an address as iperf prints it: no brackets, no interface, no ::ffff: of IPv4."""
    plain = end.str.replace(r"%[^:\]]+", "").str.replace_all(r"[\[\]]", "")
    return plain.str.replace(r"^::ffff:(\d+\.)", "$1")


def _times(lines: pl.DataFrame, polls: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Return the blocks with time and zone (file_id, block, time_s, zone), and files without."""
    times = (
        lines.filter(pl.col("block") > 0)
        .group_by("file_id", "block", maintain_order=True)
        .agg(pl.col("time_s", "zone").filter(pl.col("time_s").is_not_null()).first())
    )
    used = times.join(polls, on=["file_id", "block"], how="semi")
    dated = used.group_by("file_id", maintain_order=True).agg(
        dated=pl.col("time_s").is_not_null().all()
    )
    undated = dated.filter(~pl.col("dated"))["file_id"]
    apart = _elapsed(polls.filter(pl.col("file_id").is_in(undated.implode())))
    times = times.join(apart, on=["file_id", "block"], how="left").sort("file_id", "block")
    counted = pl.col("apart_s").fill_null(DATED_S).cum_sum().over("file_id")
    is_undated = pl.col("file_id").is_in(undated.implode())
    times = times.with_columns(
        time_s=pl.when(is_undated).then(counted).otherwise("time_s"), epoch=~is_undated
    )
    return times.drop("apart_s"), undated


def _elapsed(polls: pl.DataFrame) -> pl.DataFrame:
    """Return the time since the block before, where connections that received nothing tell it.

    The kernel does not print a count of 0 bytes.
    """
    ends = ["file_id", "local", "peer"]
    polls = polls.with_columns(pl.col("received").fill_null(0))
    before = {name: pl.col(name).shift(1).over(ends) for name in ("block", "received", "lastrcv")}
    same = (before["block"] == pl.col("block") - 1) & (before["received"] == pl.col("received"))
    grew = (pl.col("lastrcv") - before["lastrcv"]) / 1e3
    polls = polls.sort("file_id", "block", maintain_order=True)
    return (
        polls.with_columns(apart_s=pl.when(same & (grew > 0)).then(grew))
        .drop_nulls("apart_s")
        .group_by("file_id", "block", maintain_order=True)
        .agg(pl.median("apart_s"))
    )


def _parted(polls: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Number the connections that had the same ends one after another (`part`)."""
    ends = ["file_id", "local", "peer"]
    filled = lines.filter(pl.col("kind").is_in(["title", "connection"])).select("file_id", "block")
    filled = filled.unique(maintain_order=True).sort("file_id", "block")
    filled = filled.with_columns(nth_block=pl.int_range(pl.len()).over("file_id"))
    polls = polls.join(filled, on=["file_id", "block"], how="left", maintain_order="left")
    began_anew = [
        pl.col(name) < pl.col(name).forward_fill().shift(1).over(ends)
        for name in ("acked", "received")
    ]
    absent = (pl.col("nth_block").diff() > 1) & (pl.col("time_s").diff() > ABSENT_S)
    another = pl.any_horizontal(*began_anew, absent.over(ends)).fill_null(False)
    return polls.with_columns(another=another).with_columns(
        part=pl.col("another").cast(pl.Int32).cum_sum().over(ends)
    )


def _streams(polls: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return polls with their stream and time, and the streams."""
    ends = ENDS_OF_PART
    stream = (
        polls.group_by(ends, maintain_order=True)
        .agg(
            pl.first("line"),
            pl.col("cca").drop_nulls().first(),
            mss_bytes=pl.col("mss").drop_nulls().last().cast(pl.Int64),
            first_s=pl.min("time_s"),
            epoch=pl.col("epoch").first() & (pl.min("time_s") > EPOCH_S),
            zone=pl.col("zone").first(),
        )
        .with_columns(
            stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
            label=pl.format("{}>{}", "local", "peer"),
            episode=pl.lit(1),
            side=pl.lit("sender"),
            protocol=pl.lit("tcp"),
            start_epoch_s=pl.when("epoch").then("first_s"),
            zone=pl.when("epoch").then("zone"),
        )
    )
    polls = polls.join(
        stream.select(*ends, "stream", "first_s"), on=ends, how="left", maintain_order="left"
    )
    return polls.with_columns(t_s=pl.col("time_s") - pl.col("first_s")), stream


def _fates(
    lines: pl.DataFrame, polls: pl.DataFrame, useful: pl.DataFrame, undated: pl.Series
) -> pl.DataFrame:
    """Say of every line what became of it."""
    spans = [
        polls.select("file_id", pl.col(name).alias("line"), "receives")
        for name in ("first", "line")
    ]
    of_polls = pl.concat(spans).unique(["file_id", "line"], maintain_order=True)
    spans = [useful.select("file_id", pl.col(name).alias("line")) for name in ("first", "line")]
    samples = pl.concat(spans).unique(maintain_order=True).with_columns(used=pl.lit(True))
    key = ["file_id", "line"]
    lines = lines.join(of_polls, on=key, how="left", maintain_order="left")
    lines = without_fate(lines.join(samples, on=key, how="left", maintain_order="left"))
    kind = pl.col("kind")
    lines = give(lines, pl.col("cut"), "rejected", CUT)
    lines = give(lines, pl.col("used"), "sample")
    lines = give(lines, pl.col("receives"), "skipped", RECEIVES)
    lines = give(lines, pl.col("receives").is_not_null(), "skipped", IDLE)
    lines = give(lines, kind == "detail", "rejected", LOST)
    no_time = (kind == "title") & pl.col("file_id").is_in(undated.implode())
    lines = give(lines, no_time, "header", NO_TIME)
    lines = give(lines, kind.is_in(["title", "time", "rule"]), "header")
    return give(lines, pl.lit(True), "rejected", UNKNOWN_LINE)
