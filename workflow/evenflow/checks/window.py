"""Checks of the time that the means of runs are over."""

from __future__ import annotations

import polars as pl

from ..ingest.durations import BEYOND, LEAST_S
from ..ingest.durations import SHARE as SHARE_OF_RUN
from ..metrics.fairness import FLOW
from ..metrics.windows import MOST, ONE_INTERVAL, TOLERANCE_S, reporting_interval, steady_state
from .finding import apart, findings, fixed, many
from .steadiness import CORRECT_DURATION

PHASE_S = 1.5  # reports of a second begin at any fraction of it, a little late
SHARE = 0.05  # of the time of the flows: less moves no mean that matters
SHOWN = 4  # flows that a finding names
UNUSED = "samples after the run"


def whole_runs(window: pl.DataFrame) -> pl.DataFrame:
    """Find runs that count as a whole, for lack of intervals that a warm-up could be cut off from.

    `window`: the table of the data set.
    """
    rows = window.filter(warmup_from=ONE_INTERVAL).sort("run_id")
    message = pl.format(
        "a log of it has one interval only: its means are over the whole run, from {} to {} s, "
        "slow start included",
        fixed("warmup_s", 3),
        fixed("end_s", 3),
    )
    remedy = "report more often (iperf -i 1; in ns-3 a trace of received bytes) to have a warm-up"
    return findings(rows, "no steady state, one interval", "warning", message, remedy)


def unlike_windows(run: pl.DataFrame, window: pl.DataFrame) -> pl.DataFrame:
    """Find scenarios whose repeats count over windows that are unlike: whole runs among others, or
    one shorter than MOST of another.

    Every run has its window from itself alone, so repeats of different lengths differ.
    """
    length = pl.col("end_s") - pl.col("warmup_s")
    rows = (
        run.select("run_id", "scenario_id")
        .join(window, on="run_id")
        .group_by("scenario_id")
        .agg(
            pl.len().alias("n"),
            (pl.col("warmup_from") == ONE_INTERVAL).sum().alias("n_whole"),
            length.min().alias("shortest_s"),
            length.max().alias("longest_s"),
        )
        .filter(
            (pl.col("n_whole") > 0) & (pl.col("n_whole") < pl.col("n"))
            | (pl.col("shortest_s") < MOST * pl.col("longest_s"))
        )
        .sort("scenario_id")
    )
    whole = pl.format(", {} of {} over the whole run", "n_whole", "n")
    message = pl.format(
        "the repeats of scenario {} count over {} to {} s{}",
        "scenario_id",
        *apart("shortest_s", "longest_s"),
        pl.when(pl.col("n_whole") > 0).then(whole).otherwise(pl.lit("")),
    )
    remedy = (
        "leave out runs that do not repeat the others, or say what distinguishes them: a "
        "placeholder in `files:`, or a column of runs.csv"
    )
    return findings(rows, "repeats over different times", "warning", message, remedy)


def different_times(run: pl.DataFrame, among: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose flows are averaged over times that begin, or end, far apart.

    Their logs report unlike often or from different seconds on, or one has gaps. Not runs whose
    flows never all run (`steadiness.staggered_starts`).

    Args:
        run: with windows (`windows.in_window`).
        among: the flows that are compared.
        sample: of all flows.
    """
    used = steady_state(sample, run).join(among, on=FLOW, how="semi", maintain_order="left")
    first, last = pl.col("first_s"), pl.col("last_s")
    times = used.group_by(FLOW, maintain_order=True).agg(
        pl.col("t_start_s").min().alias("first_s"), pl.col("t_end_s").max().alias("last_s")
    )
    said = pl.format("flow {} from {} to {} s", "flow_id", fixed(first, 2), fixed(last, 2))
    far = pl.max_horizontal(pl.lit(PHASE_S), SHARE * (last.max() - first.min()))
    differ = (first.max() - first.min() > far) | (last.max() - last.min() > far)
    shortest = (last - first).rank("ordinal").over("run_id") <= SHOWN
    rows = (
        times.with_columns(said.alias("said"), shortest.alias("shown"))
        .group_by("run_id", maintain_order=True)
        .agg(
            pl.col("said").filter("shown").str.join(", ").first(),
            (differ & (last.min() > first.max())).first().alias("differ"),
            (pl.len() > SHOWN).alias("more"),
        )
        .filter("differ")
    )
    more = pl.when("more").then(pl.lit(", ...")).otherwise(pl.lit(""))
    message = pl.format("its flows are averaged over different times: {}{}", "said", more)
    remedy = (
        "measure again with equal reports that begin together (iperf -i 1); or, where a report of "
        "every flow begins at a later time, start there (warmup_s in dataset.yml)"
    )
    return findings(rows, "flows over different times", "warning", message, remedy)


def unused_samples(
    run: pl.DataFrame,
    sample: pl.DataFrame,
    stream: pl.DataFrame | None = None,
    reports: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Find runs whose flows go on well beyond duration_s: what comes after it is in no mean.

    Flows that took longer than it by themselves, so not one that started later. Not where a log
    says that the flow was to last as long, nor where the sender's log does not go on (a receiver
    does until all buffers are empty), nor of runs with a record, which says when they were ended.

    Args:
        run: with windows (`windows.in_window`).
        sample: of the flows that are compared.
        stream: the parsed table.
        reports: the parsed intervals and summaries.
    """
    length_s = pl.col("t_end_s").max() - pl.col("t_start_s").min()
    described = run.filter(pl.col("duration_s").is_not_null(), pl.col("made_by") == "{}")
    after = pl.col("t_end_s") > pl.col("end_s") + TOLERANCE_S
    flows = (
        sample.join(described.select("run_id", "duration_s", "end_s"), on="run_id")
        .group_by(FLOW, maintain_order=True)
        .agg(
            pl.col("duration_s").first(),
            reporting_interval().alias("interval_s"),
            length_s.alias("ran_s"),
            after.sum().alias("n_after"),
            pl.len().alias("n"),
        )
        .with_columns(planned_s=pl.lit(None, pl.Float64), sent_s=pl.lit(None, pl.Float64))
    )
    if stream is not None and reports is not None:
        key = ["file_id", "stream"]
        lengths = reports.group_by(key, maintain_order=True).agg(length_s.alias("sent_s"))
        sent_s = pl.col("sent_s").filter(pl.col("side") == "sender").max()
        said = (
            stream.join(lengths, on=key, how="left", maintain_order="left")
            .group_by(FLOW, maintain_order=True)
            .agg(pl.max("planned_s"), sent_s.alias("sent_s"))
        )
        flows = flows.drop("planned_s", "sent_s")
        flows = flows.join(said, on=FLOW, how="left", maintain_order="left")
    duration_s, ran_s = pl.col("duration_s"), pl.min_horizontal("ran_s", "sent_s")
    most_s = pl.min_horizontal(BEYOND * pl.col("interval_s"), SHARE_OF_RUN * duration_s)
    slack_s = pl.max_horizontal(most_s, pl.lit(LEAST_S))
    planned = ((pl.col("planned_s") - duration_s).abs() <= slack_s).fill_null(False)
    rows = (
        flows.filter(ran_s > duration_s + slack_s, pl.col("n_after") > 0, ~planned)
        .group_by("run_id", maintain_order=True)
        .agg(
            pl.len().alias("n_flows"),
            pl.sum("n_after", "n"),
            pl.max("ran_s"),
            pl.first("duration_s"),
        )
    )
    message = pl.format(
        "{} of the {} of {} lie after duration_s and are not used: it is {} s, and the logs say {}",
        "n_after",
        many("n", "sample"),
        many("n_flows", "flow"),
        *apart("duration_s", "ran_s"),
    )
    remedy = f"{CORRECT_DURATION}: without it the means go on until the first flow ends"
    return findings(rows, UNUSED, "warning", message, remedy)
