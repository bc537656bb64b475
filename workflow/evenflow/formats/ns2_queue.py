"""ns-2's queue monitor (`$ns monitor-queue`, Link sample-queue-size in ns-link.tcl).

Eleven columns: time (s), from node, to node, mean queue since the last line (bytes, packets), and,
since the start, packets arrived, departed, dropped, and bytes arrived, departed, dropped (32-bit
counters that wrap to negative numbers; not read):

    300 2 3 154930.249 103.286832 2393481 2391673 1644 -704748716 -707460716 2466000
"""

from __future__ import annotations

NAME = "ns2-queue"
CLOCK = "run"
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]\d+)?)"
SAMPLE = rf"^{NUMBER} (\d+) (\d+) {NUMBER} {NUMBER} (\d+) (\d+) (\d+) (-?\d+) (-?\d+) (-?\d+)$"
SIGNATURE = SAMPLE

CLASSIFY = f"""
WITH matched AS (
    SELECT *, regexp_extract(text, '{SAMPLE}', ['t', 'from', 'to', 'queue_bytes', 'queue_packets',
        'arrived', 'departed', 'dropped', 'b1', 'b2', 'b3']) AS f
    FROM line
)
SELECT *,
    CASE WHEN f.t != '' THEN 'sample' WHEN text = '' THEN 'header' ELSE 'rejected' END AS fate,
    CASE WHEN f.t != '' OR text = '' THEN NULL
         ELSE 'not the eleven columns of the queue monitor: cut?' END AS reason
FROM matched
"""

TABLES = {
    "queue": """
SELECT file_id, line_no AS line, TRY_CAST(f.t AS DOUBLE) AS t_s,
       TRY_CAST(f.queue_bytes AS DOUBLE) AS queue_bytes,
       TRY_CAST(f.queue_packets AS DOUBLE) AS queue_packets,
       TRY_CAST(f.arrived AS BIGINT) AS arrived_packets,
       TRY_CAST(f.departed AS BIGINT) AS departed_packets,
       TRY_CAST(f.dropped AS BIGINT) AS dropped_packets
FROM classified WHERE fate = 'sample' ORDER BY file_id, line
"""
}


def side(content: bytes) -> None:
    """Return None: a queue belongs to no flow."""


def flows(content: bytes) -> set[int]:
    """Return no flow: a queue measures none."""
    return set()
