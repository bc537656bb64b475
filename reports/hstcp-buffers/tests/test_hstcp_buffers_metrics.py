"""hstcp-buffers: a link's utilisation, losses and cuts, worked by hand; the model beside them."""

import json

import polars as pl
import pytest
from evenflow.errors import DataError
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_tables import rows_of

from ..comparison import model_errors
from ..crossed import crossed_cell, crossed_run
from ..design import configured_places, flow_rtts, placed_runs, two_flow_examples
from ..evaluation import model_points
from ..metrics import buffer_cells, flow_dynamics, link_metrics, warmup_sensitivity
from ..model import READINGS, fixed_point
from ..tables import crossed

MBPS = 8.0  # 1000 packets of 1000 bytes a second
RTTS_S = (0.02, 0.1)


def run_table(*runs: dict) -> pl.DataFrame:
    """The table `run`: link of 8 Mb/s, 100 packets, 20 s, from 10 s on; changed by each dict."""
    base = {
        "scenario_id": "s", "n_flows": 2, "bottleneck_bps": MBPS * 1e6, "buffer_bytes": 100_000,
        "aqm": "droptail", "warmup_s": 10.0, "end_s": 20.0,
        "factors": json.dumps({"implementation": "sack1", "buffer_fraction": "0.10"}),
    }  # fmt: skip
    return pl.DataFrame([{"run_id": f"r{i}"} | base | run for i, run in enumerate(runs)])


def flow_table(runs: pl.DataFrame, rtts_s=RTTS_S) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"run_id": run, "flow_id": i, "base_rtt_s": rtt, "mss_bytes": 948}
            for run in runs["run_id"]
            for i, rtt in enumerate(rtts_s, 1)
        ]
    )


def queue_log(run: str, *, served: int = 900, dropped: int = 3, packet: float = 1000.0):
    """The queue monitor's lines at 0, 1, ..., 20 s; twice as fast before 10 s."""
    rows = []
    for t in range(21):
        seconds = t + min(t, 10)  # the first ten count twice
        rows.append((run, float(t), 20.0 * packet, 20.0, *(n * seconds for n in
                    (served + dropped, served, dropped))))  # fmt: skip
    names = ["run_id", "t_s", "queue_bytes", "queue_packets"]
    names += ["arrived_packets", "departed_packets", "dropped_packets"]
    return pl.DataFrame(rows, schema=names, orient="row")


def sample_log(run: str, windows: dict[int, list[float]]) -> pl.DataFrame:
    """Samples of 1 s from 10 s on, 450 payloads each, with these windows."""
    return pl.DataFrame(
        [
            {"run_id": run, "flow_id": flow, "t_start_s": 9.0 + i, "t_end_s": 10.0 + i,
             "bytes": 450 * 948, "cwnd_bytes": w}
            for flow, values in windows.items()
            for i, w in enumerate(values)
        ]
    )  # fmt: skip


def metrics(**changes) -> dict:
    runs = run_table({})
    windows = {1: [5, 6, 7, 4, 5, 6, 3, 4, 5, 6, 7], 2: [9] * 11}
    placed = placed_runs(runs, flow_table(runs))
    found = link_metrics(queue_log("r0", **changes), sample_log("r0", windows), runs, placed)
    return found.row(0, named=True)


def test_link_metrics_by_hand():
    """900 of 1000 packets a second from 10 s to 20 s; 3 of 903 dropped; 2 falls, 9,900 packets."""
    found = metrics()
    assert found["utilisation"] == pytest.approx(0.9)
    assert found["loss_rate"] == pytest.approx(3 / 903)
    assert (found["n_arrived"], found["n_dropped"]) == (9030, 30)
    assert found["queue_packets"] == pytest.approx(20) and found["queue_share"] == 0.2
    assert found["cut_rate"] == pytest.approx(2 / (22 * 450))


def test_the_size_of_a_packet_is_what_the_queue_held():
    assert metrics(packet=500.0)["utilisation"] == pytest.approx(0.45)


def test_a_link_without_loss_or_queue_has_rates_of_zero():
    found = metrics(dropped=0)
    assert found["loss_rate"] == 0
    runs = run_table({})
    empty = queue_log("r0").with_columns(queue_bytes=0.0 * pl.col("t_s"), queue_packets=0.0)
    placed = placed_runs(runs, flow_table(runs))
    found = link_metrics(empty, sample_log("r0", {1: [5.0] * 11}), runs, placed)
    # no queue, no size: mss_bytes and headers
    assert found["utilisation"][0] == pytest.approx(0.9) and found["cut_rate"][0] == 0


def test_time_as_standard_tcp_and_drift_by_hand():
    """Flow 1 has a window of 30 packets for 4 of its 10 s; its share is a third, then a half."""
    runs = run_table({})
    placed = placed_runs(runs, flow_table(runs))
    samples = sample_log("r0", {1: [30 * 948.0] * 4 + [50 * 948.0] * 6, 2: [90 * 948.0] * 10})
    late = pl.col("t_end_s") >= 15
    samples = samples.with_columns(
        pl.when((pl.col("flow_id") == 2) & ~late)
        .then(2 * pl.col("bytes")).otherwise("bytes").alias("bytes")
    )  # fmt: skip
    edges = runs.select("run_id", "warmup_s", "end_s")
    found = flow_dynamics(samples, edges, placed).row(0, named=True)
    assert found["standard_share"] == pytest.approx(4 / 20)
    assert found["drift"] == pytest.approx(1 / 2 - 1 / 3)


def test_a_run_without_a_queue_log_has_no_utilisation():
    runs = run_table({}, {})
    placed = placed_runs(runs, flow_table(runs))
    samples = sample_log("r1", {1: [5.0] * 11})
    found = link_metrics(queue_log("r0"), samples, runs, placed)
    assert found.filter(run_id="r1")["utilisation"].to_list() == [None]
    assert found.filter(run_id="r0")["cut_rate"].to_list() == [None]


def test_a_run_with_one_thing_changed_is_a_place_of_its_own():
    factors = {"implementation": "sack1", "buffer_fraction": "0.10", "changed": "starts"}
    runs = run_table({}, {"factors": json.dumps(factors)})
    placed = placed_runs(runs, flow_table(runs))
    assert placed["implementation"].to_list() == ["sack1", "sack1+starts"]


def test_rates_and_rtts_that_are_crossed_stand_apart_with_their_rtts():
    """At the same bandwidth, buffer and queue they would be another cell of the paper's link."""
    factors = {"implementation": "sack1", "buffer_fraction": "0.10", "changed": "rtt-spread"}
    ours = [{"factors": json.dumps(factors), "scenario_id": f"x{i}", "repeat": i} for i in (1, 2)]
    both = run_table({"repeat": 1}, *ours)
    flows = flow_table(both)
    assert placed_runs(both, flows)["run_id"].to_list() == ["r0"]
    queue = pl.concat([queue_log("r0"), queue_log("r1"), queue_log("r2", served=800)]).lazy()
    windows = both.select("run_id", "warmup_s", "end_s")
    samples = pl.concat(sample_log(run, {1: [5] * 11, 2: [9] * 11}) for run in both["run_id"])
    runs = both.drop("warmup_s", "end_s")
    table = crossed_run(runs, flows, windows, queue, samples.lazy())
    assert table.select("run_id", "implementation", "rtts", "spread_ms").rows() == [
        ("r1", "sack1", "20 to 100 ms", pytest.approx(80)),
        ("r2", "sack1", "20 to 100 ms", pytest.approx(80)),
    ]
    assert table["utilisation"].to_list() == pytest.approx([0.9, 0.8])
    cells = crossed_cell(table.with_columns(scenario_id=pl.lit("x")), 0.95)
    assert cells.select("mean", "n").rows() == [(pytest.approx(0.85), 2)]
    header, row = rows_of(crossed(cells))
    assert header == ["Source", "Buffer", "0.008 Gb/s, 20 to 100 ms"]
    assert row[:2] == ["ns-2 sack1", "10 %"] and row[2].startswith("85.0 (")
    nothing = crossed(crossed_cell(table[:0], 0.95))
    assert "none made yet" in nothing


def test_places():
    slow = json.dumps({"implementation": "sack1", "buffer_fraction": "0.05", "access_mbps": 4})
    fast = json.dumps({"implementation": "linux", "buffer_fraction": 1.0, "access_mbps": 80})
    runs = run_table({"factors": slow}, {"factors": fast}, {"factors": '{"buffer_fraction": 1}'})
    placed = placed_runs(runs, flow_table(runs))
    assert placed["implementation"].to_list() == ["sack1-slow", "linux", ""]
    assert placed["fraction"].to_list() == [0.05, 1.0, 1.0]
    assert placed["k"].to_list() == [100] * 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"factors": "{}"}, "'r0' does not say its fraction.*buffer_fraction"),
        ({"buffer_bytes": None}, "'r0' does not say its k"),
        ({"aqm": None}, "'r0' does not say its aqm"),
    ],
)
def test_a_run_that_does_not_say_its_place_is_an_error(change, said):
    schema = {"buffer_bytes": pl.Int64, "aqm": pl.String}
    runs = run_table(change).cast({k: v for k, v in schema.items() if change.get(k, 1) is None})
    with pytest.raises(DataError, match=said):
        placed_runs(runs, flow_table(runs))


def test_round_trip_times_of_one_link_must_agree():
    runs = run_table({}, {})
    placed = placed_runs(runs, flow_table(runs))
    flows = flow_table(runs)
    assert flow_rtts(flows, placed)["rtt_s"].to_list() == [list(RTTS_S)]
    flows = flows.with_columns(
        pl.when(run_id="r1").then(0.3).otherwise("base_rtt_s").alias("base_rtt_s")
    )
    with pytest.raises(DataError, match="8 Mb/s, 2 flows have different round-trip times"):
        flow_rtts(flows, placed)


def test_the_model_is_evaluated_at_every_cell_in_every_reading():
    runs = run_table({"scenario_id": "a"}, {"scenario_id": "a"})
    placed = placed_runs(runs, flow_table(runs))
    values = pl.DataFrame(
        {"run_id": ["r0", "r1"], "utilisation": [0.8, 0.9], "loss_rate": [1e-3, 3e-3]}
    )
    cells = buffer_cells(values, placed, 0.95)
    mean = cells.filter(metric="utilisation").row(0, named=True)
    assert (mean["mean"], mean["n"], mean["k"]) == (pytest.approx(0.85), 2, 100)
    errors = model_errors(cells, flow_rtts(flow_table(runs), placed), placed)
    taken = errors.filter(metric="utilisation", reading="taken").row(0, named=True)
    point = fixed_point(1000.0, 100, RTTS_S)
    assert taken["model"] == pytest.approx(point.utilisation)
    assert taken["error"] == pytest.approx(0.85 - point.utilisation)
    assert set(errors["reading"]) == set(READINGS) - {"red-mm1k", "red-full-literal", "red-p-max-1"}
    assert errors.filter(reading="throughput-literal")["model"].to_list() == [None, None]


def test_an_interval_of_a_share_ends_at_0_and_1():
    runs = run_table({"scenario_id": "a"}, {"scenario_id": "a"})
    placed = placed_runs(runs, flow_table(runs))
    values = pl.DataFrame({"run_id": ["r0", "r1"], "utilisation": [0.97, 0.99], "jfi": [0.5, 0.6]})
    cells = buffer_cells(values, placed, 0.95)
    found = cells.filter(metric="utilisation").row(0, named=True)
    assert found["ci_high"] == 1 and found["cut"] and 0.8 < found["ci_low"] < 0.97


def test_the_curves_are_of_the_configured_links():
    link = {"bottleneck_mbps": 8, "n_flows": 3, "rtt_ms": [20, 100], "full_buffer_packets": 50}
    places = configured_places([link], [0.001, 1], 1000)
    assert places["k"].to_list() == [1, 50, 1, 50]  # never less than a packet
    assert places["rtt_s"][0].to_list() == pytest.approx([0.02, 0.06, 0.1])
    points = model_points(places)
    taken = points.filter(reading="taken", aqm="droptail", k=50)["utilisation"][0]
    assert taken == pytest.approx(fixed_point(1000.0, 50, [0.02, 0.06, 0.1]).utilisation)


def test_the_runs_own_start_changes_nothing():
    runs = run_table({})
    placed = placed_runs(runs, flow_table(runs))
    samples = sample_log("r0", {1: [5.0] * 11})
    queue = queue_log("r0")
    link = placed.join(link_metrics(queue, samples, runs, placed), on="run_id")
    # `placed` as the workflow hands it on: with the metrics of the default start beside
    found = warmup_sensitivity(queue, samples, runs, link, [10, 5])
    by_start = dict(found.select("start", "utilisation").rows())
    assert by_start["10"] == pytest.approx(link["utilisation"][0])
    assert by_start["5"] == pytest.approx((5 * 1.8 + 10 * 0.9) / 15)
    # MSER-5 finds the ten fast seconds
    assert by_start["MSER-5"] == pytest.approx(0.9)


@settings(max_examples=30, deadline=None)
@given(served=st.integers(1, 1000), dropped=st.integers(0, 500))
def test_shares_are_shares(served, dropped):
    found = metrics(served=served, dropped=dropped)
    assert 0 < found["utilisation"] <= 1 and 0 <= found["loss_rate"] < 1
    assert found["n_dropped"] <= found["n_arrived"]


def test_examples_of_two_flows_are_first_repeats_in_order():
    runs = run_table(
        {"run_id": "b/r1", "factors": '{"implementation": "linux", "buffer_fraction": 0.1}'},
        {"run_id": "a/r2"},
        {"run_id": "a/r1"},
    )
    flows = flow_table(runs)
    placed = placed_runs(runs, flows).with_columns(warmup_s=pl.lit(50.0))
    found = two_flow_examples(placed, flows)
    assert found["run_id"].to_list() == ["a/r1", "b/r1"]
    assert found["warmup_s"].to_list() == [50, 50]
    assert found["rtts"][0].to_list() == ["RTT 20 ms", "RTT 100 ms"]
