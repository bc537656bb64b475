"""Draw the difference surfaces of ns-2 against a testbed, a row a pairing.

ns2-vs-testbed, Figure 5. Left: D = S - T, the difference of the mean Jain indices. Right, grey as
in the paper: W = |D| - 2 sd, framed where W >= 0, its mark of significance; empty
where the testbed has no repeats, and hence no standard deviation.
"""

import altair as alt
import polars as pl
from evenflow.charts import (
    coverage_of_both,
    grid_axes,
    nice_domain,
    on_grid,
    panel_title,
    resolved,
    save_chart,
    surface_panel,
)
from evenflow.scripting import reporting_errors
from evenflow.theme import GREY, TWO_SIDED, in_order, pairing_name


def main(difference: str, output: str) -> None:
    """Read a difference table; draw two panels a pairing."""
    table = on_grid(pl.read_parquet(difference))
    pairings = in_order(table["ccas"].unique().to_list())
    axes = grid_axes(table)
    d = nice_domain(table["d"], two_sided=True, step=0.1)
    w = nice_domain(table["w"], step=0.1)
    columns = [
        [
            surface_panel(
                cells := table.filter(pl.col("ccas") == ccas),
                column,
                axes=axes,
                title=panel_title(
                    pairing_name(ccas), coverage_of_both(cells.drop_nulls(column), missing)
                ),
                legend=legend,
                **style,
            )
            for ccas in pairings
        ]
        for column, legend, missing, style in (
            (
                "d",
                "D = S − T",
                "no cell in common",
                {
                    "scheme": TWO_SIDED,
                    "domain": d,
                    "label_format": "+.2f",
                    "white_where": f"abs(datum.d) > {0.5 * d[-1]}",
                },
            ),
            (
                "w",
                "W = |D| − C95",
                "no cell with repeats of T",
                {
                    "scheme": GREY,
                    "domain": w,
                    "label_format": ".2f",
                    "white_where": f"datum.w > {w[0] + 0.6 * (w[-1] - w[0])}",
                    "mark": "significant_printed",
                },
            ),
        )
    ]
    charts = [
        alt.vconcat(*column, spacing=14, resolve=resolved(color="shared")) for column in columns
    ]
    save_chart(alt.hconcat(*charts, spacing=30, resolve=resolved(color="independent")), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.difference, snakemake.output[0])
