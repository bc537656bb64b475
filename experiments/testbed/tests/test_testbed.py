"""experiments/testbed without the kernel: numbers, commands, what the guest says, files."""

import gzip
import json
import lzma
import stat
from pathlib import Path

import pytest

from experiments.testbed import hoststate, run, selfcheck, topology
from experiments.testbed.scenario import (
    Scenario,
    bdp_bytes,
    buffer_bytes,
    buffer_packets,
    drawn_start_s,
    jitter_ns,
    netem_seed,
    problems,
    run_path,
    seed_of,
)

# router.log of data/raw/testbed-router/calibration/bic-bic/rtt50_opb20/r1, as it came
ROUTER_LOG = gzip.decompress(
    (Path(__file__).parent / "fixtures/router.log.gz").read_bytes()
).decode()

# the end of that run's flow2.server.log, and iperf 2.1.8's header, as they came
SERVER_LOG = """\
------------------------------------------------------------
Server listening on TCP port 5001 with pid 65
------------------------------------------------------------
[  1] local 10.0.3.1%e0 port 5001 connected with 10.0.1.1 port 40001 (sock=4) (peer 2.1.8)
[ ID] Interval            Transfer    Bandwidth       Reads=Dist
[  1] 0.0000-1.0000 sec  10848476 Bytes  86787808 bits/sec  328=2:2:324:0:0:0:0:0
[  1] 1.0000-2.0000 sec  11956136 Bytes  95649088 bits/sec  359=0:0:359:0:0:0:0:0
[  1] 2.0000-3.0000 sec  11956136 Bytes  95649088 bits/sec  359=0:0:359:0:0:0:0:0
[  1] 3.0000-3.2673 sec  1728416 Bytes  51715000 bits/sec  59=2:28:28:1:0:0:0:0
[  1] 0.0000-3.2673 sec  36489164 Bytes  89344000 bits/sec  1105=4:30:1070:1:0:0:0:0
"""


def scenario(**changes):
    asked = {"cca1": "newreno", "cca2": "bic", "rtt_ms": 100, "buffer_pct": 20, "seed": 7}
    return Scenario(**(asked | changes))


@pytest.mark.parametrize(
    ("rtt_ms", "buffer_pct", "in_bytes", "in_packets"),
    [(25, 20, 62_500, 41), (100, 20, 250_000, 165), (100, 60, 750_000, 495),
     (400, 100, 5_000_000, 3303)],
)  # fmt: skip
def test_buffer_is_its_share_of_the_bdp(rtt_ms, buffer_pct, in_bytes, in_packets):
    asked = scenario(rtt_ms=rtt_ms, buffer_pct=buffer_pct)
    assert bdp_bytes(asked) == rtt_ms * 12_500
    assert buffer_bytes(asked) == in_bytes
    assert buffer_packets(asked) == in_packets


def test_jitter_stays_below_half_a_frame_time_at_any_rate():
    for rate in (10, 100, 622, 900):
        frame_ns = 1514 * 8 * 1000 / rate
        assert 0.4 * frame_ns < jitter_ns(scenario(rate_mbps=rate)) < 0.5 * frame_ns
    assert jitter_ns(scenario(jitter=False)) == 0


def test_every_run_of_the_grid_has_its_own_seed():
    paths = {
        f"{dataset}/{role}/newreno-newreno/rtt{rtt}_opb{opb}/r{repeat}"
        for dataset in ("testbed-router", "testbed-netem-limit")
        for role in ("calibration", "comparison")
        for rtt in (25, 50, 100, 200, 400)
        for opb in (20, 60, 100)
        for repeat in (1, 2, 3)
    }
    seeds = {seed_of(path) for path in paths}
    assert len(seeds) == len(paths) == 180
    assert all(0 <= seed < 2**31 for seed in seeds)
    # as recorded in the published run
    assert seed_of("testbed-router/calibration/bic-bic/rtt50_opb20/r1") == 1333066818
    assert drawn_start_s(1333066818) == 60.86


def test_flow_2_starts_within_the_second_after_60_s():
    starts = [drawn_start_s(seed) for seed in range(500)]
    assert 60 <= min(starts) < 60.05
    assert 60.95 < max(starts) <= 61
    assert len(set(starts)) > 90


def test_run_path_is_the_data_sets_layout():
    assert run_path(scenario(role="comparison", repeat=2)) == (
        "comparison/newreno-bic/rtt100_opb20/r2"
    )


def test_netems_of_a_run_draw_from_different_generators():
    places = ["x1:o0", "x2:o0", "db:f1", "db:f2"]
    assert len({netem_seed(7, place) for place in places}) == 4
    assert netem_seed(7, "x1:o0") != netem_seed(8, "x1:o0")
    assert 0 <= netem_seed(7, "x1:o0") < 2**64


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"router_model": "netem"}, "router model"),
        ({"cca2": "compund"}, "cca2"),
        ({"rtt_ms": 0}, "rtt_ms"),
        ({"buffer_pct": 0}, "buffer_pct"),
        ({"rate_mbps": 900, "host_profile": "period"}, "slower than the bottleneck"),
        ({"start2_s": 300.0}, "start2_s"),
        ({"aqm": "red"}, "aqm"),
        ({"aqm": "cake", "router_model": "netem-limit"}, "which nothing manages"),
        ({"cubic_hystart": False}, "parameters of cubic change nothing"),
        ({"cca2": "cubic", "cubic_beta": 1024}, "cubic_beta"),
    ],
)
def test_bad_scenarios_are_named(changes, named):
    found = problems(scenario(**changes))
    assert len(found) == 1
    assert named in found[0]
    assert problems(scenario()) == []


def test_router_model_has_one_finite_buffer_behind_the_rate_limit():
    commands = topology.tc_commands(scenario(host_profile="period"))
    assert commands["rt"] == [
        "qdisc add dev bott root handle 1: tbf rate 100mbit burst 1540 limit 251540",
        "qdisc add dev bott parent 1:1 handle 10: bfifo limit 250000",
    ]
    assert "pfifo limit 1000" in commands["s1"][1]
    lines = topology.netem_lines(scenario())
    assert lines["db"][0].split()[:4] == ["f1", "50000000", "50000", "1000000"]
    assert lines["d1"][0].split()[:4] == ["e0", "49940000", "0", "1000000"]


@pytest.mark.parametrize(
    ("aqm", "queue"),
    [
        ("fq_codel", "fq_codel limit 165"),
        ("pie", "pie limit 165"),
        ("cake", "cake unlimited memlimit 380160"),
    ],
)
def test_managed_queue_is_below_the_same_rate_limit_and_holds_the_same_packets(aqm, queue):
    plain = topology.tc_commands(scenario())["rt"]
    managed = topology.tc_commands(scenario(aqm=aqm))["rt"]
    assert managed == [plain[0], f"qdisc add dev bott parent 1:1 handle 10: {queue}"]
    assert run.run_record(scenario(aqm=aqm), {}, {})["run"]["aqm"] == aqm


def test_parameters_of_cubic_are_the_kernels_command_line_and_recorded():
    asked = scenario(cca2="cubic", cubic_hystart=False, cubic_beta=819)
    words = topology.kernel_parameters(asked)
    assert words == ["tcp_cubic.hystart=0", "tcp_cubic.beta=819"]
    assert topology.kernel_parameters(scenario(cca2="cubic")) == []
    booted = run.boot_command(Path("/stage"), True, words)
    assert booted[-2:] == words and run.boot_command(Path("/stage"), True) == booted[:-2]
    assert "CUBIC=Y" in topology.guest_files(asked)["settings.sh"].splitlines()
    assert "CUBIC=N" in topology.guest_files(scenario())["settings.sh"].splitlines()
    recorded = run.run_record(asked, {}, {})["run"]
    assert (recorded["cubic_hystart"], recorded["cubic_beta"]) == (False, 819)
    assert "cubic_friendliness" not in recorded
    command = run.command_of(asked, Path("data/raw/x"))
    assert command.endswith(" --no-cubic-hystart --cubic-beta 819")
    run.check_cubic({"hystart": 0, "beta": 819}, words)
    with pytest.raises(run.RunError, match="cubic ran with beta 717, asked for 819"):
        run.check_cubic({"hystart": 0, "beta": 717}, words)


def test_netem_limit_shares_one_limit_between_delay_and_queue():
    asked = scenario(router_model="netem-limit")
    assert "rt" not in topology.tc_commands(asked)
    lines = topology.netem_lines(asked)
    assert lines["rt"][0].split()[:5] == ["bott", "50000000", "0", "165", "12500000"]
    assert lines["db"][0].split()[:4] == ["back", "49940000", "50000", "165"]
    assert "d1" not in lines


@pytest.mark.parametrize("router_model", ["router", "netem-limit"])
@pytest.mark.parametrize("rtt_ms", [25, 400])
def test_delays_of_the_path_add_up_to_the_rtt(router_model, rtt_ms):
    asked = scenario(router_model=router_model, rtt_ms=rtt_ms)
    lines = [line.split() for group in topology.netem_lines(asked).values() for line in group]
    of_path_1 = [int(line[1]) for line in lines if line[0] not in ("f2",)]
    hops = of_path_1 if router_model == "netem-limit" else of_path_1[:-1]  # not d2's
    assert sum(hops) - 60_000 == rtt_ms * 1_000_000  # x1 and x2 are both listed


def test_whatever_jitters_has_a_rate_so_that_nothing_is_overtaken():
    for profile in ("period", "today"):
        for model in ("router", "netem-limit"):
            asked = scenario(router_model=model, host_profile=profile)
            for lines in topology.netem_lines(asked).values():
                for _, _, jitter, _, rate, _ in map(str.split, lines):
                    assert int(jitter) == 0 or int(rate) >= 125_000_000


def test_host_profiles_set_the_socket_buffers():
    period = dict(topology.sysctl_settings(scenario(host_profile="period"), "s1"))
    assert period["ipv4/tcp_rmem"] == "4096 87380 4194304"
    assert period["ipv4/tcp_wmem"] == "4096 16384 4194304"
    assert period["ipv4/tcp_adv_win_scale"] == "2"
    today = dict(topology.sysctl_settings(scenario(host_profile="today"), "d1"))
    assert today["ipv4/tcp_adv_win_scale"] == "1"
    assert topology.sysctl_settings(scenario(), "rt") == [("ipv4/ip_forward", "1")]


def test_guest_is_told_the_kernels_name_of_a_variant():
    settings = topology.guest_files(scenario(start2_s=60.86))["settings.sh"]
    assert "CCA1=reno\n" in settings
    assert "START2_S=60.86\nDURATION2_S=239.14\n" in settings
    assert "CCA2=\n" in topology.guest_files(scenario(cca2=None))["settings.sh"]


def test_guest_boots_as_nobody_only_when_started_by_root():
    as_user = run.boot_command(Path("/s"), unprivileged=True)
    as_root = run.boot_command(Path("/s"), unprivileged=False)
    assert as_user[0] == "env"
    assert as_root[:3] == ["setpriv", "--reuid=65534", "--regid=65534"]
    assert "time-travel=inf-cpu" in as_user


def test_router_log_is_read():
    seen = hoststate.observe(ROUTER_LOG, (1, 2))
    assert seen["cca"] == {"1": "bic", "2": "bic"}
    assert seen["rtt_ms"] == {"1": 49.9657, "2": 49.9901}
    assert seen["start_s"] == {"1": 0.0, "2": 60.86}
    assert seen["queue_max_bytes"] == 124148
    assert seen["queue_max_packets"] == 82
    assert seen["drops"] == 5780
    assert seen["drops_elsewhere"] == 0
    assert seen["retransmits"] == {"1": 2908, "2": 2872}
    assert seen["reordering"] == 0
    assert seen["mss_bytes"] == {"1": 1448, "2": 1448}


@pytest.mark.parametrize(
    ("counted", "overtaken"),
    [
        ({"TCPSACKReorder": 3}, 3),
        # CUBIC against itself, netem-limit, 400 ms, 40 %: a tail loss probe's copy, as captured
        ({"TCPSACKReorder": 1, "TCPDSACKOfoRecv": 1, "TCPLossProbes": 1}, 0),
        ({"TCPSACKReorder": 1, "TCPDSACKOfoRecv": 1, "TCPLossProbes": 0}, 1),
        ({"TCPSACKReorder": 0, "TCPDSACKOfoRecv": 1, "TCPLossProbes": 1}, 0),
    ],
)
def test_reordering_at_any_host_is_counted_but_for_probes(counted, overtaken):
    lines = ROUTER_LOG.splitlines()
    start = lines.index("## state s2")
    names = next(i for i in range(start, len(lines)) if lines[i].startswith("TcpExt: Sync"))
    values = lines[names + 1].split()
    for counter, value in counted.items():
        values[lines[names].split().index(counter)] = str(value)
    lines[names + 1] = " ".join(values)
    assert hoststate.observe("\n".join(lines), (1, 2))["reordering"] == overtaken


@pytest.mark.parametrize(
    ("gone", "named"),
    [("## state rt", "state rt"), ("## socket s1", "socket s1"), ("peak bott", "bottleneck")],
)
def test_missing_part_of_router_log_is_named(gone, named):
    with pytest.raises(hoststate.HostStateError, match=named):
        hoststate.observe(ROUTER_LOG.replace(gone, "# gone"), (1, 2))


def test_socket_that_is_not_there_is_named():
    with pytest.raises(hoststate.HostStateError, match="0 live sockets"):
        hoststate.parse_ss([])


def test_what_tc_says_of_a_managed_queue_is_read():
    peak = next(line for line in ROUTER_LOG.splitlines() if line.startswith("peak bott"))
    said = ("qdisc cake 10: dev bott parent 1:1 unlimited diffserv3\n"
            " Sent 1800 bytes 12 pkt (dropped 34, overlimits 5 requeues 0)")  # fmt: skip
    seen = hoststate.observe(ROUTER_LOG.replace(peak, said), (1, 2))
    assert seen["drops"] == 34
    assert "queue_max_bytes" not in seen
    with pytest.raises(hoststate.HostStateError, match="0 queues"):
        hoststate.observe(ROUTER_LOG.replace(peak, ""), (1, 2))
    text = ROUTER_LOG.replace("## clock", "## cubic\nbeta 819\nhystart 0\n## clock")
    assert hoststate.observe(text, (1, 2))["cubic"] == {"beta": 819, "hystart": 0}


def test_whole_server_log_passes():
    run.check_server_log(SERVER_LOG, "flow1.server.log", 3)


@pytest.mark.parametrize(
    ("cut", "why"),
    [("[  1] 1.0000-2.0000", "the first at 1 s"), ("[  1] 0.0000-3.2673", "total over 3 s")],
)
def test_incomplete_server_log_is_named(cut, why):
    kept = "\n".join(line for line in SERVER_LOG.splitlines() if not line.startswith(cut))
    with pytest.raises(run.RunError, match=f"flow1.server.log.*{why}"):
        run.check_server_log(kept, "flow1.server.log", 3)


def leave_run(out, cca="bic"):
    """A guest's out/ as after the published run; its server logs are of 300 and 239.14 s."""
    out.mkdir()
    (out / "console.log").write_text("kernel 6.12.117-tt\nexperiment ended with 0\n")
    (out / "router.log").write_text(ROUTER_LOG.replace("\t bic ", f"\t {cca} "))
    for flow, length in ((1, 300.5), (2, 239.6)):
        seconds = [f"[  1] {t}.0000-{t + 1}.0000 sec  1 Bytes  8 bits/sec" for t in
                   range(int(length))]  # fmt: skip
        total = f"[  1] 0.0000-{length}000 sec  300 Bytes  8 bits/sec"
        (out / f"flow{flow}.server.log").write_text("\n".join([*seconds, total, ""]))
        (out / f"flow{flow}.client.log").write_text(total + "\n")
    return out


def test_run_with_another_congestion_control_fails(tmp_path):
    asked = scenario(cca1="bic", cca2="bic", start2_s=60.86)
    run.check_logs(leave_run(tmp_path / "right"), asked)
    with pytest.raises(run.RunError, match="flow 1 ran reno, asked for bic"):
        run.check_logs(leave_run(tmp_path / "wrong", cca="reno"), asked)


def test_run_whose_script_failed_fails(tmp_path):
    out = leave_run(tmp_path / "out")
    (out / "console.log").write_text("kernel 6.12.117-tt\nexperiment ended with 2\n")
    with pytest.raises(run.RunError, match="script failed"):
        run.check_logs(out, scenario())


@pytest.mark.parametrize(("packing", "unpack"), [("gz", gzip.decompress), ("xz", lzma.decompress)])
def test_run_directory_appears_whole_and_its_logs_depend_on_content_alone(
    tmp_path, packing, unpack
):
    out = leave_run(tmp_path / "out")
    for name in ("one", "two"):
        target = tmp_path / "data" / name / "r1"
        target.mkdir(parents=True)  # as Snakemake may
        run.put_in_place(out, {"record": "evenflow-run/1"}, target, packing)
    one, two = tmp_path / "data/one/r1", tmp_path / "data/two/r1"
    names = sorted(path.name for path in one.iterdir())
    logs = ["flow1.client", "flow1.server", "flow2.client", "flow2.server", "router"]
    assert names == [*(f"{log}.log.{packing}" for log in logs), "run.json"]
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert unpack((one / f"router.log.{packing}").read_bytes()).decode() == ROUTER_LOG
    assert [path.name for path in one.parent.iterdir()] == ["r1"]
    assert stat.S_IMODE(one.stat().st_mode) == 0o755


def test_failed_run_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(run, "prepare_stage", lambda stage, *_: (stage / "out").mkdir())
    monkeypatch.setattr(run, "boot", lambda *_: None)
    monkeypatch.setattr(run, "check_host", lambda *_: {})
    monkeypatch.setenv("EVENFLOW_SCRATCH", str(tmp_path))
    target = tmp_path / "data/d/comparison/newreno-bic/rtt100_opb20/r1"
    words = [str(target), "--cca1", "newreno", "--cca2", "bic", "--rtt-ms", "100"]
    assert run.main([*words, "--buffer-pct", "20"]) == 1
    assert "the guest's script failed" in capsys.readouterr().err
    assert not target.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("echo 12289", "12289 bytes of floating-point state.*room for 12288; remedy: raise"),
        ("echo fp_state: not permitted >&2; exit 1", "not permitted; remedy: allow ptrace"),
    ],
)
def test_host_that_the_kernel_cannot_run_on_is_refused_before_the_boot(tmp_path, said, error):
    tool = tmp_path / "tools/fp_state"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{said}\n")
    tool.chmod(0o755)
    with pytest.raises(run.RunError, match=error):
        run.check_host(tmp_path)
    tool.write_text("#!/bin/sh\necho 11008\n")
    host = run.check_host(tmp_path)
    assert host["fp_state_bytes"] == 11008
    assert host["processor"]


def test_room_for_floating_point_state_is_that_of_the_kernel():
    patch = (run.HERE / "kernel/0006-um-fp-state-of-amx.patch").read_text()
    assert f"+\tDEFINE_LONGS(HOST_FP_SIZE, {run.FP_STATE_BYTES});" in patch


def test_existing_run_is_not_replaced_unasked(tmp_path, capsys):
    (tmp_path / "run.json").write_text("{}")
    words = [str(tmp_path), "--cca1", "bic", "--cca2", "bic", "--rtt-ms", "25"]
    assert run.main([*words, "--buffer-pct", "20"]) == 1
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "run.json").read_text() == "{}"


def test_scenario_file_names_its_unknown_key(tmp_path):
    path = tmp_path / "scenario.json"
    path.write_text('{"cca1": "bic", "cca2": "bic", "rtt_ms": 25, "bufer_pct": 20}')
    with pytest.raises(run.RunError, match=r"scenario\.json: unknown key 'bufer_pct'"):
        run.scenario_of(run.parse_arguments(["out", "--scenario", str(path)]))


def test_options_win_over_the_scenario_file(tmp_path):
    path = tmp_path / "scenario.json"
    path.write_text('{"cca1": "bic", "cca2": "bic", "rtt_ms": 25, "buffer_pct": 20, "seed": 3}')
    words = ["d/comparison/bic-bic/rtt50_opb20/r1", "--scenario", str(path), "--rtt-ms", "50"]
    asked = run.scenario_of(run.parse_arguments(words))
    assert (asked.rtt_ms, asked.seed, asked.cca1) == (50, 3, "bic")


def test_recorded_command_makes_the_same_scenario_again():
    out = "data/raw/testbed-router/comparison/newreno-bic/rtt100_opb20/r1"
    asked = scenario(start2_s=60.5, jitter=False)
    command = run.command_of(asked, Path(out))
    words = command.removeprefix("python -m experiments.testbed.run ").split()
    assert run.scenario_of(run.parse_arguments(words)) == asked
    assert str(Path("/secret")) not in run.command_of(asked, Path("/secret/r1"))


def test_run_record_says_what_was_asked():
    record = run.run_record(scenario(start2_s=60.86), {"drops": 1}, {"wall_s": 2.0})
    assert record["run"]["buffer_bytes"] == 250_000
    assert record["flows"] == {"1": {"cca": "newreno", "start_s": 0.0},
                               "2": {"cca": "bic", "start_s": 60.86}}  # fmt: skip
    json.dumps(record)
    alone = run.run_record(scenario(cca2=None), {}, {})
    assert list(alone["flows"]) == ["1"]


def test_self_check_compares_with_its_tolerance():
    def passed(*words):
        return selfcheck.check("name", *words, "", "")["passed"]

    assert passed(25, 25.1, 0.11)
    assert not passed(25, 25.2, 0.1)
    assert passed("reno", "reno", None)
    assert not passed("bic", "reno", None)
    assert not passed(25, None, 0.1)


def test_goodput_is_the_mean_of_whole_seconds():
    assert selfcheck.goodput_mbps(SERVER_LOG.encode(), after_s=1) == pytest.approx(95.649088)
    with pytest.raises(ZeroDivisionError):
        selfcheck.goodput_mbps(SERVER_LOG.encode(), after_s=10)


def test_trace_needs_a_compound_flow_and_sets_the_guest():
    assert "which no flow uses" in problems(scenario(trace=True))[0]
    asked = scenario(cca2="compound", trace=True)
    assert problems(asked) == []
    assert "TRACE=Y" in topology.guest_files(asked)["settings.sh"].splitlines()
    assert "TRACE=N" in topology.guest_files(scenario())["settings.sh"].splitlines()
    assert run.command_of(asked, Path("data/raw/x")).endswith(" --trace")
    fixed = scenario(cca2="compound", gamma_tuning=False)
    assert "GAMMA_TUNING=N" in topology.guest_files(fixed)["settings.sh"].splitlines()
    assert run.command_of(fixed, Path("data/raw/x")).endswith(" --no-gamma-tuning")
    assert run.run_record(fixed, {}, {})["run"]["gamma_tuning"] is False
    assert "gamma_tuning" not in run.run_record(asked, {}, {})["run"]
    assert "gamma is a parameter of compound" in problems(scenario(gamma_tuning=False))[0]
    assert "trace" not in run.command_of(scenario(), Path("data/raw/x"))


def test_trace_of_the_kernel_is_kept_and_its_absence_is_an_error(tmp_path):
    (tmp_path / "out").mkdir()
    line = ("compound round us 1 host 10.0.1.1 lwnd 400 dwnd256 2560 before256 0 limited 1 "
            "diff256 512 gamma256 7680 rtt_us 50250 base_us 50000")  # fmt: skip
    (tmp_path / "boot.log").write_text(f"Linux version 6.12\nTCP: {line}\nreboot: Power down\n")
    run.keep_trace(tmp_path)
    assert (tmp_path / "out/compound.log").read_text() == f"{line}\n"
    (tmp_path / "boot.log").write_text("Linux version 6.12\n")
    with pytest.raises(run.RunError, match="no line of Compound's trace"):
        run.keep_trace(tmp_path)
