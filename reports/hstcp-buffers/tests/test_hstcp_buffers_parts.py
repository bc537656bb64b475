"""hstcp-buffers' scripts, one after the other, on hand-made tables, to the rendered report."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.buffer_charts import response_function, warmup_chart, window_dynamics
from evenflow.buffer_reporting import RFC_TABLE
from evenflow.charts.base import save_chart
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.render import render_report
from raw_data import ROOT
from report_scripts import copy_report, script

REPORT = ROOT / "reports/hstcp-buffers"
OWN = ("model_point", "link_metric", "buffer_cell", "model_error", "buffer_sensitivity")
DATASET = "my-buffers"
# small buffers: quick to solve
SETTINGS = {
    "packet_bytes": 1000,
    "links": [
        {"bottleneck_mbps": rate, "n_flows": 10, "rtt_ms": [80, 100], "full_buffer_packets": 300}
        for rate in (10, 25)
    ],
    "fractions": [0.1, 0.2, 1],
    "sensitivity_warmup_s": [5, 15],
    "example": {"loss_rate": 1e-5, "rtt_ms": 120},
}


def tables(places: list[tuple[int, float, str, float]]) -> dict[str, pl.DataFrame]:
    """The tables of runs at (flows, Mb/s, aqm, fraction): 90 % used, a drop a second."""
    rows = {name: [] for name in ("run", "flow", "sample", "queue_sample", "flow_metric")}
    for n_flows, mbps, aqm, fraction in places:
        run = f"{n_flows}/{mbps:g}/{aqm}/{fraction}/r1"
        factors = {"implementation": "sack1", "buffer_fraction": fraction, "access_mbps": 1000}
        rows["run"].append({
            "run_id": run, "scenario_id": run.replace("r1", "r*"), "dataset_id": DATASET,
            "n_flows": n_flows, "bottleneck_bps": mbps * 1e6, "aqm": aqm, "tool": "ns-2",
            "tool_version": "2.35", "buffer_bytes": round(300_000 * fraction), "duration_s": 20.0,
            "factors": json.dumps(factors), "made_by": '{"date": "2026-11-21T10:00:00Z"}',
        })  # fmt: skip
        packets = mbps * 125 * 0.9  # a second
        for t in range(21):
            rows["queue_sample"].append({
                "run_id": run, "t_s": float(t), "queue_bytes": 5000.0, "queue_packets": 5.0,
                "arrived_packets": int(t * (packets + 1)), "departed_packets": int(t * packets),
                "dropped_packets": t,
            })  # fmt: skip
        for i in range(1, n_flows + 1):
            rtt = 0.08 + 0.02 * (i - 1) / (n_flows - 1)
            flow = {"run_id": run, "flow_id": i}
            rows["flow"].append(flow | {"base_rtt_s": rtt, "mss_bytes": 948, "start_s": 0.5})
            rows["flow_metric"].append(flow | {"mean_throughput_bps": mbps * 9e5 / n_flows})
            for t in range(20):
                rows["sample"].append(flow | {
                    "t_start_s": float(t), "t_end_s": t + 1.0,
                    "bytes": int(packets / n_flows) * 948, "cwnd_bytes": 9480.0 * (1 + t % 5),
                })  # fmt: skip
    made = {name: pl.DataFrame(these) for name, these in rows.items()}
    ids = made["run"].select("run_id")
    made["window"] = ids.with_columns(warmup_s=pl.lit(10.0), end_s=pl.lit(20.0))
    made["run_metric"] = ids.with_columns(jfi=pl.lit(1.0), utilisation=pl.lit(0.85))
    made["ledger"] = pl.DataFrame(
        {"entry": ["file"], "bytes": [1000], "lines": [20], "lines_rejected": [0]}
    )
    return made


def make_report(folder: Path, places: list) -> Path:
    """Run the scripts of rules/hstcp_buffers.smk; return the report's folder."""
    report = copy_report(folder, "hstcp-buffers")
    for name, table in tables(places).items():
        table.write_parquet(folder / f"{name}.parquet")

    def paths(*names: str) -> dict[str, str]:
        return {name: str(folder / f"{name}.parquet") for name in names}

    script("evaluate_model").main(SETTINGS, folder / "model_point.parquet")
    names = ("run", "flow", "window", "queue_sample", "sample", "run_metric")
    script("compute_link_metric").main(paths(*names), folder / "link_metric.parquet")
    script("compute_buffer_cell").main(
        str(folder / "link_metric.parquet"), 0.95, folder / "buffer_cell.parquet"
    )
    script("compare_model").main(
        paths("buffer_cell", "flow", "link_metric"), folder / "model_error.parquet"
    )
    script("compute_buffer_sensitivity").main(
        paths("link_metric", "window", "queue_sample", "sample"),
        SETTINGS["sensitivity_warmup_s"],
        folder / "buffer_sensitivity.parquet",
    )
    figures, published = report / "figures", str(REPORT / "published.csv")
    pair = paths("model_point", "buffer_cell").values()
    drawn = {aqm: figures / f"utilisation_{aqm}.svg" for aqm in ("droptail", "red")}
    script("figures/draw_utilisation").main(*pair, published, drawn)
    script("figures/draw_loss_rate").main(*pair, published, figures / "loss-rate.svg")
    script("figures/draw_two_flows").main(
        paths("link_metric", "flow", "sample", "queue_sample"), figures / "two-flows.svg"
    )
    sensitivity = pl.read_parquet(folder / "buffer_sensitivity.parquet")
    save_chart(warmup_chart(sensitivity), figures / "warmup.svg")
    known = paths(*OWN, "run", "flow", "flow_metric", "ledger")
    extra = {"published": published, "authors": str(REPORT / "authors.yml"), "about": []}
    for table in re.findall(r"include tables/([\w-]+)\.md", (REPORT / "index.qmd").read_text()):
        script("write_buffer_table").main(
            known | extra, table, DATASET, SETTINGS, report / f"tables/{table}.md"
        )
    script("write_buffer_variables").main(
        known | {"about": []}, DATASET, [], SETTINGS | {"confidence": 0.95},
        report / "_variables.yml",
    )  # fmt: skip
    return report


TEN = [(10, rate, aqm, f) for rate in (10, 25) for aqm in ("droptail", "red") for f in (0.1, 0.2)]
TWO = [(2, 10, "droptail", f) for f in (0.1, 1.0)]


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    folder = make_report(tmp_path_factory.mktemp("whole"), TEN + TWO)
    save_chart(window_dynamics(1e-5, 0.12), folder / "figures/window-dynamics.svg")
    save_chart(response_function(RFC_TABLE), folder / "figures/response.svg")
    (folder / "provenance.md").write_text("# Provenance {.unnumbered}\n")  # another rule's
    return folder


def text(report: Path, table: str) -> str:
    text = (report / f"tables/{table}.md").read_text(encoding="utf-8")
    return text.replace(NO_BREAK_SPACE, " ")


def test_utilisation_and_losses_reach_the_report(report):
    """90 % of the link, one drop in 1126 packets on the slower link."""
    lines = text(report, "comparison").split("\n")
    row = next(line for line in lines if "0.025 Gb/s, RED" in line)
    assert " | 90.0 | – | " in row and " | 3.6·10⁻⁴ | " in row
    assert "| 10 | 1 |" in row


def test_every_run_is_in_the_coverage(report):
    assert text(report, "coverage").count("10 (1), 20 (1)") == 4
    assert "10 (1), 100 (1)" in text(report, "coverage")


def test_the_report_says_what_it_was_made_of(report):
    found = yaml.safe_load((report / "_variables.yml").read_text(encoding="utf-8"))
    assert found["own"] == {"simulation": "no"}
    assert found["data"]["n_runs"] == "10" and found["data"]["n_two"] == "2"
    assert found["rerun"]["title"] == 're-run on data set "my-buffers"'
    assert "at 10 % (n = 1)" in found["two_flows"]


def test_the_report_renders(report, tmp_path):
    html, pdf = tmp_path / "index.html", tmp_path / "paper.pdf"
    render_report(report, html, pdf, report.parent / "_theme")
    page = html.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(b"%PDF")
    # what is written of our own simulations is left out of a re-run on other data
    assert "windowOption_" not in page and "were not made for this report" in page


@pytest.mark.parametrize("places", [TEN[:1], TWO[:1]], ids=["one of ten flows", "one of two"])
def test_a_campaign_of_one_run_gives_every_table_and_number(places, tmp_path):
    report = make_report(tmp_path, places)
    found = yaml.safe_load((report / "_variables.yml").read_text(encoding="utf-8"))
    assert found["data"]["n_runs"] == "1" and "no runs of two flows" in found["two_flows"]
    assert len(text(report, "claims").split("\n")) > 10
