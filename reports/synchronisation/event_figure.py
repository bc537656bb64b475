"""The figure of one drop event with bursty and one with smooth background (Figure 1).

A column of four panels for each: the queue and the windows around the event, then, closer, the
drops by flow and the losses in bins.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, note
from evenflow.charts.panels import below, beside, titled
from evenflow.charts.theme import ACCENT, EMPTY, TEXT, series_colours
from evenflow.evidence.say import carried, tags_of
from evenflow.papers import paper

from . import messages
from .design import BURSTY_50, SMOOTH_50, select

EVENTS = {"Bursty: 10 sources": BURSTY_50, "Smooth: 1000 sources": SMOOTH_50}
AROUND_S = 8.0  # shown before and after an event
ZOOM_S = 0.6  # of which a quarter before it
NEAR = [-ZOOM_S / 4, 3 * ZOOM_S / 4]
SIZE = {"width": 250, "height": 76}
SINCE_TITLE = "Time since the event began (s)"
EDGE = alt.Axis(minExtent=70)  # the panels of a column stand one below the other
BACKGROUND = "background"


def event_to_show(events: pl.DataFrame, bins: pl.DataFrame) -> dict | None:
    """Return the drop event of a run that Figure 1 shows, or None where there is none.

    Of those whose surroundings the bins cover: the one with the median number of losses, the
    earliest if there are several.

    Args:
        events: rows of `drop_event` of the run.
        bins: rows of `arrival` of the run.
    """
    if bins.is_empty():
        return None
    covered = events.filter(
        pl.col("t_start_s") - AROUND_S >= bins["t_start_s"].min(),
        pl.col("t_end_s") + AROUND_S <= bins["t_end_s"].max(),
        pl.col("foreground_losses") > 0,
    )
    if covered.is_empty():
        return None
    median = covered["losses"].median()
    away = (pl.col("losses") - median).abs()
    return covered.sort(away, "t_start_s").row(0, named=True)


def event_column(
    title: str,
    event: dict,
    bins: pl.DataFrame,
    samples: pl.DataFrame,
    drops: pl.DataFrame,
    full_packets: float,
    packet_bytes: float,
) -> list[alt.Chart]:
    """Return the four panels of one run around an event: queue, windows, drops by flow, losses.

    Args:
        title: of the column.
        event: result of `event_to_show`.
        bins, samples, drops: rows of `arrival`, `sample` and `packet_drop` of the run.
        full_packets: from where on the queue counts as full.
        packet_bytes: of a segment, to turn windows into packets.
    """
    since = event["t_start_s"]  # both columns of the figure count from their event
    flows = samples["flow_id"].unique().sort().to_list()
    names = [*(f"flow {flow}" for flow in flows), BACKGROUND]
    legend = alt.Legend(title=None, orient="top")
    color = alt.Color("name:N", scale=series_colours(names), legend=legend)
    bin_ms = 1000 * (bins["t_end_s"] - bins["t_start_s"]).median()
    bins = bins.with_columns(t_s=pl.col("t_end_s") - since)
    cwnd = samples.select(
        *tags_of(samples),
        t_s=pl.col("t_end_s") - since,
        packets=pl.col("cwnd_bytes") / packet_bytes,
        name=pl.format("flow {}", "flow_id"),
    )
    of_flow = pl.when(pl.col("flow_id").is_in(flows)).then(pl.format("flow {}", "flow_id"))
    lost = drops.select(
        *tags_of(drops), t_s=pl.col("t_s") - since, name=of_flow.otherwise(pl.lit(BACKGROUND))
    )
    return [
        _queue_panel(bins, full_packets).properties(title=title),
        _windows_panel(cwnd, names, color),
        _drops_panel(lost, names, color),
        _losses_panel(bins, bin_ms),
    ]


def _around(title: str | None = None) -> alt.X:
    return alt.X("t_s:Q", title=title, scale=alt.Scale(domain=[-AROUND_S, AROUND_S], nice=False))


def _near(title: str | None = None) -> alt.X:
    return alt.X("t_s:Q", title=title, scale=alt.Scale(domain=NEAR, nice=False, padding=0))


def _shade() -> alt.Chart:
    """Return the span that the two lower panels show."""
    span = pl.DataFrame({"from": [NEAR[0]], "to": [NEAR[1]]})
    x = alt.X("from:Q", scale=alt.Scale(domain=[-AROUND_S, AROUND_S], nice=False))
    return alt.Chart(span).mark_rect(color=EMPTY).encode(x=x, x2="to:Q")


def _queue_panel(bins: pl.DataFrame, full_packets: float) -> alt.LayerChart:
    shown = bins.filter(pl.col("t_s").is_between(-AROUND_S, AROUND_S))
    shown = shown.select("t_s", "queue_packets", *tags_of(bins))
    y = alt.Y("queue_packets:Q", title="Queue (packets)", axis=EDGE)
    line = alt.Chart(shown, **SIZE).mark_line(color=ACCENT, strokeWidth=0.8)
    full = alt.Chart(pl.DataFrame({"at": [full_packets]}))
    rule = full.mark_rule(color=TEXT, strokeDash=[3, 3]).encode(y="at:Q")
    return _shade() + line.encode(x=_around(), y=y) + rule


def _windows_panel(cwnd: pl.DataFrame, names: list[str], color: alt.Color) -> alt.LayerChart:
    shown = cwnd.filter(pl.col("t_s").is_between(-AROUND_S, AROUND_S))
    y = alt.Y("packets:Q", title="Window (packets)", axis=EDGE)
    dash = alt.StrokeDash("name:N", sort=names, legend=None)
    line = alt.Chart(shown, **SIZE).mark_line(strokeWidth=1.4)
    return _shade() + line.encode(x=_around(SINCE_TITLE), y=y, color=color, strokeDash=dash)


def _drops_panel(lost: pl.DataFrame, names: list[str], color: alt.Color) -> alt.Chart:
    shown = lost.filter(pl.col("t_s").is_between(*NEAR))
    y = alt.Y("name:N", title="Drops", scale=alt.Scale(domain=names), axis=EDGE)
    ticks = alt.Chart(shown, **SIZE).mark_tick(thickness=1, height=12)
    return ticks.encode(x=_near(), y=y, color=color)


def _losses_panel(bins: pl.DataFrame, bin_ms: float) -> alt.Chart:
    shown = bins.filter(pl.col("t_s").is_between(*NEAR), pl.col("dropped_packets") > 0)
    shown = shown.select("t_s", "dropped_packets", *tags_of(bins))
    y = alt.Y("dropped_packets:Q", title=f"Losses in {bin_ms:.3g} ms", axis=EDGE)
    bars = alt.Chart(shown, **SIZE).mark_bar(color=ACCENT, width=2)
    return bars.encode(x=_near(SINCE_TITLE), y=y)


def events_chart(columns: list[list[alt.Chart]]) -> alt.Chart | dict:
    """Return the columns of Figure 1 side by side."""
    if not columns:
        return note(NO_RUN)
    rows = [beside(*row, spacing=26) for row in zip(*columns, strict=True)]
    return below(*rows, spacing=8, resolve={"color": "shared"})


@paper.figure
def drop_events(
    placed_run: pl.DataFrame,
    drop_event: pl.DataFrame,
    arrival: pl.LazyFrame,
    sample: pl.LazyFrame,
    packet_drop: pl.LazyFrame,
    flow: pl.DataFrame,
    full_queue: float,
) -> alt.Chart | dict:
    """Return one drop event with bursty and one with smooth background (Figure 1).

    The run is the first of its scenario whose log of bins covers the surroundings of an event.
    """
    columns, shown = [], []
    for title, wanted in EVENTS.items():
        for run in select(placed_run, **wanted).rows(named=True):
            of_run = {"run_id": run["run_id"]}
            bins, samples, drops = (
                table.filter(**of_run).collect().with_columns(*carried(run))
                for table in (arrival, sample, packet_drop)
            )
            event = event_to_show(drop_event.filter(**of_run), bins)
            if event:
                full_packets = full_queue * run["queue_limit_packets"]
                packet_bytes = flow.filter(**of_run)["mss_bytes"].max()
                sizes = (full_packets, packet_bytes)
                columns.append(event_column(title, event, bins, samples, drops, *sizes))
                shown.append((title, event))
                break
    return titled(events_chart(columns), messages.events(shown))
