"""The steady-state window: which samples count, how many there should be, and MSER-5."""

import numpy as np
import polars as pl
import pytest
from evenflow.windows import (
    expected_samples,
    in_window,
    mser5_cutoff,
    steady_state,
    window_table,
)
from hypothesis import given
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


def expected(start_s, interval_s=1.0, duration_s=300.0, warmup_s=120.0) -> int:
    values = (pl.lit(float(v)) for v in (start_s, interval_s, duration_s, warmup_s))
    return pl.select(expected_samples(*values).alias("n"))["n"][0]


def test_181_samples_of_one_second_reports_from_120_to_300_s():
    # 'the first 119 measurements ignored': the paper's 144,800 samples are 800 x 181
    window = steady_state(samples(), runs())
    assert len(window) == 181 == expected(0)
    assert (window["t_start_s"][0], window["t_end_s"][-1]) == (119.0, 300.0)
    assert window["interval_s"].unique().to_list() == [1.0]


def test_a_flow_that_starts_between_seconds_has_its_own_grid():
    # samples 60.437 + k: the first that begins at 119 or later is k = 59, the last whole one 238
    window = steady_state(samples(60.437, 240, flow_id=2), runs())
    assert len(window) == 180 == expected(60.437)
    assert window["t_start_s"][0] == pytest.approx(119.437)
    assert window["t_end_s"][-1] == pytest.approx(299.437)


def test_samples_on_the_edges_count_despite_printed_decimals():
    nearly = samples().with_columns(pl.col("t_start_s", "t_end_s") + 4e-7)
    assert len(steady_state(nearly, runs())) == 181
    late = samples().with_columns(pl.col("t_start_s", "t_end_s") + 0.01)
    assert len(steady_state(late, runs())) == 180


def test_the_last_partial_interval_is_left_out():
    short = steady_state(samples(n=299, last_s=0.5), runs())
    assert len(short) == 180
    assert short["t_end_s"][-1] == 299.0
    # longer ones too: iperf's last interval may hold what came after the time was up
    assert len(steady_state(samples(n=298, last_s=1.5), runs())) == 179


def test_samples_after_the_end_of_the_run_are_left_out_and_without_an_end_all_count():
    assert len(steady_state(samples(n=310), runs())) == 181
    assert len(steady_state(samples(n=310), runs(end_s=None))) == 191


@pytest.mark.parametrize(
    ("interval_s", "n"), [(0.5, 361), (1.0, 181), (2.0, 91), (5.0, 37), (10.0, 19)]
)
def test_other_reporting_intervals_begin_one_interval_before_the_warmup_ends(interval_s, n):
    window = steady_state(samples(n=int(300 / interval_s), interval_s=interval_s), runs())
    assert len(window) == n == expected(0, interval_s)
    assert window["t_end_s"][0] == 120.0


def test_gaps_are_the_difference_between_expected_and_found():
    window = steady_state(samples(gaps=(10, 150, 151, 290)), runs())
    assert len(window) == 178
    assert expected(0) - len(window) == 3


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
def test_expected_counts_are_those_of_a_log_without_gaps(start_s, interval_s, warmup_s, duration_s):
    log = samples(start_s, int(400 / interval_s), interval_s)
    window = steady_state(log, runs(float(duration_s), float(warmup_s)))
    assert len(window) == expected(start_s, interval_s, duration_s, warmup_s)


# ---- which window -------------------------------------------------------------------------------


def windows_of(flows, *, duration_s=None, warmup_s=None, configured_s=120.0):
    """Choose the windows of runs given as {run: [samples of a flow, ...]}."""
    tables = [
        log.with_columns(pl.lit(run).alias("run_id"), pl.lit(i, pl.Int32).alias("flow_id"))
        for run, logs in flows.items()
        for i, log in enumerate(logs, 1)
    ]
    sample = pl.concat(tables)
    flow = sample.group_by("run_id", "flow_id").agg(pl.col("t_start_s").min().alias("start_s"))
    run = pl.DataFrame(
        [(name, duration_s, warmup_s) for name in flows],
        schema={"run_id": pl.String, "duration_s": pl.Float64, "warmup_s": pl.Float64},
        orient="row",
    )
    return {row[0]: row[1:] for row in window_table(sample, flow, run, configured_s).rows()}


def test_long_runs_have_the_configured_warmup_and_end_with_the_run():
    found = windows_of({"r": [samples(), samples(60.4, 240)]}, duration_s=300.0)
    assert found == {"r": (120.0, 300.0, "config.yaml")}


def test_the_warmup_of_dataset_yml_goes_before_all_others():
    found = windows_of({"r": [samples(n=30)]}, duration_s=30.0, warmup_s=5.0)
    assert found == {"r": (5.0, 30.0, "dataset.yml")}


def test_runs_that_are_too_short_for_the_configured_warmup_get_one_of_their_own():
    # a tenth of 30 s, in whole intervals; 240 s would be long enough
    assert windows_of({"r": [samples(n=30)]}) == {"r": (3.0, 30.0, "run length")}
    assert windows_of({"r": [samples(n=239)]})["r"][2] == "run length"
    assert windows_of({"r": [samples(n=240)]})["r"] == (120.0, 240.0, "config.yaml")


def test_a_short_warmup_counts_from_the_last_start_and_has_two_intervals_at_least():
    # flow 2 from 5 s: both run for 25 s of which a tenth is 2.5 s, three whole intervals
    both = [samples(n=30), samples(5.0, 30)]
    assert windows_of({"r": both}) == {"r": (8.0, 30.0, "run length")}
    assert windows_of({"r": [samples(n=8)]})["r"][0] == 2.0
    assert windows_of({"r": [samples(n=40, interval_s=0.5)]})["r"][0] == 2.0
    assert windows_of({"r": [samples(n=4, interval_s=5.0)]})["r"][0] == 10.0


def test_the_time_after_the_last_start_is_the_same_in_all_runs():
    found = windows_of(
        {"a": [samples(n=30)] * 2, "b": [samples(n=30), samples(4.0, 26)], "killed": [samples(n=5)]}
    )
    assert {run: window[0] for run, window in found.items()} == {"a": 3.0, "b": 7.0, "killed": 3.0}


def test_without_a_length_of_the_run_the_window_ends_with_the_first_flow_that_ends():
    apart = [samples(n=30), samples(10.0, 30)]
    assert windows_of({"r": apart})["r"][:2] == (12.0, 30.0)
    assert windows_of({"r": apart}, duration_s=40.0)["r"][1] == 40.0
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
