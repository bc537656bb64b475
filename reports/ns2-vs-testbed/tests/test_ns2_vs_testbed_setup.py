"""What bounds a window, how fast access links are, and what jitter there is."""

import json
from pathlib import Path

import polars as pl
from evenflow.evidence.say import tagged
from evenflow.papers.make import load

setup = load(Path(__file__).parents[1] / "setup.py")

TESTBED = pl.DataFrame(
    {
        "run_id": ["a", "b"],
        "observed": [json.dumps({"mss_bytes": {"1": 1000}})] * 2,
        "factors": [json.dumps({"jitter_us": 50.0})] * 2,
    }
)
SETTINGS = "ns dumbbell.tcl access_mbps 1000 queue_packets 100 mss_bytes 1448 window_packets {}"
SIMULATION = pl.DataFrame(
    {  # 100 Mb/s for 12 ms: 100 packets of 1500 bytes
        "run_id": ["c", "d"],
        "made_by": [json.dumps({"command": SETTINGS.format(n)}) for n in (240, 300)],
        "bottleneck_bps": [1e8] * 2,
        "base_rtt_s": [0.012] * 2,
    }
)
PLACED = pl.DataFrame(
    {
        "part": ["testbed", "testbed", "testbed_alternative", "testbed_alternative"],
        "run_id": ["a", "b"] * 2,
        "base_rtt_s": 0.1,
        setup.FLOWS[0]: [8e6, 4e6, 1e6, 1e6],
        setup.FLOWS[1]: [1e6, 1e7, 2e6, 1e6],
    }
)


def test_the_window_is_the_largest_that_a_flow_had_on_its_way():
    run = {"testbed": TESTBED, "testbed_alternative": TESTBED, "simulation": SIMULATION}
    found = setup.setup_variables(tagged(setup.host_windows(run, PLACED), "host_window"))
    assert found["testbed"] == {"window": "125", "jitter_us": "50"}  # 10 Mb/s x 100 ms / 8000 bits
    assert found["testbed_alternative"]["window"] == "25"
    assert found["simulation"] == {"window": "1.2 to 1.5", "access": "10"}


def test_what_no_run_says_is_not_made_up():
    silent = SIMULATION.with_columns(made_by=pl.lit("{}"))
    plain = TESTBED.with_columns(factors=pl.lit(None, pl.String))
    run = {"testbed": plain, "testbed_alternative": plain, "simulation": silent}
    found = setup.setup_variables(tagged(setup.host_windows(run, PLACED), "host_window"))
    assert found["testbed"]["jitter_us"] == "–"
    assert found["simulation"] == {"window": "–", "access": "–"}
