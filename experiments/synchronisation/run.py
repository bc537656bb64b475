"""Simulate one run of the synchronisation experiment in ns-2 and file it in its folder.

    python -m experiments.synchronisation.run --variant sack --aqm droptail \\
        --load pareto-5000kbps --repeat 1

from the root of the repository. Settings come from grid.yaml next to this file. The
run's folder appears whole or not at all.
"""

import argparse
import sys
from pathlib import Path

import yaml

from experiments.ns2 import one_run, output, stages
from experiments.ns2.one_run import ROOT, number
from experiments.synchronisation import scenario

SCRIPT = "synchronisation/synchronisation.tcl"
CONFIG = Path(__file__).with_name("grid.yaml")
LOGS = ("goodput.log", "drops.tr", "bins.log")
DETAILED_LOGS = ("bins.log",)  # kept of the first repeats only: they are the bulk


def read_background(goodput_log):
    """The counters of the background in a goodput.log's trailer: {"packets": ..., "bytes": ...}.

    Raises ValueError where the log has none.
    """
    for line in reversed(goodput_log.splitlines()):
        if line.startswith("# background packets "):
            return output.read_pairs(line.split()[2:])
    raise ValueError("goodput.log has no counters of the background")


def file_run(folder, case, grid, settings, options, detailed=True):
    """Simulate and write `folder`, see one_run.file_run; returns the record.

    Without `detailed` the log of the bins is left out; what Figure 1 needs of it is in run.json.
    """
    record = scenario.describe_run(case, grid, settings, options)
    name = case["variant"].removeprefix(scenario.LINUX)
    variant = name if name != case["variant"] else None

    def observe(messages, read):
        one_run.check_variant(messages, variant, len(record["flows"]))
        return {
            **output.read_trailer(read("goodput.log"), record["flows"]),
            "background": read_background(read("goodput.log")),
            "drops": scenario.summarise_drops(read("drops.tr"), settings["log_from_s"]),
        }

    limit_s = grid["wall_limit_s"]
    left_out = () if detailed else DETAILED_LOGS
    return one_run.file_run(folder, SCRIPT, options, record, LOGS, observe, limit_s, left_out)


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
    parser.add_argument("--duration-s", type=number, help="default: of the variant")
    for key, value in grid["settings"].items():
        parser.add_argument("--" + key.replace("_", "-"), type=number, default=value)
    parser.add_argument(
        "--dataset-dir",
        type=Path,
        default=ROOT / "data" / "raw" / scenario.DATASET,
    )
    return parser.parse_args(argv)


@one_run.as_command
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
    done = one_run.file_once(
        folder, want, lambda: file_run(folder, case, grid, settings, options, detailed)
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
