"""iperf 2's comma-separated values against what eight of its versions printed.

expected.csv beside the logs is a plain reading of them (expected.py there), which shares nothing
with the parser and takes the side of each report from the command, not from the log.
"""

from functools import cache

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from hypothesis import given, settings
from polars.testing import assert_frame_equal
from raw_data import ROOT

LOGS = ROOT / "tests/fixtures/formats/iperf2-csv"
NAMES = sorted(path.relative_to(LOGS).as_posix() for path in LOGS.glob("*/*.csv"))
CONTENTS = [(LOGS / name).read_bytes() for name in NAMES]
GROUPS = 8  # that logs are read in, beside all at once
EXPECTED = pl.read_csv(LOGS / "expected.csv")
NO_ROW = [
    name for name in NAMES if name.endswith(("refused-client.csv", "2.0.10/reverse-client.csv"))
]
OLD = ("2.0.5", "2.0.10", "2.0.13", "2.0.14a")  # whose plain TCP logs say which end they are of


def read(name):
    tables = assert_accounted("iperf2-csv", [(LOGS / name).read_bytes()])
    assert tables["rejected"].is_empty()
    return tables


@cache
def read_together():
    """Parse all logs at once: of each, by name, its tables."""
    tables = assert_accounted("iperf2-csv", CONTENTS)
    assert tables["rejected"].is_empty()
    return {
        name: {key: table.filter(file_id=i) for key, table in tables.items()}
        for i, name in enumerate(NAMES)
    }


def rows_of(tables, name):
    return tables[name].join(
        tables["stream"].select("file_id", "stream", "local", "peer", stream_side="side"),
        on=["file_id", "stream"],
    )


def test_every_row_is_what_a_plain_reading_finds(subtests):
    for name, tables in read_together().items():
        with subtests.test(log=name):
            assert_rows_are_the_expected(name, tables)


def assert_rows_are_the_expected(name, tables):
    expected = EXPECTED.filter(log=name)
    for kind, table in (("interval", "interval"), ("whole", "summary")):
        found = rows_of(tables, table).sort("line")
        wanted = expected.filter(kind=kind)
        assert found["line"].to_list() == wanted["line"].to_list()
        assert found["bytes"].to_list() == wanted["bytes"].to_list()
        assert found["throughput_bps"].to_list() == wanted["rate"].to_list()
        for column in ("t_start_s", "t_end_s"):
            assert found[column].to_list() == wanted[column].to_list()
        pairs = set(zip(found["stream"], wanted["test"], strict=True))
        assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        for row, sender in zip(found.rows(named=True), wanted["sender"], strict=True):
            receives = row["stream_side"] == "receiver"
            assert (row["peer"] if receives else row["local"]) == sender
    fate = tables["fate"].filter(reason="an interval shorter than the log's resolution")
    assert fate["lines"].sum() == len(expected.filter(kind="short"))


def test_a_side_is_right_or_null(subtests):
    for name, tables in read_together().items():
        with subtests.test(log=name):
            assert_sides_are_right_or_null(name, tables)


def assert_sides_are_right_or_null(name, tables):
    expected = EXPECTED.filter(log=name)
    found = rows_of(tables, "interval").sort("line")
    wanted = expected.filter(kind="interval")["counts"]
    assert all(
        mine in (None, side) for mine, side in zip(found["stream_side"], wanted, strict=True)
    )
    version = name.split("/")[0]
    enhanced = "enhanced" in name and version in ("2.1.9", "2.2.1")
    if version in OLD or "udp" in name or "full-duplex" in name or enhanced:
        assert found["stream_side"].null_count() == 0
    finals = tables["summary"].sort("line")
    of_whole = expected.filter(kind="whole")["counts"]
    assert all(mine in (None, side) for mine, side in zip(finals["side"], of_whole, strict=True))


def test_the_format_is_detected():
    logs = {name: (LOGS / name).read_bytes() for name in NAMES if name not in NO_ROW}
    found = {name: detect_format(log, name) for name, log in logs.items()}
    assert found == dict.fromkeys(logs, "iperf2-csv")


def test_a_log_is_read_alike_beside_any_others():
    for first in range(GROUPS):
        apart = range(first, len(NAMES), GROUPS)
        alone = assert_accounted("iperf2-csv", [CONTENTS[i] for i in apart])
        ids = pl.Series(apart, dtype=pl.UInt32)
        for table in ("stream", "interval", "summary", "fate"):
            together = pl.concat(read_together()[NAMES[i]][table] for i in apart)
            mine = alone[table].with_columns(file_id=ids.gather(alone[table]["file_id"]))
            assert_frame_equal(together, mine, check_row_order=False)


@pytest.mark.parametrize(
    ("name", "episodes", "starts"),
    [
        ("2.0.5/sequence-server.csv", [1, 2], [0, 0]),
        ("2.2.1/sequence-enhanced-server.csv", [1, 2], [0, 0]),
        ("2.0.5/tradeoff-server.csv", [1, 2], [0, 0]),
        ("2.0.5/dualtest-server.csv", [1, 1], [0, 0]),
        ("2.0.5/overlap-server.csv", [1, 1], [0, 0]),  # whose clock began with the first flow's
        ("2.1.8/overlap-server.csv", [1, 1], [0, 2]),
        ("2.2.1/overlap-server.csv", [1, 1], [0, 2]),
        ("2.2.1/parallel-server.csv", [1, 1, 1], [0, 0, 0]),
    ],
)
def test_tests_and_starts_come_from_the_time_stamps(name, episodes, starts):
    stream = read(name)["stream"].sort("stream")
    assert stream["episode"].to_list() == episodes
    assert stream["start_s"].to_list() == pytest.approx(starts, abs=0.01)


def test_the_same_connection_again_is_another_stream():
    log = (LOGS / "2.0.5/tcp-client.csv").read_bytes()
    killed = (LOGS / "2.0.5/killed-client-client.csv").read_bytes()
    again = assert_accounted("iperf2-csv", [log + log])["stream"]
    assert again["complete"].to_list() == [True, True]
    assert assert_accounted("iperf2-csv", [killed + killed])["stream"]["complete"].to_list() == [
        False,
        False,
    ]


def test_both_ends_of_a_connection_name_it_alike():
    for version in ("2.0.5", "2.0.13", "2.0.14a", "2.2.1"):
        client, server = (
            read(f"{version}/parallel-{end}.csv")["stream"] for end in ("client", "server")
        )
        ends = {row["local"]: row["peer"] for row in client.rows(named=True)}
        swapped = ["peer", "local"] if server["side"][0] == "receiver" else ["local", "peer"]
        assert dict(server.select(swapped).rows()) == ends and len(ends) == 3


def test_the_window_and_round_trip_time_of_enhanced_reports():
    for version in ("2.1.9", "2.2.1"):
        first = read(f"{version}/enhanced-client.csv")["interval"].row(0, named=True)
        line = (LOGS / f"{version}/enhanced-client.csv").read_text().splitlines()[first["line"] - 1]
        fields = line.split(",")
        assert first["retransmits"] == int(fields[-5 if version == "2.2.1" else -4])
        assert first["cwnd_bytes"] == 1024 * int(fields[-4 if version == "2.2.1" else -3])
        assert first["rtt_s"] == pytest.approx(int(fields[-2]) / 1e6)


def test_losses_of_udp():
    interval = read("2.0.5/udp-loss-server.csv")["interval"]
    assert interval["packets"].to_list() == [2448, 2551]
    assert interval["lost_packets"].to_list() == [786, 897]
    assert interval["jitter_s"].to_list() == pytest.approx([0.000225, 0.000251])
    other = read("2.0.5/udp-loss-client.csv")["summary"]
    assert other["side"].to_list() == ["sender", "receiver"]
    assert other["bytes"].to_list() == [7501410, 4973010]


def test_what_iperf_does_not_know_is_null():
    base = b"+0000:20250605191028.955,10.2.2.64,43380,10.9.3.154,6789,1,0.0-1.0,7817396288,-1"
    tables = assert_accounted("iperf2-csv", [base + b",-1,-1,-1,-1,0,0\n", base + b"\n"])
    for row in tables["summary"].rows(named=True):
        assert row["throughput_bps"] == 7817396288 * 8 and row["retransmits"] is None
    log = (
        (LOGS / "2.1.9/enhanced-client.csv").read_bytes().replace(b",1226,25,", b",4294967295,-1,")
    )
    first = assert_accounted("iperf2-csv", [log])["interval"].row(0, named=True)
    assert (first["retransmits"], first["cwnd_bytes"]) == (None, None)


@pytest.mark.parametrize(
    "end", [lambda c: c.replace(b"\n", b"\r\n"), lambda c: c.rstrip(b"\n"), lambda c: c + b"\n\n"]
)
def test_line_ends_do_not_matter(end):
    others = assert_accounted("iperf2-csv", [end(content) for content in CONTENTS])
    for i, (name, plain) in enumerate(read_together().items()):
        for table in ("stream", "interval", "summary"):
            assert others[table].filter(file_id=i).equals(plain[table]), name


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"20261320223528,10.0.0.1,5001,10.0.0.2,33028,4,1.0-2.0,1,8", "an impossible time stamp"),
        (b"20261120223529,10.0.0.1,5001,10.0.0.2,33028,4,2.0-1.0,1,8", "the interval ends before"),
        (
            b"20261120223529,10.0.0.1,5001,10.0.0.2,33028,4,1e9990-3.0,1,8",
            "the interval ends before",
        ),
        (
            b"20261120223529,10.0.0.1,1e9990,10.0.0.2,33028,4,1.0-2.0,1,8",
            "an impossible time stamp",
        ),
        (
            b"20261120223529,10.0.0.1,5001,10.0.0.2,33028,1e3,1.0-2.0,1,8",
            "an impossible time stamp",
        ),
        (b"20261120223529,10.0.0.1,5001,10.0.0.2,33028,4,1.0-2.0", "not a line of iperf's comma"),
    ],
)
def test_lines_that_cannot_be_right_are_named(line, reason):
    log = (LOGS / "2.0.5/tcp-server.csv").read_bytes()
    tables = assert_accounted("iperf2-csv", [log + line + b"\n"])
    assert tables["rejected"]["line"].to_list() == [5]
    assert tables["rejected"]["reason"][0].startswith(reason)
    assert tables["interval"].height == 3


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(broken(CONTENTS))
def test_any_broken_log_is_accounted_for(texts):
    parse_broken("iperf2-csv", texts)
