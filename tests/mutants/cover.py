"""A plugin of pytest: which functions of the mutated modules each test calls, and its CPU seconds.

Calls while fixtures are set up, or the file is collected, count for every test of the file: later
ones share what was made. What runs while a mutated module is imported, such as the bodies of its
classes, all tests that call the module rely on.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path.cwd()
CODE = json.loads(os.environ["MUTANTS_CODE"])  # paths of the modules, from ROOT
FILES = {f"{ROOT}/{path}": path for path in CODE}
calls: dict[str, set[str]] = defaultdict(set)
imported: set[str] = set()
seconds: dict[str, float] = {}
now = [""]


def traced(frame, event, _):
    path = FILES.get(frame.f_code.co_filename)
    if path:
        # <locals>, <lambda> and comprehensions count as the function that they are in
        kept = [name for name in frame.f_code.co_qualname.split(".") if not name.startswith("<")]
        found = imported if is_at_import(frame) else calls[now[0]]
        found.update(f"{path}:{'.'.join(kept[:n])}" for n in range(len(kept) + 1))


def is_at_import(frame) -> bool:
    """Return whether a mutated module is being imported; while tests run, none is asked for."""
    while "::" not in now[0] and (frame := frame.f_back):
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename in FILES:
            return True
    return False


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    now[0] = collector.nodeid.partition("::")[0]
    yield


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
    threading.settrace(traced)  # of threads that begin from now on
    sys.settrace(traced)


def pytest_sessionfinish():
    sys.settrace(None)
    threading.settrace(None)
    found = {"calls": {k: sorted(v) for k, v in calls.items()}, "seconds": seconds}
    found["imported"] = sorted(imported)
    Path(os.environ["MUTANTS_COVER"]).write_text(json.dumps(found), encoding="utf-8")
