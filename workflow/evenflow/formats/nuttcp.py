"""nuttcp's text: `nuttcp -i1 HOST`, with or without -v, -fparse, -r, -u.

Reports are the receiver's, whichever end prints them; retransmissions are the sender's. MB are 2^20
bytes and Mbps 10^6 bit/s. Seconds have two digits only, so an interval is as long as its bytes took
at its rate:

       23.8125 MB /   1.00 sec =  199.7431 Mbps     0 retrans

      119.2500 MB /   5.00 sec =  199.9981 Mbps 22 %TX 0 %RX 0 retrans 0.09 msRTT

Versions 7 and 8 add the sender's congestion window at the end of the interval, and to the last line
that of the end:

      216.8125 MB /   1.00 sec = 1817.8571 Mbps    45 retrans    206 KB-cwnd

The line is from a comment in perfSONAR's parser (pscheduler-tool-nuttcp). We have seen neither the
source nor the manual of these versions. One of these KB is taken as 1024 bytes, as in KB/sec of -v.

The last line sums the test up; what came after the last whole interval is in it alone. Reports of
`-N` streams are their sum, which is no flow: they are skipped where the log (-v) says so.
"""

from __future__ import annotations

import re

import polars as pl

from .shapes import LARGEST, Shape, read_lines, reject, tally

NAME = "nuttcp"
TOOL = "nuttcp"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^ *[\d.]+ MB / +[\d.]+ sec = +[\d.]+ Mbps|^megabytes=[\d.]+ real_sec(onds)?=|^nuttcp-[tr]: "
)
LOAD = " ?0 MB / 0 sec = 0 Mbps"
PARSED = "megabytes=0 real_sec=0 rate_Mbps=0"
REPORT = "mib seconds mbps "
WINDOW = "retransmits cwnd_kib"
SHAPES = (
    Shape("sample", LOAD + "( 0 retrans( 0 KB-cwnd)?)?", REPORT + WINDOW, kind="report"),
    Shape("sample", LOAD + " 0 / 0 ~drop/pkt 0 ~%loss", REPORT + "lost_packets packets", "udp"),
    Shape("sample", PARSED + "( retrans=0)?", REPORT + "retransmits", kind="report"),
    Shape("sample", PARSED + " drop=0 pkt=0 data_loss=0", REPORT + "lost_packets packets", "udp"),
    Shape("summary", LOAD + r" 0 %TX 0 %RX 0 / 0 drop/pkt 0 %loss", REPORT, kind="end of udp"),
    Shape(
        "summary",
        LOAD + r" 0 %TX 0 %RX( 0 retrans)?( 0 KB-cwnd)?( 0 msRTT)?",
        REPORT,
        kind="end",
    ),
    Shape("summary", PARSED.replace("sec", "seconds") + " .* pkt=0 .*", REPORT, kind="end of udp"),
    Shape("summary", PARSED.replace("sec", "seconds") + " .*", REPORT, kind="end"),
    Shape(
        "summary",
        "nuttcp-r: 0 MB in 0 real seconds = 0 KB/sec = 0 Mbps",
        "mib seconds _ mbps",
        kind="end",
    ),
    Shape("summary", "nuttcp-[tr]: (0 MB in|retrans = |0 I/O calls|0user ).*", reason="of an end"),
    Shape("header", "nuttcp-[tr]: v0[.0]*: socket", kind="opening", text=True),
    Shape("header", "nuttcp-[tr]: buflen=0, nstream=0, .*", "_ streams", kind="streams"),
    Shape("header", "nuttcp-t: (connect to|accept from) .*", kind="connect", text=True),
    Shape("header", r"(nuttcp-[tr]: [^:]*|\*+ [^*]* \*+|ignoring interval=.*)?"),
    Shape(
        "skipped", "nuttcp-[tr]: (v0[.0]*: )?(Error|Warning|Info): .*|errno=0", reason="a message"
    ),
)
COMPLAINT = rb"nuttcp-[tr]: (?:v[\d.]+: )?Error: (.*)"
UNKNOWN_LINE = "not a line that nuttcp writes: truncated or mixed with other output"
NO_COUNT = "takes no time, or more bytes than can be"
SUM = "the sum of several streams (-N): no flow"
VERSION, MSS = re.compile(r": v([\d.]+): "), re.compile(r"\bmss=(\d+)")
PEER = re.compile(r"(?:to|from) (\S+)")
TEST = ["file_id", "stream"]


def parse(logs):
    """Read `stream`, `interval`, `summary`, `fate` and `rejected`; a stream is a test."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE).with_columns(
        pl.col("kind", "fate").cast(pl.String),
        bytes=(pl.col("mib") * 2**20).round(),
        throughput_bps=pl.col("mbps") * 1e6,
        cwnd_bytes=pl.col("cwnd_kib") * 1024,
    )
    begins = lines["kind"].is_in(["opening", "report", "udp"])
    lines = lines.with_columns(stream=_count_tests(lines.with_columns(begins=begins)))
    unlikely = (pl.col("bytes") >= LARGEST) | (pl.col("seconds") <= 0)
    lines = reject(lines, (pl.col("kind") != "rejected") & unlikely, NO_COUNT)
    several = (pl.col("streams").max().over(TEST) > 1).fill_null(False)
    lines = reject(lines, several & (pl.col("fate") == "sample"), SUM, "skipped")
    took = pl.col("bytes") * 8 / pl.col("throughput_bps")
    as_printed = (took - pl.col("seconds")).abs() <= 0.01
    took = pl.when(as_printed).then(took).otherwise("seconds")  # of no bytes, say
    interval = lines.filter(fate="sample").with_columns(t_end_s=took.cum_sum().over(TEST))
    interval = interval.with_columns(
        t_start_s=pl.col("t_end_s").shift(1, fill_value=0.0).over(TEST)
    )
    ends = pl.col("kind").str.starts_with("end") & (pl.col("fate") == "summary")
    summary = lines.filter(ends, ~several).select(
        *TEST,
        *("line", "bytes", "throughput_bps"),
        side=pl.lit("receiver"),
        t_start_s=pl.lit(0.0),
        t_end_s="seconds",
    )
    return {
        "stream": _streams(lines, pl.concat([interval.select(TEST), summary.select(TEST)])),
        "interval": interval,
        "summary": summary,
        **tally(lines, logs),
    }


def _count_tests(lines: pl.DataFrame) -> pl.Series:
    """Number the tests of each log from 1: one begins with the first report after an end."""
    ended = pl.col("kind").is_in(["end", "end of udp"]).cum_sum().over("file_id")
    at_begin = pl.when("begins").then(ended).forward_fill().over("file_id").fill_null(0)
    return lines.select(at_begin.rank("dense").over("file_id").cast(pl.Int32)).to_series()


def _streams(lines: pl.DataFrame, measured: pl.DataFrame) -> pl.DataFrame:
    """Return a row a test that has reports, with what its log says of it."""
    of_test = pl.col("kind").is_in(["udp", "end of udp"]).any()
    measured = measured.unique(maintain_order=True)
    streams = lines.join(measured, on=TEST, how="semi").group_by(TEST, maintain_order=True)
    first_text = pl.col("text").filter(pl.col("text").is_not_null())
    return streams.agg(
        pl.col("line").first(),
        label=pl.format("test {}", pl.col("stream").first()),
        side=pl.lit("receiver"),
        protocol=pl.when(of_test).then(pl.lit("udp")).otherwise(pl.lit("tcp")),
        complete=(pl.col("kind").str.starts_with("end") & (pl.col("fate") == "summary")).any(),
        mss_bytes=first_text.str.extract(MSS.pattern).drop_nulls().first().cast(pl.Int64),
        peer=first_text.str.extract(PEER.pattern).drop_nulls().first(),
        tool_version=first_text.str.extract(VERSION.pattern).drop_nulls().first(),
    ).with_columns(episode="stream")
