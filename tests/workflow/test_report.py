"""`evenflow report` from a checkout: nothing to do without Snakemake, anything to do with it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from evenflow.commands.report import name_of
from evenflow.runs.settled import NOTHING
from small_logs import iperf3_json
from test_module import WORKFLOW, log


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "mine").mkdir()
    for run in range(1, 4):
        (folder / f"mine/cubic_run{run}.log").write_text(log(40000 + run))
    assert started(report(folder))
    return folder


def report(folder: Path, name: str = "mine") -> str:
    theirs = ("EVENFLOW_", "PYTEST_")  # of other runs, and another in each test
    env = {key: value for key, value in os.environ.items() if not key.startswith(theirs)}
    words = [sys.executable, "-m", "evenflow.command", "report", name]
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


def test_campaigns_of_a_folder_are_reported_by_the_commands_of_its_page(tmp_path, monkeypatch):
    """The folder is only read, and lies elsewhere: nothing of it is moved."""
    monkeypatch.setenv("HOME", str(tmp_path))
    logs = tmp_path / "k/zwei Flüsse"
    for run in (1, 2):
        (logs / "alt 2024").mkdir(parents=True, exist_ok=True)
        (logs / "alt 2024" / f"cubic_run{run}.log").write_text(log(40000 + run))
        (logs / "Labor März").mkdir(exist_ok=True)
        text = iperf3_json(cca="cubic", seconds=20, minute=run, mbps=8 + run)
        (logs / "Labor März" / f"cubic_r{run}.json").write_bytes(text)
    before = sorted(path for path in logs.rglob("*"))
    report(tmp_path, "k/zwei Flüsse")
    tables = tmp_path / "evenflow-zwei-Flüsse/data/derived/zwei-Flüsse"
    finding = pl.read_parquet(tables / "finding.parquet").filter(check="several campaigns")
    [remedy] = finding["remedy"]
    assert "mv " not in remedy and str(tmp_path) not in remedy
    commands = re.findall(r"`evenflow report (.*?)`", remedy)
    assert len(commands) == 2
    for path, name in zip(commands, ("Labor März", "alt 2024"), strict=True):
        said = subprocess.run(
            f"printf %s {path}", shell=True, cwd="/", text=True, capture_output=True
        )
        assert Path(said.stdout) == logs / name
    assert before == sorted(path for path in logs.rglob("*"))


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("DSL-Anschluß 20M", "DSL-Anschluß-20M"),
        ("Flu\u0308sse", "Flüsse"),
        ("实验一", "实验一"),
        ("a: {b}", "a-b"),
        ("ß" * 120, "ß" * 50),
        ("...", "logs"),
    ],
)
def test_the_name_of_a_folder_keeps_its_letters(folder, name):
    assert name_of(Path("logs", folder)) == name
