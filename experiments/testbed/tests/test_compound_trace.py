"""experiments/testbed/compound.py: reading the kernel's lines, and the published equations."""

import gzip

import pytest

from experiments.testbed import compound
from experiments.testbed.compound import Step, expected_diff, expected_dwnd, parse_trace

# As the kernel prints it on its console (kernel/tcp_compound.c), between other lines.
CONSOLE = """\
random: crng init done
TCP: compound round us 946684803100000 host 10.0.1.1 lwnd 400 dwnd256 2560 before256 0 limited 1 \
diff256 512 gamma256 7680 rtt_us 50250 base_us 50000
TCP: compound loss us 946684803200500 host 10.0.1.1 lwnd 200 dwnd256 1280 before256 2560 limited 1 \
diff256 512 gamma256 7680 rtt_us 0 base_us 50000
"""


def step(**changes):
    asked = {"t_s": 0.0, "host": "10.0.1.1", "event": "round", "lwnd": 256, "dwnd": 0.0,
             "dwnd_before": 0.0, "limited": True, "diff": 0.0, "gamma": 30.0, "rtt_s": 0.05,
             "base_rtt_s": 0.05}  # fmt: skip
    return Step(**(asked | changes))


def test_trace_is_read_in_segments_and_seconds():
    first, second = parse_trace(CONSOLE)
    assert first == Step(0.0, "10.0.1.1", "round", 400, 10.0, 0.0, True, 2.0, 30.0, 0.05025, 0.05)
    assert (second.event, second.t_s, second.lwnd, second.dwnd) == ("loss", 0.1005, 200, 5.0)


def test_text_without_the_trace_has_no_steps():
    assert parse_trace("random: crng init done\n") == []


def test_queued_segments_are_vegas_diff():
    # 300 segments sent in 60 ms instead of 50 ms: 1/6 of them wait.
    assert expected_diff(step(lwnd=200, dwnd_before=100.0, rtt_s=0.06)) == pytest.approx(50)


@pytest.mark.parametrize(
    ("changes", "dwnd"),
    [
        ({}, 256**0.75 / 8 - 1),  # 64/8 - 1
        ({"dwnd_before": 40.0, "lwnd": 216}, 40 + 7),
        ({"diff": 30.0, "dwnd_before": 40.0}, 10),
        ({"diff": 50.0, "dwnd_before": 40.0}, 0),
        ({"lwnd": 40}, 0),  # below the low window: Reno
        ({"limited": False, "dwnd_before": 3.5}, 3.5),
        ({"gamma": 5.0, "diff": 5.0, "dwnd_before": 8.0}, 3),
    ],
)
def test_delay_window_steps_as_published(changes, dwnd):
    assert expected_dwnd(step(**changes)) == pytest.approx(dwnd)


@pytest.mark.parametrize(
    ("lwnd", "rtt_s", "gamma"),
    [(120, 0.0625, 30 / 5 + 0.6 * 24), (120, 0.05, 6), (12, 0.05, 6), (1000, 0.1, 30)],
)
def test_gamma_follows_what_reno_would_have_queued(lwnd, rtt_s, gamma):
    assert compound.expected_gamma(step(lwnd=lwnd, rtt_s=rtt_s)) == pytest.approx(gamma)


def test_gamma_is_tuned_once_between_rounds_and_by_flow():
    one, other = step(), step(host="10.0.2.1", t_s=1.0)
    loss = step(event="loss", t_s=2.0)
    steps = [one, other, loss, step(event="loss", t_s=3.0)]
    assert compound.tunings(steps) == [(one, loss)]


def test_trace_becomes_a_table(tmp_path):
    (tmp_path / "compound.log.gz").write_bytes(gzip.compress(CONSOLE.encode()))
    assert compound.main([str(tmp_path), str(tmp_path / "trace.csv")]) == 0
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    assert lines[0].startswith("t_s,host,event,lwnd,dwnd")
    assert lines[1] == "0.0,10.0.1.1,round,400,10,0,1,2,30,0.05025,0.05"
