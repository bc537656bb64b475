"""Raw files that change while they are read are read again in the next run."""

import os
import shutil
from pathlib import Path

import evenflow.ingest.inventory
import in_chunks
import pytest
from evenflow.ingest.chunks import described_by
from evenflow.runs import raw_state
from evenflow.runs.raw_state import read_about
from evenflow.runs.receipts import CHANGED
from raw_data import ROOT, TINY

LOGS = ROOT / "tests/fixtures/archives/server-only"


@pytest.fixture
def kept(monkeypatch):
    """What a job keeps of the state of the raw files that it read, by their name."""
    found = {}

    def saw_raw(name, state, *more):
        found[name] = state

    monkeypatch.setattr(raw_state, "saw_raw", saw_raw)
    return found


def away_and_back(folder):
    """Have something of a data set away for a moment, with its time as it was."""
    folder.rename(folder.with_name("away"))
    folder.with_name("away").rename(folder)


CHANGES = {
    "nothing": lambda folder: None,
    "a log": lambda folder: (folder / "netlab-a.log").write_text(""),
    "a log was away": lambda folder: away_and_back(folder / "netlab-a.log"),
    "all was away": away_and_back,
    "dataset.yml": lambda folder: (folder / "dataset.yml").write_text("title: other"),
}


@pytest.mark.parametrize("changes", CHANGES)
def test_a_log_that_changes_while_it_is_read_is_not_taken_for_parsed(
    tmp_path, changes, monkeypatch, kept
):
    folder = shutil.copytree(LOGS, tmp_path / "raw")
    script = in_chunks.script("read_logs")
    read = script.parse_chunk

    def parse(*words):
        found = read(*words)
        CHANGES[changes](folder)
        return found

    monkeypatch.setattr(script, "parse_chunk", parse)
    monkeypatch.setattr(in_chunks, "script", lambda name: script)
    before = raw_state.raw_state(folder)
    in_chunks.read_logs(folder, tmp_path / "out")
    same = raw_state.short_state(before)
    assert kept == {f"{folder}/": same if changes == "nothing" else CHANGED}


@pytest.mark.parametrize("chunk", [None, "0000"])
def test_the_digests_of_the_job_are_those_of_a_run_that_reads_the_files_again(
    tmp_path, monkeypatch, chunk
):
    """Else a data set that was copied with its times would be made again."""
    folder = shutil.copytree(TINY / "tiny-ns2", tmp_path / "raw")
    laid_down = in_chunks.write_states(folder, tmp_path / "states", 2)[0] if chunk else None
    kept = []
    monkeypatch.setattr(raw_state, "saw_raw", lambda *words: kept.extend(words))
    in_chunks.read_logs(folder, tmp_path / "out", laid_down)
    state = laid_down.read_text().strip() if chunk else None
    now = raw_state.contents_now(str(folder), state, lambda: described_by(folder))
    assert kept[3] == now


def test_a_log_that_was_not_found_as_the_data_set_was_read_is_looked_for_again(
    tmp_path, monkeypatch, kept
):
    """A network file system that hesitates: nothing else shows it."""
    folder = shutil.copytree(LOGS, tmp_path / "raw")
    look = evenflow.ingest.inventory.list_files
    lists = "evenflow.ingest.inventory.list_files"
    monkeypatch.setattr(lists, lambda *words: look(*words)[:-1])
    in_chunks.read_logs(folder, tmp_path / "out")
    assert kept == {f"{folder}/": CHANGED}


@pytest.mark.parametrize("changes", [None, "a run more", "a file more", "a word in dataset.yml"])
def test_a_chunk_that_changes_while_it_is_read_is_not_taken_for_parsed(
    tmp_path, changes, monkeypatch, kept
):
    folder = shutil.copytree(TINY / "tiny-ns2", tmp_path / "raw")
    state = in_chunks.write_states(folder, tmp_path / "states", 2)[0]
    inside = next(n for n in raw_state.folders_of(state.read_text()) if "/r" in n)
    script = in_chunks.script("read_logs")
    read = script.parse_chunk

    def parse(*words):
        found = read(*words)
        if changes == "a run more":  # of no part that is known: a later run sees it
            shutil.copytree(folder / inside, folder / "more/r1")
        elif changes == "a file more":
            (folder / inside / "more.log").write_text("")
        elif changes:
            (folder / "dataset.yml").write_text("title: other\n")
        return found

    monkeypatch.setattr(script, "parse_chunk", parse)
    monkeypatch.setattr(in_chunks, "script", lambda name: script)
    laid_down = raw_state.short_state(state.read_text().strip())
    in_chunks.read_logs(folder, tmp_path / "out", state)
    same = changes in (None, "a run more")
    assert kept == {f"{folder}/@0000": laid_down if same else CHANGED}


def test_a_chunk_that_changed_since_the_run_laid_it_down_is_not_taken_for_parsed(tmp_path, kept):
    folder = shutil.copytree(TINY / "tiny-ns2", tmp_path / "raw")
    state = in_chunks.write_states(folder, tmp_path / "states", 2)[0]
    (folder / "dataset.yml").touch()
    in_chunks.read_logs(folder, tmp_path / "out", state)
    assert kept == {f"{folder}/@0000": CHANGED}


def test_a_folder_that_may_not_be_looked_into_is_of_a_part(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    look = raw_state.os.scandir

    def scandir(place):
        if str(place).endswith("closed"):
            raise PermissionError(13, "no", place)
        return look(place)

    monkeypatch.setattr(raw_state.os, "scandir", scandir)
    assert raw_state.files_by_folder(tmp_path) == {".": [], "closed": []}


def test_every_file_is_known_by_its_size_and_time_links_and_odd_names_too(tmp_path):
    (tmp_path / "r1").mkdir()
    log, odd = tmp_path / "r1/x.log", tmp_path / "r1/two\nlines.log"
    log.write_text("abc")
    odd.touch()
    (tmp_path / "r1/again.log").symlink_to(log)
    (tmp_path / "r1/nowhere.log").symlink_to(tmp_path / "gone")
    (tmp_path / "r1/loop").symlink_to("loop")
    os.mkfifo(tmp_path / "r1/pipe")
    known = {path: size for path, size, *_ in raw_state.files_by_folder(tmp_path)["r1"]}
    assert known == {str(log): 3, str(odd): 0, str(tmp_path / "r1/again.log"): 3}
    state = raw_state.raw_state(tmp_path)
    os.utime(log, ns=(1, 1))
    assert raw_state.raw_state(tmp_path) != state


def test_folders_of_nothing_but_folders_are_of_no_part(tmp_path):
    (tmp_path / "a/b/r1").mkdir(parents=True)
    (tmp_path / "a/b/r1/x.log").touch()
    (tmp_path / "links").mkdir()
    (tmp_path / "links/to").symlink_to(tmp_path / "a")  # the ledger names it
    assert set(raw_state.files_by_folder(tmp_path)) == {".", "a/b/r1", "links"}


def test_a_file_that_may_not_be_read_any_more_shows(tmp_path, monkeypatch):
    folder = shutil.copytree(LOGS, tmp_path / "raw")
    for path in folder.rglob("*.*"):
        path.chmod(0o640)  # of what all may read nobody is asked
    before = raw_state.raw_state(folder)
    monkeypatch.setattr(raw_state.os, "access", lambda path, mode: "-b" not in path)
    assert raw_state.raw_state(folder) != before


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
        states.add(raw_state.raw_state(folder))
    assert len(states) == len(changes)


def test_compressed_logs_take_more_memory_than_they_take_on_the_disk(tmp_path):
    for name, size in (("a/plain.log", 10_000_000), ("packed.log.gz", 2_000_000)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        with (tmp_path / name).open("wb") as log:
            log.truncate(size)
    assert raw_state.size_mb(raw_state.files_by_folder(tmp_path)) == int(1.5 * 10 + 8 * 2)
    assert raw_state.size_mb(raw_state.files_by_folder(tmp_path / "not there")) == 0


@pytest.mark.parametrize("part", [None, "0003"])
def test_the_name_of_raw_files_says_of_which_data_set_and_part_they_are(part):
    name = raw_state.raw_name("data/raw/my-logs", part)
    assert raw_state.of_raw_name(name) == ("my-logs", part)


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="no /proc here")
def test_a_part_leaves_out_files_of_the_kernel_as_the_whole_does(tmp_path):
    """Else a part would differ from what was laid down of it, and be read again in every run."""
    (tmp_path / "run1").mkdir()
    (tmp_path / "run1/flow1.log").write_text("a log")
    (tmp_path / "run1/version").symlink_to("/proc/version")
    whole = raw_state.files_by_folder(tmp_path)
    part, _ = raw_state._look(str(tmp_path), ["run1"], list)
    assert part["run1"] == whole["run1"]
    assert [Path(file[0]).name for file in part["run1"]] == ["flow1.log"]


@pytest.mark.parametrize(
    "damaged", [b"", b"\xff\0", b"null", b"3", b"[]", b'{"mb": "x", "chunks": []}', b'{"mb": 1}']
)
def test_what_was_laid_down_and_damaged_says_nothing(tmp_path, damaged):
    path = tmp_path / "about.json"
    assert read_about(path) == {}
    path.write_bytes(damaged)
    assert read_about(path) == {}
    path.write_bytes(b'{"mb": 7, "chunks": ["0000"]}\n')
    assert read_about(path) == {"mb": 7, "chunks": ["0000"]}
