"""`evenflow report` from a checkout: nothing to do without Snakemake, anything to do with it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from evenflow.runs.settled import NOTHING
from test_module import WORKFLOW, log


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "mine").mkdir()
    for run in range(1, 4):
        (folder / f"mine/cubic_run{run}.log").write_text(log(40000 + run))
    assert started(report(folder))
    return folder


def report(folder: Path) -> str:
    theirs = ("EVENFLOW_", "PYTEST_")  # of other runs, and another in each test
    env = {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
    words = [sys.executable, "-m", "evenflow.command", "report", "mine"]
    env["PYTHONPATH"] = str(WORKFLOW)
    done = subprocess.run(words, cwd=folder, env=env, text=True, timeout=900,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


def started(said: str) -> bool:
    """Whether Snakemake was started."""
    return bool(re.search(r"^\$ \S+ -m snakemake ", said, re.MULTILINE))


def runs(said: str) -> int:
    return int(re.search(r"^Runs: +(\d+) ", said, re.MULTILINE)[1])


def test_nothing_to_do_is_said_without_snakemake_with_what_was_found(folder):
    again = report(folder)
    assert not started(again) and again.startswith(f"{NOTHING}\nFiles:    3 (3 iperf2)\n")
    page = folder / "evenflow-mine/reports/_site/datasets/mine/index.html"
    assert runs(again) == 3 and again.endswith(f"Page: {page}\n")


def test_a_log_that_is_edited_added_and_removed_is_seen(folder):
    edited, more = folder / "mine/cubic_run1.log", folder / "mine/cubic_run4.log"
    before = edited.stat()
    text = edited.read_text()
    edited.write_text(text.replace("46.0 Mbits", "13.0 Mbits"))
    os.utime(edited, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert edited.stat().st_size == before.st_size
    assert started(report(folder))
    more.write_text(log(40009))
    said = report(folder)
    assert started(said) and runs(said) == 4
    assert not started(report(folder))
    more.unlink()
    said = report(folder)
    assert started(said) and runs(said) == 3
    assert not started(report(folder))


def test_a_page_that_is_removed_is_made_again(folder):
    page = folder / "evenflow-mine/reports/_site/datasets/mine/index.html"
    text = page.read_text()
    page.unlink()
    assert started(report(folder)) and page.read_text() == text
