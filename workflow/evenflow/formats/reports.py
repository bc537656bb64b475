"""Text logs of which nearly all lines are reports: rows of numbers, in one pass over the bytes.

As `shapes` it reads a log by the shapes of its lines (`lexing`). But only reports become rows of a
table. Lines of the few other shapes that matter are told one by one, and of all the rest there is
no more than how many there are in each file. The loop is `scan_reports` in lexing.c.
"""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ..files import ROOM_BYTES as BLOCK_ROOM
from ..files import block_readers
from .blocks import LINE_FEED, ROOM_BYTES, Block, Memory, memory, read_blocks
from .compiled import function
from .line_shape import number_at, shape_of
from .logs import TOO_LONG, Log, Shape
from .terminal import without_escapes

DONE, NEW_SHAPE, FULL, HARD_NUMBER = range(4)  # why scan_reports stops
COUNTED, REPORT, TOLD = range(3)  # what becomes of the lines of a rule
MAX_NUMBERS, MAX_HARD = 64, 16
N_SHAPES = 4096  # a scanner knows at first; and kept between logs
N_TOLD, N_PLACES = 4096, 6  # lines that are told at once, and what is said of each
REPORT_BYTES = 40  # fewer than nearly all reports have
READING = (  # as in lexing.c
    *("at", "file", "line", "n_rows", "n_runs", "n_told", "n_shapes", "hard_at", "n_hard", "size"),
    *("n_files", "first_file", "last_slot", "longest", "room_rows", "room_told", "n_rules"),
    *("n_columns", "key", "unknown", "too_long"),
)
Column: TypeAlias = "memoryview[Any]"  # of memory


class _Reading(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in READING]


_scan_reports = function(
    "scan_reports",
    *("u1", _Reading, "i8", "u1", "u8", "i4", "i4", "i4", "u1"),
    *("i1", "u1", "i8", "f8", "u4", "f8", "i8", "f8", "i8", "i8", "i8"),
)


Kind = Literal["b", "B", "i", "I", "q", "Q", "d"]  # of numbers, as `array` names it


def zeros(kind: Kind, n: int) -> Column:
    """Return n zeros in memory, of a kind as `array` names it."""
    return memoryview(memory(n * array(kind).itemsize)).cast("B").cast(kind)


class Told(NamedTuple):
    """Lines that are told, in columns: number of the log, line, bytes with the line end, rule, and
    text of each."""

    file: list[int]
    line: list[int]
    n_bytes: list[int]
    rule: list[int]
    text: list[bytes]


class Meaning:
    """What the shapes of a format mean: of each line its rule, and of a report its unit."""

    def __init__(
        self,
        shapes: Sequence[Shape],
        unknown: str,
        constants: Callable[[re.Match], dict[str, float]],
        key: str,
    ):
        """Take the shapes of a format, see `shapes.read_lines`.

        key: the column that says of which stream a report is: reports of one stream mostly follow
        one another, so that it need not be kept of each.
        """
        self.rules = [
            *shapes,
            Shape("rejected", ".*", reason=unknown),
            Shape("rejected", "", reason=TOO_LONG),
        ]
        self.unknown, self.too_long = len(shapes), len(shapes) + 1
        names = (name for shape in shapes for name in shape.columns.split())
        self.columns = [name for name in dict.fromkeys(names) if name != "_"]
        self.key = self.columns.index(key)
        self.fate = bytes(_fate(shape) for shape in self.rules)
        self.place = [self._places(shape) for shape in self.rules]
        assert max(map(max, self.place)) < MAX_NUMBERS and len(self.columns) <= MAX_HARD
        self.units: list[dict[str, float]] = [{}]
        self._constants, self._lock = constants, Lock()
        self.free: list[_Scanner] = []
        self._known: dict[str, tuple[int, int]] = {}

    def _places(self, shape: Shape) -> list[int]:
        numbers = shape.columns.split()
        return [numbers.index(name) if name in numbers else -1 for name in self.columns]

    def of_shape(self, text: str) -> tuple[int, int]:
        """Return the numbers of a shape's rule and of its unit."""
        with self._lock:
            if (known := self._known.get(text)) is not None:
                return known
            rules = self.rules[: self.too_long]
            matches = (re.fullmatch(rule.pattern, text, re.DOTALL) for rule in rules)
            rule, match = next((i, match) for i, match in enumerate(matches) if match)
            constants = self._constants(match)
            if constants not in self.units:
                self.units.append(constants)
            if len(self._known) > N_SHAPES:  # of logs of anything
                self._known.clear()
            self._known[text] = found = rule, self.units.index(constants)
            return found

    def constant(self, name: str) -> array[float]:
        """Return a constant by the unit's number; NaN where it has none."""
        return array("d", [unit.get(name, math.nan) for unit in self.units])


def _larger(column: Column, n: int) -> Column:
    to = zeros(cast(Kind, column.format), n)
    to[: len(column)] = column
    return to


REPORTS = "report"  # the kind of shapes whose lines become rows


def _fate(shape: Shape) -> int:
    if shape.kind == REPORTS:
        assert (shape.fate, shape.reason) == ("sample", None)
        return REPORT
    return TOLD if shape.text or shape.kind or shape.fate == "rejected" else COUNTED


class Rows(NamedTuple):
    """Reports, in columns. line, n_bytes: of each; values: the numbers of each, by column, NaN
    where one lacks it. A run is reports that follow one another and share log, unit and key; begin,
    file, unit, key: of each run the first report, the number of the log in those that were scanned,
    and these."""

    line: Column
    n_bytes: Column
    values: dict[str, Column]
    begin: Column
    file: Column
    unit: Column
    key: Column

    def copy(self) -> Rows:
        """Return rows in memory of their own."""
        line, n_bytes, values, *runs = self
        of_values = {name: _copy(column) for name, column in values.items()}
        return Rows(_copy(line), _copy(n_bytes), of_values, *map(_copy, runs))


def _copy(column: Column) -> Column:
    return _larger(column, len(column))


class Scan(NamedTuple):
    """What some logs hold.

    counts, sizes: lines and bytes of each log and rule, the rules of a log one after another; rows:
    the reports, in parts; told: lines in order.
    """

    logs: Sequence[Log]
    counts: Column
    sizes: Column
    rows: list[Rows]
    told: Told


class _Scanner:
    """The shapes that were met, and memory that is used again; of one thread at a time."""

    def __init__(self, meaning: Meaning):
        self.meaning = meaning
        self.buffer = memory(ROOM_BYTES)
        self.told = zeros("q", N_PLACES * N_TOLD)
        self.hard_places, self.hard = zeros("q", MAX_HARD), zeros("d", MAX_HARD)
        self.place = array("b", [nth for places in meaning.place for nth in places])
        self.rows, self.room_rows = self._room(0), 0
        self.forget()

    def forget(self) -> None:
        """Forget all shapes."""
        self.n_shapes = 0
        self._room_for(N_SHAPES, (zeros("Q", 0), zeros("i", 0), zeros("i", 0)))

    def _room_for(self, n: int, known: tuple[Column, ...]) -> None:
        """Make room for n shapes; known: hashes, rules and units of those that are known."""
        self.of_shapes = tuple(_larger(column, n) for column in known)
        self.table = zeros("i", 4 * n)
        last = len(self.table) - 1
        for number, state in enumerate(known[0], 1):  # as in lexing.c
            slot = (state >> 32) & last
            while self.table[slot]:
                slot = (slot + 1) & last
            self.table[slot] = number

    def scan(self, of: Block, longest: float, counts: Column, sizes: Column, told: Told) -> Rows:
        """Return rows as of `Scan`; add to counts and sizes, from the block's first file on, and to
        told."""
        meaning, data = self.meaning, of.data
        block: bytes | memoryview = data
        if data.readonly:  # it is bytes, of which C has the address
            is_all = isinstance(data.obj, bytes) and len(data.obj) == len(data)
            block = cast(bytes, data.obj) if is_all else bytes(data)
        ends, lacks = array("q", of.ends), bytes(of.lacks)
        if self.n_shapes > N_SHAPES:
            self.forget()
        self._make_room(len(data) // REPORT_BYTES + 1, 0)
        in_use = bytearray(len(meaning.columns))
        for rule in set(self.of_shapes[1][: self.n_shapes]):
            self._use(rule, in_use, 0)
        reading = _Reading(
            size=len(data), n_files=len(ends), first_file=of.first, line=of.first_line
        )
        reading.longest = int(min(longest, 2**62))
        reading.room_told, reading.n_rules = N_TOLD, len(meaning.rules)
        reading.n_columns = len(meaning.columns)
        reading.unknown, reading.too_long = meaning.unknown, meaning.too_long
        reading.key = meaning.key
        reading.n_shapes = self.n_shapes
        said = NEW_SHAPE
        while said != DONE:
            reading.last_slot, reading.room_rows = len(self.table) - 1, self.room_rows
            of_rules = (meaning.fate, self.place, in_use, self.hard_places, self.hard)
            out = (*self.rows, self.told, counts, sizes)
            shapes = (*self.of_shapes, self.table)
            said = _scan_reports(block, reading, ends, lacks, *shapes, *of_rules, *out)
            if said == NEW_SHAPE:
                rule = self._note_shape(shape_of(line_at(data, reading.at)), reading.n_shapes)
                self._use(rule, in_use, reading.n_rows)
            elif said == HARD_NUMBER:
                self.hard_places[reading.n_hard] = reading.hard_at
                self.hard[reading.n_hard] = number_at(data, reading.hard_at)
                reading.n_hard += 1
            else:
                self._tell(data, reading.n_told, told)
                reading.n_told = 0
                if said == FULL and reading.n_rows == self.room_rows:
                    self._make_room(2 * self.room_rows, reading.n_rows)
        return self._rows(reading.n_rows, reading.n_runs, in_use)

    def _use(self, rule: int, in_use: bytearray, n: int) -> None:
        """Note the columns of a rule; n reports before had none of those that are new."""
        values = self.rows[1]
        for column, nth in enumerate(self.meaning.place[rule]):
            if nth >= 0 and not in_use[column]:
                in_use[column] = 1
                begin = column * self.room_rows
                values[begin : begin + n] = array("d", [math.nan]) * n

    def _rows(self, n: int, n_runs: int, in_use: bytearray) -> Rows:
        places, values, runs, keys = self.rows
        columns, room = self.meaning.columns, self.room_rows
        used = [i for i in range(len(columns)) if in_use[i] and i != self.meaning.key]
        return Rows(
            places[:n],
            places[room : room + n],
            {columns[i]: values[i * room : i * room + n] for i in used},
            runs[:n_runs],
            runs[room : room + n_runs],
            runs[2 * room : 2 * room + n_runs],
            keys[:n_runs],
        )

    def _tell(self, data: memoryview, n: int, told: Told) -> None:
        """Add the lines that are told, n of them."""
        places = self.told[: N_PLACES * n]
        of_lines = [places[i::N_PLACES].tolist() for i in range(N_PLACES)]
        file, line, begins, lengths, n_bytes, rule = of_lines
        between = zip(begins, lengths, strict=True)
        told.text.extend(bytes(data[begin : begin + length]) for begin, length in between)
        for column, more in zip(told[:-1], (file, line, n_bytes, rule), strict=True):
            column.extend(more)

    def _make_room(self, n: int, kept: int) -> None:
        """Make room for n reports, of which some are kept.

        It is the same again and again: to touch new memory takes as long as to scan.
        """
        if n <= self.room_rows:
            return
        before, n_before = self.rows, self.room_rows
        self.rows, self.room_rows = self._room(n), n
        for old, new in zip(before, self.rows, strict=True):
            for i in range(len(new) // n):
                new[i * n : i * n + kept] = old[i * n_before : i * n_before + kept]

    def _room(self, n: int) -> tuple[Column, ...]:
        """Return room for n reports: line and bytes of each, numbers of each, begin, file and unit
        of each run, key of each run."""
        values = zeros("d", len(self.meaning.columns) * n)
        return zeros("I", 2 * n), values, zeros("q", 3 * n), zeros("d", n)

    def _note_shape(self, text: str, n_shapes: int) -> int:
        """Note the rule and the unit of the shape that was met last; return the rule."""
        self.n_shapes = n_shapes
        rule, unit = self.meaning.of_shape(text)
        for of_shape, value in zip(self.of_shapes[1:], (rule, unit), strict=True):
            of_shape[n_shapes - 1] = value
        if n_shapes == len(self.of_shapes[0]):
            self._room_for(2 * n_shapes, self.of_shapes)
        return rule


def line_at(data: memoryview, at: int) -> bytes:
    """Return the line that begins at a byte."""
    n = 256
    while b"\n" not in (line := bytes(data[at : at + n])):
        n *= 4
    return line[: line.index(b"\n")]


@contextmanager
def scanned(logs: Sequence[Log], meaning: Meaning) -> Iterator[Scan]:
    """Read logs of one format, from the memory or from their files.

    The last part of the rows lies in memory that is used again: it is gone when the block ends.
    """
    try:
        scanner = meaning.free.pop()
    except IndexError:
        scanner = _Scanner(meaning)
    n_rules = len(meaning.rules)
    counts, sizes = (zeros("q", n_rules * len(logs)) for _ in range(2))
    longest = min(log.line_bytes for log in logs)
    parts: list[Rows] = []
    told = Told([], [], [], [], [])
    for block in read_blocks(logs, scanner.buffer, _blocks_of):
        parts[-1:] = [rows.copy() for rows in parts[-1:]]
        begin = n_rules * block.first
        of_block = (counts[begin:], sizes[begin:], told)
        parts.append(scanner.scan(_without_escapes(block), longest, *of_block))
    yield Scan(logs, counts, sizes, parts, told)
    meaning.free.append(scanner)


def _without_escapes(block: Block) -> Block:
    """Return a block without a terminal's colours."""
    data = block.data.obj
    assert isinstance(data, bytes | Memory)
    if data.find(b"\x1b", 0, len(block.data)) < 0:
        return block
    return block._replace(data=memoryview(without_escapes(bytes(block.data))))


def _line_feeds(piece: bytes | memoryview) -> int:
    whole = piece.obj if isinstance(piece, memoryview) else piece
    assert isinstance(whole, bytes | bytearray)
    return whole.count(b"\n", 0, len(piece))


def _blocks_of(log: Log, number: int) -> Iterator[Block]:
    """Yield a log that does not fit into the buffer in blocks of whole lines."""
    large = log.path if log.is_large else None
    room = bytearray(BLOCK_ROOM) if large else None
    pieces = (read(room) for read in block_readers(large)) if large else [log.whole]
    lines, rest = 0, b""
    for piece in pieces:
        piece = b"".join([rest, piece]) if rest else piece
        rest = b""
        if not len(piece):  # the file was cut meanwhile
            break
        if piece[-1] != LINE_FEED:  # a line that is too long, or the last
            rest = bytes(piece)
            continue
        yield Block(memoryview(piece), number, lines, [len(piece)], [False])
        lines += _line_feeds(piece)
    if rest:
        data = memoryview(rest + b"\n")
        yield Block(data, number, lines, [len(data)], [True])
