"""In what hosts and links of the two platforms differ, from what the runs say of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.evidence.runs import gathered, run_ref
from evenflow.evidence.say import say, span
from evenflow.packets import HEADER_BYTES
from evenflow.papers import paper
from evenflow.statistics.surfaces import PLACE

from .._grid.grid_runs import BUFFER, RTT, grid_of
from .._grid.tcp_windows import FLOWS, is_free, windows
from .design import SIMULATION, TESTBEDS
from .models import factor


@paper.metric
def host_window(run, surface_run) -> pl.DataFrame:
    return host_windows(run, surface_run)


def host_windows(run: Mapping[str, pl.DataFrame], surface_run: pl.DataFrame) -> pl.DataFrame:
    """Return what bounds a flow's window, how fast access links are, and what jitter there is.

    Args:
        run: the table `run` by part. ns-2's `made_by` has the command with its settings.
        surface_run: result of `surfaces.runs_of_parts`.

    Returns:
        A row a run: part, run_id, window (packets: the larger throughput x RTT without queue /
        segment), jitter_us, of a testbed; window_of_path (ns-2's bound over BDP and buffer), access
        (rate of its access links over the bottleneck's), of ns-2; null where no run says it.
    """
    tables = [_testbed(part, run[part], surface_run.filter(part=part)) for part in TESTBEDS]
    return pl.concat([*tables, _simulation(run[SIMULATION])], how="diagonal")


def _testbed(part: str, run: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    mss = pl.col("observed").str.json_path_match("$.mss_bytes['1']").cast(pl.Int64)
    window = pl.max_horizontal(FLOWS) * pl.col(RTT) / (8 * pl.col("mss"))
    windows = placed.join(run.select("run_id", mss=mss), on="run_id").select(
        "run_id", window=window
    )
    jitter = run.select("run_id", jitter_us=factor("jitter_us").cast(pl.Float64))
    found = jitter.join(windows, on="run_id", how="left", maintain_order="left")
    return found.select(pl.lit(part).alias("part"), pl.all())


def _simulation(run: pl.DataFrame) -> pl.DataFrame:
    command = pl.col("made_by").str.json_path_match("$.command")

    def setting(name: str) -> pl.Expr:
        return command.str.extract(rf"\b{name} (\d+)").cast(pl.Float64)

    packet = setting("mss_bytes") + HEADER_BYTES
    bdp = pl.col("bottleneck_bps") * pl.col("base_rtt_s") / (8 * packet)
    return run.select(
        pl.lit(SIMULATION).alias("part"),
        "run_id",
        window_of_path=setting("window_packets") / (bdp + setting("queue_packets")),
        access=setting("access_mbps") * 1e6 / pl.col("bottleneck_bps"),
    )


def setup_variables(host_window: pl.DataFrame) -> dict:
    """Return {testbed part: {window, jitter_us}, simulation: {window, access}}; dashes for none.

    Args:
        host_window: result of `host_windows`, tagged.
    """
    of = {part: host_window.filter(part=part) for part in (*TESTBEDS, SIMULATION)}
    return {
        part: {
            "window": say(of[part], pl.col("window").max(), words="largest window, packets"),
            "jitter_us": span(of[part], "jitter_us"),
        }
        for part in TESTBEDS
    } | {
        SIMULATION: {
            "window": span(of[SIMULATION], "window_of_path", digits=1),
            "access": span(of[SIMULATION], "access"),
        }
    }


@paper.metric(runs=True)
def free_cell(surface_run, run, grids) -> pl.DataFrame:
    return free_grid(surface_run, run, grids)


def free_grid(
    surface_run: pl.DataFrame, run: Mapping[str, pl.DataFrame], grids: Sequence[Mapping]
) -> pl.DataFrame:
    """Return the comparison cells of the testbed: where no flow can be window-limited.

    Args:
        surface_run: result of `surfaces.runs_of_parts`.
        run: the table `run` by part.
        grids: as `grid_runs.grid_of` takes them; cells are counted on the last.

    Returns:
        PLACE, contested, free (no flow can be window-limited), on_grid (of the claims), runs.
    """
    mine = windows(surface_run.filter(part="testbed"), {"testbed": run["testbed"]})
    grid = grid_of(grids[-1]).with_columns(on_grid=True)
    compared = mine.filter(role="comparison").with_columns(run=run_ref())
    cells = compared.group_by(PLACE, maintain_order=True).agg(
        pl.col("contested").first(), gathered().alias("runs")
    )
    return (
        cells.join(grid, on=[RTT, BUFFER], how="left", maintain_order="left")
        .with_columns(pl.col("on_grid").fill_null(False), free=is_free(mine))
        .sort(PLACE)
    )


def free_variables(free_cell: pl.DataFrame) -> dict:
    """Return where on the testbed no flow can be window-limited, and where nothing is lost.

    Args:
        free_cell: result of `free_grid`, tagged.

    Returns:
        n_cells (of the grid in which no flow can be window-limited), n_grid, most_rtt_ms (of the
        former), calm_pct (of all comparison cells, those in which no run lost a packet).
    """
    inside, place = free_cell.filter("on_grid"), pl.struct(RTT, BUFFER)
    free = "cells in which no flow can be window-limited"
    longest = (pl.col(RTT) * 1000).filter(pl.col("free")).max()
    return {
        "n_cells": say(inside, place.filter(pl.col("free")).n_unique(), words=free),
        "n_grid": say(inside, place.n_unique(), words="cells of the grid of the claims"),
        "most_rtt_ms": say(inside, longest, words=f"longest RTT of {free}, ms"),
        "calm_pct": say(
            free_cell,
            100 * (~pl.col("contested")).mean(),
            words="cells in which no run lost a packet, %",
        ),
    }
