"""The derived tables: how they are written, and how SQL makes one from others."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from .files import atomic_path
from .packets import HEADER_BYTES
from .threads import THREADS

if TYPE_CHECKING:
    import duckdb

OF_SAMPLE = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "throughput_bps"]

ROW_GROUP = 100_000


def read_table(path: str | Path, columns: list[str] | None = None) -> pl.DataFrame:
    """Read a Parquet file, or columns of it; a folder's name in the path is no glob."""
    return pl.read_parquet(path, columns=columns, glob=False)


def scan_table(path: str | Path) -> pl.LazyFrame:
    """Read a Parquet file lazily, as `read_table` reads it."""
    return pl.scan_parquet(path, glob=False)


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
        writer.close()


def read_tables(inputs: Mapping[str, str], *names: str) -> list[pl.DataFrame]:
    """Read tables of a data set to compute metrics from: `run`, which must be among them, others.

    run_id is an Enum in all of them, so that joining and sorting millions of samples costs a
    quarter; of `sample` only the columns OF_SAMPLE are read.

    Args:
        inputs: path of the Parquet file of each table.
        names: of the tables, in the order of the result.
    """
    tables = {
        name: read_table(inputs[name], columns=OF_SAMPLE if name == "sample" else None)
        for name in names
    }
    runs = pl.Enum(tables["run"]["run_id"].sort())
    return [
        table.with_columns(pl.col("run_id").cast(runs)) if "run_id" in table.columns else table
        for table in tables.values()
    ]


def connected() -> duckdb.DuckDBPyConnection:
    """Open DuckDB for a `with`; it takes the job's threads, and of a Slurm job's memory 80 %."""
    import duckdb

    return duckdb.connect(config={"threads": THREADS})


def query_tables(sql: str, parameters: dict, **inputs: str | Path) -> pl.DataFrame:
    """Run a query over Parquet files.

    Args:
        sql: the query; it must order its rows, so that its result does not depend on threads.
        parameters: values of the query's $parameters; those that it does not name are left out.
            $header_bytes is known (`packets`).
        inputs: path of the Parquet file behind each table name that the query uses.
    """
    words = set(re.findall(r"\w+", sql))  # a view of a table takes longer than most queries
    with connected() as con:
        for name, path in inputs.items():
            if name not in words:
                continue
            con.from_parquet(glob.escape(str(path))).create_view(name)
        known = {"header_bytes": HEADER_BYTES, **parameters}
        used = {name: value for name, value in known.items() if f"${name}" in sql}
        return con.sql(sql, params=used).pl()
