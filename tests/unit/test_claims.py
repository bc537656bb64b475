"""The scorecard: every claim is tested on the cells that it speaks of, and says what it saw."""

import re

import polars as pl
import pytest
from evenflow.claims import UNTESTABLE, claims_table, verdict_counts
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.paper_claims import CLAIMS

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


def difference(d, ccas="newreno-bic"):
    return pl.DataFrame(
        [(ccas, r, b, d(r, b), abs(d(r, b)) > 0.1) for r in RTTS for b in BUFFERS],
        schema=["ccas", "base_rtt_s", "buffer_bdp", "d", "significant_printed"],
        orient="row",
    )


def verdict_of(paper: str, sentence: str, table: pl.DataFrame, differences=None) -> str:
    """Return the first data set's cell of the scorecard's row."""
    rows = claims_table(CLAIMS[paper], table, differences or {})
    rows = rows.replace(NO_BREAK_SPACE, " ").split("\n")
    (row,) = (row for row in rows if row.removeprefix("| ").startswith(sentence))
    return row.split(" | ")[2].strip(" |")


YES, NO = "**reproduced**: ", "**not reproduced**: "
NRU, SYSTEM, FLOW2 = "flow_nru_db_flow2", "system_nru_db", "mean_throughput_bps_flow2"
NRU1 = "flow_nru_db_flow1"
ON_PATH, NS2 = "on-path-buffering", "ns2-vs-testbed"
VARIANTS = "BIC, CUBIC and Compound"
# paper, start of the sentence, surface, cells for which the claim holds, cells for which not
OF_SURFACES = [
    (
        ON_PATH,
        "Overall performance",
        SYSTEM,
        "newreno-bic",
        lambda r, b: r + b + r * b / 50,
        lambda r, b: r + (r * 1000 * b) % 0.17,
    ),
    (
        ON_PATH,
        "The behaviour is not consistent",
        NRU,
        "newreno-bic",
        lambda r, b: r - 0.06,
        lambda r, b: 1,
    ),
    (ON_PATH, f"{VARIANTS} get more", NRU, "newreno-bic", lambda r, b: 1, lambda r, b: -1),
    (ON_PATH, "... at the cost", NRU1, "newreno-compound", lambda r, b: -1, lambda r, b: 1),
    (ON_PATH, "At RTTs of 50 ms", NRU, "newreno-cubic", lambda r, b: r - 0.06, lambda r, b: 0.1),
    (ON_PATH, "Two NewReno flows", NRU, "newreno-newreno", lambda r, b: 0.3, lambda r, b: -0.6),
    (ON_PATH, "... in nearly all", SYSTEM, "newreno-newreno", lambda r, b: 0.4, lambda r, b: r * 2),
    (ON_PATH, f"{VARIANTS} are unfair", SYSTEM, "newreno-bic", lambda r, b: -0.9, lambda r, b: 0.1),
    (ON_PATH, "In self-fairness", FLOW2, "bic-bic", lambda r, b: 1e7 * b, lambda r, b: 1e7 / b),
    (ON_PATH, "NewReno's flow 2", FLOW2, "newreno-newreno", lambda r, b: 1 / r, lambda r, b: r),
    (
        ON_PATH,
        "For NewReno a larger buffer",
        FLOW2,
        "newreno-newreno",
        lambda r, b: b if r < 0.15 else -b,
        lambda r, b: -b if r < 0.15 else b,
    ),
    (
        ON_PATH,
        "... but not at higher RTTs",
        FLOW2,
        "newreno-newreno",
        lambda r, b: b if r < 0.15 else 1,
        lambda r, b: 1 if r < 0.15 else b,
    ),
    (ON_PATH, "Fairness improves as the b", SYSTEM, "newreno-bic", lambda r, b: b, lambda r, b: -b),
    (ON_PATH, "Fairness improves as the R", SYSTEM, "newreno-bic", lambda r, b: r, lambda r, b: -r),
    (NS2, "NewReno is fair", "jfi", "newreno-newreno", lambda r, b: 0.95, lambda r, b: 0.85),
    (NS2, f"{VARIANTS} show poor", "jfi", "newreno-cubic", lambda r, b: 0.7, lambda r, b: 0.95),
    (
        NS2,
        "Fairness improves when both",
        "jfi",
        "newreno-compound",
        lambda r, b: r * b,
        lambda r, b: 1 - r * b,
    ),
    (NS2, "... when the buffer", "jfi", "newreno-bic", lambda r, b: b / 2, lambda r, b: 1 - b / 2),
    (NS2, "... when the RTT", "jfi", "newreno-bic", lambda r, b: r, lambda r, b: 1 - r),
    (
        NS2,
        "There fairness falls",
        "jfi",
        "newreno-bic",
        lambda r, b: 1 if b == 1 else 1 - r,
        lambda r, b: 1 if b == 1 else r,
    ),
    (
        NS2,
        "At one RTT the buffer",
        "jfi",
        "newreno-bic",
        lambda r, b: 0.8 + (b if r < 0.1 else -b) / 10,
        lambda r, b: 0.8 + b / 10,
    ),
    (
        NS2,
        "Fairness to NewReno is poor",
        "jfi",
        "newreno-bic",
        lambda r, b: 0.5 + r,
        lambda r, b: 1 - r,
    ),
    (NS2, "Fairness is worst", "jfi", "newreno-bic", lambda r, b: 1 - r / b, lambda r, b: r / b),
]


@pytest.mark.parametrize(("paper", "sentence", "metric", "ccas", "yes", "no"), OF_SURFACES)
def test_claims_on_surfaces(paper, sentence, metric, ccas, yes, no):
    role = "calibration" if metric == FLOW2 else "comparison"
    for value, said in ((yes, YES), (no, NO)):
        found = verdict_of(paper, sentence, surface(metric, role, ccas, value))
        assert found.startswith(said)


def test_factors_are_those_that_move_the_means():
    # the buffer alone moves the index: its p-value is small and that of the RTT is not
    noise = iter([0.1, -0.1, 0.05, -0.05, 0.0] * 3)
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: 5 * b + next(noise))
    found = verdict_of(ON_PATH, "Overall performance", cells)
    assert found.startswith(NO)
    p_rtt, p_buffer = (text.split(")")[1].split(",")[0] for text in found.split("p(")[1:])
    assert p_buffer.strip() == "< 0.001"
    assert float(p_rtt.strip(" =")) > 0.05


def test_a_sentence_on_a_platform_is_tested_on_it_alone():
    for part, platform in (("simulation", "ns-2 is fair at all"), ("testbed", "Fairness is worst")):
        other = "testbed" if part == "simulation" else "simulation"
        mine = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.95, part)
        theirs = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.95, other)
        assert verdict_of(NS2, platform, mine) != "–"
        assert verdict_of(NS2, platform, theirs) == "–"


def test_ns2_is_fair_only_if_every_cell_is():
    def one_unfair(r, b):
        return 0.89 if (r, b) == (0.4, 1.0) else 0.95

    cells = surface("jfi", "comparison", "newreno-cubic", one_unfair, "simulation")
    assert verdict_of(NS2, "ns-2 is fair at all", cells) == f"{NO}CUBIC 14 of 15"
    low = surface("jfi", "comparison", "newreno-compound", lambda r, b: 0.7 + 2 * b, "simulation")
    assert verdict_of(NS2, "ns-2 is fair for Compound", low) == f"{YES}Compound 10 of 10"


def test_flow_2_is_ahead_where_its_mean_is_higher():
    flows = [
        surface(f"mean_throughput_bps_flow{i}", "comparison", "newreno-bic", value)
        for i, value in ((1, lambda r, b: 0.1), (2, lambda r, b: r))
    ]
    assert verdict_of(NS2, "On the testbed each", pl.concat(flows)) == f"{NO}BIC 6 of 15"


def test_similar_is_said_of_common_cells_of_all_variants():
    def calibration(cca, value):
        return surface(FLOW2, "calibration", f"{cca}-{cca}", value)

    two = [calibration("bic", lambda r, b: 4e7), calibration("cubic", lambda r, b: 4.2e7)]
    sentence = f"{VARIANTS} have very similar"
    needed = "not testable here: needs runs of BIC, CUBIC, Compound"
    assert verdict_of(ON_PATH, sentence, pl.concat(two)) == needed
    # of Compound only the low buffers were run, where it is like the others
    third = calibration("compound", lambda r, b: 4.1e7).filter(pl.col("buffer_bdp") < 0.5)
    found = verdict_of(ON_PATH, sentence, pl.concat([*two, third]))
    assert found == f"{YES}BIC 40.0; CUBIC 42.0; Compound 41.0"
    far = calibration("compound", lambda r, b: 4.6e7)
    assert verdict_of(ON_PATH, sentence, pl.concat([*two, far])).startswith(NO)


def test_shapes_are_alike_where_the_cells_move_together():
    def jfi(cca, value):
        return surface("jfi", "comparison", f"newreno-{cca}", value)

    sentence = f"{VARIANTS} behave"
    alike = pl.concat([jfi("bic", lambda r, b: r), jfi("cubic", lambda r, b: 2 * r)])
    assert verdict_of(NS2, sentence, alike) == f"{YES}BIC and CUBIC r = 1.00"
    apart = pl.concat([jfi("bic", lambda r, b: r), jfi("cubic", lambda r, b: b)])
    assert verdict_of(NS2, sentence, apart) == f"{NO}BIC and CUBIC r = 0.00"


def test_a_flat_nru_varies_less_than_the_throughput():
    nru = surface(NRU, "comparison", "newreno-bic", lambda r, b: r)
    alone = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 1e7 * b)
    assert verdict_of(ON_PATH, "The flow-NRU is flat", pl.concat([nru, alone])).startswith(YES)
    steady = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 1e7)
    assert verdict_of(ON_PATH, "The flow-NRU is flat", pl.concat([nru, steady])).startswith(NO)


AGREEMENT = [
    ("ns-2 and the testbed differ", lambda r, b: 0.2, lambda r, b: 0.05),
    ("They agree best", lambda r, b: 0.5 - r * b, lambda r, b: r * b),
    ("They also agree better", lambda r, b: r, lambda r, b: 0.5 - r),
    ("They agree poorly", lambda r, b: 0.5 - r, lambda r, b: r),
]


@pytest.mark.parametrize(("sentence", "d", "not_d"), AGREEMENT)
def test_claims_on_agreement_are_tested_on_the_differences(sentence, d, not_d):
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    for of, said in ((d, YES), (not_d, NO)):
        found = verdict_of(NS2, sentence, cells, {"testbed": difference(of)})
        assert found.startswith(said)
    assert verdict_of(NS2, sentence, cells) == "–"


def test_disagreement_on_newreno_is_that_of_its_pairing():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    tables = pl.concat(
        [difference(lambda r, b: 0.2), difference(lambda r, b: 0.0, "newreno-newreno")]
    )
    sentence = "ns-2 and the testbed agree poorly"
    assert verdict_of(NS2, sentence, cells, {"testbed": tables}) == f"{NO}0 of 15 cells"


@pytest.mark.parametrize(
    ("n_alike", "said"), [(15, NO), (14, YES), (8, YES), (7, NO)], ids=lambda v: str(v)
)
def test_regions_depend_on_the_variant_if_most_cells_but_not_all_are_alike(n_alike, said):
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    place = {(r, b): i for i, (r, b) in enumerate((r, b) for r in RTTS for b in BUFFERS)}
    tables = pl.concat(
        [
            difference(lambda r, b: 0.2),
            difference(lambda r, b: 0.2 if place[r, b] < n_alike else 0.0, "newreno-cubic"),
        ]
    )
    found = verdict_of(NS2, "Where they differ", cells, {"testbed": tables})
    assert found == f"{said}alike in {n_alike} of 15 cells (BIC, CUBIC)"


def test_evidence_is_in_the_units_of_print():
    cells = surface(FLOW2, "calibration", "bic-bic", lambda r, b: 4e7 * b)
    assert verdict_of(ON_PATH, "In self-fairness", cells) == f"{YES}BIC 8.0 → 40.0"
    low = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0 if r < 0.03 else 1.0)
    assert verdict_of(ON_PATH, "At RTTs of 50", low) == f"{NO}BIC 3 of 6"


def test_a_claim_that_holds_of_some_variants_says_of_which():
    cells = pl.concat(
        surface(SYSTEM, "comparison", f"newreno-{cca}", value)
        for cca, value in (("bic", lambda r, b: b), ("cubic", lambda r, b: -b))
    )
    found = verdict_of(ON_PATH, "Fairness improves as the b", cells)
    assert found == "**reproduced for BIC, not for CUBIC**: BIC 0.20 → 1.00; CUBIC −0.20 → −1.00"


@pytest.mark.parametrize("paper", CLAIMS)
def test_a_claim_without_data_says_so(paper):
    cells = surface("utilisation", "comparison", "newreno-bic", lambda r, b: 0.9)
    table = claims_table(CLAIMS[paper], cells, {})
    rows = table.split("\n")[2:]
    assert len(rows) == len(CLAIMS[paper])
    ends = [row.split(" | ")[2] for row in rows]
    assert all(end == "– |" or end.startswith("not testable here: ") for end in ends)
    counts = verdict_counts(table)
    assert counts["n_not_testable"] == sum(end != "– |" for end in ends) > 0
    assert counts["n_reproduced"] == counts["n_in_part"] == counts["n_not_reproduced"] == 0


def test_every_claim_names_a_figure_of_its_report(request):
    for paper, claims in CLAIMS.items():
        text = (request.config.rootpath / f"reports/{paper}/index.qmd").read_text(encoding="utf-8")
        cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9)
        both = pl.concat([cells, cells.with_columns(part=pl.lit("testbed_alternative"))])
        table = claims_table(claims, both, {})
        named = set(re.findall(r"@(fig-[\w-]+)", table))
        assert len(named) > 1
        assert {name for name in named if f"{{#{name} " not in text} == set()


def test_a_data_set_of_one_buffer_says_nothing_of_larger_buffers():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: r)
    one = cells.filter(pl.col("buffer_bdp") == BUFFERS[0])
    assert verdict_of(ON_PATH, "Fairness improves as the b", one).startswith(UNTESTABLE)
    assert verdict_of(ON_PATH, "Fairness improves as the R", one).startswith(YES)


def test_a_row_that_lacks_one_end_does_not_move_a_claim():
    cells = surface(SYSTEM, "comparison", "newreno-bic", lambda r, b: 10 * b)
    # of the highest RTT only the smallest buffer was run: not a fall of the mean with the RTT
    filled = cells.filter((pl.col("base_rtt_s") < RTTS[-1]) | (pl.col("buffer_bdp") == BUFFERS[0]))
    assert verdict_of(ON_PATH, "Fairness improves as the R", filled) == f"{NO}BIC 2.00 → 2.00"


def test_a_variant_of_high_rtts_only_has_no_say_on_low_ones():
    cells = surface(NRU, "comparison", "newreno-bic", lambda r, b: -1.0)
    high = cells.filter(pl.col("base_rtt_s") > 0.05)
    assert verdict_of(ON_PATH, "At RTTs of 50", high) == f"{UNTESTABLE}: too few cells"


def test_ends_that_differ_are_printed_so_that_they_do():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9962 + r / 1000)
    assert verdict_of(NS2, "... when the RTT", cells) == f"{YES}BIC 0.996 → 0.997"
