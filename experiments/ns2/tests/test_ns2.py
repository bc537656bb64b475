"""experiments/ns2 without the simulator: scenarios, seeds, messages of ns-2, files."""

import functools
import gzip
import json
import stat

import pytest
import yaml

from experiments.filing import gz
from experiments.high_speed import run as high_speed_run
from experiments.hstcp_buffers import run as hstcp_run
from experiments.ns2 import one_run, output, run, scenario
from experiments.synchronisation import run as synchronisation_run

# what Debian's ns-2 2.35 printed, verbatim
BOTH_KNOWN = "cmd select_ca reno\ncmd select_ca bic\n0x562f0e5879d0 resizing timestamp table\n"
BIC_MISSPELT = """\
cmd select_ca reno
cmd select_ca Bic
Error: do not find Bic as a congestion control algorithm
List of cc (total 15) : reno naive_reno highspeed bic htcp scalable cubic westwood vegas hybla \
illinois yeah veno compound lp
"""
TRAILER = """\
300 2 12471624 861 0.107
# flow 1 payload_bytes 787428192 data_packets 544152 retransmitted_packets 337 window_cuts 81 \
timeouts 0 tick_s 0.001
# flow 2 payload_bytes 2673703040 data_packets 1848320 retransmitted_packets 1376 window_cuts 79 \
timeouts 0 tick_s 0.001
# queue max_packets 167 drops 1713
# end
"""
TRAILER_MISSPELT = TRAILER.replace(
    "timeouts 0 tick_s 0.001\n# queue", "timeouts 0 tick_s 0.01\n# queue"
)

WORDS = ["--role", "comparison", "--rtt-ms", "100", "--buffer-pct", "20"]
CASE = {"role": "comparison", "cca1": "newreno", "cca2": "bic", "rtt_ms": 100, "buffer_pct": 20}


@pytest.fixture(scope="module")
def config():
    return run.read_config()


@pytest.fixture
def options(config):
    return scenario.simulator_options(CASE, config["settings"], 249256564)


# ---- scenarios ----------------------------------------------------------------------------------


def test_the_grid_of_the_papers_is_3200_runs_with_a_seed_each(config):
    paths = [
        scenario.run_path(case, repeat)
        for repeat in range(1, config["repeats"] + 1)
        for case in scenario.list_scenarios(config)
    ]
    assert len(paths) == (4 + 4) * 16 * 5 * 5 == len(set(paths))
    seeds = {scenario.draw_seed(path) for path in paths}
    assert len(seeds) == len(paths)
    assert all(0 < seed < 2**31 for seed in seeds)


def test_settings_of_the_configuration_are_those_of_the_code(config):
    assert set(config["settings"]) == set(scenario.SETTING_KEYS)


def test_run_path():
    assert scenario.run_path(CASE, 1) == "comparison/newreno-bic/rtt100_opb20/r1"
    assert scenario.run_path({**CASE, "rtt_ms": 12.5}, 2).endswith("rtt12.5_opb20/r2")


@pytest.mark.parametrize(
    ("key", "value"),
    [("role", "test"), ("cca1", "new-reno"), ("cca2", "../bic"), ("rtt_ms", 0), ("buffer_pct", -1)],
)
def test_run_path_names_the_value_that_it_cannot_hold(key, value):
    with pytest.raises(ValueError, match=key):
        scenario.run_path({**CASE, key: value}, 1)


def test_calibration_and_comparison_of_newreno_have_different_seeds():
    pair = {"cca1": "newreno", "cca2": "newreno", "rtt_ms": 100, "buffer_pct": 20}
    seeds = {
        scenario.draw_seed(scenario.run_path({**pair, "role": role}, 1)) for role in scenario.ROLES
    }
    assert len(seeds) == 2


def test_seed_and_start_of_flow_2_stay_what_they_were_in_the_committed_runs(config):
    seed = scenario.draw_seed("comparison/newreno-bic/rtt100_opb20/r1")
    assert seed == 249256564
    assert scenario.draw_start_s(seed, config["settings"]) == 60.283716


def test_start_of_flow_2_is_spread_over_its_interval(config):
    starts = [scenario.draw_start_s(seed, config["settings"]) for seed in range(1, 1001)]
    assert 60 <= min(starts) < 60.01
    assert 60.99 < max(starts) < 61
    assert abs(sum(starts) / len(starts) - 60.5) < 0.03  # 3 standard errors


@pytest.mark.parametrize(
    ("rtt_ms", "buffer_pct", "packets"),
    [(100, 20, 167), (25, 20, 42), (400, 100, 3333), (0.1, 20, 1)],  # 166.67, 41.67, 3333.3, 0.17
)
def test_queue_packets(config, rtt_ms, buffer_pct, packets):
    case = {**CASE, "rtt_ms": rtt_ms, "buffer_pct": buffer_pct}
    assert scenario.queue_packets(case, config["settings"]) == packets


def test_window_is_a_multiple_of_what_the_path_holds(config):
    assert scenario.window_packets(CASE, config["settings"]) == 1201  # 1.2 x (833.33 + 167)
    settings = {**config["settings"], "window_factor": 1}
    assert scenario.window_packets({**CASE, "buffer_pct": 0.01}, settings) == 835  # 833.33 + 1


@pytest.mark.parametrize(("limit", "packets"), [(0, 1201), (20, 20), (2172, 1201)])
def test_window_is_never_above_its_limit(config, limit, packets):
    settings = {**config["settings"], "window_limit_packets": limit}
    assert scenario.window_packets(CASE, settings) == packets


def test_newreno_is_called_reno_in_ns2_and_an_unknown_name_is_passed_on(config):
    options = scenario.simulator_options({**CASE, "cca2": "Bic"}, config["settings"], 1)
    assert (options["select_ca1"], options["select_ca2"]) == ("reno", "Bic")


# ---- what ns-2 says -----------------------------------------------------------------------------


def test_scan_finds_no_fallback_where_both_names_are_known():
    assert output.scan_algorithms(BOTH_KNOWN) == (["reno", "bic"], [], [])


def test_scan_finds_the_silent_fallback_and_the_known_names():
    asked, unknown, known = output.scan_algorithms(BIC_MISSPELT)
    assert asked == ["reno", "Bic"]
    assert unknown == ["Bic"]
    assert "bic" in known
    assert "compound" in known
    assert len(known) == 15


def test_trailer():
    trailer = output.read_trailer(TRAILER)
    assert trailer["queue"] == {"max_packets": 167, "drops": 1713}
    assert trailer["flows"]["2"]["payload_bytes"] == 2673703040
    assert trailer["flows"]["1"]["tick_s"] == 0.001


def test_a_log_that_was_cut_short_has_no_trailer():
    for cut in range(TRAILER.index("# flow 1"), TRAILER.index("# end") + 4, 40):
        with pytest.raises(ValueError, match="did not reach its end"):
            output.read_trailer(TRAILER[: TRAILER.rindex("\n", 0, cut) + 1])


def test_check_accepts_a_run_of_the_algorithms_that_were_asked_for(options):
    fallback, _ = output.check_algorithms(options, BOTH_KNOWN, output.read_trailer(TRAILER))
    assert fallback == {}


def test_check_names_the_flow_that_fell_back(options):
    trailer = output.read_trailer(TRAILER_MISSPELT)
    fallback, known = output.check_algorithms(
        {**options, "select_ca2": "Bic"}, BIC_MISSPELT, trailer
    )
    assert fallback == {"2": "Bic"}
    with pytest.raises(one_run.RunError) as error:
        one_run.check_fallback(fallback, known, allow_fallback=False)
    for part in ("flow 2", "'Bic'", "reno, naive_reno", "--allow-fallback"):
        assert part in str(error.value)
    one_run.check_fallback(fallback, known, allow_fallback=True)


def test_check_does_not_believe_messages_that_the_tick_contradicts(options):
    with pytest.raises(ValueError, match=r"flow 2.*accepted 'bic'.*0\.01 s"):
        output.check_algorithms(options, BOTH_KNOWN, output.read_trailer(TRAILER_MISSPELT))
    with pytest.raises(ValueError, match=r"flow 2.*rejected 'Bic'"):
        output.check_algorithms(
            {**options, "select_ca2": "Bic"}, BIC_MISSPELT, output.read_trailer(TRAILER)
        )


def test_check_does_not_believe_a_simulator_that_says_nothing(options):
    with pytest.raises(ValueError, match=r"select_ca for \[\]"):
        output.check_algorithms(options, "", output.read_trailer(TRAILER))


def test_every_flow_must_have_run_the_variant_of_linux():
    said = "cmd select_ca highspeed\n"
    one_run.check_variant(2 * said, "highspeed", 2)
    one_run.check_variant("", None, 2)
    with pytest.raises(ValueError, match="wanted"):
        one_run.check_variant(said, "highspeed", 2)
    with pytest.raises(ValueError, match="wanted"):
        one_run.check_variant("", "scalable", 4)
    with pytest.raises(ValueError, match="wanted"):
        one_run.check_variant(said, None, 1)
    unknown = "Error: do not find highspeed as a congestion control algorithm\n"
    with pytest.raises(ValueError, match="unknown"):
        one_run.check_variant(said + unknown, "highspeed", 1)


# ---- a run and its folder -----------------------------------------------------------------------


def fake_simulator(folder, script):
    """A program named ns in `folder` that runs a shell script."""
    folder.mkdir(exist_ok=True)
    program = folder / "ns"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_without_ns2_the_error_names_the_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(one_run.RunError, match="apt-get install ns2"):
        one_run.find_simulator()


def test_a_run_stops_at_the_wall_clock_limit(tmp_path, options):
    simulator = fake_simulator(tmp_path, "exec sleep 60")
    with pytest.raises(one_run.RunError, match=r"limit of 0\.2 s"):
        one_run.simulate(str(simulator), run.SCRIPT, options, tmp_path, wall_limit_s=0.2)


def test_a_failing_simulator_is_quoted(tmp_path, options):
    simulator = fake_simulator(tmp_path, "echo 'num_ 3'; echo 'syntax error' >&2; exit 3")
    with pytest.raises(one_run.RunError, match=r"(?s)status 3.*num_ 3.*syntax error"):
        one_run.simulate(str(simulator), run.SCRIPT, options, tmp_path, wall_limit_s=10)


def write_logs(trailer):
    """A shell script that writes the three logs into the last argument, as dumbbell.tcl does."""
    log = "# evenflow-ns2-goodput/1\n# simulator ns-2.35\n" + trailer
    return (
        'for out in "$@"; do :; done\n'
        f"cat > $out/goodput.log <<'END'\n{log}END\n"
        "echo '1 2 3 0 0 0 0 0 0 0 0' > $out/queue.log\n: > $out/drops.tr\n"
    )


def file_run(tmp_path, monkeypatch, config, options, script, **changes):
    fake_simulator(tmp_path / "bin", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return run.file_run(
        folder=tmp_path / "data" / "r1",
        case=CASE,
        repeat=1,
        settings=config["settings"],
        options=options,
        **{"allow_fallback": False, "wall_limit_s": 10, **changes},
    )


def test_a_run_is_filed_whole(tmp_path, monkeypatch, config, options):
    script = write_logs(TRAILER) + f"cat <<'END'\n{BOTH_KNOWN}END"
    file_run(tmp_path, monkeypatch, config, options, script)
    folder = tmp_path / "data" / "r1"
    files = {"goodput.log.gz", "queue.log.gz", "drops.tr.gz", "run.json"}
    assert {path.name for path in folder.iterdir()} == files
    assert [path.name for path in folder.parent.iterdir()] == ["r1"]
    assert gzip.decompress((folder / "queue.log.gz").read_bytes()).startswith(b"1 2 3 ")
    record = json.loads((folder / "run.json").read_text())
    assert record["run"]["buffer_bytes"] == 167 * 1500
    assert record["run"]["tool_version"] == "2.35"
    assert record["flows"]["2"] == {"cca": "bic", "start_s": 60.283716}
    assert record["observed"]["flows"]["1"]["congestion_control"] == "reno"
    assert str(tmp_path) not in json.dumps(record)


def test_a_run_that_fell_back_leaves_nothing_behind(tmp_path, monkeypatch, config, options):
    script = write_logs(TRAILER_MISSPELT) + f"cat <<'END'\n{BIC_MISSPELT}END"
    options = {**options, "select_ca2": "Bic"}
    with pytest.raises(one_run.RunError, match="Bic"):
        file_run(tmp_path, monkeypatch, config, options, script)
    assert list((tmp_path / "data").iterdir()) == []
    record = file_run(tmp_path, monkeypatch, config, options, script, allow_fallback=True)
    assert "fallback from 'Bic'" in record["observed"]["flows"]["2"]["congestion_control"]
    # what is analysed is what ran, not what was asked for
    assert [record["flows"][flow]["cca"] for flow in "12"] == ["newreno", "ns2reno"]
    folder, case = tmp_path / "data" / "r1", {**CASE, "cca2": "Bic"}
    assert one_run.check_existing(folder, run.describe_run(case, 1, config["settings"], options))
    other = run.describe_run({**CASE, "cca2": "Cubic"}, 1, config["settings"], options)
    with pytest.raises(one_run.RunError, match="flows"):
        one_run.check_existing(folder, other)


def test_a_run_that_stopped_early_leaves_nothing_behind(tmp_path, monkeypatch, config, options):
    script = write_logs("1 1 1222112 761 0.13\n") + f"cat <<'END'\n{BOTH_KNOWN}END"
    with pytest.raises(ValueError, match="did not reach its end"):
        file_run(tmp_path, monkeypatch, config, options, script)
    assert list((tmp_path / "data").iterdir()) == []


def test_a_run_is_not_made_twice_nor_over_another(tmp_path, monkeypatch, config, options):
    def there(options, repeat=1):
        want = run.describe_run(CASE, repeat, config["settings"], options)
        return one_run.check_existing(folder, want)

    folder = tmp_path / "data" / "r1"
    assert not there(options)
    script = write_logs(TRAILER) + f"cat <<'END'\n{BOTH_KNOWN}END"
    file_run(tmp_path, monkeypatch, config, options, script)
    assert there(options)
    with pytest.raises(one_run.RunError, match=r"seed = 249256564, not 5; remove the folder"):
        there({**options, "seed": 5})
    with pytest.raises(one_run.RunError, match="flows"):
        there({**options, "start2_s": 60.5})
    (folder / "run.json").write_text("{")
    with pytest.raises(one_run.RunError, match="no complete run"):
        there(options)


def test_every_script_makes_a_run_once_and_names_the_setting_of_another_run(
    tmp_path, monkeypatch, capsys
):
    """A folder with the run's name but other settings is an error, not the run asked for."""
    scripts = {
        high_speed_run: "--view intra --cca1 bic --cca2 bic --rtt-ms 82 --queue bdp20",
        hstcp_run: "--scenario 1000mbps --implementation sack1 --aqm droptail --fraction 0.1",
        synchronisation_run: "--variant sack --aqm droptail --load pareto-5000kbps",
    }
    for script, words in scripts.items():
        made = []

        def file_run(folder, *settings, made=made):
            made.append(folder)
            return {"made_by": {"wall_s": 1.5}}

        monkeypatch.setattr(script, "file_run", file_run)
        main = functools.partial(script.main, [*words.split(), "--dataset-dir", str(tmp_path)])
        assert main() == 0
        (folder,) = made
        assert f"{folder.relative_to(tmp_path)}: done in 1.5 s" in capsys.readouterr().out
        folder.mkdir(parents=True)
        (folder / "run.json").write_text('{"run": {}, "flows": {}}')
        assert main() == 1
        assert f"{folder}/run.json: there is a run with" in capsys.readouterr().err
        assert made == [folder]


def test_equal_content_gives_equal_gz_files():
    first = gz(b"1 2 3\n")
    assert first == gz(b"1 2 3\n")
    assert first[3] == 0  # flags: no file name
    assert first[4:8] == bytes(4)  # no time
    assert gzip.decompress(first) == b"1 2 3\n"


def test_main_reports_a_bad_value_in_one_line(capsys, tmp_path):
    words = [*WORDS, "--cca", "newreno", "new-reno", "--dataset-dir", str(tmp_path)]
    assert run.main(words) == 1
    assert capsys.readouterr().err.startswith("error: cca2 'new-reno'")


def test_the_configuration_file_is_read_where_no_value_is_given(config):
    arguments = run.parse_arguments([*WORDS, "--cca", "newreno", "bic", "--duration-s", "20"])
    assert arguments.duration_s == 20
    assert arguments.window_factor == config["settings"]["window_factor"]
    assert yaml.safe_load(run.CONFIG.read_text())["experiments"][scenario.DATASET] == config
