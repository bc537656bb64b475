"""Figures are the same whatever fonts a machine has, and tests see what Altair would object to."""

import os
import re
import subprocess
import sys
from pathlib import Path

import altair as alt
import polars as pl
import pytest
import vl_convert
from altair.utils.schemapi import SchemaValidationError
from evenflow.charts.base import save_chart
from evenflow.papers.find import pieces_of
from evenflow.papers.make import Values, load, make_pieces

ROOT = Path(__file__).parents[3]
DRAW = """
import sys
import altair, polars
from evenflow.charts.base import save_chart
table = polars.DataFrame({"name": ["☃☃☃☃☃☃☃☃"], "mbps": [3.0]})
save_chart(altair.Chart(table).mark_bar().encode(y="name:N", x="mbps:Q"), sys.argv[1])
"""
BY_ITSELF = """
import sys, vl_convert
spec = {"data": {"values": [{"name": "☃☃☃☃☃☃☃☃"}]}, "mark": "bar"}
spec["encoding"] = {"y": {"field": "name"}}
sys.stdout.buffer.write(vl_convert.vegalite_to_svg(spec, vl_version="6.1").encode())
"""
FIGURE = """
import altair as alt, polars as pl
from evenflow.papers import paper

@paper.figure
def drawn():
    return alt.Chart(pl.DataFrame({"a": [1]})).mark_line(strokewidth=3).encode(x="a:Q")
"""


def run(code: str, *words: object, **env: str) -> bytes:
    known = {
        n: v for n, v in os.environ.items() if n not in ("EVENFLOW_VALIDATE", "FONTCONFIG_FILE")
    }
    known |= {"PYTHONPATH": str(ROOT / "workflow")} | env
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, env=known, capture_output=True, check=True, cwd=ROOT).stdout


@pytest.fixture
def no_fonts(tmp_path) -> str:
    """The settings of a machine that has no font at all."""
    path = tmp_path / "fonts.conf"
    path.write_text(f"<fontconfig><dir>{tmp_path / 'no'}</dir></fontconfig>", encoding="utf-8")
    return str(path)


@pytest.mark.thorough
def test_a_figure_is_the_same_on_a_machine_without_fonts(tmp_path, no_fonts):
    """Liberation Sans has no snowman: its width is that of whatever font here has one."""
    if run(BY_ITSELF) == run(BY_ITSELF, FONTCONFIG_FILE=no_fonts):
        pytest.skip("no font of this machine has a sign that those of vl-convert lack")
    here, there = tmp_path / "here.svg", tmp_path / "there.svg"
    run(DRAW, here)
    run(DRAW, there, FONTCONFIG_FILE=no_fonts)
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.parametrize("asked", [None, "/etc/fonts/fonts.conf"])
def test_only_figures_are_without_the_fonts_of_the_machine(tmp_path, monkeypatch, asked):
    """Typst and browsers that the same process starts find them as before, after an error too."""
    monkeypatch.delenv("FONTCONFIG_FILE", raising=False)
    if asked:
        monkeypatch.setenv("FONTCONFIG_FILE", asked)
    seen = []

    def draw(*_, **__):
        seen.append(os.environ["FONTCONFIG_FILE"])
        raise ValueError("a chart that cannot be drawn")

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", draw)
    with pytest.raises(ValueError, match="cannot be drawn"):
        save_chart({"mark": "bar"}, tmp_path / "chart.svg")
    [path] = seen
    folders = re.findall("<dir>(.*?)</dir>", Path(path).read_text(encoding="utf-8"))
    assert folders and not any(Path(folder).exists() for folder in folders)
    assert os.environ.get("FONTCONFIG_FILE") == asked


def test_all_that_is_drawn_is_drawn_in_one_place():
    """A second call of vl-convert would measure with the machine's fonts."""
    drawn = re.compile(r"\bvl_convert\.(?!javascript_bundle)\w+|\.save\(|from vl_convert")
    places = [*(ROOT / "workflow").rglob("*.py"), *ROOT.glob("reports/*/*.py")]
    found = [path.name for path in places if drawn.search(path.read_text(encoding="utf-8"))]
    assert found == ["base.py"]


def test_a_chart_that_altair_objects_to_fails_in_tests():
    with pytest.raises(SchemaValidationError, match="strokewidth"):
        alt.Chart(pl.DataFrame({"a": [1]})).mark_line(strokewidth=3)


def test_jobs_do_not_take_the_time_to_check_each_part_of_a_chart(tmp_path):
    module = tmp_path / "figures.py"
    module.write_text(FIGURE, encoding="utf-8")
    code = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
from evenflow.charts.panels import spec_of
import figures
print(spec_of(figures.drawn())["mark"])
"""
    assert b"strokewidth" in run(code)
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(code, EVENFLOW_VALIDATE="1")
    assert b"SchemaValidationError" in failed.value.stderr


def test_figures_of_a_paper_without_tests_are_checked_as_they_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(alt.utils.schemapi, "DEBUG_MODE", False)  # as in a job
    module = tmp_path / "untested-paper/figures.py"
    module.parent.mkdir()
    module.write_text(FIGURE, encoding="utf-8")
    paths = {"drawn": str(tmp_path / "drawn.svg")}
    with pytest.raises(SchemaValidationError, match="strokewidth"):
        make_pieces(pieces_of(module), load(module), Values({}, {}), paths)


def test_figures_of_a_paper_with_tests_are_left_to_them(tmp_path, monkeypatch):
    monkeypatch.setattr(alt.utils.schemapi, "DEBUG_MODE", False)
    module = tmp_path / "tested-paper/figures.py"
    (module.parent / "tests").mkdir(parents=True)
    (module.parent / "tests/test_figures.py").touch()
    module.write_text(FIGURE, encoding="utf-8")
    paths = {"drawn": str(tmp_path / "drawn.svg")}
    make_pieces(pieces_of(module), load(module), Values({}, {}), paths)
    assert "<svg" in Path(paths["drawn"]).read_text(encoding="utf-8")
