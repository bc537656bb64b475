"""The paper's sentences, what each asserts in numbers, and how it is measured on each data set.

The readings of words are in paper.yml. Uncontested cells, in which no run lost a packet, are left
out throughout: there a flow gets what its window lets through, whoever is beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl
from evenflow.papers import paper
from evenflow.papers.claims import Claim, Measured, Region, judge, never
from evenflow.papers.surface_claims import (
    EPSILON,
    Subject,
    each_variant,
    mean_of,
    rise_of,
    runs_of_parts,
    share_of,
    subjects_of,
    together,
)
from evenflow.statistics.replicates import BUFFER, RTT, grid_runs
from evenflow.statistics.windows import is_free, windows

from .claim_statistics import (
    FLOW1,
    FLOW2,
    cases,
    factor_of_variants,
    flatness,
    growth,
    growth_of_ratio,
    least_correlation,
    least_growth,
    moved_by_order,
    range_over_cells,
    ratio_of_flows,
    reach_to_either_side,
    rise_with_both,
    size_of_most,
    smaller_effect,
    spread_of_variants,
)
from .design import PLATFORMS

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
ALL = ("newreno", *OTHERS)
NRU1, NRU2, SYSTEM = "flow_nru_db_flow1", "flow_nru_db_flow2", "system_nru_db"
TWO_FLOWS = "all runs have two flows: it would need runs that differ in their number"
NO_QUEUE = "the runs count the largest queue and the drops, not whose packets wait"

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
    margin, either = readings["margin_db"], readings["either_side"]
    at_most_50_ms = pl.col(RTT) <= readings["low_rtt_ms"] / 1000 + EPSILON
    return [
        in_db(
            "depends-on-both",
            "'Overall performance depends on both the RTT and the OPB provision'",
            "abstract",
            "fig-system-nru",
            "the smaller of the changes of the system-NRU from the least to the largest RTT and "
            "OPB, without its sign",
            Region(low=margin),
            against_newreno(smaller_effect(SYSTEM), SYSTEM),
        ),
        in_db(
            "inconsistent",
            "'The observed behaviour is not consistent across the range of RTT and OPB values'",
            "abstract",
            "fig-flow-nru",
            f"distance from 0 dB that flow 2's flow-NRU exceeds in {either:.0%} of the cells on "
            "either side, the smaller of the two".replace("%", " %"),
            Region(low=margin),
            against_newreno(reach_to_either_side(NRU2, either), NRU2),
        ),
        in_db(
            "more-than-alike",
            "The variants 'consume more of the capacity than they would against another flow of "
            "the same variant'",
            "section 5",
            "fig-flow-nru",
            "mean flow-NRU of flow 2",
            Region(low=margin),
            against_newreno(mean_of(NRU2), NRU2),
        ),
        in_db(
            "newreno-pays",
            "... 'at the cost of the TCP NewReno flow', which gets less than 'against another TCP "
            "NewReno flow'",
            "section 5",
            "fig-flow-nru-1",
            "mean flow-NRU of flow 1",
            Region(high=-margin),
            against_newreno(mean_of(NRU1), NRU1),
        ),
        in_db(
            "low-rtt-less",
            "'At low values of RTT (at 50ms and below) ... the TCP variant flow gets less than "
            "its fair share'",
            "section 5",
            "fig-flow-nru",
            "mean flow-NRU of flow 2 over the cells of RTT ≤ 50 ms",
            Region(high=-margin),
            against_newreno(mean_of(NRU2), NRU2, where=at_most_50_ms),
        ),
        in_db(
            "fairer-with-buffer",
            "'Fairness improves as OPB values increase'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the least to the largest OPB",
            Region(low=margin),
            against_newreno(rise_of(SYSTEM, BUFFER), SYSTEM),
        ),
        in_db(
            "fairer-with-rtt",
            "'... and RTT values increase'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the least to the largest RTT",
            Region(low=margin),
            against_newreno(rise_of(SYSTEM, RTT), SYSTEM),
        ),
        in_db(
            "fairer-with-bdp",
            "'... i.e., at higher BDPs'",
            "section 5",
            "fig-system-nru",
            "rise of the system-NRU from the smallest to the largest buffer in bytes, which grows "
            "with RTT and OPB",
            Region(low=margin),
            against_newreno(rise_with_both(SYSTEM), SYSTEM),
        ),
        Claim(
            "many-flows",
            "Where 'there are a lower number of flows, large amounts of buffering is beneficial'",
            "section 5, citing others",
            "fig-system-nru",
            "how the effect of the buffer changes with the number of flows",
            Region(low=0.0),
            never(TWO_FLOWS),
        ),
    ]


def _self_fairness(readings: Mapping) -> list[Claim]:
    margin = 10 ** (readings["margin_db"] / 10)
    below_150_ms = pl.col(RTT) < readings["middle_rtt_ms"] / 1000 - EPSILON
    first_more = share_of(pl.col(FLOW1) > pl.col(FLOW2))
    three = partial(together, variants=OTHERS, role="calibration")
    return [
        as_factor(
            "self-range",
            "'The end-to-end throughput of NewReno is highly variable'",
            "section 4.1",
            "fig-throughput",
            "largest over smallest throughput of flow 2 over the cells",
            Region(low=readings["highly_variable"]),
            against_itself(range_over_cells, FLOW2, ["newreno"]),
        ),
        as_factor(
            "self-high-rtt",
            "For NewReno, 'as the RTT on the path increases, the throughput of Flow 2 decreases'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput from the least to the largest RTT",
            Region(high=1 / margin),
            against_itself(growth(RTT), FLOW2, ["newreno"]),
        ),
        as_factor(
            "self-buffer-low-rtt",
            "'Increased OPB improves end-to-end throughput at lower RTTs (below 150ms)'",
            "section 4.1",
            "fig-throughput",
            "factor of NewReno's flow 2 from the least to the largest OPB, RTT < 150 ms",
            Region(low=margin),
            against_itself(growth(BUFFER), FLOW2, ["newreno"], where=below_150_ms),
        ),
        as_factor(
            "self-buffer-high-rtt",
            "'... but not at higher RTTs'",
            "section 4.1",
            "fig-throughput",
            "the same factor, RTT ≥ 150 ms",
            Region(high=margin),
            against_itself(growth(BUFFER), FLOW2, ["newreno"], where=~below_150_ms),
        ),
        as_factor(
            "self-alike",
            "BIC, CUBIC and Compound 'have very similar minimum, mean and maximum throughputs'",
            "section 4.1",
            "fig-throughput",
            "largest over smallest of the three, of flow 2 over their common cells",
            Region(high=readings["similar"]),
            cases(**{of: three(factor_of_variants(of), FLOW2) for of in ("min", "mean", "max")}),
        ),
        Claim(
            "self-shape",
            "Their plots 'are very similar in shape, including peaks and troughs'",
            "section 4.1",
            "fig-throughput",
            "least correlation of two of the three surfaces, over their common cells",
            Region(low=readings["same_shape"]),
            three(least_correlation, FLOW2),
        ),
        as_factor(
            "self-low-buffer",
            "'In all cases, we see lower throughput for Flow 2 at the lower OPB values, and that "
            "throughput improves as OPB increases'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput from the least to the largest OPB",
            Region(low=margin),
            against_itself(growth(BUFFER), FLOW2, ALL),
        ),
        as_factor(
            "regular-troughs",
            "'... hence the troughs at the lower OPB values', and 'the regular peaks and troughs'",
            "section 4.1, of Figures 3(b) to (d)",
            "fig-throughput",
            "flow 2's throughput at the largest OPB over that at the least, the smallest over RTTs",
            Region(low=margin),
            against_itself(least_growth, FLOW2, OTHERS),
        ),
        as_factor(
            "flow-1-first",
            "'Flow 2 does not always get a chance to occupy an equal proportion of the buffer "
            "space as Flow 1, so achieves lower throughput'",
            "section 4.1",
            "fig-throughput",
            "throughput of flow 2 over that of flow 1, geometric mean over the cells",
            Region(high=1 / margin),
            against_itself(ratio_of_flows, [FLOW1, FLOW2], ALL),
        ),
        as_factor(
            "flow-1-low-buffer",
            "'This behaviour is accentuated at the low OPB values'",
            "section 4.1",
            "fig-throughput",
            "factor of flow 2's throughput over flow 1's, from the least to the largest OPB",
            Region(low=margin),
            against_itself(growth_of_ratio, [FLOW1, FLOW2], ALL),
        ),
        Claim(
            "flow-1-queue",
            "'Flow 1 ‘grabs’ most of the available buffer space'",
            "section 4.1",
            "fig-throughput",
            "flow 1's share of the packets that wait at the bottleneck",
            Region(low=0.5),
            never(NO_QUEUE),
        ),
        as_share(
            "half-the-time",
            "Flow 1 'manages to occupy more buffer space approximately half of the time, across "
            "our range of experiments'",
            "section 4.1",
            "fig-throughput",
            "share of the cells in which flow 1 has more throughput than flow 2",
            Region(*readings["about_half"]),
            against_itself(first_more, [FLOW1, FLOW2], OTHERS),
        ),
    ]


def _against_newreno(readings: Mapping) -> list[Claim]:
    margin = readings["margin_db"]
    near = Region(-margin, margin)
    low = pl.col(RTT) < readings["low_rtt_ms"] / 1000 - EPSILON
    size = pl.col(NRU2).abs().alias("size")
    return [
        as_factor(
            "flat-nru",
            "'Even though the plots of Figure 3 show peaks and troughs ..., the flow-NRU for Flow "
            "2 in Figure 4 is relatively flat for all plots'",
            "section 4.2",
            "fig-flow-nru",
            "standard deviation over the cells of flow 2's flow-NRU, over that of its throughput "
            "in self-fairness, both in dB",
            Region(high=1 / readings["similar"]),
            flatness(ALL),
        ),
        in_db(
            "newreno-fair",
            "For two NewReno flows 'the mean flow-NRU for Flow 2 is ... close to zero'",
            "section 4.2",
            "fig-flow-nru",
            "mean flow-NRU of flow 2",
            near,
            each_variant(mean_of(NRU2), NRU2, ["newreno"]),
        ),
        in_db(
            "newreno-flat",
            "... 'and the plot is reasonably flat'",
            "section 4.2",
            "fig-flow-nru",
            "standard deviation of flow 2's flow-NRU over the cells",
            Region(high=readings["flat_db"]),
            each_variant(lambda cells: cells[NRU2].std(), NRU2, ["newreno"]),
        ),
        in_db(
            "newreno-fair-cells",
            "For two NewReno flows the system-NRU 'is flat and very close to zero for nearly all "
            "experiments'",
            "section 4.2",
            "fig-system-nru",
            f"distance of the system-NRU from 0 dB that {readings['nearly_all']:.0%} of the cells "
            "stay below".replace("%", " %"),
            Region(high=margin),
            each_variant(size_of_most(SYSTEM, readings["nearly_all"]), SYSTEM, ["newreno"]),
        ),
        in_db(
            "nru-alike",
            "'We see some similarities between the behaviour of BIC, CUBIC and Compound TCP'",
            "section 4.2",
            "fig-flow-nru",
            "largest less smallest of their mean flow-NRUs of flow 2, over their common cells",
            Region(high=margin),
            together(spread_of_variants(NRU2, "mean"), NRU2, OTHERS),
        ),
        in_db(
            "fairer-flow-with-rtt",
            "'Fairness with NewReno seems to improve as the RTT increases'",
            "section 4.2, of Figure 4",
            "fig-flow-nru",
            "rise of flow 2's distance from 0 dB of flow-NRU, from the least to the largest RTT",
            Region(high=-margin),
            against_newreno(lambda cells: rise_of("size", RTT)(cells.with_columns(size)), NRU2),
        ),
        in_db(
            "low-rtt-all-buffers",
            "'At low RTT values, the flow-NRU is negative ..., and this behaviour seems to be "
            "similar ... across all OPB values'",
            "section 4.2",
            "fig-flow-nru",
            "largest flow-NRU of flow 2 over the OPBs at RTTs below 50 ms",
            Region(high=-margin),
            against_newreno(lambda cells: cells[NRU2].max(), NRU2, where=low),
        ),
        in_db(
            "more-from-50-ms",
            "'As the RTT increases to 50ms and beyond, we see that BIC, CUBIC and Compound TCP "
            "all consume more capacity than would be considered their ‘fair share’'",
            "section 4.2",
            "fig-flow-nru",
            "mean flow-NRU of flow 2 over the cells of RTT ≥ 50 ms",
            Region(low=margin),
            against_newreno(mean_of(NRU2), NRU2, where=~low),
        ),
        in_db(
            "unfair-system",
            "BIC, CUBIC and Compound 'are generally unfair to NewReno, on a system-wide basis'",
            "section 4.2",
            "fig-system-nru",
            "mean system-NRU",
            Region(high=-margin),
            against_newreno(mean_of(SYSTEM), SYSTEM),
        ),
    ]


def _limitations(readings: Mapping, order_grid: Mapping) -> list[Claim]:
    return [
        as_share(
            "order",
            "'Considering the flow under question as Flow 1 ... or as Flow 2 ... could yield "
            "slightly different behaviour'",
            "section 5.1",
            "",
            "how far the variant's share of the throughput moves, without sign, mean over cells",
            Region(low=readings["share"]),
            moved_by_order(("bic", "cubic"), order_grid),
        ),
    ]


def _own(readings: Mapping) -> list[Claim]:
    """Return findings of our own: the text states them, no sentence of the original does."""

    def where_free(subject: Subject) -> Measured:
        return against_newreno(rise_of(SYSTEM, RTT), SYSTEM, where=is_free(subject.runs))(subject)

    return [
        in_db(
            "free-falls-with-rtt",
            "Where no window can bind, the system-NRU falls as the RTT grows",
            "",
            "",
            "rise of the system-NRU from the least to the largest RTT of the cells in which no "
            "window can bind",
            Region(high=-readings["margin_db"]),
            where_free,
        ),
    ]


@paper.metric
def surface_run(
    run, run_metric, flow_metric, open_run, open_run_metric, open_flow_metric, weight_from
) -> pl.DataFrame:
    parts = {"open": open_run}, {"open": open_run_metric}, {"open": open_flow_metric}
    tables = zip((run, run_metric, flow_metric), parts, strict=True)
    return runs_of_parts(*(of | more for of, more in tables), weight_from)


@paper.metric
def claim(
    surface_run, run, open_run, swapped_run, swapped_run_metric, swapped_flow_metric, weight_from,
    grids, order_grid, readings, confidence, fdr, paper_name,
) -> pl.DataFrame:  # fmt: skip
    placed = windows(surface_run, run | {"open": open_run})
    subjects = subjects_of(placed, PLATFORMS, grids)
    swapped = grid_runs(swapped_run, swapped_run_metric, swapped_flow_metric, weight_from)
    subjects["testbed"] = subjects["testbed"]._replace(against=swapped)
    found = claims_of(readings, order_grid)
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
