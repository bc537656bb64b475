"""nuttcp's text (tests/fixtures/formats/nuttcp), against a plain reading.

All are of nuttcp 6.1.2 but cwnd.txt, which was written by hand in the form of versions 7 and 8.
"""

import re

import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from hypothesis import given, settings
from raw_data import ROOT, build_tables, content, make_dataset, parse

FOLDER = ROOT / "tests/fixtures/formats/nuttcp"
FILES = sorted(FOLDER.glob("*.txt"))
NOTHING = {"refused.txt", "streams.txt", "total.txt"}  # no test, a sum of two flows, no -i


def printed(log: bytes) -> list[tuple[float, ...]]:
    """Return MB, seconds and Mbps of the intervals: those with one word behind them, or none."""
    plain = rb"^ +([\d.]+) MB / +([\d.]+) sec = +([\d.]+) Mbps(?! +\d+ %TX)"
    parsed = rb"^megabytes=([\d.]+) real_sec=([\d.]+) rate_Mbps=([\d.]+)"
    return [tuple(map(float, m)) for m in re.findall(plain + rb"|" + parsed, log, re.MULTILINE)
            for m in (m[:3] if m[0] else m[3:],)]  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_intervals_are_those_that_are_printed(path):
    log = content(path)
    assert detect_format(log, path) == "nuttcp"
    tables = assert_accounted("nuttcp", [log])
    assert tables["rejected"].is_empty()
    wanted = [] if path.name in NOTHING else printed(log)
    interval = tables["interval"]
    assert len(interval) == len(wanted) and bool(wanted) is (path.name not in NOTHING)
    for row, (amount, seconds, rate) in zip(interval.rows(named=True), wanted, strict=True):
        assert row["bytes"] == pytest.approx(amount * 2**20, abs=0.5)
        assert row["throughput_bps"] == pytest.approx(rate * 1e6)
        took = row["t_end_s"] - row["t_start_s"]
        assert took == pytest.approx(seconds, abs=0.0051)  # as printed, of two digits
        assert 8 * row["bytes"] / took == pytest.approx(row["throughput_bps"], rel=1e-6)


def test_what_a_verbose_log_says_of_the_test():
    (row,) = parse("nuttcp", content(FOLDER / "verbose.txt"))["stream"].rows(named=True)
    known = {key: row[key] for key in ("tool_version", "mss_bytes", "peer", "side", "complete")}
    assert known == {
        "tool_version": "6.1.2",
        "mss_bytes": 32741,
        "peer": "127.0.0.1",
        "side": "receiver",
        "complete": True,
    }


def test_the_window_of_version_8_is_that_of_the_sender_in_units_of_1024_bytes():
    tables = assert_accounted("nuttcp", [content(FOLDER / "cwnd.txt")])
    columns = ("bytes", "throughput_bps", "retransmits", "cwnd_bytes")
    assert tables["interval"].select(columns).rows() == [
        (11_796_480, 94_371_800, 0, 206 * 1024),
        (11_862_016, 94_896_200, 3, 143 * 1024),
        (11_730_944, 93_847_500, 0, 171 * 1024),
        (11_796_480, 94_371_800, 0, 199 * 1024),
    ]
    assert tables["summary"].select("bytes", "throughput_bps", "t_end_s").rows() == [
        (47_185_920, 93_902_400, 4.02)
    ]


def test_lost_datagrams_count():
    row = parse("nuttcp", content(FOLDER / "udp-parse.txt"))["interval"].row(0, named=True)
    assert (row["lost_packets"], row["packets"]) == (9, 483)
    assert parse("nuttcp", content(FOLDER / "udp.txt"))["stream"]["protocol"].to_list() == ["udp"]


def test_a_second_test_in_a_log_is_another_stream():
    log = content(FOLDER / "tcp.txt") + content(FOLDER / "verbose.txt")
    tables = assert_accounted("nuttcp", [log])
    assert tables["stream"].select("stream", "episode", "mss_bytes").rows() == [
        (1, 1, None),
        (2, 2, 32741),
    ]
    firsts = tables["interval"].group_by("stream", maintain_order=True).first()
    assert firsts["t_start_s"].to_list() == [0, 0]
    assert tables["summary"].select("stream", "t_end_s").rows() == [(1, 5.0), (2, 3.02)]


@pytest.mark.parametrize("line", ["9e30 MB / 1.00 sec = 1 Mbps", "1 MB / 0.00 sec = 0.0 Mbps"])
def test_a_report_that_cannot_be_is_rejected(line):
    tables = assert_accounted("nuttcp", [f"{line}\n".encode()])
    assert len(tables["rejected"]) == 1


def test_two_logs_are_a_run_of_two_flows(tmp_path):
    logs = {f"run1_flow{i}.txt": content(FOLDER / "tcp.txt") + b"\n" * i for i in (1, 2)}
    folder = make_dataset(tmp_path / "nut", logs, "title: t\nsteady_state: {warmup_s: 1}\n")
    tables = build_tables(folder, tmp_path / "derived")
    assert tables["run"].select("tool", "platform").rows() == [("nuttcp", "testbed")]
    assert tables["flow"]["side"].to_list() == ["receiver"] * 2


@settings(max_examples=12)
@given(texts=broken([content(path) for path in FILES]))
def test_broken_logs_are_accounted_for(texts):
    parse_broken("nuttcp", texts)
