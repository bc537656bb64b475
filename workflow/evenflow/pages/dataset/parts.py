"""What the parts of a data set's page share."""

from __future__ import annotations

import polars as pl

from ...markdown import markdown_table
from ...paths import printable
from ...render.pages import escape_markdown

MAX_WORDS = 40  # of a list in a sentence or a cell
MANY_ROWS = 40  # tables with more rows are folded


def code(text: object) -> str:
    """Return text as code that may stand in a table; as plain text where code cannot hold it."""
    text = printable(text)
    if not text:  # the name of the only run of a folder without subfolders
        return "*the only run*"
    return escape_markdown(text) if "|" in text or "`" in text else f"`{text}`"


def cut_short(n_shown: int, n: int, table: str) -> str:
    """Return the sentence below a table that does not show all its rows; nothing where it does."""
    if n_shown == n:
        return ""
    return f"The first {n_shown:,} of {n:,}; the [table](#sec-tables) `{table}` has them all."


def folded(
    header: list[str], rows: list[list[str]], numeric_from: int, title: str, many: int = MANY_ROWS
) -> str:
    """Return a table; one of more than `many` rows folded under a title."""
    table = markdown_table(header, rows, numeric_from=numeric_from)
    if len(rows) <= many:
        return table
    return f'::: {{.fold title="{title.replace(chr(34), chr(39))}"}}\n{table}\n:::'


def some_words(words: list[str]) -> str:
    """Return words one by one; of more than MAX_WORDS the first, and how many there are."""
    more = f", ... ({len(words):,} in all)" if len(words) > MAX_WORDS else ""
    return ", ".join(words[:MAX_WORDS]) + more


def numbers(values: pl.Series, unit: float) -> str:
    """Return the different values in a unit; of more than twelve their number and the ends."""
    found = sorted({round(value / unit, 3) for value in values.drop_nulls()})
    if len(found) > 12:
        return f"{len(found)} values from {found[0]:g} to {found[-1]:g}"
    return ", ".join(f"{value:g}" for value in found)
