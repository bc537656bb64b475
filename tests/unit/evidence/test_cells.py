"""Cells of tables in print know the rows that they were made of, whatever becomes of their text."""

import json

import polars as pl
from evenflow.claims.scorecard import BAR
from evenflow.evidence.cells import cells_as_json, made_of
from evenflow.evidence.say import carried, second, table_of, tagged, tags_of
from evenflow.markdown import edited, markdown_table

TABLE = tagged(pl.DataFrame({"cca": ["bic", "bic", "cubic"], "jfi": [0.5, 0.7, 0.9]}), "cell")


def cells_of(rows: list[list[str]], **options) -> dict:
    return markdown_table(["Variant", "Index"], rows, numeric_from=1, **options).cells


def test_a_cell_has_the_rows_of_a_table_or_the_row_that_it_was_made_of():
    every, (row,) = TABLE.filter(cca="bic"), TABLE.filter(cca="cubic").rows(named=True)
    rows = [["BIC", *made_of(every, "0.60")], ["*Others*", ""], ["CUBIC", *made_of(row, "0.90")]]
    assert cells_of(rows) == {(0, 1): {"cell": [0, 1]}, (2, 1): {"cell": [2]}}
    assert made_of([row, every], "3") == ["3"]
    assert cells_of([["all", *made_of([row, every], "3")]]) == {(0, 1): {"cell": [0, 1, 2]}}


def test_words_and_what_no_row_is_behind_carry_nothing():
    assert cells_of([["x", *made_of(TABLE, "never")], ["y", *made_of(TABLE.clear(), "0")]]) == {}
    assert cells_of([["x", *made_of({"jfi": 0.5}, "0.50")]]) == {}  # a table without a tag


def test_a_table_in_print_is_the_same_with_and_without_rows():
    plain = [["BIC", "5 ms"], ["CUBIC", "|D| 0.1 / 0.2"]]
    known = [[name, *made_of(TABLE, text)] for name, text in plain]
    options = {"numeric_from": 1}
    assert markdown_table(["", "J"], plain, **options) == markdown_table(
        ["", "J"], known, **options
    )


def test_an_edited_cell_keeps_its_rows():
    (cell,) = made_of(TABLE, "|D| 0.1")
    assert cells_of([["x", edited(cell, BAR.sub(r"\\|", cell))]]) == {(0, 1): {"cell": [0, 1, 2]}}
    assert edited("plain", "text") == "text"


def test_cells_of_a_row_that_share_rows_are_written_together():
    rows = [["BIC", *made_of(TABLE[:1], "1", "2"), *made_of(TABLE, "3")]]
    table = markdown_table(["", "a", "b", "c"], rows, numeric_from=1)
    assert json.loads(cells_as_json(table)) == [
        [0, [1, 2], {"cell": [0, 0]}],
        [0, [3], {"cell": [0, 2]}],
    ]
    assert cells_as_json("no table of rows") == "[]\n"


def test_two_rows_of_one_table_stand_side_by_side():
    both = TABLE.join(second(TABLE), on="cca", suffix="_2")
    four = both.join(second(both), on="cca", suffix="_3")
    assert tags_of(four) == ["row of cell", *(f"row of cell ({n})" for n in (2, 3, 4))]
    assert {table_of(tag) for tag in tags_of(four)} == {"cell"}
    assert cells_of([["x", *made_of(both.filter(cca="bic"), "1")]]) == {(0, 1): {"cell": [0, 1]}}


def test_what_is_drawn_of_a_row_is_of_that_row():
    (row,) = TABLE[1:2].rows(named=True)
    drawn = pl.DataFrame({"t_s": [1.0, 2.0]}).with_columns(*carried(row))
    assert drawn["row of cell"].to_list() == [1, 1]
