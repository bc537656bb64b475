"""How runs of both platforms are filed: each in a folder of its own that appears whole, or not."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EXPERIMENTS = Path(__file__).resolve().parent


class RunError(RuntimeError):
    """A run that cannot be made: says why, and what to do about it."""


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to write a run into, which becomes `folder` whole, or nothing on an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        yield work
        work.chmod(0o755)  # mkdtemp makes it private
        work.replace(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def gz(content: bytes) -> bytes:
    """Compress without a name or a time: the same content gives the same bytes."""
    raw = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(content)
    return raw.getvalue()


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write a run's run.json: what was asked for, how it was made, what it observed."""
    text = json.dumps(record, indent=1, sort_keys=True) + "\n"
    (folder / "run.json").write_text(text)


def read_commit(folder: Path = EXPERIMENTS) -> str:
    """Return HEAD, '-dirty' where `folder` differs from it, or 'unknown'."""

    def git(*words: str) -> str:
        try:
            done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True)
        except FileNotFoundError:  # no git here
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD") or "unknown"
    changed = git("status", "--porcelain", "--", ".")
    return f"{head}-dirty" if changed else head


def now() -> str:
    """Return the date and time in UTC, as run.json has them."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
