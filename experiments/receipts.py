"""The runs of a campaign that are to be made, as the receipts that its grid asks Snakemake for.

A run's files are no outputs of rules, so that no rule that reads raw data can set off an
experiment: a temporary receipt is. A grid asks only for the runs that are not there, so that no
edit of code or settings makes a finished run again; remove its folder to have it made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

RAW = Path("data/raw")
RECEIPTS = Path("data/derived/experiments")


def minutes(limit_s: float) -> int:
    """Return the minutes that a batch system must allow a run which stops itself after a time."""
    return int(limit_s) // 60 + 5


def missing(runs: Iterable[str], raw: Path = RAW) -> list[str]:
    """Return the runs, by their paths below `raw`, that are not there yet, in their order."""
    return [run for run in runs if not Path(raw, run, "run.json").exists()]


def receipts(runs: Iterable[str], most: int | None = None) -> list[str]:
    """Return the receipts of the runs that are not there yet.

    Args:
        runs: paths below data/raw, in the order in which they are wanted.
        most: of how many runs; None for all.
    """
    wanted = [f"{RECEIPTS}/{run}.done" for run in missing(runs)[:most]]
    for receipt in wanted:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return wanted
