"""Traces of queues and of senders that lie in folders with or without the logs of their flows.

Every sample line must reach a table, under a run, and the lines that are offered must say the same.
"""

from __future__ import annotations

from dataclasses import fields, replace
from types import SimpleNamespace

import polars as pl
import pytest
from evenflow.checks.traces import flows_not_received, runs_of_traces, traces_of_nobody
from evenflow.ingest.entities import Entry, Group, Stream
from evenflow.ingest.numbering import _flow_of_state
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.traces import (
    _may_be_of,
    attach_traces,
    during,
    is_trace,
    only_traces,
    read_trace_names,
)
from iperf_logs import client, server
from offered_lines import assert_offered_lines_say_the_same
from pasted import analysed
from raw_data import ROOT, build_tables, content, make_dataset

FORMATS = ROOT / "tests/fixtures/formats"
NS3 = FORMATS / "ns3-tcp-variants/one-flow"
TRACE = content(FORMATS / "ns2-trace/dumbbell.tr.gz")
OTHER_TRACE = TRACE + b"\n"  # no copy of it
QUEUE = content(FORMATS / "ns2-queue/monitor-queue.log")
OTHER_QUEUE = QUEUE + b"\n"
DROPS = content(FORMATS / "ns2-trace/drops-only.tr")
BOTH_CWND = content(FORMATS / "ns2-variable/two-flows.tr")
OBJECT = content(FORMATS / "ns2-variable/trace-object.tr")


def ns3(variable: str) -> bytes:
    return content(NS3 / f"TcpVariantsComparison-{variable}.data")


GUIDE = (ROOT / "docs/guides/adding-data.md").read_text(encoding="utf-8")
EXAMPLE = GUIDE.partition("complete example:")[2].partition("```yaml\n")[2].partition("```")[0]
CWND = "".join(f"{i / 2:.1f} {20 + i % 10}\n" for i in range(1, 100)).encode()


def example(ccas: tuple[str, str], said: str = "", prefix: str = "") -> dict[str, bytes]:
    """Return the files of the guide's example, whose files of windows name these."""
    logs = {"plot.py": b"", "runs.csv": f"run,aqm\n{said}".encode()}
    for run in (1, 2, 3):
        for flow, cca in enumerate(ccas, start=1):
            end = f"rtt40_run{run}_flow{flow}.txt"
            logs[f"cubic_vs_reno_{end}"] = server(9, [flow], 70 - 10 * flow, port=40000 + 10 * run)
            logs[f"{prefix}cwnd_{cca}_{end}"] = CWND + b"50 %d\n" % (10 * run + flow)
    return logs


def windows_of(tables) -> list[tuple[str, int]]:
    """Return of which run and flow the files of windows are."""
    files = tables["file"].filter(pl.col("path").str.contains("cwnd")).select("file_id")
    found = tables["stream"].join(files, on="file_id").sort("run_id", "flow_id")
    return found.select("run_id", "flow_id").rows()


@pytest.mark.parametrize(
    ("ccas", "pattern"), [(("cubic", "reno"), "{cca}"), (("cubic", "cubic"), "{cca1}")]
)
def test_the_windows_of_the_guides_example_are_of_its_runs(ccas, pattern, tmp_path):
    yml = EXAMPLE.replace("cwnd_{cca}", f"cwnd_{pattern}")
    tables = parse_dataset(make_dataset(tmp_path / "raw", example(ccas), yml))
    run, flow = tables["run"], tables["flow"]
    runs = [f"cubic_vs_reno_rtt40_run{n}_flow*.txt" for n in (1, 2, 3)]
    assert run["run_id"].to_list() == runs
    assert flow.select("run_id", "flow_id", "cca").rows() == [
        (name, *of) for name in runs for of in ((1, "cubic"), (2, "reno"))
    ]
    assert tables["file"]["problem"].null_count() == len(tables["file"])
    assert windows_of(tables) == [(name, n) for name in runs for n in (1, 2)]


def test_traces_that_a_pattern_places_are_of_no_run_that_their_names_do_not_tell(tmp_path):
    def runs_of(name, logs, yml=EXAMPLE):
        tables = parse_dataset(make_dataset(tmp_path / name, logs, yml))
        return {run for run, _ in windows_of(tables)}

    yml = EXAMPLE.replace("flows:\n  2:", "flows:\n  1:")  # each has a flow 1
    yml = yml.replace("cwnd_{cca}", "cwnd_{cca1}")
    own = {f"cwnd_reno_rtt40_run{n}_flow*.txt" for n in (1, 2, 3)}
    assert runs_of("another's", example(("reno", "reno")), yml) == own
    below = EXAMPLE.replace("cwnd_{cca}", "traces/cwnd_{cca}")
    elsewhere = example(("cubic", "reno"), prefix="traces/")
    assert {run.split("/")[0] for run in runs_of("elsewhere", elsewhere, below)} == {"traces"}
    named = example(("reno", "reno"), said="cwnd_reno_rtt40_run1_flow*.txt,red\n")
    assert runs_of("named", named, yml) == own


CCAS = ("TcpBic", "TcpCubic", "TcpHtcp", "TcpNewReno", "TcpVegas", "TcpVeno")
# folder: logs, and for each run the number of its flows, of its rows of state and of the queue
LAYOUTS = {
    "traces of ns-3 of six congestion controls": (
        {f"{cca}-{v}.data": ns3(v) for cca in CCAS for v in ("cwnd", "rtt")},
        6,
    ),
    "traces of ns-3 of one run": ({f"x-{v}.data": ns3(v) for v in ("cwnd", "rtt", "ssth")}, 1),
    "traces of ns-3 with the sink's": (
        {f"x-{v}.data": ns3(v) for v in ("cwnd", "rtt", "next-rx")},
        1,
    ),
    "a queue alone": ({"queue.tr": QUEUE}, 1),
    "a queue of each setting": ({f"buf{b}pkts/queue.tr": QUEUE for b in (20, 50)}, 2),
    "a queue and senders": ({"queue.tr": QUEUE, "cwnd.tr": BOTH_CWND}, 1),
    "a file for each sender": ({f"cwnd{i}.tr": OBJECT for i in (1, 2)}, 1),
    "traces in a folder below": (
        {
            f"rep{r}/{name}": log
            for r in (1, 2)
            for name, log in {
                "out.tr": TRACE + r * b"\n",  # no copies of each other
                "traces/queue.tr": QUEUE,
                "traces/deep/cwnd1.tr": OBJECT,
                "traces/deep/cwnd2.tr": OBJECT,
            }.items()
        },
        2,
    ),
    "runs in one folder, with the names of their traces": (
        {
            f"{cca}_{kind}.tr": log
            for cca in ("reno", "vegas")
            for kind, log in (("out", TRACE if cca == "reno" else OTHER_TRACE), ("queue", QUEUE))
        },
        2,
    ),
    "a queue that may be of either run": (
        {"reno_out.tr": TRACE, "vegas_out.tr": OTHER_TRACE, "queue.tr": QUEUE},
        3,
    ),
    "traces of ns-3 beside logs of a testbed": (
        {"server.log": server(1, [11, 12]), "x-cwnd.data": ns3("cwnd")},
        2,
    ),
    "a queue beside a log of two flows": ({"run1/out.tr": TRACE, "run1/queue.tr": QUEUE}, 1),
    "queues of two links": (
        {
            f"run{r}/{name}.tr": log + r * b"\n"
            for r in (1, 2)
            for name, log in {"out": TRACE, "queue7": QUEUE, "queue8": OTHER_QUEUE}.items()
        },
        2,
    ),
    "drops of two links": (
        {"run1/out.tr": TRACE, **{f"run1/drops{n}.tr": DROPS + n * b"\n" for n in (7, 8)}},
        1,
    ),
    "one run, and a trace in another folder": ({"a/out.tr": TRACE, "b/queue.tr": QUEUE}, 1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_sample_of_a_trace_reaches_a_table(layout, tmp_path):
    logs, n_runs = LAYOUTS[layout]
    folder = make_dataset(tmp_path / "raw", logs, "")
    tables = build_tables(folder, tmp_path / "derived")
    assert len(tables["run"]) == n_runs
    ledger = tables["ledger"].filter(pl.col("lines_sample") > 0)
    assert ledger["run_id"].null_count() == 0
    assert set(ledger["run_id"]) == set(tables["run"]["run_id"])
    in_tables = {
        path
        for name in ("sample", "tcp_state", "queue_sample", "packet_drop")
        for path in tables[name]["path"]
    }
    assert in_tables == set(ledger["path"])
    for name in ("tcp_state", "queue_sample"):  # every line of traces, not only some
        read = tables[name].group_by("path").agg(pl.col("line").n_unique())
        wanted = dict(ledger.select("path", "lines_sample").rows())
        assert all(wanted[path] == n for path, n in read.rows())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_lines_that_are_offered_for_traces_say_the_same(layout, tmp_path):
    folder = make_dataset(tmp_path, LAYOUTS[layout][0], "")
    assert_offered_lines_say_the_same(folder, parse_dataset(folder))


def test_a_run_of_traces_has_no_metrics_of_throughput(tmp_path):
    folder = make_dataset(tmp_path / "raw", LAYOUTS["a queue and senders"][0], "")
    tables = build_tables(folder, tmp_path / "derived")
    assert tables["run"]["n_flows"].to_list() == [2]
    assert len(tables["sample"]) == 0
    said = parse_dataset(folder)["assumption"].filter(what="runs")["value"].to_list()
    assert said == ["1, by traces alone"]


def test_the_senders_state_is_that_of_their_flow(tmp_path):
    folder = make_dataset(tmp_path / "raw", LAYOUTS["traces in a folder below"][0], "")
    state = build_tables(folder, tmp_path / "derived")["tcp_state"]
    found = set(state.select("run_id", "flow_id", "path").unique().rows())
    assert found == {
        (f"rep{r}", i, f"rep{r}/traces/deep/cwnd{i}.tr") for r in (1, 2) for i in (1, 2)
    }


def found_in(logs, tmp_path) -> list[tuple]:
    """Return what the checks of traces find in a folder: check, severity, run, path."""
    folder = make_dataset(tmp_path / "raw", logs, "")
    tables = build_tables(folder, tmp_path / "derived")
    parsed = parse_dataset(folder)
    stream = parsed["stream"].join(parsed["file"].select("file_id", "path"), on="file_id")
    found = [runs_of_traces(tables["run"], tables["sample"], tables["ledger"])]
    found.append(traces_of_nobody(tables["ledger"], stream))
    found.append(flows_not_received(tables["ledger"], stream))
    return pl.concat(found).select("check", "severity", "run_id", "path").rows()


def test_a_run_of_traces_alone_is_named(tmp_path):
    logs = LAYOUTS["traces of ns-3 beside logs of a testbed"][0]
    assert found_in(logs, tmp_path) == [("run of traces alone", "note", "x-*.data", None)]


def test_a_run_of_which_no_line_could_be_used_has_no_traces():
    run = pl.DataFrame({"run_id": ["traced", "unread"]})
    sample = run.clear()
    ledger = pl.DataFrame(
        {
            "entry": ["file", "file", "line"],
            "run_id": ["traced", "unread", "unread"],
            "lines_sample": [9, 0, None],
        }
    )
    found = runs_of_traces(run, sample, ledger).select("check", "severity", "run_id").rows()
    assert found == [
        ("run of traces alone", "note", "traced"),
        ("run without a sample", "warning", "unread"),
    ]


def test_a_trace_of_which_nobody_says_the_flow_is_named(tmp_path):
    logs = {"out.tr": TRACE, "cwnd.tr": OBJECT, "queue.tr": QUEUE}  # two flows: of which of them?
    assert found_in(logs, tmp_path) == [("trace without a flow", "warning", "out.tr", "cwnd.tr")]


def test_a_trace_of_nobody_with_the_nodes_of_another_run_is_named():
    """Nodes of a simulator have the same addresses in all of its runs."""
    paths = ["r1/cwnd.tr", "r2/cwnd.tr"]
    ledger = pl.DataFrame({"path": paths, "run_id": ["r1", "r2"]}).with_columns(
        entry=pl.lit("file"), format=pl.lit("ns2-variable"), lines_sample=pl.lit(9)
    )
    stream = pl.DataFrame({"path": paths, "run_id": ["r1", None]}).with_columns(
        stream=pl.lit(0), local=pl.lit("0.0"), peer=pl.lit("4.0")
    )
    found = traces_of_nobody(ledger, stream).select("check", "path").rows()
    assert found == [("trace without a flow", "r2/cwnd.tr")]


def sockets(host: int, *connections: tuple[int, str, int]) -> bytes:
    """Return ten blocks of `ss -ti` of a host: port, the other end and cwnd of its connections."""
    blocks = [
        "".join(
            f"ESTAB 0 0 10.0.0.{host}:{port} {peer}\n\t cubic rto:224 rtt:20/1 mss:1448 cwnd:{cwnd}"
            " bytes_acked:2413077 bytes_received:28 lastrcv:1 retrans:0/0\n"
            for port, peer, cwnd in connections
        )
        for _ in range(10)
    ]
    head = "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
    return "".join(f"{1795443914 + t}.0\n{head}{of}" for t, of in enumerate(blocks)).encode()


@pytest.mark.parametrize("number", ["", "_flow{}"], ids=["by ends", "whatever flow the name says"])
@pytest.mark.parametrize("port", ["5001", "commplex-link"])
def test_connections_of_other_programs_are_not_in_a_flows_trace(number, port, tmp_path):
    logs = {}
    for host in (1, 2):
        own = (40000 + 10 * host, f"10.0.0.9:{port}", 51)
        name = number.format(host) or f"_h{host}"
        logs[f"run1/iperf{name}.log"] = client(host, 9, at=0)
        logs[f"run1/ss{name}.txt"] = sockets(host, (22, "10.0.0.8:50122", 10), own)
    folder = make_dataset(tmp_path / "raw", logs, "")
    tables = build_tables(folder, tmp_path / "derived")
    state = tables["tcp_state"].filter(variable="cwnd_packets").group_by("flow_id")
    state = state.agg(pl.len(), pl.col("value").unique())
    assert sorted(state.rows()) == [(1, 10, [51.0]), (2, 10, [51.0])]
    found = found_in(logs, tmp_path / "again")
    assert {row[:2] for row in found} == {("other connections in a trace", "note")}
    assert_offered_lines_say_the_same(folder, parse_dataset(folder))


def watched_runs(*hosts: int) -> dict[str, bytes]:
    """Return the runs of one flow of each host, and below them a log of all their connections."""
    shown = [(22, "10.0.0.8:50122", 10)]
    ss = b"".join(
        sockets(host, *shown, (40000 + 10 * host, "10.0.0.9:5001", host)) for host in hosts
    )
    logs = {f"run{i}/iperf.log": client(host, 9, at=0) for i, host in enumerate(hosts, 1)}
    return {**logs, "ss.txt": ss}


def test_a_log_above_several_runs_gives_each_its_own_connections(tmp_path):
    logs = watched_runs(1, 2, 3)
    folder = make_dataset(tmp_path / "raw", logs, "")
    state = build_tables(folder, tmp_path / "derived")["tcp_state"]
    state = state.filter(variable="cwnd_packets").group_by("run_id", "flow_id")
    rows = sorted(state.agg(pl.len(), pl.col("value").unique()).rows())
    assert [row[1:] for row in rows] == [(1, 10, [float(host)]) for host in (1, 2, 3)]
    assert len({row[0] for row in rows}) == 3
    found = found_in(logs, tmp_path / "again")
    assert {row[:2] for row in found} == {("other connections in a trace", "note")}
    assert_offered_lines_say_the_same(folder, parse_dataset(folder))


def test_a_log_of_connections_that_several_runs_have_is_of_none_without_dates(tmp_path):
    logs = watched_runs(1, 1)
    logs["run2/iperf.log"] = client(1, 9, at=0, mbps=8.0)  # no copy
    folder = make_dataset(tmp_path / "raw", logs, "")
    assumption = parse_dataset(folder)["assumption"].filter(value="1, by traces alone")
    (because,) = assumption["because"]
    assert because == "no folder, name or connection says which run with samples they belong to"


def link(start: int, end: int, *flows: tuple[int, int]) -> bytes:
    """Return a trace of one link of ns-2: a packet a second of flows, given with their sinks."""
    lines = [
        f"r {second}.{flow} {start} {end} tcp 1040 ------- {flow} 0.{flow} {sink}.0 {second} 1\n"
        for second in range(10)
        for flow, sink in flows
    ]
    return "".join(lines).encode()


def windows(*flows: int) -> bytes:
    """Return traces of the windows of ns-2's senders of `link`: ten values, of which each is a
    hundred times the flow's number."""
    lines = [
        f"{second}.00000  0  {flow}  3  0  cwnd_ {100 * flow}.0\n"
        for second in range(10)
        for flow in flows
    ]
    return "".join(lines).encode()


@pytest.mark.parametrize(
    "names",
    [
        ["cwnd1.tr", "cwnd2.tr", "cwnd3.tr"],
        ["cwnd0.tr", "cwnd1.tr", "cwnd2.tr"],
        ["cwnd10.tr", "cwnd20.tr", "cwnd30.tr"],
        ["cwnd-a.tr", "cwnd-b.tr", "cwnd-c.tr"],
        ["cwnd.tr"],
    ],
    ids=["their numbers", "from 0", "by ten", "no numbers", "one file"],
)
def test_a_window_of_ns2_is_of_the_flow_whose_ends_its_lines_name(names, tmp_path):
    flows = (1, 2, 3)
    logs = {"out.tr": link(2, 3, *((flow, 3) for flow in flows))}
    of_files = [(flow,) for flow in flows] if len(names) > 1 else [flows]
    logs |= {name: windows(*of) for name, of in zip(names, of_files, strict=True)}
    folder = make_dataset(tmp_path / "raw", logs, "")
    state = build_tables(folder, tmp_path / "derived")["tcp_state"]
    state = state.group_by("flow_id").agg(pl.len(), pl.col("value").unique())
    assert sorted(state.rows()) == [(flow, 10, [100.0 * flow]) for flow in flows]
    assert found_in(logs, tmp_path / "again") == []


@pytest.mark.quick
@pytest.mark.parametrize(
    ("peers", "watched", "flow"),
    [
        (["10.0.0.9:80", "10.0.0.9:5001"], "10.0.0.9:5001", 2),
        (["10.0.0.8:80", "10.0.0.9:80"], "10.0.0.9:http", 2),
        (["10.0.0.9:80", "10.0.0.9:5001"], "10.0.0.9:http", None),  # which of both?
        (["10.0.0.9:http", "10.0.0.9:5001"], "10.0.0.9:http", 1),
        (["10.0.0.9:http"], "10.0.0.9:ssh", None),  # another service
        (["10.0.0.9:5001"], "10.0.0.9:5002", None),
        (["fd00::9:5001", "fd00::a:5001"], "fd00::a:commplex-link", 2),
        (["[fd00::9]:5001", "[fd00::a]:5001"], "[fd00::a]:commplex-link", 2),
        (["fe80::9%eth0:5001"], "fe80::9%eth0:commplex-link", 1),
        (["fd00::1", "fd00::b"], "fd00::b", 2),  # without ports
        (["fd00::1", "fd00::c"], "fd00::b", None),
        (["server:5001"], "server:commplex-link", 1),
        (["6.0", "7.0"], "7.0", 2),  # nodes of ns-2
        (["6.0", "7.0"], "8.0", None),
        (["sink"], "other", None),
    ],
)
def test_a_connection_is_of_the_flow_of_its_ends(peers, watched, flow):
    nothing = dict.fromkeys((field.name for field in fields(Stream)), None)

    def of(peer):
        return Stream(**nothing | {"local": "10.0.0.1:40001", "peer": peer})

    flows = {number: [of(peer)] for number, peer in enumerate(peers, 1)}
    assert _flow_of_state(of(watched), None, flows, alone=False) == flow
    back = of(watched)
    back = replace(back, local=back.peer, peer=back.local)
    assert _flow_of_state(back, None, flows, alone=False) == flow


FIRST_LINK = link(2, 3, (1, 3), (2, 5), (3, 3))  # flow 2 goes on to node 5


@pytest.mark.parametrize(
    ("logs", "named"),
    [
        ({"out.tr": FIRST_LINK}, "flow 2 (0.2 to 5.0)"),
        ({"out.tr": link(2, 3, (1, 5), (2, 5))}, "flow 1 (0.1 to 5.0), flow 2 (0.2 to 5.0)"),
    ],
)
def test_a_flow_that_a_trace_ends_before_is_named(logs, named, tmp_path):
    folder = tmp_path / "study"
    for path, text in logs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
    finding = analysed(folder)["finding"].filter(check="flow without its sink")
    assert finding["severity"].to_list() == ["warning"]
    assert all(m.startswith(f"no table has the throughput of {named}:") for m in finding["message"])


def dropped(start: int, end: int, second: int) -> bytes:
    return f"d {second}.5 {start} {end} tcp 1040 ------- 1 0.1 3.0 {second} 1\n".encode()


def monitor(start: int, end: int) -> bytes:
    """Return the log of ns-2's queue monitor of a link."""
    return "".join(f"{t} {start} {end} 2080 2 9 7 0 9360 7280 0\n" for t in range(10)).encode()


def test_queues_and_drops_of_several_links_are_named(tmp_path):
    trace = link(2, 3, (1, 3)) + dropped(2, 3, 11)
    logs = {"out.tr": trace + dropped(3, 6, 12), "q1.tr": monitor(2, 3), "q2.tr": monitor(3, 6)}
    (tmp_path / "several").mkdir()
    for path, text in logs.items():
        (tmp_path / "several" / path).write_bytes(text)
    finding = analysed(tmp_path / "several")["finding"].filter(severity="warning")
    both = "packets dropped on 2 links: 2-3 (1), 3-6 (1)"
    assert finding.select("check", "message").rows() == [
        ("several links", f"the table packet_drop, of the bottleneck, has {both}"),
        ("several queues", "the rows of 2 logs are together in queue_sample: q1.tr, q2.tr"),
    ]
    assert finding["yaml"].str.starts_with("confirmed:").all()  # no run is left out for it
    (tmp_path / "one").mkdir()
    (tmp_path / "one/out.tr").write_bytes(trace)
    (tmp_path / "one/queue.tr").write_bytes(monitor(2, 3))
    assert "warning" not in analysed(tmp_path / "one")["finding"]["severity"]


def test_traces_that_lead_somewhere_are_not_named(tmp_path):
    assert found_in(LAYOUTS["traces in a folder below"][0], tmp_path) == []


@pytest.mark.parametrize(
    ("template", "n_runs"), [("4/queue_{number}.out", 0), ("{number}/queue.out", 1)]
)
def test_a_number_parts_a_trace_from_a_run_only_where_both_have_it_in_their_folders(
    template, n_runs
):
    log = Entry(0, "4/out.tr", None, format="ns2-trace", template="{number}/out.tr")
    trace = Entry(1, template.format(number=2), None, format="ns2-queue", template=template)
    log.values, trace.values = {"number": "4"}, {"number": "2"}
    log.pattern_run, trace.pattern_run = log.path, trace.path
    measuring = SimpleNamespace(measures=True, local=None, peer=None)  # else it is all traces
    runs = {"4": Group([log], [measuring])}
    assert attach_traces([trace], runs, {}) == n_runs
    assert (trace in runs["4"].files) == (n_runs == 0)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("after_s", "zone", "options", "is_during"),
    [
        (-2, None, None, True),  # dates are whole seconds
        (-3, None, None, False),
        (-12, None, '{"omit_s": 10}', True),  # before what the test counts
        (-13, None, '{"omit_s": 10}', False),
        (60, None, None, True),
        (61, None, None, False),
        (30, "CST", None, False),  # nobody knows how far its clock is from the other
        (None, None, None, False),
    ],
)
def test_a_trace_is_of_the_connection_that_was_there_when_it_began(
    after_s, zone, options, is_during
):
    began_s = None if after_s is None else 1.7e9 + after_s
    trace = SimpleNamespace(start_epoch_s=began_s, zone=zone)
    measured = SimpleNamespace(start_epoch_s=1.7e9, end_s=60.0, zone=None, options=options)
    assert during(trace, measured) is is_during


@pytest.mark.quick
@pytest.mark.parametrize(("labels", "given"), [({"number": "4"}, True), ({}, False)])
def test_of_two_runs_in_a_folder_a_trace_goes_to_the_one_that_has_what_its_name_says(labels, given):
    runs = {}
    measuring = SimpleNamespace(measures=True, local=None, peer=None)
    for i, (path, values) in enumerate({"out4.tr": {"number": "4"}, "sum.tr": {}}.items()):
        log = Entry(i, path, None, format="ns2-trace", template=path.replace("4", "{number}"))
        log.values, log.pattern_run = values, path
        runs[path] = Group([log], [measuring])
    trace = Entry(2, "queue4.out", None, format="ns2-queue", template="queue{number}.out")
    trace.values, trace.pattern_run = labels, trace.path
    attach_traces([trace], runs, {})
    assert (trace in runs["out4.tr"].files, trace in runs["sum.tr"].files) == (given, False)


def test_a_trace_goes_to_the_one_run_of_its_pattern_though_others_share_its_folder(tmp_path):
    """The queue's name has all that the first run's has; the second has another."""
    logs = {"reno_out.tr": TRACE, "vegas_out.tr": OTHER_TRACE, "reno_queue.tr": QUEUE}
    runs = parse_dataset(make_dataset(tmp_path / "raw", logs, ""))["file"]
    of_path = dict(runs.select("path", "run_id").rows())
    assert of_path["reno_queue.tr"] == of_path["reno_out.tr"] != of_path["vegas_out.tr"]


# ---- which run a trace is of, rule by rule -------------------------------------------------------

ENDS = ("10.0.0.1:40001", "10.0.0.2:5001")
DAY_S = 1.7e9  # since 1970


def log_at(path, file_id=0, *, kind="iperf2", pattern=None, **values) -> Entry:
    """Return a log as it is after its name was read."""
    entry = Entry(file_id, path, None, format=kind, values=values, template=path)
    entry.pattern_run = path if pattern is None else pattern
    for name, value in values.items():
        entry.template = entry.template.replace(value, f"{{{name}}}")
    return entry


def connection(ends=(None, None), *, measures=True, at_s=None):
    local, peer = ends
    about = {"start_epoch_s": None if at_s is None else DAY_S + at_s, "end_s": 60.0, "zone": None}
    about["options"] = None
    return SimpleNamespace(measures=measures, local=local, peer=peer, **about)


def homes(traces, runs, of_file=None) -> tuple[dict[str, str], int]:
    """Return {trace: the run that it is of}, and how many runs of nothing but traces there are."""
    runs = dict(runs)
    n = attach_traces(traces, runs, of_file or {})
    found = {e.path: name for name, run in runs.items() for e in run.files if e in traces}
    return found, n


def measured(*paths, kind="iperf2", **connections):
    """Return runs of a log each, by its path."""
    one = connection()
    return {path: Group([log_at(path, kind=kind)], [connections.get(path, one)]) for path in paths}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("paths", "trace", "home"),
    [
        (["a/x.log"], "a/queue.tr", "a/x.log"),
        (["a/x.log"], "a/deep/er/queue.tr", "a/x.log"),  # the nearest folder above with runs
        (["x.log", "a/y.log"], "a/queue.tr", "a/y.log"),
        (["x.log", "a/y.log"], "queue.tr", "x.log"),  # not that of a folder below
        (["a/b/x.log"], "a/queue.tr", "a/b/x.log"),  # the only one below
        (["a/b/x.log", "c/y.log"], "a/deep/queue.tr", "a/b/x.log"),
        (["a/x.log", "a/y.log"], "a/queue.tr", None),  # which of both?
        (["a/b/x.log", "a/c/y.log"], "a/queue.tr", None),
        (["ab/x.log", "c/y.log"], "a/queue.tr", None),
    ],
)
def test_a_trace_is_of_the_one_run_of_the_nearest_folder(paths, trace, home):
    entry = log_at(trace, 9, kind="ss")
    found, n = homes([entry], measured(*paths))
    if home is None:
        assert (found, n) == ({trace: trace}, 1)  # a run of its own
    else:
        assert (found, n) == ({trace: home}, 0)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("logs", "trace", "home"),
    [
        ({"x1.log": {"number": "1"}, "x2.log": {"number": "2"}}, {"number": "2"}, "x2.log"),
        ({"x1.log": {"number": "1"}, "x2.log": {"number": "2"}}, {"number": "3"}, None),
        ({"x1.log": {"number": "1"}, "x2.log": {"number": "1"}}, {"number": "1"}, None),  # of both
        ({"x1.log": {"number": "1"}, "x2.log": {"number": "2"}}, {}, None),  # it says nothing
        # an end is no label: the log of either may be beside the trace
        ({"x1.log": {"host": "1"}, "x2.log": {"host": "2"}}, {"host": "2"}, None),
    ],
)
def test_of_several_runs_a_trace_is_of_the_one_whose_log_says_the_same(logs, trace, home):
    runs = {p: Group([log_at(p, **values)], [connection()]) for p, values in logs.items()}
    entry = log_at("queue.tr", 9, kind="ss")
    entry.values = trace
    found, _ = homes([entry], runs)
    assert found["queue.tr"] == (home or "queue.tr")


@pytest.mark.quick
def test_the_run_of_the_name_of_a_trace_counts_before_that_of_its_folder():
    runs = measured("a/x.log", "b/y.log")
    runs["a/x.log"].files[0].pattern_run = "x"
    assert homes([log_at("b/queue.tr", 9, kind="ss", pattern="x")], runs)[0] == {
        "b/queue.tr": "a/x.log"
    }
    runs["b/y.log"].files[0].pattern_run = "x"  # of two of one name that of the folder
    assert homes([log_at("b/queue.tr", 9, kind="ss", pattern="x")], runs)[0] == {
        "b/queue.tr": "b/y.log"
    }


@pytest.mark.quick
@pytest.mark.parametrize(
    ("begins_s", "state_s", "home"),
    [
        ([None], None, 0),  # the only one with these ends
        ([None, None], None, None),
        ([0, 100], 10, 0),
        ([0, 100], 130, 1),
        ([0, 100], 80, None),  # between both
        ([0, 30], 40, None),  # during both
    ],
)
def test_a_log_of_senders_state_is_of_the_run_with_its_connection(begins_s, state_s, home):
    runs = {
        f"{i}/x.log": Group([log_at(f"{i}/x.log", i)], [connection(ENDS[::-1], at_s=at_s)])
        for i, at_s in enumerate(begins_s)
    }
    runs["other/x.log"] = Group([log_at("other/x.log", 8)], [connection(("a:1", "b:2"))])
    state = log_at("far/ss.txt", 9, kind="ss")
    found, n = homes([state], runs, {9: [connection(ENDS, measures=False, at_s=state_s)]})
    assert found == {"far/ss.txt": "far/ss.txt" if home is None else f"{home}/x.log"}
    assert n == (home is None)


@pytest.mark.quick
@pytest.mark.parametrize("ends", [(None, None), (ENDS[0], None), (None, ENDS[1])])
def test_a_log_of_state_without_both_ends_is_of_no_connection(ends):
    runs = {"a/x.log": Group([log_at("a/x.log")], [connection(ends)])}
    runs["b/y.log"] = Group([log_at("b/y.log", 1)], [connection(ENDS)])
    state = log_at("c/ss.txt", 9, kind="ss")
    found, _ = homes([state], runs, {9: [connection(ends, measures=False)]})
    assert found == {"c/ss.txt": "c/ss.txt"}


@pytest.mark.quick
def test_a_log_of_state_of_connections_of_two_runs_is_of_both():
    both = [ENDS, ("10.0.0.3:40001", "10.0.0.2:5001")]
    runs = {
        f"{i}/x.log": Group([log_at(f"{i}/x.log", i)], [connection(ends)])
        for i, ends in enumerate(both)
    }
    of_file = {9: [connection(ends, measures=False) for ends in (*both, ("10.0.0.3:22", "x:1"))]}
    state = log_at("far/ss.txt", 9, kind="ss")
    of_one = {9: of_file[9][:1]}
    assert homes([state], runs, of_one)[0] == {"far/ss.txt": "0/x.log"}
    assert attach_traces([state], runs, of_file) == 0
    for i, name in enumerate(list(runs)):
        assert runs[name].files[1:] == [state]
        assert runs[name].streams[1:] == [of_file[9][i]]  # its own connection alone


@pytest.mark.quick
def test_state_of_hosts_that_is_of_no_run_makes_none():
    found, n = homes([log_at("a/sockstat.txt", 9, kind="host-state")], {})
    assert (found, n) == ({}, 0)


@pytest.mark.quick
def test_traces_of_no_run_are_runs_by_their_labels_or_their_folder():
    traces = [
        log_at("a/reno_cwnd.tr", 1, kind="ns2-variable", pattern="a/reno_*", cca="reno"),
        log_at("a/reno_queue.tr", 2, kind="ns2-queue", pattern="a/reno_*", cca="reno"),
        log_at("a/bic_cwnd.tr", 3, kind="ns2-variable", pattern="a/bic_*", cca="bic"),
        log_at("b/queue.tr", 4, kind="ns2-queue", pattern="b/queue.tr"),
        log_at("c/queue.tr", 5, kind="ns2-queue", pattern="c/queue.tr"),
        log_at("c/cwnd.tr", 6, kind="ns2-variable", pattern="c/cwnd.tr"),
    ]
    found, n = homes(traces, {})
    assert found == {
        "a/reno_cwnd.tr": "a/reno_*",
        "a/reno_queue.tr": "a/reno_*",
        "a/bic_cwnd.tr": "a/bic_*",
        "b/queue.tr": "b/queue.tr",  # of one in a folder its own name
        "c/queue.tr": "c",
        "c/cwnd.tr": "c",
    }
    assert n == 4


@pytest.mark.quick
def test_a_trace_without_a_label_goes_to_the_run_of_traces_in_its_folder():
    traces = [
        log_at("a/reno_cwnd.tr", 1, kind="ns2-variable", pattern="a/reno_*", cca="reno"),
        log_at("a/queue.tr", 2, kind="ns2-queue"),
    ]
    assert homes(traces, {}) == (dict.fromkeys(("a/reno_cwnd.tr", "a/queue.tr"), "a/reno_*"), 1)


@pytest.mark.quick
def test_a_run_of_traces_is_called_otherwise_where_its_name_is_taken():
    """Of two that have it the second is numbered."""
    runs = measured("a/x.log", "a/y.log")
    runs["q"], runs["q (2)"] = runs.pop("a/x.log"), runs.pop("a/y.log")
    found, n = homes([log_at("a/queue.tr", 9, kind="ss", pattern="q")], runs)
    assert (found, n) == ({"a/queue.tr": "q (3)"}, 1)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kind", "trace"),
    [
        ("ns2-queue", True),
        ("ss", True),
        ("iperf2", False),
        ("ns2-trace", True),  # of a simulation that may have sent nothing
        ("empty", False),
        (None, False),
    ],
)
def test_logs_of_tests_are_no_traces(kind, trace):
    assert is_trace(log_at("x", kind=kind)) is trace


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kinds", "measures", "only"),
    [
        (["ss"], False, True),
        (["ss", "host-state"], False, True),
        (["host-state"], False, False),  # of hosts, of no flow
        (["ss"], True, False),
        (["ss", "iperf2"], False, False),
        (["ss", "run-record"], False, False),  # a run of ours lacks its logs
        (["ss", "left-out"], False, False),
        (["ss", "unreadable"], False, False),
    ],
)
def test_a_run_is_known_by_traces_alone_where_no_log_measures(kinds, measures, only):
    files = [log_at(str(i), i, kind=kind) for i, kind in enumerate(kinds)]
    assert only_traces(Group(files, [connection(measures=measures)])) is only


@pytest.mark.quick
@pytest.mark.parametrize(
    ("run", "kind", "may"),
    [
        ("iperf2", "ss", True),
        ("iperf2", "ns2-queue", False),  # of a simulator is no run of a testbed
        ("ns2-trace", "ns2-queue", True),
        ("ns2-trace", "ns3-probe", False),
    ],
)
def test_a_trace_of_a_simulator_is_of_a_run_of_the_same(run, kind, may):
    trace = log_at("queue.tr", 9, kind=kind if kind != "ns3-probe" else "ns3-ascii")
    assert _may_be_of(trace, [log_at("x.log", kind=run)]) is may


@pytest.mark.quick
@pytest.mark.parametrize(
    ("here", "there", "may"),
    [
        ({"rtt_ms": "20"}, {"rtt_ms": "20"}, True),
        ({"rtt_ms": "20"}, {"rtt_ms": "40"}, False),
        ({"repeat": "1"}, {"repeat": "2"}, False),
        ({"run": "1"}, {"run": "2"}, False),
        ({"host": "1"}, {"host": "2"}, True),  # ends of one run
        ({"name": "a"}, {"name": "b"}, True),  # no setting, and in no folder
        ({"rtt_ms": "20"}, {"buffer_pct": "40"}, True),  # of other things
    ],
)
def test_a_trace_is_of_no_run_of_other_settings(here, there, may):
    trace, log = log_at("queue.tr", 9, kind="ss"), log_at("x.log")
    trace.values, log.values = here, there
    assert _may_be_of(trace, [log]) is may
    assert _may_be_of(trace, [log_at("y.log"), log]) is may


@pytest.mark.quick
@pytest.mark.parametrize(
    ("template", "values", "renamed", "flow"),
    [
        ("{name}.tr", {"name": "cwnd"}, {"variable": "cwnd"}, None),
        ("{name}.tr", {"name": "drops"}, {"variable": "drops"}, None),
        ("{name}.tr", {"name": "reno"}, {"name": "reno"}, None),
        ("cwnd{cwnd}.tr", {"cwnd": "2"}, {"flow": "2"}, 2),
        ("cwnd{cwnd}/x.tr", {"cwnd": "2"}, {"cwnd": "2"}, None),  # a folder's is a setting's
        ("cwnd{cwnd}.tr", {"cwnd": "b"}, {"cwnd": "b"}, None),
        ("{name}{tcp}.tr", {"name": "rtt", "tcp": "3"}, {"variable": "rtt", "flow": "3"}, 3),
        ("{host}.tr", {"host": "queue"}, {"host": "queue"}, None),  # it is a host's
        ("{name}_{name2}.tr", {"name": "cwnd", "name2": "rtt"}, None, None),  # which of both?
        ("{name}.tr", {"name": "cwnd", "variable": "rtt"}, None, None),  # it is said already
    ],
)
def test_the_name_of_a_trace_says_its_variable_and_its_flow(template, values, renamed, flow):
    entry = Entry(0, "x", None, format="ns2-variable", template=template, values=dict(values))
    entry.settings = {"name": "kept?", "rtt_ms": 20}
    read_trace_names([entry], ())
    assert entry.values == (renamed or values)
    assert entry.flow_id == flow
    if renamed and renamed != values:
        assert all(f"{{{name}}}" in entry.template for name in renamed)
        assert ("name" in entry.settings) == ("name" not in values)
    else:
        assert entry.template == template
    assert entry.settings["rtt_ms"] == 20


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["ns2-queue", "ns2-trace", "ns3-ascii"])
def test_the_number_of_a_trace_of_a_link_is_no_flow(kind):
    entry = Entry(0, "queue2.tr", None, format=kind, template="queue{queue}.tr")
    entry.values = {"queue": "2"}
    read_trace_names([entry], ())
    assert (entry.flow_id, entry.template) == (None, "queue{variable}.tr")


@pytest.mark.quick
def test_the_number_of_a_trace_whose_flow_is_said_is_another():
    entry = Entry(0, "x", None, format="ns2-variable", template="f{flow}_cwnd{cwnd}.tr")
    entry.values, entry.flow_id = {"flow": "1", "cwnd": "2"}, 1
    read_trace_names([entry], ())
    assert (entry.flow_id, entry.values) == (1, {"flow": "1", "cwnd": "2"})
