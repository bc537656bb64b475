"""The steady-state window: which samples of a run count, and how long its warm-up lasts."""

from __future__ import annotations

import numpy as np
import polars as pl

TOLERANCE_S = 1e-6  # clocks are printed with four decimals or more
PARTIAL = 0.01  # a sample that is shorter or longer than the others by more than this share


def steady_state(samples: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Select the samples of the steady state.

    The papers ignore 'the first 119 measurements' of 1-s reports and use 120 s to 300 s, 181
    samples (on-path-buffering, 2.3). So: samples that begin at `warmup_s` less one reporting
    interval or later and end within the run. The reporting interval is the median length of a
    flow's samples; samples of another length (the last, partial one) are left out.

    Args:
        samples: the table `sample`.
        runs: run_id, duration_s and warmup_s, the start of the steady state on the run's clock,
            seconds; where duration_s is null the window ends with the log.

    Returns:
        `samples` of the window with `interval_s`, the reporting interval of the flow.
    """
    flow = ["run_id", "flow_id"]
    length = pl.col("t_end_s") - pl.col("t_start_s")
    interval = pl.col("interval_s")
    return (
        samples.join(runs.select("run_id", "duration_s", "warmup_s"), on="run_id")
        .with_columns(length.median().over(flow).alias("interval_s"))
        .filter(
            (length - interval).abs() <= PARTIAL * interval,
            pl.col("t_start_s") >= pl.col("warmup_s") - interval - TOLERANCE_S,
            pl.col("t_end_s") <= pl.col("duration_s").fill_null(float("inf")) + TOLERANCE_S,
        )
        .drop("duration_s", "warmup_s")
        .sort([*flow, "t_start_s"])
    )


def expected_samples(
    start_s: pl.Expr, interval_s: pl.Expr, duration_s: pl.Expr, warmup_s: pl.Expr
) -> pl.Expr:
    """Return how many samples the window holds when a flow reports without a gap.

    Args:
        start_s: start of the flow's first sample on the run's clock: its samples lie on the grid
            start_s + k interval_s.
        interval_s, duration_s: reporting interval and length of the run, seconds.
        warmup_s: start of the steady state, seconds.
    """
    first = ((warmup_s - interval_s - TOLERANCE_S - start_s) / interval_s).ceil().clip(0)
    last = ((duration_s + TOLERANCE_S - start_s) / interval_s).floor()
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
    candidates = range(n_batches // 2 + 1)
    error = [np.var(means[d:]) / (n_batches - d) for d in candidates]
    return int(np.argmin(error)) * batch
