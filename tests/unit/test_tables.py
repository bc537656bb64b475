"""Derived tables: the same rows give the same bytes, a query sees only what it names."""

import os
import subprocess
import sys

import duckdb
import evenflow.tables
import polars as pl
import pyarrow.parquet as pq
import pytest
from evenflow.tables import (
    connected,
    merge_sorted,
    query_tables,
    runs_in_turn,
    write_query,
    write_table,
)
from raw_data import ROOT

QUERIES = sorted((ROOT / "workflow/queries").glob("*.sql"))


def test_the_same_table_gives_the_same_bytes(tmp_path):
    table = pl.DataFrame({"a": range(250_000), "b": [f"x{i % 7}" for i in range(250_000)]})
    write_table(table, tmp_path / "1.parquet")
    write_table(pl.concat([table[:99_999], table[99_999:]]), tmp_path / "2.parquet")
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()
    assert pl.read_parquet(tmp_path / "1.parquet").equals(table)


def test_a_query_over_files_with_and_without_a_parameter(tmp_path):
    write_table(pl.DataFrame({"a": [1, 2, 3]}), tmp_path / "left.parquet")
    write_table(pl.DataFrame({"a": [2, 3, 4]}), tmp_path / "right.parquet")
    inputs = {name: tmp_path / f"{name}.parquet" for name in ("left", "right")}
    joined = 'SELECT a FROM "left" JOIN "right" USING (a) ORDER BY a'
    assert query_tables(joined, {"dataset_id": "x"}, **inputs)["a"].to_list() == [2, 3]
    named = 'SELECT $dataset_id AS d, a FROM "left" ORDER BY a'
    assert query_tables(named, {"dataset_id": "x"}, **inputs).row(0) == ("x", 1)


BY_A = "SELECT source.a, b FROM source ORDER BY source.a, b"


def rows_of(path):
    return [g.num_rows for g in map(pq.ParquetFile(path).metadata.row_group, range(
        pq.ParquetFile(path).metadata.num_row_groups))]  # fmt: skip


@pytest.mark.parametrize("whole", [1000, 100])
def test_a_query_is_written_alike_from_one_file_and_from_parts(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(evenflow.tables, "WHOLE", whole)
    monkeypatch.setattr(evenflow.tables, "ROW_GROUP", 64)
    table = pl.DataFrame(
        {"a": [i * 7 % 500 for i in range(500)], "b": [f"x{i}" for i in range(500)]}
    )
    write_query(BY_A, {}, tmp_path / "1.parquet", source=table)
    for n in (2, 3):
        parts = [tmp_path / f"{n}-{k}.parquet" for k in range(n)]
        for k, part in enumerate(parts):
            write_query(BY_A, {}, part, source=table.filter(pl.col("a") % n == k))
        merge_sorted(BY_A, tmp_path / f"{n}.parquet", parts)
        assert (tmp_path / f"{n}.parquet").read_bytes() == (tmp_path / "1.parquet").read_bytes()
    assert pl.read_parquet(tmp_path / "1.parquet").equals(table.sort("a"))
    if whole == 100:
        assert rows_of(tmp_path / "1.parquet") == [*[64] * 7, 52]


def test_a_table_is_read_some_whole_runs_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(evenflow.tables, "WHOLE", 10)
    runs = [*"a" * 4, *"b" * 8, *"c" * 25, "d"]
    write_table(pl.DataFrame({"run_id": runs, "x": range(38)}), tmp_path / "t.parquet")
    parts = list(runs_in_turn(tmp_path / "t.parquet", ["x", "run_id"]))
    assert [set(part["run_id"]) for part in parts if len(part)] == [{"a"}, {"b"}, {"c", "d"}]
    assert pl.concat(parts)["x"].to_list() == list(range(38))
    write_table(pl.DataFrame(schema={"run_id": pl.String}), tmp_path / "none.parquet")
    assert [len(part) for part in runs_in_turn(tmp_path / "none.parquet", ["run_id"])] == [0]


def test_a_query_without_a_row_has_its_columns(tmp_path):
    nothing = pl.DataFrame(schema={"a": pl.Int64, "b": pl.String})
    write_query(BY_A, {}, tmp_path / "none.parquet", source=nothing)
    assert pl.read_parquet(tmp_path / "none.parquet").schema == nothing.schema


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_every_query_says_its_grain_and_inputs_and_orders_its_rows(query):
    text = query.read_text(encoding="utf-8")
    assert text.startswith(f"-- {query.stem}: one row per ")
    assert "\n-- inputs: " in text
    assert "\nORDER BY " in text


def test_a_query_does_not_wait_for_pandas(tmp_path):
    """Half a second of each job that builds tables: pyarrow loads it where it makes an array."""
    code = """
import sys
from evenflow.tables import write_query
write_query("SELECT 1 AS a", {}, sys.argv[1])
sys.exit("pandas" in sys.modules)
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "workflow")}
    command = [sys.executable, "-c", code, tmp_path / "a.parquet"]
    assert subprocess.run(command, env=env).returncode == 0


def test_queries_in_one_connection_have_tables_of_their_own(tmp_path):
    write_table(pl.DataFrame({"x": [1]}), tmp_path / "a.parquet")
    with connected() as outer:
        for source in (tmp_path / "a.parquet", pl.DataFrame({"x": [2]}), tmp_path / "a.parquet"):
            expected = 2 if isinstance(source, pl.DataFrame) else 1
            assert query_tables("SELECT x FROM named", {}, named=source).item() == expected
            with pytest.raises(duckdb.CatalogException, match="named"):
                query_tables("SELECT x FROM named", {})
        with connected() as inner:
            assert inner is outer
    with connected() as later:
        assert later is not outer
