"""HTML and SVG from parts: what is text is escaped, what is markup is of the type that says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from ..paths import printable

EMPTY = {"meta", "link", "input", "br"}  # elements without an end
KEPT = "\n\u00a0"  # of what prints nothing: lines of YAML stay lines
CODE = re.compile(r"`([^`\n]+)`")


class Html(str):
    """Markup; any other text is escaped where it becomes a part of an element."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return a value as markup: as it is if it is some, else escaped, nothing for None."""
    if isinstance(value, Html):
        return value
    return Html("" if value is None else escape(printable(value, keep=KEPT), quote=True))


def together(*parts: object) -> Html:
    """Return parts one behind the other; a list is the parts in it."""
    return Html("".join(together(*p) if isinstance(p, list | tuple) else text(p) for p in parts))


def element(name: str, /, *parts: object, **attributes: object) -> Html:
    """Return an element.

    Args:
        name: of the element.
        parts: what is in it (`together`).
        attributes: `aria_label` is aria-label, `class_` is class; True is an attribute without a
            value; False and None are none.
    """
    said = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        said.append(f" {key}" if value is True else f' {key}="{text(str(value))}"')
    start = f"<{name}{''.join(said)}>"
    return Html(start if name in EMPTY else f"{start}{together(*parts)}</{name}>")


def prose(words: str) -> Html:
    """Return plain text in which `code` is code."""
    parts = CODE.split(words)
    return together(*(element("code", p) if n % 2 else p for n, p in enumerate(parts)))


def table(
    header: Sequence[object],
    rows: Sequence[Sequence[object]],
    *,
    numeric_from: int | None = None,
    **attributes,
) -> Html:
    """Return a table in a box that scrolls; columns from `numeric_from` on are set to the right."""
    first = len(header) if numeric_from is None else numeric_from
    kind = ["r" if n >= first else None for n in range(len(header))]
    head = [
        element("th", cell, scope="col", class_=k) for cell, k in zip(header, kind, strict=True)
    ]
    body = [
        element("tr", [element("td", c, class_=k) for c, k in zip(row, kind, strict=True)])
        for row in rows
    ]
    inside = element("table", element("thead", element("tr", head)), element("tbody", body))
    words = attributes.pop("label", "Table")
    return element(
        "div", inside, class_="scroll plain", tabindex=0, role="region", aria_label=words
    )


def folded(title: object, *parts: object, **attributes: object) -> Html:
    """Return parts that can be unfolded under a title."""
    return element("details", element("summary", title), *parts, **attributes)
