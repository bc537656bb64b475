"""A sender's TCP_INFO once a second, written by the virtual testbed's guest/tcp_info.c.

Seconds since the start of the flow, congestion control, congestion window and slow start threshold
(segments), smoothed RTT and its mean deviation (us), segments sent again since the start:

    # evenflow-tcp-info/1
    1.000 bic cwnd 1294 ssthresh 1153 srtt_us 17411 rttvar_us 3 retransmits 2015
    # end

Before the first loss Linux has no threshold and says 2^31 - 1: no row. A log without '# end' was
cut: its last line is rejected.
"""

from __future__ import annotations

import re

import polars as pl

from .shapes import Shape, read_lines, reject_cut, tally

NAME = "tcp-info"
TOOL = "evenflow"
PLATFORM = None
CLOCK = "flow"
SIGNATURE = r"^# evenflow-tcp-info/1$"
VARIABLES = ("cwnd_packets", "ssthresh_packets", "srtt_s", "rttvar_s", "retransmits")
SHAPES = (
    Shape(
        "sample",
        r"0 (?P<cca>[a-z]\w*) cwnd 0 ssthresh 0 srtt_us 0 rttvar_us 0 retransmits 0",
        "t_s cwnd_packets ssthresh_packets srtt_s rttvar_s retransmits",
    ),
    Shape("header", "# end", kind="end"),
    Shape("header", "(#.*)?"),
)
UNKNOWN_LINE = "not a line of the sender's state: truncated?"
INFINITE = 2**31 - 1  # Linux's TCP_INFINITE_SSTHRESH
MICROSECONDS = ("srtt_s", "rttvar_s")


def parse(logs):
    """Read the tables `stream`, `state`, `fate` and `rejected`; a log is a stream."""
    names: list[str] = []
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE, lambda match: _constants(match, names), ["cca"])
    lines = reject_cut(lines)
    samples = lines.filter(pl.col("fate") == "sample").with_columns(
        pl.col(name) / 1e6 for name in MICROSECONDS
    )
    stream = samples.group_by("file_id", maintain_order=True).agg(
        pl.col("line").first(),
        stream=pl.lit(1),
        label=pl.lit("1"),
        episode=pl.lit(1),
        side=pl.lit("sender"),
        protocol=pl.lit("tcp"),
        cca=pl.col("cca").first().replace_strict(dict(enumerate(names)), default=None),
    )
    state = (
        samples.unpivot(VARIABLES, index=["file_id", "line", "t_s"], variable_name="variable")
        .filter((pl.col("variable") != "ssthresh_packets") | (pl.col("value") < INFINITE))
        .with_columns(stream=pl.lit(1))
        .sort("file_id", "line", "variable")
    )
    return {"stream": stream, "state": state, **tally(lines, logs)}


def _constants(match: re.Match, names: list[str]) -> dict[str, float]:
    """Return the number in `names` of the congestion control that a shape of line names."""
    if "cca" not in match.groupdict():
        return {}
    names += [match["cca"]] if match["cca"] not in names else []
    return {"cca": float(names.index(match["cca"]))}
