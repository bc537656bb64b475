"""What Snakemake does when it is asked to end, and must not do (docs/explanation/upstream.md)."""

from __future__ import annotations

import threading
from contextlib import suppress


def end_without_waiting() -> None:
    """Have SIGTERM end a run of Snakemake wherever it comes.

    Snakemake 9.27 handles it in the thread that it interrupts, and waits there for a lock that
    this thread may hold: for ever. In a thread of its own the handler waits until the lock is free.
    To be called before the jobs are scheduled, which is when Snakemake looks its handler up.
    """
    with suppress(ImportError, AttributeError):  # another version, which may not need it
        from snakemake.scheduling.job_scheduler import JobScheduler

        if hasattr(JobScheduler.exit_gracefully, "mended"):
            return
        handle = JobScheduler.exit_gracefully

        def exit_gracefully(self, *signal) -> None:
            threading.Thread(target=handle, args=(self, *signal), daemon=True).start()

        exit_gracefully.mended = True  # type: ignore[attr-defined]  # as it is ours
        JobScheduler.exit_gracefully = exit_gracefully
