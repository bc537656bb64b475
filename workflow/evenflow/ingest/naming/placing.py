"""What the names of logs say: settings, and which flow of which run a log is of.

Of what varies and says nothing (`words`), a hash or a counting number labels the run, a label that
goes with the logs' hosts (or with the flow's number) names the host, and the rest becomes a factor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from ...formats import FORMATS
from ..described.known_settings import LABEL, NUMBERS, typed
from ..described.patterns import PACKED
from ..entities import Entry
from .compared import (
    decimals_of_words,
    numbers_of_others,
    paired_numbers,
    rates_of_letters,
    starts_of_flows,
    unknown_partners,
)
from .counting import COUNTED, VALUED, Numbered, counts_up, last_counter, numbered_controls
from .doubtful import doubtful_words
from .segments import KEPT
from .vocabulary import ALONE, BETWEEN, NUMBERED, SETTINGS, SIDES, UNNUMBERED, WITH_NUMBER
from .words import NO_OTHERS, Beside, Piece, Spans, Start, read_path

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
    others = numbers_of_others(e.path for e in entries)
    decimals = decimals_of_words(e.path for e in entries)
    rates = rates_of_letters(e.path for e in entries)
    pairs = paired_numbers((e.path for e in entries), members)
    halves = unknown_partners(e.path for e in entries)
    for entry in entries:
        path = entry.path
        beside = Beside(
            doubtful.get(path, ()),
            others.get(path, ()),
            [*decimals.get(path, ()), *rates.get(path, ())],
            pairs.get(path, ()),
            path in halves,
        )
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
    """Split plain text into words, numbers and single other characters.

    The unit of a rate stays text, as names that write it otherwise ('1G', '2.5gbit') are no others.
    """
    fine: list[Piece] = []
    for piece in pieces:
        if piece.name is not None:
            fine.append(piece)
            continue
        words = _words_of(piece.text)
        of_rate = fine and (fine[-1].name or "").startswith("bottleneck")
        if of_rate and UNIT.fullmatch(words[0].text):
            words = [Piece(None, words[0].text), *words[1:]]
        fine += words
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
    r"n?s|ms|us|µs|μs|secs?|min|h|[kmgt]?i?b(?:ps)?|[kmgt]|[kmg]bits?|bytes?|pct|percent|p|pkts?",
    re.IGNORECASE,
)


def _word_of(pieces: list[Piece], i: int, columns: list[tuple]) -> str | None:
    """Return the word that says what a number is: 'P' of 'P4', else 'mb' of '100mb'.

    With the unit, where all have one: 'timeout_ms' of 'timeout20ms', 'bs_k' of 'bs_64k'.
    """
    if pieces[i].name != "number":
        return None
    before = _before(pieces, i)
    near = [other for other in (i - 1, i + 1) if 0 <= other < len(pieces)]
    key = _key_of(pieces, i)
    if key is not None and len(set(columns[key])) == 1:
        near[0] = key
    if i + 1 in near and len(set(columns[i + 1])) > 1:
        near.remove(i + 1)  # of '500kbit' beside '1G' it says nothing
    words = [pieces[other].text for other in near if pieces[other].name == "word"]
    words = [w for w in words if not re.fullmatch(UNNUMBERED, w, re.IGNORECASE)]  # 'cubic20ms'
    if len(words) == 2 and len(set(columns[i + 1])) == 1 and UNIT.fullmatch(words[1]):
        words = ["_".join(words)]
    alone = len(words) == 1 and re.fullmatch("[kmgt]|ms", words[0], re.IGNORECASE)  # how much only
    if before is not None:
        is_same = len(set(columns[before])) == 1
        if alone and is_same and not _is_behind(pieces, i, COUNTED):
            words = [f"{pieces[before].text}_{words[0]}"]
        if _is_behind(pieces, i, VALUED):
            words.append(pieces[before].text)
    return re.sub(r"\W", "", words[0].lower()) or None if words else None


def _key_of(pieces: list[Piece], i: int) -> int | None:
    """Return the position of the word that 'word=number' says a number is of."""
    if i < 2 or pieces[i - 1].text != "=" or pieces[i - 2].name != "word":
        return None
    return i - 2


def _before(pieces: list[Piece], i: int) -> int | None:
    """Return the position of the word before a number, where separators alone are between.

    Not one that is said of the number before it: '10M_3', '20ms_delay_3'.
    """
    last = next((k for k in reversed(range(i)) if pieces[k].text not in "_-. #="), None)
    if last is None or pieces[last].name != "word":
        return None
    if re.fullmatch(COUNTED, pieces[last].text, re.IGNORECASE):
        return last  # '20ms-test3'
    of_setting = last > 1 and pieces[last - 2].name in SETTINGS
    if of_setting and pieces[last - 1].text in ("_", "-") and UNIT.fullmatch(pieces[last].text):
        return None  # the s of 'rtt_20_s_1'
    of_other = re.search("[0-9](ms[ _-]?)?$", "".join(p.text for p in pieces[:last]))
    return None if of_other else last


def _is_behind(pieces: list[Piece], i: int, words: str) -> bool:
    """Return whether the word before a number is one of those that an expression stands for."""
    before = _before(pieces, i)
    return before is not None and bool(re.fullmatch(words, pieces[before].text, re.IGNORECASE))


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
    return _is_behind(pieces, i, COUNTED)


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
    if i and (pieces[i - 1].name == "word" or _key_of(pieces, i) is not None):
        return _is_counted(pieces, i)
    return not _is_behind(pieces, i, VALUED)


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
