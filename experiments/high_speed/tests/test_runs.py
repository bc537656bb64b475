"""Short runs of the 900 Mb/s study with the real ns-2 and on the testbed's kernel."""

import gzip
import json
import shutil

import pytest
from evenflow.ingest.parse import parse_dataset

from experiments.high_speed import cases as high_speed
from experiments.high_speed import run as high_speed_run
from experiments.testbed import run as testbed_run

CASE = {
    "view": "rtt",
    "cca1": "bic",
    "cca2": "scalable",
    "rtt_ms": 42,
    "queue": "bdp20",
    "repeat": 1,
}


def described_as(dataset, folder):
    """Put the data set's description beside its run, and read the run as the workflow does."""
    text = (high_speed_run.ROOT / "data/raw" / dataset / "dataset.yml").read_text()
    (folder / "dataset.yml").write_text(text.replace("warmup_s: 120", "warmup_s: 8"))
    return parse_dataset(folder)


def check_flows(tables, seconds):
    """Both flows' RTTs, windows and seconds; together never more than the link carries."""
    flow = tables["flow"].sort("flow_id")
    assert flow["rtt_ms"].to_list() == [162, 42]
    assert flow["cca"].to_list() == ["bic", "scalable"]
    assert {"cwnd_packets", "ssthresh_packets"} & set(tables["state"]["variable"])
    assert tables["interval"]["bytes"].sum() * 8 / seconds < 900e6


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed (package ns2)")
def test_ns2_counts_every_byte_although_its_counter_wraps(tmp_path):
    """At 900 Mb/s the sink's counter of 32 bits wraps after 38 s, inside a second."""
    words = ["--dataset-dir", str(tmp_path), "--duration-s", "45", "--flow2-start-s", "5"]
    for key, value in CASE.items():
        words += [f"--{key.replace('_', '-')}", str(value)]
    assert high_speed_run.main(words) == 0
    folder = tmp_path / high_speed.run_path(CASE)
    record = json.loads((folder / "run.json").read_text())
    lines = gzip.decompress((folder / "goodput.log.gz").read_bytes()).decode().splitlines()
    rows = [line.split() for line in lines if line[0] != "#"]
    counted = {flow: sum(int(row[2]) for row in rows if row[1] == flow) for flow in "12"}
    assert all(int(row[2]) >= 0 for row in rows)
    for flow, of_flow in record["observed"]["flows"].items():
        assert counted[flow] == of_flow["payload_bytes"] > 0
    assert sum(counted.values()) > 2**32  # a counter has wrapped
    # a second witness, in packets: what left the queue is what arrived, or is on its way
    queue = gzip.decompress((folder / "queue.log.gz").read_bytes()).decode().splitlines()
    departed = int(queue[-1].split()[6])
    assert departed == pytest.approx(sum(counted.values()) / 1448, rel=0.02)
    check_flows(described_as("ns2-high-speed", tmp_path), 45)


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed (package ns2)")
def test_lines_of_ten_seconds_have_the_bytes_of_ten_lines_of_one(tmp_path):
    rows = {}
    for interval_s in (1, 10):
        words = ["--dataset-dir", str(tmp_path / str(interval_s)), "--duration-s", "20"]
        words += ["--flow2-start-s", "5"]
        words += ["--log-interval-s", str(interval_s)] if interval_s > 1 else []
        for key, value in CASE.items():
            words += [f"--{key.replace('_', '-')}", str(value)]
        assert high_speed_run.main(words) == 0
        folder = tmp_path / str(interval_s) / high_speed.run_path(CASE)
        lines = gzip.decompress((folder / "goodput.log.gz").read_bytes()).decode().splitlines()
        rows[interval_s] = [line.split() for line in lines if line[0] != "#"]
    assert [row[:2] for row in rows[10]] == [["10", "1"], ["10", "2"], ["20", "1"], ["20", "2"]]
    for end_s, flow, size, cwnd, srtt in rows[10]:
        of_flow = [row for row in rows[1] if row[1] == flow and row[0] != "0"]
        mine = [row for row in of_flow if float(end_s) - 10 < float(row[0]) <= float(end_s)]
        assert sum(int(row[2]) for row in mine) == int(size) and mine[-1][3:] == [cwnd, srtt]


def test_the_testbed_reads_the_senders_windows_once_a_second(tmp_path):
    try:
        testbed_run.kernel_cache()
    except testbed_run.RunError as error:
        pytest.skip(f"no kernel for the virtual testbed: {error}")
    config = high_speed.read_config()
    command = high_speed.command(config, "testbed-high-speed", CASE).split()
    words = ["--start2-s", "4", "--duration-s", "9", "--limit-s", "600"]
    folder = tmp_path / high_speed.run_path(CASE)
    assert testbed_run.main([str(folder), *command[2:], *words]) == 0
    seen = json.loads((folder / "run.json").read_text())["observed"]
    assert seen["rtt_ms"]["1"] == pytest.approx(162, abs=0.1)
    assert seen["rtt_ms"]["2"] == pytest.approx(42, abs=0.1)
    assert seen["reordering"] == seen["drops_elsewhere"] == 0
    tables = described_as("testbed-high-speed", tmp_path)
    check_flows(tables, 9)
    times = tables["state"].sort("t_s")["t_s"].unique(maintain_order=True).to_list()
    assert times == [pytest.approx(second, abs=0.01) for second in range(1, 10)]
