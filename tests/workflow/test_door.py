"""The door into Snakemake: what `evenflow.runs.door` uses of it does what it is used for.

A version of Snakemake that shuts the door fails here, with a name for what is gone.
"""

import os
import subprocess
from pathlib import Path

import pytest
import started

WORKFLOW = Path(__file__).parents[2] / "workflow"
GUEST = """
import os, sys
sys.path.insert(0, {workflow!r})
from evenflow.runs.door import RefusedError, door_of

def say(*words):
    print("GUEST", *words, file=sys.stderr)

class Guest:
    def begin(self, real):
        say("begins", "real" if real else "looking")
        if "REFUSE" in os.environ:
            raise RefusedError("this run may not be. Remedy: none")
    def why_again(self, outputs):
        return "it was told so" if os.environ.get("AGAIN") in outputs else None
    def start(self, jobs):
        say("starts", *sorted(job.rule.name for job in jobs))
    def fail(self, jobs):
        say("fails", *sorted(job.rule.name for job in jobs))

others = list(workflow.rules)
"""
RULES = """
rule all:
    default_target: True
    input: "b.txt"
rule a:
    input: "source.txt"
    output: "a.txt"
    shell: "test ! -e fail && cp {input} {output}"
rule b:
    input: "a.txt"
    output: "b.txt"
    shell: "cp {input[0]} {output}"
door = door_of(workflow, Guest())
for rule in workflow.rules:
    if not any(rule is other for other in others):
        door.hook(rule, ours=rule.name != "all")
"""
COUNTS = """
import hashlib, sys
digest = hashlib.file_digest
def file_digest(handle, *rest):
    print("READ", handle.name, file=sys.stderr)
    return digest(handle, *rest)
hashlib.file_digest = file_digest
rule many:
    input: "source.txt"
    output: "1.txt", "2.txt", "3.txt"
    shell: "cp {input} 1.txt; cp {input} 2.txt; cp {input} 3.txt"
"""
OUTER = """
onstart: print("OUTER onstart", file=sys.stderr)
onerror: print("OUTER onerror", file=sys.stderr)
import sys
rule mine:
    output: "mine.txt"
    shell: "echo > {output}"
module tool:
    snakefile: "tool.smk"
use rule * from tool as tool_*
use rule b from tool as tool_b with:
    input: "a.txt", "mine.txt"
rule top:
    default_target: True
    input: "b.txt"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "source.txt").write_text("x\n")
    (tmp_path / "Snakefile").write_text(GUEST.format(workflow=str(WORKFLOW)) + RULES)
    return tmp_path


def snakemake(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess:
    return started.snakemake(folder, *(words or ("--cores", "1")), env=os.environ | env)


def said(done: subprocess.CompletedProcess) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith(("GUEST", "OUTER"))]


def test_a_real_run_is_told_from_one_that_looks(folder):
    for words in (["-n"], ["--summary"], ["--dag"], ["--rulegraph"], ["--list-untracked"]):
        assert said(snakemake(folder, *words)) == ["GUEST begins looking"], words
    for words in (["--list"], ["--lint"]):
        assert said(snakemake(folder, *words)) == [], words
    assert said(snakemake(folder)) == ["GUEST begins real", "GUEST starts a b"]
    nothing = snakemake(folder)
    assert said(nothing) == ["GUEST begins real"] and "Nothing to be done" in nothing.stdout
    assert said(snakemake(folder, "-n")) == ["GUEST begins looking"]


def test_what_must_be_made_again_is_shown_by_a_dry_run_and_made_with_what_follows(folder):
    snakemake(folder)
    dry = snakemake(folder, "-n", AGAIN="a.txt").stdout
    assert "Forced execution" in dry and "rule b" in dry
    assert said(snakemake(folder, AGAIN="b.txt"))[-1] == "GUEST starts b"
    assert said(snakemake(folder, AGAIN="a.txt"))[-1] == "GUEST starts a b"
    assert said(snakemake(folder, "--cores", "1", "b.txt", AGAIN="a.txt"))[-1] == "GUEST starts a b"


def test_jobs_that_fail_are_told(folder):
    (folder / "fail").touch()
    done = snakemake(folder)
    assert done.returncode and said(done)[-1] == "GUEST fails a b"


def test_a_refused_run_ends_with_its_sentence_and_does_nothing(folder):
    done = snakemake(folder, REFUSE="yes")
    assert done.returncode == 1 and not (folder / "a.txt").exists()
    assert "this run may not be. Remedy: none" in done.stdout
    assert "Traceback" not in done.stdout and "InputFunctionException" not in done.stdout


def test_what_dates_or_removes_whatever_lies_there_is_refused(folder):
    snakemake(folder)
    os.utime(folder / "b.txt", (5, 5))
    for words in (["--touch"], ["--no-hooks"], ["--delete-all-output"], ["--delete-temp"]):
        done = snakemake(folder, "--cores", "1", *words)
        assert done.returncode and f"{words[0]} " in done.stdout + " ", done.stdout
        assert (folder / "b.txt").stat().st_mtime == 5
    assert snakemake(folder, "--delete-all-output", "-n", "--cores", "1").returncode == 0


def test_an_input_of_the_future_fails_no_job(folder):
    os.utime(folder / "source.txt", (2e9, 2e9))
    assert snakemake(folder).returncode == 0
    assert "Nothing to be done" in snakemake(folder).stdout


@pytest.mark.parametrize("content", ["3", '{"input": 3}', "null", "[", "\0"])
def test_damaged_memories_stop_nothing(folder, content):
    snakemake(folder)
    for path in (folder / ".snakemake/metadata").iterdir():
        path.write_text(content)
    assert snakemake(folder, "-n").returncode == 0
    (folder / "source.txt").write_text("y\n")
    assert snakemake(folder).returncode == 0
    assert "Nothing to be done" in snakemake(folder).stdout


def test_parameters_are_compared_and_pandas_is_not_loaded_for_that(folder):
    text = (folder / "Snakefile").read_text() + "import atexit\n"
    text += "atexit.register(lambda: say('pandas' if 'pandas' in sys.modules else 'no pandas'))\n"
    text = text.replace('    output: "a.txt"', '    output: "a.txt"\n    params: PARAMETER')
    assert "PARAMETER" in text

    def run(parameter: str) -> list[str]:
        (folder / "Snakefile").write_text(text.replace("PARAMETER", parameter))
        return said(snakemake(folder))[1:]

    assert run("3") == ["GUEST starts a b", "GUEST no pandas"]
    assert run("3") == ["GUEST no pandas"]
    assert run("4") == ["GUEST starts a b", "GUEST no pandas"]
    frame = "__import__('pandas').DataFrame({'x': [1, 2]})"
    assert run(frame) == ["GUEST starts a b", "GUEST pandas"]
    assert run(frame) == ["GUEST pandas"]
    assert run(frame.replace("2", "3")) == ["GUEST starts a b", "GUEST pandas"]


def test_an_input_is_read_once_when_its_job_has_ended_and_known_by_content_then(folder):
    """Snakemake reads it for each output: with thousands of inputs that takes seconds."""
    file = folder / "Snakefile"
    file.write_text(file.read_text().replace("rule all:", f"{COUNTS}rule all:"))
    done = snakemake(folder, "--cores", "1", "3.txt")
    assert done.returncode == 0 and done.stdout.count("READ source.txt") == 1, done.stdout
    os.utime(folder / "source.txt")
    assert "Nothing to be done" in snakemake(folder, "--cores", "1", "3.txt").stdout
    (folder / "source.txt").write_text("another\n")
    assert "Nothing to be done" not in snakemake(folder, "--cores", "1", "3.txt").stdout


def test_as_a_module_with_other_names_it_is_the_same_and_others_rules_are_not_told(folder):
    (folder / "Snakefile").rename(folder / "tool.smk")
    (folder / "Snakefile").write_text(OUTER)
    assert said(snakemake(folder, "-n")) == ["GUEST begins looking"]
    assert said(snakemake(folder)) == [
        "GUEST begins real", "GUEST starts tool_a tool_b", "OUTER onstart",
    ]  # fmt: skip
    assert said(snakemake(folder, AGAIN="b.txt"))[1] == "GUEST starts tool_b"
    (folder / "fail").touch()
    assert said(snakemake(folder, AGAIN="a.txt"))[-2:] == [
        "GUEST fails tool_a tool_b", "OUTER onerror",
    ]  # fmt: skip
