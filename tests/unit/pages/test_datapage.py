"""The page of a data set and its charts, whatever the data set has or lacks."""

import re
from itertools import pairwise

import polars as pl
import pytest
from evenflow.charts import dataset as dataset_charts
from evenflow.charts import placing
from evenflow.checks import finding_table
from evenflow.ingest.entities import GUESS, Assumption
from evenflow.ingest.shares import ASSUMPTION
from evenflow.metrics.catalogue import METRICS
from evenflow.metrics.listed import metric_names
from evenflow.metrics.tables import (
    cell_table,
)
from evenflow.metrics.windows import in_window, window_table
from evenflow.pages.dataset import dataset_page
from evenflow.pages.dataset.assumed import merged_yaml
from evenflow.pages.dataset.found import MAX_EXAMPLES, findings
from evenflow.pages.dataset.parts import code
from evenflow.render import render_page
from evenflow.statistics.surfaces import is_contested
from metrics_of import flow_metric_table, run_metric_table, weight_table
from rendered_page import THEME, Page

SETTINGS = {"warmup_s": 120, "confidence": 0.95, "page_rows": 700}
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
            ccas = [cca for cca, _, _ in flows if cca]
            more = {k: v(scenario) if callable(v) else v for k, v in settings.items()}
            run.append({"run_id": run_id, "scenario_id": scenario, "repeat": repeat,
                        "ccas": "-".join(ccas) or None, "n_flows": len(flows), **more})  # fmt: skip
            for n, (cca, mbps, start_s) in enumerate(flows, 1):
                flow.append((run_id, n, cca, more.get("base_rtt_s"), float(start_s), False, 1448))
                for t in range(seconds):
                    n_bytes = int((mbps + repeat * (t % 3)) * MBPS)
                    sample.append((run_id, n, start_s + t, start_s + t + 1, n_bytes, t + 1))
    run = pl.DataFrame(run, schema=RUN_SCHEMA).with_columns(
        pl.lit("d").alias("dataset_id"), pl.col("factors").fill_null("{}"),
        pl.col("role").fill_null("comparison"), pl.col("made_by").fill_null("{}"),
    )  # fmt: skip
    flow = pl.DataFrame(flow, schema=FLOW_SCHEMA, orient="row")
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
    **dict.fromkeys(("repeat", "n_flows"), pl.Int32),
    **dict.fromkeys(("duration_s", "bottleneck_bps", "base_rtt_s", "buffer_bdp"), pl.Float64),
    "buffer_bytes": pl.Int64,
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


def rendered(tables, folder, about=None):
    """Draw the figures, publish the tables, render the page; return what a reader meets."""
    folder.mkdir(exist_ok=True)
    contested = is_contested(tables["run"], "scenario_id")
    charts = {
        "runs": dataset_charts.runs_over_time(
            *(tables[n] for n in ("sample", "flow", "run", "window"))
        ),
        "flow_means": dataset_charts.flow_means(*(tables[n] for n in ("cell", "run", "flow"))),
        **{
            metric: dataset_charts.metric_chart(
                metric, *(tables[n] for n in ("cell", "run", "flow")), contested
            )
            for metric in METRICS
        },
    }
    figures = {}
    for name, chart in charts.items():
        figures[name] = folder / f"{name}.svg"
        dataset_charts.save_figure(chart, figures[name])
    files = {}
    for name, table in tables.items():
        paths = {"parquet": folder / f"{name}.parquet", "csv": folder / f"{name}.csv"}
        table.write_parquet(paths["parquet"])
        table.write_csv(paths["csv"])
        files[name] = paths
    text = dataset_page(about or {}, tables, figures, files, SETTINGS)
    output = folder / "index.html"
    render_page(text, "A data set", output, THEME, toc=True, resources=folder)
    page = Page(output.read_text(encoding="utf-8"))
    assert page.scripts == 0
    assert [load for load in page.loads if not load.startswith(("data:", "#"))] == []
    anchors = [target[1:] for _, target in page.links if target.startswith("#")]
    assert set(anchors) <= set(page.ids)
    page.drawn = {name for name, path in figures.items() if path.stat().st_size}
    return page


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


def test_a_full_grid_with_calibration_has_surfaces_of_every_metric(tmp_path):
    scenarios = {f"x_{r}_{b}": TWO for r in (25, 100) for b in (20, 60)}
    for cca, _, _ in TWO:
        for r in (25, 100):
            scenarios |= {f"c{cca}_{r}_{b}": [(cca, 20, 0), (cca, 20, 0)] for b in (20, 60)}
    tables = data_set(scenarios, **grid_settings())
    page = rendered(tables, tmp_path / "d", {"title": "T", "source": "we", "licence": "CC0-1.0"})
    assert page.drawn == {"runs", "flow_means", *metric_names("run")}
    assert "by RTT (ms) and Buffer (% of BDP)" in page.text
    assert "2026-11-20" in page.text and "kernel 6.12" in page.text
    assert "CC0-1.0" in page.text and "no NRU" not in page.text
    hrefs = [target for _, target in page.links]
    assert "tables/cell.csv" in hrefs and "tables/sample.parquet" in hrefs


def test_labels_of_many_values_leave_room_for_each_other(tmp_path):
    """Sixteen RTTs along an axis: those that have a label are a digit's width (6 px) apart."""
    scenarios = {f"x_{25 * n}_{b}": TWO for n in range(1, 17) for b in (20, 60)}
    tables = data_set(scenarios, seconds=3, **grid_settings())
    inputs = [tables[table] for table in ("cell", "run", "flow")]
    charts = {
        "jfi": dataset_charts.metric_chart("jfi", *inputs, is_contested(inputs[1], "scenario_id")),
        "flow_means": dataset_charts.flow_means(*inputs),
    }
    shown = {}
    for name, chart in charts.items():
        figure = tmp_path / f"{name}.svg"
        dataset_charts.save_figure(chart, figure)
        svg = figure.read_text(encoding="utf-8")
        for axis in re.findall(r"role-axis-label.*?</g>", svg, re.DOTALL):
            labels = re.findall(r"translate\(([-\d.]+),([-\d.]+)([^>]*)>([\d.]+)</text>", axis)
            seen = [
                (float(x), float(y), t) for x, y, style, t in labels if 'opacity="0"' not in style
            ]
            shown.setdefault(name, []).append(seen)
    along = shown["flow_means"][0]
    assert along[0][2] == "25" and len(along) > 3
    for (left, _, first), (right, _, second) in pairwise(along):
        assert right - left > 6 * (len(first) + len(second) + 1) / 2, (first, second)
    down = next(axis for axis in shown["jfi"] if len(axis) > 2)  # a surface: every RTT has one
    assert sorted(int(text) for _, _, text in down) == [25 * n for n in range(1, 17)]
    assert all(abs(a[1] - b[1]) > 10 for a, b in pairwise(down))


def test_the_numbers_of_the_page_are_those_of_the_tables(tmp_path):
    tables = data_set({"a": TWO}, bottleneck_bps=100e6)
    page = rendered(tables, tmp_path / "d")
    jfi = tables["cell"].filter(metric="jfi").row(0, named=True)
    for key in ("mean", "ci_low", "ci_high"):
        assert f"{jfi[key]:.3f}" in page.text
    assert "0.000" not in page.text


def test_every_scenario_has_a_row_that_live_charts_can_lead_to(tmp_path):
    names = ["a/b", "a-b", "c"]
    tables = data_set(dict.fromkeys(names, TWO), bottleneck_bps=100e6)
    page = rendered(tables, tmp_path / "d")
    anchors = [name for name in page.ids if name.startswith("scenario-")]
    assert sorted(anchors) == ["scenario-a-2d-b", "scenario-a-2f-b", "scenario-c"]


def test_nothing_known_but_the_logs(tmp_path):
    page = rendered(data_set({"a": [(None, 10, 0), (None, 20, 0)]}, repeats=1), tmp_path / "d")
    for line in ("bottleneck_mbps", "rtt_ms", "buffer_pct", "cca: cubic", "{repeat}", "licence"):
        assert line in page.text
    assert "steady_state: {warmup_s: 2}" in page.text
    assert "There is one scenario" in page.text
    assert page.drawn == {"runs", "flow_means"}
    assert "(2 to" not in page.text  # no interval without repeats


def assumption_table(rows) -> pl.DataFrame:
    """Return the table `assumption` of what, value, because and yaml."""
    assumed = [Assumption(*row, certainty=GUESS) for row in rows]
    return pl.DataFrame(assumed, schema=ASSUMPTION, orient="row")


def test_what_ingest_assumed_is_said_and_not_missing(tmp_path):
    tables = data_set({"a": TWO})
    rows = [
        ("title", "d", "the folder's name", 'title: "d"'),
        ("platform", "testbed", "the formats of the logs", "platform: testbed"),
        ("rtt_ms", "unknown", "no name and no log says it", "# defaults: {rtt_ms: 40}"),
    ]
    tables["assumption"] = assumption_table(rows)
    page = rendered(tables, tmp_path / "d")
    assert "testbed (assumed)" in page.text
    assert "title of the data set" not in page.text and "licence of the data set" in page.text
    assert "platform: testbed" in page.text and "# defaults: {rtt_ms: 40}" in page.text
    assert "iperf2" in page.text  # the tool, from the format of the logs


def test_flows_of_udp_are_said_to_be_that(tmp_path):
    tables = data_set({"a": TWO})
    columns = {
        "protocol": ["udp", None],
        "tool_version": ["2.1.8"] * 2,
        "start_epoch_s": [1e9, None],
    }
    page = rendered({**tables, "stream": pl.DataFrame(columns)}, tmp_path / "d")
    assert "Protocol UDP" in page.text and "send as fast as they are told" in page.text
    assert "iperf2 2.1.8" in page.text and "2001-09-09" in page.text
    assert "send as fast" not in rendered(tables, tmp_path / "e").text


def test_one_flow_alone(tmp_path):
    page = rendered(data_set({"a": [("cubic", 10, 0)]}, repeats=1), tmp_path / "d")
    assert "no fairness to speak of" in page.text
    assert page.drawn == {"runs"}


def test_one_to_ten_flows_along_their_number(tmp_path):
    scenarios = {str(n): [("mycca", 3 + i, 0) for i in range(n)] for n in (1, 2, 3, 10)}
    page = rendered(data_set(scenarios, bottleneck_bps=100e6), tmp_path / "d")
    assert {"jfi", "utilisation", "flow_means"} <= page.drawn
    assert re.search(r"\d … \d+\.\d … \d+\.\d \(10 flows\)", page.text)
    assert "mycca" in page.text


def test_scenarios_that_no_number_tells_apart_have_a_row_each(tmp_path):
    page = rendered(data_set({"monday": TWO, "tuesday": TWO}), tmp_path / "d")
    assert "No factor that is a number varies" in page.text
    assert {"jfi", "throughput_ratio", "flow_means"} <= page.drawn
    assert "monday" in page.text and "tuesday" in page.text


def test_flows_that_start_apart(tmp_path):
    tables = data_set({"a": [("bic", 10, 0), ("bic", 10, 15)]})
    page = rendered(tables, tmp_path / "d")
    assert tables["window"]["end_s"].to_list() == [20.0, 20.0]
    assert "run together only from 15 to 20 s" in page.text
    assert "2 s after the last flow's start, at 17 s" in page.text.replace("’", "'")


def with_more(tables, *rows):
    """Tables made anew with more samples: (run, flow, from, to, bytes)."""
    columns = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes"]
    more = pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.lit(99).alias("line"), pl.lit(8e6).alias("throughput_bps"), pl.lit("x").alias("path")
    )
    sample = tables["sample"]
    more = more.select(pl.col(name).cast(kind) for name, kind in sample.schema.items())
    return derived(tables["run"], tables["flow"], pl.concat([sample, more]))


def test_a_start_that_is_the_same_for_all_runs_is_said_once(tmp_path):
    page = rendered(data_set({"a": TWO, "b": TWO}), tmp_path / "d")
    assert "All runs count from 2 s on" in page.text and "Samples up to 20 s count" in page.text
    assert "Steady from (s)" not in page.text
    assert "Left out are stumps" not in page.text and "Covered" not in page.text


def test_starts_that_differ_are_shown_of_each_run(tmp_path):
    long = data_set({"a": TWO}, seconds=60)
    short = data_set({"b": TWO}, repeats=1, seconds=20)
    both = {name: pl.concat([long[name], short[name]]) for name in ("run", "flow", "sample")}
    page = rendered(derived(**both), tmp_path / "d")
    assert "All runs count from 2 or 6 s on" in page.text
    assert "Steady from (s)" in page.text
    assert re.search(r"b/r1 2 ", page.text) and re.search(r"a/r2 6 ", page.text)
    # 6 s would leave 14 of the short run's 18 s
    assert "steady_state: {warmup_s: 6}" in page.text


def test_stumps_and_time_without_samples_are_shown_of_each_run(tmp_path):
    stumps = [("a/r1", flow, 20.0, 20.25, 10**9) for flow in (1, 2)]
    tables = with_more(data_set({"a": TWO}), *stumps)
    late = tables["sample"].filter((pl.col("run_id") != "a/r2") | ~pl.col("line").is_in([5, 6, 7]))
    page = rendered(derived(tables["run"], tables["flow"], late), tmp_path / "d")
    assert "Left out are stumps" in page.text
    assert "Covered (%)" in page.text and "83.3" in page.text  # 15 of 18 s


def test_runs_of_one_interval_are_said_to_have_no_steady_state(tmp_path):
    tables = data_set({"a": TWO})
    total = tables["sample"].filter(pl.col("line") == 1).with_columns(t_end_s=pl.lit(20.0))
    total = total.filter(run_id="a/r2")
    rest = tables["sample"].filter(run_id="a/r1")
    mixed = derived(tables["run"], tables["flow"], pl.concat([rest, total]))
    page = rendered(mixed, tmp_path / "d")
    assert "1 run of 2 counts from 2 s on" in page.text
    assert "1 run of 2 counts as a whole" in page.text
    assert "whole run" in page.text and "of no steady state" in page.text
    assert "1 of 2 over the whole run" in page.text  # repeats that are unlike
    assert mixed["flow_metric"]["mean_throughput_bps"].null_count() == 0
    alone = rendered(derived(tables["run"].filter(repeat=2), tables["flow"].filter(run_id="a/r2"),
                             total), tmp_path / "e")  # fmt: skip
    assert "The run counts as a whole" in alone.text
    assert "steady_state: {warmup_s" not in alone.text


def test_a_flow_that_never_carries_anything(tmp_path):
    tables = data_set({"a": [("bic", 10, 0), ("bic", 10, 0)]}, repeats=1)
    sample = tables["sample"].with_columns(
        pl.when(pl.col("flow_id") == 2).then(0).otherwise("bytes").alias("bytes")
    )
    page = rendered(derived(tables["run"], tables["flow"], sample), tmp_path / "d")
    assert "carried nothing at all" in page.text
    assert "throughput_ratio" not in page.drawn


def test_no_run_at_all(tmp_path):
    tables = data_set({"a": TWO})
    empty = {name: table.clear() for name, table in tables.items()}
    rejected = (
        tables["ledger"]
        .head(1)
        .with_columns(pl.lit("unreadable").alias("format"), pl.lit("cut short").alias("reason"))
    )
    finding = finding_table({**empty, "run": in_window(empty["run"], empty["window"]),
                             "ledger": rejected}, 10)  # fmt: skip
    page = rendered({**empty, "ledger": rejected, "finding": finding}, tmp_path / "d")
    assert "No run of this data set could be read" in page.text
    assert "cut short" in page.text
    assert page.drawn == set()


def test_names_with_markup_and_bars_stay_as_they_are(tmp_path):
    names = ["a|b*_$x", "[c](d)", "<i>&amp;`", r"\x1b[31m\u202e"]
    page = rendered(data_set(dict.fromkeys(names, TWO)), tmp_path / "d")
    for name in names:
        assert f"{name}/r1" in page.text


def test_the_only_run_of_a_folder_has_no_name():
    assert code("") == "*the only run*"
    assert code("a b") == "`a b`"


def finding_of(messages):
    n = len(messages)
    return pl.DataFrame(
        {
            "check": ["clock jump"] * n,
            "severity": ["warning"] * n,
            "run_id": [f"r{i}" for i in range(n)],
            "flow_id": [1] * n,
            "path": [None] * n,
            "line": [None] * n,
            "message": messages,
            "remedy": ["look"] * n,
        }
    )


def test_many_findings_are_folded_and_cut_short():
    text = findings(finding_of([f"it jumps by {i}" for i in range(20)]))
    assert 'title="warning: clock jump (20)"' in text
    assert text.count("it jumps") == MAX_EXAMPLES
    assert "12 more" in text


def test_what_many_findings_share_is_said_once_with_the_places():
    text = findings(finding_of(["it jumps"] * 1628))
    assert 'title="warning: clock jump (1,628)"' in text
    assert text.count("it jumps") == 1
    assert "`r19`, flow 1; and 1,608 more" in text


def test_results_stand_before_findings_files_and_offered_lines(tmp_path):
    tables = data_set({"a": TWO})
    ignored = "\n".join(f'  - {{path: "p{i}.png", format: ignore}}' for i in range(1600))
    rows = [("files", "2 patterns", "the files' names", f"files:\n{ignored}")]
    rows += [("left out", f"run {i}", "cut") for i in range(1600)]
    tables["assumption"] = assumption_table((*row, "")[:4] for row in rows)
    page = rendered(tables, tmp_path / "d")
    parts = ["sec-fairness", "sec-runs", "sec-findings", "sec-assumed", "sec-ledger"]
    places = [page.ids.index(part) for part in parts]
    assert places == sorted(places)
    html = (tmp_path / "d/index.html").read_text()
    fold = html.index("1,602 lines for dataset.yml")
    assert html.rindex("<details", 0, fold) < fold < html.index("p698.png")
    assert "1,602 lines for dataset.yml, the first 700" in html  # page_rows of SETTINGS
    assert "p699.png" not in html
    assert html.index("</details>", fold) > html.index("p698.png")
    assert "The first 700 of 1,602" in page.text


def test_lines_of_dataset_yml_are_merged_into_one_block():
    block = merged_yaml(
        [
            "defaults: {bottleneck_mbps: 100}",
            "defaults: {rtt_ms: 50}",
            'files:\n  - path: "a/{flow}.log"',
            None,
            "# with your own numbers:\n# flows: {1: {cca: cubic}}",
        ]
    )
    assert block.splitlines() == [
        "defaults: {bottleneck_mbps: 100, rtt_ms: 50}",
        "files:",
        "- {path: 'a/{flow}.log'}",
        "# with your own numbers:",
        "# flows: {1: {cca: cubic}}",
    ]
    assert merged_yaml([]) == ""


@pytest.mark.parametrize("n", [1, 12, 13, 100])
def test_examples_are_spread_over_all(n):
    chosen = placing.spread(list(range(n)), 12)
    assert len(chosen) == min(n, 12)
    assert (chosen[0], chosen[-1]) == (0, n - 1)


def test_long_flows_are_averaged_over_time_without_losing_bytes():
    tables = data_set({"a": [("bic", 10, 0)]}, repeats=1, seconds=1000)
    sample = tables["sample"].join(
        tables["flow"].with_columns(series=pl.lit("x")).select("run_id", "flow_id", "series"),
        on=["run_id", "flow_id"],
    )
    drawn = dataset_charts._drawn_samples(sample)
    assert len(drawn) == placing.MAX_POINTS
    assert drawn["mbps"].mean() == pytest.approx(sample["throughput_bps"].mean() / 1e6, rel=0.01)
