"""Surfaces of a paper's data sets: heat maps over RTT and buffer, a panel a pairing.

The papers draw 3-D meshes. The colour scale spans all data sets of the paper, so that figures of
different data sets compare. A pairing that was run and has no value anywhere (no calibration, no
NRU) has an empty panel. Uncontested cells, in which no run lost a packet at the bottleneck, have a
stroke across: there is nothing to be fair about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from ..congestion_controls import in_order, pairing_name, variant_name
from .base import coverage, grid_axes, nice_domain, on_grid, panel_grid, panel_title, surface_panel
from .panels import below, beside, filled
from .theme import SEQUENTIAL, TWO_SIDED


class Style(NamedTuple):
    """How the surfaces of a metric are drawn: dB, which have two sides of zero, or another unit.

    role: of the runs. unit: of print, in SI units. step: of the colour scale, in that unit.
    """

    metric: str
    role: str
    unit: float
    step: float
    legend: str
    label_format: str


def surface_chart(surface: pl.DataFrame, part: str, style: Style) -> dict:
    """Return the surfaces of a metric on the data set of one part.

    Args:
        surface: of all parts, with the column part.
    """
    cells = on_grid(surface).filter(pl.col("role") == style.role)
    pairings = cells.filter(pl.col("part") == part)["ccas"].unique().to_list()
    table = cells.filter(pl.col("metric") == style.metric)
    table = table.with_columns(value=pl.col("mean") / style.unit, uncontested=~pl.col("contested"))
    two_sided = style.unit == 1
    domain = nice_domain(table["value"], two_sided=two_sided, step=style.step)
    dark = (
        f"abs(datum.value) > {0.5 * domain[-1]}"
        if two_sided
        else (f"datum.value < {(domain[0] + domain[-1]) / 2}")
    )
    mine = table.filter(pl.col("part") == part)
    panel = surface_panel(
        "value",
        axes=grid_axes(cells),
        legend=style.legend,
        scheme=TWO_SIDED if two_sided else SEQUENTIAL,
        domain=domain,
        label_format=style.label_format,
        white_where=dark,
        hatch="uncontested",
    )
    charts = [
        filled(panel, of_pair, panel_title(_title(ccas, style.role), coverage(of_pair["n"])))
        for ccas in in_order(pairings)
        for of_pair in [mine.filter(pl.col("ccas") == ccas)]
    ]
    return panel_grid(charts, columns=2 if len(charts) == 4 else 3)


def _title(ccas: str, role: str) -> str:
    same = variant_name(ccas.split("-")[0])
    return f"{same}, both flows" if role == "calibration" else pairing_name(ccas)


def jfi_surface_chart(surface: pl.DataFrame, parts: Sequence[str]) -> dict:
    """Return Jain's index over RTT and buffer: a column a data set, a row a pairing.

    A data set that lacks a pairing has an empty panel there.

    Args:
        surface: of all parts, with the columns part and dataset_id.
        parts: in the order of the columns.
    """
    table = on_grid(surface).filter((pl.col("metric") == "jfi") & (pl.col("role") == "comparison"))
    table = table.with_columns(uncontested=~pl.col("contested"))
    pairings = in_order(table["ccas"].unique().to_list())
    panel = surface_panel(
        "mean",
        axes=grid_axes(table),
        legend="JFI",
        scheme=SEQUENTIAL,
        domain=[0.5, 1.0],
        label_format=".2f",
        white_where="datum.mean < 0.75",
        hatch="uncontested",
    )
    columns = []
    for part in (part for part in parts if part in table["part"].to_list()):
        of_part = table.filter(pl.col("part") == part)
        panels = []
        for ccas in pairings:
            cells = of_part.filter(pl.col("ccas") == ccas)
            lines = [of_part["dataset_id"][0], coverage(cells["n"])]
            panels.append(filled(panel, cells, panel_title(pairing_name(ccas), *lines)))
        columns.append(below(*panels, spacing=14))
    return beside(*columns, spacing=18, resolve={"color": "shared"})
