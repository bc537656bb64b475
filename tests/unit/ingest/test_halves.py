"""What logs of nothing, copies and weak evidence make of runs that are inferred: rule by rule."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from evenflow.ingest import infer
from evenflow.ingest.entities import Entry, Group
from evenflow.ingest.joining import joined
from evenflow.ingest.joining.roles import BARE, FLOW, HOST, PLACE, SIDE, WORD
from evenflow.ingest.joining.units import CLIENT, SERVER, Role, units_of
from evenflow.ingest.recognition import NO_INTERVAL

# ---- logs of nothing -----------------------------------------------------------------------------


class Folder:
    """Logs of runs with what their names say: the key of the run, and the place in it."""

    def __init__(self):
        self.runs, self.joined, self.beside, self.n = {}, [], {}, 0

    def log(self, path: str, key=None, claim=()) -> SimpleNamespace:
        entry = Entry(self.n, path, None, format="iperf2", readable=True)
        self.n += 1
        stream = SimpleNamespace(file_id=entry.file_id, stream=1, measures=True)
        key = key or ((path,), ())  # else its name has no like
        return SimpleNamespace(entry=entry, key=key, claim=claim, streams=[stream], path=path)

    def run(self, name: str, *logs: SimpleNamespace) -> None:
        streams = [s for log in logs for s in log.streams]
        self.runs[name] = Group([log.entry for log in logs], streams)
        self.joined.append(joined.Run(list(logs)))

    def empty(self, path: str, key=(), claim=(), **more) -> Entry:
        entry = Entry(self.n, path, None, format="iperf2", **({"readable": True} | more))
        self.n += 1
        self.beside[path] = (key, claim)
        return entry

    def leave_out(self, *empty: Entry, silence=None) -> list[str]:
        """Return the runs that are left."""
        found = joined.Joined(self.joined, [], [], self.beside, None)
        infer._leave_out_halves([*empty], found, self.runs, silence or {})
        return list(self.runs)


def key(repeat: int, shape: str = "run/flow") -> tuple:
    return ((shape,), ("run", str(repeat), "*"))


@pytest.fixture
def folder() -> Folder:
    """Two runs of two flows each."""
    found = Folder()
    for r in (1, 2):
        logs = [found.log(f"run{r}/flow{i}.log", key(r), (str(i),)) for i in (1, 2)]
        found.run(f"run{r}", *logs)
    return found


def test_a_run_of_which_a_log_holds_nothing_is_left_out_and_the_reason_is_said(folder):
    half = folder.runs["run2"].files
    third = folder.empty("run2/flow3.log", key(2), ("3",))
    assert folder.leave_out(third) == ["run1"]
    assert {e.format for e in half} == {"left-out"}
    assert {e.problem for e in half} == {f"its run is left out: run2/flow3.log: {NO_INTERVAL}"}
    assert (third.format, third.problem) == ("left-out", NO_INTERVAL)


def test_a_log_of_nothing_takes_no_run_along_in_which_another_log_has_its_place(folder):
    again = folder.empty("run2/flow2.log.1", key(2), ("2",))
    assert folder.leave_out(again) == ["run1", "run2"]
    assert again.format == "left-out"  # it is of no run itself
    assert all(e.problem is None for run in folder.runs.values() for e in run.files)


@pytest.mark.parametrize(
    ("problem", "silence", "why"),
    [
        (None, {}, NO_INTERVAL),
        (None, {4: "refused"}, "refused"),
        ("cut", {4: "refused"}, "cut"),
        (None, {5: "of another log"}, NO_INTERVAL),
    ],
)
def test_why_a_log_holds_nothing_is_said_in_its_own_words(folder, problem, silence, why):
    third = folder.empty("run2/flow3.log", key(2), ("3",), problem=problem)
    half = folder.runs["run2"].files
    folder.leave_out(third, silence=silence)
    assert half[0].problem.endswith(f"run2/flow3.log: {why}")


def test_a_log_that_cannot_be_read_keeps_its_own_problem(folder):
    broken = folder.empty("run2/flow3.log", key(2), ("3",), readable=False, problem="cut")
    broken.format = "unreadable"
    assert folder.leave_out(broken) == ["run1"]
    assert (broken.format, broken.problem) == ("unreadable", "cut")


def test_of_names_of_which_each_is_a_run_a_log_of_nothing_takes_none_along():
    """Dates parted what names would join, and joined nothing of such names."""
    found = Folder()
    for i in (1, 2):
        found.run(f"h{i}", found.log(f"h{i}.log", key(1), (str(i),)))
    assert found.leave_out(found.empty("h3.log", key(1), ("3",))) == ["h1", "h2"]


def test_of_names_of_which_some_are_one_run_a_log_of_nothing_takes_its_run_along(folder):
    """Dates parted the logs of run 3; those of the others ran together."""
    for i in (1, 2):
        folder.run(f"run3 {i}", folder.log(f"run3/flow{i}.log", key(3), (str(i),)))
    folder.run("run4", folder.log("run4/flow1.log", key(4), ("1",)))
    left = folder.leave_out(folder.empty("run4/flow2.log", key(4), ("2",)))
    assert left == ["run1", "run2", "run3 1", "run3 2"]


def test_one_log_alone_is_half_of_a_run_where_its_place_is_another():
    found = Folder()
    found.run("run1", found.log("run1/flow1.log", key(1), ("1",)))
    assert found.leave_out(found.empty("run1/flow2.log", key(1), ("2",))) == []


def test_a_log_that_two_runs_share_is_kept_for_the_other():
    """The server was left running; it holds a test of each run."""
    found = Folder()
    server = found.log("server.log", ("server",), ())
    clients = [found.log(f"run{r}/flow1.log", key(r), ("1",)) for r in (1, 2)]
    for r, client in enumerate(clients, start=1):
        found.run(f"run{r}", client, server)
    assert found.leave_out(found.empty("run2/flow2.log", key(2), ("2",))) == ["run1"]
    assert clients[1].entry.format == "left-out"
    assert server.entry.format == "iperf2"
    assert list(server.entry.left_out_runs) == ["run2"]
    assert server.entry.left_out_runs["run2"] == f"run2/flow2.log: {NO_INTERVAL}"
    assert clients[1].entry.left_out_runs == {}  # it is left out itself
    # once the other is left out, too, so is the server's log
    assert found.leave_out(found.empty("run1/flow2.log", key(1), ("2",))) == []


def test_two_logs_of_nothing_leave_one_run_out_once(folder):
    empty = [folder.empty(f"run2/flow{i}.log", key(2), (str(i),)) for i in (3, 4)]
    half = folder.runs["run2"].files
    assert folder.leave_out(*empty) == ["run1"]
    assert "flow3.log" in half[0].problem
    assert [e.format for e in empty] == ["left-out"] * 2


ELSEWHERE = ["b/elephant.log", "b/mouse.log"]


@pytest.mark.parametrize(
    ("here", "elsewhere", "left_out"),
    [
        (["a/elephant.log"], ELSEWHERE, True),
        (["a/elephant.log"], [*ELSEWHERE, "b/more.log"], True),
        (["a/elephant.log"], ["b/elephant.log"], False),
        (["a/elephant.log"], ["b/elephant.log", "b/dolphin.log"], False),
        (["a/dolphin.log"], ELSEWHERE, False),
        (["a/elephant.log", "a/x.log"], ELSEWHERE, False),
        (["c/elephant.log"], ELSEWHERE, False),  # no run in its folder
        (["a/elephant.log", "c/x.log"], ELSEWHERE, False),  # nor one in it alone
    ],
)
def test_a_log_whose_name_has_no_like_is_of_its_folders_run_as_in_another_folder(
    here, elsewhere, left_out
):
    found = Folder()
    found.run("here", *(found.log(path) for path in here))
    found.run("elsewhere", *(found.log(path) for path in elsewhere))
    left = found.leave_out(found.empty("a/mouse.log"))
    assert left == (["elsewhere"] if left_out else ["here", "elsewhere"])


def test_of_two_runs_in_a_folder_none_is_that_of_a_log_of_nothing():
    found = Folder()
    for name in ("elephant", "elephant2"):
        found.run(name, found.log(f"a/{name}.log"))
    found.run("elsewhere", *(found.log(path) for path in ELSEWHERE))
    assert len(found.leave_out(found.empty("a/mouse.log"))) == 3


# ---- copies --------------------------------------------------------------------------------------


def unit(path="a.log", episode=1, file_id=0, **more):
    entry = more.pop("entry", None) or Entry(file_id, path, None, format="iperf2")
    about = {"entry": entry, "path": path, "episode": episode, "start_s": None, "n_tests": 1}
    about |= {"roles": {}, "key": ("shape",), "order": 1, "streams": [SimpleNamespace()]}
    about |= {"carried": ((),)}
    return SimpleNamespace(**(about | more))


@pytest.mark.parametrize(
    ("n_tests", "n_copies", "kind", "problem"),
    [
        (1, 1, "copy", "identical with b.log: a copy of it, not read"),
        (2, 2, "copy", "identical with b.log: a copy of it, not read"),
        (2, 1, "iperf2", "1 of its tests is in it twice, or in another log: "),
        (3, 2, "iperf2", "2 of its tests are in it twice, or in another log: "),
    ],
)
def test_a_log_of_copies_is_one_and_a_log_with_copies_is_read_without_them(
    n_tests, n_copies, kind, problem
):
    entry, original = Entry(0, "a.log", None, format="iperf2"), unit("b.log", file_id=1)
    units = [unit("a.log", n, entry=entry) for n in range(1, n_tests + 1)]
    of_file = {0: [s for u in units for s in u.streams], 1: original.streams}
    infer._set_copies_aside([(u, original) for u in units[:n_copies]], [*units, original], of_file)
    assert entry.format == kind
    assert entry.problem.startswith(problem)
    assert of_file == {0: [s for u in units[n_copies:] for s in u.streams], 1: original.streams}
    assert original.entry.problem is None


def test_a_log_of_the_same_numbers_is_not_called_identical_where_the_files_differ():
    copy, original = unit("r.tr"), unit("whole.tr", file_id=1)
    copy.entry.content_sha256, original.entry.content_sha256 = "one", "another"
    infer._set_copies_aside([(copy, original)], [copy, original], {0: copy.streams})
    assert copy.entry.problem == (
        "its flows carry in every interval what those of whole.tr do, though the files differ: "
        "not read"
    )


def test_of_a_log_that_others_were_put_together_in_it_is_said_how_many():
    entry = Entry(0, "all.log", None, format="iperf2")
    pairs = [(unit("all.log", n, entry=entry), unit(f"{n}.log", file_id=n)) for n in (1, 2, 3)]
    of_file = {0: [s for copy, _ in pairs for s in copy.streams]}
    infer._set_copies_aside(pairs, [test for pair in pairs for test in pair], of_file)
    assert entry.format == "copy"
    assert entry.problem.startswith("its 3 tests are identical with those of 1.log and 2 more: ")


# ---- names ---------------------------------------------------------------------------------------


def named(path, **roles):
    """Return a test whose name has these parts: role=text."""
    found, at = {}, 0
    for i, (role, text) in enumerate(roles.items()):
        found[i] = Role({"bare": BARE, "word": WORD}.get(role, role), text, at, at + len(text))
        at += 10
    return unit(path, roles=found, key=((*("W" for _ in found),), ()))


def members(*runs) -> dict[str, int]:
    """Return how many parts of each path tell the logs of one run apart."""
    found = infer._members_of([joined.Run([*tests]) for tests in runs])
    return {path: len(parts) for path, parts in found.items()}


@pytest.mark.parametrize(
    ("role", "texts", "n"),
    [
        (HOST, [("1", "2")], 1),
        (SIDE, [("s", "r")], 1),
        (FLOW, [("1", "2")], 0),  # names say themselves that it is a flow
        (HOST, [("1", "1")], 0),  # it tells no log of a run from another
        (HOST, [("1",), ("2",)], 0),  # nor does what tells runs apart
        (WORD, [("mouse", "elephant"), ("mouse", "elephant")], 1),
        (WORD, [("mouse", "elephant")], 0),  # of one run nobody knows
        (BARE, [("1", "2"), ("3", "4")], 0),  # it counts logs, from run to run
        (BARE, [("1", "2"), ("1", "2")], 1),
        (PLACE, [("lyon", "oslo"), ("lyon", "rome")], 1),  # one of them comes again
    ],
)
def test_parts_of_names_that_tell_the_logs_of_one_run_apart(role, texts, n):
    runs = [
        [named(f"{r}{i}.log", **{role: text}) for i, text in enumerate(of_run)]
        for r, of_run in enumerate(texts)
    ]
    paths = {test.path for run in runs for test in run}
    assert members(*runs) == dict.fromkeys(paths, n)


def test_what_tells_logs_apart_in_one_run_does_in_others_of_the_same_shape():
    pair = [named(f"1{h}.log", host=h) for h in "ab"]
    single = [named("2a.log", host="a")]
    assert members(pair, single) == {"1a.log": 1, "1b.log": 1, "2a.log": 1}


# ---- the opposite --------------------------------------------------------------------------------


def offered(values, *, n_beside=1, **more):
    logs = [Entry(i, f"{i}.log", None, format="iperf2", values=dict(values)) for i in range(2)]
    for entry in logs[:n_beside]:
        entry.pattern_run = "run"
    infer._offer_the_opposite([joined.Run([unit(entry=logs[0], **more)])], logs)
    return logs[0].otherwise


def test_of_logs_that_stand_alone_the_opposite_of_what_names_suggest_is_offered():
    assert offered({"place": "lyon"}) == {"place": "host"}
    assert offered({}) is None
    assert offered({}, n_beside=2) == {}  # its pattern would put it beside the other
    assert offered({"place": "lyon"}, start_s=1.7e9) is None  # its date tells
    assert offered({"place": "lyon"}, n_tests=2) is None


@pytest.mark.parametrize(
    ("role", "values", "otherwise"),
    [(HOST, {"host": "1"}, {"host": "run"}), (HOST, {}, None), (FLOW, {"host": "1"}, None)],
)
def test_of_numbered_hosts_without_dates_runs_are_offered(role, values, otherwise):
    logs = [Entry(i, f"h{i}.log", None, format="iperf2", values=dict(values)) for i in (1, 2)]
    tests = [unit(e.path, entry=e, roles={0: Role(role, e.path[1], 1, 2)}) for e in logs]
    infer._offer_the_opposite([joined.Run(tests, {joined.BY_NAMES})], logs)
    assert [e.otherwise for e in logs] == [otherwise] * 2


# ---- the tests of a log --------------------------------------------------------------------------


def connection(number=1, *, episode=1, local=None, peer=None, **more):
    about = {"file_id": 0, "stream": number, "episode": episode, "local": local, "peer": peer}
    about |= {"start_epoch_s": None, "start_s": None, "zone": None, "side": None}
    about |= {"cookie": None, "n_bytes": None}
    return SimpleNamespace(**(about | {"protocol": None, "complete": None} | more))


def episodes_of(*streams, lengths_s=None, carried=None, log="iperf2"):
    lengths_s = lengths_s or {(0, s.stream): 10.0 for s in streams}
    entry = Entry(0, "lab/deep/a.log", None, format=log)
    return units_of(entry, [*streams], lengths_s, carried or {})


def test_a_log_has_a_test_for_each_episode_that_has_intervals():
    streams = [connection(n, episode=e) for n, e in ((1, 1), (2, 1), (3, 2), (4, 3))]
    tests = episodes_of(*streams, lengths_s={(0, n): 10.0 for n in (1, 2, 4)})
    assert [(t.episode, t.order, t.n_tests) for t in tests] == [(1, 1, 2), (3, 2, 2)]
    assert [[s.stream for s in t.streams] for t in tests] == [[1, 2], [4]]
    assert [t.carried for t in tests] == [((), ()), ((),)]
    assert {(t.path, t.folder) for t in tests} == {("lab/deep/a.log", "lab/deep")}


def test_a_test_lasts_from_its_first_connection_to_the_end_of_its_last():
    streams = [connection(1, start_s=4.0), connection(2), connection(3, start_s=1.0)]
    (test,) = episodes_of(*streams, lengths_s={(0, 1): 10.0, (0, 2): 12.0, (0, 3): 9.0})
    assert test.length_s == 14.0
    (test,) = episodes_of(*streams, carried={(0, 1): (5, 6), (0, 3): (7,)})
    assert test.carried == ((5, 6), (), (7,))


@pytest.mark.parametrize(
    ("dates", "start_s"),
    [
        ([1.7e9, 1.7e9 + 3], 1.7e9),
        ([1.7e9 + 3, 1.7e9], 1.7e9),
        ([1.7e9, None], None),
        ([1e9], 1e9),
        ([1e9 - 1], None),  # nobody set that clock
        ([1.7e9, 0.0], None),
    ],
)
def test_a_test_is_dated_where_all_its_connections_are_by_a_clock_that_was_set(dates, start_s):
    streams = [connection(n, start_epoch_s=at_s) for n, at_s in enumerate(dates)]
    (test,) = episodes_of(*streams)
    assert test.start_s == start_s


@pytest.mark.parametrize(
    ("local", "peer", "side", "end", "servers"),
    [
        ("10.0.0.1:40001", "10.0.0.2:5001", None, CLIENT, {"10.0.0.2:5001"}),
        ("10.0.0.2:5001", "10.0.0.1:40001", None, SERVER, {"10.0.0.2:5001"}),
        ("10.0.0.2:5001", "10.0.0.1:40001", "sender", SERVER, {"10.0.0.2:5001"}),
        ("10.0.0.1:40001", "10.0.0.2:50001", "sender", CLIENT, {"10.0.0.2:50001"}),
        ("10.0.0.1:40001", "10.0.0.2:50001", "receiver", SERVER, {"10.0.0.1:40001"}),
        ("10.0.0.1:50001", "10.0.0.2:40001", None, CLIENT, {"10.0.0.2:40001"}),
        ("10.0.0.1:40001", "10.0.0.2:50001", None, SERVER, {"10.0.0.1:40001"}),
        ("10.0.0.1:40001", "10.0.0.2:40001", None, "", {"10.0.0.1:40001"}),
        ("10.0.0.1:10000", "10.0.0.2:9999", "receiver", CLIENT, {"10.0.0.2:9999"}),
        (None, "10.0.0.2:5001", None, "", set()),
        (None, None, "sender", CLIENT, set()),
        ("10.0.0.1:40001", None, None, "", set()),
    ],
)
def test_which_end_wrote_a_log_and_which_is_the_server(local, peer, side, end, servers):
    (test,) = episodes_of(connection(local=local, peer=peer, side=side))
    assert (test.end, test.servers) == (end, servers)
    assert test.hosts == {where.rpartition(":")[0] for where in (local, peer) if where}
    assert test.host == ("" if local is None else local.rpartition(":")[0])
    assert test.ends == ((local or "", peer or ""),)
    assert not test.both_ends


def test_a_log_that_reports_both_ends_of_a_connection_does_and_simulators_have_no_hosts():
    ends = {"local": "10.0.0.1:40001", "peer": "10.0.0.2:5001"}
    (test,) = episodes_of(connection(**ends), connection(2, local=ends["peer"], peer=ends["local"]))
    assert test.both_ends
    (test,) = episodes_of(connection(**ends), log="ns2-trace")
    assert (test.hosts, test.servers, test.end) == (frozenset(), frozenset(), "")
    (test,) = episodes_of(connection(), connection(2))  # unknown ends are no both
    assert not test.both_ends


@pytest.mark.parametrize(
    ("complete", "whole"), [((None,), True), ((True, True), True), ((True, False), False)]
)
def test_the_length_of_a_cut_test_is_not_its_own(complete, whole):
    streams = [connection(n, complete=said) for n, said in enumerate(complete)]
    assert episodes_of(*streams)[0].whole is whole


@pytest.mark.parametrize(
    ("path", "folder"), [("a.log", ""), ("lab/a.log", "lab"), ("lab/deep/a.log", "lab/deep")]
)
def test_the_folder_of_a_file(path, folder):
    assert Entry(0, path, None).folder == folder
