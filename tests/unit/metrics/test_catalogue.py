"""The metrics of the catalogue: within their bounds, and two with known answers."""

import polars as pl
import pytest
from evenflow.metrics.catalogue import METRICS, convergence_s, drift, flow_change, use_change
from evenflow.metrics.tables import cell_table, run_metrics
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_it_means_and_its_source(name):
    known = METRICS[name]
    assert known.meaning.endswith(".") and known.source


RUN = pl.DataFrame(
    {"run_id": ["r"], "scenario_id": ["s"], "bottleneck_bps": [100e6]},
)


def flows(means, expected):
    n = len(means)
    return pl.DataFrame(
        {
            "run_id": ["r"] * n,
            "flow_id": pl.Series(range(1, n + 1), dtype=pl.Int32),
            "mean_throughput_bps": means,
            "flow_nru_db": [0.0] * n,
            "expected_bps": expected,
        },
        schema_overrides={"expected_bps": pl.Float64},
    )


def test_the_largest_harm_is_that_of_the_flow_that_loses_most():
    """Against their like both get 50 Mb/s; beside each other 20 and 70: harms 0.6 and -0.4."""
    (row,) = run_metrics(flows([20e6, 70e6], [50e6, 50e6]), RUN).rows(named=True)
    assert row["largest_harm"] == pytest.approx(0.6)
    (row,) = run_metrics(flows([20e6, 70e6], [50e6, None]), RUN).rows(named=True)
    assert row["largest_harm"] is None


rates = st.floats(0, 1e9)


@given(st.lists(st.tuples(rates, st.floats(1, 1e9)), min_size=2, max_size=5))
def test_means_of_metrics_lie_within_their_bounds(pairs):
    table = flows(*map(list, zip(*pairs, strict=True)))
    table = table.with_columns(harm=METRICS["harm"].compute())
    metric = run_metrics(table, RUN)
    cell = cell_table(table, metric, RUN, 0.95)
    for row in cell.drop_nulls("mean").rows(named=True):
        known = METRICS.get(row["metric"].split("_flow")[0])
        if known is None:
            continue
        least = 1 / len(pairs) if known.least == "1/n" else known.least
        assert least is None or row["mean"] >= least - 1e-9
        assert known.most is None or row["mean"] <= known.most + 1e-9


def samples(of_flow, interval_s=1.0):
    """Samples of (start, [bytes of each interval]) a flow."""
    rows = [
        ("r", flow, start + i * interval_s, start + (i + 1) * interval_s, n, float(start))
        for flow, (start, bytes_) in enumerate(of_flow, 1)
        for i, n in enumerate(bytes_)
    ]
    names = ("run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "start_s")
    return pl.DataFrame(rows, schema=list(names), orient="row")


def converged(of_flow, **more):
    return convergence_s(samples(of_flow, **more))["convergence_s"][0]


def test_equal_flows_have_converged_after_the_first_ten_seconds():
    assert converged([(0, [100] * 60), (20, [100] * 40)]) == 10
    assert converged([(0, [500] * 12), (20, [500] * 8)], interval_s=5.0) == 10


def test_the_end_of_the_first_fair_ten_seconds_counts():
    """Flow 2 gets a fifth for 15 s, then as much: fair means of ten seconds end 24 s after it."""
    second = [20] * 15 + [80] * 25
    first = [100] * 20 + [80] * 15 + [80] * 25
    # k seconds of 80 to 80 and 10 - k of 20 to 80: 20 (10 - k) + 80 k >= 0.45 / 0.55 * 800
    k = next(k for k in range(11) if (200 + 60 * k) / (1000 + 60 * k) >= 0.45)
    assert converged([(0, first), (20, second)]) == 15 + k


def test_zeros_before_a_flow_starts_do_not_count():
    known = samples([(0, [100] * 60), (0, [0] * 20 + [100] * 40)])
    known = known.with_columns(start_s=pl.when(flow_id=2).then(20.0).otherwise(0.0))
    assert convergence_s(known)["convergence_s"][0] == 10


def test_flows_that_never_share_fairly_have_no_convergence_time():
    assert converged([(0, [100] * 60), (20, [50] * 40)]) is None
    assert converged([(0, [100] * 60)]) is None  # a single flow


def test_missing_samples_are_no_zeros():
    """Three seconds from the third on are not in flow 2's log: ten seconds after them count."""
    known = samples([(0, [100] * 60), (20, [100] * 40)])
    gap = (pl.col("flow_id") == 2) & pl.col("t_start_s").is_between(23, 25)
    assert convergence_s(known.filter(~gap))["convergence_s"][0] == 16


def drifted(of_flow):
    steady = samples(of_flow).with_columns(outside=pl.lit(None, pl.String))
    (found,) = drift(steady)["drift"]
    return found


def test_a_flow_that_loses_its_share_in_the_second_half_drifts():
    """Flow 1 has 80 of 100 bytes a second for 30 s, then 30 of 100: it moves by 50 points."""
    assert drifted([(0, [80] * 30 + [30] * 30), (0, [20] * 30 + [70] * 30)]) == pytest.approx(0.5)
    assert drifted([(0, [50] * 60), (0, [50] * 60)]) == 0
    # of three flows the one that moves most is that which falls
    falls, rises = [40] * 30 + [20] * 30, [30] * 30 + [40] * 30
    assert drifted([(0, falls), (0, rises), (0, rises)]) == pytest.approx(0.2)
    # both may rise: only shares count
    assert drifted([(0, [10] * 30 + [20] * 30), (0, [10] * 30 + [20] * 30)]) == 0


def test_without_a_second_flow_or_anything_carried_there_is_no_drift():
    assert drifted([(0, [80] * 30 + [30] * 30)]) is None
    assert drifted([(0, [0] * 60), (0, [0] * 60)]) is None


def changed(function, of_flow):
    steady = samples(of_flow).with_columns(outside=pl.lit(None, pl.String))
    (row,) = function(steady).rows(named=True)
    return row[function.__name__]


def test_a_starved_flow_changes_by_a_factor_that_its_share_does_not_show():
    """Flow 2 has 4 of 100 MB/s, then 1: three points of share, and a factor of four."""
    of_flow = [(0, [96e6] * 30 + [99e6] * 30), (0, [4e6] * 30 + [1e6] * 30)]
    assert drifted(of_flow) == pytest.approx(0.03)
    assert changed(flow_change, of_flow) == pytest.approx(4)
    assert changed(use_change, of_flow) == pytest.approx(1)
    assert changed(use_change, [(0, [40e6] * 30 + [20e6] * 30)]) == pytest.approx(2)


def test_a_flow_that_carries_nothing_counts_as_a_segment_a_second():
    stopped = [(0, [1448.0] * 30 + [0] * 30), (0, [0] * 60)]
    assert changed(flow_change, stopped) == 1
    assert changed(flow_change, [(0, [14480] * 30 + [0] * 30)]) == pytest.approx(10)


def test_a_half_without_samples_says_nothing_of_a_change():
    late = [(0, [50] * 60), (40, [50] * 20)]
    assert changed(flow_change, late) is None
    assert changed(use_change, late) is None


def test_samples_outside_the_steady_state_do_not_drift():
    known = samples([(0, [100] * 30 + [50] * 30), (30, [50] * 30)])
    outside = pl.when(pl.col("t_start_s") < 30).then(pl.lit("before"))
    assert drift(known.with_columns(outside=outside))["drift"].to_list() == [0]
