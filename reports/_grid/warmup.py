"""How Jain's index moves with the start of the steady state: mean over the cells of a pairing.

Lines: fixed starts; open point at the right: MSER-5's estimate for each run.
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl
from evenflow.charts.base import span
from evenflow.charts.panels import beside, panel_title, titled
from evenflow.charts.theme import variant_scale
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.evidence.say import tags_of
from evenflow.statistics.surfaces import on_the_grid

MSER5 = "MSER-5"
WIDTH = 200  # px, of a panel; less where there are many, whose labels a page would make too small
ALL_PX, LEGEND_PX, AXIS_PX = 730, 90, 58


def means(sensitivity: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return dataset_id, cca of flow 2 against NewReno, start (s, or MSER-5), and the mean index
    over the cells, n_cells; of a tagged table the rows of each mean.
    """
    runs = on_the_grid(run).filter(
        pl.col("role") == "comparison", pl.col("ccas").str.starts_with("newreno-")
    )
    table = sensitivity.filter(pl.col("parameter").is_in(["warmup_s", "warmup_mser5"]))
    start, tags = pl.col("value").fill_null(MSER5), tags_of(table)
    return (
        table.drop("warmup_s")
        .join(runs.select("run_id", "scenario_id", "ccas", "dataset_id"), on="run_id")
        .group_by("dataset_id", "ccas", "scenario_id", start.alias("start"))
        .agg(pl.col("jfi").mean(), *(pl.col(tag) for tag in tags))
        .sort("dataset_id", "ccas", "scenario_id", "start")
        .group_by("dataset_id", "ccas", "start", maintain_order=True)
        .agg(
            pl.col("jfi").mean(),
            pl.len().alias("n_cells"),
            *(pl.col(tag).explode().sort() for tag in tags),
        )
        .with_columns(pl.col("ccas").str.split("-").list.last().alias("cca"))
        .sort("dataset_id", "ccas", "start")
    )


def panel(
    table: pl.DataFrame, starts: list[str], ccas: list[str], width: float = WIDTH
) -> alt.Chart:
    """Return one data set's lines, a line a variant of flow 2; `ccas` are those of all panels."""
    named = table.with_columns(
        pl.col("cca").map_elements(variant_name, return_dtype=pl.String).alias("variant")
    )
    cells = span(table["n_cells"])
    title = panel_title(table["dataset_id"][0], f"{cells} cells per line")
    legend = alt.Legend(title="Flow 2", symbolType="stroke", symbolSize=300)
    base = alt.Chart(named, width=width, height=160, title=title).encode(
        x=alt.X(
            "start:N",
            sort=starts,
            title="Start of the steady state (s)",
            axis=alt.Axis(labelAngle=0, labelFontSize=9, labelOverlap=False),
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


def warmup_chart(sensitivity: Mapping[str, pl.DataFrame], run: Mapping[str, pl.DataFrame]) -> dict:
    """Return a panel a data set.

    Args:
        sensitivity, run: tables by part.
    """
    tables = [means(table, run[part]) for part, table in sensitivity.items()]
    fixed = {start for table in tables for start in table["start"]} - {MSER5}
    starts = [*sorted(fixed, key=float), MSER5]
    ccas = in_order(list({cca for table in tables for cca in table["cca"]}))
    width = min(WIDTH, (ALL_PX - LEGEND_PX) // len(tables) - AXIS_PX)
    panels = (panel(table, starts, ccas, width) for table in tables)
    return titled(beside(*panels, spacing=18), message_of(tables))


def message_of(tables: list[pl.DataFrame]) -> str:
    """Return how far the mean of a pairing moves over the starts: the largest of all data sets."""
    every = pl.concat(table.select("dataset_id", "ccas", "jfi") for table in tables)
    moves = every.group_by("dataset_id", "ccas", maintain_order=True).agg(
        by=pl.col("jfi").max() - pl.col("jfi").min()
    )
    if moves.is_empty():
        return "No data set has a sensitivity"
    row = moves.sort("by", "dataset_id", "ccas").row(-1, named=True)
    return (
        f"Whatever the start, the mean index of a pairing moves by {row['by']:.3f} at most "
        f"({pairing_name(row['ccas'])}, {row['dataset_id']})"
    )
