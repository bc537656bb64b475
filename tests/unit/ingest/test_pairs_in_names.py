"""Pairs that names list: which flow has which variant, and what is asked if that is not known."""

import pytest
from evenflow.ingest.naming.compared import unknown_partners, words_beside_variant
from evenflow.ingest.ways import listed_in_order
from pasted import alternatives, analysed
from raw_data import make_dataset
from small_logs import iperf2, iperf3_json

pytestmark = pytest.mark.usefixtures("one_database")

CUBIC, BBR, RENO = {"cca": "cubic"}, {"cca": "bbr"}, {"cca": "reno"}


@pytest.mark.parametrize(
    ("flows", "tcp", "of_flows"),
    [
        ([1, 2], [1, 2], {1: CUBIC, 2: BBR}),
        ([0, 1], [0, 1], {0: CUBIC, 1: BBR}),  # counted from 0
        ([2, 3], [2, 3], {2: CUBIC, 3: BBR}),
        ([1, 2, 3], [2, 3], {2: CUBIC, 3: BBR}),  # flow 1 is of datagrams
        ([1, 2, 3], [1, 3], {1: CUBIC, 3: BBR}),  # flow 2 is
        ([5001, 5003], [5001, 5003], {5001: CUBIC, 5003: BBR}),  # ports
        ([1, 3], [1, 3], {1: CUBIC, 2: BBR}),  # flow 2 is missing: it may be BBR
        ([0, 1, 2], [0, 1, 2], {1: CUBIC, 2: BBR}),  # more flows than words
    ],
)
def test_a_list_is_of_the_flows_in_the_order_of_their_numbers(flows, tcp, of_flows):
    assert listed_in_order({1: CUBIC, 2: BBR}, flows, tcp, ()) == of_flows


def test_what_a_list_says_besides_the_variant_goes_with_it():
    listed = {1: CUBIC | {"rtt_ms": 20}, 2: BBR, 7: {"start_s": 5}}
    found = listed_in_order(listed, [0, 1], [0, 1], ())
    assert found == {0: CUBIC | {"rtt_ms": 20}, 1: BBR, 7: {"start_s": 5}}


def test_flows_that_are_declared_beside_the_compared_ones_are_in_no_list():
    assert listed_in_order({1: CUBIC, 2: BBR}, [0, 1, 2], [0, 1, 2], [2]) == {0: CUBIC, 1: BBR}


def of_flows(tables) -> dict[int, str | None]:
    flow = tables["flow"]
    return dict(zip(flow["flow_id"], flow["cca"], strict=True))


def asked(tables) -> list[dict]:
    return tables["assumption"].filter(what="cca").rows(named=True)


def tables_of(folder, paths, yml="") -> dict:
    logs = {path: iperf2(side="server", seconds=12, mbps=n) for n, path in enumerate(paths, 10)}
    return analysed(make_dataset(folder / "raw", logs, yml))


def test_flows_that_names_count_from_0_are_those_of_a_pair_in_their_order(tmp_path):
    paths = [f"cubic_vs_bbr/run1/flow{n}.txt" for n in (0, 1)]
    tables = tables_of(tmp_path, paths)
    assert of_flows(tables) == {0: "cubic", 1: "bbr"}
    (row,) = asked(tables)
    assert "the flows are not numbered 1, 2, ..." in row["because"]
    confirmed = row["yaml"].partition("\n# if ")[0]
    again = tables_of(tmp_path / "confirmed", paths, confirmed)
    assert (of_flows(again), asked(again)) == ({0: "cubic", 1: "bbr"}, [])


def test_a_description_may_count_flows_from_0_as_well(tmp_path):
    paths = [f"cubic_vs_bbr/run1/flow{n}.txt" for n in (0, 1)]
    yml = 'files:\n  - path: "{cca1}_vs_{cca2}/run{repeat}/flow{flow}.txt"\n'
    assert of_flows(tables_of(tmp_path, paths, yml)) == {0: "cubic", 1: "bbr"}


SEVERAL = "cubic_vs_3bbr cubic_vs_3xbbr cubic_3bbr 3bbr_cubic cubic_with_3bbr cubic_bbrs"
SEVERAL += " cubic_vs_1bbr cubic_vs_3 3cubic_vs_bbr"


@pytest.mark.parametrize("name", SEVERAL.split())
def test_one_variant_against_several_flows_of_another_is_not_that_of_all(tmp_path, name):
    tables = tables_of(tmp_path, [f"{name}/flow{n}.txt" for n in (1, 2, 3, 4)])
    assert of_flows(tables) == dict.fromkeys((1, 2, 3, 4))
    assert "unknown for flow 1, 2, 3, 4" in [row["value"] for row in asked(tables)]


@pytest.mark.parametrize("name", ["cubic_vs_3cubic", "3cubic_cubic", "run_10_cubic", "cubic_10"])
def test_a_number_beside_the_one_variant_changes_nothing(tmp_path, name):
    tables = tables_of(tmp_path, [f"{name}/flow{n}.txt" for n in (1, 2)])
    assert of_flows(tables) == {1: "cubic", 2: "cubic"}


@pytest.mark.parametrize(
    ("paths", "halves"),
    [
        (["cubic_bbr/1.txt", "cubic_mine/1.txt"], {"cubic_mine/1.txt"}),
        (["r1-bbr-cubic.txt", "r1-mine-cubic.txt"], {"r1-mine-cubic.txt"}),
        (["cubic_mine/cubic.txt", "cubic_mine/mine.txt"], {"cubic_mine/mine.txt"}),
        # nothing says so, or an ordinary word
        (["cubic_paris/1.txt", "cubic_rome/1.txt"], set()),
        (["cubic_bbr/1.txt", "cubic_only/1.txt", "cubic_run_1/1.txt"], set()),
        (["cubic_bbr/1.txt", "wan/cubic_mine.txt"], set()),
    ],
)
def test_a_word_where_others_have_a_variant_is_one_that_is_not_known(paths, halves):
    found = unknown_partners(paths)
    assert found >= halves and not found & {p for p in paths if p not in halves and "mine" not in p}
    assert bool(found) == bool(halves)


def test_half_of_a_pair_is_not_the_variant_of_both(tmp_path):
    paths = [f"{pair}/flow{n}.txt" for pair in ("cubic_bbr", "cubic_mine") for n in (1, 2)]
    flow = tables_of(tmp_path, paths)["flow"].sort("run_id", "flow_id")
    assert flow["cca"].to_list() == ["cubic", "bbr", None, None]


ENDINGS = [
    "txt",
    "json",
    "csv",
    "dat",
    "res",
    "text",
    "out",
    "iperf",
    "txt.gz",
    "json.xz",
    "log.1",
    "json.txt",
    "txt.2.gz",
    "odd",
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_extension_of_a_file_is_no_variant(ending, tmp_path):
    paths = [f"run1/flow{n}_{cca}.{ending}" for n, cca in ((1, "cubic"), (2, "bbr"))]
    tables = tables_of(tmp_path, paths)
    assert of_flows(tables) == {1: "cubic", 2: "bbr"}
    assert asked(tables) == []


def test_a_word_between_full_stops_may_be_a_variant(tmp_path):
    (row,) = asked(tables_of(tmp_path, [f"cubic.mine/flow{n}.txt" for n in (1, 2)]))
    assert "'mine' next to 'cubic'" in row["value"]
    (row,) = asked(tables_of(tmp_path / "file", [f"flow{n}_cubic.mine.txt" for n in (1, 2)]))
    assert "'mine' next to 'cubic'" in row["value"]


def test_a_word_next_to_the_variant_of_all_flows_is_asked_about(tmp_path):
    paths = [f"cubic-mine/flow{n}.txt" for n in (1, 2)]
    tables = tables_of(tmp_path, paths)
    assert of_flows(tables) == {1: "cubic", 2: "cubic"}
    (row,) = asked(tables)
    assert row["value"].endswith("where names have 'mine' next to 'cubic'")
    _, lines = alternatives(row["yaml"])[0]
    assert of_flows(tables_of(tmp_path / "pair", paths, lines)) == {1: "cubic", 2: "mine"}


@pytest.mark.parametrize(
    "name", ["cubic_only", "cubic", "test_cubic_run1", "cubic_rtt20", "cubic-cubic"]
)
def test_ordinary_words_next_to_a_variant_are_not_asked_about(name):
    assert words_beside_variant(f"{name}/flow1.txt") == []


def test_a_file_in_the_folder_of_a_pair_may_name_a_third_variant(tmp_path):
    """Its own log counts, and where that says another one it is an error."""
    paths = ["cubic-bbr/flow1_reno.txt", "cubic-bbr/flow2_bbr.txt"]
    assert of_flows(tables_of(tmp_path, paths)) == {1: "reno", 2: "bbr"}
    log = iperf3_json(cca="cubic")
    logs = {"cubic-bbr/1_reno.json": log, "cubic-bbr/2_bbr.json": iperf3_json(cca="bbr")}
    finding = analysed(make_dataset(tmp_path / "logged" / "raw", logs, ""))["finding"]
    said = finding.filter(check="other congestion control")["message"].to_list()
    assert said == ["it should run reno, but its log says cubic"]


def test_a_delay_in_seconds_of_one_flow_is_when_it_starts(tmp_path):
    paths = ["flow1_cubic_run1.txt", "flow2_bbr_delay5s_run1.txt"]
    flow = tables_of(tmp_path, paths)["flow"]
    assert flow["run_id"].n_unique() == 1
    assert dict(zip(flow["flow_id"], flow["start_s"], strict=True)) == {1: 0.0, 2: 5.0}


def test_a_file_that_has_a_variant_which_its_folder_s_pair_lacks_is_asked_about(tmp_path):
    paths = [f"cubic-bbr/run1/flow{n}_{cca}.txt" for n, cca in ((1, "reno"), (2, "bbr"))]
    tables = tables_of(tmp_path, paths)
    assert of_flows(tables) == {1: "reno", 2: "bbr"}
    (row,) = asked(tables)
    assert "'reno' below 'cubic-bbr'" in row["value"] and row["certainty"] == "a guess"
    ((_, lines),) = alternatives(row["yaml"])
    assert of_flows(tables_of(tmp_path / "again", paths, lines)) == {1: "cubic", 2: "bbr"}


def test_a_file_that_has_a_variant_of_its_folder_s_pair_is_no_question(tmp_path):
    paths = [f"cubic-bbr/run1/flow{n}_{cca}.txt" for n, cca in ((1, "bbr"), (2, "cubic"))]
    tables = tables_of(tmp_path, paths)
    assert of_flows(tables) == {1: "bbr", 2: "cubic"} and not asked(tables)


def test_reno_is_newreno_and_other_patterns_keep_their_variant(tmp_path):
    paths = [f"cubic-newreno/run1/flow{n}_{cca}.txt" for n, cca in ((1, "cubic"), (2, "reno"))]
    assert not asked(tables_of(tmp_path, paths))
    paths = [f"cubic-bbr/run1/flow{n}_{cca}.txt" for n, cca in ((1, "reno"), (2, "bbr"))]
    paths += [f"single/vegas/run1/flow{n}.txt" for n in (1, 2)]
    (row,) = asked(tables_of(tmp_path / "more", paths))
    ((_, lines),) = alternatives(row["yaml"])
    again = tables_of(tmp_path / "again", paths, lines)
    assert set(again["flow"]["cca"]) == {"cubic", "bbr", "vegas"}


@pytest.mark.parametrize("name", ["ctcp_vs_cubic", "rtt20_CTCP-cubic", "TcpCtcp_vs_cubic"])
def test_an_alias_in_a_name_is_the_variant(tmp_path, name):
    tables = tables_of(tmp_path, [f"{name}_run1_flow{n}.txt" for n in (1, 2)])
    assert of_flows(tables) == {1: "compound", 2: "cubic"}
