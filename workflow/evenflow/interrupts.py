"""What Ctrl-C does to the processes of a run: they end without a traceback.

A terminal sends SIGINT to all of them at once. `evenflow` starts Snakemake so that it ignores the
signal while it loads its own modules, of which a traceback would tell nobody anything. The logger
of Snakemake has it end as usual from then on, and jobs see the signal from their start.
"""

from __future__ import annotations

import os
import signal
import sys
from types import TracebackType

HEED = "EVENFLOW_HEED"  # in the environment of a Snakemake that `evenflow` started
SCREEN = "EVENFLOW_SCREEN"  # in the environment of jobs whose failures are said by the run


def end_quietly() -> None:
    """Have this process print nothing where Ctrl-C ends it; its exit code stays."""
    usual = sys.excepthook

    def said(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            usual(kind, error, where)

    sys.excepthook = said


def heed() -> None:
    """Have Ctrl-C end this process from now on, though `evenflow` started it to ignore it.

    A run in the background of a script ignores it for good.
    """
    if HEED in os.environ and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    end_quietly()


if SCREEN in os.environ:  # of a job, while it still imports
    end_quietly()
