"""A job takes its own threads, not the machine's; test_workflow.py has the bytes that it makes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TAKEN = """
from evenflow.threads import THREADS
from evenflow.tables import connected
import polars
with connected() as con:
    duckdb = con.sql("select current_setting('threads')").fetchall()[0][0]
print(THREADS, polars.thread_pool_size(), duckdb)
"""


def run(code: str, threads: str | None, *words: str) -> str:
    env = {**os.environ, "PYTHONPATH": "workflow"}
    for name in ("OMP_NUM_THREADS", "POLARS_MAX_THREADS"):
        env.pop(name, None)
    env |= {"OMP_NUM_THREADS": threads} if threads else {}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("threads", ["1", "3"])
def test_libraries_take_the_threads_of_the_job(threads):
    assert run(TAKEN, threads).split() == [threads] * 3


@pytest.mark.parametrize("threads", [None, "", "0", "many"])
def test_without_a_job_the_machine_is_taken(threads):
    assert int(run(TAKEN, threads).split()[0]) == os.cpu_count()


def scripts() -> list[Path]:
    return sorted((ROOT / "workflow/scripts").rglob("*.py"))


# at the first look for a library that reads the number of threads it is known whether it is too
# late, and the process ends: to load the libraries takes a hundred times as long
LOOKED_FOR = """
import importlib.abc, os, runpy, sys
class First(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("polars", "numpy"):
            os._exit(0 if "evenflow.threads" in sys.modules else 3)
sys.meta_path.insert(0, First())
runpy.run_path(sys.argv[1])
"""


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_loads_the_package_before_what_reads_the_number_of_threads(path):
    run(LOOKED_FOR, "1", str(path))


def test_a_script_that_loads_them_first_is_noticed(tmp_path):
    early = tmp_path / "early.py"
    early.write_text("import polars\nimport evenflow.threads\n")
    with pytest.raises(subprocess.CalledProcessError):
        run(LOOKED_FOR, "1", str(early))
