"""Patterns for dataset.yml that name the files that are no logs: as few as say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

# ends of names that logs have as well: `**/*.txt` would hide those that are added later
OF_LOGS = (".csv", ".dat", ".data", ".gz", ".json", ".log", ".out", ".tr", ".txt", ".xml")


def ignoring_patterns(ignored: Iterable[str], kept: Iterable[str]) -> list[str]:
    """Return patterns that match all ignored paths and none that is kept.

    Kinds of files everywhere (`**/*.py`), whole folders (`plots/**`), names (`**/notes.txt`), kinds
    in a folder (`plots/*.txt`), that of most files first; what is left one by one.
    """
    barred = {pattern for path in kept for pattern in _patterns(path)}
    groups: dict[str, list[str]] = {}
    ignored = sorted(ignored)
    for path in ignored:
        for pattern in _patterns(path):
            if pattern not in barred and not _hides_logs(pattern):
                groups.setdefault(pattern, []).append(path)
    found, covered = [], set()
    for pattern, paths in sorted(groups.items(), key=lambda group: -len(group[1])):
        new = [path for path in paths if path not in covered]
        if len(new) > 1:
            found.append(pattern)
            covered.update(new)
    return [*found, *(literal(path) for path in ignored if path not in covered)]


def literal(path: str) -> str:
    """Return a path as a pattern: braces and stars stand for themselves in brackets."""
    return re.sub(r"[*{}]", r"[\g<0>]", path)


def _patterns(path: str) -> Iterator[str]:
    """Yield patterns that match a path and others like it."""
    whole = PurePosixPath(literal(path))
    if whole.suffix:
        yield f"**/*{whole.suffix}"
        yield f"{whole.parent}/*{whole.suffix}".removeprefix("./")
    for folder in whole.parents[:-1]:
        yield f"{folder}/**"
    yield f"**/{whole.name}"


def _hides_logs(pattern: str) -> bool:
    return pattern.startswith("**/*") and pattern.removeprefix("**/*") in OF_LOGS
