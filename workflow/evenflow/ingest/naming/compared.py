"""What only other names tell of a name: pairs, decimals, starts of flows, unknown variants."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from .counting import COUNTED, VALUED, counts_up
from .doubtful import AQMS
from .segments import surroundings
from .vocabulary import (
    ALONE,
    APART,
    AS_TEXT,
    BETWEEN,
    DATAGRAMS,
    FLOW_WORDS,
    OTHERS,
    REPETITION,
    SETTINGS,
    SIDES,
    key_of,
    number_of,
)
from .words import Spans, Start, Token, tokens_of

_NUMBER = r"[0-9]{1,4}(?:\.[0-9]{1,3})?"
_SECOND = re.compile(rf"(?P<sep>[_+-])(?P<n>{_NUMBER})(?![A-Za-z0-9%]|\.[0-9])")
_FIRST = re.compile(rf"(?<![A-Za-z0-9.])(?P<n>{_NUMBER})(?P<sep>[+-])$")
_TWO = re.compile("[0-9][_+-][0-9]")  # what every pair has: most names are not looked at again
_PORTS = 5000  # from here on a number may be the port of a server


def paired_numbers(
    paths: Iterable[str], members: Spans | None = None
) -> dict[str, dict[str, list[float]]]:
    """Find numbers in names that share one word or unit: 'rtt_20_40', 'rtt20-40', '80+20ms'.

    Not where the other number counts, or goes with the logs of a run: 'rtt20_1', 'rtt20_2'.

    Args:
        paths: of the logs.
        members: the parts of paths that tell the logs of one run apart.

    Returns:
        By path and key of dataset.yml, both numbers in its unit: neither is taken.
    """
    around: dict[tuple, list[tuple[str, str, str, list[float]]]] = defaultdict(list)
    for path in filter(_TWO.search, paths):
        tokens = tokens_of(path)
        own = [(t.start, t.end) for t in tokens] + [*(members or {}).get(path, ())]
        for token in tokens:
            key, times = key_of(token.kind)
            if token.kind not in SETTINGS or token.kind.endswith(AS_TEXT):
                continue
            value = number_of(path[token.start : token.end])
            other = _SECOND.match(path, token.end)
            if not token.said:
                other = _FIRST.search(path[: token.start])
            if other and not any(a < other.end("n") and other.start("n") < b for a, b in own):
                rest = surroundings(path, *other.span())
                both = sorted([(token.start, value), (other.start("n"), float(other["n"]))])
                place = key, token.said, other["sep"], rest
                around[place].append((path, key, other["n"], [n * times for _, n in both]))
    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for (_, _, sep, _), places in around.items():
        if sep == "+" or not _may_count({number for *_, number, _ in places}):
            for path, key, _, two in places:
                found[path][key] = two
    return found


def _may_count(numbers: set[str]) -> bool:
    """Return whether numbers behind another one may be those of runs, of hosts or of ports."""
    if counts_up(numbers) or any("." in number for number in numbers):
        return counts_up(numbers)
    values = sorted(map(int, numbers))
    in_a_row = len(values) > 2 and values[-1] - values[0] + 1 == len(values)
    return values[-1] < 10 or values[-1] >= _PORTS or in_a_row


_BY_WORD = {
    key: re.compile(
        rf" ?[A-Za-z/]+?[ _-](?:{others}){BETWEEN}"
        rf"(?P<n>[0-9]{{1,4}})(?![A-Za-z0-9%]|[.,][0-9]|[ _-]?{APART}(?![A-Za-z0-9]))",
        re.IGNORECASE,
    )
    for key, others in OTHERS.items()
}


def numbers_of_others(paths: Iterable[str]) -> dict[str, list[Token]]:
    """Find numbers that a word behind them is said of, as the number behind the word counts.

    '10mbps_cross_1' and '10mbps_cross_2' are runs with cross traffic of 10 Mb/s; the word of
    '10mbps_load_50' has a number of its own.

    Returns:
        By path, the numbers that are not those of their unit alone.
    """
    around: dict[tuple, list[tuple[str, Token, str]]] = defaultdict(list)
    for path in paths:
        for token in tokens_of(path) if _OTHERS.search(path) else ():
            found = token.kind in _BY_WORD and _BY_WORD[token.kind].match(path, token.end)
            if found and not (token.said and token.kind == "rtt_ms"):
                place = (
                    surroundings(path, token.start, found.end("n")),
                    path[token.end : found.start("n")],
                )
                around[place].append((path, token, found["n"]))
    numbers: dict[str, list[Token]] = defaultdict(list)
    for places in around.values():
        said = {number for *_, number in places}
        if counts_up(said) or (len(said) == 1 and int(*said) < 2):
            for path, token, _ in places:
                numbers[path].append(token)
    return numbers


# a number and its unit, alone in a part of a path; '4G' and '5G' are networks
_LETTER = re.compile(
    r"(?<![A-Za-z0-9.])(?![345]G)(?P<n>[0-9]{1,9}(?:\.[0-9]{1,6})?) ?[kKMG](?![A-Za-z0-9])"
)
_LETTERS = {"k": "bottleneck_kbps", "m": "bottleneck_mbps", "g": "bottleneck_gbps"}


def rates_of_letters(paths: Iterable[str]) -> dict[str, list[Token]]:
    """Find numbers with the letter of a rate where other names have rates: '1G/', '100Mbps/'."""
    paths = list(paths)
    found: dict[tuple, list[tuple[str, Token]]] = defaultdict(list)
    for path in filter(_LETTER.search, paths):
        for m in _LETTER.finditer(path):
            token = Token(_LETTERS[path[m.end() - 1].lower()], *m.span("n"))
            found[surroundings(path, *m.span())].append((path, token))
    if not found:
        return {}
    rates = {
        surroundings(path, t.start, t.end + unit.end())
        for path in paths
        for t in tokens_of(path)
        if t.kind.startswith("bottleneck") and not t.said and (unit := _UNIT.match(path[t.end :]))
    }
    numbers: dict[str, list[Token]] = defaultdict(list)
    for path, token in (one for place in found.keys() & rates for one in found[place]):
        numbers[path].append(token)
    return numbers


_UNIT = re.compile(" ?[A-Za-z]+(?:/s)?")
_OTHERS = re.compile("|".join({*OTHERS.values()}), re.IGNORECASE)
_DECIMALS = re.compile(
    rf"(?<![A-Za-z0-9])(?P<word>rtt|ping|x?bdp|bw|bandwidth|bottleneck){BETWEEN}"
    rf"(?P<n>[0-9]{{1,3}}_[0-9]{{1,3}})(?![A-Za-z0-9]|\.[0-9]|[ _-]{APART}(?![A-Za-z0-9]))",
    re.IGNORECASE,
)
_KEYS = {"r": "rtt_ms", "p": "rtt_ms", "x": "buffer_bdp", "bd": "buffer_bdp"}


def decimals_of_words(paths: Iterable[str]) -> dict[str, list[Token]]:
    """Find numbers with an underscore for a point and no unit: 'bdp0_5', and 'bdp1_5' beside it.

    No bandwidth, round-trip time or buffer is 0. What stands for itself, as 'bdp1_5', may be 1.
    """
    around: dict[tuple, list[tuple[str, Token, str]]] = defaultdict(list)
    for path in paths:
        for m in _DECIMALS.finditer(path):
            word = m["word"].lower()
            key = next((k for begin, k in _KEYS.items() if word.startswith(begin)), None)
            token = Token(f"{key or 'bottleneck_mbps'}{AS_TEXT}", *m.span("n"), True)
            around[word, surroundings(path, *m.span())].append((path, token, m["n"]))
    found: dict[str, list[Token]] = defaultdict(list)
    for places in around.values():
        if any(number.startswith("0_") for *_, number in places):
            for path, token, _ in places:
                found[path].append(token)
    return found


_FLOW = re.compile(
    rf"(?<![A-Za-z])(?:{FLOW_WORDS}|f){BETWEEN}([0-9]{{1,9}})(?![0-9])", re.IGNORECASE
)
_LATE = r"(?:delay(?:ed)?|after|offset|wait|stagger(?:ed)?)"  # with seconds behind it
# neither a date nor a clock time
_START = re.compile(
    rf"[ _.,-]?(?<![A-Za-z0-9])(?P<word>start(?:s|ed)?(?:[ _-]?at)?{BETWEEN}"
    rf"|{_LATE}{BETWEEN}(?=[0-9.]+ ?s))?"
    r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,3})?)(?P<unit> ?(?:s|secs?|seconds?))?"
    r"(?![A-Za-z0-9]|[.:-][0-9])",
    re.IGNORECASE,
)


def starts_of_flows(paths: Iterable[str]) -> dict[str, Start]:
    """Find the times in names at which flows start: 'flow1_start0' next to 'flow2_start20s'.

    Of names that are the same but for it, the flow and its congestion control, each has another
    flow, and not all have the same time: else it is a setting of the run. Without the word
    ('f1_0s', 'f2_20s') one of them starts at 0 s.
    """
    beside: dict[tuple, list[tuple[str, str, Start | None, float]]] = defaultdict(list)
    for path in dict.fromkeys(paths):
        name = path.rfind("/") + 1
        flow = _FLOW.search(path, name)
        if flow is None:
            continue
        found = (m for m in _START.finditer(path, name) if m["word"] or m["unit"])
        m = next((m for m in found if not m.start() < flow.end() <= m.end()), None)
        rest = f"{path[: m.start()]}{path[m.end() :]}" if m else path
        rest = ALONE.sub("*", _FLOW.sub("*", rest))
        start = Start(*m.span(), *m.span("number")) if m else None
        words = ("word", "unit") if m is None else ("word",) if m["word"] else ("unit",)
        for word in words:
            beside[rest, word].append((path, flow[1], start, float(m["number"]) if m else 0.0))
    found_in: dict[str, Start] = {}
    for (_, word), names in beside.items():
        flows, times_s = {flow for _, flow, *_ in names}, {s for *_, s in names}
        if len(flows) == len(names) and len(times_s) > 1 and (word == "word" or 0 in times_s):
            found_in |= {path: start for path, _, start, _ in names if start}
    return found_in


NEXT = r"[ _.+,&-]{1,3}"  # between the two variants of a pair
_BEHIND = re.compile(rf"{NEXT}(?P<word>[A-Za-z]+)(?![A-Za-z0-9])")
_BEFORE = re.compile(rf"(?<![A-Za-z0-9])(?P<word>[A-Za-z]+){NEXT}$")
# words that stand next to a variant and are none: what varies, what was done, what kind of file
_ORDINARY = re.compile(
    rf"{REPETITION}|{FLOW_WORDS}|{COUNTED}|{VALUED}|{DATAGRAMS}|{'|'.join(SIDES.values())}|{AQMS}"
    r"|[bp]?fifo|only|alone|single|solo|self|base(?:line)?|calib(?:ration)?|control|ref(?:erence)?"
    r"|default|tcp|iperf[23]?|vs?|x|and|against|versus|with|without|no|on|off|old|new|final|raw"
    r"|long|short|small|large|big|low|high|deep|shallow|fast|slow|wired|wifi|lte|lan|wan|sat|ecn",
    re.IGNORECASE,
)
# the extensions of a file: the last one, before how it is packed and a number, and usual ones
_EXTENSIONS = re.compile(
    r"[A-Za-z]+(?:\.(?:gz|xz|zst|bz2|[0-9]+))*$"
    r"|(?:csv|dat|data|flent|json|log|out|res|text|txt|tr|xml)(?:\.[A-Za-z0-9]+)*$",
    re.IGNORECASE,
)


def unknown_partners(paths: Iterable[str]) -> set[str]:
    """Return the paths that have a word where others have the second variant of a pair.

    'cubic_mine/' beside 'cubic_bbr/' is CUBIC competing with something that is not in the table of
    congestion controls, and so is 'cubic_mine/' with the files 'cubic.txt' and 'mine.txt'.
    """
    pairs: set[tuple] = set()  # what is around two variants, without the numbers in it
    files: set[tuple[str, str]] = set()  # names of files without the variant
    doubted: list[tuple[str, tuple, tuple[str, str] | None]] = []
    for path in dict.fromkeys(paths):
        ccas = [t for t in tokens_of(path) if t.kind == "cca"]
        name = path.rfind("/") + 1
        files |= {surroundings(path, t.start, t.end) for t in ccas if t.start >= name}
        ends = {t.start for t in ccas} | {t.end for t in ccas}
        for cca in ccas:
            for start, end in _words_beside(path, cca):
                around = surroundings(path, min(cca.start, start), max(cca.end, end))
                place = around, start < cca.start
                if {start, end} & ends:
                    pairs.add(place)
                elif not _is_ordinary(path, start, end):
                    own = re.search(rf"(?<![A-Za-z]){path[start:end]}(?![A-Za-z])", path[name:])
                    of_file = own and surroundings(path, name + own.start(), name + own.end())
                    doubted.append((path, place, of_file))
    return {path for path, place, name in doubted if place in pairs or name in files}


def words_beside_variant(path: str) -> list[str]:
    """Return the words next to the one variant of a path that may be another one of a pair."""
    ccas = [t for t in tokens_of(path) if t.kind == "cca"]
    if len({path[t.start : t.end].lower() for t in ccas}) != 1:
        return []
    known = {(cca.start, cca.end) for cca in ccas}
    spans = {span for cca in ccas for span in _words_beside(path, cca)} - known
    return sorted({path[start:end] for start, end in spans if not _is_ordinary(path, start, end)})


def _is_ordinary(path: str, start: int, end: int) -> bool:
    """Return whether a word next to a variant is none, as the file's extension ('.txt', '.gz')."""
    is_extension = path[:start].endswith(".") and _EXTENSIONS.match(path, start)
    return bool(is_extension or _ORDINARY.fullmatch(path[start:end]))


def _words_beside(path: str, cca: Token) -> list[tuple[int, int]]:
    found = _BEHIND.match(path, cca.end), _BEFORE.search(path[: cca.start])
    return [word.span("word") for word in found if word]
