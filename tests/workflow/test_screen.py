"""What `make` shows: in a terminal, elsewhere, and with VERBOSE=1.

The tests follow each other: each begins in the state in which the one before ended. What is on the
screen in the end is kept in golden/screen, with times as `N s`.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from snakemake_logger_plugin_evenflow.progress import SURE_S
from terminal import COLUMNS, Screen, run_in_terminal
from test_make import fresh_project, make

GOLDEN = Path(__file__).parent / "golden/screen"
DATASET = "tiny-testbed"
PROFILE = "Using workflow specific profile"


def final(screen: Screen) -> str:
    """Return what stays on the screen, without what depends on the machine."""
    lines = [line for line in str(screen).splitlines() if not line.startswith((PROFILE, "make: "))]
    return re.sub(r"\b\d+ (s|min)\b", r"N \1", "\n".join(lines)).strip("\n")


def kept(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").strip("\n")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project of one data set that never built anything."""
    project = fresh_project(tmp_path_factory.mktemp("screen") / "evenflow")
    for folder in [*project.glob("data/raw/*/"), *project.glob("reports/*/paper.yml")]:
        if folder.name != DATASET:
            shutil.rmtree(folder if folder.is_dir() else folder.parent)
    settings = project / "config/config.yaml"
    config = yaml.safe_load(settings.read_text())
    del config["comparisons"]
    settings.write_text(yaml.safe_dump(config))
    return project


def test_a_first_run_shows_what_is_made_and_how_far_it_is(project):
    code, screen = run_in_terminal(["make"], project)
    assert code == 0, str(screen)
    assert final(screen) == kept("first-run")
    seen = "\n\n".join(screen.seen)
    assert "Checking what has to be made ..." in seen
    counts = [int(n) for n in re.findall(r"^(\d+) of 5 jobs done", seen, re.MULTILINE)]
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] >= 3
    for job in ("Reading the logs of", "Computing the metrics of", "Rendering the page of"):
        assert re.search(rf"^  {job} {DATASET} \(\d+ s\)$", seen, re.MULTILINE)
    # the time left is said from SURE_S on: a fast machine may be nearly done by then
    if int(re.search(r"jobs done in (\d+) s", str(screen))[1]) > 3 * SURE_S:
        assert re.search(r"of 5 jobs done, about \d+ (s|min) left$", seen, re.MULTILINE)
    assert max(map(len, seen.splitlines())) < COLUMNS


def test_nothing_to_do_is_said_in_a_line(project):
    code, screen = run_in_terminal(["make"], project)
    assert code == 0 and final(screen) == kept("nothing-to-do")


def test_a_broken_log_is_said_once_with_its_remedy(project):
    log = min((project / "data/raw" / DATASET).rglob("flow1.server.log.gz"))
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])
    code, screen = run_in_terminal(["make"], project)
    log.write_bytes(whole)
    assert code != 0 and final(screen) == kept("broken-log")
    assert str(screen).count(log.name) == str(screen).count("Remedy: ") == 1


def test_elsewhere_there_is_a_line_a_job(project):
    done = make(project)
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if not line.startswith(PROFILE)]
    assert "\x1b" not in done.stdout
    assert re.match(r"\d+ jobs: all 1, read_logs 1, ", lines[0])
    jobs = int(lines[0].split()[0])
    said = [line for line in lines if re.match(rf"\d+ of {jobs}: .+ \(\d+ (s|min)\)$", line)]
    assert [int(line.split()[0]) for line in said] == list(range(1, jobs + 1))
    assert len(lines) == 1 + jobs + 2  # the plan, the jobs, how long it took, where to look


def test_verbose_says_all_and_so_does_the_log_of_snakemake(project):
    page = project / "reports/_site/index.html"
    page.unlink()
    done = subprocess.run(["make", "VERBOSE=1"], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0
    assert "Building DAG of jobs" in done.stderr and "Job stats:" in done.stderr
    page.unlink()
    assert make(project).returncode == 0
    newest = max((project / ".snakemake/log").iterdir(), key=lambda path: path.stat().st_mtime)
    assert "Job stats:" in newest.read_text() and "Rendering the index" in newest.read_text()
