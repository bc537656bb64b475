"""The index's panel of results, and its search."""

import json
import shutil
import subprocess

import polars as pl
import pytest
from evenflow.claims.judge import SCHEMA
from evenflow.pages.glance import glance_markdown, outcomes_in_words
from evenflow.pages.search import SCRIPT, page_sections
from evenflow.statistics.outcomes import CONTRADICTED, NOT_TESTABLE, REPRODUCED

CHROMIUM = shutil.which("chromium")
SAID = {"paper": "paper", "figure": "", "place": "IV", "statistic": "share", "case": ""}
SAID |= {"quantifier": "all"}
CLAIM = pl.DataFrame(
    [
        SAID | {"claim": key, "subject": link, "sentence": sentence, "outcome": outcome}
        for key, link, sentence, outcome in (
            ("ten", "1 Gb/s", "Ten per cent is enough", REPRODUCED),
            ("ten", "2.5 Gb/s", "Ten per cent is enough", NOT_TESTABLE),
            ("drop", "1 Gb/s", "It drops | at once", CONTRADICTED),
        )
    ],
    schema=SCHEMA,
)


def test_the_outcomes_of_a_claim_are_counted_and_said():
    ten, drop = CLAIM.partition_by("claim", maintain_order=True)
    assert outcomes_in_words(ten) == "reproduced (1), not testable (1)"
    assert outcomes_in_words(drop) == "contradicted"
    panel = glance_markdown({"paper": ("A title", "paper/index.html#tbl-claims", CLAIM)})
    assert "[A title](<paper/index.html#tbl-claims>)" in panel
    assert 'aria-label="1 reproduced, 1 contradicted, 1 not testable"' in panel
    assert "2 claims of A title" in panel
    assert r"| It drops \| at once | contradicted |" in panel


def test_findings_of_our_own_are_no_results_of_an_original():
    own = CLAIM.with_columns(place=pl.lit(""), sentence=pl.lit("Ours"), claim=pl.lit("own"))
    both = {"paper": ("A title", "p.html", pl.concat([CLAIM, own]))}
    assert glance_markdown(both) == glance_markdown({"paper": ("A title", "p.html", CLAIM)})


PAGE = """<html><head><title>A paper</title><style>p{}</style></head><body>
<header><h1 class="title">A paper</h1><section><h2 id="abstract">Abstract</h2>
<p>Short.</p></section></header><nav><h2 id="toc-title">Contents</h2><a>1</a></nav><main>
<h1 id="sec-a">1 <em>Results</em></h1>
<p>JFI&nbsp;is &lt; 1.</p><svg><text>axis</text></svg><script>x</script></main></body></html>"""


def test_sections_have_their_headings_links_and_what_is_read_in_them():
    found = {entry["title"]: entry for entry in page_sections(PAGE, "p/index.html")}
    assert found["1 Results"] == {
        "page": "A paper",
        "title": "1 Results",
        "url": "p/index.html#sec-a",
        "text": "JFI is < 1.",
    }
    assert found["Abstract"]["text"] == "Short."
    assert "Contents" not in found


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_search_finds_sections_with_all_words_headings_first(tmp_path):
    entries = [
        {"page": "P", "title": "One", "url": "p.html#one", "text": "A buffer, and fairness."},
        {"page": "P", "title": "Fairness", "url": "p.html#two", "text": "A Buffer."},
        {"page": "P", "title": "Three", "url": "p.html#three", "text": "A buffer."},
    ]
    html = "<html><body><main></main>"
    html += f'<script type="application/json" id="search-data">{json.dumps(entries)}</script>'
    html += f"<script>{SCRIPT}</script><script>const i = document.getElementById('search-words');"
    html += "i.value = 'BUFFER fair'; i.dispatchEvent(new Event('input'));</script></body></html>"
    (tmp_path / "p.html").write_text(html, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "p.html").as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    assert dom.index('href="p.html#two"') < dom.index('href="p.html#one"')
    assert "#three" not in dom.split('id="search-found"')[1].split("</ul>")[0]
    assert "2 sections" in dom
