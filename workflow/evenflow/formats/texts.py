"""Lines as text, for formats whose lines hold addresses and words, which the lexer would split."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from .shapes import Log

LINES = {"file_id": pl.UInt32, "line": pl.UInt32, "n_bytes": pl.Int64, "text": pl.String}


def text_lines(logs: Sequence[Log]) -> pl.DataFrame:
    """Return a row a line of some logs: file_id, line (from 1), n_bytes (with the line end), text.

    Text is without the line end; bytes that are not UTF-8 show as backslash and two digits.
    """
    tables = [pl.DataFrame(schema=LINES)]
    for log in logs:
        pieces = log.whole.split(b"\n")
        sizes = [len(piece) + 1 for piece in pieces]
        if pieces[-1]:
            sizes[-1] -= 1  # no line feed
        else:
            pieces.pop(), sizes.pop()
        texts = [piece.decode("utf-8", "backslashreplace").rstrip("\r") for piece in pieces]
        table = pl.DataFrame({"n_bytes": sizes, "text": texts}, schema_overrides=LINES)
        table = table.with_row_index("line", offset=1)
        table = table.with_columns(file_id=pl.lit(log.file_id))
        tables.append(table.select(pl.col(name).cast(kind) for name, kind in LINES.items()))
    return pl.concat(tables)


def give(
    lines: pl.DataFrame, where: pl.Expr, fate: str, reason: str | pl.Expr | None = None
) -> pl.DataFrame:
    """Give lines that have no fate yet a fate, and the reason for it."""
    free = pl.col("fate").is_null() & where.fill_null(False)
    why = reason if isinstance(reason, pl.Expr) else pl.lit(reason, pl.String)
    return lines.with_columns(
        fate=pl.when(free).then(pl.lit(fate)).otherwise(pl.col("fate")),
        reason=pl.when(free).then(why).otherwise(pl.col("reason")),
    )


def without_fate(lines: pl.DataFrame) -> pl.DataFrame:
    """Add the columns `fate` and `reason`, still empty."""
    return lines.with_columns(fate=pl.lit(None, pl.String), reason=pl.lit(None, pl.String))
