"""The runs of the small campaigns: what grid.yaml asks for, run by run.

Each varies one thing against the grids of experiments/grid_testbed and experiments/grid_ns2.
"""

from __future__ import annotations

from experiments.ns2 import scenario as ns2
from experiments.testbed import scenario as testbed


def list_runs(small: dict) -> dict[str, list[str]]:
    """Return the command of every run by its path below data/raw, most informative first.

    Args:
        small: `datasets` and `blocks`. A data set, by its name, has `platform`, `options` of every
            run (as the options of experiments.<platform>.run are called, with _) and, where it has
            any, `variants` (name -> more options), `seeds_of` (the data set whose runs it is
            compared with) and `spelt` (a congestion control -> its name there). A block has the
            name of its `dataset`, `pairs` (role -> [[cca of flow 1, of flow 2], ...]), `rtt_ms`,
            `buffer_pct`, and optionally `repeats` (else 1) and `variants` (names).

    Returns:
        {'<dataset>/[<variant>/]<role>/<cca1>-<cca2>/rtt<ms>_opb<pct>/r<n>': words after `python
        -m`}. A run that several blocks name has the place of the first.

    Raises:
        KeyError: a block names a data set or a variant that is not described.
    """
    runs: dict[str, list[str]] = {}
    for block in small["blocks"]:
        dataset = small["datasets"][block["dataset"]]
        for repeat in range(1, block.get("repeats", 1) + 1):
            for variant in block.get("variants", [None]):
                folder = "/".join(filter(None, (block["dataset"], variant)))
                more = dataset["variants"][variant] if variant else {}
                for case in ns2.list_scenarios(block):
                    run = f"{folder}/{ns2.run_path(case, repeat)}"
                    given = dataset.get("options", {}) | more
                    given |= case | {"repeat": repeat, "seed": seed(folder, dataset, case, repeat)}
                    runs.setdefault(run, COMMANDS[dataset["platform"]](folder, run, given))
    return runs


def seed(folder: str, dataset: dict, case: dict, repeat: int) -> int:
    """Return a run's seed: that of the run that it is compared with, where there is one.

    The two then have the same start of flow 2 (and jitter), so that they differ in one thing only.
    """
    there = {key: dataset.get("spelt", {}).get(case[key], case[key]) for key in ("cca1", "cca2")}
    path = ns2.run_path(case | there, repeat)
    if dataset["platform"] == "ns2":  # always of the grid, ns2-dumbbell
        return ns2.draw_seed(path)
    return testbed.seed_of(f"{dataset.get('seeds_of', folder)}/{path}")


def ns2_command(folder: str, run: str, given: dict) -> list[str]:
    """Return the words that make one run in ns-2."""
    both = ["--cca", given.pop("cca1"), given.pop("cca2")]
    return ["experiments.ns2.run", "--dataset-dir", f"data/raw/{folder}", *both, *options(given)]


def testbed_command(folder: str, run: str, given: dict) -> list[str]:
    """Return the words that make one run on the testbed."""
    return ["experiments.testbed.run", f"data/raw/{run}", *options(given)]


def options(values: dict) -> list[str]:
    """Return options as words: {'rtt_ms': 100, 'no_jitter': True} is --rtt-ms 100 --no-jitter."""
    words = []
    for key, value in values.items():
        words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


COMMANDS = {"ns2": ns2_command, "testbed": testbed_command}
