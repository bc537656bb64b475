"""What the parts of a data set's page share."""

from __future__ import annotations

import polars as pl

from ..markdown import markdown_table
from ..render.pages import escape_markdown

MANY_ROWS = 40  # tables with more rows are folded


def code(text: object) -> str:
    """Return text as code that may stand in a table; as plain text where code cannot hold it."""
    text = str(text)
    if not text:  # the name of the only run of a folder without subfolders
        return "*the only run*"
    return escape_markdown(text) if "|" in text or "`" in text else f"`{text}`"


def folded(
    header: list[str], rows: list[list[str]], numeric_from: int, title: str, many: int = MANY_ROWS
) -> str:
    """Return a table; one of more than `many` rows folded under a title."""
    table = markdown_table(header, rows, numeric_from=numeric_from)
    if len(rows) <= many:
        return table
    return f'::: {{.fold title="{title.replace(chr(34), chr(39))}"}}\n{table}\n:::'


def numbers(values: pl.Series, unit: float) -> str:
    """Return the different values in a unit; of more than twelve their number and the ends."""
    found = sorted({round(value / unit, 3) for value in values.drop_nulls()})
    if len(found) > 12:
        return f"{len(found)} values from {found[0]:g} to {found[-1]:g}"
    return ", ".join(f"{value:g}" for value in found)
