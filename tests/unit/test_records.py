"""What was made is remembered, so that what other hands did to it is seen."""

import os

import pytest
from evenflow.records import RECORDS, forget, keep_record, outdated


@pytest.fixture(autouse=True)
def made(tmp_path, monkeypatch):
    """A job that made `a` and `b` of `raw`, and one that made `page` of `b`."""
    monkeypatch.chdir(tmp_path)
    for name in ("raw", "a", "b", "page"):
        (tmp_path / name).write_text(name)
    keep_record(["raw"], ["a", "b"])
    keep_record(["b", "code.py"], ["page"])
    return tmp_path


def test_nothing_is_outdated_where_nothing_was_changed():
    assert outdated() == {}


def test_a_new_time_alone_is_no_change_and_is_kept(made):
    """Snakemake gives outputs a new time when their job has ended."""
    os.utime(made / "a", (5, 5))
    assert outdated() == {}
    (made / "a").write_text("A")  # of the same size and time: only `make verify` finds that
    os.utime(made / "a", (5, 5))
    assert outdated() == {}


@pytest.mark.parametrize("content", ["", "x", "a longer one"])
def test_another_content_is_seen(made, content):
    (made / "a").write_text(content)
    assert outdated() == {"a": "was changed after it was made"}


def test_what_was_made_of_a_file_that_is_gone_is_made_again(made):
    (made / "b").unlink()
    assert outdated() == {"page": "was made of b, which is gone"}
    (made / "page").unlink()
    assert outdated() == {}


def test_a_job_that_has_got_another_output_is_remembered_as_it_is_now(made):
    """Records are named after the first output: `A` is before `a`."""
    for name in ("A", "a", "b"):
        (made / name).write_text(f"another {name}")
    assert "a" in outdated()
    keep_record(["raw"], ["A", "a", "b"])
    assert outdated() == {}
    (made / "a").write_text("changed")
    assert outdated() == {"a": "was changed after it was made"}


def test_a_job_that_runs_again_is_forgotten(made):
    (made / "a").write_text("other")
    forget(["a", "b"])
    assert outdated() == {}
    forget(["a", "b"])
    forget([])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"inputs": 1, "outputs": {}}', b"\xff\x00"]
)
def test_a_damaged_record_stops_nothing(made, content):
    (made / "a").write_text("other")
    for record in RECORDS.iterdir():
        record.write_bytes(content)
    assert outdated() == {}
