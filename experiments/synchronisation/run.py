"""Simulate one run of the synchronisation experiment in ns-2 and file it in its folder.

    python -m experiments.synchronisation.run --variant sack --aqm droptail \\
        --load pareto-5000kbps --repeat 1

from the root of the repository. Settings come from grid.yaml next to this file. The
run's folder appears whole or not at all.
"""

import argparse
import sys
import time
from pathlib import Path

import yaml

from experiments.ns2 import output, run, stages
from experiments.synchronisation import scenario

SCRIPT = "synchronisation/synchronisation.tcl"
CONFIG = Path(__file__).with_name("grid.yaml")
LOGS = ("goodput.log", "drops.tr", "bins.log")
DETAILED_LOGS = ("bins.log",)  # kept of the first repeats only: they are the bulk


def check_implementation(case, flows, messages):
    """Raise ValueError where ns-2 ran something else (docs/explanation/ns2.md, fallback)."""
    asked, unknown, _ = output.scan_algorithms(messages)
    name = case["variant"].removeprefix(scenario.LINUX)
    wanted = [name] * flows if name != case["variant"] else []
    if asked != wanted or unknown:
        raise ValueError(f"ns-2 reports select_ca for {asked}, unknown {unknown}; wanted: {wanted}")


def read_background(goodput_log):
    """The counters of the background in a goodput.log's trailer: {"packets": ..., "bytes": ...}.

    Raises ValueError where the log has none.
    """
    for line in reversed(goodput_log.splitlines()):
        if line.startswith("# background packets "):
            return output.read_pairs(line.split()[2:])
    raise ValueError("goodput.log has no counters of the background")


def file_run(folder, case, grid, settings, options, detailed=True):
    """Simulate and write `folder` with the logs and run.json; returns the record.

    Without `detailed` the log of the bins is left out; what Figure 1 needs of it is in run.json.
    Raises RunError or ValueError, and leaves no folder, where anything is not as it should be.
    """
    simulator = run.find_simulator()
    with run.new_folder(folder) as work:
        record = scenario.describe_run(case, grid, settings, options)
        started = time.monotonic()
        messages = run.simulate(simulator, options, work, grid["wall_limit_s"], SCRIPT)
        wall_s = time.monotonic() - started
        check_implementation(case, len(record["flows"]), messages)
        logs = {name: (work / name).read_text() for name in LOGS}
        record["observed"] = {
            **output.read_trailer(logs["goodput.log"], record["flows"]),
            "background": read_background(logs["goodput.log"]),
            "drops": scenario.summarise_drops(logs["drops.tr"], settings["log_from_s"]),
        }
        record["run"]["tool_version"] = run.read_simulator_version(logs["goodput.log"])
        record["made_by"] = run.describe_making(SCRIPT, options, wall_s)
        run.write_run(work, record, LOGS, () if detailed else DETAILED_LOGS)
    return record


def list_stages(grid):
    """For every stage of a grid its runs, {path: case}, see stages.list_stages."""
    return stages.list_stages(
        grid["stages"],
        scenario.list_cases,
        lambda case: scenario.run_path(case, grid["backgrounds"]),
    )


def read_config():
    """The section experiments: ns2-synchronisation of the configuration."""
    return yaml.safe_load(CONFIG.read_text())["experiments"][scenario.DATASET]


def parse_arguments(argv, grid):
    parser = argparse.ArgumentParser(
        prog="python -m experiments.synchronisation.run",
        description=__doc__.split("\n\n")[0],
    )
    parser.add_argument("--variant", required=True, choices=scenario.VARIANTS)
    parser.add_argument("--aqm", required=True, choices=scenario.AQMS)
    parser.add_argument("--load", required=True, choices=sorted(grid["backgrounds"]))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: derived from the run's path")
    parser.add_argument("--duration-s", type=run.number, help="default: of the variant")
    for key, value in grid["settings"].items():
        parser.add_argument("--" + key.replace("_", "-"), type=run.number, default=value)
    parser.add_argument(
        "--dataset-dir",
        type=Path,
        default=run.ROOT / "data" / "raw" / scenario.DATASET,
    )
    return parser.parse_args(argv)


@run.as_command
def main(argv):
    grid = read_config()
    arguments = parse_arguments(argv, grid)
    case = {key: getattr(arguments, key) for key in scenario.CASE_KEYS}
    settings = {key: getattr(arguments, key) for key in grid["settings"]}
    if arguments.duration_s is not None:
        background = {**grid["backgrounds"][case["load"]], "duration_s": arguments.duration_s}
        grid["backgrounds"][case["load"]] = background
    path = scenario.run_path(case, grid["backgrounds"])
    seed = scenario.draw_seed(path) if arguments.seed is None else arguments.seed
    options = scenario.simulator_options(case, grid, settings, seed)
    folder = arguments.dataset_dir / path
    n_detailed = grid["detailed_repeats_of"].get(case["load"], grid["detailed_repeats"])
    detailed = case["repeat"] <= n_detailed
    want = scenario.describe_run(case, grid, settings, options)
    done = run.file_once(
        folder, want, lambda: file_run(folder, case, grid, settings, options, detailed)
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
