"""The paper's conclusions, and how each is tested on every data set.

Sentences are those of the abstract, the conclusion and of the results that these rest on. Each
criterion was written down before the whole grid was measured.
"""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper
from evenflow.papers.claims import Claim, judge
from evenflow.papers.surface_tests import (
    EPSILON,
    RTT,
    count,
    each,
    ends_of,
    mean,
    most,
    never,
    of_surface,
    rises,
    subjects_of,
    two_factors,
)

from .claim_tests import flatter_than_throughput, on_both_sides, similar_means
from .design import PLATFORMS

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
NAMES = "BIC, CUBIC and Compound"
NRU, SYSTEM, THROUGHPUT = "flow_nru_db_flow2", "system_nru_db", "mean_throughput_bps_flow2"
VALUE = pl.col("mean")
LOW_RTT_S = 0.05  # 'at low values of RTT (at 50 ms and below)', section 5
LOW_RTT = RTT <= LOW_RTT_S + EPSILON
MIDDLE_RTT_S = 0.15  # 'at lower RTTs (below 150 ms)', section 4.1
NEAR_DB = 0.5  # reading of 'close to zero'
NEARLY_ALL = 0.9  # reading of 'nearly all experiments'
ALIKE_SHARE = 0.1  # reading of 'very similar' throughputs
TWO_FLOWS = "all runs have two flows"

CLAIMS = [
    Claim(
        "depends-on-both",
        "Overall performance depends on both the RTT and the OPB",
        "abstract",
        "both factors at p ≤ 0.05 in an analysis of variance of the cells' system-NRU",
        "fig-system-nru",
        of_surface(each(SYSTEM, "comparison", OTHERS, two_factors, lambda p: max(p) <= 0.05)),
    ),
    Claim(
        "inconsistent",
        "The behaviour is not consistent across RTTs and OPBs",
        "abstract and section 5",
        "flow-NRU of flow 2 above 0 dB in at least 10 % and below in at least 10 % of the cells",
        "fig-flow-nru",
        of_surface(each(NRU, "comparison", OTHERS, count(VALUE > 0), on_both_sides)),
    ),
    Claim(
        "more-than-alike",
        f"{NAMES} get more against NewReno than against their like",
        "section 5",
        "mean flow-NRU of flow 2 above 0 dB",
        "fig-flow-nru",
        of_surface(each(NRU, "comparison", OTHERS, mean, lambda v: v > 0)),
    ),
    Claim(
        "newreno-pays",
        "... at the cost of NewReno, which gets less than against another NewReno flow",
        "section 5",
        "mean flow-NRU of flow 1 below 0 dB",
        "fig-flow-nru-1",
        of_surface(each("flow_nru_db_flow1", "comparison", OTHERS, mean, lambda v: v < 0)),
    ),
    Claim(
        "low-rtt-less",
        "At RTTs of 50 ms and below they get less than their share",
        "section 5",
        "flow-NRU of flow 2 below 0 dB in most cells of RTT ≤ 50 ms",
        "fig-flow-nru",
        of_surface(each(NRU, "comparison", OTHERS, count(VALUE < 0, LOW_RTT), most)),
    ),
    Claim(
        "fairer-with-buffer",
        "Fairness improves as the buffer increases",
        "section 5",
        "mean system-NRU (dB), smallest → largest buffer, rises",
        "fig-system-nru",
        of_surface(each(SYSTEM, "comparison", OTHERS, ends_of("buffer_bdp"), rises)),
    ),
    Claim(
        "fairer-with-rtt",
        "Fairness improves as the RTT increases",
        "section 5",
        "mean system-NRU (dB), smallest → largest RTT, rises",
        "fig-system-nru",
        of_surface(each(SYSTEM, "comparison", OTHERS, ends_of("base_rtt_s"), rises)),
    ),
    Claim(
        "many-flows",
        "Large buffers help where few flows share a link",
        "section 5, citing others",
        "would need runs that differ in the number of flows",
        "fig-system-nru",
        never(TWO_FLOWS),
    ),
    Claim(
        "self-low-buffer",
        "In self-fairness flow 2 gets less at low buffers, more as they grow",
        "section 4.1",
        "mean throughput of flow 2 (Mb/s), smallest → largest buffer, rises",
        "fig-throughput",
        of_surface(
            each(
                THROUGHPUT,
                "calibration",
                ("newreno", *OTHERS),
                ends_of("buffer_bdp"),
                rises,
            )
        ),
    ),
    Claim(
        "self-high-rtt",
        "NewReno's flow 2 gets less as the RTT increases",
        "section 4.1",
        "mean throughput of flow 2 (Mb/s), smallest → largest RTT, falls",
        "fig-throughput",
        of_surface(
            each(
                THROUGHPUT,
                "calibration",
                ("newreno",),
                ends_of("base_rtt_s"),
                lambda v: v[1] < v[0],
            )
        ),
    ),
    Claim(
        "self-buffer-low-rtt",
        "For NewReno a larger buffer helps at RTTs below 150 ms",
        "section 4.1",
        "the same (Mb/s) over RTTs < 150 ms, smallest → largest buffer, rises",
        "fig-throughput",
        of_surface(
            each(
                THROUGHPUT,
                "calibration",
                ("newreno",),
                ends_of("buffer_bdp", RTT < MIDDLE_RTT_S - EPSILON),
                rises,
            )
        ),
    ),
    Claim(
        "self-buffer-high-rtt",
        "... but not at higher RTTs",
        "section 4.1",
        "the same over RTTs ≥ 150 ms, smallest → largest buffer, does not rise by more than 5 %",
        "fig-throughput",
        of_surface(
            each(
                THROUGHPUT,
                "calibration",
                ("newreno",),
                ends_of("buffer_bdp", RTT >= MIDDLE_RTT_S - EPSILON),
                lambda v: v[1] <= 1.05 * v[0],
            )
        ),
    ),
    Claim(
        "self-alike",
        f"{NAMES} have very similar throughputs in self-fairness",
        "section 4.1",
        "means of flow 2 over their common cells (Mb/s) within 10 % of each other",
        "fig-throughput",
        of_surface(similar_means(THROUGHPUT, "calibration", OTHERS, ALIKE_SHARE)),
    ),
    Claim(
        "flat-nru",
        "The flow-NRU is flat, though the throughput has peaks and troughs",
        "section 4.2",
        "standard deviation over cells of flow 2's flow-NRU below that of its throughput in "
        "self-fairness (dB)",
        "fig-flow-nru",
        of_surface(flatter_than_throughput(("newreno", *OTHERS))),
    ),
    Claim(
        "newreno-fair",
        "Two NewReno flows are close to fair to each other",
        "section 4.2",
        "mean flow-NRU of flow 2 within ± 0.5 dB",
        "fig-flow-nru",
        of_surface(each(NRU, "comparison", ("newreno",), mean, lambda v: abs(v) <= NEAR_DB)),
    ),
    Claim(
        "newreno-fair-cells",
        "... in nearly all experiments",
        "section 4.2",
        "system-NRU within ± 0.5 dB in at least 90 % of the cells",
        "fig-system-nru",
        of_surface(
            each(
                SYSTEM,
                "comparison",
                ("newreno",),
                count(VALUE.abs() <= NEAR_DB),
                lambda v: v[0] >= NEARLY_ALL * v[1],
            )
        ),
    ),
    Claim(
        "unfair-system",
        f"{NAMES} are unfair to NewReno system-wide",
        "section 4.2",
        "mean system-NRU below 0 dB",
        "fig-system-nru",
        of_surface(each(SYSTEM, "comparison", OTHERS, mean, lambda v: v < 0)),
    ),
]


@paper.metric
def claim(surface, paper_name) -> pl.DataFrame:
    return judge(paper_name, CLAIMS, subjects_of(surface, PLATFORMS))
