"""What the flows of a run say of each other: pairs of names, directions, translated addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from .entities import Stream
from .units import CLIENT, SERVER, Ends, host_of, network_of, port_of


def settle_pair(
    of_names: dict[int, dict],
    of_files: dict[int, dict],
    flows: list[int],
    is_described: bool,
    lost: bool = False,
    beside: Collection[int] = (),
) -> dict[str, str]:
    """Forget the congestion controls that a name lists where they cannot be those of its flows.

    'a_vs_b' says that flow 1 has a and flow 2 has b, no more. Where a file names its own, that
    counts. Of a run with more flows than words, or, where nobody described it, with fewer, the
    words say nothing of a flow, unless all are the same; they are a setting of the run then.

    Changes `of_names`.

    Args:
        of_names: settings of flows 1, 2, ... that names list.
        of_files: those of the flows that files name for themselves.
        flows: those of TCP.
        is_described: whether dataset.yml says what names mean: a flow that is missing is an error.
        lost: whether runs of the same names mostly have more flows: which of them these are is
            not known.
        beside: flows that are declared as cross traffic: names may list all others alone.

    Returns:
        The setting that the words are then; else nothing.
    """
    words = {flow: keys["cca"] for flow, keys in of_names.items() if "cca" in keys}
    own = any("cca" in keys for flow, keys in of_files.items() if flow not in beside)
    of_compared = words.keys() == {*flows} - {*beside}
    fits = len(words) == len(flows) or (is_described and len(words) > len(flows))
    if not words or ((fits or of_compared) and not own and not lost):
        return {}
    for flow in words:
        del of_names[flow]["cca"]
    for flow in [flow for flow, keys in of_names.items() if not keys]:
        del of_names[flow]
    if own:
        return {}
    if len(set(words.values())) == 1:
        of_names |= {flow: of_names.get(flow, {}) | {"cca": words[min(words)]} for flow in flows}
        return {}
    return {"variants": ", ".join(words[flow] for flow in sorted(words))}


def flows_against(counting: dict[int, Stream]) -> set[int]:
    """Return the flows that go in the other direction than most, or else than the first.

    They share no bottleneck with these (--bidir, --reverse next to a test without it; flows that
    cross the same link of a trace of ns-2 in both directions). Several clients of one server send
    in one direction, and so do several servers to one client.

    Args:
        counting: of every flow of a run that is compared the stream whose report counts.
    """
    ways = {flow: _way(stream) for flow, stream in sorted(counting.items())}
    count = Counter(way for way in ways.values() if way)
    if not count:
        return _against_by_hops(counting)
    (sender, receiver), _ = count.most_common(1)[0]
    there = {way for way in count if way[0] == sender or way[1] == receiver}
    return {flow for flow, way in ways.items() if way and way not in there and way[::-1] in there}


def _against_by_hops(counting: dict[int, Stream]) -> set[int]:
    """Return the flows that cross the other way the link that most flows cross, of two directions.

    But for those that share another hop with one of these.
    """
    hops = {
        flow: {tuple(hop.split("-")) for hop in (counting[flow].hops or "").split()}
        for flow in sorted(counting)
    }
    count = Counter(hop for of_flow in hops.values() for hop in sorted(of_flow))
    both = [hop for hop in count if hop[::-1] in count]
    if not both:
        return set()
    most = max(both, key=lambda hop: count[hop])  # of as many the first flow's
    shared = set().union(*(of_flow for of_flow in hops.values() if most in of_flow))
    return {flow for flow, of in hops.items() if most[::-1] in of and not of & shared}


def _way(stream: Stream) -> tuple[str, str] | None:
    """Return the hosts of a flow's sender and receiver, or their networks if these are two.

    On one host, the ends of the test.
    """
    if stream.side is None or not (stream.local and stream.peer):
        return None
    ends = (stream.local, stream.peer)
    sender, receiver = ends if stream.side == "sender" else ends[::-1]
    hosts = host_of(sender), host_of(receiver)
    if not all(hosts):
        return None
    networks = network_of(hosts[0]), network_of(hosts[1])
    if hosts[0] != hosts[1]:
        return hosts if networks[0] == networks[1] else networks
    return (CLIENT, SERVER) if port_of(sender) > port_of(receiver) else (SERVER, CLIENT)


def join_translated(groups: dict[tuple, list[Stream]]) -> None:
    """Join the two ends of flows whose addresses were translated on the way (NAT).

    That is so where flows that only their senders report go with flows that only their receivers
    do: both logs name the same end of the server, or of the client. All of them go with one, or,
    where a log is lost, those whose end is named by one of each.

    Args:
        groups: the streams of every flow of a run, by what tells it from others; changed.
    """
    ends = {key: of_key for key, of in groups.items() if (of_key := _ends_of(key, of))}
    sent, received = (
        [key for key in ends if {s.side for s in groups[key]} == {side}]
        for side in ("sender", "receiver")
    )
    for place in (1, 0):  # of ends: the receiver's, the sender's

        def order(key: tuple, place: int = place) -> tuple:
            # ports are translated, too: connections come in the order of both logs
            first = min(groups[key], key=lambda s: s.stream)
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
        pairs = [(a, b) for a, b in pairs if "number" not in (a[0], b[0]) or a[0] != b[0]]
        if pairs:
            for one, its_other in pairs:
                kept, gone = (its_other, one) if its_other[0] == "number" else (one, its_other)
                groups[kept] += groups.pop(gone)
            return


def _ends_of(key: tuple, streams: list[Stream]) -> Ends | None:
    """Return the ends of a flow's sender and receiver, where its logs name both."""
    first = streams[0]
    if key[0] not in ("ends", "number") or first.side is None or not (first.local and first.peer):
        return None
    return (first.local, first.peer) if first.side == "sender" else (first.peer, first.local)
