"""Texts of the documentation become pages that lead to one another, and nowhere that is not."""

import re

import pytest
from evenflow.documentation import pages_of_docs
from evenflow.errors import DataError
from evenflow.pages.docs import render_docs
from evenflow.render.site import Site
from rendered_page import THEME

README = """# The *docs*

See [a guide](guides/one.md#step-one), [changes](../CHANGELOG.md), [the code](../workflow/run.py),
[elsewhere](https://example.org/x.md) and [below](#below). Not a link: `[x](guides/one.md)`.

## Below

## Two

## Three
"""
ONE = "# One\n\nUp to [the docs](../README.md), as [the tutorial](../tutorial).\n\n## Step one\n"


@pytest.fixture
def project(tmp_path):
    texts = {"docs/README.md": README, "docs/guides/one.md": ONE, "CHANGELOG.md": "# Changes\n"}
    texts |= {"docs/tutorial/README.md": "# Tutorial\n", "experiments/ns2/README.md": "# Runs\n"}
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def made(project, site=Site(docs=True)) -> dict[str, str]:  # noqa: B008, a constant
    pages = pages_of_docs(project)
    render_docs(pages, project, project / "site", THEME, site)
    return {page: (project / "site" / page).read_text() for page in pages.values()}


def hrefs(page: str) -> list[str]:
    """List the links of a text; those of its sections to themselves are none of it."""
    return re.findall(r'<a (?!class="permalink")[^>]*?href="([^"]*)"', page.partition("<main")[2])


def test_every_text_has_its_page(project):
    assert pages_of_docs(project) == {
        "CHANGELOG.md": "docs/changelog.html",
        "docs/README.md": "docs/index.html",
        "docs/guides/one.md": "docs/guides/one.html",
        "docs/tutorial/README.md": "docs/tutorial/index.html",
        "experiments/ns2/README.md": "docs/experiments/ns2/index.html",
    }


def test_links_lead_to_pages_and_none_to_what_has_no_page(project):
    pages = made(project)
    assert hrefs(pages["docs/index.html"]) == [
        "guides/one.html#step-one",
        "changelog.html",
        "https://example.org/x.md",
        "#below",
    ]
    assert "the code" in pages["docs/index.html"]
    assert hrefs(pages["docs/guides/one.html"]) == ["../index.html", "../tutorial/index.html"]
    assert 'id="step-one"' in pages["docs/guides/one.html"]


def test_files_without_a_page_are_shown_where_the_repository_is_read(project):
    pages = made(project, Site(True, "https://forge.example/study"))
    assert "https://forge.example/study/tree/HEAD/workflow/run.py" in hrefs(
        pages["docs/index.html"]
    )


def test_a_page_has_the_title_of_its_text_and_contents_if_it_is_long(project):
    pages = made(project)
    assert "<title>The docs</title>" in pages["docs/index.html"]
    assert '<nav id="TOC"' in pages["docs/index.html"]
    assert '<nav id="TOC"' not in pages["docs/guides/one.html"]
    assert pages["docs/guides/one.html"].count("<h1") == 1  # the headings below it are lower


def test_a_text_without_a_title_is_named(project):
    (project / "docs/guides/one.md").write_text("No title.\n")
    with pytest.raises(DataError, match=r"docs/guides/one\.md:1: the text has no title"):
        made(project)
