"""Long runs beside the short ones of the same seeds, against numbers that are known."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load

from ..._grid.surfaces import RTT

FOLDER = Path(__file__).parents[1]
long_runs, ratios = (load(FOLDER / f"{name}.py") for name in ("long_runs", "ratios"))
SHORT_JFI, LONG_JFI = 0.6, 0.8


def runs(part, jfi, newreno_mbps, repeats=(1, 2, 3), rtts=(0.2, 0.4)):
    """Runs of every variant; those of the first repeat are unsteady, and 1 % from the third."""
    rows = []
    compared = [("calibration", "newreno"), *(("comparison", cca) for cca in ratios.VARIANTS)]
    for (role, cca), rtt, repeat in product(compared, rtts, repeats):
        rows.append(
            {
                **{"part": part, "role": role, "ccas": f"newreno-{cca}", RTT: rtt},
                **{"buffer_bdp": 0.2, "repeat": repeat, "run_id": f"{role}/{cca}/{rtt}/r{repeat}"},
                **{"contested": True, "jfi": jfi, "utilisation": 1.0, "unsteady": repeat == 1},
                "mean_throughput_bps_flow1": 1e6 * newreno_mbps * 1.01 ** (repeat - 2),
                **{
                    "mean_throughput_bps_flow2": 9e7,
                    "level_db_flow1": 70.0,
                    "level_db_flow2": 79.0,
                },
            }
        )
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def table():
    short = runs("simulation", SHORT_JFI, 4, repeats=(1, 2, 3, 4, 5), rtts=(0.1, 0.2, 0.4))
    testbed = [runs("open", 0.7, 30, repeats=(1, 2)), runs("long_open", 0.9, 15, repeats=(1, 2, 3))]
    return long_runs.lasting_table(
        pl.concat([short, runs("long", LONG_JFI, 20), *testbed]).with_columns(n_planned=3), 0.95
    )


def test_a_long_run_stands_beside_the_short_one_of_its_seed_alone(table):
    of_ns2, of_testbed = (table.filter(part=part) for part in ("long", "long_open"))
    assert table["part"].unique(maintain_order=True).to_list() == ["long", "long_open"]
    for of, n in ((of_ns2, 3), (of_testbed, 2)):
        assert of[RTT].unique().to_list() == [0.2, 0.4]
        assert set(of["n_runs_short"]) == set(of["n_runs_long"]) == {n}
    used = set(of_ns2["runs"].explode())
    assert {f"{part}/comparison/bic/0.2/r3" for part in ("simulation", "long")} <= used
    assert not any(run.endswith(("r4", "r5")) or "/0.1/" in run for run in used)
    parts = {run.split("/")[0] for run in of_testbed["runs"].explode()}
    assert parts == {"open", "long_open"}


def test_what_changes_with_the_length_is_short_beside_long(table):
    bic = table.filter(cca="bic", part="long").row(0, named=True)
    assert bic["ratio"] == pytest.approx(4 / 20)
    assert bic["ratio_low"] < 0.2 < bic["ratio_high"]
    assert bic["index"] == pytest.approx(SHORT_JFI - LONG_JFI)
    assert (bic["jfi_short"], bic["jfi_long"]) == pytest.approx((SHORT_JFI, LONG_JFI))
    assert (bic["n_unsteady_short"], bic["n_unsteady_long"]) == (1, 1)
    testbed = table.filter(cca="bic", part="long_open").row(0, named=True)
    assert testbed["ratio"] == pytest.approx(30 / 15)


def test_a_run_that_has_no_counterpart_yet_is_left_out(table):
    long = runs("long", LONG_JFI, 20).filter(
        ~((pl.col("ccas") == "newreno-bic") & (pl.col(RTT) > 0.3))
    )
    found = long_runs.lasting_table(pl.concat([runs("simulation", SHORT_JFI, 5), long]), 0.95)
    assert found["part"].unique().to_list() == ["long"]
    assert found.filter(cca="bic")[RTT].to_list() == [0.2]
    assert found.filter(cca="cubic")[RTT].to_list() == [0.2, 0.4]


def test_the_table_and_the_text_say_the_same(table):
    rows = long_runs.lasting_markdown(table).replace(NO_BREAK_SPACE, " ").splitlines()[2:]
    assert len(rows) == 16
    assert "0.60 → 0.80" in rows[2] and "1 of 3 → 1 of 3" in rows[2]
    assert [row.split("|")[1].strip() for row in rows] == ["ns-2", *[""] * 7, "Testbed", *[""] * 7]
    said = long_runs.lasting_variables(tagged(table, "lasting"))
    assert (said["ns2"]["n_long"], said["ns2"]["unsteady_short"]) == ("24", "8")
    assert (said["ns2"]["bic"]["short"], said["ns2"]["bic"]["long"]) == ("0.60", "0.80")
    assert said["ns2"]["bic"]["ratio"] == {"200": "0.2", "400": "0.2"}
    assert said["testbed"]["bic"]["ratio"] == {"200": "2.0", "400": "2.0"}


def test_the_documented_columns_are_those_of_the_table(table):
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    schema = split(table)[0].schema
    assert documented["lasting"] == [(column, str(dtype)) for column, dtype in schema.items()]
