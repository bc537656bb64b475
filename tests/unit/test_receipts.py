"""Which runs of a campaign are asked for: those that are not there, in the order of its grid."""

import pytest

from experiments import receipts

RUNS = ["data-set/a/r1", "data-set/b/r1", "data-set/a/r2"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for run in RUNS[1:]:
        (tmp_path / "data/raw" / run).mkdir(parents=True)
    (tmp_path / "data/raw" / RUNS[1] / "run.json").touch()
    return tmp_path


def test_a_run_without_a_record_is_missing(place):
    assert receipts.missing(RUNS) == [RUNS[0], RUNS[2]]  # a folder is not a run


def test_a_grid_asks_for_so_many_of_the_runs_that_are_missing(place):
    wanted = ["data/derived/experiments/data-set/a/r1.done"]
    assert receipts.receipts(iter(RUNS), most=1) == wanted


def test_a_receipt_goes_with_its_run(place):
    for run in RUNS:
        (place / receipts.RECEIPTS / f"{run}.done").parent.mkdir(parents=True, exist_ok=True)
        (place / receipts.RECEIPTS / f"{run}.done").touch()
    receipts.receipts(RUNS)
    kept = [path.relative_to(place) for path in place.rglob("*.done")]
    assert [str(path) for path in kept] == [f"data/derived/experiments/{RUNS[1]}.done"]


def test_a_batch_system_allows_more_than_a_run_allows_itself():
    assert receipts.minutes(900) * 60 > 900
