"""What holds a flow: its window, or the packets that path and buffer lose.

A window that is smaller than what path and buffer hold can limit a flow even where packets
are lost: one flow cannot take what its window does not carry.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.packets import HEADER_BYTES

from .grid_runs import BUFFER, RTT

ETHERNET_BYTES = 14  # of a frame
FLOWS = ("mean_throughput_bps_flow1", "mean_throughput_bps_flow2")


def windows(runs: pl.DataFrame, run: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the runs with the larger of the two flows' windows, and what path and buffer hold.

    Args:
        runs: result of `surfaces.runs_of_parts`.
        run: the table `run` by part; its `observed` has the flows' segment size. Runs of other
            parts are left out.

    Returns:
        runs with bottleneck_bps, mss (bytes), window (throughput x RTT without queue / segment) and
        capacity (bandwidth-delay product and buffer), packets; null where no segment size is known.
    """
    about = pl.concat(
        of_part.select(
            pl.lit(part).alias("part"),
            "run_id",
            pl.col("bottleneck_bps"),
            mss=pl.col("observed").str.json_path_match("$.mss_bytes['1']").cast(pl.Int64),
        )
        for part, of_part in run.items()
    )
    frame = 8 * (pl.col("mss") + HEADER_BYTES + ETHERNET_BYTES)  # bits
    return runs.join(about, on=["part", "run_id"], maintain_order="left").with_columns(
        window=pl.max_horizontal(FLOWS) * pl.col(RTT) / (8 * pl.col("mss")),
        capacity=pl.col("bottleneck_bps") * pl.col(RTT) * (1 + pl.col(BUFFER)) / frame,
    )


def free_cells(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the cells, base_rtt_s and buffer_bdp, in which no flow can be window-limited.

    There one flow's window alone would fill path and buffer. The largest window of any run is the
    bound; where every cell lost packets in some run it is none, and all cells are free. Without a
    known window no cell is.

    Args:
        runs: of one data set, result of `windows`.
    """
    largest = float("inf") if runs["contested"].all() else runs["window"].max() or 0.0
    return (
        runs.filter(pl.col("capacity") <= largest).select(RTT, BUFFER).unique(maintain_order=True)
    )


def is_free(runs: pl.DataFrame) -> pl.Expr:
    """Return whether a row of cells is one of `free_cells`."""
    return pl.struct(RTT, BUFFER).is_in(free_cells(runs).to_struct().implode())
