"""Tables in print from tables of data: a row of print is a row of data, or a group of rows.

    printed(
        in_order(fit, part=PLATFORMS, queue=QUEUES),
        {"Platform": named("part", PLATFORM_NAMES), "Queue": named("queue", QUEUES)},
        {"Cells": "n", "Slope": interval("slope", 2)},
    )

    printed(
        groups(cell, "part", "queue"),
        {"Platform": named("part", PLATFORM_NAMES), "Queue": named("queue", QUEUES)},
        {"Cells": pl.len()} | pivoted("rtt_ms", {16: "16 ms"}, fixed("jfi", 2)),
    )

What stands below a heading is a function of the row (a dict) or of the group (a table), the name of
a column, or an expression. The cells of values lead to the rows that they were made of; names do
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from ..evidence.cells import Rows, made_of
from ..markdown import NOTHING, Cell, markdown_table, number, with_interval

What = str | pl.Expr
Column = What | Callable[[Rows], str]
NO_RUN = "no run yet"


def value_of(rows: Rows, what: What) -> object:
    """Return a value of a row, or of a group: that of its first row, or of an expression."""
    if isinstance(rows, pl.DataFrame):
        found = rows.select(pl.col(what).first() if isinstance(what, str) else what)
        return found.to_series()[0] if len(found) else None
    assert isinstance(rows, Mapping) and isinstance(what, str), (rows, what)
    return rows[what]


def number_of(rows: Rows, what: What) -> float | None:
    """Return a number of a row, or of a group, as `value_of`."""
    value = value_of(rows, what)
    assert value is None or isinstance(value, int | float), (what, value)
    return value


def in_order(table: pl.DataFrame, **orders: Iterable) -> pl.DataFrame:
    """Return the rows whose columns have one of the values, sorted as these are listed."""
    places = []
    for column, order in orders.items():
        values = pl.Series(list(order), dtype=table.schema[column], strict=False)
        table = table.filter(pl.col(column).is_in(values.implode()))
        place = pl.col(column).replace_strict(values, range(len(values)), return_dtype=pl.Int64)
        places.append(place)
    return table.sort(places, maintain_order=True)


def groups(table: pl.DataFrame, *columns: str) -> list[pl.DataFrame]:
    """List the groups of rows that agree on columns, in the order of their first rows."""
    return table.partition_by(columns, maintain_order=True) if len(table) else []


def named(column: str, names: Mapping | Callable[..., str] = str) -> Callable[[Rows], str]:
    """Return a column in print by a map of names, or by a function of the value."""
    name = names.__getitem__ if isinstance(names, Mapping) else names
    return lambda rows: name(value_of(rows, column))


def fixed(what: What, digits: int, times: float = 1) -> Callable[[Rows], str]:
    """Return a number with so many digits after the point, a dash where there is none.

    Args:
        times: factor to the printed unit, 100 of a share in %.
    """

    def cell(rows: Rows) -> str:
        value = number_of(rows, what)
        return number(None if value is None else value * times, digits)

    return cell


def interval(
    name: str, digits: int = 2, times: float = 1, ends: tuple[str, str] | None = None
) -> Callable[[Rows], str]:
    """Return a value with its interval: '0.95 (0.90 to 0.99)'; without where there is none.

    Args:
        ends: columns of its ends; name_low and name_high by default.
    """
    low, high = ends or (f"{name}_low", f"{name}_high")

    def cell(rows: Rows) -> str:
        value, one, other = (number_of(rows, column) for column in (name, low, high))
        return with_interval(value, one, other, digits, times)

    return cell


def pivoted(
    column: str, headings: Mapping, cell: Column
) -> dict[str, Callable[[pl.DataFrame], str]]:
    """Return a column in print for each value of a column of a group; a dash where it has none.

    Args:
        headings: value -> heading, in order.
        cell: of the rows of the group that have the value.
    """

    def of(value: object) -> Callable[[pl.DataFrame], str]:
        def shown(group: pl.DataFrame) -> str:
            found = group.filter(pl.col(column) == value)
            return _shown(found, cell) if len(found) else NOTHING

        return shown

    return {heading: of(value) for value, heading in headings.items()}


def printed(
    rows: pl.DataFrame | Iterable[Rows],
    names: Mapping[str, Column],
    values: Mapping[str, Column],
    *,
    numeric_from: int | None = None,
    none: str = NO_RUN,
    optional: Sequence[str] = (),
    once: int = 0,
) -> str:
    """Return a table in markdown.

    Args:
        rows: a table, of which each row is one; or rows and groups.
        names, values: heading -> what stands below it.
        numeric_from: column from which on all align right; that of the first value by default.
        none: what is said in the first cell where there is no row.
        optional: headings of columns that are left out where they say nothing in any row.
        once: so many names are left empty where they are those of the row above.
    """
    lines: list[list[str]] = []
    above: list[str] = []
    for row in rows.iter_rows(named=True) if isinstance(rows, pl.DataFrame) else rows:
        mine = [_text(row, what) for what in names.values()]
        repeated = once and mine[:once] == above[:once]
        said = [""] * once + mine[once:] if repeated else mine
        lines.append([*said, *(_shown(row, what) for what in values.values())])
        above = mine
    numeric = len(names) if numeric_from is None else numeric_from
    return _markdown([*names, *values], lines, numeric, none, optional)


def labelled(
    rows: Mapping[str, Rows],
    heading: str,
    values: Mapping[str, Column],
    *,
    numeric_from: int = 1,
    none: str = NO_RUN,
) -> str:
    """Return a table in markdown of rows, or groups, that each have a name.

    Args:
        rows: name -> row or group; a group may be empty.
        heading: of the names.
        values, numeric_from, none: as in `printed`.
    """
    lines = [[name, *(_shown(of, what) for what in values.values())] for name, of in rows.items()]
    return _markdown([heading, *values], lines, numeric_from, none)


def _markdown(
    header: list[str], lines: list[list[str]], numeric: int, none: str, optional: Sequence[str] = ()
) -> str:
    kept = [
        i
        for i, heading in enumerate(header)
        if heading not in optional or any(line[i] not in ("", NOTHING) for line in lines)
    ]
    lines = [[line[i] for i in kept] for line in lines] or [[none, *[NOTHING] * (len(kept) - 1)]]
    return markdown_table([header[i] for i in kept], lines, numeric_from=numeric)


def _text(rows: Rows, what: Column) -> str:
    if callable(what):
        return what(rows)
    value = value_of(rows, what)
    return NOTHING if value is None else str(value)


def _shown(rows: Rows, what: Column) -> str:
    """Return the text of a cell with the rows behind it."""
    text = _text(rows, what)
    return text if isinstance(text, Cell) else made_of(rows, text)[0]
