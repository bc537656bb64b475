"""Which lines of which raw files a run's steady state came from."""

import polars as pl
import pytest
from evenflow.provenance.run_files import AT_TIME, run_files


def ledger(*rows: tuple) -> pl.DataFrame:
    """(run_id, path, lines) a row, and a rejected line, which is no file."""
    table = pl.DataFrame(rows, schema=["run_id", "path", "lines"], orient="row")
    table = table.with_columns(entry=pl.lit("file"), sha256=pl.col("path"), format=pl.lit("log"))
    return pl.concat([table, table[:1].with_columns(entry=pl.lit("line"))])


@pytest.fixture
def table() -> pl.DataFrame:
    """A run of ten seconds whose samples start on line 4, with a drop at 2 s and two at 7 s."""
    seconds = pl.DataFrame({"t_start_s": [float(t) for t in range(10)], "line": range(4, 14)})
    samples = seconds.with_columns(
        run_id=pl.lit("r1"),
        flow_id=1,
        t_end_s=pl.col("t_start_s") + 1,
        path=pl.lit("r1/flow.log"),
        line=pl.col("line").cast(pl.Int64),
    )
    drops = pl.DataFrame(
        {"run_id": "r1", "path": "r1/drops.tr", "line": [1, 2, 3], "t_s": [2.0, 7.0, 7.5]}
    ).select(AT_TIME)
    early = drops[:1].with_columns(path=pl.lit("r1/early.tr"))
    files = [("r1", "r1/drops.tr", 3), ("r1", "r1/early.tr", 1), ("r1", "r1/flow.log", 15)]
    files += [("r1", "r1/run.json", 8), (None, "notes.txt", 2)]
    windows = pl.DataFrame({"run_id": ["r1"], "warmup_s": [5.0], "end_s": [10.0]})
    runs = pl.DataFrame({"run_id": ["r1"]})
    return run_files(ledger(*files), samples, runs, windows, [drops.lazy(), early.lazy()])


def lines(table: pl.DataFrame, path: str) -> tuple:
    row = table.row(by_predicate=pl.col("path") == path, named=True)
    return row["first_line"], row["last_line"], row["n_used"]


def test_lines_of_a_flow_are_those_of_its_steady_state(table):
    # samples that end at 5 s or later: the 6 of 4-5 s to 9-10 s, lines 8 to 13
    assert lines(table, "r1/flow.log") == (8, 13, 6)


def test_lines_of_events_are_those_in_the_window(table):
    assert lines(table, "r1/drops.tr") == (2, 3, 2)


def test_a_file_that_gave_nothing_to_the_window_has_no_lines(table):
    assert lines(table, "r1/early.tr") == (None, None, 0)


def test_a_file_without_times_counts_whole(table):
    assert lines(table, "r1/run.json") == (1, 8, None)


def test_what_belongs_to_no_run_is_left_out(table):
    assert table["path"].to_list() == sorted(table["path"]) and "notes.txt" not in table["path"]
    assert len(table) == 4
