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
from polars.testing import assert_frame_equal

from ..._grid.surfaces import NULL, subjects_of

FOLDER = Path(__file__).parents[1]
claims, tables = load(FOLDER / "claims.py"), load(FOLDER / "tables.py")
SAID = read_document(FOLDER / "claims.yml")
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)  # the second of PARAMETERS["grids"]
VARIANTS = ("newreno", "bic", "cubic", "compound")
PAIRS = [
    *(("comparison", f"newreno-{cca}") for cca in VARIANTS),
    *(("calibration", f"{cca}-{cca}") for cca in VARIANTS),
]
SPREAD = 0.005  # of a value over repeats, as a share of one dB or of the throughput
NRU1, NRU2, FLOW1, FLOW2 = (
    "level_db_flow1",
    "level_db_flow2",
    "mean_throughput_bps_flow1",
    "mean_throughput_bps_flow2",
)
SYSTEM = "both"  # of the levels
PEAKS = "peaks"  # flow 2's NRU where its throughput in self-fairness has peaks and troughs
WEIGHT_DB = 10 * np.log10(4e7)  # flow 2's throughput in self-fairness: a level of it is 0 dB
PLAIN = {NRU1: 0.0, NRU2: 0.0, FLOW1: 4e7, FLOW2: 4e7}
WRONG = {CONTRADICTED, NO_EFFECT, OPPOSITE, MIXED}  # decided otherwise
# all cells of claims have the runs that are planned
COMPLETE = {"testbed", "testbed_alternative", "open", "droptail", "fq_codel", "cake", "pie"}


def surface_run(values=None, spread=SPREAD, n=3, pairs=PAIRS, **columns):
    """Runs of every cell and repeat: {column: value, or value(ccas, rtt_s, buffer_bdp)}."""
    random = np.random.default_rng(1)
    rows = []
    for role, ccas in pairs:
        for r in RTTS:
            for b in BUFFERS:
                for repeat in range(1, n + 1):
                    cell = {"part": "testbed", "role": role, "ccas": ccas, "base_rtt_s": r}
                    cell |= {
                        "buffer_bdp": b,
                        "repeat": repeat,
                        "run_id": f"{role}/{ccas}/{len(rows)}",
                    }
                    cell |= {"dropped": 9, "contested": True, "jfi": 0.9, "utilisation": 0.9}
                    cell |= {"window": 5000.0, "capacity": 1.0}  # no window binds
                    values = dict(values or {})
                    if SYSTEM in values:
                        values |= dict.fromkeys((NRU1, NRU2), values.pop(SYSTEM))
                    if PEAKS in values:
                        values |= on_peaks(values.pop(PEAKS))
                    for name, plain in (PLAIN | values).items():
                        value = float(plain(ccas, r, b) if callable(plain) else plain)
                        noise = spread * random.standard_normal()
                        level = WEIGHT_DB if "level" in name else 0.0
                        cell[name] = value * (1 + noise) if "bps" in name else value + level + noise
                    rows.append(cell | columns)
    return pl.DataFrame(rows)


def on_peaks(nru):
    """Throughput that is 6 dB lower at the smallest buffer, and levels that have this NRU there."""

    def peak_db(b):
        return -6.0 if b < 0.5 else 0.0

    return {
        FLOW2: lambda ccas, r, b: 4e7 * 10 ** (peak_db(b) / 10),
        NRU2: lambda ccas, r, b: peak_db(b) + nru(ccas, r, b),
    }


def judged(runs, swapped=None, key=None):
    subjects = subjects_of(runs, {"testbed": "testbed"}, PARAMETERS["grids"][-1])
    subjects["testbed"] = replace(subjects["testbed"], against=swapped)
    found = claims_of(SAID, PARAMETERS["readings"], vars(claims))
    found = [claim for claim in found if key in (None, claim.key) and not claim.subjects]
    return claims.judge("p", found, subjects, confidence=0.95, fdr=0.05)


def outcome_of(key, runs, swapped=None):
    found = outcomes(judged(runs, swapped, key))
    return found.filter(claim=key)["outcome"].item()


def of_variants(value):
    """The value for pairings with a variant, zero for NewReno against NewReno."""
    return lambda ccas, r, b: 0.0 if ccas == NULL else value(ccas, r, b)


def always(value):
    return of_variants(lambda ccas, r, b: value)


def high(r):
    return r >= 0.15


NO_STATISTIC = {"self-alike": ("min", "max")}  # cases: an end of a range over cells is none
DEPENDS = lambda r, b: np.log2(r) + np.log2(b)  # noqa: E731
# claim, column, what makes it true, what makes it false
CASES = [
    ("depends-on-both", SYSTEM, of_variants(lambda c, r, b: DEPENDS(r, b)),
     of_variants(lambda c, r, b: np.log2(r))),
    ("inconsistent", NRU2, of_variants(lambda c, r, b: 1 if r < 0.15 else -1), always(1)),
    ("more-than-alike", NRU2, always(1), always(0)),
    ("newreno-pays", NRU1, always(-1), always(0)),
    ("low-rtt-less", NRU2, of_variants(lambda c, r, b: -1 if r <= 0.05 else 3),
     of_variants(lambda c, r, b: 1 if r <= 0.05 else -3)),
    ("fairer-with-buffer", SYSTEM, of_variants(lambda c, r, b: b), always(1)),
    ("fairer-with-rtt", SYSTEM, of_variants(lambda c, r, b: 3 * r), of_variants(lambda c, r, b: b)),
    ("fairer-with-bdp", SYSTEM, of_variants(lambda c, r, b: r + b), always(1)),
    ("self-range", FLOW2, lambda c, r, b: 1e6 / r, 4e7),
    ("self-high-rtt", FLOW2, lambda c, r, b: 1e6 / r, lambda c, r, b: 1e6 * r),
    ("self-buffer-low-rtt", FLOW2, lambda c, r, b: 1e7 if high(r) else 1e7 * b,
     lambda c, r, b: 1e7 * b if high(r) else 1e7),
    ("self-buffer-high-rtt", FLOW2, lambda c, r, b: 1e7 if high(r) else 1e7 * b,
     lambda c, r, b: 1e7 * b if high(r) else 1e7),
    ("self-alike", FLOW2, 4e7, lambda c, r, b: 2e7 if c == "bic-bic" else 4e7),
    ("self-shape", FLOW2, lambda c, r, b: 1e7 * (r + b),
     lambda c, r, b: 1e7 * (r if c == "bic-bic" else b)),
    ("self-low-buffer", FLOW2, lambda c, r, b: 1e7 * b, 4e7),
    ("regular-troughs", FLOW2, lambda c, r, b: 1e7 * b,
     lambda c, r, b: 1e7 * b if high(r) else 4e7),
    ("free-falls-with-rtt", SYSTEM, of_variants(lambda c, r, b: -3 * r), always(-1)),
    ("flow-1-first", FLOW2, 3e7, 4e7),
    ("flow-1-low-buffer", FLOW2, lambda c, r, b: 1e7 * b, 4e7),
    ("half-the-time", FLOW2, lambda c, r, b: 5e7 if (r < 0.06) == (b < 0.9) else 3e7, 3e7),
    ("flat-nru", PEAKS, lambda c, r, b: 0, lambda c, r, b: 30 * r),
    ("newreno-fair", NRU2, 0.2, 1),
    ("newreno-flat", NRU2, 0, lambda c, r, b: 9 * r),
    ("newreno-fair-cells", SYSTEM, 0.1, 1),
    ("nru-alike", NRU2, always(1), lambda c, r, b: 2 if c == "newreno-bic" else 0),
    ("low-rtt-all-buffers", NRU2, of_variants(lambda c, r, b: -1 if r < 0.03 else 3),
     of_variants(lambda c, r, b: 1 - 2 * b if r < 0.03 else -3)),
    ("more-from-50-ms", NRU2, of_variants(lambda c, r, b: -9 if r < 0.03 else 1),
     of_variants(lambda c, r, b: 9 if r < 0.03 else 0)),
    ("unfair-system", SYSTEM, always(-1), always(0)),
]  # fmt: skip


@pytest.mark.parametrize(("key", "column", "yes", "no"), CASES, ids=[case[0] for case in CASES])
def test_a_claim_is_reproduced_wrong_or_not_judged(key, column, yes, no):
    n = 6 if key == "half-the-time" else 3
    found = judged(varied(surface_run({column: yes}, n=n), key), key=key)
    tells = ~pl.col("case").is_in(NO_STATISTIC.get(key, ()))
    assert set(outcomes(found.filter(tells))["outcome"]) == {REPRODUCED}
    assert set(found.filter(~tells)["outcome"]) <= {NOT_JUDGED}
    assert outcome_of(key, varied(surface_run({column: no}), key)) in WRONG
    alone = judged(surface_run({column: yes}, n=1), key=key)["outcome"]
    assert set(alone) == {NOT_JUDGED}


def test_a_sentence_of_which_a_part_is_not_judged_is_not_reproduced():
    """Of least, mean and largest throughputs that are alike only the mean can be judged."""
    found = judged(surface_run({FLOW2: 4e7}), key="self-alike")
    said = dict(found.select("case", "outcome").rows())
    assert said == {"mean": REPRODUCED, "min": NOT_JUDGED, "max": NOT_JUDGED}
    assert outcomes(found)["outcome"].item() == INCONCLUSIVE


def varied(runs, key):
    """Give a share of cells, else the same in every repeat, some spread: one cell is otherwise."""
    if key != "half-the-time":
        return runs
    one = (pl.col("repeat") == 2) & (pl.col("base_rtt_s") == 0.4) & (pl.col("buffer_bdp") == 0.6)
    return runs.with_columns(pl.when(one).then(4.5e7).otherwise(pl.col(FLOW2)).alias(FLOW2))


def test_every_claim_has_a_case_or_can_never_be_tested():
    found = judged(surface_run())
    never = set(found.filter(outcome=NOT_TESTABLE)["claim"])
    keys = {key for key, about in SAID.items() if "subjects" not in about}
    sizes = {"fairer-flow-with-rtt"}  # a mean of sizes
    assert set(found.filter(claim="fairer-flow-with-rtt")["outcome"]) == {NOT_JUDGED}
    assert keys == {case[0] for case in CASES} | never | sizes | {"order"}
    assert never == {"many-flows", "flow-1-queue"}


@pytest.mark.parametrize(("key", "column", "yes"), [case[:3] for case in CASES])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(key, column, yes):
    """What is seen of two NewReno flows as well says nothing of the variants."""
    found = judged(surface_run({column: yes}), key=key)
    if found.filter(claim=key)["null_estimate"].is_null().all():
        return  # the sentence is not about a variant and NewReno
    bic = pl.col("case").str.starts_with("BIC")
    assert set(found.filter(bic, claim=key)["outcome"]) == {REPRODUCED}
    variant = surface_run({column: yes}).filter(role="comparison", ccas="newreno-bic")
    null = (pl.col("role") == "comparison") & (pl.col("ccas") == NULL)
    others = surface_run({column: yes}).filter(~null)  # NewReno's calibration is its weight
    same = judged(pl.concat([others, variant.with_columns(ccas=pl.lit(NULL))]), key=key)
    said = same.filter(bic, claim=key)
    assert set(said["outcome"]) == {INCONCLUSIVE}
    if key not in ("low-rtt-all-buffers", "inconsistent", "depends-on-both"):  # of several parts
        assert set(said["why"]) == {NULL_MOVES}


def test_uncontested_cells_have_no_say():
    """Where nothing was lost NewReno gets nothing, elsewhere its share."""
    runs = surface_run({NRU1: of_variants(lambda c, r, b: -20 if r == 0.4 else 0.0)})
    assert outcome_of("newreno-pays", runs) == REPRODUCED
    calm = runs.with_columns(contested=pl.col("base_rtt_s") < 0.4)
    found = judged(calm, key="newreno-pays").filter(case="BIC")
    assert found["outcome"].item() == NO_EFFECT
    assert found["note"].item() == "3 uncontested cells left out"


def test_what_is_contested_is_decided_for_the_sentence():
    """A cell that is uncontested of one variant has no say for the others, nor for the null."""
    runs = surface_run({NRU1: of_variants(lambda c, r, b: -20 if r == 0.4 else -1)})
    calm = (pl.col("ccas") == "newreno-compound") & (pl.col("base_rtt_s") == 0.4)
    found = judged(runs.with_columns(contested=~calm), key="newreno-pays")
    assert found["estimate"].to_list() == pytest.approx([-1] * 3, abs=0.05)
    assert set(found["note"]) == {"3 uncontested cells left out"}


def test_a_cell_with_fewer_runs_counts_and_one_without_any_is_named():
    runs = surface_run({NRU2: always(1)})
    last = (pl.col("base_rtt_s") == 0.4) & (pl.col("buffer_bdp") == 1)
    key = "more-than-alike"
    found = judged(runs.filter(~last | (pl.col("repeat") != 2)), key=key)
    row = found.filter(case="BIC").row(0, named=True)
    assert (row["n"], row["n_most"], row["outcome"], row["provisional"]) == (2, 3, REPRODUCED, True)
    bic = pl.col("ccas") == "newreno-bic"
    row = (
        judged(runs.filter(~(last & bic)))
        .filter(claim="more-than-alike", case="BIC")
        .row(0, named=True)
    )
    assert (row["outcome"], row["lacking"]) == (NOT_JUDGED, "newreno-bic at 400 ms, 100 %")


@pytest.mark.thorough
def test_relabelled_repeats_change_no_outcome():
    """The second referee's check, on runs with spread."""
    runs = surface_run({SYSTEM: of_variants(lambda c, r, b: b)}, spread=0.3)
    random = np.random.default_rng(7)
    shuffled = runs.with_columns(repeat=pl.Series(random.permutation(len(runs)) + 1))
    columns = ["claim", "case", "outcome", "estimate", "low", "high"]
    one, two = judged(runs).select(columns), judged(shuffled).select(columns)
    assert_frame_equal(one, two, abs_tol=1e-6)


def swapped_run(share, n=3):
    """Runs in which the variant is flow 1, with a share of the throughput."""
    pairs = [("comparison", f"{cca}-newreno") for cca in ("bic", "cubic")]
    return surface_run({FLOW1: 1e8 * share, FLOW2: 1e8 * (1 - share)}, n=n, pairs=pairs)


def test_the_order_of_the_flows_moves_a_share_or_not():
    runs = surface_run({FLOW1: 5e7, FLOW2: 5e7})
    assert outcome_of("order", runs, swapped_run(0.7)) == REPRODUCED
    assert outcome_of("order", runs, swapped_run(0.5)) == NO_EFFECT
    found = judged(runs, swapped_run(0.7, n=1), key="order")
    assert set(found["outcome"]) == {NOT_JUDGED}
    assert abs(found["estimate"][0]) == pytest.approx(0.2, abs=0.01)
    assert judged(runs, key="order").is_empty()  # a data set without runs of the other order


def test_the_order_of_the_flows_is_judged_in_the_cells_of_both_orders():
    runs = surface_run({FLOW1: 5e7, FLOW2: 5e7})
    some = swapped_run(0.7).filter(pl.col("base_rtt_s") == 0.1)
    found = judged(runs, some, key="order")
    assert set(found["of"]) == {3}  # the buffers of the grid


def test_a_flow_that_carried_nothing_has_a_place():
    found = judged(
        surface_run({FLOW2: lambda c, r, b: 0.0 if r == 0.4 else 4e7}), key="self-high-rtt"
    )
    assert found.filter(claim="self-high-rtt")["estimate"].item() < 0.05


def test_every_claim_names_a_figure_of_the_report():
    printed = tables.claims(judged(surface_run()))
    named = set(re.findall(r"@(fig-[\w-]+)", printed))
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
