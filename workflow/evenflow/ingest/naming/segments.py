"""The parts of a path that can be read by themselves, as most of them stand in many paths.

In a folder of thousands of logs there are few names of folders and fewer of files; what was found
in one is kept for the next path (`functools.lru_cache` by those who read).
"""

from __future__ import annotations

import re
from functools import lru_cache

# a date may go on in the next folder ('2024/03/15'), and so may a unit ('100mb/s')
_CUT = re.compile(r"(?!(?<=[0-9])/[0-9])(?!(?<=b)/s)/", re.IGNORECASE)
KEPT = 2**16  # parts of paths whose reading is kept


@lru_cache(maxsize=KEPT)
def segments_of(path: str) -> list[tuple[int, str]]:
    """Return where each part of a path begins, and the part: from one slash to the next.

    Not cut between what may belong together: digits, and what may be the unit of a rate.
    """
    found, begin = [], 0
    for slash in _CUT.finditer(path):
        found.append((begin, path[begin : slash.start()]))
        begin = slash.end()
    return [*found, (begin, path[begin:])]


_DIGITS = re.compile("[0-9]+")


def surroundings(path: str, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and behind a part of a path, whatever the numbers in it."""
    return _DIGITS.sub("#", path[:start]), _DIGITS.sub("#", path[end:])
