"""Checks of the round-trip times that flows measured, against those that they are said to have."""

from __future__ import annotations

import polars as pl

from ..metrics.fairness import FLOW
from .finding import apart, findings

CHECK = "RTT below the base RTT"
MEASURED = ["rtt_s", "srtt_s"]  # variables of tcp_state
LESS = 0.9  # of the base RTT: less than that is no rounding
LESS_S = 1e-3
TICK_S = 0.01  # of the clock of TCP in ns-2 (tcpTick_), which rounds what it measures


def least_rtts(sample: pl.DataFrame, state: pl.LazyFrame | None = None) -> pl.DataFrame:
    """Return the least RTT that the logs of each flow report: run_id, flow_id, least_s.

    Args:
        sample: the table.
        state: the table tcp_state, where there is one.
    """
    of_samples = sample.lazy().select(*FLOW, pl.col("rtt_s").alias("least_s"))
    of_states = (
        state.filter(pl.col("variable").is_in(MEASURED)).select(
            *FLOW, pl.col("value").alias("least_s")
        )
        if state is not None
        else of_samples.clear()
    )
    return (
        pl.concat([of_samples, of_states])
        .filter(pl.col("least_s") > 0)
        .group_by(FLOW)
        .agg(pl.min("least_s"))
        .sort(FLOW)
        .collect()
    )


def rtts_below_the_base(run: pl.DataFrame, flow: pl.DataFrame, least: pl.DataFrame) -> pl.DataFrame:
    """Find flows that measured a smaller RTT than they are said to have without a queue.

    A queue can only add to it. A smoothed RTT is never less than the least that it is of.

    Args:
        run: the table; of its column `platform` ns2 counts.
        flow: the table.
        least: of `least_rtts`.
    """
    of_run = run.select("run_id", *(name for name in ["platform"] if name in run.columns))
    tick_s = pl.lit(LESS_S)
    if "platform" in of_run.columns:
        tick_s = pl.when(platform="ns2").then(TICK_S).otherwise(LESS_S)
    base = pl.col("base_rtt_s")
    rows = (
        flow.join(least, on=FLOW, maintain_order="left")
        .join(of_run, on="run_id", maintain_order="left")
        .filter(pl.col("least_s") < LESS * base, pl.col("least_s") < base - tick_s)
        .with_columns(pl.col("least_s", "base_rtt_s") * 1e3)
    )
    message = pl.format(
        "the logs report an RTT of {} ms, but the RTT without a queue is given as {} ms, and a "
        "queue can only add to it",
        *apart("least_s", "base_rtt_s"),
    )
    remedy = (
        "correct rtt_ms where it is said (a path, runs.csv, dataset.yml), or say it of the flow in "
        "dataset.yml: `flows: {1: {rtt_ms: 22}}` with its number and RTT; or find out why the "
        "delay was not there, and measure again"
    )
    return findings(rows, CHECK, "warning", message, remedy)
