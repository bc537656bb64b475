"""`ss -tin`, polled over real connections (tests/fixtures/formats/ss), against plain readings."""

import re

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.formats import detect_format
from hypothesis import given, settings
from raw_data import ROOT, build_tables, content, make_dataset, parse

FOLDER = ROOT / "tests/fixtures/formats/ss"
LATE = FOLDER / "late.txt"  # polling began 2.4 s after iperf3, whose control connection it shows
POLLS = sorted(path for path in FOLDER.glob("*.txt") if path != LATE)
TIMES = {  # seconds from the first block with the connection, as the lines before the blocks say
    "dated.txt": None,
    "long.txt": [0, 1, 2, 3, 4],
    "one-line.txt": [0, 1, 2, 3, 4],
    "plain.txt": [0, 1.012, 2.024, 3.04],  # lastrcv is 1012, 2024, 3036 and 4052 ms
    "loopback.txt": [0, 1, 2],
}


def named(path):
    return path.name


def printed(path, key: str, ends: str) -> list[float]:
    """Return what `key` says of a connection, read line by line."""
    values, within = [], False
    for line in path.read_text().splitlines():
        within = (within and line.startswith("\t")) or bool(re.search(ends, line))
        found = re.search(key, line)
        if within and found:
            values.append(float(found[1]))
    return values


@pytest.mark.parametrize("path", POLLS, ids=named)
def test_the_senders_values_come_back_with_their_times(path):
    assert detect_format(content(path), path) == "ss"
    tables = assert_accounted("ss", [content(path)], [path])
    assert tables["rejected"].is_empty()
    stream = tables["stream"].row(0, named=True)
    ends = rf"{re.escape(stream['local'])}\s+{re.escape(stream['peer'])}"
    state = tables["state"].filter(pl.col("stream") == 1)
    factors = {"cwnd_packets": (r"\bcwnd:(\d+)", 1), "ssthresh_packets": (r"ssthresh:(\d+)\s", 1)}
    factors |= {"srtt_s": (r"\srtt:([\d.]+)/", 1e3), "rttvar_s": (r"\srtt:[\d.]+/([\d.]+)", 1e3)}
    factors |= {"retransmits": (r"retrans:\d+/(\d+)", 1)}
    for variable, (key, factor) in factors.items():
        key = key if "ssthresh" not in key else r"(?<!rcv_)" + key
        found = state.filter(pl.col("variable") == variable)
        assert (found["value"] * factor).to_list() == pytest.approx(printed(path, key, ends))
    if TIMES[path.name] is not None:
        cwnd = state.filter(pl.col("variable") == "cwnd_packets")
        assert cwnd["t_s"].to_list() == pytest.approx(TIMES[path.name], abs=0.001)


def test_connections_have_their_ends_and_congestion_control():
    rows = parse("ss", content(FOLDER / "dated.txt"))["stream"]
    assert rows.select("local", "peer", "cca", "side", "mss_bytes").rows() == [
        ("10.77.0.1:55830", "10.77.0.2:5001", "cubic", "sender", 1448),
        ("10.77.0.1:55836", "10.77.0.2:5001", "reno", "sender", 1448),
    ]
    assert rows["start_epoch_s"].to_list() == pytest.approx([1795443914.060015] * 2)


def test_the_receiving_end_of_a_connection_is_not_its_window():
    tables = parse("ss", content(FOLDER / "loopback.txt"))
    assert tables["stream"]["local"].to_list() == ["127.0.0.1:54456"]  # not the server's 5002
    reasons = dict(tables["fate"].select("reason", "lines").rows())
    assert reasons["the receiving end of a connection: its window says nothing of the flow"] == 6


def test_flags_before_the_congestion_control_are_none():
    (cca,) = parse("ss", content(FOLDER / "long.txt"))["stream"]["cca"]
    assert cca == "cubic"  # 'ts sack cubic wscale:10,10 rto:204'


@pytest.mark.parametrize(
    ("line", "fraction_s"),
    [
        (b"Time: 1795443914.06", 0.06),
        (b"1795443914060", 0.06),
        (b"1795443914060015", 0.060015),
        (b"1795443914060015175", 0.060015175),
        (b"2026-11-23T15:25:14.060+01:00", 0.06),
        (b"2026-11-23 15:25:14.060 CET", 0.06),
        (b"2026-11-23 14:25:14", 0),
        (b"Mon Nov 23 14:25:14 UTC 2026", 0),
        (b"Mon Nov 23 15:25:14 CET 2026", 0),
        (b"Mon Nov 23 11:25:14 -03 2026", 0),
        (b"Mon 23 Nov 2026 09:25:14 AM EST", 0),
        (b"Mon 23 Nov 2026 15:25:14 CET", 0),
    ],
)
def test_other_dates_before_a_block(line, fraction_s):
    log = content(FOLDER / "dated.txt").replace(b"1795443914.060015175", line, 1)
    tables = assert_accounted("ss", [log])
    start, zone = tables["stream"].select("start_epoch_s", "zone").row(0)
    assert (start, zone) == (pytest.approx(1795443914 + fraction_s, abs=1e-6), None)
    assert tables["rejected"].is_empty()


@pytest.mark.parametrize("zone", ["CST", "IST", "XYZ"])
def test_a_zone_of_which_the_name_is_not_enough_is_named(zone):
    date = f"Mon Nov 23 14:25:14 {zone} 2026".encode()
    log = content(FOLDER / "dated.txt").replace(b"1795443914.060015175", date, 1)
    (row,) = parse("ss", log)["stream"].select("start_epoch_s", "zone").unique().rows()
    assert row == (1795443914.0, zone)  # what the clock on the wall said


def of_day(*clocks: str) -> bytes:
    """Return the first connection of a block at every time of the day."""
    lines = content(FOLDER / "dated.txt").split(b"\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(b"ESTAB"))
    block = b"\n".join(lines[first : first + 2])
    return b"".join(clock.encode() + b"\n" + block + b"\n" for clock in clocks)


TWO_DAYS_S = [0, 39600, 75600, 122400, 131400]


@pytest.mark.parametrize(
    ("clocks", "times_s"),
    [
        (["23:59:58", "23:59:59.5", "00:00:00", "00:00:01"], [0, 1.5, 2, 3]),
        (["12:00:00", "23:00:00", "09:00:00", "22:00:00", "00:30:00"], TWO_DAYS_S),
        (["12:00:00", "12:00:02", "12:00:01"], [0, 2, 1]),  # a clock that was set right
    ],
    ids=["seconds", "hours, and two days", "a step back"],
)
def test_times_of_the_day_go_on_after_midnight(clocks, times_s):
    tables = assert_accounted("ss", [of_day(*clocks)])
    cwnd = tables["state"].filter(variable="cwnd_packets").sort("line")
    assert cwnd["t_s"].to_list() == times_s
    assert tables["stream"].select("start_epoch_s", "zone").rows() == [(None, None)]


def test_without_times_the_ledger_says_what_was_taken():
    fate = parse("ss", content(FOLDER / "plain.txt"))["fate"]
    (reason,) = fate.filter(fate="header")["reason"]
    assert "lastrcv" in reason and "date +%s.%N" in reason


def test_without_times_a_connection_that_received_nothing_tells_them():
    """The kernel prints no `bytes_received` of 0."""
    block = (
        "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 0 10.0.0.1:1 10.0.0.2:2"
        "\n\t bbr rto:204 rtt:0.3/0.1 mss:1448 cwnd:18 bytes_acked:{} lastrcv:{} retrans:0/0\n"
    )
    log = "".join(block.format(1000 * ms, ms) for ms in (212, 420, 624, 832)).encode()
    cwnd = parse("ss", log)["state"].filter(variable="cwnd_packets").sort("line")
    assert cwnd["t_s"].to_list() == pytest.approx([0, 0.208, 0.412, 0.620])


def test_a_cut_line_is_rejected_as_its_last_number_may_lack_digits():
    log = content(FOLDER / "dated.txt")
    log = log[: log.rindex(b"cwnd:") + 6]
    tables = assert_accounted("ss", [log])
    assert tables["rejected"]["line"].to_list() == [log.count(b"\n") + 1]
    assert "ends within this line" in tables["rejected"]["reason"][0]


def test_a_detail_without_its_connection_is_rejected():
    lines = content(FOLDER / "dated.txt").split(b"\n")
    log = b"\n".join(lines[3:])
    assert assert_accounted("ss", [log])["rejected"]["line"].to_list() == [1]


def test_state_joins_the_flows_of_iperf_by_their_addresses(tmp_path):
    logs = {f"run1/{path.name}": path.read_bytes() for path in FOLDER.glob("iperf-client?.log")}
    logs["run1/ss.txt"] = content(FOLDER / "dated.txt")
    yml = 'files: [{path: "run{repeat}/iperf-client{flow}.log"}, {path: "run{repeat}/ss.txt"}]'
    tables = build_tables(make_dataset(tmp_path / "d", logs, yml), tmp_path / "derived")
    state = tables["tcp_state"].filter(pl.col("variable") == "cwnd_packets")
    first = state.group_by("flow_id").agg(pl.first("value")).sort("flow_id").rows()
    assert first == [(1, 51.0), (2, 10.0)]
    assert tables["run"]["tool"].to_list() == ["iperf"]  # what measured, not what watched
    assert tables["flow"].sort("flow_id")["cca"].to_list() == ["cubic", "reno"]


def late_run(tmp_path, log: bytes, omit_s: int = 0) -> pl.DataFrame:
    """Return the windows of the one flow of a run of iperf3 with a log of ss."""
    client = content(FOLDER / "late-iperf3-client.json")
    client = re.sub(rb'"omit":\s*0\b', b'"omit": %d' % omit_s, client, count=1)
    yml = 'files: [{path: "run{repeat}/{side}.json"}, {path: "run{repeat}/ss.txt"}]'
    logs = {"run1/client.json": client, "run1/ss.txt": log}
    tables = build_tables(make_dataset(tmp_path / "d", logs, yml), tmp_path / "derived")
    return tables["tcp_state"].filter(pl.col("variable") == "cwnd_packets").sort("t_s")


def test_a_control_connection_is_not_the_flow(tmp_path):
    cwnd = late_run(tmp_path, content(LATE))
    assert cwnd["value"].to_list() == printed(LATE, r"\bcwnd:(\d+)", r"10\.77\.0\.1:38416\s")


def test_polling_that_began_late_is_moved_to_the_flows_clock(tmp_path):
    # iperf3 3.12 dates its start in whole seconds: 1795446904; the first block is of ...906.700
    assert late_run(tmp_path, content(LATE))["t_s"][0] == pytest.approx(2.700, abs=0.001)


def test_dates_that_cannot_be_of_the_flow_move_nothing(tmp_path):
    other_zone = re.sub(rb"^17954469", b"17954505", content(LATE), flags=re.MULTILINE)  # an hour
    assert late_run(tmp_path, other_zone)["t_s"][0] == 0


@pytest.mark.parametrize(("omit_s", "first_s"), [(2, 0.700), (5, -2.300), (20, -17.300)])
def test_a_flow_begins_after_what_its_test_omitted(omit_s, first_s, tmp_path):
    assert late_run(tmp_path, content(LATE), omit_s)["t_s"][0] == pytest.approx(first_s, abs=0.001)


UNDATED = re.sub(rb"^17954469.*\n", b"", content(LATE), flags=re.MULTILINE)
PROBED = b"".join(
    b" iperf3-1 [001] ..s2. %d.000000: tcp_probe: family=AF_INET src=10.77.0.1:38416 "
    b"dest=10.77.0.2:5201 mark=0x0 data_len=0 snd_nxt=0xf1cc0f0d snd_una=0x%x snd_cwnd=10 "
    b"ssthresh=2147483647 snd_wnd=65160 srtt=35 rcv_wnd=64512\n" % (2442 + i, 4096 * i)
    for i in range(3)
)


@pytest.mark.parametrize("log", [UNDATED, PROBED], ids=["ss", "tcp_probe"])
@pytest.mark.parametrize("omit_s", [0, 5])
def test_without_dates_a_log_begins_with_the_connection(omit_s, log, tmp_path):
    """What is omitted comes before the flow's 0."""
    assert late_run(tmp_path, log, omit_s)["t_s"][0] == -omit_s


@settings(max_examples=12)
@given(texts=broken([content(path) for path in POLLS]))
def test_broken_logs_are_accounted_for(texts):
    parse_broken("ss", texts)
