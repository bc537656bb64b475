"""Logs of which every line has one fate."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from .logs import Log


def account(logs: Sequence[Log], fate: str, reason: str | None) -> dict[str, pl.DataFrame]:
    """Return the table `fate` of logs of which every line has one fate."""
    measured = [(log.file_id, *_measured(log)) for log in logs]
    rows = [(file_id, fate, reason, n, size) for file_id, n, size in measured if size]
    columns = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
    schema = {**columns, "lines": pl.Int64, "bytes": pl.Int64}
    return {"fate": pl.DataFrame(rows, schema=schema, orient="row")}


def _measured(log: Log) -> tuple[int, int]:
    """Return the lines and the bytes of a log, which need not be in the memory."""
    n_lines, n_bytes, last = 0, 0, b"\n"
    for piece in log.pieces():
        n_lines += piece.count(b"\n")
        n_bytes += len(piece)
        last = piece[-1:] or last
    return n_lines + (last != b"\n"), n_bytes
