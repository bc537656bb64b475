"""The scanner of iperf3's JSON: finds what evenflow needs in one pass over the bytes.

A JSON parser makes an object of everything; nine tenths of an iperf3 document are not needed. This
scanner checks the grammar, keeps the numbers of the flat objects that have a "socket" (the streams
of an interval, of the final report, and the connections), remembers where the few other values lie,
and counts lines. It reads documents one after another, one a line, or with plain text between, and
goes on after a broken one. Beyond JSON it reads nan and inf, which old iperf3 writes. The
loop is in iperf3_objects.c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import function

# numbers of a stream's object: rows of `Scan.numbers`
FIELDS = [
    *("socket", "start", "end", "bytes", "bits_per_second", "retransmits", "snd_cwnd", "rtt"),
    *("jitter_ms", "lost_packets", "packets", "omitted", "sender"),
]
N_FIELDS = len(FIELDS)
# keys (and names of events) that say where a value belongs
START, INTERVALS, END, ERROR, OTHER_TEXT, OTHER_JSON = range(100, 106)
DATA, EVENT, SENDER, RECEIVER, UDP, CONGESTION = range(106, 112)
SUMS = 120  # any key that begins with 'sum'
NO_WORD = -1
PLACES = {
    "intervals": INTERVALS,
    "interval": INTERVALS,
    "error": ERROR,
    "server_output_text": OTHER_TEXT,
    "server_output_json": OTHER_JSON,
    "data": DATA,
    "event": EVENT,
    "receiver": RECEIVER,
    "udp": UDP,
    "sender_tcp_congestion": CONGESTION,
}
FIELD_PLACE = np.full(N_FIELDS, NO_WORD)  # fields that are places where their value is an object
FIELD_PLACE[[FIELDS.index(name) for name in ("start", "end", "sender")]] = START, END, SENDER
# what a line holds, the higher counts where it holds several
HEADER, SUMMARY, MESSAGE, TEXT, PLAIN, BROKEN = 0, 1, 2, 3, 13, 14
RECORD = [
    *("line", "first", "last", "section", "role", "test", "nested", "stream", "twice", "begin"),
    "log",
]  # rows of `Scan.records`
PIECE = ["begin", "end", "line", "place", "test", "nested", "log"]  # columns of `Scan.pieces`
FOUND = ["lines", "records", "pieces", "whole"]  # columns of `Scan.found`
DONE = 0  # scan_json has found all; else the number of the room that is too small, from 1
BYTES_OF = (256, 16, 2**13)  # of indented documents, fewer than for each record, line and piece
LONGEST_KEY = 24
_paint_lines = function("paint_lines", np.uint8, np.int64, np.int64, np.uint8, int)
_count_codes = function(
    "count_codes", *(np.uint8, np.int64, np.int64, np.int64, int, int, np.int64)
)
_scan_json = function(
    "scan_json",
    *(np.uint8, np.int64, np.int64, int, np.int64),
    *(np.float64, np.int64, np.int64, np.uint8, np.int64, np.float64, np.int64, np.int64),
    *(np.int64, np.int64, np.uint8, np.int64),  # KEYS and FIELD_PLACE
    np.int64,
)


class Scan(NamedTuple):
    """What a scanner found in logs that lie one after another; lines count from 0 through all.

    numbers: a column a stream's object, rows FIELDS (NaN where it lacks one); records: the same
    columns, rows RECORD (line: of its bytes; section: START, INTERVALS or END; role: SENDER,
    RECEIVER, UDP or 0; test: of the log, from 1; nested: 1 in the report of the other end; stream:
    number through all logs, from 0; twice: 1 where the stream's last interval said the same; begin:
    byte offset of its brace; log: number of its log); pieces: where other values lie, columns
    PIECE; line_start: byte offset of every line; line_code: what it holds; found: a row a log,
    columns FOUND (how many lines, records and pieces there are up to its end; whole: 1 where
    nothing is broken, and nothing lies between the documents).
    """

    numbers: np.ndarray
    records: np.ndarray
    pieces: np.ndarray
    line_start: np.ndarray
    line_code: np.ndarray
    found: np.ndarray

    @property
    def first_line(self) -> np.ndarray:
        """The number of each log's first line."""
        return np.append(0, self.found[:-1, 0])

    @property
    def whole(self) -> np.ndarray:
        """Whether each log is whole."""
        return self.found[:, 3] == 1


def _key_table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for a hash of length, first and last byte, the codes, lengths and bytes of keys."""
    codes = {name: number for number, name in enumerate(FIELDS)} | PLACES
    code = np.full((256, 4), NO_WORD, np.int64)
    size = np.zeros((256, 4), np.int64)
    text = np.zeros((256, 4, LONGEST_KEY), np.uint8)
    for name, value in codes.items():
        raw = name.encode()
        slot = (len(raw) * 31 + raw[0] * 7 + raw[-1]) & 255
        free = np.flatnonzero(code[slot] == NO_WORD)[0]
        code[slot, free], size[slot, free] = value, len(raw)
        text[slot, free, : len(raw)] = list(raw)
    return code, size, text


KEYS = _key_table()


class Scanner:
    """The memory of a scanner, used again and again: to touch new memory takes as long as to scan.
    Of one thread at a time."""

    def __init__(self, n_bytes: int):
        """Make room for what so many bytes of logs mostly hold; later as much as is needed."""
        self._rooms = np.array([1 + n_bytes // n for n in BYTES_OF], np.int64)
        self._take_memory()

    def _take_memory(self) -> None:
        n_records, n_lines, n_pieces = self._rooms.tolist()
        self._numbers = np.empty((N_FIELDS, n_records))
        self._records = np.empty((len(RECORD), n_records), np.int64)
        self._lines = np.empty(n_lines, np.int64), np.empty(n_lines, np.uint8)
        self._pieces = np.empty((n_pieces, len(PIECE)), np.int64)
        self._of_streams = (np.empty(n_records), *np.empty((2, n_records), np.int64))

    def scan(self, data: memoryview, stops: list[int], ends: list[int]) -> Scan:
        """Scan logs of iperf3's JSON; what is found lies in memory that is used again.

        Args:
            data: the logs, one after another, each with a line feed at its end.
            stops: where each ends.
            ends: the same, without a line feed that is not its own.
        """
        block, found = np.frombuffer(data, np.uint8), np.empty((len(ends), len(FOUND)), np.int64)
        logs = (np.array(stops, np.int64), np.array(ends, np.int64), len(ends))
        said = None
        while said != DONE:
            if said:
                self._rooms[said - 1] *= 2
                self._take_memory()
            to = (self._numbers, self._records, *self._lines, self._pieces, *self._of_streams)
            said = _scan_json(block, *logs, self._rooms, *to, *KEYS, FIELD_PLACE, found)
        n_lines, n_records, n_pieces, _ = found[-1].tolist()
        of_objects = self._numbers[:, :n_records], self._records[:, :n_records]
        line_start, line_code = (column[:n_lines] for column in self._lines)
        return Scan(*of_objects, self._pieces[:n_pieces], line_start, line_code, found)


def paint(line_code, first, last, code) -> None:
    """Give the lines of records their code, where it is higher than what they have."""
    _paint_lines(line_code, *map(np.ascontiguousarray, (first, last, code)), len(first))


def count_codes(scan: Scan, ends: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the lines, and the bytes, of each code in each log; ends: of the logs themselves."""
    counts = np.zeros((len(ends), 2, n_codes), np.int64)
    _count_codes(scan.line_code, scan.line_start, scan.found, ends, len(ends), n_codes, counts)
    return counts
