"""The figure of the site's first page: exponents of RTT bias with one of the two queues."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.card import card
from evenflow.charts.theme import BLANK, PLATFORMS, RULE
from evenflow.congestion_controls import variant_name

from .exponents import exponents_of_claims
from .metrics import QUEUES, VARIANTS

QUEUE = "bdp20"
KEY = (
    "Queue of {queue}. 1: throughput inversely proportional to the RTT; lines: intervals; hollow: "
    "a transient."
)
STEP = 32  # px, of a variant


def exponent_card(claim: pl.DataFrame, message: str) -> dict:
    """Return the exponent of each variant with that queue, a mark a platform.

    Args:
        claim: the table `claim`.
        message: what it shows.
    """
    names, colours, shapes = zip(*PLATFORMS.values(), strict=True)
    known = exponents_of_claims(claim).filter(queue=QUEUE)
    known = known.with_columns(
        platform=pl.col("part").replace({part: name for part, (name, *_) in PLATFORMS.items()}),
        variant=pl.col("cca").map_elements(variant_name, return_dtype=pl.String),
        state=pl.when("transient").then(pl.lit("transient")).otherwise(pl.lit("steady")),
    )
    order = [variant_name(cca) for cca in VARIANTS if cca in known["cca"].to_list()]
    legend = alt.Legend(title=None, orient="top")
    colour = alt.Color(
        "platform:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=legend
    )
    x = alt.X("exponent:Q", title="Exponent of the RTT ratio", axis=alt.Axis(tickCount=6))
    base = alt.Chart(known, height={"step": STEP, "for": "position"}).encode(
        y=alt.Y("variant:N", title=None, sort=order),
        yOffset=alt.YOffset("platform:N", scale=alt.Scale(domain=names)),
        color=colour,
    )
    shape = alt.Shape(
        "platform:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=legend
    )
    equal = alt.Chart(pl.DataFrame({"at": [1.0]})).mark_rule(color=RULE, strokeWidth=1.5)
    dots = [
        base.transform_filter(f"datum.state == '{state}'")
        .mark_point(size=50, strokeWidth=1.5, opacity=1)
        .encode(x=x, shape=shape, fill=fill)
        for state, fill in (("steady", colour), ("transient", alt.value(BLANK)))
    ]
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.5)
    drawn = alt.layer(equal.encode(x="at:Q"), bars.encode(x="low:Q", x2="high:Q"), *dots)
    return card(drawn, message, KEY.format(queue=QUEUES[QUEUE]))
