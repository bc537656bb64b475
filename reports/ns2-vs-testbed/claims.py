"""The paper's sentences, what each asserts in numbers, and how it is measured on each data set.

The readings of words are in paper.yml. Sentences on fairness leave out uncontested cells, in which
no run lost a packet, and sentences on differences those that are uncontested on either side: there
a flow gets what its window lets through, whoever is beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl
from evenflow.papers import paper
from evenflow.papers.claims import Claim, Region, judge, never
from evenflow.papers.surface_claims import (
    EPSILON,
    differences,
    each_variant,
    inside_less_outside,
    mean_of,
    rise_of,
    runs_of_parts,
    subjects_of,
    together,
)
from evenflow.statistics.replicates import BUFFER, RTT
from evenflow.statistics.windows import windows

from .claim_statistics import (
    FLOW1,
    FLOW2,
    both_ways,
    by_window,
    in_every_cell,
    least_correlation,
    least_of_variants,
    mean_size,
    ratio_of_flows,
    regions_alike,
    removed_by_windows,
    size_inside_less_outside,
    variants_apart,
)
from .design import PLATFORMS, SIMULATION

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
ALL = ("newreno", *OTHERS)
ORDER = "every run of these data sets has NewReno as flow 1"

against_newreno = partial(each_variant, variants=OTHERS, null=True)  # NewReno is the null


def claims_of(readings: Mapping, bound: pl.DataFrame) -> list[Claim]:
    """Return the claims with what their words are read as, as paper.yml has it.

    Args:
        bound: runs of the testbed whose windows may bind, result of `windows`.
    """
    said = [*_agreement(readings), *_fairness(readings), *_testbed(readings)]
    return [*said, *_own(readings, bound)]


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
            "mean |D| over the cells of all pairings",
            Region(low=margin),
            differences(mean_size, ALL),
            digits=3,
        ),
        Claim(
            "regions-differ",
            "'The results differ slightly in different regions ... depending on the protocol being "
            "tested'",
            "section V",
            "fig-difference",
            "how far |D| of the variants is apart in a cell, mean over the cells",
            Region(low=margin),
            differences(variants_apart, OTHERS),
            digits=3,
        ),
        Claim(
            "regions-similar",
            "'There are similar regions of inconsistency across our experiments'",
            "section V",
            "fig-difference",
            f"share of the cells in which all variants have |D| ≥ {margin:g}, or none has",
            Region(low=readings["mostly"]),
            regions_alike(OTHERS, margin),
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
            Region(high=-margin),
            differences(size_inside_less_outside(where["high"]), ALL),
            digits=3,
        ),
        difference(
            key="newreno-disagrees",
            sentence="'There is poor agreement between the simulation results and the testbed "
            "results for TCP NewReno'",
            statistic="mean |D| of NewReno against NewReno",
            region=Region(low=margin),
            measure=differences(mean_size, ["newreno"]),
        ),
        difference(
            key="agree-low-rtt",
            sentence="'The situation improves ... also at low RTT values (less than ~75 ms)'",
            statistic="mean |D| there less that elsewhere",
            region=Region(high=-margin),
            measure=differences(size_inside_less_outside(where["below_75_ms"]), ALL),
        ),
        difference(
            key="disagree-low-corner",
            sentence="'In all cases, there seems to be poor agreement at low RTT and low RB'",
            statistic="mean |D| there, the smallest of all pairings",
            region=Region(low=margin),
            measure=differences(
                lambda d: (
                    least_of_variants(d.filter(where["corner"]))
                    if len(d.filter(where["corner"]))
                    else None
                ),
                ALL,
            ),
        ),
    ]


def _fairness(readings: Mapping) -> list[Claim]:
    fair, margin, where = readings["fair_jfi"], readings["margin_jfi"], _cells(readings)
    index = partial(Claim, figure="fig-jfi", digits=3)
    return [
        index(
            key="poor-fairness",
            sentence="'BIC, CUBIC and Compound TCP all show poor fairness to TCP NewReno'",
            place="section IV-B",
            statistic="mean JFI",
            region=Region(high=fair),
            measure=against_newreno(mean_of("jfi"), "jfi", platform="testbed"),
        ),
        index(
            key="poor-at-low-bdp",
            sentence="'This is also true at low BDP values'",
            place="section IV-B",
            statistic=f"mean JFI over the cells of RTT ≤ {readings['low_rtt_ms']} ms",
            region=Region(high=fair),
            measure=against_newreno(
                mean_of("jfi"), "jfi", where=where["small"], platform="testbed"
            ),
        ),
        index(
            key="fairer-with-both",
            sentence="'Fairness improves when both RTT increases and RB increases'",
            place="section V",
            statistic="mean JFI at RTT ≥ 200 ms and RB ≥ 60 % less that elsewhere",
            region=Region(low=margin),
            measure=against_newreno(inside_less_outside(pl.col("jfi"), where["high"]), "jfi"),
        ),
        index(
            key="fairer-with-buffer",
            sentence="the same, of the buffer alone",
            place="section V",
            statistic="rise of the JFI from the smallest to the largest buffer",
            region=Region(low=margin),
            measure=against_newreno(rise_of("jfi", BUFFER), "jfi"),
        ),
        index(
            key="fairer-with-rtt",
            sentence="the same, of the RTT alone",
            place="section V",
            statistic="rise of the JFI from the smallest to the largest RTT",
            region=Region(low=margin),
            measure=against_newreno(rise_of("jfi", RTT), "jfi"),
        ),
        index(
            key="newreno-fair",
            sentence="'TCP NewReno is fair to itself in simulation and testbed'",
            place="section IV-A",
            statistic="mean JFI of NewReno against NewReno",
            region=Region(low=fair),
            measure=each_variant(mean_of("jfi"), "jfi", ["newreno"]),
        ),
        index(
            key="ns2-fair",
            sentence="'ns2 shows good fairness with TCP NewReno at all RB and RTT values for BIC "
            "and CUBIC'",
            place="section IV-A",
            statistic="the smallest JFI of any cell",
            region=Region(low=fair),
            measure=in_every_cell("jfi", ("bic", "cubic"), platform="ns2"),
        ),
        index(
            key="ns2-fair-compound",
            sentence="'and very good agreement for Compound TCP, except at low values of RB'",
            place="section IV-A",
            statistic="the smallest JFI of any cell of more than the smallest buffer",
            region=Region(low=fair),
            measure=in_every_cell("jfi", ("compound",), where=~where["low_buffer"], platform="ns2"),
        ),
        index(
            key="buffer-both-ways",
            sentence="'Changes in router buffering ... can significantly affect the fairness (both "
            "increase and decrease ...) for the same RTT values'",
            place="section IV-A",
            statistic="from the smallest to the largest buffer: the largest rise and the largest "
            "fall of the JFI at an RTT, the smaller of the two",
            region=Region(low=margin),
            measure=against_newreno(both_ways, "jfi"),
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
            Region(low=readings["ahead"]),
            on_testbed(ratio_of_flows, [FLOW1, FLOW2]),
            scale="log",
        ),
        index(
            key="falls-with-rtt",
            sentence="'The fairness decreases as the RTT increases ..., except when the RB values "
            "is large'",
            place="section IV-A",
            statistic="rise of the JFI over the RTT at buffers below 100 % of the BDP",
            region=Region(high=-margin),
            measure=on_testbed(rise_of("jfi", RTT), "jfi", where=~where["large_buffer"]),
        ),
        index(
            key="fair-at-large-buffer",
            sentence="'... (when good fairness is observed)'",
            place="section IV-A",
            statistic="mean JFI at buffers of 100 % of the BDP",
            region=Region(low=readings["fair_jfi"]),
            measure=each_variant(
                mean_of("jfi"), "jfi", OTHERS, where=where["large_buffer"], platform="testbed"
            ),
        ),
        index(
            key="worst-corner",
            sentence="Fairness 'seems worst at high RTTs and low RB'",
            place="section IV-B",
            statistic="mean JFI at RTT ≥ 200 ms and RB ≤ 40 % less that elsewhere",
            region=Region(high=-margin),
            measure=on_testbed(inside_less_outside(pl.col("jfi"), where["worst"]), "jfi"),
        ),
        index(
            key="second-worst",
            sentence="'as well as in the regions where RTT ~ 200 ms with RB above ~0.4 BDP'",
            place="section IV-B",
            statistic="mean JFI there less that elsewhere",
            region=Region(high=-margin),
            measure=on_testbed(inside_less_outside(pl.col("jfi"), where["second"]), "jfi"),
        ),
        index(
            key="alike",
            sentence="'BIC, CUBIC and Compound TCP all show very similar behaviour towards TCP "
            "NewReno'",
            place="section IV-B",
            statistic="the smallest of Pearson's r between the variants' JFI over the cells",
            region=Region(low=readings["alike_r"]),
            measure=together(least_correlation, "jfi", OTHERS, platform="testbed"),
        ),
        Claim(
            "order",
            "'Using the alternative TCP variant as Flow 1' may 'yield different results'",
            "section IV-C",
            "",
            "share of a variant as flow 1 less that as flow 2",
            Region(low=readings["margin_jfi"]),
            never(f"{ORDER}; on-path-buffering has runs in both orders"),
        ),
    ]


def _own(readings: Mapping, bound: pl.DataFrame) -> list[Claim]:
    """Return findings of our own: the text states them, no sentence of the original does."""
    margin = readings["margin_jfi"]
    own = partial(Claim, place="", figure="fig-free-windows", digits=3)
    return [
        own(
            key="free-agree",
            sentence="Where no window can bind, ns-2 and the testbed agree",
            statistic="mean |D| over the cells in which no window can bind",
            region=Region(high=margin),
            measure=by_window(ALL, free=True),
        ),
        own(
            key="bound-differ",
            sentence="Where a window can bind, they differ",
            statistic="mean |D| over the other cells with losses",
            region=Region(low=margin),
            measure=by_window(ALL, free=False),
        ),
        own(
            key="window-gap",
            sentence="A window that never binds brings the testbed nearer to ns-2",
            statistic="mean |D| with the socket buffers of the time less that with free windows, "
            "over all cells",
            region=Region(low=margin),
            measure=removed_by_windows(("bic", "cubic"), bound),
        ),
    ]


@paper.metric
def surface_run(run, run_metric, flow_metric, weight_from) -> pl.DataFrame:
    return runs_of_parts(run, run_metric, flow_metric, weight_from)


@paper.metric
def claim(
    surface_run, run, open_run, open_run_metric, open_flow_metric, weight_from,
    grids, readings, confidence, fdr, paper_name,
) -> pl.DataFrame:  # fmt: skip
    free = {"open": open_run}, {"open": open_run_metric}, {"open": open_flow_metric}
    runs = pl.concat([surface_run, runs_of_parts(*free, weight_from)])
    subjects = subjects_of(windows(runs, run | free[0]), PLATFORMS, grids, SIMULATION)
    found = claims_of(readings, subjects["testbed"].runs)
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
