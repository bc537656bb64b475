"""Fairness metrics against values computed by hand, to 1e-12."""

import math
from fractions import Fraction
from itertools import pairwise

import polars as pl
import pytest
from evenflow.metrics.fairness import (
    CELL,
    calibration_weights,
    flow_nru,
    jain_index,
    mean_levels,
    mean_throughput,
    nru_db,
    of_tcp,
    two_flow_curve,
)
from evenflow.metrics.tables import run_metrics
from hypothesis import given
from hypothesis import strategies as st
from metrics_of import under_same_conditions

TOLERANCE = 1e-12
HALF_DB = -3.010299956639812  # 10 log10(1/2)


def close(value):
    return pytest.approx(value, rel=0, abs=TOLERANCE)


def jain(*throughput: float):
    table = pl.DataFrame({"x": [float(x) for x in throughput]})
    return table.select(jain_index(pl.col("x")).alias("j"))["j"][0]


# ---- Jain's index -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("throughput", "j"),
    [
        ((1, 1), 1),
        ((1, 0), Fraction(1, 2)),
        # (10100)^2 / (2 (100^2 + 10000^2)) = 10201 / 20002 = 0.50999...
        ((100, 10000), Fraction(10201, 20002)),
        ((1, 2, 3), Fraction(36, 42)),
        ((5, 0, 0, 0), Fraction(1, 4)),
        ((3, 1), Fraction(16, 20)),
        ((47.5e6, 47.5e6), 1),
    ],
)
def test_jain_index_by_hand(throughput, j):
    assert jain(*throughput) == close(float(j))


def test_0_5099_of_the_issue():
    assert f"{jain(100, 10000):.4f}" == "0.5100"
    assert math.floor(jain(100, 10000) * 1e4) / 1e4 == 0.5099


def test_jain_index_of_nothing_is_no_number():
    assert jain(0, 0) is None


RATES = st.lists(st.floats(0, 1e10), min_size=1, max_size=8).filter(lambda x: max(x) > 1e-3)


@given(RATES)
def test_jain_index_lies_between_1_over_n_and_1(rates):
    assert 1 / len(rates) - TOLERANCE <= jain(*rates) <= 1 + TOLERANCE


@given(RATES, st.floats(1e-3, 1e3))
def test_jain_index_does_not_depend_on_the_unit(rates, factor):
    assert jain(*(factor * rate for rate in rates)) == close(jain(*rates))


@given(RATES, st.randoms(use_true_random=False))
def test_jain_index_does_not_depend_on_the_order_of_flows(rates, random):
    shuffled = random.sample(rates, len(rates))
    assert jain(*shuffled) == close(jain(*rates))


@given(RATES, st.integers(1, 4))
def test_jain_index_of_k_of_n_equal_flows_is_k_over_n(rates, k):
    n = k + len(rates)
    assert jain(*[7.0] * k, *[0.0] * len(rates)) == close(k / n)


# ---- NRU ----------------------------------------------------------------------------------------


def nru(throughput, expected, floor=1.0):
    columns = {"x": float(throughput), "e": float(expected), "f": float(floor)}
    expression = nru_db(pl.col("x"), pl.col("e"), pl.col("f"))
    return pl.DataFrame([columns]).select(expression.alias("u"))["u"][0]


@pytest.mark.parametrize(
    ("throughput", "expected", "u"),
    [
        (47.8e6, 47.8e6, 0.0),
        (23.9e6, 47.8e6, HALF_DB),
        (95.6e6, 47.8e6, -HALF_DB),
        (4.78e6, 47.8e6, -10.0),
        (0.0, 1e6, -60.0),  # floored at 1 bit/s
        (0.5, 1e6, -60.0),
    ],
)
def test_nru_by_hand(throughput, expected, u):
    assert nru(throughput, expected) == close(u)


def test_half_is_minus_3_0103_db():
    assert f"{nru(1, 2, 0.1):.4f}" == "-3.0103"


# ---- tables: two flows of a run, hand-made ------------------------------------------------------

SECONDS = 10


def window(rates: dict[tuple[str, int], list[float]], interval_s=1.0):
    """Samples of a window from each flow's bytes an interval."""
    rows = [
        {
            "run_id": run_id,
            "flow_id": flow_id,
            "t_start_s": i * interval_s,
            "t_end_s": (i + 1) * interval_s,
            "bytes": int(n_bytes),
            "throughput_bps": n_bytes * 8 / interval_s,
            "interval_s": interval_s,
        }
        for (run_id, flow_id), amounts in rates.items()
        for i, n_bytes in enumerate(amounts)
    ]
    return pl.DataFrame(rows, schema_overrides={"flow_id": pl.Int32})


def flows(*rows: tuple):
    return pl.DataFrame(
        rows,
        schema={"run_id": pl.String, "flow_id": pl.Int32, "cca": pl.String, "mss_bytes": pl.Int32},
        orient="row",
    ).with_columns(base_rtt_s=0.1)


def runs(*rows: tuple, rtt=0.1, buffer=0.6):
    """(run_id, role) of runs, all of one cell."""
    table = pl.DataFrame(rows, schema=["run_id", "role"], orient="row").with_columns(
        pl.lit(100e6).alias("bottleneck_bps"),
        pl.lit(rtt).alias("base_rtt_s"),
        pl.lit(buffer).alias("buffer_bdp"),
    )
    return under_same_conditions(table).with_columns(pl.col("aqm").cast(pl.String))


def test_mean_throughput_is_bytes_over_time():
    table = mean_throughput(window({("r", 1): [0, 1000, 2000, 0], ("r", 2): [500] * 4}, 0.5))
    assert table.select("mean_throughput_bps", "n_samples", "n_zero_samples", "zero_s").rows() == [
        (12000.0, 4, 2, 1.0),
        (8000.0, 4, 0, 0.0),
    ]


CALIBRATION = {
    ("c1", 1): [9000] * SECONDS,
    ("c1", 2): [5000] * SECONDS,
    ("c2", 1): [9000] * SECONDS,
    ("c2", 2): [7000] * SECONDS,
    ("x1", 1): [100] * SECONDS,  # a comparison: must not enter
    ("x1", 2): [100] * SECONDS,
}
CALIBRATION_FLOWS = flows(
    *((run, flow, "bic", 1448) for run in ("c1", "c2", "x1") for flow in (1, 2))
)
CALIBRATION_RUNS = runs(("c1", "calibration"), ("c2", "calibration"), ("x1", "comparison"))


@pytest.mark.parametrize(
    ("weight_from", "expected_bytes", "sd_bytes"),
    [("flow2", 6000, 1000 * math.sqrt(2)), ("all", 7500, 500 * math.sqrt(2))],
)
def test_weights_come_from_the_calibration_only(weight_from, expected_bytes, sd_bytes):
    means = mean_throughput(window(CALIBRATION))
    table = calibration_weights(means, CALIBRATION_FLOWS, CALIBRATION_RUNS, weight_from)
    assert len(table) == 1
    row = table.row(0, named=True)
    assert row["cca"] == "bic"
    assert row["expected_bps"] == close(8 * expected_bytes)
    assert row["sd_bps"] == pytest.approx(8 * sd_bytes, rel=1e-12)
    assert row["n"] == 2


def test_a_flow_is_weighed_by_the_calibration_in_its_own_place():
    """Flow 1 of the calibrations has 9000 bytes a second, flow 2 5000 and 7000."""
    means = mean_throughput(window(CALIBRATION))
    table = calibration_weights(means, CALIBRATION_FLOWS, CALIBRATION_RUNS, "place")
    assert table.select("flow_id", "expected_bps", "n").rows() == [(1, 72000.0, 2), (2, 48000.0, 2)]
    levels = pl.DataFrame(
        {"run_id": ["x1"] * 2, "flow_id": pl.Series([1, 2], dtype=pl.Int32)}
    ).with_columns(level_db=pl.lit(10 * math.log10(48000)), n_floored_samples=pl.lit(0))
    found = flow_nru(levels, CALIBRATION_FLOWS, CALIBRATION_RUNS, table)
    assert found["flow_nru_db"].to_list() == pytest.approx([10 * math.log10(48 / 72), 0])


def test_a_weight_holds_in_its_own_cell_only():
    far = runs(("c2", "calibration"), rtt=0.2)
    these = pl.concat([runs(("c1", "calibration")), far])
    means = mean_throughput(window(CALIBRATION))
    table = calibration_weights(means, CALIBRATION_FLOWS, these, "flow2").sort("base_rtt_s")
    assert table["expected_bps"].to_list() == [40000.0, 56000.0]
    assert table["sd_bps"].to_list() == [None, None]  # of one run


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("bottleneck_bps", 50e6),
        ("buffer_bdp", 0.2),
        ("aqm", "red"),
        ("n_flows", 4),
        ("n_cross_traffic", 1),
        ("platform", "ns2"),
        ("factors", '{"ecn": "on"}'),
        ("mss_bytes", 536),
    ],
)
def test_a_calibration_counts_under_the_conditions_of_the_comparison_only(condition, value):
    """c1 is measured under other conditions than c2 and x1; its flow 2 has 5000 bytes, not 7000."""
    other = pl.when(pl.col("run_id") == "c1").then(pl.lit(value)).otherwise(condition)
    flow, run = (
        of.with_columns(other.cast(of.schema[condition]).alias(condition))
        if condition in of
        else of
        for of in (CALIBRATION_FLOWS, CALIBRATION_RUNS)
    )
    sample = window(CALIBRATION)
    weights = calibration_weights(mean_throughput(sample), flow, run, "flow2")
    assert len(weights) == 2
    found = flow_nru(mean_levels(sample, flow, 1.0), flow, run, weights).filter(run_id="x1")
    assert found["expected_bps"].to_list() == [56000.0] * 2


def rated(flow, run):
    """The NRU of x1, whose flows get what flow 2 of c1 and c2 gets on average."""
    sample = window(CALIBRATION | {("x1", 1): [6000] * SECONDS, ("x1", 2): [6000] * SECONDS})
    weights = calibration_weights(mean_throughput(sample), flow, run, "flow2")
    found = flow_nru(mean_levels(sample, flow, 1.0), flow, run, weights)
    return found.filter(run_id="x1")["flow_nru_db"].to_list()


@pytest.mark.parametrize("unknown", ["bottleneck_bps", "base_rtt_s", "buffer_bdp"])
def test_what_no_run_says_of_its_path_is_the_same_in_all(unknown):
    nothing = pl.lit(None, pl.Float64).alias(unknown)
    of_rtt = unknown == "base_rtt_s"
    flow = CALIBRATION_FLOWS.with_columns(nothing) if of_rtt else CALIBRATION_FLOWS
    assert rated(flow, CALIBRATION_RUNS.with_columns(nothing)) == [close(0)] * 2


def test_a_path_of_which_others_are_known_is_not_guessed():
    runs_ = CALIBRATION_RUNS.with_columns(
        buffer_bdp=pl.when(pl.col("run_id") == "c1").then("buffer_bdp")
    )
    assert rated(CALIBRATION_FLOWS, runs_) == [None, None]  # c2 and x1 do not say it, c1 does
    in_bytes = CALIBRATION_RUNS.with_columns(
        buffer_bdp=pl.lit(None, pl.Float64), buffer_bytes=pl.Series([1000, 2000, 2000])
    )
    assert rated(CALIBRATION_FLOWS, in_bytes) == [None, None]
    two_rtts = CALIBRATION_RUNS.with_columns(base_rtt_s=pl.lit(None, pl.Float64))
    assert rated(CALIBRATION_FLOWS, two_rtts) == [None, None]


def test_a_segment_that_some_logs_do_not_say_is_that_of_the_others():
    flow = CALIBRATION_FLOWS.with_columns(
        mss_bytes=pl.when(pl.col("run_id") != "x1").then("mss_bytes")
    )
    sample = window(CALIBRATION)
    weights = calibration_weights(mean_throughput(sample), flow, CALIBRATION_RUNS, "flow2")
    found = flow_nru(mean_levels(sample, flow, 1.0), flow, CALIBRATION_RUNS, weights)
    assert found.filter(run_id="x1")["expected_bps"].to_list() == [48000.0] * 2


WEIGHTS = (
    pl.DataFrame(
        {"cca": ["newreno", "bic"], "flow_id": [None, None], "expected_bps": [80_000.0, 48_000.0]},
        schema_overrides={"flow_id": pl.Int32},
    )
    .join(runs(("x", "")), how="cross")
    .with_columns(pl.lit(1448, pl.Int32).alias("mss_bytes"))
    .select("cca", "flow_id", *CELL, "expected_bps")
)
PAIR = flows(("x1", 1, "newreno", 1448), ("x1", 2, "bic", 1448))


def compared(rates, *, role="comparison", weights=WEIGHTS, floor=1.0, pair=PAIR):
    levels = mean_levels(window(rates), pair, floor)
    return flow_nru(levels, pair, runs(("x1", role)), weights)


def test_a_flow_at_its_calibration_mean_has_0_db_one_at_half_of_it_minus_3():
    table = compared({("x1", 1): [5000] * SECONDS, ("x1", 2): [6000] * SECONDS})
    assert table["flow_nru_db"].to_list() == [close(HALF_DB), close(0.0)]
    assert table["n_floored_samples"].to_list() == [0, 0]
    assert table["expected_bps"].to_list() == [80_000.0, 48_000.0]


def test_flow_nru_is_the_mean_of_decibels_and_not_the_decibels_of_the_mean():
    table = compared({("x1", 1): [20000, 5000], ("x1", 2): [6000] * 2})
    assert table["flow_nru_db"][0] == close((10 * math.log10(2) + HALF_DB) / 2)
    assert table["flow_nru_db"][0] == close(0.0)  # though the mean is 1.25 of the expected


@pytest.mark.parametrize("floor", [0.1, 1.0, 2.0])
def test_intervals_below_the_floor_are_counted_and_raised_to_it(floor):
    table = compared({("x1", 1): [0, 10, 10000], ("x1", 2): [6000] * 3}, floor=floor)
    floored = 10 * math.log10(floor * 1448 * 8 / 80_000)
    assert table["flow_nru_db"][0] == close(2 * floored / 3)
    assert table["n_floored_samples"].to_list() == [2, 0]


def test_a_sample_exactly_at_the_floor_is_not_floored():
    table = compared({("x1", 1): [1448] * 2, ("x1", 2): [1447] * 2})
    assert table["n_floored_samples"].to_list() == [0, 2]


def test_without_a_known_segment_the_floor_is_of_a_full_packet_of_ethernet():
    unsaid = pl.lit(None, pl.Int32)
    pair, weights = (of.with_columns(mss_bytes=unsaid) for of in (PAIR, WEIGHTS))
    rates = {("x1", 1): [0, 10, 10000], ("x1", 2): [6000] * 3}
    assert compared(rates, pair=pair, weights=weights).equals(compared(rates))


def test_a_calibration_run_gets_no_nru():
    rates = {("x1", 1): [5000], ("x1", 2): [6000]}
    assert compared(rates, role="calibration").is_empty()


def test_without_a_calibration_of_the_variant_there_is_no_nru():
    rates = {("x1", 1): [5000], ("x1", 2): [6000]}
    table = compared(rates, weights=WEIGHTS.filter(cca="bic"))
    assert table["flow_nru_db"].to_list() == [None, close(0.0)]
    dead = WEIGHTS.with_columns(pl.lit(0.0).alias("expected_bps"))
    assert compared(rates, weights=dead)["flow_nru_db"].to_list() == [None, None]


# ---- run metrics --------------------------------------------------------------------------------


def metrics(*means, nru=(None, None)):
    table = pl.DataFrame(
        {
            "run_id": ["x1"] * len(means),
            "flow_id": list(range(1, len(means) + 1)),
            "mean_throughput_bps": list(means),
            "flow_nru_db": list(nru) + [None] * (len(means) - len(nru)),
        },
        schema_overrides={"mean_throughput_bps": pl.Float64, "flow_nru_db": pl.Float64},
    )
    return run_metrics(table, runs(("x1", "comparison"))).row(0, named=True)


def test_run_metrics_by_hand():
    row = metrics(60e6, 30e6, nru=(-1.0, 2.0))
    assert row["jfi"] == close(float(Fraction(90 * 90, 2 * (3600 + 900))))
    assert row["throughput_ratio"] == close(2.0)
    assert row["system_nru_db"] == close(0.5)  # mean over the flows
    assert row["utilisation"] == close(0.9)
    assert (row["n_flows"], row["starved_flow"]) == (2, None)


def test_a_starved_flow_2_has_no_ratio_and_is_named():
    row = metrics(95e6, 0.0)
    assert row["throughput_ratio"] is None
    assert (row["jfi"], row["starved_flow"]) == (close(0.5), 2)


def test_a_starved_flow_1_has_ratio_0_and_is_named():
    row = metrics(0.0, 95e6)
    assert (row["throughput_ratio"], row["starved_flow"]) == (0.0, 1)


def test_the_ratio_is_of_two_flows():
    row = metrics(30e6, 30e6, 30e6)
    assert row["throughput_ratio"] is None
    assert (row["jfi"], row["n_flows"]) == (close(1.0), 3)


def test_system_nru_needs_every_flow():
    assert metrics(1e6, 1e6, nru=(-1.0, None))["system_nru_db"] is None


def test_a_flow_that_was_not_measured_is_no_starved_flow():
    row = metrics(95e6, None)
    for name in ("jfi", "throughput_ratio", "utilisation", "starved_flow"):
        assert row[name] is None


def test_the_curve_of_two_flows_is_even_on_the_logarithm_and_the_same_in_either_order():
    curve = two_flow_curve()
    ratios, indexes = curve["ratio"].to_list(), curve["jfi"].to_list()
    assert (ratios[0], ratios[200], ratios[400]) == pytest.approx((0.01, 1, 100))
    steps = [math.log10(b / a) for a, b in pairwise(ratios)]
    assert steps == pytest.approx([0.01] * 400)
    assert indexes == pytest.approx(indexes[::-1]) and indexes[200] == pytest.approx(1)
    assert indexes[0] == pytest.approx(101**2 / (2 * (100**2 + 1)))


def test_flows_are_of_tcp_where_no_log_names_another_protocol():
    flow = pl.DataFrame({"flow_id": [1, 2, 3], "protocol": ["tcp", None, "udp"]})
    assert of_tcp(flow)["flow_id"].to_list() == [1, 2]
    assert of_tcp(flow.drop("protocol")).height == 3
