"""What the lines and objects of logs of iperf3's JSON are; see iperf3_json.py."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from ..paths import printable
from .compiled import function
from .iperf3_objects import (
    BROKEN,
    CONGESTION,
    ERROR,
    FIELDS,
    HEADER,
    MESSAGE,
    PLAIN,
    START,
    SUMMARY,
    TEXT,
    Logs,
    Scan,
)
from .logs import shown_line
from .options import as_text, options_of_json
from .terminal import is_of_terminal

UNKNOWN_LINE = "not a line that iperf3 -J writes"
# what a line holds, beside the scanner's codes; the highest counts
OMITTED, TWICE, EMPTY, REPEATED, BACKWARDS, INCOMPLETE, ELSEWHERE, SAMPLE, TERMINAL = range(4, 13)
NOT_JSON, NUL = 15, 16
FATES = {
    HEADER: ("header", None),
    SUMMARY: ("summary", "sums up streams"),
    MESSAGE: ("skipped", "a message"),
    TERMINAL: ("skipped", "of a terminal: escape sequences or a shell's prompt"),
    TEXT: ("skipped", "the other end's report as text"),
    OMITTED: ("skipped", "omitted from the test (-O)"),
    TWICE: ("skipped", "reported twice by an aborted test"),
    EMPTY: ("skipped", "an interval of zero length"),
    REPEATED: ("skipped", "repeats the events above (--json-stream-full-output)"),
    SAMPLE: ("sample", None),
    BROKEN: ("rejected", "the JSON breaks or ends here: truncated or mixed with other output"),
    BACKWARDS: ("rejected", "the interval ends before it begins"),
    INCOMPLETE: ("rejected", "the interval has no start, end or bytes"),
    ELSEWHERE: ("rejected", "a stream's object where iperf3 writes none"),
    NOT_JSON: ("rejected", UNKNOWN_LINE),
    NUL: ("rejected", "NUL bytes: left by a crash, or UTF-16 (use iconv)"),
}
# 1 for each code that is rejected, for bytes.translate
IS_REJECTED = bytes(FATES.get(code, ("",))[0] == "rejected" for code in range(256))
MESSAGES = re.compile(rb"\s*(\S+: )?(iperf3: |warning: |Server listening|-{5})", re.IGNORECASE)
TEXT_LENGTH = 200  # of a rejected line, as a document may be one line


# columns of the table `interval`, their fields and what these count in
QUANTITIES = {
    "t_start_s": ("start", 1),
    "t_end_s": ("end", 1),
    "bytes": ("bytes", 1),
    "throughput_bps": ("bits_per_second", 1),
    "cwnd_bytes": ("snd_cwnd", 1),
    "rtt_s": ("rtt", 1e6),
    "retransmits": ("retransmits", 1),
    "jitter_s": ("jitter_ms", 1e3),
    "packets": ("packets", 1),
    "lost_packets": ("lost_packets", 1),
}
TEST = ("file_id", "test", "nested")
LARGEST = 2.0**62 - 2.0**9  # what a double can be below 2^62
COUNTS = {  # from, and up to; iperf3 writes -1 for what it does not know
    "retransmits": (0, LARGEST),
    "packets": (0, LARGEST),
    "lost_packets": (-LARGEST, LARGEST),
}
# of each its field; and unit, least and most
FIELD_OF = array("q", [FIELDS.index(field) for field, _ in QUANTITIES.values()])
BOUNDS = array(
    "d",
    chain.from_iterable(
        (unit, *COUNTS.get(name, (-math.inf, math.inf))) for name, (_, unit) in QUANTITIES.items()
    ),
)
Columns = dict[str, "array[Any] | memoryview[Any]"]
OBJECTS = ("f8", "i8", int, int)  # numbers, records, room and n of a scan
_classify_objects = function("classify_objects", *OBJECTS, "u1")
_break_objects = function("break_objects", "u1", *OBJECTS[1:], "i8", int, "u1")
_paint_lines = function("paint_lines", "u1", *OBJECTS[1:], "u1")
_tell_streams = function("tell_streams", *OBJECTS, "u1", "i8", "f8", "u1", "u1", "u1")
_select_objects = function("select_objects", "u1", int, int, "i8")
_take_places = function("take_places", "i8", int, "i8", int, "i8", "i8", "i8", "i8", "i8")
_take_columns = function("take_columns", "f8", int, "i8", "f8", int, "i8", int, "f8", "u1")
_count_codes = function("count_codes", "u1", "i8", "i8", "i8", int, int, "i8")


class Batch(NamedTuple):
    """What some logs hold.

    streams: what its objects say of each stream, with its number as `key`; about: what its log says
    of it, ABOUT_TEST of `iperf3_ends`; n_streams: how many numbers there are; interval, summary: of
    intervals and of final reports `key`, `file_id`, `line`, those of QUANTITIES that any of them
    knows, and of the latter `role`; fates, rejected: what became of all lines.
    """

    streams: Columns
    about: list[dict]
    n_streams: int
    interval: Columns
    summary: Columns
    fates: list[tuple]
    rejected: list[tuple]


def batch_of(logs: Logs, found: Scan) -> Batch:
    """Return what the logs of a block hold, of what was found in them."""
    tests = read_tests(logs, found)
    if strays := _return_strays(logs, found, tests):
        found = found._replace(pieces=_with_strays(found, strays))
        tests = read_tests(logs, found)
    codes, n_streams = classify(logs, found, tests)
    _paint_plain(logs, found)
    _paint_objects(found, codes)
    counts = count_codes(found, logs.ends, NUL + 1)
    streams = _streams(logs, found, codes, n_streams)
    keys = zip(*(streams[name].tolist() for name in (*TEST, "socket")), strict=True)
    about = _about([*keys], tests)
    interval = _quantities(logs, found, _rows_of(codes, SAMPLE))
    finals, roles = _rows_of(codes, SUMMARY), found.record("role")
    summary = _quantities(logs, found, finals) | {"role": array("q", [roles[i] for i in finals])}
    fates = _fates(logs, found, counts)
    rejected = _rejected(logs, found, codes, counts)
    return Batch(streams, about, n_streams, interval, summary, fates, rejected)


def _rows_of(codes: bytearray, code: int) -> array:
    """Return the numbers of the objects of a code."""
    rows = _integers(len(codes))
    return rows[: _select_objects(codes, len(codes), code, rows)]


def _integers(n: int) -> array:
    return array("q", bytes(8 * n))


def _places(logs: Logs, found: Scan, rows: array) -> Columns:
    """Return the columns `key`, `file_id` and `line` of some objects."""
    places: Columns = {name: _integers(len(rows)) for name in ("key", "file_id", "line")}
    file_ids, of_rows = array("q", logs.file_ids), (rows, len(rows))
    _take_places(found.records, found.room, *of_rows, file_ids, found.found, *places.values())
    return places


def _streams(logs: Logs, found: Scan, codes: bytearray, n_streams: int) -> Columns:
    """Return the streams that have an object that is neither broken nor repeated.

    sends: 1 or 0, NaN where no object says it; counts, jitter: whether any object has
    retransmissions, or jitter; finished: whether the stream has a final report.
    """
    first, sends = array("q", [-1]) * n_streams, array("d", [math.nan]) * n_streams
    has = {name: bytearray(n_streams) for name in ("counts", "jitter", "finished")}
    _tell_streams(*_objects(found), codes, first, sends, *has.values())
    told = [stream for stream, row in enumerate(first) if row >= 0]
    rows = array("q", [first[stream] for stream in told])
    of_records = {name: found.record(name) for name in ("test", "nested")}
    sockets = found.number("socket")
    return {
        **_places(logs, found, rows),
        **{name: array("q", [column[i] for i in rows]) for name, column in of_records.items()},
        "socket": array("d", [sockets[i] for i in rows]),
        "sends": array("d", [sends[stream] for stream in told]),
        **{name: array("B", [column[stream] for stream in told]) for name, column in has.items()},
    }


def _objects(found: Scan) -> tuple[memoryview[Any], memoryview[Any], int, int]:
    return found.numbers, found.records, found.room, found.n


def _about(keys: list[tuple], tests: dict[tuple, dict]) -> list[dict]:
    """Return what a log says of each stream, ABOUT_TEST.

    Args:
        keys: file_id, test, nested and socket of each.
        tests: what it says of each test.
    """
    of_tests = {test: _about_streams(tests.get(test, {})) for test in {key[:3] for key in keys}}
    about = []
    for key in keys:
        connected = tests.get(key[:3], {}).get("start", {}).get("connected")
        ends: dict = next(
            (c for c in connected if _dict(c).get("socket") == key[3])
            if isinstance(connected, list)
            else iter(()),
            {},
        )
        of_stream = {"local": _address(ends, "local"), "peer": _address(ends, "remote")}
        about.append({**of_tests[key[:3]], **of_stream})
    return about


def _about_streams(about: dict) -> dict:
    """Return what a log says of all streams of a test."""
    start = about.get("start", {})
    test = _dict(start.get("test_start"))
    stamp = _dict(start.get("timestamp"))
    receives = ("accepted_connection" in start) != (test.get("reverse") == 1)
    protocol = test.get("protocol")
    millis = _number(stamp.get("timemillisecs"))
    epoch = millis / 1000 if millis else _number(stamp.get("timesecs"))
    mss = _number(start.get("tcp_mss")) or _number(start.get("tcp_mss_default"))
    version = printable(start.get("version") or "").removeprefix("iperf ")
    cookie = start.get("cookie")
    return {
        "service_side": ("receiver" if receives else "sender") if start else None,
        "protocol": printable(protocol).lower() if isinstance(protocol, str) else None,
        "cca": about.get("cca"),
        "mss_bytes": int(mss) if mss and mss < 2**31 and protocol != "UDP" else None,
        "start_epoch_s": None if epoch is None else epoch + (_number(test.get("omit")) or 0.0),
        "zone": None,
        "planned_s": _number(test.get("duration")) or None,
        "aborted": about.get("aborted", False),
        "tool_version": version or None,
        "options": as_text(options_of_json(start, test)),
        "cookie": printable(cookie) or None if isinstance(cookie, str) else None,
    }


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """Return a number as float; None where it is none."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e18 else None


def _address(ends: dict, end: str) -> str | None:
    host, port = ends.get(f"{end}_host"), ends.get(f"{end}_port")
    return printable(f"{str(host).partition('%')[0]}:{port}") if host is not None else None


def _quantities(logs: Logs, found: Scan, rows: array) -> Columns:
    """Return the columns of some objects, NaN where one does not know its number.

    Of QUANTITIES that none of them knows there is no column.
    """
    n, known = len(rows), bytearray(len(QUANTITIES))
    values = memoryview(bytearray(8 * n * len(QUANTITIES))).cast("d")
    wanted = (FIELD_OF, BOUNDS, len(QUANTITIES), rows, n)
    _take_columns(found.numbers, found.room, *wanted, values, known)
    return _places(logs, found, rows) | {
        name: values[k * n : (k + 1) * n] for k, name in enumerate(QUANTITIES) if known[k] or not n
    }


def read_tests(logs: Logs, found: Scan) -> dict[tuple, dict]:
    """Return what the logs say of each test: {(file_id, test, nested): ...}."""
    tests: dict[tuple, dict] = {}
    cookies = defaultdict(set)  # of each log's tests that are told in events
    for begin, end, _, place, test, nested, log in found.pieces:
        if place == PLAIN:
            continue
        key = (logs.file_ids[log], test, nested)
        about = tests.setdefault(key, {})
        raw = bytes(logs.content[begin:end])
        if place == START:
            about["start"] = _object(raw)
            cookie = str(about["start"].get("cookie"))  # iperf3's name of a test
            if b'"data"' in logs.content[max(begin - 16, logs.begins[log]) : begin]:
                cookies[log].add(cookie)
                about["event"] = True
            elif not nested:
                about["repeats"] = "cookie" in about["start"] and cookie in cookies[log]
        elif place == CONGESTION:
            about["cca"] = printable(raw.decode("utf-8", "replace")) or None
        elif place == ERROR:
            about["aborted"] = True
    return tests


def _return_strays(logs: Logs, found: Scan, tests: dict[tuple, dict]) -> dict[tuple, int]:
    """Give objects of a test's events to the test that declared their socket.

    Where clients of --json-stream write into one file at once, the events of one stand behind the
    start of another. If both have the same sockets nothing tells them apart.

    Changes the records.

    Returns:
        The tests of the lines of these objects, by log and line.
    """
    declared: dict[int, dict[int, set]] = defaultdict(dict)  # of a file's tests, in their order
    for (file_id, test, nested), about in tests.items():
        if about.get("event") and not nested:
            connected = about["start"].get("connected")
            ends = map(_dict, connected) if isinstance(connected, list) else ()
            declared[file_id][test] = {_number(end.get("socket")) for end in ends} - {None}
    last = found.of_logs("records")
    moved: dict[tuple, int] = {}
    for log, file_id in enumerate(logs.file_ids):
        sockets = declared.get(file_id, {})
        if len({frozenset(of_test) for of_test in sockets.values()}) < 2:
            continue
        begin = last[log - 1] if log else 0
        _return_of_log(found, range(begin, last[log]), sockets, moved)
    return moved


def _return_of_log(
    found: Scan, rows: range, sockets: dict[int, set], moved: dict[tuple, int]
) -> None:
    """Do so with the records of one log; add their lines to `moved`."""
    names = ("log", "line", "section", "test", "nested", "stream")
    logs, lines, sections, tests, nested, streams = (found.record(name) for name in names)
    socket = found.number("socket")
    stream_of: dict[tuple, int] = {}
    for i in rows:
        test = tests[i]
        if nested[i] or test not in sockets:
            continue
        if sections[i] == START:
            stream_of[test, socket[i]] = streams[i]
        elif socket[i] not in sockets[test]:
            own = max((t for t in sockets if t < test and socket[i] in sockets[t]), default=None)
            if own is not None and (own, socket[i]) in stream_of:
                tests[i], streams[i] = own, stream_of[own, socket[i]]
                moved[logs[i], lines[i]] = own


def _with_strays(found: Scan, moved: dict[tuple, int]) -> list[tuple[int, ...]]:
    """Return the pieces, with those on lines of objects that were given to another test its own."""
    return [
        (begin, end, line, place, moved.get((log, line), test), nested, log)
        for begin, end, line, place, test, nested, log in found.pieces
    ]


def _object(raw: bytes) -> dict:
    """Return a JSON object whose grammar the scanner has checked."""
    try:
        return json.loads(raw)
    except ValueError:  # nan, or bytes that are not UTF-8
        text = re.sub(r":\s*-?(nan|inf)\b", ": null", raw.decode("utf-8", "replace"))
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return {}


def classify(logs: Logs, found: Scan, tests: dict[tuple, dict]) -> tuple[bytearray, int]:
    """Return the code of every object, and how many streams there are."""
    codes = bytearray(found.n)
    n_streams = _classify_objects(*_objects(found), codes)
    repeated = {key for key, test in tests.items() if test.get("repeats")}
    if repeated:
        of_objects = zip(*(found.record(name) for name in ("log", "test", "nested")), strict=True)
        for i, (log, test, nested) in enumerate(of_objects):
            if (logs.file_ids[log], test, nested) in repeated:
                codes[i] = REPEATED
    _break(found, PLAIN, codes)
    return codes, n_streams


def _break(found: Scan, least: int, codes: bytearray) -> int:
    """Give objects of broken logs that are on lines of a code, or a higher one, the code BROKEN."""
    return _break_objects(found.line_code, *_objects(found)[1:], found.found, least, codes)


def _paint_plain(logs: Logs, found: Scan) -> None:
    """Give lines that are no JSON the codes of what they hold."""
    for begin, end, line, place, *_ in found.pieces:
        if place == PLAIN:
            found.line_code[line] = _plain_code(bytes(logs.content[begin:end]))


def _plain_code(text: bytes) -> int:
    """Return the code of a line that is no JSON."""
    if b"\0" in text:
        return NUL
    if MESSAGES.match(text):
        return MESSAGE
    return TERMINAL if is_of_terminal(text) else NOT_JSON


def _paint_objects(found: Scan, codes: bytearray) -> None:
    """Give lines the codes of the objects that they hold; those on a rejected line get BROKEN."""
    lost = 1
    while lost:
        _paint_lines(found.line_code, *_objects(found)[1:], codes)
        lost = _break(found, BROKEN, codes)  # what shares a line with what is broken is lost too


def _fates(logs: Logs, found: Scan, counts: list[Counts]) -> list[tuple]:
    """Return the rows of the table `fate`."""
    errors, fates = _errors(logs, found), []
    for log, (lines, n_bytes) in enumerate(counts):
        for code, n in enumerate(lines):
            if n:
                fate, reason = FATES[code]
                reason = errors.get(log, reason) if code == MESSAGE else reason
                fates.append((logs.file_ids[log], fate, reason, n, n_bytes[code]))
    return fates


def _errors(logs: Logs, found: Scan) -> dict[int, str]:
    """Return what the first error in a log says: {"error": "unable to connect to server: ..."}."""
    first: dict[int, bytes] = {}
    for begin, end, _, place, *_, log in found.pieces:
        if place == ERROR:
            first.setdefault(log, bytes(logs.content[begin:end]))
    return {
        log: f"an error of iperf3: {text[:TEXT_LENGTH].decode('utf-8', 'replace')}"
        for log, text in first.items()
        if text
    }


def _rejected(logs: Logs, found: Scan, codes: bytearray, counts: list[Counts]) -> list[tuple]:
    """Return the rows of the table `rejected`."""
    of_logs = {
        log
        for log, (lines, _) in enumerate(counts)
        if any(n and IS_REJECTED[code] for code, n in enumerate(lines))
    }
    objects: dict[int, list[int]] = defaultdict(list)
    log_of = found.record("log")
    for i in _where_rejected(codes):
        objects[log_of[i]].append(i)
    rows = []
    for log in sorted({*of_logs, *objects}):
        rows += _rejected_lines(logs, found, log)
        rows += _rejected_objects(logs, found, log, codes, objects[log])
    return rows


def _where_rejected(codes: bytearray | bytes) -> Iterator[int]:
    """Yield where codes are that are rejected."""
    marks = codes.translate(IS_REJECTED)
    i = marks.find(1)
    while i >= 0:
        yield i
        i = marks.find(1, i + 1)


def _rejected_lines(logs: Logs, found: Scan, log: int) -> list[tuple]:
    """Return the rows of the table `rejected` of a log's lines."""
    first, stop = ([0, *found.of_logs("lines")][log + i] for i in (0, 1))
    rows = []
    for line in _where_rejected(bytes(found.line_code[first:stop])):
        begin = found.line_start[first + line]
        end = found.line_start[first + line + 1] if first + line + 1 < stop else logs.ends[log]
        text = bytes(logs.content[begin : min(end, begin + TEXT_LENGTH)])
        reason = FATES[found.line_code[first + line]][1]
        rows.append((logs.file_ids[log], line + 1, reason, shown_line(text)))
    return rows


def _rejected_objects(
    logs: Logs, found: Scan, log: int, codes: bytearray, objects: list[int]
) -> list[tuple]:
    """Return the rows of the table `rejected` of objects all of whose lines hold samples too."""
    rows = []
    first, last, begins = (found.record(name) for name in ("first", "last", "begin"))
    lines = _places(logs, found, array("q", objects))["line"]
    for i, line in zip(objects, lines, strict=True):
        if 1 in bytes(found.line_code[first[i] : last[i] + 1]).translate(IS_REJECTED):
            continue
        begin = begins[i]
        most = min(begin + TEXT_LENGTH, logs.ends[log])
        end = logs.content.find(b"}", begin, most) + 1
        shown = shown_line(bytes(logs.content[begin : end or most]))
        rows.append((logs.file_ids[log], line, FATES[codes[i]][1], shown))
    return rows


Counts = tuple[list[int], list[int]]  # by code: the lines, and the bytes


def count_codes(found: Scan, ends: list[int], n_codes: int) -> list[Counts]:
    """Return the lines, and the bytes, of each code in each log; ends: of the logs themselves."""
    flat = _integers(2 * n_codes * len(ends))
    of_lines = (found.line_code, found.line_start, found.found)
    _count_codes(*of_lines, array("q", ends), len(ends), n_codes, flat)
    parts = [flat[i : i + n_codes].tolist() for i in range(0, len(flat), n_codes)]
    return [*zip(parts[::2], parts[1::2], strict=True)]
