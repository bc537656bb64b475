"""The figure of the site's first page: utilisation of both links against the buffer."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.card import card
from evenflow.charts.theme import series_colours

from .design import link_name, many_flows

KEY = "Line: the original's model. Points: ns-2's own HighSpeed TCP. Bars: intervals over repeats."
HEIGHT = 170  # px
VALUES = [2, 5, 10, 20, 40, 100]  # %, of the axis of the buffer


def utilisation_card(model: pl.DataFrame, cell: pl.DataFrame, message: str) -> dict:
    """Return the utilisation of each link with DropTail: the model's line, the cells' points.

    Args:
        model: the table `model_point`.
        cell: the table `buffer_cell`.
        message: what it shows.
    """
    percent = pl.col("fraction") * 100
    link = pl.col("bottleneck_bps").map_elements(link_name, return_dtype=pl.String)
    curve = model.filter(aqm="droptail", reading="taken").with_columns(
        percent=percent, used=100 * pl.col("utilisation"), link=link
    )
    points = many_flows(cell).filter(aqm="droptail", metric="utilisation", implementation="sack1")
    points = points.with_columns(pl.col("ci_low", "ci_high") * 100, percent=percent,
                                 used=100 * pl.col("mean"), link=link)  # fmt: skip
    names = points.sort("bottleneck_bps")["link"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title=None, orient="top")
    colour = alt.Color("link:N", sort=names, scale=series_colours(names), legend=legend)
    x = alt.X(
        "percent:Q",
        title="Buffer (% of the original's largest, logarithmic)",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(values=VALUES, grid=False, format="~g"),
    )
    scale = alt.Scale(domain=[0, 100], clamp=True)
    y = alt.Y("used:Q", title="Utilisation (%)", scale=scale, axis=alt.Axis(tickCount=5))
    shape = alt.Shape("link:N", sort=names, scale=alt.Scale(domain=names), legend=legend)
    line = alt.Chart(curve, height=HEIGHT).encode(x=x, y=y, color=colour)
    dots = alt.Chart(points).encode(x=x, color=colour)
    bars = dots.transform_filter("isValid(datum.ci_low)").mark_rule(strokeWidth=1.5, clip=True)
    drawn = alt.layer(
        line.mark_line(strokeWidth=1.8),
        bars.encode(y=alt.Y("ci_low:Q", scale=scale), y2="ci_high:Q"),
        dots.mark_point(filled=True, size=50, opacity=1).encode(y=y, shape=shape),
    )
    return card(drawn, message, KEY)
