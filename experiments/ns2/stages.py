"""What the staged campaigns of ns-2 share: seeds, start times, the runs of each stage of a grid."""

import hashlib
import random


def draw_seed(dataset, path):
    """A run's seed, 1 .. 2**31 - 1, from its data set and path: known before the run."""
    digest = hashlib.sha256(f"{dataset}/{path}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % (2**31 - 1) + 1


def draw_starts_s(seed, flows, spread_s):
    """Start of each flow in s, uniform over `spread_s` from 0 on, to 1 us, in no order.

    The simulation itself is deterministic (its random draws are fixed by the seed too): this is
    what makes the repeats of a scenario differ.
    """
    draw = random.Random(seed)
    return [round(draw.random() * spread_s, 6) for _ in range(flows)]


def list_stages(stages, list_cases, run_path):
    """For every stage its runs, {path: case}; a run that two stages name is the first's.

    `list_cases` gives the cases of a stage, `run_path` the path of a case.
    """
    seen, listed = set(), []
    for stage in stages:
        cases = {run_path(case): case for case in list_cases(stage)}
        listed.append({path: case for path, case in cases.items() if path not in seen})
        seen |= set(cases)
    return listed
