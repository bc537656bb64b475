"""Words that lead somewhere: what of a stranger's folder is refused, failed, empty or contradicted.

Each folder is made here, in the tools' own shape; `pasted` makes its tables as the workflow does.
"""

import json
import re
import subprocess
from pathlib import Path

import polars as pl
import pytest
from evenflow.checks.campaigns import several_campaigns
from iperf_logs import connections, server
from pasted import Paste, alternatives, analysed, offers
from raw_data import make_dataset
from small_logs import iperf2, iperf3_json

pytestmark = pytest.mark.usefixtures("one_database")

REFUSED = b"iperf3: error - unable to connect to server: Connection refused\n"
HEAD = b"""Connecting to host 10.0.0.2, port 5201
[  5] local 10.0.0.1 port %d connected to 10.0.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
"""
END = b"""[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-15.00  sec  16.8 MBytes  9.44 Mbits/sec    0             sender
[  5]   0.00-15.04  sec  16.8 MBytes  9.44 Mbits/sec                  receiver

iperf Done.
"""


def iperf3_text(port: int) -> bytes:
    row = b"[  5]  %5.2f-%.2f  sec  1.12 MBytes  9.44 Mbits/sec    0   18.4 KBytes\n"
    return HEAD % port + b"".join(row % (s, s + 1) for s in range(15)) + END


def tables_of(tmp_path, logs: dict[str, bytes], yml: str = "") -> dict:
    return analysed(make_dataset(tmp_path / "raw", logs, yml))


def messages(tables, check: str) -> list[str]:
    return tables["finding"].filter(check=check)["message"].to_list()


# ---- failed tests --------------------------------------------------------------------------------


def test_a_test_that_was_refused_after_one_that_ended_does_not_break_that_one_off(tmp_path):
    tables = tables_of(tmp_path, {"cubic.log": iperf3_text(40001) + REFUSED + iperf3_text(40002)})
    said = "1 of its 3 tests failed: unable to connect to server: Connection refused"
    assert messages(tables, "failed test") == [said]
    assert messages(tables, "log without a final report") == []
    assert len(tables["run"]) == 2


def test_refused_tests_of_iperf_2_are_counted(tmp_path):
    good = iperf2(side="client", seconds=12)
    log = good + 2 * b"connect failed: Connection refused\n" + iperf2(side="client", seconds=12)
    said = "2 of its 4 tests failed: connect failed: Connection refused"
    assert messages(tables_of(tmp_path, {"cubic.log": log}), "failed test") == [said]


def test_a_log_whose_tests_all_went_well_has_none_that_failed(tmp_path):
    logs = {"cubic.log": iperf3_text(40001), "bbr.json": iperf3_json(seconds=15)}
    assert messages(tables_of(tmp_path, logs), "failed test") == []


@pytest.mark.parametrize(
    ("words", "accepted", "n"),
    [
        ("interrupt - the server has terminated", False, 0),
        ("interrupt - the server has terminated by signal Interrupt(2)", False, 0),
        ("interrupt - the server has terminated", True, 1),
        ("error - unable to receive parameters from client", False, 1),
    ],
)
def test_a_server_that_is_ended_while_it_waits_has_no_failed_test(words, accepted, n, tmp_path):
    start = {"connected": [], "version": "iperf 3.12"}
    start |= {"accepted_connection": {"host": "10.0.0.1", "port": 40000}} if accepted else {}
    last = json.dumps({"start": start, "intervals": [], "end": {}, "error": words}, indent="\t")
    log = iperf3_json(seconds=12) + b"\n" + last.encode() + b"\n"
    tables = tables_of(tmp_path, {"server.json": log})
    assert messages(tables, "failed test") == [f"1 of its 2 tests failed: {words}"] * n


def test_a_good_log_that_is_left_out_with_a_failed_one_is_no_failed_test(tmp_path):
    failed = b"connect failed: Connection refused\n"
    logs = {
        f"run{r}/client{n}.log": iperf2(side="client", mbps=8 + n) for r in (1, 2) for n in (1, 2)
    }
    tables = tables_of(tmp_path, logs | {"run2/client2.log": failed})
    rows = tables["finding"].filter(path="run2/client1.log", check="log left out")
    assert "run2/client2.log: no connection was made" in rows["message"].item()
    assert rows["remedy"].item().startswith("complete the run")
    assert tables["finding"].filter(check="failed test")["path"].to_list() == ["run2/client2.log"]


def two_streams(*, in_intervals: int, with_totals: int = 2) -> bytes:
    """Return a document of iperf3 -P 2 that has reports of as many of its connections."""
    test = json.loads(iperf3_json(seconds=12, cca="cubic", num_streams=2))
    test["start"]["connected"].append(
        {**test["start"]["connected"][0], "socket": 7, "local_port": 4}
    )
    for one in test["intervals"]:
        one["streams"] = [*one["streams"], {**one["streams"][0], "socket": 7}][:in_intervals]
    total = test["end"]["streams"][0]
    other = {side: {**said, "socket": 7} for side, said in total.items()}
    test["end"]["streams"] = [total, other][:with_totals]
    return json.dumps(test, indent=1).encode()


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        ({"in_intervals": 2}, []),
        (
            {"in_intervals": 1},
            ["connections of its test without any report of an interval: 1 of 2"],
        ),
        (
            {"in_intervals": 1, "with_totals": 1},
            ["connections of its test without any report of an interval: 1 of 2"],
        ),
        ({"in_intervals": 0}, []),  # no run at all, which is said otherwise
    ],
)
def test_a_connection_of_a_test_that_has_no_report_of_an_interval_is_said(logs, said, tmp_path):
    tables = tables_of(tmp_path, {"run1.json": two_streams(**logs), "run2.json": iperf3_json()})
    found = messages(tables, "connection without reports")
    assert [text.partition(". They")[0] for text in found] == said


SUMS = {
    "csv.csv": "".join(
        f"20240101120000,0.0.0.0,0,0.0.0.0,0,-1,{s}.0-{s + 1}.0,1250000,10000000\n"
        for s in range(5)
    ),
    "iperf3.log": "Connecting to host 10.0.0.2, port 5201\n"
    + "".join(
        f"[SUM]  {s:5.2f}-{s + 1:.2f}  sec  1.12 MBytes  9.44 Mbits/sec    0\n" for s in range(5)
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_without_their_flows_are_called_so(tmp_path, name):
    tables = tables_of(tmp_path, {name: SUMS[name].encode()})
    (message,) = messages(tables, "log left out")
    assert "it holds 5 sums over an unknown number of flows" in message
    assert messages(tables, "failed test") == []


# ---- empty files ---------------------------------------------------------------------------------


def test_empty_traces_are_no_program_that_died(tmp_path):
    logs = {}
    for n in range(1, 21):
        logs[f"run{n}/cubic_client.txt"] = iperf2(side="client", seconds=15, mbps=8 + n / 10)
        logs |= {f"run{n}/cubic_ssthresh.txt": b"", f"run{n}/err.txt": b"\n"}
    tables = tables_of(tmp_path, logs)
    assert len(tables["run"]) == 20
    assert messages(tables, "unreadable file") == []
    ssthresh, err = sorted(messages(tables, "empty file"), reverse=True)
    assert ssthresh == "the file is empty: nothing of 'ssthresh' was written; so are 19 more"
    assert err == "the file is empty: nothing of 'err' was written; so are 19 more"


@pytest.mark.parametrize("name", ["rtt20_client2.log", "cubic_client2.log"])
def test_an_empty_log_of_a_flow_is_one_whatever_word_is_in_its_name(tmp_path, name):
    logs = {f"run{n}/{name}": iperf2(side="client", seconds=15, mbps=8 + n) for n in (1, 2)}
    logs |= {
        f"run{n}/{name.replace('2.log', '1.log')}": iperf2(seconds=15, mbps=n) for n in (1, 2, 3)
    }
    (message,) = messages(tables_of(tmp_path, logs | {f"run3/{name}": b""}), "unreadable file")
    assert message.startswith("the log is empty")


# ---- name against log ----------------------------------------------------------------------------

DISAGREE = {
    f"cubic_run{n}.json": iperf3_json(
        cca="bbr" if n == 2 else "cubic", minute=n, seconds=20, mbps=8 + n
    )
    for n in (1, 2, 3)
}


def test_two_lines_settle_which_congestion_control_counts(tmp_path):
    tables = tables_of(tmp_path, DISAGREE)
    (row,) = tables["finding"].filter(check="other congestion control").rows(named=True)
    assert row["severity"] == "error" and row["path"] == "cubic_run2.json"
    lines = ["cca_from: logs", "cca_from: names"]
    assert all(f"`{line}`" in row["remedy"] for line in lines)
    assert tables["flow"]["cca_from"].to_list() == ["said"] * 3
    severities = {}
    for line in lines:
        Paste(line).into(tmp_path / "raw")
        again = analysed(tmp_path / "raw")
        found = again["finding"].filter(check="other congestion control")["severity"].to_list()
        severities[line] = (again["flow"]["cca"].to_list(), found)
        assert again["flow"]["cca_from"].to_list() == ["said", "dataset.yml", "said"]
    assert severities == {
        "cca_from: logs": (["cubic", "bbr", "cubic"], []),
        "cca_from: names": (["cubic", "cubic", "cubic"], ["note"]),
    }


def test_what_linux_calls_reno_settles_nothing(tmp_path):
    logs = {f"newreno_run{n}.json": iperf3_json(cca="reno", minute=n, mbps=n) for n in (1, 2)}
    tables = tables_of(tmp_path, logs, "cca_from: logs\n")
    assert tables["flow"].select("cca", "cca_from").rows() == [("newreno", "said")] * 2


# ---- campaigns -----------------------------------------------------------------------------------


def campaign(folder: str, minute: int, host: str = "10.0.0", **more) -> dict[str, bytes]:
    return {
        f"{folder}/cubic_r{n}.json": iperf3_json(
            cca="cubic", minute=minute + n, seconds=20, mbps=8 + n + minute / 1e6,
            server=f"{host}.2", client=f"{host}.1", **more,
        )
        for n in (1, 2)
    }  # fmt: skip


MONTH = 60 * 24 * 31


@pytest.mark.parametrize(
    ("logs", "why"),
    [
        (campaign("2023", 0) | campaign("2024", 4 * MONTH), "months apart"),
        (campaign("a", 0) | campaign("b", MONTH // 2), None),  # two weeks
        (
            campaign("a", 0) | campaign("b", 4 * MONTH) | campaign("a/more", 4 * MONTH),
            None,
        ),  # a took as long
        (
            campaign("100mb", 0) | campaign("10mb", 60, "10.9.9"),
            None,
        ),  # hosts of their own: settings
        (
            campaign("paris", 0)
            | {"rome/x-bbr-40ms-1.log": iperf2(server="10.9.9.2", client="10.9.9.1", minute=9)},
            "other tools",
        ),
        (
            campaign("paris", 0)
            | {
                k.replace("b/cubic_r", "b/x-y-z_"): v for k, v in campaign("b", 9, "10.9.9").items()
            },
            "other networks and names of other shapes",
        ),
        (campaign("paris", 0) | {"cubic.json": iperf3_json(cca="cubic", minute=4 * MONTH)}, None),
        ({"one.json": iperf3_json(cca="cubic")}, None),
        (  # other words in names of one shape
            campaign("paris", 0)
            | {k.replace("cubic", "bbr"): v for k, v in campaign("b", 9, "10.9.9").items()},
            None,
        ),
    ],
)
def test_folders_that_clearly_are_campaigns_of_their_own_are_named(tmp_path, logs, why):
    found = tables_of(tmp_path, logs)["finding"].filter(check="several campaigns")
    if why is None:
        assert found.is_empty()
        return
    (row,) = found.rows(named=True)
    assert row["severity"] == "warning" and f"({why})" in row["message"]
    first, second = sorted({path.split("/")[0] for path in logs})
    assert f"{first}/ (" in row["message"] and f"{second}/ (" in row["message"]
    assert f"`mv data/raw/raw/{second} data/raw/raw-{second}`" in row["remedy"]


def campaigns(*months: int, folders: int = 1) -> list[str]:
    """Return what is found of so many folders of a run each, measured in these months."""
    names = [f"y{month}-{n}" for month in months for n in range(folders)]
    epochs = [month * 31 * 86400.0 for month in months for _ in range(folders)]
    run = pl.DataFrame({"run_id": names, "dataset_id": "d", "platform": "testbed", "tool": "x"})
    ends = {"local": "10.0.0.1:1", "peer": "10.0.0.2:2", "start_epoch_s": epochs}
    paths = {"run_id": names, "path": [f"{name}/a.log" for name in names]}
    return several_campaigns(run, pl.DataFrame({**paths, **ends}))["message"].to_list()


def told_to_do(folder: str, *groups: str) -> str:
    """Return the remedy where each group of a name's first letters is of another tool."""
    run = pl.DataFrame({"run_id": groups, "platform": "testbed", "tool": [g[0] for g in groups]})
    run = run.with_columns(dataset_id=pl.lit(folder))
    ends = {"local": "10.0.0.1:1", "peer": "10.0.0.2:2", "start_epoch_s": None}
    paths = {"run_id": groups, "path": [f"{name}/a.log" for name in groups]}
    [remedy] = several_campaigns(run, pl.DataFrame({**paths, **ends}))["remedy"]
    return remedy


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("a.log")}


@pytest.mark.parametrize("linked", [False, True])
def test_the_commands_that_separate_campaigns_do_so_and_leave_folders_elsewhere(
    tmp_path, monkeypatch, linked
):
    names = ("a 1", "b1", "b2", "c'")
    monkeypatch.chdir(tmp_path)
    raw, logs = Path("data/raw"), Path("elsewhere/d" if linked else "data/raw/d")
    for name in names:
        (logs / name).mkdir(parents=True)
        (logs / name / "a.log").touch()
    if linked:
        raw.mkdir(parents=True)
        (raw / "d").symlink_to(logs.resolve())
    Path("Snakefile").touch()
    remedy = told_to_do("d", *names)
    for command in re.findall(r"`(.*?)`", remedy):
        subprocess.run(command, shell=True, check=True)
    if linked:
        assert tree(logs) == {f"{name}/a.log" for name in names}
        assert "remove the link data/raw/d" in remedy
        links = {path.name: path.resolve() for path in raw.iterdir() if path.name != "d"}
        assert links == {f"d-{name}": (logs / name).resolve() for name in names}
    else:
        moved = {"d/a 1/a.log", "d-b1/b1/a.log", "d-b1/b2/a.log", "d-c'/a.log"}
        assert tree(raw) == moved


def test_campaigns_are_named_as_far_as_there_is_room():
    assert campaigns(1, 1) == [] == campaigns(1)
    (two,) = campaigns(1, 4, folders=6)
    assert two.count("/") == 8 and two.count(" and 2 more (6 runs of x)") == 2
    (four,) = campaigns(1, 4, 7, 10)
    assert "more" not in four and four.count("(1 run of x)") == 4
    (five,) = campaigns(1, 4, 7, 10, 13)
    assert five.endswith("; and 1 more") and five.count("(1 run of x)") == 4


# ---- names without a word ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "guessed"),
    [
        ("cubic_bw10_r{}.json", "bottleneck_mbps"),
        ("cubic_100mbit_r{}.json", "bottleneck_mbps"),
        ("cubic_bw100mbit_r{}.json", ""),
        ("cubic_link_100Mbps_r{}.json", ""),
        ("cubic_40ms_bw=10_r{}.json", "bottleneck_mbps, rtt_ms"),
        ("cubic_rtt40_40ms_rtt_r{}.json", ""),
    ],
)
def test_numbers_without_word_or_unit_are_guesses(tmp_path, name, guessed):
    logs = {name.format(n): iperf3_json(cca="cubic", minute=n, mbps=n) for n in (1, 2)}
    tables = tables_of(tmp_path, logs)
    assert tables["run"]["guessed"].to_list() == [guessed] * 2
    listed = set(tables["assumption"].filter(certainty="a guess")["what"])
    assert listed & {"rtt_ms", "bottleneck_mbps"} == set(filter(None, guessed.split(", ")))


def test_what_dataset_yml_says_is_no_guess(tmp_path):
    logs = {f"cubic_100mbit_r{n}.json": iperf3_json(cca="cubic", minute=n, mbps=n) for n in (1, 2)}
    yml = 'files: [{path: "{cca}_{bottleneck_mbps}mbit_r{repeat}.json"}]\n'
    assert tables_of(tmp_path, logs, yml)["run"]["guessed"].to_list() == ["", ""]


def test_flows_below_a_guessed_bandwidth_do_not_call_it_said(tmp_path):
    logs = {f"cubic_100mbit_r{n}.json": iperf3_json(cca="cubic", minute=n, mbps=n) for n in (1, 2)}
    messages_ = messages(tables_of(tmp_path, logs), "less than the bottleneck")
    assert messages_ and all("has by a guess from names" in m for m in messages_)


# ---- pairs in names of logs that hold both flows -------------------------------------------------

PAIR = {"cubic_vs_bbr_run1.txt": server(2, [3, 1]), "cubic_vs_bbr_run2.txt": server(2, [1, 3])}


def of_pairs(tables) -> list[dict]:
    return [row for row in offers(tables) if row["what"] == "cca" and "in names" in row["value"]]


def ccas(tables) -> dict[str, set]:
    """Return the congestion controls of each client in all runs, by its address."""
    stream = tables["stream"].select("run_id", "flow_id", host=pl.col("peer").str.head(8))
    both = tables["flow"].join(stream, on=["run_id", "flow_id"])
    found: dict[str, set] = {}
    for host, cca in both.select("host", "cca").rows():
        found.setdefault(host, set()).add(cca)
    return found


def test_which_connection_of_a_log_is_which_of_a_pair_in_its_name_is_asked(tmp_path):
    """The same host is the same flow in both runs, though one log begins with the other host."""
    tables = tables_of(tmp_path, PAIR)
    assert ccas(tables) == {"10.0.0.1": {"cubic"}, "10.0.0.3": {"bbr"}}
    (row,) = of_pairs(tables)
    said = "as listed in names, of 2 runs: flow 1 is that of 10.0.0.1, flow 2 is that of 10.0.0.3"
    assert (row["value"], row["certainty"]) == (said, "a guess")
    assert row["because"].endswith("in 1 of 2 runs the log has another one first")

    confirmed, swapped = row["yaml"].split("\n# if ")
    assert of_pairs(tables_of(tmp_path / "confirmed", PAIR, confirmed)) == []
    _, lines = alternatives(f"# if {swapped}")[0]
    again = tables_of(tmp_path / "swapped", PAIR, lines)
    assert ccas(again) == {"10.0.0.1": {"bbr"}, "10.0.0.3": {"cubic"}}
    assert "in the patterns" in of_pairs(again)[0]["yaml"]  # which are there now


def test_the_connection_that_began_first_is_the_first_of_a_pair(tmp_path):
    """Its host comes last: dates say more than addresses."""
    late = connections(2, [1], 10, at=5).replace("[  1]", "[  2]").encode()
    before, sixth, after = server(2, [3], 15, at=0).partition(b"[  1] 5.0000-6.0000")
    tables = tables_of(tmp_path, {"cubic_vs_bbr.txt": before + late + sixth + after})
    assert ccas(tables) == {"10.0.0.3": {"cubic"}, "10.0.0.1": {"bbr"}}
    (row,) = of_pairs(tables)
    assert "the one that began first comes first" in row["because"]
    assert row["value"].endswith("flow 1 is that of 10.0.0.3, flow 2 is that of 10.0.0.1")


@pytest.mark.parametrize(
    "logs",
    [
        # names number the flows
        {f"cubic_vs_bbr_flow{n}.txt": server(2, [n], mbps=n) for n in (1, 3)},
        {"cubic_vs_bbr/cubic.txt": server(2, [1]), "cubic_vs_bbr/bbr.txt": server(2, [3], mbps=5)},
        {"cubic_vs_cubic.txt": server(2, [3, 1])},  # they are alike
        {"cubic_vs_bbr.txt": server(2, [3])},  # one is missing
    ],
)
def test_a_pair_that_is_told_or_alike_is_not_asked(tmp_path, logs):
    assert of_pairs(tables_of(tmp_path, logs)) == []
