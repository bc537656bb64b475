"""Draw the throughput of both flows over one run, a panel a data set.

The raw material of every surface: one run of the same cell on each platform, the first repeat. A
data set that lacks the cell shows the nearest that it has. The shaded part is the steady state that
metrics are computed from.
"""

import altair as alt
import polars as pl
from evenflow.charts.base import panel_title, save_chart
from evenflow.charts.panels import beside
from evenflow.charts.theme import EMPTY, variant_scale
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.scripting import reporting_errors
from evenflow.statistics.surfaces import nearest_run, on_the_grid
from evenflow.tables import read_table

HEADROOM = 1.1  # of the axis over the bandwidth of the bottleneck


def panel(
    sample: pl.DataFrame, flow: pl.DataFrame, run: dict, window: dict, ccas: list[str]
) -> alt.LayerChart:
    """Return both flows' throughput (Mb/s) against the run's clock (s).

    Args:
        sample, flow: tables of the data set.
        run: row of the run in `run`.
        window: its row in `window`: what is shaded.
        ccas: congestion controls of all panels.
    """
    sample = sample.filter(pl.col("run_id") == run["run_id"])
    end_s = run["duration_s"] or sample["t_end_s"].max()
    flow = flow.filter(pl.col("run_id") == run["run_id"])
    table = (
        sample.filter(pl.col("t_end_s") <= end_s)
        .join(flow.select("flow_id", "cca", "start_s"), on="flow_id")
        .filter(pl.col("t_start_s") >= pl.col("start_s"))
        .with_columns(
            (pl.col("throughput_bps") / 1e6).alias("mbps"),
            pl.col("cca").map_elements(variant_name, return_dtype=pl.String).alias("variant"),
        )
    )
    most = run["bottleneck_bps"] / 1e6 if run["bottleneck_bps"] else table["mbps"].max()
    top = [0, HEADROOM * (most or 1)]
    cell = f"{run['base_rtt_s'] * 1000:g} ms, {run['buffer_bdp'] * 100:g} % of BDP"
    title = panel_title(run["dataset_id"], f"{pairing_name(run['ccas'])}, {cell}")
    steady = {"from": [window["warmup_s"]], "to": [window["end_s"] or end_s]}
    shade = alt.Chart(pl.DataFrame(steady))
    lines = alt.Chart(table).encode(
        x=alt.X("t_end_s:Q", title="Time (s)", scale=alt.Scale(domain=[0, end_s])),
        y=alt.Y("mbps:Q", title="Throughput (Mb/s)", scale=alt.Scale(domain=top, clamp=True)),
        color=alt.Color("variant:N", scale=variant_scale("color", ccas), title="Flow 1, flow 2"),
        strokeDash=alt.StrokeDash("variant:N", scale=variant_scale("strokeDash", ccas)),
    )
    return alt.layer(
        shade.mark_rect(color=EMPTY).encode(x="from:Q", x2="to:Q"),
        lines.mark_line(strokeWidth=1.4),
        title=title,
    ).properties(width=240, height=170)


def main(inputs: dict[str, list[str]], example: dict, output: str) -> None:
    """Read the tables of every data set; draw the run of each that is nearest the example."""
    drawn = []
    names = ("sample", "flow", "run", "window")
    for paths in zip(*(inputs[name] for name in names), strict=True):
        sample, flow, runs, windows = map(read_table, paths)
        run = nearest_run(on_the_grid(runs).filter(pl.col("role") == "comparison"), example)
        window = windows.row(by_predicate=pl.col("run_id") == run["run_id"], named=True)
        drawn.append((sample, flow, run, window))
    ccas = in_order(list({cca for _, _, run, _ in drawn for cca in run["ccas"].split("-")}))
    panels = [panel(*tables, ccas) for tables in drawn]
    save_chart(beside(*panels, spacing=24), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.example, snakemake.output[0])
