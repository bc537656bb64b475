"""Draw printed surfaces beside models: min to max as a bar, mean as a tick; a panel a surface.

Below each model, thin and grey, the platform's reference on the same cells.
"""

from pathlib import Path

import altair as alt
import polars as pl
from evenflow.charts.base import panel_title, save_chart
from evenflow.charts.panels import ROWS, below, filled, spec_of, wrapped
from evenflow.charts.theme import ACCENT, RULE, TEXT
from evenflow.congestion_controls import pairing_name
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table
from evenflow.why_tables import REFERENCE, model_order

SHOWN = {"jfi": "Jain's index", "mean_throughput_bps_flow2": "Throughput of flow 2 (Mb/s)"}
PRINTED_NAME = "printed"


def bars(rows: pl.DataFrame) -> pl.DataFrame:
    """Return name, kind (printed, model, reference), low, mean, high, cells of one surface."""
    wide = rows.pivot("statistic", index=["model", "n_cells"], values=["measured", "reference"])
    printed = dict(rows.select("statistic", "printed").unique().rows())
    found = [(PRINTED_NAME, PRINTED_NAME, printed["min"], printed["mean"], printed["max"], "")]
    for row in wide.rows(named=True):
        cells = f"{row['n_cells']} {'cell' if row['n_cells'] == 1 else 'cells'}"
        kinds = ["measured"] if row["model"] in REFERENCE.values() else ["measured", "reference"]
        for kind in kinds:
            values = (row[f"{kind}_{statistic}"] for statistic in ("min", "mean", "max"))
            found.append((row["model"], kind, *values, cells if kind == "measured" else ""))
    return pl.DataFrame(
        found, schema=["name", "kind", "low", "mean", "high", "cells"], orient="row"
    )


def panel(metric: str, domain: list[float], names: list[str]) -> alt.LayerChart:
    """Return bars of a surface, of ROWS, over a scale that panels share; a model without a cell has
    an empty line.
    """
    y = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(domain=names),
              axis=alt.Axis(ticks=False, domain=False, labelLimit=200))  # fmt: skip
    scale = alt.Scale(domain=domain, zero=False, nice=False, clamp=True)
    x = alt.X("low:Q", title=SHOWN[metric], scale=scale)
    base = alt.Chart(ROWS, width=170, height=22 * len(names)).encode(y=y)
    layers = []
    for kind, colour, size, shift in (
        ("reference", RULE, 3, 7),
        ("measured", ACCENT, 6, 0),
        (PRINTED_NAME, TEXT, 6, 0),
    ):
        mine = base.transform_filter(f"datum.kind == '{kind}'")
        layers.append(mine.mark_rule(color=colour, size=size, yOffset=shift).encode(x=x, x2="high"))
        layers.append(
            mine.mark_point(
                shape="stroke", angle=90, size=140, color=colour, strokeWidth=2, yOffset=shift,
                opacity=1,
            ).encode(x="mean:Q")
        )  # fmt: skip
    cells = base.mark_text(align="left", fontSize=9, color=TEXT, dx=4).encode(
        x=alt.value(170), text="cells:N"
    )
    return alt.layer(*layers, cells)


def draw(table: pl.DataFrame, output: str) -> None:
    """Draw the surfaces of one platform, a row a quantity."""
    names = [PRINTED_NAME, *model_order(table["model"].unique().to_list())]
    grid = []
    for metric in (name for name in SHOWN if name in table["metric"].to_list()):
        of_metric = table.filter(metric=metric)
        ends = {
            statistic: [
                of_metric.filter(statistic=statistic)[name]
                for name in ("printed", "measured", "reference")
            ]
            for statistic in ("min", "max")
        }
        low, high = min(map(pl.Series.min, ends["min"])), max(map(pl.Series.max, ends["max"]))
        domain = [low - 0.03 * (high - low), high]
        template = spec_of(panel(metric, domain, names))
        panels = []
        for paper, item in of_metric.select("paper", "item").unique(maintain_order=True).rows():
            rows = of_metric.filter(paper=paper, item=item)
            title = panel_title(f"Fig. {item.removeprefix('fig')}", pairing_name(rows["ccas"][0]))
            panels.append(filled(template, bars(rows), title))
        grid.append(wrapped(*panels, columns=2, spacing={"row": 14, "column": 44}))
    save_chart(below(*grid, spacing=18), output)


def main(distance: list[str], outputs: list[str]) -> None:
    """Read the distances of the papers; draw a figure a platform, why-ranges_<platform>."""
    table = pl.concat([read_table(path) for path in distance])
    table = table.filter(pl.col("metric").is_in(list(SHOWN)))
    for output in outputs:
        draw(table.filter(platform=Path(output).stem.removeprefix("why-ranges_")), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.tables, list(snakemake.output))
