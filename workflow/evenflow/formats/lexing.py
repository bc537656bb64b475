"""The lexer of all text logs: lines, their shapes and their numbers, in one pass over the bytes.

The shape of a line is its text with every number written '0' and every run of blanks as one blank:

    [  3]  1.0- 2.0 sec  11.2 MBytes  94.4 Mbits/sec    ->    [ 0] 0- 0 sec 0 MBytes 0 Mbits/sec

A log of millions of lines has a few dozen shapes. Formats say what each shape means, once a shape
and not once a line (`shapes`); only the numbers that a shape names are parsed. That is what makes
ingest as fast as awk (docs/explanation/performance.md).

A number is digits, perhaps with a fraction and an exponent: 7, 1.50, 1.5e-05. A sign belongs to
the shape ('-0'), as most minus signs in logs are dashes ('0.0- 1.0').
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from .compiled import compiled

NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
POWERS = 10.0 ** np.arange(23)  # those that a float64 holds exactly
EXACT = 2**53  # so it does integers up to here
OTHER, DIGIT, BLANK, LINE_FEED = range(4)
KIND = np.full(256, OTHER, np.uint8)  # of a byte
KIND[list(b"0123456789")] = DIGIT
KIND[list(b" \t")] = BLANK
KIND[ord("\n")] = LINE_FEED
ONE = np.uint64(1)  # indices are unsigned: Numba then spares the test for negative ones


class Lines(NamedTuple):
    """The lines of a block of bytes.

    start, length: byte offsets in the block, without the line end; shape: index into `shapes`;
    first: index into `where` of the line's first number, one entry more than lines; where: offset
    of each number from the start of its line.
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
        columns = (self.start, self.shape, self.first, self.where)
        values, n_hard = _parse(data, *columns, np.asarray(place, np.int64), POWERS)
        for line in np.flatnonzero(values < 0) if n_hard else ():
            at = self.start[line] + self.where[self.first[line] + place[self.shape[line]]]
            number = NUMBER.match(self.block, at)
            assert number, at  # `_parse` has seen it
            values[line] = float(number[0])
        return values


def shape_of(line: bytes) -> str:
    """Return the shape of one line."""
    text = NUMBER.sub(b"0", line.rstrip(b"\r\n"))
    return re.sub(rb"[ \t]+", b" ", text).strip(b" ").decode("utf-8", "backslashreplace")


def lex(block: bytes) -> Lines:
    """Find lines, shapes and numbers of a block, which begins and ends with a line."""
    if not block.endswith(b"\n"):
        block += b"\n" * bool(block)
    data = np.frombuffer(block, np.uint8)
    n_lines = int(np.count_nonzero(data == 10))
    slots = 1 << max(10, (2 * n_lines).bit_length())
    table = np.zeros(slots, np.int32)
    start, length, shape, first, where, examples = _lex(data, n_lines, KIND, table)
    shapes = [shape_of(block[start[i] : start[i] + length[i]]) for i in examples]
    return Lines(block, start, length, shape, first, where, shapes)


@compiled
def _lex(data, n_lines, kind_of, table):
    """Find the lines; those of one shape that differ in blanks at their ends may count as two.

    table: zeros, a power of 2 of them: hash table of the shapes, index + 1 into `examples`, which
    holds the first line of each.
    """
    start = np.empty(n_lines, np.int64)
    length = np.empty(n_lines, np.int32)
    shape = np.empty(n_lines, np.int32)
    first = np.empty(n_lines + 1, np.int64)
    where = np.empty(data.size // 2 + 1, np.int32)
    hashes = np.empty(n_lines, np.uint64)
    examples = np.empty(n_lines, np.int64)
    prime, last_slot = np.uint64(0x9E3779B97F4A7C15), np.uint64(table.size - 1)
    i, n, n_shapes = np.uint64(0), np.uint64(0), 0
    for line in range(n_lines):
        begin = i
        first[line] = n
        state = np.uint64(0xCBF29CE484222325)  # FNV-1a, a hash of the shape
        while True:  # no bounds to check: every line ends with a line feed
            c = data[i]
            kind = kind_of[c]
            if kind == LINE_FEED:
                break
            i += ONE
            if kind == BLANK:
                while kind_of[data[i]] == BLANK:
                    i += ONE
                c = np.uint8(32)
            elif kind == DIGIT:
                where[n] = i - ONE - begin
                n += ONE
                while kind_of[data[i]] == DIGIT:
                    i += ONE
                if data[i] == 46 and kind_of[data[i + ONE]] == DIGIT:
                    i += ONE
                    while kind_of[data[i]] == DIGIT:
                        i += ONE
                if data[i] | 32 == 101:  # e or E
                    j = i + ONE
                    if data[j] == 43 or data[j] == 45:
                        j += ONE
                    while kind_of[data[j]] == DIGIT:
                        j += ONE
                        i = j
                c = np.uint8(48)
            state = (state ^ np.uint64(c)) * prime
        end = i - ONE if i > begin and data[i - ONE] == 13 else i
        i += ONE
        start[line] = begin
        length[line] = end - begin
        slot = (state >> np.uint64(32)) & last_slot
        while table[slot] and hashes[table[slot] - 1] != state:
            slot = (slot + ONE) & last_slot
        if not table[slot]:
            hashes[n_shapes] = state
            examples[n_shapes] = line
            n_shapes += 1
            table[slot] = n_shapes
        shape[line] = table[slot] - 1
    first[n_lines] = n
    return start, length, shape, first, where[:n], examples[:n_shapes]


@compiled
def _parse(data, start, shape, first, where, place, powers):
    """Parse a number of each line; return -1 for those that are not exact this way, and how many.

    Exact are integers up to 2^53, multiplied or divided once by a power of ten up to 10^22.
    """
    values = np.empty(shape.size, np.float64)
    n_hard = 0
    for line in range(shape.size):
        nth = place[shape[line]]
        if nth < 0 or first[line] + nth >= first[line + 1]:
            values[line] = np.nan
            continue
        i = np.uint64(start[line] + where[first[line] + nth])
        mantissa, digits, fraction = np.int64(0), 0, 0
        while np.uint8(data[i] - 48) < 10:
            mantissa = mantissa * 10 + (data[i] - 48)
            digits += 1
            i += ONE
        if data[i] == 46 and np.uint8(data[i + ONE] - 48) < 10:
            i += ONE
            while np.uint8(data[i] - 48) < 10:
                mantissa = mantissa * 10 + (data[i] - 48)
                fraction += 1
                i += ONE
        exponent = 0
        if data[i] | 32 == 101:
            i += ONE
            negative = data[i] == 45
            if negative or data[i] == 43:
                i += ONE
            while np.uint8(data[i] - 48) < 10:
                exponent = min(exponent * 10 + (data[i] - 48), 9999)
                i += ONE
            if negative:
                exponent = -exponent
        power = exponent - fraction
        if digits + fraction > 18 or mantissa > EXACT or abs(power) >= powers.size:
            values[line] = -1.0
            n_hard += 1
        elif power < 0:
            values[line] = mantissa / powers[-power]
        else:
            values[line] = mantissa * powers[power]
    return values, n_hard
