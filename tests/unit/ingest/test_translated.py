"""Both ends of a connection whose addresses differ at its ends: NAT, containers, mapped ports."""

from __future__ import annotations

import json

import pytest
from evenflow.ingest.parse import parse_dataset
from iperf_logs import client, server
from raw_data import make_dataset

INSIDE, MAPPED = "192.168.1.2", "192.168.1.50"  # of the client, and what it connects to
BRIDGE, CONTAINER = "172.17.0.1", "172.17.0.2"  # what the server sees of it, and its own
BEGIN_S = 1_700_000_000
CLIENT, SERVER = "client", "server"


def document(
    end: str,
    *,
    port: int = 40011,
    service: int = 5201,
    at: int = 0,
    cookie: str | None = None,
    mbps: float = 20.0,
    streams: int = 1,
    seconds: int = 10,
    reverse: bool = False,
) -> bytes:
    """Return iperf3's document of one end of a test through a container's bridge.

    Args:
        end: which wrote it.
        port: of the client's first connection, as this end sees it.
        service: the server's port, as this end sees it.
        at: when it began, seconds after BEGIN_S, by its own clock.
        cookie: iperf3's name of the test.
        mbps: of each connection, Mb/s.
        streams: -P.
        seconds: length, with a report each.
        reverse: -R.
    """
    own, peer = (INSIDE, MAPPED) if end == CLIENT else (CONTAINER, BRIDGE)
    connected = []
    for n in range(streams):
        ports = (port + 2 * n, service) if end == CLIENT else (service, port + 2 * n)
        ends = {"local_host": own, "local_port": ports[0]}
        ends |= {"remote_host": peer, "remote_port": ports[1]}
        connected.append({"socket": 5 + 2 * n, **ends})
    sends = (end == CLIENT) != reverse
    intervals = []
    for second in range(seconds):
        of_all = []
        for n in range(streams):
            n_bytes = round((mbps + n) * 1e6 / 8 * (1 if sends else 0.99)) + 7 * second
            report = {"socket": 5 + 2 * n, "start": second, "end": second + 1, "seconds": 1}
            report |= {"bytes": n_bytes, "bits_per_second": n_bytes * 8, "omitted": False}
            of_all.append(report | {"sender": sends} | ({"retransmits": 0} if sends else {}))
        intervals.append({"streams": of_all})
    start = {"connected": connected, "version": "iperf 3.12"}
    start |= {"timestamp": {"timesecs": BEGIN_S + at}}
    accepts = {"host": peer, "port": port - 2}
    start |= {"connecting_to": {}} if end == CLIENT else {"accepted_connection": accepts}
    start |= {"cookie": cookie} if cookie else {}
    start |= {"test_start": {"protocol": "TCP", "reverse": int(reverse), "duration": seconds}}
    role = "sender" if sends else "receiver"
    final = [
        {
            role: {
                "socket": 5 + 2 * n,
                "start": 0,
                "end": seconds,
                "seconds": seconds,
                "sender": sends,
            }
        }
        for n in range(streams)
    ]
    for n, of_stream in enumerate(final):
        n_bytes = sum(interval["streams"][n]["bytes"] for interval in intervals)
        of_stream[role] |= {"bytes": n_bytes, "bits_per_second": n_bytes * 8 / seconds}
    whole = {"start": start, "intervals": intervals, "end": {"streams": final}}
    return json.dumps(whole, indent=1).encode()


def campaign(ends: dict[str, dict], cookies: bool) -> dict[str, bytes]:
    """Return the logs of two runs of two flows, each logged at both ends.

    Args:
        ends: what `document` is told of each end; `path`: of its logs.
        cookies: whether they have the names of tests.
    """
    logs = {}
    for run in (1, 2):
        for flow, cca in enumerate(("cubic", "bbr")):
            for end, said in ends.items():
                about = {"port": 40001 + 10 * run + flow, "mbps": 20.0 + 40 * flow, "at": 100 * run}
                about |= {"service": 5201 + flow} | said
                path = about.pop("path").format(run=run, cca=cca, flow=flow + 1)
                about["port"] += about.pop("port_off", 0)
                about["at"] += about.pop("clock_off", 0)
                name = f"{run}{flow}".rjust(36, "a") if cookies else None
                logs[path] = document(end, cookie=name, **about)
    return logs


def read(place, logs):
    """Return the numbers of flows of all runs, and what the page says of how they were found."""
    tables = parse_dataset(make_dataset(place, logs, ""))
    n_flows = tables["flow"].group_by("run_id", maintain_order=True).len()["len"].to_list()
    said = [row for row in tables["assumption"].rows(named=True) if row["what"] == "runs"]
    return n_flows, said


BY_END = {CLIENT: {"path": "run{run}/{cca}_client.json"}}
BY_END |= {SERVER: {"path": "run{run}/{cca}_server.json"}}
OF_HOSTS = {CLIENT: {"path": "run{run}/laptop{flow}_{cca}.json"}}
OF_HOSTS |= {SERVER: {"path": "run{run}/cloud_520{flow}.json"}}
OTHER_PORTS = {"port_off": 20000, "service": 5300}


@pytest.mark.parametrize(
    "ends",
    [
        BY_END,
        BY_END | {SERVER: BY_END[SERVER] | OTHER_PORTS},
        BY_END | {SERVER: BY_END[SERVER] | {"clock_off": 12345}},  # a clock that is off
        BY_END | {end: said | {"streams": 2} for end, said in BY_END.items()},
        BY_END | {end: said | {"reverse": True} for end, said in BY_END.items()},
        OF_HOSTS | {SERVER: OF_HOSTS[SERVER] | {"port_off": 20000}},
        {
            CLIENT: {"path": "client/r{run}_{cca}.json"},
            SERVER: {"path": "server/r{run}_{cca}.json"},
        },
    ],
)
def test_both_ends_of_a_test_of_iperf3_are_one_flow_by_its_name(ends, tmp_path):
    n_flows, said = read(tmp_path, campaign(ends, cookies=True))
    streams = ends[CLIENT].get("streams", 1)
    assert n_flows == [2 * streams] * 2
    assert any("iperf3's name of their test (cookie)" in row["value"] for row in said)
    assert not any("doubt" in row["value"] for row in said)


def test_connections_of_one_test_are_paired_in_the_order_of_both_logs(tmp_path):
    name = "b" * 36
    logs = {"run1_client.json": document(CLIENT, streams=2, cookie=name)}
    logs["run1_server.json"] = document(SERVER, streams=2, cookie=name, **{"port": 60000})
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    of_flow = tables["stream"].group_by("flow_id").agg("label").sort("flow_id")
    assert [sorted(labels) for labels in of_flow["label"]] == [["5", "5"], ["7", "7"]]


def test_tests_of_other_names_are_not_the_ends_of_one_connection(tmp_path):
    logs = {"run1_client.json": document(CLIENT, cookie="a" * 36)}
    logs["run1_server.json"] = document(SERVER, cookie="b" * 36)
    assert sum(read(tmp_path, logs)[0]) == 2


def test_a_log_of_a_test_that_is_there_under_two_numbers_joins_its_server_once(tmp_path):
    logs = {f"flow{n}.json": document(CLIENT, cookie="a" * 36) for n in (1, 2)}
    logs["server.json"] = document(SERVER, cookie="a" * 36)
    table = b"path,run,flow\nflow1.json,one,1\nflow2.json,one,2\nserver.json,one,\n"
    tables = parse_dataset(make_dataset(tmp_path, {**logs, "runs.csv": table}, "runs: runs.csv\n"))
    assert tables["flow"].height == 2


def test_a_test_of_the_same_name_and_end_is_a_copy_however_early_it_broke_off(tmp_path):
    logs = {"cubic.json": document(CLIENT, cookie="a" * 36)}
    logs["cubic-partial.json"] = document(CLIENT, cookie="a" * 36, seconds=2)
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert len(tables["flow"]) == 1
    other = dict(tables["file"].select("path", "problem").rows())["cubic-partial.json"]
    assert "not read" in other


@pytest.mark.parametrize("cookies", [True, False])
def test_in_a_described_folder_both_ends_are_one_flow_too(cookies, tmp_path):
    logs = campaign(BY_END, cookies)
    yml = 'files:\n  - path: "run{run}/{cca}_{side}.json"\n'
    tables = parse_dataset(make_dataset(tmp_path, logs, yml))
    assert len(tables["flow"]) == 4


@pytest.mark.parametrize("ends", [BY_END, OF_HOSTS])
def test_both_ends_with_the_same_ports_and_dates_are_one_flow_and_that_is_said(ends, tmp_path):
    n_flows, said = read(tmp_path, campaign(ends, cookies=False))
    assert n_flows == [2, 2]
    (row,) = [r for r in said if "joined by their ports" in r["value"]]
    assert row["certainty"] == "a guess"
    assert not any("two ends of one flow" in r["value"] for r in said)


@pytest.mark.parametrize(
    "how", [{"mbps": 13.0}, {"seconds": 5}, {"clock_off": 60}, {"clock_off": 60, "mbps": 13.0}]
)
def test_the_same_ports_join_no_tests_of_other_bytes_lengths_or_dates(how, tmp_path):
    ends = {
        CLIENT: {"path": "{cca}{run}.json"},
        SERVER: {"path": "server520{flow}_{run}.json"} | how,
    }
    n_flows, said = read(tmp_path, campaign(ends, cookies=False))
    assert sum(n_flows) == 8
    assert not any("joined by their ports" in r["value"] for r in said)


def undated(path_of_server="run{run}_server.log", mbps=9.3) -> dict[str, bytes]:
    logs = {}
    for run in (1, 2):
        logs[f"run{run}_client.log"] = client(1, 9, port=40000 + run)
        log = server(9, [1], port=40000 + run, mbps=mbps)
        log = log.replace(b"10.0.0.9 ", b"172.17.0.2 ").replace(b"10.0.0.1 ", b"172.17.0.1 ")
        logs[path_of_server.format(run=run)] = log
    return logs


def test_undated_logs_that_are_named_alike_but_for_the_end_are_one_flow(tmp_path):
    n_flows, said = read(tmp_path, undated())
    assert n_flows == [1, 1]
    assert any("joined by their ports" in r["value"] for r in said)


def test_a_clients_and_a_servers_log_that_count_as_two_flows_are_asked_about(tmp_path):
    ends = BY_END | {SERVER: BY_END[SERVER] | OTHER_PORTS}
    n_flows, said = read(tmp_path / "asked", campaign(ends, cookies=False))
    assert n_flows == [4, 4]
    (row,) = [r for r in said if "two ends of one flow" in r["value"]]
    lines = row["yaml"].splitlines()
    begin = lines.index("# runs: runs.csv")
    table = [line.removeprefix("#").strip() for line in lines[begin + 2 :]]
    logs = campaign(ends, cookies=False) | {"runs.csv": "\n".join(table).encode()}
    tables = parse_dataset(make_dataset(tmp_path / "told", logs, "runs: runs.csv\n"))
    assert tables["flow"].group_by("run_id").len()["len"].to_list() == [2, 2]


@pytest.mark.parametrize(("pattern", "n_flows"), [("{cca}_{side}", 4), ("{cca}_{place}", 8)])
def test_what_side_stands_for_in_a_pattern_are_the_ends_of_a_flow(pattern, n_flows, tmp_path):
    ends = BY_END | {SERVER: BY_END[SERVER] | OTHER_PORTS}
    yml = f'files:\n  - path: "run{{run}}/{pattern}.json"\n'
    tables = parse_dataset(make_dataset(tmp_path, campaign(ends, cookies=False), yml))
    assert len(tables["flow"]) == n_flows


def test_a_server_that_names_a_client_with_a_log_of_its_own_is_that_clients(tmp_path):
    """Clients of one port each: two of three logs of four are left, which are of two flows."""
    logs = {"a.log": client(1, 8, port=39990, at=0), "b.log": client(3, 6, port=39950, at=0)}
    logs["c.log"] = server(9, [3], port=39970, at=0)
    n_flows, said = read(tmp_path, logs)
    assert sum(n_flows) == 3 and not any("joined by their ports" in r["value"] for r in said)
