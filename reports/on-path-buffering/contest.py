"""Where the two flows contend at all, and what the statistics are with and without the other cells.

A cell is uncontested where no run of it lost a packet at the bottleneck. In the cells called `free`
no flow can be window-limited (`_grid.tcp_windows`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import LIST, gathered, once, run_ref
from evenflow.evidence.say import count, given, phrase, say, span
from evenflow.markdown import markdown_table, number
from evenflow.statistics.stratified import Estimate, estimate
from evenflow.statistics.surfaces import PLACE

from .._grid.grid_runs import BUFFER, RTT
from .._grid.surfaces import QUANTITIES as QUANTITIES_OF_A_CELL
from .._grid.surfaces import (
    Subject,
    Surface,
    contested_places,
    mean_of,
    pairing,
    rise_of,
    steady_places,
    subjects_of,
)
from .._grid.tcp_windows import FLOWS, is_free
from .design import PLATFORMS, SETUPS

VARIANTS = ("newreno", "bic", "cubic", "compound")
BESIDE = VARIANTS[1:]  # NewReno: the cells of all are those in which each of these is contested
# quantity -> its name in print, the statistic
QUANTITIES = {
    "flow2": ("Flow 2", mean_of("nru2")),
    "flow1": ("Flow 1", mean_of("nru1")),
    "system": ("System", mean_of("system")),
    "rise": ("Rise", rise_of("system", RTT)),
}
CELLS = {
    "all": "All cells",
    "contested": "Contested",
    "steady": "Contested and steady",
    "free": "No flow window-limited",
}
SHOWN = ("contested", "steady", "free")  # columns of the tables
BY_PLACE = "place"
WEIGHTS = {BY_PLACE: "Flow in the same place", "flow2": "Flow 2", "all": "Both flows"}


def effects(placed: pl.DataFrame, grids: Sequence[Mapping], confidence: float) -> pl.DataFrame:
    """Return the statistics of each pairing by choice of cells and of weights, with intervals.

    NewReno against NewReno is the null; all pairings are of the same cells. The calibrations are
    cells too, so that the intervals have the uncertainty of the weights in them. Steady are the
    contested cells at which no pairing and no calibration is unsteady.

    Args:
        placed: result of `windows`.
        grids: as `grid_runs.grid_of` takes them; the cells of claims are the last.

    Returns:
        part, quantity (of QUANTITIES), cca, cells (of CELLS), weight (of WEIGHTS), n_cells, n
        (least runs of a cell),
        estimate, low, high (dB; null without an interval), runs.
    """
    rows = []
    for part, subject in subjects_of(placed, PLATFORMS, grids[-1]).items():
        every = list(subject.grid.rows())
        free = list(subject.grid.filter(is_free(subject.runs)).rows())
        surfaces = [pairing("comparison", cca) for cca in BESIDE]
        contested = contested_places(subject, surfaces, every)
        asked = [pairing(role, cca) for role in ("comparison", "calibration") for cca in VARIANTS]
        kinds = {
            "all": every,
            "contested": contested,
            "steady": steady_places(subject, asked, contested),
            "free": contested_places(subject, surfaces, free),
        }
        for weight, quantity, kind, cca in product(WEIGHTS, QUANTITIES, kinds, VARIANTS):
            weighed = replace(subject, weight_from=weight)
            found = _of_surface(weighed, QUANTITIES[quantity][1], cca, kinds[kind], confidence)
            ends = found.value, found.low, found.high
            of = (part, quantity, cca, kind, weight)
            rows.append((*of, len(kinds[kind]), found.n, *ends, once(found.runs)))
    schema = dict.fromkeys(("part", "quantity", "cca", "cells", "weight"), pl.String)
    schema |= dict.fromkeys(("n_cells", "n"), pl.Int64)
    schema |= dict.fromkeys(("estimate", "low", "high"), pl.Float64) | {"runs": LIST}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _of_surface(
    subject: Subject, statistic: Callable, cca: str, places: Sequence, confidence: float
) -> Estimate:
    """Return a statistic of a pairing over some places; without a place no value."""
    if not places:
        return Estimate(None)
    surface = ("here", *pairing("comparison", cca))

    def of_means(means: Mapping) -> float | None:
        return statistic(Surface(means, surface, places, subject.weight_from))

    return estimate(subject.cells, of_means, QUANTITIES_OF_A_CELL, confidence=confidence)


def interval(row: Mapping) -> str:
    """Return an estimate with its interval, '0.21 (0.04 to 0.38)', a dash without replicates."""
    text = number(row["estimate"], 2)
    ends = (number(row[end], 2) for end in ("low", "high"))
    return text if row["low"] is None else f"{text} ({' to '.join(ends)})"


def effect_markdown(effect: pl.DataFrame, part: str, *more: str) -> str:
    """Return a row a quantity and pairing, a column for contested, steady and free cells.

    Args:
        effect: result of `effects`; weighed by place.
        more: parts of which contested and steady cells have a column, too.
    """
    known = {
        (row["part"], row["quantity"], row["cca"], row["cells"]): made_of(row, interval(row))[0]
        for row in effect.filter(weight=BY_PLACE).rows(named=True)
    }
    columns = [(part, cells) for cells in SHOWN]
    columns += [(other, cells) for other in more for cells in SHOWN[:2]]
    rows = []
    for quantity, (name, *_) in QUANTITIES.items():
        for cca in VARIANTS:
            first = name if cca == VARIANTS[0] else ""
            values = (known[of, quantity, cca, cells] for of, cells in columns)
            rows.append([first, variant_name(cca), *values])
    header = ["NRU (dB)", "Variant", *(CELLS[cells] for cells in SHOWN)]
    header += [f"{SETUPS[name]}{of}" for name in more for of in ("", ", steady")]
    return markdown_table(header, rows, numeric_from=2)


def weight_markdown(effect: pl.DataFrame) -> str:
    """Return what the system-NRU is by whose throughput weighs, on every testbed.

    A row a testbed, quantity and pairing, NewReno against NewReno first; a column a weight. Of
    contested cells.
    """
    shown = effect.filter(pl.col("quantity").is_in(["system", "rise"]), cells="contested")
    known = {
        (row["part"], row["quantity"], row["cca"], row["weight"]): made_of(row, interval(row))[0]
        for row in shown.rows(named=True)
    }
    rows = []
    for part in shown["part"].unique(maintain_order=True):
        for quantity in ("system", "rise"):
            for cca in VARIANTS:
                named = SETUPS[part] if (quantity, cca) == ("system", VARIANTS[0]) else ""
                first = QUANTITIES[quantity][0] if cca == VARIANTS[0] else ""
                values = (known[part, quantity, cca, weight] for weight in WEIGHTS)
                rows.append([named, first, variant_name(cca), *values])
    header = ["Testbed", "NRU (dB)", "Variant", *WEIGHTS.values()]
    return markdown_table(header, rows, numeric_from=3)


def effect_variables(effect: pl.DataFrame) -> dict:
    """Return {part: {quantity: {variant: {cells: {weight}}}}}, with intervals."""
    tree: dict = {}
    for i, row in enumerate(effect.rows(named=True)):
        at = tree
        for name in ("part", "quantity", "cca", "cells"):
            at = at.setdefault(row[name], {})
        ends = "" if row["low"] is None else " ({low} to {high})"
        at[row["weight"]] = say(effect[i], f"{{estimate}}{ends}", digits=2)
    return tree


def contest_variables(placed: pl.DataFrame, receive_window_bytes: int) -> dict:
    """Return what the text says of uncontested cells and windows.

    Returns:
        {part: {window (largest of all runs, packets), comparison, calibration ('32 to 35',
        uncontested cells a pairing), n_cells (a pairing), least_rtt_ms (of uncontested cells)}} and
        allowed (the window that the receive buffer allows, packets).
    """
    cell = pl.struct(RTT, BUFFER)
    calm = cell.filter(~pl.col("contested"))
    setting = given("receive_window_bytes", receive_window_bytes)
    allowed = say(
        placed,
        pl.lit(receive_window_bytes) / pl.col("mss").max(),
        style=",",
        words="receive window of the setting over the largest segment, packets",
    )
    tree: dict = {"allowed": phrase("{}", allowed, behind=[setting])}
    for part in placed["part"].unique(maintain_order=True):
        mine = placed.filter(part=part)
        least = (1000 * pl.col(RTT)).filter(~pl.col("contested")).min()
        tree[part] = {
            "window": say(mine, pl.col("window").max(), style=",", words="largest window, packets"),
            "n_cells": span(mine, cell.n_unique().over("role", "ccas"), words="cells of a pairing"),
            "least_rtt_ms": say(mine, least, words="shortest RTT of an uncontested cell, ms"),
        } | {
            role: span(
                mine.filter(role=role),
                calm.n_unique().over("ccas"),
                words="fewest and most uncontested cells of a pairing",
            )
            for role in ("comparison", "calibration")
        }
    return tree


def weight_cells(surface_run: pl.DataFrame) -> pl.DataFrame:
    """Return how far repeats of a calibration differ, which is how well the NRU's weight is known.

    Returns:
        A row a calibration cell: part, PLACE, n, sd_mbps, sd_db (sample standard deviations of
        flow 2's throughput over repeats; null of one), runs.
    """
    calibration = surface_run.filter(role="calibration").with_columns(run=run_ref())
    level = 10 * pl.col(FLOWS[1]).log10()
    return (
        calibration.group_by("part", *PLACE, maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            sd_mbps=pl.col(FLOWS[1]).std() / 1e6,
            sd_db=level.std(),
            runs=gathered(),
        )
        .sort("part", *PLACE)
    )


def calibration_markdown(weight_cell: pl.DataFrame) -> str:
    """Return how far repeats differ: a row per testbed and variant, the last of all variants.

    Args:
        weight_cell: result of `weight_cells`, tagged.
    """
    rows = []
    for part, setup in SETUPS.items():
        of_part = weight_cell.filter(part=part)
        by_variant = [(variant_name(cca), of_part.filter(ccas=f"{cca}-{cca}")) for cca in VARIANTS]
        named = [(name, cells) for name, cells in (*by_variant, ("all", of_part)) if len(cells)]
        for i, (name, cells) in enumerate(named):
            repeated = cells.filter(pl.col("n") > 1)
            mbps, db = repeated["sd_mbps"], repeated["sd_db"]
            spreads = (number(spread, 1) for spread in (mbps.median(), mbps.max(), db.max()))
            counts = made_of(cells, str(len(cells)), str(len(repeated)))
            rows.append(["" if i else setup, name, *counts, *made_of(repeated, *spreads)])
    header = ["Testbed", "Variant", "Cells", "With repeats"]
    header += ["Median cell (Mb/s)", "Largest (Mb/s)", "Largest (dB)"]
    return markdown_table(header, rows, numeric_from=2)


def weight_variables(weight_cell: pl.DataFrame) -> dict:
    """Return {part: {n_cells, n_repeated (calibration cells, with repeats), sd_median, sd_most,
    sd_most_db}}.

    Args:
        weight_cell: result of `weight_cells`, tagged.
    """
    tree = {}
    for part in weight_cell["part"].unique(maintain_order=True):
        cells = weight_cell.filter(part=part)
        repeated = cells.filter(pl.col("n") > 1)
        tree[part] = {
            "n_cells": count(cells, words="calibration cells"),
            "n_repeated": count(cells, pl.col("n") > 1, words="calibration cells with repeats"),
            "sd_median": say(repeated, pl.col("sd_mbps").median(), digits=1),
            "sd_most": say(repeated, pl.col("sd_mbps").max(), digits=1),
            "sd_most_db": say(repeated, pl.col("sd_db").max(), digits=1),
        }
    return tree
