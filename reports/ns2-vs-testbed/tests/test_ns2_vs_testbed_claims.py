"""The claims: each on planted runs for which it is true, false and undecided."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from evenflow.claims.judge import NULL_MOVES, outcomes
from evenflow.claims.sentences import claims_of
from evenflow.papers.make import load
from evenflow.schema import read_document
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

from ..._grid.surfaces import NULL, subjects_of
from ..._grid.tcp_windows import FLOWS

FOLDER = Path(__file__).parents[1]
claims, tables = load(FOLDER / "claims.py"), load(FOLDER / "tables.py")
SAID = read_document(FOLDER / "claims.yml")
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)  # the second of PARAMETERS["grids"]
VARIANTS = ("newreno", "bic", "cubic", "compound")
SPREAD = 0.002
FLOW1, FLOW2 = FLOWS
WRONG = {CONTRADICTED, NO_EFFECT, OPPOSITE, MIXED}  # decided otherwise
SIZES = {"regions-similar", "agree-high", "agree-low-rtt"}  # no statistics
SIDES = {"testbed": "testbed", "simulation": "ns2"}
# all cells of claims have the runs that are planned
COMPLETE = {"testbed", "testbed_alternative", "simulation", "open"}


def surface_run(testbed=0.8, simulation=0.8, flow2=4e7, spread=SPREAD, n=3) -> pl.DataFrame:
    """Runs of every cell and repeat on both platforms, an index of value(ccas, rtt_s, buffer)."""
    random = np.random.default_rng(1)
    rows = []
    for part, value in (("testbed", testbed), ("simulation", simulation)):
        for cca in VARIANTS:
            for r in RTTS:
                for b in BUFFERS:
                    for repeat in range(1, n + 1):
                        ccas = f"newreno-{cca}"
                        jfi = value(ccas, r, b) if callable(value) else value
                        row = {"part": part, "role": "comparison", "ccas": ccas, "base_rtt_s": r}
                        row |= {"buffer_bdp": b, "repeat": repeat, "contested": True}
                        row |= {"window": 1200.0, "capacity": 10_000.0 * r * (1 + b)}
                        row |= {"run_id": f"{part}/{ccas}/{r}/{b}/{repeat}"}
                        row |= dict.fromkeys(("level_db_flow1", "level_db_flow2"), 70.0)
                        row |= {"jfi": jfi + spread * random.standard_normal()}
                        noise = 1 + spread * random.standard_normal(2)
                        carried = 4e7 if ccas == NULL else flow2
                        rows.append(row | {FLOW1: 4e7 * noise[0], FLOW2: carried * noise[1]})
    return pl.DataFrame(rows)


def judged(runs, key=None):
    return judge_of(
        subjects_of(runs, SIDES, PARAMETERS["grids"][-1], simulation=claims.SIMULATION), key
    )


def judge_of(subjects, key=None):
    found = [
        c for c in claims_of(SAID, PARAMETERS["readings"], vars(claims)) if key in (None, c.key)
    ]
    return claims.judge("p", found, subjects, confidence=0.95, fdr=0.05)


def outcome_of(key, runs, subject="testbed"):
    return outcomes(judged(runs, key)).filter(subject=subject)["outcome"].item()


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
    ("newreno-disagrees", 0.6, 0.8),
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
def test_a_claim_is_reproduced_wrong_or_not_judged(key, yes, no):
    assert outcome_of(key, surface_run(yes)) == REPRODUCED
    assert outcome_of(key, surface_run(no, spread=SPREAD / 4)) in WRONG
    assert outcome_of(key, surface_run(yes, n=1)) == NOT_JUDGED


@pytest.mark.parametrize("key", sorted(SIZES))
def test_no_verdict_rests_on_a_size(key):
    assert outcome_of(key, surface_run(0.6)) == NOT_JUDGED


def test_ns2_is_fair_only_if_every_cell_is():
    one = lambda c, r, b: 0.8 if (r, b) == (0.1, 0.6) else 0.97  # noqa: E731
    for key in ("ns2-fair", "ns2-fair-compound"):
        assert outcome_of(key, surface_run(simulation=0.97), "simulation") == REPRODUCED
        assert outcome_of(key, surface_run(simulation=one), "simulation") in WRONG
    low = surface_run(simulation=lambda c, r, b: 0.8 if b < 0.3 else 0.97)
    assert outcome_of("ns2-fair", low, "simulation") in WRONG
    assert outcome_of("ns2-fair-compound", low, "simulation") == REPRODUCED


def test_flow_2_is_ahead_by_its_throughput():
    assert outcome_of("ahead-of-newreno", surface_run(flow2=6e7)) == REPRODUCED
    assert outcome_of("ahead-of-newreno", surface_run(flow2=4e7)) == NO_EFFECT
    assert outcome_of("ahead-of-newreno", surface_run(flow2=0.0)) == OPPOSITE


ABOUT_VARIANTS = [case[:2] for case in ON_TESTBED if callable(case[1]) or case[0] == "differ"]


@pytest.mark.parametrize(("key", "yes"), ABOUT_VARIANTS, ids=[case[0] for case in ABOUT_VARIANTS])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(key, yes):
    """What is seen of two NewReno flows as well says nothing of the variants."""
    value = yes if callable(yes) else lambda c, r, b: yes
    same = judged(surface_run(lambda c, r, b: value("newreno-bic", r, b)), key)
    same = same.filter(subject="testbed")
    if same["null_estimate"].is_null().all():
        return  # the sentence has no control
    assert set(same["outcome"]) == {INCONCLUSIVE}
    if key != "buffer-both-ways":  # of several parts
        assert set(same["why"]) == {NULL_MOVES}


def test_noise_alone_is_no_difference():
    """Repeats of the testbed that differ by as much as the platforms do."""
    runs = surface_run(spread=0.2)
    assert outcome_of("differ", runs) != REPRODUCED
    assert outcome_of("newreno-disagrees", runs) != REPRODUCED


def test_cells_that_are_uncontested_on_a_side_have_no_say():
    runs = surface_run(lambda c, r, b: 0.6 if r == 0.4 else 0.8)
    calm = (pl.col("part") == "testbed") & (pl.col("base_rtt_s") == 0.4)
    found = judged(runs.with_columns(contested=~calm), "differ")
    assert found["outcome"].item() == NO_EFFECT
    assert found["note"].item() == "3 uncontested cells left out"
    assert judged(runs, "differ")["outcome"].item() == REPRODUCED


def test_a_sentence_on_a_platform_is_judged_on_it_alone():
    found = judged(surface_run())
    assert set(found.filter(claim="ns2-fair")["subject"]) == {"simulation"}
    assert set(found.filter(claim="poor-fairness")["subject"]) == {"testbed"}
    assert set(found.filter(claim="differ")["subject"]) == {"testbed"}


# a window of 1200 packets fills path and buffer at 25 to 100 ms, but for 100 ms and 60 and 100 %
SOME_CALM = (pl.col("part") == "testbed") & (pl.col("base_rtt_s") == 0.4)


def by_case(runs, key):
    found = judged(runs, key).filter(subject="testbed")
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
    assert by_case(near, "bound-differ")["CUBIC"] == NO_EFFECT
    assert set(judged(near, "free-agree")["of"]) == {7}


def test_where_windows_never_bind_all_cells_agree_or_not():
    free = surface_run()
    assert set(by_case(free, "free-agree").values()) == {REPRODUCED}
    assert set(judged(free, "free-agree")["of"]) == {15}
    assert by_case(free, "bound-differ") == {}


def test_most_cells_must_agree_and_how_many_do_is_said():
    one = surface_run(lambda c, r, b: 0.6 if (r, b) == (0.4, 1.0) else 0.8)
    found = judged(one, "free-agree").filter(case="BIC").row(0, named=True)
    assert (found["outcome"], found["holds"], found["of"]) == (REPRODUCED, 14, 15)


@pytest.mark.parametrize(("factor", "outcome"), [(1.0, REPRODUCED), (2.0, CONTRADICTED)])
def test_newrenos_throughput_is_the_same_at_every_rtt_or_not(factor, outcome):
    """What an index near one half cannot see."""
    runs = surface_run()
    there = pl.col("part") == "simulation"
    moved = pl.when(there).then(factor * pl.col(FLOW1)).otherwise(FLOW1)
    runs = runs.with_columns(moved.alias(FLOW1))
    found = judged(runs, "free-throughput").filter(subject="testbed")
    assert set(found["outcome"]) == {outcome} and set(found["of"]) == {5}
    assert found["estimate"].to_list() == pytest.approx([factor] * 4, rel=0.01)


@pytest.mark.parametrize(("factor", "outcome"), [(1.0, REPRODUCED), (2.0, CONTRADICTED)])
@pytest.mark.parametrize(
    ("key", "part", "platform", "longer"),
    [
        ("half-hour", "simulation", "ns2", "long"),
        ("half-hour-testbed", "open", "testbed", "long_open"),
    ],
)
def test_what_newreno_gets_soon_is_what_it_gets_in_half_an_hour_or_not(
    key, part, platform, longer, factor, outcome
):
    short = (
        surface_run(n=5)
        .filter(part="simulation")
        .with_columns(part=pl.lit(part), unsteady=True, n_planned=5)
    )
    long = half_an_hour(short, factor).with_columns(part=pl.lit(longer))
    subjects = subjects_of(short, {part: platform}, PARAMETERS["grids"][-1])
    subjects[part] = replace(subjects[part], again={longer: long})
    found = judge_of(subjects, key)
    assert set(found["outcome"]) == {outcome} and set(found["of"]) == {2}
    assert found["estimate"].to_list() == pytest.approx([factor] * 4, rel=0.01)
    assert set(found["n"]) == {3} and not found["provisional"].any()
    assert not found["transient"].any() and set(found["note"]) == {""}


def half_an_hour(short: pl.DataFrame, factor: float) -> pl.DataFrame:
    """Three runs of each cell at long RTTs, in which NewReno has so many times less."""
    return short.filter((pl.col("base_rtt_s") > 0.1) & (pl.col("repeat") < 4)).with_columns(
        pl.col(FLOW1) / factor, n_planned=3
    )


@pytest.mark.parametrize(("factor", "outcome"), [(1.0, REPRODUCED), (2.0, CONTRADICTED)])
def test_what_newreno_gets_in_half_an_hour_is_the_same_on_both_platforms_or_not(factor, outcome):
    runs = surface_run(n=3).with_columns(part=pl.col("part").replace("testbed", "open"))
    again = {
        "long": half_an_hour(runs.filter(part="simulation"), 1),
        "long_open": half_an_hour(runs.filter(part="simulation"), factor),
    }
    again = {part: of.with_columns(part=pl.lit(part)) for part, of in again.items()}
    sides = {"open": "testbed", "simulation": "ns2"}
    subjects = subjects_of(runs, sides, PARAMETERS["grids"][-1], simulation="simulation")
    subjects["open"] = replace(subjects["open"], again=again)
    found = judge_of(subjects, "half-hour-agrees")
    assert set(found["subject"]) == {"open"} and set(found["of"]) == {2}
    assert set(found["outcome"]) == {outcome}
    assert found["estimate"].to_list() == pytest.approx([factor] * 4, rel=0.01)


@pytest.mark.parametrize(
    ("key", "factor", "outcome"),
    [
        ("cubic-parts-agree", 2.0, REPRODUCED),  # as shipped NewReno has half of it in ns-2
        ("cubic-parts-agree", 1.0, CONTRADICTED),
        ("cubic-parts-matter", 1.0, REPRODUCED),
        ("cubic-parts-matter", 2.0, CONTRADICTED),
    ],
)
def test_a_part_of_cubic_makes_the_difference_or_not(key, factor, outcome):
    runs = surface_run().with_columns(part=pl.col("part").replace("testbed", "open"), n_planned=3)
    there = pl.col("part") == "simulation"
    runs = runs.with_columns(pl.when(there).then(pl.col(FLOW1) / 2).otherwise(FLOW1).alias(FLOW1))
    cubic = runs.filter(part="open", ccas="newreno-cubic").with_columns(part=pl.lit("cubic"))
    again = {
        what: cubic.with_columns(pl.col(FLOW1) / (1 if what == "beta819" else factor))
        for what in ("no-hystart", "beta819")
    }
    sides = {"open": "testbed", "simulation": "ns2"}
    subjects = subjects_of(runs, sides, PARAMETERS["grids"][-1], simulation="simulation")
    subjects["open"] = replace(subjects["open"], again=again)
    found = judge_of(subjects, key)
    assert set(found["subject"]) == {"open"} and set(found["of"]) == {5}
    of = dict(found.select("case", "outcome").rows())
    unchanged = CONTRADICTED if key == "cubic-parts-agree" else REPRODUCED
    assert of == {"without HyStart": outcome, "819/1024 kept at a loss": unchanged}


@pytest.mark.parametrize(
    ("key", "factor", "outcome"),
    [
        ("old-code-agrees", 2.0, REPRODUCED),  # as shipped NewReno has half of it in ns-2
        ("old-code-agrees", 1.0, CONTRADICTED),
        ("old-code-is-the-same", 1.0, REPRODUCED),
        ("old-code-is-the-same", 2.0, CONTRADICTED),
        ("delayed-acks-agree", 2.0, CONTRADICTED),  # with delayed ACKs it has all of it in ns-2
        ("delayed-acks-agree", 1.0, REPRODUCED),
    ],
)
def test_code_of_the_same_time_makes_the_platforms_agree_or_not(key, factor, outcome):
    runs = surface_run().with_columns(part=pl.col("part").replace("testbed", "open"), n_planned=3)
    there = pl.col("part") == "simulation"
    runs = runs.with_columns(pl.when(there).then(pl.col(FLOW1) / 2).otherwise(FLOW1).alias(FLOW1))
    old = runs.filter(part="open").with_columns(pl.col(FLOW1) / factor, part=pl.lit("old"))
    sides = {"open": "testbed", "simulation": "ns2"}
    subjects = subjects_of(runs, sides, PARAMETERS["grids"][-1], simulation="simulation")
    delayed = runs.filter(part="simulation").with_columns(pl.col(FLOW1) * 2, part=pl.lit("delayed"))
    subjects["open"] = replace(subjects["open"], again={"old": old, "delayed": delayed})
    found = judge_of(subjects, key)
    assert set(found["subject"]) == {"open"} and set(found["of"]) == {5}
    assert dict(found.select("case", "outcome").rows()) == {"BIC": outcome, "CUBIC": outcome}


@pytest.mark.parametrize(("factor", "outcome"), [(1.0, REPRODUCED), (2.0, CONTRADICTED)])
def test_delayed_acks_change_what_newreno_gets_in_ns2_or_not(factor, outcome):
    runs = surface_run().with_columns(part=pl.col("part").replace("testbed", "open"), n_planned=3)
    delayed = runs.filter(part="simulation")
    delayed = delayed.with_columns(pl.col(FLOW1) / factor, part=pl.lit("delayed"))
    sides = {"open": "testbed", "simulation": "ns2"}
    subjects = subjects_of(runs, sides, PARAMETERS["grids"][-1])
    again = {"delayed": delayed}  # the testbed has them, too, for another claim
    subjects = {name: replace(subject, again=again) for name, subject in subjects.items()}
    found = judge_of(subjects, "delayed-acks-matter")
    assert set(found["subject"]) == {"simulation"} and set(found["outcome"]) == {outcome}
    assert found["estimate"].to_list() == pytest.approx([factor] * 4, rel=0.01)


def test_every_claim_is_tested_here_or_can_never_be():
    found = judged(surface_run())
    keys = set(SAID)
    more = SIZES | {"ns2-fair", "ns2-fair-compound", "ahead-of-newreno"}
    more |= {"free-agree", "bound-differ", "free-throughput"}
    more |= {"half-hour", "half-hour-testbed", "half-hour-agrees"}
    more |= {"cubic-parts-agree", "cubic-parts-matter", "old-code-agrees", "old-code-is-the-same"}
    more |= {"delayed-acks-agree", "delayed-acks-matter"}
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
