"""The look of every figure: colours, fonts, sizes. Nothing else sets them.

Congestion controls have one fixed colour each (Okabe and Ito 2008, safe for the colour-blind) and
one dash pattern, so that lines stay apart in grey. Surfaces use cividis (a sequential scale, even
in grey) and purple-orange (two-sided, white at zero).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..congestion_controls import CONTROLS, variant_name

if TYPE_CHECKING:  # tables want only the names: who draws loads Altair, which takes half a second
    import altair as alt

# Widths are computed for Liberation Sans, which has Arial's. Where a Linux has neither, DejaVu Sans
# Condensed is hardly wider; its usual sans-serif, DejaVu Sans, would be by a sixth.
FONT = "Liberation Sans, Arial, Helvetica, DejaVu Sans Condensed, sans-serif"

# cca: (name in print, colour, dash)
VARIANTS = {
    cca: (known.label, known.colour, list(known.dash))
    for cca, known in CONTROLS.items()
    if known.colour
}
# kind of background traffic: (name in print, colour, shape of its points)
BACKGROUND_KINDS = {
    "pareto": ("Pareto", "#0072B2", "circle"),
    "exponential": ("Exponential", "#D55E00", "square"),
    "ftp": ("FTP", "#009E73", "triangle-up"),
    "http": ("HTTP", "#CC79A7", "diamond"),
    "none": ("none", "#000000", "cross"),
}
AQM_NAMES = {
    "droptail": "DropTail",
    "red": "adaptive RED",
    "fq_codel": "FQ-CoDel",
    "cake": "CAKE",
    "pie": "PIE",
}
# colours of what has none of its own: unknown congestion controls, or flows without any
SPARE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F3C8D"]
DASHES = [[1, 0], [5, 2], [2, 2], [8, 2, 2, 2]]  # of flow 1, 2, ...
# what made the runs of a point: (name in print, colour, shape of its points)
PLATFORMS = {
    "simulation": ("ns-2", "#D55E00", "triangle-up"),
    "testbed": ("Testbed", "#0072B2", "circle"),
}
PLATFORM_NAMES = {part: name for part, (name, *_) in PLATFORMS.items()}
ACCENT = "#0072B2"  # the one colour of charts that show no congestion control
TEXT, RULE = "#1a1a1a", "#bdbdbd"
EMPTY, BLANK = "#f0f0f0", "#ffffff"  # a shaded span of time; a cell without runs
GRID = "#e6e6e6"
ON_LIGHT, ON_DARK = "#111111", "#fefefe"  # in a coloured cell: the same on light and dark pages
SEQUENTIAL, TWO_SIDED, GREY = "cividis", "purpleorange", "greys"
# verdicts of the tests, apart in grey as well
VERDICTS = {
    "different": "#262626",
    "both": "#737373",
    "equivalent": "#F0E442",
    "inconclusive": "#fdfdfd",
    "no variance": "#cfe8f3",
    "one run": "#e8e3f1",
}
# buffers in % of the BDP: viridis, from the smallest to the largest
BUFFERS = {20: "#440154", 40: "#3B528B", 60: "#21918C", 80: "#5EC962", 100: "#A0DA39"}
# on dark pages: of text and rules, of what is white or black, and of the colours of congestion
# controls and buffers that would be too dark there (contrast below 3)
DARK = {
    TEXT: "#e3e6ea",
    RULE: "#66707c",
    GRID: "#2e353d",
    EMPTY: "#252b32",
    BLANK: "#15181c",
    "white": "#15181c",
    "#000000": "#ffffff",
    "black": "#ffffff",
    "#595959": "#bdbdbd",
    "#7F3C8D": "#c08bd0",
    "#252525": "#d6d6d6",
    "#440154": "#a98ad0",
    "#3B528B": "#7f9ade",
}
# on the pages of data sets, where lines are thin: what has less than 3:1 on white (2.3) in a darker
# tone (3.5 and 3.2), of Scalable a greener one, apart from CUBIC's
ON_WHITE = {"#E69F00": "#B87E00", "#56B4E9": "#159BB8"}
GUIDE = {"labelFontSize": 10, "titleFontSize": 11, "titleFontWeight": "normal"}
GUIDE |= {"labelColor": TEXT, "titleColor": TEXT}
# Vega-Lite's 'config'
HOUSE_STYLE = {
    "font": FONT,
    "background": None,  # that of the page
    # more at the right: there a legend ends, which a reader's font may make wider than ours does
    "padding": {"left": 6, "top": 6, "bottom": 6, "right": 16},
    "axis": GUIDE | {"gridColor": GRID, "domainColor": RULE, "tickColor": RULE},
    "legend": GUIDE | {"symbolStrokeWidth": 2, "titleLimit": 400, "labelLimit": 300},
    "title": {"fontSize": 12, "fontWeight": "bold", "color": TEXT, "anchor": "start", "offset": 6},
    "view": {"stroke": None},
    "header": {"labelFontSize": 11, "labelFontWeight": "bold", "labelColor": TEXT, "title": None},
}


def variant_scale(channel: str, ccas: list[str]) -> alt.Scale:
    """Return the fixed scale of congestion controls for 'color' or 'strokeDash'.

    Congestion controls without a colour of their own share grey.
    """
    index, default = {"color": (1, "#7f7f7f"), "strokeDash": (2, [1, 1])}[channel]
    values = [VARIANTS[cca][index] if cca in VARIANTS else default for cca in ccas]
    import altair as alt

    return alt.Scale(domain=[variant_name(cca) for cca in ccas], range=values)


def series_colours(names: list[str]) -> alt.Scale:
    """Return the colours of the lines of a chart: congestion controls, or flows, by name in print.

    Known congestion controls have their own colour; others take those of SPARE that are still free,
    in turn.
    """
    own = {name: colour for name, colour, _ in VARIANTS.values()}
    used = {own[name] for name in names if name in own}
    free = [colour for colour in SPARE if colour not in used] or SPARE
    spare = iter(range(len(names)))
    colours = [own.get(name) or free[next(spare) % len(free)] for name in names]
    import altair as alt

    return alt.Scale(domain=names, range=colours)


def dark_style(inside: str = "") -> str:
    """Return the style sheet that makes the SVG of a chart right on a dark page.

    Text in white is in a coloured cell, and stays so.

    Args:
        inside: selector of what holds the chart, where the sheet is that of a page.
    """
    rules = []
    for light, dark in DARK.items():
        what = ":not(text)" if light in ("white", BLANK) else ""
        rules.append(f"{inside} {what}[fill='{light}' i]".strip() + f"{{fill:{dark}}}")
        rules.append(f"{inside} [stroke='{light}' i]".strip() + f"{{stroke:{dark}}}")
    return f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"


def house_style(spec: dict) -> dict:
    """Return a chart's specification in the house style: fonts, sizes, thin rules, no frame.

    Of a finished specification: Altair copies a chart, panels and all, for each part of a style.
    What the chart itself says of a part stays.
    """
    config = dict(spec.get("config", {}))
    for part, style in HOUSE_STYLE.items():
        own = config.get(part, {})
        config[part] = own | style | own if isinstance(style, dict) else style
    return spec | {"config": config}
