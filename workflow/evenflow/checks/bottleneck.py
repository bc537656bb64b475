"""Checks of what the flows carry together against the bottleneck that they are said to share."""

from __future__ import annotations

import polars as pl

from ..metrics.fairness import is_opposite, share_of_window
from .finding import apart, findings, fixed

CHECK = "more than the bottleneck"
READ_SO = "has by a guess from names"
TOO_MUCH, TOO_LITTLE = 1.02, 0.5  # share of the bottleneck that flows of TCP carry together
BUFFERS_DIFFER = 0.1  # share; buffers in packets are rounded, and KB may be 1,024 bytes
TWO_PACKETS = 3000  # bytes: of a buffer of few packets rounding is more than that share


def _shares(run: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Return what the flows of each run carry together in the window, and its share.

    Without those that go the opposite way: they are not in the same queue.
    """
    return (
        flow_metric.with_columns(share_of_window(flow_metric))
        .filter(~is_opposite(flow_metric))
        .group_by("run_id")
        .agg(
            ((pl.col("mean_throughput_bps") * pl.col("share")).sum() / 1e6).alias("mbps"),
            pl.col("mean_throughput_bps").is_not_null().all().alias("complete"),
        )
        .join(run.select("run_id", pl.col("bottleneck_bps") / 1e6, _guessed(run)), on="run_id")
        .with_columns((pl.col("mbps") / pl.col("bottleneck_bps")).alias("share"))
        .sort("run_id")
    )


def _guessed(run: pl.DataFrame) -> pl.Expr:
    """Return whether the bandwidth of a run's bottleneck is a guess from names."""
    if "guessed" not in run.columns:
        return pl.lit(False).alias("guessed")
    return pl.col("guessed").fill_null("").str.contains("bottleneck_mbps", literal=True)


def contradicting_buffers(run: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose buffer is given twice, as part of the bandwidth-delay product and in bytes.

    Where it is given once, one follows from the other (run.sql).
    """
    if not {"buffer_bytes", "buffer_bdp", "base_rtt_s"} <= set(run.columns):
        return findings(run.clear(), "two buffers", "error", pl.lit(""), "")
    product = pl.col("bottleneck_bps") * pl.col("base_rtt_s") / 8
    rows = run.with_columns((pl.col("buffer_bdp") * product).alias("other_bytes")).filter(
        (pl.col("buffer_bytes") - pl.col("other_bytes")).abs()
        > pl.max_horizontal(BUFFERS_DIFFER * pl.col("other_bytes"), pl.lit(TWO_PACKETS))
    )
    message = pl.format(
        "two buffers are given: {} bytes, and {} of the bandwidth-delay product, which is {} bytes",
        "buffer_bytes",
        fixed("buffer_bdp", 3),
        fixed("other_bytes", 0),
    )
    remedy = (
        "give one of them (dataset.yml, runs.csv or the path), or correct bottleneck_mbps or rtt_ms"
    )
    return findings(rows, "two buffers", "error", message, remedy)


def too_much_for_the_bottleneck(run: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose flows carry more than the bottleneck can."""
    rows = _shares(run, flow_metric).filter(pl.col("share") > TOO_MUCH)
    message = pl.format(
        "the flows carry {} Mb/s together, but the bottleneck was given as {} Mb/s",
        *apart("mbps", "bottleneck_bps", 1, 3),
    )
    remedy = "correct bottleneck_mbps of the run (dataset.yml, runs.csv or the path)"
    said = findings(rows.filter(~pl.col("guessed")), CHECK, "error", message, remedy)
    message = pl.format(
        "the flows carry {} Mb/s together: {} in names is not the bandwidth of the bottleneck in "
        "Mb/s, as was guessed",
        *apart("mbps", "bottleneck_bps", 1, 3),
    )
    remedy = (
        "say what the number is: the lines of bottleneck_mbps under 'What was assumed' take it as "
        "a factor"
    )
    guess = findings(rows.filter("guessed"), CHECK, "error", message, remedy)
    return pl.concat([said, guess])


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
        "the flows carry {} Mb/s together, {} % of the {} Mb/s that the bottleneck {}",
        fixed("mbps"),
        apart(100 * pl.col("share"), pl.lit(100 * TOO_LITTLE), 0)[0],
        fixed("bottleneck_bps", 3),
        pl.when("guessed").then(pl.lit(READ_SO)).otherwise(pl.lit("is said to have")),
    )
    remedy = (
        "check bottleneck_mbps; if it is right, something else limits the flows (socket buffers, "
        "losses, a buffer too small for the path)"
    )
    return findings(rows, "less than the bottleneck", "warning", message, remedy)
