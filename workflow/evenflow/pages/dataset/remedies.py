"""What settles a finding: in words, and as lines of dataset.yml where there are some."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ...render.element import Html, element, prose, together
from .merging import merged_yaml
from .offers import Offers

# check -> the line that settles it, of checks whose findings have none of their own
LINES = dict.fromkeys(
    ("few samples in the steady state", "no sample in the steady state"),
    "steady_state: {warmup_s: 0}",
)


class Remedy(NamedTuple):
    """What to do about a finding: in words, and lines of dataset.yml that do it, if there are."""

    words: str
    yaml: str


def remedy_of(check: str, rows: pl.DataFrame) -> Remedy:
    """Return the remedy of findings of one check."""
    words = "; or ".join(rows["remedy"].unique(maintain_order=True).drop_nulls())
    own = rows["yaml"].drop_nulls().to_list() if "yaml" in rows.columns else []
    return Remedy(words, merged_yaml(own) if own else LINES.get(check, ""))


def shown_remedy(remedy: Remedy, offers: Offers) -> Html:
    """Return the words of a remedy, and its lines if it has some."""
    words = element("span", prose(f"{remedy.words[:1].upper()}{remedy.words[1:]}."), class_="rem")
    changes = remedy.yaml in LINES.values()
    return together(words, offers.shown(remedy.yaml, changes=changes))
