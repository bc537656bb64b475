"""Plain logs of iperf 2: of one connection, announced before its reports, all of which are sane.

Nearly all logs are. Their reports are taken apart batch by batch: no report is looked at twice,
none is joined with anything. Whatever is not plain takes the long way (`iperf2.tables`), by which
plain logs give the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .factors import FACTOR
from .iperf2_lines import read_connected
from .reports import FILE, KEY, UNIT, Meaning, Rows, Scan

LARGEST_RATE = 1e13  # bit/s, ten times the fastest link: wrong counters print far more
LARGEST_BYTES = 2.0**62
LONGEST = 1e9  # s, 30 years

Columns = dict[str, np.ndarray]


class Plain(NamedTuple):
    """Of plain logs the columns of the tables `interval` and `summary`; of each final report its
    log's number, and the bytes of its line."""

    interval: Columns
    summary: Columns
    logs: np.ndarray
    n_bytes: np.ndarray


def take_plain(scan: Scan, meaning: Meaning) -> list[Plain]:
    """Take the reports of plain logs out of what was scanned; their bytes are in bytes."""
    is_plain, n_reports = _plain_logs(scan, meaning)
    if not is_plain.any():
        return []
    begun, taken = np.zeros(len(scan.logs), bool), []
    parts = [rows for rows in scan.rows[::-1] if len(rows.line)]
    scan.rows.clear()
    while parts:  # each is forgotten once it is taken apart
        rows = parts.pop()
        of_runs = is_plain[rows.runs[FILE].astype(int)]
        if not of_runs.all():
            scan.rows.append(rows.take(~of_runs))
        if of_runs.any():
            taken.append(_columns(rows.take(of_runs), scan, begun, n_reports))
    return taken


def _plain_logs(scan: Scan, meaning: Meaning) -> tuple[np.ndarray, np.ndarray]:
    """Return of each log whether it is plain, and how many reports it has."""
    n_logs = len(scan.logs)
    label, line = np.full(n_logs, np.nan), np.zeros(n_logs, np.int64)
    plain, n_reports = np.ones(n_logs, bool), np.zeros(n_logs, np.int64)
    is_connected, is_report = (
        np.array([rule.kind == kind for rule in meaning.rules])[scan.told.places[:, 3]]
        for kind in ("connected", "server-report")
    )
    plain[scan.told.places[is_report, 0]] = False
    for i in np.flatnonzero(is_connected).tolist():
        file, number = scan.told.places[i, :2].tolist()
        said = read_connected(scan.told.texts[i])
        is_one = said is not None and not said.star and said.local_port != "0"
        plain[file] &= is_one and np.isnan(label[file])
        label[file], line[file] = said.label if said else -1, number
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


def _columns(rows: Rows, scan: Scan, begun: np.ndarray, n_reports: np.ndarray) -> Plain:
    """Return the columns of plain logs. begun: which logs have had reports, set here."""
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
    columns["bytes"] = columns["bytes"].astype(np.int64)
    interval = {name: column[is_interval] for name, column in columns.items()}
    summary = {name: column[whole] for name, column in columns.items()}
    return Plain(interval, summary, log[whole].astype(int), rows.n_bytes[whole].astype(np.int64))
