"""What is TCP and what is not: datagrams beside TCP are cross traffic, and not compared."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import in_chunks
import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest.parse import _with_protocols, parse_dataset
from evenflow.metrics.fairness import compared
from evenflow.tables import write_table
from iperf_logs import server
from monitored import document
from pasted import CONFIGURED_S, analysed
from raw_data import ROOT, build_tables, content, make_dataset
from small_logs import iperf3_json

TRACES = ROOT / "tests/fixtures/formats/ns2-trace"
SACK_CBR = content(TRACES / "sack-cbr.tr")


def trace(sources: dict[int, tuple[str, int, int, int]]) -> bytes:
    """Return a trace of ns-2 as in tests/fixtures/formats/ns2-trace, of packets at their sinks.

    Args:
        sources: for each flow id the name of its packets, packets a second, and the seconds in
            which it sends: from, to. One packet more ends the last second.
    """
    lines = [
        (second + k / n, fid, kind)
        for fid, (kind, n, begin, end) in sources.items()
        for second in range(begin, end)
        for k in range(n)
    ]
    lines.append((max(end for *_, end in sources.values()), 1, sources[1][0]))
    text = [
        f"r {t:.6f} 3 {10 + fid} {kind} 1000 ------- {fid} {fid}.0 {10 + fid}.0 {i} {i}"
        for i, (t, fid, kind) in enumerate(sorted(lines))
    ]
    return ("\n".join(text) + "\n").encode()


# 8 kb a packet: two TCPs of 0.8 and 0.4 Mb/s, and 0.16 Mb/s of datagrams in the last 10 s of the
# 19 s whose samples count (all but the first)
RENOS = {1: ("tcp", 100, 0, 20), 2: ("tcp", 50, 0, 20)}
WITH_CBR = trace({**RENOS, 3: ("cbr", 20, 10, 20)})
UTILISATION = (800 + 400 + Fraction(160 * 10, 19)) / 2000


def metrics_of(folder, derived, warmup_s=0) -> dict[str, pl.DataFrame]:
    """Make the tables of a data set, and its metrics by the workflow's own script."""
    in_chunks.read_logs(folder, derived, warmup_s=warmup_s)
    in_chunks.settle_runs(folder, derived, [derived])
    return {path.stem: pl.read_parquet(path) for path in derived.glob("*.parquet")}


def flows_of(tables) -> list[tuple]:
    columns = ("flow_id", "cca", "protocol", "traffic", "cross_traffic")
    return tables["flow"].sort("flow_id").select(columns).rows()


def test_a_constant_bit_rate_has_no_congestion_control(tmp_path):
    folder = make_dataset(tmp_path / "raw", {"reno_vs_cbr/out.tr": SACK_CBR}, "")
    tables = build_tables(folder, tmp_path / "derived")
    assert flows_of(tables) == [
        (1, "reno", "tcp", None, False),
        (2, None, "udp", "cbr", True),
    ]
    run = tables["run"].row(0, named=True)
    assert (run["ccas"], run["n_flows"], run["n_cross_traffic"]) == ("reno", 1, 1)


def test_cross_traffic_is_in_utilisation_and_in_no_fairness(tmp_path):
    yml = "defaults: {bottleneck_mbps: 2}\n"
    folder = make_dataset(tmp_path / "raw", {"newreno_cbr.tr": WITH_CBR}, yml)
    tables = metrics_of(folder, tmp_path / "derived")
    assert [row[1:] for row in flows_of(tables)] == [
        ("newreno", "tcp", None, False),
        ("newreno", "tcp", None, False),
        (None, "udp", "cbr", True),
    ]
    metric = tables["run_metric"].row(0, named=True)
    assert metric["jfi"] == pytest.approx(float(Fraction(1200**2, 2 * (800**2 + 400**2))))
    assert metric["throughput_ratio"] == pytest.approx(2.0)
    assert metric["utilisation"] == pytest.approx(float(UTILISATION), rel=1e-9)
    assert metric["n_flows"] == 2
    # it is shown: it has a mean of its own, while it sends
    mean = tables["flow_metric"].filter(flow_id=3).row(0, named=True)
    assert mean["mean_throughput_bps"] == pytest.approx(160e3)
    assert mean["cross_traffic"]
    cells = set(tables["cell"]["metric"])
    assert "mean_throughput_bps_flow3" in cells
    # and it does not move the window, which all that are compared have in common
    assert tables["window"]["end_s"].to_list() == [pytest.approx(20, abs=0.05)]


def test_the_silence_of_a_source_that_has_stopped_counts(tmp_path):
    """It sends 0.16 Mb/s from 10 to 15 s of 20 s: its samples go on, as it may only be silent."""
    stops = trace({**RENOS, 3: ("cbr", 20, 10, 15)})
    folder = make_dataset(tmp_path / "raw", {"r1.tr": stops}, "defaults: {bottleneck_mbps: 2}\n")
    tables = metrics_of(folder, tmp_path / "derived")
    flow = tables["flow_metric"].filter(flow_id=3).row(0, named=True)
    assert flow["n_zero_samples"] == 5
    assert flow["mean_throughput_bps"] == pytest.approx(160e3 / 2)
    used = (800 + 400 + 160 * 5 / 19) / 2000
    assert tables["run_metric"]["utilisation"].item() == pytest.approx(used)


def test_tests_measure_it_as_the_workflow_does(tmp_path):
    """A source that begins late does not move the start of the steady state."""
    late = trace({**RENOS, 3: ("cbr", 20, 18, 20)})
    folder = make_dataset(tmp_path / "raw", {"r1.tr": late}, "")
    tables, in_tests = metrics_of(folder, tmp_path / "derived", CONFIGURED_S), analysed(folder)
    assert in_tests["window"]["warmup_s"].item() < 18
    for name in ("window", "flow_metric", "run_metric"):
        assert in_tests[name].equals(tables[name]), name


@pytest.mark.parametrize(
    ("more", "table"),
    [
        ("flows:\n  3: {cross_traffic: false}\n", ""),
        ("runs: runs.csv\n", "run,flow,cross_traffic\n{run},3,no\n"),
    ],
)
def test_dataset_yml_may_say_that_it_is_compared(more, table, tmp_path):
    logs = {"r1/out.tr": WITH_CBR}
    if table:
        logs["runs.csv"] = table.format(run="r1").encode()
    yml = f'files: [{{path: "r{{repeat}}/out.tr"}}]\n{more}'
    tables = metrics_of(make_dataset(tmp_path / "raw", logs, yml), tmp_path / "derived")
    assert tables["flow"]["cross_traffic"].to_list() == [False] * 3
    assert tables["run"]["n_flows"].to_list() == [3]
    assert tables["run_metric"]["n_flows"].to_list() == [3]
    assert tables["run_metric"]["jfi"].item() < 0.8


def test_dataset_yml_may_call_a_tcp_cross_traffic(tmp_path):
    yml = "flows:\n  2: {cross_traffic: true, cca: cubic}\n"
    folder = make_dataset(tmp_path / "raw", {"out.tr": trace(RENOS)}, yml)
    tables = metrics_of(folder, tmp_path / "derived")
    assert [row[1] for row in flows_of(tables)] == [None, "cubic"]
    assert tables["run"].select("n_flows", "n_cross_traffic").row(0) == (1, 1)
    # a flow next to cross traffic alone competes with none: there is no index of one
    assert tables["run_metric"]["jfi"].to_list() == [None]


def test_neither_yes_nor_no_is_an_error(tmp_path):
    logs = {"r1/out.tr": WITH_CBR, "runs.csv": b"run,flow,cross_traffic\nr1,3,perhaps\n"}
    yml = 'files: [{path: "r{repeat}/out.tr"}]\nruns: runs.csv\n'
    with pytest.raises(DataError, match=r"runs.csv:2: cross_traffic: 'perhaps' is neither") as e:
        parse_dataset(make_dataset(tmp_path, logs, yml))
    assert "write true or false" in str(e.value)


BANNER = b"Server listening on UDP port 5001\n"


@pytest.mark.parametrize("cut", [b"", BANNER])
def test_datagrams_of_iperf_beside_tcp(cut, tmp_path):
    logs = {  # the datagrams begin first, and the log may have lost its first lines
        "cubic_vs_bbr/h3_server.log": server(3, [13], 40, at=0, udp=True).replace(cut, b""),
        "cubic_vs_bbr/h1_server.log": server(1, [11], 40, at=5),
        "cubic_vs_bbr/h2_server.log": server(2, [12], 40, at=5),
    }
    tables = build_tables(make_dataset(tmp_path / "raw", logs, ""), tmp_path / "derived")
    assert len(tables["run"]) == 1
    assert flows_of(tables) == [
        (1, "cubic", "tcp", None, False),
        (2, "bbr", "tcp", None, False),
        (3, None, "udp", None, True),
    ]
    assert tables["run"].select("ccas", "n_flows", "n_cross_traffic").row(0) == ("cubic-bbr", 2, 1)


def test_reports_with_jitter_or_losses_say_that_a_connection_is_of_datagrams():
    stream = pl.DataFrame({"file_id": [0, 0, 0, 1], "stream": [1, 2, 3, 1]}).with_columns(
        protocol=pl.Series([None, None, "tcp", None], dtype=pl.String)
    )
    interval = pl.DataFrame(
        [(0, 1, 0.1, None), (0, 1, None, None), (0, 3, None, None), (1, 1, None, 2)],
        schema={
            "file_id": pl.Int64,
            "stream": pl.Int64,
            "jitter_s": pl.Float64,
            "lost_packets": pl.Int64,
        },
        orient="row",
    )
    found = _with_protocols(stream, interval)
    assert found.columns == stream.columns
    assert found["protocol"].to_list() == ["udp", None, "tcp", "udp"]
    assert _with_protocols(stream, interval[1:3]).equals(stream)


def test_where_all_is_datagrams_their_fairness_is_measured(tmp_path):
    logs = {f"run1/h{i}_server.log": server(i, [10 + i], 40, udp=True, mbps=i) for i in (1, 2)}
    tables = metrics_of(make_dataset(tmp_path / "raw", logs, ""), tmp_path / "derived")
    assert tables["flow"]["protocol"].to_list() == ["udp", "udp"]
    assert tables["flow"]["cross_traffic"].to_list() == [False, False]
    assert tables["run_metric"]["jfi"].item() == pytest.approx(9 / 10, rel=1e-2)


@pytest.mark.parametrize(
    ("kind", "protocol", "traffic"),
    [
        ("tcp", "tcp", None),
        ("udp", "udp", None),
        ("cbr", "udp", "cbr"),
        ("exp", "udp", "exp"),
        ("pareto", "udp", "pareto"),
        ("tcpFriend", "tfrc", "tcpFriend"),
        ("sctp", "sctp", None),
        ("tcpx", None, None),  # a name of nobody's: it is not said what it is
    ],
)
def test_names_of_packets_say_the_protocol(kind, protocol, traffic, tmp_path):
    folder = make_dataset(tmp_path, {"out.tr": trace({1: (kind, 5, 0, 4)})}, "")
    stream = parse_dataset(folder)["stream"]
    assert stream.select("protocol", "traffic").rows() == [(protocol, traffic)]


def test_compared_are_all_flows_of_a_table_that_says_nothing_else(tmp_path):
    flows = pl.DataFrame({"run_id": ["a"], "flow_id": [1]})
    write_table(flows, tmp_path / "flows.parquet")
    assert compared(flows).equals(flows)
    assert compared(flows.with_columns(cross_traffic=pl.lit(True))).is_empty()


def check_cross_traffic(folder: Path, cross: list[bool]) -> None:
    """Check which flows are cross traffic, and that the page says why."""
    tables = parse_dataset(folder)
    assert tables["flow"].sort("flow_id")["cross_traffic"].to_list() == cross
    said = tables["assumption"].filter(what="cross_traffic")["because"].to_list()
    assert ["in the opposite direction" in because for because in said] == [True] * any(cross)


def crossing(*ways: list[int], kinds: str = "tcp " * 9) -> bytes:
    """Return a trace of 20 s of flows 1, 2, ..., of the nodes that the packets of each pass.

    Args:
        ways: the nodes.
        kinds: the name of the packets of each flow.
    """
    names = dict(enumerate(kinds.split(), start=1))
    text = [
        f"r {i / 10 + k / 1000:.6f} {start} {end} {names[fid]} 1000 ------- {fid} "
        f"{way[0]}.0 {way[-1]}.0 {i} {i}"
        for i in range(201)
        for k in range(max(map(len, ways)) - 1)
        for fid, way in enumerate(ways, start=1)
        for start, end in [way[k : k + 2]]
    ]
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize(
    ("ways", "cross"),
    [
        ([[0, 3, 4, 5], [1, 3, 4, 6], [7, 4, 3, 2]], [False, False, True]),
        ([[7, 4, 3, 2], [0, 3, 4, 5]], [False, True]),  # the first counts
        ([[0, 3, 4, 5], [5, 4, 3, 1]], [False, True]),  # the link is the first's last but one
        ([[0, 3, 4, 5], [1, 3, 4, 6]], [False, False]),
        # it comes back over one link, and goes with the other over the next
        ([[0, 3, 4, 6, 5], [4, 3, 7, 6, 5]], [False, False]),
    ],
)
def test_a_flow_that_crosses_the_link_of_an_ns2_trace_the_other_way_is_not_compared(
    ways, cross, tmp_path
):
    folder = make_dataset(tmp_path / "raw", {"reno/out.tr": crossing(*ways)}, "")
    check_cross_traffic(folder, cross)


def across(*ways: list[tuple[int, str]]) -> bytes:
    """Return an ASCII trace of ns-3 of 3 s of TCP flows, of the nodes that each passes.

    Args:
        ways: nodes; between the first and the last one, the addresses of both ends are theirs.
    """
    lines = []
    for i in range(61):
        for port, way in enumerate(ways, start=49153):
            for k, (start, end) in enumerate(pairwise(way)):
                packet = (
                    "ns3::PppHeader (Point-to-Point Protocol: IP (0x0021)) ns3::Ipv4Header (tos "
                    f"0x0 DSCP Default ECN Not-ECT ttl {64 - k} id {i} protocol 6 offset (bytes) 0 "
                    f"flags [none] length: 1500 10.1.{way[0]}.1 > 10.1.{way[-1]}.1) "
                    f"ns3::TcpHeader ({port} > 5000 [ACK] Seq={1 + 1448 * i} Ack=1 Win=32768) "
                    "Payload (size=1448)"
                )
                device = "DeviceList/1/$ns3::PointToPointNetDevice"
                for event, node, at in (("+", start, "TxQueue/Enqueue"), ("r", end, "MacRx")):
                    t_s = i / 20 + k / 1000 + (event == "r") / 2000
                    place = f"/NodeList/{node}/{device}/{at}"
                    lines.append((t_s, f"{event} {t_s:.6g} {place} {packet}"))
    return "\n".join([line for _, line in sorted(lines)] + [""]).encode()


@pytest.mark.parametrize(
    ("ways", "cross"),
    [
        ([[0, 2, 3, 4], [5, 3, 2, 1]], [False, True]),
        ([[0, 2, 3, 4], [1, 2, 3, 5]], [False, False]),
    ],
)
def test_a_flow_that_crosses_the_link_of_an_ns3_trace_the_other_way_is_not_compared(
    ways, cross, tmp_path
):
    """Each flow has hosts and networks of its own."""
    folder = make_dataset(tmp_path / "raw", {"all.tr": across(*ways)}, "")
    check_cross_traffic(folder, cross)


def test_datagrams_do_not_say_which_direction_is_compared(tmp_path):
    """The most TCPs go one way, the most flows the other."""
    ways = [[0, 3, 4, 5], [1, 3, 4, 6], [7, 4, 3, 2], [7, 4, 3, 8], [7, 4, 3, 9]]
    trace = crossing(*ways, kinds="tcp tcp tcp cbr cbr")
    tables = parse_dataset(make_dataset(tmp_path / "raw", {"reno/out.tr": trace}, ""))
    cross = tables["flow"].sort("flow_id")["cross_traffic"].to_list()
    assert cross == [False, False, True, True, True]


def test_uploads_of_a_test_of_flent_are_not_compared_with_its_downloads(tmp_path):
    log = ROOT / "tests/fixtures/formats/flent/rrul_be.flent.gz"
    tables = parse_dataset(make_dataset(tmp_path / "raw", {log.name: log.read_bytes()}, ""))
    cross = tables["flow"].sort("flow_id")["cross_traffic"].to_list()
    assert cross == [False] * 4 + [True] * 4  # as many each way: the first of the file count
    (said,) = tables["assumption"].filter(what="cross_traffic")["because"]
    assert "in the opposite direction" in said
    assert "(flow 1 is 'TCP download BE', 2 is 'TCP download BE2'" in said
    assert "5 is 'TCP upload BE'" in said


def monitored(*ends: tuple[str, str]) -> bytes:
    """Return a file of ns-3's FlowMonitor with a TCP flow from each first address to the second."""
    times = ("FirstTx", "+1e+09ns"), ("FirstRx", "+1.1e+09ns"), ("LastTx", "+9e+09ns")
    said = " ".join(f'time{k}Packet="{v}"' for k, v in (*times, ("LastRx", "+9.1e+09ns")))
    counts = 'txBytes="9000" rxBytes="9000" txPackets="9" rxPackets="9" lostPackets="0"'
    stats = [f'<Flow flowId="{n}" {said} {counts}/>' for n, _ in enumerate(ends, start=1)]
    ports = 'protocol="6" sourcePort="49153" destinationPort="5000"'
    of = [
        f'<Flow flowId="{n}" sourceAddress="{a}" destinationAddress="{b}" {ports}/>'
        for n, (a, b) in enumerate(ends, start=1)
    ]
    return document(stats, of)


@pytest.mark.parametrize(
    ("ends", "cross"),
    [
        ([("10.1.1.1", "10.1.3.1"), ("10.1.3.1", "10.1.1.1")], [False, True]),
        # between the networks of two flows
        (
            [("10.1.3.2", "10.1.1.2"), ("10.1.1.1", "10.1.3.1"), ("10.1.1.3", "10.1.3.3")],
            [False, False, True],  # in the order of their senders
        ),
        ([("10.1.1.1", "10.1.3.1"), ("10.1.2.1", "10.1.4.1")], [False, False]),
    ],
)
def test_a_flow_of_flowmonitor_that_goes_the_other_way_is_not_compared(ends, cross, tmp_path):
    folder = make_dataset(tmp_path / "raw", {"flow.xml": monitored(*ends)}, "")
    check_cross_traffic(folder, cross)


# ten packets a second each, of 8 kb: 0.08 Mb/s there, and as much back
BOTH_WAYS = crossing([0, 3, 4, 5], [5, 4, 3, 1])


@pytest.mark.parametrize(
    ("said", "compared_flows"),
    [
        ("", [1]),
        ("flows: {2: {cross_traffic: true}}", [1]),  # the line that the page proposes
        ("flows: {1: {cross_traffic: true}, 2: {cross_traffic: false}}", [2]),
    ],
)
def test_what_goes_the_opposite_way_is_not_in_utilisation(said, compared_flows, tmp_path):
    yml = f"defaults: {{bottleneck_mbps: 0.09}}\n{said}\n"
    folder = make_dataset(tmp_path / "raw", {"reno/out.tr": BOTH_WAYS}, yml)
    tables = metrics_of(folder, tmp_path / "derived")
    flow = tables["flow"].sort("flow_id")
    assert flow.filter(~pl.col("cross_traffic"))["flow_id"].to_list() == compared_flows
    assert flow["opposite"].to_list() == flow["cross_traffic"].to_list()
    assert tables["flow_metric"]["opposite"].sum() == 1
    assert tables["run_metric"]["utilisation"].to_list() == pytest.approx([8 / 9], rel=1e-2)
    assert "more than the bottleneck" not in tables["finding"]["check"].to_list()


def test_cross_traffic_that_goes_the_same_way_stays_in_utilisation(tmp_path):
    ways = [[0, 3, 4, 5], [1, 3, 4, 6], [5, 4, 3, 1]]
    yml = "defaults: {bottleneck_mbps: 0.2}\nflows: {2: {cross_traffic: true}}\n"
    folder = make_dataset(tmp_path / "raw", {"reno/out.tr": crossing(*ways)}, yml)
    tables = metrics_of(folder, tmp_path / "derived")
    assert tables["flow"].sort("flow_id")["opposite"].to_list() == [False, False, True]
    assert tables["run_metric"]["utilisation"].to_list() == pytest.approx([0.8], rel=1e-2)


def test_both_directions_are_in_utilisation_if_both_are_compared(tmp_path):
    yml = "defaults: {bottleneck_mbps: 0.2}\nflows: {2: {cross_traffic: false}}\n"
    folder = make_dataset(tmp_path / "raw", {"reno/out.tr": BOTH_WAYS}, yml)
    tables = metrics_of(folder, tmp_path / "derived")
    assert not tables["flow"]["opposite"].any()
    assert tables["run_metric"]["utilisation"].to_list() == pytest.approx([0.8], rel=1e-2)


@pytest.mark.parametrize("yml", ["", 'files:\n  - path: "run{run}_{host}.json"\n'])
def test_udp_on_the_address_and_ports_of_a_tcp_flow_is_a_flow_of_its_run(yml, tmp_path):
    logs = {"run1_cubic.json": iperf3_json(mbps=20.0), "run1_bbr.json": iperf3_json(mbps=60.0)}
    port = json.loads(logs["run1_cubic.json"])["start"]["connected"][0]["local_port"]
    datagrams = json.loads(iperf3_json(mbps=5.0, protocol="UDP"))
    datagrams["start"]["connected"][0]["local_port"] = port
    logs["run1_udp.json"] = json.dumps(datagrams, indent=1).encode()
    tables = parse_dataset(make_dataset(tmp_path, logs, yml))
    assert len(tables["run"]) == 1
    assert tables["flow"].sort("flow_id")["cross_traffic"].to_list() == [False, False, True]
