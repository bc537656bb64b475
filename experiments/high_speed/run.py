"""Simulate one run of the 900 Mb/s study in ns-2 and file it in its folder.

    python -m experiments.high_speed.run --view inter --cca1 bic --cca2 cubic --rtt-ms 82 \\
        --queue bdp20 --repeat 1

from the root of the repository. Settings come from grid.yaml next to this file. The run's
folder appears whole or not at all.
"""

import argparse
import sys
from pathlib import Path

from experiments.high_speed import cases, scenario
from experiments.ns2 import one_run, output
from experiments.ns2.one_run import ROOT, number

SCRIPT = "high_speed/high_speed.tcl"
LOGS = ("goodput.log", "queue.log", "flow1.ssthresh.tr", "flow2.ssthresh.tr")
FIRST_ONLY = ("queue.log",)  # kept of the first repeat only


def check_algorithms(options, messages, trailer):
    """Raise RunError where a flow did not run the congestion control that it was asked to."""
    names = options["select_cas"].split()
    asked = dict(zip(("select_ca1", "select_ca2"), names, strict=True))
    fallback, known = output.check_algorithms(asked, messages, trailer)
    one_run.check_fallback(fallback, known, allow_fallback=False)


def file_run(folder, case, config, options):
    """Simulate and write `folder`, see one_run.file_run; returns the record."""

    def observe(messages, read):
        trailer = output.read_trailer(read("goodput.log"))
        check_algorithms(options, messages, trailer)
        return trailer

    record = scenario.describe_run(case, config, options)
    limit_s = config["ns2"]["wall_limit_s"]
    left_out = () if case["repeat"] == 1 else FIRST_ONLY
    return one_run.file_run(folder, SCRIPT, options, record, LOGS, observe, limit_s, left_out)


def parse_arguments(argv, config):
    dataset = scenario.DATASET
    parser = argparse.ArgumentParser(
        prog="python -m experiments.high_speed.run", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--view", required=True, choices=cases.VIEWS)
    parser.add_argument("--cca1", required=True)
    parser.add_argument("--cca2", required=True)
    parser.add_argument("--rtt-ms", required=True, type=number, help="of flow 2")
    parser.add_argument("--queue", required=True, choices=config["queues"])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: drawn from the run's path")
    parser.add_argument("--duration-s", type=int, default=config["datasets"][dataset]["duration_s"])
    parser.add_argument("--swapped", action="store_true", help="flow 2 first, flow 1 later")
    parser.add_argument("--log-interval-s", type=int, help="from line to line of the logs (1)")
    parser.add_argument("--flow2-start-s", type=number, default=config["flow2_start_s"])
    for key, value in config["ns2"].items():
        parser.add_argument("--" + key.replace("_", "-"), type=number, default=value)
    parser.add_argument("--dataset-dir", type=Path, default=ROOT / "data" / "raw" / dataset)
    return parser.parse_args(argv)


@one_run.as_command
def main(argv):
    config = cases.read_config()
    arguments = parse_arguments(argv, config)
    case = {key: getattr(arguments, key) for key in cases.CASE_KEYS}
    config["ns2"] = {key: getattr(arguments, key) for key in config["ns2"]}
    config["ns2"]["log_interval_s"] = arguments.log_interval_s
    config["flow2_start_s"] = arguments.flow2_start_s
    path = cases.run_path(case)
    drawn = scenario.draw_seed(case, config)
    seed = drawn if arguments.seed is None else arguments.seed
    options = scenario.simulator_options(
        case, config, seed, arguments.duration_s, arguments.swapped
    )
    folder = arguments.dataset_dir / path
    want = scenario.describe_run(case, config, options)
    done = one_run.file_once(folder, want, lambda: file_run(folder, case, config, options))
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
