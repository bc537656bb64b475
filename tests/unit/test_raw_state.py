"""Raw files that change while they are read are read again in the next run."""

import os
import shutil

import evenflow.raw_state
import partitioned
import pytest
from raw_data import ROOT, TINY
from report_scripts import script

LOGS = ROOT / "tests/fixtures/archives/server-only"


@pytest.mark.parametrize("changes", [False, True])
def test_a_log_that_changes_while_it_is_read_is_not_taken_for_parsed(
    tmp_path, changes, monkeypatch
):
    folder, state = shutil.copytree(LOGS, tmp_path / "raw"), tmp_path / "state.sha256"
    parse_logs = script("parse_logs")
    read = parse_logs.parse_dataset

    def parse(*words):
        tables = read(*words)
        if changes:
            (folder / "netlab-a.log").write_text("")
        return tables

    monkeypatch.setattr(parse_logs, "parse_dataset", parse)
    before = evenflow.raw_state.raw_state(folder) + "\n"
    state.write_text(before)
    parse_logs.main(str(folder), str(state), {}, [str(tmp_path / "run.parquet")])
    assert (state.read_text() == before) is not changes
    assert state.with_suffix(".parsed").is_file() is not changes


@pytest.mark.parametrize("changes", [None, "a run more", "a file more", "a word in dataset.yml"])
def test_a_part_that_changes_while_it_is_read_is_not_taken_for_parsed(
    tmp_path, changes, monkeypatch
):
    folder = shutil.copytree(TINY / "tiny-ns2", tmp_path / "raw")
    state = partitioned.write_states(folder, tmp_path / "states", 2)[0]
    inside = next(n for n in evenflow.raw_state.folders_of(state.read_text()) if "/r" in n)
    parse_part = script("parse_part")
    read = parse_part.parse_part

    def parse(*words):
        found = read(*words)
        if changes == "a run more":  # of no part that is known: a later run sees it
            shutil.copytree(folder / inside, folder / "more/r1")
        elif changes == "a file more":
            (folder / inside / "more.log").write_text("")
        elif changes:
            (folder / "dataset.yml").write_text("title: other\n")
        return found

    monkeypatch.setattr(parse_part, "parse_part", parse)
    monkeypatch.setattr(partitioned, "script", lambda name: parse_part)
    before = state.read_text()
    partitioned.parse_part(folder, state, tmp_path / "out")
    assert (state.read_text() == before) is (changes in (None, "a run more"))
    assert state.with_suffix(".parsed").is_file() is (changes in (None, "a run more"))


def test_a_folder_that_may_not_be_looked_into_is_of_a_part(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    look = evenflow.raw_state.os.scandir

    def scandir(place):
        if str(place).endswith("closed"):
            raise PermissionError(13, "no", place)
        return look(place)

    monkeypatch.setattr(evenflow.raw_state.os, "scandir", scandir)
    assert evenflow.raw_state.files_by_folder(tmp_path) == {".": [], "closed": []}


def test_every_file_is_known_by_its_size_and_time_links_and_odd_names_too(tmp_path):
    (tmp_path / "r1").mkdir()
    log, odd = tmp_path / "r1/x.log", tmp_path / "r1/two\nlines.log"
    log.write_text("abc")
    odd.touch()
    (tmp_path / "r1/again.log").symlink_to(log)
    (tmp_path / "r1/nowhere.log").symlink_to(tmp_path / "gone")
    (tmp_path / "r1/loop").symlink_to("loop")
    os.mkfifo(tmp_path / "r1/pipe")
    known = {path: size for path, size, _, _ in evenflow.raw_state.files_by_folder(tmp_path)["r1"]}
    assert known == {str(log): 3, str(odd): 0, str(tmp_path / "r1/again.log"): 3}
    state = evenflow.raw_state.raw_state(tmp_path)
    os.utime(log, ns=(1, 1))
    assert evenflow.raw_state.raw_state(tmp_path) != state


@pytest.mark.parametrize("name", [".", "r1"])
def test_a_part_has_the_same_state_when_it_is_read(tmp_path, name):
    (tmp_path / "r1").mkdir()
    for path in ("dataset.yml", "x.log", "r1/x.log"):
        (tmp_path / path).write_text(path)
    by_folder = evenflow.raw_state.files_by_folder(tmp_path)
    description = [file for file in by_folder["."] if file[0].endswith("dataset.yml")]
    first = evenflow.raw_state.part_state({name: by_folder[name]}, description)
    assert evenflow.raw_state.part_state_now(tmp_path, [name], ["dataset.yml"]) == first


def test_folders_of_nothing_but_folders_are_of_no_part(tmp_path):
    (tmp_path / "a/b/r1").mkdir(parents=True)
    (tmp_path / "a/b/r1/x.log").touch()
    (tmp_path / "links").mkdir()
    (tmp_path / "links/to").symlink_to(tmp_path / "a")  # the ledger names it
    assert set(evenflow.raw_state.files_by_folder(tmp_path)) == {".", "a/b/r1", "links"}


def test_a_file_that_may_not_be_read_any_more_shows(tmp_path, monkeypatch):
    folder = shutil.copytree(LOGS, tmp_path / "raw")
    before = evenflow.raw_state.raw_state(folder)
    monkeypatch.setattr(evenflow.raw_state.os, "access", lambda path, mode: "-b" not in path)
    assert evenflow.raw_state.raw_state(folder) != before


def test_every_kind_of_change_shows(tmp_path):
    folder = shutil.copytree(LOGS, tmp_path / "raw")
    log, states = folder / "netlab-a.log", set()
    changes = [
        lambda: None,
        log.touch,
        lambda: log.write_text("x"),
        lambda: log.rename(folder / "b.log"),
        (folder / "b.log").unlink,
    ]
    for change in changes:
        change()
        states.add(evenflow.raw_state.raw_state(folder))
    assert len(states) == len(changes)


def test_compressed_logs_take_more_memory_than_they_take_on_the_disk(tmp_path):
    for name, size in (("a/plain.log", 10_000_000), ("packed.log.gz", 2_000_000)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        with (tmp_path / name).open("wb") as log:
            log.truncate(size)
    assert evenflow.raw_state.size_mb(evenflow.raw_state.files_by_folder(tmp_path)) == int(
        1.5 * 10 + 8 * 2
    )
    assert (
        evenflow.raw_state.size_mb(evenflow.raw_state.files_by_folder(tmp_path / "not there")) == 0
    )
