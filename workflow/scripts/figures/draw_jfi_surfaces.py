"""Draw Jain's index over RTT and buffer: a column a data set, a row a pairing.

ns2-vs-testbed, Figure 4. A data set that lacks a pairing has an empty panel there.
"""

import polars as pl
from evenflow.charts.base import (
    coverage,
    grid_axes,
    on_grid,
    panel_title,
    save_chart,
    surface_panel,
)
from evenflow.charts.panels import below, beside, filled
from evenflow.charts.theme import SEQUENTIAL
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table

ORDER = ("simulation", "testbed", "testbed_alternative")


def main(surface: str, output: str) -> None:
    """Read the surfaces of ns2-vs-testbed; draw a panel a data set and pairing."""
    table = on_grid(read_table(surface)).filter(
        (pl.col("metric") == "jfi") & (pl.col("role") == "comparison")
    )
    pairings = in_order(table["ccas"].unique().to_list())
    axes = grid_axes(table)
    panel = surface_panel(
        "mean",
        axes=axes,
        legend="JFI",
        scheme=SEQUENTIAL,
        domain=[0.5, 1.0],
        label_format=".2f",
        white_where="datum.mean < 0.75",
    )
    columns = []
    for part in (role for role in ORDER if role in table["part"].to_list()):
        of_part = table.filter(pl.col("part") == part)
        panels = []
        for ccas in pairings:
            cells = of_part.filter(pl.col("ccas") == ccas)
            lines = [of_part["dataset_id"][0], coverage(cells["n"])]
            panels.append(filled(panel, cells, panel_title(pairing_name(ccas), *lines)))
        columns.append(below(*panels, spacing=14))
    save_chart(beside(*columns, spacing=18, resolve={"color": "shared"}), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.surface, snakemake.output[0])
