"""The dumbbell of the testbed (docs/explanation/testbed.md). No measurement enters."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.panels import titled
from evenflow.charts.theme import ACCENT, TEXT

# place across and up, name, what it does
NODES = [
    (0, 1, "sender 1", "TCP, iperf"),
    (0, 0, "sender 2", "TCP, iperf"),
    (1, 1, "hop 1", "jitter"),
    (1, 0, "hop 2", "jitter"),
    (2.5, 0.5, "router", "rate, buffer"),
    (3.9, 0.5, "delay", "RTT / 2"),
    (5.4, 1, "receiver 1", "way back: RTT / 2"),
    (5.4, 0, "receiver 2", "way back: RTT / 2"),
]
# from, to, whether it is the bottleneck
LINKS = [(0, 2, False), (1, 3, False), (2, 4, False), (3, 4, False), (4, 5, True), (5, 6, False),
         (5, 7, False)]  # fmt: skip


MESSAGE = "Two flows share one bottleneck and the one finite buffer in front of it"


def topology_chart() -> dict:
    """Return the drawing: nodes with what they do, links, the bottleneck heavier."""
    nodes = pl.DataFrame(NODES, schema=["x", "y", "name", "does"], orient="row")
    links = pl.DataFrame(
        [(*NODES[one][:2], *NODES[two][:2], heavy) for one, two, heavy in LINKS],
        schema=["x", "y", "x2", "y2", "bottleneck"],
        orient="row",
    )
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.5, 5.9]), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-0.4, 1.5]), axis=None)
    width = alt.condition("datum.bottleneck", alt.value(4), alt.value(1.2))
    line = alt.Chart(links, width=560, height=170).mark_rule(color=TEXT)
    at = alt.Chart(nodes).encode(x=x, y=y)
    drawing = alt.layer(
        line.encode(x=x, y=y, x2="x2:Q", y2="y2:Q", strokeWidth=width),
        at.mark_circle(size=260, color=ACCENT, opacity=1),
        at.mark_text(dy=-31, color=TEXT, fontSize=11, fontWeight="bold").encode(text="name:N"),
        at.mark_text(dy=-18, color=TEXT, fontSize=9).encode(text="does:N"),
    )
    return titled(drawing, MESSAGE)
