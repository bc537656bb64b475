"""The table `claim`: outcomes of planted data, controls, families, and what its rows rest on."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from evenflow.claims.cases import Case, Claim, Part, Steady, never, with_plan
from evenflow.claims.claim_numbers import claim_variables
from evenflow.claims.judge import (
    BORDER,
    CASES_DIFFER,
    FEW_POINTS,
    MULTIPLICITY,
    NOT_MONOTONE,
    NULL_MOVES,
    count_outcomes,
    judge,
    outcomes,
)
from evenflow.claims.scorecard import cases_that_hold, legend, marks, scorecard
from evenflow.claims.words import evidence, reason_in_words, region_in_words, span_of_runs
from evenflow.errors import DataError
from evenflow.statistics.outcomes import (
    ALL,
    CONTRADICTED,
    INCONCLUSIVE,
    MIXED,
    NO_EFFECT,
    NOT_JUDGED,
    NOT_TESTABLE,
    OPPOSITE,
    REPRODUCED,
    SOME,
    at_least,
    at_most,
    less,
    more,
    moves,
    within,
)
from evenflow.statistics.stratified import ALONE, AT_BOUND, LACKING, STATES, Cell, Quantity
from hypothesis import given
from hypothesis import strategies as st

PLAIN = (Quantity("x"),)
UP, NOTHING, DOWN = [1.0, 1.1, 0.9], [0.0, 0.1, -0.1], [-1.0, -1.1, -0.9]


def at(key):
    return lambda means: float(means[key][0])


def cells(**runs):
    return {key: Cell(np.array([[x] for x in of])) for key, of in runs.items()}


def case(values, null=None, **more_of_it):
    of = cells(a=values, **({} if null is None else {"n": null}))
    control = None if null is None else at("n")
    return Case({"": Part(at("a"), control)}, of, PLAIN, **more_of_it)


def claim(*cases, asserts=more(0.5), key="one", place="1", **more_of_it):  # noqa: B008
    measured = {"" if len(cases) == 1 else str(i): of for i, of in enumerate(cases)}
    return Claim(
        key, "It rises", place, "fig-x", "rise", asserts, lambda of: measured, **more_of_it
    )


def judged(*claims) -> pl.DataFrame:
    return judge("paper", claims, {"data": None}, confidence=0.95, fdr=0.05)


def row_of(*cases, **more_of_it) -> dict:
    return judged(claim(*cases, **more_of_it)).row(0, named=True)


@pytest.mark.parametrize(
    ("asserts", "values", "outcome"),
    [
        (more(0.5), UP, REPRODUCED),
        (more(0.5), NOTHING, NO_EFFECT),
        (more(0.5), DOWN, OPPOSITE),
        (less(0.5), DOWN, REPRODUCED),
        (moves(0.5), DOWN, REPRODUCED),
        (at_least(0.5), NOTHING, CONTRADICTED),
        (at_most(0.5), NOTHING, REPRODUCED),
        (within(-0.5, 0.5), NOTHING, REPRODUCED),
        (more(0.5), [0.4, 0.6, 0.5], INCONCLUSIVE),
        (more(0.5), [1.0], NOT_JUDGED),
    ],
)
def test_each_outcome_comes_of_planted_data(asserts, values, outcome):
    assert row_of(case(values), asserts=asserts)["outcome"] == outcome


def test_an_effect_is_judged_raw_and_less_its_control():
    row = row_of(case(UP, null=NOTHING))
    assert (row["outcome"], row["null_matters"]) == (REPRODUCED, False)
    assert row["contrast_estimate"] == pytest.approx(1.0)
    moved = row_of(case(UP, null=[1.0, 0.9, 1.1]))
    assert (moved["outcome"], moved["why"], moved["null_matters"]) == (
        INCONCLUSIVE, NULL_MOVES, True
    )  # fmt: skip
    assert reason_in_words(moved) == "the null control shows an effect too"
    # nor is it the contrast alone that decides
    assert row_of(case(NOTHING, null=DOWN))["outcome"] == INCONCLUSIVE
    assert row_of(case([3.0, 3.1, 2.9], null=UP))["outcome"] == REPRODUCED
    assert row_of(case([-3.0, -3.1, -2.9], null=UP))["outcome"] == OPPOSITE


def test_the_evidence_names_the_control_where_what_is_left_has_an_interval():
    table = judged(claim(case(UP, null=NOTHING)))
    assert "; minus the null control 1.00 (" in evidence(table)
    assert "minus the null control" not in evidence(judged(claim(case(UP, null=[0.0]))))
    assert "minus the null control" not in evidence(judged(claim(case(UP))))


@pytest.mark.parametrize(
    ("null", "matters"), [(0.49, False), (0.5, True), (-0.49, False), (-0.5, True)]
)
def test_a_control_matters_from_the_least_effect_on_either_way(null, matters):
    assert row_of(case(UP, null=[null]))["null_matters"] is matters


def test_a_level_has_no_control():
    row = row_of(case(UP, null=UP), asserts=at_least(0.5))
    assert (row["outcome"], row["null_estimate"]) == (REPRODUCED, None)


def test_a_subject_that_a_claim_names_is_asked_of_that_claim_alone():
    plain, named = claim(case(UP)), claim(case(UP), key="two", subjects=("extra",))
    subjects = dict.fromkeys(("data", "more", "extra"))
    table = judge("paper", [plain, named], subjects, confidence=0.95, fdr=0.05)
    said = table.select("claim", "subject").rows()
    assert said == [("one", "data"), ("one", "more"), ("two", "extra")]


def test_a_finding_written_before_its_runs_is_not_exploratory_and_of_the_same_family():
    own = {"key": "own", "place": ""}
    table = judged(claim(case(UP), **own), claim(case(UP), **own | {"key": "asked"}))
    assert table["exploratory"].to_list() == [True, True]
    asked = claim(case(UP), before_runs=True, **own | {"key": "asked"})
    before = judged(claim(case(UP), **own), asked, claim(case(NOTHING)))
    assert before["exploratory"].to_list() == [True, False, False]
    assert before["p_value_bh"].to_list()[:2] == table["p_value_bh"].to_list()


def test_a_subject_that_is_not_there_is_an_error_with_the_nearest_name():
    wrong = claim(case(UP), subjects=("dta",))
    with pytest.raises(DataError, match=r"paper/claims.yml: .*'dta'.*\n?.*data"):
        judge("paper", [wrong], {"data": None}, confidence=0.95, fdr=0.05)


VALUES = st.lists(st.floats(-5, 5), min_size=2, max_size=5, unique=True)


@given(VALUES, VALUES, st.floats(0.05, 2), st.floats(0.05, 2))
def test_nested_statements_cannot_disagree(values, null, one, two):
    weak, strong = sorted((one, two))
    for sign in (more, less):
        of = [row_of(case(values, null), asserts=sign(d))["outcome"] for d in (weak, strong)]
        if of[1] == REPRODUCED:
            assert of[0] == REPRODUCED


@given(VALUES, VALUES, st.floats(0.05, 2))
def test_reversed_statements_cannot_disagree(values, null, delta):
    claimed, reverse = (
        row_of(case(values, null), asserts=sign(delta))["outcome"] for sign in (more, less)
    )
    turned = {REPRODUCED: OPPOSITE, OPPOSITE: REPRODUCED}
    assert turned.get(claimed, claimed) == reverse
    mirrored = row_of(case([-x for x in values], [-x for x in null]), asserts=more(delta))
    assert mirrored["outcome"] == reverse


@given(VALUES)
def test_no_effect_that_is_its_null_is_reproduced(values):
    assert row_of(case(values, null=values))["outcome"] != REPRODUCED


def test_cells_that_lack_runs_are_named():
    of = Case({"": Part(at("z"))}, cells(a=UP), PLAIN, name=lambda key: f"cell {key}")
    row = row_of(of)
    assert (row["outcome"], row["why"], row["lacking"]) == (NOT_JUDGED, LACKING, "cell z")
    assert reason_in_words(row) == "no run yet of cell z"
    assert row_of(case([1.0]))["why"] == ALONE
    several = Part(lambda means: sum(float(means[key][0]) for key in "vwxyz"))
    row = row_of(Case({"": several}, cells(a=UP), PLAIN, name=lambda key: f"cell {key}"))
    assert reason_in_words(row) == "no run yet of cell v; cell w; cell x and 2 more"


def test_parts_of_a_case_are_judged_each_and_folded():
    both = cells(a=UP, b=NOTHING, c=[1.2, 1.3, 1.25])
    of = lambda keys, **how: Case({k: Part(at(k)) for k in keys}, both, PLAIN, **how)  # noqa: E731
    row = row_of(of("ac"))
    assert (row["outcome"], row["holds"], row["of"]) == (REPRODUCED, 2, 2)
    assert row["part"] == "a"  # the one that is nearest to another outcome
    assert row_of(of("ca"))["part"] == "a"
    assert row_of(of("ac", quantifier=SOME))["part"] == "c"  # of some the surest
    row = row_of(of("ab"))
    assert (row["outcome"], row["why"], row["holds"]) == (MIXED, CASES_DIFFER, 1)
    assert (row["part"], row["estimate"]) == ("b", pytest.approx(0))
    row = row_of(of("ab", quantifier=SOME))
    assert (row["outcome"], row["part"]) == (REPRODUCED, "a")
    assert row["high"] - row["low"] > row_of(of("a"))["high"] - row_of(of("a"))["low"]
    assert "holds in 1 of 2" in evidence(judged(claim(of("ab"))))


def test_of_a_sentence_on_all_that_does_not_hold_a_part_is_shown_that_does_not():
    parts = {key: Part(at(key)) for key in "ab"}
    row = row_of(Case(parts, cells(a=[1.0, 1.001, 0.999], b=NOTHING), PLAIN))  # a is surer
    assert (row["outcome"], row["part"], row["estimate"]) == (MIXED, "b", pytest.approx(0))


def test_the_evidence_counts_the_estimates_that_it_leaves_out():
    table = judged(claim(case(UP), case(DOWN), case(NOTHING)))
    assert evidence(table, most=2).count("1.00 (") == 2 and "and 1 more" in evidence(table, most=2)
    assert " more" not in evidence(table, most=3)


def test_a_trend_is_judged_where_its_curve_is_monotone():
    def trend(*values):
        of = cells(a=UP, **{f"c{i}": [v, v + 0.01] for i, v in enumerate(values)})
        keys = [f"c{i}" for i in range(len(values))]
        curve = lambda means: [means[key][0] for key in keys]  # noqa: E731
        return row_of(Case({"": Part(at("a"), curve=curve)}, of, PLAIN))

    assert trend(0.0, 0.5, 1.0)["outcome"] == REPRODUCED
    assert trend(0.0, 0.9, 0.5, 1.0)["outcome"] == REPRODUCED  # a step back that does not matter
    assert trend(1.0, 0.5, 0.0)["outcome"] == REPRODUCED  # the outcome is the statistic's
    assert trend(0.0, 1.5, 0.7, 1.0)["why"] == NOT_MONOTONE
    assert trend(0.0, -0.3, -0.6, 1.0)["why"] == NOT_MONOTONE  # no step alone goes that far


def test_a_correlation_of_fewer_than_five_points_is_not_judged():
    of = lambda n: Case({"": Part(at("a"), points=n)}, cells(a=[0.8, 0.9, 0.85]), PLAIN)  # noqa: E731
    three = row_of(of(4), asserts=at_least(0.1), scale="z")
    assert (three["outcome"], three["why"], three["low"] is None) == (
        NOT_JUDGED, FEW_POINTS, False
    )  # fmt: skip
    row = row_of(of(5), asserts=at_least(0.1), scale="z")
    assert row["outcome"] == REPRODUCED
    assert row["high"] < 1


def test_verdicts_on_fewer_runs_than_planned_are_provisional():
    assert row_of(case([1.0, 1.1]))["provisional"]
    assert not row_of(case(UP))["provisional"]
    row = row_of(planned_case(5))
    assert (row["provisional"], row["planned"], row["note"]) == (True, 5, "")
    assert "provisional" in evidence(judged(claim(planned_case(5))))
    assert not row_of(planned_case(3))["provisional"]
    assert not row_of(planned_case(1))["provisional"]
    # each cell has its own plan, and one that does not move the statistic has no say
    assert row_of(planned_case(3, 5, of=("a", "b")))["provisional"]
    assert row_of(planned_case(3, 5, of=("a", "b")))["planned"] == 3
    assert not row_of(planned_case(3, 5, of=("a",)))["provisional"]
    asked = Part(lambda means: float(means["a"][0]) + 0 * float(means["b"][0]))
    assert row_of(Case({"": asked}, planned_case(5, 3).cells, PLAIN))["planned"] == 5


def test_cells_without_a_plan_are_counted():
    row = row_of(planned_case(3, None, of=("a", "b")))
    assert (row["note"], row["planned"]) == ("no plan of 1 cells", 3)


def planned_case(*planned, of=("a",)):
    """A case of cells of three runs, of which so many were planned."""
    planned = dict(zip("ab", planned, strict=False))
    of_plan = {k: Cell(np.array([[x] for x in UP]), planned=n) for k, n in planned.items()}
    return Case({"": Part(lambda means: sum(float(means[k][0]) for k in of))}, of_plan, PLAIN)


def test_the_plan_of_a_run_is_that_of_its_scenario_in_its_data_set():
    runs = pl.DataFrame({"dataset_id": ["a", "b", "a"], "scenario_id": ["x/y", "x/y", "z"]})
    plan = pl.DataFrame(
        {"dataset_id": ["a", "b"], "scenario": ["x/y"] * 2, "n_planned": ["5", "3"]}
    )
    assert with_plan(runs, plan)["n_planned"].to_list() == [5, 3, None]


def test_ratios_are_judged_on_the_logarithm():
    of = Case(
        {"": Part(lambda m: float(np.exp(m["a"][0])))},
        {"a": Cell(np.log([[2.0], [2.2], [1.8]]))},
        (Quantity("x", "log"),),
    )
    row = row_of(of, asserts=more(1.5), scale="log")
    assert row["outcome"] == REPRODUCED
    assert row["low"] * row["high"] == pytest.approx(row["estimate"] ** 2)
    assert region_in_words(row) == "at least 1.50"
    down = row_of(of, asserts=less(1.5), scale="log")
    assert (down["outcome"], region_in_words(down)) == (OPPOSITE, "at most 0.67")


def test_multiplicity_is_over_what_can_be_judged_in_two_families():
    border = [0.55, 0.62, 0.58, 0.6]  # reproduced alone, p of some 0.03
    alone = judged(claim(case(border)))
    assert alone["outcome"].item() == REPRODUCED
    undecided = [claim(case([0.3, 0.9, 0.5]), key=f"u{i}") for i in range(9)]
    among = judged(claim(case(border)), *undecided)
    assert among.row(0, named=True)["outcome"] == INCONCLUSIVE
    assert among.row(0, named=True)["why"] == MULTIPLICITY
    assert set(among["why"][1:]) == {BORDER}  # they were undecided by themselves
    # neither what cannot be judged nor the other family takes part
    single = [claim(case([1.0]), key=f"s{i}") for i in range(9)]
    own = [claim(case([0.3, 0.9, 0.5]), key=f"o{i}", place="") for i in range(9)]
    assert judged(claim(case(border)), *single, *own)["outcome"][0] == REPRODUCED


def test_what_a_model_computes_has_no_interval():
    table = judged(
        claim(Case(value=0.6), asserts=at_least(0.5)),
        claim(Case(value=0.4), asserts=at_least(0.5), key="two"),
    )
    assert table["outcome"].to_list() == [REPRODUCED, CONTRADICTED]
    assert table["low"].null_count() == 2
    assert "computed" in reason_in_words(table.row(0, named=True))


@pytest.mark.parametrize(
    ("value", "scale", "of_more", "of_less", "of_moves"),
    [
        (0.6, "linear", REPRODUCED, OPPOSITE, REPRODUCED),
        (-0.6, "linear", OPPOSITE, REPRODUCED, REPRODUCED),
        (0.4, "linear", NO_EFFECT, NO_EFFECT, NO_EFFECT),
        (0.5, "log", OPPOSITE, REPRODUCED, REPRODUCED),
        (1.1, "log", NO_EFFECT, NO_EFFECT, NO_EFFECT),
    ],
)
def test_an_effect_that_a_model_computes_has_the_outcomes_of_one_that_is_measured(
    value, scale, of_more, of_less, of_moves
):
    delta = 1.5 if scale == "log" else 0.5
    for asserts, outcome in (
        (more(delta), of_more),
        (less(delta), of_less),
        (moves(delta), of_moves),
    ):
        of = claim(Case(value=value), asserts=asserts, scale=scale)
        assert judged(of)["outcome"].to_list() == [outcome]


def test_a_sentence_on_several_cases_has_one_outcome_of_the_original_or_our_own():
    reason = "no run has it"
    why = Claim("no", "s", "1", "", "rise", more(0.5), never(reason))
    elsewhere = Claim("else", "s", "1", "", "rise", more(0.5), lambda of: None)
    own = claim(case(UP), key="own", place="")
    table = judged(claim(case(UP), case(DOWN)), why, elsewhere, own)
    assert outcomes(table)["outcome"].to_list() == [MIXED, NOT_TESTABLE, REPRODUCED]
    counts = count_outcomes(table)
    assert (counts[MIXED], counts[NOT_TESTABLE], counts[REPRODUCED]) == (1, 1, 0)
    assert reason_in_words(table.filter(claim="no").row(0, named=True)) == reason
    assert table.filter(claim="own")["exploratory"].item()
    said = claim_variables(table)
    assert said["n"] == "2" and said["of"]["data"]["own"] == REPRODUCED
    assert said["count"]["data"]["mixed"] == "1"
    printed = scorecard(table, {"data": "Here"})
    assert "It rises" in printed and "own" not in printed


def test_the_text_counts_controls_and_runs():
    moved = [1.0, 0.9, 1.1]
    table = judged(
        claim(case(UP, null=NOTHING), key="a"),
        claim(case(UP, null=moved), key="b"),
        claim(case(UP, null=moved), key="c"),
        claim(case([1.0, 1.1], null=NOTHING), key="d"),
        claim(case(UP), key="e"),
    )
    said = claim_variables(table)
    counted = ("n_rows", "n_with_null", "n_null_matters", "n_null_moves", "n_provisional")
    assert [said[name] for name in counted] == ["5", "4", "2", "2", "1"]
    assert said["least_n"] == "3" and said["n_judged"] == "5"
    assert said["null"]["data"]["a"]["all"].startswith("0.00 (")
    assert said["contrast"]["data"]["e"]["all"] == "–"
    assert said["steady"]["data"]["e"]["all"] == "–"


def test_the_text_names_cases_in_small_letters_with_estimate_interval_and_unit():
    measured = {"On BIC": case(UP), "On CUBIC": case(DOWN)}
    of = Claim("is-up", "s", "1", "", "rise", more(0.5), lambda _: measured, unit="dB")
    said = claim_variables(judged(of))
    assert said["value"]["data"]["is_up"] == {
        "on_bic": "1.00 dB (0.75 to 1.25)",
        "on_cubic": "−1.00 dB (−1.25 to −0.75)",
    }
    assert said["holds"]["data"]["is_up"] == {"on_bic": "1 of 1", "on_cubic": "0 of 1"}


MARKED = {"low": 0.5, "why": "", "outcome": REPRODUCED, "steady_estimate": None}
MARKED |= dict.fromkeys(("transient", "provisional", "exploratory"), False)


@pytest.mark.parametrize(
    ("row", "letters"),
    [
        ({}, ""),
        ({"transient": True}, "T"),
        ({"provisional": True}, "P"),
        ({"exploratory": True}, "E"),
        ({"transient": True, "provisional": True, "exploratory": True}, "T, P, E"),
        (  # what has no interval is no finding of which that could be said
            {"transient": True, "provisional": True, "exploratory": True, "low": None},
            "",
        ),
        ({"why": NULL_MOVES}, "N"),
        ({"why": MULTIPLICITY}, "M"),
        ({"why": STATES}, "S"),
        ({"why": ALONE}, "R"),
        ({"why": AT_BOUND}, "R"),
        ({"why": NOT_MONOTONE}, "C"),
        ({"why": FEW_POINTS}, "C"),
        ({"why": LACKING}, ""),
        ({"steady_estimate": 0.1, "steady_outcome": OPPOSITE}, "U"),
        ({"steady_estimate": 0.1, "steady_outcome": REPRODUCED}, ""),
        ({"steady_outcome": NOT_JUDGED}, ""),  # nothing is left to differ
    ],
)
def test_each_letter_behind_an_outcome_stands_where_its_row_has_that(row, letters):
    assert marks([MARKED | row]) == letters
    assert marks([MARKED, MARKED | row]) == letters  # of several cases one is enough
    assert all(f"{letter}: " in legend() for letter in filter(None, letters.split(", ")))


def test_in_how_many_cases_a_sentence_holds_is_said_of_several_that_are_judged():
    table = judged(claim(case(UP), case(DOWN), case(UP)))
    assert cases_that_hold(MIXED, table) == "2 of 3"
    assert cases_that_hold(REPRODUCED, table[:1]) == ""
    for outcome in (NOT_JUDGED, NOT_TESTABLE):
        assert cases_that_hold(outcome, table) == ""


def test_runs_that_would_decide_are_of_what_is_undecided():
    """At the border of the value itself its spread counts; where the null moves the contrast's."""
    border, noisy = [0.55, 0.75, 0.65], [0.3, -0.3, 0.0]
    alone, beside = row_of(case(border)), row_of(case(border, null=noisy))
    assert alone["n_needed"] == beside["n_needed"] == 5
    moved = row_of(case(UP, null=noisy))
    assert moved["why"] == NULL_MOVES and moved["n_needed"] > 3


def test_how_many_runs_cells_have_is_one_number_or_a_span():
    spans = [span_of_runs({"n": 3, "n_most": most}) for most in (3, 5, None)]
    assert spans == ["3", "3 to 5", "3"]


def test_some_of_several_cases_is_judged_at_a_part_of_the_level():
    barely = [0.62, 0.75, 0.68]
    assert row_of(case(barely))["outcome"] == REPRODUCED
    rows = judged(claim(case(barely), case(NOTHING), case(NOTHING), quantifier=SOME))
    assert rows["outcome"][0] == INCONCLUSIVE
    assert outcomes(judged(claim(case(UP), case(NOTHING), quantifier=SOME)))["outcome"].item() in (
        REPRODUCED,
        INCONCLUSIVE,
    )
    assert ALL != SOME


# ---- steady or said -----------------------------------------------------------------------------


def part_of_each(unsteady):
    """A case of three cells of which each is a part; whether each is unsteady, None: not known."""
    of = {
        key: Cell(np.array([[x] for x in values]), unsteady=moved)
        for (key, values), moved in zip(
            {"a": UP, "b": UP, "c": DOWN}.items(), unsteady, strict=True
        )
    }
    return Case({key: Part(at(key)) for key in of}, of, PLAIN)


def test_parts_of_unsteady_cells_are_left_out_beside_what_is_with_them():
    """Two cells say more and one says less; that one is unsteady, and a third of them."""
    row = row_of(part_of_each([False, False, True]))
    assert (row["outcome"], row["steady_outcome"]) == (MIXED, REPRODUCED)
    assert (row["n_unsteady"], row["n_places"], row["transient"]) == (1, 3, True)
    said = evidence(judged(claim(part_of_each([False, False, True]))))
    assert "without 1 of 3 unsteady cells 1.00" in said and "; transient" in said
    in_text = claim_variables(judged(claim(part_of_each([False, False, True]), key="a")))
    assert in_text["steady"]["data"]["a"]["all"].startswith("1.00 (")


def test_a_claim_without_a_steady_cell_has_nothing_beside_it():
    row = row_of(part_of_each([True, True, True]))
    assert (row["steady_outcome"], row["steady_estimate"]) == (NOT_JUDGED, None)
    assert "3 of 3 cells unsteady" in evidence(judged(claim(part_of_each([True] * 3))))


def test_what_is_steady_or_not_known_is_not_said_to_be_of_a_transient():
    assert row_of(part_of_each([False] * 3))["n_unsteady"] == 0
    row = row_of(part_of_each([None] * 3))
    assert (row["n_unsteady"], row["transient"]) == (None, False)
    assert "unsteady" not in evidence(judged(claim(part_of_each([False] * 3))))


def test_less_than_a_third_is_no_transient_unless_an_end_is_lost():
    left = part_of_each([False] * 3)
    for n_out, of, ends, transient in (
        (1, 4, False, False),
        (1, 3, False, True),
        (1, 9, True, True),
    ):
        steady = Steady(left, n_out, of, "25 to 100 ms", ends)
        row = row_of(replace(left, steady=steady))
        assert (row["transient"], row["steady_range"]) == (transient, "25 to 100 ms")
