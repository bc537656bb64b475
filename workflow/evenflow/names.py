"""What the names of logs say: settings, and which flow of which run a log is of.

Each part of a path that says what it is becomes a setting ('rtt50', 'RTT 50 ms', '20%', 'run3',
'cubic_vs_reno', 'server2'); VOCABULARY lists the words. Of what varies and says nothing, a hash or
a counting number labels the run, a label that goes with the logs' hosts (or with the flow's number)
names the host, and the rest becomes a factor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from .dataset import CCAS, LABEL, NUMBERS, typed
from .formats import FORMATS

# (setting, words before the number, units after it); of the units one must be there where the
# words are few or missing. What is no key of dataset.yml becomes a factor of that name.
VOCABULARY = (
    ("delay_ms", r"delay|owd|latency", r"(?:ms)?"),  # of one way, perhaps: no round-trip time
    ("jitter_ms", r"jitter", r"(?:ms)?"),
    ("interval_ms", r"interval|int", r"ms"),
    ("rtt_ms", r"rtt|ping", r"(?:ms)?"),
    ("rtt_ms", r"", r"ms"),
    ("buffer_pct", r"opb|bdp|buf(?:fer)?|queue", r"%|pct|percent"),
    ("buffer_pct", r"opb", r""),
    ("buffer_pct", r"", r"%"),
    ("buffer_bdp", r"(?:buf(?:fer)?|queue|q)?", r"x?[_-]?bdp"),
    ("buffer_bdp", r"x?bdp", r"(?<=\.[0-9])|(?<=\.[0-9][0-9])"),  # 'bdp100' may be percent
    ("buffer_packets", r"buf(?:fer)?|queue|qlen|limit|q", r"p|pkts?|packets?"),
    ("buffer_packets", r"", r"pkts?|packets?"),
    ("buffer_kB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kb|kbytes?"),
    ("buffer_KiB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kib"),
    ("bottleneck_mbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"mbps|mbits?|mb/s|mbit-s"),
    ("bottleneck_mbps", r"bw|bandwidth|link|bottleneck", r"m"),
    ("bottleneck_gbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"gbps|gbits?|gb/s"),
    ("duration_s", r"dur(?:ation)?", r"(?:s|secs?|seconds?)?"),
    ("repeat", r"run|rep|repeat|repetition|replicate|trial|iter(?:ation)?|round|r", r""),
    ("flow", r"flow|stream|conn(?:ection)?|flw", r""),
    ("short flow", r"f", r""),
    ("seed", r"seed", r""),
)
SIDES = {
    "sender": r"client|sender|send|snd|src|source",
    "receiver": r"server|receiver|recv|rcv|dst|sink",
}
AQMS = "droptail|taildrop|fq_codel|fq|codel|red|ared|pie|pi2|dualpi2|cake|sfq|pfifo|bfifo"
VERSUS = r"[ _.+,&-]*(?:vs?\.?|versus|and|against|x)?[ _.+,&-]*"
BETWEEN = r"[ _=.-]?"
STOP = r"(?![A-Za-z0-9])"
WHOLE = r"(?![A-Za-z0-9]|\.[0-9])"
TIME = r"[0-2][0-9][-:.h]?[0-5][0-9](?:[-:.m]?[0-5][0-9])?"
YEAR, MONTH, DAY = r"(?:19|20)[0-9]{2}", r"[01][0-9]", r"[0-3][0-9]"
DATE = (
    rf"(?:{YEAR}(?P<d1>[-_./]?){MONTH}(?P=d1){DAY}|{DAY}(?P<d2>[-_.]){MONTH}(?P=d2){YEAR})"
    rf"(?:[ _T-]*{TIME}(?![0-9]))?(?![0-9])"
)
HASH = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}"
INTEGER, DECIMAL = r"[0-9]{1,9}", r"[0-9]{1,9}(?:\.[0-9]{1,6})?"


class Piece(NamedTuple):
    """A part of a path: what it is the value of (None: plain text), and the text."""

    name: str | None
    text: str


class Token(NamedTuple):
    """A word of a path that may say something: what, and where its value is."""

    kind: str
    start: int
    end: int


def read_path(path: str) -> list[Piece]:
    """Split a path into pieces that say what they are and plain text between them.

    A name is given once: of two numbers that could be the repeat, the last one is.
    """
    tokens = [t for match in _TOKEN.finditer(path) for t in _by_segment(_token_of(match), path)]
    pieces: list[Piece] = []
    position = 0
    for token, name in _named(tokens, path):
        if token.start > position:
            pieces.append(Piece(None, path[position : token.start]))
        pieces.append(Piece(name, path[token.start : token.end]))
        position = token.end
    if position < len(path):
        pieces.append(Piece(None, path[position:]))
    return pieces


def _spelt(cca: str) -> str:
    """Return a regular expression of the ways to write a congestion control."""
    ways = {"newreno": "new[ _-]?reno", "htcp": "h-?tcp", "highspeed": "high[ _-]?speed"}
    return ways.get(cca) or re.sub(r"([0-9])$", r"[_-]?v?\1", cca)


def _token_pattern() -> re.Pattern:
    ccas = "|".join(_spelt(cca) for cca in sorted(CCAS, key=len, reverse=True))
    settings = []
    for i, (name, words, unit) in enumerate(VOCABULARY):
        number = INTEGER if NUMBERS.get(name.split()[-1]) is int else DECIMAL
        head = rf"(?:{words}){BETWEEN}" if words else ""
        tail = rf" ?(?:{unit})" if unit else ""
        stop = STOP if number == DECIMAL else WHOLE
        settings.append(rf"{head}(?P<n{i}>{number}){tail}{stop}")
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:(?P<date>{DATE})|(?P<epoch>1[0-9]{{9}}(?:[0-9]{{3}})?){STOP}"
        rf"|(?P<ip>[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}})(?:[:_-](?P<port>[0-9]{{4,5}}))?{STOP}"
        rf"|(?P<hash>{HASH}){STOP}|{'|'.join(settings)}"
        rf"|(?P<side>{'|'.join(SIDES.values())})(?:{BETWEEN}(?P<end>[0-9]{{1,3}}){WHOLE})?{STOP}"
        rf"|(?P<cca>{ccas}){STOP}|(?P<aqm>{AQMS}){STOP})"
        rf"|(?<![^/])(?P<folder>[0-9]{{1,4}})(?=/)",
        re.IGNORECASE,
    )


_TOKEN = _token_pattern()


def _token_of(match: re.Match) -> Token:
    for kind in ("date", "epoch", "ip", "hash", "cca", "aqm", "folder"):
        if match[kind]:
            return Token("run" if kind in ("date", "epoch", "hash") else kind, *match.span(kind))
    if match["side"]:
        return Token("end", *match.span("end")) if match["end"] else Token("side", *match.span())
    i = next(i for i in range(len(VOCABULARY)) if match[f"n{i}"])
    return Token(VOCABULARY[i][0], *match.span(f"n{i}"))


def _by_segment(token: Token, path: str) -> list[Token]:
    """Split a date in folders ('2024/03/15') into its parts: a placeholder is within a segment."""
    parts = re.finditer(r"[^/]+", path[token.start : token.end])
    return [Token(token.kind, token.start + p.start(), token.start + p.end()) for p in parts]


def _named(tokens: list[Token], path: str) -> list[tuple[Token, str]]:
    """Choose of the words of a path those that say something, and their names."""
    of_kind: dict[str, list[Token]] = defaultdict(list)
    for token in tokens:
        of_kind[token.kind].append(token)
    short = of_kind.pop("short flow", [])
    if not of_kind["flow"] and (of_kind["repeat"] or of_kind["run"]):
        of_kind["flow"] = short  # 'f1' alone may be anything
    ends = of_kind.pop("end", [])
    if not of_kind["flow"]:
        of_kind["flow"] = ends  # 'server2': the flow's number, where nothing else gives it
    if len({path[t.start : t.end] for t in of_kind["flow"]}) > 1:
        del of_kind["flow"]  # 'flow1_and_flow2'
    folders = of_kind.pop("folder", [])
    if not of_kind["repeat"] and not of_kind["run"] and len(folders) == 1:
        of_kind["repeat"] = folders
    side = of_kind.pop("side", [])
    named = [(t, "side") for t in side[-1:]]
    named += [(t, f"host{i or ''}") for i, t in enumerate(of_kind.pop("ip", []))]
    named += [(t, f"run{i or ''}") for i, t in enumerate(of_kind.pop("run", []))]
    named += _named_ccas(of_kind.pop("cca", []), path)
    named += [(of_one[-1], kind) for kind, of_one in of_kind.items() if of_one]
    return sorted(named, key=lambda found: found[0].start)


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
        last = path.rfind("/", 0, chain[0].start)
        beside = {
            path[t.start : t.end].lower() for t in ccas if path.rfind("/", 0, t.start) == last
        }
        return [(chain[0], "cca")] if len(beside) == 1 else []
    return [(token, f"cca{i}") for i, token in enumerate(chain, start=1)]


WORD = re.compile(r"[^\W0-9_]+|[0-9]+|[\W_]")
_GENERIC = ("word", "number")


def place(entries: list[dict], hosts: dict[int, str | None]) -> None:
    """Give every log the settings, the flow and the run that its name says, as far as it does.

    Changes the entries: template (as under 'files:' in dataset.yml), values (what its placeholders
    stand for), settings, flow_id.

    Args:
        entries: of the inventory.
        hosts: by file_id, the address of the host that wrote the log (None: it does not say it);
            of logs with connections.
    """
    groups: dict[tuple, list[tuple[dict, list[Piece]]]] = defaultdict(list)
    for entry in entries:
        pieces = _fine(_read_name(entry))
        key = tuple(p.name or p.text for p in pieces)
        groups[key].append((entry, pieces))
    for group in groups.values():
        names = _names([p for _, p in group], [hosts.get(e["file_id"], ...) for e, _ in group])
        for entry, pieces in group:
            _name_entry(entry, pieces, names)


def _read_name(entry: dict) -> list[Piece]:
    """Split a path as `read_path`, knowing which variable a trace is of where its format does."""
    module = FORMATS.get(entry["format"])
    match = re.search(module.PATH, entry["path"]) if hasattr(module, "PATH") else None
    if not match:
        return read_path(entry["path"])
    begin, end = match.span("variable")
    named = Piece("variable", match["variable"])
    return [*read_path(entry["path"][:begin]), named, *read_path(entry["path"][end:])]


def _fine(pieces: list[Piece]) -> list[Piece]:
    """Split plain text into words, numbers and single other characters."""
    fine = []
    for piece in pieces:
        if piece.name is not None:
            fine.append(piece)
            continue
        for text in WORD.findall(piece.text):
            number = text.isascii() and text.isdigit()
            fine.append(Piece("number" if number else "word" if text.isalpha() else None, text))
    return fine


def _names(paths: list[list[Piece]], hosts: list[str | None]) -> list[str | None]:
    """Name each position of paths of one structure; None where it is the same text in all."""
    names: list[str | None] = []
    columns = list(zip(*([p.text for p in pieces] for pieces in paths), strict=True))
    given = {p.name: columns[i] for i, p in enumerate(paths[0]) if p.name not in (None, *_GENERIC)}
    flow = given.get("flow")
    for i, piece in enumerate(paths[0]):
        name, column = piece.name, columns[i]
        if name in _GENERIC:
            name = None
            if len(set(column)) > 1:
                same = next((n for n, values in given.items() if values == column), None)
                ends = _one_to_one(column, hosts) or (bool(flow) and _one_to_one(column, flow))
                name = same or _new_name(paths[0], i, column, given, ends)
                given[name] = column
        names.append(name)
    return names


def _new_name(pieces: list[Piece], i: int, column: tuple, given: dict, ends: bool) -> str:
    """Name what varies without saying what it is: by the word before it, or 'name', 'number'."""
    sides = "|".join(SIDES.values())
    if all(re.fullmatch(sides, value, re.IGNORECASE) for value in column):
        base = "side"
    elif not {"repeat", "run"} & set(given) and _counts_runs(pieces, i):
        base = "run"
    elif ends:
        base = "host"
    elif pieces[i].name == "number" and i and pieces[i - 1].name == "word":
        base = re.sub(r"\W", "", pieces[i - 1].text.lower())
    else:
        base = "name" if pieces[i].name == "word" else "number"
    if base in (*NUMBERS, *RESERVED) or (LABEL.fullmatch(base) and base not in OWN):
        base = f"{base}_label"
    return next(n for n in (base, *(f"{base}{k}" for k in range(2, 99))) if n not in given)


OWN = ("run", "host", "side")
RESERVED = ("cca", "role", "aqm", "platform", "tool", "tool_version")


def _one_to_one(labels: Iterable, ends: Iterable) -> bool:
    """Return whether each label goes with one host (or flow), and each of these with one label."""
    pairs = {(label, end) for label, end in zip(labels, ends, strict=True) if end is not ...}
    return (
        len(pairs) > 1
        and all(end is not None for _, end in pairs)
        and len({label for label, _ in pairs}) == len(pairs) == len({end for _, end in pairs})
    )


COUNTING = r"tests?|exp|experiment|no|nr|id|out|take|case|meas|measurement|log|results?|data|file|t"


def _counts_runs(pieces: list[Piece], i: int) -> bool:
    """Return whether a number counts runs: 'test03', 'out_0001', '3.txt'."""
    if pieces[i].name != "number":
        return False
    before = [p.text for p in pieces[max(i - 2, 0) : i] if p.text not in "_-. #"]
    stem = before[-1:] in ([], ["/"]) and pieces[i + 1 : i + 2] == [Piece(None, ".")]
    alone = not any(p.text == "/" for p in pieces[i:]) and stem
    return alone or bool(before and re.fullmatch(COUNTING, before[-1], re.IGNORECASE))


def _name_entry(entry: dict, pieces: list[Piece], names: list[str | None]) -> None:
    template, values = "", {}
    for piece, name in zip(pieces, names, strict=True):
        template += f"{{{name}}}" if name else piece.text.replace("{", "").replace("}", "")
        if name:
            values[name] = piece.text
    settings = {key: typed(key, value, entry["path"]) for key, value in values.items()}
    entry |= {"template": template, "values": values, "flow_id": settings.pop("flow", None)}
    entry["settings"] = {k: v for k, v in settings.items() if not LABEL.fullmatch(k)}
