"""How the claims of claims.yml are measured on each data set: statistics of a surface's cells.

The readings of words are in paper.yml. Uncontested cells, in which no run lost a packet, are left
out throughout: there a flow gets what its window lets through, whatever competes with it.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from evenflow.claims.cases import Case
from evenflow.claims.judge import judge
from evenflow.claims.sentences import Sentence, claims_of
from evenflow.congestion_controls import variant_name
from evenflow.papers import paper

from .._grid.grid_runs import grid_of
from .._grid.surfaces import (
    BUFFER,
    RTT,
    Measure,
    Subject,
    each_pair,
    each_place,
    each_rtt,
    each_variant,
    mean_of,
    planned_runs,
    rise_of,
    runs_of_parts,
    subjects_of,
    together,
    with_plans,
)
from .._grid.tcp_windows import windows
from .claim_statistics import (
    as_factor,
    cases,
    correlation_of_two,
    factor_of_two,
    flatness,
    from_least_to_most,
    growth,
    larger,
    moved_by_order,
    of_each_two,
    over_flow_1,
    ratio_of_flows,
    rise_with_both,
    to_either_side,
)
from .design import PLATFORMS
from .managed import runs_by_queue

NRU1, NRU2, SYSTEM = "nru1", "nru2", "system"
AN_END = "the end of a range over cells has no interval; cell by cell it would be another sentence"
A_SIZE = "a mean of absolute values cannot be tested: it is above zero even without an effect"
ALONE = "calibration"  # the role of runs of a variant against itself

# ---- a variant against NewReno: NRU, in dB ------------------------------------------------------


@paper.claim
def mean_nru2(said: Sentence) -> Measure:
    return each_variant(said, mean_of(NRU2))


@paper.claim
def newreno_pays(said: Sentence) -> Measure:
    return each_variant(said, mean_of(NRU1))


@paper.claim
def unfair_system(said: Sentence) -> Measure:
    return each_variant(said, mean_of(SYSTEM))


@paper.claim
def rise_with_rtt(said: Sentence) -> Measure:
    return each_variant(said, rise_of(SYSTEM, RTT))


@paper.claim
def fairer_with_buffer(said: Sentence) -> Measure:
    return each_variant(said, rise_of(SYSTEM, BUFFER))


@paper.claim
def depends_on_both(said: Sentence) -> Measure:
    return each_variant(said, {"RTT": rise_of(SYSTEM, RTT), "OPB": rise_of(SYSTEM, BUFFER)})


@paper.claim
def fairer_with_bdp(said: Sentence) -> Measure:
    return each_variant(said, rise_with_both(SYSTEM))


@paper.claim
def inconsistent(said: Sentence) -> Measure:
    return to_either_side(said, NRU2)


@paper.claim
def low_rtt_all_buffers(said: Sentence) -> Measure:
    return each_variant(said, lambda cells: float(cells[NRU2][0]), by=each_place)


@paper.claim
def newreno_fair_cells(said: Sentence) -> Measure:
    return each_variant(said, lambda cells: float(cells[SYSTEM][0]), by=each_place)


@paper.claim
def newreno_flat(said: Sentence) -> Measure:
    return each_variant(said, lambda cells: float(cells[NRU2].std(ddof=1)))


@paper.claim
def flat_nru(said: Sentence) -> Measure:
    return flatness(said)


@paper.claim
def nru_alike(said: Sentence) -> Measure:
    def apart(one, two):
        return float((one[NRU2] - two[NRU2]).mean())

    return together(said, of_each_two(said.cases, apart))


@paper.claim
def fairer_flow_with_rtt(said: Sentence) -> Measure:
    return lambda subject: {variant_name(cca): Case(note=A_SIZE) for cca in said.cases}


@paper.claim
def order(said: Sentence) -> Measure:
    return moved_by_order(said)


# ---- a variant against itself: throughput -------------------------------------------------------


@paper.claim
def self_range(said: Sentence) -> Measure:
    return each_variant(said, larger, role=ALONE, by=each_pair)


@paper.claim
def self_high_rtt(said: Sentence) -> Measure:
    return each_variant(said, growth(RTT), role=ALONE)


@paper.claim
def growth_with_buffer(said: Sentence) -> Measure:
    return each_variant(said, growth(BUFFER), role=ALONE)


@paper.claim
def self_alike(said: Sentence) -> Measure:
    of_two = of_each_two(said.cases, factor_of_two)
    return cases(together(said, of_two, role=ALONE, case="mean"), min=AN_END, max=AN_END)


@paper.claim
def self_shape(said: Sentence) -> Measure:
    return together(said, of_each_two(said.cases, correlation_of_two), role=ALONE, points=True)


@paper.claim
def regular_troughs(said: Sentence) -> Measure:
    factor = as_factor(from_least_to_most("flow2"))
    return each_variant(said, factor, role=ALONE, by=each_rtt)


@paper.claim
def flow_1_first(said: Sentence) -> Measure:
    return each_variant(said, ratio_of_flows, role=ALONE)


@paper.claim
def flow_1_low_buffer(said: Sentence) -> Measure:
    return each_variant(said, growth(BUFFER, over_flow_1), role=ALONE)


@paper.claim
def half_the_time(said: Sentence) -> Measure:
    return each_variant(said, mean_of("first"), role=ALONE)


# ---- four queue disciplines: pairs of NewReno, CUBIC and BBR ------------------------------------


@paper.claim
def managed_buffer(said: Sentence) -> Measure:
    return each_variant(said, from_least_to_most("share2"), by=each_rtt)


@paper.claim
def managed_equal(said: Sentence) -> Measure:
    return each_variant(said, mean_of("share2"), by=each_place)


@paper.claim
def managed_use(said: Sentence) -> Measure:
    return each_variant(said, as_factor(from_least_to_most("both")), by=each_rtt)


@paper.claim
def managed_pays(said: Sentence) -> Measure:
    return each_variant(said, mean_of(NRU1))


@paper.metric
def surface_run(
    run, run_metric, flow_metric, open_run, open_run_metric, open_flow_metric
) -> pl.DataFrame:
    parts = {"open": open_run}, {"open": open_run_metric}, {"open": open_flow_metric}
    tables = zip((run, run_metric, flow_metric), parts, strict=True)
    return runs_of_parts(*(of | more for of, more in tables))


@paper.metric(runs=True)
def claim(
    surface_run, run, open_run, swapped_run, swapped_run_metric, swapped_flow_metric,
    open_swapped_run, open_swapped_run_metric, open_swapped_flow_metric,
    managed_run, managed_run_metric, managed_flow_metric,
    weight_from, grids, managed_grid, planned, claims, readings, confidence, fdr, paper_name,
) -> pl.DataFrame:  # fmt: skip
    every_run = run | {"open": open_run}
    placed = with_plans(windows(surface_run, every_run), every_run, planned)
    subjects = subjects_of(placed, PLATFORMS, grids[-1], weight_from=weight_from)
    swapped = {
        "testbed": ("swapped", swapped_run, swapped_run_metric, swapped_flow_metric),
        "open": (
            "open_swapped", open_swapped_run, open_swapped_run_metric, open_swapped_flow_metric,
        ),
    }  # fmt: skip
    for subject, (part, *tables) in swapped.items():
        against = planned_runs(part, *tables, planned)
        subjects[subject] = replace(subjects[subject], against=against)
    managed = runs_by_queue(managed_run, managed_run_metric, managed_flow_metric, planned)
    cells = grid_of(managed_grid)
    subjects |= {
        aqm: Subject(aqm, "testbed", runs, cells, weight_from=weight_from)
        for aqm, runs in managed.items()
    }
    found = claims_of(claims, readings, globals())
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
