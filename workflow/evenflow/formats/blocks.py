"""Logs that are scanned together: read into memory that is used again, one after another."""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import NamedTuple

from .compiled import function
from .logs import Log

ROOM_BYTES = 9 * 2**20  # of files that are read together: a batch of `ingest.reading`, and more
LINE_FEED = 10
FILES = 1000  # of them at most
LARGE_BYTES = 2**22  # of memory from which on large pages are worth it, as NumPy has it
Memory = bytearray | mmap.mmap
_read_files = function("read_files", "u1", int, "u1", int, "i8", "u1")


class Block(NamedTuple):
    """Logs, or a part of one, that lie one after another: the number of the first, the lines of it
    that came before, where each ends, and whether its last line feed is not its own."""

    data: memoryview
    first: int
    first_line: int
    ends: list[int]
    lacks: list[bool]


def memory(n_bytes: int) -> Memory:
    """Return memory of so many bytes, all zero.

    Much of it is in large pages where the system has them: to touch new memory in small ones takes
    as long as to scan.
    """
    if n_bytes < LARGE_BYTES:
        return bytearray(n_bytes)
    room = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # of Linux
        with suppress(OSError):
            room.madvise(mmap.MADV_HUGEPAGE)
    return room


def read_blocks(
    logs: Sequence[Log], buffer: Memory, alone: Callable[[Log, int], Iterator[Block]]
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
    paths = bytearray(b"".join(os.fsencode(log.path or "") + b"\0" for log in unread))
    where, lacking, there = array("q", bytes(8 * n)), bytearray(n), room[begin:]
    n = _read_files(paths, n, there, len(there), where, lacking) if len(there) else 0
    ends += [begin + end for end in where[:n]]
    lacks += [bool(lacks_it) for lacks_it in lacking[:n]]


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
