"""Statistics over repeats against scipy, statsmodels and arithmetic by hand."""

import math

import numpy as np
import polars as pl
import pytest
from evenflow.statistics import repeats
from evenflow.statistics.repeats import (
    BOTH,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    SINGLE,
    UNTESTABLE,
    adjusted,
    cell_statistics,
    difference_surface,
    mean_interval,
    printed_difference,
    verdict,
    with_geometric_means,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

S = np.array([0.91, 0.95, 0.89, 0.97, 0.93])
T = np.array([0.71, 0.78, 0.69])


def close(value, tolerance=1e-12):
    return pytest.approx(value, rel=tolerance, abs=tolerance)


# ---- mean and interval --------------------------------------------------------------------------


def test_mean_interval_by_hand():
    # 1, 2, 3: sd 1; Student's t of 2 degrees of freedom has a closed form
    found = mean_interval(np.array([1.0, 2.0, 3.0]), 0.95)
    half = 0.95 * math.sqrt(2 / (1 - 0.95**2)) / math.sqrt(3)
    assert found == {
        "mean": 2.0,
        "sd": 1.0,
        "n": 3,
        "ci_low": close(2 - half),
        "ci_high": close(2 + half),
        "deterministic": False,
    }


SAMPLES = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12).filter(lambda x: np.ptp(x) > 1e-3)


@given(SAMPLES, st.floats(0.51, 0.999))
def test_mean_interval_is_scipys(values, confidence):
    found = mean_interval(np.array(values), confidence)
    low, high = stats.t.interval(
        confidence, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)
    )
    assert (found["ci_low"], found["ci_high"]) == (close(low, 1e-9), close(high, 1e-9))
    assert found["sd"] == close(stats.tstd(values), 1e-9)


def test_one_run_has_a_mean_and_nothing_else():
    found = mean_interval(np.array([0.7]), 0.95)
    assert found == {
        "mean": 0.7,
        "sd": None,
        "n": 1,
        "ci_low": None,
        "ci_high": None,
        "deterministic": False,
    }


def test_repeats_that_are_all_the_same_have_no_interval_of_width_0():
    found = mean_interval(np.array([0.7, 0.7, 0.7]), 0.95)
    assert (found["ci_low"], found["ci_high"], found["deterministic"]) == (None, None, True)
    assert found["n"] == 3


def test_cells_leave_nulls_out_and_do_not_count_them():
    values = pl.DataFrame(
        {
            "scenario_id": ["b", "a", "a", "a", "a"],
            "run_id": ["b1", "a3", "a2", "a1", "a1"],
            "metric": ["jfi", "jfi", "jfi", "jfi", "ratio"],
            "value": [0.5, 1.0, None, 0.8, None],
        }
    )
    table = cell_statistics(values, 0.95)
    assert table.select("scenario_id", "metric", "mean", "n", "sd").rows() == [
        ("a", "jfi", 0.9, 2, close(math.sqrt(0.02))),
        ("b", "jfi", 0.5, 1, None),
    ]


@given(
    st.lists(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=7), min_size=1, max_size=5)
)
def test_cells_are_the_intervals_of_each(cells):
    rows = [
        (str(i), f"{i}/{k}", "jfi", value)
        for i, values in enumerate(cells)
        for k, value in enumerate(values)
    ]
    values = pl.DataFrame(rows, schema=["scenario_id", "run_id", "metric", "value"], orient="row")
    for row, of_cell in zip(cell_statistics(values, 0.95).rows(named=True), cells, strict=True):
        expected = mean_interval(np.array(of_cell), 0.95)
        for name in ("mean", "sd", "ci_low", "ci_high"):
            assert row[name] == (
                expected[name] if expected[name] is None else close(expected[name], 1e-9)
            )
        assert (row["n"], row["deterministic"]) == (expected["n"], expected["deterministic"])


@pytest.mark.parametrize(
    ("ratios", "mean", "low", "high"),
    [
        ([2.0, 8.0], 4.0, 4 * 2**-12.7062047, 4 * 2**12.7062047),
        ([0.0, 0.5, 0.6], None, None, None),
        ([math.inf, 0.5, 0.6], None, None, None),
        ([0.0, math.inf], None, None, None),
        ([2.0], 2.0, None, None),
    ],
)
def test_means_of_ratios_are_on_the_logarithm_and_there_is_none_of_0_or_infinity(
    ratios, mean, low, high
):
    values = pl.DataFrame({"value": ratios}).with_columns(
        pl.lit("a").alias("scenario_id"), pl.lit("ratio").alias("metric")
    )
    values = values.with_row_index("run_id")
    other = values.with_columns(metric=pl.lit("jfi"), value=pl.lit(0.5) + pl.col("run_id") / 10)
    before = cell_statistics(pl.concat([values, other]), 0.95)
    after = with_geometric_means(before, values, 0.95)
    row = after.filter(metric="ratio").row(0, named=True)
    expected = [None if value is None else pytest.approx(value) for value in (mean, low, high)]
    assert [row["mean"], row["ci_low"], row["ci_high"]] == expected
    assert row["n"] == len(ratios)
    assert after.filter(metric="jfi").equals(before.filter(metric="jfi"))


def test_cells_of_nothing_have_the_columns_all_the_same():
    empty = pl.DataFrame(
        schema={
            "scenario_id": pl.String,
            "run_id": pl.String,
            "metric": pl.String,
            "value": pl.Float64,
        }
    )
    table = cell_statistics(empty, 0.95)
    assert table.is_empty()
    assert table.schema["ci_low"] == pl.Float64


# ---- differences --------------------------------------------------------------------------------


def test_the_printed_difference_by_hand():
    # means 0.5 and 0.2; sd of (0.1, 0.2, 0.3) is 0.1; W = 0.3 - 0.2
    found = printed_difference(np.array([0.4, 0.6]), np.array([0.1, 0.2, 0.3]))
    assert (found["d"], found["c95"], found["w"]) == (close(0.3), close(0.2), close(0.1))
    assert found["significant_printed"] is True
    other = printed_difference(np.array([0.25]), np.array([0.1, 0.2, 0.3]))
    assert (other["d"], other["w"]) == (close(0.05), close(-0.15))
    assert other["significant_printed"] is False


def test_the_printed_difference_is_of_means_not_of_middles():
    found = printed_difference(np.array([0.1, 0.2, 0.9]), np.array([0.1, 0.1, 0.7]))
    assert found["d"] == close(0.4 - 0.3)
    assert found["c95"] == close(2 * math.sqrt(0.12))


def test_the_printed_difference_counts_w_of_0_as_significant():
    found = printed_difference(np.array([4.0]), np.array([1.0, 2.0, 3.0]))
    assert (found["d"], found["c95"], found["w"]) == (2.0, 2.0, 0.0)
    assert found["significant_printed"] is True


def test_identical_runs_on_both_sides_are_no_difference_whatever_their_number():
    found = printed_difference(np.array([0.1] * 3), np.array([0.1] * 7))  # whose means round apart
    assert (found["d"], found["significant_printed"]) == (0.0, False)
    flat = printed_difference(np.array([0.3] * 3), np.array([0.1] * 3))
    assert flat["significant_printed"] is True


def test_the_printed_difference_of_one_testbed_run_has_no_c95():
    found = printed_difference(np.array([0.4, 0.6]), np.array([0.1]))
    assert found["d"] == close(0.4)
    assert [found[key] for key in ("c95", "w", "significant_printed")] == [None] * 3


def compared(s, t, margin, confidence):
    return repeats.tests_of_cells([(s, t)], margin, confidence)[0]


def test_welch_by_hand():
    """Welch 1947: difference over sqrt(s1^2/n1 + s2^2/n2), Satterthwaite's degrees of freedom."""
    found = compared(S, T, 0.05, 0.95)
    v1, v2 = S.var(ddof=1) / 5, T.var(ddof=1) / 3
    freedom = (v1 + v2) ** 2 / (v1**2 / 4 + v2**2 / 2)
    d, se = S.mean() - T.mean(), math.sqrt(v1 + v2)
    half = stats.t.ppf(0.975, freedom) * se
    assert found["welch_low"] == close(d - half, 1e-9)
    assert found["welch_high"] == close(d + half, 1e-9)
    assert found["welch_p"] == close(2 * stats.t.sf(d / se, freedom), 1e-9)


@given(SAMPLES, SAMPLES, st.floats(0.01, 10))
def test_welch_and_equivalence_are_those_of_scipy_and_statsmodels(s, t, margin):
    s, t = np.array(s), np.array(t)
    found = compared(s, t, margin, 0.9)
    assert found["welch_p"] == close(stats.ttest_ind(s, t, equal_var=False).pvalue, 1e-9)
    compare = CompareMeans(DescrStatsW(s), DescrStatsW(t))
    low, high = compare.tconfint_diff(alpha=0.1, usevar="unequal")
    assert (found["welch_low"], found["welch_high"]) == (close(low, 1e-6), close(high, 1e-6))
    assert found["tost_p"] == close(compare.ttost_ind(-margin, margin, usevar="unequal")[0], 1e-9)
    # one-sided tests by hand, from the same interval's centre and width
    p_low = stats.ttest_ind(s, t - margin, equal_var=False, alternative="greater").pvalue
    p_high = stats.ttest_ind(s, t + margin, equal_var=False, alternative="less").pvalue
    assert found["tost_p"] == close(max(p_low, p_high), 1e-6)


def test_hedges_g_by_hand():
    pooled = math.sqrt((4 * S.var(ddof=1) + 2 * T.var(ddof=1)) / 6)
    g = (1 - 3 / (4 * 8 - 9)) * (S.mean() - T.mean()) / pooled
    assert compared(S, T, 0.05, 0.95)["hedges_g"] == close(g)


@pytest.mark.parametrize(
    ("s", "t"), [([0.5], [0.4, 0.6]), ([0.4, 0.6], [0.5]), ([0.5, 0.5], [0.4, 0.4]), ([1], [1])]
)
def test_what_cannot_be_tested_is_null(s, t):
    assert set(compared(np.array(s), np.array(t), 0.05, 0.95).values()) == {None}


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy: one side has no variance
def test_a_deterministic_simulator_against_a_testbed_with_spread_can_be_tested():
    found = compared(np.array([0.99, 0.99, 0.99]), T, 0.05, 0.95)
    # the simulator's variance is 0: a one-sample test of the testbed
    assert found["welch_p"] == close(stats.ttest_1samp(T, 0.99).pvalue, 1e-9)


# ---- false discovery and verdicts ---------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(p):
    wanted = multipletests(p, method="fdr_bh")[1]
    assert adjusted(pl.Series("p", p)).to_list() == [close(float(q), 1e-9) for q in wanted]


def test_nulls_stay_null_and_are_not_counted():
    found = adjusted(pl.Series("p", [0.04, None, 0.01]))
    assert found.to_list() == [close(0.04), None, close(0.02)]
    nothing = pl.Series("p", [None, None], dtype=pl.Float64)
    assert adjusted(nothing).to_list() == [None, None]


@pytest.mark.parametrize(
    ("welch_p", "tost_p", "said"),
    [
        (0.01, 0.5, DIFFERENT),
        (0.5, 0.01, EQUIVALENT),
        (0.01, 0.01, BOTH),
        (0.5, 0.5, INCONCLUSIVE),
        (0.05, 0.06, DIFFERENT),  # at the rate itself: significant
        (None, None, UNTESTABLE),
        (0.01, None, UNTESTABLE),
    ],
)
def test_verdicts(welch_p, tost_p, said):
    assert verdict(welch_p, tost_p, 0.05) == said


# ---- the surface --------------------------------------------------------------------------------


def runs(cells: dict[tuple[str, float], list[float]]) -> pl.DataFrame:
    rows = [(ccas, rtt, v) for (ccas, rtt), values in cells.items() for v in values]
    return pl.DataFrame(rows, schema=["ccas", "base_rtt_s", "value"], orient="row")


def surface(simulation, testbed, **changes):
    options = {"margin": 0.05, "confidence": 0.95, "fdr": 0.05, **changes}
    return difference_surface(
        runs(simulation), runs(testbed), surface=["ccas"], cell=["base_rtt_s"], **options
    )


SIMULATION = {
    ("a-b", 0.1): [0.99, 0.98, 0.97],
    ("a-b", 0.2): [0.70, 0.71, 0.69],
    ("a-b", 0.4): [0.9, 0.9, 0.9],
    ("a-c", 0.1): [0.5, 0.6, 0.7],
    ("a-c", 0.9): [0.5, 0.6, 0.7],  # the testbed has no such cell
}
TESTBED = {
    ("a-b", 0.1): [0.60, 0.62, 0.61],
    ("a-b", 0.2): [0.701, 0.709, 0.69],
    ("a-b", 0.4): [0.9, 0.9, 0.9],
    ("a-c", 0.1): [0.5, 0.7, 0.9],
}


def test_a_surface_by_hand():
    table = surface(SIMULATION, TESTBED)
    assert table.select("ccas", "base_rtt_s").rows() == [
        ("a-b", 0.1),
        ("a-b", 0.2),
        ("a-b", 0.4),
        ("a-c", 0.1),
    ]
    assert table["verdict"].to_list() == [DIFFERENT, EQUIVALENT, UNTESTABLE, INCONCLUSIVE]
    first = table.row(0, named=True)
    assert (first["simulation_mean"], first["testbed_mean"]) == (close(0.98), close(0.61))
    assert (first["d"], first["c95"]) == (close(0.37), close(0.02))
    assert first["significant_printed"] is True
    assert (first["simulation_n"], first["testbed_n"]) == (3, 3)
    flat = table.row(2, named=True)
    assert flat["simulation_deterministic"] and flat["testbed_deterministic"]
    # |D| - C95 = 0 - 0: W is not below 0, but identical runs do not differ significantly
    assert (flat["d"], flat["w"], flat["significant_printed"]) == (0.0, 0.0, False)


def test_false_discovery_is_controlled_within_each_surface():
    table = surface(SIMULATION, TESTBED)
    known = table.filter(pl.col("ccas") == "a-b", pl.col("welch_p").is_not_null())
    wanted = multipletests(known["welch_p"].to_numpy(), method="fdr_bh")[1]
    assert known["welch_p_bh"].to_list() == [close(float(p), 1e-9) for p in wanted]
    alone = table.filter(ccas="a-c")
    assert alone["welch_p_bh"][0] == close(alone["welch_p"][0])


def test_the_order_of_runs_does_not_matter():
    shuffled = runs(TESTBED).sample(fraction=1, shuffle=True, seed=3)
    table = difference_surface(
        runs(SIMULATION),
        shuffled,
        surface=["ccas"],
        cell=["base_rtt_s"],
        margin=0.05,
        confidence=0.95,
        fdr=0.05,
    )
    assert table.equals(surface(SIMULATION, TESTBED))


def test_one_run_a_cell_has_a_difference_and_no_verdict():
    table = surface({("a-b", 0.1): [0.9]}, {("a-b", 0.1): [0.8]})
    row = table.row(0, named=True)
    assert row["d"] == close(0.1)
    assert (row["verdict"], row["w"], row["welch_p_bh"]) == (SINGLE, None, None)


def test_a_side_with_one_run_is_told_from_repeats_without_variance():
    two, flat = [0.9, 0.8], [0.7, 0.7]
    cells = {("a-b", 0.1): [0.9], ("a-b", 0.2): two, ("a-b", 0.3): flat}
    table = surface(cells, {("a-b", 0.1): two, ("a-b", 0.2): [0.9], ("a-b", 0.3): flat})
    assert table["verdict"].to_list() == [SINGLE, SINGLE, UNTESTABLE]
    assert table["significant_printed"].to_list()[1:] == [None, False]  # C95 needs the testbed's


def test_without_a_common_cell_there_is_nothing_to_compare():
    none = surface({("a-b", 0.1): [0.9]}, {("a-b", 0.2): [0.8]})
    two = {("a-b", 0.1): [0.9, 0.8]}
    assert none.is_empty()
    assert none.schema == surface(two, two).schema
