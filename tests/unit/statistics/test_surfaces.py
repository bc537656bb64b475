"""Surfaces: cells on the grid of RTT and buffer, and the four numbers of printed captions."""

import math

import polars as pl
import pytest
from evenflow.statistics.steady import USE, is_unsteady
from evenflow.statistics.surfaces import (
    drops_at_bottleneck,
    index_on_the_grid,
    nearest_run,
    on_the_grid,
    run_values,
    runs_in_cells,
    surface_summary,
    surface_table,
    with_runs,
)

RUNS = pl.DataFrame(
    [
        ("s1/r1", "s1", "comparison", "newreno-bic", 0.025, 0.2, '{"drops": 0}'),
        ("s1/r2", "s1", "comparison", "newreno-bic", 0.025, 0.2, '{"drops": 3}'),
        ("s2/r1", "s2", "comparison", "newreno-bic", 0.1, 0.2, '{"queue": {"drops": 0}}'),
        ("s3/r1", "s3", "comparison", "newreno-bic", 0.025, 0.6, None),
        # flows of different RTTs
        ("s4/r1", "s4", "comparison", "newreno-bic", None, 0.6, None),
    ],
    schema=["run_id", "scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp", "observed"],
    orient="row",
).with_columns(pl.lit(1e8).alias("bottleneck_bps"))
CELLS = pl.DataFrame(
    {
        "scenario_id": ["s1", "s2", "s3", "s4"],
        "metric": ["jfi"] * 4,
        "mean": [0.6, 0.8, 0.7, 0.1],
        "n": [2, 1, 1, 1],
    }
)


def test_cells_have_one_place_each_and_those_without_are_left_out():
    surface = surface_table(CELLS, RUNS)
    assert surface.select("scenario_id", "base_rtt_s", "buffer_bdp", "mean").rows() == [
        ("s1", 0.025, 0.2, 0.6),
        ("s2", 0.1, 0.2, 0.8),
        ("s3", 0.025, 0.6, 0.7),
    ]


def test_a_cell_is_uncontested_if_none_of_its_runs_lost_a_packet():
    surface = surface_table(CELLS, RUNS)
    found = dict(surface.select("scenario_id", "contested").rows())
    assert found == {"s1": True, "s2": False, "s3": True}  # s3 did not count


@pytest.mark.parametrize(
    ("flow_change", "drift", "use_change", "flows", "use"),
    [
        (1.5, 0.1, 1.5, False, False),  # as much as may be
        (1.51, 0.0, 1.0, True, False),
        (1.0, 0.11, 1.0, True, False),
        (1.0, 0.0, 1.51, False, True),
        (1.51, None, 1.0, True, False),  # a single flow has no share
        (1.0, None, 1.0, False, False),
        (None, 0.11, None, True, None),
        (None, None, None, None, None),
    ],
)
def test_a_run_is_unsteady_beyond_a_factor_of_its_flows_or_points_of_their_shares(
    flow_change, drift, use_change, flows, use
):
    run = {"flow_change": flow_change, "drift": drift, "use_change": use_change}
    of = pl.DataFrame([run], schema=dict.fromkeys(run, pl.Float64))
    assert of.select(flows=is_unsteady(), use=is_unsteady(USE)).row(0) == (flows, use)


def test_the_index_of_every_run_has_its_place_and_whether_its_cell_lost_a_packet():
    """Places that differ by less than can be written are one; calibration has none."""
    runs = RUNS.with_columns(
        n_flows=pl.lit(2),
        base_rtt_s=pl.Series([0.025, 0.025 + 1e-9, 0.1, 0.025, None]),
        role=pl.Series(["comparison", None, "comparison", "calibration", "comparison"]),
    )
    index = pl.DataFrame(
        {"run_id": ["s1/r1", "s1/r2", "s2/r1", "s3/r1"], "jfi": [0.6, 0.7, 0.8, 1]}
    )
    found = index_on_the_grid(runs, index)
    columns = ("run_id", "base_rtt_s", "buffer_bdp", "contested", "value")
    assert found.select(columns).sort("run_id").rows() == [
        ("s1/r1", 0.025, 0.2, True, 0.6),
        ("s1/r2", 0.025, 0.2, True, 0.7),
        ("s2/r1", 0.1, 0.2, False, 0.8),
    ]


def test_small_buffers_of_fast_links_have_places_of_their_own():
    """At 10 Gb/s and 100 ms: 50, 100 and 120 packets, and 50 as bytes that were rounded."""
    runs = RUNS.with_columns(
        n_flows=pl.lit(2), buffer_bdp=pl.Series([0.0006, 0.0012, 0.00144, 0.00060001, None])
    )
    found = runs_in_cells(runs.filter(pl.col("run_id") != "none"))
    assert found["buffer_bdp"].drop_nulls().to_list() == [0.0006, 0.0012, 0.0014, 0.0006]


def test_a_cell_is_unsteady_if_half_of_its_runs_are():
    """Of s1 one of two runs has a flow that changes by more than 1.5, s2 moves by points."""
    metric = pl.DataFrame(
        {
            "run_id": ["s1/r1", "s1/r2", "s2/r1", "s3/r1"],
            "flow_change": [1.6, 1.0, 1.1, None],
            "drift": [0.0, 0.0, 0.2, None],
        }
    )
    surface = surface_table(CELLS, RUNS, metric)
    found = dict(surface.select("scenario_id", "unsteady").rows())
    assert found == {"s1": True, "s2": True, "s3": None}
    assert surface_table(CELLS, RUNS)["unsteady"].null_count() == 3
    (row,) = surface_summary(surface, []).rows(named=True)
    assert (row["n_cells"], row["n_uncontested"], row["n_unsteady"]) == (3, 1, 2)


@pytest.mark.parametrize(
    ("observed", "drops"),
    [
        ('{"drops": 7}', 7),
        ('{"queue": {"drops": 0}}', 0),
        ('{"drops": {"background": 4, "flows": {"1": 2, "2": 1}, "from_s": 100}}', 7),
        ('{"drops": {"flows": {"1": 2}}}', None),
        ('{"drops": "many"}', None),
        ('{"drops": true}', None),
        ('{"queue": 3}', None),
        ("[1]", None),
        (None, None),
    ],
)
def test_drops_are_those_that_a_run_counted(observed, drops):
    assert drops_at_bottleneck(observed) == drops


def test_the_four_numbers_of_a_caption_by_hand():
    surface = surface_table(CELLS, RUNS).with_columns(pl.lit("testbed").alias("part"))
    (row,) = surface_summary(surface, ["part"]).rows(named=True)
    assert row == {
        "part": "testbed",
        "metric": "jfi",
        "role": "comparison",
        "ccas": "newreno-bic",
        "min": 0.6,
        "mean": pytest.approx(0.7, abs=1e-12),
        "max": 0.8,
        "stddev": pytest.approx(math.sqrt(0.02 / 2), abs=1e-12),  # over cells, n - 1
        "n_cells": 3,
        "n_runs": 1,
        "n_runs_max": 2,
        "n_uncontested": 1,
        "n_unsteady": 0,
    }


def test_surfaces_of_different_parts_stay_apart():
    surface = surface_table(CELLS, RUNS)
    both = pl.concat(
        [
            surface.with_columns(pl.lit("testbed").alias("part")),
            surface.with_columns(pl.lit("simulation").alias("part"), pl.col("mean") / 2),
        ]
    )
    summary = surface_summary(both, ["part"])
    assert dict(summary.select("part", "max").rows()) == {"simulation": 0.4, "testbed": 0.8}


def test_only_runs_of_two_flows_with_one_rtt_and_a_buffer_have_a_place():
    runs = pl.DataFrame(
        [
            ("good", 2, "newreno-bic", 0.1, 0.5),
            ("one flow", 1, "bic", 0.1, 0.5),
            ("three", 3, "bic-bic-bic", 0.1, 0.5),
            ("no cca", 2, None, 0.1, 0.5),
            ("two RTTs", 2, "newreno-bic", None, 0.5),
            ("no buffer", 2, "newreno-bic", 0.1, None),
        ],
        schema=["run_id", "n_flows", "ccas", "base_rtt_s", "buffer_bdp"],
        orient="row",
    )
    assert on_the_grid(runs)["run_id"].to_list() == ["good"]


@pytest.mark.parametrize(
    ("left_out", "run_id"),
    [
        ([], "here"),
        (["here"], "again"),
        (["here", "again"], "same RTT"),  # the RTT comes before the buffer
        (["here", "again", "same RTT"], "twice"),  # 200 ms is as far as 50 ms, by the ratio
        (["here", "again", "same RTT", "twice", "half"], "cubic"),
    ],
)
def test_the_run_nearest_an_example(left_out, run_id):
    runs = pl.DataFrame(
        [
            ("cubic", "newreno-cubic", 0.1, 0.6, 1, "f"),
            ("again", "newreno-bic", 0.1, 0.6, 2, "a"),
            ("here", "newreno-bic", 0.1, 0.6, 1, "a"),
            ("same RTT", "newreno-bic", 0.1, 0.2, 1, "b"),
            ("half", "newreno-bic", 0.05, 0.7, 1, "c"),
            ("twice", "newreno-bic", 0.2, 0.6, 1, "d"),
        ],
        schema=["run_id", "ccas", "base_rtt_s", "buffer_bdp", "repeat", "scenario_id"],
        orient="row",
    )
    example = {"ccas": "newreno-bic", "rtt_ms": 100, "buffer_pct": 60}
    left = runs.filter(~pl.col("run_id").is_in(left_out))
    assert nearest_run(left, example)["run_id"] == run_id


def test_values_of_a_run_come_from_its_two_flows():
    runs = pl.DataFrame(
        {
            "run_id": ["a/r1", "b/r1"],
            "role": "comparison",
            "ccas": "newreno-bbr",
            "base_rtt_s": [0.1, 0.2],
            "buffer_bdp": 1.0,
            "n_flows": 2,
            "factors": "{}",
            "repeat": 1,
        }
    )
    metric = pl.DataFrame(
        {"run_id": ["a/r1", "b/r1"], "jfi": [0.8, None], "utilisation": [0.8, 0.0]}
    )
    flows = pl.DataFrame(
        {
            "run_id": ["a/r1", "a/r1", "b/r1", "b/r1"],
            "flow_id": [1, 2, 1, 2],
            "mean_throughput_bps": [20e6, 60e6, 0.0, 0.0],
        }
    )
    first, second = run_values(runs, metric, flows).rows(named=True)
    assert (first["flow1_bps"], first["flow2_bps"], first["share2"]) == (20e6, 60e6, 0.75)
    assert second["share2"] is None  # nothing arrived: nothing was shared


def test_a_cell_has_its_runs_and_an_nru_those_of_its_weights():
    columns = ["run_id", "scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp"]
    run = pl.DataFrame(
        [
            ("c/r1", "c", "comparison", "newreno-bic", 0.1, 0.2),
            ("n/r1", "n", "calibration", "newreno-newreno", 0.1, 0.2),
            ("b/r1", "b", "calibration", "bic-bic", 0.1, 0.2),
            ("far/r1", "far", "calibration", "bic-bic", 0.4, 0.2),
            ("x/r1", "x", "calibration", "newreno-bic", 0.1, 0.2),  # weighs nothing
            ("y/r1", "y", "calibration", "bic", 0.1, 0.2),  # nor does a flow alone
        ],
        schema=columns,
        orient="row",
    ).with_columns(pl.lit(1e8).alias("bottleneck_bps"))
    metrics = ["jfi", "system_nru_db", "flow_nru_db_flow1", "flow_nru_db_flow2"]
    place = run.filter(scenario_id="c").drop("run_id").with_columns(pl.lit("a").alias("part"))
    surface = place.join(pl.DataFrame({"metric": metrics}), how="cross")
    found = with_runs(surface, {"a": run})
    assert dict(found.select("metric", "runs").rows()) == {
        "jfi": ["a/c/r1"],
        "system_nru_db": ["a/b/r1", "a/c/r1", "a/n/r1"],
        "flow_nru_db_flow1": ["a/c/r1", "a/n/r1"],
        "flow_nru_db_flow2": ["a/b/r1", "a/c/r1"],
    }
    without = with_runs(surface, {"a": run.filter(role="comparison")})
    assert without["metric"].to_list() == metrics  # no calibration takes no cell away
    assert without["runs"].to_list() == [["a/c/r1"]] * 4
