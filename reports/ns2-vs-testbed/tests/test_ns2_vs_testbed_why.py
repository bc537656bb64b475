"""Models beside printed surfaces, and one thing changed: hand-worked numbers and properties."""

from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load
from hypothesis import given
from hypothesis import strategies as st

FOLDER = Path(__file__).parents[1]
models, changes, why_tables = (
    load(FOLDER / f"{n}.py") for n in ("models", "changes", "why_tables")
)
Model, MODELS, model_cells = models.Model, models.MODELS, models.model_cells
distance_table, distance_summary = models.distance_table, models.distance_summary
change_table, prediction_reach = changes.change_table, changes.prediction_reach
RIGHT = Model("right", "right names", "ns2", "simulation")
WRONG = Model("wrong", "both names unknown", "ns2", "fallback", {"newreno-bic": "ns2reno-ns2reno"})


def runs_of(*rows):
    """The table `run`: (scenario, ccas, RTT in s, buffer in BDP, factors) of comparisons."""
    names = ["scenario_id", "ccas", "base_rtt_s", "buffer_bdp", "factors"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.lit("comparison").alias("role"),
        pl.lit(2).alias("n_flows"),
        pl.lit(1e8).alias("bottleneck_bps"),
        (pl.col("scenario_id") + "/r1").alias("run_id"),
        pl.lit(1).alias("repeat"),
        pl.lit(None, pl.String).alias("observed"),
    )


def cells_of(values):
    """The table `cell`: mean Jain's index by scenario."""
    return pl.DataFrame(
        {
            "scenario_id": list(values),
            "metric": ["jfi"] * len(values),
            "mean": list(values.values()),
            "n": [1] * len(values),
        }
    )


def first_row(table):
    """The first row of a pipe table; every space as a plain one."""
    return table.splitlines()[2].replace(NO_BREAK_SPACE, " ")


RIGHT_RUNS = runs_of(
    ("a", "newreno-bic", 0.025, 0.2, "{}"),
    ("b", "newreno-bic", 0.1, 0.2, "{}"),
    ("c", "newreno-bic", 0.4, 0.2, "{}"),
    ("d", "newreno-bic", 0.4, 0.8, "{}"),
)
RIGHT_CELLS = cells_of({"a": 0.5, "b": 0.6, "c": 1.0, "d": 0.2})
WRONG_RUNS = runs_of(
    ("a", "ns2reno-ns2reno", 0.025, 0.2, '{"asked": "Reno-Bic"}'),
    ("b", "ns2reno-ns2reno", 0.1, 0.2, '{"asked": "Reno-Bic"}'),
)
WRONG_CELLS = cells_of({"a": 0.9, "b": 1.0})


def printed(**values):
    rows = list(values.items())
    return pl.DataFrame(rows, schema=["statistic", "value"], orient="row").with_columns(
        pl.lit("ns2-vs-testbed").alias("paper"),
        pl.lit("fig4c").alias("item"),
        pl.lit("ns2").alias("platform"),
        pl.lit("comparison").alias("role"),
        pl.lit("newreno-bic").alias("ccas"),
        pl.lit("jfi").alias("metric"),
        pl.lit("1").alias("unit"),
        pl.lit(1.0).alias("unit_si"),
    )


@pytest.fixture
def distance():
    both = [
        (RIGHT, model_cells(RIGHT, RIGHT_CELLS, RIGHT_RUNS)),
        (WRONG, model_cells(WRONG, WRONG_CELLS, WRONG_RUNS)),
    ]
    return distance_table(printed(min=0.94, mean=0.99, max=1.0), both)


def test_a_model_stands_for_the_printed_pairing_and_lacks_buffers_that_were_not_printed():
    right = model_cells(RIGHT, RIGHT_CELLS, RIGHT_RUNS)
    assert sorted(right["buffer_bdp"].unique()) == [0.2]  # no 80 % in the printed surfaces of ns2
    wrong = model_cells(WRONG, WRONG_CELLS, WRONG_RUNS)
    assert wrong.select("ccas", "base_rtt_s", "mean").rows() == [
        ("newreno-bic", 0.025, 0.9),
        ("newreno-bic", 0.1, 1.0),
    ]


def test_a_model_of_a_factor_has_only_the_runs_that_have_it():
    window = Model("w", "window 20", "ns2", "window", factors={"window": "20"})
    runs = runs_of(
        ("a", "newreno-bic", 0.025, 0.2, '{"window": 20}'),
        ("b", "newreno-bic", 0.025, 0.2, '{"window": 2172}'),
        ("c", "newreno-bic", 0.025, 0.2, "{}"),
    )
    cells = model_cells(window, cells_of({"a": 0.7, "b": 0.8, "c": 0.9}), runs)
    assert cells["mean"].to_list() == [0.7]


def test_distances_are_those_of_the_same_cells_by_hand(distance):
    wrong = distance.filter(model="both names unknown")
    assert wrong["n_cells"].unique().to_list() == [2]
    assert wrong.select("statistic", "measured", "reference").rows() == [
        ("min", 0.9, 0.5),
        ("mean", pytest.approx(0.95), pytest.approx(0.55)),  # without the third cell's 1.0
        ("max", 1.0, 0.6),
    ]
    assert wrong["distance"].to_list() == pytest.approx([0.04, 0.04, 0.0])
    assert wrong["reference_distance"].to_list() == pytest.approx([0.44, 0.44, 0.4])
    right = distance.filter(model="right names")
    assert right["n_cells"].unique().to_list() == [3]
    assert right["measured"].to_list() == pytest.approx([0.5, 0.7, 1.0])


def test_the_summary_counts_where_a_model_is_nearer(distance):
    summary = {row["model"]: row for row in distance_summary(distance).rows(named=True)}
    wrong = summary["both names unknown"]
    assert (wrong["n_numbers"], wrong["n_nearer"], wrong["n_farther"]) == (3, 3, 0)
    assert wrong["distance"] == pytest.approx(0.08 / 3)
    assert wrong["reference_distance"] == pytest.approx(1.28 / 3)
    right = summary["right names"]
    assert (right["n_nearer"], right["n_farther"]) == (0, 0)  # it is the reference itself


def test_a_model_without_a_common_cell_has_no_row():
    far = runs_of(("a", "ns2reno-ns2reno", 0.3, 0.2, "{}"))
    both = [
        (RIGHT, model_cells(RIGHT, RIGHT_CELLS, RIGHT_RUNS)),
        (WRONG, model_cells(WRONG, cells_of({"a": 0.9}), far)),
    ]
    table = distance_table(printed(min=0.94, stddev=0.01), both)
    assert table["model"].unique().to_list() == ["right names"]
    none = distance_table(printed(min=0.94), [(RIGHT, both[0][1].clear())])
    assert none.is_empty()
    for text in (why_tables.distance_markdown(none), why_tables.summary_markdown(none)):
        assert text.splitlines()[-1].count("–") > 5


def test_one_cell_has_no_standard_deviation():
    one = runs_of(("a", "newreno-bic", 0.025, 0.2, "{}"))
    both = [(RIGHT, model_cells(RIGHT, cells_of({"a": 0.5}), one))]
    table = distance_table(printed(mean=0.5, stddev=0.01), both)
    assert table.filter(statistic="stddev")["distance"].to_list() == [None]
    assert distance_summary(table)["n_numbers"].to_list() == [1]
    assert "0.50 / –" in why_tables.distance_markdown(table)


def test_the_table_prints_a_surface_once_and_each_model_below(distance):
    lines = why_tables.distance_markdown(distance).replace(NO_BREAK_SPACE, " ").splitlines()
    assert lines[2] == (
        "| Fig. 4(c), NewReno – BIC, JFI | 0.94 / 0.99 / 1.00 | right names | 3 "
        "| 0.50 / 0.70 / 1.00 | 0.243 | – | – |"
    )
    assert lines[3] == (
        "|  |  | both names unknown | 2 | 0.90 / 0.95 / 1.00 | 0.027 | 0.50 / 0.55 / 0.60 | 0.427 |"
    )


def test_the_reference_stands_once_where_every_model_has_its_cells():
    both = [
        (RIGHT, model_cells(RIGHT, RIGHT_CELLS.head(2), RIGHT_RUNS)),
        (WRONG, model_cells(WRONG, WRONG_CELLS, WRONG_RUNS)),
    ]
    text = why_tables.distance_markdown(distance_table(printed(min=0.94), both))
    assert "Reference" not in text
    assert len(text.splitlines()) == 4


def test_numbers_of_models_without_runs_are_dashes(distance):
    variables = why_tables.distance_variables(tagged(distance, "distance"))
    assert set(variables) == {model.key for model in MODELS}
    assert variables["both_unknown"]["jfi"]["distance"] == "0.027"
    none = {"distance": "–", "reference": "–", "n_numbers": "0"}
    assert variables["netem_limit"]["jfi"] == none


# ---- one thing changed --------------------------------------------------------------------------


def values_of(*rows):
    """Rows as `run_values` gives them: (ccas, RTT in s, repeat, JFI, flow 1, flow 2 in bit/s)."""
    names = ["ccas", "base_rtt_s", "repeat", "jfi", "flow1_bps", "flow2_bps"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.format("{}/{}/r{}", "ccas", "base_rtt_s", "repeat").alias("run_id"),
        pl.lit("comparison").alias("role"),
        pl.lit(0.2).alias("buffer_bdp"),
        pl.lit("{}").alias("factors"),
        ((pl.col("flow1_bps") + pl.col("flow2_bps")) / 1e8).alias("utilisation"),
        (pl.col("flow2_bps") / (pl.col("flow1_bps") + pl.col("flow2_bps"))).alias("share2"),
    )


BASE = values_of(
    ("newreno-bic", 0.025, 1, 0.60, 20e6, 60e6),
    ("newreno-bic", 0.025, 2, 0.62, 20e6, 60e6),
    ("newreno-bic", 0.025, 3, 0.64, 20e6, 60e6),
    ("newreno-bic", 0.1, 1, 0.70, 30e6, 50e6),
    ("newreno-bic", 0.4, 1, 0.80, 30e6, 30e6),
    ("newreno-bic", 0.4, 2, 0.80, 30e6, 30e6),
)


def test_a_change_is_set_beside_the_interval_of_its_cell_by_hand():
    changed = values_of(
        ("newreno-bic", 0.025, 1, 0.75, 40e6, 50e6),
        ("newreno-bic", 0.1, 1, 0.60, 10e6, 50e6),
        ("newreno-bic", 0.4, 1, 0.90, 10e6, 50e6),
        ("newreno-bic", 0.2, 1, 0.90, 10e6, 50e6),  # the base has no such cell
    ).with_columns(pl.lit("today").alias("what"))
    ns2 = values_of(
        ("newreno-bic", 0.025, 1, 0.5, 1e6, 1e6), ("newreno-bic", 0.025, 2, 0.6, 1e6, 1e6)
    )
    table = change_table(BASE, changed, ns2, 0.95)
    rows = table.rows(named=True)
    assert [row["base_rtt_s"] for row in rows] == [0.025, 0.1, 0.4]
    repeated, single, flat = rows
    base = [f"testbed/newreno-bic/0.025/r{repeat}" for repeat in (1, 2, 3)]
    assert repeated["runs_base,expected"] == base
    assert repeated["runs"] == ["profiles/newreno-bic/0.025/r1", *base]
    # t(2) = 4.3027 at 95 %, sd 0.02, three runs and one further: 4.3027 x 0.02 x sqrt(1/3 + 1)
    assert repeated["expected_high"] - 0.62 == pytest.approx(0.09937, abs=1e-5)
    assert repeated["difference"] == pytest.approx(0.13)
    assert (repeated["simulation_jfi"], single["simulation_jfi"]) == (pytest.approx(0.55), None)
    assert repeated["outside"] is True
    assert repeated["base_utilisation"] == pytest.approx(0.8)
    assert (single["outside"], single["expected_low"], single["base_n"]) == (None, None, 1)
    assert (flat["outside"], flat["base_n"]) == (None, 2)  # repeats without variance: no interval

    line = first_row(why_tables.change_markdown(table))
    assert line == (
        "| current Linux defaults | NewReno – BIC | 3 | 0.71 | 0.75 | +0.13 | 25 ms, 20 % | 1 of 1 "
        "| 1 to 3 / 1 |"
    )
    numbers = why_tables.change_variables(tagged(table, "change"))
    assert numbers["today"]["max_rtt_before"] == "0.80"
    assert numbers["today"]["max_rtt_used_after"] == "60"
    assert (numbers["no_jitter"]["n_cells"], numbers["no_jitter"]["run"]) == ("0", "no")
    assert numbers["no_jitter"]["largest"] == "–"


@given(sd=st.floats(1e-6, 10), n=st.integers(2, 50), m=st.integers(1, 50), c=st.floats(0.6, 0.99))
def test_the_interval_narrows_with_repeats_of_either_side(sd, n, m, c):
    reach = prediction_reach(sd, n, m, c)
    assert reach > prediction_reach(sd, n + 1, m, c)
    assert reach > prediction_reach(sd, n, m + 1, c)
    assert reach == pytest.approx(sd * prediction_reach(1, n, m, c))


def test_the_interval_is_the_textbooks_for_many_runs():
    assert prediction_reach(1, 10_000, 1, 0.95) == pytest.approx(1.96, abs=0.001)
    assert prediction_reach(1, 2, 2, 0.95) == pytest.approx(12.706, abs=0.001)  # t(1), sqrt(1)


def test_what_the_companion_printed_is_what_its_own_paper_has():
    """A copy, so that this folder needs no other; where the other is there, they are the same."""
    other = FOLDER.parent / "on-path-buffering/published.csv"
    if other.is_file():
        assert (FOLDER / "companion.csv").read_bytes() == other.read_bytes()


def test_the_documented_columns_are_those_of_the_tables(distance):
    changed = BASE.with_columns(what=pl.lit("today"))
    made = {"distance": distance, "change": change_table(BASE, changed, BASE, 0.95)}
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    for name, table in made.items():
        schema = [(column, str(dtype)) for column, dtype in split(table)[0].schema.items()]
        assert documented[name] == schema
