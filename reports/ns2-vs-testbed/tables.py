"""The tables in print."""

from __future__ import annotations

import polars as pl
from evenflow.claims.scorecard import case_numbers, scorecard, steadiness_numbers
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.builds import build_markdown
from evenflow.reporting.datasets import dataset_table, described
from evenflow.reporting.differences import difference_table, verdict_sensitivity_table
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
from .agreement import gap_markdown
from .design import ORDER, SETUPS, SHAPES, SIMULATION, TESTBEDS
from .why_tables import change_markdown, distance_markdown, summary_markdown


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


@paper.table(of=["testbed", "testbed_alternative", "open", "simulation"])
def claims(claim) -> str:
    # of the differences from each testbed there is a figure
    both = {"fig-difference": "@fig-difference, @fig-difference-alternative"}
    return scorecard(claim, SETUPS, both)


@paper.table(of=["testbed", "simulation"])
def claims_testbed(claim) -> str:
    return case_numbers(claim, {"testbed": SETUPS["testbed"]})


@paper.table(of=["testbed_alternative", "simulation"])
def claims_alternative(claim) -> str:
    return case_numbers(claim, {"testbed_alternative": SETUPS["testbed_alternative"]})


@paper.table(of=["open", "simulation"])
def claims_open(claim) -> str:
    return case_numbers(claim, {"open": SETUPS["open"]})


@paper.table(of=["simulation"])
def claims_simulation(claim) -> str:
    return case_numbers(claim, {SIMULATION: SETUPS[SIMULATION]})


@paper.table(of=["testbed", "testbed_alternative", "open", "simulation"])
def unsteady(claim) -> str:
    return steadiness_numbers(claim, SETUPS)


@paper.table
def unsteady_runs(run, run_metric, open_run, open_run_metric) -> str:
    every = run | {"open": open_run}, run_metric | {"open": open_run_metric}
    return unsteady_markdown(*every, SETUPS)


@paper.table(of=["testbed", "testbed_alternative", "open", "simulation"])
def findings(claim) -> str:
    return case_numbers(claim, SETUPS, own=True)


@paper.table(of=["testbed", "testbed_alternative"])
def shapes(claim) -> str:
    of_routers = claim.filter(pl.col("subject").is_in(TESTBEDS), pl.col("claim").is_in(SHAPES))
    return outcome_table(of_routers, {part: SETUPS[part] for part in TESTBEDS})


@paper.table
def published(printed) -> str:
    return printed_table(printed, ORDER)


@paper.table
def sensitivity(sensitivity, run, parts, weight_from) -> str:
    return sensitivity_table(by_name(parts, sensitivity, run), weight_from)


@paper.table
def verdicts(difference, parts) -> str:
    return difference_table({parts[part]: difference.filter(part=part) for part in TESTBEDS})


@paper.table
def verdict_sensitivity(difference, verdict_sensitivity, parts) -> str:
    both = (difference, verdict_sensitivity)
    return verdict_sensitivity_table(
        {parts[part]: tuple(table.filter(part=part) for table in both) for part in TESTBEDS}
    )


@paper.table
def selfcheck(selfcheck) -> str:
    return selfcheck_table(selfcheck)


@paper.table
def why_data(fallback_run, window_run, profiles_run) -> str:
    return runs_table([fallback_run, window_run, profiles_run])


@paper.table
def why_summary(distance) -> str:
    return summary_markdown(distance)


@paper.table(of=["simulation", "fallback", "window"])
def why_ns2(distance) -> str:
    return distance_markdown(distance.filter(platform="ns2"))


@paper.table(of=["testbed", "testbed_alternative"])
def why_testbed(distance) -> str:
    return distance_markdown(distance.filter(platform="testbed"))


@paper.table
def why_changes(change) -> str:
    return change_markdown(change)


@paper.table(of=["testbed", "simulation", "profiles", "open"])
def agreement(gap) -> str:
    return gap_markdown(gap)


@paper.table
def completeness(completeness, paper_name) -> str:
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table(of=["testbed", "testbed_alternative"])
def builds(build) -> str:
    return build_markdown(build)
