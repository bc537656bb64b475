"""Scratch folders are told by a mark, not by their name; a copy has no pipes and no loops."""

import os
import tempfile
from pathlib import Path

import pytest
from evenflow.runs.locking import process_in_full
from evenflow.runs.scratch import MARK, copy_project, scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(folder: Path, said: str | None) -> Path:
    folder.mkdir()
    (folder / "x").touch()
    if said is not None:
        (folder / MARK).write_text(said)
    return folder


def test_what_killed_runs_left_is_removed_and_nothing_that_is_only_called_so(temporary):
    host = process_in_full().split()[0]
    gone = left(temporary / "job-gone", f"{host} 999999999 17")
    mine = left(temporary / "job-12345-notes", None)
    going = left(temporary / "job-going", process_in_full())
    other = left(temporary / "job-other", "elsewhere 1 1")
    beginning = left(temporary / "job-beginning", "")
    with scratch_folder("job") as folder:
        assert (folder / MARK).read_text() == process_in_full()
        assert not gone.exists()
        assert all(path.exists() for path in (mine, going, other, beginning))
    assert not folder.exists()


def test_pipes_and_links_to_nothing_or_to_where_they_lie_are_not_copied(temporary):
    root = temporary / "project"
    (root / "a").mkdir(parents=True)
    (root / "a/file").write_text("x")
    for folder in (root, root / "a"):
        os.mkfifo(folder / "pipe")
        (folder / "nothing").symlink_to("gone")
        (folder / "loop").symlink_to("loop")
        (folder / "up").symlink_to(".")
        (folder / "link").symlink_to(root / "a/file")
    copy_project(root, temporary / "copy", [], [])
    found = {
        path.relative_to(temporary / "copy").as_posix() for path in (temporary / "copy").rglob("*")
    }
    assert found == {"a", "a/file", "a/link", "link"}


def test_a_copy_may_be_of_named_files_only(temporary):
    root = temporary / "project"
    (root / "a").mkdir(parents=True)
    for name in ("kept", "other", "a/kept", "a/other"):
        (root / name).write_text("x")
    copy_project(root, temporary / "copy", [], [], only={"kept", "a/kept"})
    assert sorted(p.name for p in (temporary / "copy").rglob("*") if p.is_file()) == ["kept"] * 2


def test_what_is_made_and_raw_logs_are_not_copied_wherever_they_lie(tmp_path):
    root = tmp_path / "study"
    for name in ("raw-logs/lab/flow.log", "results/tables/x.parquet", "results/planned.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    copy_project(root, tmp_path / "copy", [], ["raw-logs", "results/tables"])
    copied = [p.relative_to(tmp_path / "copy") for p in (tmp_path / "copy").rglob("*")]
    assert sorted(map(str, copied)) == ["results", "results/planned.csv"]
