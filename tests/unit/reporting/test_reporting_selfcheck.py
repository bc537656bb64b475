"""The testbed's self-check as the reports print it."""

import json

import pytest
from evenflow.reporting.selfcheck import selfcheck_table, selfcheck_variables
from markdown_tables import rows_of
from raw_data import ROOT

PING = {
    "name": "ping RTT, path 1: router, RTT 25 ms, OPB 60 %",
    "expected": 25,
    "measured": 25.0059,
    "tolerance": 0.1,
    "unit": "ms",
    "passed": True,
}
ELSEWHERE = PING | {"name": "ping RTT, path 1: router, RTT 25 ms, OPB 20 %", "measured": 24.96}
SEEDS = {"expected": True, "measured": True, "tolerance": None, "unit": "", "passed": True}


@pytest.mark.parametrize("name", ["testbed-selfcheck", "testbed-selfcheck-900mbps"])
def test_every_check_of_the_repository_is_in_one_row(name):
    report = json.loads((ROOT / f"data/{name}.json").read_text(encoding="utf-8"))
    about = selfcheck_variables(report)
    rows = rows_of(selfcheck_table(report))[1:]
    assert sum(int(row[1]) for row in rows) == len(report["checks"]) == int(about["n_checks"]) > 5
    passed = [int(row[1]) for row in rows if row[-1] == "passed"]
    assert sum(passed) == int(about["n_passed"])


def test_runs_of_which_the_same_was_expected_share_a_row():
    (_, row) = rows_of(selfcheck_table({"checks": [PING, ELSEWHERE]}))
    assert row == ["ping RTT, path 1", "2", "25", "24.96 to 25.0059", "± 0.1", "ms", "passed"]


def test_a_failed_check_has_its_own_row_with_its_scenario():
    failed = ELSEWHERE | {"measured": 26.5, "passed": False}
    (_, *rows) = rows_of(selfcheck_table({"checks": [PING, failed, PING]}))
    assert [row[0] for row in rows] == ["ping RTT, path 1", failed["name"]]
    assert rows[1][1:] == ["1", "25", "26.5", "± 0.1", "ms", "**failed**"]


def test_checks_of_no_scenario_keep_their_names():
    names = ["same seed: logs identical", "other seed: logs identical"]
    (_, *rows) = rows_of(selfcheck_table({"checks": [SEEDS | {"name": name} for name in names]}))
    assert [row[0] for row in rows] == names


def test_lone_flows_of_the_repository_fill_the_link_at_900_mbps():
    path = ROOT / "data/testbed-selfcheck-900mbps.json"
    about = selfcheck_variables(json.loads(path.read_text(encoding="utf-8")))
    assert about["n_lone"] == "6"
    low, _, high = about["lone_mbps"].partition(" to ")
    expected = float(about["expected_mbps"])
    assert 0.995 * expected < float(low) <= float(high) < 1.005 * expected
