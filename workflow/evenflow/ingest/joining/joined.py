"""What joining tests gives: runs and the evidence for each, copies, and what is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .clocks import Clocks
from .units import Unit

BY_NAMES, BY_ORDER, BY_ENDS, BY_DATES, ALONE = "names", "order", "ends", "dates", "alone"
BY_DEVICES, BY_COOKIES, BY_PORTS = "devices", "cookies", "ports"


class Doubt(NamedTuple):
    """What cannot be known of some logs, and is asked."""

    kind: str
    paths: tuple[str, ...]  # an example


# kinds of doubts
CLAIMS = "names give several logs one place of one run"
ONE_AT_A_TIME = "names join tests that one server of iperf3 served, which serves one at a time"
UNLIKE_LENGTHS = "names join undated logs of unlike length"
PARTED_BY_DATES = "names join logs that dates separate"
PORTS_AGAIN = "several tests used the same ports, so it is unclear which logs belong together"
OTHER_ENDS = "logs of clients and of their server, which nothing pairs: the same tests twice?"
TWO_ENDS = (
    "a client's and a server's log in one run, which began, lasted and carried alike, and name no "
    "address in common: the two ends of one flow, behind NAT or in a container?"
)
END_UNSAID = "two logs of one connection, and neither says which is the server's"
COUNTS_WHAT = "a number behind the variant of a flow may count flows, or be a setting"
FAILED_AMONG = (
    "undated logs of several tests, of which some failed, at other places in each log: which of "
    "the others ran together?"
)
ONE_OR_TWO = (
    "two logs, whose names differ only in a variant, a place or a number, may have run together, "
    "or one after the other"
)
AT_ONCE = "names give them other repeats or settings"
ONE_SERVER = (
    "ran at the same time by their dates, but name one server (address and port), which serves one "
    "test at a time"
)
BY_PATTERNS = "ran at the same time by their dates, but patterns under files: separate them"
TWO_NETWORKS = "ran at the same time in folders that share no network"
IN_ONE_LOG = "tests of one log ran at the same time by their dates"


@dataclass(slots=True, eq=False)
class Run:
    """Tests that ran together, and the evidence for it, the weakest that was needed."""

    tests: list[Unit]
    evidence: set[str] = field(default_factory=set)


class Joined(NamedTuple):
    """What `join` found."""

    runs: list[Run]
    copies: list[tuple[Unit, Unit]]  # and what they are copies of
    doubts: list[Doubt]
    beside: dict[str, tuple[tuple, tuple]]  # of `roles.read_roles`
    clocks: Clocks


class Runs:
    """Tests in groups that grow."""

    def __init__(self, tests: list[Unit]):
        self.of = {id(test): Run([test]) for test in tests}

    def unite(self, tests: Iterable[Unit], evidence: str) -> None:
        first, *others = tests
        run = self.of[id(first)]
        for other in others:
            its = self.of[id(other)]
            if its is run:
                continue
            if len(its.tests) > len(run.tests):
                run, its = its, run
            run.tests += its.tests
            run.evidence |= its.evidence | {evidence}
            for test in its.tests:
                self.of[id(test)] = run

    def same(self, one: Unit, other: Unit) -> bool:
        return self.of[id(one)] is self.of[id(other)]

    def all(self) -> list[Run]:
        return list({id(run): run for run in self.of.values()}.values())


def doubt_of(kind: str, tests: Iterable[Unit]) -> Doubt:
    return Doubt(kind, tuple(sorted({t.path for t in tests})))
