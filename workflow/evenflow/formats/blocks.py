"""Logs that are scanned together: read into memory that is used again, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from .compiled import function
from .logs import Log

ROOM_BYTES = 9 * 2**20  # of files that are read together: a batch of `ingest.reading`, and more
LINE_FEED = 10
FILES = 1000  # of them at most
_read_files = function("read_files", np.uint8, int, np.uint8, int, np.int64, np.uint8)


class Block(NamedTuple):
    """Logs, or a part of one, that lie one after another: the number of the first, the lines of it
    that came before, where each ends, and whether its last line feed is not its own."""

    data: memoryview
    first: int
    first_line: int
    ends: list[int]
    lacks: list[bool]


def read_blocks(
    logs: Sequence[Log], buffer: bytearray, alone: Callable[[Log, int], Iterator[Block]]
) -> Iterator[Block]:
    """Yield blocks of logs; what one holds lies in the buffer only until the next is asked for.

    alone: yields the blocks of a log that does not fit into the buffer; its number.
    """
    room = memoryview(buffer)
    ends: list[int] = []
    lacks: list[bool] = []
    i, window = 0, FILES
    while i < len(logs):
        n = len(ends)
        if not logs[i].is_large and n < FILES:
            _put_files(logs[i : i + min(window, FILES - n)], room, ends, lacks)
            if len(ends) == n:
                _put(logs[i], room, ends, lacks)
        window = min(2 * window, FILES) if len(ends) - n > window // 2 else 1
        i += len(ends) - n
        if len(ends) > n:
            continue
        if ends:  # it is full
            yield Block(room[: ends[-1]], i - len(ends), 0, ends, lacks)
            ends, lacks = [], []
        else:
            yield from alone(logs[i], i)
            i += 1
    if ends:
        yield Block(room[: ends[-1]], i - len(ends), 0, ends, lacks)


def _put_files(logs: Sequence[Log], room: memoryview, ends: list[int], lacks: list[bool]) -> None:
    """Put logs behind what is there, those up to the first that is not a plain file that fits."""
    unread = list(takewhile(lambda log: log.content is None and not log.is_large, logs))
    if not unread:
        return
    begin, n = ends[-1] if ends else 0, len(unread)
    paths = b"".join(os.fsencode(log.path or "") + b"\0" for log in unread)
    where, lacking = np.empty(n, np.int64), np.empty(n, np.uint8)
    there = np.frombuffer(room[begin:], np.uint8)
    data = np.frombuffer(paths, np.uint8)
    n = _read_files(data, n, there, len(there), where, lacking) if len(there) else 0
    ends += (begin + where[:n]).tolist()
    lacks += lacking[:n].astype(bool).tolist()


def _put(log: Log, room: memoryview, ends: list[int], lacks: list[bool]) -> None:
    """Put a log behind what is there, if it fits."""
    content, begin = log.whole, ends[-1] if ends else 0
    end = begin + len(content)
    if end >= len(room):
        return
    room[begin:end] = content
    lacking = len(content) > 0 and content[-1] != LINE_FEED
    if lacking:
        room[end] = LINE_FEED
    ends.append(end + lacking)
    lacks.append(lacking)
