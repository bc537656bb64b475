"""The index's panel of results."""

import polars as pl
from evenflow.claims.judge import SCHEMA
from evenflow.pages.glance import glance_markdown, outcomes_in_words
from evenflow.statistics.outcomes import CONTRADICTED, NOT_TESTABLE, REPRODUCED

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
    assert "2 claims, tested in: A title" in panel
    alone = glance_markdown({"paper": ("A title", "paper/index.html", drop)})
    assert "1 claim, tested in: A title" in alone
    assert r"| It drops \| at once | contradicted |" in panel


def test_findings_of_our_own_are_no_results_of_an_original():
    own = CLAIM.with_columns(place=pl.lit(""), sentence=pl.lit("Ours"), claim=pl.lit("own"))
    both = {"paper": ("A title", "p.html", pl.concat([CLAIM, own]))}
    assert glance_markdown(both) == glance_markdown({"paper": ("A title", "p.html", CLAIM)})
