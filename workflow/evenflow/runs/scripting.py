"""What the command-line scripts share: errors of the user's data end without a traceback."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import DataError
from ..interrupts import SCREEN
from .locking import joined_run
from .receipts import Read, distrust, keep_log, keep_receipt, read_states


@contextmanager
def reporting_errors(
    log: str | Path, without: Callable[[Mapping[str, Read]], set[str]] | None = None
) -> Iterator[None]:
    """Be a job of a run, and keep what its outputs are like when it ends well.

    `without` says at the end which of its inputs they do not depend on.

    A DataError ends the process with its message; whatever went wrong is written to `log`.

    Where a script fails and a table that it reads is damaged, that is what went wrong: the table is
    named, and the next run makes it again.
    """
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).write_text("", encoding="utf-8")
    try:
        with joined_run():
            read = read_states(inputs())  # before the job reads them
            yield
            for path in without(read) if without else ():
                del read[path]
            keep_receipt(rule(), read, outputs(), [str(log)])
    except DataError as error:
        Path(log).write_text(f"{error}\n", encoding="utf-8")
        keep_log(rule(), str(log))
        sys.exit(said(error))
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException:  # Polars' panics are no Exception
        text = traceback.format_exc()
        damaged = [path for path in inputs() if is_damaged(path)]
        if damaged:
            distrust(damaged)
            problem = "the table is damaged"
            remedy = "run make: it is made again from the raw logs"
            text = f"{DataError(problem, path=', '.join(damaged), remedy=remedy)}\n"
        Path(log).write_text(text, encoding="utf-8")
        keep_log(rule(), str(log))
        if damaged or SCREEN in os.environ:
            sys.exit(said(text.rstrip()))
        raise
    end_job()


def end_job() -> None:
    """End the process of a job that is done, with code 0; do nothing where no job runs.

    Python would take its modules apart first, for longer than many a job works (0.04 s with Polars,
    0.2 s with all libraries). What was asked to run at the end runs, what was said is out. Where
    it cannot be, Python ends the process as it always does, and says so.
    """
    if not rule():
        return
    atexit._run_exitfuncs()  # what Python itself calls
    with suppress(OSError):
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(0)


def said(error: object) -> str | int:
    """Return what a script that failed ends with; nothing where the run says it at its end."""
    return 1 if SCREEN in os.environ else f"\nerror: {error}\n"


def rule() -> str:
    """Return the name of the rule whose script runs; empty outside of Snakemake."""
    running = getattr(sys.modules["__main__"], "snakemake", None)
    return running.rule if running else ""


def inputs() -> list[str]:
    """Return the files that the script that runs reads, as Snakemake hands them to it."""
    running = getattr(sys.modules["__main__"], "snakemake", None)
    return [str(path) for path in running.input] if running else []


def outputs() -> list[str]:
    """Return the files that the script that runs makes."""
    running = getattr(sys.modules["__main__"], "snakemake", None)
    return [str(path) for path in running.output] if running else []


def is_damaged(path: str) -> bool:
    """Return whether a file is a table (Parquet) that cannot be read."""
    if not path.endswith(".parquet") or not Path(path).is_file():
        return False
    import polars as pl  # here: a script that fails, not every script, may have to load it

    try:
        pl.read_parquet(path, glob=False)
    except BaseException:  # see above
        return True
    return False
