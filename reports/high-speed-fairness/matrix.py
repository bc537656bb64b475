"""Who takes how much from whom: a matrix of shares for each platform, queue and RTT."""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, coverage, note
from evenflow.charts.panels import below, beside
from evenflow.charts.theme import ON_DARK, ON_LIGHT, PLATFORM_NAMES, RULE
from evenflow.kit.panels import panel_heading

from .metrics import NAMES, QUEUES

CELL_PX = 22  # a cell of the matrix of shares
WIDTH, HEIGHT = 150, 100  # px, where no run is


def matrix_chart(shares: pl.DataFrame, rtts: list[int]) -> alt.Chart | dict:
    """Return who takes how much from whom: shares of each variant against each other, per RTT.

    Args:
        shares: the table `pair_share`.
        rtts: the RTTs that are drawn, ms; a matrix of each where two unlike variants have run.
    """
    unlike = shares.filter(
        pl.col("cca") != pl.col("other"), pl.col("rtt_ms").is_in([float(rtt) for rtt in rtts])
    )
    present = set(unlike.select("part", "queue").unique().rows())
    rows = [
        (part, queue) for part in PLATFORM_NAMES for queue in QUEUES if (part, queue) in present
    ]
    lines = []
    for part, queue in rows:
        mine = shares.filter(part=part, queue=queue)
        title = f"{PLATFORM_NAMES[part]}, {QUEUES[queue]}"
        there = set(unlike.filter(part=part, queue=queue)["rtt_ms"])
        panels: list[alt.LayerChart] = []
        for rtt in (rtt for rtt in rtts if rtt in there):
            at_rtt = mine.filter(rtt_ms=float(rtt))
            panels.append(
                matrix_panel(
                    at_rtt,
                    panel_heading(f"{rtt:g} ms, {coverage(at_rtt['n'])}", title),
                    with_rows=not panels,
                    with_columns=(part, queue) == rows[-1],
                )
            )
        lines.append(beside(*panels, spacing=8))
    return below(*lines) if lines else note(NO_RUN, WIDTH, HEIGHT)


def matrix_panel(
    shares: pl.DataFrame, title: alt.Title, *, with_rows: bool, with_columns: bool
) -> alt.LayerChart:
    """Return one matrix: rows take their share against columns, in %; white where no run is.

    Args:
        shares: rows of `pair_share` of one platform, queue and RTT.
        title: the panel's heading.
        with_rows, with_columns: whether its rows and its columns are named.
    """
    names = list(NAMES.values())
    named = shares.with_columns(
        taker=pl.col("cca").replace_strict(NAMES, default=pl.col("cca")),
        beside=pl.col("other").replace_strict(NAMES, default=pl.col("other")),
        percent=pl.col("share") * 100,
    )
    plain = {"ticks": False, "grid": False}
    axes = {
        "x": alt.X("beside:N", title="against" if with_columns else None, sort=names),
        "y": alt.Y("taker:N", title=None, sort=names),
    }
    for axis, shown, more in (("x", with_columns, {"labelAngle": -90}), ("y", with_rows, {})):
        axes[axis].scale = alt.Scale(domain=names)
        axes[axis].axis = alt.Axis(labels=shown, **plain, **more)
    side = CELL_PX * len(names)
    base = alt.Chart(named, width=side, height=side).encode(**axes)
    # as on the first page: orange is less than half
    scale = alt.Scale(scheme="purpleorange", reverse=True, domain=[0, 100], domainMid=50)
    colour = alt.Color("percent:Q", scale=scale, legend=alt.Legend(title="Share (%)"))
    dark = "datum.percent < 20 || datum.percent > 80"
    in_full = "datum.percent > 1 && datum.percent < 99"  # else its decimal: 0.3 is not nothing
    said = f"format(datum.percent, {in_full} ? '.0f' : '.1~f')"
    text = (
        base.transform_calculate(said=said)
        .mark_text(fontSize=9)
        .encode(
            text=alt.Text("said:N"),
            color=alt.condition(dark, alt.value(ON_DARK), alt.value(ON_LIGHT)),
        )
    )
    cells = base.mark_rect(stroke=RULE, strokeWidth=0.4).encode(color=colour)
    return alt.layer(cells, text, title=title)
