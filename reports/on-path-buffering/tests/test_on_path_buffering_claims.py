"""The scorecard: every claim is tested on the cells that it speaks of, and says what it saw."""

import re
from pathlib import Path

import polars as pl
import pytest
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.claims import NOT_TESTABLE, judge
from evenflow.papers.make import load
from evenflow.papers.surface_tests import subjects_of

FOLDER = Path(__file__).parents[1]
claims, tables = load(FOLDER / "claims.py"), load(FOLDER / "tables.py")

KEYS = ["part", "dataset_id", "metric", "role", "ccas"]
RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)


def surface(metric, role, ccas, value, part="testbed"):
    """A surface whose cells are value(rtt_s, buffer_bdp), of five runs with a spread of 0.01."""
    return pl.DataFrame(
        [
            (part, f"data-{part}", metric, role, ccas, r, b, float(value(r, b)), 0.01, 5)
            for r in RTTS
            for b in BUFFERS
        ],
        schema=[*KEYS, "base_rtt_s", "buffer_bdp", "mean", "sd", "n"],
        orient="row",
    )


def verdict_of(sentence: str, table: pl.DataFrame) -> str:
    """Return the first data set's cell of the scorecard's row."""
    claim = judge("p", claims.CLAIMS, subjects_of(table, claims.PLATFORMS))
    return cell_of(tables.claims(claim, {part: part for part in table["part"].unique()}), sentence)


def cell_of(printed: str, sentence: str) -> str:
    rows = printed.replace(NO_BREAK_SPACE, " ").split("\n")
    (row,) = (row for row in rows if row.removeprefix("| ").startswith(sentence))
    return row.split(" | ")[2].strip(" |")


YES, NO = "**reproduced**: ", "**not reproduced**: "
UNTESTABLE = "**not testable**"
NRU, SYSTEM, FLOW2 = "flow_nru_db_flow2", "system_nru_db", "mean_throughput_bps_flow2"
NRU1 = "flow_nru_db_flow1"
VARIANTS = "BIC, CUBIC and Compound"
# start of the sentence, surface, cells for which the claim holds, cells for which not

OF_SURFACES = [
    (
        "Overall performance",
        SYSTEM,
        "newreno-bic",
        lambda r, b: r + b + r * b / 50,
        lambda r, b: r + (r * 1000 * b) % 0.17,
    ),
    (
        "The behaviour is not consistent",
        NRU,
        "newreno-bic",
        lambda r, b: r - 0.06,
        lambda r, b: 1,
    ),
    (f"{VARIANTS} get more", NRU, "newreno-bic", lambda r, b: 1, lambda r, b: -1),
    ("... at the cost", NRU1, "newreno-compound", lambda r, b: -1, lambda r, b: 1),
    ("At RTTs of 50 ms", NRU, "newreno-cubic", lambda r, b: r - 0.06, lambda r, b: 0.1),
    ("Two NewReno flows", NRU, "newreno-newreno", lambda r, b: 0.3, lambda r, b: -0.6),
    ("... in nearly all", SYSTEM, "newreno-newreno", lambda r, b: 0.4, lambda r, b: r * 2),
    (f"{VARIANTS} are unfair", SYSTEM, "newreno-bic", lambda r, b: -0.9, lambda r, b: 0.1),
    ("In self-fairness", FLOW2, "bic-bic", lambda r, b: 1e7 * b, lambda r, b: 1e7 / b),
    ("NewReno's flow 2", FLOW2, "newreno-newreno", lambda r, b: 1 / r, lambda r, b: r),
    (
        "For NewReno a larger buffer",
        FLOW2,
        "newreno-newreno",
        lambda r, b: b if r < 0.15 else -b,
        lambda r, b: -b if r < 0.15 else b,
    ),
    (
        "... but not at higher RTTs",
        FLOW2,
        "newreno-newreno",
        lambda r, b: b if r < 0.15 else 1,
        lambda r, b: 1 if r < 0.15 else b,
    ),
    ("Fairness improves as the b", SYSTEM, "newreno-bic", lambda r, b: b, lambda r, b: -b),
    ("Fairness improves as the R", SYSTEM, "newreno-bic", lambda r, b: r, lambda r, b: -r),
]


@pytest.mark.parametrize(("sentence", "metric", "ccas", "yes", "no"), OF_SURFACES)
def test_claims_on_surfaces(sentence, metric, ccas, yes, no):
    role = "calibration" if metric == FLOW2 else "comparison"
    for value, said in ((yes, YES), (no, NO)):
        found = verdict_of(sentence, surface(metric, role, ccas, value))
        assert found.startswith(said)


def test_factors_are_those_that_move_the_means():
    # the buffer alone moves the index: its p-value is small and that of the RTT is not
    noise = iter([0.1, -0.1, 0.05, -0.05, 0.0] * 3)
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: 5 * b + next(noise))
    found = verdict_of("Overall performance", cells)
    assert found.startswith(NO)
    p_rtt, p_buffer = (text.split(")")[1].split(",")[0] for text in found.split("p(")[1:])
    assert p_buffer.strip() == "< 0.001"
    assert float(p_rtt.strip(" =")) > 0.05


def test_similar_is_said_of_common_cells_of_all_variants():
    def calibration(cca, value):
        return surface(FLOW2, "calibration", f"{cca}-{cca}", value)

    two = [calibration("bic", lambda r, b: 4e7), calibration("cubic", lambda r, b: 4.2e7)]
    sentence = f"{VARIANTS} have very similar"
    needed = "**not testable**: needs runs of BIC, CUBIC, Compound"
    assert verdict_of(sentence, pl.concat(two)) == needed
    # of Compound only the low buffers were run, where it is like the others
    third = calibration("compound", lambda r, b: 4.1e7).filter(pl.col("buffer_bdp") < 0.5)
    found = verdict_of(sentence, pl.concat([*two, third]))
    assert found == f"{YES}BIC 40.0; CUBIC 42.0; Compound 41.0"
    far = calibration("compound", lambda r, b: 4.6e7)
    assert verdict_of(sentence, pl.concat([*two, far])).startswith(NO)


def test_a_flat_nru_varies_less_than_the_throughput():
    nru = surface(NRU, "comparison", "newreno-bic", lambda r, b: r)
    alone = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 1e7 * b)
    assert verdict_of("The flow-NRU is flat", pl.concat([nru, alone])).startswith(YES)
    steady = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 1e7)
    assert verdict_of("The flow-NRU is flat", pl.concat([nru, steady])).startswith(NO)


def test_evidence_is_in_the_units_of_print():
    cells = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 4e7 * b)
    assert verdict_of("In self-fairness", cells) == f"{YES}BIC 8.0 → 40.0"
    low = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0 if r < 0.03 else 1.0)
    assert verdict_of("At RTTs of 50", low) == f"{NO}BIC 3 of 6"


def test_a_claim_that_holds_of_some_variants_says_of_which():
    cells = pl.concat(
        surface(SYSTEM, "comparison", f"newreno-{cca}", value)
        for cca, value in (("bic", lambda r, b: b), ("cubic", lambda r, b: -b))
    )
    found = verdict_of("Fairness improves as the b", cells)
    assert found == "**in part**: for BIC, not for CUBIC. BIC 0.20 → 1.00; CUBIC −0.20 → −1.00"


def test_a_data_set_of_one_buffer_says_nothing_of_larger_buffers():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: r)
    one = cells.filter(pl.col("buffer_bdp") == BUFFERS[0])
    assert verdict_of("Fairness improves as the b", one).startswith(UNTESTABLE)
    assert verdict_of("Fairness improves as the R", one).startswith(YES)


def test_a_row_that_lacks_one_end_does_not_move_a_claim():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: 10 * b)
    # of the highest RTT only the smallest buffer was run: not a fall of the mean with the RTT
    filled = cells.filter((pl.col("base_rtt_s") < RTTS[-1]) | (pl.col("buffer_bdp") == BUFFERS[0]))
    assert verdict_of("Fairness improves as the R", filled) == f"{NO}BIC 2.00 → 2.00"


def test_a_variant_of_high_rtts_only_has_no_say_on_low_ones():
    cells = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0)
    high = cells.filter(pl.col("base_rtt_s") > 0.05)
    assert verdict_of("At RTTs of 50", high) == f"{UNTESTABLE}: too few cells"


def test_a_claim_without_data_says_so():
    cells = surface("utilisation", "comparison", "newreno-bic", lambda r, b: 0.9)
    claim = judge("p", claims.CLAIMS, subjects_of(cells, claims.PLATFORMS))
    assert set(claim["outcome"]) == {NOT_TESTABLE}
    assert 0 < len(claim) <= len(claims.CLAIMS)


def test_every_claim_names_a_figure_of_the_report():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9)
    claim = judge("p", claims.CLAIMS, subjects_of(cells, claims.PLATFORMS))
    printed = tables.claims(claim, {"testbed": "a", "testbed_alternative": "b"})
    named = set(re.findall(r"@(fig-[\w-]+)", printed))
    text = (FOLDER / "index.qmd").read_text(encoding="utf-8")
    assert len(named) > 1
    assert {name for name in named if f"{{#{name} " not in text} == set()
