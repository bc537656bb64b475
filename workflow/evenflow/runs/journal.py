"""A journal a process: each temporary file before it is there, each file before its rename.

So after a kill every file on the disk has an owner, whatever it is called. A journal ends with the
receipt of its job; the next run takes those that are left (`known.Known`) and ends them.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TextIO

from .places import PLACE, is_inside, process_name

BEGUN = PLACE / "begun"


class Begun(NamedTuple):
    """What the journals of killed jobs say.

    temporary: paths; renamed: [size, time of change in ns, inode, None] by path.
    """

    temporary: set[str]
    renamed: dict[str, list]


class _Open(NamedTuple):
    process: int  # a child of a process that forks has its own
    handle: TextIO


_open: _Open | None = None


def announce_temporary(path: Path) -> None:
    """Say that a temporary file is going to be there, and one that DuckDB makes for it."""
    _note(temporary=str(path))
    _note(temporary=str(path.with_name(f"tmp_{path.name}")))


def announce_rename(temporary: Path, path: Path) -> None:
    """Say that a file is going to be renamed into its place."""
    about = temporary.lstat()
    _note(path=str(path), state=[about.st_size, about.st_mtime_ns, about.st_ino, None])


def _note(**words: object) -> None:
    global _open
    if not PLACE.is_dir():  # outside of a project, or one in which no run was begun
        return
    if _open is None or _open.process != os.getpid():
        BEGUN.mkdir(parents=True, exist_ok=True)
        path = BEGUN / f"{process_name()}-{time.time_ns()}.jsonl"
        _open = _Open(os.getpid(), path.open("a", encoding="utf-8"))
    _open.handle.write(f"{json.dumps(words)}\n")
    _open.handle.flush()  # it is with the system before what it announces happens


def end_journal() -> None:
    """Remove the journal of this process: a receipt has it all, or nothing was left."""
    global _open
    if _open and _open.process == os.getpid():
        _open.handle.close()
        Path(_open.handle.name).unlink(missing_ok=True)
    _open = None


def read_journals() -> Begun:
    """Read the journals that are left; a line that was cut says nothing."""
    found = Begun(set(), {})
    for journal in BEGUN.glob("*.jsonl"):
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                said = json.loads(line)
                if is_inside(said.get("temporary")):
                    found.temporary.add(said["temporary"])
                elif is_inside(said.get("path")):
                    size, time_ns, inode, _ = said["state"]
                    found.renamed[said["path"]] = [int(size), int(time_ns), int(inode), None]
    return found


def end_journals() -> None:
    """Remove the journals of jobs that are over."""
    for journal in BEGUN.glob("*.jsonl"):
        journal.unlink(missing_ok=True)
