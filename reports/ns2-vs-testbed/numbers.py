"""The numbers of the text: each function is a branch of _variables.yml."""

from __future__ import annotations

import polars as pl
from evenflow.claims.claim_numbers import claim_variables
from evenflow.evidence.say import Said, count, given, say
from evenflow.papers import paper
from evenflow.reporting.said import (
    build_numbers,
    builds_beside_numbers,
    criteria_numbers,
    data_numbers,
    example_numbers,
    observed_numbers,
    selfcheck_numbers,
    share_in_percent,
    stalled_sentence,
    steadiness_numbers,
    whole_numbers,
)

from .._grid.brief import shape_counts
from .._grid.printed import printed_variables
from .agreement import gap_variables
from .cubic_parts import part_variables
from .design import SHAPES, TESTBEDS
from .long_runs import lasting_variables
from .old_code import old_variables
from .ratios import ratio_variables
from .setup import free_variables, setup_variables
from .why_tables import change_variables, distance_variables


@paper.number
def whole(run, about, parts) -> dict:
    return whole_numbers(run, about, parts)


@paper.number
def settings(confidence, equivalence_margin_jfi, fdr, example_run) -> dict:
    return {
        "confidence_pct": share_in_percent("confidence", confidence),
        "equivalence_margin_jfi": given("equivalence_margin_jfi", float(equivalence_margin_jfi)),
        "fdr_pct": share_in_percent("fdr", fdr),
        "example": example_numbers(example_run),
    }


@paper.number
def data(run, flow, flow_metric) -> dict:
    return {part: data_numbers(of, flow[part], flow_metric[part]) for part, of in run.items()}


@paper.number
def observed(host) -> dict:
    return {
        part: observed_numbers(host.filter(part=part))
        for part in host["part"].unique(maintain_order=True)
    }


@paper.number
def printed(printed) -> dict:
    return printed_variables(printed)


@paper.number
def selfcheck(selfcheck_check) -> dict:
    return selfcheck_numbers(selfcheck_check)


@paper.number
def why(distance, change) -> dict:
    return {"model": distance_variables(distance), "change": change_variables(change)}


@paper.number
def difference(difference) -> dict:
    return {part: {"all": verdict_counts(difference.filter(part=part))} for part in TESTBEDS}


def verdict_counts(difference: pl.DataFrame) -> dict:
    """Return how many cells of a testbed have which verdict."""
    printed = pl.col("significant_printed")
    return {
        "n_repeated": say(difference, printed.count(), words="cells with repeats on both sides"),
        "n_significant_printed": say(
            difference, printed.sum(), words="cells that the original calls significantly different"
        ),
        "n_different": count(
            difference,
            pl.col("verdict") == "different",
            words="cells that the tests call different",
        ),
        "n_equivalent": count(
            difference,
            pl.col("verdict") == "equivalent",
            words="cells that the tests call equivalent",
        ),
    }


@paper.number
def claim(claim) -> dict:
    return claim_variables(claim)


@paper.number
def reading(readings) -> dict:
    return {
        name: given(f"readings.{name}", f"{value:g}", value)
        for name, value in readings.items()
        if not isinstance(value, list)
    }


@paper.number
def gap(gap, agreement, readings) -> dict:
    return gap_variables(gap, agreement, readings["high_rtt_ms"])


@paper.number
def build(build) -> dict:
    return build_numbers(build)


@paper.number
def builds_beside(build_difference) -> dict:
    return builds_beside_numbers(build_difference)


@paper.number
def criteria(criteria_written, run) -> dict:
    return criteria_numbers(criteria_written, run)


@paper.number
def setup(host_window) -> dict:
    return setup_variables(host_window)


@paper.number
def by_rtt(ratio) -> dict:
    return ratio_variables(ratio)


@paper.number
def lasting(lasting) -> dict:
    return lasting_variables(lasting)


@paper.number
def part_of_cubic(cubic_part) -> dict:
    return part_variables(cubic_part)


@paper.number
def old(old_code) -> dict:
    return old_variables(old_code)


@paper.number
def steadiness(run, run_metric, open_run, open_run_metric) -> dict:
    every = run | {"open": open_run}, run_metric | {"open": open_run_metric}
    return steadiness_numbers(*every)


@paper.number
def shape(claim) -> dict:
    return shape_counts(claim, SHAPES, TESTBEDS)


@paper.number
def stalled(flow_metric, parts, stalled_s) -> Said:
    return stalled_sentence({name: flow_metric[part] for part, name in parts.items()}, stalled_s)


@paper.number
def free(free_cell) -> dict:
    return free_variables(free_cell)
