"""One run of a project at a time, with the jobs of one that was killed. Only real runs come here.

A run holds `run.lock` by the operating system (flock) and writes there which one it is. Where the
file system has no flock, a file that comes into being by `link`, content and all, takes its place:
it names host, process and the time at which the process was started, which tells a killed run from
one that lives. Jobs know their run from the environment and leave a file each while they work.
Where Snakemake alone is killed its jobs go on: the next run waits for them. One that had not begun
yet sees the other run's name, and ends.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from .places import PLACE, host_name

RUN = "EVENFLOW_RUN"  # in the environment of jobs: name of the process, and time, of their run
LOCK, JOBS = PLACE / "run.lock", PLACE / "jobs"
CLAIM = PLACE / "run.claim"  # where there is no flock
WAIT_S = 0.2
ENDED = "ZX"  # states of a process that has ended and whose parent has not asked yet
OF_SNAKEMAKE = Path(".snakemake/locks")


class AnotherRunError(Exception):
    """Another run is at work here."""


def hold_run() -> TextIO | None:
    """Hold the project for as long as this process lives, alone.

    Returns:
        The lock; None where a job of a run asks Snakemake itself.

    A lock of Snakemake's that is left, while nobody on this host holds ours, is of a run that was
    killed: it is removed. That of another host's run stays, and Snakemake says what to do.

    Raises:
        AnotherRunError: with a sentence, and a remedy.
    """
    LOCK.parent.mkdir(exist_ok=True)
    handle = LOCK.open("a+", encoding="utf-8", errors="replace")
    before = _name_of_run()
    if before and before == os.getenv(RUN):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _another(before) from None
    except OSError as error:
        _hold_without_flock(before, error.strerror)
    left = sorted(OF_SNAKEMAKE.glob("*.lock"))
    if left and is_alive(before) is not None:
        print(f"Removing the lock of a run that was killed ({shown(before)}).", file=sys.stderr)
        for path in left:
            path.unlink()
    name = process_in_full()
    os.environ[RUN] = f"{name} {time.time_ns()}"
    handle.seek(0)
    handle.truncate(0)
    handle.write(f"{os.environ[RUN]}\n")
    handle.flush()
    _wait_for_jobs()
    return handle


def _hold_without_flock(before: str, why: str | None) -> None:
    print(
        f"The file system has no locks here ({why}): runs of this machine are told apart by their"
        " processes, those of other machines not at all.",
        file=sys.stderr,
    )
    if is_alive(before):
        raise _another(before)
    mine = CLAIM.with_name(f"{CLAIM.name}.{os.getpid()}")
    mine.write_text(process_in_full(), encoding="utf-8")
    try:
        said = CLAIM.read_text(encoding="utf-8", errors="replace") if CLAIM.is_file() else ""
        if said and is_alive(said):
            raise _another(said)
        if said:  # a killed run's; of two that find it one renames it, and only that one goes on
            gone = mine.with_name(f"{mine.name}.gone")
            CLAIM.rename(gone)
            gone.unlink()
        os.link(mine, CLAIM)
    except (FileExistsError, FileNotFoundError):
        raise _another("one that began at the same moment") from None
    finally:
        mine.unlink()


def _another(name: str) -> AnotherRunError:
    remedy = "wait for its end, or end it"
    return AnotherRunError(f"another run is using this folder ({shown(name)}). Remedy: {remedy}")


def shown(name: str) -> str:
    """Return the name of a run in words."""
    host, process, *_ = [*name.split(), "?", "?"]
    return f"process {process} of {host}" if process.isdigit() else name or "?"


def process_in_full() -> str:
    """Return host, process and its time of start, by which it is told from a later one."""
    return f"{host_name()} {os.getpid()} {start_of(os.getpid())}"


def start_of(process: int | str) -> str:
    """Return a word that tells a process from a later one of its number; '' where it is gone."""
    with suppress(OSError, IndexError):  # proc(5): state, and start in ticks since the machine was
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        return "" if fields[0] in ENDED else fields[19]
    if Path("/proc/self").exists():
        return ""
    words = ["ps", "-o", "lstart=", "-p", str(process)]  # macOS
    with suppress(OSError):
        said = subprocess.run(words, capture_output=True, text=True).stdout
        return said.strip().replace(" ", "_")
    return ""


def is_alive(name: str) -> bool | None:
    """Say whether the process of a name (`process_in_full`) lives; None on another host.

    A damaged name is nobody's.
    """
    host, process, start, *_ = [*name.split(), "", "", ""]
    if not process.isdigit():
        return False
    if host != host_name():
        return None
    return start != "" and start_of(process) == start


def _name_of_run() -> str:
    with suppress(OSError):
        return LOCK.read_text(encoding="utf-8", errors="replace").strip()
    return ""


def _wait_for_jobs() -> None:
    """Wait until no job of an earlier run works any more on this host."""
    said = False
    for path in JOBS.glob("*"):
        while path.exists() and is_alive(path.name.replace(",", " ")):
            if not said:
                words = "Jobs of a killed run are still running: waiting for them to end."
                print(words, file=sys.stderr)
                said = True
            time.sleep(WAIT_S)
        path.unlink(missing_ok=True)


@contextmanager
def joined_run() -> Iterator[None]:
    """Be a job of the run that started this process, if any did: the next one waits for its end."""
    run = os.getenv(RUN)
    if not run or not LOCK.is_file():
        yield
        return
    JOBS.mkdir(exist_ok=True)
    mine = JOBS / process_in_full().replace(" ", ",")
    mine.touch()
    try:
        if _name_of_run() != run:
            sys.exit(
                "this job belongs to a run that was killed, and another run has begun: the job ends"
            )
        yield
    finally:
        mine.unlink(missing_ok=True)
