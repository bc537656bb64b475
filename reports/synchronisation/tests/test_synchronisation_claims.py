"""The claims: each is reproduced, contradicted and inconclusive on data that say so."""

import random
from pathlib import Path

import polars as pl
import pytest
from evenflow.claims.sentences import claims_of
from evenflow.schema import read_document

from .. import claims
from .. import tables as report
from .made_runs import (
    PARAMETERS,
    PARETO_10,
    PARETO_1000,
    THRESHOLDS,
    a_run,
    controls,
    ftp,
    no_waits,
    none,
    of_linux,
    of_load,
    points,
    udp,
)

YES, MAYBE, NEVER = "reproduced", "inconclusive", "not testable"
NONE, OTHER, NOT_JUDGED = "no effect", "opposite", "not judged"
NO = {"contradicted", NONE, OTHER, "mixed"}  # decided otherwise
SAID = read_document(Path(claims.__file__).with_name("claims.yml"))
PLAN = pl.DataFrame(schema=["dataset_id", "scenario", "n_planned"], orient="row").cast(pl.String)
SPREAD = (0.99, 1.0, 1.01)
VARIANTS = ("sack", "highspeed", "scalable")
FAST, SLOW = udp(5000.0), udp(25.0)


NO_AVERAGES = pl.DataFrame(
    schema={"implementation": pl.String, "source_kbps": pl.Float64, "repeat": pl.Int64,
            "run_id": pl.String, "from_s": pl.Float64, "fairness_ratio_12": pl.Float64}
)  # fmt: skip


def claim_table(runs: list[dict], average=NO_AVERAGES, change=1.0) -> pl.DataFrame:
    """The table claim of these runs; change: of a flow's throughput, in each run."""
    margins, designs = PARAMETERS["margins"], PARAMETERS["designs"]
    settings = (0.95, 0.05, THRESHOLDS, margins, designs, PLAN, {"simulation": "mine"})
    placed, changed = points(runs)[0], controls(runs)[0]
    of_runs = pl.concat([table.select("run_id") for table in (placed, changed)])
    steady = of_runs.with_columns(flow_change=pl.lit(change), drift=pl.lit(0.0))
    return claims.claim(placed, changed, steady, average, *settings, SAID, "synchronisation")


def outcomes_of(runs: list[dict], key: str) -> dict[str, str]:
    """The outcome of each case of a claim."""
    return dict(claim_table(runs).filter(claim=key).select("case", "outcome").rows())


def three(factors: dict, metric: str, value: float, spread=SPREAD, **more) -> list[dict]:
    """Three runs of a scenario around a value of a metric."""
    return [
        a_run(factors, repeat=i, **{metric: value * each}, **more)
        for i, each in enumerate(spread, 1)
    ]


def of_variants(metric: str, values: dict[tuple[str, str], float], rates=(FAST, SLOW)) -> list:
    """Three runs of each variant and queue at each rate, with these values of a metric."""
    return [
        run
        for (variant, aqm), value in values.items()
        for factors in rates
        for run in three(factors, metric, value, variant=variant, aqm=aqm)
    ]


# claim: the two scenarios, the metric, and its values in the first that are in the region, outside,
# and at its border, where the second has 2
PAIRS = [
    ("synchronises", PARETO_10, PARETO_1000, "p", 0.5, (0.8, 0.5, 0.6)),  # 0.4 flows are 0.1 of P
    ("unfair", PARETO_10, PARETO_1000, "fairness_ratio", 2.0, (2.5, 2.0, 2.2)),
    ("briefly", PARETO_1000, PARETO_10, "bins_full", 2000, (3000, 2000, 2200)),
    ("injecting", FAST, none(), "fairness_ratio", 2.0, (2.5, 2.0, 2.2)),
    ("little_impact", PARETO_1000, none(), "fairness_ratio", 2.0, (2.0, 2.5, 2.2)),
    ("bpdd_size", FAST, SLOW, "bpdd", 20.0, (95.0, 20.0, 22.0)),
    ("short_flows", ftp(1), ftp(7), "cov_background", 0.4, (0.8, 0.4, 0.44)),
]


@pytest.mark.parametrize(("key", "first", "second", "metric", "of_second", "values"), PAIRS)
def test_one_scenario_against_another(key, first, second, metric, of_second, values):
    def outcome(value):
        runs = three(first, metric, value) + three(second, metric, of_second, SPREAD[::-1])
        return outcomes_of(runs, key)[""]

    yes, no, maybe = map(outcome, values)
    assert (yes, maybe) == (YES, MAYBE) and no in NO


@pytest.mark.parametrize(("key", "first", "second", "metric", "of_second", "values"), PAIRS)
def test_one_run_decides_nothing_and_few_events_have_no_say(
    key, first, second, metric, of_second, values
):
    runs = [a_run(first, **{metric: values[0]}), a_run(second, **{metric: of_second})]
    row = claim_table(runs).filter(claim=key).row(0, named=True)
    assert (row["outcome"], row["n"]) == (NOT_JUDGED, 1)
    few = [{**run, "n_events": 19} for run in runs]
    row = claim_table(few).filter(claim=key).row(0, named=True)
    assert (row["outcome"], row["n"]) == (NOT_JUDGED, 0)


@pytest.mark.parametrize(("key", "first", "second", "metric", "of_second", "values"), PAIRS)
def test_a_scenario_against_itself_passes_no_claim_of_a_difference(
    key, first, second, metric, of_second, values
):
    runs = three(first, metric, of_second) + three(second, metric, of_second, SPREAD[::-1])
    table = claim_table(runs).filter(claim=key)
    says_none = key == "little_impact"
    assert table["outcome"].item() == (YES if says_none else NONE)


ONES = [  # claim, case, scenario and variant, metric, and its values inside, outside, at the border
    ("far_above", "10 sources", PARETO_10, {}, "fairness_ratio", (2.5, 1.6, 1.3 * 130 / 85)),
    ("persists", "8000 sources", SLOW, {}, "fairness_ratio", (2.5, 1.53, 1.1 * 130 / 85)),
    ("bpdd_small", "", SLOW, {}, "bpdd", (10.0, 30.0, 20.0)),
    ("starves", "5 Mb/s", FAST, {"variant": "scalable"}, "share_of_flow_4", (0.001, 0.1, 0.01)),
    ("red_synchronisation", "SACK, 5 Mb/s", FAST, {"aqm": "red"}, "p", (0.25, 0.9, 0.5)),
    ("red_fair", "SACK, 5 Mb/s", FAST, {"aqm": "red"}, "beta", (0.9, 2.0, 1.25)),
    ("red_proportional", "SACK, 5 Mb/s", FAST, {"aqm": "red"}, "beta", (0.95, 0.5, 1.25)),
]


@pytest.mark.parametrize(("key", "case", "factors", "scenario", "metric", "values"), ONES)
def test_a_statement_on_one_scenario(key, case, factors, scenario, metric, values):
    found = [outcomes_of(three(factors, metric, v, **scenario), key)[case] for v in values]
    assert (found[0], found[2]) == (YES, MAYBE) and found[1] in NO


@pytest.mark.parametrize("share", [0.003, 0.0001])
def test_the_less_a_starved_flow_has_the_surer_it_is_starved(share):
    """Its throughput is known to one segment a second, not to a thousandth of flow 1's."""
    runs = three(FAST, "share_of_flow_4", share, variant="scalable")
    row = claim_table(runs).filter(claim="starves", case="5 Mb/s").row(0, named=True)
    assert row["outcome"] == YES and 0.6 * share < row["low"] < row["high"] < 1.6 * share


def test_nothing_is_said_of_a_variant_that_behaves_as_sack():
    """The null: the same fairness ratios and shares for all variants and both queues."""
    draw = random.Random(1)
    runs = [
        run | {"share_of_flow_4": 0.25 * draw.uniform(0.99, 1.01)}
        for variant in VARIANTS
        for aqm in ("droptail", "red")
        for factors in (FAST, SLOW)
        for run in three(
            factors,
            "fairness_ratio",
            2.0,
            [draw.uniform(0.99, 1.01) for _ in SPREAD],
            variant=variant,
            aqm=aqm,
        )
    ]
    table = claim_table(runs)
    keys = ["high_speed", "high_speed_bursty", "starves", "red_better"]
    found = table.filter(pl.col("claim").is_in(keys))
    assert YES not in found["outcome"].to_list() and set(found["n"]) == {3}
    assert set(found["case"]) >= {"HighSpeed, 25 kb/s", "Scalable", "5 Mb/s", "SACK"}


@pytest.mark.parametrize(("value", "outcome"), [(6.0, YES), (2.0, NONE), (4.0, MAYBE)])
def test_the_variants_are_judged_each(value, outcome):
    wide = of_variants("fairness_ratio", {("sack", "droptail"): 2.0})
    wide += [
        run
        for kbps in (FAST, SLOW)
        for run in three(kbps, "fairness_ratio", value, (0.9, 1.0, 1.1), variant="highspeed")
    ]
    found = outcomes_of(wide, "high_speed")
    assert (found["HighSpeed, 25 kb/s"], found["Scalable, 5 Mb/s"]) == (outcome, NOT_JUDGED)


@pytest.mark.parametrize(("value", "outcome"), [(6.0, YES), (2.0, None), (3.0, MAYBE)])
def test_bursty_sources_and_red_are_judged_by_variant(value, outcome):
    def runs(first: dict, second: dict, base: float) -> list[dict]:
        spread = (0.9, 1.0, 1.1)
        return three(value=value, metric="fairness_ratio", spread=spread, **first) + three(
            value=base, metric="fairness_ratio", **second
        )

    fast = {"factors": FAST, "variant": "scalable"}
    slow = {"factors": SLOW, "variant": "scalable"}
    base = {6.0: 2.0, 2.0: 4.0, 3.0: 2.8}[value]
    assert outcomes_of(runs(fast, slow, base), "high_speed_bursty")["Scalable"] == (
        outcome or OTHER
    )
    red = {**fast, "aqm": "red"}
    assert outcomes_of(runs(fast, red, 2.0), "red_better")["Scalable"] in {outcome or NONE, MAYBE}


def across(design: str, repeats: int, **of_each) -> list[dict]:
    """Runs of every load of a design; of_each: metric -> its value from the scenario's number."""
    return [
        a_run(of_load(load), repeat=r, **{m: f(i + 0.1 * r) for m, f in of_each.items()})
        for i, load in enumerate(PARAMETERS["designs"][design], 1)
        for r in range(1, repeats + 1)
    ]


CORRELATED = [
    ("bpdd", "bpdd", "figures"),
    ("p", "p", "figures"),
    ("cov", "cov_background", "ftp"),
]


@pytest.mark.parametrize(("key", "metric", "design"), CORRELATED)
def test_a_strong_relationship_needs_repeats(key, metric, design):
    def rises(i):
        return 1 + i / 30

    def outcome(repeats, ratio):
        x = {metric: lambda i: i / 20}
        return outcomes_of(across(design, repeats, fairness_ratio=ratio, **x), key)[""]

    assert outcome(3, rises) == YES
    assert outcome(3, lambda i: 3 - i / 30) in NO
    assert outcome(1, rises) == NOT_JUDGED


def test_a_scenario_with_fewer_runs_counts():
    runs = across("ftp", 3, cov_background=lambda i: i / 20, fairness_ratio=lambda i: 1 + i / 30)
    assert outcomes_of(runs, "cov")[""] == YES
    row = claim_table(runs[1:]).filter(claim="cov").row(0, named=True)
    assert (row["outcome"], row["n"], row["n_most"], row["provisional"]) == (YES, 2, 3, True)


@pytest.mark.parametrize(("highest", "outcome"), [(1.8, YES), (2.5, "mixed"), (2.0, MAYBE)])
def test_the_exponent_is_that_of_every_scenario(highest, outcome):
    loads = PARAMETERS["designs"]["figures"]
    betas = [1.3, 1.5, *[1.6] * (len(loads) - 3), highest]
    runs = [
        run
        for load, beta in zip(loads, betas, strict=True)
        for run in three(of_load(load), "beta", beta)
    ]
    row = claim_table(runs).filter(claim="exponent").row(0, named=True)
    assert (row["outcome"], row["of"]) == (outcome, len(loads))


def test_synchronised_losses_give_the_square_by_computation():
    row = claim_table([a_run(ftp(1))]).filter(claim="theory").row(0, named=True)
    assert (row["outcome"], row["low"]) == (YES, None)
    assert row["estimate"] == pytest.approx(2)


@pytest.mark.parametrize(
    ("with_red", "outcome"), [(1.0, YES), (3.9, NONE), (3.5, MAYBE)]
)  # DropTail has 4
def test_red_lowers_the_exponent_by_half_a_step_or_it_does_not(with_red, outcome):
    values = {
        (v, q): with_red if q == "red" else 4.0 for v in VARIANTS for q in ("droptail", "red")
    }
    runs = of_variants("beta", values, [FAST])
    assert set(outcomes_of(runs, "red_lowers_exponent").values()) == {outcome}


# what is changed: the claim, its case, the runs whose exponent is 4, and those beside them
CHANGED = [
    ("background_raises_exponent", "HighSpeed", (FAST, "droptail"), (none(), "droptail")),
    ("red_without_background", "HighSpeed", (none(), "droptail"), (none(), "red")),
    ("linux_exponent", "HighSpeed, 5 Mb/s", (FAST, "droptail"), (of_linux(FAST), "droptail")),
    ("red_with_linux", "HighSpeed", (of_linux(FAST), "droptail"), (of_linux(FAST), "red")),
]


@pytest.mark.parametrize(("key", "case", "first", "second"), CHANGED)
@pytest.mark.parametrize(("beta", "outcome"), [(3.0, YES), (3.9, NONE), (5.0, OTHER), (3.5, MAYBE)])
def test_what_one_change_does_to_the_exponent(key, case, first, second, beta, outcome):
    runs = [
        run
        for (factors, aqm), value in ((first, 4.0), (second, beta))
        for run in three(factors, "beta", value, variant="highspeed", aqm=aqm)
    ]
    found = outcomes_of([*runs, a_run(PARETO_10)], key)
    assert found[case] == outcome
    assert {of: found[of] for of in found if of != case} == {
        of: NOT_JUDGED for of in found if of != case
    }


@pytest.mark.parametrize(("beta", "outcome"), [(4.0, YES), (5.0, "contradicted"), (4.25, MAYBE)])
def test_random_waits_leave_the_exponent_alone_or_do_not(beta, outcome):
    runs = three(FAST, "beta", 4.0, variant="scalable")
    runs += three(no_waits(5000.0), "beta", beta, variant="scalable")
    found = outcomes_of(runs, "random_waits")
    assert found == {"HighSpeed": NOT_JUDGED, "Scalable": outcome}


@pytest.mark.parametrize(("scalable", "outcome"), [(6.0, YES), (2.0, OTHER)])
def test_the_exponents_of_variants_lie_apart_or_not(scalable, outcome):
    values = {("sack", "droptail"): 2.0, ("highspeed", "droptail"): 4.0}
    runs = of_variants("beta", values | {("scalable", "droptail"): scalable})
    found = outcomes_of(runs, "exponents_apart")
    assert found["HighSpeed, 5 Mb/s"] == YES and found["Scalable, 25 kb/s"] == outcome


@pytest.mark.parametrize(("beta", "outcome"), [(2.0, YES), (1.5, "contradicted"), (1.75, MAYBE)])
def test_sack_is_in_step_at_an_exponent_of_two(beta, outcome):
    assert outcomes_of(three(FAST, "beta", beta), "sack_in_step") == {"": outcome}


@pytest.mark.parametrize(("own", "outcome"), [(120.0, YES), (31.0, NONE), (60.0, MAYBE)])
def test_implementations_are_compared_at_the_same_seeds(own, outcome):
    average = pl.DataFrame(
        [
            {"implementation": name, "source_kbps": 5000.0, "repeat": i, "from_s": from_s,
             "run_id": f"{name}/r{i}",
             "fairness_ratio_12": ratio * spread * (1.0 if from_s else 9.0)}
            for name, ratio in (("ns2", own), ("linux", 30.0))
            for i, spread in enumerate((0.97, 1.0, 1.04), 1)
            for from_s in (0.0, 200.0)
        ]
    )  # fmt: skip
    average = average.with_columns(  # the seeds differ, their ratio hardly does
        pl.col("fairness_ratio_12") * pl.when(pl.col("implementation") == "ns2")
        .then(1 + 0.005 * pl.col("repeat")).otherwise(1.0)
    )  # fmt: skip
    table = claim_table(three(FAST, "beta", 2.0), average)
    found = table.filter(claim="implementation", case="5 Mb/s").row(0, named=True)
    assert found["outcome"] == outcome
    assert found["estimate"] == pytest.approx(own / 30 * 1.01, rel=1e-3)
    smooth = table.filter(claim="implementation", case="25 kb/s").row(0, named=True)
    assert smooth["outcome"] == NOT_JUDGED


def test_findings_of_our_own_are_no_sentences_of_the_original():
    table = claim_table([a_run(FAST)])
    ours = table.filter(place="")["statistic"].unique().to_list()
    assert len(ours) == 9
    printed = report.claims(table, {"simulation": "mine"})
    assert not any(statistic in printed for statistic in ours)


def test_the_evidence_has_a_row_a_case_and_ours_apart():
    runs = three(FAST, "beta", 2.0) + three(SLOW, "bpdd", 30.0)
    table, parts = claim_table(runs), {"simulation": "mine"}
    ours = report.findings(table, parts).replace("\u00a0", " ").split("\n")
    assert ": β of SACK with DropTail and sources of 5 Mb/s: " in ours[-2]
    assert "| 3 | 2.00 | 1.95 to 2.05 | reproduced" in ours[-1]
    lines = report.evidence(table, parts).replace("\u00a0", " ").split("\n")
    (place,) = (i for i, line in enumerate(lines) if "BPDD at 25 kb/s" in line)
    small = lines[place + 1]
    assert "| 3 | 30.0 |" in small and "contradicted" in small


def test_every_claim_has_a_row_also_where_there_is_next_to_nothing():
    table = claim_table([a_run(ftp(1), n_events=1)])
    rows = report.claims(table, {"simulation": "mine"}).split("\n")[3::2]
    listed = [about for about in SAID.values() if "where" in about]
    assert len(rows) == len(listed)
    assert sum("**not " in row for row in rows) == len(rows) - 1  # all but the theory


def test_margins_are_in_the_regions():
    changed = {**PARAMETERS["margins"], "small_bpdd": 7}
    (claim,) = (each for each in claims_of(SAID, changed, vars(claims)) if each.key == "bpdd_small")
    assert claim.asserts.high == 7
