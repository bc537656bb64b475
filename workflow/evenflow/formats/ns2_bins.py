"""Packets that arrive at an ns-2 bottleneck in bins of a few milliseconds, by experiments/ns2.

After a head of '#' that gives the length of a bin (s), a line a bin: its number, packets that
arrived in it, of them dropped, queue at its end (packets), packets of background traffic that
arrived in it:

    # evenflow-ns2-bins/1
    # bin_s 0.005
    # columns bin arrivals drops queue_packets background_arrivals
    24001 312 0 2431 62
    # end

Bin k lasts from (k - 1) bin_s to k bin_s on the run's clock. The first may be any, and none is
missing after it. A log without '# end' was cut: its last line is rejected.
"""

from __future__ import annotations

import polars as pl

from .shapes import Shape, read_lines, reject, reject_cut, tally

NAME = "ns2-bins"
TOOL = "ns-2"
PLATFORM = "ns2"
CLOCK = "run"
SIGNATURE = r"^# evenflow-ns2-bins/1$"
COUNTS = ("arrived_packets", "dropped_packets", "queue_packets", "background_packets")
SHAPES = (
    Shape("sample", "0 0 0 0 0", " ".join(("bin", *COUNTS))),
    Shape("header", "# bin_s 0", "bin_s", kind="width"),
    Shape("header", "# end", kind="end"),
    Shape("header", "(#.*)?"),
)
UNKNOWN_LINE = "not the five numbers of a bin: truncated?"
LARGEST = 2**31


def parse(logs):
    """Read the tables `arrival`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE)
    kind = pl.col("kind").cast(pl.String)
    lines = reject(lines, (kind == "width") & _again("bin_s"), "a second length of the bins")
    width = pl.col("bin_s").forward_fill().over("file_id")
    lines = lines.with_columns(width=pl.when(width > 0).then(width))
    sample = pl.col("fate") == "sample"
    wrong = pl.any_horizontal(pl.col(n).mod(1) != 0 for n in ("bin", *COUNTS))
    wrong |= pl.any_horizontal(pl.col(n) >= LARGEST for n in ("bin", *COUNTS)) | (pl.col("bin") < 1)
    lines = reject(lines, sample & wrong, "bins count from 1, and packets are whole")
    no_width = "no '# bin_s' before it says how long a bin is"
    lines = reject(lines, sample & pl.col("width").is_null(), no_width)
    before = pl.when(sample).then("bin").cum_max().forward_fill().shift(1).over("file_id")
    lines = reject(lines, sample & (pl.col("bin") <= before), "time goes backwards")
    lines = reject(lines, sample & (pl.col("bin") > before + 1), "bins are missing before it")
    lines = reject_cut(lines)
    arrival = lines.filter(sample).select(
        "file_id",
        "line",
        *COUNTS,
        t_start_s=((pl.col("bin") - 1) * pl.col("width")).round(9),
        t_end_s=(pl.col("bin") * pl.col("width")).round(9),
    )
    return {"arrival": arrival, **tally(lines, logs)}


def _again(name: str) -> pl.Expr:
    """Return where a column has a value that is not the log's first."""
    return pl.col(name).is_not_null() & (pl.col(name).is_not_null().cum_sum().over("file_id") > 1)
