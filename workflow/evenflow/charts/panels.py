"""Figures of many panels: specifications of Vega-Lite, side by side or below each other.

Altair checks and copies all parts of a chart each time that it is combined with another, which took
most of the time of a figure of many panels. Here Altair makes a panel once, of the table ROWS; each
panel of the figure is that specification with a table of its own (`filled`).

A specification here is what `Chart.to_dict` returns: complete, with its data in `datasets`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import textwrap
from itertools import count

import altair as alt
import polars as pl

from .describe import WAYS
from .theme import TEXT

ROWS = alt.NamedData("rows")  # in a panel that is filled: its table
_VIEWS = count(1)  # views that a pointer selects in have a name each
TITLE_CHARACTER, PANEL_CHARACTER = 6.6, 5.4  # px, in the title of a figure and of a panel
CHARACTER = 4.8  # px, in the small type below it
# what is between a number and its unit
UNIT = re.compile(r"(?<=\d) (?=(?:%|ms|s|[kMG]b/s|[kM]B|dB)(?!\w))")
VALIDATE = "EVENFLOW_VALIDATE"  # in the environment where Altair is to check every part of a chart
NARROWEST = 300  # px, of a figure's title
AXIS_WIDTH, SPACING = 45, 20  # px, of the labels at the left of a panel, and between panels


def validate_charts(is_on: bool) -> None:
    """Let Altair check each part of a chart as it is made, or not: it takes as long as drawing.

    Tests ask for it (VALIDATE), and who draws a figure that no test draws.
    """
    alt.utils.schemapi.DEBUG_MODE = is_on


validate_charts(VALIDATE in os.environ)


def spec_of(chart: alt.TopLevelMixin | dict) -> dict:
    """Return the specification of a chart; of one, itself."""
    if isinstance(chart, dict):
        return chart
    return chart.to_dict(validate=alt.utils.schemapi.DEBUG_MODE)


def filled(
    panel: dict, rows: pl.DataFrame, title: alt.Title | str | None = None, **others: pl.DataFrame
) -> dict:
    """Return a panel with a table in the place of ROWS.

    Args:
        panel: specification of a chart of ROWS.
        rows: the table, of numbers and words.
        title: the panel's heading.
        others: further tables, in the place of `alt.NamedData` of that name.
    """
    text, datasets = json.dumps(panel), {}
    for name, table in {ROWS.name: rows, **others}.items():
        values = table.fill_nan(None).to_dicts()
        digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
        own_name = f"data-{digest[:32]}"
        datasets[own_name] = values
        text = text.replace(_data(name), _data(own_name))
    views = [view for param in panel.get("params", []) for view in param.get("views", [])]
    for view in dict.fromkeys(views):  # in their order: the same names each time
        text = text.replace(json.dumps(view), json.dumps(f"view_{next(_VIEWS)}"))
    found = json.loads(text)
    if title:
        found["title"] = _plain(title)
    return found | {"datasets": found.get("datasets", {}) | datasets}


def _plain(value: object) -> object:
    """Return a property as a specification has it; one that is a part of Altair's, as its parts."""
    return value.to_dict() if isinstance(value, alt.SchemaBase) else value


def _data(name: str) -> str:
    return f'"data": {json.dumps({"name": name})}'


def beside(*panels: alt.TopLevelMixin | dict, **more) -> dict:
    """Return panels side by side; see `_together`."""
    return _together("hconcat", panels, more)


def below(*panels: alt.TopLevelMixin | dict, **more) -> dict:
    """Return panels below each other; see `_together`."""
    return _together("vconcat", panels, more)


def wrapped(*panels: alt.TopLevelMixin | dict, columns: int, **more) -> dict:
    """Return panels in rows of `columns`; see `_together`."""
    return _together("concat", panels, {"columns": columns} | more)


def _together(direction: str, panels: tuple, more: dict) -> dict:
    """Return a specification of panels; their data and parameters are the figure's.

    Args:
        direction: 'hconcat', 'vconcat' or 'concat'.
        panels: charts or specifications.
        more: other properties: spacing (px, or of row and column), title, and in `resolve` by
            channel which scales are 'shared' and 'independent'.
    """
    specs = [spec_of(panel) for panel in panels]
    apart = ("$schema", "config", "datasets", "params")
    found = {direction: [{k: v for k, v in spec.items() if k not in apart} for spec in specs]}
    found |= {k: _plain(v) for k, v in more.items() if k != "resolve"}
    if "resolve" in more:
        found["resolve"] = {"scale": more["resolve"]}
    found["datasets"] = {k: rows for spec in specs for k, rows in spec.get("datasets", {}).items()}
    params = _merged([param for spec in specs for param in spec.get("params", [])])
    head = {"$schema": specs[0]["$schema"]} if specs else {}
    return head | found | ({"params": params} if params else {})


def titled(chart: alt.TopLevelMixin | dict, message: str, key: str = "") -> dict:
    """Return a figure headed by what it shows, and in smaller type by how to read it.

    Args:
        chart: one panel or many, which keep their own headings.
        message: a sentence without a full stop, made from what is drawn.
        key: sentences.
    """
    spec = spec_of(chart)
    if not any(way in spec for way in WAYS):
        spec = below(spec)  # the title of one panel would be the panel's heading
    return spec | {k: _plain(v) for k, v in headed(message, key, width_of(spec)).items()}


def headed(message: str, key: str, width: float) -> dict[str, alt.Title]:
    """Return the title of a figure: its message, and in smaller type how to read it."""
    width = max(width, NARROWEST)
    lines = even_lines(message, int(width / TITLE_CHARACTER))
    small = even_lines(key, int(width / CHARACTER))
    if not lines and not small:
        return {}
    return {"title": _heading(lines or [""], small, fontSize=12, anchor="start", offset=8)}


def panel_title(
    text: str | list[str], *small: str, width: float | None = None, narrow: bool = False
) -> alt.Title:
    """Return a panel's heading, smaller than a figure's, with smaller lines below it.

    Args:
        text: what is shown; lines, where it is broken already.
        small: what is said below it, a line each.
        width: of the panel with its axis, px: what is longer is broken into several lines.
        narrow: whether the smaller lines have the smallest type that a figure may have.
    """
    lines, below, size = [text] if isinstance(text, str) else text, list(small), 9 if narrow else 10
    if width:
        lines = [part for line in lines for part in _broken(line, width / PANEL_CHARACTER)]
        below = [part for line in below for part in _broken(line, width / (CHARACTER * size / 10))]
    return _heading(lines, below, size, fontSize=11, offset=4)


def _heading(lines: list[str], small: list[str], small_size: int = 10, **style) -> alt.Title:
    small_style = {"subtitleFontSize": small_size, "subtitleColor": TEXT}
    return alt.Title(lines, subtitle=small, **small_style, **style)


def _broken(text: str, characters: float) -> list[str]:
    return textwrap.wrap(text, int(characters), break_on_hyphens=False) or [text]


def even_lines(text: str, characters: int) -> list[str]:
    """Break a text into as few lines as need be, all about as long; a number keeps its unit."""
    text = UNIT.sub("\N{NO-BREAK SPACE}", text)
    lines = textwrap.wrap(text, characters, break_on_hyphens=False)
    for narrower in range(characters - 1, 0, -1):
        shorter = textwrap.wrap(text, narrower, break_on_hyphens=False, break_long_words=False)
        if len(shorter) > len(lines) or max(map(len, shorter), default=0) > narrower:
            break
        lines = shorter
    return lines


def width_of(spec: dict, datasets: dict | None = None) -> float:
    """Return about how many px a figure's panels are wide, with the labels of their axes.

    Args:
        datasets: of the figure that the specification is a part of.
    """
    datasets = spec.get("datasets", datasets or {})
    for way in WAYS:
        if way in spec:
            widths = [width_of(part, datasets) for part in spec[way]]
            columns = {"vconcat": 1, "hconcat": len(widths)}.get(way) or spec["columns"]
            rows = [widths[i : i + columns] for i in range(0, len(widths), columns)]
            gap = spec.get("spacing", SPACING)
            gap = gap.get("column", SPACING) if isinstance(gap, dict) else gap
            return max(sum(row) + gap * (len(row) - 1) for row in rows)
    if "facet" in spec:
        columns = _columns_of(spec, datasets)
        return columns * width_of(spec["spec"], datasets) + SPACING * (columns - 1)
    units = [spec, *spec.get("layer", [])]
    width = max((unit["width"] for unit in units if "width" in unit), default=0)
    axes = [unit.get("encoding", {}).get("y", {}).get("axis", {}) for unit in units]
    bare = any(axis is None or axis.get("labels") is False for axis in axes)
    return width + (0 if bare else AXIS_WIDTH)


def _columns_of(facets: dict, datasets: dict) -> int:
    """Return how many columns a chart with facets has: values of their field, `columns` at most."""
    by = facets["facet"].get("column", facets["facet"])
    if "field" not in by:
        return 1
    found = len({row[by["field"]] for row in datasets[facets["data"]["name"]]})
    return max(1, min(found, facets.get("columns", found)))


def _merged(params: list[dict]) -> list[dict]:
    """Return parameters of panels, each once: one of the same name is the same in all views."""
    found: dict[str, dict] = {}
    for param in params:
        known = found.setdefault(param["name"], param)
        views = known.get("views", []) + param.get("views", [])
        if views:
            found[param["name"]] = known | {"views": list(dict.fromkeys(views))}
    return list(found.values())
