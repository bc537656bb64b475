"""Means from the log to the page, against bytes over time added up by hand from the same log."""

import json
import re
import shutil
from fractions import Fraction

import polars as pl
import pytest
import yaml
from evenflow.checks import finding_table
from evenflow.metrics.fairness import flow_nru, mean_levels, mean_throughput
from evenflow.metrics.windows import steady_state
from evenflow.pages.dataset.assumed import merged_yaml, window_assumptions
from evenflow.pages.dataset.taken import window_words
from metrics_of import SAME, with_metrics
from raw_data import ROOT, build_tables

pytestmark = pytest.mark.usefixtures("one_database")

FORMATS = ROOT / "tests/fixtures/formats"
ARCHIVES = sorted(p.name for p in (ROOT / "tests/fixtures/archives").iterdir() if p.is_dir())
CONFIGURED_S = 120


def analysed(folder, derived) -> dict[str, pl.DataFrame]:
    """The tables of a folder of logs, up to the metrics of its runs."""
    derived.mkdir(exist_ok=True)
    tables = with_metrics(build_tables(folder, derived), CONFIGURED_S)
    return tables | {"finding": finding_table(tables, 10)}


def of_run(tables, run_id=None) -> list[dict]:
    """Rows of flow_metric, of a run or of all."""
    table = tables["flow_metric"]
    return (
        (table if run_id is None else table.filter(run_id=run_id)).sort("flow_id").rows(named=True)
    )


def window_of(tables, run_id) -> tuple:
    return tables["window"].filter(run_id=run_id).row(0)[1:]


def csv_log(intervals, port=5001) -> str:
    """A log as `iperf -s -y C` writes it: (from, to, bytes) of each interval, seconds."""
    return "".join(
        f"20240101120000,10.0.0.2,{port},10.0.0.1,45678,4,{start:.1f}-{end:.1f},{n_bytes},"
        f"{int(8 * n_bytes / (end - start))}\n"
        for start, end, n_bytes in intervals
    )


def even(seconds, n_bytes, interval=1):
    return [(t, t + interval, n_bytes * interval + t) for t in range(0, seconds, interval)]


def by_hand(intervals) -> float:
    """Bytes times eight over seconds, with exact numbers."""
    n_bytes = sum(n for *_, n in intervals)
    seconds = sum(Fraction(str(b)) - Fraction(str(a)) for a, b, _ in intervals)
    return float(8 * n_bytes / seconds)


close = {"rel": 1e-9, "abs": 0}
UNEVEN = [  # a host that was too busy to report in time
    *((0.0, 1.0, 900_000), (1.0, 2.4, 1_400_000), (2.4, 3.1, 700_000), (3.1, 4.0, 950_000)),
    *((4.0, 6.5, 2_300_000), (6.5, 7.5, 1_100_000), (7.5, 8.2, 600_000), (8.2, 9.2, 1_000_000)),
    *((9.2, 10.2, 1_000_000), (10.2, 11.6, 1_700_000), (11.6, 12.0, 300_000)),
    *((12.0, 13.0, 1_000_000), (13.0, 13.3, 2_000_000)),
]


def test_uneven_intervals_and_a_stump(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/run1.csv").write_text(csv_log(UNEVEN))
    tables = analysed(tmp_path / "raw", tmp_path / "derived")
    (row,) = of_run(tables)
    # two intervals of 1 s are cut off: what begins at 1 s or later; and the stump of 0.3 s
    assert row["mean_throughput_bps"] == pytest.approx(by_hand(UNEVEN[1:-1]), **close)
    counts = ("n_samples", "n_before_samples", "n_stump_samples", "n_missing_samples")
    assert [row[name] for name in counts] == [11, 1, 1, 0]
    assert row["coverage"] == pytest.approx(11 / 11.3, rel=1e-9)
    named = tables["finding"].filter(pl.col("check").str.contains("interval")).rows(named=True)
    assert {(r["check"], r["severity"]) for r in named} == {
        ("uneven intervals", "note"),
        ("partial last interval", "note"),
    }


@pytest.mark.parametrize("version", ["3.9", "3.12", "3.18", "3.22"])
def test_intervals_that_iperf3_omits_are_in_no_mean(version, tmp_path):
    (tmp_path / "raw").mkdir()
    log = FORMATS / f"iperf3-json/{version}/omit.server.json"
    shutil.copy(log, tmp_path / "raw/run1.json")
    text = log.read_text(encoding="utf-8")
    reports = [
        dict(stream)
        for interval in json.JSONDecoder().raw_decode(text)[0]["intervals"]
        for stream in interval["streams"]
    ]
    counted = [r for r in reports if not r["omitted"]]
    assert len(counted) < len(reports)
    tables = analysed(tmp_path / "raw", tmp_path / "derived")
    (row,) = of_run(tables)
    middle = sorted(r["seconds"] for r in counted)[len(counted) // 2]
    if counted[-1]["seconds"] < middle / 2:
        counted.pop()
    wanted = counted[1:]  # two intervals of warm-up: the one that ends with it counts
    seconds = sum(r["end"] - r["start"] for r in wanted)
    assert row["mean_throughput_bps"] == pytest.approx(
        8 * sum(r["bytes"] for r in wanted) / seconds, **close
    )
    check = tables["finding"].filter(check="omitted intervals")
    assert check["path"].to_list() == ["run1.json"] and check["severity"].to_list() == ["note"]


def good_logs(folder, n=3):
    """Runs of two flows of 30 s, reported every second."""
    for repeat in range(1, n + 1):
        for flow in (1, 2):
            path = folder / f"cubic_vs_reno_run{repeat}_flow{flow}.csv"
            path.write_text(csv_log(even(30, 1_000_000 * flow + repeat), 5000 + flow))


def test_a_flow_monitor_and_long_intervals_take_nothing_from_good_logs(tmp_path):
    alone, mixed = tmp_path / "alone", tmp_path / "mixed"
    for folder in (alone, mixed):
        folder.mkdir()
        good_logs(folder)
    shutil.copy(FORMATS / "ns3-flowmonitor/two-tcp.xml", mixed / "monitor.xml")
    (mixed / "every5.csv").write_text(csv_log(even(100, 700_000, 5)))
    before, after = (analysed(f, tmp_path / f"{f.name}-derived") for f in (alone, mixed))
    for run_id in before["run"]["run_id"]:
        assert window_of(after, run_id) == window_of(before, run_id) == (3.0, 30.0, "run length")
        assert of_run(after, run_id) == of_run(before, run_id)
        for flow, row in enumerate(of_run(after, run_id), 1):
            log = even(30, 1_000_000 * flow + int(re.search(r"run(\d)", run_id)[1]))
            assert row["mean_throughput_bps"] == pytest.approx(by_hand(log[2:]), **close)
    (five,) = of_run(after, "every5.csv")
    assert window_of(after, "every5.csv") == (10.0, 100.0, "run length")
    assert five["mean_throughput_bps"] == pytest.approx(by_hand(even(100, 700_000, 5)[1:]), **close)
    # the monitor's own numbers: bytes received between the first and the last packet
    xml = (FORMATS / "ns3-flowmonitor/two-tcp.xml").read_text(encoding="utf-8")
    flows = [dict(re.findall(r'(\w+)="([^"]*)"', line)) for line in re.findall("<Flow .*>", xml)]
    data = [f for f in flows if int(f.get("rxBytes", 0)) > 100_000]
    means = [row["mean_throughput_bps"] for row in of_run(after, "monitor.xml")]
    assert means == [
        pytest.approx(
            8e9 * int(f["rxBytes"]) / (ns(f["timeLastRxPacket"]) - ns(f["timeFirstRxPacket"])),
            **close,
        )
        for f in data
    ]
    start_s, end_s, who = window_of(after, "monitor.xml")
    assert who == "one interval"
    assert (start_s, end_s) == pytest.approx((1.01232, 4.99435), abs=1e-4)
    text = window_words(after["window"])
    assert "For 1 run with only one interval they are over the whole run" in text
    found = after["finding"].filter(run_id="monitor.xml").select("check", "severity").rows()
    assert found == [("no steady state, one interval", "warning")]


def ns(text: str) -> float:
    return float(text.removeprefix("+").removesuffix("ns"))


def offered(tables, known=()) -> str:
    assumed = window_assumptions(tables["window"], tables["flow"], CONFIGURED_S, known)
    return merged_yaml(assumed["yaml"].to_list())


def test_the_line_that_the_page_offers_gives_the_same_means(tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir()
    good_logs(raw)
    shutil.copy(FORMATS / "ns3-flowmonitor/two-tcp.xml", raw / "monitor.xml")
    first = analysed(raw, tmp_path / "first")
    lines = offered(first)
    said = yaml.safe_load(lines)
    assert said["steady_state"] == {"warmup_s": 3}
    (raw / "dataset.yml").write_text(lines + "\n")
    second = analysed(raw, tmp_path / "second")
    assert second["window"].drop("warmup_from").equals(first["window"].drop("warmup_from"))
    assert second["flow_metric"].equals(first["flow_metric"])
    assert set(second["window"]["warmup_from"]) == {"dataset.yml", "one interval"}
    assert offered(second, said["confirmed"]) == ""  # nothing left to say


@pytest.mark.parametrize("seconds", [300, 50])
def test_runs_that_have_starts_of_their_own_are_offered_none(tmp_path, seconds):
    raw = tmp_path / "raw"
    raw.mkdir()
    good_logs(raw)
    (raw / "long.csv").write_text(csv_log(even(seconds, 500_000)))
    tables = analysed(raw, tmp_path / "derived")
    assert tables["window"]["warmup_s"].n_unique() == 2
    text = offered(tables)
    assert yaml.safe_load(text).keys() == {"confirmed"} and "each run has its own start" in text
    latest = tables["window"]["warmup_s"].max()
    assert f"# steady_state: {{warmup_s: {latest:g}}}" in text  # for those who want one for all
    assert tables["flow_metric"]["mean_throughput_bps"].null_count() == 0


def test_the_nru_of_uneven_intervals_is_a_mean_over_time():
    window = pl.DataFrame(
        {
            "run_id": "r",
            "flow_id": pl.Series([1, 1], dtype=pl.Int32),
            "t_start_s": [0.0, 3.0],
            "t_end_s": [3.0, 4.0],
            "bytes": [3000, 100],
            "throughput_bps": [8000.0, 800.0],
            "interval_s": 1.0,
        }
    )
    flows = pl.DataFrame({"run_id": "r", "flow_id": 1, "cca": "bic", "mss_bytes": 10})
    flows = flows.cast({"flow_id": pl.Int32}).with_columns(base_rtt_s=0.1)
    cell = {"bottleneck_bps": 1e6, "base_rtt_s": 0.1, "buffer_bdp": 1.0, **SAME}
    of_bic = {"cca": "bic", "flow_id": 1, "mss_bytes": 10}
    runs = pl.DataFrame({"run_id": "r", "role": "comparison", **cell})
    weights = pl.DataFrame({**of_bic, **cell, "expected_bps": 8000.0})
    weights = weights.cast({"flow_id": pl.Int32})
    levels = mean_levels(window, flows, 1)
    level = flow_nru(levels, flows, runs, weights)["flow_nru_db"][0]
    assert level == pytest.approx((3 * 0 + 1 * -10) / 4, rel=1e-12)  # not the -5 of two samples


def test_a_flow_whose_samples_have_no_length_has_no_mean():
    sample = pl.DataFrame(
        {"run_id": "r", "flow_id": 1, "t_start_s": 5.0, "t_end_s": 5.0, "bytes": 7}
    )
    run = pl.DataFrame({"run_id": "r", "warmup_s": 0.0, "end_s": 9.0})
    assert mean_throughput(steady_state(sample, run))["mean_throughput_bps"].to_list() == [None]


@pytest.mark.parametrize("name", ARCHIVES)
def test_what_is_offered_for_a_strangers_folder_changes_no_mean(name, tmp_path):
    raw = shutil.copytree(ROOT / "tests/fixtures/archives" / name, tmp_path / "raw")
    first = analysed(raw, tmp_path / "first")
    text = offered(first)
    assert yaml.safe_load(text) is not None or "its own start" in text or text == ""
    (raw / "dataset.yml").write_text(text + "\n")
    second = analysed(raw, tmp_path / "second")["flow_metric"]
    assert second.equals(first["flow_metric"])
