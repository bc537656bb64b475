"""The numbers of the text: each function is a branch of _variables.yml."""

from __future__ import annotations

from dataclasses import replace

from evenflow.claims.brief import shape_counts
from evenflow.claims.claim_numbers import claim_variables
from evenflow.papers import paper
from evenflow.provenance.origins import CONFIG, PUBLISHED, of_data, table
from evenflow.reporting.builds import build_differences, build_variables
from evenflow.reporting.criteria import criteria_variables
from evenflow.reporting.datasets import (
    described,
    observed_variables,
    setting_variables,
    stalled_in_words,
    steadiness_variables,
    whole_variables,
)
from evenflow.reporting.differences import difference_variables
from evenflow.reporting.printed import printed_variables
from evenflow.reporting.selfcheck import selfcheck_variables
from evenflow.reporting.setups import titles_of
from evenflow.reporting.surfaces import edge_variables, summary_variables, surface_phrases

from .agreement import gap_variables
from .design import SHAPES, TESTBEDS
from .ratios import ratio_variables
from .setup import free_variables, setup_variables
from .why_tables import change_variables, distance_variables

# metrics of which the text names every pairing, and the role of the runs that have them
NAMED = {
    "mean_throughput_bps_flow2": "calibration",
    "flow_nru_db_flow2": "comparison",
    "flow_nru_db_flow1": "comparison",
    "system_nru_db": "comparison",
    "jfi": "comparison",
}
SURFACE = ("part", "role", "metric", "ccas")
# cells of the simulation and of the testbed that the name says, of comparison runs
COMPARED = replace(table("difference", "part"), beside=("simulation",), runs={"role": "comparison"})


@paper.number(rows={"stalled": of_data("flow_metric"), "*": of_data("run")})
def whole(run, flow, flow_metric, ledger, stalled_s, about, parts) -> dict:
    data = described(run, flow, flow_metric, ledger, stalled_s)
    return whole_variables(data, run, titles_of(parts, about))


@paper.number(rows={"example.*": [table("paper.yml")], "*": [table(CONFIG)]})
def settings(
    warmup_s, floor_segments, weight_from, confidence, equivalence_margin_jfi, fdr, stalled_s,
    example_run,
) -> dict:  # fmt: skip
    return setting_variables(
        warmup_s=warmup_s,
        floor_segments=floor_segments,
        weight_from=weight_from,
        confidence=confidence,
        equivalence_margin_jfi=equivalence_margin_jfi,
        fdr=fdr,
        stalled_s=stalled_s,
        example_run=example_run,
    )


@paper.number(rows={"{part}.*": of_data("run", "flow", "flow_metric", "ledger")})
def data(run, flow, flow_metric, ledger, stalled_s) -> dict:
    return described(run, flow, flow_metric, ledger, stalled_s)


@paper.number(rows={"{part}.*": of_data("run")})
def observed(run) -> dict:
    return {part: observed_variables(runs) for part, runs in run.items()}


@paper.number(rows={"{part}.{role}.{metric}.{ccas}.{column}": [table("summary", *SURFACE)]})
def summary(summary, printed) -> dict:
    return summary_variables(summary, printed)


@paper.number(
    rows={
        "{part}.{metric}.caption": [table("summary", "part", "metric")],
        "{part}.{metric}.means": [table("summary", "part", "metric"), table("printed")],
    }
)
def surface(summary, printed) -> dict:
    return surface_phrases(summary, printed, NAMED)


@paper.number(rows={"{part}.{role}.{metric}.{ccas}.*": [table("surface", *SURFACE)]})
def edge(surface, summary, printed) -> dict:
    return edge_variables(surface, summary_variables(summary, printed))


@paper.number(rows={"{item}.{statistic}": [table(PUBLISHED, "item", "statistic")]})
def printed(printed) -> dict:
    return printed_variables(printed)


@paper.number
def selfcheck(selfcheck) -> dict:
    return selfcheck_variables(selfcheck)


@paper.number(rows={"change.{what}.*": [table("change", "what")], "*": [table("distance")]})
def why(distance, change) -> dict:
    return {"model": distance_variables(distance), "change": change_variables(change)}


@paper.number(
    rows={
        "{part}.all.*": [COMPARED],
        "{part}.{ccas}.*": [replace(COMPARED, columns=("part", "ccas"))],
    }
)
def difference(difference) -> dict:
    return {part: difference_variables(difference.filter(part=part)) for part in TESTBEDS}


@paper.number(
    rows={
        "of.{subject}.{claim}": [table("claim", "subject", "claim")],
        "null.{subject}.{claim}": [table("claim", "subject", "claim")],
        "contrast.{subject}.{claim}": [table("claim", "subject", "claim")],
        "holds.{subject}.{claim}": [table("claim", "subject", "claim")],
        "value.{subject}.{claim}.{case}": [table("claim", "subject", "claim")],
        "count.{subject}.{outcome}": [table("claim", "subject")],
        "*": [table("claim")],
    }
)
def claim(claim) -> dict:
    return claim_variables(claim)


@paper.number(rows={"*": [table("paper.yml")]})
def reading(readings) -> dict:
    return {k: f"{value:g}" for k, value in readings.items() if not isinstance(value, list)}


@paper.number(rows={"{set}.{ccas}.*": [table("gap", "set", "ccas")], "*": [table("paper.yml")]})
def gap(gap, agreement, readings) -> dict:
    return gap_variables(gap, agreement, readings["high_rtt_ms"])


@paper.number
def build(build) -> dict:
    return build_variables(build)


@paper.number(rows={"{part}.*": of_data("run", "run_metric")})
def builds_beside(run, run_metric, open_run, open_run_metric) -> dict:
    testbeds = {part: run[part] for part in TESTBEDS} | {"open": open_run}
    return build_differences(testbeds, run_metric | {"open": open_run_metric})


@paper.number
def criteria(criteria_written, run) -> dict:
    return criteria_variables(criteria_written, run)


@paper.number(rows={"simulation.*": of_data("run"), "*": [table("surface_run")]})
def setup(run, surface_run) -> dict:
    return setup_variables(run, surface_run)


@paper.number(rows={"{part}.{cca}.*": [table("ratio", "part", "cca")]})
def by_rtt(ratio) -> dict:
    return ratio_variables(ratio)


@paper.number(rows={"{part}.*": of_data("run", "run_metric")})
def steadiness(run, run_metric, open_run, open_run_metric) -> dict:
    every = run | {"open": open_run}, run_metric | {"open": open_run_metric}
    return steadiness_variables(*every)


@paper.number(rows={"{subject}.*": [table("claim", "subject")]})
def shape(claim) -> dict:
    return shape_counts(claim, SHAPES, TESTBEDS)


@paper.number(rows={"": of_data("flow_metric")})
def stalled(flow_metric, parts, stalled_s) -> str:
    return stalled_in_words({name: flow_metric[part] for part, name in parts.items()}, stalled_s)


@paper.number(rows={"*": [table("surface_run", part="testbed")]})
def free(surface_run, run, grids) -> dict:
    return free_variables(surface_run, run, grids)
