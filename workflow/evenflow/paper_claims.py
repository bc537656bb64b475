"""The conclusions of the papers on the grid, and how each is tested. See `claims`, `claim_tests`.

Sentences are those of the abstracts, the conclusions and of the results that these rest on. Each
criterion was written down before the whole grid was measured.
"""

from __future__ import annotations

import polars as pl

from . import claim_tests as tests
from .claim_tests import BUFFER, FAIR_JFI, HIGH, LOW_RTT_S, RTT, each
from .claims import Claim

OTHERS = ("bic", "cubic", "compound")  # that the papers set against NewReno
NAMES = "BIC, CUBIC and Compound"
NRU, SYSTEM, THROUGHPUT = "flow_nru_db_flow2", "system_nru_db", "mean_throughput_bps_flow2"
VALUE = pl.col("mean")
LOW_RTT = RTT <= LOW_RTT_S + tests.EPSILON
MIDDLE_RTT_S = 0.15  # 'at lower RTTs (below 150 ms)', on-path-buffering, section 4.1
LOW_BUFFER = 0.2  # 'low values of RB', ns2-vs-testbed, section IV-A: the smallest of the grid
NEAR_DB = 0.5  # reading of 'close to zero'
NEARLY_ALL = 0.9  # reading of 'nearly all experiments'
ALIKE_R = 0.7  # reading of 'very similar behaviour'
ALIKE_SHARE = 0.1  # reading of 'very similar' throughputs
TWO_FLOWS = "all runs have two flows"

ON_PATH = [
    Claim(
        "Overall performance depends on both the RTT and the OPB",
        "abstract",
        "both factors at p ≤ 0.05 in an analysis of variance of the cells' system-NRU",
        "fig-system-nru",
        each(SYSTEM, "comparison", OTHERS, tests.two_factors, lambda p: max(p) <= 0.05),
    ),
    Claim(
        "The behaviour is not consistent across RTTs and OPBs",
        "abstract and section 5",
        "flow-NRU of flow 2 above 0 dB in at least 10 % and below in at least 10 % of the cells",
        "fig-flow-nru",
        each(NRU, "comparison", OTHERS, tests.count(VALUE > 0), tests.on_both_sides),
    ),
    Claim(
        f"{NAMES} get more against NewReno than against their like",
        "section 5",
        "mean flow-NRU of flow 2 above 0 dB",
        "fig-flow-nru",
        each(NRU, "comparison", OTHERS, tests.mean, lambda v: v > 0),
    ),
    Claim(
        "... at the cost of NewReno, which gets less than against another NewReno flow",
        "section 5",
        "mean flow-NRU of flow 1 below 0 dB",
        "fig-flow-nru-1",
        each("flow_nru_db_flow1", "comparison", OTHERS, tests.mean, lambda v: v < 0),
    ),
    Claim(
        "At RTTs of 50 ms and below they get less than their share",
        "section 5",
        "flow-NRU of flow 2 below 0 dB in most cells of RTT ≤ 50 ms",
        "fig-flow-nru",
        each(NRU, "comparison", OTHERS, tests.count(VALUE < 0, LOW_RTT), tests.most),
    ),
    Claim(
        "Fairness improves as the buffer increases",
        "section 5",
        "mean system-NRU (dB), smallest → largest buffer, rises",
        "fig-system-nru",
        each(SYSTEM, "comparison", OTHERS, tests.ends_of("buffer_bdp"), tests.rises),
    ),
    Claim(
        "Fairness improves as the RTT increases",
        "section 5",
        "mean system-NRU (dB), smallest → largest RTT, rises",
        "fig-system-nru",
        each(SYSTEM, "comparison", OTHERS, tests.ends_of("base_rtt_s"), tests.rises),
    ),
    Claim(
        "Large buffers help where few flows share a link",
        "section 5, citing others",
        "would need runs that differ in the number of flows",
        "fig-system-nru",
        tests.never(TWO_FLOWS),
    ),
    Claim(
        "In self-fairness flow 2 gets less at low buffers, more as they grow",
        "section 4.1",
        "mean throughput of flow 2 (Mb/s), smallest → largest buffer, rises",
        "fig-throughput",
        each(
            THROUGHPUT,
            "calibration",
            ("newreno", *OTHERS),
            tests.ends_of("buffer_bdp"),
            tests.rises,
        ),
    ),
    Claim(
        "NewReno's flow 2 gets less as the RTT increases",
        "section 4.1",
        "mean throughput of flow 2 (Mb/s), smallest → largest RTT, falls",
        "fig-throughput",
        each(
            THROUGHPUT,
            "calibration",
            ("newreno",),
            tests.ends_of("base_rtt_s"),
            lambda v: v[1] < v[0],
        ),
    ),
    Claim(
        "For NewReno a larger buffer helps at RTTs below 150 ms",
        "section 4.1",
        "the same (Mb/s) over RTTs < 150 ms, smallest → largest buffer, rises",
        "fig-throughput",
        each(
            THROUGHPUT,
            "calibration",
            ("newreno",),
            tests.ends_of("buffer_bdp", RTT < MIDDLE_RTT_S - tests.EPSILON),
            tests.rises,
        ),
    ),
    Claim(
        "... but not at higher RTTs",
        "section 4.1",
        "the same over RTTs ≥ 150 ms, smallest → largest buffer, does not rise by more than 5 %",
        "fig-throughput",
        each(
            THROUGHPUT,
            "calibration",
            ("newreno",),
            tests.ends_of("buffer_bdp", RTT >= MIDDLE_RTT_S - tests.EPSILON),
            lambda v: v[1] <= 1.05 * v[0],
        ),
    ),
    Claim(
        f"{NAMES} have very similar throughputs in self-fairness",
        "section 4.1",
        "means of flow 2 over their common cells (Mb/s) within 10 % of each other",
        "fig-throughput",
        tests.similar_means(THROUGHPUT, "calibration", OTHERS, ALIKE_SHARE),
    ),
    Claim(
        "The flow-NRU is flat, though the throughput has peaks and troughs",
        "section 4.2",
        "standard deviation over cells of flow 2's flow-NRU below that of its throughput in "
        "self-fairness (dB)",
        "fig-flow-nru",
        tests.flatter_than_throughput(("newreno", *OTHERS)),
    ),
    Claim(
        "Two NewReno flows are close to fair to each other",
        "section 4.2",
        "mean flow-NRU of flow 2 within ± 0.5 dB",
        "fig-flow-nru",
        each(NRU, "comparison", ("newreno",), tests.mean, lambda v: abs(v) <= NEAR_DB),
    ),
    Claim(
        "... in nearly all experiments",
        "section 4.2",
        "system-NRU within ± 0.5 dB in at least 90 % of the cells",
        "fig-system-nru",
        each(
            SYSTEM,
            "comparison",
            ("newreno",),
            tests.count(VALUE.abs() <= NEAR_DB),
            lambda v: v[0] >= NEARLY_ALL * v[1],
        ),
    ),
    Claim(
        f"{NAMES} are unfair to NewReno system-wide",
        "section 4.2",
        "mean system-NRU below 0 dB",
        "fig-system-nru",
        each(SYSTEM, "comparison", OTHERS, tests.mean, lambda v: v < 0),
    ),
]

NS2 = [
    Claim(
        "ns-2 and the testbed differ significantly",
        "abstract and section V",
        "W ≥ 0 in most cells",
        "fig-difference",
        tests.share_significant(),
        "difference",
    ),
    Claim(
        "Where they differ depends on the variant, though regions are similar",
        "section V",
        "all pairings differ, or none does, in most cells that all have, but not in all of these",
        "fig-difference",
        tests.regions_depend_on_variant,
        "difference",
    ),
    Claim(
        "They agree best at RTTs and buffers that are high",
        "section V",
        "mean \\|D\\| at RTT ≥ 200 ms and buffer ≥ 60 % below that elsewhere",
        "fig-difference",
        tests.agree_better(HIGH),
        "difference",
    ),
    Claim(
        f"{NAMES} show poor fairness to NewReno",
        "section V, of the testbed",
        f"mean JFI below {FAIR_JFI}",
        "fig-jfi",
        each("jfi", "comparison", OTHERS, tests.mean, lambda v: v < FAIR_JFI),
        "testbed",
    ),
    Claim(
        "Fairness improves when both RTT and buffer increase",
        "section V",
        "mean JFI elsewhere → at RTT ≥ 200 ms and buffer ≥ 60 % rises",
        "fig-jfi",
        each("jfi", "comparison", OTHERS, tests.outside_and_inside(HIGH), tests.rises),
    ),
    Claim(
        "... when the buffer increases",
        "section V, each alone",
        "mean JFI, smallest → largest buffer, rises",
        "fig-jfi",
        each("jfi", "comparison", OTHERS, tests.ends_of("buffer_bdp"), tests.rises),
    ),
    Claim(
        "... when the RTT increases",
        "section V, each alone",
        "mean JFI, smallest → largest RTT, rises",
        "fig-jfi",
        each("jfi", "comparison", OTHERS, tests.ends_of("base_rtt_s"), tests.rises),
    ),
    Claim(
        "NewReno is fair to itself",
        "section IV-A",
        f"mean JFI at least {FAIR_JFI}",
        "fig-jfi",
        each("jfi", "comparison", ("newreno",), tests.mean, lambda v: v >= FAIR_JFI),
    ),
    Claim(
        "ns-2 is fair at all RTTs and buffers for BIC and CUBIC",
        "section IV-A",
        f"JFI at least {FAIR_JFI} in every cell",
        "fig-jfi",
        each(
            "jfi",
            "comparison",
            ("bic", "cubic"),
            tests.count(VALUE >= FAIR_JFI),
            lambda v: v[0] == v[1],
        ),
        "simulation",
    ),
    Claim(
        "ns-2 is fair for Compound except at low buffers",
        "section IV-A",
        f"JFI at least {FAIR_JFI} in every cell of more than the smallest buffer",
        "fig-jfi",
        each(
            "jfi",
            "comparison",
            ("compound",),
            tests.count(VALUE >= FAIR_JFI, BUFFER > LOW_BUFFER + tests.EPSILON),
            lambda v: v[0] == v[1],
        ),
        "simulation",
    ),
    Claim(
        "On the testbed each variant gets more than NewReno",
        "section IV-A",
        "mean throughput of flow 2 above that of flow 1 in most cells",
        "fig-jfi",
        tests.flow_2_ahead(OTHERS),
        "testbed",
    ),
    Claim(
        "There fairness falls as the RTT increases, except when the buffer is large",
        "section IV-A",
        "mean JFI at buffers below 100 % of the BDP, smallest → largest RTT, falls",
        "fig-jfi",
        each(
            "jfi",
            "comparison",
            OTHERS,
            tests.ends_of("base_rtt_s", BUFFER < 1 - tests.EPSILON),
            lambda v: v[1] < v[0],
        ),
        "testbed",
    ),
    Claim(
        "ns-2 and the testbed agree poorly on NewReno, mostly significantly",
        "section IV-A",
        "W ≥ 0 in most cells of NewReno against NewReno",
        "fig-difference",
        tests.share_significant("newreno-newreno"),
        "difference",
    ),
    Claim(
        "They also agree better at RTTs below 75 ms",
        "section IV-A",
        "mean \\|D\\| at RTT < 75 ms below that elsewhere",
        "fig-difference",
        tests.agree_better(RTT < 0.075 - tests.EPSILON),
        "difference",
    ),
    Claim(
        "They agree poorly at low RTT and low buffer",
        "section IV-A",
        "mean \\|D\\| in the cells of lowest RTT and buffer above the average",
        "fig-difference",
        tests.poor_at_low_corner,
        "difference",
    ),
    Claim(
        "At one RTT the buffer may raise fairness, at another lower it",
        "section IV-A",
        "Welch's tests of the smallest against the largest buffer at each RTT, false discovery "
        "rate 5 %: some up, some down",
        "fig-jfi",
        tests.buffer_moves_both_ways("jfi", ("newreno", *OTHERS)),
    ),
    Claim(
        "Fairness to NewReno is poor at low BDPs too",
        "section IV-B",
        f"mean JFI below {FAIR_JFI} over the cells of RTT ≤ 50 ms",
        "fig-jfi",
        each(
            "jfi",
            "comparison",
            OTHERS,
            lambda cells: cells.filter(LOW_RTT)["mean"].mean(),
            lambda v: v < FAIR_JFI,
        ),
        "testbed",
    ),
    Claim(
        "Fairness is worst at high RTTs and low buffers",
        "section IV-B",
        "mean JFI elsewhere → at RTT ≥ 200 ms and buffer ≤ 40 % falls",
        "fig-jfi",
        each(
            "jfi",
            "comparison",
            OTHERS,
            tests.outside_and_inside(
                (RTT >= tests.HIGH_RTT_S - tests.EPSILON) & (BUFFER <= 0.4 + tests.EPSILON)
            ),
            lambda v: v[1] < v[0],
        ),
        "testbed",
    ),
    Claim(
        f"{NAMES} behave very similarly towards NewReno",
        "section IV-B",
        f"Pearson's r of the JFI over the cells at least {ALIKE_R} for every two",
        "fig-jfi",
        tests.similar_shapes("jfi", "comparison", OTHERS, ALIKE_R),
        "testbed",
    ),
]

CLAIMS = {"on-path-buffering": ON_PATH, "ns2-vs-testbed": NS2}
