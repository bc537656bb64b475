"""The paper's sentences, what each asserts in numbers, and how it is measured on each data set.

The readings of words are in paper.yml. Uncontested cells, in which no run lost a packet, are left
out throughout: there a flow gets what its window lets through, whoever is beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import polars as pl
from evenflow.claims.cases import Case, Claim, Measured, never
from evenflow.claims.judge import judge
from evenflow.claims.surfaces import (
    BUFFER,
    EPSILON,
    RTT,
    Subject,
    each_pair,
    each_place,
    each_rtt,
    each_variant,
    mean_of,
    rise_of,
    runs_of_parts,
    subjects_of,
    together,
)
from evenflow.congestion_controls import variant_name
from evenflow.papers import paper
from evenflow.statistics.grid_runs import grid_runs
from evenflow.statistics.outcomes import (
    NEARLY_ALL,
    SOME,
    at_least,
    at_most,
    less,
    more,
    moves,
    within,
)
from evenflow.statistics.windows import is_free, windows

from .claim_statistics import (
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

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
ALL = ("newreno", *OTHERS)
NRU1, NRU2, SYSTEM = "nru1", "nru2", "system"
TWO_FLOWS = "all runs have two flows: it would need runs that differ in their number"
NO_QUEUE = "the runs count the largest queue and the drops, not whose packets wait"
AN_END = "an end of a range over cells is no statistic; cell by cell it would be another sentence"
A_SIZE = "a mean of sizes is no statistic: where nothing is it is above zero all the same"

against_newreno = partial(each_variant, variants=OTHERS, null=True)  # NewReno is the null
against_itself = partial(each_variant, role="calibration")
in_db = partial(Claim, scale="dB", unit="dB", digits=2)
as_factor = partial(Claim, scale="log", digits=2)
as_share = partial(Claim, unit="%", digits=0, factor=0.01)


def claims_of(readings: Mapping, order_grid: Mapping) -> list[Claim]:
    """Return the claims with what their words are read as.

    Args:
        readings, order_grid: as paper.yml has them.
    """
    return [
        *_abstract_and_conclusion(readings),
        *_self_fairness(readings),
        *_against_newreno(readings),
        *_limitations(readings, order_grid),
        *_own(readings),
    ]


def _abstract_and_conclusion(readings: Mapping) -> list[Claim]:
    margin = readings["margin_db"]
    at_most_50_ms = pl.col(RTT) <= readings["low_rtt_ms"] / 1000 + EPSILON
    return [
        in_db(
            "depends-on-both",
            "'Overall performance depends on both the RTT and the OPB provision'",
            "abstract",
            "fig-system-nru",
            "change of the system-NRU from the least to the largest RTT, and OPB",
            moves(margin),
            against_newreno({"RTT": rise_of(SYSTEM, RTT), "OPB": rise_of(SYSTEM, BUFFER)}),
        ),
        in_db(
            "inconsistent",
            "'The observed behaviour is not consistent across the range of RTT and OPB values'",
            "abstract",
            "fig-flow-nru",
            "flow-NRU of flow 2 in some cell, and with its sign turned in another",
            more(margin),
            to_either_side(NRU2, partial(against_newreno, by=each_place, quantifier=SOME)),
        ),
        in_db(
            "more-than-alike",
            "The variants 'consume more of the capacity than they would against another flow of "
            "the same variant'",
            "section 5",
            "fig-flow-nru",
            "mean flow-NRU of flow 2",
            more(margin),
            against_newreno(mean_of(NRU2)),
        ),
        in_db(
            "newreno-pays",
            "... 'at the cost of the TCP NewReno flow', which gets less than 'against another TCP "
            "NewReno flow'",
            "section 5",
            "fig-flow-nru-1",
            "mean flow-NRU of flow 1",
            less(margin),
            against_newreno(mean_of(NRU1)),
        ),
        in_db(
            "low-rtt-less",
            "'At low values of RTT (at 50ms and below) ... the TCP variant flow gets less than "
            "its fair share'",
            "section 5",
            "fig-flow-nru",
            "mean flow-NRU of flow 2 over the cells of RTT ≤ 50 ms",
            less(margin),
            against_newreno(mean_of(NRU2), where=at_most_50_ms),
        ),
        in_db(
            "fairer-with-buffer",
            "'Fairness improves as OPB values increase'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the least to the largest OPB",
            more(margin),
            against_newreno(rise_of(SYSTEM, BUFFER)),
        ),
        in_db(
            "fairer-with-rtt",
            "'... and RTT values increase'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the least to the largest RTT",
            more(margin),
            against_newreno(rise_of(SYSTEM, RTT)),
        ),
        in_db(
            "fairer-with-bdp",
            "'... i.e., at higher BDPs'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the smallest to the largest buffer in bytes, which grows "
            "with RTT and OPB",
            more(margin),
            against_newreno(rise_with_both(SYSTEM)),
        ),
        Claim(
            "many-flows",
            "Where 'there are a lower number of flows, large amounts of buffering is beneficial'",
            "section 5, citing others",
            "fig-system-nru",
            "how the effect of the buffer changes with the number of flows",
            more(margin),
            never(TWO_FLOWS),
        ),
    ]


def _self_fairness(readings: Mapping) -> list[Claim]:
    margin = 10 ** (readings["margin_db"] / 10)
    below_150_ms = pl.col(RTT) < readings["middle_rtt_ms"] / 1000 - EPSILON
    three = partial(together, variants=OTHERS, role="calibration")
    return [
        as_factor(
            "self-range",
            "'The end-to-end throughput of NewReno is highly variable'",
            "section 4.1",
            "fig-throughput",
            "throughput of flow 2 in one cell over that in another, of some two",
            moves(readings["highly_variable"]),
            against_itself(larger, variants=["newreno"], by=each_pair, quantifier=SOME),
        ),
        as_factor(
            "self-high-rtt",
            "For NewReno, 'as the RTT on the path increases, the throughput of Flow 2 decreases'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput from the least to the largest RTT",
            less(margin),
            against_itself(growth(RTT), ["newreno"]),
        ),
        as_factor(
            "self-buffer-low-rtt",
            "'Increased OPB improves end-to-end throughput at lower RTTs (below 150ms)'",
            "section 4.1",
            "fig-throughput",
            "factor of NewReno's flow 2 from the least to the largest OPB, RTT < 150 ms",
            more(margin),
            against_itself(growth(BUFFER), ["newreno"], where=below_150_ms),
        ),
        as_factor(
            "self-buffer-high-rtt",
            "'... but not at higher RTTs'",
            "section 4.1",
            "fig-throughput",
            "the same factor, RTT ≥ 150 ms",
            at_most(margin),
            against_itself(growth(BUFFER), ["newreno"], where=~below_150_ms),
        ),
        as_factor(
            "self-alike",
            "BIC, CUBIC and Compound 'have very similar minimum, mean and maximum throughputs'",
            "section 4.1",
            "fig-throughput",
            "throughput of flow 2 of one over that of another, mean over their cells, of each two",
            within(1 / readings["similar"], readings["similar"]),
            cases(three(of_each_two(OTHERS, factor_of_two), case="mean"), min=AN_END, max=AN_END),
        ),
        Claim(
            "self-shape",
            "Their plots 'are very similar in shape, including peaks and troughs'",
            "section 4.1",
            "fig-throughput",
            "correlation of two of the three surfaces, of each two",
            at_least(readings["same_shape"]),
            three(of_each_two(OTHERS, correlation_of_two), points=True),
            scale="z",
        ),
        as_factor(
            "self-low-buffer",
            "'In all cases, we see lower throughput for Flow 2 at the lower OPB values, and that "
            "throughput improves as OPB increases'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput from the least to the largest OPB",
            more(margin),
            against_itself(growth(BUFFER), ALL),
        ),
        as_factor(
            "regular-troughs",
            "'... hence the troughs at the lower OPB values', and 'the regular peaks and troughs'",
            "section 4.1, of Figures 3(b) to (d)",
            "fig-throughput",
            "flow 2's throughput at the largest OPB over that at the least, at every RTT",
            more(margin),
            against_itself(from_least_to_most, OTHERS, by=each_rtt),
        ),
        as_factor(
            "flow-1-first",
            "'Flow 2 does not always get a chance to occupy an equal proportion of the buffer "
            "space as Flow 1, so achieves lower throughput'",
            "section 4.1",
            "fig-throughput",
            "throughput of flow 2 over that of flow 1, geometric mean over the cells",
            less(margin),
            against_itself(ratio_of_flows, ALL),
        ),
        as_factor(
            "flow-1-low-buffer",
            "'This behaviour is accentuated at the low OPB values'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput over flow 1's, from the least to the largest OPB",
            more(margin),
            against_itself(growth(BUFFER, over_flow_1), ALL),
        ),
        Claim(
            "flow-1-queue",
            "'Flow 1 ‘grabs’ most of the available buffer space'",
            "section 4.1",
            "fig-throughput",
            "flow 1's share of the packets that wait at the bottleneck",
            at_least(0.5),
            never(NO_QUEUE),
        ),
        as_share(
            "half-the-time",
            "Flow 1 'manages to occupy more buffer space approximately half of the time, across "
            "our range of experiments'",
            "section 4.1",
            "fig-throughput",
            "share of the runs in which flow 1 has more throughput than flow 2, mean over cells",
            within(*readings["about_half"]),
            against_itself(mean_of("first"), OTHERS),
        ),
    ]


def _against_newreno(readings: Mapping) -> list[Claim]:
    margin = readings["margin_db"]
    near = within(-margin, margin)
    low = pl.col(RTT) < readings["low_rtt_ms"] / 1000 - EPSILON
    return [
        as_factor(
            "flat-nru",
            "'Even though the plots of Figure 3 show peaks and troughs ..., the flow-NRU for Flow "
            "2 in Figure 4 is relatively flat for all plots'",
            "section 4.2",
            "fig-flow-nru",
            "standard deviation over the cells of flow 2's flow-NRU, over that of its throughput "
            "in self-fairness, both in dB",
            at_most(1 / readings["similar"]),
            flatness(ALL),
        ),
        in_db(
            "newreno-fair",
            "For two NewReno flows 'the mean flow-NRU for Flow 2 is ... close to zero'",
            "section 4.2",
            "fig-flow-nru",
            "mean flow-NRU of flow 2",
            near,
            each_variant(mean_of(NRU2), ["newreno"]),
        ),
        in_db(
            "newreno-flat",
            "... 'and the plot is reasonably flat'",
            "section 4.2",
            "fig-flow-nru",
            "standard deviation of flow 2's flow-NRU over the cells",
            at_most(readings["flat_db"]),
            each_variant(lambda cells: float(cells[NRU2].std(ddof=1)), ["newreno"]),
        ),
        in_db(
            "newreno-fair-cells",
            "For two NewReno flows the system-NRU 'is flat and very close to zero for nearly all "
            "experiments'",
            "section 4.2",
            "fig-system-nru",
            f"system-NRU of a cell, in {NEARLY_ALL} of them",
            near,
            each_variant(
                lambda cells: float(cells[SYSTEM][0]),
                ["newreno"],
                by=each_place,
                quantifier=NEARLY_ALL,
            ),
        ),
        in_db(
            "nru-alike",
            "'We see some similarities between the behaviour of BIC, CUBIC and Compound TCP'",
            "section 4.2",
            "fig-flow-nru",
            "mean flow-NRU of flow 2 of one less that of another, of each two",
            near,
            together(
                of_each_two(OTHERS, lambda one, two: float((one[NRU2] - two[NRU2]).mean())), OTHERS
            ),
        ),
        in_db(
            "fairer-flow-with-rtt",
            "'Fairness with NewReno seems to improve as the RTT increases'",
            "section 4.2, of Figure 4",
            "fig-flow-nru",
            "rise of flow 2's distance from 0 dB of flow-NRU, from the least to the largest RTT",
            less(margin),
            _each_not_judged(A_SIZE),
        ),
        in_db(
            "low-rtt-all-buffers",
            "'At low RTT values, the flow-NRU is negative ..., and this behaviour seems to be "
            "similar ... across all OPB values'",
            "section 4.2",
            "fig-flow-nru",
            "flow-NRU of flow 2 at every OPB at RTTs below 50 ms",
            less(margin),
            against_newreno(lambda cells: float(cells[NRU2][0]), where=low, by=each_place),
        ),
        in_db(
            "more-from-50-ms",
            "'As the RTT increases to 50ms and beyond, we see that BIC, CUBIC and Compound TCP "
            "all consume more capacity than would be considered their ‘fair share’'",
            "section 4.2",
            "fig-flow-nru",
            "mean flow-NRU of flow 2 over the cells of RTT ≥ 50 ms",
            more(margin),
            against_newreno(mean_of(NRU2), where=~low),
        ),
        in_db(
            "unfair-system",
            "BIC, CUBIC and Compound 'are generally unfair to NewReno, on a system-wide basis'",
            "section 4.2",
            "fig-system-nru",
            "mean system-NRU",
            less(margin),
            against_newreno(mean_of(SYSTEM)),
        ),
    ]


def _each_not_judged(why: str):
    """Return the measure of a sentence on the variants that no statistic can tell about."""
    return lambda subject: {variant_name(cca): Case(note=why) for cca in OTHERS}


def _limitations(readings: Mapping, order_grid: Mapping) -> list[Claim]:
    return [
        as_share(
            "order",
            "'Considering the flow under question as Flow 1 ... or as Flow 2 ... could yield "
            "slightly different behaviour'",
            "section 5.1",
            "",
            "how far the variant's share of the throughput moves, in some cell",
            moves(readings["share"]),
            moved_by_order(("bic", "cubic"), order_grid),
        ),
    ]


def _own(readings: Mapping) -> list[Claim]:
    """Return findings of our own: the text states them, no sentence of the original does."""

    def where_free(subject: Subject) -> Measured:
        return against_newreno(rise_of(SYSTEM, RTT), where=is_free(subject.runs))(subject)

    return [
        in_db(
            "free-falls-with-rtt",
            "Where no window can bind, the system-NRU falls as the RTT grows",
            "",
            "",
            "rise of the system-NRU from the least to the largest RTT of the cells in which no "
            "window can bind",
            less(readings["margin_db"]),
            where_free,
        ),
    ]


@paper.metric
def surface_run(
    run, run_metric, flow_metric, open_run, open_run_metric, open_flow_metric
) -> pl.DataFrame:
    parts = {"open": open_run}, {"open": open_run_metric}, {"open": open_flow_metric}
    tables = zip((run, run_metric, flow_metric), parts, strict=True)
    return runs_of_parts(*(of | more for of, more in tables))


@paper.metric
def claim(
    surface_run, run, open_run, swapped_run, swapped_run_metric, swapped_flow_metric, weight_from,
    grids, planned, order_grid, readings, confidence, fdr, paper_name,
) -> pl.DataFrame:  # fmt: skip
    placed = windows(surface_run, run | {"open": open_run})
    subjects = subjects_of(placed, PLATFORMS, grids[-1], weight_from=weight_from, planned=planned)
    swapped = grid_runs(swapped_run, swapped_run_metric, swapped_flow_metric)
    subjects["testbed"] = replace(subjects["testbed"], against=swapped)
    found = claims_of(readings, order_grid)
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
