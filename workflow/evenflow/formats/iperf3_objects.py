"""The scanner of iperf3's JSON: finds what evenflow needs in one pass over the bytes.

A JSON parser makes an object of everything; nine tenths of an iperf3 document are not needed. This
scanner checks the grammar, keeps the numbers of the flat objects that have a "socket" (the streams
of an interval, of the final report, and the connections), remembers where the few other values lie,
and counts lines. It reads documents one after another, one a line, or with plain text between, and
goes on after a broken one. Beyond JSON it reads nan and inf, which old iperf3 writes. The
loop is in iperf3_objects.c. It does without NumPy, as all that scans: while NumPy and Polars are
imported, logs are scanned.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

from .blocks import Block, Memory, memory
from .compiled import function
from .logs import Log

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
# fields that are places where their value is an object
_OF_FIELDS = {"start": START, "end": END, "sender": SENDER}
FIELD_PLACE = array("q", [_OF_FIELDS.get(name, NO_WORD) for name in FIELDS])
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
KEYS_OF_A_HASH = 4
LONGEST_KEY = 24
_scan_json = function(
    "scan_json",
    *("u1", "i8", "i8", int, "i8", "f8", "i8", "i8", "u1", "i8", "f8", "i8", "i8"),
    *("i8", "i8", "u1", "i8"),  # KEYS and FIELD_PLACE
    "i8",
)


class Logs(NamedTuple):
    """Logs of a block: memory that begins with them; of each its file's id, where it begins and
    ends, and where the line feed behind it ends, which may not be its own."""

    content: Memory
    file_ids: list[int]
    begins: list[int]
    ends: list[int]
    stops: list[int]

    @classmethod
    def of(cls, block: Block, logs: Sequence[Log]) -> Logs:
        """Return the logs of a block, of all."""
        content = block.data.obj
        assert isinstance(content, Memory)
        ids = [log.file_id for log in logs[block.first : block.first + len(block.ends)]]
        ends = [stop - lacks for stop, lacks in zip(block.ends, block.lacks, strict=True)]
        return cls(content, ids, [0, *block.ends[:-1]], ends, block.ends)

    def change(self, log: int, to: Callable[[bytes], bytes]) -> bool:
        """Put other bytes, as many, in the place of a log; return whether they are others."""
        place = slice(self.begins[log], self.ends[log])
        before = bytes(self.content[place])
        self.content[place] = after = to(before)
        return after != before


class Scan(NamedTuple):
    """What a scanner found in logs that lie one after another; lines count from 0 through all.

    numbers: a column for each of FIELDS (NaN where it lacks one), `room` apart, with a row a
    stream's object, n of them; records: the same rows, columns RECORD (line: of its bytes; first,
    last: of all of it; section: START, INTERVALS or END; role: SENDER, RECEIVER, UDP or 0; test: of
    the log, from 1; nested: 1 in the report of the other end; stream: number through all logs, from
    0; twice: 1 where the stream's last interval said the same; begin: byte offset of its brace;
    log: number of its log); pieces: where other values lie, rows PIECE; line_start: byte offset of
    every line; line_code: what it holds; found: FOUND of each log, one after another (how many
    lines, records and pieces there are up to its end; whole: 1 where nothing is broken, and nothing
    lies between the documents).
    """

    numbers: memoryview[Any]
    records: memoryview[Any]
    room: int
    n: int
    pieces: list[tuple[int, ...]]
    line_start: memoryview[Any]
    line_code: memoryview[Any]
    found: array

    def number(self, name: str) -> memoryview[Any]:
        """Return one of FIELDS of all objects."""
        return self._column(self.numbers, FIELDS.index(name))

    def record(self, name: str) -> memoryview[Any]:
        """Return one of RECORD of all objects."""
        return self._column(self.records, RECORD.index(name))

    def _column(self, of: memoryview[Any], number: int) -> memoryview[Any]:
        return of[number * self.room : number * self.room + self.n]

    def of_logs(self, name: str) -> list[int]:
        """Return one of FOUND of all logs."""
        return self.found[FOUND.index(name) :: len(FOUND)].tolist()


def _key_table() -> tuple[array, array, bytearray]:
    """Return, for a hash of length, first and last byte, the codes, lengths and bytes of keys."""
    n = 256 * KEYS_OF_A_HASH
    codes, sizes = array("q", [NO_WORD] * n), array("q", [0] * n)
    texts = bytearray(n * LONGEST_KEY)
    for name, code in ({name: number for number, name in enumerate(FIELDS)} | PLACES).items():
        raw = name.encode()
        place = ((len(raw) * 31 + raw[0] * 7 + raw[-1]) & 255) * KEYS_OF_A_HASH
        while codes[place] != NO_WORD:
            place += 1
        codes[place], sizes[place] = code, len(raw)
        texts[place * LONGEST_KEY : place * LONGEST_KEY + len(raw)] = raw
    return codes, sizes, texts


KEYS = _key_table()


class Scanner:
    """The memory of a scanner, used again and again: to touch new memory takes as long as to scan.
    Of one thread at a time."""

    def __init__(self, n_bytes: int):
        """Make room for what so many bytes of logs mostly hold; later as much as is needed."""
        self._rooms = array("q", [1 + n_bytes // n for n in BYTES_OF])
        self._take_memory()

    def _take_memory(self) -> None:
        """Take it at once: of large memory less must be touched for the first time (`memory`)."""
        n_records, n_lines, n_pieces = self._rooms
        parts: dict[str, tuple[Literal["B", "d", "q"], int]] = {
            "numbers": ("d", N_FIELDS * n_records),
            "records": ("q", len(RECORD) * n_records),
            "line_start": ("q", n_lines),
            "line_code": ("B", n_lines),
            "pieces": ("q", len(PIECE) * n_pieces),
            "sockets": ("d", n_records),
            "nestings": ("q", n_records),
            "latest": ("q", n_records),
        }
        sizes = [8 * (n // 8 + 1) if kind == "B" else 8 * n for kind, n in parts.values()]
        room, places = memoryview(memory(sum(sizes))), pairwise(accumulate(sizes, initial=0))
        self._memory = {
            name: room[begin:end].cast(kind)
            for (name, (kind, _)), (begin, end) in zip(parts.items(), places, strict=True)
        }

    def scan(self, data: memoryview, stops: Sequence[int], ends: Sequence[int]) -> Scan:
        """Scan logs of iperf3's JSON; what is found lies in memory that is used again.

        Args:
            data: the logs, one after another, each with a line feed at its end.
            stops: where each ends.
            ends: the same, without a line feed that is not its own.
        """
        found = array("q", bytes(8 * len(FOUND) * len(ends)))
        logs = (array("q", stops), array("q", ends), len(ends))
        said = None
        while said != DONE:
            if said:
                self._rooms[said - 1] *= 2
                self._take_memory()
            to = self._memory.values()
            said = _scan_json(data, *logs, self._rooms, *to, *KEYS, FIELD_PLACE, found)
        return self._found(found)

    def _found(self, found: array) -> Scan:
        n_lines, n_records, n_pieces = found[-len(FOUND) : -1]
        of = self._memory
        pieces = of["pieces"][: n_pieces * len(PIECE)].tolist()
        return Scan(
            of["numbers"],
            of["records"],
            self._rooms[0],
            n_records,
            [*zip(*[iter(pieces)] * len(PIECE), strict=True)],
            of["line_start"][:n_lines],
            of["line_code"][:n_lines],
            found,
        )
