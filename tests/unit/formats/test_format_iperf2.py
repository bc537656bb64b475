"""iperf 2 text against what eight of its versions printed (tests/fixtures/formats/iperf2).

Beside the logs of each version stand two tables: `expected-reports.csv`, every sample and summary,
and `expected-streams.csv`, every connection. Run this file to write them anew; the reports are held
against `read_by_hand` below, which shares nothing with the parser, and what that cannot read (ODD)
was reviewed line by line.
"""

import re
from pathlib import Path

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.formats import detect_format
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from raw_data import ROOT, fates, parse

LOGS = ROOT / "tests/fixtures/formats/iperf2"
VERSIONS = sorted(path.name for path in LOGS.iterdir() if path.is_dir())
NAMES = sorted(path.relative_to(LOGS).as_posix() for path in LOGS.glob("*/*.log"))
# servers that count a flow from the start of an earlier one, and a log that -f rounded to nothing
ODD = [f"{version}/overlap-server.log" for version in ("2.0.5", "2.0.10", "2.0.13")]
ODD += ["2.0.10/format-G-client.log"]
REPORTS = {
    "log": pl.String,
    "line": pl.Int64,
    "kind": pl.String,
    "label": pl.String,
    "stream": pl.Int64,
    "side": pl.String,
    "t_start_s": pl.Float64,
    "t_end_s": pl.Float64,
    "bytes": pl.Int64,
    "throughput_bps": pl.Float64,
    "retransmits": pl.Int64,
    "cwnd_bytes": pl.Int64,
    "cwnd_packets": pl.Int64,
    "rtt_s": pl.Float64,
    "jitter_s": pl.Float64,
    "lost_packets": pl.Int64,
    "packets": pl.Int64,
}
STREAMS = {
    "log": pl.String,
    "stream": pl.Int64,
    "line": pl.Int64,
    "label": pl.String,
    "episode": pl.Int64,
    "side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "cca": pl.String,
    "mss_bytes": pl.Int64,
    "start_s": pl.Float64,
    "start_epoch_s": pl.Float64,
    "complete": pl.Boolean,
}


def log(name: str) -> bytes:
    return (LOGS / name).read_bytes()


def read(*names: str) -> dict[str, pl.DataFrame]:
    """Parse logs at once; every table has their `log`."""
    tables = parse("iperf2", *(log(name) for name in names))
    owner = pl.DataFrame({"file_id": range(len(names)), "log": names}).cast({"file_id": pl.UInt32})
    return {key: table.join(owner, on="file_id") for key, table in tables.items()}


@pytest.fixture(scope="module")
def everything():
    return read(*NAMES)


def reports_of(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return samples and summaries in the form of expected-reports.csv."""
    streams = tables["stream"].select("log", "stream", "label", "side")
    key = ["log", "stream"]
    samples = tables["interval"].join(streams, on=key).with_columns(kind=pl.lit("sample"))
    labels = streams.drop("side")
    summaries = tables["summary"].join(labels, on=key).with_columns(kind=pl.lit("summary"))
    both = pl.concat([samples, summaries], how="diagonal").select(list(REPORTS)).cast(REPORTS)
    return both.sort("log", "line")


def streams_of(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    return tables["stream"].select(list(STREAMS)).cast(STREAMS).sort("log", "stream")


def expected(version: str, table: str) -> pl.DataFrame:
    path = LOGS / version / f"expected-{table}.csv"
    columns = REPORTS if table == "reports" else STREAMS
    rows = pl.read_csv(path, schema=columns).with_columns(log=version + "/" + pl.col("log"))
    return rows


@pytest.mark.parametrize("version", VERSIONS)
def test_every_report_of_every_log_is_the_expected_one(version, everything):
    found = reports_of(everything).filter(pl.col("log").str.starts_with(version + "/"))
    assert_frame_equal(found, expected(version, "reports"), rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_connection_of_every_log_is_the_expected_one(version, everything):
    found = streams_of(everything).filter(pl.col("log").str.starts_with(version + "/"))
    assert_frame_equal(found, expected(version, "streams"), abs_tol=1e-6)


# ---- the expected reports, read without the parser ----------------------------------------------

REPORT = re.compile(
    r"\[ *(\*?\d+)\] +(\d+\.\d+)- *(\d+\.\d+) sec +([\d.]+) ([KMGTP]?)Bytes +([\d.]+) "
    r"([KMGTP]?)(bits|Bytes)/sec(.*)"
)
SENDER = re.compile(r" +\d+/\d+ +(\d+) +(?:\d+K\(\d+\)/)?(\d+)K(?:\((\d+)\))?/(\d+)(?:\(\d+\))? us")
BOUNCED = re.compile(r" +\d+=[\d./]+ ms +(\d+)(?: +(\d+)K/\(?(\d+)\)?(?:/0\(0\))? us)?")
DATAGRAMS = re.compile(r" +([\d.]+) ms +(\d+)/ *(\d+) \(")


def read_by_hand(text: str) -> list[dict]:
    """Read the reports of a log: a summary starts at 0 and is the last of its connection."""
    connections: list[list[dict]] = []
    open_ones: dict[str, list[dict]] = {}
    awaited = set()
    for line, content in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\[ *\*?(\d+)\] local .* port [1-9]\d* connected", content):
            open_ones.pop(match[1], None)
            open_ones.pop("*" + match[1], None)
        elif match := re.match(r"\[ *(\d+)\] Server Report:", content):
            awaited.add(match[1])
        elif match := REPORT.match(content):
            row = {"line": line, "label": match[1], **numbers_by_hand(match)}
            if match[1] in awaited:
                awaited.remove(match[1])
                connections.append([row])
            else:
                if match[1] not in open_ones:
                    connections.append([])
                    open_ones[match[1]] = connections[-1]
                open_ones[match[1]].append(row)
    for rows in connections:
        for row in rows:
            row["kind"] = "summary" if row is rows[-1] and row["t_start_s"] == 0 else "sample"
    rows = [row for rows in connections for row in rows]
    return sorted((r for r in rows if r["throughput_bps"] < 1e13), key=lambda row: row["line"])


def numbers_by_hand(match: re.Match) -> dict:
    start, end, amount, rate = (float(match[i]) for i in (2, 3, 4, 6))
    bits = rate * (1000 ** " KMGTP".index(match[7] or " "))
    if match[8] == "Bytes":
        bits = rate * 1024 ** " KMGTP".index(match[7] or " ") * 8
    n_bytes = amount * 1024 ** " KMGTP".index(match[5] or " ")
    if amount < 1 and rate > amount:  # '0.00 GBytes  0.03 Gbits/sec'
        n_bytes = bits * (end - start) / 8
    if rate < 1 and amount > rate:  # '0.01 GBytes  0.00 GBytes/sec'
        bits = n_bytes * 8 / (end - start)
    row = {"t_start_s": start, "t_end_s": end, "bytes": round(n_bytes), "throughput_bps": bits}
    rest = match[9]
    if found := SENDER.match(rest):
        row |= {"retransmits": int(found[1]), "cwnd_bytes": int(found[2]) * 1024}
        row |= {"rtt_s": int(found[4]) / 1e6}
        row["cwnd_packets"] = int(found[3]) if found[3] else None
    elif found := BOUNCED.match(rest):
        row["retransmits"] = int(found[1])
        if found[2] and int(found[2]):  # 2.2.1 prints zeros, which no window is
            row |= {"cwnd_bytes": int(found[2]) * 1024, "rtt_s": int(found[3]) / 1e6}
    elif found := DATAGRAMS.match(rest):
        row |= {"jitter_s": float(found[1]) / 1e3}
        row |= {"lost_packets": int(found[2]), "packets": int(found[3])}
    return row


OF_SAMPLES = ("retransmits", "cwnd_bytes", "cwnd_packets", "rtt_s")
OF_SAMPLES += ("jitter_s", "lost_packets", "packets")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_expected_reports_are_what_the_lines_say(version):
    rows = expected(version, "reports").filter(~pl.col("log").is_in(ODD))
    names = [name for name in NAMES if name.startswith(version + "/") and name not in ODD]
    for name in names:
        wanted = {row["line"]: row for row in rows.filter(log=name).rows(named=True)}
        by_hand = read_by_hand(log(name).decode())
        assert [row["line"] for row in by_hand] == list(wanted), name
        for row in by_hand:
            keys = ["t_start_s", "t_end_s", "bytes", "throughput_bps"]
            if row["kind"] == "sample":
                keys += OF_SAMPLES
            one = wanted[row["line"]]
            words = ("kind", "label")
            assert {key: row[key] for key in words} == {key: one[key] for key in words}
            numbers = {key: row.get(key) for key in keys}
            assert numbers == pytest.approx({key: one[key] for key in keys}), (name, row["line"])


# ---- nothing is lost, nothing counts twice ------------------------------------------------------


def test_the_ledger_of_every_log_adds_up(everything):
    ledger = everything["fate"].group_by("log").agg(pl.sum("lines", "bytes"))
    found = {name: (lines, n_bytes) for name, lines, n_bytes in ledger.rows()}
    assert found == {name: (log(name).count(b"\n"), len(log(name))) for name in NAMES}
    samples = everything["fate"].filter(fate="sample")["lines"].sum()
    assert samples == len(everything["interval"])
    sums = pl.col("reason") == "sum over the streams"
    own = everything["fate"].filter(pl.col("fate") == "summary", ~sums.fill_null(False))
    assert own["lines"].sum() == len(everything["summary"])


def test_only_damaged_lines_are_rejected(everything):
    rejected = everything["rejected"].select("log", "line", "reason").rows()
    reason = "a byte counter of iperf below zero: the connection had broken"
    broken = "2.0.5/killed-server-client.log"  # '147573952589675872256 Bytes/sec'
    assert rejected == [(broken, 11, reason), (broken, 12, reason)]


def test_every_skipped_line_has_a_reason(everything):
    skipped = everything["fate"].filter(fate="skipped")
    assert skipped["reason"].null_count() == 0
    assert "sum over the streams" not in skipped["reason"].to_list()


def test_samples_of_a_stream_are_contiguous_and_begin_at_its_start(everything):
    ordered = everything["interval"].sort("log", "stream", "line")
    before = pl.col("t_end_s").shift(1, fill_value=0.0).over("log", "stream")
    # the broken log lacks the two intervals that are rejected at its end
    gaps = ordered.filter((before - pl.col("t_start_s")).abs() > 1e-9)
    assert gaps.select("log", "line").rows() == []
    assert (ordered["t_end_s"] > ordered["t_start_s"]).all()


def test_bytes_and_rate_of_a_sample_agree(everything):
    samples = everything["interval"].filter(pl.col("bytes") > 0)
    length = pl.col("t_end_s") - pl.col("t_start_s")
    by_bytes = pl.col("bytes") * 8 / length
    # three digits of each, and a time of one or four decimals: 2.0.14a's last intervals are short
    rounding = 0.011 + 0.0001 / length
    off = ((by_bytes - pl.col("throughput_bps")).abs() / pl.col("throughput_bps")) > rounding
    assert samples.filter(off).select("log", "line").rows() == []


def test_samples_add_up_to_the_summary_but_for_the_rest_that_is_not_printed(everything):
    key = ["log", "stream"]
    own = everything["summary"].join(everything["stream"].select(*key, "side"), on=[*key, "side"])
    sums = (
        everything["interval"]
        .group_by(key)
        .agg(
            pl.sum("bytes"),
            end=pl.max("t_end_s"),
            longest=(pl.col("t_end_s") - pl.col("t_start_s")).max(),
        )
    )
    both = own.join(sums, on=key, suffix="_of_samples").filter(pl.col("bytes") > 0)
    # -f G has a digit or two; the summary of a bounce-back test is not the sum of its intervals
    both = both.filter(~pl.col("log").str.contains("format-[gG]|bounceback"))
    assert len(both) > 400
    more = both.filter(pl.col("bytes_of_samples") > pl.col("bytes") * 1.012)
    assert more["log"].to_list() == ["2.0.5/killed-server-client.log"]  # iperf took bytes back
    rest = pl.col("t_end_s") - pl.col("end")
    whole = both.filter(rest < 1e-3, ~pl.col("log").is_in(ODD))
    less = whole.filter(pl.col("bytes_of_samples") < pl.col("bytes") * 0.95)
    assert less.select("log", "stream").rows() == []
    # a rest is shorter than an interval, but where the end broke away
    longer = both.filter(rest > pl.col("longest") + 0.11)
    assert set(longer["log"]) <= {"2.0.5/killed-server-client.log"}


def test_both_ends_of_a_flow_count_the_same(everything):
    """Totals of sender and receiver agree within 3 %, but where data were lost on the way."""
    key = ["log", "stream"]
    streams = everything["stream"].select(*key, "side", "local", "peer")
    totals = (
        everything["summary"]
        .join(streams, on=[*key, "side"])
        .with_columns(run=pl.col("log").str.replace(r"-(client|server)(-\d)?\.log$", ""))
    )
    sent = totals.filter(side="sender").select("run", "log", "bytes", a="local", b="peer")
    received = totals.filter(side="receiver").select("run", "bytes", a="peer", b="local")
    pairs = sent.join(received, on=["run", "a", "b"], suffix="_received")
    assert len(pairs) > 110
    apart = (pl.col("bytes") / pl.col("bytes_received") - 1).abs() > 0.03
    lost = {"2.0.5/udp-loss", "2.1.8/udp-loss", "2.2.1/udp-loss"}  # 30 Mbit/s into 20
    # what was in flight when a process ended
    lost |= set(pairs.filter(pl.col("run").str.contains("killed|interrupted"))["run"])
    # 2.0.14a's sender counts its last write whole, and its receiver stops before the end
    lost |= {"2.0.14a/parallel", "2.0.14a/reverse-enhanced"}
    assert set(pairs.filter(apart)["run"]) - lost == set()
    assert pairs.filter(~apart).height > 100


# ---- what is odd --------------------------------------------------------------------------------


def samples(name: str, stream: int = 1) -> list[tuple]:
    rows = read(name)["interval"].filter(stream=stream).sort("line")
    return rows.select("t_start_s", "t_end_s", "bytes").rows()


@pytest.mark.parametrize("version", ["2.0.5", "2.0.10", "2.0.13"])
def test_a_flow_that_joins_an_old_server_gets_its_own_clock(version):
    tables = read(f"{version}/overlap-server.log")
    assert tables["stream"].select("start_s", "episode").rows() == [(0.0, 1), (2.0, 1)]
    # printed as 2.0-3.0, ... after '0.0- 1.0' and '1.0- 2.0' at once
    joined = tables["interval"].filter(stream=2)
    assert joined["t_start_s"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert joined["bytes"].min() > 400e3
    skipped = tables["fate"].filter(fate="skipped")
    assert skipped.select("lines").item() == 2
    assert "counts from the start of an earlier one" in skipped["reason"].item()
    summary = tables["summary"].filter(stream=2).row(0, named=True)
    assert 5.2 < summary["t_end_s"] < 5.5
    rate = summary["bytes"] * 8 / summary["t_end_s"]
    assert summary["throughput_bps"] == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("version", ["2.0.14a", "2.1.8", "2.2.1"])
def test_a_flow_that_joins_a_newer_server_has_its_own_clock(version):
    tables = read(f"{version}/overlap-server.log")
    assert tables["stream"]["start_s"].to_list() == [0.0, 2.0]
    joined = tables["interval"].filter(stream=2)
    assert joined["t_start_s"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert "skipped" not in fates(tables)


def test_a_starved_flow_that_joins_keeps_its_empty_intervals():
    text = log("2.0.14a/overlap-server.log").decode()
    starved = re.sub(r"(\[  5\] [012]\.\d+-\S+ sec) .*", r"\1  0.00 Bytes  0.00 bits/sec", text)
    rows = parse("iperf2", starved.encode())["interval"].filter(stream=2)
    assert rows["t_start_s"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert rows["bytes"][:3].to_list() == [0, 0, 0]


@pytest.mark.parametrize("version", ["2.0.5", "2.0.14a", "2.1.8", "2.2.1"])
def test_a_test_of_one_second_has_a_sample_and_a_summary(version):
    tables = read(f"{version}/one-second-client.log")
    assert samples(f"{version}/one-second-client.log")[0][:2] == (0.0, 1.0)
    assert len(tables["summary"]) == 1
    last = tables["interval"]["line"].max()
    assert tables["summary"]["line"].item() == last + 1


@pytest.mark.parametrize("version", ["2.0.5", "2.1.8", "2.2.1"])
def test_a_log_without_intervals_has_no_sample(version):
    tables = read(f"{version}/no-interval-client.log")
    assert tables["interval"].is_empty() and len(tables["summary"]) == 1


@pytest.mark.parametrize("version", ["2.0.5", "2.1.8", "2.2.1"])
def test_a_udp_client_without_intervals_has_no_sample_either(version):
    """Two lines start at 0: its own summary, and its server's."""
    text = log(f"{version}/udp-client.log").decode().splitlines(keepends=True)
    kept = [line for line in text if not re.match(r"\[ +\d+\] +\d\.\d+- ?[123]\.0+ sec", line)]
    own = next(line for line in text if re.match(r"\[ +\d+\] +0\.0+- ?3\.0\d* sec", line))
    kept = [line for line in kept if line != own]
    at = next(i for i, line in enumerate(kept) if "Sent" in line)
    kept.insert(at, own)
    if len([line for line in kept if " sec " in line and "Bytes" in line]) == 1:
        kept.append([line for line in text if " ms " in line][-1])
    tables = parse("iperf2", "".join(kept).encode())
    assert tables["interval"].is_empty()
    assert tables["summary"]["side"].to_list() == ["sender", "receiver"]


def test_the_server_report_of_a_udp_client_is_the_receivers():
    tables = read("2.0.5/udp-loss-client.log")
    rows = tables["summary"].sort("line").select("side", "bytes", "throughput_bps").rows()
    assert rows == [
        ("sender", round(10.7 * 2**20), 30.0e6),
        ("receiver", round(7.06 * 2**20), 18.2e6),
    ]


def test_a_server_report_that_cannot_be_is_skipped():
    tables = read("2.2.1-to-2.0.5/udp-client.log")  # '7.51 PBytes  20.1 Tbits/sec'
    reasons = tables["fate"].filter(fate="skipped")["reason"].to_list()
    assert "a server report with impossible numbers" in reasons
    assert tables["summary"]["side"].to_list() == ["sender"]
    assert tables["rejected"].is_empty()


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ("11.2 MBytes  94.4 Tbits/sec", "no flow has such a rate"),
        ("99999999999999999999999 Bytes  94.4 Mbits/sec", "not a line that iperf 2 writes"),
        ("-11.2 MBytes  -94.4 Mbits/sec", "a byte counter of iperf below zero"),
        ("11,2 MBytes  94,4 Mbits/sec", "decimal commas"),
        ("11.2 MBytes  94.4 Mbits/s", "not a line that iperf 2 writes"),
        ("11.2 MBytes  94.4 Mbits/sec [  4] 2.0- 3.0", "not a line that iperf 2 writes"),
        ("11.2 MBytes  94.4 Mbitwrite failed: Broken pipe", "not a line that iperf 2 writes"),
    ],
)
def test_a_damaged_report_is_rejected(numbers, reason):
    good = "[  3]  0.0- 1.0 sec  11.2 MBytes  94.4 Mbits/sec\n"
    tables = parse("iperf2", f"{good}[  3]  1.0- 2.0 sec  {numbers}\n{good}".encode())
    assert tables["rejected"]["reason"].item().startswith(reason)
    assert fates(tables) == {"rejected": 1, "sample": 1, "summary": 1}


@pytest.mark.parametrize(
    ("printed", "lost", "packets"),
    [
        ("0.012 ms    3/  446 (0.67%)", 3, 446),
        ("0.012 ms    0/    0 (-nan%)", 0, 0),
        ("0.012 ms 446/446 (1e+02%)", 446, 446),
        ("0.012 ms   -1/  446 (-0.22%)", None, 446),  # one came twice: not a number of lost ones
    ],
)
def test_the_datagrams_of_udp(printed, lost, packets):
    text = f"[  3]  0.0- 1.0 sec   639 KBytes  5.23 Mbits/sec   {printed}\n"
    text += "[  3]  1.0- 2.0 sec   639 KBytes  5.23 Mbits/sec\n"
    row = parse("iperf2", text.encode())["interval"].row(0, named=True)
    assert (row["lost_packets"], row["packets"]) == (lost, packets)
    assert row["jitter_s"] == pytest.approx(12e-6)


@pytest.mark.parametrize(
    ("printed", "retransmits", "cwnd_bytes", "cwnd_packets", "rtt_s"),
    [
        ("27/0       1281       25K/7973 us", 1281, 25600, None, 0.007973),  # 2.0.10
        ("21/0          0       42K/714 us  3855.06", 0, 43008, None, 0.000714),  # 2.0.13
        ("39/0          6       -1K/13433 us  189.61", 6, None, None, 0.013433),
        ("0/0          0       NA/0 us  0.00", None, None, None, None),  # 2.0.14a
        ("24/0        116       45K/13053(1920) us  241", 116, 46080, None, 0.013053),  # 2.1
        ("61/0        0      156K(111)/17(5) us         61/0/0  14621", 0, 159744, 111, 17e-6),
        ("20/0   3   48K(34)/70K(50)/23041(2659) us  108", 3, 71680, 50, 0.023041),  # 2.2.1
        ("20/0   3   0K/0(0) us  108", 3, None, None, None),  # a system without TCP_INFO
    ],
)
def test_what_an_enhanced_sender_says(printed, retransmits, cwnd_bytes, cwnd_packets, rtt_s):
    text = f"[  3] 0.00-1.00 sec  3.38 MBytes  28.3 Mbits/sec  {printed}\n"
    text += "[  3] 1.00-2.00 sec  3.38 MBytes  28.3 Mbits/sec\n"
    row = parse("iperf2", text.encode())["interval"].row(0, named=True)
    assert (row["retransmits"], row["cwnd_bytes"]) == (retransmits, cwnd_bytes)
    assert row["cwnd_packets"] == cwnd_packets
    assert row["rtt_s"] == (None if rtt_s is None else pytest.approx(rtt_s))


def test_an_interval_that_ends_before_it_begins_is_rejected():
    text = b"[  3]  0.0- 1.0 sec  1 Bytes  8 bits/sec\n[  3]  3.0- 2.0 sec  1 Bytes  8 bits/sec\n"
    text += b"[  3]  2.0- 2.0 sec  1 Bytes  8 bits/sec\n"
    reasons = parse("iperf2", text)["rejected"]["reason"].to_list()
    assert sorted(reasons) == ["the interval ends before it begins", "the interval has zero length"]


def test_a_connection_of_no_length_is_a_summary():
    text = "[  4] local 10.0.0.2 port 5001 connected with 10.0.0.1 port 40000\n"
    text += "[  4]  0.0- 0.0 sec  64.0 KBytes  1.20 Gbits/sec\n"
    assert fates(parse("iperf2", text.encode())) == {"header": 1, "summary": 1}


@pytest.mark.parametrize("version", ["2.0.5", "2.1.8", "2.2.1"])
def test_a_refused_connection_is_no_flow(version):
    tables = read(f"{version}/refused-client.log")
    assert all(tables[name].is_empty() for name in ("stream", "interval", "summary", "rejected"))
    skipped = tables["fate"].filter(fate="skipped")
    assert skipped["reason"].unique().to_list() == ["iperf could not connect"]


@pytest.mark.parametrize("version", ["2.0.5", "2.0.14a", "2.1.8", "2.2.1"])
def test_a_congestion_control_that_could_not_be_set_is_not_the_flows(version):
    tables = read(f"{version}/congestion-bic-client.log")
    assert tables["stream"]["cca"].drop_nulls().is_empty()
    reason = tables["fate"].filter(fate="skipped")["reason"].item()
    assert reason.startswith("congestion control not set")


def test_the_default_of_a_receiving_server_is_not_the_flows_congestion_control():
    assert b"congestion control default bbr" in log("2.2.1/enhanced-server.log")
    assert read("2.2.1/enhanced-server.log")["stream"]["cca"].to_list() == [None]
    assert read("2.2.1/reverse-enhanced-server.log")["stream"]["cca"].to_list() == ["bbr"]
    assert read("2.2.1/congestion-reno-client.log")["stream"]["cca"].to_list() == ["reno"]


def test_a_flow_that_f_rounded_to_nothing_is_not_a_flow_of_zeros():
    tables = read("2.0.10/format-G-client.log")  # '0.00 GBytes  0.00 GBytes/sec'
    assert tables["interval"].is_empty()
    skipped = tables["fate"].filter(fate="skipped")["reason"].to_list()
    assert skipped == ["-f rounded the flow to nothing: use a smaller unit"]
    # '0.00 GBytes  0.03 Gbits/sec': the rate has a digit
    assert [row[2] for row in samples("2.0.10/format-g-client.log")] == [3750000, 2500000]


@pytest.mark.parametrize(
    ("seconds", "printed", "n_bytes", "bps", "is_coarse"),
    [
        (10, "0.02 GBytes  0.00 GBytes/sec", 0.02 * 2**30, 0.02 * 2**30 * 0.8, True),
        (60, "0.35 GBytes  0.05 Gbits/sec", 0.35 * 2**30, 0.35 * 2**30 * 8 / 60, False),
        (1, "0.00 GBytes  0.03 Gbits/sec", 0.03e9 / 8, 0.03e9, True),
        (1, "0.11 GBytes  0.94 Gbits/sec", 0.94e9 / 8, 0.94e9, False),
        (1, "0.002 GBytes  0.016 Gbits/sec", 0.016e9 / 8, 0.016e9, False),  # 2.1 on
        (1, "3.78 MBytes  0.90 Mbits/sec", 3.78 * 2**20, 0.9e6, False),  # they contradict another
    ],
)
def test_the_finer_number_counts_and_too_coarse_ones_are_marked(
    seconds, printed, n_bytes, bps, is_coarse
):
    spans = [f"{t}.0-{t + seconds}.0" for t in (0, seconds, 2 * seconds)]
    tables = parse("iperf2", "".join(f"[  3]  {span} sec  {printed}\n" for span in spans).encode())
    assert tables["interval"]["bytes"].to_list() == [round(n_bytes)] * 3
    assert tables["interval"]["throughput_bps"].to_list() == pytest.approx([bps] * 3, rel=1e-6)
    (reason,) = tables["fate"].filter(fate="sample")["reason"].to_list()
    assert (reason is not None) == is_coarse


def test_an_idle_flow_in_gigabytes_stays_a_flow_of_zeros():
    lines = [f"[  3]  {i}.0- {i + 1}.0 sec  0.00 GBytes  0.00 Gbits/sec" for i in range(3)]
    tables = parse("iperf2", "\n".join([*lines, lines[0].replace(" 1.0", " 3.0")]).encode())
    assert fates(tables) == {"sample": 3, "summary": 1}


def test_reports_without_announcements_are_told_apart_by_their_times():
    text = log("2.0.5/sequence-server.log").decode().splitlines(keepends=True)
    bare = "".join(line for line in text if " sec " in line)  # as with option -x C
    tables = parse("iperf2", bare.encode())
    assert tables["stream"]["label"].to_list() == ["4", "5", "4"]
    assert tables["stream"]["episode"].to_list() == [1, 2, 3]
    assert fates(tables) == {"sample": 6, "summary": 3}
    assert tables["interval"]["t_start_s"].to_list() == [0.0, 1.0] * 3


def bare_reports(seconds: int, begins: dict[int, int]) -> bytes:
    """Return reports of flows as `grep sec` leaves them; begins: when each label began, s."""
    spans = [(label, t, t + 1) for t in range(seconds) for label, s in begins.items() if t >= s]
    spans += [(label, s, seconds) for label, s in begins.items()]  # what sums each of them up
    lines = (
        f"[{label:3}] {a - begins[label]:4.1f}-{b - begins[label]:4.1f} sec  "
        f"{366 * (b - a)} KBytes  3.00 Mbits/sec\n"
        for label, a, b in spans
    )
    return "".join(lines).encode()


@pytest.mark.parametrize("later_s", [0, 1, 4])
def test_flows_without_announcements_begin_before_their_first_reports(later_s):
    tables = parse("iperf2", bare_reports(10, {4: 0, 5: later_s}))
    assert tables["stream"]["start_s"].to_list() == [0.0, later_s]
    assert fates(tables) == {"sample": 20 - later_s, "summary": 2}
    assert tables["interval"].filter(stream=2)["t_start_s"][0] == 0.0


@pytest.mark.parametrize("version", ["2.0.5", "2.0.10", "2.0.13", "2.0.14a", "2.1.8", "2.2.1"])
def test_a_flow_that_joins_another_is_placed_without_announcements_too(version):
    whole = log(f"{version}/overlap-server.log").decode()
    bare = "".join(line for line in whole.splitlines(keepends=True) if " sec " in line)
    found, wanted = (parse("iperf2", text.encode()) for text in (bare, whole))
    for table, columns in (("stream", ["start_s"]), ("interval", ["t_start_s", "bytes"])):
        assert found[table].select(columns).equals(wanted[table].select(columns))


def test_colours_are_read_past():
    plain = log("2.0.5/overlap-server.log")
    coloured = re.sub(rb"(?m)^(\[ +\d+\])", b"\x1b[32m\\1\x1b[0m", plain)
    assert coloured != plain
    found, wanted = parse("iperf2", coloured), parse("iperf2", plain)
    assert found["interval"].equals(wanted["interval"]) and found["rejected"].is_empty()
    assert found["fate"]["bytes"].sum() == len(coloured)


def test_the_side_is_unknown_where_the_log_does_not_say():
    assert (
        parse("iperf2", b"[  3]  0.0- 1.0 sec  1 Bytes  8 bits/sec\n")["stream"]["side"][0] is None
    )
    for local, peer, side in ((40000, 5001, "sender"), (5001, 40000, "receiver"), (7, 8, None)):
        text = f"[  3] local 10.0.0.1 port {local} connected with 10.0.0.2 port {peer}\n"
        assert parse("iperf2", text.encode())["stream"]["side"].item() == side


def test_the_format_of_every_log_is_detected():
    of_no_tool = "2.0.10/reverse-client.log"  # a line of error, which other tools could write
    with pytest.raises(DataError):
        detect_format(log(of_no_tool), of_no_tool)
    found = {name: detect_format(log(name), name) for name in NAMES if name != of_no_tool}
    assert found == dict.fromkeys(found, "iperf2") and len(found) == len(NAMES) - 1


# ---- anything -----------------------------------------------------------------------------------

LINES = sorted({line for name in NAMES for line in log(name).split(b"\n") if b"PDF" not in line})
SAMPLED = [name for name in NAMES if re.search("overlap|parallel|full|udp|killed|seq", name)]


@st.composite
def damaged_logs(draw) -> bytes:
    """Return a log with lines cut, left out, put twice, and mixed with those of other logs."""
    lines = log(draw(st.sampled_from(SAMPLED))).split(b"\n")
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        how = draw(
            st.sampled_from(["cut", "join", "leave", "again", "mix", "bytes", "swap", "number"])
        )
        if how == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        elif how == "join":
            lines[at : at + 2] = [b"".join(lines[at : at + 2])]
        elif how == "leave" and len(lines) > 1:
            del lines[at]
        elif how == "again":
            lines.insert(draw(st.integers(0, len(lines))), lines[at])
        elif how == "mix":
            lines.insert(at, draw(st.sampled_from(LINES)))
        elif how == "bytes":
            where = draw(st.integers(0, len(lines[at])))
            junk = draw(
                st.one_of(st.binary(max_size=5), st.sampled_from([b"9" * 30, b"-", b"e99"]))
            )
            lines[at] = lines[at][:where] + junk + lines[at][where + len(junk) :]
        elif how == "number":
            numbers = list(re.finditer(rb"[0-9][0-9.]*", lines[at]))
            if numbers:
                one = draw(st.sampled_from(numbers))
                other = draw(st.sampled_from([b"0", b"1.5", b"7e5", b"-1", b"9" * 30, b"nan", b""]))
                lines[at] = lines[at][: one.start()] + other + lines[at][one.end() :]
        elif how == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)[: draw(st.one_of(st.none(), st.integers(0, 3000)))]


@settings(max_examples=40, deadline=None)
@given(logs=st.lists(damaged_logs(), min_size=1, max_size=8))
def test_damaged_logs_are_accounted_for(logs):
    tables = parse("iperf2", *logs)
    for file_id, content in enumerate(logs):
        own = tables["fate"].filter(file_id=file_id)
        lines = content.count(b"\n") + (len(content) > 0 and not content.endswith(b"\n"))
        assert own["lines"].sum() == lines
        assert own["bytes"].sum() == len(content)
        assert own.filter(fate="rejected")["lines"].sum() == len(
            tables["rejected"].filter(file_id=file_id)
        )
    assert fates(tables).get("sample", 0) == len(tables["interval"])
    interval = tables["interval"]
    assert (interval["t_end_s"] > interval["t_start_s"]).all()
    assert (interval["t_start_s"] >= 0).all() and (interval["bytes"] >= 0).all()
    assert (interval["throughput_bps"] <= 1e13).all()
    key = ["file_id", "stream"]
    assert interval.join(tables["stream"], on=key, how="anti").is_empty()
    assert not tables["stream"].select(key).is_duplicated().any()


if __name__ == "__main__":
    found = read(*NAMES)
    for version in VERSIONS:
        for table, rows in (("reports", reports_of(found)), ("streams", streams_of(found))):
            own = rows.filter(pl.col("log").str.starts_with(version + "/"))
            own = own.with_columns(pl.col("log").str.strip_prefix(version + "/"))
            own.write_csv(Path(LOGS / version / f"expected-{table}.csv"))
