"""Checks of the intervals that the flows report."""

from __future__ import annotations

import polars as pl

from ..metrics.fairness import FLOW, sample_length
from ..metrics.windows import PARTIAL, STUMP, is_late, is_stump, reporting_interval
from .finding import apart, findings, fixed

OFF_GRID = 0.05  # of an interval: less than this between two intervals is rounding
JUMP_INTERVALS = 2  # a gap of more intervals than this is a jump of the clock


def interval_findings(sample: pl.DataFrame) -> list[pl.DataFrame]:
    # once: sorting millions of samples is most of the work
    steps = steps_of(sample.select(*FLOW, "t_start_s", "t_end_s", "path", "line"))
    checks = (clock_jumps, missing_intervals, overlapping_intervals, late_reports)
    return [check(steps) for check in (*checks, uneven_intervals, partial_last_intervals)]


def steps_of(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the samples in order of time with length_s, the flow's interval_s, and the gap_s to
    the sample before (negative: they overlap)."""
    return sample.sort(*FLOW, "t_start_s", "line").with_columns(
        sample_length().alias("length_s"),
        reporting_interval().over(FLOW).alias("interval_s"),
        (pl.col("t_start_s") - pl.col("t_end_s").shift().over(FLOW)).alias("gap_s"),
        pl.col("t_end_s").shift().over(FLOW).alias("before_s"),
    )


def _per_flow(rows: pl.DataFrame, *more: pl.Expr) -> pl.DataFrame:
    """Return a row a flow: how many rows it has (n), and the first of them."""
    columns = [name for name in rows.columns if name not in FLOW]
    return rows.group_by(FLOW, maintain_order=True).agg(
        pl.len().alias("n"), *more, pl.col(columns).first()
    )


def late_reports(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose last report is far longer than the others: it is in no mean."""
    rows = steps.filter(is_late())
    message = pl.format(
        "its last report is of {} s, the others of {} s: it came after the end of the test and "
        "is left out of all means",
        *apart("length_s", "interval_s", 2, 3),
    )
    return findings(rows, "late report", "note", message, "none needed")


def clock_jumps(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose clock goes back from one line to the next, or jumps ahead."""
    forward = steps.filter(pl.col("gap_s") > JUMP_INTERVALS * pl.col("interval_s"))
    ahead = findings(
        _per_flow(forward, pl.col("gap_s").sum().alias("sum_s")),
        "clock jump",
        "warning",
        pl.format(
            "nothing is reported from {} to {} s; such gaps: {}, together {} s",
            fixed("before_s", 3),
            fixed("t_start_s", 3),
            "n",
            fixed("sum_s"),
        ),
        "check whether the host slept or its clock was set; else measure the run again",
    )
    log = ["run_id", "flow_id", "path"]
    backward = (
        # seconds without a packet of a trace stand on no line: they say nothing of its order
        steps.drop_nulls("line")
        .sort(*log, "line")
        .with_columns(
            pl.col("t_start_s").shift().over(log).alias("before_s"),
            reporting_interval().over(FLOW).alias("interval_s"),
        )
        .filter(pl.col("t_start_s") < pl.col("before_s") - OFF_GRID * pl.col("interval_s"))
    )
    back = findings(
        _per_flow(backward),
        "clock jump",
        "error",
        pl.format(
            "the clock goes back from {} to {} s (times that it does: {})",
            fixed("before_s", 3),
            fixed("t_start_s", 3),
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
        fixed("before_s", 3),
        fixed("sum_s", 3),
    )
    remedy = "measure again if many are missing; means are over the intervals that there are"
    rows = _per_flow(rows, gap.sum().alias("sum_s"))
    return findings(rows, "missing intervals", "warning", message, remedy)


def overlapping_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows with intervals that count the same time twice."""
    rows = steps.filter(pl.col("gap_s") < -OFF_GRID * pl.col("interval_s"))
    message = pl.format(
        "intervals that begin before the one before has ended: {}, the first at {} s",
        "n",
        fixed("t_start_s", 3),
    )
    remedy = (
        "the file holds more than one measurement, connection or sum: split it, or name the flow "
        "of each file in dataset.yml"
    )
    return findings(_per_flow(rows), "overlapping intervals", "error", message, remedy)


def uneven_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows with intervals, but for the last, of another length than most."""
    uneven = (pl.col("length_s") - pl.col("interval_s")).abs() > PARTIAL * pl.col("interval_s")
    last = pl.col("t_start_s") == pl.col("t_start_s").max().over(FLOW)
    length, interval = apart("length_s", "interval_s", 4, 3)
    message = pl.format(
        "intervals that are not {} s long: {}, the first, of {} s, at {} s; each counts in the "
        "means by its length",
        interval,
        "n",
        length,
        fixed("t_start_s", 3),
    )
    rows = _per_flow(steps.filter(uneven, ~last))
    remedy = "none needed; one interval (-i) for a whole run makes samples easier to compare"
    return findings(rows, "uneven intervals", "note", message, remedy)


def partial_last_intervals(steps: pl.DataFrame) -> pl.DataFrame:
    """Find flows that end with a stump, which no mean holds."""
    message = pl.format(
        "the last interval is {} s long, less than half of {} s; it is left out of the means",
        apart("length_s", pl.col("interval_s") * STUMP, 4)[0],
        fixed("interval_s", 3),
    )
    rows = _per_flow(steps.filter(is_stump()))
    return findings(rows, "partial last interval", "note", message, "none needed")
