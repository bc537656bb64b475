"""Logs that hold several tests, one after another: a run each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

from .entities import Settled, Stream

Tested = TypeVar("Tested", Stream, Settled)


def split_tests(base: str, streams: list[Tested]) -> dict[str, list[Tested]] | None:
    """Return the streams of the tests of a run's logs; None where they have not equally many."""
    counts = set(count_tests(streams).values())
    if counts <= {1}:
        return {base: streams}
    if len(counts) > 1:
        return None
    split: dict[str, list[Tested]] = defaultdict(list)
    for stream in streams:
        split[f"{base}#{stream.episode}"].append(stream)
    return dict(split)


def count_tests(streams: Sequence[Stream | Settled]) -> dict[int, int]:
    """Return how many tests each log holds, {file_id: number}, by its streams."""
    counts: dict[int, int] = defaultdict(int)
    for stream in streams:
        counts[stream.file_id] = max(counts[stream.file_id], stream.episode)
    return counts
