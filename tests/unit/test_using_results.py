"""docs/guides/using-results.md: its commands work as they are written, and its files are there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guides/using-results.md").read_text(encoding="utf-8")
FIGURE, CSV, LATEX = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
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


def test_numbers_become_a_latex_file(tmp_path):
    (tmp_path / PAPER).mkdir(parents=True)
    said = {"claim": {"n": "190", "value": {"a_b": "−0.5 % (50 to 60)"}}, "of": "a & b_c"}
    text = yaml.safe_dump(said, allow_unicode=True)
    (tmp_path / PAPER / "_variables.yml").write_text(text, encoding="utf-8")
    run(LATEX, tmp_path)
    made = (tmp_path / "numbers.tex").read_text(encoding="utf-8")
    assert r"\newcommand{\evenflow}[1]{\csname evenflow:#1\endcsname}" in made
    assert r"\expandafter\def\csname evenflow:claim.n\endcsname{190}" in made
    assert r"\csname evenflow:claim.value.a_b\endcsname{$-$0.5 \% (50 to 60)}" in made
    assert r"\csname evenflow:of\endcsname{a \& b\_c}" in made
    if shutil.which("pdflatex"):
        text = r"\begin{document}\evenflow{claim.n}\end{document}"
        source = rf"\documentclass{{article}}\input{{numbers}}{text}"
        (tmp_path / "a.tex").write_text(source, encoding="utf-8")
        subprocess.run(["pdflatex", "-halt-on-error", "a.tex"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("path", re.findall(r"`(workflow/[\w./-]+)`", GUIDE))
def test_what_the_style_is_made_of_is_where_the_guide_says(path):
    assert (ROOT / path).is_file()


def test_the_bibtex_is_that_of_the_citation_file():
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert f"title   = {{{about['title']}}}" in GUIDE
    assert f"version = {{{about['version']}}}" in GUIDE
    assert f"author  = {{{{{about['authors'][0]['name']}}}}}" in GUIDE
