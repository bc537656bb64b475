"""Replicates on a grid of RTT and buffer: repeat r of every cell that a statement is about.

A replicate is complete or it is none: one that lacks a run of one cell is left out, and said to be.
A cell in which no run lost a packet at the bottleneck is *uncontested*: there is nothing to be fair
about, and statements on fairness leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl

from .surfaces import PLACE, dropped, is_contested, on_the_grid

LEAST = 3  # replicates, before a larger grid is preferred to a smaller
RTT, BUFFER = "base_rtt_s", "buffer_bdp"
NRU = ("flow_nru_db_flow1", "flow_nru_db_flow2")


def grid_runs(
    run: pl.DataFrame, run_metric: pl.DataFrame, flow_metric: pl.DataFrame, weight_from: str
) -> pl.DataFrame:
    """Return the runs of two flows on the grid with what each measured, weighed by its own repeat.

    The NRU of repeat r is taken with the calibration of repeat r as weight, not with the mean over
    the calibration's repeats: the uncertainty of the weights is then in the spread of replicates.

    Args:
        run, run_metric, flow_metric: tables of a data set.
        weight_from: 'flow2' or 'all', see `fairness.calibration_weights`.

    Returns:
        PLACE, repeat, run_id, dropped and contested (`surfaces.is_contested`), jfi, utilisation,
        mean_throughput_bps_flow1 and _flow2 (bit/s), NRU and system_nru_db (dB, null without a
        calibration of the same repeat); sorted.
    """
    names = ("mean_throughput_bps", "flow_nru_db", "expected_bps")
    flows = [
        flow_metric.filter(flow_id=flow).select(
            "run_id", *(pl.col(name).alias(f"{name}_flow{flow}") for name in names)
        )
        for flow in (1, 2)
    ]
    runs = on_the_grid(run).with_columns(pl.col(RTT, BUFFER).round(6))
    table = (
        runs.select(*PLACE, "factors", "repeat", "run_id", dropped(), is_contested(runs, PLACE))
        .join(run_metric.select("run_id", "jfi", "utilisation"), on="run_id")
        .join(flows[0], on="run_id")
        .join(flows[1], on="run_id")
    )
    return (
        _weighed_by_repeat(table, weight_from)
        .drop("factors", "expected_bps_flow1", "expected_bps_flow2")
        .sort(*PLACE, "repeat", "run_id")
    )


def uncontested(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the uncontested cells of `grid_runs`, PLACE."""
    return runs.filter(~pl.col("contested")).select(PLACE).unique(maintain_order=True)


def _weighed_by_repeat(table: pl.DataFrame, weight_from: str) -> pl.DataFrame:
    """Move each flow-NRU from the mean of the calibration to the calibration of its own repeat."""
    both = [pl.col(f"mean_throughput_bps_flow{flow}") for flow in (1, 2)]
    got = both[1] if weight_from == "flow2" else (both[0] + both[1]) / 2
    cell = [RTT, BUFFER, "factors", "repeat"]
    calibration = table.filter(pl.col("role") == "calibration").select(
        *cell, cca=pl.col("ccas").str.split("-").list.first(), own_bps=got
    )
    for flow, nru in enumerate(NRU, start=1):
        own = calibration.rename({"own_bps": f"own{flow}"})
        moved = 10 * (pl.col(f"expected_bps_flow{flow}") / pl.col(f"own{flow}")).log10()
        table = (
            table.with_columns(cca=pl.col("ccas").str.split("-").list.get(flow - 1))
            .join(own, on=["cca", *cell], how="left", nulls_equal=True, maintain_order="left")
            .with_columns(pl.when(pl.col(f"own{flow}") > 0).then(pl.col(nru) + moved).alias(nru))
            .drop("cca", f"own{flow}")
        )
    return table.with_columns(system_nru_db=(pl.col(NRU[0]) + pl.col(NRU[1])) / 2)


def grid_of(grid: Mapping[str, Sequence[float]]) -> pl.DataFrame:
    """Return the cells of a grid: base_rtt_s, buffer_bdp.

    Args:
        grid: rtt_ms, buffer_pct: their values.
    """
    cells = product(grid["rtt_ms"], grid["buffer_pct"])
    rows = [(round(rtt / 1000, 6), round(buffer / 100, 6)) for rtt, buffer in cells]
    return pl.DataFrame(rows, schema={RTT: pl.Float64, BUFFER: pl.Float64}, orient="row")


class Complete(NamedTuple):
    """The complete replicates of a statement, in the order of their repeats.

    tables: the runs of each, one a cell. cells: how many cells a replicate has. uncontested: how
    many were left out. partly: repeats that lack a run of a cell, and how many cells they lack.
    """

    tables: list[pl.DataFrame]
    cells: int
    uncontested: int
    partly: dict[int, int]

    def in_words(self) -> str:
        """Return what the replicates are of: 'of 11 cells; 4 uncontested are left out'."""
        said = [f"{self.cells} {'cell' if self.cells == 1 else 'cells'} a replicate"]
        if self.uncontested:
            said.append(f"{self.uncontested} uncontested left out")
        if not self.tables and self.partly:
            repeat, lack = min(self.partly.items(), key=lambda item: item[1])
            said.append(f"repeat {repeat} lacks {lack} of them")
        return ", ".join(said)


def complete_replicates(
    runs: pl.DataFrame,
    surfaces: Sequence[tuple[str, str]],
    grids: Sequence[pl.DataFrame],
    values: Sequence[str],
    left_out: pl.DataFrame | None = None,
) -> Complete:
    """Return the complete replicates on the first grid that has LEAST of them, else on the last.

    Args:
        runs: result of `grid_runs`.
        surfaces: (role, ccas) of every surface that the statement is about.
        grids: results of `grid_of`, the preferred one first: a replicate has a run of every cell of
            the grid on every surface.
        values: columns that a run must have.
        left_out: cells that the statement is not about, PLACE: `uncontested`.
    """
    best = None
    for grid in grids:
        best = _on_grid(runs, surfaces, grid, values, left_out)
        if len(best.tables) >= LEAST:
            break
    if best is None:
        raise ValueError("no grid is declared")
    return best


def _on_grid(
    runs: pl.DataFrame,
    surfaces: Sequence[tuple[str, str]],
    grid: pl.DataFrame,
    values: Sequence[str],
    left_out: pl.DataFrame | None,
) -> Complete:
    of = pl.DataFrame(surfaces, schema=dict.fromkeys(("role", "ccas"), pl.String), orient="row")
    wanted = of.join(grid, how="cross")
    here = runs.join(wanted, on=PLACE, how="semi").drop_nulls(list(values))
    n_declared = len(wanted)
    if left_out is not None:
        wanted, here = (table.join(left_out, on=PLACE, how="anti") for table in (wanted, here))
    tables, partly = [], {}
    for (repeat,), table in here.group_by("repeat", maintain_order=True):
        table = table.unique(PLACE, keep="first", maintain_order=True)
        if len(table) == len(wanted):
            tables.append((repeat, table.sort(PLACE)))
        else:
            partly[repeat] = len(wanted) - len(table)
    tables = [table for _, table in sorted(tables, key=lambda pair: pair[0])]
    return Complete(tables, len(wanted), n_declared - len(wanted), partly)


def rise(cells: pl.DataFrame, axis: str, value: str) -> float | None:
    """Return how much a value rises from the lowest to the highest place of an axis.

    By least squares on the logarithm of the axis, with a level for each place across it: cells that
    are missing at one end bias nothing, as they would a difference of means.

    Args:
        cells: base_rtt_s, buffer_bdp, value; one surface of one replicate.
        axis: base_rtt_s or buffer_bdp.

    Returns:
        In the unit of the value; None where no row of the grid has two places on the axis.
    """
    across = BUFFER if axis == RTT else RTT
    x = pl.col(axis).log(2)
    data = cells.select(
        (x - x.mean().over(across)).alias("x"),
        (pl.col(value) - pl.col(value).mean().over(across)).alias("y"),
    )
    spread = float((data["x"] ** 2).sum())
    if spread < 1e-9:
        return None
    slope = float((data["x"] * data["y"]).sum()) / spread
    return slope * float(np.log2(cells[axis].max() / cells[axis].min()))
