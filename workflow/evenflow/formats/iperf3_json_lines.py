"""What the lines and objects of logs of iperf3's JSON are; see iperf3_json.py."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ..paths import printable
from .compiled import function
from .iperf3_objects import (
    BROKEN,
    CONGESTION,
    END,
    ERROR,
    FIELDS,
    HEADER,
    INTERVALS,
    MESSAGE,
    PIECE,
    PLAIN,
    RECORD,
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
IS_REJECTED = np.array([FATES.get(code, ("",))[0] == "rejected" for code in range(NUL + 1)])
MESSAGES = re.compile(rb"\s*(\S+: )?(iperf3: |warning: |Server listening|-{5})", re.IGNORECASE)
LONGEST_S = 1e9  # 30 years: no test lasts so long
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
Columns = dict[str, np.ndarray]
_take_numbers = function("take_numbers", "f8", "i8", int, "f8", "f8")
_paint_lines = function("paint_lines", "u1", "i8", "i8", "u1", int)
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
    records = _records(logs, found)
    tests = read_tests(logs, found)
    codes = classify(logs, found, records, tests)
    _paint_plain(logs, found)
    _paint_objects(found, records, codes)
    counts = count_codes(found, np.array(logs.ends), NUL + 1)
    n_streams = 1 + int(records["stream"].max(initial=-1))
    streams = _streams(records, codes, n_streams)
    keys = zip(*(streams[name].tolist() for name in (*TEST, "socket")), strict=True)
    about = _about([*keys], tests)
    interval = _quantities(records, codes == SAMPLE)
    summary = _quantities(records, codes == SUMMARY)
    summary["role"] = records["role"][codes == SUMMARY]
    fates = _fates(logs, found, counts)
    rejected = _rejected(logs, found, records, codes, counts)
    return Batch(streams, about, n_streams, interval, summary, fates, rejected)


def _streams(records: Columns, codes: np.ndarray, n_streams: int) -> Columns:
    """Return the streams that have an object that is neither broken nor repeated.

    sends: 1 or 0, NaN where no object says it; counts, jitter: whether any object has
    retransmissions, or jitter; finished: whether the stream has a final report.
    """
    told = np.flatnonzero((codes != BROKEN) & (codes != REPEATED))
    of_told = records["stream"][told]
    first, sends = np.full(n_streams, -1), np.full(n_streams, np.nan)
    first[of_told[::-1]] = told[::-1]
    np.fmax.at(sends, of_told, records["sender_"][told])

    def any_of(has: np.ndarray) -> np.ndarray:
        found = np.zeros(n_streams, bool)
        found[of_told[has]] = True
        return found

    has = {
        "sends": sends,
        "counts": any_of(~np.isnan(records["retransmits_"][told])),
        "jitter": any_of(~np.isnan(records["jitter_ms_"][told])),
        "finished": any_of(codes[told] == SUMMARY),
    }
    numbers = np.flatnonzero(first >= 0)
    rows = first[numbers]
    return {
        "key": numbers,
        **{name: records[name][rows] for name in ("file_id", "test", "nested")},
        "line": records["line"][rows],
        "socket": records["socket_"][rows],
        **{name: column[numbers] for name, column in has.items()},
    }


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
    }


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """Return a number as float; None where it is none."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e18 else None


def _address(ends: dict, end: str) -> str | None:
    host, port = ends.get(f"{end}_host"), ends.get(f"{end}_port")
    return printable(f"{str(host).partition('%')[0]}:{port}") if host is not None else None


def _quantities(records: Columns, which: np.ndarray) -> Columns:
    """Return the columns of some objects, NaN where one does not know its number.

    Of QUANTITIES that none of them knows there is no column.
    """
    rows = np.flatnonzero(which)
    columns = {"key": records["stream"][rows]}
    columns |= {name: records[name][rows] for name in ("file_id", "line")}
    for name, (field, unit) in QUANTITIES.items():
        least, most = COUNTS.get(name, (-np.inf, np.inf))
        values = np.empty(len(rows))
        bounds = np.array([unit, least, most])
        if _take_numbers(records[f"{field}_"], rows, len(rows), bounds, values) or not len(rows):
            columns[name] = values
    return columns


def read_tests(logs: Logs, found: Scan) -> dict[tuple, dict]:
    """Return what the logs say of each test: {(file_id, test, nested): ...}."""
    tests: dict[tuple, dict] = {}
    cookies = defaultdict(set)  # of each log's tests that are told in events
    for begin, end, _, place, test, nested, log in found.pieces.tolist():
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
            elif not nested:
                about["repeats"] = "cookie" in about["start"] and cookie in cookies[log]
        elif place == CONGESTION:
            about["cca"] = printable(raw.decode("utf-8", "replace")) or None
        elif place == ERROR:
            about["aborted"] = True
    return tests


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


def _records(logs: Logs, found: Scan) -> Columns:
    """Return an array for file_id and each of RECORD and FIELDS, an entry a stream's object.

    The names of FIELDS end with '_' here, as some are names of RECORD too; `line` counts from 1 in
    each log.
    """
    names = (*RECORD, *(f"{name}_" for name in FIELDS))
    columns = dict(zip(names, (*found.records, *found.numbers), strict=True))
    columns["line"] = columns["line"] - _first_lines(found)[columns["log"]] + 1
    return {"file_id": np.array(logs.file_ids)[columns["log"]], **columns}


def _first_lines(found: Scan) -> np.ndarray:
    """Return the number of each log's first line."""
    return np.append(0, found.found[:-1, 0])


def classify(logs: Logs, found: Scan, records: Columns, tests: dict[tuple, dict]) -> np.ndarray:
    """Return the code of every object."""
    start, end, n_bytes = (records[name] for name in ("start_", "end_", "bytes_"))
    timed = np.isfinite(start) & np.isfinite(end) & (end < LONGEST_S)
    lacking = ~(timed & (n_bytes >= 0) & (n_bytes < 2.0**62) & (n_bytes == np.floor(n_bytes)))
    interval = records["section"] == INTERVALS
    of_end = records["section"] == END
    code = np.full(len(start), ELSEWHERE, np.uint8)
    code[(records["section"] == START) | of_end] = HEADER
    code[interval] = SAMPLE
    code[of_end & ~lacking] = SUMMARY
    code[interval & (records["twice"] == 1)] = TWICE
    code[interval & (end == start)] = EMPTY
    code[interval & (end < start)] = BACKWARDS
    code[interval & (records["omitted_"] == 1)] = OMITTED
    code[interval & lacking] = INCOMPLETE
    for key in (key for key, test in tests.items() if test.get("repeats")):
        of_test = zip(("file_id", "test", "nested"), key, strict=True)
        code[np.logical_and.reduce([records[name] == value for name, value in of_test])] = REPEATED
    in_broken, on_lines = _in_broken(found)
    code[in_broken[(on_lines >= PLAIN).any(axis=0)]] = BROKEN
    return code


def _in_broken(found: Scan) -> tuple[np.ndarray, np.ndarray]:
    """Return the objects of logs that are not whole, and the codes of three lines of each."""
    which = np.flatnonzero(~found.whole[found.records[RECORD.index("log")]])
    return which, found.line_code[found.records[:3, which]]


def _paint_plain(logs: Logs, found: Scan) -> None:
    """Give lines that are no JSON the codes of what they hold."""
    plain = found.pieces[:, PIECE.index("place")] == PLAIN
    for begin, end, line, *_ in found.pieces[plain].tolist():
        found.line_code[line] = _plain_code(bytes(logs.content[begin:end]))


def _plain_code(text: bytes) -> int:
    """Return the code of a line that is no JSON."""
    if b"\0" in text:
        return NUL
    if MESSAGES.match(text):
        return MESSAGE
    return TERMINAL if is_of_terminal(text) else NOT_JSON


def _paint_objects(found: Scan, records: Columns, codes: np.ndarray) -> None:
    """Give lines the codes of the objects that they hold; those on a rejected line get BROKEN."""
    lost = np.ones(1, bool)
    while lost.any():
        paint(found.line_code, records["first"], records["last"], codes)
        # what shares a line with what is broken is lost too
        in_broken, on_lines = _in_broken(found)
        lost = (codes[in_broken] < BROKEN) & (on_lines >= BROKEN).any(axis=0)
        codes[in_broken[lost]] = BROKEN


def _fates(logs: Logs, found: Scan, counts: np.ndarray) -> list[tuple]:
    """Return the rows of the table `fate`."""
    errors, fates = _errors(logs, found), []
    log_of, code_of = np.nonzero(counts[:, 0])
    amounts = counts[log_of, :, code_of].tolist()
    of_codes = zip(log_of.tolist(), code_of.tolist(), amounts, strict=True)
    for log, code, (lines, n_bytes) in of_codes:
        fate, reason = FATES[code]
        reason = errors.get(log, reason) if code == MESSAGE else reason
        fates.append((logs.file_ids[log], fate, reason, lines, n_bytes))
    return fates


def _errors(logs: Logs, found: Scan) -> dict[int, str]:
    """Return what the first error in a log says: {"error": "unable to connect to server: ..."}."""
    first: dict[int, bytes] = {}
    errors = found.pieces[:, PIECE.index("place")] == ERROR
    for begin, end, *_, log in found.pieces[errors].tolist():
        first.setdefault(log, bytes(logs.content[begin:end]))
    return {
        log: f"an error of iperf3: {text[:TEXT_LENGTH].decode('utf-8', 'replace')}"
        for log, text in first.items()
        if text
    }


def _rejected(
    logs: Logs, found: Scan, records: Columns, codes: np.ndarray, counts: np.ndarray
) -> list[tuple]:
    """Return the rows of the table `rejected`."""
    of_lines = np.flatnonzero(counts[:, 0, IS_REJECTED].any(axis=1))
    objects: dict[int, list[int]] = defaultdict(list)
    for i in np.flatnonzero(IS_REJECTED[codes]).tolist():
        objects[int(records["log"][i])].append(i)
    rows = []
    for log in sorted({*of_lines.tolist(), *objects}):
        rows += _rejected_lines(logs, found, log)
        rows += _rejected_objects(logs, found, log, records, codes, objects[log])
    return rows


def _rejected_lines(logs: Logs, found: Scan, log: int) -> list[tuple]:
    """Return the rows of the table `rejected` of a log's lines."""
    of_log = slice(int(_first_lines(found)[log]), int(found.found[log, 0]))
    begins, codes = found.line_start[of_log], found.line_code[of_log]
    ends = np.append(begins[1:], logs.ends[log])
    rows = []
    for line in np.flatnonzero(IS_REJECTED[codes]).tolist():
        begin = int(begins[line])
        text = bytes(logs.content[begin : min(int(ends[line]), begin + TEXT_LENGTH)])
        reason = FATES[int(codes[line])][1]
        rows.append((logs.file_ids[log], line + 1, reason, shown_line(text)))
    return rows


def _rejected_objects(
    logs: Logs, found: Scan, log: int, records: Columns, codes: np.ndarray, objects: list[int]
) -> list[tuple]:
    """Return the rows of the table `rejected` of objects all of whose lines hold samples too."""
    rows = []
    for i in objects:
        lines = found.line_code[records["first"][i] : records["last"][i] + 1]
        if not IS_REJECTED[lines].any():
            begin = int(records["begin"][i])
            most = min(begin + TEXT_LENGTH, logs.ends[log])
            end = logs.content.find(b"}", begin, most) + 1
            shown = shown_line(bytes(logs.content[begin : end or most]))
            line, reason = int(records["line"][i]), FATES[int(codes[i])][1]
            rows.append((logs.file_ids[log], line, reason, shown))
    return rows


def paint(line_code, first, last, code) -> None:
    """Give the lines of records their code, where it is higher than what they have."""
    _paint_lines(line_code, *map(np.ascontiguousarray, (first, last, code)), len(first))


def count_codes(scan: Scan, ends: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the lines, and the bytes, of each code in each log; ends: of the logs themselves."""
    counts = np.zeros((len(ends), 2, n_codes), np.int64)
    _count_codes(scan.line_code, scan.line_start, scan.found, ends, len(ends), n_codes, counts)
    return counts
