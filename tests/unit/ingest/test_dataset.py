"""Data sets: what paths, runs.csv and run records say, and bad input named with its remedy."""

import dataclasses
import json
import re
import shutil
import time

import pytest
from evenflow.errors import DataError
from evenflow.files import Limits
from evenflow.ingest.described.document import SCHEMA, read_dataset
from evenflow.ingest.described.known_settings import typed
from evenflow.ingest.described.patterns import matches, path_pattern, run_path
from evenflow.ingest.described.runs_csv import runs_table
from evenflow.ingest.entities import Description
from evenflow.ingest.inventory import inventory
from evenflow.ingest.parse import parse_dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_data import (
    IPERF2,
    NS2_RUN,
    TESTBED_RUN,
    content,
    make_dataset,
    make_ns2_run,
    make_testbed_run,
    rewrite,
)

LOG = content(IPERF2 / "bits.server.log")
FREE = """\
title: Two flows over a home router
platform: testbed
defaults: {bottleneck_mbps: 100, duration_s: 300}
files:
  - path: "{router}/rtt{rtt_ms}/r{repeat}/flow{flow}.log"
"""


FLOW_1 = "home/rtt20/r1/flow1.log"


def problem_of(folder) -> DataError:
    with pytest.raises(DataError) as error:
        parse_dataset(folder)
    return error.value


def test_two_buffers_that_differ_are_refused(tmp_path):
    yml = "defaults:\n  buffer_bdp: 0.5\n  buffer_pct: {}\n"
    make_dataset(tmp_path / "a", {}, yml.format(50))
    assert read_dataset(tmp_path / "a").defaults == {"buffer_bdp": 0.5, "buffer_pct": 50}
    make_dataset(tmp_path / "b", {}, yml.format(100))
    with pytest.raises(DataError) as error:
        read_dataset(tmp_path / "b")
    assert error.value.problem == "defaults: buffer_bdp: 0.5 and buffer_pct: 100 are two buffers"
    assert error.value.line == 3


def settings_of(folder):
    tables = parse_dataset(folder)
    return tables["run"].rows(named=True), tables["flow"].rows(named=True)


# ---- patterns -----------------------------------------------------------------------------------

PATTERN = "{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}/r{repeat}/flow{flow}.server.log.gz"


def test_a_pattern_gives_its_placeholders():
    match = path_pattern(PATTERN).fullmatch(f"{TESTBED_RUN}/flow2.server.log.gz")
    assert match.groupdict() == {
        "role": "comparison",
        "cca1": "newreno",
        "cca2": "bic",
        "rtt_ms": "100",
        "buffer_pct": "60",
        "repeat": "1",
        "flow": "2",
    }


@pytest.mark.parametrize(
    "path",
    [
        "comparison/newreno-bic/rtt100ms_opb60/r1/flow2.server.log.gz",  # not a number
        "comparison/newreno-bic/rtt100_opb60/r1/flow2Xserver.log.gz",  # '.' is a full stop
        "a/comparison/newreno-bic/rtt100_opb60/r1/flow2.server.log.gz",
        "comparison/newreno-bic/x/rtt100_opb60/r1/flow2.server.log.gz",
    ],
)
def test_a_pattern_matches_whole_paths_only(path):
    assert path_pattern(PATTERN).fullmatch(path) is None


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["*", "a", "b", "**/", "**"]), max_size=6).map("".join),
    st.text("ab/", max_size=6),
)
def test_a_pattern_of_stars_matches_what_the_shell_would(template, path):
    kinds = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*\*|\*)", re.sub(r"\*{3,}", "**", template))
    naive = "".join(kinds.get(part, part) for part in parts)
    found = path_pattern(template, globs=True).fullmatch(path)
    assert bool(found) == bool(re.fullmatch(naive, path))


def test_many_stars_in_a_pattern_take_no_time():
    """Were every place of each star tried, it would take half a minute."""
    begin = time.process_time()
    assert not path_pattern("*a" * 7 + "c", globs=True).fullmatch("a" * 60)
    assert time.process_time() - begin < 1


def test_a_placeholder_that_stands_twice_must_be_the_same():
    pattern = path_pattern("rtt{rtt_ms}/x_{rtt_ms}.log")
    assert pattern.fullmatch("rtt12.5/x_12.5.log")["rtt_ms"] == "12.5"
    assert pattern.fullmatch("rtt12.5/x_13.log") is None


def test_a_run_is_named_by_its_path_without_the_flow_a_scenario_without_the_repeat():
    values = path_pattern(PATTERN).fullmatch(f"{TESTBED_RUN}/flow2.server.log.gz").groupdict()
    assert run_path(PATTERN, values, ("flow",)) == TESTBED_RUN
    assert run_path(PATTERN, values, ("flow", "repeat")) == TESTBED_RUN.removesuffix("/r1")
    flat = {"cca": "bic", "repeat": "3", "flow": "1"}
    assert run_path("{cca}_r{repeat}_f{flow}.log", flat, ("flow",)) == "bic_r3_f*.log"


# ---- settings -----------------------------------------------------------------------------------


def test_settings_of_a_real_testbed_run(tmp_path):
    make_testbed_run(tmp_path)
    (run,), flows = settings_of(tmp_path)
    settings = run
    assert settings["run_id"] == TESTBED_RUN
    assert settings["scenario_id"] == TESTBED_RUN.removesuffix("/r1")
    wanted = {"role": "comparison", "rtt_ms": 100, "buffer_pct": 60, "buffer_bytes": 750000}
    assert {key: settings[key] for key in wanted} == wanted
    assert [(f["flow_id"], f["cca"], f["start_s"], f["mss_bytes"]) for f in flows] == [
        (1, "newreno", 0.0, 1448),
        (2, "bic", 60.28, 1448),
    ]
    assert json.loads(run["observed"])["drops"] == 1312
    assert json.loads(run["made_by"])["versions"]["iperf"].startswith("iperf version 2.1.8")


def test_flows_of_an_ns2_log_come_from_its_lines(tmp_path):
    make_ns2_run(tmp_path)
    (run,), flows = settings_of(tmp_path)
    assert [(f["flow_id"], f["cca"]) for f in flows] == [(1, "newreno"), (2, "bic")]
    assert flows[1]["start_s"] == 60.283716
    assert run["tool_version"] == "2.35"


def test_placeholders_defaults_flows_and_runs_csv_are_merged(tmp_path):
    yml = FREE + "flows:\n  1: {cca: newreno, start_s: 0}\n  2: {start_s: 60}\nruns: runs.csv\n"
    logs = {f"home/rtt20/r{r}/flow{f}.log": LOG for r in (1, 2) for f in (1, 2)}
    table = b"\xef\xbb\xbfrun,flow,cca,seed\r\nhome/rtt20/r1,2,bic,\r\nhome/rtt20/r2,,,7\r\n"
    make_dataset(tmp_path, {**logs, "runs.csv": table, "README.md": b"# hello"}, yml)
    runs, flows = settings_of(tmp_path)
    assert [run["seed"] for run in runs] == [None, 7]
    assert {json.loads(run["factors"])["router"] for run in runs} == {"home"}
    assert {run["bottleneck_mbps"] for run in runs} == {100}
    assert [(f["cca"], f["start_s"], f["rtt_ms"]) for f in flows if f["flow_id"] == 1] == [
        ("newreno", 0, 20.0)
    ] * 2
    assert [f.get("cca") for f in flows if f["flow_id"] == 2] == ["bic", None]


@pytest.mark.parametrize(
    ("name", "rtts"),
    [("rtt20", [20, 44]), ("rtt20_80", [20, 80])],  # of the run, then of flow 2
)
def test_what_is_said_of_a_flow_counts_before_what_is_said_of_its_run(tmp_path, name, rtts):
    yml = "defaults: {rtt_ms: 30}\nflows: {2: {rtt_ms: 44}}\nfiles:\n"
    yml += (
        "  - path: 'rtt{rtt_ms}_{rtt_ms2}/flow{flow}.log'\n  - path: 'rtt{rtt_ms}/flow{flow}.log'"
    )
    make_dataset(tmp_path, {f"{name}/flow{n}.log": LOG for n in (1, 2)}, yml)
    assert [flow["rtt_ms"] for flow in settings_of(tmp_path)[1]] == rtts


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("rtt_ms", "25ms", "rtt_ms: '25ms' is not a number"),
        ("rtt_ms", "1_5", "rtt_ms: '1_5' is not a number"),
        ("rtt_ms", "-1", "rtt_ms: -1 is not a number from 0 up"),
        ("rtt_ms", "nan", "rtt_ms: nan is not a number from 0 up"),
        ("rtt_ms", None, "rtt_ms: 'None' is not a number"),
        ("buffer_bytes", "inf", "buffer_bytes: inf is not a whole number"),
        ("repeat", "1.5", "repeat: 1.5 is not a whole number"),
        ("role", "test", "unknown role 'test'"),
    ],
)
def test_a_setting_that_cannot_be(key, value, said):
    with pytest.raises(DataError) as error:
        typed(key, value, "runs.csv", 3)
    assert str(error.value).startswith(f"runs.csv:3: {said}")
    assert error.value.remedy


# ---- bad input: the file, and what to do --------------------------------------------------------


def test_without_dataset_yml_the_names_are_read(tmp_path):
    make_testbed_run(tmp_path)
    (tmp_path / "dataset.yml").unlink()
    (run,), flows = settings_of(tmp_path)
    assert (run["rtt_ms"], run["buffer_pct"], run["repeat"], run["seed"]) == (100, 60, 1, 417120779)
    assert [(f["cca"], f["start_s"]) for f in flows] == [("newreno", 0.0), ("bic", 60.28)]


def test_a_folder_without_logs(tmp_path):
    make_dataset(tmp_path, {}, FREE)
    error = problem_of(tmp_path)
    assert "the data set has no run" in error.problem
    assert "put logs into it" in error.remedy


def test_a_long_name_fits_a_pattern_of_many_placeholders_as_a_short_one_does():
    """Of long names those that cannot fit are sorted out before."""
    names = "abcde"
    template = "_".join(f"{{{name}}}" for name in names)
    fits = ["1_2_3_4_5.log", "_".join(str(n) * 20 for n in range(5)) + ".log"]
    no_fits = ["1_2_3.log", "x" * 100 + "_1_2.log", fits[1] + ".gz"]
    found = matches(path_pattern(f"{template}.log"), [*fits, *no_fits])
    assert list(found) == fits
    assert found[fits[1]].groupdict() == {name: str(n) * 20 for n, name in enumerate(names)}
    twice = matches(path_pattern(f"{template}_{{a}}.log"), [f"{'x' * 60}_2_3_4_5_{'x' * 60}.log"])
    assert len(twice) == 1  # what comes twice is the same there


def test_a_file_that_no_pattern_matches(tmp_path):
    run = make_testbed_run(tmp_path)
    stray = run / "flowA.server.log.gz"
    shutil.copy(run / "flow1.server.log.gz", stray)
    error = problem_of(tmp_path)
    assert error.path == stray
    assert "no pattern under 'files:' in dataset.yml matches this path" in error.problem
    assert "flow{flow}.server.log.gz" in error.problem
    for remedy in ("correct the name or the pattern", "digits only", "format: ignore"):
        assert remedy in error.remedy


@pytest.mark.parametrize("path", ["**/flow{flow}.log", "home/rtt{rtt_ms}/r{repeat}/*.log"])
def test_a_star_in_a_pattern_of_logs_is_named_as_the_cause(path, tmp_path):
    yml = f'files:\n  - {{path: "*.txt", format: ignore}}\n  - path: "{path}"\n'
    error = problem_of(make_dataset(tmp_path, {"home/rtt20/r1/flow1.log": LOG}, yml))
    assert error.remedy.startswith("'*' stands for other text only in patterns with 'format: ig")
    assert f"In '{path}' write a placeholder" in error.remedy
    assert "digits" not in error.remedy


def test_a_placeholder_that_does_not_match(tmp_path):
    run = make_ns2_run(tmp_path)
    wrong = run.parent.parent / "rtt100ms_opb20" / "r1"
    wrong.parent.mkdir()
    run.rename(wrong)
    error = problem_of(tmp_path)
    assert "rtt100ms_opb20" in str(error.path)
    assert "numeric placeholders match digits only" in error.remedy


def test_ignored_files_are_accounted_for(tmp_path):
    run = make_testbed_run(tmp_path, more_yml='  - {path: "{x}.pcap", format: ignore}\n')
    (tmp_path / "a.pcap").write_bytes(b"\x00\x01")
    entries = inventory(tmp_path, read_dataset(tmp_path), {})
    assert {e.path: e.format for e in entries}["a.pcap"] == "ignore"
    assert run.exists()


def test_as_many_patterns_as_the_limit_says_are_read(tmp_path):
    (tmp_path / "dataset.yml").write_text('files: [{path: "a{x}.log"}, {path: "b{x}.log"}]\n')
    assert len(read_dataset(tmp_path, Limits(patterns=2)).files) == 2
    with pytest.raises(DataError, match="2 patterns, more than 1"):
        read_dataset(tmp_path, Limits(patterns=1))


def test_an_unknown_format_in_dataset_yml(tmp_path):
    make_dataset(tmp_path, {}, FREE + "    format: iperf4\n")
    error = problem_of(tmp_path)
    assert (error.path, error.line) == (tmp_path / "dataset.yml", 6)
    assert error.problem == "unknown format 'iperf4'"
    assert error.remedy in [f"did you mean 'iperf{n}'?" for n in ("", 2, 3)]


def test_a_format_that_is_not_recognised(tmp_path):
    make_dataset(tmp_path, {"home/rtt20/r1/flow1.log": b"what is this\n"}, FREE)
    error = problem_of(tmp_path)
    assert error.path == tmp_path / "home/rtt20/r1/flow1.log"
    assert "format is not recognised" in error.problem
    assert "say 'format:'" in error.remedy


def test_a_truncated_gz(tmp_path):
    run = make_testbed_run(tmp_path)
    log = run / "flow2.server.log.gz"
    log.write_bytes(log.read_bytes()[:1500])
    error = problem_of(tmp_path)
    assert error.path == log
    assert "truncated or damaged" in error.problem
    assert "copy the file again" in error.remedy


@pytest.mark.parametrize("empty", [b"", b"\n\n"])
@pytest.mark.parametrize("name", ["flow1.server.log.gz", "flow2.client.log.gz", "run.json"])
def test_an_empty_log(tmp_path, name, empty):
    run = make_testbed_run(tmp_path)
    rewrite(run / name, empty)
    error = problem_of(tmp_path)
    assert error.path == run / name
    assert "the log is empty" in error.problem
    assert "delete the run so that it is made again" in error.remedy


def test_an_empty_trace_of_drops_is_a_run_without_drops(tmp_path):
    run = make_ns2_run(tmp_path)
    rewrite(run / "drops.tr.gz", b"")
    assert parse_dataset(tmp_path)["drop"].is_empty()


def test_a_log_with_a_line_cut_in_the_middle(tmp_path):
    run = make_testbed_run(tmp_path)
    log = run / "flow1.server.log.gz"
    lines = content(log).split(b"\n")
    lines[99], lines[149] = lines[99][:30], lines[149][:40]
    rewrite(log, b"\n".join(lines))
    error = problem_of(tmp_path)
    assert (error.path, error.line) == (log, 100)
    assert "truncated or mixed with other output: '[  1] 92.0000-93.0000 sec" in error.problem
    assert "(1 more such lines)" in error.problem
    assert "restore the log or delete its run" in error.remedy
    assert "on_error: quarantine" in error.remedy


@pytest.mark.parametrize(
    "gone", [["flow2.server.log.gz"], ["flow2.server.log.gz", "flow2.client.log.gz"]]
)
def test_a_missing_flow_2(tmp_path, gone):
    run = make_testbed_run(tmp_path)
    for name in gone:
        (run / name).unlink()
    error = problem_of(tmp_path)
    assert error.path == run
    assert "flow 2" in error.problem
    assert "add the log" in error.remedy
    assert "delete the run so that it is made again" in error.remedy


def test_a_missing_flow_2_of_ns2(tmp_path):
    run = make_ns2_run(tmp_path)
    log = run / "goodput.log.gz"
    lines = content(log).split(b"\n")
    rewrite(log, b"\n".join(line for line in lines if line.split()[1:2] != [b"2"]))
    error = problem_of(tmp_path)
    assert error.path == run
    assert error.problem == "the run has no log of flow 2"


def test_a_missing_flow_that_dataset_yml_declares(tmp_path):
    logs = {"home/rtt20/r1/flow1.log": LOG}
    make_dataset(tmp_path, logs, FREE + "flows: {1: {cca: bic}, 2: {cca: bic}}\n")
    error = problem_of(tmp_path)
    assert str(error.path).endswith("home/rtt20/r1")
    line = 1 + FREE.count("\n")
    assert error.problem == f"the run has no log of flow 2, which line {line} of dataset.yml names"
    assert error.remedy.startswith("correct the number of the flow in that line if it is wrong")


def test_a_pair_in_a_name_is_no_flow_that_must_have_a_log(tmp_path):
    """The page proposes such patterns where a run has one flow: a check says what is missing."""
    logs = {f"cubic-vs-bbr-run{run}.log": LOG for run in (1, 2)}
    make_dataset(tmp_path, logs, 'files:\n  - path: "{cca1}-vs-{cca2}-run{repeat}.log"\n')
    tables = parse_dataset(tmp_path)
    assert tables["flow"].select("flow_id", "cca").rows() == [(1, None)] * 2
    assert [json.loads(said) for said in tables["run"]["factors"]] == [
        {"variants": "cubic, bbr"}
    ] * 2


def test_a_name_that_says_what_flow_2_is_promises_a_log_of_it(tmp_path):
    logs = {"to-bbr-run1.log": LOG}
    make_dataset(tmp_path, logs, 'files:\n  - path: "to-{cca2}-run{repeat}.log"\n')
    assert problem_of(tmp_path).problem == "the run has no log of flow 2"


def test_two_files_that_claim_the_same_flow_of_a_run(tmp_path):
    yml = FREE + '  - path: "{router}/rtt{rtt_ms}/r{repeat}/old_flow{flow}.log"\n'
    logs = {f"home/rtt20/r1/{name}flow1.log": LOG for name in ("", "old_")}
    make_dataset(tmp_path, logs, yml)
    error = problem_of(tmp_path)
    assert error.path == tmp_path / "home/rtt20/r1/old_flow1.log"
    assert "claims run 'home/rtt20/r1', flow 1 (receiver)" in error.problem
    assert "as home/rtt20/r1/flow1.log does" in error.problem
    assert "give each flow of a run its own id" in error.remedy


def test_an_iperf_log_whose_path_does_not_name_its_flow_is_one_flow(tmp_path):
    logs = {"home/rtt20/r1/log.txt": LOG}
    make_dataset(tmp_path, logs, FREE.replace("flow{flow}.log", "log.txt"))
    tables = parse_dataset(tmp_path)
    assert tables["flow"].select("run_id", "flow_id", "start_from").rows() == [
        ("home/rtt20/r1", 1, "log")
    ]


def test_a_run_record_that_contradicts_the_path(tmp_path):
    run = make_testbed_run(tmp_path)
    moved = tmp_path / "comparison/newreno-bic/rtt200_opb60/r1"
    moved.parent.mkdir()
    run.rename(moved)
    error = problem_of(tmp_path)
    assert error.path == moved
    assert error.problem == "rtt_ms is 200.0 by one source and 100.0 by another"
    assert "correct the file name, runs.csv or the run record" in error.remedy


def test_a_run_record_that_contradicts_the_path_about_a_flow(tmp_path):
    run = make_testbed_run(tmp_path)
    moved = tmp_path / "comparison/newreno-cubic/rtt100_opb60/r1"
    moved.parent.mkdir(parents=True)
    run.rename(moved)
    assert problem_of(tmp_path).problem == "cca is cubic by one source and bic by another"


@pytest.mark.parametrize(
    ("change", "said", "line"),
    [
        (
            lambda text: text[: len(text) // 2],
            "not a run record of evenflow (JSONDecodeError",
            True,
        ),
        (lambda text: text.replace('"flows"', '"flow"'), "KeyError: 'flows'", False),
        (lambda text: "[1]", "TypeError", False),
        (lambda text: text.replace('"2":', '"two":', 1), "ValueError", False),
        (lambda text: text.replace('"rtt_ms": 100,', '"rtt_ms": "fast",'), "rtt_ms: 'fast'", False),
        (lambda text: text.replace('"role": "comp', '"role": "kalib'), "unknown role", False),
    ],
)
def test_a_damaged_run_record(tmp_path, change, said, line):
    run = make_testbed_run(tmp_path)
    record = run / "run.json"
    record.write_text(change(record.read_text()))
    error = problem_of(tmp_path)
    assert error.path == record
    assert said in error.problem
    assert (error.line is not None) == line
    assert error.remedy


@pytest.mark.parametrize(
    ("table", "said", "line"),
    [
        ("run,seed\nhome/rtt20/r9,3\n", "there are no files of the run 'home/rtt20/r9'", 2),
        ("runs,seed\nhome/rtt20/r1,3\n", "there is no column 'run' or 'path'", 1),
        (
            "run;rtt_ms\nhome/rtt20/r1;3,5\n",
            "there is no column 'run' or 'path': the header has ';' between its columns",
            1,
        ),
        (
            "run\tseed\nhome/rtt20/r1\t3\n",
            "there is no column 'run' or 'path': the header has tabs between its columns",
            1,
        ),
        (
            "Path,Run,seed\nx.log,home/rtt20/r1,3\n",
            "there is no column 'run' or 'path', but 'Path' and 'Run'",
            1,
        ),
        ("path,seed\nhome/rtt20/r1,3\n", "there is no file 'home/rtt20/r1'", 2),
        ("path,seed\n../x.log,3\n", "the file '../x.log' is outside of the data set", 2),
        ("path,seed\n/x.log,3\n", "the file '/x.log' is outside of the data set", 2),
        (f"path\n{FLOW_1}\n{FLOW_1}\n", f"the file '{FLOW_1}' has two rows", 3),
        ("run,seed\n,3\n", "the row names no run", 2),
        ("run,seed\nhome/rtt20/r1,x\n", "seed: 'x' is not a number", 2),
        ("run,note\nhome/rtt20/r1,a,b\n", "the row has 1 more values than there are columns", 2),
    ],
)
def test_a_wrong_runs_csv(tmp_path, table, said, line):
    logs = {FLOW_1: LOG, "runs.csv": table.encode()}
    make_dataset(tmp_path, logs, FREE + "runs: runs.csv\n")
    error = problem_of(tmp_path)
    assert (error.path, error.line) == (tmp_path / "runs.csv", line)
    assert error.problem == said
    assert error.remedy


def test_a_row_of_a_file_counts_before_its_pattern_and_says_of_which_run_it_is(tmp_path):
    rows = "path,run,flow,rtt_ms,seed\nrtt20/f1.log,,,,7\nrtt20/f2.log,other,9,40,\nx.log,,,,3\n"
    logs = dict.fromkeys(("rtt20/f1.log", "rtt20/f2.log", "x.log"), LOG)
    text = 'files: [{path: "rtt{rtt_ms}/f{flow}.log"}]\nruns: runs.csv\n'
    make_dataset(tmp_path, {**logs, "runs.csv": rows.encode()}, text)
    dataset = read_dataset(tmp_path)
    of_path = {e.path: e for e in inventory(tmp_path, dataset, runs_table(tmp_path, dataset)[1])}
    said = {path: (of_path[path].run_id, of_path[path].flow_id) for path in logs}
    assert said == {
        "rtt20/f1.log": ("rtt20", 1),
        "rtt20/f2.log": ("other", 9),
        "x.log": ("x.log", None),
    }
    assert of_path["rtt20/f1.log"].settings == {"rtt_ms": 20, "seed": 7}
    assert of_path["rtt20/f2.log"].settings == {"rtt_ms": 40}
    assert of_path["x.log"].settings == {"seed": 3}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("exclude:\n  home/rtt20/r9: gone\n", "there are no files of the run 'home/rtt20/r9'"),
        ("pool_over: [hosts,\n  house]\n", "pool_over: 'house' is not a factor of any run"),
        (
            "confirmed: ['side: the sender counts',\n  all is well]\n",
            "confirmed: 'all is well' is not a sentence of a page: it has no colon",
        ),
    ],
)
def test_what_is_wrong_in_dataset_yml_is_named_with_its_line(tmp_path, more, said):
    make_dataset(tmp_path, {FLOW_1: LOG}, FREE + more)
    error = problem_of(tmp_path)
    assert (error.path, error.line) == (tmp_path / "dataset.yml", FREE.count("\n") + 2)
    assert error.problem == said


@pytest.mark.parametrize(
    ("row", "remedy"),
    [
        ("home/rtt20/r1/flow2.log", "did you mean 'home/rtt20/r1/flow1.log'?"),
        ("a/../x.log", "write its path from the data set's folder"),
        ("home/rtt20/r1/flow1..log", "did you mean 'home/rtt20/r1/flow1.log'?"),  # inside of it
    ],
)
def test_a_row_of_a_file_that_is_not_there_is_answered_with_the_nearest(tmp_path, row, remedy):
    logs = {FLOW_1: LOG, "runs.csv": f"path,seed\n{row},3\n".encode()}
    make_dataset(tmp_path, logs, FREE + "runs: runs.csv\n")
    assert remedy in problem_of(tmp_path).remedy


@pytest.mark.parametrize("where", ["../runs.csv", "/etc/hostname", "a/../../runs.csv"])
def test_a_runs_csv_outside_of_the_data_set_is_refused(where, tmp_path):
    (tmp_path / "runs.csv").write_text("run,cca\n")
    folder = tmp_path / "mine"
    folder.mkdir()
    make_dataset(folder, {"home/rtt20/r1/flow1.log": LOG}, FREE + f"runs: {where}\n")
    assert "is outside of the data set" in problem_of(folder).problem


def test_a_runs_csv_that_is_not_there(tmp_path):
    make_dataset(tmp_path, {"home/rtt20/r1/flow1.log": LOG}, FREE + "runs: runs.csv\n")
    error = problem_of(tmp_path)
    assert error.path == tmp_path / "dataset.yml"
    assert "there is no file 'runs.csv'" in error.problem


# ---- quarantine ---------------------------------------------------------------------------------


def two_runs(folder, more_yml="on_error: quarantine\n"):
    """Make a data set of two runs of the same scenario; return the folder of the second."""
    run = make_testbed_run(folder, more_yml=more_yml)
    second = run.parent / "r2"
    shutil.copytree(run, second)
    record = json.loads((second / "run.json").read_text())
    record["run"]["repeat"] = 2
    (second / "run.json").write_text(json.dumps(record))
    return second


def cut(run):
    log = run / "flow2.server.log.gz"
    log.write_bytes(log.read_bytes()[:1500])


def empty(run):
    rewrite(run / "flow1.server.log.gz", b"")


def without_flow_2(run):
    (run / "flow2.server.log.gz").unlink()
    (run / "flow2.client.log.gz").unlink()


def without_receiver_2(run):
    (run / "flow2.server.log.gz").unlink()


def contradicting(run):
    record = run / "run.json"
    record.write_text(record.read_text().replace('"rtt_ms": 100', '"rtt_ms": 50'))


def damaged_record(run):
    (run / "run.json").write_text("{")


BREAKS = [cut, empty, without_flow_2, without_receiver_2, contradicting, damaged_record]


@pytest.mark.parametrize("break_run", BREAKS)
def test_a_broken_run_stops_the_data_set_or_is_left_out_whole(tmp_path, break_run):
    second = two_runs(tmp_path)
    break_run(second)
    tables = parse_dataset(tmp_path)
    assert tables["run"]["run_id"].to_list() == [TESTBED_RUN]
    assert tables["flow"]["run_id"].unique().to_list() == [TESTBED_RUN]
    file = tables["file"]
    of_second = file.filter(file["path"].str.starts_with(TESTBED_RUN.removesuffix("1") + "2"))
    # every file of the run is in the ledger with the reason, and none of its lines is a sample
    assert of_second["problem"].null_count() == 0
    assert set(of_second["format"]) <= {"unreadable", "left-out"}
    fate = tables["fate"].join(of_second.select("file_id"), on="file_id")
    assert set(fate["fate"]) == {"skipped"}
    ids = set(of_second["file_id"])
    assert not ids & set(tables["interval"]["file_id"])

    (tmp_path / "dataset.yml").write_text(
        (tmp_path / "dataset.yml").read_text().replace("on_error: quarantine\n", "")
    )
    with pytest.raises(DataError) as error:
        parse_dataset(tmp_path)
    assert "r2" in str(error.value.path)


def test_in_quarantine_a_cut_line_is_left_out_alone(tmp_path):
    run = make_testbed_run(tmp_path, more_yml="on_error: quarantine\n")
    log = run / "flow1.server.log.gz"
    lines = content(log).split(b"\n")
    lines[99] = lines[99][:30]
    rewrite(log, b"\n".join(lines))
    tables = parse_dataset(tmp_path)
    assert tables["rejected"].select("line", "text").rows() == [(100, lines[99].decode())]
    assert len(tables["interval"]) == 301 + 240
    assert tables["run"]["run_id"].to_list() == [TESTBED_RUN]


def test_a_data_set_of_which_nothing_is_left_says_why(tmp_path):
    run = make_testbed_run(tmp_path, more_yml="on_error: quarantine\n")
    cut(run)
    error = problem_of(tmp_path)
    assert "every run of the data set is left out" in error.problem
    assert "flow2.server.log.gz" in error.problem


def test_ns2_runs_are_read_whole(tmp_path):
    make_ns2_run(tmp_path)
    tables = parse_dataset(tmp_path)
    assert tables["run"]["run_id"].to_list() == [NS2_RUN]
    assert {name: len(tables[name]) for name in ("queue", "drop")} == {"queue": 300, "drop": 73}


# ---- placeholders that are none -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{0}_{flow}.txt", r"'\{0\}' is not a placeholder"),
        ("{1a}/{flow}.log", r"'\{1a\}' is not a placeholder"),
        ("{rtt-ms}/{flow}.log", r"'\{rtt-ms\}' is not a placeholder"),
        ("{x.y}/{flow}.log", r"'\{x.y\}' is not a placeholder"),
        ("{x!r:>10}/{flow}.log", "is not a placeholder"),
        ("{}/{flow}.log", r"'\{\}' is not a placeholder"),
        ("{²}/{flow}.log", "is not a placeholder"),
        ("{x/{flow}.log", "a brace in"),
        ("x}/{flow}.log", "a brace in"),
        ("{{x}}/{flow}.log", "a brace in"),
    ],
)
@pytest.mark.parametrize("more", ["", ", format: iperf2", ", format: ignore"])
def test_a_placeholder_that_can_be_no_name_is_named_with_its_line(tmp_path, path, said, more):
    (tmp_path / "dataset.yml").write_text(f"title: x\nfiles:\n  - {{path: '{path}'{more}}}\n")
    with pytest.raises(DataError, match=rf"dataset.yml:3: files: .*{said}.*Remedy: "):
        read_dataset(tmp_path)


@pytest.mark.parametrize("path", ["{größe}/{flow}.log", "{class}/x.log", "{_}/{x1}.log"])
def test_a_placeholder_may_be_any_word(tmp_path, path):
    (tmp_path / "dataset.yml").write_text(f"files:\n  - path: '{path}'\n", encoding="utf-8")
    assert path_pattern(read_dataset(tmp_path).files[0].path).groups


@pytest.mark.parametrize(
    ("yml", "line", "meant"),
    [
        ("files:\n  - path: '{RTT_ms}/{flow}.log'\n", 2, "rtt_ms"),
        ("files:\n  - path: '{router}/{Flow}.log'\n", 2, "flow"),
        ("files:\n  - path: '{CCA1}_{CCA2}.log'\n", 2, "cca1"),
        ("defaults:\n  RTT_ms: 20\n", 2, "rtt_ms"),
        ("defaults:\n  rtt-ms: 20\n", 2, "rtt_ms"),
        ("flows:\n  2: {Start_S: 20}\n", 2, "start_s"),
        ("Defaults: {rtt_ms: 20}\n", 1, "defaults"),
    ],
)
def test_a_setting_that_is_spelt_otherwise_is_an_error(tmp_path, yml, line, meant):
    """Of patterns it would be a factor of that name, and the setting would stay unknown."""
    (tmp_path / "dataset.yml").write_text(yml)
    with pytest.raises(DataError) as error:
        read_dataset(tmp_path)
    assert (error.value.path, error.value.line) == (tmp_path / "dataset.yml", line)
    assert error.value.remedy.startswith(f"did you mean '{meant}'?")


def test_braces_of_ignored_files_may_be_meant_literally(tmp_path):
    (tmp_path / "dataset.yml").write_text("files:\n  - {path: '[{]x[}].txt', format: ignore}\n")
    assert read_dataset(tmp_path).files[0].path == "[{]x[}].txt"


# ---- runs that do not count ---------------------------------------------------------------------


@pytest.mark.parametrize("break_run", [None, *BREAKS])
@pytest.mark.parametrize("on_error", ["fail", "quarantine"])
def test_an_excluded_run_counts_nowhere_whatever_its_logs_hold(tmp_path, break_run, on_error):
    excluded = f"{TESTBED_RUN[:-1]}2"
    yml = f"on_error: {on_error}\nexclude: {{{excluded}: the router was restarted}}\n"
    second = two_runs(tmp_path, yml)
    if break_run:
        break_run(second)
    tables = parse_dataset(tmp_path)
    assert tables["run"]["run_id"].to_list() == [TESTBED_RUN]
    assert set(tables["flow"]["run_id"]) == {TESTBED_RUN}
    of_second = tables["file"].filter(run_id=excluded)
    assert set(of_second["format"]) == {"left-out"}
    reason = "its run is left out: excluded in dataset.yml: the router was restarted"
    assert set(of_second["problem"]) == {reason}
    fate = tables["fate"].join(of_second.select("file_id"), on="file_id")
    assert set(fate["reason"]) <= {"its run is left out"}
    assert not set(of_second["file_id"]) & set(tables["interval"]["file_id"])


def test_a_run_of_a_folder_that_nobody_described_can_be_excluded(tmp_path):
    logs = {f"cubic_run{n}.log": LOG.replace(b"0.00", b"0.00" + b" " * n, 1) for n in (1, 2, 3)}
    whole = parse_dataset(make_dataset(tmp_path / "whole", logs, "title: Three runs\n"))
    names = whole["run"]["run_id"].to_list()
    yml = f"title: Two of three runs\nexclude:\n  {names[1]}: the link was down\n"
    tables = parse_dataset(make_dataset(tmp_path / "two", logs, yml))
    assert tables["run"]["run_id"].to_list() == [names[0], names[2]]
    said = tables["assumption"].filter(what="left out")
    assert said.select("value", "because").rows() == [
        (names[1], "excluded in dataset.yml: the link was down")
    ]


def test_an_excluded_run_that_is_not_there_is_named_with_the_nearest(tmp_path):
    make_testbed_run(tmp_path, more_yml=f"exclude: {{{TESTBED_RUN}0: no reason}}\n")
    error = problem_of(tmp_path)
    assert error.path.name == "dataset.yml" and "no files of the run" in error.problem
    assert TESTBED_RUN in error.remedy


def test_every_key_of_the_schema_is_a_part_of_the_description():
    """A key that the schema allows and the description has not would stop the data set."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    known = {field.name for field in dataclasses.fields(Description)}
    assert set(schema["properties"]) <= known
