"""Where the scenarios of a data set stand in the figures of its page, and what these show of them.

Apart from the charts (`dataset_charts`), whose packages take half a second to load: the page says
the same of its figures.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ..congestion_controls import in_order
from ..statistics.factors import ROLE, drawn_along, following, panel_names, scenario_factors

MAX_RUNS = 12  # drawn over time
MAX_POINTS = 300  # of a flow over time; longer ones are averaged
MAX_PANELS = 24
MAX_LEVELS = 3  # of the second axis of a grid, where the first is drawn along x
MAX_ROWS = 40  # scenarios, a row each, where nothing that is a number varies


class Placed(NamedTuple):
    """Where the scenarios of a data set stand in its figures."""

    table: pl.DataFrame  # a row a scenario, in order: its factors (`scenario_factors`) and `panel`
    axes: list[str]  # the factors that figures draw along: two, one or none
    following: list[str]  # factors that follow from those that are drawn


def placed_scenarios(run: pl.DataFrame, flow: pl.DataFrame) -> Placed:
    """Return where the scenarios stand.

    Panels of comparisons come first, then in the order of the theme. Scenarios that no factor tells
    apart have a panel each, named like them.
    """
    table, numeric = scenario_factors(run, flow)
    axes, others = drawn_along(table, numeric)
    follow = following(table, axes, others)
    table = table.with_columns(panel_names(table, others))
    if table.select("panel", *axes).is_duplicated().any():
        table, axes = table.with_columns(pl.col("scenario_id").alias("panel")), []
    ccas = dict(
        run.select("scenario_id", "ccas")
        .unique("scenario_id", keep="any", maintain_order=True)
        .rows()
    )
    rank = {name: i for i, name in enumerate(in_order([c for c in set(ccas.values()) if c]))}
    order = [
        (row[ROLE] == "calibration", rank.get(ccas[row["scenario_id"]], len(rank)))
        for row in table.rows(named=True)
    ]
    table = table.with_columns(
        pl.Series("is_calibration", [o[0] for o in order]), pl.Series("rank", [o[1] for o in order])
    )
    table = table.sort("is_calibration", "rank", "panel", *axes, "scenario_id")
    return Placed(table.drop("is_calibration", "rank"), axes, follow)


def spread(items: list, n: int) -> list:
    """Return n of the items, evenly spread, with the first and the last."""
    if len(items) <= n:
        return items
    if n == 1:
        return [items[len(items) // 2]]
    return [items[round(i * (len(items) - 1) / (n - 1))] for i in range(n)]


def example_runs(run: pl.DataFrame, flow: pl.DataFrame) -> list[str]:
    """Return the runs that are drawn over time: a first repeat each, spread over the scenarios."""
    table = placed_scenarios(run, flow).table
    panels = [part["scenario_id"].to_list() for part in table.partition_by("panel")]
    panels = spread(panels, MAX_RUNS)
    chosen = [s for panel in panels for s in spread(panel, max(1, MAX_RUNS // len(panels)))]
    first = run.sort("repeat", "run_id").unique("scenario_id", keep="first", maintain_order=True)
    of = dict(first.select("scenario_id", "run_id").rows())
    return [of[scenario] for scenario in chosen]


def n_not_drawn(placed: Placed) -> int:
    """Return how many panels (or rows) of scenarios the figures leave out."""
    return max(0, placed.table["panel"].n_unique() - (MAX_PANELS if placed.axes else MAX_ROWS))
