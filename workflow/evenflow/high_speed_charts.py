"""Figures of `high-speed-fairness`: a panel a variant (or pair), simulator and testbed in it.

Points are means of a cell's runs, whiskers reach from its smallest to its largest run. A flow
without any throughput has no place on a logarithmic axis: a triangle at the axis's end names it.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from .high_speed import HIGH_SPEED, QUEUES, VARIANTS, rtt_points
from .theme import BLANK, PLATFORMS, RULE, TEXT, variant_name

NO_RUN = "no run yet"
RTTS_MS = [16, 42, 82, 162, 324]
WIDTH, HEIGHT = 150, 130  # of a panel, px
COLUMNS = 3  # panels side by side
LEAST_RATIO = 0.01  # a ratio's axis reaches at least from here to its reciprocal
STARVED_1, STARVED_2 = "flow 1", "flow 2"
LEGENDS = {"labelLimit": 200, "orient": "right"}


def in_words(points: pl.DataFrame) -> pl.DataFrame:
    """Add platform and queue in print, and series, which tells their lines apart."""
    names = {part: name for part, (name, *_) in PLATFORMS.items()}
    return points.with_columns(
        platform=pl.col("part").replace(names), buffer=pl.col("queue").replace(QUEUES)
    ).with_columns(series=pl.format("{} {}", "platform", "buffer"))


def ratio_domain(points: pl.DataFrame) -> tuple[float, float]:
    """Return the ends of a ratio's logarithmic axis: powers of ten about 1, all runs inside."""
    columns = ("ratio", "ratio_low", "ratio_high")
    values = pl.concat([points[name] for name in columns]).drop_nulls()
    values = values.filter(values > 0)
    reach = 1 / LEAST_RATIO
    for value in values:
        while not 1 / reach <= value <= reach:
            reach *= 10
    return 1 / reach, reach


def at_the_ends(points: pl.DataFrame, domain: tuple[float, float]) -> pl.DataFrame:
    """Return the cells as a ratio's logarithmic axis can show them.

    Args:
        points: with ratio, ratio_low, ratio_high, n_starved1, n_starved2.
        domain: of the axis.

    Returns:
        The same with `shown`, `low`, `high` inside the axis, and `starved`, the words of the cell's
        triangle: of flow 1 where the ratio is 0, of flow 2 where it is null; else null.
    """
    bottom, top = domain
    starved = pl.when(pl.col("ratio").is_null()).then(pl.lit(STARVED_2))
    starved = starved.when(pl.col("ratio") == 0).then(pl.lit(STARVED_1))
    return points.with_columns(
        starved=starved,
        shown=pl.col("ratio").fill_null(top).clip(bottom, top),
        low=pl.col("ratio_low").fill_null(top).clip(bottom, top),
        high=pl.col("ratio_high").fill_null(top).clip(bottom, top),
    )


def encodings() -> dict:
    """Return colour and shape of the platform and dash of the queue; all figures have the same."""
    names, colours, shapes = zip(*PLATFORMS.values(), strict=True)
    queues = list(QUEUES.values())
    return {
        "color": alt.Color(
            "platform:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(title="Platform", **LEGENDS),
        ),
        "shape": alt.Shape(
            "platform:N",
            scale=alt.Scale(domain=names, range=shapes),
            legend=alt.Legend(title="Platform", **LEGENDS),
        ),
        "strokeDash": alt.StrokeDash(
            "buffer:N",
            scale=alt.Scale(domain=queues, range=[[1, 0], [4, 3]]),
            legend=alt.Legend(title="Bottleneck queue", symbolType="stroke", **LEGENDS),
        ),
    }


def rtt_axis(title: str = "RTT (ms)") -> alt.X:
    """Return the axis of the paper's five RTTs, logarithmic."""
    return alt.X(
        "rtt2_ms:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[13, 400]),
        axis=alt.Axis(values=RTTS_MS, grid=False, format="d"),
    )


def panel(points: pl.DataFrame, x: alt.X, y: alt.Y, low: str, high: str, title: str) -> alt.Chart:
    """Return lines, whiskers and points of one panel, in the encodings of all figures."""
    marks = encodings()
    base = alt.Chart(points, width=WIDTH, height=HEIGHT, title=title)
    field = y.shorthand.removesuffix(":Q")
    lines = base.mark_line(strokeWidth=1.4).encode(
        x=x, y=y, detail="series:N", color=marks["color"], strokeDash=marks["strokeDash"]
    )
    rules = base.mark_rule(strokeWidth=1).encode(
        x=x, y=alt.Y(f"{low}:Q"), y2=f"{high}:Q", color=marks["color"]
    )
    dots = base.mark_point(size=38, strokeWidth=1.4, fill=BLANK).encode(
        x=x, y=alt.Y(f"{field}:Q"), color=marks["color"], shape=marks["shape"]
    )
    return alt.layer(lines, rules, dots)


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
            said = starved.unique(x.shorthand.removesuffix(":Q"))
            layers.append(
                alt.Chart(said)
                .mark_text(
                    color=TEXT, fontSize=9, dy=dy, text=f"{name} starved", align="left", dx=-8
                )
                .encode(x=x, y="shown:Q")
            )
    return layers


def level(value: float) -> alt.Chart:
    """Return the thin line at which two flows get the same."""
    data = pl.DataFrame({"value": [value]})
    return alt.Chart(data).mark_rule(color=RULE, strokeWidth=1).encode(y="value:Q")


def jfi_panel(points: pl.DataFrame, title: str, x: alt.X) -> alt.LayerChart:
    """Return Jain's index over the RTT."""
    if points.is_empty():
        return empty(title)
    y = alt.Y("jfi:Q", title="Jain's index", scale=alt.Scale(domain=[0.5, 1]))
    return panel(in_words(points), x, y, "jfi_low", "jfi_high", title)


def ratio_panel(
    points: pl.DataFrame, title: str, x: alt.X, domain: tuple[float, float], names: tuple[str, str]
) -> alt.LayerChart:
    """Return the throughput ratio over the RTT, on a logarithmic axis with starved flows."""
    if points.is_empty():
        return empty(title)
    placed = at_the_ends(in_words(points), domain)
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    axis = alt.Axis(values=powers(domain), format="~g")
    y = alt.Y("shown:Q", title=" / ".join(names), scale=scale, axis=axis)
    drawn = panel(placed, x, y, "low", "high", title)
    return alt.layer(level(1.0), drawn, *triangles(placed, x, names))


def powers(domain: tuple[float, float]) -> list[float]:
    """Return the powers of ten of an axis."""
    low, high = domain
    values = [low]
    while values[-1] * 10 <= high * 1.001:
        values.append(float(f"{values[-1] * 10:g}"))
    return values


def empty(title: str) -> alt.Chart:
    """Return a panel without runs, which says so."""
    data = pl.DataFrame({"text": [NO_RUN]})
    return (
        alt.Chart(data, width=WIDTH, height=HEIGHT, title=title)
        .mark_text(color=TEXT)
        .encode(text="text:N")
    )


def in_rows(panels: list[alt.Chart], columns: int = COLUMNS) -> alt.VConcatChart:
    """Return panels in rows of `columns`."""
    rows = [alt.hconcat(*panels[i : i + columns]) for i in range(0, len(panels), columns)]
    return alt.vconcat(*rows)


def friendliness_chart(cells: pl.DataFrame) -> alt.TopLevelMixin:
    """Return Figure 2: NewReno against each variant, Jain's index and throughput ratio."""
    of_view = cells.filter(pl.col("view") == "friendliness")
    by = {cca: of_view.filter(pl.col("cca2") == cca) for cca in HIGH_SPEED}
    return both_measures(by, of_view, ("NewReno", "variant"))


def intra_chart(cells: pl.DataFrame) -> alt.TopLevelMixin:
    """Return Figure 3: each variant against itself, Jain's index and throughput ratio."""
    of_view = cells.filter(pl.col("view") == "intra")
    by = {cca: of_view.filter(pl.col("cca1") == cca) for cca in VARIANTS}
    return both_measures(by, of_view, ("flow 1", "flow 2"))


def both_measures(by: dict, of_view: pl.DataFrame, names: tuple[str, str]) -> alt.TopLevelMixin:
    """Return rows of Jain's index above rows of the throughput ratio, a panel a variant."""
    domain = ratio_domain(of_view)
    upper = [jfi_panel(points, variant_name(cca), rtt_axis()) for cca, points in by.items()]
    lower = [
        ratio_panel(points, variant_name(cca), rtt_axis(), domain, names)
        for cca, points in by.items()
    ]
    return alt.vconcat(in_rows(upper), in_rows(lower))


def rtt_jfi_chart(cells: pl.DataFrame) -> alt.TopLevelMixin:
    """Return Figure 4 (a) and (c): Jain's index over flow 2's RTT."""
    points = rtt_points(cells)
    title = "RTT of flow 2 (ms)"
    return in_rows(
        [
            jfi_panel(points.filter(pl.col("cca1") == cca), variant_name(cca), rtt_axis(title))
            for cca in VARIANTS
        ]
    )


def rtt_ratio_chart(cells: pl.DataFrame, fits: pl.DataFrame) -> alt.TopLevelMixin:
    """Return Figure 4 (b) and (d): throughput ratio over RTT ratio, fits, and the unit line.

    Args:
        cells, fits: the tables `pair_cell` and `rtt_fit`.
    """
    points = rtt_points(cells).drop_nulls("ratio")
    highest = max([2.2, *(points["ratio"] * 1.05)])
    unit = pl.DataFrame({"x": [0.0, 2.1], "y": [0.0, 2.1]})
    panels = []
    for cca in VARIANTS:
        of_cca = in_words(points.filter(pl.col("cca1") == cca))
        if of_cca.is_empty():
            panels.append(empty(variant_name(cca)))
            continue
        x = alt.X("rtt_ratio:Q", title="RTT 2 / RTT 1", scale=alt.Scale(domain=[0, 2.1]))
        y = alt.Y("ratio:Q", title="flow 1 / flow 2", scale=alt.Scale(domain=[0, highest]))
        line = alt.Chart(unit).mark_line(color=TEXT, strokeWidth=1).encode(x="x:Q", y="y:Q")
        drawn = panel(of_cca, x, y, "ratio_low", "ratio_high", variant_name(cca))
        panels.append(alt.layer(line, drawn))
    return in_rows(panels)


def inter_chart(cells: pl.DataFrame, cca: str) -> alt.TopLevelMixin:
    """Return Figures 5 to 9: the throughput of a variant over that of each other one.

    Args:
        cells: the table `pair_cell`.
        cca: the named variant; where it was flow 2, the ratio is turned round.
    """
    of_view = turned_to(cells.filter(pl.col("view") == "inter"), cca)
    domain = ratio_domain(of_view)
    names = (variant_name(cca), "competitor")
    panels = [
        ratio_panel(
            of_view.filter(pl.col("cca2") == other),
            f"against {variant_name(other)}",
            rtt_axis(),
            domain,
            names,
        )
        for other in HIGH_SPEED
        if other != cca
    ]
    return in_rows(panels, columns=2)


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


def matrix_chart(shares: pl.DataFrame) -> alt.TopLevelMixin:
    """Return who takes how much from whom: shares of each variant beside each other, per RTT.

    Args:
        shares: the table `pair_share`.
    """
    names = [variant_name(cca) for cca in VARIANTS]
    words = {part: name for part, (name, *_) in PLATFORMS.items()}
    rows = []
    for part in [p for p in PLATFORMS if p in shares["part"].to_list()]:
        for queue in [q for q in QUEUES if q in shares.filter(part=part)["queue"].to_list()]:
            of_queue = shares.filter(part=part, queue=queue)
            title = f"{words[part]}, {QUEUES[queue]}"
            panels = [
                matrix_panel(of_queue.filter(rtt_ms=rtt), f"{title}, {rtt:g} ms", names)
                for rtt in sorted(of_queue["rtt_ms"].unique())
            ]
            rows.append(in_rows(panels))
    return alt.vconcat(*rows) if rows else empty("")


def matrix_panel(shares: pl.DataFrame, title: str, names: list[str]) -> alt.LayerChart:
    """Return one matrix: rows take their share beside columns, in %; white where no run is."""
    named = shares.with_columns(
        taker=pl.col("cca").replace_strict(variant_name_map(), default=pl.col("cca")),
        beside=pl.col("other").replace_strict(variant_name_map(), default=pl.col("other")),
        percent=pl.col("share") * 100,
    )
    x = alt.X("beside:N", title="beside", sort=names, scale=alt.Scale(domain=names))
    y = alt.Y("taker:N", title=None, sort=names, scale=alt.Scale(domain=names))
    base = alt.Chart(named, width=160, height=140, title=title).encode(x=x, y=y)
    scale = alt.Scale(scheme="purpleorange", domain=[0, 100], domainMid=50)
    colour = alt.Color("percent:Q", scale=scale, legend=alt.Legend(title="Share (%)"))
    dark = "datum.percent < 20 || datum.percent > 80"
    text = base.mark_text(fontSize=9).encode(
        text=alt.Text("percent:Q", format=".0f"),
        color=alt.condition(dark, alt.value("white"), alt.value(TEXT)),
    )
    return base.mark_rect(stroke=RULE, strokeWidth=0.4).encode(color=colour) + text


def variant_name_map() -> dict[str, str]:
    """Return the names in print of the six variants."""
    return {cca: variant_name(cca) for cca in VARIANTS}
