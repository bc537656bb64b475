"""What settles a finding: lines of dataset.yml, of each finding its own."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from ..confirmed import confirming, excluding, ignoring, sentence
from ..ingest.ignoring import literal
from .files import UNREAD
from .logs import OTHER_CCA
from .steadiness import FEW, NONE

WITHOUT_WARMUP = "steady_state: {warmup_s: 0}"
# check -> the line that settles all of its findings
LINES = {FEW: WITHOUT_WARMUP, NONE: WITHOUT_WARMUP, OTHER_CCA: "cca_from: logs"}
# checks of files, which are settled where the file is said to be no log
OF_FILES = ("doubtful log", "no file", "unknown file", "unreadable file", UNREAD)
MOST_LEFT_OUT = 0.5  # of the runs: if more are wrong, leaving them out is no remedy
NONE_NEEDED = "none"  # as the remedy begins
SAID = ("check", "run_id", "path", "message")  # what a sentence is made of


def with_lines(found: pl.DataFrame, n_runs: int) -> pl.DataFrame:
    """Fill in the column `yaml` where the check itself has not.

    A warm-up that is cut less, which of two names counts, a file that is no log; else the run is
    left out, if not more than half of the runs are so; else it is said that it is known. A note is
    only ever known. An error that no such line can settle has none.

    Args:
        found: FINDING.
        n_runs: of the data set.
    """
    wrong = (
        found.drop_nulls("run_id")
        .group_by("check", maintain_order=True)
        .agg(pl.col("run_id").n_unique())
    )
    few = {check for check, n in wrong.rows() if n <= MOST_LEFT_OUT * n_runs}
    lines = [
        given or _lines(few, *said)
        for given, *said in found.select("yaml", "remedy", "severity", *SAID).rows()
    ]
    return found.with_columns(pl.Series("yaml", lines, pl.String))


def _lines(
    few: Collection[str],
    remedy: str,
    severity: str,
    check: str,
    run: str | None,
    path: str | None,
    message: str,
) -> str | None:
    if severity != "note" and check in LINES:
        return LINES[check]
    if check in OF_FILES and path is not None:
        return ignoring([literal(path)])
    wrong = severity != "note" and not remedy.startswith(NONE_NEEDED)
    if wrong and run is not None and check in few:
        return excluding({run: f"{check}: {message}"})
    return None if severity == "error" else confirming(_sentence(check, run, path, message))


def _sentence(check: str, run: str | None, path: str | None, message: str) -> str:
    return sentence(check, run or path, message)


def without_confirmed(found: pl.DataFrame, confirmed: Collection[str]) -> pl.DataFrame:
    """Return the findings that dataset.yml does not say are known; errors stay.

    Args:
        found: FINDING.
        confirmed: the sentences of dataset.yml.
    """
    if not confirmed:
        return found
    known = {*confirmed}
    kept = [
        severity == "error" or _sentence(*said) not in known
        for severity, *said in found.select("severity", *SAID).rows()
    ]
    return found.filter(pl.Series(kept, dtype=pl.Boolean))
