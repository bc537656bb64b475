"""What each part of a path is for, as far as other paths and the logs tell it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
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
    SIDE,
    VARIANT,
    WORD,
    read_roles,
)
from evenflow.ingest.joining.units import CLIENT, SERVER


def a_test(path, server="", client="", end=SERVER, tool="iperf"):
    """Return a test: which end wrote its log, and the addresses, if it says any."""
    ends = ((server, client),) if end == SERVER else ((client, server),)
    servers = frozenset({server} - {""})
    about = {"path": path, "end": end, "ends": ends, "servers": servers, "tool": tool}
    return SimpleNamespace(**about, roles={}, tells=(), key=(), claim=())


def roles_of(*tests) -> list[str]:
    """Return the roles of the parts in which names differ, in their order."""
    tests = [a_test(test) if isinstance(test, str) else test for test in tests]
    read_roles(tests)
    found = tests[0].roles
    assert all(t.path[r.start : r.end].lower() == r.text for t in tests for r in t.roles.values())
    return [found[i].role for i in sorted(found)]


@pytest.mark.parametrize(
    ("paths", "roles"),
    [
        (["run1.log", "run2.log"], [REPEAT]),
        (["1/x.log", "2/x.log"], [REPEAT]),  # a folder of a number alone
        (["a/1/x.log", "a/2/x.log"], [REPEAT]),
        (["a-1/x.log", "a-2/x.log"], [SETTING]),
        (["1-a/x.log", "2-a/x.log"], [SETTING]),
        (["x1.log", "x2.log"], [SETTING]),  # behind a word of its own
        (["x_1.log", "x_2.log"], [BARE]),
        (["1.log", "2.log"], [BARE]),
        (["test1.log", "test2.log"], [REPEAT]),
        (["flow1.log", "flow2.log"], [FLOW]),
        (["f1.log", "f2.log"], [FLOW]),
        (["flow_1.log", "flow_2.log"], [FLOW]),
        (["server1.log", "server2.log"], [END]),
        (["server1/x.log", "server2/x.log"], [PLACE]),  # a folder of a host
        (["node1.log", "node2.log"], [PLACE]),  # no log says its host
        (["100mbit.log", "10mbit.log"], [SETTING]),
        (["client.log", "server.log"], [SIDE]),
        (["c.log", "s.log"], [SIDE]),
        (["client1.log", "server1.log", "client2.log", "server2.log"], [SIDE, END]),
        (["lyon.log", "oslo.log"], [WORD]),
        (["lyon/x.log", "oslo/x.log"], [WORD]),  # of two folders each may be of an end
        (["lyon/1.log", "oslo/1.log", "lyon/2.log", "oslo/2.log"], [SETTING, BARE]),
        (["2024-03-15/x.log", "2024-03-16/x.log"], [REPEAT]),
        (["2024-03-15.log", "2024-03-16.log"], [REPEAT]),
        (["3f2a9c1d.log", "4f2a9c1d.log"], [BARE]),  # names a log, not a run
        (["3f2a9c1d/x.log", "4f2a9c1d/x.log"], [REPEAT]),
        (["10.0.0.1.log", "10.0.0.2.log"], [SETTING]),  # of no host that a log says
        (["cubic.log", "bbr.log"], [VARIANT]),
        (["cubic/x.log", "bbr/x.log"], [SETTING]),
        (["cubic_bbr.log", "bbr_bbr.log"], [SETTING]),  # with another one beside it
        (["cubic-bbr/cubic.log", "cubic-bbr/bbr.log"], [OWN]),
        (["cubic-bbr/cubic.log", "cubic-bbr/reno.log"], [VARIANT]),  # none of the folder's
        (["cubic/cubic.log", "bbr/bbr.log"], [SETTING, VARIANT]),
    ],
)
def test_parts_of_names_are_for_what_stands_before_them(paths, roles):
    assert roles_of(*paths) == roles


def served(path, n, *, host="10.0.0.2", port=5001, client="10.0.0.1", **more):
    return a_test(path.format(n), f"{host}:{port}", f"{client}:{40000 + n}", **more)


@pytest.mark.parametrize(
    ("path", "logs", "roles"),
    [
        ("h{}.log", [{"host": "10.0.0.1"}, {"host": "10.0.0.2"}], [HOST]),
        ("h{}.log", [{"client": "10.0.0.1"}, {"client": "10.0.0.2"}], [HOST]),
        ("h{}.log", [{}, {}], [PLACE]),  # all are of one host
        ("s_{}.log", [{"port": 5001}, {"port": 5002}], [PORT]),
        ("x{}.log", [{"port": 5001}, {"port": 5002}], [SETTING]),  # glued to a word of its own
        ("x500{}.log", [{"port": 5001}, {"port": 5002}], [PORT]),  # but it is the port itself
        ("s_{}.log", [{"port": 5001}, {"port": 5002, "host": "10.0.0.3"}], [BARE]),  # it comes once
        ("s_{}.log", [{"host": "10.0.0.3"}, {"host": "10.0.0.4"}], [BARE]),
        ("flow{}.log", [{"host": "10.0.0.3"}, {"host": "10.0.0.4"}], [FLOW]),
        ("run{}.log", [{"host": "10.0.0.3"}, {"host": "10.0.0.4"}], [REPEAT]),
        ("10.0.0.{}.log", [{"host": "10.0.0.1"}, {"host": "10.0.0.2"}], [HOST]),
    ],
)
def test_numbers_are_those_of_hosts_or_ports_where_they_go_with_them(path, logs, roles):
    assert roles_of(*(served(path, n, **log) for n, log in enumerate(logs, 1))) == roles


def grid(path, *, again=2):
    """Return tests of two hosts in several repeats, with their host's number in the name."""
    return [
        served(path.format(h, r), 10 * r + h, host=f"10.0.0.{h}")
        for r in range(1, again + 1)
        for h in (3, 4)
    ]


@pytest.mark.parametrize(
    ("path", "roles"),
    [
        ("s_{}_run{}.log", [HOST, REPEAT]),  # a number of a host that comes again
        ("site{}_run{}.log", [PLACE, REPEAT]),
        ("lab{}_run{}.log", [PLACE, REPEAT]),
        ("rtt{}_run{}.log", [SETTING, REPEAT]),  # a value, whatever it goes with
    ],
)
def test_a_number_of_hosts_that_comes_again_tells_them_but_behind_a_word(path, roles):
    assert roles_of(*grid(path)) == roles


def test_labels_and_variants_of_a_host_tell_no_runs_apart():
    names = {3: "ada", 4: "bob"}
    tests = [
        served(f"h{h}_{names[h]}_run{r}.log", 10 * r + h, host=f"10.0.0.{h}")
        for r in (1, 2)
        for h in (3, 4)
    ]
    assert roles_of(*tests) == [HOST, HOST, REPEAT]
    variants = {3: "cubic", 4: "bbr"}
    tests = [
        served(f"h{h}_{variants[h]}_run{r}.log", 10 * r + h, host=f"10.0.0.{h}")
        for r in (1, 2)
        for h in (3, 4)
    ]
    assert roles_of(*tests) == [HOST, OWN, REPEAT]
    tests += [served("h3_bbr_run3.log", 99, host="10.0.0.3")]  # it has another one, too
    assert roles_of(*tests) == [HOST, VARIANT, REPEAT]


def test_a_word_that_goes_with_the_end_names_it_where_it_comes_again():
    def pairs(n, tools=("iperf", "iperf")):
        ends = {"left": (CLIENT, tools[0]), "right": (SERVER, tools[1])}
        return [
            a_test(f"{word}_run{r}.log", end=end, tool=tool)
            for r in range(1, n + 1)
            for word, (end, tool) in ends.items()
        ]

    assert roles_of(*pairs(2)) == [SIDE, REPEAT]
    assert roles_of(*pairs(1)) == [WORD]  # of two logs anything goes with the end
    assert roles_of(*pairs(2, ("iperf", "nuttcp"))) == [WORD, REPEAT]  # no log is the other's end


@pytest.mark.parametrize(
    ("designs", "roles"),
    [
        ([["cubic1", "bbr2", "bbr3"]] * 2, [REPEAT, SETTING, FLOW]),
        ([["cubic1", "bbr1", "bbr2"]] * 2, None),  # they count anew for each variant
        ([["cubic1", "bbr2", "bbr3"], ["cubic1", "bbr2", "bbr4"]], None),  # another in run 2
        ([["cubic1", "bbr2", "bbr3"]], None),  # of one run nobody knows
        ([["cubic1", "cubic2", "cubic3"]] * 2, None),
        ([["cubic2", "bbr4", "bbr8"]] * 2, None),  # they do not count up
    ],
)
def test_a_number_behind_a_variant_is_a_flow_where_it_goes_on_from_variant_to_variant(
    designs, roles
):
    paths = [f"run{r}/{name}.log" for r, names in enumerate(designs, 1) for name in names]
    found = roles_of(*paths)
    assert (FLOW in found) == (roles is not None)


def test_logs_whose_names_differ_in_members_alone_share_the_key_of_their_run():
    tests = [a_test(f"run{r}/flow{i}_s.log") for r in (1, 2) for i in (1, 2)]
    beside = [SimpleNamespace(path=path) for path in ("run2/flow3_s.log", "other-name/x.log")]
    found = read_roles(tests, beside)
    assert len({t.key for t in tests}) == 2
    assert tests[0].key == tests[1].key != tests[2].key
    assert [t.claim for t in tests] == [("1",), ("2",), ("1",), ("2",)]
    assert [t.tells for t in tests] == [("1",), ("1",), ("2",), ("2",)]
    assert found["run2/flow3_s.log"] == (tests[2].key, ("3",))
    assert "other-name/x.log" not in found


@pytest.mark.parametrize(
    ("path", "other", "claim"),
    [
        ("flow1.log", "flow2.log", ("2",)),
        ("server1.log", "client2.log", ("2",)),
        ("server.log", "client.log", ()),  # a side is no other place
        ("node1.log", "node2.log", None),  # it may be a repeat
        ("run1.log", "run2.log", None),
        ("lyon.log", "oslo.log", None),
    ],
)
def test_of_a_single_log_its_neighbour_of_nothing_tells_flows_and_ends(path, other, claim):
    test = a_test(path)
    found = read_roles([test], [SimpleNamespace(path=other)])
    assert (found[other][0] == test.key) == (claim is not None)
    if claim is not None:
        assert found[other][1] == claim
