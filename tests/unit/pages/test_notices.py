"""What stands in the place of a page that could not be made."""

from contextlib import contextmanager
from pathlib import Path

import pytest
from evenflow.pages.notices import write_notice, write_notices
from evenflow.render.site import Place, Site
from evenflow.runs.failures import Unmade

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


@pytest.mark.parametrize(
    ("alone", "again"),
    [(False, "Run <code>make</code> again."), (True, "Say the command <code>evenflow report")],
)
@pytest.mark.parametrize("causes", [{}, {"data/raw/a": ("it is cut", "copy it")}], ids=len)
def test_a_notice_says_once_how_to_go_on(tmp_path, causes, alone, again):
    """What `evenflow report` makes has no Makefile."""
    html = tmp_path / "index.html"
    write_notice(html, "a", causes, THEME, Place(1, "a", site=Site(alone=alone)))
    page = html.read_text(encoding="utf-8")
    lead = "Copy it. Then " if causes else ""
    start = again[0].lower() if causes else again[0]
    assert f"{lead}{start}{again[1:]}" in page
    assert page.lower().count("again.") == 1 and page.count("<code>make</code>") == (not alone)


def test_each_page_gets_its_notice_within_what_prepares_its_place(tmp_path):
    done = []

    @contextmanager
    def noticing(path):
        Path(path).parent.mkdir(parents=True)
        yield
        done.append(path)

    site = tmp_path / "site"
    html = {name: str(site / name / "index.html") for name in ("datasets/a b", "p")}
    unmade = {
        html["datasets/a b"]: Unmade("data/raw/a b", {"data/raw/a b": ("it is cut", "copy it")}),
        html["p"]: Unmade("p", {}),
    }
    notes = write_notices(unmade, site, THEME, Site(), noticing)
    assert notes == {
        "datasets/a%20b/index.html": "It could not be made: it is cut.",
        "p/index.html": "It could not be made: the run ended before it was made.",
    }
    assert done == [*unmade]
    assert (
        "it is cut" in Path(done[0]).read_text()
        and 'href="../index.html"' in Path(done[1]).read_text()
    )
