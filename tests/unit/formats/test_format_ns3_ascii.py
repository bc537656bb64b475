"""ns-3's ASCII traces, made by ns-3.44 (tests/fixtures/formats/ns3-ascii), against plain sums."""

import re
from collections import Counter

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from evenflow.formats.logs import MAYBE_RELAYED
from hypothesis import given, settings
from pasted import analysed
from raw_data import ROOT, build_tables, content, make_dataset

FOLDER = ROOT / "tests/fixtures/formats/ns3-ascii"
TRACES = sorted(FOLDER.glob("*.tr.gz"))
ALL, SINK = FOLDER / "all.tr.gz", FOLDER / "device-3-1.tr.gz"


def payload(line: str) -> int:
    whole = sum(map(int, re.findall(r"Payload \(size=(\d+)\)", line)))
    parts = re.findall(r"Payload Fragment \[(\d+):(\d+)\]", line)
    return whole + sum(int(end) - int(begin) for begin, end in parts)


def received_at_the_sink() -> Counter:
    """Return {(port, second): bytes} of the lines of node 3 that receive."""
    found: Counter = Counter()
    for line in content(ALL).decode().splitlines():
        if line.startswith("r ") and "/NodeList/3/" in line:
            port = re.search(r"TcpHeader \(\d+ > (\d+)", line)[1]
            found[port, int(float(line.split()[1]))] += payload(line)
    return found


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_the_format_is_detected_and_every_line_accounted_for(path):
    assert detect_format(content(path), path) == "ns3-ascii"
    assert assert_accounted("ns3-ascii", [content(path)], [path])["rejected"].is_empty()


@pytest.mark.parametrize("path", [ALL, SINK], ids=["all devices", "the sink's device"])
def test_payload_is_counted_once_where_it_ends(path):
    tables = assert_accounted("ns3-ascii", [content(path)])
    ports = dict(tables["stream"].with_columns(pl.col("local").str.split(":").list[1])
                 .select("stream", "local").rows())  # fmt: skip
    rows = tables["interval"].select("stream", "t_start_s", "bytes").rows()
    found = {(ports[stream], int(t_s)): n_bytes for stream, t_s, n_bytes in rows}
    assert found == dict(received_at_the_sink())
    assert (tables["interval"]["t_end_s"] - tables["interval"]["t_start_s"] == 1).all()
    assert set(tables["stream"]["side"]) == {"receiver"}


@pytest.mark.parametrize("path", [FOLDER / "device-2-1.tr.gz", FOLDER / "device-2-3.tr.gz"])
def test_a_device_of_a_router_receives_no_flow(path):
    tables = assert_accounted("ns3-ascii", [content(path)])
    assert tables["stream"].is_empty() and tables["interval"].is_empty()


def only(pattern: str) -> bytes:
    """Return the lines of the trace of all devices that `grep` finds."""
    lines = content(ALL).decode().splitlines(keepends=True)
    return "".join(line for line in lines if re.search(pattern, line)).encode()


def counted(log: bytes) -> tuple[dict, bool]:
    """Return {(port, second): bytes}, and whether it is said that a node may be no sink."""
    tables = assert_accounted("ns3-ascii", [log])
    both = tables["interval"].join(tables["stream"], on=["file_id", "stream"])
    rows = both.select(pl.col("local").str.split(":").list[1], "t_start_s", "bytes").rows()
    reasons = tables["fate"].filter(fate="sample")["reason"].drop_nulls()
    return {(port, int(t_s)): n for port, t_s, n in rows}, MAYBE_RELAYED in reasons


@pytest.mark.parametrize("kept", ["^r", "^[rd]", "^[r+]", "^[-r]", "^[^r].*NodeList|^r"])
def test_payload_is_counted_once_of_a_trace_of_some_events(kept):
    assert counted(only(kept)) == (dict(received_at_the_sink()), False)


@pytest.mark.parametrize("kept", ["^r.*NodeList/2", "NodeList/2", "^r.*NodeList/[01]"])
def test_what_a_router_received_is_no_throughput(kept):
    assert counted(only(kept)) == ({}, False)


@pytest.mark.parametrize(
    "kept",
    [
        "^r.* > 500[01] ",  # without acknowledgements
        "^r.*NodeList/3/",  # the sink alone
        "^r.*NodeList/2/.* > 500[01] ",
    ],
)
def test_a_node_that_may_be_no_sink_is_said(kept):
    found, is_said = counted(only(kept))
    assert is_said
    at_sink = dict(received_at_the_sink())
    assert (found == at_sink) == ("NodeList/2" not in kept)


def test_the_page_says_that_a_node_may_be_no_sink(tmp_path):
    logs = {"all.tr": only("^r"), "router.tr": only("^r.*NodeList/2/.* > 500[01] ")}
    found = analysed(make_dataset(tmp_path / "d", logs, ""))["finding"]
    (row,) = found.filter(check="sink not known").rows(named=True)
    assert (row["path"], row["severity"]) == ("router.tr", "warning")
    (tmp_path / "d/dataset.yml").write_text(row["yaml"])
    assert analysed(tmp_path / "d")["finding"].filter(check="sink not known").is_empty()


def test_the_hops_of_a_trace_of_what_is_received_are_between_the_nodes_that_receive():
    stream = assert_accounted("ns3-ascii", [only("^r")])["stream"]
    hops = stream.sort("local")["hops"].to_list()
    assert hops == ["10.1.1.1-2 2-3", "10.1.2.1-2 2-3"]
    half = assert_accounted("ns3-ascii", [only("NodeList/3/")])["stream"]
    assert half["hops"].str.ends_with("...").fill_null(True).all()


def test_the_hops_of_a_flow_are_between_the_nodes_that_send_and_receive_it():
    tables = assert_accounted("ns3-ascii", [content(ALL)])
    assert tables["stream"]["hops"].to_list() == ["0-2 2-3", "1-2 2-3"]
    alone = assert_accounted("ns3-ascii", [content(SINK)])  # of one device: no node is named
    assert alone["stream"]["hops"].null_count() == len(alone["stream"])


def test_a_flow_that_takes_two_paths_has_the_hops_that_all_its_packets_take():
    lines = content(ALL).decode().splitlines(keepends=True)
    at = [n for n, x in enumerate(lines) if "/NodeList/2/" in x and " > 5000 " in x]
    for n in at[len(at) // 2 :]:
        lines[n] = lines[n].replace("/NodeList/2/", "/NodeList/7/")
    stream = assert_accounted("ns3-ascii", ["".join(lines).encode()])["stream"]
    assert stream.sort("local")["hops"].to_list() == [None, "1-2 2-3"]


def test_drops_name_their_flow_size_and_sequence():
    tables = assert_accounted("ns3-ascii", [content(ALL)])
    lines = content(ALL).decode().splitlines()
    wanted = [(n, x) for n, x in enumerate(lines, 1) if x.startswith("d ")]
    assert len(wanted) == 8
    drops = tables["drop"].rows(named=True)
    port = dict(tables["stream"].select("stream", "local").rows())
    for (n, line), drop in zip(wanted, drops, strict=True):
        assert (drop["line"], drop["t_s"]) == (n, float(line.split()[1]))
        assert drop["packet_bytes"] == int(re.search(r"length: (\d+)", line)[1])
        assert drop["sequence"] == int(re.search(r"Seq=(\d+)", line)[1])
        assert port[drop["stream"]].endswith(re.search(r"> (\d+) \[", line)[1])


def test_drops_at_several_devices_are_said():
    lines = [x for x in content(ALL).decode().splitlines(keepends=True) if x.startswith("d ")]
    place = re.search(r"/NodeList/\d+/DeviceList/\d+", lines[0])[0]
    elsewhere = [x.replace(place, "/NodeList/9/DeviceList/1") for x in lines[:1]]
    tables = assert_accounted("ns3-ascii", ["".join([*elsewhere, *lines[1:]]).encode()])
    (reason,) = tables["fate"].filter(fate="sample")["reason"]
    assert reason == "dropped on 2 links: node 3 device 1 (7), node 9 device 1 (1)"
    alone = assert_accounted("ns3-ascii", ["".join(lines).encode()])
    assert alone["fate"]["reason"].to_list() == [None]


def test_a_flow_has_zero_samples_after_it_ends():
    lines = content(SINK).splitlines(keepends=True)
    kept = [x for x in lines if float(x.split()[1]) < 0.9 or b" > 5001 " in x or b"5001 > " in x]
    tables = assert_accounted("ns3-ascii", [b"".join(kept)])
    first = tables["interval"].filter(stream=1)
    assert first["bytes"].to_list()[1:] == [0, 0]


def test_frames_of_a_wireless_channel_are_skipped_and_named():
    place = b"/NodeList/3/DeviceList/1/$ns3::PointToPointNetDevice/MacRx"
    log = content(ALL).replace(
        place, b"/NodeList/3/DeviceList/1/$ns3::WifiNetDevice/Phy/State/RxOk"
    )
    tables = assert_accounted("ns3-ascii", [log])
    assert tables["interval"].is_empty()
    assert any("wireless" in (reason or "") for reason in tables["fate"]["reason"])


def test_time_that_goes_backwards_is_rejected():
    lines = content(SINK).splitlines(keepends=True)
    tables = assert_accounted("ns3-ascii", [b"".join([*lines[:50], *lines[:5]])])
    assert tables["rejected"]["line"].to_list() == [51, 52, 53, 54, 55]


def test_a_folder_with_a_trace_has_flows_samples_and_drops(tmp_path):
    yml = 'files: [{path: "r{repeat}/all.tr.gz"}]'
    folder = make_dataset(tmp_path / "d", {"r1/all.tr.gz": ALL.read_bytes()}, yml)
    tables = build_tables(folder, tmp_path / "derived")
    assert tables["run"].select("tool", "platform").rows() == [("ns-3", "ns3")]
    assert tables["sample"].group_by("flow_id").len().sort("flow_id").rows() == [(1, 3), (2, 3)]
    assert tables["packet_drop"]["flow_id"].to_list() == [2, 2, 2, 2, 1, 1, 1, 1]


LINES = [b"".join(content(path).splitlines(keepends=True)[:120]) for path in TRACES]


@settings(max_examples=10)
@given(texts=broken(LINES))
def test_broken_traces_are_accounted_for(texts):
    parse_broken("ns3-ascii", texts)
