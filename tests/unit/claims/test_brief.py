"""Scorecards that take less room, and findings of a paper's own."""

import numpy as np
import polars as pl
import pytest
from evenflow.claims.brief import (
    brief_scorecard,
    outcome_table,
    own_findings,
    shape_counts,
    short_reasons,
)
from evenflow.claims.cases import Case, Claim, Part, never
from evenflow.claims.judge import judge
from evenflow.statistics.outcomes import more
from evenflow.statistics.stratified import Cell, Quantity
from markdown_tables import rows_of


def case(*values, note=""):
    cells = {"a": Cell(np.array([[x] for x in values]))}
    return Case({"": Part(lambda m: float(m["a"][0]))}, cells, (Quantity("x"),), note=note)


HIGH = case(2.00, 2.01, 2.02)


@pytest.fixture
def claim():
    declared = [
        Claim("higher", "BIC has | more", "1", "fig-x", "mean", more(0.5),
              lambda subject: {"BIC": HIGH, "CUBIC": case(0.0, 0.01, 0.02)}),
        Claim("once", "Once it was seen", "2", "", "mean", more(0.5),
              lambda subject: {"": case(3.0, note="2 uncontested left out")}),
        Claim("never", "It is said", "2", "", "what", more(0.5), never("nobody looked")),
        Claim("own", "We found it", "", "", "mean", more(0.5),
              lambda subject: {"": HIGH} if subject == 1 else None),
    ]  # fmt: skip
    return judge("p", declared, {"a": 1, "b": 2}, confidence=0.95, fdr=0.05)


def test_notes_are_said_once_with_how_many_cells_they_are_of(claim):
    one = claim.filter(claim="once", subject="a")
    three = pl.concat([one, one, one]).with_columns(n_cells=pl.Series([11, 12, 12]))
    assert short_reasons(three)["note"].to_list() == [
        "", "", "2 uncontested left out; 11 to 12 cells"
    ]  # fmt: skip


def test_what_cannot_be_tested_keeps_its_reason(claim):
    table = claim.filter(claim="never", subject="a")
    assert short_reasons(table)["note"].item() == "nobody looked"


def test_the_brief_scorecard_has_what_can_be_tested_and_is_said(claim):
    _, *rows = rows_of(brief_scorecard(claim.filter(subject="a"), "Ours"))
    assert [row[0] for row in rows] == [r"BIC has \| more", "Once it was seen"]
    assert rows[0][2].startswith("**not of all**: BIC 2.01")


def test_findings_of_our_own_stand_apart(claim):
    _, row = rows_of(own_findings(claim, {"a": "Ours", "b": "Theirs"}))
    assert row[:3] == ["We found it", "mean: at least 0.50", "Ours"]
    assert row[3].startswith("**reproduced**: 2.01")


def test_outcomes_alone_are_counted_where_cases_differ(claim):
    _, *rows = rows_of(outcome_table(claim.filter(claim="higher"), {"b": "Theirs"}))
    assert rows == [[r"BIC has \| more (1)", "1 reproduced, 1 no effect"]]
    _, row = rows_of(outcome_table(claim.filter(claim="own"), {"a": "Ours", "b": "Theirs"}))
    assert row[1:] == ["reproduced", "–"]


def test_outcomes_of_some_claims_are_counted(claim):
    found = shape_counts(claim, ["higher", "never"], ["a"])["a"]
    assert found["n"] == "2"
    assert (found["not_of_all"], found["not_testable"], found["reproduced"]) == ("1", "1", "0")
    assert found["otherwise"] == "1"
