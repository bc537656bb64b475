"""Cells of ten minutes beside those of forty, on planted runs with known answers."""

import polars as pl
import pytest

from ..long_runs import LONG, lasting, long_runs
from .test_high_speed_metrics import metrics_of

BDP20_324 = 7_290_000  # 20 % of 900 Mb/s x 324 ms
READINGS = {"floor_bps": 11584}
SPREAD = (0.98, 1.0, 1.02)  # of repeats, about a cell's geometric mean


def runs_of(cca2, ratio, part, n=3, unsteady=False):
    """Repeats of NewReno beside a variant at 324 ms, which gets 500 Mb/s."""
    rows = [
        ("newreno", cca2, 324, 324, BDP20_324, 500 * ratio * spread, 500) for spread in SPREAD[:n]
    ]
    runs = metrics_of(*rows).with_columns(part=pl.lit(part), drops=pl.lit(9))
    runs = runs.with_columns(unsteady=pl.lit(unsteady))
    assert set(runs["view"]) == {"friendliness"}
    return runs if part == "simulation" else runs.with_columns(view=LONG + pl.col("view"))


def planted(*runs):
    return lasting(pl.concat(runs), READINGS, 0.95)


def test_what_ten_minutes_say_stands_beside_what_forty_say_of_the_same_cell():
    (row,) = planted(
        runs_of("bic", 0.5, "simulation", unsteady=True), runs_of("bic", 0.1, "long")
    ).rows(named=True)
    assert (row["ratio_short"], row["ratio_long"]) == pytest.approx((0.5, 0.1), rel=1e-3)
    assert row["ratio"] == pytest.approx(5, rel=1e-3)
    assert row["ratio_low"] < 5 < row["ratio_high"]
    assert row["jfi_short"] == pytest.approx(0.9, abs=1e-3)  # (1 + 2)^2 / (2 (1 + 4))
    assert row["jfi"] == pytest.approx(row["jfi_short"] - row["jfi_long"])
    assert (row["n_unsteady_short"], row["n_runs_short"]) == (3, 3)
    assert (row["n_unsteady_long"], row["n_runs_long"]) == (0, 3)
    assert {run.split("/")[0] for run in row["runs"]} == {"simulation", "long"}


def test_cells_that_have_runs_of_one_length_only_have_no_row():
    found = planted(
        runs_of("bic", 0.5, "simulation"), runs_of("cubic", 0.5, "simulation"),
        runs_of("bic", 0.5, "long"),
    )  # fmt: skip
    assert found["cca2"].to_list() == ["bic"]


def test_of_single_runs_the_table_prints_values_and_no_interval():
    found = planted(runs_of("bic", 0.5, "simulation", 1), runs_of("bic", 0.1, "long", 1))
    (line,) = long_runs(found.drop("runs")).replace("\u00a0", " ").splitlines()[2:]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == [
        "TCP-friendliness", "NewReno", "BIC", "0.90 → 0.60", "0.298", "0.490 → 0.0980", "5.00",
        "0 of 1 → 0 of 1",
    ]  # fmt: skip
