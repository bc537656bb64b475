"""`make trace`: what is behind a number, from its row to the lines of logs."""

import polars as pl
import pytest
from evenflow.commands.trace import lines_behind
from evenflow.evidence.say import checked, say, span, tagged
from evenflow.provenance.behind import Behind


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """Say a number of the throughput of three runs: what is printed for it."""
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"run_id": ["r1", "r2", "r3"], "mbps": [20.5, 30.5, 10.5]})
    (tmp_path / "derived/lab").mkdir(parents=True)
    for name in ("run", "flow_metric"):
        table.write_parquet(tmp_path / f"derived/lab/{name}.parquet")

    def trace(say_it) -> list[str]:
        origin = checked("n", say_it(tagged(table, "lab/flow_metric")))
        number = Behind("derived", "paper", {"lab": "lab"}).number(origin)
        record = {"numbers": {"n": number}, "sets": [{}], "runs": {}}
        return [" ".join(line.split()) for line in lines_behind(record, "n")]

    return trace


@pytest.mark.parametrize(
    ("value", "row", "run"),
    [("min", "smallest mbps is in row 2", "r3"), ("max", "largest mbps is in row 1", "r2")],
)
def test_of_an_extreme_the_row_that_has_it_is_shown(traced, value, row, run):
    lines = traced(lambda rows: say(rows, getattr(pl.col("mbps"), value)(), digits=1))
    at = lines.index(f"the {row}, counted from 0:")
    assert (
        lines[at + 1] == f"run_id {run}"
        and "rows 3 of 3 of derived/lab/flow_metric.parquet" in lines
    )


def test_of_a_span_both_ends_are_shown_and_of_a_mean_the_first_row(traced):
    lines = traced(lambda rows: span(rows, "mbps", digits=1))
    assert [line for line in lines if "counted" in line] == [
        "the smallest mbps is in row 2, counted from 0:",
        "the largest mbps is in row 1, counted from 0:",
    ]
    lines = traced(lambda rows: span(rows, "mbps", digits=1, words="what was measured"))
    assert "the largest (what was measured) is in row 1, counted from 0:" in lines
    lines = traced(lambda rows: say(rows, pl.col("mbps").mean(), digits=1))
    assert "row 0, the first of these, counted from 0:" in lines
    lines = traced(lambda rows: say(rows.filter(run_id="r2"), "mbps", digits=1))
    assert "row 1, counted from 0:" in lines
    lines = traced(lambda rows: say(rows, (pl.col("mbps") > 15).cast(pl.Int8).max()))
    assert "the largest mbps is in row 0 (and in 1 more), counted from 0:" in lines
