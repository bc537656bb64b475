"""Files that are not read but known by name; those in tests/fixtures/formats/not-read are real."""

import pytest
import yaml
from evenflow.errors import DataError
from evenflow.formats import UNKNOWN, Log, detect_format
from evenflow.formats.recognise import NO_LOG, OF_FLOWS, TABLE, recognise, why_not_read
from evenflow.formats.tables import parse_logs
from evenflow.ingest.parse import parse_dataset
from raw_data import LOGS, ROOT, build_tables, content, make_dataset

FORMATS = ROOT / "tests/fixtures/formats"
KINDS = yaml.safe_load(TABLE.read_text(encoding="utf-8"))


def fixture(path: str) -> tuple[str, bytes]:
    return path.rpartition("/")[2], content(FORMATS / path)


# what: files of it, (name, beginning); names without a meaning where the content must tell
EXAMPLES = {
    "a packet capture (pcap)": [fixture("not-read/cut.pcap"), ("x", b"\xa1\xb2\xc3\xd4\0\2")],
    "a packet capture (pcapng)": [("x", b"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a")],
    "text of tcpdump": [
        ("x", b"15:25:14.060015 IP 10.0.0.1.5001 > 10.0.0.2.443: Flags [.], ack 1, length 0\n"),
        ("x", b"2026-11-23 15:25:14.060015 IP6 ::1.5001 > ::1.443: Flags [.]\n"),
        ("x", b"1795443914.060015 IP 10.0.0.1.5001 > 10.0.0.2.443: Flags [.]\n"),
    ],
    "Wireshark's list of packets": [("x", b'"No.","Time","Source","Destination"\n"1","0.0"\n')],
    "a log of a Mahimahi link (mm-link) or of Pantheon's tunnels": [
        ("x", b"# mahimahi mm-link (uplink) [12mbps.trace] > up.log\n12 # 1504\n"),
        ("x", b"# init timestamp: 1532123456.123\n12.3 + 1504\n"),
    ],
    "a trace of ns-2 for the animator nam": [fixture("ns2-trace/simple.nam")],
    "a tagged trace of ns-2": [fixture("ns2-trace/tagged.tr")],
    "a wireless trace of ns-2": [
        ("x", b"s 10.000000000 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 1:0 32 0] [0 0] 0 0\n"),
        ("x", b"s -t 10.000000000 -Hs 0 -Hd -2 -Ni 0 -Nx 5.00 -Ny 2.00\n"),
    ],
    "an animation of ns-3 (NetAnim)": [("x", b'<?xml version="1.0"?>\n<anim ver="netanim-3.108">')],
    "a result file of OMNeT++": [("x", b"version 3\nrun General-0-20260101-10:00:00-1\n")],
    "a recording of perf": [fixture("not-read/perf.data")],
    "a recording of trace-cmd": [("x", b"\x17\x08\x44tracing6\0")],
    "text of netperf": [
        fixture(f"not-read/{name}.txt") for name in ("netperf", "netperf-demo", "netperf-k")
    ],
    "a log of iperf 2 in which another program (ts) put a time before each line": [
        ("x", b"Nov 20 22:35:02 [  4] local 10.0.0.2 port 5001 connected with 10.0.0.1 port 401\n"),
        ("x", b"2026-11-20T22:35:03.2 [  4]  0.0- 1.0 sec  1.1 MBytes  9.2 Mbits/sec\n"),
    ],
    "a report of flowgrind": [
        ("x", b"# Sat Nov 14 22:13:20 2015: controlling host = a, [through] = 10**6 bit/second "
         b"(flowgrind-0.8.0)\n# ID   begin     end    through   transac      requ      resp\n"
         b"S   0   0.000   1.000  50.000000   0.00   763   0   inf\n"),
    ],
    "what NeST (the Network Stack Tester) collected": [
        ("ss.json", b'{\n  "h1": [\n    {"10.0.2.2:4567": [{"timestamp": "1.2", "cwnd": "10"}]}]}'),
        ("README.txt", b"Overview of stats collected\n===========================\n"),
    ],
    "text of D-ITG": [("x", b"Flow>1 From>10.0.0.1:4040 To>10.0.0.2:8999 txTime>1:2:3.4\n")],
    "output of ping": [
        fixture("not-read/fping.txt"),
        ("x", b"PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n"),
        ("x", b"64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.05 ms\n"),
    ],
    "output of traceroute or mtr": [("x", b"traceroute to 10.0.0.1 (10.0.0.1), 30 hops max\n")],
    "statistics of a queue (tc -s qdisc)": [fixture("not-read/tc.txt")],
    "text of sysstat (sar, mpstat, iostat)": [("x", b"Linux 6.1.0 (host) \t11/23/26 \t_x86_64_\n")],
    "counters of the kernel (netstat -s, nstat, /proc/net)": [("x", b"#kernel\nIpInReceives 1\n")],
    "a list of sockets without their state (netstat)": [
        ("x", b"Active Internet connections (w/o servers)\nProto Recv-Q Send-Q Local Address\n")
    ],
    "results of a speed test": [("x", b"Retrieving speedtest.net configuration...\n")],
    "a plot's data for xgraph": [("x", b"TitleText: cwnd\nYUnitText: packets\n0 1\n")],
    "data of MATLAB": [("x", b"MATLAB 5.0 MAT-file, Platform: GLNXA64")],
    "data of HDF5 (MATLAB 7.3, h5py)": [("x", b"\x89HDF\r\n\x1a\n\0\0")],
    "data of NumPy": [("x", b"\x93NUMPY\x01\0v\0{'descr': '<f8'")],
    "data of pandas or Python (pickle)": [("runs.pkl", b"\x80\x04\x95")],
    "a Parquet table": [("x", b"PAR1\x15\x04")],
    "an SQLite database": [("x", b"SQLite format 3\0")],
    "a picture": [
        ("x", b"\x89PNG\r\n\x1a\n"),
        ("x", b"GIF89a"),
        ("x", b'<?xml version="1.0"?>\n<svg width="1">'),
        ("cwnd.jpg", b"?"),
    ],
    "a document": [
        ("x", b"%PDF-1.5\n"), ("x", b"<!DOCTYPE html>\n<html>"), ("notes.md", b"# Notes\n"),
    ],
    "a notebook": [("x", b'{\n "cells": [\n  {"cell_type": "code"}]}'), ("plot.ipynb", b"{}")],
    "a program": [
        ("x", b"#!/bin/sh\niperf -s\n"), ("plot.py", b"import os\n"), ("Makefile", b"all:\n"),
    ],
    "settings of a program": [("config.yaml", b"a: 1\n"), ("requirements.txt", b"polars\n")],
    "a file of the file manager": [("Thumbs.db", b"?"), ("x", b"\0\0\0\x01Bud1")],
    "two columns of numbers": [
        fixture("ns2-variable/xgraph.tr"),
        ("cwnd.csv", b"time,cwnd\n0.1,2\n0.2,4\n"),
        ("x", b"# t cwnd\r\n0.1\t2.5e3\r\n0.2\t4\r\n"),
    ],
    "a table": [("summary.csv", b"cca,jain,utilisation\ncubic,0.9,0.8\n")],
    "a JSON document of a tool that is not known": [("stats.json", b'{"mean": 3}')],
}  # fmt: skip
CASES = [(what, *file) for what, files in EXAMPLES.items() for file in files]


def test_every_entry_of_the_table_has_an_example():
    assert [kind["what"] for kind in KINDS] == list(EXAMPLES)
    assert all({"what", "help"} <= kind.keys() and kind.keys() & {"magic", "pattern", "name"}
               for kind in KINDS)  # fmt: skip


@pytest.mark.parametrize(("what", "name", "log"), CASES)
def test_what_is_not_read_is_named(what, name, log):
    kind = recognise(log, name)
    assert kind and kind.what == what
    with pytest.raises(DataError) as error:
        detect_format(log, name)
    assert error.value.problem == f"{what}: not read"
    assert kind.help in error.value.remedy and "format: ignore" in error.value.remedy


def test_reports_of_flows_are_said_to_be_such():
    ping, netperf = (
        b"PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.\n",
        b"Interim result: 3.00 10^6\n",
    )
    said = why_not_read(netperf, "flow3.txt")
    assert said.startswith(f"text of netperf: {OF_FLOWS}; measure with Flent")
    assert OF_FLOWS not in why_not_read(ping, "ping.txt")


@pytest.mark.parametrize("name", ["notes", "log.txt", "run1.log"])
@pytest.mark.parametrize("log", [b"hello\n", b"\0" * 100, b"3\n", b"1 2 3\n4 5 6\n"])
def test_what_nothing_tells_stays_unknown(name, log):
    assert recognise(log, name) is None
    assert why_not_read(log, name) == NO_LOG


def test_the_ledger_gives_the_reason_a_file():
    logs = [Log(0, *reversed(fixture("not-read/netperf.txt"))), Log(1, b"hello\n")]
    reasons = dict(parse_logs(UNKNOWN, logs)["fate"].select("file_id", "reason").rows())
    assert reasons[0] == (
        f"text of netperf: {OF_FLOWS}; measure with Flent, which runs netperf, or with `iperf3 -J`"
    )
    assert reasons[1] == NO_LOG


def test_a_folder_with_other_files_names_them_in_its_ledger(tmp_path):
    files = dict([fixture("not-read/cut.pcap"), ("plot.py", b"import os\n")])
    server = content(LOGS / "testbed-run/flow1.server.log.gz")
    folder = make_dataset(tmp_path / "d", {"flow1.log": server, **files}, "title: t\n")
    ledger = build_tables(folder, tmp_path / "derived")["ledger"]
    reasons = dict(ledger.select("path", "reason").rows())
    assert reasons["cut.pcap"].startswith("a packet capture (pcap): not read; write a file a flow")
    assert reasons["plot.py"] == "a program: no log"


def test_a_described_file_that_is_not_read_is_an_error_that_says_what_it_is(tmp_path):
    name, log = fixture("not-read/cut.pcap")
    folder = make_dataset(tmp_path / "d", {name: log}, 'files: [{path: "cut.pcap"}]')
    with pytest.raises(DataError, match="packet capture") as error:
        parse_dataset(folder)
    assert "tshark" in error.value.remedy
