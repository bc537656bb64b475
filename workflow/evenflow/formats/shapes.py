"""What the shapes of a text format's lines mean: from lines to a table.

A format lists its shapes, the first that matches a line's shape counts:

    Shape("sample", r"\\[ 0\\] 0- ?0 sec 0 MBytes .*", "stream t_start_s t_end_s amount")

'0' stands for any number. The numbers of the line become the columns that the third entry names, in
order ('_' for those that nobody needs). A line of which no shape matches is rejected, and so is one
with a number that no integer column can hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from .lexing import Lines, lex_all

LARGEST = 2.0**53  # beyond it a double is no count
BLOCK_BYTES = 4 * 2**20  # logs are joined to blocks of about this size
FATES = ("sample", "header", "summary", "skipped", "rejected")


class Log(NamedTuple):
    """A raw log: its number in the data set, its decompressed bytes, and where it is.

    content is None where the log is large and its format reads it in blocks.
    """

    file_id: int
    content: bytes | None
    path: Path | None = None


class Shape(NamedTuple):
    """A kind of line: its fate, the regular expression of its shape, the names of its numbers.

    kind: a name for the code that reads the table; reason: why such a line is not a sample;
    text: whether the table holds the line's text too.
    """

    fate: str
    pattern: str
    columns: str = ""
    kind: str = ""
    reason: str | None = None
    text: bool = False


def read_lines(
    logs: Sequence[Log],
    shapes: Sequence[Shape],
    unknown: str,
    constants: Callable[[re.Match], dict[str, float]] = lambda match: {},
    names: Sequence[str] = (),
    skip: bytes = b"",
) -> pl.DataFrame:
    """Read logs of one format.

    Args:
        logs: what to read.
        shapes: the format's shapes.
        unknown: why a line that has none of them is rejected.
        constants: from the match of a shape to numbers that all its lines have (unit factors).
        names: of the constants, so that they are columns also where no line has them.
        skip: see `lexing.lex`.

    Returns:
        A row a line: file_id, line (from 1), n_bytes (with the line end), fate, kind, reason (Enum
        or null), text (null unless the shape asks for it), the columns that the shapes name and
        the constants (Float64, null where a line has none).
    """
    rejected = Shape("rejected", ".*", kind="rejected", reason=unknown)
    known = [*shapes, rejected]
    blocks = _joined(logs)
    read = lex_all([block for block, _ in blocks], skip)
    parts = [
        _table(lines, owner, known, constants)
        for lines, (_, owner) in zip(read, blocks, strict=True)
    ]
    lines = pl.concat(parts, how="diagonal")
    missing = [pl.lit(None, pl.Float64).alias(name) for name in names if name not in lines.columns]
    return lines.with_columns(missing)


def _joined(logs: Sequence[Log]) -> list[tuple[bytes, list[tuple[int, int, int]]]]:
    """Join logs to blocks; with (file_id, bytes in the block, line feeds added) of its logs."""
    blocks, pieces, owner, size = [], [], [], 0
    for log in logs:
        added = int(bool(log.content) and not log.content.endswith(b"\n"))
        pieces += [log.content, b"\n" * added]
        owner.append((log.file_id, len(log.content) + added, added))
        size += owner[-1][1]
        if size >= BLOCK_BYTES:
            blocks.append((b"".join(pieces), owner))
            pieces, owner, size = [], [], 0
    if owner or not blocks:
        blocks.append((b"".join(pieces), owner))
    return blocks


def _table(lines: Lines, owner: list, known: list[Shape], constants: Callable) -> pl.DataFrame:
    rules, values = _rules(lines.shapes, known, constants)
    rule = rules[lines.shape] if len(lines.shapes) else np.empty(0, np.int64)
    rule[_damaged(lines, rule, known)] = len(known) - 1
    columns = {
        **_places(lines, owner),
        **{
            name: _words([getattr(shape, name) for shape in known], rule)
            for name in ("fate", "kind", "reason")
        },
        "text": _texts(lines, np.array([shape.text for shape in known])[rule]),
        **_numbers(lines, rule, known),
        **{
            name: pl.Series(of_shape[lines.shape]).fill_nan(None)
            for name, of_shape in values.items()
        },
    }
    return pl.DataFrame(columns)


def _damaged(lines: Lines, rule: np.ndarray, known: list[Shape]) -> np.ndarray:
    """Return which of the lines whose numbers are read hold one that no integer column can."""
    large = np.flatnonzero(~(lines.numbers < LARGEST))
    line = np.searchsorted(lines.first, large, side="right") - 1
    line = line[np.array([bool(shape.columns) for shape in known])[rule[line]]]
    return np.unique(line)


def _rules(texts: list[str], known: list[Shape], constants: Callable):
    """Return for every shape of a block the number of its rule, and its constants."""
    compiled = [re.compile(shape.pattern, re.DOTALL) for shape in known]
    rules = np.empty(len(texts), np.int64)
    found: list[dict] = []
    for i, text in enumerate(texts):
        for number, pattern in enumerate(compiled):
            match = pattern.fullmatch(text)
            if match:
                rules[i] = number
                found.append(constants(match))
                break
    names = sorted({name for values in found for name in values})
    return rules, {n: np.array([v.get(n, np.nan) for v in found]) for n in names}


def _places(lines: Lines, owner: list[tuple[int, int, int]]) -> dict[str, pl.Series]:
    """Return file_id, line and n_bytes of every line of a block of logs."""
    file_ids, sizes, added = np.array(owner or [(0, 0, 0)]).T
    first = np.searchsorted(lines.start, np.append(0, np.cumsum(sizes)))  # a log's first line
    counts = np.diff(first)
    n_bytes = np.diff(np.append(lines.start, len(lines.block)))
    n_bytes[first[1:][added > 0] - 1] -= 1  # the line feeds that are not the logs'
    number = np.arange(len(lines.start)) - np.repeat(first[:-1], counts) + 1
    return {
        "file_id": pl.Series(np.repeat(file_ids, counts), dtype=pl.UInt32),
        "line": pl.Series(number, dtype=pl.UInt32),
        "n_bytes": pl.Series(n_bytes, dtype=pl.Int64),
    }


def _words(words: list[str | None], rule: np.ndarray) -> pl.Series:
    """Return the word of every line's rule, as a categorical column."""
    return pl.Series(words, dtype=pl.Categorical).gather(pl.Series(rule, dtype=pl.UInt32))


def _texts(lines: Lines, wanted: np.ndarray) -> pl.Series:
    texts = pl.Series([lines.text(i) for i in np.flatnonzero(wanted)], dtype=pl.String)
    where = np.where(wanted, np.cumsum(wanted) - 1, -1)
    if texts.is_empty():
        return pl.Series([None], dtype=pl.String).new_from_index(0, len(lines.start))
    index = pl.Series(where).replace(-1, None).cast(pl.UInt32)
    return texts.gather(index)


def _numbers(lines: Lines, rule: np.ndarray, known: list[Shape]) -> dict[str, pl.Series]:
    """Return a column for each name that a shape gives to one of its numbers."""
    names = [shape.columns.split() for shape in known]
    columns = {}
    for name in dict.fromkeys(name for of_shape in names for name in of_shape if name != "_"):
        place = np.array([n.index(name) if name in n else -1 for n in names])[rule]
        has = (place >= 0) & (place < lines.count)
        index = np.where(has, lines.first + place, 0)
        padded = lines.numbers if lines.numbers.size else np.zeros(1)
        columns[name] = pl.Series(np.where(has, padded[index], np.nan)).fill_nan(None)
    return columns


def tally(lines: pl.DataFrame, logs: Sequence[Log]) -> dict[str, pl.DataFrame]:
    """Return what became of every line: the tables `fate` and `rejected` of a format."""
    fate = lines.group_by("file_id", "fate", "reason").agg(
        lines=pl.len().cast(pl.Int64), bytes=pl.sum("n_bytes")
    )
    rejected = lines.filter(pl.col("fate") == "rejected").select("file_id", "line", "reason")
    content = {log.file_id: log.content for log in logs if log.file_id in set(rejected["file_id"])}
    texts = [_line(content[file_id], line) for file_id, line, _ in rejected.rows()]
    rejected = rejected.with_columns(text=pl.Series(texts, dtype=pl.String))
    return {"fate": fate, "rejected": rejected}


def _line(content: bytes, number: int) -> str:
    line = content.split(b"\n", number)[number - 1].rstrip(b"\r")
    return line.decode("utf-8", "backslashreplace")


def reject(
    lines: pl.DataFrame, where: pl.Expr, reason: str, fate: str = "rejected"
) -> pl.DataFrame:
    """Mark lines as rejected, or give them another fate."""
    return lines.with_columns(
        fate=pl.when(where).then(pl.lit(fate)).otherwise(pl.col("fate")),
        reason=pl.when(where).then(pl.lit(reason)).otherwise(pl.col("reason")),
    )


def account(logs: Sequence[Log], fate: str, reason: str | None) -> dict[str, pl.DataFrame]:
    """Return the table `fate` of logs of which every line has one fate."""
    rows = [
        (log.file_id, fate, reason, count_lines(log.content), len(log.content))
        for log in logs
        if log.content
    ]
    columns = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
    schema = {**columns, "lines": pl.Int64, "bytes": pl.Int64}
    return {"fate": pl.DataFrame(rows, schema=schema, orient="row")}


def count_lines(content: bytes) -> int:
    """Return the number of lines, one without a line feed at the end included."""
    return content.count(b"\n") + (len(content) > 0 and not content.endswith(b"\n"))
