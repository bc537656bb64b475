"""Flent's data files (`.flent`, `.flent.gz`): one JSON object, data format versions 2 to 4.

Shape (Flent 2.3.0; doc/data-format.rst of Flent describes it):

    {"metadata": {"T0": "2026-11-23T14:23:11.797100Z", "LENGTH": 60, "FLENT_VERSION": "2.3.0",
                  "SERIES_META": {"TCP upload::1": {"UNITS": "Mbits/s", "CONG_CONTROL": "cubic",
                                                    "RUNNER": "NetperfDemoRunner", ...}}, ...},
     "raw_values": {"TCP upload::1": [{"dur": 0.627, "t": 1795443797.424, "val": 26.34},
                                      {"t": 1795443798.1, "tcp_cwnd": 46.0, ...}, ...]},
     "results": {"TCP upload::1": [null, 25.1, ...]}, "version": 4, "x_values": [0.0, 0.2]}

A series in Mbits/s that Flent did not compute from others is a flow. Its samples are the raw
values: `val` over the `dur` seconds that end at `t` (seconds since 1970). Without `dur` (Flent's
source is iperf) a value reaches back to the one before. The values in `results` are interpolated at
`x_values`, so they are never samples; nor are sums, averages and pings. `tcp_cwnd`, `tcp_rtt` (ms)
and the like (--socket-stats) are the sender's state. A flow's clock begins with its first sample.

Raw values came with version 2. Until version 3 iperf's were bits per second under the unit Mbits/s
of the results: they are told by their ratio to the results.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # of Python 3.11 to 3.14
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from .options import USUAL
from .shapes import Log

NAME = "flent"
TOOL = "flent"
PLATFORM = "testbed"
CLOCK = "flow"
NAMES_FLOWS = True
# with the key what stands in it: many programs write results, a version or metadata
SIGNATURE = (
    r'\A\s*\{\s*"(?:metadata"\s*:\s*\{\s*"[A-Z][A-Z0-9_]*"'  # Flent's names are capitals
    r'|raw_values"\s*:\s*\{|results"\s*:\s*\{\s*"[^"\n]+"\s*:\s*\['
    r'|version"\s*:\s*\d+\s*,\s*"(?:metadata|raw_values|results|x_values)"\s*:|x_values"\s*:\s*\[)'
)
VERSIONS = (2, 3, 4)
COMPUTED = re.compile(r"(Average|Sum|DiffMin|Fairness|Computing)")  # runners, by class
COMPUTED_NAME = re.compile(r" (sum|avg|fairness)$| totals$")
TRANSFER = re.compile(r"\b(upload|download)\b", re.IGNORECASE)
PROTOCOL = re.compile(r"\b(TCP|UDP|SCTP)\b", re.IGNORECASE)
SCALE = {"Mbits/s": 1e6, "bits/s": 1.0}
BITS_RATIO = 1e5  # raw values this much larger than the results are bits, not Mbits, per second
ROUNDING_S = 0.002  # netperf prints times and lengths in milliseconds
STATE = {  # ss's names: ours, and the factor
    "tcp_cwnd": ("cwnd_packets", 1.0),
    "tcp_rtt": ("srtt_s", 1e-3),
    "tcp_rtt_var": ("rttvar_s", 1e-3),
}
NOT_A_FLOW = "a series that is not the throughput of a flow: pings, statistics of a device, ..."
INTERPOLATED = "values that Flent interpolated, or computed from several series"
NO_VALUE = "there is no value at this time (null)"
WITHOUT_VALUE = "a raw value without a time or a value"
UNKNOWN_LINE = (
    "the JSON breaks or ends here, or has no version of Flent's data format: cut, or of another "
    "program"
)
OTHER_VERSION = (
    "Flent's data format {} is not read, only {}: load the file in a current Flent, save it again"
)
BEFORE_FIRST = "the first value: nothing says when its interval began"
BACKWARDS = "the interval begins before the one before it ended"
FATE_OF = {  # what a line holds; of several things the later counts
    "header": ("header", None),
    "interpolated": ("summary", INTERPOLATED),
    "other": ("skipped", NOT_A_FLOW),
    "first": ("skipped", BEFORE_FIRST),
    "none": ("skipped", NO_VALUE),
    "sample": ("sample", None),
    "empty": ("rejected", WITHOUT_VALUE),
    "backwards": ("rejected", BACKWARDS),
    "cut": ("rejected", UNKNOWN_LINE),
    "version": ("rejected", None),
}
RANK = {name: rank for rank, name in enumerate(FATE_OF)}
IS_REJECTED = np.array([fate == "rejected" for fate, _ in FATE_OF.values()])  # by rank
DECODER = json.JSONDecoder()
BLANK = re.compile(r"[ \t\r\n]*")


class Value(NamedTuple):
    """An element of a series of raw values and where in the text it stands."""

    begin: int
    end: int
    value: Any


class Document(NamedTuple):
    """What could be read of a file: its keys, its raw values by series, where it breaks."""

    parts: dict[str, Any]
    spans: dict[str, tuple[int, int]]
    raw: dict[str, list[Value]]
    broken: int | None


def parse(logs):
    """Read the tables `stream`, `interval`, `state`, `fate` and `rejected`."""
    tables: dict[str, list[dict]] = {name: [] for name in ("stream", "interval", "state")}
    tables |= {"fate": [], "rejected": []}
    for log in logs:
        for name, rows in _read(log).items():
            tables[name] += [{"file_id": log.file_id, **row} for row in rows]
    return {
        name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items() if rows
    }


def _read(log: Log) -> dict[str, list[dict]]:
    """Return the rows of one file."""
    if not log.content:
        return {}
    text = log.content.decode("latin-1")  # a character a byte: places are byte offsets
    starts = _line_starts(log.content)
    holds = np.zeros(len(starts), np.uint8)  # of each line the RANK of what it holds
    document = _document(text)
    parts = document.parts
    version = parts.get("version")
    about = _dict(_dict(parts.get("metadata")).get("SERIES_META"))
    rows: dict[str, list[dict]] = {"stream": [], "interval": [], "state": []}

    def hold(begin: int, end: int, what: str) -> int:
        """Say what the lines of a piece of the text hold; return the first, from 0."""
        first = bisect_right(starts, begin) - 1
        lines = holds[first : bisect_right(starts, max(end - 1, begin))]
        np.maximum(lines, RANK[what], out=lines)
        return first

    if "results" in document.spans:
        hold(*document.spans["results"], "interpolated")
    unread = version not in VERSIONS and (version is not None or document.broken is None)
    if unread:
        hold(0, len(text), "version" if version is not None else "cut")
    for name, values in document.raw.items() if not unread else ():
        meta = _dict(about.get(name))
        if not values or not _is_flow(name, meta):
            for value in values:
                hold(value.begin, value.end, "other")
            continue
        scale = _scale(name, meta, values, parts)
        number = len(rows["stream"]) + 1
        found = _series(values, scale, _step(parts))
        for value, what, row in found.judged:
            line = hold(value.begin, value.end, what) + 1
            if row:
                rows["interval"].append({"line": line, "stream": number, **row})
            for variable, amount, t_s in _states(value.value, found.start_s):
                row = {"line": line, "stream": number, "t_s": t_s}
                rows["state"].append(row | {"variable": variable, "value": amount})
        if found.start_s is not None:
            line = bisect_right(starts, values[0].begin)
            rows["stream"].append(
                {"stream": number, "line": line, "start_epoch_s": found.start_s}
                | _about(name, meta, parts)
            )
    if document.broken is not None:
        hold(document.broken, len(text), "cut")
    rows = _kept(rows, set((np.flatnonzero(IS_REJECTED[holds]) + 1).tolist()))
    unread_reason = OTHER_VERSION.format(version, ", ".join(map(str, VERSIONS)))
    return rows | _accounts(log.content, starts, holds, unread_reason)


def _kept(rows: dict[str, list[dict]], lost: set[int]) -> dict[str, list[dict]]:
    """Return the rows that share no line with something that is rejected, and their streams."""
    rows = {name: [row for row in of if row["line"] not in lost] for name, of in rows.items()}
    measured = {row["stream"] for row in rows["interval"]}
    state = [row for row in rows["state"] if row["stream"] in measured]
    stream = [row for row in rows["stream"] if row["stream"] in measured]
    return rows | {"stream": stream, "state": state}


def _document(text: str) -> Document:
    """Read the object of a file as far as its JSON goes."""
    parts: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    raw: dict[str, list[Value]] = {}

    def read_part(key: str, at: int) -> int:
        if key == "raw_values":
            return _read_members(
                text, at, lambda name, at: _read_elements(text, at, raw.setdefault(name, []))
            )
        spans[key] = (at, len(text))  # where it breaks inside
        parts[key], end = DECODER.raw_decode(text, at)
        spans[key] = (at, end)
        return end

    try:
        rest = _skip(text, _read_members(text, _skip(text, 0), read_part))
        return Document(parts, spans, raw, rest if rest < len(text) else None)
    except _Break as stop:
        return Document(parts, spans, raw, stop.args[0])
    except (ValueError, RecursionError) as error:
        return Document(parts, spans, raw, getattr(error, "pos", 0))


class _Break(Exception):
    """The text is no JSON from here on."""


def _read_members(text: str, at: int, read: Callable[[str, int], int]) -> int:
    """Read the members of the object at a place; return where it ends.

    Args:
        text: of a file.
        at: where the object begins.
        read: is called with each key and the place of its value, and returns where that ends.
    """
    begin, odd = at, False
    _expect(text, at, "{")
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return at + 1
    while True:
        _expect(text, at, '"')
        key, at = scanstring(text, at + 1, False)
        odd |= not key.isprintable()
        at = _skip(text, at)
        _expect(text, at, ":")
        at = _skip(text, read(key, _skip(text, at + 1)))
        if text[at : at + 1] == "}":
            # a control character in a key is no JSON: the decoder says where it breaks
            return DECODER.raw_decode(text, begin)[1] if odd else at + 1
        _expect(text, at, ",")
        at = _skip(text, at + 1)


def _read_elements(text: str, at: int, values: list[Value]) -> int:
    """Read the elements of the list at a place into `values`; return where it ends."""
    _expect(text, at, "[")
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return at + 1
    while True:
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _Break(at) from error
        values.append(Value(at, end, value))
        at = _skip(text, end)
        if text[at : at + 1] == "]":
            return at + 1
        _expect(text, at, ",")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    blank = BLANK.match(text, at)
    return blank.end() if blank else at


def _expect(text: str, at: int, character: str) -> None:
    if text[at : at + 1] != character:
        raise _Break(at)


def _is_flow(name: str, meta: dict) -> bool:
    """Return whether a series with raw values is the throughput of one flow."""
    runner = str(meta.get("RUNNER", ""))
    if COMPUTED.match(runner) or COMPUTED_NAME.search(name) or "::tcp_" in name:
        return False
    if "UNITS" in meta:
        return meta["UNITS"] in SCALE
    return bool(TRANSFER.search(name))


def _scale(name: str, meta: dict, values: list[Value], parts: dict) -> float:
    """Return the factor from a raw value to bits per second."""
    if parts.get("version") != VERSIONS[-1]:
        raw = [v for v in (_number(_dict(value.value).get("val")) for value in values) if v]
        shown = _dict(parts.get("results")).get(name)
        shown = [v for v in map(_number, shown) if v] if isinstance(shown, list) else []
        if raw and shown and sum(raw) / len(raw) > BITS_RATIO * sum(shown) / len(shown):
            return 1.0
    return SCALE[meta.get("UNITS", "Mbits/s")]


class Series(NamedTuple):
    """The raw values of a flow: when it began (s since 1970), and of each what it is."""

    start_s: float | None
    judged: list[tuple[Value, str, dict | None]]


def _series(values: list[Value], scale: float, step_s: float | None) -> Series:
    """Return what each raw value of a flow is: (value, what its lines hold, its interval)."""
    judged: list[tuple[Value, str, dict | None]] = []
    start_s = before_s = None
    for value in values:
        raw = _dict(value.value)
        end_s, rate, length_s = (_number(raw.get(key)) for key in ("t", "val", "dur"))
        if rate is None or rate < 0 or end_s is None:
            known = end_s is not None and STATE.keys() & raw.keys()
            is_null = end_s is not None and "val" in raw and raw["val"] is None
            what = "sample" if known else "none" if is_null else "empty"
            judged.append((value, what, None))
            if is_null:  # what comes next begins where this one ended
                before_s = end_s
            continue
        if length_s is None:
            begin_s = before_s if before_s is not None else step_s and end_s - step_s
        else:
            begin_s = end_s - length_s
            if before_s is not None and abs(begin_s - before_s) < ROUNDING_S:
                begin_s = before_s
        if begin_s is None:
            judged.append((value, "first", None))
        elif not begin_s < end_s or (before_s is not None and begin_s < before_s):
            judged.append((value, "backwards", None))
            continue
        else:
            start_s = begin_s if start_s is None else start_s
            row = {
                "t_start_s": begin_s - start_s,
                "t_end_s": end_s - start_s,
                "bytes": round(rate * scale * (length_s or end_s - begin_s) / 8),
                "throughput_bps": rate * scale,
            }
            judged.append((value, "sample", row))
        before_s = end_s
    if start_s is None:  # without an interval it is no flow
        judged = [
            (value, "other" if what == "sample" else what, row) for value, what, row in judged
        ]
    return Series(start_s, judged)


def _states(raw: object, start_s: float | None) -> Iterator[tuple[str, float, float]]:
    """Yield variable, value and time (s since the flow's start) of the sender's state."""
    state = _dict(raw)
    t_s = _number(state.get("t"))
    if t_s is None or start_s is None:
        return
    for key, (variable, factor) in STATE.items():
        amount = _number(state.get(key))
        if amount is not None:
            yield variable, amount * factor, t_s - start_s


def _about(name: str, meta: dict, parts: dict) -> dict:
    """Return what the metadata say of a flow."""
    metadata = _dict(parts.get("metadata"))
    protocol = PROTOCOL.search(name)
    mss = _number(meta.get("TCP_MSS"))
    cca, version = meta.get("CONG_CONTROL"), metadata.get("FLENT_VERSION")
    received = "download" in name.lower()  # Flent runs on the client: it receives downloads
    options = {"direction": "reverse" if received else USUAL}
    return {
        "label": name.encode("latin-1", "replace").decode("utf-8", "replace"),
        "episode": 1,
        "side": "receiver" if received else "sender",
        "options": json.dumps(options),
        "protocol": protocol[0].lower() if protocol else None,
        "cca": cca if isinstance(cca, str) and cca else None,
        "mss_bytes": int(mss) if mss and 0 < mss < 2**31 else None,
        "planned_s": _number(metadata.get("LENGTH")),
        "complete": "MEAN_VALUE" in meta if meta else None,
        "tool_version": version if isinstance(version, str) else None,
    }


def _step(parts: dict) -> float | None:
    """Return the time between two values that Flent was told, seconds."""
    step = _number(_dict(parts.get("metadata")).get("STEP_SIZE"))
    return step if step and step > 0 else None


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """Return a number as float; None where it is none, or none that a count can be."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        return None
    return float(value)


def _line_starts(content: bytes) -> list[int]:
    """Return the offsets at which lines begin."""
    after = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n")) + 1
    return [0, *after[after < len(content)].tolist()]


def _accounts(content: bytes, starts: list[int], holds: np.ndarray, unread: str) -> dict:
    """Return the rows of `fate` and `rejected` of a file's lines."""
    fates = [(fate, unread if what == "version" else why) for what, (fate, why) in FATE_OF.items()]
    sizes = np.diff(starts, append=len(content))
    lines, n_bytes = np.bincount(holds), np.bincount(holds, sizes).astype(int)  # exact to 2^53
    rows = [
        {"fate": fate, "reason": why, "lines": int(lines[rank]), "bytes": int(n_bytes[rank])}
        for rank, (fate, why) in enumerate(fates[: len(lines)])
        if lines[rank]
    ]
    rejected = []
    for i in np.flatnonzero(IS_REJECTED[holds]).tolist():
        line = content[starts[i] : starts[i] + int(sizes[i])].rstrip(b"\r\n")[:200]
        text = line.decode("utf-8", "backslashreplace")
        rejected.append({"line": i + 1, "reason": fates[holds[i]][1], "text": text})
    return {"fate": rows, "rejected": rejected}
