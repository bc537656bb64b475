"""Difference surfaces over RTT and buffer, a panel a pairing: D of all cells, W where it is known.

W = |D| - 2 sd needs a standard deviation, and so repeats on the testbed: its panels have the RTTs
and buffers at which there are any, and no white for the others.
"""

from __future__ import annotations

import polars as pl
from evenflow.charts.base import (
    coverage_of_both,
    grid_axes,
    nice_domain,
    note,
    on_grid,
    panel_grid,
    panel_title,
    surface_panel,
)
from evenflow.charts.panels import filled
from evenflow.charts.theme import TWO_SIDED
from evenflow.congestion_controls import in_order, pairing_name

LEGENDS = {"d": "D = S − T", "w": "W = |D| − C95"}


def surfaces_of(difference: pl.DataFrame, column: str) -> dict:
    """Return D or W of one testbed, four panels in two rows.

    Colours are two-sided round zero. W's sign is the printed verdict: at zero and above it the
    difference is significant. A stroke is across cells that are uncontested on either side.

    Args:
        difference: table `difference` of one testbed.
        column: of LEGENDS.
    """
    table = on_grid(difference).drop_nulls(column).with_columns(uncontested=~pl.col("contested"))
    if table.is_empty():
        return note("no cell with repeats on the testbed").to_dict()
    domain = nice_domain(table[column], two_sided=True, step=0.1)
    panel = surface_panel(
        column,
        axes=grid_axes(table),
        legend=LEGENDS[column],
        scheme=TWO_SIDED,
        domain=domain,
        label_format="+.2f",
        white_where=f"abs(datum.{column}) > {0.5 * domain[-1]}",
        hatch="uncontested",
    )
    panels = [
        filled(panel, cells, panel_title(pairing_name(ccas), coverage_of_both(cells)))
        for ccas in in_order(table["ccas"].unique().to_list())
        for cells in [table.filter(ccas=ccas)]
    ]
    return panel_grid(panels, columns=2)
