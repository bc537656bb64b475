"""Fairness ratio, RTT ratio and exponent against their closed forms, and correlations."""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from evenflow.metrics.rtt_fairness import (
    burst_cells,
    burst_correlations,
    fairness_ratios,
    flow_means,
    rtt_exponent,
    rtt_exponents,
)
from evenflow.statistics.repeats import correlation
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

RTT_S = np.array([0.045, 0.09, 0.135, 0.18])


def mean_table(throughput_bps, rtt_s=RTT_S, base_s=RTT_S, run="r1"):
    numbers = pl.Series(range(1, len(rtt_s) + 1), dtype=pl.Int32)
    values = {"mean_throughput_bps": throughput_bps, "mean_rtt_s": rtt_s, "base_rtt_s": base_s}
    return pl.DataFrame({"run_id": run, "flow_id": numbers, **values}, strict=False)


def test_ratios_of_a_run_worked_by_hand():
    means = mean_table([200e6, 100e6, 50e6, 40e6], rtt_s=[0.085, 0.13, 0.175, 0.22])
    table = fairness_ratios(means)
    assert table.select("flow_i", "flow_j").rows() == list(combinations([1, 2, 3, 4], 2))
    assert table["fairness_ratio"].to_list() == [2.0, 4.0, 5.0, 2.0, 2.5, 1.25]
    first = table.row(0, named=True)
    assert first["rtt_ratio"] == pytest.approx(0.13 / 0.085)  # 1.53, as the paper prints
    assert first["base_rtt_ratio"] == pytest.approx(2.0)


def test_cross_traffic_is_in_no_pair():
    flows = pl.DataFrame(
        {"run_id": ["r1"] * 3, "flow_id": [1, 2, 3], "base_rtt_s": [0.045, 0.09, 0.045]}
    ).with_columns(cross_traffic=pl.col("flow_id") == 3)
    metrics = flows.select("run_id", "flow_id", mean_throughput_bps=pl.lit(1e6))
    window = pl.DataFrame(
        schema={
            **dict.fromkeys(("t_start_s", "t_end_s", "rtt_s"), pl.Float64),
            **dict(flows.select("run_id", "flow_id").schema),
        }
    )
    means = flow_means(metrics, window, flows)
    assert fairness_ratios(means).select("flow_i", "flow_j").rows() == [(1, 2)]
    assert rtt_exponents(means, 0.95)["n_flows"].to_list() == [2, 2]


def test_a_starved_flow_has_no_ratio_and_no_exponent():
    means = mean_table([200e6, 100e6, 50e6, 0.0])
    ratio = fairness_ratios(means).filter(flow_i=1, flow_j=4)["fairness_ratio"]
    assert ratio.to_list() == [None]
    assert rtt_exponents(means, 0.95)["beta"].to_list() == [None, None]


def test_rtt_is_the_mean_over_the_window_of_what_was_measured():
    flow = pl.DataFrame({"run_id": "r1", "flow_id": [1, 2], "base_rtt_s": [0.1, 0.2]})
    metric = flow.select("run_id", "flow_id", mean_throughput_bps=pl.lit(1e6))
    window = pl.DataFrame(
        {
            "run_id": "r1",
            "flow_id": [1, 1, 1, 2],
            "t_start_s": [0.0, 1.0, 2.0, 0.0],
            "t_end_s": [1.0, 2.0, 3.0, 1.0],
            "rtt_s": [0.0, 0.12, 0.14, None],  # 0: nothing measured yet
        }
    )
    assert flow_means(metric, window, flow)["mean_rtt_s"].to_list() == [pytest.approx(0.13), None]
    longer = window.with_columns(t_end_s=pl.Series([1.0, 2.0, 5.0, 1.0]))  # three times as long
    found = flow_means(metric, longer, flow)["mean_rtt_s"].to_list()
    assert found == [pytest.approx((0.12 + 3 * 0.14) / 4), None]


@pytest.mark.parametrize("beta", [1.0, 2.0, 4.56])
def test_an_exact_power_law_gives_its_exponent(beta):
    fit = rtt_exponent(7e6 * RTT_S**-beta, RTT_S, 0.95)
    assert fit["beta"] == pytest.approx(beta)
    assert fit["ci_low"] == pytest.approx(beta) == fit["ci_high"]
    assert (fit["n_flows"], fit["n_pairs"]) == (4, 6)


positive = st.floats(1e-3, 1e3)


@given(st.lists(st.tuples(positive, positive), min_size=2, max_size=6))
def test_the_fit_is_least_squares_through_the_origin_over_all_pairs(flows):
    throughput, rtt = np.array(flows).T
    if np.ptp(np.log(rtt)) < 1e-3:
        return
    pairs = list(combinations(range(len(flows)), 2))
    x = np.array([np.log(rtt[j] / rtt[i]) for i, j in pairs])
    y = np.array([np.log(throughput[i] / throughput[j]) for i, j in pairs])
    beta = rtt_exponent(throughput, rtt, 0.95)["beta"]
    assert beta == pytest.approx((x @ y) / (x @ x), rel=1e-6, abs=1e-6)


@given(st.lists(positive, min_size=4, max_size=4), positive)
def test_the_exponent_does_not_depend_on_units(throughput, factor):
    one = rtt_exponent(np.array(throughput), RTT_S, 0.95)["beta"]
    other = rtt_exponent(factor * np.array(throughput), 1000 * RTT_S, 0.95)["beta"]
    assert other == pytest.approx(one, rel=1e-6, abs=1e-6)


def test_three_flows_have_an_interval():
    fit = rtt_exponent(7e6 * RTT_S[:3] ** -1.5, RTT_S[:3], 0.95)
    assert fit["ci_low"] == pytest.approx(1.5) == fit["ci_high"]


def test_the_interval_of_an_exponent_by_hand():
    """Through (0, 0), (1, 1), (2, 3), (3, 3): squares of residuals 0.70 on 2 degrees of freedom."""
    rtt_s, throughput_bps = np.exp([0.0, -1.0, -2.0, -3.0]), np.exp([0.0, 1.0, 3.0, 3.0])
    fit = rtt_exponent(throughput_bps, rtt_s, 0.95)
    half = 4.302653 * (0.70 / 2 / 5) ** 0.5  # Student's t, from a table
    assert fit["beta"] == pytest.approx(1.1)
    assert [fit["ci_low"], fit["ci_high"]] == pytest.approx([1.1 - half, 1.1 + half], abs=1e-6)


def test_two_flows_have_an_exponent_without_an_interval():
    fit = rtt_exponent(np.array([4.0, 1.0]), np.array([0.05, 0.1]), 0.95)
    assert fit["beta"] == pytest.approx(2.0)
    assert (fit["ci_low"], fit["ci_high"], fit["n_pairs"]) == (None, None, 1)


@pytest.mark.parametrize("unknown", [0.0, -1.0, np.nan])
def test_what_is_not_above_zero_has_no_exponent(unknown):
    known = np.array([4.0, 1.0, 2.0])
    some = np.array([0.05, 0.1, unknown])
    for throughput, rtt in ((known, some), (some, known)):
        fit = rtt_exponent(throughput, rtt, 0.95)
        assert (fit["beta"], fit["ci_low"], fit["n_flows"], fit["n_pairs"]) == (None, None, 3, 3)


def test_equal_rtts_have_no_exponent():
    assert rtt_exponent(np.array([4.0, 1.0]), np.array([0.1, 0.1]), 0.95)["beta"] is None


# ---- correlations --------------------------------------------------------------------------------


def test_correlation_is_scipys():
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 1.0, 4.0, 3.0, 7.0])
    found = correlation(x, y, "pearson", 0.95)
    reference = stats.pearsonr(x, y)
    assert (found["r"], found["p_value"]) == (reference.statistic, reference.pvalue)
    interval = reference.confidence_interval(0.95)
    assert (found["ci_low"], found["ci_high"]) == (interval.low, interval.high)
    # ranks 1..5 against 2 1 4 3 5: 1 - 6 (1 + 1 + 1 + 1 + 0) / (5 x 24) = 0.8
    ranks = correlation(x, y, "spearman", 0.95)
    assert ranks["r"] == pytest.approx(0.8)
    half = 1.959964 * np.sqrt((1 + 0.8**2 / 2) / 2)
    assert ranks["ci_low"] == pytest.approx(np.tanh(np.arctanh(0.8) - half), rel=1e-6)
    assert ranks["ci_high"] == pytest.approx(np.tanh(np.arctanh(0.8) + half), rel=1e-6)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_few_points_or_no_variance_have_no_correlation(method):
    two = correlation(np.array([1.0, 2.0]), np.array([1.0, 2.0]), method, 0.95)
    flat = correlation(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]), method, 0.95)
    assert [two["r"], flat["r"], flat["p_value"]] == [None] * 3
    three = correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), method, 0.95)
    assert three["r"] == pytest.approx(0.5)
    assert (three["n"], three["ci_low"], three["ci_high"]) == (3, None, None)


def test_a_scenario_is_a_point_whatever_its_repeats():
    """Five kinds of traffic, the first with two repeats whose mean lies on the others' line: the
    geometric mean, as losses and ratios spread over factors."""
    bpdd = {"a1": 10.0, "a2": 40.0, "b1": 40.0, "c1": 60.0, "d1": 80.0, "e1": 100.0}
    kind = {"a": "pareto", "b": "pareto", "c": "pareto", "d": "pareto", "e": "ftp"}
    runs = pl.DataFrame(
        {
            "dataset_id": "lab",
            "run_id": list(bpdd),
            "scenario_id": [run[0] for run in bpdd],
            "ccas": "sack",
            "aqm": "droptail",
            "factors": [json.dumps({"background": kind[run[0]]}) for run in bpdd],
        }
    )
    columns = ["n_events", "flows_losing", "event_interval_s", "bpdd_foreground"]
    columns += ["bpdd_background", "p", "p_foreground", "time_above_s", "cov", "cov_background"]
    burst = runs.select("run_id", pl.Series("bpdd", bpdd.values())).with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in columns
    )
    burst = burst.with_columns(n_events="bpdd")
    means = pl.concat(
        mean_table([value * 1e6, 20e6, 10e6, 5e6], run=run) for run, value in bpdd.items()
    )
    cells = burst_cells(burst, fairness_ratios(means), rtt_exponents(means, 0.95), runs, 0.95)
    a = cells.filter(scenario_id="a", metric="bpdd").row(0, named=True)
    assert (a["mean"], a["n"]) == (pytest.approx(20.0), 2)
    # a factor of two on both sides, and t(1) = 12.706
    assert (a["ci_high"], a["cut"]) == (pytest.approx(20 * 2**12.7062047), False)
    assert a["ci_low"] == pytest.approx(20 / 2**12.7062047)
    assert a["sd"] == pytest.approx(30 / 2**0.5)
    starved = means.with_columns(  # flow 2 of one of the two runs of scenario a
        pl.when((pl.col("run_id") != "a2") | (pl.col("flow_id") != 2))
        .then("mean_throughput_bps")
        .otherwise(0.0)
    )
    of_starved = burst_cells(
        burst, fairness_ratios(starved), rtt_exponents(means, 0.95), runs, 0.95
    )
    for pair in ("12", "23"):  # a ratio is infinite, one is 0
        row = of_starved.filter(scenario_id="a", metric=f"fairness_ratio_{pair}").row(0, named=True)
        assert (row["mean"], row["ci_low"], row["ci_high"]) == (None, None, None)
    of_counts = cells.filter(scenario_id="a", metric="n_events")["mean"]  # arithmetic, as of others
    assert of_counts.to_list() == [pytest.approx(25.0)]
    ratio = cells.filter(scenario_id="a", metric="fairness_ratio_12")["mean"]
    assert ratio.to_list() == [pytest.approx(1.0)]
    table = burst_correlations(cells, runs, 0.95)
    row = table.filter(x="bpdd", y="fairness_ratio_12", method="pearson", background="all").row(
        0, named=True
    )
    assert (row["n"], row["r"]) == (5, pytest.approx(1.0))
    of_kind = table.filter(x="bpdd", y="fairness_ratio_12", method="spearman")
    runs_of = dict(of_kind.select("background", pl.col("runs").list.len()).rows())
    assert runs_of["all"] == runs_of["ftp"] + runs_of["pareto"] == len(runs)
    assert set(row["runs"]) == set(
        runs.select(pl.format("{}/{}", "dataset_id", "run_id")).to_series()
    )
    assert dict(of_kind.select("background", "n").rows()) == {"all": 5, "ftp": 1, "pareto": 4}
    unsaid = burst_correlations(cells, runs.with_columns(factors=pl.lit("{}")), 0.95)
    assert unsaid["background"].unique().to_list() == ["all"]
