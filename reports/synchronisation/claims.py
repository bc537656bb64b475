"""How the claims of claims.yml are measured: what is computed of the scenarios' means.

Ratios (FR, BPDD, times) are judged on the logarithm. A scenario of few drop events has no say. A
statement that sets one scenario against another has its control in the second. The margins
(paper.yml) are readings of words such as 'far larger', no fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from evenflow.charts.theme import AQM_NAMES
from evenflow.claims.cases import Case, Measured, Part, measurements, with_plan
from evenflow.claims.judge import judge
from evenflow.claims.sentences import Sentence, claims_of
from evenflow.congestion_controls import variant_name
from evenflow.errors import did_you_mean
from evenflow.evidence.runs import run_ref
from evenflow.papers import paper
from evenflow.statistics.repeats import pearson
from evenflow.statistics.steady import is_unsteady
from evenflow.statistics.stratified import Cell, Quantity, cell

from .design import (
    BURSTY_KBPS,
    LINUX,
    NO_WAITS,
    OWN,
    PART,
    SACK_DROPTAIL,
    SMOOTH_KBPS,
    VARIANTS,
    select,
    source_rate,
)
from .theory import saw_teeth, throughput_ratio

HIGH_SPEED = tuple(name for name in VARIANTS if name != "sack")
RATES = (BURSTY_KBPS, SMOOTH_KBPS)
SOURCES = {  # loads whose number of sources names them in print
    "pareto-10sources": "10 sources",
    "pareto-1000sources": "1000 sources",
    "exponential-25kbps": "8000 sources",
}
FR = "fairness_ratio_12"
BETA = "beta_measured"


LEAST = 0.001  # the resolution of an index and of a ratio
# of flow 4's throughput over flow 1's: one segment a second (960 bytes) over the link's 500 Mb/s
RESOLUTIONS = {"throughput_ratio_41": 8 * 960 / 500e6}
LOGARITHMIC = (FR, "bpdd", "time_full_s", "cov_background", "throughput_ratio_41", "rtt_ratio_12")
OF_FLOWS = (FR, BETA, "throughput_ratio_41")  # which of two flows has more
SCENARIO = ["variant", "aqm", "implementation", "background", "load", "source_kbps"]


@dataclass(frozen=True)
class Subject:
    """What claims are measured on: `placed_run` and `control_run` without scenarios of few drop
    events, which loads a statement on many scenarios is about (designs of paper.yml), averages of
    FR."""

    runs: pl.DataFrame
    designs: Mapping[str, Sequence[str]]
    averages: pl.DataFrame  # the table `average`: FR of Scalable by implementation and window
    known: dict = field(default_factory=dict)  # cells by metrics

    def cells(self, metrics: Sequence[str]) -> dict[tuple, Cell]:
        """Return {SCENARIO: its runs that have all of some metrics}."""
        metrics = tuple(metrics)
        if metrics not in self.known:
            rows: dict[tuple, list] = {}
            table = self.runs.drop_nulls(metrics).sort(*SCENARIO, "repeat", "run_id")
            for row, whole in zip(table.rows(named=True), measurements(table), strict=True):
                values = [
                    np.log(max(row[m], resolution(m))) if m in LOGARITHMIC else row[m]
                    for m in metrics
                ]
                ahead = float("nan") if row[FR] is None else float(np.log(row[FR]))
                key = tuple(row[name] for name in SCENARIO)
                # what drops and queues do is not told by how steady the flows are
                unsteady = row.get("unsteady") if set(metrics) & set(OF_FLOWS) else None
                run = f"{PART}/{row['run_id']}"
                of_run = (values, whole, ahead, unsteady, run, row.get("n_planned"))
                rows.setdefault(key, []).append(of_run)
            self.known[metrics] = found = {}
            for key, of in rows.items():
                values, whole, ahead, unsteady, runs, (n_planned, *_) = zip(*of, strict=True)
                of_cell = {"pool": key[:3], "ahead": ahead, "planned": n_planned, "runs": runs}
                found[key] = cell(values, whole, unsteady=unsteady, **of_cell)
        return self.known[metrics]

    def key(self, wanted: Mapping) -> tuple:
        """Return the cell of a wanted scenario; where it has no run, one that there is not."""
        of_scenario = select(self.runs, **{"implementation": OWN, **wanted})
        found = of_scenario.select(SCENARIO).unique(maintain_order=True).rows()
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
    return Case(parts, cells, quantities(metrics), name=name_of, **more)


def described(wanted: Mapping) -> str:
    """Return a wanted scenario in words: 'SACK, adaptive RED, exponential-5000kbps, 5 Mb/s'."""
    kbps, load = wanted.get("source_kbps"), wanted["load"]
    whose = "Linux's " if wanted.get("implementation") == LINUX else ""
    words = [whose + variant_name(wanted["variant"]), AQM_NAMES[wanted["aqm"]]]
    words.append("no background" if load == "none" else load.removesuffix(NO_WAITS))
    words += [source_rate(kbps)] if kbps else []
    words += ["no random waits"] if load.endswith(NO_WAITS) else []
    return ", ".join(words)


# ---- scenarios in words: 'sack/droptail/pareto-10sources' ---------------------------------------


def wanted(text: str) -> dict:
    """Return the scenario that claims.yml names: variant/queue/load, Linux's as linux-variant."""
    variant, aqm, load = text.split("/")
    found = {"variant": variant.removeprefix(f"{LINUX}-"), "aqm": aqm, "load": load}
    found["implementation"] = LINUX if variant != found["variant"] else OWN
    found["background"], _, of = load.removesuffix(NO_WAITS).partition("-")
    return found | ({"source_kbps": float(of[:-4])} if of.endswith("kbps") else {})


def scenarios(said: Sentence) -> dict[str, list[dict]]:
    """Return {case: its scenarios}: cells of claims.yml, with what stands in braces filled in.

    {variant} and {load} are each of the cases, {before} the variant before it, {rate} each of
    `RATES`. Two scenarios have 'over' or 'less' between them.
    """
    found = {}
    kinds = re.split(" over | less ", said.cells)
    for of in said.cases or ("",):
        for kbps in RATES if "{rate}" in said.cells else (None,):
            filled = {"variant": of, "load": of, "rate": f"exponential-{kbps or 0:g}kbps"}
            if of in HIGH_SPEED:
                filled["before"] = VARIANTS[VARIANTS.index(of) - 1]
            names = [] if not of else [SOURCES[of] if "{load}" in said.cells else variant_name(of)]
            names += [] if kbps is None else [source_rate(kbps)]
            try:
                found[", ".join(names)] = [wanted(kind.format_map(filled)) for kind in kinds]
            except (KeyError, ValueError) as error:
                remedy = "write variant/queue/load, of two 'over' or 'less' between them"
                raise said.wrong(f"its cells are no scenarios ({error})", remedy) from error
    return found


# ---- statistics ---------------------------------------------------------------------------------


def alone(said: Sentence, *metrics: str) -> Callable[..., Measured]:
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
            case: case_of(of, metrics, {"": Part(value(of.key(scenario)))})
            for case, (scenario,) in scenarios(said).items()
        }

    return measure


def apart(said: Sentence, metric: str) -> Callable[..., Measured]:
    """Measure a metric of a scenario over that of another, a case each; if it is no ratio, less."""
    back = np.exp if metric in LOGARITHMIC else float

    def measure(of: Subject) -> Measured:
        def two(first: tuple, second: tuple) -> Callable:
            return lambda means: float(back(means[first][0] - means[second][0]))

        return {
            case: case_of(of, [metric], {"": Part(two(*map(of.key, pair)))})
            for case, pair in scenarios(said).items()
        }

    return measure


def correlation(said: Sentence, x: str) -> Callable[..., Measured]:
    """Measure Pearson's r of x, on its scale, and log FR across the scenarios of a design."""

    def measure(of: Subject) -> Measured:
        keys = keys_of_design(of, said)

        def r(means) -> float | None:
            return pearson(*np.array([means[key] for key in keys]).T)

        return {"": case_of(of, (x, FR), {"": Part(r, points=len(keys))})}

    return measure


def keys_of_design(of: Subject, said: Sentence) -> list[tuple]:
    """Return the SACK scenarios under DropTail of the design that the cells of a claim name."""
    if said.cells not in of.designs:
        remedy = did_you_mean(said.cells, of.designs)
        raise said.wrong(f"paper.yml has no design {said.cells!r}", remedy)
    return [of.key({**SACK_DROPTAIL, "load": load}) for load in of.designs[said.cells]]


def of_implementations(of: Subject) -> Measured:
    """Measure FR of ns-2's own Scalable over that of Linux's at the same seeds, a case a rate.

    A repeat of both has one seed: they are pairs.
    """
    late = of.averages.filter(pl.col("from_s") == pl.col("from_s").max()).drop_nulls(FR)
    cells = {
        key: Cell(
            np.log(rows.select(FR).to_numpy()),
            seeds=tuple(rows["repeat"]),
            runs=tuple(rows.select(run_ref(PART)).to_series()),
        )
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
            name=lambda key: f"{key[0]}, {source_rate(key[1])}",
        )
        for kbps in RATES
    }


# ---- claims by their names ----------------------------------------------------------------------


@paper.claim
def fairness_ratio(said: Sentence) -> Callable[..., Measured]:
    return apart(said, FR)


@paper.claim
def over_the_rtt_ratio(said: Sentence) -> Callable[..., Measured]:
    return alone(said, FR, "rtt_ratio_12")


@paper.claim
def beta(said: Sentence) -> Callable[..., Measured]:
    return alone(said, BETA)


@paper.claim
def beta_apart(said: Sentence) -> Callable[..., Measured]:
    return apart(said, BETA)


@paper.claim
def flows_losing(said: Sentence) -> Callable[..., Measured]:
    return apart(said, "flows_losing")


@paper.claim
def briefly(said: Sentence) -> Callable[..., Measured]:
    return apart(said, "time_full_s")


@paper.claim
def bpdd_size(said: Sentence) -> Callable[..., Measured]:
    return apart(said, "bpdd")


@paper.claim
def bpdd_small(said: Sentence) -> Callable[..., Measured]:
    return alone(said, "bpdd")


@paper.claim
def short_flows(said: Sentence) -> Callable[..., Measured]:
    return apart(said, "cov_background")


@paper.claim
def starves(said: Sentence) -> Callable[..., Measured]:
    return alone(said, "throughput_ratio_41")


@paper.claim
def red_synchronisation(said: Sentence) -> Callable[..., Measured]:
    return alone(said, "p")


@paper.claim
def bpdd(said: Sentence) -> Callable[..., Measured]:
    return correlation(said, "bpdd")


@paper.claim
def p(said: Sentence) -> Callable[..., Measured]:
    return correlation(said, "p")


@paper.claim
def cov(said: Sentence) -> Callable[..., Measured]:
    return correlation(said, "cov_background")


@paper.claim
def exponent(said: Sentence) -> Callable[..., Measured]:
    """Measure the exponent of each scenario of a design; all of them are asked."""

    def measure(of: Subject) -> Measured:
        loads = of.designs[said.cells]
        parts = {
            load: Part(lambda means, key=key: float(means[key][0]))
            for load, key in zip(loads, keys_of_design(of, said), strict=True)
        }
        return {"": case_of(of, [BETA], parts)}

    return measure


@paper.claim
def theory(said: Sentence) -> Callable[..., Measured]:
    """Return the exponent that two flows with synchronised losses have, from the saw teeth."""
    rtts = [0.045, 0.09]

    def measure(of: Subject) -> Measured:
        ratio = throughput_ratio(saw_teeth(rtts, 10.0, 4))
        return {"": Case(value=float(np.log(ratio) / np.log(rtts[1] / rtts[0])))}

    return measure


@paper.claim
def implementation(said: Sentence) -> Callable[..., Measured]:
    """Measure FR of ns-2's own Scalable over that of Linux's at the same seeds, a case a rate.

    A repeat of both has one seed: they are pairs.
    """
    return of_implementations


@paper.metric(runs=True)
def claim(
    placed_run: pl.DataFrame,
    control_run: pl.DataFrame,
    run_metric: pl.DataFrame,
    average: pl.DataFrame,
    confidence: float,
    fdr: float,
    thresholds: dict,
    margins: dict,
    designs: dict,
    planned: pl.DataFrame,
    parts: dict,
    claims: dict,
    paper_name: str,
) -> pl.DataFrame:
    """Return what our runs say of each sentence: the table `claim` of `evenflow.claims.judge`."""
    placed = placed_run.with_columns(implementation=pl.lit(OWN))
    runs = pl.concat([placed, control_run.select(placed.columns)])
    few = pl.col("n_events").sum().over("scenario_id") < thresholds["few_events"]
    steady = run_metric.select("run_id", unsteady=is_unsteady())
    runs = runs.filter(~few).join(steady, on="run_id", how="left")
    runs = with_plan(runs.with_columns(dataset_id=pl.lit(parts["simulation"])), planned)
    subject = Subject(runs, designs, average)
    subjects = {parts["simulation"]: subject}
    return judge(
        paper_name, claims_of(claims, margins, globals()), subjects, confidence=confidence, fdr=fdr
    )
