"""The figure of the site's first page: what NewReno gets in ns-2 over what it gets on Linux."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.card import card
from evenflow.charts.theme import RULE, variant_scale
from evenflow.congestion_controls import variant_name

SHOWN = ("newreno", "bic", "cubic")
KEY = "Whiskers: {:g} % intervals over repeats. No window limits a flow here."
HEIGHT = 170  # px
VALUES = [0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.2]  # of the axis


def ratio_card(ratio: pl.DataFrame, part: str, message: str, confidence: float) -> dict:
    """Return NewReno's throughput in ns-2 over that on a testbed by RTT, a line a competitor.

    Args:
        ratio: the table `ratio`.
        part: the testbed.
        message: what it shows.
        confidence: of the intervals.
    """
    table = ratio.filter(pl.col("cca").is_in(SHOWN), part=part).with_columns(
        rtt_ms=1000 * pl.col("base_rtt_s"),
        against=pl.col("cca").map_elements(variant_name, return_dtype=pl.String),
    )
    names = [variant_name(cca) for cca in SHOWN]
    legend = alt.Legend(title="against", orient="top", titleOrient="left")
    base = alt.Chart(table, height=HEIGHT).encode(
        x=alt.X(
            "rtt_ms:Q",
            title="RTT (ms)",
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=alt.Axis(values=sorted(table["rtt_ms"].unique()), grid=False, format="~g"),
        ),
        color=alt.Color(
            "against:N", sort=names, scale=variant_scale("color", list(SHOWN)), legend=legend
        ),
    )
    scale = alt.Scale(type="log", nice=False, padding=6)
    y = alt.Y(
        "ratio:Q",
        title="NewReno, ns-2 / Linux",
        scale=scale,
        axis=alt.Axis(values=VALUES, format="~g"),
    )
    shape = alt.Shape("against:N", sort=names, scale=alt.Scale(domain=names), legend=legend)
    equal = alt.Chart(pl.DataFrame({"at": [1.0]})).mark_rule(color=RULE, strokeWidth=1.5)
    drawn = alt.layer(
        equal.encode(y=alt.Y("at:Q", scale=scale)),
        base.mark_line(strokeWidth=1.6).encode(y=y),
        base.mark_rule(strokeWidth=1.3).encode(y=alt.Y("ratio_low:Q"), y2="ratio_high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(y=y, shape=shape),
    )
    return card(drawn, message, KEY.format(100 * confidence))
