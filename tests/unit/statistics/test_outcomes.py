"""The rule of verdicts: four outcomes, seldom wrong, and nothing where nothing can be."""

import numpy as np
import polars as pl
import pytest
from evenflow.papers.claim_numbers import claim_variables
from evenflow.papers.claims import Claim, Replicates, count_outcomes, judge, never, outcomes
from evenflow.papers.scorecard import scorecard
from evenflow.statistics.outcomes import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
    Region,
    estimate,
    fold,
)
from hypothesis import given
from hypothesis import strategies as st

DRAWS = 2000
MARGIN = 0.5


RISES = Region(MARGIN)


def claim(values, null=(), *, region=RISES, scale="linear", key="one", **more):
    measured = {"": Replicates(values, null, **more)}
    return Claim(key, "It rises", "1", "fig-x", "rise", region, lambda of: measured, scale)


def judged(*claims) -> pl.DataFrame:
    return judge("paper", claims, {"data": None}, confidence=0.95, fdr=0.05)


def outcome_of(values, null=(), **more) -> str:
    return judged(claim(values, null, **more))["outcome"].item()


def test_each_outcome_comes_of_planted_data():
    assert outcome_of([1.0, 1.1, 0.9]) == REPRODUCED
    assert outcome_of([0.0, 0.1, -0.1]) == CONTRADICTED
    assert outcome_of([0.4, 0.6, 0.5]) == INCONCLUSIVE
    assert outcome_of([]) == NOT_TESTABLE
    assert outcome_of([1.0, 1.1]) == INCONCLUSIVE  # two replicates decide nothing
    assert outcome_of([1.0, 1.0, 1.0]) == INCONCLUSIVE  # nor do three that are the same


def test_a_claim_whose_null_lies_in_its_region_is_not_reproduced():
    assert outcome_of([1.0, 1.1, 0.9], null=[0.0, 0.1, -0.1]) == REPRODUCED
    table = judged(claim([1.0, 1.1, 0.9], null=[0.6, 0.7, 0.8]))
    assert table["outcome"].item() == INCONCLUSIVE
    assert "null control" in table["reason"].item()


@given(st.lists(st.floats(-100, 100), min_size=0, max_size=8))
def test_no_claim_that_has_the_same_values_as_its_null_is_reproduced(values):
    assert outcome_of(values, null=values) != REPRODUCED


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize(
    ("region", "true"),
    [
        (Region(MARGIN), MARGIN),  # at the margin
        (Region(MARGIN), 0.25),  # of the right sign, but smaller than what matters
        (Region(MARGIN), 0.0),
        (Region(-MARGIN, MARGIN), MARGIN),
        (Region(-MARGIN, MARGIN), 0.75),
    ],
)
def test_at_most_one_in_twenty_is_reproduced_wrongly(n, region, true):
    draws = np.random.default_rng(20261124).normal(true, 0.2, (DRAWS, n))
    wrong = sum(outcome_of(draw, region=region) == REPRODUCED for draw in draws)
    assert wrong <= 0.05 * DRAWS


@pytest.mark.parametrize("true", [0.25, 0.0])
def test_at_most_one_in_twenty_is_contradicted_wrongly(true):
    region = Region(None, 0.25)
    draws = np.random.default_rng(20261124).normal(true, 0.2, (DRAWS, 3))
    wrong = sum(outcome_of(draw, region=region) == CONTRADICTED for draw in draws)
    assert wrong <= 0.05 * DRAWS


def test_an_effect_beyond_the_margin_is_found():
    draws = np.random.default_rng(1).normal(1.5, 0.2, (DRAWS, 5))
    found = sum(outcome_of(draw) == REPRODUCED for draw in draws)
    assert found >= 0.95 * DRAWS


def test_among_many_claims_without_effect_few_are_reproduced():
    """Benjamini and Hochberg: with no effect at all, any finding is wrong, in 5 % of papers."""
    draws = np.random.default_rng(3).normal(MARGIN, 0.2, (200, 20, 3))
    papers = [judged(*(claim(v, key=str(i)) for i, v in enumerate(paper))) for paper in draws]
    assert sum((table["outcome"] == REPRODUCED).any() for table in papers) <= 0.05 * 200


def test_ratios_are_averaged_on_the_logarithm():
    found = estimate([0.5, 2.0, 1.0], "log", Region(0.9, 1.1), 0.95)
    assert found.estimate == pytest.approx(1.0)
    assert found.low * found.high == pytest.approx(1.0)
    assert found.low > 0
    with pytest.raises(ValueError, match="log"):
        estimate([0.0, 1.0], "log", Region(1.0), 0.95)


def test_it_says_how_many_replicates_would_decide():
    found = estimate([0.9, 0.2, 1.3], "linear", Region(MARGIN), 0.95)
    assert found.low < MARGIN < found.high
    rng = np.random.default_rng(5)
    spread = np.std([0.9, 0.2, 1.3], ddof=1)
    more = rng.normal(0, 1, found.n_needed)
    more = (more - more.mean()) / more.std(ddof=1) * spread + found.estimate
    assert estimate(more, "linear", Region(MARGIN), 0.95).low > MARGIN
    assert estimate(more[:-1], "linear", Region(MARGIN), 0.95).n == found.n_needed - 1


def test_what_a_model_computes_has_no_interval():
    table = judged(claim([0.6], exact=True), claim([0.4], exact=True, key="two"))
    assert table["outcome"].to_list() == [REPRODUCED, CONTRADICTED]
    assert table["low"].null_count() == 2


def test_a_sentence_on_several_cases_has_one_outcome():
    assert fold([REPRODUCED, REPRODUCED]) == REPRODUCED
    assert fold([REPRODUCED, CONTRADICTED]) == CONTRADICTED
    assert fold([REPRODUCED, INCONCLUSIVE]) == INCONCLUSIVE
    assert fold([REPRODUCED, NOT_TESTABLE]) == INCONCLUSIVE
    assert fold([NOT_TESTABLE]) == NOT_TESTABLE
    measured = {case: Replicates([1.0, 1.1, 0.9]) for case in ("BIC", "CUBIC")}
    both = Claim("two", "s", "1", "", "rise", Region(MARGIN), lambda of: measured)
    reason = "no run has it"
    why = Claim("no", "s", "1", "", "rise", Region(MARGIN), never(reason))
    elsewhere = Claim("else", "s", "1", "", "rise", Region(MARGIN), lambda of: None)
    table = judged(both, why, elsewhere)
    assert outcomes(table)["outcome"].to_list() == [REPRODUCED, NOT_TESTABLE]
    assert count_outcomes(table) == {
        REPRODUCED: 1, CONTRADICTED: 0, INCONCLUSIVE: 0, NOT_TESTABLE: 1
    }  # fmt: skip
    assert table.filter(claim="no")["reason"].item() == reason


def test_a_finding_of_our_own_is_judged_and_is_no_sentence_of_the_original():
    own = Claim("own", "Ours", "", "", "rise", RISES, lambda of: {"": Replicates([1.0, 1.1, 0.9])})
    table = judged(claim([0.0, 0.1, -0.1]), own)
    assert outcomes(table)["outcome"].to_list() == [CONTRADICTED, REPRODUCED]
    counts = count_outcomes(table)
    assert counts[CONTRADICTED] == 1 and counts[REPRODUCED] == 0
    said = claim_variables(table)
    assert said["n"] == "1" and said["of"]["data"]["own"] == REPRODUCED
    assert said["count"]["data"]["reproduced"] == "0"
    printed = scorecard(table, {"data": "Here"})
    assert "It rises" in printed and "Ours" not in printed
