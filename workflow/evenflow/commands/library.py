"""evenflow as a library: the tables of a folder of logs, and its page.

Both start the workflow as a process, as `evenflow report` does: what a program gets are the tables
that the page is made of, to the last bit.
"""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ..errors import DataError
from ..places import Folders
from ..tables import read_table
from .report import study_of, words_for
from .start import environment

LAST = "run_metric"  # of the tables: with it all of them are there


def read(folder: str | PathLike, out: str | PathLike | None = None) -> dict[str, pl.DataFrame]:
    """Read a folder of logs of any known formats.

    Args:
        folder: the logs, which are only read; a dataset.yml in it says what they do not.
        out: keeps the tables, so that a second call reads only what changed; None: nothing is kept.

    Returns:
        Tables by name, in SI units: run, flow, sample, packet_drop, queue_sample, tcp_state,
        window, flow_metric, run_metric, cell, finding, assumption, ledger, ...
        (docs/reference/data-model.md).

    Raises:
        DataError: there is no such folder, or a log of a described data set cannot be read.
    """
    with ExitStack() as stack:
        place = Path(out or stack.enter_context(TemporaryDirectory(prefix="evenflow-")))
        _, place, name = study_of(_named(folder), place)
        tables = f"{Folders().derived}/{name}"
        _make(place, f"{tables}/{LAST}.parquet", name, folder)
        paths = sorted((place / tables).glob("*.parquet"))
        return {path.stem: read_table(path) for path in paths}


def page(folder: str | PathLike, out: str | PathLike) -> Path:
    """Make the page of a folder of logs, a file of HTML that holds all it shows.

    Args:
        folder: the logs, which are only read.
        out: keeps page and tables.

    Returns:
        Where the page is.

    Raises:
        DataError: as `read`.
    """
    _, place, name = study_of(_named(folder), _named(out))
    target = f"{Folders().site}/datasets/{name}/index.html"
    _make(place, target, name, folder)
    return place / target


def _named(folder: str | PathLike) -> Path:
    """Return a folder's path; '' is that of none, and not of the working folder."""
    if not str(folder):
        raise DataError(
            "the name of the folder is empty", remedy="name the folder that holds the logs"
        )
    return Path(folder)


def _make(out: Path, target: str, name: str, folder: str | PathLike) -> None:
    """Make a file of the study of a folder; an error names the folder as its owner does."""
    words = words_for(out, target)
    done = subprocess.run(words, env=environment(out), capture_output=True, text=True)
    if done.returncode:
        said = f"{done.stdout}{done.stderr}"
        problem, _, rest = said.rpartition(" could not be made:\n")[2].strip().partition("\n")
        remedy = rest.strip().partition("\n")[0].removeprefix("Remedy: ")
        raw = f"{Folders().raw}/{name}"
        where = None if raw in problem else folder
        problem = problem.replace(raw, str(folder))
        raise DataError(problem, path=where, remedy=remedy or f"see {out}/logs")
