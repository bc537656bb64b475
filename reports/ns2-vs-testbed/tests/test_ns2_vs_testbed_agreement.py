"""ns-2 beside a testbed whose window binds, and beside one where it cannot."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from documented import documented_columns
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.papers.make import load
from markdown_tables import rows_of

FOLDER = Path(__file__).parents[1]
agreement = load(FOLDER / "agreement.py")


def runs(jfi: dict, part: str, contested: bool = True, repeats: int = 1) -> pl.DataFrame:
    """Runs of {(ccas, rtt_s): index}; a further repeat has 0.02 more. Their ratio is 1 - index."""
    return pl.DataFrame(
        [
            {
                "ccas": f"newreno-{cca}",
                "base_rtt_s": rtt_s,
                "buffer_bdp": 0.2,
                "run_id": f"{cca}/{rtt_s}/r{repeat}",
                "run": f"{part}/{cca}/{rtt_s}/r{repeat}",
                "repeat": repeat,
                "contested": contested,
                "jfi": index + 0.02 * (repeat - 1),
                "log_ratio": np.log(1 - index),
                "utilisation": 0.9,
                "drift": 0.3 if rtt_s == 0.4 else 0.01,
            }
            for (cca, rtt_s), index in jfi.items()
            for repeat in range(1, repeats + 1)
        ]
    )


NS2 = runs({("bic", 0.025): 0.6, ("bic", 0.4): 0.6, ("newreno", 0.4): 0.9}, "ns2", repeats=2)
BOUND = runs(
    {("bic", 0.025): 0.71, ("bic", 0.4): 0.99, ("newreno", 0.4): 0.99}, "bound", contested=False
)
FREE = runs({("bic", 0.025): 0.61, ("bic", 0.4): 0.64, ("cubic", 0.4): 0.5}, "free")


@pytest.fixture
def cells():
    return agreement.agreement_table(NS2, BOUND, {"profiles": FREE})


def test_only_cells_of_all_three_are_set_beside_each_other(cells):
    found = cells.select("ccas", "base_rtt_s").rows()
    assert found == [("newreno-bic", 0.025), ("newreno-bic", 0.4)]
    far = cells.filter(base_rtt_s=0.4).row(0, named=True)
    assert far["bound_d"] == pytest.approx(0.61 - 0.99)
    assert far["free_d"] == pytest.approx(0.61 - 0.64)
    assert (far["simulation_n"], far["bound_n"], far["free_n"]) == (2, 1, 1)
    assert far["repeat_difference"] == pytest.approx(0.02)
    assert (far["bound_contested"], far["free_contested"]) == (False, True)
    ns2 = ["ns2/bic/0.4/r1", "ns2/bic/0.4/r2"]
    assert far["runs_bound_d"] == ["bound/bic/0.4/r1", *ns2]
    assert far["runs_free"] == ["free/bic/0.4/r1"]
    assert far["runs_simulation,repeat_difference"] == ns2


def test_the_gap_is_the_mean_distance_by_pairing_and_rtt(cells):
    gap = agreement.gap_summary(cells, 200, 0.05)
    assert gap["ccas"].to_list() == ["newreno-bic", "variants"]
    row = gap.row(0, named=True)
    assert (row["n_cells"], row["n_high"], row["n_uncontested"]) == (2, 1, 2)
    assert row["bound"] == pytest.approx((0.10 + 0.38) / 2)
    assert (row["free"], row["free_high"], row["free_low"]) == pytest.approx((0.015, 0.03, 0.0))
    assert (row["bound_within"], row["free_within"]) == (0, 2)
    assert row["drift_high"] == pytest.approx(0.3)
    assert row["runs_free_high"] == ["free/bic/0.4/r1", "ns2/bic/0.4/r1", "ns2/bic/0.4/r2"]
    assert row["runs_n_runs"] == ["free/bic/0.025/r1", "free/bic/0.4/r1"]
    assert len(row["runs"]) == 8  # NewReno is in no free cell, CUBIC in no other


def test_a_factor_sees_what_the_index_near_its_end_cannot(cells):
    """0.6 and 0.99 are ratios of 0.4 and 0.01: a factor of 40, whichever side is larger."""
    row = agreement.gap_summary(cells, 200, 0.05).row(0, named=True)
    assert row["bound_factor_high"] == pytest.approx(40)
    assert row["free_factor_high"] == pytest.approx(0.4 / 0.36)
    assert row["bound_factor"] == pytest.approx((40 * 0.4 / 0.29) ** 0.5)
    turned = cells.with_columns(-pl.col("^.*_log_ratio$"))
    assert agreement.gap_summary(turned, 200, 0.05)["bound_factor"][0] == row["bound_factor"]


def test_the_text_and_the_table_say_the_same(cells):
    gap = tagged(agreement.gap_summary(cells, 200, 0.05), "gap")
    said = agreement.gap_variables(gap, tagged(cells, "agreement"), 200)["profiles"]["variants"]
    together = rows_of(agreement.gap_markdown(gap))[-1]
    assert together[1:3] == ["BIC and CUBIC", "2 (2)"]
    assert together[4] == f"{said['bound']} → {said['free']}" == "0.240 → 0.015"
    assert together[7] == f"{said['bound_factor']} → {said['free_factor']}"
    assert (said["max_rtt_ms"], said["max_drift"], said["max_used"]) == ("400", "0.30", "90")


def test_without_a_free_testbed_the_table_is_empty():
    empty = agreement.agreement_table(NS2, BOUND, {"profiles": FREE.clear()})
    gap = agreement.gap_summary(empty, 200, 0.05)
    assert agreement.gap_variables(gap, empty, 200) == {"high_rtt_ms": "200"}
    assert len(rows_of(agreement.gap_markdown(gap))) == 2


def test_the_documented_columns_are_those_of_the_tables(cells):
    made = {"agreement": cells, "gap": agreement.gap_summary(cells, 200, 0.05)}
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    for name, table in made.items():
        schema = [(column, str(dtype)) for column, dtype in split(table)[0].schema.items()]
        assert documented[name] == schema
