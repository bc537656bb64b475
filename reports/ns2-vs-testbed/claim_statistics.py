"""Statistics of the paper's claims that are its own: of the means of a surface's cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from evenflow.claims.cases import Case, Measured, Part
from evenflow.claims.sentences import Sentence
from evenflow.congestion_controls import variant_name
from evenflow.statistics.repeats import pearson
from evenflow.statistics.surfaces import PLACE

from .._grid.surfaces import (
    COLUMN,
    Measure,
    Place,
    Subject,
    Surface,
    case_of,
    contested_places,
    differences,
    each_rtt,
    each_variant,
    pairing,
    places_of,
    with_steady,
)
from .cubic_parts import CUBIC, PARTS, beside
from .design import LONG, LONG_OPEN, OPEN
from .half_hour import SHORTER, beside_shorter, beside_simulation
from .old_code import DELAYED, OLD


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

    return {
        f"{variant_name(a)} and {variant_name(b)}": (
            lambda of, a=a, b=b: pearson(of[a]["jfi"], of[b]["jfi"])
        )
        for a, b in combinations(variants, 2)
    }


def from_least_to_most(cells: Surface) -> float:
    """Return how much Jain's index rises from the smallest to the largest buffer of an RTT."""
    order = np.argsort(cells.buffer)
    return float(cells["jfi"][order[-1]] - cells["jfi"][order[0]])


def both_ways(said: Sentence) -> Measure:
    """Measure whether the buffer moves Jain's index up at some RTT, and down at some."""
    ways = {"up": from_least_to_most, "down": lambda cells: -from_least_to_most(cells)}
    of_ways = {way: each_variant(said, each, by=each_rtt) for way, each in ways.items()}

    def measure(subject: Subject) -> Measured:
        return {
            f"{name}, {way}": case
            for way, of in of_ways.items()
            for name, case in (of(subject) or {}).items()
        }

    return measure


def variants_apart(said: Sentence) -> Measure:
    """Measure how far the difference of two variants from the simulation is apart, in a cell."""
    jfi = COLUMN["jfi"]

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        every = places_of(said, subject)
        surfaces = {cca: pairing("comparison", cca) for cca in said.cases}
        places = contested_places(subject, surfaces.values(), every, both_sides=True)

        def apart(a: str, b: str, place: Place):
            keys = [(side, *surfaces[cca], *place) for cca in (a, b) for side in ("there", "here")]

            def statistic(means) -> float:
                values = [means[key][jfi] for key in keys]
                return float(values[0] - values[1] - values[2] + values[3])

            return statistic

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            parts = {
                f"{variant_name(a)} and {variant_name(b)} at {1000 * place[0]:g} ms and "
                f"{100 * place[1]:g} %": Part(apart(a, b, place))
                for a, b in combinations(said.cases, 2)
                for place in kept
            }
            return {"": case_of(subject.cells, parts, kept, every, said.quantifier)}

        return with_steady(places, build)

    return measure


def not_judged(why: str) -> Measure:
    """Return the measure of a sentence on differences that no statistic can tell about."""
    return lambda subject: None if subject.against is None else {"": Case(note=why)}


# ---- windows ------------------------------------------------------------------------------------


def difference_by_window(said: Sentence) -> Measure:
    """Measure the difference from the simulation where a flow can be window-limited, or none."""

    def measure(subject: Subject) -> Measured:
        if subject.against is None or not places_of(said, subject):
            return None
        return differences(said, "jfi", each_case=True)(subject)

    return measure


def throughput_by_rtt(said: Sentence) -> Measure:
    """Measure NewReno's throughput in the simulation over that on the testbed, at every RTT.

    The geometric mean over the buffers of the cells; of NewReno against itself it is flow 1's.
    """
    flow1 = COLUMN["flow1"]

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        every = places_of(said, subject)
        surfaces = {cca: pairing("comparison", cca) for cca in said.cases}
        places = contested_places(subject, surfaces.values(), every, both_sides=True)

        def ratio(surface: tuple, mine: Sequence[Place]) -> Callable:
            def statistic(means) -> float:
                db = [
                    means["there", *surface, *place][flow1] - means["here", *surface, *place][flow1]
                    for place in mine
                ]
                return float(10 ** (np.mean(db) / 10))

            return statistic

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            at = {rtt: [place for place in kept if place[0] == rtt] for rtt, _ in kept}
            found = {}
            for cca, surface in surfaces.items():
                parts = {
                    f"{1000 * rtt:g} ms": Part(ratio(surface, mine)) for rtt, mine in at.items()
                }
                found[variant_name(cca)] = case_of(subject.cells, parts, kept, every)
            return found

        return with_steady(places, build)

    return measure


def throughput_over_time(said: Sentence) -> Measure:
    """Measure NewReno's throughput in runs over that in the same runs where they last longer.

    At every RTT, as `throughput_by_rtt`. That runs are unsteady is what the sentence is about, so
    none is marked. The plan is that of the longer runs: the others have more repeats, without a
    counterpart.
    """
    measure = throughput_by_rtt(said)

    def of(subject: Subject) -> Measured:
        part = next((part for part, shorter in SHORTER.items() if shorter == subject.name), None)
        if part not in subject.again or not said.is_about(subject.platform):
            return None
        beside = beside_shorter(subject.runs, subject.again[part], part)
        long = beside.runs.drop("unsteady")
        plan = long.select(*PLACE, "n_planned").unique(maintain_order=True)
        short = beside.against.drop("unsteady", "n_planned")
        short = short.join(plan, on=PLACE, maintain_order="left")
        return measure(replace(beside, runs=long, against=short))

    return of


def throughput_of_long_runs(said: Sentence) -> Measure:
    """Measure NewReno's throughput in long runs of the simulation over that in the testbed's."""
    measure = throughput_by_rtt(said)

    def of(subject: Subject) -> Measured:
        if subject.name != OPEN or not {LONG, LONG_OPEN} <= {*subject.again}:
            return None
        return measure(beside_simulation(subject.again[LONG_OPEN], subject.again[LONG]))

    return of


def with_a_part_changed(said: Sentence, side: str) -> Measure:
    """Measure NewReno's throughput against CUBIC with each part of it changed, at every RTT.

    Args:
        side: what it is compared with, of `cubic_parts.SIDES`.
    """
    measure = throughput_by_rtt(replace(said, cases=(CUBIC,)))

    def of(subject: Subject) -> Measured:
        found = {}
        for what in said.cases:
            if what in subject.again:
                changed = measure(beside(subject, subject.again[what], side))
                found[PARTS[what]] = (changed or {}).get(variant_name(CUBIC), Case())
        return found or None

    return of


def with_runs_of(said: Sentence, part: str, side: str) -> Measure:
    """Measure NewReno's throughput at every RTT in runs with one thing changed.

    Args:
        part: of these runs.
        side: what it is compared with, of `cubic_parts.SIDES`.
    """
    measure = throughput_by_rtt(said)

    def of(subject: Subject) -> Measured:
        changed = subject.again.get(part)
        if changed is None or not said.is_about(subject.platform):
            return None
        return measure(beside(subject, changed, side))

    return of


def with_all_the_same(said: Sentence) -> Measure:
    """Measure NewReno's throughput, variants of Linux 2.6.22 and delayed ACKs on both platforms."""
    measure = throughput_by_rtt(said)

    def of(subject: Subject) -> Measured:
        if not {OLD, DELAYED} <= {*subject.again}:
            return None
        compared = beside(subject, subject.again[OLD], "simulation")
        return measure(replace(compared, against=subject.again[DELAYED]))

    return of
