"""Runs in which one thing is changed, beside those of the paper: is synchronisation the cause?

Without background traffic (a scenario of the paper), without the random wait before sending, or
with Linux's senders in the place of ns-2's own, each with bursty sources where there are sources.
"""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.say import Said
from evenflow.markdown import NOTHING, markdown_table
from evenflow.papers import paper

from .design import AQMS, BURSTY_KBPS, LINUX, OWN, VARIANTS, select
from .metrics import AS_IN_THE_ORIGINAL, placed_runs, points, with_metrics
from .words import MARK, PRINTED, queue_name, said_value, value

COMPARED = [variant for variant in VARIANTS if variant != "sack"]
BURSTY = {"background": "exponential", "source_kbps": BURSTY_KBPS}
# name of a number -> name in print
CHANGES = {
    "bursty": "Bursty background",
    "none": "No background",
    "waits": "No random waits",
    LINUX: "Linux's senders",
}


@paper.metric
def control_run(
    run: pl.DataFrame,
    burst_metric: pl.DataFrame,
    fairness_ratio: pl.DataFrame,
    rtt_exponent: pl.DataFrame,
) -> pl.DataFrame:
    """Return a row a run that is no scenario of the paper, as one thing is changed.

    Returns:
        The columns of `placed_run`, implementation (of the senders) and waits (whether they wait at
        random before sending).
    """
    changed = placed_runs(run, changed=True).filter(~AS_IN_THE_ORIGINAL)
    found = with_metrics(changed, burst_metric, fairness_ratio, rtt_exponent)
    what = changed.select("run_id", "implementation", "waits")
    return found.join(what, on="run_id", how="left", maintain_order="left")


@paper.metric(runs=True)
def control(
    control_run: pl.DataFrame, burst_cell: pl.DataFrame, confidence: float, thresholds: dict
) -> pl.DataFrame:
    """Return the scenarios of `control_run`: the columns of `scenario`, implementation, waits."""
    found = points(control_run, burst_cell, confidence, thresholds)
    what = control_run.select("scenario_id", "implementation", "waits").unique(maintain_order=True)
    return found.join(what, on="scenario_id", how="left", maintain_order="left")


def compared(scenario: pl.DataFrame, control: pl.DataFrame) -> pl.DataFrame:
    """Return HighSpeed's and Scalable's scenarios as they are, and with one thing changed.

    Args:
        scenario, control: the tables.

    Returns:
        The columns of `scenario`, and change, a key of CHANGES.
    """
    parts = {
        "bursty": select(scenario, **BURSTY),
        "none": select(scenario, background="none"),
        "waits": select(control, waits=False, implementation=OWN, **BURSTY),
        LINUX: select(control, waits=True, implementation=LINUX, **BURSTY),
    }
    both = [table.with_columns(change=pl.lit(name)) for name, table in parts.items()]
    found = pl.concat(both, how="diagonal_relaxed")
    return found.filter(pl.col("variant").is_in(COMPARED))


@paper.table
def controls(scenario: pl.DataFrame, control: pl.DataFrame) -> str:
    """Return what one change does: a row a variant, queue and change."""
    found = compared(scenario, control)
    metrics = ["beta_measured", "fairness_ratio_12", "p"]
    rows = []
    for variant, aqm, change in [(v, q, c) for v in COMPARED for q in AQMS for c in CHANGES]:
        for row in found.filter(variant=variant, aqm=aqm, change=change).rows(named=True):
            n = f"{row['n_runs']}{MARK if row['few_events'] else ''}"
            cells = made_of(row, n, *(value(row, metric) for metric in metrics))
            rows.append([variant_name(variant), queue_name(aqm), CHANGES[change], *cells])
    header = ["Variant", "Queue", "Runs with", "n", *(PRINTED[metric][0] for metric in metrics)]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)


def changed_numbers(
    scenario: pl.DataFrame, control: pl.DataFrame
) -> dict[str, dict[str, dict[str, Said]]]:
    """Return {change: {queue: {variant: β}}}, with intervals."""
    found = compared(scenario, control)
    return {
        change: {
            aqm: {
                variant: said_value(
                    found.filter(change=change, aqm=aqm, variant=variant), "beta_measured"
                )
                for variant in COMPARED
            }
            for aqm in AQMS
        }
        for change in CHANGES
    }
