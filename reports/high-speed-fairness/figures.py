"""Figures of `high-speed-fairness`: a panel a variant (or pair), simulator and testbed in it.

Points are means of a cell's runs, whiskers reach from its smallest to its largest run. A flow
without any throughput has no place on a logarithmic axis: a triangle at the axis's end names it.
"""

from __future__ import annotations

import math

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, coverage
from evenflow.charts.panels import below, beside, titled
from evenflow.charts.theme import BLANK, PLATFORM_NAMES, TEXT
from evenflow.claims.headlines import headline
from evenflow.congestion_controls import variant_name
from evenflow.kit.panels import (
    empty_panel,
    filled_where,
    in_rows,
    panel_heading,
    powers_of_ten,
    shared_axis,
    whiskered,
)
from evenflow.markdown import number, span_of
from evenflow.papers import paper

from . import messages
from .card import exponent_card
from .exponents import exponents_of_claims
from .matrix import matrix_chart
from .metrics import HIGH_SPEED, NAMES, QUEUES, VARIANTS, VIEW_NAMES, VIEWS, rtt_points
from .panels import (
    COMPETITOR,
    HEIGHT,
    WIDTH,
    at_the_ends,
    encodings,
    how_many_starved,
    in_words,
    jfi_panel,
    ratio_domain,
    ratio_panel,
    rtt_axis,
    triangles,
    turned_to,
)
from .topology import topology_chart

RATIO_HEIGHT = 150  # of the panels in which slopes are compared
COLUMNS = 3  # panels side by side; of inter-protocol figures INTER_COLUMNS, narrower ones
INTER_WIDTH, INTER_COLUMNS = 124, 4
NARROW = 540  # of all panels of a row that has one for every variant
ENDS_AND_MIDDLE = [16, 82, 324]  # RTTs that a narrow axis has room for, ms
RTT_RATIOS = (0.09, 2.2)  # of flow 2's RTT to flow 1's: ends of a logarithmic axis
EXPONENTS = (-0.5, 6.0)  # ends of an axis; longer intervals end there
LEAST_UTILISATION = 40  # %, where an axis begins
EXPONENT_WIDTH, EXPONENT_HEIGHT = 250, 170


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
    return in_rows(panels, COLUMNS)


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
            values=powers_of_ten(domain),
            format="~g",
            **shared_axis("flow 1 / flow 2", i % COLUMNS == 0),
        )
        y = alt.Y("shown:Q", title="flow 1 / flow 2", scale=scale, axis=axis)
        said = exponents_in_words(exponents.filter(cca=cca))
        counted = coverage(of_cca["n"]) + how_many_starved(of_cca)
        heading = panel_heading(variant_name(cca), counted, *said)
        if of_cca.is_empty():
            panels.append(empty_panel(heading, x, y, WIDTH, HEIGHT))
            continue
        placed = at_the_ends(in_words(of_cca), domain)
        drawn = [
            whiskered(placed, x, y, ("low", "high"), encodings(), "piece", WIDTH, RATIO_HEIGHT)
        ]
        drawn += triangles(placed, x, ("flow 1", "flow 2"))
        panels.append(alt.layer(*drawn, line, title=heading))
    return in_rows(panels, COLUMNS)


def exponents_in_words(of_variant: pl.DataFrame) -> list[str]:
    """Return a variant's exponents, a line a platform: 'ns-2: 20 % of BDP 2.0; 3 MB 2.1'.

    Args:
        of_variant: rows of `exponents_of_claims`.
    """
    lines = []
    for part, name in PLATFORM_NAMES.items():
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
    low, high = EXPONENTS
    known = exponents_of_claims(claim).with_columns(
        pl.col("low", "high").clip(low, high),
        platform=pl.col("part").replace(PLATFORM_NAMES),
        variant=pl.col("cca").replace(NAMES),
        state=pl.when("transient").then(pl.lit("transient")).otherwise(pl.lit("steady")),
    )
    marks = encodings()
    order = list(NAMES.values())
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
        offset = alt.YOffset("platform:N", scale=alt.Scale(domain=list(PLATFORM_NAMES.values())))
        base = alt.Chart(mine, width=EXPONENT_WIDTH, height=EXPONENT_HEIGHT)
        base = base.encode(y=y, yOffset=offset, color=marks["color"])
        whiskers = base.mark_rule(strokeWidth=1.4).encode(x=alt.X("low:Q"), x2="high:Q")
        fills = {"steady": marks["color"], "transient": BLANK}
        point = base.mark_point(size=44, strokeWidth=1.4, opacity=1)
        dots = filled_where(
            point.encode(x=x, shape=marks["shape"]),
            {f"datum.state == '{state}'": fill for state, fill in fills.items()},
        )
        lines = alt.Chart(pl.DataFrame({"value": [0.0, 1.0]}))
        lines = lines.mark_rule(color=TEXT, strokeWidth=1).encode(x="value:Q")
        panels.append(alt.layer(lines, whiskers, *dots, title=panel_heading(title, said)))
    return beside(*panels)


def utilisation_chart(cells: pl.DataFrame) -> dict:
    """Return what both flows of every cell carry, in % of the bottleneck: a panel a view and queue.

    Args:
        cells: the table `pair_cell`.
    """
    known = in_words(cells).drop_nulls("utilisation")
    known = known.with_columns(percent=100 * pl.col("utilisation"))
    marks, x = encodings(), rtt_axis("RTT of flow 2 (ms)")
    least = (
        min(LEAST_UTILISATION, 10 * math.floor(known["percent"].min() / 10)) if len(known) else 0
    )
    scale = alt.Scale(domain=[least, 100])
    panels = []
    for queue, buffer in QUEUES.items():
        for i, view in enumerate(VIEWS):
            mine = known.filter(queue=queue, view=view)
            axis = alt.Axis(values=[40, 60, 80, 100], **shared_axis("Utilisation (%)", i == 0))
            y = alt.Y("percent:Q", title="Utilisation (%)", scale=scale, axis=axis)
            heading = panel_heading(f"{VIEW_NAMES[view]}, {buffer}", coverage(mine["n"]))
            if mine.is_empty():
                panels.append(empty_panel(heading, x, y, INTER_WIDTH, HEIGHT))
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
    return exponent_card(claim, headline(claim, headlines, "card", said))
