"""What is said of flows of which logs and names say too little, with the lines to say it."""

from __future__ import annotations

import pytest
from evenflow.ingest.assumptions import _flows, _in_every_run, _list, _missing_settings
from evenflow.ingest.entities import Flow, Run


def flow(number=1, run="r1", *, cca="cubic", start="log", protocol="tcp", cross=""):
    about = {"protocol": protocol, "cca": cca, "start_s": 0.0, "start_from": start}
    about |= {"cross_traffic": bool(cross), "cross_from": cross or "given"}
    return Flow(run_id=run, flow_id=number, rtt_ms=None, mss_bytes=None, **about)


def rows_of(*flows) -> dict[str, tuple]:
    return {row.what: row for row in _flows([*flows])}


def test_a_congestion_control_that_nothing_says_is_named_with_the_line_to_say_it():
    row = rows_of(flow(1), flow(2, cca=None))["cca"]
    assert row.value == "unknown for flow 2"
    assert row.because == "neither names nor logs say which congestion control it has"
    assert row.yaml.splitlines() == ["# with what is true:", "# flows:", "#   2: {cca: cubic}"]
    assert "cca" not in rows_of(flow(1), flow(2, cca=None, protocol="udp"))  # which has none
    assert "cca" not in rows_of(flow(1), flow(2))


def test_a_congestion_control_that_some_runs_say_is_not_offered_for_all():
    row = rows_of(flow(1, cca=None), flow(1, "r2"))["cca"]
    assert row.because.endswith("in all runs; a table runs.csv can say it (columns run, flow, cca)")
    assert row.yaml == ""
    # of another flow than those that are known all runs may have the same
    row = rows_of(flow(1), flow(2, cca=None), flow(1, "r2"), flow(2, "r2", cca=None))["cca"]
    assert "runs.csv" not in row.because
    assert row.yaml.endswith("#   2: {cca: cubic}")


def test_of_many_flows_lines_are_offered_for_four():
    row = rows_of(*(flow(n, cca=None) for n in range(1, 11)))["cca"]
    assert row.value == "unknown for flow 1, 2, 3, 4, 5, 6, 7, 8, ..."
    assert row.yaml.count("cca: cubic") == 4
    assert _list([*range(8)]) == "0, 1, 2, 3, 4, 5, 6, 7"


def test_a_start_that_no_log_says_is_assumed_but_for_the_first_flow():
    flows = [flow(n, start="assumed") for n in (1, 2, 3)]
    row = rows_of(*flows)["start_s"]
    assert (row.value, row.certainty, row.about) == ("0 for flow 2, 3", "a guess", "window")
    assert row.yaml.splitlines()[1:] == ["# flows:", "#   2: {start_s: 0}", "#   3: {start_s: 0}"]
    assert rows_of(flow(1, start="assumed")) == {}
    both = rows_of(flow(1), flow(2, cca=None, start="assumed"))  # in one line
    assert both["cca"].yaml == ""
    assert "#   2: {cca: cubic, start_s: 0}" in both["start_s"].yaml


def test_for_a_flow_that_not_every_run_has_a_table_is_offered():
    """Under `flows:` a run without it would lack a log."""
    row = rows_of(flow(1), flow(2, cca=None), flow(1, "r2"))["cca"]
    assert "not every run has flow 2: a table runs.csv can say it" in row.because
    assert row.yaml == ""
    flows = [flow(n, r, cca=None) for r in ("r1", "r2") for n in (1, 2, 3) if (n, r) != (3, "r2")]
    row = rows_of(*flows)["cca"]
    assert "not every run has flow 3:" in row.because
    assert row.yaml.splitlines()[2:] == ["#   1: {cca: cubic}", "#   2: {cca: cubic}"]


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("log", "from the logs for flow 2"),
        ("clock", "from the logs, clocks set right, for flow 2"),
        ("given", None),
    ],
)
def test_where_starts_come_from_is_said(start, said):
    rows = rows_of(flow(1), flow(2, start=start))
    assert (rows["start_s"].value if rows else None) == said


def test_a_flow_that_is_alone_in_its_run_has_no_start_from_its_log():
    assert rows_of(flow(1), flow(2, run="r2")) == {}


def test_cross_traffic_is_said_with_the_lines_for_and_against_it():
    row = rows_of(flow(1), flow(2, protocol="udp", cross="assumed"))["cross_traffic"]
    assert row.value == "flow 2"
    assert row.because.startswith("it is udp next to TCP")
    assert row.yaml.splitlines() == [
        "flows:",
        "  2: {cross_traffic: true}",
        "# to compare it with the others:",
        "# flows:",
        "#   2: {cross_traffic: false}",
    ]
    row = rows_of(flow(1), flow(2, cross="direction"))["cross_traffic"]
    assert row.because.startswith("it goes in the opposite direction")
    assert "cross_traffic" not in rows_of(flow(1), flow(2, cross="given"))
    row = rows_of(flow(1), flow(2, cross="direction"), flow(1, "r2"))["cross_traffic"]
    assert (row.yaml, "runs.csv" in row.because) == ("", True)


def test_a_flow_that_may_go_the_other_way_is_compared_and_asked_about():
    row = rows_of(flow(1), flow(2)._replace(cross_from="doubtful direction"))["cross_traffic"]
    assert row.value == "flow 2 is compared, but may go in the opposite direction"
    assert row.yaml.splitlines() == [
        "# if it shares no bottleneck with the others:",
        "# flows:",
        "#   2: {cross_traffic: true}",
    ]


def test_flows_of_every_run():
    assert _in_every_run([flow(1), flow(2), flow(2, "r2"), flow(3, "r2")]) == {2}
    assert _in_every_run([]) == set()


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ([{}], "bottleneck_mbps, rtt_ms, buffer_pct"),
        ([{"bottleneck_mbps": 100, "rtt_ms": 40}], "buffer_pct"),
        ([{"bottleneck_mbps": 100, "rtt_ms": 40, "buffer_packets": 9}], None),
        ([{}, {"rtt_ms": 40}], "bottleneck_mbps, buffer_pct"),  # some runs say it
        ([{"buffer_bdp": 1}], "bottleneck_mbps, rtt_ms"),
    ],
)
def test_settings_that_no_run_has_are_missing(settings, missing):
    runs = [Run(str(i), "s", said, [], True, "{}", "{}") for i, said in enumerate(settings)]
    rows = _missing_settings(runs, [])
    assert [row.what for row in rows] == [missing] * (missing is not None)
    for row in rows:
        keys = [part.partition(":")[0] for part in row.yaml.partition("{")[2].split(", ")]
        assert keys == missing.split(", ")


@pytest.mark.parametrize(
    ("rtts", "missing"),
    [([20, 80], []), ([20, None], ["rtt_ms"]), ([None, None], ["rtt_ms"])],
)
def test_a_round_trip_time_is_not_missing_where_every_flow_that_is_compared_has_one(rtts, missing):
    runs = [Run("r1", "s", {"bottleneck_mbps": 9, "buffer_bdp": 1}, [], True, "{}", "{}")]
    flows = [flow(n)._replace(rtt_ms=rtt) for n, rtt in enumerate(rtts, start=1)]
    flows.append(flow(3, cross="given"))
    assert [row.what for row in _missing_settings(runs, flows)] == missing
