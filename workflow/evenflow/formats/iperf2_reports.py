"""Reports of iperf 2: in SI units, and those of plain logs apart (the loops: iperf2_reports.c).

Plain are logs of one connection, announced before its reports, all of which are sane. Nearly all
logs are. Their reports are taken apart batch by batch: no report is looked at twice, none is joined
with anything. Whatever is not plain takes the long way (`iperf2.tables`), by which plain logs give
the same.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from .blocks import memory
from .compiled import function
from .factors import FACTOR
from .iperf2_lines import read_connected
from .reports import Column, Kind, Meaning, Rows, Scan, zeros

LARGEST_RATE = 1e13  # bit/s, ten times the fastest link: wrong counters print far more
LARGEST_BYTES = 2.0**62
LONGEST = 1e9  # s, 30 years
MOST = array("d", [LARGEST_RATE, LARGEST_BYTES, LONGEST])
KINDS = INTERVAL, SUMMARY, OTHER = range(3)
MEASURED = ("t_start_s", "t_end_s", "bytes", "throughput_bps")  # of each report

# how many reports and runs there are, and where each run begins
_RUNS: tuple[type[int] | str, ...] = (int, int, "i8")
_put_in_units = function("put_in_units", *_RUNS, "i8", "f8", *["f8"] * 7)
_find_plain = function(
    "find_plain",
    *(*_RUNS, "i8", "i8", "f8", "u4", *["f8"] * 4),
    *("f8", "u1", "f8", "i8", "u1", "i8"),
)
_sort_reports = function("sort_reports", *_RUNS, "i8", "f8", "u1", "i8", "u1", "u1", "i8")
# how many reports there are, their kinds, and the wanted kind
_OF_KIND: tuple[type[int] | str, ...] = (int, "u1", int)
_numbers_of_kind = function("numbers_of_kind", *_OF_KIND, "f8", "f8")
_integers_of_kind = function("integers_of_kind", *_OF_KIND, "f8", "i8")
_places_of_kind = function("places_of_kind", *_OF_KIND, *_RUNS[1:], "i8", "u4", "u4", "u4", "u4")
_marks_of_kind = function(
    "marks_of_kind", *_OF_KIND, *_RUNS[1:], "i8", "f8", "u4", "u4", "f8", "u4"
)
Columns = dict[str, Column]


class Reports(NamedTuple):
    """Reports of some logs, in columns: file_id, line and numbers, NaN where one lacks it.

    interval, summary: of plain logs, with whole bytes; others: of all others. Those two have
    n_bytes of their lines as well, `unit` (see `Meaning.constant`) and `label`.
    """

    interval: Columns
    summary: Columns
    others: Columns


def put_in_units(rows: Rows, meaning: Meaning) -> None:
    """Give reports bytes and rates in SI units, in the place of what is printed; a label and a half
    to '[ *1]'."""
    values = rows.values
    if "amount" not in values:
        return  # no report was met
    amount, rate = values.pop("amount"), values.pop("rate")
    units = (meaning.constant(name) for name in ("byte_factor", "bit_factor", "star"))
    times = (values["t_start_s"], values["t_end_s"])
    _put_in_units(*_runs(rows), rows.unit, rows.key, *units, *times, amount, rate)
    values["bytes"], values["throughput_bps"] = amount, rate


def _runs(rows: Rows) -> tuple[int, int, Column]:
    return len(rows.line), len(rows.begin), rows.begin


def take_reports(scan: Scan, meaning: Meaning) -> list[Reports]:
    """Take the reports of logs, in SI units, out of what was scanned, into memory of their own."""
    parts = [rows for rows in scan.rows[::-1] if len(rows.line)]
    scan.rows.clear()
    plain, n_reports = _plain_logs(scan, parts, meaning)
    begun = bytearray(len(scan.logs))
    file_ids = array("I", [log.file_id for log in scan.logs])
    taken = []
    while parts:  # each is forgotten once it is taken
        taken.append(_sorted(parts.pop(), (plain, n_reports, begun), file_ids))
    return taken


def _plain_logs(scan: Scan, parts: Sequence[Rows], meaning: Meaning) -> tuple[bytearray, Column]:
    """Return of each log whether it is plain, and how many reports it has."""
    n_logs = len(scan.logs)
    label, line = array("d", [math.nan]) * n_logs, zeros("q", n_logs)
    plain, n_reports = bytearray(b"\1") * n_logs, zeros("q", n_logs)
    kinds = [rule.kind for rule in meaning.rules]
    for log, number, _, rule, text in zip(*scan.told, strict=True):
        if kinds[rule] == "server-report":
            plain[log] = 0
        elif kinds[rule] == "connected":
            said = read_connected(text)
            is_one = said is not None and not said.star and said.local_port != "0"
            plain[log] &= is_one and math.isnan(label[log])
            label[log], line[log] = said.label if said else -1, number
    units = zip(meaning.constant("star"), meaning.constant("byte_factor"), strict=True)
    special = bytes(star > 0 or factor >= FACTOR["G"] for star, factor in units)
    for rows in parts:
        of_reports = (rows.line, *(rows.values[name] for name in MEASURED))
        of_logs = (label, line, plain, n_reports)
        _find_plain(*_runs(rows), rows.file, rows.unit, rows.key, *of_reports, MOST, special,
                    *of_logs)  # fmt: skip
    return plain, n_reports


def _sorted(rows: Rows, of_logs: tuple, file_ids: array[int]) -> Reports:
    """Return the reports of a part; of_logs: whether each is plain, how many reports it has, and
    whether it has had one, set here."""
    kind, counts = bytearray(len(rows.line)), zeros("q", len(KINDS))
    _sort_reports(*_runs(rows), rows.file, rows.values["t_start_s"], *of_logs, kind, counts)
    return Reports(*(_of_kind(rows, kind, wanted, counts[wanted], file_ids) for wanted in KINDS))


def _of_kind(rows: Rows, kind: bytearray, wanted: int, m: int, file_ids: array[int]) -> Columns:
    """Return the reports of one kind, m of them."""
    names: dict[str, Kind] = {"file_id": "I", "line": "I", **dict.fromkeys(rows.values, "d")}
    if wanted != OTHER:
        names["bytes"] = "q"
    if wanted != INTERVAL:
        names |= {"unit": "I", "n_bytes": "I", "label": "d"}
    to = _columns(names, m)
    if not m:
        return to
    of_kind, runs = (len(kind), kind, wanted), _runs(rows)[1:]
    places = (rows.file, file_ids, rows.line, to["file_id"], to["line"])
    _places_of_kind(*of_kind, *runs, *places)
    if wanted != INTERVAL:
        marks = (rows.unit, rows.key, rows.n_bytes, to["unit"], to["label"], to["n_bytes"])
        _marks_of_kind(*of_kind, *runs, *marks)
    for name, values in rows.values.items():
        take = _integers_of_kind if names[name] == "q" else _numbers_of_kind
        take(*of_kind, values, to[name])
    return to


def _columns(kinds: dict[str, Kind], n: int) -> Columns:
    """Return columns of n zeros, of kinds as `array` names them.

    Their memory is taken at once: of large memory less must be touched for the first time
    (`blocks.memory`).
    """
    rooms = {name: 8 * (n * array(kind).itemsize // 8 + 1) for name, kind in kinds.items()}
    room, begin, columns = memoryview(memory(sum(rooms.values()))), 0, {}
    for name, kind in kinds.items():
        end = begin + n * array(kind).itemsize
        columns[name] = room[begin:end].cast("B").cast(kind)
        begin += rooms[name]
    return columns
