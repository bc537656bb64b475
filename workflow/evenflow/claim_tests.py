"""Tests of the papers' sentences on surfaces: functions of the cells of one data set.

Each returns what was found of every variant and whether the criterion holds for it, or, where the
data cannot tell, why not. The thresholds are readings of words such as 'fair', not fits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import polars as pl
import scipy  # loads scipy.stats, which takes a second, when it is first used

from .congestion_controls import in_order, variant_name
from .markdown import PRINTED, number
from .statistics.surfaces import matched_ends

FAIR_JFI = 0.9  # reading of 'fair' and 'good fairness': one flow gets at most twice the other
LOW_RTT_S = 0.05  # 'at low values of RTT (at 50 ms and below)', on-path-buffering, section 5
HIGH_RTT_S, HIGH_BUFFER = 0.2, 0.6  # '> ~200 ms', '> ~0.6 BDP', ns2-vs-testbed, section V
SIGNIFICANT = 0.05  # level of the tests below
BOTH_SIDES = 0.1  # a behaviour is 'not consistent' if at least this share of cells is on each side
NO_RUNS, TOO_FEW = "no such runs", "too few cells"
EPSILON = 1e-9  # RTTs and buffers are compared as numbers with a point

RTT, BUFFER = pl.col("base_rtt_s"), pl.col("buffer_bdp")
HIGH = (pl.col("base_rtt_s") >= HIGH_RTT_S - EPSILON) & (
    pl.col("buffer_bdp") >= HIGH_BUFFER - EPSILON
)


class Part(NamedTuple):
    """What was found of one variant (or, with an empty name, of all), and whether it holds."""

    name: str
    value: str
    holds: bool


Found = list[Part] | str


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
) -> Callable[[pl.DataFrame], Found]:
    """Test a summary of every variant's surface: a number, a pair of them, or a `Part`'s words.

    A variant that has no cells, or of whose cells the summary is None, has no say.
    """
    unit, digits = PRINTED[metric]

    def test(table: pl.DataFrame) -> Found:
        found, seen = [], False
        for cca in variants:
            cells = cells_of(table, metric, role, cca)
            seen = seen or len(cells) > 0
            value = summary(cells) if len(cells) else None
            if value is not None:
                words = in_words(value, unit, digits)
                found.append(Part(variant_name(cca), words, bool(holds(value))))
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


def outside_and_inside(where: pl.Expr) -> Callable:
    """Return the summary (mean over the other cells, mean over the cells `where`)."""

    def summary(cells: pl.DataFrame) -> tuple[float, float] | None:
        sides = cells.filter(~where)["mean"].mean(), cells.filter(where)["mean"].mean()
        return None if None in sides else sides

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


def on_both_sides(pair: tuple[int, int]) -> bool:
    """Return whether enough of the cells are counted, and enough are not."""
    return BOTH_SIDES * pair[1] <= pair[0] <= (1 - BOTH_SIDES) * pair[1]


# ---- tests that look at more than one surface ---------------------------------------------------


def similar_means(metric: str, role: str, variants: tuple[str, ...], within: float) -> Callable:
    """Test whether the variants' means over their common cells lie within a share of each other."""
    unit, digits = PRINTED[metric]

    def test(table: pl.DataFrame) -> Found:
        cells = {cca: cells_of(table, metric, role, cca) for cca in variants}
        if any(surface.is_empty() for surface in cells.values()):
            return f"needs runs of {', '.join(map(variant_name, variants))}"
        means = {}
        for cca, surface in cells.items():
            for other in cells.values():
                surface = surface.join(other, on=["base_rtt_s", "buffer_bdp"], how="semi")
            means[cca] = surface["mean"].mean()
        if None in means.values():
            return TOO_FEW
        words = "; ".join(f"{variant_name(c)} {number(m / unit, digits)}" for c, m in means.items())
        return [Part("", words, max(means.values()) <= (1 + within) * min(means.values()))]

    return test


def similar_shapes(metric: str, role: str, variants: tuple[str, ...], at_least: float) -> Callable:
    """Test whether the surfaces of every two variants are correlated (Pearson's r over cells)."""

    def test(table: pl.DataFrame) -> Found:
        found = []
        for one, other in combinations(variants, 2):
            both = cells_of(table, metric, role, one).join(
                cells_of(table, metric, role, other), on=["base_rtt_s", "buffer_bdp"], suffix="_2"
            )
            r = both.select(pl.corr("mean", "mean_2")).item() if len(both) > 2 else None
            if r is not None and r == r:
                name = f"{variant_name(one)} and {variant_name(other)}"
                found.append(Part(name, f"r = {number(r, 2)}", r >= at_least))
        return found or NO_RUNS

    return test


def flatter_than_throughput(variants: tuple[str, ...]) -> Callable:
    """Test whether the flow-NRU of flow 2 varies less over the cells than its throughput, in dB."""

    def test(table: pl.DataFrame) -> Found:
        found = []
        for cca in variants:
            nru = cells_of(table, "flow_nru_db_flow2", "comparison", cca)
            alone = cells_of(table, "mean_throughput_bps_flow2", "calibration", cca)
            both = nru.join(alone, on=["base_rtt_s", "buffer_bdp"], suffix="_2")
            both = both.filter(pl.col("mean_2") > 0)
            if len(both) < 2:
                continue
            sd = both["mean"].std(), (10 * both["mean_2"].log10()).std()
            words = f"{number(sd[0], 2)} against {number(sd[1], 2)} dB"
            found.append(Part(variant_name(cca), words, sd[0] < sd[1]))
        return found or NO_RUNS

    return test


def flow_2_ahead(variants: tuple[str, ...]) -> Callable:
    """Test whether flow 2 has the higher mean throughput in most cells."""

    def test(table: pl.DataFrame) -> Found:
        found = []
        for cca in variants:
            first, second = (
                cells_of(table, f"mean_throughput_bps_flow{i}", "comparison", cca) for i in (1, 2)
            )
            both = first.join(second, on=["base_rtt_s", "buffer_bdp"], suffix="_2")
            if len(both):
                pair = len(both.filter(pl.col("mean_2") > pl.col("mean"))), len(both)
                found.append(Part(variant_name(cca), f"{pair[0]} of {pair[1]}", most(pair)))
        return found or NO_RUNS

    return test


def buffer_moves_both_ways(metric: str, variants: tuple[str, ...]) -> Callable:
    """Test whether, at some RTTs, the largest buffer has the higher value, at others the lower.

    Welch's test of the smallest against the largest buffer at each RTT; p-values are adjusted over
    the RTTs (Benjamini and Hochberg).
    """

    def test(table: pl.DataFrame) -> Found:
        found = []
        for cca in variants:
            cells = cells_of(table, metric, "comparison", cca)
            if cells.is_empty():
                continue
            ends = [
                cells.filter(pl.col("buffer_bdp") == getattr(cells["buffer_bdp"], end)())
                for end in ("min", "max")
            ]
            both = ends[0].join(ends[1], on="base_rtt_s", suffix="_2")
            both = both.filter(
                pl.col("buffer_bdp") != pl.col("buffer_bdp_2"),
                pl.min_horizontal("n", "n_2") > 1,
                pl.max_horizontal("sd", "sd_2") > 0,
            )
            if both.is_empty():
                continue
            columns = ("mean_2", "sd_2", "n_2", "mean", "sd", "n")
            p = scipy.stats.ttest_ind_from_stats(
                *(both[name].to_numpy() for name in columns), equal_var=False
            ).pvalue
            sure = both.filter(pl.Series(scipy.stats.false_discovery_control(p) <= SIGNIFICANT))
            up = len(sure.filter(pl.col("mean_2") > pl.col("mean")))
            down = len(sure) - up
            words = f"{up} up, {down} down of {len(both)} RTTs"
            found.append(Part(variant_name(cca), words, up > 0 and down > 0))
        return found or "needs two buffers with repeats"

    return test


# ---- tests on the difference between simulation and testbed -------------------------------------


def share_significant(ccas: str | None = None) -> Callable:
    """Test whether W >= 0 in most cells with repeats, of one pairing or of all."""

    def test(table: pl.DataFrame) -> Found:
        known = table.drop_nulls("significant_printed")
        if ccas is not None:
            known = known.filter(pl.col("ccas") == ccas)
        pair = int(known["significant_printed"].sum()), len(known)
        return [Part("", f"{pair[0]} of {pair[1]} cells", most(pair))] if len(known) else TOO_FEW

    return test


def agree_better(where: pl.Expr) -> Callable:
    """Test whether the mean of |D| over the cells `where` is smaller than over the others."""

    def test(table: pl.DataFrame) -> Found:
        inside = table.filter(where)["d"].abs().mean()
        outside = table.filter(~where)["d"].abs().mean()
        if inside is None or outside is None:
            return TOO_FEW
        words = f"{number(inside, 2)} there, {number(outside, 2)} elsewhere"
        return [Part("", words, inside < outside)]

    return test


def poor_at_low_corner(table: pl.DataFrame) -> Found:
    """Test whether |D| in the cells of lowest RTT and buffer is above the average."""
    corner = (RTT.min() == RTT) & (BUFFER.min() == BUFFER)
    inside, average = table.filter(corner)["d"].abs().mean(), table["d"].abs().mean()
    if inside is None or len(table.filter(~corner)) == 0:
        return TOO_FEW
    words = f"{number(inside, 2)} there, {number(average, 2)} on average"
    return [Part("", words, inside > average)]


def regions_depend_on_variant(table: pl.DataFrame) -> Found:
    """Test whether pairings agree on which cells differ significantly in most cells, not in all."""
    known = table.drop_nulls("significant_printed")
    pairings = known["ccas"].n_unique()
    cells = (
        known.group_by("base_rtt_s", "buffer_bdp")
        .agg(pl.len().alias("n"), pl.col("significant_printed").sum().alias("yes"))
        .filter(pl.col("n") == pairings)
    )
    if pairings < 2 or cells.is_empty():
        return TOO_FEW
    alike = len(cells.filter((pl.col("yes") == 0) | (pl.col("yes") == pl.col("n"))))
    names = ", ".join(variant_name(c.split("-")[1]) for c in in_order(known["ccas"].unique()))
    words = f"alike in {alike} of {len(cells)} cells ({names})"
    return [Part("", words, most((alike, len(cells))) and alike < len(cells))]


def never(reason: str) -> Callable:
    """Return the test of a sentence that no data set of these papers can tell about."""
    return lambda table: reason
