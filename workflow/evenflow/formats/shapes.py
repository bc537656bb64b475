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

import numpy as np
import polars as pl

from .lexing import Lines, lex
from .logs import TOO_LONG, Log, Shape, shown_line
from .terminal import without_escapes

LARGEST = 2.0**53  # no count is as large


def read_lines(
    logs: Sequence[Log],
    shapes: Sequence[Shape],
    unknown: str,
    constants: Callable[[re.Match], dict[str, float]] = lambda match: {},
    names: Sequence[str] = (),
) -> pl.DataFrame:
    """Read logs of one format.

    Args:
        logs: what to read.
        shapes: the format's shapes.
        unknown: why a line that has none of them is rejected.
        constants: from the match of a shape to numbers that all its lines have (unit factors).
        names: of the constants, so that they are columns also where no line has them.

    Returns:
        A row a line: file_id, line (from 1), n_bytes (with the line end), fate, kind, reason (Enum
        or null), text (null unless the shape asks for it), the columns that the shapes name and
        the constants (Float64, null where a line has none).
    """
    known = [*shapes, Shape("rejected", ".*", kind="rejected", reason=unknown)]
    block, sizes = _joined(logs)
    lines = lex(block)
    longest = min(log.line_bytes for log in logs)
    rule_of_shape, values = _rules(lines.shapes, known, constants, longest)
    numbers, damaged = _numbers(lines, rule_of_shape, known)
    rule = rule_of_shape[lines.shape]
    rule[damaged] = len(known) - 1
    known.append(Shape("rejected", "", kind="rejected", reason=TOO_LONG))
    rule[lines.length > longest] = len(known) - 1
    table = pl.DataFrame(
        {
            **_places(lines, logs, sizes),
            **{
                name: _words([getattr(shape, name) for shape in known], rule)
                for name in ("fate", "kind", "reason")
            },
            "text": _texts(lines, np.array([shape.text for shape in known])[rule]),
            **numbers,
            **{name: _series(of_shape[lines.shape]) for name, of_shape in values.items()},
        }
    )
    missing = [name for name in names if name not in table.columns]
    return table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in missing)


def _joined(logs: Sequence[Log]) -> tuple[bytes, list[int]]:
    """Join logs, each with a line feed at its end and without a terminal's colours; with the bytes
    that each has in the block."""
    wholes = [without_escapes(log.whole) for log in logs]
    pieces = [w if w.endswith(b"\n") or not w else w + b"\n" for w in wholes]
    return pieces[0] if len(pieces) == 1 else b"".join(pieces), [len(piece) for piece in pieces]


def _rules(texts: list[str], known: list[Shape], constants: Callable, longest: float):
    """Return for every shape of a block the number of its rule, and its constants."""
    compiled = [re.compile(shape.pattern, re.DOTALL) for shape in known]
    rules = np.full(len(texts), len(known) - 1)
    found: list[dict] = []
    for i, text in enumerate(texts):
        if len(text) > longest:  # of a line that is longer: no need to look at it
            found.append({})
            continue
        for number, pattern in enumerate(compiled):
            match = pattern.fullmatch(text)
            if match:
                rules[i] = number
                found.append(constants(match))
                break
    names = sorted({name for values in found for name in values})
    return rules, {n: np.array([v.get(n, np.nan) for v in found]) for n in names}


def _places(lines: Lines, logs: Sequence[Log], sizes: list[int]) -> dict[str, pl.Series]:
    """Return file_id, line and n_bytes of every line of a block of logs."""
    end = np.cumsum(sizes)
    first = np.searchsorted(lines.start, [0, *end])  # a log's first line
    counts = np.diff(first)
    n_bytes = np.diff(lines.start, append=len(lines.block))
    for i, log in enumerate(logs):
        if len(log.whole) < sizes[i]:  # the line feed is not the log's
            n_bytes[first[i + 1] - 1] -= 1
    number = np.arange(1, len(lines.start) + 1) - np.repeat(first[:-1], counts)
    file_ids = np.repeat(np.array([log.file_id for log in logs], np.int64), counts)
    return {
        "file_id": pl.Series(file_ids, dtype=pl.UInt32),
        "line": pl.Series(number, dtype=pl.UInt32),
        "n_bytes": pl.Series(n_bytes, dtype=pl.Int64),
    }


def _words(words: list[str | None], rule: np.ndarray) -> pl.Series:
    """Return the word of every line's rule, as a categorical column."""
    return pl.Series(words, dtype=pl.Categorical).gather(pl.Series(rule, dtype=pl.UInt32))


def _texts(lines: Lines, wanted: np.ndarray) -> pl.Series:
    """Return the texts of the wanted lines, null for others."""
    which = np.flatnonzero(wanted)
    texts = pl.Series([lines.text(i) for i in which.tolist()], dtype=pl.String)
    empty = pl.Series([None], dtype=pl.String).new_from_index(0, len(wanted))
    return empty.scatter(which, texts) if len(which) else empty


def _numbers(lines: Lines, rule_of_shape: np.ndarray, known: list[Shape]):
    """Return a column for each name that a shape gives to one of its numbers, and damaged lines.

    Damaged is a line with a number among them that no count can be: the line is rejected.
    """
    names = [shape.columns.split() for shape in known]
    columns, damaged = {}, []
    for name in dict.fromkeys(name for of_shape in names for name in of_shape if name != "_"):
        place = np.array([n.index(name) if name in n else -1 for n in names])[rule_of_shape]
        if (place < 0).all():
            columns[name] = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(lines.start))
        else:
            values = lines.numbers(place)
            damaged.append(np.flatnonzero(values >= LARGEST))
            columns[name] = _series(values)
    return columns, np.concatenate(damaged) if damaged else []


def _series(values: np.ndarray) -> pl.Series:
    return pl.Series(values, nan_to_null=True)


def tally(lines: pl.DataFrame, logs: Sequence[Log]) -> dict[str, pl.DataFrame]:
    """Return what became of every line: the tables `fate` and `rejected` of a format."""
    fate = lines.group_by("file_id", "fate", "reason", maintain_order=True).agg(
        lines=pl.len().cast(pl.Int64), bytes=pl.sum("n_bytes")
    )
    rejected = lines.filter(pl.col("fate") == "rejected").select("file_id", "line", "reason")
    return {"fate": fate, "rejected": _with_texts(rejected, logs)}


def _with_texts(rejected: pl.DataFrame, logs: Sequence[Log]) -> pl.DataFrame:
    """Return rejected lines in order, with their texts."""
    rejected = rejected.sort("file_id", "line")
    of_file = dict(rejected.group_by("file_id", maintain_order=True).agg("line").rows())
    in_order = sorted(logs, key=lambda log: log.file_id)
    texts = [text for log in in_order for text in _texts_of(log, of_file.get(log.file_id, []))]
    return rejected.with_columns(text=pl.Series(texts, dtype=pl.String))


def _texts_of(log: Log, numbers: list[int]) -> list[str]:
    """Return lines of a log (rising numbers from 1) as text."""
    lines = log.whole.split(b"\n") if numbers else []
    return [shown_line(lines[n - 1]) for n in numbers]


def reject(
    lines: pl.DataFrame, where: pl.Expr, reason: str, fate: str = "rejected"
) -> pl.DataFrame:
    """Mark lines as rejected, or give them another fate."""
    return lines.with_columns(
        fate=pl.when(where).then(pl.lit(fate)).otherwise(pl.col("fate")),
        reason=pl.when(where).then(pl.lit(reason)).otherwise(pl.col("reason")),
    )


def reject_cut(lines: pl.DataFrame, end: str = "end") -> pl.DataFrame:
    """Reject the last line of logs that lack the line with which they end: they were cut.

    Args:
        lines: of whole logs.
        end: the kind of the shape of that line.
    """
    ended = (pl.col("kind").cast(pl.String) == end).any().over("file_id")
    last = pl.col("line") == pl.col("line").max().over("file_id")
    return reject(lines, last & ~ended, "the log ends here, without '# end': it was truncated")


def count_lines(content: bytes) -> int:
    """Return the number of lines, one without a line feed at the end included."""
    return content.count(b"\n") + (len(content) > 0 and not content.endswith(b"\n"))
