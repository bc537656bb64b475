"""Charts that several figures share. Units: Mb/s, ms and % only here and in prose."""

from __future__ import annotations

import json
import math
import re
import warnings
from html import escape
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert

from ..files import atomic_path
from .describe import describe
from .panels import ROWS, spec_of, wrapped
from .theme import BLANK, RULE, TEXT, house_style

IN_SLICE = "(one_rtt == null || datum.rtt_ms == one_rtt)"
IN_SLICE += " && (one_buffer == null || datum.buffer_pct == one_buffer)"
FADED = 0.12  # opacity of cells outside a slice
LABELLED_WIDTH, LABELLED_HEIGHT = 28, 12  # px; values are printed into cells at least so large
LABEL_WIDTH = 24  # px; of a label of the RTT's axis, with a gap
PANEL_WIDTH, PANEL_HEIGHT = 190, 100
STROKE = "M-0.3,0.3L0.3,-0.3"  # shape of a mark, in a square of -0.5 to 0.5: across a cell
# the same cell marked in all panels is one selection, and meant
warnings.filterwarnings("ignore", message="Automatically deduplicated selection parameter")
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
VIEW = re.compile(r"(\bview_)\d+\b")  # name of a view
GRADIENT = re.compile(r"(\bgradient_)\d+\b")
SPEC_ID = "vega-lite"  # of the element of an SVG that holds its specification
NO_RUN = "no run yet"
DIGITS = 5  # significant, of the data in it
# columns that a reader of a live chart is told of, or that lead to the runs behind a mark
ASKED = {"dataset_id", "part", "run_id", "scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp"}
ASKED |= {"n", "n_runs", "n_cells", "ci_low", "ci_high", "sd", "metric", "verdict"}
ASKED |= {"simulation_n", "testbed_n", "simulation", "testbed", "d", "w", "aqm", "mean"}


def save_chart(chart: alt.TopLevelMixin | dict, path: str | Path, *, is_live: bool = True) -> None:
    """Write a chart, or its specification, in the house style as SVG, atomically.

    The SVG carries what its data say in words (`describe`), as <desc>, for the alternative text of
    the figure. Unless its pages are without live charts (`is_live`), it carries its own Vega-Lite
    specification with the data (`live_spec`) too, in an element <metadata> that draws nothing: from
    it the pages in HTML draw the chart anew, as one to ask.
    """
    spec = house_style(json.loads(renumbered(VIEW, json.dumps(spec_of(chart)), 1)))
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
    svg = renumbered(GRADIENT, svg, 0)
    head, end, rest = svg.partition(">")
    carried = f"<desc>{escape(describe(spec), quote=False)}</desc>"
    if is_live:
        live = json.dumps(live_spec(spec), ensure_ascii=False, separators=(",", ":"))
        carried += f'<metadata id="{SPEC_ID}">{escape(live, quote=False)}</metadata>'
    with atomic_path(path) as temporary:
        temporary.write_text(f"{head}{end}{carried}{rest}", encoding="utf-8")


def renumbered(name: re.Pattern, text: str, start: int) -> str:
    """Return a text in which names that end in a number are numbered in their order.

    Views and gradients are counted on from figure to figure of a process: left so, a figure would
    be another file for those that were drawn before it.

    Args:
        name: pattern of the names; its first group is what stands before the number.
        start: number of the first.
    """
    found = dict.fromkeys(one[0] for one in name.finditer(text))
    order = {old: number for number, old in enumerate(found, start)}
    return name.sub(lambda one: f"{one[1]}{order[one[0]]}", text)


def live_spec(spec: dict) -> dict:
    """Return a specification with no more data than its page needs.

    Of the data the columns that the specification names, and of the others those that say which
    runs a mark is of and how sure it is (ASKED); numbers with DIGITS significant digits.
    """
    datasets = spec.get("datasets", {})
    named = json.dumps({name: part for name, part in spec.items() if name != "datasets"})
    columns = {name for rows in datasets.values() for row in rows for name in row}
    kept = {c for c in columns if c in ASKED or re.search(rf"\b{re.escape(c)}\b", named)}
    slim = {
        name: [{c: _short(v) for c, v in row.items() if c in kept} for row in rows]
        for name, rows in datasets.items()
    }
    return spec | {"datasets": slim}


def _short(value: object) -> object:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def on_grid(table: pl.DataFrame) -> pl.DataFrame:
    """Add the axes of the papers' surfaces: rtt_ms and buffer_pct, from base_rtt_s, buffer_bdp."""
    return table.with_columns(
        (pl.col("base_rtt_s") * 1000).round(3).alias("rtt_ms"),
        (pl.col("buffer_bdp") * 100).round(1).alias("buffer_pct"),
    )


def grid_axes(table: pl.DataFrame, width: int = PANEL_WIDTH) -> dict[str, alt.X | alt.Y]:
    """Return the axes of every panel of a figure: all RTTs (ms) and buffers (% of BDP) of `table`.

    A panel (`width` pixels) that lacks a row or a column of the grid then shows it empty.
    """
    rtts = table["rtt_ms"].unique().sort().to_list()
    buffers = table["buffer_pct"].unique().sort(descending=True).to_list()
    plain = {"ticks": False, "grid": False}
    return {
        "x": alt.X(
            "rtt_ms:O",
            title="RTT (ms)",
            scale=alt.Scale(domain=rtts),
            axis=alt.Axis(labelAngle=0, values=labelled(rtts, width), **plain),
        ),
        "y": alt.Y(
            "buffer_pct:O",
            title="Buffer (% of BDP)",
            scale=alt.Scale(domain=buffers),
            axis=alt.Axis(**plain),
        ),
    }


def labelled(values: list[float], width: int) -> list[float]:
    """Return the values of an axis that have room for a label: all, or every 2nd, 4th, ..., last.

    Args:
        values: of the axis, in order.
        width: of the axis, pixels.
    """
    every = 1
    while len(values) * LABEL_WIDTH > width * every:
        every *= 2
    return values[::-1][::every][::-1]


def whole_grid(axes: dict[str, alt.X | alt.Y]) -> pl.DataFrame:
    """Return every cell of a figure's grid: rtt_ms, buffer_pct."""
    rtts, buffers = (axes[name]["scale"]["domain"] for name in ("x", "y"))
    rows = [(float(rtt), float(buffer)) for rtt in rtts for buffer in buffers]
    return pl.DataFrame(rows, schema={"rtt_ms": pl.Float64, "buffer_pct": pl.Float64}, orient="row")


def empty_cells(axes: dict[str, alt.X | alt.Y]) -> list[alt.Chart]:
    """Return layers for below the cells: the grid without values, white with a dot."""
    base = alt.Chart(whole_grid(axes)).encode(**axes)
    return [
        base.mark_rect(fill=BLANK, stroke=RULE, strokeWidth=0.4),
        base.mark_text(text="·", color=RULE),
    ]


def span(n: pl.Series, between: str = "–") -> str:
    """Return the smallest and the largest of some counts, '1–3', or the one that all are."""
    low, high = n.min(), n.max()
    return f"{low}" if low == high else f"{low}{between}{high}"


def coverage(n: pl.Series) -> str:
    """Return how many cells a surface has and of how many runs: '40 cells, n = 1–3'.

    Args:
        n: the number of runs behind each cell that has a value.
    """
    if n.is_empty():
        return "no runs"
    return f"{len(n)} {'cell' if len(n) == 1 else 'cells'}, n = {span(n)}"


def coverage_of_both(difference: pl.DataFrame, missing: str = "no cell in common") -> str:
    """Return the same of a difference surface: S the simulation's runs a cell, T the testbed's.

    `missing`: what to say where there is no cell.
    """
    if difference.is_empty():
        return missing
    n = {side: span(difference[f"{side}_n"]) for side in ("simulation", "testbed")}
    cells = "cell" if len(difference) == 1 else "cells"
    return f"{len(difference)} {cells}; n of S {n['simulation']}, of T {n['testbed']}"


def note(text: str, width: int = 460, height: int = 60) -> alt.Chart:
    """Return an empty panel that says why it is empty."""
    data = pl.DataFrame({"text": [text]})
    return alt.Chart(data, width=width, height=height).mark_text(color=TEXT).encode(text="text:N")


def panel_title(text: str, *subtitle: str) -> alt.Title:
    """Return a panel's heading with smaller lines below it."""
    return alt.Title(text, subtitle=list(subtitle), subtitleFontSize=10, subtitleColor=TEXT)


def surface_panel(
    value: str,
    *,
    axes: dict[str, alt.X | alt.Y],
    legend: str,
    scheme: str,
    domain: list[float],
    label_format: str,
    white_where: str = "false",
    mark: str | None = None,
    hatch: str | None = None,
    width: int = PANEL_WIDTH,
) -> dict:
    """Return a heat map over RTT (ms) and buffer (% of BDP), to be `filled`.

    The table of a panel has the columns rtt_ms, buffer_pct and `value`, one row a cell. Cells of
    the grid without a row and cells with a null are drawn empty.

    Args:
        value: column of the colour.
        axes: result of `grid_axes` for the whole figure.
        legend: title of the colour's legend, with unit.
        scheme, domain: the colour scale, the same in all panels of a figure; two-sided schemes take
            [low, 0, high].
        label_format: format of the values printed into the cells, where these are large enough.
        white_where: Vega expression over `datum.<value>`, true where the cell is so dark that the
            value printed into it must be white.
        mark: a Boolean column; its cells get a frame.
        hatch: a Boolean column; its cells get a stroke across.
        width: of the panel, pixels.
    """
    scale = (
        alt.Scale(scheme=scheme, domain=[domain[0], domain[-1]], domainMid=domain[1], clamp=True)
        if len(domain) == 3
        else alt.Scale(scheme=scheme, domain=domain, clamp=True)
    )
    # in the live chart: the same cell marked in all panels, and slices of one RTT or one buffer
    pointed = alt.selection_point(
        name="pointed", fields=["rtt_ms", "buffer_pct"], on="pointerover", empty=False
    )
    slices = slice_params(axes)
    shown = alt.condition(IN_SLICE, alt.value(1), alt.value(FADED))
    base = alt.Chart(ROWS, width=width, height=PANEL_HEIGHT).encode(**axes)
    # Vega-Lite paints a null like the lowest value, whatever a condition says: two layers instead
    known = base.transform_filter(f"isValid(datum['{value}'])")
    grid = whole_grid(axes)
    layers = [
        *empty_cells(axes),
        known.mark_rect(strokeWidth=1)
        .encode(
            color=alt.Color(
                f"{value}:Q",
                scale=scale,
                legend=alt.Legend(title=legend, gradientLength=PANEL_HEIGHT),
            ),
            opacity=shown,
            stroke=alt.condition(pointed, alt.value(TEXT), alt.value("white")),
            strokeWidth=alt.condition(pointed, alt.value(2), alt.value(1)),
        )
        .add_params(pointed, *slices),
    ]
    cell_width = width / grid["rtt_ms"].n_unique()
    cell_height = PANEL_HEIGHT / grid["buffer_pct"].n_unique()
    if cell_width >= LABELLED_WIDTH and cell_height >= LABELLED_HEIGHT:
        color = alt.condition(white_where, alt.value("white"), alt.value(TEXT))
        layers.append(
            known.mark_text(fontSize=10).encode(
                text=alt.Text(f"{value}:Q", format=label_format), color=color
            )
        )
    if hatch:
        layers.append(hatched(base, hatch, cell_width * cell_height))
    if mark:
        marked = base.transform_filter(f"datum['{mark}']")
        layers.append(
            marked.mark_rect(fill=None, stroke="#D55E00", strokeWidth=2.5, cornerRadius=2)
        )
    return spec_of(alt.layer(*layers))


def hatched(base: alt.Chart, where: str, size: float) -> alt.Chart:
    """Return strokes across the cells of a surface of which a Boolean column is true.

    Args:
        size: of a cell, square pixels.
    """
    marked = base.transform_filter(f"datum['{where}']")
    return marked.mark_point(shape=STROKE, size=size, stroke=TEXT, strokeWidth=0.7)


def slice_params(axes: dict[str, alt.X | alt.Y]) -> list[alt.Parameter]:
    """Return the two choices below a live surface: one RTT, one buffer, or all of them."""
    params = []
    for axis, name, label in (("x", "one_rtt", "RTT (ms)"), ("y", "one_buffer", "Buffer (%)")):
        values = axes[axis]["scale"]["domain"]
        choice = alt.binding_select(
            options=[None, *values], labels=["all", *(f"{v:g}" for v in values)], name=f"{label}: "
        )
        params.append(alt.param(name=name, value=None, bind=choice))
    return params


def nice_domain(values: pl.Series, *, two_sided: bool = False, step: float) -> list[float]:
    """Return a colour domain that holds all values, rounded outwards to multiples of `step`.

    One-sided: [low, high]. Two-sided: [-m, 0, m].
    """
    values = values.drop_nulls()
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    if two_sided:
        limit = max(1, math.ceil(max(abs(low), abs(high)) / step)) * step
        return [-limit, 0.0, limit]
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return [low, high if high > low else low + step]


def panel_grid(panels: list[dict], columns: int) -> dict:
    """Return panels side by side, `columns` a row, with one legend."""
    shared = dict.fromkeys(("color", "x", "y"), "shared")
    return wrapped(*panels, columns=columns, spacing={"row": 24, "column": 18}, resolve=shared)
