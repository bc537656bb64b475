"""BIC and CUBIC of 2.6.22: our kernel modules against ns-2's own (of 2.6.22), ACK by ACK.

The modules are compiled for a process (kernel_shim/) and told of each ACK, loss and end of recovery
that a lone flow of ns-2 had. Needs gcc and ns-2.
"""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

SHIM = Path(__file__).with_name("kernel_shim")
PATHS = {  # Mb/s, RTT in ms, buffer in packets, seconds
    "100mbps-rtt100": (100, 100, 400, 30),
    "20mbps-rtt20": (20, 20, 12, 60),  # windows at which CUBIC keeps up with Reno, BIC is near Reno
}


@pytest.fixture(scope="module", params=["bic", "cubic"])
def module(request, tmp_path_factory):
    """A congestion control's name, and its kernel module as a library with the calls of drive.c."""
    if not (shutil.which("gcc") and shutil.which("ns")):
        pytest.skip("needs gcc and ns-2 (Debian's gcc and ns2)")
    source = SHIM.parents[1] / f"kernel/tcp_{request.param}2622.c"
    library = tmp_path_factory.mktemp("module") / "module.so"
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-shared", "-fPIC", f"-I{SHIM}", f'-DMODULE="{source}"',
         f"-DREGISTER={request.param}2622_register", "-o", library, SHIM / "drive.c"],
        check=True,
    )  # fmt: skip
    return request.param, ctypes.CDLL(str(library))


def simulate(cca, path, log):
    """(time in s, variable, value) of each change in ns-2's flow."""
    words = [str(word) for word in (cca, *PATHS[path], log)]
    subprocess.run(["ns", SHIM / "lone_flow.tcl", *words], check=True, capture_output=True)
    for line in log.read_text().splitlines():
        time_s, *_, name, value = line.split()
        yield float(time_s), name, int(float(value))


def replay(calls, changes, rtt_ms):
    """Tell the module what ns-2's flow had; (ns-2's window, ours) after each ACK, thresholds."""
    windows, thresholds = [], []
    ours = theirs = calls.begin(2) or 2
    highest = sent = recover = threshold = -1
    recovering = ended = False
    for time_s, name, value in changes:
        now_ms = int(time_s * 1000 + 1e-6)
        if name == "ack_" and value > highest:
            if ended:
                calls.recovered()
                recovering = ended = False
            elif highest >= 0 and not recovering:
                windows.append((theirs, ours))
            ours = calls.acked(now_ms, value - highest, sent - highest, rtt_ms * 1000)
            highest = value
            ended = recovering and highest >= recover
        elif name == "maxseq_":
            sent = value
        # a loss; where the threshold stays what it was, ns-2 writes the window's fall only
        elif time_s > 0 and (name == "ssthresh_" or (value < theirs and not recovering)):
            threshold = value if name == "ssthresh_" else threshold
            thresholds.append((threshold, calls.lost(now_ms)))
            recover, recovering, ended = sent, True, False
        if name == "cwnd_":
            theirs = value
    return windows, thresholds


@pytest.mark.parametrize("path", PATHS)
def test_windows_are_those_of_ns2(module, path, tmp_path):
    cca, calls = module
    changes = simulate(cca, path, tmp_path / "flow.tr")
    windows, thresholds = replay(calls, changes, rtt_ms=PATHS[path][1])
    assert len(thresholds) > 4 and len(windows) > 50_000, "the flow has epochs to compare"
    apart = [abs(theirs - ours) for theirs, ours in windows]
    if cca == "bic":
        assert max(apart) == 0
        assert [theirs for theirs, _ in thresholds] == [ours for _, ours in thresholds]
    else:  # ns-2's cube root is up to 0.2 % off, and its RTTs are a jiffy more or less
        assert max(apart) <= 1
        assert sum(apart) <= 0.15 * len(apart)
        assert all(abs(theirs - ours) <= 1 for theirs, ours in thresholds)


def rise(calls, segments_per_ack):
    """By how much the window rises, soon after a loss, while 300 segments are acknowledged."""
    calls.begin(400)
    calls.lost(1000)
    calls.recovered()
    window = before = calls.acked(1001, segments_per_ack, 10_000, 25_000)
    for n in range(300 // segments_per_ack):
        now_ms = 1001 + n * segments_per_ack * 25 // window
        window = calls.acked(now_ms, segments_per_ack, 10_000, 25_000)
    return window - before


def test_bic_grows_almost_twice_as_fast_where_every_segment_is_acknowledged(module):
    """The estimate of segments per ACK begins at 2, and in integers does not fall below 31/16."""
    cca, calls = module
    if cca == "bic":
        assert rise(calls, 1) / rise(calls, 2) == pytest.approx(31 / 16, rel=0.05)
    else:  # how CUBIC grows is a function of time
        assert rise(calls, 1) <= rise(calls, 2) + 1
