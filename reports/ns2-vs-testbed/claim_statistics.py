"""Statistics of the paper's claims that are its own: of one replicate, the runs of its cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.papers.claims import Measured, Replicates
from evenflow.papers.surface_claims import Statistic, Subject, differences, pairing
from evenflow.statistics.replicates import BUFFER, RTT, complete_replicates, uncontested
from evenflow.statistics.windows import is_free

FLOW1, FLOW2 = "mean_throughput_bps_flow1", "mean_throughput_bps_flow2"
CELL = [RTT, BUFFER]
SEGMENT_BPS = 8 * 1448.0  # a flow that carried nothing has a place on a logarithmic scale


def ratio_of_flows(cells: pl.DataFrame) -> float:
    """Return flow 2's throughput over flow 1's, the geometric mean over the cells."""
    one, two = (pl.col(flow).clip(lower_bound=SEGMENT_BPS).log() for flow in (FLOW1, FLOW2))
    return float(np.exp(cells.select((two - one).mean()).item()))


def least(value: str) -> Statistic:
    """Return the statistic: the smallest value of a cell."""
    return lambda cells: cells[value].min()


def least_correlation(cells: pl.DataFrame) -> float | None:
    """Return the smallest of Pearson's r between the variants' surfaces of Jain's index."""
    wide = cells.pivot("ccas", index=CELL, values="jfi").drop(CELL).drop_nulls()
    if len(wide) < 3:
        return None
    found = [wide.select(pl.corr(one, two)).item() for one, two in combinations(wide.columns, 2)]
    return None if any(r is None or np.isnan(r) for r in found) else min(found)


def both_ways(cells: pl.DataFrame) -> float | None:
    """Return how far the buffer moves Jain's index up at one RTT and down at another.

    From the smallest to the largest buffer at each RTT: the largest rise and the largest fall, the
    smaller of the two. None where fewer than two RTTs have two buffers.
    """
    moved = (
        cells.sort(BUFFER)
        .group_by(RTT, maintain_order=True)
        .agg(
            (pl.col("jfi").last() - pl.col("jfi").first()).alias("moved"),
            pl.len().alias("n"),
        )
        .filter(pl.col("n") > 1)["moved"]
    )
    return None if len(moved) < 2 else min(moved.max(), -moved.min())


def mean_size(d: pl.DataFrame) -> float:
    """Return the mean of |D| over the cells."""
    return d["d"].abs().mean()


def least_of_variants(d: pl.DataFrame) -> float:
    """Return the smallest, over the variants, of the mean of |D| over their cells."""
    return d.group_by("ccas", maintain_order=True).agg(pl.col("d").abs().mean())["d"].min()


def variants_apart(d: pl.DataFrame) -> float | None:
    """Return how far |D| differs between the variants in a cell, the mean over the cells."""
    apart = (
        d.group_by(CELL, maintain_order=True)
        .agg((pl.col("d").abs().max() - pl.col("d").abs().min()).alias("apart"), pl.len())
        .filter(pl.col("len") > 1)
    )
    return apart["apart"].mean()


def size_inside_less_outside(where: pl.Expr) -> Statistic:
    """Return the statistic: the mean of |D| over the cells `where` less that over the others."""

    def statistic(d: pl.DataFrame) -> float | None:
        inside, outside = (d.filter(side)["d"].abs().mean() for side in (where, ~where))
        return None if inside is None or outside is None else inside - outside

    return statistic


def in_every_cell(
    value: str,
    variants: Sequence[str],
    *,
    where: pl.Expr | None = None,
    platform: str | None = None,
) -> Callable[[Subject], Measured]:
    """Measure the smallest value of any cell, contested or not: a sentence on 'all' cells.

    Args:
        value: column of `grid_runs`.
        where: cells that the sentence is about, if not all.
        platform: that the sentence is about, if not any.
    """

    def measure(subject: Subject) -> Measured:
        if platform not in (None, subject.platform):
            return None
        grids = [grid if where is None else grid.filter(where) for grid in subject.grids]
        found = {}
        for cca in variants:
            surfaces = [pairing("comparison", cca)]
            complete = complete_replicates(subject.runs, surfaces, grids, [value])
            found[variant_name(cca)] = Replicates(
                [least(value)(table) for table in complete.tables], note=complete.in_words()
            )
        return found

    return measure


def regions_alike(variants: Sequence[str], margin: float) -> Callable[[Subject], Measured]:
    """Measure in what share of the cells the variants agree on whether |D| reaches the margin.

    A cell counts if every variant has it contested on both sides.
    """

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        surfaces = [pairing("comparison", cca) for cca in variants]
        sides = subject.against, subject.runs
        left_out = pl.concat(uncontested(side) for side in sides).unique(maintain_order=True)
        of = [
            complete_replicates(side, surfaces, subject.grids, ["jfi"], left_out) for side in sides
        ]
        values = []
        for s, t in zip(of[0].tables, of[1].tables, strict=False):
            differs = (pl.col("jfi") - pl.col("jfi_testbed")).abs() >= margin
            cells = (
                s.join(t, on=["ccas", *CELL], suffix="_testbed")
                .group_by(CELL, maintain_order=True)
                .agg(differs.sum().alias("differ"), pl.len().alias("n"))
                .filter(pl.col("n") == len(variants))
            )
            if len(cells):
                alike = (pl.col("differ") == 0) | (pl.col("differ") == pl.col("n"))
                values.append(cells.select(alike.mean()).item())
        note = " and ".join(dict.fromkeys(each.in_words() for each in of))
        return {"": Replicates(values, note=note)}

    return measure


# ---- windows ------------------------------------------------------------------------------------


def by_window(variants: Sequence[str], *, free: bool) -> Callable[[Subject], Measured]:
    """Measure the mean of |D| of each variant over the cells in which no window can bind.

    Or over all other contested cells, where not `free`. Agreement has no null: what repeating
    alone does lies in the same region.
    """

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        if not free and bound_cells(subject).is_empty():
            return None
        where = is_free(subject.runs) if free else ~is_free(subject.runs)
        grids = [grid.filter(where) for grid in subject.grids]
        mine = subject._replace(grids=grids)
        found = {variant_name(cca): differences(mean_size, [cca])(mine)[""] for cca in variants}
        return {
            case: Replicates(of.values, () if free else of.null, note=of.note)
            for case, of in found.items()
        }

    return measure


def removed_by_windows(
    variants: Sequence[str], bound: pl.DataFrame
) -> Callable[[Subject], Measured]:
    """Measure by how much the mean of |D| is smaller where no window binds than where one may.

    Over all cells of a subject whose windows never bind, contested or not: that nothing is
    contested is what a window does. The null is NewReno against NewReno.

    Args:
        bound: runs of the same cells with windows that may bind, result of `grid_runs`.
    """

    def values(subject: Subject, cca: str) -> tuple[Sequence[float], str]:
        of = differences(mean_size, [cca], contested=False)
        with_window, without = (of(each)[""] for each in (subject._replace(runs=bound), subject))
        pairs = zip(with_window.values, without.values, strict=False)
        return [one - two for one, two in pairs], without.note

    def measure(subject: Subject) -> Measured:
        if subject.against is None or len(bound_cells(subject)):
            return None
        nothing = values(subject, "newreno")[0]
        found = {cca: values(subject, cca) for cca in variants}
        return {
            variant_name(cca): Replicates(of, nothing, note=note)
            for cca, (of, note) in found.items()
        }

    return measure


def bound_cells(subject: Subject) -> pl.DataFrame:
    """Return the cells of a subject's smallest grid in which a window can bind."""
    return subject.grids[-1].filter(~is_free(subject.runs))
