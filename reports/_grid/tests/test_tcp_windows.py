"""Windows, and the cells in which none can bind."""

import json

import polars as pl
import pytest

from ..tcp_windows import free_cells, is_free, windows

CELLS = [(0.1, 0.2), (0.1, 1.0), (0.4, 0.2), (0.4, 1.0)]


def placed(calm_rtt=0.4, window_bps=36e6, observed=None):
    """Two flows of which nothing is lost at one RTT, where their windows hold both."""
    rows = [
        {
            "part": "a", "run_id": f"{rtt}/{buffer}", "base_rtt_s": rtt, "buffer_bdp": buffer,
            "contested": rtt != calm_rtt,
            "mean_throughput_bps_flow1": window_bps if rtt == calm_rtt else 47e6,
            "mean_throughput_bps_flow2": 30e6,
        }
        for rtt, buffer in CELLS
    ]  # fmt: skip
    runs = pl.DataFrame(rows)
    said = json.dumps({"mss_bytes": {"1": 1448}}) if observed is None else observed
    run = runs.select("run_id", bottleneck_bps=pl.lit(1e8), observed=pl.lit(said))
    return windows(runs, {"a": run})


def test_windows_and_what_path_and_buffer_hold_are_in_packets():
    calm = placed().filter(base_rtt_s=0.4, buffer_bdp=1.0).row(0, named=True)
    assert calm["window"] == pytest.approx(36e6 * 0.4 / 8 / 1448)  # 1243, of the larger flow
    assert calm["capacity"] == pytest.approx(1e8 * 0.4 * 2 / 8 / 1514)  # of Ethernet's frames


def test_a_cell_is_free_where_one_window_fills_path_and_buffer():
    """1243 packets fill 991 (100 ms, 20 %), and not 1651 (100 ms, 100 %)."""
    table = placed()
    assert free_cells(table).rows() == [(0.1, 0.2)]
    assert table.filter(is_free(table))["run_id"].to_list() == ["0.1/0.2"]
    assert free_cells(pl.concat([table, table])).rows() == [(0.1, 0.2)], "a cell once"


def test_where_every_cell_is_contested_no_window_binds():
    assert len(free_cells(placed(calm_rtt=None))) == 4


def test_without_a_segment_size_no_window_is_known():
    table = placed(observed="{}")
    assert table["window"].null_count() == 4
    assert free_cells(table).is_empty()
