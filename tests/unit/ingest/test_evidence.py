"""What the page says of the evidence for runs, and of what it asks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from evenflow.ingest.entities import DEFAULT, GUESS, LOGS_SAY, NAMES_SAY
from evenflow.ingest.evidence import (
    ANSWERS,
    BOTH_ENDS,
    BY_DATES,
    BY_ENDS,
    BY_HOSTS,
    BY_NAMES,
    BY_ORDER,
    BY_PORTS,
    CUT,
    NOT_ENOUGH,
    NOT_TAKEN,
    NOTHING_BESIDE,
    NOTHING_TELLS,
    OF_ONE_FLOW,
    list_clocks,
    list_doubts,
    list_runs,
)
from evenflow.ingest.joining import joined
from evenflow.ingest.joining.roles import FLOW, HOST, PORT

ENDS = ("10.0.0.1:40001", "10.0.0.2:5001")
OTHERS = ("10.0.0.1:40002", "10.0.0.2:5001")


def a_test(path="a.log", ends=(ENDS,), roles=(), start_s=None, host=""):
    named = {i: SimpleNamespace(role=role) for i, role in enumerate(roles)}
    about = {"path": path, "ends": ends, "roles": named, "start_s": start_s, "host": host}
    about |= {"entry": SimpleNamespace(settings={})}
    return SimpleNamespace(streams=[object()] * len(ends), **about)


def said_of(tests, *evidence) -> tuple[str, str, str]:
    (row,) = list_runs([joined.Run(tests, set(evidence))])
    number, _, how = row.value.partition(", ")
    assert number == "1"
    return how, row.because, row.certainty


@pytest.mark.parametrize(
    ("ends", "start_s", "because", "certainty"),
    [
        ([ENDS], None, NOTHING_TELLS, DEFAULT),
        ([ENDS], 1.7e9, NOTHING_BESIDE, DEFAULT),
        ([ENDS, ENDS[::-1]], None, "it holds both ends of its flow", LOGS_SAY),
        ([ENDS, OTHERS], None, "it holds several flows", LOGS_SAY),
        ([ENDS, ENDS[::-1], OTHERS], 1.7e9, "it holds several flows", LOGS_SAY),
        ([("", ""), ("", "")], None, "it holds several flows", LOGS_SAY),  # nothing names ends
        ([("10.0.0.1:1", ""), ("10.0.0.1:1", "")], None, "it holds several flows", LOGS_SAY),
    ],
)
def test_a_log_is_a_run_by_what_it_holds_or_as_nothing_else_tells(
    ends, start_s, because, certainty
):
    how, why, sure = said_of([a_test(ends=ends, start_s=start_s)])
    assert how.startswith("each log, or test in it, ")
    assert how.endswith("by itself") == (len(ends) == 1)
    assert (why, sure) == (because, certainty)


@pytest.mark.parametrize(
    ("evidence", "how", "certainty"),
    [
        ([joined.BY_NAMES], [BY_NAMES], NAMES_SAY),
        ([joined.BY_ENDS], [BY_ENDS], LOGS_SAY),
        ([joined.BY_DATES], [BY_DATES], LOGS_SAY),
        ([joined.BY_ORDER], [BY_ORDER], GUESS),
        # the weakest that was needed tells how sure it is
        ([joined.BY_ENDS, joined.BY_NAMES], [BY_NAMES, BY_ENDS], NAMES_SAY),
        ([joined.BY_ENDS, joined.BY_ORDER], [BY_ORDER, BY_ENDS], GUESS),
        ([joined.BY_DATES, joined.BY_ENDS], [BY_ENDS, BY_DATES], LOGS_SAY),
    ],
)
def test_a_run_of_several_logs_is_said_with_all_its_evidence(evidence, how, certainty):
    said, because, sure = said_of([a_test(), a_test("b.log")], *evidence)
    assert said == "; ".join(how)
    assert because.count("; ") == len(how) - 1
    assert (BOTH_ENDS in because) == (joined.BY_ENDS in evidence)
    assert sure == certainty


@pytest.mark.parametrize(
    ("roles", "evidence", "how", "part"),
    [
        ([HOST], [joined.BY_NAMES], BY_HOSTS, "differ in the host only"),
        ([HOST, PORT], [joined.BY_NAMES], BY_HOSTS, "differ in the host only"),
        ([PORT], [joined.BY_NAMES], BY_PORTS, "which goes with the server's port"),
        ([FLOW], [joined.BY_NAMES], BY_NAMES, "they distinguish the flows"),
        ([HOST], [joined.BY_NAMES, joined.BY_ENDS], f"{BY_NAMES}; {BY_ENDS}", BOTH_ENDS),
    ],
)
def test_numbered_hosts_and_ports_are_called_weak_evidence(roles, evidence, how, part):
    said, because, sure = said_of([a_test(p, roles=roles) for p in ("a.log", "b.log")], *evidence)
    assert said == how
    assert part in because
    assert ("weak evidence" in because) == (sure == GUESS) == (how in (BY_HOSTS, BY_PORTS))


@pytest.mark.parametrize(
    ("evidence", "roles", "starts_s", "because"),
    [
        (joined.BY_ORDER, (), (None, None), "equally many tests of like lengths"),
        (joined.BY_ORDER, (), (0.0, 1.0), "equally many tests"),  # dated ones may be unlike
        (joined.BY_DATES, (), (0.0, 1.0), "the logs give the date of each connection"),
        (joined.BY_DATES, (), (0.0, None), "the logs give the dates of some connections"),
        (joined.BY_NAMES, [HOST], (None, None), "they have no dates"),
        (joined.BY_NAMES, [HOST], (0.0, None), "not all of them have dates"),
    ],
)
def test_what_is_said_of_dates_and_lengths_is_true_of_these_logs(
    evidence, roles, starts_s, because
):
    tests = [
        a_test(path, roles=roles, start_s=s)
        for path, s in zip(("a.log", "b.log"), starts_s, strict=True)
    ]
    _, why, _ = said_of(tests, evidence)
    assert because in why.partition(":")[0]
    assert ("of like lengths" in because) == ("of like lengths" in why)


def test_runs_of_one_evidence_are_counted_together():
    pairs = [joined.Run([a_test(), a_test("b.log")], {joined.BY_ENDS}) for _ in range(3)]
    rows = list_runs([*pairs, joined.Run([a_test()])])
    assert [row.value.partition(",")[0] for row in rows] == ["3", "1"]
    assert {(row.what, row.about) for row in rows} == {("runs", "joined")}


# ---- doubts --------------------------------------------------------------------------------------


def run_of(*paths, n_flows=1):
    return joined.Run([a_test(path, ends=(ENDS,) * n_flows) for path in paths])


@pytest.mark.parametrize(
    ("paths", "ends", "flows"),
    [
        (("a.csv", "b.csv"), (ENDS, OTHERS), (1, 2)),
        (("a.csv", "b.csv"), (ENDS, ENDS[::-1]), (1, 1)),
        (("a_client.csv", "a_server.csv"), (ENDS, ENDS), (1, 1)),  # both name the sender first
        (("a_client.csv", "b_client.csv"), (ENDS, ENDS), (1, 2)),
    ],
)
def test_two_ends_of_a_connection_are_offered_as_one_flow(paths, ends, flows):
    runs = [joined.Run([a_test(path, (pair,))]) for path, pair in zip(paths, ends, strict=True)]
    (row,) = list_doubts([joined.Doubt(joined.CLAIMS, paths)], runs)
    rows = [f"#     {path},{paths[0]},{n}" for path, n in zip(paths, flows, strict=True)]
    assert row.yaml.splitlines()[-2:] == rows


@pytest.mark.parametrize("kind", ANSWERS)
def test_each_doubt_is_said_with_how_it_is_taken_and_how_to_say_the_opposite(kind):
    runs = [run_of(path) for path in ("a.log", "b.log", "c.log")]
    doubts = [joined.Doubt(kind, ("a.log", "b.log")), joined.Doubt(kind, ("b.log", "c.log"))]
    (row,) = list_doubts(doubts, runs)
    taken, otherwise = ANSWERS[kind]
    assert row.because == f"a.log and b.log; {taken}"
    assert kind in row.value
    assert row.value.startswith("3 " if kind == joined.AT_ONCE else "2 ")  # logs, or cases
    assert otherwise in row.yaml
    assert (row.certainty, row.about) == (GUESS, "joined")
    assert f"# a.log and b.log: {kind}" in row.yaml.splitlines()[0]
    table = "# runs: runs.csv" in row.yaml
    assert table == (kind != joined.COUNTS_WHAT)
    if table:
        lines = [line.removeprefix("#").strip() for line in row.yaml.splitlines()]
        start = ",0" if kind == joined.PARTED_BY_DATES else ""
        second = 1 if kind in (*OF_ONE_FLOW, joined.TWO_ENDS) else 2  # ends of one flow
        assert lines[-2:] == [f"a.log,a.log,1{start}", f"b.log,a.log,{second}{start}"]


@pytest.mark.parametrize("kind", NOT_TAKEN)
def test_what_names_suggest_is_no_doubt_where_it_is_one_run_all_the_same(kind):
    doubts = [joined.Doubt(kind, ("a.log", "b.log"))]
    assert list_doubts(doubts, [run_of("a.log", "b.log")]) == []
    (row,) = list_doubts(doubts, [run_of("a.log"), run_of("b.log")])
    assert row.value.startswith("1 that names suggest is not taken as such")
    both = [*doubts, joined.Doubt(kind, ("c.log", "d.log"))]
    (row,) = list_doubts(both, [run_of(f"{name}.log") for name in "abcd"])
    assert row.value.startswith("2 that names suggest are not taken as such")


def test_a_doubt_of_one_run_is_asked_where_it_is_no_matter_of_names():
    doubt = joined.Doubt(joined.COUNTS_WHAT, ("a.log", "b.log"))
    (row,) = list_doubts([doubt, doubt], [run_of("a.log", "b.log")])
    assert row.value.startswith("1 case of doubt: ")  # it is one, though found twice


def test_of_many_logs_two_are_named_and_some_are_in_the_lines():
    paths = tuple(f"{i}.log" for i in range(9))
    for kind in (joined.CLAIMS, joined.AT_ONCE):
        (row,) = list_doubts([joined.Doubt(kind, paths)], [run_of(path) for path in paths])
        assert row.because.startswith("0.log and 1.log and 7 more; ")
        assert row.yaml.count(",0.log,") == 8
    assert row.value.startswith("9 logs ran at the same time as another and are not one run with ")


@pytest.mark.parametrize(("n", "shown", "part"), [(3, 3, False), (40, 25, True)])
def test_the_logs_of_all_cases_are_in_the_lines_if_they_are_not_too_many(n, shown, part):
    pairs = [(f"run{i:02}/a.log", f"run{i:02}/b.log") for i in range(n)]
    doubts = [joined.Doubt(joined.AT_ONCE, pair) for pair in pairs]
    (row,) = list_doubts(doubts, [run_of(path) for pair in pairs for path in pair])
    rows = [f"#     {path},{pair[0]},{i}" for pair in pairs for i, path in enumerate(pair, 1)]
    assert row.yaml.splitlines()[-2 * shown - 1 :] == ["#     path,run,flow", *rows[: 2 * shown]]
    assert (f"here {shown} of {n} cases" in row.yaml) == part


def test_a_log_of_two_cases_has_one_row():
    doubts = [
        joined.Doubt(joined.AT_ONCE, pair) for pair in (("a.log", "b.log"), ("b.log", "c.log"))
    ]
    (row,) = list_doubts(doubts, [run_of(path) for path in ("a.log", "b.log", "c.log")])
    assert row.yaml.count("#     b.log,") == 1 and "here 1 of 2 cases" in row.yaml


def test_what_dates_part_is_offered_with_the_logs_of_the_other_ends():
    runs = [
        joined.Run([a_test(f"client{n}.log", (ends,)), a_test(f"server{n}.log", (ends[::-1],))])
        for n, ends in enumerate((ENDS, OTHERS), start=1)
    ]
    doubt = joined.Doubt(joined.PARTED_BY_DATES, ("client1.log", "client2.log"))
    (row,) = list_doubts([doubt], runs)
    rows = [line.removeprefix("#").strip() for line in row.yaml.splitlines()[-4:]]
    assert rows == [
        f"{end}{n}.log,client1.log,{n},0" for end in ("client", "server") for n in (1, 2)
    ]


@pytest.mark.parametrize("n_flows", [1, 2])
def test_logs_of_several_flows_are_to_be_cut(n_flows):
    doubt = joined.Doubt(joined.CLAIMS, ("a.log", "b.log"))
    runs = [run_of("a.log"), run_of("b.log", n_flows=n_flows)]
    (row,) = list_doubts([doubt], runs)
    assert (CUT in row.yaml) == (n_flows > 1)
    assert ("runs: runs.csv" in row.yaml) == (n_flows == 1)


# ---- clocks --------------------------------------------------------------------------------------

A, B, C = "10.0.0.1", "10.0.0.2", "10.0.0.3"


@pytest.mark.parametrize(
    ("known", "told", "value", "because", "certainty"),
    [
        (
            {(A, B): 3600.0},
            {(A, B): (1, True)},
            f"that of {B} is ahead of that of {A} by 3600 s",
            "both ends of a connection are logged, and begin so far apart",
            LOGS_SAY,
        ),
        (
            {(A, B): 3600.0, (A, C): 60.0, (B, C): 9.0},
            {(A, B): (4, True), (A, C): (9, True), (B, C): (9, True)},
            f"that of {B} is ahead of that of {A} by 3600 s, and 2 more",
            "both ends of 4 connections are logged, and begin so far apart",
            LOGS_SAY,
        ),
        (
            {(A, B): -3600.0},
            {(A, B): (1, False)},
            f"that of {A} is ahead of that of {B} by 3600 s",
            "a pair of logs that names join begins so far apart",
            GUESS,
        ),
        (
            {(A, B): 3600.0},
            {(A, B): (3, False)},
            f"that of {B} is ahead of that of {A} by 3600 s",
            "3 pairs of logs that names join begin so far apart",
            GUESS,
        ),
    ],
)
def test_a_clock_that_is_off_is_said_with_what_tells_it(known, told, value, because, certainty):
    clocks = SimpleNamespace(known=known, told=told)
    run = joined.Run([a_test(host=host, start_s=1.7e9) for host in (C, B, A)])
    (row,) = list_clocks(clocks, [run])
    assert row.value == value
    assert row.because.startswith(because)
    assert row.certainty == certainty
    assert bool(row.yaml) == (certainty == GUESS)  # what logs say needs no lines


def test_a_clock_on_which_no_run_rests_is_not_said():
    clocks = SimpleNamespace(known={(A, B): 3600.0}, told={(A, B): (3, True)})
    one, other = a_test(host=A, start_s=1.7e9), a_test(host=B, start_s=1.7e9)
    assert list_clocks(clocks, [joined.Run([one]), joined.Run([other])]) == []
    undated = a_test(host=B)
    assert list_clocks(clocks, [joined.Run([one, undated])]) == []
    assert len(list_clocks(clocks, [joined.Run([one, other])])) == 1


def test_of_a_log_with_a_doubt_it_is_not_said_that_nothing_connects_it():
    runs = [joined.Run([a_test(f"{n}.log", start_s=1.7e9)]) for n in range(3)]
    doubt = joined.Doubt(joined.AT_ONCE, ("0.log", "1.log"))
    said = {(row.value, row.because) for row in list_runs(runs, [doubt])}
    assert said == {
        ("1, each log, or test in it, by itself", NOTHING_BESIDE),
        ("2, each log, or test in it, by itself, with a doubt", NOT_ENOUGH),
    }
    undated = [joined.Run([a_test(f"{n}.log")]) for n in range(2)]
    (row,) = list_runs(undated, [doubt])
    assert row.because == NOTHING_TELLS  # a doubt is no contradiction to that
