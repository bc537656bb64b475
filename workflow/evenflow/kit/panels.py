"""Small multiples: panels of one kind side by side, what was measured on each platform in each.

    x, y = alt.X("rtt_ms:Q"), alt.Y("jfi:Q", axis=alt.Axis(**shared_axis("Jain's index", first)))
    heading = panel_heading("BIC", coverage(points["n"]))
    marks = by_platform("queue_name", list(QUEUES.values()), "Bottleneck queue")
    if points.is_empty():
        return empty_panel(heading, x, y, width, height)
    drawn = whiskered(points, x, y, ("jfi_low", "jfi_high"), marks, "line", width, height)
    in_rows([drawn.properties(title=heading), ...], columns=3)

Colour and shape are the platform's in every figure. A heading says how many cells and runs a panel
is of; one without any has its axes, and words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from ..charts.base import NO_RUN, coverage, note
from ..charts.panels import below, beside, panel_title, spec_of
from ..charts.theme import ACCENT, BLANK, PLATFORMS, RULE, TEXT
from ..congestion_controls import pairing_name
from .names import in_print

LABEL_PX = 34  # for the labels of an axis, also in a wider font
LEGENDS = {"labelLimit": 200, "orient": "top"}
PANELS = 3  # side by side
DASHES = ([1, 0], [4, 3])


def panel_heading(text: str, *small: str) -> alt.Title:
    """Return a panel's heading, at the left of its drawing: at one height in all of a row."""
    title = panel_title(text, *small)
    title.frame = "group"
    return title


def known(table: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the rows with a value in all columns; none where the table lacks one of them."""
    return table.drop_nulls(columns) if {*columns} <= {*table.columns} else table.clear()


def looks(column: str, of: Mapping[str, tuple[str, str]], **legend) -> dict:
    """Return colour and shape of a column by its values.

    Args:
        of: value in print -> colour and shape, in order.
        legend: properties of it.
    """
    names, colours, shapes = zip(*((name, *look) for name, look in of.items()), strict=True)
    both = alt.Legend(**legend)
    return {
        "color": alt.Color(
            f"{column}:N", scale=alt.Scale(domain=names, range=colours), legend=both
        ),
        "shape": alt.Shape(f"{column}:N", scale=alt.Scale(domain=names, range=shapes), legend=both),
    }


def apart(names: Sequence[str], step: float) -> dict[str, float]:
    """Return how far each of several marks is off the place that they share: `step` apart."""
    return {name: step * (i - (len(names) - 1) / 2) for i, name in enumerate(names)}


def log_axis(column: str, title: str, values: Sequence[float]) -> alt.X:
    """Return a logarithmic axis from left to right with the labels of some values."""
    scale, axis = alt.Scale(type="log", nice=False), alt.Axis(values=list(values), format="~g")
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)


def by_platform(dash: str, names: Sequence[str], title: str) -> dict:
    """Return colour and shape of the column `platform`, and the dash of another one.

    Args:
        dash: column of the table, of `names` in print, one or two.
        title: of the legend of dashes.
    """
    platforms = {name: look for name, *look in PLATFORMS.values()}
    dashes = alt.Scale(domain=list(names), range=list(DASHES))
    return {
        **looks("platform", platforms, title="Platform", **LEGENDS),
        "strokeDash": alt.StrokeDash(
            f"{dash}:N",
            scale=dashes,
            legend=alt.Legend(title=title, symbolType="stroke", **LEGENDS),
        ),
    }


def whiskered(
    points: pl.DataFrame,
    x: alt.X,
    y: alt.Y,
    ends: tuple[str, str],
    marks: Mapping,
    line: str,
    width: int,
    height: int,
) -> alt.LayerChart:
    """Return lines, whiskers and hollow points of one panel.

    Args:
        ends: columns that a whisker reaches from and to.
        marks: result of `by_platform`.
        line: column that tells lines apart.
        width, height: px.
    """
    low, high = ends
    base = alt.Chart(points, width=width, height=height)
    lines = base.mark_line(strokeWidth=1.4).encode(
        x=x, y=y, detail=f"{line}:N", color=marks["color"], strokeDash=marks["strokeDash"]
    )
    rules = base.mark_rule(strokeWidth=1).encode(
        x=x, y=alt.Y(f"{low}:Q"), y2=f"{high}:Q", color=marks["color"]
    )
    dots = base.mark_point(size=38, strokeWidth=1.4, fill=BLANK, opacity=1).encode(
        x=x, y=alt.Y(f"{field_of(y)}:Q"), color=marks["color"], shape=marks["shape"]
    )
    return alt.layer(lines, rules, dots)


FACTORS = {"base_rtt_s": ("RTT (ms)", 1000), "buffer_bdp": ("Buffer (% of BDP)", 100)}
FILLS = {"datum.n > 1": ACCENT, "datum.n == 1": BLANK}  # of a mean of repeats, of one run


def cells_by_factor(
    cell: pl.DataFrame,
    run: pl.DataFrame,
    metric: str,
    factor: str,
    width: int = 150,
    height: int = 100,
) -> dict:
    """Return a metric of each scenario over a factor, a panel a pairing of congestion controls.

    Points are means, whiskers their intervals; a mark of one run is hollow. A heading says how many
    scenarios have no mean (of a ratio where a flow starves) or no level of the factor.

    Args:
        cell, run: tables of a data set.
        metric: of the table `cell`.
        factor: of FACTORS.
        width, height: of a panel, px.
    """
    of, (title, times) = in_print(metric), FACTORS[factor]
    places = run.select("scenario_id", "ccas", x=pl.col(factor) * times).unique(maintain_order=True)
    values = pl.col("mean", "ci_low", "ci_high") / of.factor
    points = cell.filter(metric=metric).with_columns(values).join(places, on="scenario_id")
    points, every_cell = points.drop_nulls(["x", "mean"]).sort("ccas", "x"), points.sort("ccas")
    if points.is_empty():
        return spec_of(note(NO_RUN))
    ends = [points["x"].min(), points["x"].max()]
    every = pl.concat([points[name] for name in ("mean", "ci_low", "ci_high")])
    panels: list[alt.LayerChart] = []
    for (ccas,), cells in every_cell.group_by("ccas", maintain_order=True):
        mine = points.filter(pl.col("ccas").eq_missing(ccas))
        x = alt.X("x:Q", title=title, scale=alt.Scale(domain=ends, nice=False, padding=8))
        first = len(panels) % PANELS == 0
        scale = alt.Scale(domain=[every.min(), every.max()], zero=False)  # of all panels
        axis = alt.Axis(format=of.drawn, **shared_axis(of.heading, first))
        y = alt.Y("mean:Q", scale=scale, axis=axis)
        base = alt.Chart(mine, width=width, height=height).encode(x=x)
        rules = base.transform_filter("isValid(datum.ci_low)").mark_rule(color=ACCENT)
        rules = rules.encode(y=alt.Y("ci_low:Q"), y2="ci_high:Q")
        point = base.mark_point(size=38, strokeWidth=1.4, opacity=1, color=ACCENT).encode(y=y)
        without = len(cells) - len(mine)
        said = [coverage(mine["n"])] if len(mine) else []
        said += [f"{without} without a value"] if without else []
        name = pairing_name(ccas) if ccas else "congestion control not known"
        heading = panel_heading(name, "; ".join(said))
        panels.append(alt.layer(*filled_where(point, FILLS), rules, title=heading))
    return in_rows(panels, PANELS)


def field_of(axis: alt.X | alt.Y) -> str:
    """Return the column of an axis."""
    return axis.shorthand.removesuffix(":Q")


def filled_where(point: alt.Chart, fills: Mapping[str, object]) -> list[alt.Chart]:
    """Return points with another filling for each condition: hollow ones are of one run, say.

    Args:
        fills: condition on a row of data (Vega's expression) -> a channel, or a colour.
    """
    return [
        point.transform_filter(condition).encode(
            fill=alt.value(fill) if isinstance(fill, str) else fill
        )
        for condition, fill in fills.items()
    ]


def level(value: float, colour: str = RULE) -> alt.Chart:
    """Return a thin line across the panel, at a value of the column `value`."""
    data = pl.DataFrame({"value": [value]})
    return alt.Chart(data).mark_rule(color=colour, strokeWidth=1).encode(y="value:Q")


def empty_panel(title: alt.Title, x: alt.X, y: alt.Y, width: int, height: int) -> alt.LayerChart:
    """Return a panel without runs: its axes, and words that say so."""
    axes = (x, y)
    data = pl.DataFrame({field_of(axis): [axis["scale"]["domain"][0]] for axis in axes})
    base = alt.Chart(data, width=width, height=height)
    words = base.mark_text(color=TEXT, text=NO_RUN)
    return alt.layer(
        base.mark_text(text="").encode(x=x, y=y),  # no mark that would count as a value
        words.encode(x=alt.value(width / 2), y=alt.value(height / 2)),
        title=title,
    )


def shared_axis(title: str, first: bool) -> dict[str, str | int | bool | None]:
    """Return title and labels of an axis: those of the first panel of a row are for all of it."""
    return {"title": title, "minExtent": LABEL_PX} if first else {"title": None, "labels": False}


def in_rows(panels: Sequence[alt.Chart], columns: int) -> dict:
    """Return panels in rows of `columns`."""
    return below(*(beside(*panels[i : i + columns]) for i in range(0, len(panels), columns)))


def log_ends(values: pl.Series, least: float) -> tuple[float, float]:
    """Return the ends of a logarithmic axis around one: powers of ten, with all values inside.

    Args:
        values: ratios; those that are not above 0, or infinite, have no place.
        least: the axis reaches at least from here to its reciprocal.
    """
    low, high = least, 1 / least
    for value in values.filter((values > 0) & values.is_finite()):
        while value < low:
            low /= 10
        while value > high:
            high *= 10
    return low, high


def powers_of_ten(ends: tuple[float, float]) -> list[float]:
    """Return the powers of ten of a logarithmic axis."""
    low, high = ends
    values = [low]
    while values[-1] * 10 <= high * 1.001:
        values.append(float(f"{values[-1] * 10:g}"))
    return values
