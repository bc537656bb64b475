"""Two data sets beside each other: which cells are common, and the page that says so."""

import json
import re

import polars as pl
import pytest
from evenflow.configuration import comparisons_of
from evenflow.errors import DataError
from evenflow.pages.comparison import Side, comparison_page, comparison_title
from evenflow.statistics.comparison import cell_match, index_difference, verdict_sensitivity
from evenflow.statistics.surfaces import index_on_the_grid

SETTINGS = {"margin": 0.05, "confidence": 0.95, "fdr": 0.05}
COLUMNS = {
    "run_id": pl.String,
    "scenario_id": pl.String,
    "dataset_id": pl.String,
    "role": pl.String,
    "ccas": pl.String,
    "n_flows": pl.Int32,
    "bottleneck_bps": pl.Float64,
    "base_rtt_s": pl.Float64,
    "buffer_bdp": pl.Float64,
    "observed": pl.String,
    "factors": pl.String,
    **dict.fromkeys(("platform", "tool", "aqm"), pl.String),
    "n_cross_traffic": pl.Int32,
}

FOUND = pl.DataFrame(
    {
        "severity": ["error", "error", "warning", "note"],
        "check": ["log left out", "log left out", "stalled flow", "partial last interval"],
        "message": ["x.log is a|b", "y.log", "it carried nothing", "none"],
    }
)


def runs(*changes: dict) -> pl.DataFrame:
    rows = []
    for i, change in enumerate(changes):
        row = {"run_id": f"r{i}", "scenario_id": "s", "dataset_id": "d", "role": "comparison"}
        row |= {"ccas": "newreno-bic", "n_flows": 2, "bottleneck_bps": 1e8}
        rows.append({**row, "base_rtt_s": 0.1, "buffer_bdp": 0.6, **change})
    return pl.DataFrame(rows, schema=COLUMNS)


def tables(
    run: pl.DataFrame, jfi: list[float], mss: int | None = None, window: tuple = (20.0, 60.0)
) -> dict[str, pl.DataFrame]:
    metric = run.select("run_id").with_columns(jfi=pl.Series(jfi, dtype=pl.Float64))
    starts = [
        metric.with_columns(parameter=pl.lit(p), value=pl.lit(v, dtype=pl.String))
        for p, v in (("warmup_s", "20"), ("warmup_mser5", None), ("weight_from", "all"))
    ]
    ids = run.select("run_id")
    flow = ids.with_columns(flow_id=1, mss_bytes=pl.lit(mss, pl.Int32), side=pl.lit("receiver"))
    times = dict(zip(("warmup_s", "end_s"), window, strict=True))
    window = ids.with_columns(**{name: pl.lit(s, pl.Float64) for name, s in times.items()})
    side = {"run": run, "run_metric": metric, "sensitivity": pl.concat(starts)}
    flow = flow.with_columns(start_s=pl.lit(0.0), start_is_assumed=pl.lit(False))
    return side | {"flow": flow, "window": window, "stream": streams(run)}


def streams(run: pl.DataFrame, **said) -> pl.DataFrame:
    """Return the streams of flow 1 of each run; `said`: what their logs say."""
    usual = {"side": "sender", "protocol": "tcp", "local": "10.0.0.1:1", "peer": "10.0.0.2:2"}
    of = {**usual, "planned_s": None, "options": None, **said}
    return run.select("run_id", flow_id=1, counts=True).with_columns(
        pl.lit(value, pl.Float64 if name == "planned_s" else pl.String).alias(name)
        for name, value in of.items()
    )


def index(side: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return index_on_the_grid(side["run"], side["run_metric"])


def test_runs_without_a_role_count_and_calibration_does_not():
    run = runs({"role": None}, {"role": "calibration"}, {}, {"n_flows": 3}, {"buffer_bdp": None})
    assert index(tables(run, [0.9] * 5))["run_id"].to_list() == ["r0", "r2"]


def test_a_cell_that_is_uncontested_on_one_side_is_told():
    """Where no run lost a packet on a side there is nothing to be fair about."""
    calm, lost = '{"drops": 0}', '{"drops": 7}'
    mine = tables(runs({"observed": lost}, {"base_rtt_s": 0.2, "scenario_id": "t"}), [0.9, 0.8])
    places = ({"observed": calm}, {"base_rtt_s": 0.2, "scenario_id": "t", "observed": lost})
    found = index_difference(mine, tables(runs(*places), [1.0, 0.8]), SETTINGS)
    assert found.select("base_rtt_s", "contested").rows() == [(0.1, False), (0.2, True)]


def test_cells_are_the_same_by_pairing_bandwidth_rtt_and_buffer():
    mine = tables(runs({}, {"base_rtt_s": 0.2, "scenario_id": "t"}), [0.9, 0.8])
    for other in ({"ccas": "bic-newreno"}, {"bottleneck_bps": 1e9}, {"buffer_bdp": 0.4}):
        match = cell_match(index(mine), index(tables(runs(other), [0.7])))
        assert len(match) == 3 and not match["compared"].any()
    match = cell_match(index(mine), index(tables(runs({}, {}), [0.7, 0.6])))
    assert match.select("base_rtt_s", "of_n", "against_n", "compared").rows() == [
        (0.1, 1, 2, True),
        (0.2, 1, 0, False),
    ]


def test_an_unknown_bandwidth_is_no_bandwidth_in_common():
    blind = tables(runs({"bottleneck_bps": None}), [0.9])
    assert not cell_match(index(blind), index(blind))["compared"].any()


def test_scenarios_that_the_grid_cannot_tell_apart_are_not_pooled():
    crowded = tables(runs({}, {"scenario_id": "with red"}), [0.9, 0.5])
    plain = tables(runs({}, {}), [0.9, 0.8])
    for sides in ((crowded, plain), (plain, crowded)):
        assert cell_match(*map(index, sides))["compared"].to_list() == [False]
        assert index_difference(*sides, SETTINGS).is_empty()
        assert verdict_sensitivity(*sides, SETTINGS).is_empty()


def test_the_difference_is_that_of_the_means_and_moves_with_the_start():
    mine = tables(runs({}, {}), [0.9, 0.8])
    other = tables(runs({}, {}), [0.7, 0.6])
    assert index_difference(mine, other, SETTINGS)["d"].to_list() == pytest.approx([0.2])
    moved = verdict_sensitivity(mine, other, SETTINGS)
    assert moved.select("parameter", "value").rows() == [("warmup_mser5", None), ("warmup_s", "20")]


def test_a_start_that_one_side_lacks_is_left_out():
    mine, other = (tables(runs({}, {}), values) for values in ([0.9, 0.8], [0.7, 0.6]))
    fewer = mine | {"sensitivity": mine["sensitivity"].filter(parameter="warmup_s")}
    for sides in ((fewer, other), (other, fewer)):
        found = verdict_sensitivity(*sides, SETTINGS)
        assert found.select("parameter", "value").rows() == [("warmup_s", "20")]


def test_nothing_to_compare_has_the_columns_of_something():
    mine, other = (tables(runs(*change), [0.9, 0.8]) for change in ([{}, {}], [{}, {}]))
    elsewhere = tables(runs({"buffer_bdp": 0.2}), [0.9])
    for made in (index_difference, verdict_sensitivity):
        assert made(mine, elsewhere, SETTINGS).schema == made(mine, other, SETTINGS).schema
    assert (
        cell_match(index(mine)[:0], index(other)[:0]).schema
        == cell_match(index(mine), index(other)).schema
    )


def page(tmp_path, of: dict, against: dict, names=("a", "b|c"), finding=None) -> str:
    files = {}
    made = {
        "cell_match": cell_match(index(of), index(against)),
        "difference": index_difference(of, against, SETTINGS),
        "verdict_sensitivity": verdict_sensitivity(of, against, SETTINGS),
    }
    for name in made:
        paths = {kind: tmp_path / f"{name}.{kind}" for kind in ("parquet", "csv")}
        for path in paths.values():
            path.write_text("x")
        files[name] = paths
    figures = {name: tmp_path / f"{name}.svg" for name in ("difference-surfaces", "verdicts")}
    for path in figures.values():
        path.write_text("<svg></svg>")
    found = finding or {}
    sides = [
        Side(
            name,
            {},
            side["run"],
            found.get(name, FOUND.clear()),
            side["flow"],
            side["window"],
            side["stream"],
        )
        for name, side in zip(names, (of, against), strict=True)
    ]
    settings = {"confidence": 0.95, "equivalence_margin_jfi": 0.05, "fdr": 0.05}
    return comparison_page(*sides, made, figures, files, settings)


def test_the_page_without_a_common_cell_says_what_makes_a_cell_common(tmp_path):
    here, there = tables(runs({}), [0.9]), tables(runs({"buffer_bdp": 0.2}), [0.9])
    text = page(tmp_path, here, there)
    assert "There is no cell to compare" in text and "`bottleneck_mbps`" in text
    assert "# Verdicts" not in text and ".svg" not in text
    assert "datasets/b%7Cc/index.html" in text


def test_the_page_carries_what_was_found_wrong_with_either_data_set(tmp_path):
    here, there = tables(runs({}, {}), [0.9, 0.8]), tables(runs({}, {}), [0.7, 0.6])
    text = page(tmp_path, here, there)
    assert "Neither data set has an error or a warning." in text
    assert "Do not use these numbers" not in text
    text = page(tmp_path, here, there, finding={"a": FOUND[2:], "b|c": FOUND})
    assert "**Do not use these numbers yet**: T has 2 errors;" in text
    assert "| S | warning | stalled flow | 1 | it carried nothing |" in text
    assert "| T | error | log left out | 2 | x.log is a\\|b |" in text
    assert "Notes are on the pages of the data sets: S 1, T 1." in text
    assert "datasets/a/index.html" in text.partition("# What was found wrong")[2]


def test_the_page_names_cells_that_hold_several_scenarios(tmp_path):
    crowded = tables(runs({}, {"scenario_id": "with red"}), [0.9, 0.5])
    text = page(tmp_path, crowded, tables(runs({}, {}), [0.9, 0.8]))
    assert "1 cell of `a` holds several scenarios" in text


def test_a_cell_in_which_no_run_of_a_side_has_an_index_is_not_compared(tmp_path):
    """Two cells in both; in one of them nothing was carried on one side."""
    places = ({}, {"base_rtt_s": 0.2, "scenario_id": "t"})
    here, there = tables(runs(*places), [0.9, None]), tables(runs(*places), [0.7, 0.6])
    match = cell_match(index(here), index(there))
    assert match.select("of_n", "of_known", "compared").rows() == [(1, 1, True), (1, 0, False)]
    text = page(tmp_path, here, there)
    assert "| NewReno – BIC | 2 | 2 | 2 | 1 |" in text and "mean over 1 cell is" in text
    said = "In 1 cell no run of `a` has a Jain's index, the first NewReno – BIC at 200 ms"
    assert said in text
    text = page(tmp_path, tables(runs({}), [None]), there)
    assert "**There is no cell to compare**, though both have some." in text
    assert "`bottleneck_mbps`" not in text  # all of this is known


def test_the_page_says_what_runs_without_a_place_lack(tmp_path):
    """Bandwidth and RTT are shown, though the runs have no place for want of something else."""
    text = page(tmp_path, tables(runs({"ccas": None}), [0.9]), tables(runs({}), [0.9]))
    assert "| Bandwidth (Mb/s) | 100 | 100 |" in text and "| RTT (ms) | 100 | 100 |" in text
    assert "1 run of S without: the congestion control of every flow (1)." in text


def test_runs_that_are_identical_on_one_side_are_said_to_be_taken_as_exact(tmp_path):
    flat, spread = tables(runs({}, {}), [0.9, 0.9]), tables(runs({}, {}), [0.7, 0.6])
    text = page(tmp_path, flat, spread)
    assert "*no variance* if all runs are identical on both sides" in text
    assert "But all runs of S are identical in 1 cell: the tests take their mean as exact" in text
    for sides in ((flat, flat), (spread, spread)):
        assert "mean as exact" not in page(tmp_path, *sides)


def test_the_page_has_what_differs(tmp_path):
    text = page(tmp_path, tables(runs({}, {}), [0.9, 0.8]), tables(runs({}, {}), [0.7, 0.6]))
    assert "# Verdicts" in text and "0.200" in text and "verdicts.svg" in text
    assert "| NewReno – BIC | 1 | 1 | 1 | 1 |" in text


def test_the_page_says_what_else_differs(tmp_path):
    """RED against drop-tail, with other segments and another time: it is beside the verdicts."""
    red = {"platform": "testbed", "tool": "iperf2", "aqm": "red", "n_cross_traffic": 0}
    tail = {**red, "aqm": "droptail", "factors": '{"ECN": "on"}'}
    here = tables(runs(red, red), [0.9, 0.8], 8948, (6.0, 60.0))
    there = tables(runs(tail, tail), [0.7, 0.6], 1448, (250.0, 300.0))
    text = page(tmp_path, here, there)
    for row in (
        "| Queue | red | droptail | 1 |",
        "| Segment size (bytes) | 8948 | 1448 | 1 |",
        "| Start of the steady state (s) | 6 | 250 | 1 |",
        "| End of the steady state (s) | 60 | 300 | 1 |",
        "| ECN | not known | on | 1 |",
    ):
        assert row in text
    assert "| Platform |" not in text and "| Tool |" not in text
    verdicts = text.partition("# Verdicts")[2]
    assert "S and T [differ in queue, segment size, start of the steady state and" in verdicts
    assert "and perhaps in ECN](#sec-else), too: a verdict is of all of it together" in verdicts
    # what is alike, or all but alike, is no difference; what nobody knows is said
    there = tables(runs(red, red), [0.7, 0.6], None, (6.2, 59.0))
    text = page(
        tmp_path, tables(runs(red, red), [0.9, 0.8], None), there | {"window": here["window"]}
    )
    assert "| Start of the steady state (s) | 20 | 6 | 1 |" in text
    text = page(tmp_path, here | {"flow": there["flow"]}, there)
    assert "Nothing else that is known differs in the cells that are compared." in text
    assert "Not known of either data set: segment size." in text
    assert "a verdict is of all of it" not in text


def test_the_page_says_how_logs_say_that_flows_were_sent_otherwise(tmp_path):
    """What would part the scenarios of a data set is said of two that differ in it."""
    run = runs({}, {})
    here, there = tables(run, [0.9, 0.8]), tables(run, [0.7, 0.6])
    said = {"tcp_window": "65536", "block": "1448", "omit_s": "0", "tos": "0"}
    other = {"tcp_window": "128 KByte", "block": "1.41 KByte", "omit_s": "5"}
    other["amount"] = "as usual"
    here["stream"] = streams(run, options=json.dumps(said), planned_s=60.0)
    there["stream"] = streams(run, options=json.dumps(other), planned_s=600.0, peer="10.0.0.3:2")
    here["run"] = run.with_columns(tool_version=pl.lit("3.9"), duration_s=pl.lit(60.0))
    there["run"] = run.with_columns(tool_version=pl.lit("3.18"), duration_s=pl.lit(90.0))
    text = page(tmp_path, here, there)
    for row in (
        "| Version of the tool | 3.9 | 3.18 | 1 |",
        r"| Addresses of senders and receivers | 10.0.0.1 \> 10.0.0.2 | 10.0.0.1 \> 10.0.0.3 |",
        "| Requested window (-w) | 64 KByte | 128 KByte | 1 |",
        "| Seconds omitted at the start (-O) | 0 | 5 | 1 |",
        "| Length (s) | 60 | 90 | 1 |",
        "| Requested duration (s) | 60 | 600 | 1 |",
    ):
        assert row in text
    # the same size in other words; and what only one side says, that nothing was asked for
    assert not re.search(r"\| (Length of a write|Type of service|Requested amount)", text)
    # a window that one side alone has, and addresses and a version that the other may have too
    there["stream"] = streams(run, local=None, planned_s=60.0)
    there["run"] = run.with_columns(duration_s=pl.lit(60.0))
    text = page(tmp_path, here, there)
    assert "| Requested window (-w) | 64 KByte | not known | 1 |" in text
    assert not re.search(r"\| (Version|Addresses|Seconds|Requested duration|Protocol)", text)
    assert "may be why a cell differs" in text


def test_the_page_says_that_flows_start_at_other_times(tmp_path):
    def started(start_s, assumed=False):
        side = tables(runs({}, {}), [0.9, 0.8])
        second = side["flow"].with_columns(
            flow_id=2, start_s=pl.lit(start_s), start_is_assumed=pl.lit(assumed)
        )
        return side | {"flow": pl.concat([side["flow"], second])}

    text = page(tmp_path, started(0.0), started(20.0))
    assert "| Start of the second flow (s) | 0 | 20 | 1 |" in text
    assert "differ in start of the second flow](#sec-else)" in text
    for other in (started(1.0), started(20.0, assumed=True)):
        assert "Nothing else that is known differs" in page(tmp_path, started(0.0), other)


def test_only_cells_that_are_compared_tell_what_else_differs(tmp_path):
    alike, other = {"aqm": "red"}, {"aqm": "codel", "base_rtt_s": 0.2, "scenario_id": "t"}
    text = page(tmp_path, tables(runs(alike, other), [0.9, 0.8]), tables(runs(alike), [0.7]))
    assert "| Queue |" not in text


def test_a_data_set_is_not_compared_with_itself():
    config = {"comparisons": {"mine": {"of": "sim", "against": "bed"}}}
    assert comparisons_of(config, "config.yaml", None) == config["comparisons"]
    assert comparisons_of({"comparisons": None}, "config.yaml", None) == {}
    config["comparisons"]["twin"] = {"of": "bed", "against": "bed"}
    with pytest.raises(DataError) as error:
        comparisons_of(config, "config.yaml", {("comparisons", "twin", "against"): 7})
    assert "config.yaml:7: comparisons.twin: 'bed' is compared with itself" in str(error.value)
    assert "name another data set" in str(error.value)


def test_data_sets_of_one_title_are_told_apart_by_their_names():
    sides = [Side(name, {"title": "Two flows"}, *5 * [pl.DataFrame()]) for name in ("a", "b")]
    assert comparison_title(*sides) == "a against b"
    other = Side("b", {}, *5 * [pl.DataFrame()])
    assert comparison_title(sides[0], other) == "Two flows against b"
