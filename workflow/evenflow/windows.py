"""The steady-state window: which samples of a run count, and how long its warm-up lasts."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

TOLERANCE_S = 1e-6  # clocks are printed with four decimals or more
PARTIAL = 0.01  # a sample that is shorter or longer than the others by more than this share
SHORT = 2.0  # runs shorter than this many configured warm-ups get one that fits their length
WARMUP_SHARE, WARMUP_INTERVALS = 0.1, 2  # of the time that all flows run; at least so many samples


def window_table(
    samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, configured_s: float
) -> pl.DataFrame:
    """Choose the steady-state window of every run.

    It starts at `warmup_s` of dataset.yml; else at `configured_s`; else, where the runs (their
    median) are shorter than SHORT x `configured_s`, some time after the last flow of the run
    started: WARMUP_SHARE of the time that all flows run together (median over the runs), at least
    WARMUP_INTERVALS reporting intervals, in whole intervals. That time is the same in all runs of
    the data set.

    It ends with the run. Where nothing says how long a run is, it ends with the first flow that
    ends, so that all flows are compared over the same time; with the log where that leaves nothing.

    Args:
        samples, flows, runs: the tables of a data set.
        configured_s: start of the steady state in config.yaml, seconds.

    Returns:
        run_id, warmup_s and end_s (null: the log's end), seconds on the run's clock, and
        warmup_from: 'dataset.yml', 'config.yaml' or 'run length'.
    """
    length = pl.col("t_end_s") - pl.col("t_start_s")
    per_flow = (
        samples.group_by("run_id", "flow_id")
        .agg(
            pl.col("t_start_s").min().alias("first_s"),
            pl.col("t_end_s").max().alias("last_s"),
            length.median().alias("interval_s"),
        )
        .join(flows.select("run_id", "flow_id", "start_s"), on=["run_id", "flow_id"])
        .group_by("run_id")
        .agg(
            pl.max_horizontal("start_s", "first_s").max().alias("last_start_s"),
            pl.col("last_s").min().alias("first_end_s"),
            pl.col("last_s").max().alias("log_end_s"),
            pl.col("interval_s").max(),
        )
    )
    table = (
        runs.select("run_id", "duration_s", "warmup_s")
        .join(per_flow, on="run_id", how="left")
        .with_columns(pl.min_horizontal("duration_s", "first_end_s").alias("together_to_s"))
    )
    together = table["together_to_s"] - table["last_start_s"]
    interval_s = table["interval_s"].max() or 0.0
    share = WARMUP_SHARE * (together.filter(together > 0).median() or 0.0)
    steps = max(WARMUP_INTERVALS, math.ceil(share / interval_s - TOLERANCE_S)) if interval_s else 0
    lengths = table.select(pl.coalesce("duration_s", "log_end_s"))["duration_s"]
    short = (lengths.median() or math.inf) < SHORT * configured_s
    default = pl.col("last_start_s") + steps * interval_s if short else pl.lit(float(configured_s))
    common_end = pl.when(
        pl.col("first_end_s") - pl.col("warmup_s") >= WARMUP_INTERVALS * pl.col("interval_s")
    ).then(pl.col("first_end_s"))
    return (
        table.with_columns(
            pl.when(pl.col("warmup_s").is_not_null())
            .then(pl.lit("dataset.yml"))
            .otherwise(pl.lit("run length" if short else "config.yaml"))
            .alias("warmup_from"),
            pl.coalesce("warmup_s", default, pl.lit(float(configured_s))).alias("warmup_s"),
        )
        .with_columns(pl.coalesce("duration_s", common_end).alias("end_s"))
        .select("run_id", "warmup_s", "end_s", "warmup_from")
        .sort("run_id")
    )


def in_window(runs: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Give every run its window: `runs` with warmup_s and end_s of `windows` (`window_table`)."""
    chosen = windows.select("run_id", "warmup_s", "end_s")
    return runs.drop("warmup_s", "end_s", strict=False).join(chosen, on="run_id")


def steady_state(samples: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Select the samples of the steady state.

    The papers ignore 'the first 119 measurements' of 1-s reports and use 120 s to 300 s, 181
    samples (on-path-buffering, 2.3). So: samples that begin at `warmup_s` less one reporting
    interval or later and end within the run. The reporting interval is the median length of a
    flow's samples; samples of another length (the last, partial one) are left out.

    Args:
        samples: the table `sample`.
        runs: run_id, warmup_s and end_s, the start and the end of the steady state on the run's
            clock, seconds; where end_s is null the window ends with the log.

    Returns:
        `samples` of the window with `interval_s`, the reporting interval of the flow.
    """
    flow = ["run_id", "flow_id"]
    length = pl.col("t_end_s") - pl.col("t_start_s")
    interval = pl.col("interval_s")
    return (
        samples.join(runs.select("run_id", "end_s", "warmup_s"), on="run_id")
        .with_columns(length.median().over(flow).alias("interval_s"))
        .filter(
            (length - interval).abs() <= PARTIAL * interval,
            pl.col("t_start_s") >= pl.col("warmup_s") - interval - TOLERANCE_S,
            pl.col("t_end_s") <= pl.col("end_s").fill_null(float("inf")) + TOLERANCE_S,
        )
        .drop("end_s", "warmup_s")
        .sort([*flow, "t_start_s"])
    )


def expected_samples(
    start_s: pl.Expr, interval_s: pl.Expr, end_s: pl.Expr, warmup_s: pl.Expr
) -> pl.Expr:
    """Return how many samples the window holds when a flow reports without a gap.

    Args:
        start_s: start of the flow's first sample on the run's clock: its samples lie on the grid
            start_s + k interval_s.
        interval_s: reporting interval, seconds.
        end_s, warmup_s: end and start of the steady state on the run's clock, seconds.
    """
    first = ((warmup_s - interval_s - TOLERANCE_S - start_s) / interval_s).ceil().clip(0)
    last = ((end_s + TOLERANCE_S - start_s) / interval_s).floor()
    return (last - first).clip(0).cast(pl.Int64)


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
