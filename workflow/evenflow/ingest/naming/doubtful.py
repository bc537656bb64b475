"""Words of names that look like a setting, and may be ordinary words or say its opposite.

'red', 'pie' and 'cake' are queue disciplines, and a colour and two dishes. They are read as
disciplines only where something else says so: another discipline in the name, or at the same place
in another name ('droptail/', 'red/'), a word such as 'aqm' or 'qdisc', or disciplines alone at that
place ('red/', 'pie/'). 'highspeed' is HighSpeed TCP, but not beside 'lowspeed', or before 'link'.
What is not read is asked about (`assumed_settings.list_doubtful_words`). 'non-bbr' and
'without_bbr' are everything but BBR: that needs no question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .segments import KEPT

ORDINARY = "red|pie|cake"
SURE = "droptail|taildrop|fq[_-]?codel|fq[_-]?pie|fq|codel|ared|pi2|dualpi2|sfq|pfifo|bfifo"
AQMS = f"{SURE}|{ORDINARY}"
_DISCIPLINES = f"{AQMS}|drop[_-]tail|tail[_-]drop|fifo|[bp]?fifo_fast|choke|hhf"
_OTHERS = rf"(?!(?:{ORDINARY})$)(?:{_DISCIPLINES})"
_SAYS_AQM = re.compile(
    r"(?<![A-Za-z])(?:aqms?|qdiscs?|queue|queue?ing|discipline|sched(?:uler)?|ecn)(?![A-Za-z])",
    re.IGNORECASE,
)
_SPEED = r"high[ _-]?speed"
_OTHER_SPEED = rf"(?!{_SPEED}$)[a-z]+[ _-]?speed"
_OF_LINK = re.compile(r"[ _-]?(?:link|net(?:work)?|path|line|wan|lan|access)(?![a-z])", re.I)
_WORD = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?:{_DISCIPLINES})(?![A-Za-z0-9])|[a-z]+[ _-]?speed(?![A-Za-z0-9])"
    r"|[A-Za-z]+)",
    re.IGNORECASE,
)
_DOUBTFUL = re.compile(rf"(?<![A-Za-z0-9])(?:{ORDINARY}|{_SPEED})(?![A-Za-z0-9])", re.IGNORECASE)
_NOT_BEFORE = re.compile(r"(?<![A-Za-z0-9])(?:non?|not|without|w[ _-]?o)[ _-]?$", re.IGNORECASE)
_NOT_BEHIND = re.compile(r"(?:[ _-](?:off|disabled)|-(?:free|less))(?![A-Za-z])", re.IGNORECASE)


class Doubtful(NamedTuple):
    """A word of a path that is not read: what it would be (cca, aqm), and where it stands."""

    key: str
    start: int
    end: int


def is_negated(path: str, start: int, end: int) -> bool:
    """Return whether a word of a path is named as what there is not: 'non-bbr', 'bbr_off'."""
    return bool(_NOT_BEFORE.search(path[:start]) or _NOT_BEHIND.match(path[end:]))


def doubtful_words(paths: Iterable[str]) -> dict[str, list[Doubtful]]:
    """Find the words of paths that may be settings, and of which nothing says that they are.

    A place is the n-th word of the n-th part of a path.

    Args:
        paths: of the logs.

    Returns:
        By path, the words that are not to be read.
    """
    paths = list(paths)
    if not any(_DOUBTFUL.search(path) for path in paths):
        return {}
    beside: dict[tuple[int, int], set[str]] = defaultdict(set)
    for path in paths:
        for word in _words_of(path):
            beside[word.place].add(word.text)
    found: dict[str, list[Doubtful]] = defaultdict(list)
    for path in filter(_DOUBTFUL.search, paths):
        for word in _words_of(path):
            if _DOUBTFUL.fullmatch(word.text):
                is_speed = word.text.endswith("speed")
                doubted = _may_be_of_link if is_speed else _may_be_no_discipline
                if doubted(path, word, beside[word.place]):
                    key = "cca" if is_speed else "aqm"
                    found[path].append(Doubtful(key, word.start, word.end))
    return found


class _Word(NamedTuple):
    """A word of a path in small letters, the n-th of which part it is, and where it stands."""

    text: str
    place: tuple[int, int]
    start: int
    end: int


def _words_of(path: str) -> list[_Word]:
    found, at = [], 0
    for part, segment in enumerate(path.split("/")):
        for n, (text, start, end) in enumerate(_words_in(segment)):
            found.append(_Word(text, (part, n), at + start, at + end))
        at += len(segment) + 1
    return found


@lru_cache(maxsize=KEPT)
def _words_in(segment: str) -> list[tuple[str, int, int]]:
    return [(m[0].lower(), *m.span()) for m in _WORD.finditer(segment)]


def _may_be_of_link(path: str, word: _Word, beside: set[str]) -> bool:
    if _OF_LINK.match(path, word.end):
        return True
    return any(re.fullmatch(_OTHER_SPEED, other) for other in beside)


def _may_be_no_discipline(path: str, word: _Word, beside: set[str]) -> bool:
    if _SAYS_AQM.search(path):
        return False
    in_name = {other.text for other in _words_of(path) if other.start != word.start}
    if any(re.fullmatch(_OTHERS, other) for other in in_name | beside):
        return False
    return len(beside) < 2 or not all(re.fullmatch(_DISCIPLINES, other) for other in beside)
