"""The index's panel of results, its picture of the workflow, and its search."""

import json
import shutil
import subprocess

import pytest
from evenflow.pages.glance import read_claims, said
from evenflow.pages.rulegraph import places, read_rulegraph, reduced
from evenflow.pages.search import SCRIPT, page_sections

CHROMIUM = shutil.which("chromium")
SCORECARD = """| The original says | Read as | Link | Model | ns-2 |
| --- | --- | --- | --- | --- |
| Ten per cent is enough | at least 90 % | 1 Gb/s | **holds**: 99 % | **holds**: 93 % (n = 2) |
|  |  | 2.5 Gb/s | **holds**: 98 % | **undecided**: 49 % |
| It drops | reproduced as a drop | 1 Gb/s | **fails**: 3 % | – |
| H-TCP is fair | c | – | **partly**: 2 of 3 | **not testable yet**: 1 of 9 cells |
| BIC is fair [@fig-x] | c | **reproduced for BIC, not for CUBIC**: 1 | not testable here: no | – |
"""


def test_a_scorecard_of_any_paper_is_counted_by_its_verdicts():
    claims = read_claims(SCORECARD)
    assert [(claim.sentence, dict(claim.outcomes)) for claim in claims] == [
        ("Ten per cent is enough", {"reproduced": 3, "undecided": 1}),
        ("It drops", {"not reproduced": 1}),
        ("H-TCP is fair", {"in part": 1, "undecided": 1}),
        ("BIC is fair", {"in part": 1, "undecided": 1}),
    ]
    assert said(claims[0]) == "reproduced (3), undecided (1)"
    assert said(claims[1]) == "not reproduced"


DOT = """digraph snakemake_dag {
	0[label = "all", color = "0.00 0.6 0.85", style="rounded"];
	1[label = "draw", color = "0.37 0.6 0.85", style="rounded"];
	2[label = "build", color = "0.37 0.6 0.85", style="rounded"];
	3[label = "parse", color = "0.37 0.6 0.85", style="rounded"];
	1 -> 0
	2 -> 0
	2 -> 1
	3 -> 1
	3 -> 2
	2 -> 2
}"""


def test_the_picture_of_the_workflow_leaves_out_what_longer_ways_say():
    edges = reduced(read_rulegraph(DOT))
    assert edges == {("parse", "build"), ("build", "draw"), ("draw", "all")}
    assert places(edges).select("rule", "line").rows() == [
        ("parse", 0),
        ("build", 1),
        ("draw", 2),
        ("all", 3),
    ]


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
