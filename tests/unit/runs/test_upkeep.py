"""A run: what lies where jobs write, what is said, what a notice leaves behind."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from evenflow.runs import receipts
from evenflow.runs.gone import There
from evenflow.runs.known import Known
from evenflow.runs.locking import RUN
from evenflow.runs.publish import main
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


PAGE, FIGURE, LOG = "reports/_site/old/index.html", "reports/old/figures/x.svg", "logs/r/old.log"


@pytest.mark.parametrize("how", ["folder removed", "all removed", "edited", "notice"])
def test_nothing_is_on_a_receipt_of_a_paper_that_is_gone(upkeep, how, capsys):
    for name in (PAGE, FIGURE, LOG, "reports/_site/index.html"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    receipts.keep_receipt("render", {}, [PAGE, FIGURE], [LOG], good=how != "notice")
    receipts.keep_receipt("index", {}, ["reports/_site/index.html"])
    shutil.rmtree("reports/old")
    if how == "all removed":
        shutil.rmtree("reports/_site/old")
    elif how == "edited":
        Path(PAGE).write_text("mine")
    upkeep._known = Known()
    remove_gone(upkeep.gone())  # as the job does, in a process of its own
    upkeep._end()
    upkeep.lock.close()
    assert Path(PAGE).exists() == (how == "edited")
    os.environ.pop(RUN)
    assert main([str(Path("../site").resolve())]) == 0, capsys.readouterr().err
    assert all(receipt.good for receipt in Known().receipts.values())  # so the study is settled
    assert Known().is_ours(LOG)


def test_a_receipt_stays_as_long_as_something_of_it_is_ours(upkeep):
    Path(PAGE).parent.mkdir(parents=True)
    Path(PAGE).write_text("x")
    receipts.keep_receipt("render", {}, [PAGE])  # of a run that was asked for one other page
    upkeep._known = Known()
    upkeep._end()
    assert Known().is_ours(PAGE)


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
