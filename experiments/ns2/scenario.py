"""Scenarios of the two-flow dumbbell: their runs, paths, seeds and derived settings.

A scenario is a plain dict with the keys role, cca1, cca2, rtt_ms and buffer_pct; the settings that
all scenarios of the data set share are those of `SETTING_KEYS`, from
experiments/grid_ns2/grid.yaml. Everything here is computed from its arguments alone.
"""

import math
import random
import re

from experiments.ns2 import stages

DATASET = "ns2-dumbbell"

SETTING_KEYS = (
    "bottleneck_mbps",
    "access_mbps",
    "duration_s",
    "mss_bytes",
    "flow2_start_s",
    "flow2_spread_s",
    "window_factor",
    "window_limit_packets",
    "send_jitter_s",
    "drops_from_s",
)
ROLES = ("calibration", "comparison")

# ns-2 takes the name of the Linux module; a name that is not here is passed on as it stands.
SELECT_CA = {"newreno": "reno"}

HEADER_BYTES = 52  # IPv4 20, TCP 20, timestamps 12 with their padding


def list_scenarios(grid):
    """All scenarios of a grid, the rtt and buffer of a pair varying fastest.

    `grid` holds `rtt_ms` and `buffer_pct` (lists of numbers) and `pairs` (role -> list of
    [cca of flow 1, cca of flow 2]).
    """
    return [
        {"role": role, "cca1": cca1, "cca2": cca2, "rtt_ms": rtt_ms, "buffer_pct": buffer_pct}
        for role in ROLES
        for cca1, cca2 in grid["pairs"].get(role, [])
        for rtt_ms in grid["rtt_ms"]
        for buffer_pct in grid["buffer_pct"]
    ]


def run_path(scenario, repeat):
    """Path of a run's folder within its data set, e.g. comparison/newreno-bic/rtt100_opb20/r1.

    Raises ValueError for a value that the path could not be read back from.
    """
    if scenario["role"] not in ROLES:
        raise ValueError(f"role {scenario['role']!r}: use one of {', '.join(ROLES)}")
    for key in ("cca1", "cca2"):
        if not re.fullmatch(r"\w+", scenario[key], re.ASCII):
            raise ValueError(f"{key} {scenario[key]!r}: use letters, digits and _ only")
    for key in ("rtt_ms", "buffer_pct"):
        if not scenario[key] > 0:
            raise ValueError(f"{key} {scenario[key]!r}: use a number above 0")
    if repeat < 1:
        raise ValueError(f"repeat {repeat}: repeats count from 1")
    pair = f"{scenario['cca1']}-{scenario['cca2']}"
    cell = f"rtt{scenario['rtt_ms']:g}_opb{scenario['buffer_pct']:g}"
    return f"{scenario['role']}/{pair}/{cell}/r{repeat}"


def draw_seed(path):
    """A run's seed, 1 .. 2**31 - 1, from the path of its folder: known before the run, and no two
    runs of a campaign share one by design (calibration and comparison of newreno included)."""
    return stages.draw_seed(DATASET, path)


def draw_start_s(seed, settings):
    """Start of flow 2 in s, uniform over `flow2_spread_s` from `flow2_start_s`, to 1 us.

    The simulation itself is deterministic: this is what makes the repeats of a scenario differ.
    """
    offset = random.Random(seed).random() * settings["flow2_spread_s"]
    return round(settings["flow2_start_s"] + offset, 6)


def packet_bytes(settings):
    """Size of a full packet on the link in bytes: payload and headers, no link-layer framing."""
    return settings["mss_bytes"] + HEADER_BYTES


def bdp_packets(scenario, settings):
    """Bottleneck rate x RTT, in full packets (not a whole number)."""
    bdp_bytes = settings["bottleneck_mbps"] * 1e6 * scenario["rtt_ms"] / 1e3 / 8
    return bdp_bytes / packet_bytes(settings)


def queue_packets(scenario, settings):
    """Packets that the bottleneck's buffer holds: `buffer_pct` of rate x RTT, rounded, at least 1.

    The packet in transmission is not one of them.
    """
    return max(1, round(scenario["buffer_pct"] / 100 * bdp_packets(scenario, settings)))


def window_packets(scenario, settings):
    """Largest window of a sender in packets: `window_factor` x (BDP + buffer), rounded up.

    With a factor of 1.2 it is above what the path holds, so that losses and not the window end a
    flow's growth, but below the window at which TCP-Linux falls into a storm of retransmissions
    after slow start (docs/explanation/ns2.md). Never more than `window_limit_packets`, where that
    is not 0.
    """
    held = bdp_packets(scenario, settings) + queue_packets(scenario, settings)
    window = math.ceil(settings["window_factor"] * held)
    return min(window, settings["window_limit_packets"] or window)


def simulator_options(scenario, settings, seed):
    """The keys of dumbbell.tcl but `out_dir`, as a dict in its order.

    Receivers acknowledge every packet, unless the settings have `delayed_acks_s`.
    """
    delayed = settings.get("delayed_acks_s")
    return {
        "rtt_ms": scenario["rtt_ms"],
        "bottleneck_mbps": settings["bottleneck_mbps"],
        "access_mbps": settings["access_mbps"],
        "queue_packets": queue_packets(scenario, settings),
        "mss_bytes": settings["mss_bytes"],
        "select_ca1": SELECT_CA.get(scenario["cca1"], scenario["cca1"]),
        "select_ca2": SELECT_CA.get(scenario["cca2"], scenario["cca2"]),
        "start1_s": 0,
        "start2_s": draw_start_s(seed, settings),
        "duration_s": settings["duration_s"],
        "window_packets": window_packets(scenario, settings),
        "send_jitter_s": settings["send_jitter_s"],
        "drops_from_s": settings["drops_from_s"],
        "seed": seed,
        **({"delayed_acks_s": delayed} if delayed else {}),
    }
