"""What the page says of the evidence for runs, and what it asks where there is none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from . import joins
from .entities import DEFAULT, GUESS, JOINED, LOGS_SAY, NAMES_SAY, Assumption

BY_DATES = "connections that overlap in time are one run"
BY_NAMES = "by the files' names"
BY_ENDS = "client's and server's logs joined by the addresses and ports of their connections"
BY_ORDER = "the tests of the logs are paired in their order"
BY_HOSTS = "the logs of the numbered hosts of a folder are one run"
BOTH_ENDS = "what one log calls its own address and port the other calls its peer's"
NOTHING_TELLS = "no name and no date tells what ran together"
# evidence: how the page says it, why, and how sure that is
SAID = {
    joins.BY_NAMES: (BY_NAMES, "they tell flows apart", NAMES_SAY),
    joins.BY_ORDER: (
        BY_ORDER,
        "the logs have no dates that part them, and equally many tests of equal length",
        GUESS,
    ),
    joins.BY_ENDS: (BY_ENDS, BOTH_ENDS, LOGS_SAY),
    joins.BY_DATES: (BY_DATES, "the logs give the date of each connection", LOGS_SAY),
}
SURER = (LOGS_SAY, NAMES_SAY, DEFAULT, GUESS)  # the surest first

ANSWERS = {  # kinds of doubts: how it is taken, and what to say if that is wrong
    joins.ONE_OR_TWO: (
        "they are not taken as one run",
        "if they ran at once: a table runs.csv (columns path, run) with one run for both",
    ),
    joins.AT_ONCE: (
        "they are not one run",
        "if they are: a table runs.csv (columns path, run) with one run for all",
    ),
    joins.TWO_NETWORKS: (
        "they are not taken as one run",
        "if they are: a table runs.csv (columns path, run) with one run for both",
    ),
    joins.COUNTS_WHAT: (
        "it is taken as a setting: logs of one number are one run",
        "if it counts flows: 'files:' with {flow} in its place",
    ),
    joins.PORTS_AGAIN: (
        "they are not joined",
        "to join them: a table runs.csv (columns path, run), a log a test",
    ),
    joins.CLAIMS: (
        "they are not joined by their names",
        "to join them: a table runs.csv (columns path, run, flow)",
    ),
    joins.ONE_AT_A_TIME: (
        "they are not joined by their names",
        "if they are one run all the same: a table runs.csv (columns path, run)",
    ),
    joins.UNLIKE_LENGTHS: (
        "they are not joined by their names",
        "if they are one run: a table runs.csv (columns path, run)",
    ),
    joins.PARTED_BY_DATES: (
        "the dates in their logs say that they did not run together, and count",
        "if a clock was wrong: a table runs.csv (columns path, run) with one run for all",
    ),
}
NOT_TAKEN = (joins.CLAIMS, joins.ONE_AT_A_TIME, joins.UNLIKE_LENGTHS, joins.PARTED_BY_DATES)


def list_runs(runs: list[joins.Run]) -> list[Assumption]:
    """Return rows on how runs were found: how many by which evidence."""
    count: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        count[_said_of(run)] += 1
    return [
        Assumption("runs", f"{n}, {how}", because, "", certainty, JOINED)
        for (how, because, certainty), n in sorted(count.items())
    ]


def _said_of(run: joins.Run) -> tuple[str, str, str]:
    if len(run.tests) == 1:
        if len(run.tests[0].streams) > 1:
            return "each log, or test in it, is one", "it holds several flows", LOGS_SAY
        return "each log, or test in it, by itself", NOTHING_TELLS, DEFAULT
    if is_weak(run):
        because = (
            "their names differ in the host only, and they have no dates: weak evidence, below are "
            "the lines that say the opposite"
        )
        return BY_HOSTS, because, GUESS
    parts = [SAID[which] for which in SAID if which in run.evidence]
    how = "; ".join(part[0] for part in parts)
    because = "; ".join(part[1] for part in parts)
    return how, because, max((part[2] for part in parts), key=SURER.index)


def is_weak(run: joins.Run) -> bool:
    """Return whether nothing but the numbers of hosts in names says that logs are one run."""
    return run.evidence == {joins.BY_NAMES} and joins.is_weak(run.tests)


def list_doubts(doubts: Iterable[joins.Doubt]) -> list[Assumption]:
    """Return what is asked of a folder: a row a kind of doubt, with its count and an example."""
    of_kind: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for doubt in doubts:
        of_kind[doubt.kind].add(doubt.paths)
    rows = []
    for kind, examples in sorted(of_kind.items()):
        taken, otherwise = ANSWERS[kind]
        first, n = min(examples), len(examples)
        shown = " and ".join(first[:2]) + (f" and {len(first) - 2} more" if len(first) > 2 else "")
        value = f"{n} {'case' if n == 1 else 'cases'} of doubt: {kind}"
        if kind in NOT_TAKEN:
            value = f"{n} that names suggest {'is' if n == 1 else 'are'} not taken as such: {kind}"
        elif kind == joins.AT_ONCE:
            value = f"{len(first)} that ran at the same time are not one: {kind}"
        elif kind == joins.TWO_NETWORKS:
            value = f"{n} that ran at the same time {'is' if n == 1 else 'are'} not one: {kind}"
        elif kind == joins.ONE_OR_TWO:
            value = f"{n}, each log by itself: {kind}"
        lines = [f"# {shown}: {kind}", f"#   as it is: {taken}", f"#   {otherwise}"]
        because = f"{shown}; {taken}"
        rows.append(Assumption("runs", value, because, "\n".join(lines), GUESS, JOINED))
    return rows
