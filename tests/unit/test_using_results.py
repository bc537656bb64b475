"""docs/guides/using-results.md: its commands work as they are written, and its files are there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.render.latex import latex_numbers
from evenflow.render.site import dataset_version
from evenflow.render.source import read_variables
from raw_data import build_tables

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guides/using-results.md").read_text(encoding="utf-8")
FIGURE, CSV = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
[LATEX] = re.findall(r"```latex\n(.*?)```", GUIDE, re.DOTALL)
PAPER = "reports/ns2-vs-testbed"


def run(code: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, timeout=120)


def test_a_figure_becomes_png_and_pdf(tmp_path):
    (tmp_path / PAPER / "figures").mkdir(parents=True)
    shutil.copy(ROOT / "docs/images/free-windows.svg", tmp_path / PAPER / "figures")
    run(FIGURE, tmp_path)
    assert (tmp_path / "free-windows.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "free-windows.pdf").read_bytes().startswith(b"%PDF")


def test_a_table_becomes_csv_without_its_lists(tmp_path):
    path = tmp_path / "data/derived/papers/ns2-vs-testbed/claim.parquet"
    path.parent.mkdir(parents=True)
    pl.DataFrame({"claim": ["a"], "estimate": [0.5], "runs": [["r1", "r2"]]}).write_parquet(path)
    run(CSV, tmp_path)
    assert (tmp_path / "claim.csv").read_text(encoding="utf-8") == "claim,estimate\na,0.5\n"


def test_the_example_for_latex_takes_numbers_and_entry_that_are_there(tmp_path):
    paper = PAPER.rpartition("/")[2]
    assert rf"\input{{{paper}}}" in LATEX and rf"\bibliography{{{paper}}}" in LATEX
    assert rf"\cite{{evenflow-{paper}}}" in LATEX
    expected = ROOT / "results/expected" / paper / "_variables.yml"
    (tmp_path / "_variables.yml").write_bytes(expected.read_bytes())
    made = latex_numbers(paper, read_variables(tmp_path / "_variables.yml"))
    used = re.findall(r"(\\nsTwo\w+)\{\}", LATEX)
    assert len(used) == 2
    assert all(rf"\newcommand{{{macro}}}{{" in made for macro in used)
    if shutil.which("pdflatex"):
        (tmp_path / f"{paper}.tex").write_text(made, encoding="utf-8")
        shown = LATEX.replace(r"\includegraphics[width=\columnwidth]{free-windows}", "")
        (tmp_path / "a.tex").write_text(shown, encoding="utf-8")
        subprocess.run(["pdflatex", "-halt-on-error", "a.tex"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "names",
    [
        ["b/flow1.log", "a/flow1.log", "a.log", ".hidden", "-n.log"],
        ["flow 1.log", "my run/flow  2.log", "it's.log", 'a"b.log', "$(x).log", "ä.log"],
        ["a\\b.log", "a.log", "a\\c\\d.log", "a]b.log", "a\nb.log"],
    ],
    ids=["plain", "spaces and quotes", "backslashes and newlines"],
)
@pytest.mark.parametrize("linked", [False, True])
def test_the_version_of_a_data_set_is_computed_by_the_command(names, linked, tmp_path):
    folder = tmp_path / "data/raw/testbed-router"
    place = tmp_path / "elsewhere" if linked else folder
    folder.mkdir(parents=True)
    for name in names:
        for top in {place, folder}:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
        if linked:
            (folder / name).symlink_to(place / name)
    if linked:
        (folder / "to-a-folder").symlink_to(place)
        (folder / "to-nothing").symlink_to("nothing")
    ledger = build_tables(folder, tmp_path)["ledger"].filter(entry="file")
    files = dict(ledger.select("path", "sha256").rows())
    assert len(files) == len(names) + 2 * linked
    [block] = re.findall(r"\n((?: {6}.*\n)+)", GUIDE.partition("The version changes")[2])[:1]
    done = subprocess.run(["sh", "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "" and done.stdout[:12] == dataset_version(files)


@pytest.mark.parametrize("path", re.findall(r"`(workflow/[\w./-]+)`", GUIDE))
def test_what_the_style_is_made_of_is_where_the_guide_says(path):
    assert (ROOT / path).is_file()


def test_the_pull_merges_committed_settings_and_leaves_new_folders_alone(tmp_path):
    """`git pull` alone refuses to: the two have diverged."""

    def git(*words: str, where: str = "mine") -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        words = ("git", "-C", str(tmp_path / where), *who, *words)
        subprocess.run(words, check=True, capture_output=True)

    def commit(where: str, name: str, text: str) -> None:
        (tmp_path / where / name).write_text(text)
        git("add", name, where=where)
        git("commit", "-m", name, where=where)

    (tmp_path / "theirs").mkdir()
    git("init", where="theirs")
    commit("theirs", "config.yaml", "a: 1\n")
    git("clone", str(tmp_path / "theirs"), str(tmp_path / "mine"), where=".")
    commit("mine", "config.yaml", "a: 2\n")
    (tmp_path / "mine/my-logs").write_text("mine")
    commit("theirs", "Makefile", "all:\n")
    block = GUIDE.partition("## Updating evenflow\n\n")[2].partition("\n\n")[0]
    pull, make = (line.split() for line in block.splitlines())
    assert make == ["make"]
    git(*pull[1:])
    assert (tmp_path / "mine/config.yaml").read_text() == "a: 2\n"
    assert (tmp_path / "mine/my-logs").read_text() == "mine"
    assert (tmp_path / "mine/Makefile").is_file()


def test_the_bibtex_is_that_of_the_citation_file():
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert f"title   = {{{about['title']}}}" in GUIDE
    assert f"version = {{{about['version']}}}" in GUIDE
    assert f"author  = {{{{{about['authors'][0]['name']}}}}}" in GUIDE
