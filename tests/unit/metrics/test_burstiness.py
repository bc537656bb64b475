"""Drop events, BPDD, P, CoV, time above: hand-made lists, a trace worked by hand, properties."""

from itertools import pairwise

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.metrics.burstiness import (
    arrival_cov,
    arrival_covs,
    burst_metrics,
    default_gaps,
    drop_events,
    event_metrics,
    events_with_time_above,
    gap_sensitivity,
    queue_limits,
    refuse_without_drops,
    time_above,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_data import ROOT, parse

WINDOW = pl.DataFrame(
    {"run_id": ["r1"], "warmup_s": [0.0], "end_s": [None]}, schema_overrides={"end_s": pl.Float64}
)


def flow_table(*rtts_s, run="r1"):
    numbers = range(1, len(rtts_s) + 1)
    table = {"run_id": run, "flow_id": numbers, "base_rtt_s": rtts_s, "mss_bytes": 948}
    return pl.DataFrame(table).cast({"flow_id": pl.Int32, "mss_bytes": pl.Int32})


def drop_table(*drops, run="r1"):
    schema = {"t_s": pl.Float64, "flow_id": pl.Int32}
    table = pl.DataFrame(list(drops), schema=schema, orient="row")
    return table.select(pl.lit(run).alias("run_id"), pl.all())


def gap_table(gap_s, run="r1"):
    return pl.DataFrame({"run_id": [run], "gap_s": [float(gap_s)]})


def bin_table(counts, *, queue=0, background=0, bin_s=0.005, first=1):
    n = len(counts)
    queue = queue if isinstance(queue, list) else [queue] * n
    background = background if isinstance(background, list) else [background] * n
    numbers = range(first, first + n)
    table = {
        "t_start_s": [(k - 1) * bin_s for k in numbers],
        "t_end_s": [k * bin_s for k in numbers],
        "arrived_packets": counts,
        "queue_packets": queue,
        "background_packets": background,
    }
    return pl.DataFrame(table, schema_overrides={"t_start_s": pl.Float64, "t_end_s": pl.Float64})


# four flows, 45 to 180 ms; three bursts, 180 ms or more apart, and background traffic of id 100
FLOWS = flow_table(0.045, 0.09, 0.135, 0.18)
DROPS = drop_table(
    *[(10.0, 1), (10.1, 100), (10.1, 1), (10.25, 2)],  # 0.25 s, no two of them 0.18 s apart
    *[(10.43, 100)],  # 0.18 s after the last: an event of its own
    *[(12.0, 1), (12.0, 2), (12.05, 3), (12.05, 4), (12.05, None), (12.1, 4)],
)


def test_events_of_a_list_worked_by_hand():
    events = drop_events(DROPS, FLOWS, default_gaps(FLOWS), WINDOW)
    columns = ["event", "t_start_s", "t_end_s", "losses", "foreground_losses"]
    columns += ["background_losses", "foreground_flows_losing"]
    assert events.select(columns).rows() == [
        (1, 10.0, 10.25, 4, 3, 1, 2),
        (2, 10.43, 10.43, 1, 0, 1, 0),
        (3, 12.0, 12.1, 6, 5, 1, 4),
    ]


def test_bpdd_and_p_of_a_list_worked_by_hand():
    events = drop_events(DROPS, FLOWS, default_gaps(FLOWS), WINDOW)
    found = event_metrics(events, FLOWS).row(0, named=True)
    assert found["n_events"] == 3
    assert found["bpdd"] == pytest.approx(11 / 3)
    assert found["bpdd_foreground"] == pytest.approx(8 / 3)
    assert found["bpdd_background"] == pytest.approx(1.0)
    assert found["p"] == pytest.approx((2 / 4 + 0 + 4 / 4) / 3)
    assert found["p_foreground"] == pytest.approx((2 / 4 + 4 / 4) / 2)
    assert found["flows_losing"] == pytest.approx(2.0)


def test_cross_traffic_is_background():
    """It is in the table of flows, but is not compared; its RTT need not be known."""
    with_cbr = pl.concat([FLOWS, flow_table(None).with_columns(flow_id=pl.lit(100, pl.Int32))])
    with_cbr = with_cbr.with_columns(cross_traffic=pl.col("flow_id") == 100)
    gaps = default_gaps(with_cbr)
    assert gaps.equals(default_gaps(FLOWS))
    events = drop_events(DROPS, with_cbr, gaps, WINDOW)
    assert events.equals(drop_events(DROPS, FLOWS, gaps, WINDOW))
    assert event_metrics(events, with_cbr).equals(event_metrics(events, FLOWS))


@pytest.mark.parametrize(
    ("gap_s", "sizes"),
    [(0.01, [1, 2, 1, 1, 2, 3, 1]), (0.18, [4, 1, 6]), (0.2, [5, 6]), (2.0, [11])],
)
def test_the_gap_decides_what_an_event_is(gap_s, sizes):
    assert drop_events(DROPS, FLOWS, gap_table(gap_s), WINDOW)["losses"].to_list() == sizes


def test_events_count_when_they_begin_in_the_window():
    window = WINDOW.with_columns(warmup_s=pl.lit(10.1), end_s=pl.lit(12.05))
    events = drop_events(DROPS, FLOWS, default_gaps(FLOWS), window)
    # the first began before 10.1 s, although it has drops after; the last lasts past the end
    assert events.select("event", "t_start_s", "losses").rows() == [(1, 10.43, 1), (2, 12.0, 6)]


def test_runs_do_not_share_events():
    drops = pl.concat([DROPS, DROPS.with_columns(run_id=pl.lit("r2"))])
    flows = pl.concat([FLOWS, flow_table(0.06, run="r2")])
    windows = pl.concat([WINDOW, WINDOW.with_columns(run_id=pl.lit("r2"))])
    events = drop_events(drops, flows, default_gaps(flows), windows)
    assert events.filter(run_id="r1")["losses"].to_list() == [4, 1, 6]
    assert events.filter(run_id="r2")["losses"].to_list() == [1, 2, 1, 1, 6]  # a gap of 60 ms
    assert events.filter(run_id="r2")["foreground_losses"].sum() == 3  # flow 1 is its only one


def test_a_run_without_a_drop_has_no_events_and_no_bpdd():
    metrics = event_metrics(drop_events(drop_table(), FLOWS, default_gaps(FLOWS), WINDOW), FLOWS)
    row = metrics.row(0, named=True)
    assert row["n_events"] == 0
    assert [row[name] for name in ("bpdd", "p", "p_foreground", "flows_losing")] == [None] * 4


def test_the_sensitivity_has_the_default_and_the_other_gaps_once():
    table = gap_sensitivity(DROPS, FLOWS, WINDOW, [0.01, 0.18, 0.2, 2.0])
    assert table.select("gap_s", "is_default", "n_events").rows() == [
        (0.01, False, 7),
        (0.18, True, 3),
        (0.2, False, 2),
        (2.0, False, 1),
    ]
    assert table["bpdd"].to_list() == pytest.approx([11 / 7, 11 / 3, 11 / 2, 11.0])


def test_the_gap_needs_the_round_trip_times():
    flows = FLOWS.with_columns(base_rtt_s=pl.lit(None, pl.Float64))
    with pytest.raises(DataError, match=r"r1: nothing says the round-trip time of flow 1.*rtt_ms"):
        default_gaps(flows)


def test_the_gap_is_that_of_the_flows_that_are_compared():
    flows = pl.DataFrame({"run_id": "r1", "flow_id": [1, 2, 3], "base_rtt_s": [0.02, 0.04, None]})
    flows = flows.with_columns(cross_traffic=pl.col("flow_id") == 3)
    assert default_gaps(flows).rows() == [("r1", 0.04)]
    slow = flows.with_columns(pl.col("base_rtt_s").fill_null(0.2))
    assert default_gaps(slow).rows() == [("r1", 0.04)]


def test_a_run_without_a_log_of_drops_is_not_one_without_drops():
    formats = {"run_id": ["r1", "r2"], "format": ["ns2-trace", "ns2-goodput"]}
    ledger = pl.DataFrame({"entry": ["file", "file"], **formats})
    refuse_without_drops(ledger, pl.DataFrame({"run_id": ["r1"]}))
    with pytest.raises(DataError, match="r2: no log says which packets were dropped"):
        refuse_without_drops(ledger, pl.DataFrame({"run_id": ["r1", "r2"]}))


# ---- a trace of 397 lines ------------------------------------------------------------------------


def test_a_trace_worked_by_hand():
    """sack-cbr.tr: a SACK flow (1) and CBR (2) at a queue of 6 packets, base RTT 50 ms.

    Its nine drops, from the trace: TCP at 0.23788, 0.26868, 0.28532, 0.28948, 0.35108; CBR at
    0.33228, 0.38388, 0.392277, 0.475307. Only the last comes more than 50 ms after another.
    """
    trace = (ROOT / "tests/fixtures/formats/ns2-trace/sack-cbr.tr").read_bytes()
    drops = parse("ns2-trace", trace)["drop"].with_columns(run_id=pl.lit("r1"))
    flows = flow_table(0.05)
    events = drop_events(drops, flows, default_gaps(flows), WINDOW)
    assert events.select("t_start_s", "t_end_s", "losses", "foreground_losses").rows() == [
        (0.23788, 0.392277, 8, 5),
        (0.475307, 0.475307, 1, 0),
    ]
    found = event_metrics(events, flows).row(0, named=True)
    assert (found["bpdd"], found["bpdd_foreground"], found["bpdd_background"]) == (4.5, 2.5, 2.0)
    assert (found["p"], found["p_foreground"]) == (0.5, 1.0)
    # 20 ms: 0.23788 | 0.26868 0.28532 0.28948 | 0.33228 0.35108 | 0.38388 0.392277 | 0.475307
    of_20_ms = drop_events(drops, flows, gap_table(0.02), WINDOW)
    assert of_20_ms.select("losses", "foreground_losses").rows() == [
        (1, 1),
        (3, 3),
        (2, 1),
        (2, 0),
        (1, 0),
    ]


# ---- arrivals ------------------------------------------------------------------------------------


def test_cov_worked_by_hand():
    # 2, 4, 6: mean 4, sd 2; background 0, 0, 3: mean 1, sd sqrt(3)
    bins = bin_table([2, 4, 6, 8], background=[0, 0, 3, 1], first=24001)
    table = arrival_cov(bins.head(3), [])
    assert table.rows() == [(0.005, 3, 4.0, 0.5, 1.0, pytest.approx(3**0.5))]
    # in bins of 10 ms: 6, 14: mean 10, sd 4 sqrt(2); 0, 4: mean 2, sd 2 sqrt(2)
    wide = arrival_cov(bins, [0.01]).row(1)
    assert wide[:3] == (0.01, 2, 10.0)
    assert wide[3:] == (pytest.approx(0.4 * 2**0.5), 2.0, pytest.approx(2**0.5))


def test_a_last_bin_that_is_not_whole_is_left_out():
    table = arrival_cov(bin_table([1, 3, 5, 7, 100]), [0.01, 0.02, 0.05])
    assert table.select("bin_s", "n_bins", "mean_packets").rows() == [
        (0.005, 5, 23.2),
        (0.01, 2, 8.0),
        (0.02, 1, 16.0),
    ]
    assert table["cov"][2] is None  # of one bin


def test_a_width_that_no_whole_bin_has_has_no_row():
    table = arrival_cov(bin_table([1, 3, 5]), [0.01, 0.02])
    assert table["bin_s"].to_list() == [0.005, 0.01]
    assert (
        arrival_cov(bin_table([1, 3]), [0.02]).rows() == arrival_cov(bin_table([1, 3]), []).rows()
    )


def test_a_width_that_the_bins_do_not_make_up_is_refused():
    with pytest.raises(DataError, match=r"0.012 s is not a multiple of the logs' bins of 0.005 s"):
        arrival_cov(bin_table([1, 2, 3]), [0.012])


def test_a_run_without_bins_has_no_cov():
    assert arrival_cov(bin_table([]), [0.01]).is_empty()


def test_cov_is_of_the_steady_state():
    bins = bin_table([1000] * 10 + [2, 4, 6] + [1000]).with_columns(run_id=pl.lit("r1")).lazy()
    window = WINDOW.with_columns(warmup_s=pl.lit(0.05), end_s=pl.lit(0.065))
    assert arrival_covs(bins, window, []).rows() == [("r1", 0.005, 3, 4.0, 0.5, 0.0, None)]


def test_time_above_goes_to_the_nearest_event():
    events = pl.DataFrame({"event": [1, 2], "t_start_s": [0.020, 0.060], "t_end_s": [0.030, 0.065]})
    # halfway between the events: 0.045 s. Bins of 97 or more begin at 5, 20, 25, 40 and 55 ms
    queue = [50, 97, 96, 90, 97, 100, 80, 10, 97, 20, 96, 98, 0]
    found = time_above(events, bin_table([0] * 13, queue=queue), 97, 0, None)
    assert found["event"].to_list() == [1, 2]
    assert found["time_above_s"].to_list() == pytest.approx([0.020, 0.005])


def test_time_above_is_zero_where_the_queue_never_fills_and_null_without_bins():
    events = pl.DataFrame({"event": [1], "t_start_s": [0.0], "t_end_s": [0.0]})
    never = time_above(events, bin_table([0, 0], queue=3), 97, 0, None)
    assert never["time_above_s"].to_list() == [0.0]
    assert time_above(events, bin_table([]), 97, 0, None)["time_above_s"].to_list() == [None]


def test_events_are_timed_where_the_bins_cover_all_of_their_time():
    times = [1.0, 2.0, 3.0, 4.0]
    events = pl.DataFrame({"event": [1, 2, 3, 4], "t_start_s": times, "t_end_s": times})
    bins = bin_table([0] * 460, queue=99)  # to 2.3 s: the second event's time ends at 2.5 s
    found = time_above(events, bins, 97, 0.0, 5.0)["time_above_s"].to_list()
    assert found == [pytest.approx(1.5), None, None, None]
    late = bin_table([0] * 460, queue=99, first=641)  # from 3.2 to 5.5 s
    found = time_above(events, late, 97, 0.0, 5.0)["time_above_s"].to_list()
    assert found == [None, None, None, pytest.approx(2.0)]


def test_the_limit_is_the_buffer_or_the_longest_queue():
    runs = pl.DataFrame({"run_id": ["r1", "r2"], "buffer_bytes": [100_000, None]})
    nothing = runs.with_columns(buffer_packets=pl.lit(None, pl.Int64))
    flows = pl.concat([flow_table(0.1), flow_table(0.1, run="r2")])  # packets of 1000 bytes
    bins = bin_table([0, 0], queue=[80, 99]).with_columns(run_id=pl.lit("r1"))
    both = pl.concat([bins, bins.with_columns(run_id=pl.lit("r2"))]).lazy()
    assert queue_limits(nothing, flows, both).rows() == [("r1", 100.0), ("r2", 99.0)]
    longer = bins.with_columns(queue_packets=pl.lit(103)).lazy()
    assert queue_limits(nothing, flows, longer).rows() == [("r1", 103.0), ("r2", None)]
    given = runs.with_columns(buffer_packets=pl.Series([101, 120]))
    assert queue_limits(given, flows, both).rows() == [("r1", 101.0), ("r2", 120.0)]


def test_metrics_of_a_run_together():
    """Two events and a queue of 100: from drops and bins to the tables that reports read."""
    drops = drop_table((1.0, 1), (1.001, 2), (1.002, 100), (2.0, 100), (2.001, 1))
    flows = flow_table(0.045, 0.09, 0.135, 0.18)
    sizes = {"buffer_bytes": [100_000], "buffer_packets": [None]}
    runs = pl.DataFrame({"run_id": ["r1"], **sizes})
    window = WINDOW.with_columns(end_s=pl.lit(4.0))
    queue = [98 if 199 <= k < 203 or 400 <= k < 402 else 40 for k in range(800)]
    bins = bin_table([3, 5] * 400, queue=queue).with_columns(run_id=pl.lit("r1")).lazy()
    limits = queue_limits(runs, flows, bins)
    events = drop_events(drops, flows, default_gaps(flows), window)
    events = events_with_time_above(events, bins, window, limits, 0.975)
    covs = arrival_covs(bins, window, [0.01])
    row = burst_metrics(events, flows, window, limits, covs).row(0, named=True)
    assert row == {
        "run_id": "r1",
        "gap_s": 0.18,
        "window_s": 4.0,
        "n_flows": 4,
        "n_events": 2,
        "losses": 5,
        "foreground_losses": 3,
        "background_losses": 2,
        "event_interval_s": 2.0,
        "bpdd": 2.5,
        "bpdd_sd": pytest.approx(0.5**0.5),
        "bpdd_foreground": 1.5,
        "bpdd_background": 1.0,
        "p": pytest.approx((2 / 4 + 1 / 4) / 2),
        "p_foreground": pytest.approx((2 / 4 + 1 / 4) / 2),
        "flows_losing": 1.5,
        "n_events_timed": 2,
        "time_above_s": pytest.approx((4 + 2) * 0.005 / 2),
        "queue_limit_packets": 100.0,
        "bin_s": 0.005,
        "cov": pytest.approx((800 / 799) ** 0.5 / 4),
        "cov_background": None,
    }


def test_a_run_of_which_no_log_says_the_queue_keeps_its_row():
    flows = flow_table(0.1)
    events = drop_events(drop_table((1.0, 1), (2.0, 1)), flows, default_gaps(flows), WINDOW)
    events = events.with_columns(time_above_s=pl.lit(None, pl.Float64))
    limits = pl.DataFrame(schema={"run_id": pl.String, "queue_limit_packets": pl.Float64})
    covs = arrival_covs(bin_table([]).with_columns(run_id=pl.lit("r1")).lazy(), WINDOW, [0.01])
    assert covs.is_empty()
    row = burst_metrics(events, flows, WINDOW, limits, covs).row(0, named=True)
    assert (row["n_events"], row["losses"]) == (2, 2)
    assert (row["queue_limit_packets"], row["bin_s"], row["cov"]) == (None, None, None)


# ---- properties ----------------------------------------------------------------------------------

few = settings(max_examples=15)
drop_lists = st.lists(
    st.tuples(st.integers(0, 40_000).map(lambda ms: ms / 1000), st.sampled_from([1, 2, 3, 4, 100])),
    min_size=1,
    max_size=60,
)
gaps = st.sampled_from([0.001, 0.01, 0.1, 0.5, 1.0, 5.0])


@given(drop_lists, gaps)
@few
def test_events_part_the_drops(drops, gap_s):
    events = drop_events(drop_table(*drops), FLOWS, gap_table(gap_s), WINDOW)
    assert events["losses"].sum() == len(drops)
    both = events["foreground_losses"] + events["background_losses"]
    assert both.to_list() == events["losses"].to_list()
    times = sorted(t_s for t_s, _ in drops)
    for row in events.rows(named=True):
        inside = [t for t in times if row["t_start_s"] <= t <= row["t_end_s"]]
        assert len(inside) == row["losses"]
        assert all(b - a < gap_s for a, b in pairwise(inside))
    before, after = events["t_end_s"][:-1], events["t_start_s"][1:]
    assert all(b - a >= gap_s - 1e-9 for a, b in zip(before, after, strict=True))


@given(drop_lists, gaps, gaps)
@few
def test_a_larger_gap_never_gives_more_events(drops, one, other):
    n_events = [
        len(drop_events(drop_table(*drops), FLOWS, gap_table(gap_s), WINDOW))
        for gap_s in sorted([one, other])
    ]
    assert n_events[0] >= n_events[1]


@given(drop_lists, gaps)
@few
def test_bpdd_times_events_is_the_number_of_drops_and_p_is_a_share(drops, gap_s):
    events = drop_events(drop_table(*drops), FLOWS, gap_table(gap_s), WINDOW)
    found = event_metrics(events, FLOWS).row(0, named=True)
    assert found["bpdd"] * found["n_events"] == pytest.approx(len(drops))
    assert found["bpdd"] == pytest.approx(found["bpdd_foreground"] + found["bpdd_background"])
    assert 0 <= found["p"] <= 1
    if found["bpdd_foreground"]:
        assert 1 / 4 <= found["p_foreground"] <= 1
        assert found["p"] <= found["p_foreground"] + 1e-12
    else:
        assert found["p_foreground"] is None


@given(drop_lists, st.randoms(use_true_random=False))
@few
def test_the_order_of_the_drops_in_the_table_does_not_matter(drops, random):
    gap, shuffled = gap_table(0.1), random.sample(drops, len(drops))
    found = [drop_events(drop_table(*order), FLOWS, gap, WINDOW) for order in (drops, shuffled)]
    assert found[0].equals(found[1])


counts = st.lists(st.integers(0, 500), min_size=2, max_size=50)


@given(counts, st.integers(1, 50))
@few
def test_cov_does_not_change_with_scale_and_not_with_order(values, factor):
    first = arrival_cov(bin_table(values), [])["cov"][0]
    for other in ([v * factor for v in values], values[::-1]):
        assert arrival_cov(bin_table(other), [])["cov"][0] == pytest.approx(first)
    assert (first is None) == (sum(values) == 0)
    assert first is None or first >= 0


@given(counts, st.integers(1, 5))
@few
def test_wider_bins_hold_the_same_packets(values, times):
    table = arrival_cov(bin_table(values), [0.005 * times])
    if len(values) >= times:
        row = table.filter(bin_s=pl.lit(0.005 * times)).row(0, named=True)
        whole = len(values) // times * times
        assert row["n_bins"] * row["mean_packets"] == pytest.approx(sum(values[:whole]))


@given(st.lists(st.integers(0, 100), min_size=8, max_size=40), drop_lists, st.integers(0, 100))
@few
def test_the_time_above_of_all_events_is_all_of_it(queue, drops, threshold):
    early = [(t_s / 1000, flow_id) for t_s, flow_id in drops]  # within the 40 ms of eight bins
    events = drop_events(drop_table(*early), FLOWS, gap_table(0.002), WINDOW)
    found = time_above(events, bin_table([0] * len(queue), queue=queue), threshold, 0, None)
    wanted = 0.005 * sum(n >= threshold for n in queue)
    assert found["time_above_s"].null_count() == 0
    assert found["time_above_s"].sum() == pytest.approx(wanted)
