"""`make paper`: a report from the template renders at once, on tiny data."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_verification import CONFIG, snakemake
from test_workflow import copy_project

from tests.unit.rendered_page import install_fake_quarto, path_without_quarto

NAME = "my-paper"
PAGE = f"reports/_site/{NAME}/index.html"


def new_paper(project: Path, *words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "evenflow.command", "paper", words[0]]
    command += ["--data", words[1]]
    env = {**os.environ, "PYTHONPATH": "workflow"}
    return subprocess.run(command, cwd=project, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in which one report was started."""
    folder = copy_project(tmp_path_factory.mktemp("paper") / "evenflow")
    (folder / "config/tiny.yaml").write_text(CONFIG, encoding="utf-8")
    done = new_paper(folder, NAME, "tiny-testbed")
    assert done.returncode == 0, done.stderr
    assert f"make {PAGE}\n" in done.stdout and "docs/guides/writing-a-paper.md" in done.stdout
    return folder


def words_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


def test_a_started_report_renders_at_once(project):
    done = snakemake(project, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    html = (project / PAGE).read_text(encoding="utf-8")
    assert "The data set tiny-testbed has 12 runs" in words_of(html)
    assert 'id="fig-throughput"' in html and "Jain’s fairness index" in html
    assert (project / f"reports/_site/{NAME}/{NAME}.pdf").read_bytes().startswith(b"%PDF-")
    assert "Nothing to be done" in dry_run(project)


def test_a_report_of_a_data_set_without_a_run_says_so(project):
    empty = project / "data/raw/notes-only"
    empty.mkdir()
    (empty / "notes.txt").write_text("nothing was measured yet\n", encoding="utf-8")
    try:
        assert new_paper(project, "no-run", "notes-only").returncode == 0
        done = snakemake(project, "--", "reports/_site/no-run/index.html")
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        html = (project / "reports/_site/no-run/index.html").read_text(encoding="utf-8")
        assert "The data set notes-only has 0 runs" in words_of(html)
    finally:
        shutil.rmtree(empty)
        shutil.rmtree(project / "reports/no-run")


def test_another_renderer_renders_the_report_again(project, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    assert snakemake(project, "--", PAGE).returncode == 0
    assert "Nothing to be done" in dry_run(project)
    for version in ("1.9.37", "1.10.2", "1.6.40"):
        install_fake_quarto(tmp_path / version, monkeypatch, "", version)
        said = dry_run(project)
        jobs = re.findall(r"^([a-z_]+) +1$", said, re.MULTILINE)
        assert set(jobs) == {"render_report", "total"}, said
        assert re.search(rf"Params have changed .* now: .*Quarto {re.escape(version)}", said), said


def dry_run(project: Path) -> str:
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1"]
    command += ["--configfile", str(project / "config/tiny.yaml"), "--", PAGE]
    return subprocess.run(command, cwd=project, capture_output=True, text=True).stdout


REFUSED = {
    "a second time": ((NAME, "tiny-testbed"), "my-paper is there already"),
    "another form": (("My paper", "tiny-testbed"), "'My paper' is no name for a report"),
    "the site's": (("datasets", "tiny-testbed"), "the site has a folder 'datasets'"),
    "no data": (("other", "tiny"), "DATA= one of tiny-ns2, tiny-testbed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_report_that_cannot_be_started_changes_nothing(project, case):
    words, problem = REFUSED[case]
    before = (project / "config/config.yaml").read_bytes()
    done = new_paper(project, *words)
    assert done.returncode != 0
    assert problem in done.stderr and "Remedy" in done.stderr
    assert (project / "config/config.yaml").read_bytes() == before


def test_a_misspelt_paper_in_the_configuration_is_named(project):
    config = project / "config/tiny.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + "papers: [my-papr]\n")
    try:
        done = snakemake(project, "-n", "--", PAGE)
    finally:
        config.write_text(text, encoding="utf-8")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "papers: there is no paper my-papr. Remedy: did you mean 'my-paper'?" in said


def test_a_page_of_a_paper_that_is_not_there_is_not_made(project):
    done = snakemake(project, "-n", "--", "reports/_site/my-papr/index.html")
    assert done.returncode != 0
    assert "No rule to produce reports/_site/my-papr/index.html" in done.stdout + done.stderr
