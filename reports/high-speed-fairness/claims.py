"""How the claims of claims.yml are measured: statistics of the means of cells (`cells`).

Each is on each queue by itself: 'these observations hold for all tested cases of router queue size'
(4.3). What its words are read as is in paper.yml under `readings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, log
from operator import sub
from statistics import fmean, geometric_mean

import numpy as np
from evenflow.claims.sentences import Sentence
from evenflow.congestion_controls import variant_name
from evenflow.errors import did_you_mean
from evenflow.papers import paper
from evenflow.statistics.repeats import pearson

from .cells import Cases, Means, Statistic
from .metrics import FLOW_1_RTT_MS, HIGH_SPEED, STANDARD

FAIR_TO_RTT = ["htcp", "cubic"]
FALLING = ["bic", "highspeed"]  # that lose share with the RTT; CUBIC and H-TCP gain
ALL_RTTS = [16, 42, 82, 162, 324]  # a correlation is of five points at least
RTTS: dict[str, Callable[[Means], list[float]]] = {  # the cells of claims.yml: RTTs of flow 2
    "every": lambda x: list(x.rtts_ms),
    "all five": lambda x: list(x.rtts_ms),
    "low": lambda x: x.low,
    "high": lambda x: x.high,
    "low and high": lambda x: [*x.low, *x.high],
    "lowest and highest": lambda x: [x.rtts_ms[0], x.rtts_ms[-1]],
    "highest": lambda x: [x.rtts_ms[-1]],
    "above low": lambda x: [rtt for rtt in x.rtts_ms if rtt not in x.low],
    "every; of CUBIC and H-TCP above low": lambda x: list(x.rtts_ms),
    "above medium": lambda x: [rtt for rtt in x.rtts_ms if rtt > x.readings["medium_rtt_ms"]],
    "below flow 1": lambda x: [rtt for rtt in x.rtts_ms if rtt < FLOW_1_RTT_MS],
    "unlike flow 1": lambda x: [rtt for rtt in x.rtts_ms if rtt != FLOW_1_RTT_MS],
    "unlike flow 1, and equal": lambda x: [rtt for rtt in x.rtts_ms if rtt != FLOW_1_RTT_MS],
}
NEEDS = {"all five": ALL_RTTS, "unlike flow 1, and equal": [FLOW_1_RTT_MS]}


def rtts_of(said: Sentence) -> Callable[[Means], list[float]]:
    """Return the RTTs that the cells of a claim are, of those that there are."""
    if said.cells not in RTTS:
        raise said.wrong(f"{said.cells!r} are no RTTs", did_you_mean(said.cells, RTTS))
    return RTTS[said.cells]


def without(*variants: str) -> list[str]:
    """Return the other high-speed variants."""
    return [cca for cca in HIGH_SPEED if cca not in variants]


def cases(said: Sentence, statistic: Callable[[Means, str], float], **more) -> Cases:
    """Return the measure that has a case for each variant of a sentence.

    Args:
        more: several, points, misfits, queues of `Cases`.
    """
    of = {variant_name(cca): (lambda x, cca=cca: statistic(x, cca)) for cca in said.cases}
    return Cases(of, **_as_said(said), **more)


def one(said: Sentence, statistic: Statistic, **more) -> Cases:
    """Return the measure that has one case. Arguments as of `cases`."""
    return Cases({"": statistic}, **_as_said(said), **more)


def _as_said(said: Sentence) -> dict:
    needs = NEEDS.get(said.cells, ())
    return {
        "null": said.control, "needs": needs, "quantifier": said.quantifier, "only": said.only
    }  # fmt: skip


def beyond(
    value: Callable[..., float],
    others: Iterable[str],
    rtts: Callable[[Means], Sequence[float]] | None = None,
    put: Callable[[float, float], float] = sub,
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


def over(mine: float, other: float) -> float:
    """Return one value over another."""
    return mine / other


def other_less_mine(mine: float, other: float) -> float:
    """Return by how much another value is larger."""
    return other - mine


# ---- TCP-friendliness: ratios are of the variant over NewReno -----------------------------------


def taken(x: Means, cca: str, rtt_ms: float) -> float:
    """Return a variant's throughput over that of NewReno."""
    return 1 / x.beside(STANDARD, cca, rtt_ms).ratio


def friendly(x: Means, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return the mean of Jain's index of NewReno and a variant."""
    return fmean(x.beside(STANDARD, cca, rtt).jfi for rtt in rtts_ms)


@paper.claim
def unfriendly(said: Sentence) -> Cases:
    return cases(said, lambda x, cca: taken(x, cca, *rtts_of(said)(x)))


@paper.claim
def unfriendly_bdp(said: Sentence) -> Cases:
    """Measure how much more a variant takes at the highest RTT than at the lowest."""

    def growth(x: Means, cca: str) -> float:
        lowest, highest = rtts_of(said)(x)
        return taken(x, cca, highest) / taken(x, cca, lowest)

    return cases(said, growth)


@paper.claim
def friendly_low(said: Sentence) -> Cases:
    others = without(*FAIR_TO_RTT)
    return cases(
        said, beyond(lambda x, cca: friendly(x, cca, rtts_of(said)(x)), others), several=True
    )


@paper.claim
def friendly_similar(said: Sentence) -> Cases:
    """Measure a variant's mean of Jain's index less the mean of the four others."""

    def apart(x: Means, cca: str) -> float:
        rtts = rtts_of(said)(x)
        return friendly(x, cca, rtts) - fmean(friendly(x, c, rtts) for c in without(cca))

    return cases(said, apart)


@paper.claim
def friendly_scalable(said: Sentence) -> Cases:
    mine = beyond(taken, without("scalable"), rtts_of(said), over)
    return one(said, lambda x: mine(x, "scalable"), several=True)


@paper.claim
def friendly_htcp(said: Sentence) -> Cases:
    """Measure H-TCP's ratio over those of others, geometric means over the RTTs."""

    def mean(x: Means, cca: str) -> float:
        return geometric_mean(taken(x, cca, rtt) for rtt in rtts_of(said)(x))

    mine = beyond(mean, without("htcp", "scalable"), put=over)
    return one(said, lambda x: mine(x, "htcp"), several=True)


@paper.claim
def friendly_highspeed(said: Sentence) -> Cases:
    mine = beyond(lambda x, cca: friendly(x, cca, rtts_of(said)(x)), without("highspeed"))
    return one(said, lambda x: mine(x, "highspeed"), several=True)


@paper.claim
def newreno_left(said: Sentence) -> Cases:
    return cases(said, lambda x, cca: x.beside(STANDARD, cca, *rtts_of(said)(x)).share)


# ---- intra-protocol -----------------------------------------------------------------------------


def mean_alone(x: Means, cca: str) -> float:
    """Return the mean over the RTTs of Jain's index of two flows of a variant."""
    return fmean(x.alone(cca, rtt).jfi for rtt in x.rtts_ms)


def trend(x: Means, cca: str) -> float:
    """Return how much Jain's index rises over the RTTs, by least squares on their logarithm."""
    logs = np.log(np.asarray(x.rtts_ms, dtype=float))
    slope = np.polyfit(logs, [x.alone(cca, rtt).jfi for rtt in x.rtts_ms], 1)[0]
    return float(slope * (logs[-1] - logs[0]))


def alike(x: Means, cca: str, rtt_ms: float) -> float:
    """Return Jain's index of two flows of a variant at an RTT."""
    return x.alone(cca, rtt_ms).jfi


@paper.claim
def intra(said: Sentence) -> Cases:
    """Measure Jain's index of two flows of each variant at each RTT."""

    def each(means: Means) -> dict[str, Statistic]:
        return {
            f"{variant_name(cca)} at {rtt:g} ms": (lambda x, cca=cca, rtt=rtt: alike(x, cca, rtt))
            for cca in HIGH_SPEED
            for rtt in rtts_of(said)(means)
        }

    return one(said, each, several=True)


@paper.claim
def intra_htcp(said: Sentence) -> Cases:
    mine = beyond(alike, without("htcp"), rtts_of(said))
    return one(said, lambda x: mine(x, "htcp"), several=True)


@paper.claim
def intra_htcp_high(said: Sentence) -> Cases:
    return one(said, at_each(lambda x, rtt: alike(x, "htcp", rtt), rtts_of(said)), several=True)


@paper.claim
def intra_highspeed(said: Sentence) -> Cases:
    mine = beyond(mean_alone, without("highspeed", "htcp"))
    return one(said, lambda x: mine(x, "highspeed"), several=True)


@paper.claim
def intra_matched(said: Sentence) -> Cases:
    return cases(said, lambda x, cca: mean_alone(x, "htcp") - mean_alone(x, cca))


@paper.claim
def intra_trend(said: Sentence) -> Cases:
    return cases(said, trend)


@paper.claim
def scalable_apart(said: Sentence) -> Cases:
    return one(said, lambda x: alike(x, "scalable", *rtts_of(said)(x)))


# ---- RTT fairness: ratios are of flow 1, of 162 ms, over flow 2 ---------------------------------


def rtt_line(x: Means, cca: str, *, late: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return RTT ratios and throughput ratios of a variant. late: flow 1 starts second."""
    ratios = np.asarray([x.unlike(cca, rtt, late=late).ratio for rtt in x.rtts_ms])
    return np.asarray(x.rtts_ms, dtype=float) / FLOW_1_RTT_MS, ratios


def exponent(x: Means, cca: str, *, late: bool = False, queue_ms: float = 0.0) -> float:
    """Return the exponent of the throughput ratio in the RTT ratio, as `metrics.fit_exponent`.

    queue_ms: what queueing adds to the RTTs of both flows.
    """
    rtt_ratios, ratios = rtt_line(x, cca, late=late)
    added = queue_ms / FLOW_1_RTT_MS
    return float(np.polyfit(np.log((rtt_ratios + added) / (1 + added)), np.log(ratios), 1)[0])


def correlation_with_rtt(x: Means, cca: str) -> float:
    """Return Pearson's r of throughput ratio and RTT ratio; 0 where all ratios are the same."""
    return pearson(*rtt_line(x, cca)) or 0.0


def against_the_line(x: Means, cca: str, rtt_ms: float) -> float:
    """Return the throughput ratio over the RTT ratio."""
    return x.unlike(cca, rtt_ms).ratio / (rtt_ms / FLOW_1_RTT_MS)


def unlike(x: Means, cca: str, rtt_ms: float) -> float:
    """Return Jain's index of two flows of a variant, of 162 ms and of another RTT."""
    return x.unlike(cca, rtt_ms).jfi


def misfit(x: Means, cca: str) -> float:
    """Return the largest factor by which a throughput ratio lies off the fit of `exponent`."""
    rtts, ratios = map(np.log, rtt_line(x, cca))
    off = ratios - np.polyval(np.polyfit(rtts, ratios, 1), rtts)
    return float(np.exp(np.max(np.abs(off))))


@paper.claim
def exponent_of(said: Sentence) -> Cases:
    misfits = {variant_name(cca): (lambda x, cca=cca: misfit(x, cca)) for cca in said.cases}
    return cases(said, exponent, misfits=misfits)


@paper.claim
def exponent_alone(said: Sentence) -> Cases:
    """Measure the exponent of the one variant that the sentence is about."""
    (cca,) = said.cases
    return one(said, lambda x: exponent(x, cca), misfits={"": lambda x: misfit(x, cca)})


@paper.claim
def rtt_aggressive(said: Sentence) -> Cases:
    mine = beyond(exponent, without("scalable"))
    return one(said, lambda x: mine(x, "scalable"), several=True)


@paper.claim
def rtt_correlation(said: Sentence) -> Cases:
    return cases(said, correlation_with_rtt, points=True)


@paper.claim
def rtt_fair(said: Sentence) -> Cases:
    return cases(said, beyond(unlike, without(*FAIR_TO_RTT), rtts_of(said)), several=True)


@paper.claim
def rtt_lower(said: Sentence) -> Cases:
    def mean(x: Means, cca: str) -> float:
        return fmean(unlike(x, cca, rtt) for rtt in rtts_of(said)(x))

    return cases(said, beyond(mean, FAIR_TO_RTT, put=other_less_mine), several=True)


@paper.claim
def rtt_scalable(said: Sentence) -> Cases:
    mine = beyond(unlike, without("scalable"), rtts_of(said), other_less_mine)
    return one(said, lambda x: mine(x, "scalable"), several=True)


@paper.claim
def rtt_above(said: Sentence) -> Cases:
    return cases(said, at_each(against_the_line, rtts_of(said)), several=True)


@paper.claim
def rtt_favour(said: Sentence) -> Cases:
    def favour(x: Means, cca: str) -> float:
        return 1 / geometric_mean(against_the_line(x, cca, rtt) for rtt in rtts_of(said)(x))

    return cases(said, favour)


@paper.claim
def rtt_equal(said: Sentence) -> Cases:
    """Measure Jain's index at equal RTTs less that at each other."""

    def apart(x: Means, cca: str, rtt_ms: float) -> float:
        return unlike(x, cca, FLOW_1_RTT_MS) - unlike(x, cca, rtt_ms)

    return cases(said, at_each(apart, rtts_of(said)), several=True)


# ---- inter-protocol: ratios are of the named variant over the other -----------------------------


def mean_share(x: Means, cca: str, rtts_ms: Sequence[float]) -> float:
    """Return a variant's mean share against the four others."""
    return fmean(x.beside(cca, other, rtt).share for other in without(cca) for rtt in rtts_ms)


def mean_ratio(x: Means, named: str, other: str, rtts_ms: Iterable[float]) -> float:
    """Return the geometric mean over RTTs of a variant's throughput over another's."""
    return geometric_mean(x.beside(named, other, rtt).ratio for rtt in rtts_ms)


def change(x: Means, named: str, other: str) -> float:
    """Return a variant's ratio at high RTTs over that at low ones."""
    return mean_ratio(x, named, other, x.high) / mean_ratio(x, named, other, x.low)


def ratio_to(said: Sentence, named: str, other: str) -> Callable[[Means], float]:
    """Return the statistic: `mean_ratio` over the cells of a sentence."""
    return lambda x: mean_ratio(x, named, other, rtts_of(said)(x))


def ratio_to_each(said: Sentence, named: str) -> Cases:
    """Measure `mean_ratio` to each of the cases."""
    return cases(said, lambda x, other: mean_ratio(x, named, other, rtts_of(said)(x)))


@paper.claim
def bic_low(said: Sentence) -> Cases:
    return ratio_to_each(said, "bic")


@paper.claim
def bic_highspeed(said: Sentence) -> Cases:
    return one(said, ratio_to(said, "bic", "highspeed"))


@paper.claim
def bic_cubic(said: Sentence) -> Cases:
    return one(said, ratio_to(said, "bic", "cubic"))


@paper.claim
def bic_htcp(said: Sentence) -> Cases:
    return one(said, lambda x: 1 / change(x, "bic", "htcp"))


@paper.claim
def bic_scalable(said: Sentence) -> Cases:
    def lost(x: Means, rtt_ms: float) -> float:
        return 1 / x.beside("bic", "scalable", rtt_ms).ratio

    return one(said, at_each(lost, rtts_of(said)), several=True)


@paper.claim
def cubic_low(said: Sentence) -> Cases:
    return cases(said, lambda x, other: 1 / mean_ratio(x, "cubic", other, rtts_of(said)(x)))


@paper.claim
def cubic_high(said: Sentence) -> Cases:
    return ratio_to_each(said, "cubic")


@paper.claim
def htcp_delay(said: Sentence) -> Cases:
    return one(said, lambda x: mean_share(x, "htcp", x.high) - mean_share(x, "htcp", x.low))


@paper.claim
def htcp_highspeed(said: Sentence) -> Cases:
    return one(said, ratio_to(said, "htcp", "highspeed"))


@paper.claim
def htcp_bic_cubic(said: Sentence) -> Cases:
    return ratio_to_each(said, "htcp")


@paper.claim
def highspeed_gentle(said: Sentence) -> Cases:
    """Measure another's throughput over HighSpeed's at each RTT, without the low RTTs of two."""

    def each(means: Means, other: str) -> dict[str, Statistic]:
        rtts = RTTS["above low" if other in FAIR_TO_RTT else "every"](means)
        return {
            f"{rtt:g} ms": (lambda x, rtt=rtt: 1 / x.beside("highspeed", other, rtt).ratio)
            for rtt in rtts
        }

    return cases(said, each, several=True)


@paper.claim
def highspeed_scalable(said: Sentence) -> Cases:
    def taken_of_it(x: Means, cca: str) -> float:
        rtts = rtts_of(said)(x)
        return geometric_mean(1 / x.beside("highspeed", cca, rtt).ratio for rtt in rtts)

    mine = beyond(taken_of_it, without("highspeed", "scalable"), put=over)
    return one(said, lambda x: mine(x, "scalable"), several=True)


@paper.claim
def highspeed_htcp(said: Sentence) -> Cases:
    """Measure what Scalable takes of HighSpeed over what H-TCP takes of it."""
    of_htcp, of_scalable = (ratio_to(said, "highspeed", cca) for cca in ("htcp", "scalable"))
    return one(said, lambda x: of_htcp(x) / of_scalable(x))


def share_beyond(said: Sentence, named: str, others: Iterable[str], put=None) -> Cases:
    """Measure a variant's mean share against the four others, and that of each of others."""
    more = {} if put is None else {"put": put}
    mine = beyond(lambda x, cca: mean_share(x, cca, rtts_of(said)(x)), others, **more)
    return one(said, lambda x: mine(x, named), several=True)


@paper.claim
def inter_scalable(said: Sentence) -> Cases:
    return share_beyond(said, "scalable", without("scalable"))


@paper.claim
def inter_htcp(said: Sentence) -> Cases:
    return share_beyond(said, "htcp", without("htcp", "scalable"))


@paper.claim
def inter_highspeed(said: Sentence) -> Cases:
    return share_beyond(said, "highspeed", without("highspeed"), other_less_mine)


@paper.claim
def scalable_order(said: Sentence) -> Cases:
    """Measure Scalable's throughput over another's, of each other and at each RTT."""

    def each(means: Means) -> dict[str, Statistic]:
        return {
            f"{variant_name(other)} at {rtt:g} ms": (
                lambda x, other=other, rtt=rtt: x.beside("scalable", other, rtt).ratio
            )
            for other in without("scalable")
            for rtt in rtts_of(said)(means)
        }

    return one(said, each, several=True)


@paper.claim
def scalable_low(said: Sentence) -> Cases:
    return one(
        said,
        lambda x: geometric_mean(1 / change(x, "scalable", o) for o in without("scalable")),
    )


@paper.claim
def scalable_improved(said: Sentence) -> Cases:
    """Measure the mean of Jain's index of Scalable and others at high RTTs less that at low."""

    def mean(x: Means, rtts_ms: Sequence[float]) -> float:
        others = without("scalable")
        return fmean(x.beside("scalable", o, rtt).jfi for o in others for rtt in rtts_ms)

    return one(said, lambda x: mean(x, x.high) - mean(x, x.low))


@paper.claim
def scalable_fair(said: Sentence) -> Cases:
    def mean(x: Means, other: str) -> float:
        return fmean(x.beside("scalable", other, rtt).jfi for rtt in rtts_of(said)(x))

    return cases(said, mean)


@paper.claim
def scalable_takes(said: Sentence) -> Cases:
    each = at_each(lambda x, rtt: mean_share(x, "scalable", [rtt]), rtts_of(said))
    return one(said, each, several=True)


@paper.claim
def order_turns(said: Sentence) -> Cases:
    """Measure what falling variants lose and rising ones gain with the RTT."""

    def turned(x: Means, cca: str) -> float:
        lowest, highest = (mean_share(x, cca, [rtt]) for rtt in rtts_of(said)(x))
        return lowest - highest if cca in FALLING else highest - lowest

    return cases(said, turned)


# ---- the order of starts ------------------------------------------------------------------------

FIRST, LATE, CHANGE = "first", "late", "change"  # flow 1 first, second; the first less the second
ONE_QUEUE = {"bdp20": ""}  # that was run in both orders of starts, and for longer


def in_orders(cca: str, rtt_ms: float | None) -> dict[str, Statistic]:
    """Return the logarithm of a variant's ratio at an RTT, else the exponent; and changes."""

    def of(x: Means, late: bool) -> float:
        if rtt_ms is None:
            return exponent(x, cca, late=late)
        return log(x.unlike(cca, rtt_ms, late=late).ratio)

    return {
        FIRST: lambda x: of(x, False),
        LATE: lambda x: of(x, True),
        CHANGE: lambda x: of(x, False) - of(x, True),
    }


@paper.claim
def order_of_exponents(said: Sentence) -> Cases:
    """Measure a variant's exponent with flow 1 first less that with flow 2 first."""
    return cases(said, lambda x, cca: in_orders(cca, None)[CHANGE](x), queues=ONE_QUEUE)


@paper.claim
def first_gets_more(said: Sentence) -> Cases:
    """Measure flow 1's throughput over flow 2's, flow 1 first, over that with flow 2 first."""

    def at_highest(x: Means, cca: str) -> float:
        return exp(in_orders(cca, x.rtts_ms[-1])[CHANGE](x))

    return cases(said, at_highest, queues=ONE_QUEUE)


# ---- how long a run is --------------------------------------------------------------------------


def of_both(
    said: Sentence,
    value: Callable[[Means, str, float], float],
    put: Callable[[float, float], float],
) -> Cases:
    """Return the measure of a variant's value in runs of ten minutes, put against that in forty."""

    def changed(x: Means, cca: str) -> float:
        (rtt_ms,) = rtts_of(said)(x)
        return put(value(x, cca, rtt_ms), value(x.long(), cca, rtt_ms))

    return cases(said, changed, queues=ONE_QUEUE)


@paper.claim
def friendly_for_long(said: Sentence) -> Cases:
    return of_both(said, taken, over)


@paper.claim
def intra_for_long(said: Sentence) -> Cases:
    return of_both(said, lambda x, cca, rtt: x.alone(cca, rtt).jfi, sub)


@paper.claim
def share_for_long(said: Sentence) -> Cases:
    return of_both(said, lambda x, cca, rtt: mean_share(x, cca, [rtt]), sub)


@paper.claim
def rtt_for_long(said: Sentence) -> Cases:
    return of_both(said, lambda x, cca, rtt: x.unlike(cca, rtt).ratio, over)
