"""What was taken as a setting from names, or was not, and the lines that say otherwise."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from ..congestion_controls import cca_name
from .described.known_settings import NUMBERS
from .entities import DEFAULT, GUESS, NAMES_SAY, Assumption, Entry, Flow, Run
from .naming.compared import NEXT, paired_numbers, words_beside_variant
from .naming.doubtful import doubtful_words
from .naming.mentions import mention
from .naming.vocabulary import (
    AS_TEXT,
    BETWEEN,
    IN_OTHER_UNITS,
    guessed_settings,
    has_rtt_without_unit,
    restated,
    unit_of_rtt,
)
from .naming.words import contradicted_settings
from .offered import csv_line, own_numbers, some_of, table_of

GUESSED = {  # setting: how its values are shown, what they are taken as, why that is a guess
    "rtt_ms": (
        "{}ms",
        "round-trip times",
        "no word says that they are: they may be delays of one way",
    ),
    "bottleneck_mbps": (
        "{}",
        "the bandwidth of the bottleneck, Mb/s",
        "no word, or no unit, says so: they may be sizes of a buffer (as `tc` has them), rates of "
        "sources, or in other units",
    ),
    "buffer_bdp": (
        "{}",
        "bandwidth-delay products, the size of the buffer",
        "there is a number before it: the two may be one, as 0_5 may be 0.5",
    ),
    "start_s": (
        "{}",
        "the times at which flows start, s",
        "no word, or no unit, says so",
    ),
}
OTHERWISE = {  # what they are if that is wrong, and what the placeholder is called then
    "rtt_ms": ("delays of one way", "delay_ms"),
    "bottleneck_mbps": ("not the bandwidth of the bottleneck, Mb/s", "quantity"),
    "buffer_bdp": ("the decimals of numbers", "decimals"),
    "start_s": ("something else", "quantity"),
}


def list_guessed_settings(entries: list[Entry], files_yaml: str) -> list[Assumption]:
    """Return rows on numbers in names that are taken as settings, though no word says so.

    Args:
        entries: the inventory, placed.
        files_yaml: the proposed lines under 'files:'; empty where dataset.yml has its own.
    """
    if not files_yaml:
        return []
    rows = []
    for key, (shown, taken, because) in GUESSED.items():
        logs = [e for e in entries if e.run_id and key in guessed_settings(e.template, {})]
        values = sorted({e.values[key] for e in logs if key in e.values}, key=float)
        if not values:
            continue
        value = f"{', '.join(map(shown.format, values))} in names, taken as {taken}"
        rows.append(Assumption(key, value, because, _said_otherwise(key, files_yaml), GUESS))
    return [*rows, *_rtts_without_unit([e for e in entries if e.run_id], files_yaml)]


def _rtts_without_unit(logs: list[Entry], files_yaml: str) -> list[Assumption]:
    """Return the row on round-trip times whose names have no unit, and that are hardly in ms.

    Args:
        logs: those of runs.
        files_yaml: the proposed lines under 'files:'.
    """
    units = {unit for e in logs if (unit := unit_of_rtt(e.template, e.values))}
    if not units:
        return []
    unit = min(units)  # of both the smaller numbers tell: 's'
    _, times = IN_OTHER_UNITS[f"rtt_{unit}"]
    texts = {e.run_id: e.values["rtt_ms"] for e in logs if has_rtt_without_unit(e.template)}
    values = ", ".join(sorted({*texts.values()}, key=float))
    value = f"{values} in names, taken as round-trip times in ms"
    because = f"no unit says so: they may be in {UNITS[unit]}"
    kept = _lines_of_files(files_yaml)
    if not kept:
        yaml = f"# if so: correct the column rtt_ms of runs.csv, in ms ({times:g} times as much)"
        return [Assumption("rtt_ms", value, because, yaml, GUESS)]
    head = "if so, in place of the 'files:' above, with a table of them in ms:"
    in_ms = {run: float(text) * times for run, text in texts.items()}
    _, *table = table_of("rtt_ms", in_ms, head).splitlines()
    renamed = [
        line.replace("{rtt_ms}", f"{{rtt_{unit}}}") if has_rtt_without_unit(line) else line
        for line in kept
    ]
    yaml = "\n".join([*(f"# {line}" for line in (head, *renamed)), *table])
    return [Assumption("rtt_ms", value, because, yaml, GUESS)]


UNITS = {"s": "seconds", "us": "microseconds"}


SAY_CCA = ("iperf3-json",)  # formats of logs that say the variant themselves
DOUBTED = {  # what a word would be, and why it is not taken as that
    "aqm": "it is an ordinary word, too, and there is no other queue discipline beside it",
    "cca": "it may be the speed of a link",
}


def list_doubtful_words(entries: list[Entry], runs: list[Run]) -> list[Assumption]:
    """Return rows on words in names that may be a setting, and are not taken as one.

    Args:
        entries: the inventory, placed.
        runs: those of the data set, settled (`shares.settle_share`).
    """
    logs, known = _logs_of_runs(entries, runs)
    doubtful = doubtful_words(e.path for e in entries if e.template)
    of_runs: dict[str, dict[str | None, str]] = defaultdict(dict)
    for entry in logs:
        for word in doubtful.get(entry.path, ()):
            if word.key not in entry.values and word.key not in known[entry.run_id]:
                of_runs[word.key].setdefault(entry.run_id, entry.path[word.start : word.end])
    rows = []
    for key, words in sorted(of_runs.items()):
        shown = some_of(f"'{word}'" for word in words.values())
        value = f"{shown} in names, not taken as {key}"
        yaml = table_of(key, words, f"with a table of them as {key}, if that is what they are:")
        rows.append(Assumption(key, value, DOUBTED[key], yaml, GUESS))
    return rows


def _logs_of_runs(
    entries: list[Entry], runs: list[Run]
) -> tuple[list[Entry], dict[str | None, dict]]:
    """Return the placed logs of runs, and the settings of each run."""
    known: dict[str | None, dict] = {run.run_id: run.settings for run in runs}
    return [e for e in entries if e.template and e.run_id in known], known


def list_half_pairs(entries: list[Entry], flows: list[Flow], files_yaml: str) -> list[Assumption]:
    """Return the row on names that have a word next to the variant of all flows of a run.

    'cubic-mine' may be CUBIC competing with a variant that is not in the table of them.

    Args:
        entries: the inventory, placed.
        flows: those of the data set, settled (`shares.settle_share`).
        files_yaml: the proposed lines under 'files:'; empty where dataset.yml has its own.
    """
    n_flows = Counter(f.run_id for f in flows if f.cca and not f.cross_traffic)
    found: dict[str, str] = {}  # by word the variant
    for entry in entries if files_yaml else ():
        says_itself = (entry.format or "") in SAY_CCA
        if "{cca}" in entry.template and n_flows[entry.run_id or ""] > 1 and not says_itself:
            found |= dict.fromkeys(words_beside_variant(entry.path), entry.values["cca"])
    if not found:
        return []
    shown = some_of(f"'{word}' next to '{cca}'" for word, cca in found.items())
    words = "|".join(map(re.escape, found))
    sides = rf"{{cca}}({NEXT})(?:{words}|{{name[0-9]*}})|(?:{words}|{{name[0-9]*}})({NEXT}){{cca}}"
    kept = _lines_of_files(files_yaml)
    pairs = [re.sub(sides, lambda m: f"{{cca1}}{m[1] or m[2]}{{cca2}}", line) for line in kept]
    head = "if it is another one that competes with it, write {cca1} and {cca2} in `files`"
    if pairs != kept:
        head = "if it is another one that competes with it, in place of the 'files:' above:"
    yaml = "\n".join(f"# {line}" for line in (head, *(pairs if pairs != kept else ())))
    value = f"that of all flows of a run, where names have {shown}"
    return [Assumption("cca", value, "it is not among the known congestion controls", yaml, GUESS)]


def list_overruled_pairs(entries: list[Entry], files_yaml: str) -> list[Assumption]:
    """Return the row on files whose name has a variant that the pair of their folder lacks.

    Args:
        entries: the inventory, placed.
        files_yaml: the proposed lines under 'files:'; empty where dataset.yml has its own.
    """
    found: dict[str, None] = {}
    for entry in entries:
        own = entry.values.get("cca")
        pair = [value for key, value in entry.values.items() if re.fullmatch("cca[0-9]+", key)]
        # reno and newreno are two names of one
        named = {cca_name(name).removeprefix("new") for name in pair}
        if entry.run_id and own and pair and cca_name(own).removeprefix("new") not in named:
            found[f"'{own}' below '{'-'.join(pair)}'"] = None
    if not found or not files_yaml:
        return []
    kept = _lines_of_files(files_yaml)
    yaml = ""
    if kept and "{host}" not in files_yaml:
        head = "if the folders are right, in place of the 'files:' above:"
        without = [line.replace("{cca}", "{host}") if "{cca1}" in line else line for line in kept]
        yaml = "\n".join(f"# {line}" for line in (head, *without))
    value = f"that of the file's own name: {some_of(found)}"
    return [Assumption("cca", value, "it is nearer to the log than the folder's", yaml, GUESS)]


def list_unread_settings(
    entries: list[Entry], runs: list[Run], flows: list[Flow]
) -> list[Assumption]:
    """Return rows on numbers in names that say a setting, and that are no value of it here.

    Args:
        entries: the inventory, placed.
        runs, flows: those of the data set, settled (`shares.settle_share`).
    """
    logs, known = _logs_of_runs(entries, runs)
    rtts: dict[str | None, dict[int, float | None]] = defaultdict(dict)
    for flow in flows:
        if not flow.cross_traffic:
            rtts[flow.run_id][flow.flow_id] = flow.rtt_ms
    return [*_kept_as_factors(logs, known), *_contradicted(logs, known, rtts)]


def _kept_as_factors(logs: list[Entry], known: Mapping[str | None, dict]) -> list[Assumption]:
    """Return rows on numbers in units that dataset.yml does not have, or with a comma in them."""
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)  # by setting and reason
    names: dict[tuple[str, str], set[str]] = defaultdict(set)  # of placeholders
    numbers: dict[tuple[str, str], dict[str | None, set[float]]] = defaultdict(dict)
    for entry in logs:
        for name, text in entry.values.items():
            said = restated(name, text)
            if said and said[0] not in known[entry.run_id]:
                of_one = said[0], _why_kept(name, entry.template, said[0])
                texts[of_one].append(f"'{text}'")
                names[of_one].add(name)
                numbers[of_one].setdefault(entry.run_id, set()).add(said[1])
    rows = []
    for (key, because), of_runs in sorted(numbers.items()):
        factors = sorted(names[key, because])
        kept = (
            f"the factor {factors[0]}" if len(factors) == 1 else f"factors ({', '.join(factors)})"
        )
        value = f"{some_of(texts[key, because])} in names, kept as {kept}, not as {key}"
        head = f"with a table of them as {key}, if these are right:"
        of_run = {run: min(said) for run, said in of_runs.items() if len(said) == 1}
        yaml = table_of(key, of_run, head) if of_run else ""  # else of each flow its own
        rows.append(Assumption(key, value, because, yaml, NAMES_SAY))
    return rows


def _why_kept(name: str, template: str, key: str) -> str:
    """Return why the number of a placeholder is not taken as a setting."""
    if name.endswith(AS_TEXT):
        return "a comma, an underscore or a p in a number may stand for a point, or not"
    if re.search(rf"\{{{name}\}}[_-][A-Za-z]{BETWEEN}[0-9{{]", template):
        return "the letter behind it may be its unit, or a word with a number of its own"
    return f"it is not in the unit of {key}"


# 'rtt1_10_rtt2_100': the RTT of flow 1, of flow 2
_RTT_OF_FLOW = re.compile(
    r"(?<![A-Za-z])rtt(?P<flow>[1-9])[_=-](?P<ms>\d+(?:\.\d+)?)(?![\d.])", re.I
)


def _contradicted(
    logs: list[Entry],
    known: Mapping[str | None, dict],
    rtts: Mapping[str | None, Mapping[int, float | None]],
) -> list[Assumption]:
    """Return rows on several numbers that one name says of a setting.

    Args:
        logs, known: of `_logs_of_runs`.
        rtts: of the flows of each run that are compared, ms, as far as they are known.
    """
    found: dict[str, dict[str | None, list[float]]] = defaultdict(dict)
    of_flows = set()  # runs whose name says of which flow each RTT is
    pairs = paired_numbers(e.path for e in logs)
    for entry in logs:
        unlike = pairs.get(entry.path, {}) | contradicted_settings(entry.path)
        named = {int(m["flow"]): float(m["ms"]) for m in _RTT_OF_FLOW.finditer(entry.path)}
        if "rtt_ms" in unlike and len(named) > 1 and [*named] == [*range(1, len(named) + 1)]:
            unlike["rtt_ms"] = [*named.values()]
            of_flows.add(entry.run_id)
        for key, numbers in unlike.items():
            own = key == "rtt_ms" and all(ms is not None for ms in rtts[entry.run_id].values())
            if key in NUMBERS and key not in {*entry.values, *known[entry.run_id]} and not own:
                found[key].setdefault(entry.run_id, numbers)
    rows = []
    for key, of_runs in sorted(found.items()):
        because = "which of them is that of the run is not known, or of which flow each is"
        shown = some_of(" and ".join(f"{n:.12g}" for n in of) for of in of_runs.values())
        last = {run: numbers[-1] for run, numbers in of_runs.items()}
        yaml = [table_of(key, last, "with a table of the right ones, here the last of each:")]
        if key == "rtt_ms" and of_flows >= of_runs.keys():
            because, yaml = "nothing but the name says that they are of flow 1, 2, ...", []
        fits = all(len(rtts[run]) == len(numbers) for run, numbers in of_runs.items())
        if key == "rtt_ms" and fits:
            yaml.append(_rtts_of_flows(of_runs, rtts))
        value = f"{shown} in one name: none is taken"
        rows.append(Assumption(key, value, because, "\n".join(yaml), GUESS))
    return rows


def _rtts_of_flows(
    of_runs: Mapping[str | None, list[float]], flows: Mapping[str | None, Mapping[int, object]]
) -> str:
    """Return lines, as comments, that give each flow of runs its RTT: the first flow the first."""
    each = {run: dict(zip(sorted(flows[run]), of, strict=True)) for run, of in of_runs.items()}
    lines = ["if the first is of the first flow, and so on:"]
    same = next(iter(each.values()))
    if all(of == same for of in each.values()) and of_runs.keys() == flows.keys():
        lines += ["flows:", *(f"  {flow}: {{rtt_ms: {ms:.12g}}}" for flow, ms in same.items())]
    else:
        rows = [(run, flow, f"{ms:.12g}") for run, of in each.items() for flow, ms in of.items()]
        table = [f"    {csv_line(row)}" for row in sorted(rows, key=str)]
        lines += ["runs: runs.csv", "runs.csv:", "    run,flow,rtt_ms", *table]
    return "\n".join(f"# {line}" for line in lines)


def list_mentions(
    lacking: Collection[str], entries: Iterable[Entry], runs: list[Run]
) -> list[Assumption]:
    """Return rows on settings that no run has, though names say something of them.

    Args:
        lacking: the settings; buffer_pct is a buffer in whatever unit.
        entries: the inventory, placed.
        runs: those of the data set.
    """
    known = {run.run_id for run in runs}
    logs = [e for e in entries if e.run_id in known]
    rows = []
    for key in lacking:
        of_runs: dict[str | None, str] = {}
        for entry in logs:
            if text := mention(entry.path, key):
                of_runs.setdefault(entry.run_id, text)
        if of_runs:
            shown = some_of(f"'{text}'" for text in of_runs.values())
            meant = "a size of the buffer" if key == "buffer_pct" else key
            because = f"names have {shown}, a form that is not taken as {meant}"
            yaml = own_numbers([key])
            if len({*of_runs.values()}) > 1:
                head = f"with a table of your own numbers, {key} of each run:"
                yaml = table_of(key, dict.fromkeys(of_runs, ""), head)
            rows.append(Assumption(key, "unknown", because, yaml, DEFAULT))
    return rows


def _said_otherwise(key: str, files_yaml: str) -> str:
    """Return the lines, as comments, that say that a setting of names is another one."""
    truth, name = OTHERWISE[key]
    kept = _lines_of_files(files_yaml)
    if not kept:
        return f"# if they are {truth}: call the column {key} of runs.csv {name}"
    renamed = [line.replace(f"{{{key}}}", f"{{{name}}}") for line in kept]
    head = f"if they are {truth}, in place of the 'files:' above:"
    return "\n".join(f"# {line}" for line in (head, *renamed))


def _lines_of_files(files_yaml: str) -> list[str]:
    """Return the proposed lines from 'files:' on, without comments; none where there is no list."""
    lines = [line for line in files_yaml.splitlines() if not line.startswith("#")]
    return lines[lines.index("files:") :] if "files:" in lines else []
