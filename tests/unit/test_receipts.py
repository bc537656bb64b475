"""Which runs of a campaign are asked for: those that are not there, in the order of its grid."""

from pathlib import Path

import pytest
import started

from experiments import receipts

RUNS = ["data-set/a/r1", "data-set/b/r1", "data-set/a/r2"]
SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from experiments.receipts import receipts

rule grid:
    input:
        lambda wildcards: receipts(workflow, {RUNS}, config.get("most")),

rule run:
    output:
        temp(touch("data/derived/experiments/{{run}}.done")),
    shell:
        "mkdir -p data/raw/{{wildcards.run}} && touch data/raw/{{wildcards.run}}/run.json"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for run in RUNS[1:]:
        (tmp_path / "data/raw" / run).mkdir(parents=True)
    (tmp_path / "data/raw" / RUNS[1] / "run.json").touch()
    return tmp_path


def test_a_run_without_a_record_is_missing(place):
    assert receipts.missing(RUNS) == [RUNS[0], RUNS[2]]  # a folder is not a run


def snakemake(place, *words):
    """Ask for all runs in a small workflow; return what Snakemake says."""
    (place / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
    done = started.snakemake(place, "--cores", "1", *words)
    assert done.returncode == 0, done.stdout
    return done.stdout


def made(place):
    return sorted(str(path.parent.relative_to(place)) for path in place.rglob("run.json"))


@pytest.mark.thorough
def test_a_grid_makes_so_many_of_the_runs_that_are_missing(place):
    snakemake(place, "--config", "most=1")
    assert made(place) == ["data/raw/data-set/a/r1", "data/raw/data-set/b/r1"]
    snakemake(place)
    assert made(place) == sorted(f"data/raw/{run}" for run in RUNS)


@pytest.mark.thorough
def test_a_run_that_was_removed_is_made_again_and_a_dry_run_removes_nothing(place):
    old = place / receipts.RECEIPTS / f"{RUNS[0]}.done"  # of a run that went after it was made
    old.parent.mkdir(parents=True)
    old.touch()
    assert RUNS[0] in snakemake(place, "--dry-run")
    assert old.exists()
    snakemake(place)
    assert made(place) == sorted(f"data/raw/{run}" for run in RUNS)


def test_a_batch_system_allows_more_than_a_run_allows_itself():
    assert receipts.minutes(900) * 60 > 900
