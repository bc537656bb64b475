"""A small built project with its Makefile, copies of it, and what is in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import started
from place import MADE, OURS, ROOT, STRANGERS, fresh_project
from small_project import add_make, built_once, copied
from strangers import SITE

MORE = ("CITATION.cff", "docs/reference")
PAGE = f"{SITE}/datasets/{OURS}/index.html"
LIMIT_S = 900


class Project:
    """A built project, as `make` leaves it, and copies of it; all modules have one."""

    def __init__(self, tmp_path_factory) -> None:
        self.saved = built_once(tmp_path_factory, "strangers", build)
        self.work = tmp_path_factory.mktemp("strangers") / "work/evenflow"
        self.expected = made(self.saved)

    def fresh(self) -> Path:
        """Return a copy as the undisturbed build left it."""
        if self.work.parent.exists():  # a folder without write permission may be among strangers'
            subprocess.run(["chmod", "-R", "u+rwX", self.work.parent], check=False)
        subprocess.run(["rm", "-rf", self.work.parent], check=True)
        self.work.parent.mkdir()
        return copied(self.saved, self.work)

    def missing(self, *without: str) -> list[str]:
        """List what was made by the undisturbed build and is not as it was."""
        now = dict(made(self.work).items())
        wrong = [path for path, content in self.expected.items() if now.get(path) != content]
        return [path for path in wrong if not path.startswith(without or ("\0",))]


def build(folder: Path) -> None:
    """Make a project with a paper, from nothing."""
    fresh_project(folder, paper=True)
    add_make(folder)
    for name in MORE:
        source = ROOT / name
        (folder / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    done = run(folder, "make")
    assert done.returncode == 0, done.stdout[-3000:]


def run(folder: Path, *words: str, env: dict | None = None) -> subprocess.CompletedProcess:
    """Run a program of the environment in a project."""
    env = {**os.environ, "PATH": started.path_of_tests(), **(env or {})}
    return subprocess.run(words, cwd=folder, env=env,
                          text=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip


def snakemake(folder: Path, *words: str, env: dict | None = None) -> subprocess.CompletedProcess:
    if env:  # of a library that is loaded at the start of a process
        return run(folder, sys.executable, "-m", "snakemake", *words, env=env)
    return started.snakemake(folder, *words, env={**os.environ, "PATH": started.path_of_tests()})


def made(folder: Path) -> dict[str, bytes]:
    """Return what lies where a run writes, but links, pipes and what may not be read."""
    paths = (path for top in MADE for path in (folder / top).rglob("*"))
    files = (
        p for p in paths if p.is_file() and not p.is_symlink() and p.parent.name != "__pycache__"
    )
    small = (p for p in files if p.stat().st_size < 2**30 and os.access(p, os.R_OK))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in small}


def touch_raw(folder: Path, *names: str) -> None:
    """Have the data sets read again."""
    for name in names or (STRANGERS,):
        for path in (folder / "data/raw" / name).rglob("*"):
            path.touch()


def nothing_to_do(folder: Path) -> bool:
    return "Nothing to be done" in run(folder, "make").stdout


def set_aside(folder: Path) -> list[Path]:
    """List what is in set-aside, but for the stranger's there."""
    found = [p for p in (folder / "set-aside").rglob("*") if p.is_symlink() or not p.is_dir()]
    return [path for path in found if path.name != "mine.txt"]


def start(work: Path, *words: str, env: dict | None = None) -> subprocess.Popen:
    env = {**os.environ, "PATH": started.path_of_tests(), **(env or {})}
    return subprocess.Popen([sys.executable, "-m", "snakemake", *words], cwd=work, env=env,
                            text=True, errors="replace", stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
