"""Say in words what a chart shows, from the data that it draws: the alternative text of figures.

A figure of panels has its message as its title, which comes first. A panel is the part of a
Vega-Lite specification that has axes of its own. Of each it is said how many values it shows, from
where to where they go, and at which place the ends are; of a map of words how often each word is
there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

WAYS = ("hconcat", "vconcat", "concat")  # in which a specification has panels
FACETS = ("facet", "row", "column")
MARKS = ("rect", "bar", "line", "point", "circle", "square", "tick", "area")
DESCRIPTION = re.compile(r"<svg[^>]*><desc>(.*?)</desc>", re.DOTALL)
MESSAGE = "message"  # key of `usermeta`: what a chart of one panel shows, without how it is read
MAX_PANELS = 12  # described one by one


def describe(spec: dict) -> str:
    """Return a figure's message and sentences on its panels; an empty text where it has neither.

    A drawing, whose places have no axes, has no values to describe.

    Args:
        spec: Vega-Lite specification with its data in `datasets`, as Altair makes it.
    """
    own = spec.get("usermeta", {}).get(MESSAGE)
    if own:  # its title breaks that into lines, and says how it is read
        spec = {name: part for name, part in spec.items() if name != "title"}
    panels = list(_panels(spec, None))
    titles = _titles(panels)
    found = [text for panel in panels for text in _describe_panel(panel, spec, titles)]
    more = len(found) - MAX_PANELS
    rest = [f"{more} more panels are not described here."] if more > 0 else []
    of_panels = any(name in spec for name in WAYS)
    said = own or (_message(spec) if of_panels else "")
    message = [f"{said}."] if said else []
    return " ".join(message + found[:MAX_PANELS] + rest)


def read_description(svg: Path) -> str:
    """Return the description that a figure carries as <desc>, or an empty text."""
    found = DESCRIPTION.search(svg.read_text(encoding="utf-8")) if svg.is_file() else None
    return unescape(found[1]).replace('"', "'") if found else ""


def _panels(spec: dict, data: dict | None) -> Iterator[dict]:
    """Yield what has axes of its own, with the data that it inherits."""
    data = spec.get("data", data)
    parts = [part for name in WAYS for part in spec.get(name, [])]
    for part in parts:
        yield from _panels(part, data)
    if "spec" in spec:
        facet = spec.get("facet", {})
        by = [facet] if "field" in facet else facet.values()
        yield {"data": data} | spec["spec"] | {"facets": [part["field"] for part in by]}
    elif not parts:
        yield {"data": data} | spec


def _titles(panels: list[dict]) -> dict[str, str]:
    """Return {field: its title} of fields that all titled panels call the same.

    Panels of a row share an axis, of which the first one alone has the title.
    """
    found: dict[str, set[str]] = {}
    for panel in panels:
        for unit in _units(panel, None):
            for definition in unit.get("encoding", {}).values():
                if isinstance(definition, dict) and "field" in definition and _own(definition):
                    found.setdefault(definition["field"], set()).add(_own(definition))
    return {field: min(titles) for field, titles in found.items() if len(titles) == 1}


def _describe_panel(panel: dict, spec: dict, titles: dict[str, str]) -> list[str]:
    """Return a sentence on the first layer that has values; one for each facet."""
    for unit in _units(panel, panel.get("data")):
        encoding = {
            name: definition | {"title": titles[definition["field"]]}
            if isinstance(definition, dict) and definition.get("field") in titles
            else definition
            for name, definition in unit.get("encoding", {}).items()
        }
        rows = spec.get("datasets", {}).get((unit.get("data") or {}).get("name"), [])
        channel = _value_channel(encoding)
        if _mark(unit) not in MARKS or channel is None:
            continue
        if "x2" in encoding or "y2" in encoding:  # intervals and shaded spans
            continue
        rows = [row for row in rows if row.get(encoding[channel]["field"]) is not None]
        if rows:
            title = _title(panel) or _title(unit)
            facets = [encoding[name]["field"] for name in FACETS if name in encoding]
            facets += panel.get("facets", [])
            return [
                _sentence(" – ".join(filter(None, (title, facet))), group, channel, encoding)
                for facet, group in _by_facet(rows, facets).items()
            ]
    return []


def _units(panel: dict, data: dict | None) -> Iterator[dict]:
    """Yield the layers of a panel that are not layers of others, with what they inherit."""
    data = panel.get("data", data)
    if "layer" not in panel:
        yield panel | {"data": data}
    for layer in panel.get("layer", []):
        inherited = {"encoding": panel.get("encoding", {}) | layer.get("encoding", {})}
        yield from _units(layer | inherited, data)


def _mark(unit: dict) -> str:
    mark = unit.get("mark", {})
    return mark if isinstance(mark, str) else mark.get("type", "")


def _value_channel(encoding: dict) -> str | None:
    """Return the channel of the values: the colours of a map, else the axis of a quantity."""
    if any(encoding.get(name, {}).get("axis", "") is None for name in ("x", "y")):
        return None  # a drawing
    axes = [encoding[name] for name in ("x", "y") if "field" in encoding.get(name, {})]
    colour = encoding.get("color", {})
    if "field" in colour and axes and not any(a.get("type") == "quantitative" for a in axes):
        return "color"
    for name in ("y", "x"):
        if encoding.get(name, {}).get("type") == "quantitative" and "field" in encoding[name]:
            return name
    return None


def _sentence(title: str, rows: list[dict], channel: str, encoding: dict) -> str:
    definition = encoding[channel]
    values = [row[definition["field"]] for row in rows]
    begin = f"{title}: " if title else ""
    if not all(isinstance(value, (int, float)) for value in values):
        counts = Counter(map(str, values)).most_common()
        return begin + ", ".join(f"{word} {n}" for word, n in counts) + "."
    low, high = (end(rows, key=lambda row: row[definition["field"]]) for end in (min, max))
    ends = [
        f"{_with_unit(row[definition['field']], definition)}{_place(row, channel, encoding)}"
        for row in (low, high)
    ]
    span = f"from {ends[0]} to {ends[1]}" if len(rows) > 1 else ends[0]
    name = _named(definition)[0]
    return f"{begin}{len(rows)} {'value' if len(rows) == 1 else 'values'} of {name}, {span}."


def _place(row: dict, channel: str, encoding: dict) -> str:
    """Say where a value is: its place on the other axes and its series."""
    names = [name for name in ("x", "y", "color", "shape") if name != channel]
    parts = []
    for definition in (encoding[name] for name in names if "field" in encoding.get(name, {})):
        value = row.get(definition["field"])
        text = str(value) if value is not None else ""
        if isinstance(value, (int, float)):
            text = f"{_named(definition)[0]} {_with_unit(value, definition)}"
        if text and text not in parts:
            parts.append(text)
    return f" ({', '.join(parts)})" if parts else ""


def _by_facet(rows: list[dict], fields: list[str]) -> dict[str, list[dict]]:
    """Return the rows of each facet, in the order in which they come."""
    found: dict[str, list[dict]] = {}
    for row in rows:
        found.setdefault(", ".join(str(row.get(field, "")) for field in fields), []).append(row)
    return found


def _title(panel: dict) -> str:
    title = panel.get("title") or ""
    if not isinstance(title, dict):
        return _joined(title)
    subtitle = _joined(title.get("subtitle", ""), ", ")
    return f"{_joined(title.get('text', ''))} ({subtitle})".removesuffix(" ()")


def _message(spec: dict) -> str:
    """Return the title of a whole figure without the smaller lines below it."""
    title = spec.get("title") or ""
    return _joined(title.get("text", "") if isinstance(title, dict) else title).rstrip(".")


def _joined(text: str | list[str], between: str = " ") -> str:
    return text if isinstance(text, str) else between.join(filter(None, text))


def _named(definition: dict) -> tuple[str, str]:
    """Return what a channel shows, as its axis or legend calls it: 'RTT (ms)' -> 'RTT', 'ms'."""
    return name_and_unit(_own(definition) or definition["field"].replace("_", " "))


def _own(definition: dict) -> str:
    """Return the title that a channel itself has; '' without one."""
    places = (definition, definition.get("legend") or {}, definition.get("axis") or {})
    titles = [_joined(place["title"]) for place in places if place.get("title")]
    return titles[0] if titles else ""


def name_and_unit(title: str) -> tuple[str, str]:
    """Return the two parts of the title of an axis or legend: 'RTT (ms)' -> 'RTT', 'ms'."""
    title = re.sub(r",? ?logarithmic\)", ")", title).replace(" ()", "")  # of an axis, not a unit
    with_unit = re.fullmatch(r"(.+) \((.+)\)", title)
    return with_unit.groups() if with_unit else (title, "")


def _with_unit(value: float, definition: dict) -> str:
    """Print a value; one that was drawn as its logarithm and is labelled as itself is itself."""
    guides = (definition.get("legend") or {}, definition.get("axis") or {})
    if any("pow(10" in guide.get("labelExpr", "") for guide in guides):
        value = 10**value
    number = f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{number} {_named(definition)[1]}".strip()
