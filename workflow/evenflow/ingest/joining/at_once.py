"""Logs that ran at the same time by their dates, and that patterns in dataset.yml put in two runs.

Where nobody describes a folder dates join such logs (`joins`). A pattern under `files:` may part
them, as it was written for something else; it counts all the same, but that is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from ..entities import Group
from .clocks import CLOCKS_S, HALF
from .units import SET_S

NEAR = 40  # that began before one, and are looked at


class _Span(NamedTuple):
    begin_s: float
    end_s: float
    path: str
    run_id: str


def parted_by_patterns(groups: Mapping[str, Group]) -> list[tuple[str, str]]:
    """Return pairs of logs of one folder that ran at once and are of different runs, one a log.

    Args:
        groups: the runs, as patterns give them.
    """
    of_folder: dict[tuple, set[_Span]] = defaultdict(set)
    content = {e.path: e.content_sha256 for group in groups.values() for e in group.files}
    for run_id, group in groups.items():
        folders = {e.file_id: e.folder for e in group.files}
        for s in group.streams:
            begin_s = s.start_epoch_s or 0.0
            if s.measures and s.end_s and begin_s > SET_S:
                span = _Span(begin_s, begin_s + s.end_s, s.path, run_id)
                of_folder[folders[s.file_id], s.zone].add(span)
    found: dict[str, str] = {}
    for spans in of_folder.values():
        active: list[_Span] = []
        for span in sorted(spans):
            active = [a for a in active if a.end_s > span.begin_s][-NEAR:]
            for other in active:
                copy = content[other.path] == content[span.path]
                if other.run_id != span.run_id and not copy and _both(other, span):
                    found.setdefault(span.path, other.path)
            active.append(span)
    return sorted((min(pair), max(pair)) for pair in found.items())


def _both(one: _Span, other: _Span) -> bool:
    """Return whether two ran together for half of the shorter, and longer than clocks differ."""
    both_s = min(one.end_s, other.end_s) - max(one.begin_s, other.begin_s)
    return both_s > CLOCKS_S and both_s >= HALF * min(
        one.end_s - one.begin_s, other.end_s - other.begin_s
    )
