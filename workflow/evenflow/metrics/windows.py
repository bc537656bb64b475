"""The steady-state window: which samples of a run count, and how long its warm-up lasts."""

from __future__ import annotations

import numpy as np
import polars as pl

from .fairness import FLOW, compared, sample_length

TOLERANCE_S = 1e-6  # clocks are printed with four decimals or more
PARTIAL = 0.01  # a sample that is shorter or longer than the others by more than this share
LATE = (
    2.0  # a last sample longer than so many reporting intervals was printed late, and is left out
)
ALIKE, REGULAR = 0.1, 0.75  # of the interval, of the samples: where a flow reports regularly
EARLY_S = 0.1  # before the window, that reports of flows that report unlike often may begin
STUMP = 0.5  # a last sample shorter than this share of the reporting interval is left out
SHORT = 2.0  # runs shorter than this many configured warm-ups get one that fits their length
NEARLY = 0.98  # a run of 239.9 s is one of 240 s, so that repeats do not part over a rounding
WARMUP_SHARE, WARMUP_INTERVALS = 0.1, 2  # of the time that all flows run; at least so many samples
ROUNDED_DOWN = 0.25  # of an interval: a tenth of 30.1 s is three seconds, not four
TOGETHER = 0.5  # of an interval: flows that end no further apart end at the same time
MOST = 0.5  # an interval that covers this share of a run is a total of it
# columns of `window_coverage`
OF_COVERAGE = ["n_missing_samples", "n_before_samples", "n_after_samples", "n_stump_samples"]
OF_COVERAGE += ["coverage"]
ONE_INTERVAL = "one interval"  # window.warmup_from of runs that count as a whole


def reporting_interval() -> pl.Expr:
    """Return the reporting interval of the samples of a flow: the median of their lengths, s.

    Of an even number the longer of the two in the middle: a stump after a single interval says
    nothing of how often the tool was to report.
    """
    return sample_length().quantile(0.5, interpolation="higher")


def report_unlike() -> pl.Expr:
    """Say of each row of a table whether the flows of its run report unlike often (`interval_s`).

    By more than a tenth: the clock of a busy host makes intervals a little longer.
    """
    interval = pl.col("interval_s")
    return (interval.max() > (1 + ALIKE) * interval.min()).over("run_id")


def lead_s() -> pl.Expr:
    """Return how long before its window a sample of a table with `interval_s` may begin, s.

    One reporting interval, as in the papers; of flows that report unlike often next to nothing:
    before the window a report of 10 s would bring 10 s, beside a second of one each second.
    """
    return pl.when(report_unlike()).then(EARLY_S).otherwise("interval_s")


def is_stump() -> pl.Expr:
    """Say of each sample of a table whether it is the stump at the end of its flow.

    The last sample of a flow, when it is shorter than STUMP reporting intervals: what was left of
    the test when its time was up, with a throughput of its own.
    """
    last = pl.col("t_end_s") == pl.col("t_end_s").max().over(FLOW)
    return last & (sample_length() < STUMP * reporting_interval().over(FLOW))


def is_late() -> pl.Expr:
    """Say of each sample of a table whether it is the late report at the end of its flow.

    The last sample of a flow that reports regularly (REGULAR of its samples are within a tenth of
    the interval), when it is longer than LATE intervals: the test was over, and its end came late.
    """
    interval = reporting_interval().over(FLOW)
    last = pl.col("t_end_s") == pl.col("t_end_s").max().over(FLOW)
    alike = (sample_length() - interval).abs() <= ALIKE * interval
    regular = alike.sum().over(FLOW) >= REGULAR * pl.len().over(FLOW)
    return last & regular & (sample_length() > LATE * interval)


def window_table(
    samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, configured_s: float
) -> pl.DataFrame:
    """Choose the steady-state window of every run, from the run alone.

    It starts at `warmup_s` of dataset.yml; else at `configured_s`; else, where the run is shorter
    than SHORT x `configured_s` or its last flow started after it, some time after the last flow
    started: WARMUP_SHARE of the time that all flows run together, in whole reporting intervals (the
    longest of its flows), at least WARMUP_INTERVALS of them; where its flows report unlike often
    (`lead_s`) for no more than half of that time, if one interval is left.

    It ends with the run. Where nothing says how long a run is, it ends with the first flow that
    ends, so that all flows are compared over the same time, or with those that end within half a
    reporting interval of it: a last report at 10.07 s is that of a test of 10 s, as one at 10.04 s
    is. Where that leaves nothing it ends with the log.

    A run of which a flow has one interval only, no shorter than MOST of the run, or every flow has
    one, has no steady state that could be told from the rest: its window is the whole run, whatever
    warm-up dataset.yml says; unless its logs cover less than MOST of `duration_s`, so were cut.

    Args:
        samples, flows, runs: the tables of a data set.
        configured_s: start of the steady state in config.yaml, seconds.

    Returns:
        run_id, warmup_s and end_s (null: the log's end), seconds on the run's clock, and
        warmup_from: 'dataset.yml', 'config.yaml', 'run length' or ONE_INTERVAL.
    """
    table = runs.select("run_id", "duration_s", "warmup_s").join(
        _run_extents(samples.filter(~is_late()), flows), on="run_id", how="left"
    )
    interval = pl.col("interval_s")
    together = pl.min_horizontal("duration_s", "first_end_s") - pl.col("last_start_s")
    half = (together / interval / 2).floor().clip(1, WARMUP_INTERVALS)
    least = pl.when("unlike").then(half).otherwise(WARMUP_INTERVALS)
    steps = pl.max_horizontal((WARMUP_SHARE * together / interval - ROUNDED_DOWN).ceil(), least)
    # whole milliseconds, never later than the sample that it lets in; rounded once more, as Polars
    # divides a column of one row otherwise than a longer one
    own_ms = ((pl.col("last_start_s") + steps * interval) * 1e3 + 1e-3).floor()
    own_s = (own_ms / 1e3).round(3)
    short = pl.coalesce("duration_s", "log_end_s") < NEARLY * SHORT * configured_s
    own = (short | (pl.col("last_start_s") >= configured_s)).fill_null(False)
    log_s = pl.col("log_end_s") - pl.col("log_start_s")
    not_cut = (log_s >= MOST * pl.col("duration_s")).fill_null(True)
    whole = (pl.col("one_interval") & not_cut).fill_null(False)
    given = pl.col("warmup_s").is_not_null()
    common_end = pl.when(
        pl.col("first_end_s") - pl.col("warmup_s") >= WARMUP_INTERVALS * interval
    ).then(pl.col("common_end_s"))
    chosen = (
        table.with_columns(
            pl.when(whole)
            .then(pl.lit(ONE_INTERVAL))
            .when(given)
            .then(pl.lit("dataset.yml"))
            .when(own)
            .then(pl.lit("run length"))
            .otherwise(pl.lit("config.yaml"))
            .alias("warmup_from"),
            pl.when(whole)
            .then("log_start_s")
            .when(given)
            .then("warmup_s")
            .when(own)
            .then(own_s)
            .otherwise(pl.lit(float(configured_s)))
            .alias("warmup_s"),
        )
        .with_columns(
            pl.when(whole)
            .then("log_end_s")
            .otherwise(pl.coalesce("duration_s", common_end))
            .alias("end_s")
        )
        .select("run_id", "warmup_s", "end_s", "warmup_from")
        .sort("run_id")
    )
    # a column that comes from a literal alone stays one value to Polars, which divides by it
    # otherwise than by others: the last digit would tell which runs were read together
    return chosen.with_columns(chosen["warmup_s"], chosen["end_s"])


def _run_extents(samples: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """Return when each run's flows ran by their logs, seconds on the run's clock.

    run_id, log_start_s and log_end_s (of all flows), last_start_s and first_end_s (all run from
    then, and until then), common_end_s (of those that end with the first), interval_s (the longest
    reporting interval), unlike (`report_unlike`), one_interval (the run counts as a whole:
    `window_table`).
    """
    per_flow = (
        samples.group_by(FLOW, maintain_order=True)
        .agg(
            pl.col("t_start_s").min().alias("first_s"),
            pl.col("t_end_s").max().alias("last_s"),
            reporting_interval().alias("interval_s"),
            ((sample_length() >= STUMP * reporting_interval()).sum() == 1).alias("single"),
        )
        .join(flows.select(*FLOW, "start_s"), on=FLOW)
        .with_columns(report_unlike().alias("unlike"))
    )
    of_run = pl.col("last_s").max() - pl.col("first_s").min()
    last = pl.col("last_s")
    with_first = last <= last.min() + TOGETHER * pl.col("interval_s").max()
    is_total = pl.col("single") & (pl.col("interval_s") >= MOST * of_run)
    return per_flow.group_by("run_id", maintain_order=True).agg(
        pl.col("first_s").min().alias("log_start_s"),
        pl.max_horizontal("start_s", "first_s").max().alias("last_start_s"),
        last.min().alias("first_end_s"),
        last.filter(with_first).max().alias("common_end_s"),
        last.max().alias("log_end_s"),
        pl.col("interval_s").max(),
        pl.col("unlike").first(),
        (pl.col("single").all() | is_total.any()).alias("one_interval"),
    )


def of_samples(windows: pl.DataFrame, flow_metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the windows of the runs that have samples, in the steady state or not."""
    counts = [f"n_{place}samples" for place in ("", "before_", "after_", "stump_")]
    some = flow_metrics.filter(pl.sum_horizontal(counts) > 0)
    return windows.join(some, on="run_id", how="semi", maintain_order="left")


def in_window(runs: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Give every run its window: `runs` with warmup_s and end_s of `windows` (`window_table`)."""
    chosen = windows.select("run_id", "warmup_s", "end_s")
    return runs.drop("warmup_s", "end_s", strict=False).join(chosen, on="run_id")


def placed_samples(samples: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Say of every sample whether it is in the window of its run, and if not, why.

    The papers ignore 'the first 119 measurements' of 1-s reports and use 120 s to 300 s, 181
    samples (Bhatti and Bateman 2009, 2.3). So: samples that begin at `warmup_s` less one reporting
    interval or later and end within the run, whatever their length. Flows that report unlike often
    would then count over different times: of such runs samples lie in the window (`lead_s`). Only
    the stump at the end of a flow (`is_stump`) is left out, and a report that came late
    (`is_late`): it is after the end.

    Args:
        samples: the table `sample`.
        runs: run_id, warmup_s and end_s, the start and the end of the steady state on the run's
            clock, seconds; where end_s is null the window ends with the log.

    Returns:
        `samples` with `interval_s`, the reporting interval of the flow, and `outside`: null in the
        window, else 'before', 'after' or 'stump'.
    """
    return (
        samples.join(runs.select("run_id", "end_s", "warmup_s"), on="run_id")
        .with_columns(reporting_interval().over(FLOW).alias("interval_s"))
        .with_columns(
            pl.when(pl.col("t_start_s") < pl.col("warmup_s") - lead_s() - TOLERANCE_S)
            .then(pl.lit("before"))
            .when(pl.col("t_end_s") > pl.col("end_s") + TOLERANCE_S)
            .then(pl.lit("after"))
            .when(is_late())
            .then(pl.lit("after"))
            .when(is_stump())
            .then(pl.lit("stump"))
            .alias("outside")
        )
        .drop("end_s", "warmup_s")
        .sort([*FLOW, "t_start_s"])
    )


def steady_state(samples: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the samples of the steady state, with `interval_s` (`placed_samples`)."""
    return placed_samples(samples, runs).filter(pl.col("outside").is_null()).drop("outside")


def window_coverage(placed: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return what of its window each flow's samples cover, and which were left out.

    Args:
        placed: result of `placed_samples`.
        runs: run_id, warmup_s and end_s, as for `placed_samples`.

    Returns:
        run_id, flow_id; n_before_samples, n_after_samples, n_stump_samples: samples that are not in
        the window; n_missing_samples: whole reporting intervals of the window, from the flow's
        first sample on, that no sample covers (null without a sample in it); coverage: share of the
        time from warmup_s to end_s that the samples cover (0 to 1; null where the window is empty).
    """
    end_s = pl.coalesce("end_s", "log_end_s")
    windows = (
        placed.group_by("run_id", maintain_order=True)
        .agg(pl.col("t_end_s").max().alias("log_end_s"))
        .join(runs.select("run_id", "warmup_s", "end_s"), on="run_id")
        .select("run_id", "warmup_s", end_s, (end_s - pl.col("warmup_s")).alias("window_s"))
    )
    counts = (
        placed.with_columns(lead_s().alias("lead_s"))
        .group_by(FLOW, maintain_order=True)
        .agg(
            pl.col("t_start_s").min().alias("first_s"),
            pl.col("lead_s").first(),
            *(
                (pl.col("outside") == place).sum().cast(pl.Int64).alias(f"n_{place}_samples")
                for place in ("before", "after", "stump")
            ),
        )
        .join(windows, on="run_id")
    )
    interval, due_s = pl.col("interval_s"), pl.col("warmup_s") - pl.col("lead_s")
    # the end of all samples so far: where they overlap, time counts once
    reached_s = pl.col("t_end_s").cum_max().shift().over(FLOW)
    used = (
        placed.filter(pl.col("outside").is_null())
        .join(counts, on=FLOW, maintain_order="left")
        .with_columns(reached_s.fill_null(pl.max_horizontal("first_s", due_s)).alias("reached_s"))
    )
    gap = pl.col("t_start_s") - pl.col("reached_s")
    rest = pl.col("end_s").first() - pl.col("t_end_s").max()
    missing = _whole(gap, interval).sum() + _whole(rest, interval.first())
    begin_s = pl.max_horizontal("t_start_s", "reached_s", "warmup_s")
    covered = (pl.min_horizontal("t_end_s", "end_s") - begin_s).clip(0).sum()
    found = used.group_by(FLOW, maintain_order=True).agg(
        missing.alias("n_missing_samples"), covered.alias("covered_s")
    )
    share = (pl.col("covered_s").fill_null(0) / pl.col("window_s")).clip(0, 1)
    return (
        counts.join(found, on=FLOW, how="left")
        .with_columns(pl.when(pl.col("window_s") > 0).then(share).alias("coverage"))
        .drop("first_s", "lead_s", "warmup_s", "end_s", "window_s", "covered_s")
        .sort(FLOW)
    )


def _whole(gap_s: pl.Expr, interval_s: pl.Expr) -> pl.Expr:
    """Return how many whole reporting intervals lie in a gap."""
    whole = ((gap_s.clip(0) + TOLERANCE_S) / interval_s).floor()
    return pl.when(interval_s > 0).then(whole).otherwise(0).cast(pl.Int64)


def mser5_cutoff(throughput: np.ndarray, batch: int = 5) -> int:
    """Estimate the end of the warm-up by MSER-5.

    The number of leading samples to delete is the one that minimises the squared standard error
    of the remaining batch means (White 1997; White, Cobb and Spratt 2000), searched over the first
    half of the batches.

    Args:
        throughput: samples of one flow in order of time, shape (n,).
        batch: samples a batch; 5 in MSER-5.

    Returns:
        Number of leading samples to delete, a multiple of `batch`.

    Raises:
        ValueError: fewer than two batches of samples.
    """
    n_batches = len(throughput) // batch
    if n_batches < 2:
        raise ValueError(f"MSER-5 needs at least {2 * batch} samples, got {len(throughput)}")
    means = np.asarray(throughput[: n_batches * batch], dtype=float).reshape(-1, batch).mean(axis=1)
    centred = means - means.mean()  # sums of squares of large numbers would cancel
    n_left = n_batches - np.arange(n_batches // 2 + 1)
    mean, square = (
        np.cumsum(values[::-1])[::-1][: len(n_left)] / n_left for values in (centred, centred**2)
    )
    error = (square - mean**2) / n_left
    as_small = error <= error.min() + 1e-12 * error.max()  # the same but for rounding: the first
    return int(np.argmax(as_small)) * batch


def mser5_warmup(samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Give every run the warm-up that MSER-5 finds, the longest of its flows, counted from the
    last flow's start: before it there is no competition."""
    flows = compared(flows)
    last_start = flows.group_by("run_id", maintain_order=True).agg(pl.col("start_s").max())
    competing = (
        samples.join(flows.select(FLOW), on=FLOW, how="semi")
        .join(last_start, on="run_id")
        .filter(pl.col("t_start_s") >= pl.col("start_s"))
        .sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg("throughput_bps", "t_end_s")
    )
    cuts = [
        mser5_cutoff(throughput.to_numpy()) if len(throughput) >= 10 else 0
        for throughput in competing["throughput_bps"]
    ]
    found = (
        competing.with_columns(pl.Series("cut", cuts, dtype=pl.Int64))
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("t_end_s").list.get(pl.col("cut")).max().alias("warmup_s"))
    )
    return runs.drop("warmup_s").join(found, on="run_id")
