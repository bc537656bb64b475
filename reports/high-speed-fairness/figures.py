"""Figures of `high-speed-fairness`: a panel a variant (or pair), simulator and testbed in it.

Points are means of a cell's runs, whiskers reach from its smallest to its largest run. A flow
without any throughput has no place on a logarithmic axis: a triangle at the axis's end names it.
"""

from __future__ import annotations

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, coverage, note
from evenflow.charts.panels import below, beside, panel_title, titled
from evenflow.charts.theme import BLANK, ON_DARK, ON_LIGHT, PLATFORMS, RULE, TEXT
from evenflow.claims.headlines import headline
from evenflow.congestion_controls import variant_name
from evenflow.markdown import number, span_of
from evenflow.papers import paper

from . import messages
from .card import exponent_card
from .exponents import exponents_of_claims
from .metrics import HIGH_SPEED, QUEUES, RTTS_MS, VARIANTS, VIEW_NAMES, VIEWS, rtt_points

COMPETITOR = "competitor"
WIDTH, HEIGHT = 150, 100  # of a panel, px
RATIO_HEIGHT = 150  # of the panels in which slopes are compared
COLUMNS = 3  # panels side by side; of inter-protocol figures INTER_COLUMNS, narrower ones
INTER_WIDTH, INTER_COLUMNS = 124, 4
NARROW = 540  # of all panels of a row that has one for every variant
ENDS_AND_MIDDLE = [16, 82, 324]  # RTTs that a narrow axis has room for, ms
LEAST_RATIO = 0.1  # a ratio's axis reaches at least from here to its reciprocal
TWO_STATES = 2.0  # factor either way by which runs disagree on who is ahead, as in claims
STARVED_1, STARVED_2 = "flow 1", "flow 2"
PLACE = {float(rtt): i for i, rtt in enumerate(RTTS_MS)}
RTT_RATIOS = (0.09, 2.2)  # of flow 2's RTT to flow 1's: ends of a logarithmic axis
EXPONENTS = (-0.5, 6.0)  # ends of an axis; longer intervals end there
LEAST_UTILISATION = 40  # %, where an axis begins
LEGENDS = {"labelLimit": 200, "orient": "top"}
LABEL_PX = 34  # for the labels of an axis, also in a wider font
EXPONENT_WIDTH, EXPONENT_HEIGHT = 250, 170
TOPOLOGY_WIDTH = 460
CELL_PX = 22  # a cell of the matrix of shares


def heading_of(text: str, *subtitle: str) -> alt.Title:
    """Return a panel's heading, at the left of its drawing: at one height in all of a row."""
    heading = panel_title(text, *subtitle)
    heading.frame = "group"
    return heading


def in_words(points: pl.DataFrame) -> pl.DataFrame:
    """Add platform and queue in print, and piece, which tells lines apart.

    A piece ends where the next RTT of the design has no cell: no line crosses what was not run.
    """
    names = {part: name for part, (name, *_) in PLATFORMS.items()}
    place = pl.col("rtt2_ms").replace_strict(PLACE)
    series = ["part", "queue"]
    return points.with_columns(
        platform=pl.col("part").replace(names),
        buffer=pl.col("queue").replace(QUEUES),
        gaps=place - pl.col("rtt2_ms").rank().over(series).cast(pl.Int64),
    ).with_columns(piece=pl.format("{} {} {}", "platform", "buffer", "gaps"))


def ratio_domain(points: pl.DataFrame) -> tuple[float, float]:
    """Return the ends of a ratio's logarithmic axis: powers of ten, 1 and all runs inside."""
    columns = ("ratio", "ratio_low", "ratio_high")
    values = pl.concat([points[name] for name in columns]).drop_nulls()
    values = values.filter(values > 0)
    low, high = LEAST_RATIO, 1 / LEAST_RATIO
    for value in values:
        while value < low:
            low /= 10
        while value > high:
            high *= 10
    return low, high


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


def rtt_axis(title: str = "RTT (ms)", labels: list[int] = RTTS_MS) -> alt.X:
    """Return the axis of the paper's five RTTs, logarithmic."""
    return alt.X(
        "rtt2_ms:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[13, 400]),
        axis=alt.Axis(values=labels, grid=False, format="d"),
    )


def panel(
    points: pl.DataFrame,
    x: alt.X,
    y: alt.Y,
    low: str,
    high: str,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Return lines, whiskers and points of one panel, in the encodings of all figures."""
    marks = encodings()
    base = alt.Chart(points, width=width, height=height)
    field = y.shorthand.removesuffix(":Q")
    lines = base.mark_line(strokeWidth=1.4).encode(
        x=x, y=y, detail="piece:N", color=marks["color"], strokeDash=marks["strokeDash"]
    )
    rules = base.mark_rule(strokeWidth=1).encode(
        x=x, y=alt.Y(f"{low}:Q"), y2=f"{high}:Q", color=marks["color"]
    )
    dots = base.mark_point(size=38, strokeWidth=1.4, fill=BLANK, opacity=1).encode(
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
            said = starved.unique(x.shorthand.removesuffix(":Q"), maintain_order=True)
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


def jfi_panel(
    points: pl.DataFrame, title: str, x: alt.X, *, first: bool, width: int = WIDTH
) -> alt.LayerChart:
    """Return Jain's index over the RTT; the first panel of a row names its axis."""
    axis = alt.Axis(values=[0.5, 0.75, 1], format=".2~f", **named("Jain's index", first))
    scale = alt.Scale(domain=[0.5, 1])
    y = alt.Y("jfi:Q", title="Jain's index", scale=scale, axis=axis)
    heading = heading_of(title, coverage(points["n"]))
    if points.is_empty():
        return empty(heading, x, y, width)
    drawn = panel(in_words(points), x, y, "jfi_low", "jfi_high", width)
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
    axis = alt.Axis(values=powers(domain), format="~g", **named(title_of_axis, first))
    y = alt.Y("shown:Q", title=title_of_axis, scale=scale, axis=axis)
    heading = heading_of(title, coverage(points["n"]) + how_many_starved(points))
    if points.is_empty():
        return empty(heading, x, y, width)
    placed = at_the_ends(in_words(points), domain)
    drawn = panel(placed, x, y, "low", "high", width)
    return alt.layer(level(1.0), drawn, *triangles(placed, x, names), title=heading)


def named(title: str, first: bool) -> dict[str, str | int | bool | None]:
    """Return title and labels of an axis: those of the first panel of a row are for all of it."""
    return {"title": title, "minExtent": LABEL_PX} if first else {"title": None, "labels": False}


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


def topology_chart() -> alt.LayerChart:
    """Return Figure 1: two senders, a router with the bottleneck's queue, two receivers."""
    places = {
        "sender 1": (0.0, 1.0),
        "sender 2": (0.0, 0.0),
        "router": (1.0, 0.5),
        "": (2.0, 0.5),  # where the links part again
        "receiver 1": (3.0, 1.0),
        "receiver 2": (3.0, 0.0),
    }
    links = [
        ("sender 1", "router", "flow 1's delay"),
        ("sender 2", "router", "flow 2's delay"),
        ("router", "", "bottleneck, one queue"),
        ("", "receiver 1", ""),
        ("", "receiver 2", ""),
    ]
    ends = pl.DataFrame(
        [(*places[a], *places[b], word) for a, b, word in links],
        schema=["x", "y", "x2", "y2", "word"],
        orient="row",
    ).with_columns(
        width=pl.when(pl.col("word").str.starts_with("bottleneck")).then(5.0).otherwise(1.4),
        middle_x=(pl.col("x") + pl.col("x2")) / 2,
        middle_y=(pl.col("y") + pl.col("y2")) / 2,
    )
    nodes = pl.DataFrame(
        [(name, *place) for name, place in places.items() if name], ["name", "x", "y"], orient="row"
    )

    def axis(kind: type, field: str, domain: list[float]) -> alt.X | alt.Y:
        return kind(f"{field}:Q", axis=None, scale=alt.Scale(domain=domain))

    wide, tall = [-0.35, 3.35], [-0.4, 1.4]
    x, y = axis(alt.X, "x", wide), axis(alt.Y, "y", tall)
    lines = (
        alt.Chart(ends, width=TOPOLOGY_WIDTH, height=HEIGHT)
        .mark_rule(color=TEXT)
        .encode(x=x, y=y, x2="x2", y2="y2", strokeWidth=alt.StrokeWidth("width:Q", scale=None))
    )
    words = (
        alt.Chart(ends)
        .mark_text(color=TEXT, fontSize=10, dy=-12)
        .encode(axis(alt.X, "middle_x", wide), axis(alt.Y, "middle_y", tall), text="word:N")
    )
    boxes = alt.Chart(nodes).mark_point(shape="square", size=260, fill=BLANK, color=TEXT, opacity=1)
    names = alt.Chart(nodes).mark_text(color=TEXT, fontSize=11, fontWeight="bold", dy=20)
    return alt.layer(lines, boxes.encode(x=x, y=y), names.encode(x=x, y=y, text="name:N"), words)


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
    """Return Jain's index above the throughput ratio, a column a variant."""
    domain, x = ratio_domain(of_view), rtt_axis(labels=ENDS_AND_MIDDLE)
    width = NARROW // len(by)
    upper, lower = [], []
    for cca, points in by.items():
        title, first = variant_name(cca), not upper
        upper.append(jfi_panel(points, title, x, first=first, width=width))
        lower.append(ratio_panel(points, title, names, domain, x, first=first, width=width))
    return below(beside(*upper, spacing=8), beside(*lower, spacing=8))


def rtt_jfi_chart(cells: pl.DataFrame) -> dict:
    """Return Figure 4 (a) and (c): Jain's index over flow 2's RTT."""
    points, x = rtt_points(cells), rtt_axis("RTT of flow 2 (ms)")
    panels = []
    for i, cca in enumerate(VARIANTS):
        of_cca = points.filter(pl.col("cca1") == cca)
        panels.append(jfi_panel(of_cca, variant_name(cca), x, first=i % COLUMNS == 0))
    return in_rows(panels)


def rtt_ratio_chart(cells: pl.DataFrame, claim: pl.DataFrame) -> dict:
    """Return Figure 4 (b) and (d): throughput ratio over RTT ratio, both logarithmic, unit line.

    Args:
        cells, claim: the tables `pair_cell` and `claim`, which has the exponents.
    """
    exponents = exponents_of_claims(claim)
    points = rtt_points(cells)
    domain = ratio_domain(points)
    unit = pl.DataFrame({"x": list(RTT_RATIOS), "y": list(RTT_RATIOS)})
    x = alt.X(
        "rtt_ratio:Q",
        title="RTT 2 / RTT 1",
        scale=alt.Scale(type="log", domain=list(RTT_RATIOS), nice=False),
        axis=alt.Axis(values=[0.1, 0.25, 0.5, 1, 2], grid=False, format="~g"),
    )
    line = alt.Chart(unit).mark_line(color=TEXT, strokeWidth=1).encode(x="x:Q", y="y:Q")
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    panels = []
    for i, cca in enumerate(VARIANTS):
        of_cca = points.filter(pl.col("cca1") == cca)
        axis = alt.Axis(
            values=powers(domain), format="~g", **named("flow 1 / flow 2", i % COLUMNS == 0)
        )
        y = alt.Y("shown:Q", title="flow 1 / flow 2", scale=scale, axis=axis)
        said = exponents_in_words(exponents.filter(cca=cca))
        counted = coverage(of_cca["n"]) + how_many_starved(of_cca)
        heading = heading_of(variant_name(cca), counted, *said)
        if of_cca.is_empty():
            panels.append(empty(heading, x, y))
            continue
        placed = at_the_ends(in_words(of_cca), domain)
        drawn = [panel(placed, x, y, "low", "high", height=RATIO_HEIGHT)]
        drawn += triangles(placed, x, ("flow 1", "flow 2"))
        panels.append(alt.layer(*drawn, line, title=heading))
    return in_rows(panels)


def exponents_in_words(of_variant: pl.DataFrame) -> list[str]:
    """Return a variant's exponents, a line a platform: 'ns-2: 20 % of BDP 2.0; 3 MB 2.1'.

    Args:
        of_variant: rows of `exponents_of_claims`.
    """
    lines = []
    for part, (name, *_) in PLATFORMS.items():
        of = dict(of_variant.filter(part=part).select("queue", "exponent").rows())
        said = [f"{QUEUES[queue]} {number(of[queue], 1)}" for queue in QUEUES if queue in of]
        if said:
            lines.append(f"{name}: {'; '.join(said)}")
    return lines


def exponent_chart(claim: pl.DataFrame) -> dict:
    """Return the exponents of RTT bias with their intervals over repeats, a panel a queue.

    All are of the same three RTTs. Hollow: a transient.

    Args:
        claim: the table `claim`.
    """
    names = {part: name for part, (name, *_) in PLATFORMS.items()}
    low, high = EXPONENTS
    known = exponents_of_claims(claim).with_columns(
        pl.col("low", "high").clip(low, high),
        platform=pl.col("part").replace(names),
        variant=pl.col("cca").replace(variant_name_map()),
        state=pl.when("transient").then(pl.lit("transient")).otherwise(pl.lit("steady")),
    )
    marks = encodings()
    order = [variant_name(cca) for cca in VARIANTS]
    panels = []
    for i, (queue, title) in enumerate(QUEUES.items()):
        mine = known.filter(queue=queue)
        runs = pl.concat([mine["n"], mine["n_most"]])
        said = f"runs per cell: {span_of(runs)}" if len(mine) else NO_RUN
        x = alt.X("exponent:Q", title="Exponent", scale=alt.Scale(domain=list(EXPONENTS)))
        y = alt.Y(
            "variant:N",
            title=None,
            sort=order,
            scale=alt.Scale(domain=order),
            axis=alt.Axis(labels=i == 0, ticks=False, grid=True),
        )
        offset = alt.YOffset("platform:N", scale=alt.Scale(domain=list(names.values())))
        base = alt.Chart(mine, width=EXPONENT_WIDTH, height=EXPONENT_HEIGHT)
        base = base.encode(y=y, yOffset=offset, color=marks["color"])
        whiskers = base.mark_rule(strokeWidth=1.4).encode(x=alt.X("low:Q"), x2="high:Q")
        point = base.mark_point(size=44, strokeWidth=1.4, opacity=1)
        dots = [
            point.transform_filter(f"datum.state == '{state}'").encode(
                x=x, shape=marks["shape"], fill=fill
            )
            for state, fill in (("steady", marks["color"]), ("transient", alt.value(BLANK)))
        ]
        lines = alt.Chart(pl.DataFrame({"value": [0.0, 1.0]}))
        lines = lines.mark_rule(color=TEXT, strokeWidth=1).encode(x="value:Q")
        panels.append(alt.layer(lines, whiskers, *dots, title=heading_of(title, said)))
    return beside(*panels)


def utilisation_chart(cells: pl.DataFrame) -> dict:
    """Return what both flows of every cell carry, in % of the bottleneck: a panel a view and queue.

    Args:
        cells: the table `pair_cell`.
    """
    known = in_words(cells).drop_nulls("utilisation")
    known = known.with_columns(percent=100 * pl.col("utilisation"))
    marks, x = encodings(), rtt_axis("RTT of flow 2 (ms)")
    scale = alt.Scale(domain=[LEAST_UTILISATION, 100])
    panels = []
    for queue, buffer in QUEUES.items():
        for i, view in enumerate(VIEWS):
            mine = known.filter(queue=queue, view=view)
            axis = alt.Axis(values=[40, 60, 80, 100], **named("Utilisation (%)", i == 0))
            y = alt.Y("percent:Q", title="Utilisation (%)", scale=scale, axis=axis)
            heading = heading_of(f"{VIEW_NAMES[view]}, {buffer}", coverage(mine["n"]))
            if mine.is_empty():
                panels.append(empty(heading, x, y, INTER_WIDTH))
                continue
            base = alt.Chart(mine, width=INTER_WIDTH, height=HEIGHT)
            dots = base.mark_point(size=26, strokeWidth=1, opacity=0.8).encode(
                x=x, y=y, color=marks["color"], shape=marks["shape"]
            )
            panels.append(dots.properties(title=heading))
    return in_rows(panels, INTER_COLUMNS)


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
        title = f"Against {variant_name(other)}"
        panels.append(
            ratio_panel(
                points, title, names, domain, rtt_axis(), first=not panels, width=INTER_WIDTH
            )
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
    rows = [(part, queue) for part in PLATFORMS for queue in QUEUES if (part, queue) in present]
    lines = []
    for part, queue in rows:
        mine = shares.filter(part=part, queue=queue)
        title = f"{PLATFORMS[part][0]}, {QUEUES[queue]}"
        there = set(unlike.filter(part=part, queue=queue)["rtt_ms"])
        panels: list[alt.LayerChart] = []
        for rtt in (rtt for rtt in rtts if rtt in there):
            panels.append(
                matrix_panel(
                    mine.filter(rtt_ms=float(rtt)),
                    heading_of(f"{rtt:g} ms", title),
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
    names = [variant_name(cca) for cca in VARIANTS]
    known = variant_name_map()
    named = shares.with_columns(
        taker=pl.col("cca").replace_strict(known, default=pl.col("cca")),
        beside=pl.col("other").replace_strict(known, default=pl.col("other")),
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
    scale = alt.Scale(scheme="purpleorange", domain=[0, 100], domainMid=50)
    colour = alt.Color("percent:Q", scale=scale, legend=alt.Legend(title="Share (%)"))
    dark = "datum.percent < 20 || datum.percent > 80"
    text = base.mark_text(fontSize=11).encode(
        text=alt.Text("percent:Q", format=".0f"),
        color=alt.condition(dark, alt.value(ON_DARK), alt.value(ON_LIGHT)),
    )
    cells = base.mark_rect(stroke=RULE, strokeWidth=0.4).encode(color=colour)
    return alt.layer(cells, text, title=title)


def variant_name_map() -> dict[str, str]:
    """Return the names in print of the six variants."""
    return {cca: variant_name(cca) for cca in VARIANTS}


# ---- the figures ----


@paper.figure
def topology() -> dict:
    return titled(topology_chart(), messages.TOPOLOGY)


@paper.figure
def friendliness(pair_cell, claim, headlines) -> dict:
    message = headline(claim, headlines, "friendliness", messages.friendliness(pair_cell))
    return titled(friendliness_chart(pair_cell), message, messages.WHISKERS)


@paper.figure
def intra(pair_cell, claim, headlines) -> dict:
    message = headline(claim, headlines, "intra", messages.intra(pair_cell))
    return titled(intra_chart(pair_cell), message, messages.WHISKERS)


@paper.figure
def rtt_jfi(pair_cell) -> dict:
    return titled(rtt_jfi_chart(pair_cell), messages.rtt_jfi(pair_cell), messages.WHISKERS)


@paper.figure
def rtt_ratio(pair_cell, claim, headlines) -> dict:
    message = headline(claim, headlines, "rtt_ratio", messages.rtt_ratio(pair_cell))
    return titled(rtt_ratio_chart(pair_cell, claim), message, messages.WHISKERS)


@paper.figure
def exponents(claim, headlines) -> dict:
    message = headline(claim, headlines, "exponents", messages.exponents(claim))
    return titled(exponent_chart(claim), message, messages.EXPONENT_KEY)


@paper.figure
def utilisation(pair_cell) -> dict:
    return titled(utilisation_chart(pair_cell), messages.utilisation(pair_cell))


def inter_figure(pair_cell: pl.DataFrame, cca: str) -> dict:
    """Return one of Figures 5 to 9 with its message."""
    of_view = turned_to(pair_cell.filter(pl.col("view") == "inter"), cca)
    return titled(inter_chart(pair_cell, cca), messages.inter(of_view, cca), messages.WHISKERS)


@paper.figure
def inter_bic(pair_cell) -> dict:
    return inter_figure(pair_cell, "bic")


@paper.figure
def inter_cubic(pair_cell) -> dict:
    return inter_figure(pair_cell, "cubic")


@paper.figure
def inter_htcp(pair_cell) -> dict:
    return inter_figure(pair_cell, "htcp")


@paper.figure
def inter_highspeed(pair_cell) -> dict:
    return inter_figure(pair_cell, "highspeed")


@paper.figure
def inter_scalable(pair_cell) -> dict:
    return inter_figure(pair_cell, "scalable")


@paper.figure
def shares(pair_share, matrix_rtts_ms, claim, headlines) -> dict:
    drawn = messages.shares(pair_share, matrix_rtts_ms)
    message = headline(claim, headlines, "shares", drawn)
    return titled(matrix_chart(pair_share, matrix_rtts_ms), message)


@paper.figure
def card(claim, headlines) -> dict:  # of the site's first page
    said = "The exponent of RTT bias of each variant"
    return exponent_card(claim, headline(claim, headlines, "exponents", said))
