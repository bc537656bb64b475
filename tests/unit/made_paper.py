"""What the tests of papers share: a paper made from tables that a test has written."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import polars as pl
from evenflow.papers.find import Paper
from evenflow.papers.make import Values, load, make_pieces
from raw_data import ROOT

GENERATED = (
    *("figures", "tables", "_variables.yml", "_origins.json"),
    *("provenance.*", "__pycache__", "tests"),
)
SHARED = {"confidence": 0.95}


def make_paper(folder: Path, name: str, tables: Mapping[str, Mapping], **shared) -> Paper:
    """Make a copy of a paper below a folder from tables of its data sets.

    Args:
        tables: {part: {table: polars.DataFrame}}; a part that is absent is left out of the paper.
        shared: settings of the analysis that its functions name.
    """
    ignored = shutil.ignore_patterns(*GENERATED)
    shutil.copytree(ROOT / "reports" / name, folder / "reports" / name, ignore=ignored)
    derived = folder / "derived"
    names = set()
    paper = Paper(str(folder / "reports" / name), str(derived), SHARED | shared, names)
    for part, dataset in paper.all_parts.items():
        for table, rows in tables.get(part, {}).items():
            path = derived / dataset / f"{table}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows.write_parquet(path)
            names.add(table)
    ahead = dict(paper.modules)
    while ahead:
        ready = [stem for stem in ahead if all(map(_is_there, paths_of(paper, stem)))]
        assert ready, f"{', '.join(ahead)} wait for tables that nothing makes"
        for stem in ready:
            parts = ahead.pop(stem)
            module = load(Path(paper.folder, f"{stem}.py"))
            values = Values(in_project(paper, stem), paper.settings(stem))
            make_pieces(parts, module, values, paper.outputs(stem))
    return paper


def in_project(paper: Paper, stem: str) -> dict:
    """Return the inputs of a module, files of the project where they are."""
    return {
        name: [str(ROOT / p) for p in path] if isinstance(path, list) else str(ROOT / path)
        for name, path in paper.inputs(stem).items()
    }


def paths_of(paper: Paper, stem: str) -> list[str]:
    found = in_project(paper, stem).values()
    return [p for path in found for p in ([path] if isinstance(path, str) else path)]


def _is_there(path: str) -> bool:
    return Path(path).is_file()


def table_of(paper: Paper, name: str) -> pl.DataFrame:
    """Return a table that the paper has made."""
    return pl.read_parquet(f"{paper.derived}/papers/{paper.name}/{name}.parquet")
