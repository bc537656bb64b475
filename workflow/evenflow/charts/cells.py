"""Heat maps with the value printed in every cell: the surfaces of papers, data sets, comparisons.

A panel is a table of numbers in colour. The factor with more levels goes down the page, so that all
of its levels have a label and a cell has room for its value. What a cell is besides its value is
drawn, not coloured: a value in bold type has an interval, one in plain type is of one run; hatched
cells are uncontested; the upper corner is filled where the value lies beyond the scale of the
colours, the lower one where the cell is unsteady.
Cells of the grid without a value are empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import polars as pl

from .colours import Colours
from .panels import ROWS, headed, panel_title, spec_of, wrapped
from .theme import BLANK, ON_DARK, ON_LIGHT, RULE, TEXT

WIDTH = 665  # px, of a figure's cells with their axes; in the PDF it is as wide as the text
PANEL_WIDTH = 115  # px, of the cells of a panel
LABELLED_WIDTH, LABELLED_HEIGHT = 22, 11  # px; values are printed into cells at least so large
CELL_HEIGHT, CELL_WIDTHS = 12, (4, 46)  # px; of a cell, the smallest and the largest width
MAX_HEIGHT = 320  # px, of the cells of a panel
AXIS_WIDTH, GAP = 42, 12  # px, of the labels left of a panel, and between panels
FONT_SIZE = 9  # px, of a value in a cell, and of the labels of axes
UNSCALED = 4  # size of a mark whose path is in px
HATCH = 4.5  # px between two lines of a hatched cell
NOTHING_LOST = "no run lost a packet at the bottleneck"
FADED = 0.12  # opacity of cells outside a slice
MAX_SLICES = 40  # levels of a factor that can be chosen from below a live surface


class Axis(NamedTuple):
    """An axis of a grid: the column, its title, its levels in order."""

    field: str
    title: str
    levels: list[float]


class Grid(NamedTuple):
    """The grid of a figure: its axes, and the size of a cell in px."""

    across: Axis
    down: Axis
    cell_width: float
    cell_height: float

    @property
    def width(self) -> float:
        """Of a panel's cells, px."""
        return self.cell_width * len(self.across.levels)

    @property
    def height(self) -> float:
        """Of a panel's cells, px."""
        return self.cell_height * len(self.down.levels)

    @property
    def is_labelled(self) -> bool:
        """Whether a cell has room for its value."""
        return self.cell_width >= LABELLED_WIDTH and self.cell_height >= LABELLED_HEIGHT

    @property
    def columns(self) -> int:
        """How many panels stand next to each other."""
        return max(1, int((WIDTH + GAP) // (self.width + AXIS_WIDTH + GAP)))


RTT, BUFFER = ("rtt_ms", "RTT (ms)"), ("buffer_pct", "Buffer (% of BDP)")


def grid_of(table: pl.DataFrame, factors: Sequence[tuple[str, str]] = (BUFFER, RTT)) -> Grid:
    """Return the grid that holds all cells of a table, the factor with more levels down the page.

    Args:
        table: with the columns of the factors; cells where one of them is null have no place.
        factors: two, (column, title) each; of as many levels the first goes across.
    """
    axes = [Axis(name, title, sorted(set(table[name].drop_nulls()))) for name, title in factors]
    across, down = sorted(axes, key=lambda axis: len(axis.levels))
    smallest, largest = CELL_WIDTHS
    width = min(largest, PANEL_WIDTH / max(1, len(across.levels)))
    if width < LABELLED_WIDTH:  # a panel a row, rather than cells without values
        wide = (WIDTH - AXIS_WIDTH) / len(across.levels)
        width = min(LABELLED_WIDTH, wide) if wide >= LABELLED_WIDTH else max(smallest, wide / 2)
    height = min(CELL_HEIGHT, MAX_HEIGHT / max(1, len(down.levels)))
    return Grid(across, down, width, height)


def cell_panel(
    value: str,
    grid: Grid,
    colours: Colours | alt.Color,
    *,
    legend: str = "",
    mark: str | None = None,
) -> dict:
    """Return a panel of ROWS, to be filled with the result of `drawn_cells`.

    Args:
        value: column of the colour; what is null there is drawn empty.
        colours: of the values; or a channel of its own, for words.
        legend: its title, with unit.
        mark: a Boolean column; its cells get a frame.
    """
    fields = [grid.across.field, grid.down.field]
    # in the live chart: the same cell marked in all panels, and slices of one level
    pointed = alt.selection_point(name="pointed", fields=fields, on="pointerover", empty=False)
    slices = slice_params(grid)
    shown = alt.value(1)
    if slices:
        tests = [f"({p.name} == null || datum.{f} == {p.name})" for p, f in slices]
        shown = alt.condition(" && ".join(tests), alt.value(1), alt.value(FADED))
    channel = colours.channel(value, legend) if isinstance(colours, Colours) else colours
    base = alt.Chart(ROWS, width=grid.width, height=grid.height).encode(**_axes(grid))
    # Vega-Lite paints a null like the lowest value, whatever a condition says: two layers instead
    known = base.transform_filter(f"isValid(datum['{value}'])")
    ink = alt.condition("datum.is_dark", alt.value(ON_DARK), alt.value(ON_LIGHT))
    layers = [
        *_empty_cells(grid),
        known.mark_rect()
        .encode(
            color=channel,
            opacity=shown,
            stroke=alt.condition(pointed, alt.value(TEXT), alt.value(BLANK)),
            strokeWidth=alt.condition(pointed, alt.value(2.5), alt.value(0.6)),
        )
        .add_params(pointed, *(param for param, _ in slices)),
        known.transform_filter("datum.uncontested")
        .mark_point(shape=hatching(grid), size=UNSCALED, strokeWidth=0.8, opacity=0.4)
        .encode(stroke=ink),
    ]
    if mark:
        marked = known.transform_filter(f"datum['{mark}']")
        layers += [
            marked.mark_rect(fill=None, stroke=ON_LIGHT, strokeWidth=2.6, opacity=1),
            marked.mark_rect(fill=None, stroke=ON_DARK, strokeWidth=1.1, opacity=1),
        ]
    layers += [
        known.transform_filter(f"datum.{column}")
        .mark_point(shape=_corner(grid, lower=lower), size=UNSCALED, filled=True, opacity=1)
        .encode(fill=ink)
        for column, lower in (("is_beyond", False), ("unsteady", True))
    ]
    if grid.is_labelled:
        bold = alt.ExprRef("datum.is_sure ? 'bold' : 'normal'")
        text = known.mark_text(fontSize=FONT_SIZE, fontWeight=bold, baseline="middle", dy=0.5)
        layers.append(text.encode(text="text:N", color=ink))
    return spec_of(alt.layer(*layers))


def drawn_cells(
    table: pl.DataFrame, value: str, colours: Colours, number_format: str
) -> pl.DataFrame:
    """Add what `cell_panel` draws of each cell: text, is_dark, is_beyond; is_sure, uncontested,
    unsteady.

    Args:
        table: with the column `value`, and n or is_sure (the value has an interval); contested and
            unsteady where they are known.
        number_format: of the values in print, as Python has it.
    """
    values = table[value].to_list()
    sure = pl.col("is_sure") if "is_sure" in table.columns else pl.col("n") > 1
    uncontested = ~pl.col("contested") if "contested" in table.columns else pl.lit(False)
    unsteady = pl.col("unsteady") if "unsteady" in table.columns else pl.lit(False)
    dark, beyond = (
        pl.Series(name, [v is not None and of(v) for v in values], pl.Boolean)
        for name, of in (("is_dark", colours.is_dark), ("is_beyond", colours.is_beyond))
    )
    return table.with_columns(
        pl.Series("text", [short(v, number_format) for v in values], pl.String),
        dark,
        beyond,
        sure.alias("is_sure"),
        uncontested.fill_null(False).alias("uncontested"),
        unsteady.fill_null(False).alias("unsteady"),
    )


def short(value: float | None, number_format: str) -> str:
    """Return a value as it is printed into a cell: fewer decimals where there are many digits."""
    if value is None:
        return ""
    text = format(value, number_format)
    sign = "+" if number_format.startswith("+") else ""
    for fewer in ("1", "0"):  # a cell has room for four characters
        if text[0] in "+-" and text[1:3] == "0." and len(text) > 4:
            text = text.replace("0.", ".", 1)
        if len(text) > 4 and "." in text:
            text = format(value, f"{sign}.{fewer}f")
    if not re.search("[1-9]", text):
        text = format(0.0, number_format).lstrip("+")  # neither above nor below it
        text = text.removeprefix("0") if number_format.startswith("+") and len(text) > 3 else text
    return text.replace("-", "−")


def slice_params(grid: Grid) -> list[tuple[alt.Parameter, str]]:
    """Return the choices below a live surface, one level or all, with the column of each."""
    params = []
    for name, axis in (("one_down", grid.down), ("one_across", grid.across)):
        if not 1 < len(axis.levels) <= MAX_SLICES:
            continue
        choice = alt.binding_select(
            options=[None, *axis.levels],
            labels=["all", *(f"{v:g}" for v in axis.levels)],
            name=f"{axis.title}: ",
        )
        params.append((alt.param(name=name, value=None, bind=choice), axis.field))
    return params


def _axes(grid: Grid) -> dict[str, alt.X | alt.Y]:
    """Return the axes of every panel: a panel that lacks a level of the grid has it empty."""
    plain = {"ticks": False, "grid": False, "domain": False, "labelFontSize": FONT_SIZE}
    plain |= {"labelOverlap": "parity", "titleFontSize": 10, "titlePadding": 7, "labelPadding": 3}
    plain |= {"labelLimit": 0}  # levels are numbers; a limit has each of them measured once more
    (x, x_title, across), (y, y_title, down) = grid.across, grid.down
    return {
        "x": alt.X(
            f"{x}:O",
            title=x_title,
            scale=alt.Scale(domain=across, padding=0),
            axis=alt.Axis(labelAngle=0, labelSeparation=3, **plain),
        ),
        "y": alt.Y(
            f"{y}:O",
            title=y_title,
            scale=alt.Scale(domain=down[::-1], padding=0),
            axis=alt.Axis(**plain),
        ),
    }


def _empty_cells(grid: Grid) -> list[alt.Chart]:
    """Return a layer for below the cells: the grid without values."""
    (x, _, across), (y, _, down) = grid.across, grid.down
    rows = [{x: a, y: d} for a in across for d in down]
    base = alt.Chart(pl.DataFrame(rows)).encode(**_axes(grid))
    return [base.mark_rect(fill=BLANK, stroke=RULE, strokeWidth=0.4)]


def hatching(grid: Grid) -> str:
    """Return the lines across a cell, rising to the right, as a path around the cell's middle."""
    w, h = grid.cell_width, grid.cell_height
    lines, start = [], -h + HATCH / 2
    while start < w:  # from the lower edge at `start`, up to the right; cut at the cell's sides
        low, high = max(start, 0.0), min(start + h, w)
        points = [(x - w / 2, h / 2 - (x - start)) for x in (low, high)]
        lines.append("M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points))
        start += HATCH
    return "".join(lines)


def _corner(grid: Grid, *, lower: bool = False) -> str:
    """Return the upper or lower right corner of a cell, as a path around the cell's middle."""
    w, h, size = grid.cell_width / 2, grid.cell_height / 2, 4
    if lower:
        return f"M{w - size:.1f},{h:.1f}L{w:.1f},{h:.1f}L{w:.1f},{h - size:.1f}Z"
    return f"M{w - size:.1f},{-h:.1f}L{w:.1f},{-h:.1f}L{w:.1f},{-h + size:.1f}Z"


# ---- the figure ---------------------------------------------------------------------------------


def cell_figure(
    panels: Sequence[dict],
    grid: Grid,
    columns: int | None = None,
    *,
    message: str = "",
    key: Sequence[str] = (),
) -> dict:
    """Return panels with one legend above them, headed by what they show and how to read it.

    Args:
        columns: panels next to each other; as many as there is room for.
        message: a sentence.
        key: short sentences on the marks in cells (`key_of`).
    """
    columns = min(columns or grid.columns, grid.columns, max(1, len(panels)))
    shared = {"color": "shared", "x": "independent", "y": "independent"}
    width = columns * (grid.width + AXIS_WIDTH + GAP)
    head = headed(message, " ".join(filter(None, key)), width)
    gaps = {"row": 14, "column": GAP}
    return wrapped(*panels, columns=columns, spacing=gaps, resolve=shared, **head)


def cell_title(name: str, grid: Grid, *lines: str) -> alt.Title:
    """Return a panel's heading, with smaller lines below it, as wide as the panel."""
    title = panel_title(name, *lines, width=grid.width + AXIS_WIDTH, narrow=True)
    title.frame = "bounds"
    return title


def key_of(cells: pl.DataFrame, colours: Colours | None = None, unit: str = "") -> list[str]:
    """Return how to read the cells of a figure: sentences on the marks that are in it.

    Args:
        colours: of values, whose means the figure names; None of a map of words.
        unit: of the values.
    """
    said = []
    sure = cells["is_sure"].sum()
    if sure == len(cells) and sure:
        said.append("Every value is a mean of repeats.")
    elif sure:
        said.append("Bold: mean of repeats; plain: one run, no interval.")
    elif len(cells):
        said.append("One run per cell: no value has an interval.")
    if cells["uncontested"].any():
        without = "; mean and extreme are without these cells" if colours else ""
        said.append(f"Hatched: uncontested, {NOTHING_LOST}{without}.")
    if "unsteady" in cells.columns and (n := int(cells["unsteady"].sum())):
        which = f"{n} {'cell' if n == 1 else 'cells'}"
        said.append(
            f"Lower corner filled: {which} that still change in the steady state (unsteady)."
        )
    if colours and (beyond := int(cells["is_beyond"].sum())):
        ends = f"±{colours.limit:g}" if colours.is_two_sided else f"{colours.domain[-1]:g}"
        cut = "1 cell" if beyond == 1 else f"{beyond} cells"
        said.append(f"Colours end at {f'{ends} {unit}'.strip()}; {cut} beyond: corner filled.")
    return said
