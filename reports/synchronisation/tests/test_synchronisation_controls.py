"""Runs in which one thing is changed: beside the scenarios of the paper, and no scenarios."""

import polars as pl
import pytest
from evenflow.evidence.say import tagged
from markdown_tables import rows_of

from .. import controls as of_controls
from .. import metrics
from .made_runs import a_run, controls, no_waits, none, of_linux, points, tables, udp

FAST, SLOW = udp(5000.0), udp(25.0)
BETAS = {"bursty": 5.0, "none": 4.0, "waits": 3.0, "linux": 2.0}
FACTORS = {"bursty": FAST, "none": none(), "waits": no_waits(5000.0), "linux": of_linux(FAST)}


def three(factors: dict, beta: float, **more) -> list[dict]:
    return [a_run(factors, repeat=i, beta=beta + 0.01 * (i - 2), **more) for i in (1, 2, 3)]


@pytest.fixture(scope="module")
def runs():
    """Each change of two variants at both queues: Scalable's β is higher by one, RED's half."""
    return [
        run
        for variant, more in (("highspeed", 0.0), ("scalable", 1.0))
        for aqm, share in (("droptail", 1.0), ("red", 0.5))
        for change, beta in BETAS.items()
        for run in three(FACTORS[change], share * (beta + more), variant=variant, aqm=aqm)
    ]


def test_what_is_changed_is_no_scenario_of_the_paper(runs):
    placed, scenarios = points(runs)
    control_run, control = controls(runs)
    assert set(placed["load"]) == set(scenarios["load"]) == {"none", "exponential-5000kbps"}
    assert set(scenarios["n_runs"]) == set(control["n_runs"]) == {3}
    assert not set(placed["run_id"]) & set(control_run["run_id"])
    assert len(placed) + len(control_run) == len(runs)
    told = control.select("load", "implementation", "waits").unique().sort("load").rows()
    assert told == [
        ("exponential-5000kbps", "linux", True),
        ("exponential-5000kbps-nojitter", "ns2", False),
    ]
    assert set(control.filter(~pl.col("waits"))["label"]) == {"40 × 5 Mb/s, no random waits"}


def test_windows_and_averages_leave_out_runs_without_random_waits(runs):
    """Which have the queue, variant and sources of others."""
    changed = metrics.placed_runs(tables(runs)["run"], changed=True)
    assert len(changed) == len(runs) and len(changed.filter(~pl.col("waits"))) == 12


def test_the_table_and_the_numbers_have_each_change_beside_the_runs_as_they_are(runs):
    scenarios, control = points(runs)[1], controls(runs)[1]
    both = tagged(scenarios, "scenario"), tagged(control, "control")
    printed = rows_of(of_controls.controls(*both))[1:]
    assert [row[:3] for row in printed[:4]] == [
        ["HighSpeed", "DropTail", name] for name in of_controls.CHANGES.values()
    ]
    assert [row[4].split()[0] for row in printed[:4]] == ["5.00", "4.00", "3.00", "2.00"]
    assert len(printed) == 16 and {row[3] for row in printed} == {"3"}
    said = of_controls.changed_numbers(*both)
    assert said["waits"]["red"]["scalable"].startswith("2.00 (")
    assert said["linux"]["droptail"]["highspeed"].startswith("2.00 (")


def test_other_rates_and_variants_are_not_compared(runs):
    more = three(SLOW, 1.0, variant="scalable") + three(none(), 1.0)
    more += three(of_linux(SLOW), 1.0, variant="scalable")
    found = of_controls.compared(points(runs + more)[1], controls(runs + more)[1])
    assert len(found) == 16
