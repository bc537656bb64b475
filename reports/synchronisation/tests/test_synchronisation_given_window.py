"""The share of flows that lose in an event, of flows with as many packets in flight."""

from pathlib import Path

import polars as pl
import pytest
from evenflow.evidence.say import tagged
from evenflow.papers.make import load
from markdown_tables import rows_of

given = load(Path(__file__).parents[1] / "given_window.py")

EVENTS = pl.DataFrame(
    {"run_id": ["r", "r"], "event": [1, 2], "t_start_s": [10.0, 20.0], "t_end_s": [10.2, 20.1]}
)
FLOWS = pl.DataFrame({"run_id": ["r"] * 2, "flow_id": [1, 2], "mss_bytes": [1000, 1000]})
SAMPLES = pl.DataFrame(
    [("r", 1, 9.0, 300e3), ("r", 1, 11.0, 150e3), ("r", 2, 9.0, 5e3), ("r", 2, 21.0, 400e3)],
    schema=["run_id", "flow_id", "t_end_s", "cwnd_bytes"],
    orient="row",
)
# flow 1 loses in both events, at their first and last moment; flow 2 between them only
DROPS = pl.DataFrame(
    [("r", 10.0, 1), ("r", 15.0, 2), ("r", 20.1, 1), ("r", 20.0, None)],
    schema=["run_id", "t_s", "flow_id"],
    orient="row",
)


@pytest.fixture
def found():
    return given.flow_events(EVENTS, DROPS, SAMPLES, FLOWS)


def test_a_flow_loses_in_an_event_if_a_packet_of_its_own_is_dropped_within_it(found):
    lost = {(row["event"], row["flow_id"]): row["lost"] for row in found.rows(named=True)}
    assert lost == {(1, 1): True, (1, 2): False, (2, 1): True, (2, 2): False}


def test_the_window_is_the_last_one_before_the_event(found):
    """That of 21 s is after the second event: what a loss makes of a window does not count."""
    windows = {(row["event"], row["flow_id"]): row["window"] for row in found.rows(named=True)}
    assert windows == {(1, 1): 300, (1, 2): 5, (2, 1): 150, (2, 2): 5}


def runs(variant: str) -> dict:
    return {
        "variant": variant,
        "implementation": "ns2",
        "aqm": "droptail",
        "background": "exponential",
        "source_kbps": 5000.0,
    }


def test_a_share_is_of_flows_of_one_window():
    """The starved half never loses, so that all flows together lose in half of the events."""
    many = pl.DataFrame(
        [("r", event, flow, window, lost) for event in range(30)
         for flow, window, lost in ((1, 300.0, True), (2, 200.0, True), (3, 5.0, False),
                                    (4, 19.0, False))],
        schema=["run_id", "event", "flow_id", "window", "lost"], orient="row",
    )  # fmt: skip
    table = given.shares_given_window(many, pl.DataFrame([{"run_id": "r"} | runs("scalable")]))
    shares = dict(table.select("window", "lost").rows())
    assert shares == {"200 and more": 1.0, "below 20": 0.0, "all": 0.5}
    (row,) = rows_of(given.given_window_shares(table))[1:]
    assert row[:3] == ["DropTail", "5 Mb/s", "Scalable"]
    assert row[3:] == ["0 % (60)", "–", "100 % (60)", "50 % (120)"]
    assert set(table["runs"].list.join(",")) == {"simulation/r"}
    said = given.given_window_numbers(tagged(table, "given_window"))
    assert said["scalable"] == {"many": "100 %", "all": "50 %", "large": "50 %"}
    assert said["sack"] == said["none"]["scalable"] == {"many": "–", "all": "–", "large": "–"}


def test_runs_without_background_have_rows_of_their_own():
    lost = pl.DataFrame(
        [(run, event, flow, 300.0, run == "free" or flow == 1) for run in ("r", "free")
         for event in range(30) for flow in (1, 2)],
        schema=["run_id", "event", "flow_id", "window", "lost"], orient="row",
    )  # fmt: skip
    free = {"run_id": "free"} | runs("scalable") | {"background": "none", "source_kbps": None}
    table = given.shares_given_window(
        lost, pl.DataFrame([{"run_id": "r"} | runs("scalable"), free])
    )
    rows = rows_of(given.given_window_shares(table))[1:]
    assert [(row[1], row[5]) for row in rows] == [("5 Mb/s", "50 % (60)"), ("none", "100 % (60)")]
    said = given.given_window_numbers(tagged(table, "given_window"))
    assert said["scalable"]["many"] == "50 %" and said["none"]["scalable"]["many"] == "100 %"


def test_a_share_of_few_is_not_printed():
    few = pl.DataFrame(
        {"run_id": ["r"], "event": [1], "flow_id": [1], "window": [300.0], "lost": [True]}
    )
    table = given.shares_given_window(few, pl.DataFrame([{"run_id": "r"} | runs("sack")]))
    assert rows_of(given.given_window_shares(table))[-1][3:] == ["–"] * 4
