"""The paper's sentences, what each asserts in numbers, and how it is measured on each data set.

The readings of words are in paper.yml. Sentences on fairness leave out uncontested cells, in which
no run lost a packet, and sentences on differences those that are uncontested on either side: there
a flow gets what its window lets through, whoever is beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl
from evenflow.claims.cases import Claim, never
from evenflow.claims.judge import judge
from evenflow.claims.surfaces import (
    BUFFER,
    EPSILON,
    RTT,
    differences,
    each_place,
    each_rtt,
    each_variant,
    inside_less_outside,
    mean_of,
    rise_of,
    runs_of_parts,
    subjects_of,
    together,
)
from evenflow.papers import paper
from evenflow.statistics.outcomes import MOST, SOME, at_least, at_most, less, more, moves, within
from evenflow.statistics.windows import windows

from .claim_statistics import (
    both_ways,
    by_window,
    correlations,
    in_one_cell,
    not_judged,
    ratio_of_flows,
    throughput_by_rtt,
    variants_apart,
)
from .design import PLATFORMS, SIMULATION

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
ALL = ("newreno", *OTHERS)
A_SIZE = "a mean of sizes is no statistic: where nothing differs it is above zero all the same"
A_COUNT = "a count of cells on either side of a bound is no statistic"
ORDER = "every run of these data sets has NewReno as flow 1"

against_newreno = partial(each_variant, variants=OTHERS, null=True)  # NewReno is the null


def claims_of(readings: Mapping) -> list[Claim]:
    """Return the claims with what their words are read as, as paper.yml has it."""
    said = [*_agreement(readings), *_fairness(readings), *_testbed(readings)]
    return [*said, *_own(readings)]


def _cells(readings: Mapping) -> dict[str, pl.Expr]:
    """Return the cells that sentences are about, by name."""
    rtt_ms, buffer_pct = pl.col(RTT) * 1000, pl.col(BUFFER) * 100
    high_rtt = rtt_ms >= readings["high_rtt_ms"] - EPSILON
    small = rtt_ms <= readings["low_rtt_ms"] + EPSILON
    low_buffer = buffer_pct <= readings["low_buffer_pct"] + EPSILON
    about = (rtt_ms - readings["high_rtt_ms"]).abs() <= readings["about_ms"] + EPSILON
    return {
        "high": high_rtt & (buffer_pct >= readings["high_buffer_pct"] - EPSILON),
        "worst": high_rtt & (buffer_pct <= readings["worst_buffer_pct"] + EPSILON),
        "second": about & (buffer_pct >= readings["worst_buffer_pct"] - EPSILON),
        "small": small,
        "corner": small & low_buffer,
        "below_75_ms": rtt_ms < readings["better_rtt_ms"] - EPSILON,
        "low_buffer": low_buffer,
        "large_buffer": buffer_pct >= 100 - EPSILON,
    }


def _agreement(readings: Mapping) -> list[Claim]:
    margin, where = readings["margin_jfi"], _cells(readings)
    difference = partial(Claim, place="section IV-A", figure="fig-difference", digits=3)
    return [
        Claim(
            "differ",
            "'There is a significant difference between results obtained from ns2 and from the "
            "testbed'",
            "section V",
            "fig-difference",
            "D of some cell of a pairing",
            moves(margin),
            differences("jfi", ALL, quantifier=SOME),
            digits=3,
        ),
        Claim(
            "regions-differ",
            "'The results differ slightly in different regions ... depending on the protocol being "
            "tested'",
            "section V",
            "fig-difference",
            "D of one variant less that of another, in some cell",
            moves(margin),
            variants_apart(OTHERS),
            digits=3,
        ),
        Claim(
            "regions-similar",
            "'There are similar regions of inconsistency across our experiments'",
            "section V",
            "fig-difference",
            f"share of the cells in which all variants have |D| ≥ {margin:g}, or none has",
            at_least(readings["mostly"]),
            not_judged(A_COUNT),
            unit="%",
            digits=0,
            factor=0.01,
        ),
        Claim(
            "agree-high",
            "'Best consistency ... when both RTT values are higher (> ~200 ms), and RB values are "
            "higher (> ~0.6 BDP)'",
            "section V",
            "fig-difference",
            "mean |D| there less that elsewhere",
            less(margin),
            not_judged(A_SIZE),
            digits=3,
        ),
        difference(
            key="newreno-disagrees",
            sentence="'There is poor agreement between the simulation results and the testbed "
            "results for TCP NewReno'",
            statistic="D of NewReno against NewReno, in most cells",
            asserts=moves(margin),
            measure=differences("jfi", ["newreno"], quantifier=MOST),
        ),
        difference(
            key="agree-low-rtt",
            sentence="'The situation improves ... also at low RTT values (less than ~75 ms)'",
            statistic="mean |D| there less that elsewhere",
            asserts=less(margin),
            measure=not_judged(A_SIZE),
        ),
        difference(
            key="disagree-low-corner",
            sentence="'In all cases, there seems to be poor agreement at low RTT and low RB'",
            statistic="D there, in every cell of every pairing",
            asserts=moves(margin),
            measure=differences("jfi", ALL, where=where["corner"]),
        ),
    ]


def _fairness(readings: Mapping) -> list[Claim]:
    fair, margin, where = readings["fair_jfi"], readings["margin_jfi"], _cells(readings)
    index = partial(Claim, figure="fig-jfi", digits=3)
    every_cell = partial(
        each_variant, in_one_cell, contested=False, by=each_place, platform="ns2"
    )  # contested or not: a sentence on all cells
    return [
        index(
            key="poor-fairness",
            sentence="'BIC, CUBIC and Compound TCP all show poor fairness to TCP NewReno'",
            place="section IV-B",
            statistic="mean JFI",
            asserts=at_most(fair),
            measure=against_newreno(mean_of("jfi"), platform="testbed"),
        ),
        index(
            key="poor-at-low-bdp",
            sentence="'This is also true at low BDP values'",
            place="section IV-B",
            statistic=f"mean JFI over the cells of RTT ≤ {readings['low_rtt_ms']} ms",
            asserts=at_most(fair),
            measure=against_newreno(mean_of("jfi"), where=where["small"], platform="testbed"),
        ),
        index(
            key="fairer-with-both",
            sentence="'Fairness improves when both RTT increases and RB increases'",
            place="section V",
            statistic="mean JFI at RTT ≥ 200 ms and RB ≥ 60 % less that elsewhere",
            asserts=more(margin),
            measure=against_newreno(inside_less_outside("jfi", where["high"])),
        ),
        index(
            key="fairer-with-buffer",
            sentence="the same, of the buffer alone",
            place="section V",
            statistic="rise of the JFI from the smallest to the largest buffer",
            asserts=more(margin),
            measure=against_newreno(rise_of("jfi", BUFFER)),
        ),
        index(
            key="fairer-with-rtt",
            sentence="the same, of the RTT alone",
            place="section V",
            statistic="rise of the JFI from the smallest to the largest RTT",
            asserts=more(margin),
            measure=against_newreno(rise_of("jfi", RTT)),
        ),
        index(
            key="newreno-fair",
            sentence="'TCP NewReno is fair to itself in simulation and testbed'",
            place="section IV-A",
            statistic="mean JFI of NewReno against NewReno",
            asserts=at_least(fair),
            measure=each_variant(mean_of("jfi"), ["newreno"]),
        ),
        index(
            key="ns2-fair",
            sentence="'ns2 shows good fairness with TCP NewReno at all RB and RTT values for BIC "
            "and CUBIC'",
            place="section IV-A",
            statistic="JFI of every cell",
            asserts=at_least(fair),
            measure=every_cell(variants=("bic", "cubic")),
        ),
        index(
            key="ns2-fair-compound",
            sentence="'and very good agreement for Compound TCP, except at low values of RB'",
            place="section IV-A",
            statistic="JFI of every cell of more than the smallest buffer",
            asserts=at_least(fair),
            measure=every_cell(variants=("compound",), where=~where["low_buffer"]),
        ),
        index(
            key="buffer-both-ways",
            sentence="'Changes in router buffering ... can significantly affect the fairness (both "
            "increase and decrease ...) for the same RTT values'",
            place="section IV-A",
            statistic="rise of the JFI from the smallest to the largest buffer at some RTT, "
            "and its fall at another",
            asserts=more(margin),
            measure=both_ways(OTHERS, each_rtt),
        ),
    ]


def _testbed(readings: Mapping) -> list[Claim]:
    margin, where = readings["margin_jfi"], _cells(readings)
    index = partial(Claim, figure="fig-jfi", digits=3)
    on_testbed = partial(against_newreno, platform="testbed")
    return [
        Claim(
            "ahead-of-newreno",
            "'Each variant achieves higher throughput than TCP NewReno'",
            "section IV-A",
            "fig-jfi",
            "flow 2's throughput over flow 1's, the geometric mean over the cells",
            more(readings["ahead"]),
            on_testbed(ratio_of_flows),
            scale="log",
        ),
        index(
            key="falls-with-rtt",
            sentence="'The fairness decreases as the RTT increases ..., except when the RB values "
            "is large'",
            place="section IV-A",
            statistic="rise of the JFI over the RTT at buffers below 100 % of the BDP",
            asserts=less(margin),
            measure=on_testbed(rise_of("jfi", RTT), where=~where["large_buffer"]),
        ),
        index(
            key="fair-at-large-buffer",
            sentence="'... (when good fairness is observed)'",
            place="section IV-A",
            statistic="mean JFI at buffers of 100 % of the BDP",
            asserts=at_least(readings["fair_jfi"]),
            measure=each_variant(
                mean_of("jfi"), OTHERS, where=where["large_buffer"], platform="testbed"
            ),
        ),
        index(
            key="worst-corner",
            sentence="Fairness 'seems worst at high RTTs and low RB'",
            place="section IV-B",
            statistic="mean JFI at RTT ≥ 200 ms and RB ≤ 40 % less that elsewhere",
            asserts=less(margin),
            measure=on_testbed(inside_less_outside("jfi", where["worst"])),
        ),
        index(
            key="second-worst",
            sentence="'as well as in the regions where RTT ~ 200 ms with RB above ~0.4 BDP'",
            place="section IV-B",
            statistic="mean JFI there less that elsewhere",
            asserts=less(margin),
            measure=on_testbed(inside_less_outside("jfi", where["second"])),
        ),
        index(
            key="alike",
            sentence="'BIC, CUBIC and Compound TCP all show very similar behaviour towards TCP "
            "NewReno'",
            place="section IV-B",
            statistic="Pearson's r between the JFI of two variants over the cells, of each two",
            asserts=at_least(readings["alike_r"]),
            measure=together(correlations(OTHERS), OTHERS, platform="testbed", points=True),
            scale="z",
        ),
        Claim(
            "order",
            "'Using the alternative TCP variant as Flow 1' may 'yield different results'",
            "section IV-C",
            "",
            "share of a variant as flow 1 less that as flow 2",
            more(readings["margin_jfi"]),
            never(f"{ORDER}; on-path-buffering has runs in both orders"),
        ),
    ]


def _own(readings: Mapping) -> list[Claim]:
    """Return findings of our own: the text states them, no sentence of the original does."""
    margin, equal = readings["margin_jfi"], readings["equal"]
    own = partial(Claim, place="", figure="fig-free-windows", digits=3)
    return [
        own(
            key="free-agree",
            sentence="Where no window can bind, ns-2 and the testbed agree in most cells",
            statistic="D of most cells in which no window can bind",
            asserts=within(-margin, margin),
            measure=by_window(ALL, free=True),
        ),
        own(
            key="free-throughput",
            sentence="Where no window can bind, NewReno gets in ns-2 what it gets on the testbed",
            statistic="NewReno's throughput in ns-2 over that on the testbed, geometric mean over "
            "the buffers, at every RTT",
            asserts=within(1 / equal, equal),
            measure=throughput_by_rtt(ALL),
            scale="log",
        ),
        own(
            key="bound-differ",
            sentence="Where a window can bind, they differ in most cells",
            statistic="D of most other cells with losses",
            asserts=moves(margin),
            measure=by_window(ALL, free=False),
        ),
    ]


@paper.metric
def surface_run(run, run_metric, flow_metric) -> pl.DataFrame:
    return runs_of_parts(run, run_metric, flow_metric)


@paper.metric
def claim(
    surface_run, run, open_run, open_run_metric, open_flow_metric, weight_from,
    grids, planned, readings, confidence, fdr, paper_name,
) -> pl.DataFrame:  # fmt: skip
    free = {"open": open_run}, {"open": open_run_metric}, {"open": open_flow_metric}
    runs = pl.concat([surface_run, runs_of_parts(*free)])
    subjects = subjects_of(
        windows(runs, run | free[0]),
        PLATFORMS,
        grids[-1],
        weight_from=weight_from,
        planned=planned,
        simulation=SIMULATION,
    )
    found = claims_of(readings)
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
