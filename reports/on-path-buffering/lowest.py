"""Where flow 2 gets least beside NewReno, and whether flow 1 is bounded there."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import pairing_name
from evenflow.markdown import PRINTED, number


def lowest_variables(surface: pl.DataFrame) -> dict:
    """Return where flow 2 gets least beside NewReno, by its flow-NRU, and what both flows have.

    Args:
        surface: the paper's surfaces, with the column part.

    Returns:
        {part: {pairing, rtt_ms, buffer_pct, nru_db, n_runs, flow1_mbps, flow2_mbps, limit_mbps,
        as_bounded}}, strings. limit_mbps is the buffer's share of the bottleneck, which is what a
        limit that also counts the packets in flight lets through; as_bounded is 'yes' where two
        NewReno flows leave a tenth of the bottleneck unused on the part `testbed` at this RTT,
        whatever the buffer, and flow 1 has, to 2 %, the mean that it has there.
    """
    compared = surface.filter(role="comparison")
    alike = surface.filter(part="testbed", role="calibration", ccas="newreno-newreno")
    tree = {}
    lowest = compared.filter(metric="flow_nru_db_flow2").drop_nulls("mean").sort("mean")
    for row in lowest.unique("part", keep="first", maintain_order=True).rows(named=True):
        cell = compared.filter(part=row["part"], scenario_id=row["scenario_id"])
        mean = dict(cell.select("metric", "mean").rows())
        flow1_bps, flow2_bps = (mean[f"mean_throughput_bps_flow{k}"] for k in (1, 2))
        beside = alike.filter(base_rtt_s=row["base_rtt_s"])
        bounded_bps = beside.filter(metric="mean_throughput_bps_flow1")["mean"].mean()
        used = beside.filter(metric="utilisation")["mean"].max()
        leaves_room = used is not None and used < 0.9
        as_bounded = leaves_room and abs(flow1_bps / bounded_bps - 1) <= 0.02
        tree[row["part"]] = {
            "pairing": pairing_name(row["ccas"]),
            "rtt_ms": f"{row['base_rtt_s'] * 1000:g}",
            "buffer_pct": f"{row['buffer_bdp'] * 100:g}",
            "nru_db": number(row["mean"], PRINTED["flow_nru_db_flow2"][1]),
            "n_runs": str(row["n"]),
            "flow1_mbps": number(flow1_bps / 1e6, 1),
            "flow2_mbps": number(flow2_bps / 1e6, 1),
            "limit_mbps": number(row["buffer_bdp"] * row["bottleneck_bps"] / 1e6, 1),
            "as_bounded": "yes" if as_bounded else "no",
        }
    return tree
