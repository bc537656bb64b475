"""Flent's data files, made by Flent with netperf (tests/fixtures/formats/flent), read plainly."""

import json
from pathlib import Path

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from evenflow.ingest.parse import parse_dataset
from hypothesis import given, settings
from raw_data import ROOT, content, make_dataset, parse

FOLDER = ROOT / "tests/fixtures/formats/flent"
FILES = sorted(FOLDER.glob("*.flent*"))
FLOWS = {  # file: its flows, in the order of the file
    "tcp_upload.flent": ["TCP upload"],
    "tcp_download.flent.gz": ["TCP download"],
    "tcp_nup.flent.gz": ["TCP upload::1", "TCP upload::2"],
    "version2.flent.gz": ["TCP upload::1", "TCP upload::2"],
    "version3.flent.gz": ["TCP upload::1", "TCP upload::2"],
    "rrul_be.flent.gz": [
        f"TCP {way} BE{n}" for way in ("download", "upload") for n in ("", 2, 3, 4)
    ],
    "cubic_bbr.flent.gz": [
        f"TCP {way} {cca} {mark}"
        for way in ("download", "upload")
        for cca in ("BBR", "Cubic")
        for mark in ("BE", "CS1")
    ],
}


def named(path: Path) -> str:
    return path.name


def document(path: Path) -> dict:
    return json.loads(content(path))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_every_raw_value_of_a_flow_is_a_sample_and_nothing_else_is(path):
    assert detect_format(content(path), path) == "flent"
    tables = assert_accounted("flent", [content(path)], [path])
    assert tables["rejected"].is_empty()
    assert tables["stream"]["label"].to_list() == FLOWS[path.name]
    raw = document(path)["raw_values"]
    for stream, label, start_s in (
        tables["stream"].select("stream", "label", "start_epoch_s").rows()
    ):
        measured = [v for v in raw[label] if "val" in v]
        own = tables["interval"].filter(pl.col("stream") == stream)
        assert own["throughput_bps"].to_list() == [v["val"] * 1e6 for v in measured]
        assert (own["t_end_s"] + start_s).to_list() == pytest.approx([v["t"] for v in measured])
        lengths = (own["t_end_s"] - own["t_start_s"]).to_list()
        assert lengths == pytest.approx([v["dur"] for v in measured], abs=0.0025)
        lines = content(path).decode().splitlines()
        for line, value in zip(own["line"], measured, strict=True):
            found = "".join(lines[line - 1 : line + 10])
            assert json.JSONDecoder().raw_decode(found.strip())[0] == value


def test_samples_add_up_to_the_bytes_that_netperf_counted():
    path = FOLDER / "tcp_upload.flent"
    counted = document(path)["metadata"]["SERIES_META"]["TCP upload"]["BYTES_SENT"]
    sent = parse("flent", content(path))["interval"]["bytes"].sum()
    # netperf's last interval ends when its timer does; the rest was in the socket
    assert sent == pytest.approx(counted, rel=0.005)


def test_settings_of_flows_come_from_the_metadata():
    path = FOLDER / "cubic_bbr.flent.gz"
    rows = parse("flent", content(path))["stream"]
    found = {row["label"]: row for row in rows.iter_rows(named=True)}
    assert found["TCP upload Cubic BE"]["cca"] == "cubic"
    assert found["TCP download BBR CS1"]["cca"] == "bbr"
    assert found["TCP download BBR CS1"]["side"] == "receiver"  # Flent is the client
    assert set(rows["mss_bytes"]) == {1448} and set(rows["planned_s"]) == {6.0}
    assert set(rows["tool_version"]) == {"2.1.1"} and rows["complete"].all()


def test_socket_statistics_are_the_senders_state_on_the_flows_clock():
    path = FOLDER / "tcp_nup.flent.gz"
    tables = parse("flent", content(path))
    start_s = tables["stream"]["start_epoch_s"][0]
    raw = [v for v in document(path)["raw_values"]["TCP upload::1"] if "tcp_cwnd" in v]
    state = tables["state"].filter(pl.col("stream") == 1)
    cwnd = state.filter(pl.col("variable") == "cwnd_packets")
    assert cwnd["value"].to_list() == [v["tcp_cwnd"] for v in raw]
    assert cwnd["t_s"].to_list() == pytest.approx([v["t"] - start_s for v in raw])
    srtt = state.filter(pl.col("variable") == "srtt_s")
    assert srtt["value"].to_list() == pytest.approx([v["tcp_rtt"] / 1e3 for v in raw])


def test_a_folder_of_flent_files_has_flows_that_begin_together(tmp_path):
    path = FOLDER / "tcp_nup.flent.gz"
    folder = make_dataset(tmp_path / "flent", {path.name: path.read_bytes()}, "title: t\n")
    tables = parse_dataset(folder)
    assert tables["run"].select("tool", "platform").rows() == [("flent", "testbed")]
    flows = tables["flow"].select("flow_id", "cca", "start_from").rows()
    assert flows == [(1, "bbr", "log"), (2, "bbr", "log")]
    assert tables["flow"]["start_s"].max() < 0.5


def changed(path: Path, change) -> bytes:
    file = document(path)
    change(file)
    return json.dumps(file, indent=2, sort_keys=True).encode()


@pytest.mark.parametrize("version", [1, 5])
def test_other_versions_of_the_format_are_named(version):
    log = changed(FOLDER / "tcp_upload.flent", lambda file: file.update(version=version))
    tables = assert_accounted("flent", [log])
    assert tables["interval"].is_empty()
    assert f"data format {version} is not read" in tables["rejected"]["reason"][0]


def test_iperf_values_of_old_versions_are_bits_per_second():
    def as_iperf(file):
        file["version"] = 3
        for value in file["raw_values"]["TCP upload"]:
            del value["dur"]
            value["val"] *= 1e6

    path = FOLDER / "tcp_upload.flent"
    interval = parse("flent", changed(path, as_iperf))["interval"]
    raw = document(path)["raw_values"]["TCP upload"]
    assert interval["throughput_bps"].to_list() == pytest.approx([v["val"] * 1e6 for v in raw])
    # without a length a value reaches back to the one before, the first by the step
    assert interval["t_end_s"][0] - interval["t_start_s"][0] == pytest.approx(0.5)
    assert interval["t_start_s"][1:].to_list() == interval["t_end_s"][:-1].to_list()


def test_a_cut_file_keeps_its_whole_values_and_names_the_line():
    log = content(FOLDER / "tcp_upload.flent")
    at = log.index(b'"val": 19.02')
    tables = assert_accounted("flent", [log[: at + 5]])
    assert len(tables["interval"]) == 3
    (first, *_) = tables["rejected"].select("line", "reason").rows()
    assert first[0] == log[:at].count(b"\n") - 2 and "cut" in first[1]


def test_text_after_the_document_is_rejected():
    log = content(FOLDER / "tcp_upload.flent") + b"\nKilled\n"
    tables = assert_accounted("flent", [log])
    assert tables["rejected"]["text"].to_list() == ["Killed"]
    assert len(tables["interval"]) == 11


def test_a_document_on_one_line_is_read():
    log = json.dumps(document(FOLDER / "tcp_nup.flent.gz")).encode()
    assert len(assert_accounted("flent", [log])["interval"]) > 20


@settings(max_examples=12)
@given(texts=broken([content(path) for path in FILES if path.name != "rrul_be.flent.gz"]))
def test_broken_files_are_accounted_for(texts):
    parse_broken("flent", texts)


def test_a_value_that_is_null_costs_no_other_of_its_line():
    """A minified file is one line."""
    whole = document(FOLDER / "tcp_upload.flent")
    values = whole["raw_values"]["TCP upload"]
    known = [value for value in values if "val" in value]
    known[3]["val"] = None
    tables = parse("flent", json.dumps(whole).encode())
    assert tables["fate"].select("fate", "lines").rows() == [("sample", 1)]
    assert len(tables["interval"]) == len(known) - 1


def test_the_value_after_a_null_is_of_its_own_interval():
    whole = document(FOLDER / "tcp_upload.flent")
    values = whole["raw_values"]["TCP upload"]
    first = next(value["t"] for value in values if "val" in value)
    whole["raw_values"]["TCP upload"] = [
        {"t": first + n, "val": None if n in (2, 3) else 10.0} for n in range(6)
    ]
    interval = parse("flent", json.dumps(whole).encode())["interval"].sort("t_end_s")
    lengths = (interval["t_end_s"] - interval["t_start_s"]).to_list()
    assert lengths[1:] == pytest.approx([1.0] * (len(lengths) - 1))
