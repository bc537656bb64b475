"""What failed in a run, as the pages that could not be made and the end of the run say it."""

import os
from types import SimpleNamespace

import pytest
from evenflow.runs.failures import Failures, say_lost

STARTED = 1_000_000


def job(folder, rule, said="", html=None, output=True, at=STARTED, **wildcards):
    log = folder / f"{rule}.log"
    log.write_text(said)
    os.utime(log, (at, at))
    made = SimpleNamespace(html=html) if html else (["x"] if output else [])
    about = SimpleNamespace(name=rule, message=None)
    return _Job(log=[log], output=made, rule=about, wildcards_dict=wildcards)


class _Job(SimpleNamespace):
    __hash__ = object.__hash__


@pytest.fixture
def failed(tmp_path):
    said = "raw/lab/a.log:3: it is cut. Remedy: copy it again\n"
    read = job(tmp_path, "read_logs", said, dataset="lab")
    page = job(tmp_path, "render_dataset", html="site/lab.html", dataset="lab")
    other = job(tmp_path, "render_report", html="site/p.html", paper="p")
    older = job(tmp_path, "settle_runs", "of another run", at=STARTED - 1, dataset="old")
    lists = job(tmp_path, "write_manifest", "a.log has changed. Remedy: put it back", output=False)
    return Failures([read, page, other, older, lists], "raw", STARTED), read, page


def test_a_page_names_what_failed_of_what_it_needs(failed):
    failures, read, page = failed
    above = {page: {page, read}}
    unmade = failures.unmade(lambda job: above.get(job, {job}))
    assert unmade["site/lab.html"].causes == {
        "raw/lab": ("raw/lab/a.log:3: it is cut", "copy it again")
    }
    assert unmade["site/p.html"] == ("p", {})


def test_the_end_names_each_thing_once_and_says_what_to_do(failed):
    text = failed[0].summary({"raw/loose.log": ("it is no folder", "move it")})
    assert text.split("\n") == [
        "", "raw/lab could not be made:", "  raw/lab/a.log:3: it is cut", "  Remedy: copy it again",
        "", "raw/loose.log could not be made:", "  it is no folder", "  Remedy: move it",
        "", "write_manifest: failed", "  a.log has changed", "  Remedy: put it back",
    ]  # fmt: skip


def test_findings_that_are_lost_are_said_a_line_each(tmp_path, capsys):
    (tmp_path / "lost.txt").write_text("It grows\n\nIt falls\n")
    say_lost([tmp_path / "lost.txt", tmp_path / "not there"])
    assert capsys.readouterr().err.splitlines() == [
        "No longer supported: It grows", "No longer supported: It falls",
    ]  # fmt: skip
