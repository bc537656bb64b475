"""The record of where a paper's figures, tables and numbers are from, and its appendix."""

from __future__ import annotations

import json
import platform
from collections.abc import Collection
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import polars as pl

from ..claims.headlines import carried, rows_of
from ..evidence.say import TAG, tagged
from ..files import write_text
from ..provenance.appendix import appendix
from ..provenance.behind import Behind
from ..provenance.lineage import trace
from ..provenance.record import Report, piece_record, run_records, run_series
from ..render.live import read_spec
from ..render.source import main_variables, pieces_and_variables
from ..tables import read_table, runs_in_turn
from .find import Paper, cells_of
from .origins import read_by_function, shown_by

OF_SERIES = ["run_id", "flow_id", "t_start_s", "throughput_bps"]
SOFTWARE = ("polars", "duckdb", "scipy", "statsmodels", "altair", "vl-convert-python", "snakemake")


def write_provenance(inputs: dict, paper: str, params: dict, outputs: dict) -> None:
    """Read the text, and the runs of every data set; write JSON and markdown.

    Args:
        inputs, params: of the rule `render_report`.
        paper: its name.
        outputs: with `provenance` and `appendix`, the two files.
    """
    files, runs, samples = (
        dict(zip(params["datasets"], inputs[kind], strict=True))
        for kind in ("run_file", "run", "sample")
    )
    folder = Path(inputs["qmd"]).parent
    known = Paper(str(folder), params["derived"], params["shared"], params["of_dataset"])
    made = trace(
        [inputs["variables"], *inputs["figures"], *inputs["tables"]], read_by_function(known)
    )
    labels, texts = pieces_and_variables(folder)
    pieces = _pieces(known, made, labels, files, params["derived"])
    behind = Behind(params["derived"], paper, params["of_part"])
    of_numbers = _numbers(behind, Path(inputs["origins"]), texts, main_variables(folder))
    of_cells = _cells(behind, folder, labels)
    of_figures = _figures(behind, known, folder, labels)
    used = {d for piece in pieces.values() for c in piece["runs"] for d in c["dataset"]}
    used |= {d for of_set in behind.sets for d in of_set}
    rules = {step["rule"] for step in made.values()}
    tables = {name: read_table(files[name]) for name in sorted(used)}
    record = {
        "paper": paper,
        "of_part": params["of_part"],
        "variables": inputs["variables"],
        "settings": params["settings"],
        "rules": {name: rule for name, rule in sorted(params["rules"].items()) if name in rules},
        "made": made,
        "functions": {path: of for path, of in params["functions"].items() if path in made},
        "pieces": pieces,
        **of_numbers,
        **of_cells,
        **of_figures,
        "sets": behind.sets,
        "data": {name: summary(table) for name, table in tables.items()},
        "runs": {
            name: run_records(read_table(runs[name]), files_of, series_of(samples[name]))
            for name, files_of in tables.items()
        },
        "software": {"Python": platform.python_version()} | {p: version(p) for p in SOFTWARE},
    }
    write_text(outputs["provenance"], json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    write_text(outputs["appendix"], appendix(record))


def _pieces(
    known: Paper, made: dict, labels: dict[str, str], datasets: Collection[str], derived: str
) -> dict:
    """Return what each figure and table was made of, by its label."""
    in_data = {path: d for path in made for d in datasets if path.startswith(f"{derived}/{d}/")}
    report = Report(made, in_data)
    paths = {label: f"{known.folder}/{file}" for label, file in labels.items()}
    return {
        label: piece_record(path, report, shown_by(known, path)) for label, path in paths.items()
    }


def _numbers(behind: Behind, origins: Path, texts: Collection[str], main: list[str]) -> dict:
    """Return what is behind the numbers of the text, and which of them its main part prints."""
    known = json.loads(origins.read_text(encoding="utf-8"))
    numbers = {name: behind.number(known[name]) for name in texts if name in known}
    return {"numbers": numbers, "printed": [name for name in main if name in numbers]}


def _cells(behind: Behind, folder: Path, labels: dict[str, str]) -> dict:
    """Return what is behind the cells of the tables."""
    of_cells = {
        label: json.loads(beside.read_text(encoding="utf-8"))
        for label, file in labels.items()
        if (beside := Path(cells_of(f"{folder}/{file}"))).is_file() and file.endswith(".md")
    }
    cells, in_cells = behind.cells(of_cells)
    return {"cells": cells, "behind": in_cells}


def _figures(behind: Behind, known: Paper, folder: Path, labels: dict[str, str]) -> dict:
    """Return what is behind the marks of the figures and behind their titles."""
    charts = {
        label: spec
        for label, file in labels.items()
        if file.endswith(".svg") and (spec := read_spec(folder / file))
    }
    marks = behind.marks(charts.values())
    figures = {
        label: behind.figure(spec, rows_of_title(known, behind, f"{folder}/{labels[label]}"))
        for label, spec in charts.items()
    }
    return {"figures": figures, "marks": marks}


def rows_of_title(paper: Paper, behind: Behind, path: str) -> list[int]:
    """Return the rows of the table `claim` that the title of a figure says."""
    headlines = paper.settings_known.get("headlines") or {}
    name = next((p.name for p in paper.pieces("figure") if paper.path(p) == path), "")
    if not headlines.get(name):
        return []
    claim = tagged(behind.table("claim"), "claim")
    found = [rows_of(claim, each) for each in headlines[name] if carried(claim, each)]
    return sorted({row for of in found for row in of[f"{TAG}claim"]})


def series_of(sample: str) -> dict[str, list]:
    """Return the `run_series` of all runs of a table `sample`, which the memory need not hold."""
    series: dict[str, list] = {}
    for samples in runs_in_turn(sample, OF_SERIES):
        series |= run_series(samples)
    return series


def summary(files: pl.DataFrame) -> dict:
    """Return how many runs, raw files and lines a data set gave, and a digest of the files."""
    digest = sha256("".join(files.sort("path")["sha256"]).encode()).hexdigest()
    n_runs, lines = files["run_id"].n_unique(), int(files["n_used"].sum())
    return {"runs": n_runs, "files": len(files), "lines": lines, "sha256": digest}
