"""Draw how Jain's index moves with the start of the steady state: mean over the cells of a pairing.

Lines: fixed starts; open point at the right: MSER-5's estimate for each run.
"""

import altair as alt
import polars as pl
from evenflow.charts.base import panel_title, save_chart, span
from evenflow.charts.panels import beside
from evenflow.charts.theme import variant_scale
from evenflow.congestion_controls import in_order, variant_name
from evenflow.scripting import reporting_errors
from evenflow.statistics.surfaces import on_the_grid
from evenflow.tables import read_table

MSER5 = "MSER-5"


def means(sensitivity: str, run: str) -> pl.DataFrame:
    """Return dataset_id, cca of flow 2 against NewReno, start (s, or MSER-5), and the mean index
    over the cells, n_cells.
    """
    runs = on_the_grid(read_table(run)).filter(
        pl.col("role") == "comparison", pl.col("ccas").str.starts_with("newreno-")
    )
    table = read_table(sensitivity).filter(pl.col("parameter").is_in(["warmup_s", "warmup_mser5"]))
    start = pl.col("value").fill_null(MSER5)
    return (
        table.drop("warmup_s")
        .join(runs.select("run_id", "scenario_id", "ccas", "dataset_id"), on="run_id")
        .group_by("dataset_id", "ccas", "scenario_id", start.alias("start"))
        .agg(pl.col("jfi").mean())
        .group_by("dataset_id", "ccas", "start")
        .agg(pl.col("jfi").mean(), pl.len().alias("n_cells"))
        .with_columns(pl.col("ccas").str.split("-").list.last().alias("cca"))
        .sort("dataset_id", "ccas", "start")
    )


def panel(table: pl.DataFrame, starts: list[str], ccas: list[str]) -> alt.Chart:
    """Return one data set's lines, a line a variant of flow 2; `ccas` are those of all panels."""
    named = table.with_columns(
        pl.col("cca").map_elements(variant_name, return_dtype=pl.String).alias("variant")
    )
    cells = span(table["n_cells"])
    title = panel_title(table["dataset_id"][0], f"{cells} cells a line")
    legend = alt.Legend(title="Flow 2", symbolType="stroke", symbolSize=300)
    base = alt.Chart(named, width=200, height=160, title=title).encode(
        x=alt.X(
            "start:N",
            sort=starts,
            title="Start of the steady state (s)",
            axis=alt.Axis(labelAngle=0),
        ),
        y=alt.Y("jfi:Q", scale=alt.Scale(domain=[0.5, 1]), title="Mean JFI over the cells"),
        color=alt.Color("variant:N", scale=variant_scale("color", ccas), legend=legend),
        strokeDash=alt.StrokeDash(
            "variant:N", scale=variant_scale("strokeDash", ccas), legend=legend
        ),
    )
    fixed = base.transform_filter(f"datum.start != '{MSER5}'")
    estimated = base.transform_filter(f"datum.start == '{MSER5}'")
    return (
        fixed.mark_line()
        + fixed.mark_circle(size=28, opacity=1)
        + estimated.mark_point(filled=False, size=45, opacity=1, strokeDash=[1, 0])
    )


def main(sensitivity: list[str], run: list[str], output: str) -> None:
    """Read sensitivity and run of every data set; draw a panel each."""
    tables = [means(*paths) for paths in zip(sensitivity, run, strict=True)]
    fixed = {start for table in tables for start in table["start"]} - {MSER5}
    starts = [*sorted(fixed, key=float), MSER5]
    ccas = in_order(list({cca for table in tables for cca in table["cca"]}))
    panels = [panel(table, starts, ccas) for table in tables]
    save_chart(beside(*panels, spacing=18), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.sensitivity, snakemake.input.run, snakemake.output[0])
