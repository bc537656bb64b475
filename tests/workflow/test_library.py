"""evenflow as a library: the example of the guide, its tables those of the workflow."""

import os
import re
import shutil
import subprocess
import sys

import evenflow
import polars as pl
import pytest
from evenflow.errors import DataError
from test_module import ROOT, WORKFLOW

ARCHIVE = ROOT / "tests/fixtures/archives/course-project"
GUIDE = (ROOT / "docs/guides/library.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("EVENFLOW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(WORKFLOW))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(ARCHIVE, folder / "course-project")
    return folder


def test_the_example_of_the_guide_prints_the_metrics_of_twelve_runs(folder):
    [text] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "shape: (12, 4)" in done.stdout and "jfi" in done.stdout
    assert [path.name for path in folder.iterdir()] == ["course-project"]  # nothing is kept


def test_tables_are_those_of_the_page_and_a_second_call_reads_what_changed(folder):
    logs, out = folder / "course-project", folder / "out"
    tables = evenflow.read(logs, out)
    there = out / "data/derived/course-project"
    assert {*tables} == {path.stem for path in there.glob("*.parquet")}
    assert {"run", "flow", "sample", "run_metric", "cell", "finding", "assumption"} <= {*tables}
    for name, table in tables.items():
        assert table.equals(pl.read_parquet(there / f"{name}.parquet")), name
    dates = {path: path.stat().st_mtime_ns for path in there.glob("*.parquet")}
    page = evenflow.page(logs, out)
    assert "<h1" in page.read_text(encoding="utf-8") and page.is_relative_to(out)
    assert dates == {path: path.stat().st_mtime_ns for path in there.glob("*.parquet")}


def test_what_cannot_be_read_is_an_error_with_file_line_and_remedy(folder, tmp_path):
    with pytest.raises(DataError, match="there is no such folder"):
        evenflow.read(folder / "nowhere")
    logs = tmp_path / "wrong"
    shutil.copytree(ARCHIVE, logs)
    (logs / "dataset.yml").write_text("titel: x\n")
    with pytest.raises(DataError, match=r"dataset\.yml:1: unknown key 'titel'.*Remedy: ") as error:
        evenflow.read(logs, tmp_path / "out")
    assert "Traceback" not in str(error.value)
    assert str(error.value).startswith(f"{logs}/dataset.yml:1: ")
    with pytest.raises(AttributeError):
        evenflow.nothing  # noqa: B018


def test_the_library_is_loaded_when_it_is_asked_for():
    words = "import sys, evenflow; print('polars' in sys.modules, callable(evenflow.read))"
    done = subprocess.run([sys.executable, "-c", words], text=True, capture_output=True)
    assert done.stdout == "False True\n", done.stderr
