"""How much of what the campaigns plan is there: runs of each data set, and of all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ..markdown import NO_BREAK_SPACE


class Plan(NamedTuple):
    """Runs that a data set's campaign plans, and those of them that are there."""

    n_planned: int
    n_there: int


def plans(planned: Path | None, runs: Mapping[str, pl.DataFrame]) -> dict[str, Plan]:
    """Return what is planned of each data set, those without a run included.

    Args:
        planned: the table of all campaigns, results/planned.csv: dataset_id, scenario (the folder
            of its runs), n_planned; None, or no such file: nothing is planned.
        runs: {data set: its table `run`}. What is there beyond a scenario's plan does not count.
    """
    if planned is None or not planned.is_file():
        return {}
    table = pl.read_csv(planned, schema_overrides={"dataset_id": pl.String, "scenario": pl.String})
    found = {}
    for (dataset,), design in table.group_by("dataset_id", maintain_order=True):
        folder = pl.col("run_id").str.replace("/[^/]*$", "").alias("scenario")
        there = runs.get(str(dataset), pl.DataFrame(schema={"run_id": pl.String}))
        counts = there.group_by(folder, maintain_order=True).agg(n_there=pl.len())
        both = design.join(counts, on="scenario", how="left").select(
            "n_planned", pl.min_horizontal("n_planned", pl.col("n_there").fill_null(0)).alias("n")
        )
        found[str(dataset)] = Plan(int(both["n_planned"].sum()), int(both["n"].sum()))
    return found


def days_of(run: pl.DataFrame) -> tuple[str, str] | None:
    """Return the first and the last day on which a data set's runs were made; None: not said.

    Args:
        run: its table `run`, `made_by` as JSON with a date (UTC).
    """
    if "made_by" not in run.columns:
        return None
    days = run["made_by"].str.json_path_match("$.date").drop_nulls().str.slice(0, 10)
    return (str(days.min()), str(days.max())) if len(days) else None


def state_in_words(found: Mapping[str, Plan], last_day: str | None) -> str:
    """Return how much of the whole design is there, in a sentence; '' where none is planned."""
    planned, there = (sum(getattr(plan, n) for plan in found.values()) for n in Plan._fields)
    if not planned:
        return ""
    as_of = f"As of {last_day}, " if last_day else ""
    share = percent_of(Plan(planned, there))
    said = f"{as_of}{there:,} of the {planned:,} planned runs have been made ({share})."
    without = [name for name, plan in found.items() if not plan.n_there]
    if without:
        n = len(without)
        said += f" {n} planned data set{'' if n == 1 else 's'} {'has' if n == 1 else 'have'} no run"
        said += f" yet: {', '.join(without)}."
    return said


def percent_of(plan: Plan) -> str:
    """Return the share of a plan that is there: 100 % is all of it, and 0 % none."""
    share = 100 * plan.n_there / plan.n_planned
    if plan.n_there not in (0, plan.n_planned):
        share = min(99, max(1, round(share)))
    return f"{share:.0f}{NO_BREAK_SPACE}%"
