"""What a page says of a data set and dataset.yml confirms: it is said no more while it is the same.

A sentence is what was assumed or found, with the value or the message: where new logs change it, it
is another sentence, and stands on the page again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import yaml

from .paths import printable

MAX_KEY = 1000  # characters: YAML takes no longer key that stands before a colon


def sentence(*parts: str | None) -> str:
    """Return what was assumed or found as one line: what, of which run or file, and what of it."""
    return printable(": ".join(part for part in parts if part))


def confirming(*sentences: str) -> str:
    """Return the lines of dataset.yml that confirm sentences."""
    return "\n".join(["confirmed:", *(f"  - {quoted(each)}" for each in sentences)])


def excluding(runs: Mapping[str, str]) -> str:
    """Return the lines of dataset.yml that leave runs out, each with its reason."""
    if any(len(run) > MAX_KEY for run in runs):
        return yaml.safe_dump({"exclude": dict(runs)}, allow_unicode=True, width=MAX_KEY).rstrip()
    lines = [f"  {quoted(run)}: {quoted(printable(why))}" for run, why in runs.items()]
    return "\n".join(["exclude:", *lines])


def ignoring(patterns: Iterable[str]) -> str:
    """Return the lines of dataset.yml that say that files are no logs."""
    return "\n".join(["files:", *(f"  - {{path: {quoted(p)}, format: ignore}}" for p in patterns)])


def quoted(text: str) -> str:
    """Return a text as YAML has it in quotation marks, on one line."""
    return json.dumps(text, ensure_ascii=False)  # YAML has no escape of two halves
