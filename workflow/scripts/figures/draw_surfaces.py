"""Draw the surfaces of each data set, a figure a metric, a panel a pairing.

on-path-buffering, Figures 3 (throughput of flow 2 in the calibration), 4 (flow-NRU of flow 2; that
of flow 1 is its footnote 7) and 5 (system-NRU). The papers draw 3-D meshes; here they are heat maps
over RTT and buffer. The colour scale spans all data sets of the paper, so that figures of different
data sets compare. A pairing that was run and has no value anywhere (no calibration, no NRU) has an
empty panel.
"""

from pathlib import Path

import polars as pl
from evenflow.charts.base import (
    coverage,
    grid_axes,
    nice_domain,
    on_grid,
    panel_grid,
    panel_title,
    save_chart,
    surface_panel,
)
from evenflow.charts.panels import filled
from evenflow.charts.theme import SEQUENTIAL, TWO_SIDED
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table

# figure -> metric of the table `cell`, its role, unit and step of the colour scale, legend, format
STYLES = {
    "throughput": ("mean_throughput_bps_flow2", "calibration", 1e6, 10, "Mb/s", ".1f"),
    "flow-nru": ("flow_nru_db_flow2", "comparison", 1, 1, "flow-NRU (dB)", "+.1f"),
    "flow-nru-1": ("flow_nru_db_flow1", "comparison", 1, 1, "flow-NRU (dB)", "+.1f"),
    "system-nru": ("system_nru_db", "comparison", 1, 1, "system-NRU (dB)", "+.1f"),
}


def draw(surface: pl.DataFrame, figure: str, part: str, output: str) -> None:
    """Draw the surfaces of `part` in the style of `figure`."""
    metric, role, unit, step, legend, label_format = STYLES[figure]
    cells = on_grid(surface).filter(pl.col("role") == role)
    pairings = cells.filter(pl.col("part") == part)["ccas"].unique().to_list()
    table = cells.filter(pl.col("metric") == metric)
    table = table.with_columns((pl.col("mean") / unit).alias("value"))
    axes = grid_axes(cells)
    two_sided = unit == 1
    domain = nice_domain(table["value"], two_sided=two_sided, step=step)
    dark = (
        f"abs(datum.value) > {0.5 * domain[-1]}"
        if two_sided
        else (f"datum.value < {(domain[0] + domain[-1]) / 2}")
    )
    mine = table.filter(pl.col("part") == part)
    surface = surface_panel(
        "value",
        axes=axes,
        legend=legend,
        scheme=TWO_SIDED if two_sided else SEQUENTIAL,
        domain=domain,
        label_format=label_format,
        white_where=dark,
    )
    charts = [
        filled(surface, panel, panel_title(_title(ccas, role), coverage(panel["n"])))
        for ccas in in_order(pairings)
        for panel in [mine.filter(pl.col("ccas") == ccas)]
    ]
    save_chart(panel_grid(charts, columns=2 if len(charts) == 4 else 3), output)


def main(surface: str, outputs: list[str]) -> None:
    """Read the surfaces of a paper; draw a figure an output, which is named <figure>_<part>."""
    table = read_table(surface)
    for output in outputs:
        figure, _, part = Path(output).stem.partition("_")
        draw(table, figure, part, output)


def _title(ccas: str, role: str) -> str:
    same = variant_name(ccas.split("-")[0])
    return f"{same}, both flows" if role == "calibration" else pairing_name(ccas)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.surface, list(snakemake.output))
