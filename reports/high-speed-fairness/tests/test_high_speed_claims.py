"""Statements of high-speed-fairness on planted runs with known answers."""

import math

import numpy as np
import polars as pl
import pytest
from evenflow.claims.judge import judge, of_original, outcomes
from evenflow.claims.scorecard import case_numbers
from evenflow.claims.sentences import claims_of
from evenflow.claims.words import evidence, reason_in_words
from evenflow.evidence.say import tagged
from evenflow.statistics.outcomes import (
    CONTRADICTED,
    INCONCLUSIVE,
    MIXED,
    NO_EFFECT,
    NOT_JUDGED,
    NOT_TESTABLE,
    OPPOSITE,
    REPRODUCED,
)
from evenflow.statistics.stratified import asked_of

from .. import claims, tables
from ..cells import LATE_COMER, LONG, Means, Run
from ..findings_in_print import (
    estimates_in_words,
    ranges_in_words,
)
from ..judging import claim
from ..metrics import design
from .worlds import FALSE, PROPORTIONAL, READINGS, RTT_LISTS, SAID, TRUE, rtt, runs_of, subject_of

QUEUE_KEYS = ("20_pct", "3_mb")
EVERY = {each.key: each for each in claims_of(SAID, READINGS, vars(claims))}
BY_KEY = {key: each for key, each in EVERY.items() if each.place}
TESTABLE = [key for key in BY_KEY if "not_testable" not in SAID[key]]
IN_A_DATA_SET = {name: pl.lit(name) for name in ("dataset_id", "scenario_id")}
IN_A_DATA_SET |= {"part": pl.lit("simulation")}
WRONG = {CONTRADICTED, NO_EFFECT, OPPOSITE, MIXED}  # decided otherwise
PLANNED = pl.DataFrame(schema=["dataset_id", "scenario", "n_planned"]).cast(pl.String)


def cells_of(key, null=False):
    """The cells of the first case of a claim."""
    case = next(iter(BY_KEY[key].measure(WHOLE).values()))
    asked = set()
    for part in case.parts.values():
        found, lacking = asked_of(case.cells, part.control if null else part.statistic)
        asked |= {*found, *lacking}
    return asked


WHOLE = subject_of(runs_of(lambda cell: 1.0, 2))


def view_of(key):
    """The view whose runs tell about a claim: of the first cell that is not of intra."""
    views = {cell[0] for cell in cells_of(key)}
    return next(iter(views - {"intra"}), "intra")


def judged(runs, keys=TESTABLE):
    chosen = [BY_KEY[key] for key in keys]
    return judge("x", chosen, {"ns-2": subject_of(runs)}, confidence=0.95, fdr=0.05)


@pytest.fixture(scope="module")
def outcome_in():
    """{world's name: {claim: outcome}}, each claim in the world of its own view."""
    views = {key: view_of(key) for key in TESTABLE}
    found = {}
    for name, worlds, replicates in (("true", TRUE, 3), ("false", FALSE, 3), ("one", TRUE, 1)):
        found[name] = {}
        for view, world in worlds.items():
            keys = [key for key in TESTABLE if views[key] == view]
            table = outcomes(judged(runs_of(world, replicates), keys))
            found[name] |= dict(table.select("claim", "outcome").rows())
    for name, replicates in (("true", 3), ("one", 1)):
        table = outcomes(judged(runs_of(rtt(PROPORTIONAL), replicates), ["proportional"]))
        found[name]["proportional"] = table["outcome"].item()
    return found


@pytest.mark.parametrize("key", TESTABLE)
def test_a_claim_is_reproduced_in_a_world_as_the_original_says(outcome_in, key):
    assert outcome_in["true"][key] == REPRODUCED


@pytest.mark.parametrize("key", TESTABLE)
def test_a_claim_is_not_reproduced_in_a_world_of_the_contrary(outcome_in, key):
    assert outcome_in["false"][key] in WRONG


@pytest.mark.parametrize("key", TESTABLE)
def test_single_runs_decide_nothing(outcome_in, key):
    assert outcome_in["one"][key] == NOT_JUDGED


WITH_NULL = [key for key in TESTABLE if "control" in SAID[key]]


@pytest.mark.parametrize("ratio", [0.05, 1.0, 20.0])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(ratio):
    """Who is beside whom makes no difference, the order of the flows makes a large one."""
    table = judged(runs_of(lambda cell: ratio), WITH_NULL)
    assert len(WITH_NULL) > 12
    assert REPRODUCED not in table["outcome"].to_list()


def test_a_wide_spread_between_replicates_is_inconclusive():
    table = judged(runs_of(TRUE["friendliness"], spread=3.0), ["unfriendly", "unfriendly_bdp"])
    assert set(outcomes(table)["outcome"]) <= {INCONCLUSIVE, NOT_JUDGED}  # it may look two-state


def test_limited_slow_start_is_not_testable_whatever_the_runs():
    table = judged(runs_of(TRUE["friendliness"]), ["slow_start"])
    assert table["outcome"].item() == NOT_TESTABLE and "limited slow start" in table["note"].item()


# ---- findings of our own ------------------------------------------------------------------------

OURS = {key: each for key, each in EVERY.items() if not each.place}


def power(exponents):
    """The world in which the throughput ratio is a power of the RTT ratio, by variant."""
    return lambda cell: (cell["rtt2_ms"] / cell["rtt1_ms"]) ** exponents[cell["cca1"]]


def scalable_beside(share):
    """The world in which Scalable, flow 2 of its pairs, has a share beside all others."""
    return lambda cell: (1 - share) / share if cell["cca2"] != cell["cca1"] else 1.0


def strength(turns):
    """The world in which BIC and HighSpeed lose to the others with the RTT, or gain."""
    weak, strong = ["cubic", "htcp"], ["bic", "highspeed"]
    at = {**dict.fromkeys(weak, turns), **dict.fromkeys(strong, -turns), "scalable": 0.0}

    def world(cell):
        if cell["view"] != "inter":
            return 1.0
        return (cell["rtt1_ms"] / 72) ** (at[cell["cca1"]] - at[cell["cca2"]])

    return world


def by_starts(first, late):
    """The world in which the ratio is a power of the RTT ratio, by which flow starts first."""
    return lambda cell: (
        (cell["rtt2_ms"] / cell["rtt1_ms"]) ** (late if cell["view"] == LATE_COMER else first)
    )


def in_long_runs(change):
    """The world in which all flows share evenly, and in long runs as a function of the cell."""
    return lambda cell: change(cell) if cell["view"].startswith(LONG) else 1.0


TAKE = {"newreno": 1, "bic": 3, "cubic": 1 / 3, "htcp": 12, "highspeed": 0.2, "scalable": 60}


def by_strength(cell):
    """A ratio that moves every mean share; of two alike flow 1 gets four times as much."""
    return 4 * TAKE[cell["cca1"]] / TAKE[cell["cca2"]]


STEEP = {"newreno": 0.7, "bic": 2.0, "cubic": 0.2, "htcp": 0.5, "highspeed": 2.5, "scalable": 4.5}
FLAT = {"newreno": 1.5, "bic": 0.5, "cubic": 1.0, "htcp": 1.5, "highspeed": 0.5, "scalable": 0.7}
WORLDS = {  # finding -> a world in which it is true, and one of the contrary
    **dict.fromkeys(
        ("cubic_rtt", "below_linear", "above_linear", "scalable_rtt"), (power(STEEP), power(FLAT))
    ),
    "newreno_left": (
        lambda cell: 0.05 if cell["view"] == "friendliness" else 1.0,
        lambda cell: 0.5 if cell["view"] == "friendliness" else 1.0,
    ),
    "scalable_takes": (scalable_beside(0.95), scalable_beside(0.6)),
    "order_turns": (strength(0.3), strength(-0.3)),
    "scalable_apart": (lambda cell: 50.0, lambda cell: 1.2),
    "order_of_exponents": (by_starts(1.0, 1.0), by_starts(2.0, 1.0)),
    "first_gets_more": (by_starts(1.0, 0.5), by_starts(0.5, 1.0)),
    **dict.fromkeys(
        ("friendly_for_long", "intra_for_long", "share_for_long", "rtt_for_long"),
        (in_long_runs(lambda cell: 1.02), in_long_runs(by_strength)),
    ),
}


@pytest.mark.parametrize("key", OURS)
def test_a_finding_has_each_outcome_where_it_should(key):
    right, wrong = WORLDS[key]

    def said(world, replicates):
        runs = subject_of(runs_of(world, replicates, further=True))
        table = judge("x", [OURS[key]], {"ns-2": runs}, confidence=0.95, fdr=0.05)
        return set(table["outcome"])

    assert said(right, 3) == said(right, 2) == {REPRODUCED}
    assert said(wrong, 3) <= WRONG
    assert said(right, 1) == said(wrong, 1) == {NOT_JUDGED}


def test_nested_exponents_agree():
    """The second referee's check: what is above three is above one, and 1.1."""
    runs = subject_of(runs_of(power(STEEP)))
    mine = [OURS[key] for key in ("above_linear", "scalable_rtt")]
    table = judge("x", mine, {"ns-2": runs}, confidence=0.95, fdr=0.05)
    of_scalable = pl.col("case").str.contains("Scalable") | (pl.col("claim") == "scalable_rtt")
    scalable = table.filter(of_scalable)
    assert set(scalable["outcome"]) == {REPRODUCED} and len(scalable) == 4
    assert table["null_estimate"].is_null().all()  # a level has no control


def test_an_exponent_is_printed_with_its_lack_of_fit():
    """The middle of three RTTs lies off the power by a factor of 8."""

    def bent(cell):
        return power(STEEP)(cell) * (8.0 if cell["rtt2_ms"] == 82 else 1.0)

    for world, off in ((power(STEEP), 0.0), (bent, math.log(8))):
        subjects = {"ns-2": subject_of(runs_of(world, spread=0.003))}
        table = judge("x", [OURS["scalable_rtt"]], subjects, confidence=0.95, fdr=0.05)
        x = np.log([16, 82, 324])
        design = np.stack([x, np.ones(3)]).T
        y = np.array([0.0, off, 0.0])
        residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        expected = math.exp(np.abs(residual).max())
        assert table["misfit"].to_list() == pytest.approx([expected] * 2, rel=0.02)
        said = f"up to a factor of {expected:.1f} off the fit"
        assert said in evidence(table).replace("\u00a0", " ")
    assert judged(runs_of(TRUE["inter"]), ["bic_low"])["misfit"].is_null().all()


def test_runs_that_disagree_on_who_is_ahead_forbid_an_exponent():
    runs = runs_of(power(STEEP))
    there = (pl.col("cca1") == "scalable") & (pl.col("rtt2_ms") == 82) & (pl.col("view") == "rtt")
    swapped = there & (pl.col("repeat") == 2)
    first, second = "throughput1_bps", "throughput2_bps"
    runs = runs.with_columns(
        pl.when(swapped).then(second).otherwise(first).alias(first),
        pl.when(swapped).then(first).otherwise(second).alias(second),
    )
    mine, subjects = [OURS["scalable_rtt"]], {"ns-2": subject_of(runs)}
    table = judge("x", mine, subjects, confidence=0.95, fdr=0.05)
    assert set(table["outcome"]) == {NOT_JUDGED} and table["low"].null_count() == 2
    assert "Scalable – Scalable at 82 ms" in reason_in_words(table.row(0, named=True))


def test_our_findings_are_apart_from_the_original_s_sentences():
    runs = runs_of(power(STEEP)).with_columns(**IN_A_DATA_SET)
    table = claim(
        *(runs, runs.clear(), runs.clear(), ["simulation"]),
        *(RTT_LISTS, SAID, READINGS, PLANNED, 0.95, 0.05, "x"),
    )
    assert set(table.filter(place="")["claim"]) == set(OURS)
    assert set(of_original(table)["claim"]) == set(BY_KEY)
    text = tables.own(table, ["simulation"])
    lines = text.splitlines()
    (place,) = [i for i, line in enumerate(lines) if "hardly depends" in line]
    row = lines[place + 1]
    assert "| 20 % of BDP | 3 | 0.20 | 0.20 to 0.20 |" in row.replace("\u00a0", " ")
    table = tagged(table, "claim")
    said = estimates_in_words(table)["above_linear"]["simulation"]
    assert set(said) == {
        f"{c}_at_{q}" for c in ("bic", "highspeed", "scalable") for q in QUEUE_KEYS
    }
    assert said["bic_at_3_mb"].startswith("2.00 (")
    assert ranges_in_words(table)["above_linear"]["simulation"] == "2.00 to 4.50"
    nulls = table.filter(claim="order_turns")["null_estimate"]
    assert nulls.to_list() == pytest.approx(
        [0.0] * len(nulls), abs=1e-3
    )  # two of one variant share evenly
    assert table.filter(claim="cubic_rtt")["null_estimate"].null_count() > 0  # it has none


# ---- cells --------------------------------------------------------------------------------------


def test_the_cells_of_a_claim_are_those_of_the_design():
    known = set(design().select("view", "queue", "cca1", "cca2", "rtt2_ms").rows())
    for key in TESTABLE:
        for null in (False, True) if key in WITH_NULL else (False,):
            asked = cells_of(key, null)
            assert asked and asked <= known
    assert len(cells_of("intra")) == 15 and len(cells_of("unfriendly")) == 1
    assert len(cells_of("inter_scalable")) == 3 * 10 and len(cells_of("proportional")) == 3
    assert len(cells_of("rtt_correlation")) == 5  # points of a correlation


def test_a_cell_without_a_run_is_named():
    runs = runs_of(TRUE["inter"])
    gone = runs.filter(~((pl.col("queue") == "3mb") & (pl.col("rtt2_ms") == 324)))
    table = judged(gone, ["inter_scalable"]).filter(case="3 MB")
    assert table["outcome"].item() == NOT_JUDGED
    assert "BIC – Scalable at 324 ms" in table["lacking"].item()


def test_cells_of_more_runs_count_with_all_of_them():
    runs = runs_of(TRUE["inter"])
    some = runs.filter((pl.col("repeat") < 3) | (pl.col("cca1") == "bic"))
    row = judged(some, ["inter_scalable"]).row(0, named=True)
    assert (row["n"], row["n_most"], row["outcome"], row["provisional"]) == (2, 3, REPRODUCED, True)


def test_a_run_and_its_double_count_once():
    runs = runs_of(TRUE["inter"])
    double = runs.filter(pl.col("repeat") == 2).with_columns(repeat=pl.lit(3))
    table = judged(
        pl.concat([runs.filter(pl.col("repeat") < 3), double], how="vertical_relaxed"),
        ["inter_scalable"],
    )
    assert table["n"].to_list() == [2, 2]


def test_runs_in_which_a_flow_starves_alike_are_several_runs():
    """Two flows of the same shares in each run, whose queues dropped other numbers of packets."""
    runs = runs_of(lambda cell: 50.0, spread=0.0)
    other = runs.with_columns(drops=100 + pl.col("repeat"))
    alike, apart = (
        judge("x", [OURS["scalable_apart"]], {"s": subject_of(of)}, confidence=0.95, fdr=0.05)
        for of in (runs, other)
    )
    assert (alike["n"].to_list(), set(alike["outcome"])) == ([1, 1], {NOT_JUDGED})
    assert (apart["n"].to_list(), set(apart["outcome"])) == ([3, 3], {REPRODUCED})


def test_an_uncontested_cell_has_no_place():
    here = (pl.col("view") == "inter") & (pl.col("queue") == "3mb") & (pl.col("rtt2_ms") == 82)
    runs = runs_of(TRUE["inter"]).with_columns(drops=pl.when(here).then(0).otherwise("drops"))
    assert judged(runs, ["inter_scalable"])["outcome"].to_list() == [REPRODUCED, NOT_JUDGED]


def test_relabelled_repeats_change_nothing():
    """The second referee's check."""
    runs = runs_of(TRUE["inter"], spread=0.5)
    shuffled = runs.sample(fraction=1.0, shuffle=True, seed=3).with_columns(
        repeat=pl.int_range(pl.len()).cast(pl.Int64)
    )
    one, two = (judged(of, ["inter_scalable", "bic_low"]) for of in (runs, shuffled))
    assert one["outcome"].to_list() == two["outcome"].to_list()
    assert one["low"].to_list() == pytest.approx(two["low"].to_list())


def test_a_pair_is_seen_from_both_of_its_flows():
    taken = []

    def take(key):
        taken.append(key)
        return Run(6e8, 2e8, 0.8, 0.75)

    x = Means(take, "bdp20", RTT_LISTS[0], READINGS)
    assert x.beside("bic", "cubic", 16).ratio == pytest.approx(3)
    assert x.beside("cubic", "bic", 16).share == pytest.approx(0.25)
    assert len(set(taken)) == 1
    null = Means(take, "bdp20", RTT_LISTS[0], READINGS, null=True)
    assert null.beside("cubic", "bic", 16).ratio == pytest.approx(1 / 3)  # CUBIC was flow 2
    assert taken[-1] == ("intra", "bdp20", "cubic", "cubic", 16)


def test_a_starved_flow_has_a_ratio_all_the_same():
    runs = runs_of(lambda cell: 1.0, 2).with_columns(throughput2_bps=pl.lit(0.0))
    cell = next(iter(subject_of(runs).cells.values()))
    assert float(cell.mean[1]) == pytest.approx(math.log(READINGS["floor_bps"]))


# ---- in print -----------------------------------------------------------------------------------


def test_every_claim_has_a_key_a_statistic_and_a_figure():
    assert len(EVERY) == len(SAID)
    assert all(each.statistic and each.figure.startswith("fig-") for each in BY_KEY.values())


def test_the_table_has_a_row_for_every_case_however_few_the_runs():
    runs = runs_of(TRUE["inter"], 1).with_columns(**IN_A_DATA_SET)
    args = (RTT_LISTS, SAID, READINGS, PLANNED, 0.95, 0.05, "x")
    none = runs.clear()
    full, none = (claim(table, none, none, ["simulation"], *args) for table in (runs, none))
    assert full["case"].to_list() == none["case"].to_list()
    assert set(none["outcome"]) == {NOT_JUDGED, NOT_TESTABLE}
    assert set(full["claim"]) == set(BY_KEY) | set(OURS)
    shown = case_numbers(full, {"simulation": "ns-2"}, least="low")
    assert "no run yet" in shown  # single runs have no interval


def test_each_case_has_its_contrast_and_its_outcome():
    judged_runs = judged(runs_of(TRUE["friendliness"]), ["unfriendly"])
    lines = (
        case_numbers(judged_runs, {judged_runs["subject"][0]: "ns-2"})
        .replace("\u00a0", " ")
        .split("\n")
    )
    assert "Minus null control" in lines[0]
    assert len(lines) == 2 + 1 + 10 and all("reproduced" in line for line in lines[3:8])
    assert "variant / NewReno at the highest RTT" in lines[2]
    none = judged(runs_of(TRUE["friendliness"]).clear(), ["unfriendly"])
    assert "no run yet" in case_numbers(none, {none["subject"][0]: "ns-2"})
