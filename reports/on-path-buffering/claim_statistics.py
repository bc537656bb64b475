"""Statistics of the paper's claims that are its own: of one replicate, the runs of its cells.

Throughputs count as at least one segment a second, as in the NRU: a flow that carried nothing has
a place on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.papers.claims import Measured, Replicates
from evenflow.papers.surface_claims import Statistic, Subject, pairing
from evenflow.statistics.replicates import (
    BUFFER,
    RTT,
    complete_replicates,
    grid_of,
    rise,
    uncontested,
)

SEGMENT_BPS = 8 * 1448.0
FLOW1, FLOW2 = "mean_throughput_bps_flow1", "mean_throughput_bps_flow2"
CELL = [RTT, BUFFER]


def level_db(column: str) -> pl.Expr:
    """Return a throughput in dB of 1 bit/s."""
    return 10 * pl.col(column).clip(lower_bound=SEGMENT_BPS).log10()


def range_over_cells(cells: pl.DataFrame) -> float:
    """Return flow 2's largest throughput over its smallest."""
    carried = cells[FLOW2].clip(lower_bound=SEGMENT_BPS)
    return carried.max() / carried.min()


def growth(axis: str) -> Statistic:
    """Return the statistic: the factor by which flow 2's throughput grows over an axis (`rise`)."""

    def statistic(cells: pl.DataFrame) -> float | None:
        db = rise(cells.with_columns(db=level_db(FLOW2)), axis, "db")
        return None if db is None else 10 ** (db / 10)

    return statistic


def least_growth(cells: pl.DataFrame) -> float | None:
    """Return the smallest factor of flow 2's throughput from the least to the largest buffer.

    Over the RTTs that have both ends of the buffers: a trough that is regular is at each of them.
    None where there are fewer than two such RTTs.
    """
    ends = (
        cells.sort(BUFFER)
        .group_by(RTT, maintain_order=True)
        .agg(
            db=level_db(FLOW2).last() - level_db(FLOW2).first(),
            least=pl.col(BUFFER).first(),
            most=pl.col(BUFFER).last(),
        )
        .filter(least=cells[BUFFER].min(), most=cells[BUFFER].max())["db"]
    )
    return None if len(ends) < 2 else 10 ** (ends.min() / 10)


def ratio_of_flows(cells: pl.DataFrame) -> float:
    """Return flow 2's throughput over flow 1's, the geometric mean over the cells."""
    return 10 ** (cells.select((level_db(FLOW2) - level_db(FLOW1)).mean()).item() / 10)


def growth_of_ratio(cells: pl.DataFrame) -> float | None:
    """Return the factor by which flow 2's throughput over flow 1's grows over the buffer."""
    db = rise(cells.with_columns(db=level_db(FLOW2) - level_db(FLOW1)), BUFFER, "db")
    return None if db is None else 10 ** (db / 10)


def rise_with_both(value: str) -> Statistic:
    """Return the statistic: the rise of a value over the buffer in bytes, RTT times OPB.

    By least squares on its logarithm, from the smallest to the largest.
    """

    def statistic(cells: pl.DataFrame) -> float | None:
        x = np.log2(cells[RTT].to_numpy() * cells[BUFFER].to_numpy())
        if np.ptp(x) < 1e-9:
            return None
        return float(np.polyfit(x, cells[value].to_numpy(), 1)[0] * np.ptp(x))

    return statistic


def smaller_effect(value: str) -> Statistic:
    """Return the statistic: the smaller of the rises over RTT and buffer, without their signs."""

    def statistic(cells: pl.DataFrame) -> float | None:
        rises = [rise(cells, axis, value) for axis in (RTT, BUFFER)]
        return None if None in rises else min(map(abs, rises))

    return statistic


def reach_to_either_side(value: str, share: float) -> Statistic:
    """Return the statistic: how far at least a share of the cells lies from zero, on both sides.

    The smaller of the upper quantile and of the lower one with its sign turned. Not the share of
    cells beyond a value, which is often the same in all replicates.
    """
    low, high = pl.col(value).quantile(share, "linear"), pl.col(value).quantile(1 - share, "linear")
    return lambda cells: cells.select(pl.min_horizontal(-low, high)).item()


def size_of_most(value: str, share: float) -> Statistic:
    """Return the statistic: the size, without its sign, that a share of the cells stays below."""
    return lambda cells: cells[value].abs().quantile(share, "linear")


def spread_of_variants(value: str, of: str) -> Statistic:
    """Return the statistic: largest less smallest, over the variants, of a mean over their cells.

    Args:
        value: of the runs, in dB.
        of: the mean of each variant: 'min', 'mean' or 'max'.
    """

    def statistic(cells: pl.DataFrame) -> float:
        means = (
            common_cells(cells)
            .group_by("ccas", maintain_order=True)
            .agg(getattr(pl.col(value), of)())[value]
        )
        return float(means.max() - means.min())

    return statistic


def factor_of_variants(of: str) -> Statistic:
    """Return the statistic: the largest of the variants' throughputs of flow 2 over the smallest.

    Args:
        of: over the cells of each variant: 'min', 'mean' or 'max'.
    """

    def statistic(cells: pl.DataFrame) -> float:
        carried = pl.col(FLOW2).clip(lower_bound=SEGMENT_BPS)
        values = (
            common_cells(cells)
            .group_by("ccas", maintain_order=True)
            .agg(getattr(carried, of)())[FLOW2]
        )
        return float(values.max() / values.min())

    return statistic


def least_correlation(cells: pl.DataFrame) -> float | None:
    """Return the smallest correlation between the variants' surfaces of flow 2's throughput."""
    wide = common_cells(cells).pivot("ccas", index=CELL, values=FLOW2).drop(CELL)
    if len(wide) < 3:
        return None
    found = [wide.select(pl.corr(one, two)).item() for one, two in combinations(wide.columns, 2)]
    return None if any(r is None or np.isnan(r) for r in found) else min(found)


def common_cells(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells that every surface has: one may be uncontested of one variant only."""
    n = cells["ccas"].n_unique()
    return cells.filter(pl.len().over(CELL) == n)


# ---- measures -----------------------------------------------------------------------------------


def cases(**measures: Callable[[Subject], Measured]) -> Callable[[Subject], Measured]:
    """Measure several things that have one case each, by name."""

    def measure(subject: Subject) -> Measured:
        return {name: of(subject)[""] for name, of in measures.items()}

    return measure


def flatness(variants: Sequence[str]) -> Callable[[Subject], Measured]:
    """Measure how much flow 2's flow-NRU varies over the cells, as a share of its throughput.

    Standard deviation over standard deviation, both in dB; the throughput is that of self-fairness.
    """

    def statistic(cells: pl.DataFrame) -> float | None:
        alone = cells.filter(role="calibration").select(*CELL, db=level_db(FLOW2))
        both = cells.filter(role="comparison").join(alone, on=CELL)
        sds = both.select(pl.col("flow_nru_db_flow2", "db").std()).row(0)
        return sds[0] / sds[1] if all(sds) else None

    def measure(subject: Subject) -> Measured:
        left_out = uncontested(subject.runs)
        found = {}
        for cca in variants:
            surfaces = [pairing(role, cca) for role in ("comparison", "calibration")]
            complete = complete_replicates(subject.runs, surfaces, subject.grids, [FLOW2], left_out)
            values = [statistic(table) for table in complete.tables]
            values = [value for value in values if value is not None]
            found[variant_name(cca)] = Replicates(values, note=complete.in_words())
        return found

    return measure


def moved_by_order(variants: Sequence[str], grid: Mapping) -> Callable[[Subject], Measured]:
    """Measure how far a variant's share moves when it is flow 1 instead of flow 2.

    Mean over cells of the difference without its sign, of the same repeat. The null has flow 2's
    share in repeat r and in the next one: what repeating alone does.

    Args:
        grid: cells that were run in both orders, as `grid_of` takes them.
    """
    share2 = pl.col(FLOW2) / (pl.col(FLOW1) + pl.col(FLOW2))

    def shares(runs: pl.DataFrame, ccas: str, share: pl.Expr) -> tuple[dict, str]:
        surfaces, cells = [("comparison", ccas)], [grid_of(grid)]
        complete = complete_replicates(runs, surfaces, cells, [FLOW1, FLOW2], uncontested(runs))
        tables = {t["repeat"][0]: t.select(*CELL, share=share) for t in complete.tables}
        return tables, complete.in_words()

    def apart(one: pl.DataFrame, two: pl.DataFrame) -> float | None:
        both = one.join(two, on=CELL)
        return both.select((pl.col("share") - pl.col("share_right")).abs().mean()).item()

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        found = {}
        for cca in variants:
            second, note = shares(subject.runs, f"newreno-{cca}", share2)
            first, other_note = shares(subject.against, f"{cca}-newreno", 1 - share2)
            moved = [apart(second[r], first[r]) for r in second if r in first]
            again = [apart(second[r], second[r + 1]) for r in second if r + 1 in second]
            found[variant_name(cca)] = Replicates(
                *([v for v in values if v is not None] for values in (moved, again)),
                note=note if note == other_note else f"{note}; with the other order, {other_note}",
            )
        return found

    return measure
