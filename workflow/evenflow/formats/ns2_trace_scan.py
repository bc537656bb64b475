"""The scan of ns-2's wired traces; see ns2_trace.py."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..files import ROOM_BYTES, block_readers
from ..threads import THREADS
from .compiled import function
from .logs import Log, shown_line

T = TypeVar("T")
# what becomes of a line; the scanner's codes
QUEUED, ELSEWHERE, ACKNOWLEDGES, OTHER, RECEIVED, DROPPED, BROKEN, EMPTY, BACKWARDS = range(9)
ON_LAN, DISCARDED, DROPPED_ON_THE_WAY_BACK = 9, 10, 11
FATES = {
    QUEUED: ("skipped", "enqueued or dequeued: no table needs it"),
    ELSEWHERE: ("skipped", "received at a node on the way"),
    ACKNOWLEDGES: ("skipped", "an acknowledgement or routing message received"),
    OTHER: ("skipped", "another event than + - r d e"),
    DROPPED_ON_THE_WAY_BACK: ("skipped", "an acknowledgement or routing message dropped"),
    ON_LAN: ("skipped", "a frame on a LAN"),
    DISCARDED: ("skipped", "a frame that another station of the LAN passed over: not lost"),
    RECEIVED: ("sample", None),
    DROPPED: ("sample", None),
    BROKEN: ("rejected", "not a line of a wired trace: truncated?"),
    EMPTY: ("header", None),
    BACKWARDS: ("rejected", "time goes backwards: two traces in one file?"),
}
KEY = ["flow_id", "source", "destination"]
SHORTEST = 16  # bytes; no line that is received or dropped is shorter
RECEIVED_COLUMNS = (*KEY, "hop", "second", "line", "packets", "bytes", "length", "kind")
RECEIVED_COLUMNS = (*RECEIVED_COLUMNS, "sequence", "last_us", "first_us")
# in place of a hop: of packets met, and of acknowledgements; in place of the second then the hop,
# and the size
ON_THE_WAY, ACKNOWLEDGED = -2, -3
NAME_BYTES = 7  # of a packet's name that are kept
DROPPED_COLUMNS: tuple[str, ...] = ("line", "t_s", "flow_id", "packet_bytes", "sequence", "source")
DROPPED_COLUMNS += ("destination", "hop", "length")
_scan_trace = function(
    "scan_trace", *("u1", int, int, "i8", "f8", "i8", "i4", int, "i8", "f8", "i8")
)


class Events(NamedTuple):
    """What a block of a trace holds; `line` counts from 0 within the block."""

    received: np.ndarray  # a row a flow, hop and second, see RECEIVED_COLUMNS, `_address`; hop is
    # from x 2^20 + to where the destination is hierarchical, else -1; length: bytes of its lines;
    # kind: the packets' name, its first bytes as digits to the base 256; sequence: the highest;
    # last_us, first_us: times of the last and the first packet, microseconds.
    # And a row a flow and hop of ON_THE_WAY, and a flow and size of ACKNOWLEDGED, of flat addresses
    dropped: np.ndarray  # a row a packet, see DROPPED_COLUMNS; hop as above, length of its line
    broken: np.ndarray  # (line, begin, end, what becomes of it) of each rejected line
    lines: np.ndarray  # by what becomes of them
    bytes: np.ndarray
    first_s: float  # time of the first packet received or dropped, infinite without any
    last_s: float


class Trace(NamedTuple):
    """What a trace holds.

    rejected: rows of the table; lines, sizes: lines and bytes by what becomes of them; received,
    dropped: as of Events, of blocks; last_s: time of the last packet.
    """

    log: Log
    rejected: list[tuple[int, int, str | None, str]]
    lines: np.ndarray
    sizes: np.ndarray
    received: list[np.ndarray]
    dropped: list[np.ndarray]
    last_s: float


def scan_batch(logs: Sequence[Log]) -> list[Trace]:
    """Scan traces."""
    return [_scan_log(log) for log in logs]


def _scan_log(log: Log) -> Trace:
    rejected, first_line, last_s = [], 1, 0.0
    lines, sizes = np.zeros(len(FATES), np.int64), np.zeros(len(FATES), np.int64)
    received, dropped = [], []
    for read, (events, texts) in _in_order(_scan_block, readers(log)):
        if events.first_s < last_s:  # scanned on its own, it could not know
            events, texts = _scan_block(read, last_s)
        lines += events.lines
        sizes += events.bytes
        for (line, _, _, what), text in zip(events.broken.tolist(), texts, strict=True):
            rejected.append((log.file_id, line + first_line, FATES[what][1], text))
        events.received[:, RECEIVED_COLUMNS.index("line")] += first_line
        events.dropped[:, DROPPED_COLUMNS.index("line")] += first_line
        received.append(events.received)
        dropped.append(events.dropped)
        first_line += int(events.lines.sum())
        last_s = max(last_s, events.last_s)
    return Trace(log, rejected, lines, sizes, received, dropped, last_s)


def readers(log: Log) -> Iterable[Callable[..., memoryview]]:
    """Return functions that read a log in blocks of whole lines (`files.block_readers`)."""
    if log.content is None and log.path is not None:
        return block_readers(log.path, log.line_bytes)
    return [lambda room=None: memoryview(log.whole)]


_ROOMS: list[bytearray] = []  # memory that is used again


def _scan_block(read: Callable[..., memoryview], since_s: float = 0.0) -> tuple[Events, list[str]]:
    """Read and scan a block; return also the texts of rejected lines."""
    try:
        room = _ROOMS.pop()
    except IndexError:
        room = bytearray(ROOM_BYTES)
    block = read(room)
    events = scan(block, since_s)
    texts = [shown_line(block[begin:end]) for _, begin, end, _ in events.broken.tolist()]
    _ROOMS.append(room)
    return events, texts


def _in_order(function: Callable[[T], Any], of: Iterable[T]) -> Iterator[tuple[T, Any]]:
    """Yield each and what a function makes of it, on all cores, a few of them ahead."""
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque = deque()
        for one in of:
            waiting.append((one, pool.submit(function, one)))
            if len(waiting) > 2 * THREADS:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


def scan(lines: memoryview, since_s: float = 0.0) -> Events:
    """Scan whole lines, which may not be earlier than what came before them."""
    added = int(len(lines) > 0 and lines[-1] != 10)
    data = np.frombuffer(bytes(lines) + b"\n" if added else lines, dtype=np.uint8)
    slots = 1 << max(10, (2 * data.size // SHORTEST).bit_length())
    received = np.empty((slots // 2, len(RECEIVED_COLUMNS)), np.int64)
    dropped = np.empty((data.size // SHORTEST + 1, len(DROPPED_COLUMNS)))
    broken = np.empty((data.size // 2 + 1, 4), np.int64)
    counts, times = np.zeros((2, len(FATES)), np.int64), np.array([np.inf, since_s])
    table, n_rows = np.zeros(slots, np.int32), np.empty(3, np.int64)
    rows = (received, dropped, broken)
    _scan_trace(data, data.size, added, *rows, table, slots - 1, counts, times, n_rows)
    n = n_rows.tolist()
    # copies: what was not used is given back
    parts = (received[: n[0]].copy(), dropped[: n[1]].copy(), broken[: n[2]].copy())
    return Events(*parts, counts[0], counts[1], *times.tolist())
