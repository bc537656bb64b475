"""Checks of what the NRU takes for granted."""

from __future__ import annotations

import polars as pl

from ..metrics.fairness import FLOW, PATH, known_of_path
from ..packets import ASSUMED_MSS_BYTES
from .finding import findings, many

CHECK = "segment size not known"
UNKNOWN_PATH = "path of calibrations not known"
WORDS = {
    "bottleneck_bps": "bandwidth of the bottleneck (`bottleneck_mbps`)",
    "base_rtt_s": "round-trip time (`rtt_ms`)",
    "buffer_bdp": "buffer as a part of the BDP (`buffer_pct`)",
}


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


def unknown_paths(run: pl.DataFrame, flow: pl.DataFrame, flow_metric: pl.DataFrame) -> pl.DataFrame:
    """Find what an NRU takes as the same in all runs, and runs that it leaves out as unknown.

    `run`, `flow`, `flow_metric`: the tables; of a data set that has calibrations and comparisons.
    """
    tables = ({"role", *PATH}, run), ({"flow_nru_db"}, flow_metric)
    if not all(names <= {*table.columns} for names, table in tables):
        return findings(run.clear(), UNKNOWN_PATH, "note", pl.lit(""), "")
    of_nru = run.filter(pl.col("role").is_in(["calibration", "comparison"]))
    if of_nru["role"].n_unique() < 2:
        return findings(run.clear(), UNKNOWN_PATH, "note", pl.lit(""), "")
    known = known_of_path(flow, run)
    same = " and ".join(WORDS[name] for name in PATH if name not in known)
    has_nru = flow_metric["flow_nru_db"].is_not_null().any()
    one = run.head(1).select(n=pl.lit(1)) if same and has_nru else run.clear()
    taken = pl.lit(
        f"no run says the {same}: the NRU takes calibrations and comparisons as measured with the "
        "same"
    )
    remedy = (
        "say it of all runs (`defaults` of dataset.yml), or, where runs differ in it, in runs.csv "
        "or in the path"
    )
    found = [findings(one, UNKNOWN_PATH, "note", taken, remedy)]
    differ = flow.drop_nulls("base_rtt_s").select("run_id")  # in their RTT, which is known
    for name in known:
        rows = of_nru.filter(pl.col(name).is_null())
        if name == "base_rtt_s":
            rows = rows.join(differ, on="run_id", how="anti")
        rows = rows.select(n=pl.len()).filter(pl.col("n") > 0)
        whose = (
            ", which others have"
            if of_nru[name].is_not_null().any()
            else ": it is known in other units only, which takes the bandwidth and the RTT"
        )
        left_out = pl.format(
            f"{{}} without the {WORDS[name]}{whose}; no NRU and no harm is made of it",
            many("n", "run"),
        )
        found.append(findings(rows, UNKNOWN_PATH, "warning", left_out, remedy))
    return pl.concat(found)
