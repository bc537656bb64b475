"""How a paper says to be cited."""

import re

from evenflow.render.cite import bibtex, original_in_words, with_citation

REVISION = {"commit": "1a2b3c4d5e6f", "date": "2026-11-26", "clean": True, "changed": []}
PAGE = """<head><meta name="author" content="The &amp; Sons"><title>A &lt; B,
in 90 % of cases</title><meta name="description" content="Why &quot;A&quot;?"></head>
<body></body>"""


def test_the_entry_names_the_version_and_can_be_read_by_bibtex():
    assert bibtex("a-b", "A_B in 90 % of cases", ["The & Sons", "C. D."], REVISION) == (
        "@misc{evenflow-a-b,\n"
        "  author = {{The \\& Sons} and {C. D.}},\n"
        "  title = {{A\\_B in 90 \\% of cases}},\n"
        "  year = {2026},\n"
        "  note = {version 1a2b3c4d5e6f of 2026-11-26}\n"
        "}"
    )
    changed = bibtex("a", "A", ["B"], {**REVISION, "clean": False})
    assert "of 2026-11-26, changed since}" in changed
    assert "year" not in bibtex("a", "A", ["B"], None)


def test_programs_that_collect_references_find_title_authors_date_and_pdf():
    page, box = with_citation(PAGE, "a-b", REVISION)
    found = dict(
        re.findall(r'<meta (?:name|property)="(?:citation_|og:)(\w+)" content="([^"]*)">', page)
    )
    assert found["title"] == "A &lt; B, in 90 % of cases"
    assert found["author"] == "The &amp; Sons" and found["pdf_url"] == "a-b.pdf"
    assert found["publication_date"] == "2026/11/26"
    assert found["description"] == "Why &quot;A&quot;?"
    assert "title = {{A &lt; B, in 90 \\% of cases}}" in box


def test_an_original_is_named_as_a_list_of_references_does():
    original = {"authors": ["Miras", "Bateman", "Bhatti"], "title": "Fairness", "year": 2008}
    assert original_in_words(original) == "Miras, Bateman and Bhatti, Fairness, 2008"
    alone = {"authors": ["Kelly"], "title": "Scalable TCP", "year": "2003"}
    assert original_in_words(alone) == "Kelly, Scalable TCP, 2003"
