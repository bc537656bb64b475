"""Numbers and tables as reports print them."""

import re

import polars as pl
import pytest
from evenflow.evidence.say import tagged
from evenflow.markdown import (
    GAP,
    NO_BREAK_SPACE,
    length,
    line_length,
    markdown_table,
    number,
)
from evenflow.metrics.tables import cell_table, run_metrics
from evenflow.metrics.windows import in_window, window_table
from evenflow.reporting import datasets, differences, said, sensitivity
from markdown_tables import rows_of
from metrics_of import flow_metric_table, weight_table
from raw_data import IPERF2, TINY, build_tables, content, make_dataset

MINUS = "\u2212"


def metric_tables(tables: dict[str, pl.DataFrame], warmup_s: float) -> dict[str, pl.DataFrame]:
    sample, flow = tables["sample"], tables["flow"]
    run = in_window(tables["run"], window_table(sample, flow, tables["run"], warmup_s))
    weight = weight_table(sample, flow, run, "flow2")
    flow_metric = flow_metric_table(sample, flow, run, weight, 1)
    run_metric = run_metrics(flow_metric, run)
    cell = cell_table(flow_metric, run_metric, run, 0.95)
    return {**tables, "flow_metric": flow_metric, "run_metric": run_metric, "cell": cell}


@pytest.fixture(scope="module")
def testbed(tmp_path_factory):
    return metric_tables(build_tables(TINY / "tiny-testbed", tmp_path_factory.mktemp("t")), 20)


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.5, 2, "0.50"),
        (-3.0103, 2, f"{MINUS}3.01"),
        (-0.001, 2, "0.00"),  # no negative zero
        (0.0, 1, "0.0"),
        (None, 2, "–"),
        (95.638, 1, "95.6"),
        (1234567.8, 0, "1234568"),
    ],
)
def test_numbers(value, digits, text):
    assert number(value, digits) == text


def test_a_table_aligns_its_numbers_to_the_right():
    table = markdown_table(["a", "b"], [["x", "1"], ["y", "2"]], numeric_from=1)
    assert table == "| a | b |\n| ---- | ---: |\n| x | 1 |\n| y | 2 |"


def test_a_table_keeps_a_number_and_its_unit_on_one_line():
    row = ["200 ms, 20 % of the BDP (n = 3)", "`3 s`"]
    last = markdown_table(["a", "b"], [row], numeric_from=2).splitlines()[-1]
    assert last == "| 200\u00a0ms, 20\u00a0% of the BDP (n\u00a0=\u00a03) | `3 s` |"


@pytest.mark.parametrize("numbers", ["0.53 / 0.55 / −1", "14 → 10"])
def test_numbers_that_belong_together_stay_on_one_line(numbers):
    last = markdown_table(["a"], [[numbers]], numeric_from=1).splitlines()[-1]
    assert last == f"| {numbers.replace(' ', NO_BREAK_SPACE)} |"


def test_columns_of_a_wide_table_have_room_for_their_words_and_a_share_of_the_rest():
    header = ["Scenario", "n", "mean time above (s)", "Evidence"]
    row = ["SACK, 8000 × 25 kb/s", "3", "1.07", "[nothing](#there) " + "but words " * 50]
    rule = markdown_table(header, [row], numeric_from=1).splitlines()[1]
    scenario, n, time, evidence = (len(part.strip()) for part in rule.strip("|").split("|"))
    assert scenario >= len("25 kb/s")
    assert n < time < len("mean time above (s)") < evidence  # headings may take two lines
    assert line_length(4) - 10 < scenario + n + time + evidence <= line_length(4)


def test_one_long_cell_does_not_narrow_a_column_of_many():
    """A long interval of one row had the cases of all rows broken into four lines."""
    header = ["Case", "Estimate", "Minus null control"]
    rows = [["HighSpeed, 20 % of BDP, BIC at 324 ms", "0.13", "–"] for _ in range(40)]
    long = (
        "2.25 (1.33 to 3.81), as a part of the whole, of which this is one that is very long indeed"
    )
    rule = markdown_table(header, [*rows, ["BIC", "1.00", long]], numeric_from=1).splitlines()[1]
    case, estimate, control = (len(part.strip()) for part in rule.strip("|").split("|"))
    assert case - GAP >= length(rows[0][0]) and estimate - GAP >= length("0.13")
    assert control > case  # what is left


def test_a_dash_between_two_words_is_on_the_line_of_the_first():
    long = "words " * 60
    rule = markdown_table(["Flows", "What"], [["HighSpeed – BIC", long]], numeric_from=2)
    flows, _ = (len(part.strip()) for part in rule.splitlines()[1].strip("|").split("|"))
    assert flows - GAP >= length("HighSpeed –")


def test_a_column_of_code_is_given_the_room_that_its_points_take():
    words, code = "." * 60, f"`{'.' * 60}`"
    assert length(code) == 60 > length(words) == 30
    rule = markdown_table(["a", "b"], [[words, code]], numeric_from=2).splitlines()[1]
    of_words, of_code = (len(part.strip()) for part in rule.strip("|").split("|"))
    assert of_words < of_code


# ---- variables ----------------------------------------------------------------------------------

SUMMARY = pl.DataFrame(
    {
        "part": ["testbed", "testbed", "simulation"],
        "dataset_id": ["a", "a", "c"],
        "metric": ["mean_throughput_bps_flow2", "jfi", "jfi"],
        "role": ["calibration", "comparison", "comparison"],
        "ccas": ["bic-bic", "newreno-bic", "newreno-bic"],
        "min": [8.04e6, 0.5, 0.6],
        "mean": [31.46e6, 0.66, 0.7],
        "max": [50.1e6, 0.994, 0.8],
        "stddev": [1e6, None, 0.1],
        "n_cells": [15, 15, 15],
        "n_runs": [3, 3, 1],
        "n_runs_max": [3, 3, 1],
    }
)


def test_dataset_variables_of_real_runs(testbed):
    about = datasets.dataset_variables(
        *(testbed[name] for name in ("run", "flow", "flow_metric", "ledger")), 10
    )
    wanted = {
        "id": "tiny-testbed",
        "n_runs": "12",
        "n_calibration": "8",
        "n_comparison": "4",
        "n_scenarios": "6",
        "repeats": "2",
        "rtts_ms": "25, 100",
        "buffers_pct": "60",
        "bottleneck_mbps": "100",
        "duration_s": "60",
        "tool": "iperf 2.1.8",
        "n_files": "73",
        "n_rejected_lines": "0",
        "n_window_flow1": "41",
        "n_stalled_runs": "0",
    }
    assert {key: about[key] for key in wanted} == wanted
    assert about["pairings"] == "NewReno – NewReno, NewReno – BIC, BIC – BIC"
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", about["made_from"])
    assert all(isinstance(value, str) for value in about.values())


def test_observed_variables_of_real_runs(testbed):
    host = datasets.host_table({"t": testbed["run"]})
    assert host["run_id"].to_list() == testbed["run"]["run_id"].to_list()
    seen = said.observed_numbers(tagged(host, "host"))
    assert float(seen["max_rtt_error_ms"]) < 0.1
    assert (seen["n_reordered"], seen["n_drops_elsewhere"]) == ("0", "0")
    assert 95 < float(seen["queue_fill_min_pct"]) <= float(seen["queue_fill_max_pct"]) <= 100
    assert re.match(r"6\.12\.\d+", seen["kernel"])


def test_a_simulators_runs_observe_no_hosts(testbed):
    blind = testbed["run"].with_columns(pl.lit("{}").alias("observed"))
    assert datasets.host_table({"t": blind}).is_empty()


def test_a_data_set_of_which_little_is_known_has_variables_and_tables_all_the_same(tmp_path):
    yml = "files:\n  - path: 'r{repeat}/flow{flow}.log'\n"
    log = content(IPERF2 / "bits.server.log")
    folder = make_dataset(tmp_path / "raw", {"r1/flow1.log": log, "r1/flow2.log": log}, yml)
    tables = metric_tables(build_tables(folder, tmp_path), 1)
    about = datasets.dataset_variables(
        *(tables[name] for name in ("run", "flow", "flow_metric", "ledger")), 10
    )
    assert (about["n_runs"], about["n_calibration"], about["tool"]) == ("1", "0", "iperf")
    assert datasets.dataset_table({"x": about})


# ---- tables -------------------------------------------------------------------------------------


def flow_metrics(*rows: tuple) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema=["run_id", "flow_id", "zero_s", "mean_throughput_bps"], orient="row"
    )


def test_flows_that_carry_nothing_for_longer_than_the_limit_are_stalled():
    table = flow_metrics(("r1", 1, 10.0, 1e6), ("r2", 2, 10.5, 0.0), ("r1", 2, 181.0, 2e6))
    found = datasets.stalled_runs(table, 10)
    assert found.select("run_id", "flow_id").rows() == [("r1", 2), ("r2", 2)]


DIFFERENCE = pl.DataFrame(
    {
        "ccas": ["newreno-bic", "newreno-bic", "newreno-newreno"],
        "verdict": ["different", "no variance", "both"],
        "significant_printed": [True, None, False],
        "d": [0.25, -0.05, 0.0],
    }
)


def test_stalled_flows_are_a_sentence():
    flows = pl.DataFrame({"run_id": ["a/r1", "b/r1"], "flow_id": [2, 1], "zero_s": [30.0, 0.0]})
    flows = tagged(flows, "t/flow_metric")
    sentence = said.stalled_sentence({"t": flows}, 10)
    assert sentence.endswith("nothing was carried by flow 2 of `t/a/r1` (30 s)")
    assert said.stalled_sentence({"t": flows.filter(zero_s=0.0)}, 10).startswith("No flow")


def test_unsteady_runs_are_counted_by_part():
    """Of the cell x one of two runs moves by points, of y the one run by a factor."""
    run = pl.DataFrame(
        {
            "run_id": ["a", "b", "c", "d"],
            "scenario_id": ["x", "x", "y", "z"],
            "role": ["comparison"] * 3 + ["calibration"],
            "base_rtt_s": [0.1, 0.1, 0.4, 0.4],
        }
    )
    metric = pl.DataFrame(
        {
            "run_id": ["a", "b", "c", "d"],
            "drift": [0.2, 0.1, 0.03, 0.9],
            "flow_change": [1.4, 1.5, 8.0, 9.0],
        }
    )
    run, metric = tagged(run, "lab/run"), tagged(metric, "lab/run_metric")
    tree = said.steadiness_numbers({"t": run}, {"t": metric})
    counts = {"n_runs": "3", "n_unsteady": "2", "n_by_points": "1", "long_pct": "50"}
    assert tree["t"] == counts
    of = tree["t"]["long_pct"].values[0]["tables"]  # of the unsteady runs alone
    assert of == {"lab/run": [0, 2], "lab/run_metric": [0, 2]}
    assert (tree["factor"], tree["points"]) == ("1.5", "10")


def test_difference_counts():
    table = rows_of(differences.difference_table({"a": DIFFERENCE}))
    assert [row[1] for row in table[1:]] == ["NewReno – NewReno", "NewReno – BIC"]
    assert table[2][2:6] == ["2", "1", "1", "0"] and table[2][-2:] == ["0.15", "0.25"]
    n_columns = {len(row) for row in table}
    assert len(n_columns) == 1


def test_sensitivity_is_the_mean_over_cells_and_not_over_runs():
    run = pl.DataFrame(
        {
            "run_id": ["a1", "a2", "b1", "c1"],
            "scenario_id": ["a", "a", "b", "c"],
            "role": ["comparison", "comparison", "comparison", "calibration"],
        }
    )
    cases = [
        ("warmup_s", "120"),
        ("warmup_s", "80"),
        ("warmup_mser5", None),
        ("weight_from", "all"),
    ]
    cases += [("weight_from", "flow2")]
    jfi = {"a1": 0.6, "a2": 0.8, "b1": 1.0, "c1": 0.0}

    def level(value, run_id):
        """Flow 2 of cell b gets more than its share with the weight of both flows."""
        return 0.5 if value == "all" and run_id == "b1" else -0.5

    moved = pl.DataFrame(
        [
            (p, v, run_id, j, -2 * j, level(v, run_id))
            for p, v in cases
            for run_id, j in jfi.items()
        ],
        schema=["parameter", "value", "run_id", "jfi", "system_nru_db", "flow_nru_db_flow2"],
        orient="row",
    )
    rows = rows_of(sensitivity.sensitivity_table({"x": (moved, run)}, "flow2"))
    assert [row[2] for row in rows[1:]] == ["80", "120", "MSER-5", "both flows", "flow 2"]
    assert all((row[3], row[5]) == ("0.850", f"{MINUS}1.70") for row in rows[1:])
    assert [row[4] for row in rows[1:]] == [f"{MINUS}0.50"] * 3 + ["0.00", f"{MINUS}0.50"]
    assert [row[6] for row in rows[1:]] == ["0 of 2"] * 3 + ["1 of 2", "0 of 2"]


def test_sensitivity_of_a_data_set_without_calibration_has_no_shares():
    run = pl.DataFrame({"run_id": ["a"], "scenario_id": ["a"], "role": ["comparison"]})
    none = {"system_nru_db": None, "flow_nru_db_flow2": None}
    moved = pl.DataFrame(
        [{"parameter": "weight_from", "value": "flow2", "run_id": "a", "jfi": 0.5, **none}],
        schema_overrides=dict.fromkeys(none, pl.Float64),
    )
    rows = rows_of(sensitivity.sensitivity_table({"x": (moved, run)}, "flow2"))
    assert rows[1][3:] == ["0.500", "–", "–", "–"]


def test_verdicts_that_move_with_the_steady_state_are_counted():
    place = {"ccas": "newreno-bic", "bottleneck_bps": 1e8, "base_rtt_s": 0.1}
    default = pl.DataFrame(
        [
            {**place, "buffer_bdp": b, "verdict": v, "significant_printed": s}
            for b, v, s in (
                (0.2, "different", True),
                (0.6, "equivalent", False),
                (1.0, "both", True),
            )
        ]
    )
    later = default.with_columns(
        pl.Series("verdict", ["different", "inconclusive", "different"]),
        pl.Series("significant_printed", [True, True, True]),
    )
    moved = pl.concat(
        table.with_columns(parameter=pl.lit(p), value=pl.lit(v, dtype=pl.String))
        for table, p, v in ((later, "warmup_mser5", None), (default, "warmup_s", "120"))
    )
    rows = rows_of(differences.verdict_sensitivity_table({"x": (default, moved)}))
    assert rows[1] == ["`x`", "120 s", "3", "2", "0", "1", "1", "1", "0", "0"]
    assert rows[2] == ["`x`", "MSER-5", "3", "3", "1", "2", "0", "0", "1", "2"]
