"""tcp_probe: the state of a Linux sender at every packet that it receives, in two forms.

The trace event tcp:tcp_probe (Linux 4.16 and later), as text of /sys/kernel/tracing/trace,
`trace-cmd report` or `perf script`; addresses are the host's own and its peer's:

    iperf-23609 [001] ..s2. 2442.173876: tcp_probe: family=AF_INET src=10.77.0.1:47896
      dest=10.77.0.2:5001 mark=0x0 data_len=0 snd_nxt=0xf1cc0f0d snd_una=0xf1cc0ed1 snd_cwnd=10
      ssthresh=2147483647 snd_wnd=65160 srtt=35 rcv_wnd=64512 ...           (one line)

and /proc/net/tcpprobe of the module before it (2.6 to 4.15; net/ipv4/tcp_probe.c): time since the
module was loaded, own and peer's address, length, snd_nxt, snd_una, snd_cwnd, ssthresh, snd_wnd,
srtt and, from 3.10 on, rcv_wnd:

    0.004872511 10.0.0.1:44310 10.0.0.2:5001 32 0x5e1d91c4 0x5e1d8bf4 10 2147483647 29312 4023 29312

Windows are in segments; 2147483647 means that there is no threshold yet. The event's srtt is in
microseconds; the module's in microseconds since Linux 3.15 and in ticks before, which no line says:
it is kept as printed. A connection's clock begins with its first line. Ports come again: where the
sequence numbers begin elsewhere, another connection has begun. A host that received more than was
acknowledged is a flow's receiver: its window says nothing of the flow.
"""

from __future__ import annotations

import polars as pl

from .shapes import tally
from .texts import give, text_lines, without_fate

NAME = "tcp-probe"
TOOL = "tcp_probe"
PLATFORM = "testbed"
CLOCK = "flow"
EVENT = (
    r"\s(?P<t_s>\d+\.\d+): +(?:tcp:)?tcp_probe: .*?\bsrc=(?P<local>\S+) dest=(?P<peer>\S+) .*?"
    r"\bdata_len=(?P<length>\d+) snd_nxt=\w+ snd_una=0x(?P<una>[0-9a-f]+) snd_cwnd=(?P<cwnd>\d+) "
    r"ssthresh=(?P<ssthresh>\d+) snd_wnd=\d+ srtt=(?P<srtt>\d+) rcv_wnd=\d+(?:\s|$)"
)
PROC = (
    r"^\s*(?P<t_s>\d+\.\d{9}) (?P<local>\S+:\d+) (?P<peer>\S+:\d+) (?P<length>\d+) 0x[0-9a-f]+ "
    r"0x(?P<una>[0-9a-f]+) (?P<cwnd>\d+) (?P<ssthresh>\d+) \d+ (?P<srtt>\d+)(?: \d+)?\s*$"
)
SIGNATURE = rf"\s\d+\.\d+: +(?:tcp:)?tcp_probe: |{PROC}"
OTHER_EVENT = r"^\s*\S.*\s\d+\.\d+: +[\w:-]+: "
HEADER = r"^\s*(#.*|cpus=\d+|CPU \d+ is empty|version = \d+)?$"
LOST = r"LOST \d+ EVENTS|EVENTS DROPPED"
ANOTHER = "another event than tcp_probe"
EVENTS_LOST = "the kernel says here that it lost events"
RECEIVES = "the receiving end of a connection: its window says nothing of the flow"
UNKNOWN_LINE = "not a line of tcp_probe: truncated or mixed with other output"
INFINITE = 2**31 - 1  # Linux's TCP_INFINITE_SSTHRESH
WORDS = ["t_s", "local", "peer", "length", "una", "cwnd", "ssthresh", "srtt"]
ENDS = ["file_id", "local", "peer"]
PART = [*ENDS, "part"]  # what tells a connection from others
DISORDER_BYTES = 2**24  # that lines of several processors may go back by
PAUSE_S = 0.5  # after which no line may go back
LEAP_BYTES = 2**28  # that nothing acknowledges at once after a pause


def parse(logs):
    """Read the tables `stream`, `state`, `fate` and `rejected`; a stream is a connection."""
    lines = text_lines(logs)
    found = pl.concat([_matches(lines, EVENT, event=True), _matches(lines, PROC, event=False)])
    found = found.sort("file_id", "line")
    found = found.with_columns(acked=_acked().over(ENDS))
    found = found.with_columns(part=_another().cast(pl.Int32).cum_sum().over(ENDS))
    acked = _acked().clip(lower_bound=0)
    found = found.with_columns(receives=(pl.sum("length") > acked.sum()).over(PART))
    samples, stream = _streams(found.filter(~pl.col("receives")))
    state = _state(samples)
    lines = lines.join(
        found.select("file_id", "line", "receives"),
        on=["file_id", "line"],
        how="left",
        maintain_order="left",
    )
    text = pl.col("text")
    lines = without_fate(lines)
    lines = give(lines, pl.col("receives"), "skipped", RECEIVES)
    lines = give(lines, pl.col("receives").is_not_null(), "sample")
    lines = give(lines, text.str.contains(HEADER), "header")
    lines = give(lines, text.str.contains(LOST), "skipped", EVENTS_LOST)
    others = text.str.contains(OTHER_EVENT) & ~text.str.contains("tcp_probe: ")
    lines = give(lines, others, "skipped", ANOTHER)
    lines = give(lines, pl.lit(True), "rejected", UNKNOWN_LINE)
    return {"stream": stream, "state": state, **tally(lines, logs)}


def _matches(lines: pl.DataFrame, pattern: str, *, event: bool) -> pl.DataFrame:
    """Return the lines of one form with their numbers: those of which a number is none fall out."""
    groups = pl.col("text").str.extract_groups(pattern).struct.rename_fields(WORDS)
    numbers = ["t_s", "length", "cwnd", "ssthresh", "srtt"]
    return (
        lines.select("file_id", "line", groups.alias("found"))
        .unnest("found")
        .with_columns(
            pl.col(numbers).cast(pl.Float64, strict=False),
            pl.col("una").str.to_integer(base=16, strict=False, dtype=pl.Int64),
            pl.col("local", "peer").str.replace_all(r"[\[\]]", "").str.replace("^::ffff:", ""),
            event=pl.lit(event),
        )
        .drop_nulls()
    )


def _acked() -> pl.Expr:
    """Return the bytes that each line acknowledges, of one connection; numbers have 32 bits."""
    grew = pl.col("una").diff().fill_null(0)
    around = pl.when(grew < -(2**31)).then(grew + 2**32)
    return around.when(grew > 2**31).then(grew - 2**32).otherwise(grew)


def _another() -> pl.Expr:
    """Return whether a line is the first of another connection with the same ends."""
    paused = pl.col("t_s").diff().over(ENDS).fill_null(0) > PAUSE_S
    leapt = (pl.col("acked") < 0) | (pl.col("acked") > LEAP_BYTES)
    return (pl.col("acked") < -DISORDER_BYTES) | (paused & leapt)


def _streams(samples: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return samples with stream and time on the flow's clock, and the streams."""
    stream = (
        samples.group_by(PART, maintain_order=True)
        .agg(pl.first("line"), first_s=pl.min("t_s"))
        .with_columns(
            stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
            label=pl.format("{}>{}", "local", "peer"),
            episode=pl.lit(1),
            side=pl.lit("sender"),
            protocol=pl.lit("tcp"),
            start_s=pl.col("first_s") - pl.min("first_s").over("file_id"),
        )
    )
    keys = stream.select(*PART, "stream", "first_s")
    samples = samples.join(keys, on=PART, how="left", maintain_order="left")
    return samples.with_columns(pl.col("t_s") - pl.col("first_s")), stream


def _state(samples: pl.DataFrame) -> pl.DataFrame:
    values = {
        "cwnd_packets": pl.col("cwnd"),
        "ssthresh_packets": pl.when(pl.col("ssthresh") < INFINITE).then("ssthresh"),
        "srtt_s": pl.when("event").then(pl.col("srtt") / 1e6),
        "srtt_as_printed": pl.when(~pl.col("event")).then("srtt"),
    }
    index = ["file_id", "line", "stream", "t_s"]
    return (
        samples.select(*index, **values)
        .unpivot(list(values), index=index, variable_name="variable")
        .drop_nulls("value")
        .sort("file_id", "line", "variable")
    )
