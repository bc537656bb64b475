"""A data set: a folder of raw logs and what its dataset.yml, runs.csv and run records say of them.

The settings of a run come, from the weakest to the strongest, from `defaults:` in dataset.yml, the
placeholders of its files' paths, runs.csv, and a run record (run.json) beside the logs. Two of the
last three that contradict each other are an error, not a choice. Those of one flow come from its
run, from `flows:` in dataset.yml, and from what the last three say of this flow.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from math import isclose
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from ..congestion_controls import cca_name
from ..errors import DataError, did_you_mean, plainly_spelt
from ..files import USUAL_LIMITS, Limits, beyond, own_file
from ..markdown import first_of
from ..paths import holds_files, list_files, path_shown_as, printable, shown_path
from ..places import SCHEMAS
from ..schema import MOST, read_text, read_yaml, validate
from .entities import Description, Pattern, Row, Settled, Stream

SCHEMA = SCHEMAS / "dataset.schema.json"

# settings that files, runs.csv and records may give; everything else is a free factor
NUMBERS = {
    "bottleneck_mbps": float,
    "rtt_ms": float,
    "buffer_bdp": float,
    "buffer_pct": float,
    "buffer_bytes": int,
    "buffer_packets": int,
    "start_s": float,
    "duration_s": float,
    "mss_bytes": int,
    "repeat": int,
    "seed": int,
    "flow": int,
}
WORDS = ("aqm", "cca", "role", "platform", "tool", "tool_version")
FLOW_KEYS = ("cca", "start_s", "rtt_ms", "mss_bytes", "cross_traffic")
FLOW_ONLY = ("cca", "start_s", "cross_traffic")  # of these never settings of a run
YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
ROLES = ("calibration", "comparison")
ENDS = re.compile(
    r"flow|side|variable|host[0-9]*"
)  # placeholders that tell the logs of one run apart
OF_ENDS = re.compile(r"side|(?:place|host)[0-9]*")  # what is not of the run where its logs differ
LABEL = re.compile(r"side|variable|host[0-9]*|run[0-9]*")  # placeholders that are no settings
# names of placeholders and columns that mean something; with a number behind some of them
MEANT = re.compile(
    rf"{'|'.join((*NUMBERS, *WORDS, *FLOW_KEYS, LABEL.pattern))}|(?:{'|'.join(FLOW_KEYS)})[0-9]+"
)
REPETITIONS = ("repeat", "seed")  # settings that only tell the repeats of a scenario apart
# settings that evenflow finds itself; factors of these names would be lost
NO_SETTINGS = ("run_id", "scenario_id", "factors", "warmup_s", "made_by", "observed")
# folders and files of data/derived that are of no data set
RESERVED = ("papers", "experiments", "comparisons", "vega.js")
MAX_NAME_BYTES = 200  # of the 255 that file systems have, for '.<name>.sha256.<8 characters>'
# what Snakemake takes for a rule that has its own output for input (io.PeriodicityDetector)
PERIODIC = re.compile(r"(.+?)\1{19}$")
MANY_PLACEHOLDERS, LONG_PATH = 4, 60
PACKED = re.compile(r"\.(gz|xz|zst|bz2)$", re.IGNORECASE)
MARKS = {"*": "\1", "{": "\2", "}": "\3"}  # of characters meant literally: no path has these
MOST_OF_COUNT = 2**31 - 1  # of flows and repeats: the tables hold them as 32-bit integers
Tested = TypeVar("Tested", Stream, Settled)


def find_datasets(raw: str | Path) -> list[str]:
    """Return the names of the data sets: the folders of data/raw that hold files.

    Left out are those that `refused_entries` names.
    """
    return sorted(path.name for path in _entries(raw) if path.is_dir() and not _refusal(path.name))


def refused_entries(raw: str | Path) -> dict[str, tuple[str, str]]:
    """Return {name: (problem, remedy)} of what lies in data/raw and can be no data set."""
    refused = {}
    for path in _entries(raw):
        if path.is_file():
            remedy = "put it into a folder of its own: each folder of data/raw is a data set"
            refused[path.name] = ("the file belongs to no data set", remedy)
        elif problem := _refusal(path.name):
            refused[path.name] = (f"the folder's name {problem}", "rename the folder")
    return refused


def why_no_dataset(raw: str | Path, name: str) -> tuple[str, str]:
    """Return why there is no data set of a name, and the remedy.

    Files that lie in data/raw itself may be its logs: so `cp -r` puts them where data/raw was not.
    """
    refused, there = refused_entries(raw), find_datasets(raw)
    if name in refused:
        return refused[name]
    problem = "there is no such data set"
    loose = sorted(printable(one) for one in refused if Path(raw, one).is_file())
    what = f"the files that lie in {raw} itself ({first_of(loose, 3)})" if loose else "its logs"
    ways = [f"put {what} into a folder {raw}/{name}"]
    if there:
        ways.insert(bool(loose), f"correct the name ({did_you_mean(name, there)})")
    return problem, ", or ".join(ways)


def _entries(raw: str | Path) -> list[Path]:
    """Return the files and the folders with files in data/raw, but hidden ones and its README."""
    if not Path(raw).is_dir():
        return []
    found = [path for path in Path(raw).iterdir() if not path.name.startswith(".")]
    files = [path for path in found if path.is_file() and not path.name.startswith("README")]
    return files + [path for path in found if path.is_dir() and holds_files(path)]


def _refusal(name: str) -> str | None:
    """Return why a folder of this name cannot be carried through the workflow, or None."""
    if name in RESERVED:
        return "is reserved: it is that of something which evenflow makes in data/derived"
    if len(os.fsencode(name)) > MAX_NAME_BYTES:
        return f"has more than {MAX_NAME_BYTES} bytes: names of outputs are made of it"
    if set(name) & set("{}<>"):
        return "has brackets {} or <>, which Snakemake takes for names of its own"
    if found := PERIODIC.search(name):
        return f"ends in 20 times '{found[1]}', which Snakemake takes for a rule that calls itself"
    if not name.isprintable():  # nor is what is no UTF-8
        return "has a line break, or another character that cannot be printed"
    return None


def read_dataset(folder: str | Path, limits: Limits = USUAL_LIMITS) -> Description:
    """Read and check dataset.yml of a folder.

    Args:
        folder: the data set.
        limits: of the file's size and of what its aliases stand for, of the number of patterns.

    Returns:
        What it says; nothing where there is no dataset.yml.

    Raises:
        DataError: a misspelt key, a value of the wrong type or unit, more than the limits allow.
    """
    # here: what compiles them takes a second to load
    from ..formats import FAMILIES, FORMATS, IGNORE

    path = Path(folder) / "dataset.yml"
    content, lines = read_yaml(path, limits) if own_file(folder, path.name) else ({}, {})
    content = content or {}
    validate(content, SCHEMA, path=path, lines=lines)
    if (n := len(content.get("files", []))) > limits.patterns:
        problem, line = (
            f"there are {n:,} patterns, more than {limits.patterns:,}",
            lines.get(("files",)),
        )
        remedy = "match more files with a pattern, or name them in a table runs.csv"
        raise beyond("limits.patterns", problem, remedy, path=path, line=line)
    _refuse_two_buffers(content.get("defaults", {}), path, lines)
    _refuse_no_sentence(content.get("confirmed", []), path, lines)
    known = [*FORMATS, *(FAMILIES.keys() - FORMATS.keys()), IGNORE]
    patterns = []
    for index, said in enumerate(content.get("files", [])):
        pattern = Pattern(**said, line=lines.get(("files", index, "format")))
        if pattern.format is not None and pattern.format not in known:
            problem = f"unknown format '{pattern.format}'"
            remedy = did_you_mean(pattern.format, known)
            raise DataError(problem, path=path, line=pattern.line, remedy=remedy)
        _refuse_value(pattern, path, lines, index)
        _refuse_braces(pattern, path, lines, index)
        _refuse_other_spellings(pattern, path, lines, index)
        patterns.append(pattern)
    flows = {int(flow): dict(keys or {}) for flow, keys in content.get("flows", {}).items()}
    return Description(path, **{**content, "files": patterns, "flows": flows}, lines=lines)


def _refuse_two_buffers(defaults: dict[str, Any], path: Path, lines: dict) -> None:
    """Refuse a buffer in % that is not the one as a fraction: only one of them would count."""
    if not {"buffer_bdp", "buffer_pct"} <= defaults.keys():
        return
    fraction, percent = defaults["buffer_bdp"], defaults["buffer_pct"]
    if not isclose(100 * fraction, percent, rel_tol=1e-6):
        problem = f"defaults: buffer_bdp: {fraction} and buffer_pct: {percent} are two buffers"
        line = lines.get(("defaults", "buffer_pct"))
        raise DataError(problem, path=path, line=line, remedy="delete the one that is wrong")


def _refuse_no_sentence(confirmed: Sequence[str], path: Path, lines: dict) -> None:
    """Refuse to confirm what no page can say: its sentences begin with what they are about."""
    for i, said in enumerate(confirmed):
        if ": " not in said:
            problem = f"confirmed: '{said}' is not a sentence of a page: it has no colon"
            remedy = "copy the line of dataset.yml that the page shows beside what it says"
            line = lines.get(("confirmed", i))
            raise DataError(problem, path=path, line=line, remedy=remedy)


def _refuse_braces(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse a placeholder that can be no name, and a brace of none: it would match nothing."""
    from ..formats import IGNORE

    text = pattern.path
    if pattern.format == IGNORE:
        for character in MARKS:
            text = text.replace(f"[{character}]", "")
    bad = [name for name in re.findall(r"\{([^{}]*)\}", text) if not name.isidentifier()]
    if bad:
        problem = f"'{{{bad[0]}}}' is not a placeholder: a name has letters, digits and _ only"
        remedy = "begin the name with a letter, as in {flow}"
    elif re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text)):
        problem = f"a brace in '{text}' opens or ends no placeholder"
        remedy = "write {flow} where the name of a file has the number of its flow"
    else:
        return
    line = lines.get(("files", index, "path"), lines.get(("files", index)))
    raise DataError(f"files: {problem}", path=path, line=line, remedy=remedy)


def _refuse_other_spellings(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse placeholders that are settings but for their spelling, as {RTT_ms}."""
    from ..formats import IGNORE

    line = lines.get(("files", index, "path"), lines.get(("files", index)))
    names = re.findall(r"\{(\w+)\}", pattern.path) if pattern.format != IGNORE else []
    for name in names:
        if meant := _meant(name):
            raise _other_spelling(f"files: the placeholder '{{{name}}}'", meant, path, line)


def _meant(name: str) -> str | None:
    """Return the setting that a name is but for capitals, hyphens or blanks; None if it is none."""
    plain = plainly_spelt(name)
    return plain if plain != name and MEANT.fullmatch(plain) else None


def _other_spelling(what: str, meant: str, path: Path, line: int | None) -> DataError:
    problem = f"{what} is not the setting {meant}: it would be a factor of that name"
    remedy = f"did you mean '{meant}'? If not, give the factor another name"
    return DataError(problem, path=path, line=line, remedy=remedy)


def _refuse_value(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse a pattern of two-column files that does not say its value, and one that needs none."""
    from ..formats import TWO_COLUMN, two_column

    declared, line = pattern.format, lines.get(("files", index))
    if declared == TWO_COLUMN and pattern.value is None:
        problem = "nothing says what the second column of the files is"
        remedy = f"add 'value:' with one of {', '.join(two_column.VALUES)}"
    elif pattern.value is not None and declared != TWO_COLUMN:
        problem = "'value:' says what the second column of a two-column file is"
        remedy = f"add 'format: {TWO_COLUMN}', or delete it"
        line = lines.get(("files", index, "value"))
    else:
        return
    raise DataError(problem, path=path, line=line, remedy=remedy)


def path_pattern(template: str, globs: bool = False) -> re.Pattern:
    """Turn 'rtt{rtt_ms}/flow{flow}.log' into a regular expression with named groups.

    Placeholders of numeric settings match numbers only; others match within one path segment.

    Args:
        template: a path with placeholders.
        globs: '*' stands for any text within one path segment, '**/' for any folders; '[*]',
            '[{]' and '[}]' for the characters themselves.
    """
    for character, mark in MARKS.items() if globs else ():
        template = template.replace(f"[{character}]", mark)
    pieces, seen = [], set()
    for literal, name in re.findall(r"([^{}]*)(?:\{(\w+)\})?", template):
        pieces.append(_globbed(literal) if globs else re.escape(literal))
        if name in seen:
            pieces.append(f"(?P={name})")
        elif name:
            seen.add(name)
            value = r"[0-9]+(?:\.[0-9]+)?" if name in NUMBERS else r"[^/]+?"
            pieces.append(f"(?P<{name}>{value})")
    return re.compile("".join(pieces))


def matches(pattern: re.Pattern, paths: Collection[str]) -> dict[str, re.Match]:
    """Return the matches of those paths that fit a pattern (`path_pattern`).

    Many placeholders in one name have as many ways to share a long name as there are to cut it:
    names that cannot fit are found out by a matcher that does not try them all.
    """
    hopeless: set[str] = set()
    if pattern.groups > MANY_PLACEHOLDERS:
        import polars as pl  # here: the Snakefile, which reads names of data sets, needs none

        long = pl.Series([path for path in paths if len(path) > LONG_PATH], dtype=pl.String)
        simple = re.sub(r"\(\?P=\w+\)", "[^/]+", pattern.pattern)
        hopeless.update(long.filter(~long.str.contains(f"^(?:{simple})$")))
    found = ((path, pattern.fullmatch(path)) for path in paths if path not in hopeless)
    return {path: match for path, match in found if match}


def _globbed(literal: str) -> str:
    kinds = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*\*|\*)", re.sub(r"\*{3,}", "**", literal))
    found = ""
    for i, part in enumerate(parts):
        if part == "*" and parts[i + 2 : i + 3] in (["*"], ["**"]):
            # the first place where the text up to the next star fits will do: no other is tried
            parts[i + 1], text = "", parts[i + 1]
            found += f"(?>[^/]*?{re.escape(text)})"
        else:
            found += kinds.get(part) or re.escape(part)
    for character, mark in MARKS.items():
        found = found.replace(re.escape(mark), re.escape(character))
    return found


def run_of_path(template: str, values: dict[str, str], of_flow: Collection[str]) -> str:
    """Return the id of the run that a file belongs to, as its path says it.

    Args:
        template: the pattern that the path matches.
        values: what its placeholders stand for.
        of_flow: placeholders that are of the one flow (`cca_of_flow`, `own_settings_of_flows`).
    """
    ends = tuple(k for k in values if ENDS.fullmatch(k) or k in of_flow)
    whole = re.sub(r"\*+", "*", filled(template, {**values, **dict.fromkeys(ends, "*")}))
    return run_path(template, values, ends) or whole


def scenario_of_path(
    template: str, values: dict[str, str], of_flow: Collection[str], over: Container[str] = ()
) -> str:
    """Return the id of the scenario that a file belongs to; empty where its path says none.

    However the file is packed.

    Args:
        template, values, of_flow: as for `run_of_path`.
        over: placeholders that tell repeats apart, as dataset.yml says (`pool_over`).
    """
    without = tuple(
        k
        for k in values
        if ENDS.fullmatch(k) or LABEL.fullmatch(k) or k in REPETITIONS or k in over or k in of_flow
    )
    return PACKED.sub("", run_path(template, values, without))


def run_path(template: str, values: dict[str, str], without: tuple[str, ...]) -> str:
    """Fill a path template, '*' for the placeholders in `without`, and drop trailing segments
    that hold no other placeholder: what is left names the run (or the scenario)."""
    path = filled(_telling(template, without), {**values, **dict.fromkeys(without, "*")})
    return re.sub(r"\*+", "*", path)


@lru_cache(maxsize=2**14)
def _telling(template: str, without: tuple[str, ...]) -> str:
    """Return a path template up to its last segment with a placeholder that is not `without`."""
    segments = template.split("/")
    while segments and not set(re.findall(r"\{(\w+)\}", segments[-1])) - set(without):
        segments.pop()
    return "/".join(segments)


def renamed(template: str, names: Mapping[str, str]) -> str:
    """Return a path template in which some placeholders have other names."""
    return re.sub(r"\{(\w+)\}", lambda match: f"{{{names.get(match[1], match[1])}}}", template)


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a path template with values for its placeholders."""
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], template)


def cca_of_flow(placed: list[tuple[str, dict[str, str]]]) -> set[str]:
    """Return the patterns whose {cca} is that of the one flow, not of the whole run.

    That is so where the runs would else have one flow each, and without it have several, each with
    one congestion control: 'flow1 (cubic).log', 'flow2 (bbr).log'. And where only all of them
    together have the flows 1, 2, ...: 'cubic1.log', 'bbr2.log', 'bbr3.log'. And where a pattern
    names the pair, {cca1} and {cca2}, as well.

    Args:
        placed: for every file its pattern and what the placeholders stand for.
    """
    narrow: dict[tuple, set] = {}
    wide: dict[tuple, dict] = {}
    of_pair: set[str] = set()
    for template, values in placed:
        if {"cca", "cca1", "cca2"} <= values.keys():
            of_pair.add(template)
            continue
        flow = tuple(
            v
            for k, v in sorted(values.items())
            if ENDS.fullmatch(k) and k not in ("side", "variable")
        )
        if not flow or "cca" not in values:
            continue
        run = tuple(v for k, v in sorted(values.items()) if k != "cca" and not ENDS.fullmatch(k))
        narrow.setdefault((template, run, values["cca"]), set()).add(flow)
        ccas = wide.setdefault((template, run), {})
        ccas.setdefault(flow, set()).add(values["cca"])
    found = {template for template, _ in wide}
    for (template, run, _), flows in narrow.items():
        if len(flows) > 1 and not _count_from_1(wide[template, run]):
            found.discard(template)
    for (template, _), ccas in wide.items():
        if len(ccas) < 2 or any(len(of_flow) > 1 for of_flow in ccas.values()):
            found.discard(template)
    return found | of_pair


def ccas_beside_settings(placed: list[tuple[str, dict[str, str]]]) -> set[str]:
    """Return what `cca_of_flow` does, also where settings of flows stand in the same name.

    Args:
        placed: for every file its pattern and what the placeholders stand for.
    """
    if not any(_beside_flow(template) for template in {template for template, _ in placed}):
        return cca_of_flow(placed)
    without = [
        (template, {k: v for k, v in values.items() if k not in _beside_flow(template)})
        for template, values in placed
    ]
    return cca_of_flow(placed) | cca_of_flow(without)


def own_settings_of_flows(
    placed: Sequence[tuple[str, dict[str, str], Collection[str]]],
) -> list[tuple[str, ...]]:
    """Return the placeholders beside {flow} of which each flow of a run has a value of its own.

    'flow1_at0', 'flow2_at10' of '{flow}_at{start_s}' are flows of one run: without the setting a
    run has several flows, and each of them one value.

    Args:
        placed: for every file its pattern, what the placeholders stand for, and which of them are
            known to be of the flow.

    Returns:
        Of each file; empty where there are none.
    """
    values_of: dict[tuple, dict[str, set[tuple]]] = defaultdict(lambda: defaultdict(set))
    runs = []
    for template, values, of_flow in placed:
        keys = _beside_flow(template)
        run = template, run_of_path(template, values, {*of_flow, *keys}) if keys else ""
        if keys:
            values_of[run][values["flow"]].add(tuple(values[key] for key in keys))
        runs.append(run)
    of_flows = {
        run
        for run, flows in values_of.items()
        if len(flows) > 1
        and all(len(of_one) == 1 for of_one in flows.values())
        and len(set.union(*flows.values())) > 1
    }
    return [_beside_flow(run[0]) if run in of_flows else () for run in runs]


@lru_cache(maxsize=2**10)
def _beside_flow(template: str) -> tuple[str, ...]:
    """Return the settings of flows, but for {cca}, in the segment of a pattern that has {flow}."""
    segment = next((part for part in template.split("/") if "{flow}" in part), "")
    return tuple(key for key in FLOW_KEYS if key != "cca" and f"{{{key}}}" in segment)


def _count_from_1(flows: Iterable[tuple[str, ...]]) -> bool:
    """Return whether labels of flows are 1, 2, ..., each once."""
    labels = list(flows)
    counted = {(str(n),) for n in range(1, len(labels) + 1)}
    return set(labels) == counted


def split_tests(base: str, streams: list[Tested]) -> dict[str, list[Tested]] | None:
    """Return the streams of the tests of a run's logs; None where they have not equally many."""
    counts = set(count_tests(streams).values())
    if counts <= {1}:
        return {base: streams}
    if len(counts) > 1:
        return None
    split: dict[str, list[Tested]] = defaultdict(list)
    for stream in streams:
        split[f"{base}#{stream.episode}"].append(stream)
    return dict(split)


def count_tests(streams: Sequence[Stream | Settled]) -> dict[int, int]:
    """Return how many tests each log holds, {file_id: number}, by its streams."""
    counts: dict[int, int] = defaultdict(int)
    for stream in streams:
        counts[stream.file_id] = max(counts[stream.file_id], stream.episode)
    return counts


def typed(key: str, value: Any, path: object, line: int | None = None) -> Any:
    """Convert a setting from text to its type.

    Raises:
        DataError: the key is no setting; the value is not a number where one is needed, negative,
            a fraction where a whole number is needed, not a known role, or neither yes nor no.
    """
    if key in NO_SETTINGS:
        problem = f"'{key}' is the name of what evenflow fills in itself"
        remedy = f"call the placeholder, or the column, 'my_{key}'"
        raise DataError(problem, path=path, line=line, remedy=remedy)
    if key in NUMBERS:
        try:
            # to Python '1_5' is 15
            number = float(value if "_" not in str(value) else "no number")
        except (TypeError, ValueError) as error:
            problem, remedy = f"{key}: '{value}' is not a number", "write digits without a unit"
            raise DataError(problem, path=path, line=line, remedy=remedy) from error
        whole = NUMBERS[key] is int
        if not 0 <= number < float("inf") or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            remedy = "correct it, and mind the unit that the key names"
            problem = f"{key}: {value} is not {kind} from 0 up"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        if whole and number > (MOST_OF_COUNT if key in ("flow", "repeat") else MOST):
            problem, remedy = f"{key}: {value} is too large a number", "write a smaller one"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        return NUMBERS[key](number)
    if re.fullmatch("cca[0-9]*", key):
        return cca_name(value)
    if key == "cross_traffic" and not isinstance(value, bool):
        if str(value).lower() not in YES_NO:
            problem, remedy = (
                f"cross_traffic: '{value}' is neither yes nor no",
                "write true or false",
            )
            raise DataError(problem, path=path, line=line, remedy=remedy)
        return YES_NO[str(value).lower()]
    if key == "role" and value not in ROLES:
        remedy = f"use one of: {', '.join(ROLES)}"
        raise DataError(f"unknown role '{value}'", path=path, line=line, remedy=remedy)
    return value


def split_numbered(
    settings: dict[str, Any], path: Path, line: int | None = None
) -> tuple[dict[int, dict], dict[str, Any]]:
    """Split 'cca1', 'cca2' (the flows' own settings) from those of the run.

    Raises:
        DataError: as `typed`.
    """
    numbered: dict[int, dict] = {}
    plain = {}
    for key, value in settings.items():
        match = re.fullmatch(rf"({'|'.join(FLOW_KEYS)})(\d+)", key)
        if match:
            value = typed(match[1], value, path, line)
            numbered.setdefault(int(match[2]), {})[match[1]] = value
        else:
            plain[key] = value
    return numbered, plain


def runs_table(folder: Path, dataset: Description) -> tuple[dict[str, list[Row]], dict[str, Row]]:
    """Read runs.csv.

    Returns:
        For every run id what the rows of the column 'run' alone say of it, and of its flows; and
        the rows of the files in the column 'path', by path.

    Raises:
        DataError: no such table, or a row that cannot be; two rows that contradict each other.
    """
    if dataset.runs is None:
        return {}, {}
    path = folder / dataset.runs
    if not path.resolve().is_relative_to(folder.resolve()):
        problem = f"'runs: {dataset.runs}' is outside of the data set"
        remedy = "put the table into the data set's folder"
        raise DataError(problem, path=folder / "dataset.yml", remedy=remedy)
    if not own_file(folder, dataset.runs):
        problem = f"there is no file '{dataset.runs}', which dataset.yml names under 'runs'"
        raise DataError(problem, path=folder / "dataset.yml", remedy="add it or delete the key")
    by_run: dict[str, list[Row]] = {}
    by_path: dict[str, Row] = {}
    seen: dict[tuple, Row] = {}
    text = read_text(path).removeprefix("\ufeff")
    with _naming_the_row(path), io.StringIO(text, newline="") as handle:
        reader = csv.DictReader(handle)
        if not {"run", "path"} & set(reader.fieldnames or []):
            raise _no_column(path, text.partition("\n")[0], reader.fieldnames or [])
        _refuse_columns(path, reader.fieldnames or [])
        for row in reader:
            line = reader.line_num
            if None in row:
                problem = f"the row has {len(row[None])} more values than there are columns"
                remedy = "quote values that hold a comma, or name the column in the first line"
                raise DataError(problem, path=path, line=line, remedy=remedy)
            if row.get(""):
                problem = f"the value '{row['']}' is in a column without a name"
                remedy = "name the column in the first line, or delete the value"
                raise DataError(problem, path=path, line=line, remedy=remedy)
            values = {key: value.strip() for key, value in row.items() if value and value.strip()}
            file, run = values.pop("path", None), values.pop("run", None)
            settings = {key: typed(key, value, path, line) for key, value in values.items()}
            of_row = Row(run, settings.pop("flow", None), settings, line)
            _refuse_contradiction(path, of_row, seen, file is not None)
            if file is not None:
                _refuse_bad_path(folder, path, line, file, by_path)
                by_path[file] = of_row
            elif run is None:
                remedy = "say which run (or which file) the settings are of, or delete the row"
                raise DataError("the row names no run", path=path, line=line, remedy=remedy)
            else:
                by_run.setdefault(run, []).extend(_parts(path, of_row))
    return by_run, by_path


def _parts(path: Path, row: Row) -> list[Row]:
    """Part a row of runs.csv into what it says of its run, and of each flow that it names."""
    numbered, of_run = split_numbered(row.settings, path, row.line)
    of_flows = list(numbered.items())
    if row.flow is not None:
        of_flow = {key: of_run.pop(key) for key in FLOW_KEYS if key in of_run}
        of_flows.append((row.flow, of_flow))
    parts = [row._replace(flow=flow, settings=keys) for flow, keys in of_flows]
    return [row._replace(flow=None, settings=of_run), *parts]


def _refuse_contradiction(path: Path, row: Row, seen: dict[tuple, Row], of_file: bool) -> None:
    """Refuse a setting of a run or a flow that an earlier row says otherwise.

    Args:
        path: of runs.csv.
        row: the row, which names its run or is of a file.
        seen: the rows so far by run, flow and setting; changed.
        of_file: whether it is of a file. What it says of a flow without its number is left to
            where the flows of the files are known.
    """
    for part in _parts(path, row._replace(flow=None) if of_file else row):
        for key, value in part.settings.items():
            later = of_file and part.flow is None and key in FLOW_KEYS
            if row.run is None or later or OF_ENDS.fullmatch(key):
                continue
            first = seen.setdefault((row.run, part.flow, key), part)
            if first.settings[key] != value:
                whose = f"run '{row.run}'" + (f", flow {part.flow}" if part.flow else "")
                problem = f"{key} of {whose} is {value} here and {first.settings[key]} in line "
                problem += str(first.line)
                remedy = "correct one of the rows: all that they say of a run must agree"
                raise DataError(problem, path=path, line=row.line, remedy=remedy)


def _no_column(path: Path, header: str, names: Sequence[str]) -> DataError:
    """Return the error of a table of runs without a column of ids or paths, with what it has."""
    problem = "there is no column 'run' or 'path'"
    remedy = "name the column of the runs' ids 'run', or that of the files' paths 'path'"
    other = next((s for s in (";", "\t", "|") if s in header and "," not in header), None)
    alike = [name for name in names if name.strip().lower() in ("run", "path")]
    if other:
        shown = "tabs" if other == "\t" else f"'{other}'"
        problem += f": the header has {shown} between its columns"
        remedy = f"put commas in place of {shown}, and points into numbers with decimal commas"
    elif alike:
        shown = " and ".join(f"'{name}'" for name in alike)
        problem += f", but {shown}"
        remedy = "write the names of all columns in small letters, without blanks"
    return DataError(problem, path=path, line=1, remedy=remedy)


def _refuse_columns(path: Path, names: Sequence[str]) -> None:
    """Refuse two columns of one name, of which the last would count, and other spellings."""
    for i, name in enumerate(names):
        if name and name in names[:i]:
            problem, remedy = f"the column '{name}' is here twice", "keep one of the two"
            raise DataError(problem, path=path, line=1, remedy=remedy)
        meant = _meant(name)
        if meant or plainly_spelt(name) == "path" != name:
            raise _other_spelling(f"the column '{name}'", meant or "path", path, 1)


@contextmanager
def _naming_the_row(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        remedy = "save it as plain CSV in UTF-8: a header line, then one line per row"
        raise DataError(f"not a table of CSV: {error}", path=path, remedy=remedy) from error


def _refuse_bad_path(folder: Path, path: Path, line: int, file: str, seen: dict) -> None:
    if file in seen:
        problem, remedy = f"the file '{file}' has two rows", "merge them"
    elif PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
        problem = f"the file '{file}' is outside of the data set"
        remedy = "write its path from the data set's folder; files outside of it cannot be used"
    elif not (folder / path_shown_as(file)).is_file():
        there = [found.path for found in list_files(folder) if not found.problem]
        files = [shown_path(p.relative_to(folder)) for p in there]
        problem, remedy = f"there is no file '{file}'", did_you_mean(file, files)
    else:
        return
    raise DataError(problem, path=path, line=line, remedy=remedy)
