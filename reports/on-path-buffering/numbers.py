"""The numbers of the text: each function is a branch of _variables.yml."""

from __future__ import annotations

import polars as pl
from evenflow.claims.claim_numbers import claim_variables
from evenflow.evidence.say import Said, count, given, say
from evenflow.kit.names import in_print
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
from .contest import contest_variables, effect_variables, weight_variables
from .design import ROUTERS, SHAPES
from .lowest import lowest_variables
from .managed import managed_variables
from .modern_tables import share_variables


@paper.number
def whole(run, about, parts) -> dict:
    return whole_numbers(run, about, parts)


@paper.number
def settings(floor_segments, confidence, fdr, example_run) -> dict:
    return {
        "floor_segments": given("floor_segments", f"{floor_segments:g}", floor_segments),
        "confidence_pct": share_in_percent("confidence", confidence),
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
def selfcheck(selfcheck_check) -> dict:
    return selfcheck_numbers(selfcheck_check)


@paper.number
def lowest(surface) -> dict:
    return lowest_variables(surface)


@paper.number
def smallest_limit(surface) -> dict:
    """What two flows use of the link where the shared limit is smallest, over RTTs and pairs."""
    use = surface.filter(part="testbed_alternative", metric="utilisation")
    use = use.filter(pl.col("buffer_bdp") == pl.col("buffer_bdp").min())
    least, most = 100 * pl.col("mean").min(), 100 * pl.col("mean").max()
    return {"used_pct": say(use, "{} to {}", least, most)}


@paper.number
def by_buffer(surface) -> dict:
    """How BIC's system-NRU changes from the smallest to the largest buffer, dB, by RTT."""
    of = surface.filter(part="testbed", metric="system_nru_db", ccas="newreno-bic")
    by_buffer = pl.col("mean").sort_by("buffer_bdp")
    change = by_buffer.last() - by_buffer.first()
    digits = in_print("system_nru_db").digits
    return {
        "bic": {
            f"at_{rtt_ms}": say(of.filter(base_rtt_s=rtt_ms / 1000), change, digits=digits)
            for rtt_ms in (25, 50, 100)
        }
    }


@paper.number
def modern(share) -> dict:
    return share_variables(share)


@paper.number
def managed(managed_share, managed_run) -> dict:
    return managed_variables(managed_share, managed_run)


@paper.number
def claim(claim) -> dict:
    return claim_variables(claim)


@paper.number
def contested(window_run, receive_window_bytes) -> dict:
    return contest_variables(window_run, receive_window_bytes)


@paper.number
def effect(effect) -> dict:
    return effect_variables(effect)


@paper.number
def weight(weight_cell) -> dict:
    return weight_variables(weight_cell)


@paper.number
def build(build) -> dict:
    runs = pl.col("n_runs").filter(pl.col("checked").is_null()).sum()
    words = "runs of builds without a self-check"
    return build_numbers(build) | {"n_unchecked": say(build, runs, words=words)}


@paper.number
def builds_beside(build_difference) -> dict:
    return builds_beside_numbers(build_difference)


@paper.number
def criteria(criteria_written, run, managed_run, readings) -> dict:
    margin_db, similar = readings["margin_db"], readings["similar"]
    return criteria_numbers(criteria_written, run | {"managed": managed_run}) | {
        "margin_db": given("readings.margin_db", f"{margin_db:g}"),
        "margin_pct": given(
            "readings.margin_db", f"{100 * (10 ** (margin_db / 10) - 1):.0f}", margin_db
        ),
        "similar_pct": given("readings.similar", f"{100 * (similar - 1):.0f}", similar),
    }


@paper.number
def stalled(flow_metric, parts, stalled_s) -> Said:
    return stalled_sentence({name: flow_metric[part] for part, name in parts.items()}, stalled_s)


@paper.number
def free(open_run) -> dict:
    compared = open_run.filter(role="comparison")
    return {
        "id": say(open_run, "dataset_id"),
        "n_runs": count(open_run, words="all runs of the data set"),
        "n_scenarios": say(compared, pl.col("scenario_id").n_unique(), words="comparison cells"),
    }


@paper.number
def steadiness(run, run_metric, open_run, open_run_metric) -> dict:
    every = run | {"open": open_run}, run_metric | {"open": open_run_metric}
    return steadiness_numbers(*every)


@paper.number
def shape(claim) -> dict:
    return shape_counts(claim, SHAPES, ROUTERS)
