"""The lexer of all text logs: lines, their shapes and their numbers, in one pass over the bytes.

The shape of a line is its text with every number written '0' and every run of blanks as one blank:

    [  3]  1.0- 2.0 sec  11.2 MBytes  94.4 Mbits/sec    ->    [ 0] 0- 0 sec 0 MBytes 0 Mbits/sec

A log of millions of lines has a few dozen shapes. Formats say what each shape means (`reading`),
once a shape and not once a line; the numbers are parsed once, here. That is what makes ingest as
fast as awk (docs/performance.md).

A number is digits, perhaps with a fraction and an exponent: 7, 1.50, 1.5e-05. A sign belongs to
the shape ('-0'), as most minus signs in logs are dashes ('0.0- 1.0'). A carriage return at the end
of a line counts for its length only. Compiled by Numba, free of the interpreter's lock.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

NUMBER = rb"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
THREADS = 2
POWERS = 10.0 ** np.arange(23)  # exactly representable
FULL = 10**17


class Lines(NamedTuple):
    """The lines of a block of bytes; arrays of one entry a line.

    start, length: byte offsets in the block, without the line end; shape: index into `shapes`;
    first: index of the line's first number in `numbers`; count: how many it has.
    """

    block: bytes
    start: np.ndarray
    length: np.ndarray
    shape: np.ndarray
    first: np.ndarray
    count: np.ndarray
    numbers: np.ndarray
    shapes: list[str]

    def text(self, line: int) -> str:
        """Return a line as text; bytes that are not UTF-8 show as U+FFFD."""
        start = self.start[line]
        return self.block[start : start + self.length[line]].decode("utf-8", "backslashreplace")


def shape_of(line: bytes) -> str:
    """Return the shape of one line: what `lex` does, written as regular expressions."""
    text = re.sub(NUMBER, b"0", line.rstrip(b"\r\n"))
    return re.sub(rb"[ \t]+", b" ", text).strip(b" ").decode("utf-8", "backslashreplace")


def lex(block: bytes, skip: bytes = b"") -> Lines:
    """Find lines, shapes and numbers of a block.

    Args:
        block: bytes that begin and end with a line.
        skip: lines that begin with one of these bytes are not looked into: their shape is that
            byte, and they have no numbers.
    """
    data = np.frombuffer(block, dtype=np.uint8)
    n_lines = block.count(b"\n") + (len(block) > 0 and not block.endswith(b"\n"))
    skipped = np.zeros(256, dtype=np.uint8)
    skipped[list(skip)] = 1
    slots = 1 << max(10, (2 * n_lines).bit_length())
    arrays = _lex(data, n_lines, slots, skipped, POWERS)
    start, length, shape, first, count, numbers, examples = arrays
    shapes = [
        chr(block[start[i]])
        if length[i] and skipped[block[start[i]]]
        else shape_of(block[start[i] : start[i] + length[i]])
        for i in examples
    ]
    return Lines(block, start, length, shape, first, count, numbers, shapes)


def lex_all(blocks: list[bytes], skip: bytes = b"") -> list[Lines]:
    """Lex blocks on all cores (the kernel does not hold the interpreter's lock)."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda block: lex(block, skip), blocks))


@njit(nogil=True, cache=True)
def _lex(data, n_lines, slots, skipped, powers):
    start = np.empty(n_lines, np.int64)
    length = np.empty(n_lines, np.int32)
    shape = np.empty(n_lines, np.int32)
    first = np.empty(n_lines, np.int64)
    count = np.empty(n_lines, np.int32)
    numbers = np.empty(max(1024, 8 * n_lines), np.float64)
    table_hash = np.zeros(slots, np.uint64)
    table_id = np.full(slots, -1, np.int32)
    examples = np.empty(n_lines, np.int64)
    n_numbers, n_shapes = 0, 0
    size, i, line = data.size, 0, 0
    prime = np.uint64(0x9E3779B97F4A7C15)
    while i < size:
        begin = i
        state = np.uint64(0xCBF29CE484222325)
        first[line] = n_numbers
        if skipped[data[i]]:
            state = (state ^ np.uint64(data[i])) * prime
            while i < size and data[i] != 10:
                i += 1
            end = i
        else:
            blank = True  # leading blanks do not count
            while i < size and data[i] != 10:
                c = data[i]
                if 48 <= c <= 57:
                    # 18 digits from the first that is not 0: more than a double holds
                    mantissa, dropped, fraction = np.int64(0), 0, 0
                    while i < size and 48 <= data[i] <= 57:
                        if mantissa < FULL:
                            mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                        else:
                            dropped += 1
                        i += 1
                    if i + 1 < size and data[i] == 46 and 48 <= data[i + 1] <= 57:
                        i += 1
                        while i < size and 48 <= data[i] <= 57:
                            if mantissa < FULL:
                                mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                                fraction += 1
                            i += 1
                    exponent = 0
                    if i + 1 < size and (data[i] == 101 or data[i] == 69):
                        j, sign = i + 1, 1
                        if data[j] == 45 or data[j] == 43:
                            sign = -1 if data[j] == 45 else 1
                            j += 1
                        if j < size and 48 <= data[j] <= 57:
                            while j < size and 48 <= data[j] <= 57:
                                exponent = min(exponent * 10 + (data[j] - 48), 9999)
                                j += 1
                            exponent *= sign
                            i = j
                    if n_numbers == numbers.size:
                        larger = np.empty(2 * numbers.size, np.float64)
                        larger[:n_numbers] = numbers
                        numbers = larger
                    power = exponent - fraction + dropped
                    value = float(mantissa)
                    if power < 0:
                        value = value / powers[-power] if power >= -22 else value * 10.0**power
                    elif power > 0:
                        value = value * powers[power] if power <= 22 else value * 10.0**power
                    numbers[n_numbers] = value
                    n_numbers += 1
                    blank = False
                    state = (state ^ np.uint64(48)) * prime
                    continue
                i += 1
                if c == 32 or c == 9:
                    if not blank:
                        blank = True
                        state = (state ^ np.uint64(32)) * prime
                    continue
                if c == 13 and (i == size or data[i] == 10):
                    continue
                blank = False
                state = (state ^ np.uint64(c)) * prime
            end = i
        if end > begin and data[end - 1] == 13:
            end -= 1
        start[line] = begin
        length[line] = end - begin
        count[line] = n_numbers - first[line]
        slot = np.int64(state >> np.uint64(40)) & (slots - 1)
        while table_id[slot] >= 0 and table_hash[slot] != state:
            slot = (slot + 1) & (slots - 1)
        if table_id[slot] < 0:
            table_hash[slot] = state
            table_id[slot] = n_shapes
            examples[n_shapes] = line
            n_shapes += 1
        shape[line] = table_id[slot]
        line += 1
        i += 1  # the line feed
    return start, length, shape, first, count, numbers[:n_numbers], examples[:n_shapes]
