"""The figures of hstcp-buffers' report: what each shows; how it is drawn is in charts.py."""

from __future__ import annotations

import polars as pl
from evenflow.charts.panels import titled
from evenflow.claims.headlines import headline
from evenflow.papers import paper

from . import charts, messages
from .card import utilisation_card
from .design import (
    access_rates,
    flow_shares,
    many_flows,
    printed_values,
    rate_ratios,
    two_flow_examples,
)
from .highspeed import RFC_TABLE

WARMUP_KEY = "One line per run; circles: MSER-5."


@paper.figure
def window_dynamics(example):
    """Draw the window between losses: Figure 1. No measurement."""
    drawn = example["loss_rate"], example["rtt_ms"] / 1000
    return titled(charts.window_dynamics(*drawn), messages.dynamics(*drawn))


@paper.figure
def response():
    """Draw the response function with the points of RFC 3649's table."""
    return titled(charts.response_function(RFC_TABLE), messages.response())


@paper.figure
def utilisation_droptail(model_point, buffer_cell, published, claim, headlines):
    """Draw utilisation against the buffer with DropTail: Figures 3 and 4."""
    message = headline(claim, headlines, "utilisation_droptail", "")
    return utilisation(model_point, buffer_cell, published, "droptail", message)


@paper.figure
def utilisation_red(model_point, buffer_cell, published, claim, headlines):
    """Draw utilisation against the buffer with RED: Figures 7 and 8."""
    message = headline(claim, headlines, "utilisation_red", "")
    return utilisation(model_point, buffer_cell, published, "red", message)


def utilisation(
    model: pl.DataFrame, cell: pl.DataFrame, published: pl.DataFrame, aqm: str, message: str = ""
) -> dict:
    """Return the model's curve, the cells and the printed values with a queue."""
    curve = model.filter(pl.col("reading") == "taken")
    cells = many_flows(cell).filter(pl.col("metric") == "utilisation")
    printed = printed_values(published).filter(pl.col("quantity") == "utilisation")
    printed = printed.select("bottleneck_bps", "aqm", pl.col("low").alias("fraction"), "value")
    drawn = charts.utilisation_chart(curve, cells, printed, aqm)
    return titled(drawn, message or messages.utilisation(curve, cells, aqm), messages.POINTS_KEY)


@paper.figure
def loss_rate(buffer_cell, model_error, claim, headlines):
    """Draw drops and window cuts a packet over the model's loss rate, against the buffer."""
    rates = rate_ratios(buffer_cell, model_error)
    message = headline(claim, headlines, "loss_rate", messages.loss(rates))
    return titled(charts.loss_chart(rates), message, messages.LOSS_KEY)


@paper.figure
def two_flows(link_metric, flow, sample, queue_sample):
    """Draw windows and queue of two flows, the first repeat of each buffer: Figures 5 and 6."""
    runs = two_flow_examples(link_metric, flow)
    drawn = pl.col("run_id").is_in(runs["run_id"].to_list())
    window = sample.filter(drawn).collect()
    segment = flow.select("run_id", "flow_id", "mss_bytes")
    state = window.join(segment, on=["run_id", "flow_id"], maintain_order="left").select(
        "run_id",
        "flow_id",
        "t_end_s",
        (pl.col("cwnd_bytes") / pl.col("mss_bytes")).alias("cwnd_packets"),
    )
    chart = charts.two_flow_chart(state, queue_sample.filter(drawn).collect(), runs)
    return titled(chart, messages.two_flows(state, runs), "One run per column.")


@paper.figure
def warmup(buffer_sensitivity, link_metric):
    """Draw how the utilisation of each run moves with the start of the steady state."""
    kept = link_metric.select("run_id", "utilisation")
    known = buffer_sensitivity.drop_nulls("utilisation")
    moved = known.join(kept, on="run_id", suffix="_kept")
    moved = 100 * (moved["utilisation"] - moved["utilisation_kept"])
    return titled(charts.warmup_chart(known, kept), messages.warmup(moved), WARMUP_KEY)


@paper.figure
def flow_throughput(link_metric, flow, flow_metric, shares_at, claim, headlines):
    """Draw the throughput of each flow at the link and buffer where implementations differ."""
    shares = flow_shares(link_metric, flow, flow_metric, shares_at)
    message = headline(claim, headlines, "flow_throughput", messages.shares(shares))
    return titled(charts.shares_chart(shares), message, "One line per run.")


@paper.figure
def topology(links, run):
    """Draw the topology: Figure 2."""
    return titled(charts.topology_chart(links, access_rates(run)), messages.TOPOLOGY)


@paper.figure
def card(model_point, buffer_cell, claim, headlines):
    """Draw the figure of the site's first page."""
    said = "Utilisation of both links against the buffer"
    message = headline(claim, headlines, "card", said)
    return utilisation_card(model_point, buffer_cell, message)
