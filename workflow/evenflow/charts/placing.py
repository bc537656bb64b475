"""Where the scenarios of a data set stand on its page: in which panel, along which factors."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ..congestion_controls import in_order
from ..metrics.fairness import compared
from ..statistics.factors import (
    ROLE,
    RTT_OF_FLOW,
    drawn_along,
    following,
    panel_names,
    scenario_factors,
)

SEVERAL = 3  # RTTs that a name lists one by one


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
    table = table.with_columns(pl.Series("panel", _with_rtts(table, axes, run, flow)))
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


def _with_rtts(
    table: pl.DataFrame, axes: list[str], run: pl.DataFrame, flow: pl.DataFrame
) -> list[str]:
    """Return the names of panels, with the RTTs of the flows where those of a run differ.

    Not where figures draw along them, or scenarios of one panel have others.
    """
    if any(axis.startswith(RTT_OF_FLOW) for axis in axes):
        return table["panel"].to_list()
    of_flows = compared(flow).sort("run_id", "flow_id").select("run_id", "base_rtt_s")
    of_runs = of_flows.join(run.select("run_id", "scenario_id"), on="run_id", how="inner")
    rtts: dict[str, list] = {}
    for scenario, rtt_s in of_runs.select("scenario_id", "base_rtt_s").rows():
        rtts.setdefault(scenario, []).append(rtt_s)
    said = {scenario: _unlike(of) for scenario, of in rtts.items()}
    of_panel: dict[str, set[str]] = {}
    rows = table.select("panel", "scenario_id").rows()
    for panel, scenario in rows:
        of_panel.setdefault(panel, set()).add(said.get(scenario, ""))
    same = {panel: next(iter(of)) for panel, of in of_panel.items() if len(of) == 1}
    return [panel + same.get(panel, "") for panel, _ in rows]


def _unlike(rtts_s: list[float | None]) -> str:
    """Return RTTs as a part of a panel's name, in the order of flows; '' if they are the same."""
    known = [f"{rtt * 1e3:.6g}" for rtt in dict.fromkeys(rtts_s) if rtt is not None]
    if len(known) < 2 or None in rtts_s:
        return ""
    if len(known) > SEVERAL:
        ends = min(known, key=float), max(known, key=float)
        return f", RTT (ms) {' to '.join(ends)}"
    return f", RTT (ms) {' and '.join(known)}"  # a comma would part the name
