"""A run of the workflow: what it may remove, what it makes again, and what it says of that."""

from __future__ import annotations

import atexit
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..paths import printable
from ..places import KEPT, folders
from . import receipts
from .clearing import Clearing, settle
from .door import RefusedError, start_at_once
from .failures import say_lost
from .gone import There, gone_files, is_gone, what
from .journal import end_journal
from .known import Known
from .locking import AnotherRunError, hold_run
from .owners import claim_roots
from .places import PLACE, tops, write_whole
from .raw_data import RawData
from .scratch import empty_job_folders
from .start import collect_again

TIDIED = f"{PLACE}/tidied"  # output of the job that removes what is gone
SAID = "was changed after it was made"  # a reason that is said before the run


class Upkeep:
    """What comes through the door (`door.Guest`).

    Args:
        workflow: Snakemake's.
        there: what data sets, papers and comparisons there are.
        raw: what is known of raw files.
        lost: files with findings of papers that their data do not support any more, a line each;
            these are said at the end of every real run.
        failed: called with the jobs that were to run, when some have failed.
        states: what returns the states of what else jobs have read, by its names in receipts.
    """

    def __init__(
        self,
        workflow: Any,
        there: There,
        raw: RawData,
        lost: Iterable[str],
        failed: Callable[[list], None],
        states: Mapping[str, Callable[[], str]] | None = None,
    ) -> None:
        self.workflow, self.there, self.raw = workflow, there, raw
        self.states = states or {}
        self.lost, self.failed = [*lost], failed
        self.real, self.started = False, False
        self.lock: TextIO | None = None
        self._known: Known | None = None
        self.clearing: Clearing | None = None

    @property
    def known(self) -> Known:
        """The receipts, read when they are asked for first; a real run holds the lock by then."""
        if self._known is None:
            self._known = Known()
        return self._known

    def begin(self, real: bool) -> None:
        """Take the lock, if it is a real run."""
        if not real:
            return
        try:
            self.lock = hold_run()
        except AnotherRunError as error:
            raise RefusedError(str(error)) from None
        if not self.lock:  # a job of a run that asks Snakemake itself
            return
        if why := claim_roots():
            raise RefusedError(why)
        self.real = True
        keep_folders()
        self._known = None  # what it was before the lock may have been of another run's middle
        self.known.end_begun()
        self.clearing = Clearing(self.known)
        empty_job_folders(self.workflow.snakemake_tmp_dir)
        # not in onsuccess, which Snakemake leaves out where nothing had to be made
        atexit.register(say_lost, self.lost)
        atexit.register(self._end)

    def why_again(self, outputs: Sequence[str]) -> str | None:
        """Say why a job must run again; what was changed by other hands is said on the screen."""
        if list(outputs) == [TIDIED]:
            return "something is gone"
        why = self.known.why_again(outputs, self._now, time.time())
        if why and (SAID in why or "in the future" in why):
            print(f"{printable(why)}: it is made again.", file=sys.stderr)
        return why

    def _now(self, name: str, kept: receipts.Raw) -> receipts.Raw | None:
        if name in self.states:
            return [self.states[name](), "", ""]
        return self.raw.now(name, kept)

    def gone(self) -> list[str]:
        """List what is ours of data sets, papers and comparisons that are gone."""
        return [p for p in gone_files(self.known.files, self.there) if self.known.is_ours(p)]

    def start(self, jobs: Iterable[Any]) -> None:
        """Have nothing lie where jobs are going to write."""
        if not self.real or self.clearing is None:
            return
        self.started = True
        collect_again()
        start_at_once(self.workflow)
        for path, text in self.raw.laid_down().items():
            if not path.is_file() or path.read_bytes() != text.encode():
                write_whole(path, text)
        self.known.keep_times()
        self.known.drop_shared()
        made = [job for job in jobs if list(job.output) != [TIDIED]]
        for job in made:
            for log in job.log:
                self.clearing.clear_odd(str(log))
            for path in job.output:
                self.clearing.clear(str(path), replaced=is_replaced(path))
        for job in made:
            self.known.forget(str(path) for path in job.output if not is_replaced(path))
        if self.clearing.n_aside:
            print(
                f"{self.clearing.n_aside} files, folders or links were in the place of outputs, and"
                f" evenflow did not make them: they were moved to {self.clearing.folder}."
                " Those that are made again byte for byte are removed from there.",
                file=sys.stderr,
            )

    def fail(self, jobs: Iterable[Any]) -> None:
        """Say what went wrong."""
        if self.real:
            self.failed(list(jobs))

    @contextmanager
    def noticing(self, path: str) -> Iterator[None]:
        """Have a notice written in the place of a page; the next run makes the page by its rule."""
        if self.clearing:
            self.clearing.clear(path)
        yield
        receipts.keep_receipt("notice", {}, [path], good=False)

    def _end(self) -> None:
        """Say what was set aside and differs from what was made; keep times."""
        if not self.started:
            self.known.keep_times()
        drop_gone(self.known, self.there)
        kept, waiting = settle()
        for path, target in kept:
            print(
                f"{printable(path)}: what was there is now in {printable(target)}.", file=sys.stderr
            )
        if waiting:
            print(
                f"{waiting} files or folders stay in set-aside/ until their outputs are made"
                " and can be compared with them.",
                file=sys.stderr,
            )
        end_journal()


def keep_folders() -> None:
    """Keep where the study has its files, for commands that read no configuration."""
    text = json.dumps(folders()._asdict())
    if not KEPT.is_file() or KEPT.read_text(encoding="utf-8") != text:
        write_whole(KEPT, text)


def is_replaced(path: Any) -> bool:
    """Say whether an output of a job stays until the job replaces it: Snakemake's flag `update`."""
    return bool(getattr(path, "flags", {}).get("update"))


def drop_gone(known: Known, there: There) -> None:
    """Remove the receipts of what is gone, if none of their outputs is there as it was made.

    The user may have removed some or all of them by hand, with the folder of a paper. A receipt
    that no job will ever renew would say for ever that the site is not as it was made.
    """
    for path, receipt in known.receipts.items():
        outputs = receipt.outputs
        if not outputs or not all(is_gone(output, there) for output in outputs):
            continue
        if not any(map(known.is_ours, outputs)):
            if any(map(known.is_ours, receipt.logs)):  # they stay ours, for `make clean`
                receipts.write_receipt(receipts.Receipt(receipt.rule, {}, {}, logs=receipt.logs))
            Path(path).unlink(missing_ok=True)


def remove_gone(paths: Iterable[str]) -> list[str]:
    """Remove files of what is gone, if they are ours; return a sentence for each such thing."""
    known = Known()
    removed = known.remove(paths, tops())
    count: dict[str, int] = {}
    for path in removed:
        count[what(path)] = count.get(what(path), 0) + 1
    return [f"there is no {name}: {n} files of it are removed" for name, n in count.items()]
