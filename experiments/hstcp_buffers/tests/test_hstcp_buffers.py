"""The buffer experiment: grid, paths, seeds, settings and summaries, without the simulator."""

import itertools
import json
import re

import pytest
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.described.patterns import path_pattern
from hypothesis import given
from hypothesis import strategies as st

from experiments.hstcp_buffers import run as hstcp_run
from experiments.hstcp_buffers import scenario as hstcp_scenario
from experiments.ns2 import one_run, stages

CONFIG = hstcp_run.read_config()
SETTINGS, LINKS = CONFIG["settings"], CONFIG["scenarios"]
CASE = {
    "scenario": "1000mbps",
    "implementation": "sack1",
    "aqm": "droptail",
    "fraction": 0.1,
    "repeat": 1,
}
# verbatim from a run: 1000-byte packets, 1 Gb/s, cumulative counters in columns 6 to 8
QUEUE_LOG = """\
28 0 1 612048.551 612.048551 2462065 2460161 984 1832871704 1830967744 984000
29 0 1 107417.402 107.417402 2577325 2576237 984 1948131704 1947043744 984000
30 0 1 84965.5116 84.9655116 2704553 2703316 984 -1590423896 -1591660896 984000
"""


def options_of(**changes):
    case = {**CASE, **changes}
    return hstcp_scenario.simulator_options(case, LINKS[case["scenario"]], SETTINGS, 7)


# ---- the grid -----------------------------------------------------------------------------------


def test_every_run_has_a_path_and_a_seed_of_its_own():
    stages = hstcp_run.list_stages(CONFIG)
    paths = [path for cases in stages for path in cases]
    assert len(set(paths)) == len(paths)
    assert len({hstcp_scenario.draw_seed(path) for path in paths}) == len(paths)
    assert "sack1/1000mbps/droptail/frac0.10/r1" in stages[0]
    assert any(path.startswith("two-flows/sack1/1000mbps/") for path in paths)


def test_the_grid_has_what_the_claims_need():
    """Both links, queues and implementations at 10 and 20 %; three seeds of ns-2's own."""
    paths = {path for cases in hstcp_run.list_stages(CONFIG) for path in cases}
    for rate in ("1000mbps", "2500mbps"):
        for aqm in hstcp_scenario.AQMS:
            for fraction in ("0.10", "0.20"):
                cell = f"{rate}/{aqm}/frac{fraction}"
                assert {f"sack1/{cell}/r{n}" for n in (1, 2, 3)} | {f"linux/{cell}/r1"} <= paths


def test_the_grid_has_three_seeds_of_every_buffer_for_both_implementations():
    paths = {path for cases in hstcp_run.list_stages(CONFIG) for path in cases}
    for fraction in ("0.02", "0.05", "0.10", "0.20", "0.40", "0.70", "1.00"):
        for rate in ("1000mbps", "2500mbps"):
            cells = [f"{i}/{rate}/{a}" for i in hstcp_scenario.IMPLEMENTATIONS
                     for a in hstcp_scenario.AQMS]  # fmt: skip
            wanted = {f"{cell}/frac{fraction}/r{n}" for cell in cells for n in (1, 2, 3)}
            assert wanted <= paths


def test_each_rate_is_crossed_with_each_spread_of_rtts_at_fractions_of_the_paths_bdp():
    paths = {path for cases in hstcp_run.list_stages(CONFIG) for path in cases}
    for rate in (1000, 2500):
        for spread in ("narrow", "wide"):
            link = LINKS[f"{rate}mbps-{spread}"]
            rtts_ms = link["rtts_ms"]
            bdp_bits = rate * 1e6 * sum(rtts_ms) / len(rtts_ms) / 1e3
            assert link["full_buffer_packets"] == round(bdp_bits / 8 / 1000)  # of 1000 bytes
            assert rtts_ms == LINKS[{"narrow": "1000mbps", "wide": "2500mbps"}[spread]]["rtts_ms"]
            for implementation in hstcp_scenario.IMPLEMENTATIONS:
                cell = f"{spread}-rtts/{implementation}/{rate}mbps/droptail/frac0.05"
                assert {f"{cell}/r{n}" for n in (1, 2, 3)} <= paths


def test_a_run_that_two_stages_name_is_made_once():
    stage = {
        "scenarios": ["1000mbps"],
        "implementations": ["sack1"],
        "aqms": ["red"],
        "fractions": [0.1],
        "repeats": [1],
    }
    grid = {"scenarios": LINKS, "stages": [stage, {**stage, "fractions": [0.1, 0.2]}]}
    first, second = hstcp_run.list_stages(grid)
    assert list(first) == ["sack1/1000mbps/red/frac0.10/r1"]
    assert list(second) == ["sack1/1000mbps/red/frac0.20/r1"]


def test_a_record_agrees_with_what_dataset_yml_reads_from_its_path():
    """Where the two contradict each other the data set would be refused."""
    patterns = [
        path_pattern(entry.path)
        for entry in read_dataset(one_run.ROOT / "data/raw/ns2-hstcp-buffers").files
    ]
    for cases in hstcp_run.list_stages(CONFIG):
        for path, case in cases.items():
            link = LINKS[case["scenario"]]
            options = hstcp_scenario.simulator_options(case, link, SETTINGS, 7)
            record = hstcp_scenario.describe_run(case, link, SETTINGS, options)["run"]
            (match,) = (m for p in patterns if (m := p.fullmatch(f"{path}/goodput.log.gz")))
            for key, text in match.groupdict().items():
                if key != "group":
                    value = record[key]
                    assert text == value if isinstance(value, str) else float(text) == value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"implementation": "sack"}, "implementation 'sack': use one of sack1, linux"),
        ({"aqm": "RED"}, "aqm 'RED': use one of droptail, red"),
        ({"fraction": 0}, "fraction 0: use a number above 0"),
        ({"fraction": 0.125}, "at most two decimals"),
        ({"repeat": 0}, "repeats count from 1"),
    ],
)
def test_a_bad_case_is_refused_before_it_is_simulated(changes, message, capsys, tmp_path):
    case = {**CASE, **changes}
    with pytest.raises(ValueError, match=re.escape(message)):
        hstcp_scenario.run_path(case, LINKS["1000mbps"])


# ---- derived settings ---------------------------------------------------------------------------


def test_buffers_and_windows_worked_by_hand():
    assert options_of()["queue_packets"] == 1250  # 0.1 x 12,500
    assert options_of(scenario="2500mbps", fraction=0.05)["queue_packets"] == 312  # 312.5, to even
    # 1.2 x (1 Gb/s x 124.5 ms / 8000 bit + 1250) = 1.2 x (15,562.5 + 1250)
    assert options_of()["window_packets"] == 20175


def test_rtts_are_those_of_the_paper():
    for name, lowest, highest, mean in (("1000mbps", 115.5, 124.5, 120), ("2500mbps", 38, 142, 90)):
        rtts_ms = LINKS[name]["rtts_ms"]
        assert (rtts_ms[0], rtts_ms[-1], len(rtts_ms)) == (lowest, highest, 10)
        assert sum(rtts_ms) / 10 == pytest.approx(mean)
        steps = [b - a for a, b in itertools.pairwise(rtts_ms)]
        assert steps == pytest.approx([(highest - lowest) / 9] * 9, abs=0.002)
    first, second = LINKS["two-flows"]["rtts_ms"]
    assert first == 2 * second


@given(st.integers(1, 2**31 - 1), st.integers(1, 20))
def test_starts_are_drawn_from_the_seed_alone_and_lie_in_the_spread(seed, flows):
    starts_s = stages.draw_starts_s(seed, flows, 10)
    assert starts_s == stages.draw_starts_s(seed, flows, 10)
    assert len(starts_s) == flows
    assert all(0 <= start_s <= 10 for start_s in starts_s)


def test_a_link_can_have_senders_of_its_own_rate():
    assert options_of()["access_mbps"] == 10000
    assert options_of(scenario="2500mbps-access1000")["access_mbps"] == 1000


def test_a_link_with_one_thing_changed_has_the_starts_of_the_run_it_is_set_against():
    plain, swapped = (LINKS[f"2500mbps-{name}"] for name in ("plain-slow-start", "other-starts"))
    case = {**CASE, "scenario": "2500mbps"}
    own = hstcp_scenario.run_path(case, LINKS["2500mbps"])
    assert hstcp_scenario.seed_path(case, LINKS["2500mbps"]) == own
    assert hstcp_scenario.seed_path(case, plain) == own
    assert hstcp_scenario.run_path(case, plain) == f"plain-slow-start/{own}"
    assert hstcp_scenario.seed_path(case, swapped) == own.replace("sack1/", "linux/")
    assert options_of(scenario="2500mbps-plain-slow-start")["max_ssthresh_packets"] == 0
    assert options_of(scenario="2500mbps-other-starts")["max_ssthresh_packets"] == 100
    record = hstcp_scenario.describe_run(case, plain, SETTINGS, options_of())
    assert record["run"]["changed"] == "slow-start"
    record = hstcp_scenario.describe_run(case, LINKS["2500mbps"], SETTINGS, options_of())
    assert "changed" not in record["run"]


# ---- what is written ----------------------------------------------------------------------------


def test_the_queue_summary_worked_by_hand():
    summary = hstcp_scenario.summarise_queue(QUEUE_LOG, 28, LINKS["1000mbps"], 1000)
    # (2,703,316 - 2,460,161) packets of 8000 bit in 2 s of 1 Gb/s
    assert summary == {"from_s": 28, "utilisation": 0.97262, "drop_share": 0.0, "drops": 0}


def test_the_queue_summary_refuses_a_run_that_is_too_short():
    with pytest.raises(ValueError, match="no two lines from 30 s on"):
        hstcp_scenario.summarise_queue(QUEUE_LOG, 30, LINKS["1000mbps"], 1000)


def test_the_record_names_buffer_starts_and_rtts():
    record = hstcp_scenario.describe_run(CASE, LINKS["1000mbps"], SETTINGS, options_of())
    assert json.loads(json.dumps(record)) == record
    assert record["run"]["buffer_bytes"] == 1_250_000
    assert record["run"]["buffer_fraction"] == "0.10"
    assert len(record["flows"]) == record["run"]["n_flows"] == 10
    assert record["flows"]["10"]["rtt_ms"] == 124.5
    starts = [flow["start_s"] for flow in record["flows"].values()]
    assert starts == [float(word) for word in options_of()["starts_s"].split()]
