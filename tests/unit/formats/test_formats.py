"""Log formats against what the tools printed, verbatim (tests/fixtures/logs)."""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.formats import FORMATS, detect_format
from evenflow.formats.tables import TABLES, parse_logs
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_data import IPERF2, LOGS, content, fates, parse

WORKFLOW = Path(__file__).parents[3] / "workflow"
SERVER = content(LOGS / "testbed-run/flow1.server.log.gz")
CLIENT = content(LOGS / "testbed-run/flow1.client.log.gz")
GOODPUT = content(LOGS / "ns2-run/goodput.log.gz")
QUEUE = content(LOGS / "ns2-run/queue.log.gz")
DROPS = content(LOGS / "ns2-run/drops.tr.gz")
RECORD = content(LOGS / "ns2-run/run.json")
ROUTER = content(LOGS / "testbed-run/router.log.gz")


def accounts_for_every_byte(tables, log: bytes) -> bool:
    lines = log.count(b"\n") + (not log.endswith(b"\n") and len(log) > 0)
    return sum(fates(tables).values()) == lines and sum(fates(tables, "bytes").values()) == len(log)


# ---- iperf 2 ------------------------------------------------------------------------------------


def test_the_servers_log_of_the_testbed():
    tables = parse("iperf2", SERVER)
    interval = tables["interval"]
    assert fates(tables) == {"header": 7, "sample": 302, "summary": 1}
    assert accounts_for_every_byte(tables, SERVER)
    # '[  1] 0.0000-1.0000 sec  5401100 Bytes  43208800 bits/sec  166=4:5:157:0:0:0:0:0', line 8
    first = interval.select("line", "t_start_s", "t_end_s", "bytes", "throughput_bps").row(0)
    assert first == (8, 0.0, 1.0, 5401100, 43208800.0)
    # '[  1] 301.0000-301.8534 sec  965784 Bytes  9053783 bits/sec  43=9:26:8:0:0:0:0:0', line 309
    last = interval.select("line", "t_start_s", "t_end_s", "bytes", "throughput_bps").row(-1)
    assert last == (309, 301.0, 301.8534, 965784, 9053783.0)
    # iperf's own sum: '[  1] 0.0000-301.8534 sec  969146428 Bytes'
    assert interval["bytes"].sum() == 969146428


def test_the_clients_final_report_is_a_summary_and_no_sample():
    tables = parse("iperf2", CLIENT)
    assert fates(tables) == {"header": 9, "summary": 1}
    assert tables["interval"].is_empty()
    assert accounts_for_every_byte(tables, CLIENT)


# amounts and rates as printed, in units of the option -f: 2^10 for bytes, 10^3 for bits
UNITS = [
    ("bits.server.log", 1, 1, 4),  # -f b
    ("bytes.client.log", 1, 8, 4),  # -f B: Bytes/sec
    ("kilo.server.log", 1024, 1e3, 4),  # -f k
    ("mega.server.log", 1024**2, 1e6, 4),  # -f m
    ("giga.server.log", 1024**3, 1e9, 3),  # -f g
    ("plain.server.log", 1024**2, 1e6, 4),
    ("plain.client.log", 1024**2, 1e6, 4),
    ("enhanced.server.log", 1024**2, 1e6, 4),  # -e
    ("enhanced.client.log", 1024**2, 1e6, 4),
    ("half.server.log", 1024**2, 1e6, 8),  # -i 0.5
]


@pytest.mark.parametrize(("name", "byte_unit", "bit_unit", "n_samples"), UNITS)
def test_units_of_iperf2(name, byte_unit, bit_unit, n_samples):
    log = content(IPERF2 / name)
    # independently of the parser: the two numbers before 'Bytes' and '/sec' of each report
    printed = re.findall(
        rb"([\d.]+) [KMG]?Bytes +([\d.]+) [KMG]?(?:bits|Bytes)/sec", log, re.MULTILINE
    )
    tables = parse("iperf2", log)
    rows = tables["interval"].select("bytes", "throughput_bps").rows()
    assert len(rows) == n_samples == len(printed) - 1
    for (amount, rate), (n_bytes, throughput_bps) in zip(printed, rows, strict=False):
        # below 1 the rate has more digits: '0.375 GBytes  3.22 Gbits/sec' in 1 s
        assert n_bytes == pytest.approx(float(amount) * byte_unit, rel=2e-3)
        assert float(amount) < 1 or n_bytes == round(float(amount) * byte_unit)
        assert throughput_bps == float(rate) * bit_unit
    assert fates(tables)["summary"] == 1
    assert accounts_for_every_byte(tables, log)
    # what was sent was 90 Mb/s (2^20 bits) or 3 Gb/s: a wrong unit would be off by 10^3
    expected = 3 * 2**30 if name.startswith("giga") else 90 * 2**20
    assert tables["interval"]["throughput_bps"].mean() == pytest.approx(expected, rel=0.01)
    length = tables["interval"]["t_end_s"] - tables["interval"]["t_start_s"]
    rate = tables["interval"]["bytes"] * 8 / length
    assert (rate / tables["interval"]["throughput_bps"] - 1).abs().max() < 0.02


def test_parallel_streams_of_iperf2_are_streams_of_their_own():
    log = content(IPERF2 / "parallel.server.log")
    tables = parse("iperf2", log)
    assert fates(tables)["sample"] == 6
    interval = tables["interval"].select("stream", "line").rows()
    # '[  2]' is announced second, and reports first
    lines = log.decode().splitlines()
    for stream, line in interval:
        announced = [text for text in lines if "connected with" in text][stream - 1]
        assert lines[line - 1].startswith(announced[:5])
    assert tables["stream"]["stream"].to_list() == [1, 2]
    assert tables["stream"]["episode"].to_list() == [1, 1]
    assert accounts_for_every_byte(tables, log)


@pytest.mark.parametrize(
    "change",
    [
        lambda log: log.replace(b"\n", b"\r\n"),
        lambda log: log.rstrip(b"\n"),
        lambda log: log.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    ],
    ids=["CRLF", "no final newline", "CRLF and no final newline"],
)
@pytest.mark.parametrize(
    ("format_name", "log", "table"),
    [
        ("iperf2", SERVER, "interval"),
        ("ns2-goodput", GOODPUT, "interval"),
        ("ns2-queue", QUEUE, "queue"),
        ("ns2-trace", DROPS, "drop"),
    ],
)
def test_line_ends_change_nothing_but_the_count_of_bytes(format_name, log, table, change):
    changed = change(log)
    before, after = parse(format_name, log), parse(format_name, changed)
    assert after[table].equals(before[table])
    assert fates(after) == fates(before)
    assert accounts_for_every_byte(after, changed)


def test_junk_bytes_are_rejected_lines_with_their_number():
    lines = SERVER.split(b"\n")
    lines[20] = b"\x00\xff\xfe\x80 junk"
    lines[30] = lines[30][:25]
    log = b"\n".join(lines)
    tables = parse("iperf2", log)
    assert tables["rejected"]["line"].to_list() == [21, 31]
    assert fates(tables)["sample"] == 300
    assert accounts_for_every_byte(tables, log)


RUNS = st.lists(  # of one log: its stream, whether with -e, and (bytes, seconds) of each interval
    st.tuples(
        st.integers(1, 999),
        st.booleans(),
        st.lists(
            st.tuples(st.integers(0, 10**11), st.sampled_from([0.5, 1.0, 2.5])),
            min_size=2,
            max_size=30,
        ),
    ),
    min_size=1,
    max_size=12,
)


def rendered(stream: int, enhanced: bool, intervals: list) -> tuple[bytes, list]:
    """Return a log as iperf 2 writes it with -f b, and the rows that it should give."""
    lines, rows, t = ["Server listening on TCP port 5001"], [], 0.0
    for n_bytes, length in intervals:
        rate = round(n_bytes * 8 / length)
        more = "  166=4:5:157:0:0:0:0:0" if enhanced else ""
        span = f"{t:.4f}-{t + length:.4f}"
        lines.append(f"[{stream:3d}] {span} sec  {n_bytes} Bytes  {rate} bits/sec{more}")
        rows.append((len(lines), t, t + length, n_bytes, float(rate)))
        t += length
    total = sum(n_bytes for n_bytes, _ in intervals)
    lines.append(f"[{stream:3d}] 0.0000-{t:.4f} sec  {total} Bytes  {total} bits/sec")
    return "\n".join(lines).encode(), rows


@settings(max_examples=15)
@given(runs=RUNS)
def test_any_intervals_that_iperf2_could_write_come_back(runs):
    logs = [rendered(*run) for run in runs]
    tables = parse("iperf2", *(log for log, _ in logs))
    columns = ("file_id", "line", "t_start_s", "t_end_s", "bytes", "throughput_bps")
    wanted = [(i, *row) for i, (_, rows) in enumerate(logs) for row in rows]
    assert tables["interval"].select(columns).rows() == wanted
    n = len(logs)
    assert fates(tables) == {"header": n, "sample": len(wanted), "summary": n}


JUNK = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(SERVER.split(b"\n")),
    st.sampled_from(SERVER.split(b"\n")).map(lambda line: line[: len(line) // 2]),
    st.sampled_from(GOODPUT.split(b"\n") + QUEUE.split(b"\n") + DROPS.split(b"\n")),
)


@pytest.mark.parametrize("format_name", sorted(FORMATS))
@settings(max_examples=10)
@given(logs=st.lists(st.lists(JUNK, max_size=12).map(b"\n".join), min_size=1, max_size=12))
def test_every_byte_of_any_mixture_is_accounted_for(format_name, logs):
    tables = parse(format_name, *logs)
    for file_id, log in enumerate(logs):
        own = {name: table.filter(pl.col("file_id") == file_id) for name, table in tables.items()}
        assert accounts_for_every_byte(own, log)
        assert len(own["rejected"]) == fates(own).get("rejected", 0)
        assert (own["rejected"]["reason"].str.len_chars() > 0).all()
        measured = sum(len(own[name]) for name in ("interval", "queue", "drop"))
        assert measured == fates(own).get("sample", 0)


# ---- ns-2 ---------------------------------------------------------------------------------------


def test_goodput_of_ns2_adds_up_to_the_simulators_own_counters():
    tables = parse("ns2-goodput", GOODPUT)
    interval = tables["interval"]
    assert "rejected" not in fates(tables)
    assert fates(tables)["sample"] == GOODPUT.count(b"\n") - GOODPUT.count(b"#")
    trailer = dict(re.findall(rb"^# flow (\d) payload_bytes (\d+)", GOODPUT, re.MULTILINE))
    assert dict(tables["stream"].select("stream", "flow_id").rows()) == {1: 1, 2: 2}
    for flow, n_bytes in trailer.items():
        mine = interval.filter(pl.col("stream") == int(flow))
        assert mine["bytes"].sum() == int(n_bytes)
        assert mine["t_end_s"].to_list() == [float(i) for i in range(1, 301)]
        assert (mine["t_end_s"] - mine["t_start_s"] == 1).all()
        assert (mine["throughput_bps"] == mine["bytes"] * 8).all()


def test_a_goodput_line_of_ns2_field_by_field():
    tables = parse("ns2-goodput", b"60 2 5 1 0.1\n61.5 2 5971552 412.3 0.118\n# end\n")
    row = {k: v for k, v in tables["interval"].row(1, named=True).items() if v is not None}
    assert row == {
        "file_id": 0,
        "line": 2,
        "stream": 2,
        "t_start_s": 60.0,
        "t_end_s": 61.5,
        "bytes": 5971552,
        "throughput_bps": 5971552 * 8 / 1.5,
        "cwnd_packets": 412.3,
        "rtt_s": 0.118,
    }


def test_a_goodput_log_whose_time_goes_backwards():
    tables = parse("ns2-goodput", b"2 1 5 1 0.1\n1 1 5 1 0.1\n3 1 5 1 0.1\n# end\n")
    assert tables["rejected"].rows() == [(0, 2, "time goes backwards", "1 1 5 1 0.1")]


def test_the_queue_monitor_of_ns2():
    tables = parse("ns2-queue", QUEUE)
    assert fates(tables) == {"sample": 300}
    line = QUEUE.split(b"\n")[-2].split()
    last = tables["queue"].row(-1, named=True)
    assert (last["t_s"], last["line"]) == (300.0, 300)
    assert last["queue_packets"] == float(line[4])
    assert last["dropped_packets"] == int(line[7])
    assert last["arrived_packets"] - last["departed_packets"] - last["dropped_packets"] < 168


def test_the_drops_of_a_trace_of_ns2():
    tables = parse("ns2-trace", DROPS)
    assert fates(tables) == {"sample": DROPS.count(b"\n")}
    words = DROPS.split(b"\n")[0].split()
    first = tables["drop"].row(0, named=True)
    assert first["t_s"] == float(words[1])
    assert (first["flow_id"], first["packet_bytes"], first["sequence"]) == (
        int(words[7]),
        int(words[5]),
        int(words[10]),
    )


def test_other_events_of_a_trace_are_skipped_with_the_reason():
    kept = b"d 1.5 2 3 tcp 1500 ------- 2 1.0 5.0 7 8\n"
    log = kept.replace(b"d", b"r", 1) + kept + kept.replace(b"d", b"+", 1)
    tables = parse("ns2-trace", log)
    assert fates(tables) == {"skipped": 2, "sample": 1}
    reasons = tables["fate"].filter(pl.col("fate") == "skipped")["reason"].to_list()
    assert sorted(reason.split()[0] for reason in reasons) == ["enqueued", "received"]


# ---- detection ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "format_name"),
    [
        (SERVER, "iperf2"),
        (CLIENT, "iperf2"),
        (SERVER.replace(b"\n", b"\r\n"), "iperf2"),
        (GOODPUT, "ns2-goodput"),
        (QUEUE, "ns2-queue"),
        (DROPS, "ns2-trace"),
        (RECORD, "run-record"),
        *((content(path), "iperf2") for path in sorted(IPERF2.glob("*.log"))),
    ],
)
def test_the_format_is_detected(log, format_name):
    assert detect_format(log, "a.log") == format_name


@pytest.mark.parametrize("log", [b"", b"hello\n", b"\x00" * 100, b'{"start": {}}'])
def test_an_unknown_format_is_named_with_those_that_are_known(log):
    with pytest.raises(DataError) as error:
        detect_format(log, "r1/a.log")
    assert str(error.value).startswith("r1/a.log: the format is not recognised")
    assert "say 'format:'" in error.value.remedy
    assert all(name in error.value.remedy for name in FORMATS)


TABLE_OF_11 = b"1.5 3 4 20.0 5.0 7 8 9 10 11 12\n0.5 4 3 25.0 6.0 7 8 9 10 11 12\n"
LOOK_ALIKE = {  # what has one word, key or number of columns in common with a format
    "notebook.ipynb": b'{"metadata": {"kernelspec": {"name": "python3"}}, "cells": []}\n',
    "package.json": b'{"version": "1.2.0", "name": "plots", "results": "out"}\n',
    "version.json": b'{"version": 4, "packages": ["polars"]}\n',
    "results.json": b'{"results": {"passed": 12, "failed": 1}}\n',
    "values.json": b'{"x_values": {"unit": "s"}}\n',
    "error.json": b'{"error": "quota exceeded", "code": 429}\n',
    "intervals.json": b'{"intervals": [1.0, 2.0, 5.0]}\n',
    "event.json": b'{"event": "start", "time": 12}\n',
    "web.log": b"Server listening on 3000\nGET / 200\n",
    "grpc.log": b"Server listening on port 50051\n",
    "fit.txt": TABLE_OF_11,  # neither of one link nor in order
    "order.txt": b"2 0 1 9 3 7 8 9 10 11 12\n1 0 1 9 3 7 8 9 10 11 12\n",
    "links.txt": b"1 0 1 9 3 7 8 9 10 11 12\n2 0 2 9 3 7 8 9 10 11 12\n",
    "bytes.txt": b"1 0 1 3 9 7 8 9 10 11 12\n2 0 1 3 9 7 8 9 10 11 12\n",
}


@pytest.mark.parametrize("name", LOOK_ALIKE)
def test_a_word_or_key_in_common_makes_no_log(name):
    with pytest.raises(DataError, match=r"not recognised|not read"):
        detect_format(LOOK_ALIKE[name], name)


TOLD_APART = {  # the shortest that only the format has
    '{"metadata": {"BATCH_NAME": null': "flent",
    '{"results": {"TCP upload": [null, 1.0': "flent",
    '{"version": 4, "x_values": [0.0': "flent",
    '{"error": "unable to connect to server: Connection refused"}': "iperf3-json",
    '{\n\t"intervals":\t[{\n\t\t"streams":\t[': "iperf3-json",
    '{"event":"interval","data":{"streams"': "iperf3-json",
    "Server listening on 5201\n" + 59 * "-" + "\n": "iperf3",
    "Server listening on 5201 (test #1)\n": "iperf3",
    "Server listening on TCP port 5001 with pid 12\n": "iperf2",
    "Server listening on UDP ports 5001-5003\n": "iperf2",
    "1 0 1 9 3 7 8 9 10 11 12\n2 0 1 0 0 7 8 9 10 11 -12\n2 0 1": "ns2-queue",
}


@pytest.mark.parametrize("log", TOLD_APART)
def test_what_only_a_format_has_tells_it(log):
    assert detect_format(log.encode(), "a.log") == TOLD_APART[log]


def test_host_state_and_run_records_are_accounted_for_and_measure_nothing():
    for name, log, fate in (("host-state", ROUTER, "skipped"), ("run-record", RECORD, "header")):
        tables = parse(name, log)
        assert set(fates(tables)) == {fate}
        assert accounts_for_every_byte(tables, log)
        assert all(tables[table].is_empty() for table in ("interval", "queue", "drop", "rejected"))


ASKED_FOR = """
import sys
import evenflow.ingest.reading
from evenflow.formats import FAMILIES, FORMATS, RUN_RECORD, TWO_COLUMN
FORMATS["iperf2"]
print([n for n in sys.modules if n in ("evenflow.formats.flent", "jsonschema", "scipy")])
print({*FAMILIES, *sum(FAMILIES.values(), ()), RUN_RECORD, TWO_COLUMN} - {*FORMATS})
"""


def test_a_format_is_imported_when_it_is_asked_for():
    """A job reads logs of one or two; a name that another module writes out is one of a format."""
    environment = {**os.environ, "PYTHONPATH": str(WORKFLOW)}
    words = [sys.executable, "-c", ASKED_FOR]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n{'iperf'}\n"


WITHOUT_NUMPY = """
import sys
from evenflow.formats import FORMATS, Log
from evenflow.formats.tables import parse_logs
log = b'{"start":{"connected":[{"socket":5}]},"intervals":[{"streams":[{"socket":5,"start":0,'
log += b'"end":1,"bytes":9,"bits_per_second":72}]}],"end":{}}'
print(len(parse_logs("iperf3-json", [Log(0, log, "a.json")])["interval"]), "numpy" in sys.modules)
"""


def test_json_of_iperf3_is_read_without_numpy():
    """Its import takes a fifth of the time that a hundred megabytes of logs do."""
    environment = {**os.environ, "PYTHONPATH": str(WORKFLOW)}
    words = [sys.executable, "-c", WITHOUT_NUMPY]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_module_has_the_same_shape(name):
    module = FORMATS[name]
    assert name == module.NAME
    assert module.CLOCK in ("flow", "run")
    assert module.__doc__
    tables = parse(name, b"")
    assert set(tables) == set(TABLES)
    assert all(table.is_empty() for table in tables.values())


# ---- what cannot be -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "row", "said"),
    [
        ("state", {"variable": "cwnd_packets", "value": -12.0}, "cwnd_packets is below zero"),
        ("state", {"variable": "rtt_s", "value": -1e-9}, "rtt_s is below zero"),
        ("queue", {"queue_bytes": -1.0}, "queue_bytes is below zero"),
        ("queue", {"dropped_packets": -1}, "dropped_packets is below zero"),
        ("drop", {"packet_bytes": -40}, "packet_bytes is below zero"),
        ("arrival", {"queue_packets": -1}, "queue_packets is below zero"),
    ],
)
def test_windows_queues_and_counts_below_zero_are_rejected_by_themselves(
    monkeypatch, table, row, said
):
    (column,) = row.keys() - {"variable"}
    good = row | {column: abs(row[column])}
    rows = [{"file_id": 0, "line": n, **values} for n, values in ((5, good), (6, row))]
    made = {table: pl.DataFrame(rows, schema_overrides={"file_id": pl.UInt32, "line": pl.UInt32})}
    monkeypatch.setattr(FORMATS["nuttcp"], "parse", lambda logs: made)
    tables = parse_logs("nuttcp", [])
    assert tables[table].select("line", column).rows() == [(5, good[column])]
    assert tables["rejected"].select("line", "reason").rows() == [(6, said)]
