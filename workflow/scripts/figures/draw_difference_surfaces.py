"""Draw the difference surfaces of ns-2 against a testbed, a row a pairing.

ns2-vs-testbed, Figure 5. Left: D = S - T, the difference of the mean Jain indices. Right, grey as
in the paper: W = |D| - 2 sd, framed where W >= 0, its mark of significance; empty
where the testbed has no repeats, and hence no standard deviation.
"""

import polars as pl
from evenflow.charts import (
    coverage_of_both,
    grid_axes,
    nice_domain,
    on_grid,
    panel_title,
    save_chart,
    surface_panel,
)
from evenflow.panels import below, beside, filled
from evenflow.scripting import reporting_errors
from evenflow.theme import GREY, TWO_SIDED, in_order, pairing_name


def main(difference: str, output: str) -> None:
    """Read a difference table; draw two panels a pairing."""
    table = on_grid(pl.read_parquet(difference))
    pairings = in_order(table["ccas"].unique().to_list())
    axes = grid_axes(table)
    d = nice_domain(table["d"], two_sided=True, step=0.1)
    w = nice_domain(table["w"], step=0.1)
    columns = []
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
    ):
        surface = surface_panel(column, axes=axes, legend=legend, **style)
        panels = []
        for ccas in pairings:
            cells = table.filter(pl.col("ccas") == ccas)
            said = coverage_of_both(cells.drop_nulls(column), missing)
            panels.append(filled(surface, cells, panel_title(pairing_name(ccas), said)))
        columns.append(below(*panels, spacing=14, resolve={"color": "shared"}))
    save_chart(beside(*columns, spacing=30, resolve={"color": "independent"}), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.difference, snakemake.output[0])
