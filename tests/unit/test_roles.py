"""Data sets in the roles of a paper: who plays, and what is refused with which remedy."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.roles import (
    cast,
    check_common_cells,
    check_role,
    check_surface,
    listed,
    rerun_title,
)
from evenflow.statistics.surfaces import on_the_grid

PAPERS = {
    "on-path-buffering": {"testbed": "a", "testbed_alternative": "b"},
    "ns2-vs-testbed": {"testbed": "a", "testbed_alternative": "b", "simulation": "s"},
}


@pytest.mark.parametrize(
    ("given", "on_path", "ns2"),
    [
        ({}, ["a", "b"], ["a", "b", "s"]),
        ({"testbed": None}, ["a", "b"], ["a", "b", "s"]),
        ({"testbed": "x"}, ["x"], ["x", "s"]),  # the second testbed was of the first one
        ({"testbed": "x", "testbed_alternative": "y"}, ["x", "y"], ["x", "y", "s"]),
        ({"testbed_alternative": "y"}, ["a", "y"], ["a", "y", "s"]),
        ({"simulation": "x"}, ["a", "b"], ["a", "b", "x"]),
    ],
)
def test_given_data_sets_take_the_roles_that_a_paper_has(given, on_path, ns2):
    found = cast(PAPERS, given)
    assert list(found["on-path-buffering"].values()) == on_path
    assert list(found["ns2-vs-testbed"].values()) == ns2


def test_a_given_simulator_is_of_the_papers_on_the_grid_only():
    papers = {**PAPERS, "my-paper": {"simulation": "y"}}
    assert cast(papers, {"simulation": "x"})["my-paper"] == {"simulation": "y"}


@pytest.mark.parametrize("nobody", [None, "", {"simulation": None}])
def test_a_paper_that_nobody_plays_in_is_left_out(nobody):
    assert cast({**PAPERS, "my-paper": nobody}, {}) == PAPERS


@pytest.mark.parametrize("nobody", [None, "", "null"])
def test_nobody_has_to_play_the_second_testbed(nobody):
    papers = {"on-path-buffering": {"testbed": "a", "testbed_alternative": nobody}}
    assert cast(papers, {}) == {"on-path-buffering": {"testbed": "a"}}


RUN = {
    "dataset_id": "mine",
    "scenario_id": "s",
    "role": "comparison",
    "ccas": "newreno-bic",
    "n_flows": 2,
    "base_rtt_s": 0.1,
    "buffer_bdp": 0.6,
    "bottleneck_bps": 1e8,
}
CALIBRATION = {"role": "calibration", "ccas": "bic-bic", "scenario_id": "c"}
SCHEMA = {
    "dataset_id": pl.String,
    "scenario_id": pl.String,
    "role": pl.String,
    "ccas": pl.String,
    "n_flows": pl.Int32,
    "base_rtt_s": pl.Float64,
    "buffer_bdp": pl.Float64,
    "bottleneck_bps": pl.Float64,
}


def runs(*changes: dict) -> pl.DataFrame:
    return pl.DataFrame([{**RUN, **change} for change in changes], schema=SCHEMA)


def check(paper: str, table: pl.DataFrame) -> None:
    check_role(paper, "testbed", table, on_the_grid(table))


def test_what_a_paper_needs_is_enough():
    check("on-path-buffering", runs({}, CALIBRATION))
    check("ns2-vs-testbed", runs({}))
    # a single buffer, another variant, no NewReno against itself, more pairings: cells stay empty
    check(
        "ns2-vs-testbed", runs({"ccas": "newreno-bbr"}, {"ccas": "cubic-bbr", "scenario_id": "t"})
    )
    check("ns2-vs-testbed", runs({}, {"n_flows": 3, "ccas": "bic-bic-bic"}, {"base_rtt_s": None}))


@pytest.mark.parametrize(
    ("changes", "problem", "remedy"),
    [
        ([{}], "it has no calibration run", "{role} in the path"),
        ([CALIBRATION], "it has no comparison run", "defaults: {role: comparison}"),
        ([{"role": None}], "it has no comparison run", "defaults: {role: comparison}"),
        ([{"base_rtt_s": None}, CALIBRATION], "one round-trip time for both flows", "rtt_ms"),
        ([{"buffer_bdp": None}, CALIBRATION], "has a buffer in %", "buffer_pct"),
        ([{"ccas": None}, CALIBRATION], "the congestion control of both flows", "cca1"),
        ([{"n_flows": 3}, CALIBRATION], "no comparison run has two flows", "two flows"),
        ([{"ccas": "reno-bic"}, CALIBRATION], "NewReno in none of its pairings", "write newreno"),
        ([{}, {"scenario_id": "t"}, CALIBRATION], "1 cells hold several scenarios", "{repeat}"),
    ],
)
def test_a_data_set_that_cannot_play_is_refused_with_the_remedy(changes, problem, remedy):
    with pytest.raises(DataError) as error:
        check("on-path-buffering", runs(*changes))
    assert error.value.problem.startswith("mine cannot be the testbed of on-path-buffering: ")
    assert problem in error.value.problem
    assert remedy in error.value.remedy
    assert error.value.path == "mine/dataset.yml"


def test_without_any_nru_there_is_no_paper_on_it():
    surface = pl.DataFrame({"metric": ["jfi"]})
    check_surface("ns2-vs-testbed", "testbed", "mine", surface)
    with pytest.raises(DataError, match=r"no NRU.*Remedy: add calibration runs"):
        check_surface("on-path-buffering", "testbed", "mine", surface)


def test_grids_without_a_common_cell_are_both_named():
    mine, other = runs({}), runs({"base_rtt_s": 0.05}, {"base_rtt_s": 0.2, "ccas": "newreno-cubic"})
    check_common_cells(mine, mine, ["s", "t"])
    with pytest.raises(DataError) as error:
        check_common_cells(mine, other, ["s", "t"])
    assert "s has 100 Mb/s; 100 ms; 60 % of the BDP; NewReno – BIC" in error.value.problem
    assert "t has 100 Mb/s; 50, 200 ms" in error.value.problem
    assert error.value.remedy


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([25.0, 100.0, None, 25.0], "25, 100"),
        ([25.0 * i for i in range(1, 17)], "25 to 400 by 25"),
        ([25, 50, 100, 200, 400], "25, 50, 100, 200, 400"),
        ([20.0, 40.0, 60.0], "20, 40, 60"),
        ([12.5], "12.5"),
        ([], ""),
    ],
)
def test_numbers_of_an_axis_in_words(values, text):
    assert listed(pl.Series(values, dtype=pl.Float64)) == text


@pytest.mark.parametrize(
    ("titles", "own", "text"),
    [
        ({"testbed": "A", "simulation": "S"}, ["testbed", "simulation"], "a reproduction"),
        ({"testbed": "My data", "simulation": "S"}, ["simulation"], 're-run on data set "My data"'),
        ({"testbed": "A", "testbed_alternative": "A"}, [], 're-run on data set "A"'),
        (
            {"testbed": "A", "testbed_alternative": "B", "simulation": "S"},
            [],
            're-run on data sets "A" (testbed), "B" (second testbed) and "S" (simulator)',
        ),
    ],
)
def test_the_title_says_what_a_report_was_made_of(titles, own, text):
    assert rerun_title(titles, own) == text
