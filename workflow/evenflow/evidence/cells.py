"""Cells of tables in print that carry the rows that they were made of.

A function under `@paper.table` is given tables with their tags, as one under `@paper.number`
(`say`). `made_of` puts the rows behind the texts of cells; `markdown_table` keeps them, and the
file `<table>.cells.json` beside the markdown holds them.

    made_of(row, name, number(row["jfi"], 2))      of one row, as rows(named=True) has it
    made_of(cells, f"{len(low)} of {len(cells)}")  of several rows
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from ..markdown import Cell, Table
from .say import TAG, ranges, table_of, tags_of

DIGIT = re.compile(r"\d")
Rows = pl.DataFrame | Mapping | Sequence[pl.DataFrame | Mapping]


def made_of(rows: Rows, *texts: str) -> list[str]:
    """Return texts of cells; those with a digit carry the rows that they were made of.

    Args:
        rows: of tagged tables: a table, one row as `rows(named=True)` has it, or several of these.
            Without a tag, as in a test, the texts stay as they are.
    """
    tables = tables_of(rows)
    return [Cell(text, tables) if tables and DIGIT.search(text) else text for text in texts]


def tables_of(rows: Rows) -> dict[str, list[int]]:
    """Return {table: places of the rows, sorted}."""
    found: dict[str, set[int]] = {}
    for each in [rows] if isinstance(rows, (pl.DataFrame, Mapping)) else rows:
        for table, places in _places(each):
            found.setdefault(table, set()).update(place for place in places if place is not None)
    return {table: sorted(places) for table, places in found.items() if places}


def _places(rows: pl.DataFrame | Mapping) -> Iterable[tuple[str, Iterable[int | None]]]:
    if isinstance(rows, pl.DataFrame):
        return [(table_of(tag), rows[tag].to_list()) for tag in tags_of(rows)]
    return [(table_of(tag), [at]) for tag, at in rows.items() if tag.startswith(TAG)]


def cells_as_json(text: str) -> str:
    """Return what is behind the cells of a table in print.

    That is [[row, [columns], {table: ranges}], ...]: rows and columns count from 0 below the head,
    and cells of a row with the same rows are together.
    """
    made: dict[tuple, list[int]] = {}
    for (row, column), cell in sorted(text.cells.items() if isinstance(text, Table) else ()):
        of = json.dumps({table: ranges(places) for table, places in sorted(cell.items())})
        made.setdefault((row, of), []).append(column)
    listed = [[row, columns, json.loads(of)] for (row, of), columns in made.items()]
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":")) + "\n"
