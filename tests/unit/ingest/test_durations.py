"""Durations in names: lengths of runs, unless the logs say otherwise."""

import json

import pytest
from evenflow.ingest.parse import parse_dataset
from offered_lines import described
from raw_data import make_dataset
from small_logs import iperf2, iperf3_json


def read(folder, logs, yml=""):
    return parse_dataset(make_dataset(folder, logs, yml))


def logs_of(name="dur{}_run1_flow{}.txt", said=10, **of_log):
    return {name.format(said, flow): iperf2(**of_log) for flow in (1, 2)}


def asked(tables) -> list[dict]:
    return tables["assumption"].filter(what="duration_s").rows(named=True)


def factors_of(tables) -> list[dict]:
    return [json.loads(text) for text in tables["run"]["factors"]]


@pytest.mark.parametrize("seconds", [8, 10, 12])
def test_a_duration_that_logs_do_not_exceed_by_more_than_two_intervals_is_taken(seconds, tmp_path):
    tables = read(tmp_path, logs_of(seconds=seconds))
    assert tables["run"]["duration_s"].to_list() == [10]
    assert not asked(tables)


@pytest.mark.parametrize("side", ["client", "server"])
def test_a_duration_after_which_logs_go_on_is_a_factor_and_asked_about(side, tmp_path):
    tables = read(tmp_path, logs_of(seconds=13, side=side))
    assert tables["run"]["duration_s"].to_list() == [None]
    assert factors_of(tables) == [{"named_duration_s": "10"}]
    (row,) = asked(tables)
    assert row["value"] == "'10' in names, kept as the factor named_duration_s, not as duration_s"
    assert row["because"].startswith("the logs of 1 of 1 runs say otherwise: those of ")
    assert row["because"].endswith(" say 13 s, its name 10")
    yml = row["yaml"].replace("# defaults:", "defaults:")
    assert yml.endswith("\ndefaults: {duration_s: 10}")
    again = read(tmp_path, {}, "defaults: {duration_s: 10}")
    assert again["run"]["duration_s"].to_list() == [10]
    assert not asked(again)


def test_the_proposed_patterns_keep_the_factor(tmp_path):
    logs = logs_of(seconds=13) | logs_of("dur{}_run2_flow{}.txt", seconds=13)
    first = read(tmp_path, logs)
    yml, table = described(first)
    assert "{named_duration_s}" in yml and table is None
    again = read(tmp_path, {}, yml)
    for column in ("run_id", "scenario_id", "duration_s", "factors"):
        assert again["run"][column].to_list() == first["run"][column].to_list()


def test_one_run_that_goes_on_makes_factors_of_all_and_a_table_is_offered(tmp_path):
    names = {10: 10, 20: 30}
    logs = {}
    for said, seconds in names.items():
        logs |= logs_of(said=said, seconds=seconds)
    tables = read(tmp_path, logs)
    assert tables["run"]["duration_s"].null_count() == 2
    assert [of["named_duration_s"] for of in factors_of(tables)] == ["10", "20"]
    (row,) = asked(tables)
    assert "the logs of 1 of 2 runs say otherwise" in row["because"]
    head, _, rows = row["yaml"].partition("# runs.csv:\n")
    assert "runs: runs.csv" in head
    table = rows.replace("#     ", "").encode()
    again = read(tmp_path, {"runs.csv": table}, "runs: runs.csv\n")
    assert again["run"]["duration_s"].to_list() == [10, 20]
    assert not asked(again)


def test_a_receiver_that_goes_on_until_buffers_are_empty_contradicts_nothing(tmp_path):
    logs = {"dur10_client.txt": iperf2(side="client", seconds=10, minute=1)}
    logs["dur10_server.txt"] = iperf2(seconds=20, minute=1)
    client = logs["dur10_client.txt"].decode()
    port = client.split("port ")[2].split(" ")[0]
    server = logs["dur10_server.txt"].decode()
    other = server.split("port ")[3].split(" ")[0]
    logs["dur10_server.txt"] = server.replace(f"port {other}", f"port {port}").encode()
    tables = read(tmp_path, logs)
    assert tables["run"]["duration_s"].to_list() == [10]


@pytest.mark.parametrize(
    ("said", "minute", "taken"),
    [(150, 0, True), (150, 1, True), (210, 1, True), (400, 1, False), (70, 1, False)],
)
def test_logs_that_say_their_plan_contradict_a_shorter_and_a_longer_duration(
    said, minute, taken, tmp_path
):
    """Two flows of 150 s, the second at once or a minute later: a run of 150 s or 210 s."""
    logs = {
        f"dur{said}_run1_flow{flow}.json": iperf3_json(seconds=150, minute=begun, mbps=8 + flow)
        for flow, begun in ((1, 0), (2, minute))
    }
    tables = read(tmp_path, logs)
    assert tables["run"]["duration_s"].to_list() == ([said] if taken else [None])
    assert bool(asked(tables)) is not taken
