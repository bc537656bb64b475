"""What one run of the virtual testbed is asked to do, and the numbers that follow from it.

Pure functions and one frozen record; nothing here starts a process or touches a file.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

ROUTER_MODELS = ("router", "netem-limit")
ROLES = ("calibration", "comparison")
AQMS = ("droptail", "fq_codel", "cake", "pie")  # queue disciplines below the rate limit

# Name in papers and data -> name in the Linux kernel.
KERNEL_CCA = {
    "newreno": "reno",
    "bic": "bic",
    "cubic": "cubic",
    "htcp": "htcp",
    "highspeed": "highspeed",
    "scalable": "scalable",
    "westwood": "westwood",
    "vegas": "vegas",
    "bbr": "bbr",
    "compound": "compound",  # ours: kernel/tcp_compound.c
    "bic2622": "bic2622",  # ours, as at the time of Linux 2.6.22: kernel/tcp_bic2622.c
    "cubic2622": "cubic2622",  # the same: kernel/tcp_cubic2622.c
}

FRAME_BYTES = 1514  # a full segment with its Ethernet header, which Linux qdiscs count
MSS_BYTES = 1448  # MTU 1500, minus IP 20, TCP 20 and timestamps 12
JITTER_AT_100_MBPS_NS = 50_000  # half-width; 41 % of a frame's 121 us, so nothing is overtaken
JITTER_HOP_BASE_NS = 60_000  # at 100 Mb/s: the smallest delay there, base - jitter, stays positive
DELAY_LIMIT_PACKETS = 1_000_000  # of delay lines that must never drop
# Memory of a full segment's packet, which CAKE counts: payload and the kernel's structures. Worked
# out from their sizes, not measured; router.log has what a run's queue used, in CAKE's own words.
CAKE_PACKET_BYTES = 2304
CUBIC_BETA = 717  # of Linux 6.12: a loss leaves 717/1024 of the window

# Socket buffers of the hosts (bytes: min, default, max) and how much of the receive buffer
# becomes window. `period`: the out-of-the-box values of the authors' 2.6 kernels, 3/4 of the
# buffer (tcp_adv_win_scale 2; Linux 6.6 and later ignore it, kernel patch 0003 restores it).
# `today`: the defaults of Linux 6.12 on a machine with enough memory.
# `high-speed`: of `high-speed-fairness`: network cards of 1 Gb/s, and buffers 'tuned to appropriate
# values (depending on the BDP)', here more than any path and router can hold (256 MiB).
# `period-...`: one thing of `period` changed: the access links, or socket buffers that hold more
# than any path and router here (64 MiB; 25 MB at most, a packet's overhead included).
HOST_PROFILES = {
    "period": {
        "tcp_rmem": "4096 87380 4194304",
        "tcp_wmem": "4096 16384 4194304",
        "tcp_adv_win_scale": "2",
        "access_mbps": 100,
    },
    "today": {
        "tcp_rmem": "4096 131072 6291456",
        "tcp_wmem": "4096 16384 4194304",
        "tcp_adv_win_scale": "1",
        "access_mbps": 1000,
    },
}
HOST_PROFILES["high-speed"] = {
    "tcp_rmem": "4096 87380 268435456",
    "tcp_wmem": "4096 16384 268435456",
    "tcp_adv_win_scale": "2",
    "access_mbps": 1000,
}
HOST_PROFILES["period-fast-access"] = HOST_PROFILES["period"] | {"access_mbps": 1000}
HOST_PROFILES["period-large-buffers"] = HOST_PROFILES["period"] | {
    "tcp_rmem": "4096 87380 67108864",
    "tcp_wmem": "4096 16384 67108864",
}


@dataclass(frozen=True)
class Scenario:
    """One run. Rates in Mb/s, times as their suffix says. The buffer is given in % of the BDP of
    flow 1's path, or in bytes (`fixed_buffer_bytes`; then `buffer_pct` is None)."""

    cca1: str
    cca2: str | None  # None: flow 1 is alone
    rtt_ms: int
    buffer_pct: int | None
    seed: int
    role: str = "comparison"
    repeat: int = 1
    router_model: str = "router"
    host_profile: str = "period"
    rate_mbps: int = 100
    duration_s: int = 300
    start2_s: float = 60.0
    jitter: bool = True
    gamma_tuning: bool = True  # of compound; False: gamma is 30 throughout
    trace: bool = False  # Compound's two windows in compound.log; changes nothing else
    rtt2_ms: int | None = None  # of flow 2, where it is not rtt_ms
    fixed_buffer_bytes: int | None = None
    tcp_info: bool = False  # the senders' windows and RTTs once a second, in flow<k>.tcp_info.log
    view: str | None = None  # free factors that run.json keeps, of the 900 Mb/s study
    queue: str | None = None
    aqm: str = "droptail"  # what manages the bottleneck's buffer, with its defaults
    cubic_hystart: bool = True  # of cubic, of both flows: parameters of the kernel
    cubic_friendliness: bool = True
    cubic_beta: int = CUBIC_BETA


def problems(scenario: Scenario) -> list[str]:
    """What is wrong with a scenario, each with its remedy; empty when all is well."""
    found = []

    def one_of(key: str, value: str, allowed: object) -> None:
        if value not in allowed:
            found.append(f"{key} is {value!r}; use one of {', '.join(allowed)}")

    one_of("router model", scenario.router_model, ROUTER_MODELS)
    one_of("host profile", scenario.host_profile, HOST_PROFILES)
    one_of("role", scenario.role, ROLES)
    one_of("aqm", scenario.aqm, AQMS)
    for key, cca in (("cca1", scenario.cca1), ("cca2", scenario.cca2)):
        if cca is not None:
            one_of(key, cca, KERNEL_CCA)
    if "compound" not in (scenario.cca1, scenario.cca2):
        if scenario.trace:
            found.append("trace prints the windows of compound, which no flow uses; leave it out")
        if not scenario.gamma_tuning:
            found.append("gamma is a parameter of compound, which no flow uses; leave it out")
    if scenario.aqm != "droptail" and scenario.router_model != "router":
        found.append("netem-limit has its queue in the delay line, which nothing manages; "
                     "use router model router or leave aqm out")  # fmt: skip
    if cubic_changes(scenario) and "cubic" not in (scenario.cca1, scenario.cca2):
        found.append("parameters of cubic change nothing, as no flow uses it; leave them out")
    if not 1 <= scenario.cubic_beta <= 1023:
        found.append(f"cubic_beta is {scenario.cubic_beta}; use 1 to 1023 (of 1024)")
    for key, rtt_ms in (("rtt_ms", scenario.rtt_ms), ("rtt2_ms", scenario.rtt2_ms)):
        if rtt_ms is not None and not 1 <= rtt_ms <= 2000:
            found.append(f"{key} is {rtt_ms}; use 1 to 2000")
    if (scenario.buffer_pct is None) == (scenario.fixed_buffer_bytes is None):
        found.append("give the buffer once: buffer_pct or fixed_buffer_bytes")
    if scenario.buffer_pct is not None and not 1 <= scenario.buffer_pct <= 1000:
        found.append(f"buffer_pct is {scenario.buffer_pct}; use 1 to 1000 (% of the BDP)")
    if scenario.fixed_buffer_bytes is not None and scenario.fixed_buffer_bytes < FRAME_BYTES:
        found.append(f"fixed_buffer_bytes is {scenario.fixed_buffer_bytes}; use at least a frame's "
                     f"{FRAME_BYTES}")  # fmt: skip
    if scenario.rtt2_ms is not None and scenario.router_model != "router":
        found.append("netem-limit has one delay line for both flows; leave rtt2_ms out")
    if not 1 <= scenario.rate_mbps <= 1000:
        found.append(f"rate_mbps is {scenario.rate_mbps}; use 1 to 1000")
    access = HOST_PROFILES.get(scenario.host_profile, {}).get("access_mbps", scenario.rate_mbps)
    if access < scenario.rate_mbps:
        found.append(
            f"host profile {scenario.host_profile} has access links of {access} Mb/s, slower than "
            f"the bottleneck of {scenario.rate_mbps}; use another profile"
        )
    if scenario.cca2 is not None and not 0 < scenario.start2_s < scenario.duration_s - 1:
        found.append(
            f"start2_s is {scenario.start2_s}; flow 2 must start after 0 s and at least 1 s "
            f"before the end at {scenario.duration_s} s"
        )
    return found


def cubic_changes(scenario: Scenario) -> dict[str, bool | int]:
    """The parameters of cubic that a run changes, by the scenario's names for them."""
    usual = {"cubic_hystart": True, "cubic_friendliness": True, "cubic_beta": CUBIC_BETA}
    return {key: value for key in usual if (value := getattr(scenario, key)) != usual[key]}


def bdp_bytes(scenario: Scenario) -> int:
    """Bandwidth-delay product of the bottleneck and flow 1's base RTT, bytes."""
    return scenario.rate_mbps * 125 * scenario.rtt_ms


def buffer_bytes(scenario: Scenario) -> int:
    """The configured buffer, bytes: as given, or its share of the BDP."""
    if scenario.fixed_buffer_bytes is not None:
        return scenario.fixed_buffer_bytes
    return bdp_bytes(scenario) * scenario.buffer_pct // 100


def buffer_packets(scenario: Scenario) -> int:
    """The same buffer in full frames, rounded to the nearest, at least 1."""
    return max(1, (buffer_bytes(scenario) + FRAME_BYTES // 2) // FRAME_BYTES)


def flow_rtts_ms(scenario: Scenario) -> tuple[int, int]:
    """Base RTTs of flow 1 and flow 2, ms."""
    return scenario.rtt_ms, scenario.rtt2_ms or scenario.rtt_ms


def jitter_ns(scenario: Scenario) -> int:
    """Half-width of the uniform jitter, ns: 50 us at 100 Mb/s, in proportion to a frame's time."""
    return JITTER_AT_100_MBPS_NS * 100 // scenario.rate_mbps if scenario.jitter else 0


def jitter_hop_ns(scenario: Scenario) -> int:
    """Mean delay of the jitter hop, ns; taken off the return path, so that the RTT is as asked."""
    return JITTER_HOP_BASE_NS * 100 // scenario.rate_mbps


def run_path(scenario: Scenario) -> str:
    """Where a run lies in its data set."""
    pair = f"{scenario.cca1}-{scenario.cca2 or 'alone'}"
    cell = f"rtt{scenario.rtt_ms}_opb{scenario.buffer_pct}"  # of the 100 Mb/s grids
    return f"{scenario.role}/{pair}/{cell}/r{scenario.repeat}"


def seed_of(path: str) -> int:
    """Seed of a run, 31 bits, from `<dataset>/<run path>`: every run its own, the same for ever."""
    return int.from_bytes(hashlib.sha256(path.encode()).digest()[:4], "big") & 0x7FFFFFFF


def drawn_start_s(seed: int, earliest_s: float = 60.0) -> float:
    """Start of flow 2, s: earliest + U(0, 1), to the 10 ms that iperf's -t resolves."""
    return round(earliest_s + random.Random(seed).random(), 2)


def netem_seed(seed: int, place: str) -> int:
    """Seed of one netem's generator (64 bits): independent of the other netems' of the run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{place}".encode()).digest()[:8], "big")
