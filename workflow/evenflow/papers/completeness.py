"""What of an original is here: each of its figures, tables and statements, where, or why not."""

from __future__ import annotations

import polars as pl

from ..errors import DataError
from ..markdown import NOTHING, markdown_table

PRESENT, PARTLY, ABSENT = "present", "partly", "absent"
COLUMNS = ["item", "what", "state", "where", "why"]


def completeness_table(completeness: pl.DataFrame, path: str) -> str:
    """Return the table of completeness, a row an item of the original.

    Args:
        completeness: completeness.csv of a paper, all strings: item ('Figure 3'), what it shows,
            state (present, partly, absent), where (labels or sections here, '' if absent), why
            (what is missing and what would bring it; '' only where all is present).
        path: of that file, for errors.

    Raises:
        DataError: a row that says less than it must; names the line.
    """
    check_completeness(completeness, path)
    rows = [
        [row["item"], row["what"], row["state"], row["where"] or NOTHING, row["why"] or NOTHING]
        for row in completeness.rows(named=True)
    ]
    header = ["Original", "What", "Here", "Where", "What is missing, and why"]
    return markdown_table(header, rows, numeric_from=len(header))


def check_completeness(completeness: pl.DataFrame, path: str) -> None:
    """Refuse rows without a place where something is here, or without a reason where it is not.

    Raises:
        DataError: names the line.
    """
    if completeness.columns != COLUMNS:
        remedy = f"the columns are {', '.join(COLUMNS)}"
        raise DataError("columns of completeness.csv", path=path, line=1, remedy=remedy)
    table = completeness.with_columns(pl.col(COLUMNS).fill_null(""))
    for line, row in enumerate(table.rows(named=True), start=2):
        if row["state"] not in (PRESENT, PARTLY, ABSENT):
            problem = f"state {row['state']!r} is not known"
            raise DataError(problem, path=path, line=line, remedy="present, partly or absent")
        if row["state"] != ABSENT and not row["where"]:
            problem = f"{row['item']} is {row['state']} but no place is named"
            raise DataError(problem, path=path, line=line, remedy="fill the column where")
        if row["state"] != PRESENT and not row["why"]:
            problem = f"{row['item']} is {row['state']} without a reason"
            raise DataError(problem, path=path, line=line, remedy="fill the column why")
