"""What ran together, of layouts of folders as people make them, each with the right answer known.

The logs are small ones of iperf 2's own form (`iperf_logs`): what matters is who says what of
addresses, dates and names. docs/explanation/pooling.md has the rules.
"""

from __future__ import annotations

import csv
import json
import re
from types import SimpleNamespace

import polars as pl
import pytest
from evenflow.ingest.joining.joined import BY_DATES, BY_ENDS, BY_NAMES, Runs
from evenflow.ingest.parse import parse_dataset
from evenflow.pages.dataset.assumed import merged_yaml
from iperf_logs import client, connections, left_running, server
from iperf_logs import csv as csv_of
from offered_lines import assert_offered_lines_say_the_same, described
from pasted import Paste, alternatives, inferred
from raw_data import IPERF2, ROOT, content, make_dataset
from small_logs import iperf2, iperf3_json

FAMILY = {f"h{i}_server.log": i for i in (1, 2, 3, 4, 5)}  # five receiving hosts


def alone(logs: dict[str, bytes]) -> list[list[str]]:
    return [[path] for path in logs]


def staggered(step_s: int, seconds: int = 60) -> dict[str, bytes]:
    return {path: server(i, [10 + i], seconds, at=step_s * (i - 1)) for path, i in FAMILY.items()}


UNDATED = {path: server(i, [10 + i]) for path, i in FAMILY.items()}
PAIRS = {
    **{f"pc{i}.txt": client(i, 10 + i) for i in (1, 2, 3)},
    **{f"{name}.out": server(10 + i, [i]) for i, name in enumerate(("ada", "bob", "cy"), start=1)},
}
HASHED = {
    "3f2a9c1d/long_haul_server.log": server(1, [11, 12, 13]),
    "3f2a9c1d/short-1a_server.log": server(2, [21, 22, 23], 20),
}
HOURS_APART = {
    f"h{i}_{name}_server.log": server(i, [10 + i], 30, at=at + 2 * i)
    for name, at in (("morning", 0), ("evening", 7200))
    for i in (1, 2, 3)
}
LONG_BESIDE_SHORT = {
    "h9_server.log": server(9, [19], 300, at=0),
    **{f"h{i}_server.log": server(i, [10 + i], 30, at=60 * i) for i in (1, 2, 3)},
}
SEVERAL_HOSTS = {
    "server.log": server(9, [1, 2, 3]),
    **{f"h{i}.log": client(i, 9) for i in (1, 2, 3)},
}
MANY_TESTS = {
    "server.log": left_running(9, [[1, 2], [1, 2], [1, 2]]),
    **{
        f"h{i}.log": b"".join(client(i, 9, port=40000 + 100 * test) for test in range(3))
        for i in (1, 2)
    },
}
OTHER_REPEAT = {  # fixed ports: the server's log of run 1 and the client's of run 2 are lost
    "a_run1.log": client(1, 2),
    "b_run2.log": server(2, [1]),
}
REPEATS_ON_FIXED_PORTS = {
    f"run{r}/{name}.log": log
    for r in (1, 2, 3)
    for name, log in (
        ("alpha", client(1, 9, mbps=9 + r / 10)),
        ("omega-x", server(9, [1], mbps=9 + r / 10)),
    )
}
NUMBERED_OTHERWISE = {  # whoever numbers the servers begins at the other end
    **{f"client_flow{i}.log": client(i, 10 + i) for i in (1, 2)},
    **{f"server_flow{3 - i}.log": server(10 + i, [i]) for i in (1, 2)},
}
TWO_FOLDERS = {
    f"{mbit}mbit/h{i}.log": server(i, [10 + i], mbps=mbit / 2) for mbit in (10, 50) for i in (1, 2)
}
PARALLEL = {
    "a.log": server(1, [11], streams=4),
    "b.log": client(11, 1, streams=1),  # its -P 4 was not kept: one of the four
}
ENDS_OF_TWO_SITES = {"lyon/x.log": client(1, 2, at=3), "oslo/y.log": server(2, [1], at=2)}
CLOCK_OFF = {  # the server's clock is an hour ahead
    f"run{r}/{name}.log": log
    for r in (1, 2, 3)
    for name, log in (
        ("client", client(1, 9, at=100 * r)),
        ("server", server(9, [1], at=100 * r + 3600)),
    )
}
ZONE_OFF = {  # the short flow's host is an hour ahead; it begins 4 s later
    f"run{r}/{name}.log": log
    for r in (1, 2, 3)
    for name, log in (
        ("elephant", server(1, [11], 40, at=100 * r)),
        ("mouse", server(2, [12], at=100 * r + 3604)),
    )
}
AN_HOUR_LATER = {  # as long as the other: the delay is constant, and no clock's
    f"run{r}_h{i}.log": server(i, [10 + i], 40, at=100 * r + 3616 * i)
    for r in (1, 2, 3)
    for i in (1, 2)
}
SEVERAL_OF_A_PAIR = {  # in one folder two runs of two hosts, of which one is an hour ahead
    f"cubic-bbr/trial{r}/{cca}_{buffer}_.log": server(
        1 + i, [11 + i], at=200 * r + 50 * buffer + 3600 * i, mbps=r + buffer + i
    )
    for r in (1, 2)
    for i, cca in enumerate(("cubic", "bbr"))
    for buffer in (1, 2)
}
SERIES_OFF = {  # two servers that were left running, one an hour ahead, of tests of unlike length
    "net-a.log": b"".join(server(1, [11], 40, at=100 * n) for n in (1, 2, 3)),
    "net-b.log": b"".join(server(2, [12], at=100 * n + 3604) for n in (1, 2, 3)),
}


def on_port(port: int, log: bytes) -> bytes:
    return log.replace(b"5001", str(port).encode())


PORTS_OF_UNRELATED = {  # 'rain' and 'wind' may be two campaigns
    f"{word}_run{r}.log": on_port(5001 + i, server(9, [1], mbps=3 + i + r / 10))
    for i, word in enumerate(("rain", "wind"))
    for r in (1, 2)
}
PORTS_IN_NAMES = {
    f"s_{port}_run{r}.log": on_port(port, server(9, [1], mbps=port / 1000 + r / 10))
    for port in (5001, 5002)
    for r in (1, 2)
}
DATED_CLIENTS = {  # a server has no date without -e, and none in iperf3's text
    f"rtt20/{cca}_{end}.log": log
    for i, cca in enumerate(("cubic", "bbr"))
    for end, log in (("client", client(1 + i, 11 + i, at=0)), ("server", server(11 + i, [1 + i])))
}


def campaign(dated_servers: bool) -> dict[str, bytes]:
    """Return dated logs of clients, and of two servers that were left running, in a folder."""
    logs = {}
    for i, cca in enumerate(("cubic", "bbr")):
        of_server = b""
        for r in (1, 2):
            about = {"mbps": 3 + 2 * i + r, "at": 100 * r, "port": 40000 + 100 * r}
            logs[f"rtt20/run{r}_{cca}.log"] = on_port(5001 + i, client(1 + i, 9, **about))
            about |= {} if dated_servers else {"at": None}
            of_server += on_port(5001 + i, server(9, [1 + i], **about))
        logs[f"logs/s{5001 + i}.txt"] = of_server
    return logs


OF_CAMPAIGN = [
    (
        [
            "logs/s5001.txt",
            "logs/s5002.txt",
            *(f"rtt20/run{r}_{cca}.log" for cca in ("bbr", "cubic")),
        ],
        2,
    )
    for r in (1, 2)
]


def both_csv(server_off_s: int = 0, names=("client", "server"), mbps: float = 0.1):
    """Return CSV of both ends of two flows in two runs: in both logs the client comes first.

    Args:
        server_off_s: by how much the server's clock is ahead.
        names: of the ends.
        mbps: by how much the two ends' counts differ.
    """
    return {
        f"run{r}/{cca}_{name}.csv": csv_of(
            i, 9, at=100 * r + n * server_off_s, port=40000 + r, mbps=i + 5 * r + n * mbps
        )
        for r in (1, 2)
        for i, cca in enumerate(("cubic", "bbr"), start=1)
        for n, name in enumerate(names)
    }


OF_BOTH_CSV = [
    ([f"run{r}/{cca}_{end}.csv" for cca in ("bbr", "cubic") for end in ("client", "server")], 2)
    for r in (1, 2)
]
CSV_EVERY_HOUR = {
    f"{name}.csv": csv_of(1, 9, at=at, mbps=1 + at / 1e3) for name, at in (("x", 0), ("y", 3600))
}
CSV_OF_ONE_SERVER = {  # left running for all: its one log names both connections
    f"{cca}.csv": csv_of(i, 9, at=0, mbps=3 * i) for i, cca in enumerate(("cubic", "bbr"), start=1)
}
CSV_OF_ONE_SERVER["all.csv"] = b"".join(csv_of(i, 9, at=0, mbps=3.1 * i) for i in (1, 2))
TEXT_AND_CSV = {"x.log": client(1, 9), "y.csv": csv_of(1, 9)}


def one_server_of_staggered(dated: bool) -> dict[str, bytes]:
    """Return logs of two clients, of which one begins 20 s later, and of the server of both."""
    at = (0, 20) if dated else (None, None)
    first = server(9, [1], 40, at=at[0]).decode().splitlines(keepends=True)
    then = connections(9, [2], 20, at=at[1]).replace("[  1]", "[  2]").splitlines(keepends=True)
    begun = next(i for i, line in enumerate(first) if " 20.0000-21.0000 " in line)
    of_both = [line for pair in zip(first[begun:], then[2:], strict=True) for line in pair]
    return {
        "cubic.log": client(1, 9, 40, at=at[0]),
        "reno.log": client(2, 9, 20, at=at[1]),
        "server.log": "".join([*first[:begun], *then[:2], *of_both]).encode(),
    }


IN_TURN = {  # the hosts' delay is constant, and no clock's
    f"run{r}_h{i}.log": server(i, [10 + i], at=100 * r + 40 * i) for r in (1, 2, 3) for i in (1, 2)
}
COMPETITORS = {  # or one after the other: the files are the same
    f"run{r}/{cca}.log": server(1 + i, [11 + i], mbps=r + i)
    for r in (1, 2)
    for i, cca in enumerate(("cubic", "bbr"))
}
SEQUENTIAL = {f"h{i}_server.log": server(i, [10 + i], 10, at=10 * i) for i in (1, 2, 3)}

REAL = {"x1.txt": "plain.server.log", "zz-7/notes.out": "plain.client.log"}

# folder: logs, and the logs of each run with its number of flows
LAYOUTS = {
    "servers of five hosts at once": (
        {path: server(i, [10 + i], at=0) for path, i in FAMILY.items()},
        [(sorted(FAMILY), 5)],
    ),
    "servers of five hosts, begun one after the other": (staggered(10), [(sorted(FAMILY), 5)]),
    "flows that join and leave": (staggered(40), [(sorted(FAMILY), 5)]),
    "servers of five hosts without dates": (UNDATED, [(sorted(FAMILY), 5)]),
    "one host after the other": (SEQUENTIAL, [([path], 1) for path in SEQUENTIAL]),
    "client's and server's logs without dates": (
        PAIRS,
        [
            (["ada.out", "pc1.txt"], 1),
            (["bob.out", "pc2.txt"], 1),
            (["cy.out", "pc3.txt"], 1),
        ],
    ),
    "unrelated tests whose names share a hash": (HASHED, [([path], 3) for path in HASHED]),
    "two experiments in a folder, hours apart": (
        HOURS_APART,
        [([f"h{i}_{name}_server.log" for i in (1, 2, 3)], 3) for name in ("evening", "morning")],
    ),
    "a long test beside short ones": (
        LONG_BESIDE_SHORT,
        [(sorted(LONG_BESIDE_SHORT), 4)],
    ),
    "a server's log and its clients'": (SEVERAL_HOSTS, [(sorted(SEVERAL_HOSTS), 3)]),
    "a clock that is an hour off": (
        CLOCK_OFF,
        [([f"run{r}/client.log", f"run{r}/server.log"], 1) for r in (1, 2, 3)],
    ),
    "a zone off beside a long flow": (
        ZONE_OFF,
        [([f"run{r}/elephant.log", f"run{r}/mouse.log"], 2) for r in (1, 2, 3)],
    ),
    "tests as long, an hour and more apart": (
        AN_HOUR_LATER,
        [([path], 1) for path in AN_HOUR_LATER],
    ),
    "two runs in a folder, a zone off": (
        SEVERAL_OF_A_PAIR,
        [
            ([f"cubic-bbr/trial{r}/{cca}_{buffer}_.log" for cca in ("bbr", "cubic")], 2)
            for r in (1, 2)
            for buffer in (1, 2)
        ],
    ),
    "series of unlike tests, a zone off": (SERIES_OFF, [(sorted(SERIES_OFF), 2)] * 3),
    "unrelated words on two ports of a server": (
        PORTS_OF_UNRELATED,
        [([path], 1) for path in PORTS_OF_UNRELATED],
    ),
    "ports in names": (
        PORTS_IN_NAMES,
        [([f"s_{port}_run{r}.log" for port in (5001, 5002)], 2) for r in (1, 2)],
    ),
    "dated clients and servers without dates": (DATED_CLIENTS, [(sorted(DATED_CLIENTS), 2)]),
    "a campaign with its servers' logs": (campaign(True), OF_CAMPAIGN),
    "a campaign with its servers' logs without dates": (campaign(False), OF_CAMPAIGN),
    "flows that join late, and the log of their server": (
        one_server_of_staggered(dated=False),
        [(["cubic.log", "reno.log", "server.log"], 2)],
    ),
    "dated flows that join late, and the log of their server": (
        one_server_of_staggered(dated=True),
        [(["cubic.log", "reno.log", "server.log"], 2)],
    ),
    "CSV of both ends": (both_csv(), OF_BOTH_CSV),
    "CSV of both ends, of the same counts": (both_csv(mbps=0.0), OF_BOTH_CSV),
    "CSV of both ends, a zone off": (both_csv(7200), OF_BOTH_CSV),
    "CSV of both ends, whatever they are called": (
        both_csv(names=("x", "y")),
        [
            ([f"run{r}/{cca}_{name}.csv" for cca in ("bbr", "cubic") for name in "xy"], 2)
            for r in (1, 2)
        ],
    ),
    "CSV of tests on one port, an hour apart": (
        CSV_EVERY_HOUR,
        [([path], 1) for path in CSV_EVERY_HOUR],
    ),
    "text of a client and CSV of its server": (TEXT_AND_CSV, [(sorted(TEXT_AND_CSV), 1)]),
    "CSV of clients and their server": (CSV_OF_ONE_SERVER, [(sorted(CSV_OF_ONE_SERVER), 2)]),
    "hosts in turn, a constant time apart": (IN_TURN, [([path], 1) for path in IN_TURN]),
    "undated logs that differ in the variant": (
        COMPETITORS,
        [([path], 1) for path in COMPETITORS],
    ),
    "several tests in the logs of a server and its clients": (
        MANY_TESTS,
        [(sorted(MANY_TESTS), 2)] * 3,
    ),
    "ends of different repeats": (OTHER_REPEAT, [([path], 1) for path in OTHER_REPEAT]),
    "repeats on fixed ports": (
        REPEATS_ON_FIXED_PORTS,
        [([f"run{r}/alpha.log", f"run{r}/omega-x.log"], 1) for r in (1, 2, 3)],
    ),
    "ends that names number otherwise": (
        NUMBERED_OTHERWISE,
        [(sorted(NUMBERED_OTHERWISE), 2)],
    ),
    "hosts in a folder of each setting": (
        TWO_FOLDERS,
        [([f"{setting}/h{i}.log" for i in (1, 2)], 2) for setting in ("10mbit", "50mbit")],
    ),
    "parallel streams, one of them twice": (PARALLEL, [(["a.log", "b.log"], 4)]),
    "real logs of both ends, whatever their names": (
        {name: content(IPERF2 / log) for name, log in REAL.items()},
        [(sorted(REAL), 1)],
    ),
    "both ends in folders of their own": (ENDS_OF_TWO_SITES, [(sorted(ENDS_OF_TWO_SITES), 1)]),
    "logs of which nothing says what ran together": (
        {name: server(i, [10 + i]) for i, name in enumerate(("ada.log", "bob.log", "cy.log"))},
        [(["ada.log"], 1), (["bob.log"], 1), (["cy.log"], 1)],
    ),
}


def test_what_joins_a_run_comes_behind_what_there_is_and_the_smaller_behind_the_larger():
    tests = [SimpleNamespace(path=path) for path in "abcde"]
    a, b, c, d, e = tests
    runs = Runs(tests)
    runs.unite((a, b), BY_NAMES)
    runs.unite((c, d), BY_ENDS)
    runs.unite((a, c), BY_DATES)  # of two of one size
    runs.unite((e, d), BY_NAMES)
    runs.unite((a, d), BY_NAMES)  # which are one already
    (run,) = runs.all()
    assert [test.path for test in run.tests] == list("abcde")
    assert run.evidence == {BY_NAMES, BY_ENDS, BY_DATES}
    assert all(runs.same(a, other) for other in tests)


def runs_of(tables) -> list[tuple[list[str], int]]:
    """Return for every run its logs and the number of its flows."""
    stream = tables["stream"].drop_nulls("run_id")
    paths = dict(tables["file"].select("file_id", "path").rows())
    n_flows = dict(tables["flow"].group_by("run_id").len().rows())
    found = [
        (sorted({paths[i] for i in part["file_id"]}), n_flows[run_id])
        for (run_id,), part in stream.partition_by("run_id", as_dict=True).items()
    ]
    return sorted(found)


def test_a_pair_in_names_is_of_no_flow_where_a_log_of_the_third_was_lost(tmp_path):
    """Which two of the three the run still has nothing says."""
    logs = {
        f"cubic_vs_bbr/run{r}/flow{i}.log": server(i, [10 + i], mbps=r + i / 10)
        for r in (1, 2, 3)
        for i in (1, 2, 3)
    }
    del logs["cubic_vs_bbr/run3/flow3.log"]
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert sorted(tables["flow"].group_by("run_id").len()["len"]) == [2, 3, 3]
    assert tables["flow"]["cca"].null_count() == 8
    assert all('"variants": "cubic, bbr"' in said for said in tables["run"]["factors"])


def test_the_start_of_a_flow_is_given_or_assumed(tmp_path):
    logs = {f"run1/flow{i}.log": server(i, [10 + i]) for i in (1, 2)}
    text = 'files: [{path: "run{repeat}/flow{flow}.log"}]\n'
    for more, of_flow_2 in (
        ("", (None, "assumed")),
        ("flows: {2: {start_s: 20}}\n", (20, "given")),
    ):
        tables = parse_dataset(make_dataset(tmp_path / of_flow_2[1], logs, text + more))
        starts = tables["flow"].sort("flow_id").select("start_s", "start_from").rows()
        assert starts == [(None, "assumed"), of_flow_2]


@pytest.mark.parametrize(
    ("names", "starts"),
    [
        (("flow1_start0", "flow2_start20"), ["given", "given"]),
        (("f1_cubic_0s", "f2_bbr_20s"), ["given", "given"]),
        (("cubic_vs_bbr_flow1", "cubic_vs_bbr_flow2_start20s"), ["assumed", "given"]),
    ],
)
def test_a_flow_is_not_parted_from_its_run_by_its_start_in_its_name(names, starts, tmp_path):
    logs = {
        f"run{r}/{name}.log": server(10 * r + i, [20 + i], 60 - 20 * i)
        for r in (1, 2)
        for i, name in enumerate(names)
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    flows = tables["flow"].sort("run_id", "flow_id")
    assert flows["flow_id"].to_list() == [1, 2, 1, 2]
    assert flows["start_from"].to_list() == 2 * starts
    assert flows.filter(flow_id=2)["start_s"].to_list() == [20, 20]
    said = tables["assumption"].filter(what="start_s")["value"].to_list()
    guess = "0, 20 in names, taken as the times at which flows start, s"
    assert said == ([] if names[1].endswith("start20s") else [guess])
    assert_offered_lines_say_the_same(tmp_path, tables)


def test_a_start_that_all_flows_have_is_a_setting_of_the_run(tmp_path):
    logs = {f"flow{i}_start{s}.log": server(i, [s + i], 60 + s) for i in (1, 2) for s in (10, 20)}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert tables["run"]["factors"].to_list() == ['{"start": "10"}', '{"start": "20"}']
    assert tables["flow"]["start_from"].to_list() == ["assumed"] * 4


def flows_of_logs(tables) -> dict[str, list[tuple]]:
    """Return of every log its flows: number, congestion control, round-trip time in ms."""
    paths = tables["file"].select("file_id", "path")
    streams = tables["stream"].select("file_id", "run_id", "flow_id").join(paths, on="file_id")
    flows = streams.join(tables["flow"], on=["run_id", "flow_id"]).sort("path", "flow_id")
    columns = ("flow_id", "cca", "rtt_ms")
    return {p: of.select(columns).rows() for (p,), of in flows.group_by("path")}


@pytest.mark.parametrize("n_bbr", [1, 2, 3])
@pytest.mark.parametrize("names", ["run{}_{}.log", "run{}/{}.log", "run{}_{}_server.log"])
def test_what_a_name_says_is_of_all_flows_of_its_log_and_of_no_other(names, n_bbr, tmp_path):
    logs = {
        names.format(r, cca): server(i, [10 * i], at=100 * r, streams=n)
        for r in (1, 2)
        for i, (cca, n) in enumerate([("cubic", 2), ("bbr", n_bbr)], 1)
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    of_cubic = [(1, "cubic", None), (2, "cubic", None)]
    of_bbr = [(flow, "bbr", None) for flow in range(3, 3 + n_bbr)]
    wanted = {"cubic": of_cubic, "bbr": of_bbr}
    assert flows_of_logs(tables) == {
        names.format(r, cca): flows for r in (1, 2) for cca, flows in wanted.items()
    }
    assert_offered_lines_say_the_same(tmp_path, tables)


@pytest.mark.parametrize("streams", [(2, 2), (3, 1), (1, 2)])
def test_a_number_in_a_name_is_that_of_no_other_logs_flow(streams, tmp_path):
    ccas = ("cubic", "bbr")
    logs = {
        f"run{r}_flow{i}_{cca}.log": server(i, [10 * i], streams=n, port=40000 + 500 * r)
        for r in (1, 2)
        for i, (cca, n) in enumerate(zip(ccas, streams, strict=True), 1)
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    of_logs = flows_of_logs(tables)
    for path, flows in of_logs.items():
        number, cca = re.search(r"flow(\d)_(\w+)", path).groups()
        assert flows[0][0] == int(number) and {of for _, of, _ in flows} == {cca}
        assert all(further > 2 for further, *_ in flows[1:])
    assert [len(flows) for flows in of_logs.values()] == 2 * list(streams)
    assert_offered_lines_say_the_same(tmp_path, tables)


@pytest.mark.parametrize("at", [None, 0])
@pytest.mark.parametrize("name", ["flow{}_cubic_rtt{}", "client{}_{}ms", "flow{}_rtt0.{}s"])
def test_round_trip_times_of_flows_part_no_run(name, at, tmp_path):
    logs = {
        f"run{r}_{name.format(flow, rtt)}.log": server(
            flow, [10 * flow], at=None if at is None else 100 * r, port=40000 + 500 * r
        )
        for r in (1, 2)
        for flow, rtt in ((1, 20), (2, 120))
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    flows = tables["flow"].sort("run_id", "flow_id")
    assert flows["flow_id"].to_list() == [1, 2, 1, 2]
    in_ms = [None, None] if "0." in name else [20.0, 120.0]  # seconds are no unit of dataset.yml
    assert flows["rtt_ms"].to_list() == 2 * in_ms
    assert_offered_lines_say_the_same(tmp_path, tables)


def test_a_round_trip_time_that_all_flows_have_is_a_setting_of_the_run(tmp_path):
    logs = {
        f"run{r}_flow{i}_rtt{rtt}.log": server(i, [10 * i], port=40000 + 500 * r + rtt)
        for r in (1, 2)
        for i in (1, 2)
        for rtt in (20, 120)
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert tables["run"]["rtt_ms"].sort().to_list() == [20, 20, 120, 120]
    assert tables["flow"]["flow_id"].sort().to_list() == 4 * [1] + 4 * [2]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_ran_together(layout, tmp_path):
    logs, wanted = LAYOUTS[layout]
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert runs_of(tables) == sorted(wanted)
    assert len(tables["run"]) == len(wanted)
    said = tables["assumption"].filter(what="runs")["value"].str.extract(r"^(\d+), ")
    assert said.cast(pl.Int64).sum() == len(wanted)  # each by some evidence, or by none
    assert tables["file"]["problem"].null_count() == len(tables["file"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_lines_that_are_offered_say_the_same(layout, tmp_path):
    folder = make_dataset(tmp_path, LAYOUTS[layout][0], "")
    assert_offered_lines_say_the_same(folder, parse_dataset(folder))


@pytest.mark.parametrize(
    ("layout", "flow"),
    [("client's and server's logs without dates", "1"), ("a server's log and its clients'", "")],
)
def test_a_table_of_logs_says_the_flow_where_no_log_of_the_run_holds_several(
    layout, flow, tmp_path
):
    tables = parse_dataset(make_dataset(tmp_path, LAYOUTS[layout][0], ""))
    rows = list(csv.DictReader(described(tables)[1].splitlines()))
    assert sorted(row["path"] for row in rows) == sorted(LAYOUTS[layout][0])
    assert {row["flow"] for row in rows} == {flow}


def test_a_table_of_many_logs_is_offered_whole(tmp_path):
    ports = range(20000, 46000, 100)
    logs = {f"near/{i}.txt": client(1, 2, 2, port=port) for i, port in enumerate(ports)}
    logs |= {f"far-{i}.out": server(2, [1], 2, port=port) for i, port in enumerate(ports)}
    folder = make_dataset(tmp_path, logs, "")
    first = parse_dataset(folder)
    yml, table = described(first)
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    (folder / "runs.csv").write_text(table, encoding="utf-8")
    assert len(first["run"]) == len(ports)
    assert runs_of(parse_dataset(folder)) == runs_of(first)


@pytest.mark.parametrize(
    ("layout", "evidence"),
    [
        ("servers of five hosts at once", "by the files' names"),
        ("both ends in folders of their own", "addresses and ports"),
        ("servers of five hosts without dates", "the numbered hosts of a folder"),
        ("client's and server's logs without dates", "addresses and ports"),
        ("ends that names number otherwise", "by the files' names"),
        ("logs of which nothing says what ran together", "by itself"),
        (
            "unrelated words on two ports of a server",
            "together, or one after the other",
        ),
        ("ports in names", "one server's ports"),
    ],
)
def test_the_evidence_is_said(layout, evidence, tmp_path):
    tables = parse_dataset(make_dataset(tmp_path, LAYOUTS[layout][0], ""))
    said = tables["assumption"].filter(what="runs")["value"].to_list()
    assert any(evidence in value for value in said), said


PLACES = {
    f"probe_{name}.log": server(i, [10 + i]) for i, name in enumerate(("bonn", "oslo", "rome"))
}


def test_what_cannot_be_known_is_asked_once_a_folder(tmp_path):
    tables = parse_dataset(make_dataset(tmp_path, COMPETITORS, ""))
    asked = tables["assumption"].filter(what="runs", certainty="a guess").rows(named=True)
    (row,) = [row for row in asked if "together, or one after the other" in row["value"]]
    assert row["value"].startswith("2 cases of doubt: two logs, whose names")
    assert "run1/bbr.log and run1/cubic.log" in row["because"] and row["about"] == "joined"
    lines = row["yaml"].splitlines()
    assert "# runs: runs.csv" in lines and "#     path,run,flow" in lines
    assert "#     run1/cubic.log,run1/bbr.log,2" in lines


@pytest.mark.parametrize(
    ("layout", "zone"),
    [("a zone off beside a long flow", True), ("a clock that is an hour off", 0)],
)
def test_clocks_that_are_off_are_said_and_set_right(layout, zone, tmp_path):
    tables = parse_dataset(make_dataset(tmp_path, LAYOUTS[layout][0], ""))
    (row,) = tables["assumption"].filter(what="clocks").rows(named=True)
    assert "by 3600 s" in row["value"] and row["about"] == "joined"
    assert row["certainty"] == "a guess"  # names tell the runs, and ports come again
    starts = tables["flow"].filter(flow_id=2)["start_s"].to_list()
    assert starts == [4.0] * 3 * zone
    said = tables["assumption"].filter(what="start_s", certainty="a guess")["value"].to_list()
    assert said == ["from the logs, clocks set right, for flow 2"] * zone


def test_the_clock_of_a_host_that_dates_all_flows_counts(tmp_path):
    logs = {}
    for i, ahead in ((1, 0), (2, -2)):  # the second client's clock is 2 s late
        port = 5000 + i
        log = client(i, 9, 20, at=3 * i + ahead, port=40000 + i)
        logs[f"client/run1_flow{i}.log"] = on_port(port, log)
        logs[f"server/run1_flow{i}.log"] = on_port(
            port, server(9, [i], 20, at=3 * i, port=40000 + i)
        )
    flow = parse_dataset(make_dataset(tmp_path, logs, ""))["flow"]
    assert flow["start_s"].to_list() == [0.0, 3.0]


@pytest.mark.parametrize("dated", [False, True])
def test_a_flow_that_joins_late_begins_when_its_server_says(dated, tmp_path):
    tables = parse_dataset(make_dataset(tmp_path, one_server_of_staggered(dated), ""))
    assert tables["flow"].sort("flow_id").select("cca", "start_s").rows() == [
        ("cubic", 0),
        ("reno", 20),
    ]


@pytest.mark.parametrize(("names", "n"), [(("client", "server"), 0), (("x", "y"), 1)])
def test_csv_of_two_ends_that_names_do_not_tell_is_asked_about(names, n, tmp_path):
    values = parse_dataset(make_dataset(tmp_path, both_csv(names=names), ""))["assumption"]["value"]
    assert values.str.contains("neither says which is the server's").sum() == n


def test_both_ends_that_nothing_pairs_are_asked_about(tmp_path):
    logs = {f"client_rep{r}.log": client(1, 9, port=40000 + r) for r in (1, 2)}
    inside = b"".join(connections(9, [200], 10, port=50000 + 100 * r).encode() for r in (1, 2))
    logs["server.log"] = server(9, [1], 10).split(b"[  1]")[0] + inside  # translated addresses
    asked = parse_dataset(make_dataset(tmp_path, logs, ""))["assumption"].filter(what="runs")
    assert any("the same tests twice?" in value for value in asked["value"]), asked["value"]


@pytest.mark.parametrize("zones", [("CST", "CST"), ("CST", "IST")])
def test_names_join_what_dates_of_two_zones_cannot_part(zones, tmp_path):
    """Several zones are called so: nobody knows how far their clocks are apart."""
    logs = {
        f"h{i}_server.log": server(i, [10 + i], at=0).replace(b"(UTC)", f"({zone})".encode())
        for i, zone in enumerate(zones, start=1)
    }
    assert runs_of(parse_dataset(make_dataset(tmp_path, logs, ""))) == [(sorted(logs), 2)]


# 7 s: less than half of their 10 s
@pytest.mark.parametrize(("step_s", "said"), [(0, True), (4, True), (7, False), (600, False)])
def test_repeats_by_name_that_ran_at_the_same_time_are_named(step_s, said, tmp_path):
    logs = {f"run {i}.log": server(i, [10 + i], at=step_s * i) for i in (1, 2)}
    logs["run 3.log"] = server(3, [13], at=7200)
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == 3
    what = tables["assumption"].filter(pl.col("value").str.contains("ran at the same time"))
    assert [value.partition(":")[0] for value in what["value"]] == [
        "2 logs ran at the same time as another and are not one run with it"
    ] * said


def test_logs_that_ran_at_the_same_time_are_offered_as_one_run(tmp_path):
    """Not the two that come first: they ran one after the other."""
    at = {1: 0, 2: 600, 3: 3, 4: 603}
    logs = {f"run {i}.log": server(i, [10 + i], at=at_s) for i, at_s in at.items()}
    folder = make_dataset(tmp_path, logs, "")
    tables = parse_dataset(folder)
    assert len(tables["run"]) == 4
    rows = tables["assumption"].rows(named=True)
    (asked,) = [row["yaml"] for row in rows if row["value"].startswith("4 logs ran at the same")]
    ((_, lines),) = [a for a in alternatives(asked) if a[0].startswith("if they are")]
    inferred(rows).add(lines).into(folder)
    runs = runs_of(parse_dataset(folder))
    assert sorted(runs) == [(["run 1.log", "run 3.log"], 2), (["run 2.log", "run 4.log"], 2)]


def test_logs_that_differ_in_a_word_are_offered_as_one_run_with_one_value_of_it(tmp_path):
    logs = {f"run{r}/pair_{x}.log": iperf2(side="client") for r in (1, 2) for x in "ab"}
    folder = make_dataset(tmp_path, logs, "")
    rows = parse_dataset(folder)["assumption"].rows(named=True)
    (asked,) = [row["yaml"] for row in rows if "may have run together" in row["value"]]
    ((_, lines),) = [a for a in alternatives(asked) if a[0].startswith("if they ran at once")]
    inferred(rows).add(lines).into(folder)
    both = [([f"run{r}/pair_a.log", f"run{r}/pair_b.log"], 2) for r in (1, 2)]
    assert sorted(runs_of(parse_dataset(folder))) == both


def test_both_ends_of_flows_are_offered_as_one_run_beside_hosts_of_their_own(tmp_path):
    """The usual folder of Mininet: h1 and h2 send to h3 and h4, and no log has a date."""
    logs = {}
    for run in (1, 2):
        for host in (1, 2):
            ports = {"client": 40000 + 10 * run + host, "server": 5001}
            for side, name in (("client", host), ("server", host + 2)):
                text = iperf2(side=side, client=f"10.0.0.{host}", server=f"10.0.0.{host + 2}")
                port = re.compile(rb"port (?!5001)[0-9]+")
                logs[f"cubic-bbr/run{run}/h{name}.log"] = port.sub(
                    b"port %d" % ports["client"], text
                )
    folder = make_dataset(tmp_path, logs, "")
    tables = parse_dataset(folder)
    assert len(tables["run"]) == 4  # a flow each: nothing says that two of them ran at once
    rows = tables["assumption"].rows(named=True)
    (asked,) = [row["yaml"] for row in rows if "may have run together" in row["value"]]
    ((_, lines),) = [a for a in alternatives(asked) if a[0].startswith("if they ran at once")]
    inferred(rows).add(lines).into(folder)
    tables = parse_dataset(folder)
    assert sorted(runs_of(tables)) == [
        ([f"cubic-bbr/run{run}/h{host}.log" for host in (1, 2, 3, 4)], 2) for run in (1, 2)
    ]
    ends = tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")
    assert ends.filter(flow_id=1)["path"].str.contains("h[13]").all()


def test_logs_that_patterns_part_are_offered_as_one_run_with_one_value_of_what_differs(tmp_path):
    logs = {f"run{r}/pair_{x}.json": iperf3_json(minute=r, seconds=30)
            for r in (1, 2) for x in "ab"}  # fmt: skip
    patterns = 'files:\n  - path: "run{repeat}/pair_{name}.json"\n'
    folder = make_dataset(tmp_path, logs, patterns)
    rows = parse_dataset(folder)["assumption"].rows(named=True)
    (asked,) = [row["yaml"] for row in rows if "but patterns under files" in row["value"]]
    ((_, lines),) = [a for a in alternatives(asked) if a[0].startswith("if they are one")]
    Paste(patterns).add(lines).into(folder)
    both = [([f"run{r}/pair_a.json", f"run{r}/pair_b.json"], 2) for r in (1, 2)]
    assert sorted(runs_of(parse_dataset(folder))) == both


@pytest.mark.parametrize("failed", [False, True])
def test_a_table_of_logs_is_offered_with_lines_that_leave_out_copies(failed, tmp_path):
    pairs = (("alpha.json", "beta.json"), ("gamma.json", "d_two.json"))
    logs = {
        name: iperf3_json(minute=5 * i, seconds=30) for i, pair in enumerate(pairs) for name in pair
    }
    logs["old/g.json"] = logs["gamma.json"]
    if failed:
        logs["failed.txt"] = b"iperf3: error - unable to connect to server: Connection refused\n"
    folder = make_dataset(tmp_path, logs, "")
    tables = parse_dataset(folder)
    (lines,) = tables["assumption"].filter(what="files")["yaml"]
    assert '#   - {path: "old/g.json", format: ignore}' in lines.splitlines()
    assert ("failed.txt" in lines) is failed
    assert_offered_lines_say_the_same(folder, tables)


@pytest.mark.parametrize(
    ("logs", "doubt", "wanted"),
    [
        (UNDATED, "if each host was measured by itself", [([path], 1) for path in FAMILY]),
        (PLACES, "if the logs of one pattern ran together", [(sorted(PLACES), 3)]),
    ],
)
def test_where_evidence_is_weak_the_opposite_is_offered(logs, doubt, wanted, tmp_path):
    folder = make_dataset(tmp_path, {**logs, "notes.txt": b"no log\n"}, "")
    tables = parse_dataset(folder)
    assert runs_of(tables) != wanted
    block = merged_yaml(tables["assumption"]["yaml"].to_list())
    _, _, after = block.partition(f"# {doubt}, these lines instead:\n")
    lines = after.partition("\n\n")[0].splitlines()
    yml = "\n".join(line.removeprefix("# ") for line in lines)
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    assert runs_of(parse_dataset(folder)) == wanted


def uncommented(yml: str, block: str) -> str:
    """Return dataset.yml with the commented lines of its `flows:` as lines."""
    head, mark, after = yml.partition(f"# {block}\n")
    assert mark
    lines = after.partition("\n\n")[0].splitlines()
    return head + "\n".join(line.removeprefix("# ") for line in lines) + "\n"


UNEVEN = {**SEQUENTIAL, **{f"x{i}.log": server(i, [20 + i], 10, at=900) for i in (7, 8)}}


@pytest.mark.parametrize(
    ("logs", "block"),
    [
        (UNDATED, "with what is true:"),
        (UNEVEN, "with what is true:"),
        (
            {
                f"rep{r}/h{i}.log": server(i, [10 + i], 10, at=100 * r, udp=i == 2)
                for i in (1, 2)
                for r in (1, 2)
            },
            "to compare it with the others:",
        ),
    ],
)
def test_lines_on_flows_that_are_offered_leave_no_run_out(logs, block, tmp_path):
    folder = make_dataset(tmp_path, logs, "")
    first = parse_dataset(folder)
    yml = "\n\n".join(x for x in first["assumption"]["yaml"] if x and "flows:" in x)
    yml = "\n".join(line for line in yml.splitlines() if line.startswith("#"))
    (folder / "dataset.yml").write_text(uncommented(yml, block), encoding="utf-8")
    again = parse_dataset(folder)
    assert runs_of(again) == runs_of(first)
    assert again["file"]["problem"].null_count() == len(again["file"])
    if block.startswith("to compare"):
        assert first["flow"]["cross_traffic"].to_list() == [False, True] * 2
        assert not again["flow"]["cross_traffic"].any()


OUTPUTS = ROOT / "tests/fixtures/formats"


@pytest.mark.parametrize(
    ("client_log", "n_flows"),
    [
        ("iperf2/2.0.5/tcp-client.log", 1),
        ("iperf2/2.2.1/parallel-client.log", 3),
        ("iperf2/2.1.8/udp-client.log", 1),
        ("iperf2-csv/2.0.5/tcp-client.csv", 1),
        ("iperf3/3.12/server-output.client.log", 1),  # it quotes the server's report
        ("iperf3/3.18/server-output.client.log", 1),
    ],
)
def test_real_logs_of_both_ends_are_one_run_whatever_their_names(client_log, n_flows, tmp_path):
    end = OUTPUTS / client_log
    other = end.with_name(end.name.replace("client", "server"))
    logs = {"aa.txt": content(end), "zz/server.out": content(other)}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert runs_of(tables) == [(sorted(logs), n_flows)]
    counting = tables["stream"].filter("counts").join(tables["file"], on="file_id")
    assert set(counting["path"]) == {"zz/server.out"}


def test_both_ends_behind_nat_are_one_flow(tmp_path):
    """The client's address and port are others at the server; names say client and server."""
    logs = {
        f"run1/{name}.log": log
        for name, log in (("client", client(1, 9)), ("server", server(9, [7], port=52000)))
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert runs_of(tables) == [(sorted(logs), 1)]


RUNS = ((1, 8.0), (2, 8.0), (3, 9.0))  # their numbers and Mb/s


def test_parallel_connections_behind_nat_keep_their_order(tmp_path):
    inside = client(1, 9, streams=3)
    outside = server(9, [1], streams=3, port=50000)
    for theirs, of_nat in ((50010, 50032), (50011, 50031), (50012, 50030)):  # ports backwards
        outside = outside.replace(str(theirs).encode(), str(of_nat).encode())
    outside = outside.replace(b"10.0.0.1 ", b"203.0.113.7 ")
    logs = {"x_P3_client.log": inside, "x_P3_server.log": outside}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    stream = tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")
    labels = stream.group_by("flow_id").agg(pl.col("label").unique())["label"].to_list()
    assert sorted(labels) == [["1"], ["2"], ["3"]]


def test_numbered_clients_of_one_server_behind_nat_are_no_further_flows(tmp_path):
    logs = {
        f"iter{r}/client{i}.txt": client(1, 9, port=40000 + 100 * r + i, at=60 * r)
        for r in (1, 2)
        for i in (1, 2)
    }
    logs |= {
        f"iter{r}/server.txt": server(9, [7, 7], port=50000 + 100 * r, at=60 * r) for r in (1, 2)
    }
    for r in (1, 2):  # two ports of the address outside
        first, _, rest = logs[f"iter{r}/server.txt"].partition(b"[  2] local")
        rest = rest.replace(f"{50070 + 100 * r}".encode(), f"{50075 + 100 * r}".encode())
        logs[f"iter{r}/server.txt"] = first + b"[  2] local" + rest
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert runs_of(tables) == [
        ([f"iter{r}/client1.txt", f"iter{r}/client2.txt", f"iter{r}/server.txt"], 2) for r in (1, 2)
    ]


def test_one_lost_log_behind_nat_counts_no_flow_twice(tmp_path):
    logs = {
        f"fix{r}/{side}{i}.log": log
        for r in (1, 2)
        for i in (1, 2)
        for side, log in (
            ("s", client(1, 10 + i, port=40000 + 100 * r + i)),
            ("r", server(10 + i, [7], port=50000 + 100 * r + i)),
        )
    }
    logs["fix2/r2.log"] = b"connect failed: Connection refused\n"
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert [n for _, n in runs_of(tables)] == [2, 2]


def test_a_run_that_is_left_out_leaves_the_log_of_its_server_to_the_others(tmp_path):
    logs = {
        f"client_run{r}_{i}.log": client(i, 20 + i, port=40000 + 100 * r)
        for r in (0, 1)
        for i in (1, 2)
    }
    logs |= {
        f"net-{name}.log": left_running(20 + i, [[i], [i]]) for i, name in ((1, "a"), (2, "b"))
    }
    whole = parse_dataset(make_dataset(tmp_path / "whole", logs, ""))
    assert len(whole["run"]) == 2
    logs["client_run0_2.log"] = b"connect failed: Connection refused\n"
    tables = parse_dataset(make_dataset(tmp_path / "broken", logs, ""))
    assert len(tables["run"]) == 1
    assert "client_run0_2.log" in str(tables["assumption"].filter(what="left out")["because"])


def test_a_log_of_nothing_takes_no_run_along_where_each_log_is_a_run(tmp_path):
    logs = {**SEQUENTIAL, "h4_server.log": b""}
    assert runs_of(parse_dataset(make_dataset(tmp_path, logs, ""))) == [
        ([path], 1) for path in SEQUENTIAL
    ]


def test_a_log_of_nothing_takes_no_run_along_as_folders_of_other_logs_show(tmp_path):
    """In the other folder an elephant ran with another flow, and not with a mouse."""
    logs = {
        "a/elephant.log": server(1, [11], at=0),
        "a/mouse_1.log": b"",
        "b/elephant.log": server(1, [11], at=1000),
        "b/dolphin.log": server(2, [12], at=1001),
    }
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert runs_of(tables) == [(["a/elephant.log"], 1), (["b/dolphin.log", "b/elephant.log"], 2)]


def test_half_of_a_run_is_left_out_though_dates_part_another_one(tmp_path):
    """Hosts of run 3 measured hours apart; in run 4 the log of one holds nothing."""
    logs = {
        f"run{r}_h{i}.log": server(i, [10 + i], at=100 * r + (r == 3) * 9000 * i)
        for r in (1, 2, 3)
        for i in (1, 2)
    }
    logs |= {"run4_h1.log": server(1, [11], at=400), "run4_h2.log": b""}
    found = runs_of(parse_dataset(make_dataset(tmp_path, logs, "")))
    assert (["run1_h1.log", "run1_h2.log"], 2) in found
    assert (["run3_h1.log"], 1) in found
    assert all("run4_h1.log" not in paths for paths, _ in found)


def test_half_of_a_run_is_left_out_as_other_folders_show(tmp_path):
    logs = {
        f"a_rtt20_test{r}/{name}.log": client(
            1, 9, 40 if i == 1 else 10, at=100 * r + 3 * i, port=40000 + 100 * r + i
        )
        for r in (1, 2, 3)
        for i, name in ((1, "elephant"), (2, "mouse_0"), (3, "mouse_1"))
    }
    logs["a_rtt20_test2/mouse_1.log"] = b""
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert [n for _, n in runs_of(tables)] == [3, 3]


def test_a_pair_is_not_given_to_what_is_left_of_a_run(tmp_path):
    logs = {
        f"h{i}/htcp_bbr-buf{size}kB-run1.log": server(i, [10 + i], mbps=size / 10 + i)
        for size in (20, 40, 80)
        for i in (1, 2, 3)
    }
    del logs["h2/htcp_bbr-buf40kB-run1.log"]  # flows 1 and 3 are no htcp and bbr
    flow = parse_dataset(make_dataset(tmp_path, logs, ""))["flow"]
    assert sorted(flow.group_by("run_id").len()["len"]) == [2, 3, 3]
    assert flow["cca"].null_count() == len(flow)


@pytest.mark.parametrize("word", ["copy", "old", "orig"])
def test_counts_alike_by_chance_are_no_copies(word, tmp_path):
    """Undated logs on fixed ports, of a sender too slow for more than one value a second."""
    logs = {f"rtt10/run{n}.log": iperf2(side="client", seconds=9, mbps=m) for n, m in RUNS}
    ports = {re.search(rb"port (4\d+)", log)[1] for log in logs.values()}
    logs |= {f"rtt10/run1-{word}.log": logs["rtt10/run1.log"]}
    for path, log in logs.items():
        for port in ports:
            log = log.replace(port, b"40000")
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(log)
    tables = parse_dataset(tmp_path)
    assert sorted(tables["run"]["run_id"]) == [f"rtt10/run{n}.log" for n, _ in RUNS]
    copies = tables["file"].filter(format="copy")
    assert copies["path"].to_list() == [f"rtt10/run1-{word}.log"]


AT_ONCE = {
    f"run{r}/{cca}.log": server(1 + i, [11 + i], at=100 * r + i, mbps=r + i)
    for r in (1, 2)
    for i, cca in enumerate(("cubic", "bbr"))
}
PATTERN = 'files: [{path: "run{repeat}/{%s}.log"}]\n'


@pytest.mark.parametrize(
    ("logs", "yml", "n"),
    [
        (AT_ONCE, PATTERN % "cca", 2),
        (AT_ONCE, PATTERN % "host", 0),  # {cca} goes with the one flow
        (IN_TURN, 'files: [{path: "run{repeat}_h{pc}.log"}]\n', 0),
        (COMPETITORS, PATTERN % "cca", 0),  # undated
        (dict.fromkeys(("run1/x.log", "run1/y.log"), AT_ONCE["run1/bbr.log"]), "", 0),
    ],
)
def test_a_pattern_that_parts_what_dates_join_counts_and_is_said(logs, yml, n, tmp_path):
    yml = yml or 'files: [{path: "run{repeat}/{name}.log"}]\n'
    tables = parse_dataset(make_dataset(tmp_path, logs, yml))
    said = tables["assumption"].filter(what="runs").rows(named=True)
    assert len(said) == (n > 0)
    assert len(tables["run"]) == (2 if "{host}" in yml else len(logs))
    if n:
        assert said[0]["value"].startswith(f"{n} cases of doubt: ran at the same time")
        assert said[0]["because"].startswith("run1/bbr.log and run1/cubic.log; the patterns count")


def test_a_table_of_files_may_part_what_dates_join(tmp_path):
    table = b"path,run\n" + b"".join(f"{path},{n}\n".encode() for n, path in enumerate(AT_ONCE))
    folder = make_dataset(tmp_path, {**AT_ONCE, "runs.csv": table}, "runs: runs.csv\n")
    tables = parse_dataset(folder)
    assert len(tables["run"]) == len(AT_ONCE)
    assert tables["assumption"].filter(what="runs").is_empty()


SITES = {f"site{i}_run{r}.log": server(i, [10 + i], mbps=r + i) for r in (1, 2) for i in (1, 2)}
TWO_TOOLS = {
    f"{folder}/run{r}.{folder}": log
    for r in (1, 2)
    for folder, log in (
        ("log", iperf2(mbps=8 + r)),
        ("json", iperf3_json(client="10.0.0.5", server="10.0.0.6", mbps=7 + r)),
    )
}


@pytest.mark.parametrize("logs", [SITES, TWO_TOOLS])
def test_numbered_places_and_folders_of_two_tools_are_asked_about(logs, tmp_path):
    """A word that goes with the tool is not that of an end, though each tool logged one."""
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == len(logs)
    asked = tables["assumption"].filter(what="runs")["value"].str.contains("one after the other")
    assert asked.any()


@pytest.mark.parametrize(("year", "n_runs"), [(b"2026", 2), (b"2000", 4), (b"1970", 4)])
def test_a_clock_that_nobody_set_is_no_date(year, n_runs, tmp_path):
    """It begins anew whenever the host is started."""
    logs = {path: log.replace(b"2026-11", year + b"-11") for path, log in AT_ONCE.items()}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["run"]) == n_runs
    asked = tables["assumption"].filter(what="runs")["value"].str.contains("one after the other")
    assert asked.any() == (n_runs == 4)


@pytest.mark.parametrize(
    ("networks", "n_runs"),
    [
        (("2001:db8:1::", "2001:db8:2::"), 2),
        (("2001:db8:1::", "2001:db8:1::a:"), 1),
        (("10.0.1.", "10.0.2."), 2),
        (("fe80::1:", "fe80::2:"), 2),  # every network has those
    ],
)
def test_folders_of_two_networks_are_two_labs(networks, n_runs, tmp_path):
    logs = {
        f"{name}/x.log": server(1, [2], at=0, mbps=9 + i).replace(b"10.0.0.", network.encode())
        for i, (name, network) in enumerate(zip(("ada", "bob"), networks, strict=True))
    }
    assert len(parse_dataset(make_dataset(tmp_path, logs, ""))["run"]) == n_runs


ONE_SERVER = {
    f"run{r}/{cca}_client.json": iperf3_json(minute=r, seconds=30, client=f"10.0.{host}.1")
    for r in (1, 2)
    for host, cca in enumerate(("bbr", "cubic"), start=5)
}


def test_logs_at_once_of_one_server_are_asked_about(tmp_path):
    """It was said that no date connects them."""
    folder = make_dataset(tmp_path, ONE_SERVER, "")
    tables = parse_dataset(folder)
    assert len(tables["run"]) == 4
    rows = tables["assumption"].filter(what="runs").rows(named=True)
    (asked,) = [row for row in rows if "name one server (address and port)" in row["value"]]
    assert not [row for row in rows if "neither its name nor its date" in row["because"]]
    ((_, lines),) = [a for a in alternatives(asked["yaml"]) if a[0].startswith("if they are")]
    inferred(tables["assumption"].rows(named=True)).add(lines).into(folder)
    pairs = [([f"run{r}/{cca}_client.json" for cca in ("bbr", "cubic")], 2) for r in (1, 2)]
    assert sorted(runs_of(parse_dataset(folder))) == pairs


def test_a_trace_of_several_runs_is_no_log_of_several_tests(tmp_path):
    polls = "".join(
        f"{1732000000 + n}.5\nESTAB 0 0 {json.loads(log)['start']['connected'][0]['local_host']}:"
        f"{json.loads(log)['start']['connected'][0]['local_port']} 10.0.0.2:5201\n"
        "\t cubic rto:224 rtt:20.5/0.2 mss:1448 cwnd:10\n"
        for n in range(3)
        for path, log in ONE_SERVER.items()
        if path.startswith("run1/")
    )
    folder = make_dataset(tmp_path, ONE_SERVER | {"run1/ss.log": polls.encode()}, "")
    (because,) = parse_dataset(folder)["assumption"].filter(what="files")["because"]
    assert because.startswith("a trace holds connections of several runs (run1/ss.log)")
    assert because.endswith("cut it into one a run")
