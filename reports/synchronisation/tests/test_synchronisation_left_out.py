"""Correlations with and without the scenarios that claims leave out."""

from pathlib import Path

import polars as pl
import pytest
from evenflow.papers.make import load
from markdown_tables import rows_of

left_out = load(Path(__file__).parents[1] / "left_out.py")

DESIGNS = {"figures": ["a", "b", "c"], "ftp": ["a", "b"]}
# (load, repeat, BPDD, P, CoV, FR): along a power law, but for the scenario as printed
RUNS = [("a", 1, 10.0, 0.1, 0.5, 2.0), ("b", 1, 20.0, 0.2, 0.6, 4.0), ("c", 1, 40.0, 0.3, 0.7, 8.0)]
FAR = [("ftp-2-printed", 1, 400.0, 0.4, 0.8, 2.0)]
NO_WAITS = [("c-nojitter", 1, 10.0, None, None, 90.0)]


def runs(*of: tuple, variant: str = "sack", aqm: str = "droptail") -> pl.DataFrame:
    schema = ["load", "repeat", "bpdd", "p", "cov_background", "fairness_ratio_12"]
    table = pl.DataFrame(of, schema=schema, orient="row")
    run_id = pl.format("{}/r{}", "load", "repeat")
    return table.with_columns(variant=pl.lit(variant), aqm=pl.lit(aqm), run_id=run_id)


def found(*of: tuple) -> dict:
    table = left_out.correlations_of_sets(runs(*of), DESIGNS)
    return {(row["x"], row["scenarios"]): row for row in table.rows(named=True)}


def test_one_scenario_can_undo_a_correlation():
    rows = found(*RUNS, *FAR, *NO_WAITS)
    judged, far = rows["bpdd", "judged"], rows["bpdd", "with_printed"]
    assert judged["r"] == pytest.approx(1) and judged["n"] == 3
    assert far["r"] < 0.5 and far["n"] == 4
    assert rows["bpdd", "every"]["n"] == 5 and rows["bpdd", "apart"]["n"] == 3
    assert rows["bpdd", "apart"]["r"] == pytest.approx(1)


def test_points_are_means_of_runs_and_the_runs_are_named():
    again = ("a", 2, 40.0, 0.3, 0.7, 2.0)
    judged = found(*RUNS, again)["bpdd", "judged"]
    assert judged["n"] == 3 and judged["r"] < 1  # a's mean BPDD is 20, on the logarithm
    assert judged["runs"] == [f"simulation/{run}" for run in ("a/r1", "a/r2", "b/r1", "c/r1")]


def test_two_points_and_runs_without_the_metric_have_no_correlation():
    rows = found(*RUNS, *NO_WAITS)
    assert rows["cov_background", "judged"]["r"] is None
    assert rows["p", "every"]["n"] == 3
    constant = found(*((*run[:3], 0.3, *run[4:]) for run in RUNS))
    assert constant["p", "judged"]["r"] is None


def test_the_table_has_a_row_a_measure_and_a_column_a_set():
    lines = rows_of(left_out.outliers(left_out.correlations_of_sets(runs(*RUNS, *FAR), DESIGNS)))
    assert [line[0] for line in lines[-3:]] == ["BPDD", "P", "CoV of the background"]
    assert lines[-3][1].startswith("1.00, 3 scenarios")
