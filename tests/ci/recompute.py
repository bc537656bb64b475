"""Published numbers from the listed log lines alone; nothing of evenflow is imported.

Of a number `_origins.json` has rows of a table and the expression over them. The columns that it
reads are made anew, row by row, of the runs that are listed of the row (columns_of_lines.py,
claims_of_lines.py), and the expression is evaluated on them.
"""

from collections.abc import Callable

import polars as pl
from check_numbers import places, printed
from claims_of_lines import OF_QUEUE, OF_RATIO, claim, full_queue, is_known, ratio_by_rtt
from columns_of_lines import KINDS
from listed_rows import Row


class NoKind(Exception):
    """A value of a kind that has no recomputation here."""


def kind_of(paper: str, table: str, column: str) -> Callable[[int], object]:
    """What makes a column of a table anew, of the place of a row.

    Raises:
        NoKind: nothing does.
    """
    if table == "claim" and column in ("estimate", "low", "high", "misfit", "holds", "of"):
        return lambda at: claim(paper, at)[column]
    if table == "ratio" and column in OF_RATIO:
        return lambda at: ratio_by_rtt(paper, at)[column]
    if table == "queue_effect" and column in OF_QUEUE:
        return lambda at: full_queue(paper, at)[column]
    of = KINDS.get(table.rpartition("/")[2], {}).get(column)
    if of is None:
        raise NoKind(f"{table}: {column or 'rows'}")
    return lambda at: of(Row(paper, table, at))


def kinds_of(paper: str, value: dict) -> tuple[list[int], dict[str, Callable[[int], object]]]:
    """The places of a value's rows, and what makes each column that it reads anew."""
    if "setting" in value:
        raise NoKind("a setting")
    of_table = {name: places(pairs) for name, pairs in value["tables"].items()}
    found: dict[str, Callable[[int], object]] = {}
    lacking = NoKind("no table")
    rows: list[int] = []
    for column in value["columns"] or [""]:
        for table, of_rows in of_table.items():
            try:
                found[column] = kind_of(paper, table, column)
                rows = of_rows
                break
            except NoKind as error:
                lacking = error
        else:
            raise lacking
    for table, of_rows in of_table.items():
        if table == "claim" and not all(is_known(Row(paper, table, at)) for at in of_rows):
            raise NoKind(f"claim: {Row(paper, table, of_rows[0]).keys['claim']}")
        if table == "buffer_cell" and Row(paper, table, of_rows[0]).keys["metric"] != "utilisation":
            raise NoKind("buffer_cell: another metric")
    return rows, found


def recompute(paper: str, value: dict) -> str:
    """A value in print, from the listed lines.

    Raises:
        NoKind: of a kind that has no recomputation.
    """
    rows, columns = kinds_of(paper, value)
    frame = {column: [of(at) for at in rows] for column, of in columns.items()}
    expression = (
        pl.Expr.deserialize(value["expression"].encode(), format="json")
        if "expression" in value
        else pl.col(value["columns"][0])
    )
    found = pl.DataFrame(frame, strict=False).select(expression.alias("v"))["v"]
    how = {key: value[key] for key in ("digits", "unit", "style") if key in value}
    return " or ".join(sorted({printed(of, **how) for of in found.to_list()}))


def of_lines(origin: dict) -> list[dict]:
    """The values of a number that are measured: no setting, and no unit in words."""
    every = [*origin["values"], *origin.get("behind", [])]
    return [value for value in every if "setting" not in value and value["columns"] != ["unit"]]


def without_kind(paper: str, origin: dict) -> str:
    """Why a number has no recomputation, '' if it has one: 'a setting', or table and column."""
    values = of_lines(origin)
    if not values:
        return "a setting"
    try:
        for value in values:
            kinds_of(paper, value)
    except NoKind as error:
        return str(error)
    return ""
