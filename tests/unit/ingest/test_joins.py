"""Which evidence joins tests, and which forbids it: each rule of `joins` by itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from evenflow.ingest.entities import Entry
from evenflow.ingest.joining import by_dates, by_names, copies, joined, questions
from evenflow.ingest.joining.clocks import Clocks
from evenflow.ingest.joining.roles import (
    BARE,
    END,
    FLOW,
    HOST,
    OWN,
    PLACE,
    PORT,
    REPEAT,
    SETTING,
    VARIANT,
    WORD,
)
from evenflow.ingest.joining.units import CLIENT, SERVER, Role, Span, Unit, network_of

ENDS = (("10.0.0.1:40001", "10.0.0.2:5001"),)
BACK = (ENDS[0][::-1],)
DAY_S = 1.7e9  # since 1970


def a_test(path="a.log", *, roles="", complete=True, protocol=None, log="iperf2", **more) -> Unit:
    """Return a test as its log and its name tell it; roles: of the parts of its name that vary."""
    entry = Entry(0, path, None, format=log, content_sha256=more.pop("sha", None))
    streams = [SimpleNamespace(protocol=protocol, complete=complete)]
    about = {"episode": 1, "start_s": None, "length_s": 10.0, "zone": None, "carried": ((),)}
    about |= {"key": ("shape", ("*",)), "claim": (path,)} | more
    unit = Unit(entry, streams=streams, **about)
    unit.roles = {i: Role(role, path, 0, 1) for i, role in enumerate(roles or ())}
    return unit


def kinds_of(doubts) -> list[str]:
    return [doubt.kind for doubt in doubts]


# ---- copies --------------------------------------------------------------------------------------

ONE_VALUE = (7,) * 40  # bytes of intervals: nothing that chance does not give
TWELVE = tuple(range(12))  # 43 bits
BITS_48 = tuple(range(8)) * 2  # 16 times 3 bits


def paths_of_copies(*tests) -> list[str]:
    left, found = copies.without_copies([*tests])
    assert len(left) + len(found) == len(tests)
    assert all(copy is not original and original in left for copy, original in found)
    return [copy.path for copy, _ in found]


@pytest.mark.parametrize(
    ("carried", "is_copy"),
    [
        ((ONE_VALUE[:6],), True),
        ((ONE_VALUE[:5],), False),  # so few are alike by chance
        ((ONE_VALUE[:5], ONE_VALUE[:6]), True),  # one of its connections has enough
        ((ONE_VALUE[:5], ONE_VALUE[:4]), False),
    ],
)
def test_undated_tests_of_the_same_ports_and_counts_are_copies_if_they_have_some(carried, is_copy):
    about = {"ends": ENDS * len(carried), "carried": carried}
    found = paths_of_copies(a_test("longer.log", **about), a_test("b.log", **about))
    assert found == ["longer.log"] * is_copy  # the one with the shorter path is kept


@pytest.mark.parametrize(
    ("carried", "is_copy"),
    [
        ((ONE_VALUE,), False),
        ((TWELVE,), False),
        ((TWELVE, TWELVE), True),  # together they tell
        ((BITS_48,), True),
        ((BITS_48[:-1],), False),
        (((1, 2, 1, 2, 1, 2) * 8,), True),  # 48 intervals, a bit each
        (((1, 2, 1, 2, 1, 2) * 7,), False),
    ],
)
@pytest.mark.parametrize("ends", [ENDS, (("", ""),), (("10.0.0.1:40001", ""),)])
def test_on_ports_that_come_again_counts_must_tell_more(carried, is_copy, ends):
    """Ports of which nothing is known may come again."""
    about = {"ends": ends * len(carried), "carried": carried}
    another = a_test("c.log", ends=about["ends"], carried=((1,) * 6,) * len(carried))
    found = paths_of_copies(a_test("a.log", **about), a_test("b.log", **about), another)
    assert found == ["b.log"] * is_copy


@pytest.mark.parametrize("amounts", [(), (5,), (5, 5, 5), (1, 2, 3, 4), (1, 1, 2, 3)])
def test_the_information_in_counts_is_that_of_drawing_each(amounts):
    bits = {(): 0, (5,): 0, (5, 5, 5): 0, (1, 2, 3, 4): 8, (1, 1, 2, 3): 6}[amounts]
    assert copies._bits(amounts) == bits


@pytest.mark.parametrize("about", [{"start_s": DAY_S}, {"log": "ns2-trace"}])
def test_dates_and_simulations_tell_copies_whatever_was_carried(about):
    about = {"ends": ENDS, "carried": ((1,),)} | about
    assert paths_of_copies(a_test("a.log", **about), a_test("b.log", **about)) == ["b.log"]
    undated = {"ends": ENDS, "carried": ((1,),)}
    assert paths_of_copies(a_test("a.log", **undated), a_test("b.log", **undated)) == []


@pytest.mark.parametrize(("log", "copy"), [("ns2-trace", "r.tr"), ("iperf2", "whole.tr")])
def test_of_a_trace_and_what_was_filtered_out_of_it_the_trace_is_kept(log, copy):
    about = {"ends": ENDS, "carried": (BITS_48,), "log": log}
    tests = [a_test("r.tr", sha="one", **about), a_test("whole.tr", sha="another", **about)]
    for test, n_bytes in zip(tests, (100, 300), strict=True):
        test.entry.content_bytes = n_bytes
    assert paths_of_copies(*tests) == [copy]


@pytest.mark.parametrize(
    "other",
    [
        {"carried": ((1,) * 7,)},
        {"length_s": 11.0},
        {"end": CLIENT},
        {"ends": BACK},
        {"start_s": DAY_S},
        {"log": "iperf3"},
        {"sha": "another"},  # of undated logs: they are not the same to the byte
        {"episode": 2},
    ],
)
def test_tests_that_differ_in_anything_are_no_copies(other):
    about = {"ends": ENDS, "carried": ((1,) * 6,), "end": SERVER, "sha": "one"}
    one, same = a_test("a.log", **about), a_test("b.log", **about)
    assert paths_of_copies(one, same) == ["b.log"]
    assert paths_of_copies(one, a_test("b.log", **(about | other))) == []


PAIRS = [f"results/run{run}/flow{flow}.json" for run in (1, 2, 3) for flow in (1, 2)]
FLAT = [f"cubic_vs_reno_run{run}_flow{flow}.json" for run in (1, 2, 3) for flow in (1, 2)]


@pytest.mark.parametrize(
    ("logs", "copy_of"),
    [
        (PAIRS, {"fig3/flow1_cubic.json": PAIRS[2]}),
        (PAIRS, {"archive/run2/flow1.json": PAIRS[2], "archive/run2/flow2.json": PAIRS[3]}),
        (PAIRS, {"best/cubic.json": PAIRS[4], "best/reno.json": PAIRS[5]}),
        (PAIRS, {f"f/{name}.json": PAIRS[i] for i, name in enumerate("abcde")}),
        (PAIRS, {"results/run2/hard.json": PAIRS[2]}),
        (FLAT, {"a.json": FLAT[2]}),
        # both places have equally much beside them: the name decides
        (PAIRS, {f"old/{path[8:]}": path for path in PAIRS}),
        (["orig/a.json", "b.json"], {"c.json": "orig/a.json"}),
    ],
)
def test_of_identical_logs_the_one_is_kept_whose_place_others_lead_one_to_expect(logs, copy_of):
    def log(path, number):
        about = {"ends": ENDS, "start_s": DAY_S + 100 * number, "carried": ((number,) * 9,)}
        return a_test(path, log="iperf3-json", **about)

    tests = [log(path, number) for number, path in enumerate(logs)]
    tests += [log(path, logs.index(original)) for path, original in copy_of.items()]
    gone = paths_of_copies(*tests)
    expected = ["orig/a.json"] if "c.json" in copy_of else sorted(copy_of)
    assert sorted(gone) == expected


def test_of_a_copied_run_whose_original_lost_a_log_all_logs_are_kept_on_one_side():
    whole = [f"backup/run{run}/flow{flow}.json" for run in (1, 2) for flow in (1, 2)]
    left = [path.removeprefix("backup/") for path in whole[:3]]
    about = {"ends": ENDS, "log": "iperf3-json"}
    tests = [
        a_test(path, start_s=DAY_S + 100 * n, **about)
        for paths in (whole, left)
        for n, path in enumerate(paths)
    ]
    gone = paths_of_copies(*tests)
    assert sorted(gone) == ["backup/run1/flow1.json", "backup/run1/flow2.json", "run2/flow1.json"]


@pytest.mark.parametrize(
    ("one", "other", "is_copy"),
    [
        ("run1.log", "run1 (2).log", True),
        ("run1.log", "run1-backup.log", True),
        ("run1.log", "run1.log.bak", True),
        ("old/1.log", "old/12.log", False),  # both are called so
        ("run1.log", "threshold.log", False),  # no word of its own
    ],
)
def test_a_name_that_says_copy_tells_copies_of_few_intervals(one, other, is_copy):
    about = {"ends": ENDS, "carried": ((1,),)}
    found = paths_of_copies(a_test(one, **about), a_test(other, **about))
    assert found == [other] * is_copy


@pytest.mark.parametrize(
    ("carried", "again", "is_copy"),
    [
        (BITS_48, False, True),
        (BITS_48, True, True),
        (BITS_48[:-1], False, False),
        ((1, 2, 3) * 40, False, False),  # whole writes by turns
        ((1, 2, 3, 4) * 40, True, True),
    ],
)
def test_of_undated_logs_that_differ_otherwise_counts_must_tell_much(carried, again, is_copy):
    """One has the line ends of another system, or other tests in it."""
    about = {"ends": ENDS, "carried": (carried,), "length_s": 40.0}
    one, same = a_test("a.log", sha="one", **about), a_test("b.log", sha="another", **about)
    others = [a_test("c.log", **about | {"carried": ((9,) * 40,)})] * again
    assert paths_of_copies(one, same, *others) == ["b.log"] * is_copy
    another_day = a_test("b.log", sha="another", date_s=86400.0, **about)  # of a clock not set
    assert paths_of_copies(one, another_day, *others) == []


VARIED = tuple(1_000_000 + 37_000 * (7 * i % 40) for i in range(40))
ROUNDED = tuple(round(amount, -4) for amount in VARIED)  # as text prints them


@pytest.mark.parametrize(
    ("other", "is_copy"),
    [
        ({"log": "iperf3", "carried": (ROUNDED,)}, True),
        ({"log": "iperf3", "carried": (ROUNDED[:39],)}, True),  # the last report was cut
        ({"log": "iperf3", "carried": (ROUNDED[:20],)}, True),
        ({"log": "iperf3", "carried": (ROUNDED[1:],)}, False),
        ({"log": "iperf3", "carried": (ROUNDED,), "ends": BACK}, False),
        ({"log": "iperf3", "carried": (ROUNDED,), "date_s": DAY_S + 90}, False),
        ({"carried": (VARIED[:20],), "date_s": DAY_S}, True),  # cut off
        ({"carried": (VARIED[:9],), "date_s": DAY_S}, False),  # so few tell nothing
        # the head was cut off
        ({"log": "iperf3", "carried": (VARIED,), "ends": (("", ""),)}, True),
        ({"log": "iperf3", "carried": (ONE_VALUE,), "ends": (("", ""),)}, False),
    ],
)
def test_a_connection_that_is_logged_in_another_form_is_a_copy(other, is_copy):
    about = {"log": "iperf3-json", "ends": ENDS, "carried": (VARIED,)}
    document = a_test("document.json", date_s=DAY_S, start_s=DAY_S, **about)
    again = a_test("b.txt", **about | other)
    assert paths_of_copies(document, again) == ["b.txt"] * is_copy


SIX = (751, 720, 732, 779, 783, 760)
TEN = (*SIX, 723, 775, 782, 738)


@pytest.mark.parametrize(
    ("whole", "cut", "is_copy"),
    [
        ({}, {"carried": (SIX,)}, True),  # undated, as iperf3's text
        ({}, {"carried": (SIX[:5],)}, False),  # so few tell nothing
        ({}, {"carried": ((*SIX[:5], 761),)}, False),
        ({}, {"carried": (SIX,), "complete": True}, False),  # a test that was so short
        ({}, {"carried": (SIX,), "ends": BACK}, False),
        ({"carried": ((1, 2) * 5,)}, {"carried": ((1, 2) * 3,)}, False),  # writes by turns
        ({"start_s": DAY_S}, {"carried": (SIX[:1],), "start_s": DAY_S}, True),
        ({"start_s": DAY_S}, {"carried": ((752,),), "start_s": DAY_S}, False),
        ({"start_s": DAY_S}, {"carried": (SIX[:3],), "start_s": DAY_S + 10}, False),
        ({"start_s": DAY_S}, {"carried": ((),), "start_s": DAY_S}, False),
    ],
)
def test_a_log_that_broke_off_is_a_copy_of_the_one_that_goes_on(whole, cut, is_copy):
    about = {"log": "iperf3", "ends": ENDS, "carried": (TEN,), "length_s": 10.0}
    test = a_test("whole.txt", **about | whole)
    broken = {"complete": False, "length_s": 6.0} | cut
    broken = a_test("a.txt", **about | broken, date_s=broken.get("start_s"))
    test.date_s = test.start_s
    assert paths_of_copies(test, broken) == ["a.txt"] * is_copy


def test_on_ports_that_come_again_with_other_numbers_a_log_that_broke_off_is_no_copy():
    about = {"log": "iperf3", "ends": ENDS}
    tests = [a_test("whole.txt", carried=(TEN,), **about)]
    tests += [a_test("cut.txt", carried=(SIX,), complete=False, length_s=6.0, **about)]
    assert paths_of_copies(*tests) == ["cut.txt"]
    assert paths_of_copies(*tests, a_test("other.txt", carried=(TEN[1:],), **about)) == []


@pytest.mark.parametrize(
    ("carried", "is_copy"), [(TEN[:8], True), (TEN[:7], False), ((1, 2, 3) * 8, False)]
)
def test_a_log_whose_head_is_gone_is_a_copy_of_one_that_has_it(carried, is_copy):
    about = {"log": "iperf3", "carried": (carried,)}
    tests = a_test("whole.txt", ends=ENDS, **about), a_test("a.txt", ends=(("", ""),), **about)
    assert paths_of_copies(*tests) == ["a.txt"] * is_copy


def test_of_constant_rates_on_ports_that_come_again_nothing_is_a_copy():
    about = {"ends": ENDS, "carried": (ONE_VALUE,)}
    documents = [
        a_test(f"{n}.json", log="iperf3-json", start_s=DAY_S + n, date_s=DAY_S + n, **about)
        for n in (100, 200)
    ]
    assert paths_of_copies(*documents, a_test("1.txt", log="iperf3", **about)) == []
    assert paths_of_copies(documents[0], a_test("1.txt", log="iperf3", **about)) == ["1.txt"]


@pytest.mark.parametrize("dates", [(None, None), (DAY_S, DAY_S + 100)])
def test_of_a_log_that_others_were_put_together_in_those_are_kept(dates):
    """They have the names; what holds another test too is no collection."""
    counts = [tuple(range(n, n + 16)) for n in (0, 1, 2)]

    def of_test(path, n, **more):
        about = {"ends": ENDS, "carried": (counts[n],), "start_s": (*dates, None)[n]}
        return a_test(path, sha=path, episode=n + 1, order=n + 1, **about, **more)

    runs = [of_test(f"cubic_run{n}.log", n) for n in (0, 1)]
    everything = [of_test("all.log", n, n_tests=2) for n in (0, 1)]
    assert paths_of_copies(*runs, *everything) == ["all.log"] * 2
    with_another = [of_test("all.log", n, n_tests=3) for n in (0, 1, 2)]
    assert sorted(paths_of_copies(*runs, *with_another)) == ["cubic_run0.log", "cubic_run1.log"]


def test_a_file_is_kept_and_the_link_to_it_is_the_copy(tmp_path):
    (tmp_path / "run2.log").write_bytes(b"")
    (tmp_path / "last").symlink_to("run2.log")
    tests = [a_test(path, ends=ENDS, carried=(BITS_48,)) for path in ("last", "run2.log")]
    for test in tests:
        test.entry.file = tmp_path / test.path
    assert paths_of_copies(*tests) == ["last"]


def test_the_tests_of_a_log_are_numbered_without_the_copies():
    def of_log(path, n, start_s):
        more = {"n_tests": 3, "order": n, "episode": n}
        return a_test(path, ends=ENDS, carried=((1,),), start_s=start_s, **more)

    log = [of_log("log.log", n, DAY_S + 100 * n) for n in (1, 2, 3)]
    twice = a_test("a.log", ends=ENDS, carried=((1,),), start_s=DAY_S + 200)
    left, found = copies.without_copies([*reversed(log), twice])
    assert [copy for copy, _ in found] == [log[1]]
    assert [(t.order, t.n_tests) for t in (log[0], log[2], twice)] == [(1, 2), (2, 2), (1, 1)]
    assert len(left) == 3


# ---- names ---------------------------------------------------------------------------------------

IPERF3 = {"log": "iperf3", "servers": frozenset({"10.0.0.2:5201"}), "end": CLIENT}
IPERF2 = IPERF3 | {"log": "iperf2"}


@pytest.mark.parametrize(
    ("one", "other", "vetoed", "doubt"),
    [
        ({}, {}, False, []),
        ({}, {"claim": ("a.log",)}, True, [joined.CLAIMS]),
        ({"end": CLIENT}, {"claim": ("a.log",), "end": SERVER}, False, []),  # both ends of it
        (IPERF3, IPERF3, True, [joined.ONE_AT_A_TIME]),
        (IPERF3, IPERF3 | {"servers": frozenset({"10.0.0.2:5202"})}, False, []),
        (IPERF3, IPERF3 | {"servers": frozenset({"10.0.0.3:5201"})}, False, []),
        (IPERF3, IPERF3 | {"end": SERVER}, False, []),  # the other end
        (IPERF3 | {"end": ""}, IPERF3 | {"end": ""}, False, []),  # nobody knows which ends
        (IPERF2, IPERF2, False, []),  # which serves several at a time
        (IPERF2 | {"end": SERVER}, IPERF2 | {"end": SERVER}, True, [joined.ONE_AT_A_TIME]),
        # names of flows or ends may join two servers of one address, as behind NAT
        (IPERF3 | {"roles": [FLOW]}, IPERF3 | {"roles": [FLOW]}, False, []),
        (IPERF3 | {"roles": [END]}, IPERF3 | {"roles": [END]}, False, []),
        (IPERF3 | {"roles": [HOST]}, IPERF3 | {"roles": [HOST]}, True, [joined.ONE_AT_A_TIME]),
        # one place of one run, logged by both ends
        ({"tells": ("1",), "end": CLIENT}, {"claim": ("a.log",), "tells": ("2",)}, False, []),
        ({"roles": [OWN, BARE]}, {"roles": [OWN, BARE]}, False, [joined.COUNTS_WHAT]),
        ({"roles": [OWN]}, {"roles": [OWN]}, False, []),
        ({"roles": [BARE]}, {"roles": [BARE]}, False, []),
    ],
)
def test_what_names_join_is_no_run_where_logs_contradict(one, other, vetoed, doubt):
    doubts = []
    tests = [a_test("a.log", **one), a_test("b.log", **other)]
    assert by_names.vetoed(tests, doubts) is vetoed
    assert kinds_of(doubts) == doubt
    assert all(asked.paths == ("a.log", "b.log") for asked in doubts)


def test_a_test_by_itself_is_joined_with_nothing_and_asked_nothing():
    doubts = []
    assert by_names.vetoed([a_test()], doubts)
    assert doubts == []


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ({"path": "a.log"}, {"path": "a.log"}, True),  # one after the other
        ({"tells": ("1",)}, {"tells": ("2",)}, True),
        ({"tells": ("1",)}, {"tells": ("2",), "key": ("another shape",)}, False),
        ({"tells": ("1",)}, {"tells": ("1",)}, False),
        (IPERF3, IPERF3, True),
        (IPERF3 | {"start_s": DAY_S}, IPERF3 | {"start_s": DAY_S}, True),  # no host in common
        (
            *(IPERF3 | {"start_s": DAY_S + s, "ends": ENDS} for s in (0, 2)),
            False,  # one clock dates both: there were several servers
        ),
        (*(IPERF3 | {"start_s": DAY_S + s, "ends": ENDS} for s in (0, 20)), True),
        (
            IPERF3 | {"start_s": DAY_S, "ends": ENDS},
            IPERF3 | {"start_s": DAY_S, "ends": ENDS, "path": "lab/b.log"},
            True,  # in another folder it may be another day's copy of the clock
        ),
        (
            IPERF3 | {"start_s": DAY_S, "ends": ENDS},
            IPERF3 | {"start_s": DAY_S, "ends": ENDS, "zone": "CST"},
            True,
        ),
        (IPERF3 | {"start_s": DAY_S, "ends": ENDS}, IPERF3 | {"ends": ENDS}, True),
    ],
)
def test_what_cannot_be_of_one_run(one, other, excluded):
    first, second = a_test(**one), a_test(**({"path": "b.log"} | other))
    assert by_names.excluded(first, second) is excluded
    assert by_names.excluded(second, first) is excluded


@pytest.mark.parametrize(
    ("roles", "dated", "weak"),
    [
        ([HOST], [False, False], True),
        ([PORT], [False, False], True),
        ([HOST, PORT], [False, False], True),
        ([HOST, SETTING], [False, False], True),
        ([HOST], [True, False], True),  # the date of one tells nothing of the other
        ([HOST], [True, True], False),
        ([HOST, FLOW], [False, False], False),
        ([FLOW], [False, False], False),
        ([SETTING], [False, False], False),
    ],
)
def test_numbered_hosts_and_ports_alone_are_weak_evidence_without_dates(roles, dated, weak):
    tests = [a_test(roles=roles, start_s=DAY_S if has else None) for has in dated]
    assert by_names.is_weak(tests) is weak


@pytest.mark.parametrize(
    ("one", "other", "n_clusters", "doubt"),
    [
        ({}, {}, 1, []),
        ({"length_s": 5.0}, {}, 1, []),  # half as long
        ({"length_s": 4.9}, {}, 0, [joined.UNLIKE_LENGTHS]),
        ({"length_s": 4.9, "complete": False}, {}, 1, []),  # it was cut
        ({"length_s": 4.9, "roles": [FLOW]}, {}, 1, []),  # names say that they are flows
        ({"length_s": 4.9, "roles": [HOST]}, {}, 0, [joined.UNLIKE_LENGTHS]),
        ({"start_s": DAY_S}, {"start_s": DAY_S + 1}, 1, []),
        ({"start_s": DAY_S}, {"start_s": DAY_S + 60}, 2, [joined.PARTED_BY_DATES]),
        ({"start_s": DAY_S, "n_tests": 2}, {"start_s": DAY_S + 60, "n_tests": 2}, 2, []),
        ({"start_s": DAY_S, "zone": "CST"}, {"start_s": DAY_S + 60}, 1, []),  # no common clock
        ({"start_s": DAY_S, "length_s": 4.9}, {"start_s": DAY_S}, 1, []),
        ({"start_s": DAY_S, "length_s": 4.9}, {}, 0, [joined.UNLIKE_LENGTHS]),
    ],
)
def test_what_names_join_is_parted_by_dates_and_without_them_by_lengths(
    one, other, n_clusters, doubt
):
    doubts = []
    tests = [a_test("a.log", **one), a_test("b.log", **other)]
    clusters = by_names.parted_by_dates(tests, Clocks([], []), doubts)
    assert len(clusters) == n_clusters
    assert sum(map(len, clusters)) in (0, 2)
    assert kinds_of(doubts) == doubt


# ---- dates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("10.0.1.2", "10.0.1.0/24"),
        ("10.0.1.2%eth0", "10.0.1.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::1%eth0"),  # every network has those
        ("169.254.3.4", "169.254.3.4"),
        ("pc1.lab.example.org", "lab.example.org"),
        ("pc1", "pc1"),
    ],
)
def test_the_network_of_a_host(host, network):
    assert network_of(host) == network


NEAR = {"hosts": frozenset({"10.0.0.1", "10.0.0.2"})}


@pytest.mark.parametrize(
    ("path", "hosts", "near"),
    [
        ("lab/b.log", {"172.16.0.1"}, True),  # of one folder: a dumbbell
        ("far/b.log", {"172.16.0.1"}, False),
        ("far/b.log", {"172.16.0.1", "10.0.0.1"}, True),  # a host in common
        ("far/b.log", {"172.16.0.1", "10.0.0.9"}, True),  # a network in common
        ("far/b.log", {"172.16.0.1", "10.0.1.9"}, False),
        ("far/b.log", (), True),  # nothing is known
    ],
)
def test_tests_of_two_folders_are_near_if_they_share_a_host_or_a_network(path, hosts, near):
    one, other = a_test("lab/a.log", **NEAR), a_test(path, hosts=frozenset(hosts))
    assert by_dates._near(one, other) is by_dates._near(other, one) is near


@pytest.mark.parametrize(
    ("one", "other", "key", "comparable"),
    [
        ("x/a.log", "y/b.log", ("shape",), True),
        ("x/a.log", "y/b.log", ("another shape",), False),
        ("x/a.log", "x/b.log", ("another shape",), True),
        ("x/a.log", "x/deep/b.log", ("another shape",), True),
        ("x/a.log", "xy/b.log", ("another shape",), False),
        ("a.log", "x/b.log", ("another shape",), True),
    ],
)
def test_dates_join_names_of_one_shape_or_logs_of_which_one_lies_by_the_other(
    one, other, key, comparable
):
    first, second = a_test(one), a_test(other, key=key)
    assert by_dates._comparable(first, second) is by_dates._comparable(second, first) is comparable


@pytest.mark.parametrize(
    ("other", "beside"),
    [
        ({"start_s": DAY_S}, True),
        ({"start_s": DAY_S + 5}, True),  # half of it
        ({"start_s": DAY_S + 5.1}, False),
        ({"start_s": DAY_S + 90, "length_s": 5.0}, True),
        ({}, False),  # undated
        ({"start_s": DAY_S, "path": "a.log"}, False),  # of one log
        ({"start_s": DAY_S, "ends": ENDS}, False),  # the same connection
        ({"start_s": DAY_S, "ends": ENDS, "end": SERVER}, True),
        ({"start_s": DAY_S, "ends": BACK}, True),
        ({"start_s": DAY_S, "path": "y/b.log", "key": ("another shape",)}, False),
    ],
)
def test_what_ran_beside_a_test_for_half_of_the_shorter(other, beside):
    length_s = 100.0 if "length_s" in other else 10.0
    one = a_test("x/a.log", start_s=DAY_S, length_s=length_s, ends=ENDS, end=CLIENT)
    about = {"path": "x/b.log", "end": CLIENT} | other
    if about["path"] == "a.log":
        about["path"] = one.path
    assert by_dates._may_be_joined([one], [a_test(**about)], Clocks([], [])) is beside


def test_the_longest_tests_are_those_of_at_least_half_the_longest():
    tests = [a_test(length_s=length_s) for length_s in (100.0, 50.0, 49.9)]
    assert by_dates._longest(tests) == tests[:2]


def test_tests_near_in_time_are_pairs_that_overlap_by_one_clock():
    def run(path, start_s, zone=None):
        return joined.Run([a_test(path, start_s=start_s, zone=zone)])

    runs = [run("a", DAY_S), run("b", DAY_S + 5), run("c", DAY_S + 200), run("d", DAY_S, "CST")]
    runs.append(joined.Run([a_test("undated")]))
    pairs = by_dates._near_in_time(runs, Clocks([], []))
    assert [(one.path, other.path) for one, other in pairs] == [("a", "b")]


# ---- the order of tests --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths_s", "dates", "dated", "found"),
    [
        ([(10, 10), (10, 10)], (), False, ["a1 b1", "a2 b2"]),
        ([(10, 30), (10, 30)], (), False, ["a1 b1", "a2 b2"]),
        ([(10, 30), (8, 30)], (), False, ["a1 b1", "a2 b2"]),  # alike to a fifth of the longer
        ([(10, 30), (7.9, 30)], (), False, []),
        ([(10, 10), (10, 10, 10)], (), False, []),  # which is the one more?
        ([(10,), (30,)], (), False, ["a1 b1"]),  # logs of one test have no order
        ([(10, 10), (10, 10)], "ab", False, ["a1 a2 b1 b2"]),  # dates part them
        ([(10, 10), (10, 30)], "ab", True, ["a1 b1", "a2 b2"]),  # with dates they may be unlike
        ([(10, 10), (10, 30)], "a", True, []),
    ],
)
def test_tests_of_logs_that_hold_equally_many_of_equal_length_are_paired(
    lengths_s, dates, dated, found
):
    tests = [
        a_test(
            f"{log}{n}",
            start_s=DAY_S + 100 * n if log in dates else None,
            length_s=length_s,
            order=n,
            n_tests=len(of_log),
        )
        for log, of_log in zip("ab", lengths_s, strict=True)
        for n, length_s in enumerate(of_log, start=1)
    ]
    parts = by_names.in_order(tests, [], dated)
    assert [" ".join(t.path for t in part) for part in parts] == found


def logged(path: str, *, failed: str, end=CLIENT) -> list[Unit]:
    """Return the tests of a log; failed: 'x' for each that failed, else '.', in their order."""
    n_failed, n_tests = failed.count("x"), failed.count(".")
    return [
        a_test(
            f"{path}{n}",
            order=n,
            n_tests=n_tests,
            n_failed=n_failed,
            n_failed_before=failed[:at].count("x"),
            end=end,
        )
        for n, at in enumerate((i for i, c in enumerate(failed) if c == "."), start=1)
    ]


@pytest.mark.parametrize(
    ("one", "other", "found", "asked"),
    [
        ("..", "..", ["a1 b1", "a2 b2"], False),
        ("x..", "..x", ["a1 b2", "a2", "b1"], False),  # all three count
        ("x..", "...", ["a1 b2", "a2 b3", "b1"], False),
        ("x..", "x..", ["a1 b1", "a2 b2"], False),
        ("x..", "..", [], True),  # tried again, or not: nobody knows
        (".x.", "x..x", [], True),
        ("x.", ".x", ["a1", "b1"], False),
        ("x.", ".", ["a1 b1"], False),  # tried again
    ],
)
def test_tests_that_failed_count_in_the_order_of_those_that_did_not(one, other, found, asked):
    doubts = []
    tests = [*logged("a", failed=one), *logged("b", failed=other)]
    for test in tests:
        test.path = test.path[0]
    parts = by_names.in_order(tests, doubts)
    pairs = sorted(" ".join(sorted(f"{t.path}{t.order}" for t in part)) for part in parts)
    assert pairs == found
    assert kinds_of(doubts) == [joined.FAILED_AMONG] * asked


def test_a_server_logs_no_test_that_did_not_reach_it():
    tests = [
        *logged("a", failed="x.."),
        *logged("b", failed="x.."),
        *logged("s", failed="..", end=SERVER),
    ]
    for test in tests:
        test.path = test.path[0]
    parts = by_names.in_order(tests, [])
    assert [[f"{t.path}{t.order}" for t in part] for part in parts] == [
        ["a1", "b1", "s1"],
        ["a2", "b2", "s2"],
    ]


def named(path, *parts, **more) -> Unit:
    """Return a test whose name has these parts: (role, text)."""
    unit = a_test(path, **({"key": ("shape", tuple(text for _, text in parts))} | more))
    unit.roles = {i: Role(role, text, 0, 1) for i, (role, text) in enumerate(parts)}
    return unit


@pytest.mark.parametrize(
    ("other", "paired", "both_paired"),
    [
        ({}, True, True),
        ({"n_tests": 1}, False, False),  # one is in no order
        ({"end": ""}, False, False),  # nobody knows that it is no other end
        ({"end": CLIENT}, False, True),
        ({"path": "far/{}.log"}, False, True),  # in another folder
        ({"key": ("another shape", ("oslo", "5"))}, False, True),
        ({"key": ("shape", ("oslo", "6"))}, False, True),  # at another setting
        ({"role": SETTING}, False, False),  # the word names no place
    ],
)
def test_tests_of_servers_that_were_left_running_at_two_places_are_paired(
    other, paired, both_paired
):
    def log(text, path="lab/{}.log", role=PLACE, n_tests=2, **more):
        about = {"end": SERVER, "key": ("shape", (text, "5")), "n_tests": n_tests} | more
        parts = ((role, text), (SETTING, "5"))
        numbers = range(1, n_tests + 1)
        return [named(path.format(text), *parts, order=n, **about) for n in numbers]

    one, two = log("lyon"), log("oslo", **other)
    found = list(by_names.series_of([*one, *two], []))
    assert found == ([[one[0], two[0]], [one[1], two[1]]] if paired else [])
    both = list(by_names.series_of([*log("lyon", **other), *two], []))
    assert len(both) == (2 if both_paired else 0)


@pytest.mark.parametrize(
    ("other", "may"),
    [
        ({}, True),  # undated
        ({"start_s": DAY_S + 5}, True),  # for half of it both ran
        ({"start_s": DAY_S + 6}, False),
        ({"start_s": DAY_S, "tells": ("2",)}, False),  # another repeat
        ({"tells": ("2",)}, False),
    ],
)
def test_the_tests_of_one_number_are_one_run_if_dates_and_names_allow_it(other, may):
    one = a_test("a.log", start_s=DAY_S, tells=("1",))
    other = a_test("b.log", **({"tells": ("1",)} | other))
    assert by_names.may_follow(one, other, Clocks([], [])) is may


# ---- what is asked -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "asked"),
    [
        *((((role, "x"),), ((role, "y"),), True) for role in (VARIANT, BARE, WORD, PLACE)),
        (((REPEAT, "1"),), ((REPEAT, "2"),), False),
        (((VARIANT, "x"), (SETTING, "5")), ((VARIANT, "y"), (SETTING, "5")), True),
        (((VARIANT, "x"), (SETTING, "5")), ((VARIANT, "y"), (SETTING, "6")), False),
        (((VARIANT, "x"), ("side", "s")), ((VARIANT, "x"), ("side", "r")), False),
    ],
)
def test_names_that_differ_in_a_weak_label_alone_are_asked_about(one, other, asked):
    runs = [joined.Run([named("a.log", *one)]), joined.Run([named("b.log", *other)])]
    found = list(questions.asked_about(runs, Clocks([], [])))
    assert found == [joined.Doubt(joined.ONE_OR_TWO, ("a.log", "b.log"))] * asked


@pytest.mark.parametrize(
    ("start_s", "asked"), [((None, None), True), ((0, 5), True), ((0, 6), False), ((0, None), True)]
)
def test_where_dates_tell_nothing_is_asked(start_s, asked):
    tests = [
        named(path, (VARIANT, path), start_s=None if at is None else DAY_S + at)
        for path, at in zip(("a.log", "b.log"), start_s, strict=True)
    ]
    found = list(questions.asked_about([joined.Run([test]) for test in tests], Clocks([], [])))
    assert kinds_of(found) == [joined.ONE_OR_TWO] * asked


LONG_AND_SHORT = (Span(0.0, 30.0, True), Span(20.0, 10.0, True))
SERVED = {"servers": frozenset({"10.0.0.2:5001"})}


@pytest.mark.parametrize(
    ("client", "server", "asked"),
    [
        ({}, {}, True),
        ({}, {"servers": frozenset({"10.0.0.3:5001"})}, False),
        ({}, {"end": CLIENT}, False),
        ({}, {"length_s": 30.0}, False),  # no ends of one test
        ({"start_s": DAY_S}, {"start_s": DAY_S}, False),  # dates tell
        ({"start_s": DAY_S}, {}, True),
        ({"ends": ENDS + BACK}, {}, False),  # it reports both ends itself
        # behind NAT: one of the server's two connections is as long
        ({}, {"length_s": 30.0, "ends": (*BACK, ("s", "c")), "spans": LONG_AND_SHORT}, True),
    ],
)
def test_logs_of_clients_and_of_their_server_that_nothing_pairs_are_asked_about(
    client, server, asked
):
    runs = [
        joined.Run([a_test("c.log", **({"end": CLIENT} | SERVED | client))]),
        joined.Run([a_test("s.log", **({"end": SERVER} | SERVED | server))]),
    ]
    found = list(questions.unpaired(runs, Clocks([], []), set()))
    assert found == [joined.Doubt(joined.OTHER_ENDS, ("c.log", "s.log"))] * asked
    assert not list(questions.unpaired(runs, Clocks([], []), {"c.log"}))  # that is asked already
    one_run = joined.Run([test for run in runs for test in run.tests])
    assert asked is False or not list(questions.unpaired([one_run], Clocks([], []), set()))


@pytest.mark.parametrize(
    ("later_s", "other", "asked"),
    [
        (0, {}, True),
        (4, {}, True),
        (6, {}, False),  # less than half of the shorter test
        (10, {}, False),  # one after the other
        (0, {"start_s": None}, False),
        (0, {"zone": "CET"}, False),
        (0, {"path": "b.log"}, False),  # of two logs: then they are joined
        (0, {"length_s": 2.0}, False),  # dates are whole seconds
    ],
)
def test_tests_of_one_log_that_dates_say_ran_at_once_are_asked_about(later_s, other, asked):
    both = {"n_tests": 2}
    tests = [
        a_test("a.log", start_s=DAY_S, **both),
        a_test(**({"path": "a.log", "start_s": DAY_S + later_s} | both | other)),
    ]
    found = list(questions.at_once_in_one_log(tests))
    assert found == [joined.Doubt(joined.IN_ONE_LOG, ("a.log",))] * asked
