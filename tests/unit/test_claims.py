"""The scorecard: every claim is tested on the cells that it speaks of, and says what it saw."""

import polars as pl
import pytest
from evenflow.claims import CLAIMS, claims_table

RTTS, BUFFERS = (0.025, 0.05, 0.1, 0.2, 0.4), (0.2, 0.6, 1.0)


def surface(metric, role, ccas, value, part="testbed"):
    """A surface whose cells are value(rtt_s, buffer_bdp)."""
    return pl.DataFrame(
        [
            (part, f"data-{part}", metric, role, ccas, r, b, value(r, b))
            for r in RTTS
            for b in BUFFERS
        ],
        schema=["part", "dataset_id", "metric", "role", "ccas", "base_rtt_s", "buffer_bdp", "mean"],
        orient="row",
    )


def difference(d):
    return pl.DataFrame(
        [("newreno-bic", r, b, d(r, b), abs(d(r, b)) > 0.1) for r in RTTS for b in BUFFERS],
        schema=["ccas", "base_rtt_s", "buffer_bdp", "d", "significant_printed"],
        orient="row",
    )


def verdict_of(paper: str, sentence: str, table: pl.DataFrame, differences=None) -> str:
    """Return the first data set's cell of the scorecard's row."""
    rows = [
        line for line in claims_table(paper, table, differences).split("\n") if sentence in line
    ]
    assert len(rows) == 1
    return rows[0].split(" | ")[2].strip(" |")


NRU, SYSTEM, FLOW2 = "flow_nru_db_flow2", "system_nru_db", "mean_throughput_bps_flow2"
ON_PATH, NS2 = "on-path-buffering", "ns2-vs-testbed"
# paper, part of the sentence, surface, cells for which the claim holds, cells for which it does not
OF_SURFACES = [
    (ON_PATH, "get more against NewReno", NRU, "newreno-bic", lambda r, b: 1, lambda r, b: -1),
    (ON_PATH, "At RTTs of 50 ms", NRU, "newreno-cubic", lambda r, b: r - 0.06, lambda r, b: 0.1),
    (ON_PATH, "Two NewReno flows", NRU, "newreno-newreno", lambda r, b: 0.3, lambda r, b: -0.6),
    (ON_PATH, "unfair to NewReno", SYSTEM, "newreno-bic", lambda r, b: -0.9, lambda r, b: 0.1),
    (ON_PATH, "at low buffers", FLOW2, "bic-bic", lambda r, b: 1e7 * b, lambda r, b: 1e7 / b),
    (ON_PATH, "less as the RTT", FLOW2, "newreno-newreno", lambda r, b: 1 / r, lambda r, b: r),
    (ON_PATH, "improves as the buffer", SYSTEM, "newreno-bic", lambda r, b: b, lambda r, b: -b),
    (ON_PATH, "improves as the RTT", SYSTEM, "newreno-bic", lambda r, b: r, lambda r, b: -r),
    (NS2, "NewReno is fair", "jfi", "newreno-newreno", lambda r, b: 0.95, lambda r, b: 0.85),
    (NS2, "show poor fairness", "jfi", "newreno-cubic", lambda r, b: 0.7, lambda r, b: 0.95),
    (NS2, "when the buffer", "jfi", "newreno-bic", lambda r, b: b / 2, lambda r, b: 1 - b / 2),
    (NS2, "when the RTT", "jfi", "newreno-bic", lambda r, b: r, lambda r, b: 1 - r),
]


@pytest.mark.parametrize(("paper", "sentence", "metric", "ccas", "yes", "no"), OF_SURFACES)
def test_claims_on_surfaces(paper, sentence, metric, ccas, yes, no):
    role = "calibration" if metric == FLOW2 else "comparison"
    for value, said in ((yes, "yes"), (no, "no")):
        found = verdict_of(paper, sentence, surface(metric, role, ccas, value))
        assert found.startswith(f"**{said}**: ")


AGREEMENT = [
    ("differ significantly", lambda r, b: 0.2, lambda r, b: 0.05),
    ("agree best", lambda r, b: 0.5 - r * b, lambda r, b: r * b),
    ("agree poorly", lambda r, b: 0.5 - r, lambda r, b: r),
]


@pytest.mark.parametrize(("sentence", "d", "not_d"), AGREEMENT)
def test_claims_on_agreement_are_tested_on_the_differences(sentence, d, not_d):
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    for of, said in ((d, "yes"), (not_d, "no")):
        found = verdict_of(NS2, sentence, cells, {"testbed": difference(of)})
        assert found.startswith(f"**{said}**: ")
    assert verdict_of(NS2, sentence, cells) == "–"


def test_evidence_is_in_the_units_of_print():
    cells = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 4e7 * b)
    assert verdict_of(ON_PATH, "less at low buffers", cells) == "**yes**: BIC 8.0 → 40.0"
    low = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0 if r < 0.03 else 1.0)
    assert verdict_of(ON_PATH, "At RTTs of 50", low) == "**no**: BIC 3 of 6"


@pytest.mark.parametrize("paper", CLAIMS)
def test_a_claim_without_data_has_a_dash(paper):
    cells = surface("utilisation", "comparison", "newreno-bic", lambda r, b: 0.9)
    rows = claims_table(paper, cells).split("\n")[2:]
    assert len(rows) == len(CLAIMS[paper])
    assert all(row.endswith("| – |") for row in rows)


def test_a_data_set_of_one_buffer_says_nothing_of_larger_buffers():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: r)
    one = cells.filter(pl.col("buffer_bdp") == BUFFERS[0])
    assert verdict_of(ON_PATH, "improves as the buffer", one) == "–"
    assert verdict_of(ON_PATH, "improves as the RTT", one).startswith("**yes**")


def test_a_row_that_lacks_one_end_does_not_move_a_claim():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: 10 * b)
    # of the highest RTT only the smallest buffer was run: not a fall of the mean with the RTT
    filled = cells.filter((pl.col("base_rtt_s") < RTTS[-1]) | (pl.col("buffer_bdp") == BUFFERS[0]))
    assert verdict_of(ON_PATH, "improves as the RTT", filled) == "**no**: BIC 2.00 → 2.00"


def test_a_variant_of_high_rtts_only_has_no_say_on_low_ones():
    cells = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0)
    assert verdict_of(ON_PATH, "At RTTs of 50", cells.filter(pl.col("base_rtt_s") > 0.05)) == "–"


def test_ends_that_differ_are_printed_so_that_they_do():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9962 + r / 1000)
    assert verdict_of(NS2, "when the RTT", cells) == "**yes**: BIC 0.996 → 0.997"
