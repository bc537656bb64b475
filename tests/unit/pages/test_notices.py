"""What stands in the place of a page that could not be made."""

from pathlib import Path

import pytest
from evenflow.pages.notices import write_notice
from evenflow.render.site import Place

THEME = Path(__file__).parents[3] / "workflow/theme"


@pytest.mark.parametrize(
    "problem",
    ["label {#fig-x} is used twice", "{.finding claim=x}", "@fig-y", "::: {#tbl-z}", "$x"],
)
def test_a_notice_says_any_problem_as_it_is(tmp_path, problem):
    html = tmp_path / "index.html"
    causes = {"reports/p/index.qmd:3": (problem, "correct it")}
    write_notice(html, "a paper", causes, THEME, Place(1, "a paper"))
    page = html.read_text(encoding="utf-8")
    assert problem in page and "Correct it." in page
    assert 'href="../index.html"' in page
