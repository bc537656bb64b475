"""How often intervals of claims cover, and how often verdicts are wrong: the table of
docs/explanation/statistics.md.

    python benchmarks/verdicts.py [DRAWS] > table.md
    python benchmarks/verdicts.py kinds [DRAWS] > kinds.md   # coverage by kind of statistic

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


# ---- kinds of statistic -------------------------------------------------------------------------

RTTS = np.log(np.array([16, 82, 324]) / 162)
PLACES = np.arange(8)
CURVE = PLACES + 3 * np.sin(1.7 * PLACES)  # Pearson's r with the places: 0.75
SHARE_SD, MANY = 0.5, 10**6  # of a share's logit; draws that its mean is known from


def of_keys(function):
    """Return a statistic as one of the means of cells 0, 1, 2, ... of one quantity."""
    return lambda means: float(function(np.array([means[key][0] for key in sorted(means)])))


def correlation(values: np.ndarray) -> float:
    return np.arctanh(np.corrcoef(PLACES, values)[0, 1])


def kinds() -> dict:
    """Return {kind: (statistic on its scale, its true value, runs of its cells by n)}."""

    def normal(true, sds):
        return lambda random, n: [random.normal(m, sd, n) for m, sd in zip(true, sds, strict=True)]

    def share(random, n):
        return 1 / (1 + np.exp(-random.normal(1.4, SHARE_SD, n)))

    slope = of_keys(lambda y: np.polyfit(RTTS, y, 1)[0])
    mean, unlike = of_keys(np.mean), np.exp(np.linspace(-0.7, 0.7, 15))
    true_share = float(share(np.random.default_rng(1), MANY).mean())
    return {
        "mean of 15 cells": (mean, 0.0, normal(np.zeros(15), unlike)),
        "log ratio, mean of 4 cells": (mean, 1.0, normal(np.ones(4), (0.02, 0.1, 0.3, 0.7))),
        "exponent of 3 RTTs": (slope, 3.0, normal(3 * RTTS, (0.2, 0.2, 0.2))),
        "exponent of 3 RTTs, unequal spreads": (slope, 3.0, normal(3 * RTTS, (0.02, 0.1, 0.7))),
        "correlation of 8 points, Fisher's z": (
            of_keys(correlation),
            float(correlation(CURVE)),
            normal(CURVE, np.full(8, 1.0)),
        ),
        "share, mean of 12 cells": (
            mean,
            true_share,
            lambda random, n: [share(random, n) for _ in range(12)],
        ),
    }


def main_of_kinds(draws: int) -> None:
    """Print how often the interval of each kind of statistic covers its true value."""
    print("| statistic | n | coverage, % | too low | too high |")
    print("|:--|--:|--:|--:|--:|")
    for name, (statistic, true, runs_of) in kinds().items():
        for n in (3, 5):
            random = np.random.default_rng(20261126)
            ends = []
            for _ in range(draws):
                cells = {i: Cell(np.array(x)[:, None]) for i, x in enumerate(runs_of(random, n))}
                found = estimate(cells, statistic, (Quantity("x"),))
                ends.append((found.low, found.high))
            low, high = np.array(ends).T
            shares = (low <= true) & (true <= high), high < true, low > true
            row = [name, n, *(f"{100 * each.mean():.1f}" for each in shares)]
            print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    run = main_of_kinds if "kinds" in words else main
    run(int(([word for word in words if word.isdigit()] or ["2000"])[0]))
