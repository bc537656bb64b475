"""Simulate one run of the HighSpeed TCP buffer experiment in ns-2 and file it in its folder.

    python -m experiments.hstcp_buffers.run --scenario 1000mbps --implementation sack1 \\
        --aqm droptail --fraction 0.1 --repeat 1

from the root of the repository. Settings come from grid.yaml next to this file. The run's
folder appears whole or not at all.
"""

import argparse
import sys
import time
from pathlib import Path

import yaml

from experiments.hstcp_buffers import scenario
from experiments.ns2 import output, run, stages

SCRIPT = "hstcp_buffers/hstcp_buffers.tcl"
CONFIG = Path(__file__).with_name("grid.yaml")
LOGS = ("goodput.log", "queue.log")


def check_implementation(case, flows, messages):
    """Raise ValueError where ns-2 ran something else (docs/explanation/ns2.md, fallback)."""
    asked, unknown, _ = output.scan_algorithms(messages)
    wanted = ["highspeed"] * flows if case["implementation"] == "linux" else []
    if asked != wanted or unknown:
        raise ValueError(f"ns-2 reports select_ca for {asked}, unknown {unknown}; wanted: {wanted}")


def file_run(folder, case, link, settings, options, wall_limit_s):
    """Simulate and write `folder` with the logs and run.json; returns the record.

    Raises RunError or ValueError, and leaves no folder, where anything is not as it should be.
    """
    simulator = run.find_simulator()
    with run.new_folder(folder) as work:
        record = scenario.describe_run(case, link, settings, options)
        started = time.monotonic()
        messages = run.simulate(simulator, options, work, wall_limit_s, SCRIPT)
        wall_s = time.monotonic() - started
        check_implementation(case, len(record["flows"]), messages)
        logs = {name: (work / name).read_text() for name in LOGS}
        record["observed"] = {
            **output.read_trailer(logs["goodput.log"], record["flows"]),
            "steady_state": scenario.summarise_queue(
                logs["queue.log"],
                settings["summary_from_s"],
                link,
                scenario.packet_bytes(settings),
            ),
        }
        record["run"]["tool_version"] = run.read_simulator_version(logs["goodput.log"])
        record["made_by"] = run.describe_making(SCRIPT, options, wall_s)
        run.write_run(work, record, LOGS)
    return record


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
    parser.add_argument("--fraction", required=True, type=run.number, help="of the full buffer")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: derived from the run's path")
    for key, value in config["settings"].items():
        parser.add_argument("--" + key.replace("_", "-"), type=run.number, default=value)
    parser.add_argument(
        "--dataset-dir", type=Path, default=run.ROOT / "data" / "raw" / scenario.DATASET
    )
    return parser.parse_args(argv)


@run.as_command
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
    done = run.file_once(
        folder, want, lambda: file_run(folder, case, link, settings, options, limit_s)
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
