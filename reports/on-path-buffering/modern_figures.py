"""Which share a congestion control takes from another, over RTT, by which of them was first.

A panel a pair of congestion controls; full: it is flow 2 and comes 60 s later, open: it is flow 1.
A cross marks an uncontested cell, in which no packet was lost.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import coverage
from evenflow.charts.panels import ROWS, filled, panel_title, spec_of, titled, wrapped
from evenflow.charts.theme import ACCENT, RULE, TEXT
from evenflow.congestion_controls import in_order, variant_name
from evenflow.evidence.say import TAG

COLUMNS = 3
CROSS = "M-0.5,-0.5L0.5,0.5M0.5,-0.5L-0.5,0.5"  # shape of a mark, in a square of -0.5 to 0.5


def by_order(share: pl.DataFrame) -> pl.DataFrame:
    """Return rtt_ms, who ('BBR against CUBIC'), is ('flow 2'), share in %, low, high, n, contested.

    The one named first is the later in the order of the theme; of a pair of the same, it is flow 2.
    """
    rows = []
    for row in share.rows(named=True):
        one, two = row["ccas"].split("-")
        later = in_order([one, two])[-1]
        flow = 2 if two == later else 1
        values = [row[name] for name in ("share2", "share2_low", "share2_high")]
        if flow == 1:
            values = [1 - values[0], 1 - values[2], 1 - values[1]]
        other = one if flow == 2 else two
        rows.append(
            {
                "rtt_ms": row["base_rtt_s"] * 1000,
                "who": f"{variant_name(later)} against {variant_name(other)}",
                "is": f"flow {flow}",
                **dict(zip(("share", "low", "high"), (100 * v for v in values), strict=True)),
                "n": row["n"],
                "contested": row["contested"],
            }
            | {tag: at for tag, at in row.items() if tag.startswith(TAG)}
        )
    return pl.DataFrame(rows).sort("who", "is", "rtt_ms")


def panel(rtts: list[float]) -> alt.LayerChart:
    """Return one pair of congestion controls, of ROWS."""
    base = alt.Chart(ROWS, width=180, height=105).encode(
        x=alt.X(
            "rtt_ms:O", scale=alt.Scale(domain=rtts), title="RTT (ms)", axis=alt.Axis(labelAngle=0)
        )
    )
    y = alt.Y("share:Q", scale=alt.Scale(domain=[0, 100]), title="Share of throughput (%)")
    dash = alt.StrokeDash("is:N", legend=None, scale=alt.Scale(
        domain=["flow 1", "flow 2"], range=[[4, 3], [1, 0]]))  # fmt: skip
    fill = alt.Fill("is:N", legend=None, scale=alt.Scale(
        domain=["flow 1", "flow 2"], range=["white", ACCENT]))  # fmt: skip
    equal = alt.Chart(pl.DataFrame({"share": [50]})).mark_rule(color=RULE).encode(y="share:Q")
    return alt.layer(
        equal,
        base.mark_line(color=ACCENT).encode(y=y, strokeDash=dash),
        base.mark_rule(color=TEXT).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_point(stroke=ACCENT, size=50, opacity=1).encode(y=y, fill=fill),
        base.transform_filter("!datum.contested")
        .mark_point(shape=CROSS, stroke=TEXT, size=420, opacity=1, strokeWidth=1.2)
        .encode(y=y),
    )


def share_chart(share: pl.DataFrame) -> dict:
    """Return the shares of the part `modern`."""
    rows = by_order(share.filter(part="modern"))
    rtts = rows["rtt_ms"].unique().sort().to_list()
    mixed = [who for who in rows["who"].unique().sort() if len(set(who.split(" against "))) == 2]
    same = [who for who in rows["who"].unique().sort() if who not in mixed]
    template = spec_of(panel(rtts))
    panels = [
        filled(template, of_pair, panel_title(who, coverage(of_pair["n"])))
        for who in [*mixed, *same]
        for of_pair in [rows.filter(who=who)]
    ]
    drawn = wrapped(*panels, columns=COLUMNS, spacing={"row": 18, "column": 20})
    return titled(drawn, message(rows.filter(pl.col("who").is_in(mixed))), KEY)


KEY = (
    "Filled: the variant named first is flow 2, which starts later; open: it is flow 1. Crossed: "
    "no packet was lost."
)


def message(rows: pl.DataFrame) -> str:
    """Return the largest share that one takes from another where packets are lost, and the shares
    where none is.

    Args:
        rows: of `by_order`, of pairs of two congestion controls.
    """
    lost = rows.filter("contested")
    if lost.is_empty():
        return "No packet was lost in any cell"
    row = lost.sort("share", "who", "is").row(-1, named=True)
    taker, other = row["who"].split(" against ")
    said = f"{taker} gets up to {row['share']:.0f} % against {other}"
    idle = rows.filter(~pl.col("contested"))["share"]
    if len(idle):
        ends = dict.fromkeys(f"{end:.0f}" for end in (idle.min(), idle.max()))
        said += f"; where no packet is lost, shares are {' to '.join(ends)} %"
    return said
