"""Checks of the time that the means of runs are over."""

from __future__ import annotations

import polars as pl

from ..metrics.windows import MOST, ONE_INTERVAL
from .finding import apart, findings, fixed


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
