"""Tables of the paper: its surfaces, their summaries, and what was printed beside these."""

from __future__ import annotations

import polars as pl
from evenflow.metrics.fairness import two_flow_curve
from evenflow.papers import paper
from evenflow.reporting.builds import build_difference_table, build_table
from evenflow.reporting.datasets import host_table
from evenflow.reporting.selfcheck import check_rows
from evenflow.statistics import surfaces

from .._grid.printed import printed_and_computed, printed_and_measured, printed_surfaces
from .._grid.tcp_windows import windows
from . import contest
from .design import MEASURES


@paper.metric(runs=True)
def surface(cell, run, run_metric) -> pl.DataFrame:
    return surfaces.with_runs(surfaces.surfaces_of_parts(cell, run, run_metric), run)


@paper.metric(runs=True)
def summary(surface) -> pl.DataFrame:
    return surfaces.surface_summary(surface, ["part", "dataset_id"])


@paper.metric(runs=True)
def printed(published, summary, paper_name) -> pl.DataFrame:
    path = f"reports/{paper_name}/published.csv"
    said = printed_surfaces(published, list(MEASURES), path)
    index = two_flow_curve()["jfi"]  # Figure 2
    ends = {"min": index.min(), "mean": None, "max": index.max(), "stddev": None}
    computed = printed_and_computed(published, ends, path)
    measured = printed_and_measured(said, summary, MEASURES)
    return pl.concat([measured, computed], how="diagonal")


@paper.metric
def window_run(surface_run, run, open_run) -> pl.DataFrame:
    return windows(surface_run, run | {"open": open_run})


@paper.metric(runs=True)
def effect(window_run, grids, confidence) -> pl.DataFrame:
    return contest.effects(window_run, grids, confidence)


@paper.metric(runs=True)
def build(
    run, open_run, selfcheck_83fd936fdc9e, selfcheck_783599f5a19a, selfcheck_84f15ed1a772,
    selfcheck_778eda9a3e4c, selfcheck_06bdbbb8fc05, selfcheck,
) -> pl.DataFrame:  # fmt: skip
    checks = [selfcheck_83fd936fdc9e, selfcheck_783599f5a19a, selfcheck_84f15ed1a772]
    checks += [selfcheck_778eda9a3e4c, selfcheck_06bdbbb8fc05, selfcheck]
    return build_table(run | {"open": open_run}, checks)


@paper.metric(runs=True)
def build_difference(run, run_metric, open_run, open_run_metric) -> pl.DataFrame:
    return build_difference_table(run | {"open": open_run}, run_metric | {"open": open_run_metric})


@paper.metric
def host(run) -> pl.DataFrame:
    return host_table(run)


@paper.metric
def selfcheck_check(selfcheck) -> pl.DataFrame:
    return check_rows(selfcheck)


@paper.metric(runs=True)
def weight_cell(surface_run) -> pl.DataFrame:
    return contest.weight_cells(surface_run)
