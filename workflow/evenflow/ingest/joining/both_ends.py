"""Which end wrote a log that does not say it, where another log has the same connection.

Comma-separated values of iperf 2.0.14a and later name the sender's end first at both ends, so that
the client's and the server's log of a connection name the same local end. One of the two is turned
round here. Which one, names say, or a log of more connections, which is the server's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from ...formats import iperf2_csv
from ..naming.vocabulary import SIDES
from .clocks import CLOCKS_S, QUARTER_S
from .roles import LETTERS, parts_of
from .units import CLIENT, SERVER, SIDES_OF, SIMULATORS, Ends, Unit, began_later_s, may_be_ends

MANY = 40  # tests on the same ports, of which not every pair is looked at
_WORDS = {
    end: re.compile(rf"(?:{SIDES[side]})s?|{end[0]}", re.IGNORECASE)
    for side, end in SIDES_OF.items()
}


def tell_ends(tests: list[Unit]) -> list[tuple[Unit, Unit]]:
    """Give tests that do not say their end the one that another log of the connection leaves.

    Returns:
        Pairs of which nothing says which is the client's, and which the server's.
    """
    unsaid: list[tuple[Unit, Unit]] = []
    named: dict[Ends, list[Unit]] = defaultdict(list)
    for test in tests:
        if test.end and test.tool not in SIMULATORS:
            for ends in dict.fromkeys(test.ends):
                if all(ends):
                    named[ends].append(test)
    for ends, found in named.items():
        if not any(map(_says_no_end, found)):
            continue
        for one, other in _pairs(found):
            alike = ends in one.ends and ends in other.ends and one.end == other.end
            doubtful = _says_no_end(one) or _says_no_end(other)
            if not (alike and doubtful and _are_ends(one, other, ends)):
                continue
            if turned := _other_end(one, other):
                turned.turn()
            elif not _is_copy(one, other):
                unsaid.append((one, other))
                other.turn()
    return unsaid


def _pairs(tests: list[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield the pairs of tests that may be of one connection; of many on fixed ports by dates."""
    if len(tests) <= MANY:
        yield from combinations(tests, 2)
        return
    ordered = sorted(tests, key=lambda t: t.start_s or 0.0)
    starts = [t.start_s or 0.0 for t in ordered]
    for i, test in enumerate(ordered):
        end = bisect_right(starts, starts[i] + 2 * CLOCKS_S)
        yield from ((test, other) for other in ordered[i + 1 : end])


def _says_no_end(test: Unit) -> bool:
    return test.entry.format == iperf2_csv.NAME and all(s.side is None for s in test.streams)


def _are_ends(one: Unit, other: Unit, ends: Ends) -> bool:
    """Return whether two logs are, by lengths, dates and names, the two ends of a connection.

    Zones of time apart only where names say that one is the client's and one the server's: on ports
    that come again there may be a test every hour.
    """
    if not may_be_ends(one, other, ends):
        return False
    if one.start_s is None or other.start_s is None or one.zone != other.zone:
        return True
    later_s = other.start_s - one.start_s + began_later_s(one, other, ends)
    zone_s = QUARTER_S * round(later_s / QUARTER_S)
    named = {end_in_name(one.path), end_in_name(other.path)} == {CLIENT, SERVER}
    return abs(later_s - zone_s) <= 2 * CLOCKS_S and (not zone_s or named)


def _other_end(one: Unit, other: Unit) -> Unit | None:
    """Return which of two logs is of the end that it was not taken for; None where none tells."""
    doubtful = [test for test in (one, other) if _says_no_end(test)]
    if len(doubtful) == 1:
        return doubtful[0]
    for test, another in ((one, other), (other, one)):
        end = end_in_name(test.path)
        if end and end != end_in_name(another.path):
            return another if end == test.end else test
    if len(one.ends) != len(other.ends):
        larger, smaller = (one, other) if len(one.ends) > len(other.ends) else (other, one)
        return larger if larger.end == CLIENT else smaller
    return None


def _is_copy(one: Unit, other: Unit) -> bool:
    """Return whether two logs say the same, or are called logs of the same end."""
    alike = (one.ends, one.start_s, one.length_s, one.carried)
    same = alike == (other.ends, other.start_s, other.length_s, other.carried)
    return same or bool(end_in_name(one.path) and end_in_name(one.path) == end_in_name(other.path))


def end_in_name(path: str) -> str:
    """Return the end that the last word of a path for one names: CLIENT, SERVER, or ''."""
    for part in reversed(parts_of(path)):
        for end, words in _WORDS.items():
            if part.kind == LETTERS and words.fullmatch(part.text):
                return end
    return ""
