"""Where flow 2 gets least beside NewReno, and whether flow 1 is bounded there."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import pairing_name
from evenflow.evidence.say import phrase, say
from evenflow.kit.names import in_print


def lowest_variables(surface: pl.DataFrame) -> dict:
    """Return where flow 2 gets least beside NewReno, by its flow-NRU, and what both flows have.

    Args:
        surface: the paper's surfaces, with the column part.

    Returns:
        {part: {pairing, rtt_ms, buffer_pct, nru_db, n_runs, flow1_mbps, flow2_mbps, limit_mbps,
        most_mbps, as_bounded}}, strings. limit_mbps is the buffer's share of the bottleneck: what
        a limit on the packets in a delay line lets through where a window is one burst.
        most_mbps is twice that, what it lets through where packets are spread over the round trip,
        as they are in the line for half of it; as_bounded is 'yes' where two
        NewReno flows leave a tenth of the bottleneck unused on the part `testbed` at this RTT,
        whatever the buffer, and flow 1 has, to 2 %, the mean that it has there.
    """
    compared = surface.filter(role="comparison")
    alike = surface.filter(part="testbed", role="calibration", ccas="newreno-newreno")
    tree = {}
    lowest = compared.filter(metric="flow_nru_db_flow2").drop_nulls("mean").sort("mean")
    for part in lowest["part"].unique(maintain_order=True):
        row = lowest.filter(part=part).head(1)
        of = row.row(0, named=True)
        cell = compared.filter(part=part, scenario_id=of["scenario_id"])
        flow1, flow2 = (cell.filter(metric=f"mean_throughput_bps_flow{k}") for k in (1, 2))
        beside = alike.filter(base_rtt_s=of["base_rtt_s"])
        bounded_bps = beside.filter(metric="mean_throughput_bps_flow1")["mean"].mean()
        used = beside.filter(metric="utilisation")["mean"].max()
        leaves_room = used is not None and used < 0.9
        as_bounded = leaves_room and abs(flow1["mean"][0] / bounded_bps - 1) <= 0.02
        limit = pl.col("buffer_bdp") * pl.col("bottleneck_bps") / 1e6
        name = say(row, "ccas", words="the pairing in which flow 2 gets least")
        tree[part] = {
            "pairing": phrase(pairing_name(of["ccas"]), behind=[name]),
            "rtt_ms": say(row, pl.col("base_rtt_s") * 1000, style="g"),
            "buffer_pct": say(row, pl.col("buffer_bdp") * 100, style="g"),
            "nru_db": say(row, "mean", digits=in_print("flow_nru_db_flow2").digits),
            "n_runs": say(row, "n"),
            "flow1_mbps": say(flow1, "mean", digits=1, unit=1e6),
            "flow2_mbps": say(flow2, "mean", digits=1, unit=1e6),
            "limit_mbps": say(
                row, limit, digits=1, words="the buffer's share of the bottleneck, Mb/s"
            ),
            "most_mbps": say(
                row,
                2 * limit,
                digits=1,
                words="twice the buffer's share of the bottleneck, Mb/s",
            ),
            "as_bounded": "yes" if as_bounded else "no",
        }
    return tree
