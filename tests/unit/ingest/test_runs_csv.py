"""What a table runs.csv says of runs and of their flows, in both of its forms."""

from __future__ import annotations

import json

import pytest
from evenflow.errors import DataError
from evenflow.ingest.parse import parse_dataset
from iperf_logs import client
from pasted import analysed
from raw_data import make_dataset
from small_logs import iperf2

TABLE = "defaults: {bottleneck_mbps: 10}\nruns: runs.csv\n"
PLACED = TABLE + 'files: [{path: "exp{run}/flow{flow}.log"}]\n'


def parsed(folder, rows: str, yml: str = TABLE):
    """Return the parsed tables of two runs of two flows, exp1 and exp2, and of a table of runs."""
    logs = {f"exp{run}/flow{flow}.log": iperf2() for run in (1, 2) for flow in (1, 2)}
    return parse_dataset(make_dataset(folder, {**logs, "runs.csv": rows.encode()}, yml))


def error_of(folder, rows: str, yml: str = TABLE) -> DataError:
    with pytest.raises(DataError) as error:
        parsed(folder, rows, yml)
    return error.value


def test_rows_of_flows_say_the_settings_of_their_run_too(tmp_path):
    rows = "run,flow,cca,bottleneck_mbps,aqm,buffer_bytes,duration_s,repeat,role,lab\n"
    rows += "exp1,1,cubic,20,codel,9000,3,2,calibration,west\nexp1,2,bbr,20,codel,,,,,west\n"
    tables = parsed(tmp_path, rows + "exp2,1,cubic,40,,,,,,\n")
    one, two = tables["run"].rows(named=True)
    said = {"bottleneck_mbps": 20, "aqm": "codel", "buffer_bytes": 9000, "duration_s": 3}
    said |= {"repeat": 2, "role": "calibration"}
    assert {key: one[key] for key in said} == said
    assert json.loads(one["factors"])["lab"] == "west"
    assert two["bottleneck_mbps"] == 40
    assert tables["flow"]["cca"].to_list() == ["cubic", "bbr", "cubic", None]


def test_runs_whose_rows_of_flows_differ_are_no_repeats(tmp_path):
    runs = parsed(tmp_path, "run,flow,bottleneck_mbps\nexp1,1,20\n", PLACED)["run"]
    assert runs["bottleneck_mbps"].to_list() == [20, 10]
    assert runs["scenario_id"].n_unique() == 2


def test_a_flow_has_the_rtt_of_its_row_and_the_host_of_a_flow_is_none_of_the_run(tmp_path):
    rows = "run,flow,rtt_ms,host\nexp1,1,20,ann\nexp1,2,80,ben\n"
    tables = parsed(tmp_path, rows)
    assert tables["flow"]["rtt_ms"].to_list() == [20, 80, None, None]
    assert "host" not in json.loads(tables["run"]["factors"][0])


ONE_ROW = "{},cca1,cca2,start_s2,rtt_ms,rtt_ms2,cross_traffic2\n{},cubic,BBR,10,22,44,no\n"


@pytest.mark.parametrize("by", ["run", "path,run,flow"])
def test_numbered_columns_are_settings_of_the_flows(tmp_path, by):
    rows = ONE_ROW.format("run", "exp1")
    if by != "run":
        rows = ONE_ROW.format(by, "exp1/flow1.log,exp1,1")
        rows += "exp1/flow2.log,exp1,2,,,,22,,\n"
        rows += "".join(f"exp2/flow{n}.log,exp2,{n},,,,,,\n" for n in (1, 2))
    tables = parsed(tmp_path, rows)
    flows = tables["flow"].select("cca", "start_s", "rtt_ms", "start_from").rows()
    assert flows[:2] == [("cubic", None, 22, "assumed"), ("bbr", 10, 44, "given")]
    assert {*json.loads(tables["run"]["factors"][0])} <= {"exp"}


def test_a_numbered_column_of_a_flow_that_is_not_there(tmp_path):
    yml = TABLE + "on_error: fail\n"
    error = error_of(tmp_path, "run,rtt_ms3\nexp1,20\n", yml)
    assert error.problem == "the run has no log of flow 3, which line 2 of runs.csv names"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "run,flow,duration_s\nexp1,1,70\nexp1,2,80\n",
            "duration_s of run 'exp1' is 80.0 here and 70.0 in line 2",
        ),
        ("run,rtt_ms\nexp1,70\nexp1,80\n", "rtt_ms of run 'exp1' is 80.0 here and 70.0 in line 2"),
        (
            "run,flow,cca\nexp1,1,bbr\nexp1,1,reno\n",
            "cca of run 'exp1', flow 1 is reno here and bbr in line 2",
        ),
        (
            "run,flow,cca,cca2\nexp1,1,bbr,reno\nexp1,2,bbr,\n",
            "cca of run 'exp1', flow 2 is bbr here and reno in line 2",
        ),
        (
            "path,run,flow,aqm\nexp1/flow1.log,r,1,red\nexp1/flow2.log,r,2,codel\n",
            "aqm of run 'r' is codel here and red in line 2",
        ),
    ],
)
def test_rows_of_one_run_that_contradict_each_other_are_an_error(tmp_path, rows, said):
    error = error_of(tmp_path, rows)
    assert (error.path, error.line) == (tmp_path / "runs.csv", 3)
    assert error.problem == said
    assert "correct one of the rows" in error.remedy


@pytest.mark.parametrize("rows", ["run,rtt_ms2\nexp1,4x\n", "path,rtt_ms2\nexp1/flow1.log,4x\n"])
def test_a_numbered_column_that_is_no_number_is_named_by_its_line(tmp_path, rows):
    error = error_of(tmp_path, rows)
    assert (error.path, error.line) == (tmp_path / "runs.csv", 2)
    assert error.problem == "rtt_ms: '4x' is not a number"


def test_a_row_that_contradicts_a_name_is_named_by_its_line(tmp_path):
    yml = TABLE + 'files: [{path: "exp{repeat}/flow{flow}.log"}]\n'
    error = error_of(tmp_path, "run,flow,repeat\nexp2,1,3\n", yml)
    assert error.problem == "repeat is 2 by one source and 3 by line 2 of runs.csv"


def test_rows_of_files_of_one_run_may_differ_in_what_is_of_a_flow_or_an_end(tmp_path):
    rows = "path,run,rtt_ms,cca,side,host\nexp1/flow1.log,a,20,bbr,server,ann\n"
    rows += "exp1/flow2.log,a,80,reno,client,ben\nexp2/flow1.log,b,,,,\nexp2/flow2.log,b,,,,\n"
    flows = parsed(tmp_path, rows)["flow"]
    assert flows.select("cca", "rtt_ms").rows()[:2] == [("bbr", 20), ("reno", 80)]


@pytest.mark.parametrize(
    ("header", "problem", "remedy"),
    [
        ("run,rtt_ms,rtt_ms", "the column 'rtt_ms' is here twice", "keep one of the two"),
        ("run,lab,lab", "the column 'lab' is here twice", "keep one of the two"),
        ("run,RTT_ms,lab", "the column 'RTT_ms' is not the setting rtt_ms", "mean 'rtt_ms'?"),
        ("run,lab,rtt-ms", "the column 'rtt-ms' is not the setting rtt_ms", "mean 'rtt_ms'?"),
        ("run,lab, rtt_ms", "the column ' rtt_ms' is not the setting rtt_ms", "mean 'rtt_ms'?"),
        ("run,lab,CCA2", "the column 'CCA2' is not the setting cca2", "mean 'cca2'?"),
        ("run,lab,Path", "the column 'Path' is not the setting path", "mean 'path'?"),
    ],
)
def test_a_column_that_is_here_twice_or_spelt_otherwise_is_an_error(
    header, problem, remedy, tmp_path
):
    error = error_of(tmp_path, f"{header}\nexp1,20,40\n")
    assert (error.path, error.line) == (tmp_path / "runs.csv", 1)
    assert error.problem.startswith(problem)
    assert remedy in error.remedy


def test_columns_without_a_name_are_empty(tmp_path):
    """As spreadsheets write them behind the last column."""
    rows = "run,rtt_ms,,\nexp1,20,,\n"
    assert parsed(tmp_path / "a", rows)["run"]["rtt_ms"].to_list() == [20, None]
    error = error_of(tmp_path / "b", rows + "exp2,30,,40\n")
    assert error.line == 3
    assert error.problem == "the value '40' is in a column without a name"


def test_a_factor_may_have_capitals_and_hyphens(tmp_path):
    run = parsed(tmp_path, "run,Lab-2,Queue\nexp1,west,red\n")["run"]
    assert {"Lab-2": "west", "Queue": "red"}.items() <= json.loads(run["factors"][0]).items()


# ---- a table that dataset.yml does not name ------------------------------------------------------

RTTS = "run,rtt_ms\nrun1,20\nrun2,40\n"


def unnamed(tmp_path, table: str, name: str = "runs.csv", yml: str = ""):
    logs = {f"run{i}/client.log": client(1, 9, mbps=8.0 + i) for i in (1, 2)}
    return make_dataset(tmp_path / "raw", logs | {name: table.encode()}, yml)


def of_tables(folder) -> list[tuple]:
    found = analysed(folder)["finding"].filter(check="table of runs that is not read")
    return found.select("severity", "path", "yaml").rows()


@pytest.mark.parametrize(
    ("table", "name", "key"),
    [
        (RTTS, "runs.csv", "run"),
        (RTTS.replace(",", ";"), "conditions.txt", "run"),
        ('"Path","RTT"\nrun1/client.log,20\n', "table.tsv", "path"),
    ],
)
def test_a_table_of_runs_that_is_not_named_is_offered_as_one(table, name, key, tmp_path):
    folder = unnamed(tmp_path, table, name)
    tables = parse_dataset(folder)
    (said,) = tables["file"].filter(path=name)["problem"]
    assert said.startswith(f"a table with a column '{key}': not read;")
    assert of_tables(folder) == [("warning", name, f'runs: "{name}"')]


def test_the_line_that_is_offered_for_a_table_of_runs_has_it_read(tmp_path):
    folder = unnamed(tmp_path, RTTS)
    assert parse_dataset(folder)["run"]["scenario_id"].n_unique() == 1
    ((_, _, line),) = of_tables(folder)
    (folder / "dataset.yml").write_text(line)
    assert parse_dataset(folder)["run"].sort("run_id")["rtt_ms"].to_list() == [20, 40]
    assert of_tables(folder) == []


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("time,mbps\n0,1\n", "rates.csv"),
        ("a run of three tests\n", "notes.txt"),
        (RTTS, "run1/runs.csv"),  # not in the data set's own folder
        ("run\nrun1\n", "list.csv"),
    ],
)
def test_other_tables_are_none_of_runs(table, name, tmp_path):
    assert of_tables(unnamed(tmp_path, table, name)) == []


def test_beside_patterns_the_error_says_how_to_name_the_table(tmp_path):
    folder = unnamed(tmp_path, RTTS, yml="files: [{path: 'run{repeat}/client.log'}]")
    with pytest.raises(DataError, match=r"runs\.csv.*say 'runs: runs\.csv' in dataset\.yml"):
        parse_dataset(folder)


@pytest.mark.parametrize(("unlike", "named"), [(True, True), (False, False)])
def test_files_of_parameters_that_differ_between_repeats_are_named(unlike, named, tmp_path):
    folder = unnamed(tmp_path, RTTS)
    for i in (1, 2):
        said = json.dumps({"rtt_ms": 20 * i if unlike else 20})
        (folder / f"run{i}/params.json").write_text(said)
    (row,) = parse_dataset(folder)["assumption"].filter(what="repeat")["because"]
    said = "; but params.json in their folders, which is not read, differs"
    assert row.endswith(said) is named and ("params.json" in row) is named
