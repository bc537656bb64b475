"""Where two data sets differ: the difference surfaces, and the verdicts of tests.

Difference surfaces (Bateman and Bhatti 2010, Figure 5), a panel a pairing. Above: D = S - T, the
difference of the mean Jain indices, framed where W >= 0, its mark of significance. Below, grey as
there: W = |D| - 2 sd, of the RTTs and buffers at which T has repeats, and hence a standard
deviation. Cells that are uncontested on either side are hatched.

Verdicts, a panel a pairing: what Welch's test and two one-sided tests say of every cell that they
can be applied to; p-values are adjusted over the cells of a surface.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from ..congestion_controls import in_order, pairing_name
from ..statistics.repeats import SINGLE
from .base import coverage_of_both, note, on_grid
from .cells import Grid, cell_figure, cell_panel, cell_title, drawn_cells, grid_of, key_of
from .colours import Colours, one_sided, two_sided
from .panels import below, filled, spec_of
from .surfaces import printed
from .theme import GREY, VERDICTS

# a letter in each cell, so that verdicts stay apart in grey
LETTERS = dict(zip(VERDICTS, "DBE?n1", strict=True))
ON_DARK_VERDICTS = ("different", "both")
FRAMED = "Framed: significant by the printed definition, W ≥ 0."
IS_SURE = (pl.col("simulation_n") > 1) & (pl.col("testbed_n") > 1)


def difference_chart(difference: pl.DataFrame) -> dict:
    """Return the values of a difference table on the grid: D above, W below where there is any."""
    has_w = difference["w"].is_not_null().any()
    parts = [d_surfaces(difference), *([w_surfaces(difference)] if has_w else [])]
    return below(*parts, spacing=4, resolve={"color": "independent"})


def d_surfaces(difference: pl.DataFrame, message: str = "") -> dict:
    """Return D of a difference table on the grid, a panel a pairing, framed where W >= 0.

    Args:
        message: what the figure shows; without one, the largest and the smallest mean of |D|.
    """
    table = on_grid(difference).with_columns(is_sure=IS_SURE)
    colours = two_sided(table["d"], is_linear=True)
    d = drawn_cells(table, "d", colours, "+.2f")
    panels = _panels(d, "d", colours, "D = S − T", "no cell in common", mark="significant_printed")
    key = [_repeats(d), *key_of(d, colours)[1:], FRAMED]
    return cell_figure(panels, grid_of(d), message=message or difference_message(table), key=key)


def w_surfaces(difference: pl.DataFrame) -> dict:
    """Return W of a difference table on the grid, a panel a pairing, where T has repeats."""
    tested = on_grid(difference.drop_nulls("w")).with_columns(is_sure=True)
    if tested.is_empty():
        return spec_of(note("no cell with repeats of T"))
    greys = one_sided(tested["w"], scheme=GREY)
    w = drawn_cells(tested, "w", greys, "+.2f")
    panels = _panels(w, "w", greys, "W = |D| − C95", "no cell with repeats of T")
    lacking = len(difference) - len(tested)
    left_out = [f"{lacking} cells without repeats of T have no W and are not drawn."]
    key = [*key_of(w)[1:], *(left_out if lacking else [])]
    significant = w["significant_printed"].sum()
    message = f"W ≥ 0, significant by the printed definition, in {significant} of {len(w)} cells"
    return cell_figure(panels, grid_of(w), message=message, key=key)


def _repeats(d: pl.DataFrame) -> str:
    """Return what bold values are."""
    if not d["is_sure"].any():
        return "No cell has repeats on both sides."
    if d["is_sure"].all():
        return "Both sides have repeats in every cell."
    return "Bold: both sides have repeats; plain: one run on one."


def difference_message(table: pl.DataFrame) -> str:
    """Return what the differences show: the largest mean of |D|, over contested cells.

    Pairings are ranked over the cells that all of them have: others differ by their cells as well.
    """
    some = table["contested"].any() and not table["contested"].all()
    contested = (table.filter("contested") if some else table).drop_nulls("d")
    n_pairings = contested["ccas"].n_unique()
    everywhere = pl.col("ccas").n_unique().over("base_rtt_s", "buffer_bdp") == n_pairings
    common = contested.filter(everywhere)
    if common.is_empty():
        size = contested["d"].abs()
        span = f"{size.min():.2f} to {size.max():.2f}"
        return f"|D| is {span}; pairings cannot be ranked: no cell has all of them"
    sizes = common.group_by("ccas").agg(pl.col("d").abs().mean()).sort("d", "ccas")
    name, size = sizes.row(-1)
    cells = "contested cells" if some else "cells"
    over = f" over {cells}" if some else ""
    if len(common) < len(contested):
        over = f" over the {cells} of all pairings"
    if len(sizes) == 1:
        return f"{pairing_name(name)} differs by {size:.2f}, the mean of |D|{over}"
    least, smallest = sizes.row(0)
    return (
        f"The mean of |D|{over} is largest for {pairing_name(name)}, {size:.2f}, and smallest for "
        f"{pairing_name(least)}, {smallest:.2f}"
    )


def _panels(
    table: pl.DataFrame, column: str, colours: Colours, legend: str, missing: str, **more
) -> list[dict]:
    """Return a panel a pairing."""
    grid = grid_of(table)
    panel = cell_panel(column, grid, colours, legend=legend, **more)
    panels = []
    for ccas in in_order(table["ccas"].unique(maintain_order=True).to_list()):
        cells = table.filter(pl.col("ccas") == ccas)
        said = coverage_of_both(cells.drop_nulls(column), missing)
        panels.append(filled(panel, cells, cell_title(pairing_name(ccas), grid, said)))
    return panels


def verdict_panel(grid: Grid) -> dict:
    """Return the verdicts of one pairing over RTT and buffer, of ROWS."""
    names = [f"{LETTERS[verdict]}  {verdict}" for verdict in VERDICTS if verdict != SINGLE]
    colours = [colour for verdict, colour in VERDICTS.items() if verdict != SINGLE]
    legend = alt.Legend(
        title="Verdict",
        orient="top",
        titleOrient="left",
        symbolStrokeColor="#7f7f7f",
        symbolStrokeWidth=1,
        symbolType="square",
    )
    scale = alt.Scale(domain=names, range=colours)
    return cell_panel("label", grid, alt.Color("label:N", scale=scale, legend=legend))


def verdict_chart(difference: pl.DataFrame) -> dict:
    """Return the verdicts of a difference table on the grid, a panel a pairing.

    Cells of which a side has one run cannot be tested; they are counted and not drawn.
    """
    letter = pl.col("verdict").replace_strict(LETTERS)
    every = on_grid(difference)
    table = every.filter(pl.col("verdict") != SINGLE).with_columns(
        label=pl.format("{}  {}", letter, "verdict"),
        is_dark=pl.col("verdict").is_in(ON_DARK_VERDICTS),
        is_beyond=False,
        is_sure=True,
        uncontested=~pl.col("contested"),
    )
    if table.is_empty():
        return spec_of(note(f"No cell has repeats on both sides: {len(every)} cells of one run."))
    grid = grid_of(table)
    wide = grid.cell_width >= 36
    shown = [
        f"{LETTERS[verdict]} {printed(d, '+.2f')}" if wide else LETTERS[verdict]
        for verdict, d in table.select("verdict", "d").rows()
    ]
    table = table.with_columns(pl.Series("text", shown))
    panel = verdict_panel(grid)
    panels = []
    for ccas in in_order(every["ccas"].unique(maintain_order=True).to_list()):
        cells, of_all = (rows.filter(pl.col("ccas") == ccas) for rows in (table, every))
        title = cell_title(pairing_name(ccas), grid, f"{len(cells)} of {len(of_all)} cells tested")
        panels.append(filled(panel, cells, title))
    key = ["In a cell: the verdict and D." if wide else "", *key_of(table)[1:]]
    left_out = len(every) - len(table)
    if left_out:
        key.append(f"{left_out} cells with one run on a side cannot be tested and are not drawn.")
    return cell_figure(panels, grid, message=verdict_message(table), key=key)


def verdict_message(table: pl.DataFrame) -> str:
    """Return how many of the tested cells have which verdict."""
    counts = dict(table["verdict"].value_counts().sort("verdict").rows())
    said = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if verdict in counts]
    return f"Of {len(table)} tested cells: {', '.join(said)}"
