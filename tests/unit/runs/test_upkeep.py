"""A run: what lies where jobs write, what is said, what a notice leaves behind."""

import atexit
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from evenflow.runs import receipts
from evenflow.runs.gone import There
from evenflow.runs.known import Known
from evenflow.runs.locking import RUN
from evenflow.runs.raw_data import RawData, Ways
from evenflow.runs.scratch import OF_JOBS, empty_job_folders
from evenflow.runs.upkeep import TIDIED, Upkeep, remove_gone

THERE = There(set(), set(), set(), set(), lambda dataset, chunk: True)
NO_DATA = Ways(list, lambda folder, files, before: {}, lambda folder: [], lambda name: ("", ""))


@pytest.fixture
def upkeep(tmp_path, monkeypatch):
    """A run that has begun in an empty project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(atexit, "register", lambda *words: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    workflow = SimpleNamespace(
        snakemake_tmp_dir=tmp_path / "tmp/snakemake-now",
        scheduler=SimpleNamespace(job_rate_limiter="slow"),
    )
    failed = []
    found = Upkeep(workflow, THERE, RawData(Path("raw"), "d", NO_DATA, [], True), [], failed.append)
    found.failures = failed
    found.begin(real=True)
    yield found
    found.lock.close()
    os.environ.pop(RUN, None)


def job(*outputs):
    return SimpleNamespace(output=[*outputs], log=[])


def test_what_is_not_ours_is_set_aside_before_jobs_write(upkeep, capsys):
    Path("data/derived").mkdir(parents=True)
    Path("data/derived/a.txt").write_text("theirs")
    Path("data/derived/b.txt").write_text("ours")
    receipts.keep_receipt("rule", {}, ["data/derived/b.txt"])
    upkeep._known = upkeep.clearing.known = Known()
    upkeep.start([job("data/derived/a.txt"), job("data/derived/b.txt"), job(TIDIED)])
    assert not Path("data/derived/b.txt").exists()
    assert [path.read_text() for path in Path().glob("set-aside/*/data/derived/*")] == ["theirs"]
    assert "1 files, folders or links" in capsys.readouterr().err
    assert upkeep.workflow.scheduler.job_rate_limiter is None


def test_a_notice_is_made_again_by_the_next_run(upkeep):
    with upkeep.noticing("page.html"):
        Path("page.html").write_text("could not be made")
    why = Known().why_again(["page.html"], upkeep.raw.now, 2e9)
    assert why == "page.html says why it could not be made"


def test_a_command_that_only_looks_touches_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = RawData(Path("raw"), "d", NO_DATA, [], True)
    upkeep = Upkeep(None, THERE, raw, [], print)
    upkeep.begin(real=False)
    upkeep.start([job("a")])
    upkeep.fail([job("a")])
    assert upkeep.gone() == [] and upkeep.why_again([TIDIED]) == "something is gone"
    assert [*tmp_path.iterdir()] == []


def test_jobs_that_failed_are_handed_on(upkeep):
    upkeep.fail(["a job"])
    assert upkeep.failures == [["a job"]]


def test_what_is_gone_is_removed_with_a_sentence(upkeep):
    path = Path("data/derived/old/run.parquet")
    path.parent.mkdir(parents=True)
    path.write_text("x")
    receipts.keep_receipt("rule", {}, [str(path)])
    upkeep._known = Known()
    assert upkeep.gone() == [str(path)]
    assert remove_gone(upkeep.gone()) == ["there is no data/raw/old: 1 files of it are removed"]
    assert not path.parent.exists()


def test_temporary_folders_of_a_killed_run_are_removed_and_no_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("snakemake-old", "theirs"):
        (tmp_path / name).mkdir()
        empty_job_folders(tmp_path / name)
        (OF_JOBS / "left").touch()
    empty_job_folders(tmp_path / "snakemake-now")
    assert not (tmp_path / "snakemake-old").exists() and (tmp_path / "theirs").exists()
    assert [path.name for path in OF_JOBS.iterdir()] == ["of-snakemake"]
