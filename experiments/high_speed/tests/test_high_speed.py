"""experiments/high_speed and what both platforms make of it, without simulator and kernel."""

import json
import shlex
from collections import Counter

import pytest
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.described.patterns import path_pattern

from experiments.high_speed import cases as high_speed
from experiments.high_speed import run as high_speed_run
from experiments.high_speed import scenario as high_speed_scenario
from experiments.ns2 import one_run
from experiments.testbed import run as testbed_run
from experiments.testbed import selfcheck, topology
from experiments.testbed.scenario import Scenario, buffer_bytes, problems

CONFIG = high_speed.read_config()
ROOT = one_run.ROOT
CASE = {
    "view": "rtt",
    "cca1": "bic",
    "cca2": "bic",
    "rtt_ms": 16,
    "queue": "bdp20",
    "repeat": 1,
}
DESIGN = ("ns2-high-speed", "testbed-high-speed")  # the paper's; the others are parts of it
EQUAL = {**CASE, "view": "intra", "rtt_ms": 82}


def runs_of(dataset):
    return {k: v for stage in high_speed.list_stages(CONFIG, dataset) for k, v in stage.items()}


def words_of(dataset, case):
    return shlex.split(high_speed.command(CONFIG, dataset, case))


# ---- the design ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dataset", DESIGN)
def test_the_design_is_that_of_the_paper(dataset):
    """Five RTTs and two queues; each high-speed variant against NewReno, itself and all others."""
    first = [case for case in runs_of(dataset).values() if case["repeat"] == 1]
    cells = Counter((case["view"], case["rtt_ms"], case["queue"]) for case in first)
    for queue in ("bdp20", "3mb"):
        for rtt_ms in (16, 42, 82, 162, 324):
            assert cells["friendliness", rtt_ms, queue] == 5
            assert cells["intra", rtt_ms, queue] == 6
            assert cells["inter", rtt_ms, queue] == 10
            # two flows of 162 ms are the run of intra
            assert cells["rtt", rtt_ms, queue] == (0 if rtt_ms == 162 else 6)
    pairs = {frozenset((c["cca1"], c["cca2"])) for c in first if c["view"] == "inter"}
    assert len(pairs) == 10
    assert all(c["cca1"] == "newreno" != c["cca2"] for c in first if c["view"] == "friendliness")


def test_the_testbed_has_two_repeats_of_its_first_cells():
    runs = runs_of("testbed-high-speed")
    assert {f"inter/bic-cubic/rtt{rtt}_bdp20/r2" for rtt in (16, 82, 324)} <= set(runs)
    assert "intra/bic-bic/rtt162_bdp20/r2" in runs  # the ratio 1 of the view rtt


def test_ns2_repeats_the_cells_on_which_an_answer_hangs_first_and_then_every_cell_three_times():
    stages = high_speed.list_stages(CONFIG, "ns2-high-speed")
    once = {path for stage in stages for path, case in stage.items() if case["repeat"] == 1}
    named, *rest = [s for s in stages if {case["repeat"] for case in s.values()} == {2, 3}]
    assert "rtt/scalable-scalable/rtt324_3mb/r3" in named
    assert all(high_speed.run_path(case | {"repeat": 1}) in once for case in named.values())
    assert not any(set(named) & set(stage) for stage in rest)


@pytest.mark.parametrize("dataset", DESIGN)
def test_every_cell_is_planned_three_times(dataset):
    runs = Counter(high_speed.run_path(case | {"repeat": 1}) for case in runs_of(dataset).values())
    assert len(runs) == 258 and min(runs.values()) == 3


@pytest.mark.parametrize(
    "cell",
    [
        "friendliness/newreno-bic/rtt16_bpd20",  # no such queue
        "friendliness/bic-newreno/rtt16_bdp20",  # the pair the other way round
        "freindliness/newreno-bic/rtt16_bdp20",
        "friendliness/newreno-bic/rtt16_bdp20/r1",
    ],
)
def test_a_misspelt_cell_is_named_with_its_file_and_the_remedy(cell):
    with pytest.raises(ValueError, match=rf"experiments/high_speed/grid.yaml.*{cell}.*write"):
        high_speed.list_cases({"cells": [cell], "repeats": [2]}, CONFIG)


@pytest.mark.parametrize("dataset", DESIGN)
def test_every_view_is_there_before_any_run_is_repeated(dataset):
    first = list(high_speed.list_stages(CONFIG, dataset)[0].values())
    assert {case["view"] for case in first} == set(high_speed.VIEWS)
    assert {case["repeat"] for case in first} == {1}
    assert {case["rtt_ms"] for case in first} == {16, 82, 324}


@pytest.mark.parametrize(("dataset", "n"), [("long", 81), ("swapped", 54)])
def test_long_and_swapped_runs_are_runs_of_the_design_with_the_same_seeds(dataset, n):
    runs = runs_of(f"ns2-high-speed-{dataset}")
    assert len(runs) == n and runs.items() <= runs_of("ns2-high-speed").items()
    for case in runs.values():
        words = high_speed.command(CONFIG, f"ns2-high-speed-{dataset}", case).split()
        asked = high_speed_run.parse_arguments(words[1:], CONFIG)
        assert asked.seed is None and asked.dataset_dir.name == f"ns2-high-speed-{dataset}"
        assert (asked.duration_s, asked.log_interval_s, asked.swapped) == {
            "long": (2400, 10, False),
            "swapped": (600, None, True),
        }[dataset]


def test_an_interval_of_the_logs_is_a_key_of_its_own_so_that_other_runs_stay_as_they_were():
    plain = high_speed_scenario.simulator_options(CASE, CONFIG, 7, 600)
    config = CONFIG | {"ns2": CONFIG["ns2"] | {"log_interval_s": 10}}
    every = high_speed_scenario.simulator_options(CASE, config, 7, 600)
    assert every == plain | {"log_interval_s": 10} and "log_interval_s" not in plain


def test_swapped_flows_start_in_the_other_order_and_are_recorded_so():
    first, second = high_speed_scenario.simulator_options(CASE, CONFIG, 7, 600)["starts_s"].split()
    swapped = high_speed_scenario.simulator_options(CASE, CONFIG, 7, 600, swapped=True)
    assert swapped["starts_s"] == f"{second} {first}"
    flows = high_speed_scenario.describe_run(CASE, CONFIG, swapped)["flows"]
    assert (flows["1"]["start_s"], flows["2"]["start_s"]) == (float(second), 0)
    assert (flows["1"]["rtt_ms"], flows["2"]["rtt_ms"]) == (162, 16)


def test_flow_1_keeps_its_rtt_and_the_buffer_follows_it_in_the_view_rtt():
    assert high_speed.rtts_ms(CASE, CONFIG) == (162, 16)
    assert high_speed.rtts_ms(EQUAL, CONFIG) == (82, 82)
    # 20 % of 900 Mb/s x 162 ms = 18.225 MB, whatever flow 2's RTT
    assert high_speed.buffer_bytes(CASE, CONFIG) == 3_645_000
    assert high_speed.buffer_bytes({**CASE, "rtt_ms": 324}, CONFIG) == 3_645_000
    assert high_speed.buffer_bytes({**EQUAL, "rtt_ms": 16}, CONFIG) == 360_000
    assert high_speed.buffer_bytes({**EQUAL, "queue": "3mb"}, CONFIG) == 3_000_000


# ---- ns-2 ---------------------------------------------------------------------------------------


def test_settings_of_the_simulation_worked_by_hand():
    options = high_speed_scenario.simulator_options(CASE, CONFIG, 7, 600)
    assert options["queue_packets"] == 2430  # 3,645,000 / 1500
    assert options["rtts_ms"] == "162 16"
    # 1.2 x (900 Mb/s x RTT / 12,000 bit + 2430): 12,150 and 1200 packets of BDP
    assert options["windows_packets"] == "17496 4356"
    first, second = options["starts_s"].split()
    assert first == "0" and 60 <= float(second) <= 61


def test_newreno_is_asked_for_by_its_name_in_ns2():
    case = {**EQUAL, "cca1": "newreno"}
    assert high_speed_scenario.simulator_options(case, CONFIG, 7, 600)["select_cas"] == "reno bic"


def test_a_flow_that_fell_back_to_ns2s_reno_is_refused():
    options = high_speed_scenario.simulator_options({**EQUAL, "cca2": "Bic"}, CONFIG, 7, 600)
    said = "cmd select_ca bic\ncmd select_ca Bic\n"
    said += "Error: do not find Bic as a congestion control algorithm\nList of cc (total 1) : bic\n"
    trailer = {"flows": {"1": {"tick_s": 0.001}, "2": {"tick_s": 0.01}}}
    with pytest.raises(one_run.RunError, match="flow 2 \\('Bic'\\)"):
        high_speed_run.check_algorithms(options, said, trailer)
    fine = options | {"select_cas": "bic bic"}
    both = {"flows": {flow: {"tick_s": 0.001} for flow in "12"}}
    high_speed_run.check_algorithms(fine, "cmd select_ca bic\ncmd select_ca bic\n", both)


def start_of(case):
    return high_speed.draw_start_s(high_speed_scenario.draw_seed(case, CONFIG), CONFIG)


def test_no_two_repeats_of_a_cell_have_the_same_start_of_flow_2():
    """ns-2 repeats itself to the bit: two such repeats would be one run."""
    cells = [case for case in runs_of("ns2-high-speed").values() if case["repeat"] == 1]
    for case in cells:
        starts = [start_of(case | {"repeat": repeat}) for repeat in range(1, 11)]
        assert len(set(starts)) == len(starts), high_speed.run_path(case)
    last = [start_of(EQUAL | {"repeat": n}) for n in range(1, high_speed_scenario.MOST_REPEATS + 1)]
    assert len(set(last)) == len(last)
    with pytest.raises(ValueError, match="room for 50 repeats"):
        start_of(EQUAL | {"repeat": high_speed_scenario.MOST_REPEATS + 1})


def test_a_run_that_equalled_another_has_another_seed():
    listed, repeat = CONFIG["drawn_again"][0].rsplit("/r", 1)
    case = runs_of("ns2-high-speed")[f"{listed}/r{repeat}"]
    before = high_speed_scenario.draw_seed(case, CONFIG | {"drawn_again": []})
    assert high_speed_scenario.draw_seed(case, CONFIG) != before
    lower = case | {"repeat": 1}
    same = (
        high_speed_scenario.draw_seed(lower, of) for of in (CONFIG, CONFIG | {"drawn_again": []})
    )
    assert len(set(same)) == 1


def test_the_seeds_of_the_runs_that_are_there_mean_what_they_meant():
    there, others = 0, []
    for path, case in runs_of("ns2-high-speed").items():
        file = ROOT / "data" / "raw" / "ns2-high-speed" / path / "run.json"
        if not file.exists():
            continue
        record = json.loads(file.read_text())
        seed, start_s = record["run"]["seed"], record["flows"]["2"]["start_s"]
        assert high_speed.draw_start_s(seed, CONFIG) == start_s
        there += 1
        if seed != high_speed_scenario.draw_seed(case, CONFIG):
            others.append(path)
    assert there >= 300
    assert others == []


# ---- the testbed --------------------------------------------------------------------------------


def asked_of_testbed(case):
    words = words_of("testbed-high-speed", case)
    assert words[:1] == ["experiments.testbed.run"]
    return testbed_run.scenario_of(testbed_run.parse_arguments(words[1:]))


def test_every_run_of_the_testbed_can_be_made():
    for case in runs_of("testbed-high-speed").values():
        scenario = asked_of_testbed(case)
        assert problems(scenario) == []
        assert buffer_bytes(scenario) == high_speed.buffer_bytes(case, CONFIG)
        assert scenario.tcp_info and scenario.duration_s == 300 and scenario.rate_mbps == 900
        assert 60 <= scenario.start2_s <= 61


def test_a_command_of_the_record_makes_the_same_run_again():
    scenario = asked_of_testbed({**CASE, "queue": "3mb"})
    words = testbed_run.command_of(scenario, testbed_run.Path("OUT")).split()[3:]
    assert testbed_run.scenario_of(testbed_run.parse_arguments(words)) == scenario


def test_each_path_of_the_testbed_has_its_own_delay():
    lines = topology.netem_lines(asked_of_testbed(CASE))
    delays = [int(line.split()[1]) for line in lines["db"]]
    assert delays == [81_000_000, 8_000_000]
    back = [int(lines[host][0].split()[1]) for host in ("d1", "d2")]
    hop = int(lines["x1"][0].split()[1])
    assert back == [81_000_000 - hop, 8_000_000 - hop]


def test_at_900_mbps_four_frames_pass_in_a_burst_and_the_jitter_overtakes_nothing():
    scenario = asked_of_testbed(EQUAL)
    tbf, fifo = topology.tc_commands(scenario)["rt"]
    assert "rate 900mbit burst 6160" in tbf
    assert fifo.endswith(f"bfifo limit {buffer_bytes(scenario)}")
    frame_ns = 1514 * 8 / 0.9
    assert testbed_run.jitter_ns(scenario) < frame_ns / 2


def test_a_buffer_is_given_once():
    both = Scenario("bic", "bic", 16, 20, 7, fixed_buffer_bytes=3_000_000)
    neither = Scenario("bic", "bic", 16, None, 7)
    for scenario in (both, neither):
        assert problems(scenario) == ["give the buffer once: buffer_pct or fixed_buffer_bytes"]


def test_a_sampled_congestion_control_that_was_not_asked_for_fails_the_run():
    text = (
        "# evenflow-tcp-info/1\n1.000 {} cwnd 10 ssthresh 5 srtt_us 1 rttvar_us 1 retransmits 0\n"
    )
    testbed_run.check_tcp_info(text.format("bic") + "# end\n", "log", "bic")
    with pytest.raises(testbed_run.RunError, match=r"is \['cubic'\], not bic"):
        testbed_run.check_tcp_info(text.format("cubic") + "# end\n", "log", "bic")
    with pytest.raises(testbed_run.RunError, match="was cut"):
        testbed_run.check_tcp_info(text.format("bic"), "log", "bic")


def test_the_self_check_at_900_mbps_is_of_all_variants_and_fails_one_that_is_slow():
    wanted = selfcheck.high_speed_scenarios()
    ccas = {scenario.cca1 for scenario in wanted.values()}
    assert ccas == {cca for pair in CONFIG["views"]["intra"] for cca in pair}

    def log(mbps):
        lines = [
            f"[  1] {t}.0000-{t + 1}.0000 sec  1 Bytes  {mbps}000000 bits/sec" for t in range(30)
        ]
        return {"flow1.server.log.gz": "\n".join(lines).encode()}

    logs = {label: log(858 if label.startswith("bic") else 860) for label in wanted}
    rows = selfcheck.checks_of_lone_flows(wanted, logs)
    assert all(row["passed"] for row in rows)
    assert {row["expected"] for row in rows} == {860.766}
    logs["bic alone"] = log(856)  # 0.55 % below
    (failed,) = [r for r in selfcheck.checks_of_lone_flows(wanted, logs) if not r["passed"]]
    assert "bic" in failed["name"]


# ---- records ------------------------------------------------------------------------------------


def record_of(dataset, case):
    if dataset == "ns2-high-speed":
        options = high_speed_scenario.simulator_options(case, CONFIG, 7, 600)
        return high_speed_scenario.describe_run(case, CONFIG, options)
    return testbed_run.run_record(asked_of_testbed(case), {}, {})


@pytest.mark.parametrize("dataset", DESIGN)
def test_a_record_agrees_with_what_dataset_yml_reads_from_its_path(dataset):
    """Where the two contradict each other the data set would be refused."""
    folder = ROOT / "data/raw" / dataset
    patterns = [path_pattern(entry.path) for entry in read_dataset(folder).files]
    for path, case in runs_of(dataset).items():
        record = record_of(dataset, case)
        assert json.loads(json.dumps(record)) == record
        (match,) = (m for p in patterns if (m := p.fullmatch(f"{path}/run.json")))
        said = match.groupdict()
        assert (said["view"], said["queue"]) == (record["run"]["view"], record["run"]["queue"])
        assert int(said["repeat"]) == record["run"]["repeat"]
        assert said["cca2"] == record["flows"]["2"]["cca"]
        second_ms = record["flows"]["2"].get("rtt_ms", record["run"].get("rtt_ms"))
        assert int(said["rtt_ms2"]) == second_ms


@pytest.mark.parametrize("dataset", DESIGN)
def test_records_of_both_platforms_say_rtts_buffer_and_role(dataset):
    record = record_of(dataset, CASE)
    assert [record["flows"][flow]["rtt_ms"] for flow in "12"] == [162, 16]
    assert record["run"]["buffer_bytes"] == 3_645_000
    assert record["run"]["role"] == "comparison"
    assert record_of(dataset, EQUAL)["run"]["role"] == "calibration"
