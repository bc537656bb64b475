"""Charts that several figures share. Units: Mb/s, ms and % only here and in prose."""

from __future__ import annotations

import math
from pathlib import Path

import altair as alt
import polars as pl

from .files import atomic_path
from .theme import EMPTY, TEXT, themed

MAX_LABELLED_CELLS = 40  # values are printed into the cells of surfaces up to this size
PANEL_WIDTH, PANEL_HEIGHT = 190, 120


def save_chart(chart: alt.TopLevelMixin, path: str | Path) -> None:
    """Write a chart in the house style as SVG, atomically."""
    with atomic_path(path) as temporary:
        themed(chart).save(str(temporary), format="svg")


def on_grid(table: pl.DataFrame) -> pl.DataFrame:
    """Add the axes of the papers' surfaces: rtt_ms and buffer_pct, from base_rtt_s, buffer_bdp."""
    return table.with_columns(
        (pl.col("base_rtt_s") * 1000).round(3).alias("rtt_ms"),
        (pl.col("buffer_bdp") * 100).round(1).alias("buffer_pct"),
    )


def grid_axes(table: pl.DataFrame) -> dict[str, alt.X | alt.Y]:
    """Return the axes of every panel of a figure: all RTTs (ms) and buffers (% of BDP) of `table`.

    A panel that lacks a row or a column of the grid then shows it empty.
    """
    rtts = table["rtt_ms"].unique().sort().to_list()
    buffers = table["buffer_pct"].unique().sort(descending=True).to_list()
    plain = {"ticks": False, "grid": False}
    return {
        "x": alt.X(
            "rtt_ms:O",
            title="RTT (ms)",
            scale=alt.Scale(domain=rtts),
            axis=alt.Axis(labelAngle=0, **plain),
        ),
        "y": alt.Y(
            "buffer_pct:O",
            title="Buffer (% of BDP)",
            scale=alt.Scale(domain=buffers),
            axis=alt.Axis(**plain),
        ),
    }


def surface_panel(
    table: pl.DataFrame,
    value: str,
    *,
    axes: dict[str, alt.X | alt.Y],
    title: str | list[str],
    legend: str,
    scheme: str,
    domain: list[float],
    label_format: str,
    white_where: str = "false",
    mark: str | None = None,
    width: int = PANEL_WIDTH,
) -> alt.LayerChart:
    """Return a heat map over RTT (ms) and buffer (% of BDP).

    Args:
        table: rtt_ms, buffer_pct, the column `value`; one row a cell. Cells without a row and cells
            with a null stay empty.
        value: column of the colour.
        axes: result of `grid_axes` for the whole figure.
        title: the panel's heading.
        legend: title of the colour's legend, with unit.
        scheme, domain: the colour scale, the same in all panels of a figure; two-sided schemes take
            [low, 0, high].
        label_format: format of the values printed into the cells.
        white_where: Vega expression over `datum.<value>`, true where the cell is so dark that the
            value printed into it must be white.
        mark: a Boolean column; its cells get a frame.
        width: of the panel, pixels.
    """
    scale = (
        alt.Scale(scheme=scheme, domain=[domain[0], domain[-1]], domainMid=domain[1], clamp=True)
        if len(domain) == 3
        else alt.Scale(scheme=scheme, domain=domain, clamp=True)
    )
    base = alt.Chart(table, width=width, height=PANEL_HEIGHT, title=title).encode(**axes)
    # Vega-Lite paints a null like the lowest value, whatever a condition says: two layers instead
    known = base.transform_filter(f"isValid(datum['{value}'])")
    layers = [
        base.mark_rect(fill=EMPTY, stroke="white", strokeWidth=1),
        known.mark_rect(stroke="white", strokeWidth=1).encode(
            color=alt.Color(
                f"{value}:Q",
                scale=scale,
                legend=alt.Legend(title=legend, gradientLength=PANEL_HEIGHT),
            )
        ),
    ]
    if len(table) <= MAX_LABELLED_CELLS:
        color = alt.condition(white_where, alt.value("white"), alt.value(TEXT))
        layers.append(
            known.mark_text(fontSize=10).encode(
                text=alt.Text(f"{value}:Q", format=label_format), color=color
            )
        )
    if mark:
        marked = base.transform_filter(f"datum['{mark}']")
        layers.append(
            marked.mark_rect(fill=None, stroke="#D55E00", strokeWidth=2.5, cornerRadius=2)
        )
    return alt.layer(*layers)


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


def panel_grid(panels: list[alt.LayerChart], columns: int) -> alt.ConcatChart:
    """Return panels side by side, `columns` a row, with one legend."""
    return alt.concat(*panels, columns=columns, spacing={"row": 24, "column": 18}).resolve_scale(
        color="shared", x="shared", y="shared"
    )
