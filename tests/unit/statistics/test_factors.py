"""What the scenarios of a data set differ in, and along what they are drawn."""

import json

import polars as pl
import pytest
from evenflow.charts.placing import placed_scenarios
from evenflow.statistics.factors import (
    MIX,
    ROLE,
    drawn_along,
    following,
    mix_name,
    panel_names,
    scenario_factors,
)

RTT, BUFFER = "RTT (ms)", "Buffer (% of BDP)"
RUN = {
    "run_id": pl.String,
    "scenario_id": pl.String,
    "repeat": pl.Int32,
    "role": pl.String,
    "ccas": pl.String,
    "n_flows": pl.Int32,
    "base_rtt_s": pl.Float64,
    "buffer_bdp": pl.Float64,
    "buffer_bytes": pl.Int64,
    "bottleneck_bps": pl.Float64,
    "duration_s": pl.Float64,
    "aqm": pl.String,
    "factors": pl.String,
}
FLOW = {
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "base_rtt_s": pl.Float64,
    "cca": pl.String,
    "cross_traffic": pl.Boolean,
}


def runs(*rows):
    """Return the table `run` of rows given as dicts; scenarios are a, b, ..."""
    usual = {"repeat": 1, "role": "comparison", "ccas": "newreno-bic", "n_flows": 2}
    named = [
        {**dict.fromkeys(RUN), **usual, "scenario_id": (s := chr(97 + i)), "run_id": f"{s}/r1", **r}
        for i, r in enumerate(rows)
    ]
    return pl.DataFrame(named, schema=RUN)


def flows(*rows):
    """Return the table `flow` of rows: run, number, RTT (s), congestion control, cross traffic."""
    usual = (None, "cubic", False)
    rows = [(*row, *usual[len(row) - 2 :]) for row in rows]
    return pl.DataFrame(rows, schema=FLOW, orient="row")


def grid(rtts, buffers):
    return runs(*({"base_rtt_s": r / 1000, "buffer_bdp": b / 100} for r in rtts for b in buffers))


def test_repeats_of_a_scenario_are_one_row():
    repeats = [{"scenario_id": s, "repeat": r, "run_id": f"{s}/r{r}"} for r in (2, 1) for s in "ba"]
    table, _ = scenario_factors(runs(*repeats), flows())
    assert table["scenario_id"].to_list() == ["a", "b"]


def test_two_numbers_that_span_a_grid_are_its_axes():
    table, numeric = scenario_factors(grid([25, 50, 100], [20, 60]), flows())
    assert drawn_along(table, numeric) == ([RTT, BUFFER], [])
    assert table[RTT].unique().sort().to_list() == [25, 50, 100]
    assert set(panel_names(table, [])) == {"NewReno – BIC"}


def test_numbers_that_vary_together_span_no_grid():
    diagonal = runs(*({"base_rtt_s": i / 100, "buffer_bdp": i / 10} for i in (1, 2, 3, 4)))
    table, numeric = scenario_factors(diagonal, flows())
    assert drawn_along(table, numeric) == ([RTT], [])
    assert following(table, [RTT], []) == [BUFFER]


def test_what_follows_from_other_factors_names_no_panel():
    """Each change of the hosts is a profile and a jitter: the change alone is named."""
    rows = [
        {"base_rtt_s": rtt, "buffer_bdp": share, "factors": json.dumps(free)}
        for rtt in (0.025, 0.1)
        for share in (0.2, 1)
        for free in (
            {"changed": "buffers", "host profile": "period, large buffers", "jitter us": "50"},
            {"changed": "no jitter", "host profile": "period", "jitter us": "0"},
            {"changed": "today", "host profile": "today's defaults", "jitter us": "50"},
        )
    ]
    table, numeric = scenario_factors(runs(*rows), flows())
    assert drawn_along(table, numeric) == ([RTT, BUFFER], ["changed"])
    assert following(table, [RTT, BUFFER], ["changed"]) == ["host profile", "jitter us"]


def test_a_number_of_the_network_gives_way_to_the_name_that_settles_it():
    """A queue of three megabytes is another share of each path's bandwidth-delay product."""
    rows = [
        {"base_rtt_s": rtt, "buffer_bdp": share, "factors": json.dumps({"queue": queue})}
        for rtt in (0.016, 0.042, 0.082, 0.162, 0.324)
        for queue, share in (("bdp20", 0.2), ("3mb", 0.027 / rtt))
    ]
    table, numeric = scenario_factors(runs(*rows), flows())
    assert drawn_along(table, numeric) == ([RTT], ["queue"])


def test_scenarios_that_share_no_panel_have_a_row_each():
    rows = [
        {"duration_s": 100.0 + 100 * (i % 2), "factors": json.dumps({"load": f"load {i}"})}
        for i in range(10)
    ]
    table, numeric = scenario_factors(runs(*rows), flows())
    assert numeric == ["Length (s)"]
    assert drawn_along(table, numeric) == ([], ["load"])


def test_a_factor_with_one_value_is_none():
    table, numeric = scenario_factors(grid([25], [20, 60]), flows())
    assert numeric == [BUFFER]
    assert table.columns == ["scenario_id", ROLE, MIX, BUFFER]
    assert drawn_along(*scenario_factors(runs({}), flows())) == ([], [])


def test_the_buffer_in_bytes_counts_only_where_there_is_no_share():
    sizes = [{"buffer_bytes": n * 1000} for n in (64, 128)]
    assert scenario_factors(runs(*sizes), flows())[1] == ["Buffer (kB)"]
    shares = [{**size, "buffer_bdp": 1.0} for size in sizes]
    assert scenario_factors(runs(*shares), flows())[1] == []


def test_free_factors_are_numbers_where_all_of_them_are():
    free = [
        {"factors": json.dumps({"loss_pct": n, "host": h})} for n, h in (("0", "x"), ("1", "y"))
    ]
    table, numeric = scenario_factors(runs(*free), flows())
    assert numeric == ["loss pct"]
    assert panel_names(table, ["host"]).to_list() == [
        "NewReno – BIC, host x",
        "NewReno – BIC, host y",
    ]


def test_a_factor_that_repeats_another_is_left_out():
    counted = [
        {"n_flows": n, "ccas": "-".join(["cubic"] * n), "factors": json.dumps({"n": str(n)})}
        for n in (1, 2, 10)
    ]
    table, numeric = scenario_factors(runs(*counted), flows())
    assert numeric == ["Flows"]
    assert table[MIX].to_list() == ["CUBIC"] * 3  # one line over the number of flows


def test_flows_with_rtts_of_their_own():
    table, numeric = scenario_factors(
        runs({}, {}),
        flows(("a/r1", 1, 0.16), ("a/r1", 2, 0.04), ("b/r1", 1, 0.16), ("b/r1", 2, 0.08)),
    )
    assert numeric == ["RTT of flow 2 (ms)"]
    assert table[numeric[0]].to_list() == [40, 80]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([0.01, 0.1], ["NewReno – BIC, RTT (ms) 10 and 100"]),
        ([0.1, 0.01, 0.01], ["NewReno – BIC, RTT (ms) 100 and 10"]),
        ([0.01, 0.02, 0.03, 0.04], ["NewReno – BIC, RTT (ms) 10 to 40"]),
        ([0.01, 0.01], ["NewReno – BIC"]),
        ([0.01, None], ["NewReno – BIC"]),
    ],
)
def test_a_setting_is_named_by_the_rtts_of_its_flows_where_they_differ(own, said):
    of_flows = flows(*(("a/r1", n, rtt_s) for n, rtt_s in enumerate(own, start=1)))
    of_flows = of_flows.vstack(flows(("a/r1", 9, 0.7, None, True)))  # cross traffic
    names = placed_scenarios(runs({}), of_flows).table["panel"].to_list()
    assert [name.replace(" (comparison)", "") for name in names] == said


def test_settings_that_are_drawn_along_rtts_of_flows_share_a_panel():
    own = flows(("a/r1", 1, 0.16), ("a/r1", 2, 0.04), ("b/r1", 1, 0.16), ("b/r1", 2, 0.08))
    placed = placed_scenarios(runs({}, {}), own)
    assert placed.axes == ["RTT of flow 2 (ms)"] and placed.table["panel"].n_unique() == 1


def test_rtts_of_flows_count_where_some_runs_have_none_of_their_own():
    own = flows(("a/r1", 1, 0.05), ("a/r1", 2, 0.05), ("b/r1", 1, 0.16), ("b/r1", 2, 0.08))
    some = [{"base_rtt_s": 0.05}, {}]
    assert scenario_factors(runs(*some), own)[1] == ["RTT of flow 1 (ms)", "RTT of flow 2 (ms)"]
    every = [{"base_rtt_s": 0.05}, {"base_rtt_s": 0.16}]
    assert scenario_factors(runs(*every), own)[1] == [RTT]
    many = [{"n_flows": 5}, {}]  # too many to draw by
    assert "RTT of flow 1 (ms)" not in scenario_factors(runs(*many), own)[1]


@pytest.mark.parametrize(
    ("column", "values", "name", "printed"),
    [
        ("base_rtt_s", (0.0251236, 0.05), "RTT (ms)", [25.124, 50]),
        ("buffer_bdp", (0.20456, 1.0), "Buffer (% of BDP)", [20.5, 100]),
        ("buffer_bytes", (64_160, 128_000), "Buffer (kB)", [64.2, 128]),
        ("bottleneck_bps", (9_876_543.0, 1e8), "Bottleneck (Mb/s)", [9.877, 100]),
        ("n_flows", (2, 10), "Flows", [2, 10]),
        ("n_cross_traffic", (0, 3), "Flows of cross traffic", [0, 3]),
        ("duration_s", (100.26, 300.0), "Length (s)", [100.3, 300]),
    ],
)
def test_each_number_of_the_network_has_its_unit_and_digits(column, values, name, printed):
    of = runs({}, {}).with_columns(pl.Series(column, values))
    table, numeric = scenario_factors(of, flows())
    assert numeric == [name]
    assert table[name].to_list() == printed


def test_a_scenario_of_which_one_congestion_control_is_unknown_is_named_by_the_others():
    known = [("a/r1", 1, None, "cubic"), ("a/r1", 2, None, None), ("b/r1", 1, None, "bbr")]
    of_flows = flows(*known, ("b/r1", 2, None, None), ("b/r1", 3, None, "bic", True))
    table, _ = scenario_factors(runs({"ccas": None}, {"ccas": None}), of_flows)
    assert table[MIX].to_list() == ["CUBIC, others not known", "BBR, others not known"]


@pytest.mark.parametrize(
    ("ccas", "n_flows", "name"),
    [
        ("newreno-bic", 2, "NewReno – BIC"),
        ("cubic", 1, "CUBIC"),
        ("cubic-cubic-bbr", 3, "2 × CUBIC, 1 × BBR"),
        ("my-cca", 2, "my – cca"),
        ("cubic", 2, "CUBIC, others not known"),
        (None, 2, "not known"),
        ("", 2, "not known"),
    ],
)
def test_names_of_mixes(ccas, n_flows, name):
    assert mix_name(ccas, n_flows) == name
