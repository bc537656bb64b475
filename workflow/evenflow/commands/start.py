"""Start Snakemake as a process, as a user would, and say how."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ..places import PROFILE, refuse_no_study


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
    with subprocess.Popen(command, env=environment(here)) as process:
        return process.wait()


def environment(out: Path, known: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of a run: caches in OUT where home cannot be written."""
    env = {**known, "PYTHONUTF8": "1"}
    cache = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or "/nonexistent", ".cache"))
    above = next((p for p in (cache / "snakemake", cache, cache.parent) if p.exists()), None)
    if above is None or not above.is_dir() or not os.access(above, os.W_OK):
        env["XDG_CACHE_HOME"] = str(out / ".snakemake/cache")
    return env
