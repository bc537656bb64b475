"""Short simulations of the synchronisation experiment with the real ns-2."""

import gzip
import json
import shutil
from itertools import pairwise

import pytest

from experiments.synchronisation import run as synchronisation_run

pytestmark = pytest.mark.skipif(
    shutil.which("ns") is None, reason="ns-2 is not installed (Debian's package ns2)"
)

FROM_S, UNTIL_S, DURATION_S, BIN_S = 2, 5, 6, 0.005


def simulate(dataset_dir, variant="sack", aqm="droptail", load="pareto-10sources", **settings):
    """A run of 6 s; returns its folder."""
    settings = {
        "duration_s": DURATION_S,
        "log_from_s": FROM_S,
        "bins_until_s": UNTIL_S,
        "seed": 1,
        **settings,
    }
    words = ["--variant", variant, "--aqm", aqm, "--load", load, "--dataset-dir", str(dataset_dir)]
    for key, value in settings.items():
        words += ["--" + key.replace("_", "-"), str(value)]
    assert synchronisation_run.main(words) == 0
    return dataset_dir / variant / aqm / load / "r1"


def read_lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def read_bins(folder):
    lines = read_lines(folder / "bins.log.gz")
    return [[int(word) for word in line.split()] for line in lines if not line.startswith("#")]


def read_record(folder):
    return json.loads((folder / "run.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return simulate(tmp_path_factory.mktemp("ns2"))


def test_bins_have_no_gaps_and_add_up(folder):
    lines = read_lines(folder / "bins.log.gz")
    assert lines[:2] == ["# evenflow-ns2-bins/1", "# bin_s 0.005"]
    assert lines[-1] == "# end"
    bins = read_bins(folder)
    first, last = round(FROM_S / BIN_S) + 1, round(UNTIL_S / BIN_S)
    assert [row[0] for row in bins] == list(range(first, last + 1))
    served = 0
    for (_, arrivals, drops, queue, background), before in zip(bins[1:], bins, strict=False):
        assert 0 <= background <= arrivals
        served += before[3] + arrivals - drops - queue  # what left the queue
        assert 0 <= queue <= 2500
    # 500 Mb/s of 1000-byte packets is 62500 packets/s
    assert served <= 62500 * (UNTIL_S - FROM_S) + 1


def test_drops_of_the_bins_are_those_of_the_trace(folder):
    trace = [line.split() for line in read_lines(folder / "drops.tr.gz")]
    in_bins = [row for row in trace if float(row[1]) <= UNTIL_S]
    assert sum(row[2] for row in read_bins(folder)) == len(in_bins)
    drops = read_record(folder)["observed"]["drops"]
    assert drops["background"] + sum(drops["flows"].values()) == len(trace)


def test_goodput_of_four_flows_adds_up(folder):
    record = read_record(folder)
    lines = [line for line in read_lines(folder / "goodput.log.gz") if not line.startswith("#")]
    assert len(lines) == 4 * DURATION_S
    for flow, counters in record["observed"]["flows"].items():
        sizes = [int(line.split()[2]) for line in lines if line.split()[1] == flow]
        assert sum(sizes) == counters["payload_bytes"]
        assert all(size % 960 == 0 for size in sizes)
    assert [flow["rtt_ms"] for flow in record["flows"].values()] == [45, 90, 135, 180]


def test_background_carries_its_aggregate(tmp_path):
    # 1000 sources of 100 kb/s while on: 50 Mb/s, within 5 % of which 5 s are
    record = read_record(simulate(tmp_path, load="pareto-1000sources"))
    assert record["run"]["sources"] == 1000
    rate_mbps = record["observed"]["background"]["bytes"] * 8 / DURATION_S / 1e6
    assert 40 < rate_mbps < 60


def test_background_of_ftp_transfers(tmp_path):
    folder = simulate(tmp_path, load="ftp-1", duration_s=3, log_from_s=1, bins_until_s=2)
    background = read_record(folder)["observed"]["background"]
    assert 180 < background["transfers"] < 320  # 250 expected in 2.5 s; sd 16
    assert background["agents"] < background["transfers"]  # they are used again
    assert background["packets"] >= 63 * (background["transfers"] - background["agents"])
    flows = {int(line.split()[7]) for line in read_lines(folder / "drops.tr.gz")}
    assert flows <= {1, 2, 3, 4, 100}


def test_background_of_web_sessions(tmp_path):
    folder = simulate(tmp_path, load="http-1", duration_s=1, log_from_s=0.2, bins_until_s=1)
    assert read_record(folder)["observed"]["background"]["packets"] > 500
    assert sum(row[4] for row in read_bins(folder)) > 500


def cuts(folder, flow):
    """Window after / before of a flow's losses in the log of its seconds, RTT 45 ms."""
    rows = [line.split() for line in read_lines(folder / "goodput.log.gz")]
    windows = [float(row[3]) for row in rows if row[0] != "#" and row[1] == flow]
    return [after / before for before, after in pairwise(windows)]


@pytest.mark.parametrize("variant", ["scalable", "linux-scalable"])
def test_scalable_keeps_seven_eighths_of_its_window(tmp_path, variant):
    folder = simulate(tmp_path, variant=variant, duration_s=20, load="none", log_from_s=10)
    assert read_record(folder)["flows"]["1"]["cca"] == "scalable"
    said = "linux" if variant.startswith("linux") else None
    assert read_record(folder)["run"].get("implementation") == said
    # in one second of the 20 the window fell by one cut and grew by some RTTs of 1 %
    falls = [ratio for ratio in cuts(folder, "1")[8:] if ratio < 1]
    assert falls
    assert min(falls) > 0.75


def test_adaptive_red_keeps_the_queue_short(tmp_path):
    folder = simulate(tmp_path, aqm="red", duration_s=20, log_from_s=10, bins_until_s=20)
    assert "# red min_packets 156.25 max_packets 468.75" in "\n".join(
        read_lines(folder / "goodput.log.gz")
    )
    assert max(row[3] for row in read_bins(folder)) < 1250


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    again = simulate(tmp_path)
    for name in ("goodput.log.gz", "drops.tr.gz", "bins.log.gz"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()
