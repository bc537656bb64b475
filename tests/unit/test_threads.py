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


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_loads_the_package_before_what_reads_the_number_of_threads(path):
    code = (
        "import sys\nimport importlib.abc\n"
        "class First(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        late = name in ('polars', 'numpy') and 'evenflow.threads' not in sys.modules\n"
        "        assert not late, name\n"
        "sys.meta_path.insert(0, First())\n"
        "import runpy; runpy.run_path(sys.argv[1])"
    )
    run(code, "1", str(path))
