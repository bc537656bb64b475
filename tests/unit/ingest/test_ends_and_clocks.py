"""Which end wrote a log, how far clocks are apart, how flows and runs are numbered and called."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from evenflow.ingest.infer import _run_name
from evenflow.ingest.joining.by_names import in_order
from evenflow.ingest.joining.clocks import CLOCKS_S, RUNS, Clocks
from evenflow.ingest.joining.units import CLIENT, SERVER, may_be_ends, units_of
from evenflow.ingest.parse import parse_dataset
from iperf_logs import client, server
from raw_data import make_dataset

HOSTS = "10.0.0.1", "10.0.0.2"


def began_apart(gaps_s: list[float], lengths_s=(30.0, 30.0)) -> list[tuple]:
    """Return pairs of tests of two hosts that began so far apart, a pair each 1,000 s."""
    return [
        tuple(
            SimpleNamespace(host=host, start_s=1000 * n + later_s, length_s=length_s, zone=None)
            for host, later_s, length_s in zip(HOSTS, (0, gap_s), lengths_s, strict=True)
        )
        for n, gap_s in enumerate(gaps_s, start=1)
    ]


@pytest.mark.parametrize(
    ("apart_s", "known"),
    [
        ([100, 102, 104], 102),  # by more than 2 / CLOCKS_S, as clocks of whole seconds are
        ([100, 103, 100 + 2 * CLOCKS_S], 103),
        ([100, 103, 101 + 2 * CLOCKS_S], None),
        ([CLOCKS_S] * RUNS, None),  # no further than dates in whole seconds are
        ([100] * (RUNS - 1), None),
        ([3602], 3602),  # whole zones of time apart: one connection is enough
    ],
)
def test_a_clock_is_off_where_both_ends_of_connections_agree_to_some_seconds(apart_s, known):
    clocks = Clocks([], began_apart(apart_s))
    assert clocks.known.get(HOSTS) == known


@pytest.mark.parametrize(
    ("apart_s", "lengths_s", "known"),
    [
        ([3598, 3600, 3602], (30, 30), 3600),
        ([5400 - 3, 5400, 5400 + 3], (30, 30), 5400),
        ([5400 - 4, 5400, 5400 + 3], (30, 30), None),
        # the shorter one began some seconds after the longer one, always as many
        ([3610, 3612, 3614], (40, 10), 3600),
        ([3608, 3612, 3615], (40, 10), None),
        ([3610, 3612, 3614], (30, 30), None),
    ],
)
def test_a_zone_is_learnt_from_names_where_the_gaps_agree_to_some_seconds(
    apart_s, lengths_s, known
):
    pairs = [list(pair) for pair in began_apart(apart_s, lengths_s)]
    assert Clocks([pairs], []).known.get(HOSTS) == known


def test_tests_are_parted_by_dates_with_the_clock_that_is_off_set_right():
    """The second host's clock is two hours ahead: what looks as if at once is not."""
    clocks = Clocks([], began_apart([7200] * RUNS))

    def test(host, start_s):
        about = {"length_s": 30.0, "zone": None, "path": f"{host}-{start_s}"}
        return SimpleNamespace(host=host, start_s=start_s, **about)

    one, beside, looks_so = test(HOSTS[0], 1e9), test(HOSTS[1], 1e9 + 7200), test(HOSTS[1], 1e9)
    assert clocks.parted([one, beside]) == [[one, beside]]
    assert clocks.parted([one, looks_so]) == [[looks_so], [one]]


@pytest.mark.parametrize(
    ("known", "hosts", "zones", "later_s"),
    [
        ([], HOSTS, (None, None), 7),
        ([7200] * RUNS, HOSTS, (None, None), 7 - 7200),
        ([7200] * RUNS, HOSTS[::-1], (None, None), 7 + 7200),
        ([7200] * RUNS, (HOSTS[0], "10.0.0.9"), (None, None), 7),  # nothing is known of that one
        ([], HOSTS, ("+0000", "+0000"), 7),
        ([], HOSTS, ("+0000", None), None),
    ],
)
def test_one_began_later_by_their_dates_and_by_how_far_their_clocks_are_apart(
    known, hosts, zones, later_s
):
    one, other = (
        SimpleNamespace(host=host, start_s=1e9 + at_s, length_s=30.0, zone=zone)
        for host, at_s, zone in zip(hosts, (0, 7), zones, strict=True)
    )
    clocks = Clocks([], began_apart(known))
    assert clocks.later_s(one, other) == later_s
    other.start_s = None
    assert clocks.later_s(one, other) is None


WHOLE = {"path": "a.log", "protocol": "tcp", "both_ends": False, "length_s": 100.0, "whole": True}
WHOLE |= {"tells": ("r1",), "key": ("shape",), "cookies": frozenset()}


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ({}, {}, True),
        ({}, {"path": "a.log"}, False),  # tests of one log
        ({}, {"protocol": "udp"}, False),
        ({}, {"both_ends": True}, True),
        ({"both_ends": True}, {"both_ends": True}, False),  # neither needs another log
        ({}, {"length_s": 79.0}, True),  # four fifths, but for a second
        ({}, {"length_s": 78.9}, False),
        ({"whole": False}, {"length_s": 10.0}, True),  # the one was cut
        ({}, {"tells": ("r2",)}, False),
        ({}, {"tells": ("r2",), "key": ("another shape",)}, True),
    ],
)
def test_two_tests_may_be_the_ends_of_one_connection(one, other, may):
    first = SimpleNamespace(**(WHOLE | one))
    second = SimpleNamespace(**(WHOLE | {"path": "b.log"} | other))
    assert may_be_ends(first, second) is may_be_ends(second, first) is may


UNDATED = {"start_s": None, "n_failed": 0, "n_failed_before": 0, "path": "a.log", "end": ""}


@pytest.mark.parametrize(
    ("n_tests", "lengths_s", "paired"),
    [
        ((2, 2), (10.0, 8.0), True),
        ((2, 2), (10.0, 7.9), False),  # unlike by more than a fifth
        ((2, 3), (10.0, 10.0), False),  # not as many
    ],
)
def test_undated_tests_of_two_logs_are_paired_in_order_where_they_are_alike(
    n_tests, lengths_s, paired
):
    logs = [
        [SimpleNamespace(n_tests=n, order=i, length_s=s, **UNDATED) for i in range(1, n + 1)]
        for n, s in zip(n_tests, lengths_s, strict=True)
    ]
    found = in_order([test for log in logs for test in log], [])
    assert found == ([list(pair) for pair in zip(*logs, strict=True)] if paired else [])
    alone = [SimpleNamespace(n_tests=1, order=1, length_s=s, **UNDATED) for s in (10, 1)]
    assert in_order(alone, []) == [alone]


def test_tests_are_parted_in_the_order_in_which_they_began():
    """A long one beside two short ones that did not meet each other."""

    def test(host, start_s, length_s):
        about = {"zone": None, "path": f"{host}-{start_s}"}
        return SimpleNamespace(host=host, start_s=start_s, length_s=length_s, **about)

    long, early = test(HOSTS[0], 1e9, 100.0), test(HOSTS[1], 1e9 + 1, 10.0)
    late, after = test(HOSTS[1], 1e9 + 50, 10.0), test(HOSTS[1], 1e9 + 200, 10.0)
    found = Clocks([], []).parted([after, late, early, long])
    assert found == [[long, early, late], [after]]


@pytest.mark.parametrize(
    ("paths", "n_tests", "name"),
    [
        (["a.log"], 1, "a.log"),
        (["b.log", "a.log"], 1, "a.log + b.log"),
        (["a.log", "b.log", "c.log", "d.log"], 1, "a.log + b.log + 2 more"),
        (["a.log"], 3, "a.log#2"),
        (["net-a.log", "net-b.log"], 3, "net-*.log#2"),
        (["x/a.log", "x/ab.log"], 3, "x/a*.log#2"),
    ],
)
def test_a_run_has_the_name_of_its_logs_and_the_number_of_its_test_in_them(paths, n_tests, name):
    tests = [SimpleNamespace(path=path, n_tests=n_tests, order=2) for path in paths]
    assert _run_name(tests) == name


@pytest.mark.parametrize(("off_s", "known"), [(1800, None), (3600, 3600), (-1800, None)])
def test_no_clock_is_learnt_where_a_host_measured_when_the_other_had_done(off_s, known, tmp_path):
    """Twelve tests a host in 26 minutes: half an hour later the next host may have had its turn."""
    names = [f"{cca}-r{r}.log" for cca in ("cubic", "reno", "bbr") for r in (1, 2, 3, 4)]
    logs = {
        f"h{host}/{name}": client(host, 9, 15, at=137 * n + (host - 1) * off_s, mbps=3 + n)
        for n, name in enumerate(names, start=1)
        for host in (1, 2)
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == (12 if known else 24)
    asked = tables["assumption"]["value"].str.contains("names join logs that dates separate").any()
    assert asked == (known is None)


@pytest.mark.parametrize(
    ("local", "peer", "side", "end"),
    [
        (5002, 5001, None, CLIENT),
        (5001, 5002, None, SERVER),
        (5001, 5001, None, ""),  # nothing tells
        (5001, 0, None, ""),
        (0, 5001, None, ""),
        (2, 1, None, CLIENT),
        (1, 2, None, SERVER),
        (40000, 5001, "receiver", CLIENT),  # iperf3 -R: the client receives
        (5001, 40000, "sender", SERVER),
        (10000, 9999, "receiver", CLIENT),  # the first port that systems choose
        (9999, 10000, "sender", SERVER),
        (10000, 10001, "receiver", SERVER),  # they choose both: whose count it is
        (10001, 10000, "receiver", SERVER),
        (5002, 5001, "receiver", SERVER),  # no port that systems choose: whose count it is
    ],
)
def test_the_end_of_a_log_is_told_by_its_ports_where_they_differ_and_are_known(
    local, peer, side, end
):
    stream = SimpleNamespace(
        file_id=0,
        stream=1,
        episode=1,
        side=side,
        protocol="tcp",
        complete=True,
        zone=None,
        start_s=None,
        cookie=None,
        n_bytes=None,
    )
    stream.local, stream.peer = (f"{h}:{p}" for h, p in zip(HOSTS, (local, peer), strict=True))
    stream.start_epoch_s = None
    entry = SimpleNamespace(path="a.csv", folder="", format="iperf2-csv", failed_at=())
    (unit,) = units_of(entry, [stream], {(0, 1): 10.0}, {(0, 1): (1, 2, 3)})
    assert unit.end == end


def test_the_number_of_a_log_is_that_of_no_other_logs_flow(tmp_path):
    logs = {"a.log": server(1, [11, 12]), "b.log": server(2, [21, 22])}
    table = b"path,run,flow\na.log,one,1\nb.log,one,\n"
    tables = parse_dataset(make_dataset(tmp_path, {**logs, "runs.csv": table}, "runs: runs.csv\n"))
    stream = tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")
    of_log = dict(stream.group_by("path").agg("flow_id").rows())
    assert sorted(of_log["b.log"]) == [2, 3] and sorted(of_log["a.log"]) == [1, 4]


@pytest.mark.parametrize(
    ("names", "flows"),
    [
        (("server.log", "server2.log"), [1, 2]),
        (("server.log", "server_2.log"), [1, 2]),
        (("a/server.log", "a/server2.log", "a/server3.log"), [1, 2, 3]),
        (("server.log", "server1.log"), [2, 1]),  # the number of one log is that of no other
        (("other.log", "server2.log"), [3, 2]),  # the other may be anything
    ],
)
def test_a_log_without_the_number_that_others_have_is_the_first(names, flows, tmp_path):
    logs = {name: server(10 + i, [i], 60, at=5 * i) for i, name in enumerate(names, 1)}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == 1
    paths = tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")
    of_path = dict(paths.select("path", "flow_id").rows())
    assert [of_path[name] for name in names] == flows


@pytest.mark.parametrize("numbered", ["server0.log", "server2.log"])
def test_no_flow_is_lost_where_a_log_without_a_number_has_two(numbered, tmp_path):
    logs = {numbered: server(11, [1]), "server.log": server(12, [2, 3])}
    table = b"path,run\n" + b"".join(f"{name},one\n".encode() for name in logs)
    yml = 'runs: runs.csv\nfiles:\n  - path: "server{flow}.log"\n'
    tables = parse_dataset(make_dataset(tmp_path, {**logs, "runs.csv": table}, yml))
    assert tables["flow"]["flow_id"].n_unique() == 3


def test_flows_that_nothing_else_orders_are_in_the_order_of_their_hosts(tmp_path):
    logs = {"a.log": client(2, 9), "b.log": client(1, 9)}
    table = b"path,run\na.log,one\nb.log,one\n"
    tables = parse_dataset(make_dataset(tmp_path, {**logs, "runs.csv": table}, "runs: runs.csv\n"))
    stream = tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")
    assert dict(stream.select("path", "flow_id").rows()) == {"b.log": 1, "a.log": 2}


def test_a_run_is_called_by_its_two_logs_and_by_how_many_more(tmp_path):
    two = {"pc1.txt": client(1, 11), "ada.out": server(11, [1])}
    three = {**two, "x/pc2.txt": client(1, 12), "x/bob.out": server(12, [1])}
    assert set(run_ids(tmp_path / "two", two)) == {"ada.out + pc1.txt"}
    assert set(run_ids(tmp_path / "three", three)) == {
        "ada.out + pc1.txt",
        "x/bob.out + x/pc2.txt",
    }


def run_ids(place, logs) -> list[str]:
    place.mkdir()
    return parse_dataset(make_dataset(place, logs, ""))["run"]["run_id"].to_list()


def test_a_connection_in_two_logs_is_one_flow_whatever_their_dates_say(tmp_path):
    """Host 2's clock was set after the first run; the server's dates both of its connections."""
    logs = {}
    for n, off_s in enumerate((3, -3600, -3600)):
        for host, later_s, ahead_s in ((1, 0, 0), (2, 10, off_s)):
            at, more = 300 * n + later_s, {"port": 40000 + 100 * n, "mbps": 30.0 * host}
            logs[f"client{host}_run{n}.log"] = client(host, 9, 60, at=at + ahead_s, **more)
            logs[f"server{host}_run{n}.log"] = server(9, [host], 60, at=at, **more)
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == 3
    assert tables["flow"].sort("run_id", "flow_id")["start_s"].to_list() == [0.0, 10.0] * 3
    (said,) = tables["assumption"].filter(what="clocks")["value"]
    assert said == "the two ends of a connection are dated up to 3600 s apart in 2 runs"


def test_two_tests_of_the_same_ports_with_other_bytes_are_not_one(tmp_path):
    logs = {
        "a.log": client(1, 9, 60, at=0, mbps=30.0),
        "b.log": server(9, [1], 60, at=5000, mbps=40.0),
    }
    assert len(parse_dataset(make_dataset(tmp_path, logs, ""))["run"]) == 2
