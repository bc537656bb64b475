"""The tables as a page of the documentation describes them."""

import re


def documented_columns(page: str) -> dict[str, list[tuple[str, str]]]:
    """Return {table: [(column, type), ...]} of the sections `### \\`table\\`` of a page."""
    tables = {}
    for section in page.split("\n### ")[1:]:
        name = re.match(r"`(\w+)`", section)
        if name:
            tables[name[1]] = re.findall(r"^\| \**`(\w+)`\** \| (\w+) \|", section, re.MULTILINE)
    return tables
