"""Numbers and tables as reports print them: formatted strings and markdown."""

from __future__ import annotations

import re

import polars as pl

NOTHING = "–"
NO_BREAK_SPACE = "\u00a0"
# spaces at which no line of a cell may end: before a unit, and in '(n = 3)'; `code` is left alone
TOGETHER = re.compile(
    r"(?P<code>`[^`]*`)|(?<=\d) (?=(?:ms|s|[KMG]i?B|[KMG]?b/s|dB)\b|%)|(?<=\(n) (?==)|(?<=\(n =) "
)
# metric -> unit that reports print it in, and digits after the point
PRINTED = {
    "mean_throughput_bps_flow1": (1e6, 1),
    "mean_throughput_bps_flow2": (1e6, 1),
    "flow_nru_db_flow1": (1, 2),
    "flow_nru_db_flow2": (1, 2),
    "system_nru_db": (1, 2),
    "jfi": (1, 2),
    "throughput_ratio": (1, 2),
    "utilisation": (0.01, 1),  # %
}


def number(value: float | None, digits: int) -> str:
    """Format a number with a true minus sign; a dash where there is none."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def word(ccas: str) -> str:
    """Return a pairing as a variable's name: 'newreno-bic' is 'newreno_bic'."""
    return ccas.replace("-", "_")


def markdown_table(header: list[str], rows: list[list[str]], *, numeric_from: int) -> str:
    """Return a pipe table; columns from `numeric_from` on align right."""
    rule = ["---" if i < numeric_from else "--:" for i in range(len(header))]
    lines = (" | ".join(cells).join(("| ", " |")) for cells in (header, rule, *rows))
    return TOGETHER.sub(lambda found: found["code"] or NO_BREAK_SPACE, "\n".join(lines))


def ledger_table(ledger: pl.DataFrame) -> str:
    """Return the ledger's sums by format: files, bytes and lines by fate."""
    files = ledger.filter(pl.col("entry") == "file")
    fates = ["sample", "header", "summary", "skipped", "rejected"]
    sums = (
        files.group_by("format")
        .agg(
            pl.len().alias("files"),
            pl.col("bytes").sum(),
            pl.col("lines").sum(),
            *(pl.col(f"lines_{fate}").sum() for fate in fates),
        )
        .sort("format")
    )
    rows = [[f"`{row[0]}`", *(f"{value:,}" for value in row[1:])] for row in sums.rows()]
    header = ["Format", "Files", "Bytes on disk", "Lines", *(f"{fate} lines" for fate in fates)]
    return markdown_table(header, rows, numeric_from=1)


def span_of(values: pl.Series, digits: int = 0) -> str:
    """Return the smallest and the largest value, '1 to 3', or the one that all are."""
    if values.drop_nulls().is_empty():
        return NOTHING
    low, high = (number(value, digits) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"
