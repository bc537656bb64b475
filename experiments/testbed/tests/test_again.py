"""Runs made again: which, and what of their logs differs. The guest itself is not started here."""

import gzip
import json
from pathlib import Path

import pytest

from experiments.testbed import again, run


def leave_run(folder, build="aaa", text="1\n2\n"):
    folder.mkdir(parents=True)
    command = f"python -m experiments.testbed.run {folder} --cca1 bic --cca2 bic --rtt-ms 25"
    command += " --buffer-pct 20 --seed 3"
    made_by = {"command": command, "versions": {"kernel_build": build}}
    (folder / "run.json").write_text(json.dumps({"made_by": made_by}))
    (folder / "flow1.server.log.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_runs_are_found_by_the_build_that_made_them(tmp_path):
    one = leave_run(tmp_path / "testbed-x/a/r1", "bbb")
    two = leave_run(tmp_path / "testbed-y/a/r1", "aaa")
    leave_run(tmp_path / "ns2-x/a/r1", "ccc")
    assert again.runs_by_build(tmp_path) == {"aaa": [two], "bbb": [one]}


def test_runs_of_a_build_are_spread_over_all_of_its_runs():
    folders = [Path(str(k)) for k in range(100)]
    assert again.spread(folders, 5) == [Path(str(k)) for k in (10, 30, 50, 70, 90)]
    assert again.spread(folders[:3], 5) == folders[:3]


def test_first_different_line_of_each_log_is_named():
    before = {"a.log": b"1\n2\n", "b.log": b"1\n", "gone.log": b"", "cut.log": b"1\n2\n"}
    now = {"a.log": b"1\n3\n", "b.log": b"1\n", "new.log": b"", "cut.log": b"1\n"}
    assert again.differences(before, before) == {}
    assert again.differences(before, now) == {
        "a.log": "line 2, before: 2", "gone.log": "only before", "new.log": "only now",
        "cut.log": "line 2, before: its end",
    }  # fmt: skip


@pytest.mark.parametrize(("text", "status"), [("1\n2\n", 0), ("1\n3\n", 1)])
def test_a_run_is_made_by_its_recorded_command_and_left_as_it_is(
    tmp_path, monkeypatch, capsys, text, status
):
    folder = leave_run(tmp_path / "testbed-x/a/r1")
    was = {path: path.read_bytes() for path in folder.iterdir()}
    asked = []

    def make(scenario, target, limit_s, command):
        asked.append(scenario)
        leave_run(target, text=text)
        return {"made_by": {"versions": {"kernel_build": "new"}, "wall_s": 1.0}}

    monkeypatch.setattr(run, "run", make)
    report = tmp_path / "report.json"
    assert again.main([str(folder), "--report", str(report)]) == status
    assert (asked[0].cca1, asked[0].rtt_ms, asked[0].seed) == ("bic", 25, 3)
    assert {path: path.read_bytes() for path in folder.iterdir()} == was
    (found,) = json.loads(report.read_text())
    assert (found["build_before"], found["build_now"], found["same"]) == ("aaa", "new", status == 0)
    assert ("DIFFERENT" in capsys.readouterr().out) == bool(status)
