"""What each part of a path is for, learnt from the logs: a repeat, a setting, a member of a run.

Paths are compared that have one shape: the same kinds of parts in the same order. Of each part that
varies among them it is asked what it goes with. What goes with the end that wrote the log, with
its host or with its server's port, one to one, tells the logs of one run apart ('s1' next to 'r1');
so does a flow's number. Words and numbers that go with nothing are settings or repeats where they
stand in a folder or behind a word that says so, and else weak: dates decide, or nothing does.

Logs whose paths are alike but for members share the key of their run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...congestion_controls import CONTROLS, cca_name
from ..entities import Entry
from ..naming.compared import starts_of_flows
from ..naming.counting import COUNTED, VALUED, Numbered, counts_up, numbered_controls
from ..naming.dates import dates_behind_words
from ..naming.segments import KEPT, segments_of
from ..naming.vocabulary import (
    ALONE,
    CLOCK,
    DATE,
    EPOCH,
    FLOW_WORDS,
    HASH,
    NUMBERED,
    REPETITION,
    SIDES,
    WITH_NUMBER,
    spelt,
)
from ..naming.words import Start, settings_of_flows
from .units import CLIENT, Role, Unit, host_of, port_of

# roles of parts
REPEAT, SETTING = "repeat", "setting"  # tell runs apart
SIDE, FLOW, END, HOST, PORT, OWN = "side", "flow", "end", "host", "port", "own variant"
MEMBER = {SIDE, FLOW, END, HOST, PORT, OWN}  # tell the logs of one run apart
VARIANT, BARE, WORD, PLACE = "variant", "bare number", "word", "place"
WEAK = {VARIANT, BARE, WORD, PLACE}  # may do either

# kinds of parts
TIME, ADDRESS, CONTROL, NUMBER, LETTERS, OTHER = "T", "I", "C", "N", "W", "S"
_CONTROLS = "|".join(
    spelt(cca) + CONTROLS[cca].version for cca in sorted(CONTROLS, key=len, reverse=True)
)
_PART = re.compile(
    rf"(?P<T>(?<![A-Za-z0-9])(?:{DATE}|(?:{CLOCK}|{EPOCH}|{HASH})(?![A-Za-z0-9])))"
    r"|(?P<I>(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9.]))"
    rf"|(?P<C>(?<![A-Za-z])(?:{_CONTROLS})(?![A-Za-z]))"
    r"|(?P<N>[0-9]+(?:\.[0-9]+)?)|(?P<W>[^\W0-9_]+)|(?P<S>.)",
    re.IGNORECASE | re.DOTALL,
)
_TYPES = re.compile(
    r"(?:\.(?:flent|log|txt|json|csv|out|tr|dat|data))*(?:\.(?:gz|xz|zst|bz2))?$", re.IGNORECASE
)
_REPEATS = re.compile(rf"{REPETITION}|tests?|take|pass|r|seed", re.IGNORECASE)
_HASH = re.compile(HASH, re.IGNORECASE)
_COUNTS = re.compile(COUNTED, re.IGNORECASE)
_FLOWS = re.compile(rf"{FLOW_WORDS}|f", re.IGNORECASE)
_SIDES = re.compile("|".join((*SIDES.values(), "[cs]")), re.IGNORECASE)
# what names the hosts of an experiment by number: h1, node2, recv_3
_HOSTS = re.compile(
    rf"h|hosts?|nodes?|pc|vm|machine|sta|ue|peer|(?:{'|'.join(SIDES.values())})s?", re.IGNORECASE
)
_VALUES = re.compile(rf"(?!sites?$)(?:{VALUED})", re.IGNORECASE)
_BETWEEN = "_-.= #"  # a word and the number that it names


class Part(NamedTuple):
    """A part of a path: its kind, its text, and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def parts_of(
    path: str, numbered: Sequence[Numbered] = (), starts: Start | None = None
) -> list[Part]:
    """Split a path, without the endings that say of which type a file is.

    Args:
        path: of a log.
        numbered: congestion controls with a number behind them that is not their version.
        starts: when its flow does, which tells it from no other: it is left out.
    """
    if starts:  # of the same length: 'bbr_2' of 'bbr_20s' is no variant
        path = f"{path[: starts.start]}{'_' * (starts.end - starts.start)}{path[starts.end :]}"
    types = _TYPES.search(path, path.rfind("/") + 1)
    stem = path[: types.start() if types else None] or path
    found: list[Part] = []
    for at, segment in segments_of(stem):
        if at:
            found.append(Part(OTHER, "/", at - 1, at))
        own = tuple(
            (n.start - at, n.end - at) for n in numbered if 0 <= n.start - at < len(segment)
        )
        found += [Part(p.kind, p.text, at + p.start, at + p.end) for p in _parts_in(segment, own)]
    if starts:
        found = [p for p in found if p.end <= starts.start or starts.end <= p.start]
    return found


@lru_cache(maxsize=KEPT)
def _parts_in(segment: str, numbered: tuple[tuple[int, int], ...]) -> list[Part]:
    found, position = [], 0
    apart = dict(numbered)
    dates = {start: end for start, end, sure in dates_behind_words(segment) if sure}
    while position < len(segment):
        if position in dates:  # also where it touches the word: 'run2024-01-01'
            found.append(
                Part(TIME, segment[position : dates[position]].lower(), position, dates[position])
            )
            position = dates[position]
            continue
        if not segment[position].isalnum():
            found.append(Part(OTHER, segment[position].lower(), position, position + 1))
            position += 1
            continue
        match = _PART.match(segment, position)
        assert match and match.lastgroup, segment  # of any character something matches
        kind, end = match.lastgroup, match.end()
        if kind == CONTROL and position in apart:
            end = apart[position]
        found.append(Part(kind, segment[position:end].lower(), position, end))
        position = end
    return found


def read_roles(units: list[Unit], beside: Iterable[Entry] = ()) -> dict[str, tuple[tuple, tuple]]:
    """Give every test the key of its run, its place in it, and the roles of its name's parts.

    Args:
        units: the tests of all logs.
        beside: logs that hold no test, as they are empty, refused or cut.

    Returns:
        Key and claim of each log beside, as far as its name has the shape of others'.
    """
    paths = dict.fromkeys([*(u.path for u in units), *(e.path for e in beside)])
    numbered = numbered_controls(paths, NUMBERED, ALONE, WITH_NUMBER)
    starts = starts_of_flows(paths)
    parts = {path: parts_of(path, numbered.get(path, ()), starts.get(path)) for path in paths}
    shapes: dict[tuple, list[Unit]] = defaultdict(list)
    for unit in units:
        shapes[shape_of(parts[unit.path])].append(unit)
    of_shape: dict[tuple, list[Entry]] = defaultdict(list)
    for entry in beside:
        of_shape[shape_of(parts[entry.path])].append(entry)
    found = {}
    for shape, members in shapes.items():
        columns = list(zip(*([p.text for p in parts[u.path]] for u in members), strict=True))
        names = _Shape(shape, columns, members, parts)
        roles = names.roles()
        others = of_shape.get(shape, [])
        telling = [i for i, role in roles.items() if role in (REPEAT, SETTING)]
        all_roles = roles | names.roles_beside([parts[e.path] for e in others])
        for unit in members:
            of_path = parts[unit.path]
            unit.roles = {i: Role(role, *of_path[i][1:]) for i, role in roles.items()}
            unit.tells = tuple(of_path[i].text for i in telling)
            unit.key, unit.claim = _place(shape, of_path, all_roles)
        for entry in others:
            found[entry.path] = _place(shape, parts[entry.path], all_roles)
    return found


def shape_of(parts: list[Part]) -> tuple[str, ...]:
    """Return the kinds of the parts of a path, and what stands between them."""
    return tuple(p.text if p.kind == OTHER else p.kind for p in parts)


def _place(shape: tuple, parts: list[Part], roles: dict[int, str]) -> tuple[tuple, tuple]:
    """Return the key of a log's run, and its claim to a place in it."""
    own = {i for i, role in roles.items() if role in MEMBER}
    key = (shape, tuple("*" if i in own else part.text for i, part in enumerate(parts)))
    return key, tuple(parts[i].text for i in sorted(own) if roles[i] != SIDE)


class _Shape:
    """Paths of one shape: their columns, and the tests in the logs."""

    def __init__(
        self,
        shape: tuple[str, ...],
        columns: list[tuple],
        units: list[Unit],
        parts: dict[str, list[Part]],
    ):
        self.shape, self.columns, self.units, self.parts = shape, columns, units, parts
        self.last = max((i for i, kind in enumerate(shape) if kind == "/"), default=-1)
        self.found: dict[int, str] = {}
        self.servers = [min(u.servers) if len(u.servers) == 1 else None for u in units]
        self.clients = [
            tuple(sorted({host_of(pair[u.end != CLIENT]) for pair in u.ends} - {""})) for u in units
        ]

    def roles(self) -> dict[int, str]:
        """Say of each part that varies what it tells apart."""
        varies = [i for i, column in enumerate(self.columns) if len(set(column)) > 1]
        of_kind = {kind: [i for i in varies if self.shape[i] == kind] for kind in "WTINC"}
        for i in of_kind[LETTERS]:  # first: numbers are named by them
            self.found[i] = self._word(i)
        for i in of_kind[TIME]:
            once = len(set(self.columns[i])) == len(self.columns[i])
            hashes = all(_HASH.fullmatch(text) for text in self.columns[i])
            names_logs = hashes and once and i > self.last  # a log each, not a run
            self.found[i] = BARE if names_logs else REPEAT
        for i in of_kind[ADDRESS]:
            self.found[i] = self._bound(i) or SETTING
        for i in of_kind[NUMBER]:
            self.found[i] = self._number(i)
        for i in of_kind[CONTROL]:
            self.found[i] = self._variant(i)
        self._variants_of_members()
        self._settings_of_flows()
        return self.found

    def roles_beside(self, others: list[list[Part]]) -> dict[int, str]:
        """Say of parts in which only logs without a test differ whether they name flow or end.

        Of a single run with a broken log nothing else tells that it has two flows.
        """
        found = {}
        for i, column in enumerate(self.columns):
            if i in self.found or all(parts[i].text == column[0] for parts in others):
                continue
            if self.shape[i] == LETTERS:
                texts = {column[0], *(parts[i].text for parts in others)}
                role = SIDE if all(_SIDES.fullmatch(text) for text in texts) else None
            else:
                role = self._number(i) if self.shape[i] == NUMBER else None
            if role in (SIDE, FLOW, END):
                found[i] = role
        return found

    def _word(self, i: int) -> str:
        column = self.columns[i]
        ends = {(text, unit.end) for text, unit in zip(column, self.units, strict=True)}
        named = all(_SIDES.fullmatch(text) for text in column)
        goes = len(ends) == 2 == len({t for t, _ in ends}) == len({e for _, e in ends})
        # of two tools no log is the other's end
        goes &= not _one_to_one(column, [unit.tool for unit in self.units])
        if named or (goes and len(column) > 2):  # of two logs anything goes with the end
            return SIDE
        bound = self._bound(i)
        if bound:
            return PLACE  # 'paris', 'lyon': nobody says that they measured at once, on ports of one
        once = len(set(column)) == len(column)  # of two logs the folders may be those of their ends
        return WORD if i > self.last or once else SETTING

    def _number(self, i: int) -> str:
        word, glued = self._word_before(i)
        bound = self._bound(i)
        behind = self.shape[i + 1] if i + 1 < len(self.shape) else ""
        if behind == LETTERS:  # '100mbit'
            return SETTING
        if bound == PORT and all(
            text == str(port_of(server or ""))
            for text, server in zip(self.columns[i], self.servers, strict=True)
        ):
            return PORT  # whatever it is glued to: 's5201'
        if word is not None and self.shape[word] == LETTERS:
            text = self.columns[word][0]
            if self.found.get(word) == SIDE:
                return END
            if _FLOWS.fullmatch(text):
                return FLOW
            if _HOSTS.fullmatch(text) and bound:
                return bound
            if _REPEATS.fullmatch(text):
                return REPEAT
            if _HOSTS.fullmatch(text):
                return END if _SIDES.fullmatch(text) and i > self.last else PLACE
            if glued and not _COUNTS.fullmatch(text):
                of_host = bound == HOST and self._again(i) and not _VALUES.fullmatch(text)
                return PLACE if of_host else SETTING  # 'site1', 'site2': what goes with hosts
        if bound == PORT:
            return PORT
        if word is not None and self.shape[word] == CONTROL and self._goes_on(i, word):
            return FLOW
        if i < self.last:
            alone = (i == 0 or self.shape[i - 1] == "/") and behind in ("/", "")
            return REPEAT if alone else SETTING
        return bound if bound and self._again(i) else BARE  # what comes once goes with anything

    def _again(self, i: int) -> bool:
        """Return whether a text comes more than once."""
        return len(self.columns[i]) > len(set(self.columns[i]))

    def _goes_on(self, i: int, word: int) -> bool:
        """Return whether a number behind a variant goes on from variant to variant.

        'run1/cubic1', 'run1/bbr2', 'run1/bbr3', and the same in run2: repeats would count anew for
        each variant.
        """
        of_rest: dict[tuple, set[tuple[str, str]]] = defaultdict(set)
        for row in zip(*self.columns, strict=True):
            rest = tuple("" if k in (i, word) else text for k, text in enumerate(row))
            of_rest[rest].add((row[i], row[word]))
        designs = set(map(frozenset, of_rest.values()))
        if i < self.last or len(of_rest) < 2 or len(designs) > 1:
            return False
        (design,) = designs
        numbers, variants = {n for n, _ in design}, {v for _, v in design}
        return len(design) == len(numbers) > len(variants) > 1 and counts_up(numbers)

    def _word_before(self, i: int) -> tuple[int | None, bool]:
        """Return the place of the word that a number stands behind, and whether they touch."""
        k = i - 1
        while k >= 0 and self.shape[k] in _BETWEEN:
            k -= 1
        found = k >= 0 and self.shape[k] in (LETTERS, CONTROL)
        return (k, k == i - 1) if found else (None, False)

    def _bound(self, i: int) -> str | None:
        """Return what a part goes with, one to one: the server's port on one host, or a host."""
        column, servers = self.columns[i], [s for s in self.servers if s is not None]
        if len(servers) < len(self.servers):
            return None
        ports, hosts = [port_of(s) for s in servers], [host_of(s) for s in servers]
        if _one_to_one(column, ports) and len(set(hosts)) == 1:
            return PORT  # two servers on one host are there to be used at once
        if _one_to_one(column, hosts) or _one_to_one(column, self.clients):
            return HOST
        return None

    def _variant(self, i: int) -> str:
        """Return OWN where folders before a variant name several, with it among them."""
        if i < self.last:
            return SETTING
        named = [k for k, kind in enumerate(self.shape) if kind == CONTROL and k < self.last]
        rows = range(len(self.columns[i]))
        names = {k: [cca_name(text) for text in self.columns[k]] for k in (i, *named)}
        if len(named) > 1 and all(names[i][n] in {names[k][n] for k in named} for n in rows):
            return OWN
        in_name = [k for k, kind in enumerate(self.shape) if kind == CONTROL and k > self.last]
        return VARIANT if in_name == [i] else SETTING

    def _variants_of_members(self) -> None:
        """Find variants and labels that are those of a host, flow or port: they tell no runs."""
        members = [k for k, role in self.found.items() if role in (HOST, FLOW, PORT)]
        for i in [i for i, role in self.found.items() if role in (WORD, BARE, PLACE)]:
            if self._again(i) and any(
                _one_to_one(self.columns[i], self.columns[k]) for k in members
            ):
                self.found[i] = HOST
        for i in [i for i, role in self.found.items() if role == VARIANT]:
            for k in members:
                n = len(set(self.columns[k]))
                if len(set(zip(self.columns[k], self.columns[i], strict=True))) == n > 1:
                    self.found[i] = OWN

    def _settings_of_flows(self) -> None:
        """Find settings of flows, as a round-trip time, that differ in a run: they tell no runs.

        Of names that are the same but for flow, end and variant no flow has two.
        """
        members = [k for k, role in self.found.items() if role in MEMBER]
        flows = [k for k in members if self._numbers_flows(k)]
        settings = [i for i, role in self.found.items() if role == SETTING] if flows else []
        for i in settings:
            starts = [(self.parts[u.path][i].start, u.path) for u in self.units]
            if not all(start in settings_of_flows(path) for start, path in starts):
                continue
            of_rest: dict[tuple, dict[tuple, set[str]]] = defaultdict(lambda: defaultdict(set))
            for row in zip(*self.columns, strict=True):
                rest = tuple(text for k, text in enumerate(row) if k not in (i, *members))
                of_rest[rest][tuple(row[k] for k in flows)].add(row[i])
            of_runs = of_rest.values()
            once = all(len(of_flow) == 1 for of_run in of_runs for of_flow in of_run.values())
            if once and any(len(set.union(*of_run.values())) > 1 for of_run in of_runs):
                self.found[i] = self.found[flows[0]]  # no better evidence than that of the number

    def _numbers_flows(self, i: int) -> bool:
        word, _ = self._word_before(i)
        behind_end = word is not None and bool(_SIDES.fullmatch(self.columns[word][0]))
        return self.found[i] in (FLOW, END) or (self.shape[i] == NUMBER and behind_end)


def _one_to_one(column: Sequence, others: Sequence) -> bool:
    pairs = set(zip(column, others, strict=True))
    return (
        len(pairs) > 1
        and not any(other in (None, "", ()) for _, other in pairs)
        and len({text for text, _ in pairs}) == len(pairs) == len({other for _, other in pairs})
    )
