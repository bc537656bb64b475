"""Draw Jain's index with one thing of the testbed changed: a row a change, a column a pairing.

Open circle: the base, with the interval in which a further run of it would be expected (grey, where
it has repeats). Full circle: with the change.
"""

import altair as alt
import polars as pl
from evenflow.charts.base import coverage, panel_title, save_chart
from evenflow.charts.panels import ROWS, below, beside, filled, spec_of
from evenflow.charts.theme import ACCENT, RULE, TEXT
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table
from evenflow.why_tables import CHANGED, place


def panel(order: list[str]) -> alt.LayerChart:
    """Return one change and pairing, of ROWS; cells that were not run stay empty."""
    x = alt.X("cell:N", sort=order, scale=alt.Scale(domain=order), title=None,
              axis=alt.Axis(labelAngle=-45, ticks=False))  # fmt: skip
    scale = alt.Scale(domain=[0.5, 1], clamp=True)
    base = alt.Chart(ROWS, width=26 * len(order), height=110).encode(x=x)

    def at(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title="JFI", scale=scale)

    return alt.layer(
        base.mark_bar(color=RULE, opacity=0.6, width=10).encode(
            y=at("expected_low"), y2="expected_high"
        ),
        base.mark_rule(color=ACCENT, strokeWidth=1.5).encode(y=at("base_jfi"), y2="jfi"),
        base.mark_point(color=TEXT, size=36, fill="white", opacity=1).encode(y=at("base_jfi")),
        base.mark_point(color=ACCENT, size=36, filled=True, opacity=1).encode(y=at("jfi")),
    )


def main(change: str, output: str) -> None:
    """Read the changes; draw a panel each and pairing."""
    table = read_table(change).with_columns(
        pl.struct("base_rtt_s", "buffer_bdp")
        .map_elements(place, return_dtype=pl.String)
        .alias("cell")
    )
    order = table.sort("buffer_bdp", "base_rtt_s")["cell"].unique(maintain_order=True).to_list()
    pairings = in_order(table["ccas"].unique().to_list())
    template, rows = spec_of(panel(order)), []
    for what in (name for name in CHANGED if name in table["what"].to_list()):
        panels = []
        for ccas in pairings:
            cells = table.filter(what=what, ccas=ccas)
            title = panel_title(CHANGED[what], pairing_name(ccas), coverage(cells["n"]))
            panels.append(filled(template, cells, title))
        rows.append(beside(*panels, spacing=16))
    save_chart(below(*rows, spacing=14), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.tables, snakemake.output[0])
