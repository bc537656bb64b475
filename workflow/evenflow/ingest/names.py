"""What the names of logs say: settings, and which flow of which run a log is of.

Each part of a path that says what it is becomes a setting ('rtt50', 'RTT 50 ms', '20%', 'run3',
'cubic_vs_reno', 'server2'); VOCABULARY lists the words, `doubtful` those that may be others. Of
what varies and says nothing, a hash or a counting number labels the run, a label that goes with the
logs' hosts (or with the flow's number) names the host, and the rest becomes a factor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..congestion_controls import CONTROLS, cca_name
from ..formats import FORMATS
from .counting import COUNTED, VALUED, Numbered, counts_up, last_counter, numbered_controls
from .dataset import FLOW_KEYS, LABEL, NUMBERS, PACKED, typed
from .doubtful import AQMS, Doubtful, doubtful_words, is_negated
from .entities import Entry
from .segments import KEPT, segments_of

REPETITION = (
    r"run|rep|repeat|repetition|replicate|replica|trial|iter(?:ation)?|round|try|attempt"
    r"|essai|r[eé]p[eé]tition|(?:durch)?lauf|durchgang|versuch|wiederholung|prueba|ensayo|corrida"
    r"|repetici[oó]n|prova|rodada|ripetizione|прогон|запуск|опыт|测试|实验"
)
FLOW_WORDS = r"flow|stream|conn(?:ection)?|flw|flux|fluss|strom|flujo|fluxo|flusso|поток|流"
# (setting, words before the number, units after it); of the units one must be there where the
# words are few or missing. What is no key of dataset.yml becomes a factor of that name.
# A unit comes before the lack of one: 'bw2.5Gbps' is not 'bw2' and a rest.
VOCABULARY = (
    ("delay_ms", r"", r"ms[ _-]?(?:delay|owd|latency)"),
    ("rtt_ms", r"", r"ms[ _-]?(?:rtt|ping)"),
    ("delay_ms", r"delay|owd|latency", r"(?:ms)?"),  # of one way, perhaps: no round-trip time
    ("jitter_ms", r"jitter", r"(?:ms)?"),
    ("interval_ms", r"interval|int", r"ms"),
    ("rtt_s", r"rtt|ping", r"s|secs?|seconds?"),
    ("rtt_us", r"rtt|ping", r"us|µs|μs|usecs?|microseconds?"),
    ("rtt_ms", r"rtt|ping", r"(?:ms)?"),
    ("rtt_ms", r"", r"ms"),
    ("buffer_pct", r"opb|bdp|buf(?:fer)?|queue", r"%|pct|percent"),
    ("buffer_pct", r"opb", r""),
    ("buffer_pct", r"", r"%"),
    ("buffer_bdp", r"(?:buf(?:fer)?|queue|q)?", r"x?[_-]?bdp"),
    # 'bdp100' may be percent
    ("buffer_bdp", r"x?bdp", r"(?<=[0-9][.p][0-9])|(?<=[0-9][.p][0-9][0-9])"),
    ("buffer_packets", r"buf(?:fer)?|queue|qlen|limit|q", r"p|pkts?|packets?"),
    ("buffer_packets", r"", r"pkts?|packets?"),
    ("buffer_kB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kb|kbytes?"),
    ("buffer_KiB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kib"),
    ("buffer_MB", r"buf(?:fer)?|queue|qlen|limit", r"mb|mbytes?"),
    ("buffer_MiB", r"buf(?:fer)?|queue|qlen|limit", r"mib"),
    ("buffer_bytes", r"buf(?:fer)?|queue|qlen|limit", r"b|bytes?"),
    # 'B' is a byte, and 'b' a bit; 'MBPS' is as good as 'mbps'
    ("bottleneck_KBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[kK]B(?:ps|/s))"),
    ("bottleneck_MBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[mM]B(?:ps|/s))"),
    ("bottleneck_GBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[gG]B(?:ps|/s))"),
    ("bottleneck_gbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"gbps|gbits?|gb/s"),
    ("bottleneck_gbps", r"bw|bandwidth|link|bottleneck", r"g|(?-i:[gG]b)"),
    ("bottleneck_mbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"mbps|mbits?|mb/s|mbit-s"),
    ("bottleneck_mbps", r"bw|bandwidth|link|bottleneck", r"m|(?-i:[mM]b)"),
    ("bottleneck_mbps", r"bw|bandwidth|bottleneck", r""),
    ("duration_s", r"dur(?:ation)?", r"(?:s|secs?|seconds?)?"),
    ("duration_min", r"dur(?:ation)?", r"m|mins?|minutes?"),
    ("repeat", rf"{REPETITION}|r", r""),
    ("flow", FLOW_WORDS, r""),
    ("short flow", r"f", r""),
    ("seed", r"seed", r""),
)
# words before or behind a number that say that it is another one than its unit alone lets think
OTHERS = {
    "buffer_pct": r"loss|plr|drop(?:s|ped|rate)?|load|util(?:i[sz]ation)?|usage|cpu|reorder(?:ing)?"
    r"|dups?|duplicates?|corrupt(?:ion)?|err(?:ors?)?|mark(?:ing)?|duty",
    "rtt_ms": r"rto|timeout|d?ack|delack|target|burst|sampl(?:e|ing)|tick|slot|step|warmup|offset"
    r"|skew|stagger|start|pause|idle|quantum",
    "bottleneck_mbps": r"udp|cbr|cross|background|bg|offered|load|pac(?:ing|ed)|app|video|target"
    r"|traffic|noise",
}
OTHERS |= {f"bottleneck_{u}": OTHERS["bottleneck_mbps"] for u in ("gbps", "KBps", "MBps", "GBps")}
# settings in units that dataset.yml does not have: (the key that it has, how many of its unit)
IN_OTHER_UNITS = {
    "rtt_s": ("rtt_ms", 1000),
    "rtt_us": ("rtt_ms", 0.001),
    "duration_min": ("duration_s", 60),
    "buffer_kB": ("buffer_bytes", 1000),
    "buffer_KiB": ("buffer_bytes", 1024),
    "buffer_MB": ("buffer_bytes", 1000**2),
    "buffer_MiB": ("buffer_bytes", 1024**2),
    "bottleneck_gbps": ("bottleneck_mbps", 1000),
    "bottleneck_KBps": ("bottleneck_mbps", 0.008),
    "bottleneck_MBps": ("bottleneck_mbps", 8),
    "bottleneck_GBps": ("bottleneck_mbps", 8000),
}
SIDES = {
    "sender": r"client|sender|send|snd|src|source",
    "receiver": r"server|receiver|recv|rcv|dst|sink",
}
DATAGRAMS = r"udp|cbr|exp|pareto|poisson|video|audio|rtp"  # what sends without asking
VERSUS = r"[ _.+,&-]*(?:vs?\.?|versus|and|against|x)?[ _.+,&-]*"
BETWEEN = r"[ _=.#-]?"
STOP = r"(?![A-Za-z0-9])"
WHOLE = r"(?![A-Za-z0-9]|\.[0-9])"
COLON = r"(?::|%3A)"  # as it is, or as names that were made of URLs have it
BETWEEN_TIMES = rf"(?:{COLON}|[-.h_])"
TIME = (
    rf"[0-2][0-9]{BETWEEN_TIMES}?[0-5][0-9](?:(?:{BETWEEN_TIMES}|m)?[0-5][0-9](?:\.[0-9]+)?s?)?"
    r"(?:Z|UTC|GMT|[+-][0-9]{4})?(?![A-Za-z0-9])"
)
CLOCK = (
    rf"[0-2]?[0-9]{COLON}[0-5][0-9](?:{COLON}[0-5][0-9](?:\.[0-9]+)?)?"
    r"|[0-2]?[0-9]h[0-5][0-9](?:m[0-5][0-9]s?)?"
)
YEAR, MONTH, DAY = r"(?:19|20)[0-9]{2}", r"[01][0-9]", r"[0-3]?[0-9]"
MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
WEEKDAYS = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
GAP = r"(?:[-_ ,.+]|%20)*"
DATE = (
    rf"(?:{YEAR}(?P<d1>[-_./]?){MONTH}(?P=d1)[0-3][0-9]"
    rf"|[0-3][0-9](?P<d2>[-_.]){MONTH}(?P=d2){YEAR}"
    rf"|{DAY}{GAP}{MONTHS}{GAP}{YEAR}|{YEAR}{GAP}{MONTHS}{GAP}{DAY}"
    rf"|(?:{WEEKDAYS}{GAP})?{MONTHS}{GAP}{DAY}{GAP}(?:{TIME}{GAP})?{YEAR}"
    rf"|[0-3][0-9]{MONTH}[0-3][0-9](?=[_-][0-2][0-9][0-5][0-9][0-5][0-9](?![0-9])))"
    rf"(?:(?:[ _T+-]|%20)*{TIME}|/(?=[0-9]{{2}}{BETWEEN_TIMES}|[0-9]{{6}}){TIME})?(?![0-9])"
)
# seconds since 1970 from 2001 to 2033, or their thousandths and so on; not a round rate in bit/s
EPOCH = r"(?!1[0-9]{3}0{6})1[0-9]{9}(?:[0-9]{3}|[0-9]{6}|[0-9]{9})?(?:\.[0-9]{1,9})?"
# digits and letters by turns: '1000000b' is an amount, 'a000001' a number with a letter before it
HASH = (
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[a-f]*[0-9]+[a-f]+[0-9]|[0-9]*[a-f]+[0-9]+[a-f])[0-9a-f]{7,64}"
)
# what may come behind a point or a comma that ends a number: 'rtt20.5BDP', but not 'rtt0.1s'
UNITS = r"ms|%|pct|percent|x?bdp|p|pkts?|packets?|k(?:i?b|bytes?)|[mg](?:bps|bits?|b/s)"
INTEGER = r"[0-9]{1,9}"
DECIMAL = (
    rf"[0-9]{{1,9}}(?:\.[0-9]{{1,6}})?(?!\.[0-9]{{1,6}}(?![0-9]|(?:{UNITS})(?![A-Za-z0-9]))"
    rf"|,[0-9]{{1,6}}(?!(?:{UNITS})(?![A-Za-z0-9]))[A-Za-z%])"
)
# numbers that stay text, as no placeholder of a number reads them: decimals with a comma or a 'p',
# or, of a word, with an underscore ('rtt0,5ms', '0p5bdp', 'rtt0_5ms'); with a unit: 'rtt20,1' may
# be the first run. 'bw10_5mbps' is 10.5, but 'rtt10_5s' may be a round-trip time and a duration.
P = r"[0-9]{1,4}(?:p|pt|dot)[0-9]{1,4}"
TEXT = rf"(?:0,[0-9]{{1,6}}|[0-9]{{1,9}},[0-9]{{1,6}}(?= ?[A-Za-z%])|{P}(?= ?[A-Za-z%]))"
TEXT_OF_WORD = rf"(?:(?:0_[0-9]{{1,3}}|[0-9]_[0-9])(?= ?[A-Za-z%])|{P})"
TEXT_OF_RATE = rf"(?:{TEXT_OF_WORD}|[0-9]{{2,4}}_[0-9](?= ?[A-Za-z]))"
AS_TEXT = "_label"  # behind the name of a setting whose number stays text


SETTINGS = {
    f"{name}{end}"
    for name, *_ in VOCABULARY
    if name not in ("repeat", "flow", "short flow", "seed")
    for end in ("", AS_TEXT)
}
LABELS = ("date", "clock", "epoch", "hash", "letter", "capital")  # of a repetition

# settings that a name may give without saying so, and how it looks where it does say so: a time or
# a rate alone may be that of anything (in the words of `tc` '100mbit' is the size of a buffer, too)
_OF_LINK = r"(?:bw|rate|bandwidth|link|bottleneck)[ _=.#-]?\{bottleneck_mbps\} ?m(?!(?-i:BPS))"
_PART = r"(?<![A-Za-z0-9])(?:[0-9]|\{(?:number|run|repeat)[0-9]*\})_\{buffer_bdp\}"
SAID = {
    "rtt_ms": r"(?:rtt|ping)[ _=.#-]?\{rtt_ms\}|\{rtt_ms\} ?ms[ _-]?(?:rtt|ping)",
    "bottleneck_mbps": _OF_LINK,
    "buffer_bdp": rf"^(?!.*{_PART})",
    "start_s": r"start(?:s|ed)?(?:[ _-]?at)?[ _=.#-]?\{start_s\} ?s",
}


def guessed_settings(template: str) -> set[str]:
    """Return the settings that an inferred template has from numbers whose word or unit is missing.

    '40ms' may be a delay of one way, '100mbit' a size or the rate of a source, 'bw10' in Gb/s,
    'bw10MBPS' in bytes, and '0_5bdp' half of the bandwidth-delay product.
    """
    return {
        key
        for key, said in SAID.items()
        if f"{{{key}}}" in template and not re.search(said, template, re.IGNORECASE)
    }


def restated(name: str, text: str) -> tuple[str, float] | None:
    """Return the key of dataset.yml and the value that a setting of a name stands for.

    Args:
        name: of a placeholder; of `IN_OTHER_UNITS`, or with AS_TEXT behind it.
        text: its value.

    Returns:
        None where dataset.yml has no such key, or has the placeholder itself.
    """
    key, times = _key_of(name)
    if name not in SETTINGS or key == name or key not in NUMBERS:
        return None
    return key, _number_of(text) * times


def _key_of(name: str) -> tuple[str, float]:
    """Return the key of dataset.yml that one of SETTINGS stands for, and how many of its unit."""
    base = name.removesuffix(AS_TEXT)
    return IN_OTHER_UNITS.get(base, (base, 1))


def _number_of(text: str) -> float:
    if re.fullmatch("[1-9][0-9]{0,2},[0-9]{3}", text):
        text = text.replace(",", "")  # 1,000
    return float(re.sub("[,_]|pt?|dot", ".", text, flags=re.IGNORECASE))


Spans = Mapping[str, Sequence[tuple[int, int]]]  # of parts of paths: begin and end, by path


class Piece(NamedTuple):
    """A part of a path: what it is the value of (None: plain text), and the text."""

    name: str | None
    text: str


class Token(NamedTuple):
    """A word of a path that may say something: what, and where its value is."""

    kind: str
    start: int
    end: int
    said: bool = False  # of a number, whether a word says what it is: 'rtt20', not '20ms'


class Start(NamedTuple):
    """The part of a path that says when its flow starts, and where its number is, s."""

    start: int
    end: int
    start_of_number: int
    end_of_number: int


class Beside(NamedTuple):
    """What the names beside a path say of words and numbers in it."""

    doubtful: Sequence[Doubtful] = ()  # words that are not to be read (`doubtful_words`)
    decimals: Sequence[Token] = ()  # numbers with an underscore for a point (`decimals_of_words`)
    pairs: Collection[str] = ()  # settings with two numbers each (`paired_numbers`)


NO_OTHERS = Beside()


def read_path(
    path: str,
    numbered: Sequence[Numbered] = (),
    starts: Start | None = None,
    beside: Beside = NO_OTHERS,
) -> list[Piece]:
    """Split a path into pieces that say what they are and plain text between them.

    A name is given once: of two numbers that could be the repeat, the last one is, and the others
    label the run.

    Args:
        path: of a log.
        numbered: the congestion controls with a number behind them (`numbered_controls`).
        starts: when its flow does (`starts_of_flows`).
        beside: what the names of other logs say of it.
    """
    doubted = {(d.start, d.end) for d in beside.doubtful}
    found = [t for t in _tokens_of(path) if (t.start, t.end) not in doubted]
    for number in beside.decimals:
        found = [t for t in found if t.end <= number.start or number.end <= t.start]
        found.append(number)
    numbered = [n for n in numbered if not is_negated(path, n.start, n.end)]
    if starts:
        found = [t for t in found if t.end <= starts.start or starts.end <= t.start]
        found.append(Token("start_s", starts.start_of_number, starts.end_of_number))
    found = [t for t in found if not any(t.start < n.end and n.start < t.end for n in numbered)]
    for n in numbered:
        found.append(Token("cca", n.start, n.end))
        found += [Token("nth", n.start_of_number, n.end_of_number)] * n.is_flow
    found.sort(key=lambda token: token.start)
    tokens = [part for token in found for part in _by_segment(token, path)]
    pieces: list[Piece] = []
    position = 0
    for token, name in _named(tokens, path, beside.pairs):
        if token.start > position:
            pieces.append(Piece(None, path[position : token.start]))
        pieces.append(Piece(name, path[token.start : token.end]))
        position = token.end
    if position < len(path):
        pieces.append(Piece(None, path[position:]))
    return pieces


def _tokens_of(path: str) -> list[Token]:
    found = [
        token._replace(start=at + token.start, end=at + token.end)
        for at, segment in segments_of(path)
        for token in _tokens_in(segment)
    ]
    ends = {t.end for t in found}
    return [t for t in found if not _is_of_another(t, path, ends)]


def settings_of_flows(path: str) -> set[int]:
    """Return where numbers of a path begin that flows may have of their own: round-trip times."""
    return {t.start for t in _tokens_of(path) if _key_of(t.kind)[0] in FLOW_KEYS}


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
        tokens = _tokens_of(path)
        own = [(t.start, t.end) for t in tokens] + [*(members or {}).get(path, ())]
        for token in tokens:
            key, times = _key_of(token.kind)
            if token.kind not in SETTINGS or token.kind.endswith(AS_TEXT):
                continue
            value = _number_of(path[token.start : token.end])
            other = _SECOND.match(path, token.end)
            if not token.said:
                other = _FIRST.search(path[: token.start])
            if other and not any(a < other.end("n") and other.start("n") < b for a, b in own):
                rest = f"{path[: other.start()]}*{path[other.end() :]}"
                both = sorted([(token.start, value), (other.start("n"), float(other["n"]))])
                place = key, token.said, other["sep"], re.sub("[0-9]+", "#", rest)
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


_DECIMALS = re.compile(
    rf"(?<![A-Za-z0-9])(?P<word>rtt|ping|x?bdp|bw|bandwidth|bottleneck){BETWEEN}"
    r"(?P<n>[0-9]{1,3}_[0-9]{1,3})(?![A-Za-z0-9]|\.[0-9])",
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
            rest = re.sub("[0-9]+", "#", f"{path[: m.start()]}*{path[m.end() :]}")
            around[word, rest].append((path, token, m["n"]))
    found: dict[str, list[Token]] = defaultdict(list)
    for places in around.values():
        if any(number.startswith("0_") for *_, number in places):
            for path, token, _ in places:
                found[path].append(token)
    return found


def spelt(cca: str) -> str:
    """Return a regular expression of the ways to write a congestion control."""
    ways = CONTROLS[cca].spelt or re.sub(r"([0-9])$", r"[_-]?v?\1", cca)
    return rf"(?:(?:ns3::)?tcp)?(?:{ways})"


UNNUMBERED = "|".join(
    spelt(cca) for cca in sorted(CONTROLS, key=len, reverse=True) if not cca[-1].isdigit()
)
NUMBERED = re.compile(
    rf"(?<![A-Za-z0-9])(?P<cca>{UNNUMBERED})(?P<gap>[ _-]?)(?P<nth>[0-9]{{1,3}})"
    r"(?![A-Za-z0-9%]|\.[0-9])",
    re.IGNORECASE,
)
ALONE = re.compile(rf"(?<![A-Za-z0-9])(?:{UNNUMBERED})(?![A-Za-z0-9]|[ _-]?[0-9])", re.IGNORECASE)
WITH_NUMBER = {"bbr1", "bbr2", "bbr3", "sack1"}
_FLOW = re.compile(
    rf"(?<![A-Za-z])(?:{FLOW_WORDS}|f){BETWEEN}([0-9]{{1,9}})(?![0-9])", re.IGNORECASE
)
# neither a date nor a clock time
_START = re.compile(
    rf"[ _.,-]?(?<![A-Za-z0-9])(?P<word>start(?:s|ed)?(?:[ _-]?at)?{BETWEEN})?"
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


@cache  # it takes a tenth of a second, and most jobs read no names
def _token_pattern() -> re.Pattern:
    ordered = sorted(CONTROLS, key=len, reverse=True)
    ccas = "|".join(spelt(cca) + CONTROLS[cca].version for cca in ordered)
    settings = []
    for i, (name, words, unit) in enumerate(VOCABULARY):
        whole = NUMBERS.get(name.split()[-1]) is int
        head = rf"(?:{words}){BETWEEN}" if words else ""
        tail = rf" ?(?:{unit})" if unit else ""
        if not whole:
            settings.append(rf"{head}(?P<t{i}>{TEXT}){tail}{STOP}")
            of_word = TEXT_OF_RATE if name.startswith("bottleneck") else TEXT_OF_WORD
            settings.append(rf"(?=[A-Za-z]){head}(?P<w{i}>{of_word}){tail}{STOP}")
        number, stop = (INTEGER, WHOLE) if whole else (DECIMAL, STOP)
        settings.append(rf"{head}(?P<n{i}>{number}){tail}{stop}")
    return re.compile(
        rf"(?:(?<![A-Za-z0-9])|(?<=%2[0-9A-F])|(?<=%3[AD]))(?:(?P<date>{DATE})|(?P<clock>{CLOCK}){STOP}|(?P<epoch>{EPOCH}){STOP}"
        rf"|(?P<ip>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})(?:[:_-](?P<port>[0-9]{{4,5}}))?{STOP}"
        rf"|(?P<hash>{HASH}){STOP}|{'|'.join(settings)}"
        rf"|(?:{REPETITION})(?:[ _-](?P<letter>[a-z])|(?P<capital>(?-i:[A-J]))){STOP}"
        rf"|(?P<side>{'|'.join(SIDES.values())})(?:{BETWEEN}(?P<end>[0-9]{{1,3}}){WHOLE})?{STOP}"
        rf"|(?P<cca>{ccas}){STOP}|(?P<aqm>{AQMS}){STOP})",
        re.IGNORECASE,
    )


@lru_cache(maxsize=KEPT)
def _tokens_in(segment: str) -> list[Token]:
    return [_token_of(match) for match in _token_pattern().finditer(segment)]


def _token_of(match: re.Match) -> Token:
    for kind in (*LABELS, "ip", "cca", "aqm"):
        if match[kind]:
            return Token("run" if kind in LABELS else kind, *match.span(kind))
    if match["side"]:
        return Token("end", *match.span("end")) if match["end"] else Token("side", *match.span())
    group = next(g for g in match.re.groupindex if g[1:].isdigit() and match[g])
    name, as_text = VOCABULARY[int(group[1:])][0], AS_TEXT if group[0] in "tw" else ""
    said = match.start() < match.start(group) or bool(_SAID_BEHIND.search(match[0]))
    return Token(f"{name}{as_text}", *match.span(group), said)


_SAID_BEHIND = re.compile("(?:rtt|ping|delay|owd|latency|bdp)$", re.IGNORECASE)
_DECIMAL = re.compile(r"[0-9][.,]$")
_EXPONENT = re.compile(r"(?<![A-Za-z])[0-9]+e[+-]$", re.IGNORECASE)
_NUMBER_OF_COUNT = re.compile(
    rf"(?:{REPETITION}|r|{FLOW_WORDS}|f|{COUNTED}){BETWEEN}[0-9]+[.,]$", re.IGNORECASE
)


@cache
def _words_of_others(others: str) -> tuple[re.Pattern, re.Pattern]:
    """Return how words of OTHERS stand before a number, and behind it and its unit."""
    behind = rf" ?(?:%|[A-Za-z/]+?)[ _-]?(?:{others})(?![A-Za-z]|{BETWEEN}[0-9])"
    before = rf"(?<![A-Za-z])(?:{others}){BETWEEN}$"
    return re.compile(before, re.IGNORECASE), re.compile(behind, re.IGNORECASE)


def _is_of_another(token: Token, path: str, ends: Collection[int]) -> bool:
    """Return whether a number is a part of one with decimals, or what a word by it says.

    A variant or a queue discipline that the name says is not there ('non-bbr') is another, too.

    Args:
        token: of the path.
        path: of a log.
        ends: of all tokens of the path.
    """
    if token.kind in ("cca", "aqm"):
        return is_negated(path, token.start, token.end)
    before, behind = path[: token.start], path[token.end :]
    in_decimal = token.kind in SETTINGS and before.endswith((".", ",")) and _DECIMAL.search(before)
    if in_decimal and token.start - 1 not in ends and not _NUMBER_OF_COUNT.search(before):
        return True  # the 1 of 'loss0.1%', not the 20 of 'run1.20ms' or of 'bw10.20ms'
    if token.kind in SETTINGS and _EXPONENT.search(before):
        return True  # the 3 of '1e-3ms'
    others = OTHERS.get(token.kind)
    if others is None:
        return False
    said_before, said_behind = _words_of_others(others)
    return bool(said_before.search(before) or said_behind.match(behind))


def _by_segment(token: Token, path: str) -> list[Token]:
    """Split a date in folders ('2024/03/15') into its parts: a placeholder is within a segment."""
    if "/" not in path[token.start : token.end]:
        return [token]
    parts = re.finditer(r"[^/]+", path[token.start : token.end])
    return [Token(token.kind, token.start + p.start(), token.start + p.end()) for p in parts]


def _named(tokens: list[Token], path: str, pairs: Collection[str] = ()) -> list[tuple[Token, str]]:
    """Choose of the words of a path those that say something, and their names."""
    of_kind: dict[str, list[Token]] = defaultdict(list)
    for token in tokens:
        of_kind[token.kind].append(token)
    short = of_kind.pop("short flow", [])
    if not of_kind["flow"] and (of_kind["repeat"] or of_kind["run"]):
        of_kind["flow"] = short  # 'f1' alone may be anything
    ends = of_kind.pop("end", []) or of_kind.get("nth", [])
    of_kind.pop("nth", None)
    if not of_kind["flow"]:
        of_kind["flow"] = ends  # 'server2': the flow's number, where nothing else gives it
    if len({path[t.start : t.end] for t in of_kind["flow"]}) > 1:
        del of_kind["flow"]  # 'flow1_and_flow2'
    of_kind["run"] = sorted(of_kind["run"] + of_kind["repeat"][:-1], key=lambda token: token.start)
    side = of_kind.pop("side", [])
    named = [(t, "side") for t in side[-1:]]
    named += [(t, f"host{i or ''}") for i, t in enumerate(of_kind.pop("ip", []))]
    named += [(t, f"run{i or ''}") for i, t in enumerate(of_kind.pop("run", []))]
    named += _named_ccas(of_kind.pop("cca", []), path)
    unlike = {*contradicted_settings(path, tokens), *pairs}
    for kind, of_one in of_kind.items():
        telling = [t for t in of_one if t.said] or of_one  # 'rtt20_100ms'
        if _key_of(kind)[0] not in unlike:
            named += [(t, kind) for t in telling[-1:]]
    return sorted(named, key=lambda found: found[0].start)


def contradicted_settings(
    path: str, tokens: Sequence[Token] | None = None
) -> dict[str, list[float]]:
    """Return the settings of which a path gives unlike numbers, and these: none of them is read.

    In the units of dataset.yml: 'rtt10_rtt50', 'down_10mbps_up_1mbps', '10mbps_1gbps'. Where words
    say what some are, the others are of something else: 'rtt20_100ms'.

    Args:
        path: of a log.
        tokens: its words, where they are known.
    """
    of_key: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for token in _tokens_of(path) if tokens is None else tokens:
        if token.kind in SETTINGS:
            key, times = _key_of(token.kind)
            value = round(_number_of(path[token.start : token.end]) * times, 6)
            of_key[key].append((token.said, value))
    telling = {
        key: dict.fromkeys([n for said, n in found if said] or [n for _, n in found])
        for key, found in of_key.items()
    }
    return {key: list(values) for key, values in telling.items() if len(values) > 1}


def _named_ccas(ccas: list[Token], path: str) -> list[tuple[Token, str]]:
    """Name those that stand together ('cubic_vs_reno') cca1, cca2, ...; else the last one cca.

    Of different ones apart in one segment ('flow1_cubic_flow2_reno') none is named.
    """
    chain = ccas[:1]
    for token in ccas[1:]:
        if re.fullmatch(VERSUS, path[chain[-1].end : token.start], re.IGNORECASE):
            chain.append(token)
        elif len(chain) > 1:
            break
        else:
            chain = [token]
    if len(chain) == 1:
        if _against_unknown(chain[0], path):
            return []  # 'cubic_vs_mine': not that of both
        last = path.rfind("/", 0, chain[0].start)
        beside = {
            path[t.start : t.end].lower() for t in ccas if path.rfind("/", 0, t.start) == last
        }
        return [(chain[0], "cca")] if len(beside) == 1 else []
    pair = [(token, f"cca{i}") for i, token in enumerate(chain, start=1)]
    return [*pair, *((token, "cca") for token in _own(ccas, chain, path))]


def _against_unknown(token: Token, path: str) -> bool:
    """Return whether a word stands next to a congestion control as the other one of a pair.

    Sources of datagrams have no congestion control: 'reno_vs_cbr' says that of all that is TCP.
    """
    versus = r"[ _.+,&-]*(?:vs?\.?|versus|against)[ _.+,&-]+"
    behind = re.match(rf"{versus}([A-Za-z]+)", path[token.end :], re.IGNORECASE)
    before = re.search(rf"([A-Za-z0-9]+){versus}$", path[: token.start], re.IGNORECASE)
    return any(m and not re.fullmatch(DATAGRAMS, m[1], re.IGNORECASE) for m in (behind, before))


def _own(ccas: list[Token], chain: list[Token], path: str) -> list[Token]:
    """Return the one that a file below the folder of a pair names, if it is of the pair."""
    name = path.rfind("/")
    of_file = [t for t in ccas if t.start > name and t not in chain]
    said = {cca_name(path[t.start : t.end]) for t in chain}
    own = len(of_file) == 1 and chain[-1].end <= name
    return of_file if own and cca_name(path[of_file[0].start : of_file[0].end]) in said else []


# a number with decimals is one ('0.1loss'), and so is one with an exponent ('1e-3loss'); of three
# and more with dots each is for itself
EXPONENT = r"[0-9]+(?:\.[0-9]+)?e(?:[+-]?[0-9]{1,2})(?![0-9])"
WORD = re.compile(
    rf"(?i:(?<![0-9.]){EXPONENT})|[^\W0-9_]+|(?<![0-9.])[0-9]+\.[0-9]+(?!\.?[0-9])|[0-9]+|[\W_]"
)
_GENERIC = ("word", "number")


def place(entries: list[Entry], hosts: dict[int, str | None], members: Spans | None = None) -> None:
    """Give every log the settings, the flow and the run that its name says, as far as it does.

    Changes the entries: template (as under 'files:' in dataset.yml), values (what its placeholders
    stand for), settings, flow_id.

    Args:
        entries: of the inventory.
        hosts: by file_id, the address of the host that wrote the log (None: it does not say it);
            of logs with connections.
        members: the parts that tell the logs of one run apart, where it is known what ran together:
            they are called {host}, and hosts that did not measure together {place}.
    """
    groups: dict[tuple, list[tuple[Entry, list[Piece]]]] = defaultdict(list)
    numbered = numbered_controls((e.path for e in entries), NUMBERED, ALONE, WITH_NUMBER)
    starts = starts_of_flows(e.path for e in entries)
    doubtful = doubtful_words(e.path for e in entries)
    decimals = decimals_of_words(e.path for e in entries)
    pairs = paired_numbers((e.path for e in entries), members)
    for entry in entries:
        path = entry.path
        beside = Beside(doubtful.get(path, ()), decimals.get(path, ()), pairs.get(path, ()))
        pieces = _fine(_read_name(entry, numbered.get(path, ()), starts.get(path), beside))
        key = (_kind_of_log(entry), *(p.name or p.text for p in pieces))
        groups[key].append((entry, pieces))
    for group in groups.values():
        own = None if members is None else _members(group, members)
        ends = [hosts.get(e.file_id, ...) for e, _ in group]
        names = _names([p for _, p in group], ends, own)
        for entry, pieces in group:
            _name_entry(entry, pieces, names)


def _kind_of_log(entry: Entry) -> str | None:
    """Return the format of a simulation's log, None of others.

    A simulation writes logs of several kinds side by side (`out.tr`, `queue.out`): what differs
    between their names is no setting.
    """
    module = FORMATS.get(entry.format)
    return entry.format if module and module.PLATFORM in ("ns2", "ns3") else None


def _ending(path: str) -> str:
    """Return the ending that says how a file is packed, empty where it is not."""
    found = PACKED.search(path)
    return found[0] if found else ""


def _members(group: list[tuple[Entry, list[Piece]]], members: Spans) -> set[int]:
    """Return which pieces of paths of one structure tell the logs of a run apart."""
    found = set()
    for entry, pieces in group:
        spans, position = members.get(entry.path, ()), 0
        for i, piece in enumerate(pieces):
            end = position + len(piece.text)
            if any(position < of_end and begin < end for begin, of_end in spans):
                found.add(i)
            position = end
    return found


def _read_name(
    entry: Entry,
    numbered: Sequence[Numbered],
    starts: Start | None = None,
    beside: Beside = NO_OTHERS,
) -> list[Piece]:
    """Split a path as `read_path`, knowing which variable a trace is of where its format does.

    Without the ending that says how it is packed: names of packed and plain files say the same.
    """
    path = entry.path.removesuffix(_ending(entry.path))
    pattern = getattr(FORMATS.get(entry.format), "PATH", None)
    match = re.search(pattern, path) if pattern else None
    if not match:
        return read_path(path, numbered, starts, beside)
    begin, end = match.span("variable")
    named = Piece("variable", match["variable"])
    return [*read_path(path[:begin]), named, *read_path(path[end:])]


def _fine(pieces: list[Piece]) -> list[Piece]:
    """Split plain text into words, numbers and single other characters."""
    fine = []
    for piece in pieces:
        if piece.name is not None:
            fine.append(piece)
        else:
            fine += _words_of(piece.text)
    return fine


@lru_cache(maxsize=KEPT)
def _words_of(plain: str) -> list[Piece]:
    words = []
    for text in WORD.findall(plain):
        number = text.isascii() and text[0].isdigit()
        words.append(Piece("number" if number else "word" if text.isalpha() else None, text))
    return words


def _names(
    paths: list[list[Piece]], hosts: Sequence[object], members: set[int] | None
) -> list[str | None]:
    """Name each position of paths of one structure; None where it is the same text in all.

    `members`: positions that tell the logs of one run apart; None where that is not known yet.
    """
    names: list[str | None] = []
    columns = list(zip(*([p.text for p in pieces] for pieces in paths), strict=True))
    pieces = _doubtful_repeats(paths[0], columns)
    if members is not None:
        pieces = [_without_role(p, i in members, columns[i]) for i, p in enumerate(pieces)]
    given = {p.name: columns[i] for i, p in enumerate(pieces) if p.name not in (None, *_GENERIC)}
    flow = given.get("flow")
    counter = None
    if "repeat" not in given:
        bare = [i for i in range(len(pieces)) if len(set(columns[i])) > 1 and _is_bare(pieces, i)]
        bare = [i for i in bare if i not in (members or ())]
        of_host = [i for i in bare if _one_to_one(columns[i], hosts) and not _is_counted(pieces, i)]
        counter = last_counter([i for i in bare if i not in of_host], columns)
    for i, piece in enumerate(pieces):
        name, column = piece.name, columns[i]
        if name in _GENERIC:
            name = None
            if len(set(column)) > 1:
                same = next((n for n, values in given.items() if values == column), None)
                ends = _one_to_one(column, hosts) or (
                    flow is not None and _one_to_one(column, flow)
                )
                host = "host" if members is None or i in members else "place"
                ends = ends or i in (members or ())
                name = same or _new_name(pieces, i, columns, given, host * ends, i == counter)
                given[name] = column
        names.append(name)
    return names


def _without_role(piece: Piece, member: bool, column: tuple) -> Piece:
    """Forget of a piece that it names a repeat or a host, where the logs say otherwise."""
    name = piece.name or ""
    number = "number" if piece.text.isascii() and piece.text.isdigit() else "word"
    if member and re.fullmatch("run[0-9]*|host[0-9]*|repeat|seed", name):
        return Piece(number, piece.text)
    if not member and re.fullmatch("host[0-9]*", name) and len(set(column)) > 1:
        return Piece(name.replace("host", "place"), piece.text)
    return piece


def _doubtful_repeats(pieces: list[Piece], columns: list[tuple]) -> list[Piece]:
    """Take 'r' before numbers that do not count as no repeat: 'r50' and 'r100' may be rates."""
    found = list(pieces)
    for i, piece in enumerate(pieces):
        if piece.name != "repeat" or counts_up(columns[i]) or len(set(columns[i])) == 1:
            continue
        before = "".join(p.text for p in pieces[:i])
        if re.search(rf"(?<![A-Za-z])r{BETWEEN}$", before, re.IGNORECASE):
            found[i] = Piece("number", piece.text)
    return found


def _new_name(
    pieces: list[Piece], i: int, columns: list[tuple], given: dict, host: str, counts: bool
) -> str:
    """Name what varies without saying what it is: by the word next to it, or 'name', 'number'."""
    sides = "|".join(SIDES.values())
    word = _word_of(pieces, i, columns)
    if all(re.fullmatch(sides, value, re.IGNORECASE) for value in columns[i]):
        base = "side"
    elif counts:
        alone = pieces[i - 1 : i + 2 : 2] if i else pieces[1:2]
        folder = all(p.text == "/" for p in alone) and i + 1 < len(pieces)
        base = "repeat" if folder and "run" not in given else "run"
    elif host and not _has_unit(pieces, i):
        base = host
    elif word:
        base = word
    else:
        base = "name" if pieces[i].name == "word" else "number"
    if base in (*NUMBERS, *RESERVED) and base != "repeat":
        base = f"{base}_label"
    if LABEL.fullmatch(base) and not (counts or base in OWN):
        base = f"{base}_label"
    return next(n for n in (base, *(f"{base}{k}" for k in range(2, 99))) if n not in given)


UNIT = re.compile(
    r"n?s|ms|us|µs|μs|secs?|min|h|[kmgt]?i?b(?:ps)?|[kmg]bits?|bytes?|pct|percent|p|pkts?", re.I
)


def _word_of(pieces: list[Piece], i: int, columns: list[tuple]) -> str | None:
    """Return the word that says what a number is: 'P' of 'P4', else 'mb' of '100mb'.

    With the unit, where all have one: 'timeout_ms' of 'timeout20ms'.
    """
    if pieces[i].name != "number":
        return None
    near = [other for other in (i - 1, i + 1) if 0 <= other < len(pieces)]
    words = [pieces[other].text for other in near if pieces[other].name == "word"]
    words = [w for w in words if not re.fullmatch(UNNUMBERED, w, re.IGNORECASE)]  # 'cubic20ms'
    if len(words) == 2 and len(set(columns[i + 1])) == 1 and UNIT.fullmatch(words[1]):
        words = ["_".join(words)]
    words += [p.text for p in _before(pieces, i) if re.fullmatch(VALUED, p.text, re.IGNORECASE)]
    return re.sub(r"\W", "", words[0].lower()) or None if words else None


def _before(pieces: list[Piece], i: int) -> list[Piece]:
    """Return the word before a number, where separators alone are between.

    Not one that is said of the number before it: '10M_3', '20ms_delay_3'.
    """
    last = next((k for k in reversed(range(i)) if pieces[k].text not in "_-. #="), None)
    if last is None or pieces[last].name != "word":
        return []
    if re.fullmatch(COUNTED, pieces[last].text, re.IGNORECASE):
        return [pieces[last]]  # '20ms-test3'
    of_other = re.search("[0-9](ms[ _-]?)?$", "".join(p.text for p in pieces[:last]))
    return [] if of_other else [pieces[last]]


def _has_unit(pieces: list[Piece], i: int) -> bool:
    """Return whether a number has a word behind it, its unit: no host is called '100mb'."""
    return pieces[i].name == "number" and [p.name for p in pieces[i + 1 : i + 2]] == ["word"]


OWN = ("run", "host", "place", "side")
RESERVED = ("cca", "role", "aqm", "platform", "tool", "tool_version")


def _one_to_one(labels: Iterable, ends: Iterable) -> bool:
    """Return whether each label goes with one host (or flow), and each of these with one label."""
    pairs = {(label, end) for label, end in zip(labels, ends, strict=True) if end is not ...}
    return (
        len(pairs) > 1
        and all(end is not None for _, end in pairs)
        and len({label for label, _ in pairs}) == len(pairs) == len({end for _, end in pairs})
    )


def _is_counted(pieces: list[Piece], i: int) -> bool:
    """Return whether the word before a number says that it counts: 'out_0001', 'test3'."""
    return any(re.fullmatch(COUNTED, p.text, re.IGNORECASE) for p in _before(pieces, i))


def _is_bare(pieces: list[Piece], i: int) -> bool:
    """Return whether nothing next to a number says what it is: '_7', '3.txt', 'out_0001'."""
    if pieces[i].name != "number" or _has_unit(pieces, i):
        return False
    if i and pieces[i - 1].name not in (None, "word"):
        return False  # 'cubic50'
    texts = ["", "", *(p.text for p in pieces), "", ""]
    left, right = texts[i : i + 2], texts[i + 3 : i + 5]
    if any(a in (".", ",") and b.isdigit() for a, b in (left[::-1], right)):
        return False  # of a decimal number
    if i and pieces[i - 1].name == "word":
        return _is_counted(pieces, i)
    return not any(re.fullmatch(VALUED, p.text, re.IGNORECASE) for p in _before(pieces, i))


_FLOW_OF_END = re.compile(rf"({'|'.join(SIDES.values())}){BETWEEN}\{{flow\}}", re.IGNORECASE)


def _name_entry(entry: Entry, pieces: list[Piece], names: list[str | None]) -> None:
    template, values = "", {}
    for piece, name in zip(pieces, names, strict=True):
        template += f"{{{name}}}" if name else piece.text.replace("{", "").replace("}", "")
        if name:
            values[name] = piece.text
    template += _ending(entry.path)
    settings = {key: typed(key, value, entry.path) for key, value in values.items()}
    before_flow = [before or "" for before, name in pairwise([None, *names]) if name == "flow"]
    of_end = _FLOW_OF_END.search(template)
    entry.template, entry.values = template, values
    entry.flow_id = settings.pop("flow", None)
    # 'cubic3' may be the third run as well, and 'client3' that of one client
    counting = "cca" if any(b.startswith("cca") for b in before_flow) else "end" if of_end else None
    entry.flow_counts = counting
    entry.settings = {k: v for k, v in settings.items() if not LABEL.fullmatch(k)}
