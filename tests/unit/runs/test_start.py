"""What the process that starts jobs needs, and what its jobs need."""

import gc
import os
import sys

import pytest
from evenflow.runs import needs, start


@pytest.mark.parametrize("folder", ["/a {b}", "/a}b", "/a:b", "/a\nb"])
def test_a_folder_that_snakemake_cannot_work_in_is_refused(folder):
    assert "Remedy: move the project" in start.refuse_folder(folder)


def test_other_folders_are_not(tmp_path):
    assert start.refuse_folder("/home/ä b/[x] 'y'") is None


def test_a_python_with_a_space_in_its_path_is_found_by_its_folder(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/my env/bin/python")
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.delenv("LOGNAME", raising=False)
    start.prepare()
    assert sys.executable == "python" and os.environ["PATH"] == "/opt/my env/bin:/bin"
    assert os.environ["LOGNAME"] == str(os.getuid()) and not gc.isenabled()
    start.collect_again()
    assert gc.isenabled()


def test_one_without_is_left(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/env/bin/python")
    monkeypatch.setenv("PATH", "/bin")
    start.prepare()
    start.collect_again()
    assert sys.executable == "/opt/env/bin/python" and os.environ["PATH"] == "/bin"


def test_a_job_has_memory_for_its_logs_and_more_when_it_is_tried_again():
    assert needs.memory_mb(0, False) == 1200
    assert needs.memory_mb(1000, False) == 2700 and needs.memory_mb(1000, False, 2) == 5400
    # in chunks no job holds all of it
    assert needs.memory_mb(10_000, False) == 16_200 and needs.memory_mb(10_000, True) == 3000


@pytest.mark.parametrize(("mb", "threads"), [(0, 1), (499, 1), (500, 2), (100_000, 8)])
def test_threads_are_worth_their_cores(mb, threads):
    assert needs.threads(mb) == threads
