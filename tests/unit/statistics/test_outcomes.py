"""Outcomes of intervals, alike in both directions, and their folds."""

import numpy as np
import pytest
from evenflow.statistics.outcomes import (
    ALL,
    CONTRADICTED,
    INCONCLUSIVE,
    MIXED,
    MOST,
    NEARLY_ALL,
    NO_EFFECT,
    NOT_JUDGED,
    NOT_TESTABLE,
    OPPOSITE,
    REPRODUCED,
    SOME,
    at_least,
    at_most,
    fold,
    folded_p,
    less,
    more,
    moves,
    outcome_between,
    verdict,
    within,
)
from evenflow.statistics.stratified import Estimate
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.floats(-10, 10)
ERRORS = st.floats(0.01, 5)
FREEDOM = st.floats(1, 30)
DELTAS = st.floats(0.01, 5)


def of(value, error=0.1, df=4.0):
    return Estimate(value, error=error, df=df).at(0.95)


@pytest.mark.parametrize(
    ("asserted", "value", "outcome"),
    [
        (more(0.5), 1.0, REPRODUCED),
        (more(0.5), 0.55, INCONCLUSIVE),
        (more(0.5), 0.0, NO_EFFECT),
        (more(0.5), -1.0, OPPOSITE),
        (less(0.5), -1.0, REPRODUCED),
        (less(0.5), 1.0, OPPOSITE),
        (moves(0.5), 1.0, REPRODUCED),
        (moves(0.5), -1.0, REPRODUCED),
        (moves(0.5), 0.0, NO_EFFECT),
        (at_least(0.5), 1.0, REPRODUCED),
        (at_least(0.5), 0.0, CONTRADICTED),
        (at_most(0.5), 0.0, REPRODUCED),
        (at_most(0.5), 1.0, CONTRADICTED),
        (at_most(0.5), 0.45, INCONCLUSIVE),
        (within(-0.5, 0.5), 0.0, REPRODUCED),
        (within(-0.5, 0.5), 1.0, CONTRADICTED),
        (within(-0.5, 0.5), 0.5, INCONCLUSIVE),
    ],
)
def test_each_kind_has_its_outcomes(asserted, value, outcome):
    assert verdict(of(value), asserted).outcome == outcome


@pytest.mark.parametrize(
    ("asserted", "low", "high", "outcome"),
    [
        (more(0.5), 0.5, 0.9, REPRODUCED),
        (more(0.5), -0.9, -0.5, OPPOSITE),
        (more(0.5), -0.4, 0.4, NO_EFFECT),
        (more(0.5), -0.5, 0.4, INCONCLUSIVE),
        (more(0.5), -0.4, 0.5, INCONCLUSIVE),
        (less(0.5), -0.9, -0.5, REPRODUCED),
        (less(0.5), 0.5, 0.9, OPPOSITE),
        (moves(0.5), 0.5, 0.9, REPRODUCED),
        (moves(0.5), -0.9, -0.5, REPRODUCED),
        (at_least(0.5), 0.5, 0.9, REPRODUCED),
        (at_least(0.5), 0.1, 0.5, INCONCLUSIVE),
        (at_most(0.5), 0.1, 0.5, REPRODUCED),
        (at_most(0.5), 0.5, 0.9, INCONCLUSIVE),
        (within(0.1, 0.5), 0.1, 0.5, REPRODUCED),
        (within(0.1, 0.5), 0.0, 0.1, INCONCLUSIVE),
        (within(0.1, 0.5), 0.5, 0.9, INCONCLUSIVE),
    ],
)
def test_an_end_that_is_at_a_bound_is_what_the_sentence_says(asserted, low, high, outcome):
    assert outcome_between(low, high, asserted) == outcome


def test_without_an_interval_nothing_is_judged():
    assert verdict(Estimate(3.0), more(0.5)).outcome == NOT_JUDGED


@given(VALUES, ERRORS, FREEDOM, DELTAS)
def test_the_opposite_of_a_claim_is_the_reverse_reproduced(value, error, df, delta):
    claim = verdict(of(value, error, df), more(delta))
    reverse = verdict(of(value, error, df), less(delta))
    assert (claim.outcome == OPPOSITE) == (reverse.outcome == REPRODUCED)
    assert (claim.outcome == REPRODUCED) == (reverse.outcome == OPPOSITE)
    assert (claim.outcome == NO_EFFECT) == (reverse.outcome == NO_EFFECT)
    assert claim.p == pytest.approx(reverse.p)


@given(VALUES, ERRORS, FREEDOM, DELTAS)
def test_opposite_costs_what_reproduced_costs(value, error, df, delta):
    """The same evidence with its sign turned has the outcome with its sign turned."""
    there, back = (verdict(of(sign * value, error, df), more(delta)) for sign in (1, -1))
    turned = {REPRODUCED: OPPOSITE, OPPOSITE: REPRODUCED}
    assert turned.get(there.outcome, there.outcome) == back.outcome
    assert there.p == pytest.approx(back.p, abs=1e-12)


@given(VALUES, ERRORS, FREEDOM, DELTAS, DELTAS)
def test_a_stronger_statement_reproduced_implies_the_weaker(value, error, df, one, two):
    found, (weak, strong) = of(value, error, df), sorted((one, two))
    for make in (more, less, moves):
        if verdict(found, make(strong)).outcome == REPRODUCED:
            assert verdict(found, make(weak)).outcome == REPRODUCED
    if verdict(found, at_least(strong)).outcome == REPRODUCED:
        assert verdict(found, at_least(weak)).outcome == REPRODUCED
    if verdict(found, at_most(weak)).outcome == REPRODUCED:
        assert verdict(found, at_most(strong)).outcome == REPRODUCED
    if verdict(found, within(-weak, weak)).outcome == REPRODUCED:
        assert verdict(found, within(-strong, strong)).outcome == REPRODUCED


@given(VALUES, ERRORS, FREEDOM, DELTAS)
def test_what_is_decided_is_significant_and_what_is_not_is_not(value, error, df, delta):
    assertions = more(delta), less(delta), moves(delta)
    assertions += at_least(delta), at_most(delta), within(-delta, delta)
    for asserted in assertions:
        said = verdict(of(value, error, df), asserted)
        assert 0 <= said.p <= 1
        decided = said.outcome != INCONCLUSIVE
        assert said.p <= 0.05 + 1e-9 if decided else said.p >= 0.05 - 1e-9


def test_the_sign_of_what_is_inconclusive_is_said_where_it_is_certain():
    assert verdict(of(0.55, 0.1), more(0.5)).sure == "+"
    assert verdict(of(0.45, 0.4), more(0.5)).sure == ""
    assert verdict(of(-0.55, 0.1), more(0.5)).sure == "-"
    for sign in (1, -1):  # from nothing on
        ends = sorted((0.0, sign * 0.6))
        found = Estimate(sign * 0.3, *ends, error=0.1, df=4.0)
        assert verdict(found, more(0.5)).sure == ""


@pytest.mark.parametrize(
    ("quantifier", "outcomes", "folded"),
    [
        (ALL, [REPRODUCED] * 3, REPRODUCED),
        (ALL, [REPRODUCED, REPRODUCED, NO_EFFECT], MIXED),
        (ALL, [REPRODUCED, CONTRADICTED], MIXED),
        (ALL, [OPPOSITE, INCONCLUSIVE], MIXED),
        (ALL, [OPPOSITE, OPPOSITE], OPPOSITE),
        (ALL, [CONTRADICTED], CONTRADICTED),
        (ALL, [REPRODUCED, INCONCLUSIVE], INCONCLUSIVE),
        (ALL, [REPRODUCED, NOT_JUDGED], INCONCLUSIVE),
        (ALL, [NOT_JUDGED, NOT_TESTABLE], NOT_JUDGED),
        (ALL, [NOT_TESTABLE], NOT_TESTABLE),
        (MOST, [REPRODUCED, REPRODUCED, NO_EFFECT], REPRODUCED),
        (MOST, [REPRODUCED, NO_EFFECT], MIXED),
        (MOST, [REPRODUCED, INCONCLUSIVE], INCONCLUSIVE),
        (MOST, [OPPOSITE, OPPOSITE, REPRODUCED], OPPOSITE),
        (NEARLY_ALL, [REPRODUCED] * 9 + [NO_EFFECT], REPRODUCED),
        (NEARLY_ALL, [REPRODUCED] * 8 + [NO_EFFECT] * 2, MIXED),
        (SOME, [NO_EFFECT, REPRODUCED, OPPOSITE], REPRODUCED),
        (SOME, [NO_EFFECT, NO_EFFECT], NO_EFFECT),
        (SOME, [NO_EFFECT, OPPOSITE], MIXED),
        (SOME, [NO_EFFECT, INCONCLUSIVE], INCONCLUSIVE),
    ],
)
def test_a_sentence_on_several_cases_has_one_outcome(quantifier, outcomes, folded):
    assert fold(outcomes, quantifier) == folded


def test_a_fold_has_the_p_value_of_its_quantifier():
    p = [0.001, 0.01, 0.2, 0.9]
    assert folded_p(p, ALL) == pytest.approx(0.9)
    assert folded_p(p, MOST) == pytest.approx(2 * 0.2)
    assert folded_p(p, SOME) == pytest.approx(4 * 0.001)
    assert folded_p([0.01, None], ALL) is None
    assert folded_p([], ALL) is None


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [3, 5])
def test_wrong_verdicts_are_rare_and_alike_in_both_directions(sign, n):
    """At an effect of exactly delta, either way, at most one in twenty is decided wrongly."""
    random = np.random.default_rng(n)
    wrong = {REPRODUCED: 0, OPPOSITE: 0}
    for draw in random.normal(sign * 0.5, 0.2, (2000, n)):
        found = of(draw.mean(), draw.std(ddof=1) / np.sqrt(n), n - 1)
        said = verdict(found, more(0.5)).outcome
        wrong[said] = wrong.get(said, 0) + 1
    assert wrong[REPRODUCED if sign > 0 else OPPOSITE] <= 0.05 * 2000
    assert wrong[OPPOSITE if sign > 0 else REPRODUCED] <= 0.05 * 2000
