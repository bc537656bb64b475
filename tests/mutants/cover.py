"""A plugin of pytest: which functions of the mutated modules each test calls, and its CPU seconds.

Calls while fixtures are set up count for every test of the file: later ones share what was made.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path.cwd()
CODE = json.loads(os.environ["MUTANTS_CODE"])  # paths of the modules, from ROOT
FILES = {f"{ROOT}/{path}": path for path in CODE}
calls: dict[str, set[str]] = defaultdict(set)
seconds: dict[str, float] = {}
now = [""]


def traced(frame, event, _):
    path = FILES.get(frame.f_code.co_filename)
    if path:
        # <locals>, <lambda> and comprehensions count as the function that they are in
        kept = [name for name in frame.f_code.co_qualname.split(".") if not name.startswith("<")]
        for n in range(len(kept) + 1):
            calls[now[0]].add(f"{path}:{'.'.join(kept[:n])}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    now[0] = item.nodeid.partition("::")[0]
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    now[0], start = item.nodeid, time.process_time()
    yield
    seconds[item.nodeid] = time.process_time() - start


def pytest_sessionstart():
    sys.settrace(traced)


def pytest_sessionfinish():
    sys.settrace(None)
    found = {"calls": {k: sorted(v) for k, v in calls.items()}, "seconds": seconds}
    Path(os.environ["MUTANTS_COVER"]).write_text(json.dumps(found), encoding="utf-8")
