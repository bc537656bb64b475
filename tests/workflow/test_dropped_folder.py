"""A stranger's folder, dropped into data/raw without a word: it becomes a report."""

import html
import re
import shutil

import polars as pl
import pytest
from test_workflow import ROOT, copy_project, snakemake

ARCHIVES = ROOT / "tests/fixtures/archives"
NAMES = ("course-project", "killed-clients", "no-metadata")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = copy_project(tmp_path_factory.mktemp("dropped") / "project")
    for name in NAMES:
        shutil.copytree(ARCHIVES / name, folder / "data/raw" / name)
    pages = [f"reports/_site/datasets/{name}/index.html" for name in NAMES]
    done = snakemake(folder, "--config", f"datasets={list(NAMES)}", "--", *pages)
    assert done.returncode == 0, done.stdout[-3000:]
    return folder


def text_of(project, name: str) -> str:
    page = (project / f"reports/_site/datasets/{name}/index.html").read_text(encoding="utf-8")
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def table(project, name: str, of: str) -> pl.DataFrame:
    return pl.read_parquet(project / f"data/derived/{name}/{of}.parquet")


def test_names_give_scenarios_and_repeats(project):
    run = table(project, "course-project", "run")
    assert len(run) == 12
    assert sorted(run["ccas"].unique()) == ["bbr-reno", "cubic-reno"]
    assert sorted(run["base_rtt_s"].unique()) == [0.02, 0.05]
    cell = table(project, "course-project", "cell").filter(metric="jfi")
    assert cell["n"].to_list() == [3] * 4
    text = text_of(project, "course-project")
    assert "{cca1}_vs_{cca2}_rtt{rtt_ms}_run{repeat}_flow{flow}.txt" in text
    assert "plot.py" in text


def test_broken_runs_are_left_out_and_named(project):
    run = table(project, "killed-clients", "run")
    assert not any(name.startswith("run5/") for name in run["run_id"])
    ledger = table(project, "killed-clients", "ledger").filter(entry="file")
    on_disk = [p for p in (ARCHIVES / "killed-clients").rglob("*") if p.is_file()]
    assert len(ledger) == len(on_disk)
    text = text_of(project, "killed-clients")
    assert "run3/client1.log" in text and "the log is empty" in text


def test_logs_that_say_everything_need_no_names(project):
    run = table(project, "no-metadata", "run")
    assert sorted(run["ccas"]) == ["bbr-reno"] * 3 + ["cubic-reno"] * 3
    assert "out_0005.json" in text_of(project, "no-metadata")
