"""The lexer of all text logs: lines, their shapes and their numbers, in one pass over the bytes.

What a shape is, and what a number, says `line_shape`. A log of millions of lines has a
few dozen shapes. Formats say what each shape means, once a shape and not once a line (`shapes`);
only the numbers that a shape names are parsed. That is what makes ingest as fast as awk
(docs/explanation/performance.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import function
from .line_shape import number_at, shape_of

# lexing.c
_lex_lines = function(
    "lex_lines", *("u1", int, "i8", "i4", "i4", "i8", "i8", "u8", "i8", "i4", int)
)
_parse_numbers = function("parse_numbers", "u1", int, "i4", "i8", "i8", "i8", "f8")


class Lines(NamedTuple):
    """The lines of a block of bytes.

    start, length: byte offsets in the block, without the line end; shape: index into `shapes`;
    first: index into `where` of the line's first number, one entry more than lines; where: the byte
    at which each number begins.
    """

    block: bytes
    start: np.ndarray
    length: np.ndarray
    shape: np.ndarray
    first: np.ndarray
    where: np.ndarray
    shapes: list[str]

    def text(self, line: int) -> str:
        """Return a line as text; bytes that are not UTF-8 show as backslash and two digits."""
        start = self.start[line]
        return self.block[start : start + self.length[line]].decode("utf-8", "backslashreplace")

    def numbers(self, place: np.ndarray) -> np.ndarray:
        """Parse one number of each line, exactly as `float` does.

        Args:
            place: for each shape, which of the line's numbers (from 0), or -1 for none.

        Returns:
            Float64, NaN where the line has no such number.
        """
        data = np.frombuffer(self.block, np.uint8)
        values = np.empty(len(self.start))
        columns = (self.shape, self.first, self.where)
        place = np.asarray(place, np.int64)
        n_hard = _parse_numbers(data, len(values), *columns, place, values)
        for line in np.flatnonzero(values < 0) if n_hard else ():
            at = self.where[self.first[line] + place[self.shape[line]]]
            values[line] = number_at(self.block, at)
        return values


def lex(block: bytes) -> Lines:
    """Find lines, shapes and numbers of a block, which begins and ends with a line."""
    if not block.endswith(b"\n"):
        block += b"\n" * bool(block)
    data = np.frombuffer(block, np.uint8)
    n = int(np.count_nonzero(data == 10))
    start, length, shape = np.empty(n, np.int64), np.empty(n, np.int32), np.empty(n, np.int32)
    first, where = np.empty(n + 1, np.int64), np.empty(len(block) // 2 + 1, np.int64)
    hashes, examples = np.empty(n, np.uint64), np.empty(n, np.int64)
    slots = 1 << max(10, (2 * n).bit_length())
    table = np.zeros(slots, np.int32)
    columns = (start, length, shape, first, where, hashes, examples)
    n_shapes = _lex_lines(data, n, *columns, table, slots - 1)
    shapes = [shape_of(block[start[i] : start[i] + length[i]]) for i in examples[:n_shapes]]
    return Lines(block, start, length, shape, first, where[: first[n]], shapes)
