"""Start Snakemake as a process, as a user would, and say how."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from ..interrupts import HEED
from ..places import PROFILE, refuse_no_study

INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT
PATIENCE_S = 1.5  # in which Snakemake ends that has heard Ctrl-C


def snakemake(*words: str) -> list[str]:
    """Return a command of the Snakemake that is installed beside this package."""
    return [sys.executable, "-m", "snakemake", *words]


def make(*words: str) -> int:
    """Have Snakemake make something of the study in the working folder; return its exit code.

    Args:
        words: options, and what is to be made after `--`.

    Raises:
        DataError: there is no study.
    """
    refuse_no_study()
    here = Path.cwd()
    profile = [] if (here / "profiles/default").is_dir() else ["--workflow-profile", str(PROFILE)]
    command = snakemake("--cores", "all", *profile, *words)
    print(f"$ {shlex.join(command)}", flush=True)
    return run(command, environment(here))


def run(command: list[str], env: Mapping[str, str], meanwhile: Callable = int) -> int:
    """Run Snakemake with our logger until it ends, and say it where Ctrl-C ended it.

    Args:
        command: its words.
        env: its environment.
        meanwhile: what this process does while it runs.

    Returns:
        Its exit code; INTERRUPTED where it was interrupted.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script
        with subprocess.Popen(command, env=env) as process:
            meanwhile()
            return process.wait()
    interrupted: list[int] = []
    env = {**env, HEED: "yes"}
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the new process takes it over
    try:
        with subprocess.Popen(command, env=env) as process:
            # what is imported meanwhile may not survive an exception at any place
            signal.signal(signal.SIGINT, lambda number, _: interrupted.append(number))
            meanwhile()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            code = _code(process, bool(interrupted))
    finally:
        signal.signal(signal.SIGINT, usual)
    if code is None:
        print(
            "Interrupted: what is done so far stays. Say the same command again to go on.",
            file=sys.stderr,
            flush=True,
        )
        return INTERRUPTED
    return code


def _code(process: subprocess.Popen, interrupted: bool) -> int | None:
    """Return the exit code of a process; None where Ctrl-C ended it."""
    try:
        if not interrupted:
            return process.wait()
    except KeyboardInterrupt:
        pass
    # it may still be loading, and seldom waits for ever for a job that has ended
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            process.wait(PATIENCE_S)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(number)
    return None if process.wait() else 0  # it was done already


def environment(out: Path, known: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of a run: caches in OUT where home cannot be written."""
    env = {**known, "PYTHONUTF8": "1"}
    cache = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or "/nonexistent", ".cache"))
    above = next((p for p in (cache / "snakemake", cache, cache.parent) if p.exists()), None)
    if above is None or not above.is_dir() or not os.access(above, os.W_OK):
        env["XDG_CACHE_HOME"] = str(out / ".snakemake/cache")
    return env
