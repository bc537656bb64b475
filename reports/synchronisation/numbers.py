"""Numbers of the text: formatted strings, by the names that index.qmd uses."""

from __future__ import annotations

import polars as pl
from evenflow.markdown import NOTHING, number, span_of
from evenflow.papers import paper
from evenflow.papers.claims import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, count_outcomes
from evenflow.provenance.origins import CONFIG, Rows, of_data, table

from .design import BURSTY_50, SMOOTH_50, select
from .theory import HSTCP_EXPONENT
from .words import MARK, PRINTED, describe_data, value


def of_case(*columns: str) -> list[Rows]:
    """Return the rows of burst_cell of the scenario that a case of Figure 1 is."""
    said = {"scenario_id": "case.{case}.scenario"}
    return [Rows("burst_cell", columns, of_part=True, said=said)]


@paper.number(rows={"{setting}": [table(CONFIG)]})
def settings(confidence: float, full_queue: float) -> dict[str, str]:
    """Return settings of the analysis, in %."""
    return {
        "confidence_pct": f"{100 * confidence:g}",
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
def claims(claim: pl.DataFrame, thresholds: dict) -> dict:
    """Return each claim's outcome and evidence by its key, and how many have each outcome."""
    counts = count_outcomes(claim)
    return {
        "n": str(len(claim)),
        "n_reproduced": str(counts[REPRODUCED]),
        "n_not_reproduced": str(counts[NOT_REPRODUCED]),
        "n_not_testable": str(counts[NOT_TESTABLE]),
        "strong_r": f"{thresholds['strong_r']:g}",
        "verdict": dict(claim.select("claim", "outcome").rows()),
        "evidence": dict(claim.select("claim", "evidence").rows()),
    }
