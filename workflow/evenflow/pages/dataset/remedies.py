"""What settles a finding: in words, and as lines of dataset.yml where there are some."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ...render.element import Html, element, prose, together
from .merging import keys_of, merged_yaml
from .offers import Offers
from .subject import many

MANY = 40  # lines that still can be read, one a run or file


class Remedy(NamedTuple):
    """What to do about a finding: in words, and lines of dataset.yml that do it, if there are."""

    words: str
    yaml: str


def remedy_of(rows: pl.DataFrame) -> Remedy:
    """Return the remedy of findings of one check; without lines where these would be very many.

    Args:
        rows: of the table `finding`.
    """
    words = "; or ".join(rows["remedy"].unique(maintain_order=True).drop_nulls())
    lines = rows["yaml"].drop_nulls().unique(maintain_order=True).to_list()
    return Remedy(words, merged_yaml(lines) if len(lines) <= MANY else "")


def shown_remedy(remedy: Remedy, offers: Offers) -> Html:
    """Return the words of a remedy, and its lines if it has some."""
    words = element("span", prose(f"{remedy.words[:1].upper()}{remedy.words[1:]}."), class_="rem")
    return together(words, " ", shown_lines(remedy, offers))


def shown_lines(remedy: Remedy, offers: Offers) -> Html:
    """Return the lines of a remedy, folded under what they do where they do not mend it."""
    said = keys_of([remedy.yaml])
    left_out = said.get("exclude", {})
    titles = {
        "exclude": f"or leave {many(len(left_out), 'run')} out",
        "files": f"or say that {_files(len(said.get('files', [])))}",
        "confirmed": "or confirm that it is known",
    }
    title = next((title for key, title in titles.items() if key in said), "")
    return offers.shown(remedy.yaml, title, changes=not title, apart=bool(title))


def _files(n: int) -> str:
    return "it is not a log" if n == 1 else f"these {n:,} are not logs"
