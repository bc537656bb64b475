"""What logs of reports hold, as tables, and what became of each of their lines.

`reports` scans; here batches are put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from .columns import as_table
from .logs import shown_line
from .reports import Meaning, Scan

REFUSED, PLACE = "rejected", ["file_id", "line"]
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}
MARKED = ("row", *PLACE, "n_bytes", "before")
AMOUNT = {"file_id": pl.UInt32, "code": pl.UInt32, "lines": pl.Int64, "bytes": pl.Int64}


class Line(NamedTuple):
    """A line that is told: its row through all lines of some logs, its log's id, and in it."""

    row: int
    file_id: int
    line: int
    kind: str
    text: bytes


class Ledger:
    """What became of every line of some logs.

    A line is known by its row through all of them: `first_row` is that of a log's first line.
    """

    def __init__(self, scans: Sequence[Scan], meaning: Meaning):
        """Begin with what the rules say."""
        self._fates: list[tuple[str, str | None]] = []  # a code is the number of one
        self._code_of_rule = [self._code(rule.fate, rule.reason) for rule in meaning.rules]
        self._of_reports = self._code("sample", None)
        self._logs = {log.file_id: log for scan in scans for log in scan.logs}
        codes = pl.Series(self._code_of_rule, dtype=pl.UInt32)
        counts = _counts(scans, codes)
        of_logs = pl.DataFrame({"file_id": [*self._logs]}, {"file_id": pl.UInt32}).join(
            counts.group_by("file_id").agg(pl.sum("lines")),
            "file_id",
            "left",
            maintain_order="left",
        )
        after = pl.col("lines").fill_null(0).cum_sum()
        self.first_row = of_logs.select("file_id", first_row=after.shift(1, fill_value=0))
        self._amounts = [counts]  # of lines, less than zero where some are something else after all
        self._marks: dict[int, int] = {}  # of rows, their codes
        self._reports = pl.DataFrame()
        self._read: tuple[int, list[bytes]] = (-1, [])  # the lines of the log that was read last
        self._scans, self._kinds = scans, [rule.kind for rule in meaning.rules]

    def _code(self, fate: str, reason: str | None) -> int:
        if (fate, reason) not in self._fates:
            self._fates.append((fate, reason))
        return self._fates.index((fate, reason))

    def lines(self) -> list[Line]:
        """Return the lines that are told and have a kind."""
        kinds = self._kinds
        return [
            Line(row, file_id, line, kinds[rule], text)
            for row, file_id, line, _, rule, text in self._told()
            if kinds[rule]
        ]

    def _told(self) -> Iterator[tuple[int, int, int, int, int, bytes]]:
        """Yield of all lines that are told row, file_id, line, bytes, rule and text."""
        first_rows = dict(self.first_row.rows())
        for scan in self._scans:
            file_ids = [log.file_id for log in scan.logs]
            for log, line, n_bytes, rule, text in zip(*scan.told, strict=True):
                file_id = file_ids[log]
                yield first_rows[file_id] + line - 1, file_id, line, n_bytes, rule, text

    def with_rows(self, reports: pl.DataFrame) -> pl.DataFrame:
        """Return reports, which have n_bytes of their lines, with their rows: all those that are
        marked one by one."""
        row = (pl.col("first_row") + pl.col("line") - 1).cast(pl.UInt32)
        reports = reports.join(self.first_row, "file_id", "left", maintain_order="left")
        reports = reports.with_columns(row=row).drop("first_row")
        self._reports = reports.select("row", *PLACE, "n_bytes")
        return reports.drop("n_bytes")

    def mark(self, rows: pl.Series, fate: str, reason: str | None) -> None:
        """Change the fate of some reports, or lines that are told."""
        self._marks |= dict.fromkeys(rows.to_list(), self._code(fate, reason))

    def move(self, reports: pl.DataFrame, fate: str, reason: str | None) -> None:
        """Change the fate of some reports: file_id, n_bytes."""
        moved = reports.group_by("file_id", maintain_order=True).agg(
            lines=pl.len(), bytes=pl.col("n_bytes").cast(pl.Int64).sum()
        )
        self._move(moved, pl.lit(self._of_reports), pl.lit(self._code(fate, reason)))

    def _move(self, moved: pl.DataFrame, before: pl.Expr, after: pl.Expr) -> None:
        gone = moved.with_columns(-pl.col("lines").cast(pl.Int64), -pl.col("bytes"), code=before)
        come = moved.with_columns(code=after)
        self._amounts += [
            part.select(pl.col(name).cast(kind) for name, kind in AMOUNT.items())
            for part in (gone, come)
        ]

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables `fate` and `rejected`."""
        fates = [self._fates[code] for code in self._code_of_rule]
        refused = [
            (file_id, line, fates[rule][1], shown_line(text))
            for row, file_id, line, _, rule, text in self._told()
            if fates[rule][0] == REFUSED and row not in self._marks
        ]
        if self._marks:
            refused += self._move_marked()
        amounts = pl.concat(self._amounts).group_by("file_id", "code", maintain_order=True)
        fate = amounts.agg(pl.sum("lines", "bytes")).filter(pl.col("lines") != 0)
        words = (pl.Series(of, dtype=pl.String) for of in zip(*self._fates, strict=True))
        of_lines = dict(
            zip(("fate", "reason"), (of.gather(fate["code"]) for of in words), strict=True)
        )
        fate = fate.select("file_id", **of_lines, lines="lines", bytes="bytes")
        return {"fate": fate, "rejected": pl.DataFrame(refused, REJECTED, orient="row").sort(PLACE)}

    def _move_marked(self) -> list[tuple]:
        """Count marked lines as what they are; return those that are rejected."""
        marks = pl.DataFrame(
            {"row": list(self._marks), "after": list(self._marks.values())},
            {"row": pl.UInt32, "after": pl.UInt32},
        )
        told = [
            (*place, self._code_of_rule[rule])
            for *place, rule, _ in self._told()
            if place[0] in self._marks
        ]
        lines = pl.concat(
            [
                self._reports.with_columns(before=pl.lit(self._of_reports, pl.UInt32)),
                pl.DataFrame(told, dict.fromkeys(MARKED, pl.UInt32), orient="row"),
            ]
        ).join(marks, "row")
        moved = lines.rename({"n_bytes": "bytes"}).with_columns(
            pl.col("bytes").cast(pl.Int64), lines=pl.lit(1)
        )
        self._move(moved, pl.col("before"), pl.col("after"))
        codes = [code for code, (fate, _) in enumerate(self._fates) if fate == REFUSED]
        refused = lines.filter(pl.col("after").is_in(codes)).sort("row")
        return [
            (file_id, line, self._fates[code][1], shown_line(self._line(file_id, line)))
            for file_id, line, code in refused.select(*PLACE, "after").rows()
        ]

    def _line(self, file_id: int, line: int) -> bytes:
        """Return a line of a log, which is read again where it is not in the memory."""
        if file_id != self._read[0]:
            self._read = file_id, self._logs[file_id].whole.split(b"\n")
        return self._read[1][line - 1]


def _counts(scans: Sequence[Scan], codes: pl.Series) -> pl.DataFrame:
    """Return how many lines and bytes of each code the logs have: AMOUNT; codes: of the rules."""
    ids = pl.Series([log.file_id for scan in scans for log in scan.logs], dtype=pl.UInt32)
    tables = [as_table({"lines": scan.counts, "bytes": scan.sizes}) for scan in scans]
    table = pl.concat(tables).with_row_index("at").filter(pl.col("lines") > 0)
    log, rule = table["at"] // len(codes), table["at"] % len(codes)
    of_lines = {"file_id": ids.gather(log), "code": codes.gather(rule)}
    return table.select(**of_lines, lines="lines", bytes="bytes")
