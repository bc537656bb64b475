"""Which numbers in names count, and so tell repetitions apart, and which are values of a setting.

docs/explanation/pooling.md has the order of evidence. A number that counts goes from 0 or 1 up
without a gap (0 to 29; 1, 2, 3): 10, 20, 40, 80 are values of something, whatever it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .segments import KEPT, segments_of, surroundings

MANY = 5  # numbers: from so many on one in five may be missing, as runs fail
MISSING = 0.2
# words before a number that say no more than that it counts: 'test03', 'out_0001', 'iperf_7'
COUNTED = (
    r"tests?|t|no|nr|id|out(?:put)?|take|meas(?:urements?)?|logs?|results?|data|files?|job|pass"
    r"|loop|cycle|sample|iperf|netperf|traces?|capture|dump|stats?|sim(?:ulation)?|exec(?:ution)?"
)

# words before a number that it is the value of, or that name one of several different things
VALUED = (
    r"[a-su-z]|buf(?:fer)?s?|queue|qlen|limit|rate|bw|bandwidth|link|loss|plr|delay|owd|latency"
    r"|rtt|jitter|flows?|streams?|parallel|conn(?:ection)?s?|users?|clients|servers|window|win"
    r"|cwnd|iw|mss|mtu|load|speed|size|len(?:gth)?|duration|time|interval|bdp|opb|ecn|hop|hops"
    r"|host|node|pc|vm|server|client|sender|receiver|router|switch|site|exp|experiment|case"
    r"|scenario|config|conf|setup|setting|topo(?:logy)?|set|group|phase|part|series|campaign"
    r"|variant|version|v|port|path|level|step|day|week"
)


def counts_up(numbers: Iterable[str]) -> bool:
    """Return whether numbers (as they are written) count from 0 or 1 up.

    Of MANY or more, or of numbers with zeros before them ('007'), one in five may be missing. A
    number with decimals is an amount.
    """
    texts = set(numbers)
    if not all(text.isdecimal() for text in texts):
        return False
    found = sorted({int(text) for text in texts})
    if len(found) < 2 or found[0] > 1:
        return False
    missing = found[-1] - found[0] + 1 - len(found)
    padded = len({len(text) for text in texts}) == 1 and any(text[0] == "0" for text in texts)
    gaps = len(found) >= MANY or (padded and len(found) > 2)
    return missing == 0 or (gaps and missing <= MISSING * (found[-1] - found[0] + 1))


def last_counter(candidates: Sequence[int], columns: Sequence[Sequence[str]]) -> int | None:
    """Return the last of the columns of paths whose numbers count; None where none does.

    Of two that vary the last is the likelier counter: folders are settings, files are runs.

    Args:
        candidates: the positions of numbers with nothing before them that says what they are.
        columns: the text at each position, of every path.
    """
    return next((i for i in reversed(candidates) if counts_up(columns[i])), None)


class Numbered(NamedTuple):
    """A congestion control with a number behind it that is not its version."""

    start: int
    end: int
    start_of_number: int
    end_of_number: int
    is_flow: bool  # 'cubic1' next to 'cubic2'; else the number is a run's or says nothing


def numbered_controls(
    paths: Iterable[str], numbered: re.Pattern, alone: re.Pattern, versions: Collection[str]
) -> dict[str, list[Numbered]]:
    """Find the numbers behind congestion controls that are not their versions.

    'bbr2' next to 'bbr1' is the second flow of BBR, and 'bbr_2' next to 'bbr_1' its second run.
    'bbr2' next to 'cubic', or to 'bbr', is the variant, and so is a folder 'bbr1' next to a folder
    'cubic'. Names are next to each other where all else in their paths is the same but numbers.

    Args:
        paths: of the logs.
        numbered: a congestion control and a number; its groups are cca, gap and nth.
        alone: a congestion control without a number.
        versions: congestion controls whose name has a number, as written without gaps.
    """
    paths = list(paths)
    found: dict[tuple, list[tuple[str, int, re.Match]]] = defaultdict(list)
    for path in paths:
        for around, at, match in _found_in(path, numbered):
            found[(*around, match["gap"])].append((path, at, match))
    plain = {around for path in paths if found for around, *_ in _found_in(path, alone)}
    result: dict[str, list[Numbered]] = defaultdict(list)
    for (before, after, gap), places in found.items():
        counting = counts_up(match["nth"] for *_, match in places)
        variants = not counting or ("/" in after and (before, after) in plain)
        for path, at, match in places:
            if variants and f"{match['cca']}{match['nth']}".lower() in versions:
                continue
            (start, end), (number, number_end) = match.span("cca"), match.span("nth")
            places_of = at + start, at + end, at + number, at + number_end
            result[path].append(Numbered(*places_of, counting and not gap))
    return result


@lru_cache(maxsize=KEPT)  # of a path it is asked before the tests are joined, and after
def _found_in(path: str, pattern: re.Pattern) -> list[tuple[tuple[str, str], int, re.Match]]:
    """Return what is around the matches within segments of a path, where these begin, and them."""
    return [
        (surroundings(path, at + match.start(), at + match.end()), at, match)
        for at, segment in segments_of(path)
        for match in _matches(segment, pattern)
    ]


@lru_cache(maxsize=KEPT)
def _matches(segment: str, pattern: re.Pattern) -> list[re.Match]:
    return list(pattern.finditer(segment))
