"""One run of a project at a time, with the jobs of one that was killed.

A run holds `run.lock` and writes there which one it is; its jobs know that from their environment
and share `jobs.lock` for as long as they work. Where Snakemake alone is killed its jobs go on: the
next run waits for them. One that had not begun yet sees the other run's name, and ends. Both locks
are the operating system's: they end with the process that holds them.
"""

from __future__ import annotations

import fcntl
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

RUN = "EVENFLOW_RUN"  # in the environment of jobs: host, process and time of their run
LOCK = Path(".snakemake/run.lock")
JOBS = Path(".snakemake/jobs.lock")


def hold_run() -> TextIO | None:
    """Hold the project's lock for as long as this process lives, alone.

    Returns:
        The lock; None where another run holds it, or where a job of a run asks Snakemake itself.

    A lock of Snakemake's that is left, while nobody on this host holds ours, is of a run that was
    killed: it is removed. That of another host's run stays, and Snakemake says what to do.
    """
    LOCK.parent.mkdir(exist_ok=True)
    handle = LOCK.open("a+", encoding="utf-8", errors="replace")
    before = _name_of_run()
    if before and before == os.getenv(RUN):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another run, or a file system without locks
        return None
    named = re.fullmatch(r"(\S+) (\d+)( \d+)?", before)  # else it is damaged, and counts as ours
    host, process = named.groups()[:2] if named else (socket.gethostname(), "?")
    left = sorted(Path(".snakemake/locks").glob("*.lock"))
    if left and host != socket.gethostname():
        return handle
    if left:
        print(f"Removing the lock of a run that was killed (process {process}).", file=sys.stderr)
        for path in left:
            path.unlink()
    os.environ[RUN] = f"{socket.gethostname()} {os.getpid()} {time.time_ns()}"
    handle.truncate(0)
    handle.write(f"{os.environ[RUN]}\n")
    handle.flush()
    _wait_for_jobs(process)
    return handle


def _name_of_run() -> str:
    return LOCK.read_text(encoding="utf-8", errors="replace").strip() if LOCK.is_file() else ""


def _wait_for_jobs(process: str) -> None:
    """Wait until no job of an earlier run works any more."""
    with JOBS.open("a") as handle, suppress(OSError):  # of a file system without locks
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                f"Jobs of a run that was killed (process {process}) are still at work: waiting for"
                " their end.",
                file=sys.stderr,
            )
            fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def joined_run() -> Iterator[None]:
    """Be a job of the run that started this process, if any did: the next one waits for its end."""
    run = os.getenv(RUN)
    if not run or not JOBS.is_file():
        yield
        return
    with JOBS.open("rb") as handle:
        with suppress(OSError):  # of a file system without locks
            fcntl.flock(handle, fcntl.LOCK_SH)
        if _name_of_run() != run:
            sys.exit("this job is of a run that was killed, and another run has begun: it ends")
        yield
