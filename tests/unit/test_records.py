"""What was made is remembered, so that what other hands did to it is seen."""

import os

import pytest
from evenflow.records import RECORDS, forget, keep_record, made_by, outdated
from report_scripts import script


@pytest.fixture(autouse=True)
def made(tmp_path, monkeypatch):
    """A job that made `a` and `b` of `raw`, and one that made `page` of `b`."""
    monkeypatch.chdir(tmp_path)
    for name in ("raw", "a", "b", "page"):
        (tmp_path / name).write_text(name)
    keep_record("make_ab", ["raw"], ["a", "b"])
    keep_record("make_page", ["b", "code.py"], ["page"])
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
    keep_record("rule", ["raw"], ["A", "a", "b"])
    assert outdated() == {}
    (made / "a").write_text("changed")
    assert outdated() == {"a": "was changed after it was made"}


def test_a_job_that_runs_again_is_forgotten(made):
    (made / "a").write_text("other")
    forget(["a", "b"])
    assert outdated() == {}
    forget(["a", "b"])
    forget([])


def test_each_file_has_the_job_that_made_it(made):
    assert {path: job.rule for path, job in made_by().items()} == {
        "a": "make_ab",
        "b": "make_ab",
        "page": "make_page",
    }
    forget(["page"])
    assert sorted(made_by()) == ["a", "b"]


def test_what_another_rule_makes_now_is_no_more_the_first_ones(made):
    for record in RECORDS.iterdir():
        os.utime(record, (5, 5))
    (made / "b").write_text("by another rule")
    keep_record("make_b", ["raw"], ["b"])
    assert {path: job.rule for path, job in made_by().items()} == {
        "a": "make_ab",
        "b": "make_b",
        "page": "make_page",
    }
    assert outdated() == {}


def test_what_a_part_was_made_from_is_traced_to_the_raw_files():
    assert script("trace_lineage").trace(["page", "a", "by-hand"]) == {
        "a": {"rule": "make_ab", "inputs": ["raw"], "code": []},
        "b": {"rule": "make_ab", "inputs": ["raw"], "code": []},
        "page": {"rule": "make_page", "inputs": ["b"], "code": ["code.py"]},
    }


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"rule": "", "inputs": 1, "outputs": {}}', b"\xff\x00"]
)
def test_a_damaged_record_stops_nothing(made, content):
    (made / "a").write_text("other")
    for record in RECORDS.iterdir():
        record.write_bytes(content)
    assert outdated() == {}
