"""The one exception that evenflow raises for bad input."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .paths import printable

MAX_SUGGESTED = 20  # words in a list of suggestions


class DataError(Exception):
    """Bad input: says where (file, line), what is wrong and what to do about it.

    Args:
        problem: what is wrong, in a sentence without full stop.
        remedy: what the user can do about it.
        path: the file that the problem is in, as the user knows it.
        line: line number in that file, counted from 1.
    """

    def __init__(self, problem: str, *, remedy: str, path: object = None, line: int | None = None):
        where = "" if path is None else f"{path}:{line}: " if line else f"{path}: "
        # names and lines of strangers: no byte of them may command a terminal
        super().__init__(printable(f"{where}{problem}. Remedy: {remedy}", keep="\n\t"))
        self.problem, self.remedy, self.path, self.line = problem, remedy, path, line


def plainly_spelt(word: str) -> str:
    """Return a name as those of settings are spelt: in small letters, with '_' for '-' and ' '."""
    return re.sub(r"[\s-]+", "_", word.strip()).lower()


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion in words: the known word nearest to `word`, or the first known words."""
    from difflib import get_close_matches  # for those who err

    known = sorted(known)
    near = [plainly_spelt(word)] if plainly_spelt(word) in known else []
    near = near or get_close_matches(word, known, n=1, cutoff=0.6)
    more = ", ..." if len(known) > MAX_SUGGESTED else ""
    listed = ", ".join(known[:MAX_SUGGESTED]) + more
    return f"did you mean '{near[0]}'?" if near else f"known: {listed or 'none'}"
