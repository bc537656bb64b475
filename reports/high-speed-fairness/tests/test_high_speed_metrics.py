"""The metrics of the paper on hand-made runs: places, starved flows, ratios, fits, shares."""

import numpy as np
import polars as pl
import pytest
from evenflow.metrics.tables import run_metrics
from hypothesis import given
from hypothesis import strategies as st

from ..metrics import (
    fit_exponent,
    fit_ratio,
    pair_cells,
    pair_metrics,
    queue_of,
    rtt_exponents,
    rtt_fits,
    rtt_points,
    share_matrix,
    view_of,
)
from ..steadiness import cell_steadiness

MBPS = 1e6


def tables(rows):
    """run, flow, flow_metric and run_metric of (cca1, cca2, rtt1, rtt2, buffer, thr1, thr2)."""
    run, flow, metric = [], [], []
    for i, (cca1, cca2, rtt1, rtt2, buffer, thr1, thr2) in enumerate(rows):
        key = {"run_id": f"run{i}"}
        run.append(
            key
            | {"dataset_id": "d", "scenario_id": f"s{i}", "repeat": 1, "n_flows": 2}
            | {"buffer_bytes": buffer, "bottleneck_bps": 900e6}
        )
        for n, cca, rtt, thr in ((1, cca1, rtt1, thr1), (2, cca2, rtt2, thr2)):
            flow.append(key | {"flow_id": n, "cca": cca, "base_rtt_s": rtt / 1000})
            metric.append(
                key | {"flow_id": n, "mean_throughput_bps": thr * MBPS, "flow_nru_db": None}
            )
    flows = pl.DataFrame(flow, schema_overrides={"flow_id": pl.Int32})
    metrics = pl.DataFrame(
        metric, schema_overrides={"flow_id": pl.Int32, "flow_nru_db": pl.Float64}
    )
    runs = pl.DataFrame(run)
    return runs, flows, metrics, run_metrics(metrics, runs)


def metrics_of(*rows):
    return pair_metrics(*tables(rows))


def cell_of(*rows):
    return pair_cells({"simulation": metrics_of(*rows)}).row(0, named=True)


BDP20_16 = 360_000  # 20 % of 900 Mb/s x 16 ms


def test_a_run_is_placed_by_its_flows_and_its_buffer():
    placed = metrics_of(
        ("newreno", "bic", 16, 16, BDP20_16, 300, 500),
        ("bic", "bic", 16, 16, 3_000_000, 400, 400),
        ("bic", "bic", 162, 16, 3_645_000, 100, 700),  # 20 % of flow 1's product
        ("cubic", "htcp", 16, 16, BDP20_16, 400, 400),
        ("bic", "newreno", 16, 16, BDP20_16, 400, 400),  # the paper has NewReno first
        ("bic", "cubic", 16, 42, BDP20_16, 400, 400),  # no view mixes both
        ("vegas", "vegas", 16, 16, BDP20_16, 400, 400),
        ("bic", "bic", 16, 16, 1_000_000, 400, 400),  # neither of the two queues
    )
    assert placed.select("run_id", "view", "queue").rows() == [
        ("run0", "friendliness", "bdp20"),
        ("run1", "intra", "3mb"),
        ("run2", "rtt", "bdp20"),
        ("run3", "inter", "bdp20"),
    ]


def test_ratios_are_flow_1_over_flow_2_and_jfi_is_jains():
    row = metrics_of(("newreno", "bic", 16, 16, BDP20_16, 200, 600)).row(0, named=True)
    assert row["ratio"] == pytest.approx(1 / 3)
    assert row["share1"] == 0.25
    assert row["jfi"] == pytest.approx(800**2 / (2 * (200**2 + 600**2)))
    assert row["starved"] is None


@pytest.mark.parametrize(
    ("thr1", "thr2", "ratio", "share", "starved"),
    [(0, 600, 0.0, 0.0, "flow 1"), (600, 0, None, 1.0, "flow 2"), (0, 0, None, None, "both flows")],
)
def test_a_starved_flow_is_named_and_its_ratio_is_no_infinity(thr1, thr2, ratio, share, starved):
    placed = metrics_of(("newreno", "bic", 16, 16, BDP20_16, thr1, thr2))
    row = placed.row(0, named=True)
    assert (row["ratio"], row["share1"], row["starved"]) == (ratio, share, starved)
    for column in ("ratio", "share1", "jfi"):
        assert placed[column].drop_nulls().is_finite().all()
    cell = pair_cells({"testbed": placed}).row(0, named=True)  # it is no gap either
    assert (cell["n"], cell["n_starved1"], cell["n_starved2"]) == (1, thr1 == 0, thr2 == 0)
    assert cell["ratio"] == ratio


def test_a_cell_is_the_ratio_of_mean_throughputs_with_its_extreme_runs():
    cell = cell_of(
        ("newreno", "bic", 16, 16, BDP20_16, 100, 700),
        ("newreno", "bic", 16, 16, BDP20_16, 300, 500),
    )
    assert cell["n"] == 2
    assert cell["ratio"] == pytest.approx(200 / 600)
    assert (cell["ratio_low"], cell["ratio_high"]) == (pytest.approx(1 / 7), pytest.approx(0.6))
    assert cell["share1"] == pytest.approx((100 / 800 + 300 / 800) / 2)


def test_flow_2_starved_in_one_run_of_two_leaves_the_upper_end_open():
    cell = cell_of(
        ("newreno", "bic", 16, 16, BDP20_16, 800, 0),
        ("newreno", "bic", 16, 16, BDP20_16, 400, 400),
    )
    assert cell["ratio"] == 3.0
    assert (cell["ratio_low"], cell["ratio_high"], cell["n_starved2"]) == (1.0, None, 1)


def test_without_runs_the_tables_are_empty_and_have_their_columns():
    placed = metrics_of(("vegas", "vegas", 16, 16, BDP20_16, 400, 400))
    cells = pair_cells({"simulation": placed})
    assert cells.is_empty() and "ratio" in cells.columns
    assert rtt_fits(cells, 0.95).is_empty() and share_matrix(cells).is_empty()


# ---- RTT fairness -------------------------------------------------------------------------------


def proportional(slope=1.0, intercept=0.0):
    """Five runs of BIC with 162 ms against 16 to 324 ms, whose ratios lie on a line."""
    rows = []
    for rtt2 in (16, 42, 82, 162, 324):
        ratio = slope * rtt2 / 162 + intercept
        rows.append(
            ("bic", "bic", 162, rtt2, 3_645_000, 800 * ratio / (1 + ratio), 800 / (1 + ratio))
        )
    return rows


def test_the_run_of_equal_rtts_belongs_to_rtt_fairness_too():
    points = rtt_points(pair_cells({"simulation": metrics_of(*proportional())}))
    assert points["view"].to_list() == ["rtt", "rtt", "rtt", "intra", "rtt"]
    assert points["rtt_ratio"].to_list() == pytest.approx([16 / 162, 42 / 162, 82 / 162, 1, 2])
    alone = rtt_points(pair_cells({"simulation": metrics_of(proportional()[3])}))
    assert alone.is_empty()  # no run of the view, no reference


def test_proportional_sharing_has_slope_1_and_r_1():
    (fit,) = rtt_fits(pair_cells({"simulation": metrics_of(*proportional())}), 0.95).rows(
        named=True
    )
    assert (fit["n"], fit["n_starved"]) == (5, 0)
    assert fit["r"] == pytest.approx(1)
    assert fit["slope"] == pytest.approx(1) and fit["intercept"] == pytest.approx(0, abs=1e-9)


def test_a_starved_flow_2_is_counted_and_left_out_of_the_fit():
    rows = [*proportional()[:4], ("bic", "bic", 162, 324, 3_645_000, 800, 0)]
    (fit,) = rtt_fits(pair_cells({"simulation": metrics_of(*rows)}), 0.95).rows(named=True)
    assert (fit["n"], fit["n_starved"]) == (4, 1)
    assert fit["slope"] == pytest.approx(1)


def test_the_interval_of_the_slope_is_students():
    x, y = np.array([0.0, 1, 2, 3]), np.array([0.1, 0.9, 2.2, 2.8])
    fit = fit_ratio(x, y, 0.95)
    # by hand: slope 0.94, residual sum of squares 0.082, s = sqrt(0.041), Sxx = 5, t(2) = 4.3027
    half = 4.30265 * np.sqrt(0.041 / 5)
    assert fit["slope"] == pytest.approx(0.94)
    assert (fit["slope_low"], fit["slope_high"]) == pytest.approx(
        (0.94 - half, 0.94 + half), rel=1e-4
    )


@given(st.floats(0.1, 5), st.floats(0, 2))
def test_a_fit_finds_the_line_that_ratios_lie_on(slope, intercept):
    x = np.array([16, 42, 82, 162, 324]) / 162
    fit = fit_ratio(x, slope * x + intercept, 0.95)
    assert fit["slope"] == pytest.approx(slope, rel=1e-6)
    assert fit["intercept"] == pytest.approx(intercept, abs=1e-6)


@pytest.mark.parametrize("exponent", [0.2, 1.0, 4.5])
def test_the_exponent_is_found_whatever_the_factor(exponent):
    x = np.array([16, 42, 82, 162, 324]) / 162
    fit = fit_exponent(x, 1.3 * x**exponent, 0.95)
    assert fit["exponent"] == pytest.approx(exponent)
    assert fit["exponent_low"] <= fit["exponent"] <= fit["exponent_high"]
    assert fit["log_r"] == pytest.approx(1)


def test_the_exponent_leaves_starved_flows_out_on_both_sides():
    rows = [("bic", "bic", 162, 16, 3_645_000, 0, 800), *proportional()[1:4]]
    rows.append(("bic", "bic", 162, 324, 3_645_000, 800, 0))
    (fit,) = rtt_exponents(pair_cells({"simulation": metrics_of(*rows)}), 0.95).rows(named=True)
    assert (fit["n"], fit["n_starved"]) == (3, 2)
    assert fit["exponent"] == pytest.approx(1)


def test_two_points_make_no_fit():
    assert fit_ratio(np.array([0.1, 1]), np.array([0.2, 1]), 0.95)["slope"] is None


# ---- shares -------------------------------------------------------------------------------------


def test_what_one_takes_the_other_lacks():
    shares = share_matrix(
        pair_cells(
            {
                "simulation": metrics_of(
                    ("bic", "cubic", 16, 16, BDP20_16, 600, 200),
                    ("bic", "bic", 16, 16, BDP20_16, 300, 500),
                    ("newreno", "scalable", 16, 16, BDP20_16, 0, 800),
                    ("bic", "bic", 162, 16, 3_645_000, 100, 700),  # not at the same RTT
                )
            }
        )
    )
    found = {(r["cca"], r["other"]): r["share"] for r in shares.rows(named=True)}
    assert found == {
        ("bic", "cubic"): 0.75,
        ("cubic", "bic"): 0.25,
        ("bic", "bic"): 0.375,
        ("newreno", "scalable"): 0.0,
        ("scalable", "newreno"): 1.0,
    }


@given(st.lists(st.tuples(st.floats(0, 850), st.floats(0, 850)), min_size=1, max_size=3))
def test_shares_of_a_pair_sum_to_one(throughputs):
    rows = [("bic", "cubic", 16, 16, BDP20_16, a, b) for a, b in throughputs]
    shares = share_matrix(pair_cells({"simulation": metrics_of(*rows)}))["share"]
    assert shares.is_empty() or shares.sum() == pytest.approx(1)


def test_view_and_queue_are_expressions_of_the_columns_they_name():
    row = pl.DataFrame(
        {"cca1": ["bic"], "cca2": ["bic"], "rtt1_ms": [16.0], "rtt2_ms": [16.0]}
        | {"buffer_bytes": [BDP20_16], "bottleneck_bps": [900e6]}
    )
    assert row.select(view=view_of(), queue=queue_of()).row(0) == ("intra", "bdp20")


# ---- drift --------------------------------------------------------------------------------------


def test_a_cell_counts_its_unsteady_and_its_converged_runs():
    pairs = pl.DataFrame(
        {"cell": ["x"] * 3, "unsteady": [True, True, False], "convergence_s": [10.0, None, 30.0]}
        | {"utilisation": [0.8, 0.9, 1.0]}
    )
    (row,) = cell_steadiness(pairs, ["cell"]).rows(named=True)
    assert row == {
        **{"cell": "x", "utilisation": pytest.approx(0.9), "n_unsteady": 2, "n_converged": 2},
        "convergence_s": 20.0,
    }
