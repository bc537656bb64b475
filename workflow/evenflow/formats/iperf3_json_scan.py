"""The scan of logs of iperf3's JSON, and what becomes of their lines; see iperf3_json.py."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..paths import printable
from .iperf3_objects import (
    BROKEN,
    CONGESTION,
    END,
    ERROR,
    FIELDS,
    HEADER,
    INTERVALS,
    MESSAGE,
    PLAIN,
    RECORD,
    START,
    SUMMARY,
    TEXT,
    Scan,
    count_codes,
    paint,
    scan,
)
from .logs import Log, shown_line
from .terminal import is_of_terminal, without_escapes

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
SIGN_LEFT_OUT = re.compile(rb"(:[ \t]*-?\d+(?:\.\d+)?[eE]) (?=\d{2,3}\s*[,}\]])")
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
COUNTS = ("retransmits", "packets", "lost_packets")  # iperf3 writes -1 for what it does not know
LARGEST = 2.0**62
Columns = dict[str, np.ndarray]


class Batch(NamedTuple):
    """What some logs hold: what they say of each test; of each stream what its objects say, and in
    column `key` its number; how many numbers there are; of intervals and of final reports the
    columns QUANTITIES, `key`, `file_id` and `line`, of these `role`, too; and what became of all
    lines."""

    tests: dict[tuple, dict]
    streams: Columns
    n_streams: int
    interval: Columns
    summary: Columns
    fates: list[tuple]
    rejected: list[tuple]


def scan_batch(logs: Sequence[Log]) -> Batch:
    """Scan some logs, and say what each of their lines and objects is."""
    scanned = [_scan(log._replace(content=without_escapes(log.whole))) for log in logs]
    logs, scans = [log for log, _ in scanned], [found for _, found in scanned]
    tests = read_tests(logs, scans)
    records = _records(logs, scans)
    key, codes = classify(logs, scans, records, tests)
    stop = np.cumsum([found.records.shape[1] for found in scans])
    of_log = [
        slice(end - found.records.shape[1], end) for found, end in zip(scans, stop, strict=True)
    ]
    jobs = [
        (log, found, (records, codes, rows))
        for log, found, rows in zip(logs, scans, of_log, strict=True)
    ]
    counts = [_paint_lines(*job) for job in jobs]
    n_streams = 1 + int(key.max(initial=-1))
    streams = _streams(records, key, codes, n_streams)
    interval = _quantities(records, key, codes == SAMPLE)
    summary = _quantities(records, key, codes == SUMMARY)
    summary["role"] = records["role"][codes == SUMMARY]
    return Batch(tests, streams, n_streams, interval, summary, *_accounts(jobs, counts))


def _streams(records: Columns, key: np.ndarray, codes: np.ndarray, n_streams: int) -> Columns:
    """Return the streams that have an object that is neither broken nor repeated.

    sends: 1 or 0, NaN where no object says it; counts, jitter: whether any object has
    retransmissions, or jitter; finished: whether the stream has a final report.
    """
    told = np.flatnonzero((codes != BROKEN) & (codes != REPEATED))
    of_told = key[told]
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
        "line": records["line"][rows] + 1,
        "socket": records["socket_"][rows],
        **{name: column[numbers] for name, column in has.items()},
    }


def _quantities(records: Columns, key: np.ndarray, which: np.ndarray) -> Columns:
    """Return the columns of some objects, NaN where one does not know its number."""
    rows = np.flatnonzero(which)
    columns = {"key": key[rows], "file_id": records["file_id"][rows]}
    columns["line"] = records["line"][rows] + 1
    for name, (field, unit) in QUANTITIES.items():
        values = records[f"{field}_"][rows]
        columns[name] = values if unit == 1 else values / unit
        if name in COUNTS:
            least = -LARGEST if name == "lost_packets" else 0
            values[~((values >= least) & (values < LARGEST))] = np.nan
    return columns


def _scan(log: Log) -> tuple[Log, Scan]:
    """Scan a log, with a + where iperf3 3.1 left it out of a number in some locales: 1.5e 08.

    Such a number breaks the grammar, so nothing else needs to be looked through for it.
    """
    found = scan(log.whole)
    if found.whole or not (b"e 0" in log.whole or b"e 1" in log.whole):
        return log, found
    log = log._replace(content=SIGN_LEFT_OUT.sub(rb"\1+", log.whole))
    return log, scan(log.whole)


def read_tests(logs: Sequence, scans: Sequence[Scan]) -> dict[tuple, dict]:
    """Return what the logs say of each test: {(file_id, test, nested): ...}."""
    tests: dict[tuple, dict] = {}
    for log, found in zip(logs, scans, strict=True):
        cookies = set()  # of the tests that are told in events
        for begin, end, _, place, test, nested in found.pieces.tolist():
            if place == PLAIN:
                continue
            key = (log.file_id, test, nested)
            about = tests.setdefault(key, {})
            raw = log.content[begin:end]
            if place == START:
                about["start"] = _object(raw)
                cookie = str(about["start"].get("cookie"))  # iperf3's name of a test
                if b'"data"' in log.content[max(begin - 16, 0) : begin]:
                    cookies.add(cookie)
                elif not nested:
                    about["repeats"] = "cookie" in about["start"] and cookie in cookies
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


def _records(logs: Sequence, scans: Sequence[Scan]) -> Columns:
    """Return an array for file_id and each of RECORD and FIELDS, an entry a stream's object.

    The names of FIELDS end with '_' here, as some are names of RECORD too.
    """
    file_id = np.repeat([log.file_id for log in logs], [found.records.shape[1] for found in scans])
    places = np.concatenate([found.records for found in scans], axis=1)
    numbers = np.concatenate([found.numbers for found in scans], axis=1)
    names = (*RECORD, *(f"{name}_" for name in FIELDS))
    return {"file_id": file_id, **dict(zip(names, (*places, *numbers), strict=True))}


def classify(
    logs: Sequence, scans: Sequence[Scan], records: dict[str, np.ndarray], tests: dict[tuple, dict]
) -> tuple[np.ndarray, np.ndarray]:
    """Return for every object the number of its stream (through all logs) and its code."""
    n_records = [found.records.shape[1] for found in scans]
    n_streams = [1 + int(found.records[7].max(initial=-1)) for found in scans]
    key = records["stream"] + np.repeat(np.cumsum([0, *n_streams[:-1]]), n_records)
    start, end, n_bytes = (records[name] for name in ("start_", "end_", "bytes_"))
    timed = np.isfinite(start) & np.isfinite(end) & (end < LONGEST_S)
    lacking = ~(timed & (n_bytes >= 0) & (n_bytes < 2.0**62) & (n_bytes == np.floor(n_bytes)))
    interval = records["section"] == INTERVALS
    of_end = records["section"] == END
    code = np.full(len(key), ELSEWHERE, np.uint8)
    code[(records["section"] == START) | of_end] = HEADER
    code[interval] = SAMPLE
    code[of_end & ~lacking] = SUMMARY
    code[interval & (records["twice"] == 1)] = TWICE
    code[interval & (end == start)] = EMPTY
    code[interval & (end < start)] = BACKWARDS
    code[interval & (records["omitted_"] == 1)] = OMITTED
    code[interval & lacking] = INCOMPLETE
    repeated = {key for key, test in tests.items() if test.get("repeats")}
    first = 0
    for log, found, n in zip(logs, scans, n_records, strict=True):
        of_log = slice(first, first + n)
        for _, test, nested in (key for key in repeated if key[0] == log.file_id):
            same = (records["test"][of_log] == test) & (records["nested"][of_log] == nested)
            code[of_log][same] = REPEATED
        if not found.whole:
            broken = (found.line_code[found.records[:3]] >= PLAIN).any(axis=0)
            code[of_log][broken] = BROKEN
        first += n
    return key, code


def _paint_lines(log, found: Scan, of_log: tuple) -> np.ndarray:
    """Give the lines of a log the codes of what they hold; return lines and bytes by code.

    Objects on a rejected line get the code BROKEN.
    """
    for begin, until, line, place, *_ in found.pieces.tolist():
        if place == PLAIN:
            text = log.content[begin:until]
            found.line_code[line] = _plain_code(text)
    records, codes, rows = of_log
    first, last, code = records["first"][rows], records["last"][rows], codes[rows]
    paint(found.line_code, first, last, code)
    while not found.whole:  # what shares a line with what is broken is lost too
        on_rejected = (found.line_code[found.records[:3]] >= BROKEN).any(axis=0)
        lost = on_rejected & (code < BROKEN)
        if not lost.any():
            break
        code[lost] = BROKEN
        paint(found.line_code, first, last, code)
    return count_codes(found.line_code, found.line_start, len(log.content), NUL + 1)


def _plain_code(text: bytes) -> int:
    """Return the code of a line that is no JSON."""
    if b"\0" in text:
        return NUL
    if MESSAGES.match(text):
        return MESSAGE
    return TERMINAL if is_of_terminal(text) else NOT_JSON


def _accounts(
    jobs: Sequence[tuple], counts: Sequence[np.ndarray]
) -> tuple[list[tuple], list[tuple]]:
    """Return the rows of the tables `fate` and `rejected`."""
    fates, rejected = [], []
    for (log, found, of_log), (lines, n_bytes) in zip(jobs, counts, strict=True):
        error = _error(log, found)
        for code in np.flatnonzero(lines).tolist():
            fate, reason = FATES[code]
            reason = error if error and code == MESSAGE else reason
            fates.append((log.file_id, fate, reason, int(lines[code]), int(n_bytes[code])))
        rejected += _rejected_lines(log, found) if lines[IS_REJECTED].any() else []
        rejected += _rejected_objects(log, found, *of_log)
    return fates, rejected


def _error(log, found: Scan) -> str | None:
    """Return what the first error in a log says: {"error": "unable to connect to server: ..."}."""
    texts = (log.content[begin:end] for begin, end, _, place, *_ in found.pieces.tolist()
             if place == ERROR)  # fmt: skip
    first = next(texts, None)
    return first and f"an error of iperf3: {first[:TEXT_LENGTH].decode('utf-8', 'replace')}"


def _rejected_lines(log, found: Scan) -> list[tuple]:
    """Return the rows of the table `rejected` of a log."""
    ends = np.append(found.line_start[1:], len(log.content))
    rows = []
    for line in np.flatnonzero(IS_REJECTED[found.line_code]).tolist():
        begin = int(found.line_start[line])
        text = log.content[begin : min(int(ends[line]), begin + TEXT_LENGTH)]
        shown = shown_line(text)
        rows.append((log.file_id, line + 1, FATES[int(found.line_code[line])][1], shown))
    return rows


def _rejected_objects(
    log, found: Scan, records: dict[str, np.ndarray], codes: np.ndarray, rows: slice
) -> list[tuple]:
    """Return the rows of the table `rejected` of objects all of whose lines hold samples too."""
    objects = []
    for i in rows.start + np.flatnonzero(IS_REJECTED[codes[rows]]):
        lines = found.line_code[records["first"][i] : records["last"][i] + 1]
        if not IS_REJECTED[lines].any():
            begin = int(records["begin"][i])
            end = log.content.find(b"}", begin, begin + TEXT_LENGTH) + 1
            shown = shown_line(log.content[begin : end or begin + TEXT_LENGTH])
            line, reason = int(records["line"][i]) + 1, FATES[int(codes[i])][1]
            objects.append((log.file_id, line, reason, shown))
    return objects
