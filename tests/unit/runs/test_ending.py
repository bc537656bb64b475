"""SIGTERM ends a run of Snakemake, also while its scheduler holds its lock."""

import os
import subprocess
import sys

import pytest
from raw_data import ROOT

# sends the signal from within the lock, as chance does once in some runs with many ready jobs
SNAKEFILE = """
import os, signal, sys
from snakemake.scheduling.job_scheduler import JobScheduler
{mend}
take = JobScheduler.update_available_resources


def signalled(self, jobs):  # 'must be called from within lock'
    take(self, jobs)
    os.kill(os.getpid(), signal.SIGTERM)


JobScheduler.update_available_resources = signalled


rule all:
    input: expand("out{{i}}", i=range(3))

rule one:
    output: "out{{i}}"
    shell: "touch {{output}}"
"""
MEND = "from evenflow.runs.ending import end_without_waiting\nend_without_waiting()"
LIMIT_S = 120  # of a busy machine: the run takes two seconds


def run(folder, mend: str, limit_s: float) -> subprocess.CompletedProcess:
    (folder / "Snakefile").write_text(SNAKEFILE.format(mend=mend))
    env = os.environ | {"PYTHONPATH": str(ROOT / "workflow"), "XDG_CACHE_HOME": str(folder)}
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    return subprocess.run(command, cwd=folder, env=env, timeout=limit_s, capture_output=True)


@pytest.mark.thorough
def test_a_signal_that_comes_while_the_scheduler_has_its_lock_ends_the_run(tmp_path):
    done = run(tmp_path, MEND, LIMIT_S)
    assert done.returncode != 0
    assert len(list(tmp_path.glob("out*"))) < 3  # it did end
    # and twice is as once
    (tmp_path / ".snakemake").rename(tmp_path / "before")
    assert run(tmp_path, f"{MEND}\nend_without_waiting()", LIMIT_S).returncode != 0


def test_the_snakefile_has_it_before_the_jobs_are_scheduled():
    assert MEND.splitlines()[1] in (ROOT / "workflow/Snakefile").read_text().splitlines()


@pytest.mark.skipif("EVENFLOW_UPSTREAM" not in os.environ, reason="of Snakemake alone")
def test_snakemake_alone_hangs(tmp_path):
    """Once this fails, evenflow.runs.ending and its page in the docs can go."""
    with pytest.raises(subprocess.TimeoutExpired):
        run(tmp_path, "", 30)
