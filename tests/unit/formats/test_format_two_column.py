"""Files of two columns that dataset.yml declares, and what `format:` and `value:` may say."""

import json

import polars as pl
import pytest
from broken_logs import broken_log
from evenflow.errors import DataError
from evenflow.formats import Log
from evenflow.formats.shapes import count_lines
from evenflow.formats.tables import parse_logs
from evenflow.formats.two_column import CUT, VALUES
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.parse import parse_dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_data import ROOT, build_tables, content, make_dataset

XGRAPH = content(ROOT / "tests/fixtures/formats/ns2-variable/xgraph.tr")  # ns-2: puts "$now $cwnd"
CWND = b"# time cwnd\n0.0 2\n0.1\t4.5\n0.2, 8\n0.3;16\n"


def read(value: str | None, log: bytes) -> dict[str, pl.DataFrame]:
    tables = parse_logs("two-column", [Log(0, log, None, value)])
    fate, rejected = tables["fate"], tables["rejected"]
    assert (fate["lines"].sum(), fate["bytes"].sum()) == (count_lines(log), len(log))
    assert len(rejected) == fate.filter(fate="rejected")["lines"].sum()
    return tables


def spans(tables) -> list[tuple]:
    return tables["interval"].select("line", "t_start_s", "t_end_s", "bytes").rows()


def test_values_of_a_sender_are_its_state():
    tables = read("cwnd_packets", CWND)
    rows = tables["state"].select("line", "t_s", "variable", "value").rows()
    assert rows == [
        (n, t, "cwnd_packets", v)
        for n, t, v in [(2, 0.0, 2.0), (3, 0.1, 4.5), (4, 0.2, 8.0), (5, 0.3, 16.0)]
    ]
    assert tables["stream"]["side"].to_list() == ["sender"]


def test_what_ns2_scripts_write_is_read_with_every_line():
    tables = read("cwnd_packets", XGRAPH)
    printed = [tuple(map(float, line.split())) for line in XGRAPH.splitlines()]
    assert tables["state"].select("t_s", "value").rows() == printed


@pytest.mark.parametrize(
    ("value", "variable", "wanted"),
    [("rtt_ms", "rtt_s", 0.0045), ("srtt_ms", "srtt_s", 0.0045), ("srtt_s", "srtt_s", 4.5)],
)
def test_units_of_a_state_are_seconds(value, variable, wanted):
    state = read(value, CWND)["state"].row(1, named=True)
    assert (state["variable"], state["value"]) == (variable, pytest.approx(wanted))


@pytest.mark.parametrize(
    ("value", "factor"),
    [("throughput_bps", 1), ("throughput_kbps", 1e3), ("throughput_mbps", 1e6)],
)
def test_throughput_is_of_the_interval_that_ends_at_the_time(value, factor):
    tables = read(value, b"time,rate\n1,8\n2,16\n4,24\n")
    length = [1, 1, 2]
    assert spans(tables) == [
        (n, end - long, end, rate * factor * long / 8)
        for n, end, long, rate in zip((2, 3, 4), (1, 2, 4), length, (8, 16, 24), strict=True)
    ]


def test_values_that_begin_at_zero_are_of_the_interval_that_begins_there():
    assert spans(read("bytes", b"0 100\n1 200\n2 300\n")) == [
        (1, 0, 1, 100), (2, 1, 2, 200), (3, 2, 3, 300),
    ]  # fmt: skip


def starts_of(tmp_path, logs: dict[str, bytes], pattern: str) -> dict:
    """Return when the first sample of every flow begins and the last one ends, by run and flow."""
    yml = f'files: [{{path: "{pattern}", format: two-column, value: throughput_mbps}}]'
    tables = build_tables(make_dataset(tmp_path / "d", logs, yml), tmp_path / "derived")
    of_flow = tables["sample"].group_by("run_id", "flow_id")
    extent = of_flow.agg(pl.min("t_start_s"), pl.max("t_end_s"))
    return {(run, flow): extent for run, flow, *extent in extent.rows()}


@pytest.mark.parametrize("pattern", ["run{repeat}/a_{flow}.txt", "run{repeat}/flow{flow}/a.txt"])
@pytest.mark.parametrize("first", [b"", b"0 0\n9 0\n"], ids=["starts later", "zeros first"])
def test_the_flow_that_starts_at_zero_says_what_times_of_the_others_are(pattern, first, tmp_path):
    path = pattern.format(repeat=1, flow="{}")
    logs = {
        path.format(1): b"".join(b"%d 8\n" % t for t in range(40)),
        path.format(2): first + b"".join(b"%d 4\n" % t for t in range(10, 40)),
        path.format(1).replace("run1", "run2"): b"# s Mbps\n" + b"0 0\n1 8\n2 8\n",  # ends
        path.format(2).replace("run1", "run2"): b"10 4\n11 4\n",
    }
    found = starts_of(tmp_path, logs, pattern)
    assert found["run1", 1] == [0, 40]
    assert found["run1", 2] == [0 if first else 10, 40]
    assert (found["run2", 1], found["run2", 2]) == ([0, 2], [9, 11])


def test_a_zero_at_zero_tells_only_where_the_first_interval_begins():
    tables = read("bytes", b"0 0\n1 200\n2 300\n")
    assert spans(tables) == [(2, 0, 1, 200), (3, 1, 2, 300)]
    skipped = tables["fate"].filter(fate="skipped").row(0, named=True)
    assert "nothing says when its interval began" in skipped["reason"]


def test_all_bytes_so_far_become_the_bytes_between():
    assert spans(read("received_bytes", b"0 0\n1 200\n3 500\n")) == [
        (2, 0, 1, 200), (3, 1, 3, 300),
    ]  # fmt: skip
    tables = read("received_bytes", b"0 0\n1 200\n2 100\n3 300\n")
    assert tables["rejected"].select("line", "reason").rows() == [
        (3, "all bytes so far are fewer than before")
    ]


def test_packets_are_added_up_by_the_second_with_the_empty_ones():
    log = b"0.2 1000\n0.9 500\n3.0 100\n3.5 400\n"
    rows = spans(read("packet_bytes", log))
    assert [(a, b, n) for _, a, b, n in rows] == [
        (0, 1, 1500), (1, 2, 0), (2, 3, 0), (3, 3.5, 500),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "value", "reason"),
    [
        ("time,throughput (kbit/s)", "throughput_mbps", "another unit"),
        ("# time Mbps", "throughput_kbps", "another unit"),
        ("time;throughput [MB/s]", "throughput_mbps", "another unit"),
        ("time (s),throughput_bytes_per_second", "throughput_bps", "another unit"),
        ("time\tKiB/s", "throughput_kbps", "another unit"),
        ('"time","rtt (us)"', "rtt_ms", "another unit"),
        ("t rtt_ms", "rtt_s", "another unit"),
        ("time,cwnd (KB)", "cwnd_bytes", "another unit"),
        ("time,cwnd_bytes", "cwnd_packets", "another unit"),
        ("time,Mbit/s", "bytes", "another unit"),
        ("time (ms),throughput (Mbit/s)", "throughput_mbps", "not in seconds"),
        ("time_us,cwnd", "cwnd_packets", "not in seconds"),
        # what agrees, or says no unit
        ("time,throughput (kbit/s)", "throughput_kbps", None),
        ("# time (sec) throughput (Mbits/sec)", "throughput_mbps", None),
        ("time_s,throughput_mbps", "throughput_mbps", None),
        ("seconds bytes", "bytes", None),
        ("time,bytes", "received_bytes", None),
        ("time (s) rtt", "rtt_ms", None),
        ("time [s],srtt [ms]", "srtt_ms", None),
        ("time,cwnd (segments)", "cwnd_packets", None),
        ("time,throughput", "throughput_mbps", None),
        ("# throughput of a 10 Mbit/s link", "throughput_kbps", None),
        ("# run 3", "throughput_kbps", None),
        ("TitleText: kbit/s", "cwnd_packets", "another unit"),
    ],
)
def test_a_header_that_names_another_unit_is_rejected(header, value, reason):
    tables = read(value, f"{header}\n1 8\n2 16\n# 3 kbit/s\n".encode())
    rejected = tables["rejected"]
    if reason is None:
        assert rejected.is_empty() and not tables["stream"].is_empty()
    else:  # the numbers, too: nothing says in which unit they are
        assert rejected["line"].to_list() == [1, 2, 3] and rejected["text"][0] == header
        assert all(reason in why for why in rejected["reason"])
        assert tables["stream"].is_empty()


def test_a_contradicted_unit_is_an_error_with_file_line_and_remedy(tmp_path):
    yml = 'files: [{path: "r{repeat}.csv", format: two-column, value: throughput_mbps}]\n'
    log = b"time,throughput (kbit/s)\n" + b"".join(b"%d,6000\n" % n for n in range(1, 12))
    folder = make_dataset(tmp_path / "two", {"r1.csv": log}, yml)
    with pytest.raises(DataError, match=r"r1.csv.*\b1\b(?s:.*)correct the wrong one"):
        build_tables(folder, tmp_path / "derived")


def test_queues_go_to_their_table():
    rows = read("queue_packets", CWND)["queue"].select("t_s", "queue_packets", "queue_bytes")
    assert rows.rows()[-1] == (0.3, 16.0, None)


@pytest.mark.parametrize(
    ("log", "line", "reason"),
    [
        (b"0 1\n0,5 2\n1 3\n", 2, "decimal commas"),
        (b"0,0 1,5\n0,5 2,5\n", 1, "decimal commas"),
        (b"1;6,5\n2;6,5\n", 1, "decimal commas"),
        (b"1.5 6,5\n2 6\n", 1, "decimal commas"),
        (b"1700000001 6\n1700000002 6\n", 1, "seconds since 1970"),
        (b"0 1\n2 2\n1 3\n", 3, "time goes backwards"),
        (b"0 1\n1 -2\n", 2, "below zero"),
        (b"0 1\n1 2 3\n", 2, "not two numbers"),
        (b"0 1\nKilled\n", 2, "not two numbers"),
        # of files of which no line is a row
        (b"# time old new\n0.1 536 1072\n0.2 1072 1608\n", 2, "keep the columns of the time"),
        (b"1.1s: \t20.3 Mbit/s\n1.2s: \t20.4 Mbit/s\n", 1, "take units and other words away"),
        (b"time rate\n0.2s 9.3 Mbps\n", 2, "take units and other words away"),
        (b"+2e+08ns 9.3\n", 1, "take units and other words away"),
        (b"time;cwnd\nt=1 cwnd=9\n", 2, "take units and other words away"),
    ],
)
def test_what_is_no_row_is_rejected_with_the_reason(log, line, reason):
    found = read("cwnd_packets", log)["rejected"].row(0, named=True)
    assert found["line"] == line and reason in found["reason"]


@pytest.mark.parametrize("log", [b"time;cwnd of flow 1\n", b"# nothing\n\n", b"time,cwnd 10\n"])
def test_a_file_of_headers_alone_is_an_empty_trace(log):
    assert set(read("cwnd_packets", log)["fate"]["fate"]) == {"header"}


def test_a_file_without_a_row_is_an_error_that_names_its_first_line(tmp_path):
    """Beside the log of its flow, it was taken for headers alone."""
    yml = RATES + '  - {path: "run{repeat}/cwnd_{flow}.txt", format: two-column, value: rtt_s}\n'
    logs = {"run1/rate_1.txt": rates(1), "run1/cwnd_1.txt": b"#x\n0.1 536 1072\n0.2 1072 1608\n"}
    with pytest.raises(DataError) as error:
        parse_dataset(make_dataset(tmp_path / "raw", logs, yml))
    assert error.value.path.name == "cwnd_1.txt" and error.value.line == 2
    assert "'0.1 536 1072'" in error.value.problem and "more: keep" in error.value.problem
    assert "'format: ignore'" in error.value.remedy


def test_a_missing_value_is_skipped():
    tables = read("rtt_s", b"0 0.1\n1 nan\n2 0.2\n")
    assert tables["rejected"].is_empty() and len(tables["state"]) == 2


@pytest.mark.parametrize(
    ("log", "value", "cut"),
    [
        (b"11 60.649\n12 6", "throughput_mbps", True),
        (b"11 60.649\n12 60.", "throughput_mbps", True),
        (b"11 60.649\n12 60.6", "throughput_mbps", True),
        (b"11 60.6\n12 60.649\n13 58.1", "throughput_mbps", True),  # of 58.123, or not
        (b"11 6.1e+06\n12 6.2e+0", "throughput_bps", True),
        (b"11 900\n12 1100\n13 100", "received_bytes", True),  # not fewer bytes than before
        (b"12 60.649", "throughput_mbps", True),  # nothing to compare it with
        (b"11 60.649\n12 58.123", "throughput_mbps", False),
        (b"11 9\n12 10", "cwnd_packets", False),
        # not in the value
        (b"11 60.649\n12 6\r", "throughput_mbps", False),
        (b"11,60.649\n12,6,", "throughput_mbps", False),
        (b'"11","60.649"\n"12","6"', "throughput_mbps", False),
        (b"11 60.649\n12 6\n", "throughput_mbps", False),
        (b"11 60.649\n12 6\n# end 2024", "throughput_mbps", False),  # of another line
    ],
)
def test_a_last_value_that_may_be_cut_is_not_used(log, value, cut):
    tables = read(value, log)
    reasons = tables["fate"].filter(fate="skipped")["reason"].to_list()
    assert (CUT in reasons) == cut and tables["rejected"].is_empty()


def test_a_folder_of_declared_files(tmp_path):
    logs = {
        "r1/rate_1.txt": b"".join(b"%d %d\n" % (t, 10 + t % 2) for t in range(1, 41)),
        "r1/rate_2.txt": b"".join(b"%d %d\n" % (t, 5) for t in range(1, 41)),
        "r1/cwnd_1.txt": CWND,
        "r1/queue.txt": b"0 3\n1 4\n",
    }
    yml = """platform: other
files:
  - {path: "r{repeat}/rate_{flow}.txt", format: two-column, value: throughput_mbps}
  - {path: "r{repeat}/cwnd_{flow}.txt", format: two-column, value: cwnd_packets}
  - {path: "r{repeat}/queue.txt", format: two-column, value: queue_packets}
"""
    tables = build_tables(make_dataset(tmp_path / "d", logs, yml), tmp_path / "derived")
    assert tables["sample"].group_by("flow_id").len().sort("flow_id").rows() == [(1, 40), (2, 40)]
    assert tables["sample"].filter(flow_id=2)["throughput_bps"].unique().to_list() == [5e6]
    assert tables["tcp_state"].select("flow_id", "value").rows()[-1] == (1, 16.0)
    assert tables["queue_sample"]["queue_packets"].to_list() == [3, 4]


@settings(max_examples=60)
@given(
    text=broken_log([CWND, XGRAPH[:600], b"1,8\r\n2,16\r\n"]),
    value=st.sampled_from([*VALUES, None]),
)
def test_broken_files_are_accounted_for(text, value):
    interval = read(value, text)["interval"]
    assert (interval["t_end_s"] > interval["t_start_s"]).all()


# ---- what dataset.yml says -----------------------------------------------------------------------

SERVER = content(ROOT / "tests/fixtures/logs/testbed-run/flow1.server.log.gz")
JSON = content(ROOT / "tests/fixtures/formats/iperf3-json/3.22/tcp.server.json")
TEXT = content(ROOT / "tests/fixtures/formats/iperf3/3.22/tcp.server.log")
CSV = content(ROOT / "tests/fixtures/formats/iperf2-csv/2.2.1/bounceback-server.csv")


@pytest.mark.parametrize(
    ("declared", "log", "found"),
    [
        ("iperf3", JSON, "iperf3-json"),
        (
            "iperf3-json",
            content(ROOT / "tests/fixtures/formats/iperf3/3.22/tcp.server.log"),
            "iperf3",
        ),
        ("iperf2", CSV, "iperf2-csv"),
        ("iperf2-csv", SERVER, "iperf2"),
        ("iperf", JSON, "iperf3-json"),
        ("iperf", SERVER, "iperf2"),
    ],
)
def test_formats_of_one_tool_may_be_confused(tmp_path, declared, log, found):
    yml = f'files: [{{path: "r{{repeat}}/a.log", format: {declared}}}]'
    tables = parse_dataset(make_dataset(tmp_path / "d", {"r1/a.log": log}, yml))
    formats = dict(tables["file"].select("path", "format").rows())
    assert formats["r1/a.log"] == found
    assert len(tables["interval"]) > 0


@pytest.mark.parametrize(
    ("declared", "log", "seems"),
    [
        ("iperf2", JSON, "iperf3-json"),
        ("ns2-trace", SERVER, "iperf2"),
        ("iperf3", b"\xd4\xc3\xb2\xa1\x02\0", "a packet capture (pcap)"),
        ("iperf", b"#!/bin/sh\n", "a program"),
    ],
)
def test_a_wrong_format_names_its_line_and_what_the_file_seems_to_be(
    tmp_path, declared, log, seems
):
    yml = f'title: t\nfiles:\n  - path: "r{{repeat}}/a.log"\n    format: {declared}\n'
    folder = make_dataset(tmp_path / "d", {"r1/a.log": log}, yml)
    with pytest.raises(DataError) as error:
        parse_dataset(folder)
    assert str(error.value).startswith(f"{folder / 'dataset.yml'}:4: 'format: {declared}'")
    assert f"which seems to be {seems}" in error.value.problem
    assert "restore the log" not in error.value.remedy


def test_a_declared_format_as_which_no_line_can_be_read_is_what_is_wrong(tmp_path):
    yml = 'files:\n  - {path: "r{repeat}/a.log", format: iperf2}\n'
    folder = make_dataset(tmp_path / "d", {"r1/a.log": b"hello\nworld\n"}, yml)
    with pytest.raises(DataError) as error:
        parse_dataset(folder)
    assert str(error.value).startswith(f"{folder / 'dataset.yml'}:2: 'format: iperf2' for r1/a.log")
    assert "line 1" in error.value.problem and "restore" not in error.value.remedy


@pytest.mark.parametrize(
    ("pattern", "line", "words"),
    [
        ("{path: a.txt, format: two-column}", 2, "add 'value:' with one of cwnd_packets"),
        ("{path: a.txt, format: iperf2, value: bytes}", 2, "add 'format: two-column'"),
        ("{path: a.txt, value: bytes}", 2, "add 'format: two-column'"),
        ("{path: a.txt, format: two-columns, value: bytes}", 2, "two-column"),
        ("{path: a.txt, format: two-column, value: cwnd}", 2, "cwnd_packets"),
    ],
)
def test_a_value_belongs_to_two_column_files(tmp_path, pattern, line, words):
    folder = make_dataset(tmp_path / "d", {"a.txt": CWND}, f"files:\n  - {pattern}\n")
    with pytest.raises(DataError) as error:
        read_dataset(folder)
    assert f"dataset.yml:{line}:" in str(error.value) and words in str(error.value)


def test_the_schema_lists_the_values_of_the_format():
    schema = json.loads((ROOT / "workflow/schemas/dataset.schema.json").read_text())
    properties = schema["properties"]["files"]["items"]["properties"]
    assert properties["value"]["enum"] == list(VALUES)


RATES = """files:
  - {path: "run{repeat}/rate_{flow}.txt", format: two-column, value: throughput_mbps}
"""


def rates(step_s: float, rate: str = "6") -> bytes:
    return "".join(f"{n * step_s:g} {rate}\n" for n in range(1, 31)).encode()


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (b"1700000001 6\n1700000002 6\n", "a time after 1,000,000 s"),
        (rates(1, rate="6,5"), "decimal commas: replace them by points: '1 6,5'"),
    ],
)
def test_a_log_that_gives_nothing_of_its_flow_is_named_with_its_line_and_why(log, why, tmp_path):
    logs = {"run1/rate_1.txt": log, "run1/rate_2.txt": rates(1)}
    folder = make_dataset(tmp_path / "raw", logs, RATES)
    with pytest.raises(DataError) as error:
        parse_dataset(folder)
    assert str(error.value).startswith(f"{folder}/run1/rate_1.txt:1: the log of flow 1, rate_1.txt")
    assert why in error.value.problem
    # where broken runs are left out, the reason names it too
    logs |= {f"run2/rate_{flow}.txt": rates(1) for flow in (1, 2)}
    folder = make_dataset(tmp_path / "left", logs, RATES + "on_error: quarantine\n")
    (problem,) = parse_dataset(folder)["file"]["problem"].drop_nulls().unique()
    assert "the log of flow 1, rate_1.txt, gives nothing of it: " in problem and why in problem


@pytest.mark.parametrize(
    ("times", "asked"),
    [({"step_s": 1}, 0), ({"step_s": 60}, 0), ({"step_s": 100}, 1), ({"step_s": 1000}, 1)],
)
def test_times_that_are_rather_milliseconds_are_asked(times, asked, tmp_path):
    folder = make_dataset(tmp_path / "raw", {"run1/rate_1.txt": rates(**times)}, RATES)
    rows = parse_dataset(folder)["assumption"].filter(what="time").rows(named=True)
    assert len(rows) == asked
    for row in rows:
        assert "if its times are milliseconds" in row["because"]
        folder = make_dataset(
            tmp_path / "again", {"run1/rate_1.txt": rates(**times)}, RATES + row["yaml"]
        )
        assert parse_dataset(folder)["assumption"].filter(what="time").is_empty()


def test_a_file_of_headers_alone_is_no_mistake_whatever_numbers_they_have():
    """xgraph's, of a flow that never sent."""
    tables = read("cwnd_packets", b"TitleText: cwnd\nXUnitText: time (s)\nYUnitText: flow 2\n")
    assert tables["rejected"].is_empty() and tables["state"].is_empty()
