"""Layouts of folders as people make them: what is a repeat, and what is a factor.

The layouts and what is right of them are in tests/fixtures/layouts.yml; `small_logs` writes logs.
"""

import json
from pathlib import Path

import polars as pl
import pytest
import small_logs
from evenflow.errors import DataError
from evenflow.formats import Log, detect_format
from evenflow.formats.tables import parse_logs
from evenflow.ingest.entities import Entry, Run, Trait
from evenflow.ingest.naming.counting import counts_up, numbered_controls
from evenflow.ingest.naming.placing import _is_bare
from evenflow.ingest.naming.vocabulary import ALONE, NUMBERED, WITH_NUMBER
from evenflow.ingest.naming.words import Piece, read_path
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.pooling import (
    APART,
    APART_S,
    FROM_LOGS,
    _classes,
    part_scenarios,
    path_text,
    tells_repeats,
    traits_of,
)
from layouts import BY_NAME, LAYOUTS, make
from offered_lines import described
from raw_data import ROOT, make_dataset


def runs_of_scenarios(tables) -> list[int]:
    return sorted(tables["run"].group_by("scenario_id").len()["len"].to_list())


def factor_values(tables, key: str) -> list[str]:
    run = tables["run"]
    given = [json.loads(row["factors"]) | row for row in run.rows(named=True)]
    return sorted({str(row[key]) for row in given if row.get(key) is not None})


@pytest.mark.parametrize("name", BY_NAME)
def test_layout(name, tmp_path):
    layout = BY_NAME[name]
    tables = parse_dataset(make(tmp_path, layout))
    repeats = layout["repeats"]
    wanted = sorted(repeats) if isinstance(repeats, list) else [repeats] * layout["scenarios"]
    assert runs_of_scenarios(tables) == wanted, tables["run"]["scenario_id"].to_list()
    assert not tables["run"].select("scenario_id", "repeat").is_duplicated().any()
    for key, values in layout.get("factors", {}).items():
        assert factor_values(tables, key) == sorted(values)
    if "each_has" in layout:
        assert all(layout["each_has"] in json.loads(text) for text in tables["run"]["factors"])
    if "ccas" in layout:
        of_run = tables["flow"].group_by("run_id").agg(pl.col("cca").sort())["cca"].to_list()
        whole = len(of_run[0]) == len(layout["ccas"])  # all of them in each run
        found = of_run[0] if whole else sorted({cca for ccas in of_run for cca in ccas})
        assert found == layout["ccas"]


def test_there_are_layouts_enough():
    assert len(LAYOUTS) == len(BY_NAME) >= 40


# ---- the lines that the page proposes ------------------------------------------------------------


def assumed(tables, what: str) -> dict:
    (row,) = tables["assumption"].filter(pl.col("what").str.starts_with(what)).rows(named=True)
    return row


def copied(folder, row: dict) -> pl.DataFrame:
    """Write the proposed comments of an assumption as a user copies them; return the runs."""
    comments = [line for line in row["yaml"].splitlines() if line.startswith("#")]
    head, *lines = [line.removeprefix("# ") for line in comments]
    assert head.endswith(":")  # says when they are right
    text, _, table = "\n".join(lines).partition("runs.csv:\n    ")
    (folder / "dataset.yml").write_text(text, encoding="utf-8")
    if table:
        (folder / "runs.csv").write_text(table.replace("\n    ", "\n"), encoding="utf-8")
    return parse_dataset(folder)


SAME_SCENARIOS = [name for name in BY_NAME if not name.startswith("numbered flows of BBR")]


@pytest.mark.parametrize("name", SAME_SCENARIOS)
def test_the_proposed_lines_give_the_same_scenarios(name, tmp_path):
    folder = make(tmp_path, BY_NAME[name])
    first = parse_dataset(folder)
    yml, table = described(first)
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    if table:
        (folder / "runs.csv").write_text(table, encoding="utf-8")
    again = parse_dataset(folder)

    def scenarios(tables) -> list:
        same = tables["run"].group_by("scenario_id").agg(pl.col("run_id").sort())
        return sorted(same["run_id"].to_list())

    assert scenarios(again) == scenarios(first)
    assert sorted(again["run"]["factors"]) == sorted(first["run"]["factors"])


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("thirty repeats with a bare number", "a number by itself counts from 0 to 29"),
        ("clock times as a URL has them", "a clock time"),
        ("UNIX times", "a UNIX time"),
        ("seeds", "a seed"),
        ("a trailing number after the name of the tool", "the number after 'iperf' counts"),
    ],
)
def test_repeats_are_said_to_be_inferred_and_can_be_parted(name, because, tmp_path):
    folder = make(tmp_path, BY_NAME[name])
    tables = parse_dataset(folder)
    row = assumed(tables, "repeat")
    assert because in row["because"]
    assert "{variant}" in row["yaml"] and "runs.csv" not in row["yaml"]  # by the same patterns
    again = copied(folder, row)
    assert runs_of_scenarios(again) == [1] * len(tables["run"])
    assert len(factor_values(again, "variant")) == BY_NAME[name]["repeats"]


def test_factors_are_said_to_be_inferred_and_can_be_pooled(tmp_path):
    folder = make(tmp_path, BY_NAME["bare numbers that double"])
    row = assumed(parse_dataset(folder), "factor number")
    assert row["value"] == "10, 20, 40, 80"
    again = copied(folder, row)
    assert runs_of_scenarios(again) == [4]
    assert again["run"]["factors"].to_list() == ["{}"] * 4


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("two pairs of hosts, which logs alone tell apart", "hosts"),
        ("windows that were asked for", "tcp_window"),
        ("lengths", "length_s"),
        (
            "a campaign of 10 Mb/s and one of 48 Mb/s, each with a name of its own shape",
            "files",
        ),
    ],
)
def test_what_logs_differ_in_can_be_pooled(name, factor, tmp_path):
    folder = make(tmp_path, BY_NAME[name])
    tables = parse_dataset(folder)
    again = copied(folder, assumed(tables, f"factor {factor}"))
    assert runs_of_scenarios(again) == [len(tables["run"])]


def test_tests_of_a_log_can_be_parted(tmp_path):
    tests = [small_logs.iperf2(mbps=8 + i / 10) for i in range(3)]
    head, rest = tests[0].split(b"\n", 1)
    log = head + b"\n" + rest + b"".join(test.split(b"\n", 2)[2] for test in tests[1:])
    (tmp_path / "cubic_server.log").write_bytes(log)
    tables = parse_dataset(tmp_path)
    assert runs_of_scenarios(tables) == [3]
    row = assumed(tables, "repeat")
    assert row["because"] == "they are tests of one log"
    again = copied(tmp_path, row)
    assert factor_values(again, "variant") == ["1", "2", "3"]
    assert runs_of_scenarios(again) == [1, 1, 1]


def test_a_time_that_may_be_of_one_way_is_said_to_be_assumed(tmp_path):
    layout = {"logs": ["cubic_{40ms,80ms}_run{1..2}.log"]}
    folder = make(tmp_path / "a", layout)
    tables = parse_dataset(folder)
    assert factor_values(tables, "rtt_ms") == ["40.0", "80.0"]
    row = assumed(tables, "rtt_ms")
    assert row["value"] == "40ms, 80ms in names, taken as round-trip times"
    again = copied(folder, row)
    assert factor_values(again, "rtt_ms") == []
    assert factor_values(again, "delay_ms") == ["40", "80"]
    assert runs_of_scenarios(again) == [2, 2]
    said = parse_dataset(make(tmp_path / "b", {"logs": ["cubic_rtt{40,80}ms_run{1..2}.log"]}))
    assert said["assumption"].filter(pl.col("value").str.contains("40ms")).is_empty()


@pytest.mark.parametrize(
    ("logs", "key", "values", "said"),
    [
        (
            "cubic_rtt{0.05,0.1}s_run{1..2}.log",
            "rtt_ms",
            ["50.0", "100.0"],
            "'0.05', '0.1' in names, kept as the factor rtt_s, not as rtt_ms",
        ),
        (
            "cubic_bw{1.25,2}MBps_run{1..2}.log",
            "bottleneck_mbps",
            ["10.0", "16.0"],
            "'1.25', '2' in names, kept as the factor bottleneck_MBps, not as bottleneck_mbps",
        ),
        (
            "cubic_buf{1,1.5}MB_run{1..2}.log",
            "buffer_bytes",
            ["1000000", "1500000"],
            "'1.5', '1' in names, kept as the factor buffer_MB, not as buffer_bytes",
        ),
        (
            "cubic_{0.5,1.5}BDP_run{1..2}.log",
            "buffer_bdp",
            ["0.5", "1.5"],
            "'0,5', '1,5' in names, kept as the factor buffer_bdp_label, not as buffer_bdp",
        ),
        (
            "cubic_rtt10_rtt{50,100}_run{1..2}.log",
            "rtt_ms",
            ["50.0", "100.0"],
            "10 and 100, 10 and 50 in one name: none is taken",
        ),
        (
            "cubic_down_10mbps_up_{1,2}mbps_run{1..2}.log",
            "bottleneck_mbps",
            ["1.0", "2.0"],
            "10 and 1, 10 and 2 in one name: none is taken",
        ),
        (
            "cubic_10mbps_{1,2}gbps_run{1..2}.log",
            "bottleneck_mbps",
            ["1000.0", "2000.0"],
            "10 and 1000, 10 and 2000 in one name: none is taken",
        ),
    ],
)
def test_a_number_that_is_not_read_as_a_setting_is_asked_about(logs, key, values, said, tmp_path):
    folder = make(tmp_path, {"logs": [logs]})
    for file in folder.iterdir() if "BDP" in logs else ():  # braces of these tests have commas
        file.rename(folder / file.name.replace(".", ",", 1))
    tables = parse_dataset(folder)
    assert runs_of_scenarios(tables) == [2, 2]
    assert factor_values(tables, key) == []
    row = assumed(tables, key)
    assert row["value"] == said
    again = copied(folder, row)
    assert factor_values(again, key) == sorted(values)
    assert again["assumption"].filter(what=key).is_empty()


def test_a_digit_before_a_buffer_may_be_a_part_of_it(tmp_path):
    tables = parse_dataset(make(tmp_path / "a", {"logs": ["cubic_{0,1}_5BDP.log"]}))
    said = "5 in names, taken as bandwidth-delay products, the size of the buffer"
    assert assumed(tables, "buffer_bdp")["value"] == said
    tables = parse_dataset(make(tmp_path / "b", {"logs": ["cubic_rtt20_5BDP_run{1,2}.log"]}))
    assert tables["assumption"].filter(what="buffer_bdp").is_empty()


# ---- described folders ---------------------------------------------------------------------------


def test_patterns_without_a_placeholder_for_something_do_not_pool(tmp_path):
    yml = """
files: [{path: "10mb/r{repeat}.log"}, {path: "old campaign/r{repeat}.log"}, {path: single.log}]
flows: {1: {cca: cubic}}
"""
    folder = make(tmp_path, {"logs": ["10mb/r{1..2}.log", "old campaign/r{1..2}.log"]})
    make(tmp_path, {"logs": ["single.log"]})
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    tables = parse_dataset(folder)
    assert runs_of_scenarios(tables) == [1, 2, 2]
    assert len(factor_values(tables, "files")) == 3


def test_columns_of_runs_csv_part_runs_of_one_pattern(tmp_path):
    folder = make(tmp_path, {"logs": ["cubic/r{1..4}.log"]})
    yml = 'files: [{path: "{cca}/r{repeat}.log"}]\nruns: runs.csv\n'
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    rows = ["cubic/r1.log,10,x", "cubic/r2.log,10,x", "cubic/r3.log,48,x", "cubic/r4.log,48,y"]
    table = "\n".join(["run,bottleneck_mbps,site", *rows]) + "\n"
    (folder / "runs.csv").write_text(table, encoding="utf-8")
    tables = parse_dataset(folder)
    assert runs_of_scenarios(tables) == [1, 1, 2]
    assert factor_values(tables, "site") == ["x", "y"]
    assert tables["assumption"].filter(what="repeat").is_empty()  # dataset.yml says them


def test_settings_of_flows_part_runs(tmp_path):
    logs = {"logs": ["r{1..4}/flow{1,2}.log"]}
    folder = make(tmp_path, logs)
    yml = 'files: [{path: "r{repeat}/flow{flow}.log"}]\nflows: {1: {cca: cubic}, 2: {cca: bbr}}\n'
    (folder / "dataset.yml").write_text(yml + "runs: runs.csv\n", encoding="utf-8")
    rows = ["r1,2,0,40", "r2,2,1,40", "r3,2,10,40", "r4,2,0,80"]
    (folder / "runs.csv").write_text("run,flow,start_s,rtt_ms\n" + "\n".join(rows) + "\n")
    tables = parse_dataset(folder)
    assert runs_of_scenarios(tables) == [1, 1, 2]  # r1 and r2 differ as repeats do
    assert factor_values(tables, "start_s2") == ["0", "10"]


def test_a_factor_to_pool_that_is_none_is_named_with_the_nearest(tmp_path):
    folder = make(tmp_path, {"logs": ["cubic_run{1..2}.log"]})
    (folder / "dataset.yml").write_text("pool_over: [host]\n", encoding="utf-8")
    with pytest.raises(DataError, match="did you mean 'hosts'"):
        parse_dataset(folder)


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        ("0 1 2 3", True),
        ("1 2 3", True),
        ("1 2", True),
        ("2 3 4", False),
        ("1 2 5", False),
        ("10 20 40 80", False),
        ("1 2 3 5 6", True),  # the fourth failed
        ("1 2 3 9 10", False),
        ("01 02 04", False),
        ("01 03", False),
        ("1 2 3 5", False),  # too few for one to be missing
        ("001 002 003 005", True),
        ("1 10 100", False),
        ("0 1 2 3 5 6 8 9", True),  # two of ten failed
        ("0 1 2 3 5 6 9", False),  # three of ten
        ("1 2 x", False),
        ("1 2 2.5", False),
        ("7", False),
    ],
)
def test_counting(numbers, counts):
    assert counts_up(numbers.split()) is counts


@pytest.mark.parametrize(
    ("rtts", "said"),
    [
        ([20], "3 runs are taken as repeats of one another"),
        ([20, 40], "6 runs in 2 scenarios are taken as repeats, each of the others of its "),
    ],
)
def test_runs_of_several_scenarios_are_not_called_repeats_of_one_another(rtts, said, tmp_path):
    names = [f"rtt{rtt}ms_run{run}.log" for rtt in rtts for run in (1, 2, 3)]
    logs = {name: small_logs.iperf2(mbps=8 + i) for i, name in enumerate(names)}
    tables = parse_dataset(make_dataset(tmp_path, logs, ""))
    assert assumed(tables, "repeat")["value"].startswith(said)


@pytest.mark.parametrize(
    ("template", "run", "repeats"),
    [
        ("{run}.log", "7", True),
        ("{run}.log", "3f2a9c1d", False),  # which may be of anything
        ("{run}/{run}.log", "3f2a9c1d", False),
        ("cubic_{run}.log", "3f2a9c1d", True),
        ("cubic/{run}.log", "3f2a9c1d", True),
        ("cubic.log", None, False),
    ],
)
def test_a_number_tells_repeats_and_a_hash_only_beside_a_word(template, run, repeats):
    values = {} if run is None else {"run": run}
    log = Entry(0, "a.log", Path("a.log"), template=template, values=values)
    assert tells_repeats([log]) is repeats
    assert not tells_repeats([log, Entry(1, "b.log", Path("b.log"), template="b.log")])
    assert not tells_repeats([])


@pytest.mark.parametrize(
    ("paths", "of_flow"),
    [
        (["bbr1.log", "bbr2.log"], {"bbr1.log": True, "bbr2.log": True}),
        (["bbr_1.log", "bbr_2.log"], {"bbr_1.log": False, "bbr_2.log": False}),  # its runs
        (["bbr2.log", "cubic.log"], {}),  # a variant
        (["bbr1/x.log", "bbr2/x.log", "bbr/x.log"], {}),
        (["cubic3.log", "cubic7.log"], {"cubic3.log": False, "cubic7.log": False}),
        (["cubic.log", "bbr.log"], {}),
    ],
)
def test_a_number_behind_a_congestion_control_counts_flows_or_runs_or_is_its_version(
    paths, of_flow
):
    found = numbered_controls(paths, NUMBERED, ALONE, WITH_NUMBER)
    assert {path: is_flow for path, (*_, (*_, is_flow)) in found.items()} == of_flow


def test_settings_beside_a_numbered_congestion_control_are_read():
    paths = ["rtt40/bbr1_20%.log", "rtt40/bbr2_20%.log"]
    found = numbered_controls(paths, NUMBERED, ALONE, WITH_NUMBER)
    for number, path in enumerate(paths, start=1):
        said = [(piece.name, piece.text) for piece in read_path(path, found[path]) if piece.name]
        flow = [("cca", "bbr"), ("flow", str(number))]
        assert said == [("rtt_ms", "40"), *flow, ("buffer_pct", "20")]


@pytest.mark.parametrize(
    ("trait", "values", "words"),
    [
        (("tool", True, True), ("iperf2", "iperf3", None), ("iperf2", "iperf3", "several tools")),
        (("congestion controls", True, True), ("bbr", "cubic", "bbr"), ("bbr", "cubic", "bbr")),
        (
            ("protocol", False),
            ("tcp", "udp", None),
            (", protocol tcp", ", protocol udp", ", protocol not known"),
        ),
        (("planned_s", False), (10.0, 30.5, 10.0), ("10", "30.5", "10")),
        (("protocol", False), ("tcp", "tcp", None), ("", "", "")),  # nothing differs that is known
    ],
)
def test_scenarios_are_parted_by_what_differs_and_called_by_it(trait, values, words):
    name, *rest = trait
    runs = [
        Run(str(i), "s", {}, [Trait(name, value, *rest)], True, "{}", "{}")
        for i, value in enumerate(values)
    ]
    parted = part_scenarios(runs)
    if name == "planned_s":
        words = [f", planned_s {word}" for word in words]
    elif rest[0]:
        words = [f" {word}" for word in words]
    assert [run.scenario_id for run in runs] == [f"s{word}" for word in words]
    # what names and settings do not show is a factor, where it is known
    factor = {str(f"{v:g}" if isinstance(v, float) else v) for v in values if v is not None}
    hidden = not rest[0] and len(set(words)) > 1
    assert parted == ({name: factor} if hidden else {})
    told = [run.settings.get(name) is not None for run in runs]
    assert told == [hidden and value is not None for value in values]


@pytest.mark.parametrize(
    ("hosts", "addressed", "text"),
    [
        (("a", "b"), True, "rtt40/*.log"),  # the logs say whose they are
        (("a", "b"), False, "rtt40/{a.log,b.log}"),
        (("a", "a"), True, "rtt40/a.log"),
    ],
)
def test_paths_of_a_run_leave_out_which_host_a_log_is_of_where_the_logs_say_it(
    hosts, addressed, text
):
    logs = [
        Entry(i, host, Path(host), template="rtt{rtt_ms}/{host}.log",
              values={"rtt_ms": "40", "host": host})
        for i, host in enumerate(hosts)
    ]  # fmt: skip
    assert path_text(logs, addressed=addressed) == text
    assert path_text([*logs, Entry(9, "x", Path("x"))], addressed=addressed) is None


@pytest.mark.parametrize(
    ("pieces", "i", "bare"),
    [
        ([("word", "out"), (None, "_"), ("number", "7")], 2, True),
        ([("word", "host"), (None, "_"), ("number", "7")], 2, False),
        ([("word", "out"), ("number", "7")], 1, True),  # a word that counts
        ([("word", "site"), ("number", "7")], 1, False),
        ([("cca", "cubic"), ("number", "50")], 1, False),
        ([("number", "0"), (None, "."), ("number", "5")], 0, False),  # of one with decimals
        ([("number", "0"), (None, "."), ("number", "5")], 2, False),
        ([("number", "3"), (None, ".txt")], 0, True),
        ([("rtt_ms", "3"), (None, ".txt")], 0, False),
    ],
)
def test_a_number_is_bare_where_nothing_beside_it_says_what_it_is(pieces, i, bare):
    assert _is_bare([Piece(*piece) for piece in pieces], i) is bare


def test_what_settings_and_flows_show_is_no_factor_of_its_own():
    """A trait is shown where run, flow or factors have it; a strict one parts what is not known."""
    settings = {"tool": "iperf2", "tool_version": "2.1.8", "rtt_ms": 40, "seed": None}
    traits = traits_of(settings, "cubic-bbr", [], [], {})
    found = {t.name: (t.value, t.shown, t.strict) for t in traits if t.value is not None}
    assert found == {
        "congestion controls": ("cubic-bbr", True, True),
        "tool": ("iperf2", True, True),
        "rtt_ms": (40, True, True),
        "tool_version": ("2.1.8", True, False),
        "RTTs of flows": ("", True, True),
        "files": ("", False, False),
    }
    assert next(t for t in traits if t.name == "protocol").shown is False
    without = traits_of(settings, "cubic-bbr", [], [], {}, over=["rtt_ms"])
    assert [t for t in traits if t.name != "rtt_ms"] == without


def test_lengths_that_differ_as_those_of_repeats_do_are_one_class_named_by_its_middle():
    step = APART * 100.0 + APART_S
    assert _classes([100.0, 100.0 + step]) == {100.0: 100.0, 100.0 + step: 100.0}
    beyond = 100.0 + step + 0.1
    assert _classes([100.0, beyond]) == {100.0: 100.0, beyond: round(beyond, 1)}
    chain = [60.2, 60.0, 60.1, 300.0]  # each near the next
    assert _classes(chain) == {60.0: 60.1, 60.1: 60.1, 60.2: 60.1, 300.0: 300.0}


def test_the_documentation_names_every_factor_that_logs_give():
    page = (ROOT / "docs/explanation/pooling.md").read_text(encoding="utf-8")
    assert [name for name in FROM_LOGS if f"`{name}" not in page] == []


# ---- what the tools themselves print -------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "options"),
    [
        ("iperf2/2.1.8/window-client.log", {"tcp_window": "200 KByte"}),
        ("iperf2/2.1.8/enhanced-client.log", {"block": "128 KByte"}),
        ("iperf3/3.12/verbose-reverse.client.log", {"direction": "reverse", "omit_s": "0"}),
        ("iperf3/3.12/verbose-udp.client.log", {"udp_rate": "5000000", "block": "1448"}),
        (
            "iperf3-json/3.12/udp-omit.client.json",
            {"udp_rate": "5000000", "omit_s": "1", "direction": "as usual"},
        ),
    ],
)
def test_options_are_read_from_what_the_tools_print(log, options):
    content = (ROOT / "tests/fixtures/formats" / log).read_bytes()
    name = detect_format(content, log)
    stream = parse_logs(name, [Log(0, content, log)])["stream"]
    found = json.loads(stream["options"][0])
    assert {key: found.get(key) for key in options} == options
