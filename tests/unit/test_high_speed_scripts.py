"""The scripts of high-speed-fairness, one after the other, on hand-made tables, to the report.

A run is two flows that carry what they are said to, from their start on, in 1-s samples; flow 1
runs alone, at the full rate, until flow 2 begins.
"""

import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.high_speed_windows import WINDOWS
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.metrics.fairness import mean_throughput, run_metrics
from evenflow.metrics.windows import steady_state
from evenflow.provenance.origins import ORIGINS, origin_of
from evenflow.render import render_report
from evenflow.render.source import parts_and_variables
from raw_data import ROOT
from report_scripts import copy_report, script

REPORT = ROOT / "reports/high-speed-fairness"
MBPS = 125_000  # bytes a second
ALONE, START_2, WARMUP = 860, 60.0, 120.0  # Mb/s; s
BDP20_16 = 360_000
OF_DATASET = ("run", "flow", "sample", "window", "tcp_state", "ledger", "flow_metric", "run_metric")
SETTINGS = {
    "statistics": {"confidence": 0.95},
    "steady_state": {"warmup_s": WARMUP},
    "high_speed": {
        "low_share": 0.01,
        "examples": [{"ccas": "newreno-bic", "rtt_ms": [16, 16], "queue": "bdp20"}],
    },
}


def tables(dataset: str, rows: list[tuple], end_s: float) -> dict[str, pl.DataFrame]:
    """The tables of runs (cca1, cca2, RTT of both in ms, buffer in bytes, Mb/s of flow 1, 2)."""
    made = {name: [] for name in ("run", "flow", "sample", "tcp_state")}
    for cca1, cca2, rtt, buffer, mbps1, mbps2 in rows:
        run = f"{cca1}-{cca2}/rtt{rtt}_{buffer}/r1"
        made["run"].append({
            "dataset_id": dataset, "scenario_id": run.replace("r1", "r*"), "run_id": run,
            "repeat": 1, "n_flows": 2, "platform": "ns2", "tool": "ns-2", "tool_version": "2.35",
            "buffer_bytes": buffer, "bottleneck_bps": 900e6, "duration_s": end_s,
            "factors": '{"queue": "x", "view": "y"}', "made_by": '{"date": "2026-11-21T10:00Z"}',
        })  # fmt: skip
        flows = zip((1, 2), (cca1, cca2), (0.0, START_2), (mbps1, mbps2), strict=True)
        for n, cca, start_s, mbps in flows:
            flow = {"run_id": run, "flow_id": n}
            made["flow"].append(flow | {
                "cca": cca, "base_rtt_s": rtt / 1000, "start_s": start_s, "mss_bytes": 1448,
                "side": "receiver",
            })  # fmt: skip
            for t in range(int(start_s), int(end_s)):
                now = ALONE if n == 1 and t < START_2 else mbps
                made["sample"].append(flow | {
                    "t_start_s": float(t), "t_end_s": t + 1.0, "bytes": now * MBPS,
                    "throughput_bps": now * 1e6, "cwnd_bytes": 1448.0 * (10 + t % 5),
                    "rtt_s": rtt / 1000,
                })  # fmt: skip
            made["tcp_state"].append(
                flow | {"t_s": start_s, "variable": "ssthresh_packets", "value": 20.0}
            )
    whole = {
        name: pl.DataFrame(these, schema_overrides={"flow_id": pl.Int32} if name != "run" else {})
        for name, these in made.items()
    }
    whole["window"] = whole["run"].select(
        "run_id", warmup_s=pl.lit(WARMUP), end_s=pl.lit(end_s), warmup_from=pl.lit("dataset.yml")
    )
    runs = whole["run"].join(whole["window"], on="run_id")
    metric = mean_throughput(steady_state(whole["sample"], runs))
    whole["flow_metric"] = metric.with_columns(flow_nru_db=pl.lit(None, pl.Float64))
    whole["run_metric"] = run_metrics(whole["flow_metric"], whole["run"])
    whole["ledger"] = pl.DataFrame(
        {"entry": ["file"], "bytes": [1000], "lines": [20], "lines_rejected": [0]}
    )
    return whole


def make_report(folder: Path, datasets: dict[str, dict], own: list[str]) -> Path:
    """Run the scripts of rules/high_speed.smk; return the report's folder.

    Args:
        folder: to work in.
        datasets: {part: result of `tables`}.
        own: parts of which the report's text was written.
    """
    report = copy_report(folder, "high-speed-fairness")
    (report / "provenance.md").write_text("# Provenance {.unnumbered}\n")  # another rule's
    for part, found in datasets.items():
        (folder / part).mkdir()
        for name, table in found.items():
            table.write_parquet(folder / part / f"{name}.parquet")
    parts = list(datasets)
    of_data = {name: [str(folder / p / f"{name}.parquet") for p in parts] for name in OF_DATASET}
    names = ("pair_metric", "pair_cell", "rtt_fit", "pair_share", "pair_sensitivity")
    of_paper = {name: str(folder / f"{name}.parquet") for name in names}
    script("compute_pair_cell").main(of_data, parts, 0.95, of_paper)
    script("compute_pair_sensitivity").main(of_data, parts, of_paper["pair_sensitivity"])

    text = (REPORT / "index.qmd").read_text(encoding="utf-8")
    figures = [report / f"figures/{name}.svg" for name in re.findall(r"figures/([\w-]+)", text)]
    states = report / "figures/sender-states.svg"
    script("figures/draw_pairs").main(
        *(of_paper[name] for name in names[1:4]), [f for f in figures if f != states]
    )
    examples = SETTINGS["high_speed"]["examples"]
    script("figures/draw_sender_states").main(of_data | of_paper, parts, examples, states)
    more = {"about": [], "published": REPORT / "published.csv", "authors": REPORT / "authors.yml"}
    if "testbed" in own:
        more["selfcheck"] = str(ROOT / "data/testbed-selfcheck-900mbps.json")
    written = [report / f"tables/{name}.md" for name in re.findall(r"tables/([\w-]+)\.md", text)]
    ids = {part: found["run"]["dataset_id"][0] for part, found in datasets.items()}
    script("write_pair_tables").main(of_data | of_paper | more, ids, 0.01, written)
    script("write_pair_variables").main(
        of_data | of_paper | more, ids, own, SETTINGS, report / "_variables.yml"
    )
    return report


FRIENDLY = ("newreno", "bic", 16, BDP20_16, 200, 600)
STARVED = ("newreno", "scalable", 16, BDP20_16, 0, 860)
ELSEWHERE = ("newreno", "bic", 16, 1_000_000, 400, 400)  # neither of the paper's queues


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    datasets = {
        "simulation": tables("ns2-high-speed", [FRIENDLY, STARVED, ELSEWHERE], 600.0),
        "testbed": tables("testbed-high-speed", [("newreno", "bic", 16, BDP20_16, 300, 500)], 300),
    }
    return make_report(tmp_path_factory.mktemp("both"), datasets, ["testbed", "simulation"])


def rows(report: Path, table: str) -> list[list[str]]:
    text = (report / f"tables/{table}.md").read_text(encoding="utf-8")
    plain = text.replace(NO_BREAK_SPACE, " ")
    return [line.strip("| ").split(" | ") for line in plain.splitlines()[2:]]


def variables(report: Path) -> dict:
    return yaml.safe_load((report / "_variables.yml").read_text(encoding="utf-8"))


def test_cells_reach_the_report_side_by_side(report):
    """200 and 600 Mb/s: 1/3, J = 0.8; 300 and 500: 0.6, J = 0.94."""
    found = rows(report, "cells")
    pair = "NewReno – BIC"
    assert (
        found[0]
        == ["TCP-friendliness", pair, "20 % of BDP", "ns-2", "1", "0.333 (0.80)"] + ["–"] * 4
    )
    assert found[1][3:6] == ["Testbed", "1", "0.600 (0.94)"]
    assert found[2][1:6:4] == ["NewReno – Scalable", "flow 1 starved (0.50)"]


def test_a_starved_flow_is_listed_and_counted(report):
    (row,) = rows(report, "starved")
    assert row[2:] == ["flow 1, NewReno", "0.00", "flow 1 starved"]
    found = variables(report)
    assert found["total"] | {"n_runs": ""} == {
        "n_runs": "",
        "cells": "2 (ns-2) and 1 (testbed) of the 258 cells",
        "n_low": "1",
        "n_starved": "1",
        "beside": "Scalable (1)",
    }
    text = found["view"]["friendliness"]["simulation"]["text"]
    assert text == (
        "2 of 50 cells (n = 1): Jain's index 0.50 to 0.80, throughput ratio flow 1 starved to "
        "0.333; a flow starved in 1 of them"
    )


def test_runs_without_a_place_are_counted_and_left_out(report):
    data = variables(report)["data"]["simulation"]
    assert (data["n_runs"], data["n_other_runs"], data["n_cells"]) == ("2", "1", "2")


def test_other_parts_of_a_run_give_what_they_hold(report):
    """Flow 1 has 860 Mb/s for 60 s, then 200; flow 2 600 Mb/s from 60 s on: 600-s runs."""
    table = pl.read_parquet(report.parents[1] / "pair_sensitivity.parquet")
    mine = table.filter(part="simulation", cca2="bic")
    flow_1 = {row["window"]: row["throughput1_bps"] / 1e6 for row in mine.rows(named=True)}
    assert set(flow_1) == set(WINDOWS)
    assert flow_1.pop("own") == pytest.approx((60 * 860 + 540 * 200) / 600)
    assert set(flow_1.values()) == {200}
    assert set(mine["throughput2_bps"]) == {600e6}


def test_ns2_and_testbed_are_compared_in_the_cells_of_both(report):
    """J 0.8 and 16/17, shares 25 and 37.5 %, BIC ahead in both."""
    assert rows(report, "platforms")[-1] == ["all", "1", "0.14", "0.14", "12.5", "12.5", "1 of 1"]


def test_nothing_is_claimed_of_a_few_cells(report):
    counts = variables(report)["claims"]["simulation"]
    assert (counts["n_tested"], counts["n_yet"], counts["n_untestable"]) == ("0", "16", "1")
    assert len(rows(report, "claims")) == 17


def test_every_number_of_the_text_has_an_origin(report):
    _, texts = parts_and_variables(report)
    assert len(texts) > 25
    assert [name for name in texts if origin_of(name, ORIGINS["high-speed-fairness"]) is None] == []


def test_the_report_renders_with_its_self_check(report, tmp_path):
    html, pdf = tmp_path / "index.html", tmp_path / "paper.pdf"
    render_report(report, html, pdf, report.parent / "_theme")
    page = html.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert "goodput of a lone scalable flow" in page
    assert "were not made for this report" not in page


def test_one_platform_and_no_run_in_place_give_a_whole_report(tmp_path):
    report = make_report(tmp_path, {"simulation": tables("mine", [ELSEWHERE], 600.0)}, [])
    found = variables(report)
    assert found["total"]["n_runs"] == "0"
    assert found["view"]["rtt"]["testbed"]["text"] == "no run yet of the 48 cells"
    html = tmp_path / "index.html"
    render_report(report, html, tmp_path / "paper.pdf", report.parent / "_theme")
    page = html.read_text(encoding="utf-8")
    assert "were not made for this report" in page and "lone scalable" not in page
