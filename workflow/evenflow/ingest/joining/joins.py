"""Which tests of which logs ran together: evidence in a fixed order, each able to veto the next.

0. Copies go first: one connection logged twice at one end, with the same numbers, is one. Traces
   of single devices of one simulation (`devices`) are one run.
1. Names (`roles`): logs whose paths are alike but for members of a run (flow, end, host, port) are
   one. Vetoes: two logs claim one place; one server serves one test at a time, and lengths are
   unlike, unless names say the flow; dates that do not meet (but for a clock, `clocks`).
2. The order of tests in undated logs of one folder that hold equally many of equal length.
3. Both ends of a connection, each from its own log. Vetoes: a log that holds both; the protocol;
   lengths of whole connections; another repeat or setting in names; starts more than 6 s apart,
   unless ports come once and the bytes agree (then a clock is off); several that fit. Ports that
   come again and mostly find no partner are no evidence.
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
    BY_DEVICES,
    BY_ENDS,
    BY_NAMES,
    BY_ORDER,
    END_UNSAID,
    PORTS_AGAIN,
    TWO_NETWORKS,
    Joined,
    Runs,
    doubt_of,
)
from .questions import asked_about, at_once_in_one_log, unpaired
from .roles import HOST, PORT
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
    series = list(series_of(tests))
    clocks = Clocks(told(candidates, series, tests), once(tests))
    weak = []  # numbered hosts or ports alone, without dates
    for found in candidates:
        for part in in_order(found):
            for cluster in parted_by_dates(part, clocks, doubts):
                if vetoed(cluster, doubts):
                    continue
                if is_weak(cluster):
                    weak.append(cluster)
                else:
                    runs.unite(cluster, BY_NAMES)
    for part in series:
        fitting = [part[0], *(t for t in part[1:] if may_follow(part[0], t, clocks))]
        runs.unite(fitting, BY_ORDER)
    for pair in mirrored(tests, clocks, runs, doubts):
        runs.unite(pair, BY_ENDS)
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
    doubts += unpaired(
        joined, clocks, {p for d in doubts if d.kind == PORTS_AGAIN for p in d.paths}
    )
    return Joined(joined, copies, doubts, beside, clocks)
