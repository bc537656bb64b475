"""What a folder without dataset.yml is: settings from names, runs from what the logs say.

Names: each part of a path that says what it is becomes a setting ('rtt50', 'RTT 50 ms', '20%',
'run3', 'cubic_vs_reno', 'server2'); VOCABULARY lists the words. What varies and says nothing
becomes a factor. Logs whose names tell run and flow are grouped by them. The others are grouped by
their content: connections that overlap in time, by the dates in the logs, are one run; logs without
dates that hold equally many tests are paired in their order; what is left is a run of its own.

Every guess is an assumption: it is listed in the report with the lines for dataset.yml that say
the same, so that it can be corrected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

import polars as pl

from .assumptions import row
from .dataset import NUMBERS, cca_of_flow
from .flows import Group
from .formats import FORMATS, RUN_RECORD

CCAS = (
    "newreno reno sack bic cubic htcp highspeed hstcp scalable vegas westwood bbr bbr2 bbr3 "
    "illinois yeah veno hybla cdg compound ctcp dctcp prague lp copa vivace"
).split()
DATE = (
    r"(?P<date>(?:19|20)\d\d-?[01]\d-?[0-3]\d(?:[ _T-]*[0-2]\d[-:.h]?[0-5]\d(?:[-:.m]?[0-5]\d)?)?)"
)
# (setting, words before the number, units after it); of the units one must be there where the
# words are few or missing
VOCABULARY = (
    ("rtt_ms", r"rtt|ping", r"(?:ms)?"),
    ("rtt_ms", r"", r"ms"),
    ("buffer_pct", r"opb|bdp|buf(?:fer)?|queue", r"%|pct|percent"),
    ("buffer_pct", r"opb", r""),
    ("buffer_pct", r"", r"%"),
    ("buffer_packets", r"buf(?:fer)?|queue|qlen|limit|q", r"p|pkts?|packets?"),
    ("bottleneck_mbps", r"(?:bw|rate|bandwidth|link)?", r"mbps|mbits?|mb/s"),
    ("repeat", r"run|rep|repeat|trial|iter(?:ation)?|round|r", r""),
    ("flow", r"flow|stream|conn(?:ection)?|flw|f", r""),
    ("seed", r"seed", r""),
)
SIDES = {
    "sender": r"client|sender|send|snd|src|source",
    "receiver": r"server|receiver|recv|rcv|dst|sink",
}
BETWEEN = r"[ _=.-]?"
STOP = r"(?![A-Za-z0-9])"


class Piece(NamedTuple):
    """A part of a path: what it is the value of (None: plain text), and the text."""

    name: str | None
    text: str


def read_path(path: str) -> list[Piece]:
    """Split a path into pieces that say what they are and plain text between them.

    A name is given once: of two numbers that could be the repeat, the second is plain text.
    """
    pieces: list[Piece] = []
    position, names = 0, set()
    for match in _TOKEN.finditer(path):
        name, (start, end) = _meaning(match, names)
        if name is None:
            continue
        names.add(name)
        if start > position:
            pieces.append(Piece(None, path[position:start]))
        pieces.append(Piece(name, path[start:end]))
        position = end
    if position < len(path):
        pieces.append(Piece(None, path[position:]))
    return pieces


def _token() -> re.Pattern:
    words = "|".join(sorted(CCAS, key=len, reverse=True))
    sides = "|".join(SIDES.values())
    settings = "|".join(
        rf"(?P<s{i}>(?:{words}){BETWEEN if words else ''})(?P<n{i}>\d+(?:\.\d+)?) ?(?:{unit}){STOP}"
        if unit
        else rf"(?P<s{i}>(?:{words}){BETWEEN})(?P<n{i}>\d+(?:\.\d+)?){STOP}"
        for i, (_, words, unit) in enumerate(VOCABULARY)
    )
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{DATE}|{settings}|(?P<side>{sides}){BETWEEN}(?P<end>\d+)?{STOP}"
        rf"|(?P<cca>{words})(?![A-Za-z0-9]))|(?<=/)(?P<folder>\d+)(?=/)",
        re.IGNORECASE,
    )


_TOKEN = _token()


def _meaning(match: re.Match, taken: set[str]) -> tuple[str | None, tuple[int, int]]:
    """Return the setting that a token gives, and where its value is; None where it gives none."""
    found = match.groupdict()
    if found["date"]:
        return _once("run", taken), match.span("date")
    if found["cca"]:
        free = next((name for name in ("cca", "cca2") if name not in taken), None)
        return free, match.span("cca")
    if found["side"]:
        if found["end"] and "flow" not in taken:
            return "flow", match.span("end")
        return None, match.span("side")
    if found["folder"]:
        return _once("repeat", taken), match.span("folder")
    for i, (name, _, _) in enumerate(VOCABULARY):
        if found[f"n{i}"]:
            return _once(name, taken), match.span(f"n{i}")
    return None, match.span()


def _once(name: str, taken: set[str]) -> str | None:
    return None if name in taken else name


# ---- names --------------------------------------------------------------------------------------

WORD = re.compile(r"[^\W\d_]+|\d+|[\W_]")


def place(entries: list[dict]) -> None:
    """Give every log the settings, the flow and the run that its name says, as far as it does.

    Changes the entries: template (as under 'files:' in dataset.yml), values (what its placeholders
    stand for), settings, flow_id; run_id and scenario_id where the name tells flows apart.
    """
    groups: dict[tuple, list[tuple[dict, list[Piece]]]] = defaultdict(list)
    for entry in entries:
        pieces = _fine(read_path(entry["path"]))
        key = tuple(p.name if p.name in _GENERIC or p.name else p.text for p in pieces)
        groups[key].append((entry, pieces))
    for group in groups.values():
        names = _names([pieces for _, pieces in group])
        for entry, pieces in group:
            _name_entry(entry, pieces, names)


_GENERIC = ("word", "number")


def _fine(pieces: list[Piece]) -> list[Piece]:
    """Split plain text into words, numbers and single other characters."""
    fine = []
    for piece in pieces:
        if piece.name is not None:
            fine.append(piece)
            continue
        for text in WORD.findall(piece.text):
            kind = "number" if text.isdigit() else "word" if text.isalpha() else None
            fine.append(Piece(kind, text))
    return fine


def _names(paths: list[list[Piece]]) -> list[str | None]:
    """Name each position of paths of one structure; None where it is the same text in all."""
    names: list[str | None] = []
    known = {p.name for p in paths[0]} - set(_GENERIC)
    for i, piece in enumerate(paths[0]):
        values = {pieces[i].text for pieces in paths}
        name = piece.name
        if name in _GENERIC:
            name = None
            if len(values) > 1:
                name = _new_name(paths[0], i, values, known)
                known.add(name)
        elif name == "cca" and "cca2" in known:
            name = "cca1"
        names.append(name)
    return names


def _new_name(pieces: list[Piece], i: int, values: set[str], known: set[str]) -> str:
    """Name what varies without saying what it is: by the word before it, or 'name', 'number'."""
    if all(any(re.fullmatch(words, v, re.IGNORECASE) for words in SIDES.values()) for v in values):
        base = "side"
    elif "repeat" not in known and "run" not in known and _counts_runs(pieces, i):
        return "run"
    elif pieces[i].name == "number" and i and pieces[i - 1].name == "word":
        base = re.sub(r"\W", "", pieces[i - 1].text.lower())
    else:
        base = "name" if pieces[i].name == "word" else "number"
    base = base if base not in NUMBERS and base not in ("cca", "run", "role") else f"{base}_label"
    return next(n for n in (base, *(f"{base}{k}" for k in range(2, 99))) if n not in known)


COUNTING = r"tests?|exp|experiment|no|nr|id|out|take|case|meas|measurement|log|results?|data|file|t"


def _counts_runs(pieces: list[Piece], i: int) -> bool:
    """Return whether a number counts runs: 'test03', 'out_0001'."""
    before = [p.text for p in pieces[max(i - 2, 0) : i] if p.text not in "_-. "]
    is_number = pieces[i].name == "number"
    return is_number and bool(before) and bool(re.fullmatch(COUNTING, before[-1], re.IGNORECASE))


def _name_entry(entry: dict, pieces: list[Piece], names: list[str | None]) -> None:
    template, values = "", {}
    for piece, name in zip(pieces, names, strict=True):
        template += f"{{{name}}}" if name else piece.text.replace("{", "").replace("}", "")
        if name:
            values[name] = piece.text
    entry |= {"template": template, "values": values}
    entry["settings"] = {
        key: NUMBERS[key](float(value)) if key in NUMBERS else value
        for key, value in values.items()
        if key not in ("side", "flow", "run", "repeat")
    }
    if "repeat" in values:
        entry["settings"]["repeat"] = int(float(values["repeat"]))
    entry["flow_id"] = int(values["flow"]) if "flow" in values else None


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
    logs = [e for e in entries if e["readable"] and e["format"] in FORMATS]
    place(logs)
    ends = interval.group_by("file_id", "stream").agg(pl.max("t_end_s")).rows()
    length_s = {(file_id, stream): end for file_id, stream, end in ends}
    records = [e for e in logs if e["format"] == RUN_RECORD]
    logs = [e for e in logs if e not in records]
    runs, assumptions = find_runs(logs, of_file, length_s)
    for record in records:  # of the run in its folder
        for files, _ in runs.values():
            if _folder(record) in map(_folder, files):
                files.append(record)
    _drop_flow_labels(runs)
    in_runs: dict[str, list[str]] = defaultdict(list)
    for name, (files, _) in runs.items():
        for entry in files:
            in_runs[entry["path"]].append(name)
    for entry in entries:
        of_entry = in_runs.get(entry["path"], [])
        entry["run_id"] = of_entry[0] if len(of_entry) == 1 else None
    return {name: Group(*run, None) for name, run in runs.items()}, assumptions


def _drop_flow_labels(runs: dict[str, tuple[list[dict], list[dict]]]) -> None:
    """Take from the settings what differs among the logs of one run: it names hosts or flows."""
    keep = ("cca", "start_s")
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
    single = [
        e
        for e in entries
        if max((s["episode"] for s in of_file.get(e["file_id"], [])), default=1) == 1
    ]
    named = [e for e in single if e["flow_id"] is not None or "side" in e["values"]]
    others = [e for e in entries if e not in named]
    units = [u for e in others for u in _units(e, of_file.get(e["file_id"], []), length_s)]
    silent = [e for e in others if not of_file.get(e["file_id"])]
    runs: dict[str, tuple[list, list]] = {}
    assumptions = []
    of_flow = cca_of_flow([(e["template"], e["values"]) for e in named])
    for e in named:
        flow_keys = ("flow", "side", "cca") if e["template"] in of_flow else ("flow", "side")
        run = runs.setdefault(_mask(e, flow_keys), ([], []))
        run[0].append(e)
        run[1].extend(of_file.get(e["file_id"], []))
    if named:
        assumptions.append(
            row("runs", f"{len(runs)}, by the files' names", "names tell flows apart")
        )
    joined, how = _join(units)
    for group in joined:
        name = _run_name(group, {e["path"]: n for e, n in _episode_counts(units).values()})
        files = list({u.entry["path"]: u.entry for u in group}.values())
        runs[name] = (files, [s for u in group for s in u.streams])
    if joined:
        assumptions.append(row("runs", f"{len(joined)}, {how[0]}", how[1]))
    for e in silent:  # queue monitors, states of hosts: they belong to the run beside them
        beside = [name for name, (files, _) in runs.items() if _folder(e) in map(_folder, files)]
        if len(beside) == 1:
            runs[beside[0]][0].append(e)
    return runs, assumptions


def _units(entry: dict, streams: list[dict], length_s: dict) -> list[Unit]:
    episodes: dict[int, list[dict]] = defaultdict(list)
    for stream in streams:
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


def _join(units: list[Unit]) -> tuple[list[list[Unit]], tuple[str, str]]:
    """Join units to runs, and say how and why."""
    if not units:
        return [], ("", "")
    if all(u.start_s is not None for u in units):
        groups: list[list[Unit]] = []
        for unit in sorted(units, key=lambda u: (u.start_s, u.entry["path"])):
            match = next((g for g in reversed(groups) if _together(g, unit)), None)
            if match:
                match.append(unit)
            else:
                groups.append([unit])
        return groups, (
            "connections that overlap in time are one run",
            "the logs give the date of each connection",
        )
    of_file: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        of_file[unit.entry["path"]].append(unit)
    files = list(of_file.values())
    same = len(files) > 1 and len({len(f) for f in files}) == 1 and len(files[0]) > 1
    if same and all(_alike(tests) for tests in zip(*files, strict=True)):
        return [list(tests) for tests in zip(*files, strict=True)], (
            "the tests of the logs are paired in their order",
            "the logs have no dates, and equally many tests of equal length",
        )
    several = len(files) > 1 and any(len(f) > 1 for f in files)
    why = "the logs have no dates and different numbers of tests: which ran together is not known"
    return [[u] for u in units], (
        "each test in each log by itself" if several else "each log by itself",
        why if several else "no name tells a flow, and no date tells what ran together",
    )


def _together(group: list[Unit], unit: Unit) -> bool:
    """Return whether a unit ran beside all of a group, in another log, under the same labels."""
    for other in group:
        if other.entry is unit.entry or _labels(other.entry) != _labels(unit.entry):
            return False
        begin = max(other.start_s, unit.start_s)
        end = min(other.start_s + other.length_s, unit.start_s + unit.length_s)
        if end - begin < OVERLAP * min(other.length_s, unit.length_s):
            return False
    return True


def _labels(entry: dict) -> tuple:
    """Return what a name says of its run; a bare number ('out_0012') may count logs instead."""
    values = entry["values"]
    date = values.get("run", "")
    return values.get("repeat"), date if len(date) > len("20240315") else None


def _alike(tests: tuple[Unit, ...]) -> bool:
    lengths = [u.length_s for u in tests]
    return max(lengths) - min(lengths) <= 0.2 * max(lengths)


def _episode_counts(units: list[Unit]) -> dict[str, tuple[dict, int]]:
    counts: dict[str, tuple[dict, int]] = {}
    for unit in units:
        path = unit.entry["path"]
        counts[path] = (unit.entry, max(counts.get(path, (None, 0))[1], unit.episode))
    return counts


def _run_name(group: list[Unit], episodes: dict[str, int]) -> str:
    """Name a run by its logs; of logs with several tests, with the number of the test."""
    paths = sorted({u.entry["path"] for u in group})
    first = min(group, key=lambda u: u.entry["path"])
    if episodes[first.entry["path"]] == 1:
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


def _mask(entry: dict, without: tuple[str, ...]) -> str:
    """Return the path of a log with '*' for the placeholders that tell its flow or side."""
    filled = {k: "*" if k in without else v for k, v in entry["values"].items()}
    return re.sub(r"\{(\w+)\}", lambda m: filled[m[1]], entry["template"])


def _folder(entry: dict) -> str:
    return entry["path"].rpartition("/")[0]
