"""The runs of a campaign that are to be made, as the receipts that its grid asks Snakemake for.

A run's files are no outputs of rules, so that no rule that reads raw data can set off an
experiment: a temporary receipt is. A grid asks only for the runs that are not there, so that no
edit of code or settings makes a finished run again; remove its folder to have it made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

RAW = Path("data/raw")
RECEIPTS = Path("data/derived/experiments")


def minutes(limit_s: float) -> int:
    """Return the minutes that a batch system must allow a run which stops itself after a time."""
    return int(limit_s) // 60 + 5


def missing(runs: Iterable[str], raw: Path = RAW) -> list[str]:
    """Return the runs, by their paths below `raw`, that are not there yet, in their order."""
    return [run for run in runs if not Path(raw, run, "run.json").exists()]


def receipts(workflow: Any, runs: Iterable[str], most: int | None = None) -> list[str]:
    """Return the receipts of the runs that are not there yet, for Snakemake to make.

    Those that lie there, of runs that were made and then removed, are made again: Snakemake is told
    so, and a dry run removes nothing.

    Args:
        workflow: Snakemake's, of the calling file.
        runs: paths below data/raw, in the order in which they are wanted.
        most: of how many runs; None for all.
    """
    wanted = [f"{RECEIPTS}/{run}.done" for run in missing(runs)[:most]]
    if workflow.is_main_process:  # a job of a cluster is of a run that has looked
        workflow.dag.forcefiles.update(wanted)
    return wanted
