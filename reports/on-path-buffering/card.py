"""The figure of the site's first page: the second of two BIC flows by buffer, at both routers."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.card import LETTERS, card
from evenflow.charts.theme import series_colours
from evenflow.evidence.say import tags_of

from .design import ROUTERS, SETUPS

KEY = "Geometric mean over all RTTs of the grid."
HEIGHT = 170  # px


def buffer_card(surface: pl.DataFrame, message: str) -> dict:
    """Return flow 2's throughput against the buffer, BIC against BIC, a line a router.

    Args:
        surface: the table `surface`.
        message: what it shows.
    """
    cells = surface.filter(
        pl.col("part").is_in(ROUTERS),
        role="calibration",
        ccas="bic-bic",
        metric="mean_throughput_bps_flow2",
    )
    lines = (
        cells.group_by("part", "buffer_bdp")
        .agg(
            (pl.col("mean").sort_by("base_rtt_s").log().mean().exp() / 1e6).alias("mbps"),
            *(pl.col(tag).sort_by("base_rtt_s") for tag in tags_of(cells)),
        )
        .sort("part", "buffer_bdp")
        .with_columns(
            router=pl.col("part").replace_strict(SETUPS), percent=100 * pl.col("buffer_bdp")
        )
    )
    names = [SETUPS[part] for part in ROUTERS]
    legend = alt.Legend(title=None, orient="top")
    values = lines["percent"].unique().sort().to_list()
    base = alt.Chart(lines, height=HEIGHT).encode(
        x=alt.X(
            "percent:Q",
            title="Buffer (% of BDP)",
            scale=alt.Scale(zero=False, nice=False, padding=14),
            axis=alt.Axis(values=values, grid=False),
        ),
        y=alt.Y("mbps:Q", title="Flow 2 (Mb/s)", axis=alt.Axis(tickCount=5)),
        color=alt.Color("router:N", sort=names, scale=series_colours(names), legend=legend),
    )
    shape = alt.Shape("router:N", sort=names, scale=alt.Scale(domain=names), legend=legend)
    said = base.transform_filter(f"datum.percent == {values[0]}").mark_text(
        dy=-11, fontSize=LETTERS
    )
    drawn = alt.layer(
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=50, opacity=1).encode(shape=shape),
        said.encode(text=alt.Text("mbps:Q", format=".0f")),
    )
    return card(drawn, message, KEY)
