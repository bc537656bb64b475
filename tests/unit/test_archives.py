"""Strangers' archives without metadata: what is inferred of each, against what its maker knows.

tests/fixtures/archives/README.md says how they were made. Where a name or a log does not say what
the maker knows, the expectation is that it is not guessed; CANNOT_BE_KNOWN says what and why.
"""

import gzip
import json
import shutil
from functools import cache

import polars as pl
import pytest
import yaml
from evenflow.checks.files import copied_logs, identical_logs
from evenflow.ingest.parse import parse_dataset
from offered_lines import assert_offered_lines_say_the_same, streams_of
from raw_data import ROOT, build_tables

ARCHIVES = ROOT / "tests/fixtures/archives"
NAMES = sorted(p.name for p in ARCHIVES.iterdir() if p.is_dir())
# the server's log says no congestion control, and no name does
UNKNOWN_CCA = {
    "csv-campaign",  # only the maker's spreadsheet says it
    "mixed",  # of its testbed; of ns-2 the trace says it
    "powershell",
    "server-only",
    "server-only-enhanced",
    "server-only-iperf3",
}
EMPTIED = ("killed-clients", "run3", 1)  # the client's log, emptied, was the one that said it
# factors that names give under another name than the maker's: the unit, or what it is of, is known
# to the maker alone
OTHER_NAME = {"csv-campaign": {"rtt_ms": "number"}, "missing-repeat": {"buffer_kB": "buf"}}
# its date is later than that of the one before, and nothing says that one is missing
UNTOLD_REPEAT = {("missing-repeat", "bbr_vs_reno/buf80/2024-03-15_15-06-00")}
NOT_IN_NAMES = {"mixed"}  # its factors stand in dumbbell.tcl and nowhere
LATE = {"host-folders": 2.0, "spaces": 1.0}  # when flow 2 began, which no log says
NO_LOGS = {
    "course-project": {"plot.png", "plot.py"},
    "csv-campaign": {"Messungen.csv"},
    "mixed": {"sim/dumbbell.tcl", "sim/newreno_vegas/cwnd.out", "sim/reno_vegas/cwnd.out"},
    "spaces": {"Lisez-moi – délais en µs.txt"},
}
LEFT_OUT = {  # and why
    "killed-clients": {
        f"run5/{log}.log": "client2.log: no connection was made" for log in ("client1", "server1")
    }
    | {"run5/client2.log": "no connection was made: a test that failed"},
    "no-metadata": {
        "out_0005.json": "no connection was made: a test that failed; it says: the server"
    },
}
UNREADABLE = {"killed-clients": {"run3/client1.log"}}
AMBIGUOUS = "server-only-iperf3"  # no dates, five tests in one log and four in the other
PAIRED = [name for name in NAMES if name != AMBIGUOUS]

CLIENT_BUFFER_BYTES = 3 * 128 * 1024  # a client counts what it wrote, in blocks of 128 KiB
UNREPORTED_S = 0.3  # a server of iperf 2.1.8 may leave out the last partial interval


@cache
def tables_of(name: str) -> dict[str, pl.DataFrame]:
    return parse_dataset(ARCHIVES / name)


@cache
def expected_of(name: str) -> dict:
    return yaml.safe_load((ARCHIVES / f"{name}.expected.yml").read_text(encoding="utf-8"))


def places(flow: dict, run: str) -> list[tuple[str, int]]:
    """Return the logs and tests in them that hold an expected flow."""
    files = flow.get("files") or [flow.get("file") or f"{run}/out.tr.gz"]
    return [(file, flow.get("nth_test_in_file", 1)) for file in files]


def found_runs(name: str, run: dict) -> set[str]:
    """Return the runs that the logs of an expected run were put into."""
    wanted = [place for flow in run["flows"] for place in places(flow, run["run"])]
    wanted = pl.DataFrame(wanted, schema=["path", "episode"], orient="row")
    streams = streams_of(tables_of(name)).with_columns(pl.col("episode").cast(pl.Int64))
    return set(streams.join(wanted, on=["path", "episode"])["run_id"].drop_nulls())


def kept(name: str) -> list[dict]:
    """Return the expected runs that are not left out, and no copies."""
    gone = {path.rpartition("/")[0] for path in LEFT_OUT.get(name, {})}
    runs = [run for run in expected_of(name)["runs"] if "copy_of" not in run]
    return [run for run in runs if run["run"] not in gone]


def test_every_archive_is_tried():
    assert len(NAMES) == 13
    assert all((ARCHIVES / f"{name}.expected.yml").is_file() for name in NAMES)


@pytest.mark.parametrize("name", PAIRED)
def test_runs_are_those_of_the_maker(name):
    runs = [found_runs(name, run) for run in kept(name)]
    assert all(len(found) == 1 for found in runs)
    assert len(set.union(*runs)) == len(runs) == len(tables_of(name)["run"])


@pytest.mark.parametrize("name", PAIRED)
def test_flows_are_those_of_the_maker(name):
    flow = tables_of(name)["flow"]
    for run in kept(name):
        (run_id,) = found_runs(name, run)
        flows = flow.filter(run_id=run_id).sort("flow_id").rows(named=True)
        assert [f["flow_id"] for f in flows] == [f["flow"] for f in run["flows"]]
        for found, wanted in zip(flows, run["flows"], strict=True):
            hidden = name in UNKNOWN_CCA and run.get("platform") != "ns2"
            hidden = hidden or (name, run["run"], wanted["flow"]) == EMPTIED
            assert found["cca"] == (None if hidden else wanted["cca"])


@pytest.mark.parametrize("name", PAIRED)
def test_starts_are_those_of_the_maker_or_said_to_be_assumed(name):
    flow = tables_of(name)["flow"]
    for run in kept(name):
        (run_id,) = found_runs(name, run)
        for found, wanted in zip(
            flow.filter(run_id=run_id).sort("flow_id").rows(named=True), run["flows"], strict=True
        ):
            if found["start_from"] == "assumed":
                assert wanted["start_s"] == (LATE.get(name, 0.0) if found["flow_id"] == 2 else 0.0)
            else:  # of ns-2 the trace gives it to a second
                assert found["start_s"] == pytest.approx(wanted["start_s"], abs=0.1)
    if name in LATE:
        said = tables_of(name)["assumption"].filter(what="start_s")
        assert said["value"].to_list() == ["0 for flow 2"]


def bytes_of(tables, run_id, flow_id) -> tuple[int, str]:
    """Return what the intervals of a flow add up to, and whose count it is."""
    stream = tables["stream"].filter("counts", run_id=run_id, flow_id=flow_id)
    assert len(stream) == 1
    interval = tables["interval"].join(stream, on=["file_id", "stream"], how="semi")
    return interval["bytes"].sum(), stream["side"].item() or "sender"


@pytest.mark.parametrize("name", PAIRED)
def test_traffic_is_that_of_the_maker(name):
    tables = tables_of(name)
    for run in kept(name):
        (run_id,) = found_runs(name, run)
        for flow in run["flows"]:
            if name == "parallel" or flow.get("receiver_mean_mbps", 0) is None:
                continue  # the flows of `parallel` are compared below; no total was printed
            found, side = bytes_of(tables, run_id, flow["flow"])
            if "received_bytes_with_headers" in flow:
                assert found == pytest.approx(flow["received_bytes_with_headers"], rel=1e-3)
                continue
            total = flow["receiver_mean_mbps"] * flow["receiver_s"] * 1e6 / 8
            lacking_s = UNREPORTED_S if side == "receiver" else 0
            if (name, run["run"], flow["flow"]) == ("killed-clients", "run4", 2):
                lacking_s = flow["receiver_s"] - 8  # the log is cut in the line of second 8
            slack = CLIENT_BUFFER_BYTES if side == "sender" else 0
            low = total * (0.99 - 1.3 * lacking_s / flow["receiver_s"])
            assert low - slack <= found <= 1.01 * total + slack, (run_id, flow)


def test_parallel_flows_have_the_traffic_of_the_maker():
    tables = tables_of("parallel")
    for run in expected_of("parallel")["runs"]:
        (run_id,) = found_runs("parallel", run)
        found = sorted(bytes_of(tables, run_id, flow)[0] for flow in (1, 2, 3, 4))
        totals = sorted(f["receiver_mean_mbps"] * f["receiver_s"] * 1e6 / 8 for f in run["flows"])
        for mine, total in zip(found, totals, strict=True):
            assert mine == pytest.approx(total, rel=0.04, abs=CLIENT_BUFFER_BYTES)


def test_both_ends_of_parallel_flows_are_joined_by_their_ports():
    streams = streams_of(tables_of("parallel")).filter(pl.col("path").str.contains("_run"))
    for _, flow in streams.group_by("run_id", "flow_id"):
        assert sorted(flow["side"]) == ["receiver", "sender"]
        (client,), (server,) = (flow.filter(side=s)["path"] for s in ("sender", "receiver"))
        assert client.replace("client", "server") == server
        ports = {
            end.rpartition(":")[2] for end in (*flow["local"], *flow["peer"])
        }  # the server's and the client's, whatever address a view has
        assert len(ports) == 2
    # another tool is no third repeat
    run = tables_of("parallel")["run"]
    assert run.filter(tool="iperf3")["scenario_id"].item() not in set(
        run.filter(tool="iperf")["scenario_id"]
    )


@pytest.mark.parametrize("name", PAIRED)
def test_repeats_and_factors_are_those_of_the_maker(name):
    run_table = tables_of(name)["run"]
    scenarios: dict = {}
    for run in kept(name):
        (run_id,) = found_runs(name, run)
        found = run_table.filter(run_id=run_id).row(0, named=True)
        if "repeat" in run and (name, run["run"]) not in UNTOLD_REPEAT and name != "csv-campaign":
            assert found["repeat"] == run["repeat"]
        assert found["platform"] == run.get("platform", "testbed")
        factors = json.loads(found["factors"])
        named = {k: found[k] for k in run["factors"] if found.get(k) is not None} | factors
        renamed = {OTHER_NAME.get(name, {}).get(k, k): v for k, v in run["factors"].items()}
        wanted = {} if name in NOT_IN_NAMES else renamed
        assert {k: float(v) for k, v in named.items()} == wanted
        ccas = tuple(flow["cca"] for flow in run["flows"])
        scenarios.setdefault(found["scenario_id"], set()).add(
            (str(run["factors"]), ccas if name not in UNKNOWN_CCA else len(ccas))
        )
    assert all(len(kinds) == 1 for kinds in scenarios.values())


@pytest.mark.parametrize("name", NAMES)
def test_files_that_hold_no_run_are_listed_with_the_reason(name):
    file = tables_of(name)["file"]

    def of(format_name):
        return dict(file.filter(format=format_name).select("path", "problem").rows())

    assert set(of("unknown")) == NO_LOGS.get(name, set())
    assert set(of("unreadable")) == UNREADABLE.get(name, set())
    left_out = of("left-out")
    assert set(left_out) == set(LEFT_OUT.get(name, {}))
    for path, reason in LEFT_OUT.get(name, {}).items():
        assert reason in left_out[path]


@pytest.mark.parametrize("name", ["csv-campaign", "server-only", "server-only-enhanced"])
def test_tests_of_unknown_congestion_control_are_not_called_repeats(name):
    # in csv-campaign they are, in the others half of them: nothing in the folders tells which
    run = tables_of(name)["run"]
    assert run["scenario_id"].n_unique() == len(run)


def test_tests_that_cannot_be_paired_stand_by_themselves():
    tables = tables_of(AMBIGUOUS)
    assert tables["flow"].group_by("run_id").len()["len"].to_list() == [1] * 9
    assert tables["run"]["scenario_id"].n_unique() == 9  # no repeats of one another
    runs = tables["assumption"].filter(what="runs").rows(named=True)
    alone = [run["because"] for run in runs if run["value"].startswith("9, each log, or test")]
    assert alone == ["no name and no date tells what ran together"]


def test_a_test_whose_date_no_other_shares_stands_by_itself():
    runs = tables_of("server-only-enhanced")["assumption"].filter(what="runs")
    (alone,) = (row for row in runs.rows(named=True) if row["value"].startswith("1, each log"))
    assert alone["because"] == "neither its name nor its date connects it with another log"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("course-project", "the sender's report counts"),  # there are no others
        ("killed-clients", "the sender's report counts of 1 of 12 flows"),
        ("parallel", "the sender's report counts of 4 of 20 flows"),
    ],
)
def test_of_how_many_flows_the_senders_report_counts_is_said(name, value):
    assumed = tables_of(name)["assumption"].filter(what="side")
    assert assumed["value"].to_list() == [value]


def test_lines_for_the_opposite_are_not_those_that_are_offered():
    """In mixed traces lie beside each simulation: its patterns are the same either way."""
    (yaml,) = tables_of("mixed")["assumption"].filter(what="files")["yaml"]
    assert "these lines instead" not in yaml


def test_a_cut_log_is_used_up_to_the_cut_and_the_cut_line_is_named():
    tables = tables_of("killed-clients")
    rejected = tables["rejected"].join(tables["file"], on="file_id")
    assert rejected.select("path", "line").rows() == [("run4/server2.log", 15)]


def test_a_copy_is_found_whose_compressed_bytes_differ(tmp_path):
    tables = tables_of("missing-repeat")
    ledger = build_tables(ARCHIVES / "missing-repeat", tmp_path)["ledger"]
    copies = copied_logs(ledger)
    (run,) = [run for run in expected_of("missing-repeat")["runs"] if "copy_of" in run]
    assert {path.rpartition("/")[0] for path in copies["path"]} == {run["run"]}
    assert all("identical" in message for message in copies["message"])
    assert identical_logs(ledger).is_empty()
    hashes = tables["file"].filter(pl.col("path").str.contains("buf20/.*/flow1"))
    assert hashes["sha256"].n_unique() == len(hashes)


# ---- the lines that the report proposes ---------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_proposed_lines_say_what_was_inferred(name, tmp_path):
    folder = tmp_path / name
    shutil.copytree(ARCHIVES / name, folder)
    assert_offered_lines_say_the_same(folder, tables_of(name))


def test_a_trace_says_the_same_whether_it_is_packed_or_not(tmp_path):
    """Its names are not compared with those of the queue's log beside it, `queue.out`."""
    folder = tmp_path / "mixed"
    shutil.copytree(ARCHIVES / "mixed", folder)
    for packed in folder.rglob("out.tr.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    run, flow = (parse_dataset(folder)[name] for name in ("run", "flow"))
    assert run.equals(tables_of("mixed")["run"]) and flow.equals(tables_of("mixed")["flow"])
