"""Sentences that are bound to claims: what supports them, or that nothing does any more."""

import re
import shutil

import polars as pl
import pytest
from evenflow.claims.judge import SCHEMA
from evenflow.render import RenderError, render_report, report_summary
from evenflow.render.findings import MOST, read_claims
from evenflow.render.source import read_source
from rendered_page import FIXTURE, THEME, path_without_quarto, pdf_text

NUMBERS = {"estimate": 2.0, "low": 1.5, "high": 2.5, "factor": 1.0, "digits": 1, "n": 5}
NUMBERS |= {"n_most": 5, "n_cells": 3, "why": "", "quantifier": "all", "kind": "effect"}
NUMBERS |= {"lacking": "", "two_state": "", "part": ""}
NUMBERS |= {"paper": "p", "sentence": "S", "place": "", "figure": "fig-x", "unit": "dB"}
ROWS = [
    ("grows", "ns-2", "BIC", "reproduced"),
    ("grows", "ns-2", "CUBIC", "inconclusive"),
    ("grows", "testbed", "BIC", "reproduced"),
    ("grows", "testbed", "CUBIC", "reproduced"),
    ("shared", "testbed", "", "contradicted"),
    ("unseen", "testbed", "", "not testable"),
]


@pytest.fixture
def claim(tmp_path):
    """The table `claim` of a paper."""
    rows = [
        NUMBERS
        | {"claim": key, "subject": subject, "case": case, "outcome": outcome}
        | {"statistic": f'"the {key}" & |D|', "note": "3 cells left out"}
        for key, subject, case, outcome in ROWS
    ]
    path = tmp_path / "claim.parquet"
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(path)
    return path


def bound(tmp_path, claim, text):
    (tmp_path / "index.qmd").write_text(text, encoding="utf-8")
    return read_source(tmp_path, claims=read_claims(claim))


@pytest.mark.parametrize(
    ("line", "behind"),
    [
        ("It is so, [it grows]{}. More.", True),
        ("In a transient [it grows]{}. More.", False),
        ("[It grows]{}, as a transient.", False),
        ("[It grows]{}, although its flows had not converged.", False),
        ("Before these flows have converged, [it grows]{}.", False),
        ("[It grows]{} where cells are unsteady.", False),
        ("They converged, and [it grows]{}.", True),
        ("[It grows]{} while every cell is steady.", True),
        ("A transient is meant. [It grows]{}.", True),  # another sentence
        ("# Where [it grows]{}", True),
    ],
)
def test_a_sentence_of_a_transient_says_so(tmp_path, claim, line, behind):
    rows = pl.read_parquet(claim).with_columns(transient=pl.col("claim") == "grows")
    rows.write_parquet(claim)
    mark = '{.finding claim="grows" is="reproduced" on="testbed"}'
    source = bound(tmp_path, claim, line.replace("{}", mark))
    assert source.lost == ()
    assert (" (a transient)" in source.text) == behind
    text = '[It is shared]{.finding claim="shared" is="contradicted"}.'
    assert "transient" not in bound(tmp_path, claim, text).text


@pytest.mark.parametrize(
    ("mark", "supported"),
    [
        ('claim="grows" is="reproduced" on="testbed"', True),
        ('claim="grows" is="reproduced" on="ns-2"', False),  # folded over the cases
        ('claim="grows" is="inconclusive" on="ns-2"', True),
        ('claim="grows" is="reproduced" on="ns-2" case="BIC"', True),
        ('claim="grows" is="reproduced" case="BIC"', True),  # on both
        ('claim="grows" is="reproduced"', False),  # not on ns-2
        ('claim="grows" is="reproduced" case="CUBIC"', False),
        ('is="contradicted" claim="shared"', True),
        ('claim="unseen" is="not testable"', True),
        ('claim="unseen" is="reproduced"', False),
        ('claim="grows shared" is="reproduced" on="testbed"', False),  # all of them
    ],
)
def test_a_finding_holds_where_its_claims_have_the_outcome(tmp_path, claim, mark, supported):
    source = bound(tmp_path, claim, f"It is so, [it grows]{{.finding {mark}}}. More.")
    assert (source.lost == ()) == supported
    assert ("{.finding title=" in source.text) == supported
    assert ("{.mark .finding .lost" in source.text) == (not supported)
    assert source.text.startswith("It is so, [it grows]{") and source.text.endswith(". More.")


def test_the_evidence_names_the_data_set_that_a_claim_is_on(tmp_path, claim):
    mark = '{.finding claim="grows" is="reproduced" on="testbed"}'
    (tmp_path / "index.qmd").write_text(f"[It grows]{mark}.", encoding="utf-8")
    source = read_source(tmp_path, claims=read_claims(claim, {"testbed": "testbed-router"}))
    assert ", testbed-router: reproduced" in source.text and source.lost == ()


def test_what_is_lost_is_said_with_place_sentence_outcomes_and_evidence(tmp_path, claim):
    text = 'One\n\nThat [*BIC* [2]{.evidence of="a"} $[0, 1)$ grows]{.finding claim="grows" '
    source = bound(tmp_path, claim, text + 'is="contradicted" on="ns-2" case="BIC"}.')
    (lost,) = source.lost
    assert str(lost) == (
        f"{tmp_path / 'index.qmd'}:3: 'BIC 2 $0, 1)$ grows' was written for grows = contradicted "
        'on=ns-2 case=BIC. Now reproduced ("the grows" & |D|, ns-2: reproduced: BIC 2.0 dB '
        "(1.5 to 2.5), n = 5. 3 cells left out)"
    )
    assert "**no longer supported**: it was written for contradicted. Now " in source.text


def test_a_claim_of_many_cases_has_the_evidence_of_some(tmp_path, claim):
    table = pl.read_parquet(claim).filter(claim="shared")
    cases = pl.concat(table.with_columns(case=pl.lit(f"case {n}")) for n in range(MOST + 3))
    cases.write_parquet(claim)
    text = bound(tmp_path, claim, '[x]{.finding claim="shared" is="contradicted"}').text
    assert text.count("2.0 dB") == MOST and "; and 3 more." in text


SHAPE = "a finding is [sentence]{.finding claim="


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[x]{.finding claim="grow" is="reproduced"}', "no claim 'grow' (did you mean 'grows'?)"),
        ('[x]{.finding claim="grows" is="reproducd"}', "be 'reproducd' (did you mean 'reproduced"),
        (
            '[x]{.finding claim="grows" is="reproduced" on="tesbed"}',
            "claim grows is not on 'tesbed' (did you mean 'testbed'?)",
        ),
        (
            '[x]{.finding claim="grows" is="reproduced" case="BBR"}',
            "claim grows has no case 'BBR' (known: BIC, CUBIC)",
        ),
        ('[x]{.finding claim="grows" is="reproduced" in="a"}', "a finding has no 'in'"),
        ('[x]{.finding claim="grows"}', "a finding cannot be ''"),
        ('[x]{.finding is="reproduced"}', SHAPE),
        ("[x]{.finding}", SHAPE),
        ('[x]{.finding claim="grows" claim="shared" is="reproduced"}', SHAPE),
        ("[x]{.finding claim=grows is=reproduced}", SHAPE),
        ('[x]{.findings claim="grows" is="reproduced"}', SHAPE),
        ('[x]{.finding claim="grows"\nis="reproduced"}', SHAPE),
        ('[x\ny]{.finding claim="grows" is="reproduced" on="testbed"}', "no bracket opens"),
        ('---\ntitle: "[x]{.finding claim="grows" is="reproduced"}"\n---', "write 'title: >-'"),
    ],
)
def test_a_mark_that_means_nothing_is_named_with_file_and_line(tmp_path, claim, text, said):
    with pytest.raises(RenderError) as error:
        bound(tmp_path, claim, f"{text}")
    assert said in str(error.value)
    assert re.search(r"index\.qmd:\d+: ", str(error.value))


def test_a_finding_of_a_paper_without_claims_is_an_error(tmp_path):
    with pytest.raises(RenderError, match="the paper has no table `claim`"):
        bound(tmp_path, None, '[x]{.finding claim="grows" is="reproduced"}')


def test_code_is_left_alone(tmp_path, claim):
    text = 'As `[x]{.finding claim="y"}`, or:\n\n```\n[x]{.finding claim="y"}\n```\n'
    assert bound(tmp_path, claim, text).text == text.rstrip("\n")


HEADER = """title: >-
  [A 'title': *x*]{.finding claim="shared" is="reproduced"}: more
abstract: |
  Two. [It grows, {{< var whole.n_runs >}}]{.finding claim="grows" is="reproduced" on="testbed"}.
  [None share]{.finding claim="shared" is="inconclusive"}.
"""
LOST = "“the shared” & |D|, testbed: contradicted: 2.0 dB (1.5 to 2.5), n = 5. 3 cells left out"


@pytest.fixture
def report(tmp_path):
    """The fixture report with findings in title and abstract, a heading and a caption."""
    copy = tmp_path / "report"
    shutil.copytree(FIXTURE, copy)
    text = (copy / "index.qmd").read_text(encoding="utf-8")
    text = re.sub(r"(?s)^title:.*?\n(?=\w)", "", text[4:])
    text = re.sub(r"(?ms)^abstract:.*?\n(?=\w|---)", "", text)
    text = f"---\n{HEADER}" + text
    text += '\n# [Head]{.finding claim="shared" is="reproduced"}\n'
    (copy / "index.qmd").write_text(text, encoding="utf-8")
    variables = (copy / "_variables.yml").read_text(encoding="utf-8")
    (copy / "_variables.yml").write_text(variables + "\nwhole: {n_runs: '7'}\n", encoding="utf-8")
    return copy


def test_page_and_pdf_show_what_is_lost(report, claim, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    made = {name: tmp_path / name for name in ("index.html", "r.pdf", "lost.txt")}
    html, pdf, lost = made.values()
    render_report(report, html, pdf, THEME, claims=claim, lost=lost)
    page = " ".join(html.read_text(encoding="utf-8").split())
    read = " ".join(re.sub(r"<[^>]*>", "", page).split())
    assert "<title>A ‘title’: x (no longer supported): more</title>" in page
    assert read.count("no longer supported") == 5  # title twice, abstract, heading, its entry above
    note = "None share (no longer supported: it was written for inconclusive. Now "
    assert note in read.replace("&amp;", "&")
    assert re.search(r'<mark[^>]*class="[^"]*finding[^"]*"[^>]*>None share</mark>', page)
    assert re.search(r'<span class="finding" title="[^"]*"> ?It grows, 7</span>', page)
    printed = pdf_text(pdf)
    for said in ("title’: x (no longer supported)", note, "It grows, 7. None", "Head (no longer"):
        assert said in printed, said
    sentences = re.findall(r"qmd:\d+: '(.*)' was", lost.read_text(encoding="utf-8"))
    assert sentences == ["A 'title': x", "None share", "Head"]


def test_a_report_whose_findings_hold_lists_none(report, claim, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    text = (report / "index.qmd").read_text(encoding="utf-8")
    text = text.replace('claim="shared" is="reproduced"', 'claim="shared" is="contradicted"')
    text = text.replace('is="inconclusive"', 'is="contradicted"')
    (report / "index.qmd").write_text(text, encoding="utf-8")
    html, lost = tmp_path / "index.html", tmp_path / "lost.txt"
    render_report(report, html, tmp_path / "r.pdf", THEME, claims=claim, lost=lost)
    assert lost.read_text().split() == []
    assert "no longer supported" not in html.read_text(encoding="utf-8")


def test_the_summary_on_the_index_says_that_a_title_is_lost(report, claim):
    assert report_summary(report, claim)["title"].startswith("A ‘title’: x (no longer supported)")
    assert report_summary(report)["title"] == "A ‘title’: x: more"
