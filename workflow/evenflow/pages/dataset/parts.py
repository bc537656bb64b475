"""What the parts of a data set's page share."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ...render.element import Html, element

MAX_WORDS = 40  # of a list in a sentence or a cell


def some_words(words: list[str]) -> str:
    """Return words one by one; of more than MAX_WORDS the first, and how many there are."""
    more = f", ... ({len(words):,} in all)" if len(words) > MAX_WORDS else ""
    return ", ".join(words[:MAX_WORDS]) + more


def numbers(values: pl.Series, unit: float) -> str:
    """Return the different values in a unit; of more than twelve their number and the ends."""
    found = sorted({round(value / unit, 3) for value in values.drop_nulls()})
    if len(found) > 12:
        return f"{len(found)} values from {found[0]:g} to {found[-1]:g}"
    return ", ".join(f"{value:g}" for value in found)


def size_in_words(n_bytes: int) -> str:
    """Return a file's size in print."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(n_bytes, 100) / 1e3:.1f} kB"


def source(words: object, what: str, rows: Sequence[int], **attributes: object) -> Html:
    """Return a number of the answer as a link that opens what it was computed from.

    Args:
        words: the number in print.
        what: what the page's script computes again: 'jfi', 'share', 'total', 'runs' or 'fair'.
        rows: of the answer.
    """
    of = " ".join(map(str, rows))
    return element(
        "a", words, class_="evidence", href="#terms", data_of=what, data_rows=of, **attributes
    )
