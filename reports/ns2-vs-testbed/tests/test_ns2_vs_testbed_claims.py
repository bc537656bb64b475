"""The claims: each on planted runs for which it is true, false and undecided."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from evenflow.papers.claims import outcomes
from evenflow.papers.make import load
from evenflow.papers.surface_claims import NULL, subjects_of
from evenflow.statistics.outcomes import CONTRADICTED, INCONCLUSIVE, NOT_TESTABLE, REPRODUCED

FOLDER = Path(__file__).parents[1]
claims, tables = load(FOLDER / "claims.py"), load(FOLDER / "tables.py")
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)  # the second of PARAMETERS["grids"]
SPREAD = 0.002
FLOW1, FLOW2 = claims.FLOW1, claims.FLOW2
SIDES = {"testbed": "testbed", "simulation": "ns2"}
COMPLETE = {"testbed", "testbed_alternative", "simulation"}  # all cells of their grid were run


def surface_run(testbed=0.8, simulation=0.8, flow2=4e7, spread=SPREAD, n=3) -> pl.DataFrame:
    """Runs of every cell and repeat on both platforms, an index of value(ccas, rtt_s, buffer)."""
    random = np.random.default_rng(1)
    rows = []
    for part, value in (("testbed", testbed), ("simulation", simulation)):
        for cca in claims.ALL:
            for r in RTTS:
                for b in BUFFERS:
                    for repeat in range(1, n + 1):
                        ccas = f"newreno-{cca}"
                        jfi = value(ccas, r, b) if callable(value) else value
                        row = {"part": part, "role": "comparison", "ccas": ccas, "base_rtt_s": r}
                        row |= {"buffer_bdp": b, "repeat": repeat, "contested": True}
                        row |= {"window": 1200.0, "capacity": 10_000.0 * r * (1 + b)}
                        row |= {"jfi": jfi + spread * random.standard_normal()}
                        noise = 1 + spread * random.standard_normal(2)
                        carried = 4e7 if ccas == NULL else flow2
                        rows.append(row | {FLOW1: 4e7 * noise[0], FLOW2: carried * noise[1]})
    return pl.DataFrame(rows)


def judged(runs, bound=None):
    subjects = subjects_of(runs, SIDES, PARAMETERS["grids"], claims.SIMULATION)
    of_bound = subjects["testbed"].runs if bound is None else bound
    found = claims.claims_of(PARAMETERS["readings"], of_bound)
    return claims.judge("p", found, subjects, confidence=0.95, fdr=0.05)


def outcome_of(key, runs, subject="testbed"):
    return outcomes(judged(runs)).filter(claim=key, subject=subject)["outcome"].item()


def of_variants(value):
    """The value for pairings with a variant, 0.8 for NewReno against NewReno."""
    return lambda ccas, r, b: 0.8 if ccas == NULL else value(ccas, r, b)


def high(r, b):
    return r >= 0.2 and b >= 0.6


def bic(ccas, yes, no):
    return yes if ccas == "newreno-bic" else no


# claim, index on the testbed that makes it true, and false; ns-2 has 0.8 everywhere
ON_TESTBED = [
    ("differ", 0.6, 0.8),
    ("regions-differ", lambda c, r, b: bic(c, 0.6, 0.8), 0.8),
    ("agree-high", lambda c, r, b: 0.8 if high(r, b) else 0.6,
     lambda c, r, b: 0.6 if high(r, b) else 0.8),
    ("newreno-disagrees", 0.6, 0.8),
    ("agree-low-rtt", lambda c, r, b: 0.8 if r < 0.07 else 0.6,
     lambda c, r, b: 0.6 if r < 0.07 else 0.8),
    ("disagree-low-corner", lambda c, r, b: 0.6 if r < 0.06 and b < 0.3 else 0.8, 0.8),
    ("poor-fairness", lambda c, r, b: 0.97 if c == NULL else 0.6, 0.97),
    ("poor-at-low-bdp", lambda c, r, b: 0.6 if c != NULL and r < 0.06 else 0.97,
     lambda c, r, b: 0.97 if r < 0.06 else 0.6),
    ("fairer-with-both", of_variants(lambda c, r, b: 0.9 if high(r, b) else 0.6),
     of_variants(lambda c, r, b: 0.6 if high(r, b) else 0.9)),
    ("fairer-with-buffer", of_variants(lambda c, r, b: 0.6 + 0.2 * b), 0.8),
    ("fairer-with-rtt", of_variants(lambda c, r, b: 0.6 + 0.5 * r), 0.8),
    ("newreno-fair", 0.97, 0.8),
    ("buffer-both-ways", of_variants(lambda c, r, b: 0.7 + 0.2 * b * (1 if r < 0.15 else -1)),
     of_variants(lambda c, r, b: 0.6 + 0.2 * b)),
    ("falls-with-rtt", of_variants(lambda c, r, b: 0.9 - 0.5 * r if b < 0.9 else 0.9),
     of_variants(lambda c, r, b: 0.9 if b < 0.9 else 0.9 - r)),
    ("fair-at-large-buffer", lambda c, r, b: 0.97 if b > 0.9 else 0.6, 0.8),
    ("worst-corner", of_variants(lambda c, r, b: 0.6 if r >= 0.2 and b <= 0.4 else 0.9), 0.8),
    ("second-worst", of_variants(lambda c, r, b: 0.6 if r == 0.2 and b >= 0.4 else 0.9), 0.8),
    ("alike", lambda c, r, b: 0.5 + r + b / 10,
     lambda c, r, b: 0.5 + bic(c, r, -r / 2)),
]  # fmt: skip


@pytest.mark.parametrize(("key", "yes", "no"), ON_TESTBED, ids=[case[0] for case in ON_TESTBED])
def test_a_claim_is_reproduced_contradicted_or_undecided(key, yes, no):
    assert outcome_of(key, surface_run(yes)) == REPRODUCED
    assert outcome_of(key, surface_run(no)) == CONTRADICTED
    assert outcome_of(key, surface_run(yes, n=2)) == INCONCLUSIVE


def test_regions_are_similar_if_most_cells_are_alike_for_all_variants():
    """One cell in one repeat is otherwise: a share that is the same in all has no interval."""

    def with_one(runs, *variants):
        one = (pl.col("repeat") == 2) & (pl.col("base_rtt_s") == 0.4) & (pl.col("buffer_bdp") == 1)
        other = one & pl.col("ccas").is_in(variants) & (pl.col("part") == "testbed")
        return runs.with_columns(jfi=pl.when(other).then(0.4).otherwise("jfi"))

    assert outcome_of("regions-similar", surface_run(0.6)) == INCONCLUSIVE
    assert outcome_of("regions-similar", with_one(surface_run(), "newreno-cubic")) == REPRODUCED
    apart = surface_run(lambda c, r, b: bic(c, 0.6, 0.8))
    every = [f"newreno-{cca}" for cca in claims.OTHERS]
    assert outcome_of("regions-similar", with_one(apart, *every)) == CONTRADICTED


def test_ns2_is_fair_only_if_every_cell_is():
    one = lambda c, r, b: 0.8 if (r, b) == (0.1, 0.6) else 0.97  # noqa: E731
    for key in ("ns2-fair", "ns2-fair-compound"):
        assert outcome_of(key, surface_run(simulation=0.97), "simulation") == REPRODUCED
        assert outcome_of(key, surface_run(simulation=one), "simulation") == CONTRADICTED
    low = surface_run(simulation=lambda c, r, b: 0.8 if b < 0.3 else 0.97)
    assert outcome_of("ns2-fair", low, "simulation") == CONTRADICTED
    assert outcome_of("ns2-fair-compound", low, "simulation") == REPRODUCED


def test_flow_2_is_ahead_by_its_throughput():
    assert outcome_of("ahead-of-newreno", surface_run(flow2=6e7)) == REPRODUCED
    assert outcome_of("ahead-of-newreno", surface_run(flow2=4e7)) == CONTRADICTED
    assert outcome_of("ahead-of-newreno", surface_run(flow2=0.0)) == CONTRADICTED


ABOUT_VARIANTS = [case[:2] for case in ON_TESTBED if callable(case[1]) or case[0] == "differ"]


@pytest.mark.parametrize(("key", "yes"), ABOUT_VARIANTS, ids=[case[0] for case in ABOUT_VARIANTS])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(key, yes):
    """What is seen of two NewReno flows as well says nothing of the variants."""
    value = yes if callable(yes) else lambda c, r, b: yes
    same = judged(surface_run(lambda c, r, b: value("newreno-bic", r, b))).filter(
        claim=key, subject="testbed"
    )
    if same["null_n"].max() == 0 or "" in same["case"]:
        return  # the sentence is not about a variant and NewReno
    assert set(same["outcome"]) == {INCONCLUSIVE}
    assert same["reason"].str.contains("null control").all()


def test_noise_alone_is_no_difference():
    """Repeats of the testbed that differ by as much as the platforms do."""
    runs = surface_run(spread=0.2)
    assert outcome_of("differ", runs) != REPRODUCED
    assert outcome_of("newreno-disagrees", runs) != REPRODUCED


def test_cells_that_are_uncontested_on_a_side_have_no_say():
    runs = surface_run(lambda c, r, b: 0.6 if r == 0.4 else 0.8)
    calm = (pl.col("part") == "testbed") & (pl.col("base_rtt_s") == 0.4)
    found = judged(runs.with_columns(contested=~calm)).filter(claim="differ")
    assert found["outcome"].item() == CONTRADICTED
    assert "12 uncontested left out" in found["reason"].item()
    assert judged(runs).filter(claim="differ")["estimate"].item() > 0.03


def test_a_sentence_on_a_platform_is_judged_on_it_alone():
    found = judged(surface_run())
    assert set(found.filter(claim="ns2-fair")["subject"]) == {"simulation"}
    assert set(found.filter(claim="poor-fairness")["subject"]) == {"testbed"}
    assert set(found.filter(claim="differ")["subject"]) == {"testbed"}


# a window of 1200 packets fills path and buffer at 25 to 100 ms, but for 100 ms and 60 and 100 %
SOME_CALM = (pl.col("part") == "testbed") & (pl.col("base_rtt_s") == 0.4)


def by_case(runs, key, **more):
    found = judged(runs, **more).filter(claim=key, subject="testbed")
    return dict(found.select("case", "outcome").rows())


def test_agreement_is_of_the_cells_in_which_no_window_can_bind():
    far = surface_run(lambda c, r, b: 0.6 if r >= 0.2 or (r == 0.1 and b > 0.3) else 0.8)
    far = far.with_columns(contested=~SOME_CALM)
    assert set(by_case(far, "free-agree").values()) == {REPRODUCED}
    assert set(by_case(far, "bound-differ").values()) == {REPRODUCED}
    near = surface_run(lambda c, r, b: bic(c, 0.6, 0.8) if r < 0.2 and (r, b) != (0.1, 1) else 0.8)
    near = near.with_columns(contested=~SOME_CALM)
    assert by_case(near, "free-agree")["BIC"] == CONTRADICTED
    assert by_case(near, "free-agree")["CUBIC"] == REPRODUCED
    assert by_case(near, "bound-differ")["CUBIC"] == CONTRADICTED
    assert judged(near).filter(claim="free-agree")["reason"].str.contains("^7 cells").all()


def test_where_windows_never_bind_all_cells_agree_or_not():
    free = surface_run()
    assert set(by_case(free, "free-agree").values()) == {REPRODUCED}
    assert judged(free).filter(claim="free-agree")["reason"].str.contains("^15 cells").all()
    assert by_case(free, "bound-differ") == {}


def test_two_runs_a_cell_do_not_tell_whether_platforms_agree():
    assert set(by_case(surface_run(n=2), "free-agree").values()) == {INCONCLUSIVE}


def test_free_windows_remove_a_gap_or_do_not():
    free = surface_run()
    bound = surface_run(of_variants(lambda c, r, b: 0.6)).filter(part="testbed")
    assert by_case(free, "window-gap", bound=bound) == {"BIC": REPRODUCED, "CUBIC": REPRODUCED}
    same = surface_run(spread=2 * SPREAD).filter(part="testbed")
    assert set(by_case(free, "window-gap", bound=same).values()) == {CONTRADICTED}
    # windows that may bind: not a subject of this claim
    assert by_case(free.with_columns(contested=~SOME_CALM), "window-gap", bound=bound) == {}
    # what NewReno gains next to itself is none of the variants'
    all_of = surface_run(0.6).filter(part="testbed")
    assert set(by_case(free, "window-gap", bound=all_of).values()) == {INCONCLUSIVE}


def test_every_claim_is_tested_here_or_can_never_be():
    found = judged(surface_run())
    keys = {claim.key for claim in claims.claims_of(PARAMETERS["readings"], surface_run())}
    more = {"regions-similar", "ns2-fair", "ns2-fair-compound", "ahead-of-newreno"}
    more |= {"free-agree", "bound-differ", "window-gap"}
    never = set(found.filter(outcome=NOT_TESTABLE)["claim"])
    assert never == {"order"}
    assert keys == {case[0] for case in ON_TESTBED} | more | never


def test_every_claim_names_a_figure_of_the_report():
    named = set(re.findall(r"@(fig-[\w-]+)", tables.claims(judged(surface_run()))))
    text = (FOLDER / "index.qmd").read_text(encoding="utf-8")
    assert len(named) > 1
    assert {name for name in named if f"{{#{name} " not in text} == set()


def test_no_finding_of_the_text_waits_for_runs_of_a_campaign():
    """Of a testbed whose grid still grows the text prints the outcome; it is not bound to one."""
    text = (FOLDER / "index.qmd").read_text(encoding="utf-8")
    marks = re.findall(r"\{\.finding ([^}]*)\}", text)
    subjects = [re.search(r' on="(\w+)"', mark) for mark in marks]
    assert len(marks) > 20
    assert {found and found[1] for found in subjects} <= COMPLETE
