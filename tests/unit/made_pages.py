"""Tables of data sets as tests need them, and the pages that are made of them."""

import base64
import gzip
import json
import re

import polars as pl
from evenflow.checks import finding_table
from evenflow.metrics.over_time import OF_SERIES, points_table
from evenflow.metrics.tables import cell_table
from evenflow.metrics.windows import in_window, window_table
from evenflow.pages.dataset import dataset_page
from evenflow.render.policy import with_policy
from metrics_of import flow_metric_table, run_metric_table, weight_table
from rendered_page import THEME, Page

SETTINGS = {"warmup_s": 120, "confidence": 0.95, "page_rows": 700, "equivalence_margin_jfi": 0.05}
MBPS = 125_000  # bytes a second


def data_set(scenarios, *, repeats=2, seconds=20, **settings):
    """Return the tables of a data set.

    `scenarios`: {scenario: [(cca, Mb/s, start_s), ...]}, a flow each; `settings`: more columns of
    `run`, values or functions of the scenario.
    """
    run, flow, sample = [], [], []
    for scenario, flows in scenarios.items():
        for repeat in range(1, repeats + 1):
            run_id = f"{scenario}/r{repeat}"
            names = [cca for cca, _, _ in flows]
            ccas = "-".join(names) if all(names) else None
            more = {k: v(scenario) if callable(v) else v for k, v in settings.items()}
            run.append({"run_id": run_id, "scenario_id": scenario, "repeat": repeat,
                        "ccas": ccas, "n_flows": len(flows), **more})  # fmt: skip
            for n, (cca, mbps, start_s) in enumerate(flows, 1):
                flow.append((run_id, n, cca, more.get("base_rtt_s"), float(start_s), False, 1448))
                for t in range(seconds):
                    n_bytes = int((mbps + repeat * (t % 3)) * MBPS)
                    sample.append((run_id, n, start_s + t, start_s + t + 1, n_bytes, t + 1))
    run = pl.DataFrame(run, schema=RUN_SCHEMA).with_columns(
        pl.lit("d").alias("dataset_id"), pl.col("factors").fill_null("{}"),
        pl.col("role").fill_null("comparison"), pl.col("made_by").fill_null("{}"),
    )  # fmt: skip
    flow = pl.DataFrame(flow, schema=FLOW_SCHEMA, orient="row").with_columns(
        side=pl.lit("receiver"), cross_traffic=pl.lit(False)
    )
    sample = pl.DataFrame(
        sample,
        schema={"run_id": pl.String, "flow_id": pl.Int32, "t_start_s": pl.Float64,
                "t_end_s": pl.Float64, "bytes": pl.Int64, "line": pl.UInt32},
        orient="row",
    ).with_columns(
        (pl.col("bytes") * 8.0).alias("throughput_bps"),
        pl.format("{}/flow{}.log", "run_id", "flow_id").alias("path"),
    )  # fmt: skip
    return derived(run, flow, sample)


RUN_SCHEMA = {
    **dict.fromkeys(("run_id", "scenario_id", "role", "ccas", "platform", "tool"), pl.String),
    **dict.fromkeys(("tool_version", "aqm", "factors", "made_by", "observed"), pl.String),
    **dict.fromkeys(("repeat", "n_flows", "n_cross_traffic"), pl.Int32),
    **dict.fromkeys(("duration_s", "bottleneck_bps", "base_rtt_s", "buffer_bdp"), pl.Float64),
    **dict.fromkeys(("buffer_bytes", "buffer_packets"), pl.Int64),
    "warmup_s": pl.Float64,
}
FLOW_SCHEMA = {
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "cca": pl.String,
    "base_rtt_s": pl.Float64,
    "start_s": pl.Float64,
    "start_is_assumed": pl.Boolean,
    "mss_bytes": pl.Int32,
}


def derived(run, flow, sample):
    window = window_table(sample, flow, run, SETTINGS["warmup_s"])
    windowed = in_window(run, window)
    weight = weight_table(sample, flow, windowed, "flow2")
    flow_metric = flow_metric_table(sample, flow, windowed, weight, 1)
    run_metric = run_metric_table(sample, flow, flow_metric, windowed)
    ledger = ledger_of(sample)
    tables = {
        "run": run,
        "flow": flow,
        "sample": sample,
        "window": window,
        "weight": weight,
        "flow_metric": flow_metric,
        "run_metric": run_metric,
        "cell": cell_table(flow_metric, run_metric, run, 0.95),
        "ledger": ledger,
    }
    return tables | {"finding": finding_table({**tables, "run": windowed}, 10)}


def numbered(tables, numbers):
    """Return the tables of a data set with other numbers of flows: `numbers` of run and flow."""

    def other(table):
        said = pl.struct("run_id", "flow_id").map_elements(
            lambda row: numbers(row["run_id"], row["flow_id"]), return_dtype=pl.Int32
        )
        return table.with_columns(flow_id=said).sort("run_id", "flow_id", maintain_order=True)

    return derived(tables["run"], other(tables["flow"]), other(tables["sample"]))


def ledger_of(sample):
    files = sample.group_by("path", "run_id", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("lines_sample")
    )
    fates = ["header", "summary", "skipped", "rejected"]
    return files.with_columns(
        pl.lit("file").alias("entry"),
        pl.lit("iperf2").alias("format"),
        pl.col("path").alias("content_sha256"),
        pl.lit(1000, pl.Int64).alias("bytes"),
        pl.col("lines_sample").alias("lines"),
        *(pl.lit(0, pl.Int64).alias(f"lines_{fate}") for fate in fates),
        pl.lit(None, pl.String).alias("reason"),
        pl.lit(None, pl.Int64).alias("line"),
        pl.lit(None, pl.String).alias("text"),
    )


def page_of(tables, folder, about=None, text=""):
    """Publish the tables and return the page, as HTML."""
    folder.mkdir(exist_ok=True)
    files = {}
    for name, table in tables.items():
        paths = {"parquet": folder / f"{name}.parquet", "csv": folder / f"{name}.csv"}
        table.write_parquet(paths["parquet"])
        table.write_csv(paths["csv"])
        files[name] = paths
    points = points_table([tables["sample"].select(OF_SERIES)], tables["flow"], 300)
    page = dataset_page("d", about or {}, text, tables, points, files, SETTINGS, THEME)
    return with_policy(page)


def rendered(tables, folder, about=None, text=""):
    """Make the page; return what a reader meets without a script, and what the script reads."""
    html = page_of(tables, folder, about, text)
    page = Page(html)
    assert [load for load in page.loads if not load.startswith(("data:", "#"))] == []
    anchors = [target[1:] for _, target in page.links if target.startswith("#")]
    assert {a for a in anchors if not a.startswith(("run=", "scenario-"))} <= set(page.ids)
    page.html = html
    page.data = data_of(html)
    return page


def data_of(html) -> dict:
    """Return the data in a page, unpacked, by their name."""
    found = {}
    for kind, name, text in re.findall(r'<script type="([^"]+)" id="(\w+)">(.*?)</script>', html):
        content = text if kind.endswith("json") else gzip.decompress(base64.b64decode(text))
        found[name] = content if name == "points" else json.loads(content)
    return found


TWO = [("newreno", 10, 0), ("bic", 30, 0)]


def grid_settings():
    return {
        "base_rtt_s": lambda s: int(s.split("_")[1]) / 1000,
        "buffer_bdp": lambda s: int(s.split("_")[2]) / 100,
        "bottleneck_bps": 100e6,
        "duration_s": 20.0,
        "role": lambda s: "calibration" if s.startswith("c") else "comparison",
        "made_by": '{"date": "2026-11-20T10:00:00Z", "versions": {"kernel": "6.12"}}',
    }
