"""Statements of high-speed-fairness on planted runs with known answers."""

import polars as pl
import pytest
from evenflow.papers.claims import judge, of_original, outcomes
from evenflow.statistics.outcomes import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
)

from ..claims import claims_of
from ..findings import findings_of
from ..findings_in_print import (
    estimates_in_words,
    finding_table,
    nulls_in_words,
    ranges_in_words,
)
from ..judging import claim, of_our_own
from ..metrics import design
from ..replicates import Cases, Replicate, Run, asked_for
from ..tables import case_evidence, case_table
from .worlds import FALSE, PROPORTIONAL, READINGS, RTT_LISTS, TRUE, rtt, runs_of, subject_of

QUEUE_KEYS = ("20_pct", "3_mb")
BY_KEY = {each.key: each for each in claims_of(READINGS)}
TESTABLE = [key for key, each in BY_KEY.items() if isinstance(each.measure, Cases)]


def view_of(key):
    """The view whose runs tell about a claim: the first cell that it asks for outside intra."""
    statistic = next(iter(BY_KEY[key].measure.of.values()))
    views = {cell[0] for cell in asked_for(statistic, "bdp20", RTT_LISTS[0], READINGS)}
    return next(iter(views - {"intra"}), "intra")


def judged(runs, keys=TESTABLE):
    chosen = [BY_KEY[key] for key in keys]
    return judge("x", chosen, {"ns-2": subject_of(runs)}, confidence=0.95, fdr=0.05)


@pytest.fixture(scope="module")
def outcome_in():
    """{world's name: {claim: outcome}}, each claim in the world of its own view."""
    views = {key: view_of(key) for key in TESTABLE}
    found = {}
    for name, worlds, replicates in (("true", TRUE, 3), ("false", FALSE, 3), ("two", TRUE, 2)):
        found[name] = {}
        for view, world in worlds.items():
            keys = [key for key in TESTABLE if views[key] == view]
            table = outcomes(judged(runs_of(world, replicates), keys))
            found[name] |= dict(table.select("claim", "outcome").rows())
    for name, replicates in (("true", 3), ("two", 2)):
        table = outcomes(judged(runs_of(rtt(PROPORTIONAL), replicates), ["proportional"]))
        found[name]["proportional"] = table["outcome"].item()
    return found


@pytest.mark.parametrize("key", TESTABLE)
def test_a_claim_is_reproduced_in_a_world_as_the_original_says(outcome_in, key):
    assert outcome_in["true"][key] == REPRODUCED


@pytest.mark.parametrize("key", TESTABLE)
def test_a_claim_is_contradicted_in_a_world_of_the_contrary(outcome_in, key):
    assert outcome_in["false"][key] == CONTRADICTED


@pytest.mark.parametrize("key", TESTABLE)
def test_two_replicates_decide_nothing(outcome_in, key):
    assert outcome_in["two"][key] == INCONCLUSIVE


WITH_NULL = [key for key in TESTABLE if BY_KEY[key].measure.null]


@pytest.mark.parametrize("ratio", [0.05, 1.0, 20.0])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(ratio):
    """Who is beside whom makes no difference, the order of the flows makes a large one."""
    table = judged(runs_of(lambda cell: ratio), WITH_NULL)
    assert len(WITH_NULL) > 12 and table["null_n"].min() == 3
    assert REPRODUCED not in table["outcome"].to_list()


def test_a_wide_spread_between_replicates_is_inconclusive():
    table = judged(runs_of(TRUE["friendliness"], spread=3.0), ["unfriendly", "unfriendly_bdp"])
    assert set(outcomes(table)["outcome"]) == {INCONCLUSIVE}
    assert table["n_needed"].drop_nulls().min() > 3


def test_limited_slow_start_is_not_testable_whatever_the_runs():
    table = judged(runs_of(TRUE["friendliness"]), ["slow_start"])
    assert (
        table["outcome"].item() == NOT_TESTABLE and "limited slow start" in table["reason"].item()
    )


# ---- findings of our own ------------------------------------------------------------------------

OURS = {each.key: each for each in findings_of(READINGS)}


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
}


@pytest.mark.parametrize("key", OURS)
def test_a_finding_has_each_outcome_where_it_should(key):
    right, wrong = WORLDS[key]

    def said(world, replicates):
        runs = subject_of(runs_of(world, replicates))
        table = judge("x", [OURS[key]], {"ns-2": runs}, confidence=0.95, fdr=0.05)
        return set(table["outcome"])

    assert said(right, 3) == {REPRODUCED}
    assert said(wrong, 3) == {CONTRADICTED}
    assert said(right, 2) == said(wrong, 2) == {INCONCLUSIVE}


def test_an_exponent_that_the_rtt_itself_makes_is_no_bias():
    """Flow 1 is the further ahead the longer the RTT, of two flows of the same RTT too."""
    runs = subject_of(runs_of(lambda cell: (cell["rtt2_ms"] / 162) ** 4))
    mine = [OURS[key] for key in ("above_linear", "scalable_rtt")]
    table = judge("x", mine, {"ns-2": runs}, confidence=0.95, fdr=0.05)
    assert set(table["outcome"]) == {INCONCLUSIVE}


def test_our_findings_are_apart_from_the_original_s_sentences():
    runs = runs_of(power(STEEP)).with_columns(part=pl.lit("simulation"))
    table = claim(runs, ["simulation"], RTT_LISTS, READINGS, 0.95, 0.05, "x")
    assert set(of_our_own(table)["claim"]) == set(OURS)
    assert set(of_original(table)["claim"]) == set(BY_KEY)
    text = finding_table(table, ["simulation"])
    (row,) = [line for line in text.splitlines() if "hardly depends" in line]
    assert "**reproduced**: 20 % of BDP 0.20" in row.replace("\u00a0", " ")
    said = estimates_in_words(table)["above_linear"]["simulation"]
    assert set(said) == {
        f"{c}_at_{q}" for c in ("bic", "highspeed", "scalable") for q in QUEUE_KEYS
    }
    assert said["bic_at_3_mb"].startswith("2.00 (")
    assert ranges_in_words(table)["above_linear"]["simulation"] == "2.00 to 4.50"
    assert nulls_in_words(table)["above_linear"] == "0.00"  # two flows of one RTT share evenly
    assert nulls_in_words(table)["cubic_rtt"] == "–"  # it has none


# ---- replicates ---------------------------------------------------------------------------------


def cells_of(key, rtts_ms=RTT_LISTS[0]):
    """The cells of the first case of a claim."""
    statistic = next(iter(BY_KEY[key].measure.of.values()))
    return asked_for(statistic, "bdp20", rtts_ms, READINGS)


def test_the_cells_of_a_claim_are_those_of_the_design():
    known = set(design().select("view", "queue", "cca1", "cca2", "rtt2_ms").rows())
    for key in TESTABLE:
        measure = BY_KEY[key].measure
        for statistic in measure.of.values():
            for null in (False, True):
                asked = asked_for(statistic, "bdp20", RTT_LISTS[0], READINGS, null=null)
                assert asked and set(asked) <= known
    assert len(cells_of("intra")) == 25 and len(cells_of("unfriendly")) == 1
    assert len(cells_of("inter_scalable")) == 5 * 10 and len(cells_of("proportional")) == 5


def without(runs, repeat, **cell):
    missing = pl.all_horizontal(
        pl.col("repeat") == repeat, *(pl.col(k) == v for k, v in cell.items())
    )
    return runs.filter(~missing)


def test_a_replicate_that_lacks_a_run_is_none():
    runs = runs_of(TRUE["inter"])
    place = {"view": "inter", "queue": "bdp20", "cca1": "bic", "cca2": "cubic"}
    table = judged(without(runs, 3, rtt2_ms=324, **place), ["inter_scalable"])
    n = dict(table.select("case", "n").rows())
    assert n == {"20 % of BDP": 2, "3 MB": 3}
    assert "1 with no more than 2 runs" in table["reason"][0]
    gone = runs.filter(~((pl.col("queue") == "3mb") & (pl.col("rtt2_ms") == 324)))
    table = judged(gone, ["inter_scalable"]).filter(case="3 MB")
    assert table["outcome"].item() == NOT_TESTABLE
    assert table["reason"].item() == "50 cells a replicate, 10 without a run"


def test_fewer_rtts_are_taken_where_only_they_have_three_replicates():
    runs = runs_of(TRUE["inter"])
    coarse = runs.filter((pl.col("repeat") == 1) | pl.col("rtt2_ms").is_in([16.0, 82.0, 324.0]))
    table = judged(coarse, ["inter_scalable"])
    assert table["n"].to_list() == [3, 3]
    assert table["reason"][0] == "30 cells a replicate (RTTs 16, 82, 324 ms)"
    needs = judged(coarse, ["rtt_equal"])
    assert needs["n"].max() == 1  # equal RTTs are at 162 ms


def test_a_further_repeat_stands_in_for_a_refused_run():
    runs = runs_of(TRUE["inter"]).with_columns(
        repeat=pl.when(pl.col("cca1") == "bic").then(pl.col("repeat") + 1).otherwise("repeat")
    )
    assert judged(runs, ["inter_scalable"])["n"].to_list() == [3, 3]


def test_a_run_and_its_double_count_once():
    runs = runs_of(TRUE["inter"])
    double = runs.filter(pl.col("repeat") == 2).with_columns(repeat=pl.lit(3))
    table = judged(
        pl.concat([runs.filter(pl.col("repeat") < 3), double], how="vertical_relaxed"),
        ["inter_scalable"],
    )
    assert table["n"].to_list() == [2, 2]


def test_an_uncontested_cell_has_no_place_in_a_replicate():
    here = (pl.col("view") == "inter") & (pl.col("queue") == "3mb") & (pl.col("rtt2_ms") == 82)
    runs = runs_of(TRUE["inter"]).with_columns(drops=pl.when(here).then(0).otherwise("drops"))
    assert judged(runs, ["inter_scalable"])["n"].to_list() == [3, 0]


def test_a_pair_is_seen_from_both_of_its_flows():
    taken = []

    def take(key):
        taken.append(key)
        return Run(6e8, 2e8, 0.8)

    x = Replicate(take, "bdp20", RTT_LISTS[0], READINGS)
    assert x.beside("bic", "cubic", 16).ratio == pytest.approx(3)
    assert x.beside("cubic", "bic", 16).share == pytest.approx(0.25)
    assert len(set(taken)) == 1
    null = Replicate(take, "bdp20", RTT_LISTS[0], READINGS, null=True)
    assert null.beside("cubic", "bic", 16).ratio == pytest.approx(1 / 3)  # CUBIC was flow 2
    assert taken[-1] == ("intra", "bdp20", "cubic", "cubic", 16)


def test_a_starved_flow_has_a_ratio_all_the_same():
    x = Replicate(lambda key: Run(8e8, 0.0, 0.5), "bdp20", RTT_LISTS[0], READINGS)
    assert x.alone("bic", 16).ratio == pytest.approx(8e8 / READINGS["floor_bps"])


# ---- in print -----------------------------------------------------------------------------------


def test_every_claim_has_a_key_a_statistic_and_a_figure():
    assert len(BY_KEY) == len(claims_of(READINGS))
    assert all(each.statistic and each.figure.startswith("fig-") for each in BY_KEY.values())


def test_the_table_has_a_row_for_every_case_however_few_the_runs():
    runs = runs_of(TRUE["inter"], 1).with_columns(part=pl.lit("simulation"))
    args = (RTT_LISTS, READINGS, 0.95, 0.05, "x")
    full, none = (claim(table, ["simulation"], *args) for table in (runs, runs.clear()))
    assert full["case"].to_list() == none["case"].to_list()
    assert set(none["outcome"]) == {NOT_TESTABLE}
    assert set(full["claim"]) == set(BY_KEY) | set(OURS)
    assert "none" in case_table(full, ["simulation"])  # of one replicate there is nothing to list


def test_the_evidence_gives_ranges_nulls_and_decided_cases():
    runs = runs_of(TRUE["friendliness"])
    text = case_evidence(judged(runs, ["unfriendly"]))
    assert text.startswith(": 20 % of BDP 6.6") and " to 100 (5 cases" in text
    assert "(5 cases, n = 3; null 1.00), 5 reproduced" in text
    only = case_evidence(judged(runs.filter(queue="bdp20"), ["friendly_scalable"]))
    assert "3 MB" not in only and " (n = 3)" in only
    nothing = case_evidence(judged(runs.clear(), ["unfriendly"]))
    assert nothing == ". 1 cell a replicate, 1 without a run"
