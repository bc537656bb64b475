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
things (a document on one line) counts as the most telling: sample, skipped, summary, header. Where
the grammar breaks, the lines up to the next that begins with a brace are rejected; the intervals
before are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl

from .iperf3 import is_known, whole
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
    paint,
    scan,
)
from .lexing import THREADS

NAME = "iperf3-json"
TOOL = "iperf3"
CLOCK = "flow"
SIGNATURE = (
    r"^(?:\xef\xbb\xbf)?\{\s*\"(?:start\"\s*:\s*\{\s*\"(?:connected|accepted|connecting|cookie|error)"
    r"|event\"\s*:\s*\"(?:start|interval|end|error|server_output)|error\"\s*:"
    r"|end\"\s*:\s*\{\s*\"(?:cpu_util|receiver_tcp|streams|sum)|intervals\"\s*:\s*\[)"
)

# what a line holds, beside the scanner's codes; the highest counts
OMITTED, TWICE, EMPTY, REPEATED, SAMPLE, BACKWARDS, INCOMPLETE, NOT_JSON, NUL = (
    *range(4, 9),
    *range(11, 15),
)
FATES = {
    HEADER: ("header", None),
    SUMMARY: ("summary", "sums up streams"),
    MESSAGE: ("skipped", "a message"),
    TEXT: ("skipped", "the other end's report as text"),
    OMITTED: ("skipped", "omitted from the test (-O)"),
    TWICE: ("skipped", "reported twice by an aborted test"),
    EMPTY: ("skipped", "an interval of no length"),
    REPEATED: ("skipped", "repeats the events above (--json-stream-full-output)"),
    SAMPLE: ("sample", None),
    BROKEN: ("rejected", "the JSON breaks or ends here: cut or mixed with another output"),
    BACKWARDS: ("rejected", "the interval ends before it begins"),
    INCOMPLETE: ("rejected", "the interval has no start, end or bytes"),
    NOT_JSON: ("rejected", "not a line that iperf3 -J writes"),
    NUL: ("rejected", "NUL bytes: left by a crash, or UTF-16 (use iconv)"),
}
MESSAGES = re.compile(rb"\s*(\S+: )?(iperf3: |warning: |Server listening|-{5})", re.IGNORECASE)
TEXT_LENGTH = 200  # of a rejected line, as a document may be one line
TEST = ["file_id", "test", "nested"]
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}
CONNECTION = {
    "service_side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "cca": pl.String,
    "mss_bytes": pl.Int64,
    "start_epoch_s": pl.Float64,
    "planned_s": pl.Float64,
    "aborted": pl.Boolean,
    "tool_version": pl.String,
}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    with ThreadPoolExecutor(THREADS) as pool:
        scans = list(pool.map(lambda log: scan(log.content), logs))
    tests = read_tests(logs, scans)
    records = _records(logs, scans)
    repeated = {key for key, test in tests.items() if test.get("repeats")}
    records = classify(records, repeated)
    _paint_lines(logs, scans, records)
    streams = read_streams(records, tests)
    numbered = records.join(
        streams.select(*TEST, "socket", "stream", own_side="side"), on=[*TEST, "socket"]
    )
    of_end = (
        pl.when(pl.col("role") == RECEIVER).then(pl.lit("receiver")).otherwise(pl.lit("sender"))
    )
    return {
        "stream": streams,
        "interval": _quantities(numbered.filter(pl.col("code") == SAMPLE)),
        "summary": _quantities(numbered.filter(pl.col("code") == SUMMARY))
        .with_columns(side=of_end)
        .filter(is_known()),
        **_accounts(logs, scans),
    }


def read_tests(logs: Sequence, scans: Sequence[Scan]) -> dict[tuple, dict]:
    """Return what the logs say of each test: {(file_id, test, nested): ...}."""
    tests: dict[tuple, dict] = {}
    for log, found in zip(logs, scans, strict=True):
        cookies = set()
        for begin, end, _, place, test, nested in found.pieces.tolist():
            if place == PLAIN:
                continue
            key = (log.file_id, test, nested)
            about = tests.setdefault(key, {})
            raw = log.content[begin:end]
            if place == START:
                about["start"] = _object(raw)
                cookie = about["start"].get("cookie")
                if not nested:
                    about["repeats"] = isinstance(cookie, str) and cookie in cookies
                    cookies.add(cookie if isinstance(cookie, str) else None)
            elif place == CONGESTION:
                about["cca"] = raw.decode("utf-8", "replace") or None
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


def _records(logs: Sequence, scans: Sequence[Scan]) -> pl.DataFrame:
    """Return a row a stream's object: file_id, columns RECORD and FIELDS, `broken`."""
    file_ids = np.repeat([log.file_id for log in logs], [len(found.records) for found in scans])
    places = np.concatenate([found.records for found in scans] or [np.empty((0, len(RECORD)))])
    numbers = np.concatenate([found.numbers for found in scans] or [np.empty((0, len(FIELDS)))])
    broken = [
        np.any(found.line_code[found.records[:, :3]] >= PLAIN, axis=1)
        if len(found.records)
        else np.empty(0, bool)
        for found in scans
    ]
    columns = {
        "file_id": pl.Series(file_ids, dtype=pl.UInt32),
        **{name: pl.Series(places[:, i], dtype=pl.Int64) for i, name in enumerate(RECORD)},
        **{name: pl.Series(numbers[:, i]).fill_nan(None) for i, name in enumerate(FIELDS)},
        "broken": pl.Series(np.concatenate(broken or [np.empty(0, bool)]), dtype=pl.Boolean),
    }
    return pl.DataFrame(columns).with_row_index("row")


def classify(records: pl.DataFrame, repeated: set[tuple]) -> pl.DataFrame:
    """Give every object of a stream its code."""
    said = ("start", "end", "bytes")
    previous = [*TEST, "socket", "section"]
    twice = pl.all_horizontal(pl.col(c) == pl.col(c).shift(1).over(previous) for c in said)
    again = pl.DataFrame(
        sorted(repeated),
        schema={"file_id": pl.UInt32, "test": pl.Int64, "nested": pl.Int64},
        orient="row",
    ).with_columns(again=True)
    records = records.join(again, on=TEST, how="left", maintain_order="left")
    lacking = pl.any_horizontal(pl.col(c).is_null() for c in said) | ~pl.col("bytes").is_between(
        0, 2.0**62
    )
    interval = pl.col("section") == INTERVALS
    rules = (
        (pl.col("broken"), BROKEN),
        (pl.col("again").fill_null(False), REPEATED),
        (pl.col("section") == START, HEADER),
        (interval & lacking, INCOMPLETE),
        (interval & (pl.col("omitted") == 1), OMITTED),
        (interval & (pl.col("end") < pl.col("start")), BACKWARDS),
        (interval & (pl.col("end") == pl.col("start")), EMPTY),
        (interval & twice, TWICE),
        (interval, SAMPLE),
        ((pl.col("section") == END) & ~lacking, SUMMARY),
    )
    code = pl.lit(HEADER)
    for where, value in reversed(rules):
        code = pl.when(where).then(pl.lit(value)).otherwise(code)
    return records.with_columns(code=code.cast(pl.UInt8))


def _paint_lines(logs: Sequence, scans: Sequence[Scan], records: pl.DataFrame) -> None:
    """Give the scanned lines the codes of what they hold."""
    first, last, code = (records[name].to_numpy() for name in ("first", "last", "code"))
    stop = np.cumsum([len(found.records) for found in scans])
    for log, found, end in zip(logs, scans, stop, strict=True):
        for begin, until, line, place, *_ in found.pieces.tolist():
            if place == PLAIN:
                text = log.content[begin:until]
                known = MESSAGES.match(text)
                found.line_code[line] = NUL if b"\0" in text else MESSAGE if known else NOT_JSON
        of_log = slice(end - len(found.records), end)
        paint(found.line_code, first[of_log], last[of_log], code[of_log])


def read_streams(records: pl.DataFrame, tests: dict[tuple, dict]) -> pl.DataFrame:
    """Return the streams of all tests, in the order in which the logs announce them."""
    keys = [*TEST, "socket"]
    of_stream = (
        records.filter(~pl.col("code").is_in([BROKEN, REPEATED]))
        .group_by(keys, maintain_order=True)
        .agg(
            pl.first("row"),
            pl.first("line") + 1,
            sends=pl.max("sender"),
            counts=pl.col("retransmits").is_not_null().any(),
            jitter=pl.col("jitter_ms").is_not_null().any(),
            finished=(pl.col("code") == SUMMARY).any(),
        )
    )
    rows = [_connection(key, tests.get(key[:3], {})) for key in of_stream.select(keys).iter_rows()]
    about = pl.DataFrame(rows, schema=CONNECTION)
    side = (
        pl.when(pl.col("sends").is_not_null())
        .then(pl.when(pl.col("sends") == 1).then(pl.lit("sender")).otherwise(pl.lit("receiver")))
        .when(pl.col("counts"))
        .then(pl.lit("sender"))
        .when(pl.col("jitter"))
        .then(pl.lit("receiver"))
        .otherwise(pl.col("service_side"))
    )
    return (
        pl.concat([of_stream, about], how="horizontal")
        .sort("row")
        .with_columns(
            stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
            label=pl.col("socket").cast(pl.Int64, strict=False).cast(pl.String),
            episode=pl.col("test").rank("dense").over("file_id").cast(pl.Int32),
            side=side,
            start_s=pl.lit(0.0),
            complete=pl.col("finished") & ~pl.col("aborted"),
        )
    )


def _connection(key: tuple, about: dict) -> dict:
    """Return what a log says of a stream; key: file_id, test, nested, socket."""
    start = about.get("start", {})
    test = _dict(start.get("test_start"))
    stamp = _dict(start.get("timestamp"))
    connected = start.get("connected")
    ends = next(
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
    version = str(start.get("version") or "").removeprefix("iperf ")
    return {
        "service_side": ("receiver" if receives else "sender") if start else None,
        "protocol": protocol.lower() if isinstance(protocol, str) else None,
        "local": _address(ends, "local"),
        "peer": _address(ends, "remote"),
        "cca": about.get("cca"),
        "mss_bytes": int(mss) if mss and mss < 2**31 and protocol != "UDP" else None,
        "start_epoch_s": None if epoch is None else epoch + (_number(test.get("omit")) or 0.0),
        "planned_s": _number(test.get("duration")) or None,
        "aborted": about.get("aborted", False),
        "tool_version": version or None,
    }


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """Return a number as float; None where it is none."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e18 else None


def _address(ends: dict, end: str) -> str | None:
    host, port = ends.get(f"{end}_host"), ends.get(f"{end}_port")
    return f"{str(host).partition('%')[0]}:{port}" if host is not None else None


def _quantities(records: pl.DataFrame) -> pl.DataFrame:
    """Return objects of streams with the columns of `interval` and `summary`, in their units."""
    return records.select(
        "file_id",
        "stream",
        "own_side",
        "role",
        (pl.col("line") + 1).alias("line"),
        t_start_s="start",
        t_end_s="end",
        bytes="bytes",
        throughput_bps="bits_per_second",
        cwnd_bytes="snd_cwnd",
        rtt_s=pl.col("rtt") / 1e6,
        retransmits=whole("retransmits"),
        jitter_s=pl.col("jitter_ms") / 1e3,
        packets=whole("packets"),
        lost_packets=whole("lost_packets"),
    )


def _accounts(logs: Sequence, scans: Sequence[Scan]) -> dict[str, pl.DataFrame]:
    """Return the tables `fate` and `rejected`."""
    fates, rejected = [], []
    for log, found in zip(logs, scans, strict=True):
        sizes = np.diff(np.append(found.line_start, len(log.content)))
        lines = np.bincount(found.line_code, minlength=NUL + 1)
        n_bytes = np.bincount(found.line_code, weights=sizes, minlength=NUL + 1)
        for code in np.flatnonzero(lines):
            fates.append((log.file_id, *FATES[int(code)], int(lines[code]), int(n_bytes[code])))
        for line in np.flatnonzero(found.line_code >= BROKEN):
            begin = found.line_start[line]
            text = log.content[begin : begin + min(int(sizes[line]), TEXT_LENGTH)]
            reason = FATES[int(found.line_code[line])][1]
            shown = text.rstrip(b"\r\n").decode("utf-8", "replace")
            rejected.append((log.file_id, int(line) + 1, reason, shown))
    fate = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
    return {
        "fate": pl.DataFrame(
            fates, schema={**fate, "lines": pl.Int64, "bytes": pl.Int64}, orient="row"
        ),
        "rejected": pl.DataFrame(rejected, schema=REJECTED, orient="row"),
    }
