"""Numbers of the text: formatted strings, by the names that index.qmd uses."""

from __future__ import annotations

import re

import polars as pl
from evenflow.claims.claim_numbers import outcome_numbers
from evenflow.claims.judge import of_original
from evenflow.evidence.say import Said, count, nothing, phrase, say, span
from evenflow.evidence.say import given as given_setting
from evenflow.markdown import word
from evenflow.papers import paper
from evenflow.reporting.datasets import made_when_said

from .controls import changed_numbers
from .design import AQMS, BURSTY_50, BURSTY_KBPS, LINUX, OWN, SMOOTH_50, VARIANTS, select
from .given_window import given_window_numbers
from .left_out import MEASURES, SETS
from .theory import HSTCP_EXPONENT
from .words import listed_names, said_estimate, said_value, variants_and_queues

FR = "fairness_ratio_12"


@paper.number
def settings(confidence: float, full_queue: float, fdr: float) -> dict[str, Said]:
    """Return settings of the analysis, in %."""
    return {
        "confidence_pct": given_setting("confidence", float(100 * confidence), confidence),
        "fdr_pct": given_setting("fdr", float(100 * fdr), fdr),
        "full_queue_pct": given_setting("full_queue", float(100 * full_queue), full_queue),
    }


@paper.number
def data(
    run: pl.DataFrame, placed_run: pl.DataFrame, scenario: pl.DataFrame, thresholds: dict
) -> dict[str, Said]:
    """Return what there is to say of the data set as a whole."""
    placed = run.join(placed_run.select("run_id"), on="run_id", how="semi")
    names = variants_and_queues()
    return {
        "id": say(run, "dataset_id"),
        "tool": say(placed, "{tool} {tool_version}", words="what simulated, as all runs say it"),
        "n_runs": count(placed, words="runs that have a place in the paper"),
        "n_scenarios": count(scenario, words="scenarios that have a run"),
        "repeats": span(scenario, "n_runs"),
        "n_repeated": count(scenario, pl.col("n_runs") > 1, words="scenarios of several runs"),
        "n_few": count(scenario, pl.col("few_events"), words="scenarios of few drop events"),
        "few_events": given_setting("thresholds.few_events", thresholds["few_events"]),
        "variants": listed_names(scenario, "variant", names["variant"]),
        "queues": listed_names(scenario, "aqm", names["aqm"]),
        "bottleneck_mbps": span(placed, pl.col("bottleneck_bps") / 1e6),
        "buffer_packets": span(placed_run, "queue_limit_packets"),
        "warmup_s": span(placed, "warmup_s"),
        "gap_ms": span(placed_run, pl.col("gap_s") * 1000),
        "made_when": made_when_said([placed]),
    }


@paper.number
def case(scenario: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return {bursty, smooth: {metric: text}} of Figure 1's scenarios."""
    return {
        name: {
            metric: said_value(select(scenario, **wanted), metric)
            for metric in ("flows_losing", "time_full_s")
        }
        for name, wanted in (("bursty", BURSTY_50), ("smooth", SMOOTH_50))
    }


@paper.number
def ratio(scenario: pl.DataFrame) -> dict[str, Said]:
    """Return the RTT ratios of flows 1 and 2: with the queue (span over scenarios), without."""
    measured = pl.col("rtt_ratio_12")
    return {
        "measured": span(scenario, measured, digits=2),
        "square": say(
            scenario, measured.mean() ** 2, digits=2, words="square of the mean RTT ratio"
        ),
        "base": span(scenario, "base_rtt_ratio_12", digits=2),
        "exponent_hstcp": given_setting("theory.HSTCP_EXPONENT", float(HSTCP_EXPONENT)),
    }


@paper.number
def claims(claim: pl.DataFrame, designs: dict) -> dict:
    """Return how many sentences of the original have each outcome.

    n_ours: findings of our own; n_correlated: scenarios that correlations are judged over.
    """
    original = of_original(claim)
    counts = outcome_numbers(original)
    key = pl.col("claim").n_unique()
    return {
        "n": say(original, key, words="sentences of the original that are tested"),
        **{f"n_{name}": said for name, said in counts.items()},
        "n_correlated": given_setting("designs.figures", len(designs["figures"])),
        "n_ours": say(claim.filter(pl.col("place") == ""), key, words="findings of our own"),
    }


@paper.number
def found(claim: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return {claim: {case: estimate with interval}}; 'all' is the case of a claim of one."""
    tree: dict[str, dict[str, Said]] = {}
    for i, (key, of) in enumerate(claim.select("claim", "case").rows()):
        name = re.sub(r"[^a-z0-9]+", "_", of.lower()).strip("_") or "all"
        tree.setdefault(word(key), {})[name] = said_estimate(claim[i])
    return tree


@paper.number
def beta(scenario: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return {queue: {variant: β}} with bursty exponential sources, with intervals."""
    bursty = select(scenario, background="exponential", source_kbps=BURSTY_KBPS)
    return {
        aqm: {
            variant: said_value(select(bursty, variant=variant, aqm=aqm), "beta_measured")
            for variant in VARIANTS
        }
        for aqm in AQMS
    }


@paper.number
def beta_base(scenario: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return what `beta` does, fitted to the RTTs without queue, of a drop-tail queue alone."""
    bursty = select(scenario, background="exponential", source_kbps=BURSTY_KBPS, aqm="droptail")
    return {"droptail": {v: said_value(select(bursty, variant=v), "beta_base") for v in VARIANTS}}


@paper.number
def lasts(run: pl.DataFrame, placed_run: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return {queue: {variant: how long its runs with exponential sources are, s}}."""
    exponential = select(placed_run, background="exponential")

    def lasting(variant: str, aqm: str) -> Said:
        runs = select(exponential, variant=variant, aqm=aqm)
        return span(run.join(runs, on="run_id", how="semi"), "duration_s")

    return {aqm: {variant: lasting(variant, aqm) for variant in VARIANTS} for aqm in AQMS}


@paper.number
def against_printed(printed: pl.DataFrame) -> dict[str, Said]:
    """Return how many times the printed FR is the measured one, by variant."""
    ratio = pl.col("measured") / pl.col("value")
    of = printed.filter(metric=FR)
    cases = {
        "sack": of.filter(pl.col("case").str.contains("sources")),
        "highspeed": of.filter(pl.col("case").str.starts_with("hstcp")),
        "scalable_smooth": of.filter(case="stcp-droptail-smooth"),
        "scalable_bursty": of.filter(case="stcp-droptail-bursty"),
    }
    words = "measured FR over the printed one"
    return {name: span(rows, ratio, digits=1, words=words) for name, rows in cases.items()}


@paper.number
def mser5(cutoff: pl.DataFrame) -> dict:
    """Return in how many runs of HighSpeed and Scalable MSER-5 discards as much as it can.

    most_s: the most that it discards of these runs, which have one length; {variant: {at_limit,
    n}}: runs of which it discards as much, and all.
    """
    runs = cutoff.filter(
        pl.col("variant") != "sack", pl.col("cutoff_s") == pl.col("cutoff_s").min()
    )
    most = runs["mser5_s"].max()
    at_limit = pl.lit(False) if most is None else pl.col("mser5_s") == most
    numbers: dict = {"most_s": say(runs, pl.col("mser5_s").max())}
    for variant in ("highspeed", "scalable"):
        of = select(runs, variant=variant)
        numbers[variant] = {
            "at_limit": count(of, at_limit, words="runs of which MSER-5 discards the most it can"),
            "n": count(of, words="runs"),
        }
    return numbers


@paper.number
def averages(average: pl.DataFrame, average_mean: pl.DataFrame) -> dict[str, Said]:
    """Return what the section on Scalable says of averaging and of its implementation.

    Of sources of 5 Mb/s: own, linux: FR over the latest window; early, whole: the least and the
    most FR of one of n runs of ns-2's own over the shortest window, of first_s, and over the whole
    run.
    """
    shortest = (pl.col("from_s") == 0) & (pl.col("to_s") == pl.col("to_s").min())
    of_own = average.filter(source_kbps=BURSTY_KBPS, implementation=OWN)
    early = of_own.filter(shortest).drop_nulls(FR)
    whole = of_own.filter(from_s=0).filter(pl.col("to_s") == pl.col("to_s").max()).drop_nulls(FR)
    late = average_mean.filter(source_kbps=BURSTY_KBPS)
    return {
        "own": said_value(late.filter(implementation=OWN), FR),
        LINUX: said_value(late.filter(implementation=LINUX), FR),
        "first_s": span(average.filter(shortest), "to_s"),
        "early": _least_to_most(early),
        "whole": _least_to_most(whole),
        "n": count(whole, words="runs of ns-2's own Scalable"),
    }


def _least_to_most(rows: pl.DataFrame) -> Said:
    if rows.is_empty():
        return nothing()
    low, high = (said_value(rows.sort(FR)[at], FR) for at in (0, -1))
    return low if low == high else phrase("{} to {}", low, high)


@paper.number
def given(given_window) -> dict:
    return given_window_numbers(given_window)


@paper.number
def linux_with_red(control) -> dict:
    """Return P of Linux's Scalable with RED, %: the range over the sources."""
    of = control.filter(variant="scalable", aqm="red", implementation=LINUX)
    return {"p": span(of, "p", unit=0.01)}


@paper.number
def changed(scenario, control) -> dict:
    return changed_numbers(scenario, control)


@paper.number
def without(left_out: pl.DataFrame) -> dict[str, dict[str, Said]]:
    """Return {measure: {set of scenarios: its correlation with log FR}}."""
    tree: dict[str, dict[str, Said]] = {x: dict.fromkeys(SETS, nothing()) for x in MEASURES}
    for row in left_out.drop_nulls("r").iter_slices(1):
        said = say(row, "r", digits=2, words="Pearson's r")
        tree[row["x"][0]][row["scenarios"][0]] = said
    return tree
