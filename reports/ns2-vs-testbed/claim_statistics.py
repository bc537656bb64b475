"""Statistics of the paper's claims that are its own: of the means of a surface's cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
from evenflow.claims.cases import Case, Measured, Part
from evenflow.claims.surfaces import (
    COLUMN,
    Place,
    Subject,
    Surface,
    case_of,
    contested_places,
    differences,
    each_variant,
    pairing,
)
from evenflow.congestion_controls import variant_name
from evenflow.statistics.outcomes import MOST, SOME
from evenflow.statistics.windows import is_free


def ratio_of_flows(cells: Surface) -> float:
    """Return flow 2's throughput over flow 1's, the geometric mean over the cells."""
    return float(10 ** ((cells["flow2"] - cells["flow1"]).mean() / 10))


def in_one_cell(cells: Surface) -> float:
    """Return Jain's index of one cell."""
    return float(cells["jfi"][0])


def correlations(
    variants: Sequence[str],
) -> dict[str, Callable[[Mapping[str, Surface]], float | None]]:
    """Return Pearson's r of Jain's index between each two variants' surfaces, by their names."""

    def r(one: Surface, two: Surface) -> float | None:
        x, y = one["jfi"], two["jfi"]
        known = len(x) > 2 and np.ptp(x) and np.ptp(y)
        return float(np.corrcoef(x, y)[0, 1]) if known else None

    return {
        f"{variant_name(a)} and {variant_name(b)}": (lambda of, a=a, b=b: r(of[a], of[b]))
        for a, b in combinations(variants, 2)
    }


def from_least_to_most(cells: Surface) -> float:
    """Return how much Jain's index rises from the smallest to the largest buffer of an RTT."""
    order = np.argsort(cells.buffer)
    return float(cells["jfi"][order[-1]] - cells["jfi"][order[0]])


def both_ways(
    variants: Sequence[str], by: Callable[[list[Place]], Mapping[str, list[Place]]]
) -> Callable[[Subject], Measured]:
    """Measure whether the buffer moves Jain's index up at some RTT, and down at some."""
    ways = {"up": from_least_to_most, "down": lambda cells: -from_least_to_most(cells)}

    def measure(subject: Subject) -> Measured:
        return {
            f"{name}, {way}": case
            for way, statistic in ways.items()
            for name, case in each_variant(statistic, variants, null=True, by=by, quantifier=SOME)(
                subject
            ).items()
        }

    return measure


def variants_apart(variants: Sequence[str]) -> Callable[[Subject], Measured]:
    """Measure how far the difference of two variants from the simulation is apart, in a cell."""
    jfi = COLUMN["jfi"]

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        every = list(subject.grid.rows())
        surfaces = {cca: pairing("comparison", cca) for cca in variants}
        places = contested_places(subject, surfaces.values(), every, both_sides=True)

        def apart(a: str, b: str, place: Place):
            keys = [(side, *surfaces[cca], *place) for cca in (a, b) for side in ("there", "here")]

            def statistic(means) -> float:
                values = [means[key][jfi] for key in keys]
                return float(values[0] - values[1] - values[2] + values[3])

            return statistic

        parts = {
            f"{variant_name(a)} and {variant_name(b)} at {1000 * place[0]:g} ms and "
            f"{100 * place[1]:g} %": Part(apart(a, b, place))
            for a, b in combinations(variants, 2)
            for place in places
        }
        return {"": case_of(subject, subject.cells, parts, places, every, SOME)}

    return measure


def not_judged(why: str) -> Callable[[Subject], Measured]:
    """Return the measure of a sentence on differences that no statistic can tell about."""
    return lambda subject: None if subject.against is None else {"": Case(note=why)}


# ---- windows ------------------------------------------------------------------------------------


def by_window(variants: Sequence[str], *, free: bool) -> Callable[[Subject], Measured]:
    """Measure the difference from the simulation in the cells in which no window can bind.

    Or in the other contested cells, where not `free`. Most of them are asked for in both.
    """

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        if not free and bound_cells(subject).is_empty():
            return None
        where = is_free(subject.runs) if free else ~is_free(subject.runs)
        mine = replace(subject, grid=subject.grid.filter(where))
        return differences("jfi", variants, each_case=True, quantifier=MOST)(mine)

    return measure


def throughput_by_rtt(variants: Sequence[str]) -> Callable[[Subject], Measured]:
    """Measure NewReno's throughput in the simulation over that on the testbed, at every RTT.

    The geometric mean over the buffers of the cells in which no window can bind; of NewReno next
    to itself it is flow 1's.
    """
    flow1 = COLUMN["flow1"]

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        every = list(subject.grid.filter(is_free(subject.runs)).rows())
        surfaces = {cca: pairing("comparison", cca) for cca in variants}
        places = contested_places(subject, surfaces.values(), every, both_sides=True)
        found = {}
        for cca, surface in surfaces.items():

            def ratio(rtt: float, surface=surface):
                mine = [place for place in places if place[0] == rtt]

                def statistic(means) -> float:
                    db = [
                        means["there", *surface, *place][flow1]
                        - means["here", *surface, *place][flow1]
                        for place in mine
                    ]
                    return float(10 ** (np.mean(db) / 10))

                return statistic

            parts = {
                f"{1000 * rtt:g} ms": Part(ratio(rtt))
                for rtt in dict.fromkeys(rtt for rtt, _ in places)
            }
            found[variant_name(cca)] = case_of(subject, subject.cells, parts, places, every)
        return found

    return measure


def bound_cells(subject: Subject) -> pl.DataFrame:
    """Return the cells of a subject's grid in which a window can bind."""
    return subject.grid.filter(~is_free(subject.runs))
