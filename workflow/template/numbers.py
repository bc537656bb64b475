"""Numbers of the text, as strings: each function writes the branch of its name."""

import polars as pl
from evenflow.markdown import number
from evenflow.papers import paper


@paper.number
def data(run: pl.DataFrame, parts: dict) -> dict:
    return {
        "id": parts["data"],
        "n_runs": str(len(run)),
        "n_scenarios": str(run["scenario_id"].n_unique()),
    }


@paper.number
def confidence_pct(confidence: float) -> str:
    return number(100 * confidence, 0)


@paper.number
def throughput(flow_metric: pl.DataFrame) -> dict:
    mbps = flow_metric["mean_throughput_bps"].drop_nulls() / 1e6
    return {"min_mbps": number(mbps.min(), 1), "max_mbps": number(mbps.max(), 1)}
