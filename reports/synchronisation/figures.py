"""Figures of the report. Points are scenarios, whiskers are intervals.

Hollow points are scenarios of few drop events (`few_events`).
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, note
from evenflow.charts.panels import below, beside, titled, wrapped
from evenflow.charts.theme import (
    BACKGROUND_KINDS,
    BLANK,
    DASHES,
    EMPTY,
    TEXT,
    series_colours,
    variant_scale,
)
from evenflow.claims.headlines import headline
from evenflow.congestion_controls import variant_name
from evenflow.evidence.say import tags_of
from evenflow.kit.panels import apart, known, log_axis, looks
from evenflow.papers import paper

from . import messages
from .card import exponent_card
from .controls import CHANGES, COMPARED, compared
from .design import (
    BURSTY_KBPS,
    SACK_DROPTAIL,
    SMOOTH_KBPS,
    VARIANTS,
    select,
    source_rate,
)
from .theory import HSTCP_EXPONENT, fairness_by_theory, saw_teeth
from .topology import described, topology_chart
from .words import background_name, queue_name

FR = "fairness_ratio_12"
FR_TITLE = "Fairness ratio of flows 1 and 2"
LOG_FR_TITLE = f"{FR_TITLE} (logarithmic)"
LOG_SCALE = alt.Scale(type="log", nice=False, padding=8)
FR_VALUES = [
    *(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500),
]
FR_AXIS = alt.Axis(values=FR_VALUES, format="~g")
ON_LOG = ("bpdd",)
AXES = {
    "bpdd": "BPDD: losses in a drop event (packets, logarithmic)",
    "p": "P: flows that lose in a drop event (%)",
    "cov_background": "CoV of the background's arrivals in 5 ms",
}
WIDTH = 430  # of a figure of scenarios, px
RTTS_S = [0.045, 0.09]  # of flows 1 and 2 of Figure 3, without queue
PERIOD_S = 10.0  # between losses; the shape does not depend on it
PERIODS = 4


def kind_encodings(kinds: list[str]) -> dict:
    """Return colour and shape of the kinds of background traffic."""
    of = {name: look for kind, (name, *look) in BACKGROUND_KINDS.items() if kind in kinds}
    return looks("kind", of, title="Background")


def named(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Add kind, the background's kind in print, and name, the whole of it."""
    rows = scenarios.rows(named=True)
    kinds = {kind: name for kind, (name, *_) in BACKGROUND_KINDS.items()}
    return scenarios.with_columns(
        pl.col("background").replace(kinds).alias("kind"),
        pl.Series("name", [background_name(row) for row in rows], pl.String),
    )


def against_fairness(scenarios: pl.DataFrame, x: str, kinds: list[str] | None = None) -> alt.Chart:
    """Return FR of flows 1 and 2 against a measure of burstiness (Figures 5, 6 and 7).

    Args:
        scenarios: the table `scenario`; SACK under DropTail is drawn.
        x: metric, a key of AXES.
        kinds: of background traffic; all by default.

    Bands are the RTT ratios of the scenarios, and their squares: FR by theory without
    synchronisation, and with it.
    """
    points = select(scenarios, **SACK_DROPTAIL)
    if kinds:
        points = points.filter(pl.col("background").is_in(kinds))
    points = known(points, FR, x)
    if points.is_empty():
        return note(NO_RUN)
    factor = 100 if x == "p" else 1
    columns = [x, *(f"{x}{end}" for end in ("_low", "_high"))]
    points = named(points).with_columns(pl.col(columns) * factor)
    kind = "log" if x in ON_LOG else "linear"
    x_scale = alt.Scale(type=kind, zero=False, nice=False, padding=50)
    if x == "p":  # a share ends at 100 %
        ends = points.select(pl.min_horizontal(columns)).to_series()
        x_scale = alt.Scale(domain=[ends.min() - 5, 101], nice=False, zero=False)
    axis_x = alt.X(f"{x}:Q", title=AXES[x], scale=x_scale)
    axis_y = alt.Y(f"{FR}:Q", title=LOG_FR_TITLE, scale=LOG_SCALE, axis=FR_AXIS)
    base = alt.Chart(points, width=WIDTH, height=260)
    colours = kind_encodings(points["background"].to_list())
    return alt.layer(
        *bands_of_theory(points["rtt_ratio_12"].drop_nulls()),
        *whiskers(base, x, colours["color"]),
        *dots(base, axis_x, axis_y, colours),
    )


def bands_of_theory(rtt_ratio: pl.Series) -> list[alt.Chart]:
    """Return bands of FR by theory: the scenarios' RTT ratios, and their squares."""
    laws = [("RTT ratio", rtt_ratio), ("RTT ratio squared", rtt_ratio**2)]
    rows = [(name, *_span(values)) for name, values in laws if len(values)]
    table = pl.DataFrame(rows, schema=["law", "low", "high"], orient="row")
    table = table.with_columns(mean=(pl.col("low") * pl.col("high")).sqrt())
    band = alt.Chart(table).mark_rect(color=EMPTY)
    names = alt.Chart(table).mark_text(align="left", fontSize=10, color=TEXT)
    return [
        band.encode(y=alt.Y("low:Q", scale=LOG_SCALE), y2="high:Q"),
        names.encode(x=alt.value(4), y="mean:Q", text="law:N"),
    ]


def _span(values: pl.Series) -> tuple[float, float]:
    """Return the ends of the values, at least a hundredth of them apart, so that a band shows."""
    low, high = values.min(), values.max()
    return low / 1.005, high * 1.005


def whiskers(base: alt.Chart, x: str, color: alt.Color) -> list[alt.Chart]:
    """Return the intervals of FR and of x, where there are repeats."""
    rule = base.mark_rule(strokeWidth=1, opacity=0.7)
    up = rule.transform_filter(f"isValid(datum['{FR}_low'])")
    across = rule.transform_filter(f"isValid(datum['{x}_low'])")
    return [
        up.encode(x=f"{x}:Q", y=f"{FR}_low:Q", y2=f"{FR}_high:Q", color=color),
        across.encode(y=f"{FR}:Q", x=f"{x}_low:Q", x2=f"{x}_high:Q", color=color),
    ]


def dots(base: alt.Chart, x: alt.X, y: alt.Y, encodings: dict) -> list[alt.Chart]:
    """Return points, hollow where a scenario has few events."""
    point = base.mark_point(size=70, strokeWidth=1.6).encode(x=x, y=y, **encodings)
    few = "datum.few_events"
    return [
        point.transform_filter(few).encode(fill=alt.value(BLANK)),
        point.transform_filter(f"!{few}").encode(fill=encodings["color"]),
    ]


def variants_chart(scenarios: pl.DataFrame, aqm: str) -> alt.Chart:
    """Return FR of each variant against the rate of the background's sources (Figures 8 and 9)."""
    points = known(scenarios.filter(background="exponential"), "source_kbps", FR)
    if points.is_empty():
        return note(NO_RUN)
    points = select(points, aqm=aqm)
    if points.is_empty():
        return note(f"{NO_RUN} with {queue_name(aqm)}")
    rates = points["source_kbps"].unique().sort().to_list()
    ends = pl.concat([points[c].drop_nulls() for c in (FR, f"{FR}_high", f"{FR}_low")])
    ratio = points["rtt_ratio_12"].mean()
    laws = laws_in(ratio, ends.max()) if ratio is not None else {}
    low, high = min(1, ends.min()), max(ends.max(), *laws.values()) if laws else ends.max()
    variants = [name for name in VARIANTS if name in points["variant"].to_list()]
    aside = {name: 1.12**off for name, off in apart(variants, 1).items()}  # those of one rate
    points = points.with_columns(
        variant_name=pl.col("variant").replace({v: variant_name(v) for v in variants}),
        at_kbps=pl.col("source_kbps") * pl.col("variant").replace_strict(aside),
    )
    x = alt.X(
        "at_kbps:Q",
        title="Rate of a source of exponential on-off background (kb/s, logarithmic)",
        scale=alt.Scale(type="log", domain=[rates[0] / 1.3, rates[-1] * 1.3], nice=False),
        axis=alt.Axis(values=rates, format="~g"),
    )
    y = alt.Y(
        f"{FR}:Q",
        title=LOG_FR_TITLE,
        scale=alt.Scale(type="log", domain=[low * 0.95, high * 1.08], nice=False),
        axis=FR_AXIS,
    )
    legend = alt.Legend(title=None, symbolSize=80, orient="top")
    color = alt.Color("variant_name:N", scale=variant_scale("color", variants), legend=legend)
    shape_of = dict(zip(VARIANTS, ("circle", "square", "triangle-up"), strict=True))
    shapes = alt.Scale(
        domain=list(map(variant_name, variants)), range=[shape_of[v] for v in variants]
    )
    shape = alt.Shape("variant_name:N", scale=shapes, legend=legend)
    base = alt.Chart(points, width=WIDTH, height=260)
    interval = (
        base.transform_filter(f"isValid(datum['{FR}_low'])")
        .mark_rule(strokeWidth=1)
        .encode(x=x, y=alt.Y(f"{FR}_low:Q"), y2=f"{FR}_high:Q", color=color)
    )
    named_laws = pl.DataFrame(
        {"law": list(laws), "value": list(laws.values())},
        schema={"law": pl.String, "value": pl.Float64},
    )
    rules = alt.Chart(named_laws).mark_rule(color=TEXT, strokeDash=[3, 3], strokeWidth=1)
    names = alt.Chart(named_laws).mark_text(dy=7, fontSize=10, color=TEXT)
    return alt.layer(
        rules.encode(y="value:Q"),
        names.encode(x=alt.value(0.3 * WIDTH), y="value:Q", text="law:N"),  # below the lines
        interval,
        *dots(base, x, y, {"color": color, "shape": shape}),
    )


def laws_in(ratio: float, highest: float) -> dict[str, float]:
    """Return FR by theory, by name in print: the first two laws, HSTCP's where the data reach it.

    Args:
        ratio: of the RTTs.
        highest: of what is drawn.
    """
    of = fairness_by_theory(ratio)
    laws = {"RTT ratio": of["independent"], "RTT ratio squared": of["synchronised"]}
    if highest >= of["synchronised HSTCP"]:
        laws[f"RTT ratio to the power {HSTCP_EXPONENT:g} (HSTCP)"] = of["synchronised HSTCP"]
    return laws


def windows_chart(windows: pl.DataFrame) -> alt.Chart:
    """Return the windows of synchronised flows by the closed form (Figure 3).

    Args:
        windows: result of `saw_teeth`.
    """
    flows = windows.select("flow", "rtt_s").unique().sort("flow").rows()
    names = {flow: f"flow {flow}, RTT {1000 * rtt_s:g} ms" for flow, rtt_s in flows}
    table = windows.with_columns(name=pl.col("flow").replace_strict(names))
    order = list(names.values())
    dashes = alt.Scale(domain=order, range=DASHES[: len(order)])
    return (
        alt.Chart(table.with_row_index("i"), width=460, height=200)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("t_s:Q", title="Time (s)"),
            y=alt.Y("window_packets:Q", title="Congestion window (packets)"),
            order="i:O",
            color=alt.Color("name:N", scale=series_colours(order), legend=alt.Legend(title=None)),
            strokeDash=alt.StrokeDash("name:N", scale=dashes, legend=alt.Legend(title=None)),
        )
    )


@paper.figure
def exponents(scenario: pl.DataFrame) -> alt.Chart | dict:
    """Return the exponent of every scenario, of the measured RTTs and of the base RTTs."""
    points = named(known(scenario, "beta_measured"))
    if points.is_empty():
        return note(NO_RUN)
    ends = pl.concat([points[c] for c in ("beta_measured", "beta_base")]).drop_nulls()
    highest = HSTCP_EXPONENT if "highspeed" in points["variant"].to_list() else 2.0
    domain = [min(0.0, ends.min() - 0.1), max(highest, ends.max()) + 0.1]
    kinds = points["background"].unique(maintain_order=True).to_list()
    panels = [
        exponent_panel(select(points, variant=variant, aqm=aqm), variant, aqm, domain, kinds)
        for variant, aqm in points.select("variant", "aqm").unique(maintain_order=True).rows()
    ]
    drawn = below(*panels, spacing=14, resolve={"color": "shared", "shape": "shared"})
    key = f"{messages.HOLLOW_KEY} Bars: of the RTTs without queue."
    return titled(drawn, messages.exponents(points), key)


def exponent_panel(
    points: pl.DataFrame, variant: str, aqm: str, domain: list[float], kinds: list[str]
) -> alt.LayerChart:
    """Return the scenarios of one variant and queue, a row each; a bar is the base RTTs' value."""
    row = alt.Y("name:N", title=None, sort=points["name"].to_list(), axis=alt.Axis(labelLimit=220))
    x = alt.X("beta_measured:Q", title="β", scale=alt.Scale(domain=domain, nice=False))
    base = alt.Chart(
        points, width=380, height={"step": 14}, title=f"{variant_name(variant)}, {queue_name(aqm)}"
    )
    marks = [1.0, 2.0, *([HSTCP_EXPONENT] if variant == "highspeed" else [])]
    marks = [mark for mark in marks if domain[0] <= mark <= domain[1]]
    rules = alt.Chart(pl.DataFrame({"at": marks})).mark_rule(color=TEXT, strokeDash=[3, 3])
    colours = kind_encodings(kinds)
    return alt.layer(
        rules.encode(x="at:Q"),
        base.mark_tick(thickness=2, color=TEXT, height=9).encode(x="beta_base:Q", y=row),
        base.transform_filter("isValid(datum.beta_measured_low)")
        .mark_rule(strokeWidth=1, clip=True)
        .encode(x="beta_measured_low:Q", x2="beta_measured_high:Q", y=row, color=colours["color"]),
        *dots(base, x, row, colours),
    )


QUEUES = {"droptail": ("circle", -8), "red": ("square", 8)}  # queue: mark, px off its row's middle


@paper.figure
def exponents_by_queue(
    scenario: pl.DataFrame, claim: pl.DataFrame, headlines: dict
) -> alt.Chart | dict:
    """Return the exponent of each variant under both queues, a panel a rate of the sources."""
    of_rates = pl.col("source_kbps").is_in([BURSTY_KBPS, SMOOTH_KBPS])
    points = known(scenario.filter(of_rates, background="exponential"), "beta_measured")
    if points.is_empty():
        return note(NO_RUN)
    points = points.with_columns(
        name=pl.col("variant").map_elements(variant_name, return_dtype=pl.String)
    )
    panels = {
        f"Sources of {source_rate(kbps)}": points.filter(source_kbps=kbps)
        for kbps in points["source_kbps"].unique().sort(descending=True)
    }
    message = headline(claim, headlines, "exponents_by_queue", messages.exponents(points))
    return exponents_chart(panels, [variant_name(v) for v in VARIANTS], message)


@paper.figure
def exponents_changed(
    scenario: pl.DataFrame, control: pl.DataFrame, claim: pl.DataFrame, headlines: dict
) -> alt.Chart | dict:
    """Return the exponents of HighSpeed and Scalable with one thing changed, a panel a variant."""
    points = known(compared(scenario, control), "beta_measured")
    if points.is_empty():
        return note(NO_RUN)
    points = points.with_columns(name=pl.col("change").replace(CHANGES))
    panels = {
        variant_name(variant): points.filter(variant=variant)
        for variant in COMPARED
        if variant in points["variant"]
    }
    message = headline(claim, headlines, "exponents_changed", messages.exponents(points))
    return exponents_chart(panels, list(CHANGES.values()), message)


def exponents_chart(panels: dict[str, pl.DataFrame], order: list[str], message: str) -> dict:
    """Return exponents by queue, a panel each, all on one axis.

    Args:
        panels: {title: rows of scenarios with a name}.
        order: of the names.
        message: above the panels.
    """
    ends = [f"beta_measured{end}" for end in ("", "_low", "_high")]
    both = pl.concat([points.select(ends).unpivot()["value"] for points in panels.values()])
    domain = [min(0.0, both.min() - 0.2), max(2.0, both.max()) + 0.9]
    charts = [queue_panel(points, title, domain, order) for title, points in panels.items()]
    drawn = beside(*charts, spacing=20, resolve={"color": "shared", "shape": "shared"})
    key = "Dashed: independent losses, 1, and synchronised ones, 2. " + messages.WHISKERS_KEY
    return titled(drawn, message, key)


def queue_panel(
    points: pl.DataFrame, title: str, domain: list[float], order: list[str]
) -> alt.LayerChart:
    """Return exponents, a row a name, DropTail above RED, with their values."""
    points = points.with_columns(
        queue=pl.col("aqm").map_elements(queue_name, return_dtype=pl.String),
        right=pl.max_horizontal("beta_measured", "beta_measured_high"),
    )
    names = [queue_name(aqm) for aqm in QUEUES]
    x = alt.X("beta_measured:Q", title="Exponent β", scale=alt.Scale(domain=domain, nice=False))
    row = alt.Y("name:N", title=None, sort=order)
    legend = alt.Legend(title=None, orient="top")
    color = alt.Color("queue:N", scale=series_colours(names), sort=names, legend=legend)
    marks = alt.Scale(domain=names, range=[mark for mark, _ in QUEUES.values()])
    base = alt.Chart(points, width=270, height={"step": 44}, title=title)
    laws = pl.DataFrame({"at": [1.0, 2.0], "law": ["independent", "synchronised"]})
    rules = alt.Chart(laws).mark_rule(color=TEXT, strokeDash=[3, 3], strokeWidth=1)
    layers = [rules.encode(x="at:Q")]
    for aqm, (_, off) in QUEUES.items():
        of_queue = base.transform_filter(f"datum.aqm == '{aqm}'")
        layers += [
            of_queue.transform_filter("isValid(datum.beta_measured_low)")
            .mark_rule(strokeWidth=1.4, yOffset=off, y2Offset=off)
            .encode(x="beta_measured_low:Q", x2="beta_measured_high:Q", y=row, color=color),
            of_queue.mark_point(size=70, filled=True, opacity=1, yOffset=off).encode(
                x=x, y=row, color=color, shape=alt.Shape("queue:N", scale=marks, legend=legend)
            ),
            *(
                of_queue.mark_text(
                    dx=7, align="left", yOffset=off, fontSize=10, color=TEXT, **halo
                ).encode(x="right:Q", y=row, text=alt.Text("beta_measured:Q", format=".1f"))
                for halo in ({"stroke": BLANK, "strokeWidth": 6}, {})  # clear of dashed lines
            ),
        ]
    return alt.layer(*layers)


@paper.figure
def gap_sensitivity(gap_mean: pl.DataFrame) -> alt.Chart | dict:
    """Return BPDD and P against the gap, a line a scenario; the default gap has a dot."""
    shown = known(gap_mean, "bpdd")
    if shown.is_empty():
        return note(NO_RUN)
    table = named(shown).with_columns(gap_ms=1000 * pl.col("gap_s"), p_pct=100 * pl.col("p"))
    gaps = table.filter(~pl.col("is_default"))["gap_ms"].unique().sort()
    x = log_axis("gap_ms", "Gap (ms, logarithmic)", gaps)
    panels = [
        lines_by_kind(table, x, alt.Y(f"{y}:Q", title=title), "is_default")
        for y, title in (("bpdd", "BPDD (packets)"), ("p_pct", "P (%)"))
    ]
    drawn = beside(*panels, spacing=24, resolve={"color": "shared", "shape": "shared"})
    key = "A line is the mean of a scenario's runs. Points: the gap that the report uses."
    return titled(drawn, messages.gaps(gap_mean), key)


@paper.figure
def cov_width(arrival_cov: pl.DataFrame, placed_run: pl.DataFrame) -> alt.Chart | dict:
    """Return the CoV of arrivals against the width of the bins, SACK under DropTail."""
    columns = ["scenario_id", "background", "label"]
    table = (
        select(placed_run, **SACK_DROPTAIL)
        .select("run_id", *columns)
        .join(arrival_cov, on="run_id")
        .group_by(*columns, "bin_s", maintain_order=True)
        .agg(pl.col("cov", "cov_background").mean(), *tags_of(arrival_cov))
    )
    if table.is_empty():
        return note(NO_RUN)
    table = named(table).with_columns(bin_ms=1000 * pl.col("bin_s"))
    x = log_axis("bin_ms", "Width of a bin (ms, logarithmic)", table["bin_ms"].unique().sort())
    titles = {"cov": "CoV of all arrivals", "cov_background": "CoV of the background"}
    panels = [
        lines_by_kind(of, x, alt.Y(f"{y}:Q", title=title), None)
        for y, title in titles.items()
        if len(of := table.drop_nulls(y))
    ]
    drawn = beside(*panels, spacing=24, resolve={"color": "shared", "shape": "shared"})
    return titled(drawn, messages.widths(table), "A line is the mean of a scenario's runs.")


def lines_by_kind(table: pl.DataFrame, x: alt.X, y: alt.Y, mark: str | None) -> alt.LayerChart:
    """Return a line a scenario in the colour of its background; points where `mark` is true."""
    base = alt.Chart(table, width=260, height=190)
    colours = kind_encodings(table["background"].unique(maintain_order=True).to_list())
    line = base.mark_line(strokeWidth=1.3, opacity=0.85).encode(
        x=x, y=y, color=colours["color"], detail="name:N"
    )
    point = base.mark_point(size=32, filled=True)
    if mark:
        point = point.transform_filter(f"datum['{mark}']")
    return line + point.encode(x=x, y=y, **colours)


@paper.figure
def time_above(
    drop_event: pl.DataFrame, placed_run: pl.DataFrame, scenario: pl.DataFrame
) -> alt.Chart | dict:
    """Return how long the queue was nearly full in each event, and each scenario's mean.

    SACK under DropTail is drawn.
    """
    of_runs = select(placed_run, **SACK_DROPTAIL).select("run_id", "scenario_id")
    means = named(known(select(scenario, **SACK_DROPTAIL), "time_above_s"))
    if means.is_empty():
        return note(NO_RUN)
    table = (
        drop_event.drop_nulls("time_above_s")
        .join(of_runs, on="run_id")
        .join(means.select("scenario_id", "name", "kind"), on="scenario_id")
        .select("name", "kind", "time_above_s")
    )
    row = alt.Y("name:N", title=None, sort=means["name"].to_list(), axis=alt.Axis(labelLimit=220))
    x = alt.X("time_above_s:Q", title="Time with the queue above 97.5 % in an event (s)")
    colours = kind_encodings(means["background"].to_list())
    each = alt.Chart(table, width=400, height={"step": 18}).mark_tick(
        thickness=1, height=11, opacity=0.6
    )
    base = alt.Chart(means)
    drawn = alt.layer(
        each.encode(x=x, y=row, color=colours["color"].legend(None)), *dots(base, x, row, colours)
    )
    return titled(drawn, messages.time_above(means))


@paper.figure
def cutoffs(cutoff_mean: pl.DataFrame) -> alt.Chart | dict:
    """Return FR against the start of the steady state: exponential sources, DropTail."""
    table = select(cutoff_mean, aqm="droptail", background="exponential")
    if table.is_empty():
        return note(NO_RUN)
    variants = [name for name in VARIANTS if name in table["variant"].to_list()]
    table = table.with_columns(
        variant_name=pl.col("variant").replace({v: variant_name(v) for v in variants}),
        # those of one cut-off side by side
        at_s=pl.col("cutoff_s") + pl.col("variant").replace_strict(apart(variants, 4.0)),
    )
    x = alt.X(
        "at_s:Q",
        title="Steady state from (s)",
        scale=alt.Scale(zero=False, padding=14),
        axis=alt.Axis(values=table["cutoff_s"].unique().sort().to_list()),
    )
    y = alt.Y(f"{FR}:Q", title=LOG_FR_TITLE, scale=LOG_SCALE, axis=FR_AXIS)
    legend = alt.Legend(title="Variant")
    color = alt.Color("variant_name:N", scale=variant_scale("color", variants), legend=legend)
    panels = []
    for kbps in table["source_kbps"].unique().sort():
        base = alt.Chart(
            table.filter(source_kbps=kbps),
            width=240,
            height=200,
            title=f"Sources of {source_rate(kbps)}",
        )
        whisker = base.mark_rule(strokeWidth=1).encode(
            x=x, y=alt.Y(f"{FR}_low:Q", scale=LOG_SCALE), y2=f"{FR}_high:Q", color=color
        )
        line = base.mark_line(strokeWidth=1.4, point=True).encode(x=x, y=y, color=color)
        panels.append(whisker + line)
    shared = {"color": "shared", "y": "shared"}
    drawn = wrapped(*panels, columns=2, spacing={"row": 18, "column": 24}, resolve=shared)
    return titled(drawn, messages.cutoffs(table), messages.WHISKERS_KEY)


@paper.figure
def synchronised_windows() -> dict:
    """Return the windows of two flows whose losses are synchronised; no measurement enters."""
    saw = saw_teeth(RTTS_S, PERIOD_S, PERIODS)
    return titled(windows_chart(saw), messages.windows(saw))


def fairness_figure(scenario: pl.DataFrame, x: str, kinds: list[str] | None = None) -> dict:
    """Return one of Figures 5 to 7 with its message."""
    message = messages.against_fairness(scenario, x, kinds)
    return titled(
        against_fairness(scenario, x, kinds), message, f"{messages.HOLLOW_KEY} Grey: theory."
    )


@paper.figure
def fairness_bpdd(scenario: pl.DataFrame) -> dict:
    """Return Figure 5."""
    return fairness_figure(scenario, "bpdd")


@paper.figure
def fairness_p(scenario: pl.DataFrame) -> dict:
    """Return Figure 6."""
    return fairness_figure(scenario, "p")


@paper.figure
def fairness_cov(scenario: pl.DataFrame) -> dict:
    """Return Figure 7, which has FTP background alone."""
    return fairness_figure(scenario, "cov_background", ["ftp"])


def variants_figure(scenario: pl.DataFrame, aqm: str, message: str) -> dict:
    """Return FR of each variant with a queue, headed by what it shows (Figures 8 and 9)."""
    message = message or messages.variants(scenario, aqm)
    return titled(variants_chart(scenario, aqm), message, messages.WHISKERS_KEY)


@paper.figure
def variants_droptail(scenario: pl.DataFrame, claim: pl.DataFrame, headlines: dict) -> dict:
    """Draw Figure 8."""
    message = headline(claim, headlines, "variants_droptail", "")
    return variants_figure(scenario, "droptail", message)


@paper.figure
def variants_red(scenario: pl.DataFrame, claim: pl.DataFrame, headlines: dict) -> dict:
    """Draw Figure 9."""
    return variants_figure(scenario, "red", headline(claim, headlines, "variants_red", ""))


@paper.figure
def topology(flow: pl.DataFrame, placed_run: pl.DataFrame, run: pl.DataFrame) -> dict:
    """Return Figure 4: the flows with their RTTs, the background and the bottleneck."""
    return titled(topology_chart(**described(flow, placed_run, run)), messages.TOPOLOGY)


@paper.figure
def card(scenario: pl.DataFrame, claim: pl.DataFrame, headlines: dict) -> dict:
    """Draw the figure of the site's first page."""
    said = "The exponent of each variant with both queues"
    return exponent_card(scenario, headline(claim, headlines, "card", said))
