"""The sanity checks: each is shown to fire, and not to fire, on hand-made tables."""

import polars as pl
import pytest
from evenflow.checks import finding_table
from evenflow.checks.bottleneck import (
    contradicting_buffers,
    too_little_for_the_bottleneck,
    too_much_for_the_bottleneck,
)
from evenflow.checks.files import (
    coarse_logs,
    copied_logs,
    cut_values,
    identical_logs,
    idle_logs,
    left_out_runs,
    missing_repeats,
    omitted_intervals,
    rejected_lines,
    unknown_files,
    unreadable_files,
)
from evenflow.checks.finding import FINDING, apart
from evenflow.checks.intervals import (
    clock_jumps,
    late_reports,
    missing_intervals,
    overlapping_intervals,
    partial_last_intervals,
    steps_of,
    uneven_intervals,
)
from evenflow.checks.logs import (
    contradicted_ccas,
    contradicted_starts,
    disagreeing_sides,
    impossible_numbers,
    incomplete_logs,
    logs_without_a_beginning,
    rates_that_differ,
    sums_that_differ,
)
from evenflow.checks.lost_flows import listed_in_vain, missing_flows
from evenflow.checks.nru import assumed_segments, unknown_paths
from evenflow.checks.repeats import unlike_repeats
from evenflow.checks.rtts import least_rtts, rtts_below_the_base
from evenflow.checks.steadiness import (
    early_ends,
    extents_of,
    few_samples,
    mser5_at_its_limit,
    staggered_starts,
    stalled_flows,
    unsteady_runs,
)
from evenflow.checks.traces import data_both_ways
from evenflow.checks.window import (
    different_times,
    unlike_windows,
    unused_samples,
    whole_runs,
)
from evenflow.files import BROKEN_STREAM
from evenflow.formats.recognise import OF_FLOWS
from evenflow.formats.two_column import CUT
from iperf_logs import server
from pasted import analysed
from raw_data import make_dataset

DURATION = 40


def flow_samples(run_id, flow_id, start_s=0, end_s=DURATION, n_bytes=5_000_000, interval_s=1.0):
    """Return the rows of one flow that reports every interval; n_bytes a second."""
    n = round((end_s - start_s) / interval_s)
    return [
        (run_id, flow_id, start_s + i * interval_s, start_s + (i + 1) * interval_s,
         int((n_bytes(start_s + i * interval_s) if callable(n_bytes) else n_bytes) * interval_s),
         f"{run_id}/flow{flow_id}.log", i + 1)
        for i in range(n)
    ]  # fmt: skip


def sample_table(*flows):
    columns = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "path", "line"]
    kinds = [pl.String, pl.Int32, pl.Float64, pl.Float64, pl.Int64, pl.String, pl.UInt32]
    rows = [row for flow in flows for row in flow]
    table = pl.DataFrame(rows, schema=dict(zip(columns, kinds, strict=True)), orient="row")
    length = pl.col("t_end_s") - pl.col("t_start_s")
    return table.with_columns((pl.col("bytes") * 8 / length).alias("throughput_bps"))


CLEAN = sample_table(flow_samples("a/r1", 1), flow_samples("a/r1", 2))


def flow_table(sample, side="sender"):
    """Return the flows of samples; start_s is that of the first sample."""
    first = pl.col("t_start_s").min().alias("start_s")
    flow = sample.group_by("run_id", "flow_id").agg(first).sort("run_id", "flow_id")
    return flow.with_columns(side=pl.lit(side, pl.String))


def run_table(*run_ids, duration_s=float(DURATION), bottleneck_bps=100e6, warmup_s=4.0):
    return pl.DataFrame(
        [
            (r, r.rsplit("/", 1)[0], n, duration_s, bottleneck_bps, warmup_s, duration_s, "{}")
            for n, r in enumerate(run_ids, start=1)
        ],
        schema={
            "run_id": pl.String,
            "scenario_id": pl.String,
            "repeat": pl.Int32,
            "duration_s": pl.Float64,
            "bottleneck_bps": pl.Float64,
            "warmup_s": pl.Float64,
            "end_s": pl.Float64,
            "made_by": pl.String,
        },
        orient="row",
    )


def metric_table(*means, n_samples=36, zero_s=0.0, n_after=0):
    """Return flow_metric of one run whose flows have these means, Mb/s."""
    rows = [
        ("a/r1", i, None if m is None else m * 1e6, n_samples, zero_s, 4.0, n_after)
        for i, m in enumerate(means, 1)
    ]
    schema = {
        "run_id": pl.String,
        "flow_id": pl.Int32,
        "mean_throughput_bps": pl.Float64,
        "n_samples": pl.Int64,
        "zero_s": pl.Float64,
        "warmup_s": pl.Float64,
        "n_after_samples": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def window_of(run_id, from_s=4.0, to_s=float(DURATION), who="dataset.yml"):
    """Return the table `window` of one run."""
    columns = {"run_id": run_id, "warmup_s": from_s, "end_s": to_s, "warmup_from": who}
    return pl.DataFrame(columns)


def ledger_table(*rows):
    """Return a ledger of rows given as dicts; what they leave out is that of a sound file."""
    schema = {
        "entry": pl.String,
        "path": pl.String,
        "content_sha256": pl.String,
        "format": pl.String,
        "run_id": pl.String,
        "lines_sample": pl.Int64,
        "reason": pl.String,
        "line": pl.Int64,
        "text": pl.String,
    }
    usual = {"entry": "file", "format": "iperf2", "lines_sample": 40}
    return pl.DataFrame([{**dict.fromkeys(schema), **usual, **row} for row in rows], schema=schema)


NO_RUN = pl.Series([], dtype=pl.String)
SOUND = ledger_table(
    {"path": "a/r1/flow1.log", "content_sha256": "1", "run_id": "a/r1"},
    {"path": "a/r1/flow2.log", "content_sha256": "2", "run_id": "a/r1"},
)


STEADY = pl.DataFrame({"run_id": ["a/r1"], "flow_change": [1.0], "drift": [0.0]})


def words(found):
    """Return check, severity, run and flow of findings."""
    assert dict(found.schema) == FINDING
    return found.select("check", "severity", "run_id", "flow_id").rows()


def test_a_sound_data_set_has_no_finding():
    stream, summary, interval = sides()
    tables = {
        "run": run_table("a/r1"),
        "flow": flow_table(CLEAN),
        "sample": CLEAN,
        "ledger": SOUND,
        "flow_metric": metric_table(40.0, 40.0),
        "run_metric": STEADY,
        "window": window_of("a/r1"),
        "stream": stream,
        "summary": summary,
        "interval": interval,
    }
    assert finding_table(tables, 10).is_empty()
    assert dict(finding_table(tables, 10).schema) == FINDING


def test_findings_are_sorted_by_severity():
    tables = {
        "run": run_table("a/r1", bottleneck_bps=50e6),
        "flow": flow_table(CLEAN),
        "sample": sample_table([*flow_samples("a/r1", 1), ("a/r1", 1, 40, 40.2, 9, "x", 41)]),
        "ledger": SOUND,
        "flow_metric": metric_table(40.0, 40.0, zero_s=11.0),
        "run_metric": STEADY,
        "window": window_of("a/r1"),
    }
    found = finding_table(tables, 10)
    assert words(found) == [
        ("more than the bottleneck", "error", "a/r1", None),
        ("stalled flow", "warning", "a/r1", 1),
        ("stalled flow", "warning", "a/r1", 2),
        ("partial last interval", "note", "a/r1", 1),
    ]
    assert all(found["remedy"].str.len_chars() > 0)


# ---- files --------------------------------------------------------------------------------------


def test_unreadable_files_left_out_runs_and_rejected_lines():
    ledger = ledger_table(
        {"path": "a/r1/flow1.log.gz", "format": "unreadable", "run_id": "a/r1", "reason": "cut"},
        {"path": "a/r1/flow2.log", "format": "left-out", "run_id": "a/r1", "reason": "no flow 1"},
        {"path": "a/r1/flow3.log", "format": "left-out", "run_id": "a/r1", "reason": "no flow 1"},
        {"path": "notes.pdf", "format": "unknown"},
        {"entry": "line", "path": "b/f.log", "line": 9, "text": "xyz", "reason": "no shape"},
        {"entry": "line", "path": "b/f.log", "line": 7, "text": "abc", "reason": "no shape"},
    )
    assert words(unreadable_files(ledger)) == [("unreadable file", "error", "a/r1", None)]
    assert words(left_out_runs(ledger)) == [("run left out", "error", "a/r1", None)]
    assert left_out_runs(ledger)["remedy"].item().startswith("complete the run")
    why = "its run is left out: the run has no log of flow 5, which line 2 of dataset.yml names"
    without = ledger_table(
        {"path": "a/r3/flow1.log", "format": "left-out", "run_id": "a/r3", "reason": why}
    )
    assert words(left_out_runs(without)) == [("run left out", "error", "a/r3", None)]
    assert left_out_runs(without)["remedy"].item().startswith("correct the number of the flow")
    why = "its run is left out: excluded in dataset.yml: the link was down"
    excluded = ledger_table(
        {"path": "a/r2/flow1.log", "format": "left-out", "run_id": "a/r2", "reason": why}
    )
    assert words(left_out_runs(excluded)) == [("run excluded", "note", "a/r2", None)]
    assert left_out_runs(excluded)["message"].item().endswith("dataset.yml: the link was down")
    assert unknown_files(ledger)["path"].to_list() == ["notes.pdf"]
    (line,) = rejected_lines(ledger).rows(named=True)
    assert (line["path"], line["line"], line["severity"]) == ("b/f.log", 7, "warning")
    assert line["message"] == "2 lines unreadable, the first: abc (no shape)"
    checked = [unreadable_files, unknown_files, left_out_runs]
    for check in (*checked, rejected_lines):
        assert check(SOUND).is_empty()


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        (f"{BROKEN_STREAM} (Compressed file ended before ...)", "`zcat FILE.gz > FILE`"),
        ("[Errno 13] Permission denied", "chmod u+r"),
        ("the log is empty", "measure the run of an empty log again"),
    ],
)
def test_the_remedy_of_an_unreadable_file_is_that_of_its_kind(reason, remedy):
    ledger = ledger_table({"path": "flow1.log", "format": "unreadable", "reason": reason})
    (said,) = unreadable_files(ledger)["remedy"]
    assert remedy in said and ("chmod" in said) == ("chmod" in remedy)


@pytest.mark.parametrize(
    ("path", "reason", "found"),
    [
        ("a/r1/flow3.txt", f"text of netperf: {OF_FLOWS}; measure it again", "warning"),
        ("a/r9/flow3.txt", f"text of netperf: {OF_FLOWS}; measure it again", "note"),  # by itself
        ("a/r1/ping.txt", "output of ping: no log", "note"),
        ("a/r1/notes", None, "note"),
    ],
)
def test_a_flow_that_is_not_read_beside_those_of_a_run_is_a_warning(path, reason, found):
    other = ledger_table({"path": path, "format": "unknown", "lines_sample": 0, "reason": reason})
    (row,) = unknown_files(pl.concat([SOUND, other])).rows(named=True)
    assert (row["severity"], row["path"]) == (found, path)
    assert ("shares and indices lack its flow" in row["message"]) == (found == "warning")


def test_copies_of_logs_in_other_runs():
    def copied(*hashes):
        paths = ("a/r1/flow1.log", "a/r1/flow2.log", "a/r2/flow1.log", "a/r2/flow2.log")
        return ledger_table(
            *(
                {"path": p, "content_sha256": h, "run_id": p[:4]}
                for p, h in zip(paths, hashes, strict=True)
            )
        )

    assert words(identical_logs(copied("1", "2", "1", "2"))) == [
        ("identical logs", "error", "a/r2", None),
        ("identical logs", "error", "a/r2", None),
    ]
    (one,) = identical_logs(copied("1", "2", "1", "3")).rows(named=True)
    assert (one["severity"], one["path"]) == ("warning", "a/r2/flow1.log")
    assert "a/r1/flow1.log" in one["message"]
    assert identical_logs(copied("1", "2", "3", "4")).is_empty()
    (twin,) = identical_logs(copied("1", "1", "2", "3")).rows(named=True)  # flow 2 is flow 1
    assert (twin["severity"], twin["path"]) == ("error", "a/r1/flow2.log")
    assert "a/r1/flow1.log, a file of the same run" in twin["message"]
    empty = copied("1", "2", "1", "2").with_columns(lines_sample=pl.lit(0, pl.Int64))
    assert identical_logs(empty).is_empty()


@pytest.mark.parametrize(
    ("totals", "words"),
    [
        ([40, 41, 42], None),
        ([40, 41, 90], "carry 40 to 90 Mb/s together"),
        ([30, 35, 40, 46], "more with every number"),
        ([46, 40, 35, 30], "less with every number"),
        ([30, 40, 35, 46], None),
    ],
)
def test_repeats_that_may_be_of_several_settings(totals, words):
    run_ids = [f"a/r{n}" for n in range(1, len(totals) + 1)]
    means = [
        (run_id, flow_id, mbps * 1e6 / 2)
        for run_id, mbps in zip(run_ids, totals, strict=True)
        for flow_id in (1, 2)
    ]
    schema = {"run_id": pl.String, "flow_id": pl.Int32, "mean_throughput_bps": pl.Float64}
    metric = pl.DataFrame(means, schema=schema, orient="row")
    found = unlike_repeats(run_table(*run_ids), metric)["message"].to_list()
    assert len(found) == (words is not None)
    assert all(words in message and "scenario a " in message for message in found)


def test_repeats_are_compared_though_short_flows_have_no_mean():
    means = [
        (r, flow, m)
        for r, m in (("a/r1", 40e6), ("a/r2", 170e6))
        for flow, m in [(1, m), (2, None)]
    ]
    schema = {"run_id": pl.String, "flow_id": pl.Int32, "mean_throughput_bps": pl.Float64}
    metric = pl.DataFrame(means, schema=schema, orient="row")
    (message,) = unlike_repeats(run_table("a/r1", "a/r2"), metric)["message"]
    assert "carry 40 to 170 Mb/s together" in message


def test_a_last_report_that_came_late():
    late = [("a/r1", 1, 10.0, 20.05, 1_000_000, "a/r1/flow1.log", 11)]
    sample = sample_table([*flow_samples("a/r1", 1, end_s=10), *late])
    (row,) = late_reports(steps_of(sample)).rows(named=True)
    assert (row["path"], row["line"]) == ("a/r1/flow1.log", 11)
    assert late_reports(steps_of(CLEAN)).is_empty()
    one = sample_table(flow_samples("a/r1", 1, end_s=20, interval_s=20.0))
    assert late_reports(steps_of(one)).is_empty()


def test_logs_that_are_copies():
    rows = {
        "a.log": ("copy", "identical with b.log: a copy of it, not read"),
        "c.json": (
            "iperf3-json",
            "1 of its tests is in it twice, or in another log: identical",
        ),
        "d.log": ("iperf2", "header"),
    }
    columns = {"entry": ["file"] * 3, "path": [*rows], "format": [f for f, _ in rows.values()]}
    ledger = pl.DataFrame({**columns, "reason": [reason for _, reason in rows.values()]})
    assert copied_logs(ledger)["path"].to_list() == ["a.log", "c.json"]


def test_missing_repeats():
    full = [f"{s}/r{r}" for s in "abc" for r in (1, 2, 3)]
    assert missing_repeats(run_table(*full)).is_empty()
    (row,) = missing_repeats(run_table(*full[:-1])).rows(named=True)
    assert row["severity"] == "note"
    assert row["message"] == "scenario c has 2 of the 3 repeats that most have"
    assert missing_repeats(run_table("a/r1", "b/r1", "b/r2")).is_empty()  # no majority
    tied = run_table(*full[:6], "c/r1", "c/r2", "d/r1", "d/r2")
    assert set(missing_repeats(tied)["message"]) == {
        f"scenario {s} has 2 of the 3 repeats that others have" for s in "cd"
    }


# ---- labels against data ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("means", "too_much", "too_little"),
    [
        ((50.0, 52.5), True, False),
        ((50.0, 51.9), False, False),
        ((25.0, 25.1), False, False),
        ((25.0, 24.9), False, True),
        ((20.0, None), False, False),  # a flow that is not known may carry the rest
    ],
)
def test_flows_against_the_bottleneck(means, too_much, too_little):
    run, metric = run_table("a/r1"), metric_table(*means)
    assert len(too_much_for_the_bottleneck(run, metric)) == too_much
    assert len(too_little_for_the_bottleneck(run, metric, NO_RUN)) == too_little


@pytest.mark.parametrize(
    ("bottleneck_bps", "mbps", "said"),
    [
        (
            100e6,
            103.04,
            "the flows carry 103 Mb/s together, but the bottleneck was given as 100 Mb",
        ),
        (1e5, 0.104, "the flows carry 0.104 Mb/s together, but the bottleneck was given as 0.1 Mb"),
        (100e6, 49.7, "the flows carry 49.7 Mb/s together, 49.7 % of the 100 Mb/s"),
        (100e6, 20.4, "the flows carry 20.4 Mb/s together, 20 % of the 100 Mb/s"),
    ],
)
def test_what_is_found_shows_in_its_numbers(bottleneck_bps, mbps, said):
    run, metric = run_table("a/r1", bottleneck_bps=bottleneck_bps), metric_table(mbps)
    found = [
        too_much_for_the_bottleneck(run, metric),
        too_little_for_the_bottleneck(run, metric, NO_RUN),
    ]
    (message,) = pl.concat(found)["message"]
    assert message.startswith(said)


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        (1.04, 2.0, ("1", "2")),
        (9.96, 10.0, ("9.96", "10")),
        (9.996, 10.004, ("9.996", "10.004")),
        (0.5, 0.5, ("0.5", "0.5")),
        (None, 0.25, (None, "0.2")),
    ],
)
def test_two_numbers_that_differ_are_printed_apart(one, other, texts):
    table = pl.DataFrame({"one": [one], "other": [other]}, schema_overrides={"one": pl.Float64})
    assert (
        table.select(*(t.alias(str(n)) for n, t in enumerate(apart("one", "other")))).row(0)
        == texts
    )


def test_a_flow_that_goes_the_opposite_way_is_no_part_of_the_sum():
    run = run_table("a/r1")  # of 100 Mb/s
    back = pl.col("flow_id") == 2
    high, low = (
        metric_table(*means).with_columns(cross_traffic=back, opposite=back)
        for means in ((90.0, 90.0), (40.0, 90.0))
    )
    assert too_much_for_the_bottleneck(run, high).is_empty()
    assert len(too_little_for_the_bottleneck(run, low, NO_RUN)) == 1
    same_way = high.with_columns(opposite=pl.lit(False))
    assert len(too_much_for_the_bottleneck(run, same_way)) == 1


def test_udp_and_unknown_bottlenecks_are_not_judged():
    metric = metric_table(1.0, 1.0)
    udp = pl.Series(["a/r1"])
    assert too_little_for_the_bottleneck(run_table("a/r1"), metric, udp).is_empty()
    unknown = run_table("a/r1", bottleneck_bps=None)
    assert too_little_for_the_bottleneck(unknown, metric, NO_RUN).is_empty()
    assert too_much_for_the_bottleneck(unknown, metric).is_empty()


def test_the_runs_of_udp_are_those_that_the_logs_say():
    def found(protocol):
        stream, summary, interval = sides()
        tables = {
            "run": run_table("a/r1"),
            "flow": flow_table(CLEAN),
            "sample": CLEAN,
            "ledger": SOUND,
            "flow_metric": metric_table(10.0, 10.0),
            "run_metric": STEADY,
            "window": window_of("a/r1"),
            "stream": stream.with_columns(protocol=pl.lit(protocol)),
            "summary": summary,
            "interval": interval,
        }
        return finding_table(tables, 10)["check"].to_list()

    assert found("tcp") == ["less than the bottleneck"]
    assert found("udp") == []


# ---- intervals ----------------------------------------------------------------------------------

INTERVAL_CHECKS = [
    clock_jumps,
    missing_intervals,
    overlapping_intervals,
    uneven_intervals,
    partial_last_intervals,
]


def fired(sample):
    """Return the names of the interval checks that fire."""
    steps = steps_of(sample)
    return {name for check in INTERVAL_CHECKS for name in check(steps)["check"]}


def one_flow(change=lambda rows: rows):
    return sample_table(change(flow_samples("a/r1", 1)))


def test_even_intervals_are_sound_whatever_their_rounding():
    assert fired(CLEAN) == set()
    jitter = one_flow().with_columns(pl.col("t_start_s") + 0.004)
    assert fired(jitter) == set()


def test_missing_intervals():
    holes = one_flow(lambda rows: [row for row in rows if row[2] not in (5, 20, 21)])
    assert fired(holes) == {"missing intervals"}
    (row,) = missing_intervals(steps_of(holes)).rows(named=True)
    expected = "gaps between intervals: 2, the first at 5 s, together 3 s"
    assert (row["message"], row["line"]) == (expected, 7)


def test_clock_jumps_ahead():
    hole = one_flow(lambda rows: [row for row in rows if not 5 <= row[2] < 8])
    assert fired(hole) == {"clock jump"}
    (row,) = clock_jumps(steps_of(hole)).rows(named=True)
    assert row["message"].startswith("nothing is reported from 5 to 8 s")


def test_clock_jumps_back():
    twice = one_flow(lambda rows: [*rows, *((*row[:6], row[6] + 40) for row in rows[:10])])
    assert fired(twice) == {"clock jump", "overlapping intervals"}
    (row,) = clock_jumps(steps_of(twice)).rows(named=True)
    assert (row["severity"], row["line"]) == ("error", 41)


def test_overlapping_intervals():
    def shifted(rows):
        return [*rows[:10], ("a/r1", 1, 9.5, 10.5, 5, "x", 99), *rows[10:]]

    assert fired(one_flow(shifted)) == {"overlapping intervals"}
    (row,) = overlapping_intervals(steps_of(one_flow(shifted))).rows(named=True)
    assert row["message"].startswith("intervals that begin before the one before has ended: 2")


def test_uneven_intervals_and_a_partial_last_one():
    def merged(rows):  # one interval of two seconds
        return [*rows[:10], (*rows[10][:3], 12.0, *rows[10][4:]), *rows[12:]]

    assert fired(one_flow(merged)) == {"uneven intervals"}
    last = one_flow(lambda rows: [*rows, ("a/r1", 1, 40.0, 40.26, 5, "x", 41)])
    assert fired(last) == {"partial last interval"}
    (row,) = partial_last_intervals(steps_of(last)).rows(named=True)
    expected = (
        "the last interval is 0.26 s long, less than half of 1 s; it is left out of the means"
    )
    assert (row["message"], row["line"]) == (expected, 41)
    # one that is half as long or longer counts, and is nothing to speak of
    assert fired(one_flow(lambda rows: [*rows, ("a/r1", 1, 40.0, 40.6, 5, "x", 41)])) == set()
    (row,) = uneven_intervals(steps_of(one_flow(merged))).rows(named=True)
    assert row["severity"] == "note" and "each counts in the means by its length" in row["message"]


# ---- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start_s", "end_s", "severity"),
    [(0, 40, None), (19, 40, None), (21, 40, "warning"), (30, 70, "warning"), (40, 80, "error")],
)
def test_staggered_flows(start_s, end_s, severity):
    sample = sample_table(flow_samples("a/r1", 1), flow_samples("a/r1", 2, start_s, end_s))
    found = staggered_starts(extents_of(flow_table(sample), sample))
    assert found["severity"].to_list() == ([severity] if severity else [])
    if severity == "warning":
        assert f"only from {start_s} to 40 s" in found["message"][0]


def test_a_flow_that_reports_zeros_before_it_starts_counts_from_its_start():
    flow = flow_table(CLEAN).with_columns(
        start_s=pl.when(pl.col("flow_id") == 2).then(30.0).otherwise(0.0)
    )
    assert len(staggered_starts(extents_of(flow, CLEAN))) == 1
    alone = sample_table(flow_samples("a/r1", 1))
    assert staggered_starts(extents_of(flow.head(1), alone)).is_empty()


UNPLANNED = pl.DataFrame(schema={"run_id": pl.String, "protocol": pl.String})


@pytest.mark.parametrize(("end_s", "n"), [(40, 0), (38, 0), (37, 1), (3, 1)])
def test_logs_that_end_before_the_run(end_s, n):
    sample = sample_table(flow_samples("a/r1", 1), flow_samples("a/r1", 2, 0, end_s))
    found = early_ends(run_table("a/r1"), extents_of(flow_table(sample), sample), UNPLANNED)
    assert words(found) == [("log ends early", "warning", "a/r1", 2)] * n


@pytest.mark.parametrize(("end_s", "n"), [(25, 0), (15, 1)])
def test_without_a_duration_a_log_is_compared_with_the_others(end_s, n):
    logs = [flow_samples("a/r1", i) for i in (1, 2, 3)]
    sample = sample_table(*logs, flow_samples("a/r1", 4, 0, end_s))
    extents = extents_of(flow_table(sample), sample)
    found = early_ends(run_table("a/r1", duration_s=None), extents, UNPLANNED)
    assert found["flow_id"].to_list() == [4] * n
    if n:
        expected = "its log ends at 15 s, 15 s after the flow began; "
        expected += "most flows of its scenario ran for 40 s"
        assert found["message"][0] == expected


def test_a_short_run_of_another_scenario_does_not_end_early():
    runs = run_table("a/r1", "a/r2", "b/r1", duration_s=None)
    logs = [flow_samples(run, 1) for run in ("a/r1", "a/r2")]
    sample = sample_table(*logs, flow_samples("b/r1", 1, 0, 5))
    assert early_ends(runs, extents_of(flow_table(sample), sample), UNPLANNED).is_empty()


@pytest.mark.parametrize(("planned_s", "n"), [(10.0, 0), (12.0, 0), (13.0, 1), (None, 1)])
@pytest.mark.parametrize("duration_s", [40.0, None])
def test_a_short_flow_that_ran_as_long_as_planned_does_not_end_early(duration_s, planned_s, n):
    """From 20 s on, beside others of 40 s."""
    logs = [flow_samples("a/r1", i) for i in (1, 3)]
    sample = sample_table(*logs, flow_samples("a/r1", 2, 20, 30))
    stream = pl.DataFrame(
        [("a/r1", 1, 40.0), ("a/r1", 2, None), ("a/r1", 2, planned_s)],
        schema={"run_id": pl.String, "flow_id": pl.Int32, "planned_s": pl.Float64},
        orient="row",
    )
    extents = extents_of(flow_table(sample), sample)
    found = early_ends(run_table("a/r1", duration_s=duration_s), extents, stream)
    assert found["flow_id"].to_list() == [2] * n


def test_a_run_whose_flows_all_end_as_planned_is_shorter_than_it_is_said():
    sample = sample_table(flow_samples("a/r1", 1, 0, 15), flow_samples("a/r1", 2, 10, 20))
    stream = pl.DataFrame({"run_id": ["a/r1"] * 2, "flow_id": [1, 2], "planned_s": [15.0, 10.0]})
    stream = stream.cast({"flow_id": pl.Int32})
    found = early_ends(run_table("a/r1"), extents_of(flow_table(sample), sample), stream)
    assert words(found) == [("run shorter than duration_s", "warning", "a/r1", None)]
    said = "its flows end as planned, the last at 20 s, but duration_s is 40 s"
    assert found["message"].to_list() == [said]


def streams_of(*rows):
    """Return the table `stream`, and reports, of the logs of run a/r1: flow, side, end, planned."""
    columns = ["flow_id", "side", "t_end_s", "planned_s"]
    table = pl.DataFrame(rows, schema=columns, orient="row").with_row_index("file_id")
    table = table.with_columns(
        pl.col("flow_id").cast(pl.Int32), stream=0, t_start_s=0.0, run_id=pl.lit("a/r1")
    )
    return table, table.select("file_id", "stream", "t_start_s", "t_end_s")


@pytest.mark.parametrize(
    ("flows", "streams", "said"),
    [
        ([(0, 42), (0, 40)], [], None),
        ([(0, 60), (0, 40)], [], "20 of the 60 samples of 1 flow lie after"),
        ([(0, 60), (0, 80)], [], "60 of the 140 samples of 2 flows lie after"),
        ([(0, 40), (30, 70)], [], None),  # a flow that starts later ends later
        ([(0, 40), (30, 90)], [], "50 of the 60 samples of 1 flow lie after"),
        ([(0, 60)], [(1, "sender", 60.0, 60.0)], "20 of the 60 samples of 1 flow lie after"),
        ([(0, 60)], [(1, "sender", 60.0, 40.0)], None),  # as planned, and buffers to empty
        ([(0, 60)], [(1, "receiver", 60.0, None), (1, "sender", 40.5, None)], None),
    ],
)
def test_samples_after_the_end_of_a_run_are_counted(flows, streams, said):
    logs = [flow_samples("a/r1", n, *span) for n, span in enumerate(flows, start=1)]
    sample = sample_table(*logs)
    tables = streams_of(*streams) if streams else ()
    found = unused_samples(run_table("a/r1"), sample, *tables)
    assert [message.startswith(said) for message in found["message"]] == [True] * bool(said)
    recorded = run_table("a/r1").with_columns(made_by=pl.lit('{"command": "x"}'))
    assert unused_samples(recorded, sample, *tables).is_empty()
    unknown = run_table("a/r1", duration_s=None)
    assert unused_samples(unknown, sample, *tables).is_empty()


@pytest.mark.parametrize(("n", "severity"), [(0, "error"), (9, "warning"), (10, None)])
def test_few_samples(n, severity):
    metric = metric_table(None if n == 0 else 40.0, n_samples=n)
    found = few_samples(metric, window_of("a/r1"), run_table("a/r1"))
    assert found["severity"].to_list() == ([severity] if severity else [])


def test_one_sample_is_one():
    metric = metric_table(40.0, n_samples=1)
    (message,) = few_samples(metric, window_of("a/r1"), run_table("a/r1"))["message"]
    assert message.startswith("its mean is over 1 sample, from")


@pytest.mark.parametrize("n", [0, 9])
@pytest.mark.parametrize(
    ("n_after", "duration_s", "said"),
    [(0, 40.0, "measure"), (20, None, "measure"), (20, 40.0, "correct duration_s")],
)
def test_nobody_is_told_to_measure_longer_where_samples_are_cut_off(n, n_after, duration_s, said):
    metric = metric_table(40.0, n_samples=n, n_after=n_after)
    run = run_table("a/r1", duration_s=duration_s)
    (row,) = few_samples(metric, window_of("a/r1"), run).rows(named=True)
    assert row["remedy"].startswith(said)
    assert ("20 samples after the end of the run are not used" in row["message"]) is (
        said != "measure"
    )


def test_a_run_that_counts_as_a_whole_is_named_once():
    window = window_of("a/r1", who="one interval")
    metric = metric_table(40.0, 40.0, n_samples=1)
    assert few_samples(metric, window, run_table("a/r1")).is_empty()
    assert words(whole_runs(window)) == [("no steady state, one interval", "warning", "a/r1", None)]
    assert whole_runs(window_of("a/r1")).is_empty()


@pytest.mark.parametrize(
    ("second", "fires"),
    [
        ({"to_s": 40.0}, False),
        ({"to_s": 22.0}, False),
        ({"to_s": 21.0}, True),  # 17 of 36 s
        ({"from_s": 0.0, "who": "one interval"}, True),
    ],
)
def test_repeats_of_unlike_windows(second, fires):
    window = pl.concat([window_of("a/r1"), window_of("a/r2", **second), window_of("b/r1")])
    found = unlike_windows(run_table("a/r1", "a/r2", "b/r1"), window)
    assert len(found) == fires
    if fires:
        assert found["message"][0].startswith("the repeats of scenario a count over ")
        assert ("1 of 2 over the whole run" in found["message"][0]) == ("who" in second)


@pytest.mark.parametrize(
    ("second", "times"),
    [
        ({"interval_s": 10.0}, None),  # from 10 to 40 s both
        ({"start_s": 0.6, "end_s": 39.6}, None),  # reports of a second at other fractions of it
        (
            {"interval_s": 10.0, "start_s": 3, "end_s": 33},
            "flow 1 from 10 to 40 s, flow 2 from 13 to 33 s",
        ),
        ({"end_s": 30}, "flow 1 from 9 to 40 s, flow 2 from 9 to 30 s"),
        ({"start_s": 38, "end_s": 40}, "flow 1 from 9 to 40 s, flow 2 from 38 to 40 s"),
        ({"end_s": 8}, None),  # it has no mean at all
    ],
)
def test_flows_that_are_averaged_over_different_times_are_named_with_these(second, times):
    sample = sample_table(flow_samples("a/r1", 1), flow_samples("a/r1", 2, **second))
    found = different_times(run_table("a/r1", warmup_s=10.0), flow_table(sample), sample)
    assert found["message"].to_list() == (
        [f"its flows are averaged over different times: {times}"] if times else []
    )


def test_of_many_flows_those_with_the_shortest_times_are_named():
    flows = [flow_samples("a/r1", n, end_s=20 + 2 * n) for n in range(1, 11)]
    sample = sample_table(*flows)
    (row,) = different_times(run_table("a/r1"), flow_table(sample), sample)["message"]
    assert row.endswith("flow 1 from 3 to 22 s, flow 2 from 3 to 24 s, flow 3 from 3 to 26 s, "
                        "flow 4 from 3 to 28 s, ...")  # fmt: skip


def test_data_that_goes_back_in_acknowledgements_of_ns2_is_named():
    reason = "1,200 acknowledgements that carry data, 1.2 MB: they are not counted; a blank line"
    ledger = ledger_table({"path": "a/r1.tr", "reason": reason, "run_id": "a"})
    (found,) = data_both_ways(ledger)["message"]
    assert found.endswith("no table has 1,200 acknowledgements that carry data, 1.2 MB")
    assert data_both_ways(SOUND).is_empty()


def test_intervals_that_iperf3_omits_are_named():
    reason = "a blank line; omitted from the test (-O); sums up a stream"
    ledger = ledger_table({"path": "a/r1.log", "reason": reason, "run_id": "a"})
    assert words(omitted_intervals(ledger)) == [("omitted intervals", "note", "a", None)]
    assert omitted_intervals(SOUND).is_empty()


@pytest.mark.parametrize(
    ("least_ms", "base_ms", "platform", "found"),
    [
        (22, 200, "testbed", True),
        (22, 20, "testbed", False),  # a queue adds to it
        (19, 20, "testbed", False),  # rounded, or measured otherwise
        (0.2, 1, "testbed", False),  # by less than a millisecond
        (40, 45, "ns2", False),  # a tick of its clock
        (40, 45, "testbed", True),
        (40, 60, "ns2", True),
    ],
)
def test_a_flow_that_measured_less_than_its_base_rtt_is_named(least_ms, base_ms, platform, found):
    flow = pl.DataFrame({"run_id": ["a"], "flow_id": [1], "base_rtt_s": [base_ms / 1e3]})
    run = pl.DataFrame({"run_id": ["a"], "platform": [platform]})
    sample = pl.DataFrame({"run_id": ["a"] * 3, "flow_id": [1] * 3, "rtt_s": [0.0, 0.5, None]})
    state = pl.LazyFrame(
        {
            "run_id": ["a"] * 3,
            "flow_id": [1] * 3,
            "variable": ["srtt_s", "rttvar_s", "srtt_s"],
            "value": [least_ms / 1e3, 0.0001, 0.9],
        }
    )
    rows = rtts_below_the_base(run, flow, least_rtts(sample, state))
    assert len(rows) == found
    if found:
        assert words(rows) == [("RTT below the base RTT", "warning", "a", 1)]
        assert f"an RTT of {least_ms} ms, but" in rows["message"][0]
    of_samples = sample.with_columns(rtt_s=pl.lit(least_ms / 1e3))
    assert rtts_below_the_base(run, flow, least_rtts(of_samples)).equals(rows)


def test_a_last_value_that_may_be_cut_is_named():
    ledger = ledger_table({"path": "a/rate.txt", "reason": f"a header; {CUT}", "run_id": "a"})
    assert words(cut_values(ledger)) == [("last value", "note", "a", None)]
    assert cut_values(SOUND).is_empty()


def test_a_log_of_which_f_leaves_a_digit_is_named():
    ledger = ledger_table(
        {"path": "a/r1.log", "reason": "-f rounded the flow to a digit: x", "run_id": "a"}
    )
    assert words(coarse_logs(ledger)) == [("coarse numbers", "warning", "a", None)]
    assert coarse_logs(SOUND).is_empty()


def test_stalled_flows():
    stalled = metric_table(1.0, 40.0, zero_s=10.5)
    extents = extents_of(flow_table(CLEAN), CLEAN)
    assert len(stalled_flows(stalled, 10, extents)) == 2
    assert stalled_flows(stalled, 11, extents).is_empty()
    (row,) = stalled_flows(metric_table(0.0, zero_s=5.0), 10, extents).rows(named=True)
    assert row["message"] == "carried nothing at all in the steady state"


@pytest.mark.parametrize(
    ("mss_bytes", "nru_db", "n_floored", "n"),
    [(None, -1.2, 3, 1), (1448, -1.2, 3, 0), (None, -1.2, 0, 0), (None, None, 3, 0)],
)
def test_a_floor_of_a_segment_that_nobody_names_is_said(mss_bytes, nru_db, n_floored, n):
    """Of a flow without an NRU, or whose samples are all above the floor, it says nothing."""
    flow = flow_table(CLEAN).with_columns(mss_bytes=pl.lit(mss_bytes, pl.Int32))
    of_nru = {"flow_nru_db": pl.lit(nru_db, pl.Float64), "n_floored_samples": pl.lit(n_floored)}
    found = assumed_segments(flow, metric_table(1.0).with_columns(**of_nru))
    assert len(found) == n
    if n:
        assert found["message"][0] == (
            "mss_bytes is not known: the floor of the NRU, which counts in 3 samples of 1 flow, is "
            "of a segment of 1448 bytes"
        )


@pytest.mark.parametrize(
    ("buffers", "nru_db", "said"),
    [
        ((0.5, 0.5, 0.5), 0.0, None),
        ((None, None, None), 0.0, ("note", "no run says the buffer as a part of the BDP")),
        ((None, None, None), None, None),  # other congestion controls: there is no NRU anyway
        ((0.5, 0.5, None), None, ("warning", "1 run without the buffer as a part of the BDP")),
    ],
)
def test_a_path_that_is_not_known_is_named_where_there_are_calibrations(buffers, nru_db, said):
    roles = ["calibration", "comparison", "comparison"]
    run = pl.DataFrame({"run_id": ["c", "x", "y"], "role": roles}).with_columns(
        bottleneck_bps=1e7,
        base_rtt_s=0.1,
        buffer_bdp=pl.Series(buffers, dtype=pl.Float64),
        buffer_bytes=None,
        buffer_packets=None,
    )
    flow = run.select("run_id", "base_rtt_s", flow_id=pl.lit(1))
    metric = pl.DataFrame({"flow_nru_db": [nru_db]}, schema={"flow_nru_db": pl.Float64})
    found = unknown_paths(run, flow, metric).rows(named=True)
    assert [(row["severity"], row["message"].partition(" (")[0]) for row in found] == [said] * (
        said is not None
    )


def test_a_buffer_in_bytes_without_an_rtt_is_named():
    roles = ["calibration", "comparison"]
    run = pl.DataFrame({"run_id": ["c", "x"], "role": roles, "buffer_bytes": [1000, 2000]})
    unknown = pl.lit(None, pl.Float64)
    run = run.with_columns(bottleneck_bps=1e7, base_rtt_s=unknown, buffer_bdp=unknown)
    run = run.with_columns(buffer_packets=None)
    flow = run.select("run_id", "base_rtt_s", flow_id=pl.lit(1))
    (message,) = unknown_paths(run, flow, pl.DataFrame({"flow_nru_db": [None]}))["message"]
    assert message.startswith("2 runs without the buffer as a part of the BDP")
    assert "in other units only" in message


OVER_TIME = {  # bytes of each second, from which side: whether it stalls
    "writes in bursts": ([1_500_000, 0, 0, 0, 0] * 8, "sender", False),
    "bursts at the receiver": ([1_500_000, 0, 0, 0, 0] * 8, "receiver", True),
    "bursts, then nothing": ([1_500_000, 0, 0, 0, 0] * 4 + [0] * 20, "sender", True),
    "a burst, then a trickle": ([9_000_000] + [0] * 19 + [10_000] * 20, "sender", True),
    "a stop in a steady flow": ([300_000] * 20 + [0] * 19 + [300_000], "sender", True),
}


@pytest.mark.parametrize("case", OVER_TIME)
def test_a_sender_s_log_of_bursts_is_no_stalled_flow(case):
    sent, side, stalls = OVER_TIME[case]
    rows = [("a/r1", 1, float(t), t + 1.0, n, "a/r1.log", t + 1) for t, n in enumerate(sent)]
    sample = sample_table(rows)
    metric = metric_table(sum(sent) * 8 / 40e6, zero_s=float(sent.count(0)))
    found = stalled_flows(metric, 10, extents_of(flow_table(sample, side), sample))
    assert found.is_empty() != stalls


def noisy(level):
    """Return bytes a second about level(t), with a fixed pattern of noise without period 5."""
    return lambda t: int(1e6 * level(t) * (1 + 0.02 * ((7 * int(t)) % 11 - 5) / 5))


@pytest.mark.parametrize(
    ("level", "found"),
    [
        (lambda t: 5, False),
        (lambda t: 1 if t < 10 else 5, False),  # a transient at the beginning, cut off by 12 s
        (lambda t: 1 + t / 8, True),  # rises all the time
        (lambda t: 5 if t >= 20 else 3 if t % 2 else 7, True),  # swings by half of it, then steady
    ],
)
def test_mser5_would_cut_off_half_of_flows_that_do_not_settle(level, found):
    sample = sample_table(flow_samples("a/r1", 1, n_bytes=noisy(level)))
    run = run_table("a/r1", warmup_s=12.0)
    assert len(mser5_at_its_limit(run, flow_table(sample), sample)) == found


def test_short_logs_are_not_judged_by_mser5():
    sample = sample_table(flow_samples("a/r1", 1, end_s=15, n_bytes=noisy(lambda t: 1 + t)))
    run = run_table("a/r1", duration_s=15.0)
    assert mser5_at_its_limit(run, flow_table(sample), sample).is_empty()


def steadiness(*rows):
    """Return run_metric of runs: flow_change, drift."""
    return pl.DataFrame(
        [(f"r{n}", *row) for n, row in enumerate(rows)],
        schema={"run_id": pl.String, "flow_change": pl.Float64, "drift": pl.Float64},
        orient="row",
    )


def test_runs_that_are_not_steady_are_one_finding_with_counts():
    """A starved flow that falls to a third, a share that moves, a steady run, one of one flow."""
    run_metric = steadiness((3.0, 0.02), (1.4, 0.2), (1.4, 0.1), (1.1, None), (None, None))
    at_limit = steadiness((1.0, 0.0)).select("run_id", flow_id=pl.lit(1, pl.Int32))
    (row,) = unsteady_runs(run_metric, at_limit).rows(named=True)
    assert (row["check"], row["severity"], row["run_id"]) == ("no steady state", "warning", None)
    assert row["message"] == (
        "2 of 4 runs are not steady: from one half of the steady state to the other a flow's "
        "throughput changes by more than a factor of 1.5 (1), or its share by more than 10 points "
        "(1); MSER-5 would cut off half of 1 flow"
    )
    assert unsteady_runs(steadiness((1.5, 0.1), (None, None)), at_limit).is_empty()


def test_flows_that_mser5_would_cut_are_counted_and_not_listed():
    sample = sample_table(flow_samples("a/r1", 1, n_bytes=noisy(lambda t: 1 + t / 8)))
    tables = {
        "run": run_table("a/r1", warmup_s=12.0),
        "flow": flow_table(sample),
        "sample": sample,
        "ledger": SOUND,
        "flow_metric": metric_table(40.0),
        "run_metric": steadiness((2.0, None)),
        "window": window_of("a/r1"),
    }
    found = finding_table(tables, 10)
    assert "MSER-5" not in found["check"].to_list()
    (message,) = found.filter(check="no steady state")["message"]
    assert message.startswith("1 of 1 run is not steady")
    assert message.endswith("MSER-5 would cut off half of 1 flow")


# ---- what a log says of itself ------------------------------------------------------------------


def sides(server=200_000_000, client=200_000_000, complete=(True, True), interval_bytes=None):
    """Return stream, summary and interval of one flow: its server's log (0) and client's (1)."""
    stream = pl.DataFrame(
        {
            "file_id": [0, 1],
            "stream": ["1", "1"],
            "path": ["a/r1/server.log", "a/r1/client.log"],
            "line": [5, 6],
            "protocol": ["tcp", "tcp"],
            "side": ["receiver", "sender"],
            "complete": complete,
            "run_id": ["a/r1"] * 2,
            "flow_id": [1, 1],
            "counts": [True, False],
            "planned_s": [60.0, 60.0],
            "episode": [1, 1],
            "local": ["10.0.0.2:5201", "10.0.0.1:40000"],
            "peer": ["10.0.0.1:40000", "10.0.0.2:5201"],
        },
        schema_overrides={"flow_id": pl.Int32},
    )
    summary = pl.DataFrame(
        {
            "file_id": [0, 1],
            "line": [50, 60],
            "stream": ["1", "1"],
            "side": [None, "sender"],
            "t_start_s": [0.0, 0.0],
            "t_end_s": [40.0, 40.0],
            "bytes": [server, client],
        }
    )
    each = (interval_bytes or server) // 40
    interval = pl.DataFrame(
        [(0, t + 1, "1", float(t), t + 1.0, each, each * 8.0) for t in range(40)],
        schema=["file_id", "line", "stream", "t_start_s", "t_end_s", "bytes", "throughput_bps"],
        orient="row",
    )
    return stream, summary, interval


@pytest.mark.parametrize(
    ("format_name", "times", "n"),
    [("iperf2", 10, 1), ("iperf2", 0.1, 1), ("iperf2", 1.5, 0), ("iperf3", 8, 1),
     ("iperf2-csv", 10, 1), ("iperf3-json", 1.01, 0), ("iperf3-json", 1.05, 1), ("flent", 10, 0)],
)  # fmt: skip
def test_rates_that_are_not_the_bytes_over_the_interval(format_name, times, n):
    stream, _, interval = sides()
    stream = stream.with_columns(path=pl.lit("a.log"))
    ledger = pl.DataFrame({"entry": ["file"], "path": ["a.log"], "format": [format_name]})
    wrong = interval.with_columns(
        throughput_bps=pl.when(pl.col("t_start_s") == 7)
        .then(pl.col("throughput_bps") * times)
        .otherwise("throughput_bps")
    )
    found = rates_that_differ(stream, wrong, ledger)
    assert found["line"].to_list() == [8] * n


@pytest.mark.parametrize(
    ("format_name", "begin_s", "n"),
    [("iperf3", 0, 0), ("iperf3", 2, 0), ("iperf3", 3, 1), ("ns2-trace", 3, 0)],
)
def test_a_log_of_iperf_that_does_not_begin_at_0_has_lost_its_beginning(format_name, begin_s, n):
    stream, _, interval = sides()
    stream = stream.with_columns(path=pl.lit("a.log"), counts=pl.col("side") == "receiver")
    ledger = pl.DataFrame({"entry": ["file"], "path": ["a.log"], "format": [format_name]})
    left = interval.filter(pl.col("t_start_s") >= begin_s)
    found = logs_without_a_beginning(stream, left, ledger)
    said = f"its first report begins at {begin_s} s: the log has lost its beginning"
    assert found.select("line", "message").rows() == [(begin_s + 1, said)] * n


def test_the_two_parts_of_a_rotated_log_are_named(tmp_path):
    lines = server(2, [1], 40).splitlines(keepends=True)
    rotated = next(i for i, line in enumerate(lines) if b" 20.0000-21.0000 " in line)
    parts = {"server.log.1": lines[:rotated], "server.log": lines[rotated:]}
    logs = {path: b"".join(part) for path, part in parts.items()}
    found = analysed(make_dataset(tmp_path, logs, ""))["finding"]
    checks = dict(found.drop_nulls("path").select("path", "check").rows())
    assert checks["server.log"] == "log without a beginning"
    assert checks["server.log.1"] == "log without a final report"


@pytest.mark.parametrize(
    ("column", "said"),
    [("bytes", "bytes"), ("throughput_bps", "rates"), ("rtt_s", "round-trip times"),
     ("cwnd_bytes", "windows"), ("retransmits", "retransmits"), ("packets", "packets"),
     ("jitter_s", "jitter")],
)  # fmt: skip
def test_numbers_below_zero_are_named_with_their_first_line(column, said):
    stream, summary, interval = sides()
    interval = interval.with_columns(**{column: pl.lit(1.0)})
    assert impossible_numbers(stream, summary, interval).is_empty()
    below = pl.when(pl.col("t_start_s") >= 38).then(-5.0).otherwise(column).alias(column)
    found = impossible_numbers(stream, summary, interval.with_columns(below))
    assert found.select("severity", "path", "line").rows() == [("error", "a/r1/server.log", 39)]
    assert found["message"].to_list() == [f"{said} below zero: 2, the first -5.0"]
    if column in summary.columns:
        lost = summary.with_columns(pl.lit(-5).alias(column))
        assert len(impossible_numbers(stream, lost, interval)) == 2  # of both sides' reports


@pytest.mark.parametrize(("client", "n"), [(203_000_000, 0), (205_000_000, 1), (190_000_000, 1)])
def test_client_and_server_disagree(client, n):
    stream, summary, _ = sides(client=client)
    assert len(disagreeing_sides(stream, summary)) == n


def test_what_falls_between_two_reports_of_a_slow_flow_is_no_difference():
    stream, summary, interval = sides(server=2_100_000, client=2_230_000, interval_bytes=1_970_000)
    assert disagreeing_sides(stream, summary).is_empty()
    assert sums_that_differ(stream, summary, interval).is_empty()


def test_one_side_alone_cannot_disagree():
    stream, summary, _ = sides(client=1)
    assert disagreeing_sides(stream[:1], summary[:1]).is_empty()


@pytest.mark.parametrize(("total", "n"), [(199_000_000, 0), (197_000_000, 1), (203_000_000, 1)])
def test_intervals_against_the_final_report(total, n):
    found = sums_that_differ(*sides(interval_bytes=total))
    assert found.select("path", "line").rows() == [("a/r1/server.log", 50)] * n


def test_intervals_that_do_not_cover_the_report_are_not_compared_with_it():
    stream, summary, interval = sides()
    assert sums_that_differ(stream, summary, interval[:20]).is_empty()


@pytest.mark.parametrize(
    ("complete", "format_name", "runs"),
    [
        ((True, True), "iperf2", []),
        ((False, False), "iperf2", []),  # its CSV has no final report of some ends
        ((False, True), "iperf2", ["a/r1"]),
        ((False, False), "iperf3", ["a/r1"] * 2),
    ],
)
def test_logs_without_a_final_report(complete, format_name, runs):
    stream = sides(complete=complete)[0].with_columns(counts=pl.lit(True))
    error = "a message; an error of iperf3: control socket has closed unexpectedly; sums"
    files = [{"path": p, "format": format_name, "reason": error} for p in stream["path"].unique()]
    ledger = pl.DataFrame([{"entry": "file", **file} for file in files])
    extents = extents_of(flow_table(CLEAN), CLEAN)
    found = incomplete_logs(stream, ledger, extents)
    assert found["run_id"].to_list() == runs
    assert all(
        message.endswith(": control socket has closed unexpectedly; its log ends at 40 s of 60 s")
        for message in found["message"]
    )
    # what does not count is not judged
    uncounted = stream.with_columns(counts=pl.lit(False))
    assert incomplete_logs(uncounted, ledger, extents).is_empty()


def test_a_log_without_a_flow_is_named():
    files = [
        # a connection that failed; a log of a flow; the queue monitor of a run
        {"path": "failed.json", "format": "iperf3-json", "run_id": None, "lines_sample": 0},
        {"path": "flow.json", "format": "iperf3-json", "run_id": "r1", "lines_sample": 9},
        {"path": "several.log", "format": "iperf2", "run_id": None, "lines_sample": 9},
        {"path": "notes.txt", "format": "unknown", "run_id": None, "lines_sample": 0},
    ]
    rows = [{"entry": "file", "reason": "server is busy", **f} for f in files]
    found = idle_logs(pl.DataFrame(rows))
    assert found.select("path", "message").rows() == [
        ("failed.json", "the log measures nothing: server is busy")
    ]


@pytest.mark.parametrize(
    ("named", "logged", "fires"),
    [
        ("bic", "cubic", True),
        ("bic", "bic", False),
        ("newreno", "reno", False),  # Linux has one name for both
        ("bbr2", "BBRv2", False),
        ("newreno", "cubic", True),
        (None, "cubic", False),
        ("bic", None, False),
    ],
)
def test_a_log_that_names_another_congestion_control_than_its_run(named, logged, fires):
    flow = pl.DataFrame(
        {"run_id": ["a/r1", "a/r1"], "flow_id": [1, 2], "cca": ["newreno", named]},
        schema_overrides={"flow_id": pl.Int32, "cca": pl.String},
    )
    stream = pl.DataFrame(
        {
            "file_id": [0, 1],
            "run_id": ["a/r1", "a/r1"],
            "flow_id": [2, 2],
            "cca": [None, logged],  # the receiver's log does not say it
            "path": ["a/r1/server.log", "a/r1/client.log"],
        },
        schema_overrides={"flow_id": pl.Int32, "cca": pl.String},
    )
    found = contradicted_ccas(flow, stream)
    assert found.height == fires
    if fires:
        row = found.row(0, named=True)
        assert (row["severity"], row["run_id"], row["flow_id"]) == ("error", "a/r1", 2)
        assert row["path"] == "a/r1/client.log"
        assert row["message"] == f"it should run {named}, but its log says {logged}"


@pytest.mark.parametrize(
    ("buffer_bytes", "buffer_bdp", "base_rtt_s", "fires"),
    [
        (10_000, 1.0, 0.04, True),
        (50_000, 1.0, 0.04, False),  # 10 Mb/s for 40 ms
        (51_200, 1.0, 0.04, False),  # 50 KiB
        (3_000, 0.1, 0.04, False),  # two packets
        (10_000, 1.0, None, False),  # the flows have different ones
    ],
)
def test_a_buffer_that_is_given_twice(buffer_bytes, buffer_bdp, base_rtt_s, fires):
    buffers = [(buffer_bytes, buffer_bdp, base_rtt_s)]
    schema = {"buffer_bytes": pl.Int64, "buffer_bdp": pl.Float64, "base_rtt_s": pl.Float64}
    run = run_table("a/r1", bottleneck_bps=10e6)
    run = pl.concat([run, pl.DataFrame(buffers, schema=schema, orient="row")], how="horizontal")
    found = contradicting_buffers(run)
    assert found["severity"].to_list() == ["error"] * fires
    if fires:
        said = "two buffers are given: 10000 bytes, and 1 of the bandwidth-delay product, which is"
        assert found["message"].item() == f"{said} 50000 bytes"


@pytest.mark.parametrize(
    ("said_s", "dated_s", "zone", "start_from", "fires"),
    [
        (5.0, 10, None, "given", True),
        (10.0, 11, None, "given", False),  # dates are whole seconds
        (5.0, 3605, None, "given", False),  # a clock of another zone, which is why it is given
        (5.0, 10, "+?", "given", False),  # dates of two zones
        (5.0, None, None, "given", False),
        (10.0, 10, None, "log", False),
    ],
)
def test_a_start_that_dates_contradict(said_s, dated_s, zone, start_from, fires):
    flow = pl.DataFrame(
        {
            "run_id": ["a/r1"] * 2,
            "flow_id": [1, 2],
            "start_s": [0.0, said_s],
            "start_from": ["log", start_from],
        },
        schema_overrides={"flow_id": pl.Int32},
    )
    begun = [1.7e9, None if dated_s is None else 1.7e9 + dated_s]
    stream = flow.select("run_id", "flow_id").with_columns(
        pl.Series("start_epoch_s", begun),
        pl.Series("zone", [None, zone], pl.String),
        counts=pl.lit(True),
    )
    found = contradicted_starts(flow, stream)
    assert found.select("severity", "flow_id").rows() == [("warning", 2)] * fires
    if fires:
        said = "it is said to start at 5 s, but the dates of the logs say 10 s"
        assert found["message"].item() == said


def lost_in(logs_of_runs: dict[str, list[str]], factors=None) -> list[str]:
    """Return the runs that lack a flow; every log has one."""
    names = list(logs_of_runs)
    run = pl.DataFrame({"run_id": names, "factors": [(factors or {}).get(n, "{}") for n in names]})
    logs = [(name, path) for name in names for path in logs_of_runs[name]]
    stream = pl.DataFrame(logs, schema=["run_id", "path"], orient="row")
    return missing_flows(run, stream, stream)["run_id"].to_list()


def of_two_flows(*runs: int) -> dict[str, list[str]]:
    return {f"run{run}": [f"run{run}/flow{flow}.json" for flow in (1, 2)] for run in runs}


@pytest.mark.parametrize(
    ("logs", "lost"),
    [
        (of_two_flows(1, 3) | {"run2": ["run2/flow1.json"]}, ["run2"]),
        (of_two_flows(1, 3) | {"run2": ["run2/flow2.json"]}, ["run2"]),
        (of_two_flows(1) | {"run2": ["run2/flow1.json"]}, ["run2"]),
        ({f"r{n}": [f"r{n}/{cca}.txt" for cca in ("bbr", "bic")[: 2 - n // 3]] for n in (1, 2, 3)},
         ["r3"]),
        (of_two_flows(1, 2, 3), []),
        (of_two_flows(1, 2) | {"alone/run1": ["alone/run1/flow1.json"]}, []),  # other names
        # as many runs of one flow as of two: a setting that nobody named
        (of_two_flows(1, 2) | {f"run{n}": [f"run{n}/flow1.json"] for n in (3, 4)}, []),
        ({f"run{n}": [f"run{n}/flow{k}.json" for k in range(n)] for n in (1, 2, 4)}, []),
    ],
)  # fmt: skip
def test_a_run_with_fewer_flows_than_those_of_like_names_is_found(logs, lost):
    assert lost_in(logs) == lost


def test_a_run_of_other_factors_has_lost_no_flow_but_what_follows_from_its_flows_is_none():
    logs = of_two_flows(1, 3) | {"run2": ["run2/flow1.json"]}
    assert lost_in(logs, {"run2": '{"load": "low"}'}) == []
    assert lost_in(logs, {"run2": '{"hosts": "a", "variants": "bbr, bic"}'}) == ["run2"]


def test_a_log_may_have_any_number_of_flows():
    run = pl.DataFrame({"run_id": ["run1", "run2", "run3"], "factors": ["{}"] * 3})
    stream = run.select("run_id", path=pl.col("run_id") + ".json")
    flow = pl.DataFrame({"run_id": ["run1", "run1", "run2", "run3", "run3"]})
    assert missing_flows(run, flow, stream).is_empty()


def test_what_is_said_of_a_missing_flow():
    logs = of_two_flows(1, 3) | {"run2": ["run2/flow1.json"]}
    run = pl.DataFrame({"run_id": list(logs), "factors": ["{}"] * 3})
    pairs = [(name, path) for name in logs for path in logs[name]]
    stream = pl.DataFrame(pairs, schema=["run_id", "path"], orient="row")
    found = missing_flows(run, stream, stream)
    assert found["severity"].to_list() == ["warning"]
    assert found["message"].to_list() == [
        "it has 1 flow (run2/flow1.json), 2 runs like it have 2 flows (run1/flow1.json, "
        "run1/flow2.json): its index and shares are those of the flows that are here"
    ]


@pytest.mark.parametrize(
    ("factors", "n_flows", "n_cross_traffic", "is_found"),
    [
        ('{"variants": "cubic, bbr"}', 1, 0, True),
        ('{"variants": "cubic, bbr"}', 2, 0, False),
        ('{"variants": "cubic, bbr"}', 1, 1, False),
        ('{"variants": "cubic, bbr, bic"}', 2, 0, True),
        ("{}", 1, 0, False),
        ('{"variants": "cubic, bbr"}', 0, 0, False),  # traces of a queue
    ],
)
def test_a_name_that_lists_more_than_there_are_flows_is_found(
    factors, n_flows, n_cross_traffic, is_found
):
    about = {"factors": [factors], "n_flows": [n_flows], "n_cross_traffic": [n_cross_traffic]}
    run = pl.DataFrame({"run_id": ["a"], **about, "ccas": pl.Series([None], dtype=pl.String)})
    found = listed_in_vain(run)
    assert found["severity"].to_list() == ["warning"] * is_found
    if is_found:  # what it asks is no more asked where it is answered
        assert "which of them it does not say" in found["message"][0]
        assert "columns run, flow, cca" in found["remedy"][0]
        answered = listed_in_vain(run.with_columns(ccas=pl.lit("cubic")))
        assert "of cubic" in answered["message"][0] and "nothing to do" in answered["remedy"][0]
