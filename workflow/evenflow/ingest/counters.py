"""Counters of a sender that cannot be: what a tool prints where the system does not tell it.

Without TCP_INFO (user-space stacks, other systems) iperf3 prints retransmits of -1 or -2, also as
an unsigned number, a window of 0, and whatever stood where the RTT should. Throughput is counted by
the tool itself and stays.
"""

from __future__ import annotations

import polars as pl

from .entities import LOGS_SAY, Assumption, Entry

WRAPPED = 2**31  # segments in one interval: no link sends so many, a negative number reads as more
LOG = ["file_id", "stream"]


def without_impossible(interval: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, list[int]]]:
    """Return intervals without counters that cannot be, and the logs that had them.

    Retransmits that wrapped. A window of 0 while bytes were sent, in every interval: no sender
    sends without a window. Round-trip times of a connection that had one longer than it had lived.

    Returns:
        The intervals, and the file_ids of logs by what is unknown of them.
    """
    columns = ["retransmits", "cwnd_bytes", "cwnd_packets", "rtt_s"]
    if interval.is_empty() or all(interval[c].null_count() == len(interval) for c in columns):
        return interval, {}
    sent = pl.col("bytes") > 0
    window = pl.coalesce("cwnd_bytes", "cwnd_packets")
    never = (window.max() == 0) & sent.any()
    wrapped = pl.col("retransmits") >= WRAPPED
    older = (pl.col("rtt_s") > pl.col("t_end_s")).any()
    of_log = interval.group_by(LOG, maintain_order=True).agg(
        wrapped.any().alias("retransmits"), never.alias("window"), older.alias("round-trip time")
    )
    kinds = ["retransmits", "window", "round-trip time"]
    of_log = of_log.filter(pl.any_horizontal(kinds).fill_null(False)).sort(LOG)
    if of_log.is_empty():
        return interval, {}
    unknown = of_log.rename({kind: f"no {kind}" for kind in kinds})
    joined = interval.join(unknown, on=LOG, how="left", maintain_order="left")
    kept = joined.with_columns(
        pl.when(~wrapped.fill_null(False)).then("retransmits"),
        *(
            pl.when(~pl.col("no window").fill_null(False)).then(name).alias(name)
            for name in ("cwnd_bytes", "cwnd_packets")
        ),
        pl.when(~pl.col("no round-trip time").fill_null(False)).then("rtt_s"),
    )
    logs = {
        kind: of_log.filter(pl.col(kind))["file_id"].unique(maintain_order=True).to_list()
        for kind in kinds
    }
    return kept.select(interval.columns), {kind: ids for kind, ids in logs.items() if ids}


def list_counters(unknown: dict[str, list[int]], entries: list[Entry]) -> list[Assumption]:
    """Return rows on counters that are taken as unknown, a row a kind."""
    why = {
        "retransmits": "it is negative, or wrapped",
        "window": "it is 0 while bytes were sent",
        "round-trip time": "it is longer than the connection had lived",
    }
    rows = []
    for kind, ids in sorted(unknown.items()):
        some = f"{entries[ids[0]].path}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        because = f"{some}: {why[kind]}; the tool prints so where the system does not tell it"
        value = f"unknown to the tool: the sender's {kind} in {len(ids)} log{'s' * (len(ids) > 1)}"
        rows.append(Assumption("counters", value, because, "", LOGS_SAY))
    return rows
