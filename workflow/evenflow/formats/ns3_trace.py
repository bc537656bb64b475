"""Traces of ns-3's example tcp-variants-comparison: a file for each variable of each flow.

Two columns, time (s) and value, whenever the variable changes; only the file's name says which one
and whose (`<prefix>[-flow<N>]-<variable>.data`, flows from 0; ns-3.37 and 3.43):

    cwnd, ssth, inflight    bytes (ssth is 4294967295 until the first loss: no limit)
    rtt, rto                s: the last measured round-trip time, the retransmission timeout
    next-tx, next-rx        sequence number to send next, and the one the sink waits for (from 1)

next-rx is the payload that arrived in order, so it gives the flow's samples: bytes per second of
the simulation, at the sink. Times have six significant digits. The flow's number is N + 1, that of
a file without one 1.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from .shapes import Log, Shape, read_lines, reject, tally

NAME = "ns3-trace"
TOOL = "ns-3"
PLATFORM = "ns3"
CLOCK = "run"
SIGNATURE = r"\A(\d+(\.\d+)?(e[-+]\d+)? \d+(\.\d+)?(e[-+]\d+)?\n)+(\d|\Z)"
PATH = r"(-flow(?P<flow>\d+))?-(?P<variable>cwnd|ssth|rtt|rto|inflight|next-tx|next-rx)\.data\b"
SHAPES = (
    Shape("sample", "0 0", "t_s value"),
    Shape("header", "(#.*)?"),
)
UNKNOWN_LINE = "not the two columns, time and value, of a trace: truncated?"
NO_NAME = "the file's name does not say which variable this is (-cwnd.data, -rtt.data, ...)"
VARIABLES = {
    "cwnd": "cwnd_bytes",
    "ssth": "ssthresh_bytes",
    "inflight": "inflight_bytes",
    "rtt": "rtt_s",
    "rto": "rto_s",
    "next-tx": "next_tx_bytes",
}
NO_LIMIT = 4294967295  # ssth before the first loss
NOTHING_YET = "no value yet: the connection has not begun, or has not lost a packet"
MAX_S = 1e6  # a later time is a damaged line: 11 days, a row a second


def parse(logs):
    """Read the tables `stream`, `interval`, `state`, `fate` and `rejected`; a file is a stream."""
    names = pl.DataFrame(
        [_name(log) for log in logs],
        schema={"file_id": pl.UInt32, "variable": pl.String, "flow_id": pl.Int32},
        orient="row",
    )
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE).join(names, on="file_id", maintain_order="left")
    sample = pl.col("fate") == "sample"
    lines = reject(lines, sample & pl.col("variable").is_null(), NO_NAME)
    lines = reject(lines, sample & (pl.col("t_s") > MAX_S), "an impossible time")
    lines = _rising(lines, sample, pl.col("t_s"), "time goes backwards")
    lines = lines.with_columns(arrived=_unwrapped(pl.col("value")))
    next_rx = sample & (pl.col("variable") == "next-rx")
    lines = _rising(lines, next_rx, pl.col("arrived"), "the sequence number goes backwards")
    yet = pl.col("variable").is_in(["cwnd", "rtt", "ssth"]) & pl.col("value").is_in([0.0, NO_LIMIT])
    lines = reject(lines, (pl.col("fate") == "sample") & yet, NOTHING_YET, fate="skipped")
    samples = lines.filter(pl.col("fate") == "sample").sort("file_id", "line")
    stream = samples.group_by("file_id", "variable", "flow_id", maintain_order=True).agg(
        pl.first("line")
    )
    stream = stream.with_columns(
        stream=pl.lit(1),
        label=pl.col("variable"),
        episode=pl.lit(1),
        side=pl.when(pl.col("variable") == "next-rx")
        .then(pl.lit("receiver"))
        .otherwise(pl.lit("sender")),
        protocol=pl.lit("tcp"),
    )
    state = samples.filter(pl.col("variable") != "next-rx").with_columns(
        stream=pl.lit(1), variable=pl.col("variable").replace(VARIABLES)
    )
    interval = _per_second(samples.filter(pl.col("variable") == "next-rx"))
    return {"stream": stream, "state": state, "interval": interval, **tally(lines, logs)}


def _unwrapped(sequence: pl.Expr) -> pl.Expr:
    """Return 32-bit sequence numbers that go on rising where they wrap around; at least 1."""
    wrapped = (sequence.diff() < -(2**31)).fill_null(False).cum_sum()
    return (sequence + wrapped * 2.0**32).clip(lower_bound=1.0).over("file_id")


def _rising(lines: pl.DataFrame, where: pl.Expr, value: pl.Expr, problem: str) -> pl.DataFrame:
    """Reject the lines whose value is lower than one before."""
    of_kept = pl.when(where).then(value)
    falls = of_kept < of_kept.cum_max().shift(1).forward_fill().over("file_id")
    return reject(lines, falls.fill_null(False), problem)


def _name(log: Log) -> tuple[int, str | None, int | None]:
    match = re.search(PATH, Path(log.path or "").name)
    return (
        (log.file_id, match["variable"], int(match["flow"] or 0) + 1)
        if match
        else (log.file_id, None, None)
    )


def _per_second(arrived: pl.DataFrame) -> pl.DataFrame:
    """Return the bytes that arrived in order in each second; the last one ends with the trace."""
    last = pl.max("t_s").over("file_id")
    arrived = arrived.with_columns(
        bytes=pl.col("arrived") - pl.col("arrived").shift(1, fill_value=1.0).over("file_id"),
        second=pl.col("t_s").floor().cast(pl.Int64),
        last_s=last,
    )
    known = arrived.group_by("file_id", "second", maintain_order=True).agg(
        pl.sum("bytes"), pl.first("line")
    )
    seconds = (
        arrived.group_by("file_id", maintain_order=True)
        .agg(pl.first("last_s"))
        .with_columns(second=pl.int_ranges(0, pl.col("last_s").floor().cast(pl.Int64) + 1))
        .explode("second")
    )
    length = pl.min_horizontal(pl.lit(1.0), pl.col("last_s") - pl.col("second"))
    return (
        seconds.join(known, on=["file_id", "second"], how="left")
        .filter(pl.col("last_s") > pl.col("second"))
        .with_columns(
            stream=pl.lit(1),
            t_start_s=pl.col("second").cast(pl.Float64),
            t_end_s=pl.col("second") + length,
            bytes=pl.col("bytes").fill_null(0.0),
        )
        .with_columns(throughput_bps=pl.col("bytes") * 8 / length)
        .sort("file_id", "second")
    )
