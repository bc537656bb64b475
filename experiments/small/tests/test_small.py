"""The small campaigns: which runs they ask for, and how those differ from the grids' runs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from experiments.ns2 import run as ns2_run
from experiments.small import runs as small
from experiments.testbed import run as testbed_run
from experiments.testbed.scenario import AQMS, HOST_PROFILES, cubic_changes

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def config():
    text = (ROOT / "experiments/small/grid.yaml").read_text()
    return yaml.safe_load(text)["experiments"]["small"]


@pytest.fixture(scope="module")
def runs(config):
    return small.list_runs(config)


def options_of(words):
    """The words of a command as its program reads them."""
    if words[0] == "experiments.ns2.run":
        return ns2_run.parse_arguments(words[1:])
    return testbed_run.scenario_of(testbed_run.parse_arguments(words[1:]))


@pytest.mark.thorough
def test_every_command_is_understood_by_its_program(runs):
    assert len(runs) > 200
    for run, words in runs.items():
        asked = options_of(words)  # raises where an option is unknown or the scenario bad
        cell = f"rtt{asked.rtt_ms}_opb{asked.buffer_pct}/r{asked.repeat}"
        assert run.endswith(cell)
        if words[0] == "experiments.testbed.run":
            assert words[1] == f"data/raw/{run}"


def test_a_run_with_one_thing_changed_has_the_seed_of_the_run_it_is_compared_with(runs):
    run = "large-buffers/comparison/newreno-bic/rtt400_opb20/r1"
    asked = options_of(runs[f"testbed-profiles/{run}"])
    base = json.loads(
        (ROOT / "data/raw/testbed-router/comparison/newreno-bic/rtt400_opb20/r1/run.json")
        .read_text()
    )  # fmt: skip
    assert asked.seed == base["run"]["seed"]
    assert asked.start2_s == base["flows"]["2"]["start_s"]
    assert asked.router_model == base["run"]["router_model"]
    assert asked.jitter
    assert not options_of(
        runs["testbed-profiles/no-jitter/comparison/newreno-bic/rtt25_opb20/r1"]
    ).jitter


def test_a_misspelt_run_starts_flow_2_with_the_run_of_the_right_names(runs):
    base = json.loads(
        (ROOT / "data/raw/ns2-dumbbell/comparison/newreno-bic/rtt100_opb20/r1/run.json").read_text()
    )
    for pair in ("newreno-Bic", "Reno-Bic"):
        asked = options_of(runs[f"ns2-fallback/comparison/{pair}/rtt100_opb20/r1"])
        assert asked.seed == base["run"]["seed"]
        assert asked.allow_fallback
        assert "-".join(asked.cca) == pair


@pytest.mark.parametrize(
    ("run", "base"),
    [
        ("testbed-long/comparison/newreno-bic/rtt200_opb20/r1", "testbed-open"),
        ("testbed-cubic/beta819/comparison/newreno-cubic/rtt100_opb20/r1", "testbed-open"),
        ("testbed-2622/comparison/newreno-cubic2622/rtt100_opb20/r1", "testbed-open"),
        ("ns2-long/comparison/newreno-bic/rtt200_opb20/r1", "ns2-dumbbell"),
    ],
)
def test_a_run_differs_in_one_thing_from_that_of_the_same_seed(runs, run, base):
    """The settings of the run that is there, as its record has them, but for the one thing."""
    same = run.removeprefix(f"{run.split('/')[0]}/").removeprefix("beta819/").replace("2622", "")
    folder = ROOT / "data/raw" / base / same
    record = json.loads((folder / "run.json").read_text())["run"]
    asked = options_of(runs[run])
    assert asked.seed == record["seed"]
    long = "-long" in run
    assert (asked.duration_s, record["duration_s"]) == (1800 if long else 300, 300)
    if base == "testbed-open":
        assert asked.host_profile == record["host_profile"]
        assert cubic_changes(asked) == ({"cubic_beta": 819} if "beta819" in run else {})


def test_four_queue_disciplines_have_the_same_seeds_flows_and_buffers(runs):
    cell = "comparison/cubic-bbr/rtt25_opb60/r2"
    asked = [options_of(runs[f"testbed-aqm/{name}/{cell}"]) for name in AQMS]
    assert [one.aqm for one in asked] == list(AQMS)
    assert len({replace(one, aqm="droptail") for one in asked}) == 1


def test_no_path_differs_from_another_in_capitals_only(runs):
    """Such a repository could not be checked out where names know no capitals."""
    assert len({run.lower() for run in runs}) == len(runs)


def test_variants_of_the_hosts_change_one_thing_each():
    def changed(name):
        profile, period = HOST_PROFILES[name], HOST_PROFILES["period"]
        return {key for key in period if profile[key] != period[key]}

    assert changed("period-fast-access") == {"access_mbps"}
    assert changed("period-large-buffers") == {"tcp_rmem", "tcp_wmem"}


def test_runs_are_listed_in_the_order_of_the_blocks_each_once():
    block = {"dataset": "d", "rtt_ms": [100], "buffer_pct": [20, 60]}
    pair = {"comparison": [["newreno", "bbr"]]}
    asked = {
        "datasets": {"d": {"platform": "testbed"}},
        "blocks": [
            block | {"pairs": pair, "buffer_pct": [60]},
            block | {"pairs": pair, "repeats": 2},
        ],
    }
    cell = "d/comparison/newreno-bbr/rtt100_opb"
    listed = [f"{cell}60/r1", f"{cell}20/r1", f"{cell}20/r2", f"{cell}60/r2"]
    assert list(small.list_runs(asked)) == listed
