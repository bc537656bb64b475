"""Questions that users ask of the docs: the answers are tried as they are written.

docs/README.md lists them, each with its place. What other modules follow to the letter (the
tutorial, comparisons, papers, LaTeX, PNG and CSV, a study elsewhere) is not tried here again.
"""

import re
import shlex
import subprocess
import sys

import polars as pl
import pytest
from small_logs import iperf3_json
from test_make import dataset_page, fresh_project, text_of
from test_workflow import ROOT

NAME = "my-logs"
ADDING = (ROOT / "docs/guides/adding-data.md").read_text(encoding="utf-8")
USING = (ROOT / "docs/guides/using-results.md").read_text(encoding="utf-8")

BOTH = "should run cubic, but its log says reno"


def written(pattern: str, page: str = ADDING) -> str:
    """Return what a guide says to write."""
    return re.search(rf"`({pattern})`", page)[1]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Three flows of iperf3 in JSON, whose names say CUBIC; the log of the third says Reno."""
    folder = fresh_project(tmp_path_factory.mktemp("questions") / "evenflow")
    for run in (1, 2, 3):
        for flow in (1, 2, 3):
            log = folder / f"data/raw/{NAME}/cubic_run{run}_flow{flow}.json"
            log.parent.mkdir(exist_ok=True)
            cca = "reno" if flow == 3 else "cubic"
            log.write_bytes(iperf3_json(
                client=f"10.0.0.{10 + flow}", seconds=20, minute=5 * run, cca=cca, mbps=flow + run
            ))  # fmt: skip
    return folder


def page_with(project, *lines: str) -> str:
    """Return the page of the folder with these lines in its dataset.yml."""
    (project / f"data/raw/{NAME}/dataset.yml").write_text("\n".join([*lines, ""]))
    page = f"reports/_site/{dataset_page(NAME)}"
    done = subprocess.run(
        ["make", page], cwd=project, text=True, timeout=600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return text_of(project, dataset_page(NAME))


def runs(project) -> pl.DataFrame:
    return pl.read_parquet(project / f"data/derived/{NAME}/run.parquet").sort("run_id")


def test_three_flows_are_a_page_and_names_that_logs_contradict_are_said(project):
    page = page_with(project)
    assert runs(project)["n_flows"].to_list() == [3] * 3
    assert BOTH in page


def test_the_line_for_names_that_logs_contradict_settles_it(project):
    page = page_with(project, written("cca_from: logs"))
    assert runs(project)["ccas"].to_list() == ["cubic-cubic-reno"] * 3
    assert BOTH not in page


def test_a_run_is_left_out_with_its_reason(project):
    every = runs(project)["run_id"].to_list()
    line = written("exclude: {[^`]*}")
    reason = re.search("': ([^:}]*)}", line)[1]
    page = page_with(project, line.replace("bic/rtt100/r3", every[1]))
    assert runs(project)["run_id"].to_list() == [every[0], every[2]]
    assert reason in page


def test_the_warm_up_of_one_data_set_is_changed(project):
    line = re.search(r"^(steady_state: \{warmup_s: )\d+\}", ADDING, re.MULTILINE)[1]
    assert "Means are over 7 to 20 s" in page_with(project, line + "7}")


def test_a_colour_of_ours_is_changed(project):
    path = project / written(r"workflow/[\w/]+/congestion_controls\.yml", USING)
    before = path.read_text(encoding="utf-8")
    drawn = project / "reports/_site" / dataset_page(NAME)
    colour = re.search(r"^cubic: .*?colour: '(#\w+)'", before, re.MULTILINE)[1]
    path.write_text(before.replace(colour, "#123456"), encoding="utf-8")
    try:
        page_with(project)
        assert "#123456" in drawn.read_text(encoding="utf-8")
    finally:
        path.write_text(before, encoding="utf-8")


def test_papers_and_data_sets_of_this_repository_are_left_out(project):
    words = shlex.split(written(r"snakemake --cores all --config [^`]*", USING))
    assert f"datasets=[{NAME}]" in words
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=project, text=True, timeout=600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    site = project / "reports/_site"
    assert [path.name for path in (site / "datasets").iterdir()] == [NAME]
    assert not list(site.glob("*paper*")) and (site / "index.html").is_file()
