"""results/planned.csv is what the grids of today plan."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.planned import planned_lines

ROOT = Path(__file__).parents[3]


def test_runs_are_counted_by_scenario():
    runs = ["set/a/rtt10/r1", "set/a/rtt10/r2", "set/a/rtt10/r2", "set/b/r1"]
    assert planned_lines(runs) == ["dataset_id,scenario,n_planned", "set,a/rtt10,2", "set,b,1"]


def test_a_path_that_is_no_run_is_refused():
    with pytest.raises(ValueError, match="set/r1"):
        planned_lines(["set/r1"])


def test_the_committed_plan_is_that_of_the_grids(tmp_path):
    for place in ("Snakefile", "workflow", "experiments", "config"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).symlink_to(ROOT / place)
    (tmp_path / "data/raw").mkdir(parents=True)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "write_planned"]
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "workflow")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    remedy = "run `snakemake --cores 1 write_planned` and commit results/planned.csv"
    made = (tmp_path / "results/planned.csv").read_text()
    assert made == (ROOT / "results/planned.csv").read_text(), remedy
