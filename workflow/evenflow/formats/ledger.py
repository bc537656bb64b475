"""What logs of reports hold, as tables, and what became of each of their lines.

`reports` scans; here batches are put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from .logs import shown_line
from .reports import Meaning, Scan, joined

REFUSED, PLACE = "rejected", ["file_id", "line"]
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}
REPORT_COLUMNS = {"row": pl.UInt32, "file_id": pl.UInt32, "line": pl.UInt32, "unit": pl.UInt16}


class Line(NamedTuple):
    """A line that is told: its row through all lines of some logs, its log's id, and in it."""

    row: int
    file_id: int
    line: int
    kind: str
    text: bytes


def read_reports(
    scans: Sequence[Scan], meaning: Meaning
) -> tuple[pl.DataFrame, list[Line], Ledger]:
    """Put together what logs hold.

    Returns:
        The reports: row (through all lines), file_id, line, unit (see `Meaning.constant`), and the
        columns that they have, null where one lacks it. The lines that have a text or a kind. And
        what became of all.
    """
    ledger = Ledger(scans, meaning)
    first, parts = 0, []
    for scan in scans:
        first_row = ledger.first_row[first : first + len(scan.logs)]
        file_ids = ledger.file_ids[first : first + len(scan.logs)]
        first += len(scan.logs)
        for rows in scan.rows:
            file = rows.each("file", np.uint32)
            row = first_row[file] + rows.line - np.uint32(1)
            ledger.reports.append((row, rows.n_bytes))
            parts.append(
                pl.DataFrame(
                    {
                        "row": row,
                        "file_id": file_ids[file],
                        "line": rows.line,
                        "unit": rows.each("unit", np.uint16),
                        meaning.columns[meaning.key]: rows.each("key"),
                        **{name: pl.Series(v, nan_to_null=True) for name, v in rows.values.items()},
                    }
                )
            )
    schema = {**REPORT_COLUMNS, meaning.columns[meaning.key]: pl.Float64}
    reports = pl.concat([pl.DataFrame(schema=schema), *parts], how="diagonal")
    kinds, told = [rule.kind for rule in meaning.rules], ledger.told
    columns = (told.places[:, i].tolist() for i in (0, 1, 3))
    of_lines = zip(ledger.told_rows.tolist(), *columns, told.texts, strict=True)
    files = ledger.file_ids.tolist()
    lines = [
        Line(row, files[file], line, kinds[rule], text)
        for row, file, line, rule, text in of_lines
        if kinds[rule]
    ]
    return reports, lines, ledger


class Ledger:
    """What became of every line of some logs, by the line's row through all of them."""

    def __init__(self, scans: Sequence[Scan], meaning: Meaning):
        """Begin with what the rules say."""
        self.logs = [log for scan in scans for log in scan.logs]
        self.file_ids = np.array([log.file_id for log in self.logs], np.uint32)
        of_rules = np.concatenate([scan.counts for scan in scans])
        lines = of_rules[:, :, 0].sum(axis=1)
        self.first_row = (np.cumsum(lines) - lines).astype(np.uint32)
        first_log = np.cumsum([0, *(len(scan.logs) for scan in scans)])
        self.told = joined([scan.told for scan in scans])
        n_told = [len(scan.told.texts) for scan in scans]
        self.told.places[:, 0] += np.repeat(first_log[:-1], n_told)
        # of each part its reports: rows, and bytes
        self.reports: list[tuple[np.ndarray, np.ndarray]] = []
        file, line = self.told.places[:, :2].T
        self.told_rows = self.first_row[file].astype(np.int64) + line - 1
        self._fates: dict[tuple[str, str | None], int] = {}
        self._code_of_rule = [self._code(rule.fate, rule.reason) for rule in meaning.rules]
        self._of_reports = self._code("sample", None)
        self._of_rules = of_rules
        self._read: tuple[int, list[bytes]] = (-1, [])  # the lines of the log that was read last
        self._marks: dict[int, int] = {}  # of rows, their codes
        self._moved: list[tuple[int, np.ndarray, np.ndarray]] = []

    def _code(self, fate: str, reason: str | None) -> int:
        return self._fates.setdefault((fate, reason), len(self._fates))

    def mark(self, rows: pl.Series, fate: str, reason: str | None) -> None:
        """Change the fate of some reports, or lines that are told."""
        self._marks |= dict.fromkeys(rows.to_list(), self._code(fate, reason))

    def move(self, logs: np.ndarray, n_bytes: np.ndarray, fate: str, reason: str | None) -> None:
        """Change the fate of some reports, of which only the bytes are known."""
        self._moved.append((self._code(fate, reason), logs, n_bytes))

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables `fate` and `rejected`."""
        fates = [*self._fates]
        counts = np.zeros((len(self.logs), len(fates), 2), np.int64)
        for rule, code in enumerate(self._code_of_rule):
            counts[:, code] += self._of_rules[:, rule]
        for code, logs, n_bytes in self._moved:
            amount = np.stack([np.ones_like(n_bytes), n_bytes], axis=1)
            np.subtract.at(counts[:, self._of_reports], logs, amount)
            np.add.at(counts[:, code], logs, amount)
        refuses = np.array([fates[code][0] == REFUSED for code in self._code_of_rule])
        refused = []
        for i in np.flatnonzero(refuses[self.told.places[:, 3]]).tolist():
            file, line, _, rule = self.told.places[i].tolist()
            if int(self.told_rows[i]) not in self._marks:
                reason = fates[self._code_of_rule[rule]][1]
                refused.append((file, line, reason, shown_line(self.told.texts[i])))
        refused += self._move_marked(counts, fates)
        at, fate_of = np.nonzero(counts[:, :, 0])
        fate = pl.DataFrame(
            {
                "file_id": self.file_ids[at],
                "fate": pl.Series([f for f, _ in fates], dtype=pl.String).gather(fate_of),
                "reason": pl.Series([r for _, r in fates], dtype=pl.String).gather(fate_of),
                "lines": counts[at, fate_of, 0],
                "bytes": counts[at, fate_of, 1],
            }
        )
        rows = [(int(self.file_ids[file]), *others) for file, *others in refused]
        return {"fate": fate, "rejected": pl.DataFrame(rows, REJECTED, orient="row").sort(PLACE)}

    def _move_marked(self, counts: np.ndarray, fates: list[tuple]) -> list[tuple]:
        """Count marked lines as what they are; return those that are rejected."""
        if not self._marks:
            return []
        told = {row: i for i, row in enumerate(self.told_rows.tolist())}
        marked = np.array([row for row in self._marks if row not in told], np.uint32)
        moved: list[tuple] = [
            (self._marks[row], self._of_reports, *found)
            for row, *found in self._find_reports(np.sort(marked))
        ]
        for row, code in self._marks.items():
            if row in told:
                file, line, n_bytes, rule = self.told.places[told[row]].tolist()
                moved.append((code, self._code_of_rule[rule], file, line, n_bytes))
        if moved:
            after, before, file, _, n_bytes = (np.array(c) for c in zip(*moved, strict=True))
            amount = np.stack([np.ones_like(n_bytes), n_bytes], axis=1)
            np.subtract.at(counts, (file, before), amount)
            np.add.at(counts, (file, after), amount)
        refused = [row for row in moved if fates[row[0]][0] == REFUSED]
        return [
            (file, line, fates[code][1], shown_line(self._line(file, line)))
            for code, _, file, line, *_ in sorted(refused, key=lambda row: row[2:4])
        ]

    def _find_reports(self, marked: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
        """Yield row, log, line and bytes of reports, whose rows are sorted."""
        log = np.searchsorted(self.first_row, marked, side="right") - 1
        line = marked - self.first_row[log] + 1
        n_bytes = np.zeros(len(marked), np.int64)
        for rows, sizes in self.reports:
            if len(rows):
                begin = np.searchsorted(marked, rows[0])
                end = np.searchsorted(marked, rows[-1], side="right")
                n_bytes[begin:end] = sizes[np.searchsorted(rows, marked[begin:end])]
        yield from zip(*(column.tolist() for column in (marked, log, line, n_bytes)), strict=True)

    def _line(self, file: int, line: int) -> bytes:
        """Return a line of a log, which is read again where it is not in the memory."""
        if file != self._read[0]:
            self._read = file, self.logs[file].whole.split(b"\n")
        return self._read[1][line - 1]
