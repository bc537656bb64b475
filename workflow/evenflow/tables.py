"""The derived tables: how they are written, and how SQL makes one from others."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from .files import atomic_path
from .packets import HEADER_BYTES
from .threads import THREADS

if TYPE_CHECKING:
    import duckdb

Source = str | Path | Sequence[str | Path] | pl.DataFrame  # a Parquet file, several as one, a table

OF_SAMPLE = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "throughput_bps"]

ROW_GROUP = 100_000
WHOLE = 1_000_000  # rows: a table of a query of up to so many is held in memory
QUERY_MEMORY = "500MB"  # of queries: what needs more goes through files
_OPEN: ContextVar[duckdb.DuckDBPyConnection | None] = ContextVar("open", default=None)


def read_table(path: str | Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a Parquet file, or columns of it; a folder's name in the path is no glob."""
    return pl.read_parquet(path, columns=columns, glob=False)


def scan_table(path: str | Path) -> pl.LazyFrame:
    """Read a Parquet file lazily, as `read_table` reads it."""
    return pl.scan_parquet(path, glob=False)


def runs_in_turn(path: str | Path, columns: list[str]) -> Iterator[pl.DataFrame]:
    """Yield columns, with run_id, of a table that is sorted by run: some whole runs a time."""
    table = scan_table(path).select(columns)
    rows, rest = table.select(pl.len()).collect().item(), None
    for start in range(0, max(rows, 1), WHOLE):
        part = table.slice(start, WHOLE).collect()
        part = part if rest is None else pl.concat([rest, part])
        if start + WHOLE >= rows:
            yield part
            return
        is_last = pl.col("run_id") == part["run_id"][-1]  # it goes on in the next
        yield part.filter(~is_last)
        rest = part.filter(is_last)


def write_table(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table as Parquet, atomically; the same table gives the same bytes.

    Enums (`read_tables`) are written as the words that they stand for.
    """
    table = table.with_columns(cs.enum().cast(pl.String))
    with atomic_path(path) as temporary:
        table.write_parquet(
            temporary, compression="zstd", statistics=True, row_group_size=ROW_GROUP
        )


def write_parts(parts: Iterable[pl.DataFrame], path: str | Path) -> None:
    """Write a table that is too large for the memory, part by part, as `write_table` does.

    Args:
        parts: at least one, all with the same columns, in the table's order.
        path: of the Parquet file.
    """
    import pyarrow.parquet as pq  # here and below: loaded where it is used, for it takes a while

    with atomic_path(path) as temporary:
        writer = None
        for part in parts:
            rows = part.to_arrow(compat_level=pl.CompatLevel.oldest())
            writer = writer or pq.ParquetWriter(temporary, rows.schema, compression="zstd")
            writer.write_table(rows, row_group_size=ROW_GROUP)
        if writer:
            writer.close()


def _row_groups(parts: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Cut a table that comes in parts of any size into such of ROW_GROUP rows, and the rest."""
    held: list[pl.DataFrame] = []
    rows = 0
    for part in parts:
        held, rows = [*held, part], rows + len(part)
        while rows > ROW_GROUP:
            table = pl.concat(held)
            yield table.head(ROW_GROUP).rechunk()
            held, rows = [table.slice(ROW_GROUP)], rows - ROW_GROUP
    yield pl.concat(held, rechunk=True)


def read_tables(inputs: Mapping[str, str], *names: str) -> list[pl.DataFrame]:
    """Read tables of a data set to compute metrics from: `run`, which must be among them, others.

    run_id is an Enum in all of them, so that joining and sorting millions of samples costs a
    quarter; of `sample` only the columns OF_SAMPLE are read.

    Args:
        inputs: path of the Parquet file of each table.
        names: of the tables, in the order of the result.
    """
    columns = {"sample": OF_SAMPLE}
    tables = [read_table(inputs[name], columns.get(name)) for name in names]
    return with_run_enum(tables, tables[names.index("run")])


@contextmanager
def connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield DuckDB with the job's threads; within another `with connected()` that one again.

    To open one takes 16 ms of CPU, as long as five small queries.
    """
    if (con := _OPEN.get()) is not None:
        yield con
        return
    import duckdb

    from .runs.scratch import job_folder

    with job_folder() as scratch:
        config: dict[str, str | bool | int | float | list[str]]
        config = {"threads": THREADS, "memory_limit": QUERY_MEMORY, "temp_directory": str(scratch)}
        with duckdb.connect(config=config) as con:
            token = _OPEN.set(con)
            try:
                yield con
            finally:
                _OPEN.reset(token)


def with_run_enum(tables: Iterable[pl.DataFrame], run: pl.DataFrame) -> list[pl.DataFrame]:
    """Return tables with run_id as an Enum of the runs in the table `run`; they have no others."""
    ids = run["run_id"]
    runs = ids.dtype if ids.dtype == pl.Enum else pl.Enum(ids.sort())
    return [
        table.with_columns(pl.col("run_id").cast(runs)) if "run_id" in table.columns else table
        for table in tables
    ]


def join_chunks(paths: Sequence[str | Path], *by: str) -> pl.DataFrame:
    """Return a table of a data set that is read in chunks, sorted, of those of its chunks."""
    table = pl.concat([read_table(path) for path in paths])
    return table.sort(by, nulls_last=True) if by else table


def paths_of_chunks(inputs: Mapping, names: Sequence[str]) -> list[dict[str, str]]:
    """Return {table: path} of each chunk of a data set.

    Args:
        inputs: of each table its path, or a list of the paths of its chunks.
        names: of the tables.
    """
    paths = ([p] if isinstance(p := inputs[name], (str, Path)) else list(p) for name in names)
    return [dict(zip(names, chunk, strict=True)) for chunk in zip(*paths, strict=True)]


def query_tables(sql: str, parameters: dict, **inputs: Source) -> pl.DataFrame:
    """Run a query over Parquet files.

    Args:
        sql: the query; it must order its rows, so that its result does not depend on threads.
        parameters: values of the query's $parameters; those that it does not name are left out.
            $header_bytes is known (`packets`).
        inputs: the table behind each name that the query uses.
    """
    with _with_tables(sql, inputs) as con:
        return con.sql(sql, params=_used(sql, parameters)).pl()


def write_query(sql: str, parameters: dict, path: str | Path, **inputs: Source) -> None:
    """Write the result of a query (`query_tables`), which the memory need not hold.

    One of up to WHOLE rows is written at once, any other as it comes. Not by DuckDB's COPY, whose
    bytes depend on the vectors in which rows come, so on how many files they are read from.
    """
    with _with_tables(sql, inputs) as con:
        # with parameters the whole result would be held
        reader = con.sql(sql, params=_used(sql, parameters) or None).to_arrow_reader(ROW_GROUP)
        parts = (pl.DataFrame(pl.from_arrow(batch)) for batch in reader)
        held, rows = [pl.DataFrame(schema=pl.Schema(reader.schema))], 0
        for part in parts:
            held.append(part)
            rows += len(part)
            if rows > WHOLE:
                write_parts(_row_groups(chain(_emptied(held), parts)), path)
                return
        write_table(pl.concat(held, rechunk=True), path)


def _emptied(parts: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield parts, each forgotten once it is handed on."""
    while parts:
        yield parts.pop(0)


def merge_sorted(order: str, path: str | Path, chunks: Sequence[str | Path]) -> None:
    """Write the rows of tables with the same columns as one table, in the order of a query.

    Args:
        order: the query that made each of them; it orders its rows by columns of its result.
        path: of the table.
        chunks: paths of the tables.
    """
    by = re.sub(r"\b\w+\.", "", order.rpartition("ORDER BY")[2])
    write_query(f"SELECT * FROM chunk ORDER BY {by}", {}, path, chunk=chunks)


def _used(sql: str, parameters: dict) -> dict:
    known = {"header_bytes": HEADER_BYTES, **parameters}
    return {name: value for name, value in known.items() if f"${name}" in sql}


@contextmanager
def _with_tables(sql: str, inputs: Mapping[str, Source]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that has the tables that a query names."""
    words = set(re.findall(r"\w+", sql))  # a view of a table takes longer than most queries
    named = {name: source for name, source in inputs.items() if name in words}
    with connected() as con:
        for name, source in named.items():
            if isinstance(source, pl.DataFrame):
                con.register(name, source)
                continue
            paths = [source] if isinstance(source, (str, Path)) else source
            con.from_parquet([glob.escape(str(path)) for path in paths]).create_view(name)
        try:
            yield con
        finally:  # the next query has tables of its own
            for name, source in named.items():
                if isinstance(source, pl.DataFrame):
                    con.unregister(name)
                else:
                    con.execute(f'DROP VIEW IF EXISTS "{name}"')
