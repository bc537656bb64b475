"""Panels of `high-speed-fairness` over the RTT: Jain's index, and the ratio of two throughputs.

A flow without any throughput has no place on a logarithmic axis: a triangle at its end names it.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import coverage
from evenflow.charts.theme import PLATFORM_NAMES, TEXT
from evenflow.kit.panels import (
    by_platform,
    empty_panel,
    field_of,
    level,
    log_ends,
    panel_heading,
    powers_of_ten,
    shared_axis,
    whiskered,
)

from .metrics import QUEUES, RTTS_MS

COMPETITOR = "competitor"
WIDTH, HEIGHT = 150, 100  # of a panel, px
LEAST_RATIO = 0.1  # a ratio's axis reaches at least from here to its reciprocal
TWO_STATES = 2.0  # factor either way by which runs disagree on who is ahead, as in claims
STARVED_1, STARVED_2 = "flow 1", "flow 2"
PLACE = {float(rtt): i for i, rtt in enumerate(RTTS_MS)}


def in_words(points: pl.DataFrame) -> pl.DataFrame:
    """Add platform and queue in print, and piece, which tells lines apart.

    A piece ends where the next RTT of the design has no cell: no line crosses what was not run.
    """
    place = pl.col("rtt2_ms").replace_strict(PLACE)
    series = ["part", "queue"]
    return points.with_columns(
        platform=pl.col("part").replace(PLATFORM_NAMES),
        buffer=pl.col("queue").replace(QUEUES),
        gaps=place - pl.col("rtt2_ms").rank().over(series).cast(pl.Int64),
    ).with_columns(piece=pl.format("{} {} {}", "platform", "buffer", "gaps"))


def at_the_ends(points: pl.DataFrame, domain: tuple[float, float]) -> pl.DataFrame:
    """Return the cells as a ratio's logarithmic axis can show them.

    Args:
        points: with ratio, ratio_low, ratio_high, n_starved1, n_starved2.
        domain: of the axis.

    Returns:
        The same with `shown`, `low`, `high` inside the axis, and `starved`, the words of the cell's
        triangle: of flow 1 where the ratio is 0, of flow 2 where it is null; else null. A cell of
        two states has no point, only the range of its runs: their mean is of no run.
    """
    bottom, top = domain
    starved = pl.when(pl.col("ratio").is_null()).then(pl.lit(STARVED_2))
    starved = starved.when(pl.col("ratio") == 0).then(pl.lit(STARVED_1))
    ahead = pl.col("ratio_high").fill_null(top) > TWO_STATES
    two_states = ahead & (pl.col("ratio_low") < 1 / TWO_STATES) & (pl.col("ratio") > 0)
    shown = pl.col("ratio").fill_null(top).clip(bottom, top)
    return points.with_columns(
        starved=starved,
        shown=pl.when(two_states.fill_null(False)).then(None).otherwise(shown),
        low=pl.col("ratio_low").fill_null(top).clip(bottom, top),
        high=pl.col("ratio_high").fill_null(top).clip(bottom, top),
    )


def ratio_domain(points: pl.DataFrame) -> tuple[float, float]:
    """Return the ends of a ratio's logarithmic axis: powers of ten, 1 and all runs inside."""
    columns = ("ratio", "ratio_low", "ratio_high")
    return log_ends(pl.concat([points[name] for name in columns]).drop_nulls(), LEAST_RATIO)


def encodings() -> dict:
    """Return colour and shape of the platform and dash of the queue; all figures have the same."""
    return by_platform("buffer", list(QUEUES.values()), "Bottleneck queue")


def rtt_axis(title: str = "RTT (ms)", labels: list[int] = RTTS_MS) -> alt.X:
    """Return the axis of the paper's five RTTs, logarithmic."""
    return alt.X(
        "rtt2_ms:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[13, 400]),
        axis=alt.Axis(values=labels, grid=False, format="d"),
    )


def triangles(points: pl.DataFrame, x: alt.X, names: tuple[str, str]) -> list[alt.Chart]:
    """Return the marks of starved flows, at the ends of the ratio's axis, with their words.

    Args:
        points: result of `at_the_ends`.
        x: the panel's axis.
        names: what the figure calls the two flows.
    """
    layers = []
    ends = ((STARVED_1, "triangle-down", -10), (STARVED_2, "triangle-up", 10))
    for (word, shape, dy), name in zip(ends, names, strict=True):
        starved = points.filter(pl.col("starved") == word)
        if len(starved):
            base = alt.Chart(starved).encode(x=x, y="shown:Q")
            layers.append(
                base.mark_point(shape=shape, size=80, filled=True, opacity=1).encode(
                    color="platform:N"
                )
            )
            said = starved.unique(field_of(x), maintain_order=True)
            layers.append(
                alt.Chart(said)
                .mark_text(
                    color=TEXT, fontSize=9, dy=dy, text=f"{name} starved", align="left", dx=-8
                )
                .encode(x=x, y="shown:Q")
            )
    return layers


def jfi_panel(
    points: pl.DataFrame, title: str, x: alt.X, *, first: bool, width: int = WIDTH
) -> alt.LayerChart:
    """Return Jain's index over the RTT; the first panel of a row names its axis."""
    axis = alt.Axis(values=[0.5, 0.75, 1], format=".2~f", **shared_axis("Jain's index", first))
    scale = alt.Scale(domain=[0.5, 1])
    y = alt.Y("jfi:Q", title="Jain's index", scale=scale, axis=axis)
    heading = panel_heading(title, coverage(points["n"]))
    if points.is_empty():
        return empty_panel(heading, x, y, width, HEIGHT)
    drawn = whiskered(
        in_words(points), x, y, ("jfi_low", "jfi_high"), encodings(), "piece", width, HEIGHT
    )
    return drawn.properties(title=heading)


def ratio_panel(
    points: pl.DataFrame,
    title: str,
    names: tuple[str, str],
    domain: tuple[float, float],
    x: alt.X,
    *,
    first: bool,
    width: int = WIDTH,
) -> alt.LayerChart:
    """Return the throughput ratio over the RTT, on a logarithmic axis with starved flows.

    Args:
        points: cells of one panel.
        title: its heading.
        names: what the figure calls the two flows.
        domain: of the axis.
        x: the axis of the RTTs.
        first: whether it is the first of its row, which names the axis.
        width: px.
    """
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    title_of_axis = " / ".join(names).replace(COMPETITOR, "other")  # as long as a panel is high
    axis = alt.Axis(values=powers_of_ten(domain), format="~g", **shared_axis(title_of_axis, first))
    y = alt.Y("shown:Q", title=title_of_axis, scale=scale, axis=axis)
    heading = panel_heading(title, coverage(points["n"]) + how_many_starved(points))
    if points.is_empty():
        return empty_panel(heading, x, y, width, HEIGHT)
    placed = at_the_ends(in_words(points), domain)
    drawn = whiskered(placed, x, y, ("low", "high"), encodings(), "piece", width, HEIGHT)
    return alt.layer(level(1.0), drawn, *triangles(placed, x, names), title=heading)


def how_many_starved(points: pl.DataFrame) -> str:
    """Return in how many cells the ratio is that of a starved flow: '; 2 starved', or nothing."""
    starved = points.filter(pl.col("ratio").is_null() | (pl.col("ratio") == 0))
    return f"; {len(starved)} starved" if len(starved) else ""


def turned_to(cells: pl.DataFrame, cca: str) -> pl.DataFrame:
    """Return the cells with a variant in them, its throughput first.

    A ratio of 0 turns into null and null into 0: who was flow 1 and starved is then flow 2.
    """
    as_is = cells.filter(pl.col("cca1") == cca)
    other = cells.filter((pl.col("cca2") == cca) & (pl.col("cca1") != cca))

    def inverse(name: str) -> pl.Expr:
        column = pl.col(name)
        return pl.when(column.is_null()).then(0.0).when(column > 0).then(1 / column)

    turned = other.with_columns(
        cca1="cca2",
        cca2="cca1",
        rtt1_ms="rtt2_ms",
        rtt2_ms="rtt1_ms",
        throughput1_bps="throughput2_bps",
        throughput2_bps="throughput1_bps",
        share1=1 - pl.col("share1"),
        ratio=inverse("ratio"),
        ratio_low=inverse("ratio_high"),
        ratio_high=inverse("ratio_low"),
        n_starved1="n_starved2",
        n_starved2="n_starved1",
    ).select(cells.columns)
    return pl.concat([as_is, turned])
