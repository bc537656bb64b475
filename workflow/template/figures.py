"""Figures: a function draws reports/PAPER_NAME/figures/<its name>.svg from what it names."""

import altair as alt
import polars as pl
from evenflow.charts.theme import series_colours
from evenflow.papers import paper


@paper.figure
def throughput(flow_metric: pl.DataFrame, run: pl.DataFrame) -> alt.Chart:
    """Draw the mean throughput of every flow: a point a flow and run, a row a scenario."""
    points = flow_metric.join(run.select("run_id", "scenario_id"), on="run_id").select(
        "scenario_id",
        mbps=pl.col("mean_throughput_bps") / 1e6,
        flow=pl.format("flow {}", "flow_id"),
    )
    flows = points["flow"].unique().sort().to_list()
    return (
        alt.Chart(points)
        .mark_point(size=30)
        .encode(
            x=alt.X("mbps:Q", title="Mean throughput (Mb/s)"),
            y=alt.Y("scenario_id:N", title=None, axis=alt.Axis(labelLimit=300)),
            color=alt.Color("flow:N", title=None, scale=series_colours(flows)),
            shape=alt.Shape("flow:N", title=None, scale=alt.Scale(domain=flows)),
        )
        .properties(width=380, height=alt.Step(14))
    )
