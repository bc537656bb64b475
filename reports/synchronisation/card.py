"""The figure of the site's first page: exponents of both queues, fast sources."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, note
from evenflow.charts.card import LETTERS, card
from evenflow.charts.theme import RULE, TEXT, series_colours
from evenflow.congestion_controls import variant_name
from evenflow.kit.panels import known

from .design import BURSTY_KBPS, VARIANTS
from .words import queue_name

KEY = "1: throughputs inversely proportional to the RTTs; lines: intervals over repeats."
QUEUES = {"droptail": -7, "red": 7}  # px above and below the middle of a row
BETA = "beta_measured"


def exponent_card(scenario: pl.DataFrame, message: str) -> dict:
    """Return the exponent of each variant with fast sources, a mark a queue.

    Args:
        scenario: the table `scenario`.
        message: what it shows.
    """
    points = scenario.filter(background="exponential", source_kbps=BURSTY_KBPS)
    points = known(points, BETA)
    if points.is_empty():
        return card(note(NO_RUN), message)
    points = points.with_columns(
        name=pl.col("variant").map_elements(variant_name, return_dtype=pl.String),
        queue=pl.col("aqm").map_elements(queue_name, return_dtype=pl.String),
        right=pl.max_horizontal(BETA, f"{BETA}_high"),
    )
    names = [queue_name(aqm) for aqm in QUEUES]
    legend = alt.Legend(title=None, orient="top")
    row = alt.Y("name:N", title=None, sort=[variant_name(v) for v in VARIANTS])
    base = alt.Chart(points, height={"step": 40}).encode(
        y=row, color=alt.Color("queue:N", scale=series_colours(names), sort=names, legend=legend)
    )
    end = max(points["right"]) + 0.9
    x = alt.X(f"{BETA}:Q", title="Exponent of the RTT ratio", scale=alt.Scale(domain=[0, end]))
    shape = alt.Shape("queue:N", scale=alt.Scale(domain=names), legend=legend)
    equal = alt.Chart(pl.DataFrame({"at": [1.0]})).mark_rule(color=RULE, strokeWidth=1.5)
    layers = [equal.encode(x="at:Q")]
    for aqm, off in QUEUES.items():
        mine = base.transform_filter(f"datum.aqm == '{aqm}'")
        text = {"dx": 7, "align": "left", "fontSize": LETTERS, "color": TEXT, "yOffset": off}
        layers += [
            mine.transform_filter(f"isValid(datum.{BETA}_low)")
            .mark_rule(strokeWidth=1.5, yOffset=off, y2Offset=off)
            .encode(x=f"{BETA}_low:Q", x2=f"{BETA}_high:Q"),
            mine.mark_point(filled=True, size=60, opacity=1, yOffset=off).encode(x=x, shape=shape),
            mine.mark_text(**text).encode(
                x="right:Q", text=alt.Text(f"{BETA}:Q", format=".1f"), color=alt.value(TEXT)
            ),
        ]
    return card(alt.layer(*layers), message, KEY)
