"""Numbers in names that may be others than they look like: '20-40', '0p5', '1e-3', '20us'."""

import json

import polars as pl
import pytest
from evenflow.ingest.naming.compared import decimals_of_words, paired_numbers
from evenflow.ingest.naming.words import read_path
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


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        # a word with a number of its own begins the next setting
        ("bw_10_rtt_20_bdp_2.json", {"bottleneck_mbps": "10", "rtt_ms": "20"}),
        ("cubic_rtt_20_bdp_0.5.txt", {"cca": "cubic", "rtt_ms": "20", "buffer_bdp": "0.5"}),
        ("rtt_20_pkts_100.log", {"rtt_ms": "20"}),
        ("rtt_20_min_rto_200.log", {"rtt_ms": "20"}),
        ("100mbps_20ms_jitter_2ms.log",
         {"bottleneck_mbps": "100", "rtt_ms": "20", "jitter_ms": "2"}),
        ("20ms_delay_5ms.txt", {"rtt_ms": "20", "delay_ms": "5"}),
        ("20ms/buffer/50/a.txt", {"rtt_ms": "20"}),  # of another folder
        # else it is of the number before it
        ("rtt_20_ns_1.log", {}),
        ("20ms_delay.txt", {"delay_ms": "20"}),
        ("10ms_jitter.txt", {"jitter_ms": "10"}),
    ],
)  # fmt: skip
def test_a_word_is_of_the_number_before_it_unless_it_has_its_own(path, wanted):
    assert {p.name: p.text for p in read_path(path) if p.name} == wanted


# ---- units, dates and words beside numbers -------------------------------------------------------


def rtts_and_rates(tables) -> set[tuple]:
    return set(tables["run"].select("rtt_ms", "bottleneck_mbps").rows())


@pytest.mark.parametrize(
    ("pattern", "name", "offered"),
    [
        ("rtt_{100,50}_us/cubic_run{1,2}", "rtt_us", {"0.1", "0.05"}),
        ("rtt_{0.1,0.2}_s/cubic_run{1,2}", "rtt_s", {"100", "200"}),
        ("rtt_0_5_us/cubic_run{1,2}", "rtt_us_label", {"0.0005"}),
        ("bw_{1,10}_gbit/cubic_run{1,2}", "bottleneck_gbps", {"1000", "10000"}),
        ("bw-{1,10}-Gbps/cubic_run{1,2}", "bottleneck_gbps", {"1000", "10000"}),
        ("bw_{500,1000}_kbps/cubic_run{1,2}", "bottleneck_kbps", {"0.5", "1"}),
        ("bw={500,1000} kbps/cubic_run{1,2}", "bottleneck_kbps", {"0.5", "1"}),
        ("bw_500000_bps/cubic_run{1,2}", "bottleneck_bps", {"0.5"}),
        ("bw_{10,20}_MBps/cubic_run{1,2}", "bottleneck_MBps", {"80", "160"}),
        ("duration_{1,2}_h/cubic_run{1,2}", "duration_h", {"3600", "7200"}),
    ],
)
def test_a_unit_that_stands_apart_from_its_number_counts(tmp_path, pattern, name, offered):
    tables = tables_of(tmp_path, pattern)
    assert rtts_and_rates(tables) == {(None, None)}
    rows = tables["assumption"].filter(pl.col("value").str.contains("kept as the factor"))
    (row,) = rows.rows(named=True)
    assert row["value"].endswith(f"kept as the factor {name}, not as {row['what']}")
    assert {line.rpartition(",")[2] for line in row["yaml"].splitlines() if ".json," in line} == (
        offered
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("rtt_20_ms_bw_10_mbps_buffer_100_pkts/x", {"rtt_ms": "20", "bottleneck_mbps": "10"}),
        ("x_20_ms_rtt_1", {"rtt_ms": "20"}),
        ("bw_10_MiB", {}),  # a unit of another quantity
        ("rtt_20_ns", {}),
        ("buf_100_b", {}),  # a variant b, perhaps
        ("rtt_20_p_4", {"rtt_ms": "20"}),  # four flows at once
        ("rtt_20_cubic", {"rtt_ms": "20"}),
        ("rtt_2_1_bbr", {"rtt_ms": "2"}),
    ],
)
def test_what_stands_behind_a_number_is_a_unit_only_if_it_is_one(path, said):
    found = {p.name: p.text for p in read_path(path) if p.name in ("rtt_ms", "bottleneck_mbps")}
    assert found == said
    assert not [p for p in read_path(path) if p.name == "buffer_bytes"]


def test_a_letter_that_may_be_a_unit_or_a_word_is_asked_about_and_parts_no_repeats(tmp_path):
    tables = tables_of(tmp_path, "cubic_rtt_20_s_{1,2}")
    assert rtts_and_rates(tables) == {(None, None)}
    assert tables["run"]["scenario_id"].n_unique() == 1
    (row,) = tables["assumption"].filter(what="rtt_ms").rows(named=True)
    assert (
        row["because"] == "the letter behind it may be its unit, or a word with a number of its own"
    )
    assert ".json,20000" in row["yaml"]


@pytest.mark.parametrize(
    ("pattern", "wanted", "unit"),
    [
        ("rtt{0.02,0.5}/cubic_run{1,2}", {20.0, 500.0}, "seconds"),
        ("RTT_0.02_BW_10_mbps/cubic_run{1,2}", {20.0}, "seconds"),
        ("rtt_{20000,50000}/cubic_run{1,2}", {20.0, 50.0}, "microseconds"),
    ],
)
def test_a_round_trip_time_that_is_hardly_in_ms_is_asked_about(tmp_path, pattern, wanted, unit):
    tables = tables_of(tmp_path, pattern)
    assert tables["run"]["guessed"].str.contains("rtt_ms").all()
    (row,) = tables["assumption"].filter(what="rtt_ms").rows(named=True)
    assert row["because"] == f"no unit says so: they may be in {unit}"
    ((_, offered),) = alternatives(row["yaml"])
    Paste(offered).into(tmp_path / "numbers")
    assert set(parse_dataset(tmp_path / "numbers")["run"]["rtt_ms"]) == wanted


@pytest.mark.parametrize("pattern", ["rtt{20,50}/cubic_run1", "rtt{0.02,0.5}ms/cubic_run1"])
def test_a_usual_round_trip_time_needs_no_question(tmp_path, pattern):
    tables = tables_of(tmp_path, pattern)
    assert tables["assumption"].filter(what="rtt_ms").is_empty()
    assert set(tables["run"]["guessed"]) == {""}


def test_a_delay_without_a_unit_gets_none(tmp_path):
    assert factors(tables_of(tmp_path, "delay_{0.02,0.1}/cubic_run1")) == [
        {"delay": "0.02"},
        {"delay": "0.1"},
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        "cubic_rtt-2024-01-0{1,2}",
        "test_rtt_2024-01-0{1,2}_1{1,2}-30-00/cubic",
        "rtt_2024010{1,2}/cubic",
        "rtt_01-0{1,2}-2024/cubic",
        "cubic_rtt_12-0{1,2}-30",
        "tcp_2up_delay-2024-01-0{1,2}T120000.cubic",
        "cubic-duration-2024-01-0{1,2}",
        "cubic_run2024-01-0{1,2}",
        "cubic_run170000000{1,2}",
        "cubic_flow_2024-01-0{1,2}",
        "cubic_bandwidth_2024010{1,2}_121000",
        "cubic_server_0{1,2}-01-2024",
    ],
)
def test_a_date_behind_a_word_is_a_date(tmp_path, pattern):
    tables = tables_of(tmp_path, pattern)
    said = tables["run"].select("rtt_ms", "bottleneck_mbps", "duration_s").rows()
    assert set(said) == {(None, None, None)} and set(tables["flow"]["flow_id"]) == {1}
    assert factors(tables) == [{}]
    assert tables["run"]["scenario_id"].n_unique() == 1
    rows = tables["assumption"].filter(pl.col("what").str.contains("rtt_ms"))
    assert rows["because"].to_list() == ["no name and no log says it"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("rtt_10_01_2024-03-05", {"rtt_ms": "10", "run": "2024-03-05"}),
        ("bw20000000", {"bottleneck_mbps": "20000000"}),
        ("rtt_10-20-40", {}),  # a list, or a clock time
        ("rtt20_2024-01-01", {"rtt_ms": "20", "run": "2024-01-01"}),
    ],
)
def test_numbers_that_are_no_dates_stay_numbers(path, said):
    assert {p.name: p.text for p in read_path(path) if p.name} == said


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("buffer_{20,50}ms/cubic_run{1,2}", "'buffer_20ms', 'buffer_50ms'"),
        ("{20,50} ms buffer/cubic_run{1,2}", "'20 ms buffer', '50 ms buffer'"),
        ("minrto_200ms/cubic_run{1,2}", "'minrto_200ms'"),
        ("10ms_one-way/cubic_run{1,2}", "'10ms_one-way'"),
        ("one-way-10ms/cubic_run{1,2}", "'one-way-10ms'"),
        ("delay/10ms/cubic_run{1,2}", "'delay/10ms'"),
        ("cubic_10ms_queue_{1,2}", "'10ms_queue'"),
        ("cubic_10mbps_cross_{1,2}", "'10mbps_cross'"),
        ("cubic_10mbps_pacing_1", "'10mbps_pacing'"),
        ("cubic_with_5mbps_udp_{1..10}", "'5mbps_udp'"),
        ("cubic_pacing_rate_10mbps_{1,2}", "'rate_10mbps'"),
    ],
)
def test_a_number_of_another_word_is_no_setting_and_the_page_says_so(tmp_path, pattern, shown):
    tables = tables_of(tmp_path, pattern)
    assert rtts_and_rates(tables) == {(None, None)}
    said = f"names have {shown}, a form that is not taken as "
    assert tables["assumption"]["because"].str.starts_with(said).any()


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("cubic_10mbps_load_{50,80}", {(None, 10.0)}),
        ("cubic_10mbps_udp_5mbps_{1,2}", {(None, 10.0)}),
        ("cubic_20ms_queue_red_{1,2}", {(20.0, None)}),
        ("cubic_rtt20ms_buffer_small_{1,2}", {(20.0, None)}),
        ("cubic_20ms_queue", {(20.0, None)}),
    ],
)
def test_a_word_with_a_number_of_its_own_says_nothing_of_the_one_before_it(
    tmp_path, pattern, wanted
):
    assert rtts_and_rates(tables_of(tmp_path, pattern)) == wanted


def test_a_number_beside_its_word_and_unit_is_called_after_both(tmp_path):
    assert factors(tables_of(tmp_path, "minrto_{200,1000}ms/cubic_run1")) == [
        {"minrto_ms": "1000"},
        {"minrto_ms": "200"},
    ]
    assert factors(tables_of(tmp_path / "b", "cubic_{10,20}ms_jitter_{1,2}")) == [
        {"jitter_ms": "10"},
        {"jitter_ms": "20"},
    ]


def test_rates_in_different_units_at_one_place_are_one_rate(tmp_path):
    tables = tables_of(tmp_path, "{100Mbps,1G,2.5gbit,500kbit}/cubic_run{1,2}")
    assert factors(tables) == [
        {"bottleneck_gbps": "1"},
        {"bottleneck_gbps": "2.5"},
        {"bottleneck_kbps": "500"},
        {},
    ]
    rows = tables["assumption"].filter(pl.col("value").str.contains("kept as factors"))
    (row,) = rows.rows(named=True)
    ((_, offered),) = alternatives(row["yaml"])
    Paste(offered).into(tmp_path / "numbers")
    rates = parse_dataset(tmp_path / "numbers")["run"]["bottleneck_mbps"]
    assert set(rates) == {100.0, 1000.0, 2500.0, 0.5}


@pytest.mark.parametrize("pattern", ["{1,2}G/cubic_run{1,2}", "{4G,5G,100Mbps}/cubic_run1"])
def test_a_letter_alone_is_no_rate(tmp_path, pattern):
    assert "bottleneck_gbps" not in {
        k for said in factors(tables_of(tmp_path, pattern)) for k in said
    }


def test_no_factor_is_called_after_the_unit_of_another_name(tmp_path):
    assert factors(tables_of(tmp_path, "{5foo,7bar}/cubic_run1")) == [
        {"name": "bar", "number": "7"},
        {"name": "foo", "number": "5"},
    ]
