"""The one rule by which a claim is judged: its replicates against the region that it asserts.

A replicate is one value of the claim's statistic, computed from one repeat of every cell that the
claim is about. The estimate is the mean over replicates, on the statistic's scale, with Student's t
interval. The whole interval in the region: reproduced. The whole interval outside: contradicted.
Neither, or fewer than LEAST_REPLICATES: inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.stats, which takes a second, when it is first used

REPRODUCED, CONTRADICTED = "reproduced", "contradicted"
INCONCLUSIVE, NOT_TESTABLE = "inconclusive", "not testable"
OUTCOMES = (REPRODUCED, CONTRADICTED, INCONCLUSIVE, NOT_TESTABLE)
LEAST_REPLICATES = 3
MOST_NEEDED = 1000  # replicates; a claim that needs more is not decided by repeating
# scale -> to it and back: means are taken there. Ratios: log, their mean is the geometric one
SCALES: dict[str, tuple[Callable, Callable]] = {
    "linear": (lambda x: x, lambda x: x),
    "log": (np.log, np.exp),
    "dB": (lambda x: x, lambda x: x),
}


class Region(NamedTuple):
    """The values that a claim asserts, in the statistic's unit; None: no bound on that side."""

    low: float | None = None
    high: float | None = None

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the region; a bound does."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


@dataclass(frozen=True)
class Estimate:
    """The mean over replicates with its interval, in the statistic's unit.

    low, high: null for fewer than two replicates, or where they are all the same. p_value:
    two-sided, of 'the mean is on the other side of the region's border'; null where there is no
    interval.
    n_needed: replicates that would decide at today's estimate and spread; null where the interval
    decides, where there is none, or beyond MOST_NEEDED.
    """

    n: int
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    n_needed: int | None = None


def estimate(values: Sequence[float], scale: str, region: Region, confidence: float) -> Estimate:
    """Return the mean of replicates, its interval, and how sure it is of its side of the border.

    Args:
        values: the statistic of each replicate, shape (n,).
        scale: one of SCALES.
        region: what the claim asserts.
        confidence: of the two-sided interval, e.g. 0.95.

    Raises:
        ValueError: a value that is not finite on its scale: a ratio of zero.
    """
    to, back = SCALES[scale]
    if len(values) == 0:
        return Estimate(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = to(np.asarray(values, dtype=float))
    if not np.isfinite(x).all():
        raise ValueError(f"replicates that have no place on a scale that is {scale}: {values}")
    n, mean = len(x), float(x.mean())
    if n < 2 or np.ptp(x) == 0:
        return Estimate(n, float(back(mean)))
    borders = [None if border is None else float(to(border)) for border in region]
    sd = float(x.std(ddof=1))
    half = _half_width(sd, n, confidence)
    p_in, p_out = _p_values(mean, sd / np.sqrt(n), n - 1, *borders)
    needed = None
    if 2 * min(p_in, p_out) > 1 - confidence or n < LEAST_REPLICATES:
        needed = _replicates_needed(mean, sd, n, borders, confidence)
    return Estimate(
        n,
        float(back(mean)),
        float(back(mean - half)),
        float(back(mean + half)),
        min(1.0, 2 * min(p_in, p_out)),
        needed,
    )


def _half_width(sd: float, n: int, confidence: float) -> float:
    return float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2)) * sd / np.sqrt(n)


def _p_values(
    mean: float, error: float, freedom: int, low: float | None, high: float | None
) -> tuple[float, float]:
    """Return the one-sided p-values against 'outside the region' and against 'in the region'.

    Inside both bounds must hold: the larger of two tests (Schuirmann 1987). Outside, beyond one of
    the two: the smaller.
    """
    above = [scipy.special.stdtr(freedom, (b - mean) / error) for b in (low,) if b is not None]
    below = [scipy.special.stdtr(freedom, (mean - b) / error) for b in (high,) if b is not None]
    sides = [float(p) for p in (*above, *below)]
    return max(sides), min(1 - p for p in sides)


def _replicates_needed(
    mean: float, sd: float, n: int, borders: Sequence[float | None], confidence: float
) -> int | None:
    """Return how many replicates of the same mean and spread would lie on one side of a border.

    Of a region with two bounds, outside is beyond the nearer one, inside both must be cleared: the
    distance to the nearest border decides in both cases.
    """
    distance = min(abs(mean - border) for border in borders if border is not None)
    more = range(max(n + 1, LEAST_REPLICATES), MOST_NEEDED + 1)
    return next((m for m in more if _half_width(sd, m, confidence) < distance), None)


def outcome(found: Estimate, null: Estimate, region: Region, significant: bool) -> tuple[str, str]:
    """Return one of OUTCOMES and the reason, '' where the interval says it all.

    Args:
        found: of the claim.
        null: of the same statistic where nothing can be there; n = 0 for a claim that has none.
        significant: whether the p-value passes the control of multiplicity over the paper.
    """
    if found.n == 0:
        return NOT_TESTABLE, "no replicate is complete"
    if found.n < LEAST_REPLICATES:
        return INCONCLUSIVE, "fewer than three replicates"
    if found.p_value is None:
        return INCONCLUSIVE, "replicates are all the same: there is no interval"
    inside = region.holds(found.low) and region.holds(found.high)
    outside = _beyond(found, region)
    if not (inside or outside):
        return INCONCLUSIVE, "the interval has the border of the region in it"
    if not significant:
        return INCONCLUSIVE, "not significant among all claims of the paper"
    if outside:
        return CONTRADICTED, ""
    if null.n and region.holds(null.estimate):
        return INCONCLUSIVE, "the null control lies in the region too"
    return REPRODUCED, ""


def _beyond(found: Estimate, region: Region) -> bool:
    """Return whether the whole interval lies on one side, outside the region."""
    below = region.low is not None and found.high < region.low
    return below or (region.high is not None and found.low > region.high)


def fold(outcomes: Sequence[str]) -> str:
    """Return the one outcome of a sentence about several cases (variants, RTTs).

    It is reproduced where it is in every case that can be tested, contradicted where it is in any,
    else inconclusive; not testable where no case is. A sentence about all is wrong if it is wrong
    of one.
    """
    tested = [each for each in outcomes if each != NOT_TESTABLE]
    if not tested:
        return NOT_TESTABLE
    if CONTRADICTED in tested:
        return CONTRADICTED
    whole = len(tested) == len(outcomes)
    return REPRODUCED if whole and set(tested) == {REPRODUCED} else INCONCLUSIVE
