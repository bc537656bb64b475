"""Runs of the synchronisation experiment: grid, paths, seeds and derived settings.

A case is a plain dict with the keys of `CASE_KEYS`; its `load` names a background in
grid.yaml. Everything here is computed from its arguments alone.
"""

from experiments.ns2 import stages

DATASET = "ns2-synchronisation"

CASE_KEYS = ("variant", "aqm", "load", "repeat")
# ns-2's own senders, and Linux's (Agent/TCP/Linux), which tell what of a result is the
# implementation's
VARIANTS = ("sack", "highspeed", "scalable", "linux-highspeed", "linux-scalable")
LINUX = "linux-"
AQMS = ("droptail", "red")
ON_OFF = ("pareto", "exponential")
HEADER_BYTES = 40  # IPv4 20, TCP 20: no timestamps

# what a background of each kind says in the configuration, apart from 'background' and the settings
# of its own ('duration_s', 'send_jitter_s'); on-off sources give their number, or the rate of one
BACKGROUND_KEYS = {
    "none": (),
    "pareto": ("aggregate_mbps",),
    "exponential": ("aggregate_mbps",),
    "ftp": ("interval_s", "transfer_packets"),
    "http": (
        "sessions",
        "pages",
        "page_gap_s",
        "page_objects",
        "object_gap_s",
        "object_packets",
        "servers",
    ),
}


def list_cases(stage):
    """All runs of a stage of the grid; backgrounds vary fastest."""
    return [
        dict(zip(CASE_KEYS, (variant, aqm, load, repeat), strict=True))
        for repeat in stage["repeats"]
        for aqm in stage["aqms"]
        for variant in stage["variants"]
        for load in stage["loads"]
    ]


def run_path(case, backgrounds):
    """Path of a run's folder within its data set, e.g. sack/droptail/pareto-5000kbps/r1.

    `backgrounds` are those of the configuration, by name. Raises ValueError for an unknown value.
    """
    for key, known in (("variant", VARIANTS), ("aqm", AQMS), ("load", tuple(backgrounds))):
        if case[key] not in known:
            raise ValueError(f"{key} {case[key]!r}: use one of {', '.join(known)}")
    if case["repeat"] < 1:
        raise ValueError(f"repeat {case['repeat']}: repeats count from 1")
    return f"{case['variant']}/{case['aqm']}/{case['load']}/r{case['repeat']}"


def draw_seed(path):
    """A run's seed, see stages.draw_seed; Linux's senders have that of ns-2's own."""
    return stages.draw_seed(DATASET, path.removeprefix(LINUX))


def on_off_sources(background):
    """Number and rate while on (bit/s) of on-off sources, as {"sources": ..., "source_bps": ...}.

    A source is on for half of the time (equal means of on and off time), so that n sources of rate
    r carry n r / 2 on average, which is the aggregate. `background` gives r (`source_kbps`) or n
    (`sources`). Raises ValueError where it gives both or neither, or n is not whole.
    """
    aggregate_bps = background["aggregate_mbps"] * 1e6
    if ("sources" in background) == ("source_kbps" in background):
        raise ValueError(f"background {background}: give either sources or source_kbps")
    if "sources" in background:
        sources = background["sources"]
        return {"sources": sources, "source_bps": 2 * aggregate_bps / sources}
    source_bps = background["source_kbps"] * 1e3
    sources = 2 * aggregate_bps / source_bps
    if sources != int(sources):
        raise ValueError(f"background {background}: {sources} sources; choose a whole number")
    return {"sources": int(sources), "source_bps": source_bps}


def background_options(background, settings):
    """The keys of synchronisation.tcl that describe the background, as a dict.

    Raises ValueError where `background` lacks a key or has one that its kind does not know.
    """
    kind = background["background"]
    if kind not in BACKGROUND_KEYS:
        raise ValueError(f"background {kind!r}: use one of {', '.join(BACKGROUND_KEYS)}")
    known = set(BACKGROUND_KEYS[kind])
    given = set(background) - {"background", "duration_s", "send_jitter_s"}
    if kind in ON_OFF:
        given -= {"sources", "source_kbps"}
    if given != known:
        raise ValueError(f"background {background}: its keys are {', '.join(sorted(known))}")
    options = {"background": kind}
    if kind in ON_OFF:
        options |= on_off_sources(background) | {"on_off_s": settings["on_off_s"]}
        if kind == "pareto":
            options["pareto_shape"] = settings["pareto_shape"]
        return options
    options |= {key: background[key] for key in BACKGROUND_KEYS[kind]}
    if kind == "http":
        options["object_shape"] = settings["object_shape"]
    if kind in ("ftp", "http"):
        options["background_window_packets"] = settings["background_window_packets"]
    return options


def duration_s(case, background, durations_s):
    """Length of a run in s: that of its background where it has one, else of queue and variant."""
    variant = case["variant"].removeprefix(LINUX)
    return background.get("duration_s", durations_s[case["aqm"]][variant])


def simulator_options(case, grid, settings, seed):
    """The keys of synchronisation.tcl but `out_dir`, as a dict in its order."""
    background = grid["backgrounds"][case["load"]]
    starts_s = stages.draw_starts_s(seed, len(grid["rtts_ms"]), settings["start_spread_s"])
    end_s = duration_s(case, background, grid["durations_s"])
    return {
        "variant": case["variant"],
        "aqm": case["aqm"],
        "rtts_ms": ",".join(f"{rtt_ms:g}" for rtt_ms in grid["rtts_ms"]),
        "starts_s": ",".join(f"{start_s:.6f}" for start_s in starts_s),
        "bottleneck_mbps": settings["bottleneck_mbps"],
        "bottleneck_delay_ms": settings["bottleneck_delay_ms"],
        "access_mbps": settings["access_mbps"],
        "queue_packets": settings["queue_packets"],
        "packet_bytes": settings["packet_bytes"],
        "window_packets": settings["window_packets"],
        "send_jitter_s": background.get("send_jitter_s", settings["send_jitter_s"]),
        "duration_s": end_s,
        "log_from_s": settings["log_from_s"],
        "bins_until_s": min(settings["bins_until_s"], end_s),
        "bin_s": settings["bin_s"],
        "full_share": settings["full_share"],
        "seed": seed,
        **background_options(background, settings),
    }


def describe_run(case, grid, settings, options):
    """The parts of run.json that are known before the run."""
    factors = {"load": case["load"], "background": options["background"]}
    if options["background"] in ON_OFF:
        factors["sources"] = options["sources"]
        factors["source_kbps"] = options["source_bps"] / 1e3
        factors["aggregate_mbps"] = grid["backgrounds"][case["load"]]["aggregate_mbps"]
    if case["variant"].startswith(LINUX):
        factors["implementation"] = "linux"
    cca = case["variant"].removeprefix(LINUX)
    return {
        "record": "evenflow-run/1",
        "run": {
            "platform": "ns2",
            "tool": "ns-2",
            "role": "comparison",
            "repeat": case["repeat"],
            "seed": options["seed"],
            "bottleneck_mbps": settings["bottleneck_mbps"],
            "buffer_bytes": settings["queue_packets"] * settings["packet_bytes"],
            "buffer_packets": settings["queue_packets"],
            "duration_s": options["duration_s"],
            "aqm": case["aqm"],
            "mss_bytes": settings["packet_bytes"] - HEADER_BYTES,
            **factors,
        },
        "flows": {
            str(flow): {"cca": cca, "start_s": float(start_s), "rtt_ms": rtt_ms}
            for flow, (start_s, rtt_ms) in enumerate(
                zip(options["starts_s"].split(","), grid["rtts_ms"], strict=True), start=1
            )
        },
    }


def summarise_drops(drops_tr, from_s):
    """Packets dropped from `from_s` on, by flow, from the text of drops.tr.

    Returns {"from_s": ..., "flows": {"1": n, ...}, "background": n}: flow ids from 100 on are
    background.
    """
    flows, background = {}, 0
    for line in drops_tr.splitlines():
        flow = line.split()[7]
        if int(flow) >= 100:
            background += 1
        else:
            flows[flow] = flows.get(flow, 0) + 1
    return {"from_s": from_s, "flows": dict(sorted(flows.items())), "background": background}
