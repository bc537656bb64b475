"""A small built project with its Makefile, copies of it, and what is in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from place import MADE, OURS, ROOT, STRANGERS, fresh_project
from strangers import SITE

MORE = ("Makefile", "requirements.lock", "requirements/build.lock", "CITATION.cff")
MORE += ("docs/reference",)
PAGE = f"{SITE}/datasets/{OURS}/index.html"
LIMIT_S = 900


class Project:
    """A built project, as `make` leaves it, and copies of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.saved, self.work = folder, folder / "saved", folder / "work/evenflow"
        fresh_project(self.saved, paper=True)
        for name in MORE:
            source = ROOT / name
            (self.saved / name).parent.mkdir(exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.saved / name)
        bin_ = self.saved / ".venv/bin"
        bin_.mkdir(parents=True)
        (bin_ / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (bin_ / "python").chmod(0o755)
        for name in (".installed", ".ready"):
            (self.saved / ".venv" / name).touch()
        done = run(self.saved, "make")
        assert done.returncode == 0, done.stdout[-3000:]
        self.expected = made(self.saved)

    def fresh(self) -> Path:
        """Return a copy as the undisturbed build left it."""
        if self.work.parent.exists():  # a folder without write permission may be among strangers'
            subprocess.run(["chmod", "-R", "u+rwX", self.work.parent], check=False)
        subprocess.run(["rm", "-rf", self.work.parent], check=True)
        self.work.parent.mkdir()
        subprocess.run(["cp", "-a", self.saved, self.work], check=True)
        return self.work

    def missing(self, *without: str) -> list[str]:
        """List what was made by the undisturbed build and is not as it was."""
        now = dict(made(self.work).items())
        wrong = [path for path, content in self.expected.items() if now.get(path) != content]
        return [path for path in wrong if not path.startswith(without or ("\0",))]


def run(folder: Path, *words: str, env: dict | None = None) -> subprocess.CompletedProcess:
    """Run a program of the environment in a project."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(words, cwd=folder, env={**os.environ, "PATH": path, **(env or {})},
                          text=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip


def snakemake(folder: Path, *words: str, env: dict | None = None) -> subprocess.CompletedProcess:
    return run(folder, sys.executable, "-m", "snakemake", *words, env=env)


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
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, **(env or {})}
    return subprocess.Popen([sys.executable, "-m", "snakemake", *words], cwd=work, env=env,
                            text=True, errors="replace", stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
