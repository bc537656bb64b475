"""Tests of sentences on surfaces: functions of the cells of one data set.

Each returns what was found of every variant and whether the criterion holds for it, or, where the
data cannot tell, why not. `of_surface` and `of_difference` make of it the test of a `Claim`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl

from ..congestion_controls import variant_name
from ..markdown import PRINTED, number
from ..statistics.surfaces import matched_ends
from .claims import IN_PART, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, Found

NO_RUNS, TOO_FEW = "no such runs", "too few cells"
EPSILON = 1e-9  # RTTs and buffers are compared as numbers with a point

RTT, BUFFER = pl.col("base_rtt_s"), pl.col("buffer_bdp")


class Tested(NamedTuple):
    """What was found of one variant (or, with an empty name, of all), and whether it holds."""

    name: str
    value: str
    holds: bool


Tests = list[Tested] | str


class Subject(NamedTuple):
    """What claims are tested on: the surfaces of a data set, and its differences to another.

    platform: what the originals call it; a sentence may be about one platform alone.
    """

    platform: str
    surface: pl.DataFrame
    difference: pl.DataFrame | None = None


def subjects_of(
    surface: pl.DataFrame, platforms: Mapping[str, str], difference: pl.DataFrame | None = None
) -> dict[str, Subject]:
    """Return {part: what claims are tested on}, in the order of the surfaces.

    Args:
        surface: of all parts, with the column part.
        platforms: part -> platform.
        difference: of all parts that are compared, with the column part.
    """
    compared = {} if difference is None else difference.partition_by("part", as_dict=True)
    return {
        part: Subject(platforms[part], surface.filter(part=part), compared.get((part,)))
        for part in surface["part"].unique(maintain_order=True)
    }


def of_surface(
    test: Callable[[pl.DataFrame], Tests], platform: str | None = None
) -> Callable[[Subject], Found | None]:
    """Return the test of a claim on surfaces: on those of one platform, or on each data set's."""

    def tested(subject: Subject) -> Found | None:
        if platform not in (None, subject.platform):
            return None
        return outcome(test(subject.surface) if len(subject.surface) else "no cell")

    return tested


def of_difference(test: Callable[[pl.DataFrame], Tests]) -> Callable[[Subject], Found | None]:
    """Return the test of a claim on the differences between two data sets."""

    def tested(subject: Subject) -> Found | None:
        if subject.difference is None:
            return None
        return outcome(test(subject.difference) if len(subject.difference) else "no cell")

    return tested


def outcome(tested: Tests) -> Found:
    """Return the outcome of a claim: in part where it holds for some variants only."""
    if isinstance(tested, str):
        return Found(NOT_TESTABLE, tested)
    evidence = "; ".join(" ".join(filter(None, (t.name, t.value))) for t in tested)
    yes, no = ([t.name for t in tested if t.holds is holds] for holds in (True, False))
    if yes and no:
        return Found(IN_PART, f"for {', '.join(yes)}, not for {', '.join(no)}. {evidence}")
    return Found(REPRODUCED if yes else NOT_REPRODUCED, evidence)


def cells_of(table: pl.DataFrame, metric: str, role: str, cca: str) -> pl.DataFrame:
    """Return the cells with a value of one surface: `cca` against NewReno, or against itself."""
    ccas = f"{cca}-{cca}" if role == "calibration" else f"newreno-{cca}"
    return table.filter(
        (pl.col("metric") == metric) & (pl.col("role") == role) & (pl.col("ccas") == ccas)
    ).drop_nulls("mean")


def each(
    metric: str,
    role: str,
    variants: tuple[str, ...],
    summary: Callable[[pl.DataFrame], object],
    holds: Callable[[object], bool],
) -> Callable[[pl.DataFrame], Tests]:
    """Test a summary of every variant's surface: a number, a pair of them, or a `Tested`'s words.

    A variant that has no cells, or of whose cells the summary is None, has no say.
    """
    unit, digits = PRINTED[metric]

    def test(table: pl.DataFrame) -> Tests:
        found, seen = [], False
        for cca in variants:
            cells = cells_of(table, metric, role, cca)
            seen = seen or len(cells) > 0
            value = summary(cells) if len(cells) else None
            if value is not None:
                words = in_words(value, unit, digits)
                found.append(Tested(variant_name(cca), words, bool(holds(value))))
        return found or (TOO_FEW if seen else NO_RUNS)

    return test


def in_words(value: object, unit: float, digits: int) -> str:
    """Return a summary in the unit of print: '1.5', '3 of 6', '8.0 → 40.0', 'p = 0.003, 0.4'."""
    if isinstance(value, Levels):
        return f"p(RTT) {p_value(value.rtt)}, p(buffer) {p_value(value.buffer)}"
    if isinstance(value, tuple) and isinstance(value[0], int):
        return f"{value[0]} of {value[1]}"
    if isinstance(value, tuple):
        low, high = (v / unit for v in value)
        if low != high:  # as many digits as tell the two apart
            enough = (d for d in range(digits, 5) if number(low, d) != number(high, d))
            digits = next(enough, digits)
        return f"{number(low, digits)} → {number(high, digits)}"
    return number(value / unit, digits)


def p_value(p: float) -> str:
    """Return a p-value in print."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


# ---- summaries of a surface ---------------------------------------------------------------------


class Levels(NamedTuple):
    """p-values of the two factors of a surface."""

    rtt: float
    buffer: float


def mean(cells: pl.DataFrame) -> float:
    """Return the mean over the cells."""
    return cells["mean"].mean()


def ends_of(axis: str, where: pl.Expr | None = None) -> Callable:
    """Return the summary (mean at the lowest, mean at the highest value) of an axis."""
    return lambda cells: matched_ends(cells if where is None else cells.filter(where), axis)


def count(condition: pl.Expr, where: pl.Expr | None = None) -> Callable:
    """Return the summary (cells that fulfil a condition, cells), of those `where`."""

    def summary(cells: pl.DataFrame) -> tuple[int, int] | None:
        of = cells if where is None else cells.filter(where)
        return (len(of.filter(condition)), len(of)) if len(of) else None

    return summary


def two_factors(cells: pl.DataFrame) -> Levels | None:
    """Return the p-values of RTT and buffer: analysis of variance of the cells' means (type II).

    The interaction is the error, as there is one mean a cell. None without two values of each
    factor and cells to spare.
    """
    rtts, buffers = cells["base_rtt_s"].n_unique(), cells["buffer_bdp"].n_unique()
    if min(rtts, buffers) < 2 or len(cells) <= rtts + buffers - 1:
        return None
    from statsmodels.regression.linear_model import OLS  # here: importing it takes a second
    from statsmodels.stats.anova import anova_lm

    data = cells.select("mean", "base_rtt_s", "buffer_bdp").to_pandas()
    fit = OLS.from_formula("mean ~ C(base_rtt_s) + C(buffer_bdp)", data).fit()
    if fit.ssr <= EPSILON * max(fit.centered_tss, EPSILON):  # nothing is left to compare with
        return None
    p = anova_lm(fit, typ=2)["PR(>F)"]
    return Levels(float(p["C(base_rtt_s)"]), float(p["C(buffer_bdp)"]))


def rises(pair: tuple[float, float]) -> bool:
    """Return whether the second value is larger."""
    return pair[1] > pair[0]


def most(pair: tuple[int, int]) -> bool:
    """Return whether more than half of the cells are counted."""
    return 2 * pair[0] > pair[1]


def never(reason: str) -> Callable[[Subject], Found]:
    """Return the test of a sentence that no data set of the paper can tell about."""
    return lambda subject: Found(NOT_TESTABLE, reason)
