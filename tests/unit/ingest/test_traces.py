"""Traces of queues and of senders that lie in folders with or without the logs of their flows.

Every sample line must reach a table, under a run, and the lines that are offered must say the same.
"""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest
from evenflow.checks.traces import runs_of_traces, traces_of_nobody
from evenflow.ingest.entities import Entry, Group
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.traces import _during, attach_traces
from iperf_logs import server
from offered_lines import assert_offered_lines_say_the_same
from raw_data import ROOT, build_tables, content, make_dataset

FORMATS = ROOT / "tests/fixtures/formats"
NS3 = FORMATS / "ns3-tcp-variants/one-flow"
TRACE = content(FORMATS / "ns2-trace/dumbbell.tr.gz")
OTHER_TRACE = TRACE + b"\n"  # no copy of it
QUEUE = content(FORMATS / "ns2-queue/monitor-queue.log")
BOTH_CWND = content(FORMATS / "ns2-variable/two-flows.tr")
OBJECT = content(FORMATS / "ns2-variable/trace-object.tr")


def ns3(variable: str) -> bytes:
    return content(NS3 / f"TcpVariantsComparison-{variable}.data")


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
    found = [runs_of_traces(tables["run"], tables["sample"])]
    found.append(traces_of_nobody(tables["ledger"], stream))
    return pl.concat(found).select("check", "severity", "run_id", "path").rows()


def test_a_run_of_traces_alone_is_named(tmp_path):
    logs = LAYOUTS["traces of ns-3 beside logs of a testbed"][0]
    assert found_in(logs, tmp_path) == [("run of traces alone", "note", "x-*.data", None)]


def test_a_trace_of_which_nobody_says_the_flow_is_named(tmp_path):
    logs = {"out.tr": TRACE, "cwnd.tr": OBJECT, "queue.tr": QUEUE}  # two flows: of which of them?
    assert found_in(logs, tmp_path) == [("trace without a flow", "warning", "out.tr", "cwnd.tr")]


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
    ("after_s", "zone", "during"),
    [
        (-2, None, True),  # dates are whole seconds
        (-3, None, False),
        (60, None, True),
        (61, None, False),
        (30, "CST", False),  # nobody knows how far its clock is from the other
        (None, None, False),
    ],
)
def test_a_trace_is_of_the_connection_that_was_there_when_it_began(after_s, zone, during):
    began_s = None if after_s is None else 1.7e9 + after_s
    trace = SimpleNamespace(start_epoch_s=began_s, zone=zone)
    measured = SimpleNamespace(start_epoch_s=1.7e9, end_s=60.0, zone=None)
    assert _during(trace, measured) is during


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
