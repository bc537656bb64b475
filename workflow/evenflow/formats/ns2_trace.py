"""ns-2's wired trace, of which the drops ('d') are read.

Twelve columns: event, time (s), from node, to node, type, size (bytes), flags, flow id, source and
destination address, sequence number (packets), packet id:

    d 63.251409 2 3 tcp 1500 ------- 2 1.0 5.0 1877 31554
"""

from __future__ import annotations

NAME = "ns2-trace"
CLOCK = "run"
NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]\d+)?)"
EVENT = (
    rf"^([-+rd]) {NUMBER} (\d+) (\d+) (\S+) (\d+) (\S+) (\d+) (\S+) (\S+) (-?\d+) (\d+)(?: .*)?$"
)
SIGNATURE = EVENT
MAY_BE_EMPTY = True  # a trace of drops of a run without any

CLASSIFY = f"""
WITH matched AS (
    SELECT *, regexp_extract(text, '{EVENT}', ['event', 't', 'from', 'to', 'type', 'size', 'flags',
        'fid', 'src', 'dst', 'seq', 'id']) AS f
    FROM line
)
SELECT *, CASE f.event WHEN 'd' THEN 'sample' WHEN '' THEN 'rejected' ELSE 'skipped' END AS fate,
    CASE f.event WHEN 'd' THEN NULL WHEN '' THEN 'not a line of a wired trace: cut?'
        ELSE 'only drops are read' END AS reason
FROM matched
"""

TABLES = {
    "drop": """
SELECT file_id, line_no AS line, TRY_CAST(f.t AS DOUBLE) AS t_s,
       TRY_CAST(f.fid AS INTEGER) AS flow_id,
       TRY_CAST(f.size AS BIGINT) AS packet_bytes, TRY_CAST(f.seq AS BIGINT) AS sequence
FROM classified WHERE fate = 'sample' ORDER BY file_id, line
"""
}


def side(content: bytes) -> None:
    """Return None: one trace holds every flow of a run."""


def flows(content: bytes) -> set[int]:
    """Return no flow: a trace of drops names only the flows that lost packets."""
    return set()
