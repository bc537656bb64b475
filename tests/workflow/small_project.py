"""What small copies of the project share: programs, settings, and what is built once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tests/workflow/config.yaml"
OF_MAKE = ("Makefile", "requirements.lock", "requirements/build.lock")


def add_make(folder: Path) -> None:
    """Give a copy the Makefile, and in place of an environment of its own that of here."""
    for name in OF_MAKE:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    bin_ = folder / ".venv/bin"
    bin_.mkdir(parents=True)
    (bin_ / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (bin_ / "python").chmod(0o755)
    for name in (".installed", ".ready"):
        (folder / ".venv" / name).touch()


def commit(folder: Path) -> None:
    """Commit what is not generated in a copy, to a repository of its own."""
    shutil.copy(ROOT / ".gitignore", folder)
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init"], ["add", "--all"], ["commit", "--message", "as it is"]):
        command = ["git", *who, *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


def configure(folder: Path, *without: str) -> None:
    """Write the settings of tiny data sets into the configuration of a copy, and drop keys."""
    path = folder / "config/config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, value in yaml.safe_load(CONFIG.read_text(encoding="utf-8")).items():
        config[key] = {**config[key], **value} if isinstance(value, dict) else value
    kept = {key: value for key, value in config.items() if key not in without}
    path.write_text(yaml.safe_dump(kept), encoding="utf-8")


def built_once(tmp_path_factory, name: str, build: Callable[[Path], None]) -> Path:
    """Return a folder that the first worker that needs it builds, and the others wait for.

    Args:
        tmp_path_factory: the fixture.
        name: of what is built.
        build: it makes the folder.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # of this worker: all have one folder above
        base = base.parent
    folder, ready = base / f"built-{name}", base / f"built-{name}.ready"
    with (base / f"built-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            shutil.rmtree(folder, ignore_errors=True)
            build(folder)
            ready.touch()
    return folder


def copied(source: Path, target: Path) -> Path:
    """Copy a built project with times and owners, so that it is as it was."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)
    return target
