"""What the flows of a run say of each other: pairs in names, directions, translated addresses."""

from types import SimpleNamespace

import pytest
from evenflow.ingest.ways import flows_against, flows_of_doubtful_way, join_translated, settle_pair

A, B, C = ({"cca": cca} for cca in ("cubic", "bbr", "vegas"))


@pytest.mark.parametrize(
    ("of_names", "of_files", "flows", "how", "variants", "left"),
    [
        # a word for each flow
        ({1: A, 2: B}, {}, [1, 2], {}, {}, {1: A, 2: B}),
        # more flows than words, or fewer: of which flow they are is not known
        ({1: A, 2: B}, {}, [1, 2, 3], {}, {"variants": "cubic, bbr"}, {}),
        ({1: A, 2: B}, {}, [1], {}, {"variants": "cubic, bbr"}, {}),
        ({1: A, 2: B}, {}, [1, 2], {"lost": True}, {"variants": "cubic, bbr"}, {}),
        # unless names number them
        ({1: A, 2: B}, {}, [1], {"numbered": True}, {}, {1: A}),
        ({1: A, 2: B}, {}, [2], {"numbered": True, "lost": True}, {}, {2: B}),
        ({1: A, 2: B}, {}, [3], {"numbered": True}, {"variants": "cubic, bbr"}, {}),
        # of the flows that are compared, where cross traffic is declared beside them
        ({1: A, 2: B}, {3: A}, [1, 2, 3], {"beside": [3]}, {}, {1: A, 2: B}),
        ({1: A, 2: B}, {}, [1, 2, 3], {"beside": [2]}, {"variants": "cubic, bbr"}, {}),
        ({1: A, 2: B}, {}, [1, 3], {}, {"variants": "cubic, bbr"}, {}),  # 3 may be a third one
        ({2: B}, {}, [1], {}, {}, {2: B}),  # no list: flow 2 must be there
        # the same of all
        ({1: A, 2: A}, {}, [1, 2, 3], {}, {}, {1: A, 2: A, 3: A}),
        ({1: A, 2: A}, {}, [1], {}, {"variants": "cubic, cubic"}, {1: A}),  # one is missing
        # what a file names of its own flow counts, and leaves the rest of the list to the other
        ({1: A, 2: B}, {2: B}, [1, 2], {}, {}, {1: A}),
        ({1: A, 2: B}, {2: A}, [1, 2], {}, {}, {1: B}),
        ({1: A, 2: B}, {1: B, 2: A}, [1, 2], {}, {}, {}),
        ({1: A | {"rtt_ms": 40}, 2: B}, {2: A}, [1, 2], {}, {}, {1: {"rtt_ms": 40} | B}),
        # unless it leaves a choice, or is none of the list
        ({1: A, 2: B, 3: C}, {2: A}, [1, 2, 3], {}, {}, {}),
        ({1: A, 2: B}, {2: C}, [1, 2], {}, {}, {}),
        ({1: A, 2: B, 3: A}, {2: A}, [1, 2, 3], {}, {}, {}),
        ({1: A, 2: A, 3: B}, {2: B}, [1, 2, 3], {}, {}, {1: A, 3: A}),
        # no words at all
        ({1: {"rtt_ms": 40}}, {}, [1, 2], {}, {}, {1: {"rtt_ms": 40}}),
    ],
)
def test_a_pair_in_a_name_is_that_of_the_flows_where_it_has_one_for_each(
    of_names, of_files, flows, how, variants, left
):
    names = {flow: dict(keys) for flow, keys in of_names.items()}
    assert settle_pair(names, of_files, flows, **how) == variants
    assert names == left


def stream(side, local, peer, number=1, **more):
    at = {"start_epoch_s": None, "start_s": None, "hops": None, "options": None, "file_id": 0}
    at |= {"cookie": None, "protocol": None, "complete": True, "end_s": 10.0, "n_bytes": 7}
    return SimpleNamespace(side=side, local=local, peer=peer, stream=number, **(at | more))


THERE = stream("sender", "10.0.0.1:40001", "10.0.0.2:5001")
ALSO = stream("receiver", "10.0.0.2:5001", "10.0.0.1:40002")  # there, as its receiver says
BACK = stream("receiver", "10.0.0.1:40003", "10.0.0.2:5001")
TO_SAME, BACK_FROM_IT = (  # both directions between another client and the same server
    stream(side, "10.0.0.3:40008", "10.0.0.2:5002") for side in ("sender", "receiver")
)
UNSAID = stream(None, "10.0.0.1:40004", "10.0.0.2:5001")
NOWHERE = stream("sender", "10.0.0.1:40005", None)
# between two networks, of other hosts than THERE
NORTH = stream("receiver", "10.0.1.2:5001", "10.0.0.3:40006")
SOUTH = stream("sender", "10.0.1.4:5001", "10.0.0.5:40007")
ON_ONE_HOST = stream("sender", "10.0.0.1:40001", "10.0.0.1:5001")
BACK_ON_IT = stream("receiver", "10.0.0.1:40002", "10.0.0.1:5001")
AS_USUAL, REVERSE = '{"direction": "as usual"}', '{"direction": "reverse"}'
UPLOAD = stream("sender", None, None, options=AS_USUAL)
DOWNLOAD = stream("receiver", None, None, options=REVERSE)
UPLOAD_ELSEWHERE = stream("sender", None, None, file_id=1, options=AS_USUAL)
DOWNLOAD_ELSEWHERE = stream("receiver", None, None, file_id=1, options=REVERSE)


@pytest.mark.parametrize(
    ("streams", "against"),
    [
        ([THERE, ALSO, BACK], {3}),
        ([BACK, THERE, ALSO], {1}),  # most go the other way
        ([THERE, BACK], {2}),  # as many each way: the first counts
        ([BACK, THERE], {2}),
        ([THERE, ALSO], set()),
        ([THERE, BACK, TO_SAME, BACK_FROM_IT], {2, 4}),  # two clients with --bidir
        ([THERE, TO_SAME, BACK_FROM_IT], {3}),
        ([UNSAID, NOWHERE], set()),
        ([THERE, UNSAID, NOWHERE, BACK], {4}),
        ([NORTH, SOUTH], {2}),
        ([NORTH, THERE], set()),  # which stays in its network
        ([ON_ONE_HOST, BACK_ON_IT], {2}),
        ([ON_ONE_HOST, ON_ONE_HOST], set()),
        # of one log without ends, as of Flent
        ([DOWNLOAD, DOWNLOAD, UPLOAD, UPLOAD], {3, 4}),
        ([DOWNLOAD, UPLOAD, UPLOAD], {1}),
        ([UPLOAD, UPLOAD], set()),
        ([UPLOAD, DOWNLOAD_ELSEWHERE], set()),  # nothing says how two logs relate
        ([THERE, ALSO, UPLOAD], set()),
    ],
)
def test_flows_of_the_other_direction_are_those_that_most_do_not_go(streams, against):
    assert flows_against(dict(enumerate(streams, 1))) == against


def between(client: int, server: int, *, reverse: bool = False, **more):
    """Return the report of the client of a test between two hosts of one network."""
    local, peer = f"10.0.0.{client}:4000{client}", f"10.0.0.{server}:5201"
    options = '{"direction": "reverse"}' if reverse else None
    return stream("receiver" if reverse else "sender", local, peer, options=options, **more)


@pytest.mark.parametrize(
    ("streams", "against", "doubtful"),
    [
        # two upload to a server, one downloads from it
        ([between(1, 9), between(2, 9), between(3, 9, reverse=True)], {3}, set()),
        ([between(n, 9, reverse=True) for n in (1, 2, 3)], set(), set()),  # all download
        # --bidir of two hosts
        ([between(n, 9, reverse=back) for back in (False, True) for n in (1, 2)], {3, 4}, set()),
        # one client uploads to a server, and downloads from another
        ([between(1, 8), between(1, 9, reverse=True)], {2}, set()),
        # servers of their own
        ([between(1, 3), between(2, 4)], set(), set()),
        ([between(n, n + 4, reverse=True) for n in (1, 2)], set(), set()),
        ([between(1, 3), between(2, 4, reverse=True)], set(), {2}),
        # another server's clients upload and download, too: as is most likely
        ([between(1, 9), between(2, 9), between(3, 8), between(4, 8, reverse=True)], {4}, set()),
        # a chain of two links, with nothing across both; with it, a parking lot
        ([between(1, 2), between(2, 3)], set(), {2}),
        ([between(1, 3), between(1, 2), between(2, 3)], set(), set()),
        # logs of Flent, which name no ends
        ([UPLOAD, UPLOAD_ELSEWHERE], set(), set()),
        ([UPLOAD, DOWNLOAD_ELSEWHERE], set(), {2}),
        ([UPLOAD, UPLOAD, DOWNLOAD, DOWNLOAD_ELSEWHERE], {3}, {4}),
        ([UPLOAD, UPLOAD, DOWNLOAD, UPLOAD_ELSEWHERE], {3}, set()),
        # the same, started at the host in the middle: contradictory
        ([between(1, 3), between(2, 1, reverse=True), between(2, 3)], set(), {1, 2, 3}),
    ],
)
def test_flows_of_other_hosts_are_compared_by_the_host_that_they_share(streams, against, doubtful):
    counting = dict(enumerate(streams, 1))
    assert flows_against(counting) == against
    assert flows_of_doubtful_way(counting) == doubtful


def over(hops, source, sink):
    """Return a flow of a trace of ns-3: what hops it takes between which hosts."""
    return stream("receiver", f"{sink}:5000", f"{source}:49153", hops=hops)


ACROSS = over("0-2 2-3 3-4", "10.1.1.1", "10.1.4.2")
ACROSS_TOO = over("1-2 2-3 3-5", "10.1.2.1", "10.1.5.2")
AGAINST = over("5-3 3-2 2-1", "10.1.5.2", "10.1.2.1")
AHEAD = over("4-6 6-7", "10.1.4.9", "10.1.6.1")  # on from where ACROSS ends
NO_HOPS = over(None, "10.1.5.2", "10.1.2.1")


@pytest.mark.parametrize(
    ("streams", "against", "doubtful"),
    [
        ([ACROSS, AGAINST], {2}, set()),
        ([AGAINST, ACROSS, ACROSS_TOO], {1}, set()),
        ([ACROSS, ACROSS_TOO], set(), set()),
        # the same two hosts, by two paths: the addresses say it
        ([ACROSS, over("4-8 8-0", "10.1.4.2", "10.1.1.1")], {2}, set()),
        ([ACROSS, AHEAD], set(), {2}),
        # on the same link, whatever the addresses of its ends suggest
        ([ACROSS, over("1-2 2-3 3-4 4-7", "10.1.4.9", "10.1.6.1")], set(), set()),
        ([ACROSS, NO_HOPS], set(), set()),
    ],
)
def test_the_links_that_flows_cross_say_their_directions(streams, against, doubtful):
    counting = dict(enumerate(streams, 1))
    assert flows_against(counting) == against
    assert flows_of_doubtful_way(counting) == doubtful


def groups_of(*streams):
    return {("ends", (s.local, s.peer)): [s] for s in streams}


SENT = [stream("sender", f"192.168.0.{i}:40000", "198.51.100.2:5001") for i in (1, 2)]
RECEIVED = [
    stream("receiver", "198.51.100.2:5001", f"203.0.113.9:6100{i}", number=i) for i in (1, 2)
]
ELSEWHERE = stream("receiver", "198.51.100.7:5001", "203.0.113.9:61003")


def test_ends_of_a_flow_whose_address_was_translated_are_joined_at_the_servers():
    groups = groups_of(SENT[0], RECEIVED[0])
    join_translated(groups)
    assert list(groups.values()) == [[SENT[0], RECEIVED[0]]]
    groups = groups_of(*SENT, *RECEIVED)  # in the order of both logs
    join_translated(groups)
    joined = [[SENT[0], RECEIVED[0]], [SENT[1], RECEIVED[1]]]
    assert list(groups.values()) == joined


def test_ends_that_name_no_server_in_common_or_several_are_not_joined():
    groups = groups_of(SENT[0], ELSEWHERE)
    join_translated(groups)
    assert len(groups) == 2
    groups = groups_of(*SENT, RECEIVED[0])  # whose it is nothing says
    join_translated(groups)
    assert len(groups) == 3
    groups = groups_of(*SENT, ELSEWHERE, stream("sender", "192.168.0.3:4", "198.51.100.7:5001"))
    join_translated(groups)  # one log is lost: only the server that each names once
    assert sorted(map(len, groups.values())) == [1, 1, 2]
