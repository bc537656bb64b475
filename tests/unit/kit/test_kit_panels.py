"""Small multiples: a panel a pairing, whiskers, marks of one run, and panels without a run."""

import altair as alt
import polars as pl
import pytest
from evenflow.charts.base import NO_RUN
from evenflow.kit.panels import (
    by_platform,
    cells_by_factor,
    empty_panel,
    in_rows,
    log_ends,
    panel_heading,
    powers_of_ten,
    whiskered,
)

CCAS = ["newreno-bic", "newreno-cubic", "bic-bic", "cubic-cubic"]
RUN = pl.DataFrame(
    {
        "scenario_id": [f"{ccas}/{rtt}" for ccas in CCAS for rtt in (0.025, 0.1)],
        "ccas": [ccas for ccas in CCAS for _ in range(2)],
        "base_rtt_s": [0.025, 0.1] * 4,
    }
)
CELL = RUN.select("scenario_id").with_columns(
    metric=pl.lit("jfi"),
    mean=pl.Series([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]),
    ci_low=pl.Series([0.4, None, *[0.65] * 6]),
    ci_high=pl.Series([0.6, None, *[1.0] * 6]),
    n=pl.Series([3, 1, *[3] * 6]),
)


def values_in(spec: object, key: str) -> list:
    """Return all values of a key, at any depth."""
    found = []
    if isinstance(spec, dict):
        found += [spec[key]] if key in spec else []
        for value in spec.values():
            found += values_in(value, key)
    elif isinstance(spec, list):
        for value in spec:
            found += values_in(value, key)
    return found


def test_a_panel_a_pairing_three_in_a_row_with_one_run_hollow():
    spec = cells_by_factor(CELL, RUN, "jfi", "base_rtt_s")
    rows = spec["vconcat"]
    assert [len(row["hconcat"]) for row in rows] == [3, 1]
    titles = [title["text"] for title in values_in(spec, "title") if isinstance(title, dict)]
    assert titles == [["BIC – BIC"], ["CUBIC – CUBIC"], ["NewReno – BIC"], ["NewReno – CUBIC"]]
    assert {"datum.n > 1", "datum.n == 1"} <= set(map(str, values_in(spec, "filter")))
    domains = [tuple(d) for d in values_in(spec, "domain") if isinstance(d, list)]
    assert (25.0, 100.0) in domains and (0.4, 1.0) in domains  # ms; of all panels, whiskers too


def test_runs_of_unknown_congestion_control_have_a_panel():
    unknown = RUN.with_columns(pl.col("ccas").replace({"bic-bic": None}))
    spec = cells_by_factor(CELL, unknown, "jfi", "base_rtt_s")
    titles = [title["text"] for title in values_in(spec, "title") if isinstance(title, dict)]
    assert titles[0] == ["congestion control not known"]


def test_without_a_value_of_the_metric_the_figure_says_so():
    assert NO_RUN in str(cells_by_factor(CELL.clear(), RUN, "jfi", "base_rtt_s"))


def test_what_is_measured_on_a_platform_has_its_colour_and_its_whiskers():
    points = pl.DataFrame(
        {
            "platform": ["ns-2"],
            "queue": ["20 %"],
            "rtt": [16],
            "jfi": [0.5],
            "lo": [0.4],
            "hi": [0.6],
        }
    )
    marks = by_platform("queue", ["20 %", "3 MB"], "Queue")
    x, y = alt.X("rtt:Q"), alt.Y("jfi:Q")
    drawn = whiskered(points, x, y, ("lo", "hi"), marks, "queue", 150, 100).to_dict()
    lines, rules, dots = drawn["layer"]
    assert (rules["encoding"]["y"]["field"], rules["encoding"]["y2"]["field"]) == ("lo", "hi")
    assert (
        dots["encoding"]["y"]["field"] == "jfi" and lines["encoding"]["detail"]["field"] == "queue"
    )
    scale = dots["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["ns-2"] == "#D55E00"


def test_a_panel_without_a_run_has_its_axes_and_words():
    x = alt.X("rtt:Q", scale=alt.Scale(domain=[16, 324]))
    y = alt.Y("jfi:Q", scale=alt.Scale(domain=[0, 1]))
    panel = empty_panel(panel_heading("BIC", "no run"), x, y, 150, 100)
    spec = in_rows([panel], 3)
    assert NO_RUN in map(str, values_in(spec, "text"))
    assert [16, 324] in values_in(spec, "domain") and [0, 1] in values_in(spec, "domain")


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([1.0, 2.0], (0.1, 10.0)),
        ([0.05, 1.0], (0.01, 10.0)),
        ([3.0, 250.0, 0.0, None, float("inf")], (0.1, 1000.0)),  # a flow starved: no place
    ],
)
def test_a_logarithmic_axis_ends_at_powers_of_ten_around_all_values(values, ends):
    found = log_ends(pl.Series(values, dtype=pl.Float64), 0.1)
    assert found == pytest.approx(ends)
    assert powers_of_ten(ends)[0] == ends[0] and powers_of_ten(ends)[-1] == pytest.approx(ends[1])


def test_a_heading_says_how_many_scenarios_have_no_mean():
    first = pl.col("scenario_id") == CELL["scenario_id"][0]
    cell = CELL.with_columns(mean=pl.when(~first).then("mean"))
    every = str(cells_by_factor(cell, RUN, "jfi", "base_rtt_s"))
    assert every.count("1 without a value") == 1
    assert "without a value" not in str(cells_by_factor(CELL, RUN, "jfi", "base_rtt_s"))
