"""The cell in which flow 2 gets least, and what bounds flow 1 there."""

from pathlib import Path

import polars as pl
from evenflow.evidence.say import tagged
from evenflow.papers.make import load

reporting = load(Path(__file__).parents[1] / "lowest.py")


def throughput_cells(part, role, ccas, cells):
    """Rows of a surface: (RTT in s, buffer in BDP, flow 1 and flow 2 in Mb/s, flow-NRU in dB)."""
    rows = []
    metrics = ("mean_throughput_bps_flow1", "mean_throughput_bps_flow2", "flow_nru_db_flow2")
    for rtt_s, buffer_bdp, *values in cells:
        used = None if values[0] is None else (values[0] + values[1]) / 100
        of_cell = zip((*metrics, "utilisation"), (*values, used), (1e6, 1e6, 1, 1), strict=True)
        for metric, value, unit in of_cell:
            rows.append(
                {
                    "part": part, "role": role, "ccas": ccas, "metric": metric,
                    "scenario_id": f"{role}/{ccas}/{rtt_s}_{buffer_bdp}", "base_rtt_s": rtt_s,
                    "buffer_bdp": buffer_bdp, "bottleneck_bps": 1e8, "n": 1,
                    "mean": None if value is None else value * unit,
                }
            )  # fmt: skip
    return pl.DataFrame(rows, schema_overrides={"mean": pl.Float64})


def test_the_lowest_cell_says_whether_flow_1_is_bounded_as_beside_its_like():
    surface = pl.concat(
        [
            throughput_cells(
                "testbed",
                "calibration",
                "newreno-newreno",
                [
                    (0.4, 0.4, 35.5, 35.6, None),
                    (0.4, 1.0, 35.7, 35.6, None),
                    (0.2, 0.4, 47, 46, None),
                ],
            ),
            # as much as beside its like, of a bottleneck that is full: bounded by nothing else
            throughput_cells("testbed", "comparison", "newreno-bic", [(0.2, 0.4, 47, 40, -0.5)]),
            throughput_cells("simulation", "comparison", "newreno-bic", [(0.1, 0.2, 20, 9, -7)]),
            throughput_cells(
                "testbed_alternative",
                "comparison",
                "newreno-bic",
                [
                    (0.4, 0.4, 35.6, 3.4, -9.31),
                    (0.1, 0.2, 4, 14, 2.0),
                    (0.2, 0.2, None, None, None),
                ],
            ),
        ]
    )
    lowest = reporting.lowest_variables(tagged(surface, "surface"))
    assert lowest["testbed_alternative"] == {
        "pairing": "NewReno – BIC", "rtt_ms": "400", "buffer_pct": "40", "nru_db": "−9.31",
        "n_runs": "1", "flow1_mbps": "35.6", "flow2_mbps": "3.4", "limit_mbps": "40.0",
        "most_mbps": "80.0",
        "as_bounded": "yes",
    }  # fmt: skip
    assert lowest["testbed"]["as_bounded"] == "no"
    assert lowest["simulation"]["as_bounded"] == "no"  # no calibration at 100 ms to tell it by
    assert reporting.lowest_variables(tagged(surface.filter(metric="jfi"), "surface")) == {}
