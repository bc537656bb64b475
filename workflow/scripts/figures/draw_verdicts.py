"""Draw what Welch's test and two one-sided tests say of every cell: a panel a pairing.

Beside the printed definition of ns2-vs-testbed; p-values are adjusted over the cells of a surface.
"""

import altair as alt
import polars as pl
from evenflow.charts import (
    PANEL_HEIGHT,
    PANEL_WIDTH,
    coverage_of_both,
    empty_cells,
    grid_axes,
    on_grid,
    panel_grid,
    panel_title,
    save_chart,
)
from evenflow.panels import ROWS, filled, spec_of
from evenflow.scripting import reporting_errors
from evenflow.theme import TEXT, VERDICTS, in_order, pairing_name

# a letter in each cell, so that verdicts stay apart in grey
LETTERS = dict(zip(VERDICTS, "DBE?n1", strict=True))


def verdict_panel(axes: dict) -> alt.LayerChart:
    """Return the verdicts of one pairing over RTT and buffer, of ROWS."""
    base = alt.Chart(ROWS, width=PANEL_WIDTH, height=PANEL_HEIGHT).encode(**axes)
    names = [f"{LETTERS[verdict]}  {verdict}" for verdict in VERDICTS]
    cells = base.mark_rect(stroke="#7f7f7f", strokeWidth=0.8).encode(
        color=alt.Color(
            "label:N",
            scale=alt.Scale(domain=names, range=list(VERDICTS.values())),
            legend=alt.Legend(title="Verdict", symbolStrokeColor="#7f7f7f", symbolType="square"),
        )
    )
    white = "datum.verdict == 'different' || datum.verdict == 'both'"
    letters = base.mark_text(fontSize=11).encode(
        text="letter:N", color=alt.condition(white, alt.value("white"), alt.value(TEXT))
    )
    return alt.layer(*empty_cells(axes), cells, letters)


def main(difference: str, output: str) -> None:
    """Read a difference table; draw a panel a pairing."""
    letter = pl.col("verdict").replace_strict(LETTERS)
    table = on_grid(pl.read_parquet(difference)).with_columns(
        letter.alias("letter"), pl.format("{}  {}", letter, "verdict").alias("label")
    )
    panel = spec_of(verdict_panel(grid_axes(table)))
    panels = [
        filled(panel, cells, panel_title(pairing_name(ccas), coverage_of_both(cells)))
        for ccas in in_order(table["ccas"].unique().to_list())
        for cells in [table.filter(pl.col("ccas") == ccas)]
    ]
    save_chart(panel_grid(panels, columns=2 if len(panels) == 4 else 3), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.difference, snakemake.output[0])
