"""Numbers of the text: formatted strings, by the names that index.qmd uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl
from evenflow.claims.judge import count_outcomes, of_original, outcomes
from evenflow.markdown import NOTHING, number, span_of
from evenflow.papers import paper
from evenflow.provenance.origins import CONFIG, Rows, of_data, table

from .design import AQMS, BURSTY_50, BURSTY_KBPS, LINUX, OWN, SMOOTH_50, VARIANTS, select
from .given_window import given_window_variables
from .metrics import geometric_mean
from .theory import HSTCP_EXPONENT
from .words import MARK, PRINTED, describe_data, estimate_in_words, value

FR = "fairness_ratio_12"


def of_case(*columns: str) -> list[Rows]:
    """Return the rows of burst_cell of the scenario that a case of Figure 1 is."""
    said = {"scenario_id": "case.{case}.scenario"}
    return [Rows("burst_cell", columns, of_part=True, said=said)]


@paper.number(rows={"{setting}": [table(CONFIG)]})
def settings(confidence: float, full_queue: float, fdr: float) -> dict[str, str]:
    """Return settings of the analysis, in %."""
    return {
        "confidence_pct": f"{100 * confidence:g}",
        "fdr_pct": f"{100 * fdr:g}",
        "full_queue_pct": f"{100 * full_queue:g}",
    }


@paper.number
def data(
    run: pl.DataFrame,
    placed_run: pl.DataFrame,
    scenario: pl.DataFrame,
    ledger: pl.DataFrame,
    thresholds: dict,
) -> dict[str, str]:
    """Return what there is to say of the data set as a whole."""
    return describe_data(run, placed_run, scenario, ledger, thresholds)


@paper.number(
    rows={
        "{case}.n": of_case(),
        "{case}.n_events": of_data("burst_metric", "run"),
        "{case}.time_full_s": of_data("burst_metric", "run"),
        "{case}.{metric}": of_case("metric"),
    }
)
def case(scenario: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Return {bursty, smooth: {metric: text, scenario, n, n_events}} of Figure 1's scenarios."""
    tree = {}
    for name, wanted in (("bursty", BURSTY_50), ("smooth", SMOOTH_50)):
        found = select(scenario, **wanted)
        row = found.row(0, named=True) if len(found) else {}
        tree[name] = {metric: value(row, metric) for metric in PRINTED}
        tree[name] |= {
            "scenario": row.get("scenario_id", NOTHING),
            "n": str(row.get("n_runs", 0)),
            "n_events": f"{row.get('n_events', 0):,}{MARK if row.get('few_events') else ''}",
        }
    return tree


@paper.number
def ratio(scenario: pl.DataFrame) -> dict[str, str]:
    """Return the RTT ratios of flows 1 and 2: with the queue (span over scenarios), without."""
    measured = scenario["rtt_ratio_12"].drop_nulls()
    mean = measured.mean() if len(measured) else None
    return {
        "measured": span_of(measured, 2),
        "measured_mean": number(mean, 2),
        "square": number(None if mean is None else mean**2, 2),
        "hstcp": number(None if mean is None else mean**HSTCP_EXPONENT, 2),
        "base": span_of(scenario["base_rtt_ratio_12"], 2),
        "exponent_hstcp": f"{HSTCP_EXPONENT:g}",
    }


@paper.number
def claims(claim: pl.DataFrame, margins: dict) -> dict:
    """Return how many sentences of the original have each outcome, and each its own.

    strong_r: what the regions of correlations begin at; n_ours: findings of our own.
    """
    counts = count_outcomes(claim)
    folded = outcomes(of_original(claim))
    return {
        "n": str(len(folded)),
        **{f"n_{name.replace(' ', '_')}": str(count) for name, count in counts.items()},
        "outcome": dict(folded.select("claim", "outcome").rows()),
        "strong_r": f"{margins['strong_r']:g}",
        "n_ours": str(claim["claim"].n_unique() - len(folded)),
    }


@paper.number
def found(claim: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Return {claim: {case: estimate with interval}}; 'all' is the case of a claim of one."""
    tree: dict[str, dict[str, str]] = {}
    for row in claim.rows(named=True):
        case = re.sub(r"[^a-z0-9]+", "_", row["case"].lower()).strip("_") or "all"
        tree.setdefault(row["claim"], {})[case] = estimate_in_words(row)
    return tree


@paper.number
def beta(scenario: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Return {queue: {variant: β}} with bursty exponential sources, with intervals."""
    bursty = select(scenario, background="exponential", source_kbps=BURSTY_KBPS)
    return {
        aqm: {
            variant: _one(select(bursty, variant=variant, aqm=aqm), "beta_measured")
            for variant in VARIANTS
        }
        for aqm in AQMS
    }


def _one(found: pl.DataFrame, metric: str) -> str:
    return value(found.row(0, named=True), metric) if len(found) == 1 else NOTHING


@paper.number
def averages(average: pl.DataFrame, confidence: float) -> dict[str, str]:
    """Return what the section on Scalable says of averaging and of its implementation.

    Of sources of 5 Mb/s: own, linux: FR over the latest window; early, whole: the least and the
    most FR of one of n runs of ns-2's own over the shortest window, of first_s, and over the whole
    run.
    """
    shortest = (pl.col("from_s") == 0) & (pl.col("to_s") == pl.col("to_s").min())
    bursty = average.filter(source_kbps=BURSTY_KBPS)
    of_own = bursty.filter(implementation=OWN)
    early = of_own.filter(shortest)[FR].drop_nulls()
    whole = of_own.filter(from_s=0).filter(pl.col("to_s") == pl.col("to_s").max())
    whole = whole[FR].drop_nulls()
    late = average.filter(pl.col("from_s") == pl.col("from_s").max())
    said = {
        name: _geometric(_of(late, name, BURSTY_KBPS).values(), confidence) for name in (OWN, LINUX)
    }
    return {
        "own": said[OWN],
        "linux": said[LINUX],
        "first_s": span_of(average.filter(shortest)["to_s"]),
        "early": _least_to_most(early),
        "whole": _least_to_most(whole),
        "n": str(len(whole)),
    }


def _of(late: pl.DataFrame, implementation: str, kbps: float) -> dict[int, float]:
    found = late.filter(implementation=implementation, source_kbps=kbps)
    return dict(found.select("repeat", FR).drop_nulls().rows())


def _geometric(values: Iterable[float], confidence: float) -> str:
    found = list(values)
    if not found:
        return NOTHING
    mean = geometric_mean(pl.Series(found), FR, confidence)
    return value(mean, FR)


def _least_to_most(values: pl.Series) -> str:
    if values.is_empty():
        return NOTHING
    least, most = (value({FR: each}, FR) for each in (values.min(), values.max()))
    return least if least == most else f"{least} to {most}"


@paper.number(rows={"*": [table("given_window")]})
def given(given_window) -> dict:
    return given_window_variables(given_window)
