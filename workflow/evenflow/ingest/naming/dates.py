"""Dates behind words of the vocabulary: the 2024 of 'rtt-2024-01-01' is no round-trip time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from .segments import KEPT
from .vocabulary import BETWEEN, CLOCK, DATE, EPOCH, SIDES, STOP, VOCABULARY

# '12-01-30': two numbers and more of a setting, too; a clock time where one has a zero before it
_OF_SIX_DIGITS = r"[0-2][0-9]-[0-5][0-9]-[0-5][0-9](?![A-Za-z0-9]|[.-][0-9])"
_ZERO = re.compile(r"(?:^|-)0[0-9]")
# the 10 and the 01 of 'rtt_10_01_2024-03-05' are no day and no month, and 'bw20000000' is a rate
_NO_DAY = (
    r"(?![0-9]{2}_[0-9]{2}_[0-9]{4}[-_.]?[01][0-9][-_.]?[0-3][0-9](?![0-9])"
    r"|[0-9]{4}(?:00|1[3-9])|[0-9]{6}(?:00|3[2-9]))"
)


@cache
def _pattern() -> re.Pattern:
    known = [words for _, words, _ in VOCABULARY if words] + [*SIDES.values()]
    words = "|".join(dict.fromkeys(known))
    return re.compile(
        rf"(?<![A-Za-z0-9])(?=[A-Za-z])(?:{words}){BETWEEN}(?:{_NO_DAY}(?P<date>{DATE})"
        rf"|(?P<clock>{CLOCK}){STOP}|(?P<epoch>{EPOCH}){STOP}|(?P<six>{_OF_SIX_DIGITS}))",
        re.IGNORECASE,
    )


@lru_cache(maxsize=KEPT)
def dates_behind_words(text: str) -> tuple[tuple[int, int, bool], ...]:
    """Return where dates and times behind words begin and end, and whether they are surely such.

    Of three numbers that may be a clock time or not ('rtt_10-20-40') none is that of the word.
    """
    return tuple(_found_in(text))


def _found_in(text: str) -> Iterator[tuple[int, int, bool]]:
    for match in _pattern().finditer(text):
        kind = match.lastgroup if match.lastgroup in ("clock", "epoch", "six") else "date"
        yield *match.span(kind), kind != "six" or bool(_ZERO.search(match[kind]))


def without_dates(text: str) -> str:
    """Return a text with blanks in place of the dates behind words, of the same length."""
    for start, end, _ in dates_behind_words(text):
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
