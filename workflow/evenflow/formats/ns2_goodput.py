"""Per-second goodput of ns-2 flows, written by experiments/ns2.

Lines after a head of '#': end of the interval (s, the run's clock), flow id, payload bytes that
arrived in order at the sink, congestion window (packets), smoothed round-trip time (s):

    # evenflow-ns2-goodput/1
    # t_end_s fid bytes cwnd_packets srtt_s
    61 1 5971552 412.3 0.118

The interval begins where the flow's last one ended (0 for the first). A log without '# end' was
cut: its last line is rejected.
"""

from __future__ import annotations

import polars as pl

from .shapes import Shape, read_lines, reject, reject_cut, tally

NAME = "ns2-goodput"
TOOL = "ns-2"
PLATFORM = "ns2"
CLOCK = "run"
SIGNATURE = r"^# evenflow-ns2-goodput/1$"
SHAPES = (
    Shape("sample", "0 0 0 0 0", "t_end_s flow_id bytes cwnd_packets rtt_s"),
    Shape("header", "# end", kind="end"),
    Shape("header", "(#.*)?"),
)
UNKNOWN_LINE = "not the five numbers of a goodput line: truncated?"


def parse(logs):
    """Read the tables `stream`, `interval`, `fate` and `rejected`; a stream is a flow's id."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE)
    lines = lines.with_columns(
        t_start_s=pl.col("t_end_s").shift(1, fill_value=0.0).over("file_id", "flow_id"),
        stream=pl.col("flow_id"),
    )
    backwards = pl.col("t_end_s") <= pl.col("t_start_s")
    lines = reject(lines, (pl.col("fate") == "sample") & backwards, "time goes backwards")
    lines = reject_cut(lines)
    interval = lines.filter(pl.col("fate") == "sample").with_columns(
        throughput_bps=pl.col("bytes") * 8 / (pl.col("t_end_s") - pl.col("t_start_s"))
    )
    stream = interval.group_by("file_id", "flow_id", "stream", maintain_order=True).agg(
        pl.col("line").first(),
        label=pl.col("flow_id").first().cast(pl.Int32).cast(pl.String),
        episode=pl.lit(1),
        side=pl.lit("receiver"),
        protocol=pl.lit("tcp"),
    )
    return {"stream": stream, "interval": interval, **tally(lines, logs)}
