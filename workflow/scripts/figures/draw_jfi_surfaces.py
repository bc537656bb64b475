"""Draw Jain's index over RTT and buffer: a column a data set, a row a pairing.

ns2-vs-testbed, Figure 4. A data set that lacks a pairing has an empty panel there.
"""

import altair as alt
import polars as pl
from evenflow.charts import (
    coverage,
    grid_axes,
    on_grid,
    panel_title,
    resolved,
    save_chart,
    surface_panel,
)
from evenflow.scripting import reporting_errors
from evenflow.theme import SEQUENTIAL, in_order, pairing_name

ORDER = ("simulation", "testbed", "testbed_alternative")


def main(surface: str, output: str) -> None:
    """Read the surfaces of ns2-vs-testbed; draw a panel a data set and pairing."""
    table = on_grid(pl.read_parquet(surface)).filter(
        (pl.col("metric") == "jfi") & (pl.col("role") == "comparison")
    )
    pairings = in_order(table["ccas"].unique().to_list())
    axes = grid_axes(table)
    columns = []
    for part in (role for role in ORDER if role in table["part"].to_list()):
        cells = table.filter(pl.col("part") == part)
        dataset = cells["dataset_id"][0]
        panels = [
            surface_panel(
                mine := cells.filter(pl.col("ccas") == ccas),
                "mean",
                axes=axes,
                title=panel_title(pairing_name(ccas), dataset, coverage(mine["n"])),
                legend="JFI",
                scheme=SEQUENTIAL,
                domain=[0.5, 1.0],
                label_format=".2f",
                white_where="datum.mean < 0.75",
            )
            for ccas in pairings
        ]
        columns.append(alt.vconcat(*panels, spacing=14))
    save_chart(alt.hconcat(*columns, spacing=18, resolve=resolved(color="shared")), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.surface, snakemake.output[0])
