"""The sentences of the original as claims: what of a replicate is computed, and where it must lie.

A replicate is repeat r of every scenario that the sentence is about. Ratios (FR, BPDD, times) are
judged on the logarithm. A scenario of few drop events has no say. Null controls: what is said of
RED is also computed with DropTail, what is said of starving also of SACK. A statement that sets one
scenario against another has its control in the second, and no other. The margins (paper.yml) are
readings of words such as 'far larger', no fits.

Findings of our own are claims without a place in the original, judged by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from evenflow.charts.theme import AQM_NAMES
from evenflow.congestion_controls import variant_name
from evenflow.papers import paper
from evenflow.papers.claims import Claim, Measured, Region, Replicates, judge, never
from evenflow.statistics.outcomes import LEAST_REPLICATES
from evenflow.statistics.repeats import correlation

from .design import (
    AQMS,
    BURSTY_50,
    BURSTY_KBPS,
    CASES,
    LINUX,
    NO_BACKGROUND,
    OWN,
    SACK_DROPTAIL,
    SMOOTH_50,
    SMOOTH_KBPS,
    VARIANTS,
    select,
    source_rate,
)
from .theory import saw_teeth, throughput_ratio

HIGH_SPEED = tuple(name for name in VARIANTS if name != "sack")
RATES = (BURSTY_KBPS, SMOOTH_KBPS)
FR = "fairness_ratio_12"
BETA = "beta_measured"
MISSING = "no run, or too few drop events, of {}"


@dataclass(frozen=True)
class Subject:
    """What claims are measured on: `placed_run` without scenarios of few drop events, which loads a
    replicate of a statement on many scenarios has (designs of paper.yml), and averages of FR."""

    runs: pl.DataFrame
    designs: Mapping[str, Sequence[str]]
    averages: pl.DataFrame  # the table `average`: FR of Scalable by implementation and window


def described(wanted: Mapping) -> str:
    """Return a wanted scenario in words: 'SACK, adaptive RED, exponential, 5 Mb/s'."""
    kbps = wanted.get("source_kbps")
    words = [variant_name(wanted["variant"]), AQM_NAMES[wanted["aqm"]]]
    none = wanted["background"] == "none"
    words.append("no background" if none else wanted.get("load", wanted["background"]))
    return ", ".join([*words, source_rate(kbps)] if kbps else words)


def udp(variant: str, aqm: str, kbps: float) -> dict:
    """Return the scenario of a variant and queue with exponential on-off sources of a rate."""
    return {"variant": variant, "aqm": aqm, "background": "exponential", "source_kbps": kbps}


def values_of(of: Subject, metric: str | pl.Expr, wanted: Mapping) -> dict[int, float]:
    """Return {repeat: value} of a scenario, of the runs that have the value."""
    found = select(of.runs, **wanted)
    value = pl.col(metric) if isinstance(metric, str) else metric
    table = found.select("repeat", value=value).drop_nulls().sort("repeat")
    return dict(table.rows())


def one_scenario(
    cases: Mapping[str, Mapping], metric: str | pl.Expr, null: Mapping | None = None
) -> Callable[..., Measured]:
    """Measure a metric of one scenario a case.

    Args:
        null: what of a scenario is another where what is claimed cannot be: {"aqm": "droptail"}.
    """

    def measure(of: Subject) -> Measured:
        return {case: _of_one(of, metric, wanted, null) for case, wanted in cases.items()}

    return measure


def _of_one(
    of: Subject, metric: str | pl.Expr, wanted: Mapping, null: Mapping | None
) -> Replicates:
    values = tuple(values_of(of, metric, wanted).values())
    control = values_of(of, metric, {**wanted, **null}).values() if null else ()
    return Replicates(
        values, tuple(control), note="" if values else MISSING.format(described(wanted))
    )


def one_over_another(
    cases: Mapping[str, tuple[Mapping, Mapping]],
    metric: str,
    put: Callable = np.divide,
) -> Callable[..., Measured]:
    """Measure a metric of a scenario over (or with np.subtract: less) that of another, a case each.

    Args:
        put: what two values are put together with.
    """

    def measure(of: Subject) -> Measured:
        return {case: _of_two(of, metric, put, *pair) for case, pair in cases.items()}

    return measure


def _of_two(of: Subject, metric: str, put: Callable, first: Mapping, second: Mapping) -> Replicates:
    a, b = (values_of(of, metric, wanted) for wanted in (first, second))
    values = [float(put(a[repeat], b[repeat])) for repeat in a if repeat in b]
    absent = [described(w) for w, found in ((first, a), (second, b)) if not found]
    return Replicates(values, note=MISSING.format(" and ".join(absent)) if absent else "")


def correlation_over(x: str, designs: Sequence[str]) -> Callable[..., Measured]:
    """Measure Pearson's r of x and log FR across the scenarios of a replicate."""

    def r(scenarios: pl.DataFrame) -> float | None:
        of_x = scenarios[x].log() if x == "bpdd" else scenarios[x]
        return correlation(of_x.to_numpy(), scenarios[FR].log().to_numpy(), "pearson", 0.95)["r"]

    return over_design(designs, (x, FR), {"": r})


def over_design(
    designs: Sequence[str], metrics: Sequence[str], statistics: Mapping[str, Callable]
) -> Callable[..., Measured]:
    """Measure statistics of all SACK scenarios under DropTail of a design, a case each.

    Args:
        designs: names, the preferred one first: the first of which LEAST_REPLICATES are complete is
            taken, else the last.
        metrics: that a run must have.
        statistics: case -> what is computed of the runs of a replicate; None where it has none.
    """

    def measure(of: Subject) -> Measured:
        for name in designs:
            complete, note = _complete(of, of.designs[name], metrics)
            if len(complete) >= LEAST_REPLICATES:
                break
        found = {}
        for case, of_replicate in statistics.items():
            values = [v for v in map(of_replicate, complete) if v is not None]
            found[case] = Replicates(values, note="" if found and values else note)  # said once
        return found

    return measure


def _complete(
    of: Subject, loads: Sequence[str], metrics: Sequence[str]
) -> tuple[list[pl.DataFrame], str]:
    """Return the complete replicates of a design, and in words how many scenarios each has."""
    runs = select(of.runs, **SACK_DROPTAIL).filter(pl.col("load").is_in(list(loads)))
    runs = runs.drop_nulls(list(metrics)).sort("repeat", "load")
    by_repeat = runs.partition_by("repeat", maintain_order=True)
    complete = [table for table in by_repeat if len(table) == len(loads)]
    note = f"{len(loads)} scenarios a replicate"
    if not complete:
        most = max((len(table) for table in by_repeat), default=0)
        note += f", of which no repeat has more than {most}"
    return complete, note


def synchronised_in_theory(of: Subject) -> Measured:
    """Return the exponent that two flows with synchronised losses have, from the saw teeth."""
    rtts = [0.045, 0.09]
    ratio = throughput_ratio(saw_teeth(rtts, 10.0, 4))
    return {"": Replicates([float(np.log(ratio) / np.log(rtts[1] / rtts[0]))], exact=True)}


def of_implementations(of: Subject) -> Measured:
    """Measure FR of ns-2's own Scalable over that of Linux's at the same seeds, a case a rate."""
    late = of.averages.filter(pl.col("from_s") == pl.col("from_s").max())
    found = {}
    for kbps in RATES:
        own, linux = (
            dict(
                late.filter(implementation=name, source_kbps=kbps)
                .select("repeat", FR)
                .drop_nulls()
                .rows()
            )
            for name in (OWN, LINUX)
        )
        values = [own[repeat] / linux[repeat] for repeat in own if repeat in linux]
        note = "" if values else f"no seed has both implementations with {source_rate(kbps)}"
        found[source_rate(kbps)] = Replicates(values, note=note)
    return found


FAST = CASES["exponential-5Mbps-sources"]
SLOW = CASES["exponential-25kbps-sources"]
OF_FOUR = {  # the two scenarios of Figure 1
    "10 sources": BURSTY_50,
    "1000 sources": SMOOTH_50,
}
MANY = {"1000 sources": SMOOTH_50, "8000 sources": SLOW}
OVER_RTT_RATIO = pl.col(FR) / pl.col("rtt_ratio_12")


def _each(variants: Sequence[str], make: Callable, rates: Sequence[float] = RATES) -> dict:
    """Return {case: make(variant, rate of a source)} for variants and rates."""
    return {
        f"{variant_name(v)}, {source_rate(kbps)}" if len(rates) > 1 else variant_name(v): make(
            v, kbps
        )
        for v in variants
        for kbps in rates
    }


WITH_RED = _each(VARIANTS, lambda variant, kbps: udp(variant, "red", kbps))


def claims_of(margins: Mapping[str, float]) -> list[Claim]:
    """Return the claims, with the margins of paper.yml as bounds of their regions."""
    return [*sentences_of_the_original(margins), *findings_of_our_own(margins)]


def findings_of_our_own(margins: Mapping[str, float]) -> list[Claim]:
    """Return the findings that are no sentence of the original; their bounds are in paper.yml."""
    step = Region(low=margins["beta_step"])
    steps = dict(zip(HIGH_SPEED, VARIANTS, strict=False))  # a variant and the one before it
    return [
        Claim(
            "red_lowers_exponent",
            "Adaptive RED lowers the exponent of every variant",
            "",
            "fig-exponents-by-queue",
            "β with bursty sources, DropTail less RED",
            step,
            one_over_another(
                _each(VARIANTS, lambda v, k: tuple(udp(v, q, k) for q in AQMS), RATES[:1]),
                BETA,
                np.subtract,
            ),
        ),
        Claim(
            "exponents_apart",
            "Under DropTail the exponents of the variants lie steps apart",
            "",
            "fig-exponents-by-queue",
            "β under DropTail, less that of the variant before",
            step,
            one_over_another(
                _each(
                    HIGH_SPEED,
                    lambda v, k: (udp(v, "droptail", k), udp(steps[v], "droptail", k)),
                ),
                BETA,
                np.subtract,
            ),
        ),
        Claim(
            "sack_in_step",
            "With bursty sources SACK has the exponent of losses in step",
            "",
            "fig-exponents-by-queue",
            "β of SACK under DropTail with sources of 5 Mb/s",
            Region(2 - margins["beta"], 2 + margins["beta"]),
            one_scenario({"": FAST}, BETA),
        ),
        Claim(
            "scalable_less_in_step",
            "Fewer flows of Scalable than of SACK lose in an event",
            "",
            "tbl-scenarios",
            "flows losing in an event under DropTail, SACK less Scalable",
            Region(low=margins["flows_losing"]),
            one_over_another(
                {
                    source_rate(k): (udp("sack", "droptail", k), udp("scalable", "droptail", k))
                    for k in RATES
                },
                "flows_losing",
                np.subtract,
            ),
            unit="flows",
        ),
        Claim(
            "implementation",
            "ns-2's own Scalable is less fair than Linux's",
            "",
            "tbl-averages",
            "FR of ns-2's own Scalable over that of Linux's, same seeds",
            Region(low=margins["twofold"]),
            of_implementations,
            scale="log",
        ),
    ]


def sentences_of_the_original(margins: Mapping[str, float]) -> list[Claim]:
    """Return the claims that are sentences of the original."""
    factor, beta = margins["factor"], margins["beta"]
    more = Region(low=factor)
    strong = Region(margins["strong_r"], 1)
    return [
        Claim(
            "theory",
            "The fairness ratio of two perfectly synchronised flows is the square of their RTT "
            "ratio",
            "section II",
            "fig-windows",
            "exponent of two saw teeth",
            Region(1.99, 2.01),
            synchronised_in_theory,
        ),
        Claim(
            "synchronises",
            "'On average 3.8 out of the 4 TCP connections experience synchronized packet loss' "
            "with 10 sources, 'contrasted with … only 2.6' with 1000",
            "section II",
            "fig-drop-events",
            "flows losing in an event, 10 less 1000 sources",
            Region(low=margins["flows_losing"]),
            one_over_another({"": (BURSTY_50, SMOOTH_50)}, "flows_losing", np.subtract),
            unit="flows",
        ),
        Claim(
            "unfair",
            "'The fairness ratio in the case of fewer background flows is 2.5 while it is 2.0 when "
            "there are 1000'",
            "section II",
            "fig-drop-events",
            "FR, 10 over 1000 sources",
            more,
            one_over_another({"": (BURSTY_50, SMOOTH_50)}, FR),
            scale="log",
        ),
        Claim(
            "far_above",
            "'Both fairness ratio are far larger than the 1.53 predicted by the ratio of RTTs'",
            "section II",
            "fig-bpdd",
            "FR over the RTT ratio",
            Region(low=margins["far_above_rtt_ratio"]),
            one_scenario(OF_FOUR, OVER_RTT_RATIO),
            scale="log",
        ),
        Claim(
            "briefly",
            "'In the non-bursty simulation … the queue remains above 97.5% full roughly 1.5sec per "
            "congestion event, whereas in the bursty simulation … only … 0.23sec'",
            "section II",
            "fig-time-above",
            "time above 97.5 % an event, 1000 over 10 sources",
            more,
            one_over_another({"": (SMOOTH_50, BURSTY_50)}, "time_full_s"),
            scale="log",
        ),
        Claim(
            "lower_speed",
            "'In lower speed networks, drop events may last equally as long, but … fewer flows "
            "receive drops'",
            "section II",
            "",
            "flows losing in an event, 500 Mb/s less a slower link",
            Region(low=margins["flows_losing"]),
            never("no run has another bottleneck rate, and none is planned"),
            unit="flows",
        ),
        Claim(
            "injecting",
            "'Injecting bursty background traffic may actually lead to synchronization and result "
            "in unfairness'",
            "abstract",
            "fig-bpdd",
            "FR, bursty sources over no background",
            more,
            one_over_another({"": (FAST, NO_BACKGROUND)}, FR),
            scale="log",
        ),
        Claim(
            "little_impact",
            "'Randomized background traffic has little impact'",
            "section I",
            "fig-bpdd",
            "FR, 1000 sources over no background",
            Region(1 / factor, factor),
            one_over_another({"": (SMOOTH_50, NO_BACKGROUND)}, FR),
            scale="log",
        ),
        Claim(
            "exponent",
            "'The fairness ratio is more accurately modeled by' a power of the RTT ratio, 'for "
            "some 1 ≤ β < 2'",
            "section I",
            "fig-exponents",
            "smallest and largest β of SACK under DropTail",
            Region(1, 2),
            over_design(
                ("original", "repeated", "on_off"),
                (BETA,),
                {"smallest": lambda t: t[BETA].min(), "largest": lambda t: t[BETA].max()},
            ),
        ),
        Claim(
            "bpdd_size",
            "With sources of 5 Mb/s 'each source generates large burst of traffic and BPDD is "
            "quite large', with 25 kb/s it is small",
            "section III",
            "fig-bpdd",
            "BPDD, 5 Mb/s over 25 kb/s",
            more,
            one_over_another({"": (FAST, SLOW)}, "bpdd"),
            scale="log",
        ),
        Claim(
            "bpdd_small",
            "'If traffic sources are composed of 25Kbps, then BPDD is less than 20'",
            "section III",
            "fig-bpdd",
            "BPDD at 25 kb/s",
            Region(high=margins["small_bpdd"]),
            one_scenario({"": SLOW}, "bpdd"),
            scale="log",
            unit="packets",
            digits=1,
        ),
        Claim(
            "bpdd",
            "'BPDD has strong relationship with fairness ratio'",
            "section III",
            "fig-bpdd",
            "Pearson's r of log BPDD and log FR across scenarios",
            strong,
            correlation_over("bpdd", ("original", "repeated", "once")),
        ),
        Claim(
            "p",
            "'If the percentage of the average number of flows that experience packet loss (P) "
            "increases, then the fairness ratio increases … a strong relationship'",
            "section III",
            "fig-p",
            "Pearson's r of P and log FR across scenarios",
            strong,
            correlation_over("p", ("original", "repeated", "once")),
        ),
        Claim(
            "cov",
            "'When short-term CoV increases, the fairness ratio also increase': a 'reliable "
            "predictor'",
            "section III, abstract",
            "fig-cov",
            "Pearson's r of the CoV and log FR across FTP scenarios",
            strong,
            correlation_over("cov_background", ("ftp",)),
        ),
        Claim(
            "short_flows",
            "'Background traffic with many short flows incur more burstiness than that of long "
            "flows'",
            "section III",
            "fig-cov",
            "CoV of the background, FTP1 over FTP7",
            more,
            one_over_another({"": (_ftp(1), _ftp(7))}, "cov_background"),
            scale="log",
        ),
        Claim(
            "persists",
            "'Synchronization persisted even when there were a large number of randomized "
            "background flows', 'until over 1000'",
            "section VII",
            "fig-bpdd",
            "FR over the RTT ratio",
            more,
            one_scenario(MANY, OVER_RTT_RATIO),
            scale="log",
        ),
        Claim(
            "high_speed",
            "'Unfairness is especially severe in high-speed variants of TCP'",
            "abstract, section VII",
            "fig-variants-droptail",
            "FR under DropTail, over SACK's",
            Region(low=margins["extreme"]),
            one_over_another(
                _each(HIGH_SPEED, lambda v, k: (udp(v, "droptail", k), udp("sack", "droptail", k))),
                FR,
            ),
            scale="log",
        ),
        Claim(
            "high_speed_bursty",
            "With bursty sources 'HSTCP's fairness ratio becomes around 7.5 and STCP's … 6.9', "
            "with smoother ones 'both … 5.5'",
            "section IV",
            "fig-variants-droptail",
            "FR under DropTail, 5 Mb/s over 25 kb/s",
            more,
            one_over_another(
                _each(
                    HIGH_SPEED,
                    lambda v, _: tuple(udp(v, "droptail", kbps) for kbps in RATES),
                    RATES[:1],
                ),
                FR,
            ),
            scale="log",
        ),
        Claim(
            "starves",
            "'STCP does even worse by completely starving the flow with larger RTT'",
            "section I",
            "tbl-averages",
            "throughput of flow 4 over flow 1's, Scalable under DropTail",
            Region(high=margins["starved"]),
            one_scenario(
                {source_rate(k): udp("scalable", "droptail", k) for k in RATES},
                "throughput_ratio_41",
                null={"variant": "sack"},
            ),
            unit="%",
            factor=0.01,
        ),
        Claim(
            "red_better",
            "'Adaptive RED and perhaps other schemes … can dramatically improve fairness'",
            "section V",
            "fig-variants-red",
            "FR with bursty sources, DropTail over RED",
            Region(low=margins["dramatic"]),
            one_over_another(
                _each(
                    VARIANTS,
                    lambda v, k: tuple(udp(v, aqm, k) for aqm in AQMS),
                    RATES[:1],
                ),
                FR,
            ),
            scale="log",
        ),
        Claim(
            "red_synchronisation",
            "'In all cases … randomized drops, such as RED, eliminates synchronization'",
            "section VII",
            "tbl-scenarios",
            "P with RED",
            Region(high=margins["independent_p"]),
            one_scenario(WITH_RED, "p", null={"aqm": "droptail"}),
            unit="%",
            digits=0,
            factor=0.01,
        ),
        Claim(
            "red_fair",
            "'… and the associated unfairness'; 'unfairness due to background traffic is "
            "eliminated'",
            "section V, VII",
            "fig-exponents",
            "β of the four flows with RED",
            Region(high=1 + beta),
            one_scenario(WITH_RED, BETA, null={"aqm": "droptail"}),
        ),
        Claim(
            "red_proportional",
            "'Hence each connection's throughput is proportional to its RTT'",
            "section V",
            "fig-exponents",
            "β of the four flows with RED",
            Region(1 - beta, 1 + beta),
            one_scenario(WITH_RED, BETA),
        ),
    ]


def _ftp(row: int) -> dict:
    return {**SACK_DROPTAIL, "background": "ftp", "load": f"ftp-{row}"}


@paper.metric
def claim(
    placed_run: pl.DataFrame,
    scenario: pl.DataFrame,
    average: pl.DataFrame,
    confidence: float,
    fdr: float,
    margins: dict,
    designs: dict,
    parts: dict,
    paper_name: str,
) -> pl.DataFrame:
    """Return what our runs say of each sentence: the table `claim` of `evenflow.papers.claims`."""
    few = scenario.filter("few_events").select("scenario_id")
    subject = Subject(placed_run.join(few, on="scenario_id", how="anti"), designs, average)
    subjects = {parts["simulation"]: subject}
    return judge(paper_name, claims_of(margins), subjects, confidence=confidence, fdr=fdr)
