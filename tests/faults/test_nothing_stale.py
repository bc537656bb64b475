"""Nothing stale: whatever is away, old, ahead, forgotten or at work beside a run."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from built import PAGE, Project, nothing_to_do, run, set_aside, snakemake, start, touch_raw
from place import OURS, PAPER
from strangers import AHEAD_S, SITE, lost, put_strangers


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory)


# ---- what is remembered -------------------------------------------------------------------------


def as_an_older_version_left_it(work: Path) -> None:
    """Records of what was made in .snakemake/made, and no receipts."""
    older = work / ".snakemake/made"
    older.mkdir()
    for path in (work / ".evenflow/made").iterdir():
        said = json.loads(path.read_text())
        outputs = {
            name: [size, time, sha] for name, (size, time, _, sha) in said["outputs"].items()
        }
        record = {"rule": said["rule"], "inputs": [], "outputs": outputs}
        (older / path.name).write_text(json.dumps(record))
    shutil.rmtree(work / ".evenflow")


def receipts_gone(work: Path) -> None:
    shutil.rmtree(work / ".evenflow")


def snakemake_gone(work: Path) -> None:
    shutil.rmtree(work / ".snakemake")


def both_gone(work: Path) -> None:
    receipts_gone(work)
    snakemake_gone(work)


GONE = [both_gone, receipts_gone, as_an_older_version_left_it, snakemake_gone]


@pytest.mark.parametrize("way", GONE, ids=lambda way: way.__name__)
def test_without_what_is_remembered_one_make_gives_the_same_and_sets_nothing_aside(project, way):
    work = project.fresh()
    strangers = put_strangers(work)
    way(work)
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not project.missing() and not lost(strangers)
    assert not set_aside(work), done.stdout
    assert nothing_to_do(work)


def test_damaged_memories_of_snakemake_stop_nothing(project):
    work = project.fresh()
    paths = sorted((work / ".snakemake/metadata").rglob("*"))
    words = ["null", '{"input": 3}', "3", "[]", "", "{"]
    for number, path in enumerate(path for path in paths if path.is_file()):
        path.write_text(words[number % len(words)])
    assert snakemake(work, "-n").returncode == 0
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not project.missing() and nothing_to_do(work)


# ---- nothing stale ------------------------------------------------------------------------------


def test_a_description_that_is_away_while_a_page_is_made_leaves_no_stale_page(project):
    """As by a network file system that hesitates, or `mv`: with its time as it was."""
    work = project.fresh()
    (work / PAGE).unlink()
    description = work / "data/raw" / OURS / "dataset.yml"
    going = subprocess.Popen(
        ["make"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    job = None
    while job is None and going.poll() is None:
        job = job_of(work, b"render_dataset")
    assert job, "the page's job was never seen"
    description.rename(work.parent / "away.yml")
    while (Path("/proc") / job).exists() and going.poll() is None:
        time.sleep(0.01)
    (work.parent / "away.yml").rename(description)
    going.wait()
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not project.missing()
    assert nothing_to_do(work)


def job_of(work: Path, script: bytes) -> str | None:
    """Return the process that runs a script in a project (Linux)."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if script in path.read_bytes() and path.with_name("cwd").readlink() == work:
                return path.parent.name
        except OSError:
            continue
    return None


def test_a_source_that_changed_and_has_an_old_date_is_seen(project):
    """As tar, `cp -p` and rsync date it; Snakemake goes by dates."""
    work = project.fresh()
    qmd = work / "reports" / PAPER / "index.qmd"
    qmd.write_text(qmd.read_text(encoding="utf-8") + "\nAn added sentence.\n", encoding="utf-8")
    os.utime(qmd, (1.5e9, 1.5e9))
    assert "render_report" in snakemake(work, "-n").stdout
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    page = (work / SITE / PAPER / "index.html").read_text(encoding="utf-8")
    assert "An added sentence" in page and qmd.stat().st_mtime == 1.5e9
    assert nothing_to_do(work)


def test_sources_of_the_future_are_used_and_keep_their_dates(project):
    work = project.fresh()
    names = ["workflow/scripts/render_dataset.py", "workflow/queries/run.sql", "config/config.yaml"]
    names += [f"reports/{PAPER}/index.qmd", "workflow/theme", f"data/raw/{OURS}/dataset.yml"]
    for name in names:
        os.utime(work / name, (AHEAD_S, AHEAD_S))
    script = work / "workflow/scripts/render_dataset.py"
    script.write_text(script.read_text() + "\n")
    os.utime(script, (AHEAD_S, AHEAD_S))
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert [name for name in names if (work / name).stat().st_mtime != AHEAD_S] == []
    assert not project.missing() and nothing_to_do(work)


# ---- two at once --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def no_flock(tmp_path_factory):
    """The environment of a file system without locks."""
    if not shutil.which("gcc"):
        pytest.skip("needs gcc")
    library = tmp_path_factory.mktemp("lock") / "no_flock.so"
    code = "#include <errno.h>\nint flock(int f, int o) { errno = ENOLCK; return -1; }\n"
    command = ["gcc", "-shared", "-fPIC", "-o", str(library), "-xc", "-"]
    subprocess.run(command, input=code, text=True, check=True)
    return {"LD_PRELOAD": str(library)}


@pytest.mark.parametrize("flock", [True, False], ids=["flock", "no flock"])
def test_a_dry_run_beside_them_lets_no_two_runs_work_at_once(project, flock, request):
    env = {} if flock else request.getfixturevalue("no_flock")
    work = project.fresh()
    touch_raw(work)
    looking = start(work, "-n", env=env)
    first = start(work, "--cores", "2", env=env)
    for line in first.stdout:
        if "Select jobs to execute" in line:
            break
    looking.communicate()
    second = snakemake(work, "--cores", "2", env=env)
    assert second.returncode and "another run is using this folder" in second.stdout
    said = first.communicate()[0]
    assert first.returncode == 0, said[-3000:]
    again = snakemake(work, "--cores", "2", env=env)
    assert "Nothing to be done" in again.stdout and not project.missing()
    assert flock or "has no locks here" in again.stdout


def test_without_flock_an_edited_page_is_made_again_and_a_killed_run_stops_nothing(
    project, no_flock
):
    work = project.fresh()
    (work / PAGE).write_text("edited")
    touch_raw(work)
    killed = start(work, "--cores", "2", env=no_flock)
    for line in killed.stdout:
        if "Select jobs to execute" in line:
            break
    killed.kill()
    killed.communicate()
    done = snakemake(work, "--cores", "2", env=no_flock)
    assert done.returncode == 0, done.stdout[-3000:]
    assert not project.missing()
    assert [path.read_text() for path in set_aside(work)] == ["edited"]
