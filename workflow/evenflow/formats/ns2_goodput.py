"""Per-second goodput of ns-2 flows, written by experiments/ns2/dumbbell.tcl.

Lines after a head of '#': end of the interval (s, the run's clock), flow id, payload bytes that
arrived in order at the sink, congestion window (packets), smoothed round-trip time (s):

    # evenflow-ns2-goodput/1
    # t_end_s fid bytes cwnd_packets srtt_s
    61 1 5971552 412.3 0.118

The interval begins where the flow's last one ended (0 for the first).
"""

from __future__ import annotations

import re

NAME = "ns2-goodput"
CLOCK = "run"
SIGNATURE = r"^# evenflow-ns2-goodput/1$"
NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]\d+)?)"
SAMPLE = rf"^{NUMBER} (\d+) (\d+) {NUMBER} {NUMBER}$"

CLASSIFY = f"""
WITH matched AS (
    SELECT *, regexp_extract(text, '{SAMPLE}', ['t_end', 'fid', 'bytes', 'cwnd', 'srtt']) AS f
    FROM line
),
timed AS (
    SELECT *, lag(t_end_s, 1, 0.0) OVER (PARTITION BY file_id, f.fid ORDER BY line_no) AS t_start_s
    FROM (SELECT *, TRY_CAST(f.t_end AS DOUBLE) AS t_end_s FROM matched WHERE f.fid != '')
)
SELECT file_id, line_no, text, n_bytes, f, t_start_s, t_end_s,
    CASE WHEN t_end_s > t_start_s THEN 'sample' ELSE 'rejected' END AS fate,
    CASE WHEN t_end_s > t_start_s THEN NULL ELSE 'time goes backwards' END AS reason
FROM timed
UNION ALL
SELECT file_id, line_no, text, n_bytes, f, NULL, NULL,
    CASE WHEN text LIKE '#%' THEN 'header' ELSE 'rejected' END,
    CASE WHEN text LIKE '#%' THEN NULL ELSE 'not the five numbers of a goodput line: cut?' END
FROM matched WHERE f.fid = ''
"""

TABLES = {
    "interval": """
SELECT file_id, line_no AS line, TRY_CAST(f.fid AS INTEGER) AS flow_id, t_start_s, t_end_s,
       TRY_CAST(f.bytes AS BIGINT) AS bytes,
       TRY_CAST(f.bytes AS BIGINT) * 8 / (t_end_s - t_start_s) AS throughput_bps,
       TRY_CAST(f.cwnd AS DOUBLE) AS cwnd_packets, TRY_CAST(f.srtt AS DOUBLE) AS rtt_s,
       NULL AS retransmits
FROM classified WHERE fate = 'sample' ORDER BY file_id, line
"""
}


def side(content: bytes) -> None:
    """Return None: one log holds every flow of a run."""


def flows(content: bytes) -> set[int]:
    """Return the flow ids that the log's lines carry."""
    return {int(fid) for fid in re.findall(rb"^[\d.]+ (\d+) ", content, re.MULTILINE)}
