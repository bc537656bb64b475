"""The dumbbell, as text that `ip -batch`, `tc -batch`, tools/netem and the guest's shell read.

    s1 -- x1 -- rt ==(bottleneck)== db -- d1     flow 1: 10.0.1.1 -> 10.0.3.1
    s2 -- x2 -/                       \\-- d2     flow 2: 10.0.2.1 -> 10.0.4.1

s: senders, x: hops that only jitter, rt: router, db: delay box, d: receivers; each is a network
namespace. Everything is static (ARP, ports, addresses): nothing but the seeds differs between
two repeats.
"""

from __future__ import annotations

from experiments.testbed.scenario import (
    CAKE_PACKET_BYTES,
    DELAY_LIMIT_PACKETS,
    FRAME_BYTES,
    HOST_PROFILES,
    KERNEL_CCA,
    Scenario,
    buffer_bytes,
    buffer_packets,
    cubic_changes,
    flow_rtts_ms,
    jitter_hop_ns,
    jitter_ns,
    netem_seed,
)

NAMESPACES = ("s1", "s2", "x1", "x2", "rt", "db", "d1", "d2")
HOSTS = ("s1", "s2", "d1", "d2")
ROUTERS = ("x1", "x2", "rt", "db")

# (namespace, device, MAC) of a link's two ends
LINKS = (
    (("s1", "e0", "01:01"), ("x1", "i0", "01:fe")),
    (("x1", "o0", "05:01"), ("rt", "r1", "05:fe")),
    (("s2", "e0", "02:01"), ("x2", "i0", "02:fe")),
    (("x2", "o0", "06:01"), ("rt", "r2", "06:fe")),
    (("rt", "bott", "09:01"), ("db", "back", "09:02")),
    (("db", "f1", "03:fe"), ("d1", "e0", "03:01")),
    (("db", "f2", "04:fe"), ("d2", "e0", "04:01")),
)

# namespace -> [(device, address, neighbour, neighbour's MAC)], [(destination, gateway)]
ADDRESSES = {
    "s1": ([("e0", "10.0.1.1", "10.0.1.254", "01:fe")], [("default", "10.0.1.254")]),
    "s2": ([("e0", "10.0.2.1", "10.0.2.254", "02:fe")], [("default", "10.0.2.254")]),
    "d1": ([("e0", "10.0.3.1", "10.0.3.254", "03:fe")], [("default", "10.0.3.254")]),
    "d2": ([("e0", "10.0.4.1", "10.0.4.254", "04:fe")], [("default", "10.0.4.254")]),
    "x1": (
        [("i0", "10.0.1.254", "10.0.1.1", "01:01"), ("o0", "10.0.5.1", "10.0.5.254", "05:fe")],
        [("default", "10.0.5.254")],
    ),
    "x2": (
        [("i0", "10.0.2.254", "10.0.2.1", "02:01"), ("o0", "10.0.6.1", "10.0.6.254", "06:fe")],
        [("default", "10.0.6.254")],
    ),
    "rt": (
        [
            ("r1", "10.0.5.254", "10.0.5.1", "05:01"),
            ("r2", "10.0.6.254", "10.0.6.1", "06:01"),
            ("bott", "10.0.9.1", "10.0.9.2", "09:02"),
        ],
        [("10.0.1.0/24", "10.0.5.1"), ("10.0.2.0/24", "10.0.6.1"), ("default", "10.0.9.2")],
    ),
    "db": (
        [
            ("f1", "10.0.3.254", "10.0.3.1", "03:01"),
            ("f2", "10.0.4.254", "10.0.4.1", "04:01"),
            ("back", "10.0.9.2", "10.0.9.1", "09:01"),
        ],
        [("default", "10.0.9.1")],
    ),
}


def link_commands() -> list[str]:
    """`ip -batch`: the links. One segment a packet: queues are counted in packets of the wire."""

    def end(mac: str, namespace: str) -> str:
        return f"address 02:00:00:00:{mac} gso_max_segs 1 netns {namespace}"

    return [
        f"link add {dev_a} {end(mac_a, ns_a)} type veth peer name {dev_b} {end(mac_b, ns_b)}"
        for (ns_a, dev_a, mac_a), (ns_b, dev_b, mac_b) in LINKS
    ]


def address_commands(namespace: str) -> list[str]:
    """`ip -batch` in a namespace: addresses, permanent neighbours, routes."""
    ports, routes = ADDRESSES[namespace]
    commands = ["link set lo up"]
    for device, address, neighbour, mac in ports:
        commands += [
            f"addr add {address}/24 dev {device}",
            f"link set {device} txqueuelen 10000 up",
            f"neigh add {neighbour} lladdr 02:00:00:00:{mac} dev {device} nud permanent",
        ]
    return commands + [f"route add {destination} via {via}" for destination, via in routes]


def sysctl_settings(scenario: Scenario, namespace: str) -> list[tuple[str, str]]:
    """(path below /proc/sys/net, value) in a namespace."""
    if namespace in ROUTERS:
        return [("ipv4/ip_forward", "1")]
    profile = HOST_PROFILES[scenario.host_profile]
    settings = [("ipv4/tcp_no_metrics_save", "1")]
    settings += [
        (f"ipv4/{key}", profile[key]) for key in ("tcp_rmem", "tcp_wmem", "tcp_adv_win_scale")
    ]
    if namespace in ("s1", "s2"):
        port = 40000 + int(namespace[1])
        settings.append(("ipv4/ip_local_port_range", f"{port} {port}"))
    return settings


def tbf_burst_bytes(rate_mbps: int) -> int:
    """One frame up to 200 Mb/s; above, as many as pass in some 50 us, four at 900 Mb/s."""
    frame = FRAME_BYTES + 26
    return frame if rate_mbps <= 200 else frame * (1 + rate_mbps // 300)


def tc_commands(scenario: Scenario) -> dict[str, list[str]]:
    """namespace -> `tc -batch` lines: the rate limits and their queues."""
    commands: dict[str, list[str]] = {}
    access = HOST_PROFILES[scenario.host_profile]["access_mbps"]
    if access <= scenario.rate_mbps:
        shaper = [
            f"qdisc add dev e0 root handle 1: tbf rate {access}mbit "
            f"burst {tbf_burst_bytes(access)} limit 2000000",
            "qdisc add dev e0 parent 1:1 handle 10: pfifo limit 1000",
        ]
        commands |= {"s1": shaper, "s2": shaper}
    if scenario.router_model == "router":
        burst = tbf_burst_bytes(scenario.rate_mbps)
        limit = buffer_bytes(scenario)
        commands["rt"] = [
            f"qdisc add dev bott root handle 1: tbf rate {scenario.rate_mbps}mbit burst {burst} "
            f"limit {limit + burst}",
            f"qdisc add dev bott parent 1:1 handle 10: {queue_discipline(scenario)}",
        ]
    return commands


def queue_discipline(scenario: Scenario) -> str:
    """The bottleneck's queue with the buffer as its limit, in tc's words.

    A managed queue has its defaults otherwise. fq_codel and PIE count packets, CAKE the memory that
    packets take; it leaves the rate to the shaper above it.
    """
    packets = buffer_packets(scenario)
    return {
        "droptail": f"bfifo limit {buffer_bytes(scenario)}",
        "fq_codel": f"fq_codel limit {packets}",
        "pie": f"pie limit {packets}",
        "cake": f"cake unlimited memlimit {packets * CAKE_PACKET_BYTES}",
    }[scenario.aqm]


def kernel_parameters(scenario: Scenario) -> list[str]:
    """Words of the kernel's command line: parameters of cubic that are not Linux's."""
    names = {"cubic_hystart": "hystart", "cubic_friendliness": "tcp_friendliness",
             "cubic_beta": "beta"}  # fmt: skip
    changes = cubic_changes(scenario)
    return [f"tcp_cubic.{names[key]}={int(value)}" for key, value in changes.items()]


def netem_lines(scenario: Scenario) -> dict[str, list[str]]:
    """namespace -> lines for tools/netem: DEVICE DELAY_NS JITTER_NS LIMIT RATE_BYTES_PER_S SEED.

    Every netem that jitters also has a rate, because a netem with a rate never lets a packet
    overtake another: jitter below half a *full* frame's time still reorders the short segments
    that TCP sends now and then. It is ten times the bottleneck's, or the access link's where
    that is faster than the bottleneck.
    """
    hop, jitter = jitter_hop_ns(scenario), jitter_ns(scenario)
    fast = 10 * scenario.rate_mbps * 125_000
    access = HOST_PROFILES[scenario.host_profile]["access_mbps"] * 125_000
    hop_rate = access if access > scenario.rate_mbps * 125_000 else fast

    def line(place: str, delay: int, spread: int, limit: int, rate: int = 0) -> str:
        seed = netem_seed(scenario.seed, place)
        return f"{place.split(':')[1]} {delay} {spread} {limit} {rate} {seed}"

    lines = {
        "x1": [line("x1:o0", hop, jitter, DELAY_LIMIT_PACKETS, hop_rate)],
        "x2": [line("x2:o0", hop, jitter, DELAY_LIMIT_PACKETS, hop_rate)],
    }
    if scenario.router_model == "router":
        halves = {k: rtt_ms * 500_000 for k, rtt_ms in enumerate(flow_rtts_ms(scenario), 1)}
        lines["db"] = [
            line(f"db:f{k}", half, jitter, DELAY_LIMIT_PACKETS, fast) for k, half in halves.items()
        ]
        lines |= {
            f"d{k}": [line(f"d{k}:e0", half - hop, 0, DELAY_LIMIT_PACKETS)]
            for k, half in halves.items()
        }
    else:
        half = scenario.rtt_ms * 500_000
        limit = buffer_packets(scenario)
        rate = scenario.rate_mbps * 125_000
        lines["rt"] = [line("rt:bott", half, 0, limit, rate)]
        lines["db"] = [line("db:back", half - hop, jitter, limit, fast)]
    return lines


def guest_files(scenario: Scenario) -> dict[str, str]:
    """File name -> content of everything that the guest's shell script reads."""
    files = {"links.ip": link_commands()}
    for namespace in NAMESPACES:
        files[f"{namespace}.ip"] = address_commands(namespace)
        files[f"{namespace}.sysctl"] = [
            f"echo {value} > /proc/sys/net/{path}"
            for path, value in sysctl_settings(scenario, namespace)
        ]
    files |= {f"{namespace}.tc": lines for namespace, lines in tc_commands(scenario).items()}
    files |= {f"{namespace}.netem": lines for namespace, lines in netem_lines(scenario).items()}
    settings = {
        "NAMESPACES": f"'{' '.join(NAMESPACES)}'",
        "CCA1": KERNEL_CCA[scenario.cca1],
        "CCA2": KERNEL_CCA[scenario.cca2] if scenario.cca2 else "",
        "DURATION_S": f"{scenario.duration_s}",
        "START2_S": f"{scenario.start2_s:.2f}",
        "DURATION2_S": f"{scenario.duration_s - scenario.start2_s:.2f}",
        "RCVLOWAT": "65536",
        "RCVTIMEO_MS": "20",
        "GAMMA_TUNING": "Y" if scenario.gamma_tuning else "N",
        "TRACE": "Y" if scenario.trace else "N",
        "TCP_INFO": "Y" if scenario.tcp_info else "N",
        "CUBIC": "Y" if cubic_changes(scenario) else "N",
    }
    files["settings.sh"] = [f"{key}={value}" for key, value in settings.items()]
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}
