"""Numbers in names that may be others than they look like: '20-40', '0p5', '1e-3', '20us'."""

import json

import pytest
from evenflow.ingest.naming.compared import decimals_of_words, paired_numbers
from evenflow.ingest.parse import parse_dataset
from pasted import Paste, alternatives
from raw_data import make_dataset
from small_logs import expanded, iperf3_json


def tables_of(tmp_path, pattern: str) -> dict:
    names = expanded(pattern)
    logs = {f"{name}.json": iperf3_json(minute=n, mbps=n) for n, name in enumerate(names, 1)}
    return parse_dataset(make_dataset(tmp_path / "numbers", logs, ""))


def factors(tables) -> list[dict]:
    return [json.loads(text) for text in tables["run"]["factors"].unique().sort()]


@pytest.mark.parametrize(
    ("pattern", "key", "both"),
    [
        ("rtt_20_{40,80}_cubic_bbr_run1", "rtt_ms", [20, 40]),
        ("cubic_rtt20-{40,80}_run1", "rtt_ms", [20, 40]),
        ("cubic_rtt20+{1,2}", "rtt_ms", [20, 1]),
        ("cubic_80+{20,80}ms_50mbit", "rtt_ms", [80, 20]),
        ("cubic_20-{40,80}ms", "rtt_ms", [20, 40]),
        ("bw10_{1.5,2.5}", "bottleneck_mbps", [10, 1.5]),
        # what counts, or may be a host or a port
        ("cubic_rtt20_{1,2,3}", None, None),
        ("cubic_rtt20_{1,3}", None, None),
        ("cubic_rtt20_{0..29}", None, None),
        ("rtt20_{5201,5202}", None, None),
        ("rtt20_{11,12,13}", None, None),
        ("{1,2,3}-20ms", None, None),
        ("rtt20ms_{100,200}", None, None),
        ("rtt20_{100,200}mbit", None, None),
        ("rtt20_2024031{5,6}", None, None),
    ],
)
def test_two_numbers_of_one_word_or_unit(pattern, key, both):
    names = [*expanded(pattern)]
    found = paired_numbers(names)
    assert found.get(names[0], {}) == ({key: both} if key else {})


def test_numbers_that_tell_the_logs_of_a_run_apart_are_no_pair():
    names = ["rtt20_140", "rtt20_180"]
    assert paired_numbers(names) and not paired_numbers(names, {n: [(6, 9)] for n in names})


def test_of_two_numbers_none_is_taken_and_the_page_asks(tmp_path):
    tables = tables_of(tmp_path, "rtt_20_{40,80}_cubic_run{1,2}")
    assert tables["run"]["rtt_ms"].null_count() == 4
    (row,) = tables["assumption"].filter(what="rtt_ms").rows(named=True)
    assert row["value"] == "20 and 40, 20 and 80 in one name: none is taken"
    assert "#     run,rtt_ms" in row["yaml"]


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("bdp{0_25,0_5,1_0}_run1", {"0_25", "0_5", "1_0"}),
        ("rtt0_5_run1", {"0_5"}),
        ("bw=0_5", {"0_5"}),
        ("bdp1_{1,2}", set()),  # runs of one BDP
        ("rtt0_5ms", set()),  # with a unit it needs no name beside it
    ],
)
def test_underscores_for_points(pattern, texts):
    found = decimals_of_words(expanded(pattern))
    assert {path[t.start : t.end] for path, tokens in found.items() for t in tokens} == texts


@pytest.mark.parametrize(
    ("pattern", "name", "key", "values"),
    [
        ("cubic_bdp{0_5,1_5}_run{1,2}", "buffer_bdp_label", "buffer_bdp", ("0.5", "1.5")),
        ("cubic_{0p5,1p5}bdp_run{1,2}", "buffer_bdp_label", "buffer_bdp", ("0.5", "1.5")),
        ("cubic_{0p5,1,2}bdp_run{1,2}", "buffer_bdp_label", "buffer_bdp", ("0.5",)),
        ("bw{10_0,10_5}mbps_{1,2}", "bottleneck_mbps_label", "bottleneck_mbps", ("10", "10.5")),
        ("rtt{20,100}us_run{1,2}", "rtt_us", "rtt_ms", ("0.02", "0.1")),
        ("duration{10,20}min_run{1,2}", "duration_min", "duration_s", ("600", "1200")),
    ],
)
def test_other_forms_are_kept_as_factors_and_offered_as_settings(
    tmp_path, pattern, name, key, values
):
    tables = tables_of(tmp_path, pattern)
    assert {factor for said in factors(tables) for factor in said} == {name}
    rows = tables["assumption"].filter(what=key).rows(named=True)
    (row,) = (row for row in rows if f"kept as the factor {name}" in row["value"])
    offered = {line.rpartition(",")[2] for line in row["yaml"].splitlines() if ".json," in line}
    assert offered == {*values}


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("cubic_{1e-3,1e-4}loss_run{1,2}", [{"loss": "1e-3"}, {"loss": "1e-4"}]),
        ("cubic_rtt{1e2,2e2}_run{1,2}", [{"rtt": "1e2"}, {"rtt": "2e2"}]),
        ("timeout{20,40}ms_run{1,2}", [{"timeout_ms": "20"}, {"timeout_ms": "40"}]),
        ("rto{20,40}{ms,us}_run1", None),  # the unit is none of all
    ],
)
def test_no_exponent_and_no_unit_is_lost(tmp_path, pattern, said):
    found = factors(tables_of(tmp_path, pattern))
    if said is None:
        assert all({"rto", "name"} == {*of_run} for of_run in found)
    else:
        assert found == said


@pytest.mark.parametrize(
    ("pattern", "wanted", "lines"),
    [
        # the same in all runs, or a row of runs.csv each
        ("rtt10_vs_rtt100/run{1,2}/flow", {(1, 10.0), (2, 100.0)}, "# flows:"),
        ("rtt10_vs_rtt{50,100}/run{1,2}/flow", {(1, 10.0), (2, 50.0), (2, 100.0)}, "# runs.csv:"),
        # which flow it is of, and not 1 and 2 ms
        ("rtt1_10_rtt2_100/run{1,2}/flow", {(1, 10.0), (2, 100.0)}, "# flows:"),
        ("rtt1_10_rtt2_{10,100}/run{1,2}/flow", {(1, 10.0), (2, 10.0), (2, 100.0)}, "# runs.csv:"),
    ],
)
def test_as_many_rtts_as_flows_may_be_those_of_the_flows(pattern, wanted, lines, tmp_path):
    logs = {
        f"{name}{flow}.json": iperf3_json(minute=n, mbps=flow)
        for n, name in enumerate(expanded(pattern))
        for flow in (1, 2)
    }
    folder = make_dataset(tmp_path / "raw", logs, "")
    (row,) = parse_dataset(folder)["assumption"].filter(what="rtt_ms").rows(named=True)
    assert "none is taken" in row["value"] and lines in row["yaml"]
    (offered,) = [said for words, said in alternatives(row["yaml"]) if "of the first flow" in words]
    assert "rtt_ms: 2}" not in row["yaml"] and ",2\n" not in row["yaml"]
    Paste(offered).into(folder)
    tables = parse_dataset(folder)
    assert set(tables["flow"].select("flow_id", "rtt_ms").rows()) == wanted
    assert tables["assumption"].filter(what="rtt_ms").is_empty()


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("bs={64,128}k/run{1,2}.log", [{"bs_k": "128"}, {"bs_k": "64"}]),
        ("bs_{64,128}k/run{1,2}.log", [{"bs_k": "128"}, {"bs_k": "64"}]),
        ("bs{64,128}k/run{1,2}.log", [{"bs_k": "128"}, {"bs_k": "64"}]),
        ("bs={64,128}/run{1,2}.log", [{"bs": "128"}, {"bs": "64"}]),
        ("a/win={64,128}K_run{1,2}.log", [{"win_k": "128"}, {"win_k": "64"}]),
        ("x={5,7}us/run{1,2}.log", [{"x_us": "5"}, {"x_us": "7"}]),
        ("alpha={0.5,0.7}x/run{1,2}.log", [{"alpha": "0.5"}, {"alpha": "0.7"}]),
        ("bs={64k,1M}/run{1,2}.log", [{"bs": "1", "name": "M"}, {"bs": "64", "name": "k"}]),
        ("test={1..3}/a.log", [{}]),  # it counts tests
    ],
)
def test_a_number_behind_an_equals_sign_is_of_the_word_before_it(pattern, wanted, tmp_path):
    assert factors(tables_of(tmp_path, pattern)) == wanted
