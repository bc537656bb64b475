"""Streams: which connection each report of a log with several connections belongs to.

Shared by iperf 2 and iperf 3 text, which both announce a connection once ('[  3] local ...
connected with ...') and then put its number before each report. Numbers are used again.
"""

from __future__ import annotations

from typing import cast

import polars as pl

STREAM = ["file_id", "stream"]


def assign_streams(
    reports: pl.DataFrame, connections: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give every report the number of its stream: the last announced one of its label.

    Args:
        reports: row (rising through all logs), file_id, line, label (Float64) and more.
        connections: row, file_id, line, label and what the announcements say.

    Returns:
        The streams, numbered in each log from 1 (those without an announcement last), and the
        reports with their `stream`.
    """
    numbered = connections.sort("row", maintain_order=True).with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id")
    )
    keys = numbered.select("row", "file_id", "label", "stream")
    if _are_alone(keys, reports):
        return numbered, reports.with_columns(stream=pl.lit(1, pl.Int32))
    reports = reports.join_asof(keys, on="row", by=["file_id", "label"], check_sortedness=False)
    homeless = reports.filter(pl.col("stream").is_null())
    if homeless.is_empty():
        return numbered, reports
    had = numbered.group_by("file_id", maintain_order=True).agg(had=pl.len())
    implied = (
        homeless.group_by("file_id", "label", maintain_order=True)
        .agg(pl.first("row", "line"))
        .join(had, on="file_id", how="left")
        .with_columns(
            stream=pl.col("had").fill_null(0).cast(pl.Int32)
            + pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id")
        )
    )
    reports = reports.join(
        implied.select("file_id", "label", implied="stream"), on=["file_id", "label"], how="left"
    ).with_columns(stream=pl.coalesce("stream", "implied"))
    return pl.concat([numbered, implied.drop("had")], how="diagonal"), reports


def _are_alone(connections: pl.DataFrame, reports: pl.DataFrame) -> bool:
    """Return whether no log has another connection than its first, of which all its reports are.

    So it is of most logs, and their reports need not be looked at one by one.
    """
    files = connections["file_id"]
    if files.n_unique() < len(files):
        return False
    if reports.is_empty():
        return True
    begin = begins(reports, ["file_id", "label"])
    first = reports[begin].select("file_id", "label", begins="row")
    if len(first) > len(files):
        return False
    # a log of two labels has two such rows, of which one finds no connection
    found = first.join(connections, on=["file_id", "label"])
    return len(found) == len(first) and (found["row"] <= found["begins"]).all()


def begins(table: pl.DataFrame, key: list[str]) -> pl.Series:
    """Return where rows begin that have other values of a key than the row before."""
    changes = (pl.col(name).ne_missing(pl.col(name).shift()) for name in key)
    first = pl.int_range(pl.len()) == 0
    return table.select(pl.any_horizontal(*changes, first).arg_true()).to_series()


def find_episodes(streams: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Say which streams of a log ran at the same time, and when each began.

    A stream that is announced after the last report of all earlier ones begins a new episode: the
    next test of a long-lived server. One that is announced among the reports of earlier ones began
    when the last of those reports ended.

    Args:
        streams: file_id, stream, row and, perhaps, start_epoch_s.
        reports: file_id, stream, row, t_end_s.

    Returns:
        The streams with `episode` (from 1) and `start_s` (s since the first of the episode).
    """
    of_log = pl.len().over("file_id")
    alone = streams.filter(of_log == 1).with_columns(
        episode=pl.lit(1, pl.Int32), start_s=pl.lit(0.0)
    )
    if len(alone) == len(streams):
        return alone
    streams = streams.filter(of_log > 1)
    reports = reports.join(streams.select("file_id").unique(), on="file_id", how="semi")
    extent = reports.group_by(STREAM, maintain_order=True).agg(last=pl.max("row"))
    ordered = streams.join(extent, on=STREAM, how="left").sort("file_id", "row")
    before = pl.max_horizontal("row", "last").cum_max().shift(1).over("file_id")
    ordered = ordered.with_columns(new=before.is_null() | (pl.col("row") > before)).with_columns(
        episode=pl.col("new").cum_sum().over("file_id").cast(pl.Int32)
    )
    episode = ["file_id", "episode"]
    ordered = ordered.with_columns(
        head=pl.col("stream").first().over(episode), n=pl.len().over(episode)
    )
    late = ordered.filter((pl.col("n") > 1) & (pl.col("stream") != pl.col("head")))
    of_heads = reports if len(late) else reports.clear()
    heads = of_heads.join(
        late.select("file_id", stream="head").unique(), on=STREAM, how="semi"
    ).select("file_id", "row", head="stream", start_s="t_end_s")
    by_order = late.sort("row").join_asof(
        heads.sort("row"), on="row", by=["file_id", "head"], check_sortedness=False
    )
    ordered = ordered.join(by_order.select(*STREAM, "start_s"), on=STREAM, how="left")
    epoch = pl.col("start_epoch_s") - pl.col("start_epoch_s").first().over(episode)
    ordered = ordered.with_columns(
        start_s=pl.coalesce(epoch, "start_s", pl.lit(0.0)).clip(lower_bound=0)
    )
    return pl.concat([alone, ordered.select(alone.columns)])


def is_listed(table: pl.DataFrame, rows: pl.Series) -> pl.Series:
    """Return for each row of a table whether its `row` is listed: faster than a join or a set."""
    own = table["row"]
    last = cast(int, pl.concat([own, rows.cast(own.dtype)]).max() or 0)
    return pl.Series([False]).new_from_index(0, last + 1).scatter(rows, True).gather(own)


def mark(lines: pl.DataFrame, rows: pl.Series, fate: str, reason: str | None) -> pl.DataFrame:
    """Change the fate of the lines whose `row` is listed."""
    if rows.is_empty():
        return lines
    listed = is_listed(lines, rows)
    return lines.with_columns(
        fate=pl.when(listed).then(pl.lit(fate)).otherwise(pl.col("fate")),
        reason=pl.when(listed).then(pl.lit(reason, pl.String)).otherwise(pl.col("reason")),
    )
