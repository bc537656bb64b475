"""Logs that hold several tests, one after another: a run each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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


def fail_apart(failed_at: Mapping[int, Sequence[int] | None], streams: Sequence[Stream]) -> bool:
    """Return whether undated logs of one side hold as many tests, but others of these failed.

    So that the first that each measured need not be of one run.

    Args:
        failed_at: lines of tests that failed, by file_id; None where they are not known.
        streams: of the logs.
    """
    if all(s.start_epoch_s is not None for s in streams):
        return False
    places: dict[str | None, dict[int, list[int]]] = defaultdict(dict)
    for file_id, lines in failed_at.items():
        of_log = [s for s in streams if s.file_id == file_id]
        if of_log and lines is not None:
            before = [len({s.episode for s in of_log if s.line < line}) for line in lines]
            places[of_log[0].side][file_id] = before
    return any(
        len({len(of) for of in of_side.values()}) == 1 < len({tuple(of) for of in of_side.values()})
        for of_side in places.values()
    )


def count_tests(streams: Sequence[Stream | Settled]) -> dict[int, int]:
    """Return how many tests each log holds, {file_id: number}, by its streams."""
    counts: dict[int, int] = defaultdict(int)
    for stream in streams:
        counts[stream.file_id] = max(counts[stream.file_id], stream.episode)
    return counts
