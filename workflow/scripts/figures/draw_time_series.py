"""Draw the throughput of both flows over one run, a panel a data set.

The raw material of every surface: one run of the same cell on each platform, the first repeat. The
shaded part is the steady state that metrics are computed from.
"""

import altair as alt
import polars as pl
from evenflow.charts import save_chart
from evenflow.scripting import reporting_errors
from evenflow.theme import EMPTY, TEXT, variant_name, variant_scale


def panel(sample: pl.DataFrame, flow: pl.DataFrame, run: dict, warmup_s: float) -> alt.LayerChart:
    """Return both flows' throughput (Mb/s) against the run's clock (s)."""
    flow = flow.filter(pl.col("run_id") == run["run_id"])
    table = (
        sample.filter(pl.col("run_id") == run["run_id"], pl.col("t_end_s") <= run["duration_s"])
        .join(flow.select("flow_id", "cca", "start_s"), on="flow_id")
        .filter(pl.col("t_start_s") >= pl.col("start_s"))
        .with_columns(
            (pl.col("throughput_bps") / 1e6).alias("mbps"),
            pl.col("cca").map_elements(variant_name, return_dtype=pl.String).alias("variant"),
        )
    )
    ccas = flow.sort("flow_id")["cca"].to_list()
    window = alt.Chart(pl.DataFrame({"from": [warmup_s], "to": [run["duration_s"]]}))
    lines = alt.Chart(table).encode(
        x=alt.X("t_end_s:Q", title="Time (s)", scale=alt.Scale(domain=[0, run["duration_s"]])),
        y=alt.Y("mbps:Q", title="Throughput (Mb/s)", scale=alt.Scale(domain=[0, 110], clamp=True)),
        color=alt.Color("variant:N", scale=variant_scale("color", ccas), title="Flow 1, flow 2"),
        strokeDash=alt.StrokeDash("variant:N", scale=variant_scale("strokeDash", ccas)),
    )
    return alt.layer(
        window.mark_rect(color=EMPTY).encode(x="from:Q", x2="to:Q"),
        lines.mark_line(strokeWidth=1.4),
        title=alt.Title(run["dataset_id"], color=TEXT),
    ).properties(width=240, height=170)


def main(inputs: dict[str, list[str]], example: dict, warmup_s: float, output: str) -> None:
    """Read sample, flow and run of every data set; draw the example's cell of each that has it."""
    panels = []
    for paths in zip(inputs["sample"], inputs["flow"], inputs["run"], strict=True):
        sample, flow, runs = map(pl.read_parquet, paths)
        found = runs.filter(
            pl.col("role") == "comparison",
            pl.col("ccas") == example["ccas"],
            (pl.col("base_rtt_s") * 1000 - example["rtt_ms"]).abs() < 1e-6,
            (pl.col("buffer_bdp") * 100 - example["buffer_pct"]).abs() < 1e-6,
        ).sort("repeat")
        if len(found):
            panels.append(panel(sample, flow, found.row(0, named=True), warmup_s))
    save_chart(alt.hconcat(*panels, spacing=24), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.example, params.warmup_s, snakemake.output[0])
