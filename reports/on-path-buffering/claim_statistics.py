"""Statistics of the paper's claims that are its own: of the means of a surface's cells.

Throughputs are in dB, of one segment a second at least: a flow that carried nothing has a place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from evenflow.claims.cases import Case, Measured, Part
from evenflow.claims.sentences import Sentence
from evenflow.congestion_controls import variant_name
from evenflow.statistics.repeats import pearson

from .._grid.grid_runs import curve, rise
from .._grid.surfaces import (
    BUFFER,
    COLUMN,
    RTT,
    Measure,
    Place,
    Statistic,
    Subject,
    Surface,
    case_of,
    contested_places,
    each_place,
    each_variant,
    pairing,
    places_of,
    with_steady,
)

NATURAL = np.log(10) / 10  # of one dB


def larger(cells: Surface) -> float:
    """Return flow 2's throughput in the second of two cells over that in the first."""
    first, second = cells["flow2"]
    return 10 ** ((second - first) / 10)


def growth(axis: str, value: Callable[[Surface], np.ndarray] | None = None) -> Statistic:
    """Return the statistic: the factor by which flow 2's throughput grows over an axis (`rise`).

    Args:
        value: in dB, if not flow 2's throughput.
    """
    of = value or (lambda cells: cells["flow2"])

    def both(cells: Surface) -> tuple[np.ndarray, np.ndarray]:
        return (cells.rtt, cells.buffer) if axis == RTT else (cells.buffer, cells.rtt)

    def statistic(cells: Surface) -> float | None:
        db = rise(*both(cells), of(cells))
        return None if db is None else 10 ** (db / 10)

    statistic.curve = lambda cells: NATURAL * curve(*both(cells), of(cells))
    return statistic


def from_least_to_most(value: str) -> Statistic:
    """Return the statistic: how a value changes from the least to the largest buffer of an RTT."""

    def statistic(cells: Surface) -> float:
        order = np.argsort(cells.buffer)
        return float(np.diff(cells[value][order[[0, -1]]])[0])

    return statistic


def as_factor(statistic: Statistic) -> Statistic:
    """Return a statistic in dB as the factor that it is."""
    return lambda cells: float(10 ** (statistic(cells) / 10))


def over_flow_1(cells: Surface) -> np.ndarray:
    """Return flow 2's throughput over flow 1's in each cell, dB."""
    return cells["flow2"] - cells["flow1"]


def ratio_of_flows(cells: Surface) -> float:
    """Return flow 2's throughput over flow 1's, the geometric mean over the cells."""
    return float(10 ** (over_flow_1(cells).mean() / 10))


def rise_with_both(value: str) -> Statistic:
    """Return the statistic: the rise of a value over the buffer in bytes, RTT times OPB.

    By least squares on its logarithm, from the smallest to the largest.
    """

    def statistic(cells: Surface) -> float | None:
        x = np.log2(cells.rtt * cells.buffer)
        if np.ptp(x) < 1e-9:
            return None
        return float(np.polyfit(x, cells[value], 1)[0] * np.ptp(x))

    return statistic


def of_each_two(
    variants: Sequence[str], statistic: Callable[[Surface, Surface], float | None]
) -> dict[str, Callable[[Mapping[str, Surface]], float | None]]:
    """Return a statistic of each two of several variants' surfaces, by the names of both."""
    return {
        f"{variant_name(one)} and {variant_name(two)}": (
            lambda of, one=one, two=two: statistic(of[one], of[two])
        )
        for one, two in combinations(variants, 2)
    }


def factor_of_two(one: Surface, two: Surface) -> float:
    """Return one variant's throughput of flow 2 over another's, the geometric mean over cells."""
    return float(10 ** ((one["flow2"] - two["flow2"]).mean() / 10))


def correlation_of_two(one: Surface, two: Surface) -> float | None:
    """Return Pearson's r between two variants' surfaces of flow 2's throughput in bit/s."""
    return pearson(*(10 ** (of["flow2"] / 10) for of in (one, two)))


# ---- measures -----------------------------------------------------------------------------------


def cases(*measures: Measure, **not_judged: str) -> Measure:
    """Measure several things that have one case each.

    Args:
        not_judged: cases that no statistic can tell about, and why.
    """

    def measure(subject: Subject) -> Measured:
        found = {name: case for of in measures for name, case in (of(subject) or {}).items()}
        return found | {name: Case(note=why) for name, why in not_judged.items()}

    return measure


def to_either_side(said: Sentence, value: str) -> Measure:
    """Measure a value in each cell, and with its sign turned: it is more here and less there."""
    sides = {
        "above": each_variant(said, lambda cells: float(cells[value][0]), by=each_place),
        "below": each_variant(said, lambda cells: -float(cells[value][0]), by=each_place),
    }

    def measure(subject: Subject) -> Measured:
        return {
            f"{name}, {side}": case
            for side, of in sides.items()
            for name, case in (of(subject) or {}).items()
        }

    return measure


def flatness(said: Sentence) -> Measure:
    """Measure how much flow 2's flow-NRU varies over the cells, as a share of its throughput.

    Standard deviation over standard deviation, both in dB; the throughput is that of self-fairness.
    """

    def measure(subject: Subject) -> Measured:
        every = places_of(said, subject)
        roles = ("comparison", "calibration")
        surfaces = [pairing(role, cca) for cca in said.cases for role in roles]
        places = contested_places(subject, surfaces, every)

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            found = {}
            for cca in said.cases:
                beside, alone = (("here", *pairing(role, cca)) for role in roles)

                def statistic(means, beside=beside, alone=alone):
                    both, own = (
                        Surface(means, of, kept, subject.weight_from) for of in (beside, alone)
                    )
                    sd = own["flow2"].std(ddof=1)
                    return both["nru2"].std(ddof=1) / sd if sd else None

                parts = {"": Part(statistic)}
                found[variant_name(cca)] = case_of(subject.cells, parts, kept, every)
            return found

        return with_steady(places, build)

    return measure


def moved_by_order(said: Sentence) -> Measure:
    """Measure how far a variant's share moves when it is flow 1 instead of flow 2, in each cell.

    Of cells that were run in both orders.
    """
    share2 = COLUMN["share2"]

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        there = set(subject.against.select(RTT, BUFFER).rows())
        every = [place for place in places_of(said, subject) if place in there]
        places = contested_places(subject, [pairing("comparison", c) for c in said.cases], every)

        def moved(cca: str, place: Place) -> Callable:
            second = ("here", "comparison", f"newreno-{cca}", *place)
            first = ("there", "comparison", f"{cca}-newreno", *place)
            return lambda means: float(1 - means[first][share2] - means[second][share2])

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            found = {}
            for cca in said.cases:
                parts = {
                    f"{1000 * rtt:g} ms and {100 * buffer:g} %": Part(moved(cca, (rtt, buffer)))
                    for rtt, buffer in kept
                }
                found[variant_name(cca)] = case_of(
                    subject.cells, parts, kept, every, said.quantifier
                )
            return found

        return with_steady(places, build)

    return measure
