"""hstcp-buffers' conclusions as tests: criteria fixed before the campaign, verdicts computed.

A claim is a sentence of the paper, the measure that we read it as, and a function of one series (a
link and queue as one source has it: the model, or ns-2 with one TCP implementation). The thresholds
are readings of the sentence's words, not fits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import polars as pl

from .markdown import NOTHING, markdown_table, number, scientific

AT_10, AT_20 = 0.9, 0.975  # 'more than 90 %'; 'almost 98 %' rounds to 98
DRASTIC = 0.1  # a 'drastic drop' is at least so much of the capacity, 'marginal' at most
SMALL = 0.02  # the smallest buffer that is looked for a drop at
STEP_DOWN = 0.01  # 'increases': no step to a larger buffer loses more than this
CLOSE = 0.05  # 'quite close', 'close agreement': model and simulation differ by less
FACTOR = 10**0.5  # a loss rate 'equal to', 'around' a power of ten: nearest to it on the logarithm
HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"


class Verdict(NamedTuple):
    """Whether a claim holds, and the numbers that say so."""

    word: str
    evidence: str


class Series(NamedTuple):
    """A link and queue as one source has it; all columns by fraction, ascending."""

    utilisation: pl.DataFrame  # fraction, mean, ci_low, ci_high, n (null: the model)
    loss_rate: pl.DataFrame
    error: pl.DataFrame  # fraction, error of the utilisation; empty for the model itself


class Claim(NamedTuple):
    """A sentence of the paper and how it is tested."""

    sentence: str
    measure: str
    test: Callable[[Series], Verdict | None]
    of: tuple[tuple[float, str], ...] | None = None  # bottleneck (bit/s), queue; None: all


def percent(value: float) -> str:
    """Return a share in %, with one digit."""
    return f"{number(100 * value, 1)} %"


def runs(row: dict) -> str:
    """Return how many runs are behind a value; nothing for the model's."""
    return "" if row["n"] is None else f" (n = {row['n']})"


def at(table: pl.DataFrame, fraction: float) -> dict | None:
    """Return the row of a fraction of the buffer; None where there is none."""
    found = table.filter((pl.col("fraction") - fraction).abs() < 1e-9)
    return found.row(0, named=True) if len(found) else None


def at_least(fraction: float, threshold: float) -> Callable:
    """Test that the utilisation at a fraction is at least a threshold; by the interval's ends."""

    def test(series: Series) -> Verdict | None:
        row = at(series.utilisation, fraction)
        if row is None:
            return None
        low, high = row["ci_low"], row["ci_high"]
        words = percent(row["mean"]) + runs(row)
        if low is not None:
            words = f"{percent(row['mean'])} [{percent(low)}, {percent(high)}]{runs(row)}"
            if low < threshold <= high:
                return Verdict(UNDECIDED, words)
        return Verdict(HOLDS if row["mean"] >= threshold else FAILS, words)

    return test


def _step(series: Series, small: float | None, large: float) -> tuple[float, str] | None:
    """Return how much utilisation a larger buffer adds; `small` None: the smallest there is."""
    table = series.utilisation
    high = at(table, large)
    low = table.row(0, named=True) if small is None and len(table) else at(table, small or 0)
    if low is None or high is None or low["fraction"] >= high["fraction"]:
        return None
    ends = (
        f"{percent(row['mean'])} at {number(100 * row['fraction'], 0)} %{runs(row)}"
        for row in (low, high)
    )
    return high["mean"] - low["mean"], " → ".join(ends)


def drops_below(series: Series) -> Verdict | None:
    """Test that the utilisation falls drastically from 10 % to the smallest buffer.

    Undecided where it does not and the smallest buffer there is is above SMALL.
    """
    found = _step(series, None, 0.1)
    if found is None:
        return None
    if found[0] >= DRASTIC:
        return Verdict(HOLDS, found[1])
    smallest = series.utilisation["fraction"].min()
    return Verdict(FAILS if smallest <= SMALL + 1e-9 else UNDECIDED, found[1])


def little_above(series: Series) -> Verdict | None:
    """Test that the utilisation rises marginally from 10 % to the whole buffer."""
    found = _step(series, 0.1, 1.0)
    return found and Verdict(HOLDS if found[0] <= DRASTIC else FAILS, found[1])


def rises(series: Series) -> Verdict | None:
    """Test that no larger buffer has a utilisation lower by more than STEP_DOWN."""
    table = series.utilisation
    if len(table) < 2:
        return None
    step = table.select("fraction", pl.col("mean").diff().alias("step")).drop_nulls()
    worst = step.sort("step", "fraction").row(0, named=True)
    points = number(100 * worst["step"], 1)
    words = f"least step {points} points, to {number(100 * worst['fraction'], 0)} %"
    return Verdict(HOLDS if worst["step"] >= -STEP_DOWN else FAILS, words)


def agrees(series: Series) -> Verdict | None:
    """Test that model and simulation differ by less than CLOSE at every buffer."""
    if series.error.is_empty():
        return None
    largest = series.error.sort(pl.col("error").abs(), descending=True).row(0, named=True)
    points = number(100 * largest["error"], 1)
    words = (
        f"largest difference {points} points at {number(100 * largest['fraction'], 0)} %, "
        f"{_buffers(len(series.error))}"
    )
    return Verdict(HOLDS if abs(largest["error"]) <= CLOSE else FAILS, words)


def loss_near(value: float, from_fraction: float = 0.0) -> Callable:
    """Test that most buffers from a fraction on have a loss rate within FACTOR of a value."""

    def test(series: Series) -> Verdict | None:
        table = series.loss_rate.filter(pl.col("fraction") >= from_fraction - 1e-9)
        if table.is_empty():
            return None
        near = table["mean"].is_between(value / FACTOR, value * FACTOR).sum()
        low, high = (scientific(table["mean"].min()), scientific(table["mean"].max()))
        words = f"{near} of {_buffers(len(table))}; " + (low if low == high else f"{low} to {high}")
        return Verdict(HOLDS if 2 * near > len(table) else FAILS, words)

    return test


def _buffers(n: int) -> str:
    return f"{n} buffer" if n == 1 else f"{n} buffers"


CLAIMS = [
    Claim(
        "A buffer of 10 % of the BDP sustains more than 90 % of the capacity",
        "utilisation at 10 % at least 90 %",
        at_least(0.1, AT_10),
    ),
    Claim(
        "At 20 % it is almost 98 %",
        "utilisation at 20 % at least 97.5 %",
        at_least(0.2, AT_20),
    ),
    Claim(
        "Below 10 % there is a drastic drop in the utilisation",
        "from 10 % to the smallest buffer at least 10 points less",
        drops_below,
    ),
    Claim(
        "Beyond 10 % the utilisation increases marginally",
        "from 10 % to the whole buffer at most 10 points more",
        little_above,
    ),
    Claim(
        "The throughput increases as the buffer increases",
        "no larger buffer has 1 point less than the next smaller",
        rises,
    ),
    Claim(
        "Model and simulation are quite close",
        "at every buffer within 5 points of the model",
        agrees,
    ),
    Claim(
        "The loss rate is mostly equal to $p_l$, a thousandth",
        "in most buffers within a factor √10",
        loss_near(1e-3),
        ((1e9, "droptail"),),
    ),
    Claim(
        "The loss rate is 10⁻⁵ for buffers of 10 % and more",
        "in most of these within a factor √10",
        loss_near(1e-5, 0.1),
        ((1e9, "red"),),
    ),
    Claim(
        "The loss rate is around 10⁻⁶",
        "in most buffers within a factor √10",
        loss_near(1e-6),
        ((2.5e9, "red"),),
    ),
]


def claims_table(series: dict[tuple, dict[str, Series]], names: dict[tuple, str]) -> str:
    """Return the scorecard: a row a claim, link and queue; a column a source.

    Args:
        series: {(bottleneck_bps, aqm): {source: its series}}.
        names: of the links and queues, in print.
    """
    sources = list(dict.fromkeys(source for found in series.values() for source in found))
    rows = []
    for claim in CLAIMS:
        for place, found in series.items():
            if claim.of is not None and place not in claim.of:
                continue
            verdicts = [claim.test(found[s]) if s in found else None for s in sources]
            words = [NOTHING if v is None else f"**{v.word}**: {v.evidence}" for v in verdicts]
            rows.append([claim.sentence, claim.measure, names[place], *words])
    for i in range(len(rows) - 1, 0, -1):  # a sentence once, above the links that it is tested on
        if rows[i][0] == rows[i - 1][0]:
            rows[i][:2] = ["", ""]
    header = ["The original says", "Read as", "Link, queue", *sources]
    return markdown_table(header, rows, numeric_from=len(header))
