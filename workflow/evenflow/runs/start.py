"""What the process that starts jobs needs before it reads rules."""

from __future__ import annotations

import gc
import os
import shlex
import sys


def refuse_folder(folder: str) -> str | None:
    """Say why a study cannot lie in a folder; None where it can.

    Snakemake would take braces for wildcards, and PATH has colons between its folders.
    """
    if not {*folder} & {*"{}:\n"}:
        return None
    problem = "evenflow cannot work in a folder whose path has a brace, a colon or a line break"
    return f"{folder}: {problem}. Remedy: move the project"


def prepare() -> None:
    """Have jobs find their Python and a user's name, and waste no time on looking for cycles.

    Snakemake starts scripts by `sys.executable` without quoting it: a space in it would part it.
    """
    gc.disable()  # until jobs start: of 600,000 files all is kept, and looking takes seconds
    os.environ.setdefault("LOGNAME", str(os.getuid()))  # a container's user may have no name
    if shlex.quote(sys.executable) != sys.executable:
        folders = [os.path.dirname(sys.executable), os.getenv("PATH", "")]  # noqa: PTH120
        os.environ["PATH"] = os.pathsep.join(folders)
        sys.executable = "python"


def collect_again() -> None:
    """Have Python look for cycles again; what is there now stays to the end, and is left out."""
    gc.freeze()
    gc.enable()
