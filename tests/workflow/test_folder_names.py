"""Folders whose names mean something to SQL, shells, globs, links or pages: each gets its page."""

import html
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

import polars as pl
import pytest
import yaml
from test_make import ARCHIVES, fresh_project, make

from tests.unit.names_of_folders import BAD, GOOD

NAMES = [
    "my'logs; --",
    'y" (FORMAT csv)',
    "logs[1]",
    "logs1",  # what the name before would mean as a glob
    "gl*b?",
    "a#b%20c",
    "&amp; 100 %",
    "a:b\\c",
    " -sp ace ü",
    "$(touch pwn)`id`",
    "Messung 🚀",
]
REFUSED = ["{dataset}", "<b>", "x" * 201, "line\nbreak", "esc\x1b[31m", b"latin\xe9", "papers"]
REFUSED += ["vega.js", "run-" + 20 * "0"]


def without_papers(project):
    """Leave out the paper and the comparison, which take most of the time."""
    shutil.rmtree(project / "reports/tiny-paper")
    path = project / "config/config.yaml"
    config = yaml.safe_load(path.read_text()) | {"comparisons": {}}
    path.write_text(yaml.safe_dump(config))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = fresh_project(tmp_path_factory.mktemp("names") / "evenflow")
    raw = project / "data/raw"
    without_papers(project)
    for path in raw.iterdir():
        shutil.rmtree(path)
    for name in NAMES:
        shutil.copytree(ARCHIVES / "powershell", raw / name)
        if name == "logs1":  # another run: its numbers must not get into those of logs[1]
            shutil.rmtree(raw / name)
            shutil.copytree(ARCHIVES / "parallel", raw / name)
    for name in REFUSED:
        (raw / os.fsdecode(name)).mkdir()
        (raw / os.fsdecode(name) / "a.log").write_text("x\n")
    (raw / "loose.log").write_text("x\n")
    return project, make(project)


def test_every_folder_has_its_page_and_its_own_numbers(project):
    project, _ = project
    site = project / "reports/_site"
    index = (site / "index.html").read_text(encoding="utf-8")
    links = {unquote(html.unescape(link)) for link in re.findall(r'href="(datasets/[^"]+)"', index)}
    assert links == {f"datasets/{name}/index.html" for name in NAMES}
    wanted = pl.read_parquet(
        project / "data/derived" / "gl*b?" / "flow_metric.parquet", glob=False
    ).drop("dataset_id", strict=False)
    for name in NAMES:
        page = (site / "datasets" / name / "index.html").read_text(encoding="utf-8")
        assert "Who got how much" in page
        folder = project / "data/derived" / name
        table = pl.read_parquet(folder / "flow_metric.parquet", glob=False)
        assert table.drop("dataset_id", strict=False).equals(wanted) == (name != "logs1"), name
    assert not list(project.rglob("pwn"))


def test_names_of_all_kinds_make_one_plan(tmp_path):
    """Each good one has its page, whatever lies beside it (`tests/unit/ingest` has the names)."""
    project = fresh_project(tmp_path / "evenflow")
    without_papers(project)
    raw = project / "data/raw"
    shutil.rmtree(raw)
    good = GOOD[::4]  # a plan of all takes a minute
    for name in (*good, *BAD):
        (raw / os.fsdecode(name)).mkdir(parents=True)
        (raw / os.fsdecode(name) / "x.log").write_text("x\n")
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE))
    assert jobs["render_dataset"] == str(len(good))
    assert jobs["check_folders"] == jobs["render_index"] == "1"


def test_what_can_be_no_data_set_is_named_and_stops_nothing(project):
    project, done = project
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    named = ["{dataset}", "<b>", "line\\nbreak", "esc\\x1b[31m", "papers", "loose.log"]
    for name in (*named, "vega.js", "run-" + 20 * "0"):
        assert f"data/raw/{name} could not be made" in done.stdout
        assert f"data/raw/{name}" in html.unescape(index)
    assert "\x1b[31m" not in done.stdout + index
