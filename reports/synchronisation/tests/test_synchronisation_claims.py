"""The scorecard: each claim is tested on the runs that it speaks of."""

import polars as pl
import pytest

from .. import claims
from .. import tables as report
from .made_runs import (
    PARETO_10,
    PARETO_1000,
    THRESHOLDS,
    a_run,
    ftp,
    points,
    repeats,
    udp,
)

YES, NO, UNKNOWN = "reproduced", "not reproduced", "not testable"


def claim_table(runs: list[dict]) -> pl.DataFrame:
    """The table claim of these runs."""
    return claims.claim(*points(runs), 0.95, THRESHOLDS, {"simulation": "mine"}, "synchronisation")


def verdicts(runs: list[dict]) -> dict[str, tuple[str, str]]:
    """Verdict and evidence of every claim by its key."""
    rows = claim_table(runs).select("claim", "outcome", "evidence").rows()
    return {key: (verdict, text) for key, verdict, text in rows}


def two(first: dict, second: dict, metric: str, high: float, low: float) -> list[dict]:
    """Three runs of each of two scenarios, the first with higher values of a metric."""
    return [
        run
        for factors, value in ((first, high), (second, low))
        for run in repeats(factors, [0.99 * value, value, 1.01 * value], metric)
    ]


PAIRS = [
    ("synchronises", PARETO_10, PARETO_1000, "p", (0.95, 0.6)),
    ("unfair", PARETO_10, PARETO_1000, "fairness_ratio", (2.5, 2.0)),
    ("briefly", PARETO_1000, PARETO_10, "bins_full", (3000, 300)),
    ("bpdd_size", udp(5000.0), udp(25.0), "bpdd", (95, 19)),
]


@pytest.mark.parametrize(("key", "first", "second", "metric", "values"), PAIRS)
def test_a_difference_is_reproduced_if_its_interval_leaves_out_zero(
    key, first, second, metric, values
):
    high, low = values
    assert verdicts(two(first, second, metric, high, low))[key][0] == YES
    assert verdicts(two(first, second, metric, low, high))[key][0] == NO
    assert verdicts(two(first, second, metric, high, high))[key][0] == NO


@pytest.mark.parametrize(("key", "first", "second", "metric", "values"), PAIRS)
def test_without_repeats_or_with_few_events_a_difference_is_not_testable(
    key, first, second, metric, values
):
    once = [
        a_run(factors, **{metric: value})
        for factors, value in zip((first, second), values, strict=True)
    ]
    verdict, text = verdicts(once)[key]
    assert verdict == UNKNOWN and "no repeats" in text
    few = [{**run, "n_events": 6} for run in two(first, second, metric, *values)]  # 18 in three
    verdict, text = verdicts(few)[key]
    assert verdict == UNKNOWN and "fewer than 20" in text


def test_the_evidence_has_means_runs_and_interval():
    runs = two(PARETO_10, PARETO_1000, "fairness_ratio", 2.5, 2.0)
    # Welch: standard error sqrt(0.025^2 + 0.02^2) / sqrt(3), 3.82 degrees of freedom
    text = verdicts(runs)["unfair"][1]
    difference, factor = "difference from 0.45 to 0.55", "factor from 1.22 to 1.28"
    assert text == f"2.50 (n = 3) against 2.00 (n = 3); {difference}, {factor}"


def test_unfairness_persists_if_fr_lies_above_the_rtt_ratio():
    assert verdicts(repeats(PARETO_1000, [1.9, 2.0, 2.1], "fairness_ratio"))["persists"][0] == YES
    assert verdicts(repeats(PARETO_1000, [1.2, 1.6, 2.0], "fairness_ratio"))["persists"][0] == NO


def test_a_strong_correlation_needs_its_size_and_its_interval():
    def across(ratios):
        return verdicts(
            [a_run(ftp(i), bpdd=10.0 * i, fairness_ratio=r) for i, r in enumerate(ratios, 1)]
        )["bpdd"]

    assert across([1.5, 1.62, 1.7, 1.82, 1.9, 2.02])[0] == YES
    assert across([2.0, 1.9, 1.8, 1.75, 1.6, 1.5])[0] == NO
    assert across([1.5, 2.0, 1.5, 2.0, 1.5, 2.0])[0] == NO
    assert across([1.5, 1.6, 1.7]) == (UNKNOWN, "3 scenarios")


def test_scenarios_of_few_events_have_no_say_in_a_correlation():
    runs = [a_run(ftp(i), bpdd=10.0 * i, fairness_ratio=1.5 + i**2 / 10) for i in range(1, 5)]
    runs.append(a_run(ftp(5), bpdd=500.0, fairness_ratio=1.0, n_events=3))
    assert verdicts(runs)["bpdd"][1].endswith("(4 scenarios)")


def test_red_is_fair_only_if_every_variant_is():
    def with_red(ratio_of_scalable, variants=("sack", "highspeed", "scalable")):
        ratio = 130 / 85
        share = {"scalable": ratio_of_scalable}
        return verdicts(
            [
                a_run(udp(25.0), variant=v, aqm="red", fairness_ratio=ratio * share.get(v, 1.05))
                for v in variants
            ]
        )["red_fair"]

    assert with_red(1.0)[0] == YES
    assert with_red(1.3)[0] == NO
    verdict, text = with_red(1.0, ("sack",))
    assert verdict == UNKNOWN and "nothing of HighSpeed, Scalable" in text


def test_the_high_speed_claim_needs_both_variants_and_both_rates():
    runs = [
        run
        for variant, value in (("sack", 2.0), ("highspeed", 6.0), ("scalable", 5.0))
        for kbps in (25.0, 5000.0)
        for run in repeats(
            udp(kbps), [value, value + 0.1, value + 0.2], "fairness_ratio", variant=variant
        )
    ]
    assert verdicts(runs)["high_speed"][0] == YES
    without = [run for run in runs if run["variant"] != "scalable"]
    verdict, text = verdicts(without)["high_speed"]
    assert verdict == UNKNOWN and "Scalable, DropTail, exponential, 25 kb/s" in text


def test_every_claim_has_a_row_also_where_there_is_next_to_nothing():
    rows = report.claims(claim_table([a_run(ftp(1), n_events=1)])).split("\n")[2:]
    assert len(rows) == len(claims.CLAIMS) == len({claim.key for claim in claims.CLAIMS})
    assert all(f"**{UNKNOWN}**" in row for row in rows)


def test_the_exponent_is_a_statement_on_most_of_several_scenarios():
    def of(betas):
        return verdicts([a_run(ftp(i), beta=beta) for i, beta in enumerate(betas, 1)])["exponent"]

    assert of([1.2, 1.5, 2.4]) == (
        YES,
        "2 of 3 scenarios; β from 1.20 to 2.40 (n = 1 each)",
    )
    assert of([0.9, 1.5, 2.4])[0] == NO
    assert of([1.2, 1.5])[0] == UNKNOWN
