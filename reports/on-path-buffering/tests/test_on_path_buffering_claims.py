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
from evenflow.statistics.outcomes import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
)

FOLDER = Path(__file__).parents[1]
claims, tables = load(FOLDER / "claims.py"), load(FOLDER / "tables.py")
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)  # the second of PARAMETERS["grids"]
PAIRS = [
    *(("comparison", f"newreno-{cca}") for cca in claims.ALL),
    *(("calibration", f"{cca}-{cca}") for cca in claims.ALL),
]
SPREAD = 0.005  # of a value over repeats, as a share of one dB or of the throughput
PLAIN = {
    "flow_nru_db_flow1": 0.0,
    "flow_nru_db_flow2": 0.0,
    "system_nru_db": 0.0,
    "mean_throughput_bps_flow1": 4e7,
    "mean_throughput_bps_flow2": 4e7,
}
NRU1, NRU2, SYSTEM, FLOW1, FLOW2 = PLAIN
COMPLETE = {"testbed", "testbed_alternative"}  # all cells of their grid were run


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
                    for name, plain in (PLAIN | (values or {})).items():
                        value = float(plain(ccas, r, b) if callable(plain) else plain)
                        noise = spread * random.standard_normal()
                        cell[name] = value * (1 + noise) if "bps" in name else value + noise
                    rows.append(cell | columns)
    return pl.DataFrame(rows)


def judged(runs, swapped=None):
    subjects = subjects_of(runs, {"testbed": "testbed"}, PARAMETERS["grids"])
    subjects["testbed"] = subjects["testbed"]._replace(against=swapped)
    found = claims.claims_of(PARAMETERS["readings"], PARAMETERS["order_grid"])
    return claims.judge("p", found, subjects, confidence=0.95, fdr=0.05)


def outcome_of(key, runs, swapped=None):
    found = outcomes(judged(runs, swapped))
    return found.filter(claim=key)["outcome"].item()


def of_variants(value):
    """The value for pairings with a variant, zero for NewReno against NewReno."""
    return lambda ccas, r, b: 0.0 if ccas == NULL else value(ccas, r, b)


def always(value):
    return of_variants(lambda ccas, r, b: value)


def high(r):
    return r >= 0.15


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
    ("flat-nru", NRU2, 0, lambda c, r, b: 9 * r),
    ("newreno-fair", NRU2, 0.2, 1),
    ("newreno-flat", NRU2, 0, lambda c, r, b: 9 * r),
    ("newreno-fair-cells", SYSTEM, 0.1, 1),
    ("nru-alike", NRU2, always(1), lambda c, r, b: 2 if c == "newreno-bic" else 0),
    ("fairer-flow-with-rtt", NRU2, of_variants(lambda c, r, b: 1 / r / 10), always(1)),
    ("low-rtt-all-buffers", NRU2, of_variants(lambda c, r, b: -1 if r < 0.03 else 3),
     of_variants(lambda c, r, b: 1 - 2 * b if r < 0.03 else -3)),
    ("more-from-50-ms", NRU2, of_variants(lambda c, r, b: -9 if r < 0.03 else 1),
     of_variants(lambda c, r, b: 9 if r < 0.03 else 0)),
    ("unfair-system", SYSTEM, always(-1), always(0)),
]  # fmt: skip


@pytest.mark.parametrize(("key", "column", "yes", "no"), CASES, ids=[case[0] for case in CASES])
def test_a_claim_is_reproduced_contradicted_or_undecided(key, column, yes, no):
    n = 6 if key == "half-the-time" else 3
    assert outcome_of(key, varied(surface_run({column: yes}, n=n), key)) == REPRODUCED
    assert outcome_of(key, varied(surface_run({column: no}), key)) == CONTRADICTED
    noisy = surface_run({column: yes}, spread=3 if "db" in column else 0.5)
    noisy = noisy.with_columns(pl.col(FLOW1, FLOW2).clip(lower_bound=1e4))
    assert outcome_of(key, noisy) in (INCONCLUSIVE, CONTRADICTED)
    assert outcome_of(key, surface_run({column: yes}, n=2)) == INCONCLUSIVE


def varied(runs, key):
    """Give a share of cells, else the same in every repeat, some spread: one cell is otherwise."""
    if key != "half-the-time":
        return runs
    one = (pl.col("repeat") == 2) & (pl.col("base_rtt_s") == 0.4) & (pl.col("buffer_bdp") == 0.6)
    return runs.with_columns(pl.when(one).then(4.5e7).otherwise(pl.col(FLOW2)).alias(FLOW2))


def test_every_claim_has_a_case_or_can_never_be_tested():
    found = judged(surface_run())
    never = set(found.filter(outcome=NOT_TESTABLE)["claim"])
    keys = {
        claim.key for claim in claims.claims_of(PARAMETERS["readings"], PARAMETERS["order_grid"])
    }
    assert keys == {case[0] for case in CASES} | never | {"order"}
    assert never == {"many-flows", "flow-1-queue"}


@pytest.mark.parametrize(("key", "column", "yes"), [case[:3] for case in CASES])
def test_newreno_against_newreno_passes_no_claim_about_a_variant(key, column, yes):
    """What is seen of two NewReno flows as well says nothing of the variants."""
    found = judged(surface_run({column: yes}))
    if found.filter(claim=key)["null_n"].max() == 0:
        return  # the sentence is not about a variant and NewReno
    bic = found.filter(claim=key, case="BIC")
    assert bic["outcome"].item() == REPRODUCED
    variant = surface_run({column: yes}).filter(role="comparison", ccas="newreno-bic")
    others = surface_run({column: yes}).filter(pl.col("ccas") != NULL)
    same = judged(pl.concat([others, variant.with_columns(ccas=pl.lit(NULL))]))
    outcome, reason = same.filter(claim=key, case="BIC").select("outcome", "reason").row(0)
    assert outcome == INCONCLUSIVE
    assert "null control" in reason


def test_uncontested_cells_have_no_say():
    """Where nothing was lost NewReno gets nothing, elsewhere its share."""
    runs = surface_run({NRU1: of_variants(lambda c, r, b: -20 if r == 0.4 else 0.0)})
    assert outcome_of("newreno-pays", runs) == REPRODUCED
    calm = runs.with_columns(contested=pl.col("base_rtt_s") < 0.4)
    found = judged(calm).filter(claim="newreno-pays", case="BIC")
    assert found["outcome"].item() == CONTRADICTED
    assert "12 cells a replicate, 3 uncontested left out" in found["reason"].item()


def test_a_replicate_that_lacks_a_cell_is_none():
    runs = surface_run({NRU2: always(1)})
    lacks = (pl.col("repeat") == 2) & (pl.col("base_rtt_s") == 0.4) & (pl.col("buffer_bdp") == 1)
    found = judged(runs.filter(~lacks)).filter(claim="more-than-alike", case="BIC")
    assert found.select("n", "outcome").row(0) == (2, INCONCLUSIVE)


def swapped_run(share, n=3):
    """Runs in which the variant is flow 1, with a share of the throughput."""
    pairs = [("comparison", f"{cca}-newreno") for cca in ("bic", "cubic")]
    return surface_run({FLOW1: 1e8 * share, FLOW2: 1e8 * (1 - share)}, n=n, pairs=pairs)


def test_the_order_of_the_flows_moves_a_share_or_not():
    runs = surface_run({FLOW1: 5e7, FLOW2: 5e7})
    assert outcome_of("order", runs, swapped_run(0.7)) == REPRODUCED
    assert outcome_of("order", runs, swapped_run(0.5)) == CONTRADICTED
    found = judged(runs, swapped_run(0.7, n=1)).filter(claim="order")
    assert set(found["outcome"]) == {INCONCLUSIVE}
    assert found["estimate"][0] == pytest.approx(0.2, abs=0.01)
    assert "order" not in judged(runs)["claim"]  # a data set without runs of the other order


def test_a_flow_that_carried_nothing_has_a_place():
    found = judged(surface_run({FLOW2: lambda c, r, b: 0.0 if r == 0.4 else 4e7}))
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
