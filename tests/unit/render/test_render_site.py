"""The header of every page: the same on all, with ways that fit where the page stands."""

import re
from hashlib import sha256
from html import unescape

import pytest
from evenflow.render.site import (
    Place,
    Site,
    dataset_version,
    of_dataset,
    of_paper,
    on_first_page,
    site_header,
    with_header,
)
from rendered_page import THEME

REPOSITORY = "https://forge.example/somebody/study/"
COMMIT = {"commit": "1a2b3c4d5e6f", "date": "2026-11-26", "clean": True, "changed": []}


def links(html: str) -> dict[str, str]:
    return {words: href for href, words in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)', html)}


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_each_page_leads_to_the_index_and_its_sections(depth):
    found = links(site_header(Place(depth, "here", site=Site(docs=True))))
    up = "../" * depth
    assert found["evenflow"] == f"{up}index.html"
    assert found["Papers"].startswith(f"{up}index.html#")
    assert found["Docs"] == f"{up}docs/index.html"


def test_a_site_without_docs_leads_to_none():
    assert "Docs" not in links(site_header(Place(1, "here")))


def test_the_index_is_marked_as_the_page_that_is_open():
    assert 'aria-current="page"' in site_header(Place(0))
    assert 'aria-current="page"' not in site_header(Place(1, "here"))


def test_a_paper_leads_to_its_pdf_data_sets_code_and_commit():
    page = with_header("<head></head><body>\n<main></main>", paper(Site(True, REPOSITORY)), THEME)
    found = links(page)
    assert found["paper-a.pdf"] == "paper-a.pdf"
    assert found["set b"] == "../datasets/set%20b/index.html"
    assert found["reports/paper-a"] == f"{REPOSITORY}tree/HEAD/reports/paper-a"
    assert found["1a2b3c4d5e6f"] == f"{REPOSITORY}commit/1a2b3c4d5e6f"
    assert "2026-11-26" in page
    assert '<main id="main">' in page


def paper(site: Site) -> Place:
    return of_paper("paper-a", ["set b"], COMMIT, site)


def test_without_an_address_of_the_repository_code_and_commit_are_words():
    page = with_header("<head></head><body><main></main>", paper(Site()), THEME)
    assert "reports/paper-a" in page
    assert "1a2b3c4d5e6f" in page
    assert not {"reports/paper-a", "1a2b3c4d5e6f"} & links(page).keys()


def test_changes_that_are_not_committed_are_said():
    place = of_paper("a", [], COMMIT | {"clean": False}, Site())
    assert "1a2b3c4d5e6f, changed since" in with_header("<body>", place, THEME)


def test_a_data_set_leads_to_its_papers():
    page = with_header("<body>", of_dataset("logs", ["q", "p"], Site()), THEME)
    assert re.findall(r'href="(\.\./\.\./[pq]/index\.html)"', page) == [
        "../../p/index.html",
        "../../q/index.html",
    ]
    assert "In the papers" not in with_header("<body>", of_dataset("logs", [], Site()), THEME)


def test_the_first_page_of_a_pdf_has_version_day_and_what_belongs_to_it():
    said = on_first_page(of_paper("a", ["set-b"], COMMIT, Site()))
    assert "Data sets: set-b" in said and "Code: reports/a" in said
    assert COMMIT["commit"] in said and COMMIT["date"] in said
    assert "](" not in said and "pdf" not in said  # no address is known, and it is the PDF itself
    linked = on_first_page(of_paper("a", [], COMMIT, Site(repository="https://forge.example/r")))
    assert f"[{COMMIT['commit']}](https://forge.example/r/commit/{COMMIT['commit']})" in linked
    assert on_first_page(Place(0)) == ""
    odd = on_first_page(of_paper("a", ["r @z", "a_b--c"], None, Site()))
    assert r"Data sets: a\_b\-\-c, r \@z" in odd  # `@z` would be a citation


def test_a_data_set_is_cited_with_what_its_description_says_and_the_version_of_its_files():
    about = {"title": "Flows", "source": "measured by `us`;\nsee there", "licence": "CC0-1.0"}
    about |= {"authors": ["A. B.", "C. D."], "year": 2025, "doi": "10.1234/5"}
    version = dataset_version({"b.log": "22", "a.log": "11"})
    assert version == sha256(b"11  a.log\n22  b.log\n").hexdigest()[:12]
    assert version != dataset_version({"b.log": "23", "a.log": "11"})
    assert version == dataset_version({"b.log": "22", "a.log": "11", "link-to-folder": None})
    place = of_dataset("my logs", [], Site(url="https://x.example/s/"), about, version)
    page = unescape(with_header("<head><title>t</title></head><body>", place, THEME))
    assert (
        "@misc{evenflow-my-logs,\n"
        "  author = {{A. B.} and {C. D.}},\n"
        "  title = {{Flows}},\n"
        "  howpublished = {measured by us},\n"
        "  year = {2025},\n"
        "  doi = {10.1234/5},\n"
        "  url = {https://x.example/s/datasets/my%20logs/index.html},\n"
        f"  note = {{data set my logs, version {version}, licence CC0-1.0}}\n"
        "}"
    ) in page
    assert links(page)["10.1234/5"] == "https://doi.org/10.1234/5"
    assert re.findall('citation_author" content="(.*?)"', page) == ["A. B.", "C. D."]
    undescribed = with_header("<head></head><body>", of_dataset("logs", [], Site()), THEME)
    assert "title = {{logs}},\n  note = {data set logs}\n}" in undescribed


def test_a_page_that_is_made_alone_has_no_version_to_cite():
    assert "@misc" not in with_header("<body>", of_dataset("logs", [], Site(alone=True)), THEME)


def test_identifiers_of_a_paper_and_its_authors_are_links():
    orcid = {"The evenflow developers": "0000-0000-0000-0000"}
    place = of_paper("a", [], COMMIT, Site(), {"doi": "10.1234/5", "orcid": orcid})
    head = '<head><meta name="author" content="The evenflow developers"></head><body>'
    page = with_header(head, place, THEME)
    assert links(page)["10.1234/5"] == "https://doi.org/10.1234/5"
    assert "https://orcid.org/0000-0000-0000-0000" in links(page).values()
    assert 'citation_author_orcid" content="https://orcid.org/0000-0000-0000-0000"' in page
    assert links(page)["numbers"] == "a.tex" and links(page)["BibTeX entry"] == "a.bib"


@pytest.mark.parametrize("path", ["index.html", "docs/guides/a.html", "comparisons/a/index.html"])
def test_every_page_names_its_own_address_where_the_site_has_one(path):
    place = Place(path.count("/"), "here", site=Site(url="https://x.example/study"), path=path)
    page = with_header("<head><title>t</title></head><body>", place, THEME)
    assert f'<link rel="canonical" href="https://x.example/study/{path}">' in page
    assert "canonical" not in with_header("<head></head><body>", Place(0, path=path), THEME)
