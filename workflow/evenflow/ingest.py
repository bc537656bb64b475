"""Ingest: from a folder of raw logs to the parsed tables that the queries build on.

Parsed tables (all of one data set):
    file      every raw file: path, sha256, sizes, format, run, flow, side, clock
    run       settings of every run;  flow: settings of every flow, both in dataset.yml's units
    interval, queue, drop, fate, rejected: see `formats.TABLES`
"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from .dataset import NUMBERS, WORDS, inventory, leave_out, read_dataset, run_settings
from .errors import DataError
from .formats import FORMATS, TABLES, classified_tables

BATCH_BYTES = 64 * 2**20  # of decompressed logs parsed at once: bounds the memory
FILE = {
    "file_id": pl.UInt32,
    "path": pl.String,
    "sha256": pl.String,
    "bytes": pl.Int64,
    "content_bytes": pl.Int64,
    "format": pl.String,
    "clock": pl.String,
    "side": pl.String,
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "problem": pl.String,
}
SETTING_TYPES = {
    **{key: pl.Float64 if kind is float else pl.Int64 for key, kind in NUMBERS.items()},
    **dict.fromkeys(WORDS, pl.String),
}
RUN_KEYS = [key for key in SETTING_TYPES if key not in ("cca", "start_s", "flow")]
RUN = {
    "run_id": pl.String,
    "scenario_id": pl.String,
    **{key: SETTING_TYPES[key] for key in RUN_KEYS},
    "factors": pl.String,  # JSON object of the free factors
    "warmup_s": pl.Float64,  # null where dataset.yml leaves it to config.yaml
    "made_by": pl.String,  # JSON object: command, commit, date, versions, from the run's record
    "observed": pl.String,  # JSON object: what the run measured of itself, from its record
}
FLOW = {
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "cca": pl.String,
    "start_s": pl.Float64,
    "rtt_ms": pl.Float64,
    "mss_bytes": pl.Int64,
}


def parse_dataset(folder: str | Path) -> dict[str, pl.DataFrame]:
    """Read every file of a data set.

    Returns:
        The parsed tables by name, each sorted.

    Raises:
        DataError: see `dataset.inventory` and `dataset.run_settings`; a rejected line or a flow
            without a sample, unless dataset.yml says `on_error: quarantine`.
    """
    dataset = read_dataset(folder)
    entries = inventory(folder, dataset)
    runs, flows = run_settings(folder, dataset, entries)
    tables = _parse_logs(entries)
    silent = _flows_without_sample(entries, flows, tables["interval"])
    if dataset["on_error"] != "quarantine":
        _refuse_rejected(Path(folder), entries, tables["rejected"])
        _refuse_silent(Path(folder), silent)
    if silent:
        for run_id, flow in silent.items():
            files = [entry for entry in entries if entry["run_id"] == run_id]
            leave_out(files, f"no log holds a sample of flow {flow}")
        runs = [run for run in runs if run["settings"]["run_id"] not in silent]
        flows = [flow for flow in flows if flow["run_id"] not in silent]
        tables = _parse_logs(entries)
    return {
        "file": pl.DataFrame([_file_row(i, e) for i, e in enumerate(entries)], schema=FILE),
        "run": pl.DataFrame([_run_row(row, dataset) for row in runs], schema=RUN),
        "flow": pl.DataFrame([{key: row.get(key) for key in FLOW} for row in flows], schema=FLOW),
        **tables,
    }


def _file_row(file_id: int, entry: dict) -> dict:
    module = FORMATS.get(entry["format"])
    return {
        **{key: entry.get(key) for key in FILE},
        "file_id": file_id,
        "content_bytes": None if entry["content"] is None else len(entry["content"]),
        "clock": module.CLOCK if module else None,
    }


def _run_row(run: dict, dataset: dict) -> dict:
    settings = run["settings"]
    factors = {key: value for key, value in settings.items() if key not in RUN}
    return {
        **{key: settings.get(key) for key in RUN},
        "factors": json.dumps(factors, sort_keys=True),
        "warmup_s": dataset.get("steady_state", {}).get("warmup_s"),
        **{key: json.dumps(run.get(key, {}), sort_keys=True) for key in ("made_by", "observed")},
    }


def _parse_logs(entries: list[dict]) -> dict[str, pl.DataFrame]:
    by_format: dict[str, list[tuple[int, bytes]]] = {}
    for file_id, entry in enumerate(entries):
        if entry["content"] is not None:
            by_format.setdefault(entry["format"], []).append((file_id, entry["content"]))
    parsed: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    for format_name, logs in sorted(by_format.items()):
        for batch in _batches(logs):
            source = pl.DataFrame(
                [(file_id, content.decode("latin-1")) for file_id, content in batch],
                schema={"file_id": pl.UInt32, "content": pl.String},
                orient="row",
            )
            for name, table in classified_tables(format_name, source).items():
                parsed[name].append(table)
    return {name: _sorted(pl.concat(parts), name) for name, parts in parsed.items()}


def _batches(logs: list[tuple[int, bytes]]):
    batch, size = [], 0
    for file_id, content in logs:
        if batch and size + len(content) > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append((file_id, content))
        size += len(content)
    yield batch


def _sorted(table: pl.DataFrame, name: str) -> pl.DataFrame:
    return table.sort(["file_id", "fate", "reason"] if name == "fate" else ["file_id", "line"])


def _flows_without_sample(
    entries: list[dict], flows: list[dict], interval: pl.DataFrame
) -> dict[str, int]:
    """Return {run: its first flow of which no log holds a sample}."""
    found = set()
    for file_id, flow in interval.select("file_id", "flow_id").unique().rows():
        entry = entries[file_id]
        found.add((entry["run_id"], flow if entry["flow_id"] is None else entry["flow_id"]))
    silent: dict[str, int] = {}
    for flow in flows:
        if (flow["run_id"], flow["flow_id"]) not in found:
            silent.setdefault(flow["run_id"], flow["flow_id"])
    return silent


def _refuse_silent(folder: Path, silent: dict[str, int]) -> None:
    for run_id, flow in silent.items():
        problem = f"no log of the run holds a sample of flow {flow}"
        remedy = (
            "add the log of the flow's receiver (iperf -s -i 1), or delete the run so that it is "
            "made anew"
        )
        raise DataError(problem, path=folder / run_id, remedy=remedy)


def _refuse_rejected(folder: Path, entries: list[dict], rejected: pl.DataFrame) -> None:
    if rejected.is_empty():
        return
    first = rejected.row(0, named=True)
    others = f" ({len(rejected) - 1} more such lines)" if len(rejected) > 1 else ""
    problem = f"{first['reason']}: '{first['text'][:80]}'{others}"
    remedy = (
        "restore the log or delete its run so that it is made anew; to leave such lines out and "
        "list them in the ledger set 'on_error: quarantine' in dataset.yml"
    )
    path = folder / entries[first["file_id"]]["path"]
    raise DataError(problem, path=path, line=first["line"], remedy=remedy)
