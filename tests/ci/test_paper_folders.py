"""A paper is its folder: without it all else builds, lints and tests; one more is built by itself.

In copies of a project in which everything was made.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from started import path_of_tests

ROOT = Path(__file__).parents[2]
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
SITE = ROOT / "reports/_site"
made = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site was not made")
# tests that look at the whole project, quick ones
QUICK = [
    "docs",
    "environment",
    "glossary",
    "imports",
    "prose",
    "the_library_alone",
    "schema",
    "index",
]
NEW = "one-more"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "evenflow"
    ignored = shutil.ignore_patterns(".git", ".venv*", "dist", "__pycache__", ".pytest_cache")
    shutil.copytree(ROOT, folder, symlinks=True, ignore=ignored)
    shutil.rmtree(folder / ".snakemake/scripts", ignore_errors=True)  # of a run of this minute
    return folder


def run(project: Path, *words: str) -> str:
    """Run Python with these words in a project, without the caller's own; return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project,
        env={**os.environ, "PATH": path_of_tests()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


# of the index, and of pages of data sets, whose header names the papers that use them
OF_THE_INDEX = {"all", "render_index", "render_dataset", "total"}


def jobs(said: str) -> set[str]:
    """The rules of the table of jobs that Snakemake prints."""
    table = re.search(r"^Job stats:\n.*?\n-+ .*?\n(.*?)^total", said, re.DOTALL | re.MULTILINE)
    return {line.split()[0] for line in table[1].splitlines()} if table else set()


@made
@pytest.mark.parametrize("kept", [PAPERS[0], PAPERS[-1]])
def test_without_other_papers_everything_else_stands(project, kept):
    """Every paper is taken away in one of two cases."""
    gone = [paper for paper in PAPERS if paper != kept]
    for paper in gone:
        shutil.rmtree(project / "reports" / paper)
    planned = jobs(run(project, "snakemake", "--dry-run", "--cores", "1"))
    assert "tidy" in planned, "what goes is seen before it goes"
    assert planned <= OF_THE_INDEX | {"tidy"}
    if kept == PAPERS[0]:
        check_the_project(project)
    said = run(project, "snakemake", "--cores", "2", "--quiet", "all")
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    for paper in gone:
        assert f"there is no reports/{paper}: " in said
        assert f'href="{paper}/index.html"' not in index
    assert f'href="{kept}/index.html"' in index


def check_the_project(project: Path) -> None:
    """Lint a project, and run the quick tests that look at the whole of it."""
    run(project, "ruff", "check", ".")
    run(project, "snakemake", "--lint")
    tests = [path for name in QUICK for path in project.glob(f"tests/unit/**/test_{name}.py")]
    assert len(tests) == len(QUICK)
    run(
        project,
        "pytest",
        *map(str, tests),
        f"--basetemp={project.parent / 'inner'}",
        "-p",
        "no:cacheprovider",
    )


@made
def test_a_paper_more_is_built_by_itself(project):
    said = run_script(project, NEW, "testbed-swapped")
    assert "docs/guides/writing-a-paper.md" in said
    own = {f"{module}_{NEW}" for module in ("figures", "numbers_tables")}
    own.add("render_report")
    assert jobs(run(project, "snakemake", "--cores", "2")) <= own | OF_THE_INDEX
    page = (project / f"reports/_site/{NEW}/index.html").read_text(encoding="utf-8")
    assert "testbed-swapped" in page
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    assert f'href="{NEW}/index.html"' in index


def run_script(project: Path, *words: str) -> str:
    command = [sys.executable, "-m", "evenflow.command", "paper", words[0]]
    command += ["--data", words[1]]
    env = {**os.environ, "PYTHONPATH": "workflow"}
    return subprocess.run(
        command, cwd=project, env=env, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
