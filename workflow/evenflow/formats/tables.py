"""The tables that formats give: their columns, and the way to them from logs."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from . import FORMATS, UNKNOWN, UNPARSED
from .logs import Log
from .recognise import why_not_read
from .whole import account

# shape of what every format hands on; times in seconds on the format's own clock. A stream is a
# connection as one log reports it: two ends that both write a log make two streams of one flow.
TABLES: dict[str, dict[str, type[pl.DataType]]] = {
    "stream": {
        "file_id": pl.UInt32,
        "stream": pl.Int32,  # 1, 2, ... in the order in which the log announces them
        "line": pl.UInt32,  # where it does
        "label": pl.String,  # what the log calls it
        "episode": pl.Int32,  # streams of a log that share one ran at the same time
        "side": pl.String,  # receiver or sender: whose count it is; null where there is no saying
        "protocol": pl.String,  # tcp, udp, sctp, ...
        "traffic": pl.String,  # what the sender is, where the log says it: cbr, exp, ... (ns-2)
        "local": pl.String,  # address:port of the log's own end
        "peer": pl.String,
        "cca": pl.String,
        "mss_bytes": pl.Int64,
        "start_s": pl.Float64,  # after the first stream of its episode, by the log itself
        "start_epoch_s": pl.Float64,  # when it began, seconds since 1970, by the log's own clock
        "zone": pl.String,  # of that clock where its offset is not known: see `zones`; else null
        "planned_s": pl.Float64,  # how long it was to last
        "complete": pl.Boolean,  # the tool wrote its final report; null where there is none
        "flow_id": pl.Int32,  # where the log numbers its flows itself (ns-2)
        "hops": pl.String,  # that its packets take, '0-3 3-4': nodes (ns-2, ns-3); logs.GAP
        "tool_version": pl.String,
        "options": pl.String,  # JSON object of what the log prints of how it sent: `options`
        "cookie": pl.String,  # iperf3's name of its test, the same at both ends
    },
    "interval": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "bytes": pl.Int64,
        "throughput_bps": pl.Float64,
        "cwnd_bytes": pl.Float64,
        "cwnd_packets": pl.Float64,
        "rtt_s": pl.Float64,
        "retransmits": pl.Int64,
        "jitter_s": pl.Float64,  # of UDP
        "packets": pl.Int64,
        "lost_packets": pl.Int64,
    },
    "summary": {  # final reports of a stream: checked against its intervals, never averaged
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "side": pl.String,  # whose count: a log may hold the other end's report too
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "bytes": pl.Int64,
        "throughput_bps": pl.Float64,
        "retransmits": pl.Int64,
    },
    "state": {  # a variable of a sender whenever it changes or is sampled
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "t_s": pl.Float64,
        "variable": pl.String,  # cwnd_packets, cwnd_bytes, ssthresh_bytes, rtt_s, ...
        "value": pl.Float64,
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
        "stream": pl.Int32,  # where the log holds its connection
        "connections": pl.Int64,  # of the log that share the flow id
        "packet_bytes": pl.Int64,
        "sequence": pl.Int64,
    },
    "arrival": {  # at the bottleneck, in a bin of a few milliseconds: up to millions of rows
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "arrived_packets": pl.Int32,  # of all flows, dropped ones included
        "dropped_packets": pl.Int32,
        "queue_packets": pl.Int32,  # at the end
        "background_packets": pl.Int32,  # arrived, of background traffic
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

BELOW_ZERO = "is below zero"
UNIT = r"_(packets|bytes|bps|s)$"  # at the end of a variable's name
NEVER_NEGATIVE = {
    "state": ["value"],
    "queue": [
        name for name in TABLES["queue"] if name.startswith(("queue", "arrived", "depart", "drop"))
    ],
    "drop": ["packet_bytes"],
    "arrival": [name for name in TABLES["arrival"] if name.endswith("_packets")],
}


def parse_logs(format_name: str, logs: Sequence[Log]) -> dict[str, pl.DataFrame]:
    """Parse logs of one format.

    Args:
        format_name: a key of FORMATS or of UNPARSED.
        logs: the logs.

    Returns:
        The tables of TABLES, those that the format does not give empty.
    """
    if format_name == UNKNOWN:
        heads = [next(iter(log.pieces()), b"") for log in logs]
        tables = [
            account([log], "skipped", why_not_read(head, log.path))
            for log, head in zip(logs, heads, strict=True)
        ]
        parsed = {"fate": pl.concat(table["fate"] for table in tables)} if tables else {}
    elif format_name in UNPARSED:
        parsed = account(logs, *UNPARSED[format_name])
    else:
        parsed = FORMATS[format_name].parse(logs)
    return complete([parsed])


def complete(parsed: Sequence[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Return the tables that a format gives, of some logs and of others, with all their columns."""
    return _without_impossible(
        {
            name: _typed([p[name] for p in parsed if name in p], columns)
            for name, columns in TABLES.items()
        }
    )


def _without_impossible(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Reject windows, round-trip times, queues and counts below zero, each by itself.

    Of a line with several numbers the others stay: by its fate it is still a sample. Numbers
    without a unit stay: a sequence number of ns-2 is -1 before the first packet.

    Intervals and final reports keep theirs: bytes and rates are checked against each other
    (`checks.logs`).
    """
    rejected = [tables["rejected"]]
    for name, columns in NEVER_NEGATIVE.items():
        table = tables[name]
        for column in columns if len(table) else ():
            measured = pl.lit(True)
            if "variable" in table.columns:
                measured = pl.col("variable").str.contains(UNIT)
            below = (measured & (pl.col(column) < 0)).fill_null(False)
            bad = table.filter(below)
            if bad.is_empty():
                continue
            what = pl.col("variable") if "variable" in table.columns else pl.lit(column)
            text = pl.format("{}: {}", what, column)
            reason = pl.format(f"{{}} {BELOW_ZERO}", what)
            rejected.append(bad.select("file_id", "line", reason=reason, text=text))
            table = table.filter(~below)
        tables = {**tables, name: table}
    return {**tables, "rejected": pl.concat(rejected)}


def _typed(parts: Sequence[pl.DataFrame], columns: dict) -> pl.DataFrame:
    """Return parts of a table as one that has all columns, and no others."""
    full = [_with_columns(part, columns) for part in parts if len(part)]
    return pl.concat(full) if full else pl.DataFrame(schema=columns)


def _with_columns(part: pl.DataFrame, columns: dict) -> pl.DataFrame:
    there = set(part.columns)
    return part.select(
        pl.col(name).cast(kind) if name in there else pl.lit(None, kind).alias(name)
        for name, kind in columns.items()
    )


def join_tables(parsed: Sequence[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Return the tables of all logs, sorted, of the tables of some at a time."""
    return {name: sort_table(_joined(name, [p[name] for p in parsed]), name) for name in TABLES}


def _joined(name: str, parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return parts of a table as one; one part alone keeps columns of one value as such."""
    parts = [part for part in parts if len(part)]
    return pl.concat(parts) if parts else pl.DataFrame(schema=TABLES[name])


SORTED_BY = {"fate": ["file_id", "fate", "reason"], "stream": ["file_id", "stream"]}


def sort_table(table: pl.DataFrame, name: str) -> pl.DataFrame:
    if table.is_empty():
        return table
    if name in ("interval", "arrival"):  # the largest, and mostly in order: sorting copies them
        place = pl.col("file_id").cast(pl.Int64) * 2**32 + pl.col("line")
        if table.select(place).to_series().is_sorted():
            return table
    return table.sort(SORTED_BY.get(name, ["file_id", "line"]), maintain_order=True)
