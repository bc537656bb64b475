"""Log formats: one module each, all of the same shape.

A format module is data more than code:

    NAME       the name that dataset.yml uses
    CLOCK      'flow' (times count from the start of the flow's own log) or 'run'
    SIGNATURE  regular expression that the first 4 KiB of a log of this format match, or None
    CLASSIFY   SQL over the table `line` (file_id, line_no, text): every line with its `fate`
               (sample, header, summary, skipped, rejected), the `reason`, and its fields
    TABLES     for 'interval', 'queue' and 'drop': SQL over `classified`, the result of CLASSIFY
    side()     'receiver', 'sender' or None, from the content of a log
    flows()    the flows that a log holds, when its path does not say

`classified_tables` runs them; nothing else in evenflow knows how a log looks.
"""

from __future__ import annotations

import re

import duckdb
import polars as pl

from ..errors import DataError
from . import host_state, iperf2, ns2_goodput, ns2_queue, ns2_trace, run_record

FORMATS = {
    module.NAME: module
    for module in (iperf2, ns2_goodput, ns2_queue, ns2_trace, run_record, host_state)
}
RUN_RECORD = run_record.NAME
METADATA = "metadata"  # dataset.yml, runs.csv, README: about the data set, no logs of it
IGNORE = "ignore"  # files that dataset.yml declares to be no logs
LEFT_OUT = "left-out"  # files of a run that is left out under `on_error: quarantine`
UNREADABLE = "unreadable"  # the file for which it is
# fate and reason of every line of files that no format module parses
UNPARSED = {
    METADATA: ("header", "describes the data set"),
    IGNORE: ("header", "declared to be no log in dataset.yml"),
    LEFT_OUT: ("skipped", "its run is left out"),
}
FATES = ("sample", "header", "summary", "skipped", "rejected")
SIGNATURE_BYTES = 4096

# shape of what every format hands on; times in seconds on the format's own clock
TABLES = {
    "interval": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "flow_id": pl.Int32,  # null where the path says it
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "bytes": pl.Int64,
        "throughput_bps": pl.Float64,
        "cwnd_packets": pl.Float64,
        "rtt_s": pl.Float64,
        "retransmits": pl.Int64,
    },
    "queue": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_s": pl.Float64,
        "queue_bytes": pl.Float64,
        "queue_packets": pl.Float64,
        "arrived_packets": pl.Int64,
        "departed_packets": pl.Int64,
        "dropped_packets": pl.Int64,
    },
    "drop": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_s": pl.Float64,
        "flow_id": pl.Int32,
        "packet_bytes": pl.Int64,
        "sequence": pl.Int64,
    },
    "fate": {
        "file_id": pl.UInt32,
        "fate": pl.String,
        "reason": pl.String,
        "lines": pl.Int64,
        "bytes": pl.Int64,
    },
    "rejected": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "reason": pl.String,
        "text": pl.String,
    },
}

# every byte of a log is one character here (Latin-1), so that lengths are bytes; a line's bytes
# include its line feed, which only the last line of a file may lack
LINES = r"""
SELECT file_id, line_no, rtrim(piece, chr(13)) AS text,
       length(piece) + (line_no < n_pieces)::INTEGER AS n_bytes
FROM (SELECT file_id, unnest(pieces) AS piece, generate_subscripts(pieces, 1) AS line_no,
             len(pieces) AS n_pieces
      FROM (SELECT file_id, string_split(content, chr(10)) AS pieces FROM source))
WHERE line_no < n_pieces OR piece != ''
"""
FATE = """
SELECT file_id, fate, reason, count(*) AS lines, sum(n_bytes) AS bytes
FROM classified GROUP BY ALL ORDER BY ALL
"""
REJECTED = """
SELECT file_id, line_no AS line, reason, text
FROM classified WHERE fate = 'rejected' ORDER BY ALL
"""


def detect_format(content: bytes, path: object) -> str:
    """Return the name of the format whose signature the beginning of a log matches.

    Raises:
        DataError: no format, or more than one, matches.
    """
    head = content[:SIGNATURE_BYTES].decode("latin-1").replace("\r\n", "\n")
    found = [
        name
        for name, module in FORMATS.items()
        if module.SIGNATURE and re.search(module.SIGNATURE, head, re.MULTILINE)
    ]
    if len(found) == 1:
        return found[0]
    problem = "the format is not recognised" if not found else f"may be any of {', '.join(found)}"
    remedy = f"say 'format:' with its pattern in dataset.yml (known: {', '.join(FORMATS)})"
    raise DataError(problem, path=path, remedy=remedy)


def classified_tables(format_name: str, source: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Parse logs of one format.

    Args:
        format_name: a key of FORMATS or of UNPARSED.
        source: the logs (file_id, content as Latin-1 text).

    Returns:
        The tables of TABLES, those that the format does not give empty.
    """
    module = FORMATS.get(format_name)
    fate, reason = UNPARSED.get(format_name, (None, None))
    whole = f"SELECT *, '{fate}' AS fate, '{reason}' AS reason FROM line"
    queries = {"fate": FATE, "rejected": REJECTED, **(module.TABLES if module else {})}
    with duckdb.connect() as con:
        con.register("source", source.to_arrow())
        con.execute(f"CREATE TEMP TABLE line AS {LINES}")
        con.execute(f"CREATE TEMP TABLE classified AS {module.CLASSIFY if module else whole}")
        return {
            table: con.sql(queries[table]).pl().select(list(columns)).cast(columns)
            if table in queries
            else pl.DataFrame(schema=columns)
            for table, columns in TABLES.items()
        }
