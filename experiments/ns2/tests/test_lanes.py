"""The faster scheduler of ns-2 changes no byte of any simulation's logs."""

import json
import shutil

import pytest

from experiments.high_speed import run as high_speed_run
from experiments.hstcp_buffers import run as hstcp_run
from experiments.ns2 import lanes, one_run, run
from experiments.synchronisation import run as synchronisation_run

# a short run of each script; flows end, lose packets, wait for timeouts, and are paced by RED
RUNS = {
    "dumbbell": (
        run.main,
        "--role comparison --cca newreno cubic --rtt-ms 25 --buffer-pct 20 --duration-s 30"
        " --flow2-start-s 5 --drops-from-s 8",
    ),
    "dumbbell with jitter": (
        run.main,
        "--role comparison --cca newreno bic --rtt-ms 25 --buffer-pct 20 --duration-s 20"
        " --flow2-start-s 5 --drops-from-s 8 --send-jitter-s 0.0001",
    ),
    "high speed": (
        high_speed_run.main,
        "--view inter --cca1 bic --cca2 scalable --rtt-ms 16 --queue bdp20 --duration-s 12"
        " --flow2-start-s 2",
    ),
    "hstcp-buffers with RED": (
        hstcp_run.main,
        "--scenario two-flows --fraction 0.1 --start-spread-s 1 --duration-s 6"
        " --summary-from-s 3 --implementation sack1 --aqm red",
    ),
    "synchronisation": (
        synchronisation_run.main,
        "--variant sack --aqm droptail --load pareto-10sources --duration-s 6 --log-from-s 2"
        " --bins-until-s 5 --seed 1",
    ),
}


def version_or_none():
    return one_run.read_package_version() if shutil.which("ns") else None


@pytest.mark.skipif(
    lanes.find_lanes(version_or_none()) is None,
    reason="Debian's ns2 2.35+dfsg-5, g++ or the headers of Tcl are not installed",
)
@pytest.mark.parametrize("name", RUNS)
def test_logs_are_the_same_bytes_with_either_scheduler(name, tmp_path, monkeypatch):
    main, words = RUNS[name]
    logs = {}
    for scheduler in ("Lanes", "Calendar"):
        if scheduler == "Calendar":
            monkeypatch.setattr(lanes, "find_lanes", lambda version: None)
        assert main([*words.split(), "--dataset-dir", str(tmp_path / scheduler)]) == 0
        (record,) = (tmp_path / scheduler).rglob("run.json")
        assert json.loads(record.read_text())["made_by"]["versions"]["scheduler"] == scheduler
        logs[scheduler] = {path.name: path.read_bytes() for path in record.parent.glob("*.gz")}
    assert logs["Lanes"] == logs["Calendar"]
    assert len(logs["Lanes"]) >= 2


@pytest.mark.parametrize("version", [None, "2.35+dfsg-6"])
def test_another_ns_2_keeps_its_own_scheduler(version):
    assert lanes.find_lanes(version) is None
