"""Which runs are repeats of one scenario: pooling needs evidence.

Runs are repeats where all that tells them apart is a repetition: by a name (`names`, `counting`) or
by dataset.yml. Any other difference, in their paths or in what their logs say, is a factor, named
by its text if by nothing better. A scenario too many can be seen; a mean over unlike runs cannot.
docs/explanation/pooling.md has the order of evidence.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from ..congestion_controls import cca_name
from ..errors import DataError, did_you_mean
from ..formats.options import USUAL
from .described.known_settings import NUMBERS, REPETITIONS, WORDS
from .described.patterns import PACKED
from .entities import Description, Entry, Flow, Run, Stream, Trait
from .naming.counting import COUNTED
from .naming.vocabulary import HASH, REPETITION

# settings that part no scenarios: what only tells repeats apart, and what `tool` says already
HIDDEN = (*REPETITIONS, "platform", "tool", "tool_version")
FILES = "files"  # the factor that is named by the text of the logs' paths
# traits from logs: factor, and what it says to a reader
FROM_LOGS = {
    "protocol": "TCP or UDP",
    "hosts": "the addresses of senders and receivers",
    "direction": "which end sends (--reverse; uploads and downloads of Flent)",
    "both_directions": "whether both ends send (--bidir)",
    "amount": "the requested amount (-n, -k)",
    "udp_buffer": "the requested socket buffer (-w)",
    "bursts": "the timing of bursts and frames",
    "tcp_window": "the requested window (-w)",
    "udp_rate": "the target rate of UDP (-b)",
    "pacing": "the sender's rate limit",
    "block": "the length of a write or datagram (-l)",
    "tos": "the type of service (-S)",
    "omit_s": "the seconds omitted at the start (-O)",
    "segment_bytes": "the size of segments",
    "planned_s": "the requested duration (-t)",
    "length_s": "the length",
    "start_s": "when the later flows began",
}
# an option that a log says only where it was given: without it, it was as usual
SAID_WHERE_GIVEN = {"iperf2": ("tcp_window", "tos", "pacing"), "iperf3": ("direction",)}
MAX_FLOWS_WITH_STARTS = 8
APART, APART_S = 0.25, 2.0  # times and lengths further apart than this share and this are others'
AGAIN = r"r[eé]p[eé]t[eé]|repeat(?:ed)?|again|bis|redo(?:ne)?|retry|rerun|copy|wiederholt"


LABEL_OF_RUN = re.compile("run[0-9]*")


def path_text(
    files: Iterable[Entry], over: Sequence[str] = (), addressed: bool = False
) -> str | None:
    """Return the paths of a run's logs with '*' for what only tells repeats, or ends, apart.

    None where a row in runs.csv, and no pattern, says what a log is.

    Args:
        files: the logs.
        over: placeholders that do not matter.
        addressed: whether the logs say whose they are, so that a number of an end ('client3') need
            not.
    """
    files = list(files)
    ends = _hosts_of_ends(files) if addressed else set()
    if any(not entry.template for entry in files):
        return None
    texts = {_starred(entry, [*over, *ends], addressed) for entry in files}
    return _as_one(sorted(texts))


def _as_one(texts: list[str]) -> str:
    """Return paths that differ in one segment as one, with its texts in braces.

    So that what sets runs of several logs apart can be told by segment, as that of runs of one.
    """
    split = [text.split("/") for text in texts]
    if len({len(segments) for segments in split}) != 1:
        return " + ".join(texts)
    columns = [list(dict.fromkeys(column)) for column in zip(*split, strict=True)]
    if sum(len(column) > 1 for column in columns) > 1:
        return " + ".join(texts)
    return "/".join(c[0] if len(c) == 1 else f"{{{','.join(c)}}}" for c in columns)


def _hosts_of_ends(files: list[Entry]) -> set[str]:
    """Return the placeholders of hosts that differ among the logs of a run: a log may be lost."""
    values: dict[str, set[str]] = defaultdict(set)
    for entry in files:
        for key in entry.values:
            if re.fullmatch("host[0-9]*", key):
                values[key].add(entry.values[key])
    return {key for key, found in values.items() if len(found) > 1}


def _starred(entry: Entry, over: Sequence[str], addressed: bool) -> str:
    text = _without_repetitions(entry.template)
    counts = entry.flow_counts in (("cca", "end") if addressed else ("cca",))
    ends = ["side", "variable", *over, *(["flow"] if counts else [])]
    values = {k: cca_name(v) if k.startswith("cca") else v for k, v in entry.values.items()}
    filled = {**values, **dict.fromkeys(ends, "*")}
    text = re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], text)
    text = PACKED.sub("", text)
    return re.sub(r"\*+", "*", text)


@lru_cache(maxsize=2**14)
def _without_repetitions(template: str) -> str:
    repetition = (
        rf"(?:(?:{REPETITION}|{COUNTED}|r)[ _=.#-]?)?\{{(?:repeat|seed|{LABEL_OF_RUN.pattern})\}}"
    )
    text = re.sub(repetition, "*", template, flags=re.IGNORECASE)
    return re.sub(rf"\*[ _-]*(?:{AGAIN})(?=/)", "*", text, flags=re.IGNORECASE)


def tells_repeats(files: Iterable[Entry]) -> bool:
    """Return whether the names of a run's logs say that it is a repetition.

    Hashes alone ('3f2a9c1d.log') name logs, not repeats of what nothing tells.
    """
    files = list(files)
    labels = [[v for k, v in e.values.items() if LABEL_OF_RUN.fullmatch(k)] for e in files]
    if not files or not all(labels):
        return False
    hashes = all(re.fullmatch(HASH, v, re.IGNORECASE) for of_file in labels for v in of_file)
    words = re.sub(r"\.\w+$", "", path_text(files) or "")
    return not hashes or bool(re.search(r"[^\W\d_]", words))


def traits_of(
    settings: dict[str, Any],
    ccas: str,
    files: list[Entry],
    flows: list[Flow],
    members: dict[int, list[Stream]],
    over: Sequence[str] = (),
) -> list[Trait]:
    """Return what is known of a run that a repeat of it must share, the clearest first.

    Args:
        settings: of the run.
        ccas: its congestion controls, in the order of its flows.
        files: its logs.
        flows: its flows.
        members: for every flow its streams, that whose report counts first.
        over: factors that dataset.yml says do not matter (`pool_over`); not among the traits.
    """
    counting = [streams[0] for streams in members.values()]
    # before the congestion controls: a flow of UDP has none
    found = [Trait("protocol", _all_of(s.protocol for s in counting), False)]
    found.append(Trait("congestion controls", ccas, True, True))
    found.append(Trait("tool", settings.get("tool"), True, True))
    shown = {key: value for key, value in sorted(settings.items()) if key not in HIDDEN}
    found += [Trait(key, value, True, True) for key, value in shown.items() if value is not None]
    found.append(Trait("tool_version", settings.get("tool_version"), True))
    rtts = ", ".join(str(flow.rtt_ms) for flow in flows)
    found.append(Trait("RTTs of flows", rtts, True, True))
    measuring = {s.file_id for streams in members.values() for s in streams if s.measures}
    hosts = _hosts(counting)
    text = path_text([e for e in files if e.file_id in measuring], over, hosts is not None)
    found.append(Trait(FILES, text, False))
    found.append(Trait("hosts", hosts, False))
    found += _options([s for streams in members.values() for s in streams], files)
    found.append(Trait("segment_bytes", _all_of(f.mss_bytes for f in flows), False))
    planned = [s.planned_s for streams in members.values() for s in streams]
    found.append(Trait("planned_s", max(filter(None, planned), default=None), False))
    if len(flows) <= MAX_FLOWS_WITH_STARTS:
        for number, flow in enumerate(flows[1:], start=2):
            start = None if flow.start_from == "assumed" else flow.start_s
            found.append(Trait(f"start_s{number}", start, False, measured=True))
    ends = [s.end_s for s in counting if s.end_s is not None]
    whole = len(ends) == len(counting) and all(s.complete is not False for s in counting)
    whole &= not any(planned)  # what was asked for counts before what was measured
    found.append(
        Trait("length_s", max(ends, default=None) if whole else None, False, measured=True)
    )
    return [trait for trait in found if trait.name not in over]


def _all_of(values: Iterable) -> str | None:
    """Return values as text, each once; None where one is not known."""
    values = list(values)
    if None in values or not values:
        return None
    return ", ".join(dict.fromkeys(map(str, values)))


def _hosts(streams: list[Stream]) -> str | None:
    """Return the addresses of the flows' senders and receivers, ports apart."""
    pairs = []
    for stream in streams:
        ends = [(end or "").rpartition(":")[0] for end in (stream.local, stream.peer)]
        if "" in ends:
            return None
        pairs.append(" > ".join(ends[::-1] if stream.side == "receiver" else ends))
    return _all_of(pairs)


def _options(streams: list[Stream], files: list[Entry]) -> list[Trait]:
    """Return the options of a tool that logs print: how it sent, not how it reported."""
    formats = {e.file_id: e.format for e in files}
    said: dict[str, set[str]] = defaultdict(set)
    for stream in streams:
        for key, value in json.loads(stream.options or "{}").items():
            said[key].add(str(value))
    for stream in streams:
        if not stream.local:  # the log's head is missing
            continue
        for key in SAID_WHERE_GIVEN.get(formats[stream.file_id] or "", ()):
            said[key] = said[key] or {USUAL}
    return [Trait(key, ", ".join(sorted(values)), False) for key, values in sorted(said.items())]


def part_scenarios(runs: list[Run]) -> dict[str, set[str]]:
    """Part scenarios whose runs differ, and name what they differ in.

    Args:
        runs: changed are their scenario_id, and their settings: the factors that are missing.

    Returns:
        The factors that no name and no row gave, with their values.
    """
    parted: dict[str, set] = defaultdict(set)
    groups = _by(runs, lambda run: run.scenario_id)
    for group in groups:
        _part(group, parted)
    _name_alike(runs, parted)
    for name, values in parted.items():
        _fill(runs, name, values)
    return dict(parted)


def _by(runs: list[Run], key: Callable[[Run], Any]) -> list[list[Run]]:
    groups: dict[Any, list[Run]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return list(groups.values())


def _part(runs: list[Run], parted: dict[str, set]) -> None:
    """Part the runs of a scenario by the first trait in which they differ, and go on with each."""
    if len(runs) < 2:
        return
    of_runs = [_by_name(run) for run in runs]
    for name in dict.fromkeys(name for of_run in of_runs for name in of_run):
        traits = [of_run.get(name) for of_run in of_runs]
        texts = _texts(traits)
        if len(set(texts)) < 2:
            continue
        shown = next(filter(None, traits)).shown
        for run, text in zip(runs, texts, strict=True):
            alone = name in ("congestion controls", "tool")
            words = f" {text or 'several tools'}" if alone else f", {name} {text or 'not known'}"
            run.scenario_id += words
            if not shown and text is not None:
                run.settings.setdefault(name, text)
                parted[name].add(text)
        for group in _by(runs, lambda run: run.scenario_id):
            _part(group, parted)
        return


def _by_name(run: Run) -> dict[str, Trait]:
    """Return the traits of a run by their names; of two of one name the first counts."""
    named: dict[str, Trait] = {}
    for trait in run.traits:
        named.setdefault(trait.name, trait)
    return named


def _texts(traits: list[Trait | None]) -> list[str | None]:
    """Return the value of a trait of each run as text; all the same where they do not differ.

    What is not known of a run parts it only from runs that differ among themselves, or by a strict
    trait.
    """
    if len({id(trait) for trait in traits}) == 1:  # runs of a part share equal traits
        return [None] * len(traits)
    values = [trait.value if trait else None for trait in traits]
    known = sorted({v for v in values if v is not None}, key=str)
    kind = next(trait for trait in traits if trait)
    if kind.measured:
        classes = _classes([v for v in values if v is not None])
        values = [None if v is None else classes[v] for v in values]
        known = list(dict.fromkeys(classes.values()))
    if len(known) < 2 and not (kind.strict and known and None in values):
        return [None] * len(traits)
    if kind.name == FILES:
        short = _distinct(known)
        return [None if v is None else short[v] for v in values]
    return [None if v is None else _plain(v) for v in values]


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _classes(values: list[float]) -> dict[float, float]:
    """Group numbers that differ by no more than repeats do: {number: the group's middle one}."""
    ordered = sorted(set(values))
    groups: list[list[float]] = []
    for value in ordered:
        if groups and value - groups[-1][-1] <= APART * groups[-1][-1] + APART_S:
            groups[-1].append(value)
        else:
            groups.append([value])
    return {v: round(group[(len(group) - 1) // 2], 1) for group in groups for v in group}


def _distinct(texts: list[str]) -> dict[str, str]:
    """Shorten paths to the segments in which they differ."""
    split = {text: text.split("/") for text in texts}
    if len({len(segments) for segments in split.values()}) > 1 or any(" + " in t for t in texts):
        return {text: text for text in texts}
    differ = [
        i for i, column in enumerate(zip(*split.values(), strict=True)) if len(set(column)) > 1
    ]
    return {text: "/".join(split[text][i] for i in differ) for text in texts}


def _name_alike(runs: list[Run], parted: dict[str, set]) -> None:
    """Give scenarios that only their names tell apart a factor that says in what these differ."""

    def seen(run: Run) -> tuple:
        settings = {k: v for k, v in run.settings.items() if k not in HIDDEN and v is not None}
        traits = [t.value for t in run.traits if t.shown and t.name not in settings]
        return repr(sorted(settings.items())), str(traits)

    for alike in _by([run for run in runs if run.told], seen):
        scenarios = _by(alike, lambda run: run.scenario_id)
        texts: list[str | None] = [None]
        if len(scenarios) > 1:
            texts = _texts([_by_name(run).get(FILES) for run in alike])
        if None in texts:
            continue
        for run, text in zip(alike, texts, strict=True):
            run.settings.setdefault(FILES, text)
            parted[FILES].add(text)


def _fill(runs: list[Run], name: str, values: set[str]) -> None:
    """Say a factor that some scenarios were parted by of the others too, where it is known."""
    for scenario in _by(runs, lambda run: run.scenario_id):
        traits = [trait for run in scenario for trait in run.traits if trait.name == name]
        known = {trait.value for trait in traits} - {None}
        if any(name in run.settings for run in scenario) or len(known) != 1:
            continue
        kind, (value,) = traits[0], known
        if name == FILES:
            segments = value.split("/")
            same = [text for text in values if text in segments]
            value = same[0] if len(same) == 1 else None
        if value is None or kind.measured:
            continue
        for run in scenario:
            run.settings[name] = _plain(value)


def refuse_unknown_factors(dataset: Description, runs: list[Run]) -> None:
    """Refuse names under `pool_over` that are no factors of any run, or settings that have a key.

    Raises:
        DataError: such a name.
    """
    known = {FILES, "tool_version", *FROM_LOGS}
    known |= {key for run in runs for key in run.settings}
    known -= {*NUMBERS, *WORDS, "start_s"}
    for i, name in enumerate(dataset.pool_over):
        if name not in known and not re.fullmatch("start_s[0-9]+", name):
            problem = f"pool_over: '{name}' is not a factor of any run"
            remedy = did_you_mean(name, known)
            line = dataset.lines.get(("pool_over", i))
            raise DataError(problem, path=dataset.path, line=line, remedy=remedy)
