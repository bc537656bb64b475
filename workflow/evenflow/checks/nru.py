"""Checks of what the NRU takes for granted."""

from __future__ import annotations

import polars as pl

from ..metrics.fairness import FLOW
from ..packets import ASSUMED_MSS_BYTES
from .finding import findings, many

CHECK = "segment size not known"


def assumed_segments(flow: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find whether the floor of an NRU counts that is of an assumed segment: one with counts.

    `flow`, `flow_metric`: the tables. Where no sample is below the floor, the segment says nothing.
    """
    remedy = (
        "say what a full packet carries: `mss_bytes` in dataset.yml (`defaults`), in runs.csv or "
        "in the path"
    )
    if not ({"mss_bytes"} <= {*flow.columns} and {"flow_nru_db"} <= {*flow_metric.columns}):
        return findings(flow.clear(), CHECK, "note", pl.lit(""), remedy)
    unknown = flow.filter(pl.col("mss_bytes").is_null())
    rows = (
        flow_metric.filter(pl.col("flow_nru_db").is_not_null(), pl.col("n_floored_samples") > 0)
        .join(unknown, on=FLOW, how="semi", maintain_order="left")
        .select(n_flows=pl.len(), n=pl.col("n_floored_samples").sum())
        .filter(pl.col("n_flows") > 0)
    )
    message = pl.format(
        "mss_bytes is not known: the floor of the NRU, which counts in {} of {}, is of a segment "
        f"of {ASSUMED_MSS_BYTES} bytes",
        many("n", "sample"),
        many("n_flows", "flow"),
    )
    return findings(rows, CHECK, "note", message, remedy)
