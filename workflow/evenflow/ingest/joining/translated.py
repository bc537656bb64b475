"""Tests that are the two ends of connections whose addresses were translated on the way.

Behind NAT, in containers or behind a mapped port each end names other addresses (`by_ends` finds no
partner). iperf3 gives a test a name (its cookie) that both ends log. Else the two ends have the
same ports, if the translation left them; then dates, or names, and the bytes must agree as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from .by_ends import closest
from .clocks import CLOCKS_S, Clocks
from .joined import PORTS_AGAIN, TWO_ENDS, Doubt, Run, Runs, doubt_of
from .roles import VARIANT
from .units import (
    CLIENT,
    SERVER,
    SIMULATORS,
    Ends,
    Unit,
    began_later_s,
    carry_alike,
    host_of,
    may_be_ends,
    one_cookie,
    port_of,
    span_of,
)

Ports = tuple[int, int]  # the client's and the server's
Hosts = dict[str, set[str]]  # that wrote logs, by the end that they were


def of_one_cookie(tests: Iterable[Unit]) -> list[tuple[Unit, Unit]]:
    """Return the client's and the server's log of each test of iperf3 that has one of each."""
    named: dict[str, list[Unit]] = defaultdict(list)
    for test in tests:
        for cookie in test.cookies:
            named[cookie].append(test)
    pairs = (sorted(found, key=lambda t: t.end) for found in named.values() if len(found) == 2)
    return [(one, other) for one, other in pairs if (one.end, other.end) == (CLIENT, SERVER)]


def part_by_cookies(tests: list[Unit], partner: dict[int, Unit]) -> list[list[Unit]]:
    """Part tests that names join by their ends, where names put the other ends in other runs.

    A server's logs may be counted from another number than its clients'.

    Args:
        tests: that names join.
        partner: what `of_one_cookie` found, by the id of either.
    """
    others = [(test, partner[id(test)]) for test in tests if id(test) in partner]
    if all(a.key == b.key for a, b in others if a.key[:1] == b.key[:1]):
        return [tests]
    of_end: dict[str, list[Unit]] = defaultdict(list)
    for test in tests:
        of_end[test.end].append(test)
    return [*of_end.values()]


def by_ports(
    tests: list[Unit], clocks: Clocks, runs: Runs, doubts: list[Doubt]
) -> Iterator[tuple[Unit, Unit]]:
    """Yield pairs of tests that have the same two ports, each from its own end.

    Of tests of which the other end was not found otherwise.
    """
    of_ports: dict[Ports, dict[str, list[tuple[Unit, Ends]]]] = defaultdict(
        lambda: {CLIENT: [], SERVER: []}
    )
    for test in tests:
        if _lacks_its_other_end(test, runs.of[id(test)].tests):
            for ports, ends in {_ports(ends, test.end): ends for ends in test.ends}.items():
                if all(ports):
                    of_ports[ports][test.end].append((test, ends))
    hosts = _hosts(tests)
    for found in of_ports.values():
        choice: dict[int, list[Unit]] = {}
        for end, other_end in ((CLIENT, SERVER), (SERVER, CLIENT)):
            for test, ends in found[end]:
                left = [
                    o
                    for o, its in found[other_end]
                    if _may_be_translated(ends, its, test.end, hosts)
                    and may_be_ends(test, o, ends, its)
                    and _agree_in_time(test, o, ends, its, clocks)
                    and _carried_alike(test, o, ends, its)
                ]
                choice[id(test)] = closest(test, left, runs)
        for test, _ in (*found[CLIENT], *found[SERVER]):
            if len(choice[id(test)]) > 1:
                doubts.append(doubt_of(PORTS_AGAIN, [test, *choice[id(test)]]))
        for test, _ in found[CLIENT]:
            left = choice[id(test)]
            if len(left) == 1 and [id(o) for o in choice[id(left[0])]] == [id(test)]:
                yield test, left[0]


def asked_of_runs(found: Iterable[Run], clocks: Clocks, paired: set[str]) -> Iterator[Doubt]:
    """Yield a client's and a server's log of one run that may be the two ends of one flow.

    They name no end in common, and began, lasted and carried alike.

    Args:
        found: the runs.
        clocks: of the hosts.
        paired: paths of logs that `by_ports` joined.
    """
    runs = [*found]
    hosts = _hosts(test for run in runs for test in run.tests)
    for run in runs:
        ends = {test.end for test in run.tests}
        if not {CLIENT, SERVER} <= ends:
            continue
        lone = [test for test in run.tests if test.path not in paired]
        alone = [test for test in lone if _lacks_its_other_end(test, run.tests)]
        taken: set[int] = set()
        for client in (test for test in alone if test.end == CLIENT):
            for server in (test for test in alone if test.end == SERVER):
                if id(server) not in taken and _may_be_of_one_flow(client, server, clocks, hosts):
                    taken.add(id(server))
                    yield doubt_of(TWO_ENDS, (client, server))
                    break


def _lacks_its_other_end(test: Unit, of_run: list[Unit]) -> bool:
    """Return whether a test's other end is not logged in its run, as far as is known."""
    if not test.end or test.both_ends or test.tool in SIMULATORS or not test.ends:
        return False
    back = {pair[::-1] for pair in test.ends if all(pair)}
    servers = test.servers

    def is_other_end(other: Unit) -> bool:
        if one_cookie(test, other) or not back.isdisjoint(other.ends):
            return True
        # the address of the client alone was translated: `ways.join_translated`
        return not servers.isdisjoint(other.servers)

    return not any(other.end != test.end and is_other_end(other) for other in of_run)


def _ports(ends: Ends, end: str) -> Ports:
    local, peer = map(port_of, ends)
    return (local, peer) if end == CLIENT else (peer, local)


def _hosts(tests: Iterable[Unit]) -> Hosts:
    """Return the addresses that hosts gave themselves, by the end that they were."""
    found: Hosts = {CLIENT: set(), SERVER: set()}
    for test in tests:
        if test.end:
            found[test.end] |= {host_of(local) for local, _ in test.ends if local}
    return found


def _may_be_translated(ends: Ends, its: Ends, end: str, hosts: Hosts) -> bool:
    """Return whether two ends of a connection, each as its own log has it, may be of one.

    Not if one names the other as a host that wrote a log of its own: that one it is.

    Args:
        ends, its: as one and the other log name them, its own end first.
        end: which the first is of.
        hosts: what `_hosts` gives.
    """
    other_end = SERVER if end == CLIENT else CLIENT
    for (own, peer), (its_own, _), its_end in ((ends, its, other_end), (its, ends, end)):
        if own and peer and host_of(peer) != host_of(its_own) and host_of(peer) in hosts[its_end]:
            return False
    return True


def _agree_in_time(one: Unit, other: Unit, ends: Ends, its: Ends, clocks: Clocks) -> bool:
    """Return whether two tests began at once by their dates, or without dates by their names."""
    later_s = clocks.later_s(one, other)
    if later_s is None:
        return (one.key, one.claim) == (other.key, other.claim) and bool(one.key)
    return abs(later_s + began_later_s(one, other, ends, its)) <= 2 * CLOCKS_S


def _may_be_of_one_flow(client: Unit, server: Unit, clocks: Clocks, hosts: Hosts) -> bool:
    """Return whether a client's and a server's log may be of one flow, whatever their ports."""
    if len(client.ends) != len(server.ends):
        return False
    ends, its = client.ends[0], server.ends[0]
    if not may_be_ends(client, server, ends, its):
        return False
    if not _may_be_translated(ends, its, CLIENT, hosts) or _names_tell(client, server):
        return False
    later_s = clocks.later_s(client, server)
    if later_s is not None and abs(later_s) > 2 * CLOCKS_S:
        return False
    return _carried_alike(client, server, ends, its)


def _carried_alike(one: Unit, other: Unit, ends: Ends, its: Ends) -> bool:
    spans = span_of(one, ends), span_of(other, its)
    return carry_alike(one.protocol, [(span.n_bytes, span.length_s) for span in spans])


def _names_tell(one: Unit, other: Unit) -> bool:
    """Return whether what is known of two logs' flows says that they are two."""
    ccas = [{s.cca for s in test.streams if s.cca} for test in (one, other)]
    if all(ccas) and ccas[0].isdisjoint(ccas[1]):
        return True
    if one.key[:1] != other.key[:1]:
        return False
    return any(r.role == VARIANT and r.text != other.roles[i].text for i, r in one.roles.items())
