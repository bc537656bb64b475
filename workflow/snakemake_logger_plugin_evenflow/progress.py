"""How far a run is, in words: what is being made, how many of how many jobs, the time left."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

SURE_S, SURE_JOBS = 5, 3  # after which the time left is worth saying
SHOWN = 6  # jobs at work that are named
MOST_RULES = 15  # that are named before the first job


class Job(NamedTuple):
    """A job at work."""

    rule: str
    title: str
    started_s: float


class Progress:
    """What is known of a run; times are in seconds of any clock, the same for all.

    Attributes:
        wanted: how many jobs of each rule there are.
        working: the jobs at work by Snakemake's number.
        took: seconds that the jobs of each rule have taken, of those that ended well.
        failed: what the jobs that failed are about, but those that ended well when tried again.
    """

    def __init__(self, now: float) -> None:
        self.began = now
        self.wanted: Counter[str] = Counter()
        self.working: dict[int, Job] = {}
        self.took: dict[str, list[float]] = {}
        self.failed: set[str] = set()

    @property
    def total(self) -> int:
        return self.wanted.total()

    @property
    def done(self) -> int:
        return sum(map(len, self.took.values()))

    def begin(self, number: int, rule: str, title: str, now: float) -> None:
        """Note that a job has begun."""
        self.working[number] = Job(rule, title or rule, now)

    def finish(self, number: int, now: float) -> Job | None:
        """Note that a job has ended well; return it, if it is known."""
        job = self.working.pop(number, None)
        if job:
            self.took.setdefault(job.rule, []).append(now - job.started_s)
            self.failed.discard(job.title)
        return job

    def fail(self, number: int) -> Job | None:
        """Note that a job has failed; return it, if it is known."""
        job = self.working.pop(number, None)
        if job:
            self.failed.add(job.title)
        return job

    def left_s(self, now: float) -> float | None:
        """Estimate the seconds that are left; None where nothing is known yet.

        A job takes what others of its rule took, or else the mean of all; as many are at work as
        were on average.
        """
        every = [took for of_rule in self.took.values() for took in of_rule]
        elapsed = now - self.began
        if len(every) < SURE_JOBS or elapsed < SURE_S:
            return None
        usual = sum(every) / len(every)
        spent = sum(every) + sum(now - job.started_s for job in self.working.values())
        ahead = 0.0
        for rule, wanted in self.wanted.items():
            of_rule = self.took.get(rule, [])
            each = sum(of_rule) / len(of_rule) if of_rule else usual
            ahead += each * (wanted - len(of_rule))
        for job in self.working.values():
            ahead -= min(now - job.started_s, usual)
        return max(ahead, 0.0) / max(spent / elapsed, 1.0)

    def lines(self, now: float, width: int) -> list[str]:
        """Return what a terminal shows while jobs are at work: an empty line, how far, what."""
        left = self.left_s(now)
        said = "" if left is None else f", about {in_words(left)} left"
        found = ["", f"{self.so_far()}{said}"]
        longest = sorted(self.working.values(), key=lambda job: job.started_s)
        found += [f"  {job.title} ({in_words(now - job.started_s)})" for job in longest[:SHOWN]]
        if len(longest) > SHOWN:
            found.append(f"  and {len(longest) - SHOWN} more")
        return [line if len(line) < width else f"{line[: width - 2]}…" for line in found]

    def so_far(self) -> str:
        """Return how many of how many jobs are done, and how many have failed."""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"{self.done} of {self.total} jobs done{failed}"

    def plan(self) -> str:
        """Return how many jobs of which rules there are, in a line; of many rules how many."""
        jobs = f"{self.total} {'job' if self.total == 1 else 'jobs'}"
        if len(self.wanted) > MOST_RULES:
            return f"{jobs} of {len(self.wanted)} rules"
        return f"{jobs}: " + ", ".join(f"{rule} {n}" for rule, n in sorted(self.wanted.items()))


def in_words(seconds: float) -> str:
    """Return a time as a person says it: 7 s, 3 min, 1 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
