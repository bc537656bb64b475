"""iperf 2 text reports, client and server, plain and enhanced (-e), TCP and UDP, 2.0.5 to 2.2.1.

Shape (iperf 2.1.8, `iperf -s -i 1 -e -f b`), times from the start of the flow's own connection:

    [  1] local 10.0.3.1%e0 port 5001 connected with 10.0.1.1 port 40001 (sock=4) (peer 2.1.8)
    [ ID] Interval            Transfer    Bandwidth       Reads=Dist
    [  1] 0.0000-1.0000 sec  11272252 Bytes  90178016 bits/sec  88=2:0:0:0:0:0:0:86
    [  1] 0.0000-3.0064 sec  33947708 Bytes  90335619 bits/sec  261=2:0:0:0:0:0:0:259

**Summaries.** No mark tells them from samples. A report that starts at 0 although the stream has
earlier ones, or is the stream's only one, sums up the whole connection; so does the receiver's
report that a UDP client gets back ('Server Report:'). '[SUM]' and '[FD1]' sum over streams.

**Units** count in 10^3 for bits and in 2^10 for bytes (iperf's stdio.c).

**Precision.** iperf prints three digits, so bytes and rate are each good to 0.5 % (-f b, -f k:
better). A unit chosen with -f that is too large for the flow leaves fewer: '-f g' prints 3.1 MB in
a second as '0.00 GBytes  0.03 Gbits/sec' (2.0.x) or '0.003 GBytes  0.025 Gbits/sec'. Where the
amount is below 1 of its unit and the rate is the larger number, hence the more precise one, the
bytes are computed from the rate. Otherwise both are what the line says; the two differ by rounding
only. Where -f rounds every report of a stream to '0.00 GBytes', and its summary says that there was
data, nothing was measured: such lines are skipped.

**Streams.** Every line that says 'connected' begins a stream, whose number later lines carry.
Numbers are used again (2.0.x). '[ *2]' is the other direction: of a full-duplex connection a stream
of its own, of --reverse (client, 2.1 and later) the only one. **Side:** the end that listens
receives, the end that connects sends; '(reverse)' swaps this, except for the connection that a
server makes itself for -r and -d. With --bounceback the bytes are those of both directions.

**Clock.** Servers up to 2.0.13 count a flow that joins a running one of the same client from the
start of the first: on joining they print the time before at once, as (nearly) empty intervals.
These are skipped, and the stream's times moved to its own start.

**Congestion control** is known only where iperf names it: of the sender, and not where setting it
failed. **mss_bytes** is TCP_MAXSEG or TCP_INFO's, as printed. **tool_version**: no report says its
own, only its peer's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..congestion_controls import LINUX_NAMES
from .iperf2_plain import (
    LARGEST_BYTES,
    LARGEST_RATE,
    LONGEST,
    Plain,
    read_connected,
    take_plain,
)
from .ledger import Ledger, Line, read_reports
from .lexing import NUMBER
from .options import IPERF2, as_text, read_options
from .reports import RUN, Meaning, Rows, Scan, scanned
from .shapes import Shape
from .streams import FACTOR, STREAM, assign_streams, begins, find_episodes, is_listed, load_factors
from .zones import in_utc

NAME = "iperf2"
TOOL = "iperf"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^(Server listening on|Client connecting to) .*\b(?:TCP|UDP) ports? \d+"
    # not two decimals, as iperf3 prints
    r"|^\[ *\*?\d+\] +\d+\.(\d|\d{3,})- *\d+\.(\d|\d{3,}) sec +[\d.]+ [KMGTP]?Bytes"
    r" +[\d.]+ [KMGTP]?(bits|Bytes)/sec"
    r"|^\[ *\*?\d+\] local \S+ port \d+ connected with "
    r"|^(tcp )?connect failed: |^Attempt to set '.*' congestion control failed: "
)

ID = r"\[ ?\*?0\]"
SPAN = ID + r" 0- ?0 sec "
SUM_SPAN = r"\[(SUM|SUM-0|FD0)\] ?0- ?0 sec "
LOAD = r"0 (?P<amount>[KMGTP]?)Bytes 0 (?P<rate>[KMGTP]?)(?P<of>bits|Bytes)/sec"
REPORT = "label t_start_s t_end_s amount rate "
TAIL = r"( [^\[]*)?"  # not the beginning of another line
BOUNCED = r" 0=0/0/0/0 ms 0"  # replies = delay avg/min/max/stdev, then retransmissions


def _report(columns: str, tail: str) -> Shape:
    return Shape("sample", SPAN + LOAD + tail + TAIL, REPORT + columns, kind="report")


SHAPES = (
    # an enhanced sender (the header's column names): Write/Err Rtry Cwnd/RTT(var)
    _report("_ _ retransmits cwnd_kbytes rtt_us", r" 0/0 0 0K/0(\(0\))? us"),
    # Write/Err Rtry InF(pkts)/Cwnd(pkts)/RTT(var)
    _report(
        "_ _ retransmits _ _ cwnd_kbytes cwnd_packets rtt_us",
        r" 0/0 0 0K\(0\)/0K\(0\)/0\(0\) us",
    ),
    # Write/Err Rtry Cwnd(pkts)/RTT(var)
    _report("_ _ retransmits cwnd_kbytes cwnd_packets rtt_us", r" 0/0 0 0K\(0\)/0(\(0\))? us"),
    # 2.0.13, last line: a window of -1K means unknown
    _report("_ _ retransmits _ rtt_us", r" 0/0 0 -0K/0 us"),
    # where the system has no window; 2.0.14a's last line, 'NA/0 us', has no retransmissions either
    _report("_ _ retransmits rtt_us", r" 0/0 0 NA/0\(0\) ?us"),
    # --bounceback: BB cnt=avg/min/max/stdev Rtry Cwnd/RTT
    _report("_ _ _ _ _ retransmits cwnd_kbytes rtt_us", BOUNCED + r" 0K/0 us"),
    _report(
        "_ _ _ _ _ retransmits cwnd_kbytes cwnd_packets rtt_us", BOUNCED + r" 0K/?\(0\)/0\(0\) us"
    ),
    _report("_ _ _ _ _ retransmits", BOUNCED),
    # UDP at its receiver: jitter, lost/total datagrams; a negative number of lost ones is no number
    _report("jitter_ms lost_packets packets", r" 0 ms 0/ ?0 \((0|-?nan)%\)"),
    _report("jitter_ms _ packets", r" 0 ms -0/ ?0 \(-?0%\)"),
    _report("", ""),
    Shape("summary", SUM_SPAN + r"0 [KMGTP]?Bytes 0 [^\[]*", reason="sum over the streams"),
    Shape(
        "skipped",
        rf"({ID}|\[SUM(-0)?\]) ?0- ?0 sec 0 datagrams received out-of-order",
        reason="a count of datagrams that arrived out of order",
    ),
    Shape("skipped", rf"{ID} ?0- ?0 sec [A-Z]+0(\(f\))?-PDF: [^\[]*", reason="a histogram"),
    Shape("skipped", rf"{ID} ?0- ?0 sec OWD \(ms\) [^\[]*", reason="one-way delays"),
    Shape("skipped", rf"{ID} ?0- ?0 trip-time [^\[]*", reason="a duration"),
    Shape(
        "skipped",
        SPAN + r"0 [KMGTP]?Bytes -?(nan|inf) [KMGTP]?(bits|Bytes)/sec.*",
        reason="iperf measured no time: not a rate",
    ),
    Shape(
        "rejected",
        SPAN + r"(0 \(null\)s|-0 [KMGTP]?Bytes) -?0 [KMGTP]?(bits|Bytes)/sec.*",
        reason="a byte counter of iperf below zero: the connection had broken",
    ),
    Shape(
        "rejected",
        r"\[[^]]*\] ?0(,0)?- ?0,0 sec .*|.*sec 0,0 [KMGT]?Bytes.*",
        reason="decimal commas: run iperf with LC_ALL=C, or replace them by points",
    ),
    Shape("header", rf"{ID} local \S+ port 0 connected .*", kind="connected", text=True),
    Shape(
        "header",
        r"(Server listening on|Client connecting to|Working load listening on) .*",
        kind="service",
        text=True,
    ),
    Shape("header", rf"({ID} )?TCP congestion control .*", kind="cca", text=True),
    Shape("header", rf"{ID} MSS size 0 bytes.*", kind="mss", text=True),
    Shape("header", rf"{ID} Server Report:", kind="server-report", columns="label"),
    Shape("header", r"-+|\[(ID|SUM-cnt| ID)\] (Interval|Burst) .*|"),
    Shape(
        "header",
        r"((TCP window|(UDP|Write) buffer) size|(UDP i|I)sochronous|Bursting): .*"
        r"|(Sending|Receiving) 0 byte datagrams.*|TOS set to .*|fair-queue socket pacing set to .*",
        kind="option",
        text=True,
    ),
    Shape("header", rf"Read buffer size: .*|({ID}|\[SUM(-0)?\]) Sent 0 datagrams"),
    Shape("header", r"Binding to local .*|TOS defaults to .*|Setting multicast TTL .*"),
    Shape("header", rf"({ID} )?MSS (req )?size .*|{ID} MSS and MTU size unknown .*"),
    Shape("header", r"Bursting.*|Bounce-?back test .*|Burst wait timeout .*"),
    Shape("header", r"Enabled receive histograms .*|Event based writes .*|TCP_NOTSENT_LOWAT .*"),
    Shape("header", r"Joining multicast .*|Using virtual iface .*"),
    Shape(
        "header", r"Server set to single client traffic mode .*|Running Iperf Server as a daemon"
    ),
    Shape("header", r"The Iperf daemon process ID : 0|iperf (version|\(branch) .*"),
    Shape("header", rf"{ID} (Client traffic|Server receiving) to start in .*"),
    Shape("skipped", rf"({ID} )?(WARNING|WARN|Warn)\b.*", reason="a warning"),
    Shape(
        "skipped", r"will give poor performance\. See the Iperf documentation\.", reason="a warning"
    ),
    Shape(
        "skipped", r"Waiting for server threads to complete\. .*", reason="iperf was interrupted"
    ),
    Shape("skipped", rf"{ID} Isoch schedule errors .*", reason="delays of frames"),
    Shape("skipped", r"\[ CT\] final connect times .*", reason="times to connect"),
    Shape(
        "skipped",
        r"Attempt to set '[^']*' congestion control failed: .*",
        reason="congestion control not set: the flow, if any, ran the system's default",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?connect(ion)? (failed\b|to .* failed\b).*|\[drop\] local .*",
        reason="iperf could not connect",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?(write|send)[a-z]* failed\b.*",
        reason="error while sending",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?(read|recv)[a-z]* failed\b.*",
        reason="error while receiving",
    ),
    Shape("skipped", rf"({ID} )?[A-Za-z_'/ -]+ failed\b(: .*)?", reason="an error of iperf"),
    Shape(
        "skipped",
        r"(error|iperf): .*|Usage: iperf .*|Try `iperf .*|The --reverse option .* not supported",
        reason="an error of iperf",
    ),
)
COMPLAINT = rb"((?:tcp )?connect failed: .*)"  # why a test measured nothing
UNKNOWN_LINE = "not a line that iperf 2 writes: truncated or mixed with other output"
JOINED = "before the connection began: iperf up to 2.0.13 counts from the start of an earlier one"

SERVICE = re.compile(r"\b(?P<kind>TCP|UDP) ports? (?P<port>\d{1,5})\b(?:-(?P<last>\d{1,5})\b)?")
MSS = re.compile(r"\(MSS=(\d{1,9})\)|\bicwnd/mss/irtt=\d+/(\d{1,9})/")
MSS_OF = re.compile(r"\[ *\*?(\d{1,9})\] MSS size (\d{1,9}) bytes")
CCA = re.compile(rf"\(({'|'.join(LINUX_NAMES)})\)")
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
    "mss_bytes": pl.Int64,
    "start_epoch_s": pl.Float64,
    "zone": pl.String,
    "options": pl.String,
}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    return tables([scan_batch(logs)]) if logs else {}


def scan_batch(logs) -> Batch:
    """Read the reports of logs; their bytes and rates in SI units."""
    with scanned(logs, MEANING) as found:
        for rows in found.rows:
            _in_units(rows)
        return Batch(found, take_plain(found, MEANING))


class Batch(NamedTuple):
    """What some logs hold, and the tables of those that are plain."""

    scan: Scan
    plain: list[Plain]


def _in_units(rows: Rows) -> None:
    """Give reports bytes and rates in SI units, in the place of what is printed."""
    if not len(rows.line):
        return
    values, units_met = rows.values, rows.runs[RUN.index("unit")].astype(int)
    rows.runs[RUN.index("key")] += MEANING.constant("star")[units_met] / 2
    amount, rate = values.pop("amount"), values.pop("rate")
    # where a rate is the more precise of the two, the bytes are by it
    by_rate = np.flatnonzero((amount < 1) & (rate > amount))
    for column, name in ((amount, "byte_factor"), (rate, "bit_factor")):
        factors = MEANING.constant(name)
        met = np.unique(factors[units_met])
        column *= met[0] if len(met) == 1 else factors[rows.each("unit", int)]
    span = values["t_end_s"][by_rate] - values["t_start_s"][by_rate]
    amount[by_rate] = rate[by_rate] * span / 8
    values["bytes"], values["throughput_bps"] = np.rint(amount, out=amount), rate


def tables(batches: Sequence[Batch]) -> dict[str, pl.DataFrame]:
    """Return the tables of `parse`, of logs that were scanned together or apart."""
    reports, lines, ledger = read_reports([batch.scan for batch in batches], MEANING)
    # columns of no size where no report has it
    absent = [name for name in (*NUMBERS, *SCANNED) if name not in reports.columns]
    reports = reports.with_columns(pl.lit(None, pl.Float64).alias(name) for name in absent)
    reports = reports.with_columns(
        from_peer=from_peer(lines, reports), star=MEANING.column(reports, "star")
    )
    reports = refuse_absurd(reports, ledger)
    connections, failed = read_connections(lines, reports)
    ledger.mark(failed, "skipped", "iperf could not connect")
    streams, reports = find_streams(reports, connections)
    streams = find_episodes(streams, reports).with_columns(pl.col("start_s").round(6))
    reports = move_to_own_start(streams, reports, ledger)
    summary, interval = split_summaries(reports, ledger)
    first_log, plain = 0, []
    for batch in batches:
        for part in batch.plain:
            ledger.move(first_log + part.logs, part.n_bytes, "summary", None)
            plain.append(part)
        first_log += len(batch.scan.logs)
    summary = _with_plain(summary, [part.summary for part in plain])
    interval = _with_plain(interval, [part.interval for part in plain])
    complete = summary.select(*STREAM, complete=True).unique(maintain_order=True)
    streams = streams.join(complete, on=STREAM, how="left")
    summary = summary.join(streams.select(*STREAM, own_side="side"), on=STREAM).with_columns(
        side=pl.when("from_peer").then(pl.lit("receiver")).otherwise("own_side")
    )
    interval = interval.with_columns(
        pl.lit(None, pl.Float64).alias(name)
        for name in ("cwnd_kbytes", "rtt_us")
        if name not in interval.columns
    )
    unknown = (pl.col("cwnd_kbytes") == 0) & (pl.col("rtt_us") == 0)  # no TCP_INFO
    star = pl.when(pl.col("label") % 1 > 0).then(pl.lit("*")).otherwise(pl.lit(""))
    measured: dict[str, dict[str, pl.Expr]] = {
        "cwnd_kbytes": {"cwnd_bytes": pl.when(~unknown).then(pl.col("cwnd_kbytes") * 1024)},
        "cwnd_packets": {"cwnd_packets": pl.when(~unknown).then("cwnd_packets")},
        "rtt_us": {"rtt_s": pl.when(~unknown).then(pl.col("rtt_us") / 1e6)},
        "jitter_ms": {"jitter_s": pl.col("jitter_ms") / 1e3},
    }
    there = [columns for name, columns in measured.items() if name in interval.columns]
    return {
        "stream": streams.with_columns(
            pl.col("complete").fill_null(False),
            label=star + pl.col("label").floor().cast(pl.Int64).cast(pl.String),
        ),
        "interval": interval.with_columns(
            **{name: value for columns in there for name, value in columns.items()}
        ),
        "summary": summary,
        **ledger.tables(),
    }


def _with_plain(reports: pl.DataFrame, plain: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put the reports of plain logs behind others, whose bytes are whole numbers, too."""
    others = reports.with_columns(pl.col("bytes").cast(pl.Int64))
    marks = {"stream": pl.lit(1, pl.Int32), "from_peer": pl.lit(False)}
    return pl.concat(
        [
            *([others] if len(others) or not plain else []),
            *(p.with_columns(**marks) for p in plain),
        ],
        how="diagonal",
    )


def from_peer(lines: Sequence[Line], reports: pl.DataFrame) -> pl.Series | pl.Expr:
    """Say which reports are those that follow 'Server Report:', at most a header between."""
    rows = [
        (line.row, line.file_id, float(label[0]))
        for line in lines
        if line.kind == "server-report" and (label := NUMBER.search(line.text.encode()))
    ]
    if not rows:
        return pl.lit(False)
    marks = pl.DataFrame(rows, {name: reports.schema[name] for name in KEY}, orient="row")
    after = marks.join_asof(
        reports.select("row", "file_id", "label", found="row"),
        on="row",
        by=["file_id", "label"],
        strategy="forward",
        check_sortedness=False,
    )
    found = after.filter(pl.col("found") <= pl.col("row") + 2)["found"]
    return is_listed(reports, found)


def refuse_absurd(reports: pl.DataFrame, ledger: Ledger) -> pl.DataFrame:
    """Take away reports whose numbers cannot be: reject the lines, skip a peer's report."""
    numbers = ("label", "t_start_s", "t_end_s", "bytes", "throughput_bps")
    wrong = (
        pl.any_horizontal(pl.col(name).is_null() for name in numbers)
        | (pl.col("throughput_bps") > LARGEST_RATE)
        | (pl.col("bytes") >= LARGEST_BYTES)
        | (pl.col("t_end_s") > LONGEST)
        | (pl.col("label") > 1e9)
        | (pl.col("label") % 1 != pl.col("star") / 2)
    )
    backwards = pl.col("t_end_s") < pl.col("t_start_s")
    odd = reports.filter(wrong | backwards)
    if odd.is_empty():
        return reports
    theirs = odd.filter("from_peer")["row"]
    absurd = odd.filter(wrong & ~pl.col("from_peer"))["row"]
    rest = odd.filter(~wrong & ~pl.col("from_peer"))["row"]
    ledger.mark(theirs, "skipped", "a server report with impossible numbers")
    ledger.mark(absurd, "rejected", "no flow has such a rate: a counter of iperf went wrong")
    ledger.mark(rest, "rejected", "the interval ends before it begins")
    return reports.filter(~(wrong | backwards))


def find_streams(
    reports: pl.DataFrame, connections: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give every report its stream; see `streams.assign_streams`.

    Of reports without an announcement before them it may come after the last (2.1.5, where the
    connection was reset), or not at all (option -x C), and then each report from 0 that is followed
    by one from later on begins a stream.
    """
    streams, placed = assign_streams(reports, connections)
    implied = streams.filter(pl.col("local").is_null())
    if implied.is_empty():
        return streams, placed
    key = ["file_id", "label"]
    homeless = placed.join(implied.select(STREAM), on=STREAM, how="semi").sort("row")
    again = (pl.col("t_start_s") == 0) & (pl.col("t_start_s").shift(-1).over(key) > 0)
    starts = homeless.filter(again | (pl.int_range(pl.len()).over(key) == 0))
    settled = placed.join(homeless, on="row", how="anti").select(key).unique(maintain_order=True)
    alone = (
        starts.group_by(key, maintain_order=True)
        .agg(begun=pl.min("row"), n=pl.len())
        .filter(pl.col("n") == 1)
    )
    late = alone.join(settled, on=key, how="anti").join(connections, on=key, how="semi")
    moved = connections.join(late.select(*key, "begun"), on=key, how="left").with_columns(
        row=pl.coalesce("begun", "row")
    )
    unsaid = starts.join(late, on=key, how="anti").select("row", "file_id", "line", "label")
    return assign_streams(reports, pl.concat([moved.drop("begun"), unsaid], how="diagonal"))


def split_summaries(reports: pl.DataFrame, ledger: Ledger) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tell summaries from samples; return both."""
    own = reports if not reports["from_peer"].any() else reports.filter(~pl.col("from_peer"))
    extent = _extents(own)
    from_start = own.filter(pl.col("t_start_s") == 0).join(extent, on=STREAM)
    whole = from_start.filter((pl.col("row") > pl.col("first")) | (pl.col("n") == 1))["row"]
    whole = pl.concat([whole, reports.filter("from_peer")["row"]])
    sums_up = is_listed(reports, whole)
    summary, interval = reports.filter(sums_up), reports.filter(~sums_up)
    instants = interval.filter(pl.col("t_end_s") <= pl.col("t_start_s"))["row"]
    zeros = rounded_to_nothing(interval, summary)
    ledger.mark(whole, "summary", None)
    ledger.mark(instants, "rejected", "the interval has zero length")
    ledger.mark(zeros, "skipped", "-f rounded the flow to nothing: use a smaller unit")
    others = pl.concat([instants, zeros])
    if len(others):
        interval = interval.filter(~is_listed(interval, others))
    return summary, interval


def _extents(reports: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each stream, and how many reports it has."""
    begin = begins(reports, STREAM)
    together = reports[begin].select(
        *STREAM, first="row", n=pl.Series(np.diff(begin, append=len(reports)), dtype=pl.UInt32)
    )
    if not together.select(STREAM).is_duplicated().any():
        return together
    return reports.group_by(STREAM, maintain_order=True).agg(first=pl.min("row"), n=pl.len())


def rounded_to_nothing(interval: pl.DataFrame, summary: pl.DataFrame) -> pl.Series:
    """Return the rows of streams that are '0.00 GBytes' throughout, but not in their summary."""
    giga = MEANING.column(interval, "byte_factor") >= FACTOR["G"]
    suspects = (
        interval.filter(giga & (pl.col("bytes") == 0)).select(STREAM).unique(maintain_order=True)
    )
    if suspects.is_empty():
        return interval["row"].clear()
    totals = (
        interval.join(suspects, on=STREAM, how="semi")
        .group_by(STREAM, maintain_order=True)
        .agg(pl.sum("bytes"))
    )
    said = summary.filter(pl.col("bytes") > 0).select(STREAM)
    empty = totals.filter(pl.col("bytes") == 0).join(said, on=STREAM, how="semi")
    return interval.join(empty, on=STREAM, how="semi")["row"]


def move_to_own_start(streams: pl.DataFrame, reports: pl.DataFrame, ledger: Ledger) -> pl.DataFrame:
    """Move the times of streams that count from the start of an earlier one, see Clock above.

    Such a stream prints, before any other stream reports again, all the time that went by before it
    began. (One that counts from its own start prints its first interval after the others have
    reported at least once. A single such interval can be chance in newer versions, whose times have
    more digits.)
    """
    late = streams.filter(pl.col("start_s") > 0)
    if late.is_empty():
        return reports
    around = reports.join(late.select("file_id").unique(), on="file_id", how="semi").sort("row")
    around = around.with_columns(
        before=pl.col("row").shift(1).over("file_id"),
        block=(pl.col("stream") != pl.col("stream").shift(1)).fill_null(True).cum_sum(),
    )
    around = around.join(late.select(*STREAM, "start_s", begun="row"), on=STREAM)
    first = around.filter(pl.col("block") == pl.col("block").first().over(STREAM))
    at_once = first.filter(pl.col("before").first().over(STREAM) < pl.col("begun"))
    passed = at_once.filter(pl.col("t_end_s") <= pl.col("start_s") + 1e-6)
    passed = passed.with_columns(short=MEANING.column(passed, "short"))
    joined = passed.group_by(STREAM, maintain_order=True).agg(
        shift=pl.max("t_end_s"), n=pl.len(), short=(pl.col("short") > 0).all()
    )
    joined = joined.filter((pl.col("n") > 1) | pl.col("short")).drop("n", "short")
    if joined.is_empty():
        return reports
    rows = passed.join(joined, on=STREAM, how="semi")["row"]
    ledger.mark(rows, "skipped", JOINED)
    reports = reports.filter(~pl.col("row").is_in(rows.implode())).join(joined, STREAM, how="left")
    shift = pl.col("shift").fill_null(0.0)
    starts = pl.max_horizontal(pl.col("t_start_s") - shift, 0.0)
    ends = pl.col("t_end_s") - shift
    longer = (shift > 0) & (pl.col("t_start_s") == 0)  # a summary, its rate over too long a time
    reports = reports.with_columns(
        t_start_s=starts.round(4),
        t_end_s=ends.round(4),
        throughput_bps=pl.when(longer).then(pl.col("bytes") * 8 / ends).otherwise("throughput_bps"),
    )
    return reports.drop("shift")


def read_connections(
    lines: Sequence[Line], reports: pl.DataFrame
) -> tuple[pl.DataFrame, pl.Series]:
    """Read the lines that announce connections, with what the log says of each.

    Returns:
        The connections, and the rows of announcements of connections that were never made.
    """
    starred = set(reports.filter(pl.col("star") > 0).select("file_id", "label").rows())
    files: dict[int, dict] = {}
    found, failed = [], []
    for row, file_id, line, kind, text in lines:
        log = files.setdefault(file_id, {"ports": set(), "cca": {}, "latest": {}, "options": {}})
        if kind == "service" and (service := _read_service(text)):
            log["protocol"], log["end"], ports = service
            log["ports"] |= ports
            log["options"][log["end"]] = {}
        elif kind == "option":
            log["options"].setdefault(log.get("end"), {}).update(_read_option(text))
        elif kind == "cca":
            log["cca"][log.get("end")] = text.rpartition(" ")[2]
        elif kind == "mss" and (match := MSS_OF.match(text)):
            log["latest"].get(int(match[1]), {})["mss_bytes"] = int(match[2])
        elif kind == "connected" and (match := read_connected(text)):
            if match["local_port"] == "0":
                failed.append(row)
                continue
            protocol, cca = log.get("protocol"), dict(log["cca"])
            connection: dict[str, Any] = {"row": row, "file_id": file_id, "line": line}
            connection |= {"match": match, "protocol": protocol, "cca": cca}
            connection["mss_bytes"] = _mss(match["rest"])
            log["latest"][int(match["label"])] = connection
            found.append(connection)
    rows = [r for each in found for r in _directions(each, files[each["file_id"]], starred)]
    table = pl.DataFrame(rows, schema=CONNECTION, orient="row")
    return table, pl.Series(failed, dtype=pl.UInt32)


@lru_cache  # thousands of logs have the same few lines
def _read_service(text: str) -> tuple[str, str, frozenset[tuple[str, str]]] | None:
    """Return the protocol of a service, which end it is, and its ports with that end."""
    match = SERVICE.search(text)
    if match is None:
        return None
    end = "connects" if text.startswith("Client") else "listens"
    return match["kind"].lower(), end, frozenset((end, port) for port in _ports(match))


@lru_cache
def _read_option(text: str) -> dict[str, Any]:
    return read_options(text, IPERF2)


def _ports(match: re.Match) -> list[str]:
    first, last = int(match["port"]), int(match["last"] or match["port"])
    return [str(port) for port in range(first, last + 1)]


def _directions(connection: dict, log: dict, starred: set) -> list[dict]:
    """Return a row for each direction of a connection that has reports, one if none has."""
    match = connection.pop("match")
    rest, label, own_star = match["rest"], float(match["label"]), bool(match["star"])
    end = _end(match["local_port"], match["peer_port"], log["ports"])
    swapped = "(reverse)" in rest and not own_star
    cca = connection["cca"].get(end) or log["cca"].get(end)
    epoch_s, zone = read_date(rest)
    row = connection | {
        "label": label + own_star / 2,
        "side": _side(end, swapped),
        "protocol": connection["protocol"] or log.get("protocol"),
        "local": f"{match['local'].partition('%')[0]}:{match['local_port']}",
        "peer": f"{match['peer'].partition('%')[0]}:{match['peer_port']}",
        "start_epoch_s": epoch_s,
        "zone": zone,
        "options": as_text(log["options"].get(end) or {}),
    }
    named = CCA.search(rest)
    row["cca"] = named[1] if named else cca if row["side"] == "sender" else None
    if own_star or (connection["file_id"], label + 0.5) not in starred:
        return [row]
    if swapped and end == "connects":
        return [row | {"label": label + 0.5}]
    if "(full-duplex)" not in rest:
        return [row]
    other = {"label": label + 0.5, "side": _side(end, True), "cca": None}
    other["cca"] = named[1] if named else cca if other["side"] == "sender" else None
    return [row, row | other]


def _end(local_port: str, peer_port: str, ports: set) -> str | None:
    """Return whether the log's own end of a connection listens or connects."""
    if ("listens", local_port) in ports:
        return "listens"
    if ("connects", peer_port) in ports:
        return "connects"
    if ports or (local_port == "5001") == (peer_port == "5001"):
        return None
    return "listens" if local_port == "5001" else "connects"  # no banner: iperf's usual port


def _side(end: str | None, swapped: bool) -> str | None:
    if end is None:
        return None
    return "receiver" if (end == "listens") != swapped else "sender"


def _mss(text: str) -> int | None:
    match = MSS.search(text)
    return int(match[1] or match[2]) if match and (match[1] or match[2]) != "0" else None


DATE = re.compile(
    r"\bon (\d{4}-\d\d-\d\d) (?:at )?(\d\d:\d\d:\d\d(?:\.\d+)?)(?: \(([-+:\w]{1,12})\))?"
)


def read_date(text: str) -> tuple[float | None, str | None]:
    """Return the seconds since 1970 of 'on 2000-01-01 00:00:05 (UTC)', and the zone (`in_utc`)."""
    match = DATE.search(text) if "on " in text else None
    if not match:
        return None, None
    try:
        clock = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC)
    except ValueError:  # not a date, a damaged line
        return None, None
    return in_utc(clock.timestamp(), match[3])


UNITS = ("byte_factor", "bit_factor", "star", "short")


def units(match: re.Match) -> dict[str, float]:
    """Return what the shape of a report says.

    byte_factor, bit_factor: of its amount (to bytes) and its rate (to bits per second); star: 1 for
    '[ *1]'; short: 1 for times like ' 0.0- 1.0', which versions up to 2.0.13 print without -e.
    """
    found = match.groupdict()
    if "amount" not in found:
        return {}
    return {
        **load_factors(found),
        "star": float("*" in match[0][:4]),
        "short": float("0- 0 sec" in match[0]),
    }


MEANING = Meaning(SHAPES, UNKNOWN_LINE, units, "label")
SCANNED = ("label", "t_start_s", "t_end_s", "bytes", "throughput_bps")  # what every report has
NUMBERS = [name for name in MEANING.columns if name not in (*SCANNED, "amount", "rate")]
KEY = ("row", "file_id", "label")
