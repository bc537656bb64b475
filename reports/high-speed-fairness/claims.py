"""The sentences of `high-speed-fairness` and what they assert in numbers.

Each is a statistic of the means of cells (`cells`), on each queue by itself: 'these observations
hold for all tested cases of router queue size' (4.3). What its words are read as is in paper.yml
under `readings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, geometric_mean

import numpy as np
from evenflow.claims.cases import Claim, never
from evenflow.congestion_controls import variant_name
from evenflow.statistics.outcomes import MOST, SOME, at_least, more, within

from .cells import Cases, Means, Statistic
from .metrics import FLOW_1_RTT_MS, HIGH_SPEED, STANDARD

FAIR_TO_RTT = ["htcp", "cubic"]
ALL_RTTS = [16, 42, 82, 162, 324]  # a correlation is of five points at least
BELOW_RTT = [rtt for rtt in (16, 42, 82) if rtt < FLOW_1_RTT_MS]  # flow 2's RTT the smaller


def without(*variants: str) -> list[str]:
    """Return the other high-speed variants."""
    return [cca for cca in HIGH_SPEED if cca not in variants]


def cases(statistic: Callable[[Means, str], float], variants: Iterable[str], **more) -> Cases:
    """Return the measure that has a case for each variant."""
    of = {variant_name(cca): (lambda x, cca=cca: statistic(x, cca)) for cca in variants}
    return Cases(of, **more)


def one(statistic: Statistic, **more) -> Cases:
    """Return the measure that has one case."""
    return Cases({"": statistic}, **more)


def beyond(
    value: Callable[..., float],
    others: Iterable[str],
    rtts: Callable[[Means], Sequence[float]] | None = None,
    put: Callable[[float, float], float] = lambda mine, other: mine - other,
) -> Callable[[Means, str], Mapping[str, Statistic]]:
    """Return, for a variant, its value put against that of each of others.

    Args:
        value: of the means and a variant, and of an RTT where there are `rtts`: then at each.
        put: what two values are put together with.
    """
    others = list(others)

    def of_variant(means: Means, cca: str) -> dict[str, Statistic]:
        at = [()] if rtts is None else [(rtt,) for rtt in rtts(means)]
        return {
            f"{variant_name(other)}{f' at {rtt[0]:g} ms' if rtt else ''}": (
                lambda x, other=other, rtt=rtt: put(value(x, cca, *rtt), value(x, other, *rtt))
            )
            for other in others
            if other != cca
            for rtt in at
        }

    return of_variant


def at_each(
    value: Callable[..., float], rtts: Callable[[Means], Sequence[float]]
) -> Callable[..., Mapping[str, Statistic]]:
    """Return a value at each of several RTTs: of the means, a variant if there is one, an RTT."""
    return lambda means, *cca: {
        f"{rtt:g} ms": (lambda x, rtt=rtt: value(x, *cca, rtt)) for rtt in rtts(means)
    }


def every(x: Means) -> Sequence[float]:
    """Return all RTTs."""
    return x.rtts_ms


def over(mine: float, other: float) -> float:
    """Return one value over another."""
    return mine / other


# ---- TCP-friendliness: ratios are of the variant over NewReno -----------------------------------


def taken(x: Means, cca: str, rtt_ms: float) -> float:
    """Return a variant's throughput over that of NewReno."""
    return 1 / x.beside(STANDARD, cca, rtt_ms).ratio


def friendly(x: Means, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return the mean of Jain's index of NewReno and a variant."""
    return fmean(x.beside(STANDARD, cca, rtt).jfi for rtt in rtts_ms)


def unfriendly_growth(x: Means, cca: str) -> float:
    """Return how much more a variant takes at the highest RTT than at the lowest."""
    return taken(x, cca, x.rtts_ms[-1]) / taken(x, cca, x.rtts_ms[0])


def from_the_others(x: Means, cca: str) -> float:
    """Return a variant's mean of Jain's index at high RTTs less the mean of the four others."""
    return friendly(x, cca, x.high) - fmean(friendly(x, c, x.high) for c in without(cca))


def above_low(x: Means) -> list[float]:
    """Return the RTTs above the low ones."""
    return [rtt for rtt in x.rtts_ms if rtt not in x.low]


def above_medium(x: Means) -> list[float]:
    """Return the 'medium to high RTTs'."""
    return [rtt for rtt in x.rtts_ms if rtt > x.readings["medium_rtt_ms"]]


def taken_above_low(x: Means, cca: str) -> float:
    """Return a variant's ratio, the geometric mean over the RTTs above the low ones."""
    return geometric_mean(taken(x, cca, rtt) for rtt in above_low(x))


# ---- intra-protocol -----------------------------------------------------------------------------


def mean_alone(x: Means, cca: str) -> float:
    """Return the mean over the RTTs of Jain's index of two flows of a variant."""
    return fmean(x.alone(cca, rtt).jfi for rtt in x.rtts_ms)


def alike(x: Means, cca: str, rtt_ms: float) -> float:
    """Return Jain's index of two flows of a variant at an RTT."""
    return x.alone(cca, rtt_ms).jfi


def each_alone(means: Means) -> dict[str, Statistic]:
    """Return Jain's index of two flows of each variant at each RTT."""
    return {
        f"{variant_name(cca)} at {rtt:g} ms": (lambda x, cca=cca, rtt=rtt: alike(x, cca, rtt))
        for cca in HIGH_SPEED
        for rtt in means.rtts_ms
    }


def trend(x: Means, cca: str) -> float:
    """Return how much Jain's index rises over the RTTs, by least squares on their logarithm."""
    logs = np.log(np.asarray(x.rtts_ms, dtype=float))
    slope = np.polyfit(logs, [x.alone(cca, rtt).jfi for rtt in x.rtts_ms], 1)[0]
    return float(slope * (logs[-1] - logs[0]))


# ---- RTT fairness: ratios are of flow 1, of 162 ms, over flow 2 ---------------------------------


def rtt_line(x: Means, cca: str) -> tuple[np.ndarray, np.ndarray]:
    """Return RTT ratios and throughput ratios of a variant."""
    ratios = np.asarray([x.unlike(cca, rtt).ratio for rtt in x.rtts_ms])
    return np.asarray(x.rtts_ms, dtype=float) / FLOW_1_RTT_MS, ratios


def exponent(x: Means, cca: str) -> float:
    """Return the exponent of the throughput ratio in the RTT ratio, as `metrics.fit_exponent`."""
    return float(np.polyfit(*map(np.log, rtt_line(x, cca)), 1)[0])


def pearson(x: Means, cca: str) -> float:
    """Return Pearson's r of throughput ratio and RTT ratio; 0 where all ratios are the same."""
    rtts, ratios = rtt_line(x, cca)
    return float(np.corrcoef(rtts, ratios)[0, 1]) if np.ptp(ratios) else 0.0


def below_flow_1(x: Means) -> list[float]:
    """Return the RTTs of flow 2 that are smaller than flow 1's."""
    return [rtt for rtt in x.rtts_ms if rtt in BELOW_RTT]


def against_the_line(x: Means, cca: str, rtt_ms: float) -> float:
    """Return the throughput ratio over the RTT ratio."""
    return x.unlike(cca, rtt_ms).ratio / (rtt_ms / FLOW_1_RTT_MS)


def unlike_rtts(x: Means) -> list[float]:
    """Return the RTTs of flow 2 that are not flow 1's."""
    return [rtt for rtt in x.rtts_ms if rtt != FLOW_1_RTT_MS]


def unlike(x: Means, cca: str, rtt_ms: float) -> float:
    """Return Jain's index of two flows of a variant, of 162 ms and of another RTT."""
    return x.unlike(cca, rtt_ms).jfi


def unlike_below(x: Means, cca: str) -> float:
    """Return the mean of that index where flow 2's RTT is the smaller."""
    return fmean(unlike(x, cca, rtt) for rtt in below_flow_1(x))


def equal_less_unlike(x: Means, cca: str, rtt_ms: float) -> float:
    """Return Jain's index at equal RTTs less that at another."""
    return unlike(x, cca, FLOW_1_RTT_MS) - unlike(x, cca, rtt_ms)


# ---- inter-protocol: ratios are of the named variant over the other -----------------------------


def ratio_at(named: str, rtts: Callable[[Means], Sequence[float]]) -> Callable[[Means, str], float]:
    """Return the statistic: geometric mean over RTTs of a variant's throughput over another's."""
    return lambda x, other: geometric_mean(x.beside(named, other, rtt).ratio for rtt in rtts(x))


def inverse(statistic: Callable[[Means, str], float]) -> Callable[[Means, str], float]:
    """Return the statistic: one over another."""
    return lambda x, other: 1 / statistic(x, other)


def at_low(x: Means) -> Sequence[float]:
    """Return the low RTTs."""
    return x.low


def at_high(x: Means) -> Sequence[float]:
    """Return the high RTTs."""
    return x.high


def change(named: str) -> Callable[[Means, str], float]:
    """Return the statistic: a variant's ratio at high RTTs over that at low ones."""
    low, high = ratio_at(named, at_low), ratio_at(named, at_high)
    return lambda x, other: high(x, other) / low(x, other)


def mean_share(x: Means, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return a variant's mean share against the four others."""
    return fmean(x.beside(cca, other, rtt).share for other in without(cca) for rtt in rtts_ms)


def all_shares(x: Means, cca: str) -> float:
    """Return a variant's mean share against the four others over all RTTs."""
    return mean_share(x, cca, x.rtts_ms)


def gentle(means: Means, other: str) -> dict[str, Statistic]:
    """Return another's throughput over HighSpeed's at each RTT, without the low RTTs of two."""
    rtts = above_low(means) if other in FAIR_TO_RTT else means.rtts_ms
    return {
        f"{rtt:g} ms": (lambda x, rtt=rtt: 1 / x.beside("highspeed", other, rtt).ratio)
        for rtt in rtts
    }


def taken_of_highspeed(x: Means, cca: str) -> float:
    """Return a variant's throughput over HighSpeed's, the geometric mean over the RTTs."""
    return geometric_mean(1 / x.beside("highspeed", cca, rtt).ratio for rtt in x.rtts_ms)


def scalable_over_htcp_at_highspeed(x: Means) -> float:
    """Return what Scalable takes of HighSpeed over what H-TCP takes of it, at high RTTs."""
    of_htcp, of_scalable = (ratio_at("highspeed", at_high)(x, c) for c in ("htcp", "scalable"))
    return of_htcp / of_scalable


def each_of_scalable(means: Means) -> dict[str, Statistic]:
    """Return Scalable's throughput over another's, of each other and at each RTT."""
    return {
        f"{variant_name(other)} at {rtt:g} ms": (
            lambda x, other=other, rtt=rtt: x.beside("scalable", other, rtt).ratio
        )
        for other in without("scalable")
        for rtt in means.rtts_ms
    }


def fair_to_scalable(x: Means, other: str) -> float:
    """Return Jain's index of Scalable and another at high RTTs, mean."""
    return fmean(x.beside("scalable", other, rtt).jfi for rtt in x.high)


def scalable_change_in_fairness(x: Means) -> float:
    """Return the mean of Jain's index of Scalable and others at high RTTs less that at low ones."""

    def mean(rtts_ms: Sequence[float]) -> float:
        others = without("scalable")
        return fmean(x.beside("scalable", o, rtt).jfi for o in others for rtt in rtts_ms)

    return mean(x.high) - mean(x.low)


def htcp_grows(x: Means) -> float:
    """Return how much H-TCP's mean share against the others rises from low to high RTTs."""
    return mean_share(x, "htcp", x.high) - mean_share(x, "htcp", x.low)


# ---- the sentences ------------------------------------------------------------------------------


def claims_of(readings: Mapping) -> list[Claim]:
    """Return the sentences of the paper, by the readings of paper.yml."""
    tenth, unfair = more(readings["more_ratio"]), more(readings["unfair_ratio"])
    higher = more(readings["more_jfi"])
    equal = within(1 / readings["equal_ratio"], readings["equal_ratio"])
    more_share = more(readings["more_share"])
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
            tenth,
            cases(unfriendly_growth, HIGH_SPEED, null=True),
            **ratio,
        ),
        Claim(
            "friendly_low",
            "Cubic and HTCP exhibit better fairness with standard TCP at very low RTT",
            "section 4.1",
            "fig-friendliness",
            f"{index} less that of BIC, HighSpeed and Scalable, each, at {low}",
            higher,
            cases(
                beyond(lambda x, c: friendly(x, c, x.low), without(*FAIR_TO_RTT)),
                FAIR_TO_RTT,
                several=True,
            ),
        ),
        Claim(
            "friendly_similar",
            "For higher RTT networks, almost all high-speed variants display similar unfairness "
            "towards standard TCP",
            "section 4.1",
            "fig-friendliness",
            f"{index} less the mean of the other four, mean over {high}",
            within(-readings["changed_jfi"], readings["changed_jfi"]),
            cases(from_the_others, HIGH_SPEED),
            quantifier=MOST,
        ),
        Claim(
            "friendly_scalable",
            "Scalable TCP seems to consistently be the most aggressive towards standard TCP "
            "traffic",
            "section 4.1",
            "fig-friendliness",
            f"Scalable / NewReno over that of each other variant, at every RTT above {low}",
            tenth,
            one(
                lambda m: beyond(taken, without("scalable"), above_low, over)(m, "scalable"),
                several=True,
            ),
            **ratio,
        ),
        Claim(
            "friendly_htcp",
            "[Scalable is] closely followed by HTCP [in this]",
            "section 4.1",
            "fig-friendliness",
            f"H-TCP / NewReno over that of BIC, CUBIC and HighSpeed, each, mean over the RTTs "
            f"above {low}",
            tenth,
            one(
                lambda m: beyond(taken_above_low, without("htcp", "scalable"), put=over)(m, "htcp"),
                several=True,
            ),
            **ratio,
        ),
        Claim(
            "friendly_highspeed",
            "Highspeed-TCP exhibits superior TCP-friendliness at medium to high RTTs in comparison "
            "to the other high-speed variants",
            "section 4.1",
            "fig-friendliness",
            f"{index} less that of each other variant, means over the RTTs above {medium} ms",
            higher,
            one(
                lambda m: beyond(
                    lambda x, c: friendly(x, c, above_medium(x)), without("highspeed")
                )(m, "highspeed"),
                several=True,
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
            f"{index}, in most of the variants and RTTs",
            at_least(readings["fair_jfi"]),
            one(each_alone, several=True, quantifier=MOST),
        ),
        Claim(
            "intra_htcp",
            "HTCP obtained the higher Jain's fairness index values at all tested configurations",
            "section 6",
            "fig-intra",
            f"{index} of H-TCP less that of each other variant, at every RTT",
            higher,
            one(lambda m: beyond(alike, without("htcp"), every)(m, "htcp"), several=True),
        ),
        Claim(
            "intra_htcp_high",
            "HTCP in particular, has a consistently high fairness index at all RTTs",
            "section 4.2",
            "fig-intra",
            f"{index} of H-TCP, at every RTT",
            at_least(readings["fair_jfi"]),
            one(at_each(lambda x, rtt: alike(x, "htcp", rtt), every), several=True),
        ),
        Claim(
            "intra_highspeed",
            "[HTCP is] closely followed by Highspeed-TCP",
            "section 4.2",
            "fig-intra",
            f"{index} of HighSpeed less that of BIC, CUBIC and Scalable, each, means over the RTTs",
            higher,
            one(
                lambda m: beyond(mean_alone, without("highspeed", "htcp"))(m, "highspeed"),
                several=True,
            ),
        ),
        Claim(
            "intra_matched",
            "[HTCP's index is] closely matched by the other high-speed variants",
            "section 6",
            "fig-intra",
            f"{index} of H-TCP less that of another variant, means over the RTTs",
            within(-readings["changed_jfi"], readings["changed_jfi"]),
            cases(lambda x, c: mean_alone(x, "htcp") - mean_alone(x, c), without("htcp")),
        ),
        Claim(
            "intra_trend",
            "In intra-protocol tests there is a trend to increased fairness with increased RTT",
            "section 6",
            "fig-intra",
            f"rise of {index} from the lowest to the highest RTT, by least squares",
            more(readings["changed_jfi"]),
            cases(trend, HIGH_SPEED),
        ),
        Claim(
            "proportional",
            "The throughput between flows with heterogeneous round-trip times is indeed "
            "proportional to the ratio of their corresponding RTTs",
            "section 6",
            "fig-exponents",
            "exponent of the throughput ratio in the RTT ratio",
            within(*readings["proportional"]),
            cases(exponent, HIGH_SPEED),
        ),
        Claim(
            "rtt_correlation",
            "All TCP variants share the bandwidth in an 'RTT-proportional' manner; this is evident "
            "by the high correlation between the throughput and RTT ratio values",
            "section 4.3",
            "fig-rtt-ratio",
            "Pearson's r of throughput ratio and RTT ratio",
            at_least(readings["high_r"]),
            cases(pearson, HIGH_SPEED, needs=ALL_RTTS, points=True),
            scale="z",
        ),
        Claim(
            "rtt_fair",
            "HTCP and Cubic have a consistently superior Jain's fairness index than the other TCP "
            "variants at all RTT values",
            "section 4.3",
            "fig-rtt-jfi",
            f"{index} less that of BIC, HighSpeed and Scalable, each, at every unlike RTT",
            higher,
            cases(beyond(unlike, without(*FAIR_TO_RTT), unlike_rtts), FAIR_TO_RTT, several=True),
        ),
        Claim(
            "rtt_lower",
            "The RTT-fairness indices of BIC and Highspeed-TCP are much lower, especially at lower "
            "RTTs",
            "section 4.3",
            "fig-rtt-jfi",
            f"{index} of CUBIC and H-TCP, each, less the variant's, mean over RTTs of flow 2 "
            f"below {FLOW_1_RTT_MS} ms",
            more(readings["much_jfi"]),
            cases(
                beyond(unlike_below, FAIR_TO_RTT, put=lambda mine, other: other - mine),
                ["bic", "highspeed"],
                several=True,
            ),
        ),
        Claim(
            "rtt_scalable",
            "Scalable-TCP consistently had the lower fairness index",
            "section 4.3",
            "fig-rtt-jfi",
            f"{index} of each other variant less Scalable's, at every unlike RTT",
            higher,
            one(
                lambda m: beyond(
                    unlike, without("scalable"), unlike_rtts, lambda mine, other: other - mine
                )(m, "scalable"),
                several=True,
            ),
        ),
        Claim(
            "rtt_above",
            "When the RTT of the second flow is smaller than that of first flow, the throughput "
            "ratios for Cubic and HTCP are above the 'reference' RTT ratio line",
            "section 4.3",
            "fig-rtt-ratio",
            "throughput ratio over RTT ratio at every RTT of flow 2 that is the smaller",
            tenth,
            cases(at_each(against_the_line, below_flow_1), FAIR_TO_RTT, several=True),
            **ratio,
        ),
        Claim(
            "rtt_favour",
            "Scalable-TCP, Highspeed-TCP and BIC TCP tend to favour flows with smaller RTTs",
            "sections 4.3, 6",
            "fig-rtt-ratio",
            "RTT ratio over throughput ratio where flow 2's RTT is the smaller, mean",
            tenth,
            cases(
                lambda x, c: 1 / geometric_mean(against_the_line(x, c, r) for r in below_flow_1(x)),
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
            "exponent of Scalable less that of each other variant",
            more(readings["more_exponent"]),
            one(lambda m: beyond(exponent, without("scalable"))(m, "scalable"), several=True),
        ),
        Claim(
            "rtt_equal",
            "The best fairness is when all flows have the same RTT and fairness is lower for when "
            "the tested variant has low or high RTT",
            "section 6",
            "fig-rtt-jfi",
            f"{index} at equal RTTs less that at every other",
            higher,
            cases(
                at_each(equal_less_unlike, unlike_rtts),
                HIGH_SPEED,
                needs=[FLOW_1_RTT_MS],
                several=True,
            ),
        ),
        Claim(
            "bic_low",
            "BIC TCP tended to be more aggressive to all other protocols (except Scalable-TCP) at "
            "low RTT values",
            "section 4.4",
            "fig-inter-bic",
            f"BIC / other at {low}",
            tenth,
            cases(ratio_at("bic", at_low), without("bic", "scalable"), null=True),
            **ratio,
        ),
        Claim(
            "bic_highspeed",
            "At higher RTTs, BIC still received a higher share of bandwidth than Highspeed-TCP",
            "section 4.4",
            "fig-inter-bic",
            f"BIC / HighSpeed, mean over {high}",
            tenth,
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
            tenth,
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
            tenth,
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
            tenth,
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
            tenth,
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
            tenth,
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
            f"other / HighSpeed, at every RTT (CUBIC, H-TCP: above {low})",
            unfair,
            cases(gentle, without("highspeed"), null=True, several=True),
            **ratio,
        ),
        Claim(
            "highspeed_scalable",
            "Scalable-TCP showed the greatest aggressiveness towards Highspeed-TCP",
            "section 4.4",
            "fig-inter-highspeed",
            "Scalable / HighSpeed over the same of each other variant, means over the RTTs",
            tenth,
            one(
                lambda m: beyond(taken_of_highspeed, without("highspeed", "scalable"), put=over)(
                    m, "scalable"
                ),
                several=True,
            ),
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
            "Scalable's mean share against the four others less that of each of them",
            more_share,
            one(lambda m: beyond(all_shares, without("scalable"))(m, "scalable"), several=True),
            digits=3,
        ),
        Claim(
            "inter_htcp",
            "[Scalable is] followed by HTCP",
            "section 6",
            "fig-shares",
            "H-TCP's mean share against the four others less that of BIC, CUBIC and HighSpeed, "
            "each",
            more_share,
            one(lambda m: beyond(all_shares, without("htcp", "scalable"))(m, "htcp"), several=True),
            digits=3,
        ),
        Claim(
            "inter_highspeed",
            "Highspeed-TCP was the most gentle towards the other high-speed protocols examined",
            "section 6",
            "fig-shares",
            "mean share of each other variant less HighSpeed's",
            more_share,
            one(
                lambda m: beyond(
                    all_shares, without("highspeed"), put=lambda mine, other: other - mine
                )(m, "highspeed"),
                several=True,
            ),
            digits=3,
        ),
        Claim(
            "scalable_order",
            "Scalable TCP is the most aggressive protocol, at times obtaining at least an order of "
            "magnitude more bandwidth in comparison to competing flows",
            "section 4.4",
            "fig-inter-scalable",
            "Scalable / other, of some variant at some RTT",
            more(readings["magnitude"]),
            one(each_of_scalable, null=True, several=True, quantifier=SOME),
            **ratio,
        ),
        Claim(
            "scalable_low",
            "This [an order of magnitude] was more evident at lower RTTs",
            "section 4.4",
            "fig-inter-scalable",
            f"Scalable / other at {low} over that at {high}, mean over the four others",
            tenth,
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
            more(readings["changed_jfi"]),
            one(scalable_change_in_fairness, null=True),
        ),
        Claim(
            "scalable_fair",
            "with the exception of Highspeed-TCP, it performs fairly with other protocols",
            "section 4.4",
            "fig-inter-scalable",
            f"{index} of Scalable and another, mean over {high}",
            at_least(readings["fair_jfi"]),
            cases(fair_to_scalable, without("scalable", "highspeed")),
        ),
    ]
