"""What the header of a file of two columns says, against what dataset.yml declares."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.formats import Log
from evenflow.formats.column_headers import contradiction
from evenflow.formats.tables import parse_logs
from evenflow.formats.two_column import VALUES
from hypothesis import given
from hypothesis import strategies as st
from raw_data import build_tables, make_dataset


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("time,bits", "bytes"),
        ("time (s),transfer (bits)", "bytes"),
        ("time,received_bits", "received_bytes"),
        ("time,KB", "bytes"),
        ("time,kB", "received_bytes"),
        ("time MB", "bytes"),
        ("time,data (kbit)", "bytes"),
        ("time (s),transferred [Mbit]", "received_bytes"),
        ("time,thr_kbit", "throughput_mbps"),
        ("time,throughput_kb", "throughput_mbps"),
        ("time,Gb", "bytes"),
        ("time,Mb", "bytes"),
        ("time,goodput_mib", "bytes"),
        ("time,kibibytes", "bytes"),
        ("time,megabytes", "received_bytes"),
        ("time,MiB", "bytes"),
        ("time,KiB", "queue_bytes"),
        ("time,1000 bytes", "bytes"),
        ("time,data (1000 bytes)", "bytes"),
        ("time,bytes (x1000)", "bytes"),
        ("time,bytes/1000", "bytes"),
        ("time,bytes (thousands)", "bytes"),
        ("time,million bytes", "received_bytes"),
        ("time,rate (10^6 bit/s)", "throughput_kbps"),
        ("time,rate (10^3 bit/s)", "throughput_mbps"),
        ("time,transfer (Mbit)", "throughput_mbps"),
        ("time,kpkts", "cwnd_packets"),
        ("time,throughput (pps)", "throughput_mbps"),
        ("time,packets/s", "throughput_mbps"),
        ("time,packets", "packet_bytes"),
        ("time,cwnd (MSS)", "cwnd_bytes"),
        ("time,cwnd_seg", "cwnd_bytes"),
        ("time,flow1_kbps", "throughput_mbps"),
        ("time,flow_1_kbps", "throughput_mbps"),
        ("time flow 1 kbps", "throughput_mbps"),
        ("time,cubic1_kbps", "throughput_mbps"),
        ("t,bbr2 kbit", "throughput_mbps"),
        ("time,throughputKbps", "throughput_mbps"),
        ("time,rxKBytes", "bytes"),
        ("time,rx_kbytes", "received_bytes"),
        ("time,data (KB)", "bytes"),
        ("time,Kbps", "throughput_mbps"),
        ("time,MB/s", "throughput_mbps"),
        ("time,MiB/s", "throughput_mbps"),
        ("time,Gbps", "throughput_mbps"),
        ("time,rtt_us", "rtt_ms"),
        ("sec,cwnd (segments)", "cwnd_bytes"),
        ("time,goodput [MB]", "throughput_mbps"),
        ("time,Mbit/min", "throughput_mbps"),
        ("time,bytes/ms", "bytes"),
        ("time,bytes_per_sec", "bytes"),
        ("time,rtt/us", "rtt_ms"),
        ("time,srtt(s)", "srtt_ms"),
        ("time,throughput Mbit", "throughput_kbps"),
        ("time,bits", "throughput_mbps"),
        ("time,octets", "throughput_mbps"),
        ("time,queue_bits", "queue_bytes"),
        ("Zeit;Durchsatz (Kbit/s)", "throughput_mbps"),
        ("time,Throughput in Kbps", "throughput_mbps"),
        ("# time kbit", "throughput_mbps"),
        ("time,Gbit", "throughput_mbps"),
        ("time,megabit per second", "throughput_kbps"),
        ("time,kbit/sec", "throughput_mbps"),
        ("time,cwnd (kB)", "cwnd_bytes"),
        ("time,throughput_MBps", "throughput_mbps"),
        ("# throughput of flow 1 in kbit/s, second run", "throughput_mbps"),
        ("time,B/s", "throughput_bps"),
        ("time,cum_kbytes", "bytes"),
    ],
)
def test_another_unit_is_a_contradiction(header, value):
    assert "another unit" in str(contradiction(header, value))


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("MegaBits/s", "throughput_mbps"),
        ("KiloBits/s", "throughput_kbps"),
        ("KiloBits per second", "throughput_kbps"),
        ("MegaBitsPerSecond", "throughput_mbps"),
        ("Mega Bits/s", "throughput_mbps"),
        ("mega-bits/s", "throughput_mbps"),
        ("Megabits-per-second", "throughput_mbps"),
        ("Mega bps", "throughput_mbps"),
        ("M Bit/s", "throughput_mbps"),
        ("k bit/s", "throughput_kbps"),
        ("MilliSeconds", "rtt_ms"),
        ("milli-seconds", "rtt_ms"),
        ("milli secs", "srtt_ms"),
    ],
)
def test_a_prefix_counts_however_it_is_parted_from_its_unit(unit, value):
    other = "throughput_bps" if value.startswith("throughput") else f"{value[:-3]}_s"
    for header in (f"time (s),value ({unit})", f"time (s);value_{unit}", f"# time value ({unit})"):
        assert contradiction(header, value) is None
        assert f"'value: {value}' would be right" in str(contradiction(header, other))


@pytest.mark.parametrize(
    "prefix", ["Kilo", "Mega", "Giga", "Tera", "kilo-", "Mega ", "Mebi", "Ki "]
)
def test_no_prefix_is_overlooked(prefix):
    for header in (f"time,cwnd ({prefix}Bytes)", f"time,cwnd_{prefix}Bytes"):
        assert "another unit" in str(contradiction(header, "cwnd_bytes"))


@pytest.mark.parametrize("unit", ["KiloPackets", "Mega packets", "kilo-segments", "kpkts"])
def test_thousands_of_packets_are_no_packets(unit):
    assert "another unit" in str(contradiction(f"time,queue ({unit})", "queue_packets"))


@pytest.mark.parametrize("value", ["bytes", "throughput_mbps", "cwnd_packets", "rtt_ms"])
@pytest.mark.parametrize(
    "clock",
    [
        "time (MilliSeconds)",
        "time (MicroSeconds)",
        "timeMilliSecs",
        "milli-seconds",
        "minute",
        "min",
        "minutes",
        "mins",
        "ms",
        "millis",
        "us",
        "usec",
        "hours",
        "ns",
        "msec",
        "milliseconds",
        "microseconds",
        "µs",
        "time (min)",
        "time_min",
        "t_min",
        "time (h)",
        "time_h",
        "ms_since_start",
        "ms since start",
        "sim_time_ms",
        "timestamp_ms",
        "timeMs",
        "time in ms",
        "interval_ms",
        "offset_ms",
        "time/ms",
        "t(ms)",
        "days",
        "elapsed minutes",
        "hrs",
        "TIME_MS",
        "rel_ms",
    ],
)
def test_a_first_column_in_another_unit_than_seconds_is_a_contradiction(clock, value):
    assert "not in seconds" in str(contradiction(f"{clock},value", value))


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("# ms bytes", "bytes"),
        ("min Mbps", "throughput_mbps"),
        ("# us cwnd", "cwnd_packets"),
        ("# time in ms", "rtt_ms"),
        ("time_ms cwnd of flow 1", "cwnd_packets"),
        ("time [msec] rate [Mbps]", "throughput_mbps"),
        ("ms\tthroughput", "throughput_mbps"),
        ("# times are in milliseconds, bytes in KB", "bytes"),
        ("ms;rtt", "rtt_ms"),
        ("XUnitText: ms", "rtt_ms"),
        ('"ms","rtt"', "rtt_ms"),
    ],
)
def test_times_that_are_not_in_seconds_are_found_in_every_form_of_header(header, value):
    assert "not in seconds" in str(contradiction(header, value))


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("time,total_bytes", "bytes"),
        ("time,cum_bytes", "bytes"),
        ("time,cumulative bytes", "bytes"),
        ("time,total bytes received", "packet_bytes"),
        ("time,total_bytes", "packet_bytes"),
        ("time,cumulative", "bytes"),
        ("time,bytes so far", "bytes"),
        ("time,totalBytes", "bytes"),
        ("time,bytes_total", "bytes"),
        ("time,cumulated data", "bytes"),
        ("time,total", "bytes"),
        ("time,total_received_bytes", "bytes"),
        ("time,cumBytes", "bytes"),
        ("time,running total", "bytes"),
        ("time,accumulated bytes", "bytes"),
        ("# time total_rx", "bytes"),
        ("time,total (bytes)", "bytes"),
        ("time,bytes_cumulative", "bytes"),
    ],
)
def test_bytes_so_far_are_not_those_of_an_interval(header, value):
    assert "'value: received_bytes' would be right" in str(contradiction(header, value))


@pytest.mark.parametrize(
    "header",
    [
        "time,cumulative throughput (Mbit/s)",
        "time (s),cum_throughput",
        "# time cumulative_throughput_mbps",
        "time;cumulative average (Mbit/s)",
        "time,throughput_cum",
        "time,avg_so_far",
    ],
)
def test_throughputs_since_the_start_are_none_of_intervals(header):
    assert "means since the start" in str(contradiction(header, "throughput_mbps"))
    assert contradiction("time since start,throughput (Mbit/s)", "throughput_mbps") is None
    assert contradiction("time,average throughput (Mbit/s)", "throughput_mbps") is None
    assert contradiction("time,throughput (10 s running average)", "throughput_mbps") is None
    assert contradiction("time,throughput with cumulative ack", "throughput_mbps") is None


@pytest.mark.parametrize(
    "header", ["time,interval_bytes", "time,bytes per interval", "time,delta_bytes"]
)
def test_bytes_of_an_interval_are_not_those_so_far(header):
    assert "'value: bytes' would be right" in str(contradiction(header, "received_bytes"))


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("time,bytes", "bytes"),
        ("time,received_bytes", "received_bytes"),
        ("time,received_bytes", "bytes"),
        ("time,bytes", "received_bytes"),
        ("time,total_bytes", "received_bytes"),
        ("time,cum_bytes", "received_bytes"),
        ("time,mbps", "throughput_mbps"),
        ("time,Mbit/s", "throughput_mbps"),
        ("time,throughput_mbps", "throughput_mbps"),
        ("time (s),rate", "throughput_mbps"),
        ("seconds,bytes", "bytes"),
        ("time,srtt_ms", "srtt_ms"),
        ("time,value", "bytes"),
        ("x,y", "bytes"),
        ("a,b", "bytes"),
        ("time,flow1", "bytes"),
        ("interval,throughput", "throughput_mbps"),
        ("time,min_rtt", "rtt_ms"),
        ("time,min_rtt_ms", "rtt_ms"),
        ("time,rtt_min", "rtt_ms"),
        ("time,rtt (min)", "rtt_ms"),
        ("time,total_throughput_mbps", "throughput_mbps"),
        ("time,throughput (Mbit)", "throughput_mbps"),
        ("time,throughput_mb", "throughput_mbps"),
        ("time,thr Mb", "throughput_mbps"),
        ("time,Mbit", "throughput_mbps"),
        ("time,Rate [Mbit per second]", "throughput_mbps"),
        ("time,rate (10^6 bit/s)", "throughput_mbps"),
        ("time,throughput Mbps,", "throughput_mbps"),
        ("time,bits", "throughput_bps"),
        ("time,throughput (bits)", "throughput_bps"),
        ("time,total bytes per interval", "bytes"),
        ("time,bytes per minute", "bytes"),
        ("time,bytes (100 ms bins)", "bytes"),
        ("# min rtt 20 ms", "rtt_ms"),
        ("# min rtt", "rtt_ms"),
        ("# ns-2 cwnd", "cwnd_packets"),
        ("# ns simulation", "cwnd_packets"),
        ("# cwnd of ns-2", "cwnd_packets"),
        ("# ns-3 simulation, cwnd", "cwnd_packets"),
        ("# rtt in ms, run 3", "rtt_ms"),
        ("rtt,x", "rtt_ms"),
        ("# round-trip time in ms", "rtt_ms"),
        ("# round-trip time in ms, run 3", "rtt_ms"),
        ("# a 10 Mbit/s link", "throughput_kbps"),
        ("# run1, bw_10_mbit", "throughput_kbps"),
        ("# flow 1, rate10_mbit", "throughput_kbps"),
        ("# bytes, mean of 2.5 ms", "bytes"),
        ("# throughput of a 10 Mbit/s link, 64 KB buffer", "throughput_kbps"),
        ("# link of 1000 Mbit/s (1000 Mbit/s)", "throughput_mbps"),
        ("# buffer 100 KB, cwnd in packets", "cwnd_packets"),
        ("time,ip.total_length", "packet_bytes"),
        ("time,frame.len", "packet_bytes"),
        ("time,tcp.len", "packet_bytes"),
        ("frame.time_relative\ttcp.len", "packet_bytes"),
        ("time,bytes per packet", "packet_bytes"),
        ("time,packet size", "packet_bytes"),
        ("time,packet_bytes", "packet_bytes"),
        ("time,cwnd (MSS)", "cwnd_packets"),
        ("time,cwnd_pkts", "cwnd_packets"),
        ("time,queue (packets)", "queue_packets"),
        ("time (s) cwnd (segments)", "cwnd_packets"),
        ("time,cwnd [bytes]", "cwnd_bytes"),
        ("time,data_b", "bytes"),
        ("time,rate_b", "throughput_mbps"),
        ("time,cubic_bytes", "bytes"),
        ("time,bbr", "throughput_mbps"),
        ("time,combined_mbps", "throughput_mbps"),
        ("time,cumulus", "bytes"),
        ("# run 3", "bytes"),
        ("# run of 20 minutes", "bytes"),
        ("# total of 3 flows", "bytes"),
        ("# flow 1, total run of 60 s", "bytes"),
        ("time,subtotal_bytes", "bytes"),
        ("time,data (b)", "bytes"),
        ("time (s),rx (B)", "bytes"),
        ("time,aggregate throughput (Mbit/s)", "throughput_mbps"),
        ("# units: s, bytes", "bytes"),
        ("sec,Mbps", "throughput_mbps"),
        ("time (sec),rtt (msec)", "rtt_ms"),
        ("timestamp,kilobits per second", "throughput_kbps"),
        ("time,throughput (kb)", "throughput_kbps"),
        ("TIME,THROUGHPUT_KBIT", "throughput_kbps"),
        ("# flow 1 of 2, bytes", "bytes"),
        ("# rtt20_ms run, bytes", "bytes"),
        ("# packets of 1000 bytes, cwnd", "cwnd_packets"),
        ("# 1000 byte packets, cwnd in packets", "cwnd_packets"),
        ("# 1e6 bytes buffer, cwnd", "cwnd_packets"),
        ("# buffer of 1e6 bytes, cwnd", "cwnd_packets"),
        ("time,throughput over 10 ms", "throughput_mbps"),
        ("# us and eu hosts", "rtt_ms"),
        ("time,rate in 1e6 bit/s", "throughput_mbps"),
        ("time,receive rate (Mbit)", "throughput_mbps"),
        ("time,datarate_mbit", "throughput_mbps"),
        ("time,data rate (Mbit)", "throughput_mbps"),
        ("time,seconds", "rtt_s"),
        ("time_s,rtt_s,", "rtt_s"),
        ("t,x", "bytes"),
        ("#t cwnd", "cwnd_packets"),
        ("# 10 Mbit/s link", "throughput_kbps"),
        ("# 1000 bytes a packet", "cwnd_packets"),
        ("XUnitText: sec", "rtt_ms"),
        ("YUnitText: ms", "rtt_ms"),
        ("# exported from MATLAB", "bytes"),
        ("TitleText: cwnd", "cwnd_packets"),
        ("#", "bytes"),
        ("# 3", "bytes"),
        ("time,", "bytes"),
    ],
)
def test_a_header_that_agrees_or_says_nothing_is_not_a_contradiction(header, value):
    assert contradiction(header, value) is None


@pytest.mark.parametrize(
    ("header", "value", "remedy"),
    [
        ("time,bits", "bytes", "convert the numbers to bytes (divide them by 8)"),
        ("time,kbps", "throughput_mbps", "('value: throughput_kbps' would be right"),
        ("time,thr_kbit", "throughput_mbps", "('value: throughput_kbps' would be right"),
        ("time,kbps", "throughput_mbps", "convert the numbers to Mbit/s (divide them by 1000)"),
        ("time,MB/s", "throughput_mbps", "(multiply them by 8)"),
        ("time,Gbps", "throughput_mbps", "(multiply them by 1000)"),
        ("time,bytes", "throughput_mbps", "'value: bytes' or 'value: received_bytes' would be"),
        ("time,Mbit/s", "bytes", "'value: throughput_mbps' would be right"),
        ("time,cwnd_bytes", "cwnd_packets", "'value: cwnd_bytes' would be right"),
        ("time,queue (packets)", "queue_bytes", "'value: queue_packets' would be right"),
        ("time,rtt (s)", "rtt_ms", "convert the numbers to milliseconds (multiply them by 1000)"),
        ("ms,bytes", "bytes", "convert them (divide them by 1000)"),
        ("min,bytes", "bytes", "convert them (multiply them by 60)"),
    ],
)
def test_a_contradiction_says_what_would_be_right(header, value, remedy):
    assert remedy in str(contradiction(header, value))


def test_a_kilobyte_has_no_known_number_of_bytes():
    problem = str(contradiction("time,KB", "bytes"))
    assert problem.endswith("or convert the numbers to bytes")


PIECES = ["time", "rtt", "ms", "KB", "10^6", "1000", "bit", "/s", *" ,;#([])_x1\t", "total"]


@given(header=st.lists(st.sampled_from(PIECES), max_size=12), value=st.sampled_from(VALUES))
def test_any_header_is_looked_at_without_an_error(header, value):
    problem = contradiction("".join(header), value)
    assert problem is None or "value: " in problem or "not in seconds" in problem


HEADER = b"time,total_bytes\n"


@pytest.mark.parametrize(
    ("numbers", "is_refused"),
    [([5, 9, 9, 20], True), ([5, 9, 8, 20], False), ([5, 5, 5, 5], False), ([5], False)],
)
def test_numbers_that_fall_or_stay_are_not_bytes_so_far(numbers, is_refused):
    rows = b"".join(b"%d,%d\n" % (n, number) for n, number in enumerate(numbers, 1))
    logs = [Log(0, HEADER + rows, None, "bytes"), Log(1, b"time,kbit\n1,5\n", None, "bytes")]
    rejected = parse_logs("two-column", logs)["rejected"]
    lines = rejected.filter(pl.col("file_id") == 0)["line"].to_list()
    assert lines == (list(range(1, len(numbers) + 2)) if is_refused else [])
    assert rejected.filter(pl.col("file_id") == 1)["line"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("time,bits", "(divide them by 8): 'time,bits'"),
        ("time,KB", "convert the numbers to bytes"),
        ("minute,bytes", "not in seconds"),
        ("time,cum_bytes", "'value: received_bytes' would be right"),
    ],
)
def test_a_contradiction_is_an_error_with_file_line_and_remedy(header, words, tmp_path):
    yml = 'files: [{path: "r{repeat}.csv", format: two-column, value: bytes}]\n'
    log = f"{header}\n" + "".join(f"{n},{n}000\n" for n in range(1, 12))
    folder = make_dataset(tmp_path / "two", {"r1.csv": log.encode()}, yml)
    with pytest.raises(DataError) as error:
        build_tables(folder, tmp_path / "derived")
    assert "r1.csv" in str(error.value) and error.value.line == 1
    assert words in str(error.value)
