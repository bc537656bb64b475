"""What claims on surfaces measure: a statistic of each replicate of a grid of RTT and buffer.

A function here returns the `measure` of a `Claim`. It is given a `Subject`, the runs of one data
set, and takes the statistic of repeat r of all its cells, for every r that is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ..congestion_controls import variant_name
from ..statistics.replicates import (
    BUFFER,
    RTT,
    Complete,
    complete_replicates,
    grid_of,
    grid_runs,
    rise,
    uncontested,
)
from .claims import Measured, Replicates

NULL = "newreno-newreno"  # a variant against itself: nothing can be there
EPSILON = 1e-9  # RTTs and buffers are compared as numbers with a point
Statistic = Callable[[pl.DataFrame], float | None]


class Subject(NamedTuple):
    """What claims are measured on: the runs of a data set, and those that it is compared with.

    platform: what the originals call it; a sentence may be about one platform alone. runs, against:
    results of `replicates.grid_runs`; against is None for a data set that is compared with nothing.
    grids: the preferred one first.
    """

    platform: str
    runs: pl.DataFrame
    grids: Sequence[pl.DataFrame]
    against: pl.DataFrame | None = None


def runs_of_parts(
    run: Mapping[str, pl.DataFrame],
    run_metric: Mapping[str, pl.DataFrame],
    flow_metric: Mapping[str, pl.DataFrame],
    weight_from: str,
) -> pl.DataFrame:
    """Return `replicates.grid_runs` of several data sets, with the column part."""
    return pl.concat(
        grid_runs(run[part], run_metric[part], flow_metric[part], weight_from).select(
            pl.lit(part).alias("part"), pl.all()
        )
        for part in run
    )


def subjects_of(
    surface_run: pl.DataFrame,
    platforms: Mapping[str, str],
    grids: Sequence[Mapping],
    simulation: str | None = None,
) -> dict[str, Subject]:
    """Return {part: what claims are measured on}.

    Args:
        surface_run: result of `runs_of_parts`.
        platforms: part -> platform, in the order of the subjects.
        grids: as `replicates.grid_of` takes them, the preferred one first.
        simulation: the part that the others are compared with.
    """
    cells = [grid_of(grid) for grid in grids]
    of = {part: surface_run.filter(part=part) for part in platforms}
    return {
        part: Subject(platform, of[part], cells, None if part == simulation else of.get(simulation))
        for part, platform in platforms.items()
    }


def pairing(role: str, cca: str) -> tuple[str, str]:
    """Return role and ccas of a variant's surface: against NewReno, or against itself."""
    return role, f"{cca}-{cca}" if role == "calibration" else f"newreno-{cca}"


def each_variant(
    statistic: Statistic,
    values: str | Sequence[str],
    variants: Sequence[str],
    *,
    role: str = "comparison",
    null: bool = False,
    contested: bool = True,
    where: pl.Expr | None = None,
    platform: str | None = None,
) -> Callable[[Subject], Measured]:
    """Measure a statistic on the surface of every variant, a case each.

    Args:
        statistic: of the runs of one replicate of a surface, one a cell.
        values: column or columns of `grid_runs` that it reads.
        null: measure it on NewReno against NewReno, too.
        contested: leave out uncontested cells, as statements on fairness must.
        where: cells that the sentence is about, if not all.
        platform: that the sentence is about, if not any.
    """
    columns = [values] if isinstance(values, str) else list(values)

    def measure(subject: Subject) -> Measured:
        if platform not in (None, subject.platform):
            return None

        def found(cca: str, its_role: str) -> tuple[Complete, list[float]]:
            complete = complete_replicates(
                subject.runs,
                [pairing(its_role, cca)],
                _kept(subject.grids, where),
                columns,
                uncontested(subject.runs) if contested else None,
            )
            values = [statistic(table) for table in complete.tables]
            return complete, [value for value in values if value is not None]

        nothing = found("newreno", role)[1] if null else []
        measured = {}
        for cca in variants:
            complete, values = found(cca, role)
            measured[variant_name(cca)] = Replicates(values, nothing, note=complete.in_words())
        return measured

    return measure


def together(
    statistic: Statistic,
    values: str,
    variants: Sequence[str],
    *,
    role: str = "comparison",
    contested: bool = True,
    platform: str | None = None,
) -> Callable[[Subject], Measured]:
    """Measure a statistic of several variants' surfaces at once, as `each_variant` of one."""

    def measure(subject: Subject) -> Measured:
        if platform not in (None, subject.platform):
            return None
        surfaces = [pairing(role, cca) for cca in variants]
        left_out = uncontested(subject.runs) if contested else None
        complete = complete_replicates(subject.runs, surfaces, subject.grids, [values], left_out)
        found = [statistic(table) for table in complete.tables]
        found = [value for value in found if value is not None]
        return {"": Replicates(found, note=complete.in_words())}

    return measure


def _kept(grids: Sequence[pl.DataFrame], where: pl.Expr | None) -> list[pl.DataFrame]:
    return [grid if where is None else grid.filter(where) for grid in grids]


def differences(
    statistic: Statistic, variants: Sequence[str], *, value: str = "jfi", contested: bool = True
) -> Callable[[Subject], Measured]:
    """Measure a statistic of the differences between the simulation and a testbed.

    Replicate r has D, repeat r of the simulation less repeat r of the testbed, in every cell. The
    null has the testbed's repeat r less its next one: what repeating alone does. A cell that is
    uncontested on either side does not count.

    Args:
        statistic: of a table ccas, base_rtt_s, buffer_bdp, d.
        value: column of `grid_runs` of which D is taken.
    """

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        surfaces = [pairing("comparison", cca) for cca in variants]
        sides = subject.against, subject.runs
        left_out = None
        if contested:
            left_out = pl.concat(uncontested(side) for side in sides).unique(maintain_order=True)
        of = [
            complete_replicates(side, surfaces, subject.grids, [value], left_out) for side in sides
        ]
        testbed = of[1].tables
        pairs = list(zip(of[0].tables, testbed, strict=False))
        repeated = list(zip(testbed, testbed[1:] + testbed[:1], strict=True))
        found, nothing = (
            [statistic(_difference(s, t, value)) for s, t in several]
            for several in (pairs, repeated if len(testbed) > 1 else [])
        )
        note = " and ".join(dict.fromkeys(each.in_words() for each in of))
        return {"": Replicates(*(_known(v) for v in (found, nothing)), note=note)}

    return measure


def _known(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _difference(simulation: pl.DataFrame, testbed: pl.DataFrame, value: str) -> pl.DataFrame:
    place = ["ccas", RTT, BUFFER]
    both = simulation.select(*place, value).join(
        testbed.select(*place, value), on=place, suffix="_testbed"
    )
    return both.select(*place, d=pl.col(value) - pl.col(f"{value}_testbed"))


# ---- statistics of a surface --------------------------------------------------------------------


def mean_of(value: str) -> Statistic:
    """Return the statistic: mean over the cells."""
    return lambda cells: cells[value].mean()


def rise_of(value: str, axis: str) -> Statistic:
    """Return the statistic: how much the value rises over an axis (`replicates.rise`)."""
    return lambda cells: rise(cells, axis, value)


def share_of(condition: pl.Expr) -> Statistic:
    """Return the statistic: share of the cells that fulfil a condition."""
    return lambda cells: cells.select(condition.mean()).item()


def inside_less_outside(value: pl.Expr, where: pl.Expr) -> Statistic:
    """Return the statistic: mean over the cells `where` less that over the others."""

    def statistic(cells: pl.DataFrame) -> float | None:
        inside, outside = (
            cells.filter(side).select(value.mean()).item() for side in (where, ~where)
        )
        return None if inside is None or outside is None else inside - outside

    return statistic
