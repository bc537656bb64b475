"""Short simulations with the real ns-2: formats, accounting, determinism, the silent fallback."""

import gzip
import json
import shutil

import pytest

from experiments.ns2 import run, scenario

pytestmark = pytest.mark.skipif(
    shutil.which("ns") is None, reason="ns-2 is not installed (Debian's package ns2)"
)

PACKET_BYTES, MSS_BYTES = 1500, 1448
WORDS = ["--role", "comparison", "--rtt-ms", "25", "--buffer-pct", "20"]


def simulate(dataset_dir, cca=("newreno", "bic"), **settings):
    """A short run, RTT 25 ms and 20 % of BDP, unless told otherwise; returns its folder."""
    settings = {"duration_s": 20, "flow2_start_s": 5, "drops_from_s": 8, **settings}
    words = [*WORDS, "--cca", *cca, "--dataset-dir", str(dataset_dir)]
    for key, value in settings.items():
        words += ["--" + key.replace("_", "-"), str(value)]
    assert run.main(words) == 0
    return dataset_dir / "comparison" / "-".join(cca) / "rtt25_opb20" / "r1"


def read_lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def read_samples(folder):
    """{flow: [(t_end_s, bytes, cwnd_packets, srtt_s), ...]} of goodput.log"""
    samples = {1: [], 2: []}
    for line in read_lines(folder / "goodput.log.gz"):
        if not line.startswith("#"):
            t_end, flow, size, cwnd, srtt = line.split()
            samples[int(flow)].append((int(t_end), int(size), float(cwnd), float(srtt)))
    return samples


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return simulate(tmp_path_factory.mktemp("ns2"))


@pytest.fixture(scope="module")
def record(folder):
    return json.loads((folder / "run.json").read_text())


def test_goodput_log_has_every_second_of_both_flows(folder, record):
    lines = read_lines(folder / "goodput.log.gz")
    assert lines[0] == "# evenflow-ns2-goodput/1"
    assert lines[-1] == "# end"
    assert "# columns t_end_s fid bytes cwnd_packets srtt_s" in lines
    samples = read_samples(folder)
    start_s = record["flows"]["2"]["start_s"]
    assert 5 < start_s < 6
    for flow in (1, 2):
        assert [t for t, *_ in samples[flow]] == list(range(1, 21))
    assert [row[1:] for row in samples[2][:5]] == [(0, 0, 0)] * 5
    assert all(size > 0 for _, size, *_ in samples[2][6:])


def test_goodput_counts_whole_payloads_and_adds_up(folder, record):
    samples = read_samples(folder)
    for flow in (1, 2):
        sizes = [size for _, size, *_ in samples[flow]]
        assert all(size % MSS_BYTES == 0 for size in sizes)
        assert sum(sizes) == record["observed"]["flows"][str(flow)]["payload_bytes"]
    both = [one[1] + two[1] for one, two in zip(samples[1], samples[2], strict=True)]
    packets_per_s = 100e6 / 8 / PACKET_BYTES
    queue = record["run"]["buffer_bytes"] / PACKET_BYTES
    assert max(both) <= (packets_per_s + queue) * MSS_BYTES
    assert sum(both[10:]) / 10 > 0.8 * packets_per_s * MSS_BYTES


def test_rtt_is_the_delay_of_the_link_and_its_queue(folder):
    srtt_s = [srtt for *_, srtt in read_samples(folder)[2][7:]]
    assert min(srtt_s) > 0.0245
    assert max(srtt_s) < 0.025 + 43 * PACKET_BYTES * 8 / 100e6 + 0.001


def test_queue_holds_exactly_the_buffer_that_was_asked_for(folder, record):
    packets = record["run"]["buffer_bytes"] / PACKET_BYTES
    assert packets == 42  # 0.2 x 100 Mb/s x 25 ms / 1500 bytes = 41.67
    assert record["observed"]["queue"]["max_packets"] == packets
    means = [float(line.split()[4]) for line in read_lines(folder / "queue.log.gz")]
    assert 0 < max(means) <= packets


def test_drop_trace_and_queue_monitor_agree(folder, record):
    queue = [line.split() for line in read_lines(folder / "queue.log.gz")]
    assert [row[:3] for row in queue] == [[str(t), "2", "3"] for t in range(1, 21)]
    drops = [line.split() for line in read_lines(folder / "drops.tr.gz")]
    assert drops
    for row in drops:
        assert [row[i] for i in (0, 2, 3, 4, 5)] == ["d", "2", "3", "tcp", "1500"]
        assert (row[7], row[8], row[9]) in {("1", "0.0", "4.0"), ("2", "1.0", "5.0")}
        assert len(row) == 12
    assert min(float(row[1]) for row in drops) >= 8
    dropped = [int(row[7]) for row in queue]
    assert dropped[-1] == record["observed"]["queue"]["drops"]
    assert len(drops) == dropped[-1] - dropped[7]
    for t in range(9, 21):
        of_second = [row for row in drops if t - 1 < float(row[1]) <= t]
        assert len(of_second) == dropped[t - 1] - dropped[t - 2]


def test_packets_that_arrive_leave_are_dropped_or_wait(folder):
    for line in read_lines(folder / "queue.log.gz"):
        arrivals, departures, drops = map(int, line.split()[5:8])
        assert 0 <= arrivals - departures - drops <= 42


def test_record_names_what_ran(record):
    assert record["run"]["seed"] == scenario.draw_seed("comparison/newreno-bic/rtt25_opb20/r1")
    assert record["run"]["tool_version"] == "2.35"
    assert record["observed"]["flows"]["1"]["congestion_control"] == "reno"
    assert record["observed"]["flows"]["2"]["congestion_control"] == "bic"
    assert record["made_by"]["command"].startswith("ns dumbbell.tcl rtt_ms 25 ")


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(folder, tmp_path):
    again = simulate(tmp_path / "again")
    other = simulate(tmp_path / "other", seed=7)
    for name in run.LOGS:
        same = (folder / f"{name}.gz").read_bytes()
        assert (again / f"{name}.gz").read_bytes() == same
        assert (other / f"{name}.gz").read_bytes() != same


def test_a_lone_flow_fills_the_link_past_the_wrap_of_the_sinks_counter(tmp_path):
    folder = simulate(tmp_path, cca=("newreno", "newreno"), duration_s=240, flow2_start_s=300)
    sizes = [size for _, size, *_ in read_samples(folder)[1]]
    packets_per_s = 100e6 / 8 / PACKET_BYTES
    assert max(sizes[2:]) in {int(packets_per_s) * MSS_BYTES, (int(packets_per_s) + 1) * MSS_BYTES}
    assert min(sizes[2:]) > 0.6 * max(sizes)  # the window is halved at 1.2 BDP
    assert sum(sizes) > 2**31  # the sink's int has wrapped
    assert sum(sizes) == sum(
        counters["payload_bytes"]
        for counters in json.loads((folder / "run.json").read_text())["observed"]["flows"].values()
    )


def test_a_misspelt_name_fails_and_is_kept_only_on_request(tmp_path, capsys):
    words = [*WORDS, "--cca", "newreno", "Bic", "--duration-s", "2", "--dataset-dir", str(tmp_path)]
    assert run.main(words) == 1
    message = capsys.readouterr().err
    assert "flow 2 ('Bic')" in message
    assert " bic," in message
    assert not list(tmp_path.rglob("run.json"))
    assert run.main([*words, "--allow-fallback"]) == 0
    (record,) = (json.loads(path.read_text()) for path in tmp_path.rglob("run.json"))
    assert "own Reno" in record["observed"]["flows"]["2"]["congestion_control"]


def test_whichever_unknown_name_the_simulation_is_the_same(tmp_path):
    """So that runs of one unknown name stand for all: the logs differ by the name alone."""
    words = [*WORDS, "--duration-s", "12", "--flow2-start-s", "3", "--seed", "7"]
    logs = []
    for name in ("Bic", "CUBIC"):
        folder = tmp_path / name
        asked = ["--cca", "newreno", name, "--dataset-dir", str(folder), "--allow-fallback"]
        assert run.main([*words, *asked]) == 0
        (log,) = folder.rglob("goodput.log.gz")
        logs.append([line for line in read_lines(log) if not line.startswith("# select_ca2")])
    assert logs[0] == logs[1]
    assert len(logs[0]) > 2 * 12


def test_an_error_of_the_simulation_is_quoted(tmp_path, capsys):
    words = [*WORDS, "--cca", "newreno", "bic", "--duration-s", "2", "--dataset-dir", str(tmp_path)]
    assert run.main([*words, "--mss-bytes", "0"]) == 1
    assert "dumbbell.tcl: mss_bytes" in capsys.readouterr().err
    assert not list(tmp_path.rglob("goodput.log*"))
