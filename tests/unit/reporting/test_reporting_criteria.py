"""When the criteria of claims were written."""

import json

import polars as pl
from evenflow.evidence.say import tagged
from evenflow.reporting.said import criteria_numbers


def test_criteria_are_dated_against_the_runs_that_there_were():
    made = [json.dumps({"date": f"2026-01-0{day}T00:00:00Z"}) for day in (1, 2, 3)]
    run = pl.DataFrame({"role": ["comparison", "comparison", "calibration"], "made_by": made})
    written = {"all": {"commit": "a", "date": "2026-01-01T12:00:00Z"}}
    found = criteria_numbers(written, {"testbed": tagged(run, "t/run")})
    assert found == {"all": {"date": "2026-01-01 12:00", "testbed": "1 of 2"}}
