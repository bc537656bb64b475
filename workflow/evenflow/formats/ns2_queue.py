"""ns-2's queue monitor (`$ns monitor-queue`, Link sample-queue-size in ns-link.tcl).

Eleven columns: time (s), from node, to node, mean queue since the last line (bytes, packets), and,
since the start, packets arrived, departed, dropped, and bytes arrived, departed, dropped (32-bit
counters that wrap to negative numbers; not read):

    300 2 3 154930.249 103.286832 2393481 2391673 1644 -704748716 -707460716 2466000
"""

from __future__ import annotations

import polars as pl

from .shapes import Shape, read_lines, tally

NAME = "ns2-queue"
TOOL = "ns-2"
CLOCK = "run"
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
SIGNATURE = rf"^{NUMBER} \d+ \d+ {NUMBER} {NUMBER} \d+ \d+ \d+ -?\d+ -?\d+ -?\d+$"
SHAPES = (
    Shape(
        "sample",
        "0 0 0 0 0 0 0 0 -?0 -?0 -?0",
        "t_s _ _ queue_bytes queue_packets arrived_packets departed_packets dropped_packets",
    ),
    Shape("header", ""),
)
UNKNOWN_LINE = "not the eleven columns of the queue monitor: cut?"


def parse(logs):
    """Read the tables `queue`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE)
    return {"queue": lines.filter(pl.col("fate") == "sample"), **tally(lines, logs)}
