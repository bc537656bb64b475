"""Figures of `high-speed-fairness`: a panel a variant (or pair), simulator and testbed in it.

Points are means of a cell's runs, whiskers reach from its smallest to its largest run. A flow
without any throughput has no place on a logarithmic axis: a triangle at the axis's end names it.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, coverage, note, panel_title
from evenflow.charts.panels import below, beside
from evenflow.charts.theme import BLANK, PLATFORMS, RULE, TEXT
from evenflow.congestion_controls import variant_name
from evenflow.markdown import number
from evenflow.papers import paper

from .metrics import HIGH_SPEED, QUEUES, RTTS_MS, VARIANTS, rtt_points

COMPETITOR = "competitor"
WIDTH, HEIGHT = 150, 100  # of a panel, px
COLUMNS = 3  # panels side by side; of inter-protocol figures INTER_COLUMNS, narrower ones
INTER_WIDTH, INTER_COLUMNS = 130, 4
LEAST_RATIO = 0.01  # a ratio's axis reaches at least from here to its reciprocal
STARVED_1, STARVED_2 = "flow 1", "flow 2"
LEGENDS = {"labelLimit": 200, "orient": "top"}
LABEL_PX = 34  # for the labels of an axis, also in a wider font
CELL_PX = 21  # a cell of the matrix of shares


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


def panel(
    points: pl.DataFrame, x: alt.X, y: alt.Y, low: str, high: str, width: int = WIDTH
) -> alt.LayerChart:
    """Return lines, whiskers and points of one panel, in the encodings of all figures."""
    marks = encodings()
    base = alt.Chart(points, width=width, height=HEIGHT)
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


def jfi_panel(points: pl.DataFrame, title: str, x: alt.X, *, first: bool) -> alt.LayerChart:
    """Return Jain's index over the RTT; the first panel of a row names its axis."""
    axis = alt.Axis(values=[0.5, 0.75, 1], format=".2~f", **named("Jain's index", first))
    scale = alt.Scale(domain=[0.5, 1])
    y = alt.Y("jfi:Q", title="Jain's index", scale=scale, axis=axis)
    heading = panel_title(title, coverage(points["n"]))
    if points.is_empty():
        return empty(heading, x, y)
    drawn = panel(in_words(points), x, y, "jfi_low", "jfi_high")
    return drawn.properties(title=heading)


def ratio_panel(
    points: pl.DataFrame,
    title: str,
    names: tuple[str, str],
    domain: tuple[float, float],
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
        first: whether it is the first of its row, which names the axis.
        width: px.
    """
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    title_of_axis = " / ".join(names).replace(COMPETITOR, "other")  # as long as a panel is high
    axis = alt.Axis(values=powers(domain), format="~g", **named(title_of_axis, first))
    x, y = rtt_axis(), alt.Y("shown:Q", title=title_of_axis, scale=scale, axis=axis)
    heading = panel_title(title, coverage(points["n"]) + how_many_starved(points))
    if points.is_empty():
        return empty(heading, x, y, width)
    placed = at_the_ends(in_words(points), domain)
    drawn = panel(placed, x, y, "low", "high", width)
    return alt.layer(level(1.0), drawn, *triangles(placed, x, names), title=heading)


def named(title: str, first: bool) -> dict[str, str | int | None]:
    """Return the title of an axis: printed in the first panel of a row only, known in all."""
    return {"title": title, "minExtent": LABEL_PX} if first else {"title": None}


def how_many_starved(points: pl.DataFrame) -> str:
    """Return in how many cells the ratio is that of a starved flow: '; 2 starved', or nothing."""
    starved = points.filter(pl.col("ratio").is_null() | (pl.col("ratio") == 0))
    return f"; {len(starved)} starved" if len(starved) else ""


def powers(domain: tuple[float, float]) -> list[float]:
    """Return the powers of ten of an axis."""
    low, high = domain
    values = [low]
    while values[-1] * 10 <= high * 1.001:
        values.append(float(f"{values[-1] * 10:g}"))
    return values


def empty(title: alt.Title, x: alt.X, y: alt.Y, width: int = WIDTH) -> alt.LayerChart:
    """Return a panel without runs: its axes, and words that say so."""
    fields = [axis.shorthand.removesuffix(":Q") for axis in (x, y)]
    ends = [axis["scale"]["domain"][0] for axis in (x, y)]
    data = pl.DataFrame(dict(zip(fields, ([end] for end in ends), strict=True)))
    base = alt.Chart(data, width=width, height=HEIGHT)
    words = base.mark_text(color=TEXT, text=NO_RUN)
    return alt.layer(
        base.mark_text(text="").encode(x=x, y=y),  # no mark that would count as a value
        words.encode(x=alt.value(width / 2), y=alt.value(HEIGHT / 2)),
        title=title,
    )


def in_rows(panels: list[alt.Chart], columns: int = COLUMNS) -> dict:
    """Return panels in rows of `columns`."""
    rows = [beside(*panels[i : i + columns]) for i in range(0, len(panels), columns)]
    return below(*rows)


def friendliness_chart(cells: pl.DataFrame) -> dict:
    """Return Figure 2: NewReno against each variant, Jain's index and throughput ratio."""
    of_view = cells.filter(pl.col("view") == "friendliness")
    by = {cca: of_view.filter(pl.col("cca2") == cca) for cca in HIGH_SPEED}
    return both_measures(by, of_view, ("NewReno", "variant"))


def intra_chart(cells: pl.DataFrame) -> dict:
    """Return Figure 3: each variant against itself, Jain's index and throughput ratio."""
    of_view = cells.filter(pl.col("view") == "intra")
    by = {cca: of_view.filter(pl.col("cca1") == cca) for cca in VARIANTS}
    return both_measures(by, of_view, ("flow 1", "flow 2"))


def both_measures(by: dict, of_view: pl.DataFrame, names: tuple[str, str]) -> dict:
    """Return rows of Jain's index above rows of the throughput ratio, a panel a variant."""
    domain = ratio_domain(of_view)
    upper, lower = [], []
    for i, (cca, points) in enumerate(by.items()):
        title, first = variant_name(cca), i % COLUMNS == 0
        upper.append(jfi_panel(points, title, rtt_axis(), first=first))
        lower.append(ratio_panel(points, title, names, domain, first=first))
    return below(in_rows(upper), in_rows(lower))


def rtt_jfi_chart(cells: pl.DataFrame) -> dict:
    """Return Figure 4 (a) and (c): Jain's index over flow 2's RTT."""
    points, x = rtt_points(cells), rtt_axis("RTT of flow 2 (ms)")
    panels = []
    for i, cca in enumerate(VARIANTS):
        of_cca = points.filter(pl.col("cca1") == cca)
        panels.append(jfi_panel(of_cca, variant_name(cca), x, first=i % COLUMNS == 0))
    return in_rows(panels)


def rtt_ratio_chart(cells: pl.DataFrame, fits: pl.DataFrame) -> dict:
    """Return Figure 4 (b) and (d): throughput ratio over RTT ratio, fits, and the unit line.

    Args:
        cells, fits: the tables `pair_cell` and `rtt_fit`.
    """
    points = rtt_points(cells)
    unit = pl.DataFrame({"x": [0.0, 2.1], "y": [0.0, 2.1]})
    x = alt.X("rtt_ratio:Q", title="RTT 2 / RTT 1", scale=alt.Scale(domain=[0, 2.1]))
    line = alt.Chart(unit).mark_line(color=TEXT, strokeWidth=1).encode(x="x:Q", y="y:Q")
    panels = []
    for i, cca in enumerate(VARIANTS):
        of_cca = points.filter(pl.col("cca1") == cca)
        # a scale each: beside a variant that nearly starves a flow, others would lie on the axis
        highest = max([2.2, *(of_cca["ratio_high"].drop_nulls() * 1.05)])
        scale = alt.Scale(domain=[0, highest], nice=False)
        axis = alt.Axis(tickCount=5, **named("flow 1 / flow 2", i % COLUMNS == 0))
        y = alt.Y("shown:Q", title="flow 1 / flow 2", scale=scale, axis=axis)
        said = fits_in_words(fits.filter(pl.col("cca") == cca))
        counted = coverage(of_cca["n"]) + how_many_starved(of_cca)
        heading = panel_title(variant_name(cca), counted, *said)
        if of_cca.is_empty():
            panels.append(empty(heading, x, y))
            continue
        placed = at_the_ends(in_words(of_cca), (0.0, highest))
        drawn = [panel(placed, x, y, "low", "high")]
        drawn += triangles(placed, x, ("flow 1", "flow 2"))
        panels.append(alt.layer(*drawn, line, title=heading))
    return in_rows(panels)


def fits_in_words(fits: pl.DataFrame) -> list[str]:
    """Return Pearson's r of a variant's fits, a line a platform: 'ns-2, r: 3 MB 0.97'."""
    lines = []
    for part, (name, *_) in PLATFORMS.items():
        known = fits.filter(pl.col("part") == part).drop_nulls("r")
        r = dict(known.select("queue", "r").rows())
        said = [f"{QUEUES[queue]} {number(r[queue], 2)}" for queue in QUEUES if queue in r]
        if said:
            lines.append(f"{name}, r: {'; '.join(said)}")
    return lines


def inter_chart(cells: pl.DataFrame, cca: str) -> dict:
    """Return Figures 5 to 9: the throughput of a variant over that of each other one.

    Args:
        cells: the table `pair_cell`.
        cca: the named variant; where it was flow 2, the ratio is turned round.
    """
    of_view = turned_to(cells.filter(pl.col("view") == "inter"), cca)
    domain = ratio_domain(of_view)
    names = (variant_name(cca), COMPETITOR)
    panels = []
    for other in [variant for variant in HIGH_SPEED if variant != cca]:
        points = of_view.filter(pl.col("cca2") == other)
        title = f"against {variant_name(other)}"
        panels.append(
            ratio_panel(points, title, names, domain, first=not panels, width=INTER_WIDTH)
        )
    return in_rows(panels, INTER_COLUMNS)


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


def matrix_chart(shares: pl.DataFrame) -> alt.Chart | dict:
    """Return who takes how much from whom: shares of each variant beside each other, per RTT.

    Args:
        shares: the table `pair_share`.
    """
    rtts = sorted(shares["rtt_ms"].unique())
    present = set(shares.select("part", "queue").unique().rows())
    rows = [(part, queue) for part in PLATFORMS for queue in QUEUES if (part, queue) in present]
    lines = []
    for part, queue in rows:
        mine = shares.filter(part=part, queue=queue)
        title = f"{PLATFORMS[part][0]}, {QUEUES[queue]}"
        panels = [
            matrix_panel(
                mine.filter(rtt_ms=rtt),
                panel_title(f"{rtt:g} ms", title),
                with_rows=rtt == rtts[0],
                with_columns=(part, queue) == rows[-1],
            )
            for rtt in rtts
        ]
        lines.append(beside(*panels, spacing=8))
    return below(*lines) if lines else note(NO_RUN, WIDTH, HEIGHT)


def matrix_panel(
    shares: pl.DataFrame, title: alt.Title, *, with_rows: bool, with_columns: bool
) -> alt.LayerChart:
    """Return one matrix: rows take their share beside columns, in %; white where no run is.

    Args:
        shares: rows of `pair_share` of one platform, queue and RTT.
        title: the panel's heading.
        with_rows, with_columns: whether its rows and its columns are named.
    """
    names = [variant_name(cca) for cca in VARIANTS]
    known = variant_name_map()
    named = shares.with_columns(
        taker=pl.col("cca").replace_strict(known, default=pl.col("cca")),
        beside=pl.col("other").replace_strict(known, default=pl.col("other")),
        percent=pl.col("share") * 100,
    )
    plain = {"ticks": False, "grid": False}
    axes = {
        "x": alt.X("beside:N", title="beside" if with_columns else None, sort=names),
        "y": alt.Y("taker:N", title=None, sort=names),
    }
    for axis, shown, more in (("x", with_columns, {"labelAngle": -90}), ("y", with_rows, {})):
        axes[axis].scale = alt.Scale(domain=names)
        axes[axis].axis = alt.Axis(labels=shown, **plain, **more)
    side = CELL_PX * len(names)
    base = alt.Chart(named, width=side, height=side).encode(**axes)
    scale = alt.Scale(scheme="purpleorange", domain=[0, 100], domainMid=50)
    colour = alt.Color("percent:Q", scale=scale, legend=alt.Legend(title="Share (%)"))
    dark = "datum.percent < 20 || datum.percent > 80"
    text = base.mark_text(fontSize=9).encode(
        text=alt.Text("percent:Q", format=".0f"),
        color=alt.condition(dark, alt.value("white"), alt.value(TEXT)),
    )
    cells = base.mark_rect(stroke=RULE, strokeWidth=0.4).encode(color=colour)
    return alt.layer(cells, text, title=title)


def variant_name_map() -> dict[str, str]:
    """Return the names in print of the six variants."""
    return {cca: variant_name(cca) for cca in VARIANTS}


# ---- the figures ----


@paper.figure
def friendliness(pair_cell) -> dict:
    return friendliness_chart(pair_cell)


@paper.figure
def intra(pair_cell) -> dict:
    return intra_chart(pair_cell)


@paper.figure
def rtt_jfi(pair_cell) -> dict:
    return rtt_jfi_chart(pair_cell)


@paper.figure
def rtt_ratio(pair_cell, rtt_fit) -> dict:
    return rtt_ratio_chart(pair_cell, rtt_fit)


@paper.figure
def inter_bic(pair_cell) -> dict:
    return inter_chart(pair_cell, "bic")


@paper.figure
def inter_cubic(pair_cell) -> dict:
    return inter_chart(pair_cell, "cubic")


@paper.figure
def inter_htcp(pair_cell) -> dict:
    return inter_chart(pair_cell, "htcp")


@paper.figure
def inter_highspeed(pair_cell) -> dict:
    return inter_chart(pair_cell, "highspeed")


@paper.figure
def inter_scalable(pair_cell) -> dict:
    return inter_chart(pair_cell, "scalable")


@paper.figure
def shares(pair_share) -> alt.Chart | dict:
    return matrix_chart(pair_share)
