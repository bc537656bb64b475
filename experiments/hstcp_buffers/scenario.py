"""Runs of the HighSpeed TCP buffer experiment: grid, paths, seeds and derived settings.

A case is a plain dict with the keys of `CASE_KEYS`; its `scenario` names a link and its flows in
grid.yaml. Everything here is computed from its arguments alone.
"""

import math

from experiments.ns2 import stages
from experiments.ns2.scenario import packet_bytes

DATASET = "ns2-hstcp-buffers"

CASE_KEYS = ("scenario", "implementation", "aqm", "fraction", "repeat")
IMPLEMENTATIONS = ("sack1", "linux")
AQMS = ("droptail", "red")


def list_cases(stage):
    """All runs of a stage of the grid: its scenarios, implementations and queues vary fastest."""
    return [
        dict(zip(CASE_KEYS, (name, implementation, aqm, fraction, repeat), strict=True))
        for repeat in stage["repeats"]
        for fraction in stage["fractions"]
        for name in stage["scenarios"]
        for implementation in stage["implementations"]
        for aqm in stage["aqms"]
    ]


def fraction_text(fraction):
    """A buffer fraction as paths and records write it: two decimals, '0.10'.

    Raises ValueError for one that is not above 0, or that two decimals do not hold.
    """
    text = f"{fraction:.2f}"
    if not fraction > 0 or float(text) != fraction:
        raise ValueError(f"fraction {fraction!r}: use a number above 0 with at most two decimals")
    return text


def run_path(case, link):
    """Path of a run's folder within its data set, e.g. sack1/1000mbps/droptail/frac0.10/r1.

    A link with a `folder` of its own has it in front: two-flows/sack1/... Raises ValueError for a
    value that the path could not be read back from.
    """
    for key, known in (("implementation", IMPLEMENTATIONS), ("aqm", AQMS)):
        if case[key] not in known:
            raise ValueError(f"{key} {case[key]!r}: use one of {', '.join(known)}")
    if case["repeat"] < 1:
        raise ValueError(f"repeat {case['repeat']}: repeats count from 1")
    lead = f"{link['folder']}/" if "folder" in link else ""
    rate = f"{link['bottleneck_mbps']:g}mbps"
    cell = f"{case['aqm']}/frac{fraction_text(case['fraction'])}"
    return f"{lead}{case['implementation']}/{rate}/{cell}/r{case['repeat']}"


def draw_seed(path):
    """A run's seed, see stages.draw_seed."""
    return stages.draw_seed(DATASET, path)


def seed_path(case, link):
    """The path that a run's seed is drawn from: its own, or that of the run that it is set against.

    A link with one thing `changed` has the starts of the same run without the change, or, where it
    has `starts_of`, those of the implementation named there.
    """
    if "changed" not in link:
        return run_path(case, link)
    implementation = link.get("starts_of", {}).get(case["implementation"], case["implementation"])
    plain = {key: value for key, value in link.items() if key != "folder"}
    return run_path({**case, "implementation": implementation}, plain)


def queue_packets(case, link):
    """Packets that the bottleneck's buffer holds, the one in transmission not counted."""
    return max(1, round(case["fraction"] * link["full_buffer_packets"]))


def access_mbps(link, settings):
    """Rate of the senders' links, Mb/s: the link's own where it has one, else that of all."""
    return link.get("access_mbps", settings["access_mbps"])


def window_packets(case, link, settings):
    """Largest window of a sender in packets: `window_factor` x what its path can hold, rounded up.

    For all flows that of the longest path, so that losses and not the window end a flow's growth.
    """
    bdp_bytes = link["bottleneck_mbps"] * 1e6 * max(link["rtts_ms"]) / 1e3 / 8
    held = bdp_bytes / packet_bytes(settings) + queue_packets(case, link)
    return math.ceil(settings["window_factor"] * held)


def simulator_options(case, link, settings, seed):
    """The keys of hstcp_buffers.tcl but `out_dir`, as a dict in its order; lists are Tcl lists."""
    starts_s = stages.draw_starts_s(seed, len(link["rtts_ms"]), settings["start_spread_s"])
    return {
        "implementation": case["implementation"],
        "bottleneck_mbps": link["bottleneck_mbps"],
        "bottleneck_delay_ms": link["bottleneck_delay_ms"],
        "access_mbps": access_mbps(link, settings),
        "aqm": case["aqm"],
        "queue_packets": queue_packets(case, link),
        "red_min_fraction": settings["red_min_fraction"],
        "mss_bytes": settings["mss_bytes"],
        "rtts_ms": " ".join(f"{rtt_ms:g}" for rtt_ms in link["rtts_ms"]),
        "starts_s": " ".join(f"{start_s:.6f}" for start_s in starts_s),
        "max_ssthresh_packets": link.get("max_ssthresh_packets", settings["max_ssthresh_packets"]),
        "window_packets": window_packets(case, link, settings),
        "duration_s": settings["duration_s"],
        "interval_s": link["interval_s"],
        "seed": seed,
    }


def describe_run(case, link, settings, options):
    """The parts of run.json that are known before the run."""
    return {
        "record": "evenflow-run/1",
        "run": {
            "platform": "ns2",
            "tool": "ns-2",
            "role": "comparison",
            "repeat": case["repeat"],
            "seed": options["seed"],
            "bottleneck_mbps": link["bottleneck_mbps"],
            "buffer_bytes": options["queue_packets"] * packet_bytes(settings),
            "buffer_packets": options["queue_packets"],
            "duration_s": settings["duration_s"],
            "aqm": case["aqm"],
            "mss_bytes": settings["mss_bytes"],
            # free factors; the fraction is text, as the path's
            "link": f"{link['bottleneck_mbps']:g}mbps-{link['bottleneck_delay_ms']:g}ms",
            "buffer_fraction": fraction_text(case["fraction"]),
            "implementation": case["implementation"],
            "n_flows": len(link["rtts_ms"]),
            "access_mbps": access_mbps(link, settings),
            **({"changed": link["changed"]} if "changed" in link else {}),
        },
        "flows": {
            str(flow): {"cca": "highspeed", "start_s": float(start_s), "rtt_ms": rtt_ms}
            for flow, (start_s, rtt_ms) in enumerate(
                zip(options["starts_s"].split(), link["rtts_ms"], strict=True), start=1
            )
        },
    }


def summarise_queue(queue_log, from_s, link, packet):
    """Use and losses of the bottleneck over the last part of a run, from queue.log's text.

    `from_s` is the start of that part, s; `packet` a full packet's size in bytes. Returns
    utilisation (departed bits / (rate x time): the SYNs, 40 bytes each, count as full packets) and
    drop_share (dropped / arrived). Raises ValueError where the log has no such part.
    """
    rows = [[float(word) for word in line.split()] for line in queue_log.splitlines()]
    last = [row for row in rows if row[0] >= from_s - 1e-9]
    if len(last) < 2:
        raise ValueError(f"queue.log has no two lines from {from_s} s on: simulate longer")
    arrived, departed, dropped = (last[-1][i] - last[0][i] for i in (5, 6, 7))
    carried_bits = departed * packet * 8
    capacity_bits = link["bottleneck_mbps"] * 1e6 * (last[-1][0] - last[0][0])
    return {
        "from_s": last[0][0],
        "utilisation": round(carried_bits / capacity_bits, 6),
        "drop_share": round(dropped / arrived, 9) if arrived else 0.0,
        "drops": int(dropped),
    }
