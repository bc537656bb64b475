"""Runs of the cells with long RTTs that last half an hour: which runs they are set beside.

The runs of `ns2-long` are runs of `ns2-dumbbell` with the same seeds, those of `testbed-long` are
runs of `testbed-open`, all six times as long. Their steady state begins where the short runs end.
"""

from __future__ import annotations

import polars as pl
from evenflow.statistics.surfaces import PLACE

from .._grid.grid_runs import BUFFER, RTT
from .._grid.surfaces import Subject
from .design import HALF_HOUR, LONG, LONG_OPEN, OPEN, PLATFORMS, SIMULATION

# part of long runs -> part of the same runs that end sooner
SHORTER = {LONG: SIMULATION, LONG_OPEN: OPEN}


def beside_shorter(short: pl.DataFrame, long: pl.DataFrame, part: str = LONG) -> Subject:
    """Return the long runs, against those of the same place and repeat that end sooner.

    Args:
        short, long: results of `runs_of_parts`, of one part each.
        part: that of the long runs.
    """
    pair = [*PLACE, "repeat"]
    short, long = (
        mine.join(other.select(pair).unique(), on=pair, how="semi", maintain_order="left")
        for mine, other in ((short, long), (long, short))
    )
    return Subject(part, PLATFORMS[SHORTER[part]], long, _grid_of(long), short)


def beside_simulation(testbed: pl.DataFrame, simulation: pl.DataFrame) -> Subject:
    """Return the long runs of the testbed, against those of ns-2."""
    return Subject(HALF_HOUR, PLATFORMS[OPEN], testbed, _grid_of(testbed), simulation)


def _grid_of(runs: pl.DataFrame) -> pl.DataFrame:
    return runs.select(RTT, BUFFER).unique().sort(pl.all())
