"""The model of hstcp-buffers, in every reading, beside the simulated cells."""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper

from .design import LINK, PLACE, flow_rtts, many_flows
from .evaluation import model_points
from .metrics import cell_runs


def model_errors(cells: pl.DataFrame, rtts: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Set the model, in every reading, beside the cells of the link's utilisation and loss rate.

    Args:
        cells: result of `buffer_cells`.
        rtts: result of `flow_rtts`.
        placed: bottleneck_bps, packet_bytes of the runs.

    Returns:
        PLACE, k, metric (utilisation, loss_rate), reading, measured, ci_low, ci_high, n, model,
        error (measured - model).
    """
    measured = cells.filter(pl.col("metric").is_in(["utilisation", "loss_rate"]))
    places = (
        measured.select(*LINK, "fraction", "k").unique(maintain_order=True).join(rtts, on=LINK[:2])
    )
    sizes = placed.select("bottleneck_bps", "packet_bytes").unique(
        "bottleneck_bps", maintain_order=True
    )
    points = model_points(places.join(sizes, on="bottleneck_bps"))
    model = points.unpivot(
        ["utilisation", "loss_rate"],
        index=[*LINK, "fraction", "k", "reading"],
        variable_name="metric",
        value_name="model",
    )
    return (
        measured.rename({"mean": "measured"})
        .join(model, on=[*LINK, "fraction", "k", "metric"])
        .select(*PLACE, "k", "metric", "reading", "measured", "ci_low", "ci_high", "n", "model")
        .with_columns((pl.col("measured") - pl.col("model")).alias("error"))
        .sort(*PLACE, "metric", "reading")
    )


@paper.metric(runs=True)
def model_error(buffer_cell, flow, link_metric) -> pl.DataFrame:
    """Return the model at every cell of many flows, and how far it is from what was measured."""
    link = many_flows(link_metric)
    found = model_errors(many_flows(buffer_cell), flow_rtts(flow, link), link)
    places = link.select("scenario_id", *PLACE).unique(maintain_order=True)
    runs = cell_runs(link).join(places, on="scenario_id").select(*PLACE, "metric", "runs")
    return found.join(runs, on=[*PLACE, "metric"], how="left", maintain_order="left")
