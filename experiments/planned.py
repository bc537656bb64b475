"""The plan of all campaigns: how many runs of each scenario their grids ask for.

Each campaign's rules say which runs it plans; results/planned.csv keeps the counts, so that claims
and the index can say how much of the design is there. A plan never depends on what a run showed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

PLANNED: set[str] = set()
HEADER = "dataset_id,scenario,n_planned"


def plan(runs: Iterable[str]) -> None:
    """Add the runs of a campaign, '<dataset>/<scenario>/r<n>' below data/raw, to the plan."""
    PLANNED.update(runs)


def planned_lines(runs: Iterable[str]) -> list[str]:
    """Return results/planned.csv, a line a scenario: its data set, its folder there, its runs.

    Raises:
        ValueError: a run's path is not '<dataset>/<scenario>/r<n>', or has a comma.
    """
    for run in runs:
        if run.count("/") < 2 or "," in run:
            raise ValueError(f"{run}: a planned run is <dataset>/<scenario>/r<n>, without a comma")
    counts = Counter(run.rpartition("/")[0] for run in set(runs))
    lines = (f"{scenario.replace('/', ',', 1)},{n}" for scenario, n in sorted(counts.items()))
    return [HEADER, *lines]
