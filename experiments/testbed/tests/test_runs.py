"""One short run on the virtual testbed. Needs its kernel: experiments/testbed/build_kernel.sh."""

import gzip
import json
import re

import pytest

from experiments.testbed import compound, run, selfcheck
from experiments.testbed.scenario import Scenario


@pytest.fixture(scope="module")
def kernel():
    try:
        return run.kernel_cache()
    except run.RunError as error:
        pytest.skip(f"no kernel for the virtual testbed: {error}")


def test_short_run_leaves_whole_logs(kernel, tmp_path):
    scenario = Scenario(
        "newreno", "bic", rtt_ms=25, buffer_pct=60, seed=5, duration_s=12, start2_s=4.0
    )
    record = run.run(scenario, tmp_path / "r1", limit_s=120, command="test")
    seen = record["observed"]
    assert seen["rtt_ms"]["1"] == pytest.approx(25, abs=0.1)
    assert 187_500 - 1514 <= seen["queue_max_bytes"] <= 187_500
    assert seen["cca"] == {"1": "reno", "2": "bic"}
    assert json.loads((tmp_path / "r1/run.json").read_text()) == record

    def rates(flow):
        text = gzip.decompress((tmp_path / f"r1/flow{flow}.server.log.gz").read_bytes()).decode()
        seconds = re.findall(r"\] (\d+)\.0000-(\d+)\.0000 sec +\d+ Bytes +(\d+) bits", text)
        return {int(begin): int(rate) for begin, _, rate in seconds}

    one, two = rates(1), rates(2)
    assert set(range(12)) <= set(one)
    assert set(range(8)) <= set(two)
    # Together the bottleneck's 1448/1514 of 100 Mb/s, a little less after losses. A second may
    # hold more: what waited at the receiver for a lost packet is read at once when that arrives.
    both = [one[second] + two[second - 4] for second in range(5, 12)]
    assert 80e6 < sum(both) / len(both) < 96.5e6
    assert max(both) < 110e6


def test_run_is_ended_at_its_time_limit(kernel, tmp_path):
    scenario = Scenario("newreno", None, rtt_ms=25, buffer_pct=60, seed=5, duration_s=3000)
    with pytest.raises(run.RunError, match="not finished after 3 s of wall clock"):
        run.run(scenario, tmp_path / "r1", limit_s=3, command="test")
    assert not (tmp_path / "r1").exists()


def test_compound_fills_the_pipe_and_steps_as_published(kernel, tmp_path):
    scenario = Scenario(
        "compound", None, rtt_ms=50, buffer_pct=100, seed=5, duration_s=20, trace=True,
        host_profile="today",  # its access link is faster than the bottleneck
    )  # fmt: skip
    record = run.run(scenario, tmp_path / "r1", limit_s=300, command="test")
    assert record["observed"]["cca"] == {"1": "compound"}
    rounds = [step for step in compound.read_trace(tmp_path / "r1") if step.event == "round"]
    assert len(rounds) > 100
    assert max(step.dwnd for step in rounds) > 5
    assert any(step.diff >= step.gamma and step.dwnd < step.dwnd_before for step in rounds)
    for step in rounds:
        assert step.diff == pytest.approx(compound.expected_diff(step), abs=0.005)
        assert step.dwnd == pytest.approx(compound.expected_dwnd(step), abs=0.005)
    tuned = compound.tunings(compound.read_trace(tmp_path / "r1"))
    for last, loss in tuned:
        assert loss.gamma == pytest.approx(compound.expected_gamma(last), abs=0.02)
    log = gzip.decompress((tmp_path / "r1/flow1.server.log.gz").read_bytes())
    assert selfcheck.goodput_mbps(log, after_s=10) == pytest.approx(95.641, rel=0.01)


def test_bbr_alone_fills_the_link_and_is_paced(kernel, tmp_path):
    """Without fq at the sender BBR is paced by the kernel's TCP itself."""
    scenario = Scenario(
        "bbr", None, rtt_ms=50, buffer_pct=100, seed=5, duration_s=30, host_profile="today"
    )
    record = run.run(scenario, tmp_path / "r1", limit_s=300, command="test")
    assert record["observed"]["cca"] == {"1": "bbr"}
    router_log = gzip.decompress((tmp_path / "r1/router.log.gz").read_bytes()).decode()
    assert "pacing_rate" in router_log
    log = gzip.decompress((tmp_path / "r1/flow1.server.log.gz").read_bytes())
    # it may probe for the RTT with four packets in flight, 200 ms in every 10 s
    assert selfcheck.goodput_mbps(log, after_s=10) == pytest.approx(95.641, rel=0.03)
