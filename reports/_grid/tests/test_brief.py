"""Scorecards that take less room, and findings of a paper's own."""

import re

import numpy as np
import polars as pl
import pytest
from evenflow.claims.cases import Case, Claim, Part, never
from evenflow.claims.judge import judge, of_original
from evenflow.claims.scorecard import MARKS, case_numbers, legend, scorecard, steadiness_numbers
from evenflow.statistics.outcomes import NOT_JUDGED, more
from evenflow.statistics.stratified import Cell, Quantity
from markdown_tables import rows_of

from ..brief import outcome_table, shape_counts


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
              lambda subject: {"": case(3.0, note="2 uncontested cells left out")}),
        Claim("never", "It is said", "2", "", "what", more(0.5), never("nobody looked")),
        Claim("own", "We found it", "", "", "mean", more(0.5),
              lambda subject: {"": HIGH} if subject == 1 else None),
    ]  # fmt: skip
    return judge("p", declared, {"a": 1, "b": 2}, confidence=0.95, fdr=0.05)


def test_the_scorecard_says_outcomes_and_in_how_many_cases(claim):
    header, *rows = rows_of(scorecard(claim, {"a": "Ours", "b": "Theirs"}))
    assert header == ["What it asserts", "Ours", "Theirs"]
    assert [row[0] for row in rows[::2]] == [
        r"*1\. BIC has \| more (1)*", r"*2\. Once it was seen (2)*", r"*3\. It is said (2)*"
    ]  # fmt: skip
    assert rows[1][1] == "**mixed** (1 of 2)"
    assert rows[5] == ["what: at least 0.50. Nobody looked", *["**not testable**"] * 2]


def test_each_case_is_a_row_of_numbers_with_one_outcome(claim):
    header, *rows = rows_of(case_numbers(claim, {"a": "Ours"}))
    assert header == ["Case", "Runs (needed)", "Estimate", "Interval", "Outcome"]
    first, bic, cubic, second, once = rows
    assert first == [r"*1\. mean: at least 0.50*", "", "", "", ""]
    assert bic == ["BIC", "3", "2.01", "1.99 to 2.03", "reproduced"]
    assert cubic[0] == "CUBIC" and cubic[-1] == "no effect"
    assert second[0].startswith(r"*2\. ") and once[-1] == "not judged (R)"  # of a single run


def test_findings_of_our_own_stand_apart_with_their_sentence(claim):
    _, heading, row = rows_of(case_numbers(claim, {"a": "Ours", "b": "Theirs"}, own=True))
    assert heading[0] == "*We found it: mean: at least 0.50*"
    assert row[0] == "Ours" and row[-1] == "reproduced (E)"
    header, empty = rows_of(case_numbers(claim, {"b": "Theirs"}, own=True))
    assert header[-1] == "Outcome" and empty[0] == "no run yet"


def test_claims_with_unsteady_cells_are_shown_with_these_cells_and_without(claim):
    unsteady = claim.filter(claim="higher", subject="a", case="BIC").with_columns(
        n_unsteady=pl.lit(2), n_places=pl.lit(5), steady_estimate=0.1, steady_low=0.05,
        steady_high=0.15, steady_outcome=pl.lit("no effect"),
    )  # fmt: skip
    header, heading, row = rows_of(steadiness_numbers(unsteady, {"a": "Ours"}))
    assert header == [
        "Case", "Unsteady cells", "All cells", "Outcome", "Steady cells", "Outcome there"
    ]  # fmt: skip
    assert heading[0].startswith(r"*1\. mean")
    assert row == [
        "BIC", "2 of 5", "2.01 (1.99 to 2.03)", "reproduced", "0.10 (0.05 to 0.15)", "no effect"
    ]  # fmt: skip
    marked = rows_of(case_numbers(unsteady, {"a": "Ours"}))[-1]
    assert marked[-1] == "reproduced (U)"


def test_every_letter_behind_an_outcome_is_explained():
    said = legend().split("; ")
    assert [each.split(": ")[0] for each in said] == list(MARKS)


def test_outcomes_alone_are_those_of_the_scorecard(claim):
    """One sentence has one outcome in a paper, whichever table says it."""
    names = {"a": "Ours", "b": "Theirs"}
    half = pl.when(pl.col("case") == "BIC").then(pl.lit("reproduced")).otherwise(pl.lit(NOT_JUDGED))
    unjudged = claim.filter(claim="higher").with_columns(claim=pl.lit("half"), outcome=half)
    both = pl.concat([of_original(claim), unjudged])
    _, *rows = rows_of(outcome_table(both, names))
    assert rows[0] == [r"BIC has \| more (1)", *["mixed (1 of 2)"] * 2]
    assert rows[-1][1:] == ["inconclusive (1 of 2)"] * 2
    _, *full = rows_of(scorecard(both, names))
    letters = r"\*|; [A-Z, ]+(?=\))| \([A-Z, ]+\)"
    assert [row[1:] for row in rows] == [
        [re.sub(letters, "", cell) for cell in row[1:]] for row in full[1::2]
    ]
    _, row = rows_of(outcome_table(claim.filter(claim="own"), names))
    assert row[1:] == ["reproduced", "–"]


def test_outcomes_of_some_claims_are_counted(claim):
    found = shape_counts(claim, ["higher", "never"], ["a"])["a"]
    assert found["n"] == "2"
    assert (found["mixed"], found["not_testable"], found["reproduced"]) == ("1", "1", "0")
    assert found["otherwise"] == "1"
