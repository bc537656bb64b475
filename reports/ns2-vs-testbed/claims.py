"""The paper's conclusions, and how each is tested on every data set.

Sentences are those of the abstract, the conclusion and of the results that these rest on. Each
criterion was written down before the whole grid was measured.
"""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper
from evenflow.papers.claims import Claim, judge
from evenflow.papers.surface_tests import (
    BUFFER,
    EPSILON,
    RTT,
    count,
    each,
    ends_of,
    mean,
    of_difference,
    of_surface,
    rises,
    subjects_of,
)

from .claim_tests import (
    agree_better,
    buffer_moves_both_ways,
    flow_2_ahead,
    outside_and_inside,
    poor_at_low_corner,
    regions_depend_on_variant,
    share_significant,
    similar_shapes,
)
from .design import PLATFORMS

OTHERS = ("bic", "cubic", "compound")  # that the paper sets against NewReno
NAMES = "BIC, CUBIC and Compound"
VALUE = pl.col("mean")
FAIR_JFI = 0.9  # reading of 'fair' and 'good fairness': one flow gets at most twice the other
HIGH_RTT_S, HIGH_BUFFER = 0.2, 0.6  # '> ~200 ms', '> ~0.6 BDP', section V
HIGH = (RTT >= HIGH_RTT_S - EPSILON) & (BUFFER >= HIGH_BUFFER - EPSILON)
LOW_RTT = RTT <= 0.05 + EPSILON  # reading of 'low BDPs', section IV-B
LOW_BUFFER = 0.2  # 'low values of RB', section IV-A: the smallest of the grid
ALIKE_R = 0.7  # reading of 'very similar behaviour'

CLAIMS = [
    Claim(
        "differ",
        "ns-2 and the testbed differ significantly",
        "abstract and section V",
        "W ≥ 0 in most cells",
        "fig-difference",
        of_difference(share_significant()),
    ),
    Claim(
        "regions",
        "Where they differ depends on the variant, though regions are similar",
        "section V",
        "all pairings differ, or none does, in most cells that all have, but not in all of these",
        "fig-difference",
        of_difference(regions_depend_on_variant),
    ),
    Claim(
        "agree-high",
        "They agree best at RTTs and buffers that are high",
        "section V",
        "mean \\|D\\| at RTT ≥ 200 ms and buffer ≥ 60 % below that elsewhere",
        "fig-difference",
        of_difference(agree_better(HIGH)),
    ),
    Claim(
        "poor-fairness",
        f"{NAMES} show poor fairness to NewReno",
        "section V, of the testbed",
        f"mean JFI below {FAIR_JFI}",
        "fig-jfi",
        of_surface(each("jfi", "comparison", OTHERS, mean, lambda v: v < FAIR_JFI), "testbed"),
    ),
    Claim(
        "fairer-with-both",
        "Fairness improves when both RTT and buffer increase",
        "section V",
        "mean JFI elsewhere → at RTT ≥ 200 ms and buffer ≥ 60 % rises",
        "fig-jfi",
        of_surface(each("jfi", "comparison", OTHERS, outside_and_inside(HIGH), rises)),
    ),
    Claim(
        "fairer-with-buffer",
        "... when the buffer increases",
        "section V, each alone",
        "mean JFI, smallest → largest buffer, rises",
        "fig-jfi",
        of_surface(each("jfi", "comparison", OTHERS, ends_of("buffer_bdp"), rises)),
    ),
    Claim(
        "fairer-with-rtt",
        "... when the RTT increases",
        "section V, each alone",
        "mean JFI, smallest → largest RTT, rises",
        "fig-jfi",
        of_surface(each("jfi", "comparison", OTHERS, ends_of("base_rtt_s"), rises)),
    ),
    Claim(
        "newreno-fair",
        "NewReno is fair to itself",
        "section IV-A",
        f"mean JFI at least {FAIR_JFI}",
        "fig-jfi",
        of_surface(each("jfi", "comparison", ("newreno",), mean, lambda v: v >= FAIR_JFI)),
    ),
    Claim(
        "ns2-fair",
        "ns-2 is fair at all RTTs and buffers for BIC and CUBIC",
        "section IV-A",
        f"JFI at least {FAIR_JFI} in every cell",
        "fig-jfi",
        of_surface(
            each(
                "jfi",
                "comparison",
                ("bic", "cubic"),
                count(VALUE >= FAIR_JFI),
                lambda v: v[0] == v[1],
            ),
            "ns2",
        ),
    ),
    Claim(
        "ns2-fair-compound",
        "ns-2 is fair for Compound except at low buffers",
        "section IV-A",
        f"JFI at least {FAIR_JFI} in every cell of more than the smallest buffer",
        "fig-jfi",
        of_surface(
            each(
                "jfi",
                "comparison",
                ("compound",),
                count(VALUE >= FAIR_JFI, BUFFER > LOW_BUFFER + EPSILON),
                lambda v: v[0] == v[1],
            ),
            "ns2",
        ),
    ),
    Claim(
        "ahead-of-newreno",
        "On the testbed each variant gets more than NewReno",
        "section IV-A",
        "mean throughput of flow 2 above that of flow 1 in most cells",
        "fig-jfi",
        of_surface(flow_2_ahead(OTHERS), "testbed"),
    ),
    Claim(
        "falls-with-rtt",
        "There fairness falls as the RTT increases, except when the buffer is large",
        "section IV-A",
        "mean JFI at buffers below 100 % of the BDP, smallest → largest RTT, falls",
        "fig-jfi",
        of_surface(
            each(
                "jfi",
                "comparison",
                OTHERS,
                ends_of("base_rtt_s", BUFFER < 1 - EPSILON),
                lambda v: v[1] < v[0],
            ),
            "testbed",
        ),
    ),
    Claim(
        "newreno-disagrees",
        "ns-2 and the testbed agree poorly on NewReno, mostly significantly",
        "section IV-A",
        "W ≥ 0 in most cells of NewReno against NewReno",
        "fig-difference",
        of_difference(share_significant("newreno-newreno")),
    ),
    Claim(
        "agree-low-rtt",
        "They also agree better at RTTs below 75 ms",
        "section IV-A",
        "mean \\|D\\| at RTT < 75 ms below that elsewhere",
        "fig-difference",
        of_difference(agree_better(RTT < 0.075 - EPSILON)),
    ),
    Claim(
        "disagree-low-corner",
        "They agree poorly at low RTT and low buffer",
        "section IV-A",
        "mean \\|D\\| in the cells of lowest RTT and buffer above the average",
        "fig-difference",
        of_difference(poor_at_low_corner),
    ),
    Claim(
        "buffer-both-ways",
        "At one RTT the buffer may raise fairness, at another lower it",
        "section IV-A",
        "Welch's tests of the smallest against the largest buffer at each RTT, false discovery "
        "rate 5 %: some up, some down",
        "fig-jfi",
        of_surface(buffer_moves_both_ways("jfi", ("newreno", *OTHERS))),
    ),
    Claim(
        "poor-at-low-bdp",
        "Fairness to NewReno is poor at low BDPs too",
        "section IV-B",
        f"mean JFI below {FAIR_JFI} over the cells of RTT ≤ 50 ms",
        "fig-jfi",
        of_surface(
            each(
                "jfi",
                "comparison",
                OTHERS,
                lambda cells: cells.filter(LOW_RTT)["mean"].mean(),
                lambda v: v < FAIR_JFI,
            ),
            "testbed",
        ),
    ),
    Claim(
        "worst-corner",
        "Fairness is worst at high RTTs and low buffers",
        "section IV-B",
        "mean JFI elsewhere → at RTT ≥ 200 ms and buffer ≤ 40 % falls",
        "fig-jfi",
        of_surface(
            each(
                "jfi",
                "comparison",
                OTHERS,
                outside_and_inside((RTT >= HIGH_RTT_S - EPSILON) & (BUFFER <= 0.4 + EPSILON)),
                lambda v: v[1] < v[0],
            ),
            "testbed",
        ),
    ),
    Claim(
        "alike",
        f"{NAMES} behave very similarly towards NewReno",
        "section IV-B",
        f"Pearson's r of the JFI over the cells at least {ALIKE_R} for every two",
        "fig-jfi",
        of_surface(similar_shapes("jfi", "comparison", OTHERS, ALIKE_R), "testbed"),
    ),
]


@paper.metric
def claim(surface, difference, paper_name) -> pl.DataFrame:
    return judge(paper_name, CLAIMS, subjects_of(surface, PLATFORMS, difference))
