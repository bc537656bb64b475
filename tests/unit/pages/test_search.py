"""The search page: what it knows of pages, and what is found."""

import json
from types import SimpleNamespace
from urllib.parse import quote

import polars as pl
import pytest
from evenflow.pages.search import page_sections, search_site
from evenflow.render.site import Site
from rendered_page import THEME

PAGE = """<html><head><title>A paper</title><style>p{}</style></head><body>
<header><h1 class="title">A paper</h1><section><h2 id="abstract">Abstract</h2>
<p>Short.</p></section></header><nav><h2 id="toc-title">Contents</h2><a>1</a></nav><main>
<h1 id="sec-a">1 <em>Results</em></h1>
<p>JFI&nbsp;is &lt; 1.</p><svg><text>axis</text></svg><script>x</script></main></body></html>"""


def test_sections_have_their_headings_links_and_prose():
    found = {entry[2]: entry for entry in page_sections(PAGE, "p/index.html")}
    assert found["1 Results"] == ["paper", "p", "1 Results", "p/index.html#sec-a", "JFI is < 1."]
    assert found["Abstract"][4] == "Short."
    assert "Contents" not in found


def test_a_page_is_named_by_its_folder_and_one_of_the_docs_by_its_title():
    urls = ("datasets/my%20logs/index.html", "comparisons/a/index.html", "docs/guides/x.html")
    about = [page_sections(PAGE, url)[0][:2] for url in urls]
    assert about == [["data set", "my logs"], ["comparison", "a"], ["docs", "A paper"]]


TEXTS = {
    "one": ("Buffers", "A buffer, and fairness. Scalable starves."),
    "two": ("Fairness of a buffer", "Nothing else."),
    "three": ("Losses", "A buffer of drop-tail."),
    "four": ("Synchronised", "Losses in step."),
    "five": ("window_goodput", "Of a flow."),
    "six": ("Flows and their goodput", "Of all."),
}


@pytest.fixture(scope="module")
def found(browser, tmp_path_factory):
    """Ask the search: {what is asked for: addresses, the best first; what the page says}."""
    site = tmp_path_factory.mktemp("site")
    pages = []
    for name, (title, text) in TEXTS.items():
        pages.append(site / name / "index.html")
        pages[-1].parent.mkdir()
        pages[-1].write_text(f"<title>P</title><main><h1 id='s'>{title}</h1><p>{text}</p></main>")
    run = site / "derived/logs/run.parquet"
    run.parent.mkdir(parents=True)
    pl.DataFrame({"run_id": ["cubic/rtt100_b60/r1", "bic/rtt100_b60/r1"]}).write_parquet(run)
    search_site(site / "search.html", pages, [run], THEME, Site())

    def ask(words: str) -> SimpleNamespace:
        browser.open(f"{(site / 'search.html').as_uri()}?q={quote(words)}")
        assert browser.until("!document.getElementById('search-words').disabled", 10)
        links = (
            "[...document.querySelectorAll('#search-found a')].map((a) => a.getAttribute('href'))"
        )
        said = "document.getElementById('search-count').textContent"
        links, said = json.loads(browser.evaluate(f"JSON.stringify([{links}, {said}])"))
        assert browser.complaints() == []
        firsts = [link.split("/")[0] for link in links]
        return SimpleNamespace(links=firsts, all=links, said=said, ask=browser.evaluate)

    return ask


def test_what_is_written_in_titles_comes_first(found):
    assert found("BUFFER fair").links == ["two", "one"]
    assert found("BUFFER fair").said == "2 sections"


def test_words_with_mistakes_find_what_is_meant_and_the_page_says_so(found):
    assert found("scalble starvs").links == ["one"]
    assert found("scalble starvs").said == "1 section with similar words"
    assert found("synchronized").links == ["four"]  # the other spelling is no mistake
    assert found("synchronized").said == "1 section"


def test_where_no_section_has_all_words_those_with_some_are_shown(found):
    both = found("buffer synchronised")
    assert set(both.links) == {"one", "two", "three", "four"}
    assert both.said.endswith("with some of the words")


def test_words_of_the_field_stand_for_each_other(found):
    assert (
        found("taildrop").links == found("drop-tail").links == found("droptail").links == ["three"]
    )
    meant = found("bufferbloat")
    assert set(meant.links) == {"one", "two", "three"}
    assert meant.said.endswith("sections (bufferbloat: buffer, queue)")
    marked = "[...document.querySelectorAll('#search-found mark')].map((m) => m.textContent)"
    assert {word.lower() for word in meant.ask(marked)} <= {"buffer", "queue"}


def test_names_of_columns_come_after_words_of_titles(found):
    assert found("goodput").links == ["six", "five"]


def test_a_run_is_found_by_a_part_of_its_id(found):
    one = found("cubic/rtt100")
    assert one.all == ["datasets/logs/index.html#run=cubic%2Frtt100_b60%2Fr1"]
    assert found("/r1").said == "2 runs"


def test_nothing_is_said_to_be_found_where_nothing_is(found):
    assert found("xyzzy").links == [] and found("xyzzy").said.startswith("Nothing was found")
