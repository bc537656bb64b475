"""The sentences of the original as claims: what of the scenarios' means is computed, and where it
must lie.

Ratios (FR, BPDD, times) are judged on the logarithm. A scenario of few drop events has no say. A
statement that sets one scenario against another has its control in the second. The margins
(paper.yml) are readings of words such as 'far larger', no fits.

Findings of our own are claims without a place in the original, judged by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from evenflow.charts.theme import AQM_NAMES
from evenflow.claims.cases import Case, Claim, Measured, Part, never
from evenflow.claims.judge import judge
from evenflow.congestion_controls import variant_name
from evenflow.papers import paper
from evenflow.statistics.outcomes import at_least, at_most, more, within
from evenflow.statistics.stratified import Cell, Quantity, cell

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


LEAST = 0.001  # the resolution of an index and of a ratio
# of flow 4's throughput over flow 1's: one segment a second (960 bytes) over the link's 500 Mb/s
RESOLUTIONS = {"throughput_ratio_41": 8 * 960 / 500e6}
LOGARITHMIC = (FR, "bpdd", "time_full_s", "cov_background", "throughput_ratio_41", "rtt_ratio_12")
OF_FLOWS = (FR, BETA, "throughput_ratio_41")  # which of two flows has more
SCENARIO = ["variant", "aqm", "background", "load", "source_kbps"]


@dataclass(frozen=True)
class Subject:
    """What claims are measured on: `placed_run` without scenarios of few drop events, which loads a
    statement on many scenarios is about (designs of paper.yml), averages of FR, runs planned."""

    runs: pl.DataFrame
    designs: Mapping[str, Sequence[str]]
    averages: pl.DataFrame  # the table `average`: FR of Scalable by implementation and window
    planned: int | None = None
    known: dict = field(default_factory=dict)  # cells by metrics

    def cells(self, metrics: Sequence[str]) -> dict[tuple, Cell]:
        """Return {SCENARIO: its runs that have all of some metrics}."""
        metrics = tuple(metrics)
        if metrics not in self.known:
            rows: dict[tuple, list] = {}
            table = self.runs.drop_nulls(metrics).sort(*SCENARIO, "repeat", "run_id")
            for row in table.rows(named=True):
                values = [
                    np.log(max(row[m], resolution(m))) if m in LOGARITHMIC else row[m]
                    for m in metrics
                ]
                ahead = float("nan") if row[FR] is None else float(np.log(row[FR]))
                key = tuple(row[name] for name in SCENARIO)
                rows.setdefault(key, []).append((ahead, values))
            self.known[metrics] = {
                key: cell([v for _, v in of], pool=key[:2], ahead=[a for a, _ in of])
                for key, of in rows.items()
            }
        return self.known[metrics]

    def key(self, wanted: Mapping) -> tuple:
        """Return the cell of a wanted scenario; where it has no run, one that there is not."""
        found = select(self.runs, **wanted).select(SCENARIO).unique(maintain_order=True).rows()
        return found[0] if len(found) == 1 else (described(wanted),)


def resolution(metric: str) -> float:
    """Return the least difference of a metric that a measurement can show, in its unit."""
    return RESOLUTIONS.get(metric, LEAST)


def quantities(metrics: Sequence[str]) -> tuple[Quantity, ...]:
    """Return the columns of a cell's values."""
    return tuple(
        Quantity(m, "log" if m in LOGARITHMIC else "linear", resolution(m), of_flow=m in OF_FLOWS)
        for m in metrics
    )


def name_of(key: tuple) -> str:
    """Return a scenario in print."""
    if len(key) == 1:
        return key[0]
    return described(dict(zip(SCENARIO, key, strict=True)))


def case_of(of: Subject, metrics: Sequence[str], parts: Mapping[str, Part], **more) -> Case:
    """Return a case of statistics of the means of some metrics."""
    cells = of.cells(metrics)
    if not cells:
        return Case(note="no run has the metric")
    return Case(parts, cells, quantities(metrics), planned=of.planned, name=name_of, **more)


def described(wanted: Mapping) -> str:
    """Return a wanted scenario in words: 'SACK, adaptive RED, exponential, 5 Mb/s'."""
    kbps = wanted.get("source_kbps")
    words = [variant_name(wanted["variant"]), AQM_NAMES[wanted["aqm"]]]
    background = wanted.get("background")
    none = background == "none"
    words.append("no background" if none else wanted.get("load", background))
    return ", ".join([*words, source_rate(kbps)] if kbps else words)


def udp(variant: str, aqm: str, kbps: float) -> dict:
    """Return the scenario of a variant and queue with exponential on-off sources of a rate."""
    return {"variant": variant, "aqm": aqm, "background": "exponential", "source_kbps": kbps}


def one_scenario(cases: Mapping[str, Mapping], *metrics: str) -> Callable[..., Measured]:
    """Measure a metric of one scenario a case; of two metrics the first over the second."""
    logarithmic = metrics[0] in LOGARITHMIC

    def measure(of: Subject) -> Measured:
        def value(key: tuple) -> Callable:
            def statistic(means) -> float:
                mean = means[key]
                found = float(mean[0] - (mean[1] if len(mean) > 1 else 0.0))
                return float(np.exp(found)) if logarithmic else found

            return statistic

        return {
            case: case_of(of, metrics, {"": Part(value(of.key(wanted)))})
            for case, wanted in cases.items()
        }

    return measure


def one_over_another(
    cases: Mapping[str, tuple[Mapping, Mapping]], metric: str
) -> Callable[..., Measured]:
    """Measure a metric of a scenario over that of another, a case each; if it is no ratio, less."""
    back = np.exp if metric in LOGARITHMIC else float

    def measure(of: Subject) -> Measured:
        def apart(first: tuple, second: tuple) -> Callable:
            return lambda means: float(back(means[first][0] - means[second][0]))

        return {
            case: case_of(of, [metric], {"": Part(apart(*map(of.key, pair)))})
            for case, pair in cases.items()
        }

    return measure


def correlation_over(x: str, design: str) -> Callable[..., Measured]:
    """Measure Pearson's r of x, on its scale, and log FR across the scenarios of a design."""

    def measure(of: Subject) -> Measured:
        keys = keys_of_design(of, design)

        def r(means) -> float | None:
            points = np.array([means[key] for key in keys])
            spread = np.ptp(points, axis=0).all()
            return float(np.corrcoef(points.T)[0, 1]) if spread else None

        return {"": case_of(of, (x, FR), {"": Part(r, points=len(keys))})}

    return measure


def keys_of_design(of: Subject, design: str) -> list[tuple]:
    """Return the SACK scenarios under DropTail of a design."""
    return [of.key({**SACK_DROPTAIL, "load": load}) for load in of.designs[design]]


def each_of_design(metric: str, design: str) -> Callable[..., Measured]:
    """Measure a metric of each SACK scenario under DropTail of a design; all of them are asked."""

    def measure(of: Subject) -> Measured:
        parts = {
            load: Part(lambda means, key=key: float(means[key][0]))
            for load, key in zip(of.designs[design], keys_of_design(of, design), strict=True)
        }
        return {"": case_of(of, [metric], parts)}

    return measure


def synchronised_in_theory(of: Subject) -> Measured:
    """Return the exponent that two flows with synchronised losses have, from the saw teeth."""
    rtts = [0.045, 0.09]
    ratio = throughput_ratio(saw_teeth(rtts, 10.0, 4))
    return {"": Case(value=float(np.log(ratio) / np.log(rtts[1] / rtts[0])))}


def of_implementations(of: Subject) -> Measured:
    """Measure FR of ns-2's own Scalable over that of Linux's at the same seeds, a case a rate.

    A repeat of both has one seed: they are pairs.
    """
    late = of.averages.filter(pl.col("from_s") == pl.col("from_s").max()).drop_nulls(FR)
    cells = {
        key: Cell(np.log(rows.select(FR).to_numpy()), seeds=tuple(rows["repeat"]))
        for key, rows in late.sort("repeat").group_by(
            "implementation", "source_kbps", maintain_order=True
        )
    }
    if not cells:
        return "no seed has both implementations"

    def ratio(kbps: float) -> Callable:
        return lambda means: float(np.exp(means[OWN, kbps][0] - means[LINUX, kbps][0]))

    return {
        source_rate(kbps): Case(
            {"": Part(ratio(kbps))},
            cells,
            quantities([FR]),
            paired=True,
            planned=of.planned,
            name=lambda key: f"{key[0]}, {source_rate(key[1])}",
        )
        for kbps in RATES
    }


FAST = CASES["exponential-5Mbps-sources"]
SLOW = CASES["exponential-25kbps-sources"]
OF_FOUR = {  # the two scenarios of Figure 1
    "10 sources": BURSTY_50,
    "1000 sources": SMOOTH_50,
}
MANY = {"1000 sources": SMOOTH_50, "8000 sources": SLOW}


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
    step = more(margins["beta_step"])
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
            ),
        ),
        Claim(
            "sack_in_step",
            "With bursty sources SACK has the exponent of losses in step",
            "",
            "fig-exponents-by-queue",
            "β of SACK under DropTail with sources of 5 Mb/s",
            within(2 - margins["beta"], 2 + margins["beta"]),
            one_scenario({"": FAST}, BETA),
        ),
        Claim(
            "scalable_less_in_step",
            "Fewer flows of Scalable than of SACK lose in an event",
            "",
            "tbl-scenarios",
            "flows losing in an event under DropTail, SACK less Scalable",
            more(margins["flows_losing"]),
            one_over_another(
                {
                    source_rate(k): (udp("sack", "droptail", k), udp("scalable", "droptail", k))
                    for k in RATES
                },
                "flows_losing",
            ),
            unit="flows",
        ),
        Claim(
            "implementation",
            "ns-2's own Scalable is less fair than Linux's",
            "",
            "tbl-averages",
            "FR of ns-2's own Scalable over that of Linux's, same seeds",
            more(margins["twofold"]),
            of_implementations,
            scale="log",
        ),
    ]


def sentences_of_the_original(margins: Mapping[str, float]) -> list[Claim]:
    """Return the claims that are sentences of the original."""
    factor, beta = margins["factor"], margins["beta"]
    larger = more(factor)
    strong = at_least(margins["strong_r"])
    return [
        Claim(
            "theory",
            "The fairness ratio of two perfectly synchronised flows is the square of their RTT "
            "ratio",
            "section II",
            "fig-windows",
            "exponent of two saw teeth",
            within(1.99, 2.01),
            synchronised_in_theory,
        ),
        Claim(
            "synchronises",
            "'On average 3.8 out of the 4 TCP connections experience synchronized packet loss' "
            "with 10 sources, 'contrasted with … only 2.6' with 1000",
            "section II",
            "fig-drop-events",
            "flows losing in an event, 10 less 1000 sources",
            more(margins["flows_losing"]),
            one_over_another({"": (BURSTY_50, SMOOTH_50)}, "flows_losing"),
            unit="flows",
        ),
        Claim(
            "unfair",
            "'The fairness ratio in the case of fewer background flows is 2.5 while it is 2.0 when "
            "there are 1000'",
            "section II",
            "fig-drop-events",
            "FR, 10 over 1000 sources",
            larger,
            one_over_another({"": (BURSTY_50, SMOOTH_50)}, FR),
            scale="log",
        ),
        Claim(
            "far_above",
            "'Both fairness ratio are far larger than the 1.53 predicted by the ratio of RTTs'",
            "section II",
            "fig-bpdd",
            "FR over the RTT ratio",
            more(margins["far_above_rtt_ratio"]),
            one_scenario(OF_FOUR, FR, "rtt_ratio_12"),
            scale="log",
        ),
        Claim(
            "briefly",
            "'In the non-bursty simulation … the queue remains above 97.5% full roughly 1.5sec per "
            "congestion event, whereas in the bursty simulation … only … 0.23sec'",
            "section II",
            "fig-time-above",
            "time above 97.5 % an event, 1000 over 10 sources",
            larger,
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
            more(margins["flows_losing"]),
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
            larger,
            one_over_another({"": (FAST, NO_BACKGROUND)}, FR),
            scale="log",
        ),
        Claim(
            "little_impact",
            "'Randomized background traffic has little impact'",
            "section I",
            "fig-bpdd",
            "FR, 1000 sources over no background",
            within(1 / factor, factor),
            one_over_another({"": (SMOOTH_50, NO_BACKGROUND)}, FR),
            scale="log",
        ),
        Claim(
            "exponent",
            "'The fairness ratio is more accurately modeled by' a power of the RTT ratio, 'for "
            "some 1 ≤ β < 2'",
            "section I",
            "fig-exponents",
            "β of SACK under DropTail, of every scenario",
            within(1, 2),
            each_of_design(BETA, "repeated"),
        ),
        Claim(
            "bpdd_size",
            "With sources of 5 Mb/s 'each source generates large burst of traffic and BPDD is "
            "quite large', with 25 kb/s it is small",
            "section III",
            "fig-bpdd",
            "BPDD, 5 Mb/s over 25 kb/s",
            larger,
            one_over_another({"": (FAST, SLOW)}, "bpdd"),
            scale="log",
        ),
        Claim(
            "bpdd_small",
            "'If traffic sources are composed of 25Kbps, then BPDD is less than 20'",
            "section III",
            "fig-bpdd",
            "BPDD at 25 kb/s",
            at_most(margins["small_bpdd"]),
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
            correlation_over("bpdd", "repeated"),
            scale="z",
        ),
        Claim(
            "p",
            "'If the percentage of the average number of flows that experience packet loss (P) "
            "increases, then the fairness ratio increases … a strong relationship'",
            "section III",
            "fig-p",
            "Pearson's r of P and log FR across scenarios",
            strong,
            correlation_over("p", "repeated"),
            scale="z",
        ),
        Claim(
            "cov",
            "'When short-term CoV increases, the fairness ratio also increase': a 'reliable "
            "predictor'",
            "section III, abstract",
            "fig-cov",
            "Pearson's r of the CoV and log FR across FTP scenarios",
            strong,
            correlation_over("cov_background", "ftp"),
            scale="z",
        ),
        Claim(
            "short_flows",
            "'Background traffic with many short flows incur more burstiness than that of long "
            "flows'",
            "section III",
            "fig-cov",
            "CoV of the background, FTP1 over FTP7",
            larger,
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
            larger,
            one_scenario(MANY, FR, "rtt_ratio_12"),
            scale="log",
        ),
        Claim(
            "high_speed",
            "'Unfairness is especially severe in high-speed variants of TCP'",
            "abstract, section VII",
            "fig-variants-droptail",
            "FR under DropTail, over SACK's",
            more(margins["extreme"]),
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
            larger,
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
            at_most(margins["starved"]),
            one_scenario(
                {source_rate(k): udp("scalable", "droptail", k) for k in RATES},
                "throughput_ratio_41",
            ),
            scale="log",
            unit="%",
            factor=0.01,
        ),
        Claim(
            "red_better",
            "'Adaptive RED and perhaps other schemes … can dramatically improve fairness'",
            "section V",
            "fig-variants-red",
            "FR with bursty sources, DropTail over RED",
            more(margins["dramatic"]),
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
            at_most(margins["independent_p"]),
            one_scenario(WITH_RED, "p"),
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
            at_most(1 + beta),
            one_scenario(WITH_RED, BETA),
        ),
        Claim(
            "red_proportional",
            "'Hence each connection's throughput is proportional to its RTT'",
            "section V",
            "fig-exponents",
            "β of the four flows with RED",
            within(1 - beta, 1 + beta),
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
    planned: dict,
    parts: dict,
    paper_name: str,
) -> pl.DataFrame:
    """Return what our runs say of each sentence: the table `claim` of `evenflow.claims.judge`."""
    few = scenario.filter("few_events").select("scenario_id")
    runs = placed_run.join(few, on="scenario_id", how="anti")
    subject = Subject(runs, designs, average, planned["simulation"])
    subjects = {parts["simulation"]: subject}
    return judge(paper_name, claims_of(margins), subjects, confidence=confidence, fdr=fdr)
