"""What lies where evenflow must write is set aside, whatever it is; what is ours is removed."""

import os
from pathlib import Path

import pytest
from evenflow.runs import clearing, receipts
from evenflow.runs.clearing import ASIDE, LIST, Clearing, settle
from evenflow.runs.known import Known
from evenflow.runs.receipts import keep_receipt

PAGE = "reports/_site/datasets/x/index.html"


def put(path: str | Path, text: str) -> None:
    """Write a file as anybody does: in no journal."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"{text}\n")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    receipts.PLACE.mkdir()
    put(PAGE, "made")
    keep_receipt("render", {}, [PAGE])


def aside() -> dict[str, str]:
    """What is in set-aside, by its path in the folder of the run."""
    found = [path for path in ASIDE.rglob("*") if path.is_file() and path.name != LIST]
    return {"/".join(path.parts[2:]): path.read_text() for path in found}


def clear(path: str = PAGE, **words) -> None:
    Clearing(Known()).clear(path, **words)
    assert not os.path.lexists(path) or words


def test_what_is_ours_is_removed():
    clear()
    assert not ASIDE.exists()


def test_what_a_job_replaces_itself_stays_if_it_is_ours():
    clear(replaced=True)
    assert Path(PAGE).read_text() == "made\n" and not ASIDE.exists()
    Path(PAGE).write_text("mine")
    clear(replaced=True)
    assert aside() == {PAGE: "mine"}


def test_what_was_edited_is_set_aside():
    Path(PAGE).write_text("mine")
    clear()
    assert aside() == {PAGE: "mine"}


def test_a_folder_a_link_and_a_pipe_are_set_aside(tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "theirs").write_text("theirs")
    Path(PAGE).unlink()
    Path(PAGE, "deep").mkdir(parents=True)
    Path(PAGE, "deep/x").write_text("x")
    clear()
    assert aside() == {f"{PAGE}/deep/x": "x"}
    Path(PAGE).symlink_to(other / "theirs")
    clear()
    os.mkfifo(PAGE)
    clear()
    folder = Path(PAGE).parent
    folder.rmdir()
    folder.symlink_to(other)
    clear()
    assert (other / "theirs").read_text() == "theirs" and not folder.exists()
    folder.write_text("a file")
    clear()
    kinds = [path for path in ASIDE.rglob("*") if path.is_symlink() or path.is_fifo()]
    assert len(kinds) == 3


def test_links_that_a_user_may_make_are_followed(tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    Path("reports/_site").rename(other / "site")
    Path("reports/_site").symlink_to(other / "site")
    clear()
    assert not (other / "site/datasets/x/index.html").exists() and not ASIDE.exists()


def test_a_log_that_is_a_link_or_a_folder_is_set_aside_and_one_that_is_a_file_stays():
    put("logs/a.log", "old")
    Path("logs/b.log").symlink_to("a.log")
    for name in ("logs/a.log", "logs/b.log", "logs/c.log"):
        Clearing(Known()).clear_odd(name)
    assert Path("logs/a.log").exists() and not os.path.lexists("logs/b.log")


def test_what_is_made_again_byte_for_byte_is_dropped_and_the_rest_is_named():
    other = PAGE.replace("index", "other")
    for path in (PAGE, other):
        put(path, "mine")
    cleared = Clearing(Known())
    for path in (PAGE, other):
        cleared.clear(path)
    put(PAGE, "mine")
    assert settle() == ([], 1) and aside() == {other: "mine\n"}
    put(other, "another")
    [(path, target)], waiting = settle()
    assert (path, waiting) == (other, 0) and target.read_text() == "mine\n"
    assert settle() == ([], 0)  # it is said once, and stays
    assert aside() == {other: "mine\n"} and not list(ASIDE.rglob(LIST))


def test_what_a_killed_run_set_aside_is_settled_by_the_next(monkeypatch):
    Path(PAGE).write_text("mine")
    monkeypatch.setattr(clearing.time, "strftime", lambda _: "2026-01-01T00.00.00")
    clear()
    put(PAGE, "made")
    Path(PAGE).write_text("mine too")
    clear()  # in the same second
    assert sorted(path.name for path in ASIDE.iterdir()) == [
        "2026-01-01T00.00.00", "2026-01-01T00.00.00.1",
    ]  # fmt: skip
    Path(PAGE).write_text("mine")
    kept, waiting = settle()
    assert len(kept) == 1 and not waiting and aside() == {PAGE: "mine too"}


def test_what_others_put_into_set_aside_stays():
    put(ASIDE / "mine.txt", "mine")
    put(ASIDE / "mine/mine.txt", "mine")
    Path(PAGE).write_text("mine")
    clear()
    put(PAGE, "made")
    settle()
    assert (ASIDE / "mine.txt").exists() and (ASIDE / "mine/mine.txt").exists()
