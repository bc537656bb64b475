"""The words of one path that say something: settings, variants, the flow, the run.

Each part of a path that says what it is becomes a setting ('rtt50', 'RTT 50 ms', '20%', 'run3',
'cubic_vs_reno', 'server2'); `vocabulary` lists the words, `doubtful` those that may be others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ...congestion_controls import CONTROLS, cca_name
from ..described.known_settings import FLOW_KEYS, NUMBERS
from .counting import COUNTED, Numbered
from .dates import dates_behind_words, without_dates
from .doubtful import AQMS, Doubtful, is_negated
from .segments import KEPT, segments_of
from .vocabulary import (
    APART,
    AS_TEXT,
    BETWEEN,
    CLOCK,
    COUNTING,
    DATAGRAMS,
    DATE,
    DECIMAL,
    EPOCH,
    FLOW_WORDS,
    HASH,
    INTEGER,
    LABELS,
    OTHERS,
    REPETITION,
    SETTINGS,
    SIDES,
    STOP,
    TEXT,
    TEXT_OF_RATE,
    TEXT_OF_WORD,
    TIMES_APART,
    UNIT_NEXT,
    VERSUS,
    VOCABULARY,
    WHOLE,
    WITHOUT_UNIT,
    key_of,
    number_of,
    spelt,
)

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
    others: Sequence[Token] = ()  # numbers of words behind them (`numbers_of_others`)
    # numbers that are read by what other names have: with an underscore for a point
    # (`decimals_of_words`), rates in 'G' and 'M' (`rates_of_letters`)
    numbers: Sequence[Token] = ()
    pairs: Collection[str] = ()  # settings with two numbers each (`paired_numbers`)
    # whether the one variant is one of a pair whose other is not known (`unknown_partners`)
    is_half: bool = False


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
    doubted |= {(token.start, token.end) for token in beside.others}
    found = [t for t in tokens_of(path) if (t.start, t.end) not in doubted]
    for number in beside.numbers:
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
    for token, name in _named(tokens, path, beside):
        if token.start > position:
            pieces.append(Piece(None, path[position : token.start]))
        pieces.append(Piece(name, path[token.start : token.end]))
        position = token.end
    if position < len(path):
        pieces.append(Piece(None, path[position:]))
    return pieces


def tokens_of(path: str) -> list[Token]:
    found = [
        token._replace(start=at + token.start, end=at + token.end)
        for at, segment in segments_of(path)
        for token in _tokens_in(segment)
    ]
    ends = {t.end for t in found}
    return [t for t in found if not _is_of_another(t, path, ends)]


def settings_of_flows(path: str) -> set[int]:
    """Return where numbers of a path begin that flows may have of their own: round-trip times."""
    return {t.start for t in tokens_of(path) if key_of(t.kind)[0] in FLOW_KEYS}


@cache  # it takes a tenth of a second, and most jobs read no names
def _token_pattern() -> re.Pattern:
    ordered = sorted(CONTROLS, key=len, reverse=True)
    ccas = "|".join(spelt(cca) + CONTROLS[cca].version for cca in ordered)
    settings = [form for i in range(len(VOCABULARY)) for form in _forms(i)]
    return re.compile(
        rf"(?:(?<![A-Za-z0-9])|(?<=%2[0-9A-F])|(?<=%3[AD]))(?:(?P<date>{DATE})|(?P<clock>{CLOCK}){STOP}|(?P<epoch>{EPOCH}){STOP}"
        rf"|(?P<ip>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})(?:[:_-](?P<port>[0-9]{{4,5}}))?{STOP}"
        rf"|(?P<hash>{HASH}){STOP}|{'|'.join(settings)}"
        rf"|(?:{REPETITION})(?:[ _-](?P<letter>[a-z])|(?P<capital>(?-i:[A-J]))){STOP}"
        rf"|(?P<side>{'|'.join(SIDES.values())})(?:{BETWEEN}(?P<end>[0-9]{{1,3}}){WHOLE})?{STOP}"
        rf"|(?P<cca>{ccas}){STOP}|(?P<aqm>{AQMS}){STOP})",
        re.IGNORECASE,
    )


# what the groups of a row of VOCABULARY are called: a number as text, that of a word, and a number
_GROUPS, _GROUPS_APART = "twn", "uvm"


def _forms(i: int) -> list[str]:
    """Return expressions of what a row of VOCABULARY stands for, with a group of the number each.

    A unit may stand apart where a word is before the number: 'rtt_20_us', 'bw-1-Gbps'. A letter
    alone may be a word of its own, too ('rtt_20_s_1'): it is taken as a unit where the word needs
    none, as the number would be read in another one else.
    """
    name, words, unit = VOCABULARY[i]
    whole = NUMBERS.get(name.split()[-1]) is int
    head = rf"(?:{words}){BETWEEN}" if words else ""
    text, of_word = TEXT, TEXT_OF_RATE if name.startswith("bottleneck") else TEXT_OF_WORD
    number, stop = (INTEGER, WHOLE) if whole else (DECIMAL, STOP)
    if unit:
        letter = "" if words in WITHOUT_UNIT else "(?<![_-][A-Za-z])"
        tails = {_GROUPS: rf" ?(?:{unit}){stop}"}
        if words:
            tails[_GROUPS_APART] = rf"[_-](?:{unit}){letter}{stop}"
    else:
        text, of_word = (t.replace(UNIT_NEXT, "(?= [A-Za-z%])") for t in (text, of_word))
        counts = name in COUNTING
        of_time = name.split("_")[0] in ("rtt", "delay", "jitter", "duration")
        other = rf"{APART}{STOP}(?!{BETWEEN}[0-9])" + rf"|{TIMES_APART}{STOP}" * of_time
        tails = {_GROUPS: stop if counts else rf"{stop}(?![ _-](?:{other}))"}
    forms = []
    for groups, tail in tails.items():
        of_text, of_words, of_number = (f"{group}{i}" for group in groups)
        begin = "(?=[A-Za-z])" if groups == _GROUPS_APART else ""
        if not whole:
            forms.append(rf"{begin}{head}(?P<{of_text}>{text}){tail}")
            forms.append(rf"(?=[A-Za-z]){head}(?P<{of_words}>{of_word}){tail}")
        forms.append(rf"{begin}{head}(?P<{of_number}>{number}){tail}")
    return forms


@lru_cache(maxsize=KEPT)
def _tokens_in(segment: str) -> list[Token]:
    dates = [Token("run", start, end) for start, end, sure in dates_behind_words(segment) if sure]
    found = map(_token_of, _token_pattern().finditer(without_dates(segment)))
    return sorted([*found, *dates], key=lambda token: token.start)


def _token_of(match: re.Match) -> Token:
    for kind in (*LABELS, "ip", "cca", "aqm"):
        if match[kind]:
            return Token("run" if kind in LABELS else kind, *match.span(kind))
    if match["side"]:
        return Token("end", *match.span("end")) if match["end"] else Token("side", *match.span())
    group = next(g for g in match.re.groupindex if g[1:].isdigit() and match[g])
    name, as_text = VOCABULARY[int(group[1:])][0], AS_TEXT if group[0] in _AS_TEXT else ""
    said = match[0][0].isalpha() or bool(_SAID_BEHIND.search(match[0]))
    return Token(f"{name}{as_text}", *match.span(group), said)


_AS_TEXT = (*_GROUPS[:2], *_GROUPS_APART[:2])
_SAID_BEHIND = re.compile("(?:rtt|ping|delay|owd|latency|jitter|bdp)$", re.IGNORECASE)
_DECIMAL = re.compile(r"[0-9][.,]$")
_EXPONENT = re.compile(r"(?<![A-Za-z])[0-9]+e[+-]$", re.IGNORECASE)
_NUMBER_OF_COUNT = re.compile(
    rf"(?:{REPETITION}|r|{FLOW_WORDS}|f|{COUNTED}){BETWEEN}[0-9]+[.,]$", re.IGNORECASE
)


@cache
def _words_of_others(others: str) -> tuple[re.Pattern, re.Pattern]:
    """Return how words of OTHERS stand before a number, and behind it and its unit.

    Behind it not one with a number of its own, or with a queue discipline: '20ms_queue_red'.
    """
    own = rf"{BETWEEN}(?:[0-9]|(?:{AQMS})(?![A-Za-z]))"
    behind = rf" ?(?:%|[A-Za-z]+?(?:/s)?)[ _-]?(?:{others})(?![A-Za-z]|{own})"
    rate = rf"(?:{others}){BETWEEN}(?:rate|bw|bandwidth|speed)?{BETWEEN}$"  # 'pacing_rate_10mbps'
    before = rf"(?<![A-Za-z])(?:{rate}|(?<![^/])(?:{others})/$)"
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
    if token.kind == "rtt_ms" and token.said:
        return False  # 'rtt20ms_buffer_small'
    return bool(said_before.search(before) or said_behind.match(behind))


def _by_segment(token: Token, path: str) -> list[Token]:
    """Split a date in folders ('2024/03/15') into its parts: a placeholder is within a segment."""
    if "/" not in path[token.start : token.end]:
        return [token]
    parts = re.finditer(r"[^/]+", path[token.start : token.end])
    return [Token(token.kind, token.start + p.start(), token.start + p.end()) for p in parts]


def _named(tokens: list[Token], path: str, beside: Beside) -> list[tuple[Token, str]]:
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
    named += _named_ccas(of_kind.pop("cca", []), path, beside.is_half)
    unlike = {*contradicted_settings(path, tokens), *beside.pairs}
    for kind, of_one in of_kind.items():
        telling = [t for t in of_one if t.said] or of_one  # 'rtt20_100ms'
        if key_of(kind)[0] not in unlike:
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
    for token in tokens_of(path) if tokens is None else tokens:
        if token.kind in SETTINGS:
            key, times = key_of(token.kind)
            value = round(number_of(path[token.start : token.end]) * times, 6)
            of_key[key].append((token.said, value))
    telling = {
        key: dict.fromkeys([n for said, n in found if said] or [n for _, n in found])
        for key, found in of_key.items()
    }
    return {key: list(values) for key, values in telling.items() if len(values) > 1}


def _named_ccas(ccas: list[Token], path: str, is_half: bool = False) -> list[tuple[Token, str]]:
    """Name those that stand together ('cubic_vs_reno') cca1, cca2, ...; else the last one cca.

    Of different ones apart in one segment ('flow1_cubic_flow2_reno') none is named, nor one that is
    not that of all flows: 'cubic_vs_mine', 'cubic_vs_3bbr'.

    Args:
        ccas: all of a path.
        path: of a log.
        is_half: of `Beside`.
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
        if is_half or _against_unknown(chain[0], path) or _against_several(chain[0], path):
            return []
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
    behind = re.match(rf"{versus}([A-Za-z0-9]+)", path[token.end :], re.IGNORECASE)
    before = re.search(rf"([A-Za-z0-9]+){versus}$", path[: token.start], re.IGNORECASE)
    same = cca_name(path[token.start : token.end])
    return any(
        not re.fullmatch(DATAGRAMS, m[1], re.IGNORECASE)
        and cca_name(re.sub("^[0-9]+x?", "", m[1])) != same  # 'cubic_vs_3cubic'
        for m in (behind, before)
        if m
    )


@cache
def _several() -> re.Pattern:
    """Return how names write several flows of a variant, which is no word of its own then."""
    any_of = "|".join(spelt(cca) for cca in sorted(CONTROLS, key=len, reverse=True))
    return re.compile(
        rf"(?<![A-Za-z0-9.])(?:[0-9]{{1,3}}x?(?P<many>{any_of})s?|(?P<plural>{any_of})s)"
        r"(?![A-Za-z0-9])",
        re.IGNORECASE,
    )


def _against_several(token: Token, path: str) -> bool:
    """Return whether a name has several flows of another variant: 'cubic_vs_3bbr', 'cubic_bbrs'."""
    others = (m["many"] or m["plural"] for m in _several().finditer(path))
    return any(cca_name(other) != cca_name(path[token.start : token.end]) for other in others)


def _own(ccas: list[Token], chain: list[Token], path: str) -> list[Token]:
    """Return the one that a file below the folder of a pair names."""
    name = path.rfind("/")
    of_file = [t for t in ccas if t.start > name and t not in chain]
    return of_file if len(of_file) == 1 and chain[-1].end <= name else []
