"""The conclusions of the original as tests on our scenarios, by criteria fixed beforehand.

Two scenarios differ where Welch's interval of the difference of their runs' means leaves out zero;
the run is the unit. A scenario of few drop events has no say, nor has one of a single run where a
difference is asked for: the claim is then not testable. The thresholds (paper.yml) are readings of
words such as 'strong', not fits. Fairness ratios are compared by difference, as the criteria were
fixed; the same interval of their logarithms, a factor, stands next to it, because few runs of a
very unfair scenario spread over factors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import polars as pl
from evenflow.charts.theme import AQM_NAMES
from evenflow.congestion_controls import variant_name
from evenflow.markdown import number, span_of
from evenflow.papers import paper
from evenflow.papers.claims import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, Claim, Found, judge
from evenflow.statistics.repeats import correlation, welch_and_equivalence

from .design import (
    BURSTY_50,
    BURSTY_KBPS,
    CASES,
    SACK_DROPTAIL,
    SMOOTH_50,
    SMOOTH_KBPS,
    VARIANTS,
    select,
)

HIGH_SPEED = tuple(name for name in VARIANTS if name != "sack")
FR = "fairness_ratio_12"
STRONG = "Pearson's r at least {strong_r:g}, its interval above 0"


@dataclass(frozen=True)
class Tables:
    """What claims are tested on.

    runs, scenarios: the tables `placed_run` and `scenario`; confidence: of the intervals;
    thresholds: of paper.yml.
    """

    runs: pl.DataFrame
    scenarios: pl.DataFrame
    confidence: float
    thresholds: dict

    @property
    def absent(self) -> str:
        """Return why a scenario has no say, in words."""
        return f"no run, or fewer than {self.thresholds['few_events']} drop events"


def _values(tables: Tables, metric: str, wanted: dict) -> pl.Series:
    """Return the runs' values of the scenario that has a say; empty where there is none."""
    found = select(tables.scenarios, **wanted).filter(~pl.col("few_events"))
    if len(found) != 1:
        return pl.Series(metric, [], pl.Float64)
    return select(tables.runs, scenario_id=found["scenario_id"][0])[metric].drop_nulls()


def _described(wanted: dict) -> str:
    """Return the wanted scenario in words: 'SACK, RED, exponential, 5 Mb/s'."""
    kbps, sources = wanted.get("source_kbps"), wanted.get("sources")
    size = f"{sources:g} sources" if kbps is None else _rate(kbps)
    words = [variant_name(wanted["variant"]), AQM_NAMES[wanted["aqm"]], wanted["background"], size]
    return ", ".join(words)


def _mean(values: pl.Series, digits: int) -> str:
    return f"{number(values.mean(), digits)} (n = {len(values)})"


def _above(first: dict, second: dict, metric: str, digits: int = 2) -> Callable:
    """Test that the first scenario's mean lies above the second's."""

    def test(tables: Tables) -> Found:
        a, b = (_values(tables, metric, wanted) for wanted in (first, second))
        if a.is_empty() or b.is_empty():
            absent = [w for w, values in ((first, a), (second, b)) if values.is_empty()]
            missing = " and ".join(map(_described, absent))
            return Found(NOT_TESTABLE, f"{tables.absent}, of {missing}")
        text = f"{_mean(a, digits)} against {_mean(b, digits)}"
        confidence = tables.confidence
        found = welch_and_equivalence(a.to_numpy(), b.to_numpy(), 1.0, confidence)
        low, high = found["welch_low"], found["welch_high"]
        if low is None:
            return Found(NOT_TESTABLE, f"{text}: no repeats")
        text += f"; difference from {number(low, digits)} to {number(high, digits)}"
        if metric == FR and pl.concat([a, b]).log().is_finite().all():
            logs = welch_and_equivalence(a.log().to_numpy(), b.log().to_numpy(), 1.0, confidence)
            factors = (number(math.exp(logs[f"welch_{end}"]), digits) for end in ("low", "high"))
            text += ", factor from {} to {}".format(*factors)
        return Found(REPRODUCED if low > 0 else NOT_REPRODUCED, text)

    return test


def _all_of(named: dict[str, Callable]) -> Callable:
    """Join tests: not reproduced if one of them is, reproduced if all of them are."""

    def test(tables: Tables) -> Found:
        found = {name: part(tables) for name, part in named.items()}
        verdicts = [verdict for verdict, _ in found.values()]
        text = "; ".join(f"{name}: {words}" for name, (_, words) in found.items())
        if NOT_REPRODUCED in verdicts:
            return Found(NOT_REPRODUCED, text)
        return Found(NOT_TESTABLE if NOT_TESTABLE in verdicts else REPRODUCED, text)

    return test


def _correlates(x: str, **wanted) -> Callable:
    """Test that x goes with FR across the SACK scenarios under DropTail that have a say."""

    def test(tables: Tables) -> Found:
        points = _having_a_say(tables.scenarios, **SACK_DROPTAIL, **wanted)
        points = points.select(x, FR).drop_nulls() if x in points.columns else pl.DataFrame()
        if len(points) < 4:
            return Found(NOT_TESTABLE, f"{len(points)} scenarios")
        found = correlation(
            points[x].to_numpy(), points[FR].to_numpy(), "pearson", tables.confidence
        )
        if found["ci_low"] is None:
            return Found(NOT_TESTABLE, f"{len(points)} scenarios without variance")
        text = f"r = {number(found['r'], 2)}, {number(found['ci_low'], 2)} to "
        text += f"{number(found['ci_high'], 2)} ({found['n']} scenarios)"
        held = found["r"] >= tables.thresholds["strong_r"] and found["ci_low"] > 0
        return Found(REPRODUCED if held else NOT_REPRODUCED, text)

    return test


def _above_rtt_ratio(tables: Tables) -> Found:
    ratio = _values(tables, "fairness_ratio_12", SMOOTH_50)
    found = select(tables.scenarios, **SMOOTH_50)
    if ratio.is_empty():
        return Found(NOT_TESTABLE, tables.absent)
    row = found.row(0, named=True)
    text = f"FR {_mean(ratio, 2)}, RTT ratio {number(row['rtt_ratio_12'], 2)}"
    if row["fairness_ratio_12_low"] is None or row["rtt_ratio_12"] is None:
        return Found(NOT_TESTABLE, f"{text}: no repeats")
    low, high = row["fairness_ratio_12_low"], row["fairness_ratio_12_high"]
    text += f"; interval of FR {number(low, 2)} to {number(high, 2)}"
    return Found(REPRODUCED if low > row["rtt_ratio_12"] else NOT_REPRODUCED, text)


def _small_bpdd(tables: Tables) -> Found:
    values = _values(tables, "bpdd", CASES["exponential-25kbps-sources"])
    if values.is_empty():
        return Found(NOT_TESTABLE, tables.absent)
    held = values.mean() < tables.thresholds["small_bpdd"]
    return Found(REPRODUCED if held else NOT_REPRODUCED, _mean(values, 0))


def _having_a_say(scenarios: pl.DataFrame, **wanted) -> pl.DataFrame:
    return select(scenarios, **wanted).filter(~pl.col("few_events"))


def _exponent_between(tables: Tables) -> Found:
    found = _having_a_say(tables.scenarios, **SACK_DROPTAIL).drop_nulls("beta_measured")
    if len(found) < tables.thresholds["min_scenarios"]:
        return Found(NOT_TESTABLE, f"{len(found)} scenarios")
    beta = found["beta_measured"]
    inside = int(beta.is_between(1, 2, closed="left").sum())
    text = f"{inside} of {len(beta)} scenarios; β from {number(beta.min(), 2)} to "
    text += f"{number(beta.max(), 2)} (n = {span_of(found['n_runs'])} each)"
    return Found(REPRODUCED if 2 * inside > len(beta) else NOT_REPRODUCED, text)


def _red_is_fair(tables: Tables) -> Found:
    found = _having_a_say(tables.scenarios, aqm="red").drop_nulls(
        ["fairness_ratio_12", "rtt_ratio_12"]
    )
    missing = [v for v in VARIANTS if v not in found["variant"].to_list()]
    share = found["fairness_ratio_12"] / found["rtt_ratio_12"]
    near = tables.thresholds["eliminated_pct"] / 100
    inside = int(share.is_between(1 - near, 1 + near).sum())
    text = f"{inside} of {len(share)} scenarios"
    if len(share):
        text += f"; FR / RTT ratio from {number(share.min(), 2)} to {number(share.max(), 2)}"
        text += f" (n = {span_of(found['n_runs'])} each)"
    if inside < len(share):
        return Found(NOT_REPRODUCED, text)
    if missing:
        return Found(NOT_TESTABLE, f"{text}; nothing of {', '.join(map(variant_name, missing))}")
    return Found(REPRODUCED, text)


def _udp(variant: str, aqm: str, kbps: float) -> dict:
    return {"variant": variant, "aqm": aqm, "background": "exponential", "source_kbps": kbps}


def _rate(kbps: float) -> str:
    return f"{kbps / 1000:g} Mb/s" if kbps >= 1000 else f"{kbps:g} kb/s"


# a criterion names thresholds of paper.yml
CLAIMS = [
    Claim(
        "synchronises",
        "Bursty background traffic synchronises the losses of the flows",
        "section II",
        "flows losing in an event: more with 10 than with 1000 sources",
        "fig-drop-events",
        _above(BURSTY_50, SMOOTH_50, "flows_losing"),
    ),
    Claim(
        "unfair",
        "and makes the bandwidth sharing less fair",
        "section II",
        "FR of flows 1 and 2: larger with 10 than with 1000 sources",
        "fig-drop-events",
        _above(BURSTY_50, SMOOTH_50, FR),
    ),
    Claim(
        "persists",
        "Synchronisation persists with 1000 randomised background sources",
        "section II, VII",
        "the interval of FR lies above the RTT ratio",
        "fig-bpdd",
        _above_rtt_ratio,
    ),
    Claim(
        "briefly",
        "With smooth background the queue stays nearly full for longer in an event",
        "section II",
        "time above 97.5 % in an event: more with 1000 than with 10 sources",
        "fig-time-above",
        _above(SMOOTH_50, BURSTY_50, "time_full_s"),
    ),
    Claim(
        "bpdd_size",
        "Sources of 5 Mb/s lose more packets in an event than sources of 25 kb/s",
        "section III",
        "BPDD: larger at 5 Mb/s",
        "fig-bpdd",
        _above(CASES["exponential-5Mbps-sources"], CASES["exponential-25kbps-sources"], "bpdd", 0),
    ),
    Claim(
        "bpdd_small",
        "which lose less than 20",
        "section III",
        "BPDD at 25 kb/s below {small_bpdd:g}",
        "fig-bpdd",
        _small_bpdd,
    ),
    Claim(
        "bpdd",
        "BPDD has a strong relationship with the fairness ratio",
        "section III",
        STRONG,
        "fig-bpdd",
        _correlates("bpdd"),
    ),
    Claim(
        "p",
        "So has P, the share of flows that lose in an event",
        "section III",
        STRONG,
        "fig-p",
        _correlates("p"),
    ),
    Claim(
        "cov",
        "When the short-term CoV of FTP traffic increases, so does the fairness ratio",
        "section III",
        f"FTP scenarios: {STRONG}",
        "fig-cov",
        _correlates("cov_background", background="ftp"),
    ),
    Claim(
        "exponent",
        "The fairness ratio is a power of the RTT ratio between 1 and 2",
        "section I",
        "SACK, DropTail: 1 ≤ β < 2 in most scenarios",
        "fig-exponents",
        _exponent_between,
    ),
    Claim(
        "high_speed",
        "HighSpeed and Scalable TCP are far less fair than SACK",
        "section IV",
        "FR under DropTail: larger than SACK's with bursty and with smooth sources",
        "fig-variants-droptail",
        _all_of(
            {
                f"{variant_name(v)}, {_rate(kbps)}": _above(
                    _udp(v, "droptail", kbps), _udp("sack", "droptail", kbps), FR
                )
                for v in HIGH_SPEED
                for kbps in (BURSTY_KBPS, SMOOTH_KBPS)
            }
        ),
    ),
    Claim(
        "high_speed_bursty",
        "and least with bursty sources",
        "section IV",
        "FR under DropTail: larger at 5 Mb/s than at 25 kb/s",
        "fig-variants-droptail",
        _all_of(
            {
                variant_name(v): _above(
                    _udp(v, "droptail", BURSTY_KBPS), _udp(v, "droptail", SMOOTH_KBPS), FR
                )
                for v in HIGH_SPEED
            }
        ),
    ),
    Claim(
        "red_better",
        "Random drops improve fairness dramatically",
        "section V",
        "FR with bursty sources: smaller with RED than with DropTail, every variant",
        "fig-variants-red",
        _all_of(
            {
                variant_name(v): _above(
                    _udp(v, "droptail", BURSTY_KBPS), _udp(v, "red", BURSTY_KBPS), FR
                )
                for v in VARIANTS
            }
        ),
    ),
    Claim(
        "red_fair",
        "RED eliminates synchronisation and the unfairness of it in all cases",
        "section V, VII",
        "FR within {eliminated_pct:g} % of the RTT ratio in every scenario with RED",
        "fig-variants-red",
        _red_is_fair,
    ),
]


def claims_of(thresholds: dict) -> list[Claim]:
    """Return CLAIMS with the thresholds in their criteria."""
    return [replace(each, criterion=each.criterion.format(**thresholds)) for each in CLAIMS]


@paper.metric
def claim(
    placed_run: pl.DataFrame,
    scenario: pl.DataFrame,
    confidence: float,
    thresholds: dict,
    parts: dict,
    paper_name: str,
) -> pl.DataFrame:
    """Return what our runs say of each sentence: the table `claim` of `evenflow.papers.claims`."""
    tables = Tables(placed_run, scenario, confidence, thresholds)
    return judge(paper_name, claims_of(thresholds), {parts["simulation"]: tables})
