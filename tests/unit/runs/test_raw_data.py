"""What a run knows of raw files, and lays down for jobs that do not look themselves."""

import os
import shutil
from pathlib import Path

import pytest
from evenflow.errors import DataError
from evenflow.runs import raw_state as states
from evenflow.runs.raw_data import RawData, Ways
from evenflow.runs.raw_state import being_read, files_by_folder, raw_name, raw_state, short_state

WAYS = Ways(
    datasets=lambda: ["large", "small"],
    cut=lambda folder, files, before: {0: ["a", "b"], 1: ["c"]} if folder.name == "large" else {},
    described_by=lambda folder: ["dataset.yml"],
    why_not=lambda name: ("there is no such data set", f"put it into raw/{name}"),
)


@pytest.fixture
def raw(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("large/a", "large/b", "large/c", "small/x"):
        folder = Path("raw", name)
        folder.mkdir(parents=True)
        (folder / "flow.log").write_text(name)
    return RawData(Path("raw"), "derived", WAYS, ["large", "small"], looks=True)


def test_a_small_data_set_has_its_tables_in_its_own_folder(raw):
    assert raw.of("small").folders("derived/small") == ["derived/small"]
    assert not raw.of("small").in_chunks and raw.of("small").states == {
        None: raw_state("raw/small")
    }
    now = raw.now(raw_name("raw/small"), ["", "", ""])
    assert now[0] == short_state(raw_state("raw/small"))


def test_a_large_one_has_a_folder_a_chunk_and_a_change_is_of_one_of_them(raw):
    before = raw.of("large").states
    assert raw.of("large").in_chunks
    assert raw.of("large").folders("t") == ["t/chunks/0000", "t/chunks/0001"]
    Path("raw/large/c/flow.log").write_text("other")
    after = RawData(Path("raw"), "derived", WAYS, [], looks=True).of("large").states
    assert before["0000"] == after["0000"] and before["0001"] != after["0001"]
    Path("raw/large/dataset.yml").write_text("title: x")
    described = RawData(Path("raw"), "derived", WAYS, [], looks=True).of("large").states
    assert described["0000"] != after["0000"]


def test_files_are_looked_at_once(raw, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "evenflow.runs.raw_data.files_by_folder",
        lambda folder: seen.append(folder) or files_by_folder(folder),
    )
    assert raw.of("small") == raw.of("small") and len(seen) == 1


def test_jobs_elsewhere_see_what_was_laid_down(raw):
    for path, text in raw.laid_down().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    job = RawData(Path("nowhere"), "derived", WAYS, [], looks=False)
    for name in ("large", "small"):
        assert job.of(name).folders("t") == raw.of(name).folders("t")
        assert job.of(name).mb == raw.of(name).mb


def test_the_number_of_chunks_that_a_data_set_had_is_handed_on(raw):
    Path("derived/large/chunks/0000").mkdir(parents=True)
    had = []
    ways = WAYS._replace(cut=lambda folder, files, before: had.append(before) or {})
    for name in ("large", "small"):
        RawData(Path("raw"), "derived", ways, [], looks=True).of(name)
    assert had == [1, None]


def test_what_is_not_there_is_refused_with_a_remedy(raw):
    said = r"raw/smlal: there is no such data set. Remedy: put it into raw/smlal"
    with pytest.raises(DataError, match=said):
        raw.of("smlal")
    assert raw.now(raw_name("raw/gone"), ["", "", ""]) is None
    assert raw.has_chunk("large", "0001") and not raw.has_chunk("large", "0002")
    assert raw.has_chunk("one that this run is not about", "0002")


# ---- other files of the same size and time, as those of an archive that dates them all alike ----


@pytest.fixture(params=["small", "large"])
def read(request, raw, monkeypatch):
    """Two logs of one size and time, a job that read them, and what is in its receipt."""
    folder = {"small": "raw/small/x", "large": "raw/large/a"}[request.param]
    logs = [Path(folder, "flow.log"), Path(folder, "more.log")]
    for log, text in zip(logs, ["12 Mbit/s", "34 Mbit/s"], strict=True):
        log.write_text(text)
        os.utime(log, ns=(5, 5))
    kept = {}
    monkeypatch.setattr(states, "saw_raw", lambda name, *seen: kept.update({name: [*seen]}))
    chunk = "0000" if request.param == "large" else None
    state = raw.of(request.param).states[chunk] if chunk else None
    with being_read(f"raw/{request.param}", chunk, state, lambda: ["dataset.yml"]):
        pass
    ((name, seen),) = kept.items()
    return logs, name, seen


def now(name, seen):
    return RawData(Path("raw"), "derived", WAYS, [], looks=True).now(name, seen)


def swap(first, second):
    first.rename("away")
    second.rename(first)
    Path("away").rename(second)


def write_over(first, second):
    """In place, as an editor that gives the file its old time."""
    first.write_bytes(second.read_bytes())
    os.utime(first, ns=(5, 5))


def put_in_place(first, second):
    shutil.copy2(second, "new")
    Path("new").replace(first)


@pytest.mark.parametrize("change", [swap, write_over, put_in_place])
def test_another_log_of_the_same_size_and_time_is_seen(read, change):
    logs, name, seen = read
    assert now(name, seen) == seen
    change(*logs)
    found = now(name, seen)
    assert found[0] == seen[0] and found[2] != seen[2]


def test_a_copy_of_a_data_set_is_read_once_and_is_no_change(read, monkeypatch):
    _, name, seen = read
    shutil.copytree("raw", "copy")
    shutil.rmtree("raw")
    Path("copy").rename("raw")
    found = now(name, seen)
    assert found[1] != seen[1] and [found[0], found[2]] == [seen[0], seen[2]]
    monkeypatch.setattr(states, "digest_of", None)  # nothing is read
    assert now(name, found) == found
