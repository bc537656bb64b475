"""How a paper says to be cited."""

import re

import pytest
from evenflow.render.cite import (
    Cited,
    bibtex,
    cite_box,
    entry_of,
    of_commit,
    original_in_words,
    with_metadata,
)
from evenflow.render.errors import RenderError

REVISION = {"commit": "1a2b3c4d5e6f", "date": "2026-11-26", "clean": True, "changed": []}
PAGE = """<head><meta name="author" content="The &amp; Sons"><title>A &lt; B,
in 90 % of cases</title><meta name="description" content="Why &quot;A&quot;?"></head>
<body></body>"""


ORCID = "0000-0000-0000-0000"


def test_the_entry_names_the_version_and_can_be_read_by_bibtex():
    cited = of_commit("a-b", REVISION)
    assert bibtex(cited, "A_B in 90 % of cases", ["The & Sons", "C. D."]) == (
        "@misc{evenflow-a-b,\n"
        "  author = {{The \\& Sons} and {C. D.}},\n"
        "  title = {{A\\_B in 90 \\% of cases}},\n"
        "  year = {2026},\n"
        "  note = {version 1a2b3c4d5e6f of 2026-11-26}\n"
        "}"
    )
    changed = bibtex(of_commit("a", {**REVISION, "clean": False}), "A", ["B"])
    assert "of 2026-11-26, changed since}" in changed
    assert "year" not in bibtex(of_commit("a", None), "A", ["B"])


def test_the_entry_has_address_doi_and_orcid_where_they_are_known():
    cited = of_commit("a", REVISION, doi="10.1234/5_6", orcids={"C. D.": ORCID})
    entry = bibtex(cited, "A", ["B", "C. D."], "https://x.example/a_b/index.html")
    assert "  doi = {10.1234/5_6},\n" in entry  # its style escapes them
    assert "  url = {https://x.example/a_b/index.html},\n" in entry
    assert f"  orcid = {{C. D.: {ORCID}}},\n" in entry
    assert not {"doi", "url", "orcid"} & set(re.findall(r"(\w+) =", bibtex(Cited("a"), "A", [])))


def test_a_name_with_other_letters_is_a_key_that_bibtex_takes():
    assert bibtex(Cited("my logs, ü"), "A", []).startswith("@misc{evenflow-my-logs-,\n")


def test_an_orcid_of_nobody_who_is_an_author_is_refused():
    cited = of_commit("a-b", REVISION, orcids={"Nobody": ORCID})
    with pytest.raises(RenderError, match=r"orcid names Nobody.*The & Sons"):
        entry_of(PAGE, cited, None)


def in_head(page: str) -> dict[str, str]:
    pattern = r'<meta (?:name|property)="((?:citation_|og:)\w+)" content="([^"]*)">'
    return dict(re.findall(pattern, page.partition("</head>")[0]))


def test_programs_that_collect_references_find_title_authors_date_and_pdf():
    cited = of_commit("a-b", REVISION, pdf="a-b.pdf", picture="card.png")
    found = in_head(with_metadata(PAGE, cited, None))
    assert found["citation_title"] == found["og:title"] == "A &lt; B, in 90 % of cases"
    assert found["citation_author"] == "The &amp; Sons"
    assert found["citation_pdf_url"] == "a-b.pdf"
    assert found["citation_publication_date"] == "2026/11/26"
    assert found["og:description"] == "Why &quot;A&quot;?"
    assert not {"og:url", "og:image", "citation_public_url"} & found.keys()
    assert "title = {{A \\textless{} B, in 90 \\% of cases}}" in cite_box(PAGE, cited, None)


def test_where_the_address_is_known_all_that_leads_to_the_page_is_absolute():
    cited = of_commit("a-b", REVISION, pdf="a-b.pdf", picture="card.png", doi="10.1234/5")
    page = with_metadata(PAGE, cited, "https://x.example/a-b/index.html")
    found = in_head(page)
    assert found["og:url"] == "https://x.example/a-b/index.html"
    assert found["og:image"] == "https://x.example/a-b/card.png"
    assert found["citation_pdf_url"] == "https://x.example/a-b/a-b.pdf"
    assert found["citation_doi"] == "10.1234/5"
    assert '<link rel="canonical" href="https://x.example/a-b/index.html">' in page


def test_a_page_that_nobody_cites_says_what_it_is():
    found = in_head(with_metadata(PAGE, None, None))
    assert found["og:title"] and not any(key.startswith("citation") for key in found)


def test_an_original_is_named_as_a_list_of_references_does():
    original = {"authors": ["Miras", "Bateman", "Bhatti"], "title": "Fairness", "year": 2008}
    assert original_in_words(original) == "Miras, Bateman and Bhatti, Fairness, 2008"
    alone = {"authors": ["Kelly"], "title": "Scalable TCP", "year": "2003"}
    assert original_in_words(alone) == "Kelly, Scalable TCP, 2003"
