"""Figures of many panels: specifications of Vega-Lite, side by side or below each other.

Altair checks and copies all parts of a chart each time that it is combined with another, which took
most of the time of a figure of many panels. Here Altair makes a panel once, of the table ROWS; each
panel of the figure is that specification with a table of its own (`filled`).

A specification here is what `Chart.to_dict` returns: complete, with its data in `datasets`.
"""

from __future__ import annotations

import hashlib
import json
from itertools import count

import altair as alt
import polars as pl

ROWS = alt.NamedData("rows")  # in a panel that is filled: its table
_VIEWS = count(1)  # views that a pointer selects in have a name each


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


def _merged(params: list[dict]) -> list[dict]:
    """Return parameters of panels, each once: one of the same name is the same in all views."""
    found: dict[str, dict] = {}
    for param in params:
        known = found.setdefault(param["name"], param)
        views = known.get("views", []) + param.get("views", [])
        if views:
            found[param["name"]] = known | {"views": list(dict.fromkeys(views))}
    return list(found.values())
