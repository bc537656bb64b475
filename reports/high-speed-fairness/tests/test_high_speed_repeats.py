"""Repeats in high-speed-fairness, on planted runs with known answers."""

import polars as pl
from evenflow.evidence.say import tagged

from ..metrics import repeat_cell
from ..numbers import repeats
from .test_high_speed_metrics import metrics_of


def repeated(*mbps):
    """What is said of BIC beside itself at 82 ms, a run for each (flow 1, flow 2) in Mb/s; another
    cell once."""
    bic = [("bic", "bic", 82, 82, 1_845_000, *each) for each in mbps]
    runs = metrics_of(*bic, ("cubic", "cubic", 82, 82, 1_845_000, 400, 400))
    first = pl.col("cca1") == "bic"
    runs = runs.with_columns(
        part=pl.lit("simulation"), scenario_id=pl.when(first).then(pl.lit("s")).otherwise("run_id")
    )
    return repeats(tagged(repeat_cell(runs), "repeat_cell"))


def test_how_runs_of_a_cell_differ_is_said():
    words = repeated((520, 280), (552, 248), (540, 260))
    assert words["simulation"] == (
        "1 of 2 cells have repeated runs, 3 each. Between these the share of flow 1 differs by 4.0 "
        "points in the median and 4.0 at most"
    )
    assert words["testbed"] == "no cell has more than one run yet"


def test_doubles_are_counted():
    words = repeated((520, 280), (552, 248), (520, 280))["simulation"]
    assert words.endswith("4.0 at most. In 1 of these cells two runs are identical")
