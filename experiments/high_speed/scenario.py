"""The 900 Mb/s study in ns-2: what a case of cases.py means to high_speed.tcl.

Everything here is computed from its arguments alone; `config` is the section high-speed of
grid.yaml.
"""

import math

from experiments.high_speed import cases
from experiments.ns2 import stages
from experiments.ns2.scenario import SELECT_CA, packet_bytes

DATASET = "ns2-high-speed"


MOST_REPEATS = 50  # of a cell: half of the hundred starts that flow 2 can have


def draw_seed(case, config):
    """A run's seed: that of its path (stages.draw_seed), drawn again while its start is taken.

    ns-2 repeats itself to the bit, and flow 2's start, in steps of 10 ms, is all that tells two
    repeats of a cell apart: a start that a lower repeat has would make the run that one's double.
    Runs that are doubles although their starts differ are listed as `drawn_again`.
    """
    if case["repeat"] > MOST_REPEATS:
        raise ValueError(f"repeat {case['repeat']}: a cell has room for {MOST_REPEATS} repeats")
    taken = set()
    for repeat in range(1, case["repeat"] + 1):
        path = cases.run_path(case | {"repeat": repeat})
        seed, again = stages.draw_seed(DATASET, path), 0
        least = int(path in config.get("drawn_again", []))
        while (start_s := cases.draw_start_s(seed, config)) in taken or again < least:
            again += 1
            seed = stages.draw_seed(DATASET, f"{path}/again{again}")
        taken.add(start_s)
    return seed


def queue_packets(case, config):
    """Full packets that the bottleneck's buffer holds, the one in transmission not counted."""
    return max(1, round(cases.buffer_bytes(case, config) / packet_bytes(config["ns2"])))


def windows_packets(case, config):
    """Largest window of each sender, packets: `window_factor` x what its own path can hold.

    Rounded up. Losses and not the window then end a flow's growth, and slow start does not overrun
    the buffer by so much that TCP-Linux falls into a storm (docs/explanation/ns2.md).
    """
    held = [
        config["bottleneck_mbps"] * 125 * rtt_ms / packet_bytes(config["ns2"])
        + queue_packets(case, config)
        for rtt_ms in cases.rtts_ms(case, config)
    ]
    return [math.ceil(config["ns2"]["window_factor"] * packets) for packets in held]


def simulator_options(case, config, seed, duration_s, swapped=False):
    """The keys of high_speed.tcl but `out_dir`, as a dict in its order; lists are Tcl lists.

    Where `swapped`, flow 2 is there from 0 s on, and flow 1 comes when flow 2 would have come.
    The logs have a line a second, unless the settings have `log_interval_s`.
    """
    settings = config["ns2"]
    interval_s = settings.get("log_interval_s")
    starts_s = ["0", f"{cases.draw_start_s(seed, config):.2f}"]
    names = [SELECT_CA.get(case[key], case[key]) for key in ("cca1", "cca2")]
    return {
        "select_cas": " ".join(names),
        "bottleneck_mbps": config["bottleneck_mbps"],
        "bottleneck_delay_ms": settings["bottleneck_delay_ms"],
        "access_mbps": settings["access_mbps"],
        "queue_packets": queue_packets(case, config),
        "mss_bytes": settings["mss_bytes"],
        "rtts_ms": " ".join(f"{rtt_ms:g}" for rtt_ms in cases.rtts_ms(case, config)),
        "starts_s": " ".join(reversed(starts_s) if swapped else starts_s),
        "windows_packets": " ".join(map(str, windows_packets(case, config))),
        "send_jitter_s": f"{settings['send_jitter_s']:g}",
        "duration_s": duration_s,
        "seed": seed,
        **({"log_interval_s": interval_s} if interval_s else {}),
    }


def describe_run(case, config, options):
    """The parts of run.json that are known before the run."""
    starts_s = [float(word) for word in options["starts_s"].split()]
    rtts_ms = cases.rtts_ms(case, config)
    return {
        "record": "evenflow-run/1",
        "run": {
            **cases.describe_case(case, config),
            "platform": "ns2",
            "tool": "ns-2",
            "seed": options["seed"],
            "duration_s": options["duration_s"],
            "mss_bytes": options["mss_bytes"],
        },
        "flows": {
            str(flow): {"cca": case[f"cca{flow}"], "start_s": start_s, "rtt_ms": rtt_ms}
            for flow, start_s, rtt_ms in zip((1, 2), starts_s, rtts_ms, strict=True)
        },
    }
