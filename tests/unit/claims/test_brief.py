"""Scorecards that take less room, and findings of a paper's own."""

import polars as pl
import pytest
from evenflow.papers.brief import (
    BORDER,
    brief_scorecard,
    outcome_table,
    own_findings,
    shape_counts,
    short_reasons,
)
from evenflow.papers.claims import Claim, Region, Replicates, judge, never
from markdown_tables import rows_of

HIGH = (2.00, 2.01, 2.02)


@pytest.fixture
def claim():
    declared = [
        Claim("higher", "BIC has | more", "1", "fig-x", "mean", Region(low=0.5),
              lambda subject: {"BIC": Replicates(HIGH), "CUBIC": Replicates((0.0, 0.01, 0.02))}),
        Claim("once", "Once it was seen", "2", "", "mean", Region(low=0.5),
              lambda subject: {"": Replicates((3.0,), note="12 cells a replicate")}),
        Claim("never", "It is said", "2", "", "what", Region(low=0), never("nobody looked")),
        Claim("own", "We found it", "", "", "mean", Region(low=0.5),
              lambda subject: {"": Replicates(HIGH)} if subject == 1 else None),
    ]  # fmt: skip
    return judge("p", declared, {"a": 1, "b": 2}, confidence=0.95, fdr=0.05)


def test_reasons_are_said_once(claim):
    one = claim.filter(claim="once", subject="a")
    border = f"{BORDER}; 11 cells a replicate, 4 uncontested left out"
    three = pl.concat([one, one, one]).with_columns(
        case=pl.Series(["A", "B", "C"]),
        reason=pl.Series([border, "fewer; 12 cells a replicate", "fewer; 12 cells a replicate"]),
    )
    assert short_reasons(three)["reason"].to_list() == ["", "fewer", "11 to 12 cells"]


def test_what_cannot_be_tested_keeps_its_reason(claim):
    lacks = "15 cells a replicate, repeat 1 lacks 13 of them"
    table = claim.filter(claim="never", subject="a").with_columns(reason=pl.lit(lacks))
    assert short_reasons(table)["reason"].item() == lacks


def test_the_brief_scorecard_has_what_can_be_tested_and_is_said(claim):
    _, *rows = rows_of(brief_scorecard(claim.filter(subject="a"), "Ours"))
    assert [row[0] for row in rows] == [r"BIC has \| more", "Once it was seen"]
    assert rows[0][2].startswith("**contradicted**: BIC 2.01")


def test_findings_of_our_own_stand_apart(claim):
    _, row = rows_of(own_findings(claim, {"a": "Ours", "b": "Theirs"}))
    assert row[:3] == ["We found it", "mean: at least 0.50", "Ours"]
    assert row[3].startswith("**reproduced**: 2.01")


def test_outcomes_alone_are_by_case_where_cases_differ(claim):
    _, *rows = rows_of(outcome_table(claim.filter(claim="higher"), {"b": "Theirs"}))
    assert rows == [[r"BIC has \| more (1)", "reproduced: BIC; contradicted: CUBIC"]]
    _, row = rows_of(outcome_table(claim.filter(claim="own"), {"a": "Ours", "b": "Theirs"}))
    assert row[1:] == ["reproduced", "–"]


def test_outcomes_of_some_claims_are_counted(claim):
    found = shape_counts(claim, ["higher", "never"], ["a"])["a"]
    assert found["n"] == "2"
    assert (found["contradicted"], found["not_testable"], found["reproduced"]) == ("1", "1", "0")
