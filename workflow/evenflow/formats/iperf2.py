"""iperf 2 text reports of TCP, client and server, plain and enhanced (-e).

Shape (iperf 2.1.8, `iperf -s -i 1 -e -f b`), times from the start of the flow's own connection:

    [ ID] Interval            Transfer    Bandwidth       Reads=Dist
    [  1] 0.0000-1.0000 sec  11272252 Bytes  90178016 bits/sec  88=2:0:0:0:0:0:0:86
    [  1] 0.0000-3.0064 sec  33947708 Bytes  90335619 bits/sec  261=2:0:0:0:0:0:0:259

A line that starts at 0 although the stream has earlier lines, or is the stream's only one, sums up
the whole connection. Units:
bits count in 10^3, bytes in 2^10 (iperf's stdio.c). A log holds one connection.
"""

from __future__ import annotations

NAME = "iperf2"
CLOCK = "flow"
SIGNATURE = r"^(Server listening on|Client connecting to)[^\n]*\bport \d+"

SAMPLE = (
    r"^\[ *(\d+)\] +(\d+\.\d+)- *(\d+\.\d+) sec +(\d+(?:\.\d+)?) ([KMG]?)Bytes"
    r" +(\d+(?:\.\d+)?) ([KMG]?)(bits|Bytes)/sec(?: .*)?$"
)
HEADER = (
    r"^(-+|Server listening on .*|Client connecting to .*|TCP window size: .*"
    r"|(Read|Write) buffer size: .*|Binding to local .*|TCP congestion control .*"
    r"|\[ *\d+\] local .* connected with .*|\[ *ID\] Interval .*|TOS set to .*|)$"
)

CLASSIFY = f"""
WITH matched AS (
    SELECT *, regexp_extract(text, '{SAMPLE}', ['stream', 't_start', 't_end', 'amount',
        'amount_unit', 'rate', 'rate_unit', 'rate_of']) AS f
    FROM line
),
numbered AS (
    SELECT *, f.stream != '' AS is_report,
        row_number() OVER (PARTITION BY file_id, f.stream ORDER BY line_no) AS nth,
        count(*) OVER (PARTITION BY file_id, f.stream) AS n_reports,
        arg_min(f.stream, line_no) FILTER (f.stream != '') OVER (PARTITION BY file_id)
            AS first_stream,
        TRY_CAST(f.t_start AS DOUBLE) AS t_start_s, TRY_CAST(f.t_end AS DOUBLE) AS t_end_s
    FROM matched
),
fated AS (
    SELECT *, CASE
        WHEN is_report AND f.stream != first_stream THEN 'rejected'
        WHEN is_report AND t_end_s <= t_start_s THEN 'rejected'
        WHEN is_report AND t_start_s = 0 AND (nth > 1 OR n_reports = 1) THEN 'summary'
        WHEN is_report THEN 'sample'
        WHEN regexp_matches(text, '{HEADER}') THEN 'header'
        ELSE 'rejected' END AS fate
    FROM numbered
)
SELECT *, CASE
    WHEN fate != 'rejected' THEN NULL
    WHEN is_report AND f.stream != first_stream
        THEN 'a second stream in the log of one flow (iperf -P is not read yet)'
    WHEN is_report THEN 'the interval ends before it begins'
    ELSE 'not a line that iperf 2 writes for TCP: cut or mixed with another output'
    END AS reason
FROM fated
"""

BYTES = "CASE {unit} WHEN 'K' THEN 1024 WHEN 'M' THEN 1048576 WHEN 'G' THEN 1073741824 ELSE 1 END"
BITS = "CASE f.rate_unit WHEN 'K' THEN 1e3 WHEN 'M' THEN 1e6 WHEN 'G' THEN 1e9 ELSE 1 END"
AMOUNT_FACTOR = BYTES.format(unit="f.amount_unit")
RATE_FACTOR = (
    f"CASE f.rate_of WHEN 'bits' THEN {BITS} ELSE 8 * {BYTES.format(unit='f.rate_unit')} END"
)

TABLES = {
    "interval": f"""
SELECT file_id, line_no AS line, NULL AS flow_id, t_start_s, t_end_s,
       round(TRY_CAST(f.amount AS DOUBLE) * {AMOUNT_FACTOR})::BIGINT AS bytes,
       TRY_CAST(f.rate AS DOUBLE) * {RATE_FACTOR} AS throughput_bps,
       NULL AS cwnd_packets, NULL AS rtt_s, NULL AS retransmits
FROM classified WHERE fate = 'sample' ORDER BY file_id, line
"""
}


def side(content: bytes) -> str:
    """Return 'receiver' for a server's log, 'sender' for a client's."""
    return "receiver" if b"Server listening on" in content[:4096] else "sender"


def flows(content: bytes) -> set[int]:
    """Return no flow: an iperf log does not know its number, its path says it."""
    return set()
