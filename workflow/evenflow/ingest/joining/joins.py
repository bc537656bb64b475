"""Which tests of which logs ran together: evidence in a fixed order, each able to veto the next.

0. Copies go first: one connection logged twice at one end, with the same numbers, is one. Traces
   of single devices of one simulation (`devices`) are one run. So are the client's and the
   server's log of one test of iperf3, which has a name (its cookie), whatever else they say.
1. Names (`roles`): logs whose paths are alike but for members of a run (flow, end, host, port) are
   one. Vetoes: two logs claim one place; one server serves one test at a time, and lengths are
   unlike, unless names say the flow; dates that do not meet (but for a clock, `clocks`).
2. The order of tests in undated logs of one folder that hold equally many of equal length. Those
   that failed count where logs have them at other places.
3. Both ends of a connection, each from its own log. Vetoes: a log that holds both; the protocol;
   lengths of whole connections; another repeat or setting in names; starts more than 6 s apart,
   unless ports come once and the bytes agree (then a clock is off); several that fit; other cookies
   of iperf3. Ports that come again and mostly find no partner are no evidence. Where addresses
   were translated on the way (`translated`) ports, dates or names, and bytes must agree.
4. Dates: a test beside the longest of a run for half of the shorter. In one folder; of two folders
   only with a host or network in common. Not where names say another repeat or setting.

What is left stands alone, and is asked about where only a weak label differs: undated logs of other
variants or places. docs/explanation/pooling.md has the same as a table.
"""

from __future__ import annotations

from collections.abc import Callable

from .both_ends import tell_ends
from .by_dates import join_by_dates
from .by_ends import mirrored, once
from .by_names import (
    alike_by_name,
    in_order,
    is_weak,
    kinds_of,
    may_follow,
    parted_by_dates,
    series_of,
    told,
    vetoed,
)
from .clocks import Clocks
from .copies import without_copies
from .devices import of_devices
from .joined import (
    BY_COOKIES,
    BY_DEVICES,
    BY_ENDS,
    BY_NAMES,
    BY_ORDER,
    BY_PORTS,
    END_UNSAID,
    PORTS_AGAIN,
    TWO_NETWORKS,
    Joined,
    Runs,
    doubt_of,
)
from .questions import asked_about, at_once_in_one_log, unpaired
from .roles import HOST, PORT
from .translated import asked_of_runs, by_ports, of_one_cookie, part_by_cookies
from .units import Unit


def join(tests: list[Unit], read_names: Callable[[list[Unit]], dict]) -> Joined:
    """Join the tests of a folder to runs.

    Args:
        tests: of all logs.
        read_names: `roles.read_roles`; called once copies are gone.
    """
    doubts = [doubt_of(END_UNSAID, pair) for pair in tell_ends(tests)]
    tests, copies = without_copies(tests)
    beside = read_names(tests)
    runs = Runs(tests)
    for group in of_devices(tests):
        runs.unite(group, BY_DEVICES)
    candidates = alike_by_name(tests)
    series = list(series_of(tests, doubts))
    of_tests = of_one_cookie(tests)
    partner = {id(one): other for pair in of_tests for one, other in (pair, pair[::-1])}
    for pair in of_tests:
        runs.unite(pair, BY_COOKIES)
    connections = [*once(tests)]
    known = {frozenset(map(id, pair)) for pair in connections}
    connections += (pair for pair in of_tests if frozenset(map(id, pair)) not in known)
    clocks = Clocks(told(candidates, series, tests), connections)
    weak = []  # numbered hosts or ports alone, without dates
    for found in candidates:
        for part in in_order(found, doubts):
            for cluster in parted_by_dates(part, clocks, doubts):
                for those in part_by_cookies(cluster, partner):
                    if vetoed(those, doubts):
                        continue
                    if is_weak(those):
                        weak.append(those)
                    else:
                        runs.unite(those, BY_NAMES)
    for part in series:
        fitting = [part[0], *(t for t in part[1:] if may_follow(part[0], t, clocks))]
        runs.unite(fitting, BY_ORDER)
    for pair in mirrored(tests, clocks, runs, doubts):
        runs.unite(pair, BY_ENDS)
    paired: set[str] = set()
    for pair in by_ports(tests, clocks, runs, doubts):
        paired |= {test.path for test in pair}
        runs.unite(pair, BY_PORTS)
        runs.of[id(pair[0])].evidence.add(BY_PORTS)  # of one flow, also where names join them
    for cluster in weak:
        beside_them = [t for test in cluster for t in runs.of[id(test)].tests]
        # not where others have names of places
        if all({HOST, PORT} & kinds_of(t) for t in beside_them):
            runs.unite(cluster, BY_NAMES)
    join_by_dates(runs, clocks, doubts)
    joined = runs.all()
    of_networks = {d.paths for d in doubts if d.kind == TWO_NETWORKS}
    doubts += (d for d in asked_about(joined, clocks) if d.paths not in of_networks)
    doubts += at_once_in_one_log(tests)
    doubts += asked_of_runs(joined, clocks, paired)
    doubts += unpaired(
        joined, clocks, {p for d in doubts if d.kind == PORTS_AGAIN for p in d.paths}
    )
    return Joined(joined, copies, doubts, beside, clocks)
