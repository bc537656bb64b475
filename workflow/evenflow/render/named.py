"""Which variables the text of a report names: shortcodes and conditions of its index.qmd."""

from __future__ import annotations

import re

SHORTCODE = re.compile(r"\{\{<\s*(?P<name>\S+)\s*(?P<argument>.*?)\s*>\}\}")
CONDITION = re.compile(
    r'(?P<fence>:{4,})\s*\{\.content-visible (?P<word>when|unless)-meta="(?P<name>[\w.-]+)"\}\s*'
)


def variables_named(text: str) -> tuple[set[str], set[str]]:
    """Return the variables that a text prints, and those that its conditions ask.

    What stands in a block that is not shown is named all the same: another state of the data shows
    it.
    """
    printed = {found["argument"] for found in SHORTCODE.finditer(text) if found["name"] == "var"}
    asked = {found["name"] for found in CONDITION.finditer(text)}
    return printed, asked - printed
