"""Repeats in high-speed-fairness, on hand-made cells with known answers."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..repeats import changed, deciding_cells, repeat_words
from .test_high_speed_claims import cells_of, equally, friendliness, intra, rtt_view
from .test_high_speed_metrics import metrics_of


def deciding(rows, claim):
    """The cells that decide a claim, as 'flow 1's variant, RTT of flow 2'."""
    cells = cells_of(rows)
    found = deciding_cells(cells).filter(claim=claim).select("part", "scenario_id")
    named = cells.join(found, on=["part", "scenario_id"])
    return {(row["cca1"], row["rtt2_ms"]) for row in named.rows(named=True)}


def test_a_jains_index_next_to_the_threshold_decides_and_others_do_not():
    """Of two flows Jain's index is 0.907 where one has 66 %, and 0.896 where it has 67 %."""
    shares = equally(400) | {"bic": 528, "scalable": 600}
    assert deciding(intra(82, shares), "intra") == {("bic", 82)}


def test_both_sides_of_a_close_comparison_decide():
    newreno = equally(300) | {"scalable": 100, "htcp": 104}  # of 800: half a percent apart
    cells = cells_of(friendliness(82, newreno))
    found = deciding_cells(cells).filter(claim="friendly_scalable")
    named = cells.join(found.select("scenario_id"), on="scenario_id")
    assert set(named["cca2"]) == {"scalable", "htcp"}
    assert set(found["n"]) == {1}
    far = equally(300) | {"scalable": 100, "htcp": 200}
    assert (
        deciding_cells(cells_of(friendliness(82, far))).filter(claim="friendly_scalable").is_empty()
    )


def test_rtt_fairness_hangs_on_cells_of_the_equal_rtt_too():
    """Flow 1 has 51.25 % at 162 ms and 52 % at 324 ms: the best is at equal RTTs, but barely."""

    def flow1(cca, rtt2):
        return {16: 700, 82: 600, 162: 410, 324: 416}[rtt2]

    found = deciding(rtt_view(flow1), "rtt_equal")
    assert {rtt_ms for _, rtt_ms in found} == {162, 324}


def test_starved_flows_have_answers_that_may_hang_too():
    cells = cells_of(friendliness(82, equally(300) | {"scalable": 0, "htcp": 4}))
    assert len(deciding_cells(cells).filter(claim="friendly_scalable")) == 2


@given(st.floats(0, 1), st.floats(-0.1, 0.1))
def test_a_changed_cell_keeps_what_both_flows_carry(share1, change):
    cell = {"share1": share1, "throughput1_bps": share1 * 8e8}
    cell["throughput2_bps"] = 8e8 - cell["throughput1_bps"]
    other = changed(cell, change)
    assert 0 <= other["share1"] <= 1
    assert other["throughput1_bps"] + other["throughput2_bps"] == pytest.approx(8e8)
    assert 0.5 <= other["jfi"] <= 1 + 1e-12
    assert (other["ratio"] is None) == (other["share1"] == 1)


def repeated(rows, *others):
    """Runs of every row, and of the first row once more for each of (flow 1, flow 2) in Mb/s."""
    again = [(*rows[0][:5], *mbps) for mbps in others]
    runs = metrics_of(*rows, *again).with_columns(part=pl.lit("simulation"))
    number = pl.col("run_id").str.slice(3).cast(pl.Int64)
    return runs.with_columns(
        scenario_id=pl.when(number >= len(rows)).then(pl.lit("s0")).otherwise("scenario_id"),
        repeat=pl.max_horizontal(1, number - len(rows) + 2),
    )


def test_repeats_that_turn_an_answer_are_counted():
    """The mean of BIC's shares, 65 %, 69 % and 67.5 %, is 67.2 %: Jain's index below 0.9."""
    rows = intra(82, {"bic": 520} | dict.fromkeys(("cubic", "htcp", "highspeed", "scalable"), 400))
    words = repeat_words(repeated(rows, (552, 248), (540, 260)))
    assert words["simulation"].startswith(
        "in 1 of 5 cells runs are repeated, 3 each; flow 1's share differs by 4.0 points between "
        "them in the median and 4.0 at most, and with one run of each in the place of their mean "
        "1 of 6 cases have another answer"
    )
    assert words["testbed"] == "no cell has more than one run yet"


def test_repeats_that_agree_turn_nothing():
    words = repeat_words(repeated(intra(82, equally(400)), (401, 399)))
    assert ", 2 each;" in words["simulation"] and " 0 of 6 cases" in words["simulation"]
    assert words["simulation"].endswith("0 of 16 sentences another verdict")
