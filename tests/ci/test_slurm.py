"""From logs to pages through Slurm, as an ordinary user: on one node of its own (one_node.py).

Jobs are cancelled on the way, one of them with KILL, and what fails fails until it is mended: the
result is that of a run without Slurm. A run of a campaign is a job, too.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from random import Random

import pytest
from kinds import break_input, stale
from one_node import Slurm, lacking
from place import STRANGERS, Place

ROOT = Path(__file__).parents[2]
NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
SIMULATED = "comparison/newreno-bic/rtt25_opb20/r1"
RECEIPT = f"data/derived/experiments/ns2-dumbbell/{SIMULATED}.done"

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking())


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """A folder with what requirements/slurm.lock has, apart from the environment of the tests."""
    folder = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
    command += ["--target", str(folder), "--requirement", str(ROOT / "requirements/slurm.lock")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"requirements/slurm.lock cannot be installed: {done.stderr[-200:]}")
    for other in folder.iterdir():  # all else is in the environment, in the same versions
        if not other.name.startswith("snakemake_executor_plugin_slurm"):
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python and its packages where anybody may read them: [its path], the folders of packages."""
    packages = sysconfig.get_paths()["purelib"]
    # by way of env: setpriv itself still has the rights of root as it starts a program
    asked = [*AS_NOBODY, "env", sys.executable, "-c", "import snakemake"]
    if subprocess.run(asked, cwd="/", capture_output=True).returncode == 0:
        yield sys.executable, packages
        return
    place, mounted = tmp_path_factory.mktemp("python"), []
    try:
        for name, source in (("base", sys.base_prefix), ("packages", packages)):
            (place / name).mkdir()
            command = ["mount", "--bind", source, str(place / name)]
            if subprocess.run(command, capture_output=True).returncode:
                pytest.skip("an ordinary user may not read this Python, and root may not mount")
            mounted.append(str(place / name))
        yield str(place / "base/bin" / Path(sys.executable).resolve().name), str(place / "packages")
    finally:
        for name in mounted:
            subprocess.run(["umount", "-l", name], check=True)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    open_ways(tmp_path_factory.getbasetemp())
    cluster = Slurm(tmp_path_factory.mktemp("slurm") / "cluster")
    yield cluster
    cluster.close()


def open_ways(folder: Path) -> None:
    """Let everybody pass through the folders of the tests, which pytest makes root's own.

    Workers side by side have a folder each in that of the session: two levels above theirs.
    """
    for place in (folder, *folder.glob("*"), *folder.parents[:2]):
        if place.is_dir() and place != Path(tempfile.gettempdir()):
            place.chmod(place.stat().st_mode | 0o055)


@pytest.fixture(scope="module")
def place(slurm, python, plugin, tmp_path_factory):
    """The small project, built without Slurm; from then on an ordinary user builds it with it."""
    open_ways(tmp_path_factory.getbasetemp())
    place = Place(paper=False)
    path, packages = python
    place.root.chmod(0o755)
    for folder in (place.work, place.saved, place.tmp, place.home):
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(folder)], check=True)
    os.chown(place.root, NOBODY, NOBODY)
    place.python = [*AS_NOBODY, path]
    place.env = slurm.env | {
        "PYTHONPATH": f"{plugin}{os.pathsep}{packages}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": f"{Path(path).parent}{os.pathsep}{slurm.env['PATH']}",
        "LD_LIBRARY_PATH": str(Path(path).parents[1] / "lib"),
    }
    place.words = ["--profile", "profiles/slurm", "--cores", str(os.cpu_count())]
    place.words += ["--slurm-init-seconds-before-status-checks", "4"]
    yield place
    place.close()


def remove_made(place: Place) -> None:
    place.restore()
    os.chown(place.work, NOBODY, NOBODY)
    for name in place.outputs():
        (place.work / name).unlink()
    shutil.rmtree(place.work / ".snakemake")


def strike(slurm: Slurm, run, about: str, *words: str) -> None:
    """Cancel the job whose comment has these words as soon as it is at work."""
    end = time.monotonic() + 120
    while run.going() and time.monotonic() < end:
        for number, comment in slurm.working().items():
            if about in comment:
                slurm.cancel(number, *words)
                return
        time.sleep(0.2)
    raise AssertionError(f"no job {about} was ever at work:\n{run.output[-3000:]}")


def test_logs_become_pages_though_jobs_are_cancelled_and_a_log_is_broken(place, slurm):
    """From nothing: jobs of one data set are cancelled and killed, the other's input is broken.

    Which fails again in the next run, is mended, and made in a third.
    """
    remove_made(place)
    said, mend = break_input(place, Random(3))
    run = place.start("cluster")
    strike(slurm, run, f"read_logs_wildcards_{STRANGERS}")
    # a group of jobs: its comment names no data set, and the other's is never reached
    strike(slurm, run, "settle_runs", "--signal=KILL", "--full")
    run.wait()
    assert run.returncode and not stale(place), f"{said}: {stale(place)}\n{run.output[-3000:]}"
    ended = slurm.ended()
    assert "CANCELLED" in ended, ended
    assert len(ended) - ended.count("COMPLETED") == 2 + 2, ended  # two of what is broken
    assert place.make("again").returncode and not stale(place)
    assert len(slurm.ended()) == len(ended) + 2  # which alone is tried again
    mend()
    run = place.make("mended")
    assert run.returncode == 0, run.output[-3000:]
    assert place.made() == place.expected
    owners = {path.stat().st_uid for path in (place.work / "data/derived").rglob("*")}
    assert owners == {NOBODY}
    last = place.make("last")
    assert last.returncode == 0 and "Nothing to be done" in last.output, last.output[-3000:]


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
def test_a_run_of_a_campaign_is_a_job_that_gets_more_memory_when_it_had_too_little(place, slurm):
    place.restore()
    before, ended = place.words, len(slurm.ended())
    little = "run_ns2_dumbbell_r1:mem_mb=50 if attempt == 1 else 1500"
    place.words = [*before, "--set-resources", little, "--", RECEIPT]
    try:
        run = place.make("campaign")
    finally:
        place.words = before
    assert run.returncode == 0, run.output[-3000:]
    first, second = slurm.ended()[ended:]
    assert first != "COMPLETED" and second == "COMPLETED"
    assert (place.work / "data/raw/ns2-dumbbell" / SIMULATED / "run.json").is_file()
