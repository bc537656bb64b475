"""Tables of the paper: its surfaces, their summaries, and what was printed beside these."""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper
from evenflow.reporting.builds import build_difference_table, build_table
from evenflow.reporting.datasets import host_table
from evenflow.reporting.selfcheck import check_rows
from evenflow.statistics import surfaces

from .._grid.printed import printed_and_measured, printed_surfaces
from .design import MEASURES, TESTBEDS


@paper.metric(runs=True)
def surface(cell, run, run_metric) -> pl.DataFrame:
    return surfaces.with_runs(surfaces.surfaces_of_parts(cell, run, run_metric), run)


@paper.metric(runs=True)
def summary(surface) -> pl.DataFrame:
    return surfaces.surface_summary(surface, ["part", "dataset_id"])


@paper.metric(runs=True)
def printed(published, summary, paper_name) -> pl.DataFrame:
    said = printed_surfaces(published, list(MEASURES), f"reports/{paper_name}/published.csv")
    return printed_and_measured(said, summary, MEASURES)


@paper.metric(runs=True)
def build(
    run, open_run, cubic_run, old_run,
    selfcheck_83fd936fdc9e, selfcheck_783599f5a19a, selfcheck_84f15ed1a772, selfcheck_778eda9a3e4c,
    selfcheck_06bdbbb8fc05, selfcheck,
) -> pl.DataFrame:  # fmt: skip
    checks = [selfcheck_83fd936fdc9e, selfcheck_783599f5a19a, selfcheck_84f15ed1a772]
    checks += [selfcheck_778eda9a3e4c, selfcheck_06bdbbb8fc05, selfcheck]
    testbeds = {part: run[part] for part in TESTBEDS}
    testbeds |= {"open": open_run, "cubic": cubic_run, "old": old_run}
    return build_table(testbeds, checks)


@paper.metric(runs=True)
def build_difference(run, run_metric, open_run, open_run_metric) -> pl.DataFrame:
    testbeds = {part: run[part] for part in TESTBEDS} | {"open": open_run}
    return build_difference_table(testbeds, run_metric | {"open": open_run_metric})


@paper.metric
def host(run) -> pl.DataFrame:
    return host_table({part: run[part] for part in TESTBEDS})


@paper.metric
def selfcheck_check(selfcheck) -> pl.DataFrame:
    return check_rows(selfcheck)
