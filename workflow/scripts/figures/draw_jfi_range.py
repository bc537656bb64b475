"""Draw Jain's index of two flows against the ratio of their throughputs.

on-path-buffering, Figure 2, and ns2-vs-testbed, Figure 3. No measurement enters; the curve shows
what a value of the index means.
"""

import altair as alt
import polars as pl
from evenflow.charts.base import save_chart
from evenflow.charts.theme import ACCENT, TEXT
from evenflow.metrics.fairness import two_flow_curve
from evenflow.scripting import reporting_errors


def chart(table: pl.DataFrame) -> alt.LayerChart:
    """Return the curve with the lower bound for two flows, 1/N = 0.5."""
    line = (
        alt.Chart(table, width=420, height=220)
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
    return alt.layer(
        line,
        bound.encode(y="jfi:Q"),
        name.mark_text(dy=-8, color=TEXT, fontSize=10).encode(x="ratio:Q", y="jfi:Q", text="text"),
    )


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        save_chart(chart(two_flow_curve()), snakemake.output[0])
