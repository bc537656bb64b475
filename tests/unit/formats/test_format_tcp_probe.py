"""tcp_probe as the kernel's tracing and perf print it (real), and as its old module did."""

import re

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from hypothesis import given, settings
from raw_data import ROOT, build_tables, content, make_dataset

FOLDER = ROOT / "tests/fixtures/formats/tcp-probe"
TRACES = sorted(FOLDER.glob("*.txt"))
EVENTS = [path for path in TRACES if not path.name.startswith("proc")]


def values(tables, stream: int, variable: str) -> list[tuple]:
    own = tables["state"].filter(stream=stream, variable=variable)
    return own.select("t_s", "value", "line").rows()


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.name)
def test_every_event_comes_back(path):
    assert detect_format(content(path), path) == "tcp-probe"
    tables = assert_accounted("tcp-probe", [content(path)], [path])
    assert tables["rejected"].is_empty()
    for stream, local in tables["stream"].select("stream", "local").rows():
        lines = [x for x in enumerate(path.read_text().splitlines(), 1) if f"src={local} " in x[1]]
        first_s = float(re.search(r"(\d+\.\d+): ", lines[0][1])[1])
        wanted = [
            (
                float(re.search(r"(\d+\.\d+): ", x)[1]) - first_s,
                n,
                dict(re.findall(r"(\w+)=(\S+)", x)),
            )
            for n, x in lines
        ]
        cwnd = [(pytest.approx(t_s), float(x["snd_cwnd"]), n) for t_s, n, x in wanted]
        assert values(tables, stream, "cwnd_packets") == cwnd
        srtt = [(pytest.approx(t), pytest.approx(int(x["srtt"]) / 1e6), n) for t, n, x in wanted]
        assert values(tables, stream, "srtt_s") == srtt
        known = [float(x["ssthresh"]) for _, _, x in wanted if x["ssthresh"] != "2147483647"]
        assert [v for _, v, _ in values(tables, stream, "ssthresh_packets")] == known


def test_the_modules_lines_with_and_without_the_receivers_window():
    path = FOLDER / "proc-net-tcpprobe.txt"
    assert detect_format(content(path), path) == "tcp-probe"
    tables = assert_accounted("tcp-probe", [content(path)])
    assert [v[1:] for v in values(tables, 1, "cwnd_packets")] == [(10, 1), (12, 2), (7, 4)]
    assert [v[1:] for v in values(tables, 2, "cwnd_packets")] == [(10, 3), (20, 5)]
    assert tables["stream"]["start_s"].to_list() == pytest.approx([0, 0.00423036])
    # its unit is not known: no column in seconds
    assert [v[1] for v in values(tables, 1, "srtt_as_printed")] == [4023, 4011, 4240]
    assert values(tables, 1, "srtt_s") == []


def test_the_receiving_end_is_skipped():
    text = content(FOLDER / "perf.txt").replace(b"data_len=0", b"data_len=1448")
    text = re.sub(rb"snd_una=0x\w+", b"snd_una=0xb9ea8b83", text)
    tables = assert_accounted("tcp-probe", [text])
    assert tables["stream"].is_empty()
    assert "receiving end" in tables["fate"]["reason"][0]


def test_other_events_and_lost_ones_are_skipped_and_named():
    other = (
        b"iperf 3 [000] 2852.1: tcp:tcp_retransmit_skb: sport=1 dport=2\nCPU:0 [LOST 12 EVENTS]\n"
    )
    tables = assert_accounted("tcp-probe", [content(FOLDER / "perf.txt") + other])
    reasons = set(tables["fate"].filter(fate="skipped")["reason"])
    assert reasons == {
        "another event than tcp_probe",
        "the kernel says here that it lost events",
    }


def test_state_joins_the_flows_of_iperf_by_their_addresses(tmp_path):
    logs = {f"r1/c{i}.log": (FOLDER / f"ftrace-client{i}.log").read_bytes() for i in (1, 2)}
    logs["r1/trace.txt"] = content(FOLDER / "ftrace.txt")
    yml = 'files: [{path: "r{repeat}/c{flow}.log"}, {path: "r{repeat}/trace.txt"}]'
    tables = build_tables(make_dataset(tmp_path / "d", logs, yml), tmp_path / "derived")
    cwnd = tables["tcp_state"].filter(variable="cwnd_packets")
    # client 1 has port 39488, whose events are those of the trace's second connection
    n = content(FOLDER / "ftrace.txt").count(b"src=10.77.0.1:39488 ")
    assert len(cwnd.filter(pl.col("flow_id") == 1)) == n


@settings(max_examples=12)
@given(texts=broken([content(path) for path in TRACES]))
def test_broken_traces_are_accounted_for(texts):
    parse_broken("tcp-probe", texts)
