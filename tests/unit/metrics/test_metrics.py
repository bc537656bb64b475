"""The metric tables of a data set: what is put together from windows, fairness and statistics."""

import math

import polars as pl
import pytest
from evenflow.metrics.measured import measured_flows
from evenflow.metrics.tables import (
    cell_table,
    run_metrics,
    within_bounds,
)
from evenflow.metrics.tables import flow_metric_table as of_flows
from evenflow.metrics.windows import mser5_warmup, placed_samples
from metrics_of import flow_metric_table, sensitivity_table, under_same_conditions, weight_table

STEADY = {"sensitivity_warmup_s": [10, 20, 30]}
NRU = {"weight_from": "flow2", "floor_segments": 1, "sensitivity_floor_segments": [0.1, 1, 10]}
# role, run, cca and bytes a second of flow 1 and 2, from 20 s on; before it flow 2 sends nothing
RUNS = [
    ("calibration", "cal-newreno/r1", ("newreno", 5_000_000), ("newreno", 5_000_000)),
    ("calibration", "cal-bic/r1", ("bic", 4_000_000), ("bic", 6_000_000)),
    ("comparison", "com/r1", ("newreno", 2_500_000), ("bic", 6_000_000)),
    ("comparison", "com/r2", ("newreno", 5_000_000), ("bic", 3_000_000)),
]
DURATION = 60
FLOATS = dict.fromkeys(("mean_throughput_bps", "flow_nru_db", "harm"), pl.Float64)


@pytest.fixture(scope="module")
def tables():
    run, flow, sample = [], [], []
    for role, run_id, *sides in RUNS:
        run.append((run_id, run_id.split("/")[0], role, 60.0, 1e8, 0.1, 0.6, 20.0, 60.0))
        for flow_id, (cca, n_bytes) in enumerate(sides, 1):
            flow.append((run_id, flow_id, cca, 1448, 10.0 * (flow_id - 1)))
            for t in range(10 * (flow_id - 1), DURATION):
                amount = n_bytes if t >= 19 else 0 if flow_id == 2 else 10_000_000
                sample.append((run_id, flow_id, float(t), t + 1.0, amount, amount * 8.0))
    columns = ["run_id", "scenario_id", "role", "duration_s", "bottleneck_bps", "base_rtt_s"]
    run = pl.DataFrame(
        run,
        schema=[*columns, "buffer_bdp", "warmup_s", "end_s"],
        orient="row",
    )
    flow = pl.DataFrame(
        flow, schema=["run_id", "flow_id", "cca", "mss_bytes", "start_s"], orient="row"
    )
    flow = flow.with_columns(base_rtt_s=0.1)
    columns = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "throughput_bps"]
    return pl.DataFrame(sample, schema=columns, orient="row"), flow, under_same_conditions(run)


def metrics_of(tables):
    sample, flow, run = tables
    weight = weight_table(sample, flow, run, "flow2")
    return flow_metric_table(sample, flow, run, weight, 1), run


def test_flow_metrics_by_hand(tables):
    table, _ = metrics_of(tables)
    assert len(table) == 8
    rows = {(r["run_id"], r["flow_id"]): r for r in table.rows(named=True)}
    first = rows["com/r1", 1]
    assert first["mean_throughput_bps"] == 20e6
    assert first["flow_nru_db"] == pytest.approx(10 * math.log10(0.5), abs=1e-12)
    assert rows["com/r1", 2]["flow_nru_db"] == pytest.approx(0, abs=1e-12)
    assert rows["com/r2", 1]["flow_nru_db"] == pytest.approx(0, abs=1e-12)
    assert {r["n_samples"] for r in rows.values()} == {41}  # 19 to 60 s
    assert {r["n_missing_samples"] for r in rows.values()} == {0}
    assert {r["warmup_s"] for r in rows.values()} == {20.0}
    assert rows["cal-bic/r1", 2]["flow_nru_db"] is None


def test_one_sample_is_enough_for_an_nru(tables):
    sample, flow, run = tables
    weight = weight_table(sample, flow, run, "flow2")
    others = (pl.col("run_id") == "com/r1") & (pl.col("t_start_s") != 30.0)
    table = flow_metric_table(sample.filter(~others), flow, run, weight, 1)
    row = table.filter(run_id="com/r1", flow_id=1).row(0, named=True)
    assert row["n_samples"] == 1
    assert row["flow_nru_db"] == pytest.approx(10 * math.log10(0.5), abs=1e-12)


def test_flows_come_sorted_in_whatever_order_they_were_measured(tables):
    sample, flow, run = tables
    weight = weight_table(sample, flow, run, "flow2")
    measured = measured_flows(placed_samples(sample, run), flow, run, 1)
    one, other = (of_flows(m, flow, run, weight) for m in (measured, measured.reverse()))
    assert other.equals(one)
    by = ["run_id", "flow_id"]
    assert other.select(by).equals(other.select(by).sort(by))


def test_missing_samples_are_counted(tables):
    sample, flow, run = tables
    holes = sample.filter(
        (pl.col("run_id") != "com/r1") | ~pl.col("t_start_s").is_in([5.0, 25.0, 40.0])
    )
    table, _ = metrics_of((holes, flow, run))
    found = table.filter(run_id="com/r1").select("n_samples", "n_missing_samples").rows()
    assert found == [(39, 2), (39, 2)]


def test_a_last_sample_that_is_a_little_short_is_not_one_too_many(tables):
    sample, flow, run = tables
    end = pl.when(pl.col("t_end_s") == 60).then(59.995).otherwise("t_end_s")
    short = sample.with_columns(end.alias("t_end_s"))
    table, _ = metrics_of((short, flow, run.with_columns(end_s=pl.lit(59.995))))
    assert set(table["n_samples"]) == {41}
    assert set(table["n_missing_samples"]) == {0}


def test_a_flow_without_a_sample_in_the_window_has_null_metrics(tables):
    sample, flow, run = tables
    gone = sample.filter(
        (pl.col("run_id") != "com/r1") | (pl.col("flow_id") == 1) | (pl.col("t_end_s") < 15)
    )
    table, runs = metrics_of((gone, flow, run))
    row = table.filter(run_id="com/r1", flow_id=2).row(0, named=True)
    assert (row["n_samples"], row["mean_throughput_bps"], row["flow_nru_db"]) == (0, None, None)
    assert run_metrics(table, runs).filter(run_id="com/r1")["jfi"][0] is None


def test_cells_are_means_over_the_repeats(tables):
    table, run = metrics_of(tables)
    cell = cell_table(table, run_metrics(table, run), run, 0.95)
    rows = {(r["scenario_id"], r["metric"]): r for r in cell.rows(named=True)}
    flow_2 = rows["com", "mean_throughput_bps_flow2"]
    assert (flow_2["mean"], flow_2["n"]) == (36e6, 2)
    assert flow_2["sd"] == pytest.approx(12e6 * math.sqrt(2))
    assert rows["com", "throughput_ratio"]["mean"] == pytest.approx((2.5 / 6 * 5 / 3) ** 0.5)
    assert rows["com", "system_nru_db"]["mean"] == pytest.approx(10 * math.log10(0.5) / 2)
    assert ("cal-bic", "flow_nru_db_flow2") not in rows  # calibrations have no NRU
    assert rows["cal-bic", "jfi"]["mean"] == pytest.approx(100 / (2 * (16 + 36)))


def ratio_of_cell(*runs: tuple[float, float]) -> dict:
    """Return the row of throughput_ratio in `cell`, of a scenario with these runs of two flows."""
    columns = ["run_id", "flow_id", "mean_throughput_bps", "flow_nru_db", "harm"]
    names = [f"r{n}" for n in range(len(runs))]
    rows = [
        (name, flow, bps, None, None)
        for name, both in zip(names, runs, strict=True)
        for flow, bps in enumerate(both, 1)
    ]
    means = pl.DataFrame(rows, schema=columns, orient="row", schema_overrides=FLOATS)
    run = pl.DataFrame({"run_id": names, "scenario_id": "a", "bottleneck_bps": 1e7})
    cell = cell_table(means, run_metrics(means, run), run, 0.95)
    return cell.filter(metric="throughput_ratio").row(0, named=True)


def test_the_mean_of_ratios_is_geometric_and_its_interval_that_of_the_logarithm():
    """A ratio of 4 and one of 1/4 are as far from equal shares, whichever flow is called first."""
    row = ratio_of_cell((8e6, 2e6), (2e6, 8e6))
    half = 12.7062047 * math.log(4)  # Student's t of one degree of freedom
    assert row["mean"] == pytest.approx(1)
    assert row["ci_low"] == pytest.approx(math.exp(-half))
    assert row["ci_high"] == pytest.approx(math.exp(half))
    assert (row["n"], row["sd"]) == (2, pytest.approx(3.75 / math.sqrt(2)))  # of the values


@pytest.mark.parametrize(
    ("starves", "n"), [((0, 9e6), 3), ((9e6, 0), 2), ((0, 0), 2)], ids=["first", "second", "both"]
)
def test_ratios_have_no_mean_where_a_flow_starves(starves, n):
    """It would be 0, infinite, or that of the other repeats alone."""
    row = ratio_of_cell((6e6, 2e6), (8e6, 2e6), starves)
    assert (row["mean"], row["ci_low"], row["ci_high"], row["n"]) == (None, None, None, n)


def test_sensitivity_moves_one_parameter_at_a_time(tables):
    table = sensitivity_table(*tables, STEADY, NRU)
    cases = table.group_by("parameter", "value", maintain_order=True).len()
    assert set(cases.rows()) == {
        *(("warmup_s", value, 4) for value in ("10", "20", "30")),
        *(("floor_segments", value, 4) for value in ("0.1", "1", "10")),
        *(("weight_from", value, 4) for value in ("place", "flow2", "all")),
        ("warmup_mser5", None, 4),
    }
    of_flows, run = metrics_of(tables)
    default = run_metrics(of_flows, run)
    nru = of_flows.filter(flow_id=2).select("run_id", flow_nru_db_flow2="flow_nru_db")
    assert nru["flow_nru_db_flow2"].drop_nulls().len() > 0
    default = default.join(nru, on="run_id", how="left", maintain_order="left")
    for parameter, value in (("warmup_s", "20"), ("floor_segments", "1"), ("weight_from", "flow2")):
        same = table.filter(parameter=parameter, value=value)
        assert same.select(default.columns).equals(default)
    ten = table.filter(parameter="warmup_s", value="10", run_id="com/r1").row(0, named=True)
    flow_1, flow_2 = 10 * 10e6 + 41 * 2.5e6, 41 * 6e6  # bytes from 9 s on; flow 2 from 10 s on
    one, two = flow_1 / 51, flow_2 / 50
    assert ten["jfi"] == pytest.approx((one + two) ** 2 / (2 * (one**2 + two**2)), rel=1e-12)
    assert ten["warmup_s"] == 10.0


def test_mser5_warmup_is_the_longest_of_the_flows_after_the_last_start(tables):
    found = dict(mser5_warmup(*tables).select("run_id", "warmup_s").rows())
    # both flows change at 19 s; batches of 5 from 10 s on: two of them hold the transient
    assert found == dict.fromkeys(tables[2]["run_id"], 21.0)


def cells_with_intervals(metric: str, low: float, high: float) -> pl.DataFrame:
    return pl.DataFrame({"scenario_id": "a", "metric": metric, "ci_low": low, "ci_high": high})


@pytest.mark.parametrize(
    ("metric", "n_flows", "interval", "cut_to"),
    [
        ("jfi", 2, (0.95, 1.03), (0.95, 1.0)),
        ("jfi", 2, (0.42, 1.03), (0.5, 1.0)),
        ("jfi", 4, (0.42, 0.9), (0.42, 0.9)),
        ("jfi", 4, (0.2, 0.9), (0.25, 0.9)),
        ("throughput_ratio", 2, (-1.0, 9.0), (0.0, 9.0)),
        ("mean_throughput_bps_flow2", 2, (-5.0, 2e7), (0.0, 2e7)),
        ("utilisation", 2, (0.98, 1.01), (0.98, 1.01)),
        ("system_nru_db", 2, (-3.0, 1.0), (-3.0, 1.0)),
        ("flow_nru_db_flow1", 2, (-3.0, 1.0), (-3.0, 1.0)),
    ],
)
def test_intervals_end_where_the_metric_does(metric, n_flows, interval, cut_to):
    n = pl.DataFrame({"scenario_id": ["a"], "n_flows": [n_flows]})
    (row,) = within_bounds(cells_with_intervals(metric, *interval), n).rows(named=True)
    assert (row["ci_low"], row["ci_high"]) == cut_to
    assert row["cut"] is (cut_to != interval)


def test_a_cell_without_an_interval_is_not_cut():
    n = pl.DataFrame({"scenario_id": ["a"], "n_flows": [2]})
    none = cells_with_intervals("jfi", 0.5, 1.0).with_columns(
        pl.lit(None, dtype=pl.Float64).alias("ci_low"),
        pl.lit(None, dtype=pl.Float64).alias("ci_high"),
    )
    (row,) = within_bounds(none, n).rows(named=True)
    assert (row["ci_low"], row["ci_high"], row["cut"]) == (None, None, False)
