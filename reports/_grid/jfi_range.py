"""Jain's index of two flows against the ratio of their throughputs: what a value of it means.

No measurement enters.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.panels import titled
from evenflow.charts.theme import ACCENT, TEXT
from evenflow.metrics.fairness import two_flow_curve

SHARED = (2, 10, 100)  # ratios whose index the title names


def message() -> str:
    """Return what the curve shows: its value at some ratios."""
    curve = two_flow_curve()
    at = {r: curve.row((curve["ratio"] - r).abs().arg_min(), named=True)["jfi"] for r in SHARED}
    named = ", ".join(f"{index:.2f} at a ratio of {ratio}" for ratio, index in at.items())
    return f"Jain's index of two throughputs is {named}"


def jfi_range_chart() -> dict:
    """Return the curve with the lower bound for two flows, 1/N = 0.5."""
    line = (
        alt.Chart(two_flow_curve(), width=520, height=170)
        .mark_line(color=ACCENT, strokeWidth=2)
        .encode(
            x=alt.X(
                "ratio:Q",
                scale=alt.Scale(type="log", domain=[0.01, 100]),
                title="Throughput of flow 1 / throughput of flow 2",
                axis=alt.Axis(values=[0.01, 0.1, 1, 10, 100], format="~g"),
            ),
            y=alt.Y("jfi:Q", scale=alt.Scale(domain=[0.45, 1.0]), title="Jain's fairness index"),
        )
    )
    bound = alt.Chart(pl.DataFrame({"jfi": [0.5]})).mark_rule(color=TEXT, strokeDash=[4, 3])
    name = alt.Chart(pl.DataFrame({"jfi": [0.5], "ratio": [1.0], "text": ["1/N = 0.5"]}))
    drawn = alt.layer(
        line,
        bound.encode(y="jfi:Q"),
        name.mark_text(dy=-8, color=TEXT, fontSize=10).encode(x="ratio:Q", y="jfi:Q", text="text"),
    )
    return titled(drawn, message())
