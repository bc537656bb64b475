"""The estimator of claims: cells' means, a jackknife over runs, what may be borrowed."""

import numpy as np
import pytest
from evenflow.statistics.stratified import (
    ALONE,
    AT_BOUND,
    CONSTANT,
    LACKING,
    NO_VALUE,
    STATES,
    Cell,
    Quantity,
    cell,
    estimate,
    runs_needed,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

PLAIN = (Quantity("x"),)
X = np.log([16, 82, 324])


def cells(*runs, **more):
    """Cells a, b, c, ... of one quantity."""
    return {chr(97 + i): Cell(np.array([[x] for x in of]), **more) for i, of in enumerate(runs)}


def mean(means):
    return float(np.mean([means[key][0] for key in sorted(means)]))


def exponent(means):
    return float(np.polyfit(X, [means[key][0] for key in "abc"], 1)[0])


@st.composite
def some_cells(draw):
    count = draw(st.integers(1, 4))
    runs = st.lists(st.floats(-50, 50), min_size=2, max_size=5, unique=True)
    return [draw(runs) for _ in range(count)]


def test_one_cell_has_students_interval():
    x = [1.0, 2.0, 4.0]
    found = estimate(cells(x), mean, PLAIN)
    low, high = stats.t.interval(0.95, 2, np.mean(x), stats.sem(x))
    assert (found.value, found.df, found.n) == (pytest.approx(np.mean(x)), pytest.approx(2), 3)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_two_cells_have_welchs_interval():
    a, b = [1.0, 2.0, 4.0], [3.0, 8.0, 9.0, 13.0]
    found = estimate(cells(a, b), lambda m: float(m["a"][0] - m["b"][0]), PLAIN)
    theirs = stats.ttest_ind(a, b, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert found.df == pytest.approx(theirs.df)
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


@given(some_cells(), st.randoms())
def test_relabelling_repeats_within_cells_changes_nothing(runs, random):
    found = estimate(cells(*runs), mean, PLAIN)
    shuffled = estimate(cells(*(random.sample(of, len(of)) for of in runs)), mean, PLAIN)
    for of in ("value", "low", "high", "df"):
        assert getattr(found, of) == pytest.approx(getattr(shuffled, of), abs=1e-6)


@given(some_cells(), st.floats(0.01, 100), st.floats(-100, 100))
def test_a_shift_and_a_unit_change_nothing(runs, unit, shift):
    assume(all(np.ptp(of) > 1e-3 for of in runs))
    found = estimate(cells(*runs), mean, PLAIN)
    moved = estimate(cells(*([unit * x + shift for x in of] for of in runs)), mean, PLAIN)
    assert moved.low == pytest.approx(unit * found.low + shift, abs=1e-3 * unit)
    assert moved.high == pytest.approx(unit * found.high + shift, abs=1e-3 * unit)


@given(some_cells())
def test_one_more_run_at_the_mean_in_every_cell_never_widens_the_interval(runs):
    assume(all(np.ptp(of) > 1e-3 for of in runs))
    found = estimate(cells(*runs), mean, PLAIN)
    more = estimate(cells(*([*of, float(np.mean(of))] for of in runs)), mean, PLAIN)
    assert more.high - more.low <= (found.high - found.low) * (1 + 1e-9)


@given(some_cells())
def test_one_more_run_at_the_mean_of_one_cell_never_raises_the_variance(runs):
    assume(all(np.ptp(of) > 1e-3 for of in runs))
    found = estimate(cells(*runs), mean, PLAIN)
    more = estimate(cells([*runs[0], float(np.mean(runs[0]))], *runs[1:]), mean, PLAIN)
    assert more.error <= found.error * (1 + 1e-9)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_cells_that_the_statistic_does_not_ask_for_do_not_matter(seed):
    random = np.random.default_rng(seed)
    runs = random.normal(0, 1, (3, 3))
    found = estimate(cells(*runs), exponent, PLAIN)
    more = estimate(cells(*runs, random.normal(0, 9, 3)), exponent, PLAIN)
    assert (found.low, found.high, found.df) == (more.low, more.high, more.df)


@pytest.mark.parametrize("n", [3, 5])
def test_it_covers(n):
    random = np.random.default_rng(n)
    hits = 0
    for _ in range(1000):
        runs = [random.normal(3 * x, sd, n) for x, sd in zip(X, (0.1, 0.3, 0.5), strict=True)]
        found = estimate(cells(*runs), exponent, PLAIN)
        hits += found.low <= 3 <= found.high
    assert hits >= 930


def test_a_cell_without_a_run_is_named():
    found = estimate(cells([1.0, 2.0]), lambda m: float(m["a"][0] - m["z"][0]), PLAIN)
    assert (found.problem, found.lacking, found.value) == (LACKING, ("z",), None)
    assert estimate({}, mean, PLAIN).problem == LACKING


def test_what_has_no_value_says_of_how_many_runs():
    found = estimate(cells([1.0, 2.0], [1.0, 2.0, 3.0]), lambda m: mean(m) * np.nan, PLAIN)
    assert (found.problem, found.n, found.n_most) == (NO_VALUE, 2, 3)
    nothing = estimate(cells([1.0, 2.0]), lambda m: None, PLAIN)  # which asks for no cell
    assert (nothing.problem, nothing.n, nothing.n_most, nothing.cells) == (NO_VALUE, 0, 0, ())


def pool_of(n_donors, n_runs, spread=1.0):
    random = np.random.default_rng(1)
    donors = [random.normal(0, spread, n_runs).tolist() for _ in range(n_donors)]
    return cells(*donors, pool="p")


def with_alone(of, *more, value=5.0):
    return of | {f"z{i}": Cell(np.array([[value]]), pool="p") for i, _ in enumerate(("", *more))}


def of_keys(*keys):
    return lambda means: float(sum(means[key][0] for key in keys))


def test_one_run_borrows_from_five_like_cells():
    found = estimate(with_alone(pool_of(5, 3)), of_keys("a", "b", "z0"), PLAIN)
    own = estimate(pool_of(5, 3), of_keys("a", "b"), PLAIN)
    assert (found.problem, found.borrowed, found.n) == ("", ("z0",), 1)
    pooled = np.mean([np.var(of.values, ddof=1) for of in pool_of(5, 3).values()])
    assert found.error**2 == pytest.approx(own.error**2 + pooled)


@pytest.mark.parametrize(
    ("of", "keys"),
    [
        (with_alone(pool_of(4, 5)), ("a", "b", "z0")),  # four donors
        (with_alone(pool_of(5, 2)), ("a", "b", "z0")),  # five degrees of freedom
        (with_alone(pool_of(5, 3)), ("a", "z0")),  # a half of the cells
        (with_alone(pool_of(5, 3)), ("z0",)),
        (cells([1.0, 2.0, 4.0], [1.0, 3.0], [7.0]), ("a", "b", "c")),  # no pool
    ],
)
def test_no_verdict_stands_on_borrowed_variance_beyond_its_limits(of, keys):
    found = estimate(of, of_keys(*keys), PLAIN)
    assert (found.problem, found.low) == (ALONE, None)


def test_what_is_at_a_bound_borrows_nothing():
    index = (Quantity("jfi", resolution=0.001, least=0.5, most=1.0),)
    of = {k: Cell(0.8 + 0.01 * c.values, pool="p") for k, c in pool_of(5, 3).items()}
    at = {"z0": Cell(np.array([[0.9995]]), pool="p")}
    assert estimate(of | at, of_keys("a", "b", "z0"), index).problem == AT_BOUND
    inside = {"z0": Cell(np.array([[0.9]]), pool="p")}
    assert estimate(of | inside, of_keys("a", "b", "z0"), index).problem == ""


def test_all_that_borrow_from_one_pool_are_one_component():
    of = with_alone(pool_of(6, 3), "more")
    found = estimate(of, of_keys("z0", "z1", "a", "b", "c", "d"), PLAIN)
    pooled = np.mean([np.var(c.values, ddof=1) for c in pool_of(6, 3).values()])
    parts = [(2 * pooled, 12)]
    parts += [(np.var(of[key].values, ddof=1) / 3, 2) for key in "abcd"]
    total = sum(v for v, _ in parts)
    assert found.error**2 == pytest.approx(total)
    assert found.df == pytest.approx(total**2 / sum(v**2 / f for v, f in parts))


def test_a_weight_that_cancels_is_no_cell_of_one_run():
    of = cells([1.0, 2.0, 4.0], [2.0, 3.0, 7.0], [9.0])
    found = estimate(of, lambda m: float((m["a"][0] - m["c"][0]) - (m["b"][0] - m["c"][0])), PLAIN)
    assert (found.problem, found.borrowed, found.n) == ("", (), 3)


def test_runs_that_agree_to_less_than_can_be_measured_still_have_an_interval():
    index = (Quantity("jfi", resolution=0.001),)
    found = estimate(cells([1.0, 0.9999999, 0.9999998]), mean, index)
    assert found.error == pytest.approx(0.001 / np.sqrt(3))
    assert found.low < 1 - 0.001 < 1 + 0.001 < found.high
    assert estimate(cells([1.0, 1.0, 1.0]), mean, PLAIN).problem == CONSTANT


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("linear", 0.5), ("log", 0.5 / np.e), ("dB", 5 / np.log(10) / 10**0.1)],
)
def test_a_resolution_is_of_the_quantity_and_not_of_its_scale(scale, expected):
    assert Quantity("x", scale, 0.5).least_sd(1.0) == pytest.approx(expected)


def test_runs_that_are_equal_in_all_values_are_one_run():
    assert len(cell([(1.0, 2.0), (1.0, 2.0), (1.0, 3.0)], ahead=[1, 1, 2]).values) == 2
    assert cell([(3.0,), (1.0,), (3.0,)], seeds=(1, 2, 3)).seeds == (1, 2)


FLOW = (Quantity("flow", of_flow=True), Quantity("jfi"))


@pytest.mark.parametrize(
    ("ahead", "n", "problem"),
    [
        ([1.0, -1.0, 0.1], 3, STATES),
        ([1.0, 0.1, -0.1], 3, ""),  # one run each way, but not twofold
        ([1.0, -1.0, 0.1], 10, ""),
    ],
)
def test_no_interval_rests_on_a_cell_of_two_states(ahead, n, problem):
    random = np.random.default_rng(1)
    repeated = np.resize(ahead, n)
    of = {"a": Cell(random.normal(0, 1, (n, 2)), ahead=repeated)}
    found = estimate(of, lambda m: float(m["a"][0]), FLOW)
    assert found.problem == problem
    assert (found.low is None) == bool(problem)
    assert bool(found.two_state) == (min(ahead) < -np.log(2))
    # an index does not care who is ahead
    assert estimate(of, lambda m: float(m["a"][1]), FLOW).problem == ""


def test_pairs_are_runs_of_the_same_seed():
    common = np.array([0.0, 3.0, -2.0])
    a = Cell((common + np.array([1.0, 1.1, 0.9]))[:, None], seeds=(1, 2, 3))
    b = Cell(common[[2, 0, 1]][:, None], seeds=(3, 1, 2))
    less = lambda m: float(m["a"][0] - m["b"][0])  # noqa: E731
    paired = estimate({"a": a, "b": b}, less, PLAIN, paired=True)
    low, high = stats.t.interval(0.95, 2, 1.0, stats.sem([1.0, 1.1, 0.9]))
    assert (paired.low, paired.high) == (pytest.approx(low), pytest.approx(high))
    alone = estimate({"a": a, "b": b}, less, PLAIN)
    assert alone.high - alone.low > 5 * (paired.high - paired.low)
    other = Cell(b.values, seeds=(7, 8, 9))
    assert estimate({"a": a, "b": other}, less, PLAIN, paired=True).problem
    two = {k: Cell(of.values[:2], seeds=of.seeds[:2]) for k, of in {"a": a, "b": a}.items()}
    two["b"] = Cell(two["a"].values - np.array([[1.0], [1.2]]), seeds=(1, 2))
    low, high = stats.t.interval(0.95, 1, 1.1, 0.1)
    found = estimate(two, less, PLAIN, paired=True)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_pairs_of_a_ratio_leave_each_replicate_out_once():
    a, b = np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 4.5])
    of = {k: Cell(x[:, None], seeds=(1, 2, 3)) for k, x in {"a": a, "b": b}.items()}
    found = estimate(of, lambda m: float(m["a"][0] / m["b"][0]), PLAIN, paired=True)
    left = np.array([np.delete(a, k).mean() / np.delete(b, k).mean() for k in range(3)])
    error = np.sqrt(2 / 3 * np.sum((left - left.mean()) ** 2))
    half = stats.t.ppf(0.975, 2) * error
    assert (found.high - found.low) / 2 == pytest.approx(half)


def test_it_says_how_many_runs_would_decide():
    found = estimate(cells([0.9, 0.2, 1.3], [0.1, 0.0, 0.2]), mean, PLAIN)
    above = lambda of: of.low > 0.1  # noqa: E731
    needed = runs_needed(found, above, 0.95)
    assert 3 < needed <= 30
    assert runs_needed(found, lambda of: of.low > -9, 0.95) is None  # decided
    assert runs_needed(found, lambda of: of.low > 9, 0.95) is None  # never


def test_runs_are_one_only_if_equal_in_all_that_was_measured():
    asked = [[0.0], [0.0], [0.0], [1.0]]  # a flow that starves in three of four runs
    whole = [(0.0, 7.0), (0.0, 8.0), (-0.0, 7.0), (1.0, 7.0)]
    found = cell(asked, whole, seeds=(4, 5, 6, 7), ahead=[1, 2, 3, 4])
    assert found.values.tolist() == [[0.0], [0.0], [1.0]]
    assert found.seeds == (4, 5, 7) and found.ahead.tolist() == [1, 2, 4]
    assert len(cell(asked).values) == 2  # of which nothing else is known


def test_what_was_not_measured_is_the_same_in_both():
    nothing = float("nan")
    assert len(cell([[1.0, nothing], [1.0, -nothing], [2.0, nothing]]).values) == 2


def test_a_cell_on_a_small_scale_counts_by_its_own_size():
    """A variance is nothing where it is small next to the statistic, or next to one."""
    small = cells([1e-12, 2e-12, 3e-12])
    assert estimate(small, mean, PLAIN).problem == CONSTANT
    assert estimate(cells([1.0, 1.0]), mean, PLAIN).problem == CONSTANT
    assert estimate(cells([1e9, 1e9 + 0.5]), mean, PLAIN).problem == CONSTANT
    assert estimate(cells([1e9, 1e9 + 10]), mean, PLAIN).error == pytest.approx(5)
    assert estimate(cells([1e-6, 2e-6, 3e-6]), mean, PLAIN).error == pytest.approx(1e-6 / 3**0.5)


def test_a_spread_just_below_the_resolution_counts_as_the_resolution():
    found = estimate(cells([-0.9, 0.0, 0.9]), mean, (Quantity("x", resolution=1.0),))
    assert found.error == pytest.approx(1 / 3**0.5)  # and not 0.9 / 3**0.5
    found = estimate(cells([-1.1, 0.0, 1.1]), mean, (Quantity("x", resolution=1.0),))
    assert found.error == pytest.approx(1.1 / 3**0.5)
