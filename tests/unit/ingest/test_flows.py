"""Which streams of a run's logs are which of its flows, and what logs say of each."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest.entities import Entry, Stream
from evenflow.ingest.flows import (
    _guessed,
    _labels_of_places,
    _names_ccas,
    _scenario,
    _tools,
    _who_says,
)
from evenflow.ingest.numbering import _flow_of_state, number_flows, protocol_of
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.refusals import leave_out, leave_out_run, no_run
from evenflow.ingest.starts import began, counting_stream, logged_start
from raw_data import make_dataset
from small_logs import iperf2, iperf3

DAY_S = 1.7e9  # since 1970
ONE, OTHER = ("10.0.0.1:40001", "10.0.0.9:5001"), ("10.0.0.2:40001", "10.0.0.9:5001")
THIRD = ("10.0.0.3:40001", "10.0.0.9:5001")


def stream(file_id=0, number=1, ends=(None, None), **more) -> Stream:
    about = dict.fromkeys(field.name for field in fields(Stream))
    about |= {"file_id": file_id, "stream": number, "local": ends[0], "peer": ends[1]}
    about |= {"episode": 1, "measures": True, "quoted": False, "clock": "flow", "path": ""}
    return Stream(**(about | more))


def back(ends):
    return ends[::-1]


def numbered(streams, named=None, names=()) -> dict[int, list[tuple]]:
    """Return {flow: (file, number) of its streams}; named: {file: the flow that its path names}."""
    ids = range(1 + max(s.file_id for s in streams))
    paths = dict(enumerate(names)) or {i: f"{i}.log" for i in ids}
    files = [
        Entry(i, paths[i], None, format="iperf2", flow_id=(named or {}).get(i), run_id="r")
        for i in ids
    ]
    flows = number_flows(Path("raw"), files, streams)
    return {flow: [(s.file_id, s.stream) for s in of] for flow, of in flows.items()}


@pytest.mark.parametrize(
    ("streams", "named", "flows"),
    [
        # a log of a flow each, as its path says
        ([stream(0), stream(1)], {0: 2, 1: 5}, {2: [(0, 1)], 5: [(1, 1)]}),
        # as the log itself numbers them
        (
            [stream(0, 1, flow_id=7), stream(0, 2, flow_id=3)],
            {},
            {7: [(0, 1)], 3: [(0, 2)]},
        ),
        # the log's own number counts before that of the path
        ([stream(0, flow_id=7)], {0: 2}, {7: [(0, 1)]}),
        # of a log of several the path's number is none of a flow
        ([stream(0, 1), stream(0, 2)], {0: 4}, {1: [(0, 1)], 2: [(0, 2)]}),
        # and of two logs it is that of no other log's flow: further flows come behind all numbers
        (
            [stream(0, 1), stream(0, 2), stream(1, 1), stream(1, 2)],
            {0: 1, 1: 2},
            {1: [(0, 1)], 2: [(1, 1)], 3: [(0, 2)], 4: [(1, 2)]},
        ),
        (
            [stream(0, 1), stream(1, 1), stream(1, 2), stream(2)],
            {0: 2, 1: 1},
            {1: [(1, 1)], 2: [(0, 1)], 3: [(2, 1)], 4: [(1, 2)]},
        ),
        # two logs of one connection are one flow, whichever end a path numbers
        (
            [stream(0, ends=ONE), stream(1, ends=back(ONE), side="receiver")],
            {},
            {1: [(0, 1), (1, 1)]},
        ),
        (
            [stream(0, ends=ONE, side="sender"), stream(1, ends=back(ONE), side="receiver")],
            {0: 4},
            {4: [(0, 1), (1, 1)]},
        ),
        (
            [stream(0, ends=ONE, side="sender"), stream(1, ends=back(ONE), side="receiver")],
            {1: 4},
            {4: [(0, 1), (1, 1)]},
        ),
        ([stream(0, ends=ONE), stream(1, ends=back(ONE))], {}, {1: [(0, 1), (1, 1)]}),  # no side
        # nothing names ends: each is one
        ([stream(0), stream(1)], {}, {1: [(0, 1)], 2: [(1, 1)]}),
        (
            [stream(0, ends=(ONE[0], None)), stream(1, ends=(ONE[0], None))],
            {},
            {1: [(0, 1)], 2: [(1, 1)]},
        ),
        # senders' variables go to the flow that is named, or of their ends, or the only one
        (
            [stream(0), stream(1), stream(2, measures=False)],
            {0: 1, 1: 2, 2: 2},
            {1: [(0, 1)], 2: [(1, 1), (2, 1)]},
        ),
        (
            [
                stream(0, ends=ONE),
                stream(1, ends=OTHER),
                stream(2, ends=back(OTHER), measures=False),
            ],
            {},
            {1: [(0, 1)], 2: [(1, 1), (2, 1)]},
        ),
        ([stream(0), stream(1, measures=False)], {}, {1: [(0, 1), (1, 1)]}),
        ([stream(0), stream(1), stream(2, measures=False)], {}, {1: [(0, 1)], 2: [(1, 1)]}),
        ([stream(0, measures=False), stream(1, measures=False)], {}, {1: [(0, 1)], 2: [(1, 1)]}),
    ],
)
def test_streams_are_flows_by_numbers_then_by_ends_then_each_by_itself(streams, named, flows):
    assert numbered(streams, named) == flows
    assert numbered(streams[::-1], named) == flows  # however the logs were found


@pytest.mark.parametrize(
    ("protocols", "n_flows"),
    [
        (("tcp", "tcp"), 1),
        (("udp", "udp"), 1),
        (("udp", None), 1),  # a log need not name it
        (("tcp", "udp"), 2),  # which may have the same addresses and ports
    ],
)
def test_two_reports_of_the_same_ends_are_of_one_flow_unless_one_is_of_udp(protocols, n_flows):
    ends = {"sender": ONE, "receiver": back(ONE)}
    streams = [
        stream(i, ends=ends[side], side=side, protocol=protocol)
        for i, (side, protocol) in enumerate(zip(ends, protocols, strict=True))
    ]
    assert len(numbered(streams)) == n_flows


@pytest.mark.parametrize(
    ("one", "other", "first"),
    [
        ({"protocol": "udp"}, {"protocol": "tcp"}, 1),  # TCP first
        ({"start_epoch_s": DAY_S + 5}, {"start_epoch_s": DAY_S}, 1),  # then by when they began
        ({"start_epoch_s": DAY_S + 1}, {"start_epoch_s": DAY_S}, 0),  # whole seconds tell not
        ({"start_epoch_s": DAY_S + 1.5}, {"start_epoch_s": DAY_S}, 0),
        (
            {"start_epoch_s": DAY_S + 5, "protocol": "tcp"},
            {"start_epoch_s": DAY_S, "protocol": "udp"},
            0,
        ),
        ({"start_s": 3.0}, {"start_s": 1.0}, 1),  # in one log
        ({"local": OTHER[0]}, {"local": ONE[0]}, 1),  # then by hosts
        ({}, {}, 0),
    ],
)
def test_flows_without_numbers_are_numbered_in_order(one, other, first):
    about = {"local": ONE[0], "peer": ONE[1]} if "local" in one or "local" in other else {}
    end_s = {"end_s": 60.0}
    streams = [stream(0, **(end_s | about | one)), stream(1, **(end_s | about | other))]
    assert numbered(streams)[1] == [(first, 1)]


def test_flows_that_nothing_else_orders_are_in_the_order_of_their_logs_paths():
    streams = [stream(0), stream(1, 2), stream(1, 1)]
    assert numbered(streams, names=("b.log", "a.log")) == {1: [(1, 1)], 2: [(1, 2)], 3: [(0, 1)]}


@pytest.mark.parametrize(
    ("one", "other", "refused"),
    [
        ("receiver", "receiver", True),
        ("sender", "sender", True),
        ("sender", "receiver", False),
        (None, None, False),  # nobody says which sides they are
        (None, "sender", False),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_two_logs_of_one_side_of_a_flow_are_refused(one, other, refused, named):
    ends = [ONE if side != "receiver" else back(ONE) for side in (one, other)]
    streams = [stream(i, ends=ends[i], side=side) for i, side in enumerate((one, other))]
    of = {0: 3, 1: 3} if named else {}
    if not refused:
        assert len(numbered(streams, of)) == 1
        return
    with pytest.raises(DataError) as error:
        numbered(streams, of)
    flow = "flow 3" if named else "flow of the same connection"
    assert f"claims run 'r', {flow} ({one}), as 0.log does" in error.value.problem
    assert str(error.value.path).endswith("1.log")


def test_what_a_log_quotes_of_the_other_end_gives_way_to_that_ends_own_log():
    """With `iperf3 --get-server-output` the client's log holds both ends."""
    client = [
        stream(0, 1, ONE, side="sender"),
        stream(0, 2, back(ONE), side="receiver"),
    ]
    own = stream(1, 1, back(ONE), side="receiver")
    assert numbered([*client, own]) == {1: [(0, 1), (0, 2), (1, 1)]}
    assert numbered(client) == {1: [(0, 1), (0, 2)]}
    # names number both logs, or one of them
    for named in ({0: 2, 1: 2}, {0: 2}, {1: 2}):
        assert numbered([*client, own], named) == {2: [(0, 1), (0, 2), (1, 1)]}
    assert numbered(client, {0: 2}) == {2: [(0, 1), (0, 2)]}
    with pytest.raises(DataError):  # it holds no other end: two logs of one side
        numbered([client[1], own])


@pytest.mark.parametrize(
    ("streams", "counts"),
    [
        ([stream(0, side="sender"), stream(1, side="receiver")], 1),
        ([stream(0, side="sender"), stream(1)], 1),
        ([stream(0), stream(1, side="receiver")], 1),
        ([stream(0, side="receiver", measures=False), stream(1, side="sender")], 1),
        ([stream(0, side="receiver", quoted=True), stream(1, side="receiver")], 1),
        ([stream(0, path="a.client.log"), stream(1, path="a.server.log")], 1),
        ([stream(0, path="sink/a.log"), stream(1, path="a.log")], 0),
        ([stream(0), stream(1)], 0),
    ],
)
def test_the_report_that_counts_is_the_receivers(streams, counts):
    assert counting_stream(streams) is streams[counts]


def test_the_protocol_is_that_of_the_report_that_counts_else_of_any():
    sender = stream(0, side="sender", protocol="udp")
    assert protocol_of([sender, stream(1, side="receiver", protocol="tcp")]) == "tcp"
    assert protocol_of([sender, stream(1, side="receiver")]) == "udp"
    assert protocol_of([stream(0)]) is None


STATE = {"measures": False, "file_id": 9}


@pytest.mark.parametrize(
    ("state", "named", "flows", "found"),
    [
        # the number that the log itself has first, then the ends, then the name
        ({"flow_id": 2}, 1, {1: [stream()], 2: [stream()]}, 2),
        ({}, 1, {1: [stream()], 2: [stream()]}, 1),
        ({}, 3, {1: [stream()], 2: [stream()]}, None),
        ({"ends": OTHER}, None, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, 2),
        ({"ends": back(OTHER)}, None, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, 2),
        ({"ends": THIRD}, None, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, None),
        # of the only flow, but for a connection of another's ends, as iperf3's for control
        ({}, None, {4: [stream()]}, 4),
        ({"ends": THIRD}, None, {4: [stream(ends=ONE)]}, None),
        ({"ends": THIRD}, None, {4: [stream()]}, 4),  # that flow's logs name no ends
        ({"ends": (THIRD[0], None)}, None, {4: [stream(ends=ONE)]}, 4),
        ({"ends": (None, None)}, None, {4: [stream(ends=ONE)]}, 4),
        ({"ends": (None, None)}, None, {1: [stream()], 2: [stream()]}, None),
    ],
)
def test_the_flow_whose_senders_variables_a_log_holds(state, named, flows, found):
    state = stream(**(STATE | state))
    assert _flow_of_state(state, named, flows, alone=True) == found


@pytest.mark.parametrize(
    ("ends", "named", "flows", "found"),
    [
        (ONE, 1, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, 1),
        (OTHER, 1, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, 2),  # the ends say so
        (THIRD, 1, {1: [stream(ends=ONE)], 2: [stream(ends=OTHER)]}, None),  # of another program
        (THIRD, 1, {1: [stream()], 2: [stream()]}, None),  # one of two connections: which?
        (THIRD, None, {4: [stream()]}, None),
        (("10.0.0.1:50000", "10.0.0.2:http"), 1, {1: [stream(ends=OTHER)]}, None),
    ],
)
def test_of_the_connections_of_a_trace_one_is_the_flows_whatever_its_name(
    ends, named, flows, found
):
    assert _flow_of_state(stream(ends=ends, **STATE), named, flows, alone=False) == found


def test_an_end_whose_port_has_a_name_is_that_of_the_same_host():
    state = stream(ends=("10.0.0.1:50000", "10.0.0.2:commplex-link"), **STATE)
    flows = {
        1: [stream(ends=("10.0.0.1:50002", "10.0.0.2:5001"))],
        2: [stream(ends=("10.0.0.1:50000", "10.0.0.2:5001"))],
    }
    assert _flow_of_state(state, 1, flows, alone=True) == 2


# ---- when flows began ----------------------------------------------------------------------------


def dated(*starts_s, zone=None, **more):
    return {
        n: [stream(n, start_epoch_s=at_s, end_s=60.0, zone=zone, **more)]
        for n, at_s in enumerate(starts_s, start=1)
    }


@pytest.mark.parametrize(
    ("groups", "flow", "start_s", "start_from"),
    [
        (dated(DAY_S, DAY_S + 10), 1, 0.0, "log"),
        (dated(DAY_S, DAY_S + 10), 2, 10.0, "log"),
        (dated(DAY_S, DAY_S + 1), 2, 0.0, "log"),  # whole seconds: they began together
        (dated(DAY_S, DAY_S + 2), 2, 2.0, "log"),
        (dated(DAY_S + 0.25, DAY_S + 1.5), 2, 1.25, "log"),  # fractions are exact
        (dated(DAY_S, DAY_S + 3610), 2, 10.0, "clock"),  # an hour off: the clock is set right
        (dated(DAY_S, None), 1, None, "assumed"),
        (dated(None, None), 2, None, "assumed"),
    ],
)
def test_a_flow_began_when_dates_of_all_say_it(groups, flow, start_s, start_from):
    said = logged_start(flow, groups[flow], began(groups), groups)
    assert said == {"start_from": start_from} | ({} if start_s is None else {"start_s": start_s})


def test_a_flow_of_a_log_with_one_clock_began_when_that_says():
    groups = {n: [stream(0, n, start_s=5.0 * n)] for n in (1, 2)}
    assert logged_start(2, groups[2], began(groups), groups) == {
        "start_s": 10.0,
        "start_from": "log",
    }
    apart = {n: [stream(n, 1, start_s=5.0 * n)] for n in (1, 2)}  # of a log each
    assert logged_start(2, apart[2], began(apart), apart) == {"start_from": "assumed"}
    silent = {n: [stream(0, n)] for n in (1, 2)}
    assert logged_start(2, silent[2], began(silent), silent) == {"start_from": "assumed"}
    of_run = {n: [stream(n, 1, clock="run", start_s=5.0 * n)] for n in (1, 2)}
    assert logged_start(2, of_run[2], began(of_run), of_run) == {
        "start_s": 10.0,
        "start_from": "log",
    }


@pytest.mark.parametrize(
    ("stamp", "start_from"), [("%a %b %d %H:%M:%S %Y ", "log"), (None, "assumed")]
)
def test_a_flow_begins_after_what_iperf3_omitted(stamp, start_from, tmp_path):
    """Both connect at the same second; -O lets the reports of the first begin 5 s later."""
    logs = {
        "rtt20/flow1.txt": iperf3(seconds=6, omitted=5, stamp=stamp),
        "rtt20/flow2.txt": iperf3(seconds=11, stamp=stamp),
    }
    parsed = parse_dataset(make_dataset(tmp_path, logs, ""))
    flow = parsed["flow"].select("flow_id", "start_s", "start_from")
    assert flow.with_columns(pl.col("start_s").fill_null(0)).rows() == [
        (1, 5.0, start_from),
        (2, 0.0, start_from),
    ]
    assert json.loads(parsed["stream"]["options"][0])["omit_s"] == "5"
    starts = parsed["assumption"].filter(what="start_s")
    if stamp is None:
        assert starts["value"].item() == "0 for flow 2, 5 for flow 1"
        assert "omitted (-O)" in starts["because"].item()
        assert "#   1: {cca: cubic, start_s: 5}" in starts["yaml"].item()


@pytest.mark.parametrize(
    "stamp",
    [
        "%b %d %H:%M:%S ",
        "%Y-%m-%d %H:%M:%S ",
        "%Y-%m-%dT%H:%M:%SZ ",
        "%H:%M:%S ",
        "%H:%M:%S.%f ",
        "[%H:%M:%S] ",
    ],
)
@pytest.mark.parametrize("gathered", [False, True])
def test_times_that_ts_puts_before_lines_say_when_a_flow_began(stamp, gathered, tmp_path):
    """Unless iperf3 wrote its first lines into the pipe together, long after the connection."""
    logs = {"flow1.txt": iperf3(seconds=50, stamp=stamp)}
    later = iperf3(seconds=40, stamp=stamp, after_s=10)
    if gathered:  # the first 20 s are read at once
        late = iperf3(seconds=40, stamp=stamp, after_s=30).splitlines(keepends=True)
        later = b"".join([*late[:2], *later.splitlines(keepends=True)[2:]])
    logs["flow2.txt"] = later
    parsed = parse_dataset(make_dataset(tmp_path, logs, ""))
    starts = parsed["flow"].sort("flow_id").select("start_s", "start_from").rows()
    assert starts == ([(None, "assumed")] * 2 if gathered else [(0.0, "log"), (10.0, "log")])


@pytest.mark.parametrize(
    ("at_s", "starts"),
    [
        (12 * 3600 - 5, [(0.0, "clock"), (10.0, "clock")]),  # at 5 s to midnight, which is said
        (12 * 3600 - 45, [(0.0, "log"), (10.0, "log")]),  # midnight comes before the end
        (12 * 3600, [(None, "assumed")] * 2),  # of the first from 0 on, as of ts -s
    ],
)
def test_clock_times_without_a_date_may_pass_midnight(at_s, starts, tmp_path):
    logs = {
        f"flow{n}.txt": iperf3(seconds=50, stamp="%H:%M:%S ", after_s=at_s + 10 * (n - 1))
        for n in (1, 2)
    }
    parsed = parse_dataset(make_dataset(tmp_path, logs, ""))
    found = parsed["flow"].sort("flow_id").select("start_s", "start_from").rows()
    assert found == starts
    said = parsed["assumption"].filter(what="start_s")["value"].to_list()
    assert any("clocks set right" in value for value in said) == (starts[0][1] == "clock")


def test_the_clock_of_the_host_that_dates_all_flows_counts():
    """The server's, of which the clients' are a second or two off."""
    groups = {
        n: [
            stream(n, 1, ends, start_epoch_s=DAY_S + 2, end_s=60.0),
            stream(9, n, back(ends), start_epoch_s=DAY_S + 10 * n, end_s=60.0),
        ]
        for n, ends in ((1, ONE), (2, OTHER))
    }
    assert began(groups) == {1: DAY_S + 10, 2: DAY_S + 20}


def test_dates_of_zones_that_cannot_be_compared_say_nothing():
    groups = dated(DAY_S) | {2: dated(DAY_S + 5, zone="CST")[1]}
    assert began(groups) == {1: None, 2: None}
    both = [*groups[2], stream(3, start_epoch_s=DAY_S + 6, end_s=60.0)]  # in the other zone, too
    assert began(groups | {2: both}) == {1: DAY_S, 2: DAY_S + 6}
    of_one = {n: dated(DAY_S + n, zone="CST")[1] for n in (1, 2)}
    assert began(of_one) == {1: DAY_S + 1, 2: DAY_S + 2}


# ---- what logs and names say of a run ------------------------------------------------------------


def entry(file_id=0, log="iperf2", **more) -> Entry:
    return Entry(file_id, f"{file_id}.log", None, format=log, **more)


@pytest.mark.parametrize(
    ("files", "streams", "tool", "version"),
    [
        ([entry()], [stream(0, tool_version="2.1.8")], "iperf", "2.1.8"),
        ([entry()], [stream(0)], "iperf", None),
        ([entry()], [stream(0, 1, tool_version="2.1.8"), stream(0, 2)], "iperf", "2.1.8"),
        (
            [entry(), entry(1)],
            [stream(0, tool_version="2.1.8"), stream(1, tool_version="2.1.9")],
            "iperf",
            None,
        ),
        ([entry(), entry(1, "iperf3")], [stream(0), stream(1)], None, None),
        ([entry(), entry(1, "ss")], [stream(0), stream(1, measures=False)], "iperf", None),
        ([entry(), entry(1, "ss")], [stream(1, measures=False)], "ss", None),
        ([entry(0, "ns2-queue")], [], "ns-2", None),  # a trace of a queue has no streams
    ],
)
def test_the_tool_of_a_run_is_the_one_that_wrote_what_measures(files, streams, tool, version):
    said = _tools(files, streams)
    assert (said["tool"], said["tool_version"]) == (tool, version)
    platform = {"ns-2": "ns2", "iperf": "testbed", "ss": "testbed"}.get(tool)
    assert said["platform"] == platform


@pytest.mark.parametrize(
    ("said", "logged", "settled", "source"),
    [
        ("cubic", None, None, "said"),
        ("cubic", "cubic", None, "said"),
        (None, "bbr", None, "log"),
        (None, None, None, None),
        ("cubic", "bbr", "logs", "dataset.yml"),
        ("cubic", "cubic", "logs", "said"),  # there is nothing to settle
        (None, "bbr", "logs", "log"),
        ("cubic", None, "logs", "said"),
        ("cubic", "bbr", None, "said"),
    ],
)
def test_who_says_the_congestion_control_of_a_flow(said, logged, settled, source):
    assert _who_says(said, logged, settled) == source


def test_a_label_of_places_is_one_of_hosts_where_the_logs_of_a_run_differ_in_it():
    said = [{"place": name, "place2": "x", "rtt_ms": i} for i, name in enumerate("ab")]
    assert _labels_of_places(said) == {"place"}
    assert _labels_of_places(said[:1]) == set()
    assert _labels_of_places([said[0], {}]) == {"place", "place2"}  # one has none


def test_names_that_say_a_congestion_control_are_those_with_a_place_for_it():
    assert _names_ccas([entry(), entry(1, values={"cca": "bbr"})])
    assert _names_ccas([entry(values={"cca12": "bbr"})])
    assert not _names_ccas([entry(values={"repeat": "1", "cca_label": "x"})])


def test_a_scenario_is_called_by_its_variants_and_settings():
    settings = {"rtt_ms": 20.0, "aqm": "codel", "loss": None, "seed": 3, "repeat": 1, "day": "mon"}
    settings |= {"platform": "ns2", "tool": "ns-2", "tool_version": "2.35"}
    assert _scenario(settings, "bbr vs cubic", ["day"]) == "bbr vs cubic, aqm codel, rtt_ms 20"
    assert _scenario(settings, "bbr", []) == "bbr, aqm codel, day mon, rtt_ms 20"
    assert _scenario({}, "bbr", []) == "bbr"


def test_settings_that_names_give_without_a_word_are_guesses_unless_they_are_given():
    files = [entry(template="{bottleneck_mbps}mbit/{rtt_ms}ms/x.log")]
    files.append(entry(1, template="rtt{rtt_ms}"))
    assert _guessed(files, set()) == "bottleneck_mbps, rtt_ms"
    assert _guessed(files, {"rtt_ms"}) == "bottleneck_mbps"
    assert _guessed(files[1:], set()) == ""


def test_a_run_that_is_left_out_takes_along_only_logs_of_no_other_run():
    files = [entry(0, run_id="a", readable=True), entry(1, run_id="a")]
    leave_out_run("a", files, "why")
    assert [e.left_out_runs for e in files] == [{"a": "why"}] * 2
    assert (files[0].format, files[0].problem) == ("left-out", "its run is left out: why")
    assert files[1].problem is None  # it could not be read anyway
    of_several = [entry(0, run_id="a", readable=True), entry(1, run_id=None, readable=True)]
    leave_out_run("a", of_several, "why")
    assert [e.problem for e in of_several] == [None, None]
    leave_out(of_several, "why")
    assert all(e.problem.endswith("why") for e in of_several)


def test_a_data_set_without_runs_has_no_log_or_a_broken_one():
    error = no_run(Path("raw"), [entry(), entry(1)], 3)
    assert error.problem == "the data set has no run: none of its 3 files is a log"
    broken = [entry(), entry(1, problem="cut"), entry(2, problem="refused")]
    error = no_run(Path("raw"), broken, 3)
    assert error.problem == "every run of the data set is left out; 1.log: cut"


# ---- numbers in names that no word calls those of flows -----------------------------------------


def test_flows_of_which_not_all_have_dates_come_by_their_hosts():
    """A log without a date did not begin in 1970."""
    streams = [stream(0, ends=ONE, start_epoch_s=DAY_S), stream(1, ends=OTHER)]
    assert numbered(streams) == {1: [(0, 1)], 2: [(1, 1)]}


NAMES = ("h1.txt", "h2.txt")


def of_two(folder, names, minutes, yml=""):
    """Return the tables of two flows of 150 s, and the rows on their numbers."""
    logs = {
        name: iperf2(side="client", client=f"10.0.1.{n}", seconds=150, minute=minute, mbps=8 + n)
        for n, (name, minute) in enumerate(zip(names, minutes, strict=True), start=1)
    }
    tables = parse_dataset(make_dataset(folder, logs, yml))
    return tables, tables["assumption"].filter(what="flow").rows(named=True)


@pytest.mark.parametrize(
    ("names", "minutes", "n"),
    [
        (NAMES, (1, 0), 1),
        (NAMES, (0, 1), 0),
        (("h3.txt", "h7.txt"), (1, 0), 0),  # numbers that count no flows
        (("x_flow1.txt", "x_flow2.txt"), (1, 0), 0),  # a word says so: they are used
    ],
)
def test_flows_that_are_numbered_otherwise_than_names_are_named(names, minutes, n, tmp_path):
    tables, rows = of_two(tmp_path, names, minutes)
    assert len(tables["run"]) == 1
    assert len(rows) == n
    if n:
        said = "numbered otherwise than in names, in 1 run: "
        assert rows[0]["value"] == f"{said}flow 1 is that of h2.txt, flow 2 is that of h1.txt"


def test_the_table_that_is_offered_numbers_flows_as_names_do(tmp_path):
    first, (row,) = of_two(tmp_path, NAMES, (1, 0))
    table = row["yaml"].partition("# runs.csv:\n")[2].replace("#     ", "")
    (tmp_path / "runs.csv").write_text(table)
    tables, rows = of_two(tmp_path, NAMES, (1, 0), "runs: runs.csv\n")
    assert not rows
    assert first["flow"]["start_s"].to_list() == [0, 60]
    assert tables["flow"]["start_s"].to_list() == [60, 0]
