"""What `make` shows instead of Snakemake's log, which is written to .snakemake/log all the same.

On a terminal a few lines at its bottom: how many of how many jobs, the time left, what is being
made. Elsewhere a line a job. A job that fails is named; what was wrong, and the remedy, is said
once, at the end (rules/upkeep.smk). Snakemake's own warnings and errors are shown as they are.

Snakemake finds the package by its name where `workflow` is in PYTHONPATH: `--logger evenflow`.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from logging import WARNING, LogRecord

from evenflow.interrupts import SCREEN, heed
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from .progress import Progress, in_words

TICK_S = 0.5
NOTHING = "Nothing to be done"
OF_JOBS = "RuleException:\nCalledProcessError"  # of a job that failed, before that is said
# said once more, in other words, when jobs have failed
AGAIN = (
    "Exiting because a job execution failed",
    "WorkflowError:\nAt least one job did not complete",
)
CLEAR = "\x1b[J"  # from the cursor to the end of the screen


class LogHandler(LogHandlerBase):
    """The handler that Snakemake takes. Its records come from one thread, drawing is another's."""

    writes_to_stream = True
    writes_to_file = needs_rulegraph = False
    has_filter = True
    has_formatter = False

    def __post_init__(self) -> None:
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.progress = Progress(time.monotonic())
        self.drawn = False
        self.ended = threading.Event()
        os.environ[SCREEN] = "yes"
        heed()
        if self.stream.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            self._draw_words(["Checking what has to be made ..."])
            self.ticker = threading.Thread(target=self._tick, daemon=True)
            self.ticker.start()
        else:
            self.ticker = None

    def emit(self, record: LogRecord) -> None:
        event = getattr(record, "event", None)
        now = time.monotonic()
        with self.lock:
            if self.common_settings.dryrun:
                self._say(self.format(record))
            elif event == LogEvent.RUN_INFO:
                self._plan(record.stats, now)
            elif event == LogEvent.JOB_INFO:
                self.progress.begin(record.jobid, record.rule_name, record.rule_msg, now)
            elif event == LogEvent.JOB_FINISHED:
                self._finish(record.job_id, now)
            elif event == LogEvent.JOB_ERROR:
                self._fail(record.jobid, record.log)
            elif event == LogEvent.GROUP_ERROR:
                for job in record.job_error_info:
                    self._fail(job["jobid"], job["log"])
            elif record.levelno >= WARNING or NOTHING in str(record.msg):
                self._pass_on(str(self.format(record)))

    def _plan(self, stats: dict, now: float) -> None:
        self.progress = Progress(now)
        self.progress.wanted.update({k: n for k, n in stats.items() if k != "total"})
        if not self.ticker:
            self._say(self.progress.plan())

    def _finish(self, number: int, now: float) -> None:
        job = self.progress.finish(number, now)
        if job and not self.ticker:
            count = f"{self.progress.done} of {self.progress.total}"
            self._say(f"{count}: {job.title} ({in_words(now - job.started_s)})")
        self._draw()

    def _fail(self, number: int, logs: list[str]) -> None:
        job = self.progress.fail(number)
        if job:
            self._say(f"failed: {job.title} ({', '.join(map(str, logs))})")
        self._draw()

    def _pass_on(self, text: str) -> None:
        if not text.startswith(OF_JOBS) and not (self.progress.failed and text.startswith(AGAIN)):
            self._say(text)

    def _say(self, text: str) -> None:
        """Write lines that stay."""
        self._clear()
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def _clear(self) -> None:
        if self.drawn:
            self.stream.write(CLEAR)
            self.drawn = False

    def _draw(self) -> None:
        """Show how far the run is, and leave the cursor where that begins.

        What others write then comes first, and the rest is cleared when it is drawn again. Nothing
        is shown while no job is at work: it is then that a run ends and says how.
        """
        if not self.ticker:
            return
        if not self.progress.working:
            self._clear()
            self.stream.flush()
            return
        self._draw_words(self.progress.lines(time.monotonic(), shutil.get_terminal_size().columns))

    def _draw_words(self, lines: list[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        self.stream.write(f"\r{CLEAR}{text}\x1b[{len(lines)}A")
        self.stream.flush()
        self.drawn = True

    def _tick(self) -> None:
        while not self.ended.wait(TICK_S):
            with self.lock:
                if self.progress.total:
                    self._draw()

    def close(self) -> None:
        """Leave the terminal as it was, with what was done in a line."""
        if self.ended.is_set():
            return
        self.ended.set()
        with self.lock:
            self._clear()
            if self.progress.total and not self.common_settings.dryrun:
                took = in_words(time.monotonic() - self.progress.began)
                self._say(f"{self.progress.so_far()} in {took}.")
        super().close()
