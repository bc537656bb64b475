"""The shape of a line, and its numbers; without NumPy, as all that scans.

The shape of a line is its text with every number written '0' and every run of blanks as one blank:

    [  3]  1.0- 2.0 sec  11.2 MBytes  94.4 Mbits/sec    ->    [ 0] 0- 0 sec 0 MBytes 0 Mbits/sec

A number is digits, perhaps with a fraction and an exponent: 7, 1.50, 1.5e-05. A sign belongs to
the shape ('-0'), as most minus signs in logs are dashes ('0.0- 1.0').
"""

from __future__ import annotations

import re

NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def number_at(block: bytes | memoryview, at: int) -> float:
    """Return the number that begins at a byte of a block."""
    number = NUMBER.match(block, at)
    assert number, at  # the loop has seen it
    return float(number[0])


def shape_of(line: bytes) -> str:
    """Return the shape of one line."""
    text = NUMBER.sub(b"0", line.rstrip(b"\r\n"))
    return re.sub(rb"[ \t]+", b" ", text).strip(b" ").decode("utf-8", "backslashreplace")
