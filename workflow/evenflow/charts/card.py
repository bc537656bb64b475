"""A small figure for the site's first page: as wide as a telephone's page, and legible there."""

from __future__ import annotations

import altair as alt

from .describe import MESSAGE
from .panels import TITLE_CHARACTER, even_lines, spec_of
from .theme import TEXT

WIDTH = 350  # px, of the whole: a telephone of 390 less the page's edges
LETTERS = 11  # px, the smallest in it
CHARACTER = 5.4  # px, of such a letter
EDGES = 22  # px, left and right together


def card(chart: alt.TopLevelMixin | dict, message: str, key: str = "") -> dict:
    """Return a chart of one panel at the size at which the first page shows it.

    Args:
        chart: one panel, layers or not; its own width and title give way.
        message: what it shows, a sentence without a full stop.
        key: how it is read.
    """
    letters = {"labelFontSize": LETTERS, "titleFontSize": LETTERS}
    title = alt.Title(
        even_lines(message, int((WIDTH - EDGES) / TITLE_CHARACTER)) or [""],
        subtitle=even_lines(key, int((WIDTH - EDGES) / CHARACTER)),
        fontSize=12,
        subtitleFontSize=LETTERS,
        subtitleColor=TEXT,
        anchor="start",
        offset=8,
    )
    return spec_of(chart) | {
        "title": title.to_dict(),
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": {"axis": letters, "legend": letters},
        "usermeta": {MESSAGE: message},
    }
