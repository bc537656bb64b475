"""Numbers that Polars computes of a column, with a type."""

from __future__ import annotations


def scalar(value: object) -> float | None:
    """Return what `min`, `mean` and such give of a column of numbers; null where it has none.

    Polars' types say of them that they may be anything that a column holds.
    """
    if value is None or isinstance(value, int | float):
        return value
    raise TypeError(f"{value!r} is not a number")
