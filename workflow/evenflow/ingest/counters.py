"""Counters of a sender that cannot be: what a tool prints where the system does not tell it.

Without TCP_INFO (user-space stacks, other systems) iperf3 prints retransmits of -1 or -2, also as
an unsigned number, a window of 0, and whatever stood where the RTT should. Throughput is counted by
the tool itself and stays. And times of tables whose unit is in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..markdown import first_of
from .entities import GUESS, LOGS_SAY, Assumption, Entry

WRAPPED = 2**31  # segments in one interval: no link sends so many, a negative number reads as more
LOG = ["file_id", "stream"]
# before a tool's clock starts, a connection is opened: its first round trip may take as long as the
# first retransmission timer, s (RFC 2988; 1 s since RFC 6298)
HANDSHAKE_S = 3.0


def without_impossible(
    interval: pl.DataFrame, stream: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, list[int]]]:
    """Return intervals without counters that cannot be, and the logs that had them.

    Retransmits that wrapped. A window of 0 while bytes were sent, in every interval: no sender
    sends without a window. Round-trip times of a connection that had one longer than it had lived:
    since its handshake (HANDSHAKE_S), and the part of it that is omitted (-O), before t = 0.

    Args:
        interval, stream: the parsed tables.

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
    omit_s = pl.col("options").str.json_path_match("$.omit_s").cast(pl.Float64, strict=False)
    before_s = stream.select(*LOG, before_s=omit_s.fill_null(0.0) + HANDSHAKE_S)
    of_log = (
        interval.group_by(LOG, maintain_order=True)
        .agg(
            wrapped.any().alias("retransmits"),
            never.alias("window"),
            (pl.col("rtt_s") - pl.col("t_end_s")).max().alias("longer_s"),
        )
        .join(before_s, on=LOG, how="left", maintain_order="left")
        .with_columns((pl.col("longer_s") > pl.col("before_s")).alias("round-trip time"))
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
        "round-trip time": "it is longer than the connection had lived since its handshake",
    }
    rows = []
    for kind, ids in sorted(unknown.items()):
        some = first_of([str(entries[i].path) for i in ids], 1)
        because = f"{some}: {why[kind]}; the tool prints so where the system does not tell it"
        value = f"unknown to the tool: the sender's {kind} in {len(ids)} log{'s' * (len(ids) > 1)}"
        rows.append(Assumption("counters", value, because, "", LOGS_SAY))
    return rows


STEP_S, END_S = 100.0, 10_000.0  # of a table of two columns in seconds few are as coarse or as long


def list_long_times(tables: Mapping[str, pl.DataFrame], entries: list[Entry]) -> list[Assumption]:
    """Return a row on files of two columns whose times are rather milliseconds, if there are any.

    Their unit is seconds. They have mostly a value in STEP_S or more, or end after END_S.

    Args:
        tables: the parsed tables.
        entries: the inventory.
    """
    ids = [e.file_id for e in entries if e.readable and e.format == "two-column"]
    if not ids:
        return []
    at = {"interval": "t_end_s", "state": "t_s", "queue": "t_s"}
    times = pl.concat(tables[name].select("file_id", t_s=time) for name, time in at.items())
    long = (
        times.filter(pl.col("file_id").is_in(ids))
        .sort("file_id", "t_s")
        .group_by("file_id", maintain_order=True)
        .agg(step_s=pl.col("t_s").diff().median(), end_s=pl.col("t_s").max())
        .filter((pl.col("step_s") >= STEP_S) | (pl.col("end_s") >= END_S))
    )
    if long.is_empty():
        return []
    n, end_s = len(long), long["end_s"][0]
    value = f"seconds, as the first column of {n:,} file{'s' * (n != 1)} of two columns"
    because = (
        f"{entries[long['file_id'][0]].path} ends at {end_s:,.0f} s; if its times are "
        f"milliseconds, at {end_s / 1000:,.3g} s: then divide them by 1000"
    )
    return [Assumption("time", value, because, "", GUESS)]
