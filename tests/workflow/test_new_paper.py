"""`make paper`: a report from the template renders at once, on tiny data."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import started
from test_verification import CONFIG, snakemake
from test_workflow import built_project

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
    folder = built_project(tmp_path_factory, "paper")
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
    assert 'id="fig-throughput"' in html and "Throughput of flow 2 (Mb/s)" in html
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
    words = ["--cores", "1", "--configfile", str(project / "config/tiny.yaml"), "--", PAGE]
    return started.snakemake(project, "-n", *words).stdout


REFUSED = {
    "a second time": ((NAME, "tiny-testbed"), "my-paper exists already"),
    "another form": (("My paper", "tiny-testbed"), "'My paper' cannot be the name of a report"),
    "the site's": (("datasets", "tiny-testbed"), "the site has a folder 'datasets'"),
    "other data": (("other", "tiny"), "data/raw/tiny: there is no such data set"),
    "no data": (("other", ""), "NAME=other DATA=... (one of tiny-ns2, tiny-testbed)"),
    "no name": (("", "tiny-ns2"), "make paper NAME=my-paper DATA=tiny-ns2"),
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


GUIDE = Path(__file__).parents[2] / "docs/guides/tables-and-figures.md"
# a piece of a file of the paper: its first line names the file
PIECE = re.compile(r"^```\w+\n(?:# |<!-- )([\w.]+)(?: -->)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARKS = {"figure", "table", "number", "claim"}


def lines_of(code: str) -> int:
    """How many lines a piece has, without what is written once: imports and the table `claim`."""
    own = code.split("@paper.metric")[0].splitlines()
    return sum(bool(line.strip()) and not line.startswith("from ") for line in own)


def test_what_the_guide_says_is_a_figure_a_table_a_number_and_a_claim_of_few_lines(project):
    assert new_paper(project, "by-the-guide", "tiny-testbed").returncode == 0
    folder, derived = project / "reports/by-the-guide", project / "data/derived"
    guide = GUIDE.read_text(encoding="utf-8")
    pieces = PIECE.findall(guide)
    assert {kind for _, code in pieces for kind in re.findall(r"@paper\.(\w+)\n", code)} == MARKS
    for name, code in pieces:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{code}")
        if name.endswith(".py"):
            said = sum(lines_of(text) for other, text in pieces if other == "claims.yml")
            assert lines_of(code) + (said if name == "claims.py" else 0) < 10, code
    page = "reports/_site/by-the-guide/index.html"
    done = snakemake(project, "--", page)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    html = (project / page).read_text(encoding="utf-8")
    words = words_of(html)
    index = pl.read_parquet(derived / "tiny-testbed/run_metric.parquet")["jfi"]
    assert f"Jain’s index is high in {(index >= 0.95).sum()} runs" in words
    assert 'id="fig-index-by-rtt"' in html and 'id="tbl-index"' in html
    made = (folder / "tables/index.md").read_text(encoding="utf-8").splitlines()
    shown = [line for line in guide.splitlines() if line.startswith(("| calib", "| compar"))]
    assert len(shown) == 2 and set(shown) < set(made), made
    (claim,) = pl.read_parquet(derived / "papers/by-the-guide/claim.parquet").rows(named=True)
    cell = pl.read_parquet(derived / "tiny-testbed/cell.parquet").filter(metric="jfi")
    alike = cell.filter(pl.col("scenario_id").str.starts_with("calibration"))
    assert claim["estimate"] == pytest.approx(alike["mean"].mean())
    assert claim["outcome"] == "reproduced"
    after = " (a transient)" if claim["transient"] else ""  # and no other mark
    assert f"Two flows of one variant share the link fairly{after}." in words
