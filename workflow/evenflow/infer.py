"""What a folder without dataset.yml is: settings from names, runs from names and what logs say.

Names: each part of a path that says what it is becomes a setting ('rtt50', 'RTT 50 ms', '20%',
'run3', 'cubic_vs_reno', 'server2'); VOCABULARY lists the words. Of what varies and says nothing, a
hash or a counting number labels the run, a label that goes with the logs' hosts (or with the
flow's number) names the host, and the rest becomes a factor.

Runs: logs whose names tell run and flow are grouped by them, unless the dates in the logs say
otherwise. The others are grouped by their content: connections that overlap in time are one run;
logs without dates, of different hosts and with equally many tests, are paired in their order; what
is left is a run of its own. A wrong grouping is worse than none.

Every guess is an assumption: it is listed in the report with the lines for dataset.yml that say
the same, so that it can be corrected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from .assumptions import row
from .dataset import (
    CCAS,
    ENDS,
    LABEL,
    NUMBERS,
    cca_of_flow,
    run_of_path,
    scenario_of_path,
    split_tests,
    typed,
)
from .flows import Group, leave_out
from .formats import FORMATS, RUN_RECORD, UNREADABLE

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


# ---- names --------------------------------------------------------------------------------------

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


# ---- runs ---------------------------------------------------------------------------------------

OVERLAP = 0.5  # of the shorter of two connections: so much must be common to be one run


class Unit(NamedTuple):
    """The connections of a log that ran at the same time."""

    entry: dict
    episode: int
    streams: list[dict]
    start_s: float | None  # since 1970
    length_s: float


def infer_runs(
    entries: list[dict], of_file: dict[int, list[dict]], interval: pl.DataFrame
) -> tuple[dict[str, Group], list[dict]]:
    """Group the logs of a data set that nobody described to runs.

    Args:
        entries: what `inventory` returned; settings, flows and runs are filled in.
        of_file: the parsed streams by file_id.
        interval: the parsed intervals.

    Returns:
        The runs, and how they were found (rows of the table `assumption`).
    """
    ends = interval.group_by("file_id", "stream").agg(pl.max("t_end_s")).rows()
    length_s = {(file_id, stream): end for file_id, stream, end in ends}
    logs = [e for e in entries if e["readable"] and e["format"] in FORMATS]
    broken = [e for e in entries if e["format"] == UNREADABLE]
    place([*logs, *broken], {i: _host(streams) for i, streams in of_file.items() if streams})
    of_flow = cca_of_flow([(e["template"], e["values"]) for e in logs])
    for e in (*logs, *broken):
        path = (e["template"], e["values"], e["template"] in of_flow)
        e["pattern_run"], e["scenario_id"] = run_of_path(*path), scenario_of_path(*path)
    records = [e for e in logs if e["format"] == RUN_RECORD]
    runs, assumptions = find_runs([e for e in logs if e not in records], of_file, length_s)
    for record in records:  # of the run in its folder
        for files, _ in runs.values():
            if _folder(record) in map(_folder, files):
                files.append(record)
    _drop_flow_labels(runs)
    runs = _named_as_patterns(runs, logs, of_file)
    in_runs: dict[str, list[str]] = defaultdict(list)
    for name, (files, _) in runs.items():
        for entry in files:
            in_runs[entry["path"]].append(name)
    for entry in entries:
        of_entry = in_runs.get(entry["path"], [])
        entry["run_id"] = of_entry[0] if len(of_entry) == 1 else None
    for entry in broken:
        _place_broken(entry, runs)
    return {name: Group(*run, _scenario(name, run[0])) for name, run in runs.items()}, assumptions


def _scenario(run_id: str, files: list[dict]) -> str | None:
    """Return the scenario that the names of a run's logs say, where it is the names' run."""
    by_names = all(e.get("pattern_run") == run_id for e in files if e["format"] != RUN_RECORD)
    return files[0]["scenario_id"] if by_names else None


def _host(streams: list[dict]) -> str | None:
    """Return the address of the host that wrote a log, where all its connections have one."""
    hosts = {(s["local"] or "").rpartition(":")[0] for s in streams}
    return hosts.pop() or None if len(hosts) == 1 else None


def _place_broken(entry: dict, runs: dict[str, tuple[list[dict], list[dict]]]) -> None:
    """Leave the run of an unreadable log out, unless another log has its flow."""
    run_id, flow = entry["pattern_run"], entry["flow_id"]
    if run_id not in runs or flow is None:
        return
    files, _ = runs[run_id]
    if not any(e["flow_id"] == flow for e in files):
        leave_out(files, f"{entry['path']}: {entry['problem']}")
        del runs[run_id]


def _drop_flow_labels(runs: dict[str, tuple[list[dict], list[dict]]]) -> None:
    """Take from the settings what differs among the logs of one run: it names hosts or flows."""
    keep = ("cca", "start_s", "rtt_ms")
    labels = set()
    for files, _ in runs.values():
        for key in {key for e in files for key in e["settings"]} - set(keep):
            if len({e["settings"].get(key) for e in files if e["flow_id"] is None}) > 1:
                labels |= {(e["template"], key) for e in files}
    for files, _ in runs.values():
        for entry in files:
            for key in [k for k in entry["settings"] if (entry["template"], k) in labels]:
                del entry["settings"][key]


def find_runs(
    entries: list[dict], of_file: dict[int, list[dict]], length_s: dict[tuple[int, int], float]
) -> tuple[dict[str, tuple[list[dict], list[dict]]], list[dict]]:
    """Group placed logs to runs: for every run its logs and streams; and the assumptions made."""
    units = {e["file_id"]: _units(e, of_file.get(e["file_id"], []), length_s) for e in entries}
    named, found = _by_names(entries, units)
    runs: dict[str, tuple[list, list]] = {
        name: (files, [s for e in files for s in of_file.get(e["file_id"], [])])
        for name, files in named.items()
    }
    taken = {e["file_id"] for files in named.values() for e in files}
    others = [e for e in entries if e["file_id"] not in taken]
    tests = {e["path"]: max((u.episode for u in units[e["file_id"]]), default=1) for e in others}
    for groups, how, because in _joined([u for e in others for u in units[e["file_id"]]]):
        for group in groups:
            files = list({u.entry["path"]: u.entry for u in group}.values())
            name = _run_name(group, tests)
            if name in runs:
                name = " + ".join(e["path"] for e in files) + f"#{group[0].episode}"
            runs[name] = (files, [s for u in group for s in u.streams])
            if len(files) == 1 and "host" in files[0]["values"] and _is_shared(files[0], entries):
                files[0]["settings"]["host"] = files[0]["values"]["host"]  # no repeats of others
            _drop_flows_claimed_twice(files)
        if groups:
            found.append(row("runs", f"{len(groups)}, {how}", because))
    for e in others:  # queue monitors, states of hosts: they belong to the run beside them
        if not units[e["file_id"]]:
            beside = [n for n, (files, _) in runs.items() if _folder(e) in map(_folder, files)]
            if FORMATS[e["format"]].TOOL in ("iperf", "iperf3"):
                leave_out([e], "the log holds no report of an interval (iperf -i 1 writes them)")
            elif len(beside) == 1:
                runs[beside[0]][0].append(e)
    return runs, found


def _by_names(
    entries: list[dict], units: dict[int, list[Unit]]
) -> tuple[dict[str, list[dict]], list[dict]]:
    """Group the logs of one test whose names tell run and flow, where no date contradicts."""
    groups: dict[str, list[dict]] = defaultdict(list)
    for e in entries:
        values, tests = set(e["values"]), [u.episode for u in units[e["file_id"]]]
        labelled = bool(values & {"run", "repeat"})
        ended = "side" in values if "host" not in values else labelled
        if max(tests, default=1) == 1 and (e["flow_id"] is not None or ended):
            groups[e["pattern_run"]].append(e)
    named, apart = {}, 0
    for name, files in groups.items():
        its_units = [u for e in files for u in units[e["file_id"]]]
        flows = {e["flow_id"] for e in files}
        dated = bool(its_units) and all(u.start_s is not None for u in its_units)
        if len(flows) == 1 and dated:
            continue  # another flow may have run beside it
        if _apart(its_units):
            apart += 1
        else:
            named[name] = files
    found = []
    if named:
        found.append(row("runs", f"{len(named)}, by the files' names", "they tell flows apart"))
    if apart:
        because = "the dates in their logs say that they did not run together"
        found.append(row("runs", f"{apart} that names suggest are not taken as such", because))
    return named, found


def _is_shared(entry: dict, entries: list[dict]) -> bool:
    """Return whether the pattern of a log would put it into one run with others."""
    return sum(e["pattern_run"] == entry["pattern_run"] for e in entries) > 1


def _drop_flows_claimed_twice(files: list[dict]) -> None:
    """Forget the flows that names give where logs that ran together have the same one."""
    flows = [(e["flow_id"], e["values"].get("side")) for e in files]
    if len(set(flows)) < len(flows):
        for e in files:
            e["flow_id"] = None


def _apart(units: list[Unit]) -> bool:
    """Return whether dates say that units did not run together."""
    dated = sorted((u for u in units if u.start_s is not None), key=lambda u: u.start_s)
    return any(
        later.start_s > max(u.start_s + u.length_s for u in dated[:i]) + 1
        for i, later in enumerate(dated)
        if i
    )


def _units(entry: dict, streams: list[dict], length_s: dict) -> list[Unit]:
    episodes: dict[int, list[dict]] = defaultdict(list)
    for stream in streams:
        if (stream["file_id"], stream["stream"]) in length_s:  # else refused, or busy
            episodes[stream["episode"]].append(stream)
    found = []
    for episode, of_episode in episodes.items():
        starts = [s["start_epoch_s"] for s in of_episode]
        start = None if None in starts else min(starts)
        length = max(
            length_s.get((s["file_id"], s["stream"]), 0.0) + (s["start_s"] or 0.0)
            for s in of_episode
        )
        found.append(Unit(entry, episode, of_episode, start, length))
    return found


def _joined(units: list[Unit]) -> list[tuple[list[list[Unit]], str, str]]:
    """Join units to runs: (runs, how, why) for each way in which they were found."""
    dated = [u for u in units if u.start_s is not None]
    runs: list[list[Unit]] = []
    for unit in sorted(dated, key=lambda u: (u.start_s, u.entry["path"])):
        match = next((g for g in reversed(runs) if _together(g, unit)), None)
        if match:
            match.append(unit)
        else:
            runs.append([unit])
    pairs, alone = _in_order([u for u in units if u.start_s is None])
    whole = [u for u in alone if len(u.streams) > 1]
    single = [u for u in alone if len(u.streams) == 1]
    return [
        (
            runs,
            "connections that overlap in time are one run",
            "the logs give the date of each connection",
        ),
        (
            pairs,
            "the tests of the logs are paired in their order",
            "the logs have no dates, and equally many tests of equal length",
        ),
        ([[u] for u in whole], "each log, or test in it, is one", "it holds several flows"),
        (
            [[u] for u in single],
            "each log, or test in it, by itself",
            "no name and no date tells what ran together",
        ),
    ]


def _in_order(units: list[Unit]) -> tuple[list[list[Unit]], list[Unit]]:
    """Pair the tests of undated logs of different hosts or flows, where they are equally many."""
    of_run: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        path = unit.entry["path"]
        ended = any(ENDS.fullmatch(key) for key in unit.entry["values"])
        of_run[unit.entry["pattern_run"] if ended else path][path].append(unit)
    pairs, alone = [], []
    for of_file in of_run.values():
        files = list(of_file.values())
        several = len(files) > 1 and len({len(f) for f in files}) == 1 and len(files[0]) > 1
        if several and all(_alike(tests) for tests in zip(*files, strict=True)):
            pairs += [list(tests) for tests in zip(*files, strict=True)]
        else:
            alone += [u for f in files for u in f]
    return pairs, alone


def _together(group: list[Unit], unit: Unit) -> bool:
    """Return whether a unit ran beside all of a group, in another log, under the same labels."""
    for other in group:
        if other.entry is unit.entry or _labels(other.entry) != _labels(unit.entry):
            return False
        if _ends(other) & _ends(unit):
            return False  # the same connection: a copy of the log
        begin = max(other.start_s, unit.start_s)
        end = min(other.start_s + other.length_s, unit.start_s + unit.length_s)
        if end - begin < OVERLAP * min(other.length_s, unit.length_s):
            return False
    return True


def _ends(unit: Unit) -> set[tuple]:
    return {(s["side"], s["local"], s["peer"]) for s in unit.streams if s["local"]}


def _labels(entry: dict) -> tuple:
    """Return what a name says of its run; a bare number ('out_0012') may count logs instead."""
    values = entry["values"]
    date = re.fullmatch(rf"{DATE}", values.get("run", "")[:40], re.IGNORECASE)
    return values.get("repeat"), date[0] if date and len(date[0]) > len("20240315") else None


def _alike(tests: tuple[Unit, ...]) -> bool:
    lengths = [u.length_s for u in tests]
    return max(lengths) - min(lengths) <= 0.2 * max(lengths)


def _named_as_patterns(runs: dict, entries: list[dict], of_file: dict) -> dict:
    """Give runs the ids that they have with the templates as patterns in dataset.yml."""
    by_run: dict[str, list[dict]] = defaultdict(list)
    for e in entries:
        by_run[e["pattern_run"]] += of_file.get(e["file_id"], [])
    patterns = {}
    for base, streams in by_run.items():
        for run_id, of_run in (split_tests(base, streams) or {}).items():
            patterns[_key(of_run)] = run_id
    wanted = {run_id: patterns.get(_key(streams), run_id) for run_id, (_, streams) in runs.items()}
    taken = list(wanted.values())
    return {
        wanted[run_id] if taken.count(wanted[run_id]) == 1 else run_id: run
        for run_id, run in runs.items()
    }


def _key(streams: list[dict]) -> frozenset:
    return frozenset((s["file_id"], s["stream"]) for s in streams)


def _run_name(group: list[Unit], tests: dict[str, int]) -> str:
    """Name a run by its logs; of logs with several tests, with the number of the test."""
    paths = sorted({u.entry["path"] for u in group})
    first = min(group, key=lambda u: u.entry["path"])
    if tests[first.entry["path"]] == 1:
        return " + ".join(paths[:2]) + (f" + {len(paths) - 2} more" if len(paths) > 2 else "")
    head = _common(paths)
    tail = _common([path[len(head) :][::-1] for path in paths])[::-1]
    return f"{head}*{tail}#{first.episode}" if len(paths) > 1 else f"{head}#{first.episode}"


def _common(texts: list[str]) -> str:
    shortest = min(texts, key=len)
    for i, char in enumerate(shortest):
        if any(text[i] != char for text in texts):
            return shortest[:i]
    return shortest


def _folder(entry: dict) -> str:
    return entry["path"].rpartition("/")[0]
