"""Simulate one run of the HighSpeed TCP buffer experiment in ns-2 and file it in its folder.

    python -m experiments.hstcp_buffers.run --scenario 1000mbps --implementation sack1 \\
        --aqm droptail --fraction 0.1 --repeat 1

from the root of the repository. Settings come from grid.yaml next to this file. The run's
folder appears whole or not at all.
"""

import argparse
import sys
from pathlib import Path

import yaml

from experiments.hstcp_buffers import scenario
from experiments.ns2 import one_run, output, stages
from experiments.ns2.one_run import ROOT, number

SCRIPT = "hstcp_buffers/hstcp_buffers.tcl"
CONFIG = Path(__file__).with_name("grid.yaml")
LOGS = ("goodput.log", "queue.log")


def file_run(folder, case, link, settings, options, wall_limit_s):
    """Simulate and write `folder`, see one_run.file_run; returns the record."""
    record = scenario.describe_run(case, link, settings, options)
    variant = "highspeed" if case["implementation"] == "linux" else None

    def observe(messages, read):
        one_run.check_variant(messages, variant, len(record["flows"]))
        return {
            **output.read_trailer(read("goodput.log"), record["flows"]),
            "steady_state": scenario.summarise_queue(
                read("queue.log"),
                settings["summary_from_s"],
                link,
                scenario.packet_bytes(settings),
            ),
        }

    return one_run.file_run(folder, SCRIPT, options, record, LOGS, observe, wall_limit_s)


def list_stages(grid):
    """For every stage of a grid its runs, {path: case}, see stages.list_stages."""
    return stages.list_stages(
        grid["stages"],
        scenario.list_cases,
        lambda case: scenario.run_path(case, grid["scenarios"][case["scenario"]]),
    )


def read_config():
    """The section experiments: ns2-hstcp-buffers of the configuration."""
    return yaml.safe_load(CONFIG.read_text())["experiments"][scenario.DATASET]


def parse_arguments(argv, config):
    parser = argparse.ArgumentParser(
        prog="python -m experiments.hstcp_buffers.run", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--scenario", required=True, choices=sorted(config["scenarios"]))
    parser.add_argument("--implementation", required=True, choices=scenario.IMPLEMENTATIONS)
    parser.add_argument("--aqm", required=True, choices=scenario.AQMS)
    parser.add_argument("--fraction", required=True, type=number, help="of the full buffer")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: derived from the run's path")
    for key, value in config["settings"].items():
        parser.add_argument("--" + key.replace("_", "-"), type=number, default=value)
    parser.add_argument(
        "--dataset-dir", type=Path, default=ROOT / "data" / "raw" / scenario.DATASET
    )
    return parser.parse_args(argv)


@one_run.as_command
def main(argv):
    config = read_config()
    arguments = parse_arguments(argv, config)
    case = {key: getattr(arguments, key) for key in scenario.CASE_KEYS}
    link = config["scenarios"][arguments.scenario]
    settings = {key: getattr(arguments, key) for key in config["settings"]}
    path = scenario.run_path(case, link)
    drawn = scenario.draw_seed(scenario.seed_path(case, link))
    seed = drawn if arguments.seed is None else arguments.seed
    options = scenario.simulator_options(case, link, settings, seed)
    folder = arguments.dataset_dir / path
    want = scenario.describe_run(case, link, settings, options)
    limit_s = config["wall_limit_s"]
    done = one_run.file_once(
        folder, want, lambda: file_run(folder, case, link, settings, options, limit_s)
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
