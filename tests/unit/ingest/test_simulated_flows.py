"""Which flow of a simulation is which: by nodes and ports, not by what a seed changes."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest.parse import parse_dataset
from monitored import document
from raw_data import ROOT, make_dataset
from small_logs import iperf2

# of the sender and the receiver: address and port
TWO_HOSTS = (("10.1.1.1", 49153, "10.1.9.1", 5000), ("10.1.2.1", 49153, "10.1.9.2", 5000))
TWO_PORTS = (("10.1.1.1", 49153, "10.1.9.1", 5000), ("10.1.1.1", 49154, "10.1.9.1", 5001))


def monitor(ends: tuple, first: int) -> bytes:
    """Return a file of FlowMonitor, which numbers the flow that begins first 1."""
    stats, of = [], []
    for n, i in enumerate((first, 1 - first), start=1):
        source, port, sink, to = ends[i]
        times = f'timeFirstTxPacket="+{n}e+09ns" timeFirstRxPacket="+{n}.1e+09ns" '
        times += 'timeLastTxPacket="+2e+10ns" timeLastRxPacket="+2.1e+10ns"'
        counts = 'txBytes="90000" rxBytes="90000" txPackets="90" rxPackets="90" lostPackets="0"'
        stats.append(f'<Flow flowId="{n}" {times} {counts}/>')
        of.append(f'<Flow flowId="{n}" sourceAddress="{source}" destinationAddress="{sink}" '
                  f'protocol="6" sourcePort="{port}" destinationPort="{to}"/>')  # fmt: skip
    return document(stats, of)


def ns2_trace(_: tuple, first: int) -> bytes:
    """Return a trace of ns-2 whose two flows have the default flow id, with their own nodes."""
    nodes = (0, 1) if first == 0 else (1, 0)
    return "".join(
        f"r {s}.{place}5 3 {4 + node} tcp 1000 ------- 0 {node}.0 {4 + node}.0 {s} {s}{place}\n"
        for s in range(12)
        for place, node in enumerate(nodes)
    ).encode()


def ns3_trace(ends: tuple, first: int) -> bytes:
    """Return an ASCII trace of ns-3 of the receivers' only node."""
    lines = []
    for s in range(12):
        for place, i in enumerate((first, 1 - first)):
            source, port, sink, to = ends[i]
            ip = (
                f"ns3::Ipv4Header (tos 0x0 ttl 63 id {s} protocol 6 length: 1500 {source} > {sink})"
            )
            tcp = f"ns3::TcpHeader ({port} > {to} [ACK] Seq={s} Ack=1 Win=1)"
            where = "/NodeList/3/DeviceList/1/$ns3::PointToPointNetDevice"
            back = (
                f"ns3::Ipv4Header (tos 0x0 ttl 64 id {s} protocol 6 length: 52 {sink} > {source})"
            )
            ack = f"ns3::TcpHeader ({to} > {port} [ACK] Seq=1 Ack={s} Win=1)"
            t = f"{s}.{place}5"
            lines.append(f"r {t} {where}/MacRx ns3::PppHeader (x) {ip} {tcp} Payload (size=1448)")
            lines.append(f"+ {t} {where}/TxQueue/Enqueue ns3::PppHeader (x) {back} {ack}")
    return ("\n".join(lines) + "\n").encode()


KINDS = {
    "FlowMonitor, hosts": (monitor, TWO_HOSTS, "10.1.1.1", "10.1.2.1"),
    "FlowMonitor, ports": (monitor, TWO_PORTS, "port 5000", "port 5001"),
    "ns-2": (ns2_trace, (), "node 0", "node 1"),
    "ns-3 ASCII, hosts": (ns3_trace, TWO_HOSTS, "10.1.1.1", "10.1.2.1"),
    "ns-3 ASCII, ports": (ns3_trace, TWO_PORTS, "port 5000", "port 5001"),
}
NAMES = {f"cubic_vs_bbr_seed{seed}.tr": first for seed, first in ((1, 0), (2, 1))}


def made(tmp_path, kind: str, yml: str = "", table: str = "") -> dict[str, pl.DataFrame]:
    log, ends, *_ = KINDS[kind]
    logs = {name: log(ends, first) for name, first in NAMES.items()}
    logs |= {"runs.csv": table.encode()} if table else {}
    return parse_dataset(make_dataset(tmp_path / "raw", logs, yml))


def ccas(tables) -> dict[str, set]:
    """Return the congestion controls of the flow of each sender and receiver in all runs."""
    stream = tables["stream"].drop_nulls("run_id").select("run_id", "flow_id", "local", "peer")
    found: dict[str, set] = {}
    both = tables["flow"].select("run_id", "flow_id", "cca")
    for local, peer, cca in both.join(stream, on=["run_id", "flow_id"])[
        "local", "peer", "cca"
    ].rows():
        found.setdefault(f"{peer} > {local}", set()).add(cca)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_flow_is_the_same_one_in_every_run_whichever_began_first(kind, tmp_path):
    tables = made(tmp_path, kind)
    assert sorted(map(sorted, ccas(tables).values())) == [["bbr"], ["cubic"]]
    assert tables["run"]["scenario_id"].n_unique() == 1
    (row,) = tables["assumption"].filter(what="cca").rows(named=True)
    one, other = KINDS[kind][2:]
    said = f"as listed in names, of 2 runs: flow 1 is that of {one}, flow 2 is that of {other}"
    assert row["value"] == said
    assert "is the same flow in every run" in row["because"]
    swapped = row["yaml"].partition("above:\n")[2].replace("# ", "", 1).replace("\n# ", "\n")
    again = made(tmp_path / "swapped", kind, swapped)
    assert {ends: {"cubic", "bbr"} - of for ends, of in ccas(tables).items()} == ccas(again)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_a_flow_says_more_than_the_order_of_a_name(kind, tmp_path):
    rows = [f"{name},{n},{cca}" for name in NAMES for n, cca in ((1, "bbr"), (2, "cubic"))]
    table = "\n".join(["run,flow,cca", *rows])
    tables = made(tmp_path, kind, "runs: runs.csv", table)
    assert tables["flow"].sort("run_id", "flow_id")["cca"].to_list() == ["bbr", "cubic"] * 2
    assert tables["assumption"].filter(what="cca").is_empty()


@pytest.mark.parametrize(
    ("yml", "table"),
    [
        ("runs: runs.csv", "run,flow,cca\ncubic_vs_bbr_seed2.tr,1,bbr"),
        ("runs: runs.csv", "run,flow,cca\ncubic_vs_bbr_seed2.tr,2,cubic"),
        ("runs: runs.csv", "run,cca1,cca2\ncubic_vs_bbr_seed2.tr,bbr,cubic"),
        ("flows: {2: {cca: cubic}}", ""),
    ],
)
def test_what_is_said_of_one_flow_leaves_the_other_name_to_the_other(yml, table, tmp_path):
    tables = made(tmp_path, "ns-2", yml, table)
    second = tables["flow"].filter(run_id="cubic_vs_bbr_seed2.tr").sort("flow_id")
    assert second["cca"].to_list() == ["bbr", "cubic"]


def test_a_row_with_what_no_name_lists_is_refused(tmp_path):
    yml = 'on_error: fail\nruns: runs.csv\nfiles: [{path: "{cca1}_vs_{cca2}_seed{seed}.tr"}]'
    with pytest.raises(DataError, match="cca is cubic by one source and reno by line 2"):
        made(tmp_path, "ns-2", yml, "run,flow,cca\ncubic_vs_bbr_seed2.tr,1,reno")


def test_a_row_that_contradicts_a_name_with_a_number_is_refused(tmp_path):
    yml = 'on_error: fail\nruns: runs.csv\nfiles: [{path: "r/flow{flow}_{cca}.txt"}]'
    logs = {f"r/flow{n}_{cca}.txt": iperf2() for n, cca in ((1, "cubic"), (2, "bbr"))}
    logs["runs.csv"] = b"run,flow,cca\nr/flow*_*.txt,2,cubic\n"
    with pytest.raises(DataError, match="cca is bbr by one source and cubic by line 2"):
        parse_dataset(make_dataset(tmp_path / "raw", logs, yml))


def test_hosts_come_as_one_counts(tmp_path):
    ends = (("10.1.10.1", 49153, "10.1.99.1", 5000), ("10.1.2.1", 49153, "10.1.99.2", 5000))
    tables = parse_dataset(make_dataset(tmp_path / "raw", {"a.xml": monitor(ends, 0)}, ""))
    of = tables["stream"].sort("flow_id")["peer"].to_list()
    assert of == ["10.1.2.1:49153", "10.1.10.1:49153"]


def test_hosts_of_a_testbed_come_as_one_counts_too(tmp_path):
    logs = {f"h{n}.log": iperf2(client=f"10.0.0.{n}", side="client") for n in (10, 2)}
    yml = 'files:\n  - path: "h{host}.log"\n'
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, yml))
    hosts = tables["stream"].sort("flow_id")["local"].str.split(":").list.first().to_list()
    assert hosts == ["10.0.0.2", "10.0.0.10"]


def test_logs_of_a_simulation_and_of_a_tool_may_be_one_run(tmp_path):
    logs = {"r/flow.xml": monitor(TWO_HOSTS, 0), "r/client.log": iperf2(side="client")}
    yml = 'files:\n  - path: "{run}/flow.xml"\n  - path: "{run}/client.log"\n'
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, yml))
    assert len(tables["flow"]) == 3


def test_flows_of_dataset_yml_may_not_name_what_no_name_lists(tmp_path):
    yml = "on_error: fail\nflows: {1: {cca: bbr}, 2: {cca: reno}}\n"
    logs = {"cubic_vs_bbr_seed1.xml": monitor(TWO_HOSTS, 0)}
    with pytest.raises(DataError, match=r"flow 2 is reno by 'flows', and names list cubic, bbr"):
        parse_dataset(make_dataset(tmp_path / "raw", logs, yml))


def test_a_name_does_not_overrule_the_log_of_a_senders_state(tmp_path):
    state = (ROOT / "tests/fixtures/formats/ss/plain.txt").read_bytes()
    logs = {"cubic_vs_bbr_run1.ss.txt": state}
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, ""))
    assert set(tables["flow"]["cca"]) == {"bbr"}
