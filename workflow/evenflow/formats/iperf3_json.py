"""iperf3 JSON: documents (-J), one or several in a file, and streams of events (--json-stream).

Shape (iperf3 3.22, tabs and line breaks left out):

    {"start": {"connected": [{"socket": 5, "local_host": ...}], "version": "iperf 3.22",
               "timestamp": {"timesecs": 1795214228}, "test_start": {"protocol": "TCP", ...}},
     "intervals": [{"streams": [{"socket": 5, "start": 0, "end": 1.000082, "bytes": 3407144,
                    "bits_per_second": 27254916.66, "retransmits": 52, "snd_cwnd": 23168,
                    "rtt": 8365, "omitted": false, "sender": true}], "sum": {...}}, ...],
     "end": {"streams": [{"sender": {...}, "receiver": {...}}], "sender_tcp_congestion": "bbr"},
     "error": "..."}

or, an object a line, {"event": "start" | "interval" | "end" | "error", "data": ...}. Units: bytes,
bits per second, rtt in microseconds. The sums over streams are never read, so that the two 'sum'
keys of --bidir in old versions do no harm. The report of the other end (--get-server-output) gives
streams of its own.

Fates are given by line: the lines of an interval's object are samples. A line that holds several
things (a document on one line) counts as the most telling: sample, rejected, skipped, summary,
header. An interval that cannot be read is rejected by itself, with its own text where it shares
its lines with samples. Where the grammar breaks, the lines up to the next that begins with a brace
are rejected; the intervals before are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ..paths import printable
from .iperf3 import ABOUT_TEST, is_known, whole
from .iperf3_scan import (
    BROKEN,
    CONGESTION,
    END,
    ERROR,
    FIELDS,
    HEADER,
    INTERVALS,
    MESSAGE,
    PLAIN,
    RECEIVER,
    RECORD,
    START,
    SUMMARY,
    TEXT,
    Scan,
    count_codes,
    paint,
    scan,
)
from .options import as_text, options_of_json
from .shapes import Log, shown_line
from .terminal import is_of_terminal, without_escapes

NAME = "iperf3-json"
TOOL = "iperf3"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^(?:\xef\xbb\xbf)?[ \r]*\{\s*\""
    r"(?:start\"\s*:\s*\{\s*\"(?:connected|accepted|connecting|cookie|error)"
    r"|event\"\s*:\s*\"(?:start|interval|end|error|server_output)\"\s*,\s*\"data\""
    r"|end\"\s*:\s*\{\s*\"(?:cpu_util|receiver_tcp|streams|sum)"
    r"|intervals\"\s*:\s*\[\s*\{\s*\"(?:streams|sum)"
    # the error of any program may be so told: in words of iperf3 (iperf_error.c)
    r"|error\"\s*:\s*\"(?:error - |interrupt - |the (?:client|server) (?:is|has) |control socket "
    r"|idle timeout |unable to (?:connect|send|receive|start|accept|create|initialize|listen|read"
    r"|write|set|get|bind) ))"
)

COMPLAINT = rb'"error"\s*:\s*"((?:[^"\\]|\\.)*)"'  # why a test measured nothing
NO_CONNECTION = rb'"connected"\s*:\s*\[\s*\]'  # of a test that failed before it began
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
TEST = ["file_id", "test", "nested"]
FATE = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
FATE |= {"lines": pl.Int64, "bytes": pl.Int64}
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}


class Batch(NamedTuple):
    """What some logs hold: what they say of each test; of each stream's object what the scanner
    found, the number of its stream, and its code; and what became of their lines."""

    tests: dict[tuple, dict]
    records: dict[str, np.ndarray]
    key: np.ndarray
    codes: np.ndarray
    fates: list[tuple]
    rejected: list[tuple]


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    return tables([scan_batch(logs)]) if logs else {}


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
    return Batch(tests, records, key, codes, *_accounts(jobs, counts))


def tables(batches: Sequence[Batch]) -> dict[str, pl.DataFrame]:
    """Return the tables of `parse`, of logs that were scanned together or apart."""
    tests = {key: test for batch in batches for key, test in batch.tests.items()}
    records = {
        name: np.concatenate([batch.records[name] for batch in batches])
        for name in batches[0].records
    }
    n_streams = np.cumsum([0, *(1 + int(batch.key.max(initial=-1)) for batch in batches)])
    key = np.concatenate([b.key + n for b, n in zip(batches, n_streams, strict=False)])
    codes = np.concatenate([batch.codes for batch in batches])
    streams = read_streams(records, key, codes, tests)
    fates = [row for batch in batches for row in batch.fates]
    rejected = [row for batch in batches for row in batch.rejected]
    return {
        "stream": streams,
        "interval": _quantities(records, key, codes == SAMPLE, streams),
        "summary": _quantities(records, key, codes == SUMMARY, streams).filter(is_known()),
        "fate": pl.DataFrame(fates, schema=FATE, orient="row"),
        "rejected": pl.DataFrame(rejected, schema=REJECTED, orient="row"),
    }


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


def _records(logs: Sequence, scans: Sequence[Scan]) -> dict[str, np.ndarray]:
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


def read_streams(
    records: dict[str, np.ndarray], key: np.ndarray, codes: np.ndarray, tests: dict[tuple, dict]
) -> pl.DataFrame:
    """Return the streams of all tests, in the order in which the logs announce them."""
    of_stream = (
        pl.DataFrame(
            {
                "key": key,
                "code": codes,
                **{name: records[name] for name in ("file_id", "test", "nested", "line")},
                "socket": records["socket_"],
                "sender": records["sender_"],
                "counts": ~np.isnan(records["retransmits_"]),
                "jitter": ~np.isnan(records["jitter_ms_"]),
            }
        )
        .filter(~pl.col("code").is_in([BROKEN, REPEATED]))
        .group_by("key")
        .agg(
            pl.first("file_id", "test", "nested", "socket"),
            pl.first("line") + 1,
            sends=pl.col("sender").fill_nan(None).max(),
            counts=pl.col("counts").any(),
            jitter=pl.col("jitter").any(),
            finished=(pl.col("code") == SUMMARY).any(),
        )
        .sort("key")
    )
    rows = [
        _connection(key, tests.get(key[:3], {}))
        for key in of_stream.select(*TEST, "socket").iter_rows()
    ]
    side = (
        pl.when(pl.col("sends").is_not_null())
        .then(pl.when(pl.col("sends") == 1).then(pl.lit("sender")).otherwise(pl.lit("receiver")))
        .when(pl.col("counts"))
        .then(pl.lit("sender"))
        .when(pl.col("jitter"))
        .then(pl.lit("receiver"))
        .otherwise(pl.col("service_side"))
    )
    about = pl.DataFrame(rows, schema=ABOUT_TEST, orient="row")
    return pl.concat([of_stream, about], how="horizontal").with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
        label=pl.col("socket").cast(pl.Int64, strict=False).cast(pl.String),
        episode=pl.col("test").rank("dense").over("file_id").cast(pl.Int32),
        side=side,
        start_s=pl.lit(0.0),
        complete=pl.col("finished") & ~pl.col("aborted"),
    )


def _connection(key: tuple, about: dict) -> dict:
    """Return what a log says of a stream; key: file_id, test, nested, socket."""
    start = about.get("start", {})
    test = _dict(start.get("test_start"))
    stamp = _dict(start.get("timestamp"))
    connected = start.get("connected")
    ends: dict = next(
        (c for c in connected if _dict(c).get("socket") == key[3])
        if isinstance(connected, list)
        else iter(()),
        {},
    )
    receives = ("accepted_connection" in start) != (test.get("reverse") == 1)
    protocol = test.get("protocol")
    millis = _number(stamp.get("timemillisecs"))
    epoch = millis / 1000 if millis else _number(stamp.get("timesecs"))
    mss = _number(start.get("tcp_mss")) or _number(start.get("tcp_mss_default"))
    version = printable(start.get("version") or "").removeprefix("iperf ")
    return {
        "service_side": ("receiver" if receives else "sender") if start else None,
        "protocol": printable(protocol).lower() if isinstance(protocol, str) else None,
        "local": _address(ends, "local"),
        "peer": _address(ends, "remote"),
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


def _quantities(
    records: dict[str, np.ndarray], key: np.ndarray, which: np.ndarray, streams: pl.DataFrame
) -> pl.DataFrame:
    """Return objects of streams with the columns of `interval` and `summary`, in their units."""
    n_keys = int(key.max(initial=-1)) + 1
    number, receives = np.zeros(n_keys, np.int32), np.zeros(n_keys, bool)
    number[streams["key"].to_numpy()] = streams["stream"].to_numpy()
    receives[streams["key"].to_numpy()] = (
        (streams["side"] == "receiver").fill_null(False).to_numpy()
    )
    rows = np.flatnonzero(which)
    of_stream = key[rows]
    sides = pl.Series(["sender", "receiver"])
    taken = {name[:-1]: records[name][rows] for name in records if name.endswith("_")}
    columns = {
        "file_id": records["file_id"][rows],
        "line": records["line"][rows] + 1,
        "stream": number[of_stream],
        "own_side": sides.gather(receives[of_stream].astype(np.uint32)),
        "side": sides.gather((records["role"][rows] == RECEIVER).astype(np.uint32)),
        "t_start_s": taken["start"],
        "t_end_s": taken["end"],
        "bytes": taken["bytes"],
        "throughput_bps": taken["bits_per_second"],
        "cwnd_bytes": taken["snd_cwnd"],
        "rtt_s": taken["rtt"] / 1e6,
        "retransmits": taken["retransmits"],
        "jitter_s": taken["jitter_ms"] / 1e3,
        "packets": taken["packets"],
        "lost_packets": taken["lost_packets"],
    }
    return (
        pl.DataFrame(columns)
        .with_columns(pl.selectors.float().fill_nan(None))
        .with_columns(whole(name) for name in ("retransmits", "packets", "lost_packets"))
    )


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
