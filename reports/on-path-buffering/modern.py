"""How flows of today share, and what depends on which flow is the first: 'Modern questions'."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import in_order
from evenflow.evidence.runs import gathered, in_part
from evenflow.evidence.say import second, tags_of
from evenflow.papers import paper
from evenflow.statistics.surfaces import PLACE, dropped, run_values


def share_table(runs: pl.DataFrame) -> pl.DataFrame:
    """Return how two flows share, per cell: means over repeats and the range of flow 2's share.

    Args:
        runs: result of `run_values`, with dropped (packets; null if not counted).

    Returns:
        role, ccas, base_rtt_s, buffer_bdp, n, flow1_bps, flow2_bps, share2, share2_low,
        share2_high (over repeats), jfi, utilisation, contested (whether any run lost a packet),
        runs (of them, run_id).
    """
    means = ("flow1_bps", "flow2_bps", "share2", "jfi", "utilisation")
    return (
        runs.group_by(PLACE, maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            *(pl.col(name).mean() for name in means),
            pl.col("share2").min().alias("share2_low"),
            pl.col("share2").max().alias("share2_high"),
            (pl.col("dropped") != 0).fill_null(True).any().alias("contested"),
            gathered("run_id").alias("runs"),
        )
        .sort(PLACE)
    )


def flow_order(shares: pl.DataFrame) -> pl.DataFrame:
    """Set cells of a pairing beside those of the same two with flow 1 and flow 2 exchanged.

    Args:
        shares: result of `share_table`; both orders, each cell once.

    Returns:
        A row a cell that has both orders: first, second (the two congestion controls, in the order
        of the theme), base_rtt_s, buffer_bdp, share_as_flow1 and
        share_as_flow2 (of the second), jfi_as_flow1, jfi_as_flow2 (with the second as that flow),
        n_as_flow1, n_as_flow2. Pairings of one congestion control have no other order.
    """
    flows = shares.with_columns(
        pl.col("ccas").str.split("-").list.get(0).alias("first"),
        pl.col("ccas").str.split("-").list.get(1).alias("second"),
    )
    cell = ["first", "second", "base_rtt_s", "buffer_bdp"]
    places = {
        cca: place
        for place, cca in enumerate(in_order(flows["first"].unique(maintain_order=True).to_list()))
    }
    place = {name: pl.col(name).replace_strict(places, default=-1) for name in ("first", "second")}
    there = flows.filter(place["first"] < place["second"]).select(
        *cell,
        *tags_of(flows),
        pl.col("share2").alias("share_as_flow2"),
        pl.col("jfi").alias("jfi_as_flow2"),
        pl.col("n").alias("n_as_flow2"),
    )
    other = second(flows)
    back = other.select(
        *tags_of(other),
        pl.col("second").alias("first"),
        pl.col("first").alias("second"),
        "base_rtt_s",
        "buffer_bdp",
        (1 - pl.col("share2")).alias("share_as_flow1"),
        pl.col("jfi").alias("jfi_as_flow1"),
        pl.col("n").alias("n_as_flow1"),
    )
    return there.join(back, on=cell).sort(cell)


def with_drops(values: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return `run_values` with dropped, the packets that each run lost at its bottleneck."""
    return values.join(run.select("run_id", dropped()), on="run_id", maintain_order="left")


@paper.metric(runs=True)
def share(
    modern_run, modern_run_metric, modern_flow_metric,
    swapped_run, swapped_run_metric, swapped_flow_metric,
    open_swapped_run, open_swapped_run_metric, open_swapped_flow_metric,
    open_run, open_run_metric, open_flow_metric,
    testbed_run, testbed_run_metric, testbed_flow_metric,
) -> pl.DataFrame:  # fmt: skip
    tables = {
        "modern": (modern_run, modern_run_metric, modern_flow_metric),
        "swapped": (swapped_run, swapped_run_metric, swapped_flow_metric),
        "open_swapped": (open_swapped_run, open_swapped_run_metric, open_swapped_flow_metric),
        "open": (open_run, open_run_metric, open_flow_metric),
        "testbed": (testbed_run, testbed_run_metric, testbed_flow_metric),
    }
    shares = [
        share_table(with_drops(run_values(*of), of[0]).filter(role="comparison")).select(
            pl.lit(part).alias("part"), pl.exclude("runs"), in_part("runs", part)
        )
        for part, of in tables.items()
    ]
    return pl.concat(shares)
