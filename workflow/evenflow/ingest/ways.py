"""What the flows of a run say of each other: pairs of names, directions, translated addresses."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..formats.logs import GAP
from .entities import Stream
from .joining.units import (
    CLIENT,
    OF_ONE_TEST,
    SERVER,
    Ends,
    carry_alike,
    end_by_ports,
    host_of,
    network_of,
    port_of,
)

Groups = dict[tuple, list[Stream]]  # the streams of flows
OfEnds = dict[tuple, Ends]  # of these the sender's and the receiver's
Pairs = list[tuple[tuple, tuple]]  # the keys of what a sender and what a receiver reports

VARIANTS = "variants"  # the setting that congestion controls are which a name lists of no flow


def listed_in_order(
    of_names: dict[int, dict], flows: Collection[int], tcp: Collection[int], beside: Collection[int]
) -> dict[int, dict]:
    """Return what names list of flows 1, 2, ... for the flows of a run that has other numbers.

    The first that is listed is that of the flow with the lowest number: logs count from 0, or a
    flow of datagrams is number 1. Numbers that are far from each other may be ports. Not where
    flows have some of the numbers, and another flow is missing among them: it may be one of the
    list.

    Args:
        of_names: settings of flows 1, 2, ... that names list.
        flows: all of the run.
        tcp: those of TCP.
        beside: those that are declared as cross traffic.
    """
    listed = sorted(flow for flow, keys in of_names.items() if "cca" in keys)
    for numbers in (sorted(tcp), sorted({*tcp} - {*beside})):
        if len(listed) < 2 or len(listed) != len(numbers) or listed == numbers:
            continue
        among = sum(numbers[0] <= flow <= numbers[-1] for flow in flows)
        if {*numbers} & {*listed} and among < numbers[-1] - numbers[0] + 1:
            continue
        number = dict(zip(listed, numbers, strict=True))
        others = {flow: keys for flow, keys in of_names.items() if flow not in number}
        return others | {number[flow]: of_names[flow] for flow in listed}
    return of_names


def settle_pair(
    of_names: dict[int, dict],
    of_files: dict[int, dict],
    flows: list[int],
    lost: bool = False,
    beside: Collection[int] = (),
    numbered: bool = False,
) -> dict[str, str]:
    """Forget the congestion controls that a name lists where they cannot be those of its flows.

    'a_vs_b' says that flow 1 has a and flow 2 has b, no more. Where a file names its own, that
    counts, and the others have what the list then leaves to them (`_left_to`). Of a run with more
    flows than words, or with fewer, the words say nothing of a flow, unless all are the same. They
    are a setting of the run then, by which the page says that a flow is missing.

    Changes `of_names`.

    Args:
        of_names: settings of flows 1, 2, ... that names list.
        of_files: those of the flows that files name for themselves.
        flows: those of TCP.
        lost: whether runs of the same names mostly have more flows: which of them these are is
            not known.
        beside: flows that are declared as cross traffic: names may list all others alone.
        numbered: whether names number the flows: of some that are missing the others keep theirs.

    Returns:
        The setting that the words are then; else nothing.
    """
    words = {flow: keys["cca"] for flow, keys in of_names.items() if "cca" in keys}
    own = {f: keys["cca"] for f, keys in of_files.items() if f not in beside and "cca" in keys}
    is_list = words.keys() == {*range(1, len(words) + 1)}  # else it says itself which flow it means
    fits = words.keys() in ({*flows}, {*flows} - {*beside}) or not is_list
    if not words or (fits and not own and not lost):
        return {}
    if numbered and is_list and not own and {*flows} < words.keys():
        for flow in words.keys() - {*flows}:
            del of_names[flow]
        return {}
    left = _left_to(words, own) if own and fits and not lost else {}
    for flow in words.keys() - left.keys():
        del of_names[flow]["cca"]
    for flow in [flow for flow, keys in of_names.items() if not keys]:
        del of_names[flow]
    if own:
        for flow, cca in left.items():
            of_names[flow]["cca"] = cca
        return {}
    if len(set(words.values())) == 1:
        of_names |= {flow: of_names.get(flow, {}) | {"cca": words[min(words)]} for flow in flows}
        if not 0 < len(flows) < len(words):
            return {}
    return {VARIANTS: ", ".join(words[flow] for flow in sorted(words))}


def _left_to(words: dict[int, str], own: dict[int, str]) -> dict[int, str]:
    """Return the congestion controls of flows whose files name none, where a list leaves no choice.

    Args:
        words: what a name lists, by flow.
        own: what files name for their flows: as the list has it, else the others have what is left
            of it if that is the same for all.
    """
    others = {flow: cca for flow, cca in words.items() if flow not in own}
    if all(words.get(flow) == cca for flow, cca in own.items()):
        return others
    left = Counter(words.values()) - Counter(own.values())
    if len(left) == 1 and left.total() == len(others):
        return dict.fromkeys(others, *left)
    return {}


class Way(NamedTuple):
    """Where the data of a flow go: from which host, or network, to which."""

    sender: str
    receiver: str
    up: bool | None  # whether they leave the client of the test; None: not known


def flows_against(counting: dict[int, Stream]) -> set[int]:
    """Return the flows that go in the other direction than most, or else than the first.

    They share no bottleneck with these (--bidir, --reverse next to a test without it; uploads and
    downloads of a test of Flent; flows that cross the same link of a trace of ns-2 or ns-3 in
    both directions). Several clients of one server send in one direction, and so do several servers
    to one client.

    Args:
        counting: of every flow of a run that is compared the stream whose report counts.
    """
    ways = _ways(counting)
    by_hops = _against_by_hops(counting)
    if ways and not (by_hops and all(stream.hops for stream in counting.values())):
        return _against(ways, _together(ways))
    return by_hops  # what links they crossed, which names of hosts only suggest


def flows_of_doubtful_way(counting: dict[int, Stream]) -> set[int]:
    """Return the flows of which nothing says whether they go the way of most.

    They have no host in common with these and are as --reverse is next to a test without it, or the
    other way round; or they leave the host that these go to, as in a chain, which only a test of
    another client and server does; or hosts in common say both.

    Args:
        counting: as of `flows_against`.
    """
    ways = _ways(counting)
    groups = _together(ways)
    if not groups:
        return set()
    against = _against(ways, groups)
    first = _first(groups)
    if 0 in first.values():
        return {*first} - against
    main = {flow for flow in first if flow not in against}
    told = _on_links_of(main, counting)
    ups = {ways[flow].up for flow in main} - {None}
    senders, receivers = ({way[place] for f, way in ways.items() if f in main} for place in (0, 1))
    return {
        flow
        for flow, way in ways.items()
        if flow not in main | against | told
        and (
            (len(ups) == 1 and way.up is not None and way.up not in ups)
            or way.sender in receivers
            or way.receiver in senders
        )
    }


def _ways(counting: dict[int, Stream]) -> dict[int, Way]:
    ways = {flow: _way(stream) for flow, stream in sorted(counting.items())}
    return {flow: way for flow, way in ways.items() if way} | _ways_of_logs(counting)


def _ways_of_logs(counting: dict[int, Stream]) -> dict[int, Way]:
    """Return the ways of flows whose logs name no end, but which of them their own host received.

    One host wrote a log: what it sent and what it received went in opposite directions. What the
    flows of two logs have in common is not known.
    """
    ways = {}
    for flow, stream in sorted(counting.items()):
        if stream.side and not (stream.local or stream.peer or stream.hops):
            log = stream.file_id
            ends = _sender_first(stream, f"writer of log {log}", f"others of log {log}")
            ways[flow] = Way(*ends, _leaves_client(stream))
    return ways


def _first(groups: list[dict[int, int]]) -> dict[int, int]:
    """Return the group of most flows, or of the first."""
    return max(groups, key=len)


def _against(ways: Mapping[int, Way], groups: list[dict[int, int]]) -> set[int]:
    """Return the flows of each group that go against its most, or against most of the first's."""
    against: set[int] = set()
    up = None
    first = _first(groups)
    for signs in sorted(groups, key=lambda signs: signs is not first):
        if 0 in signs.values():  # contradictory: only the mirror of the commonest way is sure
            count = Counter(ways[flow][:2] for flow in signs)
            (sender, receiver), _ = count.most_common(1)[0]
            against |= {flow for flow in signs if ways[flow][:2] == (receiver, sender)}
            continue
        like_first = Counter(sign for flow, sign in signs.items() if ways[flow].up is up)
        most = Counter(signs.values()).most_common(1)[0][0]
        if up is None:
            ups = Counter(ways[flow].up for flow, sign in signs.items() if sign == most)
            up = ups.most_common(1)[0][0]
        elif like_first:
            most = like_first.most_common(1)[0][0]
        against |= {flow for flow, sign in signs.items() if sign != most}
    return against


def _together(ways: Mapping[int, Way]) -> list[dict[int, int]]:
    """Return the flows whose directions can be compared: of each group {flow: 1 or -1}.

    Those that leave one host, or go to one, go the same way. Those between the same two go the
    opposite way if they are mirrored, and so do those that enter a host and leave it if it is the
    server of both or the client of both: one is of --reverse. A host that is the server of one test
    and the client of another may be in the middle of a chain. All are 0 if that contradicts itself.
    """
    beside: dict[tuple, set[tuple]] = defaultdict(set)  # (other, 1 or -1)

    def relate(one: tuple, other: tuple, sign: int) -> None:
        beside[one].add((other, sign))
        beside[other].add((one, sign))

    roles = {("to", way.receiver, not way.up) for way in ways.values() if way.up is not None}
    for flow, way in ways.items():
        relate(("flow", flow), ("to", way.receiver), 1)
        relate(("flow", flow), ("from", way.sender), 1)
        relate(("flow", flow), ("way", way.sender, way.receiver), 1)
        relate(("flow", flow), ("way", way.receiver, way.sender), -1)
        if way.up is not None and ("to", way.sender, way.up) in roles:
            relate(("from", way.sender), ("to", way.sender), -1)
    found: list[dict[int, int]] = []
    signs: dict[tuple, int] = {}
    for flow in ways:
        if ("flow", flow) in signs:
            continue
        signs["flow", flow] = 1
        reached, is_sound = [("flow", flow)], True
        for one in reached:  # grows
            for other, sign in beside[one]:
                if other not in signs:
                    signs[other] = sign * signs[one]
                    reached.append(other)
                is_sound &= signs[other] == sign * signs[one]
        flows = sorted(one[1] for one in reached if one[0] == "flow")
        found.append({n: signs["flow", n] if is_sound else 0 for n in flows})
    return found


def _hops(counting: Mapping[int, Stream]) -> dict[int, set[tuple[str, ...]]]:
    """Return the hops of each flow, from node to node; empty where its log tells none."""
    return {
        flow: {tuple(hop.split("-")) for hop in (counting[flow].hops or "").split() if hop != GAP}
        for flow in sorted(counting)
    }


def _on_links_of(main: Collection[int], counting: Mapping[int, Stream]) -> set[int]:
    """Return the flows that cross a link of one of `main`, in its direction or against it."""
    links = {flow: {frozenset(hop) for hop in of} for flow, of in _hops(counting).items()}
    of_main = {link for flow in main for link in links[flow]}
    return {flow for flow, of in links.items() if of & of_main}


def _against_by_hops(counting: dict[int, Stream]) -> set[int]:
    """Return the flows that cross the other way the link that most flows cross, of two directions.

    But for those that share another hop with one of these.
    """
    hops = _hops(counting)
    count = Counter(hop for of_flow in hops.values() for hop in sorted(of_flow))
    both = [hop for hop in count if hop[::-1] in count]
    if not both:
        return set()
    most = max(both, key=lambda hop: count[hop])  # of as many the first flow's
    shared = set().union(*(of_flow for of_flow in hops.values() if most in of_flow))
    return {flow for flow, of in hops.items() if most[::-1] in of and not of & shared}


def _way(stream: Stream) -> Way | None:
    """Return the hosts of a flow's sender and receiver, or their networks if these are two.

    On one host, the ends of the test.
    """
    if stream.side is None or not (stream.local and stream.peer):
        return None
    sender, receiver = _sender_first(stream, stream.local, stream.peer)
    hosts = host_of(sender), host_of(receiver)
    if not all(hosts):
        return None
    up = _leaves_client(stream)
    networks = network_of(hosts[0]), network_of(hosts[1])
    if hosts[0] != hosts[1]:
        return Way(*(hosts if networks[0] == networks[1] else networks), up)
    of_client = port_of(sender) > port_of(receiver)
    return Way(*((CLIENT, SERVER) if of_client else (SERVER, CLIENT)), of_client)


def _leaves_client(stream: Stream) -> bool | None:
    """Return whether the client of a test sends: as its log says, or else as the ports do."""
    direction = json.loads(stream.options or "{}").get("direction")
    if direction == "reverse":
        return False
    if not (stream.local and stream.peer):
        return True if direction else None
    end = end_by_ports(*_sender_first(stream, stream.local, stream.peer))
    return end == CLIENT if end else None


def _sender_first(stream: Stream, own: str, other: str) -> tuple[str, str]:
    """Return the end that wrote a log and the other one, the sender of the data first."""
    return (own, other) if stream.side == "sender" else (other, own)


def join_translated(groups: Groups, named: Mapping[int, tuple] = MappingProxyType({})) -> None:
    """Join the two ends of flows whose addresses were translated on the way (NAT, containers).

    Flows that only their senders report go with flows that only their receivers do. First those of
    one test of iperf3 by its name (cookie); then those whose logs somebody named so; then those
    that have the same two ports, as no others have; then those of which both logs name the same end
    of the server, or of the client: all of them, or, where a log is lost, those whose end is named
    by one of each.

    Args:
        groups: the streams of every flow of a run, by what tells it from others; changed.
        named: of logs, by file_id, what is the same for the two ends of a flow.
    """

    def of_one_name(groups: Groups, _: OfEnds, sent: list[tuple], received: list[tuple]) -> Pairs:
        return _of_one_name(groups, named, sent, received)

    for pairs_of in (_of_one_test, of_one_name, _of_same_ports, _of_one_end):
        ends = {key: of_key for key, of in groups.items() if (of_key := _ends_of(key, of))}
        sent, received = (
            [key for key in ends if {s.side for s in groups[key]} == {side}]
            for side in ("sender", "receiver")
        )
        for one, its_other in pairs_of(groups, ends, sent, received):
            if one[0] == its_other[0] == "number":
                continue  # names say that they are two
            if not {one, its_other} <= groups.keys():
                continue  # it has its other end already: a test was logged twice
            kept, gone = (its_other, one) if its_other[0] == "number" else (one, its_other)
            groups[kept] += groups.pop(gone)


def _cookies(streams: list[Stream]) -> set[str]:
    return {s.cookie for s in streams if s.cookie}


def _of_two_tests(one: list[Stream], other: list[Stream]) -> bool:
    """Return whether iperf3 gave the tests of two flows other names, or one is of UDP."""
    protocols = {s.protocol == "udp" for s in (*one, *other) if s.protocol is not None}
    cookies = _cookies(one), _cookies(other)
    return len(protocols) > 1 or (all(cookies) and cookies[0].isdisjoint(cookies[1]))


def _first_of(streams: list[Stream]) -> Stream:
    return min(streams, key=lambda s: s.stream)


def _of_one_test(groups: Groups, ends: OfEnds, sent: list[tuple], received: list[tuple]) -> Pairs:
    """Return the pairs of one test of iperf3: by their ports, or else in the order of both logs.

    In that order only where both ends log as many. With --bidir each of both logs has senders.
    """
    of_log: dict[tuple[str, int], list[tuple]] = defaultdict(list)
    for key in sent:
        for cookie in sorted(_cookies(groups[key])):
            of_log[cookie, groups[key][0].file_id].append(key)
    pairs: Pairs = []
    for (cookie, file_id), these in of_log.items():
        those = [
            key
            for key in received
            if cookie in _cookies(groups[key]) and groups[key][0].file_id != file_id
        ]
        of_test = _of_same_ports(groups, ends, these, those)
        if len(of_test) < len(these) == len(those):
            of_test = _in_order(groups, these, those)
        pairs += of_test
    return pairs


def _of_same_ports(groups: Groups, ends: OfEnds, sent: list[tuple], received: list[tuple]) -> Pairs:
    """Return the pairs that have the same two ports, as no others have.

    Not where one names a host that wrote another log: that host is its other end.
    """
    hosts = {host_of(s.local) for of_flow in groups.values() for s in of_flow if s.local}

    def names_another(one: Stream, other: Stream) -> bool:
        peer = host_of(one.peer or "")
        return peer in hosts and peer != host_of(other.local or "")

    of_ports: dict[tuple, tuple[list, list]] = defaultdict(lambda: ([], []))
    for place, keys in enumerate((sent, received)):
        for key in keys:
            ports = tuple(map(port_of, ends[key]))
            if all(ports):
                of_ports[ports, groups[key][0].protocol == "udp"][place].append(key)
    once = [(a[0], b[0]) for a, b in of_ports.values() if len(a) == len(b) == 1]
    return [
        (a, b)
        for a, b in once
        if _may_be_one(groups[a], groups[b])
        and not names_another(groups[a][0], groups[b][0])
        and not names_another(groups[b][0], groups[a][0])
    ]


def _of_one_name(
    groups: Groups, named: Mapping[int, tuple], sent: list[tuple], received: list[tuple]
) -> Pairs:
    """Return the pairs of two logs of one name, in the order of both where they log as many."""
    of_log: dict[int, list[tuple]] = defaultdict(list)
    for key in sent:
        of_log[groups[key][0].file_id].append(key)
    pairs: Pairs = []
    for file_id, these in of_log.items():
        others = {i for i, name in named.items() if i != file_id and name == named.get(file_id)}
        those = [key for key in received if groups[key][0].file_id in others]
        if len(these) == len(those):
            pairs += _in_order(groups, these, those)
    return [(a, b) for a, b in pairs if not _of_two_tests(groups[a], groups[b])]


def _in_order(groups: Groups, these: list[tuple], those: list[tuple]) -> Pairs:
    """Return pairs of as many flows of two logs, in the order in which these have them."""
    ordered = (sorted(of, key=lambda key: _first_of(groups[key]).stream) for of in (these, those))
    return [*zip(*ordered, strict=True)]


def _may_be_one(one: list[Stream], other: list[Stream]) -> bool:
    """Return whether neither names of tests, nor lengths or bytes say that two flows are two."""
    if _of_two_tests(one, other):
        return False
    counts = [(s.n_bytes or 0, s.end_s or 0.0) for s in map(_first_of, (one, other))]
    if not carry_alike(one[0].protocol or "tcp", counts):
        return False
    whole = all(s.complete is not False for s in (*one, *other))
    shorter, longer = sorted(max(s.end_s or 0.0 for s in streams) for streams in (one, other))
    return not whole or shorter >= OF_ONE_TEST * longer - 1


def _of_one_end(groups: Groups, ends: OfEnds, sent: list[tuple], received: list[tuple]) -> Pairs:
    """Return the pairs of which both logs name one end."""
    for place in (1, 0):  # of ends: the receiver's, the sender's

        def order(key: tuple, place: int = place) -> tuple:
            # ports are translated, too: connections come in the order of both logs
            first = _first_of(groups[key])
            began = (first.start_epoch_s or 0.0, first.start_s or 0.0)
            there = host_of(ends[key][1 - place])
            return ends[key][place], there, *began, str(key[1]), first.stream, ends[key]

        pairs = list(zip(*(sorted(keys, key=order) for keys in (sent, received)), strict=False))
        at = {key: ends[key][place] for key in (*sent, *received)}
        if len(sent) != len(received) or any(at[a] != at[b] for a, b in pairs):
            count = [Counter(at[key] for key in keys) for keys in (sent, received)]
            pairs = [
                (a, b)
                for a in sent
                for b in received
                if at[a] == at[b] and all(n[at[a]] == 1 for n in count)
            ]
        pairs = [(a, b) for a, b in pairs if not _of_two_tests(groups[a], groups[b])]
        pairs = [(a, b) for a, b in pairs if "number" not in (a[0], b[0]) or a[0] != b[0]]
        if pairs:
            return pairs
    return []


def _ends_of(key: tuple, streams: list[Stream]) -> Ends | None:
    """Return the ends of a flow's sender and receiver, where its logs name both."""
    first = streams[0]
    if key[0] not in ("ends", "number") or first.side is None or not (first.local and first.peer):
        return None
    return (first.local, first.peer) if first.side == "sender" else (first.peer, first.local)
