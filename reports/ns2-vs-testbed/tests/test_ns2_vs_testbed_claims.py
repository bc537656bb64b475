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


def difference(d, ccas="newreno-bic"):
    return pl.DataFrame(
        [(ccas, r, b, d(r, b), abs(d(r, b)) > 0.1) for r in RTTS for b in BUFFERS],
        schema=["ccas", "base_rtt_s", "buffer_bdp", "d", "significant_printed"],
        orient="row",
    )


def verdict_of(sentence: str, table: pl.DataFrame, differences=None) -> str:
    """Return the first data set's cell of the scorecard's row; a dash where no row is about it."""
    parts = (differences or {}).items()
    both = [of.select(pl.lit(part).alias("part"), pl.all()) for part, of in parts]
    difference = pl.concat(both) if both else None
    claim = judge("p", claims.CLAIMS, subjects_of(table, claims.PLATFORMS, difference))
    if not claim["sentence"].str.starts_with(sentence).any():
        return "–"
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
    ("NewReno is fair", "jfi", "newreno-newreno", lambda r, b: 0.95, lambda r, b: 0.85),
    (f"{VARIANTS} show poor", "jfi", "newreno-cubic", lambda r, b: 0.7, lambda r, b: 0.95),
    (
        "Fairness improves when both",
        "jfi",
        "newreno-compound",
        lambda r, b: r * b,
        lambda r, b: 1 - r * b,
    ),
    ("... when the buffer", "jfi", "newreno-bic", lambda r, b: b / 2, lambda r, b: 1 - b / 2),
    ("... when the RTT", "jfi", "newreno-bic", lambda r, b: r, lambda r, b: 1 - r),
    (
        "There fairness falls",
        "jfi",
        "newreno-bic",
        lambda r, b: 1 if b == 1 else 1 - r,
        lambda r, b: 1 if b == 1 else r,
    ),
    (
        "At one RTT the buffer",
        "jfi",
        "newreno-bic",
        lambda r, b: 0.8 + (b if r < 0.1 else -b) / 10,
        lambda r, b: 0.8 + b / 10,
    ),
    (
        "Fairness to NewReno is poor",
        "jfi",
        "newreno-bic",
        lambda r, b: 0.5 + r,
        lambda r, b: 1 - r,
    ),
    ("Fairness is worst", "jfi", "newreno-bic", lambda r, b: 1 - r / b, lambda r, b: r / b),
]


@pytest.mark.parametrize(("sentence", "metric", "ccas", "yes", "no"), OF_SURFACES)
def test_claims_on_surfaces(sentence, metric, ccas, yes, no):
    role = "calibration" if metric == FLOW2 else "comparison"
    for value, said in ((yes, YES), (no, NO)):
        found = verdict_of(sentence, surface(metric, role, ccas, value))
        assert found.startswith(said)


AGREEMENT = [
    ("ns-2 and the testbed differ", lambda r, b: 0.2, lambda r, b: 0.05),
    ("They agree best", lambda r, b: 0.5 - r * b, lambda r, b: r * b),
    ("They also agree better", lambda r, b: r, lambda r, b: 0.5 - r),
    ("They agree poorly", lambda r, b: 0.5 - r, lambda r, b: r),
]


def test_a_sentence_on_a_platform_is_tested_on_it_alone():
    for part, platform in (("simulation", "ns-2 is fair at all"), ("testbed", "Fairness is worst")):
        other = "testbed" if part == "simulation" else "simulation"
        mine = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.95, part)
        theirs = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.95, other)
        assert verdict_of(platform, mine) != "–"
        assert verdict_of(platform, theirs) == "–"


def test_ns2_is_fair_only_if_every_cell_is():
    def one_unfair(r, b):
        return 0.89 if (r, b) == (0.4, 1.0) else 0.95

    cells = surface("jfi", "comparison", "newreno-cubic", one_unfair, "simulation")
    assert verdict_of("ns-2 is fair at all", cells) == f"{NO}CUBIC 14 of 15"
    low = surface("jfi", "comparison", "newreno-compound", lambda r, b: 0.7 + 2 * b, "simulation")
    assert verdict_of("ns-2 is fair for Compound", low) == f"{YES}Compound 10 of 10"


def test_flow_2_is_ahead_where_its_mean_is_higher():
    flows = [
        surface(f"mean_throughput_bps_flow{i}", "comparison", "newreno-bic", value)
        for i, value in ((1, lambda r, b: 0.1), (2, lambda r, b: r))
    ]
    assert verdict_of("On the testbed each", pl.concat(flows)) == f"{NO}BIC 6 of 15"


def test_shapes_are_alike_where_the_cells_move_together():
    def jfi(cca, value):
        return surface("jfi", "comparison", f"newreno-{cca}", value)

    sentence = f"{VARIANTS} behave"
    alike = pl.concat([jfi("bic", lambda r, b: r), jfi("cubic", lambda r, b: 2 * r)])
    assert verdict_of(sentence, alike) == f"{YES}BIC and CUBIC r = 1.00"
    apart = pl.concat([jfi("bic", lambda r, b: r), jfi("cubic", lambda r, b: b)])
    assert verdict_of(sentence, apart) == f"{NO}BIC and CUBIC r = 0.00"


@pytest.mark.parametrize(("sentence", "d", "not_d"), AGREEMENT)
def test_claims_on_agreement_are_tested_on_the_differences(sentence, d, not_d):
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    for of, said in ((d, YES), (not_d, NO)):
        found = verdict_of(sentence, cells, {"testbed": difference(of)})
        assert found.startswith(said)
    assert verdict_of(sentence, cells) == "–"


def test_disagreement_on_newreno_is_that_of_its_pairing():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.7)
    tables = pl.concat(
        [difference(lambda r, b: 0.2), difference(lambda r, b: 0.0, "newreno-newreno")]
    )
    sentence = "ns-2 and the testbed agree poorly"
    assert verdict_of(sentence, cells, {"testbed": tables}) == f"{NO}0 of 15 cells"


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
    found = verdict_of("Where they differ", cells, {"testbed": tables})
    assert found == f"{said}alike in {n_alike} of 15 cells (BIC, CUBIC)"


def test_ends_that_differ_are_printed_so_that_they_do():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9962 + r / 1000)
    assert verdict_of("... when the RTT", cells) == f"{YES}BIC 0.996 → 0.997"


def test_a_claim_without_data_says_so():
    cells = surface("utilisation", "comparison", "newreno-bic", lambda r, b: 0.9)
    claim = judge("p", claims.CLAIMS, subjects_of(cells, claims.PLATFORMS))
    assert set(claim["outcome"]) == {NOT_TESTABLE}
    assert 0 < len(claim) <= len(claims.CLAIMS)


def test_every_claim_names_a_figure_of_the_report():
    cells = surface("jfi", "comparison", "newreno-bic", lambda r, b: 0.9)
    differences = difference(lambda r, b: 0.2).with_columns(part=pl.lit("testbed"))
    claim = judge("p", claims.CLAIMS, subjects_of(cells, claims.PLATFORMS, differences))
    printed = tables.claims(claim, {"testbed": "a", "testbed_alternative": "b"})
    named = set(re.findall(r"@(fig-[\w-]+)", printed))
    text = (FOLDER / "index.qmd").read_text(encoding="utf-8")
    assert len(named) > 1
    assert {name for name in named if f"{{#{name} " not in text} == set()
