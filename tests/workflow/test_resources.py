"""What jobs need, as a cluster is asked for it: every rule says threads, memory and time."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from test_workflow import CONFIG, ROOT, copy_project

TESTBED = "data/derived/experiments/testbed-router/comparison/newreno-bic/rtt25_opb20"
RUNS = [f"{TESTBED}/r{repeat}.done" for repeat in (1, 2)]
RUNS += ["data/derived/experiments/ns2-dumbbell/comparison/newreno-bic/rtt25_opb20/r1.done"]
GROWN_MB = 140  # sparse


def needs_of(project: Path, *targets: str, config: tuple[Path, ...] = ()) -> dict[str, list[dict]]:
    """Return what the jobs of a dry run need, by rule."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--configfile", CONFIG, *config, "--cores", "16",
         "--dry-run", "--logger", "listed", "--", *targets],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        needs = json.loads(line)
        found.setdefault(needs["rule"], []).append(needs)
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = copy_project(tmp_path_factory.mktemp("resources") / "project")
    shutil.copytree(folder / "data/raw/tiny-ns2", folder / "data/raw/grown")
    with (folder / "data/raw/grown/large.log.gz").open("wb") as log:
        log.truncate(GROWN_MB * 10**6)
    return folder


@pytest.fixture(scope="module")
def needs(project):
    tables = [f"data/derived/{name}/finding.parquet" for name in ("tiny-ns2", "grown")]
    targets = ["all", "verify", "write_manifest", "write_expected"]
    return needs_of(project, *targets, *tables, *RUNS)


def test_every_job_says_what_it_needs(needs):
    jobs = [job for of_rule in needs.values() for job in of_rule if not job["norun"]]
    assert len(jobs) > 20
    for job in jobs:
        assert job["threads"] >= 1
        assert int(job["runtime"]) >= 1, job
        # not known yet where an input is not there yet
        assert job["mem_mb"] == "<TBD>" or int(job["mem_mb"]) >= 1000, job


def test_parsing_asks_for_more_where_there_is_more_to_read(needs):
    small, large = sorted(needs["read_logs"], key=lambda job: int(job["mem_mb"]))[::2]
    assert int(large["mem_mb"]) - int(small["mem_mb"]) == pytest.approx(1.5 * 8 * GROWN_MB, abs=2)
    assert (small["threads"], large["threads"]) == (1, 1 + 8 * GROWN_MB // 500)
    assert max(job["threads"] for job in needs["settle_runs"]) == large["threads"]


def test_a_group_of_jobs_knows_its_memory_before_their_inputs_are_there(project, needs):
    """Snakemake adds up what it knows, and leaves the rest out without a word."""
    large = project / "large.yaml"
    large.write_text("chunks: {from_files: 9, files: 40}\n", encoding="utf-8")
    in_chunks = needs_of(project, "all", config=(large,))
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text(encoding="utf-8"))
    grouped = [line.partition("=")[0] for line in profile["groups"]]
    assert "read_logs" not in grouped and len(grouped) > 3
    for rule in grouped:
        jobs = needs.get(rule, []) + in_chunks.get(rule, [])
        assert jobs, rule
        for job in jobs:
            assert int(job["mem_mb"]) >= 1000, job


def test_a_run_of_a_campaign_may_take_as_long_as_it_allows_itself(needs):
    testbed = [needs[f"run_testbed_repeat_{repeat}"][0] for repeat in (1, 2)]
    assert {(job["threads"], job["runtime"]) for job in testbed} == {(1, str(900 // 60 + 5))}
    assert needs["run_ns2_dumbbell_r1"][0]["runtime"] == str(600 // 60 + 5)
