"""Short simulations of HighSpeed TCP with the real ns-2: formats, accounting, buffers, RTTs."""

import gzip
import json
import shutil

import pytest

from experiments.hstcp_buffers import run as hstcp_run

pytestmark = pytest.mark.skipif(
    shutil.which("ns") is None, reason="ns-2 is not installed (Debian's package ns2)"
)
WORDS = ["--scenario", "two-flows", "--fraction", "0.1", "--start-spread-s", "1"]
WORDS += ["--duration-s", "6", "--summary-from-s", "3"]


def simulate(dataset_dir, implementation="sack1", aqm="droptail", **settings):
    words = [*WORDS, "--implementation", implementation, "--aqm", aqm]
    for key, value in settings.items():
        words += ["--" + key.replace("_", "-"), str(value)]
    assert hstcp_run.main([*words, "--dataset-dir", str(dataset_dir)]) == 0
    return dataset_dir / "two-flows" / implementation / "1000mbps" / aqm / "frac0.10" / "r1"


def read_lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def read_samples(folder):
    """[(t_end_s, flow, bytes, cwnd_packets, srtt_s), ...] of goodput.log"""
    lines = [line.split() for line in read_lines(folder / "goodput.log.gz") if line[0] != "#"]
    return [
        (float(t), int(flow), int(size), float(w), float(rtt)) for t, flow, size, w, rtt in lines
    ]


def read_record(folder):
    return json.loads((folder / "run.json").read_text())


@pytest.fixture(
    scope="module", params=[("sack1", "droptail"), ("linux", "droptail"), ("sack1", "red")]
)
def folder(request, tmp_path_factory):
    implementation, aqm = request.param
    return simulate(tmp_path_factory.mktemp("hstcp"), implementation, aqm)


def test_both_flows_have_a_line_every_tenth_of_a_second_and_their_bytes_add_up(folder):
    samples, record = read_samples(folder), read_record(folder)
    for flow in (1, 2):
        of_flow = [row for row in samples if row[1] == flow]
        assert [row[0] for row in of_flow] == [number / 10 for number in range(1, 61)]
        counted = record["observed"]["flows"][str(flow)]["payload_bytes"]
        assert sum(row[2] for row in of_flow) == counted > 0
        start_s = record["flows"][str(flow)]["start_s"]
        assert all(row[2] == row[3] == 0 for row in of_flow if row[0] <= start_s)


def test_the_buffer_holds_what_was_asked_for_and_no_packet_is_lost_count_of(folder):
    record, queue = (
        read_record(folder),
        [line.split() for line in read_lines(folder / "queue.log.gz")],
    )
    assert len(queue) == 60
    counters = record["observed"]["queue"]
    assert counters["drops"] > 0
    # slow start overruns the buffer of 250 packets; RED may stop it earlier
    least = 200 if record["run"]["aqm"] == "red" else 249
    assert least <= counters["max_packets"] <= record["run"]["buffer_packets"] == 250
    for row in queue:
        arrived, departed, dropped = map(int, row[5:8])
        assert 0 <= arrived - departed - dropped <= 250


def test_smoothed_rtts_are_the_flows_own_and_never_above_a_full_queue(folder):
    tick_s = read_record(folder)["observed"]["flows"]["1"]["tick_s"]
    for flow, base_s in ((1, 0.08), (2, 0.04)):
        last_s = [rtt for t, of, *_, rtt in read_samples(folder) if of == flow and t > 3]
        assert base_s - tick_s <= min(last_s)
        assert max(last_s) <= base_s + 250 * 8e-6 + 2 * tick_s


def test_the_utilisation_is_that_of_the_receivers(folder):
    """Departures of the queue and arrivals at the sinks, two counts of the same packets."""
    record = read_record(folder)
    payload = sum(size for t, _, size, *_ in read_samples(folder) if 3 < t <= 6)
    received = payload / 948 * 1000 * 8 / 3 / 1e9
    said = record["observed"]["steady_state"]
    assert said["from_s"] == 3
    assert said["utilisation"] == pytest.approx(received, abs=0.03)
    assert 0.2 < said["utilisation"] <= 1


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path):
    first = simulate(tmp_path / "1", aqm="red")
    again = simulate(tmp_path / "2", aqm="red")
    other = simulate(tmp_path / "3", aqm="red", seed=7)
    for name in hstcp_run.LOGS:
        same = (first / f"{name}.gz").read_bytes()
        assert (again / f"{name}.gz").read_bytes() == same
        assert (other / f"{name}.gz").read_bytes() != same


def test_highspeed_tcp_grows_faster_than_one_packet_a_round_trip(tmp_path):
    """RFC 3649: above 38 packets the window grows by a(w) > 1, at 1000 packets by about 8."""
    folder = simulate(tmp_path, duration_s=12)
    windows = {t: cwnd for t, flow, _, cwnd, _ in read_samples(folder) if flow == 1}
    # growth over half a second without a loss, in packets per round trip of 80 to 82 ms
    steps = [
        (windows[round(t + 0.5, 1)] - windows[t]) / (0.5 / 0.082)
        for t in windows
        if t > 6 and round(t + 0.5, 1) in windows and windows[t] > 200
    ]
    assert 2 < max(steps) < 40


def test_an_error_of_the_simulation_is_quoted_and_leaves_no_folder(tmp_path, capsys):
    words = [*WORDS, "--implementation", "sack1", "--aqm", "droptail", "--mss-bytes", "0"]
    assert hstcp_run.main([*words, "--dataset-dir", str(tmp_path)]) == 1
    assert "hstcp_buffers.tcl: mss_bytes" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.gz")) and not list(tmp_path.rglob("run.json"))
