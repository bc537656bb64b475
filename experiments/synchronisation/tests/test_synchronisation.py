"""The synchronisation experiment without the simulator: grid, seeds, backgrounds, counters."""

import pytest
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.described.patterns import path_pattern

from experiments.ns2 import stages
from experiments.synchronisation import run, scenario

CASE = {"variant": "sack", "aqm": "droptail", "load": "pareto-10sources", "repeat": 1}
# verbatim, Debian's ns-2 2.35
DROPS = """\
d 10.013456 1 2 tcp 1000 ------- 1 3.0 2.0 80123 401234
d 10.013502 1 2 pareto 1000 ------- 100 1.3 2.4 7 401240
d 10.013760 1 2 tcp 1000 ------- 1 3.0 2.0 80130 401251
d 10.02 1 2 tcp 1000 ------- 4 6.0 2.3 301 401299
"""
TRAILER = """\
# flow 4 payload_bytes 1 data_packets 1 retransmitted_packets 0 window_cuts 0 timeouts 0
# queue max_packets 2500 arrivals 100 drops 4 bins 10 bins_full 1
# background packets 71021 bytes 71021000 transfers 0 agents 0
# end
"""


@pytest.fixture(scope="module")
def grid():
    return run.read_config()


def options(grid, **changes):
    return scenario.simulator_options({**CASE, **changes}, grid, grid["settings"], 1)


def test_every_run_of_the_grid_has_its_own_path_and_seed_and_valid_options(grid):
    paths = [path for cases in run.list_stages(grid) for path in cases]
    assert len(paths) == len(set(paths))
    own = [path for path in paths if not path.startswith(scenario.LINUX)]
    assert len({scenario.draw_seed(path) for path in own}) == len(own)
    for cases in run.list_stages(grid):
        for case in cases.values():
            scenario.simulator_options(case, grid, grid["settings"], 1)


def test_the_grid_has_what_the_issue_asks_for(grid):
    paths = {path for cases in run.list_stages(grid) for path in cases}
    for row in range(1, 8):
        assert f"sack/droptail/ftp-{row}/r1" in paths
    for variant in ("sack", "highspeed", "scalable"):
        for aqm in scenario.AQMS:
            for rate in (25, 5000):
                for repeat in (1, 2, 3):
                    assert f"{variant}/{aqm}/exponential-{rate}kbps/r{repeat}" in paths


@pytest.mark.parametrize("cca", ["highspeed", "scalable"])
def test_linux_senders_are_simulated_as_the_same_case_of_ns2s_own(grid, cca):
    """Seed, starts and length are the same: what differs is the implementation's."""
    own = {**CASE, "variant": cca, "load": "exponential-5000kbps"}
    linux = {**own, "variant": f"linux-{cca}"}
    paths = [scenario.run_path(case, grid["backgrounds"]) for case in (own, linux)]
    seeds = [scenario.draw_seed(path) for path in paths]
    assert paths[0] != paths[1] and seeds[0] == seeds[1]
    settings = grid["settings"]
    options = [
        scenario.simulator_options(case, grid, settings, seed)
        for case, seed in zip((own, linux), seeds, strict=True)
    ]
    assert {key for key in options[0] if options[0][key] != options[1][key]} == {"variant"}
    record = scenario.describe_run(linux, grid, settings, options[1])
    assert record["run"]["implementation"] == "linux"
    assert record["flows"]["1"]["cca"] == cca


def test_each_ablation_has_three_runs_of_each_variant_and_queue(grid):
    paths = {path for cases in run.list_stages(grid) for path in cases}
    for cca in ("highspeed", "scalable"):
        for aqm in scenario.AQMS:
            for repeat in (1, 2, 3):
                assert f"{cca}/{aqm}/none/r{repeat}" in paths
                assert f"{cca}/{aqm}/exponential-5000kbps-nojitter/r{repeat}" in paths
                assert f"linux-{cca}/{aqm}/exponential-5000kbps/r{repeat}" in paths


def test_run_path(grid):
    assert scenario.run_path(CASE, grid["backgrounds"]) == "sack/droptail/pareto-10sources/r1"
    for key in ("variant", "aqm", "load"):
        with pytest.raises(ValueError, match=f"{key} 'x'"):
            scenario.run_path({**CASE, key: "x"}, grid["backgrounds"])


def test_paths_say_what_the_records_say(grid):
    files = read_dataset(run.ROOT / "data/raw/ns2-synchronisation").files
    patterns = [path_pattern(entry.path) for entry in files]
    for cases in run.list_stages(grid):
        for path, case in cases.items():
            options = scenario.simulator_options(case, grid, grid["settings"], 1)
            record = scenario.describe_run(case, grid, grid["settings"], options)
            said = {**record["run"], "cca": record["flows"]["1"]["cca"]}
            for log in ("goodput.log.gz", "drops.tr.gz", "bins.log.gz", "run.json"):
                match = next(m for p in patterns if (m := p.fullmatch(f"{path}/{log}")))
                assert all(str(said[key]) == text for key, text in match.groupdict().items())


def test_seed_and_starts_stay_what_they_were_in_the_committed_runs(grid):
    seed = scenario.draw_seed("sack/droptail/pareto-10sources/r1")
    assert seed == 629078304
    starts_s = stages.draw_starts_s(seed, 4, grid["settings"]["start_spread_s"])
    assert starts_s == [1.785714, 0.748107, 1.995041, 0.040625]


@pytest.mark.parametrize(
    ("load", "sources", "source_bps"),
    [
        ("pareto-10sources", 10, 10e6),  # on for half of the time: 10 x 10 / 2 = 50 Mb/s
        ("pareto-1000sources", 1000, 100e3),
        ("exponential-5000kbps", 40, 5e6),  # 40 x 5 / 2 = 100 Mb/s
        ("exponential-25kbps", 8000, 25e3),
    ],
)
def test_on_off_sources_carry_their_aggregate(grid, load, sources, source_bps):
    found = options(grid, load=load)
    assert (found["sources"], found["source_bps"]) == (sources, source_bps)


def test_a_background_that_contradicts_itself_is_named():
    with pytest.raises(ValueError, match="either sources or source_kbps"):
        scenario.on_off_sources({"aggregate_mbps": 50, "sources": 10, "source_kbps": 25})
    with pytest.raises(ValueError, match="choose a whole number"):
        scenario.on_off_sources({"aggregate_mbps": 50, "source_kbps": 30})
    with pytest.raises(ValueError, match="interval_s, transfer_packets"):
        scenario.background_options({"background": "ftp", "interval_s": 1}, {})
    with pytest.raises(ValueError, match="'udp'"):
        scenario.background_options({"background": "udp"}, {})


@pytest.mark.parametrize("row", [1, 2, 3, 5, 6, 7])
def test_the_rows_of_table_1_carry_50_mbps(grid, row):
    background = grid["backgrounds"][f"ftp-{row}"]
    rate_bps = background["transfer_packets"] * 8000 / background["interval_s"]
    assert rate_bps == pytest.approx(50e6, rel=0.01)


def test_duration_is_of_queue_and_variant_unless_the_background_has_one(grid):
    assert options(grid)["duration_s"] == 2000
    assert options(grid, aqm="red")["duration_s"] == 1000
    assert options(grid, variant="scalable")["duration_s"] == 400
    assert options(grid, load="http-1")["duration_s"] == 300
    assert options(grid, load="http-1")["bins_until_s"] == 300


def test_senders_wait_up_to_a_packet_time_except_where_the_background_says_otherwise(grid):
    packet_time_s = 1000 * 8 / 500e6
    assert options(grid)["send_jitter_s"] == pytest.approx(packet_time_s)
    assert options(grid, load="pareto-10sources-nojitter")["send_jitter_s"] == 0


def test_drops_are_summed_by_flow_and_background():
    found = scenario.summarise_drops(DROPS, 10)
    assert found == {"from_s": 10, "flows": {"1": 2, "4": 1}, "background": 1}
    assert scenario.summarise_drops("", 10)["background"] == 0


def test_counters_of_the_background():
    assert run.read_background(TRAILER)["bytes"] == 71021000
    with pytest.raises(ValueError, match="no counters of the background"):
        run.read_background("# end\n")


def test_stages_keep_their_order(grid):
    assert next(iter(run.list_stages(grid)[0])) == "sack/droptail/pareto-10sources/r1"
