"""Surfaces as lines over the RTT, a line a buffer: what a heat map of eighty numbers hides.

A panel a pairing, a row of panels a quantity or a data set. A hollow point is an uncontested cell,
in which no run lost a packet at the bottleneck: there is nothing to be fair about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, on_grid, span
from evenflow.charts.panels import ROWS, below, beside, filled, panel_title, spec_of, titled
from evenflow.charts.surfaces import pairing_title
from evenflow.charts.theme import BLANK, BUFFERS, RULE
from evenflow.congestion_controls import in_order
from evenflow.evidence.say import tags_of

WIDTH, HEIGHT = 122, 95  # px, of a panel
LABELLED_MS = (25, 50, 100, 200, 400)  # RTTs that an axis has room for
KEY = "One line per buffer; points: means of {n} runs; hollow: uncontested, no run lost a packet."


class Row(NamedTuple):
    """A row of panels: its name, the cells, and the axis that its panels share.

    cells: ccas, base_rtt_s, buffer_bdp, contested, n (runs) and value, of print.
    title: of the axis. level: at which nothing differs; a thin line. log: whether values are
    ratios, on a logarithmic axis. ends: of the axis, if not those of the values.
    """

    name: str
    cells: pl.DataFrame
    title: str
    level: float | None = None
    log: bool = False
    ends: tuple[float, float] | None = None


def lines_by_rtt(rows: Sequence[Row], message: str, role: str = "comparison") -> dict:
    """Return the rows of panels below each other, a column a pairing.

    Args:
        rows: in order; a row without a cell is left out.
        message: what the figure shows.
        role: of the runs; in a calibration both flows are of one variant.
    """
    rows = [row._replace(cells=on_grid(row.cells).drop_nulls("value")) for row in rows]
    rows = [row for row in rows if len(row.cells)]
    every = pl.concat([row.cells.select("ccas", "rtt_ms", "buffer_pct") for row in rows])
    pairings = in_order(every["ccas"].unique(maintain_order=True).to_list())
    buffers = [f"{buffer:g} %" for buffer in every["buffer_pct"].unique().sort()]
    lines = []
    for row in rows:
        panels = []
        for ccas in pairings:
            cells = row.cells.filter(ccas=ccas).with_columns(
                buffer=pl.format("{} %", pl.col("buffer_pct").cast(pl.Int64)),
                point=pl.when("contested").then(pl.lit("contested")).otherwise(pl.lit("not")),
            )
            heading = panel_title(pairing_title(ccas, role), row.name if len(cells) else NO_RUN)
            heading.frame = "group"  # at one height in all of a row
            drawn = _panel(row, every["rtt_ms"], buffers, first=not panels)
            columns = ["rtt_ms", "buffer", "value", "point", *tags_of(cells)]
            panels.append(filled(drawn, cells.select(columns), heading))
        lines.append(beside(*panels, spacing=10))
    n = span(pl.concat([row.cells["n"] for row in rows]))
    return titled(below(*lines, spacing=14), message, KEY.format(n=n))


def _panel(row: Row, rtts: pl.Series, buffers: Sequence[str], *, first: bool) -> dict:
    """Return one panel of ROWS; the first of a row names its axis."""
    ends = [rtts.min(), rtts.max()]
    labels = [value for value in LABELLED_MS if ends[0] <= value <= ends[1]]
    x = alt.X(
        "rtt_ms:Q",
        title="RTT (ms)",
        scale=alt.Scale(type="log", domain=ends, nice=False, padding=6),
        axis=alt.Axis(values=labels or sorted(set(rtts)), grid=False, format="~g"),
    )
    values = row.cells["value"]
    values = values.filter(values > 0) if row.log else values
    low, high = row.ends or (values.min(), values.max())
    if row.level is not None:
        low, high = min(low, row.level), max(high, row.level)
    kind = {"type": "log"} if row.log else {"zero": False}
    scale = alt.Scale(**kind, domain=[low, high], nice=False, padding=6)
    shown = {"title": row.title} if first else {"title": None}
    axis = alt.Axis(
        labels=first, tickCount=5, format=".4~g", **shown, **_values(low, high, row.log)
    )
    y = alt.Y("value:Q", scale=scale, axis=axis)
    names = list(buffers)
    shades = alt.Scale(domain=names, range=[_shade(name) for name in names])
    legend = alt.Legend(title="Buffer (% of BDP)", orient="top", titleOrient="left")
    colour = alt.Color("buffer:O", sort=names, scale=shades, legend=legend)
    base = alt.Chart(ROWS, width=WIDTH, height=HEIGHT).encode(x=x, y=y, color=colour)
    points = base.mark_point(size=16, strokeWidth=1, opacity=1)
    layers = [
        base.mark_line(strokeWidth=1.1, opacity=1),
        points.transform_filter("datum.point == 'contested'").encode(fill=colour),
        points.transform_filter("datum.point == 'not'").encode(fill=alt.value(BLANK)),
    ]
    if row.level is not None:
        at = alt.Chart(ROWS).mark_rule(color=RULE, strokeWidth=1).encode(y=alt.datum(row.level))
        layers.insert(0, at)
    return spec_of(alt.layer(*layers))


def _shade(buffer: str) -> str:
    """Return the colour of a buffer, '20 %': that of the nearest one that has one."""
    percent = float(buffer.split()[0])
    return BUFFERS[min(BUFFERS, key=lambda known: abs(known - percent))]


def _values(low: float, high: float, log: bool) -> dict:
    """Return the ticks of a logarithmic axis: powers of ten, and between few of them the threes."""
    if not log:
        return {}
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 3) if high / low < 300 else (1,)
    values = [step * 10.0**power for power in powers for step in steps]
    return {"values": [float(f"{v:.6g}") for v in values if low <= v <= high]}
