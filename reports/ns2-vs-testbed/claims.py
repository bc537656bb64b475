"""How the claims of claims.yml are measured on each data set: statistics of a surface's cells.

The readings of words are in paper.yml. Sentences on fairness leave out uncontested cells, in which
no run lost a packet, and sentences on differences those that are uncontested on either side: there
a flow gets what its window lets through, whatever competes with it.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from evenflow.claims.judge import judge
from evenflow.claims.sentences import Sentence, claims_of
from evenflow.papers import paper

from .._grid.surfaces import (
    BUFFER,
    RTT,
    Measure,
    differences,
    each_place,
    each_variant,
    inside_less_outside,
    mean_of,
    rise_of,
    runs_of_parts,
    subjects_of,
    together,
    with_plans,
)
from .._grid.tcp_windows import windows
from .claim_statistics import (
    both_ways,
    correlations,
    difference_by_window,
    in_one_cell,
    not_judged,
    ratio_of_flows,
    throughput_by_rtt,
    throughput_of_long_runs,
    throughput_over_time,
    variants_apart,
    with_a_part_changed,
    with_all_the_same,
    with_runs_of,
)
from .cubic_parts import CUBIC, changed_runs
from .design import LONG, LONG_OPEN, OPEN, PLATFORMS, SIMULATION
from .old_code import DELAYED, OLD, old_runs

JFI = "jfi"
A_SIZE = "a mean of absolute values cannot be tested: it is above zero even where nothing differs"
A_COUNT = "a count of cells on either side of a bound has no interval"

# ---- of two platforms ---------------------------------------------------------------------------


@paper.claim
def difference(said: Sentence) -> Measure:
    return differences(said, JFI)


@paper.claim
def regions_differ(said: Sentence) -> Measure:
    return variants_apart(said)


@paper.claim
def by_window(said: Sentence) -> Measure:
    return difference_by_window(said)


@paper.claim
def free_throughput(said: Sentence) -> Measure:
    return throughput_by_rtt(said)


@paper.claim
def half_hour(said: Sentence) -> Measure:
    return throughput_over_time(said)


@paper.claim
def half_hour_agrees(said: Sentence) -> Measure:
    return throughput_of_long_runs(said)


@paper.claim
def cubic_parts_agree(said: Sentence) -> Measure:
    return with_a_part_changed(said, "simulation")


@paper.claim
def cubic_parts_matter(said: Sentence) -> Measure:
    return with_a_part_changed(said, "shipped")


@paper.claim
def old_code_agrees(said: Sentence) -> Measure:
    return with_runs_of(said, OLD, "simulation")


@paper.claim
def old_code_is_the_same(said: Sentence) -> Measure:
    return with_runs_of(said, OLD, "shipped")


@paper.claim
def delayed_acks_agree(said: Sentence) -> Measure:
    return with_all_the_same(said)


@paper.claim
def delayed_acks_matter(said: Sentence) -> Measure:
    return with_runs_of(said, DELAYED, "shipped")


@paper.claim
def a_mean_of_sizes(said: Sentence) -> Measure:
    return not_judged(A_SIZE)


@paper.claim
def a_count(said: Sentence) -> Measure:
    return not_judged(A_COUNT)


# ---- of one platform ----------------------------------------------------------------------------


@paper.claim
def mean_jfi(said: Sentence) -> Measure:
    return each_variant(said, mean_of(JFI))


@paper.claim
def every_cell(said: Sentence) -> Measure:
    """Measure Jain's index of every cell, contested or not: a sentence on all cells."""
    return each_variant(said, in_one_cell, contested=False, by=each_place)


@paper.claim
def inside_jfi(said: Sentence) -> Measure:
    return inside_less_outside(said, JFI)


@paper.claim
def rise_with_rtt(said: Sentence) -> Measure:
    return each_variant(said, rise_of(JFI, RTT))


@paper.claim
def fairer_with_buffer(said: Sentence) -> Measure:
    return each_variant(said, rise_of(JFI, BUFFER))


@paper.claim
def buffer_both_ways(said: Sentence) -> Measure:
    return both_ways(said)


@paper.claim
def ahead_of_newreno(said: Sentence) -> Measure:
    return each_variant(said, ratio_of_flows)


@paper.claim
def alike(said: Sentence) -> Measure:
    return together(said, correlations(said.cases), points=True)


@paper.metric
def surface_run(run, run_metric, flow_metric) -> pl.DataFrame:
    return runs_of_parts(run, run_metric, flow_metric)


@paper.metric
def claim_run(
    surface_run,
    run,
    open_run,
    open_run_metric,
    open_flow_metric,
    long_run,
    long_run_metric,
    long_flow_metric,
    long_open_run,
    long_open_run_metric,
    long_open_flow_metric,
    cubic_run,
    cubic_run_metric,
    cubic_flow_metric,
    old_run,
    old_run_metric,
    old_flow_metric,
    delayed_run,
    delayed_run_metric,
    delayed_flow_metric,
    planned,
) -> pl.DataFrame:
    """Return the runs that claims are judged on, with windows and plans."""
    further = {
        OPEN: (open_run, open_run_metric, open_flow_metric),
        LONG: (long_run, long_run_metric, long_flow_metric),
        LONG_OPEN: (long_open_run, long_open_run_metric, long_open_flow_metric),
        CUBIC: (cubic_run, cubic_run_metric, cubic_flow_metric),
        OLD: (old_run, old_run_metric, old_flow_metric),
        DELAYED: (delayed_run, delayed_run_metric, delayed_flow_metric),
    }
    runs_of, metrics, of_flows = (
        {part: tables[i] for part, tables in further.items()} for i in range(3)
    )
    runs = pl.concat([surface_run, runs_of_parts(runs_of, metrics, of_flows)])
    return with_plans(windows(runs, run | runs_of), run | runs_of, planned)


@paper.metric(runs=True)
def claim(
    claim_run, cubic_run, weight_from, grids, claims, readings, confidence, fdr, paper_name
) -> pl.DataFrame:
    subjects = subjects_of(
        claim_run,
        PLATFORMS,
        grids[-1],
        weight_from=weight_from,
        simulation=SIMULATION,
    )
    of = {part: claim_run.filter(part=part) for part in (LONG, LONG_OPEN, DELAYED)}
    again = {SIMULATION: {part: of[part] for part in (LONG, DELAYED)}}
    again[OPEN] = changed_runs(claim_run, cubic_run) | {OLD: old_runs(claim_run)} | of
    for part, changed in again.items():
        subjects[part] = replace(subjects[part], again=changed)
    found = claims_of(claims, readings, globals())
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
