"""Text logs of which nearly all lines are reports: rows of numbers, in one pass over the bytes.

As `shapes` it reads a log by the shapes of its lines (`lexing`). But only reports become rows of a
table. Lines of the few other shapes that matter are told one by one, and of all the rest there is
no more than how many there are in each file. The loop is `scan_reports` in lexing.c.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

import numpy as np

from ..files import ROOM_BYTES as BLOCK_ROOM
from ..files import block_readers
from .blocks import LINE_FEED, ROOM_BYTES, Block, Memory, memory, read_blocks
from .compiled import function
from .lexing import number_at, shape_of
from .logs import TOO_LONG, Log, Shape
from .terminal import without_escapes

DONE, NEW_SHAPE, FULL, HARD_NUMBER = range(4)  # why scan_reports stops
COUNTED, REPORT, TOLD = range(3)  # what becomes of the lines of a rule
MAX_NUMBERS, MAX_HARD = 64, 16
N_SHAPES = 4096  # a scanner knows at first; and kept between logs
N_TOLD = 4096
REPORT_BYTES = 40  # fewer than nearly all reports have
RUN = ("row", "file", "unit", "key")  # of rows that share the last three, and the first of them
FILE, UNIT, KEY = 1, 2, 3
_scan_reports = function(
    "scan_reports",
    *("u1", "i8", "i8", "u1", "u8", "i4", "i4", "i4", "u1"),
    *("i1", "u1", "i8", "f8", "u4", "f8", "f8", "i8", "i8"),
)
READING = (  # as in lexing.c
    *("at", "file", "line", "n_rows", "n_runs", "n_told", "n_shapes", "hard_at", "n_hard", "size"),
    *("n_files", "last_slot", "longest", "room_rows", "room_told", "n_rules", "n_columns"),
    *("key", "unknown", "too_long"),
)


class _Reading(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in READING]


class Told(NamedTuple):
    """Lines that are told. places: a row a line: number of its file, line, bytes with the line end,
    rule; texts: of each line."""

    places: np.ndarray
    texts: list[bytes]


def joined(parts: Sequence[Told]) -> Told:
    """Return lines of several parts as one."""
    places = [np.empty((0, 4), np.int64), *(part.places for part in parts)]
    return Told(np.concatenate(places), [text for part in parts for text in part.texts])


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
        self.fate = np.array([_fate(shape) for shape in self.rules], np.uint8)
        self.place = np.array([self._places(shape) for shape in self.rules], np.int8)
        assert self.place.max(initial=0) < MAX_NUMBERS and len(self.columns) <= MAX_HARD
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

    def constant(self, name: str) -> np.ndarray:
        """Return a constant by the unit's number; NaN where it has none."""
        return np.array([unit.get(name, np.nan) for unit in self.units])


REPORTS = "report"  # the kind of shapes whose lines become rows


def _fate(shape: Shape) -> int:
    if shape.kind == REPORTS:
        assert (shape.fate, shape.reason) == ("sample", None)
        return REPORT
    return TOLD if shape.text or shape.kind or shape.fate == "rejected" else COUNTED


class Rows(NamedTuple):
    """Reports. line, n_bytes: of each; values: the numbers of each, by column, NaN where one lacks
    it; runs: rows RUN, a column a run, the files are numbers in the logs that were scanned."""

    line: np.ndarray
    n_bytes: np.ndarray
    values: dict[str, np.ndarray]
    runs: np.ndarray

    def each(self, name: str, kind: type = np.float64) -> np.ndarray:
        """Return what all reports of a run share, of each report."""
        lengths = np.diff(self.runs[0], append=len(self.line)).astype(np.int64)
        return np.repeat(self.runs[RUN.index(name)].astype(kind), lengths)

    def copy(self) -> Rows:
        """Return rows in memory of their own."""
        if self.line.base is None:
            return self
        values = {name: column.copy() for name, column in self.values.items()}
        return Rows(self.line.copy(), self.n_bytes.copy(), values, self.runs)

    def take(self, runs: np.ndarray) -> Rows:
        """Return the rows of some runs."""
        if runs.all():
            return self
        lengths = np.diff(self.runs[0], append=len(self.line)).astype(np.int64)
        of_rows, taken = np.repeat(runs, lengths), self.runs[:, runs]
        taken[0] = np.cumsum(lengths[runs]) - lengths[runs]
        values = {name: column[of_rows] for name, column in self.values.items()}
        return Rows(self.line[of_rows], self.n_bytes[of_rows], values, taken)


class Scan(NamedTuple):
    """What some logs hold.

    counts: of each log and rule the lines and the bytes; rows: the reports, in parts; told: lines
    in order.
    """

    logs: Sequence[Log]
    counts: np.ndarray
    rows: list[Rows]
    told: Told


class _Scanner:
    """The shapes that were met, and memory that is used again; of one thread at a time."""

    def __init__(self, meaning: Meaning):
        self.meaning = meaning
        self.buffer = memory(ROOM_BYTES)
        self.told = np.empty((N_TOLD, 6), np.int64)
        self.hard_places, self.hard = np.zeros(MAX_HARD, np.int64), np.zeros(MAX_HARD)
        self._rows: list[np.ndarray] = [
            np.empty((2, 0), np.uint32),
            np.empty((len(RUN), 0)),
            np.empty((len(meaning.columns), 0)),
        ]
        self.forget()

    def forget(self) -> None:
        """Forget all shapes."""
        self.n_shapes = 0
        self._room_for(N_SHAPES, (np.empty(0, np.uint64), *[np.empty(0, np.int32)] * 2))

    def _room_for(self, n: int, known: tuple[np.ndarray, ...]) -> None:
        """Make room for n shapes; known: hashes, rules and units of those that are known."""
        self.of_shapes = [np.concatenate([k, np.zeros(n - len(k), k.dtype)]) for k in known]
        self.table = np.zeros(4 * n, np.int32)
        last = len(self.table) - 1
        for number, state in enumerate(known[0].tolist(), 1):  # as in lexing.c
            slot = (state >> 32) & last
            while self.table[slot]:
                slot = (slot + 1) & last
            self.table[slot] = number

    def scan(self, of: Block, longest: float) -> tuple[Rows, Told, np.ndarray]:
        """Return rows, told and counts as of `Scan`, counts from the block's first file on."""
        meaning, data, block = self.meaning, of.data, np.frombuffer(of.data, np.uint8)
        ends, lacks = np.array(of.ends, np.int64), np.array(of.lacks, np.uint8)
        if self.n_shapes > N_SHAPES:
            self.forget()
        places, runs, values = self._rows_for(len(block) // REPORT_BYTES + 1, 0)
        n_columns = len(meaning.columns)
        in_use = np.zeros(n_columns, np.uint8)
        rules = list(set(self.of_shapes[1][: self.n_shapes].tolist()))
        in_use[(meaning.place[rules] >= 0).any(axis=0)] = 1
        counts = np.zeros((len(ends), len(meaning.rules), 2), np.int64)
        told: list[Told] = []
        reading = _Reading(
            size=len(block), n_files=len(ends), line=of.first_line, room_rows=places.shape[1]
        )
        reading.longest = int(min(longest, 2**62))
        reading.room_told, reading.n_rules, reading.n_columns = N_TOLD, *meaning.place.shape
        reading.unknown, reading.too_long = meaning.unknown, meaning.too_long
        reading.key = meaning.key
        reading.n_shapes = self.n_shapes
        state = np.frombuffer(memoryview(reading), np.int64)
        said = NEW_SHAPE
        while said != DONE:
            reading.last_slot = len(self.table) - 1
            of_rules = (meaning.fate, meaning.place, in_use, self.hard_places, self.hard)
            out = (places, values, runs, self.told, counts)
            said = _scan_reports(block, state, ends, lacks, *self.of_shapes, self.table, *of_rules,
                                 *out)  # fmt: skip
            if said == NEW_SHAPE:
                rule = self._note_shape(shape_of(line_at(data, reading.at)), reading.n_shapes)
                added = (meaning.place[rule] >= 0) & (in_use == 0)
                values[added, : reading.n_rows] = np.nan
                in_use[added] = 1
            elif said == HARD_NUMBER:
                self.hard_places[reading.n_hard] = reading.hard_at
                self.hard[reading.n_hard] = number_at(data, reading.hard_at)
                reading.n_hard += 1
            else:
                told.append(self._told(data, reading.n_told))
                reading.n_told = 0
                if said == FULL and reading.n_rows == reading.room_rows:
                    places, runs, values = self._rows_for(2 * reading.n_rows, reading.n_rows)
                    reading.room_rows = places.shape[1]
        n = reading.n_rows
        used = [i for i in range(n_columns) if in_use[i] and i != meaning.key]
        numbers = {meaning.columns[i]: values[i, :n] for i in used}
        of_rows = runs[:, : reading.n_runs].copy()
        of_rows[FILE] += of.first
        lines, sizes = places[:, :n]
        found = joined(told)
        found.places[:, 0] += of.first
        return Rows(lines, sizes, numbers, of_rows), found, counts

    def _told(self, data: memoryview, n: int) -> Told:
        """Return the lines that are told, n of them."""
        told = self.told[:n]
        begin, length = told[:, 2], told[:, 3]
        ends = zip(begin.tolist(), (begin + length).tolist(), strict=True)
        return Told(told[:, [0, 1, 4, 5]], [bytes(data[i:j]) for i, j in ends])

    def _rows_for(self, n: int, kept: int) -> list[np.ndarray]:
        """Return places, runs and values with room for n rows, of which some are kept.

        They are the same again and again: to touch new memory takes as long as to scan.
        """
        if n > self._rows[0].shape[1]:
            before = self._rows
            self._rows = [np.empty((len(rows), n), rows.dtype) for rows in before]
            for old, new in zip(before, self._rows, strict=True):
                new[:, :kept] = old[:, :kept]
        return self._rows

    def _note_shape(self, text: str, n_shapes: int) -> int:
        """Note the rule and the unit of the shape that was met last; return the rule."""
        self.n_shapes = n_shapes
        rule, unit = self.meaning.of_shape(text)
        for of_shape, value in zip(self.of_shapes[1:], (rule, unit), strict=True):
            of_shape[n_shapes - 1] = value
        if n_shapes == len(self.of_shapes[0]):
            self._room_for(2 * n_shapes, tuple(self.of_shapes))
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

    The last part of the rows lies in memory that is used again: what is to be kept of it when the
    block ends is copied then.
    """
    try:
        scanner = meaning.free.pop()
    except IndexError:
        scanner = _Scanner(meaning)
    counts = np.zeros((len(logs), len(meaning.rules), 2), np.int64)
    longest = min(log.line_bytes for log in logs)
    parts: list[Rows] = []
    told = []
    for block in read_blocks(logs, scanner.buffer, _blocks_of):
        parts = [*parts[:-1], *(rows.copy() for rows in parts[-1:])]
        rows, lines, n = scanner.scan(_without_escapes(block), longest)
        told.append(lines)
        counts[block.first : block.first + len(n)] += n
        parts.append(rows)
    try:
        yield Scan(logs, counts, parts, joined(told))
    finally:
        parts[:] = [rows.copy() for rows in parts]
        meaning.free.append(scanner)


def _without_escapes(block: Block) -> Block:
    """Return a block without a terminal's colours."""
    data = block.data.obj
    assert isinstance(data, bytes | Memory)
    if data.find(b"\x1b", 0, len(block.data)) < 0:
        return block
    return block._replace(data=memoryview(without_escapes(bytes(block.data))))


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
        lines += int(np.count_nonzero(np.frombuffer(piece, np.uint8) == LINE_FEED))
    if rest:
        data = memoryview(rest + b"\n")
        yield Block(data, number, lines, [len(data)], [True])
