"""In what hosts and links of the two platforms differ, from what the runs say of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.markdown import number, span_of
from evenflow.packets import HEADER_BYTES
from evenflow.statistics.grid_runs import RTT, grid_of
from evenflow.statistics.surfaces import PLACE
from evenflow.statistics.windows import FLOWS, is_free, windows

from .design import SIMULATION, TESTBEDS
from .models import factor


def setup_variables(run: Mapping[str, pl.DataFrame], surface_run: pl.DataFrame) -> dict:
    """Return what bounds a flow's window, how fast access links are, and what jitter there is.

    Args:
        run: the table `run` by part. ns-2's `made_by` has the command with its settings.
        surface_run: result of `claims.surfaces.runs_of_parts`.

    Returns:
        {testbed part: {window (packets: the largest throughput x RTT without queue / segment),
        jitter_us}, simulation: {window (ns-2's bound over BDP and buffer), access (rate of its
        access links over the bottleneck's)}}, strings; '–' where no run says it.
    """
    return {part: _testbed(run[part], surface_run.filter(part=part)) for part in TESTBEDS} | {
        SIMULATION: _simulation(run[SIMULATION])
    }


def _testbed(run: pl.DataFrame, placed: pl.DataFrame) -> dict[str, str]:
    mss = pl.col("observed").str.json_path_match("$.mss_bytes['1']").cast(pl.Int64)
    windows = placed.join(run.select("run_id", mss=mss), on="run_id").select(
        pl.max_horizontal(FLOWS) * pl.col(RTT) / (8 * pl.col("mss"))
    )
    jitter = run.select(factor("jitter_us").cast(pl.Float64)).to_series().drop_nulls()
    return {"window": number(windows.to_series().max(), 0), "jitter_us": span_of(jitter)}


def _simulation(run: pl.DataFrame) -> dict[str, str]:
    command = pl.col("made_by").str.json_path_match("$.command")

    def setting(name: str) -> pl.Expr:
        return command.str.extract(rf"\b{name} (\d+)").cast(pl.Float64)

    packet = setting("mss_bytes") + HEADER_BYTES
    bdp = pl.col("bottleneck_bps") * pl.col("base_rtt_s") / (8 * packet)
    ratios = run.select(
        window=setting("window_packets") / (bdp + setting("queue_packets")),
        access=setting("access_mbps") * 1e6 / pl.col("bottleneck_bps"),
    )
    return {"window": span_of(ratios["window"], 1), "access": span_of(ratios["access"])}


def free_variables(
    surface_run: pl.DataFrame, run: Mapping[str, pl.DataFrame], grids: Sequence[Mapping]
) -> dict[str, str]:
    """Return where on the testbed no flow can be window-limited, and where nothing is lost.

    Args:
        surface_run: result of `claims.surfaces.runs_of_parts`.
        run: the table `run` by part.
        grids: as `replicates.grid_of` takes them; cells are counted on the last.

    Returns:
        n_cells (of the grid in which no flow can be window-limited), n_grid, most_rtt_ms (of the
        former), calm_pct (of all comparison cells, those in which no run lost a packet), strings.
    """
    mine = windows(surface_run.filter(part="testbed"), {"testbed": run["testbed"]})
    grid = grid_of(grids[-1])
    inside = grid.filter(is_free(mine))
    cells = mine.filter(role="comparison").unique(PLACE, maintain_order=True)
    return {
        "n_cells": str(len(inside)),
        "n_grid": str(len(grid)),
        "most_rtt_ms": number((inside[RTT] * 1000).max(), 0),
        "calm_pct": number(100 * (~cells["contested"]).mean(), 0),
    }
