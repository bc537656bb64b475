"""Bad logs of ns-2: an error that names file, line and remedy; the ledger stays complete."""

import gzip

import polars as pl
import pytest
from broken_logs import assert_accounted
from evenflow import files
from evenflow.errors import DataError
from evenflow.formats import Log, detect_format, ns2_bins
from evenflow.formats.tables import parse_logs
from evenflow.ingest.parse import parse_dataset
from hypothesis import given
from hypothesis import strategies as st
from raw_data import ROOT, assert_ledger_adds_up, build_tables, content, make_dataset, parse

TRACES = ROOT / "tests/fixtures/formats/ns2-trace"
CHAIN = content(TRACES / "chain.tr")  # one flow over three hops, 378 lines
GOODPUT = b"""# evenflow-ns2-goodput/1
# columns t_end_s fid bytes cwnd_packets srtt_s
1 1 1000000 10 0.05
1 2 500000 10 0.1
2 1 1000000 11 0.05
2 2 500000 11 0.1
# end
"""
DROPS = b"""d 1.25 0 1 tcp 1000 ------- 1 2.0 1.0 7 70
d 1.5 0 1 tcp 1000 ------- 2 3.0 1.1 8 80
d 1.5 0 1 udp 1000 ------- 100 4.0 5.0 1 81
d 1.75 0 1 udp 1000 ------- 100 4.1 5.0 1 90
"""
BINS = b"""# evenflow-ns2-bins/1
# bin_s 0.5
# columns bin arrivals drops queue_packets background_arrivals
3 400 3 90 40
4 380 1 100 30
# end
"""
YML = """
platform: ns2
files:
  - {path: "r{repeat}/goodput.log"}
  - {path: "r{repeat}/drops.tr", format: ns2-trace}
  - {path: "r{repeat}/bins.log"}
"""
LOGS = {"goodput.log": GOODPUT, "drops.tr": DROPS, "bins.log": BINS}


def dataset(folder, *, yml=YML, **changed):
    """A data set of a good run r1 and of a run r2 with these logs (`drops_tr=...`) changed."""
    logs = {f"r1/{name}": text for name, text in LOGS.items()}
    logs |= {f"r2/{n}": changed.get(n.replace(".", "_"), text + b"") for n, text in LOGS.items()}
    logs["r2/goodput.log"] = logs["r2/goodput.log"].replace(b"1000000", b"1100000")  # no copy of r1
    return make_dataset(folder, logs, yml)


def assert_refused(tmp_path, match, **changed):
    """The data set is refused; under quarantine the good run stays, and the ledger adds up."""
    with pytest.raises(DataError, match=match) as error:
        parse_dataset(dataset(tmp_path / "raw", **changed))
    assert "Remedy: " in str(error.value)
    kept = dataset(tmp_path / "kept", yml=YML + "on_error: quarantine\n", **changed)
    tables = build_tables(kept, tmp_path)
    assert_ledger_adds_up(kept, tables["ledger"])
    assert "r1" in tables["run"]["run_id"].to_list()
    return tables


# ---- what is good --------------------------------------------------------------------------------


def test_drops_and_arrivals_of_what_is_no_flow_are_kept(tmp_path):
    folder = dataset(tmp_path / "raw")
    tables = build_tables(folder, tmp_path)
    assert_ledger_adds_up(folder, tables["ledger"])
    assert tables["flow"].filter(run_id="r1")["flow_id"].to_list() == [1, 2]
    drop = tables["packet_drop"].filter(run_id="r1")
    assert drop["flow_id"].to_list() == [1, 2, 100, 100]
    arrival = pl.read_parquet(tmp_path / "parsed_arrival.parquet").filter(file_id=1)
    assert arrival.drop("file_id").rows() == [
        (4, 1.0, 1.5, 400, 3, 90, 40),
        (5, 1.5, 2.0, 380, 1, 100, 30),
    ]


def test_received_packets_count_at_the_sink_and_not_at_every_hop():
    """chain.tr: a SYN of 40 bytes and 20 packets of 1500 over three hops, an `r` at each."""
    lines = [line.split() for line in CHAIN.decode().splitlines()]
    received = [line for line in lines if line[0] == "r" and line[4] == "tcp"]
    assert len(received) == 3 * 21
    interval = parse("ns2-trace", CHAIN)["interval"]
    assert interval["packets"].sum() == 21
    assert interval["bytes"].sum() == 40 + 20 * 1500


# ---- cut -----------------------------------------------------------------------------------------


def test_a_log_of_bins_that_was_cut_is_refused(tmp_path):
    cut = BINS.removesuffix(b"# end\n")
    tables = assert_refused(tmp_path, r"r2/bins.log:5: the log ends here.*truncated", bins_log=cut)
    rejected = tables["ledger"].filter(entry="line").select("path", "line", "text").rows()
    assert rejected == [("r2/bins.log", 5, "4 380 1 100 30")]


def test_a_log_of_goodput_that_was_cut_is_refused(tmp_path):
    cut = GOODPUT.removesuffix(b"2 2 500000 11 0.1\n# end\n")
    assert_refused(tmp_path, r"r2/goodput.log:5: the log ends here.*truncated", goodput_log=cut)


def test_a_trace_that_was_cut_within_a_line_is_refused(tmp_path):
    match = r"r2/drops.tr:4: not a line of a wired trace: truncated\?: 'd 1.75 0 1 udp 10'"
    assert_refused(tmp_path, match, drops_tr=DROPS[: DROPS.rindex(b"00 ----")])


def test_a_compressed_trace_that_was_cut_is_refused(tmp_path):
    whole = gzip.compress(DROPS, mtime=0)
    folder = make_dataset(
        tmp_path / "raw",
        {"r1/goodput.log": GOODPUT, "r1/drops.tr": whole[: len(whole) // 2]},
        YML,
    )
    with pytest.raises(DataError, match=r"r1/drops.tr: the compressed file is truncated"):
        parse_dataset(folder)


# ---- times that go backwards ---------------------------------------------------------------------


def test_two_traces_in_one_file_are_refused(tmp_path):
    match = r"r2/drops.tr:5: time goes backwards: two traces in one file\?.*2 more such lines"
    assert_refused(tmp_path, match, drops_tr=DROPS + DROPS)


def test_bins_that_go_backwards_or_miss_are_refused(tmp_path):
    lines = BINS.splitlines(keepends=True)
    swapped = b"".join([*lines[:3], lines[4], lines[3], lines[5]])
    assert_refused(tmp_path / "a", r"r2/bins.log:5: time goes backwards", bins_log=swapped)
    gap = BINS.replace(b"4 380", b"6 380")
    assert_refused(tmp_path / "b", r"r2/bins.log:5: bins are missing before it", bins_log=gap)


def test_a_trace_is_in_order_across_the_blocks_that_it_is_read_in(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BLOCK_BYTES", 4096)
    path = tmp_path / "twice.tr"
    path.write_bytes(CHAIN + CHAIN)
    in_blocks = parse_logs("ns2-trace", [Log(0, None, path)])
    at_once = parse("ns2-trace", CHAIN + CHAIN)
    for name in ("interval", "drop", "rejected"):
        assert in_blocks[name].equals(at_once[name]), name
    assert in_blocks["fate"].sort("reason").equals(at_once["fate"].sort("reason"))
    alone = parse("ns2-trace", CHAIN)
    assert at_once["interval"].equals(alone["interval"])
    timed = sum(line[:1] in b"rde" for line in CHAIN.splitlines())
    # all of the second trace's but those at the time of the first one's end
    assert timed - 1 <= len(at_once["rejected"]) <= timed


# ---- flow ids of several connections -------------------------------------------------------------


def test_a_drop_of_another_connection_with_the_id_of_a_flow_is_refused(tmp_path):
    shared = DROPS.replace(b"100 4.1 5.0", b"1 4.1 5.0")  # a background source that forgot its id
    match = r"r2/drops.tr:1: flow id 1 is that of 2 connections.*set fid_"
    tables = assert_refused(tmp_path, match, drops_tr=shared)
    assert tables["run"]["run_id"].to_list() == ["r1"]
    fates = tables["ledger"].filter(path="r2/drops.tr")
    reason = "its run is left out: flow id 1 is that of 2 connections"
    assert fates["reason"].to_list() == [reason]


SHARED = content(TRACES / "sack-cbr.tr").replace(b" ------- 2 0.1 2.1 ", b" ------- 1 0.1 2.1 ")


def test_connections_of_one_id_in_a_trace_are_told_apart_by_address(tmp_path):
    yml = "files:\n  - {path: 'r{repeat}/out.tr', format: ns2-trace}\n"
    tables = build_tables(make_dataset(tmp_path / "raw", {"r1/out.tr": SHARED}, yml), tmp_path)
    assert tables["flow"]["flow_id"].to_list() == [1, 2]
    drop = tables["packet_drop"]  # worked by hand in test_burstiness
    assert drop.filter(flow_id=1)["packet_bytes"].to_list() == [1040] * 5
    assert drop.filter(flow_id=2)["packet_bytes"].to_list() == [500] * 4


def test_a_described_flow_whose_id_two_connections_have_is_refused(tmp_path):
    yml = "files:\n  - {path: 'r{repeat}/out.tr', format: ns2-trace}\nflows:\n  1: {cca: sack}\n"
    match = r"r1: flow id 1 is that of 2 connections: 0.0 > 2.0 and 0.1 > 2.1.*set fid_"
    with pytest.raises(DataError, match=match):
        parse_dataset(make_dataset(tmp_path / "raw", {"r1/out.tr": SHARED}, yml))


# ---- another format's trace ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "what"), [("tagged.tr", "a tagged trace of ns-2"), ("simple.nam", "the animator nam")]
)
def test_a_trace_of_another_format_is_refused(tmp_path, name, what):
    other = (TRACES / name).read_bytes()
    match = f"dataset.yml:5: 'format: ns2-trace' for drops.tr, which seems to be .*{what}"
    with pytest.raises(DataError, match=match):
        parse_dataset(dataset(tmp_path / "raw", drops_tr=other))
    with pytest.raises(DataError, match=f"{what}: not read"):
        detect_format(other, name)


# ---- bins ----------------------------------------------------------------------------------------


def test_bins_are_detected():
    assert detect_format(BINS, "bins.log") == "ns2-bins"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (b"4 380 1 100 30", b"4 380 1 100", [5]),
        (b"4 380 1 100 30", b"4 380 1 100.5 30", [5]),
        (b"4 380 1 100 30", b"4 380 -1 100 30", [5]),
        (b"4 380 1 100 30", b"4 38000000000 1 100 30", [5]),
        (b"3 400", b"0 400", [4]),
        (b"# bin_s 0.5\n", b"", [3, 4]),
        (b"# bin_s 0.5", b"# bin_s 0", [4, 5]),
        (b"4 380", b"# bin_s 0.1\n4 380", [5]),
    ],
)
def test_a_bin_that_cannot_be_right_is_rejected(old, new, lines):
    tables = assert_accounted("ns2-bins", [BINS.replace(old, new)])
    assert tables["rejected"]["line"].to_list() == lines


@given(
    st.lists(st.tuples(*[st.integers(0, 10**6)] * 4), min_size=1, max_size=20),
    st.integers(1, 10**7),
    st.sampled_from([0.001, 0.005, 0.01, 1.0]),
)
def test_bins_are_read_as_they_are_written(rows, first, bin_s):
    lines = [f"{first + i} {' '.join(map(str, row))}" for i, row in enumerate(rows)]
    log = "\n".join(["# evenflow-ns2-bins/1", f"# bin_s {bin_s}", *lines, "# end\n"]).encode()
    tables = assert_accounted("ns2-bins", [log])
    arrival = tables["arrival"]
    assert arrival.select(ns2_bins.COUNTS).rows() == rows
    assert arrival["t_end_s"].to_list() == pytest.approx(
        [(first + i) * bin_s for i in range(len(rows))], rel=1e-12
    )
    assert arrival["t_start_s"][1:].to_list() == arrival["t_end_s"][:-1].to_list()
