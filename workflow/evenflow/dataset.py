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
from .formats import FORMATS, IGNORE, LEFT_OUT, METADATA, RUN_RECORD, UNREADABLE, detect_format
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
        None when the file could not be read), problem (why), format, side, run_id, scenario_id,
        flow_id, settings (from placeholders).

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
        entry |= {"sha256": sha256_hex(data), "bytes": len(data), "content": None, "problem": None}
        try:
            entry |= _place(path, file, patterns, dataset)
            content = decompressed(data, file)
            if not content.strip() and not _may_be_empty(entry["format"]):
                problem = "the log is empty: the program that should write it died or never ran"
                remedy = "delete the run so that it is made anew, or set 'on_error: quarantine'"
                raise DataError(problem, path=file, remedy=remedy)
            entry["format"] = entry["format"] or detect_format(content, file)
            entry["content"] = content
        except DataError as error:
            if dataset["on_error"] != "quarantine":
                raise
            entry |= {"problem": error.problem, "format": UNREADABLE}
        entries.append(entry)
    _refuse_double_claims(folder, entries)
    return entries


def _may_be_empty(format_name: str | None) -> bool:
    """Return whether a file of this format (None: still to be detected) may hold nothing."""
    if format_name is None:
        return False
    return getattr(FORMATS.get(format_name), "MAY_BE_EMPTY", format_name not in FORMATS)


def _place(path: str, file: Path, patterns: list, dataset: dict) -> dict:
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
            "format": format_name,
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
        DataError: the value is not a number where one is needed, negative, a fraction where a whole
            number is needed, or not a known role.
    """
    if key in NUMBERS:
        try:
            number = float(value)
        except (TypeError, ValueError) as error:
            problem, remedy = f"{key}: '{value}' is not a number", "write digits without a unit"
            raise DataError(problem, path=path, line=line, remedy=remedy) from error
        whole = NUMBERS[key] is int
        if not 0 <= number < float("inf") or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            remedy = "correct it, and mind the unit that the key names"
            problem = f"{key}: {value} is not {kind} from 0 up"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        return NUMBERS[key](number)
    if key == "role" and value not in ROLES:
        remedy = f"use one of: {', '.join(ROLES)}"
        raise DataError(f"unknown role '{value}'", path=path, line=line, remedy=remedy)
    return value


def _refuse_double_claims(folder: Path, entries: list[dict]) -> None:
    claimed: dict[tuple, str] = {}
    for entry in entries:
        if entry["content"] is None or entry["flow_id"] is None:
            continue
        side = FORMATS[entry["format"]].side(entry["content"])
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

    Under `on_error: quarantine` a run that has an unreadable file or a contradiction is left out,
    and its `entries` are marked so.

    Returns:
        For every run a dict of its `settings` (run_id, scenario_id, and the keys of dataset.yml in
        their units) and, from its record, `made_by` and `observed`; and rows for the flows
        (run_id, flow_id, cca, start_s, rtt_ms, mss_bytes).

    Raises:
        DataError: sources that contradict each other, a flow without a log, a log without a flow,
            a run in runs.csv that is not there.
    """
    folder = Path(folder)
    table = _runs_table(folder, dataset)
    run_ids = sorted({e["run_id"] for e in entries if e["run_id"] is not None})
    _refuse_unknown_runs(folder, dataset, table, run_ids)
    runs, flows = [], []
    for run_id in run_ids:
        files = [e for e in entries if e["run_id"] == run_id]
        broken = next((e for e in files if e["content"] is None), None)
        if broken:
            leave_out(files, f"{broken['path']}: {broken['problem']}")
            continue
        try:
            run, its_flows = _one_run(folder, dataset, run_id, files, table.get(run_id, []))
        except DataError as error:
            if dataset["on_error"] != "quarantine":
                raise
            leave_out(files, error.problem)
            continue
        runs.append(run)
        flows += its_flows
    if not runs:
        raise _no_run(folder, entries)
    return runs, flows


def leave_out(files: list[dict], problem: str) -> None:
    """Mark the entries of a run so that nothing of it is read: half a run has no fairness."""
    for entry in files:
        if entry["content"] is not None:
            entry |= {"format": LEFT_OUT, "problem": f"its run is left out: {problem}"}


def _no_run(folder: Path, entries: list[dict]) -> DataError:
    broken = next((e for e in entries if e["run_id"] is not None), None)
    if broken is None:
        remedy = "put logs into it and name them under 'files:' in dataset.yml"
        return DataError("the data set has no run", path=folder, remedy=remedy)
    problem = f"every run of the data set is left out; {broken['path']}: {broken['problem']}"
    return DataError(problem, path=folder, remedy="repair or replace the runs")


def _one_run(
    folder: Path, dataset: dict, run_id: str, files: list[dict], rows: list
) -> tuple[dict, list[dict]]:
    """Return the settings and notes of one run, and the rows of its flows."""
    where = folder / run_id
    settings: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    flow_settings: dict[int, dict] = {}
    for entry in files:
        numbered, plain = _split_numbered(entry["settings"], folder / entry["path"])
        if entry["flow_id"] is not None:
            per_flow = {k: plain.pop(k) for k in ("cca", "start_s") if k in plain}
            _merge(flow_settings.setdefault(entry["flow_id"], {}), per_flow, where)
        _merge(settings, plain, where)
        for flow, keys in numbered.items():
            _merge(flow_settings.setdefault(flow, {}), keys, where)
    for flow, row in rows:
        _merge(settings if flow is None else flow_settings.setdefault(flow, {}), row, where)
    for entry in files:
        if entry["format"] == RUN_RECORD:
            record = _read_record(folder / entry["path"], entry["content"])
            notes = {key: record[key] for key in ("made_by", "observed")}
            _merge(settings, record["run"], where)
            for flow, keys in record["flows"].items():
                _merge(flow_settings.setdefault(flow, {}), keys, where)
    settings = {"platform": dataset.get("platform"), **dataset["defaults"], **settings}
    logged = _logged_flows(folder, files)
    _refuse_missing_flows(where, {*flow_settings, *dataset["flows"]}, logged)
    inherited = {key: settings.pop(key) for key in ("cca", "start_s") if key in settings}
    run = {"run_id": run_id, "scenario_id": files[0]["scenario_id"], **settings}
    flows = []
    for flow in sorted(logged):
        row = {"rtt_ms": settings.get("rtt_ms"), "mss_bytes": settings.get("mss_bytes")}
        row |= inherited | dataset["flows"].get(flow, {}) | flow_settings.get(flow, {})
        flows.append({"run_id": run_id, "flow_id": flow, **row})
    return {"settings": run, **notes}, flows


def _logged_flows(folder: Path, files: list[dict]) -> set[int]:
    """Return the flows that a run's logs measure, by the logs' paths or their lines."""
    logged = set()
    for entry in files:
        module = FORMATS[entry["format"]]
        if entry["flow_id"] is not None:
            logged.add(entry["flow_id"])
        elif module.side(entry["content"]) is not None:
            problem = f"nothing says which flow this {module.NAME} log is of"
            remedy = "put {flow} into its pattern under 'files:' in dataset.yml, and into its name"
            raise DataError(problem, path=folder / entry["path"], remedy=remedy)
        logged |= module.flows(entry["content"])
    return logged


def _split_numbered(settings: dict, path: Path) -> tuple[dict[int, dict], dict]:
    """Split 'cca1', 'cca2' (the flows' own settings) from those of the run."""
    numbered: dict[int, dict] = {}
    plain = {}
    for key, value in settings.items():
        match = re.fullmatch(rf"({'|'.join(FLOW_KEYS)})(\d+)", key)
        if match:
            numbered.setdefault(int(match[2]), {})[match[1]] = typed(match[1], value, path)
        else:
            plain[key] = value
    return numbered, plain


def _merge(into: dict, more: dict, where: object) -> None:
    for key, value in more.items():
        if into.setdefault(key, value) != value:
            problem = f"{key} is {into[key]} by one source and {value} by another"
            remedy = "correct the file name, runs.csv or the run record: they must agree"
            raise DataError(problem, path=where, remedy=remedy)


def _refuse_missing_flows(where: Path, declared: set[int], logged: set[int]) -> None:
    for flow in sorted(declared - logged):
        problem = f"the run has no log of flow {flow}"
        remedy = "add the log, or delete the run so that it is made anew"
        raise DataError(problem, path=where, remedy=remedy)


def _refuse_unknown_runs(folder: Path, dataset: dict, table: dict, run_ids: list[str]) -> None:
    for run in table:
        if run not in run_ids:
            problem = f"there are no files of the run '{run}'"
            remedy = did_you_mean(run, run_ids)
            raise DataError(problem, path=folder / dataset["runs"], remedy=remedy)


def _read_record(path: Path, content: bytes) -> dict:
    try:
        record = json.loads(content)
        run = {key: typed(key, value, path) for key, value in record["run"].items()}
        flows = {
            int(flow): {key: typed(key, value, path) for key, value in keys.items()}
            for flow, keys in record["flows"].items()
        }
        notes = {key: record.get(key, {}) for key in ("made_by", "observed")}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        line = getattr(error, "lineno", None)
        remedy = "delete the run so that it is made anew, or restore the file"
        problem = f"not a run record of evenflow ({type(error).__name__}: {error})"
        raise DataError(problem, path=path, line=line, remedy=remedy) from error
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
            if None in row:
                problem = f"the row has {len(row[None])} more values than there are columns"
                remedy = "quote values that hold a comma, or name the column in the first line"
                raise DataError(problem, path=path, line=reader.line_num, remedy=remedy)
            run = row.pop("run")
            row = {k: typed(k, v, path, reader.line_num) for k, v in row.items() if v}
            table.setdefault(run, []).append((row.pop("flow", None), row))
    return table
