"""A log is a log by evidence: what only quotes one, or is empty, is neither read nor an error."""

import json
import zipfile
from types import SimpleNamespace

import polars as pl
import pytest
from evenflow.checks import files as checks
from evenflow.checks.intervals import clock_jumps, steps_of
from evenflow.errors import DataError
from evenflow.ingest.entities import Entry
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.recognition import note_failed_tests
from raw_data import LOGS, ROOT, build_tables, make_dataset
from small_logs import iperf2, iperf3

FORMATS = ROOT / "tests/fixtures/formats"
IPERF2 = (LOGS / "iperf2/plain.server.log").read_text()
IPERF3 = next(
    p.read_text()
    for p in sorted((FORMATS / "iperf3").rglob("*"))
    if p.is_file() and p.read_bytes().startswith(b"Connecting to host")
)
REPORT = "\n".join(IPERF3.splitlines()[:12]) + "\n"
PROSE = "We ran each test for ten seconds and wrote down what the receiver had got by then.\n"
CODE = "    result = run_test(host, port, duration=10, congestion='cubic')  # as in the paper\n"
GOOD = {f"run{i}/server.log": IPERF2.encode() for i in (1, 2)}


def make_raw(folder, more):
    for path, content in {**GOOD, **more}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def formats_of(folder):
    tables = parse_dataset(folder)
    assert len(tables["run"]) == len(GOOD)
    return dict(tables["file"].select("path", "format").rows())


QUOTING = {  # programs and texts in which a log is quoted
    "tests/test_parse.py": f'LOG = """\n{REPORT}"""\n\n\ndef test():\n' + 20 * CODE,
    "run.sh": "#!/bin/bash\n" + 20 * CODE + "cat <<END\n" + REPORT + "END\n",
    "measure": "#!/usr/bin/env python3\n" + 3 * CODE + f'"""\n{REPORT}"""\n',
    "topology.tcl": 20 * CODE + REPORT,
    "scratch.cc": f"/*\n{REPORT}*/\n" + 20 * CODE,
    "Makefile": "run:\n\t./run\n\n" + REPORT + 5 * CODE,
    "docs/results.md": f"# Results\n\n{PROSE}\n```\n{REPORT}```\n\n{PROSE}",
    "paper/eval.tex": f"\\begin{{verbatim}}\n{REPORT}\\end{{verbatim}}\n{PROSE}",
    "notes/plot.ipynb": json.dumps({"cells": [{"source": CODE}]}, indent=1) + "\n" + REPORT + PROSE,
    "fix.patch": "diff --git a/x b/x\n" + REPORT + 9 * ("+" + CODE),
}


@pytest.mark.parametrize("path", QUOTING)
def test_a_program_or_text_that_quotes_a_log_is_none(path, tmp_path):
    folder = make_raw(tmp_path / "raw", {path: QUOTING[path]})
    assert formats_of(folder)[path] == "unknown"


def test_processed_results_in_json_are_no_log_and_leave_no_run_out(tmp_path):
    folder = make_raw(tmp_path / "raw", {"run1/server.json": '{"results": {"cubic": [1.5, 2]}}\n'})
    assert formats_of(folder)["run1/server.json"] == "doubtful"


def test_a_text_of_no_telling_name_that_quotes_a_log_is_doubtful_and_said_to_be(tmp_path):
    path = "notes/2024 results.txt"
    folder = make_raw(tmp_path / "raw", {path: 20 * PROSE + REPORT + 20 * PROSE})
    ledger = build_tables(folder, tmp_path)["ledger"]
    (row,) = checks.doubtful_logs(ledger).rows(named=True)
    assert (row["path"], row["severity"]) == (path, "warning")
    assert "% of it reads as iperf3" in row["message"]
    assert ledger.filter(path=path, entry="line").is_empty()  # no line of it is rejected
    assert ledger.filter(path=path)["lines_skipped"].sum() == 40 + len(REPORT.splitlines())


PROMPT = "user@h1:~/tests$ iperf3 -c 10.0.0.2 -t 10\n"
NOISE = "64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=0.04 ms\n"
NOISY = {  # real logs, with what shells and other programs write between
    "a/screen.txt": PROMPT + IPERF3 + PROMPT,
    "a/tee.out": "Last login: Mon Nov 23 on tty1\n" + IPERF3 + 8 * NOISE,
    "a/mininet.log": 150 * NOISE + IPERF3 + 30 * NOISE,
    "a/no-suffix": IPERF3 + PROMPT,
    "a/client.c": IPERF3,  # c for client
    "a/result.md": IPERF3,
}


@pytest.mark.parametrize("path", NOISY)
def test_a_log_with_prompts_and_noise_is_a_log(path, tmp_path):
    head = NOISY[path][:4096]
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "a").mkdir()
    if "Connecting to host" not in head:  # beyond where formats are looked for
        NOISY[path] = NOISY[path].replace(150 * NOISE, 50 * NOISE)
    (folder / path).write_text(NOISY[path])
    tables = parse_dataset(folder)
    assert tables["file"]["format"].to_list() == ["iperf3"]
    assert len(tables["interval"]) > 5


def test_what_dataset_yml_says_is_a_log_is_read_whatever_its_name_is(tmp_path):
    yml = 'on_error: quarantine\nfiles:\n  - {path: "flow{flow}.py", format: iperf3}\n'
    folder = make_dataset(tmp_path / "raw", {"flow1.py": (IPERF3 + 99 * CODE).encode()}, yml)
    assert parse_dataset(folder)["file"]["format"].to_list() == ["metadata", "iperf3"]


JSON = (FORMATS / "iperf3-json/3.12/bidir-crlf.client.json").read_bytes()


def test_the_name_of_a_tool_means_all_its_formats(tmp_path):
    yml = 'files: [{path: "{host}.json", format: iperf3}, {path: "{host}.log", format: iperf3}]\n'
    folder = make_dataset(tmp_path / "raw", {"a.json": JSON, "b.log": IPERF3.encode()}, yml)
    assert set(parse_dataset(folder)["file"]["format"]) == {"metadata", "iperf3-json", "iperf3"}


@pytest.mark.parametrize("said", ["iperf2", "ns2-queue"])
def test_a_wrong_format_is_named_with_the_right_one(said, tmp_path):
    yml = f'files: [{{path: "flow{{flow}}.log", format: {said}}}]\n'
    folder = make_dataset(tmp_path / "raw", {"flow1.log": IPERF3.encode()}, yml)
    words = f"'format: {said}' for flow1.log, which seems to be iperf3"
    with pytest.raises(DataError, match=f"dataset.yml:1: {words}.*format: iperf3"):
        parse_dataset(folder)
    (folder / "flow2.log").write_bytes(b"")  # the broken log is listed, and so is this one
    (folder / "dataset.yml").write_text(f"on_error: quarantine\n{yml}")
    with pytest.raises(DataError, match=words):
        parse_dataset(folder)


def test_escapes_of_a_terminal_before_a_log_are_read_past(tmp_path):
    logs = {"a.json": b"\x1b[?2004l\r" + JSON, "b.txt": b"\x1b]0;h1\x07\x1b[0m" + b"no log\n"}
    for name, content in logs.items():
        (tmp_path / "raw").mkdir(exist_ok=True)
        (tmp_path / "raw" / name).write_bytes(content)
    found = dict(parse_dataset(tmp_path / "raw")["file"].select("path", "format").rows())
    assert found == {"a.json": "iperf3-json", "b.txt": "unknown"}


def test_archives_may_hold_logs_and_documents_do_not(tmp_path):
    names = {"logs.zip": "run1/a.log", "thesis.docx": "[Content_Types].xml", "x.npz": "arr_0.npy"}
    for name, member in names.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(member, "x")
    folder = make_raw(tmp_path / "raw", {name: (tmp_path / name).read_bytes() for name in names})
    found = formats_of(folder)
    assert {name: found[name] for name in names} == {
        "logs.zip": "doubtful",
        "thesis.docx": "unknown",
        "x.npz": "unknown",
    }


# ---- empty files --------------------------------------------------------------------------------


def test_an_empty_file_is_an_error_only_where_a_log_should_be(tmp_path):
    empties = {
        "src/__init__.py": "unknown",
        "run1/__init__.py": "empty",  # beside logs, but none of them ends so
        "run1/server.err": "empty",
        "plots/keep": "empty",
        "run3/server.log": "unreadable",  # named as the logs of the other runs
        "run1/client.log": "unreadable",  # beside a log that ends so
        "run1/blank.log": "unreadable",
    }
    folder = make_raw(tmp_path / "raw", dict.fromkeys(empties, b"") | {"run1/blank.log": b"\n \n"})
    (folder / "src/__init__.py").write_bytes(b"import this\n")
    found = formats_of(folder)
    assert {path: found[path] for path in empties} == empties
    ledger = build_tables(folder, tmp_path)["ledger"]
    assert ledger.filter(path="plots/keep")["reason"].to_list() == ["the file is empty"]
    errors = checks.unreadable_files(ledger)
    assert errors["path"].to_list() == ["run1/blank.log", "run1/client.log", "run3/server.log"]
    assert checks.idle_logs(ledger).is_empty()


def test_lines_that_are_offered_cover_empty_files_too(tmp_path):
    from evenflow.pages.dataset.assumed import merged_yaml

    empties = {f"pkg{i}/sub/__init__.py": b"" for i in range(30)}
    folder = make_raw(tmp_path / "raw", empties | {"a.pdf": b"%PDF\xff", "b/c.pdf": b"%PDF\xff"})
    offered = merged_yaml(parse_dataset(folder)["assumption"]["yaml"].to_list())
    said = [line for line in offered.splitlines() if not line.startswith("#")]
    assert "\n".join(said).count("format: ignore") == 2
    (folder / "dataset.yml").write_text(offered)
    tables = parse_dataset(folder)
    assert len(tables["run"]) == len(GOOD)
    assert tables["file"]["format"].value_counts().sort("format").rows() == [
        ("ignore", 32),
        ("iperf2", 2),
        ("metadata", 1),
    ]


# ---- what hides ---------------------------------------------------------------------------------


def test_logs_left_out_of_no_run_are_counted_by_folder_and_said_in_their_own_words(tmp_path):
    head = "".join(f"{line}\n" for line in IPERF3.splitlines()[:2])  # and the connection
    more = {f"failed{i}.txt": head for i in range(3)}
    more["refused.json"] = '{"error": "unable to connect to server: Connection refused"}\n'
    folder = make_raw(tmp_path / "raw", more)
    found = checks.left_out_runs(build_tables(folder, tmp_path)["ledger"])
    assert found["path"].to_list() == ["failed0.txt", "refused.json"]
    assert found["check"].to_list() == ["log left out", "failed test"]
    assert found["message"][0].endswith("; so are 2 more of its folder")
    (json_log,) = found.filter(path="refused.json", severity="warning")["message"]
    assert "it says: unable to connect to server: Connection refused" in json_log


def test_samples_without_a_line_are_no_jump_of_the_clock():
    times = [(0.0, 1), (1.0, 2), (2.0, None), (3.0, None), (4.0, 3)]
    sample = pl.DataFrame(
        [("r", 1, t, t + 1, "a.tr", line) for t, line in times],
        schema=["run_id", "flow_id", "t_start_s", "t_end_s", "path", "line"],
        orient="row",
    )
    assert clock_jumps(steps_of(sample)).is_empty()
    back = sample.with_columns(pl.col("line").replace({1: 3, 3: 1}))
    assert clock_jumps(steps_of(back))["severity"].to_list() == ["error"]


REFUSED = b"connect failed: Connection refused\n"


@pytest.mark.parametrize(
    ("content", "complete", "fate", "said"),
    [
        (b"a line that is none of the log's\n", [True], "skipped", None),
        (REFUSED, [True], "skipped", "1 of its 2 tests failed: connect failed: Connection refused"),
        (2 * REFUSED, [True, True], "skipped", "2 of its 4 tests failed: connect failed: "),
        (REFUSED, [False, True], "skipped", None),  # it is of the one that broke off
        (2 * REFUSED, [False, True], "skipped", "1 of its 3 tests failed: "),
        (REFUSED, [True], "sample", None),  # each line was understood
        (REFUSED, [], "skipped", None),  # a log without tests is another matter
    ],
)
def test_tests_that_failed_are_those_that_the_log_complains_of(content, complete, fate, said):
    entry = Entry(0, "a.log", None, format="iperf2", readable=True, content=content)
    tests = enumerate(complete, start=1)
    about = {"measures": True, "line": 9}
    streams = [SimpleNamespace(episode=n, complete=whole, **about) for n, whole in tests]
    note_failed_tests([entry], {0: streams}, pl.DataFrame({"file_id": [0], "fate": [fate]}))
    assert entry.problem is None if said is None else entry.problem.startswith(said)


def test_a_log_in_a_hidden_folder_is_not_read_and_named(tmp_path):
    """Nothing else that is hidden is: files of a Mac, copies of an editor."""
    more = {
        ".run3/server.log": IPERF2 + "\n",
        ".run4/client.json": JSON,
        ".copies/server.log": IPERF2,  # as run1 has
        "__MACOSX/run1/._server.log": bytes(120),
        ".DS_Store": b"\0\0\0\1Bud1\0",
        "run1/.notes": PROSE,
    }
    folder = make_raw(tmp_path / "raw", more)
    assert {formats_of(folder)[path] for path in more} == {"hidden"}
    ledger = build_tables(folder, tmp_path)["ledger"].filter(format="hidden")
    reasons = dict(ledger.select("path", "reason").rows())
    assert reasons[".DS_Store"] == reasons["run1/.notes"] == "hidden: not read"
    found = checks.hidden_logs(build_tables(folder, tmp_path / "again")["ledger"])
    assert found.select("check", "severity", "path", "message").rows() == [
        ("hidden log", "warning", path, f"hidden: not read; it is a log by its content: {kind}")
        for path, kind in ((".run3/server.log", "iperf2"), (".run4/client.json", "iperf3-json"))
    ]
    assert "does not begin with a full stop" in found["remedy"][0]


REFUSED2 = b"connect failed: Connection refused\n"
REFUSED3 = b"iperf3: error - unable to connect to server: Connection refused\n"


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize(("log", "refused"), [(iperf2, REFUSED2), (iperf3, REFUSED3)])
def test_no_tests_are_paired_of_which_others_failed(log, refused, described, tmp_path):
    """The second and third of three measured in one log, the first and second in the other."""
    tests = [log(mbps=mbps) if log is iperf3 else log(mbps=mbps, side="client") for mbps in (2, 3)]
    others = [log(mbps=mbps) if log is iperf3 else log(mbps=mbps, side="client") for mbps in (1, 2)]
    logs = {"flow1_cubic.log": refused + b"".join(tests)}
    logs["flow2_bbr.log"] = b"".join(others) + refused
    yml = 'on_error: quarantine\nfiles:\n  - path: "flow{flow}_{cca}.log"\n' if described else ""
    folder = make_dataset(tmp_path, logs, yml)
    if described:
        with pytest.raises(DataError, match="nothing says which of those that are left ran"):
            parse_dataset(folder)
        return
    tables = parse_dataset(folder)
    rate = tables["interval"].join(
        tables["stream"].select("file_id", "stream", "run_id", "flow_id"), on=["file_id", "stream"]
    )
    runs = rate.group_by("run_id").agg(
        pl.col("flow_id").n_unique(), pl.col("throughput_bps").mean()
    )
    both = runs.filter(pl.col("flow_id") == 2)
    assert [round(mean / 1e6) for mean in both["throughput_bps"]] == [2]
    assert len(runs) == 3
