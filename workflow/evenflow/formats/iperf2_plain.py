"""Plain logs of iperf 2: of one connection, announced before its reports, all of which are sane.

Nearly all logs are. Of their reports a table is made batch by batch: no report is looked at twice,
none is joined with anything. Whatever is not plain takes the long way (`iperf2.tables`), by which
plain logs give the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl

from .reports import FILE, KEY, UNIT, Meaning, Rows, Scan
from .streams import FACTOR

LARGEST_RATE = 1e13  # bit/s, ten times the fastest link: wrong counters print far more
LARGEST_BYTES = 2.0**62
LONGEST = 1e9  # s, 30 years
CONNECTED = re.compile(
    r"\[ *(?P<star>\*?)(?P<label>\d{1,9})\] local (?P<local>\S+) port (?P<local_port>\d+) "
    r"connected (?:with|to) (?P<peer>\S+) port (?P<peer_port>\d+)(?P<rest>.*)"
)


class Plain(NamedTuple):
    """Of plain logs the tables `interval` and `summary`; of each final report its log's number, and
    the bytes of its line."""

    interval: pl.DataFrame
    summary: pl.DataFrame
    logs: np.ndarray
    n_bytes: np.ndarray


@lru_cache(4096)  # it is asked twice, and logs have the same lines
def read_connected(text: str) -> re.Match | None:
    """Read the line that announces a connection."""
    return CONNECTED.match(text)


def take_plain(scan: Scan, meaning: Meaning) -> list[Plain]:
    """Take the reports of plain logs out of what was scanned; their bytes are in bytes."""
    is_plain, n_reports = _plain_logs(scan, meaning)
    if not is_plain.any():
        return []
    begun, taken = np.zeros(len(scan.logs), bool), []
    parts = [rows for rows in scan.rows[::-1] if len(rows.line)]
    scan.rows.clear()
    while parts:  # each is forgotten once its table is made
        rows = parts.pop()
        of_runs = is_plain[rows.runs[FILE].astype(int)]
        if not of_runs.all():
            scan.rows.append(rows.take(~of_runs))
        if of_runs.any():
            taken.append(_tables(rows.take(of_runs), scan, begun, n_reports))
    return taken


def _plain_logs(scan: Scan, meaning: Meaning) -> tuple[np.ndarray, np.ndarray]:
    """Return of each log whether it is plain, and how many reports it has."""
    n_logs = len(scan.logs)
    label, line = np.full(n_logs, np.nan), np.zeros(n_logs, np.int64)
    plain, n_reports = np.ones(n_logs, bool), np.zeros(n_logs, np.int64)
    for told in scan.told:
        kind = meaning.rules[told.rule].kind
        if kind == "connected":
            match = read_connected(told.text.decode("utf-8", "backslashreplace"))
            is_one = match and not match["star"] and match["local_port"] != "0"
            plain[told.file] &= bool(is_one) and np.isnan(label[told.file])
            label[told.file], line[told.file] = int(match["label"]) if match else -1, told.line
        elif kind == "server-report":
            plain[told.file] = False
    star, giga = meaning.constant("star") > 0, meaning.constant("byte_factor") >= FACTOR["G"]
    for rows in scan.rows:
        if not len(rows.line):
            continue
        begin, file, unit = (rows.runs[i].astype(int) for i in (0, FILE, UNIT))
        t_start_s, t_end_s, n_bytes, rate = (rows.values[name] for name in NUMBERS)
        odd = (rate > LARGEST_RATE) | (n_bytes >= LARGEST_BYTES) | (t_end_s > LONGEST)
        odd |= ~(t_end_s > t_start_s)
        other = (rows.runs[KEY] != label[file]) | star[unit] | giga[unit]
        other |= rows.line[begin] < line[file]
        other |= np.logical_or.reduceat(odd, begin) if odd.any() else False
        plain[file[other]] = False
        np.add.at(n_reports, file, np.diff(begin, append=len(rows.line)))
    return plain, n_reports


NUMBERS = ("t_start_s", "t_end_s", "bytes", "throughput_bps")  # of each report


def _tables(rows: Rows, scan: Scan, begun: np.ndarray, n_reports: np.ndarray) -> Plain:
    """Return the tables of plain logs. begun: which logs have had reports, set here."""
    begin, file_of_run = rows.runs[0].astype(int), rows.runs[FILE].astype(int)
    first = np.full(len(scan.logs), -1)
    first[file_of_run[::-1]] = begin[::-1]
    first[begun] = -1
    begun[file_of_run] = True
    log = rows.each("file", np.uint32)
    from_start = np.flatnonzero(rows.values["t_start_s"] == 0)
    of_log = log[from_start]
    whole = from_start[(from_start != first[of_log]) | (n_reports[of_log] == 1)]
    is_interval = np.ones(len(log), bool)
    is_interval[whole] = False
    file_ids = np.array([log.file_id for log in scan.logs], np.uint32)
    columns = {"file_id": file_ids[log], "line": rows.line, **rows.values}
    interval, summary = (
        pl.DataFrame({name: _series(name, column[which]) for name, column in columns.items()})
        for which in (is_interval, whole)
    )
    return Plain(interval, summary, log[whole].astype(int), rows.n_bytes[whole].astype(np.int64))


def _series(name: str, column: np.ndarray) -> pl.Series:
    if name == "bytes":
        column = column.astype(np.int64)
    # what every report has need not be looked through
    return pl.Series(column, nan_to_null=name not in NUMBERS and column.dtype == np.float64)
