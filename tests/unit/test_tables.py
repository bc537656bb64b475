"""Derived tables: the same rows give the same bytes, a query sees only what it names."""

import polars as pl
import pytest
from evenflow.tables import query_tables, write_table
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


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: path.stem)
def test_every_query_says_its_grain_and_inputs_and_orders_its_rows(query):
    text = query.read_text(encoding="utf-8")
    assert text.startswith(f"-- {query.stem}: one row per ")
    assert "\n-- inputs: " in text
    assert "\nORDER BY " in text
