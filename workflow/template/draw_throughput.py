"""Draw the mean throughput of every flow by scenario."""

import altair as alt
import polars as pl
from evenflow.charts.base import save_chart
from evenflow.charts.theme import series_colours
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def throughput_chart(flow_metric: pl.DataFrame, run: pl.DataFrame) -> alt.Chart:
    """Return a chart with a point a flow and run, a row a scenario."""
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


def main(inputs: dict[str, str], output: str) -> None:
    """Read run and flow_metric; draw."""
    run, flow_metric = (read_table(inputs[name]) for name in ("run", "flow_metric"))
    save_chart(throughput_chart(flow_metric, run), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output[0])
