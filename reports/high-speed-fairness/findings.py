"""Findings of our own: sentences that the original does not have, judged by the same rule.

They were written when the first 470 runs had been looked at; the repeats that came after are their
test. Their `place` is '', which tells them from sentences of the original.
"""

from __future__ import annotations

from collections.abc import Mapping

from evenflow.claims.cases import Claim
from evenflow.congestion_controls import variant_name
from evenflow.statistics.outcomes import at_least, at_most, more

from .cells import Cases, Means
from .claims import at_each, cases, every, exponent, mean_share, one
from .metrics import HIGH_SPEED, STANDARD

EXPONENT = "exponent of the throughput ratio in the RTT ratio"
FALLING, RISING = ["bic", "highspeed"], ["cubic", "htcp"]


def gained(x: Means, cca: str) -> float:
    """Return how much a variant's mean share rises from the lowest to the highest RTT."""
    low, high = (mean_share(x, cca, [x.rtts_ms[end]]) for end in (0, -1))
    return high - low


def turning() -> Cases:
    """Return the measure: what falling variants lose and rising ones gain with the RTT."""
    of = {variant_name(cca): (lambda x, cca=cca: -gained(x, cca)) for cca in FALLING}
    of |= {variant_name(cca): (lambda x, cca=cca: gained(x, cca)) for cca in RISING}
    return Cases(of, null=True)


def findings_of(readings: Mapping) -> list[Claim]:
    """Return our findings, by the readings of paper.yml."""
    below, above = readings["proportional"]
    return [
        Claim(
            "cubic_rtt",
            "The share of a CUBIC flow hardly depends on its RTT",
            "",
            "fig-exponents",
            f"CUBIC: {EXPONENT}",
            at_most(readings["weak_exponent"]),
            one(lambda x: exponent(x, "cubic")),
        ),
        Claim(
            "below_linear",
            "NewReno, CUBIC and H-TCP favour the smaller RTT by less than in proportion",
            "",
            "fig-exponents",
            EXPONENT,
            at_most(below),
            cases(exponent, [STANDARD, "cubic", "htcp"]),
        ),
        Claim(
            "above_linear",
            "BIC, HighSpeed and Scalable favour the smaller RTT by more than in proportion",
            "",
            "fig-exponents",
            EXPONENT,
            at_least(above),
            cases(exponent, ["bic", "highspeed", "scalable"]),
        ),
        Claim(
            "scalable_rtt",
            "A Scalable flow loses more than the third power of its RTT",
            "",
            "fig-exponents",
            f"Scalable: {EXPONENT}",
            at_least(readings["steep_exponent"]),
            one(lambda x: exponent(x, "scalable")),
        ),
        Claim(
            "newreno_left",
            "At the highest RTT NewReno is left a small part against every high-speed variant",
            "",
            "fig-friendliness",
            "NewReno's share at the highest RTT",
            at_most(readings["left_share"]),
            cases(lambda x, c: x.beside(STANDARD, c, x.rtts_ms[-1]).share, HIGH_SPEED),
            digits=3,
        ),
        Claim(
            "scalable_takes",
            "Scalable takes nearly all against the other high-speed variants, at every RTT",
            "",
            "fig-shares",
            "Scalable's mean share against the four others, at every RTT",
            at_least(readings["taken_share"]),
            one(at_each(lambda x, rtt: mean_share(x, "scalable", [rtt]), every), several=True),
            digits=3,
        ),
        Claim(
            "order_turns",
            "With the RTT BIC and HighSpeed lose share to the others, CUBIC and H-TCP gain it",
            "",
            "fig-shares",
            "change of the mean share against the four others from the lowest to the highest RTT, "
            "in the direction that the sentence says",
            more(readings["turned_share"]),
            turning(),
            digits=3,
        ),
        Claim(
            "scalable_apart",
            "Two Scalable flows of the highest RTT do not come to share the link",
            "",
            "fig-intra",
            "Jain's index of two Scalable flows at the highest RTT",
            at_most(readings["unequal_jfi"]),
            one(lambda x: x.alone("scalable", x.rtts_ms[-1]).jfi),
        ),
    ]
