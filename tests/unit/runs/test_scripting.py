"""How a job ends: at once where it is done, with what it said, what it made, and its exit code."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
JOB = """
import atexit, sys, types
from pathlib import Path
from evenflow.runs.scripting import reporting_errors
from evenflow.errors import DataError
class Last:
    def __del__(self): Path("taken-apart").touch()
last = Last()
last.itself = last  # left to Python's end
job = types.SimpleNamespace(rule="make_it", input=[], output=["made.txt"], log=["logs/job.log"])
if sys.argv[1:] != ["outside"]: snakemake = job
atexit.register(lambda: Path("at-exit").touch())
with reporting_errors("logs/job.log"):
    Path("made.txt").write_text("made")
    print("said", end="")
    print("warned", end="", file=sys.stderr)
    {last}
"""


def run(folder: Path, last: str, *words: str, **options) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    env.pop("EVENFLOW_SCREEN", None)
    command = [sys.executable, "-c", JOB.replace("{last}", last), *words]
    given = {"capture_output": True, "text": True} | options
    return subprocess.run(command, cwd=folder, env=env, **given)


def test_a_job_that_is_done_ends_without_taking_python_apart(tmp_path):
    done = run(tmp_path, "pass")
    assert (done.returncode, done.stdout, done.stderr) == (0, "said", "warned")
    assert not (tmp_path / "taken-apart").exists()
    assert (tmp_path / "at-exit").exists(), "what was asked to run at the end has to"


def test_outside_of_a_job_python_ends_as_always(tmp_path):
    done = run(tmp_path, "pass", "outside")
    assert (done.returncode, done.stdout) == (0, "said")
    assert (tmp_path / "taken-apart").exists()


def test_the_record_of_a_job_is_kept_before_it_ends(tmp_path):
    (tmp_path / ".evenflow").mkdir()
    run(tmp_path, "pass")
    kept = [path.read_text() for path in (tmp_path / ".evenflow").rglob("*.json")]
    assert any("made.txt" in text for text in kept)


@pytest.mark.parametrize(
    ("last", "code", "said"),
    [
        ("raise DataError('no such flow', path='a.log', remedy='add it')", 1, "no such flow"),
        ("sys.exit(3)", 3, ""),
        ("raise KeyError('flow_id')", 1, "KeyError: 'flow_id'"),
        ("raise KeyboardInterrupt", -2, "KeyboardInterrupt"),
    ],
)
def test_a_job_that_fails_ends_with_its_code_and_its_words(tmp_path, last, code, said):
    done = run(tmp_path, last)
    assert done.returncode == code and said in done.stderr and done.stdout == "said"
    if code == 1:
        assert said in (tmp_path / "logs/job.log").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_words_that_cannot_be_said_are_no_success(tmp_path):
    with Path("/dev/full").open("w") as full:
        assert run(tmp_path, "pass", capture_output=False, stdout=full, stderr=None).returncode


@pytest.mark.parametrize(
    "path", sorted((ROOT / "workflow/scripts").rglob("*.py")), ids=lambda path: path.stem
)
def test_nothing_of_a_script_comes_after_its_end(path):
    """What stood below `with reporting_errors(...)` would never run."""
    *_, last = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'"
    assert isinstance(last.body[-1], ast.With)
    assert ast.unparse(last.body[-1].items[0]) in (
        "reporting_errors(snakemake.log[0])",
        "reporting_errors(snakemake.log[0], done_without)",
    )


@pytest.mark.parametrize(
    "job",
    [JOB.replace("{last}", "raise KeyboardInterrupt"), "import evenflow; raise KeyboardInterrupt"],
    ids=["at work", "while it imports"],
)
def test_a_job_of_a_run_that_is_interrupted_shows_no_traceback(job, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "EVENFLOW_SCREEN": "yes"}
    command = [sys.executable, "-c", job]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == -2 and done.stderr in ("", "warned")
