"""ns-2's queue at a link: the queue monitor, its trace of every change, and RED's own variables.

The monitor (`$ns monitor-queue`, Link sample-queue-size in ns-link.tcl) writes eleven columns: time
(s), from node, to node, mean queue since the last line (bytes, packets), and, since the start,
packets arrived, departed, dropped, and bytes arrived, departed, dropped (32-bit counters that wrap
to negative numbers; not read):

    300 2 3 154930.249 103.286832 2393481 2391673 1644 -704748716 -707460716 2466000

With `start-tracing` it writes the queue (bytes, packets) whenever it changes, and a RED queue with
`trace curq_` the queue on each arrival: in packets unless `queue_in_bytes_` is set, which the log
does not say. Both are of an instant, not means:

    q -t 0.165192 -s 1 -d 2 -l 2080 -p 2
    Q 0.272013 2
"""

from __future__ import annotations

import re
from itertools import pairwise

import polars as pl

from .shapes import Shape, read_lines, tally

NAME = "ns2-queue"
TOOL = "ns-2"
PLATFORM = "ns2"
CLOCK = "run"
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
SIGNATURE = (
    rf"^{NUMBER} \d+ \d+ {NUMBER} {NUMBER} \d+ \d+ \d+ -?\d+ -?\d+ -?\d+$"
    rf"|^q -t {NUMBER} -s \d+ -d \d+ -l \d+ -p \d+$"
    rf"|^[Qap] {NUMBER} {NUMBER}$"
)
COLUMNS = re.compile(rf"^{NUMBER}(?: {NUMBER}){{10}}$", re.MULTILINE)
SHAPES = (
    Shape(
        "sample",
        "0 0 0 0 0 0 0 0 -?0 -?0 -?0",
        "t_s _ _ queue_bytes queue_packets arrived_packets departed_packets dropped_packets",
    ),
    Shape("sample", "q -t 0 -s 0 -d 0 -l 0 -p 0", "t_s _ _ queue_bytes queue_packets"),
    Shape("sample", "Q 0 0", "t_s queue_packets"),
    Shape("skipped", "[ap] 0 -?0", reason="RED's average queue and drop probability"),
    Shape("header", ""),
)
UNKNOWN_LINE = "not a line of the queue monitor: truncated?"


def confirm(text: str) -> bool:
    """Return whether lines of eleven numbers can be those of one queue as time goes by.

    Other tables have as many columns.
    """
    rows = [[float(number) for number in line.split()] for line in COLUMNS.findall(text)]
    ordered = all(one[0] <= other[0] for one, other in pairwise(rows))
    of_one_link = len({tuple(row[1:3]) for row in rows}) <= 1
    return ordered and of_one_link and all(0 <= row[4] <= row[3] or row[3] == 0 for row in rows)


def parse(logs):
    """Read the tables `queue`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE)
    return {"queue": lines.filter(pl.col("fate") == "sample"), **tally(lines, logs)}
