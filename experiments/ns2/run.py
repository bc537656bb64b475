"""Simulate one run of the two-flow dumbbell in ns-2 and file it in its folder.

    python -m experiments.ns2.run --role comparison --cca newreno bic --rtt-ms 100 --buffer-pct 20

from the root of the repository. Settings that are not given come from
experiments/grid_ns2/grid.yaml. The run's folder appears whole or not at all.
"""

import argparse
import sys
from pathlib import Path

import yaml

from experiments.ns2 import one_run, output, scenario
from experiments.ns2.one_run import EXPERIMENTS, OWN_RENO, ROOT, number

CONFIG = EXPERIMENTS / "grid_ns2" / "grid.yaml"
SCRIPT = "ns2/dumbbell.tcl"
LOGS = ("goodput.log", "queue.log", "drops.tr")
DETAILED_LOGS = ("queue.log", "drops.tr")  # kept of the first repeats only: they are the bulk


def describe_run(case, repeat, settings, options):
    """The parts of run.json that are known before the run."""
    return {
        "record": "evenflow-run/1",
        "run": {
            "platform": "ns2",
            "tool": "ns-2",
            "role": case["role"],
            "repeat": repeat,
            "seed": options["seed"],
            "bottleneck_mbps": settings["bottleneck_mbps"],
            "rtt_ms": case["rtt_ms"],
            "buffer_pct": case["buffer_pct"],
            "buffer_bytes": options["queue_packets"] * scenario.packet_bytes(settings),
            "duration_s": settings["duration_s"],
            "aqm": "droptail",
            "mss_bytes": settings["mss_bytes"],
        },
        "flows": {
            "1": {"cca": case["cca1"], "start_s": float(options["start1_s"])},
            "2": {"cca": case["cca2"], "start_s": options["start2_s"]},
        },
    }


def describe_observed(options, fallback, trailer):
    """What the run itself measured, for run.json: the counters of goodput.log's trailer, and the
    congestion control that each flow really ran."""
    flows = {}
    for flow, counters in trailer["flows"].items():
        asked = options[f"select_ca{flow}"]
        ran = f"ns-2's own Reno (fallback from {asked!r})" if flow in fallback else asked
        flows[flow] = {"congestion_control": ran, **counters}
        flows[flow] |= {"asked": asked} if flow in fallback else {}
    return {"flows": flows, "queue": trailer["queue"]}


def file_run(folder, case, repeat, settings, options, allow_fallback, wall_limit_s, detailed=True):
    """Simulate and write `folder`, see one_run.file_run; returns the record.

    Without `detailed` the logs of the queue and of the drops are left out; their totals are in
    goodput.log and in run.json all the same.
    """
    record = describe_run(case, repeat, settings, options)

    def observe(messages, read):
        trailer = output.read_trailer(read("goodput.log"))
        fallback, known = output.check_algorithms(options, messages, trailer)
        one_run.check_fallback(fallback, known, allow_fallback)
        for flow in fallback:
            record["flows"][flow]["cca"] = OWN_RENO
        return describe_observed(options, fallback, trailer)

    left_out = () if detailed else DETAILED_LOGS
    return one_run.file_run(folder, SCRIPT, options, record, LOGS, observe, wall_limit_s, left_out)


def read_config():
    """The section experiments: ns2-dumbbell of the default configuration."""
    return yaml.safe_load(CONFIG.read_text())["experiments"][scenario.DATASET]


def parse_arguments(argv):
    config = read_config()
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ns2.run", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--role", required=True, choices=scenario.ROLES)
    parser.add_argument("--cca", required=True, nargs=2, metavar=("FLOW1", "FLOW2"))
    parser.add_argument("--rtt-ms", required=True, type=number)
    parser.add_argument("--buffer-pct", required=True, type=number, help="%% of bottleneck x RTT")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: derived from the run's path")
    for key in scenario.SETTING_KEYS:
        option = "--" + key.replace("_", "-")
        parser.add_argument(option, type=number, default=config["settings"][key])
    parser.add_argument(
        "--delayed-acks-s",
        type=number,
        help="receivers acknowledge every second packet, and a lone one after so many seconds",
    )
    parser.add_argument("--wall-limit-s", type=number, default=config["wall_limit_s"])
    parser.add_argument("--detailed-repeats", type=int, default=config["detailed_repeats"])
    parser.add_argument(
        "--dataset-dir", type=Path, default=ROOT / "data" / "raw" / scenario.DATASET
    )
    parser.add_argument(
        "--allow-fallback",
        action="store_true",
        help="keep a run in which ns-2 does not know a congestion control and runs its own Reno",
    )
    return parser.parse_args(argv)


@one_run.as_command
def main(argv):
    arguments = parse_arguments(argv)
    cca1, cca2 = arguments.cca
    case = {
        "role": arguments.role,
        "cca1": cca1,
        "cca2": cca2,
        "rtt_ms": arguments.rtt_ms,
        "buffer_pct": arguments.buffer_pct,
    }
    settings = {key: getattr(arguments, key) for key in scenario.SETTING_KEYS}
    settings["delayed_acks_s"] = arguments.delayed_acks_s
    path = scenario.run_path(case, arguments.repeat)
    seed = arguments.seed if arguments.seed is not None else scenario.draw_seed(path)
    options = scenario.simulator_options(case, settings, seed)
    folder = arguments.dataset_dir / path
    done = one_run.file_once(
        folder,
        describe_run(case, arguments.repeat, settings, options),
        lambda: file_run(
            folder,
            case,
            arguments.repeat,
            settings,
            options,
            arguments.allow_fallback,
            arguments.wall_limit_s,
            detailed=arguments.repeat <= arguments.detailed_repeats,
        ),
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
