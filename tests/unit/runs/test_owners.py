"""A folder of results that a link leads to belongs to one checkout."""

import shutil
from pathlib import Path

import pytest
from evenflow.runs.owners import MARK, claim_roots
from evenflow.runs.places import roots


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a function that goes into a checkout, whose data/derived may lead elsewhere."""

    def go(name: str, leads: Path | None = None) -> Path:
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "Snakefile").touch()
        if leads and not (folder / roots()[0]).is_symlink():
            (folder / roots()[0]).symlink_to(leads)
        elif not leads:
            (folder / roots()[0]).mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        return folder

    return go


def test_a_plain_folder_gets_no_mark(checkout):
    folder = checkout("a")
    assert claim_roots() is None and not list((folder / roots()[0]).iterdir())


def test_the_first_that_runs_has_it_and_the_second_is_refused(checkout, tmp_path):
    (tmp_path / "disk").mkdir()
    first = checkout("a", tmp_path / "disk")
    assert claim_roots() is None and claim_roots() is None
    checkout("b", tmp_path / "disk")
    assert f"{roots()[0]}: its files belong to the checkout {first}. Remedy: " in claim_roots()
    checkout("a", tmp_path / "disk")
    assert claim_roots() is None


def test_the_folder_of_another_checkout_is_that_one_s(checkout):
    first = checkout("a")
    checkout("b", first / roots()[0])
    assert f"belong to the checkout {first}" in claim_roots()
    assert not (first / roots()[0] / MARK).exists()


@pytest.mark.parametrize("how", ["removed", "moved", "leads elsewhere"])
def test_a_checkout_that_is_gone_or_has_another_place_has_it_no_more(checkout, tmp_path, how):
    (tmp_path / "disk").mkdir()
    first = checkout("a", tmp_path / "disk")
    assert claim_roots() is None
    if how == "moved":
        first.rename(tmp_path / "c")
        checkout("c", tmp_path / "disk")
        assert claim_roots() is None
        return
    checkout("b", tmp_path / "disk")
    if how == "removed":
        shutil.rmtree(first)
    else:
        (first / roots()[0]).unlink()
        (first / roots()[0]).mkdir()
    assert claim_roots() is None


def test_that_of_another_host_is_refused_as_nobody_can_know(checkout, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / MARK).write_text("elsewhere\n/home/me/evenflow\n")
    checkout("a", tmp_path / "disk")
    said = claim_roots()
    assert "/home/me/evenflow of elsewhere" in said and f"remove {tmp_path}/disk/{MARK}" in said


def test_a_link_to_nothing_is_refused_with_a_remedy(checkout, tmp_path):
    """A disk that is not mounted: its folder must not be made on another."""
    checkout("a", tmp_path / "nothing")
    assert "where there is no folder. Remedy: mount" in claim_roots()
    assert not (tmp_path / "nothing").exists()
