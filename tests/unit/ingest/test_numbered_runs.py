"""Numbers behind congestion controls and ends that count runs, not the flows of one."""

from __future__ import annotations

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest.assumed_repeats import list_pairings
from evenflow.ingest.entities import BY_HOSTS, GUESS, NAMES_SAY, Pairing, Run
from evenflow.ingest.parse import parse_dataset
from evenflow.metrics.tables import cell_table
from iperf_logs import client
from offered_lines import assert_offered_lines_say_the_same, described
from pasted import analysed
from small_logs import iperf2, iperf3_json

APART = "by their dates they ran one after another"


def dated(i: int, cca: str | None = "cubic", minute: int | None = None, **more) -> bytes:
    minute = i if minute is None else minute
    return iperf3_json(seconds=10, mbps=8 + i / 10, minute=minute, cca=cca, **more)


def undated(i: int) -> bytes:
    return iperf2(seconds=10, mbps=8 + i / 10, whole=True)


IN_TURN = {
    f"{cca}{i}.json": dated(i, cca, i + 10 * (cca == "bbr"))
    for i in (1, 2, 3)
    for cca in ("cubic", "bbr")
}
PAIRS = {f"{cca}{i}.json": dated(i, cca) for i in (1, 2, 3) for cca in ("cubic", "bbr")}
TWO_STREAMS = {
    f"cubic{i}.txt": iperf2(seconds=10, mbps=8 + i / 10, streams=2, minute=i) for i in (1, 2, 3)
}
SEQUENCES = {  # logs, and {flow numbers of a run} and runs of each scenario
    "number after a variant, dates": (IN_TURN, {(1,)}, [3, 3]),
    "number after a variant, no dates": (
        {
            f"{cca}{i}.txt": undated(i + 10 * (cca == "bbr"))
            for i in (1, 2, 3)
            for cca in ("cubic", "bbr")
        },
        {(1,)},
        [3, 3],
    ),
    "twelve of them": ({f"cubic{i}.json": dated(i) for i in range(1, 13)}, {(1,)}, [12]),
    "one log more": ({**IN_TURN, "cubic4.json": b""}, {(1,)}, [3, 3]),
    "folders": ({f"cubic{i}/out.json": dated(i) for i in (1, 2, 3)}, {(1,)}, [3]),
    "within settings": (
        {
            f"rtt{rtt}/cubic{i}.json": dated(i, minute=i + rtt)
            for rtt in (10, 20)
            for i in (1, 2, 3)
        },
        {(1,)},
        [3, 3],
    ),
    "clients of one host": ({f"client{i}.json": dated(i) for i in (1, 2, 3)}, {(1,)}, [3]),
    "servers of one host": ({f"server_{i}.json": dated(i) for i in (3, 4, 7)}, {(1,)}, [3]),
    "two flows a run": (PAIRS, {(1, 2)}, [3]),
    "two connections a log": (TWO_STREAMS, {(1, 2)}, [3]),
    "repeats beside": (
        {f"run1_cubic{i}.json": dated(i) for i in (1, 2, 3)},
        {(1,)},
        [3],
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_number_that_counts_runs_is_not_that_of_their_flows(name, tmp_path):
    logs, flows, repeats = SEQUENCES[name]
    write(tmp_path, logs)
    tables = parse_dataset(tmp_path)
    of_run = tables["flow"].group_by("run_id").agg(pl.col("flow_id").sort())
    assert {tuple(found) for found in of_run["flow_id"]} == flows
    assert sorted(tables["run"].group_by("scenario_id").len()["len"]) == repeats
    assert_offered_lines_say_the_same(tmp_path, tables)


OF_FLOWS = {  # logs, and the flows of each run, in the order of the runs
    "together by dates": ({f"cubic{i}.json": dated(i, minute=0) for i in (1, 2)}, [[1, 2]]),
    "clients of several hosts": (
        {f"client{i}.json": dated(i, client=f"10.0.{i}.1") for i in (1, 2, 3)},
        [[1], [2], [3]],
    ),
    "clients of unknown congestion control": (
        {f"client{i}.json": dated(i, None) for i in (1, 2, 3)},
        [[1], [2], [3]],
    ),
    "a word says flow": ({f"flow{i}.json": dated(i) for i in (1, 2)}, [[1], [2]]),
    "in one folder flows, in another runs": (
        {
            **{f"a/cubic{i}.json": dated(i, minute=0) for i in (1, 2)},
            **{f"b/cubic{i}.json": dated(i, minute=20 * i) for i in (1, 2)},
        },
        [[1, 2], [1], [1]],
    ),
}


@pytest.mark.parametrize("name", OF_FLOWS)
def test_a_number_stays_that_of_a_flow_where_runs_have_several_or_it_may_name_hosts(name, tmp_path):
    logs, flows = OF_FLOWS[name]
    write(tmp_path, logs)
    tables = parse_dataset(tmp_path)
    of_run = tables["flow"].group_by("run_id").agg(pl.col("flow_id").sort()).sort("run_id")
    assert of_run["flow_id"].to_list() == flows
    assert_offered_lines_say_the_same(tmp_path, tables)


def test_the_repeats_of_a_numbered_variant_have_a_mean_with_an_interval(tmp_path):
    write(tmp_path, {f"cubic{i}.json": dated(i) for i in (1, 2, 3)})
    tables = analysed(tmp_path)
    cell = cell_table(tables["flow_metric"], tables["run_metric"], tables["run"], 0.95)
    (row,) = cell.filter(pl.col("metric").str.starts_with("mean_throughput_bps_flow")).to_dicts()
    assert (row["metric"], row["n"]) == ("mean_throughput_bps_flow1", 3)
    assert row["ci_low"] < row["mean"] < row["ci_high"]


def test_flows_that_dataset_yml_pools_over_names_of_have_one_number(tmp_path):
    write(tmp_path, {f"flow{i}.json": dated(i) for i in (1, 2, 3)})
    (tmp_path / "dataset.yml").write_text("pool_over: [files]\n")
    tables = parse_dataset(tmp_path)
    assert tables["flow"]["flow_id"].to_list() == [1, 1, 1]
    assert tables["run"]["scenario_id"].n_unique() == 1


def test_undated_logs_have_the_lines_for_flows_of_one_run(tmp_path):
    write(tmp_path, {f"cubic{i}.txt": undated(i) for i in (1, 2, 3)})
    rows = parse_dataset(tmp_path)["assumption"].filter(pl.col("what") == "files")
    lines = rows["yaml"].item().splitlines()
    assert '  - path: "{cca}{repeat}.txt"' in lines
    opposite = lines[
        lines.index("# if the logs of one pattern ran together, these lines instead:") :
    ]
    (tmp_path / "dataset.yml").write_text("\n".join(line[2:] for line in opposite[1:]) + "\n")
    assert parse_dataset(tmp_path)["flow"]["flow_id"].to_list() == [1, 2, 3]


AT_ONCE = {f"cubic{i}/out.json": dated(i, minute=0) for i in (1, 2, 3)}
SAID = {  # logs, what the page says of the number, and how sure that is
    "dates in turn": (IN_TURN, f"a congestion control counts from 1 to 3, and {APART}", NAMES_SAY),
    "no dates": (
        {f"cubic{i}.txt": undated(i) for i in (1, 2, 3)},
        "a congestion control counts from 1 to 3; no date tells whether some of them ran together",
        GUESS,
    ),
    "dates at once": (
        AT_ONCE,
        "a congestion control counts from 1 to 3, though by their dates some of them ran at the "
        "same time",
        GUESS,
    ),
    "an end": (
        {f"client{i}.json": dated(i) for i in (1, 2)},
        f"'client' counts from 1 to 2, and {APART}",
        NAMES_SAY,
    ),
    "an end whose numbers do not count": (
        {f"server_{i}.json": dated(i) for i in (3, 4, 7)},
        f"'server' (3, 4, 7), and {APART}",
        NAMES_SAY,
    ),
    "a word for a repetition": (
        {f"cubic_run{i}.json": dated(i) for i in (10, 20, 40)},
        "'run' (10, 20, 40)",
        NAMES_SAY,
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_numbers_is_true_of_these_logs(name, tmp_path):
    logs, said, certainty = SAID[name]
    write(tmp_path, logs)
    row = repeat_row(parse_dataset(tmp_path))
    assert row["because"].endswith(f"the number after {said}")
    assert row["certainty"] == certainty


def test_numbers_of_all_scenarios_count_together(tmp_path):
    """Runs of two settings by turns: each has every other number."""
    logs = {f"rtt{10 + 10 * (i % 2)}_out_{i}.json": dated(i) for i in range(1, 7)}
    write(tmp_path, logs)
    row = repeat_row(parse_dataset(tmp_path))
    assert row["because"] == "{run}: the number after 'out' counts from 1 to 6"


def test_tests_of_two_logs_that_follow_each_other_are_not_said_to_be_of_one(tmp_path):
    two = b"".join(client(1, 9, port=40000 + 100 * test) for test in range(2))
    write(tmp_path, {"cubic_h1.log": two, "cubic_h2.log": two.replace(b"10.0.0.1 ", b"10.0.0.2 ")})
    row = repeat_row(parse_dataset(tmp_path))
    assert row["because"] == "they are tests of the same logs"


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (("2024/03/15", "2024/03/16"), "a part of a date or a time"),
        (("3f2a9c1d/1", "3f2a9c1d/2"), "a number by itself counts from 1 to 2"),
    ],
)
def test_a_folder_in_a_label_is_a_part_of_a_date_only_where_it_stands_in_one(
    folders, said, tmp_path
):
    write(tmp_path, {f"{path}/cubic.json": dated(i) for i, path in enumerate(folders)})
    row = repeat_row(parse_dataset(tmp_path))
    assert row["because"].partition(": ")[2] == said


def test_a_host_is_the_same_flow_in_every_run_only_where_it_is():
    ways = [("10.0.0.1", "10.0.0.2"), ("10.0.0.1", "10.0.0.2"), ("10.0.0.3", "10.0.0.2")]
    runs = [
        Run(f"r{i}", "s", {}, [], True, "", "", paired=Pairing("cca", BY_HOSTS, hosts, False))
        for i, hosts in enumerate(ways)
    ]
    always, sometimes = (list_pairings(some, "")[0].because for some in (runs[:2], runs))
    assert always.endswith("so a host is the same flow in every run")
    assert sometimes.endswith(
        "by the addresses of their hosts; in 1 run other hosts are these flows"
    )
    assert "they began together" not in always  # where no log says when it began


def test_the_lines_for_a_log_that_two_clients_wrote_into_leave_out_what_has_no_report(tmp_path):
    one, other = (client(1, 9, port=port).splitlines() for port in (40000, 41000))
    mixed = [line for pair in zip(one, other, strict=True) for line in pair]
    write(tmp_path, {"cubic_vs_bbr.log": b"\n".join(mixed) + b"\n"})
    tables = parse_dataset(tmp_path)
    yml, _ = described(tables)
    (tmp_path / "dataset.yml").write_text(yml)
    again = parse_dataset(tmp_path)
    for name in ("flow", "interval"):
        assert again[name].rows() == tables[name].rows()
    (tmp_path / "dataset.yml").write_text(yml.replace("on_error: quarantine\n", ""))
    with pytest.raises(DataError, match="no log of the run holds a sample") as error:
        parse_dataset(tmp_path)
    assert error.value.remedy.startswith("set 'on_error: quarantine'")


def test_the_lines_for_a_flow_that_was_tried_twice_keep_its_run(tmp_path):
    """The log of its first try has no report; with patterns it would have one test too many."""
    logs = {
        f"run{r}/flow{i}_{cca}.txt": client(i, 9, mbps=i + r / 10)
        for r in (1, 2)
        for i, cca in ((1, "cubic"), (2, "bbr"))
    }
    tried = client(1, 9, port=39000).partition(b"[ ID]")[0]
    logs["run1/flow1_cubic.txt"] = tried + logs["run1/flow1_cubic.txt"]
    write(tmp_path, logs)
    tables = parse_dataset(tmp_path)
    assert len(tables["flow"]) == 4
    yml, table = described(tables)
    (tmp_path / "dataset.yml").write_text(yml)
    (tmp_path / "runs.csv").write_text(table)
    assert parse_dataset(tmp_path)["flow"].rows() == tables["flow"].rows()


def repeat_row(tables) -> dict:
    return tables["assumption"].row(by_predicate=pl.col("what") == "repeat", named=True)


def write(folder, logs: dict[str, bytes]) -> None:
    for path, log in logs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(log)
