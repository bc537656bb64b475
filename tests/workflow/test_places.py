"""`make` in odd places: what is set for other programs, links, clocks that were wrong.

All that can be had at once is tried at once: where it works, it gives the very same files.
"""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest
from test_folder_names import without_papers
from test_make import ARCHIVES, fresh_project, make

TABLE = "data/derived/logs/sample.parquet"
PAGE = "reports/_site/datasets/logs/index.html"
DAY = 86400


def small_project(folder: Path) -> Path:
    """A copy that never built anything, with one data set and no paper."""
    project = fresh_project(folder)
    without_papers(project)
    for path in (project / "data/raw").glob("*/"):
        shutil.rmtree(path)
    shutil.copytree(ARCHIVES / "powershell", project / "data/raw/logs")
    return project


def made(project: Path) -> dict[str, bytes]:
    """Return what was made, by path."""
    paths = [
        path for top in ("data/derived", "reports/_site") for path in (project / top).rglob("*")
    ]
    return {str(p.relative_to(project)): p.read_bytes() for p in paths if p.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = small_project(tmp_path_factory.mktemp("plain") / "evenflow")
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert {TABLE, PAGE} <= made(project).keys()
    return project


def test_what_others_set_and_where_links_lead_changes_nothing(project, tmp_path):
    odd = small_project(tmp_path / "elsewhere")
    (odd / ".venv").rename(tmp_path / "environment")
    (odd / ".venv").symlink_to(tmp_path / "environment")
    (tmp_path / "link").symlink_to(odd)
    other = tmp_path / "other"  # what another project has: packages that must not be taken
    for package in ("numpy", "evenflow", "snakemake"):
        (other / package).mkdir(parents=True)
        (other / package / "__init__.py").write_text("raise SystemExit('wrong')\n")
    raw = [odd / "data/raw", *(odd / "data/raw").rglob("*")]
    for path in raw:
        path.chmod(path.stat().st_mode & ~0o222)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/no/such/home",
        "TMPDIR": "/no/such/folder",
        "LC_ALL": "C",
        "PYTHONPATH": str(other),
        "PYTHONHOME": str(other),
        "VIRTUAL_ENV": str(other),
        "CONDA_PREFIX": str(other),
        "PIP_USER": "1",
    }
    done = subprocess.run(
        ["sh", "-c", "umask 077; make"],
        cwd=tmp_path / "link",
        env=environment,
        text=True,
        timeout=900,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    for path in raw:
        path.chmod(path.stat().st_mode | 0o200)
    assert done.returncode == 0, done.stdout[-3000:]
    assert made(odd) == made(project)


def test_what_a_clock_that_was_ahead_left_is_made_again(project):
    """Newer than the log that changes below, it would pass as made of it."""
    tomorrow = time.time() + DAY
    for path in (project / ".evenflow/made").iterdir():
        receipt = json.loads(path.read_text())
        for name, state in receipt["outputs"].items():
            os.utime(project / name, (tomorrow, tomorrow))
            state[1] = (project / name).stat().st_mtime_ns
        path.write_text(json.dumps(receipt))
    before = pl.read_parquet(project / TABLE).height
    log = max((project / "data/raw/logs").rglob("*.*"), key=lambda path: path.stat().st_size)
    content = log.read_bytes()
    log.write_bytes(content[: len(content) // 2])
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "a time in the future, by a clock that was wrong: it is made again" in done.stdout
    assert 0 < pl.read_parquet(project / TABLE).height < before
    assert "Nothing to be done" in make(project).stdout


def test_code_and_descriptions_from_the_future_stop_nothing(project):
    """As an archive has them that was unpacked, or packed, by a clock that was ahead."""
    (project / "data/raw/logs/dataset.yml").write_text("title: Mine\n")
    tomorrow = time.time() + DAY
    names = ("workflow/queries/run.sql", "config/config.yaml", "data/raw/logs/dataset.yml")
    for name in names:
        os.utime(project / name, (tomorrow, tomorrow))
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert all((project / name).stat().st_mtime == tomorrow for name in names)
    assert "Mine" in (project / PAGE).read_text(encoding="utf-8")
    assert "Nothing to be done" in make(project).stdout
