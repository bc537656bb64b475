"""Figures of many panels: specifications of Vega-Lite, side by side or below each other.

Altair checks and copies all parts of a chart each time that it is combined with another, which took
most of the time of a figure of many panels. Here Altair makes a panel once, of the table ROWS; each
panel of the figure is that specification with a table of its own (`filled`).

A specification here is what `Chart.to_dict` returns: complete, with its data in `datasets`.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from itertools import count

import altair as alt
import polars as pl

from .describe import WAYS
from .theme import TEXT

ROWS = alt.NamedData("rows")  # in a panel that is filled: its table
_VIEWS = count(1)  # views that a pointer selects in have a name each
TITLE_CHARACTER, CHARACTER = 6.6, 4.8  # px, of a figure's title and of the small type below it
NARROWEST = 300  # px, of a figure's title
AXIS_WIDTH, SPACING = 45, 20  # px, of the labels at the left of a panel, and between panels


def spec_of(chart: alt.TopLevelMixin | dict) -> dict:
    """Return the specification of a chart; of one, itself."""
    return chart if isinstance(chart, dict) else chart.to_dict()


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
    lines = textwrap.wrap(message, int(width / TITLE_CHARACTER))
    small = textwrap.wrap(key, int(width / CHARACTER))
    if not lines and not small:
        return {}
    title = alt.Title(
        lines or [""],
        subtitle=small,
        fontSize=12,
        subtitleFontSize=10,
        subtitleColor=TEXT,
        anchor="start",
        offset=8,
    )
    return {"title": title}


def width_of(spec: dict) -> float:
    """Return about how many px a figure's panels are wide, with the labels of their axes."""
    for way in WAYS:
        if way in spec:
            widths = [width_of(part) for part in spec[way]]
            columns = {"vconcat": 1, "hconcat": len(widths)}.get(way) or spec["columns"]
            rows = [widths[i : i + columns] for i in range(0, len(widths), columns)]
            gap = spec.get("spacing", SPACING)
            gap = gap.get("column", SPACING) if isinstance(gap, dict) else gap
            return max(sum(row) + gap * (len(row) - 1) for row in rows)
    if "facet" in spec:  # how many columns its data have is not looked up: three are usual
        return 3 * width_of(spec["spec"])
    units = [spec, *spec.get("layer", [])]
    width = max((unit["width"] for unit in units if "width" in unit), default=0)
    axes = [unit.get("encoding", {}).get("y", {}).get("axis", {}) for unit in units]
    bare = any(axis is None or axis.get("labels") is False for axis in axes)
    return width + (0 if bare else AXIS_WIDTH)


def _merged(params: list[dict]) -> list[dict]:
    """Return parameters of panels, each once: one of the same name is the same in all views."""
    found: dict[str, dict] = {}
    for param in params:
        known = found.setdefault(param["name"], param)
        views = known.get("views", []) + param.get("views", [])
        if views:
            found[param["name"]] = known | {"views": list(dict.fromkeys(views))}
    return list(found.values())
