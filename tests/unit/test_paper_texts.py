"""Titles and abstracts of the papers: short, bound to claims, and without a cause nobody tried."""

import re
from pathlib import Path

import pytest
import yaml
from evenflow.claims.scorecard import legend

ROOT = Path(__file__).parents[2]
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/index.qmd"))
WORDS, NUMBERS = 180, 6
MARK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\{\.finding[^{}]*\}")
PRINTED = re.compile(r"\[[^\]]*\]\{\.printed\}")
VARIABLE = re.compile(r"\{\{< var [^>]*>\}\}")
NAMES = re.compile(r"ns-?2|H-TCP|Flow [12]|flow [12]")


def header(paper: str) -> dict:
    text = (ROOT / f"reports/{paper}/index.qmd").read_text(encoding="utf-8")
    return yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))


def plain(text: str) -> str:
    """Return a text with its marks taken off: a variable is one number."""
    return MARK.sub(r"\1", VARIABLE.sub("0", text))


def numbers_of(text: str) -> list[str]:
    """Return the numbers of a text; an interval counts with its value."""
    said = NAMES.sub("", PRINTED.sub("", plain(text)))
    return re.findall(r"(?<![\w-])\d[\d.,]*", said)


@pytest.mark.parametrize("paper", PAPERS)
def test_an_abstract_can_be_read_in_a_minute(paper):
    abstract = header(paper)["abstract"]
    assert len(plain(abstract).split()) <= WORDS
    assert len(numbers_of(abstract)) <= NUMBERS


@pytest.mark.parametrize("paper", PAPERS)
def test_a_title_says_what_a_claim_carries(paper):
    """All but where it holds and what the paper is about is bound to a claim."""
    title = header(paper)["title"]
    assert ".finding" in title
    free = re.sub(r"\W+", " ", MARK.sub("", title)).strip()
    assert len(free.split()) <= 9, free


@pytest.mark.parametrize("paper", PAPERS)
def test_titles_and_abstracts_name_no_cause(paper):
    """A 'because' needs a run in which the cause is taken away."""
    said = header(paper)
    for text in (said["title"], said["abstract"]):
        assert not re.search(r"\b(?:because|explains?|due to|caused by)\b", plain(text))


def test_a_sentence_with_too_many_numbers_would_be_seen():
    assert numbers_of('It is {{< var a.b >}} [and 3 %]{.finding claim="x" is="reproduced"}.') == [
        "0",
        "3",
    ]
    assert numbers_of("ns-2, H-TCP and [900]{.printed} Mb/s for flow 2") == []


@pytest.mark.parametrize("paper", PAPERS)
def test_letters_behind_outcomes_are_explained_where_they_are_used(paper):
    text = (ROOT / f"reports/{paper}/index.qmd").read_text(encoding="utf-8")
    assert f"Letters after an outcome qualify it. {legend()}." in text
