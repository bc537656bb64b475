"""The steady-state window: which samples count, how many there should be, and MSER-5."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from evenflow.metrics.fairness import mean_throughput
from evenflow.metrics.windows import (
    _run_extents,
    in_window,
    mser5_cutoff,
    placed_samples,
    steady_state,
    window_coverage,
    window_table,
)
from hypothesis import assume, given
from hypothesis import strategies as st


def samples(start_s=0.0, n=300, interval_s=1.0, flow_id=1, gaps=(), last_s=None):
    """Samples of one flow that reports every interval; `last_s`: length of a last, partial one."""
    rows = [(start_s + i * interval_s, start_s + (i + 1) * interval_s) for i in range(n)]
    if last_s is not None:
        rows.append((rows[-1][1], rows[-1][1] + last_s))
    rows = [row for i, row in enumerate(rows) if i not in gaps]
    return pl.DataFrame(rows, schema=["t_start_s", "t_end_s"], orient="row").with_columns(
        pl.lit("r1").alias("run_id"),
        pl.lit(flow_id, dtype=pl.Int32).alias("flow_id"),
        pl.lit(1_000_000).alias("bytes"),
        (8e6 / (pl.col("t_end_s") - pl.col("t_start_s"))).alias("throughput_bps"),
    )


def runs(end_s=300.0, warmup_s=120.0):
    return pl.DataFrame(
        {"run_id": ["r1"], "end_s": [end_s], "warmup_s": [warmup_s]},
        schema_overrides={"end_s": pl.Float64},
    )


def accounted(log, run=None) -> dict:
    """What of its window a flow covers, and what is left out: a row of `window_coverage`."""
    run = runs() if run is None else run
    return window_coverage(placed_samples(log, run), run).row(0, named=True)


def missing(log, run=None):
    return accounted(log, run)["n_missing_samples"]


def test_181_samples_of_one_second_reports_from_120_to_300_s():
    # 'the first 119 measurements ignored': the paper's 144,800 samples are 800 x 181
    window = steady_state(samples(), runs())
    assert len(window) == 181
    assert accounted(samples()) == {
        **{"run_id": "r1", "flow_id": 1, "n_before_samples": 119, "n_after_samples": 0},
        **{"n_stump_samples": 0, "n_missing_samples": 0, "coverage": 1.0},
    }
    assert (window["t_start_s"][0], window["t_end_s"][-1]) == (119.0, 300.0)
    assert window["interval_s"].unique().to_list() == [1.0]


def test_a_flow_that_starts_between_seconds_has_its_own_grid():
    # samples 60.437 + k: the first that begins at 119 or later is k = 59, the last whole one 238
    log = samples(60.437, 240, flow_id=2)
    window = steady_state(log, runs())
    assert len(window) == 180 and missing(log) == 0
    assert window["t_start_s"][0] == pytest.approx(119.437)
    assert window["t_end_s"][-1] == pytest.approx(299.437)


def test_samples_on_the_edges_count_despite_printed_decimals():
    nearly = samples().with_columns(pl.col("t_start_s", "t_end_s") + 4e-7)
    assert len(steady_state(nearly, runs())) == 181
    late = samples().with_columns(pl.col("t_start_s", "t_end_s") + 0.01)
    assert len(steady_state(late, runs())) == 180


@pytest.mark.parametrize(
    ("n", "last_s", "counts"),
    [(299, 0.49, False), (299, 0.5, True), (299, 1.0, True), (298, 1.5, True)],
)
def test_a_last_interval_of_less_than_half_is_left_out(n, last_s, counts):
    log = samples(n=n, last_s=last_s)
    window, found = steady_state(log, runs()), accounted(log)
    assert len(window) == n - 119 + counts
    assert window["t_end_s"][-1] == n + last_s * counts
    assert found["n_stump_samples"] == (not counts)
    assert found["coverage"] == pytest.approx((window["t_end_s"][-1] - 120) / 180, abs=1e-12)


def test_a_short_interval_amid_others_is_no_stump():
    log = samples(n=200, last_s=0.1)
    more = samples(start_s=200.1, n=99)
    whole = pl.concat([log, more])
    assert len(steady_state(whole, runs())) == 181
    assert accounted(whole)["n_stump_samples"] == 0


def test_a_stump_after_a_single_interval_is_one():
    # the median of the two lengths would be 5.01 s
    log = samples(n=1, interval_s=10.0, last_s=0.02)
    window = steady_state(log, runs(10.1, 0.0))
    assert window.select("t_start_s", "t_end_s", "interval_s").rows() == [(0.0, 10.0, 10.0)]


def test_samples_after_the_end_of_the_run_are_left_out_and_without_an_end_all_count():
    assert len(steady_state(samples(n=310), runs())) == 181
    assert len(steady_state(samples(n=310), runs(end_s=None))) == 191


@pytest.mark.parametrize(
    ("interval_s", "n"), [(0.5, 361), (1.0, 181), (2.0, 91), (5.0, 37), (10.0, 19)]
)
def test_other_reporting_intervals_begin_one_interval_before_the_warmup_ends(interval_s, n):
    log = samples(n=int(300 / interval_s), interval_s=interval_s)
    window = steady_state(log, runs())
    assert len(window) == n and missing(log) == 0
    assert window["t_end_s"][0] == 120.0


def test_gaps_are_the_difference_between_expected_and_found():
    holes = samples(gaps=(10, 150, 151, 290))
    window, found = steady_state(holes, runs()), accounted(holes)
    assert len(window) == 178
    assert found["n_missing_samples"] == 3
    assert found["coverage"] == pytest.approx(177 / 180, abs=1e-12)  # the first ends at 120 s


def test_a_log_that_ends_early_covers_less_and_one_that_begins_late_too():
    cut, late = accounted(samples(n=210)), accounted(samples(150.0, 150))
    assert (cut["n_missing_samples"], cut["coverage"]) == (90, 0.5)
    assert (late["n_missing_samples"], late["coverage"]) == (0, pytest.approx(150 / 180))
    gone = accounted(samples(n=100))
    assert (gone["n_missing_samples"], gone["coverage"]) == (None, 0.0)


def test_time_that_is_reported_twice_is_covered_once():
    twice = pl.concat([samples(n=250), samples(200.0, 50)]).sort("t_start_s")
    assert accounted(twice)["coverage"] == pytest.approx(130 / 180, abs=1e-12)


def test_the_window_is_each_runs_own():
    other = samples().with_columns(pl.lit("r2").alias("run_id"))
    both = pl.concat([other, samples()])
    ends = pl.DataFrame(
        {"run_id": ["r1", "r2"], "end_s": [300.0, 200.0], "warmup_s": [120.0, 20.0]}
    )
    window = steady_state(both, ends)
    assert dict(window["run_id"].value_counts().rows()) == {"r1": 181, "r2": 181}
    assert window.filter(run_id="r2")["t_start_s"][0] == 19.0


@given(
    start_s=st.integers(0, 100_000).map(lambda ms: ms / 1000),
    interval_s=st.sampled_from([0.5, 1.0, 2.0, 5.0]),
    warmup_s=st.integers(0, 300),
    duration_s=st.integers(1, 300),
)
def test_nothing_is_missing_from_a_log_without_gaps(start_s, interval_s, warmup_s, duration_s):
    log, run = (
        samples(start_s, int(400 / interval_s), interval_s),
        runs(float(duration_s), float(warmup_s)),
    )
    n = len(steady_state(log, run))
    assert missing(log, run) == (0 if n else None)
    found = accounted(log, run)
    assert n + sum(found[f"n_{p}_samples"] for p in ("before", "after", "stump")) == len(log)


# ---- means of uneven intervals ------------------------------------------------------------------

ALL = runs(None, 0.0)


def uneven(ticks, amounts):
    """Samples of one flow, one after the other: lengths in milliseconds, bytes."""
    ends = np.cumsum(ticks)
    return pl.DataFrame(
        {
            "run_id": "r1",
            "flow_id": pl.Series([1] * len(ticks), dtype=pl.Int32),
            "t_start_s": (ends - ticks) / 1000,
            "t_end_s": ends / 1000,
            "bytes": amounts,
        }
    ).with_columns(throughput_bps=8 * pl.col("bytes") / (pl.col("t_end_s") - pl.col("t_start_s")))


def mean_of(log, run=ALL):
    return mean_throughput(steady_state(log, run))["mean_throughput_bps"][0]


def came_late(ticks):
    """Say whether the last of some lengths is that of a late report, in plain Python."""
    interval = sorted(ticks)[len(ticks) // 2]
    alike = sum(10 * abs(length - interval) <= interval for length in ticks)
    return ticks[-1] > 2 * interval and 4 * alike >= 3 * len(ticks)


lengths = st.lists(st.integers(1, 20_000), min_size=2, max_size=40)


@given(lengths, st.data())
def test_the_mean_is_bytes_over_time_whatever_the_intervals(ticks, data):
    amounts = data.draw(st.lists(st.integers(0, 10**9), min_size=len(ticks), max_size=len(ticks)))
    used = len(ticks)
    if ticks[-1] < sorted(ticks)[len(ticks) // 2] / 2:
        used -= 1  # a stump
    late = came_late(ticks)
    used -= late
    wanted = Fraction(8000 * sum(amounts[:used]), sum(ticks[:used]))
    assert mean_of(uneven(ticks, amounts)) == pytest.approx(float(wanted), rel=1e-9)
    found = accounted(uneven(ticks, amounts), ALL)
    assert found["n_stump_samples"] == len(ticks) - used - late
    assert found["n_after_samples"] == late
    assert found["coverage"] == pytest.approx(sum(ticks[:used]) / sum(ticks), abs=1e-9)


@given(lengths, st.integers(0, 100_000), st.integers(0, 300_000))
def test_the_samples_of_a_window_are_those_that_the_rule_names(ticks, warmup, end):
    """The rule of docs/reference/glossary.md in whole milliseconds, in plain Python."""
    middle = sorted(ticks)[len(ticks) // 2]
    ends = np.cumsum(ticks).tolist()
    wanted = [
        b - length
        for i, (b, length) in enumerate(zip(ends, ticks, strict=True))
        if b - length >= warmup - middle and b <= end
        if i < len(ticks) - 1 or (2 * length >= middle and not came_late(ticks))
    ]
    log = uneven(ticks, [1] * len(ticks))
    found = steady_state(log, runs(end / 1000, warmup / 1000))
    assert [round(1000 * t) for t in found["t_start_s"]] == wanted


@given(lengths, st.data())
def test_splitting_an_interval_in_two_does_not_change_the_mean(ticks, data):
    ticks = [2 * t for t in ticks]
    amounts = data.draw(
        st.lists(st.integers(0, 10**9).map(lambda i: 2 * i), min_size=len(ticks),
                 max_size=len(ticks))
    )  # fmt: skip
    place = data.draw(st.integers(0, len(ticks) - 2))  # not the last: its half may be a stump
    whole = uneven(ticks, amounts)

    def halved(values):
        return [*values[:place], values[place] // 2, values[place] // 2, *values[place + 1 :]]

    parts = uneven(halved(ticks), halved(amounts))
    stumps = [accounted(log, ALL)["n_stump_samples"] for log in (whole, parts)]
    assume(stumps[0] == stumps[1])  # shorter intervals make a shorter median
    assume(came_late(ticks) == came_late(halved(ticks)))
    assert mean_of(parts) == pytest.approx(mean_of(whole), rel=1e-12)


@pytest.mark.parametrize(("last", "is_late"), [(1000, 0), (1900, 0), (2100, 1), (10_050, 1)])
def test_a_report_that_came_late_is_after_the_end(last, is_late):
    log = uneven([1000] * 10 + [last], [1_000_000] * 10 + [100])
    assert accounted(log, ALL)["n_after_samples"] == is_late
    assert len(steady_state(log, ALL)) == 11 - is_late


def test_a_long_last_report_of_a_flow_that_reports_irregularly_counts():
    ticks = [1000] * 6 + [300] * 5 + [2500]
    assert len(steady_state(uneven(ticks, [1_000_000] * 12), ALL)) == 12


def test_uneven_intervals_by_hand():
    # iperf3 on a busy host: 27 intervals of which 13 are not of 1 s
    ticks = [1000] * 14 + [1040, 960, 1120, 880, 1500, 500, 2000, 1011, 989, 1013, 987, 700, 1300]
    amounts = [1_000_000] * 14 + [250_000] * 13
    wanted = 8 * (14 * 1_000_000 + 13 * 250_000) / (14 + 14.0)
    assert mean_of(uneven(ticks, amounts)) == pytest.approx(wanted, rel=1e-9)
    assert mean_of(uneven([*ticks, 300], [*amounts, 9_999_999])) == pytest.approx(wanted, rel=1e-9)


# ---- flows that report unlike often -------------------------------------------------------------


def test_flows_that_report_unlike_often_count_over_the_same_time():
    """Before 20 s flow 1 carries 8 Mb/s and flow 2 nothing, then both carry 8 Mb/s."""
    often = samples(n=60)
    seldom = samples(n=6, interval_s=10.0).with_columns(
        bytes=pl.when(pl.col("t_start_s") < 20).then(0).otherwise(10_000_000)
    )
    flows = {"r": [often, seldom]}
    windows = windows_of(flows)
    assert windows == {"r": (20.0, 60.0, "run length")}  # two of the longer reports
    assert means_of(flows, windows) == {"r": [8e6, 8e6]}
    placed = placed_samples(sample_table(flows), runs(60.0, 20.0).with_columns(run_id=pl.lit("r")))
    first = placed.filter(pl.col("outside").is_null()).group_by("flow_id").agg(pl.min("t_start_s"))
    assert dict(first.rows()) == {1: 20.0, 2: 20.0}
    # a clock a little fast lets no report of 10 s be lost, and one of 5 s phase has no gap
    early = {"r": [often, seldom.with_columns(pl.col("t_start_s", "t_end_s") - 0.05)]}
    assert means_of(early, windows) == {"r": [8e6, 8e6]}
    later = sample_table({"r1": [often, samples(5.0, 5, 10.0)]})
    found = window_coverage(placed_samples(later, runs(60.0, 20.0)), runs(60.0, 20.0))
    assert found["n_missing_samples"].to_list() == [0, 0]
    assert found["coverage"].to_list() == [1.0, 0.75]  # 25 to 55 of 20 to 60 s


def test_a_short_run_of_flows_that_report_unlike_often_has_half_a_run_left():
    assert windows_of({"r": [samples(n=30), samples(n=3, interval_s=10.0)]})["r"][0] == 10.0
    assert windows_of({"r": [samples(n=60), samples(n=2, interval_s=30.0)]})["r"][0] == 30.0


# ---- which window -------------------------------------------------------------------------------


def sample_table(flows):
    return pl.concat(
        log.with_columns(pl.lit(run).alias("run_id"), pl.lit(i, pl.Int32).alias("flow_id"))
        for run, logs in flows.items()
        for i, log in enumerate(logs, 1)
    )


def windows_of(flows, **settings):
    """Choose the windows of runs given as {run: [samples of a flow, ...]}."""
    return {row[0]: row[1:] for row in window_table_of(flows, **settings).rows()}


def window_table_of(flows, *, duration_s=None, warmup_s=None, configured_s=120.0):
    sample = sample_table(flows)
    flow = sample.group_by("run_id", "flow_id").agg(pl.col("t_start_s").min().alias("start_s"))
    run = pl.DataFrame(
        [(name, duration_s, warmup_s) for name in flows],
        schema={"run_id": pl.String, "duration_s": pl.Float64, "warmup_s": pl.Float64},
        orient="row",
    )
    return window_table(sample, flow, run, configured_s)


def test_long_runs_have_the_configured_warmup_and_end_with_the_run():
    found = windows_of({"r": [samples(), samples(60.4, 240)]}, duration_s=300.0)
    assert found == {"r": (120.0, 300.0, "config.yaml")}


def test_a_number_over_a_windows_time_is_the_same_whatever_runs_are_read_together():
    runs = {f"r{n}": [samples(), samples(60.4, 240)] for n in range(20)}
    table = window_table_of(runs, duration_s=300.0, configured_s=119.7)
    numbers = pl.Series("number", [1e6 / (n + 3) for n in range(20)])
    found = table.with_columns(numbers).select(pl.col("number") / pl.col("warmup_s")).to_series()
    assert found.to_list() == [number / 119.7 for number in numbers]


def test_the_extents_of_runs_are_those_of_their_flows():
    """Flow 2 begins and ends later than flow 1, and flow 3 ends half a minute before both."""
    log = pl.concat([samples(), samples(60.4, 240, flow_id=2), samples(10.0, 260, flow_id=3)])
    flows = pl.DataFrame({"run_id": ["r1"] * 3, "flow_id": [1, 2, 3], "start_s": [0.0, 60.0, 12.0]})
    found = _run_extents(log, flows.with_columns(pl.col("flow_id").cast(pl.Int32)))
    times = {"log_start_s": 0.0, "last_start_s": 60.4, "first_end_s": 270.0, "common_end_s": 270.0}
    times |= {"log_end_s": pytest.approx(300.4), "interval_s": pytest.approx(1.0)}
    assert found.row(0, named=True) == {
        **{"run_id": "r1", **times, "unlike": False, "one_interval": False}
    }


@pytest.mark.parametrize(
    ("starts_s", "last_start_s"), [([0.0, 70.0], 70.0), ([80.0, 0.0], 80.0), ([None, None], 60.0)]
)
def test_all_flows_run_once_the_last_has_begun_by_its_log_or_as_it_is_said(starts_s, last_start_s):
    log = pl.concat([samples(), samples(60.0, 240, flow_id=2)])
    flows = pl.DataFrame(
        {"run_id": ["r1"] * 2, "flow_id": [1, 2], "start_s": starts_s},
        schema_overrides={"flow_id": pl.Int32, "start_s": pl.Float64},
    )
    assert _run_extents(log, flows)["last_start_s"].to_list() == [last_start_s]


def test_flows_that_end_about_together_have_their_last_end_in_common():
    """Half a reporting interval, here of a second, is no difference."""
    flows = pl.DataFrame(
        {"run_id": ["r1"] * 3, "flow_id": [1, 2, 3], "start_s": [0.0] * 3},
        schema_overrides={"flow_id": pl.Int32},
    )
    ends = [pl.concat([samples(n=10, flow_id=1), samples(0.4, 10, flow_id=2)])]
    for third_s, common_s in ((0.5, 10.5), (0.6, 10.4)):
        log = pl.concat([*ends, samples(third_s, 10, flow_id=3)])
        found = _run_extents(log, flows).row(0, named=True)
        assert (found["first_end_s"], found["common_end_s"]) == (10.0, pytest.approx(common_s))


def test_the_warmup_of_dataset_yml_goes_before_all_others():
    found = windows_of({"r": [samples(n=30)]}, duration_s=30.0, warmup_s=5.0)
    assert found == {"r": (5.0, 30.0, "dataset.yml")}


def test_runs_that_are_too_short_for_the_configured_warmup_get_one_of_their_own():
    # a tenth of 30 s, in whole intervals; 240 s would be long enough
    assert windows_of({"r": [samples(n=30)]}) == {"r": (3.0, 30.0, "run length")}
    assert windows_of({"r": [samples(n=230)]})["r"] == (23.0, 230.0, "run length")
    assert windows_of({"r": [samples(n=240)]})["r"] == (120.0, 240.0, "config.yaml")


@pytest.mark.parametrize("seconds", [10, 20, 25, 30, 45, 60, 90, 120, 240])
def test_repeats_that_end_a_little_apart_have_the_same_warmup(seconds):
    warmups = {
        windows_of({"r": [samples(0.0, seconds - 1, last_s=last_s)]})["r"][0]
        for last_s in (0.6, 0.98, 1.0, 1.03, 1.4)
    }
    assert len(warmups) == 1


def test_a_short_warmup_counts_from_the_last_start_and_has_two_intervals_at_least():
    # flow 2 from 5 s: both run for 25 s of which a tenth is 2.5 s, three whole intervals
    both = [samples(n=30), samples(5.0, 30)]
    assert windows_of({"r": both}) == {"r": (8.0, 30.0, "run length")}
    assert windows_of({"r": [samples(n=8)]})["r"][0] == 2.0
    assert windows_of({"r": [samples(n=40, interval_s=0.5)]})["r"][0] == 2.0
    assert windows_of({"r": [samples(n=4, interval_s=5.0)]})["r"][0] == 10.0


def test_a_flow_that_starts_after_the_configured_warmup_has_one_of_its_own():
    # a simulation whose flows start at 500 s: 120 s would not cut anything off
    assert windows_of({"r": [samples(500.0, 300)]})["r"] == (530.0, 800.0, "run length")


FEW_LONG = {
    "ten": [samples(n=30), samples(n=30)],
    "late": [samples(n=30), samples(4.0, 26)],
    "killed": [samples(n=5)],
    "long": [samples(n=300)],
    "five": [samples(n=6, interval_s=5.0)],
    "monitor": [samples(0.0, 1, 50.0), samples(1.0, 1, 48.0)],
    "sparse": [samples(n=2, interval_s=50.0)],
}


def test_a_run_has_its_window_from_itself_alone():
    assert windows_of(FEW_LONG) == {
        "ten": (3.0, 30.0, "run length"),
        "late": (7.0, 30.0, "run length"),
        "killed": (2.0, 5.0, "run length"),
        "long": (120.0, 300.0, "config.yaml"),
        "five": (10.0, 30.0, "run length"),
        "monitor": (0.0, 50.0, "one interval"),
        "sparse": (100.0, None, "run length"),
    }


@given(st.data())
def test_another_run_in_the_data_set_changes_no_window_and_no_mean(data):
    """Metamorphic: what a run gives does not depend on its company."""

    def drawn(name):
        flow = st.builds(
            samples,
            start_s=st.integers(0, 200).map(float),
            n=st.integers(1, 60),
            interval_s=st.sampled_from([0.1, 0.5, 1.0, 5.0, 30.0]),
            last_s=st.sampled_from([None, 0.05, 0.7]),
        )
        return {name: data.draw(st.lists(flow, min_size=1, max_size=3))}

    one, other = drawn("one"), drawn("other")
    for given_s in (None, 4.0):
        alone, beside = (windows_of(runs, warmup_s=given_s) for runs in (one, one | other))
        assert alone["one"] == beside["one"]
        assert means_of(one, alone)["one"] == means_of(one | other, beside)["one"]


def means_of(flows, windows):
    """Means of the flows of each run over these windows."""
    chosen = pl.DataFrame(
        [(run, *window[:2]) for run, window in windows.items()],
        schema={"run_id": pl.String, "warmup_s": pl.Float64, "end_s": pl.Float64},
        orient="row",
    )
    means = mean_throughput(steady_state(sample_table(flows), chosen))
    return {run: means.filter(run_id=run)["mean_throughput_bps"].to_list() for run in flows}


# ---- runs of one interval -----------------------------------------------------------------------


def test_runs_of_one_interval_count_as_a_whole():
    total = samples(1.0, 1, 50.0)
    assert windows_of({"r": [total]})["r"] == (1.0, 51.0, "one interval")
    # whatever dataset.yml says of the others: 8 MB in 50 s
    found = windows_of({"r": [total]}, warmup_s=5.0, duration_s=50.0)
    assert found["r"] == (1.0, 51.0, "one interval")
    assert means_of({"r": [total]}, found) == {"r": [8e6 / 50]}
    # beside it a flow that reports every second, over the same time; a stump is no second interval
    both = {"r": [samples(0.0, 1, 50.0, last_s=0.3), samples(n=50)]}
    assert windows_of(both)["r"] == (0.0, 50.3, "one interval")
    assert means_of(both, windows_of(both)) == {"r": [8e6 / 50, 8e6]}


def test_flows_that_one_interval_each_tells_of_one_after_the_other():
    # as FlowMonitor does of short flows; none of them is half as long as the run
    flows = {"r": [samples(float(t), 1, 20.0) for t in (0, 15, 30, 45)]}
    assert windows_of(flows)["r"] == (0.0, 65.0, "one interval")
    assert means_of(flows, windows_of(flows)) == {"r": [4e5] * 4}


def test_a_flow_that_was_cut_after_one_interval_is_no_total():
    found = windows_of({"r": [samples(n=30), samples(n=1)]})
    assert found["r"] == (2.0, None, "run length")
    # nor is a run of such flows, where something says how long it was to be
    cut = {"r": [samples(n=1), samples(n=1)]}
    assert windows_of(cut, duration_s=30.0, warmup_s=5.0)["r"] == (5.0, 30.0, "dataset.yml")
    assert windows_of(cut, duration_s=1.0)["r"] == (0.0, 1.0, "one interval")


def test_without_a_length_of_the_run_the_window_ends_with_the_first_flow_that_ends():
    apart = [samples(n=30), samples(10.0, 30)]
    assert windows_of({"r": apart})["r"][:2] == (12.0, 30.0)
    assert windows_of({"r": apart}, duration_s=40.0)["r"][1] == 40.0
    # last reports a little apart are those of one end: neither flow loses its last interval
    close = {"r": [samples(n=10, last_s=0.04), samples(n=9, last_s=1.07)]}
    assert windows_of(close)["r"][1] == 10.07
    assert windows_of({"r": [samples(n=10), samples(n=9, last_s=1.51)]})["r"][1] == 10.0
    assert means_of(close, windows_of(close))["r"][1] == pytest.approx(8e6 * 9 / 9.07)
    # half of the longest interval of the flows: of 5 s, and not of 1 s
    assert windows_of({"r": [samples(n=100), samples(2.0, 20, 5.0)]})["r"][1] == 102.0
    # a flow that ended before the other began leaves nothing to compare: the log's end
    assert windows_of({"r": [samples(n=5), samples(10.0, 30)]})["r"][1] is None


def test_runs_get_their_windows():
    chosen = pl.DataFrame(
        {"run_id": ["r1"], "warmup_s": [3.0], "end_s": [30.0], "warmup_from": ["run length"]}
    )
    run = pl.DataFrame({"run_id": ["r1"], "warmup_s": [None], "role": ["comparison"]})
    row = in_window(run, chosen).row(0, named=True)
    assert row == {"run_id": "r1", "role": "comparison", "warmup_s": 3.0, "end_s": 30.0}
    assert len(steady_state(samples(n=30), in_window(run, chosen))) == 28


# ---- MSER-5 -------------------------------------------------------------------------------------


def mser5_by_hand(x: list[float]) -> int:
    """MSER-5 from its definition (White, Cobb and Spratt 2000), in plain Python."""
    means = [sum(x[i : i + 5]) / 5 for i in range(0, len(x) - len(x) % 5, 5)]
    scores = []
    for d in range(len(means) // 2 + 1):
        rest = means[d:]
        mean = sum(rest) / len(rest)
        scores.append(sum((y - mean) ** 2 for y in rest) / len(rest) ** 2)
    return 5 * scores.index(min(scores))


@given(st.lists(st.integers(0, 1000).map(lambda i: i / 8), min_size=10, max_size=120))
def test_mser5_is_its_definition(values):
    found, wanted = mser5_cutoff(np.array(values)), mser5_by_hand(values)
    if found != wanted:  # two cut-offs may be equally good but for the last bit
        score = {
            d: np.var(batched(values)[d // 5 :]) / len(batched(values)[d // 5 :])
            for d in (found, wanted)
        }
        assert score[found] == pytest.approx(score[wanted], rel=1e-12, abs=1e-12)


def batched(values):
    n = len(values) // 5
    return np.array(values[: 5 * n]).reshape(n, 5).mean(axis=1)


@pytest.mark.parametrize("step", [0, 5, 10, 40, 45])
def test_mser5_finds_the_end_of_a_transient(step):
    signal = np.full(100, 50.0)
    signal[:step] = 10.0
    assert mser5_cutoff(signal) == step


def test_mser5_rounds_a_transient_up_to_whole_batches():
    signal = np.full(100, 50.0)
    signal[:42] = 10.0
    assert mser5_cutoff(signal) == 45


def test_mser5_never_deletes_more_than_half():
    signal = np.concatenate([np.full(90, 10.0), np.full(10, 50.0)])
    assert mser5_cutoff(signal) <= 50


def test_mser5_of_noise_about_a_level_deletes_next_to_nothing():
    signal = 50 + np.random.default_rng(1).normal(size=180)
    assert mser5_cutoff(np.concatenate([np.linspace(0, 50, 20), signal])) in range(15, 40, 5)


def test_mser5_needs_two_batches():
    with pytest.raises(ValueError, match="at least 10 samples, got 9"):
        mser5_cutoff(np.zeros(9))
