"""Every hostile folder ends in a named finding, a named error of its own, or a right result.

The cases (`hostile_cases`) are made by two processes of their own (`hostile_pipeline`), each with a
limit of memory and of time: what hangs or eats the memory fails, and takes nothing with it.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Timer, local

import pytest
from hostile_cases import CASES
from raw_data import ROOT

pytestmark = pytest.mark.usefixtures("one_database")

# docs/explanation/robustness.md says the same: address space, with 3 GiB of libraries; processor
# time of one folder, from its raw data to its page, and the longest it may take when busy
MEMORY_BYTES = 6 * 2**30
CPU_S, TIME_S = 20, 240
PROCESSES = 2
LEAST = 200  # cases


class Workers:
    """Processes that make cases, a thread each; one that dies is replaced."""

    def __init__(self):
        self.mine, self.started = local(), []
        self.pool = ThreadPoolExecutor(PROCESSES)

    def submit(self, name: str) -> Future:
        return self.pool.submit(self.answer, name)

    def answer(self, name: str) -> dict:
        process = self._process()
        timer = Timer(TIME_S, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(name) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            process.wait()
            return {"crash": f"the process ended ({process.returncode})"}
        return json.loads(answer)

    def _process(self) -> subprocess.Popen:
        process = getattr(self.mine, "process", None)
        if process is None or process.poll() is not None:
            path = os.pathsep.join(map(str, (ROOT / "workflow", ROOT / "tests/unit", ROOT)))
            process = self.mine.process = subprocess.Popen(
                [sys.executable, ROOT / "tests/unit/hostile_pipeline.py", str(MEMORY_BYTES)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                env=os.environ | {"PYTHONPATH": path},
            )  # fmt: skip
            self.started.append(process)
        return process

    def end(self) -> None:
        self.pool.shutdown(cancel_futures=True)
        for process in self.started:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def outcomes(request):
    """The outcome of each case that is to be tested, as a future."""
    workers = Workers()
    wanted = [item.callspec.params["name"] for item in request.session.items
              if getattr(item, "callspec", None) and item.fspath == request.fspath]  # fmt: skip
    yield {name: workers.submit(name) for name in dict.fromkeys(wanted)}
    workers.end()


def test_there_are_enough_cases():
    assert len(CASES) >= LEAST


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_folder_ends_as_it_should(name, outcomes):
    case, found = CASES[name], outcomes[name].result()
    assert "crash" not in found, found["crash"]
    assert found["cpu_s"] <= CPU_S
    assert found["broken"] == []
    if case.ends == "error":
        assert found["error"] and re.search(case.says, found["error"])
        assert "Remedy: " in found["error"]
        return
    assert found["error"] is None
    if case.n is not None:
        assert found["n"] == case.n
    if case.ends != "right":
        # of what was there before, findings are many and files good
        said = [words for words in found[case.ends] if not words.startswith("run1/")]
        assert any(re.search(case.says, words) for words in said), said
