"""Where the scenarios of a data set stand on its page: in which panel, along which factors."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ..congestion_controls import in_order
from ..statistics.factors import ROLE, drawn_along, following, panel_names, scenario_factors


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
