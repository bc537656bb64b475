"""The tables of the papers are the same, made again with other numbers of threads.

They are made in a copy of the project, from the tables of its data sets as they lie in it.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from evenflow.papers.find import find_papers

ROOT = Path(__file__).parents[2]
PAPERS = "data/derived/papers"
LEFT_OUT = (".git", ".venv*", ".hypothesis", "_site", "dist", "node_modules", "tests")
MADE = sorted((ROOT / PAPERS).rglob("*.parquet"))


@pytest.mark.skipif(not MADE, reason="the papers' tables are not made yet: make")
def test_the_papers_tables_are_the_same_with_two_threads(tmp_path):
    project = tmp_path / "evenflow"
    ignored = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(ROOT, project, ignore=ignored, symlinks=True)
    shutil.rmtree(project / PAPERS)
    names = [path.relative_to(ROOT).as_posix() for path in MADE]
    jobs = [f"{module}_{name}" for name, paper in papers().items() for module in paper]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all"]
    command += ["--set-threads", *(f"{job}=2" for job in jobs), "--", *names]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    made = [name for name in names if (ROOT / name).read_bytes() != (project / name).read_bytes()]
    assert made == [], [difference(name, project) for name in made]


def papers() -> dict[str, list[str]]:
    """Return {paper: its modules that make tables}."""
    found = find_papers(str(ROOT / "reports"), derived="data/derived")
    made = {
        name: {piece.module for piece in paper.pieces("metric")} for name, paper in found.items()
    }
    return {name: sorted(modules) for name, modules in made.items()}


def difference(name: str, project: Path) -> str:
    """Say in which columns two tables differ."""
    one, two = (pl.read_parquet(root / name) for root in (ROOT, project))
    return f"{name}: {[c for c in one.columns if not one[c].equals(two[c])]}"
