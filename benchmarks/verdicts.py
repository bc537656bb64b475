"""How often intervals of claims cover, and how often verdicts are wrong: the table of
docs/explanation/statistics.md.

    python benchmarks/verdicts.py [DRAWS] > table.md

A case is the mean of three cells, whose standard deviations differ by a factor of some 3; delta is
one standard error of a case. Each case is judged as a claim is, at the level of its quantifier, and
the outcomes are folded. At an effect of exactly delta 'reproduced' is wrong, at -delta 'opposite'
is: as many cases as make the sentence wrong lie there, the others far inside.
The estimates are computed for all draws at once, by the formula that the jackknife has for a mean;
the first ones are compared with `stratified.estimate`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import scipy

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))

from evenflow.statistics.outcomes import (
    ALL,
    MOST,
    OPPOSITE,
    REPRODUCED,
    SOME,
    cases_asked,
    level_of_fold,
    more,
    verdict,
)
from evenflow.statistics.stratified import Cell, Quantity, estimate

CELLS = 3
INSIDE = 6.0  # standard errors: cases that nobody doubts
COMPARED = 20  # draws
MEAN_OF_LOGNORMAL, CHANCE, FAR = np.exp(0.5), 0.15, 3.0
KINDS = {
    "normal": lambda random, shape: random.normal(0, 1, shape),
    "t, 3 df": lambda random, shape: random.standard_t(3, shape) / np.sqrt(3),
    "lognormal": lambda random, shape: np.exp(random.normal(0, 1, shape)) - MEAN_OF_LOGNORMAL,
    "two states": lambda random, shape: (
        random.normal(0, 0.1, shape) + FAR * (random.random(shape) < CHANCE) - CHANCE * FAR
    ),
}


def judged(random, kind: str, draws: int, n: int, effects: np.ndarray, level: float):
    """Return for each draw and case whether it is above delta, below -delta, and covered.

    Args:
        effects: of the cases, in standard errors.
    """
    sds = np.exp(random.normal(0, 0.5, (draws, len(effects), CELLS, 1)))
    error = np.sqrt(np.sum(sds**2, axis=2) / n) / CELLS  # delta
    true = effects[:, None] * error[..., 0][..., None]
    runs = true[..., None] + sds * KINDS[kind](random, (*sds.shape[:3], n))
    parts = runs.var(axis=3, ddof=1) / n / CELLS**2
    variance = parts.sum(axis=2)
    df = variance**2 / (parts**2 / (n - 1)).sum(axis=2)
    value = runs.mean(axis=(2, 3))
    half = scipy.special.stdtrit(df, (1 + level) / 2) * np.sqrt(variance)
    delta, true = error[..., 0], true[..., 0]
    low, high = value - half, value + half
    compare(runs, delta, level, low, high)
    return low >= delta, high <= -delta, (low <= true) & (true <= high)


def compare(runs, delta, level, low, high) -> None:
    """Stop unless the library says the same of the first draws."""
    for i in range(min(COMPARED, len(runs))):
        cells = {j: Cell(of[:, None]) for j, of in enumerate(runs[i, 0])}
        found = estimate(
            cells,
            lambda means: float(np.mean([mean[0] for mean in means.values()])),
            (Quantity("x"),),
            confidence=level,
        )
        assert np.allclose((found.low, found.high), (low[i, 0], high[i, 0]))
        said = verdict(found, more(float(delta[i, 0]))).outcome
        assert (said == REPRODUCED) == (low[i, 0] >= delta[i, 0])
        assert (said == OPPOSITE) == (high[i, 0] <= -delta[i, 0])


def wrong(kind: str, draws: int, n: int, k: int, quantifier: str, sign: int) -> float:
    """Return how often a sentence on k cases that is wrong is reproduced, or opposite, %."""
    random = np.random.default_rng(20261126)
    asked = cases_asked(k, quantifier)
    at_border = k - asked + 1
    effects = sign * np.array([1.0] * at_border + [INSIDE] * (k - at_border))
    level = level_of_fold(0.95, k, quantifier)
    above, below, _ = judged(random, kind, draws, n, effects, level)
    decided = (above if sign > 0 else below).sum(axis=1) >= (
        asked if sign > 0 else most_of(k, quantifier)
    )
    return 100 * float(decided.mean())


def most_of(k: int, quantifier: str) -> int:
    """Return how many cases must be opposite for the sentence to be: of some all of them."""
    return k if quantifier == SOME else cases_asked(k, quantifier)


def main(draws: int) -> None:
    quantifiers = (ALL, MOST, SOME)
    print(f"| runs are | n | coverage, % | cases | {' | '.join(quantifiers)} |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    for kind in KINDS:
        for n in (3, 5):
            random = np.random.default_rng(20261126)
            covered = judged(random, kind, draws, n, np.zeros(1), 0.95)[2].mean()
            for k in (1, 3, 5, 10):
                shares = [
                    ", ".join(f"{wrong(kind, draws, n, k, q, sign):.1f}" for sign in (1, -1))
                    for q in quantifiers
                ]
                first = (kind, n, f"{100 * covered:.1f}") if k == 1 else ("", "", "")
                print(f"| {' | '.join(map(str, first))} | {k} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
