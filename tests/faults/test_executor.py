"""'Fail, run again, mend, run again' where each job is a Snakemake of its own, as on a cluster.

The batch system is this host: a job script is started in the background, and its processes say
whether it still runs. What is tested is what Snakemake and the project do, not a scheduler.
"""

from random import Random

import pytest
from kinds import break_input, must_fail_twice
from place import shared_place

SUBMIT = """#!/bin/sh
# starts a job script and says by which name it can be asked for
job=$(mktemp -d "$JOBS/XXXXXX")
( sh "$1" && echo success >"$job/end" || echo failed >"$job/end" ) >"$job/out" 2>&1 &
echo "$job"
"""
STATUS = """#!/bin/sh
cat "$1/end" 2>/dev/null || echo running
"""


@pytest.fixture
def place(monkeypatch, tmp_path_factory):
    place = shared_place(
        tmp_path_factory, paper=False
    )  # each job costs the start of a Snakemake more
    jobs = place.root / "jobs"
    jobs.mkdir()
    for name, text in (("submit", SUBMIT), ("status", STATUS)):
        (place.root / name).write_text(text)
        (place.root / name).chmod(0o755)
    monkeypatch.setenv("JOBS", str(jobs))
    place.words = [
        "--executor", "cluster-generic", "--jobs", "2", "--latency-wait", "10",
        "--seconds-between-status-checks", "1",
        "--cluster-generic-submit-cmd", str(place.root / "submit"),
        "--cluster-generic-status-cmd", str(place.root / "status"),
    ]  # fmt: skip
    yield place
    place.close()


def test_what_fails_elsewhere_fails_until_it_is_mended(place):
    place.restore()
    said, mend = break_input(place, Random(3))
    must_fail_twice(place, said)
    mend()
    run = place.make("mended")
    assert run.returncode == 0, run.output[-3000:]
    assert place.made() == place.expected
    jobs = [path.read_text().strip() for path in place.root.glob("jobs/*/end")]
    assert jobs.count("failed") == 2 and jobs.count("success") >= 4
    again = place.make("again")
    assert again.returncode == 0 and "Nothing to be done" in again.output
