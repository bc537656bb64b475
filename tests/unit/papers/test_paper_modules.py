"""Modules of a paper are read as they are now."""

import os
import py_compile

from evenflow import plugins
from evenflow.papers.make import load


def test_another_module_of_the_same_size_and_time_does_not_run_as_the_old_one(tmp_path):
    """Python itself takes what it has compiled of the old one, by size and time."""
    paper, shared, plugin = (tmp_path / name for name in ("my/numbers.py", "_s/s.py", "p.py"))
    texts = {paper: "from .._s.s import S\n\nN = 1\n", shared: "S = 1\n", plugin: "P = 1\n"}
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.utime(path, (5, 5))
        py_compile.compile(path)
        path.write_text(text.replace("1", "2"))
        os.utime(path, (5, 5))
    module = load(paper)
    assert (module.N, module.S) == (2, 2)
    assert plugins._load("metrics", plugin).P == 2
