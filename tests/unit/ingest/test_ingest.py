"""Ingest: every byte of real logs is accounted for, every sample leads back to its line."""

import json
import random

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest import reading
from evenflow.ingest.parse import parse_dataset
from evenflow.paths import printable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_data import (
    IPERF2,
    NS2_RUN,
    TESTBED_RUN,
    assert_ledger_adds_up,
    build_tables,
    content,
    make_dataset,
    make_ns2_run,
    make_testbed_run,
    rewrite,
)


@pytest.fixture(scope="module")
def testbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw") / "testbed"
    make_testbed_run(folder)
    return folder, build_tables(folder, tmp_path_factory.mktemp("derived"))


@pytest.fixture(scope="module")
def ns2(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw") / "ns2"
    make_ns2_run(folder)
    return folder, build_tables(folder, tmp_path_factory.mktemp("derived"))


# ---- the tables of the testbed ------------------------------------------------------------------


def test_run_of_the_testbed_in_si_units(testbed):
    row = testbed[1]["run"].row(0, named=True)
    assert row["dataset_id"] == "testbed"
    wanted = {
        "run_id": TESTBED_RUN,
        "scenario_id": TESTBED_RUN.removesuffix("/r1"),
        "role": "comparison",
        "ccas": "newreno-bic",
        "n_flows": 2,
        "repeat": 1,
        "seed": 417120779,
        "platform": "testbed",
        "tool": "iperf",
        "tool_version": "2.1.8",
        "duration_s": 300.0,
        "bottleneck_bps": 100e6,
        "base_rtt_s": 0.1,
        "buffer_bytes": 750000,
        "buffer_bdp": 0.6,
        "aqm": "droptail",
        "warmup_s": None,
    }
    assert {key: row[key] for key in wanted} == wanted
    factors = {"host_profile": "period", "jitter_us": 50.0, "router_model": "router"}
    assert json.loads(row["factors"]) == factors
    assert json.loads(row["observed"])["queue_max_bytes"] == 749520


def test_flows_of_the_testbed_take_the_receivers_side(testbed):
    flow = testbed[1]["flow"]
    assert flow.select("flow_id", "cca", "base_rtt_s", "start_s", "mss_bytes", "side").rows() == [
        (1, "newreno", 0.1, 0.0, 1448, "receiver"),
        (2, "bic", 0.1, 60.28, 1448, "receiver"),
    ]
    assert not flow["start_is_assumed"].any()


def test_iperf_counts_from_the_start_of_its_flow_and_is_shifted_to_the_runs_clock(testbed):
    second = testbed[1]["sample"].filter(flow_id=2)
    # '[  1] 0.0000-1.0000 sec  1613132 Bytes  12905056 bits/sec', line 8 of flow2.server.log.gz
    first = second.row(0, named=True)
    assert (first["t_start_s"], first["t_end_s"]) == (60.28, 61.28)
    assert (first["bytes"], first["throughput_bps"], first["line"]) == (1613132, 12905056.0, 8)
    # its last, partial interval: 239.0000-239.9670
    assert second.row(-1, named=True)["t_end_s"] == pytest.approx(60.28 + 239.967, abs=1e-9)
    assert second["path"].unique().to_list() == [f"{TESTBED_RUN}/flow2.server.log.gz"]
    assert testbed[1]["sample"].filter(flow_id=1)["t_start_s"][0] == 0.0


def test_the_clock_of_ns2_is_the_runs_and_is_not_shifted(ns2):
    sample = ns2[1]["sample"]
    for flow_id in (1, 2):
        ends = sample.filter(flow_id=flow_id)["t_end_s"]
        assert ends.to_list() == [float(i) for i in range(1, 301)]
    assert ns2[1]["flow"].filter(flow_id=2)["start_s"][0] == 60.283716
    assert ns2[1]["flow"]["side"].to_list() == ["receiver", "receiver"]
    before = sample.filter(pl.col("flow_id") == 2, pl.col("t_end_s") <= 60)
    assert before["bytes"].sum() == 0


def test_window_in_packets_becomes_bytes(ns2):
    log = content(ns2[0] / NS2_RUN / "goodput.log.gz").split(b"\n")
    row = ns2[1]["sample"].filter(flow_id=1, t_end_s=200.0).row(0, named=True)
    words = log[row["line"] - 1].split()
    assert (int(words[1]), int(words[2])) == (1, row["bytes"])
    assert row["cwnd_bytes"] == pytest.approx(float(words[3]) * 1448, rel=1e-12)
    assert row["rtt_s"] == float(words[4])


def test_queue_and_drops_of_ns2(ns2):
    queue, drop = ns2[1]["queue_sample"], ns2[1]["packet_drop"]
    assert len(queue) == 300 and len(drop) == 73
    assert queue["t_s"].is_sorted() and drop["t_s"].is_sorted()
    assert set(drop["flow_id"]) <= {1, 2}
    assert set(drop["run_id"]) == set(queue["run_id"]) == {NS2_RUN}


@pytest.mark.parametrize("platform", ["testbed", "ns2"])
def test_every_sample_leads_back_to_a_line_that_holds_its_bytes(platform, request):
    folder, tables = request.getfixturevalue(platform)
    logs = {}
    for path, line, n_bytes in tables["sample"].select("path", "line", "bytes").rows():
        lines = logs.setdefault(path, content(folder / path).split(b"\n"))
        assert str(n_bytes).encode() in lines[line - 1].split()


@pytest.mark.parametrize("platform", ["testbed", "ns2"])
def test_the_ledger_accounts_for_every_byte(platform, request):
    folder, tables = request.getfixturevalue(platform)
    ledger = tables["ledger"]
    assert_ledger_adds_up(folder, ledger)
    assert ledger.filter(entry="line").is_empty()
    assert ledger["lines_sample"].sum() == sum(
        len(tables[name]) for name in ("sample", "queue_sample", "packet_drop")
    )
    formats = dict(ledger.select("path", "format").rows())
    assert formats["dataset.yml"] == "metadata"
    run = TESTBED_RUN if platform == "testbed" else NS2_RUN
    assert formats[f"{run}/run.json"] == "run-record"


@pytest.mark.parametrize(
    ("settings_", "n_bytes", "bdp"),
    [
        ("buffer_pct: 60", 150000, 0.6),
        ("buffer_bdp: 0.6", 150000, 0.6),
        ("buffer_bytes: 150000", 150000, 0.6),
        ("buffer_packets: 100, mss_bytes: 1448", 150000, 0.6),
    ],
)
def test_the_buffer_in_any_unit_is_the_same(tmp_path, settings_, n_bytes, bdp):
    yml = (
        "files:\n  - path: 'r{repeat}/flow{flow}.log'\n"
        f"defaults: {{bottleneck_mbps: 100, rtt_ms: 20, {settings_}}}\n"
    )
    log = content(IPERF2 / "bits.server.log")
    folder = make_dataset(tmp_path / "raw", {"r1/flow1.log": log}, yml)
    row = build_tables(folder, tmp_path)["run"].row(0, named=True)
    assert row["buffer_bytes"] == n_bytes
    assert row["buffer_bdp"] == pytest.approx(bdp, abs=1e-15)
    assert row["buffer_packets"] == (100 if "buffer_packets" in settings_ else None)


@pytest.mark.parametrize(
    ("yml", "n_bytes"),
    [
        ("flows: {1: {mss_bytes: 1448}, 2: {mss_bytes: 1448}}", 150_000),
        ("flows: {1: {mss_bytes: 1448}, 2: {mss_bytes: 948}}", None),  # which packets are they?
        ("flows: {1: {mss_bytes: 1448}, 2: {mss_bytes: 948, cross_traffic: true}}", 150_000),
        ("", 3_282_000),  # of the 32,768 bytes that the logs say, and headers
    ],
)
def test_a_buffer_in_packets_is_known_in_bytes_where_all_flows_have_the_same(
    tmp_path, yml, n_bytes
):
    files = "files: [{path: 'r{repeat}/flow{flow}.log'}]\ndefaults: {buffer_packets: 100}\n"
    logs = {f"r1/flow{n}.log": content(IPERF2 / "bits.server.log") for n in (1, 2)}
    run = build_tables(make_dataset(tmp_path / "raw", logs, files + yml), tmp_path)["run"]
    assert run.select("buffer_packets", "buffer_bytes").row(0) == (100, n_bytes)


@pytest.mark.parametrize(
    ("flows", "rtt_s", "n_bytes"),
    [
        ("rtt_ms: 40", 0.04, 50_000),
        # not that of cross traffic, which no fairness is of
        ("rtt_ms: 40}\nflows: {3: {rtt_ms: 200, cross_traffic: true}", 0.04, 50_000),
        ("mss_bytes: 1448}\nflows: {1: {rtt_ms: 40}, 2: {rtt_ms: 40}, 3: {cross_traffic: true}",
         0.04, 50_000),
        ("rtt_ms: 40}\nflows: {3: {rtt_ms: 80}", None, 100_000),  # the longest of several
        ("mss_bytes: 1448}\nflows: {2: {rtt_ms: 44}", None, None),  # of two nothing says it
        # no other flow
        (f"rtt_ms: 40}}\nflows: {{{', '.join(f'{n}: {{cross_traffic: true}}' for n in (1, 2, 3))}",
         0.04, 50_000),
    ],
)  # fmt: skip
def test_the_rtt_of_a_run_is_that_of_all_flows_that_are_compared(tmp_path, flows, rtt_s, n_bytes):
    yml = (
        "files:\n  - path: 'r{repeat}/flow{flow}.log'\n"
        f"defaults: {{bottleneck_mbps: 10, buffer_pct: 100, {flows}}}\n"
    )
    log = content(IPERF2 / "bits.server.log")
    logs = {f"r1/flow{n}.log": log for n in (1, 2, 3)}
    run = build_tables(make_dataset(tmp_path / "raw", logs, yml), tmp_path)["run"]
    assert run.select("base_rtt_s", "buffer_bytes").row(0) == (rtt_s, n_bytes)


@pytest.mark.parametrize(
    ("flows", "ccas"),
    [
        ("1: {cca: cubic}, 2: {cca: bbr}, 3: {cross_traffic: true}", "cubic-bbr"),
        ("1: {cca: cubic}, 2: {cca: bbr}", None),  # not the pairing 'cubic-bbr'
        ("2: {cca: bbr}, 3: {cross_traffic: true, cca: bic}", None),
    ],
)
def test_a_run_has_the_congestion_controls_of_all_of_its_flows_or_none(tmp_path, flows, ccas):
    yml = f"files:\n  - path: 'r{{repeat}}/flow{{flow}}.log'\nflows: {{{flows}}}\n"
    log = content(IPERF2 / "bits.server.log")
    logs = {f"r1/flow{n}.log": log for n in (1, 2, 3)}
    run = build_tables(make_dataset(tmp_path / "raw", logs, yml), tmp_path)["run"]
    assert run["ccas"].to_list() == [ccas]


def test_the_senders_report_counts_where_there_is_no_other(tmp_path):
    yml = "files:\n  - path: 'r{repeat}/flow{flow}.log'\n"
    log = content(IPERF2 / "enhanced.client.log")
    folder = make_dataset(tmp_path / "raw", {"r1/flow1.log": log}, yml)
    tables = build_tables(folder, tmp_path)
    assert tables["flow"]["side"].to_list() == ["sender"]
    assert tables["flow"]["start_from"].to_list() == ["log"]  # the only flow is the run's clock
    assert len(tables["sample"]) == 4


def test_where_both_ends_report_the_receiver_counts(tmp_path):
    yml = "files:\n  - path: 'r{repeat}/{end}_flow{flow}.log'\n"
    logs = {
        "r1/client_flow1.log": content(IPERF2 / "enhanced.client.log"),
        "r1/server_flow1.log": content(IPERF2 / "enhanced.server.log"),
    }
    folder = make_dataset(tmp_path / "raw", logs, yml.replace("{end}", "server"))
    with pytest.raises(DataError, match=r"client_flow1\.log: no pattern"):
        parse_dataset(folder)
    both = yml.replace("{end}", "server") + "  - path: 'r{repeat}/client_flow{flow}.log'\n"
    tables = build_tables(make_dataset(tmp_path / "raw", logs, both), tmp_path)
    assert tables["flow"]["side"].to_list() == ["receiver"]
    assert tables["sample"]["path"].unique().to_list() == ["r1/server_flow1.log"]
    assert_ledger_adds_up(folder, tables["ledger"])


# ---- nothing is lost ----------------------------------------------------------------------------


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), junk=st.binary(min_size=1, max_size=80))
def test_junk_mixed_into_real_logs_is_in_the_ledger_line_by_line(tmp_path_factory, seed, junk):
    folder = tmp_path_factory.mktemp("junk")
    run = make_testbed_run(folder, more_yml="on_error: quarantine\n")
    draw = random.Random(seed)
    for flow in (1, 2):
        log = run / f"flow{flow}.server.log.gz"
        lines = content(log).split(b"\n")
        for _ in range(draw.randint(0, 4)):
            lines.insert(draw.randint(10, len(lines)), junk)
        at = draw.randint(10, len(lines) - 2)
        lines[at] = lines[at][: draw.randint(0, len(lines[at]))]
        rewrite(log, b"\n".join(lines))
    tables = build_tables(folder, tmp_path_factory.mktemp("derived"))
    ledger = tables["ledger"]
    assert_ledger_adds_up(folder, ledger)
    rejected = ledger.filter(entry="line")
    assert len(rejected) == ledger["lines_rejected"].sum()
    for path, line, text in rejected.select("path", "line", "text").rows():
        raw = content(folder / path).split(b"\n")[line - 1]
        line_text = raw.rstrip(b"\r").decode("utf-8", "backslashreplace")
        assert text == printable(line_text, keep="\t")  # it may be shown in a terminal


def test_a_cut_log_is_an_error_before_anything_is_handed_on(tmp_path):
    run = make_testbed_run(tmp_path)
    log = run / "flow1.server.log.gz"
    rewrite(log, content(log)[:-60])
    with pytest.raises(DataError, match=r"flow1\.server\.log\.gz:310: .*truncated or mixed"):
        parse_dataset(tmp_path)


def test_under_quarantine_the_ledger_lists_the_files_and_the_rest_works(tmp_path):
    run = make_testbed_run(tmp_path / "raw", more_yml="on_error: quarantine\n")
    make_second_run(run)
    broken = run.parent / "r2/flow2.server.log.gz"
    broken.write_bytes(broken.read_bytes()[:900])
    tables = build_tables(tmp_path / "raw", tmp_path)
    assert tables["run"]["run_id"].to_list() == [TESTBED_RUN]
    assert set(tables["sample"]["run_id"]) == {TESTBED_RUN}
    files = tables["ledger"].filter(pl.col("run_id") == TESTBED_RUN.replace("r1", "r2"))
    by_format = {row["format"]: row for row in files.rows(named=True)}
    assert set(by_format) == {"unreadable", "left-out"}
    assert by_format["unreadable"]["path"].endswith("r2/flow2.server.log.gz")
    assert "truncated or damaged" in by_format["unreadable"]["reason"]
    assert by_format["unreadable"]["bytes"] == 900
    assert by_format["unreadable"]["content_bytes"] is None
    assert len(files) == 6
    assert files["reason"].str.contains("flow2.server.log.gz|truncated").all()
    assert files["lines_sample"].sum() == 0


def test_a_log_without_intervals_is_named_as_such(tmp_path):
    run = make_testbed_run(tmp_path / "raw")
    log = run / "flow2.server.log.gz"
    lines = content(log).split(b"\n")
    reports = [line for line in lines if b" sec " in line]
    rewrite(log, b"\n".join(line for line in lines if line not in reports[:-1]))
    with pytest.raises(DataError, match="sample of flow 2, only a final report") as error:
        parse_dataset(tmp_path / "raw")
    assert "measure again with -i 1" in error.value.remedy
    # nobody described the same logs: the run is left out, and the ledger says why
    (tmp_path / "raw/dataset.yml").unlink()
    (run / "run.json").unlink()
    make_second_run(run)
    rewrite(run.parent / "r2/flow2.server.log.gz", b"\n".join(lines))
    for path in run.parent.glob("r2/flow*.gz"):  # of another day, or they would be copies
        rewrite(path, content(path).replace(b"2000-01-01", b"2000-01-02"))
    tables = parse_dataset(tmp_path / "raw")
    left_out = tables["file"].filter(pl.col("problem").str.contains("only a final report"))
    assert left_out["path"].str.contains("/r1/").all()
    assert len(left_out) > 0


def make_second_run(run):
    second = run.parent / "r2"
    second.mkdir()
    for file in run.iterdir():
        data = file.read_bytes().replace(b'"repeat": 1', b'"repeat": 2')
        (second / file.name).write_bytes(data)


def test_parsing_in_batches_changes_nothing(tmp_path, monkeypatch):
    make_second_run(make_testbed_run(tmp_path))
    whole = parse_dataset(tmp_path)
    monkeypatch.setattr(reading, "BATCH_BYTES", 1000)
    in_batches = parse_dataset(tmp_path)
    assert all(whole[name].equals(in_batches[name]) for name in whole)
