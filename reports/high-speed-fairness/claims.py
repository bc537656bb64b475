"""The sentences of `high-speed-fairness` and what they assert in numbers.

Each is a statistic of one replicate (`replicates`), on each queue by itself: 'these observations
hold for all tested cases of router queue size' (4.3). What its words are read as is in paper.yml
under `readings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, geometric_mean, median

import numpy as np
from evenflow.congestion_controls import variant_name
from evenflow.papers.claims import Claim, Region, never

from .metrics import FLOW_1_RTT_MS, HIGH_SPEED, STANDARD
from .replicates import Cases, Replicate, Statistic

FAIR_TO_RTT = ["htcp", "cubic"]
BELOW_RTT = [rtt for rtt in (16, 42, 82) if rtt < FLOW_1_RTT_MS]  # flow 2's RTT the smaller


def without(*variants: str) -> list[str]:
    """Return the other high-speed variants."""
    return [cca for cca in HIGH_SPEED if cca not in variants]


def cases(
    statistic: Callable[[Replicate, str], float],
    variants: Iterable[str],
    *,
    null: bool = False,
    needs: Sequence[float] = (),
) -> Cases:
    """Return the measure that has a case for each variant."""
    of = {variant_name(cca): (lambda x, cca=cca: statistic(x, cca)) for cca in variants}
    return Cases(of, null, needs)


def one(statistic: Statistic, *, null: bool = False, needs: Sequence[float] = ()) -> Cases:
    """Return the measure that has one case."""
    return Cases({"": statistic}, null, needs)


# ---- TCP-friendliness: ratios are of the variant over NewReno -----------------------------------


def taken(x: Replicate, cca: str, rtt_ms: float) -> float:
    """Return a variant's throughput over that of NewReno."""
    return 1 / x.beside(STANDARD, cca, rtt_ms).ratio


def friendly(x: Replicate, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return the mean of Jain's index of NewReno and a variant."""
    return fmean(x.beside(STANDARD, cca, rtt).jfi for rtt in rtts_ms)


def unfriendly_growth(x: Replicate, cca: str) -> float:
    """Return how much more a variant takes at the highest RTT than at the lowest."""
    return taken(x, cca, x.rtts_ms[-1]) / taken(x, cca, x.rtts_ms[0])


def alike_at_high_rtts(x: Replicate) -> float:
    """Return the range of Jain's index over the four variants that are most alike."""
    indices = sorted(friendly(x, cca, x.high) for cca in HIGH_SPEED)
    return min(indices[-2] - indices[0], indices[-1] - indices[1])


def above_low(x: Replicate) -> list[float]:
    """Return the RTTs above the low ones."""
    return [rtt for rtt in x.rtts_ms if rtt not in x.low]


def above_medium(x: Replicate) -> list[float]:
    """Return the 'medium to high RTTs'."""
    return [rtt for rtt in x.rtts_ms if rtt > x.readings["medium_rtt_ms"]]


def most_aggressive_to_newreno(x: Replicate, cca: str, others: Sequence[str]) -> list[float]:
    """Return a variant's ratio over the largest of others, at each RTT above the low ones."""
    return [
        taken(x, cca, rtt) / max(taken(x, other, rtt) for other in others) for rtt in above_low(x)
    ]


# ---- intra-protocol -----------------------------------------------------------------------------


def mean_alone(x: Replicate, cca: str) -> float:
    """Return the mean over the RTTs of Jain's index of two flows of a variant."""
    return fmean(x.alone(cca, rtt).jfi for rtt in x.rtts_ms)


def median_alone(x: Replicate) -> float:
    """Return the median of Jain's index over variants and RTTs: what the majority is above."""
    return median(x.alone(cca, rtt).jfi for cca in HIGH_SPEED for rtt in x.rtts_ms)


def fairest_everywhere(x: Replicate, cca: str) -> float:
    """Return the least difference, over the RTTs, from the best other variant's Jain's index."""
    return min(
        x.alone(cca, rtt).jfi - max(x.alone(other, rtt).jfi for other in without(cca))
        for rtt in x.rtts_ms
    )


def trend(x: Replicate, cca: str) -> float:
    """Return how much Jain's index rises over the RTTs, by least squares on their logarithm."""
    logs = np.log(np.asarray(x.rtts_ms, dtype=float))
    slope = np.polyfit(logs, [x.alone(cca, rtt).jfi for rtt in x.rtts_ms], 1)[0]
    return float(slope * (logs[-1] - logs[0]))


# ---- RTT fairness: ratios are of flow 1, of 162 ms, over flow 2 ---------------------------------


def rtt_line(x: Replicate, cca: str) -> tuple[np.ndarray, np.ndarray]:
    """Return RTT ratios and throughput ratios of a variant."""
    ratios = np.asarray([x.unlike(cca, rtt).ratio for rtt in x.rtts_ms])
    return np.asarray(x.rtts_ms, dtype=float) / FLOW_1_RTT_MS, ratios


def exponent(x: Replicate, cca: str) -> float:
    """Return the exponent of the throughput ratio in the RTT ratio, as `metrics.fit_exponent`."""
    return float(np.polyfit(*map(np.log, rtt_line(x, cca)), 1)[0])


def pearson(x: Replicate, cca: str) -> float:
    """Return Pearson's r of throughput ratio and RTT ratio; 0 where all ratios are the same."""
    rtts, ratios = rtt_line(x, cca)
    return float(np.corrcoef(rtts, ratios)[0, 1]) if np.ptp(ratios) else 0.0


def below_flow_1(x: Replicate) -> list[float]:
    """Return the RTTs of flow 2 that are smaller than flow 1's."""
    return [rtt for rtt in x.rtts_ms if rtt in BELOW_RTT]


def against_the_line(x: Replicate, cca: str) -> list[float]:
    """Return the throughput ratio over the RTT ratio where flow 2's RTT is the smaller."""
    return [x.unlike(cca, rtt).ratio / (rtt / FLOW_1_RTT_MS) for rtt in below_flow_1(x)]


def unlike_rtts(x: Replicate) -> list[float]:
    """Return the RTTs of flow 2 that are not flow 1's."""
    return [rtt for rtt in x.rtts_ms if rtt != FLOW_1_RTT_MS]


def fairer_at_every_rtt(x: Replicate, cca: str, others: Sequence[str]) -> float:
    """Return the least difference, over unlike RTTs, from the best Jain's index of others."""
    return min(
        x.unlike(cca, rtt).jfi - max(x.unlike(other, rtt).jfi for other in others)
        for rtt in unlike_rtts(x)
    )


def lower_at_low_rtts(x: Replicate, cca: str) -> float:
    """Return how much Jain's index is below that of H-TCP and CUBIC where flow 2's RTT is less."""
    return fmean(
        min(x.unlike(other, rtt).jfi for other in FAIR_TO_RTT) - x.unlike(cca, rtt).jfi
        for rtt in below_flow_1(x)
    )


def best_at_equal_rtts(x: Replicate, cca: str) -> float:
    """Return Jain's index at equal RTTs less the best at others."""
    best = max(x.unlike(cca, rtt).jfi for rtt in unlike_rtts(x))
    return x.unlike(cca, FLOW_1_RTT_MS).jfi - best


# ---- inter-protocol: ratios are of the named variant over the other -----------------------------


def ratio_at(
    named: str, rtts: Callable[[Replicate], Sequence[float]]
) -> Callable[[Replicate, str], float]:
    """Return the statistic: geometric mean over RTTs of a variant's throughput over another's."""
    return lambda x, other: geometric_mean(x.beside(named, other, rtt).ratio for rtt in rtts(x))


def inverse(statistic: Callable[[Replicate, str], float]) -> Callable[[Replicate, str], float]:
    """Return the statistic: one over another."""
    return lambda x, other: 1 / statistic(x, other)


def at_low(x: Replicate) -> Sequence[float]:
    """Return the low RTTs."""
    return x.low


def at_high(x: Replicate) -> Sequence[float]:
    """Return the high RTTs."""
    return x.high


def change(named: str) -> Callable[[Replicate, str], float]:
    """Return the statistic: a variant's ratio at high RTTs over that at low ones."""
    low, high = ratio_at(named, at_low), ratio_at(named, at_high)
    return lambda x, other: high(x, other) / low(x, other)


def mean_share(x: Replicate, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return a variant's mean share against the four others."""
    return fmean(x.beside(cca, other, rtt).share for other in without(cca) for rtt in rtts_ms)


def above_the_best_of(cca: str, others: Sequence[str]) -> Statistic:
    """Return the statistic: a variant's mean share less the largest of others."""
    return lambda x: (
        mean_share(x, cca, x.rtts_ms) - max(mean_share(x, other, x.rtts_ms) for other in others)
    )


def below_the_least_of(cca: str, others: Sequence[str]) -> Statistic:
    """Return the statistic: the smallest mean share of others less that of a variant."""
    return lambda x: (
        min(mean_share(x, other, x.rtts_ms) for other in others) - mean_share(x, cca, x.rtts_ms)
    )


def least_gentle(x: Replicate, other: str) -> float:
    """Return the least of another's throughput over HighSpeed's, without the low RTTs of two."""
    rtts = above_low(x) if other in FAIR_TO_RTT else x.rtts_ms
    return min(1 / x.beside("highspeed", other, rtt).ratio for rtt in rtts)


def most_aggressive_to_highspeed(x: Replicate) -> float:
    """Return Scalable's throughput over HighSpeed's, over the same of the next variant."""
    ratios = {
        cca: geometric_mean(1 / x.beside("highspeed", cca, rtt).ratio for rtt in x.rtts_ms)
        for cca in without("highspeed")
    }
    return ratios.pop("scalable") / max(ratios.values())


def scalable_over_htcp_at_highspeed(x: Replicate) -> float:
    """Return what Scalable takes of HighSpeed over what H-TCP takes of it, at high RTTs."""
    of_htcp, of_scalable = (ratio_at("highspeed", at_high)(x, c) for c in ("htcp", "scalable"))
    return of_htcp / of_scalable


def largest_of_scalable(x: Replicate) -> float:
    """Return the largest of Scalable's throughput over another's."""
    return max(x.beside("scalable", o, rtt).ratio for o in without("scalable") for rtt in x.rtts_ms)


def fair_to_scalable(x: Replicate, other: str) -> float:
    """Return Jain's index of Scalable and another at high RTTs, mean."""
    return fmean(x.beside("scalable", other, rtt).jfi for rtt in x.high)


def scalable_change_in_fairness(x: Replicate) -> float:
    """Return the mean of Jain's index of Scalable and others at high RTTs less that at low ones."""

    def mean(rtts_ms: Sequence[float]) -> float:
        others = without("scalable")
        return fmean(x.beside("scalable", o, rtt).jfi for o in others for rtt in rtts_ms)

    return mean(x.high) - mean(x.low)


def htcp_grows(x: Replicate) -> float:
    """Return how much H-TCP's mean share against the others rises from low to high RTTs."""
    return mean_share(x, "htcp", x.high) - mean_share(x, "htcp", x.low)


# ---- the sentences ------------------------------------------------------------------------------


def claims_of(readings: Mapping) -> list[Claim]:
    """Return the sentences of the paper, by the readings of paper.yml."""
    more, unfair = Region(low=readings["more_ratio"]), Region(low=readings["unfair_ratio"])
    higher = Region(low=readings["more_jfi"])
    within = readings["equal_ratio"]
    equal = Region(1 / within, within)
    more_share = Region(low=readings["more_share"])
    ratio = {"scale": "log"}
    low, high = (
        " and ".join(f"{r} ms" for r in readings[k]) for k in ("low_rtt_ms", "high_rtt_ms")
    )
    medium = readings["medium_rtt_ms"]
    index = "Jain's index"
    return [
        Claim(
            "unfriendly",
            "The high-speed TCP protocols can be significantly unfriendly to existing standard TCP "
            "traffic",
            "section 6",
            "fig-friendliness",
            "variant / NewReno at the highest RTT",
            unfair,
            cases(lambda x, c: taken(x, c, x.rtts_ms[-1]), HIGH_SPEED, null=True),
            **ratio,
        ),
        Claim(
            "unfriendly_bdp",
            "[They are unfriendly] especially as the bandwidth-delay-product (BDP) increases",
            "section 6",
            "fig-friendliness",
            "variant / NewReno at the highest RTT, over that at the lowest",
            more,
            cases(unfriendly_growth, HIGH_SPEED, null=True),
            **ratio,
        ),
        Claim(
            "friendly_low",
            "Cubic and HTCP exhibit better fairness with standard TCP at very low RTT",
            "section 4.1",
            "fig-friendliness",
            f"{index} less the best of BIC, HighSpeed and Scalable, at {low}",
            higher,
            cases(
                lambda x, c: (
                    friendly(x, c, x.low)
                    - max(friendly(x, other, x.low) for other in without(*FAIR_TO_RTT))
                ),
                FAIR_TO_RTT,
            ),
        ),
        Claim(
            "friendly_similar",
            "For higher RTT networks, almost all high-speed variants display similar unfairness "
            "towards standard TCP",
            "section 4.1",
            "fig-friendliness",
            f"range of {index} over the four variants that are most alike, mean over {high}",
            Region(high=readings["changed_jfi"]),
            one(alike_at_high_rtts),
        ),
        Claim(
            "friendly_scalable",
            "Scalable TCP seems to consistently be the most aggressive towards standard TCP "
            "traffic",
            "section 4.1",
            "fig-friendliness",
            "Scalable / NewReno over that of the next variant, the least over the RTTs above "
            f"{low}",
            more,
            one(lambda x: min(most_aggressive_to_newreno(x, "scalable", without("scalable")))),
            **ratio,
        ),
        Claim(
            "friendly_htcp",
            "[Scalable is] closely followed by HTCP [in this]",
            "section 4.1",
            "fig-friendliness",
            "H-TCP / NewReno over the largest of BIC, CUBIC and HighSpeed, mean over the RTTs "
            f"above {low}",
            more,
            one(
                lambda x: geometric_mean(
                    most_aggressive_to_newreno(x, "htcp", without("htcp", "scalable"))
                )
            ),
            **ratio,
        ),
        Claim(
            "friendly_highspeed",
            "Highspeed-TCP exhibits superior TCP-friendliness at medium to high RTTs in comparison "
            "to the other high-speed variants",
            "section 4.1",
            "fig-friendliness",
            f"{index} less the best of the other variants, means over the RTTs above {medium} ms",
            higher,
            one(
                lambda x: (
                    friendly(x, "highspeed", above_medium(x))
                    - max(friendly(x, c, above_medium(x)) for c in without("highspeed"))
                )
            ),
        ),
        Claim(
            "slow_start",
            "The addition of the limited slow-start option of Highspeed TCP does yield a "
            "significant improvement in TCP-friendliness",
            "section 6",
            "fig-friendliness",
            f"{index} with limited slow start less that without",
            higher,
            never("neither ns-2's nor Linux 6.12's HighSpeed TCP has limited slow start"),
        ),
        Claim(
            "intra",
            "All high-speed TCP variants exhibit good intra-fairness properties, with fairness "
            "indices over 0.9 in the majority of cases",
            "section 4.2",
            "fig-intra",
            f"median of {index} over the variants and RTTs: the majority is above it",
            Region(low=readings["fair_jfi"]),
            one(median_alone),
        ),
        Claim(
            "intra_htcp",
            "HTCP obtained the higher Jain's fairness index values at all tested configurations",
            "section 6",
            "fig-intra",
            f"{index} of H-TCP less the best of the other variants, the least over the RTTs",
            higher,
            one(lambda x: fairest_everywhere(x, "htcp")),
        ),
        Claim(
            "intra_htcp_high",
            "HTCP in particular, has a consistently high fairness index at all RTTs",
            "section 4.2",
            "fig-intra",
            f"{index} of H-TCP, the least over the RTTs",
            Region(low=readings["fair_jfi"]),
            one(lambda x: min(x.alone("htcp", rtt).jfi for rtt in x.rtts_ms)),
        ),
        Claim(
            "intra_highspeed",
            "[HTCP is] closely followed by Highspeed-TCP",
            "section 4.2",
            "fig-intra",
            f"{index} of HighSpeed less the best of BIC, CUBIC and Scalable, means over the RTTs",
            higher,
            one(
                lambda x: (
                    mean_alone(x, "highspeed")
                    - max(mean_alone(x, c) for c in without("highspeed", "htcp"))
                )
            ),
        ),
        Claim(
            "intra_matched",
            "[HTCP's index is] closely matched by the other high-speed variants",
            "section 6",
            "fig-intra",
            f"{index} of H-TCP less that of another variant, means over the RTTs",
            Region(-readings["changed_jfi"], readings["changed_jfi"]),
            cases(lambda x, c: mean_alone(x, "htcp") - mean_alone(x, c), without("htcp")),
        ),
        Claim(
            "intra_trend",
            "In intra-protocol tests there is a trend to increased fairness with increased RTT",
            "section 6",
            "fig-intra",
            f"rise of {index} from the lowest to the highest RTT, by least squares",
            Region(low=readings["changed_jfi"]),
            cases(trend, HIGH_SPEED),
        ),
        Claim(
            "proportional",
            "The throughput between flows with heterogeneous round-trip times is indeed "
            "proportional to the ratio of their corresponding RTTs",
            "section 6",
            "fig-exponents",
            "exponent of the throughput ratio in the RTT ratio",
            Region(*readings["proportional"]),
            cases(exponent, HIGH_SPEED),
        ),
        Claim(
            "rtt_correlation",
            "All TCP variants share the bandwidth in an 'RTT-proportional' manner; this is evident "
            "by the high correlation between the throughput and RTT ratio values",
            "section 4.3",
            "fig-rtt-ratio",
            "Pearson's r of throughput ratio and RTT ratio",
            Region(low=readings["high_r"]),
            cases(pearson, HIGH_SPEED),
        ),
        Claim(
            "rtt_fair",
            "HTCP and Cubic have a consistently superior Jain's fairness index than the other TCP "
            "variants at all RTT values",
            "section 4.3",
            "fig-rtt-jfi",
            f"{index} less the best of BIC, HighSpeed and Scalable, the least over unlike RTTs",
            higher,
            cases(lambda x, c: fairer_at_every_rtt(x, c, without(*FAIR_TO_RTT)), FAIR_TO_RTT),
        ),
        Claim(
            "rtt_lower",
            "The RTT-fairness indices of BIC and Highspeed-TCP are much lower, especially at lower "
            "RTTs",
            "section 4.3",
            "fig-rtt-jfi",
            f"{index} of CUBIC or H-TCP, the lower, less the variant's, mean over RTTs of flow 2 "
            f"below {FLOW_1_RTT_MS} ms",
            Region(low=readings["much_jfi"]),
            cases(lower_at_low_rtts, ["bic", "highspeed"]),
        ),
        Claim(
            "rtt_scalable",
            "Scalable-TCP consistently had the lower fairness index",
            "section 4.3",
            "fig-rtt-jfi",
            f"lowest {index} of the other variants less Scalable's, the least over unlike RTTs",
            higher,
            one(
                lambda x: min(
                    min(x.unlike(c, rtt).jfi for c in without("scalable"))
                    - x.unlike("scalable", rtt).jfi
                    for rtt in unlike_rtts(x)
                )
            ),
        ),
        Claim(
            "rtt_above",
            "When the RTT of the second flow is smaller than that of first flow, the throughput "
            "ratios for Cubic and HTCP are above the 'reference' RTT ratio line",
            "section 4.3",
            "fig-rtt-ratio",
            "throughput ratio over RTT ratio where flow 2's RTT is the smaller, the least",
            more,
            cases(lambda x, c: min(against_the_line(x, c)), FAIR_TO_RTT),
            **ratio,
        ),
        Claim(
            "rtt_favour",
            "Scalable-TCP, Highspeed-TCP and BIC TCP tend to favour flows with smaller RTTs",
            "sections 4.3, 6",
            "fig-rtt-ratio",
            "RTT ratio over throughput ratio where flow 2's RTT is the smaller, mean",
            more,
            cases(
                lambda x, c: 1 / geometric_mean(against_the_line(x, c)),
                ["scalable", "highspeed", "bic"],
            ),
            **ratio,
        ),
        Claim(
            "rtt_aggressive",
            "Scalable-TCP flows with lower RTTs are more aggressive towards higher RTT flows in "
            "comparison with the other high-speed variants",
            "section 4.3",
            "fig-exponents",
            "exponent of Scalable less the largest of the other variants",
            Region(low=readings["more_exponent"]),
            one(
                lambda x: exponent(x, "scalable") - max(exponent(x, c) for c in without("scalable"))
            ),
        ),
        Claim(
            "rtt_equal",
            "The best fairness is when all flows have the same RTT and fairness is lower for when "
            "the tested variant has low or high RTT",
            "section 6",
            "fig-rtt-jfi",
            f"{index} at equal RTTs less the best at others",
            higher,
            cases(best_at_equal_rtts, HIGH_SPEED, needs=[FLOW_1_RTT_MS]),
        ),
        Claim(
            "bic_low",
            "BIC TCP tended to be more aggressive to all other protocols (except Scalable-TCP) at "
            "low RTT values",
            "section 4.4",
            "fig-inter-bic",
            f"BIC / other at {low}",
            more,
            cases(ratio_at("bic", at_low), without("bic", "scalable"), null=True),
            **ratio,
        ),
        Claim(
            "bic_highspeed",
            "At higher RTTs, BIC still received a higher share of bandwidth than Highspeed-TCP",
            "section 4.4",
            "fig-inter-bic",
            f"BIC / HighSpeed, mean over {high}",
            more,
            one(lambda x: ratio_at("bic", at_high)(x, "highspeed"), null=True),
            **ratio,
        ),
        Claim(
            "bic_cubic",
            "[At higher RTTs BIC] shared bandwidth equally with Cubic",
            "section 4.4",
            "fig-inter-bic",
            f"BIC / CUBIC, mean over {high}",
            equal,
            one(lambda x: ratio_at("bic", at_high)(x, "cubic")),
            **ratio,
        ),
        Claim(
            "bic_htcp",
            "[At higher RTTs BIC] became more gentle towards HTCP",
            "section 4.4",
            "fig-inter-bic",
            f"H-TCP / BIC at {high} (mean), over that at {low}",
            more,
            one(lambda x: 1 / change("bic")(x, "htcp"), null=True),
            **ratio,
        ),
        Claim(
            "bic_scalable",
            "BIC consistently achieved lower bandwidth than Scalable-TCP in any of the stated "
            "configurations",
            "section 4.4",
            "fig-inter-bic",
            "Scalable / BIC, the least over the RTTs",
            more,
            one(
                lambda x: min(1 / x.beside("bic", "scalable", rtt).ratio for rtt in x.rtts_ms),
                null=True,
            ),
            **ratio,
        ),
        Claim(
            "cubic_low",
            "Cubic TCP tended to be gentle (i.e. yielded lower throughputs) towards all TCP "
            "variants at low RTTs",
            "section 4.4",
            "fig-inter-cubic",
            f"other / CUBIC at {low}",
            more,
            cases(inverse(ratio_at("cubic", at_low)), without("cubic"), null=True),
            **ratio,
        ),
        Claim(
            "cubic_high",
            "at higher RTT values Cubic is relatively more aggressive towards Highspeed-TCP and "
            "BIC",
            "section 4.4",
            "fig-inter-cubic",
            f"CUBIC / other, mean over {high}",
            more,
            cases(ratio_at("cubic", at_high), ["highspeed", "bic"], null=True),
            **ratio,
        ),
        Claim(
            "htcp_delay",
            "HTCP is capable of grabbing more bandwidth as the end-to-end network delay increases",
            "section 4.4",
            "fig-inter-htcp",
            f"rise of H-TCP's mean share against the four others from {low} to {high}",
            more_share,
            one(htcp_grows, null=True),
            digits=3,
        ),
        Claim(
            "htcp_highspeed",
            "[HTCP] is therefore quite aggressive towards Highspeed-TCP flows",
            "section 4.4",
            "fig-inter-htcp",
            f"H-TCP / HighSpeed, mean over {high}",
            unfair,
            one(lambda x: ratio_at("htcp", at_high)(x, "highspeed"), null=True),
            **ratio,
        ),
        Claim(
            "htcp_bic_cubic",
            "[HTCP is] to a lesser degree [aggressive] towards BIC and Cubic flows",
            "section 4.4",
            "fig-inter-htcp",
            f"H-TCP / other, mean over {high}",
            more,
            cases(ratio_at("htcp", at_high), ["bic", "cubic"], null=True),
            **ratio,
        ),
        Claim(
            "highspeed_gentle",
            "Highspeed-TCP was consistently gentle towards the other high-speed protocols, as it "
            "obtained a considerably lower share (with the exception of Cubic and HTCP at very low "
            "RTTs)",
            "section 4.4",
            "fig-inter-highspeed",
            f"other / HighSpeed, the least over the RTTs (CUBIC, H-TCP: above {low})",
            unfair,
            cases(least_gentle, without("highspeed"), null=True),
            **ratio,
        ),
        Claim(
            "highspeed_scalable",
            "Scalable-TCP showed the greatest aggressiveness towards Highspeed-TCP",
            "section 4.4",
            "fig-inter-highspeed",
            "Scalable / HighSpeed over the same of the next variant, means over the RTTs",
            more,
            one(most_aggressive_to_highspeed),
            **ratio,
        ),
        Claim(
            "highspeed_htcp",
            "At high RTTs, HTCP is equally aggressive [towards Highspeed-TCP as Scalable]",
            "section 4.4",
            "fig-inter-highspeed",
            f"Scalable / HighSpeed over H-TCP / HighSpeed, means over {high}",
            equal,
            one(scalable_over_htcp_at_highspeed),
            **ratio,
        ),
        Claim(
            "inter_scalable",
            "[We find] Scalable-TCP being the most aggressive towards other protocols",
            "section 6",
            "fig-shares",
            "Scalable's mean share against the four others less the largest of them",
            more_share,
            one(above_the_best_of("scalable", without("scalable"))),
            digits=3,
        ),
        Claim(
            "inter_htcp",
            "[Scalable is] followed by HTCP",
            "section 6",
            "fig-shares",
            "H-TCP's mean share against the four others less the largest of BIC, CUBIC and "
            "HighSpeed",
            more_share,
            one(above_the_best_of("htcp", without("htcp", "scalable"))),
            digits=3,
        ),
        Claim(
            "inter_highspeed",
            "Highspeed-TCP was the most gentle towards the other high-speed protocols examined",
            "section 6",
            "fig-shares",
            "smallest mean share of the other variants less HighSpeed's",
            more_share,
            one(below_the_least_of("highspeed", without("highspeed"))),
            digits=3,
        ),
        Claim(
            "scalable_order",
            "Scalable TCP is the most aggressive protocol, at times obtaining at least an order of "
            "magnitude more bandwidth in comparison to competing flows",
            "section 4.4",
            "fig-inter-scalable",
            "Scalable / other, the largest over variants and RTTs",
            Region(low=readings["magnitude"]),
            one(largest_of_scalable, null=True),
            **ratio,
        ),
        Claim(
            "scalable_low",
            "This [an order of magnitude] was more evident at lower RTTs",
            "section 4.4",
            "fig-inter-scalable",
            f"Scalable / other at {low} over that at {high}, mean over the four others",
            more,
            one(
                lambda x: geometric_mean(1 / change("scalable")(x, o) for o in without("scalable")),
                null=True,
            ),
            **ratio,
        ),
        Claim(
            "scalable_improved",
            "At higher RTTs, fairness of Scalable-TCP is also improved",
            "section 4.4",
            "fig-inter-scalable",
            f"mean {index} of Scalable and another at {high} less that at {low}",
            Region(low=readings["changed_jfi"]),
            one(scalable_change_in_fairness, null=True),
        ),
        Claim(
            "scalable_fair",
            "with the exception of Highspeed-TCP, it performs fairly with other protocols",
            "section 4.4",
            "fig-inter-scalable",
            f"{index} of Scalable and another, mean over {high}",
            Region(low=readings["fair_jfi"]),
            cases(fair_to_scalable, without("scalable", "highspeed")),
        ),
    ]
