"""Charts of a data set's page, whatever its factors: surfaces, dots along a factor, or rows.

Units: Mb/s, % and the units of print of `factors` only. Every function returns None where there is
nothing to draw; the page then says why.
"""

from __future__ import annotations

from pathlib import Path

import altair as alt
import polars as pl

from ..congestion_controls import in_order, variant_name
from ..files import atomic_path
from ..metrics.catalogue import METRICS
from ..metrics.fairness import sample_length
from ..metrics.windows import is_stump
from ..statistics.factors import MAX_LINES
from .base import save_chart
from .cells import BUFFER, RTT, cell_figure, cell_panel, cell_title, drawn_cells, grid_of, key_of
from .colours import JFI_OF_TWO, Colours, of_logarithms, one_sided, two_sided
from .describe import name_and_unit
from .panels import ROWS, filled, panel_title, spec_of, wrapped
from .placing import (
    MAX_LEVELS,
    MAX_PANELS,
    MAX_POINTS,
    MAX_ROWS,
    example_runs,
    placed_scenarios,
    spread,
)
from .surfaces import extreme, extreme_words, message_of
from .theme import ACCENT, DASHES, EMPTY, RULE, TEXT, series_colours

MAX_MARKED_FLOWS = 6  # flows of a run that are told apart by shape or dash
AXIS_FIELDS = {RTT[1]: RTT[0], BUFFER[1]: BUFFER[0]}  # of the axes of the papers' surfaces
WIDTH = 640  # of a whole figure, px
AXIS_WIDTH = 40  # px, of an axis with its labels
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def series_of(flow: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Return the flows with their series, the thing that has a colour, and what that is.

    The congestion control (of datagrams what they are, 'UDP' or 'CBR') where that of every flow is
    known, else the flow's number.
    """
    name = pl.col("cca").map_elements(variant_name, return_dtype=pl.String)
    named = flow.with_columns(pl.coalesce(name, _kind_of_datagrams(flow)).alias("series"))
    if named["series"].is_null().any():
        return flow.with_columns(pl.col("flow_id").cast(pl.String).alias("series")), "Flow"
    return named, "Congestion control"


def _kind_of_datagrams(flow: pl.DataFrame) -> pl.Expr:
    """Return what flows without TCP are in print, null for others."""
    if not {"protocol", "traffic"} <= set(flow.columns):
        return pl.lit(None, pl.String)
    kind = pl.coalesce("traffic", "protocol").str.to_uppercase()
    return pl.when(pl.col("protocol") != "tcp").then(kind)


def series_order(flow: pl.DataFrame) -> list[str]:
    """Return the series of flows (`series_of`) in the order of the legend."""
    named, kind = series_of(flow)
    if kind == "Flow":
        return [str(n) for n in sorted(set(flow["flow_id"]))]
    ccas = [variant_name(cca) for cca in in_order(sorted(set(flow["cca"].drop_nulls())))]
    return [*ccas, *sorted(set(named["series"]) - set(ccas))]


# ---- over time ----------------------------------------------------------------------------------


def runs_over_time(
    sample: pl.DataFrame | pl.LazyFrame,
    flow: pl.DataFrame,
    run: pl.DataFrame,
    window: pl.DataFrame,
) -> dict | None:
    """Return the throughput (Mb/s) of some runs over time (s), a panel a run; window shaded."""
    if run.is_empty():
        return None
    chosen = example_runs(run, flow)
    flow, kind = series_of(flow.filter(pl.col("run_id").is_in(chosen)))
    begun = flow.select("run_id", "flow_id", "series", "start_s")
    of_chosen = sample.lazy().filter(pl.col("run_id").is_in(chosen)).collect()
    table = of_chosen.join(begun, on=["run_id", "flow_id"]).filter(
        pl.col("t_end_s") > pl.col("start_s")  # ns-2 reports zeros before a flow begins
    )
    table = _drawn_samples(table)
    if table.is_empty():
        return None
    tops = table.group_by("run_id", maintain_order=True).agg(pl.col("mbps").max())["mbps"]
    shared = tops.max() < 5 * max(tops.min(), 1e-9)
    order = series_order(flow)
    marked = flow["flow_id"].n_unique() <= MAX_MARKED_FLOWS
    columns = 3 if len(chosen) > 4 else min(2, len(chosen))
    y = alt.Scale(domain=[0, tops.max() * 1.05]) if shared else alt.Scale(zero=True)
    lines = alt.Chart(ROWS).encode(
        x=alt.X("t_s:Q", title="Time (s)", scale=alt.Scale(zero=True, nice=False)),
        y=alt.Y("mbps:Q", title="Throughput (Mb/s)", scale=y),
        color=alt.Color(
            "series:N", scale=series_colours(order), title=kind, legend=_legend(len(order))
        ),
        detail="flow_id:N",
    )
    style = {"strokeWidth": 1.2} if marked else {"strokeWidth": 0.8, "opacity": 0.6}
    if marked:
        flows = sorted(set(flow["flow_id"]))
        dash = alt.Scale(domain=flows, range=[DASHES[i % len(DASHES)] for i in range(9)])
        same = kind == "Flow"
        field = "series:N" if same else "flow_id:O"
        scale = alt.Scale(domain=order, range=dash["range"]) if same else dash
        legend = alt.Legend(title="Flow", symbolStrokeColor=TEXT)
        lines = lines.encode(
            strokeDash=alt.StrokeDash(field, scale=scale, legend=alt.Undefined if same else legend)
        )
    shade = alt.Chart(alt.NamedData("steady")).mark_rect(color=EMPTY)
    layers = [shade.encode(x="from:Q", x2="to:Q"), lines.mark_line(**style, clip=True)]
    width = (WIDTH - 20 * columns) / columns - 30
    panel = spec_of(alt.layer(*layers).properties(width=width, height=110))
    panels = []
    for run_id in chosen:
        rows, about = table.filter(run_id=run_id), window.filter(run_id=run_id).to_dicts()[0]
        if rows.is_empty():
            continue
        end_s = rows["t_s"].max()
        steady = pl.DataFrame(
            {"from": [about["warmup_s"]], "to": [min(about["end_s"] or end_s, end_s)]}
        )
        panels.append(filled(panel, rows, _run_title(run_id), steady=steady))
    return _grid(panels, columns) if panels else None


def _drawn_samples(sample: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, flow_id, series, t_s, mbps; flows of more than MAX_POINTS samples averaged."""
    flow = ["run_id", "flow_id"]
    place = pl.int_range(pl.len()).over(flow) * MAX_POINTS // pl.len().over(flow)
    few = pl.len().over(flow) <= MAX_POINTS
    return (
        sample.filter(~is_stump())  # its rate says little and would end the line in a spike
        .sort(*flow, "t_start_s")
        .with_columns(
            pl.when(few).then(pl.int_range(pl.len()).over(flow)).otherwise(place).alias("bin")
        )
        .group_by(*flow, "bin", maintain_order=True)
        .agg(
            pl.col("series").first(),
            pl.col("t_end_s").max().round(3).alias("t_s"),
            (pl.col("bytes").sum() * 8e-6 / sample_length().sum()).round(4).alias("mbps"),
        )
    )


def _run_title(run_id: str) -> alt.Title:
    """Return the name of a run, in two lines where it is long."""
    lines = [run_id]
    if len(run_id) > 30 and "/" in run_id:
        cut = min((i for i, c in enumerate(run_id) if c == "/"), key=lambda i: abs(i - 25))
        lines = [run_id[: cut + 1], run_id[cut + 1 :]]
    return panel_title([line if len(line) < 36 else f"…{line[-34:]}" for line in lines])


# ---- along factors ------------------------------------------------------------------------------


def metric_chart(
    metric: str,
    cell: pl.DataFrame,
    run: pl.DataFrame,
    flow: pl.DataFrame,
    contested: pl.Series,
) -> alt.TopLevelMixin | dict | None:
    """Return a metric of every scenario: surfaces, dots with intervals along a factor, or rows.

    Args:
        metric: its name.
        cell, run, flow: the tables.
        contested: of each run (`surfaces.is_contested`, by scenario): found once for all metrics,
            as it reads what every run says of itself.
    """
    values = cell.filter(metric=metric)
    if run["scenario_id"].n_unique() < 2 or values.is_empty():
        return None
    placed, axes, _ = placed_scenarios(run, flow)
    of_scenarios = run.select("scenario_id", contested.alias("contested")).unique(
        maintain_order=True
    )
    table = (
        placed.join(values, on="scenario_id", how="inner", maintain_order="left")
        .join(of_scenarios, on="scenario_id", maintain_order="left")
        .with_columns(pl.col("mean", "ci_low", "ci_high") / METRICS[metric].factor)
    )
    if len(axes) == 2:
        return _surfaces(table, metric, axes)
    return _dots(table, metric, axes[0]) if axes else _rows(table, metric)


def _surfaces(table: pl.DataFrame, metric: str, axes: list[str]) -> dict:
    known = METRICS[metric]
    fields = [AXIS_FIELDS.get(axis, name) for axis, name in zip(axes, "xy", strict=True)]
    places = [pl.col(axis).alias(name) for axis, name in zip(axes, fields, strict=True)]
    table = table.with_columns(*places, value="mean", is_sure=pl.col("ci_low").is_not_null())
    column, colours = (
        "value",
        (two_sided(table["value"]) if known.middle == 0 else _one_sided(table, metric)),
    )
    text_of = drawn_cells(table, "value", colours, known.format)["text"]
    if known.middle:  # a ratio: colours by its logarithm, labels as ratios
        column, logarithm = "log_ratio", pl.col("value").clip(1e-3, 1e3) / known.middle
        table = table.with_columns(logarithm.log10().alias(column))
        colours = of_logarithms(table[column])
    table = drawn_cells(table, column, colours, known.format).with_columns(text_of)
    grid = grid_of(table, list(zip(fields, axes, strict=True))[::-1])
    panel = cell_panel(column, grid, colours, legend=known.label)
    panels, found = [], {}
    for name, part in _panels(table):
        one = found[name] = extreme(part, grid, known.middle)
        title = cell_title(name, grid, extreme_words(one, known.format, known.middle))
        panels.append(filled(panel, part, title))
    message = message_of(known.label, found, known.format, known.middle)
    key = key_of(table, colours, name_and_unit(known.label)[1])
    return cell_figure(panels, grid, message=message, key=key)


def _one_sided(table: pl.DataFrame, metric: str) -> Colours:
    """Return the colours of a metric without a middle; Jain's index of two flows has its own."""
    is_of_two = METRICS[metric].least == "1/n" and (table["value"] >= JFI_OF_TWO.domain[0]).all()
    return JFI_OF_TWO if is_of_two else one_sided(table["value"])


# every 2nd, 4th, ... value has a label where there is no room for all
PLAIN = alt.Axis(ticks=False, grid=False, labelAngle=0, labelOverlap="parity", labelSeparation=6)


def _dots(table: pl.DataFrame, metric: str, axis: str) -> dict:
    title, about = METRICS[metric].label, METRICS[metric].middle
    table = _xy(table, [axis])
    names = [name for name, _ in _panels(table)]
    apart = len(names) <= MAX_LINES
    parts = [("", table)] if apart else _panels(table)
    y = alt.Scale(type="log") if METRICS[metric].scale == "log" else alt.Scale(zero=False)
    base = alt.Chart(ROWS).encode(
        x=alt.X("x:O", title=axis, axis=PLAIN), y=alt.Y("mean:Q", title=title, scale=y)
    )
    if apart:
        colour = alt.Color(
            "panel:N",
            scale=series_colours(names),
            title=None,
            legend=alt.Legend(orient="bottom", columns=2) if len(names) > 1 else None,
        )
        shapes = alt.Scale(domain=names, range=[SHAPES[i % 6] for i in range(len(names))])
        shape = alt.Shape("panel:N", scale=shapes, title=None)
        offset = alt.XOffset("panel:N", sort=names)
        base = base.encode(color=colour, shape=shape, xOffset=offset)
    else:
        base = base.encode(color=alt.value(ACCENT))
    layers = [*_reference(about, "y"), *_with_interval(base, "y")]
    wide = WIDTH / 2 - 60 if apart else 160
    panel = spec_of(alt.layer(*layers).properties(width=wide, height=170 if apart else 110))
    panels = [
        filled(panel, part, panel_title(name, width=wide + AXIS_WIDTH) if name else "")
        for name, part in parts
    ]
    return _grid(panels, 1 if apart else 3, shared_y=True)


def _rows(table: pl.DataFrame, metric: str) -> alt.TopLevelMixin:
    title, about = METRICS[metric].label, METRICS[metric].middle
    table = table.head(MAX_ROWS)
    names = table["panel"].unique(maintain_order=True).to_list()
    x = alt.Scale(type="log") if METRICS[metric].scale == "log" else alt.Scale(zero=False)
    base = alt.Chart(table).encode(
        y=alt.Y("panel:N", title=None, sort=names, axis=alt.Axis(labelLimit=340, grid=True)),
        x=alt.X("mean:Q", title=title, scale=x, axis=alt.Axis(tickCount=4)),
        color=alt.value(ACCENT),
    )
    layers = [*_reference(about, "x"), *_with_interval(base, "x")]
    return alt.layer(*layers).properties(width=WIDTH / 2 - 90, height=18 * len(names))


def flow_means(
    cell: pl.DataFrame, run: pl.DataFrame, flow: pl.DataFrame
) -> alt.TopLevelMixin | dict | None:
    """Return the mean throughput of every flow as dots with intervals.

    Along the first axis, a panel a level of the second (up to MAX_LEVELS) and of all other factors;
    a row a scenario where nothing that is a number varies.
    """
    prefix = "mean_throughput_bps_flow"
    values = cell.filter(pl.col("metric").str.starts_with(prefix)).with_columns(
        pl.col("metric").str.strip_prefix(prefix).cast(pl.Int32).alias("flow_id"),
        pl.col("mean", "ci_low", "ci_high") / 1e6,
    )
    if run.is_empty() or len(values) < 2:
        return None
    placed, axes, _ = placed_scenarios(run, flow)
    flow, kind = series_of(flow)
    first = run.sort("repeat", "run_id").unique("scenario_id", keep="first", maintain_order=True)
    series = flow.join(first.select("run_id", "scenario_id"), on="run_id").select(
        "scenario_id", "flow_id", "series"
    )
    table = placed.join(values, on="scenario_id", maintain_order="left").join(
        series, on=["scenario_id", "flow_id"], how="left", maintain_order="left"
    )
    table = table.with_columns(pl.col("series").fill_null("not known"))
    order = series_order(flow)
    throughput = alt.Scale(domain=[0, 1.1 * (table["mean"].max() or 1.0)], nice=True)
    flows = sorted(set(table["flow_id"]))
    marked = len(flows) <= MAX_MARKED_FLOWS
    color = alt.Color(
        "series:N", scale=series_colours(order), title=kind, legend=_legend(len(order))
    )
    shapes = alt.Scale(domain=flows, range=SHAPES[: len(flows)])
    encodings = {"color": color}
    if marked and kind != "Flow":
        encodings["shape"] = alt.Shape("flow_id:N", scale=shapes, title="Flow")
    if not axes:
        names = table["panel"].unique(maintain_order=True).to_list()[:MAX_ROWS]
        rows = table.filter(pl.col("panel").is_in(names))
        base = alt.Chart(rows).encode(
            y=alt.Y("panel:N", title=None, sort=names, axis=alt.Axis(labelLimit=340, grid=True)),
            x=alt.X("mean:Q", title="Throughput (Mb/s)", scale=throughput),
            yOffset=alt.YOffset("flow_id:O"),
            **encodings,
        )
        height = max(18, 7 * min(len(flows), 10)) * len(names)
        return alt.layer(*_with_interval(base, "x", filled=marked)).properties(
            width=WIDTH - 300, height=height
        )
    levels = [None]
    if len(axes) == 2:
        levels = spread(sorted(set(table[axes[1]].drop_nulls())), MAX_LEVELS)
    table = _xy(table, axes)
    xs = sorted(set(table["x"].drop_nulls()))
    base = alt.Chart(ROWS).encode(
        x=alt.X("x:O", title=axes[0], scale=alt.Scale(domain=xs), axis=PLAIN),
        y=alt.Y("mean:Q", title="Throughput (Mb/s)", scale=throughput),
        xOffset=alt.XOffset("flow_id:O"),
        **encodings,
    )
    layers = _with_interval(base, "y", filled=marked)
    panel = spec_of(alt.layer(*layers).properties(width=150, height=105))
    panels = []
    for name, part in _panels(table)[: MAX_PANELS // len(levels)]:
        for level in levels:
            rows = part if level is None else part.filter(pl.col("y") == level)
            lines = [name] if level is None else [name, f"{axes[1]}: {level:g}"]
            panels.append(filled(panel, rows, panel_title(lines, width=150 + AXIS_WIDTH)))
    columns = len(levels) if len(levels) > 1 else 3
    return _grid(panels, min(columns, len(panels)), shared_y=True)


def _xy(table: pl.DataFrame, axes: list[str]) -> pl.DataFrame:
    """Rename the axes to x and y: names in print may hold dots and brackets, which Vega reads."""
    return table.with_columns(
        pl.col(axis).alias(name) for axis, name in zip(axes, ("x", "y"), strict=False)
    )


def _panels(table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Return the first MAX_PANELS panels and their rows, with the columns that charts read."""
    parts = table.partition_by("panel", as_dict=True, maintain_order=True)
    return [(name, part) for (name,), part in parts.items()][:MAX_PANELS]


def _with_interval(base: alt.Chart, along: str, *, filled: bool = True) -> list[alt.Chart]:
    """Return the layers of dots and of their intervals, where there are any."""
    ends = {along: alt.X("ci_low:Q") if along == "x" else alt.Y("ci_low:Q"), f"{along}2": "ci_high"}
    # thin bars: Vega-Lite draws a rule from here with a point at its end
    shown = base.transform_filter("isValid(datum.ci_low)").encode(**ends)
    style = {"size": 36, "opacity": 1} if filled else {"size": 14, "opacity": 0.6}
    return [shown.mark_bar(size=1.2, clip=True), base.mark_point(filled=True, **style)]


def _reference(about: float | None, along: str) -> list[alt.Chart]:
    """Return a thin line where flows are equal, if the metric has such a place."""
    if about is None:
        return []
    rule = alt.Chart(pl.DataFrame({"about": [about]})).mark_rule(color=RULE, strokeDash=[3, 3])
    return [rule.encode(**{along: alt.X("about:Q") if along == "x" else alt.Y("about:Q")})]


def _legend(n: int) -> alt.Legend | None:
    """Return the legend of n series; none where there is nothing to tell apart."""
    return alt.Legend(symbolLimit=12, orient="right") if n > 1 else None


def _grid(panels: list[dict], columns: int, *, shared_y: bool = False) -> dict:
    resolve = dict.fromkeys(("color", "shape", "strokeDash"), "shared")
    resolve["y"] = "shared" if shared_y else "independent"
    return wrapped(*panels, columns=columns, spacing={"row": 16, "column": 14}, resolve=resolve)


def save_figure(chart: alt.TopLevelMixin | dict | None, path: str | Path) -> None:
    """Write a chart as SVG; an empty file where there is nothing to draw."""
    if chart is None:
        with atomic_path(path) as temporary:
            temporary.write_bytes(b"")
    else:
        save_chart(chart, path)
