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
]  # rows of `Scan.records`
PIECE = ["begin", "end", "line", "place", "test", "nested"]  # columns of `Scan.pieces`
LONGEST_KEY = 24
_count_json = function("count_json", np.uint8, int, np.int64)
_paint_lines = function("paint_lines", np.uint8, np.int64, np.int64, np.uint8, int)
_count_codes = function("count_codes", np.uint8, np.int64, int, int, int, np.int64)
_scan_json = function(
    "scan_json",
    *(np.uint8, int, np.float64, np.int64, int, np.int64, int, np.int64, np.uint8),
    *(np.int64, np.int64, np.uint8, np.int64),  # KEYS and FIELD_PLACE
    *(np.float64, np.int64, np.int64, np.int64),
)


class Scan(NamedTuple):
    """What `scan` found in a log.

    numbers: a column a stream's object, rows FIELDS (NaN where it lacks one); records: the same
    columns, rows RECORD (line: of its bytes; section: START, INTERVALS or END; role: SENDER,
    RECEIVER, UDP or 0; test: from 1; nested: 1 in the report of the other end; stream: number in
    the file, from 0; twice: 1 where the stream's last interval said the same; begin: byte offset of
    its brace); pieces: where other
    values lie, columns PIECE; line_start: byte offset of every line; line_code: what it holds;
    whole: nothing is broken, and nothing lies between the documents.
    """

    numbers: np.ndarray
    records: np.ndarray
    pieces: np.ndarray
    line_start: np.ndarray
    line_code: np.ndarray
    whole: bool


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


def scan(content: bytes) -> Scan:
    """Scan a log of iperf3's JSON."""
    data = np.frombuffer(content, dtype=np.uint8)
    counts = np.empty(2, np.int64)
    _count_json(data, data.size, counts)
    n_lines, n_objects = counts.tolist()
    room, found = 64, np.empty(3, np.int64)
    of_streams = (np.empty(n_objects), np.empty(n_objects, np.int64), np.empty(n_objects, np.int64))
    while True:
        numbers = np.empty((N_FIELDS, n_objects))
        records = np.empty((len(RECORD), n_objects), np.int64)
        pieces = np.empty((room, len(PIECE)), np.int64)
        line_start = np.empty(n_lines, np.int64)
        line_code = np.empty(n_lines, np.uint8)
        objects, others = (numbers, records, n_objects), (pieces, room, line_start, line_code)
        _scan_json(data, data.size, *objects, *others, *KEYS, FIELD_PLACE, *of_streams, found)
        n_records, n_pieces, whole = found.tolist()
        if n_pieces <= room:
            parts = (numbers[:, :n_records], records[:, :n_records], pieces[:n_pieces])
            return Scan(*parts, line_start, line_code, bool(whole))
        room = n_pieces


def paint(line_code, first, last, code) -> None:
    """Give the lines of records their code, where it is higher than what they have."""
    _paint_lines(line_code, *map(np.ascontiguousarray, (first, last, code)), len(first))


def count_codes(line_code, line_start, size: int, n_codes: int) -> np.ndarray:
    """Return the number of lines, and of bytes, of each code."""
    counts = np.zeros((2, n_codes), np.int64)
    _count_codes(line_code, line_start, len(line_code), size, n_codes, counts)
    return counts
