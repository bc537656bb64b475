"""Where two data sets differ: the difference surfaces, and the verdicts of tests.

Difference surfaces, a row a pairing (Bateman and Bhatti 2010, Figure 5). Left: D = S - T, the
difference of the mean Jain indices. Right, grey as there: W = |D| - 2 sd, framed where W >= 0, its
mark of significance; empty where T has no repeats, and hence no standard deviation. A stroke goes
across cells that are uncontested on either side.

Verdicts, a panel a pairing: what Welch's test and two one-sided tests say of every cell, beside the
printed definition; p-values are adjusted over the cells of a surface.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from ..congestion_controls import in_order, pairing_name
from .base import (
    PANEL_HEIGHT,
    PANEL_WIDTH,
    coverage_of_both,
    empty_cells,
    grid_axes,
    nice_domain,
    on_grid,
    panel_grid,
    panel_title,
    surface_panel,
)
from .panels import ROWS, below, beside, filled, spec_of
from .theme import GREY, TEXT, TWO_SIDED, VERDICTS

# a letter in each cell, so that verdicts stay apart in grey
LETTERS = dict(zip(VERDICTS, "DBE?n1", strict=True))


def difference_chart(difference: pl.DataFrame) -> dict:
    """Return the values of a difference table on the grid, two panels a pairing."""
    table = on_grid(difference).with_columns(uncontested=~pl.col("contested"))
    pairings = in_order(table["ccas"].unique().to_list())
    axes = grid_axes(table)
    d = nice_domain(table["d"], two_sided=True, step=0.1)
    w = nice_domain(table["w"], step=0.1)
    columns = []
    for column, legend, missing, style in (
        (
            "d",
            "D = S − T",
            "no cell in common",
            {
                "scheme": TWO_SIDED,
                "domain": d,
                "label_format": "+.2f",
                "white_where": f"abs(datum.d) > {0.5 * d[-1]}",
            },
        ),
        (
            "w",
            "W = |D| − C95",
            "no cell with repeats of T",
            {
                "scheme": GREY,
                "domain": w,
                "label_format": ".2f",
                "white_where": f"datum.w > {w[0] + 0.6 * (w[-1] - w[0])}",
                "mark": "significant_printed",
            },
        ),
    ):
        surface = surface_panel(column, axes=axes, legend=legend, hatch="uncontested", **style)
        panels = []
        for ccas in pairings:
            cells = table.filter(pl.col("ccas") == ccas)
            said = coverage_of_both(cells.drop_nulls(column), missing)
            panels.append(filled(surface, cells, panel_title(pairing_name(ccas), said)))
        columns.append(below(*panels, spacing=14, resolve={"color": "shared"}))
    return beside(*columns, spacing=30, resolve={"color": "independent"})


def verdict_panel(axes: dict) -> alt.LayerChart:
    """Return the verdicts of one pairing over RTT and buffer, of ROWS."""
    base = alt.Chart(ROWS, width=PANEL_WIDTH, height=PANEL_HEIGHT).encode(**axes)
    names = [f"{LETTERS[verdict]}  {verdict}" for verdict in VERDICTS]
    cells = base.mark_rect(stroke="#7f7f7f", strokeWidth=0.8).encode(
        color=alt.Color(
            "label:N",
            scale=alt.Scale(domain=names, range=list(VERDICTS.values())),
            legend=alt.Legend(title="Verdict", symbolStrokeColor="#7f7f7f", symbolType="square"),
        )
    )
    white = "datum.verdict == 'different' || datum.verdict == 'both'"
    letters = base.mark_text(fontSize=11).encode(
        text="letter:N", color=alt.condition(white, alt.value("white"), alt.value(TEXT))
    )
    return alt.layer(*empty_cells(axes), cells, letters)


def verdict_chart(difference: pl.DataFrame) -> dict:
    """Return the verdicts of a difference table on the grid, a panel a pairing."""
    letter = pl.col("verdict").replace_strict(LETTERS)
    table = on_grid(difference).with_columns(
        letter.alias("letter"), pl.format("{}  {}", letter, "verdict").alias("label")
    )
    panel = spec_of(verdict_panel(grid_axes(table)))
    panels = [
        filled(panel, cells, panel_title(pairing_name(ccas), coverage_of_both(cells)))
        for ccas in in_order(table["ccas"].unique().to_list())
        for cells in [table.filter(pl.col("ccas") == ccas)]
    ]
    return panel_grid(panels, columns=2 if len(panels) == 4 else 3)
