"""The drawing of the topology. No measurement enters."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.theme import BLANK, TEXT

TOPOLOGY_WIDTH, HEIGHT = 460, 100  # px


def topology_chart() -> alt.LayerChart:
    """Return Figure 1: two senders, a router with the bottleneck's queue, two receivers."""
    places = {
        "sender 1": (0.0, 1.0),
        "sender 2": (0.0, 0.0),
        "router": (1.0, 0.5),
        "": (2.0, 0.5),  # where the links part again
        "receiver 1": (3.0, 1.0),
        "receiver 2": (3.0, 0.0),
    }
    links = [
        ("sender 1", "router", "flow 1's delay"),
        ("sender 2", "router", "flow 2's delay"),
        ("router", "", "bottleneck, one queue"),
        ("", "receiver 1", ""),
        ("", "receiver 2", ""),
    ]
    ends = pl.DataFrame(
        [(*places[a], *places[b], word) for a, b, word in links],
        schema=["x", "y", "x2", "y2", "word"],
        orient="row",
    ).with_columns(
        width=pl.when(pl.col("word").str.starts_with("bottleneck")).then(5.0).otherwise(1.4),
        middle_x=(pl.col("x") + pl.col("x2")) / 2,
        middle_y=(pl.col("y") + pl.col("y2")) / 2,
    )
    nodes = pl.DataFrame(
        [(name, *place) for name, place in places.items() if name], ["name", "x", "y"], orient="row"
    )

    def axis(kind: type, field: str, domain: list[float]) -> alt.X | alt.Y:
        return kind(f"{field}:Q", axis=None, scale=alt.Scale(domain=domain))

    wide, tall = [-0.35, 3.35], [-0.4, 1.4]
    x, y = axis(alt.X, "x", wide), axis(alt.Y, "y", tall)
    lines = (
        alt.Chart(ends, width=TOPOLOGY_WIDTH, height=HEIGHT)
        .mark_rule(color=TEXT)
        .encode(x=x, y=y, x2="x2", y2="y2", strokeWidth=alt.StrokeWidth("width:Q", scale=None))
    )
    at = (axis(alt.X, "middle_x", wide), axis(alt.Y, "middle_y", tall))
    words = [  # on the side of its link where there is room
        alt.Chart(ends.filter((pl.col("y2") > pl.col("y")) == rises))
        .mark_text(color=TEXT, fontSize=10, dy=dy)
        .encode(*at, text="word:N")
        for rises, dy in ((False, -12), (True, 16))
    ]
    boxes = alt.Chart(nodes).mark_point(shape="square", size=260, fill=BLANK, color=TEXT, opacity=1)
    names = alt.Chart(nodes).mark_text(color=TEXT, fontSize=11, fontWeight="bold", dy=20)
    return alt.layer(lines, boxes.encode(x=x, y=y), names.encode(x=x, y=y, text="name:N"), *words)
