"""The runs of the 900 Mb/s study on both platforms: cases, paths, seeds, stages.

A case is a plain dict with the keys of `CASE_KEYS`: `rtt_ms` is flow 2's, and flow 1's but in the
view `rtt`; `queue` names a bottleneck buffer of grid.yaml. Everything is computed from
its arguments alone, but for `read_config`.
"""

import random
import re
from pathlib import Path

import yaml

from experiments.ns2 import stages
from experiments.testbed import scenario as testbed

CONFIG = Path(__file__).with_name("grid.yaml")

CASE_KEYS = ("view", "cca1", "cca2", "rtt_ms", "queue", "repeat")
CELL = re.compile(r"(?P<view>\w+)/(?P<cca1>\w+)-(?P<cca2>\w+)/rtt(?P<rtt_ms>\d+)_(?P<queue>\w+)")
VIEWS = ("friendliness", "intra", "rtt", "inter")


def read_config():
    """The section experiments: high-speed of the configuration."""
    return yaml.safe_load(CONFIG.read_text())["experiments"]["high-speed"]


def list_cases(stage, config):
    """All runs of a stage: of each repeat, queue and RTT every view, so that all views fill evenly.

    Two flows of the view rtt with the same RTT would be a run of intra, and are left to it. A stage
    may name its `cells` instead, by their paths (`run_path` without the repeat).
    """
    if "cells" in stage:
        cells = [_read_cell(cell, config) for cell in stage["cells"]]
        return [cell | {"repeat": repeat} for repeat in stage["repeats"] for cell in cells]
    return [
        dict(zip(CASE_KEYS, (view, cca1, cca2, rtt_ms, queue, repeat), strict=True))
        for repeat in stage["repeats"]
        for queue in stage["queues"]
        for rtt_ms in stage["rtt_ms"]
        for view in stage["views"]
        if not (view == "rtt" and rtt_ms == config["flow1_rtt_ms"])
        for cca1, cca2 in config["views"][view]
    ]


def _read_cell(cell, config):
    """The case of a cell's path, without its repeat; ValueError if the design has no such cell."""
    match = CELL.fullmatch(cell)
    case = match.groupdict() if match else {}
    pairs = config["views"].get(case.get("view"), [])
    if [case.get("cca1"), case.get("cca2")] not in pairs or case["queue"] not in config["queues"]:
        raise ValueError(
            f"experiments/high_speed/{CONFIG.name}: cells: {cell!r}: the design has no such cell;"
            " write view/cca1-cca2/rttMS_QUEUE with a view and a pair of `views` and a queue of"
            " `queues`"
        )
    return case | {"rtt_ms": int(case["rtt_ms"])}


def run_path(case):
    """Path of a run's folder within its data set, e.g. rtt/bic-bic/rtt16_bdp20/r1."""
    cell = f"rtt{case['rtt_ms']}_{case['queue']}"
    return f"{case['view']}/{case['cca1']}-{case['cca2']}/{cell}/r{case['repeat']}"


def rtts_ms(case, config):
    """RTTs of flow 1 and flow 2 without queueing, ms."""
    first = config["flow1_rtt_ms"] if case["view"] == "rtt" else case["rtt_ms"]
    return first, case["rtt_ms"]


def buffer_bytes(case, config):
    """Bottleneck buffer, bytes: as given, or a share of the bottleneck's rate x flow 1's RTT."""
    queue = config["queues"][case["queue"]]
    if "buffer_bytes" in queue:
        return queue["buffer_bytes"]
    bdp_bytes = config["bottleneck_mbps"] * 125 * rtts_ms(case, config)[0]
    return bdp_bytes * queue["buffer_pct"] // 100


def draw_start_s(seed, config):
    """Start of flow 2, s: uniform over a second, to the 10 ms that iperf's -t resolves."""
    return round(config["flow2_start_s"] + random.Random(seed).random(), 2)


def describe_case(case, config):
    """The part of run.json that both platforms share: settings, and the free factors view, queue.

    A run of two equal flows is the calibration of its congestion control and cell.
    """
    return {
        "role": "calibration" if case["view"] == "intra" else "comparison",
        "repeat": case["repeat"],
        "bottleneck_mbps": config["bottleneck_mbps"],
        "buffer_bytes": buffer_bytes(case, config),
        "aqm": "droptail",
        "view": case["view"],
        "queue": case["queue"],
    }


def list_stages(config, dataset):
    """For every stage of a data set its runs, {path: case}, see stages.list_stages."""
    return stages.list_stages(
        config["datasets"][dataset]["stages"], lambda stage: list_cases(stage, config), run_path
    )


def command(config, dataset, case):
    """The words after `python -m` that make one run of a data set."""
    platform = config["datasets"][dataset]["platform"]
    return {"ns2": _ns2_command, "testbed": _testbed_command}[platform](config, dataset, case)


def _ns2_command(config, dataset, case):
    design = config["datasets"][dataset]
    options = {**case, "dataset_dir": f"data/raw/{dataset}", "duration_s": design["duration_s"]}
    options |= {key: design[key] for key in ("swapped", "log_interval_s") if key in design}
    return _words("experiments.high_speed.run", options)


def _testbed_command(config, dataset, case):
    run = f"{dataset}/{run_path(case)}"
    seed = testbed.seed_of(run)
    first_ms, second_ms = rtts_ms(case, config)
    queue = config["queues"][case["queue"]]
    options = {key: case[key] for key in ("view", "queue", "cca1", "cca2", "repeat")}
    options |= {"role": describe_case(case, config)["role"], "rtt_ms": first_ms}
    options |= {"rtt2_ms": second_ms} if first_ms != second_ms else {}
    options |= {"buffer_pct": queue["buffer_pct"]} if "buffer_pct" in queue else {}
    options |= {"fixed_buffer_bytes": queue["buffer_bytes"]} if "buffer_bytes" in queue else {}
    options |= {"seed": seed, "start2_s": f"{draw_start_s(seed, config):.2f}", "tcp_info": True}
    options |= {"rate_mbps": config["bottleneck_mbps"]}
    options |= {"duration_s": config["datasets"][dataset]["duration_s"], **config["testbed"]}
    return _words(f"experiments.testbed.run data/raw/{run}", options)


def _words(start, options):
    """{'rtt_ms': 82, 'tcp_info': True} after a start is 'start --rtt-ms 82 --tcp-info'."""
    words = [start]
    for key, value in options.items():
        words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
    return " ".join(words)
