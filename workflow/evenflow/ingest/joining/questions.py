"""What cannot be known of the runs that were found, and is asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from .by_names import excluded
from .clocks import CLOCKS_S, HALF, Clocks
from .joined import IN_ONE_LOG, ONE_OR_TWO, OTHER_ENDS, Doubt, Run, doubt_of
from .roles import SIDE, WEAK
from .units import CLIENT, SERVER, Unit, may_be_ends, span_s

NEAR = 40  # runs next to one, by date and name, that are looked at for what to ask


def asked_about(runs: list[Run], clocks: Clocks) -> Iterator[Doubt]:
    """Yield runs whose names differ in nothing but a weak label, where dates do not tell."""
    of_rest: dict[tuple, list[Run]] = defaultdict(list)
    for run in runs:
        test = run.tests[0]
        weak = {i for i, role in test.roles.items() if role.role in WEAK | {SIDE}}
        if weak:
            rest = tuple("*" if i in weak else text for i, text in enumerate(test.key[1]))
            of_rest[test.key[0], rest].append(run)
    for alike in of_rest.values():
        tests = sorted((run.tests[0] for run in alike), key=lambda t: (t.start_s or 0.0, t.path))
        for i, test in enumerate(tests):
            near = tests[i + 1 : i + 1 + NEAR]
            other = next((o for o in near if _may_be_one(test, o, clocks)), None)
            if other is not None:
                yield doubt_of(ONE_OR_TWO, (test, other))


def at_once_in_one_log(tests: list[Unit]) -> Iterator[Doubt]:
    """Yield logs that clients of one run may have shared: two of their tests overlap by dates."""
    dated: dict[tuple, list[Unit]] = defaultdict(list)
    for test in tests:
        if test.n_tests > 1 and test.start_s is not None:
            dated[test.path, test.zone].append(test)
    for of_log in dated.values():
        of_log.sort(key=span_s)
        for one, other in pairwise(of_log):
            common_s = min(span_s(one)[1], span_s(other)[1]) - span_s(other)[0]
            if common_s >= max(HALF * min(one.length_s, other.length_s), CLOCKS_S):
                yield doubt_of(IN_ONE_LOG, of_log)
                break


def unpaired(runs: list[Run], clocks: Clocks, asked: set[str]) -> Iterator[Doubt]:
    """Yield undated tests of clients beside such of their server, of which no run has both.

    Ports do not tell, as with translated addresses; a test that both ends logged counts twice then.

    Args:
        runs, clocks: as found.
        asked: paths of logs whose ends are asked about already.
    """
    alone: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for run in runs:
        ends = {test.end for test in run.tests}
        for test in run.tests if len(ends) == 1 else ():
            if not test.both_ends and test.path not in asked:
                for server in test.servers:
                    alone[server, test.end].append(test)
    for (server, end), tests in alone.items():
        others = alone.get((server, SERVER), [])[:NEAR] if end == CLIENT else []
        for test in tests if others else ():
            fitting = (o for o in others if _may_hold_it(o, test))
            other = next((o for o in fitting if clocks.common(test, o) is None), None)
            if other is not None:
                yield doubt_of(OTHER_ENDS, (test, other))


def _may_hold_it(server: Unit, client: Unit) -> bool:
    """Return whether a connection in a server's log may be the client's, whatever its ports."""
    return any(may_be_ends(client, server, pair) for pair in server.ends or (None,))


def _may_be_one(one: Unit, other: Unit, clocks: Clocks) -> bool:
    common = clocks.common(one, other)
    differ = {r.role for i, r in one.roles.items() if other.roles[i].text != r.text}
    return (common is None or common >= HALF) and bool(differ & WEAK) and not excluded(one, other)
