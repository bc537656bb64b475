"""The tables in print."""

from __future__ import annotations

import polars as pl
from evenflow.claims.scorecard import case_numbers, scorecard, steadiness_numbers
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.builds import build_markdown
from evenflow.reporting.datasets import dataset_table, described
from evenflow.reporting.selfcheck import selfcheck_table
from evenflow.reporting.sensitivity import sensitivity_table
from evenflow.reporting.setups import (
    by_name,
    dataset_facts,
    deviation_table,
    runs_table,
    source_list,
)

from .._grid.brief import outcome_table
from .._grid.printed import printed_table
from .._grid.unsteady_runs import unsteady_markdown
from . import contest, modern_tables
from .design import QUEUES, ROUTERS, SETUPS, SHAPES
from .modern import flow_order


@paper.table
def datasets(run, flow, flow_metric, ledger, stalled_s) -> str:
    return dataset_table(described(run, flow, flow_metric, ledger, stalled_s))


@paper.table
def sources(parts, about) -> str:
    return source_list(by_name(parts, about))


@paper.table
def deviations(authors, run, flow, flow_metric, about, parts) -> str:
    known = by_name(parts, run, flow, flow_metric, about)
    return deviation_table(authors, {name: dataset_facts(*of) for name, of in known.items()})


@paper.table(of=["testbed", "testbed_alternative", "open"])
def claims(claim) -> str:
    # a claim on a testbed has a figure of each
    labels = claim["figure"].unique(maintain_order=True).to_list()
    both = {label: f"@{label}, @{label}-alternative" if label else "" for label in labels}
    return scorecard(claim, SETUPS, both)


@paper.table(of=["testbed"])
def claims_testbed(claim) -> str:
    return case_numbers(claim, {"testbed": SETUPS["testbed"]})


@paper.table(of=["testbed_alternative"])
def claims_alternative(claim) -> str:
    return case_numbers(claim, {"testbed_alternative": SETUPS["testbed_alternative"]})


@paper.table(of=["open"])
def claims_open(claim) -> str:
    return case_numbers(claim, {"open": SETUPS["open"]})


@paper.table(of=["testbed", "testbed_alternative", "open", "managed"])
def unsteady(claim) -> str:
    return steadiness_numbers(claim, SETUPS | QUEUES)


@paper.table
def unsteady_runs(run, run_metric, open_run, open_run_metric) -> str:
    every = run | {"open": open_run}, run_metric | {"open": open_run_metric}
    return unsteady_markdown(*every, SETUPS)


@paper.table(of=["testbed", "testbed_alternative", "open"])
def findings(claim) -> str:
    return case_numbers(claim, SETUPS, own=True)


@paper.table(of=["managed"])
def managed_claims(claim) -> str:
    return case_numbers(claim, QUEUES, own=True)


@paper.table(of=["testbed", "testbed_alternative"])
def shapes(claim) -> str:
    of_routers = claim.filter(pl.col("subject").is_in(ROUTERS), pl.col("claim").is_in(SHAPES))
    return outcome_table(of_routers, {part: SETUPS[part] for part in ROUTERS})


@paper.table(of=["testbed", "open"])
def effects_testbed(effect) -> str:
    return contest.effect_markdown(effect, "testbed", "open")


@paper.table(of=["testbed_alternative"])
def effects_testbed_alternative(effect) -> str:
    return contest.effect_markdown(effect, "testbed_alternative")


@paper.table
def effects_by_weight(effect) -> str:
    return contest.weight_markdown(effect)


@paper.table
def calibrations(weight_cell) -> str:
    return contest.calibration_markdown(weight_cell)


@paper.table
def builds(build) -> str:
    return build_markdown(build)


@paper.table
def completeness(completeness, paper_name) -> str:
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def published(printed, parts) -> str:
    return printed_table(printed, list(parts), "@eq-jfi")


@paper.table
def sensitivity(sensitivity, run, parts, weight_from) -> str:
    return sensitivity_table(by_name(parts, sensitivity, run), weight_from)


@paper.table
def selfcheck(selfcheck) -> str:
    return selfcheck_table(selfcheck)


@paper.table
def modern_data(modern_run, managed_run, swapped_run, open_swapped_run) -> str:
    return runs_table([modern_run, managed_run, swapped_run, open_swapped_run])


@paper.table(of=["modern"])
def modern_shares(share) -> str:
    return modern_tables.share_markdown(share.filter(part="modern"))


@paper.table(of=["swapped", "testbed"])
def modern_order(share) -> str:
    return both_orders(share, "testbed", "swapped")


@paper.table(of=["open_swapped", "open"])
def open_order(share) -> str:
    return both_orders(share, "open", "open_swapped")


def both_orders(share: pl.DataFrame, *parts: str) -> str:
    """Return the cells that two parts have in different orders of the flows."""
    both = share.filter(pl.col("part").is_in(parts)).drop("part")
    return modern_tables.order_markdown(flow_order(both))
