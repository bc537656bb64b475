"""The whole paper on hand-made tables.

A run is two flows that carry what they are said to, from their start on, in 1-s samples; flow 1
runs alone, at the full rate, until flow 2 begins.
"""

from pathlib import Path

import polars as pl
import pytest
import yaml
from check_numbers import check_numbers
from documented import documented_columns
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE, NOTHING
from evenflow.metrics.catalogue import drift, flow_change
from evenflow.metrics.fairness import mean_throughput
from evenflow.metrics.tables import run_metrics
from evenflow.metrics.windows import placed_samples, steady_state
from evenflow.papers.find import Paper
from evenflow.places import THEME
from evenflow.render import render_report
from made_paper import make_paper, table_of
from markdown_tables import rows_of

from ..findings_in_print import beside_newreno, harms
from ..judging import outcome_table
from ..sensitivity import STEADY, WINDOWS

NAME = Path(__file__).parents[1].name
MBPS = 125_000  # bytes a second
ALONE, START_2, WARMUP = 860, 60.0, 120.0  # Mb/s; s
HALFWAY = 360.0  # of the steady state of 600-s runs
BDP20_16 = 360_000


def tables(dataset: str, rows: list[tuple], end_s: float) -> dict[str, pl.DataFrame]:
    """The tables of runs (cca1, cca2, RTT of both in ms, buffer in bytes, Mb/s of flow 1, 2).

    Two numbers of a flow: until HALFWAY, and from there on.
    """
    made = {name: [] for name in ("run", "flow", "sample", "tcp_state")}
    for cca1, cca2, rtt, buffer, mbps1, mbps2 in rows:
        run = f"{cca1}-{cca2}/rtt{rtt}_{buffer}/r1"
        made["run"].append({
            "dataset_id": dataset, "scenario_id": run.replace("r1", "r*"), "run_id": run,
            "repeat": 1, "n_flows": 2, "platform": "ns2", "tool": "ns-2", "tool_version": "2.35",
            "buffer_bytes": buffer, "bottleneck_bps": 900e6, "duration_s": end_s,
            "factors": '{"queue": "x", "view": "y"}', "made_by": '{"date": "2026-11-21T10:00Z"}',
            "observed": '{"drops": 7}',
        })  # fmt: skip
        flows = zip((1, 2), (cca1, cca2), (0.0, START_2), (mbps1, mbps2), strict=True)
        for n, cca, start_s, mbps in flows:
            flow = {"run_id": run, "flow_id": n}
            made["flow"].append(flow | {
                "cca": cca, "base_rtt_s": rtt / 1000, "start_s": start_s, "mss_bytes": 1448,
                "side": "receiver",
            })  # fmt: skip
            for t in range(int(start_s), int(end_s)):
                now = mbps[t >= HALFWAY] if isinstance(mbps, tuple) else mbps
                now = ALONE if n == 1 and t < START_2 else now
                made["sample"].append(flow | {
                    "t_start_s": float(t), "t_end_s": t + 1.0, "bytes": now * MBPS,
                    "throughput_bps": now * 1e6, "cwnd_bytes": 1448.0 * (10 + t % 5),
                    "rtt_s": rtt / 1000,
                })  # fmt: skip
            made["tcp_state"].append(
                flow | {"t_s": start_s, "variable": "ssthresh_packets", "value": 20.0}
            )
    whole = {
        name: pl.DataFrame(
            these, schema_overrides={"repeat" if name == "run" else "flow_id": pl.Int32}
        )
        for name, these in made.items()
    }
    whole["window"] = whole["run"].select(
        "run_id", warmup_s=pl.lit(WARMUP), end_s=pl.lit(end_s), warmup_from=pl.lit("dataset.yml")
    )
    runs = whole["run"].join(whole["window"], on="run_id")
    metric = mean_throughput(steady_state(whole["sample"], runs))
    whole["flow_metric"] = metric.with_columns(flow_nru_db=pl.lit(None, pl.Float64))
    placed = placed_samples(whole["sample"], runs)
    whole["run_metric"] = (
        run_metrics(whole["flow_metric"], whole["run"])
        .with_columns(convergence_s=pl.lit(30.0))
        .join(drift(placed), on="run_id")
        .join(flow_change(placed), on="run_id")
    )
    whole["ledger"] = pl.DataFrame(
        {"entry": ["file"], "bytes": [1000], "lines": [20], "lines_rejected": [0]}
    )
    return whole


FRIENDLY = ("newreno", "bic", 16, BDP20_16, 200, 600)
STARVED = ("newreno", "scalable", 16, BDP20_16, 0, 860)
MOVING = ("newreno", "cubic", 16, BDP20_16, (500, 100), (300, 700))
ELSEWHERE = ("newreno", "bic", 16, 1_000_000, 400, 400)  # neither of the paper's queues


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Paper:
    datasets = {
        "simulation": tables("ns2-high-speed", [FRIENDLY, STARVED, MOVING, ELSEWHERE], 600.0),
        "testbed": tables("testbed-high-speed", [("newreno", "bic", 16, BDP20_16, 300, 500)], 300),
        "swapped": tables("ns2-high-speed-swapped", [ELSEWHERE], 600.0),
        "long": tables("ns2-high-speed-long", [ELSEWHERE], 2400.0),
    }
    return make_paper(tmp_path_factory.mktemp("both"), NAME, datasets, warmup_s=WARMUP, fdr=0.05)


@pytest.fixture(scope="module")
def report(made) -> Path:
    folder = Path(made.folder)
    (folder / "provenance.md").write_text("# Provenance {.unnumbered}\n")  # another rule's
    return folder


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
    assert found[3][1:6:4] == ["NewReno – Scalable", "flow 1 starved (0.50)"]


def test_a_starved_flow_is_listed_and_counted(report):
    (row,) = rows(report, "starved")
    assert row[1:] == [
        *("TCP-friendliness", "NewReno – Scalable", "flow 1, NewReno"),
        *("16 ms, 20 % of BDP (1)", "0.00"),
    ]
    found = variables(report)
    assert found["total"] | {"n_runs": ""} == {
        "n_runs": "",
        "n_low": "1",
        "n_starved": "1",
        "beside": "Scalable (1)",
    }


def test_runs_without_a_place_are_counted_and_left_out(report):
    data = variables(report)["data"]["simulation"]
    assert (data["n_runs"], data["n_cells"]) == ("3", "3")


def test_other_parts_of_a_run_give_what_they_hold(made):
    """Flow 1 has 860 Mb/s for 60 s, then 200; flow 2 600 Mb/s from 60 s on: 600-s runs."""
    table = table_of(made, "pair_sensitivity")
    mine = table.filter(part="simulation", cca2="bic")
    flow_1 = {row["window"]: row["throughput1_bps"] / 1e6 for row in mine.rows(named=True)}
    assert set(flow_1) == set(WINDOWS)
    assert flow_1.pop("own") == pytest.approx((60 * 860 + 540 * 200) / 600)
    assert set(flow_1.values()) == {200}
    begins = dict(mine.select("window", "from_s").rows())
    assert begins["own"] is None and begins["steady"] == WARMUP
    assert START_2 <= begins["mser5"] < WARMUP  # the flows are steady from flow 2's start on
    moving = table.filter(part="simulation", cca2="cubic", window="mser5")
    assert moving["from_s"].item() >= HALFWAY - 30  # at most half of the time after flow 2's start
    assert set(mine["throughput2_bps"]) == {600e6}


def test_ns2_and_testbed_are_compared_in_the_cells_of_both(report):
    """J 0.8 and 16/17, shares 25 and 37.5 %, ratios 1/3 and 3/5, BIC ahead in both."""
    compared = ["1", "0.14", "0.14", "12.5", "12.5", "1.8", "1.80", "1 of 1"]
    assert rows(report, "platforms")[-2:] == [
        ["all", *compared],
        ["all without unsteady ones", *compared],
    ]


def test_the_summary_has_the_range_over_platforms(report):
    """NewReno has 25 % beside BIC in ns-2 and 37.5 % on the testbed."""
    found = {row[0]: row[1:] for row in rows(report, "summary")}
    assert found["BIC"] == ["25.0 to 37.5"] + ["–"] * 7
    assert found["NewReno"] == ["–"] * 8


def test_harm_is_what_newreno_loses_against_its_own_kind():
    cell = {"part": "testbed", "queue": "3mb", "rtt2_ms": 16.0}
    cells = pl.DataFrame(
        [
            cell
            | {"view": "friendliness", "cca1": "newreno", "cca2": "bic", "throughput1_bps": 1e8},
            cell | {"view": "intra", "cca1": "newreno", "cca2": "newreno", "throughput1_bps": 4e8},
            cell | {"view": "intra", "cca1": "bic", "cca2": "bic", "throughput1_bps": 9e8},
        ]
    )
    assert harms(cells, "bic", 16).to_list() == [0.75]
    assert harms(cells, "cubic", 16).is_empty()


def test_the_text_has_the_ends_of_the_rtts(report):
    """At 16 ms BIC leaves 25 % in ns-2 and 37.5 % on the testbed, at 324 ms nothing has run."""
    found = variables(report)
    assert found["keeps"]["bic"] == {"low": "25 to 38"}
    assert found["keeps"]["cubic"]["high"] == "–"
    assert found["keeps"]["scalable"]["low"] == "0"
    assert found["two"]["bic"]["low"] == found["beside"]["bic"]["high"] == "–"
    assert found["common"] == {
        "n": "1", "jfi": "0.14", "points": "12", "factor": "1.8",
        "n_same": "1", "n_unlike": "1",
    }  # fmt: skip


def test_without_runs_of_unlike_rtts_nothing_is_said_of_full_queues(report):
    assert set(variables(report)["queue"].values()) == {"–"}


def test_the_warm_up_of_mser5_is_counted_from_flow_1_s_start(report):
    said = variables(report)["mser5"]
    assert START_2 <= float(said["testbed"]["median_s"]) < WARMUP
    assert said["testbed"]["n_later"] == "0"
    assert said["simulation"]["n_later"] == "1"  # the run that moves


def test_a_run_a_cell_decides_nothing(made, report):
    said = variables(report)["claims"]["simulation"]
    assert said["n"] == str(len(rows(report, "claims")) // 2) == "43"
    assert "reproduced" not in said["text"] and "contradicted" not in said["text"]
    table = table_of(made, "claim").filter(claim="unfriendly", subject="testbed")
    assert table["n"].max() == 0  # it is about the highest RTT
    low = table_of(made, "claim").filter(claim="friendly_low")
    assert set(low["outcome"]) == {"not judged"}  # beside two variants only NewReno has run
    assert set(low["why"]) == {"cells without a run", "cells of one run"}
    absent = low.filter(pl.col("why") == "cells without a run")["lacking"].to_list()
    assert all("at 16 ms" in cells for cells in absent)


def test_a_run_that_moves_is_marked(made, report):
    """Flow 1 of the pair has 500 Mb/s until the steady state is half over, then 100."""
    table = table_of(made, "pair_metric").filter(cca2="cubic")
    assert table["drift"].item() == pytest.approx(500 / 800 - 100 / 800, abs=0.01)
    said = variables(report)["drift"]["simulation"]
    assert (said["n_unsteady"], said["least_drops"]) == ("1", "7")
    (cell,) = [row for row in rows(report, "cells") if "CUBIC" in row[1]]
    assert cell[5].endswith("†")


def test_every_number_of_the_text_has_rows_that_give_it(made):
    assert len(check_numbers(made)) > 25


def test_the_report_renders_and_names_the_findings_that_its_data_do_not_support(
    made, report, tmp_path
):
    """Four runs support none of the findings that were written for the whole data."""
    html, pdf, lost = (tmp_path / name for name in ("index.html", "paper.pdf", "lost.txt"))
    claims = Path(made.derived, "papers", NAME, "claim.parquet")
    render_report(report, html, pdf, THEME, claims=claims, lost=lost)
    said = lost.read_text(encoding="utf-8")
    assert "cubic_rtt" in said and "proportional" in said
    page = html.read_text(encoding="utf-8")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert "goodput of a lone scalable flow" in page


README = Path(__file__).parents[1] / "README.md"


@pytest.mark.parametrize("table", documented_columns(README.read_text(encoding="utf-8")))
def test_documented_columns_are_those_of_the_table(made, table):
    found = table_of(made, table)
    schema = [(name, str(dtype)) for name, dtype in found.schema.items()]
    assert documented_columns(README.read_text(encoding="utf-8"))[table] == schema


def test_statements_whose_outcome_moves_are_named_by_their_number():
    of = {"steady": ("mixed", "inconclusive", "reproduced"), "half": ("mixed", "mixed", "opposite")}
    rows = [
        {"part": "simulation", "window": window, "claim": key, "sentence": "Long.", "outcome": said}
        for window in WINDOWS
        for key, said in zip("abc", of.get(window, of[STEADY]), strict=True)
    ]
    header, *shown = rows_of(outcome_table(pl.DataFrame(rows), ["simulation"]))
    said = {row[1]: row[2:] for row in shown}
    assert header[-1] == "Statements with a different outcome"
    assert said["Second half"] == ["1 opposite, 2 mixed", "opposite: 3; mixed: 2"]
    assert said["Steady state"] == ["1 reproduced, 1 mixed, 1 inconclusive", "–"]


def friendliness(*cells: tuple[str, float, float, float]) -> pl.DataFrame:
    """Cells of the testbed: variant, RTT (ms), Jain's index, NewReno's throughput over its."""
    table = pl.DataFrame(cells, schema=["cca2", "rtt2_ms", "jfi", "ratio"], orient="row")
    place = {"part": "testbed", "view": "friendliness", "queue": "bdp20"}
    return tagged(table.with_columns(**{k: pl.lit(v) for k, v in place.items()}), "pair_cell")


def test_the_variant_that_comes_closest_to_scalable_is_named_with_the_factor():
    cells = friendliness(
        ("cubic", 16.0, 0.99, 0.9),
        ("bic", 82.0, 0.5, 0.08),
        ("cubic", 82.0, 0.6, 0.4),
        ("scalable", 82.0, 0.5, 0.02),
        ("bic", 324.0, 0.5, 0.3),
        ("scalable", 324.0, 0.5, 0.05),
    )
    said = beside_newreno(cells)
    assert str(said["jfi"]["cubic"]) == "0.99"
    assert [str(said[key]) for key in ("scalable", "of", "rtt_ms")] == ["4.0", "BIC", "82"]


def test_a_variant_that_takes_more_than_scalable_is_a_factor_below_one():
    said = beside_newreno(friendliness(("bic", 82.0, 0.5, 0.01), ("scalable", 82.0, 0.5, 0.02)))
    assert str(said["scalable"]) == "0.5"


def test_without_runs_there_is_a_dash():
    said = beside_newreno(friendliness(("bic", 82.0, 0.5, 0.01)).clear())
    assert str(said["scalable"]) == str(said["of"]) == NOTHING
