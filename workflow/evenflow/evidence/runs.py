"""Which runs each row of a table was computed from: lists in memory, a companion table on disk.

What computes a table returns a column `runs` of lists of 'part/run_id', taken after all joins and
filters. Where columns of a row were computed from different runs it returns `runs_<names>` as well:
of the columns <names> (with commas between them) and of those whose names go on with one of them,
as `runs_null` of null_estimate, null_low and null_high. What writes the table splits the lists off
into `<table>.runs.parquet`; `by_row` and `runs_in` read them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import polars as pl

PREFIX = "runs"
LIST = pl.List(pl.String)


def run_ref(part: str | None = None) -> pl.Expr:
    """Return 'part/run_id' of rows of runs.

    Args:
        part: of all rows; None: as the column part says.
    """
    return pl.format("{}/{}", pl.col("part") if part is None else pl.lit(part), "run_id")


def in_part(column: str, part: str) -> pl.Expr:
    """Return lists of run ids as lists of 'part/run_id'."""
    return pl.col(column).list.eval(pl.format("{}/{}", pl.lit(part), pl.element()))


def gathered(runs: str | pl.Expr = "run") -> pl.Expr:
    """Return, in a group_by, the runs of a group as a list, each once, sorted."""
    return (pl.col(runs) if isinstance(runs, str) else runs).drop_nulls().unique().sort()


def together(*columns: str) -> pl.Expr:
    """Return several columns of lists as one, each run once, sorted."""
    lists = [pl.col(name).fill_null(pl.lit([], LIST)) for name in columns]
    return pl.concat_list(lists).list.unique().list.sort()


def entered(column: str, where: pl.Expr | Literal[True] = True) -> pl.Expr:
    """Return, in a group_by, the runs in the lists of the rows `where`, each once, sorted."""
    lists = pl.col(column) if where is True else pl.col(column).filter(where)
    return lists.explode().drop_nulls().unique().sort()


def once(runs: Iterable[str]) -> list[str]:
    """Return runs, each once, sorted."""
    return sorted(set(runs))


def is_list_of_runs(name: str) -> bool:
    """Return whether a column of a table has lists of runs, by its name."""
    return name == PREFIX or name.startswith(f"{PREFIX}_")


def split(table: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table without its lists of runs, and these: row, side, run.

    Args:
        table: with the columns of lists that the module speaks of.

    Returns:
        row: place of the row in the table, from 0; side: '' or the <names> of a list's column.
    """
    lists = [n for n in table.columns if is_list_of_runs(n) and table.schema[n] == LIST]
    sides = [
        table.select(pl.int_range(pl.len(), dtype=pl.Int32).alias("row"), run=pl.col(name))
        .explode("run")
        .drop_nulls("run")
        .unique(maintain_order=True)
        .select("row", pl.lit(name.removeprefix(PREFIX).removeprefix("_")).alias("side"), "run")
        for name in lists
    ]
    empty = pl.DataFrame(schema={"row": pl.Int32, "side": pl.String, "run": pl.String})
    return table.drop(lists), pl.concat([empty, *sides]).sort("row", "side", "run")


def side_of(column: str, sides: Collection[str]) -> str:
    """Return the side that a column is of: the longest name that it is or goes on with; or ''."""
    names = {name: side for side in sides for name in side.split(",") if name}
    mine = [name for name in names if column == name or column.startswith(f"{name}_")]
    return names[max(mine, key=len)] if mine else ""


def by_row(runs: pl.DataFrame) -> dict[tuple[int, str], list[str]]:
    """Return {(row, side): its runs} of what `split` took off a table."""
    found: dict[tuple[int, str], list[str]] = {}
    for row, side, run in runs.rows():
        found.setdefault((row, side), []).append(run)
    return found


def runs_in(
    known: Mapping[tuple[int, str], list[str]], rows: Iterable[int], columns: Collection[str] = ()
) -> list[str]:
    """Return the runs that columns of some rows were computed from, each once, sorted.

    Args:
        known: result of `by_row`.
        columns: without any those of the whole row.
    """
    sides = {""}
    if columns:
        names = {side for _, side in known}
        sides = {side_of(column, names) for column in columns}
    return once(run for row in rows for side in sides for run in known.get((row, side), ()))
