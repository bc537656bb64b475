"""Cells on which an answer of high-speed-fairness hangs, on hand-made cells with known answers."""

import pytest
from evenflow.high_speed_deciding import changed, deciding_cells
from hypothesis import given
from hypothesis import strategies as st
from test_high_speed_claims import cells_of, equally, friendliness, intra, rtt_view


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
