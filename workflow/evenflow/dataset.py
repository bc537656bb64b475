"""A data set: a folder of raw logs and what its dataset.yml, runs.csv and run records say of them.

The settings of a run come, from the weakest to the strongest, from `defaults:` in dataset.yml, the
placeholders of its files' paths, runs.csv, and a run record (run.json) beside the logs. Two of the
last three that contradict each other are an error, not a choice.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

from .errors import DataError, did_you_mean
from .files import decompressed, sha256_hex
from .formats import FORMATS, IGNORE, METADATA, RUN_RECORD, detect_format
from .schema import read_yaml, validate

SCHEMA = Path(__file__).parents[1] / "schemas" / "dataset.schema.json"

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
FLOW_KEYS = ("cca", "start_s", "rtt_ms", "mss_bytes")
ROLES = ("calibration", "comparison")
HEADER_BYTES = 52  # IP 20 + TCP 20 + timestamps 12: what a full packet adds to its payload
UNDOCUMENTED = re.compile(r"(^|/)(README|LICEN[CS]E|CHANGES)[^/]*$|(^|/)\.")


def read_dataset(folder: str | Path) -> dict[str, Any]:
    """Read and check dataset.yml of a folder.

    Returns:
        The content of dataset.yml with `on_error`, `files`, `flows` and `defaults` filled in.

    Raises:
        DataError: a misspelt key, a value of the wrong type or unit, a missing dataset.yml.
    """
    path = Path(folder) / "dataset.yml"
    if not path.is_file():
        remedy = "write one with at least 'title', 'platform' and 'files' (see docs/data-model.md)"
        raise DataError("there is no dataset.yml", path=folder, remedy=remedy)
    content, lines = read_yaml(path)
    content = content or {}
    validate(content, SCHEMA, path=path, lines=lines)
    for index, entry in enumerate(content.get("files", [])):
        known = [*FORMATS, IGNORE]
        if entry.get("format", IGNORE) not in known:
            line = lines.get(("files", index, "format"))
            problem = f"unknown format '{entry['format']}'"
            remedy = did_you_mean(entry["format"], known)
            raise DataError(problem, path=path, line=line, remedy=remedy)
    flows = {int(flow): dict(keys or {}) for flow, keys in content.get("flows", {}).items()}
    return {"defaults": {}, "files": [], "on_error": "fail", **content, "flows": flows}


def path_pattern(template: str) -> re.Pattern:
    """Turn 'rtt{rtt_ms}/flow{flow}.log' into a regular expression with named groups.

    Placeholders of numeric settings match numbers only; others match within one path segment.
    """
    pieces, seen = [], set()
    for literal, name in re.findall(r"([^{}]*)(?:\{(\w+)\})?", template):
        pieces.append(re.escape(literal))
        if name in seen:
            pieces.append(f"(?P={name})")
        elif name:
            seen.add(name)
            value = r"\d+(?:\.\d+)?" if name in NUMBERS else r"[^/]+?"
            pieces.append(f"(?P<{name}>{value})")
    return re.compile("".join(pieces))


def run_path(template: str, values: dict[str, str], without: tuple[str, ...]) -> str:
    """Fill a path template, '*' for the placeholders in `without`, and drop trailing segments
    that hold no other placeholder: what is left names the run (or the scenario)."""
    segments = template.split("/")
    own = [set(re.findall(r"\{(\w+)\}", segment)) - set(without) for segment in segments]
    while segments and not own[-1]:
        segments.pop(), own.pop()
    filled = {**values, **dict.fromkeys(without, "*")}
    return re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], "/".join(segments))


def inventory(folder: str | Path, dataset: dict[str, Any]) -> list[dict[str, Any]]:
    """List every file of a data set, read it, and say what it is.

    Returns:
        A dict a file, sorted by path: path (relative), sha256, bytes, content (decompressed bytes,
        None when the file could not be read), problem (why), format, run_id, scenario_id, flow_id,
        settings (from placeholders).

    Raises:
        DataError: a file that no pattern matches, whose format is unknown, or that cannot be read.
    """
    folder = Path(folder)
    patterns = [
        (entry["path"], path_pattern(entry["path"]), entry.get("format"))
        for entry in dataset["files"]
    ]
    entries = []
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        path = file.relative_to(folder).as_posix()
        entry = {"path": path, "run_id": None, "scenario_id": None, "flow_id": None, "settings": {}}
        data = file.read_bytes()
        entry |= {"sha256": sha256_hex(data), "bytes": len(data), "problem": None}
        try:
            entry["content"] = decompressed(data, file)
            entry |= _identity(path, file, entry["content"], patterns, dataset)
            may_be_empty = getattr(FORMATS.get(entry["format"]), "MAY_BE_EMPTY", False)
            log = entry["format"] in FORMATS and not may_be_empty
            if log and not entry["content"].strip():
                problem = "the log is empty: the program that should write it died or never ran"
                remedy = "delete the run so that it is made anew, or set 'on_error: quarantine'"
                raise DataError(problem, path=file, remedy=remedy)
        except DataError as error:
            if dataset["on_error"] != "quarantine":
                raise
            entry |= {"content": None, "problem": error.problem, "format": "unreadable"}
        entries.append(entry)
    _refuse_double_claims(folder, entries)
    return entries


def _identity(path: str, file: Path, content: bytes, patterns: list, dataset: dict) -> dict:
    if path in ("dataset.yml", dataset.get("runs")) or UNDOCUMENTED.search(path):
        return {"format": METADATA}
    for template, pattern, format_name in patterns:
        match = pattern.fullmatch(path)
        if not match:
            continue
        if format_name == IGNORE:
            return {"format": IGNORE}
        values = match.groupdict()
        settings = {key: typed(key, value, file) for key, value in values.items()}
        flow = settings.pop("flow", None)
        return {
            "format": format_name or detect_format(content, file),
            "run_id": run_path(template, values, ("flow",)),
            "scenario_id": run_path(template, values, ("flow", "repeat")),
            "flow_id": flow,
            "settings": settings,
        }
    tried = "; ".join(template for template, _, _ in patterns) or "none"
    problem = f"no pattern under 'files:' in dataset.yml matches this path (patterns: {tried})"
    remedy = (
        "correct the name or the pattern (numeric placeholders match digits only), or add a "
        "pattern with 'format: ignore' for files that are no logs"
    )
    raise DataError(problem, path=file, remedy=remedy)


def typed(key: str, value: Any, path: object, line: int | None = None) -> Any:
    """Convert a setting from text to its type.

    Raises:
        DataError: the value is not a number where one is needed, or not a known role.
    """
    if key in NUMBERS:
        try:
            return NUMBERS[key](float(value))
        except (TypeError, ValueError) as error:
            problem, remedy = f"{key}: '{value}' is not a number", "write digits without a unit"
            raise DataError(problem, path=path, line=line, remedy=remedy) from error
    if key == "role" and value not in ROLES:
        remedy = f"use one of: {', '.join(ROLES)}"
        raise DataError(f"unknown role '{value}'", path=path, line=line, remedy=remedy)
    return value


def _refuse_double_claims(folder: Path, entries: list[dict]) -> None:
    claimed: dict[tuple, str] = {}
    for entry in entries:
        side = FORMATS[entry["format"]].side(entry["content"]) if entry["flow_id"] else None
        if side is None:
            continue
        key = (entry["run_id"], entry["flow_id"], side)
        if key in claimed:
            problem = f"claims run '{key[0]}', flow {key[1]} ({side}), as {claimed[key]} does"
            remedy = "give each flow of a run its own id in the file name, or correct the pattern"
            raise DataError(problem, path=folder / entry["path"], remedy=remedy)
        claimed[key] = entry["path"]
        entry["side"] = side


def run_settings(folder: str | Path, dataset: dict, entries: list[dict]) -> tuple[list, list]:
    """Merge what paths, runs.csv and run records say of every run and flow.

    Returns:
        For every run a dict of its `settings` (run_id, scenario_id, and the keys of dataset.yml in
        their units) and, from its record, `made_by` and `observed`; and rows for the flows
        (run_id, flow_id, cca, start_s, rtt_ms, mss_bytes).

    Raises:
        DataError: sources that contradict each other, a flow without a log, a label that cannot be.
    """
    folder = Path(folder)
    table = _runs_table(folder, dataset)
    runs, flows = [], []
    for run_id in sorted({e["run_id"] for e in entries if e["run_id"] is not None}):
        files = [e for e in entries if e["run_id"] == run_id]
        where = folder / run_id
        settings: dict[str, Any] = {}
        notes: dict[str, Any] = {}
        flow_settings: dict[int, dict] = {}
        for entry in files:
            numbered, plain = _split_numbered(entry["settings"])
            if entry["flow_id"] is not None:
                per_flow = {k: plain.pop(k) for k in ("cca", "start_s") if k in plain}
                _merge(flow_settings.setdefault(entry["flow_id"], {}), per_flow, where)
            _merge(settings, plain, where)
            for flow, keys in numbered.items():
                _merge(flow_settings.setdefault(flow, {}), keys, where)
        for flow, row in table.get(run_id, []):
            _merge(settings if flow is None else flow_settings.setdefault(flow, {}), row, where)
        for entry in files:
            if entry["format"] == RUN_RECORD and entry["content"] is not None:
                record = _read_record(folder / entry["path"], entry["content"])
                notes = {key: record[key] for key in ("made_by", "observed")}
                _merge(settings, record["run"], where)
                for flow, keys in record["flows"].items():
                    _merge(flow_settings.setdefault(int(flow), {}), keys, where)
        settings = {"platform": dataset.get("platform"), **dataset["defaults"], **settings}
        logged = {e["flow_id"]: e for e in files if e["flow_id"] is not None}
        for entry in files:
            if entry["content"] is not None:
                for flow in FORMATS[entry["format"]].flows(entry["content"]):
                    logged.setdefault(flow, entry)
        _refuse_missing_flows(where, {*flow_settings, *dataset["flows"]}, logged)
        inherited = {key: settings.pop(key) for key in ("cca", "start_s") if key in settings}
        row = {"run_id": run_id, "scenario_id": files[0]["scenario_id"], **settings}
        runs.append({"settings": row, **notes})
        for flow in sorted(logged):
            row = {"rtt_ms": settings.get("rtt_ms"), "mss_bytes": settings.get("mss_bytes")}
            row |= inherited | dataset["flows"].get(flow, {}) | flow_settings.get(flow, {})
            flows.append({"run_id": run_id, "flow_id": flow, **row})
    if not runs:
        remedy = "put logs into it and name them under 'files:' in dataset.yml"
        raise DataError("the data set has no run", path=folder, remedy=remedy)
    return runs, flows


def _split_numbered(settings: dict) -> tuple[dict[int, dict], dict]:
    """Split 'cca1', 'cca2' (the flows' own settings) from those of the run."""
    numbered: dict[int, dict] = {}
    plain = {}
    for key, value in settings.items():
        match = re.fullmatch(rf"({'|'.join(FLOW_KEYS)})(\d+)", key)
        if match:
            numbered.setdefault(int(match[2]), {})[match[1]] = typed(match[1], value, None)
        else:
            plain[key] = value
    return numbered, plain


def _merge(into: dict, more: dict, where: object) -> None:
    for key, value in more.items():
        if into.setdefault(key, value) != value:
            problem = f"{key} is {into[key]} by one source and {value} by another"
            remedy = "correct the file name, runs.csv or the run record: they must agree"
            raise DataError(problem, path=where, remedy=remedy)


def _refuse_missing_flows(where: Path, declared: set[int], logged: dict) -> None:
    for flow in sorted(declared - set(logged)):
        problem = f"the run has no log of flow {flow}"
        remedy = "add the log, or delete the run so that it is made anew"
        raise DataError(problem, path=where, remedy=remedy)


def _read_record(path: Path, content: bytes) -> dict:
    try:
        record = json.loads(content)
        run = {key: typed(key, value, path) for key, value in record["run"].items()}
        flows = {
            flow: {key: typed(key, value, path) for key, value in keys.items()}
            for flow, keys in record["flows"].items()
        }
    except (ValueError, KeyError, AttributeError) as error:
        line = getattr(error, "lineno", None)
        remedy = "delete the run so that it is made anew, or restore the file"
        problem = f"not a run record of evenflow ({error})"
        raise DataError(problem, path=path, line=line, remedy=remedy) from error
    notes = {key: record.get(key, {}) for key in ("made_by", "observed")}
    return {"run": run, "flows": flows, **notes}


def _runs_table(folder: Path, dataset: dict) -> dict[str, list[tuple[int | None, dict]]]:
    """Read runs.csv: for every run id, (flow or None, settings) a row."""
    if "runs" not in dataset:
        return {}
    path = folder / dataset["runs"]
    if not path.is_file():
        problem = f"there is no file '{dataset['runs']}', which dataset.yml names under 'runs'"
        raise DataError(problem, path=folder / "dataset.yml", remedy="add it or delete the key")
    table: dict[str, list] = {}
    with path.open(newline="", encoding="utf-8-sig") as handle:
        reader = csv.DictReader(handle)
        if "run" not in (reader.fieldnames or []):
            remedy = "name the column that holds the run's id 'run'"
            raise DataError("there is no column 'run'", path=path, line=1, remedy=remedy)
        for row in reader:
            run = row.pop("run")
            row = {k: typed(k, v, path, reader.line_num) for k, v in row.items() if v}
            table.setdefault(run, []).append((row.pop("flow", None), row))
    return table
