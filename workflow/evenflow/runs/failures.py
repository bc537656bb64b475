"""What the logs of failed jobs say: what is wrong, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from ..paths import printable

REMEDY = ". Remedy: "  # between problem and remedy in the message of a DataError


class Unmade(NamedTuple):
    """Of a page that could not be made: its subject, {what failed: (problem, remedy)}.

    Nothing failed where the run was ended from outside.
    """

    subject: str
    causes: Mapping[str, tuple[str, str]]


def split_message(text: str, log: str) -> tuple[str, str]:
    """Return problem and remedy of what a job's log says; `log` is its path.

    The log of an error in the data is a DataError's message; that of an error in the project ends
    with Python's own.
    """
    problem, found, remedy = text.strip().partition(REMEDY)
    if found:
        return problem, remedy
    last = text.strip().splitlines()[-1:] or ["it says nothing"]
    return last[0], f"see {log}; if it looks like a mistake of evenflow, please report it"


def summary(
    failed: Mapping[str, tuple[str, str]], acts: Mapping[str, tuple[str, str]] | None = None
) -> str:
    """Return three lines for each data set or report that failed: which, what, what to do.

    Args:
        failed: problem and remedy of what could not be made.
        acts: the same of what makes nothing, as a verification.
    """
    heads = {f"{subject} could not be made:": said for subject, said in failed.items()}
    heads |= {f"{act}: failed": said for act, said in (acts or {}).items()}
    lines = []
    for head, (problem, remedy) in heads.items():
        lines += ["", head, f"  {problem}", f"  Remedy: {remedy}"]
    return "\n".join(lines)


class Failures:
    """What went wrong in a run, by its jobs.

    Args:
        jobs: Snakemake's, those that were to run.
        raw: the folder of the data sets.
        since_s: when the run was started, in s since 1970: older logs are of another one.
    """

    def __init__(self, jobs: Iterable[Any], raw: str, since_s: float) -> None:
        self.jobs, self.raw = list(jobs), raw
        self.said: dict[Any, tuple[str, str]] = {}
        for job in self.jobs:
            for log in map(Path, job.log):
                about = log.stat() if log.is_file() else None
                if about and about.st_mtime >= since_s and about.st_size:
                    self.said[job] = split_message(log.read_text(encoding="utf-8"), str(log))

    def subject(self, job: Any) -> str:
        """Name what a job is about: a data set, a paper, a comparison, or else its rule."""
        of = job.wildcards_dict or {}
        if "dataset" in of:
            return f"{self.raw}/{of['dataset']}"
        return of.get("paper") or of.get("comparison") or job.rule.name

    def unmade(self, above: Callable[[Any], Set[Any]]) -> dict[str, Unmade]:
        """Return {page that could not be made: what it is about, and why}.

        Args:
            above: returns the jobs that a job needs, directly or through others.
        """
        found = {}
        for job in self.jobs:
            html = getattr(job.output, "html", None)
            if html:
                failed = above(job) & self.said.keys()
                causes = {self.subject(one): self.said[one] for one in self.said if one in failed}
                found[str(html)] = Unmade(self.subject(job), causes)
        return found

    def summary(self, refused: Mapping[str, tuple[str, str]]) -> str:
        """Say again what was wrong: Snakemake lists all inputs of a job that failed, often dozens.

        Args:
            refused: {what can be no data set: (problem, remedy)}.
        """
        made = {self.subject(job): said for job, said in self.said.items() if job.output}
        # 'Listing the raw files': nothing is made that could be named
        acts = {
            job.rule.message or job.rule.name: said
            for job, said in self.said.items()
            if not job.output
        }
        return summary({**made, **refused}, acts)


def say_lost(texts: Iterable[str | Path]) -> None:
    """Say which findings the data of papers do not support any more, a line each.

    Args:
        texts: files with such lines, those that are there.
    """
    for text in map(Path, texts):
        lines = text.read_text(encoding="utf-8").split("\n") if text.is_file() else []
        for line in filter(None, lines):
            print(f"No longer supported: {printable(line)}", file=sys.stderr)
