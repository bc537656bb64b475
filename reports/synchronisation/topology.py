"""The drawing of the topology that is simulated: flows and background over one bottleneck."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl
from evenflow.charts.theme import ACCENT, TEXT
from evenflow.markdown import span_of

LINK = {"x2": "x2:Q", "y2": "y2:Q"}
AT = {
    "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-1.4, 5.6])),
    "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.5, 4.5])),
}


def topology_chart(rtts_s: list[float], bottleneck: str, queue: str) -> alt.LayerChart:
    """Return the drawing: senders and background at the left, the bottleneck, the receivers.

    Args:
        rtts_s: round-trip time of each flow without queue (s), in the order of the flows.
        bottleneck, queue: rate and buffer of the bottleneck, in print.
    """
    ys = np.linspace(4, 0, len(rtts_s) + 1)
    names = [f"flow {i}, {1000 * rtt:g} ms" for i, rtt in enumerate(rtts_s, 1)]
    names.append("background")
    middle = 2.0
    wires = [(0.0, float(y), 2.0, middle) for y in ys]
    wires += [(4.0, middle, 5.2, middle)]
    texts = [(-0.1, float(y), name) for y, name in zip(ys, names, strict=True)]
    said = [(3.0, middle + 0.35, bottleneck), (3.0, middle - 0.35, queue)]
    said.append((3.0, middle - 0.75, "DropTail or RED"))
    routers = [(2.0, middle, "R1"), (4.0, middle, "R2")]

    def chart(rows: list[tuple], schema: list[str]) -> alt.Chart:
        return alt.Chart(pl.DataFrame(rows, schema=schema, orient="row"), width=520, height=150)

    ends, text = ["x", "y", "x2", "y2"], ["x", "y", "text"]
    nodes = chart(routers, text)
    labels = {"color": TEXT, "fontSize": 11}
    return alt.layer(
        chart(wires, ends).mark_rule(color=TEXT, strokeWidth=1).encode(**AT, **LINK),
        chart([(2.0, middle, 4.0, middle)], ends)
        .mark_rule(color=ACCENT, strokeWidth=4)
        .encode(**AT, **LINK),
        nodes.mark_point(filled=True, fill="white", stroke=TEXT, size=500, opacity=1).encode(**AT),
        nodes.mark_text(**labels).encode(**AT, text="text:N"),
        chart(texts, text).mark_text(align="right", **labels).encode(**AT, text="text:N"),
        chart(said, text).mark_text(**labels).encode(**AT, text="text:N"),
        chart([(5.3, middle, "receivers")], text)
        .mark_text(align="left", **labels)
        .encode(**AT, text="text:N"),
    )


def described(flow: pl.DataFrame, placed_run: pl.DataFrame, run: pl.DataFrame) -> dict:
    """Return the arguments of `topology_chart` that tables say."""
    flows = flow.join(placed_run.select("run_id"), on="run_id", how="semi")
    rtts = flows.group_by("flow_id").agg(pl.col("base_rtt_s").first()).sort("flow_id")
    placed = run.join(placed_run.select("run_id"), on="run_id", how="semi")
    return {
        "rtts_s": rtts["base_rtt_s"].drop_nulls().to_list(),
        "bottleneck": f"{span_of(placed['bottleneck_bps'] / 1e6)} Mb/s",
        "queue": f"{span_of(placed_run['queue_limit_packets'])} packets",
    }
