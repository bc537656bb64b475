"""Ctrl-C while Snakemake runs: a line says it, nothing of Python's is shown, the code is 130.

A process that stands for Snakemake gets the signal as one in the same terminal does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from evenflow.commands import report as command
from evenflow.commands.start import run

ROOT = Path(__file__).parents[3]
STARTER = """
import os, signal, sys, time
from evenflow.commands.start import run
sys.exit(run([sys.executable, "-c", sys.argv[1]], dict(os.environ), {meanwhile}))
"""
LOADING = "print('there', flush=True); import time; time.sleep(60)"
AT_WORK = f"from evenflow.interrupts import heed; heed(); {LOADING}"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: None); "
DEAF += "from evenflow.interrupts import heed; heed()\n"
DEAF += "try:\n print('there', flush=True); time.sleep(60)\n"
DEAF += "except KeyboardInterrupt:\n time.sleep(60)"
DONE = "import signal; signal.signal(signal.SIGINT, lambda *_: sys.exit(0)); import sys; "
DONE += LOADING


def interrupted(child: str, meanwhile: str = "int") -> tuple[int, str]:
    """Return with which code, and what words, a run of a child ends that Ctrl-C ends."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    env.pop("EVENFLOW_SCREEN", None)
    words = [sys.executable, "-c", STARTER.format(meanwhile=meanwhile), child]
    process = subprocess.Popen(words, env=env, text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    return process.returncode, said


@pytest.mark.parametrize("meanwhile", ["int", "lambda: time.sleep(3)"], ids=["waits", "imports"])
@pytest.mark.parametrize("child", [LOADING, AT_WORK, DEAF], ids=["loads", "works", "is deaf"])
def test_a_run_that_is_interrupted_says_so_and_nothing_else(child, meanwhile):
    code, said = interrupted(child, meanwhile)
    line = "Interrupted: what is done so far stays. Say the same command again to go on.\n"
    assert (code, said) == (130, line)


def test_a_run_that_was_done_already_is_a_success():
    assert interrupted(DONE) == (0, "")


@pytest.mark.parametrize("code", [0, 1])
def test_the_code_of_a_run_is_that_of_its_process(code):
    before = signal.getsignal(signal.SIGINT)
    assert run([sys.executable, "-c", f"import sys; sys.exit({code})"], dict(os.environ)) == code
    assert signal.getsignal(signal.SIGINT) is before


def test_no_page_is_named_where_the_run_was_interrupted(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.log").write_text("no log\n")
    page = tmp_path / "out/reports/_site/datasets/mine/index.html"

    def ends_with(code):
        def made(*_):
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("a notice")
            return code

        monkeypatch.setattr(command, "run", made)
        assert command.report(tmp_path / "mine", tmp_path / "out", opens=False) == code
        return capsys.readouterr().out

    assert str(page) not in ends_with(130)
    said = ends_with(1)
    assert "\nPage: " not in said and f"what went wrong is said in its place: {page}" in said
