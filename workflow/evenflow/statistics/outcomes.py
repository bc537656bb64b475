"""What a claim asserts, and which outcome an interval gives it, alike in both directions.

An *effect* is set against -delta and delta, a *change* against both at once whichever way it goes,
a *level* against one bound, *the same* against a margin on either side. Outcomes of several cases
are folded by the sentence's quantifier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import scipy  # loads scipy.special when it is first used

from .stratified import Estimate

REPRODUCED, OPPOSITE, CONTRADICTED = "reproduced", "opposite", "contradicted"
NO_EFFECT, MIXED, INCONCLUSIVE = "no effect", "mixed", "inconclusive"
NOT_JUDGED, NOT_TESTABLE = "not judged", "not testable"
OUTCOMES = (
    REPRODUCED,
    OPPOSITE,
    CONTRADICTED,
    NO_EFFECT,
    MIXED,
    INCONCLUSIVE,
    NOT_JUDGED,
    NOT_TESTABLE,
)
DECIDED = (REPRODUCED, OPPOSITE, CONTRADICTED, NO_EFFECT)
ALL, NEARLY_ALL, MOST, SOME = "all", "nearly all", "most", "some"
NEARLY = 0.9  # of the cases
EFFECT, CHANGE, LEVEL, SAME = "effect", "change", "level", "same"
# scale -> to it and back: means and intervals are taken there
SCALES: dict[str, tuple[Callable, Callable]] = {
    "linear": (lambda x: x, lambda x: x),
    "log": (np.log, np.exp),
    "dB": (lambda x: x, lambda x: x),
    "z": (np.arctanh, np.tanh),  # Fisher's, of correlations
}


@dataclass(frozen=True)
class Assertion:
    """What a sentence asserts of its statistic, in the statistic's unit.

    kind: EFFECT, CHANGE, LEVEL or SAME. delta: of an effect or a change, the smallest size that
    matters; of a ratio the factor. sign: of an effect, 1 where the sentence says more, -1 less.
    low, high: bounds of a level (one of them), or of the same (both).
    """

    kind: str
    delta: float | None = None
    sign: int = 1
    low: float | None = None
    high: float | None = None

    @property
    def size(self) -> float:
        """The delta that an effect or a change has."""
        assert self.delta is not None, self.kind
        return self.delta

    def on(self, scale: str) -> Assertion:
        """Return the assertion with its bounds on a scale."""
        to = SCALES[scale][0]
        delta, low, high = (
            None if x is None else float(to(x)) for x in (self.delta, self.low, self.high)
        )
        return Assertion(self.kind, delta, self.sign, low, high)


def more(delta: float) -> Assertion:
    """Return the assertion: larger than nothing, by delta at least; of a ratio, the factor."""
    return Assertion(EFFECT, delta)


def less(delta: float) -> Assertion:
    """Return the assertion: smaller than nothing, by delta at least; of a ratio, the factor."""
    return Assertion(EFFECT, delta, -1)


def moves(delta: float) -> Assertion:
    """Return the assertion: other than nothing, by delta at least, whichever way."""
    return Assertion(CHANGE, delta)


def at_least(bound: float) -> Assertion:
    """Return the assertion: a level, this or more."""
    return Assertion(LEVEL, low=bound)


def at_most(bound: float) -> Assertion:
    """Return the assertion: a level, this or less."""
    return Assertion(LEVEL, high=bound, sign=-1)


def within(low: float, high: float) -> Assertion:
    """Return the assertion: the same, between these."""
    return Assertion(SAME, low=low, high=high)


@dataclass(frozen=True)
class Verdict:
    """Outcome of one interval. p: null without one; sure: '+' or '-' where the sign is certain."""

    outcome: str
    p: float | None = None
    sure: str = ""


def verdict(found: Estimate, asserted: Assertion) -> Verdict:
    """Return the outcome of an estimate; both on the same scale.

    p is twice the least of the one-sided p-values against each decided outcome; of an effect: of
    'not above delta', 'not below -delta', 'not within' (the larger of two; Schuirmann 1987).
    """
    value, low, high = found.value, found.low, found.high
    error, df = found.error, found.df
    if value is None or low is None or high is None or error is None or df is None:
        return Verdict(NOT_JUDGED)

    def above(bound: float) -> float:
        """Return the p-value against 'not above the bound'."""
        return float(scipy.special.stdtr(df, (bound - value) / error))

    sure = "+" if low > 0 else "-" if high < 0 else ""
    outcome = outcome_between(low, high, asserted)
    if asserted.kind in (EFFECT, CHANGE):
        d = asserted.size
        sides = above(d), 1 - above(-d), max(above(-d), 1 - above(d))
        return Verdict(outcome, min(1.0, 2 * min(sides)), sure)
    inside = [above(b) for b in (asserted.low,) if b is not None]
    inside += [1 - above(b) for b in (asserted.high,) if b is not None]
    p = min(1.0, 2 * min(max(inside), min(1 - each for each in inside)))
    return Verdict(outcome, p, sure)


def outcome_between(low: float, high: float, asserted: Assertion) -> str:
    """Return the outcome where a statistic lies between two ends, both on the assertion's scale.

    What a model computes has no interval: both ends are its value, and it is never inconclusive.
    """
    if asserted.kind in (EFFECT, CHANGE):
        d, says_more = asserted.size, asserted.sign > 0
        if low >= d:
            return REPRODUCED if asserted.kind == CHANGE or says_more else OPPOSITE
        if high <= -d:
            return OPPOSITE if asserted.kind == EFFECT and says_more else REPRODUCED
        return NO_EFFECT if low > -d and high < d else INCONCLUSIVE
    least = -np.inf if asserted.low is None else asserted.low
    most = np.inf if asserted.high is None else asserted.high
    if least <= low and high <= most:
        return REPRODUCED
    return CONTRADICTED if high < least or low > most else INCONCLUSIVE


def fold(outcomes: Sequence[str], quantifier: str = ALL) -> str:
    """Return the one outcome of a sentence about several cases.

    Of *all* it is reproduced where it is in each, *mixed* where one is decided otherwise; of
    *most* and *some* where it is in more than half, in one. It has another decided outcome where
    as many cases have that one as the quantifier asks for (each of *some*: then none is left).
    Cases that are not judged count as undecided; where none is judged, so is the sentence.
    """
    judged = [each for each in outcomes if each not in (NOT_TESTABLE, NOT_JUDGED)]
    if not judged:
        return NOT_JUDGED if NOT_JUDGED in outcomes else NOT_TESTABLE
    n, count = len(outcomes), {name: judged.count(name) for name in OUTCOMES}
    asked = cases_asked(n, quantifier)
    if count[REPRODUCED] >= asked:
        return REPRODUCED
    enough = n if quantifier == SOME else asked
    for name in (OPPOSITE, CONTRADICTED, NO_EFFECT, MIXED):
        if count[name] >= enough:
            return name
    otherwise = sum(count[name] for name in (OPPOSITE, CONTRADICTED, NO_EFFECT, MIXED))
    if quantifier == ALL and otherwise:
        return MIXED
    if otherwise > n - asked:
        return MIXED
    return INCONCLUSIVE


def cases_asked(n: int, quantifier: str) -> int:
    """Return in how many of n cases a sentence must hold."""
    return {ALL: n, NEARLY_ALL: ceil(NEARLY * n), MOST: n // 2 + 1, SOME: min(n, 1)}[quantifier]


def level_of_fold(confidence: float, n: int, quantifier: str) -> float:
    """Return the confidence at which each of n cases is judged, so that their fold is at that.

    A sentence on m of n cases is wrong if n - m + 1 of them are not what it says, and then one
    wrong verdict among these may reproduce it: alpha is divided by their number. Of all by one, of
    some by n.
    """
    return 1 - (1 - confidence) / (n - cases_asked(n, quantifier) + 1)


def folded_p(p_values: Sequence[float | None], quantifier: str) -> float | None:
    """Return the p-value of a fold: that as many of K as the quantifier asks for are decided.

    Partial conjunction (Benjamini and Heller 2008): the m-th smallest times K - m + 1; of all the
    largest, of some K times the smallest. None where that one is unknown.
    """
    known = sorted(p for p in p_values if p is not None)
    k = len(p_values)
    m = cases_asked(k, quantifier)
    return None if len(known) < m or not k else min(1.0, (k - m + 1) * known[m - 1])
