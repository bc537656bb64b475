"""Sanity checks on the evidence: what about a data set's logs and labels cannot be quite right.

A check is a function of the tables that it names, and returns a row a finding. `finding_table` runs
them all. Severity: 'error': a number in the report is wrong or missing because of it; 'warning':
it may be; 'note': good to know.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from .dataset import cca_name
from .fairness import FLOW
from .windows import PARTIAL, mser5_cutoff, steady_state

FINDING = {
    "check": pl.String,
    "severity": pl.String,
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "path": pl.String,
    "line": pl.Int64,
    "message": pl.String,
    "remedy": pl.String,
}
SEVERITIES = ["error", "warning", "note"]
TOO_MUCH, TOO_LITTLE = 1.02, 0.5  # share of the bottleneck that flows of TCP carry together
OFF_GRID = 0.05  # of an interval: less than this between two intervals is rounding
JUMP_INTERVALS = 2  # a gap of more intervals than this is a jump of the clock
MOST = 0.5  # flows that run together for less than this share of the run were not compared
EARLY_INTERVALS = 2  # a log that ends more intervals than this before the run does ended early
SIDES_DIFFER, SUM_DIFFERS = 0.02, 0.01  # client against server; intervals against the final report
SLACK_BYTES = 2 * 128 * 1024  # two reads of iperf: what falls between two reports is no difference
FEW_SAMPLES = 10  # in the window of a flow
TREND_BATCHES, TREND_SHARE = 10, 0.2  # a trend moves the mean by this share over the window
TREND_T = 3.355  # Student's t, two-sided 1 %, TREND_BATCHES - 2 degrees of freedom
MSER_BATCHES = 400  # batches of MSER-5 grow so that long logs have no more than this


def finding_table(tables: Mapping[str, pl.DataFrame], stalled_s: float) -> pl.DataFrame:
    """Run every check.

    Args:
        tables: run, flow, sample, ledger, flow_metric of a data set; run with its windows
            (`windows.in_window`). Also, where there are any, the parsed tables stream (with the
            path of its log), summary and interval: what each connection of each log said.
        stalled_s: a flow without a byte for longer than this, seconds, is named.

    Returns:
        FINDING, sorted by severity, check, run and flow.
    """
    run, flow, sample = tables["run"], tables["flow"], tables["sample"]
    ledger, flow_metric = tables["ledger"], tables["flow_metric"]
    stream = tables.get("stream", pl.DataFrame(schema={"run_id": pl.String, "protocol": pl.String}))
    udp = stream.filter(protocol="udp")["run_id"].unique()
    found = [
        unreadable_files(ledger),
        unknown_files(ledger),
        idle_logs(ledger),
        left_out_runs(ledger),
        rejected_lines(ledger),
        identical_logs(ledger),
        missing_repeats(run),
        too_much_for_the_bottleneck(run, flow_metric),
        too_little_for_the_bottleneck(run, flow_metric, udp),
        *_interval_findings(sample),
        staggered_starts(flow, sample),
        early_ends(run, flow, sample),
        few_samples(flow_metric),
        stalled_flows(flow_metric, stalled_s),
        unsettled_flows(run, flow, sample),
    ]
    if {"stream", "summary", "interval"} <= set(tables):
        summary = tables["summary"]
        found += [
            incomplete_logs(stream),
            contradicted_ccas(flow, stream),
            disagreeing_sides(stream, summary),
            sums_that_differ(stream, summary, tables["interval"]),
        ]
    rank = pl.col("severity").replace_strict(SEVERITIES, [0, 1, 2])
    order = [rank, "check", "run_id", "flow_id", "path", "line", "message"]
    return pl.concat(found).sort(order, nulls_last=True)


def _findings(rows: pl.DataFrame, check: str, severity: str, message, remedy: str) -> pl.DataFrame:
    """Make findings of rows: those of the columns of FINDING that `rows` has, and the words."""
    given = {"check": pl.lit(check), "severity": pl.lit(severity), "message": message}
    given["remedy"] = pl.lit(remedy)
    given |= {name: pl.lit(None) for name in FINDING if name not in (*rows.columns, *given)}
    return rows.with_columns(**given).select(pl.col(name).cast(k) for name, k in FINDING.items())


def _fixed(column: str | pl.Expr, digits: int = 1) -> pl.Expr:
    """Return numbers as text with so many digits after the point at most."""
    value = pl.col(column) if isinstance(column, str) else column
    return value.round(digits).cast(pl.String).str.replace(r"\.0$", "")


# ---- files --------------------------------------------------------------------------------------


def unreadable_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that could not be read."""
    rows = ledger.filter(entry="file", format="unreadable")
    remedy = "copy the file again from where it was made, or remove its run"
    message = pl.format("the file cannot be read: {}", pl.col("reason").fill_null("unknown reason"))
    return _findings(rows, "unreadable file", "error", message, remedy)


def unknown_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that are no log of a known format."""
    rows = ledger.filter(entry="file", format="unknown")
    remedy = (
        "none if it is no log; else see docs/formats.md for what can be read, and name the format "
        "under files: in dataset.yml"
    )
    return _findings(rows, "unknown file", "note", pl.lit("no log of a known format"), remedy)


def idle_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs that hold no sample: a connection that failed, a test that never began."""
    no_logs = ["unknown", "metadata", "ignore", "unreadable", "left-out", "run-record"]
    no_logs += ["host-state"]
    rows = ledger.filter(
        pl.col("entry") == "file",
        ~pl.col("format").is_in(no_logs),
        pl.col("lines_sample") == 0,
        pl.col("run_id").is_null(),
    )
    message = pl.format("the log measures nothing: {}", pl.col("reason").fill_null("no report"))
    remedy = "none if the test failed; its lines are in the ledger"
    return _findings(rows, "log without a flow", "note", message, remedy)


def left_out_runs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find runs that were left out, a row a run."""
    rows = (
        ledger.filter(entry="file", format="left-out")
        .sort("path")
        .unique("run_id", keep="first", maintain_order=True)
    )
    remedy = "complete the run and ingest again; until then it is in no table but the ledger"
    reason = pl.col("reason").fill_null("unknown reason").str.strip_prefix("its run is left out: ")
    message = pl.format("the run is left out: {}", reason)
    return _findings(rows, "run left out", "error", message, remedy)


def rejected_lines(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files with lines that cannot be read, a row a file with its first such line."""
    rows = (
        ledger.filter(entry="line")
        .sort("path", "line")
        .group_by("path", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("line", "text", "reason", "run_id").first())
    )
    message = pl.format(
        "{} unreadable, the first: {} ({})",
        pl.when(pl.col("n") == 1).then(pl.lit("1 line")).otherwise(pl.format("{} lines", "n")),
        pl.col("text").fill_null("").str.slice(0, 80),
        pl.col("reason").fill_null("unknown reason"),
    )
    remedy = "restore the log; the lines are in the ledger and in no other table"
    return _findings(rows, "rejected lines", "warning", message, remedy)


def identical_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs of different runs that are the same byte for byte, a row a copy.

    An error where all logs of a run are copies; single short ones may be alike by chance. They are
    compared decompressed: copies that were compressed one by one differ.
    """
    copy = pl.col("run_id") != pl.col("first_run_id")
    rows = (
        ledger.filter(entry="file")
        .filter(pl.col("lines_sample") > 0, pl.col("run_id").is_not_null())
        .sort("path")
        .with_columns(pl.col("path", "run_id").first().over("content_sha256").name.prefix("first_"))
        .with_columns(copy.alias("copy"), copy.all().over("run_id").alias("whole_run"))
        .filter("copy")
    )
    remedy = (
        "find out which run the log is of and remove the copy: copies are no repeats, and make "
        "intervals too narrow; a simulation repeated with the same seed is a copy too"
    )
    message = pl.format("the same bytes as {} of another run", "first_path")
    whole = pl.col("whole_run")
    return pl.concat(
        _findings(rows.filter(which), "identical logs", severity, message, remedy)
        for which, severity in ((whole, "error"), (~whole, "warning"))
    )


def missing_repeats(run: pl.DataFrame) -> pl.DataFrame:
    """Find scenarios with fewer repeats than most have."""
    counts = run.group_by("scenario_id").len("n").sort("scenario_id")
    if len(counts) < 3:
        return _findings(counts.clear(), "missing repeats", "note", pl.lit(""), "")
    usual = counts["n"].mode().max()
    rows = counts.filter(pl.col("n") < usual)
    message = pl.format(
        "scenario {} has {} of the {} repeats that most have", "scenario_id", "n", pl.lit(usual)
    )
    remedy = "add the logs that are missing; its interval is wider until then"
    return _findings(rows, "missing repeats", "note", message, remedy)


# ---- labels against data ------------------------------------------------------------------------


def _shares(run: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Return what the flows of each run carry together in the window, and its share."""
    return (
        flow_metric.group_by("run_id")
        .agg(
            (pl.col("mean_throughput_bps").sum() / 1e6).alias("mbps"),
            pl.col("mean_throughput_bps").is_not_null().all().alias("complete"),
        )
        .join(run.select("run_id", pl.col("bottleneck_bps") / 1e6), on="run_id")
        .with_columns((pl.col("mbps") / pl.col("bottleneck_bps")).alias("share"))
        .sort("run_id")
    )


def too_much_for_the_bottleneck(run: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose flows carry more than the bottleneck can."""
    rows = _shares(run, flow_metric).filter(pl.col("share") > TOO_MUCH)
    message = pl.format(
        "the flows carry {} Mb/s together, the bottleneck is said to have {} Mb/s",
        _fixed("mbps"),
        _fixed("bottleneck_bps", 3),
    )
    remedy = "correct bottleneck_mbps of the run (dataset.yml, runs.csv or the path)"
    return _findings(rows, "more than the bottleneck", "error", message, remedy)


def too_little_for_the_bottleneck(
    run: pl.DataFrame, flow_metric: pl.DataFrame, udp: pl.Series
) -> pl.DataFrame:
    """Find runs whose flows, while all run, carry far less than the bottleneck can.

    `udp`: run_id of the runs of UDP, which sends as fast as it is told and is not judged.
    """
    rows = _shares(run, flow_metric).filter(
        pl.col("share") < TOO_LITTLE, "complete", ~pl.col("run_id").is_in(udp.implode())
    )
    message = pl.format(
        "the flows carry {} Mb/s together, {} % of the {} Mb/s that the bottleneck is said to have",
        _fixed("mbps"),
        _fixed(100 * pl.col("share"), 0),
        _fixed("bottleneck_bps", 3),
    )
    remedy = (
        "check bottleneck_mbps; if it is right, something else limits the flows (socket buffers, "
        "losses, a buffer too small for the path)"
    )
    return _findings(rows, "less than the bottleneck", "warning", message, remedy)


# ---- intervals ----------------------------------------------------------------------------------


def _interval_findings(sample: pl.DataFrame) -> list[pl.DataFrame]:
    # once: sorting millions of samples is most of the work
    steps = steps_of(sample.select(*FLOW, "t_start_s", "t_end_s", "path", "line"))
    checks = (clock_jumps, missing_intervals, overlapping_intervals)
    return [check(steps) for check in (*checks, uneven_intervals, partial_last_intervals)]


def steps_of(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the samples in order of time with length_s, the flow's interval_s, and the gap_s to
    the sample before (negative: they overlap)."""
    length = pl.col("t_end_s") - pl.col("t_start_s")
    return sample.sort(*FLOW, "t_start_s", "line").with_columns(
        length.alias("length_s"),
        length.median().over(FLOW).alias("interval_s"),
        (pl.col("t_start_s") - pl.col("t_end_s").shift().over(FLOW)).alias("gap_s"),
        pl.col("t_end_s").shift().over(FLOW).alias("before_s"),
    )


def _per_flow(rows: pl.DataFrame, *more: pl.Expr) -> pl.DataFrame:
    """Return a row a flow: how many rows it has (n), and the first of them."""
    columns = [name for name in rows.columns if name not in FLOW]
    return rows.group_by(FLOW, maintain_order=True).agg(
        pl.len().alias("n"), *more, pl.col(columns).first()
    )


def clock_jumps(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose clock goes back from one line to the next, or jumps ahead."""
    forward = steps.filter(pl.col("gap_s") > JUMP_INTERVALS * pl.col("interval_s"))
    ahead = _findings(
        _per_flow(forward, pl.col("gap_s").sum().alias("sum_s")),
        "clock jump",
        "warning",
        pl.format(
            "nothing is reported from {} to {} s; such gaps: {}, together {} s",
            _fixed("before_s", 3),
            _fixed("t_start_s", 3),
            "n",
            _fixed("sum_s"),
        ),
        "check whether the host slept or its clock was set; else measure the run again",
    )
    log = ["run_id", "flow_id", "path"]
    length = pl.col("t_end_s") - pl.col("t_start_s")
    backward = (
        steps.sort(*log, "line")
        .with_columns(
            pl.col("t_start_s").shift().over(log).alias("before_s"),
            length.median().over(FLOW).alias("interval_s"),
        )
        .filter(pl.col("t_start_s") < pl.col("before_s") - OFF_GRID * pl.col("interval_s"))
    )
    back = _findings(
        _per_flow(backward),
        "clock jump",
        "error",
        pl.format(
            "the clock goes back from {} to {} s (times that it does: {})",
            _fixed("before_s", 3),
            _fixed("t_start_s", 3),
            "n",
        ),
        "the log holds more than one measurement: split it into a file each",
    )
    return pl.concat([ahead, back])


def missing_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows that leave out single intervals."""
    gap, interval = pl.col("gap_s"), pl.col("interval_s")
    rows = steps.filter(gap > OFF_GRID * interval, gap <= JUMP_INTERVALS * interval)
    message = pl.format(
        "gaps between intervals: {}, the first at {} s, together {} s",
        "n",
        _fixed("before_s", 3),
        _fixed("sum_s", 3),
    )
    remedy = "measure again if many are missing; means are over the intervals that there are"
    rows = _per_flow(rows, gap.sum().alias("sum_s"))
    return _findings(rows, "missing intervals", "warning", message, remedy)


def overlapping_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows with intervals that count the same time twice."""
    rows = steps.filter(pl.col("gap_s") < -OFF_GRID * pl.col("interval_s"))
    message = pl.format(
        "intervals that begin before the one before has ended: {}, the first at {} s",
        "n",
        _fixed("t_start_s", 3),
    )
    remedy = (
        "the file holds more than one measurement, connection or sum: split it, or name the flow "
        "of each file in dataset.yml"
    )
    return _findings(_per_flow(rows), "overlapping intervals", "error", message, remedy)


def _uneven(steps: pl.DataFrame) -> pl.DataFrame:
    """Return the samples that are not as long as the median of their flow; is_last of them."""
    uneven = (pl.col("length_s") - pl.col("interval_s")).abs() > PARTIAL * pl.col("interval_s")
    last = pl.col("t_start_s") == pl.col("t_start_s").max().over(FLOW)
    return steps.with_columns(last.alias("is_last")).filter(uneven)


def uneven_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows with intervals, but for the last, of another length than most."""
    message = pl.format(
        "intervals that are not {} s long: {}, the first, of {} s, at {} s; the steady state "
        "leaves them out",
        _fixed("interval_s", 3),
        "n",
        _fixed("length_s", 4),
        _fixed("t_start_s", 3),
    )
    rows = _per_flow(_uneven(steps).filter(~pl.col("is_last")))
    remedy = "none needed for a few; use one interval (-i) for a whole run"
    return _findings(rows, "uneven intervals", "warning", message, remedy)


def partial_last_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows that end with an interval of another length."""
    message = pl.format(
        "the last interval is {} s long, not {} s; the steady state leaves it out",
        _fixed("length_s", 4),
        _fixed("interval_s", 3),
    )
    rows = _uneven(steps).filter("is_last")
    return _findings(rows, "partial last interval", "note", message, "none needed")


# ---- time ---------------------------------------------------------------------------------------


def _extents(flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Return from when to when each flow ran by its log: from_s, to_s, interval_s."""
    length = pl.col("t_end_s") - pl.col("t_start_s")
    return (
        sample.sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg(
            pl.col("t_start_s").min().alias("from_s"),
            pl.col("t_end_s").max().alias("to_s"),
            length.median().alias("interval_s"),
            pl.col("path", "line").last(),
        )
        .join(flow.select(*FLOW, "start_s"), on=FLOW)
        .with_columns(pl.max_horizontal("from_s", "start_s").alias("from_s"))
        .sort(FLOW)
    )


def staggered_starts(flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose flows do not run together for most of the time."""
    rows = (
        _extents(flow, sample)
        .group_by("run_id", maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("from_s").max().alias("together_s"),
            pl.col("to_s").min().alias("apart_s"),
            (pl.col("to_s").max() - pl.col("from_s").min()).alias("all_s"),
        )
        .with_columns((pl.col("apart_s") - pl.col("together_s")).alias("shared_s"))
        .filter(pl.col("n") > 1, pl.col("shared_s") < MOST * pl.col("all_s"))
    )
    never = _findings(
        rows.filter(pl.col("shared_s") <= 0),
        "staggered flows",
        "error",
        pl.format(
            "its flows never run at the same time: the first ends at {} s, the last starts at {} s",
            _fixed("apart_s"),
            _fixed("together_s"),
        ),
        "they do not compete: make a run of each, or give their start_s under flows: if the clocks "
        "of the logs differ",
    )
    seldom = _findings(
        rows.filter(pl.col("shared_s") > 0),
        "staggered flows",
        "warning",
        pl.format(
            "its flows run together only from {} to {} s of {} s; only that time compares them",
            _fixed("together_s"),
            _fixed("apart_s"),
            _fixed("all_s"),
        ),
        "check start_s of the flows and steady_state.warmup_s in dataset.yml",
    )
    return pl.concat([never, seldom])


def early_ends(run: pl.DataFrame, flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose log ends long before the run does, or before the others of the data set.

    Where nothing says how long a run is, a flow ends early that ran for less than MOST of the
    median time of the data set's flows.
    """
    extents = _extents(flow, sample).join(run.select("run_id", "duration_s"), on="run_id")
    usual = (extents["to_s"] - extents["from_s"]).median() or 0.0
    due = pl.coalesce("duration_s", pl.col("from_s") + MOST * usual)
    slack = pl.when(pl.col("duration_s").is_null()).then(0.0).otherwise(EARLY_INTERVALS)
    rows = extents.with_columns(due.alias("due_s")).filter(
        pl.col("to_s") < pl.col("due_s") - slack * pl.col("interval_s")
    )
    message = pl.format(
        "its log ends at {} s{}",
        _fixed("to_s"),
        pl.when(pl.col("duration_s").is_null())
        .then(
            pl.format(
                " after {} s; most flows ran for {} s",
                _fixed(pl.col("to_s") - pl.col("from_s")),
                _fixed(pl.lit(usual)),
            )
        )
        .otherwise(pl.format(" of {} s", _fixed("duration_s"))),
    )
    remedy = "the program was killed or the connection broke: remove the run, or measure it again"
    return _findings(rows, "log ends early", "warning", message, remedy)


def few_samples(flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find flows with no sample in the steady state, or next to none."""
    remedy = (
        "measure for longer or report more often (iperf -i); or say where the steady state starts: "
        "steady_state: {warmup_s: 3} in dataset.yml"
    )
    start = _fixed("warmup_s", 3)
    none = _findings(
        flow_metric.filter(pl.col("n_samples") == 0),
        "no sample in the steady state",
        "error",
        pl.format("no sample after the warm-up of {} s: it has no mean", start),
        remedy,
    )
    few = _findings(
        flow_metric.filter(pl.col("n_samples").is_between(1, FEW_SAMPLES - 1)),
        "few samples in the steady state",
        "warning",
        pl.format("its mean is over {} samples, from {} s on", "n_samples", start),
        remedy,
    )
    return pl.concat([none, few])


def stalled_flows(flow_metric: pl.DataFrame, stalled_s: float) -> pl.DataFrame:
    """Find flows that carried nothing in the steady state, or nothing for long."""
    mean = pl.col("mean_throughput_bps")
    remedy = "look at the run over time; it is kept in every mean"
    nothing = _findings(
        flow_metric.filter(mean == 0),
        "stalled flow",
        "warning",
        pl.lit("carried nothing at all in the steady state"),
        remedy,
    )
    long = _findings(
        flow_metric.filter(mean > 0, pl.col("zero_s") > stalled_s),
        "stalled flow",
        "warning",
        pl.format("carried nothing for {} s of the steady state", _fixed("zero_s")),
        remedy,
    )
    return pl.concat([nothing, long])


def unsettled_flows(run: pl.DataFrame, flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find flows that do not reach a steady state: by MSER-5, by a trend, or (a warning) by both.

    Flows with long cycles, such as BIC's on a long path, show one of the signs without being unfit.
    """
    table = (
        _mser5_at_its_limit(run, flow, sample)
        .join(_trends(run, sample), on=FLOW, how="full", coalesce=True)
        .sort(FLOW)
    )
    cut = pl.format("MSER-5 would cut off half of it, counted from {} s", _fixed("from_s"))
    trend = pl.format(
        "its throughput {} by {} % of its mean over the steady state",
        pl.when(pl.col("move") > 0).then(pl.lit("rises")).otherwise(pl.lit("falls")),
        _fixed(100 * pl.col("move").abs(), 0),
    )
    remedy = (
        "look at the run over time; measure for longer, or set steady_state: {warmup_s: } in "
        "dataset.yml"
    )
    both = pl.col("from_s").is_not_null() & pl.col("move").is_not_null()
    name = "no steady state"
    return pl.concat(
        [
            _findings(table.filter(both), name, "warning", pl.format("{}; {}", cut, trend), remedy),
            _findings(table.filter(~both), name, "note", pl.coalesce(cut, trend), remedy),
        ]
    )


def _mser5_at_its_limit(run: pl.DataFrame, flow: pl.DataFrame, sample: pl.DataFrame):
    """Return the flows of which MSER-5 would cut off half, the most that it looks at; from_s.

    Counted from the last flow's start; flows with fewer than 20 intervals from then on are left
    out.
    """
    last_start = flow.group_by("run_id").agg(pl.col("start_s").max())
    competing = (
        sample.join(last_start, on="run_id")
        .join(run.select("run_id", "end_s"), on="run_id")
        .filter(
            pl.col("t_start_s") >= pl.col("start_s"),
            pl.col("t_end_s") <= pl.col("end_s").fill_null(float("inf")) + OFF_GRID,
        )
        .sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg("throughput_bps", pl.col("t_start_s").first().alias("from_s"))
        .filter(pl.col("throughput_bps").list.len() >= 2 * FEW_SAMPLES)
    )
    rows = []
    for run_id, flow_id, throughput, from_s in competing.rows():
        batch = max(5, len(throughput) // MSER_BATCHES)
        most = len(throughput) // batch // 2 * batch
        if mser5_cutoff(np.array(throughput), batch) == most:
            rows.append((run_id, flow_id, from_s))
    schema = {"run_id": pl.String, "flow_id": pl.Int32, "from_s": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _trends(run: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Return the flows whose throughput rises or falls over the window; move, share of the mean.

    A line through the means of TREND_BATCHES batches whose slope differs from zero (Student's t,
    1 %) and that moves by more than TREND_SHARE of the flow's mean. Batches, since the samples of
    a flow are correlated.
    """
    place = pl.int_range(pl.len()).over(FLOW) * TREND_BATCHES // pl.len().over(FLOW)
    batches = (
        steady_state(sample, run)
        .filter(pl.len().over(FLOW) >= 2 * TREND_BATCHES)
        .with_columns(place.alias("batch"))
        .group_by(*FLOW, "batch", maintain_order=True)
        .agg(pl.col("throughput_bps").mean())
        .filter(pl.col("throughput_bps").std().over(FLOW) > 0)
    )
    r = pl.corr("batch", "throughput_bps")
    slope = pl.cov("batch", "throughput_bps") / pl.col("batch").var()
    t = r.abs() * ((TREND_BATCHES - 2) / (1 - r**2).clip(1e-12)).sqrt()
    move = slope * (TREND_BATCHES - 1) / pl.col("throughput_bps").mean()
    return (
        batches.group_by(FLOW, maintain_order=True)
        .agg(t.alias("t"), move.alias("move"))
        .filter(pl.col("t") > TREND_T, pl.col("move").abs() > TREND_SHARE)
        .select(*FLOW, "move")
    )


# ---- what a log says of itself ------------------------------------------------------------------


def incomplete_logs(stream: pl.DataFrame) -> pl.DataFrame:
    """Find connections without a final report, where other logs have one."""
    counted = stream.filter("counts")
    if not counted["complete"].any():
        return _findings(counted.clear(), "log without an end", "warning", pl.lit(""), "")
    rows = counted.filter(~pl.col("complete")).sort("run_id", "flow_id", "file_id")
    remedy = "the program was killed: its last seconds may be missing; end it with TERM, not KILL"
    message = pl.format(
        "no final report of the {}, though other logs have one", pl.col("side").fill_null("flow")
    )
    return _findings(rows, "log without an end", "warning", message, remedy)


def contradicted_ccas(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose own log names another congestion control than their run does.

    Linux says reno of what the papers call NewReno.
    """
    if not {"cca"} <= set(flow.columns) & set(stream.columns):
        return _findings(stream.clear(), "other congestion control", "error", pl.lit(""), "")
    usual = pl.col("cca").map_elements(cca_name, return_dtype=pl.String).replace("reno", "newreno")
    rows = (
        stream.drop_nulls(["cca", "run_id", "flow_id"])
        .with_columns(usual.alias("logged"))
        .join(
            flow.drop_nulls("cca").select(*FLOW, pl.col("cca").alias("named"), usual=usual),
            on=FLOW,
        )
        .filter(pl.col("logged") != pl.col("usual"))
        .sort(*FLOW, "file_id")
    )
    message = pl.format("it is said to run {}, its log says {}", "named", "cca")
    remedy = (
        "find out which is right: correct the path, runs.csv or dataset.yml, or set the congestion "
        "control of the sender (iperf -Z) and measure again; what is said counts"
    )
    return _findings(rows, "other congestion control", "error", message, remedy)


def disagreeing_sides(stream: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose client and server report totals that differ."""
    rows = (
        _totals(stream, summary)
        .group_by("run_id", "flow_id")
        .agg(
            pl.col("bytes").filter(pl.col("side") == side).first().alias(side)
            for side in ("receiver", "sender")
        )
        .drop_nulls()
        .filter(_differ("receiver", "sender", SIDES_DIFFER))
        .sort("run_id", "flow_id")
    )
    message = pl.format(
        "the receiver counts {} MB, the sender {} MB",
        _fixed(pl.col("receiver") / 1e6, 2),
        _fixed(pl.col("sender") / 1e6, 2),
    )
    remedy = (
        "check that both logs are of the same flow; with UDP the difference is loss, and what is "
        "left in the sender's socket buffer counts as sent"
    )
    return _findings(rows, "sides disagree", "warning", message, remedy)


def _differ(one: str, other: str, share: float) -> pl.Expr:
    """Return whether two counts of bytes differ by more than a share and SLACK_BYTES."""
    most = pl.max_horizontal(share * pl.max_horizontal(one, other), pl.lit(SLACK_BYTES))
    return (pl.col(one) - pl.col(other)).abs() > most


def _totals(stream: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Return the last final report of every connection and side, with run, flow and line."""
    owners = stream.select("file_id", "stream", "run_id", "flow_id", "side", "path")
    return (
        summary.join(owners, on=["file_id", "stream"], suffix="_of_log")
        .with_columns(pl.coalesce("side", "side_of_log").alias("side"))
        .drop_nulls(["run_id", "flow_id", "bytes"])
        .sort("file_id", "line")
        .unique(["file_id", "stream", "side"], keep="last", maintain_order=True)
    )


def sums_that_differ(
    stream: pl.DataFrame, summary: pl.DataFrame, interval: pl.DataFrame
) -> pl.DataFrame:
    """Find connections whose intervals sum to something else than their own final report.

    Only where the intervals cover the time of the final report; gaps are found by other checks.
    """
    own = stream.select("file_id", "stream", pl.col("side").alias("own_side"))
    sums = interval.group_by("file_id", "stream").agg(
        pl.col("bytes").sum().alias("sum_bytes"),
        (pl.col("t_end_s") - pl.col("t_start_s")).sum().alias("sum_s"),
    )
    span = pl.col("t_end_s") - pl.col("t_start_s")
    rows = (
        _totals(stream, summary)
        .join(own, on=["file_id", "stream"])
        .filter(pl.col("side").eq_missing(pl.col("own_side")))
        .join(sums, on=["file_id", "stream"])
        .filter(
            (pl.col("sum_s") - span).abs() <= SUM_DIFFERS * span,
            _differ("sum_bytes", "bytes", SUM_DIFFERS),
        )
        .sort("run_id", "flow_id", "file_id")
    )
    message = pl.format(
        "the intervals of the {} sum to {} MB, its final report says {} MB",
        pl.col("side").fill_null("flow"),
        _fixed(pl.col("sum_bytes") / 1e6, 2),
        _fixed(pl.col("bytes") / 1e6, 2),
    )
    remedy = "the log is damaged or mixes connections; the intervals count"
    return _findings(rows, "sum differs from the final report", "warning", message, remedy)
