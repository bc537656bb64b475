"""Cells of surfaces in words."""

from __future__ import annotations


def place_in_words(row: dict) -> str:
    """Return a cell in words: '25 ms, 20 %'."""
    return f"{row['base_rtt_s'] * 1000:g} ms, {row['buffer_bdp'] * 100:g} %"
