"""One run at a time: the second is refused, jobs of a killed one are waited for or end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evenflow.runs.locking import JOBS, LOCK, OF_SNAKEMAKE, RUN, hold_run

WORKFLOW = Path(__file__).parents[3] / "workflow"
HOLD = (
    "from evenflow.runs.locking import *; held = hold_run();"
    " print(held and os.environ[RUN], flush=True)"
)
JOB = (
    "from evenflow.runs.locking import *; import time\nwith joined_run():"
    " print('at work', flush=True); time.sleep({}); print('done', flush=True)"
)


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(WORKFLOW))
    monkeypatch.delenv(RUN, raising=False)
    yield tmp_path
    os.environ.pop(RUN, None)


def start(code: str, run: str | None = None) -> subprocess.Popen:
    env = os.environ | ({RUN: run} if run else {})
    return subprocess.Popen([sys.executable, "-c", code], env=env, text=True, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def killed_run() -> str:
    """Have a run that was killed; return its name."""
    run = start(f"{HOLD}; input()")
    name = run.stdout.readline().strip()
    OF_SNAKEMAKE.mkdir(parents=True, exist_ok=True)
    (OF_SNAKEMAKE / "0.input.lock").touch()
    run.kill()
    run.communicate()
    return name


def test_a_second_run_is_refused_until_the_first_ends():
    first = start(f"{HOLD}; input()")
    assert first.stdout.readline().strip() != "None"
    said, error = start(HOLD).communicate()
    assert said == "" and f"another run is using this folder (process {first.pid} of " in error
    first.communicate("\n")
    assert start(HOLD).communicate()[0].strip()


def test_a_lock_that_a_killed_run_left_is_removed():
    killed_run()
    _, said = start(HOLD).communicate()
    assert "Removing the lock of a run that was killed" in said
    assert not list(OF_SNAKEMAKE.iterdir())


@pytest.mark.parametrize("content", ["", "x", "\0\0", "\udcff"])
def test_a_damaged_name_of_the_run_is_overwritten(content):
    killed_run()
    LOCK.write_text(content, errors="surrogateescape")
    assert start(HOLD).communicate()[0].strip() == LOCK.read_text().strip()
    assert not list(OF_SNAKEMAKE.iterdir())


def test_a_lock_of_another_host_stays():
    killed_run()
    LOCK.write_text("elsewhere 17 1\n")
    start(HOLD).communicate()
    assert list(OF_SNAKEMAKE.iterdir())


def test_a_run_waits_for_the_jobs_of_a_killed_one():
    job = start(JOB.format(6), killed_run())  # s: longer than a busy machine takes to begin
    assert job.stdout.readline() == "at work\n"
    began = time.monotonic()
    _, said = start(HOLD).communicate()
    assert time.monotonic() - began > 1
    assert "Jobs of a killed run" in said and "waiting" in said
    assert job.communicate()[0] == "done\n" and job.returncode == 0


def test_a_job_of_a_killed_run_that_begins_late_ends_at_once():
    name = killed_run()
    new = start(f"{HOLD}; input()")
    assert new.stdout.readline()
    said, error = start(JOB.format(0), name).communicate()
    assert said == "" and "another run has begun" in error
    new.communicate("\n")


def test_a_job_may_ask_snakemake_and_one_of_no_run_needs_no_lock():
    run = start(f"{HOLD}; input()")
    name = run.stdout.readline().strip()
    assert start(HOLD, name).communicate()[0].strip() == "None"
    assert start(JOB.format(0)).communicate()[0] == "at work\ndone\n"
    run.communicate("\n")
    assert hold_run() and not list(JOBS.glob("*"))
