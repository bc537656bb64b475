"""What was taken as a repeat, what as a factor, and the lines that say otherwise."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from ..formats import UNKNOWN
from ..markdown import first_of
from .described.known_settings import ENDS, LABEL, NUMBERS, REPETITIONS, WORDS
from .described.patterns import filled
from .entities import (
    BY_HOSTS,
    BY_LOG,
    BY_NODES,
    BY_NUMBER,
    BY_PORTS,
    BY_START,
    BY_TURN,
    GUESS,
    JOINED,
    LOGS_SAY,
    NAMES_SAY,
    Assumption,
    Entry,
    Pairing,
    Run,
    Span,
)
from .naming.counting import COUNTED, counts_up
from .naming.vocabulary import (
    AS_TEXT,
    BETWEEN,
    CLOCK,
    DATE,
    EPOCH,
    HASH,
    REPETITION,
    SIDES,
    VOCABULARY,
)
from .offered import MAX_VALUES, csv_line, patterns_of, table_of
from .pooling import FILES, FROM_LOGS, LABEL_OF_RUN
from .starts import DATE_RESOLUTION_S

Counts = Callable[[frozenset[str], str], str]
# endings of files that say what a program was to do
PARAMETERS = re.compile(
    r"\.(?:json|ya?ml|toml|ini|cfg|conf|env|params?|properties)$", re.IGNORECASE
)
PARAMETERS_BYTES = 2**16
MAX_TEXT = 60  # characters of a value that is shown
INSTEAD = "variant"  # what a placeholder is called that is no repetition after all
TIMED = ((DATE, "a date"), (CLOCK, "a clock time"), (EPOCH, "a UNIX time"), (HASH, "a hash"))


def list_repeats(
    entries: list[Entry],
    runs: list[Run],
    files_yaml: str,
    spans: Mapping[str, Span] = MappingProxyType({}),
) -> list[Assumption]:
    """Return rows on runs that are taken as repeats of one another.

    Args:
        entries: the inventory, placed.
        runs: those of the data set, settled (`shares.settle_share`).
        files_yaml: the proposed lines under 'files:'; empty where dataset.yml has its own.
        spans: when runs with dates began and ended.
    """
    of_run: dict[str, list[Entry]] = defaultdict(list)
    of_names: dict[tuple[str, str], set[str]] = defaultdict(set)
    logs_of: dict[str, set[str]] = defaultdict(set)  # by what the tests in them are named after
    for entry in entries:
        for name in {entry.path, entry.pattern_run, entry.run_id} if entry.template else ():
            logs_of[name or ""].add(entry.path)
        for key, value in entry.values.items():
            of_names[entry.template, key].add(value)
        if entry.template and entry.run_id:
            of_run[entry.run_id].append(entry)
    counts = _counts(of_names)
    by_evidence: dict[tuple, list[list[Run]]] = defaultdict(list)
    for scenario in _scenarios(runs):
        labels = [labels_of(of_run[run.run_id]) for run in scenario]
        keys = sorted({key for values in labels for key in values})
        apart = [key for key in keys if len({values.get(key) for values in labels}) > 1]
        if apart and not files_yaml:
            continue  # dataset.yml says it
        files = [entry for run in scenario for entry in of_run[run.run_id]]
        dates = _dates_say([spans.get(run.run_id) for run in scenario])
        evidence: tuple[tuple[str | None, str], ...]
        evidence = tuple((key, _evidence(key, files, counts, dates)) for key in apart)
        if not apart and any("#" in run.run_id for run in scenario):
            evidence = ((None, _of_logs(scenario, logs_of if files_yaml else {})),)
        by_evidence[evidence].append(scenario)
    rows = []
    for evidence, scenarios in by_evidence.items():
        row = _row_of_repeats(evidence, scenarios, of_run, files_yaml)
        unlike = _unlike_files(entries, scenarios, of_run)
        if unlike:
            because = f"{row.because}; but {unlike} in their folders, which is not read, differs"
            row = row._replace(because=because)
        rows.append(row)
    return rows


def _unlike_files(
    entries: list[Entry], scenarios: list[list[Run]], of_run: Mapping[str, list[Entry]]
) -> str:
    """Return the names of files of parameters that differ between runs in folders of their own."""
    contents: dict[str, dict[str, str | None]] = defaultdict(dict)  # by name, then by folder
    for entry in entries:
        folder, _, name = entry.path.rpartition("/")
        small = (entry.content_bytes or PARAMETERS_BYTES) < PARAMETERS_BYTES
        if entry.format == UNKNOWN and small and PARAMETERS.search(name):
            contents[name][folder] = entry.content_sha256
    found = []
    for name, of_folder in contents.items():
        for scenario in scenarios:
            folders = {e.folder for run in scenario for e in of_run.get(run.run_id, [])}
            if len({of_folder[folder] for folder in folders if folder in of_folder}) > 1:
                found.append(name)
                break
    return first_of(found, 3)


def _of_logs(scenario: list[Run], logs_of: Mapping[str, set[str]]) -> str:
    """Return what is said of runs that no name tells apart, of which some share a log.

    Args:
        scenario: the runs.
        logs_of: the logs by what the tests in them are named after; empty where not all are known.
    """
    bases = {run.run_id.partition("#")[0] for run in scenario}
    if len(bases) > 1:
        return "some are tests of one log, and nothing that is known tells the others apart"
    (base,) = bases
    n = len(logs_of.get(base, ()))
    which = "one log" if n == 1 else "the same logs" if n else "the same log or logs"
    return f"they are tests of {which}"


def _dates_say(spans: list[Span | None]) -> str:
    """Return what dates say of whether runs of a scenario ran together: IN_TURN, AT_ONCE or ''."""
    known = sorted((span for span in spans if span is not None), key=lambda span: span[:2])
    if len(known) < len(spans) or len({span.zone for span in known}) > 1:
        return ""
    apart = all(b.start_s > a.end_s - DATE_RESOLUTION_S for a, b in pairwise(known))
    return IN_TURN if apart else AT_ONCE


def _scenarios(runs: list[Run]) -> list[list[Run]]:
    """Return the runs of each scenario that has several."""
    found: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.scenario_id].append(run)
    return [scenario for scenario in found.values() if len(scenario) > 1]


def labels_of(files: list[Entry]) -> dict[str, str]:
    """Return what names say of the repetition that a run is, by placeholder."""
    found: dict[str, str] = {}
    for entry in files:
        for key, value in entry.values.items():
            counts = entry.flow_counts is not None and key == "flow"
            if _labels(key) or counts:
                found[key] = value
    return found


@cache
def _labels(key: str) -> bool:
    """Return whether a placeholder tells repetitions apart wherever it stands."""
    return key in REPETITIONS or bool(LABEL_OF_RUN.fullmatch(key))


def _evidence(key: str, files: list[Entry], counts: Counts, dates: str) -> str:
    """Return what says that a placeholder's values are repetitions.

    Args:
        key: the placeholder.
        files: the logs of a scenario.
        counts: what `_counts` returned.
        dates: what `_dates_say` returned.
    """
    values = [entry.values[key] for entry in files if key in entry.values]
    if key == "seed":
        return "a seed"
    for pattern, name in TIMED:
        if all(re.fullmatch(pattern, value, re.IGNORECASE) for value in values):
            return name
    templates = {entry.template for entry in files if key in entry.values}
    template = next(entry.template for entry in files if key in entry.values)
    before = template.partition(f"{{{key}}}")[0]
    if all(_is_of_a_time(key, entry) for entry in files if key in entry.values):
        return "a part of a date or a time"
    numbers = _numbers(counts(frozenset(templates), key), values)
    if found := OF_WHAT.search(before):
        what = "a congestion control" if found["cca"] else f"'{found['end']}'"
        return f"the number after {what} {numbers}{dates or NO_DATES}"
    word = re.search(rf"(?<![A-Za-z])({REPETITION}|r|{COUNTED})[ _=.#-]?$", before, re.IGNORECASE)
    if word and numbers:
        return f"the number after '{word[1]}' {numbers}"
    return f"a number by itself {numbers}" if numbers else "a label of the run"


# behind these a number may be that of a flow as well
OF_WHAT = re.compile(
    r"(?P<cca>\{cca[0-9]*\})$"
    rf"|(?<![A-Za-z])(?P<end>{'|'.join(SIDES.values())}|\{{side\}}){BETWEEN}$",
    re.IGNORECASE,
)
IN_TURN = ", and by their dates they ran one after another"
AT_ONCE = ", though by their dates some of them ran at the same time"
NO_DATES = "; no date tells whether some of them ran together"


def _counts(of_names: Mapping[tuple[str, str], set[str]]) -> Counts:
    """Return a function that says how the numbers of a placeholder count in all names, or ''.

    Args:
        of_names: the values of a template and a placeholder, in all logs.
    """

    @cache  # scenarios by the thousand have the same templates
    def said(templates: frozenset[str], key: str) -> str:
        whole = {v for template in templates for v in of_names[template, key] if v.isdecimal()}
        if not counts_up(whole):
            return ""
        numbers = sorted(map(int, whole))
        return f"counts from {numbers[0]} to {numbers[-1]}"

    return said


def _numbers(counted: str, values: list[str]) -> str:
    """Return how numbers of repetitions are said to count; '' of other labels.

    Args:
        counted: what is said of those in all names (`_counts`); '' where they do not count.
        values: those of a scenario.
    """
    if not all(value.isdecimal() for value in values):
        return ""
    numbers = sorted({*map(int, values)})
    return counted or f"({first_of(list(map(str, numbers)), MAX_VALUES)})"


def _is_of_a_time(key: str, entry: Entry) -> bool:
    """Return whether a value is a part of a date or a time in the path, as a year is a folder."""
    start = len(filled(entry.template.partition(f"{{{key}}}")[0], entry.values))
    end = start + len(entry.values[key])
    found = (m for pattern in (DATE, CLOCK) for m in re.finditer(pattern, entry.path, re.I))
    return any(m.start() <= start and end <= m.end() for m in found)


def _row_of_repeats(
    evidence: tuple, scenarios: list[list[Run]], of_run: dict[str, list[Entry]], files_yaml: str
) -> Assumption:
    runs = [run for scenario in scenarios for run in scenario]
    value = f"{len(runs)} runs are taken as repeats of one another"
    if len(scenarios) > 1:
        value = f"{len(runs)} runs in {len(scenarios)} scenarios are taken as repeats, each of the "
        value += "others of its scenario"
    if not evidence:
        because = "nothing that is known tells them apart; a setting of theirs in runs.csv would"
        return Assumption("repeat", value, because, _table_of_runs(runs, of_run), GUESS, JOINED)
    because = "; ".join(what if key is None else f"{{{key}}}: {what}" for key, what in evidence)
    files = [entry for run in runs for entry in of_run[run.run_id]]
    yaml = _renamed(files_yaml, [key for key, _ in evidence if key], files)
    yaml = yaml or _table_of_runs(runs, of_run)
    # a bare number may be a setting, and one of logs that ran together that of a flow
    doubtful = ("by itself", NO_DATES, AT_ONCE)
    certainty = GUESS if any(text in because for text in doubtful) else NAMES_SAY
    return Assumption("repeat", value, because, yaml, certainty, JOINED)


def _renamed(files_yaml: str, keys: list[str], files: list[Entry]) -> str:
    """Return the proposed patterns with placeholders that are no repetitions; '' if impossible."""
    lines = files_yaml.splitlines()
    if not keys or "files:" not in lines or "flow" in keys:
        return ""
    new = {key: f"{INSTEAD}{i or ''}" for i, key in enumerate(keys)}

    def renamed(text: str) -> str:
        for key, name in new.items():
            text = text.replace(f"{{{key}}}", f"{{{name}}}")
        return text

    copies = [
        replace(
            entry,
            template=renamed(entry.template),
            values={new.get(key, key): value for key, value in entry.values.items()},
        )
        for entry in files
    ]
    if not patterns_of(copies):
        return ""
    head = (
        f"if {_listed(keys)} in names is a setting, no repetition, in place of the 'files:' above:"
    )
    kept = [renamed(line) for line in lines[lines.index("files:") :]]
    return "\n".join(f"# {line}" for line in (head, *kept))


def _table_of_runs(runs: list[Run], of_run: dict[str, list[Entry]]) -> str:
    """Return lines for dataset.yml and runs.csv that say in what runs differ."""
    labels = {
        run.run_id: "-".join(labels_of(of_run[run.run_id]).values())
        or run.run_id.rpartition("#")[2]
        for run in runs
    }
    head = "if these runs are not repeats, with a table that says how they differ:"
    return table_of(INSTEAD, labels, head)


def list_factors(entries: list[Entry], runs: list[Run]) -> list[Assumption]:
    """Return rows on factors that nobody named: text of paths, and what logs say."""
    read = {f"{name}{end}" for name, *_ in VOCABULARY for end in ("", AS_TEXT)}
    known = {*NUMBERS, *WORDS, *REPETITIONS, *read}
    texts = {key for e in entries if e.run_id for key in e.values}
    found = {key for e in entries for key in e.found}
    rows = []
    for key in sorted(found | texts):
        named = key in known or re.match("cca[0-9]*$", key) or LABEL.fullmatch(key)
        if key not in found and (named or ENDS.fullmatch(key)):
            continue
        values = sorted({str(v) for run in runs if (v := run.settings.get(key)) is not None})
        if len(values) < 2:
            continue
        because = "the names differ in it, and nothing says that it counts repeats"
        if key in found:
            said = FROM_LOGS.get(re.sub("[0-9]+$", "", key), "")
            because = f"logs differ in it: {said}" if key != FILES else "the names differ in it"
        how = (LOGS_SAY if key in found and key != FILES else NAMES_SAY, JOINED)
        short = [v if len(v) <= MAX_TEXT else f"{v[:MAX_TEXT]}..." for v in values]
        rows.append(Assumption(f"factor {key}", first_of(short, MAX_VALUES), because, "", *how))
    if rows:
        names = [factor.what.removeprefix("factor ") for factor in rows]
        head = "those of these factors that only tell repeats apart:"
        yaml = f"# {head}\n# pool_over: {json.dumps(names, ensure_ascii=False)}"
        rows[-1] = rows[-1]._replace(yaml=yaml)
    return rows


ORDERS = {  # of flows that nothing numbers: what comes first
    BY_START: "the one that began first comes first",
    BY_HOSTS: "no log says that one began before the others, and they come by the addresses of "
    "their hosts",
    BY_LOG: "no log says that one began before the others, and they come as in their logs",
    BY_NUMBER: "the flows are not numbered 1, 2, ..., so they are taken in the order of their "
    "numbers",
    BY_NODES: "flows of a simulation come by the addresses of their nodes, whichever began first",
    BY_PORTS: "flows of a simulation between the same nodes come by their ports, whichever began "
    "first",
    BY_TURN: "their nodes and ports are the same, or nobody gave these: they come as they began, "
    "which another seed may change",
}
SAME = {BY_HOSTS: "host", BY_NODES: "node", BY_PORTS: "port"}  # what tells flows in every run


def list_pairings(runs: list[Run], files_yaml: str) -> list[Assumption]:
    """Return rows on settings that a name lists, of flows that only their order pairs with them.

    A row each for what names list and what the order is of.

    Args:
        runs: those of the data set.
        files_yaml: the proposed lines under 'files:'; empty where dataset.yml has its own.
    """
    pairings: dict[tuple[str, str], list[Pairing]] = defaultdict(list)
    for run in runs:
        if run.paired is not None:
            pairings[run.paired.keys, run.paired.by].append(run.paired)
    rows = []
    for (keys, by), of_runs in pairings.items():
        n = len(of_runs)
        usual, n_usual = Counter(tuple(each.hosts) for each in of_runs).most_common(1)[0]
        shown = ", ".join(f"flow {i} is that of {host}" for i, host in enumerate(usual, 1) if host)
        if len(set(usual)) < 2:
            shown = "in the order of the flows"
        value = f"as listed in names, of {n:,} run{'s' * (n != 1)}: {shown}"
        because = f"nothing else says which connection is meant; {ORDERS[by]}"
        if n_usual == n and by in SAME:
            because += f": so a {SAME[by]} is the same flow in every run"
        if n_usual < n and by in (BY_START, *SAME):
            others, what = n - n_usual, SAME.get(by, "host")
            because += f"; in {others:,} run{'s' * (others != 1)} other {what}s are these flows"
        against = sum(each.against_log for each in of_runs)
        if against:
            because += f"; in {against:,} of {n:,} runs the log has another one first"
        rows.append(Assumption(keys, value, because, _paired_otherwise(files_yaml), GUESS))
    return rows


def list_misnumbered(runs: list[Run]) -> list[Assumption]:
    """Return the row on runs whose flows have other numbers than the names of their logs.

    Args:
        runs: those of the data set.
    """
    otherwise = [run for run in runs if run.misnumbered]
    if not otherwise:
        return []
    first: dict[int, str] = {}
    for path, flow, _ in otherwise[0].misnumbered:
        first.setdefault(flow, path)
    shown = first_of([f"flow {flow} is that of {first[flow]}" for flow in sorted(first)], 4)
    n = len(otherwise)
    value = f"numbered otherwise than in names, in {n:,} run{'s' * (n != 1)}: {shown}"
    because = (
        "no word in the names says that their numbers are of flows; flows come by when they began, "
        "then by the addresses of their hosts, then as in their logs"
    )
    rows = [(path, run.run_id, n) for run in otherwise for path, _, n in run.misnumbered]
    table = [f"#     {csv_line(row)}" for row in (("path", "run", "flow"), *rows)]
    head = (
        "# if the numbers in names are those of flows, with the lines of `files` and this table "
        "(if they have one, in its rows):"
    )
    yaml = "\n".join((head, "# runs: runs.csv", "# runs.csv:", *table))
    return [Assumption("flow", value, because, yaml, GUESS, JOINED)]


def _paired_otherwise(files_yaml: str) -> str:
    """Return the lines, as comments, that give flow 1 what names list second."""
    lines = files_yaml.splitlines()
    kept = lines[lines.index("files:") :] if "files:" in lines else []
    swap = {"1": "2", "2": "1"}
    swapped = [re.sub(r"(?<=[a-z])([12])}", lambda m: swap[m[1]] + "}", line) for line in kept]
    swapped = [line for line in swapped if not line.startswith("#")]
    if not kept or swapped == kept or "3}" in files_yaml:
        return (
            "# if it is otherwise: number what names list as it is, as {cca2}_vs_{cca1} in the "
            "patterns of `files`"
        )
    head = "if the second of them is flow 1, in place of the 'files:' above:"
    return "\n".join(f"# {line}" for line in (head, *swapped))


def _listed(keys: list[str]) -> str:
    return " and ".join(f"{{{key}}}" for key in keys)
